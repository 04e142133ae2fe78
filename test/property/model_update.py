"""
MongoDB's updates over raw.py's trees, in the way of its server: paths are merged into a tree, whose leaves are applied
one after the other to a document that changes meanwhile. This was written from the server's rules, not from the C code.

A container is [type, cells] here and a cell [name, value], so that it can be changed; a scalar is as in raw.py.
"""
import decimal
import functools

import gen
import model
import model_change as change
import model_match
import raw

MISSING, REMOVED = object(), object()
CREATES = ('$set', '$inc', '$mul', '$bit', '$min', '$max', '$push', '$addToSet', '$setOnInsert')
STRICT = ('$pull', '$pullAll', '$pop')
MAX_PADDING = 1500000


class Refused(Exception):
    pass


def thaw(node):
    return [node[0], [[k, thaw(n)] for k, n in node[1]]] if node[0] in raw.CONTAINERS else node


def freeze(value):
    if value[0] == raw.ARRAY:
        return change.items([freeze(n) for _, n in value[1]])
    return (raw.DOC, [(k, freeze(n)) for k, n in value[1]]) if value[0] == raw.DOC else value


# --- the tree

def is_filter(name):
    return len(name) >= 3 and name.startswith(b'$[') and name.endswith(b']')


def before(a, b):
    """The server's order of names: numbers without leading zeroes by value, all others bytewise."""
    def counts(name):
        return name[:1].isdigit() and (name[:1] != b'0' or len(name) == 1)
    if counts(a) and counts(b) and len(a) != len(b):
        return len(a) - len(b)
    return (a > b) - (a < b)


class Inner:
    def __init__(self, of_array):
        self.of_array = of_array
        self.children = {}


class Leaf:
    def __init__(self, operator, path, operand):
        self.operator, self.path, self.operand = operator, path, operand


def grow(root, path, leaf, filters):
    parts = path.split(b'.')
    if not all(parts) or parts[0].startswith(b'$') or parts.count(b'$') > 1:
        raise Refused('path')
    node = root
    for i, part in enumerate(parts):
        if is_filter(part) and part != b'$[]' and part[2:-1] not in filters:
            raise Refused('filter')
        if i == len(parts) - 1:
            if part in node.children:
                raise Refused('conflict')
            node.children[part] = leaf
        else:
            of_array = is_filter(parts[i + 1])
            child = node.children.setdefault(part, Inner(of_array))
            if not isinstance(child, Inner) or child.of_array != of_array:
                raise Refused('conflict')
            node = child


def merge(x, y):
    if not isinstance(x, Inner) or not isinstance(y, Inner) or x.of_array != y.of_array:
        raise Refused('merge')
    node = Inner(x.of_array)
    node.children = dict(x.children)
    for name, child in y.children.items():
        node.children[name] = merge(node.children[name], child) if name in node.children else child
    return node


# --- walking

class Update:
    def __init__(self, doc, filters, position):
        self.root = [b'', thaw(doc)]
        self.filters = filters
        self.position = position
        # the server also refuses a second field below an _id that the same update makes; we accept it
        self.has_id = any(k == b'_id' for k, _ in doc[1])

    def step(self, holder, name):
        """The cell that a name leads to, or None."""
        if holder[0] == raw.DOC:
            return next((c for c in holder[1] if c[0] == name), None)
        if holder[0] == raw.ARRAY and name.isdigit() and int(name) < len(holder[1]):
            return holder[1][int(name)]
        return None

    def resolve(self, names):
        """(parent container, cell) as far as the names lead, and how many names that took."""
        parent, cell = None, self.root
        for i, name in enumerate(names):
            found = self.step(cell[1], name)
            if found is None:
                return parent, cell, i
            parent, cell = cell[1], found
        return parent, cell, len(names)

    def visit(self, node, names):
        if isinstance(node, Leaf):
            self.leaf(node, names)
            return
        if node.of_array:
            self.elements(node, names)
            return
        children = dict(node.children)
        if b'$' in children:
            positional = children.pop(b'$')
            if self.position is None:
                raise Refused('position')
            at = b'%d' % self.position
            children[at] = merge(positional, children[at]) if at in children else positional
        for name in sorted(children, key=functools.cmp_to_key(before)):
            self.visit(children[name], names + [name])

    def elements(self, node, names):
        parent, cell, depth = self.resolve(names)
        if depth < len(names) or cell[1][0] != raw.ARRAY:
            raise Refused('no array')
        for i, (_, element) in enumerate(cell[1][1]):
            frozen = freeze(element)
            chosen = [child for name, child in node.children.items() if name == b'$[]' or
                      model_match.matches((raw.DOC, [(name[2:-1], frozen)]), self.filters[name[2:-1]])]
            if chosen:
                self.visit(functools.reduce(merge, chosen), names + [b'%d' % i])

    def leaf(self, leaf, names):
        operator = leaf.operator
        if operator == 'source' or operator == '$setOnInsert':
            return
        if operator == '$rename':
            self.rename(leaf, names)
            return
        parent, cell, depth = self.resolve(names)
        if depth == len(names):
            new = apply(operator, leaf.operand, freeze(cell[1]))
            self.put(parent, cell, new, names)
        elif operator in CREATES:
            self.create(cell, names, depth, apply(operator, leaf.operand, MISSING))
        elif operator in STRICT and depth > 0:
            self.check_viable(cell[1], names[depth])

    def check_viable(self, holder, name):
        if not (holder[0] == raw.DOC or holder[0] == raw.ARRAY and name.isdigit()):
            raise Refused('not viable')

    def put(self, parent, cell, new, names):
        if new is MISSING or new is not REMOVED and new == freeze(cell[1]):
            return
        if names[0] == b'_id':
            raise Refused('_id')
        if new is not REMOVED:
            cell[1] = thaw(new)
        elif parent[0] == raw.ARRAY:
            cell[1] = gen.NULL
        else:
            parent[1][:] = [c for c in parent[1] if c is not cell]

    def create(self, cell, names, depth, new):
        holder = cell[1]
        if holder[0] not in raw.CONTAINERS:
            raise Refused('scalar')
        self.check_viable(holder, names[depth])
        if depth > 0 and names[0] == b'_id' and self.has_id:
            raise Refused('_id')
        new = thaw(new)
        for name in reversed(names[depth + 1:]):
            new = [raw.DOC, [[name, new]]]
        if holder[0] == raw.ARRAY:
            gap = int(names[depth]) - len(holder[1])
            if gap > MAX_PADDING:
                raise Refused('padding')
            holder[1] += [[b'', gen.NULL] for _ in range(gap)]
        holder[1].append([names[depth], new])

    def rename(self, leaf, names):
        source = leaf.operand.split(b'.')
        parent, cell, depth = self.resolve(source)
        if depth < len(source):
            if depth > 0:
                self.check_viable(cell[1], source[depth])
            return
        for i in range(len(source)):
            if self.resolve(source[:i])[1][1][0] == raw.ARRAY:
                raise Refused('source in array')
        for i in range(len(names)):
            holder = self.resolve(names[:i])
            if holder[2] == i and holder[1][1][0] == raw.ARRAY:
                raise Refused('destination in array')
        value = freeze(cell[1])
        to_parent, to_cell, depth = self.resolve(names)
        if depth == len(names):
            if names[0] == b'_id':
                raise Refused('_id')
            self.put(to_parent, to_cell, value, names)
        else:
            self.create(to_cell, names, depth, value)
        self.put(parent, cell, REMOVED, source)


# --- operators

def integer(kind, value):
    if kind == raw.INT32 and -2**31 <= value < 2**31:
        return gen.int32(value)
    if not -2**63 <= value < 2**63:
        raise Refused('overflow')
    return gen.int64(value)


CONTEXT = decimal.Context(prec=34, rounding=decimal.ROUND_HALF_EVEN, Emin=-6143, Emax=6144, clamp=1, traps=[])


def to_decimal(node):
    if node[0] == raw.DECIMAL:
        return decimal.Decimal(model.decimal_text(node))
    if node[0] == raw.DOUBLE:
        d = decimal.Context(prec=15, rounding=decimal.ROUND_HALF_EVEN).create_decimal_from_float(raw.double(node))
        if d.is_finite() and d != 0:
            sign, digits, exponent = d.as_tuple()
            zeroes = 15 - len(digits)
            d = decimal.Decimal((sign, digits + (0,) * zeroes, exponent - zeroes))
        return decimal.Decimal((d.is_signed(), (0,), 0)) if d == 0 else d
    return decimal.Decimal(int(model.number(node)))


def from_decimal(d):
    if d.is_nan():
        return raw.DECIMAL, bytes(15) + b'\x7c'
    if d.is_infinite():
        return raw.DECIMAL, bytes(15) + (b'\xf8' if d < 0 else b'\x78')
    sign, digits, exponent = d.as_tuple()
    return gen.decimal(sign, int(''.join(map(str, digits))), exponent)


def calculate(multiply, x, y):
    kinds = (x[0], y[0])
    if not all(k in model.NUMBERS for k in kinds):
        raise Refused('no number')
    if raw.DECIMAL in kinds:
        return from_decimal((CONTEXT.multiply if multiply else CONTEXT.add)(to_decimal(x), to_decimal(y)))
    if raw.DOUBLE in kinds:
        a, b = (raw.double(n) if n[0] == raw.DOUBLE else float(int(model.number(n))) for n in (x, y))
        return gen.double(a * b if multiply else a + b)
    a, b = int(model.number(x)), int(model.number(y))
    return integer(raw.INT32 if kinds == (raw.INT32, raw.INT32) else raw.INT64, a * b if multiply else a + b)


def bits(operand, child):
    kind, value = (raw.INT32, 0) if child is MISSING else (child[0], None)
    if kind not in (raw.INT32, raw.INT64):
        raise Refused('no integer')
    value = 0 if value == 0 else int(model.number(child))
    for name, node in operand[1]:
        other = int(model.number(node))
        value = {b'and': value & other, b'or': value | other, b'xor': value ^ other}[name]
        kind = raw.INT64 if node[0] == raw.INT64 else kind
    return gen.int64(value) if kind == raw.INT64 else gen.int32(value)


def each(operand):
    if operand[0] == raw.DOC and operand[1] and operand[1][0][0] == b'$each':
        return change.nodes(operand[1][0][1])
    return [operand]


def sort_keys(pattern):
    if pattern[0] != raw.DOC:
        return [(lambda n: n, model.number(pattern))]

    def field(path):
        def key(node):
            for name in path.split(b'.'):
                node = model.field(node, name) if node is not None and node[0] == raw.DOC else None
            return gen.NULL if node is None else node
        return key
    return [(field(path), model.number(direction)) for path, direction in pattern[1]]


def push(operand, nodes):
    modifiers = dict(operand[1]) if operand[0] == raw.DOC and any(k == b'$each' for k, _ in operand[1]) else None
    if modifiers is None:
        return nodes + [operand]
    nodes, new = list(nodes), change.nodes(modifiers[b'$each'])
    at = int(model.number(modifiers[b'$position'])) if b'$position' in modifiers else len(nodes)
    at = max(len(nodes) + at, 0) if at < 0 else min(at, len(nodes))
    nodes[at:at] = new
    if b'$sort' in modifiers:
        for key, direction in reversed(sort_keys(modifiers[b'$sort'])):
            nodes.sort(key=lambda n: model.order(key(n)), reverse=direction < 0)
    if b'$slice' in modifiers:
        keep = int(model.number(modifiers[b'$slice']))
        nodes = nodes[:keep] if keep >= 0 else nodes[max(len(nodes) + keep, 0):]
    return nodes


def add_to_set(operand, nodes):
    for one in each(operand):
        if not any(change.equal(one, have) for have in nodes):
            nodes = nodes + [one]
    return nodes


def pulled(condition, node):
    if condition[0] != raw.DOC:
        return change.equal(node, condition)
    if condition[1] and condition[1][0][0].startswith(b'$') and condition[1][0][0] not in (b'$and', b'$or', b'$nor'):
        return model_match.matches((raw.DOC, [(b'', node)]), (raw.DOC, [(b'', condition)]))
    return node[0] == raw.DOC and model_match.matches(node, condition)


def change_array(operator, operand, nodes):
    if operator == '$push':
        return push(operand, nodes)
    if operator == '$addToSet':
        return add_to_set(operand, nodes)
    if operator == '$pop':
        return nodes[:-1] if model.number(operand) == 1 else nodes[1:]
    if operator == '$pull':
        return [n for n in nodes if not pulled(operand, n)]
    return [n for n in nodes if not any(change.equal(n, x) for x in change.nodes(operand))]


def apply(operator, operand, child):
    """The result at the place: a node, REMOVED, or MISSING if nothing changes."""
    if operator == '$set':
        return operand
    if operator == '$unset':
        return REMOVED
    if operator in ('$inc', '$mul'):
        if child is MISSING:
            return operand if operator == '$inc' else calculate(True, operand, gen.int32(0))
        new = calculate(operator == '$mul', child, operand)
        return MISSING if new[0] == child[0] and model.number(new) == model.number(child) else new
    if operator == '$bit':
        return bits(operand, child)
    if operator in ('$min', '$max'):
        if child is MISSING:
            return operand
        x, y = model.order(operand), model.order(child)
        return operand if (x < y if operator == '$min' else x > y) else MISSING
    if child is not MISSING and child[0] != raw.ARRAY:
        raise Refused('no array')
    nodes = [] if child is MISSING else change.nodes(child)
    new = change_array(operator, operand, nodes)
    return MISSING if child is not MISSING and new == nodes else change.items(new)


def update(doc, changes, filters=None, position=None):
    """The document after [(operator, path, operand)]; filters is {name: query}."""
    filters = filters or {}
    root = Inner(False)
    for operator, path, operand in changes:
        if operator == '$rename':
            to = operand[1][4:-1]
            for one in (path, to):
                if any(part == b'$' or is_filter(part) for part in one.split(b'.')):
                    raise Refused('dynamic')
            grow(root, path, Leaf('source', path, None), filters)
            grow(root, to, Leaf('$rename', to, path), filters)
        else:
            grow(root, path, Leaf(operator, path, operand), filters)
    used = {part[2:-1] for _, path, _ in changes for part in path.split(b'.') if is_filter(part)}
    if set(filters) - used:
        raise Refused('unused filter')
    if position is None and any(b'$' in path.split(b'.') for _, path, _ in changes):
        raise Refused('position')
    at = Update(doc, filters, position)
    at.visit(root, [])
    new = freeze(at.root[1])
    if new == doc or not any(k == b'_id' for k, _ in new[1]):
        return new
    first = next(c for c in new[1] if c[0] == b'_id')
    return raw.DOC, [first] + [c for c in new[1] if c[0] != b'_id']
