"""
Arguments that grow: for each SQL type, shapes of about n parts, as text that
the type's input function takes.  Each is what some algorithm does badly on.
"""
import struct
import sys

sys.setrecursionlimit(20000)


def document(elements):
    body = b''.join(elements)
    return struct.pack('<i', len(body) + 5) + body + b'\0'


def int32(key, i):
    return b'\x10' + key + b'\0' + struct.pack('<i', i)


def string(key, s):
    return b'\x02' + key + b'\0' + struct.pack('<i', len(s) + 1) + s + b'\0'


def sub(key, doc, array=False):
    return (b'\x04' if array else b'\x03') + key + b'\0' + doc


def array(make, n):
    return document([make(b'%d' % i, i) for i in range(n)])


def hexed(doc):
    return '\\x' + doc.hex()


def root_array(doc):
    """An array as a root: the stored wrapper around it."""
    return hexed(document([b'\xff\0', sub(b'', doc, True)]))


def deep(n, leaf=b'', arrays=False, key=b'a'):
    doc = document([leaf] if leaf else [])
    for _ in range(min(n, 1000)):
        doc = document([sub(key, doc, arrays)])
    return doc


def interleaved(n):
    """Two rising runs, one between the other."""
    order = list(range(n))
    half = n // 2
    return [order[i // 2] if i % 2 == 0 else order[half + i // 2] for i in range(n)]


def operator(field, name, operand):
    return hexed(document([sub(field, document([operand_of(name, operand)]))]))


def operand_of(name, operand):
    if operand[0] == 'array':
        return sub(name, operand[1], True)
    if operand[0] == 'document':
        return sub(name, operand[1])
    return string(name, operand[1])


BSON = {
    'fields': lambda n: hexed(document([int32(b'k%d' % i, i) for i in range(n)])),
    'fields backwards': lambda n: hexed(document([int32(b'k%d' % i, i) for i in reversed(range(n))])),
    'one key n times': lambda n: hexed(document([int32(b'a', i) for i in range(n)])),
    'integers': lambda n: root_array(array(int32, n)),
    'integers, two runs interleaved': lambda n: root_array(document([int32(b'%d' % i, v) for i, v in enumerate(interleaved(n))])),
    'equal integers': lambda n: root_array(array(lambda k, i: int32(k, 1), n)),
    'strings': lambda n: root_array(array(lambda k, i: string(k, b'a' * (i % 20)), n)),
    'documents': lambda n: root_array(array(lambda k, i: sub(k, document([int32(b'k1', i)])), n)),
    'levels': lambda n: hexed(deep(n, int32(b'k1', 1))),
    'levels around a string': lambda n: hexed(deep(min(n // 10, 900), string(b'k1', b'a' * 100 * n))),
    'levels of 0 in arrays': lambda n: hexed(deep(n, int32(b'0', 1), True, b'0')),
    'one string': lambda n: hexed(document([string(b'k1', b'a' * n)])),
    'string of quotes': lambda n: hexed(document([string(b'k1', b'"\n' * (n // 2))])),
    'long key': lambda n: hexed(document([int32(b'a' * n, 1)])),
    'long keys that differ at the end': lambda n: hexed(document([int32(b'a' * 200 + b'%d' % i, 1) for i in range(n // 20)])),
    'a field of many': lambda n: hexed(document([sub(b'a', array(int32, n), True)])),
}

QUERIES = {
    '$and of equalities': lambda n: hexed(document([sub(b'$and', array(
        lambda k, i: sub(k, document([int32(b'p%d' % i, i)])), n), True)])),
    '$and of ranges': lambda n: hexed(document([sub(b'$and', array(
        lambda k, i: sub(k, document([sub(b'p%d' % i, document([int32(b'$gt', i)]))])), n), True)])),
    '$and of ranges of one path': lambda n: hexed(document([sub(b'$and', array(
        lambda k, i: sub(k, document([sub(b'a', document([int32(b'$gt', i)]))])), n), True)])),
    '$or': lambda n: hexed(document([sub(b'$or', array(
        lambda k, i: sub(k, document([int32(b'p%d' % i, i)])), n), True)])),
    'fields': lambda n: hexed(document([int32(b'k%d' % i, i) for i in range(n)])),
    '$in': lambda n: operator(b'a', b'$in', ('array', document([int32(b'%d' % i, v) for i, v in enumerate(interleaved(n))]))),
    '$nin': lambda n: operator(b'a', b'$nin', ('array', array(int32, n))),
    '$all': lambda n: operator(b'a', b'$all', ('array', array(int32, n))),
    '$all of $elemMatch': lambda n: operator(b'a', b'$all', ('array', array(
        lambda k, i: sub(k, document([sub(b'$elemMatch', document([int32(b'$gt', i)]))])), n // 4))),
    '$nor': lambda n: hexed(document([sub(b'$nor', array(
        lambda k, i: sub(k, document([int32(b'p%d' % i, i)])), n), True)])),
    '$regex n times': lambda n: hexed(document([sub(b'a', document([string(b'$regex', b'x') for i in range(n)]))])),
    '$options n times': lambda n: hexed(document([sub(b'a', document(
        [string(b'$regex', b'x')] + [string(b'$options', b'i') for i in range(n)]))])),
    '$gt n times': lambda n: hexed(document([sub(b'a', document([int32(b'$gt', i) for i in range(n)]))])),
    '$and of $ne': lambda n: hexed(document([sub(b'$and', array(
        lambda k, i: sub(k, document([sub(b'k%d' % i, document([int32(b'$ne', i)]))])), n), True)])),
    'long path': lambda n: hexed(document([int32(b'.'.join([b'a'] * (n // 2)), 1)])),
    'path of zeroes': lambda n: hexed(document([int32(b'.'.join([b'0'] * min(n // 2, 400)), 7)])),
    'long pattern': lambda n: operator(b'k1', b'$regex', ('string', b'a?' * (n // 2))),
    'nested $and': lambda n: hexed(nested_and(n)),
    '$expr of n fields': lambda n: hexed(document([sub(b'$expr', document([sub(b'$and', array(
        lambda k, i: sub(k, document([sub(b'$ne', document([string(b'0', b'$k1'), int32(b'1', -i - 1)]), True)])), n), True)]))])),
    'n times $expr': lambda n: hexed(document([sub(b'$and', array(
        lambda k, i: sub(k, document([string(b'$expr', b'$$ROOT')])), n), True)])),
}


def nested_and(n):
    query = document([int32(b'a', 1)])
    for i in range(min(n, 300)):
        query = document([sub(b'$and', document([sub(b'0', query), sub(b'1', document([int32(b'p%d' % i, i)]))]), True)])
    return query


def each(values):
    return document([sub(b'$each', values, True)])


UPDATES = {
    '$set of fields': lambda n: hexed(document([sub(b'$set', document([int32(b'k%d' % i, -i) for i in range(n)]))])),
    '$set of new fields': lambda n: hexed(document([sub(b'$set', document([int32(b'x%d' % i, i) for i in range(n)]))])),
    '$set of dotted paths': lambda n: hexed(document([sub(b'$set', document([int32(b'a.b.k%d' % i, i) for i in range(n)]))])),
    '$set of n parents': lambda n: hexed(document([sub(b'$set', document([int32(b'p%d.b' % i, i) for i in range(n)]))])),
    '$unset of fields': lambda n: hexed(document([sub(b'$unset', document([int32(b'k%d' % i, 1) for i in range(n)]))])),
    '$inc of fields': lambda n: hexed(document([sub(b'$inc', document([int32(b'k%d' % i, 1) for i in range(n)]))])),
    '$rename of fields': lambda n: hexed(document([sub(b'$rename', document([string(b'k%d' % i, b'r%d' % i) for i in range(n)]))])),
    '$push of n': lambda n: hexed(document([sub(b'$push', document([sub(b'a', each(array(int32, n)))]))])),
    '$addToSet of n': lambda n: hexed(document([sub(b'$addToSet', document([sub(b'a', each(document(
        [int32(b'%d' % i, v) for i, v in enumerate(interleaved(n))])))]))])),
    '$pullAll of n': lambda n: hexed(document([sub(b'$pullAll', document([sub(b'a', array(int32, n), True)]))])),
    '$pull of n': lambda n: hexed(document([sub(b'$pull', document([sub(b'a', document([sub(b'$in', array(int32, n), True)]))]))])),
    'long path': lambda n: hexed(document([sub(b'$set', document([int32(b'.'.join([b'a'] * min(n // 2, 900)), 1)]))])),
    'too long a path': lambda n: hexed(document([sub(b'$set', document([int32(b'.'.join([b'a'] * n), 1)]))])),
}


def expression(operator, operands):
    return hexed(document([sub(operator, document(operands), True)]))


def nested_expression(n):
    made = document([sub(b'$add', array(int32, 2), True)])
    for _ in range(min(n, 200)):
        made = document([sub(b'$add', document([int32(b'0', 1), sub(b'1', made)]), True)])
    return hexed(made)


EXPRESSIONS = {
    '$add of n': lambda n: expression(b'$add', [int32(b'%d' % i, i) for i in range(n)]),
    '$add of n fields': lambda n: expression(b'$add', [string(b'%d' % i, b'$k1') for i in range(n)]),
    '$multiply of n': lambda n: expression(b'$multiply', [int32(b'%d' % i, i) for i in range(n)]),
    '$concat of n': lambda n: expression(b'$concat', [string(b'%d' % i, b'abc') for i in range(n)]),
    '$and of n': lambda n: expression(b'$and', [int32(b'%d' % i, 1) for i in range(n)]),
    '$or of n': lambda n: expression(b'$or', [int32(b'%d' % i, 0) for i in range(n)]),
    '$ifNull of n': lambda n: expression(b'$ifNull', [string(b'%d' % i, b'$x%d' % i) for i in range(n)]),
    'fields': lambda n: hexed(document([int32(b'k%d' % i, i) for i in range(n)])),
    'long path': lambda n: hexed(document([string(b'x', b'$' + b'.'.join([b'a'] * (n // 2)))])),
    'nested $add': nested_expression,
    'one operator n times': lambda n: hexed(document([int32(b'$abs', i) for i in range(n)])),
    '$switch': lambda n: hexed(document([sub(b'$switch', document([sub(b'branches', array(lambda k, i: sub(k, document(
        [sub(b'case', document([sub(b'$eq', document([string(b'0', b'$k1'), int32(b'1', -i)]), True)])), int32(b'then', i)])), n), True),
        int32(b'default', 0)]))])),
    '$let': lambda n: hexed(document([sub(b'$let', document([sub(b'vars', document([int32(b'v%d' % i, i) for i in range(n)])),
                                                             string(b'in', b'$$v%d' % (n - 1))]))])),
    '$let with n uses': lambda n: hexed(document([sub(b'$let', document([
        sub(b'vars', document([int32(b'v%d' % i, i) for i in range(n)])),
        sub(b'in', document([sub(b'$add', array(lambda k, i: string(k, b'$$v%d' % i), n), True)]))]))])),
    '$in of constants': lambda n: expression(b'$in', [string(b'0', b'$k1'), sub(b'1', array(int32, n), True)]),
    '$setUnion': lambda n: expression(b'$setUnion', [sub(b'0', array(int32, n), True), sub(b'1', array(int32, n), True)]),
    '$concatArrays of n': lambda n: expression(b'$concatArrays', [sub(b'%d' % i, array(int32, 1), True) for i in range(n)]),
    '$map': lambda n: hexed(document([sub(b'$map', document([sub(b'input', array(int32, n), True), string(b'in', b'$$this')]))])),
    '$reduce': lambda n: hexed(document([sub(b'$reduce', document([
        sub(b'input', array(int32, n), True), int32(b'initialValue', 0),
        sub(b'in', document([sub(b'$add', document([string(b'0', b'$$this'), string(b'1', b'$$value')]), True)]))]))])),
}


def element(key, value):
    """A field whose value is made of Python's."""
    if isinstance(value, bool):
        return b'\x08' + key + b'\0' + (b'\1' if value else b'\0')
    if isinstance(value, int):
        return int32(key, value)
    if isinstance(value, float):
        return b'\x01' + key + b'\0' + struct.pack('<d', value)
    if isinstance(value, bytes):
        return string(key, value)
    if isinstance(value, str):
        return string(key, value.encode())
    if isinstance(value, list):
        return sub(key, plain_array(value), True)
    return sub(key, plain(value))


def plain_array(values):
    return document([element(b'%d' % i, v) for i, v in enumerate(values)])


def plain(fields):
    return document([element(k.encode(), v) for k, v in fields.items()])


# What operators of expressions are about, with so many parts
CONTENTS = {
    'numbers': lambda n: interleaved(n),
    'equal numbers': lambda n: [1] * n,
    'doubles': lambda n: [i + .5 for i in interleaved(n)],
    'strings': lambda n: ['a' * (i % 20) + str(i) for i in range(n)],
    'documents': lambda n: [{'k': 'k%d' % i, 'v': i} for i in interleaved(n)],
    'documents of one name': lambda n: [{'k': 'a', 'v': i} for i in range(n)],
    'arrays': lambda n: [[i] for i in range(n)],
    'string': lambda n: 'a' * n,
    'string of beginnings': lambda n: 'ab' * (n // 2),
    'beyond ASCII': lambda n: '\u00e9' * n,
    'blanks': lambda n: ' ' * (n // 2) + 'a' + ' ' * (n // 2),
    'digits': lambda n: '1' * n,
    'document': lambda n: {'k%d' % i: i for i in range(n)},
    'levels': lambda n: levels_of(min(n, 900)),
}


def levels_of(n):
    value = 1
    for _ in range(n):
        value = [value]
    return value


ARRAYS = ('numbers', 'equal numbers', 'doubles', 'strings', 'documents', 'arrays', 'levels')
STRINGS = ('string', 'string of beginnings', 'beyond ASCII', 'blanks', 'digits')

# Expressions of something, X, and what that can be; Y: the same again, made of constants
OPERATORS = [
    (ARRAYS, [
        lambda x: {'$size': x}, lambda x: {'$reverseArray': x}, lambda x: {'$slice': [x, -3]}, lambda x: {'$slice': [x, 1, 1 << 30]},
        lambda x: {'$arrayElemAt': [x, -1]}, lambda x: {'$last': x}, lambda x: {'$first': x}, lambda x: {'$lastN': {'n': 1 << 30, 'input': x}},
        lambda x: {'$firstN': {'n': 1 << 30, 'input': x}}, lambda x: {'$concatArrays': [x, x, x]}, lambda x: {'$in': ['none', x]},
        lambda x: {'$indexOfArray': [x, 'none']}, lambda x: {'$zip': {'inputs': [x, x]}},
        lambda x: {'$zip': {'inputs': [x, []], 'useLongestLength': True, 'defaults': [1, 2]}}, lambda x: {'$map': {'input': x, 'in': '$$this'}},
        lambda x: {'$map': {'input': x, 'in': ['$$this', {'a': '$$this'}]}}, lambda x: {'$filter': {'input': x, 'cond': {'$gt': ['$$this', 5]}}},
        lambda x: {'$filter': {'input': x, 'cond': True, 'limit': 1 << 30}}, lambda x: {'$sortArray': {'input': x, 'sortBy': 1}},
        lambda x: {'$sortArray': {'input': x, 'sortBy': -1}}, lambda x: {'$sortArray': {'input': x, 'sortBy': {'v': 1, 'k': -1}}},
        lambda x: {'$setUnion': [x, x]}, lambda x: {'$setIntersection': [x, x]}, lambda x: {'$setDifference': [x, [1]]},
        lambda x: {'$setDifference': [x, x]}, lambda x: {'$setEquals': [x, x]}, lambda x: {'$setIsSubset': [x, x]},
        lambda x: {'$allElementsTrue': x}, lambda x: {'$anyElementTrue': x}, lambda x: {'$max': x}, lambda x: {'$min': x}, lambda x: {'$sum': x},
        lambda x: {'$avg': x}, lambda x: {'$maxN': {'n': 1 << 30, 'input': x}}, lambda x: {'$minN': {'n': 3, 'input': x}},
        lambda x: {'$eq': [x, x]}, lambda x: {'$cmp': [x, x]}, lambda x: {'$cond': [x, x, x]}, lambda x: {'$ifNull': [x, x]},
        lambda x: {'$literal': [1]} and {'$let': {'vars': {'y': x}, 'in': ['$$y', '$$y']}}, lambda x: {'$type': x}, lambda x: {'$isArray': [x]},
        lambda x: {'$bsonSize': {'a': x}}, lambda x: {'a': {'b': [x, {'c': x}]}},
        lambda x: {'$reduce': {'input': x, 'initialValue': 0, 'in': {'$max': ['$$this', '$$value']}}},
        lambda x: {'$reduce': {'input': x, 'initialValue': [], 'in': ['$$this']}},
        lambda x: {'$getField': {'field': 'b', 'input': {'a': x, 'b': 1}}},
        lambda x: {'$setField': {'field': 'b', 'input': {'a': x, 'b': 1}, 'value': x}}]),
    (('documents', 'documents of one name'), [lambda x: {'$mergeObjects': x}, lambda x: {'$arrayToObject': [x]},
                                              lambda x: {'$arrayToObject': {'$map': {'input': x, 'in': ['$$this.k', '$$this.v']}}}]),
    (('documents', 'arrays'), [lambda x: {'$let': {'vars': {'y': x}, 'in': '$$y.v'}}]),
    (STRINGS, [
        lambda x: {'$concat': [x, x, x]}, lambda x: {'$toLower': x}, lambda x: {'$toUpper': x}, lambda x: {'$strcasecmp': [x, x]},
        lambda x: {'$strLenBytes': x}, lambda x: {'$strLenCP': x}, lambda x: {'$substrBytes': [x, 1, 2]}, lambda x: {'$substrCP': [x, 1, 1 << 30]},
        lambda x: {'$indexOfBytes': [x, 'aaaab']}, lambda x: {'$indexOfCP': [x, x]}, lambda x: {'$indexOfBytes': [x, {'$concat': [x, 'b']}]},
        lambda x: {'$split': [x, 'a']}, lambda x: {'$split': [x, 'ab']}, lambda x: {'$split': [x, x]}, lambda x: {'$trim': {'input': x}},
        lambda x: {'$trim': {'input': x, 'chars': x}}, lambda x: {'$ltrim': {'input': x, 'chars': 'a1\u00e9'}},
        lambda x: {'$rtrim': {'input': x, 'chars': 'a1b\u00e9'}}, lambda x: {'$replaceOne': {'input': x, 'find': 'ba', 'replacement': x}},
        lambda x: {'$replaceAll': {'input': x, 'find': 'ab', 'replacement': 'xyz'}},
        lambda x: {'$replaceAll': {'input': x, 'find': '', 'replacement': '-'}}, lambda x: {'$replaceAll': {'input': x, 'find': x, 'replacement': x}},
        lambda x: {'$toInt': x}, lambda x: {'$toLong': x}, lambda x: {'$toDouble': x}, lambda x: {'$toDecimal': x}, lambda x: {'$toBool': x},
        lambda x: {'$toDate': x}, lambda x: {'$toObjectId': x}, lambda x: {'$toUUID': x}, lambda x: {'$toString': x},
        lambda x: {'$convert': {'input': x, 'to': 'double', 'onError': x}}, lambda x: {'$dateFromString': {'dateString': x, 'onError': 1}},
        lambda x: {'$dateFromString': {'dateString': '2020', 'format': x, 'onError': 1}},
        lambda x: {'$dateToString': {'date': {'$toDate': 1.5}, 'format': x}}, lambda x: {'$dateToParts': {'date': {'$toDate': 1.5}, 'timezone': x}},
        lambda x: {'$convert': {'input': x, 'to': 'binData', 'format': 'base64'}}, lambda x: {'$binarySize': x}]),
    (('document',), [
        lambda x: {'$objectToArray': x}, lambda x: {'$arrayToObject': {'$objectToArray': x}}, lambda x: {'$mergeObjects': [x, x, {'k1': 2}]},
        lambda x: {'$setField': {'field': 'k1', 'input': x, 'value': 7}}, lambda x: {'$unsetField': {'field': 'none', 'input': x}},
        lambda x: {'$getField': {'field': 'none', 'input': x}}, lambda x: {'$bsonSize': x}, lambda x: {'$eq': [x, x]}]),
]
SIZED = [lambda n: {'$range': [0, n]}, lambda n: {'$sum': {'$range': [0, n]}}, lambda n: {'$map': {'input': {'$range': [0, n]}, 'in': ['$$this']}},
         lambda n: {'$range': [n, 0, -1]}, lambda n: {'$setEquals': [[i] for i in range(n)]}, lambda n: {'$setIntersection': [[i, 1] for i in range(n)]},
         lambda n: {'$mergeObjects': [{'a%d' % i: 1} for i in range(n)]}, lambda n: {'$zip': {'inputs': [[i] for i in range(n)]}},
         lambda n: {'$cond': [True, 1, [1] * n]}, lambda n: {'$bitXor': interleaved(n)}, lambda n: {'$max': interleaved(n)},
         lambda n: {'$avg': interleaved(n)}, lambda n: {'$concatArrays': [[i] for i in range(n)]}, lambda n: {'$setUnion': [[i] for i in range(n)]},
         lambda n: [{'$add': [i, '$k1']} for i in range(n)], lambda n: {'f%d' % i: {'$add': [i, '$k1']} for i in range(n)},
         lambda n: [{'$let': {'vars': {'x': i}, 'in': '$$x'}} for i in range(n)], lambda n: ['$k1'] * n, lambda n: ['$$v%d' % (i % 900) for i in range(n)]]


def named(make, n=3):
    """How an expression is called: by itself, made small."""
    return str(make(n)).replace("'", '')[:90]


def expressions_of_contents():
    for kinds, makers in OPERATORS:
        for make in makers:
            for kind in kinds:
                yield kind, make


for _kind, _make in expressions_of_contents():
    EXPRESSIONS['%s, X of %s' % (str(_make('X')).replace("'", ''), _kind)] = \
        lambda n, make=_make, kind=_kind: root(make({'$literal': CONTENTS[kind](n)}))
for _make in SIZED:
    EXPRESSIONS[named(_make)] = lambda n, make=_make: root(make(n))


def root(value):
    return hexed(plain(value)) if isinstance(value, dict) else root_array(plain_array(value))


# Documents with such contents in the field a, and expressions about that, which do not grow
DOCUMENTS = dict(BSON)
OF_FIELD = {}
ABOUT = []
for _kind in CONTENTS:
    DOCUMENTS['a of ' + _kind] = lambda n, kind=_kind: hexed(plain({'a': CONTENTS[kind](n), 'k1': 1}))
for _kind, _make in expressions_of_contents():
    _name = 'of $a: ' + str(_make('$a')).replace("'", '')
    OF_FIELD[_name] = lambda n, make=_make: root(make('$a'))
    ABOUT.append(('a of ' + _kind, _name))
OF_FIELD['each level'] = lambda n: root({'$cond': [{'$gt': ['$k', 5]}, '$$PRUNE', '$$DESCEND']})


def delta(part):
    return hexed(document([int32(b'$v', 2), sub(b'diff', document(part))]))


DELTAS = {
    'fields changed': lambda n: delta([sub(b'u', document([int32(b'k%d' % i, -i) for i in range(n)]))]),
    'fields added': lambda n: delta([sub(b'i', document([int32(b'x%d' % i, i) for i in range(n)]))]),
    'fields gone': lambda n: delta([sub(b'd', document([int32(b'k%d' % i, 0) for i in range(n)]))]),
    'elements changed': lambda n: delta([sub(b'sa', document([b'\x08a\x00\x01'] + [int32(b'u%d' % i, -i) for i in range(n)]))]),
}

# Projections, schemas, sorts, array filters

def nested_schema(n):
    schema = {'bsonType': 'int'}
    for i in range(min(n, 300)):
        schema = {'properties': {'a': schema}, 'anyOf': [{'minProperties': 0}, {'not': {'required': ['x']}}]}
    return root(schema)


PROJECTIONS = {
    'fields': lambda n: root({'k%d' % i: 1 for i in range(n)}),
    'fields out': lambda n: root({'k%d' % i: 0 for i in range(n)}),
    'dotted fields': lambda n: root({'a.k%d' % i: 1 for i in range(n)}),
    'fields of n parents': lambda n: root({'p%d.a' % i: 1 for i in range(n)}),
    'nested fields': lambda n: root({'a': {'k%d' % i: 1 for i in range(n)}}),
    'one field n times': lambda n: hexed(document([int32(b'a', 1) for i in range(n)])),
    'long path': lambda n: root({'.'.join(['a'] * min(n, 200)): 1}),
    'too long a path': lambda n: root({'.'.join(['a'] * n): 1}),
    'levels': lambda n: hexed(deep(n, int32(b'a', 1))),
    '$slice': lambda n: root({'k%d' % i: {'$slice': 1} for i in range(n)}),
    '$slice of a': lambda n: root({'a': {'$slice': [0, n]}}),
    '$slice from the end': lambda n: root({'a': {'$slice': [-n, n]}}),
    '$elemMatch': lambda n: root({'k%d' % i: {'$elemMatch': {'$gt': i}} for i in range(n)}),
    '$elemMatch of $in': lambda n: root({'a': {'$elemMatch': {'$in': interleaved(n)}}}),
    'a.$': lambda n: root({'a.$': 1}),
    'fields calculated': lambda n: root({'k%d' % i: '$k1' for i in range(n)}),
    'dotted fields calculated': lambda n: root({'a.k%d' % i: '$k1' for i in range(n)}),
    'long paths calculated': lambda n: root({'p%d' % i + '.a' * 150: '$k1' for i in range(n // 150)}),
    'nested fields calculated': lambda n: hexed(deep(min(n, 500), string(b'a', b'$k1'))),
    'size of a in each element': lambda n: root({'a.n': {'$size': '$a'}}),
}

SCHEMAS = {
    'properties': lambda n: root({'properties': {'k%d' % i: {'bsonType': 'int'} for i in range(n)}}),
    'required': lambda n: root({'required': ['k%d' % i for i in range(n)]}),
    'enum': lambda n: root({'properties': {'k1': {'enum': interleaved(n)}}}),
    'enum of documents': lambda n: root({'enum': [{'k%d' % j: i for j in range(2)} for i in range(n)]}),
    'allOf': lambda n: root({'allOf': [{'maxProperties': i + 1000} for i in range(n)]}),
    'anyOf': lambda n: root({'anyOf': [{'minProperties': i + 1000} for i in range(n)]}),
    'oneOf': lambda n: root({'oneOf': [{'minProperties': i + 1000} for i in range(n)]}),
    'items': lambda n: root({'properties': {'a': {'items': [{'bsonType': 'int'} for i in range(n)]}}}),
    'dependencies': lambda n: root({'dependencies': {'k%d' % i: ['x%d' % i] for i in range(n)}}),
    'dependencies of one': lambda n: root({'dependencies': {'a': ['x%d' % i for i in range(n)]}}),
    'types': lambda n: root({'bsonType': ['int'] * n}),
    'patternProperties': lambda n: root({'patternProperties': {'^x%d' % i: {} for i in range(n // 32)}}),
    'pattern': lambda n: root({'properties': {'k1': {'pattern': 'a?' * (n // 2)}}}),
    'nested': nested_schema,
    'uniqueItems': lambda n: root({'properties': {'a': {'uniqueItems': True}}}),
    'every item': lambda n: root({'properties': {'a': {'items': {'bsonType': 'string', 'enum': [1, 2]}}}}),
    'no more': lambda n: root({'additionalProperties': False}),
    'whole': lambda n: root({'enum': [{'a': 1}], 'not': {'enum': [{'a': 2}]}, 'anyOf': [{'enum': [{'a': 1}]}, {'bsonType': 'object'}]}),
}

SORTS = {
    'paths': lambda n: root({'k%d' % i: 1 for i in range(min(n, 32))}),
    'too many paths': lambda n: root({'k%d' % i: 1 for i in range(n)}),
    'long path': lambda n: root({'.'.join(['a'] * min(n, 200)): 1}),
    'too long a path': lambda n: root({'.'.join(['a'] * n): -1}),
    'long name': lambda n: root({'a' * n: 1}),
    'a': lambda n: root({'a': 1}),
    'a backwards': lambda n: root({'a': -1}),
    'path of zeroes': lambda n: root({'.'.join(['a'] + ['0'] * min(n, 199)): 1}),
    'paths of a': lambda n: root({'a.k%d' % i: 1 for i in range(min(n, 32))}),
}

FILTERS = {
    'conditions': lambda n: root([{'x': {'$in': interleaved(n)}}]),
    '$and': lambda n: root([{'$and': [{'x': {'$gt': -i}} for i in range(n)]}]),
    'filters': lambda n: root([{'x%d' % i: {'$gt': i}} for i in range(n)]),
    'long path': lambda n: root([{'x.' + '.'.join(['a'] * (n // 2)): 1}]),
}

# Updates by array filters or all elements, which do not grow; and of n paths
UPDATES.update({
    '$[x]': lambda n: root({'$set': {'a.$[x]': -1}}),
    '$[x] of fields': lambda n: root({'$set': {'a.$[x].k%d' % i: i for i in range(n)}}),
    '$[]': lambda n: root({'$inc': {'a.$[]': 1}}),
    '$[] of fields': lambda n: root({'$set': {'a.$[].k%d' % i: i for i in range(n)}}),
    'positions': lambda n: root({'$set': {'a.%d' % i: -i for i in range(n)}}),
    'positions backwards': lambda n: root({'$set': {'a.%d' % i: -i for i in reversed(range(n))}}),
    'far position': lambda n: root({'$set': {'a.%d' % n: 1}}),
    '$push sorted': lambda n: root({'$push': {'a': {'$each': interleaved(n), '$sort': 1, '$slice': -n}}}),
    '$push in front': lambda n: root({'$push': {'a': {'$each': [1], '$position': 0}}}),
    '$addToSet of documents': lambda n: root({'$addToSet': {'a': {'$each': [{'k': i} for i in range(n)]}}}),
    '$pull of a condition': lambda n: root({'$pull': {'a': {'$gte': 0}}}),
    '$bit': lambda n: root({'$bit': {'k%d' % i: {'or': i} for i in range(n)}}),
    '$min': lambda n: root({'$min': {'k%d' % i: -i for i in range(n)}}),
    '$setOnInsert': lambda n: root({'$setOnInsert': {'k%d' % i: i for i in range(n)}}),
    'stages': lambda n: root([{'$set': {'k1': {'$add': ['$k1', 1]}}} for i in range(min(n, 1000))]),
    'stage $set of fields': lambda n: root([{'$set': {'k%d' % i: -i for i in range(n)}}]),
    'stage $set of dotted paths': lambda n: root([{'$set': {'a.k%d' % i: '$k1' for i in range(n)}}]),
    'stage $unset of fields': lambda n: root([{'$unset': ['k%d' % i for i in range(n)]}]),
    'stage $project of fields': lambda n: root([{'$project': {'k%d' % i: 1 for i in range(n)}}]),
    'stage $set into each element': lambda n: root([{'$set': {'a.n': {'$size': '$a'}}}]),
    'stage $replaceWith': lambda n: root([{'$replaceWith': {'$mergeObjects': ['$$ROOT'] * n}}]),
})

TEXT = {
    'letters': lambda n: 'a' * n,
    'dotted path': lambda n: '.'.join(['a'] * (n // 2)),
    'dots': lambda n: '.' * n,
    'JSON object': lambda n: '{%s}' % ','.join('"k%d":%d' % (i, i) for i in range(n)),
    'JSON object backwards': lambda n: '{%s}' % ','.join('"k%d":{"$numberInt":"%d"}' % (i, i) for i in reversed(range(n // 4))),
    'JSON with one key n times': lambda n: '{%s}' % ','.join('"a":%d' % i for i in range(n)),
    'JSON levels': lambda n: '[' * min(n, 1000) + ']' * min(n, 1000),
    'too many JSON levels': lambda n: '[' * n,
    'JSON escapes': lambda n: '["%s"]' % ('\\n' * (n // 2)),
    'JSON pairs of surrogates': lambda n: '["%s"]' % ('\\ud83d\\ude00' * (n // 12)),
    'JSON zeroes': lambda n: '["%s"]' % ('\\u0000' * (n // 6)),
    'long number': lambda n: '[%s]' % ('1' * n),
    'long fraction': lambda n: '[0.%s]' % ('0' * n),
    'numbers': lambda n: '[%s]' % ','.join('%d.%d' % (i, i) for i in range(n)),
    'wrappers': lambda n: '[%s]' % ','.join('{"$numberLong":"%d"}' % i for i in range(n // 4)),
    'regular expression options': lambda n: '[{"$regularExpression":{"pattern":"a","options":"%s"}}]' % ('xmsi' * (n // 4)),
}


def literal(items):
    return '{%s}' % ','.join('"%s"' % i for i in items)


TEXTS = {
    'keys': lambda n: literal('k%d' % i for i in range(n)),
    'keys backwards': lambda n: literal('k%d' % i for i in reversed(range(n))),
    'one key n times': lambda n: literal('a' for i in range(n)),
    'positions': lambda n: literal('%d' % i for i in range(n)),
    'one long key': lambda n: literal(['a' * n]),
}

PATHS = {
    'or': lambda n: ' || '.join('$.a == %d' % i for i in range(n // 8)),
    'and': lambda n: ' && '.join('$.a%d > %d' % (i, i) for i in range(n // 8)),
    'and of one path': lambda n: ' && '.join('$.a > %d' % i for i in range(n // 8)),
    'not of or': lambda n: '!(%s)' % ' || '.join('$.a == %d' % i for i in range(n // 8)),
    'names': lambda n: '$' + '.a' * (n // 8),
    'filters': lambda n: '$' + ' ? (@.k1 > 0)' * (n // 32),
    'nested filters': lambda n: '$ ? (@.k1 == 1 && exists(@ ' * min(n // 8, 300) + '))' * min(n // 8, 300),
    'long name': lambda n: '$."%s"' % ('a' * n),
    'sum': lambda n: '$.k1' + ' + 1' * (n // 8),
    'signs': lambda n: '-' * min(n // 8, 1000) + '$.k1',
    'alternating': lambda n: '(' * min(n // 16, 500) + '$.a == 1' + ''.join(
        ' && $.b == %d) || $.c == %d' % (i, i) if i % 2 else ' && $.b == 1)' for i in range(min(n // 16, 500))),
    'elements': lambda n: '$[*] ? (@ == %d)' % n,
    'subscripts': lambda n: '$[%s]' % ','.join(str(i) for i in range(n // 8)),
}

BYTES = {
    'zeroes': lambda n: '\\x' + '00' * n,
    'documents': lambda n: '\\x' + document([int32(b'a', 1)]).hex() * (n // 8),
    'fields': lambda n: BSON['fields'](n),
    'too many levels': lambda n: '\\x' + levels(n),
    'levels': lambda n: hexed(deep(n)),
}


def levels(n):
    """Documents in documents, without copying each at each level."""
    size = 5 + 8 * n
    head = b''.join(struct.pack('<i', size - 8 * i) + b'\x03a\0' for i in range(n))
    return (head + document([]) + b'\0' * n).hex()


STAGES = {
    '$set of fields': lambda n: root([{'$set': {'k%d' % i: i for i in range(n)}}]),
    '$unset of fields': lambda n: root([{'$unset': ['k%d' % i for i in range(n)]}]),
    '$project of fields': lambda n: root([{'$project': {'k%d' % i: 1 for i in range(n)}}]),
    'stages': lambda n: root([{'$set': {'a': i}} for i in range(n // 10)]),
    'too many stages': lambda n: root([{'$set': {'a': 1}}] * n),
}

PIPELINES = dict(STAGES, **{
    'levels of stages': lambda n: root([s for i in range(n // 800) for s in ({'$set': {'b': i}}, {'$match': {'a': {'$gt': 0}}})]),
    '$match of fields': lambda n: root([{'$match': {'k%d' % i: i for i in range(n)}}]),
    '$match with variables': lambda n: root([{'$match': {'$or': [{'$expr': {'$eq': ['$$NOW', i]}} for i in range(n // 10)]}}]),
    '$group of fields': lambda n: root([{'$group': dict({'_id': '$a'}, **{'k%d' % i: {'$sum': '$a'} for i in range(min(n // 10, 800))})}]),
    '$facet of pipelines': lambda n: root([{'$facet': {'k%d' % i: [{'$limit': 1}] for i in range(min(n // 20, 400))}}]),
    '$bucket of boundaries': lambda n: root([{'$bucket': {'groupBy': '$a', 'boundaries': list(range(n // 8)), 'default': 'x'}}]),
    '$documents of n': lambda n: root([{'$unionWith': {'pipeline': [{'$documents': [{'a': i} for i in range(n)]}]}}]),
    '$unionWith n times': lambda n: root([{'$unionWith': {'pipeline': [{'$documents': [{'a': 1}]}]}}] * (n // 100)),
    '$setWindowFields of fields': lambda n: root([{'$setWindowFields': {'sortBy': {'a': 1}, 'output': {'k%d' % i: {'$sum': 1} for i in range(n // 100)}}}]),
    '$bucketAuto': lambda n: root([{'$set': {'a': {'$range': [0, n // 100]}}}, {'$unwind': '$a'}, {'$bucketAuto': {'groupBy': '$a', 'buckets': n // 100 + 1, 'granularity': 'R5'}}]),
    '$densify': lambda n: root([{'$densify': {'field': 'a', 'range': {'step': 1, 'bounds': [0, n]}}}]),
    'windows of ranges': lambda n: root([{'$setWindowFields': {'sortBy': {'a': 1}, 'output': {'k%d' % i: {'$sum': '$a', 'window': {'range': [-i, 5]}} for i in range(n // 100)}}}]),
    'functions of windows': lambda n: root([{'$set': {'a': {'$range': [0, n // 200]}}}, {'$unwind': '$a'}, {'$set': {'x': {'$add': [{'$multiply': ['$a', 1000]}, '$p1']}}}, {'$setWindowFields': {'sortBy': {'x': 1}, 'output': {
        'e': {'$expMovingAvg': {'input': '$a', 'N': 3}}, 'i': {'$integral': {'input': '$a'}, 'window': {'documents': ['unbounded', 'current']}}, 'd': {'$derivative': {'input': '$a'}, 'window': {'documents': [-5, 5]}},
        'l': {'$linearFill': {'$cond': [{'$mod': ['$p1', 7]}, '$nosuch', '$a']}}, 's': {'$sum': '$a', 'window': {'range': [-5000, 5000]}}}}}]),
    '$unwind and $group': lambda n: root([{'$set': {'a': {'$range': [0, n // 100]}}}, {'$unwind': '$a'}, {'$group': {'_id': '$a', 'n': {'$push': '$k1'}}}]),
})

LETS = {'variables': lambda n: root({'v%d' % i: '$a' for i in range(n)}),
        'levels': lambda n: hexed(deep(n, int32(b'a', 1)))}

UNWINDS = {'path': lambda n: root('$a'), 'long path': lambda n: root('$' + '.'.join(['a'] * min(n, 200)))}

JSONB = {
    'fields': lambda n: TEXT['JSON object'](n),
    'levels': lambda n: TEXT['JSON levels'](n),
    'numbers': lambda n: TEXT['numbers'](n),
    'string': lambda n: '["%s"]' % ('a' * n),
}

SHAPES = {'bson': BSON, 'query': QUERIES, 'update': UPDATES, 'expression': EXPRESSIONS, 'delta': DELTAS, 'document': DOCUMENTS,
          'projection': PROJECTIONS, 'schema': SCHEMAS, 'sort': SORTS, 'filters': FILTERS,
          'stages': STAGES, 'pipeline': PIPELINES, 'let': LETS, 'unwind': UNWINDS,
          'text': TEXT, 'text[]': TEXTS, 'jsonpath': PATHS, 'bytea': BYTES,
          'json': JSONB, 'jsonb': JSONB,
          'tsquery': {'and': lambda n: ' & '.join("'a'" for i in range(n // 8))},
          'integer': {'number': lambda n: str(n), 'negative': lambda n: str(-n)}}

# Shapes that do not grow, for arguments whose partner does
PARTNERS = {'expression': OF_FIELD,
            'filters': {'of x': lambda n: root([{'x': {'$gte': 0}}])},
            'update': {'of x': lambda n: root({'$set': {'a.$[x]': 9}})}}


def value_of(kind, shape, n):
    return (PARTNERS[kind][shape] if shape in PARTNERS.get(kind, ()) else SHAPES[kind][shape])(n)


def has_shape(kind, shape):
    return shape in SHAPES.get(kind, ()) or shape in PARTNERS.get(kind, ())



# What the other arguments are
SMALL = {'document': '{"a": [1, 2, {"k1": 3}], "k1": 1}', 'projection': '{"a": 1}', 'schema': '{"bsonType": "object"}', 'sort': '{"a": 1}', 'filters': '[]',
         'stages': '[{"$set": {"b": 1}}]', 'pipeline': '[]', 'let': '{"v": "$a"}', 'unwind': '"$a"',
         'bson': '{"a": [1, 2, {"k1": 3}], "k1": 1}', 'query': '{"a": 1}', 'update': '{"$set": {"a": 1}}', 'expression': '{"$add": [1, 2]}', 'delta': '{"$v": 2, "diff": {}}',
         'text': 'a',
         'text[]': '{a}', 'jsonpath': '$.a', 'bytea': '\\x0500000000', 'json': '[1]', 'jsonb': '[1]', 'tsquery': 'a', 'integer': '1'}
