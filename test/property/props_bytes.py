"""Nothing is lost in text and binary round trips and casts; bytes from outside are checked."""
import os

import db
import raw
from property import Property


class _Copied(Property):
    """A table of every value through COPY to a file and back."""
    options = ''
    count = 1200

    def check(self, cases, rng):
        path = db.scratch('.copy')
        copy = "\\copy %s %s '" + path + "' " + self.options + '\n'
        before = ('CREATE TEMP TABLE s (i int, v bytea);\nCOPY s FROM STDIN;\n'
                  + ''.join('%d\t\\\\x%s\n' % (i, c.hex()) for i, c in enumerate(cases)) + '\\.\n'
                  'CREATE TEMP TABLE tb AS SELECT i, v::bson AS b FROM s;\n'
                  'CREATE TEMP TABLE tu (i int, u bson);\n' + copy % ('tb', 'to') + copy % ('tu', 'from'))
        try:
            rows = db.query('SELECT i, u::bytea, left(b::text, 500) FROM s JOIN tb USING (i) LEFT JOIN tu USING (i) '
                            'WHERE u::bytea IS DISTINCT FROM v', before=before)
        finally:
            os.unlink(path)
        return {int(i): 'came back as %s from the text %s' % (u, text) for i, u, text in rows}


class CopyText(_Copied):
    """COPY in text format gives back the same bytes."""


class CopyCsv(_Copied):
    """COPY in CSV format gives back the same bytes."""
    options = 'csv'
    count = 500


class CopyBinary(_Copied):
    """COPY in binary format gives back the same bytes."""
    options = '(format binary)'


class TextRoundTrip(Property):
    """bson_in(bson_out(v)) has the bytes of v."""
    count = 3000

    def check(self, cases, rng):
        rows = db.on_values(['left(b::text, 500)', 'bson_in(bson_out(b))::bytea'], cases)
        return {i: '%s came back as %s' % (row[0], row[1])
                for i, row in enumerate(rows) if db.unbytea(row[1]) != cases[i]}


class BinaryRoundTrip(Property):
    """bson_send(v) and v::bytea are v's bytes, of plain and toasted values alike."""
    count = 3000

    def check(self, cases, rng):
        rows = db.on_values(['bson_send(b)', 'b::bytea', 'b::bytea::bson::bytea'], cases)
        return {i: 'bytes differ' for i, row in enumerate(rows)
                if any(db.unbytea(f) != cases[i] for f in row)}


TRY_FUNCTION = """
CREATE FUNCTION pg_temp.try_bson(v bytea) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM v::bson;
    RETURN 'ok';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE;
END $$;
CREATE FUNCTION pg_temp.try_hex(v bytea) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM bson_in(('\\x' || encode(v, 'hex'))::cstring);
    RETURN 'ok';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE;
END $$;
"""


def verdict(data):
    """The expected result of reading these bytes."""
    try:
        raw.elements(data)
    except raw.Malformed:
        return '22P03'
    except raw.TooDeep:
        return '54001'
    return 'ok'


class Mutants(Property):
    """Damaged bytes are accepted exactly when the oracle's reader accepts them."""
    count = 6000
    shrinks = False

    def cases(self, g, n):
        return [g.mutant(g.stored()) for _ in range(n)]

    def check(self, cases, rng):
        rows = db.query('SELECT i, pg_temp.try_bson(v), pg_temp.try_hex(v) FROM t ORDER BY i',
                        ('v bytea', [(c,) for c in cases]), TRY_FUNCTION)
        failures = {}
        for i, got, got_hex in rows:
            expected = verdict(cases[int(i)])
            if expected == '22P03' and got == got_hex == '54001':
                continue            # it is both wrong and too deep, and either error may come first
            if got != expected or got_hex != expected:
                failures[int(i)] = 'cast says %s, text says %s, the oracle %s' % (got, got_hex, expected)
        return failures


class Depths(Property):
    """1,024 levels are accepted and 1,025 are not, for all kinds of containers."""
    count = 30
    shrinks = False

    def cases(self, g, n):
        r = g.rng
        cases = []
        for _ in range(n):
            node = (raw.NULL, b'')
            levels = raw.MAX_DEPTH + r.choice((-1, 0, 1, 500))
            for level in range(levels):
                kind = r.choice((raw.DOC, raw.ARRAY, raw.SCOPED)) if level < levels - 1 else raw.DOC
                node = (kind, (b'', [(b'0', node)])) if kind == raw.SCOPED else (kind, [(b'0', node)])
            cases.append(raw.stored(node))
        return cases

    check = Mutants.check


PROPERTIES = [TextRoundTrip, BinaryRoundTrip, CopyText, CopyCsv, CopyBinary, Mutants, Depths]
