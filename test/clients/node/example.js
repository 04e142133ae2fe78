// Documents of the bson package in a bson column, as BSON bytes with no JSON in between.
import assert from 'node:assert';
import { serialize, deserialize, Binary, Decimal128, Double, ObjectId } from 'bson';
import pg from 'pg';

// Copy from here.  pg sends a Buffer in binary format, so a parameter is a bson as it is;
// results it reads as text only, whose lossless form for bytes is that of bytea: select data::bytea
const toBson = (document) => Buffer.from(serialize(document));
const fromBson = (bytes) => deserialize(bytes, { useBigInt64: true });      // int64 as bigint
// to here

const client = new pg.Client();
await client.connect();
await client.query('CREATE TEMP TABLE doc (id serial, data bson)');

const sent = {
  _id: new ObjectId('5f2b1c3d4e5f60718293a4b5'),
  int64: 15n,
  int32: 15,
  double: 15.5,                                 // new Double(15) for a double that is whole
  date: new Date('2022-03-03T12:13:14.789Z'),
  decimal: Decimal128.fromString('1.10'),
  binary: new Binary(Buffer.from([0, 1, 255])),
  nested: { list: [1, 'zwei', { drei: 3n }] },
};
await client.query('INSERT INTO doc (data) VALUES ($1)', [toBson(sent)]);
await client.query('INSERT INTO doc (data) VALUES ($1)', [toBson({ whole: new Double(15) })]);

const { rows } = await client.query(
  `SELECT data::bytea, bson_typeof(data -> 'int64') AS typename FROM doc WHERE data @> $1`,
  [toBson({ nested: { list: ['zwei'] } })]);
assert.deepStrictEqual(fromBson(rows[0].data), sent);
assert.strictEqual(rows[0].typename, 'long');

const whole = await client.query(`SELECT bson_typeof(data -> 'whole') AS typename FROM doc WHERE data ? 'whole'`);
assert.strictEqual(whole.rows[0].typename, 'double');
console.log('ok node');
await client.end();
