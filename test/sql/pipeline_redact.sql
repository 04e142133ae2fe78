-- If this fails, $redact shows a level of a document that its expression leaves out
-- The facts are from src/mongo/db/pipeline/document_source_redact.cpp and jstests/aggregation of MongoDB 8.0.
\pset format unaligned
\pset tuples_only on
CREATE TABLE d (data bson);
INSERT INTO d VALUES
  ('{"_id": 1, "level": 1, "text": "a", "in": {"level": 3, "deep": {"level": 1}}, "list": [{"level": 2, "n": 1}, {"level": 5}, 7, [{"level": 9}, {"n": 2}], {"x": {"level": 6}}]}'),
  ('{"_id": 2, "level": 4, "in": {"level": 1}}'),
  ('{"_id": 3, "in": {"level": null}}'),
  ('{"_id": 4, "level": [1, 2], "in": {"level": "5", "sub": []}}');
-- a level that is left out is not looked into; empty documents and arrays stay; elements of arrays move up
SELECT * FROM bson_aggregate('d', '[{"$redact": {"$cond": [{"$gt": [{"$ifNull": ["$level", 0]}, 2]}, "$$PRUNE", "$$DESCEND"]}}, {"$sort": {"_id": 1}}]');
-- nor is one that is kept
SELECT * FROM bson_aggregate('d', '[{"$redact": {"$switch": {"branches": [{"case": {"$eq": ["$level", 1]}, "then": "$$DESCEND"}, {"case": {"$eq": ["$level", 3]}, "then": "$$KEEP"}], "default": "$$PRUNE"}}}]');
SELECT * FROM bson_aggregate('d', '[{"$redact": "$$PRUNE"}]');
SELECT count(*) FROM bson_aggregate('d', '[{"$redact": "$$KEEP"}]');
-- paths begin at the level, $$ROOT is the whole document, $$CURRENT the level, also in operators with variables of their own
SELECT * FROM bson_aggregate('d', '[{"$match": {"_id": {"$lt": 3}}}, {"$redact": {"$cond": [{"$gt": ["$level", "$$ROOT.level"]}, "$$PRUNE", "$$DESCEND"]}}, {"$sort": {"_id": 1}}, {"$limit": 2}, {"$project": {"list": 0}}]');
SELECT * FROM bson_aggregate('d', '[{"$match": {"_id": 1}}, {"$redact": {"$let": {"vars": {"l": "$$CURRENT.level"}, "in": {"$cond": [{"$in": ["$$l", [1, 2, 3]]}, "$$DESCEND", "$$PRUNE"]}}}}]');
SELECT * FROM bson_aggregate('d', '[{"$limit": 1}, {"$redact": {"$cond": [{"$gt": ["$$NOW", {"$toDate": "2000-01-01"}]}, "$$PRUNE", "$$KEEP"]}}, {"$count": "n"}]');
SELECT * FROM bson_aggregate('d', '[{"$match": {"_id": 2}}, {"$lookup": {"from": "d", "let": {"most": "$level"}, "pipeline": [{"$redact": {"$cond": [{"$gte": ["$level", "$$most"]}, "$$PRUNE", "$$DESCEND"]}}, {"$sort": {"_id": 1}}, {"$project": {"list": 0}}], "as": "f"}}, {"$replaceWith": {"f": "$f"}}]');
-- after other stages, and before
SELECT * FROM bson_aggregate('d', '[{"$sort": {"_id": -1}}, {"$limit": 2}, {"$unset": "in"}, {"$redact": {"$cond": ["$level", "$$KEEP", "$$PRUNE"]}}, {"$set": {"n": 1}}]');
SELECT * FROM bson_aggregate('d', '[{"$unwind": "$list"}, {"$redact": {"$cond": [{"$eq": ["$level", 1]}, "$$DESCEND", "$$PRUNE"]}}, {"$group": {"_id": "$_id", "n": {"$sum": 1}}}]');
-- the function
SELECT bson_redact('{"a": {"secret": true, "b": 1}, "c": [1, {"secret": true}]}', '{"$cond": ["$secret", "$$PRUNE", "$$DESCEND"]}');
SELECT bson_redact('{"a": 1}', '"$$PRUNE"') IS NULL, bson_redact(NULL, '"$$KEEP"') IS NULL, bson_redact('{}', NULL) IS NULL, bson_redact('{"a": {"v": 2}}', '{"$cond": [{"$gt": ["$v", "$$most"]}, "$$PRUNE", "$$DESCEND"]}', '{"most": 1}');
-- what says something else is an error, where it is asked
CREATE FUNCTION pg_temp.try(expression bson) RETURNS text LANGUAGE plpgsql AS $f$
DECLARE detail text;
BEGIN
    RETURN bson_redact('{"_id": 1, "keep": true, "name": "$$KEEP", "in": {"bad": 1}}', expression);
EXCEPTION WHEN others THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
    RETURN SQLSTATE || ': ' || SQLERRM || coalesce(': ' || nullif(detail, ''), '');
END $f$;
SELECT e, pg_temp.try(e::bson) FROM unnest(ARRAY['null', '"$nosuch"', '"KEEP"', '"$name"', '{"$literal": "$$KEEP"}', '["$$KEEP"]', '{}', '7', '"$$ROOT"', '"$$CURRENT"', '"$$REMOVE"', '"$$keep"', '"$$NOSUCH"', '{"$cond": ["$keep", "$$DESCEND", "$bad"]}', '{"$cond": ["$keep", "$$KEEP", "$bad"]}', '{"$nosuch": 1}']) AS e;
SELECT bson_redact('1', '"$$KEEP"');
-- only in $redact
SELECT bson_eval('{}', '"$$PRUNE"');
DROP TABLE d;
