// Sequelize: a column whose type is named, with a getter and a setter
import assert from 'node:assert';
import { Sequelize } from 'sequelize';
import { fromText, toText } from 'pg-bson';
import { at, sent } from './common.js';

const sequelize = new Sequelize({ dialect: 'postgres', ...at, username: at.user, logging: false });
const Doc = sequelize.define('sequelize_doc', {
  data: {
    type: 'bson',
    get() { const data = this.getDataValue('data'); return data && fromText(data); },
    set(data) { this.setDataValue('data', data && toText(data)); },
  },
}, { timestamps: false });
await Doc.sync({ force: true });
await Doc.create({ data: sent });
await Doc.create({ data: { n: 7n } });
const [doc] = await Doc.findAll({ where: sequelize.literal(`data @~ '{"n": {"$gt": 6}}'`) });
const [full] = await Doc.findAll({ where: sequelize.where(sequelize.fn('bson_get_int8', sequelize.col('data'), 'int64'), 15) });
await full.reload();
assert.deepStrictEqual(full.data, sent);
await doc.reload();
assert.deepStrictEqual(doc.data, { n: 7n });
doc.data = { n: 8n };
await doc.save();
assert.strictEqual(await Doc.count({ where: { data: toText({ n: 8n }) } }), 1);
await Doc.drop();
await sequelize.close();
