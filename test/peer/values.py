"""When are two printed values the same?  Documents by content, whatever their spelling and the order of keys."""
import json
from decimal import Decimal, InvalidOperation

# A number that Extended JSON wraps is the number
_NUMBERS = {'$numberInt', '$numberLong', '$numberDouble', '$numberDecimal'}


def _unwrap(pairs):
    if len(pairs) == 1 and pairs[0][0] in _NUMBERS:
        try:
            return Decimal(pairs[0][1])
        except (InvalidOperation, TypeError):
            pass
    return _Object(pairs)


class _Object(tuple):
    """An object as its fields in one order; of equal keys the last, as jsonb has it."""

    def __new__(cls, pairs):
        return super().__new__(cls, sorted(dict(pairs).items(), key=lambda pair: pair[0]))


def _document(text):
    return json.loads(text, parse_int=Decimal, parse_float=Decimal, object_pairs_hook=_unwrap, strict=False)


def _fields(text):
    """The fields of a composite value, or the elements of an array, as printed; None if it is neither."""
    closing = {'(': ')', '{': '}'}.get(text[:1])
    if closing is None or text[-1:] != closing:
        return None
    fields, field, quoted, i = [], '', False, 1
    while i < len(text) - 1:
        c = text[i]
        if c == '\\':
            i += 1
            field += text[i]
        elif c == '"' and quoted and text[i + 1] == '"':
            i += 1
            field += '"'
        elif c == '"':
            quoted = not quoted
        elif c == ',' and not quoted:
            fields.append(field)
            field = ''
        else:
            field += c
        i += 1
    return None if quoted else fields + [field]


def same(a, b, document):
    """Do two printed values mean the same?  `document`: they are of type jsonb and bson, so that numbers count by value."""
    if a == b:
        return True
    if document or (a[:1] in '[{' and b[:1] in '[{'):
        try:
            return _document(a) == _document(b)
        except (ValueError, RecursionError):
            pass
    inner_a, inner_b = _fields(a), _fields(b)
    return (inner_a is not None and inner_b is not None and len(inner_a) == len(inner_b) and
            all(same(x, y, x[:1] != '"' and _is_json(x)) for x, y in zip(inner_a, inner_b)))


def _is_json(text):
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return text[:1] in '[{'
