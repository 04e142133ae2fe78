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
