// Applications written for jsonb on a bson column: read, change, write back, by one line for the driver; without it a check refuses the damage
import 'reflect-metadata';
import assert from 'node:assert';
import { EntitySchema as MikroSchema, MikroORM } from '@mikro-orm/postgresql';
import { drizzle } from 'drizzle-orm/node-postgres';
import { integer, jsonb, pgTable } from 'drizzle-orm/pg-core';
import Knex from 'knex';
import { Kysely, PostgresDialect } from 'kysely';
import { Model, ref } from 'objection';
import pg from 'pg';
import postgres from 'postgres';
import { DataTypes, Sequelize } from 'sequelize';
import { DataSource, EntitySchema } from 'typeorm';
import { at } from './common.js';

const client = new pg.Client();
await client.connect();

// Each: read() gives the document with id 1, write(document) puts it back, other() what else the ORM does
const uses = {
  async pg() {
    return {
      read: async () => (await client.query('SELECT data FROM jsonb_doc WHERE id = 1')).rows[0].data,
      write: (data) => client.query('UPDATE jsonb_doc SET data = $1::jsonb WHERE id = 1', [JSON.stringify(data)]),
    };
  },
  async knex() {
    const knex = Knex({ client: 'pg', connection: at });
    return {
      read: async () => (await knex('jsonb_doc').where({ id: 1 }).first()).data,
      write: (data) => knex('jsonb_doc').where({ id: 1 }).update({ data: JSON.stringify(data) }),
      end: () => knex.destroy(),
    };
  },
  async objection() {
    const knex = Knex({ client: 'pg', connection: at, pool: { min: 1, max: 1 } });
    class Doc extends Model {
      static tableName = 'jsonb_doc';
      static jsonAttributes = ['data'];
    }
    const docs = Doc.bindKnex(knex);
    return {
      read: async () => (await docs.query().findById(1)).data,
      write: (data) => docs.query().findById(1).patch({ data }),
      async other() {
        assert.strictEqual((await docs.query().whereJsonSupersetOf('data', { nested: { n: 2 } }).whereJsonHasAny('data', ['n', 'nested']).where(ref('data:nested.n').castInt(), 2)).length, 1);
        // a patch of one field calls jsonb_set, which bson_jsonb.sql has
        await assert.rejects(docs.query().patch({ 'data:nested.n': 3 }), /jsonb_set/);
        await knex.raw('SET search_path = public, bson_jsonb');
        await docs.query().patch({ 'data:nested.n': 3 });
        assert.strictEqual((await docs.query().findById(1)).data.nested.n, 3);
      },
      end: () => knex.destroy(),
    };
  },
  async kysely() {
    const db = new Kysely({ dialect: new PostgresDialect({ pool: new pg.Pool({ ...at, max: 1 }) }) });
    return {
      read: async () => (await db.selectFrom('jsonb_doc').select('data').where('id', '=', 1).executeTakeFirst()).data,
      write: (data) => db.updateTable('jsonb_doc').set({ data: JSON.stringify(data) }).where('id', '=', 1).execute(),
      async other() {
        const found = await db.selectFrom('jsonb_doc').select((eb) => eb.ref('data', '->>').key('n').as('n')).where(db.dynamic.ref('data'), '@>', JSON.stringify({ nested: { n: 2 } })).execute();
        assert.strictEqual(found.length, 1);
      },
      end: () => db.destroy(),
    };
  },
  async drizzle() {
    const docs = pgTable('jsonb_doc', { id: integer().primaryKey(), data: jsonb() });
    const db = drizzle(client);
    return {
      read: async () => (await db.select().from(docs))[0].data,
      write: (data) => db.update(docs).set({ data }),
    };
  },
  async sequelize() {
    const sequelize = new Sequelize({ dialect: 'postgres', ...at, username: at.user, logging: false });
    const Doc = sequelize.define('jsonb_doc', { data: DataTypes.JSONB }, { timestamps: false, freezeTableName: true });
    return {
      read: async () => (await Doc.findByPk(1)).data,
      async write(data) {
        const doc = await Doc.findByPk(1);
        if (typeof data === 'object') doc.set('data.nested.list', [7]);     // refused where data is a string
        doc.set('data', data);
        doc.changed('data', true);
        await doc.save();
      },
      async other() {
        assert.strictEqual(await Doc.count({ where: { data: { nested: { n: 2 } } } }), 1);
        // its schema diff makes the column a jsonb
        await Doc.sync({ alter: true });
        const kind = async () => (await client.query(`SELECT pg_typeof(data)::text AS kind FROM jsonb_doc`)).rows[0].kind;
        assert.strictEqual(await kind(), 'jsonb');
      },
      end: () => sequelize.close(),
    };
  },
  async typeorm() {
    const Doc = new EntitySchema({
      name: 'jsonb_doc', checks: [{ name: 'jsonb_doc_data_check', expression: `bson_typeof(data) = 'object'` }],
      columns: { id: { type: Number, primary: true, generated: true }, data: { type: 'jsonb', nullable: true } } });
    const source = new DataSource({ type: 'postgres', ...at, username: at.user, entities: [Doc] });
    await source.initialize();
    const docs = source.getRepository(Doc);
    return {
      read: async () => (await docs.findOneBy({ id: 1 })).data,
      write: (data) => docs.save({ id: 1, data }),
      async other() {
        // its schema diff drops the column, unless the entity says bson
        const diff = async (each) => (await each.driver.createSchemaBuilder().log()).upQueries.map(({ query }) => query);
        assert.ok((await diff(source)).includes('ALTER TABLE "jsonb_doc" DROP COLUMN "data"'));
        Doc.options.columns.data.type = 'bson';
        const told = new DataSource(source.options);
        told.driver.supportedDataTypes.push('bson');
        await told.initialize();
        assert.deepStrictEqual(await diff(told), []);
        await told.getRepository(Doc).save({ id: 1, data: { nested: { n: 3 } } });
        assert.deepStrictEqual((await told.getRepository(Doc).findOneBy({ id: 1 })).data, { nested: { n: 3 } });
        await told.destroy();
      },
      end: () => source.destroy(),
    };
  },
  async mikro() {
    const Doc = new MikroSchema({ name: 'Doc', tableName: 'jsonb_doc', properties: { id: { type: 'integer', primary: true }, data: { type: 'json', nullable: true } } });
    const orm = await MikroORM.init({ ...at, dbName: at.database, entities: [Doc] });
    return {
      read: async () => (await orm.em.fork().findOne('Doc', 1)).data,
      async write(data) {
        const em = orm.em.fork();
        (await em.findOne('Doc', 1)).data = data;
        await em.flush();
      },
      async other() {
        // its schema diff makes the column a jsonb, unless the entity says bson
        assert.match(await orm.schema.getUpdateSchemaSQL({ safe: true }), /alter column "data" type jsonb/);
        const Told = new MikroSchema({ name: 'Doc', tableName: 'jsonb_doc', properties: { id: { type: 'integer', primary: true }, data: { type: 'json', columnType: 'bson', nullable: true } } });
        const told = await MikroORM.init({ ...at, dbName: at.database, entities: [Told] });
        assert.doesNotMatch(await told.schema.getUpdateSchemaSQL({ safe: true }), /"data"/);
        const em = told.em.fork();
        (await em.findOne('Doc', 1)).data.nested.n = 3;
        await em.flush();
        assert.strictEqual((await told.em.fork().findOne('Doc', 1)).data.nested.n, 3);
        await told.close();
      },
      end: () => orm.close(),
    };
  },
  async postgres() {
    const sql = postgres({ ...at, max: 1, onnotice() {} });
    return {
      sql,
      read: async () => (await sql`SELECT data FROM jsonb_doc WHERE id = 1`)[0].data,
      write: (data) => sql`UPDATE jsonb_doc SET data = ${sql.json(data)}`,
      async other() {
        // an object as it is, and the helper that inserts
        await sql`UPDATE jsonb_doc SET data = ${{ n: 5 }} WHERE data @> ${{ nested: { n: 2 } }}`;
        await sql`INSERT INTO jsonb_doc ${sql([{ id: 2, data: { n: 5 } }])}`;
        assert.strictEqual((await sql`SELECT FROM jsonb_doc WHERE data = ${{ n: 5 }}`).length, 2);
      },
      end: () => sql.end(),
    };
  },
};

const stored = { id: 1, double: 1.5, nested: { n: 1, list: [null, 'x'] }, _id: { $oid: '5f2b1c3d4e5f60718293a4b5' } };
async function reset() {
  await client.query('DROP TABLE IF EXISTS jsonb_doc');
  await client.query(`CREATE TABLE jsonb_doc (id serial PRIMARY KEY, data bson CHECK (bson_typeof(data) = 'object'))`);
  await client.query('INSERT INTO jsonb_doc (data) VALUES ($1)', [JSON.stringify(stored)]);
}

// What parses a string by itself needs no line
const damaged = [];
for (const [name, use] of Object.entries(uses)) {
  await reset();
  const { read, write, end } = await use();
  const data = await read();
  if (typeof data === 'string') {
    damaged.push(name);
    await assert.rejects(async () => { await write(data.replace('1.5', '2.5')); }, /jsonb_doc_data_check/, name);
  }
  await end?.();
}
assert.deepStrictEqual(damaged, ['pg', 'knex', 'kysely', 'sequelize', 'typeorm', 'mikro', 'postgres']);

const { rows: [{ oid }] } = await client.query("SELECT 'bson'::regtype::oid AS oid");
pg.types.setTypeParser(oid, JSON.parse);
for (const [name, use] of Object.entries(uses)) {
  await reset();
  const { sql, read, write, other, end } = await use();
  if (sql) { sql.options.parsers[oid] = JSON.parse; sql.options.serializers[oid] = JSON.stringify; }
  const data = await read();
  assert.deepStrictEqual(data, stored, name);
  data.nested.n = 2;
  await write(data);
  assert.deepStrictEqual(await read(), { ...stored, nested: { ...stored.nested, n: 2 } }, name);
  const { rows: [types] } = await client.query(`SELECT bson_typeof(data) AS root, bson_typeof(data -> '_id') AS id FROM jsonb_doc`);
  assert.deepStrictEqual(types, { root: 'object', id: 'objectId' }, name);
  await other?.();
  await end?.();
}
await client.query('DROP TABLE jsonb_doc');
await client.end();
