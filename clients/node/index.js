// The bson type of PostgreSQL: values of the package bson as parameters and results.
import { serialize, deserialize, EJSON } from 'bson';

// The one extension may be in any schema
const typeQuery = `
  SELECT t.oid
    FROM pg_catalog.pg_extension e
    JOIN pg_catalog.pg_depend d ON d.refclassid = 'pg_catalog.pg_extension'::regclass AND d.refobjid = e.oid
         AND d.classid = 'pg_catalog.pg_type'::regclass AND d.deptype = 'e'
    JOIN pg_catalog.pg_type t ON t.oid = d.objid
   WHERE e.extname = 'bson' AND t.typname = 'bson'`;

const only = (rows) => {
  if (rows.length === 0) throw new Error('the extension bson is not installed in this database: CREATE EXTENSION bson');
  return rows[0];
};

const isDocument = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)
  && !(value instanceof Date) && !(value instanceof RegExp) && !(value instanceof Uint8Array) && value._bsontype === undefined;

// The server keeps a value that is no document as the document {"": MinKey, "": value}
const envelope = Buffer.from([0xff, 0]);

export function toBytes(value) {
  if (isDocument(value)) return Buffer.from(serialize(value));
  const document = Buffer.from(serialize({ '': value }));
  const length = Buffer.alloc(4);
  length.writeInt32LE(document.length + envelope.length);
  return Buffer.concat([length, envelope, document.subarray(4)]);
}

const options = { useBigInt64: true, bsonRegExp: true };

export function fromBytes(bytes) {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer[4] !== 0xff || buffer[5] !== 0 || buffer[7] !== 0) return deserialize(buffer, options);
  const length = Buffer.alloc(4);
  length.writeInt32LE(buffer.length - envelope.length);
  return deserialize(Buffer.concat([length, buffer.subarray(6)]), options)[''];
}

// A text form of the type: the bytes in hexadecimal, which lose nothing
export const toText = (value) => '\\x' + toBytes(value).toString('hex');

// A string, or a number: whole numbers beyond 32 bits are to be bigints
const token = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const exact = (text) => (/^-?\d{10,}$/.test(text) && Number(text) !== (Number(text) | 0) ? `{"$numberLong":"${text}"}` : text);

// The text form of the type, which is Extended JSON or the bytes in hexadecimal
export function fromText(text) {
  if (text.startsWith('\\x')) return fromBytes(Buffer.from(text.slice(2), 'hex'));
  return EJSON.parse(text.replace(token, exact), { useBigInt64: true });
}

// pg: results, as text, as its binary mode reads all bytes as UTF-8; a parameter is toBytes(value)
export async function register(client) {
  const { oid } = only((await client.query(typeQuery)).rows);
  client.setTypeParser(oid, 'text', fromText);
}

// postgres.js: results, and parameters where the server knows that they are bson; the function returned says so
export async function registerPostgres(sql) {
  const { oid } = only(await sql.unsafe(typeQuery));
  sql.options.parsers[oid] = fromText;
  sql.options.serializers[oid] = toText;
  return (value) => sql.typed(value, oid);
}
