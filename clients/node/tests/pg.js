// pg: documents as binary parameters, results as text
import assert from 'node:assert';
import { Binary, Double, ObjectId, Timestamp } from 'bson';
import pg from 'pg';
import { fromBytes, register, stringify, toBytes, toText } from 'pg-bson';
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

// an object as parameter keeps its types; plain JSON stays what it is, also for a jsonb
await client.query('TRUNCATE doc');
await client.query('INSERT INTO doc (data) VALUES ($1)', [sent]);
await client.query({ text: 'INSERT INTO doc (data) VALUES ($1)', values: [sent] });
await client.query({ name: 'insert', text: 'INSERT INTO doc (data) VALUES ($1)' }, [{ ...sent, none: undefined }]);
const { none, ...rest } = sent;
assert.deepStrictEqual((await client.query('SELECT data FROM doc ORDER BY id')).rows.map((row) => row.data), [sent, sent, rest]);
const odd = { nan: NaN, infinity: -Infinity, zero: -0, time: 1646309594789, large: 1e21, key: { $oid: '5f2b1c3d4e5f60718293a4b5' }, bytes: Buffer.from([1]), map: new Map([['a', 1n]]), when: new Date(-1) };
const kept = (await client.query('SELECT $1::bson AS v', [odd])).rows[0].v;
assert.ok(Object.is(kept.zero, -0) && Number.isNaN(kept.nan));
assert.deepStrictEqual(kept, { ...odd, key: new ObjectId(odd.key.$oid), bytes: new Binary(odd.bytes), map: { a: 1n } });
for (const value of [{ a: 1, b: [1.5, 'x', null, true], c: {} }, new URLSearchParams('a=1')]) assert.strictEqual(stringify(value), JSON.stringify(value));
assert.deepStrictEqual((await client.query('SELECT $1::jsonb AS v, $2::json AS w', [{ a: [1.5, 'x'] }, { b: null }])).rows[0], { v: { a: [1.5, 'x'] }, w: { b: null } });
assert.deepStrictEqual((await client.query('SELECT $1::bson AS v', [sent._id])).rows[0].v, sent._id);
assert.deepStrictEqual((await client.query('SELECT $1::timestamptz AS v, $2::text AS w, $3::int[] AS x, $4::bytea AS y', [new Date(5), 'x', [1, null], Buffer.from([7])])).rows[0],
  { v: new Date(5), w: 'x', x: [1, null], y: Buffer.from([7]) });
await new Promise((resolve, reject) => client.query('SELECT $1::bson AS v', [{ n: 5n }], (error, result) => (error ? reject(error) : resolve(assert.deepStrictEqual(result.rows[0].v, { n: 5n })))));
const submitted = new pg.Query({ text: 'SELECT $1::bson AS v', values: [{ n: 6n }] });
assert.deepStrictEqual(await new Promise((resolve, reject) => client.query(submitted).on('row', (row) => resolve(row.v)).on('error', reject)), { n: 6n });

// plain JSON as text is the same bytes
for (const value of [{ a: [1, 1.5, -7, 2147483647, 0.1 + 0.2, 5e-324, 1e-7, 123456789.123, 'x', null, true, []], '': { 'a.b': {}, é: '😀' }, d: undefined }, 'it\'s "x" \\ \u0000 \u007f', 5, null, [[{}]], false, { $a: 1 }, { a: { b$: 1, $b: 2 } }, { a: { $oid: 'x' } }, { $date: 'x' }, sent])
  assert.deepStrictEqual((await client.query('SELECT $1::text::bson::bytea AS v', [toText(value)])).rows[0].v, toBytes(value));

// arrays of bson
const several = [sent, null, { n: 'a "quoted" \\ text, {NULL}' }];
assert.deepStrictEqual((await client.query('SELECT $1::bson[] AS v', [several])).rows[0].v, several);
assert.deepStrictEqual((await client.query('SELECT $1::bson[] AS v', [[toBytes([1, 2]), toBytes(sent)]])).rows[0].v, [[1, 2], sent]);
assert.deepStrictEqual((await client.query('SELECT array_agg(data ORDER BY id) AS v FROM doc')).rows[0].v, [sent, sent, rest]);
assert.deepStrictEqual((await client.query(`SELECT '{}'::bson[] AS v, ARRAY[[$1::bson]] AS w, NULL::bson[] AS x`, [{ a: 1 }])).rows[0], { v: [], w: [[{ a: 1 }]], x: null });
await client.end();

// whole doubles, if that is wanted, in both forms; and a pool
const pool = new pg.Pool({ max: 2, onConnect: (each) => register(each, { doubles: true }) });
if (!Object.getPrototypeOf(pg.Pool).toString().includes('onConnect')) pool.on('connect', (each) => { register(each, { doubles: true }); });
const numbers = { whole: new Double(15), half: 1.5, list: [new Double(-0), 3, 4n, 5000000000n, new Double(1e21)], none: null, when: new Date(0), text: '15.0', timestamp: new Timestamp({ t: 4294967295, i: 7 }) };
const [{ v }] = (await pool.query('SELECT $1::bson AS v', [numbers])).rows;
assert.deepStrictEqual(v, numbers);
assert.deepStrictEqual(fromBytes(toBytes(numbers), { doubles: true }), numbers);
assert.deepStrictEqual((await pool.query('SELECT $1::bson AS v', [v])).rows[0].v, numbers);
assert.deepStrictEqual((await pool.query('SELECT $1::bson AS v', [toBytes(new Double(7))])).rows[0].v, new Double(7));
await pool.end();

// a jsonb parameter, by the implicit cast, and what JSON text sent as binary is told
const plain = new pg.Client();
await plain.connect();
assert.strictEqual((await plain.query(`SELECT $1::jsonb || '{"b": 2}'::bson AS v`, [{ a: 1 }])).rows[0].v, '{"a": 1, "b": 2}');
await assert.rejects(plain.query('SELECT $1::bson', [Buffer.from('{"a": 1}')]), (error) => /JSON/.test(error.detail + error.hint));
await plain.end();
