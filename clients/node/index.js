// The bson type of PostgreSQL: values of the package bson as parameters and results.
import { Binary, deserialize, EJSON, serialize } from 'bson';

// The one extension may be in any schema
const typeQuery = `
  SELECT t.oid, t.typarray
    FROM pg_catalog.pg_extension e
    JOIN pg_catalog.pg_depend d ON d.refclassid = 'pg_catalog.pg_extension'::regclass AND d.refobjid = e.oid
         AND d.classid = 'pg_catalog.pg_type'::regclass AND d.deptype = 'e'
    JOIN pg_catalog.pg_type t ON t.oid = d.objid
   WHERE e.extname = 'bson' AND t.typname = 'bson'`;

const only = (rows) => {
  if (rows.length === 0) throw new Error('the extension bson is not installed in this database: CREATE EXTENSION bson');
  return rows[0];
};

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)
  && !(value instanceof Date) && !(value instanceof RegExp) && !ArrayBuffer.isView(value);
const isDocument = (value) => isObject(value) && value._bsontype === undefined;

// The server keeps a value that is no document as the document {"": MinKey, "": value}
const envelope = Buffer.from([0xff, 0]);

export function toBytes(value) {
  if (isDocument(value)) return Buffer.from(serialize(value));
  const document = Buffer.from(serialize({ '': value }));
  const length = Buffer.alloc(4);
  length.writeInt32LE(document.length + envelope.length);
  return Buffer.concat([length, envelope, document.subarray(4)]);
}

// With the option doubles a double that is a whole number is a Double, so that it is written as one again
const reading = { bsonRegExp: true, useBigInt64: true };
const unpromoted = { bsonRegExp: true, promoteValues: false };

function promote(value) {
  if (Array.isArray(value)) return value.map(promote);
  if (isDocument(value)) {
    for (const key of Object.keys(value)) value[key] = promote(value[key]);
    return value;
  }
  switch (value?._bsontype) {
    case 'Int32': return value.value;
    case 'Long': return value.toBigInt();
    case 'Double': return Number.isInteger(value.value) ? value : value.value;
    case 'BSONSymbol': return value.value;
    default: return value;
  }
}

export function fromBytes(bytes, { doubles = false } = {}) {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const read = (document) => (doubles ? promote(deserialize(document, unpromoted)) : deserialize(document, reading));
  if (buffer[4] !== 0xff || buffer[5] !== 0 || buffer[7] !== 0) return read(buffer);
  const length = Buffer.alloc(4);
  length.writeInt32LE(buffer.length - envelope.length);
  return read(Buffer.concat([length, buffer.subarray(6)]))[''];
}

// A text form of the type: the bytes in hexadecimal, which lose nothing
export const toText = (value) => '\\x' + toBytes(value).toString('hex');

const int32 = (number) => number === (number | 0) && !Object.is(number, -0);
const long = (number) => (int32(Number(number)) ? `{"$numberLong":"${number}"}` : String(number));
function double(number) {
  if (!Number.isFinite(number)) return `{"$numberDouble":"${number}"}`;
  const text = Object.is(number, -0) ? '-0' : String(number);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

// Another text form: Extended JSON as the server prints it, and plain JSON for what JSON can hold
export function stringify(value) {
  if (typeof value === 'bigint') return long(value);
  if (typeof value === 'number') return int32(value) ? String(value) : double(value);
  if (typeof value?.toBSON === 'function') return stringify(value.toBSON());
  if (Array.isArray(value)) return `[${value.map(stringify)}]`;
  if (ArrayBuffer.isView(value)) return EJSON.stringify(new Binary(Buffer.from(value.buffer, value.byteOffset, value.byteLength)), { relaxed: false });
  if (isDocument(value)) {
    if (typeof value.toJSON === 'function') return stringify(value.toJSON());
    const entries = value instanceof Map ? [...value] : Object.entries(value);
    return `{${entries.filter(([, each]) => each !== undefined && typeof each !== 'function').map(([key, each]) => `${JSON.stringify(key)}:${stringify(each)}`)}}`;
  }
  switch (value?._bsontype) {
    case 'Int32': return String(value.value);
    case 'Long': return long(value.toString());
    case 'Double': return double(value.value);
  }
  return typeof value === 'object' && value !== null ? EJSON.stringify(value, { relaxed: false }) : JSON.stringify(value ?? null);
}

// A string, or a number: whole numbers beyond 32 bits are to be bigints, but for those of a timestamp
const token = /"\$timestamp":\s*\{[^}]*\}|"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const exact = (text) => (/^-?\d{10,}$/.test(text) && !int32(Number(text)) ? `{"$numberLong":"${text}"}` : text);
const exactDoubles = (text) => (/^-?\d.*[.eE]/.test(text) ? `{"$numberDouble":"${text}"}` : exact(text));

// The text form of the type, which is Extended JSON or the bytes in hexadecimal
export function fromText(text, options = {}) {
  if (text.startsWith('\\x')) return fromBytes(Buffer.from(text.slice(2), 'hex'), options);
  return options.doubles ? promote(EJSON.parse(text.replace(token, exactDoubles), { relaxed: false }))
    : EJSON.parse(text.replace(token, exact), { useBigInt64: true });
}

// Elements of an array; NULL is null in pg, and this string, which is no bson, in postgres.js
const deep = (value, parse) => (Array.isArray(value) ? value.map((each) => deep(each, parse)) : value === null || value === 'NULL' ? null : parse(value));

// pg: results, as text, as its binary mode reads all bytes as UTF-8; and parameters of which it would make JSON
export async function register(client, options) {
  // at once, as the first statement of a pool does not wait for this function
  const { query } = client;
  client.query = function (config, values, ...rest) {
    if (Array.isArray(config?.values)) {
      const prepared = config.values.map(prepare);
      if (typeof config.submit === 'function') config.values = prepared;
      else config = Object.assign(Object.create(Object.getPrototypeOf(config)), config, { values: prepared });
    }
    return query.call(this, config, Array.isArray(values) ? values.map(prepare) : values, ...rest);
  };

  const { oid, typarray } = only((await client.query(typeQuery)).rows);
  const parse = (text) => fromText(text, options);
  const texts = client.getTypeParser(1009, 'text');             // of text[]
  client.setTypeParser(oid, 'text', parse);
  client.setTypeParser(typarray, 'text', (text) => deep(texts(text), parse));
}

// A list is an array of PostgreSQL
const prepare = (value) => (Array.isArray(value) ? value.map(prepare)
  : isObject(value) && typeof value.toPostgres !== 'function' || value instanceof RegExp ? stringify(value) : value);

// postgres.js: results, and parameters where the server knows that they are bson; the function returned says so
export async function registerPostgres(sql, options) {
  const { oid, typarray } = only(await sql.unsafe(typeQuery));
  const parse = (text) => fromText(text, options);
  const texts = sql.options.parsers[typarray];                  // what it has found of the server's arrays
  sql.options.parsers[oid] = parse;
  sql.options.serializers[oid] = toText;
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
  return value === null || value === undefined ? 'NULL' : `"\\${toText(value instanceof Parameter ? value.value : value)}"`;
};
