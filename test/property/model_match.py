"""MongoDB's query language over raw.py's trees, without regular expressions."""
import math

import model
import raw

MISSING = None


def expand(node, parts, leaves=True):
    """
    What a dotted path leads to: values, or MISSING where a document on the way has no such field. An array on the way
    stands for its documents, and for the element that a number names; such an element at the end of the path stands only
    for itself. Any other array at the end stands, if "leaves" is set, for its elements and itself.
    """
    if not parts:
        yield from _leaf(node, leaves)
    elif node[0] == raw.DOC:
        found = model.field(node, parts[0])
        if found is MISSING or (len(parts) > 1 and found[0] not in (raw.DOC, raw.ARRAY)):
            yield MISSING
        else:
            yield from expand(found, parts[1:], leaves)
    elif node[0] == raw.ARRAY:
        for i, (_, child) in enumerate(node[1]):
            if child[0] == raw.DOC:
                yield from expand(child, parts, leaves)
            if parts[0] == b'%d' % i:
                if len(parts) == 1:
                    yield child
                elif child[0] in (raw.DOC, raw.ARRAY):
                    yield from expand(child, parts[1:], leaves)
    else:
        yield MISSING


def _leaf(node, leaves):
    if leaves and node[0] == raw.ARRAY:
        for _, child in node[1]:
            yield child
    yield node


def compare(how, operand):
    def test(node):
        if node is MISSING:
            return operand[0] == raw.NULL and how in ('$eq', '$gte', '$lte')
        x, y = model.order(node), model.order(operand)
        return x[0] == y[0] and {'$eq': x == y, '$gt': x > y, '$gte': x >= y, '$lt': x < y, '$lte': x <= y}[how]
    return test


def whole_number(node):
    """The value of a number without its fraction, if 64 bits hold it."""
    value = model.number(node) if node is not MISSING and node[0] in model.NUMBERS else model.NAN
    if isinstance(value, str) or not -2**63 <= math.trunc(value) < 2**63:
        return None
    return math.trunc(value)


def modulo(operand):
    divisor, remainder = (whole_number(v) for _, v in operand[1])

    def test(node):
        n = whole_number(node)
        # the sign is that of the dividend
        return n is not None and (abs(n) % abs(divisor)) * (-1 if n < 0 else 1) == remainder
    return test


def bits(name, operand):
    def test(node):
        n = model.exact_int(node, 64)
        if n is None:
            return False
        # as in Python, where all higher bits of an integer repeat its sign
        found = [bool(n >> raw.int32(p) & 1) == name.endswith('Set') for _, p in operand[1]]
        return all(found) if 'All' in name else any(found)
    return test


TYPES = {b'number': model.NUMBERS, b'string': (raw.STRING,), b'object': (raw.DOC,), b'array': (raw.ARRAY,), b'null': (raw.NULL,),
         b'int': (raw.INT32,), b'bool': (raw.BOOL,)}


def holds(node, parts, name, operand):
    """Does what the path leads to satisfy this operator?"""
    if name in ('$eq', '$gt', '$gte', '$lt', '$lte'):
        return any(map(compare(name, operand), expand(node, parts)))
    if name == '$ne':
        return not holds(node, parts, '$eq', operand)
    if name == '$in':
        return any(holds(node, parts, '$eq', choice) for _, choice in operand[1])
    if name == '$nin':
        return not holds(node, parts, '$in', operand)
    if name == '$exists':
        return (operand[1] == b'\1') == any(v is not MISSING for v in expand(node, parts, False))
    if name == '$type':
        return any(v is not MISSING and v[0] in TYPES[raw.text(operand)] for v in expand(node, parts))
    if name == '$size':
        return any(v is not MISSING and v[0] == raw.ARRAY and len(v[1]) == raw.int32(operand) for v in expand(node, parts, False))
    if name == '$all':
        return bool(operand[1]) and all(holds(node, parts, '$eq', each) for _, each in operand[1])
    if name == '$mod':
        return any(map(modulo(operand), expand(node, parts)))
    if name.startswith('$bits'):
        return any(map(bits(name, operand), expand(node, parts)))
    if name == '$not':
        return not all(holds(node, parts, k.decode(), v) for k, v in operand[1])
    if name == '$elemMatch':
        return any(any(element_matches(child, operand) for _, child in v[1])
                   for v in expand(node, parts, False) if v is not MISSING and v[0] == raw.ARRAY)
    raise KeyError(name)


def element_matches(child, query):
    if query[1] and query[1][0][0].startswith(b'$') and query[1][0][0] not in (b'$and', b'$or', b'$nor'):
        return all(single(child, k.decode(), v) for k, v in query[1])
    if child[0] == raw.ARRAY:       # positions of this array count as names
        child = (raw.DOC, child[1])
    return child[0] == raw.DOC and matches(child, query)


def single(child, name, operand):
    """Does this one value, without its elements, satisfy the operator?"""
    if name == '$ne':
        return not single(child, '$eq', operand)
    if name == '$in':
        return any(single(child, '$eq', choice) for _, choice in operand[1])
    if name == '$nin':
        return not single(child, '$in', operand)
    if name == '$mod':
        return modulo(operand)(child)
    if name.startswith('$bits'):
        return bits(name, operand)(child)
    return compare(name, operand)(child)


def matches(node, query):
    return all(clause(node, key, value) for key, value in query[1])


def clause(node, key, value):
    if key in (b'$and', b'$or', b'$nor'):
        answers = [matches(node, q) for _, q in value[1]]
        return all(answers) if key == b'$and' else any(answers) if key == b'$or' else not any(answers)
    parts = key.split(b'.')
    if value[0] == raw.DOC and value[1] and value[1][0][0].startswith(b'$'):
        return all(holds(node, parts, k.decode(), v) for k, v in value[1])
    return holds(node, parts, '$eq', value)
