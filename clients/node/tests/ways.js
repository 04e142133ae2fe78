// Write a document of every type in each way that doc/drivers.md has, for test/clients/conformance
import 'reflect-metadata';
import assert from 'node:assert';
import { EntitySchema as MikroSchema, MikroORM } from '@mikro-orm/postgresql';
import { drizzle } from 'drizzle-orm/node-postgres';
import { drizzle as drizzlePostgres } from 'drizzle-orm/postgres-js';
import { eq } from 'drizzle-orm';
import { pgTable, text } from 'drizzle-orm/pg-core';
import Knex from 'knex';
import { Kysely, PostgresDialect, sql as raw } from 'kysely';
import pg from 'pg';
import Cursor from 'pg-cursor';
import QueryStream from 'pg-query-stream';
import postgres from 'postgres';
import { DataTypes, Sequelize } from 'sequelize';
import { DataSource, EntitySchema } from 'typeorm';
import { fromText, register, registerPostgres, stringify, toBytes, toText, withDocuments } from 'pg-bson';
import { bson } from 'pg-bson/drizzle';
import { client as bsonClient } from 'pg-bson/knex';
import { bson as mikroBson } from 'pg-bson/mikro-orm';
import { at, every } from './common.js';

const INSERT = 'INSERT INTO conformance_way (way, data) VALUES ($1, $2)';
const read = async (stream) => { for await (const row of stream) assert.ok(row); };

const client = new pg.Client();
await client.connect();
await client.query(`DELETE FROM conformance_way WHERE language = 'Node.js' OR language IS NULL AND way <> ''`);
await register(client);
await client.query(INSERT, ['pg, an object', every]);
await client.query({ text: INSERT, values: ['pg, an object in a configuration', every] });
await client.query({ name: 'way', text: INSERT, values: ['pg, an object, prepared', every] });
await new Promise((resolve, reject) => client.query(new pg.Query({ text: INSERT, values: ['pg, `Query`', every] })).on('end', resolve).on('error', reject));
await client.query(INSERT, ['pg, `toBytes`', toBytes(every)]);
await client.query(INSERT, ['pg, `stringify`', stringify(every)]);
await client.query(INSERT, ['pg, `toText`', toText(every)]);
await client.query('INSERT INTO conformance_way SELECT $1, data FROM unnest($2::bson[]) data', ['pg, a `bson[]`', [every]]);
const use = async (cursor) => { await cursor.read(1); await cursor.close(); };
await use(client.query(new (withDocuments(Cursor))(INSERT, ['pg-cursor, `withDocuments`', every])));
await read(client.query(new (withDocuments(QueryStream))(`${INSERT} RETURNING way`, ['pg-query-stream, `withDocuments`', every])));
// which without it would be what JSON.stringify makes of it, with a warning
const warning = new Promise((resolve) => process.once('warning', resolve));
const { n, ...plain } = { n: 15n, when: new Date(0) };
await use(client.query(new Cursor('SELECT $1::bson AS v', [plain])));
assert.match((await warning).message, /use withDocuments\(Cursor\)/);
assert.throws(() => new Cursor('SELECT $1::bson', [{ n }]), /BigInt/);

const sql = postgres({ ...at, max: 1, onnotice() {} });
const as = await registerPostgres(sql);
await sql`INSERT INTO conformance_way (way, data) VALUES (${'postgres.js, `bson()`'}, ${as(every)})`;
await sql`INSERT INTO conformance_way (way, data) VALUES (${'postgres.js, an object'}, ${every})`;
await sql`INSERT INTO conformance_way ${sql([{ way: 'postgres.js, `sql([…])` of `bson()`', data: as(every) }])}`;
await sql`INSERT INTO conformance_way ${sql([{ way: 'postgres.js, `sql([…])`', data: every }])}`;
await sql`INSERT INTO conformance_way SELECT ${'postgres.js, `bson.array`'}, data FROM unnest(${as.array([every])}) data`;
await sql.unsafe(INSERT, ['postgres.js, `unsafe`', every]);

const ways = pgTable('conformance_way', { way: text().primaryKey(), data: bson() });
for (const [name, db] of [['pg', drizzle(client)], ['postgres.js', drizzlePostgres(sql)]]) {
  await db.insert(ways).values([{ way: `Drizzle with ${name}, \`insert\``, data: every }, { way: `Drizzle with ${name}, \`update\`` }]);
  await db.update(ways).set({ data: every }).where(eq(ways.way, `Drizzle with ${name}, \`update\``));
}
await client.end();
await sql.end();

const knex = Knex({ client: bsonClient(), connection: at, pool: { min: 1, max: 1 } });
const table = () => knex('conformance_way');
await table().insert({ way: 'Knex, `insert`', data: every });
await table().insert([{ way: 'Knex, `insert` of many', data: every }, { way: 'Knex, `update`', data: null }]);
await knex.batchInsert('conformance_way', [{ way: 'Knex, `batchInsert`', data: every }]);
await table().where('way', 'Knex, `update`').update({ data: every });
await knex.raw('INSERT INTO conformance_way VALUES (?, ?)', ['Knex, `raw`', every]);
await table().insert({ way: 'Knex, `merge`', data: every }).onConflict('way').merge();
await read(knex.raw('INSERT INTO conformance_way VALUES (?, ?) RETURNING way', ['Knex, a stream', every]).stream());
assert.strictEqual((await table().where('data', '@>', { 'long within 32 bits': 15n })).length > 5, true);
assert.deepStrictEqual((await table().where({ way: 'Knex, `insert`' }))[0].data._id, every._id);
await knex.destroy();

const pool = new pg.Pool({ ...at, max: 1 });
pool.on('connect', (each) => { register(each); });
const db = new Kysely({ dialect: new PostgresDialect({ pool, cursor: withDocuments(Cursor) }) });
await db.insertInto('conformance_way').values({ way: 'Kysely, `insertInto`', data: every }).execute();
await db.insertInto('conformance_way').values({ way: 'Kysely, `updateTable`' }).execute();
await db.updateTable('conformance_way').set({ data: every }).where('way', '=', 'Kysely, `updateTable`').execute();
await raw`INSERT INTO conformance_way VALUES (${'Kysely, `sql`'}, ${every})`.execute(db);
await read(db.insertInto('conformance_way').values({ way: 'Kysely, `stream`', data: every }).returning('way').stream());
await db.destroy();

const sequelize = new Sequelize({ dialect: 'postgres', ...at, username: at.user, logging: false });
const Way = sequelize.define('conformance_way', {
  way: { type: DataTypes.TEXT, primaryKey: true },
  data: {
    type: 'bson',
    get() { const data = this.getDataValue('data'); return data && fromText(data); },
    set(data) { this.setDataValue('data', data && toText(data)); },
  },
}, { timestamps: false, freezeTableName: true });
await Way.create({ way: 'Sequelize, `create`', data: every });
await Way.bulkCreate([{ way: 'Sequelize, `bulkCreate`', data: every }]);
await Way.update({ data: every }, { where: { way: (await Way.create({ way: 'Sequelize, `update`' })).way } });
await sequelize.close();

const transformer = { to: (data) => data && toText(data), from: (data) => data && fromText(data) };
const Entity = new EntitySchema({ name: 'conformance_way', columns: { way: { type: String, primary: true }, data: { type: 'bson', nullable: true, transformer } } });
const source = new DataSource({ type: 'postgres', ...at, username: at.user, entities: [Entity] });
source.driver.supportedDataTypes.push('bson');
await source.initialize();
await source.getRepository(Entity).save({ way: 'TypeORM, `save`', data: every });
await source.getRepository(Entity).insert([{ way: 'TypeORM, `insert`', data: every }]);
const MikroWay = new MikroSchema({ name: 'Way', tableName: 'conformance_way', properties: { way: { type: 'text', primary: true }, data: { type: mikroBson(), nullable: true } } });
const orm = await MikroORM.init({ ...at, dbName: at.database, entities: [MikroWay] });
const em = orm.em.fork();
em.persist([em.create('Way', { way: 'MikroORM, `persist`', data: every }), em.create('Way', { way: 'MikroORM, a changed property', data: {} }), em.create('Way', { way: 'MikroORM, `nativeUpdate`' })]);
await em.flush();
(await em.findOne('Way', 'MikroORM, a changed property')).data = every;
await em.flush();
await em.nativeUpdate('Way', 'MikroORM, `nativeUpdate`', { data: every });
await em.insertMany('Way', [{ way: 'MikroORM, `insertMany`', data: every }]);
await em.upsert('Way', { way: 'MikroORM, `upsert`', data: every });
await em.createQueryBuilder('Way').insert({ way: 'MikroORM, a query builder', data: every }).execute();
await orm.close();
await source.query(`UPDATE conformance_way SET language = 'Node.js' WHERE language IS NULL AND way <> ''`);
await source.destroy();
