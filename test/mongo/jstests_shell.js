// A stand-in for the mongo shell, for jstests: runs one test of MongoDB's server against a
// database that has the extension, and prints what came of its assertions as a line of JSON.
//
//     node jstests_shell.js CHECKOUT FILE
//
// The server is the one that PGHOST and the like name.  Each collection is a table of documents.
// What is not offered here (indexes, explain, collations, …) is the value "nothing", which can be
// called and asked for fields, and is what comes of that; an assertion on it does not apply.
// Neither does one that fails where nothing was met since the assertion before.
'use strict';
const fs = require('fs');
const path = require('path');
const vm = require('vm');
const childProcess = require('child_process');

const [checkout, file] = process.argv.slice(2);
const counts = {agree: 0, skipped: 0};
const differing = [];

// ---- nothing ----

let met = false;        // nothing was met since the last assertion

const nothing = new Proxy(function() {}, {
    get(target, name) {
        met = true;
        if (name === Symbol.iterator)
            return function* () {};
        if (name === Symbol.toPrimitive)
            return () => NaN;
        if (name === 'hasNext')
            return () => false;
        if (name === 'length' || name === 'then')
            return name === 'length' ? 0 : undefined;
        return nothing;
    },
    apply() { met = true; return nothing; },
    construct() { met = true; return nothing; },
    set() { return true; },
    has() { met = true; return false; },
    getPrototypeOf() { met = true; return null; }
});

function hasNothing(value, depth) {
    if (value === nothing || (typeof value === 'string' && value.includes(OWN_TEXT)))
        return true;
    if (value === null || typeof value !== 'object' || depth > 8)
        return false;
    return Object.values(value).some(v => hasNothing(v, (depth || 0) + 1));
}

// ---- values ----

class Wrapped {
    toString() { return spell(this, ''); }
    tojson() { return spell(this, ''); }
}
class Long extends Wrapped {
    constructor(n) { super(); this.n = n; }
    valueOf() { return Number(this.n); }
    toNumber() { return Number(this.n); }
    get exactValueString() { return String(this.n); }
    compare(other) { return this.n < other.n ? -1 : this.n > other.n ? 1 : 0; }
}
class Int extends Wrapped {
    constructor(n) { super(); this.n = n; }
    valueOf() { return this.n; }
    toNumber() { return this.n; }
}
class Decimal extends Wrapped {
    constructor(s) { super(); this.s = s; }
    // as the database spells it
    get text() { return sqlOne(`SELECT (${literal({d: this})} -> 'd')::text`).replace(/^.*":"?|[" }]/g, ''); }
}
class Oid extends Wrapped {
    constructor(s) { super(); this.str = s; }
    get isObjectId() { return true; }
    valueOf() { return this.str; }
    equals(other) { return this.str === other.str; }
    getTimestamp() { return new Date(parseInt(this.str.slice(0, 8), 16) * 1000); }
}
class Binary extends Wrapped {
    constructor(type, base64) { super(); this.type = type; this.b = base64; }
    subtype() { return this.type; }
    length() { return Buffer.from(this.b, 'base64').length; }
    hex() { return Buffer.from(this.b, 'base64').toString('hex'); }
    base64() { return this.b; }
}
class Stamp extends Wrapped {
    constructor(t, i) { super(); this.t = t; this.i = i; }
    getTime() { return this.t; }
    getInc() { return this.i; }
}
class Min extends Wrapped {}
class Max extends Wrapped {}
class CodeValue extends Wrapped { constructor(code, scope) { super(); this.code = code; this.scope = scope; } }
class Reference {
    constructor(ns, id, database) { this.$ref = ns; this.$id = id; if (database !== undefined) this.$db = database; }
    fetch() { return globalThis.db[this.$ref].findOne({_id: this.$id}); }
    getRef() { return this.$ref; }
    getId() { return this.$id; }
    getCollection() { return this.$ref; }
    getDb() { return this.$db; }
}
class Pointer extends Wrapped { constructor(ns, id) { super(); this.ns = ns; this.id = id; } }

let made = 0;
const process_part = [...Array(5)].map(() => Math.floor(Math.random() * 256).toString(16).padStart(2, '0')).join('');

function callable(constructor, make) {
    const f = function(...args) { return make(...args); };
    f.prototype = constructor.prototype;
    return f;
}
const canonical = s => /^(0|[1-9]\d{0,15})(\.\d{1,5})?$/.test(s) ? s : JSON.parse(sqlOne(`SELECT bson_to_extjson(${quoted(`{"d":{"$numberDecimal":${JSON.stringify(s)}}}`)}::bson, 'canonical')`)).d.$numberDecimal;
const typed = {
    NumberLong: callable(Long, (n = 0) => {
        if (n instanceof Long)
            return n;
        const value = typeof n === 'string' ? BigInt(n) : BigInt(Math.trunc(Number(n)));
        if (value >= 2n ** 63n || value < -(2n ** 63n))
            throw new Error('could not convert to a long');
        return new Long(value);
    }),
    NumberInt: callable(Int, (n = 0) => new Int(Number(n) | 0)),
    NumberDecimal: callable(Decimal, (s = '0') => new Decimal(s instanceof Decimal ? s.s : typeof s === 'number' && !Number.isInteger(s) ? s.toPrecision(15) : canonical(String(s instanceof Long || s instanceof Int ? s.n : s)))),
    ObjectId: callable(Oid, s => {
        if (s instanceof Oid)
            return s;
        if (s === undefined)
            s = Math.floor(Date.now() / 1000).toString(16).padStart(8, '0') + process_part + (++made).toString(16).padStart(6, '0');
        if (!/^[0-9a-fA-F]{24}$/.test(s))
            throw new Error('invalid object id: ' + s);
        return new Oid(s.toLowerCase());
    }),
    BinData: callable(Binary, (type, base64) => new Binary(type, base64)),
    HexData: (type, hex) => new Binary(type, Buffer.from(hex, 'hex').toString('base64')),
    UUID: hex => new Binary(4, Buffer.from((hex || require('crypto').randomUUID()).replace(/-/g, ''), 'hex').toString('base64')),
    MD5: hex => new Binary(5, Buffer.from(hex, 'hex').toString('base64')),
    Timestamp: callable(Stamp, (t = 0, i = 0) => new Stamp(Math.trunc(t), Math.trunc(i))),
    MinKey: callable(Min, () => new Min()),
    MaxKey: callable(Max, () => new Max()),
    Code: callable(CodeValue, (code, scope) => new CodeValue(String(code), scope)),
    DBRef: callable(Reference, (ns, id, database) => new Reference(ns, id, database)),
    DBPointer: callable(Pointer, (ns, id) => new Pointer(ns, id)),
    ISODate: function(s) {
        if (s === undefined)
            return new Date();
        const m = /^(\d{4})-?(\d\d)-?(\d\d)(?:[T ](\d\d)(?::?(\d\d)(?::?(\d\d)(?:\.(\d+))?)?)?(Z|[+-]\d\d:?\d\d)?)?$/.exec(s);
        if (!m)
            throw new Error('invalid ISO date: ' + s);
        const ms = Math.round(Number('0.' + (m[7] || '0')) * 1000);
        const date = new Date(Date.UTC(2000, m[2] - 1, m[3], m[4] || 0, m[5] || 0, m[6] || 0, ms));
        date.setUTCFullYear(Number(m[1]) + date.getUTCFullYear() - 2000, date.getUTCMonth(), date.getUTCDate());
        if (m[2] === '02' && m[3] === '29')
            date.setTime(Date.UTC(1972, 1, 29, m[4] || 0, m[5] || 0, m[6] || 0, ms) + (Date.UTC(m[1] < 100 ? 2000 + Number(m[1]) : m[1], 1, 29) - Date.UTC(1972, 1, 29)) - (m[1] < 100 ? Date.UTC(2000, 0, 1) - new Date('0000-01-01T00:00:00Z').getTime() : 0));
        const zone = m[8] && m[8] !== 'Z' ? (m[8][0] === '-' ? -1 : 1) * (Number(m[8].slice(1, 3)) * 60 + Number(m[8].slice(-2))) : 0;
        return new Date(date.getTime() - zone * 60000);
    }
};
globalThis.NumberLong = typed.NumberLong;
typed.NumberDecimal.prototype = Decimal.prototype;

// Extended JSON; the shell's numbers are doubles
function written(v) {
    if (v === undefined)
        return '{"$undefined":true}';
    if (v === null)
        return 'null';
    switch (typeof v) {
        case 'boolean': return String(v);
        case 'string': return JSON.stringify(v);
        case 'number':
            if (!Number.isFinite(v))
                return `{"$numberDouble":"${Number.isNaN(v) ? 'NaN' : v > 0 ? 'Infinity' : '-Infinity'}"}`;
            return Object.is(v, -0) ? '-0.0' : /[.e]/.test(String(v)) ? String(v) : v + '.0';
        case 'function': return v === typed.MinKey ? '{"$minKey":1}' : v === typed.MaxKey ? '{"$maxKey":1}' : `{"$code":${JSON.stringify(String(v))}}`;
    }
    if (v === nothing || v instanceof Cursor)
        throw new NotOffered('a value of nothing');
    if (v instanceof Long) return `{"$numberLong":"${v.n}"}`;
    if (v instanceof Int) return `{"$numberInt":"${v.n}"}`;
    if (v instanceof Decimal) return `{"$numberDecimal":${JSON.stringify(v.s)}}`;
    if (v instanceof Oid) return `{"$oid":"${v.str}"}`;
    if (v instanceof Binary) return `{"$binary":{"base64":"${v.b}","subType":"${(v.type & 255).toString(16).padStart(2, '0')}"}}`;
    if (v instanceof Stamp) return `{"$timestamp":{"t":${v.t},"i":${v.i}}}`;
    if (v instanceof Min) return '{"$minKey":1}';
    if (v instanceof Max) return '{"$maxKey":1}';
    if (v instanceof CodeValue) return v.scope === undefined ? `{"$code":${JSON.stringify(v.code)}}` : `{"$code":${JSON.stringify(v.code)},"$scope":${written(v.scope)}}`;
    if (v instanceof Pointer) return `{"$dbPointer":{"$ref":${JSON.stringify(v.ns)},"$id":${written(v.id)}}}`;
    if (v instanceof Date) return `{"$date":{"$numberLong":"${v.getTime()}"}}`;
    if (v instanceof RegExp) return `{"$regularExpression":{"pattern":${JSON.stringify(v.source === '(?:)' ? '' : v.source)},"options":"${v.flags.replace(/[gy]/g, '')}"}}`;
    if (Array.isArray(v)) return '[' + Array.from(v, written).join(',') + ']';
    if (v instanceof Number || v instanceof String || v instanceof Boolean) return written(v.valueOf());
    return '{' + Object.keys(v).map(k => JSON.stringify(k) + ':' + written(v[k])).join(',') + '}';
}

function read(v) {
    if (v === null || typeof v !== 'object')
        return v;
    if (Array.isArray(v))
        return v.map(read);
    const keys = Object.keys(v);
    if (keys.length === 1 || keys[0] === '$code') {
        const x = v[keys[0]];
        switch (keys[0]) {
            case '$numberInt': return Number(x);
            case '$numberDouble': return Number(x);
            case '$numberLong': return new Long(BigInt(x));
            case '$numberDecimal': return new Decimal(x);
            case '$oid': return new Oid(x);
            case '$date': return new Date(Number(x.$numberLong));
            case '$binary': return new Binary(parseInt(x.subType, 16), x.base64);
            case '$timestamp': return new Stamp(x.t, x.i);
            case '$undefined': return undefined;
            case '$minKey': return new Min();
            case '$maxKey': return new Max();
            case '$symbol': return x;
            case '$code': return new CodeValue(x, v.$scope === undefined ? undefined : read(v.$scope));
            case '$dbPointer': return new Pointer(x.$ref, read(x.$id));
            case '$regularExpression':
                return new RegExp(x.pattern, x.options.replace(/[^ims]/g, ''));
        }
    }
    if (keys[0] === '$ref' && keys[1] === '$id')
        return new Reference(v.$ref, read(v.$id), v.$db);
    const doc = {};
    for (const k of keys)
        Object.defineProperty(doc, k, {value: read(v[k]), writable: true, enumerable: true, configurable: true});
    return doc;
}

// as the shell's tojson has it, on one line
function spell(v, indent) {
    if (v === nothing) return 'nothing';
    if (v === undefined) return 'undefined';
    if (v === null) return 'null';
    if (typeof v === 'string') return JSON.stringify(v);
    if (typeof v === 'number' || typeof v === 'boolean' || typeof v === 'bigint') return Object.is(v, -0) ? '-0' : String(v);
    if (v === typed.MinKey || v === typed.MaxKey) return spell(v());
    if (typeof v === 'function') return String(v);
    if (v instanceof Long) return Number.isSafeInteger(Number(v.n)) && Math.abs(Number(v.n)) < 2 ** 31 ? `NumberLong(${v.n})` : `NumberLong("${v.n}")`;
    if (v instanceof Int) return `NumberInt(${v.n})`;
    if (v instanceof Decimal) return `NumberDecimal("${v.s}")`;
    if (v instanceof Oid) return `ObjectId("${v.str}")`;
    if (v instanceof Binary) return v.type === 4 ? `UUID("${v.hex()}")` : `BinData(${v.type},"${v.b}")`;
    if (v instanceof Stamp) return `Timestamp(${v.t}, ${v.i})`;
    if (v instanceof Min) return '{ "$minKey" : 1 }';
    if (v instanceof Max) return '{ "$maxKey" : 1 }';
    if (v instanceof CodeValue) return `{ "code" : ${JSON.stringify(v.code)}, "scope" : ${spell(v.scope)} }`;
    if (v instanceof Pointer) return `DBPointer(${JSON.stringify(v.ns)}, ${spell(v.id)})`;
    if (v instanceof Reference) return 'DBRef(' + Object.values(v).map(x => spell(x)).join(', ') + ')';
    if (v instanceof Date) return Number.isNaN(v.getTime()) ? 'ISODate()' : `ISODate("${v.toISOString().replace('.000Z', 'Z')}")`;
    if (v instanceof RegExp) return String(v);
    if (v instanceof Error) return `${v.name}: ${v.message}`;
    if (Array.isArray(v)) return v.length === 0 ? '[ ]' : '[ ' + Array.from(v, x => spell(x)).join(', ') + ' ]';
    if (v instanceof Number || v instanceof String || v instanceof Boolean) return spell(v.valueOf());
    if (v instanceof Cursor) return 'DBQuery';
    const keys = Object.keys(v).filter(k => typeof v[k] !== 'function' || v[k] === typed.MinKey || v[k] === typed.MaxKey);
    return keys.length === 0 ? '{ }' : '{ ' + keys.map(k => JSON.stringify(k) + ' : ' + spell(v[k])).join(', ') + ' }';
}

// ---- the database ----

class NotOffered extends Error {}
const work = fs.mkdtempSync('/tmp/bson-jstests.');
process.on('exit', () => fs.rmSync(work, {recursive: true, force: true}));
childProcess.execFileSync('mkfifo', [work + '/in', work + '/out']);
childProcess.spawn('sh', ['-c', `exec psql -XqAt -v VERBOSITY=verbose <${work}/in >${work}/out 2>&1`], {stdio: 'ignore'}).unref();
const toServer = fs.openSync(work + '/in', 'w');
const fromServer = fs.openSync(work + '/out', 'r');
const chunk = Buffer.alloc(1 << 16);
let statements = 0;

// the message of an error has other words here: an assertion on it does not apply
const OWN_TEXT = 'the text of an error of the database';

class Refused extends Error {
    constructor(state, message) {
        super(OWN_TEXT);
        this.code = state === '23505' ? 11000 : anyCode;
        this.state = state;
        this.ok = 0;
        // its text is our own
        this.errmsg = nothing;
        this.said = message;
    }
    toString() { return OWN_TEXT; }
    tojson() { return OWN_TEXT; }
}
const anyCode = {valueOf() { return NaN; }, toString() { return 'any code'; }};

// The rows of a statement, each a text
function sql(statement) {
    const end = `end of ${++statements}`;
    fs.writeSync(toServer, `${statement};\nSELECT '${end}';\n`);
    let text = '';
    const parts = [];
    for (;;) {
        const n = fs.readSync(fromServer, chunk);
        if (n === 0)
            throw new Error('the database has gone away: ' + text.slice(-500));
        parts.push(Buffer.from(chunk.subarray(0, n)));
        if (Buffer.from(chunk.subarray(Math.max(0, n - 40), n)).toString().endsWith('\n')) {
            text = Buffer.concat(parts).toString();
            if (text.endsWith(end + '\n'))
                break;
        }
    }
    text = text.slice(0, -end.length - 1);
    const error = /^(?:psql:[^\n]*)?(?:ERROR|FATAL): +(\w{5}): ([^\n]*(?:\nDETAIL: [^\n]*)?)/m.exec(text);
    if (error && process.env.JSTESTS_VERBOSE)
        console.error(statement.slice(0, 1000) + '\n  ' + error[0]);
    // 42704: the index of words or geometry that it asks for is not made here
    if (error && ['0A000', '42704'].includes(error[1]))
        throw new NotOffered(error[2]);
    if (error && !/^(22|23|54|2201B|42P10)/.test(error[1]))
        throw new Error('of the database: ' + error[1] + ' ' + error[2]);
    if (error)
        throw new Refused(error[1], error[2]);
    return text.split('\n').slice(0, -1);
}
const sqlOne = statement => sql(statement)[0];
const quoted = text => "'" + text.replace(/'/g, "''") + "'";
const literal = value => quoted(written(value)) + '::bson';
const literalOf = (name, value) => value === undefined ? 'NULL' : `(${literal({[name]: value})} -> '${name}')`;

// not offered: the result is nothing, not an exception
function offered(f) {
    try {
        return f();
    } catch (e) {
        if (!(e instanceof NotOffered))
            throw e;
        met = true;
        return nothing;
    }
}

// ORDER BY; $natural is the order of insertion
function orderOf(sort) {
    if (!sort || Object.keys(sort).length === 0)
        return 'n';
    if (Object.keys(sort).join() === '$natural')
        return Number(sort.$natural) < 0 ? 'n DESC' : 'n';
    return `bson_sort_key(data, ${literal(sort)}), n`;
}

const tables = new Map();

function tableOf(name) {
    if (!tables.has(name)) {
        const table = 'c' + tables.size;
        sql(`CREATE TEMP TABLE ${table} (n bigint GENERATED ALWAYS AS IDENTITY, data bson); CREATE UNIQUE INDEX ON ${table} ((data -> '_id'));
            CREATE TEMP VIEW ${table}_in_order AS SELECT data FROM ${table} ORDER BY n`);
        tables.set(name, table);
    }
    return tables.get(name);
}

function checkId(id) {
    if (Array.isArray(id) || id instanceof RegExp || id === undefined)
        throw new Refused('22023', 'an _id cannot be an array, a regular expression or undefined');
}

function mentions(value, names) {
    if (Array.isArray(value))
        return value.some(v => mentions(v, names));
    if (value !== null && typeof value === 'object' && !(value instanceof Wrapped))
        return Object.keys(value).some(k => names.includes(k) || mentions(value[k], names));
    return false;
}

const isDocument = v => v !== null && typeof v === 'object' && !Array.isArray(v) && !(v instanceof Wrapped) && !(v instanceof Date) && !(v instanceof RegExp);

// A pipeline, with what "place" makes of the names of collections in it, and without stages that only bar the optimizer
const NAMING = {$lookup: 'from', $graphLookup: 'from', $unionWith: 'coll'};
const renamed = (pipeline, place) => Array.isArray(pipeline) ? pipeline.filter(stage => !(isDocument(stage) && '$_internalInhibitOptimization' in stage)).map(stage => stageRenamed(stage, place)) : pipeline;

function stageRenamed(stage, place) {
    if (!isDocument(stage) || Object.keys(stage).length !== 1)
        return stage;
    const [[name, operand]] = Object.entries(stage);
    const each = f => ({[name]: Object.fromEntries(Object.entries(operand).map(([k, v]) => [k, f(k, v)]))});
    if (name === '$unionWith' && typeof operand === 'string')
        return {$unionWith: place(operand)};
    // a table itself, not the view of it
    if (name === '$merge') {
        const into = x => typeof x === 'string' ? place(x).replace(/_in_order$/, '') : isDocument(x) && typeof x.coll === 'string' ? tableOf((x.db || 'test') + '.' + x.coll) : x;
        return {$merge: isDocument(operand) && 'into' in operand ? {...operand, into: into(operand.into)} : into(operand)};
    }
    if (!isDocument(operand))
        return stage;
    if (name === '$facet')
        return each((k, v) => renamed(v, place));
    return name in NAMING ? each((k, v) => k === NAMING[name] && typeof v === 'string' ? place(v) : k === 'pipeline' ? renamed(v, place) : v) : stage;
}

function aggregated(coll, pipeline) {
    const place = name => tableOf(coll.db.name + '.' + name) + '_in_order';
    const last = Array.isArray(pipeline) && pipeline.length > 0 ? pipeline[pipeline.length - 1] : undefined;
    // $out makes a table, from which the collection's gets its documents
    if (isDocument(last) && '$out' in last) {
        const {db, coll: to} = isDocument(last.$out) ? last.$out : {db: coll.db.name, coll: last.$out};
        const table = tableOf(db + '.' + to);
        const stages = [...renamed(pipeline.slice(0, -1), place), typeof to === 'string' ? {$out: 'pg_temp.out'} : last];
        sql(`DROP TABLE IF EXISTS pg_temp.out; BEGIN; SELECT bson_pipeline_sql('${coll.table()}_in_order', ${literalOf('p', stages)}) \\gexec
            DELETE FROM ${table}; INSERT INTO ${table} (data) SELECT data FROM pg_temp.out; COMMIT;`);
        return [];
    }
    if (isDocument(last) && '$merge' in last) {
        sql(`SELECT bson_pipeline_sql('${coll.table()}_in_order', ${literalOf('p', renamed(pipeline, place))}) \\gexec\n`);
        return [];
    }
    // the field is that of an index of the table
    const near = Array.isArray(pipeline) && isDocument(pipeline[0]) && '$geoNear' in pipeline[0];
    const rows = sql(`SELECT bson_to_extjson(d, 'canonical') FROM bson_aggregate('${coll.table()}${near ? '' : '_in_order'}', ${literalOf('p', renamed(pipeline, place))}) AS d`);
    return rows.map(row => read(JSON.parse(row)));
}

class Cursor {
    constructor(run) {
        this.run = run;
        this.i = 0;
        this.options = {};
        this.found = this.counts = undefined;
        return new Proxy(this, {
            get: (t, name, receiver) => typeof name === 'string' && /^\d+$/.test(name) ? t.rows()[name]
                : name in t ? Reflect.get(t, name, t) : (met = true, nothing)
        });
    }
    rows() {
        if (this.found === undefined)
            this.found = this.run(this.options);
        return this.found;
    }
    set(name, value) { this.options[name] = value; return this; }
    sort(s) { return this.set('sort', s); }
    limit(n) { return this.set('limit', n); }
    skip(n) { return this.set('skip', n); }
    projection(p) { return this.set('projection', p); }
    hint() { this.found = nothing; return this; }
    batchSize() { return this; }
    comment() { return this; }
    maxTimeMS() { return this; }
    noCursorTimeout() { return this; }
    allowDiskUse() { return this; }
    readConcern() { return this; }
    readPref() { return this; }
    addOption() { return this; }
    pretty() { return this; }
    close() {}
    toArray() { return this.rows() === nothing ? nothing : this.rows().slice(this.i); }
    hasNext() { return this.rows() === nothing ? (met = true, false) : this.i < this.rows().length; }
    next() {
        if (this.rows() === nothing)
            return nothing;
        if (!this.hasNext())
            throw new Error('error hasNext: false');
        return this.rows()[this.i++];
    }
    itcount() { const rest = this.toArray(); this.i = this.rows().length; return rest.length; }
    count(applying) { return applying || !this.counts ? this.rows().length : this.counts(); }
    length() { return this.rows().length; }
    size() { return this.rows().length; }
    map(f) { return this.toArray().map(x => f(x)); }
    forEach(f) { this.toArray().forEach(x => f(x)); }
    [Symbol.iterator]() { return this.toArray()[Symbol.iterator](); }
}

class WriteResult {
    constructor(fields) { Object.assign(this, {nInserted: 0, nMatched: 0, nModified: 0, nUpserted: 0, nRemoved: 0}, fields); }
    hasWriteError() { return this.error !== undefined; }
    hasWriteErrors() { return this.error !== undefined; }
    hasWriteConcernError() { return false; }
    hasErrors() { return this.error !== undefined; }
    getWriteError() { return this.error; }
    getWriteErrors() { return this.error ? [this.error] : []; }
    getWriteErrorCount() { return this.error ? 1 : 0; }
    getWriteErrorAt() { return this.error; }
    getUpsertedId() { return {_id: this.id}; }
    getUpsertedIds() { return this.id === undefined ? [] : [{index: 0, _id: this.id}]; }
    getRawResponse() { return nothing; }
    toSingleResult() { return this; }
    tojson() { return spell(Object.assign({}, this)); }
}

// what the server refuses is in the result
function writeResult(f) {
    try {
        const done = offered(() => new WriteResult(f()));
        lastError = done.error;
        lastResult = done;
        return done;
    } catch (e) {
        if (!(e instanceof Refused))
            throw e;
        lastError = e;
        return new WriteResult({error: e});
    }
}
let lastError, lastResult;

const isGeometry = keys => isDocument(keys) && Object.values(keys).some(v => v === '2d' || v === '2dsphere');
const GEOMETRY = ['$geoWithin', '$within', '$geoIntersects', '$near', '$nearSphere'];

const isOperators = u => isDocument(u) && Object.keys(u).length > 0 && Object.keys(u)[0][0] === '$';

class Collection {
    constructor(db, name) { this.db = db; this.name = name; }
    table() {
        if (this.lacking)
            throw new NotOffered('a collection with such options');
        return tableOf(this.db.name + '.' + this.name);
    }
    getName() { return this.name; }
    getFullName() { return this.db.name + '.' + this.name; }
    getDB() { return this.db; }
    getMongo() { return this.db.getMongo(); }
    toString() { return this.getFullName(); }
    valueOf() { return this.getFullName(); }
    drop() { this.lacking = false; sql(`DELETE FROM ${this.table()}; ALTER TABLE ${this.table()} DROP CONSTRAINT IF EXISTS validator`); this.dropIndexes(); return true; }
    // a validator is a constraint, not for what is there
    validate_by(query) { sql(`ALTER TABLE ${this.table()} DROP CONSTRAINT IF EXISTS validator, ADD CONSTRAINT validator CHECK (data @~ ${literal(query)}) NOT VALID`); }
    exists() { return nothing; }
    validate() { return {valid: true, ok: 1}; }
    ensureIndex(keys, options) { return isGeometry(keys) ? this.createIndex(keys, options) : {ok: 1}; }
    createIndex(keys, options) {
        if (isGeometry(keys)) {
            try {
                sql(`SELECT s FROM regexp_split_to_table(bson_create_index_sql('${this.table()}', ${literal({key: keys, ...(isDocument(options) ? options : {})})}), E';\\n') AS s \\gexec\n`);
                return {ok: 1};
            } catch (e) {
                return e instanceof NotOffered ? nothing : {ok: 0, code: 16755, errmsg: nothing};
            }
        }
        // $merge needs the index that decides
        if (isDocument(options) && Object.keys(options).join() === 'unique' && options.unique && /[\\/]merge[\\/]|dbref\.js$/.test(file))
            sql(`CREATE UNIQUE INDEX ${this.table()}_${++made} ON ${this.table()} (${Object.keys(keys).map(k => `(data${k.split('.').map(name => ' -> ' + quoted(name)).join('')})`).join()})`);
        return options && typeof options === 'object' && (options.unique || options.collation || options.partialFilterExpression) ? nothing : {ok: 1};
    }
    createIndexes() { return {ok: 1}; }
    dropIndex() { return this.dropIndexes(); }
    dropIndexes() {
        sql(`SELECT format('DROP INDEX %s', indexrelid::regclass) FROM pg_index WHERE indrelid = '${this.table()}'::regclass AND indexrelid::regclass::text ~ '_([0-9]+|data)$|_2d' \\gexec\n`);
        return {ok: 1};
    }
    reIndex() { return {ok: 1}; }

    // of a collection that lacks a write nothing is known, until it is emptied
    write(f) {
        try {
            return f();
        } catch (e) {
            if (e instanceof NotOffered)
                this.lacking = true;
            throw e;
        }
    }
    put(document) { return this.write(() => this.put_one(document)); }
    change(query, update, options) { return this.write(() => this.change_all(query, update, options)); }
    put_one(document) {
        if (!isDocument(document))
            throw new Error('no document to insert');
        const whole = '_id' in document ? {_id: document._id, ...document} : {_id: typed.ObjectId(), ...document};
        checkId(whole._id);
        sql(`INSERT INTO ${this.table()} (data) VALUES (${literal(whole)})`);
        return whole._id;
    }
    insert(documents) {
        if (documents === null || typeof documents !== 'object')
            throw new Error('no object passed to insert');
        const list = Array.isArray(documents) ? documents : [documents];
        return writeResult(() => { list.forEach(d => this.put(d)); return {nInserted: list.length}; });
    }
    insertOne(document) { return offered(() => ({acknowledged: true, insertedId: this.put(document)})); }
    insertMany(documents) { return offered(() => ({acknowledged: true, insertedIds: documents.map(d => this.put(d))})); }
    save(document) {
        if ('_id' in document)
            return this.update({_id: document._id}, document, true);
        document._id = typed.ObjectId();
        return this.insert(document);
    }

    // the numbers of the documents that a query finds
    numbers(query, one, sort) {
        const order = orderOf(sort);
        // only statements know geometry
        if (mentions(query, GEOMETRY))
            return sql(`SELECT 'SELECT n FROM (' || bson_find_sql('${this.table()}', ${literal(query)}, '{"_id": 1}', ${sort ? literal(sort) : 'NULL'}, 0, ${one ? 1 : 0}) || ') AS f JOIN ${this.table()} AS t ON t.data -> ''_id'' = f.data -> ''_id''' \\gexec\n`);
        if (Number(sqlOne(`SELECT count(*) FROM ${this.table()}`)) === 0)
            sql(`SELECT '{}'::bson @~ ${literal(query)}`);
        return sql(`SELECT n FROM ${this.table()} WHERE data @~ ${literal(query)} ORDER BY ${order}${one ? ' LIMIT 1' : ''}`);
    }
    change_all(query, update, options) {
        if (options.collation || options.let || options.c || options.upsertSupplied || options.hint)
            throw new NotOffered('options of an update');
        if (options.multi && isDocument(update) && !isOperators(update) && Object.keys(update).length > 0)
            throw new Refused('22023', 'a document replaces one document');
        if (query === null || typeof query !== 'object' || query instanceof Oid)
            throw new Refused('22023', 'a query is a document');
        if (options.upsert && mentions(query, ['$expr']))
            throw new Refused('22023', '$expr is not for upserts');
        const u = literalOf('u', update);
        const filters = literalOf('f', options.arrayFilters);
        const found = this.numbers(query, !options.multi, options.sort);
        if (found.length === 0 && options.upsert) {
            const row = sqlOne(`INSERT INTO ${this.table()} (data) VALUES (bson_upsert(${literal(query)}, ${u}, ${filters})) RETURNING bson_to_extjson(data, 'canonical')`);
            const id = read(JSON.parse(row))._id;
            return {nUpserted: 1, id};
        }
        if (found.length === 0)
            this.check(u, filters);
        if (found.length === 0)
            return {};
        const modified = sql(`WITH c AS MATERIALIZED (SELECT n, data AS old, bson_update(data, ${u}, ${literal(query)}, ${filters}) AS new FROM ${this.table()} WHERE n IN (${found.join()}))
            UPDATE ${this.table()} AS t SET data = new FROM c WHERE t.n = c.n RETURNING (old::bytea <> new::bytea)::int`);
        return {nMatched: found.length, nModified: modified.filter(x => x === '1').length};
    }
    // an update that finds nothing is looked at, but for the elements that it needs
    check(u, filters) {
        try {
            sql(`SELECT bson_upsert('{}', ${u}, ${filters})`);
        } catch (e) {
            if (!(e instanceof Refused) || !/finds no array for|no array element for/.test(e.said))
                throw e;
        }
    }
    update(query, update, upsert, multi) {
        const options = typeof upsert === 'object' && upsert !== null ? upsert : {upsert, multi};
        if (typeof query !== 'object' || query instanceof Oid)
            query = {_id: query};
        if (update === undefined || update === null)
            throw new Error('need an object to update');
        return writeResult(() => this.change(query, update, options));
    }
    crud(query, update, options) {
        return offered(() => {
            const r = this.change(query, update, options);
            const result = {acknowledged: true, matchedCount: r.nMatched || 0, modifiedCount: r.nModified || 0};
            if (r.nUpserted)
                result.upsertedId = r.id;
            return result;
        });
    }
    updateOne(query, update, options) {
        if (isDocument(update) && !isOperators(update))
            throw new Error('the update has no operators');
        return this.crud(query, update, {...options, multi: false});
    }
    updateMany(query, update, options) {
        if (isDocument(update) && !isOperators(update))
            throw new Error('the update has no operators');
        return this.crud(query, update, {...options, multi: true});
    }
    replaceOne(query, update, options) {
        this.check_replacement(update);
        return this.crud(query, update, {...options, multi: false});
    }
    check_replacement(update) {
        if (isOperators(update) || Array.isArray(update))
            throw new Error('the replacement has operators');
    }
    take(query, one) {
        if (!one && isDocument(query) && Object.keys(query).length === 0)
            this.lacking = false;
        if (query === undefined)
            throw new Error('remove needs a query');
        if (query === null || typeof query !== 'object' || query instanceof Oid)
            query = {_id: query};
        const found = this.numbers(query, one);
        if (found.length > 0)
            sql(`DELETE FROM ${this.table()} WHERE n IN (${found.join()})`);
        return {nRemoved: found.length};
    }
    remove(query, one) { return writeResult(() => this.take(query, typeof one === 'object' ? one.justOne : one)); }
    deleteOne(query) { return offered(() => ({acknowledged: true, deletedCount: this.take(query, true).nRemoved})); }
    deleteMany(query) { return offered(() => ({acknowledged: true, deletedCount: this.take(query, false).nRemoved})); }

    find(query, projection) {
        if (typeof query === 'string')
            query = () => query;
        if (query instanceof Oid)
            query = {_id: query};
        if (typeof query === 'function')
            return new Cursor(() => offered(() => { throw new NotOffered('a query in JavaScript'); }));
        query = query || {};
        const search = (sort, projection, skip, limit) => {
            const order = orderOf(sort);
            const given = projection && Object.keys(projection).length > 0;
            if (mentions(query, GEOMETRY))
                return sql(`SELECT 'SELECT bson_to_extjson(data, ''canonical'') FROM (' || bson_find_sql('${this.table()}', ${literal(query)}, ${given ? literal(projection) : 'NULL'}, ${sort ? literal(sort) : 'NULL'}, ${skip || 0}, ${Math.abs(limit || 0)}) || ') AS f' \\gexec\n`)
                    .map(row => read(JSON.parse(row)));
            const shown = given ? `bson_project(data, ${literal(projection)}, ${literal(query)})` : 'data';
            if (Number(sqlOne(`SELECT count(*) FROM ${this.table()}`)) === 0)
                sql(`SELECT '{}'::bson @~ ${literal(query)} FROM (SELECT '{}'::bson AS data, 1 AS n) AS s ORDER BY ${order}`);
            if (given)
                sql(`SELECT bson_find_sql('${this.table()}', ${literal(query)}, ${literal(projection)})`);
            return sql(`SELECT bson_to_extjson(d, 'canonical') FROM (SELECT ${shown} AS d FROM ${this.table()} WHERE data @~ ${literal(query)} ORDER BY ${order} OFFSET ${skip || 0}${limit ? ' LIMIT ' + Math.abs(limit) : ''}) AS s`)
                .map(row => read(JSON.parse(row)));
        };
        const cursor = new Cursor(options => offered(() => search(options.sort, options.projection || projection, options.skip, options.limit)));
        cursor.counts = () => offered(() => this.numbers(query).length);
        return cursor;
    }
    findOne(query, projection) {
        const rows = this.find(query, projection).limit(1).rows();
        return rows === nothing ? nothing : rows.length > 0 ? rows[0] : null;
    }
    count(query, options) { return this.counted(query, options); }
    countDocuments(query, options) { return this.counted(query, options); }
    counted(query, options) {
        return offered(() => {
            if (options && (options.collation || options.hint))
                throw new NotOffered('options of count');
            if (typeof query === 'string' || typeof query === 'function')
                throw new NotOffered('a query in JavaScript');
            if (options && options.skip < 0)
                throw new Refused('22023', 'skip is negative');
            const n = Math.max(0, this.numbers(query || {}).length - ((options && options.skip) || 0));
            return options && options.limit ? Math.min(n, Math.abs(options.limit)) : n;
        });
    }
    estimatedDocumentCount() { return this.counted({}); }
    findAndModify(options) {
        return offered(() => {
            const allowed = ['query', 'update', 'new', 'upsert', 'remove', 'sort', 'fields', 'arrayFilters', 'hint', 'writeConcern'];
            if (Object.keys(options).some(k => !allowed.includes(k)))
                throw new NotOffered('options of findAndModify');
            const query = options.query === undefined ? {} : options.query;
            if (!isDocument(query) || (options.sort !== undefined && !isDocument(options.sort)) || (options.fields !== undefined && !isDocument(options.fields)))
                throw new Refused('22023', 'a query is a document');
            if (!options.remove === (options.update === undefined) || (options.remove && (options.upsert || options.new || options.arrayFilters)))
                throw new Refused('22023', 'either an update or remove');
            if (options.new && Object.keys(options.fields || {}).some(k => /\.\$$/.test(k)))
                throw new Refused('22023', 'positional fields are of the old document');
            if (options.upsert && mentions(query, ['$expr']))
                throw new Refused('22023', '$expr is not for upserts');
            const one = n => n === undefined ? null : read(JSON.parse(sqlOne(`SELECT bson_to_extjson(${
                options.fields && Object.keys(options.fields).length > 0 ? `bson_project(data, ${literal(options.fields)}, ${literal(query)})` : 'data'}, 'canonical') FROM ${this.table()} WHERE n = ${n}`)));
            const [n] = this.numbers(query, true, options.sort);
            if (options.remove) {
                const old = one(n);
                if (n !== undefined)
                    sql(`DELETE FROM ${this.table()} WHERE n = ${n}`);
                return old;
            }
            if (n === undefined) {
                if (!options.upsert) {
                    this.check(literalOf('u', options.update), literalOf('f', options.arrayFilters));
                    return null;
                }
                this.change(query, options.update, {upsert: true, arrayFilters: options.arrayFilters});
                return options.new ? one(sqlOne(`SELECT max(n) FROM ${this.table()}`)) : null;
            }
            const old = options.new ? null : one(n);
            sql(`UPDATE ${this.table()} SET data = bson_update(data, ${literalOf('u', options.update)}, ${literal(query)}, ${literalOf('f', options.arrayFilters)}) WHERE n = ${n}`);
            return options.new ? one(n) : old;
        });
    }
    findOneAndUpdate(query, update, options = {}) {
        return this.findAndModify({query: query === null ? {} : query, update, new: options.returnNewDocument === true || options.returnDocument === 'after', upsert: options.upsert === true,
            ...(options.sort && {sort: options.sort}), ...(options.projection && {fields: options.projection}), ...(options.arrayFilters && {arrayFilters: options.arrayFilters})});
    }
    findOneAndReplace(query, update, options) { this.check_replacement(update); return this.findOneAndUpdate(query, update, options); }
    findOneAndDelete(query, options = {}) { return this.findAndModify({query: query === null ? {} : query, remove: true, ...(options.sort && {sort: options.sort})}); }
    aggregate(pipeline, ...rest) {
        let options = rest[0];
        if (!Array.isArray(pipeline)) {
            pipeline = pipeline === undefined ? [] : [pipeline, ...rest];
            options = undefined;
        }
        const used = Object.keys(options || {}).filter(k => !['cursor', 'allowDiskUse', 'comment'].includes(k) && options[k] !== undefined);
        const found = offered(() => {
            if (used.length > 0)
                throw new NotOffered('options of aggregate');
            return aggregated(this, pipeline);
        });
        return new Cursor(() => found);
    }
    runCommand(command, extra) {
        return this.db.runCommand(typeof command === 'string' ? {[command]: this.name, ...extra} : command);
    }
    bulkWrite(writes) {
        const sum = {insertedCount: 0, matchedCount: 0, modifiedCount: 0, deletedCount: 0, upsertedCount: 0};
        return offered(() => {
            for (const [[kind, w]] of writes.map(Object.entries)) {
                if (kind === 'replaceOne')
                    this.check_replacement(w.replacement);
                const r = kind === 'insertOne' ? (this.put(w.document), {nInserted: 1})
                    : kind.startsWith('delete') ? this.take(w.filter, kind === 'deleteOne')
                    : this.change(w.filter, kind === 'replaceOne' ? w.replacement : w.update, {...w, multi: kind === 'updateMany'});
                sum.insertedCount += r.nInserted || 0;
                sum.matchedCount += r.nMatched || 0;
                sum.modifiedCount += r.nModified || 0;
                sum.deletedCount += r.nRemoved || 0;
                sum.upsertedCount += r.nUpserted || 0;
            }
            return sum;
        });
    }
    initializeOrderedBulkOp() { return new Bulk(this); }
    initializeUnorderedBulkOp() { return new Bulk(this); }
}

class Bulk {
    constructor(coll) { this.coll = coll; this.writes = []; }
    add(f) { this.writes.push(f); }
    insert(document) { this.add(() => { this.coll.put(document); return {nInserted: 1}; }); }
    find(query) {
        const options = {};
        const change = (update, multi) => this.add(() => this.coll.change(query, update, {...options, multi}));
        const found = {
            upsert: () => { options.upsert = true; return found; },
            arrayFilters: f => { options.arrayFilters = f; return found; },
            hint: () => found,
            update: u => change(u, true), updateOne: u => change(u, false), replaceOne: u => change(u, false),
            remove: () => this.add(() => this.coll.take(query, false)), removeOne: () => this.add(() => this.coll.take(query, true)),
            deleteOne: () => this.add(() => this.coll.take(query, true)), delete: () => this.add(() => this.coll.take(query, false))
        };
        return found;
    }
    execute() {
        return writeResult(() => {
            const sum = {};
            for (const write of this.writes) {
                const r = write();
                for (const k of Object.keys(r))
                    sum[k] = typeof r[k] === 'number' ? (sum[k] || 0) + r[k] : r[k];
            }
            return sum;
        });
    }
}

function commandOf(db, command) {
    const [name] = Object.keys(command);
    const known = {
        find: ['filter', 'projection', 'sort', 'skip', 'limit', 'batchSize', 'singleBatch', 'hint', 'comment'],
        count: ['query', 'skip', 'limit', 'hint'],
        aggregate: ['pipeline', 'cursor', 'allowDiskUse', 'comment'],
        insert: ['documents', 'ordered', 'writeConcern'],
        update: ['updates', 'ordered', 'writeConcern'],
        delete: ['deletes', 'ordered', 'writeConcern'],
        findAndModify: ['query', 'update', 'new', 'upsert', 'remove', 'sort', 'fields', 'arrayFilters', 'writeConcern'],
        create: ['validator', 'validationLevel', 'validationAction', 'writeConcern'], collMod: ['validator', 'validationLevel', 'validationAction'], drop: ['writeConcern'], ping: []
    };
    if (!(name in known) || Object.keys(command).slice(1).some(k => !known[name].includes(k) && !k.startsWith('$')) || (name !== 'ping' && typeof command[name] !== 'string'))
        throw new NotOffered('command ' + name);
    const coll = db.getCollection(String(command[name]));
    const batch = rows => ({ok: 1, cursor: {firstBatch: rows, id: typed.NumberLong(0), ns: coll.getFullName()}});
    const writes = (list, one) => {
        let n = 0;
        let nModified = 0;
        const writeErrors = [];
        const upserted = [];
        list.forEach((x, index) => {
            try {
                const r = one(x);
                n += (r.nMatched || 0) + (r.nUpserted || 0) + (r.nRemoved || 0) + (r.nInserted || 0);
                nModified += r.nModified || 0;
                if (r.nUpserted)
                    upserted.push({index, _id: r.id});
            } catch (e) {
                if (!(e instanceof Refused))
                    throw e;
                writeErrors.push({index, code: e.code, errmsg: nothing});
            }
        });
        return {ok: 1, n, ...(name === 'update' && {nModified}), ...(upserted.length && {upserted}), ...(writeErrors.length && {writeErrors})};
    };
    switch (name) {
        case 'ping': return {ok: 1};
        case 'create':
        case 'collMod':
            if (['moderate', 'off'].includes(command.validationLevel) || command.validationAction === 'warn')
                throw new NotOffered('another level of validation');
            if (command.validator !== undefined)
                coll.validate_by(command.validator);
            return {ok: 1};
        case 'drop': coll.drop(); return {ok: 1};
        case 'find': return batch(coll.find(command.filter, command.projection).sort(command.sort).skip(command.skip).limit(command.limit).rows());
        case 'count': return {ok: 1, n: coll.count(command.query, command)};
        case 'aggregate': return batch(aggregated(coll, command.pipeline));
        case 'insert': return writes(command.documents, d => { coll.put(d); return {nInserted: 1}; });
        case 'update': return writes(command.updates, s => coll.change(s.q, s.u, s));
        case 'delete': return writes(command.deletes, s => coll.take(s.q, s.limit === 1));
        case 'findAndModify': {
            const {findAndModify, writeConcern, ...options} = command;
            return {ok: 1, value: coll.findAndModify(options)};
        }
    }
}

const databases = new Map();
function databaseOf(name) {
    if (!databases.has(name)) {
        const own = {
            name,
            getName: () => name,
            getCollection: collection => collectionOf(own.proxy, collection),
            getSiblingDB: sibling => databaseOf(sibling),
            getMongo: () => mongo,
            runCommand: (command, extra) => {
                if (typeof command === 'string')
                    command = {[command]: 1, ...extra};
                try {
                    return offered(() => commandOf(own.proxy, command));
                } catch (e) {
                    if (!(e instanceof Refused))
                        throw e;
                    return {ok: 0, code: e.code, errmsg: nothing, codeName: nothing};
                }
            },
            adminCommand: () => nothing,
            createCollection: (collection, options) => {
                const done = own.proxy.runCommand({create: collection, ...options});
                own.proxy.getCollection(collection).lacking = done === nothing;
                return done;
            },
            dropDatabase: () => ({ok: 1}),
            getLastError: () => lastError ? nothing : null,
            getLastErrorObj: () => lastError ? {ok: 1, err: nothing, code: anyCode, n: 0} : {ok: 1, err: null, n: lastResult ? lastResult.nMatched + lastResult.nUpserted + lastResult.nRemoved : 0, updatedExisting: !!(lastResult && lastResult.nMatched)},
            toString: () => name
        };
        own.proxy = new Proxy(own, {
            get: (t, k) => k in t || typeof k === 'symbol' ? t[k] : /^(get|set|create|is|list|server|host|print|eval|current|kill|drop|run|fsync|logout|auth|change|update|enable|disable)[A-Z]|^(version|stats|eval|watch|aggregate|auth|logout|serverStatus|isMaster|hello)$/.test(k) ? nothing : collectionOf(own.proxy, k)
        });
        databases.set(name, own.proxy);
    }
    return databases.get(name);
}
const collections = new Map();
function collectionOf(db, name) {
    const full = db.name + '.' + name;
    if (!collections.has(full)) {
        const own = new Collection(db, name);
        collections.set(full, new Proxy(own, {
            get: (t, k) => k in t || typeof k === 'symbol' ? (typeof t[k] === 'function' ? t[k].bind(t) : t[k])
                : /^(initialize|map|get|is|hide|unhide|copy|total|data|storage|rename|convert|latency|show|find|ensure|drop|create|estimated)[A-Z]|^(explain|distinct|stats|watch|group|mapReduce)$/.test(k) ? nothing : collectionOf(db, name + '.' + k)
        }));
    }
    return collections.get(full);
}
const mongo = new Proxy({getDB: databaseOf, host: 'stand-in', useWriteCommands: () => true, writeMode: () => 'commands', readMode: () => 'commands', hasWriteCommands: () => true, forceReadMode() {}, forceWriteMode() {}},
                        {get: (t, k) => k in t ? t[k] : nothing});

// ---- assertions ----

function here() {
    const lines = new Error().stack.split('\n').filter(l => l.includes(file));
    const m = lines.length > 0 && /:(\d+):\d+\)?$/.exec(lines[0]);
    return m ? Number(m[1]) : 0;
}

function verdict(holds, what, args) {
    const skip = hasNothing(args) || (!holds && met);
    met = false;
    if (skip)
        counts.skipped++;
    else if (holds)
        counts.agree++;
    else
        differing.push({line: here(), what: String(what).slice(0, 2000)});
    return holds;
}

// Equal as assert.eq has it: as JavaScript has it, or spelled the same
function equal(a, b) {
    // eslint-disable-next-line eqeqeq
    if (a == b || a === anyCode || b === anyCode)
        return true;
    if (a === null || b === null || a === undefined || b === undefined)
        return false;
    const clean = s => s.replace(/NumberInt\((-?\d+)\)/g, '$1');
    return clean(spell(a)) === clean(spell(b));
}

// by value, whatever the order of the fields if "unordered"
function normal(v, unordered) {
    if (Array.isArray(v))
        return '[' + v.map(x => normal(x, unordered)).join(',') + ']';
    if (v instanceof Long || v instanceof Int)
        return String(v.n);
    if (v instanceof Decimal)
        return /^[+-]?\d+(\.0*)?$/.test(v.s) ? String(BigInt(v.s.replace(/\..*/, ''))) : /[nN]/.test(v.s) ? v.s : sqlOne(`SELECT (${literal({d: v})} -> 'd')::numeric`).replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');
    if (Object.is(v, -0))
        return '0';
    if (isDocument(v) && !(v instanceof Error)) {
        const keys = Object.keys(v);
        if (unordered)
            keys.sort();
        return '{' + keys.map(k => JSON.stringify(k) + ':' + normal(v[k], unordered)).join(',') + '}';
    }
    return spell(v);
}

// the order of values, by the database
function ordered(a, b) {
    const x = normal(a), y = normal(b);
    return x === y ? 0 : Number(sqlOne(`SELECT CASE WHEN a = b THEN 0 WHEN a < b THEN -1 ELSE 1 END FROM (SELECT ${literal({v: a})} AS a, ${literal({v: b})} AS b) AS s`));
}

function assert(value, message) {
    if (value === nothing)
        return verdict(false, '', [value]);
    verdict(!!value, 'assert', [value]);
    return value;
}
const texts = (...values) => values.map(v => { try { return spell(v); } catch (e) { return '?'; } }).join(' | ');
// JavaScript has no order of objects
const comparable = v => v !== null && typeof v === 'object' && typeof v.valueOf() === 'object' ? nothing : v;
const failedResult = r => r === nothing ? true : r instanceof Error || r.ok === 0 || (r.hasWriteError && r.hasWriteError()) || (r.writeErrors && r.writeErrors.length > 0) || r.error !== undefined;
const said = r => r === nothing ? '' : r.said || (r.error && r.error.said) || spell(r).slice(0, 300);
function thrown(f, args) {
    try {
        f(...(args || []));
    } catch (e) {
        if (e instanceof NotOffered) {
            met = true;
            return nothing;
        }
        if (e instanceof ReferenceError)
            throw e;
        return e;
    }
    return undefined;
}
Object.assign(assert, {
    eq: (a, b) => verdict(equal(a, b), 'eq ' + texts(a, b), [a, b]),
    neq: (a, b) => verdict(!equal(a, b), 'neq ' + texts(a, b), [a, b]),
    docEq: (a, b) => verdict(normal(a, true) === normal(b, true), 'docEq ' + texts(a, b), [a, b]),
    setEq: (a, b) => verdict(normal([...a].map(x => normal(x, true)).sort()) === normal([...b].map(x => normal(x, true)).sort()), 'setEq ' + texts([...a], [...b]), [[...a], [...b]]),
    sameMembers: (a, b) => verdict(normal(a.map(x => normal(x, true)).sort()) === normal(b.map(x => normal(x, true)).sort()), 'sameMembers ' + texts(a, b), [a, b]),
    lt: (a, b) => verdict(a < b, 'lt ' + texts(a, b), [comparable(a), comparable(b)]),
    lte: (a, b) => verdict(a <= b, 'lte ' + texts(a, b), [comparable(a), comparable(b)]),
    gt: (a, b) => verdict(a > b, 'gt ' + texts(a, b), [comparable(a), comparable(b)]),
    gte: (a, b) => verdict(a >= b, 'gte ' + texts(a, b), [comparable(a), comparable(b)]),
    between: (a, b, c) => verdict(a <= b && b <= c, 'between ' + texts(a, b, c), [a, b, c]),
    betweenIn: (a, b, c) => verdict(a <= b && b <= c, 'between ' + texts(a, b, c), [a, b, c]),
    betweenEx: (a, b, c) => verdict(a < b && b < c, 'between ' + texts(a, b, c), [a, b, c]),
    close: (a, b, m, places) => verdict(Math.abs(a - b) <= 0.5 * 10 ** -(typeof places === 'number' ? places : 4) * Math.max(1, Math.abs(a)) || a === b, 'close ' + texts(a, b), [a, b]),
    closeWithinMS: (a, b, m, ms = 1000) => verdict(Math.abs(a - b) <= ms, 'closeWithinMS ' + texts(a, b), [a, b]),
    isnull: a => verdict(a === null || a === undefined, 'isnull ' + texts(a), [a]),
    contains: (a, list) => verdict([...list].some(x => equal(x, a)), 'contains ' + texts(a, list), [a, list]),
    includes: (text, part) => verdict(String(text).includes(part), 'includes', [text, part]),
    containsPrefix: (part, list) => verdict([...list].some(x => String(x).startsWith(part)), 'containsPrefix', [list]),
    hasFields: (doc, names) => verdict(names.every(k => k in doc), 'hasFields ' + texts(doc, names), [doc]),
    hasOwnProperty: undefined,
    throws: (f, args) => {
        const e = thrown(f, args);
        verdict(e !== undefined, 'throws ' + String(f).slice(0, 500), [e]);
        return e === undefined ? nothing : e;
    },
    throwsWithCode: (f, code, args) => assert.throws(f, args),
    doesNotThrow: (f, args) => {
        let result;
        try {
            result = f(...(args || []));
        } catch (e) {
            if (e instanceof NotOffered || e instanceof ReferenceError) {
                met = true;
                result = nothing;
            } else {
                verdict(false, 'doesNotThrow ' + String(f).slice(0, 300) + ': ' + (e.said || e), []);
                return nothing;
            }
        }
        verdict(true, '', [result === nothing ? nothing : undefined]);
        return result;
    },
    commandWorked: r => { verdict(!failedResult(r), 'commandWorked: ' + said(r), [r === nothing ? nothing : undefined]); return r; },
    commandFailed: r => { verdict(failedResult(r), 'commandFailed', [r === nothing ? nothing : undefined]); return r; },
    commandFailedWithCode: r => { verdict(failedResult(r), 'commandFailedWithCode', [r === nothing ? nothing : undefined]); return r; },
    commandWorkedOrFailedWithCode: r => r,
    writeOK: r => assert.commandWorked(r),
    writeError: r => assert.commandFailed(r),
    writeErrorWithCode: r => assert.commandFailed(r),
    gleOK: r => r, gleError: r => r, gleSuccess: r => { counts.skipped++; return r; }, gleErrorCode: r => r, gleErrorRegex: r => r,
    commandWorkedIgnoringWriteErrors: r => { verdict(r === nothing || r.ok === 1, 'commandWorkedIgnoringWriteErrors', [r === nothing ? nothing : undefined]); return r; },
    soon: f => { const r = typeof f === 'function' ? f() : nothing; verdict(!!r, 'soon', [r]); return r; },
    retry: f => assert.soon(f), soonNoExcept: f => assert.soon(f),
    automsg: nothing, time: f => f(), noAPIParams: nothing, adjustTimeout: x => x
});
assert.eq.automsg = (a, b) => assert.eq(vm.runInThisContext(a), vm.runInThisContext(b));
assert.neq.automsg = (a, b) => assert.neq(vm.runInThisContext(a), vm.runInThisContext(b));
assert.throws.automsg = f => assert.throws(f);
assert.automsg = text => assert(vm.runInThisContext(text));

// ---- the shell's other names ----

const seed = {n: 1};
const stubs = {
    // of libraries that ask what kind of server there is
    FixtureHelpers: {isMongos: () => false, isSharded: () => false, numberOfShardsForCollection: () => 1, getNumberOfShards: () => 1, isReplSet: () => false, runCommandOnEachPrimary: () => nothing},
    FeatureFlagUtil: {isEnabled: () => true, isPresentAndEnabled: () => true},
    checkSBEEnabled: () => false,
    TestData: {},
    jsTest: Object.defineProperties(() => {}, {log: {value() {}}, name: {value: () => path.basename(file, '.js')}, options: {value: () => ({})}}),
    Random: {setRandomSeed() {}, srand() {}, rand: () => (seed.n = seed.n * 16807 % 2147483647) / 2147483647, randInt: n => Math.floor(stubs.Random.rand() * n)}
};
Object.assign(globalThis, typed, stubs, {
    assert, db: databaseOf('test'), doassert: message => { verdict(false, 'doassert ' + message, []); },
    load: name => {
        const library = path.join(checkout, name);
        if (/jstests\/aggregation\/(extras\/(utils|merge_helpers)|data\/articles)|jstests\/libs\/(dateutil|uuid_util|assert_schema_match)|json_schema/.test(name))
            vm.runInThisContext(script(library), {filename: library});
        return true;
    },
    print() {}, printjson() {}, printjsononeline() {}, jsTestLog() {}, sleep() {}, gc() {}, startParallelShell: () => nothing,
    tojson: v => spell(v), tojsononeline: v => spell(v), tojsonObject: v => spell(v),
    bsonWoCompare: ordered, bsonBinaryEqual: (a, b) => spell(a) === spell(b),
    bsonUnorderedFieldsCompare: (a, b) => normal(a, true) === normal(b, true) ? 0 : 1,
    friendlyEqual: equal, isString: x => typeof x === 'string', isNumber: x => typeof x === 'number', isObject: x => typeof x === 'object',
    ErrorCodes: new Proxy({}, {get: (t, k) => k}), Mongo: function() { return mongo; },
    numberDecimalsEqual: (a, b) => normal(a) === normal(b), numberDecimalsAlmostEqual: (a, b, places) => {
        const x = Number(a.s), y = Number(b.s);
        return x === y || Math.abs(x - y) <= Math.abs(x) * 1e-15;
    },
    hex_md5: text => require('crypto').createHash('md5').update(text).digest('hex'),
    DBCommandCursor: function(d, result) { return new Cursor(() => result === nothing ? nothing : result.cursor.firstBatch); },
    jsTestName: () => path.basename(file, '.js'), Safe: nothing, _rand: () => stubs.Random.rand(), isMongos: () => false
});
Object.assign(Object, {
    bsonsize: v => Number(sqlOne(`SELECT length(${literal(v)}::bytea)`)),
    extend: (to, from) => Object.assign(to, from), merge: (a, b) => ({...a, ...b}), keySet: o => Object.keys(o)
});
Object.assign(Array, {
    contains: (list, x) => list.some(y => equal(x, y)), sum: list => list.reduce((a, b) => a + b, 0), avg: list => Array.sum(list) / list.length,
    shuffle: list => list, tojson: list => spell(list), unique: list => list.filter((x, i) => !list.slice(0, i).some(y => equal(x, y))),
    stdDev: list => Math.sqrt(Array.avg(list.map(x => (x - Array.avg(list)) ** 2))), fetchRefs: nothing
});
// how a query is executed
for (const name of ['isCollscan', 'isIxscan', 'isIndexOnly', 'isIdhack', 'isIdhackOrExpress', 'getPlanStage', 'getPlanStages', 'planHasStage', 'getWinningPlan', 'getRejectedPlans',
    'getRejectedPlan', 'getOptimizer', 'aggPlanHasStage', 'getAggPlanStage', 'getAggPlanStages', 'assertStagesForExplainOfCommand', 'assertCoveredQueryAndCount', 'getChunkSkipsFromAllShards',
    'assertExplainCount', 'getExecutionStages', 'getWinningPlanFromExplain', 'getQueryPlanner', 'GetIndexHelpers', 'IndexCatalogHelpers', 'DiscoverTopology', 'assertDropCollection', 'isQueryPlan', 'DBQuery', '_isWindows'])
    globalThis[name] = nothing;
Date.timeFunc = nothing;
Object.defineProperty(Object.prototype, 'tojson', {value() { return spell(this); }, writable: true, enumerable: false, configurable: true});
for (const [f, constructor] of [[typed.NumberLong, Long], [typed.NumberInt, Int], [typed.NumberDecimal, Decimal], [typed.ObjectId, Oid], [typed.BinData, Binary], [typed.Timestamp, Stamp], [typed.DBRef, Reference], [typed.DBPointer, Pointer]])
    constructor.prototype.constructor = f;
Number.prototype.zeroPad = function(n) { return String(this).padStart(n, '0'); };
RegExp.escape = text => text.replace(/[-[\]{}()*+?.,\\^$|#\s]/g, '\\$&');
Array.sort = list => list.sort();
String.prototype.pad = function(n, right, c = ' ') { return right ? this.padEnd(n, c) : this.padStart(n, c); };

// The source of a script.  Modules of newer versions become scripts that share their names.
function script(name) {
    return fs.readFileSync(name, 'utf8')
        .replace(/^import\s+(?:[^;'"]*?\s+from\s+)?(["'][^"']+["'])\s*;/gm, (whole, from) => `load(${from});` + whole.replace(/[^\n]/g, ''))
        .replace(/^export\s+(?=(async\s+)?(function|const|let|var|class)\b)/gm, '');
}

let stopped;
try {
    vm.runInThisContext(script(file), {filename: file});
} catch (e) {
    const m = String(e && e.stack).split('\n').map(l => l.includes(file) && /:(\d+)(?::\d+)?\)?$/.exec(l)).find(x => x);
    const line = m ? Number(m[1]) : 0;
    const text = String((e && (e.said || (e.name && `${e.name}: ${e.message}`))) || e).split('\n')[0];
    stopped = {line, what: text};
    // what the stand-in lacks is no difference; all else is
    if (!met && !(e instanceof NotOffered || e instanceof ReferenceError || e instanceof SyntaxError) && !/is not a (function|constructor)/.test(text))
        differing.push({line, what: 'stopped: ' + text});
}
const source = fs.readFileSync(file, 'utf8').split('\n');
for (const d of differing)
    d.source = (source[d.line - 1] || '').trim();
fs.closeSync(toServer);
fs.writeSync(1, JSON.stringify({file: path.basename(file), ...counts, differing, stopped}) + '\n');
process.exit(0);
