"""What the server should answer: finding, text, numbers and order, over raw.py's trees."""
import base64
import datetime
import json
import math
import uuid
from fractions import Fraction

import raw


# --- finding

KEY, INDEX, PATH = 'key', 'index', 'path'


def field(node, key):
    """The first field of this name in a document."""
    if node[0] != raw.DOC:
        return None
    for name, child in node[1]:
        if name == key:
            return child
    return None


def element(node, index):
    if node[0] != raw.ARRAY or not -len(node[1]) <= index < len(node[1]):
        return None
    return node[1][index][1]


def as_index(step):
    """A path's step read as an array index, by the rules of C's strtol and jsonb."""
    digits = step.lstrip(b' \t\n\v\f\r')
    bare = digits[1:] if digits[:1] in (b'-', b'+') else digits
    if not bare or not all(c in b'0123456789' for c in bare):
        return None
    index = int(digits)
    return index if -2**31 <= index < 2**31 else None


def follow(node, path):
    """The value at a text[] path."""
    for step in path:
        if node is None:
            return None
        if node[0] == raw.ARRAY:
            index = as_index(step)
            node = None if index is None else element(node, index)
        else:
            node = field(node, step)
    return node


# --- numbers

NUMBERS = (raw.INT32, raw.INT64, raw.DOUBLE, raw.DECIMAL)
NAN, INFINITY, MINUS_INFINITY = 'NaN', 'Infinity', '-Infinity'


def worth(node):
    """What a number is worth in comparisons: its value, but of a double that is no int64 its shortest spelling."""
    value = number(node)
    if node[0] != raw.DOUBLE or isinstance(value, str) or value.denominator == 1 and -2**63 <= value < 2**63:
        return value
    return exact(shortest(raw.double(node)))


def number(node):
    """The exact value, a Fraction; or NAN, INFINITY, MINUS_INFINITY."""
    kind = node[0]
    if kind == raw.INT32:
        return Fraction(raw.int32(node))
    if kind == raw.INT64:
        return Fraction(raw.int64(node))
    if kind == raw.DOUBLE:
        d = raw.double(node)
        if d != d:
            return NAN
        if d in (float('inf'), float('-inf')):
            return INFINITY if d > 0 else MINUS_INFINITY
        return Fraction(d)
    negative, digits, exponent = raw.decimal(node)
    if digits == 'NaN':
        return NAN
    if digits == 'Infinity':
        return MINUS_INFINITY if negative else INFINITY
    value = Fraction(digits) * Fraction(10) ** exponent
    return -value if negative else value


def exact_int(node, bits):
    """The value if it is exactly an integer of this width, as -#> returns it."""
    if node is None or node[0] not in NUMBERS:
        return None
    value = number(node)
    if isinstance(value, str) or value.denominator != 1 or not -2**(bits - 1) <= value < 2**(bits - 1):
        return None
    return int(value)


def decimal_text(node):
    """The specification's spelling of a decimal128."""
    negative, digits, exponent = raw.decimal(node)
    if digits == 'NaN':
        return 'NaN'
    sign = '-' if negative else ''
    if digits == 'Infinity':
        return sign + 'Infinity'
    digits = str(digits)
    scientific = exponent + len(digits) - 1
    if exponent > 0 or scientific < -6:
        mantissa = digits[0] + ('.' + digits[1:] if len(digits) > 1 else '')
        return '%s%sE%+d' % (sign, mantissa, scientific)
    if exponent == 0:
        return sign + digits
    digits = digits.rjust(1 - exponent, '0')
    return sign + digits[:exponent] + '.' + digits[exponent:]


# --- dates

EPOCH = datetime.datetime(1970, 1, 1)


def iso_date(ms):
    """ISO 8601 in UTC for the years Python knows, 1 to 9999; else None."""
    if not -62135596800000 <= ms <= 253402300799999:
        return None
    when = EPOCH + datetime.timedelta(milliseconds=ms)
    return when.strftime('%04d-%%m-%%dT%%H:%%M:%%S' % when.year) + ('.%03dZ' % (ms % 1000) if ms % 1000 else 'Z')


# --- order

RANK = {raw.MINKEY: 1, raw.UNDEFINED: 2, raw.NULL: 3, raw.INT32: 4, raw.INT64: 4, raw.DOUBLE: 4, raw.DECIMAL: 4,
        raw.STRING: 5, raw.SYMBOL: 5, raw.DOC: 6, raw.ARRAY: 7, raw.BINARY: 8, raw.OBJECTID: 9, raw.BOOL: 10,
        raw.DATE: 11, raw.TIMESTAMP: 12, raw.REGEX: 13, raw.DBPOINTER: 14, raw.CODE: 15, raw.SCOPED: 16,
        raw.MAXKEY: 17}


def number_order(node):
    """A key that sorts as the number does: NaN, -Infinity, finite numbers by what they are worth, Infinity."""
    value = worth(node)
    if isinstance(value, str):
        return {NAN: (0, 0), MINUS_INFINITY: (1, 0), INFINITY: (3, 0)}[value]
    return 2, value


def document_order(elements):
    """A key that compares fields in turn by type, name and value; a shorter document comes first."""
    return tuple((RANK[node[0]], key, order(node)[1]) for key, node in elements)


def array_order(elements):
    """A key that compares elements in turn; their keys are ignored."""
    return tuple(order(node) for _, node in elements)


def order(node):
    """A tuple that sorts like the value."""
    kind, payload = node
    if kind in NUMBERS:
        detail = number_order(node)
    elif kind in raw.STRINGS:
        detail = raw.text(node)
    elif kind == raw.DOC:
        detail = document_order(payload)
    elif kind == raw.ARRAY:
        detail = array_order(payload)
    elif kind == raw.BINARY:
        detail = (len(payload), payload[4:])    # for subtype 2 the inner length counts, as in MongoDB
    elif kind == raw.DATE:
        detail = raw.int64(node)
    elif kind == raw.TIMESTAMP:
        detail = raw.timestamp(node)
    elif kind == raw.REGEX:
        detail = raw.regex(node)
    elif kind == raw.DBPOINTER:
        detail = (len(payload), payload[4:-13], payload[-12:])
    elif kind == raw.SCOPED:
        detail = (payload[0], document_order(payload[1]))
    else:
        detail = payload
    return RANK[kind], detail


# --- names

TYPE_NAMES = {raw.DOUBLE: 'double', raw.STRING: 'string', raw.DOC: 'object', raw.ARRAY: 'array', raw.BINARY: 'binData',
              raw.UNDEFINED: 'undefined', raw.OBJECTID: 'objectId', raw.BOOL: 'bool', raw.DATE: 'date',
              raw.NULL: 'null', raw.REGEX: 'regex', raw.DBPOINTER: 'dbPointer', raw.CODE: 'javascript',
              raw.SYMBOL: 'symbol', raw.SCOPED: 'javascriptWithScope', raw.INT32: 'int', raw.TIMESTAMP: 'timestamp',
              raw.INT64: 'long', raw.DECIMAL: 'decimal', raw.MINKEY: 'minKey', raw.MAXKEY: 'maxKey'}


# --- relaxed Extended JSON, as ::json and ::jsonb give it

class Object(list):
    """A JSON object: (name, value) pairs in order."""


def shortest(d):
    """
    The shortest spelling that is nearer to this double than to any other, as the server prints it; Python's may lie
    half-way between two doubles, as 1e23 does.
    """
    text = repr(d)
    if d == 0 or abs(d) == float('inf') or d != d:
        return text
    ulp = [abs(Fraction(d) - Fraction(math.nextafter(d, to))) for to in (0.0, math.copysign(float('inf'), d))
           if abs(math.nextafter(d, to)) != float('inf')]
    if all(abs(exact(text) - Fraction(d)) * 2 != u for u in ulp):
        return text
    for digits in range(17):
        text = '%.*e' % (digits, d)
        if float(text) == d and all(abs(exact(text) - Fraction(d)) * 2 != u for u in ulp):
            break
    return text


def spelled(number_node):
    """A number's own text: a double's shortest, a decimal's by the specification."""
    kind = number_node[0]
    if kind == raw.DOUBLE:
        d = raw.double(number_node)
        return {'nan': 'NaN', 'inf': 'Infinity', '-inf': '-Infinity'}.get(repr(d)) or shortest(d)
    if kind == raw.DECIMAL:
        return decimal_text(number_node)
    return str(raw.int32(number_node) if kind == raw.INT32 else raw.int64(number_node))


def relaxed(node, readable=False):
    """
    The value as JSON: str, bool, None, Fraction, list, Object.  Readable text,
    that of ->>, keeps the types of numbers apart.
    """
    kind, payload = node
    if kind == raw.DOC:
        return Object((key.decode(), relaxed(child, readable)) for key, child in payload)
    if kind == raw.ARRAY:
        return [relaxed(child, readable) for _, child in payload]
    if readable and kind == raw.INT64 and -2**31 <= raw.int64(node) < 2**31:
        return Object([('$numberLong', spelled(node))])
    if readable and kind == raw.DECIMAL:
        return Object([('$numberDecimal', spelled(node))])
    if kind == raw.STRING:
        return raw.text(node).decode()
    if kind == raw.BOOL:
        return payload == b'\1'
    if kind == raw.NULL:
        return None
    if kind in (raw.INT32, raw.INT64):
        return number(node)
    if kind == raw.DOUBLE:
        text = spelled(node)
        return Object([('$numberDouble', text)]) if text[-1] in 'Nny' else Fraction(text)
    if kind == raw.DECIMAL:
        text = spelled(node)
        return Object([('$numberDecimal', text)]) if text[-1] in 'Nny' else Fraction(text)
    if kind == raw.DATE:
        ms = raw.int64(node)
        if 0 <= ms <= 253402300799999:
            return Object([('$date', iso_date(ms))])
        return Object([('$date', Object([('$numberLong', str(ms))]))])
    if kind == raw.OBJECTID:
        return Object([('$oid', payload.hex())])
    if kind == raw.BINARY:
        subtype, data = raw.binary(node)
        return Object([('$binary', Object([('base64', base64.b64encode(data).decode()), ('subType', '%02x' % subtype)]))])
    if kind == raw.TIMESTAMP:
        seconds, increment = raw.timestamp(node)
        return Object([('$timestamp', Object([('t', Fraction(seconds)), ('i', Fraction(increment))]))])
    if kind == raw.REGEX:
        pattern, options = raw.regex(node)
        return Object([('$regularExpression', Object([('pattern', pattern.decode()), ('options', options.decode() if max(options, default=0) > 127 else ''.join(sorted(options.decode())))]))])
    if kind == raw.DBPOINTER:
        return Object([('$dbPointer', Object([('$ref', payload[4:-13].decode()), ('$id', Object([('$oid', payload[-12:].hex())]))]))])
    if kind == raw.CODE:
        return Object([('$code', raw.text(node).decode())])
    if kind == raw.SYMBOL:
        return Object([('$symbol', raw.text(node).decode())])
    if kind == raw.SCOPED:
        return Object([('$code', payload[0].decode()), ('$scope', relaxed((raw.DOC, payload[1]), readable))])
    if kind == raw.UNDEFINED:
        return Object([('$undefined', True)])
    return Object([('$minKey' if kind == raw.MINKEY else '$maxKey', Fraction(1))])


def last_wins(value):
    """The same with only the last of duplicate names, which jsonb keeps, as a dict."""
    if isinstance(value, Object):
        return {name: last_wins(child) for name, child in value}
    if isinstance(value, list):
        return [last_wins(child) for child in value]
    return value


def from_json(text):
    """JSON text in the same form."""
    return json.loads(text, object_pairs_hook=Object, parse_int=Fraction, parse_float=Fraction, strict=False)


def has_nul(value):
    """Is there U+0000 in any string of this JSON?"""
    if isinstance(value, Object):
        return any('\0' in name or has_nul(child) for name, child in value)
    if isinstance(value, list):
        return any(has_nul(child) for child in value)
    return isinstance(value, str) and '\0' in value


UUID = 4
TIMESTAMPTZ_MS = range(-210866803200000, 9224318016000000)
DATE_DAYS = range(-2440588, 2147483494 - 2440588)


def plain_text(node):
    """
    The text of ->>: None, a str, or, if the text is that of a container or wrapper, the Object or list that it should
    spell.
    """
    if node is None or node[0] in (raw.NULL, raw.UNDEFINED):
        return None
    kind = node[0]
    if kind in raw.STRINGS:
        return raw.text(node).decode()
    if kind == raw.BOOL:
        return 'true' if node[1] == b'\1' else 'false'
    if kind in NUMBERS:
        return spelled(node)
    if kind == raw.OBJECTID:
        return node[1].hex()
    if kind == raw.BINARY:
        subtype, data = raw.binary(node)
        return str(uuid.UUID(bytes=data)) if subtype == UUID and len(data) == 16 else '\\x' + data.hex()
    if kind == raw.DATE and raw.int64(node) not in TIMESTAMPTZ_MS:
        return str(raw.int64(node))
    if kind == raw.DATE:
        return iso_date(raw.int64(node)) or DATE_BEYOND_PYTHON
    return relaxed(node, True)


DATE_BEYOND_PYTHON = object()


# --- numbers in JSON text

def json_number(token):
    """
    What a number in JSON text becomes: (type, value), or None if no type holds it exactly. "token" is its spelling.
    """
    whole = not any(c in token for c in '.eE')
    value = exact(token)
    if value is None:
        return None
    if token == '-0':
        return raw.DOUBLE, value        # there is no negative zero among integers
    if whole and -2**31 <= value < 2**31:
        return raw.INT32, value
    if whole and -2**63 <= value < 2**63:
        return raw.INT64, value
    if not whole:
        try:
            nearest = float(token)
        except OverflowError:
            nearest = float('inf')
        if abs(nearest) != float('inf') and exact(shortest(nearest)) == value:
            return raw.DOUBLE, value
    return (raw.DECIMAL, value) if fits_decimal(value) else None


def exact(token):
    """The token's value; None if its exponent is extremely large."""
    mantissa, _, exponent = token.lower().partition('e')
    if exponent and abs(int(exponent)) > 20000:
        return Fraction(0) if not mantissa.strip('-0.') else None
    return Fraction(mantissa) * Fraction(10) ** int(exponent or 0)


def fits_decimal(value):
    """Can 34 digits and an exponent of -6176 to 6111 hold it?"""
    if value == 0:
        return True
    digits, exponent = abs(value), 0
    while digits.denominator != 1:
        digits *= 10
        exponent -= 1
        if exponent < -6176:
            return False
    digits = int(digits)
    while digits % 10 == 0:
        digits //= 10
        exponent += 1
    if exponent > 6111:
        digits *= 10 ** (exponent - 6111)
    return digits < 10**34
