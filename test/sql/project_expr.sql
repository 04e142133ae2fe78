-- If this fails, bson_project does not calculate fields as MongoDB's find() does
\pset format unaligned
\pset tuples_only
CREATE FUNCTION pg_temp.try(doc bson, projection bson, query bson DEFAULT NULL) RETURNS text LANGUAGE plpgsql AS $$
DECLARE detail text; hint text;
BEGIN
    RETURN bson_project(doc, projection, query);
EXCEPTION WHEN invalid_parameter_value OR feature_not_supported OR statement_too_complex THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN SQLSTATE || ': ' || SQLERRM || ': ' || detail || coalesce(' ' || nullif(hint, ''), '');
END $$;
-- paths, operators, literals: what is no number and no boolean is an expression; new fields come behind, in the projection's order
SELECT p, pg_temp.try('{"_id": 1, "a": 2, "b": 3, "c": {"d": [1, 2]}, "s": "x"}', p::bson) FROM unnest(ARRAY[
  '{"total": {"$add": ["$a", "$b"]}}', '{"x": "$a"}', '{"x": "$c.d"}', '{"x": "a"}', '{"x": ""}', '{"x": null}', '{"x": ["$a", 5, {"y": "$b"}]}', '{"x": {"$literal": 1}}', '{"x": {"$literal": "$a"}}', '{"x": {"$date": 0}}', '{"x": "$$ROOT"}', '{"x": "$$CURRENT.a"}', '{"x": "$$REMOVE"}', '{"x": "$missing"}',
  '{"z": "$a", "y": "$b", "b": 1}', '{"b": 1, "y": "$b", "a": 1}', '{"a": "$b", "b": "$a"}', '{"_id": "$a"}', '{"_id": "$s", "a": 1}', '{"_id": 0, "x": "$_id"}', '{"_id": 1, "x": "$a"}', '{"_id.x": "$a"}', '{"x": {"$slice": ["$c.d", 1]}}', '{"c": {"$slice": [0, null]}}', '{"x": {"$cond": [{"$gt": ["$a", 1]}, "$$REMOVE", 1]}}'
]) AS p;
-- paths with dots and documents within: into what is there, and through arrays; scalars on the way become documents
SELECT p, pg_temp.try('{"_id": 1, "a": {"b": 1, "c": 2}, "l": [{"m": 1, "n": 1}, 5, [{"m": 2}, []], null], "v": 7, "w": 8}', p::bson) FROM unnest(ARRAY[
  '{"a.b": "$v"}', '{"a.x": "$v"}', '{"a": {"x": "$v", "b": 1}}', '{"a.x": "$v", "w": 1, "a.b": 1}', '{"l.x": "$v"}', '{"l.m": "$v", "l.n": 1}', '{"l.x.y": "$v"}', '{"v.x": "$w"}', '{"w": 1, "v.x": "$w"}', '{"q.r": "$w"}', '{"q.r": "$missing"}', '{"q": {"r": {"s": "$w", "t": "$v"}}}', '{"l.m": "$$REMOVE"}', '{"l": {"m": "$l.m"}}', '{"a.b": "$a"}', '{"a": {"$literal": {}}}',
  '{"x.z": 1, "x.y": "$v"}', '{"a.c": 1, "t": "$v", "a.x": "$w"}'
]) AS p;
-- beside $elemMatch, $slice and "$"
SELECT p, q, pg_temp.try('{"_id": 1, "a": [1, 5, 9], "b": [{"c": 1}, {"c": 2}], "v": 7}', p::bson, q::bson) FROM (VALUES
  ('{"x": "$v", "a": {"$elemMatch": {"$gt": 3}}, "y": "$v"}', NULL), ('{"a": {"$elemMatch": {"$gt": 99}}, "y": "$v"}', NULL), ('{"a": {"$slice": 1}, "x": "$a"}', NULL), ('{"b.c": {"$slice": 1}, "b.x": "$v"}', NULL), ('{"a.$": 1, "x": "$v"}', '{"a": 5}'), ('{"b.$": 1, "x": "$b.c"}', '{"b.c": 2}'), ('{"b.c.$": 1, "b.x": "$v"}', '{"b.c": 2}')) AS t(p, q);
-- what is refused
SELECT p, pg_temp.try('{"a": {"b": 1}}', p::bson) FROM unnest(ARRAY[
  '{"a": 0, "x": "$a"}', '{"x": "$a", "b": 0}', '{"a": 0, "x": {"$add": [1]}}', '{"_id": 0, "x": "$a", "y": 0}', '{"x": 1, "x.y": "$a"}', '{"x": "$a", "x.y": 1}', '{"x.y": "$a", "x": "$b"}', '{"a.$": "$b"}', '{"$a": "$b"}', '{"a..b": "$b"}', '{"x": {"$nosuch": 1}}', '{"x": {"$add": [1], "y": 1}}', '{"x": {"y": 1, "$add": [1]}}', '{"x": "$"}', '{"x": "$a..b"}', '{"x": "$$NOW"}', '{"x": "$$nosuch"}', '{"x": {"$rand": {}}}', '{"x": {"$meta": "textScore"}}', '{"x": {"$divide": [1, {"$literal": "y"}]}}', '{"a": {"$elemMatch": {"$expr": true}}}'
]) AS p;
SELECT bson_project('{"a": 0}', '{"x": {"$divide": [1, "$a"]}}');  -- ERROR
-- the same value in every element, which is calculated once; the result may not nest too deeply
SELECT bson_array_length(p -> 'l') AS n, p -> 'l' -> 2999 AS last FROM bson_project((SELECT bson_build_object('l', bson_agg(bson_build_object('i', i))) FROM generate_series(1, 3000) AS i), '{"l.n": {"$size": "$l"}}') AS p;
SELECT left(pg_temp.try((repeat('{"a":', 1020) || '1' || repeat('}', 1020))::bson, '{"x.y.z.z": "$$ROOT"}'), 60), left(pg_temp.try((repeat('{"a":', 1020) || '1' || repeat('}', 1020))::bson, '{"x.y.z.z.z": "$$ROOT"}'), 60);
SELECT length(pg_temp.try((repeat('{"a":', 1024) || '1' || repeat('}', 1024))::bson, bson_build_object('a' || repeat('.a', 150), '$q'))), left(pg_temp.try(bson_build_object('a', (repeat('[', 1023) || '1' || repeat(']', 1023))::bson), '{"a.b": "$q"}'), 60);
-- one call site, other projections
SELECT bson_project('{"a": 1, "b": 2}', p) FROM unnest(ARRAY['{"x": "$a"}', '{"x": "$b"}', '{"a": 1}']::bson[]) AS p;
