#!/usr/bin/python3
"""
Growth: does any function, operator or plan take more than its share of time or
memory as an argument grows, and can each be stopped?

    run.py                      every function of the extension, every argument, every shape
    run.py --only bson_update   cases whose name has this in it
    run.py --stops 100          so many of the slowest are stopped, too
    run.py --parts 65536        with so many parts (8192)

A case is a function, one argument of it (or two that grow together) and a
shape (shapes.py).  It is run with N parts; if that takes any time worth
speaking of, with N/4 and N/2, too, each in a backend of its own.  What is
linear takes four times as long for N as for N/4, n log n a little more, and
what is quadratic sixteen times.  Time is the backend's processor time, so that
a busy machine does not matter; memory is the most that the backend had more
than before, and is judged where that is more than 16 MB.
The slowest are run again with an argument so large that they would take
seconds, and must end soon after statement_timeout.
Pipelines as long as they may be (pipelines.py) are run, and must be stopped, in short time.
Of some statements, where what is small meets what is large, jsonb takes only as
long as the small one asks for; with bson they may take half as long again.

Names the offending function.  The last line is "N passed, N failed".
Linux only: it reads /proc.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, '..', 'property'))

import db                               # noqa: E402
from pipelines import LONGEST, PIPELINES, REFUSED         # noqa: E402
from shapes import ABOUT, SHAPES, SMALL, has_shape, value_of        # noqa: E402

CHUNK = 50          # cases measured in one trip
SLOW = 25           # milliseconds from which a case is looked at more closely
QUARTER = 7         # of time or memory, that of N over that of N/4: more is too much
HALF = 2.6          # and that over that of N/2
MEMORY_SLACK = 16 * 1024    # kB
ATTEMPTS = 4        # what is too much is so this often, with more and more parts
TIMEOUT = 100       # milliseconds
LATEST = 1000       # after so many, in processor time, a statement that was to stop must have

# Which of the functions' bson arguments are queries and updates
MEANING = {'bson_match': {1: 'query'}, 'bson_update': {0: 'document', 1: 'update', 2: 'query', 3: 'filters'},
           'bson_apply': {0: 'document', 1: 'update', 2: 'query', 3: 'filters'}, 'bson_upsert': {0: 'query', 1: 'update', 2: 'filters'},
           'bson_eval': {0: 'document', 1: 'expression', 2: 'document'}, 'bson_patch': {1: 'delta'},
           'bson_project': {0: 'document', 1: 'projection', 2: 'query'}, 'bson_schema_errors': {0: 'document', 1: 'schema'},
           'bson_sort_key': {0: 'document', 1: 'sort'}, 'bson_transform': {0: 'document', 1: 'stages', 2: 'document'},
           'bson_redact': {0: 'document', 1: 'expression', 2: 'document'},
           'bson_unwind': {0: 'document', 1: 'unwind'}, 'bson_unwind_values': {0: 'document', 1: 'unwind'}, 'bson_put': {0: 'document'}, 'bson_let': {0: 'document', 1: 'let', 2: 'document'},
           'bson_lookup_query': {0: 'document'}, 'bson_lookup_values': {0: 'document'}, 'bson_lookup_each': {0: 'document'}, 'bson_lookup_alone': {0: 'document'},
           'bson_pipeline_sql': {1: 'pipeline'}, 'bson_aggregate': {1: 'pipeline'}, 'bson_find_sql': {1: 'query', 2: 'projection', 3: 'sort'}}

# Arguments whose sizes add up: pairs of shapes
ALIKE = [(x, x) for x in ('fields', 'fields backwards', 'integers', 'equal integers', 'one key n times', 'levels',
                          'levels of 0 in arrays', 'strings', 'documents', 'long keys that differ at the end')]
TOGETHER = {
    'bson_cmp': ALIKE, 'bson_eq': ALIKE, 'bson_contains': ALIKE + [('fields', 'fields backwards'), ('integers', 'equal integers')],
    'bson_concat': ALIKE + [('fields', 'fields backwards')],
    'bson_exists_all': [('fields', 'keys backwards'), ('one key n times', 'one key n times')],
    'bson_exists_any': [('fields', 'keys backwards')],
    'bson_delete': [('fields', 'keys'), ('fields', 'keys backwards'), ('strings', 'positions')],
    'bson_object': [('keys', 'keys'), ('one key n times', 'keys')],
    'bson_update': [('fields', 'stage $set of fields'), ('fields', 'stage $unset of fields'), ('a field of many', 'stage $set into each element'), ('a of documents', 'stage $set into each element'),
                    ('fields', '$set of fields'), ('fields', '$set of new fields'), ('fields', '$unset of fields'),
                    ('fields', '$inc of fields'), ('fields backwards', '$set of fields'), ('fields', '$rename of fields'),
                    ('a field of many', '$addToSet of n'), ('a field of many', '$pullAll of n'), ('a field of many', '$pull of n'),
                    ('a field of many', '$push of n'), ('levels', 'long path'), ('a field of many', '$[x]'), ('a field of many', '$[]'),
                    ('a field of many', 'positions'), ('a field of many', 'positions backwards'), ('a field of many', '$push sorted'),
                    ('a field of many', '$push in front'), ('a of documents', '$addToSet of documents'), ('a of strings', '$push sorted'),
                    ('a field of many', '$pull of a condition'), ('a of documents', '$pull of n'), ('fields', '$bit'), ('fields', '$min')],
    'bson_eval': ABOUT,
    'bson_merge': ALIKE + [('fields', 'fields backwards')],
    'bson_project': [('fields', 'fields'), ('fields', 'fields out'), ('fields backwards', 'fields'), ('a of document', 'dotted fields'),
                     ('a of document', 'nested fields'), ('a field of many', '$slice of a'), ('a field of many', '$slice from the end'),
                     ('a field of many', '$elemMatch of $in'), ('a field of many', 'a.$'), ('levels', 'levels'), ('levels', 'long path'),
                     ('fields', 'fields calculated'), ('a field of many', 'size of a in each element'), ('a of documents', 'size of a in each element')],
    'bson_schema_errors': [('fields', 'properties'), ('fields', 'required'), ('fields', 'dependencies'), ('fields', 'no more'),
                           ('a field of many', 'items'), ('a field of many', 'uniqueItems'), ('a of documents', 'uniqueItems'),
                           ('a of equal numbers', 'uniqueItems'), ('a field of many', 'every item'), ('a of strings', 'every item'),
                           ('levels', 'nested'), ('a field of many', 'enum'), ('fields', 'whole'), ('one string', 'pattern')],
    'bson_sort_key': [('a of %s' % x, y) for x in ('numbers', 'doubles', 'strings', 'documents', 'arrays', 'levels') for y in ('a', 'a backwards')]
    + [('a of documents', 'paths of a'), ('a of levels', 'path of zeroes'), ('fields', 'paths'), ('levels', 'long path')],
    'bson_diff': ALIKE + [('fields', 'fields backwards'), ('integers', 'equal integers'), ('integers', 'integers, two runs interleaved'),
                          ('equal integers', 'strings'), ('documents', 'integers'), ('fields', 'one key n times')],
    'bson_patch': [('fields', 'fields changed'), ('fields backwards', 'fields changed'), ('fields', 'fields added'),
                   ('fields', 'fields gone'), ('a field of many', 'elements changed')],
    'bson_transform': [('fields', '$set of fields'), ('fields', '$unset of fields'), ('fields', '$project of fields')],
    'bson_redact': [('fields', 'each level'), ('a of documents', 'each level'), ('levels', 'each level'), ('levels around a string', 'each level')],
    'bson_unwind': [('a field of many', 'path'), ('a of documents', 'path'), ('levels', 'long path')],
    'bson_unwind_values': [('a field of many', 'path'), ('a of documents', 'path')],
    'bson_match': [('a field of many', '$in'), ('a field of many', '$nin'), ('a field of many', '$all'),
                   ('levels of 0 in arrays', 'path of zeroes'), ('levels', 'long path')],
}

SETUP = r"""
CREATE EXTENSION IF NOT EXISTS bson;
DROP SCHEMA IF EXISTS growth CASCADE;
CREATE SCHEMA growth;
SET search_path = growth, public;
CREATE TYPE pair AS (k1 int, a bson);
CREATE TABLE documents (d bson);
INSERT INTO documents SELECT bson_build_object('a', i, 'k1', i % 10, 'p1', i) FROM generate_series(1, 200) i;
CREATE INDEX ON documents USING gin (d);
CREATE INDEX ON documents USING gin (d bson_path_ops);
CREATE INDEX ON documents USING gin (d bson_range_ops);
ANALYZE documents;

-- Linux adds up the time of a process that runs some 250 times a second, and whenever it pauses
CREATE FUNCTION spent() RETURNS bigint LANGUAGE sql VOLATILE AS
    $$ SELECT split_part(pg_read_file('/proc/self/schedstat'), ' ', 1)::bigint FROM pg_sleep(0.0001) $$;
-- The most memory, or what there is, without the libraries' files and the server's buffers, which backends share
CREATE FUNCTION memory(what text) RETURNS bigint LANGUAGE sql VOLATILE AS
    $$ SELECT sum(CASE n[1] WHEN what THEN 1 ELSE -1 END * n[2]::bigint) FROM regexp_matches(pg_read_file('/proc/self/status'), '(' || what || '|RssFile|RssShmem):\s*(\d+)', 'g') AS n $$;
-- Processor time in nanoseconds, and the most memory besides what was there, in kB
CREATE FUNCTION measure(statement text, OUT ns bigint, OUT kb bigint, OUT code text) LANGUAGE plpgsql AS $$
DECLARE
    before bigint;
    memory_before bigint;
BEGIN
    EXECUTE 'COPY (SELECT 5) TO ''/proc/self/clear_refs''';
    memory_before := growth.memory('VmRSS');
    before := growth.spent();
    BEGIN
        EXECUTE statement;
        code := '';
    EXCEPTION WHEN OTHERS THEN
        code := SQLSTATE;
    END;
    ns := growth.spent() - before;
    kb := growth.memory('VmHWM') - memory_before;
END $$;
"""


class Server:
    """One psql, which lives as long as the run; a statement's answer is a list of rows."""

    def __init__(self):
        self.start()

    def start(self):
        self.psql = subprocess.Popen(['psql', '-X', '-q', '-A', '-t', '-F', '\t', '-v', 'ON_ERROR_STOP=0'], stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace',
                                     env=dict(os.environ, PGCLIENTENCODING='UTF8', PGOPTIONS='-c client_min_messages=error'))
        self.settings()

    def settings(self):
        self.ask("SET search_path = growth, public; SET jit = off; SET max_parallel_workers_per_gather = 0;")

    def fresh(self):
        """A backend that has no free memory left over; it has seen the types, and the library."""
        self.ask('\\connect')
        self.settings()
        self.ask("SELECT spent(), memory('VmRSS'), '{\"a\": 1}'::bson @> '{\"a\": 1}'::bson; SELECT measure('SELECT 1');")

    def ask(self, sql):
        self.psql.stdin.write(sql + '\n\\echo ---end---\n')
        self.psql.stdin.flush()
        rows = []
        while True:
            line = self.psql.stdout.readline()
            if not line:
                raise db.Crash('the server is gone: ' + sql[:300])
            line = line.rstrip('\n')
            if line == '---end---':
                return rows
            rows.append(line.split('\t'))


class Case:
    """A statement, its arguments: (kind, type, shape or None)."""

    def __init__(self, name, statement, arguments):
        self.name = name
        self.statement = statement
        self.arguments = arguments
        self.ms = 0
        self.scans = name.startswith('scan')


def functions():
    rows = db.query("""SELECT p.oid::regproc::text, array_to_string(ARRAY(SELECT format_type(t, NULL)
            FROM unnest(p.proargtypes::oid[]) WITH ORDINALITY a(t, i) ORDER BY i), ';'), p.provariadic <> 0, p.proretset,
            p.prorettype::regtype::text, p.pronargdefaults
        FROM pg_proc p, pg_depend d, pg_extension e
        WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.refobjid = e.oid AND e.extname = 'bson'
            AND p.prokind = 'f' AND NOT 'internal'::regtype = ANY (p.proargtypes::oid[]) AND p.prorettype <> 'internal'::regtype
        ORDER BY 1, 2""")
    for name, types, variadic, retset, result, defaults in rows:
        yield name.split('.')[-1], types.split(';') if types else [], variadic == 't', retset == 't', result


# How an argument that is not of a type with shapes is written
CONSTANTS = {'boolean': 'false', 'bigint': '1', 'regconfig': "'simple'", 'double precision': '1.5::float8', 'numeric': '1.5',
             'timestamp with time zone': "timestamptz '2020-01-01'", 'uuid': "uuid '12345678-1234-5678-1234-567812345678'",
             'regclass': "'growth.documents'", 'name': 'NULL', 'bson[]': "ARRAY['{\"a\": [1, 2]}'::bson]"}


def expressions(name, types, variadic):
    """For each argument: (kind, type) or a constant; and how it is written."""
    arguments, written = [], []
    for i, t in enumerate(types):
        kind = MEANING.get(name, {}).get(i, t)
        expression = 'v%d.v' % len(arguments)
        if t == 'cstring':
            kind, t, expression = 'text', 'text', 'textout(%s)' % expression
        elif t == 'anyelement':
            if 'record' in name:
                written.append('NULL::growth.pair')
                continue
            kind = t = 'bson'
        elif t == 'anyarray':
            kind = t = 'text[]'
        elif t == 'record':
            expression = "ROW(%s, 'x')" % expression
            kind = t = 'bson'
        elif t == '"any"':
            kind = t = 'text[]'
        elif t in CONSTANTS:
            written.append(CONSTANTS[t])
            continue
        elif t not in SHAPES:
            return None, None
        if i == len(types) - 1 and (variadic or types[i] == '"any"'):
            expression = 'VARIADIC ' + expression
        arguments.append((kind, t))
        written.append(expression)
    return arguments, written


def fitting(arguments):
    """An update by array filters has one, and array filters have an update that uses them: else both are errors."""
    shapes = {kind: shape for kind, _, shape in arguments}
    for i, (kind, t, shape) in enumerate(arguments):
        if shape is None and ((kind == 'filters' and str(shapes.get('update')).startswith('$[x]')) or (kind == 'update' and shapes.get('filters'))):
            arguments[i] = kind, t, 'of x'
    return arguments


# Functions that make an argument ready once, with it as a constant
PREPARED = [
    ('expression', 'count(bson_eval(d, %s))'), ('projection', 'count(bson_project(d, %s))'), ('query', 'count(bson_match(d, %s))'),
    ('schema', 'count((SELECT count(x) FROM bson_schema_errors(d, %s) x))'), ('sort', 'count(bson_sort_key(d, %s))'),
    ('update', 'count(bson_update(d, %s))'), ('update', "count(bson_upsert('{}', %s))"), ('update', "count(bson_apply(d, %s, '{}'))"),
    ('filters', "count(bson_update(d, '{\"$set\": {\"a.$[x]\": 9}}', '{}', %s))"), ('delta', 'count(bson_patch(d, %s))')]


def constant_cases():
    for kind, call in PREPARED:
        for shape in SHAPES[kind]:
            yield Case('constant of %s: %s' % (call[6:-1] % 'X', shape),
                       'SELECT %s FROM (SELECT d FROM growth.documents LIMIT 3) s' % call % '\x01::bson', [(kind, 'bson', shape)])


def function_cases():
    untested = []
    for name, types, variadic, retset, result in functions():
        arguments, written = expressions(name, types, variadic)
        if name in ('bson_build_object', 'bson_build_array') and types:
            written = ['VARIADIC v0.v']
        elif name.startswith('bson_walk'):
            written[1:] = ["'a'::text", '1']    # the planner makes these calls, of some arguments
            arguments = arguments[:1]
        elif name in ('bson_to_tsvector',):
            written[-1] = '\'["all"]\''
            arguments = arguments[:1]
        elif name in ('bson_set_lax',):
            written[-1] = "'use_json_null'"
            arguments = arguments[:3]
        elif name == 'bson_to_extjson':
            written[1], arguments = "'canonical'", arguments[:1]
        if arguments is None:
            untested.append(name)
            continue
        if not arguments:
            continue
        tables = ', '.join('argument%d v%d' % (i, i) for i in range(len(arguments)))
        call = '%s(%s)' % (name, ', '.join(written))
        if result == 'record' and name in ('bson_to_record', 'bson_to_recordset'):
            statement = 'SELECT count(x) FROM %s, LATERAL %s AS x(k1 int, a text)' % (tables, call)
        elif retset:
            statement = 'SELECT count(x) FROM %s, LATERAL %s AS x' % (tables, call)
        else:
            statement = 'SELECT count(%s) FROM %s' % (call, tables)
        for i, (kind, _) in enumerate(arguments):
            for shape in SHAPES[kind]:
                yield Case('%s(%s), argument %d: %s' % (name, ', '.join(types), i + 1, shape), statement,
                           fitting([(k, t, shape if j == i else None) for j, (k, t) in enumerate(arguments)]))
        # two arguments that grow together, where their sum is promised and not their product
        for first, second in TOGETHER.get(name, ()) if len(arguments) > 1 else ():
            if not has_shape(arguments[0][0], first) or not has_shape(arguments[1][0], second):
                continue
            yield Case('%s(%s), %s with %s' % (name, ', '.join(types), first, second), statement,
                       fitting([(k, t, (first, second)[j] if j < 2 else None) for j, (k, t) in enumerate(arguments)]))
    if untested:
        print('no shapes for the arguments of: %s' % ', '.join(sorted(set(untested))))


def operator_cases():
    """Constants are planned with; and indexes scanned with them."""
    rows = db.query("""SELECT o.oprname, format_type(o.oprright, NULL) FROM pg_operator o, pg_depend d, pg_extension e
        WHERE d.classid = 'pg_operator'::regclass AND d.objid = o.oid AND d.refobjid = e.oid AND e.extname = 'bson'
            AND o.oprresult = 'bool'::regtype AND o.oprleft::regtype::text = 'bson' ORDER BY 1, 2""")
    for op, right in rows:
        kind = 'query' if op == '@~' else right
        if kind not in SHAPES:
            continue
        for shape in SHAPES[kind]:
            for what, verb in (('plan of', 'EXPLAIN'), ('scan for', 'EXPLAIN ANALYZE')):
                yield Case('%s bson %s %s: %s' % (what, op, right, shape),
                           "%s SELECT FROM growth.documents WHERE d %s \x01::%s" % (verb, op, right),
                           [(kind, right, shape)])


AGGREGATES = [
    ('bson_agg', 'SELECT bson_agg(i) FROM generate_series(1, %d) i'),
    ('bson_agg over a window', 'SELECT count(x) FROM (SELECT bson_agg(i) OVER (ORDER BY i ROWS 1 PRECEDING) x FROM generate_series(1, %d) i) s'),
    ('bson_bottom of half', "SELECT bson_bottom('1', i::text::bson, (m / 2)::text::bson, true) FROM (SELECT i, max(i) OVER () m FROM generate_series(1, %d) i) s"),
    ('bson_object_agg', 'SELECT bson_object_agg(i, i) FROM generate_series(1, %d) i'),
    ('bson_object_agg of one key', "SELECT bson_object_agg('a', i) FROM generate_series(1, %d) i"),
    ('bson_object_agg_unique', 'SELECT bson_object_agg_unique(i, i) FROM generate_series(1, %d) i'),
    ('bson_object_agg_unique_strict', 'SELECT bson_object_agg_unique_strict(i, i) FROM generate_series(1, %d) i'),
    ('row_to_bson of many columns', 'SELECT count(row_to_bson(r)) FROM (SELECT \x02) r'),
    ('sort', "SELECT count(x) FROM (SELECT to_bson(i %% 1000) x FROM generate_series(1, %d) i ORDER BY x) s"),
    ('hash', "SELECT count(*) FROM (SELECT to_bson(i %% 1000) x FROM generate_series(1, %d) i GROUP BY x) s"),
]


# What jsonb does with many keys, elements, conditions or rows, of a table that has small and large values; of
# constants, over its rows.  Beside it, bson must not take much longer, nor much more memory
BESIDE_TABLE = """
CREATE TABLE growth.beside_{t} AS SELECT {t}_build_object('a', i, 'b', 'x', 'c', 'text') AS small, '["x1", 2]'::{t} AS two FROM generate_series(1, 8000) i;
CREATE TABLE growth.many_{t} AS SELECT '{{"a": 1, "b": "x"}}'::{t} AS small, '["b", 1]'::{t} AS two, array_agg('x' || i) AS keys, array_agg('k' || i) AS own, {t}_object_agg('k' || i, i) AS large, {t}_agg(i) AS list,
    {t}_agg({t}_build_object('k1', i, 'a', 'x' || i)) AS documents, (SELECT array_agg('x' || i) FROM generate_series(1, 900) i) AS path FROM generate_series(1, %d) i;
ANALYZE growth.beside_{t};
"""
OVER_MANY = ('small ?| keys', 'small ?& keys', 'small - keys', 'two ?| keys', 'two - keys', 'small @> large', 'large @> small', 'small <@ large', 'large <@ small', 'two @> list', 'list @> two', 'large ?| keys', 'large ?& keys', 'large ?& own',
             'small || large', 'large || small', "'1'::{t} || list", "list || '1'::{t}", "{t}_insert(list, '{{0}}', '1')", "{t}_set(large, '{{k5}}', '1')", 'small #> path', "{t}_set(small, path, '1')", 'small #- path',
             "large - 'k5'", 'list - 0', 'large = small', 'large < small', '{t}_strip_nulls(large)', 'large::text', 'documents::text', 'large::text::{t}', "{t}_path_query_array(list, '$[*] ? (@ > 5)')",
             "{t}_path_query_array(documents, '$.**')", '(SELECT count(x) FROM {t}_each(large) x)', '(SELECT count(x) FROM {t}_array_elements_text(list) x)', '(SELECT count(x) FROM {t}_path_query(list, \'$[*]\') x)',
             '(SELECT count(x) FROM {t}_to_recordset(documents) AS x(k1 int, a text))', '{t}_build_array(VARIADIC keys)', '{t}_build_object(VARIADIC keys)', 'to_{t}(keys)')
OVER_ROWS = ('small ?| {keys}', 'small ?& {keys}', 'small - {keys}', "small @> '{object}'", "small <@ '{object}'", "small || '{object}'", "two @> '{numbers}'", 'small #> {keys}', "{t}_set(small, {keys}, '1')", 'small #- {keys}',
             "small @? '$ ? ({any})'", "small @@ '{all}'")
AGAIN = 1.5             # bson's time over jsonb's: more is too much ...
FEW = 10                # ... from so many milliseconds on
MORE_MEMORY = 1.25      # the same for memory ...
FEW_MEMORY = 2048       # ... beyond so many kB


def constants(n):
    """What OVER_ROWS has in its statements."""
    return {'keys': 'ARRAY[%s]' % ', '.join("'x%d'" % i for i in range(n)), 'object': '{%s}' % ', '.join('"x%d": %d' % (i, i) for i in range(n)), 'numbers': '[%s]' % ', '.join('-%d' % i for i in range(n)),
            'any': ' || '.join('@.a == -%d' % i for i in range(1, n // 4)), 'all': ' && '.join('$.a > -%d' % i for i in range(1, n // 4))}


class Run:
    def __init__(self, options):
        self.options = options
        self.parts = options.parts
        self.made = {}
        self.passed = self.failed = 0
        self.slow = []
        self.fine = {}          # of each function: did any case of it end without an error?
        self.server = Server()

    def table(self, kind, sqltype, shape, n):
        """A table with the value, made before the clock runs: v of the type, t as text.  None if it is no value of the type."""
        n = n if shape else 0
        key = (kind, sqltype, shape, n)
        if key not in self.made:
            name = 'growth.v%d' % len(self.made)
            value = value_of(kind, shape, n) if shape else SMALL[kind]
            storage = '' if sqltype == 'integer' else 'ALTER TABLE %s ALTER v SET STORAGE EXTERNAL;' % name
            try:
                db.run("CREATE TABLE %s (t text, v %s); ALTER TABLE %s ALTER t SET STORAGE EXTERNAL; %s"
                       "CREATE TEMP TABLE given (t text);\nCOPY given FROM STDIN;\n%s\n\\.\nINSERT INTO %s SELECT t, t::%s FROM given;"
                       % (name, sqltype, name, storage, db._escape(value), name, sqltype))
            except db.Crash:
                raise
            except db.DbError:
                name = None
            self.made[key] = name
        return self.made[key]

    def statement(self, case, n):
        """An expression whose value is the statement with its arguments in place; None if there is no such value."""
        tables = [self.table(kind, t, shape, n) for kind, t, shape in case.arguments]
        if None in tables:
            return None
        if '\x01' in case.statement:
            return "(SELECT replace($s$%s$s$, '\x01', quote_literal(t)) FROM %s)" % (case.statement, tables[0])
        statement = case.statement
        for i, table in enumerate(tables):
            statement = statement.replace('argument%d ' % i, table + ' ')
        columns = ', '.join('%d AS c%d' % (i, i) for i in range(min(n // 8, 1500)))
        if not case.arguments:
            statement = statement.replace('\x02', columns).replace('%d', str(n)).replace('%%', '%')
        return '$s$%s$s$' % statement

    def measure_all(self, cases, n):
        """Times of many cases, in one trip; None where there is none."""
        statements = [self.statement(case, n) for case in cases]
        rows = ["(%d, %s)" % (i, s) for i, s in enumerate(statements) if s is not None]
        results = [None] * len(cases)
        if not rows:
            return results
        self.server.ask("SET enable_seqscan = %s; SET statement_timeout = '60s';" % ('off' if cases[0].scans else 'on'))
        for row in self.server.ask("SELECT c.i, m.* FROM (VALUES %s) AS c(i, s), LATERAL measure(c.s) m;" % ', '.join(rows)):
            if len(row) < 4:
                raise db.DbError(' '.join(row))
            results[int(row[0])] = (int(row[1]) / 1e6, int(row[2]), row[3])
        return results

    def measure(self, case, n, times=1):
        best = None
        for _ in range(times):
            self.server.fresh()
            try:
                result = self.measure_all([case], n)[0]
            except db.Crash:
                raise
            except db.DbError as error:
                return 60000, 0, str(error)
            if result is not None and (best is None or result[0] < best[0]):
                best = result
        return best

    def report(self, case, message):
        self.failed += 1
        print('FAILED %s: %s' % (case.name, message), flush=True)

    def judge(self, n, quarter, half, whole):
        """What is wrong with these, or None."""
        for i, slack, message in ((0, SLOW, 'time for n, 2n, 4n: %.1f, %.1f, %.1f ms (n = %d)'),
                                  (1, MEMORY_SLACK, 'memory for n, 2n, 4n: %d, %d, %d kB (n = %d)')):
            if whole[i] > slack and whole[i] > QUARTER * quarter[i] and whole[i] > HALF * half[i]:
                return message % (quarter[i], half[i], whole[i], n // 4)
        return None

    def grow(self, case, whole):
        if whole is None:
            return
        case.ms = whole[0]
        function = case.name.split('(')[0]
        self.fine[function] = self.fine.get(function, False) or whole[2] == ''
        if self.options.verbose:
            print('%8.1f ms %8d kB %5s  %s' % (whole[0], whole[1], whole[2], case.name), flush=True)
        if whole[0] < SLOW and whole[1] < MEMORY_SLACK:
            self.passed += 1
            return
        n = self.parts
        for _ in range(ATTEMPTS):
            quarter, half, whole = [self.measure(case, size, 2) for size in (n // 4, n // 2, n)]
            if quarter is None or half is None or whole is None:
                return
            message = self.judge(n, quarter, half, whole)
            if message is None:
                break
            # so little may be chance: what is quadratic shows it with more
            if whole[0] < 200:
                n *= 2
        if message is not None:
            self.report(case, message)
        else:
            self.passed += 1
            self.slow.append(case)

    def stop(self, case):
        """With an argument so large that it would take seconds."""
        n = self.parts
        while n < 1024 * 1024 and case.ms * n / self.parts < 3000:
            n *= 2
        statement = self.statement(case, n)
        if statement is None:
            return
        planned = 'off' if case.scans else 'on'
        answer = self.server.ask("SELECT spent();\nSET enable_seqscan = %s; SET statement_timeout = %d;\nSELECT ns FROM measure(%s);\n"
                                 "RESET statement_timeout;\nSELECT spent();" % (planned, TIMEOUT, statement))
        spent = (int(answer[-1][0]) - int(answer[0][0])) / 1e6
        stopped = any('canceling statement' in row[0] for row in answer)
        if self.options.verbose:
            print('%8.1f ms %s with n = %d: %s' % (spent, 'to the stop' if stopped else 'in all', n, case.name), flush=True)
        if spent > LATEST + TIMEOUT:
            self.report(case, 'took %.0f ms of processor time although it was to stop after %d (n = %d)' % (spent, TIMEOUT, n))
        else:
            self.passed += 1

    def beside(self):
        """Statements over many rows, keys and elements, of jsonb and of bson."""
        statements = [('many: ' + what, 'SELECT count(%s) FROM growth.many_{t}, generate_series(1, 40)' % what, {}) for what in OVER_MANY]
        statements += [('rows: ' + what, 'SELECT count(%s) FROM growth.beside_{t}' % what, constants(1000)) for what in OVER_ROWS]
        statements = [s for s in statements if self.options.only.lower() in s[0].lower()]
        if not statements:
            return
        for t in ('jsonb', 'bson'):
            db.run((BESIDE_TABLE % (4 * self.parts)).replace('{t}', t).replace('{{', '{').replace('}}', '}'))
        for name, sql, values in statements:
            best = {}
            for _ in range(ATTEMPTS):
                for t in ('jsonb', 'bson'):
                    self.server.fresh()
                    row = self.server.ask("SELECT m.* FROM measure($s$%s$s$) m;" % sql.format(t=t, **values))[0]
                    if len(row) < 3 or row[2]:
                        raise db.DbError('%s: %s' % (name, ' '.join(row)))
                    found = int(row[0]) / 1e6, int(row[1])
                    best[t] = tuple(map(min, found, best.get(t, found)))
                theirs, ours = best['jsonb'], best['bson']
                slow = ours[0] > AGAIN * theirs[0] and ours[0] > FEW
                greedy = ours[1] > MORE_MEMORY * theirs[1] + FEW_MEMORY
                if not slow and not greedy:
                    break
            if self.options.verbose:
                print('%8.1f ms %8d kB, of jsonb %.1f ms %d kB  %s' % (*ours, *theirs, name), flush=True)
            if slow or greedy:
                self.failed += 1
                print('FAILED %s: %.1f ms and %d kB, of jsonb %.1f ms and %d kB' % (name, *ours, *theirs), flush=True)
            else:
                self.passed += 1

    def pipelines(self, stop):
        """Long pipelines, planned and run; and stopped."""
        for name, pipeline in random.Random(self.options.seed).sample(list(PIPELINES.items()), len(PIPELINES)):
            if time.time() > stop:
                break
            name = 'pipeline: ' + name
            if self.options.only.lower() not in name.lower():
                continue
            db.run('CREATE TABLE IF NOT EXISTS growth.none (d bson); DROP TABLE IF EXISTS growth.pipeline; CREATE TABLE growth.pipeline (v bson); ALTER TABLE growth.pipeline ALTER v SET STORAGE EXTERNAL;'
                   'COPY growth.pipeline FROM STDIN;\n%s\n\\.\n' % json.dumps(pipeline))
            self.server.fresh()
            statement = "SELECT count(*) FROM growth.pipeline, bson_aggregate('growth.none', v)"
            answer = self.server.ask("RESET jit; SET statement_timeout = '600s'; SELECT * FROM measure($s$%s$s$);" % statement)[-1]
            spent = self.server.ask('SELECT spent();')[-1][0]
            self.server.ask('SET statement_timeout = %d; SELECT * FROM measure($s$%s$s$); RESET statement_timeout;' % (TIMEOUT, statement))
            stopped = (int(self.server.ask('SELECT spent();')[-1][0]) - int(spent)) / 1e6
            took, code = (int(answer[0]) / 1e6, answer[2]) if len(answer) == 3 else (60000, ' '.join(answer))
            if self.options.verbose:
                print('%8.1f ms %5s, %8.1f ms to the stop  %s' % (took, code, stopped, name), flush=True)
            if took > LONGEST or code not in ('',) + REFUSED or stopped > LATEST + TIMEOUT:
                self.failed += 1
                print('FAILED %s: %.0f ms of processor time, error "%s", %.0f ms if it was to stop' % (name, took, code, stopped), flush=True)
            else:
                self.passed += 1

    def try_some(self, cases):
        try:
            results = self.measure_all(cases, self.parts)
        except db.DbError as error:
            if isinstance(error, db.Crash):
                db.wait()
                self.server.start()
            if len(cases) > 1:
                for case in cases:
                    self.try_some([case])
                return
            self.report(cases[0], str(error))
            return
        for case, result in zip(cases, results):
            try:
                self.grow(case, result)
            except db.Crash as crash:
                self.report(case, str(crash))
                db.wait()
                self.server.start()

    def run(self):
        cases = list(function_cases()) + list(operator_cases()) + list(constant_cases()) + [Case(name, statement, []) for name, statement in AGGREGATES]
        cases = [c for c in cases if self.options.only.lower() in c.name.lower()
                 and not any(w.lower() in c.name.lower() for w in self.options.without)]
        random.Random(self.options.seed).shuffle(cases)
        stop = time.time() + self.options.seconds
        for first in range(0, len(cases), CHUNK):
            if time.time() > stop:
                print('%d of %d cases tried (seed %d)' % (first, len(cases), self.options.seed))
                break
            chunk = cases[first:first + CHUNK]
            for scans in (False, True):
                some = [c for c in chunk if c.scans == scans]
                if some:
                    self.try_some(some)
        self.beside()
        self.pipelines(stop + 20)
        if not all(self.fine.values()):
            print('ended in an error each time: %s' % ', '.join(sorted(f for f, fine in self.fine.items() if not fine)))
        # the slowest case of each function, and of these the slowest
        slowest = {}
        for case in sorted(self.slow, key=lambda c: -c.ms):
            slowest.setdefault(case.name.split(',')[0].split('(')[0] if '(' in case.name else case.name, case)
        for case in list(slowest.values())[:self.options.stops]:
            self.stop(case)
        print('%d passed, %d failed' % (self.passed, self.failed))
        return self.failed


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument('--without', default=[], action='append', help='and not this; can be given several times')
    arguments.add_argument('--only', default='', help='cases whose name has this in it')
    arguments.add_argument('--seconds', type=float, default=1e9, help='stop after about this long; the order is by chance')
    arguments.add_argument('--seed', type=int, default=int(time.time()), help='of that order')
    arguments.add_argument('--parts', type=int, default=8192, help='so many parts has an argument')
    arguments.add_argument('--stops', type=int, default=10, help='so many of the slowest are stopped, too')
    arguments.add_argument('--verbose', action='store_true')
    options = arguments.parse_args()
    db.run(SETUP)
    status = 1 if Run(options).run() else 0
    db.run('DROP SCHEMA growth CASCADE;')
    sys.exit(status)


if __name__ == '__main__':
    main()
