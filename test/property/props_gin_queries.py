"""Every GIN operator class finds what a scan finds, for queries at the limits of what keys can prove."""
import db
import gen
import raw
from property import Property

NAMES = [b'a', b'b', b'c', b'', b'a.b', b'a rather long name, longer than keys', 'é'.encode()]

COMPARE = """
CREATE FUNCTION ids(tab text, op text, q text, type text) RETURNS int[] LANGUAGE plpgsql AS $$
DECLARE result int[];
BEGIN
    EXECUTE format('SELECT coalesce(array_agg(i ORDER BY i), ''{}'') FROM %I WHERE b %s %L::%s',
                   tab, op, q, type) INTO result;
    RETURN result;
EXCEPTION WHEN invalid_parameter_value THEN     -- a query that means nothing
    RETURN '{}';
END $$;
"""


class Documents(gen.Generator):
    """Documents that have much in common, so that conditions hold for some and not for others."""

    def leaf(self):
        r = self.rng
        return r.choice((
            lambda: gen.int32(r.randrange(4)),
            lambda: gen.int64(r.randrange(4)),
            lambda: gen.double(r.choice((0.0, -0.0, 1.0, 1.5, 2.0, 1.1, 2.0**70, float('nan'), float('inf')))),
            lambda: gen.decimal(False, r.choice((0, 10, 15, 20, 11)), -1),
            lambda: gen.decimal(False, r.choice((2**70, 1180591620717411300000, 2**60 + 1)), 0),
            lambda: gen.int64(r.choice((2**60, 2**60 + 1, -2**63, -1, -128, 127, 128, 255, 256, 2**55, -2**55))),
            lambda: gen.text(raw.STRING, r.choice(('a', 'b', 'x', '', 'a.b', 'ab', 'abc', 'a\0b', 'xyz' * 20, 'xyz' * 19 + 'xy!'))),
            lambda: gen.text(raw.SYMBOL, r.choice(('a', 'b', 'ab'))),
            lambda: gen.text(raw.CODE, 'a'),
            lambda: (raw.SCOPED, (b'a', [(b'a', r.choice((gen.int32(1), gen.double(1.0))))])),
            lambda: (raw.BOOL, bytes((r.randrange(2),))),
            lambda: gen.NULL,
            lambda: (raw.UNDEFINED, b''),
            lambda: (raw.MINKEY, b''),
            lambda: (raw.DATE, r.choice((b'\0' * 8, b'\1' + b'\0' * 7))),
            lambda: (raw.OBJECTID, b'123456789012'),
            lambda: gen.binary(r.randrange(3), b'ab'),
            lambda: self.scalar(),
        ))()

    def node(self, depth=3):
        r = self.rng
        kind = r.random()
        if depth == 0 or kind < .45:
            return self.leaf()
        if kind < .7:
            nodes = [self.node(depth - 1) for _ in range(r.choice((0, 1, 1, 2, 3)))]
            return raw.ARRAY, [(b'%d' % i, n) for i, n in enumerate(nodes)]
        elements = [(r.choice(NAMES[:3] if r.random() < .8 else NAMES), self.node(depth - 1))
                    for _ in range(r.choice((0, 1, 1, 2, 2, 3)))]
        if r.random() < .8:
            elements = list(dict(elements).items())
        return raw.DOC, elements

    def document(self):
        r = self.rng
        if r.random() < .1:
            return raw.root(self.stored())
        if r.random() < .2:
            return self.node()
        return raw.DOC, [(r.choice(NAMES[:3]), self.node()) for _ in range(r.choice((1, 2, 3)))]

    def part(self, node):
        """A value that the given one contains, or nearly contains."""
        r = self.rng
        if r.random() < .05:
            return self.node(1)
        if node[0] not in raw.CONTAINERS:
            return self.respelled(node)
        elements = [(k, self.part(n)) for k, n in node[1] if r.random() < .6]
        if node[0] == raw.DOC and r.random() < .8:
            elements = list(dict(reversed(elements)).items())
        return node[0], elements

    def respelled(self, node):
        """An equal value of another type, where there is one."""
        r = self.rng
        if node[0] in (raw.INT32, raw.INT64) and r.random() < .5:
            i = int.from_bytes(node[1], 'little', signed=True)
            return r.choice((gen.int64(i), gen.double(float(i)) if abs(i) < 2**53 else node,
                             gen.decimal(i < 0, abs(i) * 100, -2)))
        if node[0] == raw.STRING and r.random() < .2:
            return raw.SYMBOL, node[1]
        return node

    # --- jsonpath

    def literal(self, node):
        r = self.rng
        kind, data = node
        if r.random() < .1:
            return r.choice(('1', '1.1', '"a"', 'true', 'null', '1.0', '1180591620717411300000', '2e0'))
        if kind in (raw.INT32, raw.INT64):
            return str(int.from_bytes(data, 'little', signed=True))
        if kind in (raw.STRING, raw.SYMBOL) and b'\0' not in data[4:-1]:
            return quoted(data[4:-1])
        if kind == raw.BOOL:
            return 'true' if data[0] else 'false'
        if kind in (raw.NULL, raw.UNDEFINED):
            return 'null'
        if kind == raw.DATE and data[1:] == bytes(7):
            return '"1970-01-01T00:00:00.00%dZ".datetime()' % data[0]
        return r.choice(('0', '1', '1.1', '1.5', '2', '"a"', 'true', 'null'))

    def steps(self, node, most=4):
        """A path into the value, and what it leads to."""
        r = self.rng
        path = ''
        for _ in range(most):
            if node[0] == raw.DOC and node[1] and r.random() < .9:
                key, node = r.choice(node[1])
                path += r.choice(('.' + quoted(key),) * 9 + ('.*', '.**'))
            elif node[0] == raw.ARRAY and node[1] and r.random() < .9:
                i = r.randrange(len(node[1]))
                node = node[1][i][1]
                path += r.choice(('[*]', '[*]', '', '', '[%d]' % i, '[last]', '.**'))
            elif r.random() < .1:
                path += r.choice(('[*]', '.a', '[0]', '[1]', '[0 to 2]', '.size()', '.type()'))
            else:
                break
            if r.random() < .15:
                path += ' ? (%s)' % self.predicate(node, '@', 1)
                path += r.choice(('',) * 8 + ('[*]', '[0]', '[1]'))
        return path, node

    def predicate(self, node, base, depth):
        r = self.rng
        kind = r.random()
        if depth > 0 and kind < .3:
            return '(%s %s %s)' % (self.predicate(node, base, depth - 1), r.choice(('&&', '&&', '||')),
                                   self.predicate(node, base, depth - 1))
        if depth > 0 and kind < .4:
            return '!(%s)' % self.predicate(node, base, depth - 1)
        kind = r.random()
        if depth > 0 and kind < .05:
            return '(%s) is unknown' % self.predicate(node, base, 0)
        path, leaf = self.steps(node)
        if base == '@' and r.random() < .1:
            base = '$'
        if kind < .15:
            return 'exists(%s%s)' % (base, path)
        if kind < .2:
            return '%s%s starts with %s' % (base, path, r.choice(('"a"', '"ab"', '""', '"xyzxyzxyzxyzxyzxyzxyz"')))
        if kind < .23:
            return '%s%s like_regex "^a"' % (base, path)
        if kind < .33:
            low, high = r.choice((('0', '2'), ('1', '1.5'), ('1.1', '1.1'), ('"a"', '"abc"'), ('"xyz"', '"xyzz"'), ('false', 'true'),
                                  ('null', '1'), ('-1000', '2000000000000000000000'), (self.literal(leaf), self.literal(leaf))))
            return '(%s%s %s %s && %s %s %s%s)' % (base, path, r.choice(('>', '>=')), low, high, r.choice(('>', '>=')), base, path)
        op = r.choice(('==',) * 6 + ('!=', '<', '>', '<=', '>='))
        sides = [base + path, self.literal(leaf)]
        if r.random() < .15:
            sides.reverse()
        if r.random() < .05:
            sides[1] = base + self.steps(node)[0]
        return '%s %s %s' % (sides[0], op, sides[1])

    def jsonpath(self, node, match):
        r = self.rng
        mode = r.choice(('', '', '', 'lax ', 'strict '))
        if match and r.random() < .95:
            return mode + self.predicate(node, '$', 2)
        path, leaf = self.steps(node)
        if r.random() < .7:
            path += ' ? (%s)' % self.predicate(leaf, '@', 2)
        return mode + '$' + path


    # --- MongoDB's queries

    def dotted(self, node):
        r = self.rng
        path = []
        while len(path) < 4:
            if node[0] == raw.DOC and node[1]:
                key, node = r.choice(node[1])
                path.append(key)
            elif node[0] == raw.ARRAY and node[1]:
                i = r.randrange(len(node[1]))
                node = node[1][i][1]
                if r.random() < .2:
                    path.append(b'%d' % i)
            else:
                break
        return b'.'.join(path) or b'a', node

    def test(self, node, depth=1):
        """An operator and its operand."""
        r = self.rng
        operand = self.respelled(node) if r.random() < .8 else self.leaf()
        few = lambda: (raw.ARRAY, [(b'%d' % i, n if n[0] != raw.REGEX else gen.NULL) for i, n in
                                   enumerate(r.choice(((operand,), (operand, self.leaf()), (gen.int32(1), gen.int32(2)))))])
        elements = [n for _, n in node[1]] if node[0] == raw.ARRAY and node[1] else [self.node(1)]
        return r.choice((
            lambda: (b'$eq', operand), lambda: (b'$gt', operand), lambda: (b'$gte', operand), lambda: (b'$lt', operand),
            lambda: (b'$lte', operand), lambda: (b'$ne', operand), lambda: (b'$in', few()), lambda: (b'$nin', few()),
            lambda: (b'$exists', (raw.BOOL, bytes((r.randrange(2),)))), lambda: (b'$size', gen.int32(r.randrange(3))),
            lambda: (b'$type', gen.text(raw.STRING, r.choice(('string', 'number', 'array', 'object', 'null')))),
            lambda: (b'$not', (raw.DOC, [self.test(node, 0)])) if depth else (b'$eq', operand),
            lambda: (b'$elemMatch', self.query(r.choice(elements), 0) if r.random() < .5 or depth == 0
                     else (raw.DOC, [self.test(r.choice(elements), 0)]))))()

    def query(self, node, depth=1):
        r = self.rng
        fields = []
        for _ in range(r.choice((1, 1, 1, 2))):
            path, value = self.dotted(node)
            if r.random() < .4 and value[0] != raw.REGEX and not (value[0] == raw.DOC and any(k[:1] == b'$' for k, _ in value[1])):
                fields.append((path, self.respelled(value)))
            else:
                tests = [self.test(value) for _ in range(r.choice((1, 1, 2)))]
                fields.append((path, (raw.DOC, tests)))
        if depth and r.random() < .3:
            fields.append((r.choice((b'$or', b'$and', b'$nor')),
                           (raw.ARRAY, [(b'%d' % i, self.query(node, 0)) for i in range(r.choice((1, 2)))])))
        if depth and r.random() < .2:
            fields.append((b'$expr', self.expression(node)))
        return raw.DOC, list(dict(fields).items())

    def expression(self, node):
        """A comparison of two fields, or of a field with a value."""
        r = self.rng
        sides = [gen.text(raw.STRING, '$' + r.choice(('a', 'b', 'c', 'a.b'))) for _ in range(2)]
        if r.random() < .5:
            sides[1] = raw.DOC, [(b'$literal', self.respelled(self.dotted(node)[1]))]
        return raw.DOC, [(r.choice((b'$eq', b'$ne', b'$lt', b'$gte')), (raw.ARRAY, [(b'0', sides[0]), (b'1', sides[1])]))]


def quoted(name):
    return '"%s"' % ''.join(c if c.isalnum() or c in ' .,' else ''.join('\\u%04x' % u for u in utf16(c)) for c in name.decode())


def utf16(c):
    data = c.encode('utf-16-be')
    return [int.from_bytes(data[i:i + 2], 'big') for i in range(0, len(data), 2)]


class GinQueries(Property):
    """Each operator of each class, on values stored before the index was made and after."""
    count = 1000
    operators = ('@>(bson,bson)', '@?(bson,jsonpath)')
    shrinks = False
    rows = 400
    documents = Documents
    names = NAMES

    def cases(self, g, n):
        d = self.documents(0)
        d.rng = g.rng
        self.classes = db.query("SELECT opcname, array_agg(DISTINCT o.oprname) FROM pg_opclass c"
                                " JOIN pg_am a ON a.oid = opcmethod AND amname = 'gin'"
                                " JOIN pg_amop p ON amopfamily = opcfamily JOIN pg_operator o ON o.oid = amopopr"
                                " WHERE opcintype = to_regtype('bson') GROUP BY 1")
        self.docs = [d.document() for _ in range(self.rows)]
        cases = []
        for _ in range(n):
            node = g.rng.choice(self.docs)
            kind = g.rng.random()
            if kind < .2:
                cases.append(('@~', '\\x' + raw.stored(d.query(node)).hex(), 'bson'))
            elif kind < .4:
                cases.append(('@>', '\\x' + raw.stored(d.part(node)).hex(), 'bson'))
            elif kind < .45:
                cases.append(('?', g.rng.choice(self.names + [b'x', b'ab']).decode(), 'text'))
            elif kind < .5:
                keys = [g.rng.choice(self.names + [b'x']) for _ in range(g.rng.randrange(4))]
                keys = db.text_array(keys).replace('"x"', 'NULL') if g.rng.random() < .2 else db.text_array(keys)
                cases.append((g.rng.choice(('?|', '?&')), keys, 'text[]'))
            elif kind < .75:
                cases.append(('@?', d.jsonpath(node, False), 'jsonpath'))
            else:
                cases.append(('@@', d.jsonpath(node, True), 'jsonpath'))
        return cases

    def check(self, cases, rng):
        script = ['CREATE SCHEMA gin_queries_test; SET search_path = gin_queries_test, public;', COMPARE,
                  'CREATE TABLE v (i int, x bytea, late bool); COPY v FROM STDIN;\n']
        for i, node in enumerate(self.docs):
            script.append('%d\t\\\\x%s\t%s\n' % (i, raw.stored(node).hex(), 'ft'[i % 4 == 0]))
        script.append('\\.\nCREATE TABLE plain AS SELECT i, x::bson AS b FROM v;\n')
        for name, _ in self.classes:
            script.append('CREATE TABLE %s AS SELECT i, x::bson AS b FROM v WHERE NOT late;'
                          'CREATE INDEX ON %s USING gin (b %s);'
                          'INSERT INTO %s SELECT i, x::bson FROM v WHERE late;\n' % ((name,) * 4))
        script.append('CREATE TABLE q (n int, op text, q text, type text); COPY q FROM STDIN;\n')
        for n, case in enumerate(cases):
            script.append('\t'.join([str(n)] + [db._escape(f) for f in case]) + '\n')
        script.append('\\.\nSET enable_seqscan = off; SET jit = off;\n')
        parts = ["SELECT n, '%s', ids('plain', op, q, type), ids('%s', op, q, type) FROM q WHERE op = ANY ('%s')"
                 % (name, name, operators) for name, operators in self.classes]
        try:
            rows = db.query('SELECT n, class, x.i, x.i = ANY (want) FROM (%s) s (n, class, want, got),'
                            ' LATERAL (SELECT DISTINCT ON (n, class) i FROM unnest(want || got) i'
                            ' WHERE (i = ANY (want)) <> (i = ANY (got)) ORDER BY n, class, i) x'
                            % ' UNION ALL '.join(parts), before=''.join(script))
        finally:
            db.run('DROP SCHEMA IF EXISTS gin_queries_test CASCADE;')
        failures = {}
        for n, name, i, wanted in rows:
            failures[int(n)] = ("%s %s '\\x%s'" % (name, 'does not find' if wanted == 't' else 'finds',
                                                   raw.stored(self.docs[int(i)]).hex()))
        return failures

    def show(self, case):
        return "%s '%s'::%s" % case


class Lookalikes(Documents):
    """Documents with the bytes of a stored envelope, as roots, below them, in one another, and near to one."""

    def around(self, node):
        r = self.rng
        first = (b'', (raw.MINKEY, b''))
        if r.random() < .8:
            return raw.DOC, [first, (b'', node)]
        return raw.DOC, r.choice(([(b'', node)], [(b'', node), first], [first, (b'', node), (b'', gen.NULL)], [first, (b'a', node)],
                                  [(b'', (raw.MAXKEY, b'')), (b'', node)]))

    def node(self, depth=3):
        if depth > 0 and self.rng.random() < .5:
            return self.around(self.node(depth - 1))
        return super().node(depth)

    def document(self):
        r = self.rng
        if r.random() < .3:
            return self.around(self.node(2))
        if r.random() < .3:
            return self.node()
        return raw.DOC, [(r.choice((b'a', b'b', b'')), self.node()) for _ in range(r.choice((1, 2)))]

    def part(self, node):
        r = self.rng
        if r.random() < .1:
            return self.around(node)
        # what is in it, as if it were one
        if node[0] == raw.DOC and len(node[1]) == 2 and node[1][0][0] == b'' and r.random() < .2:
            return node[1][1][1]
        return super().part(node) if r.random() < .6 else node


class GinLookalikes(GinQueries):
    """The same of documents that look like envelopes: what is in one is not taken for a value alone, nor one for the other."""
    count = 600
    documents = Lookalikes
    names = [b'', b'', b'a', b'b']


PROPERTIES = [GinQueries, GinLookalikes]
