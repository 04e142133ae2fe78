-- If this fails, an update by a pipeline does not do what MongoDB's does
\pset format unaligned
\pset tuples_only
CREATE FUNCTION pg_temp.try(doc bson, update bson) RETURNS text LANGUAGE plpgsql AS $$
DECLARE detail text; hint text;
BEGIN
    RETURN bson_update(doc, update);
EXCEPTION WHEN invalid_parameter_value OR feature_not_supported OR statement_too_complex THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN SQLSTATE || ': ' || SQLERRM || ': ' || detail || coalesce(' ' || nullif(hint, ''), '');
END $$;
-- $set, $addFields: fields keep their places, new ones come behind, in the order of the stage; all see the document before the stage
SELECT u, pg_temp.try('{"_id": 1, "a": 2, "b": 3, "c": {"d": 1}, "l": [{"m": 1}, 5, [{"m": 2}, []]]}', u::bson) FROM unnest(ARRAY[
  '[]', '[{"$set": {}}]', '[{"$set": {"x": {"$add": ["$a", "$b"]}}}]', '[{"$addFields": {"x": 1}}]', '[{"$set": {"a": "$b", "b": "$a"}}]', '[{"$set": {"z": 1, "y": 2, "a": 0}}]', '[{"$set": {"a": "$$REMOVE"}}]', '[{"$set": {"a": "$missing"}}]', '[{"$set": {"c.d": "$a", "c.e": "$b"}}]', '[{"$set": {"c": {"e": 1}}}]', '[{"$set": {"c": {"$literal": {"e": 1}}}}]', '[{"$set": {"c": {}}}]',
  '[{"$set": {"a.x": 1}}]', '[{"$set": {"x.y.z": 1}}]', '[{"$set": {"l.m": "$a"}}]', '[{"$set": {"l.n": {"$size": "$l"}}}]', '[{"$set": {"l.0": 1}}]', '[{"$set": {"x": true, "y": false, "z": [1, "$a"]}}]', '[{"$set": {"c.d": "$$REMOVE"}}]', '[{"$set": {"c": {"x": {"y": "$a"}}, "c.z": 2}}]', '[{"$set": {"x": "$$ROOT"}}]', '[{"$set": {"_id": 1, "x": 1}}]', '[{"$set": {"_id": 1.0}}]',
  '[{"$set": {"x": 1}}, {"$set": {"y": "$x"}}, {"$unset": "x"}]'
]) AS u;
-- $unset, $project, $replaceWith, $replaceRoot: the _id stays, and comes first
SELECT u, pg_temp.try('{"_id": 1, "a": 2, "b": 3, "c": {"d": 1, "e": 2}, "l": [{"m": 1, "n": 2}, 5]}', u::bson) FROM unnest(ARRAY[
  '[{"$unset": "a"}]', '[{"$unset": ["a", "c.d", "l.m", "nosuch"]}]', '[{"$unset": "_id"}]', '[{"$project": {"a": 1}}]', '[{"$project": {"a": 1, "_id": 0}}]', '[{"$project": {"a": 0, "l.m": 0}}]', '[{"$project": {"x": "$a", "c.d": 1}}]', '[{"$project": {"x": {"$slice": ["$l", 1]}}}]', '[{"$project": {"a": {"$literal": 5}}}]',
  '[{"$replaceWith": "$c"}]', '[{"$replaceRoot": {"newRoot": "$c"}}]', '[{"$replaceWith": {"x": "$a", "_id": 1}}]', '[{"$replaceWith": {"$mergeObjects": ["$c", {"f": "$b"}]}}]', '[{"$replaceWith": {}}]', '[{"$replaceWith": {"$literal": {"": {"$minKey": 1}}}}]', '[{"$project": {"_id": 1}}]'
]) AS u;
-- what is refused
SELECT u, pg_temp.try('{"_id": 1, "a": 2}', u::bson) FROM unnest(ARRAY[
  '[{"$set": {"_id": 2}}]', '[{"$set": {"_id.x": 2}}]', '[{"$replaceWith": {"_id": 2}}]', '[{"$replaceWith": "$a"}]', '[{"$replaceWith": "$nosuch"}]', '[{"$replaceWith": []}]', '[{"$replaceRoot": "$a"}]', '[{"$replaceRoot": {"newRoot": {}, "x": 1}}]', '[{"$replaceRoot": {}}]', '[{"$set": 1}]', '[{"$set": []}]', '[{"$unset": 1}]', '[{"$unset": []}]', '[{"$unset": ["a", 1]}]', '[{"$unset": ""}]', '[{"$unset": "$a"}]', '[{"$unset": "a\u0000b"}]', '[{"$unset": ["a", "a.b"]}]', '[{"$project": {}}]', '[{"$project": {"a": 1, "b": 0}}]', '[{"$project": {"a.$": 1}}]', '[{"$project": {"a": {"$elemMatch": {"b": 1}}}}]', '[{"$project": {"a": {"$slice": 1}}}]',
  '[{"$set": {"a": 1, "a.b": 2}}]', '[{"$set": {"a": {"b.c": 1}}}]', '[{"$set": {"a": {"$add": [1], "b": 1}}}]', '[{"$set": {"a": {"b": 1, "$add": [1]}}}]', '[{"$set": {"$a": 1}}]', '[{"$set": {"": 1}}]', '[{"$set": {"a": {"b": 1}, "a.b": 2}}]', '[{"$set": {"a": "$$nosuch"}}]', '[{"$match": {"a": 1}}]', '[{"$group": {"_id": 1}}]', '[{"$set": {"a": 1}, "$unset": "b"}]', '[{}]', '[1]', '1'
]) AS u;
-- the time is the transaction's for bson_update, and the argument's for bson_apply
SELECT bson_update('{"a": 1}', '[{"$set": {"at": "$$NOW"}}]') -> 'at' = to_bson(now());
SELECT bson_apply('{"a": 1}', '[{"$set": {"at": "$$NOW", "later": {"$add": ["$$NOW", 1000]}}}]', at => '2024-01-02 03:04:05Z');
SELECT bson_apply('{"a": 1}', '[{"$set": {"at": "$$NOW"}}]');  -- ERROR
SELECT bson_apply('{"a": 1}', '[{"$set": {"b": {"$add": ["$a", 1]}}}]');
-- upserts: the fields that the query compares, and a new _id
SELECT bson_upsert('{"_id": 7, "n": {"$gt": 3}, "a.b": 2}', '[{"$set": {"x": {"$ifNull": ["$n", 0]}, "y": "$a.b"}}]');
SELECT bson_upsert('{"n": 1}', '[{"$replaceWith": {"x": "$n"}}]') - '_id', bson_typeof(bson_upsert('{"n": 1}', '[{"$unset": "n"}]') -> '_id');
SELECT bson_upsert('{"_id": 7}', '[{"$set": {"_id": 8}}]');  -- ERROR
SELECT bson_upsert('{"n": 7}', '[{"$set": {"_id": [8]}}]');  -- ERROR
-- no array filters; a query only matters where there is a "$"
SELECT bson_update('{"a": 1}', '[{"$set": {"a": 2}}]', '{"a": 1}', '[]');
SELECT bson_update('{"a": 1}', '[{"$set": {"a": 2}}]', NULL, '[{"x": 1}]');  -- ERROR
-- a document without _id stays without; where nothing changes the stored value is returned
SELECT bson_update('{"a": 1}', '[{"$project": {"a": 1}}]'), bson_update('{"a": 1}', '[{"$set": {"_id": 5}}]');
CREATE TEMP TABLE stored AS SELECT bson_build_object('_id', 1, 'a', repeat('x', 3000) || i) AS d FROM generate_series(1, 1) AS i;
SELECT pg_column_size(bson_update(d, '[{"$set": {"_id": 1}}]')) = pg_column_size(d) FROM stored;
-- one call site, other pipelines; a document root alone can be updated
SELECT bson_update('{"a": 1}', u) FROM unnest(ARRAY['[{"$set": {"b": 1}}]', '[{"$set": {"b": "$a"}}, {"$unset": "a"}]', '{"$set": {"b": 3}}']::bson[]) AS u;
SELECT bson_update('[1]', '[{"$set": {"b": 1}}]');  -- ERROR
-- many stages, and many fields
SELECT bson_update('{"n": 0}', (SELECT bson_agg('{"$set": {"n": {"$add": ["$n", 1]}}}'::bson) FROM generate_series(1, 1000) AS i));
SELECT bson_update('{"n": 0}', (SELECT bson_agg('{"$set": {"n": 1}}'::bson) FROM generate_series(1, 1001) AS i));  -- ERROR
SELECT bson_update(d, bson_build_array(bson_build_object('$set', d))) = d FROM (SELECT bson_object_agg('k' || i, i) AS d FROM generate_series(1, 5000) AS i) AS s;
