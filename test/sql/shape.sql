-- If this failed, a statement that was prepared once for many filters would answer for another one, or go on without an index that came since.
SET client_min_messages = warning;
CREATE SCHEMA shaped;
CREATE TABLE shaped.item (data bson NOT NULL);
CREATE UNIQUE INDEX ON shaped.item ((data -> '_id'));
INSERT INTO shaped.item SELECT bson_build_object('_id', n, 'a', n % 7, 'b', n % 11, 'tags', '["x", "y"]'::bson) FROM generate_series(1, 2000) AS n;
ANALYZE shaped.item;
-- a shape, without the number that stands for the table's indexes
CREATE FUNCTION pg_temp.shape(filter bson, projection bson DEFAULT NULL, sort bson DEFAULT NULL, "limit" bigint DEFAULT NULL, OUT statement text, OUT parameters integer[], OUT constants integer[])
    LANGUAGE sql AS $$ SELECT regexp_replace(statement, '''-?\d+''::pg_catalog.int8', 'SIGNATURE', 'g'), parameters, constants FROM bson_find_shape('shaped.item', filter, projection, sort, NULL, "limit") $$;
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
SELECT bson_distinct_shape('shaped.item', NULL, NULL) IS NULL AS "distinct", bson_pipeline_shape('shaped.item', NULL) IS NULL AS pipeline, bson_delete_shape(NULL, '{}') IS NULL AS delete;
-- a table that does not exist has no documents, and its statement, which would not notice that there is one now, is for once
SELECT statement, parameters, constants FROM bson_find_shape(NULL, '{"a": {"$gt": 5}}', '{"a": 1}', '{"b": 1}', 1, 2) \gx
SELECT statement AS nothing FROM bson_distinct_shape(NULL, '{"loc": {"$gt": 5}}', 'b') \gset
SELECT count(*) FROM (:nothing) AS f;
SELECT bson_find_shape(NULL, '{"a": {"$what": 5}}');  -- ERROR
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
-- of a pipeline, the first $match has constants, and not the filters of other stages
CREATE FUNCTION pg_temp.pipeline(pipeline bson, OUT statement text, OUT parameters integer[], OUT constants integer[])
    LANGUAGE sql AS $$ SELECT regexp_replace(statement, '''-?\d+''::pg_catalog.int8', 'SIGNATURE', 'g'), parameters, constants FROM bson_pipeline_shape('shaped.item', pipeline) $$;
\pset format unaligned
SELECT * FROM pg_temp.pipeline('[{"$match": {"_id": {"$gt": 5}, "a": 3}}, {"$match": {"b": {"$lt": 7}}}, {"$unionWith": {"coll": "shaped.item", "pipeline": [{"$match": {"_id": 4}}]}}, {"$match": {"a": 3}}]') \gx
\pset format aligned
SELECT pipeline, parameters, constants FROM (VALUES ('[]'::bson), ('[{"$match": {"a": 1, "b": {"$in": [2, 3]}}}]'), ('[{"$match": {}}, {"$limit": 1}]'), ('[{"$limit": 5}, {"$match": {"a": 1}}]'), ('[{"$match": {"$expr": {"$eq": ["$a", 1]}}}]'),
    ('[{"$match": {"a": 1}}, {"$facet": {"x": [{"$match": {"a": 1}}]}}]')) AS v(pipeline), LATERAL pg_temp.pipeline(pipeline) AS f(statement, parameters, constants);
SELECT parameters, constants FROM bson_pipeline_shape('shaped.item', '[{"$match": {"a": 1}}]', NULL, '{"v": 1}');
-- one statement for all constants gives what each filter and each pipeline gives, whatever indexes there are
CREATE FUNCTION pg_temp.values_of(v bson) RETURNS bson[] LANGUAGE plpgsql AS $$
DECLARE found bson[] := ARRAY[v]; inner_value bson;
BEGIN
    FOR inner_value IN SELECT value FROM bson_each(v) WHERE bson_typeof(v) = 'object' UNION ALL SELECT e FROM bson_array_elements(v) AS e WHERE bson_typeof(v) = 'array' LOOP
        found := found || pg_temp.values_of(inner_value);
    END LOOP;
    RETURN found;
END $$;
CREATE FUNCTION pg_temp.given(statement text, parameters int[], operand bson) RETURNS bson LANGUAGE plpgsql AS $$
DECLARE made text := format('SELECT bson_agg(data ORDER BY data -> ''_id'') FROM (%s) AS f', statement); given bson;
BEGIN
    FOR i IN REVERSE coalesce(cardinality(parameters), 0)..1 LOOP
        made := replace(made, '$' || i, quote_literal((pg_temp.values_of(operand))[parameters[i] + 1]) || '::public.bson');
    END LOOP;
    EXECUTE made INTO given;
    RETURN given;
END $$;
INSERT INTO shaped.item SELECT bson_build_object('_id', n, 'a', ARRAY[n % 7, n % 5], 'b', n % 11) FROM generate_series(4001, 4050) AS n;
DO $do$
DECLARE
    indexes text; form text; x int; y int; shape record; given bson; wanted bson; total int := 0; made int := 0;
BEGIN
    FOREACH indexes IN ARRAY ARRAY[$$(data -> 'a')$$, $$(data -> 'a')|(data -> 'b')$$, $$(data -> 'a'), (data -> 'b')$$, $$(data -> 'a'), (data -> 'b')|(data -> 'b')|(data -> 'tags')$$, $$(data -> 'b'), (data -> 'tags')|(data -> 'a')$$] LOOP
        EXECUTE (SELECT string_agg(format('CREATE INDEX ON shaped.item (%s)', i), ';') FROM unnest(string_to_array(indexes, '|')) AS i);
        FOREACH form IN ARRAY ARRAY['{"a": %s, "b": %s}', '{"b": {"$gt": %2$s}, "a": %1$s}', '{"_id": {"$gte": %s}, "$or": [{"a": %s}, {"b": {"$in": [%1$s, %2$s]}}]}', '{"a": {"$in": [%s, 5]}, "b": {"$lte": %s}, "tags": "x"}',
            '{"$and": [{"a": %s}, {"b": {"$gte": %s, "$lt": 9}}]}', '{"a": {"$ne": %s}, "b": %s}', '{"a": %s, "b": {"$exists": true}, "$or": [{"b": %s}, {"_id": 3}]}', '{"b": %s, "$nor": [{"a": %s}]}'] LOOP
            FOR cut IN 0..1 LOOP
                SELECT * INTO shape FROM bson_find_shape('shaped.item', format(form, 1, 2)::bson, NULL, CASE cut WHEN 1 THEN '{"_id": 1}'::bson END, NULL, CASE cut WHEN 1 THEN 400 ELSE 4000 END);
                made := made + 1;
                FOR x, y IN SELECT p, q FROM unnest('{1,3,6}'::int[], '{4,3,0}'::int[]) AS u(p, q) LOOP
                    given := pg_temp.given(shape.statement, shape.parameters, format(form, x, y)::bson);
                    SELECT bson_agg(data ORDER BY data -> '_id') INTO wanted FROM (SELECT data FROM shaped.item WHERE data @~ format(form, x, y)::bson ORDER BY data -> '_id' LIMIT CASE cut WHEN 1 THEN 400 END) AS d;
                    IF given IS DISTINCT FROM wanted THEN RAISE WARNING '% % % %: % instead of %', indexes, form, x, y, bson_array_length(given), bson_array_length(wanted); END IF;
                    total := total + coalesce(bson_array_length(given), 0);
                END LOOP;
            END LOOP;
            SELECT * INTO shape FROM bson_pipeline_shape('shaped.item', format('[{"$match": %s}, {"$match": {"_id": {"$lt": 60}, "a": {"$ne": 5}}}, {"$lookup": {"from": "shaped.item", "let": {"a": "$a"}, "pipeline": [{"$match": {"_id": 3, "$expr": {"$lte": ["$_id", "$$a"]}}}], "as": "o"}}, {"$sort": {"_id": 1}}, {"$limit": 20}]', format(form, 1, 2))::bson);
            FOR x, y IN SELECT p, q FROM unnest('{3,6}'::int[], '{4,0}'::int[]) AS u(p, q) LOOP
                given := pg_temp.given(shape.statement, shape.parameters, format('[{"$match": %s}]', format(form, x, y))::bson);
                SELECT bson_agg(d) INTO wanted FROM bson_aggregate('shaped.item', format('[{"$match": %s}, {"$match": {"_id": {"$lt": 60}, "a": {"$ne": 5}}}, {"$lookup": {"from": "shaped.item", "let": {"a": "$a"}, "pipeline": [{"$match": {"_id": 3, "$expr": {"$lte": ["$_id", "$$a"]}}}], "as": "o"}}, {"$sort": {"_id": 1}}, {"$limit": 20}]', format(form, x, y))::bson) AS d;
                IF given IS DISTINCT FROM wanted THEN RAISE WARNING 'pipeline % % % %: % instead of %', indexes, form, x, y, given, wanted; END IF;
            END LOOP;
        END LOOP;
        FOR form IN SELECT indexrelid::regclass::text FROM pg_index WHERE indrelid = 'shaped.item'::regclass AND NOT indisunique LOOP
            EXECUTE 'DROP INDEX ' || form;
        END LOOP;
    END LOOP;
    RAISE WARNING '% statements of find found % documents', made, total;
END $do$;
DELETE FROM shaped.item WHERE data -> '_id' > 4000;
SELECT 'PREPARE gone(bson) AS WITH gone AS (' || statement || ' RETURNING 1) SELECT count(*) FROM gone' AS prepare, parameters, constants FROM bson_delete_shape('shaped.item', '{"b": 100}') \gset
SELECT :'parameters' AS parameters, :'constants' AS constants;
:prepare;
INSERT INTO shaped.item VALUES ('{"_id": 3001, "b": 200}'), ('{"_id": 3002, "b": 200}');
EXECUTE gone('{"b": 200}');
EXECUTE gone('{"b": 300}');
CREATE INDEX item_b ON shaped.item ((data -> 'b'));
DO $$ BEGIN EXECUTE 'EXECUTE gone(''{"b": 200}'')'; EXCEPTION WHEN invalid_sql_statement_name THEN RAISE WARNING '%', SQLERRM; END $$;
DROP INDEX shaped.item_b;
-- the statement is the same under another search_path, and of a table that a stage names and that is missing it is for once
SET search_path = shaped, public;
SET bson.missing_collections = on;
SELECT statement ~ 'public[.]bson' AS named, statement AS lacking, coalesce(parameters::text, 'none') AS parameters FROM bson_pipeline_shape('item', '[{"$match": {"_id": 3}}, {"$lookup": {"from": "lacking", "localField": "a", "foreignField": "_id", "as": "o"}}]') \gset
RESET search_path;
RESET bson.missing_collections;
SELECT :'named' AS named, :'parameters' AS parameters;
:lacking;
-- every table that a pipeline reads counts
CREATE TABLE shaped.other (data bson);
SELECT 'PREPARE joined AS ' || statement AS prepare, parameters, constants FROM bson_pipeline_shape('shaped.item', '[{"$match": {"_id": {"$lt": 3}}}, {"$lookup": {"from": "shaped.other", "localField": "a", "foreignField": "_id", "as": "o"}}, {"$count": "n"}]') \gset
SELECT :'parameters' AS parameters, :'constants' AS constants;
:prepare;
EXECUTE joined('{"_id": {"$lt": 3}}', '3');
CREATE INDEX ON shaped.other ((data -> '_id'));
DO $$ BEGIN EXECUTE 'EXECUTE joined(''{"_id": {"$lt": 3}}'', ''3'')'; EXCEPTION WHEN invalid_sql_statement_name THEN RAISE WARNING '%', SQLERRM; END $$;
SELECT 'PREPARE kinds(bson) AS SELECT count(*) FROM (' || statement || ') AS f' AS prepare FROM bson_distinct_shape('shaped.item', '{"a": 5}', 'b') \gset
:prepare;
EXECUTE kinds('{"a": 1}');
-- the plan uses an index by a parameter, also where it is made once for all values, and does without the check
SET plan_cache_mode = force_generic_plan;
SELECT 'PREPARE one(bson, bson) AS ' || statement AS prepare FROM bson_find_shape('shaped.item', '{"_id": 5}') \gset
:prepare;
EXECUTE one('{"_id": 7}', '7');
CREATE FUNCTION pg_temp.scans() RETURNS boolean LANGUAGE plpgsql AS $$ DECLARE line text; BEGIN FOR line IN EXECUTE 'EXPLAIN EXECUTE one(''{"_id": 7}'', ''7'')' LOOP IF line ~ 'Seq Scan|shape_holds' THEN RETURN true; END IF; END LOOP; RETURN false; END $$;
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
