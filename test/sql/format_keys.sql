-- If this fails, the GIN classes make other keys than in version 1.0, so that every index made before lacks rows, without an
-- error. What is expected was made once and never changes: see "What may never change" in doc/contributing.md.
SELECT count(*) = 0 AS skip FROM pg_available_extensions WHERE name = 'pageinspect' \gset
\if :skip
\quit
\endif
\getenv srcdir PG_ABS_SRCDIR
\set values :srcdir /format/values.sql
\set ECHO none
\i :values
\set ECHO all
CREATE SCHEMA format_keys;
SET search_path = format_keys, public;
CREATE EXTENSION pageinspect SCHEMA format_keys;
-- an integer of two or four bytes of a page, as x86 writes it
CREATE FUNCTION word(page bytea, at int, bytes int) RETURNS bigint LANGUAGE sql AS
$$ SELECT sum(get_byte(page, at + i)::bigint << 8 * i)::bigint FROM generate_series(0, bytes - 1) AS i $$;
-- the keys of an index of few rows, which lie in its second page: see GinFormTuple of the server
CREATE FUNCTION keys(index text) RETURNS text LANGUAGE sql AS
$$
    SELECT string_agg(encode(substr(page, at + 9, (((word(page, at, 2) << 16) + word(page, at + 2, 2)) & x'7fffffff'::bigint)::int - 8), 'hex'), ' ' ORDER BY i)
    FROM get_raw_page(index, 1) AS page, generate_series(0, (word(page, 12, 2)::int - 24) / 4 - 1) AS i,
         LATERAL (SELECT (word(page, 24 + 4 * i, 4) & 32767)::int) AS s(at)
$$;
CREATE TABLE one (v bson);
CREATE INDEX keys_ops ON one USING gin (v) WITH (fastupdate = off);
CREATE INDEX keys_path ON one USING gin (v bson_path_ops) WITH (fastupdate = off);
CREATE INDEX keys_range ON one USING gin (v bson_range_ops) WITH (fastupdate = off);
CREATE FUNCTION keys_of(value bson, OUT ops text, OUT path text, OUT range text) LANGUAGE plpgsql AS
$$
BEGIN
    TRUNCATE one;
    INSERT INTO one VALUES (value);
    ops := keys('keys_ops'); path := keys('keys_path'); range := keys('keys_range');
END
$$;
\pset format unaligned
\pset tuples_only on
SET client_min_messages = error;
SELECT n, 'ops ' || ops, 'path ' || path, 'range ' || range FROM fixture, LATERAL keys_of(v) AS k ORDER BY n;
-- the keys of queries: what each finds by each class
CREATE TABLE many AS SELECT n, v FROM fixture;
CREATE FUNCTION found(condition text, class text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
    numbers text;
BEGIN
    EXECUTE format('CREATE INDEX many_gin ON many USING gin (v %s)', class);
    EXECUTE format('SELECT CASE WHEN count(*) < 40 THEN string_agg(n::text, '','' ORDER BY n) ELSE count(*) || '' rows'' END FROM many WHERE v %s', condition) INTO numbers;
    DROP INDEX many_gin;
    RETURN numbers;
END
$$;
SET enable_seqscan = off;
SELECT condition, class, found(condition, class)
  FROM (VALUES ('@> ''{"a": 1}'''), ('@> ''{"a": [{"b": 1}]}'''), ('@> ''19.99'''), ('@> ''[1, 2]'''), ('@> ''{"a": null}'''), ('@> ''{"user": {"address": {"city": "Oslo"}}}'''),
    ('@? ''$.a.b'''), ('@? ''$.n[*] ? (@.k == 2)'''), ('@@ ''$.year > 1900'''), ('@@ ''$.age < 40 && $.name starts with "A"'''),
    ('@~ ''{"a": 1}'''), ('@~ ''{"a": null}'''), ('@~ ''{"a": {"$in": [19.99, "x", true]}}'''), ('@~ ''{"n.v": "b"}'''), ('@~ ''{"year": {"$gte": 1950, "$lt": 1951}}'''), ('@~ ''{"a": {"$exists": true}}'''), ('@~ ''{"tags": {"$all": ["x", "y"]}}''')) AS c(condition),
    unnest(ARRAY['bson_ops', 'bson_path_ops', 'bson_range_ops']) AS class
UNION ALL
SELECT condition, 'bson_ops', found(condition, 'bson_ops') FROM (VALUES ('? ''a'''), ('?| ''{b, tags}'''), ('?& ''{a, b}''')) AS c(condition)
ORDER BY 1, 2;
RESET enable_seqscan;
DROP SCHEMA format_keys CASCADE;
