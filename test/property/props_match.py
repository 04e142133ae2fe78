"""bson_match answers as MongoDB's query language does."""
import db
import gen
import model_change as change
import model_match
import raw
from property import Property


class QueryGenerator:
    def __init__(self, g):
        self.g = g
        self.rng = g.rng
        self.for_document = False

    def leaf(self):
        r = self.rng
        if self.for_document and r.random() < .05:      # a query refuses this value
            return raw.UNDEFINED, b''
        return r.choice((gen.int32(r.randrange(3)), gen.int32(r.randrange(3)), gen.int64(r.randrange(3)), gen.double(r.choice((0.0, 1.0, 1.5, 2.0))),
                         gen.decimal(False, r.randrange(30), -1), gen.NULL, gen.text(raw.STRING, r.choice('ab')), (raw.BOOL, b'\1'), (raw.OBJECTID, b'x' * 12)))

    def node(self, depth=3):
        r = self.rng
        kind = r.random()
        if depth == 0 or kind < .4:
            return self.leaf()
        if kind < .7:
            return change.items([self.node(depth - 1) for _ in range(r.randrange(4))])
        return self.document(depth - 1)

    def document(self, depth=3):
        r = self.rng
        return raw.DOC, [(k, self.node(depth)) for k in r.sample((b'a', b'b', b'c', b'0', b'1'), r.randrange(4))]

    def operators(self, depth, in_element=False):
        r = self.rng
        names = ['$eq', '$ne', '$gt', '$gte', '$lt', '$lte', '$in', '$nin']
        if not in_element:
            names += ['$mod', '$bitsAllSet', '$bitsAllClear', '$bitsAnySet', '$bitsAnyClear', '$exists', '$type', '$size', '$all', '$not', '$elemMatch', '$elemMatch']
        return raw.DOC, [(name.encode(), self.operand(name, depth)) for name in r.sample(names, r.choice((1, 1, 1, 2)))]

    def operand(self, name, depth):
        r = self.rng
        if name in ('$in', '$nin', '$all'):
            return change.items([self.node(1) for _ in range(r.randrange(4))])
        if name == '$exists':
            return raw.BOOL, bytes((r.randrange(2),))
        if name == '$type':
            return gen.text(raw.STRING, r.choice(list(model_match.TYPES)))
        if name == '$size':
            return gen.int32(r.randrange(4))
        if name == '$mod':
            return change.items([gen.double(r.choice((1.0, 2.0, 2.9, -3.0))), gen.int32(r.randrange(-1, 2))])
        if name.startswith('$bits'):
            return change.items([gen.int32(r.choice((0, 1, 2, 63, 200))) for _ in range(r.randrange(3))])
        if name == '$not':
            return self.operators(depth - 1) if depth > 0 else (raw.DOC, [(b'$eq', self.leaf())])
        if name == '$elemMatch':
            return self.query(depth - 1) if r.random() < .6 and depth > 0 else self.operators(0, True)
        return self.leaf() if name != '$eq' and r.random() < .7 else self.node(2)

    def query(self, depth=2):
        r = self.rng
        clauses = []
        for _ in range(r.choice((0, 1, 1, 1, 2))):
            if depth > 0 and r.random() < .2:
                clauses.append((r.choice((b'$and', b'$or', b'$nor')), change.items([self.query(depth - 1) for _ in range(r.randrange(1, 3))])))
            else:
                path = b'.'.join(r.choice((b'a', b'a', b'b', b'c', b'0', b'1')) for _ in range(r.choice((1, 1, 2, 2, 3, 3, 6))))
                clauses.append((path, self.operators(depth) if r.random() < .7 else self.value()))
        return raw.DOC, clauses

    def value(self):
        node = self.node(2)
        return node if node[0] != raw.DOC or not node[1] or not node[1][0][0].startswith(b'$') else gen.NULL


class Match(Property):
    """bson_match over random documents and queries that are often true of them."""
    functions = ('bson_match(bson,bson)',)
    count = 2000
    shrinks = False

    def cases(self, g, n):
        q = QueryGenerator(g)
        cases = []
        for _ in range(n):
            q.for_document = True
            document = q.document()
            q.for_document = False
            cases.append((document, q.query()))
        return cases

    def check(self, cases, rng):
        rows = db.query('SELECT bson_match(v::bson, w::bson) FROM t ORDER BY i', ('v bytea, w bytea', [
            (raw.stored(d), raw.stored(q)) for d, q in cases]))
        failures = {}
        for i, (got,) in enumerate(rows):
            want = model_match.matches(*cases[i])
            if got != ('t' if want else 'f'):
                failures[i] = 'server %s, oracle %s' % (got, want)
        return failures

    def show(self, case):
        return '%s\n          @~ %s' % tuple(readable(c) for c in case)


def readable(node):
    return db.query("SELECT '\\x%s'::bson" % raw.stored(node).hex())[0][0]


PROPERTIES = [Match]
