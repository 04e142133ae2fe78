"""MongoDB's query language over raw.py's trees, for the operators that need no text of their own."""
import model
import raw

MISSING = None


def expand(node, parts, leaves=True):
    """
    What a dotted path leads to: values, or MISSING.  Arrays on the way stand for
    their documents, or for the element a number names; at the end, if "leaves",
    for their elements and themselves.
    """
    if not parts:
        yield from _leaf(node, leaves)
        return
    found = model.field(node, parts[0]) if node[0] == raw.DOC else MISSING
    yield from _rest(found, parts[1:], leaves)


def _leaf(node, leaves):
    if leaves and node[0] == raw.ARRAY:
        for _, child in node[1]:
            yield child
    yield node


def _rest(node, parts, leaves):
    if node is MISSING:
        yield MISSING
    elif not parts:
        yield from _leaf(node, leaves)
    elif node[0] == raw.DOC:
        yield from expand(node, parts, leaves)
    elif node[0] == raw.ARRAY:
        for _, child in node[1]:
            if child[0] == raw.DOC:
                yield from expand(child, parts, leaves)
        if parts[0].isdigit() and (parts[0] == b'0' or not parts[0].startswith(b'0')):
            if int(parts[0]) < len(node[1]):
                yield from _rest(node[1][int(parts[0])][1], parts[1:], leaves)
    else:
        yield MISSING


def is_nullish(node):
    return node is MISSING or node[0] in (raw.NULL, raw.UNDEFINED)


def compare(how, operand):
    def test(node):
        if is_nullish(node) or is_nullish(operand):
            return how in ('$eq', '$gte', '$lte') and is_nullish(node) and is_nullish(operand)
        x, y = model.order(node), model.order(operand)
        return x[0] == y[0] and {'$eq': x == y, '$gt': x > y, '$gte': x >= y, '$lt': x < y, '$lte': x <= y}[how]
    return test


TYPES = {b'number': model.NUMBERS, b'string': (raw.STRING,), b'object': (raw.DOC,), b'array': (raw.ARRAY,), b'null': (raw.NULL,),
         b'int': (raw.INT32,), b'bool': (raw.BOOL,)}


def holds(node, parts, name, operand):
    """Does this operator hold of what the path leads to?"""
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
    if name == '$not':
        return not all(holds(node, parts, k.decode(), v) for k, v in operand[1])
    if name == '$elemMatch':
        return any(any(element_matches(child, operand) for _, child in v[1])
                   for v in expand(node, parts, False) if v is not MISSING and v[0] == raw.ARRAY)
    raise KeyError(name)


def element_matches(child, query):
    if query[1] and query[1][0][0].startswith(b'$') and query[1][0][0] not in (b'$and', b'$or', b'$nor'):
        return all(single(child, k.decode(), v) for k, v in query[1])
    if child[0] == raw.ARRAY:       # its positions are names
        child = (raw.DOC, child[1])
    return child[0] == raw.DOC and matches(child, query)


def single(child, name, operand):
    """The operator on this one value, whose elements do not count."""
    if name == '$ne':
        return not single(child, '$eq', operand)
    if name == '$in':
        return any(single(child, '$eq', choice) for _, choice in operand[1])
    if name == '$nin':
        return not single(child, '$in', operand)
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
