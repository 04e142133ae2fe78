-- If this fails, the planner changes what a chain of accessors means, or no longer shortens it.
CREATE TABLE plan_doc (d bson);
INSERT INTO plan_doc VALUES ('{"a": {"b": [1, {"c": true, "n": 5}], "0": "zero"}, "list": [[1, 2], [3, 4]]}'), ('[{"a": 1}]'), ('5'), (NULL);

-- a chain is one call; kinds of steps stay apart
EXPLAIN (COSTS OFF, VERBOSE) SELECT d -> 'a' -> 'b' -> 1 -&> 'c', d -> 'a' ->> 'b', d #> '{a,b}' -#> 0, d -> 'list' -> 1 #>> '{0}' FROM plan_doc;
EXPLAIN (COSTS OFF, VERBOSE) SELECT bson_object_field_text(bson_extract_path(d, 'a', 'b'), 'x'), (d -> 'a')::text FROM plan_doc;
-- steps that are not constants, too
EXPLAIN (COSTS OFF, VERBOSE) SELECT d -> k -> i FROM plan_doc, (VALUES ('a', 1), ('b', 2)) AS v(k, i);
-- the length of an array within is one call, too
EXPLAIN (COSTS OFF, VERBOSE) SELECT bson_array_length(d -> 'list' -> 1), bson_array_length(d) FROM plan_doc;
SELECT bson_array_length(d -> 'list'), bson_array_length(d -> 'list' -> 1), bson_array_length(d -> 'none') FROM plan_doc;
SELECT bson_array_length(d -> 'a') FROM plan_doc;  -- ERROR, a document
-- a single step stays as it is
EXPLAIN (COSTS OFF, VERBOSE) SELECT d -> 'a', d ->> 'a', d -#> 1 FROM plan_doc;

-- and means the same as the steps one by one (OFFSET 0 keeps them apart)
SELECT d -> 'a' -> '0' AS walk, (SELECT x -> '0' FROM (SELECT d -> 'a' AS x OFFSET 0) AS s) AS steps,
       d -> 'a' -> 'b' -> -1 AS walk, (SELECT x -> -1 FROM (SELECT (SELECT y -> 'b' FROM (SELECT d -> 'a' AS y OFFSET 0) AS r) AS x OFFSET 0) AS s) AS steps,
       d -> 0 ->> 'a' AS walk, d -> 'list' #> '{1,0}' AS walk, d #> '{}' -> 'list' -> 1 -#> 1 AS walk
  FROM plan_doc;
SELECT d -> 'a' -> NULL::text AS "null step", d -> 'a' #> ARRAY['b', NULL] AS "null in path", d -> 'none' #> '{{a}}' AS "not reached" FROM plan_doc WHERE d -> 'a' IS NOT NULL;

-- parameters of a prepared statement
PREPARE walk(text, int) AS SELECT d -> 'a' -> $1 -> $2 FROM plan_doc WHERE d -> 'a' IS NOT NULL;
EXECUTE walk('b', 1);
EXECUTE walk('b', 0);
SET plan_cache_mode = force_generic_plan;
EXECUTE walk('b', 1);
EXECUTE walk('b', NULL);
RESET plan_cache_mode;

-- what the user wrote is what a view keeps
CREATE VIEW plan_view AS SELECT d -> 'a' -> 'b' ->> 0 AS x FROM plan_doc;
SELECT pg_get_viewdef('plan_view') LIKE '%-> ''a''::text) -> ''b''::text) ->> 0) AS x%' AS as_written;
SELECT * FROM plan_view;

-- an index on a chain is used
CREATE TABLE plan_index AS SELECT ('{"a": {"n": ' || i || '}}')::bson AS d FROM generate_series(1, 1000) AS i;
CREATE INDEX ON plan_index ((d -> 'a' -#> 'n'));
CREATE INDEX ON plan_index ((d #>> '{a,n}'));
ANALYZE plan_index;
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT * FROM plan_index WHERE d -> 'a' -#> 'n' = 77;
SELECT d FROM plan_index WHERE d -> 'a' -#> 'n' = 77;
SELECT d FROM plan_index WHERE d #>> '{a,n}' = '78';
RESET enable_seqscan;
SELECT indexdef FROM pg_indexes WHERE tablename = 'plan_index' ORDER BY 1;

-- a walk called by hand checks its steps
SELECT bson_walk('{"a": [1, 2]}', 'a'::text, 1), bson_walk_int4('{"a": [1, 2]}', '{a,0}'::text[]);
SELECT bson_walk('{"a": 1}', 1.5);  -- ERROR

-- rows of an expansion of a known value
CREATE FUNCTION plan_rows(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  line text;
BEGIN
  EXECUTE 'EXPLAIN ' || query INTO line;
  RETURN substring(line FROM 'rows=\d+');
END $$;
SELECT plan_rows('SELECT * FROM bson_array_elements(''[1, 2, 3]'')'), plan_rows('SELECT * FROM bson_each(''{"a": 1, "b": 2}'')'),
  plan_rows('SELECT e FROM (SELECT NULL::bson OFFSET 0) AS s(d), bson_object_keys(d) AS e');
DROP TABLE plan_doc, plan_index CASCADE;
DROP FUNCTION plan_rows;

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
