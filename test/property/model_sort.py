"""MongoDB's sort over raw.py's trees: rows of values where paths lead through an array, and the first of them."""
import functools

import model
import raw

NOTHING = (raw.NULL, b'')


class Refused(Exception):
    """Paths go through different arrays, or a number is both a position and a name."""


def key(document, sort):
    """The sort key of the document: a (value, direction) for each (path, 1 or -1)."""
    rows = expand(document, [path.split(b'.') for path, _ in sort])
    return min(rows, key=functools.cmp_to_key(lambda a, b: compare(a, b, [d for _, d in sort])))


def compare(a, b, directions):
    for x, y, direction in zip(a, b, directions):
        x, y = model.order(x), model.order(y)
        if x != y:
            return -direction if x < y else direction
    return 0


def expand(node, paths):
    """
    All rows that the rest of each path gives in this node.  A rest is a list of names; a value that was reached; or ('at',
    names, array, element), where the first of the names is the position of an element that is searched with the other
    names.
    """
    reached = [path if isinstance(path, tuple) and path[0] != 'at' else follow(node, path) for path in paths]
    arrays = {id(r[1]): r[1] for r in reached if r[0] == 'array'}
    if len(arrays) > 1:
        raise Refused
    if not arrays:
        return [reached]
    array, = arrays.values()
    whole = any(r[0] == 'array' and r[3] for r in reached)
    rows = []
    for child in [c for _, c in array[1]] or [(raw.UNDEFINED, b'')]:
        rests = []
        for r in reached:
            if r[0] != 'array':
                rests.append(r)
            elif not r[2]:
                rests.append(array if whole else child)
            else:
                rests.append(rest_in(array, r[2]))
        rows += expand(child, rests)
    return rows


def rest_in(array, names):
    """Names within the array's elements: the first may be the position of one."""
    if names[0].isdigit() and names[0] == b'%d' % int(names[0]) and int(names[0]) < len(array[1]):
        return 'at', names, array, array[1][int(names[0])][1]
    return names


def follow(node, path):
    """A value, or ('array', value, the remaining names, whether it is an element named by its position)."""
    nested = False
    if path[0] == 'at':
        _, names, _, element = path
        if node[0] == raw.DOC and model.field(node, names[0]) is not None:
            raise Refused
        node, names, nested = element, names[1:], element[0] == raw.ARRAY
    else:
        names = path
        if node[0] != raw.DOC:
            return NOTHING
        node, names = model.field(node, names[0]), names[1:]
    while node is not None and names and node[0] == raw.DOC:
        node, names = model.field(node, names[0]), names[1:]
    if node is None:
        return NOTHING
    if node[0] == raw.ARRAY:
        return 'array', node, names, nested
    return NOTHING if names else node
