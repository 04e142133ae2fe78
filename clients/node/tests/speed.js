// How long this process takes to fetch and decode the documents of test/clients/speed.sql, beside the driver's own jsonb
import { drizzle } from 'drizzle-orm/node-postgres';
import { integer, jsonb, pgTable } from 'drizzle-orm/pg-core';
import pg from 'pg';
import postgres from 'postgres';
import { fromBytes, register, registerPostgres } from 'pg-bson';
import { bson } from 'pg-bson/drizzle';
import { at } from './common.js';

const count = 10000;
const columns = ['data', 'plain', 'extended'];
async function report(name, once) {
  const best = columns.map(() => Infinity);
  for (let turn = 0; turn < 4; turn++) {
    for (const [i, column] of columns.entries()) {
      const begin = process.cpuUsage();
      await once(column);
      const { user, system } = process.cpuUsage(begin);
      best[i] = Math.min(best[i], (user + system) / count);
    }
  }
  const [data, plain, extended] = best;
  console.log(`speed | ${name} | ${data.toFixed(1)} | ${plain.toFixed(1)} | ${(data / plain).toFixed(2)} | ${extended.toFixed(1)} |`);
}

const connect = async (options) => {
  const client = new pg.Client();
  await client.connect();
  if (options) await register(client, options);
  return client;
};
for (const [name, options] of [['pg', {}], ["pg, `numbers: 'native'`", { numbers: 'native' }], ['pg, `doubles: true`', { doubles: true }]]) {
  const client = await connect(options);
  await report(name, (column) => client.query(`SELECT ${column} FROM speed`));
  await client.end();
}
const client = await connect();
await report('pg, `data::bytea` and `fromBytes`', async (column) => {
  const { rows } = await client.query(`SELECT ${column}${column === 'plain' ? '' : '::bytea'} AS v FROM speed`);
  if (column !== 'plain') for (const row of rows) fromBytes(row.v);
});
const docs = pgTable('speed', { id: integer(), data: bson(), plain: jsonb(), extended: bson() });
const db = drizzle(client);
await report('Drizzle with pg', (column) => db.select({ v: docs[column] }).from(docs));
await client.end();
const sql = postgres({ ...at, max: 1 });
await registerPostgres(sql);
await report('postgres.js', (column) => sql`SELECT ${sql(column)} FROM speed`);
await sql.end();
