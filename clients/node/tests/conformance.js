// Read and write back what test/clients/conformance.sql lists, with each driver
import pg from 'pg';
import postgres from 'postgres';
import { register, registerPostgres, stringify, toBytes } from 'pg-bson';
import { at } from './common.js';

// the wrapper of each driver makes a parameter of a value; NULL is null
const client = new pg.Client();
await client.connect();
await client.query(`DELETE FROM conformance_result WHERE client IN ('pg', 'pg, text', 'pg, doubles', 'postgres.js')`);
const query = async (text, values) => (await client.query({ text, values, rowMode: 'array' })).rows;
const sql = postgres({ ...at, max: 1, onnotice() {} });
const bson = await registerPostgres(sql);
const clients = [
  ['pg', query, toBytes, () => register(client)],
  ['pg, text', query, stringify, () => {}],
  ['pg, doubles', query, toBytes, () => register(client, { doubles: true })],
  ['postgres.js', (text, values) => sql.unsafe(text, values).values(), bson, () => {}],
];
for (const [name, run, wrap, prepare] of clients) {
  await prepare();
  const ids = await run('SELECT id FROM conformance WHERE id < 1000 ORDER BY id', []);
  for (const [id] of ids) {
    try {
      const [[value]] = await run('SELECT data FROM conformance WHERE id = $1', [id]);
      await run('INSERT INTO conformance_result (client, id, data) VALUES ($1, $2, $3)', [name, id, value === null ? null : wrap(value)]);
    } catch (error) {
      await run('INSERT INTO conformance_result (client, id, error) VALUES ($1, $2, $3)', [name, id, String(error)]);
    }
  }
  const [[list]] = await run('SELECT list FROM conformance WHERE id = 1000', []);
  await run('INSERT INTO conformance_result (client, id, list) VALUES ($1, 1000, $2)', [name, (wrap.array ?? Array.from)(list.map((each) => (each === null ? null : wrap(each))))]);
}
await client.end();
await sql.end();
