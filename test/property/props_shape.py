"""A statement that was prepared for the shape of one filter gives what the statement made for another filter of that shape gives."""
import db
import gen
import props_match
import raw
from property import Property

SETUP = """
SET client_min_messages = warning;
CREATE TEMP TABLE shape_docs (data bson NOT NULL);
INSERT INTO shape_docs SELECT v::bson FROM t WHERE role = 'd';
CREATE INDEX ON shape_docs ((data -> 'a'));
CREATE INDEX ON shape_docs ((data -> 'b'), (data -> 'c'));
CREATE INDEX ON shape_docs USING gin (data);
CREATE FUNCTION pg_temp.compare(one bson, other bson, arguments bytea[], sort bson, most bigint) RETURNS text LANGUAGE plpgsql AS $f$
DECLARE
    a record; b record; wrong bigint;
BEGIN
    SELECT * INTO a FROM bson_find_shape('pg_temp.shape_docs', one, NULL, sort, 0, most);
    SELECT * INTO b FROM bson_find_shape('pg_temp.shape_docs', other, NULL, sort, 0, most);
    IF a IS DISTINCT FROM b THEN
        RETURN 'two statements: ' || a::text || ' and ' || b::text;
    END IF;
    EXECUTE 'PREPARE shape_statement' || CASE WHEN cardinality(a.parameters) > 0 THEN '(' || substr(repeat(', bson', cardinality(a.parameters)), 3) || ')' ELSE '' END || ' AS ' || a.statement;
    EXECUTE 'CREATE TEMP TABLE got AS EXECUTE shape_statement' || coalesce((SELECT '(' || string_agg(quote_literal(arguments[n + 1]) || '::bytea::bson', ', ' ORDER BY i) || ')' FROM unnest(a.parameters) WITH ORDINALITY AS u(n, i)), '');
    DEALLOCATE shape_statement;
    EXECUTE 'CREATE TEMP TABLE wanted AS ' || bson_find_sql('pg_temp.shape_docs', other, NULL, sort, 0, most);
    IF most > 0 THEN
        SELECT (SELECT count(*) FROM got) - (SELECT count(*) FROM wanted) INTO wrong;
    ELSE
        SELECT count(*) INTO wrong FROM ((SELECT data::bytea FROM got EXCEPT ALL SELECT data::bytea FROM wanted) UNION ALL (SELECT data::bytea FROM wanted EXCEPT ALL SELECT data::bytea FROM got)) AS d;
    END IF;
    DROP TABLE got, wanted;
    RETURN CASE WHEN wrong <> 0 THEN 'another result of ' || a.statement END;
END $f$;
"""


def number(node, out):
    """The values of a filter by their numbers, as the extension counts them."""
    out.append(node)
    if node[0] in (raw.DOC, raw.ARRAY):
        for _, value in node[1]:
            number(value, out)
    return out


class Shape(Property):
    """Pairs of filters that differ in their constants, over a few documents with and without indexes, by both kinds of plans."""
    functions = ('bson_find_shape(regclass,bson,bson,bson,bigint,bigint,name,bson,bson)',)
    count = 150
    shrinks = False

    def cases(self, g, n):
        q = props_match.QueryGenerator(g)
        self.documents = []
        q.for_document = True
        for i in range(40):
            kind, items = q.document()
            self.documents.append((kind, [(b'_id', gen.int32(i))] + [item for item in items if item[0] != b'_id']))
        q.for_document = False
        return [(q.query(), g.rng.choice((None, None, '{"a": 1}', '{"b": -1}')), g.rng.choice((0, 0, 3)), q) for _ in range(n)]

    def other(self, node, constants, q, counter):
        """The same filter with other values of the same types for its constants."""
        n = next(counter)
        if node[0] in (raw.DOC, raw.ARRAY):
            return node[0], [(k, self.other(v, constants, q, counter)) for k, v in node[1]]
        for _ in range(20 if n in constants else 0):
            leaf = q.leaf()
            if leaf[0] == node[0]:
                return leaf
        return node

    def check(self, cases, rng):
        rows = db.query("SELECT array_to_string(constants, ' ') FROM t, LATERAL bson_find_shape('pg_class_docs', w::bson) ORDER BY i", ('w bytea', [(raw.stored(c[0]),) for c in cases]),
                        before='CREATE TEMP TABLE pg_class_docs (data bson);')
        table, queries = [('d', raw.stored(d), None, None, None, None) for d in self.documents], []
        for (query, sort, most, q), (constants,) in zip(cases, rows):
            other = self.other(query, {int(c) for c in constants.split()}, q, iter(range(1000)))
            values = ['\\\\x' + raw.stored(v).hex() for v in number(other, [])]
            queries.append(('q', raw.stored(query), raw.stored(other), '{' + ','.join('"%s"' % v for v in values) + '}', sort, most))
        answers = db.query("SELECT i, pg_temp.compare(v::bson, w::bson, arguments, sort, most) FROM t WHERE role = 'q' ORDER BY i",
                           ('role text, v bytea, w bytea, arguments bytea[], sort bson, most bigint', table + queries),
                           after=SETUP + 'SET plan_cache_mode = %s;' % rng.choice(('force_generic_plan', 'force_custom_plan')))
        return {int(i) - len(table): message for i, message in answers if message is not None}

    def show(self, case):
        return '%s, sort %s, limit %s' % (props_match.readable(case[0]), case[1], case[2])


PROPERTIES = [Shape]
