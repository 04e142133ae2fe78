// Values without a server: texts, and what numbers become
import assert from 'node:assert';
import { DBRef, Decimal128, deserialize, Double, EJSON, Long, MaxKey, ObjectId, serialize } from 'bson';
import { fromBytes, fromText, stringify, toBytes, toText } from 'pg-bson';
import { sent } from './common.js';

// plain JSON, whatever looks like something else in it
for (const [text, value] of [
  ['{"a": 1, "b": [1.5, "x", null, true], "c": {}}', { a: 1, b: [1.5, 'x', null, true], c: {} }],
  ['{"a": 2147483648, "b": [-2147483649, 2147483647]}', { a: 2147483648n, b: [-2147483649n, 2147483647] }], ['5000000000', 5000000000n], ['[5000000000]', [5000000000n]],
  ['{"a": 0.1234567890123, "b": "12345678901", "c": "x 12345678901, 5"}', { a: 0.1234567890123, b: '12345678901', c: 'x 12345678901, 5' }],
  ['{"a": -0.0, "b": 1e+21, "c": 4294967296.0}', { a: -0, b: 1e21, c: 4294967296 }],
  ['{"a": "$5", "b": {"c": 5000000000}}', { a: '$5', b: { c: 5000000000n } }],
  ['{"__proto__": {"$oid": "5f2b1c3d4e5f60718293a4b5"}}', JSON.parse('{"__proto__": 1}')],
  ['{"a": {"$maxKey": 1}, "b": {"$date": {"$numberLong": "-1"}}, "c": {"$numberDouble": "NaN"}}', { a: new MaxKey(), b: new Date(-1), c: NaN }],
]) {
  const read = fromText(text);
  if (Object.hasOwn(read, '__proto__')) assert.ok(Object.getOwnPropertyDescriptor(read, '__proto__').value instanceof ObjectId);
  else assert.deepStrictEqual(read, value, text);
}
// ten digits, wherever they stand
for (let before = 0; before < 25; before++)
  for (const digits of ['123456789', '5000000000', '50000000001', '9007199254740993']) {
    const expected = digits.length < 10 ? Number(digits) : BigInt(digits);
    assert.deepStrictEqual(fromText(`["${'x'.repeat(before)}",${digits}]`)[1], expected);
    assert.deepStrictEqual(fromText(`["${'x'.repeat(before)}",0.5,-${digits},${'1,'.repeat(before)}2]`)[2], -expected);
  }
assert.deepStrictEqual(fromText(EJSON.stringify(sent, { relaxed: false })), sent);
// also behind a string that is too long for a regular expression, with what looks like its end
for (const unit of ['x', '\\n', '\\"5000000000'])
  for (const options of [{}, { numbers: 'native' }, { doubles: true }])
    assert.strictEqual(String(fromText(`["${unit.repeat(2e7 / unit.length)}", 9007199254740993, 1.0]`, options)[1]), '9007199254740993');

// what is encoded as a document is stored as one, whatever its class
class Point { constructor() { this.x = 1; } }
class Made { toBSON() { return { x: 1 }; } }
for (const value of [{ x: 1 }, new Map([['x', 1]]), new Point(), new Made(), Object.assign(Object.create(null), { x: 1 })])
  assert.deepStrictEqual(toBytes(value), Buffer.from('0c0000001078000100000000', 'hex'));
assert.deepStrictEqual(toBytes(new DBRef('c', 1)), toBytes({ $ref: 'c', $id: 1 }));
assert.deepStrictEqual(fromBytes(toBytes(new DBRef('c', 1))), new DBRef('c', 1));
for (const [value, kind] of [[[], 4], [5, 16], ['text', 2], [null, 10], [undefined, 10], [new ObjectId(), 7], [new Date(0), 9], [Buffer.from([1]), 5]])
  assert.deepStrictEqual([...toBytes(value).subarray(4, 8)], [255, 0, kind, 0]);
assert.throws(() => toBytes(() => 5), /a function is no value of BSON/);

// the bytes are those of the package bson, whatever is in the value, and so are its errors, but for what it changes without a word
let seed = 1;
const random = (n) => { seed = (seed * 1103515245 + 12345) % 2147483648; return Math.floor(seed / 65536) % n; };
const pick = (list) => list[random(list.length)];
const anyText = () => Array.from({ length: pick([0, 1, 5, 31, 32, 33, 70]) }, () => pick(['a', 'b', ' ', 'x', 'y', 'é', '😀', 'ß', '\0'].slice(0, pick([4, 4, 5, 9])))).join('');
const scalars = [anyText, () => pick([0, -0, 1, -1, 2147483647, 2147483648, -2147483648, -2147483649, 1.5, NaN, -Infinity, 1e300, 5e-324]), () => pick([true, null, undefined]), () => pick([0n, -5n, 2n ** 63n - 1n, -(2n ** 63n)]),
  () => new Date(pick([0, -1, 1646309594789, -62135596800000, 8.64e15, -8.64e15])), () => new ObjectId(), () => pick([sent, new Double(1), Buffer.from('xyz'), /a/i, new Map([['a', 1n]]), new Made(), { toBSON: () => 7 }])];
const anyValue = (depth) => {
  const kind = random(depth > 4 ? scalars.length : scalars.length + 4);
  if (kind < scalars.length) return scalars[kind]();
  return kind % 2 ? Array.from({ length: pick([0, 1, 3, 12]) }, () => anyValue(depth + 1)) : Object.fromEntries(Array.from({ length: pick([0, 1, 3, 9]) }, () => [random(50) ? anyText().replaceAll('\0', '') : 'a\0', anyValue(depth + 1)]));
};
const outcome = (make) => { try { return Buffer.from(make()).toString('hex'); } catch (error) { return error.message; } };
for (let i = 0; i < 3000; i++) {
  const value = { a: anyValue(0) };
  assert.strictEqual(outcome(() => toBytes(value)), outcome(() => Buffer.from(serialize({ '': value })).subarray(6, -1)));
}
for (const value of [2n ** 63n, -(2n ** 63n) - 1n, Long.MAX_UNSIGNED_VALUE, new Date(NaN), /a/g, /a/y])
  for (const each of [value, { a: [value], b: sent.decimal }, new Map([['a', value]]), { toBSON: () => value }])
    for (const encode of [toBytes, toText, stringify]) assert.throws(() => encode(each), /is beyond a long|an invalid Date|has no such flag/);
for (const value of [new Set([1]), Promise.resolve(1), new ArrayBuffer(2), new WeakMap(), new Number(5), new String('x'), Object(5n), [1].values(), new Map().keys(), (function* () { yield 1; })()])
  for (const each of [value, { a: [value] }, new Map([['a', value]])])
    for (const encode of [toBytes, toText, stringify]) assert.throws(() => encode(each), /^TypeError: an? [\w ]+ is no value of BSON$/);
for (const text of ['\ud800', 'x'.repeat(40) + '\udc00', '\ud83dé'])
  for (const each of [text, { a: text }, { [text]: 1 }]) assert.throws(() => toBytes(each), /half of a surrogate pair/);
assert.strictEqual(fromBytes(toBytes('x'.repeat(40) + 'é😀')), 'x'.repeat(40) + 'é😀');

// JSON that claims to be a value of the package bson is none: its "value" would become a part of the text as it is
for (const text of ['{"_bsontype":"Int32","value":"1, \\"admin\\": true"}', '{"_bsontype":"Double","value":"1\\"},\\"admin\\":{\\"$numberDouble\\":\\"1"}', '{"_bsontype":"Int32","value":7}', '{"_bsontype":"Long"}', '{"_bsontype":"ObjectId"}'])
  for (const each of [JSON.parse(text), { a: [JSON.parse(text)] }])
    for (const encode of [toBytes, toText, stringify]) assert.throws(() => encode(each), /Unsupported BSON version/);
for (const numbers of ['native', String])           // and one that another program stored is read as the document that it is
  assert.deepStrictEqual(fromText('{"a": {"_bsontype": "Long", "value": "x"}, "b": 5.0}', { numbers }).a, { _bsontype: 'Long', value: 'x' });
for (const value of [{ url: new URL('http://a/'), own: { toJSON: () => ({ n: 5n }) } }, [() => 5, Symbol('x'), 1], { a: Symbol('x'), b: () => 5, c: 1n }, { a: /a/imsu, b: new Float64Array([1]), c: new DataView(new ArrayBuffer(2)) }, new Map([[5, 1n]]), new (class extends Date {})(0)])
  assert.deepStrictEqual(fromBytes(toBytes(value)), fromText(stringify(value)));
// and what is read of bytes is what the package bson reads, also of damaged ones
const readBy = (read) => { try { return read(); } catch (error) { return error.message; } };
const asStored = { bsonRegExp: true, useBigInt64: true };
for (let i = 0; i < 3000; i++) {
  let bytes;
  try { bytes = toBytes({ a: anyValue(0), [random(20) ? 'key of more than thirty-two characters' : '$ref']: anyText(), $id: random(9) ? undefined : 1 }); } catch { continue; }
  assert.deepStrictEqual(readBy(() => fromBytes(bytes)), readBy(() => deserialize(bytes, asStored)));
  const damaged = Buffer.from(bytes.subarray(0, random(20) ? bytes.length : random(bytes.length)));
  if (damaged.length > 0) damaged[random(damaged.length)] = pick([0, 1, 2, 3, 4, 8, 16, 127, 255, random(256)]);
  if (damaged[4] !== 255) assert.deepStrictEqual(readBy(() => fromBytes(damaged)), readBy(() => deserialize(damaged, asStored)));
}
// __proto__ is a key as any other
assert.ok(Object.hasOwn(fromBytes(toBytes(JSON.parse('{"__proto__": {"a": 1}}'))), '__proto__'));

const circle = {};
circle.circle = [circle];
assert.throws(() => toBytes(circle));
assert.deepStrictEqual(toBytes({ get a() { return toBytes({ b: 'text' }).length; } }), toBytes({ a: 17 }));
assert.strictEqual(toBytes({ a: 'x'.repeat(1 << 22), b: 1 }).length, (1 << 22) + 20);

// text as JSON.stringify has it where JSON can hold the value, and only there
for (const value of [{ a: [1, 1.5, 'x', null, true, undefined], b: { c: -5 }, d: undefined }, [], {}, 'x', 5, null, { a: 5e-324 }, [[{ a: 'x' }], new URLSearchParams('a=1'), Object.create({ a: 1 })]])
  assert.strictEqual(stringify(value), JSON.stringify(value));
for (const [value, text] of [[{ a: -0 }, '{"a":-0.0}'], [[3e9, 1e21, NaN], '[3000000000.0,1e+21,{"$numberDouble":"NaN"}]'], [{ a: { b: 5n } }, '{"a":{"b":{"$numberLong":"5"}}}'], [new Map([['a', 1]]), '{"a":1}'],
  [{ a: new Double(1) }, '{"a":1.0}'], [{ a: { toBSON: () => 7 } }, '{"a":7}'], [undefined, 'null'], [{ a: () => 5 }, '{}'], [[() => 5, undefined], '[null,null]'], [Object.assign(Object.create(null), { a: 1 }), '{"a":1}']])
  assert.strictEqual(stringify(value), text);

for (const [value, text] of [[{ a: [1, 'x', null] }, '{"a":[1,"x",null]}'], ['x', '"x"'], [null, 'null'], [{ $a: 5 }, '\\x0d000000102461000500000000'], [{ a: ['"$b'] }, '{"a":["\\"$b"]}'], [{ a: -0 }, '\\x10000000016100000000000000008000'], [{ a: 5n }, '\\x10000000126100050000000000000000']])
  assert.strictEqual(toText(value), text);
assert.throws(() => toText(() => 5), /a function is no value of BSON/);

// one type for a price
const text = '{"json": 12.5, "whole": 15.0, "int": 15, "long": {"$numberLong": "15"}, "sql": {"$numberDecimal": "12.50"}, "large": 9007199254740993, "nan": {"$numberDouble": "NaN"}, "list": [1.0]}';
const bytes = toBytes({ json: 12.5, whole: new Double(15), int: 15, long: 15n, sql: Decimal128.fromString('12.50'), large: 9007199254740993n, nan: NaN, list: [new Double(1)] });
const large = 9007199254740993n, sql = Decimal128.fromString('12.50');
class Big { constructor(digits) { this.digits = digits; } }
const big = (digits) => new Big(digits);
for (const [options, expected] of [
  [{}, { json: 12.5, whole: 15, int: 15, long: 15n, sql, large, nan: NaN, list: [1] }],
  [{ doubles: true }, { json: 12.5, whole: new Double(15), int: 15, long: 15n, sql, large, nan: NaN, list: [new Double(1)] }],
  [{ numbers: 'native' }, { json: 12.5, whole: 15, int: 15, long: 15, sql: 12.5, large, nan: NaN, list: [1] }],
  [{ numbers: big }, { json: big('12.5'), whole: big('15'), int: big('15'), long: big('15'), sql: big('12.50'), large: big('9007199254740993'), nan: big('NaN'), list: [big('1')] }],
]) {
  assert.deepStrictEqual(fromText(text, options), expected);
  assert.deepStrictEqual(fromBytes(bytes, options), expected);
  assert.deepStrictEqual(fromText('{"n": [1.5, {"a": 2}]}', options), fromBytes(toBytes({ n: [1.5, { a: 2 }] }), options));
  assert.deepStrictEqual(fromText('15', options), fromBytes(toBytes(15), options));
}
assert.throws(() => fromBytes(bytes, { numbers: 'other' }), /'stored', 'native' or a function/);
