// postgres.js: documents as text in both directions, which loses nothing
import assert from 'node:assert';
import postgres from 'postgres';
import { registerPostgres, toText } from 'pg-bson';
import { at, others, sent } from './common.js';

const sql = postgres({ ...at, max: 1, onnotice() {} });
const bson = await registerPostgres(sql);
await sql`CREATE TEMP TABLE doc (id serial, data bson)`;
await sql`INSERT INTO doc (data) VALUES (${bson(sent)})`;
await sql`INSERT INTO doc ${sql([{ data: bson({ n: 7 }) }, { data: bson({ n: 8 }) }])}`;
const [{ data, kind }] = await sql`SELECT data, bson_typeof(data -> 'int64') AS kind FROM doc WHERE data @> ${bson({ nested: { list: ['zwei'] } })}`;
assert.deepStrictEqual(data, sent);
assert.strictEqual(kind, 'long');
for (const value of others)
  assert.deepStrictEqual((await sql`SELECT ${bson(value)} AS v`)[0].v, value);
assert.deepStrictEqual((await sql`SELECT data FROM doc WHERE data @~ ${bson({ n: { $gt: 7 } })}`)[0].data, { n: 8 });
// without bson(), where the server says what the parameter is, and as text
assert.strictEqual((await sql`SELECT count(*)::int AS n FROM doc WHERE data @> ${{ n: 7 }}`)[0].n, 1);
await sql`SELECT ${toText(sent)}::bson`;
// arrays of bson, also of documents with fields that postgres.js takes for a parameter's
const several = [sent, null, { type: 'a', value: 1 }];
assert.deepStrictEqual((await sql`SELECT ${bson.array([bson([1, 2]), ...several])} AS v`)[0].v, [[1, 2], ...several]);
assert.deepStrictEqual((await sql`SELECT ${several}::bson[] AS v`)[0].v, several);
assert.deepStrictEqual((await sql`SELECT array_agg(data ORDER BY id) AS v FROM doc`)[0].v, [sent, { n: 7 }, { n: 8 }]);
assert.deepStrictEqual((await sql`SELECT '{}'::bson[] AS v`)[0].v, []);
await sql.end();
