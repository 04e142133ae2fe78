"""A document below the root that has the bytes of an envelope is a document, to every operator."""
import db
import gen
import model
import raw
from property import Property

# What gives the value x, which b has in its field a, in an array and in a nested document
GIVES_IT = (
    "b -> 'a'", "b #> '{a}'", "b['a']", "b #> '{l,0}'", "b -> 'l' -> 0", "b['l'][0]", "b #> '{n,a}'", "b -> 'n' -> 'a'", "x",
    "bson_path_query_first(b, '$.a')", "bson_path_query_first(b, 'strict $.l[0]')", "bson_path_query_first(b, '$.*.a')",
    "bson_path_query_first('{}', '$y', bson_build_object('y', x))", "bson_path_query_array(b, '$.a') -> 0",
    "(SELECT value FROM bson_each(b) WHERE key = 'a')", "(SELECT value FROM bson_array_elements(b -> 'l'))",
    "(SELECT bson_agg(z) FROM (SELECT x AS z OFFSET 0) s) -> 0", "(SELECT bson_object_agg('k', z) FROM (SELECT x AS z OFFSET 0) s) -> 'k'",
    "bson_build_object('z', x) -> 'z'", "bson_build_array(1, x) -> 1", "bson_set(b, '{z}', x) -> 'z'", "bson_set(b, '{n,z}', x) #> '{n,z}'",
    "bson_insert(b, '{l,0}', x) #> '{l,0}'", "bson_delete(b, 'l') -> 'a'", "(b || bson_build_object('z', x)) -> 'z'",
    "bson_update(b, '{\"$rename\": {\"a\": \"z\"}}') -> 'z'", "bson_update(b, '{\"$set\": {\"n.z\": 1}}') #> '{n,a}'",
    "bson_update('{}', bson_build_object('$set', bson_build_object('z', x))) -> 'z'",
    "bson_update(b, bson_build_object('$push', bson_build_object('l', x))) #> '{l,1}'",
    "to_bson(ROW(x)) -> 'f1'", "(SELECT r.a FROM bson_to_record(b) AS r(a bson))", "x::bytea::bson", "x::text::bson",
)

# Truths about two values x and y, y no array; %s where they are equal
TRUTHS = {
    "(b -> 'a') = y": '=', "x = y": '=', "bson_cmp(b #> '{l,0}', y) = 0": '=', "y = (b['n']['a'])": '=',
    "b = bson_set(b, '{a}', y)": '=',
    "b @~ bson_build_object('a', bson_build_object('$eq', y))": '=', "b @~ bson_build_object('n.a', bson_build_object('$in', bson_build_array(y)))": '=',
    "b @~ bson_build_object('l', bson_build_object('$elemMatch', bson_build_object('$eq', y)))": '=',
    "bson_sort_key(b, '{\"a\": 1}') = bson_sort_key(bson_build_object('a', y), '{\"a\": 1}')": '=',
    "bson_update(b, bson_build_object('$addToSet', bson_build_object('l', y))) -> 'l' = b -> 'l'": '=',
    "bson_update(b, bson_build_object('$pull', bson_build_object('l', bson_build_object('$eq', y)))) -> 'l' = '[]'": '=',
    "b @> bson_build_object('a', x)": 't', "b @> bson_build_object('l', bson_build_array(x))": 't', "x @> (b -> 'a')": 't', "(b -> 'a') @> x": 't',
    "bson_hash(b -> 'a') = bson_hash(b #> '{l,0}')": 't', "bson_identical(bson_build_object('a', b -> 'a'), bson_build_object('a', x))": 't',
    # a document compares with nothing in a jsonpath
    "bson_path_exists(b, '$.a ? (@ == $y)', bson_build_object('y', y))": 'f', "bson_path_exists(b, '$.a ? (@ != $y)', bson_build_object('y', y))": 'f',
    "bson_typeof(b -> 'a') = bson_typeof('{}')": 't', "bson_typeof(b -> 'l' -> 0) = bson_typeof('{}')": 't', "b @? '$.a.type() ? (@ == \"object\")'": 't',
    "b @~ '{\"a\": {\"$type\": \"object\"}}'": 't', "(SELECT count(*) FROM bson_each(b -> 'a')) = 2": 't', "x ? ''": 't', "(b -> 'a') ? ''": 't',
}


UNDEFINED = 6


def like_envelope(g):
    """A document of two fields without a name, the first of them MinKey."""
    inner = g.scalar() if g.rng.random() < .6 else g.value(2)
    for _ in range(g.rng.choice((1, 1, 1, 2, 3))):
        inner = raw.DOC, [(b'', (raw.MINKEY, b'')), (b'', inner)]
    return inner


def comparable(node):
    """Is equality that of the order in a query, too, and the value no operator of one?"""
    return (node[0] not in (raw.ARRAY, raw.NULL, UNDEFINED, raw.REGEX)
            and not (node[0] == raw.DOC and node[1] and node[1][0][0].startswith(b'$')))


class Envelopes(Property):
    """Values that look like envelopes: whatever gives one gives the same, and none is taken for what is in it."""
    count = 150
    shrinks = False

    def cases(self, g, n):
        result = []
        while len(result) < n:
            x = like_envelope(g)
            y = g.rng.choice((lambda: x, lambda: x[1][1][1], lambda: (raw.DOC, [(b'', (raw.MINKEY, b'')), (b'', x)]), lambda: like_envelope(g)))()
            if comparable(y):
                result.append((x, y))
        return result

    def check(self, cases, rng):
        columns = ['(%s)::bytea' % e for e in GIVES_IT] + list(TRUTHS)
        rows = db.query('SELECT %s FROM (SELECT i, v::bson AS b, s::bson AS x, w::bson AS y FROM t OFFSET 0) q ORDER BY i' % ', '.join(columns),
                        ('v bytea, s bytea, w bytea', [(raw.stored((raw.DOC, [(b'a', x), (b'l', (raw.ARRAY, [(b'0', x)])), (b'n', (raw.DOC, [(b'a', x)]))])),
                                                        raw.stored(x), raw.stored(y)) for x, y in cases]))
        failures = {}
        for i, row in enumerate(rows):
            x, y = cases[i]
            for expression, got in zip(GIVES_IT, row):
                if db.unbytea(got) != raw.stored(x):
                    failures[i] = '%s is %s, and not %s' % (expression, got, raw.stored(x).hex())
            equal = 't' if model.order(x) == model.order(y) else 'f'
            for (expression, want), got in zip(TRUTHS.items(), row[len(GIVES_IT):]):
                if got != (equal if want == '=' else want):
                    failures[i] = '%s is %s' % (expression, got)
        return failures

    def show(self, case):
        return "x = '\\x%s', y = '\\x%s'" % tuple(raw.stored(v).hex() for v in case)


PROPERTIES = [Envelopes]
