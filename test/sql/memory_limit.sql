-- If this fails, a pipeline or an expression of a few hundred bytes takes gigabytes of memory, or large documents are refused that are only read.
\pset format unaligned
\pset tuples_only on
SET bson.memory_limit = '2MB';
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
CREATE TABLE few (data bson);
INSERT INTO few SELECT bson_build_object('_id', i, 'x', 1, 's', repeat('x', 20)) FROM generate_series(1, 3) AS i;
ANALYZE few;
-- not in FROM, where PostgreSQL 19 makes no document that is not read
CREATE FUNCTION pg_temp.run(pipeline bson) RETURNS text LANGUAGE plpgsql AS $$
DECLARE hint text;
BEGIN
    RETURN 'made ' || (SELECT count(*) FROM (SELECT bson_aggregate('few', pipeline)) AS made);
EXCEPTION WHEN others THEN
    GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
    RETURN SQLSTATE || CASE WHEN hint LIKE '%bson.memory_limit%' THEN ' and a hint' ELSE ': ' || SQLERRM END;
END $$;
CREATE FUNCTION pg_temp.message(pipeline bson) RETURNS text LANGUAGE plpgsql AS $$
DECLARE context text;
BEGIN
    PERFORM bson_aggregate('few', pipeline);
    RETURN 'no error';
EXCEPTION WHEN others THEN
    GET STACKED DIAGNOSTICS context = PG_EXCEPTION_CONTEXT;
    RETURN concat_ws(', ', SQLSTATE, SQLERRM, substring(context, '^stages? [^\n]*'));
END $$;

-- stages that double documents, thirty times: each ends at the limit
SELECT stages, pg_temp.run((SELECT bson_agg(s.value) FROM generate_series(1, 30), bson_array_elements(stages::bson) AS s(value)))
FROM unnest(ARRAY[
    '[{"$set": {"a": ["$$ROOT", "$$ROOT"]}}]',
    '[{"$addFields": {"a": {"b": "$$ROOT", "c": "$$ROOT"}}}]',
    '[{"$replaceWith": {"a": "$$ROOT", "b": "$$ROOT"}}]',
    '[{"$project": {"a": "$$ROOT", "b": "$$ROOT"}}]',
    '[{"$set": {"a": {"$ifNull": ["$a", [{}, {}]]}}}, {"$set": {"a.x": "$$ROOT"}}]',
    '[{"$set": {"b": {"$setField": {"field": "c", "input": "$$ROOT", "value": "$$ROOT"}}}}]',
    '[{"$set": {"a": {"$mergeObjects": [{"a": "$$ROOT"}, {"b": "$$ROOT"}]}}}]',
    '[{"$set": {"a": {"$concatArrays": [["$$ROOT"], ["$$ROOT"]]}}}]',
    '[{"$set": {"a": {"$zip": {"inputs": [["$$ROOT"], ["$$ROOT"]]}}}}]',
    '[{"$set": {"a": {"$map": {"input": [1, 2], "in": "$$ROOT"}}}}]',
    '[{"$set": {"a": {"$reduce": {"input": [1, 2], "initialValue": [], "in": {"$concatArrays": ["$$value", ["$$ROOT"]]}}}}}]',
    '[{"$set": {"s": {"$concat": ["$s", "$s"]}}}]',
    '[{"$set": {"a": ["$$ROOT", "$$ROOT"]}}, {"$match": {"none": null}}]',
    '[{"$set": {"a": ["$$ROOT", "$$ROOT"]}}, {"$redact": "$$KEEP"}]',
    '[{"$set": {"a": ["$$ROOT", "$$ROOT"]}}, {"$sort": {"x": 1}}]',
    '[{"$group": {"_id": null, "a": {"$push": "$$ROOT"}, "b": {"$push": "$$ROOT"}}}]',
    '[{"$group": {"_id": "$_id", "a": {"$push": {"a": "$$ROOT"}}, "b": {"$push": {"b": "$$ROOT"}}}}]',
    '[{"$group": {"_id": null, "a": {"$addToSet": "$$ROOT"}, "b": {"$addToSet": {"x": "$$ROOT"}}}}]',
    '[{"$group": {"_id": null, "a": {"$first": "$$ROOT"}, "b": {"$last": "$$ROOT"}}}]',
    '[{"$group": {"_id": null, "a": {"$maxN": {"n": 2, "input": "$$ROOT"}}, "b": {"$lastN": {"n": 2, "input": "$$ROOT"}}}}]',
    '[{"$group": {"_id": null, "a": {"$topN": {"n": 2, "sortBy": {"x": 1}, "output": "$$ROOT"}}, "b": {"$top": {"sortBy": {"x": 1}, "output": "$$ROOT"}}}}]',
    '[{"$group": {"_id": null, "a": {"$mergeObjects": {"a": "$$ROOT"}}, "b": {"$mergeObjects": {"b": "$$ROOT"}}}}]',
    '[{"$bucketAuto": {"groupBy": "$x", "buckets": 2, "output": {"a": {"$push": "$$ROOT"}, "b": {"$push": "$$ROOT"}}}}]',
    '[{"$facet": {"a": [], "b": []}}]',
    '[{"$lookup": {"from": "few", "let": {"r": "$$ROOT"}, "pipeline": [{"$limit": 2}, {"$set": {"a": "$$r"}}], "as": "a"}}]',
    '[{"$setWindowFields": {"sortBy": {"x": 1}, "output": {"a": {"$push": "$$ROOT"}}}}, {"$limit": 2}]'
]) AS stages;
-- variables that double
SELECT pg_temp.run(('[{"$set": {"a": ' || repeat('{"$let": {"vars": {"v": ["$$ROOT", "$$ROOT"]}, "in": ', 1) || repeat('{"$let": {"vars": {"v": ["$$v", "$$v"]}, "in": ', 40) || '"$$v"' || repeat('}}', 41) || '}}]')::bson);
-- many large values that are not kept, each below the limit
SELECT pg_temp.run((SELECT bson_build_array(bson_build_object('$set', bson_build_object('n', bson_build_object('$add', bson_agg(bson_build_object('$size', bson_build_object('$range', bson_build_array(0, 100000 + i)))))))) FROM generate_series(1, 60) AS i));
SELECT pg_temp.run((SELECT bson_build_array(bson_build_object('$facet', bson_object_agg('f' || i, '[{"$set": {"s": {"$range": [0, 100000]}}}, {"$limit": 1}]'::bson))) FROM generate_series(1, 60) AS i));

-- what the error names
SELECT pg_temp.message(p::bson) FROM unnest(ARRAY[
    '[{"$set": {"a": {"$range": [0, 100000]}}}, {"$group": {"_id": null, "b": {"$push": "$a"}}}]',
    '[{"$set": {"a": {"$range": [0, 100000]}}}, {"$facet": {"b": []}}]',
    '[{"$limit": 3}, {"$group": {"_id": null, "b": {"$addToSet": {"x": "$_id", "y": {"$range": [0, 90000]}}}}}]',
    '[{"$limit": 3}, {"$group": {"_id": {"$range": [0, 200000]}}}]',
    '[{"$limit": 3}, {"$group": {"_id": null, "b": {"$firstN": {"n": 3, "input": {"$range": [0, 100000]}}}}}]',
    '[{"$limit": 1}, {"$lookup": {"from": "few", "pipeline": [{"$set": {"a": {"$range": [0, 100000]}}}], "as": "b"}}]',
    '[{"$set": {"a": {"$range": [0, 200000]}}}]',
    '[{"$set": {"a": {"$range": [0, 100000]}}}, {"$unset": "x"}, {"$project": {"b": ["$a", "$a"]}}]'
]) AS p;
SELECT bson_eval('{}', '{"$range": [0, 200000]}');  -- ERROR
SELECT bson_update('{}', '[{"$set": {"a": {"$range": [0, 100000]}}}, {"$set": {"b": ["$a", "$a"]}}]');  -- ERROR

-- what is stored may be larger, and so may what SQL makes; numbers are gathered beyond the limit
CREATE TABLE large (data bson);
ALTER TABLE large ALTER data SET STORAGE EXTERNAL;
INSERT INTO large SELECT bson_build_object('_id', i, 's', repeat('x', 2500000)) FROM generate_series(1, 3) AS i;
SELECT bson_size(data) FROM bson_aggregate('large', '[{"$match": {"_id": {"$gt": 1}}}, {"$set": {"x": {"$add": ["$_id", 1]}}}, {"$unset": "y"}, {"$sort": {"_id": 1}}]') AS data;
SELECT bson_size(data) FROM bson_aggregate('large', '[{"$project": {"s": 1}}, {"$limit": 1}]') AS data;
SELECT bson_size(bson_agg(data)) FROM large;
UPDATE large SET data = bson_update(data, '{"$set": {"x": 1}}') WHERE data -> '_id' = 1;
SELECT * FROM bson_aggregate('few', '[{"$set": {"n": {"$range": [0, 60000]}}}, {"$unwind": "$n"}, {"$group": {"_id": null, "median": {"$median": {"input": "$n", "method": "approximate"}}, "text": {"$median": {"input": "$s", "method": "approximate"}}, "count": {"$sum": 1}}}]');
-- the limit can be raised
SET bson.memory_limit = '50MB';
SELECT count(*) FROM bson_aggregate('few', '[{"$set": {"a": {"$range": [0, 100000]}}}, {"$group": {"_id": null, "b": {"$push": "$a"}}}]');
DO $$ BEGIN SET bson.memory_limit = 0; EXCEPTION WHEN invalid_parameter_value THEN RAISE NOTICE 'too little'; END $$;
DO $$ BEGIN SET bson.memory_limit = '1GB'; EXCEPTION WHEN invalid_parameter_value THEN RAISE NOTICE 'too much'; END $$;
SELECT bson_accumulate(data, NULL) FROM few;  -- ERROR
SELECT bson_accumulate(data -> 'n', '$push') FROM few;

-- a set takes memory for each value once, also in workers, which make a set each
SET bson.memory_limit = '2MB';
SELECT bson_accumulate(v, '$addToSet') = bson_agg(DISTINCT v) AS same, count(*) FROM generate_series(1, 200) AS i, to_bson(repeat(chr(97 + i % 7), 100000)) AS v;
SELECT length(bson_accumulate(v, '$addToSet')::text) FROM generate_series(1, 60) AS i, to_bson(repeat(chr(50 + i), 100000)) AS v;  -- ERROR
CREATE TABLE repeated AS SELECT CASE i % 5 WHEN 0 THEN to_bson(i % 701) WHEN 1 THEN to_bson((i % 503)::float8) WHEN 2 THEN bson_build_object('a', i % 97) WHEN 3 THEN to_bson(i % 13 || 'x') END AS v FROM generate_series(1, 20000) AS i;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT bson_accumulate(v, '$addToSet') = bson_agg(DISTINCT v) FILTER (WHERE v IS NOT NULL) AS same, bson_array_length(bson_accumulate(v, '$addToSet')) FROM repeated;
SELECT bson_accumulate(v, '$addToSet') OVER (ORDER BY v) FROM unnest(ARRAY['2', '{"$numberDouble": "2.0"}', '1', NULL, '3']::bson[]) AS v;
SET max_parallel_workers_per_gather = 2;
EXPLAIN (COSTS OFF) SELECT bson_accumulate(v, '$addToSet') FROM repeated;
SELECT bson_array_length(bson_accumulate(v, '$addToSet')) FROM repeated;
DROP TABLE few, large, repeated;
