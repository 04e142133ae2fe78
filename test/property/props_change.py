"""Changes, containment and existence give the oracle's answers, and those of jsonb if it can hold the values."""
import db
import gen
import model
import model_change as change
import props_get
import raw
from property import Property

TRY = """
CREATE FUNCTION pg_temp.try(expression text, b bson, k text, n int, p text[], x bson, ks text[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text;
BEGIN
    EXECUTE 'SELECT (' || expression || ')::text FROM (SELECT $1 AS b, $2 AS k, $3 AS n, $4 AS p, $5 AS x, $6 AS ks) s'
        INTO result USING b, k, n, p, x, ks;
    RETURN result;
EXCEPTION WHEN OTHERS THEN
    RETURN 'error ' || SQLSTATE;
END $$;
"""


def small_value(g, depth=2):
    """Containers of few names and values, so that keys, elements and containment often meet."""
    r = g.rng
    kind = r.random()
    if depth == 0 or kind < .4:
        return r.choice((gen.NULL, gen.int32(r.randrange(3)), gen.double(float(r.randrange(3))), gen.text(raw.STRING, r.choice('abc')),
                         gen.text(raw.STRING, ''), (raw.BOOL, b'\1'), g.number(), gen.int64(1), g.scalar()))
    if kind < .7:
        return change.items([small_value(g, depth - 1) for _ in range(r.randrange(5))])
    elements = [(r.choice((b'a', b'b', b'c', b'', b'0', b'1', 'é'.encode())), small_value(g, depth - 1)) for _ in range(r.randrange(5))]
    return raw.DOC, list(dict(elements).items())


class _Change(Property):
    """Each expression over b, k (a key), n (an index), p (a path), x (another value), ks (keys)."""
    count = 700
    operators = ('-(bson,text)', '||(bson,bson)', '@>(bson,bson)')
    expressions = {}
    shrinks = False

    def cases(self, g, n):
        """(value, key, index, path, other value, keys)"""
        r = g.rng
        cases = []
        for _ in range(n):
            root = as_stored(small_value(g, 3) if r.random() < .7 else g.root())
            if len(raw.stored(root)) > 20000:
                continue
            key, index = props_get.step_into(r, root)
            path = props_get.path_into(r, root) or [key]
            if r.random() < .3:
                path = path + [r.choice((b'a', b'0', b'-1', b'new', b'5', b'x'))]
            other = as_stored(small_value(g) if r.random() < .5 else part_of(g, root))
            keys = [props_get.step_into(r, root)[0] for _ in range(r.randrange(4))]
            cases.append((root, key, index, path, other, keys))
        return cases

    def rows(self, cases, expressions, before=''):
        calls = ['pg_temp.try($x$%s$x$, v::bson, k, n, p, w::bson, ks)' % e for e in expressions]
        return db.query('SELECT %s FROM t ORDER BY i' % ', '.join(calls), ('v bytea, k text, n int, p text[], w bytea, ks text[]', [
            (raw.stored(root), key.decode(), index, db.text_array(path), raw.stored(other), db.text_array(keys))
            for root, key, index, path, other, keys in cases]), before + TRY)

    def check(self, cases, rng):
        failures = {}
        for i, row in enumerate(self.rows(cases, ['(%s)%s' % (e, cast) for e, (cast, _) in self.expressions.items()])):
            for (expression, (cast, wanted)), got in zip(self.expressions.items(), row):
                try:
                    want = wanted(*cases[i])
                except change.Refused as refused:
                    want = 'error %s' % refused
                if cast and not isinstance(want, str):
                    same = got is not None and not got.startswith('error') and \
                        change.normal(raw.root(db.unbytea(got))) == change.normal(as_stored(want))
                else:
                    same = got == want
                if not same:
                    failures[i] = '%s is %s, the oracle says %s' % (expression, got, raw.stored(want).hex() if isinstance(want, tuple) else want)
        return failures

    def show(self, case):
        root, key, index, path, other, keys = case
        return "b = '\\x%s', k = %r, n = %d, p = %r, x = '\\x%s', ks = %r" % (
            raw.stored(root).hex(), key.decode(), index, path, raw.stored(other).hex(), keys)


def as_stored(node):
    """The value that the stored bytes stand for; for a document with the bytes of an envelope, that is the value in it."""
    return raw.root(raw.stored(node))


def part_of(g, node):
    """A value that the given one contains, or nearly contains."""
    r = g.rng
    if r.random() < .07:
        return small_value(g, 1)
    if node[0] == raw.DOC:
        return raw.DOC, r.sample([(k, part_of(g, n)) for k, n in node[1]], r.randrange(len(node[1]) + 1))
    if node[0] == raw.ARRAY:
        picked = [part_of(g, n) for n in r.choices(change.nodes(node), k=r.randrange(4))] if node[1] else []
        return picked[0] if picked and r.random() < .1 else change.items(picked)
    import props_order
    return props_order.same_number(g, node)


def boolean(value):
    return 'true' if value else 'false'


class Change(_Change):
    """bson_set, bson_insert, #-, -, || and bson_strip_nulls."""
    expressions = {
        'bson_set(b, p, x)': ('::bytea', lambda b, k, n, p, x, ks: change.change(b, p, change.SET, x)),
        'bson_set(b, p, x, false)': ('::bytea', lambda b, k, n, p, x, ks: change.change(b, p, change.REPLACE, x)),
        'bson_insert(b, p, x)': ('::bytea', lambda b, k, n, p, x, ks: change.change(b, p, change.BEFORE, x)),
        'bson_insert(b, p, x, true)': ('::bytea', lambda b, k, n, p, x, ks: change.change(b, p, change.AFTER, x)),
        'b #- p': ('::bytea', lambda b, k, n, p, x, ks: change.change(b, p, change.DELETE)),
        'b - k': ('::bytea', lambda b, k, n, p, x, ks: change.delete_keys(b, [k])),
        'b - ks': ('::bytea', lambda b, k, n, p, x, ks: change.delete_keys(b, ks)),
        'b - n': ('::bytea', lambda b, k, n, p, x, ks: change.delete_index(b, n)),
        'bson_strip_nulls(b)': ('::bytea', lambda b, k, n, p, x, ks: change.strip_nulls(b)),
        'bson_strip_nulls(b, true)': ('::bytea', lambda b, k, n, p, x, ks: change.strip_nulls(b, True)),
    }


class Concat(_Change):
    """||, of documents whose keys differ."""
    expressions = {'b || x': ('::bytea', lambda b, k, n, p, x, ks: change.concat(b, x))}

    def cases(self, g, n):
        return [c for c in super().cases(g, n) if all(v[0] != raw.DOC or len(dict(v[1])) == len(v[1]) for v in (c[0], c[4]))]


class Contain(_Change):
    """@>, ?, ?| and ?&."""
    expressions = {
        'b @> x': ('', lambda b, k, n, p, x, ks: boolean(change.contains(b, x))),
        'x @> b': ('', lambda b, k, n, p, x, ks: boolean(change.contains(x, b))),
        'x <@ b': ('', lambda b, k, n, p, x, ks: boolean(change.contains(b, x))),
        'b ? k': ('', lambda b, k, n, p, x, ks: boolean(change.has_key(b, k))),
        'b ?| ks': ('', lambda b, k, n, p, x, ks: boolean(any(change.has_key(b, key) for key in ks))),
        'b ?& ks': ('', lambda b, k, n, p, x, ks: boolean(all(change.has_key(b, key) for key in ks))),
    }


class LikeJsonb(_Change):
    """The same answers and errors as jsonb gives, of values both can hold."""
    count = 500
    twins = {
        'bson_set(b, p, x)': 'jsonb_set(b::jsonb, p, x::jsonb)',
        'bson_set(b, p, x, false)': 'jsonb_set(b::jsonb, p, x::jsonb, false)',
        'bson_insert(b, p, x)': 'jsonb_insert(b::jsonb, p, x::jsonb)',
        'bson_insert(b, p, x, true)': 'jsonb_insert(b::jsonb, p, x::jsonb, true)',
        'b #- p': 'b::jsonb #- p',
        'b - k': 'b::jsonb - k',
        'b - n': 'b::jsonb - n',
        'b - ks': 'b::jsonb - ks',
        'b || x': 'b::jsonb || x::jsonb',
        'bson_strip_nulls(b)': 'jsonb_strip_nulls(b::jsonb)',
        'b @> x': 'b::jsonb @> x::jsonb',
        'b <@ x': 'b::jsonb <@ x::jsonb',
        'b ? k': 'b::jsonb ? k',
        'b ?| ks': 'b::jsonb ?| ks',
        'b ?& ks': 'b::jsonb ?& ks',
        'b -> k': 'b::jsonb -> k',
        # jsonb treats a scalar as an array of one element here
        "CASE WHEN bson_typeof(b) IN ('array', 'object') THEN b -> n END":
            "CASE WHEN jsonb_typeof(b::jsonb) IN ('array', 'object') THEN b::jsonb -> n END",
        'b #> p': 'b::jsonb #> p',
        'bson_array_length(b)': 'jsonb_array_length(b::jsonb)',
        "(SELECT bson_agg(value) FROM bson_each(b))": "(SELECT jsonb_agg(value) FROM jsonb_each(b::jsonb))",
        "(SELECT bson_agg(value) FROM bson_array_elements(b))": "(SELECT jsonb_agg(value) FROM jsonb_array_elements(b::jsonb))",
    }
    yields_boolean = ('@>', '<@', 'b ?', 'length(')

    def cases(self, g, n):
        r = g.rng

        def plain(node):
            kind = node[0]
            if kind == raw.DOC:
                return raw.DOC, sorted(((k, plain(x)) for k, x in dict(node[1]).items()), key=lambda e: (len(e[0]), e[0]))
            if kind == raw.ARRAY:
                return change.items([plain(x) for x in change.nodes(node)])
            if kind in (raw.STRING, raw.BOOL, raw.NULL, raw.INT32, raw.INT64) and not (kind == raw.STRING and b'\0' in raw.text(node)):
                return node
            return gen.int32(r.randrange(4))
        return [(plain(root), key, index, path, plain(other), keys) for root, key, index, path, other, keys in super().cases(g, n)]

    def check(self, cases, rng):
        expressions = []
        for ours, theirs in self.twins.items():
            cast = '' if any(mark in ours for mark in self.yields_boolean) else '::jsonb'
            expressions += ['(%s)%s' % (ours, cast), theirs]
        failures = {}
        for i, row in enumerate(self.rows(cases, expressions)):
            for (ours, theirs), got, want in zip(self.twins.items(), row[::2], row[1::2]):
                if got != want:
                    failures[i] = '%s is %s, %s is %s' % (ours, got, theirs, want)
        return failures


PROPERTIES = [Change, Concat, Contain, LikeJsonb]
