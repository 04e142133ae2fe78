"""The accessors give the oracle's answers."""
import db
import gen
import model
import raw
from property import Property


def path_into(rng, node):
    """A text[] path that mostly leads somewhere."""
    path = []
    while rng.random() < .85:
        if rng.random() < .07:
            path.append(rng.choice(gen.NAMES + [b'-0', b'+1', b' 1', b'1 ', b'01', b'99999999999', b'-2147483648', b'1.0']))
            node = model.follow(node, path[-1:]) or gen.NULL
        elif node[0] == raw.DOC and node[1]:
            key, node = rng.choice(node[1])
            path.append(key)
            node = node if rng.random() < .9 else gen.NULL
        elif node[0] == raw.ARRAY and node[1]:
            n = rng.randrange(len(node[1]))
            node = node[1][n][1]
            path.append(b'%d' % n)
        else:
            break
        if len(path) > 1100:
            break
    return path


def step_into(rng, node):
    """A key and an index, mostly of existing elements."""
    elements = node[1] if node[0] in raw.CONTAINERS else []
    key = rng.choice(elements)[0] if elements and rng.random() < .8 else rng.choice(gen.NAMES)
    size = len(elements)
    index = rng.choice((rng.randint(-size - 1, size + 1), 0, -1, 2**31 - 1, -2**31, size, -size, size - 1))
    return key, index


def wanted(node):
    """The stored bytes of a result, for comparison with what the server gave."""
    return None if node is None else raw.stored(node)


class _Get(Property):
    """Over a value b with a key k, an index n and a path p."""
    count = 1500
    columns = 'k text, n int, p text[]'
    expressions = ()

    def check(self, cases, rng):
        roots = [raw.root(c) for c in cases]
        steps = [step_into(rng, r) + (path_into(rng, r),) for r in roots]
        rows = db.on_values(self.expressions, cases, self.columns, [(k.decode(), n, db.text_array(p)) for k, n, p in steps])
        failures = {}
        for i, row in enumerate(rows):
            for expression, got, expected in zip(self.expressions, row, self.expected(roots[i], *steps[i])):
                if not self.same(got, expected):
                    failures[i] = ('%s is %r, the oracle says %r; k = %r, n = %d, p = %r'
                                   % (expression, got, expected, steps[i][0], steps[i][1], steps[i][2]))[:2500]
        return failures

    def same(self, got, expected):
        return db.unbytea(got) == wanted(expected)

    def expected(self, root, key, index, path):
        raise NotImplementedError


class Get(_Get):
    """-> by key and index, #> by path, and their functions."""
    expressions = ('(b -> k)::bytea', '(b -> n)::bytea', '(b #> p)::bytea', '(b -> k -> n)::bytea',
                   'bson_object_field(b, k)::bytea', 'bson_array_element(b, n)::bytea',
                   'bson_extract_path(b, VARIADIC p)::bytea')
    operators = ('->(bson,text)', '->(bson,int)', '#>(bson,text[])')

    def expected(self, root, key, index, path):
        by_key, by_index, by_path = model.field(root, key), model.element(root, index), model.follow(root, path)
        return (by_key, by_index, by_path, by_key and model.element(by_key, index), by_key, by_index, by_path)


class GetChains(_Get):
    """A constant chain of steps, which the planner may collapse, gives the same as its steps one by one."""
    count = 40
    expressions = ()
    operators = Get.operators

    def cases(self, g, n):
        wrapped = [raw.stored((raw.DOC, [(b'a', (raw.DOC, [(b'', (raw.MINKEY, b'')), (b'', g.value(2))]))])) for _ in range(n // 10)]
        return wrapped + super().cases(g, n - len(wrapped))

    def check(self, cases, rng):
        failures = {}
        script = []
        expected = []
        for i, case in enumerate(cases):
            node, chain = raw.root(case), 'b'
            for _ in range(rng.randrange(1, 6)):
                key, index = step_into(rng, node or gen.NULL)
                use_key = rng.random() < (.9 if node and node[0] == raw.DOC else .1)
                if use_key:
                    chain += " -> " + quote(key)
                    node = node and model.field(node, key)
                else:
                    chain += ' -> (%d)' % index
                    node = node and model.element(node, index)
            expected.append((node, chain))
            script.append("SELECT %d, (%s)::bytea, (%s) -#> 'a' FROM (SELECT '\\x%s'::bytea::bson AS b OFFSET 0) s"
                          % (i, chain, chain, case.hex()))
        for i, got, got_int in db.query(' UNION ALL '.join(script)):
            i = int(i)
            node, chain = expected[i]
            if db.unbytea(got) != wanted(node):
                failures[i] = '%s is %s, the oracle says %s' % (chain, got, wanted(node))
            wanted_int = model.exact_int(node and model.field(node, b'a'), 32)
            if got_int != (None if wanted_int is None else str(wanted_int)):
                failures[i] = "(%s) -#> 'a' is %s, the oracle says %s" % (chain, got_int, wanted_int)
        return failures


def quote(text):
    return "E'%s'" % text.decode().replace('\\', '\\\\').replace("'", "\\'")


class GetText(_Get):
    """->> and #>> and their functions."""
    expressions = ('b ->> k', 'b ->> n', 'b #>> p', 'bson_object_field_text(b, k)', 'bson_array_element_text(b, n)',
                   'bson_extract_path_text(b, VARIADIC p)')
    operators = ('->>(bson,text)', '->>(bson,int)', '#>>(bson,text[])')

    def check(self, cases, rng):
        roots = [raw.root(c) for c in cases]
        steps = [step_into(rng, r) + (path_into(rng, r),) for r in roots]
        calls = ['pg_temp.try($x$%s$x$, v::bson, k, n, p)' % e for e in self.expressions]
        rows = db.query('SELECT %s FROM t ORDER BY i' % ', '.join(calls), ('v bytea, ' + self.columns, [
            (cases[i], k.decode(), n, db.text_array(p)) for i, (k, n, p) in enumerate(steps)]), """
            CREATE FUNCTION pg_temp.try(expression text, b bson, k text, n int, p text[]) RETURNS text LANGUAGE plpgsql AS $$
            DECLARE
                result text;
            BEGIN
                EXECUTE 'SELECT (' || expression || ')::text FROM (SELECT $1 AS b, $2 AS k, $3 AS n, $4 AS p) s' INTO result USING b, k, n, p;
                RETURN result;
            EXCEPTION WHEN untranslatable_character THEN
                RETURN 'error ' || SQLSTATE;
            END $$;\n""")
        failures = {}
        for i, row in enumerate(rows):
            key, index, path = steps[i]
            nodes = (model.field(roots[i], key), model.element(roots[i], index), model.follow(roots[i], path)) * 2
            for expression, got, node in zip(self.expressions, row, nodes):
                if not same_text(got, node):
                    failures[i] = ('%s is %r, the oracle says %r; k = %r, n = %d, p = %r'
                                   % (expression, got, model.plain_text(node), key, index, path))[:2500]
        return failures


def same_text(got, node):
    want = model.plain_text(node)
    if want is model.DATE_BEYOND_PYTHON:
        return got is not None
    if isinstance(want, list):      # or an Object
        return got is not None and model.from_json(got) == want
    if want is not None and '\0' in want:
        return got == 'error 22P05'
    if want is not None and node[0] == raw.DOUBLE and want[-1].isdigit():
        # the notation is that of the server, but the digits are not
        return model.exact(got) == model.exact(want) and any(c in got for c in '.e') and got[0] == want[0]
    return got == want


class GetNative(_Get):
    """-#> is an exact int4 or NULL, -&> a boolean or NULL; neither ever fails."""
    expressions = ('b -#> k', 'b -#> n', 'b -#> p', 'b -&> k', 'b -&> n', 'b -&> p')
    operators = ('-#>(bson,text)', '-#>(bson,int)', '-#>(bson,text[])',
                 '-&>(bson,text)', '-&>(bson,int)', '-&>(bson,text[])')

    def cases(self, g, n):
        # half of them have many numbers and booleans
        plain = []
        for _ in range(n // 2):
            nodes = [g.number() if g.rng.random() < .8 else g.scalar(raw.BOOL) for _ in range(g.rng.randrange(1, 6))]
            if g.rng.random() < .5:
                plain.append(raw.stored((raw.ARRAY, [(b'%d' % i, x) for i, x in enumerate(nodes)])))
            else:
                plain.append(raw.stored((raw.DOC, [(g.key(), x) for x in nodes])))
        return plain + super().cases(g, n - n // 2)

    def expected(self, root, key, index, path):
        found = model.field(root, key), model.element(root, index), model.follow(root, path)
        return [model.exact_int(node, 32) for node in found] + \
            [None if node is None or node[0] != raw.BOOL else node[1] == b'\1' for node in found]

    def same(self, got, expected):
        if isinstance(expected, bool):
            return got == ('t' if expected else 'f')
        return got == (None if expected is None else str(expected))


class Inspect(Property):
    """bson_typeof, bson_array_length, the keys and elements in their order."""
    functions = ('bson_typeof(bson)', 'bson_array_length(bson)', 'bson_object_keys(bson)', 'bson_each(bson)',
                 'bson_array_elements(bson)')
    count = 1000
    max_bytes = 20000

    def check(self, cases, rng):
        is_doc = "(bson_typeof(b) = 'object')"
        is_array = "(bson_typeof(b) = 'array')"
        listed = "(SELECT string_agg(encode(convert_to(%s, 'UTF8'), 'hex') || ':' || %s, ',' ORDER BY o) " \
                 "FROM %s WITH ORDINALITY AS x(%s, o))"
        rows = db.on_values([
            'bson_typeof(b)',
            'CASE WHEN %s THEN bson_array_length(b) END' % is_array,
            'CASE WHEN %s THEN %s END' % (is_doc, listed % ('key', "''", 'bson_object_keys(b)', 'key')),
            'CASE WHEN %s THEN %s END' % (is_doc, listed % ('key', "encode(value::bytea, 'hex')", 'bson_each(b)', 'key, value')),
            'CASE WHEN %s THEN %s END' % (is_array, listed % ("''", "encode(value::bytea, 'hex')", 'bson_array_elements(b)', 'value')),
        ], cases)
        failures = {}
        for i, row in enumerate(rows):
            kind, children = raw.root(cases[i])
            doc, array = kind == raw.DOC, kind == raw.ARRAY
            expected = [
                model.TYPE_NAMES[kind],
                str(len(children)) if array else None,
                ','.join(k.hex() + ':' for k, _ in children) or None if doc else None,
                ','.join(k.hex() + ':' + raw.stored(n).hex() for k, n in children) or None if doc else None,
                ','.join(':' + raw.stored(n).hex() for _, n in children) or None if array else None,
            ]
            if row != expected:
                failures[i] = ('server %s, oracle %s' % (row, expected))[:2500]
        return failures


PROPERTIES = [Get, GetChains, GetText, GetNative, Inspect]
