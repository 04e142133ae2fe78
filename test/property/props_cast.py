"""A bson scalar as an SQL value: exact, rounded as SQL rounds, or the right error."""
import math
import struct
from fractions import Fraction

import db
import gen
import model
import props_get
import raw
from property import Property


class Refused(Exception):
    pass


def number_of(node):
    """The decimal value as an SQL numeric; NAN or an infinity."""
    if node[0] not in model.NUMBERS:
        raise Refused('22023')
    value = model.number(node)
    return value if isinstance(value, str) else model.exact(model.spelled(node))


def is_integer(value):
    return not isinstance(value, str) and value.denominator == 1


def integer(bits):
    def cast(node):
        value = number_of(node)
        if is_integer(model.number(node)):
            value = model.number(node)      # the exact value of the double, not that of its spelling
        if isinstance(value, str):
            raise Refused('22003')
        rounded = math.floor(abs(value) + Fraction(1, 2)) * (1 if value >= 0 else -1)
        if not -2**(bits - 1) <= rounded < 2**(bits - 1):
            raise Refused('22003')
        return str(rounded)
    return cast


def float8(node):
    number_of(node)
    value = model.number(node)
    if isinstance(value, str):
        return float(value)
    if node[0] == raw.DOUBLE:
        return raw.double(node)
    try:
        result = float(value)
    except OverflowError:
        raise Refused('22003') from None
    if result == 0 and value != 0:
        raise Refused('22003')
    return result


def float4(node):
    wide = float8(node)
    if wide != wide or math.isinf(wide):
        return wide
    try:
        result = struct.unpack('<f', struct.pack('<f', wide))[0]
    except OverflowError:
        raise Refused('22003') from None
    if result == 0 and wide != 0:
        raise Refused('22003')
    return result


def numeric(node):
    value = number_of(node)
    return value if isinstance(value, str) else Fraction(value)


def date_ms(node):
    if node[0] != raw.DATE:
        raise Refused('22023')
    return raw.int64(node)


def timestamptz(node):
    ms = date_ms(node)
    if ms not in model.TIMESTAMPTZ_MS:
        raise Refused('22008')
    return Fraction(ms)


def date(node):
    days = date_ms(node) // 86400000
    if days not in model.DATE_DAYS:
        raise Refused('22008')
    return str(days)


def boolean(node):
    if node[0] != raw.BOOL:
        raise Refused('22023')
    return 'true' if node[1] == b'\1' else 'false'


def uuid(node):
    if node[0] != raw.BINARY or raw.binary(node)[0] != model.UUID or len(raw.binary(node)[1]) != 16:
        raise Refused('22023')
    return model.plain_text(node)


CASTS = {
    'b::int2': integer(16),
    'b::int4': integer(32),
    'b::int8': integer(64),
    'b::float8': float8,
    'b::float4': float4,
    'b::numeric': numeric,
    'b::bool': boolean,
    'b::uuid': uuid,
    'extract(epoch FROM b::timestamptz) * 1000': timestamptz,
    "extract(epoch FROM b::timestamp) * 1000": timestamptz,
    "b::date - date '1970-01-01'": date,
}


class Casts(Property):
    """The explicit casts."""
    functions = ('bson_to_int4(bson)', 'bson_to_uuid(bson)')
    count = 1500

    def cases(self, g, n):
        return [raw.stored(g.scalar() if g.rng.random() < .5 else g.number()) for _ in range(n - 20)] + \
            [raw.stored(g.lookalike()) for _ in range(20)]

    def check(self, cases, rng):
        rows = db.query('SELECT %s FROM t ORDER BY i' % ', '.join('pg_temp.try($x$%s$x$, v::bson)' % c for c in CASTS),
                        ('v bytea', [(c,) for c in cases]), """
            SET timezone = 'Asia/Kolkata';
            CREATE FUNCTION pg_temp.try(expression text, b bson) RETURNS text LANGUAGE plpgsql AS $$
            DECLARE
                result text;
            BEGIN
                EXECUTE 'SELECT (' || expression || ')::text FROM (SELECT $1 AS b) s' INTO result USING b;
                RETURN result;
            EXCEPTION WHEN OTHERS THEN
                RETURN 'error ' || SQLSTATE;
            END $$;\n""")
        failures = {}
        for i, row in enumerate(rows):
            node = raw.root(cases[i])
            for (expression, cast), got in zip(CASTS.items(), row):
                try:
                    want = None if node[0] in (raw.NULL, raw.UNDEFINED) else cast(node)
                except Refused as refused:
                    want = 'error %s' % refused
                if not same(got, want):
                    failures[i] = '%s is %s, the oracle says %s' % (expression, got, want)
        return failures


class CastWalks(Property):
    """The cast of a chain of accessors, which the planner makes one call, gives the same as the cast of the chain's result, including the text of errors."""
    types = ('bool', 'int2', 'int4', 'int8', 'float4', 'float8', 'numeric', 'timestamptz', 'timestamp', 'date', 'uuid', 'json', 'jsonb')
    functions = tuple('bson_walk_to_%s(bson,"any")' % t for t in types)
    count = 300
    last = '>'                  # of the last operator, behind - or #

    def cases(self, g, n):
        # half of them have many scalars; in the other half the path often leads to one
        def node():
            return g.lookalike() if g.rng.random() < .1 else g.number() if g.rng.random() < .4 else g.scalar()

        plain = [raw.stored((raw.DOC, [(g.key(), node()), (g.key(), (raw.ARRAY, [(b'0', node()), (b'1', node())]))]))
                 for _ in range(n // 2)]
        # with subdocuments that have the bytes of an envelope
        wrapped = [raw.stored((raw.DOC, [(b'a', (raw.DOC, [(b'', (raw.MINKEY, b'')), (b'', node())]))])) for _ in range(n // 20)]
        return plain + wrapped + super().cases(g, n - len(plain) - len(wrapped))

    def chain(self, rng, node):
        """Of one to four accessors."""
        if rng.random() < .3:
            return 'b #%s %s' % (self.last, props_get.quote(db.text_array(props_get.path_into(rng, node)[:50]).encode()))
        steps = []
        for _ in range(rng.randrange(1, 5)):
            key, index = props_get.step_into(rng, node)
            if rng.random() < (.95 if node[0] == raw.DOC else .05):
                steps.append(props_get.quote(key))
                node = model.field(node, key) or gen.NULL
            else:
                steps.append('(%d)' % index)
                node = model.element(node, index) or gen.NULL
            if node[0] not in raw.CONTAINERS and rng.random() < .9:
                break
        return ' -> '.join(['b'] + steps[:-1]) + ' -%s ' % self.last + steps[-1]

    def check(self, cases, rng):
        chains = [self.chain(rng, raw.root(c)) for c in cases]
        # OFFSET 0 prevents that the value is a constant, and that the chain is joined with the cast
        once = "pg_temp.try(format($x$SELECT (%%s)::%s FROM (SELECT $1 AS b OFFSET 0) s$x$, chain), v::bson)"
        steps = "pg_temp.try(format($x$SELECT x::%s FROM (SELECT %%s AS x FROM (SELECT $1 AS b OFFSET 0) s OFFSET 0) r$x$, chain), v::bson)"
        rows = db.query('SELECT %s FROM t ORDER BY i' % ', '.join((once + ', ' + steps) % (t, t) for t in self.types),
                        ('v bytea, chain text', list(zip(cases, chains))), """
            CREATE FUNCTION pg_temp.try(query text, b bson) RETURNS text LANGUAGE plpgsql AS $$
            DECLARE
                result text;
                detail text;
            BEGIN
                EXECUTE query INTO result USING b;
                RETURN result;
            EXCEPTION WHEN OTHERS THEN
                GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
                RETURN 'error ' || SQLSTATE || ' ' || SQLERRM || ' ' || detail;
            END $$;\n""")
        failures = {}
        for i, row in enumerate(rows):
            for t, got, want in zip(self.types, row[::2], row[1::2]):
                if got != want:
                    failures[i] = ('(%s)::%s is %s, by steps %s' % (chains[i], t, got, want))[:2500]
        return failures


class TextCasts(CastWalks):
    """The same of the text of a chain, which a finished plan has made one call, as its comparison with a constant."""
    types = ("text = '1'", "text <> 'true'", "text = ''", "text = '[]'", "text IN ('1', 'null', '[]', '')", "text NOT IN ('true', '0')", 'bool', 'int2', 'int4', 'int8', 'float4', 'float8', 'numeric', 'date', 'time', 'timestamptz', 'timestamp', 'interval', 'uuid', 'bytea', 'json', 'bson', '"int4[]"')
    functions = ('bson_walk_as(bson,"any")', 'bson_walk_equals(bson,"any")')
    last = '>>'

    def cases(self, g, n):
        # a third are dates and times, right and nearly right
        moments = [raw.stored((raw.DOC, [(g.key(), gen.text(raw.STRING, self.moment(g.rng)))])) for _ in range(n // 3)]
        return moments + super().cases(g, n - len(moments))

    @staticmethod
    def moment(rng):
        text = '%04d-%02d-%02d' % (rng.choice([0, 1, 44, 1900, 1970, 2000, 2024, 9999]), rng.randrange(14), rng.randrange(33))
        if rng.random() < .7:
            text += rng.choice('TTTT t') + '%02d:%02d' % (rng.randrange(26), rng.randrange(62))
            if rng.random() < .8:
                text += ':%02d' % rng.randrange(62) + rng.choice(['', '.%d' % rng.randrange(10 ** 7), '.500000000', '.'])
            text += rng.choice(['', 'Z', '+02', '-03:30', '+0545', '+15:59', '-16:00', '+%02d:%02d' % (rng.randrange(25), rng.randrange(62)), ' BC'])
        if rng.random() < .2:
            at = rng.randrange(len(text) + 1)
            text = text[:at] + rng.choice('0 :-T.+Zx') + text[at + rng.randrange(2):]
        return text


def narrow(value):
    """The nearest float4; None beyond its range."""
    try:
        return struct.unpack('<f', struct.pack('<f', value))[0]
    except OverflowError:
        return None


def same(got, want):
    if want is None or isinstance(want, str) or got is None or got.startswith('error'):
        return got == want
    if isinstance(want, float):
        have = float(got)
        # float4 prints the fewest digits that distinguish it from other float4s
        return have == want or (have != have and want != want) or (narrow(want) == want and narrow(have) == want)
    return model.exact(got) == want


def getter(node, kind):
    """The expected result of a typed getter: the value, or None if it is not exactly of the type's kind."""
    if node is None:
        return None
    number = model.number(node) if node[0] in model.NUMBERS else None
    if kind == 'bool':
        return boolean(node) if node[0] == raw.BOOL else None
    if kind in ('int4', 'int8'):
        value = model.exact_int(node, 32 if kind == 'int4' else 64)
        return None if value is None else str(value)
    if kind == 'float8' and number is not None:
        try:
            value = float8(node)
        except Refused:
            return None
        return value if isinstance(number, str) or not math.isinf(value) and model.worth(gen.double(value)) == model.worth(node) else None
    if kind == 'numeric' and number is not None:
        return numeric(node)
    if kind == 'text' and node[0] == raw.STRING and b'\0' not in raw.text(node):
        return raw.text(node).decode()
    if kind == 'timestamptz' and node[0] == raw.DATE and raw.int64(node) in model.TIMESTAMPTZ_MS:
        return timestamptz(node)
    if kind == 'uuid' and node[0] == raw.BINARY:
        try:
            return uuid(node)
        except Refused:
            return None
    if kind == 'bytea' and node[0] == raw.BINARY:
        return '\\x' + raw.binary(node)[1].hex()
    if kind == 'objectid' and node[0] == raw.OBJECTID:
        return node[1].hex()
    return '\\x' + raw.stored(node).hex() if kind == 'bson' else None


class Getters(Property):
    """bson_get_*: exact, or NULL; they never fail."""
    kinds = ('bool', 'int4', 'int8', 'float8', 'numeric', 'text', 'timestamptz', 'uuid', 'bytea', 'objectid', 'bson')
    functions = tuple('bson_get_%s(bson,text[])' % k for k in kinds)
    count = 1000

    def cases(self, g, n):
        return super().cases(g, n // 2) + \
            [raw.stored((raw.DOC, [(k, g.number() if g.rng.random() < .5 else g.scalar()) for k in (b'a', b'b', b'c')]))
             for _ in range(n // 2)]

    def check(self, cases, rng):
        roots = [raw.root(c) for c in cases]
        paths = [props_get.path_into(rng, r) for r in roots]
        wrap = {'timestamptz': 'extract(epoch FROM %s) * 1000', 'bson': '(%s)::bytea'}
        rows = db.on_values([wrap.get(k, '%s') % ('bson_get_%s(b, VARIADIC p)' % k) for k in self.kinds], cases,
                            'p text[]', [(db.text_array(p),) for p in paths])
        failures = {}
        for i, row in enumerate(rows):
            node = model.follow(roots[i], paths[i])
            for kind, got in zip(self.kinds, row):
                want = getter(node, kind)
                if kind == 'bool' and got is not None:
                    got = {'t': 'true', 'f': 'false'}[got]
                if not same(got, want):
                    failures[i] = 'bson_get_%s of %r is %s, the oracle says %s' % (kind, paths[i], got, want)
        return failures


PROPERTIES = [Casts, CastWalks, TextCasts, Getters]
