-- If this fails, the planner changes what a chain of accessors means, or no longer shortens it.
CREATE TABLE plan_doc (d bson);
INSERT INTO plan_doc VALUES ('{"a": {"b": [1, {"c": true, "n": 5}], "0": "zero"}, "list": [[1, 2], [3, 4]]}'), ('[{"a": 1}]'), ('5'), (NULL);

-- a chain becomes one call; kinds of steps stay distinct
EXPLAIN (COSTS OFF, VERBOSE) SELECT d -> 'a' -> 'b' -> 1 -&> 'c', d -> 'a' ->> 'b', d #> '{a,b}' -#> 0, d -> 'list' -> 1 #>> '{0}' FROM plan_doc;
EXPLAIN (COSTS OFF, VERBOSE) SELECT bson_object_field_text(bson_extract_path(d, 'a', 'b'), 'x'), (d -> 'a')::text FROM plan_doc;
-- steps that are not constants, too
EXPLAIN (COSTS OFF, VERBOSE) SELECT d -> k -> i FROM plan_doc, (VALUES ('a', 1), ('b', 2)) AS v(k, i);
-- the length of an array within is one call, too
EXPLAIN (COSTS OFF, VERBOSE) SELECT bson_array_length(d -> 'list' -> 1), bson_array_length(d) FROM plan_doc;
SELECT bson_array_length(d -> 'list'), bson_array_length(d -> 'list' -> 1), bson_array_length(d -> 'none') FROM plan_doc;
SELECT bson_array_length(d -> 'a') FROM plan_doc;  -- ERROR, a document
-- and so is a cast after one step or more; the conversion of a bson to text is not a cast
EXPLAIN (COSTS OFF, VERBOSE) SELECT (d -> 'a')::int2, (d -> 'a' -> 'b' -> 0)::int, (d #> '{a,b,0}')::int8, bson_extract_path(d, 'a', 'b')::float4, bson_object_field(d, 'a')::float8, (d -> 0)::numeric(5, 2) FROM plan_doc;
EXPLAIN (COSTS OFF, VERBOSE) SELECT (d -> 'a')::bool, (d -> 'a')::timestamptz(0), (d -> 'a')::timestamp, (d -> 'a')::date, (d -> 'a')::uuid, (d -> 'a')::json, (d -> 'a')::jsonb FROM plan_doc;
EXPLAIN (COSTS OFF, VERBOSE) SELECT d::int, d['a']::int, (d -> 'a')::text, (d ->> 'a')::int, bson_to_int4(d -> k) FROM plan_doc, (VALUES ('a')) AS v(k);
-- a single step stays as it is
EXPLAIN (COSTS OFF, VERBOSE) SELECT d -> 'a', d ->> 'a', d -#> 1 FROM plan_doc;

-- and gives the same as the steps one by one (OFFSET 0 keeps them separate)
SELECT d -> 'a' -> '0' AS walk, (SELECT x -> '0' FROM (SELECT d -> 'a' AS x OFFSET 0) AS s) AS steps,
       d -> 'a' -> 'b' -> -1 AS walk, (SELECT x -> -1 FROM (SELECT (SELECT y -> 'b' FROM (SELECT d -> 'a' AS y OFFSET 0) AS r) AS x OFFSET 0) AS s) AS steps,
       d -> 0 ->> 'a' AS walk, d -> 'list' #> '{1,0}' AS walk, d #> '{}' -> 'list' -> 1 -#> 1 AS walk
  FROM plan_doc;
SELECT d -> 'a' -> NULL::text AS "null step", d -> 'a' #> ARRAY['b', NULL] AS "null in path", d -> 'none' #> '{{a}}' AS "not reached" FROM plan_doc WHERE d -> 'a' IS NOT NULL;

-- a cast converts, or raises an error, as if by itself
CREATE FUNCTION plan_try(query text, d bson) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  result text;
BEGIN
  EXECUTE query INTO result USING d;
  RETURN result;
EXCEPTION WHEN OTHERS THEN
  RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
CREATE FUNCTION plan_walk(v bson, type text) RETURNS text LANGUAGE sql AS
  $$ SELECT plan_try(format('SELECT (d -> ''v'' -> 0)::%s FROM (SELECT $1 AS d OFFSET 0) AS s', type), bson_build_object('v', bson_build_array(v))) $$;
CREATE TABLE plan_value (v bson);
INSERT INTO plan_value VALUES ('1.5'), ('{"$numberLong": "3000000000"}'), ('1e300'), ('{"$numberDecimal": "1E-400"}'), ('{"$numberDouble": "NaN"}'),
  ('true'), ('null'), ('{"$undefined": true}'), ('"5"'), ('{"$date": "2022-03-03T12:13:14.789Z"}'), ('{"$date": {"$numberLong": "9223372036854775807"}}'),
  ('{"$uuid": "73ffd264-44b3-4c69-90e8-e7d1dfc035d4"}'), ('{"$binary": {"base64": "AQI=", "subType": "04"}}'), ('{"$oid": "0123456789abcdef01234567"}'),
  ('{"a": {}}'), ('[1, [2]]'), ('"a\u0000b"'), ('{"$minKey": 1}');
SET timezone = 'Etc/GMT+5';
SET datestyle = 'ISO';
SELECT v, plan_walk(v, 'int4') AS int4, plan_walk(v, 'float8') AS float8, plan_walk(v, 'timestamptz') AS timestamptz, plan_walk(v, 'uuid') AS uuid, plan_walk(v, 'json') AS json FROM plan_value;
SELECT type, v, plan_walk(v, type) AS walk, plan_try(format('SELECT $1::%s', type), v) AS steps
  FROM plan_value, unnest('{bool,int2,int4,int8,float4,float8,numeric,timestamptz,timestamp,date,uuid,json,jsonb}'::text[]) AS type
 WHERE plan_walk(v, type) IS DISTINCT FROM plan_try(format('SELECT $1::%s', type), v);
RESET timezone;
RESET datestyle;
SELECT (d -> 'none' -> 'a')::int AS "not there", (d -> NULL::text)::int AS "null step", (d #> ARRAY['a', NULL])::int AS "null in path" FROM plan_doc;
-- {"": MinKey, "": 5} is a document inside another, although by itself it would be an envelope
SELECT (d -> 'a')::json, bson_typeof(d -> 'a') FROM (SELECT '\x150000000361000d000000ff001000050000000000'::bson AS d OFFSET 0) AS s;

-- parameters of a prepared statement
PREPARE walk(text, int) AS SELECT d -> 'a' -> $1 -> $2 FROM plan_doc WHERE d -> 'a' IS NOT NULL;
EXECUTE walk('b', 1);
EXECUTE walk('b', 0);
SET plan_cache_mode = force_generic_plan;
EXECUTE walk('b', 1);
EXECUTE walk('b', NULL);
PREPARE walk_to(text, int) AS SELECT (d -> 'a' -> $1 -> $2)::int FROM plan_doc WHERE d -> 'a' IS NOT NULL;
EXECUTE walk_to('b', 0);
EXECUTE walk_to('b', 2);
EXECUTE walk_to('b', 1);  -- ERROR, a document
EXPLAIN (COSTS OFF, VERBOSE) EXECUTE walk_to('b', 0);
RESET plan_cache_mode;

-- a view keeps what the user wrote
CREATE VIEW plan_view AS SELECT d -> 'a' -> 'b' ->> 0 AS x, (d -> 'a' -> 'b' -> 0)::int AS y FROM plan_doc;
SELECT pg_get_viewdef('plan_view') LIKE '%-> ''a''::text) -> ''b''::text) ->> 0) AS x%' AS as_written,
       pg_get_viewdef('plan_view') LIKE '%-> ''a''::text) -> ''b''::text) -> 0))::integer AS y%' AS as_written;
SELECT * FROM plan_view;

-- an index on a chain is used
CREATE TABLE plan_index AS SELECT ('{"a": {"n": ' || i || '}}')::bson AS d FROM generate_series(1, 1000) AS i;
CREATE INDEX ON plan_index ((d -> 'a' -#> 'n'));
CREATE INDEX ON plan_index ((d #>> '{a,n}'));
CREATE INDEX ON plan_index (((d -> 'a' -> 'n')::int));
CREATE STATISTICS plan_statistics ON ((d #> '{a,n}')::int8) FROM plan_index;
ANALYZE plan_index;
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT * FROM plan_index WHERE d -> 'a' -#> 'n' = 77;
SELECT d FROM plan_index WHERE d -> 'a' -#> 'n' = 77;
SELECT d FROM plan_index WHERE d #>> '{a,n}' = '78';
EXPLAIN (COSTS OFF) SELECT * FROM plan_index WHERE (d -> 'a' -> 'n')::int < 4 ORDER BY (d -> 'a' -> 'n')::int;
SELECT d FROM plan_index WHERE (d -> 'a' -> 'n')::int < 4 ORDER BY (d -> 'a' -> 'n')::int;
-- the index also matches the walk itself, which another server sends
EXPLAIN (COSTS OFF) SELECT * FROM plan_index WHERE bson_walk_to_int4(d, 'a'::text, 'n'::text) < 4;
RESET enable_seqscan;
-- no cast runs while planning, because it could raise an error
EXPLAIN (COSTS OFF) SELECT * FROM plan_index WHERE d @> '{"a": {"n": "x"}}';
SELECT pg_get_statisticsobjdef_expressions(oid) FROM pg_statistic_ext WHERE stxname = 'plan_statistics';
SELECT indexdef FROM pg_indexes WHERE tablename = 'plan_index' ORDER BY 1;

-- a walk called by hand checks its steps
SELECT bson_walk('{"a": [1, 2]}', 'a'::text, 1), bson_walk_int4('{"a": [1, 2]}', '{a,0}'::text[]);
SELECT bson_walk('{"a": 1}', 1.5);  -- ERROR
SELECT bson_walk_to_int4('{"a": [1, 2.5]}', 'a'::text, 1), bson_walk_to_jsonb('{"a": [1, 2]}', '{a,7}'::text[]), bson_walk_to_json('{"a": null}', 'a'::text);

-- the number of rows of an expansion of a constant
CREATE FUNCTION plan_rows(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  line text;
BEGIN
  EXECUTE 'EXPLAIN ' || query INTO line;
  RETURN substring(line FROM 'rows=\d+');
END $$;
SELECT plan_rows('SELECT * FROM bson_array_elements(''[1, 2, 3]'')'), plan_rows('SELECT * FROM bson_each(''{"a": 1, "b": 2}'')'),
  plan_rows('SELECT e FROM (SELECT NULL::bson OFFSET 0) AS s(d), bson_object_keys(d) AS e');
-- and of conditions on casts with statistics, from an index or from CREATE STATISTICS
SELECT plan_rows('SELECT * FROM plan_index WHERE (d -> ''a'' -> ''n'')::int <= 500'), plan_rows('SELECT * FROM plan_index WHERE (d #> ''{a,n}'')::int8 <= 500');

-- partitions by a cast
CREATE TABLE plan_part (d bson) PARTITION BY RANGE (((d -> 'n')::int));
CREATE TABLE plan_part_low PARTITION OF plan_part FOR VALUES FROM (MINVALUE) TO (10);
CREATE TABLE plan_part_high PARTITION OF plan_part FOR VALUES FROM (10) TO (MAXVALUE);
INSERT INTO plan_part VALUES ('{"n": 9}'), ('{"n": 10}');
EXPLAIN (COSTS OFF) SELECT d FROM plan_part WHERE (d -> 'n')::int = 10;
SELECT d FROM plan_part WHERE (d -> 'n')::int = 10;

DROP TABLE plan_doc, plan_index, plan_part, plan_value CASCADE;
DROP FUNCTION plan_rows, plan_walk, plan_try;

-- a walk's steps may change from call to call at one call site
DO $$
DECLARE
  d bson := '{"a": {"x": 1, "y": 2}}';
  k text;
BEGIN
  FOREACH k IN ARRAY ARRAY['x', 'y', 'z'] LOOP
    RAISE NOTICE '% %', k, d -> 'a' -> k;
  END LOOP;
END $$;
