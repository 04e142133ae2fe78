"""Random values of every BSON type, with a preference for values that break codecs."""
import random
import struct

import raw

NAMES = [b'a', b'b', b'c', b'aa', b'ab', b'id', b'_id', b'name', b'0', b'1', b'2', b'10', b'-1', b'00',
         b'', b'.', b'a.b', b'.a', b'$', b'$a', b'a$', b'$oid', b'$date', b'$numberInt', b'$numberLong',
         b'$numberDouble', b'$numberDecimal', b'$binary', b'$type', b'$regex', b'$options', b'$code',
         b'$scope', b'$symbol', b'$timestamp', b'$undefined', b'$minKey', b'$maxKey', b'$dbPointer',
         b'$ref', b'$id', b'$db', b'$uuid', b'$regularExpression', 'é'.encode(), '日本'.encode(),
         '\U0001F600'.encode(), b'"', b'\\', b'a"b', b'\\x', b'\x01', b'\t\n', b' ', b'null', b'__proto__',
         b'x' * 63, b'x' * 64, b'x' * 127, b'x' * 128, b'k' * 255, b'k' * 256, b'long' * 300]
WORDS = ['', 'a', 'abc', 'hello world', 'true', 'false', 'null', '1', '-0', '1.10', '1e5', 'NaN', 'Infinity',
         '5f2b1c3d4e5f60718293a4b5', '2022-03-03T12:13:14.789Z', '2022-03-03', '\\x00', '{"a":1}', '[1]', '"',
         '\\', '\\u0000', '\n\r\t\b\f', '\x7f\x80', 'é', 'ß', '日本語', '\u2028\u2029', '\ufeff', '\ufffe\uffff',
         '\ue000', '\U0001F600', '\U0010FFFF', 'a\0b', '\0', '\0\0', "it's", '/', '</script>', '$oid', '%s%n%x',
         '123e4567-e89b-12d3-a456-426614174000', 'AAAA', 'AAAAAAAAAAAAAAAAAAAAAA==', '0', '00', '+1', ' 1', '1 ']
INT32_EDGES = [0, 1, -1, 2, 5, 10, -10, 255, 256, 65535, 65536, 2**31 - 1, -2**31, 2**31 - 2, -2**31 + 1]
INT64_EDGES = INT32_EDGES + [2**31, -2**31 - 1, 2**32, 2**53 - 1, 2**53, 2**53 + 1, -2**53 - 1, 2**62, 2**63 - 1,
                             2**63 - 2, -2**63, -2**63 + 1, 10**15, 10**16, 10**17, 10**18, -10**18]
DOUBLE_EDGES = [0.0, -0.0, 1.0, -1.0, 0.1, 1.1, -1.5, 0.5, 3.14, 1e15, 1e16, 1e17, 1e21, 1e22, 1e23, 1e300, 1e-7,
                1e-300, 5e-324, 2.2250738585072014e-308, 2.225073858507201e-308, 1.7976931348623157e308,
                2.0**31, 2.0**31 - 1, -2.0**31, 2.0**53, 2.0**53 + 2, 2.0**63, -2.0**63, 2.0**64,
                9007199254740993.0, 123456.789, 1e5, 100.0, 1.0 / 3, float('inf'), float('-inf'), float('nan')]
DATE_EDGES = [0, 1, -1, 999, 1000, -999, -1000, 1646309594789, 253402300799999, 253402300800000, -62135596800000,
              -62135596800001, 2**31 * 1000, 2**53, 2**63 - 1, -2**63, 9224318015999999, 9224318016000000,
              -210866803200000, -210866803200001, 951782400000, 68169600000, 4107542399999]


def double(d):
    return raw.DOUBLE, struct.pack('<d', d)


def int32(i):
    return raw.INT32, struct.pack('<i', i)


def int64(i):
    return raw.INT64, struct.pack('<q', i)


def decimal(negative, digits, exponent):
    """The decimal128 of these parts; digits up to 34 of them, exponent -6176 to 6111."""
    return raw.DECIMAL, struct.pack('<QQ', digits & (2**64 - 1),
                                    negative << 63 | (exponent + 6176) << 49 | digits >> 64)


def binary(subtype, data):
    if subtype == 2:
        data = struct.pack('<i', len(data)) + data
    return raw.BINARY, struct.pack('<iB', len(data), subtype) + data


def text(kind, s):
    return kind, raw.string(s)


NULL = (raw.NULL, b'')


class Generator:
    """All choices come from one random.Random, so they can be repeated with its seed."""

    def __init__(self, seed):
        self.rng = random.Random(seed)

    # --- pieces

    def key(self):
        r = self.rng
        if r.random() < .7:
            return r.choice(NAMES[:14])
        if r.random() < .7:
            return r.choice(NAMES)
        return self.string().replace('\0', '').encode()

    def string(self):
        r = self.rng
        kind = r.random()
        if kind < .4:
            return r.choice(WORDS)
        if kind < .6:
            return ''.join(r.choice('abcdefghij "\\/\n\0') for _ in range(r.randrange(40)))
        if kind < .97:
            return ''.join(self.char() for _ in range(r.randrange(12)))
        return r.choice(WORDS) * r.randrange(1, 3000)

    def char(self):
        r = self.rng
        while True:
            c = r.randrange(r.choice((0x80, 0x100, 0x800, 0x10000, 0x110000)))
            if not 0xD800 <= c < 0xE000:
                return chr(c)

    def bytes(self):
        r = self.rng
        return r.randbytes(r.choice((0, 1, 2, 3, 4, 12, 15, 16, 16, 16, 17, r.randrange(100))))

    def number(self):
        return self.scalar(self.rng.choice((raw.INT32, raw.INT64, raw.DOUBLE, raw.DECIMAL)))

    def decimal(self):
        r = self.rng
        kind = r.random()
        if kind < .15:
            return raw.DECIMAL, r.randbytes(16)
        if kind < .25:      # special and non-canonical: infinities, NaNs with payload, large coefficients
            top = r.choice((0x78, 0x7C, 0x7E, 0xF8, 0xFC, 0x60, 0x6F, 0x5F, 0x30, 0x31))
            return raw.DECIMAL, r.choice((bytes(14), r.randbytes(14), b'\xff' * 14)) + bytes((r.choice((0, 0x40, 0xff)), top))
        if kind < .35:
            return decimal(r.random() < .5, r.choice((0, 1, 10**33, 10**34 - 1, 10**34 - 2)),
                           r.choice((0, -6176, 6111, -6143, 6144 - 34, -1, 1, -34, -33, -7, -6)))
        if kind < .7:       # decimals that equal an int or a double
            return decimal(r.random() < .5, abs(r.choice(INT64_EDGES)) * 10 ** (zeros := r.choice((0, 0, 1, 3))), -zeros)
        digits = r.randrange(10 ** r.randrange(35))
        return decimal(r.random() < .5, digits, r.choice((r.randrange(-40, 40), r.randrange(-6176, 6112), -2)))

    def double(self):
        r = self.rng
        kind = r.random()
        if kind < .4:
            return r.choice(DOUBLE_EDGES)
        if kind < .6:
            return float(r.choice(INT64_EDGES))
        if kind < .8:
            return r.randrange(-10**6, 10**6) / r.choice((1, 10, 100, 1000, 7))
        return struct.unpack('<d', r.randbytes(8))[0]

    # --- values

    def scalar(self, kind=None):
        r = self.rng
        if kind is None:
            kind = r.choice([t for t in raw.TYPES if t not in raw.CONTAINERS and t != raw.SCOPED])
        if kind in raw.STRINGS:
            return text(kind, self.string())
        if kind == raw.DOUBLE:
            # through bytes, because Python's own float would make a signalling NaN quiet
            if r.random() < .05:
                return kind, r.randbytes(6) + bytes((r.choice((0xf0, 0xf8, 0xff)), r.choice((0x7f, 0xff))))
            return double(self.double())
        if kind == raw.BINARY:
            return binary(r.choice((0, 0, 1, 2, 3, 4, 4, 5, 6, 7, 8, 9, 0x80, 0xff)), self.bytes())
        if kind == raw.BOOL:
            return kind, bytes((r.randrange(2),))
        if kind == raw.DATE:
            ms = r.choice((r.choice(DATE_EDGES), r.randrange(253402300800000), r.randrange(-2**63, 2**63)))
            return kind, struct.pack('<q', ms)
        if kind == raw.REGEX:
            pattern = self.string().replace('\0', '').encode()
            options = r.choice((b'', b'i', b'im', b'imx', b'mi', b'ilmsux', b'ii', b'z', 'é'.encode(), b'"'))
            return kind, pattern + b'\0' + options + b'\0'
        if kind == raw.DBPOINTER:
            return kind, raw.string(self.string()) + r.randbytes(12)
        if kind == raw.INT32:
            return int32(r.choice((r.choice(INT32_EDGES), r.randrange(-2**31, 2**31), r.randrange(-20, 20))))
        if kind == raw.INT64:
            return int64(r.choice((r.choice(INT64_EDGES), r.randrange(-2**63, 2**63), r.randrange(-20, 20))))
        if kind == raw.DECIMAL:
            return self.decimal()
        if kind == raw.TIMESTAMP:
            return kind, struct.pack('<II', r.choice((0, 1, 2**31, 2**32 - 1, r.randrange(2**32))),
                                     r.choice((0, 1, 2**31, 2**32 - 1, r.randrange(2**32))))
        return kind, r.randbytes(raw.FIXED[kind])

    def lookalike(self):
        """A subdocument that is, or nearly is, one of Extended JSON's wrappers."""
        r = self.rng
        name = r.choice([n for n in NAMES if n.startswith(b'$')])
        inner = r.choice((
            lambda: text(raw.STRING, self.string()),
            lambda: text(raw.STRING, r.choice(WORDS)),
            lambda: self.scalar(),
            lambda: int32(1),
            lambda: (raw.BOOL, b'\1'),
            lambda: (raw.DOC, [(b'$numberLong', text(raw.STRING, str(self.rng.choice(DATE_EDGES))))]),
            lambda: (raw.DOC, [(b'base64', text(raw.STRING, 'AAAA')), (b'subType', text(raw.STRING, '00'))]),
            lambda: (raw.DOC, [(b't', int32(1)), (b'i', int32(2))]),
            lambda: (raw.DOC, [(b'pattern', text(raw.STRING, 'a')), (b'options', text(raw.STRING, 'i'))]),
            lambda: (raw.DOC, [(b'$ref', text(raw.STRING, 'a')), (b'$id', self.scalar(raw.OBJECTID))]),
        ))()
        elements = [(name, inner)]
        if r.random() < .4:
            elements.append((r.choice([b'$type', b'$options', b'$scope', b'$id', b'$db', b'a', name]),
                             r.choice((text(raw.STRING, '00'), text(raw.STRING, 'i'), (raw.DOC, []), self.scalar()))))
        if r.random() < .2:
            elements.reverse()
        return raw.DOC, elements

    def value(self, depth=4):
        r = self.rng
        kind = r.random()
        if depth <= 0 or kind < .6:
            return self.scalar()
        if kind < .65:
            return self.lookalike()
        if kind < .7:
            return raw.SCOPED, (self.string().encode(), self.fields(depth - 1))
        if kind < .85:
            return self.array(depth)
        return raw.DOC, self.fields(depth - 1)

    def fields(self, depth):
        r = self.rng
        elements = [(self.key(), self.value(depth)) for _ in range(r.choice((0, 1, 1, 2, 2, 3, 5, 8)))]
        if r.random() < .8:
            elements = list(dict(elements).items())     # most documents have no duplicate keys
        return elements

    def array(self, depth):
        r = self.rng
        nodes = [self.value(depth - 1) for _ in range(r.choice((0, 1, 2, 3, 3, 5, 12)))]
        keys = [b'%d' % i for i in range(len(nodes))]
        if keys and r.random() < .1:    # the keys of an array are not checked by the format
            odd = r.randrange(len(keys))
            keys[odd] = r.choice((self.key(), b'0' + keys[odd], b'', b'%d' % r.randrange(20)))
        return raw.ARRAY, list(zip(keys, nodes))

    def deep(self):
        r = self.rng
        node = self.value(1)
        for _ in range(r.choice((r.randrange(30), r.randrange(300), r.randrange(990), 990))):
            kind = r.random()
            if kind < .5:
                node = raw.DOC, [(r.choice((b'a', b'b', b'')), node)]
            elif kind < .95:
                node = raw.ARRAY, [(b'0', node)]
            else:
                node = raw.SCOPED, (b'', [(b'a', node)])
        return node

    def wide(self):
        r = self.rng
        count = r.choice((300, 1000, 3000))
        if r.random() < .5:
            return raw.ARRAY, [(b'%d' % i, self.scalar()) for i in range(count)]
        return raw.DOC, [(b'key%d' % i, self.scalar()) for i in range(count)]

    def almost_wrapped(self):
        """Documents similar to an envelope."""
        r = self.rng
        elements = [(b'', (raw.MINKEY, b'')), (b'', self.value(2))]
        change = r.randrange(6)
        if change == 0:
            elements[1] = (b'', (raw.DOC, self.fields(1)))
        elif change == 1:
            elements.append((self.key(), self.scalar()))
        elif change == 2:
            del elements[1]
        elif change == 3:
            elements.reverse()
        elif change == 4:
            elements[r.randrange(2)] = (self.key(), self.scalar())
        return raw.DOC, elements

    def root(self):
        kind = self.rng.random()
        if kind < .6:
            return raw.DOC, self.fields(4)
        if kind < .9:
            return self.value()
        if kind < .94:
            return self.lookalike()
        if kind < .97:
            return self.almost_wrapped()
        if kind < .995:
            return self.deep()
        return self.wide()

    def stored(self):
        """The bytes of a random value, as the server stores them."""
        return raw.stored(self.root())

    def mutant(self, data):
        """Bytes similar to valid ones: some are still valid, most are not."""
        r = self.rng
        data = bytearray(data)
        for _ in range(r.choice((1, 1, 1, 2, 5))):
            kind = r.randrange(8)
            at = r.randrange(len(data)) if data else 0
            if not data or kind == 0:
                data[at:at] = r.randbytes(r.randrange(1, 9))
            elif kind == 1:
                data[at] ^= 1 << r.randrange(8)
            elif kind == 2:
                data[at] = r.choice((0, 1, 0x7f, 0x80, 0xff, r.randrange(256)))
            elif kind == 3:
                del data[at:at + r.choice((1, 1, 4, 100))]
            elif kind == 4:
                del data[at:]
            elif kind == 5 and len(data) >= 4:      # a length off by a little, or by a lot
                at = r.randrange(len(data) - 3)
                number = struct.unpack_from('<i', data, at)[0]
                number = r.choice((number + 1, number - 1, 0, -1, 2**31 - 1, -2**31, 4, 5, r.randrange(64)))
                struct.pack_into('<i', data, at, (number + 2**31) % 2**32 - 2**31)
            elif kind == 6:
                data[at] = r.choice(raw.TYPES)
            else:
                part = data[at:at + r.randrange(40)]
                where = r.randrange(len(data))
                data[where:where] = part
        if r.random() < .7 and len(data) >= 4:          # mostly keep the outermost length true
            struct.pack_into('<I', data, 0, len(data))
        return bytes(data)


def smaller(data):
    """Valid simplifications of a stored value, the largest steps first."""
    try:
        node = raw.root(data)
    except (raw.Malformed, raw.TooDeep):
        return
    inner = node
    for level in range(1, raw.MAX_DEPTH):
        inner = inner[1][0][1] if inner[0] in raw.CONTAINERS and inner[1] else None
        if inner is None:
            break
        if level >= 4 and level & (level - 1) == 0:
            yield raw.stored(inner)
    for reduced in _reduce(node):
        yield raw.stored(reduced)


def _reduce(node):
    kind, payload = node
    if kind == raw.SCOPED:
        yield raw.DOC, payload[1]
        for reduced in _reduce((raw.DOC, payload[1])):
            if reduced[0] == raw.DOC:
                yield kind, (payload[0], reduced[1])
        if payload[0]:
            yield kind, (b'', payload[1])
        return
    if kind not in raw.CONTAINERS:
        if kind in raw.STRINGS and len(payload) > 5:
            body = raw.text(node).decode()
            for part in (body[:len(body) // 2], body[len(body) // 2:], body[1:], body[:-1]):
                if part != body:
                    yield text(kind, part)
        if kind not in (raw.NULL, raw.INT32):
            yield NULL
        elif kind == raw.INT32 and payload != bytes(4):
            yield int32(0)
        return
    for _, child in payload[:50]:
        yield child
    half = len(payload) // 2
    if half > 1:
        yield kind, payload[:half]
        yield kind, payload[half:]
    for i, (key, child) in enumerate(payload[:50]):
        yield kind, payload[:i] + payload[i + 1:]
        for reduced in _reduce(child):
            yield kind, payload[:i] + [(key, reduced)] + payload[i + 1:]
        if len(key) > 1:
            yield kind, payload[:i] + [(key[:len(key) // 2].decode(errors='ignore').encode(), child)] + payload[i + 1:]
