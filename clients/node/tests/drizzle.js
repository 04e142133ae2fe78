// Drizzle with pg and with postgres.js
import assert from 'node:assert';
import { eq, getTableColumns, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { drizzle as drizzlePostgres } from 'drizzle-orm/postgres-js';
import { pgTable, serial } from 'drizzle-orm/pg-core';
import pg from 'pg';
import postgres from 'postgres';
import { bson, contains, match, text } from 'pg-bson/drizzle';
import { at, sent } from './common.js';

const docs = pgTable('drizzle_doc', { id: serial().primaryKey(), data: bson() });
assert.strictEqual(getTableColumns(docs).data.getSQLType(), 'bson');

const client = new pg.Client();
await client.connect();
const other = postgres({ ...at, max: 1, onnotice() {} });
for (const db of [drizzle(client), drizzlePostgres(other)]) {
  await db.execute(sql`CREATE TEMP TABLE drizzle_doc (id serial, data bson)`);
  await db.insert(docs).values([{ data: sent }, { data: { n: 7n, at: { city: 'Oslo' } } }, { data: null }]);
  const oslo = await db.select().from(docs).where(contains(docs.data, { at: { city: 'Oslo' } }));
  assert.deepStrictEqual(oslo[0].data, { n: 7n, at: { city: 'Oslo' } });
  const older = await db.select().from(docs).where(match(docs.data, { n: { $gt: 6 } }));
  assert.strictEqual(older.length, 1);
  assert.deepStrictEqual((await db.select().from(docs).where(eq(docs.data, sent)))[0].data, sent);
  assert.deepStrictEqual(await db.select({ city: text(docs.data, 'at', 'city') }).from(docs).where(eq(text(docs.data, 'n'), '7')), [{ city: 'Oslo' }]);
  // an expression of SQL is read as the column is, if it is told
  assert.deepStrictEqual(await db.select({ at: sql`${docs.data} -> 'at'`.mapWith(docs.data) }).from(docs).where(match(docs.data, { n: 7 })), [{ at: { city: 'Oslo' } }]);
  assert.deepStrictEqual(await db.select({ at: sql`${docs.data} -> 'n'` }).from(docs).where(match(docs.data, { n: 7 })), [{ at: '{"$numberLong": "7"}' }]);
  await db.update(docs).set({ data: { n: 8n } }).where(match(docs.data, { n: 7 }));
  assert.strictEqual((await db.select().from(docs).where(match(docs.data, { n: 8 }))).length, 1);
}
await client.end();
await other.end();
