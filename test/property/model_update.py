"""MongoDB's update operators over raw.py's trees, one operator and one path at a time."""
import gen
import model
import model_change as change
import model_match
import raw

MISSING = None
REMOVED = object()


class Refused(Exception):
    pass


def is_position(name):
    return name.isdigit()


def at(node, parts, new, creates):
    """The node with new(what is at the path) there; new() may answer MISSING, for no change, or REMOVED."""
    name, rest = parts[0], parts[1:]
    if node[0] == raw.DOC:
        names = [k for k, _ in node[1]]
        if name not in names:
            made = make(rest, new) if creates or not rest else MISSING
            return node if made in (MISSING, REMOVED) else (raw.DOC, node[1] + [(name, made)])
        where = names.index(name)
        made = inside(node[1][where][1], rest, new, creates)
        if made is MISSING:
            return node
        return raw.DOC, node[1][:where] + ([] if made is REMOVED else [(name, made)]) + node[1][where + 1:]
    nodes = change.nodes(node)
    if not is_position(name):
        if creates:
            raise Refused()
        return node
    where = int(name)
    if where < len(nodes):
        made = inside(nodes[where], rest, new, creates)
        return node if made is MISSING else change.items(nodes[:where] + [gen.NULL if made is REMOVED else made] + nodes[where + 1:])
    made = make(rest, new) if creates else MISSING
    return node if made in (MISSING, REMOVED) else change.items(nodes + [gen.NULL] * (where - len(nodes)) + [made])


def inside(child, rest, new, creates):
    if not rest:
        return new(child)
    if child[0] in raw.CONTAINERS:
        return at(child, rest, new, creates)
    if creates:
        raise Refused()
    return MISSING


def make(rest, new):
    made = new(MISSING)
    if made not in (MISSING, REMOVED):
        for name in reversed(rest):
            made = raw.DOC, [(name, made)]
    return made


def number(kind, value):
    if kind == raw.INT32 and -2**31 <= value < 2**31:
        return gen.int32(int(value))
    if kind in (raw.INT32, raw.INT64):
        if not -2**63 <= value < 2**63:
            raise Refused()
        return gen.int64(int(value))
    if kind == raw.DOUBLE:
        return gen.double(float(value))
    tenths = value * 10**6
    return gen.decimal(value < 0, abs(int(tenths)), -6)


def arithmetic(operand, combine, start):
    ranks = (raw.INT32, raw.INT64, raw.DOUBLE, raw.DECIMAL)

    def new(child):
        if child is MISSING:
            return start(operand)
        if child[0] not in ranks:
            raise Refused()
        kind = max(child[0], operand[0], key=ranks.index)
        return number(kind, combine(model.number(child), model.number(operand)))
    return new


def array_or_refuse(child):
    if child[0] != raw.ARRAY:
        raise Refused()
    return change.nodes(child)


def each(operand):
    if operand[0] == raw.DOC and operand[1] and operand[1][0][0] == b'$each':
        return change.nodes(operand[1][0][1])
    return [operand]


def push(operand):
    return lambda child: change.items(([] if child is MISSING else array_or_refuse(child)) + each(operand))


def add_to_set(operand):
    def new(child):
        nodes = [] if child is MISSING else array_or_refuse(child)
        for one in each(operand):
            if not any(change.equal(one, have) for have in nodes):
                nodes = nodes + [one]
        return change.items(nodes)
    return new


def pop(operand):
    def new(child):
        if child is MISSING:
            return MISSING
        nodes = array_or_refuse(child)
        return change.items(nodes[:-1] if model.number(operand) == 1 else nodes[1:])
    return new


def pull(test):
    return lambda child: MISSING if child is MISSING else change.items([n for n in array_or_refuse(child) if not test(n)])


def pull_test(condition):
    if condition[0] != raw.DOC:
        return lambda n: change.equal(n, condition)
    if condition[1] and condition[1][0][0].startswith(b'$'):
        return lambda n: all(model_match.single(n, k.decode(), v) for k, v in condition[1])
    return lambda n: n[0] == raw.DOC and model_match.matches(n, condition)


def better(operand, sign):
    def new(child):
        if child is MISSING:
            return operand
        x, y = model.order(operand), model.order(child)
        return operand if (x < y if sign < 0 else x > y) else child
    return new


def update(node, operator, path, operand):
    parts = path.split(b'.')
    if operator == '$unset':
        return at(node, parts, lambda child: MISSING if child is MISSING else REMOVED, False)
    if operator in ('$pop', '$pull', '$pullAll'):
        new = {'$pop': lambda: pop(operand), '$pull': lambda: pull(pull_test(operand)),
               '$pullAll': lambda: pull(lambda n: any(change.equal(n, x) for x in change.nodes(operand)))}[operator]()
        return at(node, parts, new, False)
    new = {'$set': lambda: lambda child: operand,
           '$inc': lambda: arithmetic(operand, lambda x, y: x + y, lambda o: o),
           '$mul': lambda: arithmetic(operand, lambda x, y: x * y, lambda o: number(o[0], 0)),
           '$min': lambda: better(operand, -1), '$max': lambda: better(operand, 1),
           '$push': lambda: push(operand), '$addToSet': lambda: add_to_set(operand)}[operator]()
    return at(node, parts, new, True)
