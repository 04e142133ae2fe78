-- If this fails, indexes are not what MongoDB's createIndexes asks for, or tables are not listed as collections.
CREATE SCHEMA shop;
CREATE TABLE shop.item (data bson NOT NULL);
CREATE UNIQUE INDEX item__id_ ON shop.item ((data -> '_id'));
CREATE TABLE shop.other (n int);
CREATE TABLE shop.mine (id int, doc bson);
CREATE VIEW shop.cheap AS SELECT data FROM shop.item;
COMMENT ON TABLE shop.item IS E'restored by bson-copy from shop.item\n{"options": {"capped": true}, "indexes": [{"key": {"at": "2dsphere"}, "name": "at_2dsphere"}]}';
COMMENT ON TABLE shop.mine IS 'restored by bson-copy from shop.a.name.with.dots';
COMMENT ON VIEW shop.cheap IS E'restored by bson-copy from shop.cheap\nnot json';

-- one field; several; unique; sparse; partial; a wildcard; hashed; text; a path; a name of its own
SELECT bson_create_index_sql('shop.item', spec) FROM (VALUES
  (1, '{"key": {"price": 1}}'::bson), (2, '{"key": {"city": 1, "age": -1}, "name": "near"}'), (3, '{"key": {"sku": 1}, "unique": true}'),
  (4, '{"key": {"mail": 1}, "unique": true, "sparse": true}'), (5, '{"key": {"a": 1, "b": 1}, "sparse": true, "unique": true}'),
  (6, '{"key": {"n": 1}, "partialFilterExpression": {"n": {"$gt": 5}}, "v": 2}'), (7, '{"key": {"$**": 1}}'), (8, '{"key": {"tags.$**": 1}}'), (9, '{"key": {"sku": "hashed"}}'),
  (10, '{"key": {"title": "text", "body": "text"}, "name": "words"}'), (11, '{"key": {"a.b.c": -1}}'), (12, '{"key": {"Größe ''\"x": 1.0}}'),
  (13, '{"key": {"a.b": -1, "c": 1}, "sparse": true}')) AS v(n, spec) ORDER BY n;
-- no equal
SELECT bson_create_index_sql('shop.item', '{"key": {"at": "2dsphere"}, "unique": true}') IS NULL AS unique_geometry, bson_create_index_sql(NULL, '{"key": {"a": 1}}') IS NULL AS no_table, bson_create_index_sql('-', '{"key": {"a": 1}}') IS NULL AS table_of_no_oid, bson_create_index_sql('shop.item', NULL) IS NULL AS nothing;
-- long paths and many fields are written once, not once for each name
CREATE TEMP TABLE long AS SELECT bson_build_object('key', bson_build_object(substr(repeat('.' || repeat('k', 2499), 800), 2), 1), 'name', 'long') AS path, bson_build_object('key', bson_object_agg('k' || i, 1)) AS fields FROM generate_series(1, 10000) AS i;
SELECT length(bson_create_index_sql('shop.item', path)), (SELECT sum(total_bytes) < 300000000 FROM pg_backend_memory_contexts WHERE path IS NOT NULL) AS small FROM long;
SELECT length(bson_create_index_sql('shop.item', fields)), (SELECT sum(total_bytes) < 300000000 FROM pg_backend_memory_contexts WHERE path IS NOT NULL) AS small FROM long;
SELECT length(bson_pipeline_sql('shop.item', bson_build_array(bson_build_object('$group', bson_build_object('_id', '$' || k))))), (SELECT sum(total_bytes) < 300000000 FROM pg_backend_memory_contexts WHERE path IS NOT NULL) AS small FROM long, bson_object_keys(path -> 'key') AS k;
-- the column of a table that somebody made
SELECT bson_create_index_sql('shop.mine', '{"key": {"a": 1}}');
-- a name of 63 bytes at most
SELECT octet_length(line[1]) FROM regexp_matches(bson_create_index_sql('shop.item', bson_build_object('key', '{"a": 1}'::bson, 'name', repeat('ä', 60))), '^CREATE INDEX "?([^ "]+)"? ON') AS line;
-- errors
SELECT bson_create_index_sql('shop.item', '{"key": {}}');
SELECT bson_create_index_sql('shop.item', '{"name": "x"}');
SELECT bson_create_index_sql('shop.item', '[1]');
SELECT bson_create_index_sql('shop.item', '{"key": {"a": 0}}');
SELECT bson_create_index_sql('shop.item', '{"key": {"a": true}}');
SELECT bson_create_index_sql('shop.item', '{"key": {"a": "btree"}}');
SELECT bson_create_index_sql('shop.item', '{"key": {"a.": 1}}');
SELECT bson_create_index_sql('shop.item', '{"key": {"a": 1}, "name": 5}');
SELECT bson_create_index_sql('shop.item', '{"key": {"a": 1}, "unique": "x"}');
SELECT bson_create_index_sql('shop.item', '{"key": {"a": 1}, "partialFilterExpression": {"$x": 1}}');
SELECT bson_create_index_sql('shop.other', '{"key": {"a": 1}}');

-- run, and listed as asked for
SELECT bson_create_index_sql('shop.item', '{"key": {"price": 1}, "name": "p", "expireAfterSeconds": 60}') AS statements \gset
:statements;
SELECT bson_create_index_sql('shop.item', '{"key": {"sku": 1}, "unique": true}') AS statements \gset
:statements;
SELECT bson_create_index_sql('shop.item', '{"key": {"city": 1, "age": -1}, "name": "near"}') AS statements \gset
:statements;
SELECT * FROM bson_list_indexes('shop.item');
-- a find uses the index of several fields
SET enable_seqscan = off;
CREATE FUNCTION pg_temp.uses(statement text, name text) RETURNS boolean LANGUAGE plpgsql AS $$ DECLARE line text; BEGIN FOR line IN EXECUTE 'EXPLAIN ' || statement LOOP IF strpos(line, name) > 0 THEN RETURN true; END IF; END LOOP; RETURN false; END $$;
SELECT pg_temp.uses(bson_find_sql('shop.item', '{"city": "Oslo"}', NULL, '{"age": -1}', NULL, 10), 'item_near') AS used;
RESET enable_seqscan;
INSERT INTO shop.item VALUES ('{"_id": 1, "sku": "a"}'), ('{"_id": 2}');
INSERT INTO shop.item VALUES ('{"_id": 3}');
SELECT * FROM bson_list_collections('shop');
SELECT bson_collection_note('shop.item'), bson_collection_note('shop.mine'), bson_collection_note('shop.cheap'), bson_collection_note('shop.other');
SELECT count(*) FROM bson_list_collections('nowhere');
SET client_min_messages = warning;
DROP SCHEMA shop CASCADE;

-- who owns a table can write anything as a comment, which is no error for those who list all
SELECT bson_note('{"a": 1}'), bson_note('{"a": {"$numberLong": "1"}}'), bson_note('[1]'), bson_note('1'), bson_note(''), bson_note('{"a": '), bson_note('{"a": {"$date": 5, "x": 1}}'), bson_note(repeat('[', 3000)), bson_note(NULL);
CREATE SCHEMA commented;
CREATE TABLE commented.a (data bson, CONSTRAINT c CHECK (true));
CREATE INDEX i ON commented.a ((data -> 'i'));
COMMENT ON TABLE commented.a IS E'restored by bson-copy from commented.a\n{"options": ';
COMMENT ON CONSTRAINT c ON commented.a IS '{"validator": ';
COMMENT ON INDEX commented.i IS '{"key": {';
CREATE TABLE commented.b (data bson);
COMMENT ON TABLE commented.b IS E'restored by bson-copy from commented.b\n{"options": [5], "indexes": {"a": 1}}';
CREATE TABLE commented.c (data bson);
COMMENT ON TABLE commented.c IS E'restored by bson-copy from commented.c\n{"indexes": [5, {"key": 5}, {"key": {"t": "text"}, "name": "t_text"}]}';
SELECT * FROM bson_list_collections('commented');
SELECT bson_create_index_sql('commented.c', '{"key": {"_id": 1}, "unique": true}') AS statements \gset
:statements;
SELECT r, i.* FROM unnest('{commented.a,commented.b,commented.c}'::regclass[]) AS r, bson_list_indexes(r) AS i;
