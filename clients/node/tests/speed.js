// How long this process takes to fetch and decode the documents of test/clients/speed.sql, beside the driver's own jsonb
import { drizzle } from 'drizzle-orm/node-postgres';
import { integer, jsonb, pgTable } from 'drizzle-orm/pg-core';
import pg from 'pg';
import postgres from 'postgres';
import { deserialize, serialize } from 'bson';
import { fromBytes, fromText, register, registerPostgres, stringify, toBytes } from 'pg-bson';
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

// And to encode and decode documents of about 200 bytes, 1 kB and 15 kB without a server: the best of many turns of both by turns.  With dates, a program
// of jsonb has strings, or makes dates of them by itself.
const text = (items) => `{"id": 7, "customer": {"name": "Ada Lovelace", "email": "ada@example.com", "zip": "0150", "city": "Oslo"}, "total": 99.75, "note": null, "tags": ["new", "express"], "items": [${
  Array.from({ length: items }, (_, i) => `{"sku": "A-${i}", "name": "Item ${i} of the order", "quantity": ${i}, "price": ${19 + i}.9, "gift": ${i % 2 === 0}}`).join(', ')}]}`;
const withDates = (document) => ({ ...document, placed: new Date(1709467994789), items: document.items.map((item, i) => ({ ...item, packed: new Date(1709467994789 + i) })) });
const isoDate = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const revive = (_, value) => (typeof value === 'string' && isoDate.test(value) ? new Date(value) : value);

function time(once) {
  for (let count = 8; ; count *= 2) {
    const begin = process.cpuUsage();
    for (let i = 0; i < count; i++) once();
    const { user, system } = process.cpuUsage(begin);
    if (user + system >= 8000) return (user + system) / count;
  }
}
// "alone" is the package bson
function compare(name, bson, json, alone) {
  let best = [Infinity, Infinity, Infinity];
  for (let turn = 0; turn < 15; turn++) best = [bson, json, alone].map((once, i) => Math.min(best[i], time(once)));
  console.log(`speed | ${name} | ${best[0].toFixed(2)} | ${best[1].toFixed(2)} | ${(best[0] / best[1]).toFixed(2)} | ${(best[2] / best[1]).toFixed(2)} |`);
}
for (const items of [0, 7, 160]) {
  const json = text(items), document = JSON.parse(json), bytes = toBytes(document), size = `${json.length} bytes`;
  const dates = withDates(document), strings = JSON.stringify(dates), datedBytes = toBytes(dates);
  const extended = stringify(dates).replace(/\{"\$date":\{"\$numberLong":"(\d+)"\}\}/g, (_, time) => `{"$date": "${new Date(Number(time)).toISOString()}"}`);
  const toDriver = (value) => docs.data.mapToDriverValue(value).toPostgres();
  for (const [way, encode, json] of [['pg, an object', stringify, JSON.stringify], ['postgres.js and Drizzle', toDriver, JSON.stringify], ['`toBytes`', toBytes, (value) => Buffer.from(JSON.stringify(value))]]) {
    compare(`encoding, ${way}, ${size}`, () => encode(document), () => json(document), () => serialize(document));
    compare(`encoding with dates, ${way}, ${size}`, () => encode(dates), () => json(dates), () => serialize(dates));
  }
  for (const [way, decode, plain, dated] of [['text, as of pg and postgres.js', fromText, json, extended], ['`fromBytes`', fromBytes, bytes, datedBytes]]) {
    const alone = (data) => () => deserialize(data, { useBigInt64: true });
    compare(`decoding, ${way}, ${size}`, () => decode(plain), () => JSON.parse(json), alone(bytes));
    compare(`decoding with dates, beside strings, ${way}, ${size}`, () => decode(dated), () => JSON.parse(strings), alone(datedBytes));
    compare(`decoding with dates, beside dates, ${way}, ${size}`, () => decode(dated), () => JSON.parse(strings, revive), alone(datedBytes));
  }
}
