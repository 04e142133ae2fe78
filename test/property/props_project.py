"""bson_project and the stage $set put what is calculated where MongoDB does."""
import db
import gen
import model_change as change
import props_match
import raw
from property import Property

MISSING = None


def path_of(node, names):
    """What an expression "$name.name" yields."""
    for i, name in enumerate(names):
        if node[0] == raw.ARRAY:
            found = [path_of(n, names[i:]) for n in change.nodes(node) if n[0] == raw.DOC]
            return change.items([n for n in found if n is not MISSING])
        node = dict(node[1]).get(name, MISSING) if node[0] == raw.DOC else MISSING
        if node is MISSING:
            return MISSING
    return node


def included(tree, node):
    """The fields that the tree names, those that become documents later without a value yet."""
    if node[0] == raw.ARRAY:
        return raw.ARRAY, [(k, included(tree, n)) for k, n in node[1]]
    if node[0] != raw.DOC:
        return MISSING
    kept = []
    for key, value in node[1]:
        below = tree.get(key)
        if below == 'include':
            kept.append((key, value))
        elif isinstance(below, dict):
            kept.append((key, included(below, value)))
    return raw.DOC, kept


def computes(tree):
    return any(isinstance(t, tuple) or isinstance(t, dict) and computes(t) for t in tree.values())


def computed(tree, node, root):
    if node is not MISSING and node[0] == raw.ARRAY:
        return raw.ARRAY, [(k, computed(tree, n, root)) for k, n in node[1]]
    if node is MISSING or node[0] != raw.DOC:
        if not computes(tree):
            return node
        node = raw.DOC, []
    fields = dict(node[1])
    for key, below in tree.items():
        if isinstance(below, dict):
            fields[key] = computed(below, fields.get(key, MISSING), root)
        elif below != 'include':
            kind, operand = below
            fields[key] = operand if kind == 'literal' else path_of(root, operand)
    return raw.DOC, list(fields.items())


def stripped(node):
    if node[0] not in raw.CONTAINERS:
        return node
    left = [(k, stripped(n)) for k, n in node[1] if n is not MISSING]
    return change.items([n for _, n in left]) if node[0] == raw.ARRAY else (raw.DOC, left)


class Compute(Property):
    """Paths and constants, at paths through documents and arrays."""
    functions = ('bson_project(bson,bson,bson)', 'bson_update(bson,bson)')
    count = 2000
    shrinks = False
    names = (b'a', b'a', b'b', b'c', b'0', b'1')

    def cases(self, g, n):
        q = props_match.QueryGenerator(g)
        return [self.case(q) for _ in range(n)]

    def path(self, r):
        return tuple(r.choice(self.names) for _ in range(r.choice((1, 1, 2, 2, 3))))

    def case(self, q):
        """(document, {path: 'include', ('literal', node) or ('path', names)}, is it a projection)"""
        r = q.rng
        projects = r.random() < .5
        spec = {}
        for _ in range(r.choice((1, 1, 2, 3))):
            path = self.path(r)
            if any(path[:len(p)] == p or p[:len(path)] == path for p in spec):
                continue
            kind = r.random()
            if projects and kind < .3:
                spec[path] = 'include'
            elif kind < .5:
                spec[path] = 'literal', q.node(1)
            else:
                spec[path] = 'path', self.path(r)
        if all(v == 'include' for v in spec.values()):
            spec[(b'x',)] = 'path', self.path(r)
        return q.document(), spec, projects

    def tree(self, spec):
        tree = {}
        for path, what in spec.items():
            at = tree
            for name in path[:-1]:
                at = at.setdefault(name, {})
            at[path[-1]] = what
        return tree

    def written(self, spec):
        fields = []
        for path, what in spec.items():
            if what == 'include':
                operand = gen.int32(1)
            elif what[0] == 'literal':
                operand = raw.DOC, [(b'$literal', what[1])]
            else:
                operand = gen.text(raw.STRING, '$' + b'.'.join(what[1]).decode())
            fields.append((b'.'.join(path), operand))
        return raw.DOC, fields

    def argument(self, case):
        document = self.written(case[1])
        return document if case[2] else change.items([(raw.DOC, [(b'$set', document)])])

    def want(self, case):
        document, spec, projects = case
        tree = self.tree(spec)
        base = included(tree, document) if projects else document
        return stripped(computed(tree, base, document))

    def check(self, cases, rng):
        rows = db.query("SELECT encode((CASE WHEN p THEN bson_project(v::bson, w::bson) ELSE bson_update(v::bson, w::bson) END)::bytea, 'hex')"
                        ' FROM t ORDER BY i', ('v bytea, w bytea, p bool', [
                            (raw.stored(c[0]), raw.stored(self.argument(c)), c[2]) for c in cases]))
        failures = {}
        for i, (got,) in enumerate(rows):
            want = raw.stored(self.want(cases[i])).hex()
            if got != want:
                failures[i] = 'server %s, oracle %s' % (shown(got), shown(want))
        return failures

    def show(self, case):
        return '%s\n          %s' % (props_match.readable(case[0]), props_match.readable(self.argument(case)))


def shown(hexed):
    return db.query("SELECT '\\x%s'::bson" % hexed)[0][0]


PROPERTIES = [Compute]
