-- If this fails, a find or a pipeline does not use a btree index on a field, or finds other documents by it.
\set VERBOSITY terse
SET client_min_messages = warning;
-- values of all types, alone, in arrays, in arrays that are documents' roots; and documents without the field
CREATE TABLE served (data bson);
CREATE TEMP TABLE val AS SELECT v::bson AS v FROM unnest(ARRAY['null', '{"$undefined": true}', '{"$minKey": 1}', '{"$maxKey": 1}', '0', '5', '5.0', '5.5', '{"$numberDecimal": "5.5"}', '{"$numberLong": "7"}', '-3', '{"$numberDouble": "NaN"}', '{"$numberDouble": "Infinity"}',
  '{"$numberDouble": "-Infinity"}', '""', '"a"', '"b"', '{"$symbol": "ab"}', '{}', '{"x": 1}', '[]', '[5]', '{"$binary": {"base64": "", "subType": "00"}}', '{"$binary": {"base64": "AAA=", "subType": "02"}}', '{"$oid": "000000000000000000000000"}', '{"$oid": "65a1b2c3d4e5f60718293a4b"}',
  'false', 'true', '{"$date": {"$numberLong": "-9223372036854775808"}}', '{"$date": "2024-01-01T00:00:00Z"}', '{"$timestamp": {"t": 0, "i": 0}}', '{"$timestamp": {"t": 5, "i": 1}}', '{"$regularExpression": {"pattern": "a", "options": ""}}', '{"$code": "f"}']) AS v;
INSERT INTO served SELECT bson_build_object('a', v) FROM val UNION ALL SELECT bson_build_object('a', bson_build_array(v)) FROM val UNION ALL SELECT bson_build_object('a', bson_build_array(v, 6, 'aa')) FROM val
  UNION ALL SELECT bson_build_array(bson_build_object('a', v)) FROM val UNION ALL SELECT bson_build_object('a', bson_build_object('a', v)) FROM val UNION ALL VALUES ('{}'::bson), ('{"b": 5}'), ('5'), ('[]'), ('[5]'), ('{"0": 5}'), ('{"a": 7, "0": [5, 6]}'), ('{"a": 8, "0": 5}'), ('{"a.a": 5}'), ('{"a": {"a": 4}, "a.a": 1}'), ('{"a": 5, "c": 6}');
CREATE INDEX served_a ON served ((data -> 'a'));
CREATE INDEX served_0 ON served ((data -> '0'));
CREATE INDEX served_dot ON served ((data -> 'a.a'));
SET enable_seqscan = off;
SET jit = off;
-- pairs of them, of which each is in several
CREATE TEMP TABLE pair AS SELECT v.v, w.v AS w FROM (SELECT v, row_number() OVER () AS i FROM val) AS v, (SELECT v, row_number() OVER () AS i FROM val) AS w WHERE (v.i * 7 + w.i) % 9 = 0;
CREATE FUNCTION pg_temp.by_index(q bson) RETURNS text[] LANGUAGE plpgsql AS $$ BEGIN RETURN ARRAY(SELECT d::text FROM bson_aggregate('served', bson_build_array(bson_build_object('$match', q))) AS d ORDER BY 1); EXCEPTION WHEN others THEN RETURN ARRAY[SQLSTATE]; END $$;
CREATE FUNCTION pg_temp.by_operator(q bson) RETURNS text[] LANGUAGE plpgsql AS $$ BEGIN RETURN ARRAY(SELECT data::text FROM served WHERE data @~ q ORDER BY 1); EXCEPTION WHEN others THEN RETURN ARRAY[SQLSTATE]; END $$;
CREATE TEMP TABLE q AS
  SELECT 'equal' AS kind, bson_build_object('a', v) AS q FROM val
  UNION ALL SELECT o, bson_build_object('a', bson_build_object(o, v)) FROM val, unnest('{$eq,$gt,$gte,$lt,$lte,$ne,$exists,$type}'::text[]) AS o
  UNION ALL SELECT '$in', bson_build_object('a', bson_build_object('$in', bson_build_array(v, w))) FROM pair
  UNION ALL SELECT 'range', bson_build_object('a', bson_build_object('$gt', v, '$lte', w)) FROM pair
  UNION ALL SELECT 'operators', bson_build_object('a', bson_build_object('$gte', v, '$in', bson_build_array(w, 6))) FROM pair
  UNION ALL SELECT '$or', bson_build_object('$or', bson_build_array(bson_build_object('a', v), bson_build_object('a', bson_build_object('$gt', w)))) FROM pair
  UNION ALL SELECT '$and', bson_build_object('$and', bson_build_array(bson_build_object('a', v), bson_build_object('b', NULL)), 'a', bson_build_object('$lt', w)) FROM pair
  UNION ALL SELECT 'others', o::bson FROM unnest(ARRAY['{"a": {"$in": []}}', '{"0": 5}', '{"a.a": 5}', '{"a": {"$elemMatch": {"$gt": 5}}}', '{"a": {"$not": {"$gt": 5}}}', '{"$nor": [{"a": 5}]}', '{"a": {"$all": [5, 6]}}', '{"a": {"$size": 1}}', '{"$or": [{"a": 5}, {"b": 5}]}', '{"$or": [{"a": 5, "c": 6}, {"a": 7}]}', '{"$and": [{"a": 5}, {"c": 6}]}', '{"$expr": {"$eq": ["$a", 5]}, "a": {"$gt": 1}}', '{}', '{"a": {"$regex": "^a"}}', '{"a": {"$ref": "x"}}', '{"$and": [{"$or": [{"a": 5}, {"a": 7}]}, {"b": {"$exists": false}}]}', '{"a": {"$gt": 5, "$exists": true}}']) AS o;
SELECT kind, count(*), count(*) FILTER (WHERE pg_temp.by_index(q) IS DISTINCT FROM pg_temp.by_operator(q)) AS wrong FROM q GROUP BY kind ORDER BY kind;
-- paths, on which there can be arrays, by both ways to write the index
INSERT INTO served SELECT bson_build_object('a', bson_build_object('b', v)) FROM val UNION ALL SELECT bson_build_object('a', bson_build_object('b', bson_build_array(v, 6))) FROM val UNION ALL SELECT bson_build_object('a', bson_build_array(bson_build_object('b', v), 6)) FROM val
  UNION ALL SELECT bson_build_array(bson_build_object('a', bson_build_object('b', v))) FROM val UNION ALL SELECT bson_build_object('a', bson_build_array(bson_build_array(bson_build_object('b', v)))) FROM val UNION ALL VALUES ('{"a": {"0": {"b": 5}}}'::bson), ('{"a": {"c": 5}}'), ('{"a.b": 5}'), ('{"a": {"b.c": 5}}'), ('{"a": [{"b": 5}, {"b": 7}]}');
CREATE FUNCTION pg_temp.wrong_paths() RETURNS TABLE (kind text, queries bigint, wrong bigint) LANGUAGE sql AS $$
  SELECT kind, count(*), count(*) FILTER (WHERE pg_temp.by_index(p) IS DISTINCT FROM pg_temp.by_operator(p)) FROM (SELECT kind, replace(replace(q::text, '"a":', '"a.b":'), '"0":', '"a.0.b":')::bson AS p FROM q) AS q GROUP BY kind ORDER BY kind $$;
CREATE INDEX served_ab ON served ((data -> 'a' -> 'b'));
SELECT * FROM pg_temp.wrong_paths();
SELECT bson_find_sql('served', '{"a.b": 5}', NULL, '{"a.b": 1}', 0, 1);
DROP INDEX served_ab;
CREATE INDEX served_ab ON served ((data #> '{a,b}'));
SELECT * FROM pg_temp.wrong_paths() WHERE wrong > 0;
SELECT bson_find_sql('served', '{"a.b": 5}');
-- digits would be an index, and a name with a dot is none of a path
CREATE INDEX served_a0 ON served ((data #> '{a,0,b}'));
CREATE INDEX ON served ((data #> '{a,b.c}'));
CREATE INDEX ON served ((data #> '{}'));
CREATE INDEX ON served ((data #> '{a,NULL}'));
CREATE INDEX ON served (((data #> '{a,0}') -> 'c'));
CREATE INDEX ON served ((data -> 'a' -> 0));
SELECT bson_find_sql('served', '{"a.0.b": 5, "a.b.c": 5, "a.0.c": 5, "a.0": 5, "": 5}');
CREATE INDEX ON served ((data -> 'a' -> '0' -> 'b'));
SELECT * FROM pg_temp.wrong_paths() WHERE wrong > 0;
-- with an index on the _id, only documents without one can be arrays
BEGIN;
UPDATE served SET data = data || '{"_id": 1}' WHERE bson_typeof(data) = 'object';
CREATE INDEX served_id ON served ((data -> '_id'));
SELECT count(*) FILTER (WHERE pg_temp.by_index(q) IS DISTINCT FROM pg_temp.by_operator(q)) AS wrong FROM q;
SELECT bson_find_sql('served', '{"a": 5, "a.b": 5}'), bson_find_sql('served', '{"a": {"$in": [5, null]}}');
ROLLBACK;
-- an order, of which a part comes from the index
SELECT s, count(*), count(*) FILTER (WHERE ARRAY(SELECT bson_sort_key(d, s) FROM bson_aggregate('served', bson_build_array(bson_build_object('$match', m), bson_build_object('$sort', s), bson_build_object('$skip', skip), bson_build_object('$limit', n))) AS d)
    IS DISTINCT FROM ARRAY(SELECT bson_sort_key(data, s) FROM served WHERE data @~ m ORDER BY bson_sort_key(data, s) OFFSET skip LIMIT n)) AS wrong
  FROM unnest('{"{\"a\": 1}","{\"a\": -1}","{\"a\": 1, \"b\": 1}","{\"a.a\": 1}","{\"a.b\": 1}","{\"a.b\": -1}","{\"a.0.b\": 1}"}'::bson[]) AS s, unnest('{1,30,1000}'::int[]) AS n, unnest('{0,90}'::int[]) AS skip, unnest('{"{}","{\"a\": {\"$gt\": 1}}","{\"a\": null}","{\"b\": null}","{\"0\": 5}","{\"$or\": [{\"a\": 5}, {\"a\": \"a\"}]}"}'::bson[]) AS m GROUP BY s ORDER BY s DESC;
RESET enable_seqscan;
-- what the statement is
SELECT bson_find_sql('served', '{"a": {"$gt": 5}, "b": 1}', '{"b": 1}', '{"a": -1}', 2, 3);
-- only an index that is there and valid, of the operators' order and of all rows, and of this table itself
SELECT bson_find_sql('served', '{"b": 5}', NULL, '{"b": 1}', 0, 1);
CREATE INDEX ON served ((data -> 'b')) WHERE data ? 'b';
CREATE INDEX ON served USING hash ((data -> 'b'));
CREATE INDEX ON served ((data ->> 'b'));
CREATE INDEX ON served ((data -> 'c'), (data -> 'b'));
SELECT bson_find_sql('served', '{"b": 5}');
SELECT bson_find_sql('served', '{"c": 5}') ~ 'IS NULL' AS first_column;
CREATE TABLE two (data bson, other bson);
CREATE INDEX ON two ((other -> 'a'));
CREATE INDEX ON two ((other -> '_id'));
CREATE UNIQUE INDEX ON two ((data -> '_id'), (other -> '_id'));
CREATE INDEX ON two ((data - 'd'));
SELECT bson_find_sql('two', '{"a": 5, "d": 5}', column_name => 'data');
-- an alternative that no index serves has all documents read
SELECT bson_find_sql('served', '{"$or": [{"a": 5}, {"z": 5}]}');
-- to change one document by its _id, the index must be unique, on the _id alone
SELECT bson_update_sql('two', '{"_id": 5}', '{"$set": {"a": 1}}', column_name => 'data');
SELECT bson_update_sql('two', '{"_id": 5}', '{"$set": {"a": 1}}', column_name => 'other');
BEGIN;
UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'served_a'::regclass;
SELECT bson_find_sql('served', '{"a": 5}');
ROLLBACK;
CREATE VIEW of_served AS SELECT * FROM served;
SELECT bson_find_sql('of_served', '{"a": 5}');
SELECT bson_pipeline_sql('served', '[{"$limit": 1}, {"$match": {"a": 5}}]');
SELECT * FROM bson_aggregate('served', '[{"$sort": {"a": 1}}, {"$match": {"a": 5}}, {"$group": {"_id": null, "n": {"$sum": 1}}}]');
SELECT bson_pipeline_sql('served', '[{"$sort": {"a": 1}}, {"$sample": {"size": 1}}]');
-- $unwind makes the rows that a limit counts: no document has the field that is unwound but one
SELECT * FROM bson_aggregate('served', '[{"$match": {"a": {"$not": {"$type": "array"}}, "b": {"$not": {"$type": "undefined"}}, "$expr": {"$eq": [{"$type": "$$ROOT"}, "object"]}}}, {"$sort": {"a": -1}}, {"$unwind": "$b"}, {"$limit": 1}]');
CREATE TABLE odd_names ("a column" bson, b int);
CREATE INDEX ON odd_names (("a column" -> E'it''s\n"'));
SELECT bson_find_sql('odd_names', E'{"it''s\\n\\"": 1}', NULL, E'{"it''s\\n\\"": 1}', 0, 1);
SELECT * FROM bson_aggregate('odd_names', E'[{"$match": {"it''s\\n\\"": 1}}, {"$sort": {"it''s\\n\\"": 1}}, {"$limit": 1}]');
-- 100,000 rows: what a developer does all day reads some pages
CREATE TABLE many_served AS SELECT CASE i % 10 WHEN 3 THEN bson_build_object('_id', i) ELSE bson_build_object('_id', i, 'n', CASE WHEN i % 1000 = 1 THEN array_to_bson(ARRAY[i, i + 1]) WHEN i % 1000 = 2 THEN NULL ELSE i::bson END, 'o', bson_build_object('n', i)) || CASE WHEN i % 100 = 5 THEN bson_build_object('rare', i) ELSE '{}' END END AS data FROM generate_series(1, 100000) AS i;
CREATE INDEX ON many_served ((data -> '_id'));
CREATE INDEX ON many_served ((data -> 'n'));
CREATE INDEX ON many_served ((data -> 'o' -> 'n'));
CREATE INDEX ON many_served ((data -> 'rare'));
VACUUM ANALYZE many_served;
CREATE FUNCTION pg_temp.pages(statement text) RETURNS TABLE (rows int, few_pages boolean, seq_scan boolean) LANGUAGE plpgsql AS $$
DECLARE plan jsonb; BEGIN EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, FORMAT json) ' || statement INTO plan;
  RETURN QUERY SELECT (plan #>> '{0,Plan,Actual Rows}')::float8::int, (plan #>> '{0,Plan,Shared Hit Blocks}')::int + (plan #>> '{0,Plan,Shared Read Blocks}')::int < 100, plan::text ~ 'Seq Scan'; END $$;
SELECT f, s, p.* FROM (VALUES ('{"_id": 777}', NULL::text), ('{"_id": {"$in": [5, 77, 100000]}}', NULL), ('{"_id": {"$gt": 99990}}', NULL), ('{"_id": {"$gte": 500, "$lt": 510}}', NULL), ('{}', '{"_id": 1}'), ('{}', '{"_id": -1}'), ('{"_id": {"$gt": 50000}}', '{"_id": 1}'), ('{"_id": {"$lt": 50000}}', '{"_id": -1}'),
    ('{"$or": [{"_id": 5}, {"_id": 6}]}', NULL), ('{"rare": 505}', NULL), ('{"rare": {"$gt": 99900}}', NULL), ('{"rare": {"$in": [505, null]}}', NULL), ('{"_id": 777, "n": {"$gt": 5}}', NULL), ('{"_id": {"$gt": 50000}, "n": {"$exists": true}}', '{"_id": 1}')) AS v(f, s), pg_temp.pages(bson_find_sql('many_served', f::bson, NULL, s::bson, 0, CASE WHEN s IS NOT NULL THEN 5 END)) AS p;
SELECT p.* FROM pg_temp.pages(bson_pipeline_sql('many_served', '[{"$match": {"_id": {"$in": [1, 2]}}}, {"$group": {"_id": null, "n": {"$sum": 1}}}]')) AS p;
DROP VIEW of_served;
DROP TABLE served, two, odd_names, many_served;
