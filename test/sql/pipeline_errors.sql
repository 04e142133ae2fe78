-- If this fails, a pipeline that cannot be translated exactly is translated, or refused without saying what is wrong
\pset format unaligned
\pset tuples_only on
CREATE TABLE d (data bson);
CREATE TABLE o (data bson);
CREATE TABLE none (a int);
CREATE TABLE two (a bson, b bson);
CREATE SEQUENCE seq;
CREATE FUNCTION pg_temp.try(pipeline bson, relation text DEFAULT 'd', col name DEFAULT NULL) RETURNS text LANGUAGE plpgsql AS $$
DECLARE detail text; hint text;
BEGIN
    RETURN 'TRANSLATED: ' || bson_pipeline_sql(relation::regclass, pipeline, col);
EXCEPTION WHEN others THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN SQLSTATE || ': ' || SQLERRM || coalesce(': ' || nullif(detail, ''), '') || coalesce(' HINT: ' || nullif(hint, ''), '');
END $$;
-- pipelines and stages
SELECT p, pg_temp.try(p::bson) FROM unnest(ARRAY['{}', '1', '[1]', '[{}]', '[{"$match": {}, "$limit": 1}]', '[{"match": {}}]', '[{"$nosuch": 1}]', '[{"$Match": {}}]', '[{"": 1}]']) AS p;
-- what PostgreSQL does by other means
SELECT p, pg_temp.try(bson_build_array(bson_build_object(p, '{}'::bson))) FROM unnest(ARRAY['$out', '$merge', '$search', '$searchMeta', '$vectorSearch', '$changeStream', '$indexStats', '$collStats', '$planCacheStats', '$currentOp',
  '$listSessions', '$listLocalSessions', '$listSearchIndexes', '$listSampledQueries', '$querySettings', '$queryStats', '$shardedDataDistribution', '$rankFusion', '$changeStreamSplitLargeEvent', '$documents']) AS p;
-- operands
SELECT p, pg_temp.try(p::bson) FROM unnest(ARRAY[
  '[{"$match": 1}]', '[{"$match": {"a": {"$nosuch": 1}}}]', '[{"$match": {"$where": "f()"}}]', '[{"$match": {"$text": {"$search": "x"}}}]', '[{"$match": {"$expr": "$$x"}}]', '[{"$match": {"$expr": {"$rand": {}}}}]', '[{"$match": {"$or": [{"$expr": "$$NOW"}, {"a": {"$nosuch": 1}}]}}]', '[{"$match": {"$or": [{"$expr": "$$NOW"}, 1]}}]',
  '[{"$sort": 1}]', '[{"$sort": {}}]', '[{"$sort": {"a": 2}}]', '[{"$sort": {"a": {"$meta": "textScore"}}}]', '[{"$limit": 0}]', '[{"$limit": -1}]', '[{"$limit": 1.5}]', '[{"$limit": "1"}]', '[{"$skip": -1}]', '[{"$skip": null}]', '[{"$sample": 1}]', '[{"$sample": {}}]', '[{"$sample": {"size": 0}}]', '[{"$sample": {"size": 1, "x": 1}}]',
  '[{"$project": {}}]', '[{"$project": {"a": 1, "b": 0}}]', '[{"$project": {"a.$": 1}}]', '[{"$project": {"a": "$$x"}}]', '[{"$set": {"a": {"$nosuch": 1}}}]', '[{"$set": {"a": {"$function": {}}}}]', '[{"$set": {"a": "$$USER_ROLES"}}]', '[{"$unset": []}]', '[{"$replaceRoot": {}}]', '[{"$replaceRoot": {"newRoot": {}, "x": 1}}]',
  '[{"$unwind": 1}]', '[{"$unwind": "a"}]', '[{"$unwind": "$"}]', '[{"$unwind": "$a..b"}]', '[{"$unwind": "$$a"}]', '[{"$unwind": {}}]', '[{"$unwind": {"path": "$a", "includeArrayIndex": "$i"}}]', '[{"$unwind": {"path": "$a", "includeArrayIndex": ""}}]', '[{"$unwind": {"path": "$a", "preserveNullAndEmptyArrays": 1}}]', '[{"$unwind": {"path": "$a", "x": 1}}]', '[{"$unwind": "$a\u0000b"}]'
]) AS p;
SELECT p, pg_temp.try(p::bson) FROM unnest(ARRAY[
  '[{"$group": 1}]', '[{"$group": {}}]', '[{"$group": {"_id": 1, "a": 1}}]', '[{"$group": {"_id": 1, "a": {}}}]', '[{"$group": {"_id": 1, "a": {"sum": 1}}}]', '[{"$group": {"_id": 1, "a": {"$sum": 1, "$avg": 1}}}]', '[{"$group": {"_id": 1, "a.b": {"$sum": 1}}}]', '[{"$group": {"_id": 1, "$a": {"$sum": 1}}}]', '[{"$group": {"_id": 1, "": {"$sum": 1}}}]', '[{"$group": {"_id": 1, "a": {"$sum": [1, 2]}}}]', '[{"$group": {"_id": 1, "a": {"$nosuch": 1}}}]', '[{"$group": {"_id": "$$x"}}]', '[{"$group": {"_id": 1, "a": {"$sum": "$$x"}}}]', '[{"$group": {"_id": {"$nosuch": 1}}}]',
  '[{"$group": {"_id": 1, "a": {"$count": 1}}}]', '[{"$group": {"_id": 1, "a": {"$accumulator": {}}}}]', '[{"$group": {"_id": 1, "a": {"$firstN": {"input": 1}}}}]', '[{"$group": {"_id": 1, "a": {"$firstN": {"input": 1, "n": 0}}}}]', '[{"$group": {"_id": 1, "a": {"$firstN": {"input": 1, "n": "x"}}}}]', '[{"$group": {"_id": 1, "a": {"$firstN": {"input": 1, "n": 1, "x": 1}}}}]', '[{"$group": {"_id": 1, "a": {"$firstN": 1}}}]', '[{"$group": {"_id": 1, "a": {"$top": {"output": 1}}}}]', '[{"$group": {"_id": 1, "a": {"$top": {"output": 1, "sortBy": 1}}}}]', '[{"$group": {"_id": 1, "a": {"$top": {"output": 1, "sortBy": {"a": 5}}}}}]', '[{"$group": {"_id": 1, "a": {"$bottom": {"output": 1, "sortBy": {}}}}}]', '[{"$group": {"_id": 1, "a": {"$topN": {"output": 1, "sortBy": {"a": 1}, "n": -1}}}}]', '[{"$group": {"_id": 1, "a": {"$median": {"input": 1}}}}]', '[{"$group": {"_id": 1, "a": {"$median": {"input": 1, "method": "exact"}}}}]', '[{"$group": {"_id": 1, "a": {"$percentile": {"input": 1, "method": "approximate", "p": []}}}}]',
  '[{"$count": 1}]', '[{"$count": ""}]', '[{"$count": "$a"}]', '[{"$count": "a.b"}]', '[{"$count": "a\u0000"}]', '[{"$sortByCount": 1}]', '[{"$sortByCount": "a"}]', '[{"$sortByCount": {"a": 1}}]', '[{"$bucket": 1}]', '[{"$bucket": {}}]', '[{"$bucket": {"groupBy": "$a", "boundaries": [1]}}]', '[{"$bucket": {"groupBy": "$a", "boundaries": [1, "a"]}}]', '[{"$bucket": {"groupBy": "$a", "boundaries": [2, 1]}}]', '[{"$bucket": {"groupBy": "$a", "boundaries": [1, "$b"]}}]', '[{"$bucket": {"groupBy": "$a", "boundaries": [1, 5], "default": 3}}]', '[{"$bucket": {"groupBy": 1, "boundaries": [1, 5]}}]', '[{"$bucket": {"groupBy": "$a", "boundaries": [1, 5], "x": 1}}]', '[{"$bucket": {"groupBy": "$a", "boundaries": [1, 5], "output": 1}}]'
]) AS p;
SELECT p, pg_temp.try(p::bson) FROM unnest(ARRAY[
  '[{"$lookup": 1}]', '[{"$lookup": {"from": "o"}}]', '[{"$lookup": {"from": "o", "as": "x"}}]', '[{"$lookup": {"from": "o", "as": "x", "localField": "a"}}]', '[{"$lookup": {"from": "o", "as": "x", "localField": 1, "foreignField": "b"}}]', '[{"$lookup": {"from": "o", "as": "$x", "localField": "a", "foreignField": "b"}}]', '[{"$lookup": {"from": "o", "as": "x", "localField": "$a", "foreignField": "b"}}]', '[{"$lookup": {"from": "o", "as": "x", "localField": "a", "foreignField": "b..c"}}]', '[{"$lookup": {"from": "nosuch", "as": "x", "localField": "a", "foreignField": "b"}}]', '[{"$lookup": {"from": "none", "as": "x", "pipeline": []}}]', '[{"$lookup": {"from": "two", "as": "x", "pipeline": []}}]', '[{"$lookup": {"from": "seq", "as": "x", "pipeline": []}}]', '[{"$lookup": {"from": {"db": "x", "coll": "y"}, "as": "x", "pipeline": []}}]', '[{"$lookup": {"from": "o", "as": "x", "let": {"A": 1}, "pipeline": []}}]', '[{"$lookup": {"from": "o", "as": "x", "let": 1, "pipeline": []}}]', '[{"$lookup": {"from": "o", "as": "x", "let": {"a": "$$b"}, "pipeline": []}}]', '[{"$lookup": {"from": "o", "as": "x", "let": {"a": 1}, "localField": "a", "foreignField": "b"}}]', '[{"$lookup": {"from": "o", "as": "x", "pipeline": [{"$set": {"a": "$$b"}}]}}]', '[{"$lookup": {"from": "o", "as": "x", "pipeline": [{"$out": "x"}]}}]', '[{"$lookup": {"from": "o", "as": "x", "pipeline": 1}}]', '[{"$lookup": {"as": "x", "pipeline": []}}]', '[{"$lookup": {"from": "o", "as": "x", "pipeline": [], "unwinding": 1}}]', '[{"$lookup": {"from": "o\u0000", "as": "x", "pipeline": []}}]', '[{"$lookup": {"from": "o", "as": "x\u0000", "pipeline": []}}]',
  '[{"$graphLookup": 1}]', '[{"$graphLookup": {}}]', '[{"$graphLookup": {"from": "d", "startWith": "$a", "connectFromField": "a", "connectToField": "$b", "as": "x"}}]', '[{"$graphLookup": {"from": "d", "startWith": "$$a", "connectFromField": "a", "connectToField": "b", "as": "x"}}]', '[{"$graphLookup": {"from": "d", "startWith": "$a", "connectFromField": "a", "connectToField": "b", "as": "x", "maxDepth": -1}}]', '[{"$graphLookup": {"from": "d", "startWith": "$a", "connectFromField": "a", "connectToField": "b", "as": "x", "depthField": "$x"}}]', '[{"$graphLookup": {"from": "d", "startWith": "$a", "connectFromField": "a", "connectToField": "b", "as": "x", "restrictSearchWithMatch": 1}}]', '[{"$graphLookup": {"from": "d", "startWith": "$a", "connectFromField": "a", "connectToField": "b", "as": "x", "y": 1}}]', '[{"$graphLookup": {"from": "nosuch", "startWith": "$a", "connectFromField": "a", "connectToField": "b", "as": "x"}}]',
  '[{"$unionWith": 1}]', '[{"$unionWith": {}}]', '[{"$unionWith": "nosuch"}]', '[{"$unionWith": {"coll": "o", "x": 1}}]', '[{"$unionWith": {"coll": 1}}]', '[{"$unionWith": {"pipeline": [{"$match": {}}]}}]', '[{"$facet": 1}]', '[{"$facet": {}}]', '[{"$facet": {"a": 1}}]', '[{"$facet": {"a": [{"$facet": {"b": []}}]}}]', '[{"$facet": {"a": [{"$documents": []}]}}]', '[{"$facet": {"a.b": []}}]', '[{"$facet": {"$a": []}}]', '[{"$facet": {"a": [{"$out": "x"}]}}]', '[{"$match": {}}, {"$documents": []}]'
]) AS p;
SELECT p, pg_temp.try(p::bson) FROM unnest(ARRAY[
  '[{"$setWindowFields": 1}]', '[{"$setWindowFields": {}}]', '[{"$setWindowFields": {"output": 1}}]', '[{"$setWindowFields": {"output": {"a": 1}}}]', '[{"$setWindowFields": {"output": {"a": {}}}}]', '[{"$setWindowFields": {"output": {"a": {"$sum": 1, "$avg": 1}}}}]', '[{"$setWindowFields": {"output": {"a": {"$sum": 1, "x": 1}}}}]', '[{"$setWindowFields": {"output": {"$a": {"$sum": 1}}}}]', '[{"$setWindowFields": {"output": {"a": {"$sum": 1}, "a.b": {"$sum": 1}}}}]', '[{"$setWindowFields": {"output": {"a": {"$nosuch": 1}}}}]', '[{"$setWindowFields": {"output": {}, "x": 1}}]', '[{"$setWindowFields": {"output": {"a": {"$rank": {}}}}}]', '[{"$setWindowFields": {"sortBy": {"a": 1, "b": 1}, "output": {"a": {"$rank": {}}}}}]', '[{"$setWindowFields": {"sortBy": {"a": 1}, "output": {"a": {"$rank": 1}}}}]', '[{"$setWindowFields": {"sortBy": {"a": 1}, "output": {"a": {"$rank": {}, "window": {}}}}}]', '[{"$setWindowFields": {"sortBy": 1, "output": {"a": {"$sum": 1}}}}]',
  '[{"$setWindowFields": {"output": {"a": {"$sum": 1, "window": {"documents": [-1, 1]}}}}}]', '[{"$setWindowFields": {"sortBy": {"a": 1}, "output": {"a": {"$sum": 1, "window": {"documents": [1, -1]}}}}}]', '[{"$setWindowFields": {"sortBy": {"a": 1}, "output": {"a": {"$sum": 1, "window": {"documents": [1.5, 2]}}}}}]', '[{"$setWindowFields": {"sortBy": {"a": 1}, "output": {"a": {"$sum": 1, "window": {"documents": ["x", 2]}}}}}]', '[{"$setWindowFields": {"sortBy": {"a": 1}, "output": {"a": {"$sum": 1, "window": {"documents": [1]}}}}}]', '[{"$setWindowFields": {"sortBy": {"a": 1}, "output": {"a": {"$sum": 1, "window": {"documents": [1, 2], "x": 1}}}}}]', '[{"$setWindowFields": {"sortBy": {"a": -1}, "output": {"a": {"$sum": 1, "window": {"range": [-1, 2]}}}}}]', '[{"$setWindowFields": {"sortBy": {"a": 1, "b": 1}, "output": {"a": {"$sum": 1, "window": {"range": ["unbounded", "current"]}}}}}]', '[{"$setWindowFields": {"sortBy": {"a": 1}, "output": {"a": {"$top": {"output": 1, "sortBy": 1}}}}}]',
  '[{"$setWindowFields": {"sortBy": {"a": 1}, "output": {"a": {"$derivative": {"input": "$a"}}}}}]', '[{"$setWindowFields": {"sortBy": {"a": 1}, "output": {"a": {"$minMaxScaler": {"input": "$a"}}}}}]', '[{"$setWindowFields": {"sortBy": {"a": 1}, "output": {"a": {"$shift": {"by": 1}}}}}]', '[{"$setWindowFields": {"sortBy": {"a": 1}, "output": {"a": {"$shift": {"by": 1.5, "output": 1}}}}}]', '[{"$setWindowFields": {"sortBy": {"a": 1}, "output": {"a": {"$shift": {"by": 1, "output": 1, "default": "$a"}}}}}]', '[{"$setWindowFields": {"sortBy": {"a": 1}, "output": {"a": {"$shift": {"by": 1, "output": 1, "x": 1}}}}}]',
  '[{"$fill": 1}]', '[{"$fill": {}}]', '[{"$fill": {"output": {}}}]', '[{"$fill": {"output": {"a": 1}}}]', '[{"$fill": {"output": {"a": {"value": 1, "method": "locf"}}}}]', '[{"$fill": {"output": {"a": {"method": "x"}}}}]', '[{"$fill": {"output": {"a": {"method": "linear"}}}}]', '[{"$fill": {"sortBy": {"a": 1, "b": 1}, "output": {"a": {"method": "linear"}}}}]', '[{"$fill": {"partitionBy": 1, "partitionByFields": [], "output": {"a": {"value": 1}}}}]', '[{"$fill": {"partitionByFields": ["$a"], "output": {"a": {"value": 1}}}}]', '[{"$fill": {"x": 1, "output": {"a": {"value": 1}}}}]'
]) AS p;
-- what MongoDB refuses, seen by the tests of DocumentDB: inclusions in an _id, $count of "_id", options that are there twice, variables' names, $facet within $facet by another stage, sizes of samples
SELECT p, pg_temp.try(p::bson) FROM unnest(ARRAY[
  '[{"$group": {"_id": {"a": 1}}}]', '[{"$group": {"_id": {"a": "$b", "c": false}}}]', '[{"$count": "_id"}]',
  '[{"$lookup": {"from": "o", "as": "x", "let": {"a-b": 1}, "pipeline": []}}]', '[{"$lookup": {"from": "o", "as": "x", "let": {"a.b": 1}, "pipeline": []}}]', '[{"$lookup": {"from": "o", "as": "x", "let": {"": 1}, "pipeline": []}}]',
  '[{"$lookup": {"from": "o", "as": "x", "localField": "a.$x", "foreignField": "a"}}]', '[{"$lookup": {"from": "o", "as": "x", "localField": "", "foreignField": "a"}}]', '[{"$lookup": {"from": "o", "as": "x", "localField": null, "foreignField": null}}]',
  '[{"$facet": {"a": [{"$lookup": {"from": "o", "as": "x", "pipeline": [{"$facet": {"b": []}}]}}]}}]', '[{"$facet": {"a": [{"$unionWith": {"coll": "o", "pipeline": [{"$facet": {"b": []}}]}}]}}]',
  '[{"$sample": {"size": 0.9}}]', '[{"$sample": {"size": {"$numberDecimal": "0.5"}}}]', '[{"$sample": {"size": {"$numberDouble": "NaN"}}}]', '[{"$sample": {"size": "1"}}]'
]) AS p;
SELECT pg_temp.try(bson_build_array('\x630000000373005b00000003246c6f6f6b7570004d0000000266726f6d00020000006f00026c6f63616c4669656c640002000000610002666f726569676e4669656c6400020000006100026173000200000078000266726f6d00020000006f00000000'::bson -> 's'));
-- relations and columns
SELECT pg_temp.try('[]', 'none'), pg_temp.try('[]', 'two'), pg_temp.try('[]', 'two', 'b'), pg_temp.try('[]', 'two', 'c'), pg_temp.try('[]', 'none', 'a'), pg_temp.try('[]', 'seq'), pg_temp.try('[]', NULL), pg_temp.try('[{"$documents": []}]', NULL), pg_temp.try('[{"$documents": [1]}]', NULL), pg_temp.try('[{"$documents": [{"a": 1}, "x"]}]', NULL);
SELECT bson_pipeline_sql(4294967295::oid::regclass, '[]');
-- names that differ in letter case are different, and a dot may be part of a name or follow a schema's
CREATE TABLE "A.b" (data bson);
SELECT pg_temp.try('[{"$unionWith": "A.b"}]'), pg_temp.try('[{"$unionWith": "public.o"}]'), pg_temp.try('[{"$unionWith": "O"}]'), pg_temp.try('[{"$unionWith": "nosuch.o"}]');
-- limits
SELECT pg_temp.try((SELECT bson_agg('{"$skip": 1}'::bson) FROM generate_series(1, 1000))) ~ '^TRANSLATED', pg_temp.try((SELECT bson_agg('{"$skip": 1}'::bson) FROM generate_series(1, 1001)));
SELECT n, left(pg_temp.try((repeat('[{"$lookup": {"from": "o", "as": "x", "pipeline": ', n) || '[]' || repeat('}}]', n))::bson), 140) FROM unnest(ARRAY[20, 21, 300]) AS n;
SELECT pg_temp.try('[{"$limit": 9223372036854775807}, {"$skip": 9223372036854775807}, {"$skip": 9223372036854775807}]');
-- find
SELECT bson_find_sql('d', '1');
SELECT bson_find_sql('d', '{}', '1');
SELECT bson_find_sql('d', '{}', '{"a.$": 1}');
SELECT bson_find_sql('d', '{}', '{}', '1');
SELECT bson_find_sql('d', '{}', '{}', '{"a": 7}');
SELECT bson_find_sql('d', skip => -1);
SELECT bson_find_sql('d', "limit" => -1);
SELECT bson_find_sql('d', '{"$expr": "$$x"}');
-- functions of a document
SELECT bson_transform('[]', '[]');
SELECT bson_transform('{}', '{}');
SELECT bson_transform('{}', '[{"$match": {}}]');
SELECT bson_transform('{}', '[{"$set": {"a": "$$x"}}]');
SELECT bson_transform('{}', '[{"$set": {"a": "$$x"}}]', '1');
SELECT bson_transform('{}', '[{"$replaceWith": "$a"}]');
SELECT bson_put('1', 'a', '1');
SELECT bson_put('{}', '', '1');
SELECT bson_put('{}', 'a.$b', '1');
SELECT bson_put('{}', repeat('a.', 200) || 'a', '1');
SELECT bson_let('{}', '[]');
SELECT bson_let('{}', '{"1": 1}');
SELECT bson_let('{}', '{"a": 1}', '[]');
SELECT bson_unwind('{}', '"a"');
SELECT bson_unwind('1', '"$a"');
SELECT bson_lookup_query('{}', 'a', '$b');
SELECT bson_lookup_query('{}', '', 'b');
SELECT bson_lookup_values('[]', 'a');
-- errors of single documents come when they are read
SELECT * FROM bson_aggregate(NULL, '[{"$documents": [{"a": 0}]}, {"$set": {"b": {"$divide": [1, "$a"]}}}]');
SELECT * FROM bson_aggregate(NULL, '[{"$documents": 1}]');
DROP TABLE d, o, none, two, "A.b";
DROP SEQUENCE seq;
-- the context names the stages, and shows the statement from the call on, cut
SELECT * FROM bson_aggregate(NULL, '[{"$documents": [{"a": 0}]}, {"$group": {"_id": "$a"}}, {"$sort": {"_id": 1}}, {"$limit": 9}, {"$set": {"x": {"$divide": [1, "$_id"]}}}, {"$match": {"x": 1}}]');
SELECT * FROM bson_aggregate(NULL, '[{"$documents": [{"a": 0}]}, {"$lookup": {"pipeline": [{"$documents": [{"b": 0}]}, {"$group": {"_id": {"$divide": [1, "$b"]}}}, {"$count": "n"}], "as": "x"}}]');
-- a long name is cut between two characters
SELECT bson_pipeline_sql(NULL, ('[{"$documents": []}, {"' || repeat('x', 199) || U&'\00E9' || '": 1}]')::bson);
-- limits
SELECT bson_pipeline_sql(NULL, ('[{"$documents": []}, {"$group": {"_id": null' || string_agg(format(', "f%s": {"$sum": "$a"}', i), '') || '}}]')::bson) FROM generate_series(1, 2001) i;
SELECT bson_pipeline_sql(NULL, ('[{"$documents": []}, {"$facet": {"a": []' || string_agg(format(', "f%s": []', i), '') || '}}]')::bson) FROM generate_series(1, 999) i;

-- MongoDB takes a collection that does not exist for an empty one
CREATE TEMP TABLE there (data bson);
INSERT INTO there VALUES ('{"_id": 1, "x": 1}');
SELECT * FROM bson_aggregate('there', '[{"$lookup": {"from": "nowhere", "localField": "x", "foreignField": "y", "as": "z"}}]');  -- ERROR
SET bson.missing_collections = on;
SELECT * FROM bson_aggregate('there', '[{"$lookup": {"from": "nowhere", "localField": "x", "foreignField": "y", "as": "z"}}]');
SELECT * FROM bson_aggregate('there', '[{"$lookup": {"from": "nowhere", "localField": "x", "foreignField": "_id", "as": "z"}}, {"$unwind": "$z"}]');
SELECT * FROM bson_aggregate('there', '[{"$lookup": {"from": "nowhere", "let": {"x": "$x"}, "pipeline": [{"$match": {"$expr": {"$eq": ["$y", "$$x"]}}}, {"$sort": {"y": 1}}, {"$limit": 1}], "as": "z"}}]');
SELECT * FROM bson_aggregate('there', '[{"$lookup": {"from": "there", "pipeline": [{"$unionWith": "nowhere"}, {"$unionWith": {"coll": "no.where", "pipeline": [{"$count": "n"}]}}], "as": "z"}}]');
SELECT * FROM bson_aggregate('there', '[{"$graphLookup": {"from": "nowhere", "startWith": "$x", "connectFromField": "x", "connectToField": "y", "as": "z", "restrictSearchWithMatch": {"a": 1}}}]');
SELECT * FROM bson_aggregate('there', '[{"$facet": {"f": [{"$unionWith": "nowhere"}, {"$group": {"_id": null, "n": {"$sum": 1}}}]}}]');
-- and a name is of a schema in search_path, or else of a temporary table, not of pg_catalog; it says no schema, and may be as long as MongoDB's
CREATE SCHEMA named;
CREATE TABLE named.pg_class (data bson);
CREATE TABLE named.there (data bson);
CREATE TEMPORARY TABLE pg_type (data bson);
SELECT bson_pipeline_sql(NULL, '[{"$documents": []}, {"$merge": {"into": "named.pg_class"}}]') ~ 'named[.]pg_class' AS other_schema;
INSERT INTO named.pg_class VALUES ('{"_id": 2}');
INSERT INTO pg_temp.pg_type VALUES ('{"_id": 3}');
DO $$ BEGIN EXECUTE format('CREATE TABLE named.%I (data bson)', repeat('n', 54) || '_' || left(md5(repeat('n', 100)), 8)); EXECUTE format('INSERT INTO named.%I VALUES (''{"_id": 4}'')', repeat('n', 54) || '_' || left(md5(repeat('n', 100)), 8)); END $$;
SET search_path = named, public;
SELECT n, (SELECT count(*) FROM bson_aggregate('there', bson_build_array(bson_build_object('$unionWith', n)))) AS count FROM unnest(ARRAY['pg_class', 'pg_type', 'pg_authid', 'named.pg_class', repeat('n', 100)]) AS n;
-- a long name is read as MongoDB's without the setting, too
SET bson.missing_collections = off;
SELECT count(*) FROM bson_aggregate('there', bson_build_array(bson_build_object('$unionWith', repeat('n', 100))));
SET bson.missing_collections = on;
RESET search_path;
-- but not where it is written to
SELECT bson_pipeline_sql('there', '[{"$merge": {"into": "nowhere", "whenNotMatched": "discard"}}]');  -- ERROR
SELECT bson_pipeline_sql('there', '[{"$merge": {"into": "nowhere", "on": "x"}}]');  -- ERROR
RESET bson.missing_collections;
