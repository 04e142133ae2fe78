-- If this fails, a find or a pipeline does not use a btree index on several fields, or finds other documents by it
SET client_min_messages = warning;
SET jit = off;
SET enable_seqscan = off;
CREATE TABLE pair (data bson);
CREATE TEMP TABLE val AS SELECT v::bson AS v, nr FROM unnest(ARRAY['null', '0', '5', '5.5', '"a"', '{}', '[]', '[5]', '[6, "a"]', '{"$numberDouble": "NaN"}', '{"$undefined": true}']) WITH ORDINALITY AS u(v, nr);
INSERT INTO pair SELECT bson_build_object('_id', a.nr * 100 + b.nr, 'a', a.v, 'b', b.v, 'c', b.nr % 3) FROM val AS a, val AS b UNION ALL SELECT bson_build_object('_id', 5000 + nr, 'b', v) FROM val UNION ALL SELECT bson_build_object('a', v) FROM val
  UNION ALL SELECT bson_build_object('a', 5, 'b', nr % 7, 'c', nr) FROM generate_series(1, 30) AS nr UNION ALL VALUES ('{}'::bson), ('5'), ('[]'), ('[{"a": 5, "b": 5}]'), ('[[{"a": 5, "b": 6}]]');
CREATE INDEX pair_abc ON pair ((data -> 'a'), (data -> 'b') DESC, (data -> 'c'));
CREATE TEMP TABLE q AS SELECT q::bson FROM unnest(ARRAY['{"a": 5}', '{"a": null}', '{"a": {}}', '{"a": []}', '{"a": 5, "b": 5}', '{"a": 5, "b": null}', '{"b": {"$gt": 1}, "a": 5}', '{"a": null, "b": {"$lte": "a"}}', '{"a": 5, "b": [5]}', '{"a": {"$in": [5, "a"]}, "b": 0}', '{"a": {"$in": [5, [5]]}, "b": 0}', '{"a": {"$gt": 0}, "b": 5}',
  '{"a": 5, "b": {"$gt": 0, "$lt": 6}, "c": {"$gte": 1}}', '{"a": {"$eq": 5, "$gte": 1}, "b": 5}', '{"a": 5, "b": 5, "c": 2}', '{"a": 5, "b": {"$ne": 5}}', '{"a": "a", "$or": [{"b": 5}, {"c": 1}]}', '{"a": {"$regex": "a"}, "b": 5}']) AS q;
CREATE FUNCTION pg_temp.found(q bson, sort bson, skip int, n int) RETURNS SETOF bson LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY EXECUTE bson_find_sql('pair', q, NULL, sort, skip, n); END $$;
-- all, which are the same; some, each once; and the first of an order
SELECT count(*), count(*) FILTER (WHERE ARRAY(SELECT f::text FROM pg_temp.found(q, NULL, 0, 0) AS f ORDER BY 1) IS DISTINCT FROM ARRAY(SELECT data::text FROM pair WHERE data @~ q ORDER BY 1)) AS wrong FROM q;
SELECT n, count(*) FILTER (WHERE (SELECT (count(*), count(*) FILTER (WHERE f @~ q)) FROM pg_temp.found(q, NULL, 2, n) AS f) IS DISTINCT FROM (SELECT (count(*), count(*)) FROM (SELECT FROM pair WHERE data @~ q OFFSET 2 LIMIT n) AS x)) AS wrong FROM q, unnest(ARRAY[1, 9, 1000]) AS n GROUP BY n ORDER BY n;
SELECT count(*) FILTER (WHERE ARRAY(SELECT f::text FROM pg_temp.found(q, NULL, 0, 1000) AS f ORDER BY 1) IS DISTINCT FROM ARRAY(SELECT data::text FROM pair WHERE data @~ q ORDER BY 1)) AS wrong FROM q;
SELECT s, count(*) FILTER (WHERE ARRAY(SELECT bson_sort_key(f, s) FROM pg_temp.found(q, s, skip, n) AS f) IS DISTINCT FROM ARRAY(SELECT bson_sort_key(data, s) FROM pair WHERE data @~ q ORDER BY 1 OFFSET skip LIMIT n)) AS wrong
  FROM q, unnest('{"{\"b\": -1}","{\"b\": 1}","{\"b\": -1, \"c\": 1}","{\"b\": 1, \"c\": -1}","{\"b\": 1, \"c\": 1}","{\"c\": 1}"}'::bson[]) AS s, (VALUES (0, 1), (3, 9), (0, 1000)) AS v(skip, n) GROUP BY s ORDER BY s;
-- what the statements are
SELECT bson_find_sql('pair', '{"a": 5, "x": 1}', NULL, '{"b": -1}', 2, 3);
SELECT bson_find_sql('pair', '{"a": 5, "b": {"$gt": 1}}', NULL, '{"b": 1}', 0, 3);
SELECT bson_find_sql('pair', '{"a": 5}', NULL, NULL, 0, 3);
SELECT bson_delete_sql('pair', '{"a": 5, "b": 1}', '{"multi": true}');
CREATE INDEX pair_id ON pair ((data -> '_id'));
SELECT bson_find_sql('pair', '{"a": 5, "b": 1}');
-- rows that are locked are found by one scan
DELETE FROM pair WHERE (data -> '_id') IS NULL;
CREATE UNIQUE INDEX pair_all ON pair ((data -> '_id'));
SELECT bson_update_sql('pair', '{"a": 5, "b": 0}', '{"$set": {"c": 9}}', '{"sort": {"b": 1}}') \gset
:bson_update_sql RETURNING data;
DROP TABLE pair;
