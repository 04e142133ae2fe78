-- If this fails, an upsert by the fields of a unique index is refused, or inserts or updates another document than MongoDB
SET client_min_messages = warning;
CREATE TABLE item (data bson NOT NULL);
CREATE UNIQUE INDEX item_id ON item ((data -> '_id'));
CREATE UNIQUE INDEX item_sku ON item ((data -> 'sku'));
CREATE UNIQUE INDEX item_ab ON item ((data -> 'a'), (data -> 'o' -> 'b') DESC, bson_sort_key(data, '{"o.b": 1}'));
CREATE UNIQUE INDEX item_part ON item ((data -> 'part')) WHERE data @~ '{"part": {"$exists": true}}';
CREATE INDEX item_plain ON item ((data -> 'plain'));
CREATE UNIQUE INDEX item_more ON item ((data -> 'more'), (data ->> 'x'));
CREATE UNIQUE INDEX item_sorted ON item ((data -> 'sorted'), bson_sort_key(data, '{"y": 1}'));
SELECT bson_update_sql('item', '{"sku": "s1"}', '{"$inc": {"n": 1}}', '{"upsert": true}');
SELECT bson_update_sql('item', '{"sku": {"$eq": "s1"}}', '{"sku": "s1", "new": true}', '{"upsert": true}');
SELECT bson_update_sql('item', '{"o.b": 2, "a": 1}', '{"$setOnInsert": {"n": 1}}', '{"upsert": true}');
SELECT bson_find_and_modify_sql('item', '{"query": {"sku": "s1"}, "update": {"$inc": {"n": 1}}, "upsert": true, "new": true}');
CREATE FUNCTION pg_temp.up(q bson, u bson, n int DEFAULT 1) RETURNS text LANGUAGE plpgsql AS $$
BEGIN FOR i IN 1..n LOOP EXECUTE bson_update_sql('item', q, u, '{"upsert": true}'); END LOOP;
  RETURN (SELECT string_agg((data - '_id')::text, ' ' ORDER BY data::text) FROM item WHERE data @~ q);
EXCEPTION WHEN others THEN RETURN SQLSTATE || ' ' || SQLERRM; END $$;
SELECT pg_temp.up('{"sku": "s1"}', '{"$inc": {"n": 1}}', 3), pg_temp.up('{"sku": "s2"}', '{"$set": {"sku": "s2", "n": 9}}', 2), pg_temp.up('{"sku": 5}', '{"$setOnInsert": {"first": true}, "$inc": {"n": 1}}', 2), pg_temp.up('{"sku": 5.0}', '{"$inc": {"n": 1}}'), pg_temp.up('{"sku": "r"}', '{"sku": "r", "replaced": 1}', 2);
SELECT pg_temp.up('{"a": 1, "o.b": 2}', '{"$push": {"l": 1}}', 2), pg_temp.up('{"a": 1, "o.b": 3}', '{"$push": {"l": 1}}');
-- refused: what is inserted would not have the value; what an index does not decide
SELECT q, u, pg_temp.up(q::bson, u::bson) FROM (VALUES ('{"sku": "s3"}', '{"$set": {"sku": "other"}}'), ('{"sku": "s3"}', '{"sku": "other"}'), ('{"sku": "s3"}', '{"x": 1}'), ('{"sku": 3}', '{"$inc": {"sku": 1}}'), ('{"sku": "s3"}', '{"$unset": {"sku": 1}}'), ('{"sku": "s3"}', '{"$rename": {"sku": "t"}}'), ('{"sku": "s3"}', '[{"$set": {"x": 1}}]'),
  ('{"sku": null}', '{"$set": {"x": 1}}'), ('{"sku": ["s3"]}', '{"$set": {"x": 1}}'), ('{"sku": {"$gt": 1}}', '{"$set": {"x": 1}}'), ('{"sku": {"$in": ["s3"]}}', '{"$set": {"x": 1}}'), ('{"sku": {"$regularExpression": {"pattern": "a", "options": ""}}}', '{"$set": {"x": 1}}'), ('{"sku": "s3", "n": 1}', '{"$set": {"x": 1}}'), ('{"$and": [{"sku": "s3"}]}', '{"$set": {"x": 1}}'),
  ('{"a": 1}', '{"$set": {"x": 1}}'), ('{"a": 1, "o.b": 2}', '{"$set": {"o": [{"b": 2}]}}'), ('{"part": 1}', '{"$set": {"x": 1}}'), ('{"plain": 1}', '{"$set": {"x": 1}}'), ('{"more": 1}', '{"$set": {"x": 1}}'), ('{}', '{"$set": {"x": 1}}')) AS v(q, u);
-- another column of the index is the sort key of another field: a second document may have the value
SELECT pg_temp.up('{"sorted": 1}', '{"$set": {"y": 5}}'), pg_temp.up('{"sorted": 1}', '{"$set": {"y": 6}}');
-- an array that has the value is found by the filter, but not by the index
INSERT INTO item VALUES ('{"_id": 1, "sku": ["in", "array"]}'), ('{"_id": 2, "sku": "x", "a": 7, "o": [{"b": 8}]}');
SELECT pg_temp.up('{"sku": "in"}', '{"$set": {"x": 1}}'), pg_temp.up('{"a": 7, "o.b": 8}', '{"$set": {"x": 1}}');
-- a CHECK says that there is none
DELETE FROM item;
ALTER TABLE item ADD CHECK (bson_typeof(data -> 'sku') <> 'array'), ADD CHECK ((bson_typeof(data -> '_id') <> 'array') IS TRUE);
SELECT bson_update_sql('item', '{"sku": "s1"}', '{"$inc": {"n": 1}}', '{"upsert": true}');
SELECT pg_temp.up('{"sku": "s1"}', '{"$inc": {"n": 1}}', 2);
DROP TABLE item;
