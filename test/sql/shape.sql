-- If this failed, a statement that was prepared once for many filters would answer for another one, or go on without an index that came since.
SET client_min_messages = warning;
CREATE SCHEMA shaped;
CREATE TABLE shaped.item (data bson NOT NULL);
CREATE UNIQUE INDEX ON shaped.item ((data -> '_id'));
INSERT INTO shaped.item SELECT bson_build_object('_id', n, 'a', n % 7, 'b', n % 11, 'tags', '["x", "y"]'::bson) FROM generate_series(1, 2000) AS n;
ANALYZE shaped.item;
-- a shape, without the number that stands for the table's indexes
CREATE FUNCTION pg_temp.shape(filter bson, projection bson DEFAULT NULL, sort bson DEFAULT NULL, "limit" bigint DEFAULT NULL, OUT statement text, OUT parameters integer[], OUT constants integer[])
    LANGUAGE sql AS $$ SELECT regexp_replace(statement, '''-?\d+''::int8', 'SIGNATURE', 'g'), parameters, constants FROM bson_find_shape('shaped.item', filter, projection, sort, NULL, "limit") $$;
\pset format unaligned
SELECT * FROM pg_temp.shape('{"_id": 5}') \gx
SELECT * FROM pg_temp.shape('{"_id": {"$in": [5, "x", null]}, "a": {"$gte": 1.5, "$not": {"$size": 2}}}', '{"tags.$": 1}', '{"_id": -1}', 3) \gx
\pset format aligned
-- what is a constant: not what an operator makes of it, nor NaN, nor a pattern
SELECT filter, constants FROM (VALUES ('{"a": 1}'::bson), ('{"a": {"$gt": 1, "$lt": "x"}}'), ('{"a": {"x": [1, {"y": 2}]}}'), ('{"a": {"$exists": true}}'), ('{"a": {"$mod": [2, 1]}}'),
    ('{"a": {"$numberDouble": "NaN"}}'), ('{"a": {"$numberDecimal": "NaN"}}'), ('{"a": {"$in": [{"$regularExpression": {"pattern": "x", "options": ""}}, 1]}}'),
    ('{"$or": [{"a": 1}, {"$and": [{"b": {"$elemMatch": {"c": 1, "d": {"$ne": 2}}}}]}]}'), ('{"a": {"$elemMatch": {"$gt": 1, "$type": "int"}}}'), ('{"$expr": {"$eq": ["$a", 1]}, "b": 1}'),
    ('{"$comment": "x", "b": 1}'), ('{}'), (NULL)) AS v(filter), LATERAL pg_temp.shape(filter);
-- a filter of more than 500 values has no parameters, one with variables neither
SELECT cardinality(parameters) AS parameters, cardinality(constants) AS constants FROM generate_series(400, 600, 200) AS n, LATERAL bson_find_shape('shaped.item', bson_build_object('a', bson_build_object('$in', (SELECT bson_agg(i) FROM generate_series(1, n) AS i))));
SELECT parameters, constants FROM bson_find_shape('shaped.item', '{"a": 1}', NULL, NULL, NULL, NULL, NULL, '{"v": 1}');
SELECT bson_find_shape(NULL) IS NULL AS find, bson_distinct_shape('shaped.item', NULL, NULL) IS NULL AS "distinct", bson_pipeline_shape('shaped.item', NULL) IS NULL AS pipeline;
-- a prepared statement stops when an index came, became useless or went, and goes on after other changes
SELECT 'PREPARE by_a(bson, bson) AS SELECT count(*) FROM (' || statement || ') AS f' AS prepare FROM bson_find_shape('shaped.item', '{"a": 5}') \gset
:prepare;
EXECUTE by_a('{"a": 3}', '3');
INSERT INTO shaped.item VALUES ('{"_id": 2001, "a": 3}');
ANALYZE shaped.item;
ALTER TABLE shaped.item ADD COLUMN note text;
EXECUTE by_a('{"a": 3}', '3');
CREATE INDEX item_a ON shaped.item ((data -> 'a'));
\set VERBOSITY terse
DO $$ BEGIN EXECUTE 'EXECUTE by_a(''{"a": 3}'', ''3'')'; EXCEPTION WHEN invalid_sql_statement_name THEN RAISE WARNING '%', SQLERRM; END $$;
DEALLOCATE by_a;
SELECT 'PREPARE by_a(bson, bson) AS SELECT count(*) FROM (' || statement || ') AS f' AS prepare FROM bson_find_shape('shaped.item', '{"a": 5}') \gset
:prepare;
EXECUTE by_a('{"a": 3}', '3');
UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'shaped.item_a'::regclass;
DO $$ BEGIN EXECUTE 'EXECUTE by_a(''{"a": 3}'', ''3'')'; EXCEPTION WHEN invalid_sql_statement_name THEN RAISE WARNING '%', SQLERRM; END $$;
UPDATE pg_index SET indisvalid = true WHERE indexrelid = 'shaped.item_a'::regclass;
EXECUTE by_a('{"a": 3}', '3');
DROP INDEX shaped.item_a;
DO $$ BEGIN EXECUTE 'EXECUTE by_a(''{"a": 3}'', ''3'')'; EXCEPTION WHEN invalid_sql_statement_name THEN RAISE WARNING '%', SQLERRM; END $$;
-- every table that a pipeline reads counts
CREATE TABLE shaped.other (data bson);
SELECT 'PREPARE joined AS ' || statement AS prepare, parameters, constants FROM bson_pipeline_shape('shaped.item', '[{"$match": {"_id": {"$lt": 3}}}, {"$lookup": {"from": "shaped.other", "localField": "a", "foreignField": "_id", "as": "o"}}, {"$count": "n"}]') \gset
SELECT :'parameters' AS parameters, :'constants' AS constants;
:prepare;
EXECUTE joined;
CREATE INDEX ON shaped.other ((data -> '_id'));
DO $$ BEGIN EXECUTE 'EXECUTE joined'; EXCEPTION WHEN invalid_sql_statement_name THEN RAISE WARNING '%', SQLERRM; END $$;
SELECT 'PREPARE kinds(bson) AS SELECT count(*) FROM (' || statement || ') AS f' AS prepare FROM bson_distinct_shape('shaped.item', '{"a": 5}', 'b') \gset
:prepare;
EXECUTE kinds('{"a": 1}');
-- the plan uses an index by a parameter, also where it is made once for all values
SET plan_cache_mode = force_generic_plan;
SELECT 'PREPARE one(bson, bson) AS ' || statement AS prepare FROM bson_find_shape('shaped.item', '{"_id": 5}') \gset
:prepare;
EXECUTE one('{"_id": 7}', '7');
CREATE FUNCTION pg_temp.scans() RETURNS boolean LANGUAGE plpgsql AS $$ DECLARE line text; BEGIN FOR line IN EXECUTE 'EXPLAIN EXECUTE one(''{"_id": 7}'', ''7'')' LOOP IF line ~ 'Seq Scan' THEN RETURN true; END IF; END LOOP; RETURN false; END $$;
SELECT pg_temp.scans();
-- a CHECK by which the statement does not look for arrays
CREATE TABLE shaped.checked (data bson, CONSTRAINT c CHECK ((bson_typeof(data -> '_id') <> 'array') IS TRUE));
CREATE INDEX ON shaped.checked ((data -> '_id'));
SELECT statement ~ 'IS NULL' AS looks, 'PREPARE checked(bson) AS ' || statement AS prepare FROM bson_find_shape('shaped.checked', '{"_id": 5}') \gset
:prepare;
EXECUTE checked('5');
-- without types of the parameters, as drivers prepare, they are bson
SELECT 'PREPARE several AS ' || statement AS prepare FROM bson_find_shape('shaped.checked', '{"_id": {"$in": [5, 6]}}') \gset
:prepare;
SELECT parameter_types FROM pg_prepared_statements WHERE name = 'several';
EXECUTE several('5', '7');
ALTER TABLE shaped.checked DROP CONSTRAINT c;
EXECUTE checked('5');  -- ERROR
\echo :looks
SELECT bson_shape_holds(1, 5);  -- ERROR, no such table
-- in a transaction with one snapshot, what it has made stays right
SELECT 'PREPARE inside AS ' || statement AS prepare FROM bson_find_shape('shaped.checked', '{"_id": 5}') \gset
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) FROM bson_find_shape('shaped.checked', '{"a": 5}');
:prepare;
CREATE INDEX ON shaped.checked ((data -> 'a'));
EXECUTE inside('{"_id": 5}', '5');
COMMIT;
EXECUTE inside('{"_id": 5}', '5');  -- ERROR
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) FROM bson_find_shape('shaped.checked', '{"a": 5}');
EXECUTE inside('{"_id": 5}', '5');  -- ERROR, it was made before this transaction
ROLLBACK;
DROP SCHEMA shaped CASCADE;
