"""The population: values of every type, at every edge, in every place, and queries, from which digests.txt was made.

It shares no code with the extension and depends on no chance: the numbers of mixed documents come from a generator of
its own. What it makes never changes, because digests.txt has a digest of it; more is added as another part.
"""
import struct
import sys
from decimal import Decimal
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / 'property'))
import raw  # noqa: E402
from raw import (ARRAY, BINARY, BOOL, CODE, DATE, DBPOINTER, DECIMAL, DOC, DOUBLE, INT32, INT64, MAXKEY, MINKEY, NULL,  # noqa: E402
                 OBJECTID, REGEX, SCOPED, STRING, SYMBOL, TIMESTAMP, UNDEFINED)


# --- values

def i32(n):
    return INT32, struct.pack('<i', n)


def i64(n):
    return INT64, struct.pack('<q', n)


def f64(d):
    return DOUBLE, struct.pack('<d', d)


def f64_bits(bits):
    return DOUBLE, struct.pack('<Q', bits)


def decimal_bits(high, low):
    return DECIMAL, struct.pack('<QQ', low, high)


def decimal(coefficient, exponent=0, negative=False):
    bits = (1 << 127 if negative else 0) | (exponent + 6176) << 113 | coefficient
    return decimal_bits(bits >> 64, bits & (1 << 64) - 1)


def decimal_of(text):
    sign, digits, exponent = Decimal(text).as_tuple()
    return decimal(int(''.join(map(str, digits))), exponent, bool(sign))


def text(s):
    return STRING, raw.string(s)


def symbol(s):
    return SYMBOL, raw.string(s)


def code(s):
    return CODE, raw.string(s)


def scoped(s, elements):
    return SCOPED, (s if isinstance(s, bytes) else s.encode(), elements)


def binary(data, subtype=0):
    return BINARY, struct.pack('<iB', len(data), subtype) + data


def old_binary(data):
    return binary(struct.pack('<i', len(data)) + data, 2)


def oid(n):
    return OBJECTID, n.to_bytes(12, 'big')


def date(ms):
    return DATE, struct.pack('<q', ms)


def stamp(t, i):
    return TIMESTAMP, struct.pack('<II', i, t)


def regex(pattern, options=''):
    return REGEX, pattern.encode() + b'\0' + options.encode() + b'\0'


def pointer(name, n):
    return DBPOINTER, raw.string(name) + n.to_bytes(12, 'big')


def array(*values):
    return ARRAY, [(str(i).encode(), v) for i, v in enumerate(values)]


def doc(*pairs, **fields):
    return DOC, [(k if isinstance(k, bytes) else k.encode(), v) for k, v in pairs] + [(k.encode(), v) for k, v in fields.items()]


TRUE, FALSE, EMPTY = (BOOL, b'\1'), (BOOL, b'\0'), (NULL, b'')
LETTERS = 'abcdefghijklmnopqrstuvwxyz'


def words(n, shift=0):
    """A text of n letters."""
    return ''.join(LETTERS[(i + i // 26 + shift) % 26] for i in range(n))


class Random:
    """xorshift64*, so that no version of Python changes the values"""
    def __init__(self, seed):
        self.state = seed

    def below(self, n):
        x = self.state
        x ^= x >> 12
        x ^= x << 25 & (1 << 64) - 1
        x ^= x >> 27
        self.state = x
        return (x * 0x2545F4914F6CDD1D >> 32 & 0xFFFFFFFF) % n

    def pick(self, of):
        return of[self.below(len(of))]


# --- scalars, by family: every type, and its edges

def integers():
    edges = sorted({s * (2 ** k) + d for k in range(32) for s in (1, -1) for d in (-1, 0, 1)} |
                   {s * 10 ** k for k in range(10) for s in (1, -1)} | {15, 40, 41, 42, 99, 100, 101, 127, 128, 129, 255, 256, 257})
    return [i32(n) for n in edges if -2 ** 31 <= n < 2 ** 31]


def longs():
    edges = sorted({s * (2 ** k) + d for k in (0, 1, 7, 8, 15, 16, 23, 24, *range(30, 64)) for s in (1, -1) for d in (-1, 0, 1)} |
                   {s * 10 ** k for k in range(0, 19, 2) for s in (1, -1)} | {4968387550, 2 ** 39 + 5, 2 ** 40 + 5, 2 ** 53 + 3, 2 ** 62 + 2 ** 9})
    return [i64(n) for n in edges if -2 ** 63 <= n < 2 ** 63]


def doubles():
    values = [0.0, -0.0, 0.1, 0.2, 0.30000000000000004, 0.3, 0.5, 1.5, 1.1, 19.99, 39.5, 3.141592653589793, 1e-7, 1e-5, 1e-4, 123456.789,
              2.2250738585072014e-308, 2.225073858507201e-308, 5e-324, 1.7976931348623157e308, 1e15, 1e16, 1e17, 1e21, 1e22, 1e23, 1e100, 1e300]
    values += [float(2 ** k) + d for k in (0, 7, 8, 15, 16, 24, 31, 32, 39, 40, 52, 53) for d in (-1, 0, 1)]
    values += [float(2 ** k) for k in (54, 62, 63, 64, 100)] + [2.0 ** 63 - 1024, 2.0 ** 53 + 2, 2.0 ** 62 + 1024]
    values += [k + 0.5 for k in (1, 2 ** 31, 2 ** 40, 2 ** 51)]
    bits = {struct.unpack('<Q', struct.pack('<d', s * v))[0] for v in values for s in (1, -1)}
    # neighbours, and everything that is not a number
    bits |= {b + d for v in (0.1, 1.1, 19.99, 1e23) for b in struct.unpack('<Q', struct.pack('<d', v)) for d in (-1, 1)}
    bits |= {0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0xFFF8000000000000, 0x7FF8000000000001, 0x7FF0000000000001}
    return [f64_bits(b) for b in sorted(bits)]


def decimals():
    texts = '''0 0E-6176 0E+6111 0.0 0E+3 1 1.0 1.00 10E-1 1E+0 10 1E+1 2 5 15 15.00 16 17 40 100 1E+2 255 256 65535 65536 0.1 0.10 0.3 0.5 1.1 1.10
        19.99 19.990 39.5 3.141592653589793 3.14159265358979323846 0.30000000000000004 0.1000000000000000055511151231257827 1E-7 1E+21 1E+22 1E+23
        9.999999999999999E+22 123456.789 2147483647 2147483648 2147483647.5 4294967296 9007199254740991 9007199254740992 9007199254740993 9007199254740993.5
        9223372036854775807 9223372036854775808 9223372036854775807.5 9223372036854774784 18446744073709551616 1E+18 1E+19 1000000000000000000.0
        9999999999999999999999999999999999 1E+33 1E+34 1E+6111 9.999999999999999999999999999999999E+6144 1E-6176 1.7976931348623157E+308
        1.7976931348623158E+308 1E+309 5E-324 4E-324 2.2250738585072014E-308 1E-400 1.5E+308 12345678901234567890.5 0.000001 0.0000001'''.split()
    made = [decimal_of(t) for t in texts] + [decimal_of('-' + t) for t in texts]
    made += [decimal(12, e) for e in (-6176, -6175, -40, -34, -8, -7, -2, 0, 2, 20, 6111)]
    # infinities, what is not a number, and coefficients that count as zero
    made += [decimal_bits(h, low) for h, low in ((0x7800 << 48, 0), (0xF800 << 48, 0), (0x7C00 << 48, 0), (0xFC00 << 48, 0), (0x7E00 << 48, 0), (0x7C00 << 48, 5),
                                                 (0x6C00 << 48, 0), (0x6C00 << 48, 1), (0x3040ED09BEAD87C0, 0x378D8E6400000000), (0x3041FFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF))]
    return made


def strings():
    made = [text(words(n)) for n in (*range(0, 42), 47, 48, 49, *range(58, 71), *range(120, 136), 200, *range(250, 260), 300, 511, 512, 513, 1000)]
    # pairs that differ in one place only
    made += [text(words(n)[:at] + '~' + words(n)[at + 1:]) for n in (8, 9, 16, 17, 18, 20, 24, 32, 33, 64, 65, 300) for at in (0, 7, 8, 15, 16, n - 2, n - 1) if at < n]
    made += [text(t) for t in ('A', 'B', 'a b', 'a.b', '$a', '0', '1', '15', '-1', '1.5', '19.99', '1e5', 'true', 'false', 'null', 't', 'NaN', 'Infinity', ' 1', '{}', '[]',
                               'x\0y', '\0', 'a\0', 'ä', 'é', 'e\u0301', '€', '𝄞', '日本語', '\ufffd', '\ud7ff', '\ue000', '\U0010ffff', '"', '\\', '/', '\b\f\n\r\t', '\x01', '\x1f', '\x7f', '\u2028', '<a>&',
                               '2022-03-03', '2022-03-03T12:13:14.789Z', '2022-03-03 12:13:14+01', '73ffd264-44b3-4c69-90e8-e7d1dfc035d4', '56e1fc72e0c917e9c4714161',
                               'äöüß' * 4, 'a' * 7 + 'ä', 'a' * 15 + 'ä', 'a' * 16 + 'é')]
    return made


def texts():
    """symbols and code: as strings, fewer"""
    some = ['', 'a', 'b', 's', 'abc', 'f()', 'x\0y', 'ä', *(words(n) for n in (7, 8, 9, 15, 16, 17, 18, 30, 64, 128, 129, 300))]
    return [make(s) for make in (symbol, code) for s in some]


def scopes():
    return [scoped(c, s) for c in ('', 'f()', words(2), words(3), words(16), words(17), words(30)) for s in (
        [], [(b'a', i32(1))], [(b'a', i64(1))], [(b'a', f64(1.0))], [(b'a', i32(2))], [(b'b', i32(1))], [(b'a', text('x')), (b'b', array(i32(1), i32(2)))], [(b'a', doc(b=EMPTY))])]


def binaries():
    made = [binary(bytes((b,))) for b in range(256)]
    made += [binary(words(n).encode(), s) for n in (0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 15, 16, 17, 18, 30, 32, 33, 127, 128, 129, 255, 256, 257, 300) for s in (0, 4, 128)]
    made += [binary(words(16).encode(), s) for s in (1, 3, 5, 6, 7, 8, 9, 127, 129, 255)]
    made += [binary(bytes.fromhex(u), s) for u in ('73ffd26444b34c6990e8e7d1dfc035d4', '00000000000000000000000000000000', 'ffffffffffffffffffffffffffffffff') for s in (3, 4)]
    made += [old_binary(words(n).encode()) for n in (0, 1, 3, 16, 17)]
    # pairs that differ in one byte
    made += [binary(bytes(n - 1 - at) + b'\1' + bytes(at), 0) for n in (2, 3, 8, 11, 12, 13, 16, 20) for at in (0, 1, n - 1)]
    # vectors: float32, int8, bits
    made += [binary(bytes.fromhex(v), 9) for v in ('2700' '0000803f' '000000c0', '0300' 'ff017f', '1003' 'f8', '2700', '1000')]
    return made


def moments():
    """dates, timestamps, ObjectIds"""
    ms = sorted({s * 2 ** k + d for k in (0, 7, 8, 15, 16, 31, 32, 39, 40, 41, 47, 48, 55, 62) for s in (1, -1) for d in (-1, 0, 1)} |
                {0, 1000, 999, -999, -1000, 1646309594789, 1646309594000, 951782400000, 951868799999, -62135596800000, -62135596800001, -62167219200000, 253402300799999, 253402300800000,
                 -210866803200000, -210866803200001, 9224318015999999, 9224318016000000, 2 ** 63 - 1, -2 ** 63})
    made = [date(n) for n in ms]
    made += [stamp(t, i) for t, i in ((0, 0), (0, 1), (1, 0), (1, 1), (1, 2), (2, 1), (256, 255), (255, 256), (2 ** 31 - 1, 1), (2 ** 31, 0), (2 ** 31, 2 ** 31), (2 ** 32 - 1, 0), (2 ** 32 - 1, 2 ** 32 - 1), (1646309594, 7))]
    made += [oid(n) for n in (0, 1, 255, 256, 2 ** 88, 2 ** 95, 2 ** 96 - 1, 0x56e1fc72e0c917e9c4714161, 0x56e1fc72e0c917e9c4714162, 0x56e1fc73e0c917e9c4714161, 0xff0000000000000000000000)]
    return made


def regexes():
    made = [regex(p, o) for p in ('', 'a', '^a', 'ab', 'ä', *('^' + words(n) for n in (11, 12, 13, 14, 15, 16, 17, 24, 26, 32, 64, 128))) for o in ('', 'i', 'im', 'imsx')]
    made += [regex('^' + words(n)[:-1] + '~') for n in (8, 12, 14, 15, 16, 17, 26)]
    made += [regex('a', 'xi'), regex('a', 'z'), regex('a.*b', 's'), regex('(', ''), regex('a/b', ''), regex('"', '')]
    return made


def pointers():
    return [pointer(c, n) for c in ('', 'c', 'd', 'db.c', words(7), words(8), words(16), words(17), words(30)) for n in (0, 1, 0x56e1fc72e0c917e9c4714161)]


def constants():
    return [TRUE, FALSE, EMPTY, (UNDEFINED, b''), (MINKEY, b''), (MAXKEY, b'')]


def containers():
    made = [doc(), array(), doc(a=i32(1)), doc(a=i64(1)), doc(a=f64(1.0)), doc(a=decimal_of('1.0')), doc(a=i32(2)), doc(b=i32(1)), doc(a=i32(1), b=i32(2)), doc(b=i32(2), a=i32(1)), doc(a=text('1')),
            doc(a=EMPTY), doc(a=(UNDEFINED, b'')), doc(a=doc()), doc(a=array()), doc(aa=i32(1)), doc(('', i32(1))), array(i32(1)), array(i64(1)), array(f64(1.0)), array(i32(1), i32(2)), array(i32(2), i32(1)),
            array(i32(1), i32(1)), array(array()), array(doc()), array(EMPTY), array(text('s'), symbol('s')), array(symbol('s'), text('s')), array(symbol('s')), array(text('s')), array(array(i32(1))),
            array(doc(a=i32(1))), array(doc(a=i32(1)), doc(a=i32(2))), array(doc(a=i32(1), b=i32(2)), doc(a=i32(2), b=i32(1))), doc(c=scoped('f()', [(b'a', i32(1))])), array(scoped('f()', [(b'a', i32(1))])),
            array(TRUE, FALSE), array(date(0)), array(text(words(17))), doc(k=text(words(17))), (ARRAY, [(b'', i32(1))]), (ARRAY, [(b'7', i32(1)), (b'x', i32(2))]), (DOC, [(b'a', i32(1)), (b'a', i32(2))]),
            doc(('$oid', text('x'))), doc(('0', i32(1))), array(i32(15), text('x'), TRUE, EMPTY, f64(1.5)), array(binary(b'x'), oid(5), regex('a', 'i'), stamp(1, 2), date(5))]
    return made


FAMILIES = dict(integers=integers, longs=longs, doubles=doubles, decimals=decimals, strings=strings, texts=texts, scopes=scopes, binaries=binaries, moments=moments,
                regexes=regexes, pointers=pointers, constants=constants, containers=containers)


# --- places

def nest(names, value):
    for name in reversed(names):
        value = doc((name, value))
    return value


N28 = words(27)     # with its zero byte, all that a key of bson_ops has room for
PLACES = {
    'root': lambda v, w: v,
    'element': lambda v, w: array(v),
    'elements': lambda v, w: array(v, i32(7), w),
    'field': lambda v, w: doc(a=v),
    'fields': lambda v, w: doc(a=v, b=w, c=i32(1)),
    'list': lambda v, w: doc(a=array(v, w)),
    'two': lambda v, w: nest('ab', v),
    'three': lambda v, w: nest('abc', v),
    'four': lambda v, w: nest('abcd', v),
    'five': lambda v, w: nest('abcde', v),
    'six': lambda v, w: doc(a=nest('bcdef', v), b=i32(1)),
    'named': lambda v, w: doc((words(13), doc((words(13, 3), v)))),
    'long': lambda v, w: doc((N28, v), (N28 + 'x', w)),
    'documents': lambda v, w: doc(a=array(doc(b=v), doc(b=w, c=i32(1)))),
    'arrays': lambda v, w: array(array(v), doc(a=array(w))),
    'deeper': lambda v, w: doc(a=array(doc(b=array(doc(c=v))))),
}
ALL_PLACES = tuple(PLACES)
# groups of places, each of which has digests
KINDS = {p: k for k, places in dict(root=['root'], array=['element', 'elements', 'list', 'arrays'], field=['field', 'fields', 'named', 'long'], deep=['two', 'three', 'four', 'five', 'six'],
                                    through=['documents', 'deeper']).items() for p in places}


def placed():
    """Yield (group, value, family, number, place) for each scalar of each family in its places."""
    for family, make in FAMILIES.items():
        scalars = make()
        for place in ALL_PLACES:
            for n, v in enumerate(scalars):
                # every value at the root and in a field; elsewhere, of large families, every third, but in each place others
                if place not in ('root', 'field', 'element', 'two', 'three', 'fields') and len(scalars) > 60 and (n + ALL_PLACES.index(place)) % 3:
                    continue
                if family == 'binaries' and n < 256 and place not in ('root', 'field') and n % 16:
                    continue
                yield f'{family}.{KINDS[place]}', PLACES[place](v, scalars[(n + 1) % len(scalars)]), family, n, place


# --- names

def names():
    lengths = (*range(0, 40), 48, 62, 63, 64, 65, 100, *range(124, 132), 199, 200, 201, *range(250, 260), 300, 511, 512)
    for n in lengths:
        name = words(n)
        yield 'names.one', doc((name, i32(1)))
        yield 'names.one', doc((name, text('?')), ('z', i32(1)))
        yield 'names.inner', doc(a=doc((name, i32(1000))))
        yield 'names.outer', doc((name, doc(b=text(words(5)))))
        yield 'names.array', array(doc((name, f64(1.5))))
        yield 'names.deep', doc((name, doc(b=doc(c=TRUE))))
        yield 'names.list', doc((name, array(i32(1), text(words(9)))))
        yield 'names.scope', scoped('f()', [(name.encode(), i32(1))])
        if n > 1:
            yield 'names.pairs', doc((name[:-1] + '~', i32(1)))
            yield 'names.pairs', doc(('~' + name[1:], i32(1)))
            half = n // 2
            yield 'names.split', doc((words(half), doc((words(n - half, 7), i32(5)))))
            yield 'names.split', doc((words(half), doc((words(n - half, 7), text('short')))))
            yield 'names.split', doc((words(n // 3), doc((words(n // 3, 7), doc((words(n - 2 * (n // 3), 9), i32(5)))))))
    for odd in ('a.b', '$a', '', ' ', '0', '1', '01', '-1', 'ä', '日本', 'A', 'a b', '"', '\\', '\x01', '\x7f', '$oid', '$date', '$numberInt', '\U0010ffff'):
        yield 'names.odd', doc((odd, i32(1)))
        yield 'names.odd', doc((odd, doc((odd, text('x')))))
        yield 'names.odd', doc(a=array(doc((odd, i32(1)))))
        yield 'names.odd', doc(('b', i32(1)), (odd, EMPTY))


# --- documents of several fields, and arrays on the way

def shapes():
    some = [i32(1), i32(2), i64(1), f64(1.5), decimal_of('1.50'), text('x'), text(words(20)), TRUE, EMPTY, (UNDEFINED, b''), (MINKEY, b''), (MAXKEY, b''), date(5), array(), doc(), oid(7),
            regex('a'), binary(b'ab'), stamp(1, 1), symbol('x'), code('x'), scoped('x', [(b'a', i32(1))]), pointer('c', 1)]
    for v in some:
        for w in some:
            yield 'shapes.pairs', doc(a=v, b=w)
            yield 'shapes.arrays', doc(a=array(v, w))
        yield 'shapes.sort', doc(e=array(), f=v)
        yield 'shapes.sort', doc(e=v, f=array())
        yield 'shapes.sort', doc(e=array(v), f=i32(1))
        yield 'shapes.sort', doc(e=array(array(), v), f=v)
    for v in some:
        for w in (i32(1), i32(9), text('x'), EMPTY, array(), array(i32(3))):
            yield 'shapes.through', doc(p=array(doc(q=v, r=i32(4)), doc(q=i32(1), r=w)))
            yield 'shapes.through', doc(p=array(doc(q=v), doc(r=w)))
            yield 'shapes.through', doc(p=array(doc(q=array(v, i32(2)), r=i32(1)), doc(q=w)))
            yield 'shapes.through', doc(p=doc(q=v, r=array(w, v)))
            yield 'shapes.through', doc(a=array(doc(b=v), doc(b=w)), c=i32(1))
            yield 'shapes.through', doc(a=array(v, array(w)), b=array(w))
            yield 'shapes.through', doc(a=array(doc(b=array(doc(c=v), doc(c=w)))))
            yield 'shapes.through', array(doc(a=v), array(doc(a=w)))
    for n in range(1, 7):
        for m in (1, 4, 9):
            yield 'shapes.through', doc(p=array(*(doc(q=i32(1), r=i32((k * m) % 7)) for k in range(n))))
            yield 'shapes.through', doc(p=array(*(doc(q=i32((k * m) % 3), r=i32((k * m) % 7), s=i32(-k)) for k in range(n))))
    # the same name twice; names of arrays that are no positions
    for v in some[:12]:
        yield 'shapes.twice', (DOC, [(b'a', v), (b'b', i32(1)), (b'a', i32(2))])
        yield 'shapes.twice', (DOC, [(b'a', i32(2)), (b'a', v)])
        yield 'shapes.twice', (DOC, [(b'a', (DOC, [(b'b', v), (b'b', i32(3))])), (b'b', v)])
        yield 'shapes.twice', doc(a=(ARRAY, [(b'x', v), (b'0', i32(1)), (b'', i32(2))]))
        yield 'shapes.twice', (ARRAY, [(b'1', v), (b'0', i32(1))])
        yield 'shapes.twice', doc(('0', v), ('1', i32(1)))
        yield 'shapes.twice', doc(a=doc(('0', v), ('1', doc(('0', i32(1))))))
    # many fields, many elements, many levels
    for n in (5, 7, 8, 9, 10, 11, 16, 31, 32, 33, 63, 64, 65, 99, 100, 101, 127, 128, 129, 255, 256, 257):
        yield 'shapes.many', doc(*((f'k{i}', i32(i)) for i in range(n)))
        yield 'shapes.many', doc(*((f'k{n - i}', text(words(i % 30))) for i in range(n)), ('a', i32(n)))
        yield 'shapes.many', array(*(i32(i * 7 % 64) for i in range(n)))
        yield 'shapes.many', doc(a=array(*(doc(b=i32(i), c=text(words(i % 20))) for i in range(n))))
        yield 'shapes.many', array(*(text(words(i % 25, i)) for i in range(n)))
        yield 'shapes.many', array(*(some[i % len(some)] for i in range(n)))
        yield 'shapes.many', doc(*((f'k{i % 7}', i32(i)) for i in range(n)))
        if n < 130:
            yield 'shapes.many', nest(['a'] * n, i32(n))
            deep = i32(n)
            for i in range(n):
                deep = array(deep) if i % 2 else doc(a=deep)
            yield 'shapes.many', deep
    # what looks like an envelope
    for v in some:
        yield 'shapes.envelope', (DOC, [(b'', (MINKEY, b'')), (b'', v)])
        yield 'shapes.envelope', (DOC, [(b'', (MINKEY, b'')), (b'', v), (b'', i32(1))])
        yield 'shapes.envelope', (DOC, [(b'', (MINKEY, b'')), (b'a', v)])
        yield 'shapes.envelope', doc(a=(DOC, [(b'', (MINKEY, b'')), (b'', v)]))
        yield 'shapes.envelope', array((DOC, [(b'', (MINKEY, b'')), (b'', v)]))


def mixed():
    """Documents as applications have them, whose fields and values are drawn from few"""
    random = Random(20130417)
    scalars = [v for family in ('integers', 'longs', 'doubles', 'decimals', 'strings', 'moments', 'constants', 'binaries', 'regexes') for v in FAMILIES[family]()]
    common = [i32(n) for n in range(20)] + [text(words(n)) for n in range(1, 12)] + [f64(n / 4) for n in range(20)] + [TRUE, FALSE, EMPTY]

    def some_value(depth):
        kind = random.below(20)
        if depth < 4 and kind < 3:
            return DOC, [(random.pick(('a', 'b', 'c', 'd', 'e', 'f', 'p', 'q', 'r', N28, words(40))).encode(), some_value(depth + 1)) for _ in range(random.below(5))]
        if depth < 4 and kind < 6:
            return array(*(some_value(depth + 1) for _ in range(random.below(5))))
        return random.pick(common if kind < 14 else scalars)

    for n in range(1500):
        fields = [(k.encode(), some_value(1)) for k in ('a', 'b', 'c', 'e', 'p', 'n') if random.below(3)]
        yield f'mixed.{n // 250}', (DOC, fields + [(b'id', i32(n))])
    for n in range(600):
        yield f'people.{n // 300}', doc(
            _id=oid(0x56e1fc72e0c917e9c4714161 + n), n=random.pick((i32, i64, lambda k: f64(float(k))))(random.below(300)), s=text('v' + str(random.below(100))), price=decimal(random.below(4000), -1),
            at=date(1704067200000 + random.below(400) * 86400000), tags=array(*(text(random.pick(('red', 'green', 'blue', 'a tag that is longer than others'))) for _ in range(random.below(4)))),
            o=doc(l=array(i32(random.below(20)), f64(random.below(40) / 2), text('x' + str(n))), city=text(random.pick(('Oslo', 'Bergen', 'New Haven', 'Tokyo')))))


def values():
    """The whole population: a list of (group, bytes), and where the members of the families are: (family, number, place) -> index"""
    made, where = [], {}
    for group, v, family, n, place in placed():
        where[family, n, place] = len(made)
        made.append((group, raw.stored(v)))
    for source in (names, shapes, mixed):
        made.extend((group, raw.stored(v)) for group, v in source())
    return made, where


def malformed():
    """Bytes, most of which are no document, made from documents by one change"""
    bases = [raw.document(v[1]) for v in (doc(a=i32(1)), doc(a=text('abc'), b=TRUE), doc(a=array(i32(1), doc(b=EMPTY))), doc(a=binary(b'xyz'), b=old_binary(b'q')), doc(a=scoped('f', [(b'a', i32(1))])),
                                          doc(a=regex('a', 'i'), b=pointer('c', 1), c=date(5)), doc(a=symbol('ä'), b=code('x'), c=decimal(1), d=oid(1), e=(UNDEFINED, b''), f=(MINKEY, b''), g=stamp(1, 1), h=i64(1)))]
    for base in bases:
        for at in range(len(base)):
            for change in (lambda b: b + 1 & 255, lambda b: b - 1 & 255, lambda b: 0, lambda b: 255, lambda b: b ^ 128):
                yield base[:at] + bytes((change(base[at]),)) + base[at + 1:]
        for end in range(len(base)):
            yield base[:end]
            yield struct.pack('<i', end) + base[4:end]
        yield base + b'\0'


# --- queries

CONTAINS, EXISTS, EXISTS_ANY, EXISTS_ALL, PATH_EXISTS, PATH_MATCH, MATCH = 7, 9, 10, 11, 15, 16, 17


def hexed(value):
    return '\\x' + raw.stored(value).hex()


def quoted(s):
    return '"' + ''.join(c if c.isalnum() and c.isascii() or c in ' ._-' else f'\\u{ord(c):04x}' for c in s if ord(c) < 0x10000) + '"'


def texts_array(items):
    return '{' + ','.join('"' + i.replace('\\', '\\\\').replace('"', '\\"') + '"' for i in items) + '}'


# paths to a place in dots, and in a jsonpath
DOTS = {'field': 'a', 'list': 'a', 'two': 'a.b', 'three': 'a.b.c', 'four': 'a.b.c.d', 'five': 'a.b.c.d.e', 'six': 'a.b.c.d.e.f', 'long': N28, 'named': words(13) + '.' + words(13, 3), 'documents': 'a.b', 'deeper': 'a.b.c'}


def literals():
    """(family, number, literal of jsonpath)"""
    for family in ('integers', 'longs', 'doubles', 'decimals', 'strings', 'constants'):
        for n, (kind, data) in enumerate(FAMILIES[family]()):
            if kind == INT32 or kind == INT64:
                yield family, n, str(struct.unpack('<i' if kind == INT32 else '<q', data)[0])
            elif kind == DOUBLE and data[7] & 0x7F != 0x7F:
                yield family, n, repr(struct.unpack('<d', data)[0])
            elif kind == STRING and b'\0' not in data[4:-1]:
                yield family, n, quoted(data[4:-1].decode())
            elif kind == BOOL:
                yield family, n, 'true' if data[0] else 'false'
            elif kind == NULL:
                yield family, n, 'null'


HAND_MATCH = '''{} | {"a":1} | {"a":null} | {"a":{"$exists":true}} | {"a":{"$exists":false}} | {"a":{"$ne":1}} | {"a":{"$in":[]}} | {"a":{"$in":[1,"x",null]}} | {"a":{"$in":[1,"x",true]}} | {"a":{"$nin":[1,"x"]}} |
{"a":{"$all":[1,"x"]}} | {"a":{"$all":[]}} | {"a":{"$size":2}} | {"a":{"$type":"string"}} | {"a":{"$type":["int","array"]}} | {"a":{"$mod":[4,1]}} | {"a":{"$regex":"^x"}} | {"a":{"$regex":"x","$options":"i"}} |
{"a":{"$elemMatch":{"b":1}}} | {"a":{"$elemMatch":{"$gt":1,"$lt":9}}} | {"a":{"$elemMatch":{"b":1,"c":1}}} | {"a":{"$not":{"$gt":1}}} | {"$or":[{"a":1},{"b":"x"}]} | {"$and":[{"a":1},{"b":1}]} | {"$nor":[{"a":1},{"b":1}]} |
{"$or":[{"a":1},{"b":null}]} | {"a.b":1} | {"a.0":1} | {"a.0.b":1} | {"a.b.0":1} | {"0":1} | {"0.a":1} | {"a.":1} | {"a":{"b":1}} | {"a":[1]} | {"a":[]} | {"a":{}} | {"a":{"$eq":[1,2]}} | {"a":{"$gt":{"$minKey":1}}} |
{"a":{"$lt":{"$maxKey":1}}} | {"a":{"$gte":null}} | {"a":{"$lte":null}} | {"a":{"$gt":{}}} | {"a":{"$gt":[]}} | {"a":{"$bitsAllSet":1}} | {"a":{"$bitsAnyClear":[0,3]}} | {"$expr":{"$eq":["$a","$b"]}} | {"$expr":{"$gt":["$a",1]}} |
{"p.q":1,"p.r":4} | {"p":{"$elemMatch":{"q":1,"r":4}}} | {"p.q":{"$gt":1},"p.r":{"$lt":9}} | {"a.b.c":1} | {"a.b.c":{"$exists":true}} | {"a.b.c.d":{"$exists":true}} | {"e":[],"f":1} | {"e":{"$size":0}} | {"k1":1} | {"k7":{"$gte":7}} |
{"tags":"red"} | {"tags":{"$all":["red","blue"]}} | {"tags":"a tag that is longer than others"} | {"o.city":"New Haven"} | {"o.l":3} | {"n":{"$gte":100,"$lt":110}} | {"price":{"$gt":39.5}} | {"at":{"$gte":{"$date":"2024-06-01T00:00:00Z"}}} |
{"s":{"$in":["v1","v17"]}} | {"n":{"$in":[3,203]}} | {"s":{"$gt":"v98"}} | {"$jsonSchema":{"required":["a"]}} | {"a":{"$regularExpression":{"pattern":"^x","options":""}}} | {"a":{"$in":[{"$regularExpression":{"pattern":"^x","options":""}},1]}} |
{"$comment":"x","a":1} | {"a":{"$gt":1,"$lt":1000,"$ne":5}} | {"a.b":{"$in":[1,2]},"c":1} | {"a":{"$undefined":true}} | {"a":{"$not":{"$regex":"x"}}} | {"a":{"$not":{"$elemMatch":{"b":1}}}}'''

HAND_PATHS = '''$ | $.a | $.a.b | $.a.b.c | $.a.b.c.d | $.* | $.a.* | $.a[*] | $.a[0] | $.a[last] | $.a[*].b | $[*] | $[0].a | $.a.size() | $.a.type() | $.** | $.**.b | $.a ? (@ > 1) | $.a ? (@ == 1) | $.a[*] ? (@ > 1 && @ < 9) |
$ ? (@.a == 1) | $ ? (@.a == 1 && @.b == 1) | $ ? (@.a == 1 || @.b == "x") | $ ? (!(@.a == 1)) | $ ? (!(@.a != 1)) | $.a ? (exists(@.b)) | $ ? (exists(@.a ? (@.b == 1))) | $.a ? (@.b == 1 && @.c == 1) | $.p[*] ? (@.q == 1 && @.r == 4) |
strict $.a | strict $.a.b | strict $.a[*] ? (@ == 1) | lax $.a.b ? (@ == 1) | $.a ? (@ starts with "x") | $.a ? (@ like_regex "^x") | $.a ? (@ <> 1) | $.a ? (@ == null) | $.a ? ((@ > 1) is unknown) | $.a.double() ? (@ > 1) | $.a.b[*].c |
$.keyvalue() | $.a ? (@ == 1).b | $.tags[*] ? (@ == "red") | $.o.l[*] ? (@ == 3) | $.n ? (@ >= 100 && @ < 110) | $ ? (@.price > 39.5) | $.o.city ? (@ starts with "New") | $.a ? (@ > 1 || @.b == 2) | $ ? (@.a > @.b) | $.a ? (@ == $)'''

HAND_PREDICATES = '''$.a == 1 | $.a.b == 1 | $.a > 1 && $.a < 9 | $.a == 1 || $.b == "x" | !($.a == 1) | !(!($.a == 1)) | exists($.a) | exists($.a ? (@.b == 1)) | $.a[*] == 1 | $.a[0] == 1 | $.a.* == 1 | $.a starts with "x" |
$.a like_regex "x" | $.a == null | $.a != 1 | $.a <> 1 | 1 < $.a | $.a == $.b | ($.a == 1) is unknown | $.a.size() == 2 | $.a.b.c == 1 | $.a.b.c.d == 1 | strict $.a == 1 | $ == 1 | $[*] == 1 | $.p[*].q == 1 && $.p[*].r == 4 |
$.n >= 100 && $.n < 110 | $.price > 39.5 | $.s > "v98" | $.s starts with "v1" | $.tags[*] == "red" | $.a == 1 && $.b == 2 | $.a + 1 == 2 | -$.a == -1 | $.a == true | $.a > "a" && $.a < "b" | $.a >= 1.5 | $.a <= 1.5 | $.a.type() == "string"'''


def queries():
    """A list of (group, strategy, argument, indexes of values)."""
    made, where = values()
    groups = {}
    for i, (group, _) in enumerate(made):
        groups.setdefault(group, []).append(i)
    # a few of each group, for queries about no value in particular
    shaped = [i for group, members in groups.items() if group.split('.')[0] in ('shapes', 'names', 'mixed', 'people', 'containers') for i in members[::max(1, len(members) // 12)]]
    few = shaped[::23]
    result = []

    def near(family, n, places, reach=2):
        found = [where.get((family, m, p)) for p in places for m in range(n - reach, n + reach + 1)]
        return [i for i in found if i is not None]

    for family, make in FAMILIES.items():
        scalars = make()
        step = 3 if len(scalars) > 60 else 1
        for n, v in enumerate(scalars):
            if n % step == 0:
                at = near(family, n, ALL_PLACES, 1) + few[:8]
                result.append((f'contains.{family}', CONTAINS, hexed(v), at))
                for p in ('element', 'field', 'two', 'list', 'documents', 'four', 'named'):
                    if (n // step + ALL_PLACES.index(p)) % 2 == 0 or p == 'field':
                        result.append((f'contains.{family}', CONTAINS, hexed(PLACES[p](v, v)), at))
            if n % step == step - 1:
                at = near(family, n, ('root', 'field', 'fields', 'list', 'two', 'three', 'documents', 'named', 'long'), 2) + few[:6]
                for k, (op, p) in enumerate((('$eq', 'field'), ('$gt', 'field'), ('$lt', 'two'), ('$gte', 'documents'), ('$lte', 'list'), ('$eq', 'three'), ('$eq', 'four'), ('$eq', 'long'), ('$ne', 'field'), ('$gt', 'named'))):
                    if v[0] == REGEX and op != '$eq' or (n // step + k) % 3 and op != '$eq':
                        continue
                    result.append((f'match.{family}', MATCH, hexed(doc((DOTS[p], doc((op, v))))), at))
    for k, (family, n, literal) in enumerate(literals()):
        at = near(family, n, ('root', 'field', 'list', 'two', 'element', 'documents', 'three'), 1) + few[:6]
        if k % 3 == 0:
            op = ('==', '>', '<', '>=', '<=', '==')[k // 3 % 6]
            result.append((f'path.{family}', PATH_MATCH, f'$.a {op} {literal}', at))
            result.append((f'path.{family}', PATH_EXISTS, f'$.a.b ? (@ {op} {literal})', at))
            if family == 'strings':
                result.append((f'path.{family}', PATH_MATCH, f'$.a starts with {literal}', at))
                result.append((f'path.{family}', PATH_MATCH, f'$.a[*] starts with {literal}', at))
    for n in (*range(0, 40), 63, 64, 127, 128, 129, 255, 256, 300):
        at = [i for g in ('names.one', 'names.split', 'names.pairs', 'names.inner', 'names.outer', 'names.array') for i in groups[g] if abs(len(made[i][1]) - n - 20) < 24][:40] + near('strings', n, ('root', 'element', 'list', 'field'), 0)
        result.append(('exists.names', EXISTS, words(n), at))
        result.append(('exists.names', EXISTS_ANY, texts_array([words(n), words(n + 1), 'z']), at))
        result.append(('exists.names', EXISTS_ALL, texts_array([words(n), 'z']), at))
        for k, path in enumerate((words(n), f'a.{words(n)}', f'{words(n)}.b', f'{words(n // 2)}.{words(n - n // 2, 7)}')):
            if path and '..' not in path and path[0] != '.' and path[-1] != '.':
                result.append(('match.names', MATCH, hexed(doc((path, (i32(1), i32(1000), text(words(5)), i32(5))[k]))), at))
                result.append(('match.names', MATCH, hexed(doc((path, doc(('$exists', TRUE))))), at))
        result.append(('contains.names', CONTAINS, hexed(doc((words(n), i32(1)))), at))
        result.append(('contains.names', CONTAINS, hexed(doc((words(n), doc()))), at))
    for name in ('a', 'b', 'e', 'p', '', 'a.b', '0', 'x', 's', 'ä', 'a b', '$a', 'k1', 'id', '_id'):
        result.append(('exists.some', EXISTS, name, shaped[::2]))
        result.append(('exists.some', EXISTS_ANY, texts_array([name, 'f']), shaped[1::2]))
        result.append(('exists.some', EXISTS_ALL, texts_array([name, 'c']), shaped[::3]))
    result.append(('exists.some', EXISTS_ANY, '{}', few))
    result.append(('exists.some', EXISTS_ALL, '{}', few))
    for kind, strategy, hand in (('match', MATCH, HAND_MATCH), ('path', PATH_EXISTS, HAND_PATHS), ('path', PATH_MATCH, HAND_PREDICATES)):
        for q in hand.replace('\n', ' ').split(' | '):
            result.append((f'{kind}.hand', strategy, q.strip(), shaped))
    for group in ('containers.root', 'shapes.twice', 'shapes.envelope', 'shapes.through', 'shapes.many', 'mixed.0', 'people.0'):
        members = groups[group]
        for i in members[::max(1, len(members) // 25)]:
            result.append(('contains.shapes', CONTAINS, '\\x' + made[i][1].hex(), [i] + members[:20] + few[:10]))
    return result


def main():
    """population.py values N | queries N: every N-th of them, as COPY reads it"""
    verb, step = sys.argv[1], int(sys.argv[2])
    if verb == 'values':
        for i, (_, data) in list(enumerate(values()[0]))[::step]:
            print(f'{i}\t\\\\x{data.hex()}')
    else:
        for i, (_, strategy, argument, _) in list(enumerate(queries()))[::step]:
            print(i, strategy, argument.replace('\\', '\\\\').replace('\t', '\\t').replace('\n', '\\n'), sep='\t')


if __name__ == '__main__':
    main()
