"""The two ways to read JSON text, the transcoder and json-c, give the same result."""
import json

import db
import gen
from property import Property

OUTCOME = r"""
CREATE FUNCTION pg_temp.by_%(name)s(t text) RETURNS text LANGUAGE plpgsql SET bson.json_parser = '%(parser)s' AS $$
DECLARE
    detail text;
BEGIN
    RETURN bson_send(bson_in(t::cstring));
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
    RETURN concat_ws(' / ', SQLSTATE, SQLERRM, detail);
END $$;
"""
BOTH = ''.join(OUTCOME % {'name': name, 'parser': parser} for name, parser in (('auto', 'auto'), ('json_c', 'json-c')))

NUMBERS = [str(i) for i in gen.INT64_EDGES] + [repr(d) for d in gen.DOUBLE_EDGES if d - d == 0] + [
    '-0', '0.10', '1E5', '1e+05', '1e22', '1e23', '9223372036854775808', '18446744073709551616.5', '1e400', '1e-400', '1e7000',
    '0.1000000000000000055511151231257827', '123456789012345678901234567890.5', '0.000000000000000000000000000000012345678901234567']
WRAPPERS = ['{"$oid":"57e193d7a9cc81b4027498b5"}', '{"$date":"2022-03-03T12:13:14.789Z"}', '{"$date":"2022-02-30"}', '{"$date":{"$numberLong":"-1"}}',
            '{"$date":{"$numberInt":"1"}}', '{"$date":5}', '{"$numberInt":"7"}', '{"$numberInt":"x"}', '{"$numberLong":"7"}', '{"$numberDouble":"1.5"}',
            '{"$numberDouble":"Infinity"}', '{"$numberDecimal":"1.10"}', '{"$uuid":"73ffd264-44b3-4c69-90e8-e7d1dfc035d4"}', '{"$symbol":"s"}',
            '{"$code":"f"}', '{"$code":"f","$scope":{"a":1}}', '{"$binary":{"base64":"AQID","subType":"00"}}', '{"$timestamp":{"t":1,"i":2}}',
            '{"$regularExpression":{"pattern":"a","options":"im"}}', '{"$regex":"a","$options":"x"}', '{"$regex":"a"}', '{"$set":{"a":1}}', '{"$minKey":1}',
            '{"$undefined":true}', '{"$ref":"c","$id":{"$oid":"57e193d7a9cc81b4027498b5"}}', '{"$numberInt":"7","a":1}', '{"$oid":7}']
PIECES = list('{}[],:"\\/ \t\n-+.0123456789eEuabntf$x\x1f\x7fé日😀') + ['\\u', '\\ud83d', '\\ude00', '\\u0000', 'true', 'null', '"$oid"', '""', '{}', '1e9', '0' * 17]


def space(r):
    return r.choice(('', '', '', '', '', ' ', '\n', '\t\r\n  '))


def string(r, words):
    s = r.choice(words) if r.random() < .6 else ''.join(r.choice(' abc"\\/\b\n\x00\x1f\x7fé日😀x') for _ in range(r.randrange(40)))
    quoted = json.dumps(s, ensure_ascii=r.random() < .3)
    if r.random() < .1:
        quoted = quoted.replace('a', '\\u0061')
    return quoted


def number(r):
    kind = r.random()
    if kind < .4:
        return r.choice(NUMBERS)
    if kind < .6:
        return str(r.randrange(-10 ** r.randrange(1, 21), 10 ** r.randrange(1, 21)))
    if kind < .8:
        return repr(r.uniform(-1, 1) * 10 ** r.randrange(-30, 30))
    digits = str(r.randrange(10 ** r.randrange(1, 19)))
    return '%s%s.%s%s' % (r.choice(('', '-')), r.choice(('0', '1', digits)), '0' * r.choice((0, 0, 0, 5, 20)), digits)


def value(r, depth):
    kind = r.random()
    if depth > 0 and kind < .3:
        keys = [string(r, NAMES) for _ in range(r.choice((0, 1, 2, 3, 5, 20)))]
        if keys and r.random() < .05:
            keys.append(r.choice(keys))
        return '{%s}' % ','.join('%s%s%s:%s%s%s' % (space(r), k, space(r), space(r), value(r, depth - 1), space(r)) for k in keys)
    if depth > 0 and kind < .5:
        return '[%s]' % ','.join(space(r) + value(r, depth - 1) + space(r) for _ in range(r.choice((0, 1, 2, 3, 12))))
    if kind < .7:
        return number(r)
    if kind < .9:
        return string(r, gen.WORDS)
    if kind < .93:
        return r.choice(WRAPPERS)
    return r.choice(('true', 'false', 'null'))


NAMES = [n.decode() for n in gen.NAMES if not n.startswith(b'$')] + ['k%d' % i for i in range(40)]


def mutated(r, s):
    for _ in range(r.choice((1, 1, 2, 5))):
        i = r.randrange(len(s) + 1)
        j = min(len(s), i + r.choice((0, 1, 1, 2, 10)))
        s = s[:i] + r.choice(('', r.choice(PIECES), s[i:j] * 2, r.choice(WRAPPERS))) + s[j:]
    return s


class TwoParsers(Property):
    """bson.json_parser = auto and json-c give the same bytes, or the same error."""
    count = 4000
    mutate = 0

    def cases(self, g, n):
        r = g.rng
        texts = [space(r) + value(r, r.choice((0, 1, 2, 3, 5))) + space(r) for _ in range(n)]
        return [mutated(r, t) if r.random() < self.mutate else t for t in texts]

    def check(self, cases, rng):
        rows = db.query('SELECT i, a, c FROM (SELECT i, pg_temp.by_auto(s) a, pg_temp.by_json_c(s) c FROM t OFFSET 0) x WHERE a <> c ORDER BY i',
                        ('s text', [(text,) for text in cases]), before=BOTH)
        return {int(i): 'auto gives %s, json-c gives %s' % (a[:500], c[:500]) for i, a, c in rows}

    def smaller(self, case):
        size = len(case) // 2
        while size > 0:
            for i in range(0, len(case), size):
                yield case[:i] + case[i + size:]
            size //= 2


class TwoParsersMutated(TwoParsers):
    """The same for texts that are mostly not valid JSON any more."""
    mutate = .9


PROPERTIES = [TwoParsers, TwoParsersMutated]
