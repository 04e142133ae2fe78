"""One total order, and equality and hashes that agree with it."""
import decimal
import math

import db
import gen
import model
import raw
from property import Property


def family(g, n):
    """Values that are often equal or close: few shapes, many numbers."""
    r = g.rng
    few = [g.root() for _ in range(4)] + [g.number() for _ in range(6)] + [g.scalar() for _ in range(4)]

    def close(node, depth=3):
        kind = r.random()
        if kind < .3 and depth:
            return raw.DOC, [(r.choice((b'a', b'b', b'', b'aa')), close(x, depth - 1))
                             for x in r.choices(few, k=r.randrange(4))]
        if kind < .5 and depth:
            first = r.choice((0, 0, 0, 1))      # the keys of an array are ignored
            return raw.ARRAY, [(b'%d' % (i + first), close(x, depth - 1)) for i, x in enumerate(r.choices(few, k=r.randrange(4)))]
        if kind < .55 and depth:
            return raw.SCOPED, (r.choice((b'', b'a', b'a\0b')), [(b'a', close(node, 0))])
        if kind < .8:
            return same_number(g, node)
        return node

    return [raw.stored(close(r.choice(few))) for _ in range(n)]


def same_number(g, node):
    """The same number, or one near it, perhaps in another of the four types."""
    if node[0] not in model.NUMBERS:
        return node
    value = model.number(node)
    if isinstance(value, str):
        return g.rng.choice((gen.double(float(value)), g.decimal(), node))
    choices = [node]
    if value.denominator == 1:
        i = int(value) + g.rng.choice((0, 0, 0, 1, -1))
        if -2**31 <= i < 2**31:
            choices.append(gen.int32(i))
        if -2**63 <= i < 2**63:
            choices.append(gen.int64(i))
        if abs(i) < 10**34:
            choices.append(gen.decimal(i < 0, abs(i), 0))
            if abs(i) < 10**30:
                choices.append(gen.decimal(i < 0, abs(i) * 1000, -3))
            while i and i % 10 == 0 and abs(i) > 10:
                i //= 10
    try:
        d = float(value)
        choices.append(gen.double(d))
        choices.append(gen.double(math.nextafter(d, g.rng.choice((1e400, -1e400)))))
        # the double's own decimal expansion, cut to 34 digits: equal to it or next to it
        text = '%.33e' % d
        digits, exponent = text.split('e')
        choices.append(gen.decimal(d < 0, int(digits.replace('.', '').lstrip('-')), max(-6176, int(exponent) - 33)))
        # its shortest spelling, which it is worth, and decimals one unit of the 17th or the last digit away
        if math.isfinite(d):
            _, digits, exponent = decimal.Decimal(model.shortest(d)).as_tuple()
            digits = int(''.join(map(str, digits)))
            more = g.rng.choice((0, 0, 17, 33)) - len(str(digits))
            if more > 0:
                digits, exponent = digits * 10**more + g.rng.choice((0, 1, -1)), exponent - more
            choices += [gen.decimal(d < 0, abs(digits), exponent)] * 3
    except OverflowError:
        pass
    return g.rng.choice(choices)


def near_boundary(g):
    """A number beside one of the places where it changes which numbers are equal: of any type, or a price."""
    r = g.rng
    d = r.choice((
        lambda: float(r.choice((2**53, 2**63, 2**64, 10**15, 10**16, 10**17, 10**22, 10**23, 10**34))),
        lambda: r.randrange(1, 40) * 5e-324,
        lambda: 2.2250738585072014e-308,
        lambda: r.randrange(2**53) / 2**r.randrange(18, 53),        # its own digits are more than 17
        lambda: r.randrange(10**16, 10**17) / 10**r.randrange(17),
        lambda: r.randrange(100000) / 100))()
    for _ in range(r.randrange(4)):
        d = math.nextafter(d, r.choice((0, math.inf)))
    return same_number(g, same_number(g, gen.double(r.choice((d, -d)))))


class Order(Property):
    """ORDER BY sorts as the oracle does: the order is total and transitive, and = holds only for values that the oracle finds equal."""
    count = 3000
    functions = ('bson_cmp(bson,bson)',)
    operators = ('<(bson,bson)',)
    max_bytes = 50000
    shrinks = False

    def cases(self, g, n):
        return family(g, n // 2) + [g.stored() for _ in range(n // 4)] + [raw.stored(g.number()) for _ in range(n // 4)]

    def check(self, cases, rng):
        ranks = dense_ranks(cases)
        rows = db.on_values(['i', 'dense_rank() OVER (ORDER BY b)'], cases)
        got = {int(i): int(rank) for i, rank in rows}
        by_rank = sorted(range(len(cases)), key=lambda i: got[i])
        failures = {}
        for before, after in zip(by_rank, by_rank[1:]):
            want = (ranks[before] > ranks[after]) - (ranks[before] < ranks[after])
            have = (got[before] > got[after]) - (got[before] < got[after])
            if want != have:
                failures[after] = 'compared with \\x%s the server says %d, the oracle %d' % (cases[before].hex(), have, want)
        return failures


def dense_ranks(cases):
    keys = [model.order(raw.root(c)) for c in cases]
    by_order = sorted(range(len(cases)), key=lambda i: keys[i])
    ranks, rank = {}, 0
    for position, i in enumerate(by_order):
        if position and keys[i] != keys[by_order[position - 1]]:
            rank += 1
        ranks[i] = rank
    return ranks


class Pairs(Property):
    """Each comparison operator agrees with the oracle about a pair, in both directions."""
    count = 3000
    functions = ('bson_cmp(bson,bson)',)
    operators = Order.operators
    shrinks = False

    def cases(self, g, n):
        few = family(g, n // 2) + [raw.stored(same_number(g, g.number())) for _ in range(n // 2)]
        return [(g.rng.choice(few), g.rng.choice(few)) for _ in range(n // 2)] + \
            [(raw.stored(x), raw.stored(same_number(g, x))) for x in (g.number() for _ in range(n // 2))]

    def check(self, cases, rng):
        rows = db.query('SELECT bson_cmp(x, y), bson_cmp(y, x), x < y, x <= y, x = y, x <> y, x >= y, x > y, '
                        'bson_hash(x) = bson_hash(y), bson_hash_extended(x, 7) = bson_hash_extended(y, 7), '
                        'bson_hash_extended(x, 0) = bson_hash_extended(y, 0) '
                        'FROM (SELECT i, v::bson AS x, w::bson AS y FROM t OFFSET 0) s ORDER BY i',
                        ('v bytea, w bytea', cases))
        failures = {}
        for i, row in enumerate(rows):
            x, y = (model.order(raw.root(c)) for c in cases[i])
            sign = (x > y) - (x < y)
            got = ((int(row[0]) > 0) - (int(row[0]) < 0), (int(row[1]) > 0) - (int(row[1]) < 0)) + \
                tuple(f == 't' for f in row[2:8])
            want = (sign, -sign, x < y, x <= y, x == y, x != y, x >= y, x > y)
            if got != want:
                failures[i] = 'server %s, oracle %s' % (got, want)
            elif sign == 0 and 'f' in row[8:]:
                failures[i] = 'equal, but the hashes differ: %s' % row[8:]
        return failures

    def show(self, case):
        return "'\\x%s' with '\\x%s'" % tuple(c.hex() for c in case)


class Distinct(Property):
    """Sorting and hashing find the same number of different values, the oracle's."""
    count = 2000
    functions = Order.functions
    shrinks = False
    max_bytes = 50000

    cases = Order.cases

    def check(self, cases, rng):
        want = len(set(dense_ranks(cases).values()))
        failures = {}
        for settings in ('SET enable_hashagg = off; SET enable_sort = on;', 'SET enable_hashagg = on; SET enable_sort = off;'):
            rows = db.on_values(['(SELECT count(*) FROM (SELECT DISTINCT b FROM tb) s)'], cases, before=settings)
            if int(rows[0][0]) != want:
                failures[0] = '%s: %s distinct values, the oracle has %d' % (settings, rows[0][0], want)
        return failures


class NumberOrder(Order):
    """The order of numbers beside the boundaries is total, too."""

    def cases(self, g, n):
        return [raw.stored(near_boundary(g)) for _ in range(n)]


class NumberPairs(Pairs):
    """So are its operators and hashes."""

    def cases(self, g, n):
        few = [near_boundary(g) for _ in range(n)]
        return [(raw.stored(x), raw.stored(same_number(g, x) if g.rng.random() < .9 else g.rng.choice(few))) for x in few]


PROPERTIES = [Order, Pairs, Distinct, NumberOrder, NumberPairs]
