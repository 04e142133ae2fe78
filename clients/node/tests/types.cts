// The same as CommonJS, for tsc --strict; it is not run
import { Decimal128, ObjectId } from 'bson';
import { drizzle } from 'drizzle-orm/node-postgres';
import { pgTable, serial } from 'drizzle-orm/pg-core';
import pg = require('pg');
import pgBson = require('pg-bson');
import { fromBytes, register, toBytes } from 'pg-bson';
import { bson, match } from 'pg-bson/drizzle';

async function main(): Promise<void> {
  const client = new pg.Client();
  await register(client, { numbers: 'native' });
  await pgBson.register(client, { numbers: (text) => Decimal128.fromString(text) });
  const doc = fromBytes<{ _id: ObjectId }>(toBytes({ _id: new ObjectId() }));
  const table = pgTable('doc', { id: serial().primaryKey(), data: bson() });
  await drizzle(client).select().from(table).where(match(table.data, doc));
}
void main();
