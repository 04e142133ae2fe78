// MikroORM with the property type of pg-bson/mikro-orm
import assert from 'node:assert';
import { EntitySchema, MikroORM, raw } from '@mikro-orm/postgresql';
import { Double } from 'bson';
import { toText } from 'pg-bson';
import { bson } from 'pg-bson/mikro-orm';
import { at, sent } from './common.js';

const Doc = new EntitySchema({
  name: 'Doc', tableName: 'mikro_doc',
  properties: { id: { type: 'integer', primary: true }, data: { type: bson(), nullable: true } },
});
const statements = [];
const orm = await MikroORM.init({ ...at, dbName: at.database, entities: [Doc], debug: ['query'], logger: (text) => statements.push(text) });
await orm.em.execute('DROP TABLE IF EXISTS mikro_doc');
assert.match(await orm.schema.getUpdateSchemaSQL({ safe: true }), /"data" bson null/);
await orm.schema.updateSchema({ safe: true });
assert.doesNotMatch(await orm.schema.getUpdateSchemaSQL({ safe: true }), /mikro_doc/);

const em = orm.em.fork();
em.persist([em.create('Doc', { id: 1, data: sent }), em.create('Doc', { id: 2, data: [1n, 'two'] }), em.create('Doc', { id: 3 })]);
await em.flush();
const docs = await orm.em.fork().find('Doc', {}, { orderBy: { id: 1 } });
assert.deepStrictEqual(docs.map((doc) => doc.data), [sent, [1n, 'two'], null]);

// a change within a document is written, and what is not changed is not
const next = orm.em.fork();
const doc = await next.findOne('Doc', 1);
statements.length = 0;
await next.flush();
assert.deepStrictEqual(statements, []);
doc.data.nested.n = 5n;
await next.flush();
doc.data.nested.n = 5;
await next.flush();
assert.strictEqual(statements.filter((text) => /update/.test(text)).length, 2);
assert.deepStrictEqual((await orm.em.fork().findOne('Doc', { id: 1 })).data.nested.n, 5);
await next.nativeUpdate('Doc', { id: 3 }, { data: { whole: new Double(1) } });
assert.deepStrictEqual(await next.execute(`SELECT bson_typeof(data -> 'whole') AS v FROM mikro_doc WHERE id = 3`), [{ v: 'double' }]);
const found = await orm.em.fork().find('Doc', { [raw('data @~ ?', [toText({ whole: { $gt: 0 } })])]: [] });
assert.deepStrictEqual(found.map(({ id }) => id), [3]);
await orm.em.execute('DROP TABLE mikro_doc');
await orm.close();
