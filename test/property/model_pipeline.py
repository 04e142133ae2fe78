"""
Pipelines over documents as Python values: None, bool, int, float, str, list, dict.

Facts of MongoDB's server 8.0: src/mongo/db/pipeline/document_source_*.cpp and accumulator_*.cpp.
"""
import decimal
import functools


class Missing:
    def __repr__(self):
        return 'MISSING'


MISSING = Missing()
RANK = {type(None): 1, int: 2, float: 2, decimal.Decimal: 2, str: 3, dict: 4, list: 5, bool: 6}


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
    if ra == 2:
        a, b = worth(a), worth(b)
    return (a > b) - (a < b)


def equal(a, b):
    return compare(a, b) == 0


def get(doc, path):
    name, _, rest = path.partition('.')
    if isinstance(doc, list):
        return [found for found in (get(d, path) for d in doc if isinstance(d, dict)) if found is not MISSING]
    doc = doc.get(name, MISSING) if isinstance(doc, dict) else MISSING
    return get(doc, rest) if rest else doc


def null(value):
    return None if value is MISSING else value


def nullish(value):
    return value is None or value is MISSING


def number(value):
    return isinstance(value, (int, float, decimal.Decimal)) and not isinstance(value, bool)


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
            (name, bound), = operand.items()
            values = value if isinstance(value, list) else [value]
            if not any(number(v) and (v > bound if name == '$gt' else v <= bound) for v in values):
                return False
        elif not same(value, operand):
            return False
    return True


# Groups

class Refused(Exception):
    """MongoDB raises an error"""


def classes(docs, key):
    """
    [(value, documents)] of equal values of a field, missing and null being one, or of documents of some fields.
    {name: "$field"} alone makes null of a missing field, as $group does; several names leave it out.
    """
    found = []
    for doc in docs:
        if isinstance(key, dict):
            value = {n: get(doc, path[1:]) for n, path in key.items()}
            value = {n: null(v) for n, v in value.items() if len(value) == 1 or v is not MISSING}
        else:
            value = null(get(doc, key)) if isinstance(key, str) else {n: doc[n] for n in key if n in doc}
        if isinstance(value, list):
            raise Refused('a partition cannot be an array')
        for other, members in found:
            if equal(other, value):
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


def worth(number):
    """What a double stands for"""
    return decimal.Decimal(repr(number)) if isinstance(number, float) else decimal.Decimal(number)


def total(numbers):
    """A decimal among the numbers makes one of the sum, and then doubles count by their shortest spelling"""
    return sum(map(worth, numbers)) if any(isinstance(v, decimal.Decimal) for v in numbers) else sum(numbers)


def several(name, n, docs, field):
    """$firstN and the like; n of the group's key: {"$cond": [{"$eq": ["$k", value]}, 1, 2]}"""
    values = [null(get(d, field)) for d in docs]
    if name in ('$maxN', '$minN'):
        sign = 1 if name == '$minN' else -1
        values = sorted((v for v in values if v is not None), key=functools.cmp_to_key(lambda a, b: compare(a, b) * sign))
    return values[-n:] if name == '$lastN' else values[:n]


def ranked(name, docs, operand, moves):
    """$top, $bottom, $topN, $bottomN: of at most n documents the worst gives way to a better one, the whole window counts if its beginning moves"""
    bottom, n, key, kept = name.startswith('$bottom'), operand.get('n', 1), by(operand['sortBy']), []
    for doc in docs:
        if len(kept) == n and not moves:
            if not (key(kept[0]) < key(doc) if bottom else key(doc) < key(kept[-1])):
                continue
            kept.pop(0 if bottom else -1)
        kept = sorted(kept + [doc], key=key)
    values = [null(get(d, operand['output'][1:])) for d in (kept[-n:] if bottom else kept[:n])]
    return values if name.endswith('N') else values[0] if values else None


def accumulate(name, docs, field, key=None, moves=False):
    if isinstance(field, dict) and 'sortBy' in field:
        return ranked(name, docs, field, moves)
    if isinstance(field, dict):
        of, value = field['n']['$cond'][0]['$eq']
        there = get(key, of[1:]) if isinstance(key, dict) else MISSING
        n = 1 if there is not MISSING and equal(there, value) else 2
        return several(name, n, docs, field['input'][1:])
    values = [get(d, field) for d in docs]
    numbers = [v for v in values if number(v)]
    return {'$sum': lambda: total(numbers), '$avg': lambda: total(numbers) / len(numbers) if numbers else None,
            '$min': lambda: extreme(values, 1), '$max': lambda: extreme(values, -1), '$first': lambda: null(values[0]) if values else None,
            '$last': lambda: null(values[-1]) if values else None, '$push': lambda: [v for v in values if v is not MISSING],
            '$addToSet': lambda: distinct([v for v in values if v is not MISSING])}[name]()


def grouped(key, docs, spec):
    result = {'_id': key}
    for field, how in spec.items():
        if field != '_id':
            (name, path), = how.items()
            result[field] = accumulate(name, docs, path[1:] if isinstance(path, str) else path, key)
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


def places(docs, spec):
    """$rank or $denseRank: equal documents share a place"""
    (field, how), = spec['output'].items()
    for _, members in classes(docs, spec['partitionBy'][1:]):
        keys = sorted(by(spec['sortBy'])(d) for d in members)
        if '$denseRank' in how:
            keys = [k for i, k in enumerate(keys) if i == 0 or k != keys[i - 1]]
        yield from (put(d, field, 1 + keys.index(by(spec['sortBy'])(d))) for d in members)


# $redact

def redact(value, name, operand, verdict):
    """What is left: a level whose field equals the operand is kept or left out, others are looked into"""
    if isinstance(value, list):
        return [v for v in (redact(v, name, operand, verdict) for v in value) if v is not MISSING]
    if not isinstance(value, dict):
        return value
    if name in value and equal(value[name], operand):
        return value if verdict == '$$KEEP' else MISSING
    left = {k: redact(v, name, operand, verdict) for k, v in value.items()}
    return {k: v for k, v in left.items() if v is not MISSING}


def bucket(docs, spec):
    """The members of each bucket; "default" is the _id of those outside"""
    bounds, members = spec['boundaries'], {}
    for doc in docs:
        value = null(get(doc, spec['groupBy'][1:]))
        below = [i for i, b in enumerate(bounds) if compare(b, value) <= 0]
        members.setdefault(len(bounds) if len(below) in (0, len(bounds)) else below[-1], []).append(doc)
    return [grouped((bounds + [spec['default']])[i], found, spec['output']) for i, found in members.items()]


# $bucketAuto

SERIES = {'R5': (10, 16, 25, 40, 63), '1-2-5': (10, 20, 50), 'E12': (10, 12, 15, 18, 22, 27, 33, 39, 47, 56, 68, 82)}


def neighbour(value, granularity, above):
    if value == 0:
        return value
    if granularity == 'POWERSOF2':
        candidates = [2.0 ** k for k in range(-20, 20)]
    else:
        candidates = [n * 10.0 ** k for n in SERIES[granularity] for k in range(-6, 6)]
    return min(c for c in candidates if c > value * (1 + 1e-12)) if above else max(c for c in candidates if c < value * (1 - 1e-12))


def buckets(docs, spec):
    """The values in order, divided again and again"""
    value = lambda doc: null(get(doc, spec['groupBy'][1:]))         # noqa: E731
    left = sorted(docs, key=functools.cmp_to_key(lambda a, b: compare(value(a), value(b))))
    size, granularity = max(int(len(left) / spec['buckets'] + .5), 1), spec.get('granularity')
    made, previous = [], MISSING
    while left:
        count = len(left) if len(made) == spec['buckets'] - 1 else min(size, len(left))
        low, high = value(left[0]), value(left[count - 1])
        bound = neighbour(high, granularity, True) if granularity else high
        while count < len(left) and (equal(value(left[count]), high) or granularity and value(left[count]) < bound):
            count += 1
        if granularity:
            low = neighbour(low, granularity, False) if previous is MISSING else previous
            high = neighbour(value(left[count]), granularity, False) if bound == 0 and count < len(left) else bound
        elif count < len(left):
            high = value(left[count])
        made.append(dict({'_id': {'min': low, 'max': high}}, **{field: accumulate(*next(iter((n, left[:count], p[1:]) for n, p in how.items())))
                                                              for field, how in spec['output'].items()}))
        left, previous = left[count:], high
    return made


# $densify

def add(a, b):
    """Of the wider type: int, float, Decimal"""
    return worth(a) + worth(b) if isinstance(a, decimal.Decimal) or isinstance(b, decimal.Decimal) else a + b


def series(low, high, step, members):
    """What comes after a value that is there has its type, or the step's"""
    low = add(low, step - step)
    while compare(low, high) <= 0:
        low = next((v for v in members if equal(v, low)), low)
        yield low
        low = add(low, step)


def densify(docs, spec):
    field, names, bounds = spec['field'], spec.get('partitionByFields', []), spec['range']['bounds']
    step = spec['range']['step']
    there = [d for d in docs if not nullish(get(d, field))]
    made = []
    # the partitions are known from the first document with the field on
    for key, members in classes(there, names) if names and there else [({}, there)] if not names or isinstance(bounds, list) else []:
        of, mine = [d[field] for d in (there if bounds == 'full' else members)], [d[field] for d in members]
        if isinstance(bounds, list):
            wanted = [v for v in series(bounds[0], bounds[1], step, mine) if v < bounds[1] or bounds[0] == bounds[1]]
        else:
            wanted = list(series(min(of, key=worth), max(of, key=worth), step, mine)) if of else []
        made += [dict(key, **{field: v}) for v in wanted if not any(equal(d[field], v) for d in members)]
    return docs + made


# Functions of windows that depend on the order of _id, or on ranges of field "t"

def moving_average(values, alpha):
    mean = None
    for v in values:
        if number(v):
            mean = v if mean is None else v * alpha + mean * (1 - alpha)
        yield mean


def last_known(values):
    last = None
    for v in values:
        last = last if nullish(v) else v
        yield last


def linear(places, values):
    for i, v in enumerate(values):
        if nullish(v):
            before = [j for j in range(i) if not nullish(values[j])]
            behind = [j for j in range(i, len(values)) if not nullish(values[j])]
            v = None
            if before and behind:
                j, k = before[-1], behind[0]
                v = values[j] + (places[i] - places[j]) * (values[k] - values[j]) / (places[k] - places[j])
        yield v


def area(places, values):
    return sum((places[i + 1] - places[i]) * (values[i] + values[i + 1]) / 2 for i in range(len(values) - 1))


def covariance(docs, a, b, less):
    pairs = [(d[a], d[b]) for d in docs if number(get(d, a)) and number(get(d, b))]
    if len(pairs) <= less:
        return None
    mean_a, mean_b = (sum(p[i] for p in pairs) / len(pairs) for i in (0, 1))
    return sum((x - mean_a) * (y - mean_b) for x, y in pairs) / (len(pairs) - less)


def ordered(docs, spec):
    """$setWindowFields of one field, in the order of _id or t"""
    (field, how), = spec['output'].items()
    result = []
    for _, members in classes(docs, spec['partitionBy']):
        (by_field, direction), = spec['sortBy'].items()
        members = sorted(members, key=lambda d: d[by_field])
        (name, operand), = ((k, v) for k, v in how.items() if k != 'window')
        lower, upper = how.get('window', {}).get('range', how.get('window', {}).get('documents', ('unbounded', 'unbounded')))
        input = operand.get('input', '$a') if isinstance(operand, dict) else operand[0] if isinstance(operand, list) else operand
        values = [get(d, input[1:]) for d in members]
        places = [d[by_field] for d in members]
        whole = {'$expMovingAvg': lambda: moving_average(values, operand['alpha']), '$locf': lambda: last_known(values), '$linearFill': lambda: linear(places, values)}
        if name in whole:
            made = list(whole[name]())
        else:
            made = []
            for i, d in enumerate(members):
                at = [p - places[i] if 'range' in how.get('window', {}) else j - i for j, p in enumerate(places)]
                inside = [j for j in range(len(members)) if (lower == 'unbounded' or at[j] >= lower) and (upper == 'unbounded' or at[j] <= upper)]
                docs_in, first, last = [members[j] for j in inside], min(inside, default=0), max(inside, default=0)
                if name == '$derivative':
                    made.append((values[last] - values[first]) / (places[last] - places[first]) if inside and first != last else None)
                elif name == '$integral':
                    made.append(area(places[first:last + 1], values[first:last + 1]) if inside else None)
                elif name.startswith('$covariance'):
                    made.append(covariance(docs_in, input[1:], operand[1][1:], int(name.endswith('Samp'))))
                else:
                    made.append(accumulate(name, docs_in, operand if isinstance(operand, dict) else input[1:], moves=lower != 'unbounded'))
        result += [put(d, field, v) for d, v in zip(members, made)]
    return result


def fill(docs, spec):
    for field, how in spec['output'].items():
        if 'value' in how:
            docs = [put(d, field, how['value']) if nullish(get(d, field)) else d for d in docs]
        else:
            docs = ordered(docs, {'partitionBy': spec['partitionByFields'], 'sortBy': spec['sortBy'],
                                  'output': {field: {{'locf': '$locf', 'linear': '$linearFill'}[how['method']]: '$' + field}}})
    return docs


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
            if isinstance(path, dict):      # the number in a field
                name = path['$cond'][1][1:]
                docs = [put(d, field, get(d, name) if number(get(d, name)) else MISSING) for d in docs]
            else:
                docs = [put(d, field, get(d, path[1:])) for d in docs]
        elif name == '$unwind':
            docs = list(unwind(docs, operand['path'][1:], operand['preserveNullAndEmptyArrays']))
        elif name == '$group':
            docs = [grouped(key, members, operand) for key, members in classes(docs, operand['_id'][1:] if isinstance(operand['_id'], str) else operand['_id'])]
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
            docs = list(places(docs, operand)) if 'place' in operand['output'] else windows(docs, operand) if 'nr' in operand['output'] else ordered(docs, dict(operand, partitionBy=operand['partitionBy'][1:]))
        elif name == '$redact':
            (field, value), verdict = operand['$cond'][0]['$eq'], operand['$cond'][1]
            docs = [d for d in (redact(d, field[1:], value['$literal'], verdict) for d in docs) if d is not MISSING]
        elif name == '$bucket':
            docs = bucket(docs, operand)
        elif name == '$bucketAuto':
            docs = buckets(docs, operand)
        elif name == '$densify':
            docs = densify(docs, operand)
        elif name == '$fill':
            docs = fill(docs, operand)
    return docs
