"""
A model of MongoDB's arithmetic and dates: Python's decimal, float, datetime and zoneinfo.

A number is (type, value): 'int' and 'long' with an int, 'double' with a float,
'decimal' with a decimal.Decimal.  A refused operation raises Refused.
"""
import datetime
import decimal
import math
import zoneinfo

CONTEXT = decimal.Context(prec=34, Emax=6144, Emin=-6143, clamp=1, rounding=decimal.ROUND_HALF_EVEN, traps=[])
# room for what is exact before it is rounded
WIDE = decimal.Context(prec=13000, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN, traps=[])
WIDTHS = ('int', 'long', 'double', 'decimal')


class Refused(Exception):
    pass


def widest(*types):
    return max(types, key=WIDTHS.index)


def is_int(n, bits):
    return -2**(bits - 1) <= n < 2**(bits - 1)


def to_double(n):
    return float(n[1])


def to_decimal(n):
    if n[0] == 'double':
        # 15 digits, and zeroes among them stay
        return CONTEXT.create_decimal(n[1] if n[1] == 0 or not math.isfinite(n[1]) else '%.14e' % n[1])
    return CONTEXT.create_decimal(n[1])


def integer(kind, n):
    """An int that is too large is a long."""
    return ('int' if kind == 'int' and is_int(n, 32) else 'long', n)


def add(numbers):
    total = ('int', 0)
    kind = 'int'
    for n in numbers:
        kind = widest(kind, n[0])
        if kind == 'decimal':
            total = ('decimal', CONTEXT.add(to_decimal(total), to_decimal(n)))
        elif kind == 'double':
            total = ('double', to_double(total) + to_double(n))
        elif is_int(total[1] + n[1], 64):
            total = ('long', total[1] + n[1])
        else:
            kind, total = 'double', ('double', to_double(total) + to_double(n))
    return integer(kind, total[1]) if kind in ('int', 'long') else total


def multiply(numbers):
    whole, real, exact, kind = 1, 1.0, None, 'int'
    for n in numbers:
        before, kind = kind, widest(kind, n[0])
        if kind == 'decimal':
            if before != 'decimal':
                exact = to_decimal(('double', real) if before == 'double' else ('long', whole))
            exact = CONTEXT.multiply(exact, to_decimal(n))
            continue
        real *= to_double(n)
        if kind != 'double':
            whole *= n[1]
            if not is_int(whole, 64):
                kind = 'double'
    return ('decimal', exact) if kind == 'decimal' else ('double', real) if kind == 'double' else integer(kind, whole)


def subtract(a, b):
    kind = widest(a[0], b[0])
    if kind == 'decimal':
        return ('decimal', CONTEXT.subtract(to_decimal(a), to_decimal(b)))
    if kind == 'double' or not is_int(a[1] - b[1], 64):
        return ('double', to_double(a) - to_double(b))
    return integer(kind, a[1] - b[1])


def divide(a, b):
    if to_decimal(b) == 0 or (b[0] == 'double' and b[1] == 0):
        raise Refused
    if 'decimal' in (a[0], b[0]):
        return ('decimal', CONTEXT.divide(to_decimal(a), to_decimal(b)))
    x, y = to_double(a), to_double(b)
    return ('double', x / y)


def mod(a, b):
    kind = widest(a[0], b[0])
    if b[1] == 0:
        raise Refused
    if kind == 'decimal':
        x, y = to_decimal(a), to_decimal(b)
        if x.is_nan() or y.is_nan() or x.is_infinite():
            return ('decimal', decimal.Decimal('NaN'))
        if y.is_infinite():
            return ('decimal', x)
        return ('decimal', CONTEXT.plus(WIDE.remainder(x, y)).copy_sign(x))
    if kind == 'double':
        x, y = to_double(a), to_double(b)
        return ('double', math.nan if math.isinf(x) or math.isnan(x) or math.isnan(y) else math.fmod(x, y))
    return integer(kind, int(math.copysign(1, a[1])) * (abs(a[1]) % abs(b[1])))


def absolute(a):
    if a[0] in ('int', 'long'):
        if a[1] == -2**63:
            raise Refused
        return integer(a[0], abs(a[1]))
    return (a[0], a[1].copy_abs() if a[0] == 'decimal' else abs(a[1]))


def whole(a, rounding):
    if a[0] in ('int', 'long'):
        return a
    if a[0] == 'double':
        if not math.isfinite(a[1]) or a[1] == 0:
            return a
        n = (math.ceil if rounding == decimal.ROUND_CEILING else math.floor)(a[1])
        return ('double', math.copysign(float(n), a[1]) if n == 0 else float(n))
    return None                 # of decimals: the quantum is not modelled


def places(a, n, rounding):
    """$round and $trunc of integers and doubles."""
    quantum = decimal.Decimal((0, (1,), -n))
    if a[0] in ('int', 'long'):
        if n >= 0:
            return a
        value = int(WIDE.create_decimal(a[1]).quantize(quantum, rounding, WIDE))
        if not is_int(value, 64):
            raise Refused
        return integer(a[0], value)
    if a[0] == 'double':
        if not math.isfinite(a[1]) or a[1] == 0:
            return a
        exact = CONTEXT.create_decimal(decimal.Decimal(a[1]))
        value = exact.quantize(quantum, rounding, WIDE)
        if len(value.as_tuple().digits) > 34:
            return a
        return ('double', float(value))
    return None


# dates: milliseconds since 1970

EPOCH = datetime.datetime(1970, 1, 1)
UNITS = {'week': 7 * 86400000, 'day': 86400000, 'hour': 3600000, 'minute': 60000, 'second': 1000, 'millisecond': 1}
MONTHS = {'year': 12, 'quarter': 3, 'month': 1}


def local(ms, zone):
    """The wall clock there, and its distance from UTC in milliseconds."""
    utc = EPOCH.replace(tzinfo=datetime.timezone.utc) + datetime.timedelta(milliseconds=ms)
    there = utc.astimezone(zoneinfo.ZoneInfo(zone))
    return there.replace(tzinfo=None), there.utcoffset() // datetime.timedelta(milliseconds=1)


def since_epoch(wall):
    return (wall - EPOCH) // datetime.timedelta(milliseconds=1)


def utc_of(wall, zone):
    """The second of two, and as much later where there is none: the smaller offset."""
    there = zoneinfo.ZoneInfo(zone)
    offset = min(wall.replace(tzinfo=there, fold=fold).utcoffset() for fold in (0, 1))
    return since_epoch(wall) - offset // datetime.timedelta(milliseconds=1)


def date_add(ms, unit, amount, zone):
    if unit in UNITS and UNITS[unit] < 86400000:
        return ms + amount * UNITS[unit]
    wall, _ = local(ms, zone)
    if unit in UNITS:
        return utc_of(wall + datetime.timedelta(milliseconds=amount * UNITS[unit]), zone)
    months = wall.year * 12 + wall.month - 1 + amount * MONTHS[unit]
    year, month = divmod(months, 12)
    last = (datetime.date(year + month // 11, month % 11 + 1 if month < 11 else 1, 1) if month == 11
            else datetime.date(year, month + 2, 1)) - datetime.timedelta(days=1)
    return utc_of(wall.replace(year=year, month=month + 1, day=min(wall.day, last.day)), zone)


def number_of(wall, unit, starts):
    """How many of the unit have begun, from some time on."""
    if unit in MONTHS:
        return (wall.year * 12 + wall.month - 1) // MONTHS[unit]
    if unit == 'week':
        # ordinal 1 is a Monday; "starts" is 0 for Sunday
        return (wall.toordinal() - starts) // 7
    return since_epoch(wall) // UNITS[unit]


def date_diff(first, second, unit, zone, starts):
    if unit in ('hour', 'minute', 'second', 'millisecond'):
        shift = local(first, zone)[1]
        return (second + shift) // UNITS[unit] - (first + shift) // UNITS[unit]
    return number_of(local(second, zone)[0], unit, starts) - number_of(local(first, zone)[0], unit, starts)


def date_trunc(ms, unit, size, zone, starts):
    reference = datetime.datetime(2000, 1, 1)
    base = since_epoch(reference) - local(since_epoch(reference), zone)[1]
    if unit in UNITS and UNITS[unit] < 86400000:
        return ms - (ms - base) % (size * UNITS[unit])
    if unit == 'week':
        while reference.isoweekday() % 7 != starts:
            reference += datetime.timedelta(days=1)
        base += (reference.day - 1) * 86400000
    distance = number_of(local(ms, zone)[0], unit, starts) - number_of(reference, unit, starts)
    return date_add(base, unit, distance - distance % size, zone)


def parts(ms, zone):
    wall, _ = local(ms, zone)
    return [wall.year, wall.month, wall.day, wall.hour, wall.minute, wall.second, wall.microsecond // 1000]
