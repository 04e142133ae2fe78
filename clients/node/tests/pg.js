// pg: documents as binary parameters, results as text
import assert from 'node:assert';
import { Double, ObjectId } from 'bson';
import pg from 'pg';
import { fromBytes, register, toBytes } from 'pg-bson';
import { others, sent } from './common.js';

const client = new pg.Client();
await client.connect();
await register(client);
await client.query('CREATE TEMP TABLE doc (id serial, data bson)');
await client.query('INSERT INTO doc (data) VALUES ($1)', [toBytes(sent)]);
const found = await client.query(`SELECT data, bson_typeof(data -> 'int64') AS kind FROM doc WHERE data @> $1`,
  [toBytes({ nested: { list: ['zwei'] } })]);
assert.deepStrictEqual(found.rows, [{ data: sent, kind: 'long' }]);
for (const value of others)
  assert.deepStrictEqual((await client.query('SELECT $1::bson AS v', [toBytes(value)])).rows[0].v, value);
const bytes = await client.query('SELECT data::bytea AS bytes FROM doc');
assert.deepStrictEqual(fromBytes(bytes.rows[0].bytes), sent);
await client.query('TRUNCATE doc');

await client.query('INSERT INTO doc (data) VALUES ($1)', [toBytes({ _id: new ObjectId(), n: 15n, whole: new Double(15) })]);
const { rows } = await client.query('SELECT data FROM doc WHERE data @~ $1', [toBytes({ n: { $gt: 14 } })]);
assert.strictEqual(rows[0].data.n, 15n);
assert.strictEqual((await client.query(`SELECT bson_typeof(data -> 'whole') AS kind FROM doc WHERE data -> 'n' > $1::int`, [14])).rows[0].kind, 'double');
await client.end();

// a jsonb parameter, by the implicit cast, and what JSON text sent as binary is told
const plain = new pg.Client();
await plain.connect();
assert.strictEqual((await plain.query(`SELECT $1::jsonb || '{"b": 2}'::bson AS v`, [{ a: 1 }])).rows[0].v, '{"a": 1, "b": 2}');
await assert.rejects(plain.query('SELECT $1::bson', [Buffer.from('{"a": 1}')]), (error) => /JSON/.test(error.detail + error.hint));
await plain.end();
