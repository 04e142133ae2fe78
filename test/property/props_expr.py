"""bson_eval calculates as MongoDB's server: numbers of four types, dates in time zones."""
import decimal
import json
import math
import zoneinfo

import db
import model_expr as model
from property import Property

ARITHMETIC = {
    '$add': lambda ns: model.add(ns), '$multiply': lambda ns: model.multiply(ns),
    '$subtract': lambda ns: model.subtract(*ns), '$divide': lambda ns: model.divide(*ns), '$mod': lambda ns: model.mod(*ns),
    '$abs': lambda ns: model.absolute(*ns), '$ceil': lambda ns: model.whole(*ns, decimal.ROUND_CEILING),
    '$floor': lambda ns: model.whole(*ns, decimal.ROUND_FLOOR),
    '$round': lambda ns: model.places(ns[0], ns[1][1], decimal.ROUND_HALF_EVEN),
    '$trunc': lambda ns: model.places(ns[0], ns[1][1], decimal.ROUND_DOWN),
}
MANY, TWO = ('$add', '$multiply'), ('$subtract', '$divide', '$mod')


def number(rng):
    kind = rng.choice(('int', 'int', 'long', 'double', 'double', 'decimal'))
    if kind == 'int':
        return kind, rng.choice((rng.randrange(-2**31, 2**31), rng.randrange(-20, 20), 2**31 - 1, -2**31))
    if kind == 'long':
        return kind, rng.choice((rng.randrange(-2**63, 2**63), rng.randrange(-20, 20), rng.randrange(-2**33, 2**33), 2**63 - 1, -2**63))
    if kind == 'double':
        return kind, rng.choice((rng.uniform(-100, 100), rng.randrange(-1000, 1000) / 8, math.ldexp(rng.uniform(-1, 1), rng.randrange(-300, 300)),
                                 0.0, -0.0, math.inf, math.nan, 0.1, 1e15, 9007199254740993.0))
    digits = rng.choice((1, 2, 5, 17, 34))
    return kind, rng.choice((decimal.Decimal((rng.randrange(2), tuple(rng.randrange(10) for _ in range(digits)), rng.choice((0, -1, -2, -10, 3, -40, 200, -300)))),
                             decimal.Decimal(rng.randrange(-100, 100)), decimal.Decimal('Infinity'), decimal.Decimal('NaN')))


def spelled(n):
    if n[0] == 'int':
        return {'$numberInt': str(n[1])}
    if n[0] == 'long':
        return {'$numberLong': str(n[1])}
    if n[0] == 'double':
        return {'$numberDouble': 'NaN' if math.isnan(n[1]) else ('-' if n[1] < 0 else '') + 'Infinity' if math.isinf(n[1]) else repr(n[1])}
    return {'$numberDecimal': str(n[1])}


def read(text):
    (key, value), = json.loads(text).items()
    kind = {'$numberInt': 'int', '$numberLong': 'long', '$numberDouble': 'double', '$numberDecimal': 'decimal'}[key]
    return kind, {'double': float, 'decimal': decimal.Decimal}.get(kind, int)(value)


def same(a, b):
    """With -0, and the exponent of a decimal; NaN is NaN."""
    if a[0] != b[0]:
        return False
    if a[0] == 'double':
        return repr(a[1]) == repr(b[1]) or (math.isnan(a[1]) and math.isnan(b[1]))
    return a[1].as_tuple() == b[1].as_tuple() or (a[1].is_nan() and b[1].is_nan()) if a[0] == 'decimal' else a[1] == b[1]


class Expression(Property):
    """Each case an expression; refused ones give SQLSTATEs, so that one statement does for all."""
    functions = ('bson_eval(bson,bson,bson)',)
    shrinks = False
    prepare = """CREATE FUNCTION pg_temp.value(e text) RETURNS text LANGUAGE plpgsql AS $$
        BEGIN RETURN coalesce(bson_to_extjson(bson_eval('{}', e::bson), 'canonical'), 'nothing'); EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE; END $$;"""

    def values(self, expressions):
        return [row[0] for row in db.query('SELECT pg_temp.value(e) FROM t ORDER BY i', ('e text', [[json.dumps(e)] for e in expressions]), self.prepare)]


class Arithmetic(Expression):
    count = 3000

    def cases(self, g, n):
        cases = []
        for _ in range(n):
            name = g.rng.choice(sorted(ARITHMETIC))
            numbers = [number(g.rng) for _ in range(g.rng.randrange(1, 5) if name in MANY else 2 if name in TWO else 1)]
            if name in ('$round', '$trunc'):
                numbers.append(('int', g.rng.randrange(-12, 15)))
            cases.append((name, numbers))
        return cases

    def check(self, cases, rng):
        failures = {}
        for i, ((name, numbers), got) in enumerate(zip(cases, self.values([{name: [spelled(n) for n in ns]} for name, ns in cases]))):
            try:
                want = ARITHMETIC[name](numbers)
            except model.Refused:
                want = 'refused'
            if want is None:
                continue
            if got[:1] != '{':
                good = want == 'refused' and got in ('22012', '22003')
            else:
                good = want != 'refused' and same(want, read(got))
            if not good:
                failures[i] = 'server %s, model %s' % (got, want)
        return failures


class Dates(Expression):
    """From 1971 to 2036, by several time zones with summer time."""
    count = 1500
    zones = ('UTC', 'Europe/Zurich', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata', 'America/Sao_Paulo')
    days = ('sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday')

    def available(self):
        try:
            zoneinfo.ZoneInfo('Europe/Zurich')
        except zoneinfo.ZoneInfoNotFoundError:
            print('Dates: skipped, as Python finds no time zones')
            self.count = 0
        return super().available()

    def cases(self, g, n):
        r = g.rng
        day = 86400000
        return [(r.choice(('add', 'subtract', 'diff', 'trunc', 'parts')), r.randrange(366 * day, 66 * 365 * day), r.randrange(366 * day, 66 * 365 * day),
                 r.choice(sorted(model.UNITS) + sorted(model.MONTHS)), r.randrange(-40, 40), r.choice(self.zones), r.randrange(7)) for _ in range(n if self.count else 0)]

    def expression(self, case):
        name, first, second, unit, amount, zone, starts = case
        date, other = ({'$date': {'$numberLong': str(ms)}} for ms in (first, second))
        if name in ('add', 'subtract'):
            return {'$date' + name.capitalize(): {'startDate': date, 'unit': unit, 'amount': amount, 'timezone': zone}}
        if name == 'diff':
            return {'$dateDiff': {'startDate': date, 'endDate': other, 'unit': unit, 'timezone': zone, 'startOfWeek': self.days[starts]}}
        if name == 'trunc':
            return {'$dateTrunc': {'date': date, 'unit': unit, 'binSize': abs(amount) + 1, 'timezone': zone, 'startOfWeek': self.days[starts]}}
        return {'$dateToParts': {'date': date, 'timezone': zone}}

    def want(self, case):
        name, first, second, unit, amount, zone, starts = case
        if name in ('add', 'subtract'):
            return model.date_add(first, unit, amount if name == 'add' else -amount, zone)
        if name == 'diff':
            return model.date_diff(first, second, unit, zone, starts)
        if name == 'trunc':
            return model.date_trunc(first, unit, abs(amount) + 1, zone, starts)
        return model.parts(first, zone)

    def check(self, cases, rng):
        failures = {}
        for i, (case, got) in enumerate(zip(cases, self.values([self.expression(c) for c in cases]))):
            want = self.want(case)
            found = json.loads(got) if got[:1] == '{' else {'error': got}
            if case[0] == 'parts':
                found = [int(v['$numberInt']) for v in found.values()]
            elif '$date' in found:
                found = int(found['$date']['$numberLong'])
            elif '$numberLong' in found:
                found = int(found['$numberLong'])
            if found != want:
                failures[i] = 'server %s, model %s' % (found, want)
        return failures

    def show(self, case):
        return json.dumps(self.expression(case))


PROPERTIES = [Arithmetic, Dates]
