"""BSON bytes as a tree that loses nothing, and back: the oracle's own codec.

pymongo's decoder drops duplicate keys and normalises values, so the structure
is read here.  A node is (type, payload): of a document or array (TYPE_DOC,
TYPE_ARRAY) the payload is a list of (key bytes, node); of code with scope it is
(code bytes, list); of anything else the value's encoded bytes.
"""
import struct
import sys

sys.setrecursionlimit(20000)
if hasattr(sys, 'set_int_max_str_digits'):
    sys.set_int_max_str_digits(0)       # a decimal128 has up to 6,145 digits before the point

DOUBLE, STRING, DOC, ARRAY, BINARY, UNDEFINED, OBJECTID, BOOL, DATE, NULL, REGEX, \
    DBPOINTER, CODE, SYMBOL, SCOPED, INT32, TIMESTAMP, INT64, DECIMAL = range(1, 20)
MINKEY, MAXKEY = 0xFF, 0x7F

TYPES = tuple(range(1, 20)) + (MINKEY, MAXKEY)
FIXED = {DOUBLE: 8, UNDEFINED: 0, OBJECTID: 12, BOOL: 1, DATE: 8, NULL: 0, INT32: 4,
         TIMESTAMP: 8, INT64: 8, DECIMAL: 16, MINKEY: 0, MAXKEY: 0}
STRINGS = (STRING, CODE, SYMBOL)
CONTAINERS = (DOC, ARRAY)
MAX_DEPTH = 1024


class Malformed(Exception):
    pass


class TooDeep(Exception):
    pass


# --- writing

def string(text):
    """A length-prefixed string of these bytes (or this str)."""
    if isinstance(text, str):
        text = text.encode()
    return struct.pack('<i', len(text) + 1) + text + b'\0'


def value(node):
    """The encoded bytes of a node, as they follow its key."""
    kind, payload = node
    if kind in CONTAINERS:
        return document(payload)
    if kind == SCOPED:
        body = string(payload[0]) + document(payload[1])
        return struct.pack('<i', len(body) + 4) + body
    return payload


def document(elements):
    body = b''.join(bytes((node[0],)) + key + b'\0' + value(node) for key, node in elements)
    return struct.pack('<i', len(body) + 5) + body + b'\0'


def is_envelope(elements):
    """Has a document with these elements the bytes of an envelope, whose value is no document or such a document itself?"""
    while (len(elements) == 2 and elements[0] == (b'', (MINKEY, b'')) and elements[1][0] == b''):
        if elements[1][1][0] != DOC:
            return True
        elements = elements[1][1][1]
    return False


def stored(node):
    """The bytes the server stores for a root: a document itself, anything else in an envelope, and what looks like one."""
    if node[0] == DOC and not is_envelope(node[1]):
        return document(node[1])
    return document([(b'', (MINKEY, b'')), (b'', node)])


# --- reading, strictly

def _cstring(data, pos, end):
    stop = data.find(b'\0', pos, end)
    if stop < 0:
        raise Malformed('unterminated name')
    _utf8(data[pos:stop])
    return data[pos:stop], stop + 1


def _utf8(data):
    try:
        data.decode('utf-8')
    except UnicodeDecodeError:
        raise Malformed('bad UTF-8') from None


def _int32(data, pos, end):
    if end - pos < 4:
        raise Malformed('cut short')
    return struct.unpack_from('<i', data, pos)[0]


def _string(data, pos, end):
    size = _int32(data, pos, end)
    if size < 1 or size > end - pos - 4 or data[pos + 3 + size] != 0:
        raise Malformed('bad string')
    text = data[pos + 4:pos + 3 + size]
    _utf8(text)
    return text, pos + 4 + size


def _document(data, pos, end, depth):
    """The document at pos, which must not extend beyond end: its elements, and the offset after it."""
    size = _int32(data, pos, end)
    if size < 5 or size > end - pos or data[pos + size - 1] != 0:
        raise Malformed('bad document')
    if depth > MAX_DEPTH:
        raise TooDeep()
    last = pos + size - 1
    pos += 4
    elements = []
    while pos < last:
        kind = data[pos]
        if kind not in TYPES:
            raise Malformed('unknown type')
        key, pos = _cstring(data, pos + 1, last)
        node, pos = _value(kind, data, pos, last, depth)
        elements.append((key, node))
    return elements, last + 1


def _value(kind, data, pos, end, depth):
    start = pos
    if kind in CONTAINERS:
        elements, pos = _document(data, pos, end, depth + 1)
        return (kind, elements), pos
    if kind == SCOPED:
        size = _int32(data, pos, end)
        if size < 14 or size > end - pos:
            raise Malformed('bad code with scope')
        code, pos = _string(data, pos + 4, start + size)
        scope, pos = _document(data, pos, start + size, depth + 1)
        if pos != start + size:
            raise Malformed('bad code with scope')
        return (kind, (code, scope)), pos
    if kind in STRINGS:
        pos = _string(data, pos, end)[1]
    elif kind == DBPOINTER:
        pos = _string(data, pos, end)[1] + 12
    elif kind == REGEX:
        pos = _cstring(data, pos, end)[1]
        pos = _cstring(data, pos, end)[1]
    elif kind == BINARY:
        size = _int32(data, pos, end)
        if size < 0 or size > end - pos - 5:
            raise Malformed('bad binary')
        if data[pos + 4] == 2 and (size < 4 or _int32(data, pos + 5, end) != size - 4):
            raise Malformed('bad binary of subtype 2')
        pos += 5 + size
    else:
        if kind == BOOL and data[pos:pos + 1] not in (b'\0', b'\1'):
            raise Malformed('bad boolean')
        pos += FIXED[kind]
    if pos > end:
        raise Malformed('cut short')
    return (kind, data[start:pos]), pos


def elements(data):
    """The elements of these bytes, which must be one valid document; raises Malformed or TooDeep."""
    if len(data) < 5:
        raise Malformed('cut short')
    if struct.unpack_from('<I', data)[0] != len(data):
        raise Malformed('bad length')
    return _document(data, 0, len(data), 1)[0]


def root(data):
    """The value these stored bytes stand for."""
    found = elements(data)
    return found[1][1] if is_envelope(found) else (DOC, found)


# --- reading scalars

def text(node):
    """The bytes of a string, code or symbol."""
    return node[1][4:-1]


def binary(node):
    """(subtype, bytes) of a binary, those of subtype 2 without the inner length."""
    subtype = node[1][4]
    return subtype, node[1][9 if subtype == 2 else 5:]


def regex(node):
    pattern, options, _ = node[1].split(b'\0')
    return pattern, options


def int32(node):
    return struct.unpack('<i', node[1])[0]


def int64(node):
    return struct.unpack('<q', node[1])[0]


def double(node):
    return struct.unpack('<d', node[1])[0]


def timestamp(node):
    """(seconds, increment)"""
    increment, seconds = struct.unpack('<II', node[1])
    return seconds, increment


def decimal(node):
    """A decimal128 as (negative, kind or digits, exponent): kind is 'Infinity' or 'NaN'."""
    low, high = struct.unpack('<QQ', node[1])
    negative = bool(high >> 63)
    combination = (high >> 58) & 0x1F
    if combination == 0x1F:
        return negative, 'NaN', 0
    if combination == 0x1E:
        return negative, 'Infinity', 0
    if combination >> 3 == 3:       # a coefficient above 2^113 is too large and counts as zero
        return negative, 0, ((high >> 47) & 0x3FFF) - 6176
    digits = ((high & ((1 << 49) - 1)) << 64) | low
    if digits > 10 ** 34 - 1:
        digits = 0
    return negative, digits, ((high >> 49) & 0x3FFF) - 6176
