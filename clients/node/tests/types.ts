// A program with types, for tsc --strict; it is not run
import { ObjectId } from 'bson';
import { drizzle } from 'drizzle-orm/node-postgres';
import { eq } from 'drizzle-orm';
import { pgTable, serial } from 'drizzle-orm/pg-core';
import { EntitySchema } from '@mikro-orm/core';
import Knex from 'knex';
import pg from 'pg';
import Cursor from 'pg-cursor';
import postgres from 'postgres';
import { fromBytes, fromText, register, registerPostgres, stringify, toBytes, toText, withDocuments } from 'pg-bson';
import { client as bsonClient } from 'pg-bson/knex';
import { bson as mikroBson } from 'pg-bson/mikro-orm';
import { bson, contains, match, text } from 'pg-bson/drizzle';

interface Doc { _id: ObjectId; n: bigint }

const client = new pg.Client();
await register(client, { numbers: 'native' });
const pool = new pg.Pool();
pool.on('connect', (each) => { void register(each, { doubles: true }); });
const bytes: Buffer = toBytes({ n: 1n });
const strings: string[] = [toText([1]), stringify(5n)];
const docs: Doc[] = [fromBytes<Doc>(bytes), fromText<Doc>(strings[0] ?? '')];

const rows: unknown[] = await client.query(new (withDocuments(Cursor))('SELECT $1::bson', [docs[0]])).read(5);
const knex = Knex({ client: bsonClient({ numbers: 'native' }) });
await knex('doc').insert({ data: docs[0], rows });

const sql = postgres();
const as = await registerPostgres(sql);
await sql`INSERT INTO doc (data) VALUES (${as(docs[0])})`;

const table = pgTable('doc', { id: serial().primaryKey(), data: bson() });
const db = drizzle(client);
await db.insert(table).values([{ data: docs[0] }]);
await db.select().from(table).where(match(table.data, { n: { $gt: 6 } }));
await db.select({ n: text(table.data, 'n') }).from(table).where(contains(table.data, { n: 7 }));
await db.select().from(table).where(eq(table.data, docs[1]));

export const mikro = new EntitySchema<{ id: number, data: unknown }>({ name: 'Doc', properties: { id: { type: 'integer', primary: true }, data: { type: mikroBson({ numbers: 'native' }) } } });
