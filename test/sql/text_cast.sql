-- If this failed, (document ->> 'key')::type would not be what the cast of that text is: the planner makes one call of both (planner/fuse.c).
\set VERBOSITY terse
SET TimeZone = 'UTC';
CREATE TYPE mood AS ENUM ('true', 'a');
CREATE DOMAIN below_ten AS numeric CHECK (VALUE < 10);
CREATE TABLE texts (n serial, d bson);
INSERT INTO texts (d) SELECT bson_build_object('v', v, 'p', bson_build_object('q', bson_build_array(v))) FROM unnest(ARRAY[
    '0', '1', '-1', '32767', '32768', '-32769', '2147483647', '2147483648', '9007199254740993', '9223372036854775807', '-9223372036854775808', '{"$numberLong": "5"}',
    '0.0', '-0.0', '15.0', '0.5', '-1.25', '10.09', '0.1', '1e-5', '0.00001234', '1e14', '999999999999999.0', '1e15', '1e16', '-1e15', '123456789012345680.0', '1e22', '1e300', '5e-324', '3.4e38', '1.7976931348623157e308',
    '16777217.0', '0.30000000000000004', '{"$numberDouble": "NaN"}', '{"$numberDouble": "Infinity"}', '{"$numberDouble": "-Infinity"}',
    '{"$numberDecimal": "1.10"}', '{"$numberDecimal": "-0"}', '{"$numberDecimal": "1E+400"}', '{"$numberDecimal": "NaN"}', '{"$numberDecimal": "12345678901234567890.5"}',
    'true', 'false', 'null', '{"$undefined": true}', '{}', '[1, 2]', '{"a": 1}', '{"$minKey": 1}',
    '{"$date": "1998-09-02T00:00:00Z"}', '{"$date": "2022-03-03T12:13:14.789Z"}', '{"$date": {"$numberLong": "-62198755200000"}}', '{"$date": {"$numberLong": "9223372036854775807"}}',
    '{"$oid": "0123456789abcdef01234567"}', '{"$uuid": "00112233-4455-6677-8899-aabbccddeeff"}', '{"$binary": {"base64": "AQID", "subType": "00"}}',
    '{"$regularExpression": {"pattern": "^a", "options": "i"}}', '{"$timestamp": {"t": 5, "i": 6}}', '{"$symbol": "5"}', '{"$code": "true"}', '{"$code": "1", "$scope": {}}',
    '""', '" 5 "', '"5"', '"-44"', '"1e3"', '"0x1F"', '"5.5"', '"1_000"', '"a"', '"t"', '"on"', '"{1,2}"', '"infinity"', '"-infinity"', '"epoch"', '"now?"', '"\u00e4"', '"(1,2)"', '"\\x0102"',
    '"1998-09-02"', '"2020-02-29"', '"2019-02-29"', '"1900-02-29"', '"2000-02-29"', '"2020-04-31"', '"2020-13-01"', '"2020-00-10"', '"2020-01-00"', '"0000-01-01"', '"0001-01-01"', '"9999-12-31"',
    '"10000-01-01"', '"2020-1-01"', '"98-09-02"', '"01-02-2020"', '"2020-01-02 "', '" 2020-01-02"', '"2020-01-0a"', '"2020/01/02"', '"2020-01-02 03:04:05.6+02"', '"2020-01-02T03:04:05Z"', '"0044-03-15 BC"', '"20200102"', '"1 day"', '"12:34"',
    '"2020-01-02T03:04:05.6Z"', '"2020-01-02T03:04:05.123456-03:30"', '"2020-01-02T03:04:05.1234567Z"', '"2020-01-02T03:04:05.1234560Z"', '"2020-01-02T03:04:05"', '"2020-01-02 03:04:05.25"', '"2020-01-02T03:04Z"', '"2020-01-02 03:04"', '"2020-01-02T03Z"',
    '"2020-01-02T24:00:00Z"', '"2020-01-02T23:59:60Z"', '"2020-01-02T25:00:00Z"', '"2020-01-02T03:60:05Z"', '"2020-01-02T03:04:05+15:59"', '"2020-01-02T03:04:05+16"', '"2020-01-02T03:04:05+0230"', '"2020-01-02T03:04:05+02:60"', '"2020-01-02T03:04:05+2"', '"2020-01-02t03:04:05z"',
    '"2020-01-02T03:04:05 Z"', '"2020-01-02T03:04:05.Z"', '"2020-01-02T03:04:05ZZ"', '"2020-01-02T"', '"0000-01-01T00:00:00Z"', '"0001-01-01T00:00:00+15:00"', '"9999-12-31T23:59:59.999999-15:00"', '"2019-02-29T00:00:00Z"', '"2020-01-02T03:04:05 Europe/Paris"',
    '"00112233-4455-6677-8899-aabbccddeeff"', '"12345678901234567890"', '"NaN"', '"a\u0000b"']::bson[]) AS v;

-- The result of an expression over one row, or its error
CREATE FUNCTION answer(expression text, row_number int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text;
BEGIN
    EXECUTE format('SELECT (%s)::text FROM texts WHERE n = %s', expression, row_number) INTO STRICT result;
    RETURN result;
EXCEPTION WHEN OTHERS THEN
    RETURN sqlstate || ' ' || sqlerrm;
END $$;

-- Where a cast gives something else, or fails otherwise, than the cast of a text that "|| ''" has made one of its own; by each kind of step
CREATE FUNCTION differences(types text[]) RETURNS TABLE (type text, expression text, value text, want text, got text) LANGUAGE sql AS $$
    SELECT type, accessor, (d -> 'v')::text, want, got
      FROM texts, unnest(types) AS type, unnest(ARRAY['d ->> ''v''', 'd -> ''p'' -> ''q'' ->> 0', 'd #>> ''{p,q,-1}''']) AS accessor,
        LATERAL answer(format('(%s || '''')::%s', accessor, type), n) AS want, LATERAL answer(format('(%s)::%s', accessor, type), n) AS got
     WHERE want IS DISTINCT FROM got
$$;
SELECT * FROM differences('{bool,int2,int4,int8,float4,float8,numeric,"numeric(6,2)",below_ten,date,time,timetz,timestamp,"timestamptz(0)",interval,uuid,bytea,json,jsonb,bson,text,varchar(3),name,"int[]","text[]",point,inet,mood,xid,money}');
SET DateStyle = 'German';
SELECT * FROM differences('{date,timestamp,timestamptz}');
SET DateStyle = 'SQL, DMY';
SELECT * FROM differences('{date,timestamp,timestamptz}');
SET DateStyle = 'Postgres, MDY';
SELECT * FROM differences('{date,timestamp,timestamptz}');
SET DateStyle = 'ISO';
SET TimeZone = 'America/New_York';
SELECT * FROM differences('{date,timestamp,timestamptz,timetz}');
RESET TimeZone;
SET extra_float_digits = 0;
SELECT * FROM differences('{float4,float8,numeric}');
RESET extra_float_digits;

-- It was bson_walk_as that answered, even in the first statement of a session
\c -
\set VERBOSITY terse
EXPLAIN (COSTS OFF, VERBOSE) SELECT (d ->> 'v')::numeric FROM texts WHERE (d -> 'p' -> 'q' ->> 0)::date < '2020-01-01' AND (d #>> '{p,q}')::int IS NOT NULL;

-- In every part of a plan that a row passes through: no cast of ->> is left
CREATE FUNCTION casts(query text) RETURNS TABLE (calls boolean, casts_left int) LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    calls := false;
    casts_left := 0;
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF, VERBOSE) ' || query LOOP
        calls := calls OR line ~ 'bson_walk_as';
        casts_left := casts_left + regexp_count(line, '(->>|#>>|walk_text)');
    END LOOP;
    RETURN NEXT;
END $$;
\set joined 'SELECT sum((a.d ->> ''v'')::numeric) FILTER (WHERE (b.d ->> ''w'')::int > 3), max((a.d ->> ''x'')::date) FROM texts AS a JOIN texts AS b ON (a.d ->> ''y'')::int = (b.d ->> ''z'')::int GROUP BY (a.d ->> ''g'')::int ORDER BY (a.d ->> ''g'')::int'
SET enable_mergejoin = off; SET enable_nestloop = off;
SELECT * FROM casts(:'joined');
SET enable_mergejoin = on; SET enable_hashjoin = off;
SELECT * FROM casts(:'joined');
SET enable_mergejoin = off; SET enable_nestloop = on;
SELECT * FROM casts(:'joined');
RESET enable_hashjoin; RESET enable_mergejoin; RESET enable_nestloop;
SELECT * FROM casts($$WITH w AS MATERIALIZED (SELECT (d ->> 'v')::int AS i FROM texts)
    SELECT i, (SELECT count(*) FROM texts AS t WHERE (t.d ->> 'v')::int = w.i) FROM w UNION ALL SELECT (d ->> 'u')::int, row_number() OVER (ORDER BY (d ->> 'o')::int) FROM texts$$);
SELECT * FROM casts($$SELECT (s.d ->> 'a')::int FROM (SELECT d FROM texts WHERE (d ->> 'b')::bool LIMIT 3) AS s WHERE (s.d ->> 'c')::int > 0$$);
SELECT * FROM casts($$UPDATE texts SET d = bson_build_object('n', (d ->> 'n')::int + 1) WHERE (d ->> 'n')::int = 3$$);
-- A text that is used for more stays one
EXPLAIN (COSTS OFF, VERBOSE) SELECT (d ->> 'v' || 'x')::numeric, upper(d ->> 'v')::bool, length(d ->> 'v') FROM texts;
SELECT * FROM casts($$SELECT (d #>> path)::int FROM texts, (VALUES ('{a}'::text[]), ('{b}')) AS p(path)$$);
SELECT * FROM casts($$SELECT (d ->> k)::int FROM texts, (VALUES ('v'), ('w')) AS p(k)$$);

-- Indexes, statistics and constraints are those of the cast
CREATE TABLE lines (d bson NOT NULL, CHECK ((d ->> 'n')::int >= 0));
INSERT INTO lines SELECT bson_build_object('n', i, 'day', date '2020-01-01' + i % 100) FROM generate_series(1, 1000) AS i;
INSERT INTO lines SELECT bson_build_object('n', i, 'day', (date '2020-01-01' + i)::text) FROM generate_series(1001, 2000) AS i;
CREATE INDEX ON lines (((d ->> 'n')::int)) WHERE (d ->> 'n')::int > 10;
ANALYZE lines;
EXPLAIN (COSTS OFF) SELECT (d ->> 'n')::int FROM lines WHERE (d ->> 'n')::int BETWEEN 100 AND 102 ORDER BY (d ->> 'n')::int;
SELECT (d ->> 'n')::int FROM lines WHERE (d ->> 'n')::int BETWEEN 100 AND 102 ORDER BY (d ->> 'n')::int;
INSERT INTO lines VALUES ('{"n": -1}');
SELECT count(*), min((d ->> 'day')::date), max((d ->> 'day')::date), sum((d ->> 'n')::numeric) FROM lines;

-- Prepared, in PL/pgSQL, by workers
PREPARE cheap(int) AS SELECT count(*) FROM lines WHERE (d ->> 'n')::int < $1;
SET plan_cache_mode = force_generic_plan;
EXECUTE cheap(5); EXECUTE cheap(7);
EXPLAIN (COSTS OFF) EXECUTE cheap(5);
RESET plan_cache_mode;
DO $$
DECLARE
    d bson := '{"a": "7", "b": "x"}';
    n int := d ->> 'a';
BEGIN
    FOR i IN 1 .. 3 LOOP n := n + (d ->> 'a')::int; END LOOP;
    RAISE NOTICE '%', n;
    n := (d ->> 'b')::int;
END $$;
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS OFF, VERBOSE) SELECT sum((d ->> 'n')::int) FROM lines;
SELECT sum((d ->> 'n')::int) FROM lines;
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size;

-- Only the planner calls it
\set VERBOSITY default
SELECT bson_walk_as('{"a": 1}', 'a');
DROP TABLE lines;
