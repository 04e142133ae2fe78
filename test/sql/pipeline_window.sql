-- If this fails, $setWindowFields or $fill calculates something else of neighbouring documents than MongoDB
-- The facts are from src/mongo/db/pipeline/window_function/ and jstests/aggregation/sources/setWindowFields of MongoDB 8.0.
\pset format unaligned
\pset tuples_only on
CREATE FUNCTION pg_temp.run(docs bson, stages bson) RETURNS SETOF bson LANGUAGE sql AS $$ SELECT * FROM bson_aggregate(NULL, bson_build_array(bson_build_object('$documents', docs)) || stages) $$;
-- the results of functions of one field, in the order of _id
CREATE FUNCTION pg_temp.win(docs bson, sort bson, functions bson) RETURNS TABLE (f text, r text) LANGUAGE plpgsql AS $$
DECLARE detail text;
BEGIN
    FOR f IN SELECT value::text FROM bson_array_elements(functions) AS value LOOP
        BEGIN
            r := (SELECT bson_agg(d -> 'r' ORDER BY d -> '_id') FROM pg_temp.run(docs, bson_build_array(bson_build_object('$setWindowFields',
                '{"partitionBy": "$p"}'::bson || bson_build_object('sortBy', sort, 'output', bson_build_object('r', f::bson))))) AS d);
        EXCEPTION WHEN others THEN
            GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
            r := SQLSTATE || ': ' || SQLERRM || coalesce(': ' || nullif(detail, ''), '');
        END;
        RETURN NEXT;
    END LOOP;
END $$;

-- ranges of numbers: by value, of all types, also beyond and beside the current document
SELECT * FROM pg_temp.win('[{"_id": 1, "x": 1, "v": 1}, {"_id": 2, "x": 2.5, "v": 2}, {"_id": 3, "x": 2.5, "v": 4}, {"_id": 4, "x": {"$numberDecimal": "4"}, "v": 8}, {"_id": 5, "x": {"$numberLong": "9"}, "v": 16}, {"_id": 6, "p": 1, "x": -1, "v": 32}]', '{"x": 1}',
  '[{"$sum": "$v", "window": {"range": [-1.5, 1.5]}}, {"$sum": "$v", "window": {"range": [0, 0]}}, {"$sum": "$v", "window": {"range": [1, 5]}}, {"$sum": "$v", "window": {"range": [-5, -1]}}, {"$sum": "$v", "window": {"range": ["unbounded", -1]}}, {"$sum": "$v", "window": {"range": [0, "unbounded"]}}, {"$sum": "$v", "window": {"range": ["unbounded", "unbounded"]}},
    {"$push": "$v", "window": {"range": [-2, 0]}}, {"$avg": "$v", "window": {"range": [{"$subtract": [1, 2]}, {"$numberDecimal": "1"}]}}, {"$count": {}, "window": {"range": [100, 200]}}, {"$max": "$v", "window": {"range": ["current", 100]}}, {"$first": "$v", "window": {"range": [-1.5, 0]}}, {"$last": "$v", "window": {"range": [0, 2]}}]');
-- descending: values of all types, the greatest element of an array, equal numbers of several types, and null beside a missing value
SELECT * FROM pg_temp.win('[{"_id": 1, "x": 5}, {"_id": 2, "x": [1, 7]}, {"_id": 3, "x": {"$numberDecimal": "5.0"}}, {"_id": 4, "x": null}, {"_id": 5}, {"_id": 6, "x": "s"}, {"_id": 7, "x": {"$numberDouble": "NaN"}}, {"_id": 8, "x": []}, {"_id": 9, "x": {"$numberLong": "7"}}, {"_id": 10, "x": {"$date": 0}}, {"_id": 11, "p": 1, "x": 3}, {"_id": 12, "p": 1, "x": 4}]', '{"x": -1}',
  '[{"$rank": {}}, {"$denseRank": {}}, {"$count": {}, "window": {"documents": ["unbounded", -1]}}, {"$shift": {"output": "$x", "by": 1}}, {"$max": "$x", "window": {"documents": [-1, 0]}}]');
-- an array divides nothing, but can be in a document that does
SELECT * FROM pg_temp.win('[{"_id": 1, "p": [1, 2]}, {"_id": 2}]', '{"_id": 1}', '[{"$sum": 1}]');
SELECT pg_temp.run('[{"_id": 1, "p": [1, 2]}, {"_id": 2, "p": 1}, {"_id": 3, "p": [1, 2]}]', bson_build_array(stage)) FROM unnest('{"{\"$setWindowFields\": {\"partitionBy\": {\"p\": \"$p\"}, \"output\": {\"n\": {\"$sum\": 1}}}}",
  "{\"$fill\": {\"partitionByFields\": [\"p\"], \"sortBy\": {\"_id\": 1}, \"output\": {\"n\": {\"value\": 2}}}}"}'::bson[]) AS stage;
\set VERBOSITY sqlstate
SELECT pg_temp.run('[{"_id": 1}]', '[{"$setWindowFields": {"partitionBy": [1], "output": {"n": {"$sum": 1}}}}]');
SELECT pg_temp.run('[{"_id": 1, "p": [1, 2]}]', '[{"$fill": {"partitionBy": "$p", "sortBy": {"_id": 1}, "output": {"n": {"method": "locf"}}}}]');
\set VERBOSITY default
-- ranges of dates
SELECT * FROM pg_temp.win('[{"_id": 1, "x": {"$date": "2024-01-30T00:00:00Z"}, "v": 1}, {"_id": 2, "x": {"$date": "2024-02-29T00:00:00Z"}, "v": 2}, {"_id": 3, "x": {"$date": "2024-02-29T12:00:00Z"}, "v": 4}, {"_id": 4, "x": {"$date": "2024-03-31T00:00:00Z"}, "v": 8}, {"_id": 5, "x": {"$date": "2025-03-31T00:00:00.001Z"}, "v": 16}]', '{"x": 1}',
  '[{"$sum": "$v", "window": {"range": [-1, 0], "unit": "month"}}, {"$sum": "$v", "window": {"range": [-1, 1], "unit": "quarter"}}, {"$sum": "$v", "window": {"range": [-1, 0], "unit": "year"}}, {"$sum": "$v", "window": {"range": ["unbounded", -1], "unit": "week"}}, {"$sum": "$v", "window": {"range": [-31, 0], "unit": "day"}}, {"$sum": "$v", "window": {"range": [-12, 12], "unit": "hour"}}, {"$sum": "$v", "window": {"range": [-720, 0], "unit": "minute"}},
    {"$sum": "$v", "window": {"range": [-43199, 0], "unit": "second"}}, {"$sum": "$v", "window": {"range": [0, 43200000], "unit": "millisecond"}}, {"$sum": "$v", "window": {"range": ["unbounded", "current"], "unit": "day"}}, {"$sum": "$v", "window": {"range": [1, 40], "unit": "day"}}]');
-- what is no number, or no date with a unit, is an error; so is what says nothing
SELECT x, r FROM unnest(ARRAY['null', '"a"', '[1]', '{"$date": "2024-01-01T00:00:00Z"}', '1']) AS x, pg_temp.win(bson_build_array(bson_build_object('x', x::bson)), '{"x": 1}', '[{"$sum": 1, "window": {"range": [-1, 1]}}, {"$sum": 1, "window": {"range": ["unbounded", "current"]}}, {"$sum": 1, "window": {"range": [-1, 1], "unit": "day"}}]');
SELECT * FROM pg_temp.win('[{"y": 1}]', '{"x": 1}', '[{"$sum": 1, "window": {"range": [-1, 1]}}]');
SELECT * FROM pg_temp.win('[{"x": 1}]', '{"x": 1}', '[{"$sum": 1, "window": {"range": [1, -1]}}, {"$sum": 1, "window": {"range": [1]}}, {"$sum": 1, "window": {"range": ["a", 1]}}, {"$sum": 1, "window": {"range": [true, 1]}}, {"$sum": 1, "window": {"range": ["$x", 1]}}, {"$sum": 1, "window": {"range": [-1.5, 1], "unit": "day"}}, {"$sum": 1, "window": {"range": [-1, 1], "unit": "dog"}}, {"$sum": 1, "window": {"range": [-1, 1], "unit": 1}},
  {"$sum": 1, "window": {"unit": "day"}}, {"$sum": 1, "window": {"documents": [-1, 1], "unit": "day"}}, {"$sum": 1, "window": {"documents": [-1, 1], "range": [-1, 1]}}, {"$sum": 1, "window": {"documents": [-1, 1.5]}}, {"$sum": 1, "window": {"x": 1}}, {"$sum": 1, "window": 1}]');
SELECT s, r FROM unnest(ARRAY['{"x": -1}', '{"x": 1, "y": 1}', '{}', 'null']) AS s, pg_temp.win('[{"x": 1}]', s::bson, '[{"$sum": 1, "window": {"range": [-1, 1]}}]');
-- without a sort the documents are as they came
SELECT * FROM pg_temp.run('[{"x": 3}, {"x": 1}, {"x": 2}]', '[{"$sort": {"x": 1}}, {"$setWindowFields": {"sortBy": {}, "output": {"r": {"$push": "$x", "window": {"documents": [-1, 0]}}}}}]');

-- $derivative: of the first and the last document of the window
SELECT * FROM pg_temp.win('[{"_id": 1, "x": 0, "y": 1}, {"_id": 2, "x": 2, "y": 2}, {"_id": 3, "x": 4, "y": {"$numberDecimal": "6.5"}}, {"_id": 4, "x": 4, "y": 5}, {"_id": 5, "p": 1, "x": 1, "y": 1}]', '{"x": 1}',
  '[{"$derivative": {"input": "$y"}, "window": {"documents": [-1, 0]}}, {"$derivative": {"input": "$y"}, "window": {"documents": ["unbounded", "unbounded"]}}, {"$derivative": {"input": "$y"}, "window": {"range": [-2, 0]}}, {"$derivative": {"input": {"$multiply": ["$y", 2]}}, "window": {"documents": [1, 2]}}]');
SELECT * FROM pg_temp.win('[{"_id": 1, "x": {"$date": "2024-01-01T00:00:00Z"}, "y": 0}, {"_id": 2, "x": {"$date": "2024-01-01T00:00:30Z"}, "y": 1.5}, {"_id": 3, "x": {"$date": "2024-01-01T01:00:30Z"}, "y": 1}]', '{"x": 1}',
  '[{"$derivative": {"input": "$y", "unit": "minute"}, "window": {"documents": [-1, 0]}}, {"$derivative": {"input": "$y", "unit": "millisecond"}, "window": {"documents": [0, 1]}}, {"$derivative": {"input": "$y"}, "window": {"documents": [-1, 0]}}, {"$derivative": {"input": "$y", "unit": "month"}, "window": {"documents": [-1, 0]}},
    {"$integral": {"input": "$y", "unit": "minute"}}, {"$integral": {"input": "$y", "unit": "hour"}, "window": {"documents": ["unbounded", "current"]}}, {"$integral": {"input": "$y"}}]');
-- $integral: the area below the line through the points
SELECT * FROM pg_temp.win('[{"_id": 1, "x": 0, "y": 1}, {"_id": 2, "x": 2, "y": 3}, {"_id": 3, "x": 3, "y": {"$numberDecimal": "1"}}, {"_id": 4, "x": 5.5, "y": 2}, {"_id": 5, "p": 1, "x": 1, "y": 1}]', '{"x": 1}',
  '[{"$integral": {"input": "$y"}}, {"$integral": {"input": "$y"}, "window": {"documents": ["unbounded", "current"]}}, {"$integral": {"input": "$y"}, "window": {"documents": [-1, 0]}}, {"$integral": {"input": "$y"}, "window": {"documents": [1, 2]}}, {"$integral": {"input": "$y"}, "window": {"range": [-2, 0]}}]');
SELECT y, r FROM unnest(ARRAY['null', '"a"', '{"$numberDouble": "NaN"}', '{"$numberDouble": "Infinity"}']) AS y, pg_temp.win(bson_build_array('{"_id": 1, "x": 1, "y": 1}'::bson, bson_build_object('_id', 2, 'x', 2, 'y', y::bson), '{"_id": 3, "x": 3, "y": 1}'::bson), '{"x": 1}',
  '[{"$integral": {"input": "$y"}, "window": {"documents": ["unbounded", "current"]}}, {"$derivative": {"input": "$y"}, "window": {"documents": [-1, 0]}}]');
SELECT s, f, r FROM unnest(ARRAY['{"x": 1}', '{"x": -1}', '{"x": 1, "y": 1}', 'null']) AS s, pg_temp.win('[{"x": 1, "y": 1}]', s::bson, '[{"$derivative": {"input": "$y"}}, {"$derivative": {"input": "$y"}, "window": {"documents": [-1, 0]}}, {"$integral": {"input": "$y"}}]');
SELECT * FROM pg_temp.win('[{"x": 1, "y": 1}]', '{"x": 1}', '[{"$derivative": {}, "window": {"documents": [-1, 0]}}, {"$derivative": "$y", "window": {"documents": [-1, 0]}}, {"$derivative": {"input": "$y", "unit": 1}, "window": {"documents": [-1, 0]}}, {"$integral": {"input": "$y", "x": 1}}, {"$integral": {"input": "$y", "unit": "year"}}, {"$integral": {"input": "$y", "unit": "second"}}]');

-- $expMovingAvg: what is no number is passed over; with decimals from the first of them on
SELECT * FROM pg_temp.win('[{"_id": 1, "y": "a"}, {"_id": 2, "y": 13}, {"_id": 3, "y": 15.4}, {"_id": 4}, {"_id": 5, "y": 12}, {"_id": 6, "y": {"$numberDecimal": "1"}}, {"_id": 7, "p": 1, "y": {"$numberLong": "4"}}]', '{"_id": 1}',
  '[{"$expMovingAvg": {"input": "$y", "N": 2}}, {"$expMovingAvg": {"input": "$y", "alpha": 0.75}}, {"$expMovingAvg": {"input": "$y", "N": 1}}, {"$expMovingAvg": {"input": {"$add": ["$_id", 1]}, "alpha": {"$numberDecimal": "0.5"}}}, {"$expMovingAvg": {"input": "$nosuch", "N": 5}}]');
SELECT * FROM pg_temp.win('[{"y": 1}]', '{"y": 1}', '[{"$expMovingAvg": "$y"}, {"$expMovingAvg": {"input": "$y"}}, {"$expMovingAvg": {"N": 1, "alpha": 0.5}}, {"$expMovingAvg": {"input": "$y", "N": 0}}, {"$expMovingAvg": {"input": "$y", "N": 1.5}}, {"$expMovingAvg": {"input": "$y", "N": "1"}}, {"$expMovingAvg": {"input": "$y", "alpha": 1}}, {"$expMovingAvg": {"input": "$y", "alpha": 0}}, {"$expMovingAvg": {"input": "$y", "alpha": "a"}}, {"$expMovingAvg": {"input": "$y", "x": 1}}, {"$expMovingAvg": {"input": "$y", "N": 1}, "window": {"documents": [-1, 0]}}]');
SELECT * FROM pg_temp.win('[{"y": 1}]', NULL, '[{"$expMovingAvg": {"input": "$y", "N": 1}}, {"$linearFill": "$y"}, {"$rank": {}}, {"$shift": {"output": "$y", "by": 1}}]');

-- $linearFill: on the line between the values around, of numbers and dates
SELECT * FROM pg_temp.win('[{"_id": 1, "x": 0}, {"_id": 2, "x": 1, "y": 10}, {"_id": 3, "x": 2, "y": null}, {"_id": 4, "x": 4}, {"_id": 5, "x": 5, "y": {"$numberLong": "2"}}, {"_id": 6, "x": 6.5, "y": {"$undefined": true}}, {"_id": 7, "x": 8, "y": {"$numberDecimal": "5"}}, {"_id": 8, "x": 9}, {"_id": 9, "p": 1, "x": 1}]', '{"x": 1}', '[{"$linearFill": "$y"}, {"$linearFill": {"$multiply": ["$y", 2]}}]');
SELECT * FROM pg_temp.win('[{"_id": 1, "x": 8, "y": 1}, {"_id": 2, "x": 6}, {"_id": 3, "x": 4, "y": 3}]', '{"x": -1}', '[{"$linearFill": "$y"}]');
SELECT * FROM pg_temp.win('[{"_id": 1, "x": {"$date": "2024-01-01T00:00:00Z"}, "y": 1}, {"_id": 2, "x": {"$date": "2024-01-01T06:00:00Z"}}, {"_id": 3, "x": {"$date": "2024-01-02T00:00:00Z"}, "y": 5}]', '{"x": 1}', '[{"$linearFill": "$y"}]');
SELECT d, r FROM unnest(ARRAY['[{"x": 1, "y": 1}, {"x": 1}]', '[{"x": "a", "y": 1}]', '[{"y": 1}]', '[{"x": 1, "y": 1}, {"x": {"$date": "2024-01-01T00:00:00Z"}}]', '[{"x": 1, "y": "a"}]', '[{"x": 1, "y": 1}, {"x": 2}, {"x": 3, "y": []}]', '[{"x": 1, "y": 1}, {"x": 2}, {"x": "a", "y": 1}]']) AS d, pg_temp.win(d::bson, '{"x": 1}', '[{"$linearFill": "$y"}]');
SELECT * FROM pg_temp.win('[{"x": 1}]', '{"x": 1, "y": 1}', '[{"$linearFill": "$y"}]');

-- covariances of pairs of numbers; what is none is passed over
SELECT * FROM pg_temp.win('[{"_id": 1, "x": 1, "y": 2}, {"_id": 2, "x": 2, "y": 4}, {"_id": 3, "x": "a", "y": 9}, {"_id": 4, "x": 4, "y": {"$numberDecimal": "1"}}, {"_id": 5, "p": 1, "x": 5, "y": 5}]', '{"_id": 1}',
  '[{"$covariancePop": ["$x", "$y"]}, {"$covarianceSamp": ["$x", "$y"]}, {"$covariancePop": ["$x", "$y"], "window": {"documents": ["unbounded", "current"]}}, {"$covarianceSamp": ["$x", "$y"], "window": {"documents": [-1, 0]}}, {"$covariancePop": {"$concatArrays": [["$x"], ["$x"]]}, "window": {"documents": [-1, 0]}}, {"$covariancePop": "$x"}, {"$covariancePop": ["$x"]}, {"$covarianceSamp": ["$x", "$y", 1]}]');
SELECT x, r FROM unnest(ARRAY['{"$numberDouble": "NaN"}', '{"$numberDouble": "-Infinity"}', '{"$numberDecimal": "Infinity"}']) AS x, pg_temp.win(bson_build_array('{"_id": 1, "x": 1, "y": 2}'::bson, bson_build_object('_id', 2, 'x', x::bson, 'y', 1), '{"_id": 3, "x": 2, "y": 5}'::bson), '{"_id": 1}', '[{"$covariancePop": ["$x", "$y"], "window": {"documents": ["unbounded", "current"]}}]');

-- $top and its like: sorted within each window
SELECT * FROM pg_temp.win('[{"_id": 1, "x": 3, "y": {"z": 1}}, {"_id": 2, "x": 1}, {"_id": 3, "x": [5, 0], "y": {"z": 0}}, {"_id": 4, "y": {"z": 7}}]', '{"_id": 1}',
  '[{"$top": {"sortBy": {"x": 1}, "output": "$_id"}, "window": {"documents": [-1, 1]}}, {"$bottom": {"sortBy": {"y.z": 1, "_id": 1}, "output": ["$_id", "$$ROOT.x"]}}, {"$topN": {"n": 2, "sortBy": {"x": -1}, "output": "$y.z"}, "window": {"documents": ["unbounded", "current"]}}, {"$bottomN": {"n": {"$add": [1, 1]}, "sortBy": {"x": -1}, "output": "$_id"}, "window": {"documents": [0, 5]}},
    {"$top": {"sortBy": {"x": 1}, "output": "$_id"}, "window": {"documents": [2, 3]}}, {"$topN": {"n": 2, "sortBy": {"x": 1}, "output": "$_id"}, "window": {"documents": [2, 3]}}, {"$bottom": {"sortBy": {"_id": 1}, "output": "$nosuch"}}, {"$topN": {"n": 0, "sortBy": {"x": 1}, "output": "$_id"}}, {"$top": {"sortBy": {"x": 2}, "output": "$_id"}}, {"$topN": {"n": "$_id", "sortBy": {"x": 1}, "output": "$_id"}}]');

-- an array sorts by its least or greatest element; of equal keys the first are kept or, where the window's beginning moves, the last
SELECT w.* FROM unnest(ARRAY['"unbounded", "current"', '"unbounded", "unbounded"', '-4, 0']) AS bounds, pg_temp.win('[{"_id": 1, "k": [5, 1]}, {"_id": 2, "k": 3}, {"_id": 3}, {"_id": 4, "k": []}, {"_id": 5, "k": [2, 2]}, {"_id": 6, "k": 3}, {"_id": 7, "k": "x"}]', '{"_id": 1}', format('[{"$top": {"sortBy": {"k": 1}, "output": "$_id"}, "window": {"documents": [%1$s]}}, {"$bottom": {"sortBy": {"k": 1}, "output": "$_id"}, "window": {"documents": [%1$s]}},
  {"$topN": {"sortBy": {"k": -1}, "output": "$_id", "n": 2}, "window": {"documents": [%1$s]}}, {"$bottomN": {"sortBy": {"k": 1}, "output": "$_id", "n": 2}, "window": {"documents": [%1$s]}}, {"$bottomN": {"sortBy": {"k": -1, "_id": 1}, "output": "$k", "n": 2}, "window": {"documents": [%1$s]}}]', bounds)::bson) AS w;

-- $fill
SELECT * FROM pg_temp.run('[{"_id": 1, "p": 1, "q": {"r": 1}, "t": 1, "v": 1, "w": 4, "u": null}, {"_id": 2, "p": 1, "q": {"r": 1}, "t": 2, "v": null}, {"_id": 3, "p": 1, "q": {"r": 1}, "t": 4, "w": 7}, {"_id": 4, "p": 2, "q": {"r": 1}, "t": 3}, {"_id": 5, "p": 2, "q": {"r": 2}, "t": 5, "w": 1}]',
  '[{"$fill": {"partitionByFields": ["p", "q.r"], "sortBy": {"t": 1}, "output": {"v": {"method": "locf"}, "w": {"method": "linear"}, "u": {"value": {"$add": ["$t", 10]}}}}}, {"$sort": {"_id": 1}}, {"$unset": ["q", "p"]}]');
SELECT * FROM pg_temp.run('[{"_id": 1, "v": 1}, {"_id": 2}, {"_id": 3, "v": 3}]', '[{"$fill": {"output": {"v": {"method": "locf"}}}}]');
SELECT * FROM pg_temp.run('[{"_id": 1, "v": 1}, {"_id": 2}, {"_id": 3, "v": 3}]', '[{"$fill": {"partitionBy": {"x": {"$mod": ["$_id", 2]}}, "sortBy": {"_id": -1}, "output": {"v": {"method": "linear"}}}}, {"$sort": {"_id": 1}}]');

-- in SQL: windows of bson values by numbers and intervals
CREATE TABLE w (i int, d bson);
INSERT INTO w SELECT i, bson_build_object('n', i, 't', timestamptz '2024-01-01 00:00Z' + i * interval '8 hours') FROM generate_series(1, 6) AS i;
SELECT i, count(*) OVER (ORDER BY d -> 'n' RANGE BETWEEN '1.5'::bson PRECEDING AND CURRENT ROW), sum(d -> 'n') OVER (ORDER BY d -> 't' RANGE BETWEEN '1 day'::interval PRECEDING AND '8 hours'::interval FOLLOWING), count(*) OVER (ORDER BY d -> 'n' DESC RANGE BETWEEN '2'::bson PRECEDING AND CURRENT ROW) FROM w ORDER BY i;
SELECT count(*) OVER (ORDER BY d -> 'n' RANGE BETWEEN '-1'::bson PRECEDING AND CURRENT ROW) FROM w;
SELECT count(*) OVER (ORDER BY d -> 't' RANGE BETWEEN '-1 day'::interval PRECEDING AND CURRENT ROW) FROM w;
SELECT count(*) OVER (ORDER BY d RANGE BETWEEN '1'::bson PRECEDING AND CURRENT ROW) FROM w;
SELECT i, bson_derivative(d -> 'n', d -> 'n') OVER w, bson_integral(d -> 'n', d -> 'n', NULL) OVER w, bson_exp_moving_avg(d -> 'n', '0.5') OVER w, bson_linear_fill(d -> 'n', CASE WHEN i IN (1, 5) THEN d -> 'n' END) OVER w FROM w WINDOW w AS (ORDER BY d -> 'n') ORDER BY i;
SELECT bson_covar_pop(d -> 'n', d -> 'n'), bson_covar_samp(d -> 'n', d -> 'n'), bson_covar_samp(d, d), bson_integral(d -> 't', d -> 'n', 'day' ORDER BY i) FROM w;
SELECT bson_exp_moving_avg('1', '2') OVER ();
DROP TABLE w;

-- of large documents only the fields that are read later are sorted; a place is compared as a number, so that the server does not count further
CREATE TABLE wide (data bson);
INSERT INTO wide SELECT bson_build_object('_id', i, 'g', i % 3, 'v', i * 7 % 10, 'o', '{"a": [{"b": 1}]}'::bson, 'pad', (SELECT string_agg(md5(i * k || ''), '') FROM generate_series(1, 20) AS k)) FROM generate_series(1, 50) AS i;
ANALYZE wide;
SELECT bson_pipeline_sql('wide', '[{"$setWindowFields": {"partitionBy": "$g", "sortBy": {"v": -1}, "output": {"place": {"$rank": {}}}}}, {"$match": {"place": {"$gte": 1, "$lte": 2}}}, {"$project": {"o": 1, "place": 1, "_id": 0}}]') \gset
\echo :bson_pipeline_sql
SELECT tail, bson_pipeline_sql('wide', ('[' || stage || tail || ']')::bson) ~ 'bson_project' AS leaves_out,
  (SELECT bson_agg(d ORDER BY d) FROM bson_aggregate('wide', ('[' || stage || tail || ']')::bson) AS d) == (SELECT bson_agg(d ORDER BY d) FROM bson_aggregate('wide', ('[{"$set": {"n": 1}}, {"$unset": "n"}, ' || stage || tail || ']')::bson) AS d) AS same
FROM (VALUES ('{"$setWindowFields": {"partitionBy": "$g", "sortBy": {"v": -1}, "output": {"place": {"$rank": {}}, "o.n": {"$sum": "$v"}}}}')) AS s(stage), unnest(ARRAY[
  '', ', {"$project": {"v": 1}}', ', {"$project": {"_id": 0, "x": "$v", "place": 1, "o": 1}}', ', {"$project": {"pad": 0}}', ', {"$project": {"pad": 0}}, {"$project": {"_id": 1}}', ', {"$match": {"place": 1, "v": {"$gt": 2}}}, {"$project": {"g": 1}}',
  ', {"$group": {"_id": "$g", "a": {"$max": "$place"}, "b": {"$sum": "$v"}}}', ', {"$group": {"_id": null, "t": {"$top": {"sortBy": {"pad": 1}, "output": "$_id"}}}}', ', {"$group": {"_id": {"$getField": "pad"}}}', ', {"$group": {"_id": "$$ROOT.pad"}}',
  ', {"$sort": {"pad": 1}}, {"$skip": 3}, {"$limit": 2}, {"$project": {"_id": 1}}', ', {"$match": {"$expr": {"$gt": ["$v", 3]}}}, {"$count": "n"}', ', {"$match": {"o.a.b": 1}}, {"$count": "n"}', ', {"$set": {"o.x": "$pad"}}, {"$project": {"o": 1}}',
  ', {"$bucket": {"groupBy": "$v", "boundaries": [0, 5, 10]}}', ', {"$sortByCount": "$o.a.b"}', ', {"$unwind": "$o.a"}, {"$count": "n"}', ', {"$addFields": {"pad": 1}}, {"$match": {"pad": 1}}, {"$project": {"pad": 1, "v": 1}}',
  ', {"$project": {"o": {"a": 0}}}, {"$group": {"_id": "$pad"}}', ', {"$project": {"_id": 0, "o": {"a": 1}}}, {"$group": {"_id": "$o"}}', ', {"$project": {"o": {"x": {"$concat": ["$pad", "x"]}}}}']) AS tail;
SELECT * FROM bson_aggregate('wide', '[{"$setWindowFields": {"partitionBy": "$g", "sortBy": {"v": -1}, "output": {"p": {"$denseRank": {}}}}}, {"$match": {"p": {"$lt": 9, "$ne": 1}}}, {"$match": {"p": {"$in": [2, 3.0]}}}, {"$match": {"p": 2}}, {"$match": {"p": {"$gte": -1}, "v": 8}}, {"$project": {"p": 1, "v": 1}}, {"$sort": {"_id": 1}}, {"$limit": 2}]');
-- a view of a window can be made again of what the server says that it is, as pg_dump does
SELECT bson_pipeline_sql('wide', '[{"$setWindowFields": {"sortBy": {"_id": 1}, "output": {"total": {"$sum": "$v"}, "mean": {"$avg": "$v"}}}}, {"$match": {"_id": {"$lte": 2}}}, {"$project": {"total": 1, "mean": 1}}]') AS s \gset
CREATE VIEW wide_view (data) AS :s;
SELECT pg_get_viewdef('wide_view'::regclass) AS s \gset
CREATE VIEW wide_again AS :s
SELECT data FROM wide_again ORDER BY data;
DROP VIEW wide_view, wide_again;
DROP TABLE wide;
