-- If this fails, a find looks for arrays where a CHECK says that there are none, or does not where there can be some
SET client_min_messages = warning;
SET jit = off;
SET enable_seqscan = off;
CREATE TEMP TABLE val AS SELECT v::bson AS v, nr FROM unnest(ARRAY['null', '0', '5', '5.5', '"a"', '{}', '{"x": 1}', '{"x": [5]}', '{"$numberDouble": "NaN"}', '{"$undefined": true}', '{"$oid": "65a1b2c3d4e5f60718293a4b"}', 'true', '[]', '[5]', '[{"x": 5}, 6]']) WITH ORDINALITY AS u(v, nr);
-- "a" and "o.p" are no arrays, if they are there; "b" can be one; "c" and the _id are there
CREATE TABLE sure (data bson CHECK ((bson_typeof(data -> '_id') <> 'array') IS TRUE), CHECK (bson_typeof(data -> 'a') <> 'array' AND bson_typeof(data -> 'o') <> 'array'), CHECK (bson_typeof(data -> 'o' -> 'p') <> 'array'),
  CHECK ((data -> 'c') IS NOT NULL), CHECK (bson_typeof(data -> 'c') <> 'array'));
INSERT INTO sure SELECT bson_build_object('_id', CASE WHEN a.nr = 7 AND b.nr < 9 THEN bson_build_object('x', b.nr) ELSE to_bson(a.nr * 100 + b.nr) END, 'a', a.v, 'b', b.v, 'c', CASE b.nr % 3 WHEN 0 THEN NULL ELSE b.nr END, 'o', bson_build_object('p', a.v, 'q', b.v)) FROM val AS a, val AS b WHERE a.nr <= 12
  UNION ALL SELECT bson_build_object('_id', 5000 + nr, 'b', v, 'c', v) FROM val WHERE nr <= 12 UNION ALL SELECT bson_build_object('_id', 6000 + nr, 'a', v, 'c', 5, 'o', v) FROM val WHERE nr <= 12;
CREATE INDEX ON sure ((data -> '_id'));
CREATE INDEX ON sure ((data -> 'a'));
CREATE INDEX ON sure ((data -> 'b'));
CREATE INDEX ON sure ((data -> 'c'));
CREATE INDEX ON sure ((data -> 'o' -> 'p'));
CREATE INDEX ON sure ((data -> 'a'), (data -> 'b'), (data -> 'c') DESC);
CREATE INDEX ON sure ((data -> 'a'), (data -> 'c') DESC);
CREATE TEMP TABLE q AS SELECT bson_build_object(p, v) AS q FROM val, unnest('{_id,a,b,c,o.p}'::text[]) AS p UNION ALL SELECT bson_build_object(p, bson_build_object(o, v)) FROM val, unnest('{_id,a,b,c,o.p}'::text[]) AS p, unnest('{$gt,$gte,$lt,$lte,$ne}'::text[]) AS o
  UNION ALL SELECT bson_build_object('a', v, 'b', w) FROM val, (SELECT v AS w FROM val WHERE nr % 3 = 1) AS w UNION ALL SELECT bson_build_object('a', v, 'c', '{"$gt": 3}'::bson) FROM val UNION ALL SELECT bson_build_object('a', 5, 'b', v, 'c', '{"$lt": 9}'::bson) FROM val
  UNION ALL SELECT bson_build_object('$or', bson_build_array(bson_build_object('a', v), bson_build_object('b', v))) FROM val UNION ALL SELECT q::bson FROM unnest(ARRAY['{"_id": {"$in": [101, 5001, null]}}', '{"a": {"$in": [5, [5]]}}', '{"a": {"$exists": false}}', '{"a": 5, "b": {"$in": [5, "a"]}}', '{}']) AS q;
DELETE FROM q WHERE q::text ~ 'undefined';
CREATE FUNCTION pg_temp.found(q bson, sort bson, skip int, n int) RETURNS SETOF bson LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY EXECUTE bson_find_sql('sure', q, NULL, sort, skip, n); END $$;
CREATE FUNCTION pg_temp.wrong(OUT finds bigint, OUT orders bigint, OUT without_rule bigint) LANGUAGE sql AS $$
  SELECT count(*) FILTER (WHERE ARRAY(SELECT f::text FROM pg_temp.found(q, NULL, 0, 0) AS f ORDER BY 1) IS DISTINCT FROM ARRAY(SELECT data::text FROM sure WHERE data @~ q ORDER BY 1)),
    (SELECT count(*) FROM (SELECT q FROM (SELECT q, row_number() OVER () AS n FROM q) AS numbered WHERE n % 9 = 0) AS q, unnest('{"{\"_id\": -1}","{\"c\": 1}","{\"c\": -1}","{\"a\": 1}","{\"b\": 1, \"c\": -1}"}'::bson[]) AS s, (VALUES (0, 1), (3, 9), (0, 500)) AS v(skip, n)
       WHERE ARRAY(SELECT bson_sort_key(f, s) FROM pg_temp.found(q, s, skip, n) AS f) IS DISTINCT FROM ARRAY(SELECT bson_sort_key(data, s) FROM sure WHERE data @~ q ORDER BY 1 OFFSET skip LIMIT n)),
    (SELECT count(*) FROM (SELECT set_config('bson.pipeline_rules_off', '4096', true)) AS off, q WHERE ARRAY(SELECT f::text FROM pg_temp.found(q, NULL, 0, 0) AS f ORDER BY 1) IS DISTINCT FROM ARRAY(SELECT data::text FROM sure WHERE data @~ q ORDER BY 1)) FROM q $$;
SELECT (SELECT count(*) FROM q) AS queries, * FROM pg_temp.wrong();
RESET enable_seqscan;
-- one scan of one index, whose order is that of the sort
SELECT bson_find_sql('sure', q::bson, NULL, s::bson, 0, 3) FROM (VALUES ('{"_id": 5}', NULL), ('{"_id": {"$gt": {"x": 1}}}', NULL), ('{"_id": {"$gt": 5}}', '{"_id": -1}'), ('{}', '{"c": 1}'), ('{"a": null}', NULL), ('{"a": 5, "c": 1}', NULL), ('{"a": 5}', '{"c": -1}'), ('{"o.p": 5}', NULL), ('{"b": 5}', NULL)) AS v(q, s);
CREATE UNIQUE INDEX ON sure ((data -> '_id'));
SELECT bson_update_sql('sure', '{"a": 5}', '{"$set": {"d": 1}}', '{"sort": {"c": -1}}');
-- what a CHECK does not say
CREATE SCHEMA other;
CREATE FUNCTION other.bson_typeof(bson) RETURNS text LANGUAGE sql IMMUTABLE RETURN 'other';
CREATE TABLE unsure (data bson);
CREATE INDEX ON unsure ((data -> '_id'));
CREATE FUNCTION pg_temp.said(condition text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE said boolean;
BEGIN
  EXECUTE 'ALTER TABLE unsure ADD CONSTRAINT c CHECK (' || condition;
  said := bson_find_sql('unsure', '{"_id": 5}') !~ '\[\]';
  ALTER TABLE unsure DROP CONSTRAINT c;
  RETURN said;
END $$;
SELECT c, pg_temp.said(c) FROM unnest(ARRAY[$$(bson_typeof(data -> '_id') <> 'array') IS TRUE)$$, $$bson_typeof(data #> '{_id}') <> 'array' AND (data #> '{_id}') IS NOT NULL)$$, $$bson_typeof(data -> '_id') <> 'array')$$, $$(bson_typeof(data -> '_id') <> 'array') IS TRUE) NOT VALID$$, $$(bson_typeof(data -> '_id') <> 'array') IS TRUE) NO INHERIT$$,
  $$(other.bson_typeof(data -> '_id') <> 'array') IS TRUE)$$, $$(bson_typeof(data -> '_id') <> 'string') IS TRUE)$$, $$(bson_typeof(data -> '_id') = 'array') IS TRUE)$$, $$(bson_typeof(data -> '_id') <> 'array') IS NOT FALSE)$$, $$(bson_typeof(data -> '_id') <> 'array' OR true) IS TRUE)$$,
  $$(bson_typeof(data -> 'id') <> 'array') IS TRUE)$$, $$(data -> '_id') IS NOT NULL)$$, $$(NOT bson_typeof(data -> '_id') <> 'array') IS TRUE)$$]) AS c;
DROP TABLE sure, unsure;
DROP SCHEMA other CASCADE;
