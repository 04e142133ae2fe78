-- If this fails, the statement of a pipeline does not use the indexes or the workers that it could
CREATE TABLE d (data bson);
INSERT INTO d SELECT bson_build_object('_id', i, 'a', i % 1000, 'g', 'g' || i % 10, 'ref', i + 1, 't', bson_build_array('t' || i % 500, i % 7)) FROM generate_series(1, 20000) AS i;
ANALYZE d;
SET max_parallel_workers_per_gather = 0;
-- releases name the results of subplans in several ways
CREATE FUNCTION pg_temp.plan(pipeline bson, relation text DEFAULT 'd') RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || bson_pipeline_sql(relation::regclass, pipeline) LOOP
    line := regexp_replace(line, '\(?InitPlan [0-9a-z_]+\)?(\.col1| \(returns .*\))?', 'InitPlan');
    RETURN NEXT regexp_replace(regexp_replace(line, 'SubPlan [0-9a-z_]+', 'SubPlan'), '\$[0-9]+', 'InitPlan');
  END LOOP;
END $$;
-- the first $match: each class of indexes that serves @~, also in front of other stages, behind $sort, and twice
CREATE INDEX d_gin ON d USING gin (data);
SELECT pg_temp.plan('[{"$match": {"a": 7}}]');
SELECT pg_temp.plan('[{"$match": {"a": 7}}, {"$match": {"g": "g7"}}, {"$project": {"a": 1}}, {"$count": "n"}]');
DROP INDEX d_gin;
CREATE INDEX d_path ON d USING gin (data bson_path_ops);
SELECT pg_temp.plan('[{"$sort": {"a": 1}}, {"$match": {"t": "t7"}}, {"$unwind": "$t"}]');
DROP INDEX d_path;
CREATE INDEX d_range ON d USING gin (data bson_range_ops);
SELECT pg_temp.plan('[{"$match": {"_id": {"$gt": 10, "$lt": 15}, "$expr": {"$lt": ["$a", "$$NOW"]}}}, {"$group": {"_id": "$g", "n": {"$sum": 1}}}]');
-- $lookup by a field of the other table
SELECT pg_temp.plan('[{"$match": {"_id": {"$lt": 5}}}, {"$lookup": {"from": "d", "localField": "ref", "foreignField": "t", "as": "x"}}]');
-- by a variable of "let"; $unwind of what is found makes a join of it; rounds of $graphLookup
SELECT pg_temp.plan('[{"$match": {"_id": {"$lt": 5}}}, {"$lookup": {"from": "d", "let": {"r": "$ref"}, "pipeline": [{"$match": {"$expr": {"$eq": ["$a", "$$r"]}}}], "as": "x"}}]');
SELECT pg_temp.plan('[{"$match": {"_id": {"$lt": 5}}}, {"$lookup": {"from": "d", "localField": "ref", "foreignField": "t", "as": "x"}}, {"$unwind": "$x"}]');
SELECT pg_temp.plan('[{"$match": {"_id": {"$lt": 5}}}, {"$graphLookup": {"from": "d", "startWith": "$ref", "connectFromField": "ref", "connectToField": "a", "as": "x"}}]');
DROP INDEX d_range;
CREATE INDEX d_part ON d ((data -> 'a')) WHERE data @~ '{"g": "g3"}';
SELECT pg_temp.plan('[{"$match": {"g": "g3"}}, {"$project": {"a": 1}}]');
-- by _id: an ordinary index
CREATE UNIQUE INDEX d_id ON d ((data -> '_id'));
SELECT pg_temp.plan('[{"$lookup": {"from": "d", "localField": "ref", "foreignField": "_id", "pipeline": [], "as": "x"}}, {"$match": {"x.a": 5}}, {"$count": "n"}]');
SELECT pg_temp.plan('[{"$limit": 3}, {"$lookup": {"from": "d", "localField": "ref", "foreignField": "_id", "pipeline": [{"$match": {"a": {"$gt": 5}}}, {"$project": {"a": 1}}], "as": "x"}}]');
SELECT pg_temp.plan('[{"$lookup": {"from": "d", "localField": "ref", "foreignField": "_id", "as": "x"}}, {"$unwind": "$x"}, {"$count": "n"}]');
SELECT pg_temp.plan('[{"$lookup": {"from": "d", "let": {"r": "$ref"}, "pipeline": [{"$match": {"$expr": {"$eq": ["$_id", "$$r"]}}}], "as": "x"}}]');
-- $sort and $limit
CREATE INDEX d_sort ON d (bson_sort_key(data, '{"a": -1, "_id": 1}'));
SELECT pg_temp.plan('[{"$sort": {"a": -1, "_id": 1}}, {"$limit": 10}, {"$project": {"a": 1}}]');
SELECT pg_temp.plan('[{"$sort": {"a": -1, "_id": 1}}, {"$match": {"g": "g1"}}, {"$skip": 5}, {"$limit": 10}, {"$unwind": "$t"}]');
-- without an index documents are changed only behind LIMIT
SELECT pg_temp.plan('[{"$sort": {"ref": 1}}, {"$limit": 10}, {"$project": {"a": 1}}]');
EXPLAIN (COSTS OFF) SELECT * FROM bson_aggregate('d', '[]') WITH ORDINALITY;
-- the rows that a constant pipeline says itself; with ORDINALITY no release puts its query in the place of the call
CREATE FUNCTION pg_temp.expected(pipeline bson) RETURNS text LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
  EXECUTE format('EXPLAIN (FORMAT JSON) SELECT * FROM bson_aggregate(%L, %L) WITH ORDINALITY', 'd', pipeline) INTO plan;
  RETURN plan -> 0 -> 'Plan' ->> 'Plan Rows';
END $$;
SELECT p, pg_temp.expected(p::bson) FROM unnest(ARRAY['[]', '[{"$limit": 7}, {"$set": {"a": 1}}]', '[{"$limit": 7}, {"$limit": 9}]', '[{"$sample": {"size": 5}}]', '[{"$limit": 70000}]', '[{"$limit": 9223372036854775807}]',
  '[{"$count": "n"}]', '[{"$limit": 7}, {"$unwind": "$t"}]', '[{"$group": {"_id": null}}]', '[{"$group": {"_id": "$g"}}]', '[{"$facet": {"a": []}}]', '[{"$limit": "x"}, 1, {}]', '{}', '1']) AS p;
-- what is calculated is calculated once for a document
SELECT pg_temp.plan('[{"$set": {"x": {"$add": ["$a", 1]}}}, {"$match": {"x": {"$gt": 5}}}, {"$group": {"_id": "$x", "n": {"$sum": "$a"}, "m": {"$max": "$a"}}}]');
-- without an index a join by values is hashed or merged, and not a scan for each of 50,000 documents
CREATE TABLE e (data bson);
INSERT INTO e SELECT bson_build_object('_id', i, 'ref', 50001 - i) FROM generate_series(1, 50000) AS i;
ANALYZE e;
SELECT count(*) FILTER (WHERE line ~ 'Nested Loop') AS loops, count(*) FILTER (WHERE line ~ 'Hash Join|Merge Join') AS joins FROM pg_temp.plan('[{"$lookup": {"from": "e", "localField": "ref", "foreignField": "_id", "as": "x"}}, {"$unwind": "$x"}, {"$group": {"_id": null, "n": {"$sum": "$x.ref"}}}]', 'e') AS line;
SELECT * FROM bson_aggregate('e', '[{"$lookup": {"from": "e", "localField": "ref", "foreignField": "_id", "as": "x"}}, {"$unwind": "$x"}, {"$group": {"_id": null, "n": {"$sum": "$x.ref"}, "d": {"$max": {"$subtract": ["$x.ref", "$_id"]}}}}]');
-- an index on the other table is used for each document
CREATE UNIQUE INDEX e_id ON e ((data -> '_id'));
SELECT count(*) FILTER (WHERE line ~ 'Seq Scan') AS scans, count(*) FILTER (WHERE line ~ 'Index Cond') AS by_index FROM pg_temp.plan('[{"$lookup": {"from": "e", "localField": "ref", "foreignField": "_id", "as": "x"}}, {"$project": {"n": {"$size": "$x"}}}]', 'e') AS line;
CREATE INDEX e_ref ON e USING gin (data bson_path_ops);
SELECT count(*) FILTER (WHERE line ~ 'Seq Scan') AS scans, count(*) FILTER (WHERE line ~ 'Index Cond') AS by_index FROM pg_temp.plan('[{"$lookup": {"from": "e", "localField": "_id", "foreignField": "ref", "as": "x"}}, {"$unwind": "$x"}, {"$count": "n"}]', 'e') AS line;
-- partitions, by a column beside the documents, and views: the same indexes
CREATE TABLE p (k int, data bson) PARTITION BY RANGE (k);
CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (0) TO (5000);
CREATE TABLE p2 PARTITION OF p FOR VALUES FROM (5000) TO (20001);
INSERT INTO p SELECT i, bson_build_object('_id', i, 'a', i % 1000, 'g', 'g' || i % 10, 'ref', i + 1) FROM generate_series(1, 20000) AS i;
CREATE INDEX p_gin ON p USING gin (data bson_range_ops);
CREATE INDEX p_sort ON p (bson_sort_key(data, '{"a": -1, "_id": 1}'));
CREATE INDEX p_id ON p ((data -> '_id'));
ANALYZE p;
CREATE VIEW v AS SELECT data FROM p WHERE k < 15000;
SELECT pg_temp.plan('[{"$match": {"a": 7}}, {"$count": "n"}]', 'p');
SELECT pg_temp.plan('[{"$sort": {"a": -1, "_id": 1}}, {"$limit": 3}]', 'p');
SELECT pg_temp.plan('[{"$match": {"_id": {"$not": {"$gte": 5}}}}, {"$lookup": {"from": "p", "localField": "ref", "foreignField": "_id", "as": "x"}}]', 'd');
SELECT pg_temp.plan('[{"$match": {"a": {"$gt": 5, "$lt": 7}}}]', 'v');
SELECT pg_temp.plan('[{"$sort": {"a": -1, "_id": 1}}, {"$skip": 2}, {"$limit": 3}]', 'v');
SELECT * FROM bson_aggregate('v', '[{"$sort": {"a": -1, "_id": 1}}, {"$skip": 2}, {"$limit": 1}]') UNION ALL SELECT * FROM bson_aggregate('p', '[{"$match": {"a": 7}}, {"$count": "n"}]');
-- groups and conditions in parallel workers
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT pg_temp.plan('[{"$match": {"a": {"$mod": [2, 1]}}}, {"$set": {"b": {"$multiply": ["$a", 2]}}}, {"$group": {"_id": "$g", "n": {"$sum": 1}, "sum": {"$sum": "$b"}, "avg": {"$avg": "$b"}, "min": {"$min": "$b"}, "max": {"$max": "$b"}, "push": {"$push": "$b"}, "first": {"$first": "$g"}}}, {"$sort": {"_id": 1}}]');
SELECT * FROM bson_aggregate('d', '[{"$match": {"a": {"$mod": [2, 1]}}}, {"$set": {"b": {"$multiply": ["$a", 2]}}}, {"$group": {"_id": "$g", "n": {"$sum": 1}, "sum": {"$sum": "$b"}, "avg": {"$avg": "$b"}, "min": {"$min": "$b"}, "max": {"$max": "$b"}, "push": {"$push": "$b"}, "first": {"$first": "$g"}, "last": {"$last": "$g"}}}, {"$set": {"push": {"$size": "$push"}}}, {"$sort": {"_id": 1}}]');
SELECT pg_temp.plan('[{"$group": {"_id": "$g", "n": {"$sum": "$a"}}}]', 'p');
RESET max_parallel_workers_per_gather;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
-- the result is on disk beyond work_mem, so 200,000 documents of it take no more memory
CREATE TABLE big (data bson);
INSERT INTO big SELECT bson_build_object('_id', i, 's', repeat('x', 100)) FROM generate_series(1, 200000) AS i;
SET work_mem = '1MB';
SELECT sum(total_bytes) AS before FROM pg_backend_memory_contexts \gset
SELECT n, (SELECT sum(total_bytes) FROM pg_backend_memory_contexts WHERE n IS NOT NULL) < :before + 4000000 AS little
  FROM (SELECT doc -> '_id' AS n FROM bson_aggregate('big', '[{"$project": {"_id": 1, "s": 1}}]') AS doc OFFSET 199999 LIMIT 1) AS last;
RESET work_mem;
SET statement_timeout = '100ms';
SELECT count(*) FROM bson_aggregate('big', '[{"$set": {"x": {"$reduce": {"input": {"$range": [0, 1000]}, "initialValue": 0, "in": {"$add": ["$$value", "$$this"]}}}}}]') WITH ORDINALITY;
RESET statement_timeout;
DROP TABLE d, e, p, big CASCADE;
-- few levels are one query for the planner; of many each eighth that has to see all rows is planned by itself, with those before it
SELECT n, (SELECT count(*) FROM regexp_matches(sql, 'WITH ', 'g')) AS withs, (SELECT count(*) FROM regexp_matches(sql, 'MATERIALIZED', 'g')) AS materialized, (SELECT count(*) FROM regexp_matches(sql, ' AS (MATERIALIZED )?\(\n', 'g')) AS levels
FROM (VALUES (1), (7), (8), (9), (100)) AS v(n), LATERAL bson_pipeline_sql(NULL, ('[{"$documents": [{"_id": 1}]}' || repeat(', {"$group": {"_id": "$_id"}}', n) || ']')::bson) AS sql;
SELECT * FROM bson_aggregate(NULL, ('[{"$documents": [{"_id": 1}, {"_id": 2}]}' || repeat(', {"$group": {"_id": "$_id", "n": {"$sum": 1}}}, {"$sort": {"_id": -1}}, {"$limit": 1}, {"$match": {"n": 1}}', 50) || ']')::bson);
SELECT * FROM bson_aggregate(NULL, ('[{"$documents": [{"_id": 1, "a": [[1, 2], [3]]}, {"_id": 2}]}' || repeat(', {"$unwind": {"path": "$a", "preserveNullAndEmptyArrays": true}}', 40) || ']')::bson);
SELECT * FROM bson_aggregate(NULL, ('[{"$documents": [{"_id": 1}, {"_id": 2}]}' || repeat(', {"$facet": {"f": [{"$match": {"f": 1}}], "g": [{"$count": "n"}]}}', 40) || ']')::bson);
-- in a list of results rows come as they are asked for: the third would be an error; in FROM all are made
SELECT bson_aggregate(NULL, '[{"$documents": [{"a": 1}, {"a": 2}, {"a": 0}]}, {"$set": {"b": {"$divide": [6, "$a"]}}}]') LIMIT 2;
SELECT bson_aggregate(NULL, '[{"$documents": [{"a": 1}, {"a": 2}, {"a": 0}]}, {"$set": {"b": {"$divide": [6, "$a"]}}}]');
SELECT * FROM bson_aggregate(NULL, '[{"$documents": [{"a": 1}, {"a": 2}, {"a": 0}]}, {"$set": {"b": {"$divide": [6, "$a"]}}}]') LIMIT 2;
SELECT i, bson_aggregate(NULL, bson_build_array(bson_build_object('$documents', ARRAY['{"a": 1}', '{"a": 2}']::bson[]), bson_build_object('$limit', i))) FROM generate_series(1, 2) AS i;
CREATE TABLE few AS SELECT bson_build_object('_id', i) AS data FROM generate_series(1, 6) AS i;
INSERT INTO few VALUES (NULL);
BEGIN;
DECLARE c CURSOR FOR SELECT bson_aggregate('few', '[]');
SAVEPOINT s;
FETCH 2 FROM c;
ROLLBACK TO s;
FETCH ALL FROM c;
COMMIT;
DROP TABLE few;
-- of large documents $unwind copies what is read later, and $set what later stages read, unless they show the order of fields
CREATE TABLE large (data bson);
INSERT INTO large SELECT bson_build_object('_id', i, 'y', i % 3, 'l', array_to_bson(ARRAY[i, i * 2]), 'a', i, 'pad', repeat('x', 600)) FROM generate_series(1, 6) AS i;
ANALYZE large;
SELECT bson_pipeline_sql('large', p::bson) FROM unnest(ARRAY['[{"$unwind": {"path": "$l", "includeArrayIndex": "i"}}, {"$group": {"_id": "$i", "s": {"$sum": "$l"}}}]', '[{"$unwind": {"path": "$l", "includeArrayIndex": "i"}}, {"$limit": 1}]',
  '[{"$set": {"x": {"$add": ["$a", 1]}, "y": "$y"}}, {"$match": {"x": {"$gt": 3}}}, {"$group": {"_id": "$y", "n": {"$sum": "$a"}}}]', '[{"$set": {"a.b": "$y"}}, {"$group": {"_id": "$a"}}]',
  '[{"$set": {"x": 1}}, {"$group": {"_id": "$x"}}]', '[{"$set": {"y": "$a"}}, {"$project": {"y": 1, "a": 1}}]']) AS p;
SELECT bson_agg(d ORDER BY d) FROM bson_aggregate('large', '[{"$unwind": {"path": "$l", "includeArrayIndex": "i"}}, {"$group": {"_id": "$i", "s": {"$sum": "$l"}, "y": {"$max": "$y"}}}]') AS d;
SELECT bson_agg(d ORDER BY d) FROM bson_aggregate('large', '[{"$set": {"x": {"$add": ["$a", 1]}, "y": "$a"}}, {"$match": {"x": {"$gt": 3}}}, {"$group": {"_id": "$y", "n": {"$sum": "$a"}, "x": {"$first": "$x"}}}]') AS d;
SELECT bson_agg(d ORDER BY d) FROM bson_aggregate('large', '[{"$match": {"_id": 2}}, {"$set": {"y": "$a"}}, {"$project": {"a": 1, "y": 1}}]') AS d;
DROP TABLE large;
-- $sort before $group: one sort by group and in it by the key, of the columns that are read, also behind so many levels
-- that one is planned by itself; and the same with workers
CREATE FUNCTION pg_temp.late(levels int) RETURNS bson LANGUAGE sql AS $$
  SELECT ('[' || repeat('{"$sort": {"a": 1}}, {"$group": {"_id": "$_id", "v": {"$first": "$v"}, "g": {"$last": "$g"}, "r": {"$push": "$v"}}}, ', levels) ||
    '{"$sort": {"v": -1}}, {"$group": {"_id": "$g", "v": {"$push": "$v"}, "first": {"$first": "$v"}, "last": {"$last": "$v"}, "s": {"$sum": "$v"}}}]')::bson $$;
CREATE TABLE sorted (data bson);
INSERT INTO sorted SELECT bson_build_object('_id', i, 'g', CASE i % 3 WHEN 0 THEN i % 2 END, 'v', i * 7919 % 1009) FROM generate_series(1, 1000) AS i;
ANALYZE sorted;
SELECT pg_temp.plan(pg_temp.late(0), 'sorted');
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT levels, workers, count(*), bool_and(d -> 'v' = v AND d -> 'first' = v -> 0 AND d -> 'last' = v -> -1) FROM unnest(ARRAY[0, 3, 9]) AS levels, unnest(ARRAY[0, 2]) AS workers, set_config('max_parallel_workers_per_gather', workers::text, false),
  bson_aggregate('sorted', pg_temp.late(levels)) AS d, LATERAL (SELECT bson_agg(s.data -> 'v' ORDER BY (s.data -> 'v')::int DESC) AS v FROM sorted AS s WHERE s.data -> 'g' IS NOT DISTINCT FROM nullif(d -> '_id', 'null')) AS g GROUP BY levels, workers ORDER BY levels, workers;
RESET max_parallel_workers_per_gather;
DROP TABLE sorted;
