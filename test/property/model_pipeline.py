"""
Pipelines over documents as Python values: None, bool, int, float, str, list, dict.

Facts of MongoDB's server 8.0: src/mongo/db/pipeline/document_source_*.cpp and accumulator_*.cpp.
"""
import functools


class Missing:
    def __repr__(self):
        return 'MISSING'


MISSING = Missing()
RANK = {type(None): 1, int: 2, float: 2, str: 3, dict: 4, list: 5, bool: 6}


def compare(a, b):
    """The order of values"""
    ra, rb = RANK[type(a)], RANK[type(b)]
    if ra != rb:
        return -1 if ra < rb else 1
    if ra == 1:
        return 0
    if ra == 4:
        for (k, v), (l, w) in zip(a.items(), b.items()):
            if RANK[type(v)] != RANK[type(w)]:
                return -1 if RANK[type(v)] < RANK[type(w)] else 1
            if k != l:
                return -1 if k < l else 1
            if compare(v, w):
                return compare(v, w)
        return (len(a) > len(b)) - (len(a) < len(b))
    if ra == 5:
        for v, w in zip(a, b):
            if compare(v, w):
                return compare(v, w)
        return (len(a) > len(b)) - (len(a) < len(b))
    return (a > b) - (a < b)


def equal(a, b):
    return compare(a, b) == 0


def get(doc, name):
    return doc.get(name, MISSING)


def null(value):
    return None if value is MISSING else value


def nullish(value):
    return value is None or value is MISSING


def number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


# Sort

def sort_value(doc, name, direction):
    value = null(get(doc, name))
    if not isinstance(value, list):
        return (0, value)
    if not value:
        return (-1, None)       # an empty array is before null
    best = value[0]
    for v in value[1:]:
        if compare(v, best) * direction < 0:
            best = v
    return (0, best)


def by(spec):
    def order(a, b):
        for name, direction in spec.items():
            x, y = sort_value(a, name, direction), sort_value(b, name, direction)
            # what is no value is before null, and after numbers in no order
            d = (x[0] > y[0]) - (x[0] < y[0]) if x[0] != y[0] else 0 if x[0] else compare(x[1], y[1])
            if d:
                return d * direction
        return 0
    return functools.cmp_to_key(order)


# Queries: {field: value} and {field: {$gt: number}}

def same(value, operand):
    if operand is None:
        return nullish(value) or isinstance(value, list) and None in value
    if value is MISSING:
        return False
    return equal(value, operand) or isinstance(value, list) and any(equal(v, operand) for v in value)


def matches(doc, query):
    for name, operand in query.items():
        value = get(doc, name)
        if isinstance(operand, dict):
            bound = operand['$gt']
            values = value if isinstance(value, list) else [value]
            if not any(number(v) and v > bound for v in values):
                return False
        elif not same(value, operand):
            return False
    return True


# Groups

def classes(docs, name):
    """[(value, documents)] of equal values, missing and null being one"""
    found = []
    for doc in docs:
        value = null(get(doc, name))
        for key, members in found:
            if equal(key, value):
                members.append(doc)
                break
        else:
            found.append((value, [doc]))
    return found


def extreme(values, sign):
    best = MISSING
    for v in values:
        if not nullish(v) and (best is MISSING or compare(v, best) * sign < 0):
            best = v
    return null(best)


def distinct(values):
    found = []
    for v in values:
        if not any(equal(v, w) for w in found):
            found.append(v)
    return found


def accumulate(name, docs, field):
    values = [get(d, field) for d in docs]
    numbers = [v for v in values if number(v)]
    return {'$sum': lambda: sum(numbers), '$avg': lambda: sum(numbers) / len(numbers) if numbers else None,
            '$min': lambda: extreme(values, 1), '$max': lambda: extreme(values, -1), '$first': lambda: null(values[0]) if values else None,
            '$last': lambda: null(values[-1]) if values else None, '$push': lambda: [v for v in values if v is not MISSING],
            '$addToSet': lambda: distinct([v for v in values if v is not MISSING])}[name]()


def grouped(key, docs, spec):
    result = {'_id': key}
    for field, how in spec.items():
        if field != '_id':
            (name, path), = how.items()
            result[field] = accumulate(name, docs, path[1:])
    return result


def put(doc, name, value):
    doc = dict(doc)
    if value is MISSING:
        doc.pop(name, None)
    else:
        doc[name] = value
    return doc


def unwind(docs, name, keeps):
    for doc in docs:
        value = get(doc, name)
        if isinstance(value, list) and value:
            for v in value:
                yield put(doc, name, v)
        elif not isinstance(value, list) and not nullish(value) or keeps:
            yield put(doc, name, MISSING) if isinstance(value, list) else doc


def candidates(value):
    """Values that $lookup looks for"""
    values = value if isinstance(value, list) else [] if value is MISSING else [value]
    return values or [None]


def graph(start, other, most):
    found, frontier, depth = [], start if isinstance(start, list) else [] if start is MISSING else [start], 0
    while frontier and (most is None or depth <= most):
        new = [d for d in other if d not in found and any('k' in d and same(d['k'], v) for v in frontier)]
        found += new
        frontier = [v for d in new for v in ([] if 'ref' not in d else d['ref'] if isinstance(d['ref'], list) else [d['ref']])]
        depth += 1
    return found


def windows(docs, spec):
    """$setWindowFields of field "a": running sum, rank and the value before, in each partition"""
    result = []
    for _, members in classes(docs, spec['partitionBy'][1:]):
        members = sorted(members, key=by(spec['sortBy']))
        for i, doc in enumerate(members):
            doc = put(doc, 'run', sum(d['a'] for d in members[:i + 1] if number(get(d, 'a'))))
            doc = put(doc, 'nr', i + 1)
            doc = put(doc, 'prev', get(members[i - 1], 'a') if i else None)
            result.append(doc)
    return result


def run(docs, pipeline, other):
    for stage in pipeline:
        (name, operand), = stage.items()
        if name == '$match':
            docs = [d for d in docs if matches(d, operand)]
        elif name == '$sort':
            docs = sorted(docs, key=by(operand))
        elif name == '$limit':
            docs = docs[:operand]
        elif name == '$skip':
            docs = docs[operand:]
        elif name == '$unset':
            docs = [put(d, operand, MISSING) for d in docs]
        elif name == '$project':
            docs = [{k: v for k, v in d.items() if k == '_id' or k in operand} for d in docs]
        elif name == '$set':
            (field, path), = operand.items()
            docs = [put(d, field, get(d, path[1:])) for d in docs]
        elif name == '$unwind':
            docs = list(unwind(docs, operand['path'][1:], operand['preserveNullAndEmptyArrays']))
        elif name == '$group':
            docs = [grouped(key, members, operand) for key, members in classes(docs, operand['_id'][1:])]
        elif name == '$count':
            docs = [{operand: len(docs)}] if docs else []
        elif name == '$lookup':
            docs = [put(d, operand['as'], [o for o in other if any(same(get(o, operand['foreignField']), v)
                                                                   for v in candidates(get(d, operand['localField'])))]) for d in docs]
        elif name == '$graphLookup':
            docs = [put(d, operand['as'], graph(get(d, operand['startWith'][1:]), other, operand.get('maxDepth'))) for d in docs]
        elif name == '$unionWith':
            docs = docs + run(other, operand['pipeline'], other)
        elif name == '$facet':
            docs = [{field: run(docs, branch, other) for field, branch in operand.items()}]
        elif name == '$setWindowFields':
            docs = windows(docs, operand)
    return docs
