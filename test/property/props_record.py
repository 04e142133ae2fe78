"""Subscripts, records and expansion give the same answers as with jsonb, for values that both can hold."""
import db
import gen
import model_change as change
import props_change
import props_get
import props_jsonpath
import raw
from property import Property

SETUP = """
DROP SCHEMA IF EXISTS record_test CASCADE;
CREATE SCHEMA record_test;
CREATE DOMAIN record_test.small AS int CHECK (value < 3);
CREATE TYPE record_test.pair AS (a int, b text);
CREATE TYPE record_test.row AS (a int, b text, c float8, "0" bool, "1" numeric, d text, "é" record_test.pair,
                              l int[], m text[][], p record_test.pair[], s record_test.small, t timestamp);
CREATE FUNCTION pg_temp.try(expression text, b bson, x bson, k text, n int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text;
BEGIN
    EXECUTE 'SELECT (' || expression || ')::text FROM (SELECT $1 AS b, $1::jsonb AS j, $2 AS x, $2::jsonb AS y, $3 AS k, $4 AS n) s' INTO result USING b, x, k, n;
    RETURN result;
EXCEPTION WHEN OTHERS THEN
    RETURN 'error ' || SQLSTATE;
END $$;
-- what an assignment makes of a row of target, which stays as it was
CREATE FUNCTION pg_temp.assign(id int, field text, subscript text, value text, k text, n int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text;
BEGIN
    EXECUTE format('UPDATE pg_temp.target SET %s%s = %s WHERE i = $1 RETURNING %s::jsonb', field, subscript, value, field)
        INTO result USING id, k, n;
    RAISE EXCEPTION USING ERRCODE = 'U0001', MESSAGE = coalesce(result, 'NULL');
EXCEPTION WHEN SQLSTATE 'U0001' THEN
    RETURN SQLERRM;
WHEN OTHERS THEN
    RETURN 'error ' || SQLSTATE;
END $$;
"""
TARGET = """
CREATE TEMP TABLE target AS SELECT i, v::bson AS b, v::bson::jsonb AS j, w::bson AS x, w::bson::jsonb AS y FROM t;
CREATE INDEX ON target (i);
ANALYZE target;
"""


class _LikeJsonb(Property):
    count = 1000
    shrinks = False
    twins = {}

    def cases(self, g, n):
        """(value, other value, key, index)"""
        r = g.rng
        cases = []
        for _ in range(n):
            root = int32s(props_jsonpath.plain(g, self.value(g)))
            key, index = props_get.step_into(r, root)
            cases.append((root, props_jsonpath.plain(g, props_change.small_value(g, 1)), key.decode(), index))
        return cases

    def value(self, g):
        return props_change.small_value(g, 3)

    def check(self, cases, rng):
        calls = ['pg_temp.try($x$%s$x$, v::bson, w::bson, k, n)' % e for twins in self.twins.items() for e in twins]
        return self.compare(cases, calls, ['%s and %s' % t for t in self.twins.items()])

    def compare(self, cases, calls, names):
        rows = db.query('SELECT %s FROM t ORDER BY i' % ', '.join(calls), ('v bytea, w bytea, k text, n int', [
            (raw.stored(b), raw.stored(x), k, n) for b, x, k, n in cases]), SETUP, TARGET)
        failures = {}
        for i, row in enumerate(rows):
            for name, got, want in zip(names, row[::2], row[1::2]):
                if not props_jsonpath.alike(got, want):
                    failures[i] = '%s: %s, %s' % (name, got, want)
        return failures

    def show(self, case):
        return "b = '\\x%s', x = '\\x%s', k = %r, n = %d" % (raw.stored(case[0]).hex(), raw.stored(case[1]).hex(), case[2], case[3])


def int32s(node):
    """Without small int64s, which text distinguishes from int32s, but jsonb does not."""
    kind, payload = node
    if kind in raw.CONTAINERS:
        return kind, [(k, int32s(n)) for k, n in payload]
    return gen.int32(raw.int64(node)) if kind == raw.INT64 and abs(raw.int64(node)) < 2**31 else node


class Records(_LikeJsonb):
    """bson_populate_record(set), bson_to_record(set), bson_each, bson_array_elements, bson_object_keys."""
    functions = ('bson_populate_record(anyelement,bson)',)
    twins = {
        'bson_populate_record(NULL::record_test.row, b)': 'jsonb_populate_record(NULL::record_test.row, j)',
        "bson_populate_record(ROW(7, 'x', NULL, true, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::record_test.row, b)":
            "jsonb_populate_record(ROW(7, 'x', NULL, true, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::record_test.row, j)",
        '(SELECT array_agg(r) FROM bson_populate_recordset(NULL::record_test.pair, b) r)':
            '(SELECT array_agg(r) FROM jsonb_populate_recordset(NULL::record_test.pair, j) r)',
        '(SELECT array_agg(r) FROM bson_to_record(b) AS r (a text, b int, c text[]))':
            '(SELECT array_agg(r) FROM jsonb_to_record(j) AS r (a text, b int, c text[]))',
        '(SELECT array_agg(r) FROM bson_to_recordset(b) AS r (a int, b jsonb))':
            '(SELECT array_agg(r) FROM jsonb_to_recordset(j) AS r (a int, b jsonb))',
        '(SELECT array_agg(k) FROM bson_object_keys(b) k)': '(SELECT array_agg(k) FROM jsonb_object_keys(j) k)',
        '(SELECT jsonb_object_agg(key, value::jsonb) FROM bson_each(b))': '(SELECT jsonb_object_agg(key, value) FROM jsonb_each(j))',
        '(SELECT jsonb_agg(value::jsonb) FROM bson_array_elements(b))': '(SELECT jsonb_agg(value) FROM jsonb_array_elements(j))',
        '(SELECT count(value) FROM bson_each_text(b))': '(SELECT count(value) FROM jsonb_each_text(j))',
        'bson_array_length(b)': 'jsonb_array_length(j)',
    }

    def value(self, g):
        r = g.rng
        names = [b'a', b'b', b'c', b'0', b'1', b'd', 'é'.encode(), b'l', b'm', b'p', b's', b't']

        def scalar():
            return r.choice((gen.int32(r.randrange(5)), gen.int64(r.choice((1, 2**40))), gen.double(r.choice((.5, 1.25))), gen.NULL,
                             gen.text(raw.STRING, r.choice(('a', '1', '', 'true', '1.5', '{1,2}', '(1,x)', '2020-01-02', '[1]'))), (raw.BOOL, b'\1')))

        def pair():
            return r.choice((scalar, lambda: (raw.DOC, [(k, scalar()) for k in r.sample((b'a', b'b', b'c'), 2)])))()

        def listed(item):
            return r.choice((scalar, lambda: change.items([item() for _ in range(r.randrange(3))])))()

        def row():
            made = {b'l': lambda: listed(scalar), b'm': lambda: listed(lambda: listed(scalar)), b'p': lambda: listed(pair),
                    'é'.encode(): pair}
            return raw.DOC, [(k, made.get(k, scalar)() if r.random() < .8 else props_change.small_value(g, 1)) for k in r.sample(names, r.randrange(6))]
        return row() if r.random() < .7 else change.items([pair() for _ in range(r.randrange(4))])


class Subscripts(_LikeJsonb):
    """Reading and assigning d[...]."""
    subscripts = ("['a']", '[0]', '[-1]', '[$2]', '[$3]', "['a']['b']", "['a'][0]", '[1][0]', "['b'][2]['c']", "[$2]['new']", '[$3][1]', '[-2]', "['0']",
                  "[3]", "['a']['b']['c'][1]", '[NULL]', "['x']")

    def check(self, cases, rng):
        calls, names = [], []
        for s in self.subscripts:
            read = s.replace('$2', 'k').replace('$3', 'n')
            calls += ["pg_temp.try($x$((b)%s)::jsonb$x$, v::bson, w::bson, k, n)" % read, "pg_temp.try($x$(j)%s$x$, v::bson, w::bson, k, n)" % read]
            calls += ["pg_temp.assign(i, '%s', $x$%s$x$, '%s', k, n)" % (field, s, value) for field, value in (('b', 'x'), ('j', 'y'))]
            names += ['reading b%s' % read, 'assigning b%s' % s]
        return self.compare([c for c in cases if abs(c[3]) < 1000], calls, names)

    def cases(self, g, n):
        return [c for c in super().cases(g, n) if abs(c[3]) < 1000]


PROPERTIES = [Records, Subscripts]
