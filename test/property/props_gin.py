"""An index finds the rows a scan finds: each operator class of GIN, btree and hash, each operator."""
import db
import gen
import model_change as change
import props_change
import props_jsonpath
import props_match
import props_order
import raw
from property import Property

SETUP = """
CREATE TEMP TABLE d (id serial, b bson);
CREATE FUNCTION pg_temp.ids(condition text, x bson, k text, ks text[], p jsonpath) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text;
BEGIN
    EXECUTE 'SELECT coalesce(string_agg(id::text, '','' ORDER BY id), '''') FROM d WHERE ' || condition INTO result USING x, k, ks, p;
    RETURN result;
EXCEPTION WHEN OTHERS THEN
    RETURN 'error ' || SQLSTATE;
END $$;
CREATE FUNCTION pg_temp.both(condition text, x bson, k text, ks text[], p jsonpath) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    scanned text;
    found text;
BEGIN
    SET LOCAL enable_seqscan = on;
    SET LOCAL enable_indexscan = off;
    SET LOCAL enable_bitmapscan = off;
    scanned := pg_temp.ids(condition, x, k, ks, p);
    SET LOCAL enable_seqscan = off;
    SET LOCAL enable_indexscan = on;
    SET LOCAL enable_bitmapscan = on;
    found := pg_temp.ids(condition, x, k, ks, p);
    RETURN CASE WHEN scanned = found THEN CASE WHEN scanned = '' THEN 'none' WHEN scanned LIKE 'error%' THEN scanned ELSE 'some' END
        ELSE 'a scan finds ' || left(scanned, 300) || ', the index ' || left(found, 300) END;
END $$;
"""


class _Index(Property):
    """The cases are queries; the rows that they search come from the seed, too."""
    count = 250
    shrinks = False
    index = ''
    conditions = ()
    rows_count = 800

    def documents(self, g):
        r = g.rng
        few = [props_change.as_stored(props_change.small_value(g, 3)) for _ in range(40)]
        return few + [props_change.as_stored(r.choice((
            lambda: props_change.part_of(g, r.choice(few)), lambda: props_change.small_value(g, 3),
            lambda: props_change.small_value(g, 1), lambda: g.root()))()) for _ in range(self.rows_count)]

    def cases(self, g, n):
        """(condition, other value, key, keys, path)"""
        r = g.rng
        self.rows = [d for d in self.documents(g) if len(raw.stored(d)) < 20000]
        paths = props_jsonpath.PathGenerator(r)
        cases = []
        for _ in range(n):
            source = r.choice(self.rows)
            other = props_change.as_stored(r.choice((source, props_change.part_of(g, source), props_change.small_value(g, 2))))
            keys = [r.choice((b'a', b'b', b'c', b'', b'0', 'é'.encode(), b'zz')) for _ in range(r.randrange(4))]
            cases.append((r.choice(self.conditions), other, keys[0] if keys else b'a', keys, paths.path(1)))
        return cases

    def check(self, cases, rng):
        half = len(self.rows) // 2
        script = [SETUP, props_jsonpath.TRY]
        for part, after in ((self.rows[:half], 'CREATE INDEX di ON d USING %s;\n' % self.index), (self.rows[half:], '')):
            script.append('COPY d (b) FROM STDIN;\n' + ''.join('\\\\x%s\n' % raw.stored(v).hex() for v in part) + '\\.\n' + after)
        script.append('DELETE FROM d WHERE id % 17 = 0; UPDATE d SET id = -id WHERE id % 13 = 0;\n')
        rows = db.query('SELECT i, pg_temp.both(c, x::bson, k, ks, pg_temp.path(p)) FROM t ORDER BY i',
                        ('c text, x bytea, k text, ks text[], p text', [
                            (c, raw.stored(x), k.decode(), db.text_array(ks), p) for c, x, k, ks, p in cases]), ''.join(script))
        # a scan may raise an error in a row that the index does not visit
        self.some = sum(answer == 'some' for _, answer in rows)
        return {int(i): answer for i, answer in rows if answer is not None and answer.startswith('a scan') and not answer.startswith('a scan finds error')}

    def show(self, case):
        c, x, k, ks, p = case
        return "%s USING '\\x%s', %r, %r, '%s'" % (c, raw.stored(x).hex(), k.decode(), ks, p)


class GinOps(_Index):
    """GIN, bson_ops."""
    functions = ('bson_gin_extract_value(bson,internal)',)
    index = 'gin (b)'
    conditions = ('b @> $1', 'b @> $1', 'b ? $2', 'b ?| $3', 'b ?& $3', 'b @? $4', 'b @@ $4', 'b @> $1 AND b ? $2')


class GinPathOps(_Index):
    """GIN, bson_path_ops."""
    functions = ('bson_gin_extract_value_path(bson,internal)',)
    index = 'gin (b bson_path_ops)'
    conditions = ('b @> $1', 'b @> $1', 'b @? $4', 'b @@ $4')


class GinRangeOps(GinPathOps):
    """GIN, bson_range_ops."""
    functions = ('bson_gin_extract_value_range(bson,internal)',)
    index = 'gin (b bson_range_ops)'


class GinMatch(_Index):
    """MongoDB's queries, in each class of GIN."""
    functions = ('bson_match(bson,bson)',)
    count = 300

    def cases(self, g, n):
        self.index = g.rng.choice((GinOps, GinPathOps, GinRangeOps)).index
        q = props_match.QueryGenerator(g)
        self.rows = [props_change.as_stored(q.document()) for _ in range(self.rows_count)]
        return [('b @~ $1', q.query(), b'', [], '$') for _ in range(n)]


class Btree(_Index):
    """The default btree class."""
    index = 'btree (b)'
    conditions = ('b = $1', 'b < $1', 'b <= $1', 'b > $1', 'b >= $1', 'b BETWEEN $1 AND $1 || $1')

    def documents(self, g):
        return [d for d in (raw.root(c) for c in props_order.family(g, self.rows_count)) if len(raw.stored(d)) < 1000]


class Hash(Btree):
    """The default hash class."""
    index = 'hash (b)'
    conditions = ('b = $1',)


PROPERTIES = [GinOps, GinPathOps, GinRangeOps, GinMatch, Btree, Hash]
