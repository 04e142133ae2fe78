-- If this fails, bson_project does not show what MongoDB's find() shows
\pset format unaligned
\pset tuples_only
CREATE FUNCTION pg_temp.try(doc bson, projection bson, query bson DEFAULT NULL) RETURNS text LANGUAGE plpgsql AS $$
DECLARE detail text;
BEGIN
    RETURN bson_project(doc, projection, query);
EXCEPTION WHEN invalid_parameter_value OR feature_not_supported THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
    RETURN SQLSTATE || ': ' || SQLERRM || ': ' || detail;
END $$;
-- included, left out; _id comes by itself
SELECT p, pg_temp.try('{"_id": 1, "a": 1, "b": {"x": 1, "y": {"z": 2}}, "c": null}', p::bson) FROM unnest(ARRAY[
  '{}', '{"a": 1}', '{"c": 1, "a": true}', '{"a": 1, "_id": 0}', '{"_id": 1}', '{"_id": 0}', '{"_id": 1, "a": 0}', '{"a": 0}', '{"a": false, "_id": 0}', '{"a": 0.0}', '{"a": 0.5}', '{"a": {"$numberDecimal": "1E-6000"}}', '{"a": {"$numberDecimal": "0"}}', '{"a": {"$numberDouble": "NaN"}}',
  '{"b.x": 1}', '{"b.x": 0}', '{"b": {"x": 1}}', '{"b": {"y.z": 0}}', '{"b.y": 1, "b.q": 1}', '{"a.x": 1}', '{"a.x": 0}', '{"missing": 1}', '{"b": {"x": 1, "y": {"z": 1}}, "_id": 0}', '{"_id.x": 1}', '{"_id.x": 0}']) AS p;
-- paths lead through arrays, also those that are elements; other elements are left out, or kept
SELECT p, pg_temp.try('{"a": [{"b": 1, "c": 2}, 3, [{"b": 4}, 5, []], {"c": 6}, {"b": [{"d": 7, "e": 8}, 9]}]}', p::bson) FROM unnest(ARRAY['{"a.b": 1}', '{"a.b": 0}', '{"a.b.d": 1}', '{"a.b.d": 0}', '{"a.0": 1}', '{"a.0": 0}']) AS p;
-- $slice
SELECT p, pg_temp.try('{"_id": 1, "a": [1, 2, 3, 4, 5], "b": {"c": [1, 2, 3], "d": 1}, "e": [{"f": [1, 2], "g": 1}, [{"f": [1, 2]}]], "n": 1}', p::bson) FROM unnest(ARRAY[
  '{"a": {"$slice": 2}}', '{"a": {"$slice": -2}}', '{"a": {"$slice": 0}}', '{"a": {"$slice": [1, 2]}}', '{"a": {"$slice": [-2, 1]}}', '{"a": {"$slice": [-9, 2]}}', '{"a": {"$slice": [9, 2]}}', '{"a": {"$slice": 2.9}}', '{"a": {"$slice": 1e300}}', '{"a": {"$slice": -1e300}}', '{"a": {"$slice": {"$numberDouble": "NaN"}}}',
  '{"a": {"$slice": 1}, "n": 1}', '{"a": {"$slice": 1}, "n": 0}', '{"a": {"$slice": 1}, "_id": 1}', '{"a": {"$slice": 1}, "_id": 0}', '{"b.c": {"$slice": 1}}', '{"b.c": {"$slice": 1}, "n": 1}', '{"b": {"c": {"$slice": -1}}}', '{"e.f": {"$slice": 1}}', '{"e.f": {"$slice": 1}, "n": 1}', '{"n": {"$slice": 1}}',
  '{"a": {"$slice": [1, 0]}}', '{"a": {"$slice": [1, -1]}}', '{"a": {"$slice": [1]}}', '{"a": {"$slice": [1, "x"]}}', '{"a": {"$slice": "x"}}', '{"a": {"$slice": ["$a", 1]}}']) AS p;
-- $elemMatch: the first element, behind the fields that are included
SELECT p, pg_temp.try('{"_id": 1, "a": [1, 5, 9], "b": [{"c": 1, "d": 1}, {"c": 2, "d": 2}, {"c": 2, "d": 3}], "e": 1}', p::bson) FROM unnest(ARRAY[
  '{"a": {"$elemMatch": {"$gt": 3}}}', '{"b": {"$elemMatch": {"c": 2}}, "e": 1}', '{"b": {"$elemMatch": {"c": 2, "d": {"$gt": 2}}}, "_id": 0}', '{"b": {"$elemMatch": {"c": 7}}}', '{"e": {"$elemMatch": {"$eq": 1}}}', '{"e": 0, "b": {"$elemMatch": {"c": 1}}}',
  '{"missing": {"$elemMatch": {"c": 1}}}', '{"b": {"$elemMatch": {"c": 1}}, "a": {"$elemMatch": {"$lt": 2}}}', '{"b.c": {"$elemMatch": {"c": 1}}}', '{"b": {"c": {"$elemMatch": {"c": 1}}}}', '{"b": {"$elemMatch": 1}}', '{"a": {"$slice": 1}, "b": {"$elemMatch": {"c": 1}}}']) AS p;
-- the positional $: the element that the query found
SELECT p, q, pg_temp.try('{"_id": 1, "a": [1, 5, 9], "b": [{"c": 1}, 0, {"c": 2, "d": 2}], "e": {"f": [3, 4]}, "g": 1}', p::bson, q::bson) FROM (VALUES
  ('{"a.$": 1}', '{"a": {"$gt": 3}}'), ('{"b.$": 1}', '{"b.c": 2}'), ('{"b.c.$": 1}', '{"b.c": 1}'), ('{"b.c.$": 1}', '{"b.c": 2}'), ('{"e.f.$": 1, "g": 1}', '{"e.f": 4}'), ('{"g.$": 1}', '{"g": 1}'), ('{"a.$": 1, "b": {"$slice": 1}}', '{"a": 9}'),
  ('{"a.$": 1}', '{"g": 1}'), ('{"a.$": 1}', '{"a": 77}'), ('{"a.$": 1}', '{"a": {"$size": 3}}'), ('{"a.$": 1}', NULL), ('{"a.$": 1, "b.$": 1}', '{"a": 1}'), ('{"a.$": 1, "b": {"$elemMatch": {"c": 1}}}', '{"a": 1}'), ('{"b": {"$elemMatch": {"c": 1}}, "a.$": 1}', '{"a": 1}'),
  ('{"a.$": 0}', '{"a": 1}'), ('{"a.$.b": 1}', '{"a": 1}'), ('{"a.$": "x"}', '{"a": 1}'), ('{"a.$": {"$slice": 1}}', '{"a": 1}'), ('{"$": 1}', '{"a": 1}'), ('{".$": 1}', '{"": 1}')) AS v(p, q);
-- what is refused
SELECT p, pg_temp.try('{"a": {"b": 1}}', p::bson) FROM unnest(ARRAY[
  '{"a": 1, "b": 0}', '{"a": 0, "b": 1}', '{"a": 1, "a.b": 1}', '{"a.b": 1, "a": 1}', '{"a": 1, "a": 1}', '{"a.b": 1, "a": {"c": 1}}', '{"": 1}', '{"a..b": 1}', '{"a.": 1}', '{"$a": 1}', '{"a": {}}', '{"a": {"$b": 1, "c": 1}}',
  '{"a": "$b"}', '{"a": null}', '{"a": [1]}', '{"a": {"$add": [1, 2]}}', '{"a": {"$meta": "textScore"}}', '[1]', '1']) AS p;
SELECT pg_temp.try('[1]', '{"a": 1}'), pg_temp.try('1', '{}'), bson_project(NULL, '{}') IS NULL, bson_project('{}', NULL) IS NULL;
-- one call site, another projection and another query at each row
-- one field by a document and by a path with dots (projection_parser.cpp, parseSubObject)
SELECT bson_project('{"b": {"a": 1, "c": 2, "z": 3}}', '{"b": {"a": 1}, "b.c": 1}'), bson_project('{"b": {"a": 1, "c": 2, "z": 3}}', '{"b.c": 1, "b": {"a": 1}}'), bson_project('{"b": {"a": 1, "c": 2, "z": 3}}', '{"b": {"a": 0}, "b.c": 0}');
SELECT bson_project('{"b": {"a": 1}}', '{"b.a": 1, "b": {"a": 1}}');  -- ERROR
-- the position counts in whatever field the path leads to (projection_executor_utils.cpp, applyFindPositionalProjection); $expr and $jsonSchema find none
SELECT d, p, q, bson_project(d::bson, p::bson, q::bson) FROM (VALUES ('{"a": [1, 7], "b": [4, 5]}', '{"b.$": 1}', '{"a": 7}'), ('{"x": 1}', '{"a.$": 1}', '{"x": 1}'), ('{"x": [-1, 1, 2], "a": {"b": {"d": [1, 2], "f": 4}, "e": 1}}', '{"a.b.c.$": 1}', '{"x": {"$gt": 0}}'),
  ('{"x": [1], "a": [{"b": [[[{"c": 1, "d": 2}]]]}]}', '{"a.b.c.$": 1}', '{"x": 1}'), ('{"x": {"y": {"z": [0, 1, 2]}}, "a": [{"b": {"c": [1, 2, 3]}}, {"b": {"c": [4, 5, 6]}}]}', '{"a.b.c.$": 1}', '{"x.y.z": 1}'), ('{"x": {"y": {"z": [0, 1, 2]}}, "a": {"b": {"c": [1, 2, 3]}}}', '{"a.b.c.$": 1}', '{"x.y.z": 1}'),
  ('{"a": [[1, 2], [3, 4]], "b": [[5, 6], [7, 8]]}', '{"b.$": 1}', '{"a": {"$elemMatch": {"$elemMatch": {"$eq": 3}}}}'), ('{"a": [{"p": [1, 2]}, {"p": [5, 6]}], "b": [11, 12]}', '{"b.$": 1}', '{"a": {"$elemMatch": {"p": {"$elemMatch": {"$eq": 6}}}}}')) AS v(d, p, q);
SELECT bson_project('{"b": [4, 5, 6], "c": [7]}', '{"c.$": 1}', '{"b": [4, 5, 6]}');  -- ERROR, none found
SELECT bson_project('{"a": [1, 7], "b": [4]}', '{"b.$": 1}', '{"a": 7}');  -- ERROR, not there
SELECT bson_project('{"a": [[7]]}', '{"a.$": 1}', '{"a": {"$size": 1}}');  -- ERROR, none found
SELECT bson_project('{"a": [1]}', '{"a.$": 1}', '{"a": 1, "$jsonSchema": {}}');  -- ERROR
SELECT bson_project('{"a": [1]}', '{"a.$": 1}', '{"a": 1, "$nor": [{"b": {"$elemMatch": {"$jsonSchema": {}}}}]}');  -- ERROR
SELECT bson_project('{"a": [{"b": 1}]}', '{"a": {"$elemMatch": {"$jsonSchema": {"required": ["b"]}}}}');  -- ERROR
SELECT bson_project('{"a": [1, 2, 3], "b": 1}', p::bson, q::bson) FROM (VALUES ('{"a.$": 1}', '{"a": 1}'), ('{"a.$": 1}', '{"a": 2}'), ('{"b": 1}', '{"a": 2}'), ('{"b": 1}', NULL), ('{"a.$": 1}', '{"a": 3}')) AS v(p, q);
-- references by their names; many fields
SELECT bson_project('{"r": {"$ref": "x", "$id": 1, "y": 2}}', '{"r.$id": 1}');
SELECT bson_project(bson_object_agg('k' || i, i), (SELECT bson_object_agg('k' || i * 7, 1) FROM generate_series(1, 2000) AS i)) = (SELECT bson_object_agg('k' || i * 7, i * 7) FROM generate_series(1, 1428) AS i) AS wide FROM generate_series(1, 10000) AS i;
-- a key that occurs twice counts once: the field behind it is shown, too
SELECT bson_project(d, '{"a": 1, "b": 1}') -> 'b' AS b, bson_project(d, '{"a": 1, "b": 1, "_id": 0}') -> 'b' AS without_id, bson_project(d, '{"a": 0}') -> 'b' AS kept FROM (SELECT '\x23000000105f6964000100000010610001000000106100020000001062000300000000'::bytea::bson) AS v(d);
