// A program in CommonJS: the classes are those that it loads itself
const assert = require('node:assert');
const { Decimal128, ObjectId } = require('bson');
const pg = require('pg');
const { fromBytes, fromText, register, toBytes } = require('pg-bson');
const { bson } = require('pg-bson/drizzle');

const sent = { _id: new ObjectId('5f2b1c3d4e5f60718293a4b5'), price: Decimal128.fromString('1.10'), n: 15n };
assert.ok(fromBytes(toBytes(sent))._id instanceof ObjectId);
assert.deepStrictEqual(fromText('{"_id": {"$oid": "5f2b1c3d4e5f60718293a4b5"}, "price": {"$numberDecimal": "1.10"}, "n": {"$numberLong": "15"}}'), sent);
assert.strictEqual(typeof bson, 'function');

(async () => {
  const client = new pg.Client();
  await client.connect();
  await register(client);
  assert.deepStrictEqual((await client.query('SELECT $1::bson AS v', [sent])).rows, [{ v: sent }]);
  await client.end();
})();
