// Prisma, with its adapter for pg: the model has the column, and raw queries write and read it, as BSON bytes or as text.
import assert from 'node:assert';
import { PrismaPg } from '@prisma/adapter-pg';
import { Binary, BSONRegExp, Code, Decimal128, deserialize, Double, EJSON, Long, MinKey, ObjectId, serialize, Timestamp, UUID } from 'bson';
import generated from './generated/client.js';

const adapter = new PrismaPg({ host: process.env.PGHOST, port: Number(process.env.PGPORT), user: process.env.PGUSER, database: process.env.PGDATABASE, max: 1 });
const prisma = new generated.PrismaClient({ adapter });
await prisma.$executeRaw`DROP TABLE IF EXISTS prisma_doc`;
await prisma.$executeRaw`CREATE TABLE prisma_doc (id serial PRIMARY KEY, name text, data bson)`;

const sent = { _id: new ObjectId('5f2b1c3d4e5f60718293a4b5'), n: Long.fromNumber(15), at: new Date(1646309594789), price: Decimal128.fromString('1.10') };
await prisma.$executeRaw`INSERT INTO prisma_doc (data) VALUES (${serialize(sent)})`;
const rows = await prisma.$queryRaw`SELECT id, data::bytea FROM prisma_doc WHERE data @~ ${'{"n": {"$gt": 14}}'}::bson`;
assert.deepStrictEqual(deserialize(rows[0].data, { promoteLongs: false }), sent);
assert.strictEqual((await prisma.$queryRaw`SELECT id FROM prisma_doc WHERE data @> ${serialize({ n: 15 })}::bytea::bson`).length, 1);

// what is not bytes: an object is sent as a jsonb, a string needs a cast, and a bson is fetched as its text
await prisma.$executeRaw`INSERT INTO prisma_doc (data) VALUES (${{ n: 16 }})`;
await prisma.$executeRaw`INSERT INTO prisma_doc (data) VALUES (${'{"n": {"$numberLong": "17"}}'}::bson)`;
assert.deepStrictEqual((await prisma.$queryRaw`SELECT data FROM prisma_doc WHERE data ? 'n' ORDER BY id OFFSET 1`).map((row) => row.data), ['{"n": 16}', '{"n": {"$numberLong": "17"}}']);

// the model's own methods leave the column alone
await prisma.prisma_doc.create({ data: { name: 'x' } });
assert.deepStrictEqual(await prisma.prisma_doc.findMany({ where: { name: 'x' } }), [{ id: 4, name: 'x' }]);
await prisma.prisma_doc.update({ where: { id: 1 }, data: { name: 'y' } });
assert.strictEqual((await prisma.$queryRaw`SELECT id FROM prisma_doc WHERE name = 'y' AND data ->> 'n' = '15'`).length, 1);
await prisma.$executeRaw`DROP TABLE prisma_doc`;

// a program written for jsonb reads, changes and writes a document
await prisma.$executeRaw`DROP TABLE IF EXISTS jsonb_doc`;
await prisma.$executeRaw`CREATE TABLE jsonb_doc (id int PRIMARY KEY, data bson CHECK (bson_typeof(data) = 'object'))`;
await prisma.$executeRaw`INSERT INTO jsonb_doc VALUES (1, ${'{"n": 1, "double": 1.5, "_id": {"$oid": "5f2b1c3d4e5f60718293a4b5"}}'}::text::bson)`;
const { data } = await prisma.jsonb_doc.findUnique({ where: { id: 1 } });
await prisma.jsonb_doc.update({ where: { id: 1 }, data: { data: { ...data, n: 2 } } });
assert.strictEqual(await prisma.jsonb_doc.count({ where: { data: { path: ['n'], equals: 2 } } }), 1);
assert.deepStrictEqual(await prisma.$queryRaw`SELECT bson_typeof(data -> '_id') AS id, bson_typeof(data -> 'double') AS double FROM jsonb_doc`, [{ id: 'objectId', double: 'double' }]);
await prisma.$executeRaw`DROP TABLE jsonb_doc`;

// the document of every type in each way, for test/clients/conformance
const every = {
  string: 'it\'s \\ " é', 'string of digits': '15', 'string of JSON': '{"a": 1}', int: 15, 'long within 32 bits': 15n, long: 9007199254740993n,
  double: 1.5, 'whole double': new Double(15), decimal: sent.price, bool: true, null: null, objectId: sent._id, date: sent.at,
  binData: new Binary(Buffer.from([0, 1, 255])), UUID: new UUID('00112233-4455-6677-8899-aabbccddeeff'), regex: new BSONRegExp('^a', 'i'),
  timestamp: new Timestamp({ t: 1, i: 7 }), code: new Code('x()'), minKey: new MinKey(), document: { _id: 1, a: { date: sent.at } },
  array: [1, [3n, { a: sent.price }]], 'document of another class': new Map([['b', 1n]]), _id: sent._id,
};
if ((await prisma.$queryRaw`SELECT to_regclass('conformance_way')::text AS v`)[0].v !== null) {
  await prisma.$executeRaw`DELETE FROM conformance_way WHERE language = 'Node.js, Prisma' OR language IS NULL AND way <> ''`;
  await prisma.$executeRaw`INSERT INTO conformance_way (way, data) VALUES ('Prisma, \`serialize\`', ${serialize(every)})`;
  await prisma.$executeRaw`INSERT INTO conformance_way (way, data) VALUES ('Prisma, \`serialize\`, cast', ${serialize(every)}::bytea::bson)`;
  await prisma.$executeRaw`INSERT INTO conformance_way (way, data) VALUES ('Prisma, \`EJSON\`', ${EJSON.stringify(every, { relaxed: false })}::bson)`;
  await prisma.$executeRawUnsafe('INSERT INTO conformance_way (way, data) VALUES ($1, $2)', 'Prisma, `$executeRawUnsafe`', serialize(every));
  await prisma.$executeRaw`UPDATE conformance_way SET language = 'Node.js, Prisma' WHERE language IS NULL AND way <> ''`;
}
await prisma.$disconnect();
console.log('ok prisma');
