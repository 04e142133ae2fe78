"""jsonpath gives the same answers as with jsonb, for values that both can hold."""
import decimal
import re

import db
import gen
import model
import model_change as change
import props_change
import raw
from property import Property


class PathGenerator:
    """Random jsonpath, mostly valid."""

    def __init__(self, rng):
        self.rng = rng

    def path(self, depth=3):
        r = self.rng
        mode = r.choice(('', '', 'lax ', 'strict '))
        if r.random() < .1:
            return mode + self.predicate(depth)
        return mode + self.expression(depth)

    def accessors(self, start, depth):
        r = self.rng
        out = start
        for _ in range(r.choice((0, 1, 1, 2, 3))):
            kind = r.random()
            if kind < .45:
                out += '.' + r.choice(('a', 'b', 'c', '"0"', '"1"', '""', 'é', '*', 'missing'))
            elif kind < .7:
                out += '[%s]' % r.choice(('*', '0', '1', 'last', '-1', '5', '0 to 1', 'last - 1 to last', '0, last', '1 to 0', '"a"', '1.5', '$.a'))
            elif kind < .76:
                out += '.**' + r.choice(('', '{0}', '{1}', '{0 to 1}', '{last}', '{2 to last}'))
            elif kind < .86 and depth > 0:
                out += ' ? (%s)' % self.predicate(depth - 1)
            else:
                out += '.' + r.choice(self.methods())
        return out

    def methods(self):
        methods = ['type()', 'size()', 'abs()', 'floor()', 'ceiling()', 'keyvalue().key']
        if db.version() >= 190000:
            methods += [self.string_method()]
        return methods

    def string_method(self):
        r = self.rng
        some = '"%s"' % ''.join(r.choice('aBé ') for _ in range(r.choice((0, 1, 1, 2, 3))))
        return r.choice(('lower()', 'upper()', 'initcap()', 'replace(%s, "b a")' % some,
                         'split_part(%s, %d)' % (some, r.randint(-3, 3)),
                         '%s(%s)' % (r.choice(('ltrim', 'rtrim', 'btrim')), r.choice(('', some)))))

    def expression(self, depth, start='$'):
        r = self.rng
        kind = r.random()
        if kind < .75 or depth == 0:
            return self.accessors(start, depth)
        if kind < .85:
            return '(%s %s %s)' % (self.expression(depth - 1, start), r.choice('+-*/%'), self.operand(depth - 1, start))
        if kind < .9:
            return '-%s' % self.accessors(start, depth)
        return self.literal()

    def operand(self, depth, start):
        return self.literal() if self.rng.random() < .6 else self.expression(depth, start)

    def literal(self):
        return self.rng.choice(('0', '1', '2', '-1', '0.5', '2.50', '1e3', '1e-20', '"a"', '"b"', '""', 'true', 'false', 'null', '$x', '100000000000000000000'))

    def predicate(self, depth):
        r = self.rng
        start = r.choice(('@', '@', '$')) if depth < 3 else '$'
        kind = r.random()
        if kind < .55 or depth <= 0:
            return '%s %s %s' % (self.expression(max(depth - 1, 0), start), r.choice(('==', '!=', '<', '<=', '>', '>=', '<>')), self.operand(max(depth - 1, 0), start))
        if kind < .65:
            return 'exists (%s)' % self.expression(depth - 1, start)
        if kind < .72:
            return '%s starts with %s' % (self.expression(depth - 1, start), r.choice(('"a"', '""', '$x')))
        if kind < .8:
            return '%s like_regex "%s"%s' % (self.expression(depth - 1, start), r.choice(('a', '^b', '.', '')), r.choice(('', ' flag "i"', ' flag "q"')))
        if kind < .86:
            return '(%s) is unknown' % self.predicate(depth - 1)
        if kind < .9:
            return '!(%s)' % self.predicate(depth - 1)
        return '(%s) %s (%s)' % (self.predicate(depth - 1), r.choice(('&&', '||')), self.predicate(depth - 1))


TRY = """
CREATE FUNCTION pg_temp.try(expression text, b bson, p jsonpath, x bson) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text;
BEGIN
    EXECUTE 'SELECT (' || expression || ')::text FROM (SELECT $1 AS b, $1::jsonb AS j, $2 AS p, $3 AS x, $3::jsonb AS y) s' INTO result USING b, p, x;
    RETURN result;
EXCEPTION WHEN OTHERS THEN
    RETURN 'error ' || SQLSTATE;
END $$;
CREATE FUNCTION pg_temp.path(p text) RETURNS jsonpath LANGUAGE plpgsql AS $$
BEGIN
    RETURN p::jsonpath;
EXCEPTION WHEN OTHERS THEN
    RETURN NULL;
END $$;
"""

def plain(g, node):
    """Values of the types that jsonb has, with keys in its order."""
    kind = node[0]
    if kind == raw.DOC:
        return raw.DOC, sorted(((k, plain(g, x)) for k, x in dict(node[1]).items()), key=lambda e: (len(e[0]), e[0]))
    if kind == raw.ARRAY:
        return change.items([plain(g, x) for x in change.nodes(node)])
    if kind in (raw.BOOL, raw.NULL, raw.INT32, raw.INT64) or (kind == raw.STRING and b'\0' not in raw.text(node)):
        return node
    # few decimals, many, and few that need many digits in binary
    return g.rng.choice((gen.int32(g.rng.randrange(4)), gen.double(g.rng.choice((.5, 1.25, -3.75))), gen.double(g.rng.randrange(-99999, 99999) / 1000 + .0005),
                         gen.double(g.rng.uniform(-2, 2))))


class JsonPath(Property):
    """The bson_path functions, @? and @@."""
    functions = ('bson_path_query_array(bson,jsonpath,bson,bool)',)
    count = 1500
    shrinks = False
    twins = {
        'bson_path_query_array(b, p, x)': 'jsonb_path_query_array(j, p, y)',
        'bson_path_query_array(b, p, x, true)': 'jsonb_path_query_array(j, p, y, true)',
        'bson_path_query_first(b, p, x, true)': 'jsonb_path_query_first(j, p, y, true)',
        'bson_path_exists(b, p, x)': 'jsonb_path_exists(j, p, y)',
        'bson_path_match(b, p, x)': 'jsonb_path_match(j, p, y)',
        'bson_path_match(b, p, x, true)': 'jsonb_path_match(j, p, y, true)',
        '(SELECT bson_agg(q) FROM bson_path_query(b, p, x) q)': '(SELECT jsonb_agg(q) FROM jsonb_path_query(j, p, y) q)',
        'b @? p': 'j @? p',
        'b @@ p': 'j @@ p',
    }

    def cases(self, g, n):
        paths = PathGenerator(g.rng)
        return [(plain(g, props_change.small_value(g, 3)), paths.path(), (raw.DOC, [(b'x', plain(g, props_change.small_value(g, 1)))])) for _ in range(n)]

    def check(self, cases, rng):
        expressions = []
        for ours, theirs in self.twins.items():
            yields_bson = 'query' in ours
            expressions += ['(%s)%s' % (ours, '::jsonb' if yields_bson else ''), theirs]
        calls = ['pg_temp.try($x$%s$x$, v::bson, pg_temp.path(s), w::bson)' % e for e in expressions]
        rows = db.query('SELECT %s FROM t ORDER BY i' % ', '.join(calls), ('v bytea, s text, w bytea', [
            (raw.stored(b), p, raw.stored(x)) for b, p, x in cases]), TRY)
        failures = {}
        for i, row in enumerate(rows):
            if beyond_decimal128(cases[i][1]):
                continue
            for (ours, theirs), got, want in zip(self.twins.items(), row[::2], row[1::2]):
                # until 15.19, jsonb treated a missing variable as null
                if got == 'error 42704' and ', x' not in ours:
                    continue
                if not alike(got, want):
                    failures[i] = '%s is %s, %s is %s' % (ours, got, theirs, want)
        return failures

    def show(self, case):
        return "b = '\\x%s', p = '%s', x = '\\x%s'" % (raw.stored(case[0]).hex(), case[1], raw.stored(case[2]).hex())


class JsonPathStrings(JsonPath):
    """Chains of item methods for strings, which came with PostgreSQL 19; before 19, chains of other methods."""
    count = 700

    def cases(self, g, n):
        r, paths = g.rng, PathGenerator(g.rng)
        method = paths.string_method if db.version() >= 190000 else lambda: r.choice(paths.methods())
        result = []
        for _ in range(n):
            strings = [gen.text(raw.STRING, ''.join(r.choice('aBé ') for _ in range(r.randrange(9)))) for _ in range(r.choice((1, 1, 1, 3)))]
            path = r.choice(('$[*]', '$', 'strict $[*]', '$[0]')) + ''.join('.' + method() for _ in range(r.randint(1, 3)))
            result.append((change.items(strings), path, (raw.DOC, [])))
        return result


class JsonPathSites(JsonPath):
    """A path that is a constant, for which a call site remembers what it learned, over rows of which some are compressed."""
    count = 1500
    rows = 25
    twins = {'bson_path_query_array(b, %s, x, true)': 'jsonb_path_query_array(j, %s, y, true)',
             'bson_path_query_first(b, %s, x, true)': 'jsonb_path_query_first(j, %s, y, true)',
             'bson_path_exists(b, %s, x, true)': 'jsonb_path_exists(j, %s, y, true)',
             'bson_path_match(b, %s, x, true)': 'jsonb_path_match(j, %s, y, true)'}

    def cases(self, g, n):
        """The rows of a path follow each other, and are mostly documents alike."""
        r, paths = g.rng, PathGenerator(g.rng)
        result = []
        while len(result) < n:
            path = paths.path() if r.random() < .5 else self.condition(r, paths)
            usual, x = self.document(g), (raw.DOC, [(b'x', plain(g, props_change.small_value(g, 1)))])
            result += [(plain(g, usual if r.random() < .6 else self.document(g)), path, x) for _ in range(self.rows)]
        return result

    def document(self, g):
        """Mostly one with members, which may be read alone if it is compressed."""
        r = g.rng
        if r.random() < .2:
            return props_change.small_value(g, 3)
        fields = [(name, props_change.small_value(g, 2)) for name in (b'a', b'b', b'c') if r.random() < .7]
        return raw.DOC, fields + ([(b'pad', gen.text(raw.STRING, 'x' * 4000))] if r.random() < .5 else [])

    def condition(self, r, paths):
        """Of members, as most are."""
        start = r.choice('$@')
        tests = []
        for _ in range(r.randint(1, 3)):
            member = start + ''.join('.' + r.choice('abc') for _ in range(r.randint(1, 2)))
            tests.append(r.choice(('(%s %s %s)' % (member, r.choice(('==', '!=', '<', '>=')), paths.literal()), 'exists (%s)' % member, '(%s starts with "a")' % member,
                                   '!(%s == %s)' % (member, paths.literal()), '((%s > 1) is unknown)' % member)))
        condition = r.choice((' && ', ' || ')).join(tests)
        return condition if start == '$' else '$ ? (%s)' % condition

    def check(self, cases, rng):
        table = 'v bytea, s text, w bytea', [(raw.stored(b), p, raw.stored(x)) for b, p, x in cases]
        valid = [p for p, in db.query('SELECT s FROM t GROUP BY s HAVING pg_temp.path(s) IS NOT NULL', table, TRY) if not beyond_decimal128(p)]
        scans = []
        for p in valid:
            literal = "'%s'" % p.replace("'", "''")
            for number, (ours, theirs) in enumerate(self.twins.items()):
                got = '(%s)%s::text' % (ours % literal, '::jsonb' if 'query' in ours else '')
                scans.append('(SELECT i, %d, got, want FROM (SELECT i, %s AS got, (%s)::text AS want FROM u WHERE s = %s) c WHERE got IS DISTINCT FROM want)'
                             % (number, got, theirs % literal, literal))
        if not scans:
            return {}
        rows = db.query(' UNION ALL '.join(scans), table,
                        after='CREATE TEMP TABLE u AS SELECT i, s, v::bson AS b, v::bson::jsonb AS j, w::bson AS x, w::bson::jsonb AS y FROM t; SET jit = off;')
        return {int(i): '%s is %s, jsonb has %s' % (list(self.twins)[int(n)], got, want) for i, n, got, want in rows if not alike(got, want)}


# Every step, operator and method of the language, and what its parser reads with care
SEEDS = (
    '$', 'strict $', 'lax $.a[*].b', '$.*', '$[*]', '$.**', '$.**{2}', '$.**{1 to 3}', '$.**{last}', '$.a[0, 1 to last, last - 1]',
    '$."a b".c', r'$."\u0061\x62\t"', '$.a ? (@ > 1)', '$ ? (@.a == 1 && @.b != "x" || !(@.c <= 2.5e-1))', '$[*] ? (exists (@.a ? (@ like_regex "^a.*" flag "ix")))',
    '$.a ? ((@ > 1) is unknown)', '$.a ? (@ starts with "b")', '$.a ? (@ starts with $x)', '$.a + $.b * -2 - 3 % 2 / 4', '-$.a', '+$[*]', '$x', '$x.a[*]',
    '($.a).b', '($.a == 1).type()', '$.a == 1', '$.type()', '$[*].size()', '$.a.double().abs().floor()', '$.ceiling()', '$.keyvalue() ? (@.key == "a").value',
    '$[*].datetime()', '$.datetime("YYYY-MM-DD")', '"2015-03-11".datetime() < "2016-01-01T10:00:00".datetime()', '$ ? (@.datetime() == "12:34:56".datetime())',
    '1 + "a"', 'null', 'true == false', '"a" == $.a', '1e400', '0.1e-300', '12345678901234567890.5', '$.a[$.b]', '$[last ? (@ > 0)]', '$ ? ($[0] == @[last])', '$.a /* b */ .c',
    '$ ? (@ == 1) ? (@ != 2) [*]', '$.**{1 to last} ? (@.type() == "number" && @ % 2 == 0)', '(($.a))[*].b', '$ ? (@.a[*] > @.b[*])', '1 == 1 && 2 > $.a', '$[0 to 1, 1 to 0, -1]',
)

PARTS = re.compile(r'\w+|"[^"]*"|\s+|[<>=!&|*]+|.', re.S)
ODD = ('', '$', '@', '.', '**', '[*]', '[', ']', '(', ')', '?', '{', '}', '"', '\\', '/*', '*/', 'last', 'to', 'is unknown', 'exists', 'strict', 'flag "q"', '"("', '-1', '0', '1.5',
       '9223372036854775808', '1e1000', '.type()', '.double()', '.size()', '.keyvalue()', '.datetime()', ' == ', ' && ', ' || ', '!', '-', '+', '/', '%', ',', "'", 'é', '\u0001', '$x', '$""')


class JsonPathMutants(JsonPath):
    """What jsonpath texts become by changes of few parts: mostly no paths, but those that are have jsonb's answers."""
    count = 700

    def cases(self, g, n):
        r, paths = g.rng, PathGenerator(g.rng)
        return [(plain(g, props_change.small_value(g, 3)), self.mutant(r, [r.choice(SEEDS), paths.path()]),
                 (raw.DOC, [(b'x', plain(g, props_change.small_value(g, 1)))])) for _ in range(n)]

    def mutant(self, r, texts):
        first, second = [PARTS.findall(t) for t in (texts if r.random() < .5 else texts[::-1])]
        for _ in range(r.choice((1, 1, 1, 2, 3, 6))):
            i, j = r.randrange(len(first) + 1), r.randrange(len(second) + 1)
            kind = r.randrange(7)
            if kind == 0:
                first[i:i + 1] = [r.choice(ODD)]
            elif kind == 1:
                first[i:i] = [r.choice(ODD)]
            elif kind == 2:
                del first[i:i + r.randrange(1, 4)]
            elif kind == 3:
                first[i:i + r.randrange(3)] = second[j:j + r.randrange(1, 6)]
            elif kind == 4:
                first[i:i] = first[i:i + r.randrange(1, 6)] * r.choice((1, 1, 2, 40))
            elif kind == 5:
                first = first[:i] + second[j:]
            elif first:
                k, m = r.randrange(len(first)), r.randrange(len(first))
                first[k], first[m] = first[m], first[k]
        return ''.join(first)


def beyond_decimal128(path):
    """Does a path hold a number that numeric may still hold, and that is an error here, or no item where errors are silent?"""
    exact = decimal.Context(prec=100000)
    for number in re.findall(r'[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?', path):
        try:
            value = exact.normalize(exact.create_decimal(number))
        except decimal.DecimalException:
            return True
        if len(value.as_tuple().digits) > 34 or not -6176 <= value.adjusted() <= 6144:
            return True
    return False


def rounded(number):
    """As a decimal128 has it, where what was computed has more digits."""
    return '{:g}'.format(decimal.Context(prec=34).create_decimal(number.group()).normalize())


def alike(got, want):
    """The same, numbers by value, to 34 digits; keyvalue()'s ids are offsets, so they differ."""
    got, want = (t and re.sub(r'-?[0-9][0-9.]{33,}', rounded, re.sub(r'"id": \d+', '"id": 0', t)) for t in (got, want))
    if got == want:
        return True
    if got is None or want is None or 'error' in got or 'error' in want:
        return False
    try:
        return model.last_wins(model.from_json(got)) == model.last_wins(model.from_json(want))
    except ValueError:
        return False


PROPERTIES = [JsonPath, JsonPathStrings, JsonPathSites, JsonPathMutants]
