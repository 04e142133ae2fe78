// TypeORM, which is told that there is such a type
import 'reflect-metadata';
import assert from 'node:assert';
import { DataSource, EntitySchema } from 'typeorm';
import { fromText, toText } from 'pg-bson';
import { at, sent } from './common.js';

const transformer = { to: (data) => data && toText(data), from: (data) => data && fromText(data) };
const Doc = new EntitySchema({
  name: 'typeorm_doc',
  columns: {
    id: { type: Number, primary: true, generated: true },
    data: { type: 'bson', nullable: true, transformer },
  },
});
const source = new DataSource({ type: 'postgres', ...at, username: at.user, entities: [Doc] });
source.driver.supportedDataTypes.push('bson');
await source.initialize();
await source.synchronize();
await source.synchronize();                     // finds nothing to change
const docs = source.getRepository(Doc);
await docs.save([{ data: sent }, { data: { n: 7n } }]);
const doc = await docs.createQueryBuilder('d').where('d.data @~ :query', { query: toText({ n: { $gt: 6 } }) }).getOneOrFail();
assert.deepStrictEqual(doc.data, { n: 7n });
assert.deepStrictEqual((await docs.findOneByOrFail({ data: sent })).data, sent);
await source.query('DROP TABLE typeorm_doc');
await source.destroy();
