-- If this fails, a bson compares with an SQL value differently than with the bson of the same
-- meaning, or an index and a join no longer serve such a comparison.

-- Every operator and both directions against the comparison of two bsons, over all pairs
CREATE TEMP TABLE value AS SELECT n, v::bson AS v FROM (VALUES
	(1, '{"$minKey": 1}'), (2, 'null'), (3, '{"$numberDouble": "NaN"}'), (4, '{"$numberDouble": "-Infinity"}'), (5, '-5'), (6, '-0.0'), (7, '0'), (8, '2'),
	(9, '{"$numberLong": "2"}'), (10, '2.0'), (11, '2.5'), (12, '{"$numberDecimal": "2.50"}'), (13, '9223372036854775807'), (14, '1e300'), (15, '{"$numberDecimal": "1E400"}'),
	(16, '{"$numberDouble": "Infinity"}'), (17, '""'), (18, '"2"'), (19, '"Zoë"'), (20, '"a"'), (21, '"ab"'), (22, '{"$symbol": "a"}'), (23, '{"a": 2}'), (24, '[2]'),
	(25, '{"$binary": {"base64": "AAECAwQFBgcICQoLDA0ODw==", "subType": "04"}}'), (26, '{"$binary": {"base64": "AAECAwQFBgcICQoLDA0ODw==", "subType": "03"}}'),
	(27, '{"$oid": "56e1fc72e0c917e9c4714161"}'), (28, 'false'), (29, 'true'), (30, '{"$date": "1969-12-31T23:59:59.999Z"}'), (31, '{"$date": "2022-03-03T12:13:14.789Z"}'),
	(32, '{"$timestamp": {"t": 1, "i": 2}}'), (33, '{"$maxKey": 1}'), (34, '{"$date": {"$numberLong": "9223372036854775807"}}'), (35, '{"$date": {"$numberLong": "-9223372036854775808"}}')) AS s(n, v);

CREATE FUNCTION pg_temp.disagreements(type regtype, natives text[]) RETURNS TABLE (v bson, native text, why text) LANGUAGE plpgsql AS $$
DECLARE
	t text;
	op text;
	sql text;
BEGIN
	FOREACH t IN ARRAY natives LOOP
		FOREACH op IN ARRAY '{=,<>,<,<=,>,>=}'::text[] LOOP
			sql := format('SELECT v, %1$L::text, %2$L::text FROM value WHERE (v %2$s %1$L::%3$s) IS DISTINCT FROM (v %2$s to_bson(%1$L::%3$s)) '
				'OR (%1$L::%3$s %2$s v) IS DISTINCT FROM (to_bson(%1$L::%3$s) %2$s v)', t, op, type);
			RETURN QUERY EXECUTE sql;
		END LOOP;
		RETURN QUERY EXECUTE format('SELECT to_bson(%1$L::%2$s), %1$L::text, ''hash''::text WHERE bson_hash(to_bson(%1$L::%2$s)) <> bson_hash_%3$s(%1$L::%2$s)
				OR bson_hash_extended(to_bson(%1$L::%2$s), 7) <> bson_hash_extended_%3$s(%1$L::%2$s, 7)',
			t, type, CASE type WHEN 'integer'::regtype THEN 'int4' WHEN 'bigint'::regtype THEN 'int8' WHEN 'double precision'::regtype THEN 'float8'
				WHEN 'timestamptz'::regtype THEN 'timestamptz' ELSE type::text END);
	END LOOP;
END $$;

SELECT * FROM pg_temp.disagreements('integer', '{-5,0,2,3,2147483647}');
SELECT * FROM pg_temp.disagreements('bigint', '{-5,0,2,9223372036854775807}');
SELECT * FROM pg_temp.disagreements('double precision', '{NaN,-Infinity,-5,-0,2,2.5,1e300,Infinity}');
SELECT * FROM pg_temp.disagreements('numeric', '{NaN,-Infinity,-5,0,2,2.50,9223372036854775807,1e300,1e400,Infinity}');
SELECT * FROM pg_temp.disagreements('text', '{"",2,a,ab,Zoë,z}');
SELECT * FROM pg_temp.disagreements('boolean', '{false,true}');
SELECT * FROM pg_temp.disagreements('timestamptz', '{1969-12-31 23:59:59.999+00,2022-03-03 12:13:14.789+00,2022-03-03 12:13:14.79+00}');
SELECT * FROM pg_temp.disagreements('uuid', '{00010203-0405-0607-0809-0a0b0c0d0e0f,00000000-0000-0000-0000-000000000000}');

-- The order of two native values, by which an index sorts the array of = ANY, is that of bson
SELECT bool_and((bson_order_float8(f, g) < 0) = (to_bson(f) < to_bson(g)) AND (bson_order_numeric(f::numeric, g::numeric) < 0) = (to_bson(f) < to_bson(g))) AS agrees
  FROM unnest('{1,NaN,-Infinity,2.5,Infinity}'::float8[]) AS f, unnest('{1,NaN,-Infinity,2.5,Infinity}'::float8[]) AS g;
SELECT bool_and((bson_order_text(s, t) < 0) = (to_bson(s) < to_bson(t))) AS agrees FROM unnest('{"",a,A,b,ab,é}'::text[]) AS s, unnest('{"",a,A,b,ab,é}'::text[]) AS t;

-- Nothing is rounded: the neighbours of what 2^200 is worth have more digits than a decimal128
SELECT n, d < n AS lt, d = n AS eq, d > n AS gt, (d = n) <= (bson_hash(d) = bson_hash_numeric(n)) AS hash, (d = n) <= (bson_hash_extended(d, 7) = bson_hash_extended_numeric(n, 7)) AS extended
  FROM (VALUES ('1.6069380442589903e60'::bson)) AS s(d),
	   (VALUES (1606938044258990299999999999999999999999999999999999999999999), (1606938044258990300000000000000000000000000000000000000000000),
			   (1606938044258990300000000000000000000000000000000000000000001)) AS t(n);
SELECT d, d < n AS lt, d = n AS eq, d > n AS gt
  FROM (VALUES ('0.1'::bson), ('5e-324'), ('1'), ('{"$numberDecimal": "0.1"}'), ('{"$numberDouble": "NaN"}'), ('{"$numberDouble": "Infinity"}'), ('{"$numberDouble": "-Infinity"}')) AS s(d),
	   (VALUES (0.1000000000000000055511151231257827021181583404541015625)) AS t(n);
SELECT d < n AS lt, d > n AS gt FROM (VALUES ('{"$numberDouble": "Infinity"}'::bson)) AS s(d), (SELECT ('1' || repeat('0', 400) || '.5')::numeric) AS t(n);
SELECT t, d < t AS lt, d = t AS eq, d > t AS gt
  FROM (VALUES ('{"$date": "2022-03-03T12:13:14.789Z"}'::bson)) AS s(d),
	   (VALUES ('2022-03-03 12:13:14.788999+00'::timestamptz), ('2022-03-03 12:13:14.789+00'), ('2022-03-03 12:13:14.789001+00'), ('-infinity'), ('infinity')) AS t(t);

-- Other types use their implicit casts; unknown literals are bson
SELECT '2'::bson = 2::smallint AS int2, '2.5'::bson = 2.5::real AS float4, '"a"'::bson = 'a'::varchar AS varchar, '"a"'::bson = 'a'::name AS name, '2'::bson = '2' AS unknown, '2'::bson = '2'::jsonb AS jsonb;
\set VERBOSITY terse
SELECT '2'::bson = '2'::json;  -- ERROR, json has no implicit cast
\set VERBOSITY default
SELECT '2'::bson = 'two';  -- ERROR, not JSON

-- An index on the expression is used, with the constant in its own type
CREATE TABLE person (data bson);
INSERT INTO person SELECT bson_build_object('age', i % 100, 'name', 'n' || i, 'at', '2024-01-01 00:00:00Z'::timestamptz + i * interval '1 hour') FROM generate_series(1, 2000) AS i;
CREATE INDEX person_age ON person ((data -> 'age'));
CREATE INDEX person_name ON person ((data -> 'name'));
CREATE INDEX person_at ON person ((data -> 'at'));
ANALYZE person;
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT * FROM person WHERE data -> 'age' > 97 AND data -> 'age' <= 98;
SELECT count(*) FROM person WHERE data -> 'age' > 97 AND data -> 'age' <= 98;
SELECT count(*) FROM person WHERE 97.5 < data -> 'age';
EXPLAIN (COSTS OFF) SELECT * FROM person WHERE data -> 'name' = 'n77'::text;
SELECT data ->> 'age' AS age FROM person WHERE data -> 'name' = 'n77'::text;
SELECT count(*) FROM person WHERE data -> 'at' BETWEEN '2024-01-01 10:00Z'::timestamptz AND '2024-01-01 11:30Z'::timestamptz;
SELECT count(*) FROM person WHERE data -> 'age' = ANY ('{1,2,3}'::int[]);
SELECT count(*) FROM person WHERE data -> 'age' = ANY ('{1,NaN,2.5,3}'::float8[]);
SELECT count(*) FROM person WHERE data -> 'age' = ANY ('{1,NaN,2.5,3}'::numeric[]);
SELECT count(*) FROM person WHERE data -> 'name' = ANY ('{n9,n10,N1,n1}'::text[]);
RESET enable_seqscan;

-- Server versions print subplans in different ways
CREATE FUNCTION pg_temp.plan_says(query text, what text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		IF strpos(line, what) > 0 THEN
			RETURN true;
		END IF;
	END LOOP;
	RETURN false;
END $$;

-- A join hashes
CREATE TABLE age (n bigint);
INSERT INTO age SELECT generate_series(0, 9);
ANALYZE age;
SET enable_nestloop = off;
SET enable_indexscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM person JOIN age ON data -> 'age' = n;
SELECT count(*) FROM person JOIN age ON data -> 'age' = n;
SELECT pg_temp.plan_says($$SELECT count(*) FROM person WHERE data -> 'age' NOT IN (SELECT n FROM age)$$, 'hashed SubPlan');
SELECT count(*) FROM person WHERE data -> 'age' NOT IN (SELECT n FROM age);
SELECT count(*) FROM person WHERE data -> 'age' IN (SELECT n FROM age);
SELECT count(*) FROM age WHERE n IN (SELECT data -> 'age' FROM person);
SELECT count(*) FROM person WHERE data -> 'name' IN (SELECT 'n' || n FROM age);
RESET enable_nestloop;
RESET enable_indexscan;
RESET enable_bitmapscan;

-- min and max, by the order; an index gives them
SELECT min(v), max(v) FROM value;
SELECT min(v) AS min, max(v) AS max FROM value WHERE n BETWEEN 5 AND 16;
SELECT min(v), max(v) FROM value WHERE false;
SET enable_seqscan = off;
SELECT pg_temp.plan_says($$SELECT max(data -> 'age') FROM person$$, 'Index Scan Backward using person_age on person');
SELECT min(data -> 'age'), max(data -> 'age') FROM person;
RESET enable_seqscan;

-- jsonb where bson is expected
CREATE TABLE mixed (b bson, j jsonb);
INSERT INTO mixed VALUES ('{"a": 1, "b": [1, 2]}', '{"a": 1, "b": [1, 2]}');
SELECT b @> '{"a": 1}'::jsonb AS contains, b = j AS equal, b || '{"c": 3}'::jsonb AS concat, j @~ '{"a": {"$gte": 1}}' AS match, bson_set(b, '{a}', '5'::jsonb) AS set FROM mixed;
SELECT pg_typeof(j -> 'a') AS arrow, pg_typeof(j || '{"c": 3}') AS concat, pg_typeof(j - 'a') AS minus, pg_typeof(coalesce(j, '{}')) AS coalesce, pg_typeof(coalesce(b, j)) AS mixed FROM mixed;

DROP TABLE person, age, mixed;
