// What the tests share: where the server is, and a document with the types that JSON lacks
import { Binary, BSONRegExp, Code, Decimal128, Double, MinKey, ObjectId, Timestamp, UUID } from 'bson';

const { PGHOST: host, PGPORT, PGUSER: user, PGDATABASE: database } = process.env;
export const at = { host, port: Number(PGPORT), user, database };

export const sent = {
  _id: new ObjectId('5f2b1c3d4e5f60718293a4b5'),
  int64: 15n,
  large: 9007199254740993n,
  int32: 15,
  edge: -2147483648,
  beyond: -2147483649n,
  double: 15.5,                                 // new Double(15) for a double that is whole
  tiny: 1e-300,
  date: new Date('2022-03-03T12:13:14.789Z'),
  decimal: Decimal128.fromString('1.10'),
  binary: new Binary(Buffer.from([0, 1, 255])),
  uuid: new UUID('00112233-4455-6677-8899-aabbccddeeff'),
  timestamp: new Timestamp({ t: 4294967295, i: 7 }),
  regex: new BSONRegExp('^a', 'i'),
  text: 'digits "12345678901234" and \\ in it',
  none: null,
  nested: { list: [1, 'zwei', { drei: 3n }] },
};
export const others = [[1, 'zwei', { a: 1 }], [], 5, 12345678901n, 'text', new Date(0), {}, { '': 1 }];

// The document of conformance_way
const date = new Date('2022-03-03T12:13:14.789Z'), decimal = Decimal128.fromString('1.10'), id = new ObjectId('5f2b1c3d4e5f60718293a4b5');
export const every = {
  string: 'it\'s \\ " é', 'string of digits': '15', 'string of JSON': '{"a": 1}', int: 15, 'long within 32 bits': 15n, long: 9007199254740993n,
  double: 1.5, 'whole double': new Double(15), decimal, bool: true, null: null, objectId: id, date,
  binData: new Binary(Buffer.from([0, 1, 255])), UUID: new UUID('00112233-4455-6677-8899-aabbccddeeff'), regex: new BSONRegExp('^a', 'i'),
  timestamp: new Timestamp({ t: 1, i: 7 }), code: new Code('x()'), minKey: new MinKey(), document: { _id: 1, a: { date } },
  array: [1, [3n, { a: decimal }]], 'document of another class': new Map([['b', 1n]]), _id: id,
};
