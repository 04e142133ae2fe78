"""The right results of changes, containment and tests for keys: jsonb's rules, but the order of keys is kept."""
import model
import raw


class Refused(Exception):
    """The result is an error with this SQLSTATE."""


def items(nodes):
    """An array of these."""
    return raw.ARRAY, [(b'%d' % i, n) for i, n in enumerate(nodes)]


def nodes(array):
    return [n for _, n in array[1]]


def is_null(node):
    return node[0] == raw.NULL


def is_string(node, bytes):
    """A string of these bytes; a symbol counts as a string, as in the order."""
    return node[0] in (raw.STRING, raw.SYMBOL) and raw.text(node) == bytes


SET, REPLACE, BEFORE, AFTER, DELETE = 'set', 'replace', 'before', 'after', 'delete'


def change(node, path, how, value=None):
    """bson_set (SET, or REPLACE without create), bson_insert (BEFORE, AFTER) and #- (DELETE)."""
    if node[0] not in raw.CONTAINERS:
        raise Refused('22023')
    if not path or (not node[1] and how in (DELETE, REPLACE)):
        return node
    return _change(node, path, how, value)


def _change(node, path, how, value):
    if node[0] not in raw.CONTAINERS:
        return node
    return (_change_field if node[0] == raw.DOC else _change_element)(node, path, how, value)


def _change_field(node, path, how, value):
    step, rest = path[0], path[1:]
    names = [k for k, _ in node[1]]
    if step not in names:
        return (raw.DOC, node[1] + [(step, value)]) if not rest and how in (SET, BEFORE, AFTER) else node
    if not rest and how == DELETE:
        return raw.DOC, [(k, n) for k, n in node[1] if k != step]
    if not rest and how in (BEFORE, AFTER):
        raise Refused('22023')
    at = names.index(step)
    new = _change(node[1][at][1], rest, how, value) if rest else value
    return raw.DOC, node[1][:at] + [(step, new)] + node[1][at + 1:]


def _change_element(node, path, how, value):
    rest, children = path[1:], nodes(node)
    index = model.as_index(path[0])
    if index is None:
        raise Refused('22P02')
    if index < 0:
        index += len(children)
    if not 0 <= index < len(children):
        if rest or how in (REPLACE, DELETE):
            return node
        return items([value] + children if index < 0 else children + [value])
    if rest:
        return items(children[:index] + [_change(children[index], rest, how, value)] + children[index + 1:])
    new = {SET: [value], REPLACE: [value], BEFORE: [value, children[index]], AFTER: [children[index], value],
           DELETE: []}[how]
    return items(children[:index] + new + children[index + 1:])


def delete_keys(node, keys):
    """- text and - text[]: fields of these names, or strings equal to them."""
    if node[0] == raw.DOC:
        return raw.DOC, [(k, n) for k, n in node[1] if k not in keys]
    if node[0] != raw.ARRAY:
        raise Refused('22023')
    return items([n for n in nodes(node) if not any(is_string(n, k) for k in keys)])


def delete_index(node, index):
    if node[0] != raw.ARRAY:
        raise Refused('22023')
    children = nodes(node)
    if index < 0:
        index += len(children)
    return items(children[:index] + children[index + 1:] if 0 <= index < len(children) else children)


def concat(left, right):
    if left[0] == right[0] == raw.DOC:
        new = dict(right[1])
        return raw.DOC, [(k, new.pop(k, n)) for k, n in left[1]] + list(new.items())
    return items([n for side in (left, right) for n in (nodes(side) if side[0] == raw.ARRAY else [side])])


def strip_nulls(node, in_arrays=False):
    if node[0] == raw.DOC:
        return raw.DOC, [(k, strip_nulls(n, in_arrays)) for k, n in node[1] if not is_null(n)]
    if node[0] == raw.ARRAY:
        return items([strip_nulls(n, in_arrays) for n in nodes(node) if not (in_arrays and is_null(n))])
    return node


def has_key(node, key):
    if node[0] == raw.DOC:
        return model.field(node, key) is not None
    return any(is_string(n, key) for n in (nodes(node) if node[0] == raw.ARRAY else [node]))


def contains(node, part):
    """@>"""
    if node[0] == raw.ARRAY and part[0] not in raw.CONTAINERS:
        return any(n[0] not in raw.CONTAINERS and equal(n, part) for n in nodes(node))
    return _contains(node, part)


def _contains(node, part):
    if node[0] not in raw.CONTAINERS or part[0] not in raw.CONTAINERS:
        return node[0] not in raw.CONTAINERS and part[0] not in raw.CONTAINERS and equal(node, part)
    if node[0] != part[0]:
        return False
    if node[0] == raw.DOC:
        found = ((model.field(node, k), model.field(part, k)) for k, _ in part[1])
        return all(have is not None and _contains(have, n) for have, n in found)
    return all(any(_contains(have, n) for have in nodes(node)) for n in nodes(part))


def equal(x, y):
    return model.order(x) == model.order(y)


def normal(node):
    """With 0, 1, 2 ... as the keys of every array, because it is not specified which other keys a change keeps."""
    if node[0] == raw.DOC:
        return raw.DOC, [(k, normal(n)) for k, n in node[1]]
    if node[0] == raw.ARRAY:
        return items([normal(n) for n in nodes(node)])
    return node
