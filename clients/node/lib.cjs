// The bson type of PostgreSQL: values of the package bson as parameters and results.  index.js and index.cjs give it the
// package in the form that the program itself loads, so that the classes are the same.
module.exports = ({ Binary, BSONRegExp, Decimal128, deserialize, EJSON, ObjectId, serialize }) => {

// The one extension may be in any schema
const typeQuery = `
  SELECT t.oid, t.typarray
    FROM pg_catalog.pg_extension e
    JOIN pg_catalog.pg_depend d ON d.refclassid = 'pg_catalog.pg_extension'::regclass AND d.refobjid = e.oid
         AND d.classid = 'pg_catalog.pg_type'::regclass AND d.deptype = 'e'
    JOIN pg_catalog.pg_type t ON t.oid = d.objid
   WHERE e.extname = 'bson' AND t.typname = 'bson'`;

const only = (rows) => {
  if (rows.length === 0) throw Object.assign(new Error('the extension bson is not installed in this database: CREATE EXTENSION bson'), { code: 'PG_BSON_MISSING' });
  return rows[0];
};

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)
  && !(value instanceof Date) && !(value instanceof RegExp) && !ArrayBuffer.isView(value);
const isDocument = (value) => isObject(value) && value._bsontype === undefined;
// The kind of a value of the package bson, which no JSON can claim to be
const version = Symbol.for('@@mdb.bson.version');
const kindOf = (value) => (value?.[version] === undefined ? undefined : value._bsontype);

// serialize and JSON.stringify would write {} without a word
const lost = /^\[object (?:(?:Weak)?(?:Set|Map)|Promise|(?:Shared)?ArrayBuffer|Number|Boolean|String|BigInt|Symbol|WeakRef|(?:Async)?Generator|.* Iterator)\]$/;
let kept = null;                                  // the last prototype that is none of these
function refuseLost(value, prototype) {
  if (prototype === Object.prototype || prototype === null || prototype === kept || value instanceof Map) return;
  const tag = Object.prototype.toString.call(value);
  if (lost.test(tag)) throw new TypeError(`${/ [AEIOU]/.test(tag) ? 'an' : 'a'} ${tag.slice(8, -1)} is no value of BSON`);
  kept = prototype;
}
// and U+FFFD for half of a surrogate pair
const isWellFormed = String.prototype.isWellFormed ?? function () { return !/\p{Surrogate}/u.test(this); };

// The server keeps a value that is no document as the document {"": MinKey, "": value}
const envelope = Buffer.from([0xff, 0]);
const kinds = { none: 0, document: 3 };

// The bytes that serialize makes, in half the time, but for what it would change without a word, which is an error: room for one
// document at a time, and how much of it is written.  Each function returns false for what is left to serialize as a whole.
let room = Buffer.allocUnsafeSlow(1 << 14), end = 0, busy = false;
const largestRoom = 1 << 20;

function reserve(size) {
  if (end + size <= room.length) return;
  const grown = Buffer.allocUnsafeSlow(2 * (end + size));
  room.copy(grown, 0, 0, end);
  room = grown;
}
// UTF-8 and a zero byte; most strings are short and of ASCII, for which a call costs more than the characters
function writeText(text, isKey) {
  const length = text.length;
  reserve(3 * length + 1);
  let i = 0;
  if (length <= 32)
    for (let code; i < length && (code = text.charCodeAt(i)) < 128; i++) {
      if (isKey && code === 0) return false;
      room[end + i] = code;
    }
  if (i < length && isKey && text.includes('\0')) return false;
  const size = i === length ? length : room.write(text, end);
  if (size !== length && !isWellFormed.call(text)) throw new TypeError('a string of BSON is UTF-8, which has no half of a surrogate pair');
  end += size;
  room[end++] = 0;
  return true;
}
// What is written for an object
const written = (value) => (typeof value.toBSON === 'function' ? value.toBSON()
  : typeof value.toJSON === 'function' && isDocument(value) ? value.toJSON() : value);
function writeElement(key, given, depth, isItem) {
  let value = typeof given === 'object' && given !== null ? written(given) : given;
  if (value === undefined || typeof value === 'function' || typeof value === 'symbol') {
    if (!isItem) return true;
    value = null;
  }
  reserve(32);
  const kind = end++;
  if (!writeText(key, true)) return false;
  reserve(32);
  switch (typeof value) {
    case 'string': {
      room[kind] = 2;
      const begin = end;
      end += 4;
      writeText(value, false);
      room.writeInt32LE(end - begin - 4, begin);
      return true;
    }
    case 'number':
      room[kind] = int32(value) ? 16 : 1;
      end = int32(value) ? room.writeInt32LE(value, end) : room.writeDoubleLE(value, end);
      return true;
    case 'boolean':
      room[kind] = 8;
      room[end++] = value ? 1 : 0;
      return true;
    case 'bigint':
      room[kind] = 18;
      end = room.writeBigInt64LE(asLong(value), end);
      return true;
  }
  if (value !== null) return writeObject(kind, value, depth);
  room[kind] = 10;
  return true;
}
function writeObject(kind, value, depth) {
  const prototype = Object.getPrototypeOf(value), isArray = Array.isArray(value), begin = end;
  if (value instanceof Date) {
    const time = asTime(value), high = Math.floor(time / 0x100000000);
    room[kind] = 9;
    end = room.writeInt32LE(high, room.writeUInt32LE(time - high * 0x100000000, end));
    return true;
  }
  if (prototype === ObjectId.prototype) {
    room[kind] = 7;
    room.set(value.id, end);
    end += 12;
    return true;
  }
  if (value instanceof RegExp || ArrayBuffer.isView(value) || value._bsontype !== undefined && value._bsontype !== null) return writeRare(kind, value);
  if (depth === 100) return false;                 // or is in a circle
  if (!isArray) refuseLost(value, prototype);
  room[kind] = isArray ? 4 : 3;
  end += 4;
  if (isArray) {
    for (let i = 0; i < value.length; i++) if (!writeElement(String(i), value[i], depth + 1, true)) return false;
  } else if (value instanceof Map) {
    for (const [key, each] of value) if (!writeElement(String(key), each, depth + 1, false)) return false;
  } else {
    for (const key of Object.keys(value)) {
      const each = value[key];
      if (each !== undefined && !writeElement(key, each, depth + 1, false)) return false;
    }
  }
  reserve(1);
  room[end++] = 0;
  room.writeInt32LE(end - begin, begin);
  return true;
}
function writeRare(kind, value) {
  const encoded = serialize({ '': value instanceof RegExp ? asPattern(value) : ArrayBuffer.isView(value) ? bytesOf(value) : asLong(value) });
  room[kind] = encoded[4];
  reserve(encoded.length);
  room.set(encoded.subarray(6, -1), end);
  end += encoded.length - 7;
  return true;
}
const bytesOf = (view) => Buffer.from(view.buffer, view.byteOffset, view.byteLength);
// serialize would write the lower 64 bits, the year 1970, and other options
function asLong(value) {
  const isLong = typeof value === 'bigint' ? BigInt.asIntN(64, value) === value : !(value._bsontype === 'Long' && value.unsigned && value.high < 0);
  if (!isLong) throw new RangeError(`${value} is beyond a long of BSON: use a Decimal128`);
  return value;
}
function asTime(date) {
  const time = date.getTime();
  if (Number.isNaN(time)) throw new RangeError('an invalid Date is no date of BSON');
  return time;
}
function asPattern({ source, flags }) {
  if (/[^imsu]/.test(flags)) throw new TypeError(`a regular expression of BSON has no such flag: /${source}/${flags}`);
  return new BSONRegExp(source, flags);
}
// as a field: what was encoded says what type it has, as some classes are documents, and others are not
function fieldOf(value) {
  const outer = busy && { room, end };             // a getter of the value may come here again
  if (busy) room = Buffer.allocUnsafeSlow(1 << 14);
  try {
    busy = true;
    end = 4;
    if (writeElement('', value, 0, false)) {
      reserve(1);
      room[end++] = 0;
      room.writeInt32LE(end, 0);
      return Buffer.from(room.subarray(0, end));
    }
  } finally {
    busy = Boolean(outer);
    if (outer) ({ room, end } = outer);
    else if (room.length > largestRoom) room = Buffer.allocUnsafeSlow(1 << 14);
  }
  return bytesOf(serialize({ '': value }));
}

function toBytes(value) {
  const field = fieldOf(value ?? null);
  if (field[4] === kinds.none) throw new TypeError(`a ${typeof value} is no value of BSON`);
  if (field[4] === kinds.document) return field.subarray(6, -1);
  const length = Buffer.alloc(4);
  length.writeInt32LE(field.length + envelope.length);
  return Buffer.concat([length, envelope, field.subarray(4)]);
}

// What numbers become: as they are stored; a number, where one can hold it; or what a function makes of their text
const reading = { bsonRegExp: true, useBigInt64: true };
const unpromoted = { bsonRegExp: true, promoteValues: false };
const isSafe = (long) => BigInt(Number(long)) === long && Number.isSafeInteger(Number(long));
const plainLong = (long) => (isSafe(long) ? Number(long) : long);
function numbersOf({ doubles, numbers }) {
  if (typeof numbers === 'function') return { Int32: (value) => numbers(String(value.value)), Long: (value) => numbers(value.toString()), Double: (value) => numbers(String(value.value)), Decimal128: (value) => numbers(value.toString()) };
  if (numbers === 'native') return { Int32: (value) => value.value, Long: (value) => plainLong(value.toBigInt()), Double: (value) => value.value, Decimal128: (value) => Number(value.toString()) };
  if (numbers !== undefined && numbers !== 'stored') throw new TypeError("numbers is 'stored', 'native' or a function of a text");
  return doubles ? { Int32: (value) => value.value, Long: (value) => value.toBigInt(), Double: (value) => (Number.isInteger(value.value) ? value : value.value), Decimal128: (value) => value } : null;
}

function promote(value, made) {
  if (Array.isArray(value)) return value.map((each) => promote(each, made));
  const kind = kindOf(value);
  if (kind === undefined && isObject(value)) {
    for (const key of Object.keys(value)) value[key] = promote(value[key], made);
    return value;
  }
  return kind === undefined ? value : kind === 'BSONSymbol' ? value.value : Object.hasOwn(made, kind) ? made[kind](value) : value;
}

// And the same values as deserialize makes, in half the time: what is read, and how far.  What is left to deserialize, damaged
// bytes, too, throws.
let source, numbers, from;
const unread = new Error('left to deserialize');
// Each key knows the last two that came after it, as most documents have the same fields in the same order
const none = { text: '\uffff' }, first = { text: '', next: none, other: none }, known = new Map();
let last = first;

function isHere({ text }) {
  let i = 0;
  while (i < text.length && text.charCodeAt(i) === source[from + i]) i++;
  return i === text.length && source[from + i] === 0;
}
function readKey() {
  const key = isHere(last.next) ? last.next : isHere(last.other) ? last.other : readNewKey();
  from += key.size + 1;
  return (last = key).text;
}
function readNewKey() {
  const end = source.indexOf(0, from), text = source.toString('utf8', from, end);
  if (end < 0 || text[0] === '$' || text === '__proto__') throw unread;         // DBRefs
  let key = known.get(text);
  if (key === undefined) {
    key = { text, size: end - from, next: none, other: none };
    if (text.length !== key.size) return key;      // whose characters are no bytes
    if (known.size === 1024) known.clear();
    known.set(text, key);
  }
  last.other = last.next;
  return last.next = key;
}
function readText(length) {
  const begin = from, end = begin + length - 1;
  if (length < 1 || source[end] !== 0) throw unread;
  from = end + 1;
  if (length <= 12) {
    let text = '', i = begin;
    for (let code; i < end && (code = source[i]) < 128; i++) text += String.fromCharCode(code);
    if (i === end) return text;
  }
  const text = source.toString('utf8', begin, end);
  if (text.includes('\ufffd')) throw unread;       // which refuses wrong UTF-8
  return text;
}
function readBytes(length) {
  from += length;
  return Buffer.from(source.subarray(from - length, from));
}
function readValue(kind) {
  switch (kind) {
    case 1: from += 8; return numbers.getFloat64(from - 8, true);
    case 2: from += 4; return readText(numbers.getInt32(from - 4, true));
    case 3: case 4: return readFields(kind === 4);
    case 7: return new ObjectId(readBytes(12));
    case 8:
      if (source[from] > 1) throw unread;
      return source[from++] === 1;
    case 9: from += 8; return new Date(numbers.getInt32(from - 4, true) * 0x100000000 + numbers.getUint32(from - 8, true));
    case 10: return null;
    case 16: from += 4; return numbers.getInt32(from - 4, true);
    case 18: from += 8; return numbers.getBigInt64(from - 8, true);
    case 19: return new Decimal128(readBytes(16));
  }
  throw unread;
}
function readFields(isArray) {
  const end = from + numbers.getInt32(from, true) - 1, made = isArray ? [] : {};
  for (from += 4; from < end;) {
    const kind = source[from++];
    if (isArray) {
      while (source[from++] !== 0) if (from > end) throw unread;
      made.push(readValue(kind));
    } else {
      made[readKey()] = readValue(kind);
    }
  }
  if (source[from++] !== 0 || from !== end + 1) throw unread;
  return made;
}
function readDocument(bytes) {
  try {
    source = bytes;
    numbers = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);        // several times as fast as Buffer's methods
    from = 0;
    last = first;
    const document = readFields(false);
    if (from === bytes.length) return document;
  } catch {
    // and then it says what is wrong, if anything is
  } finally {
    source = numbers = null;
  }
  return deserialize(bytes, reading);
}

function fromBytes(bytes, options = {}) {
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const made = numbersOf(options);
  const read = (document) => (made ? promote(deserialize(document, unpromoted), made) : readDocument(document));
  if (buffer[4] !== 0xff || buffer[5] !== 0 || buffer[7] !== 0) return read(buffer);
  const length = Buffer.alloc(4);
  length.writeInt32LE(buffer.length - envelope.length);
  return read(Buffer.concat([length, buffer.subarray(6)]))[''];
}

// A text form of the type that loses nothing: plain JSON, which is shorter and quicker, or the bytes in hexadecimal
const toText = (value) => (isPlain(value) ? JSON.stringify(value ?? null) : toDigits(value));
const toDigits = (value) => `\\x${toBytes(value).toString('hex')}`;

const int32 = (number) => number === (number | 0) && !Object.is(number, -0);
const long = (number) => (int32(Number(asLong(number))) ? `{"$numberLong":"${number}"}` : String(number));
function double(number) {
  if (!Number.isFinite(number)) return `{"$numberDouble":"${number}"}`;
  const text = Object.is(number, -0) ? '-0' : String(number);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

// Would JSON.stringify, which is several times as fast, write the same, and nothing that looks like Extended JSON?
function isPlain(value, depth = 0) {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null || value === undefined) return true;
  if (typeof value === 'number') return isPlainNumber(value);
  if (typeof value !== 'object' || depth === 100) return false;         // or is in a circle
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (typeof value[i] !== 'string' && !isPlain(value[i], depth + 1)) return false;
    return true;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype || value.toJSON !== undefined) return false;
  for (const key in value) {
    if (key.charCodeAt(0) === 36 || key === '_bsontype') return false;
    const each = value[key];
    if (typeof each === 'string') continue;
    if (typeof each === 'number') {
      if (!isPlainNumber(each)) return false;
    } else if (each !== null && each !== true && each !== false && !isPlain(each, depth + 1)) return false;
  }
  return true;
}
const isPlainNumber = (n) => (Math.floor(n) !== n ? n === n : n === (n | 0) && (n !== 0 || 1 / n > 0));

// Another text form: Extended JSON as the server prints it, and plain JSON for what JSON can hold
function stringify(value) {
  return isPlain(value) ? JSON.stringify(value ?? null) : extendedText(value);
}
function extendedText(value) {
  switch (typeof value) {
    case 'string': return quoted(value);
    case 'number': return int32(value) ? String(value) : double(value);
    case 'boolean': return String(value);
    case 'bigint': return long(value);
    case 'object': return value === null ? 'null' : objectText(value);
  }
  return 'null';
}

// JSON.stringify of a string takes longer than to see that nothing in it is to be escaped
const quoted = (text) => (/^[\w .:@/-]*$/.test(text) ? `"${text}"` : JSON.stringify(text));

function objectText(value) {
  if (typeof value.toBSON === 'function') return extendedText(value.toBSON());
  if (Array.isArray(value)) {
    let text = '';
    for (let i = 0; i < value.length; i++) text += (i === 0 ? '' : ',') + extendedText(value[i]);
    return `[${text}]`;
  }
  if (ArrayBuffer.isView(value)) return EJSON.stringify(new Binary(bytesOf(value)), { relaxed: false });
  if (value instanceof Date) return `{"$date":{"$numberLong":"${asTime(value)}"}}`;
  if (value instanceof RegExp) return EJSON.stringify(asPattern(value), { relaxed: false });
  if (isDocument(value)) {
    if (typeof value.toJSON === 'function') return extendedText(value.toJSON());
    refuseLost(value, Object.getPrototypeOf(value));
    let text = '';
    for (const [key, each] of value instanceof Map ? value : Object.entries(value))
      if (each !== undefined && typeof each !== 'function' && typeof each !== 'symbol') text += `${text === '' ? '' : ','}${quoted(key)}:${extendedText(each)}`;
    return `{${text}}`;
  }
  switch (kindOf(value)) {
    case 'ObjectId': case 'ObjectID': return `{"$oid":"${value.toHexString()}"}`;
    case 'Int32': return String(value.value);
    case 'Long': return long(value);
    case 'Double': return double(value.value);
  }
  return EJSON.stringify(value, { relaxed: false });
}

// The end of a string, or a number: whole numbers beyond 32 bits are to be bigints, but for those of a timestamp.  A string as a whole
// would be too long for a regular expression.
const token = /"(?:\$timestamp":\s*\{[^}]*\})?|\\.|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
function withNumbers(text, made) {
  let inString = false;
  return text.replace(token, (part) => {
    if (part === '"') inString = !inString;
    else if (!inString && part[0] !== '"') return made(part);
    return part;
  });
}
const exact = (text) => (text.length >= 10 && /^-?\d{10,}$/.test(text) && !int32(Number(text)) ? `{"$numberLong":"${text}"}` : text);
const exactDoubles = (text) => (/[.eE]/.test(text) ? `{"$numberDouble":"${text}"}` : exact(text));

// JSON's values, in place, with those of Extended JSON: objects whose first key begins with $
function revive(value, made) {
  if (typeof value === 'number' && made?.Double) return made.Double({ value });
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (changes(value[i], made)) value[i] = revive(value[i], made);
    return value;
  }
  let first = true;
  for (const key in value) {
    if (first && key.charCodeAt(0) === 36) return wrapper(value, key, made);
    first = false;
    const each = value[key];
    if (changes(each, made)) value[key] = revive(each, made);
  }
  return value;
}
const changes = (value, made) => (typeof value === 'object' ? value !== null : made !== undefined && typeof value === 'number');
function isAlone(value) {
  let count = 0;
  for (const _ in value) count++;                  // which makes no list of keys
  return count === 1;
}
function wrapper(value, key, made) {
  const text = value[key];
  if (typeof text === 'string' && isAlone(value)) {
    if (key === '$oid' && /^[0-9a-f]{24}$/i.test(text)) return new ObjectId(text);
    if (key === '$date') return new Date(text);
    if (key === '$numberLong' && /^-?\d{1,19}$/.test(text)) return made ? made.Long({ toBigInt: () => BigInt(text), toString: () => text }) : BigInt(text);
    if (key === '$numberDecimal') return made ? made.Decimal128(Decimal128.fromString(text)) : Decimal128.fromString(text);
  }
  return made ? promote(EJSON.parse(JSON.stringify(value), { relaxed: false }), made) : EJSON.parse(JSON.stringify(value), { useBigInt64: true });
}

// Ten digits in a row have one at a tenth place, so that most characters need not be looked at
function hasTenDigits(text) {
  const isDigit = (i) => { const code = text.charCodeAt(i); return code >= 48 && code <= 57; };
  for (let i = 9; i < text.length; i += 10) {
    if (!isDigit(i)) continue;
    let begin = i, end = i + 1;
    while (begin > 0 && isDigit(begin - 1)) begin--;
    while (isDigit(end)) end++;                   // beyond the text is NaN
    if (end - begin >= 10) return true;
  }
  return false;
}

// The text form of the type, which is Extended JSON or the bytes in hexadecimal
function fromText(text, options = {}) {
  if (text.startsWith('\\x')) return fromBytes(Buffer.from(text.slice(2), 'hex'), options);
  const extended = text.includes('$') && text.includes('"$');       // the first alone is quicker to find
  if (options.numbers === 'native') {
    const large = hasTenDigits(text) && /\d{16}/.test(text);
    return extended || large ? revive(JSON.parse(large ? withNumbers(text, exact) : text), numbersOf(options)) : JSON.parse(text);
  }
  // whole doubles are 15.0 and 1e+21
  if (options.numbers || options.doubles && /\d\.0(?!\d)|\d[eE]/.test(text))
    return promote(EJSON.parse(withNumbers(text, exactDoubles), { relaxed: false }), numbersOf(options) ?? numbersOf({ doubles: true }));
  // an integer beyond 32 bits has ten digits, and only behind one of these characters
  const large = hasTenDigits(text) && /(?:^|[-[,:\s])\d{10}/.test(text);
  return extended || large ? revive(JSON.parse(large ? withNumbers(text, exact) : text)) : JSON.parse(text);
}

// Elements of an array; NULL is null in pg, and this string, which is no bson, in postgres.js
const deep = (value, parse) => (Array.isArray(value) ? value.map((each) => deep(each, parse)) : value === null || value === 'NULL' ? null : parse(value));

// pg: results, as text, as its binary mode reads all bytes as UTF-8; and parameters of which it would make JSON
async function register(client, options) {
  // at once, as the first statement of a pool does not wait for this function
  const { query } = client;
  client.query = function (config, values, ...rest) {
    if (options?.warn !== false) warnOfCursor(config);
    if (Array.isArray(config?.values)) {
      const prepared = config.values.map(parameter);
      if (typeof config.submit === 'function') config.values = prepared;
      else config = Object.assign(Object.create(Object.getPrototypeOf(config)), config, { values: prepared });
    }
    return query.call(this, config, Array.isArray(values) ? values.map(parameter) : values, ...rest);
  };

  const { oid, typarray } = only((await client.query(typeQuery)).rows);
  const parse = (text) => fromText(text, options);
  const texts = client.getTypeParser(1009, 'text');             // of text[]
  client.setTypeParser(oid, 'text', parse);
  client.setTypeParser(typarray, 'text', (text) => deep(texts(text), parse));
}

// pg-cursor and pg-query-stream make JSON of their parameters, by JSON.stringify, before the client sees them
const withDocuments = (Cursor) => class extends Cursor {
  constructor(text, values, ...rest) {
    super(text, values?.map(parameter), ...rest);
    prepared.add(this.cursor ?? this);
  }
};
const prepared = new WeakSet(), madeJson = /^\{"(?:[^"\\]|\\.)*":|^"[0-9a-f]{24}"$/;
let warned = false;
function warnOfCursor(query) {
  const cursor = query?.cursor ?? query;
  if (warned || !Array.isArray(cursor?._queue) || prepared.has(cursor) || !cursor.values?.some((value) => typeof value === 'string' && madeJson.test(value))) return;
  warned = true;
  process.emitWarning('a parameter of a cursor is JSON text; if it was an object, its dates, ObjectIds and decimals are strings now: use withDocuments(Cursor)', { code: 'PG_BSON_CURSOR' });
}

// What becomes of a parameter; a list is an array of PostgreSQL
const parameter = (value) => (Array.isArray(value) ? value.map(parameter)
  : isObject(value) && typeof value.toPostgres !== 'function' || value instanceof RegExp ? stringify(value) : value);

// postgres.js: results, and parameters where the server knows that they are bson; the function returned says so
async function registerPostgres(sql, options) {
  const { oid, typarray } = only(await sql.unsafe(typeQuery));
  const parse = (text) => fromText(text, options);
  const texts = sql.options.parsers[typarray];                  // what it has found of the server's arrays
  sql.options.parsers[oid] = parse;
  sql.options.serializers[oid] = (value) => (typeof value?.toPostgres === 'function' ? value.toPostgres() : toText(value));
  if (texts) {
    sql.options.parsers[typarray] = Object.assign((text) => deep(texts(text), parse), { array: true });
    const Parameter = sql.typed(null, oid).constructor;
    sql.options.serializers[typarray] = arrayText(Parameter);
  }
  return Object.assign((value) => sql.typed(value, oid), { array: (values) => sql.typed(values, typarray) });
}

// An array of BSON in one is marked as a value, as in pg by toBytes
const arrayText = (Parameter) => function text(value) {
  if (Array.isArray(value)) return `{${value.map(text)}}`;
  return value === null || value === undefined ? 'NULL' : `"\\${toDigits(value instanceof Parameter ? value.value : value)}"`;
};

return { fromBytes, fromText, parameter, register, registerPostgres, stringify, toBytes, toText, withDocuments };
};
