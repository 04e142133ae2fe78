-- If this fails, @~, bson_project or bson_update answers another way than MongoDB's server: operators that the other tests name seldom.
-- test/bin/facts counts the facts of each operator in the tables of doc/mongodb.md.
\pset format unaligned
CREATE FUNCTION pg_temp.meets(d bson, q bson) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    RETURN d @~ q;
EXCEPTION WHEN OTHERS THEN
    RETURN sqlstate || ': ' || sqlerrm;
END $$;
SELECT d, q, pg_temp.meets(d::bson, q::bson) AS "comparison, bits, constants: expression_leaf.cpp" FROM (VALUES ('{"a": 5}', '{"a": {"$lte": 5.0}}'), ('{"a": "x"}', '{"a": {"$lte": 5}}'), ('{"a": [7, 4]}', '{"a": {"$lte": 4}}'),
  ('{"a": 5}', '{"a": {"$bitsAnySet": 4}}'), ('{"a": 5}', '{"a": {"$bitsAnySet": [1]}}'), ('{"a": 5.5}', '{"a": {"$bitsAnySet": 1}}'), ('{"a": 5}', '{"a": {"$bitsAnyClear": [0, 1]}}'), ('{"a": 5}', '{"a": {"$bitsAnyClear": 5}}'), ('{"a": "x"}', '{"a": {"$bitsAnyClear": 5}}'),
  ('{}', '{"$alwaysFalse": 1}'), ('{}', '{"$alwaysFalse": 0}'), ('{}', '{"$nor": [{"$alwaysFalse": 1}]}'), ('{}', '{"$alwaysTrue": 1}')) AS v(d, q);
SELECT d, q, pg_temp.meets(d::bson, q::bson) AS "of the document; refused: expression_parser.cpp" FROM (VALUES ('{"a": {"b": 1}}', '{"$jsonSchema": {"required": ["a"]}}'), ('{"a": {"b": 1}}', '{"a": {"$jsonSchema": {"required": ["b"]}}}'), ('{"a": [{"b": 1}]}', '{"a": {"$elemMatch": {"$jsonSchema": {"required": ["b"]}}}}'), ('{}', '{"$jsonSchema": {"$schema": "x"}}'), ('{}', '{"$jsonSchema": 5}'),
  ('{"a": 1}', '{"$expr": {"$lt": ["$a", "$$NOW"]}}'), ('{"a": 1}', '{"$expr": "$$NOW"}'), ('{"a": 1}', '{"$or": [{"$expr": {"$eq": ["$$NOW", 1]}}]}'), ('{}', '{"a": {"$geoWithin": {}}}'), ('{}', '{"a": {"$geoIntersects": {}}}'), ('{}', '{"a": {"$near": [0, 0]}}'), ('{}', '{"a": {"$nearSphere": [0, 0]}}')) AS v(d, q);
SELECT u, bson_update('{"a": [{"b": 1}, {"b": 2}, 3]}', u::bson) AS "a query of $pull" FROM unnest(ARRAY['{"$pull": {"a": {"b": 1}}}', '{"$pull": {"a": 3}}', '{"$pull": {"a": {"$gt": 2}}}']) AS u;
CREATE FUNCTION pg_temp.shown(p bson, q bson) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    RETURN bson_project('{"a": [{"b": 1}], "c": [2]}', p, q);
EXCEPTION WHEN OTHERS THEN
    RETURN sqlstate || ': ' || sqlerrm;
END $$;
SELECT p, q, pg_temp.shown(p::bson, q::bson) AS "elements that are found: projection_parser.cpp" FROM (VALUES ('{"a": {"$elemMatch": {"b": 1}}}', '{}'), ('{"a": {"$elemMatch": {"$expr": true}}}', '{}'), ('{"a": {"$elemMatch": {"$jsonSchema": {}}}}', '{}'), ('{"a": {"$elemMatch": {"$or": [{"$jsonSchema": {}}]}}}', '{}'), ('{"a": {"$elemMatch": {"b": {"$elemMatch": {"$jsonSchema": {}}}}}}', '{}'),
  ('{"a.$": 1}', '{"a.b": 1, "$expr": true}'), ('{"a.$": 1}', '{"$and": [{"a.b": 1}, {"$expr": true}]}'), ('{"c.$": 1}', '{"a.b": 1, "$jsonSchema": {}}'), ('{"c.$": 1}', '{"a.b": 1}')) AS v(p, q);
