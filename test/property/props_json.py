"""Extended JSON and JSON: we read what others write, and others read what we write."""
import json
import math
import re

import bson
from bson import json_util

import db
import gen
import model
import raw
from property import Property

MODES = {'canonical': json_util.JSONMode.CANONICAL, 'relaxed': json_util.JSONMode.RELAXED,
         'legacy': json_util.JSONMode.LEGACY}


def pymongo_text(data, mode, ascii_only=True):
    """
    pymongo's text of these bytes; None if pymongo itself would not read its text back to the same bytes, because then it is
    not an oracle.
    """
    options = json_util.JSONOptions(json_mode=MODES[mode], tz_aware=True)
    codec = bson.codec_options.CodecOptions(tz_aware=True)
    try:
        if unfaithful((raw.DOC, raw.elements(data)), mode):
            return None
        text = json_util.dumps(bson.decode(data, codec), json_options=options, ensure_ascii=ascii_only)
        json.loads(text, parse_constant=not_json)
        back = bson.encode(json_util.loads(text, json_options=options))
    except Exception:       # pymongo is not an oracle for values that it cannot handle (3.11 even raises SystemError)
        return None
    return text if back == data else None


def not_json(token):
    raise ValueError(token)


def unfaithful(node, mode):
    """Is there a value whose text has, on purpose, another meaning for us?"""
    kind, payload = node
    if kind == raw.BINARY:      # $uuid is of subtype 4; pymongo's legacy text has 3 by an option
        return mode == 'legacy' and raw.binary(node)[0] == 3
    if kind == raw.DOUBLE:      # 1e23 lies between two doubles, so it is a decimal128
        return mode != 'canonical' and model.shortest(raw.double(node)) != repr(raw.double(node))
    if kind == raw.DOC:
        return any(k.startswith(b'$') or unfaithful(n, mode) for k, n in payload)
    if kind == raw.ARRAY:
        return any(unfaithful(n, mode) for _, n in payload)
    return kind == raw.SCOPED and any(unfaithful(n, mode) for _, n in payload[1])


class _WithText(Property):
    """Documents that pymongo can spell."""
    mode = None
    count = 1500
    max_bytes = 20000

    def cases(self, g, n):
        return [c for c in (g.stored() for _ in range(n)) if pymongo_text(c, self.mode)] + \
            [c for c in (raw.stored((raw.DOC, [(b'a', g.scalar())])) for _ in range(n // 2)) if pymongo_text(c, self.mode)]


class ReadCanonical(_WithText):
    """pymongo's Extended JSON reads to the bytes it stands for."""
    mode = 'canonical'

    def check(self, cases, rng):
        texts = [pymongo_text(c, self.mode, rng.random() < .5) for c in cases]
        rows = db.query("SELECT i, bson_in(s::cstring)::bytea FROM t ORDER BY i",
                        ('s text', [(text or '{}',) for text in texts]))
        return {int(i): '%s was read as %s' % (texts[int(i)], got) for i, got in rows
                if texts[int(i)] and db.unbytea(got) != cases[int(i)]}


class ReadRelaxed(ReadCanonical):
    """The same for relaxed text."""
    mode = 'relaxed'


class ReadLegacy(ReadCanonical):
    """The same for the text that mongoexport and pymongo wrote before Extended JSON v2."""
    mode = 'legacy'


class WriteCanonical(_WithText):
    """pymongo reads bson_to_extjson's text to the same bytes."""
    mode = 'canonical'
    functions = ('bson_to_extjson(bson,text)',)

    def check(self, cases, rng):
        options = json_util.JSONOptions(json_mode=MODES[self.mode], tz_aware=True)
        rows = db.on_values(["bson_to_extjson(b, '%s')" % self.mode], cases)
        failures = {}
        for i, (text,) in enumerate(rows):
            if pymongo_text(cases[i], self.mode) is None:
                continue
            back = bson.encode(json_util.loads(text, json_options=options))
            if back != cases[i]:
                failures[i] = 'pymongo reads %s as %s' % (text, back.hex())
        return failures


class WriteRelaxed(WriteCanonical):
    """The same for relaxed text."""
    mode = 'relaxed'


class ReadOwn(Property):
    """Our canonical text reads back to the same bytes, for documents without lookalikes of wrappers and without unusual keys."""
    functions = ('bson_to_extjson(bson,text)',)

    def check(self, cases, rng):
        rows = db.on_values(["b::text", "CASE WHEN left(b::text, 2) <> '\\x' "
                             "THEN bson_in(bson_to_extjson(b, 'canonical')::cstring)::bytea END"], cases)
        return {i: 'canonical text of %s reads back as %s' % tuple(row) for i, row in enumerate(rows)
                if not row[0].startswith('\\x') and db.unbytea(row[1]) != cases[i]}


class ToJson(Property):
    """::json is relaxed Extended JSON: the same tree, numbers by value."""
    max_bytes = 100000

    def available(self):
        return db.run("SELECT EXISTS (SELECT FROM pg_cast WHERE castsource = 'bson'::regtype "
                      "AND casttarget = 'json'::regtype);").strip() == 't'

    def check(self, cases, rng):
        rows = db.on_values(['b::json'], cases)
        failures = {}
        for i, (text,) in enumerate(rows):
            want, got = model.relaxed(raw.root(cases[i])), model.from_json(text)
            if not same(got, want):
                failures[i] = 'json is %s, the oracle says %r' % (text[:1000], want)
        return failures


def same(got, want):
    """Equal as JSON, dates by instant."""
    return type(got) is type(want) and (
        len(got) == len(want) and all(g[0] == w[0] and same(g[1], w[1]) for g, w in zip(got, want))
        if isinstance(got, model.Object) else
        len(got) == len(want) and all(map(same, got, want)) if isinstance(got, list) else got == want)


class ToJsonb(ToJson):
    """::jsonb is the same value, without duplicate names, and what the server makes of its text; U+0000 is error 22P05."""
    def cases(self, g, n):
        # similar keys, of the lengths at which the way of comparing changes
        def key():
            return bytes(g.rng.choices(b'ab', k=g.rng.choice((6, 7, 8, 9, 254, 255, 256, 257, 300))))

        alike = [raw.stored((raw.DOC, [(key(), g.number()) for _ in range(g.rng.randrange(2, 30))])) for _ in range(n // 10)]
        return alike + super().cases(g, n - len(alike))

    def check(self, cases, rng):
        wanted = [model.relaxed(raw.root(c)) for c in cases]
        rows = db.query("SELECT i, pg_temp.try_jsonb(v::bson) FROM t ORDER BY i", ('v bytea', [(c,) for c in cases]), """
            CREATE FUNCTION pg_temp.try_jsonb(b bson) RETURNS text LANGUAGE plpgsql AS $$
            DECLARE
                j jsonb;
            BEGIN
                j := b::jsonb;
                IF NOT record_image_eq(ROW(j), ROW(j::text::jsonb)) THEN
                    RETURN 'error in the format of ' || j;
                END IF;
                RETURN j::text;
            EXCEPTION WHEN OTHERS THEN
                RETURN 'error ' || SQLSTATE;
            END $$;\n""")
        failures = {}
        for i, text in rows:
            want = wanted[int(i)]
            if model.has_nul(want):
                if text != 'error 22P05' and model.has_nul(pairs(model.last_wins(want))):
                    failures[int(i)] = 'holds U+0000, but the answer is %s' % text[:1000]
            elif text.startswith('error') or model.last_wins(model.from_json(text)) != model.last_wins(want):
                failures[int(i)] = 'jsonb is %s, the oracle says %r' % (text[:1000], want)
        return failures


class FromJsonb(Property):
    """jsonb becomes the same value as its text, which json-c reads; if there are several errors, the two may report different ones."""
    count = 3000
    shrinks = False

    def cases(self, g, n):
        made = JsonGenerator(g)
        return [wrapped(g.rng, made.text()) for _ in range(n)]

    def check(self, cases, rng):
        rows = db.query("SELECT i, a, b FROM (SELECT i, pg_temp.try('jsonb', s) a, pg_temp.try('text', s) b FROM t OFFSET 0) x "
                        "WHERE a IS DISTINCT FROM b ORDER BY i", ('s text', [(text,) for text in cases]), """
            SET bson.json_parser = 'json-c';
            CREATE FUNCTION pg_temp.try(by text, s text) RETURNS text LANGUAGE plpgsql AS $$
            DECLARE
                j jsonb;
            BEGIN
                j := s::jsonb;
                RETURN CASE by WHEN 'jsonb' THEN j::bson ELSE bson_in(j::text::cstring) END::bytea;
            EXCEPTION WHEN OTHERS THEN
                RETURN 'error';
            END $$;\n""")
        return {int(i): 'jsonb makes %s, its text makes %s' % (a[:500], b[:500]) for i, a, b in rows}


def wrapped(r, text):
    """The text with some of its keys replaced by those of wrappers."""
    if r.random() < .5:
        return text
    for key in ('"a"', '"b"', '"c"', '""'):
        if r.random() < .5:
            text = text.replace(key + ':', json.dumps(r.choice(gen.NAMES).decode(errors='replace')) + ':')
    return r.choice(('%s', '[%s]', '{"_id":{"$oid":"57e193d7a9cc81b4027498b5"},"v":%s}', '{"$code":"f","$scope":%s}',
                     '{"$date":{"$numberLong":"5"}}', '[{"$timestamp":{"t":1,"i":2}},%s]', '{"$numberInt":"%s"}',
                     '{"$symbol":"s"}', '[{"$symbol":"s"},{"$regex":"a","$options":"i"},%s,{"$regex":1}]')).replace('%s', text)


def pairs(value):
    """A last_wins() value as Objects again."""
    if isinstance(value, dict):
        return model.Object((k, pairs(v)) for k, v in value.items())
    return [pairs(v) for v in value] if isinstance(value, list) else value


# --- JSON text

class JsonGenerator:
    """Random JSON text, valid or nearly valid."""

    def __init__(self, g):
        self.g = g
        self.rng = g.rng

    def space(self):
        return ''.join(self.rng.choice(' \t\n\r') for _ in range(self.rng.choice((0, 0, 0, 1, 2))))

    def string(self):
        r = self.rng
        out = []
        for c in self.g.string()[:200]:
            kind = r.random()
            if c < ' ' or c in '"\\' or kind < .1:
                if c in '"\\/\b\f\n\r\t' and r.random() < .7:
                    out.append('\\' + {'\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't'}.get(c, c))
                else:
                    units = c.encode('utf-16-be')
                    out.append(''.join('\\u%02x%02x' % tuple(units[i:i + 2]) for i in range(0, len(units), 2)))
                    if r.random() < .3:
                        out[-1] = out[-1].upper().replace('\\U', '\\u')
            else:
                out.append(c)
        return '"%s"' % ''.join(out)

    def key(self):
        r = self.rng
        if r.random() < .8:
            return r.choice(('"a"', '"b"', '"c"', '""', '"a.b"', '"k%d"' % r.randrange(1000)))
        key = self.string()
        return '"$"' if json.loads(key).startswith('$') else key      # other properties test wrappers

    def number(self):
        r = self.rng
        kind = r.random()
        if kind < .2:
            return str(r.choice(gen.INT64_EDGES) + r.choice((0, 0, 1, -1)))
        if kind < .4:
            return str(r.randrange(-10 ** (n := r.randrange(1, 40)), 10 ** n))
        if kind < .6:
            return repr(r.choice([d for d in gen.DOUBLE_EDGES if abs(d) < 1e400]))
        sign = r.choice(('', '', '-'))
        whole = str(r.randrange(10 ** r.choice((1, 3, 17, 20, 35))))
        fraction = '.' + ''.join(r.choice('0123456789') for _ in range(r.choice((1, 2, 5, 15, 17, 18, 34)))) if r.random() < .6 else ''
        if r.random() < .2:
            fraction = fraction + '0' * r.randrange(1, 40) if fraction else ''
        exponent = r.choice('eE') + r.choice(('', '+', '-')) + r.choice((
            str(r.randrange(20)), str(r.randrange(400)), '00', '6111', '6144', '6176', str(r.randrange(7000)), '99999', '9' * 20)) \
            if r.random() < .4 else ''
        return sign + whole + fraction + exponent

    def value(self, depth=4):
        r = self.rng
        kind = r.random()
        if depth == 0 or kind < .5:
            return r.choice(('true', 'false', 'null', self.string(), self.string(), self.number(), self.number(), self.number()))
        s = self.space
        if kind < .75:
            return '{%s%s}' % (s(), ','.join('%s%s%s:%s%s%s' % (s(), self.key(), s(), s(), self.value(depth - 1), s())
                                           for _ in range(r.randrange(5))))
        return '[%s%s]' % (s(), ','.join('%s%s%s' % (s(), self.value(depth - 1), s()) for _ in range(r.randrange(5))))

    def text(self):
        return self.space() + self.value() + self.space()

    def broken(self):
        r = self.rng
        text = self.text()
        for _ in range(r.choice((1, 1, 2, 4))):
            at = r.randrange(len(text) + 1)
            kind = r.randrange(5)
            if kind == 0:
                text = text[:at] + text[at + 1:]
            elif kind == 1:
                text = text[:at] + r.choice('{}[]",:\\/0123456789.eE+-\'aunN tfI\x01\x1f\x7f\ufeff') + text[at:]
            elif kind == 2:
                text = text[:at]
            elif kind == 3:
                text = text[:at] + r.choice(('\\ud800', '\\udc00', '\\u12', '\\x', 'NaN', 'Infinity', '//', '/**/', ',,', '01',
                                             '-', '+1', '.5', '1.', '1e', '\\u0000', '{"a":1}', ',]', ',}', 'nul', 'TRUE', '0x1')) + text[at:]
            else:
                text = text[:at] + text[at:at + r.randrange(10)] + text[at:]
        return text.replace('\0', '')


TRY_JSON = """
CREATE FUNCTION pg_temp.try_in(s text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    RETURN bson_in(s::cstring)::bytea::text;
EXCEPTION WHEN OTHERS THEN
    RETURN 'error ' || SQLSTATE;
END $$;
CREATE FUNCTION pg_temp.try_json(s text) RETURNS bool LANGUAGE plpgsql AS $$
BEGIN
    PERFORM s::json;
    RETURN true;
EXCEPTION WHEN OTHERS THEN
    RETURN false;
END $$;
"""

TOO_PRECISE = object()


def tokens(text):
    """The text's value with numbers as (type, value) or TOO_PRECISE."""
    number = lambda token: model.json_number(token) or TOO_PRECISE      # noqa: E731
    return json.loads(text, object_pairs_hook=model.Object, parse_int=number, parse_float=number)


def expected_of(value):
    """The expected result of reading it: 'ok', or an SQLSTATE."""
    if value is TOO_PRECISE:
        return '22003'
    if isinstance(value, str):
        return 'ok' if not any(0xD800 <= ord(c) < 0xE000 for c in value) else 'lone surrogate'
    if isinstance(value, model.Object):
        for name, child in value:
            if '\0' in name:
                return 'U+0000 in a key'
            if expected_of(name) != 'ok':
                return expected_of(name)
        children = [child for _, child in value]
    else:
        children = value if isinstance(value, list) else []
    for child in children:
        if expected_of(child) != 'ok':
            return expected_of(child)
    return 'ok'


def matches(node, value):
    """Is the node the right value for this text? Of duplicate names the last counts, in the place of the first."""
    kind = node[0]
    if isinstance(value, tuple):
        return kind == value[0] and model.exact(model.spelled(node)) == value[1]
    if isinstance(value, model.Object):
        names = dict(value)
        return kind == raw.DOC and [k.decode() for k, _ in node[1]] == list(names) and \
            all(matches(child, names[k.decode()]) for k, child in node[1])
    if isinstance(value, list):
        return kind == raw.ARRAY and [k for k, _ in node[1]] == [b'%d' % i for i in range(len(value))] and \
            all(matches(child, v) for (_, child), v in zip(node[1], value))
    if isinstance(value, str):
        return kind == raw.STRING and raw.text(node).decode() == value
    if isinstance(value, bool):
        return kind == raw.BOOL and node[1] == bytes((value,))
    return kind == raw.NULL


class JsonText(Property):
    """JSON text is accepted if the json type accepts it, and its numbers follow the rules."""
    count = 4000
    shrinks = False

    def cases(self, g, n):
        j = JsonGenerator(g)
        return [j.text() if g.rng.random() < .5 else j.broken() for _ in range(n)]

    def check(self, cases, rng):
        rows = db.query('SELECT i, pg_temp.try_in(s), pg_temp.try_json(s) FROM t ORDER BY i',
                        ('s text', [(c,) for c in cases]), TRY_JSON)
        failures = {}
        for i, got, is_json in rows:
            problem = self.judge(cases[int(i)], got, is_json == 't')
            if problem:
                failures[int(i)] = problem
        return failures

    def judge(self, text, got, is_json):
        taken = not got.startswith('error')
        if not is_json:
            if taken and not text.startswith('\\x'):
                return 'json refuses it, bson took it as %s' % got
            if got not in ('error 22P02', 'error 22P03') and not (got == 'error 22003' or got == 'error 22P05'):
                return 'json refuses it, bson says %s' % got
            return None
        value = tokens(text)
        want = expected_of(value)
        if want == 'ok':
            if not taken:
                return 'json takes it, bson says %s' % got
            if not matches(raw.root(db.unbytea(got)), value):
                return 'read as %s' % got
        elif taken:
            return 'taken as %s, though %s' % (got, want)
        elif want == '22003' and got != 'error 22003' and 'surrogate' not in want and '\\u0000' not in text and '\\ud' not in text.lower():
            return '%s, though a number does not fit' % got
        return None


class JsonbThrough(Property):
    """jsonb to bson and back is the same jsonb, and has the bytes of its text."""
    count = 2000
    shrinks = False

    def available(self):
        return ToJson.available(self) and db.run(
            "SELECT EXISTS (SELECT FROM pg_cast WHERE castsource = 'jsonb'::regtype AND casttarget = 'bson'::regtype);").strip() == 't'

    def cases(self, g, n):
        j = JsonGenerator(g)
        cases = []
        while len(cases) < n:
            text = j.text()
            if '\\u0000' not in text and not re.search(r'[eE][-+]?\d{4}|-0(?![.\d])', text) and expected_of(tokens(text)) == 'ok' and small(tokens(text)):
                cases.append(text)
        return cases

    def check(self, cases, rng):
        rows = db.query('SELECT i, s::jsonb, s::jsonb::bson::jsonb, s::jsonb::bson::jsonb = s::jsonb, s::jsonb::bson::bytea, s::json::bson::bytea, '
                        'bson_in(s::cstring)::bytea FROM t ORDER BY i', ('s text', [(c,) for c in cases]))
        failures = {}
        for i, jsonb, back, equal, from_jsonb, from_json, from_text in rows:
            if equal != 't' and '$numberDecimal' not in back:
                failures[int(i)] = '%s came back as %s' % (jsonb, back)
            elif from_json != from_text:
                failures[int(i)] = 'through json %s, directly %s' % (from_json, from_text)
            elif '.' not in cases[int(i)] and 'e' not in cases[int(i)].lower() and not unordered_same(from_jsonb, from_text):
                failures[int(i)] = 'through jsonb %s, directly %s' % (from_jsonb, from_text)
        return failures


def small(value):
    """Can numeric hold all its numbers?"""
    if isinstance(value, model.Object):
        return all(small(v) for _, v in value)
    if isinstance(value, list):
        return all(map(small, value))
    return not isinstance(value, tuple) or value[1] == 0 or 10**-300 < abs(value[1]) < 10**300


def unordered_same(x, y):
    """Equal but for the order of names, which jsonb does not keep."""
    def sort(node):
        if node[0] == raw.DOC:
            return raw.DOC, sorted((k, sort(n)) for k, n in node[1])
        if node[0] == raw.SCOPED:
            return raw.SCOPED, (node[1][0], sort((raw.DOC, node[1][1])))
        return (raw.ARRAY, [(k, sort(n)) for k, n in node[1]]) if node[0] == raw.ARRAY else node
    return sort(raw.root(db.unbytea(x))) == sort(raw.root(db.unbytea(y)))


class ThroughJson(Property):
    """A value comes back from json and jsonb, except the types of some numbers, which these cannot distinguish."""
    functions = ('bson(json)', 'bson(jsonb)')
    count = 2000

    def check(self, cases, rng):
        rows = db.on_values(["left(b::text, 2) = '\\x'"] + ["CASE WHEN left(b::text, 2) <> '\\x' THEN %s::bson::bytea END" % e
                                                        for e in ('b::json', 'j')], cases,
                            before=self.before, relation="(SELECT i, b, CASE WHEN pg_temp.fits(b) THEN b::jsonb END AS j FROM tb) s")
        failures = {}
        for i, (hex_only, from_json, from_jsonb) in enumerate(rows):
            if hex_only == 't' or numbers_change(raw.root(cases[i])):
                continue
            if db.unbytea(from_json) != cases[i]:
                failures[i] = 'through json: %s' % from_json
            elif from_jsonb is not None and not unordered_same(from_jsonb, '\\x' + cases[i].hex()):
                failures[i] = 'through jsonb: %s' % from_jsonb
        return failures

    before = """
        CREATE FUNCTION pg_temp.fits(b bson) RETURNS bool LANGUAGE plpgsql AS $$
        BEGIN
            RETURN b::jsonb IS NOT NULL;
        EXCEPTION WHEN untranslatable_character THEN
            RETURN false;
        END $$;"""


def numbers_change(node):
    """Is there a number whose type JSON does not show, or a negative zero, which jsonb cannot hold?"""
    kind, payload = node
    if kind == raw.INT64:
        return -2**31 <= raw.int64(node) < 2**31
    if kind == raw.DECIMAL:
        return True
    if kind == raw.DOUBLE:
        d = raw.double(node)
        return d == 0 and math.copysign(1, d) < 0
    if kind in raw.CONTAINERS:
        return any(numbers_change(n) for _, n in payload)
    return kind == raw.SCOPED and any(numbers_change(n) for _, n in payload[1])


PROPERTIES = [ThroughJson, ReadCanonical, ReadRelaxed, ReadLegacy, WriteCanonical, WriteRelaxed, ReadOwn, ToJson, ToJsonb, FromJsonb,
              JsonText, JsonbThrough]
