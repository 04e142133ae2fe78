-- If this fails, the statement of a pipeline does not use the indexes or the workers that it could
CREATE TABLE d (data bson);
INSERT INTO d SELECT bson_build_object('_id', i, 'a', i % 1000, 'g', 'g' || i % 10, 'ref', i + 1, 't', bson_build_array('t' || i % 500, i % 7)) FROM generate_series(1, 20000) AS i;
ANALYZE d;
SET max_parallel_workers_per_gather = 0;
-- releases name the results of subplans in several ways
CREATE FUNCTION pg_temp.plan(pipeline bson) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || bson_pipeline_sql('d', pipeline) LOOP
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
SELECT pg_temp.plan('[{"$lookup": {"from": "d", "localField": "ref", "foreignField": "_id", "as": "x"}}, {"$match": {"x.a": 5}}, {"$count": "n"}]');
SELECT pg_temp.plan('[{"$limit": 3}, {"$lookup": {"from": "d", "localField": "ref", "foreignField": "_id", "pipeline": [{"$match": {"a": {"$gt": 5}}}, {"$project": {"a": 1}}], "as": "x"}}]');
SELECT pg_temp.plan('[{"$lookup": {"from": "d", "localField": "ref", "foreignField": "_id", "as": "x"}}, {"$unwind": "$x"}, {"$count": "n"}]');
SELECT pg_temp.plan('[{"$lookup": {"from": "d", "let": {"r": "$ref"}, "pipeline": [{"$match": {"$expr": {"$eq": ["$_id", "$$r"]}}}], "as": "x"}}]');
-- $sort and $limit
CREATE INDEX d_sort ON d (bson_sort_key(data, '{"a": -1, "_id": 1}'));
SELECT pg_temp.plan('[{"$sort": {"a": -1, "_id": 1}}, {"$limit": 10}, {"$project": {"a": 1}}]');
SELECT pg_temp.plan('[{"$sort": {"a": -1, "_id": 1}}, {"$match": {"g": "g1"}}, {"$skip": 5}, {"$limit": 10}, {"$unwind": "$t"}]');
EXPLAIN (COSTS OFF) SELECT * FROM bson_aggregate('d', '[]');
-- what is calculated is calculated once for a document
SELECT pg_temp.plan('[{"$set": {"x": {"$add": ["$a", 1]}}}, {"$match": {"x": 5}}, {"$group": {"_id": "$x", "n": {"$sum": "$a"}, "m": {"$max": "$a"}}}]');
-- groups and conditions in parallel workers
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT pg_temp.plan('[{"$match": {"a": {"$mod": [2, 1]}}}, {"$set": {"b": {"$multiply": ["$a", 2]}}}, {"$group": {"_id": "$g", "n": {"$sum": 1}, "sum": {"$sum": "$b"}, "avg": {"$avg": "$b"}, "min": {"$min": "$b"}, "max": {"$max": "$b"}, "push": {"$push": "$b"}, "first": {"$first": "$g"}}}, {"$sort": {"_id": 1}}]');
SELECT * FROM bson_aggregate('d', '[{"$match": {"a": {"$mod": [2, 1]}}}, {"$set": {"b": {"$multiply": ["$a", 2]}}}, {"$group": {"_id": "$g", "n": {"$sum": 1}, "sum": {"$sum": "$b"}, "avg": {"$avg": "$b"}, "min": {"$min": "$b"}, "max": {"$max": "$b"}, "push": {"$push": "$b"}, "first": {"$first": "$g"}, "last": {"$last": "$g"}}}, {"$set": {"push": {"$size": "$push"}}}, {"$sort": {"_id": 1}}]');
DROP TABLE d;
