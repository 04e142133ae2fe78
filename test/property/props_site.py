"""
What a call site remembers of the documents that came before changes no answer: all rows of a table through one
call site, and each row through one of its own.
"""
import json

import db
import gen
import props_change
import raw
from property import Property

# keys as long as words are, and around that, many of which begin alike
LENGTHS = (0, 1, 2, 6, 7, 8, 13, 14, 15, 16, 17, 22, 23, 24, 25, 63, 64, 255, 256)

SETUP = """
CREATE FUNCTION pg_temp.fresh(b bson) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    result text[];
BEGIN
    EXECUTE 'SELECT ' || %s || ' FROM (SELECT $1 AS b OFFSET 0) AS s' INTO result USING b;
    RETURN result;
END $$;
-- one call site in all calls, some of which end by an error
CREATE FUNCTION pg_temp.kept(b bson) RETURNS text[] LANGUAGE plpgsql AS $$
BEGIN
    BEGIN
        RETURN %s || (1 / (length(b::text) %% 3))::text;
    EXCEPTION WHEN division_by_zero THEN
        RETURN %s || 'again'::text;
    END;
END $$;
"""


def quoted(s):
    return "'%s'" % s.replace("'", "''")


def is_text(node):
    """Does ->> make a text of the value, and of all in it?  A string with U+0000 is an error."""
    kind, payload = node
    if kind in raw.CONTAINERS:
        return all(is_text(value) for _, value in payload)
    return kind not in raw.STRINGS or b'\0' not in payload[4:-1]


class CallSite(Property):
    count = 300
    shrinks = False
    operators = ('->(bson,text)', '@>(bson,bson)', '@~(bson,bson)', '@?(bson,jsonpath)', '?&(bson,text[])')

    def cases(self, g, n):
        """Documents of a few kinds, whose keys differ from those of another kind in few places."""
        r = g.rng
        keys = [b'a', b'b', b'key'] + [bytes(r.choice(b'ppq') for _ in range(r.choice(LENGTHS))) for _ in range(r.randrange(2, 15))]
        keys += [key[:-1] + b'x' for key in r.sample(keys, 3)]
        kinds = [r.choices(keys, k=r.randrange(15))]
        for _ in range(r.choice((1, 5, 15, 100))):
            kind = list(r.choice(kinds))
            for _ in range(r.randrange(1, 4)):
                at = r.randrange(len(kind) + 1)
                kind[at:at + r.randrange(2)] = r.choices(keys, k=r.randrange(2))
            kinds.append(kind)
        cases = []
        for _ in range(n):
            fields = [(key, props_change.small_value(g)) for key in r.choice(kinds[:4] if r.random() < .6 else kinds)]
            fields = [field for field in fields if is_text(field[1])]
            if r.random() < .1:
                fields.insert(r.randrange(len(fields) + 1), (b'pad', gen.text(raw.STRING, r.choice('xy') * r.choice((2000, 50000)))))
            cases.append(raw.stored((raw.DOC, fields)))
        return cases

    def expressions(self, cases, rng):
        keys = sorted({key.decode() for case in cases for key, _ in raw.root(case)[1]} | {'a', 'none'})

        def key():
            return rng.choice(keys)

        def name():
            return rng.choice([k for k in keys if k])

        def some(n):
            return 'ARRAY[%s]' % ', '.join(quoted(key()) for _ in range(rng.randrange(1, n)))

        columns = rng.sample([k for k in keys if 0 < len(k) < 64], min(3, len(keys) - 1))
        query = {name(): 1, name() + '.a': {'$exists': False}, name(): {'$not': {'$gt': 1}}}
        return (['b -> %s' % quoted(key()) for _ in range(4)] + ['b -> %s ->> %s' % (quoted(key()), quoted(key())) for _ in range(2)]
                + ['b ? %s' % quoted(key()), 'b ?| %s' % some(4), 'b ?& %s' % some(4), 'b ?& %s' % some(12)]
                + ['b @> %s' % quoted(json.dumps({key(): 1, key(): ''})), 'b @~ %s' % quoted(json.dumps(query))]
                + ['b @~ %s' % quoted(json.dumps({name(): {'$gte': 1}}))]
                + ['b @? %s' % quoted('$.%s ? (@.a >= 0 || exists(@.%s))' % (json.dumps(key()), json.dumps(key())))]
                + ['(SELECT r FROM bson_to_record(b) AS r(%s))' % ', '.join('"%s" bson' % c for c in columns)])

    def check(self, cases, rng):
        row = 'ARRAY[%s]' % ', '.join('(%s)::text' % e for e in self.expressions(cases, rng))
        wrong = db.on_values(['got = fresh', "fresh = kept[1:cardinality(fresh)]", 'got', 'fresh', 'kept'], cases,
                             before=SETUP % (quoted(row), row, row),
                             relation='(SELECT i, %s AS got, pg_temp.fresh(b) AS fresh, pg_temp.kept(b) AS kept FROM tb OFFSET 0) AS s' % row)
        return {i: 'all rows %s, the row alone %s, in PL/pgSQL %s; %s' % (got, fresh, kept, row)
                for i, (all_rows, plpgsql, got, fresh, kept) in enumerate(wrong) if all_rows != 't' or plpgsql != 't'}


PROPERTIES = [CallSite]
