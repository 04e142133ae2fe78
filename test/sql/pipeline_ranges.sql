-- If this fails, $bucketAuto divides documents, or $densify fills their gaps, as MongoDB does not
-- The facts are from src/mongo/db/pipeline/document_source_bucket_auto.cpp, granularity_rounder_*.cpp, document_source_densify.cpp and jstests/aggregation of MongoDB 8.0.
\pset format unaligned
\pset tuples_only on
-- pipelines over documents that are written in them
CREATE FUNCTION pg_temp.run(docs bson, stages bson) RETURNS SETOF bson LANGUAGE sql AS $$ SELECT * FROM bson_aggregate(NULL, bson_build_array(bson_build_object('$documents', docs)) || stages) $$;
CREATE FUNCTION pg_temp.try(stages bson, docs bson DEFAULT '[{"n": 1}]') RETURNS text LANGUAGE plpgsql AS $$
DECLARE detail text;
BEGIN
    RETURN (SELECT bson_agg(d) FROM pg_temp.run(docs, stages) AS d);
EXCEPTION WHEN others THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
    RETURN SQLSTATE || ': ' || SQLERRM || coalesce(': ' || nullif(detail, ''), '');
END $$;

-- $bucketAuto: as many documents in each, values that are equal together; a bucket ends where the next begins, the last with its greatest value
SELECT n, (SELECT bson_agg(d) FROM pg_temp.run('[{"n": 1}, {"n": 2}, {"n": 3}, {"n": 4}, {"n": 5}, {"n": 6}, {"n": 7}]', bson_build_array(bson_build_object('$bucketAuto', bson_build_object('groupBy', '$n', 'buckets', n)))) AS d) FROM unnest(ARRAY[1, 2, 3, 4, 7, 100]) AS n;
SELECT * FROM pg_temp.run('[{"n": 1}, {"n": 1}, {"n": 1}, {"n": 1.0}, {"n": 2}, {"n": 3}]', '[{"$bucketAuto": {"groupBy": "$n", "buckets": 3}}]');
SELECT * FROM pg_temp.run('[]', '[{"$bucketAuto": {"groupBy": "$n", "buckets": 3}}]');
-- a missing value is null; values of all types, in their order
SELECT * FROM pg_temp.run('[{"_id": 1}, {"n": null}, {"n": "x"}, {"n": {"a": 1}}, {"n": [1]}, {"n": {"$numberDecimal": "5"}}, {"n": {"$date": "2024-01-01T00:00:00Z"}}, {"n": true}]', '[{"$bucketAuto": {"groupBy": "$n", "buckets": 4}}]');
-- expressions, accumulators; without an order arrays are in that of the values, else as the documents were
SELECT * FROM pg_temp.run('[{"_id": 1, "a": 9, "b": 1}, {"_id": 2, "a": 3, "b": 1}, {"_id": 3, "a": 5, "b": 2}, {"_id": 4, "a": 1, "b": 0}]', '[{"$bucketAuto": {"groupBy": {"$add": ["$a", "$b"]}, "buckets": 2, "output": {"ids": {"$push": "$_id"}, "sum": {"$sum": "$a"}, "first": {"$firstN": {"input": "$_id", "n": 1}}}}}]');
SELECT * FROM pg_temp.run('[{"_id": 1, "a": 9}, {"_id": 2, "a": 3}, {"_id": 3, "a": 5}, {"_id": 4, "a": 1}]', '[{"$sort": {"_id": -1}}, {"$bucketAuto": {"groupBy": "$a", "buckets": 2, "output": {"first": {"$first": "$_id"}, "last": {"$last": "$_id"}}}}, {"$set": {"n": "$_id.min"}}, {"$limit": 1}]');
-- behind $unwind, which keeps the fields beside the array in columns: these belong to their level, and not to a column of the query around it
SELECT d FROM (VALUES ('{"x": 1000}'::bson)) AS outside(p1), LATERAL bson_aggregate(NULL, '[{"$documents": [{"_id": 1, "a": [1, 2], "x": 5}]}, {"$unwind": "$a"}, {"$bucketAuto": {"groupBy": "$a", "buckets": 1, "output": {"n": {"$sum": "$x"}}}}]') AS d;
SELECT * FROM pg_temp.run('[{"_id": 1, "a": [1, 2], "x": 5}]', '[{"$facet": {"f": [{"$unwind": "$a"}, {"$bucketAuto": {"groupBy": "$x", "buckets": 2, "output": {"n": {"$sum": "$a"}, "m": {"$max": "$x"}}}}]}}]');
SELECT * FROM pg_temp.run('[]', '[{"$unionWith": {"pipeline": [{"$documents": [{"a": [1, 2], "x": 5}]}, {"$unwind": "$a"}, {"$bucketAuto": {"groupBy": "$a", "buckets": 2, "output": {"n": {"$sum": "$x"}}}}]}}]');
SELECT * FROM pg_temp.run('[{"n": 1}, {"n": 2}]', '[{"$bucketAuto": {"groupBy": "$n", "buckets": 1, "output": {}}}]');
SELECT * FROM pg_temp.run('[{"n": 1}, {"n": 2}]', '[{"$facet": {"a": [{"$bucketAuto": {"groupBy": "$n", "buckets": 2}}], "b": [{"$bucketAuto": {"groupBy": "$$NOW", "buckets": 2, "output": {"n": {"$sum": "$n"}}}}, {"$unset": "_id"}]}}]');
-- granularity: boundaries of a series, whose buckets also take what lies below their end
SELECT g, (SELECT bson_agg(d) FROM pg_temp.run('[{"n": 1}, {"n": 10}, {"n": 100}, {"n": 1000}]', bson_build_array(bson_build_object('$bucketAuto', '{"groupBy": "$n", "buckets": 3}'::bson || bson_build_object('granularity', g)))) AS d)
  FROM unnest('{R5,R10,R20,R40,R80,1-2-5,E6,E12,E24,E48,E96,E192,POWERSOF2}'::text[]) AS g;
SELECT * FROM pg_temp.run('[{"n": 8}, {"n": 8.0}, {"n": 9}, {"n": 14}, {"n": 15.9}, {"n": 16}]', '[{"$bucketAuto": {"groupBy": "$n", "buckets": 6, "granularity": "POWERSOF2"}}]');
-- zeroes, numbers between two powers of ten, decimals, integers of 63 bits
SELECT n, (SELECT bson_agg(d -> '_id') FROM pg_temp.run(n::bson, bson_build_array(bson_build_object('$bucketAuto', '{"groupBy": "$n", "buckets": 5}'::bson || bson_build_object('granularity', g)))) AS d)
  FROM unnest(ARRAY['[{"n": 0}, {"n": 0.0}]', '[{"n": 0}, {"n": 3}]', '[{"n": 0.8}, {"n": 0.07}, {"n": 950}]', '[{"n": {"$numberDecimal": "0.8"}}, {"n": {"$numberDecimal": "950"}}]', '[{"n": 9223372036854775807}, {"n": 1}]', '[{"n": {"$numberDouble": "Infinity"}}, {"n": 1e+300}, {"n": 1e-300}]']) AS n, unnest(ARRAY['R5', 'POWERSOF2']) AS g WHERE NOT (n ~ 'Inf' AND g = 'POWERSOF2');
-- the series: what is next to each number from 1 to 10, by the boundaries of a bucket of one
SELECT g, count(DISTINCT b), min(b) = 1.0, array_agg(DISTINCT b::numeric ORDER BY b::numeric) FILTER (WHERE b BETWEEN 1 AND 1.3) FROM unnest('{R5,R10,R20,R40,R80,1-2-5,E6,E12,E24,E48,E96,E192}'::text[]) AS g,
  LATERAL (SELECT round((bson_bucket_auto(to_bson(i / 100.0), 1, g) OVER (PARTITION BY i) ->> 'max')::numeric, 6) AS b FROM generate_series(95, 950) AS i) AS s WHERE b < 10 GROUP BY g ORDER BY 2, 1;
SELECT s, pg_temp.try(bson_build_array(bson_build_object('$bucketAuto', s::bson))) FROM unnest(ARRAY['1', '{}', '{"groupBy": "$n"}', '{"buckets": 2}', '{"groupBy": "n", "buckets": 2}', '{"groupBy": 1, "buckets": 2}', '{"groupBy": {"a": "$n"}, "buckets": 2}', '{"groupBy": "$n", "buckets": 0}', '{"groupBy": "$n", "buckets": 2.5}', '{"groupBy": "$n", "buckets": "2"}', '{"groupBy": "$n", "buckets": 2147483648}',
  '{"groupBy": "$n", "buckets": 2, "output": 1}', '{"groupBy": "$n", "buckets": 2, "output": {"a": 1}}', '{"groupBy": "$n", "buckets": 2, "output": {"a": {"$nosuch": 1}}}', '{"groupBy": "$n", "buckets": 2, "output": {"_id": {"$sum": 1}}}', '{"groupBy": "$n", "buckets": 2, "output": {"a.b": {"$sum": 1}}}', '{"groupBy": "$n", "buckets": 2, "granularity": "R6"}', '{"groupBy": "$n", "buckets": 2, "granularity": 5}', '{"groupBy": "$n", "buckets": 2, "x": 1}', '{"groupBy": "$$x", "buckets": 2}']) AS s;
SELECT n, pg_temp.try('[{"$bucketAuto": {"groupBy": "$n", "buckets": 2, "granularity": "R5"}}]', n::bson) FROM unnest(ARRAY['[{"n": "x"}]', '[{"n": 1}, {}]', '[{"n": 1}, {"n": -1}]', '[{"n": {"$numberDouble": "NaN"}}]', '[]']) AS n;
-- the function: among the rows of a partition
SELECT p, n, bson_bucket_auto(to_bson(n), 2) OVER (PARTITION BY p ORDER BY to_bson(n)) FROM (VALUES (1, 5), (1, 2), (1, 9), (2, 7), (2, NULL), (3, NULL)) AS v(p, n) ORDER BY p, n;
SELECT bson_bucket_auto('1', 0) OVER ();
SELECT bson_bucket_auto('1', NULL) OVER ();
SELECT bson_bucket_auto('1', 1, 'r5') OVER ();
-- with a granularity, in another order than that of the values: each bound must be a number that is not negative, however near to 0
SELECT bson_bucket_auto(n::bson, 2, 'R5') OVER () FROM unnest(ARRAY['1', '"a string"', '3']) AS n;
SELECT bson_bucket_auto(n::bson, 4, 'POWERSOF2') OVER () FROM unnest(ARRAY['30', '2', '10', '"x"']) AS n;
SELECT bson_bucket_auto(n::bson, 2, 'R5') OVER () FROM unnest(ARRAY['1', '-2', '3']) AS n;
SELECT bson_bucket_auto(n, 1, 'R5') OVER () FROM (VALUES ('{"$numberDecimal": "-1E-400"}'::bson)) AS v(n);
-- numbers beside the least and the greatest of their type: the boundary is 0 or an infinity where the series has none
SELECT n, bson_bucket_auto(n::bson, 1, 'R5') OVER (PARTITION BY n), bson_bucket_auto(n::bson, 1, 'E24') OVER (PARTITION BY n)
  FROM unnest(ARRAY['{"$numberDecimal": "1E-400"}', '{"$numberDecimal": "1E-6176"}', '{"$numberDecimal": "5E-6175"}', '{"$numberDecimal": "9.5E+6144"}', '5e-324']) AS n ORDER BY n COLLATE "C";
SELECT bson_bucket_auto(n::bson, 2, 'R5') OVER () FROM unnest(ARRAY['{"$numberDecimal": "1E-400"}', '3']) AS n;

-- $densify: documents for the values that are missing, from the least to the greatest of all
SELECT * FROM pg_temp.run('[{"_id": 1, "t": 1}, {"_id": 2, "t": 5}, {"_id": 3, "t": 3.0}, {"_id": 4, "t": null}, {"_id": 5}]', '[{"$densify": {"field": "t", "range": {"step": 1, "bounds": "full"}}}]');
-- what is not on a step stays, and does not move the steps
SELECT * FROM pg_temp.run('[{"t": 0}, {"t": 2.5}, {"t": 6}]', '[{"$densify": {"field": "t", "range": {"step": 2, "bounds": "full"}}}]');
SELECT * FROM pg_temp.run('[{"t": {"$numberDecimal": "0.1"}}, {"t": 0.5}]', '[{"$densify": {"field": "t", "range": {"step": {"$numberDecimal": "0.1"}, "bounds": "full"}}}]');
-- full: each partition has the steps of all; partition: its own; missing values are a partition, and null is another one
SELECT * FROM pg_temp.run('[{"p": "a", "t": 1}, {"p": "a", "t": 4}, {"p": "b", "t": 3}, {"t": 5, "x": 1}, {"p": null, "t": 2}]', '[{"$densify": {"field": "t", "partitionByFields": ["p"], "range": {"step": 2, "bounds": "full"}}}, {"$sort": {"t": 1, "p": 1, "x": 1}}, {"$match": {"p": {"$in": ["a", "b"]}}}]');
SELECT count(*), count(*) FILTER (WHERE NOT d ? 'p'), count(*) FILTER (WHERE d -> 'p' = 'null') FROM pg_temp.run('[{"p": "a", "t": 1}, {"p": "a", "t": 4}, {"p": "b", "t": 3}, {"t": 5, "x": 1}, {"p": null, "t": 2}]', '[{"$densify": {"field": "t", "partitionByFields": ["p"], "range": {"step": 2, "bounds": "full"}}}]') AS d;
SELECT * FROM pg_temp.run('[{"p": "a", "t": 1}, {"p": "a", "t": 4}, {"p": "b", "t": 3}, {"p": "b", "t": 4.5}]', '[{"$densify": {"field": "t", "partitionByFields": ["p"], "range": {"step": 1, "bounds": "partition"}}}]');
SELECT * FROM pg_temp.run('[{"p": {"q": 1}, "r": [1], "t": 1}, {"p": {"q": 1}, "r": [1], "t": 3}, {"p": {}, "t": 7}]', '[{"$densify": {"field": "t", "partitionByFields": ["p.q", "r"], "range": {"step": 1, "bounds": "partition"}}}]');
-- given bounds: the upper one is not reached; documents outside stay; also where there are none
SELECT * FROM pg_temp.run('[{"t": 1}, {"t": 4.5}, {"t": 5}, {"t": 9}]', '[{"$densify": {"field": "t", "range": {"step": 1, "bounds": [3, 7]}}}]');
SELECT * FROM pg_temp.run('[{"p": 1, "t": 4}, {"p": 2, "t": 100}, {"p": 3}]', '[{"$densify": {"field": "t", "partitionByFields": ["p"], "range": {"step": 2, "bounds": [2, 6]}}}]');
SELECT * FROM pg_temp.run('[]', '[{"$densify": {"field": "a.b", "range": {"step": 2.5, "bounds": [0.0, 6.0]}}}]');
-- without a document that has the field, the given range has no partitions
SELECT * FROM pg_temp.run('[]', '[{"$densify": {"field": "t", "partitionByFields": ["p", "q.r"], "range": {"step": 2, "bounds": [1, 5]}}}]');
SELECT * FROM pg_temp.run('[{"p": 1}, {"p": 2, "t": null}]', '[{"$densify": {"field": "t", "partitionByFields": ["p"], "range": {"step": 1, "unit": "day", "bounds": [{"$date": "2020-01-01T00:00:00Z"}, {"$date": "2020-01-03T00:00:00Z"}]}}}]');
SELECT count(*) FROM pg_temp.run('[]', '[{"$densify": {"field": "t", "partitionByFields": ["p"], "range": {"step": 1, "bounds": "full"}}}]');
SELECT count(*) FROM pg_temp.run('[]', '[{"$densify": {"field": "t", "range": {"step": 1, "bounds": "full"}}}]');
SELECT * FROM pg_temp.run('[]', '[{"$densify": {"field": "t", "range": {"step": 1, "bounds": [5, 5]}}}]');
-- the series goes on with the type of the last value that lies on it (jstests/aggregation/sources/densify/decimal.js)
SELECT s, (SELECT bson_agg(d -> 'v') FROM pg_temp.run('[{"v": {"$numberDecimal": "0"}}, {"v": {"$numberDecimal": "10"}}, {"v": 5}, {"v": 7.5}]', bson_build_array(bson_build_object('$densify', bson_build_object('field', 'v', 'range', s::bson)))) AS d)
  FROM unnest(ARRAY['{"step": 1, "bounds": "full"}', '{"step": {"$numberDecimal": "1"}, "bounds": "full"}', '{"step": 2.5, "bounds": "full"}', '{"step": 1, "bounds": [3, 8]}', '{"step": {"$numberLong": "2"}, "bounds": [{"$numberLong": "1"}, {"$numberLong": "9"}]}']) AS s;
SELECT bson_agg(d) FROM pg_temp.run('[{"p": 1, "v": 0}, {"p": 2, "v": 1.0}, {"p": 2, "v": 4}, {"p": 1, "v": 3}]', '[{"$densify": {"field": "v", "partitionByFields": ["p"], "range": {"step": 1, "bounds": "full"}}}, {"$sort": {"p": 1, "v": 1}}]') AS d;
SELECT bson_agg(d) FROM pg_temp.run('[{"p": 1, "v": 0}, {"p": 2, "v": 1}]', '[{"$densify": {"field": "v", "partitionByFields": ["p"], "range": {"step": 0.5, "bounds": "full"}}}, {"$sort": {"p": 1, "v": 1}}]') AS d;
-- dates: each is a unit after the one before
SELECT * FROM pg_temp.run('[{"t": {"$date": "2024-01-31T12:00:00Z"}}, {"t": {"$date": "2024-04-29T12:00:00Z"}}, {"t": {"$date": "2024-05-01T00:00:00Z"}}]', '[{"$densify": {"field": "t", "range": {"step": 1, "unit": "month", "bounds": "full"}}}]');
SELECT count(*), max(d -> 't') FROM pg_temp.run('[{"t": {"$date": "2024-02-28T23:30:00Z"}}]', '[{"$densify": {"field": "t", "range": {"step": 15, "unit": "minute", "bounds": [{"$date": "2024-02-28T23:00:00Z"}, {"$date": "2024-02-29T01:00:00Z"}]}}}]') AS d;
SELECT u, (SELECT bson_agg(v) FROM bson_series('{"d": {"$date": "2023-12-31T00:00:00Z"}}'::bson -> 'd', '{"d": {"$date": "2025-01-01T00:00:00Z"}}'::bson -> 'd', '5', u) AS v) FROM unnest(ARRAY['quarter', 'week']) AS u LIMIT 1;
-- nested fields, arrays are not entered; with other stages
SELECT * FROM pg_temp.run('[{"a": {"b": 1}, "x": 1}, {"a": {"b": 3}}, {"a": [{"b": 9}]}, {"a": 5}]', '[{"$densify": {"field": "a.b", "range": {"step": 1, "bounds": "full"}}}]');
SELECT * FROM pg_temp.run('[{"t": 9}, {"t": 1}, {"t": 3}]', '[{"$sort": {"t": 1}}, {"$limit": 2}, {"$densify": {"field": "t", "range": {"step": 1, "bounds": "full"}}}, {"$group": {"_id": null, "t": {"$push": "$t"}}}]');
SELECT * FROM pg_temp.run('[{"t": 1}, {"t": 3}, {"t": 4}]', '[{"$unionWith": {"pipeline": [{"$documents": [{"t": 6}]}]}}, {"$densify": {"field": "t", "range": {"step": 1, "bounds": "full"}}}, {"$setWindowFields": {"sortBy": {"t": 1}, "output": {"n": {"$documentNumber": {}}}}}, {"$match": {"n": 5}}]');
SELECT s, pg_temp.try(bson_build_array(bson_build_object('$densify', s::bson))) FROM unnest(ARRAY['1', '{}', '{"field": "n"}', '{"range": {"step": 1, "bounds": "full"}}', '{"field": 1, "range": {"step": 1, "bounds": "full"}}', '{"field": "$n", "range": {"step": 1, "bounds": "full"}}', '{"field": "", "range": {"step": 1, "bounds": "full"}}', '{"field": "n", "range": 1}', '{"field": "n", "range": {"bounds": "full"}}', '{"field": "n", "range": {"step": 1}}',
  '{"field": "n", "range": {"step": 0, "bounds": "full"}}', '{"field": "n", "range": {"step": -1, "bounds": "full"}}', '{"field": "n", "range": {"step": "1", "bounds": "full"}}', '{"field": "n", "range": {"step": 1, "bounds": "all"}}', '{"field": "n", "range": {"step": 1, "bounds": "partition"}}', '{"field": "n", "partitionByFields": [], "range": {"step": 1, "bounds": "partition"}}', '{"field": "n", "range": {"step": 1, "bounds": [1]}}', '{"field": "n", "range": {"step": 1, "bounds": [2, 1]}}', '{"field": "n", "range": {"step": 1, "bounds": [1, 2.0]}}', '{"field": "n", "range": {"step": 1, "bounds": ["a", "b"]}}',
  '{"field": "n", "range": {"step": 1, "unit": "hour", "bounds": [1, 2]}}', '{"field": "n", "range": {"step": 1, "bounds": [{"$date": "2024-01-01T00:00:00Z"}, {"$date": "2024-01-02T00:00:00Z"}]}}', '{"field": "n", "range": {"step": 1.5, "unit": "hour", "bounds": "full"}}', '{"field": "n", "range": {"step": 1, "unit": "fortnight", "bounds": "full"}}', '{"field": "n", "range": {"step": 1, "unit": 1, "bounds": "full"}}', '{"field": "n", "range": {"step": 1, "bounds": "full", "x": 1}}', '{"field": "n", "x": 1, "range": {"step": 1, "bounds": "full"}}', '{"field": "n", "partitionByFields": "p", "range": {"step": 1, "bounds": "full"}}', '{"field": "n", "partitionByFields": [1], "range": {"step": 1, "bounds": "full"}}', '{"field": "n.a", "partitionByFields": ["n"], "range": {"step": 1, "bounds": "full"}}']) AS s;
SELECT n, pg_temp.try('[{"$densify": {"field": "n", "range": {"step": 1, "bounds": [0, 2]}}}]', n::bson), pg_temp.try('[{"$densify": {"field": "n", "range": {"step": 1, "unit": "day", "bounds": "full"}}}]', n::bson) FROM unnest(ARRAY['[{"n": "x"}]', '[{"n": [1]}]', '[{"n": {"$date": "2024-01-01T00:00:00Z"}}]', '[{"n": {}}]', '[{"n": 1}]']) AS n;
SELECT pg_temp.try('[{"$densify": {"field": "n", "range": {"step": 1.0, "bounds": "full"}}}]', '[{"n": 1e+17}, {"n": 2e+17}]');
-- the functions
SELECT bson_series('1', '2', '0.25'), bson_series('3', '1', '1'), bson_series(NULL, '1', '1');
SELECT bson_series('2147483646', '2147483649', '1');
SELECT bson_series('1', '5', '1', NULL, '{0,1,1.5,2.0,"{\"$numberDecimal\": \"4\"}",NULL,9}'), bson_series('1', '3', '1', NULL, '{}');
-- up to the last date that there is, and the greatest numbers
SELECT u, (SELECT bson_agg(v) FROM bson_series('{"$date": {"$numberLong": "9223372036854775800"}}', '{"$date": {"$numberLong": "9223372036854775807"}}', '7', u) AS v) FROM unnest('{millisecond,second,day,week,month,year}'::text[]) AS u;
SELECT bson_series('9223372036854775806', '9223372036854775807', '1'), bson_series('1e+17', '1e+17', '1.0');
SELECT * FROM pg_temp.run('[{"t": {"$date": {"$numberLong": "9223372036854775807"}}}, {"t": {"$date": {"$numberLong": "9223372036854775804"}}}]', '[{"$densify": {"field": "t", "range": {"step": 2, "unit": "millisecond", "bounds": "full"}}}]');
SELECT bson_range_value('1.5'), bson_range_value(NULL), bson_range_value('{"$date": "2024-01-01T00:00:00Z"}'::bson, 'day');
SELECT bson_range_value('null');
SELECT bson_range_value('1', 'day');
-- bson_bucket: which bucket of ascending boundaries has the value, as width_bucket has it: values and boundaries of all types, constant and not
CREATE TEMP TABLE bucketed AS SELECT n, v::bson AS v FROM unnest(ARRAY['null', NULL, '1', '2', '2.5', '3', '9', '-0.0', '0', '{"$numberDouble": "NaN"}', '{"$numberDouble": "Infinity"}', '{"$numberDouble": "-Infinity"}', '{"$numberDecimal": "2.5"}',
  '{"$numberDecimal": "2.4999999999999999999"}', '{"$numberDecimal": "NaN"}', '{"$numberLong": "9007199254740993"}', '9007199254740992.0', '{"$numberLong": "3"}', '""', '"a"', '{}', '{"a": 2.5}', '[]', '[2.5]', 'true', '{"$date": "2024-01-01T00:00:00Z"}', '{"$minKey": 1}', '{"$maxKey": 1}', '{"$undefined": true}',
  to_bson(repeat('a', 100000))::text]) WITH ORDINALITY AS u(v, n);
SELECT bson_agg(bson_bucket(v, '{1,2.5,9}') ORDER BY n) FROM bucketed;
SELECT b, count(*), count(*) FILTER (WHERE bson_bucket(v, b) IS DISTINCT FROM width_bucket(coalesce(v, 'null'), b) % cardinality(b)) AS differ
  FROM bucketed, unnest(ARRAY['1 2.5 9', '0 2.5', '2.5', '2 {"$numberDecimal":"2.5"} 9007199254740992.0', '2 {"$numberLong":"9007199254740993"}', '{"$numberDouble":"NaN"} -1 3', '{"$numberDouble":"-Infinity"} 3 {"$numberDouble":"Infinity"}', '"" "a" "b"', 'null true', '{} {"a":3}', '[] [3]']) AS t,
  LATERAL (SELECT string_to_array(t, ' ')::bson[] AS b) AS boundaries GROUP BY b ORDER BY b;
-- the same of the value at a path; of arrays as boundaries, too, where an array on the way counts
SELECT count(*) AS cases, count(*) FILTER (WHERE bson_bucket(b, bson_build_object('a', bson_build_object('b', v)), 'a', 'b') IS DISTINCT FROM bson_bucket(v, b) OR bson_bucket('{1,2.5,9}', bson_build_object('a', v), 'a') <> bson_bucket(v, '{1,2.5,9}')) AS differ
  FROM (SELECT n, coalesce(v, 'null') AS v FROM bucketed) AS v, unnest(ARRAY['1 2.5 9', '"" "a" "b"', '{} {"a":3}', '[] [3]']) AS t, LATERAL (SELECT string_to_array(t, ' ')::bson[] AS b) AS boundaries;
SELECT bson_bucket('{1,2}', '{}', 'a'), bson_bucket('{1,2}', NULL, 'a'), bson_bucket('{1,2}', '{"a": 1}', NULL), bson_bucket('{1,2}', '{"a": 1}', VARIADIC NULL), bson_bucket('{1,2}', '{"a": [1]}', 'a', '0'), bson_bucket('{1,2}', '1', VARIADIC '{}'), bson_bucket(NULL, '{"a": 1}', 'a');
SELECT n, v FROM unnest('{"[0, 5]","[[], [5]]","[\"\", \"c\"]","[true, {\"$maxKey\": 1}]"}'::bson[]) WITH ORDINALITY AS b(boundaries, n), pg_temp.run('[{"a": {"b": 3}}, {"a": [{"b": 3}]}, {"a": {"b": [3]}}, {"a": 3}, {"a": {"b": "a"}}, {"a": []}, {}]', bson_build_array(bson_build_object('$bucket', '{"groupBy": "$a.b", "default": "other"}'::bson || bson_build_object('boundaries', boundaries)))) AS v WHERE n <> 4 ORDER BY n, v;
-- a path of more names than a call can have arguments
SELECT n, pg_temp.try(format('[{"$bucket": {"groupBy": "$%1$s", "boundaries": [0, 2], "default": 9, "output": {"sum": {"$sum": "$%1$s"}, "avg": {"$avg": "$%1$s"}}}}]', 'a' || repeat('.a', n - 1))::bson, format('[%s1%s]', repeat('{"a": ', n), repeat('}', n))::bson) FROM unnest('{1,97,98,99,100,120}'::int[]) AS n;
SELECT bson_bucket('1', NULL), bson_bucket(NULL, NULL), bson_bucket('1', '{}'), bson_bucket('1', '{0,NULL,2}'), bson_bucket('1', '{{0,1},{2,3}}');
SELECT * FROM pg_temp.run('[{"n": {"$numberDouble": "NaN"}}, {"n": null}, {}, {"n": [1]}, {"n": {"$numberDecimal": "1.5"}}, {"n": {"$numberLong": "2"}}, {"n": 0}, {"n": "1"}]', '[{"$bucket": {"groupBy": "$n", "boundaries": [0, 1.5, 2, 3], "default": "other"}}]');
