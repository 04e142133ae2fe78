// Knex and Kysely: bytes as parameters, results by the client's parsers; its functions for JSON
import assert from 'node:assert';
import Knex from 'knex';
import { Kysely, PostgresDialect, sql as raw } from 'kysely';
import pg from 'pg';
import { register, toBytes } from 'pg-bson';
import { client as bsonClient } from 'pg-bson/knex';
import { at, sent } from './common.js';

const knex = Knex({ client: bsonClient(), connection: at, pool: { min: 1, max: 1 } });
await knex.raw('CREATE TEMP TABLE doc (id serial, data bson)');
await knex('doc').insert([{ data: sent }, { data: { n: 7n, at: { city: 'Oslo' } } }]);
const oslo = await knex('doc').where('data', '@>', { at: { city: 'Oslo' } });
assert.deepStrictEqual(oslo[0].data, { n: 7n, at: { city: 'Oslo' } });
assert.deepStrictEqual((await knex('doc').whereRaw(`data \\? 'int64'`))[0].data, sent);
assert.strictEqual((await knex('doc').whereRaw('data @~ ?', [toBytes({ n: { $gt: 6 } })])).length, 1);
// JSON as text is taken, too
await knex('doc').insert({ data: JSON.stringify({ n: 9 }) });
assert.strictEqual((await knex('doc').whereJsonSupersetOf('data', { n: 9 })).length, 1);
assert.strictEqual((await knex('doc').whereJsonSubsetOf('data', { n: 9, m: 1 })).length, 1);
assert.strictEqual((await knex('doc').whereJsonObject('data', { n: 9 })).length, 1);
await assert.rejects(knex('doc').whereJsonPath('data', '$.n', '=', 9), /jsonb_path_query_first/);
await knex.raw('SET search_path = public, bson_jsonb');      // what bson_jsonb.sql made
assert.strictEqual((await knex('doc').whereJsonPath('data', '$.n', '=', 9)).length, 1);
assert.strictEqual((await knex('doc').whereRaw('data @\\? ?', ['$.n ? (@ == 9)'])).length, 1);
await knex.destroy();

// Knex's own client, whose connections are registered: there an object that is inserted needs toBytes
const own = Knex({
  client: 'pg',
  connection: at,
  pool: { min: 1, max: 1, afterCreate: (client, done) => register(client).then(() => done(null, client), done) },
});
assert.deepStrictEqual((await own.raw('SELECT ?::bson AS v', [sent])).rows[0].v, sent);
await own.raw('CREATE TEMP TABLE doc (data bson)');
await own('doc').insert({ data: toBytes(sent) });
assert.deepStrictEqual(await own('doc'), [{ data: sent }]);
await own.destroy();

// Kysely, with a pool that registers its connections
const pool = new pg.Pool({ ...at, max: 1 });
pool.on('connect', (client) => { register(client); });
const db = new Kysely({ dialect: new PostgresDialect({ pool }) });
await db.schema.createTable('doc').temporary().addColumn('data', raw`bson`).execute();
await db.insertInto('doc').values({ data: sent }).execute();
assert.deepStrictEqual((await db.selectFrom('doc').selectAll().where(db.dynamic.ref('data'), '@>', toBytes({ int64: 15n })).executeTakeFirst()).data, sent);
assert.deepStrictEqual(await db.selectFrom('doc').select((eb) => eb.ref('data', '->>').key('int32').as('n')).execute(), [{ n: '15' }]);
await db.destroy();
