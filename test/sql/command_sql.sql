-- If this fails, a statement that stands for a command of MongoDB writes or finds something else, or takes what a document contains for SQL.
SET client_min_messages = warning;
CREATE TABLE person (data bson);
CREATE UNIQUE INDEX ON person ((data -> '_id'));
INSERT INTO person VALUES ('{"_id": 1, "name": "Ada", "city": "London", "n": 1}'), ('{"_id": 2, "name": "Bob", "city": ["Oslo", "Rome"], "n": 2}'), ('{"_id": 3, "name": "Eve", "city": "Oslo", "n": 3}'), ('{"_id": 4, "name": "Dan", "c": [{"d": 1}, {"d": [2, [3]]}]}');
\pset format unaligned
\pset tuples_only on
-- update: one document by its _id, one of those found, the first in an order, all
SELECT bson_update_sql('person', '{"_id": 1, "city": "London"}', '{"$inc": {"n": 1}}') \gset
\echo :bson_update_sql
:bson_update_sql RETURNING data;
SELECT bson_update_sql('person', '{"city": "Oslo", "n": {"$gt": 2}}', '{"$set": {"found": true}}') \gset
\echo :bson_update_sql
:bson_update_sql RETURNING data;
SELECT bson_update_sql('person', '{"city": "Oslo"}', '{"$inc": {"n": 1}}', '{"sort": {"n": -1}}') \gset
\echo :bson_update_sql
:bson_update_sql RETURNING data;
SELECT bson_update_sql('person', '{"city": "Oslo"}', '{"$set": {"city.$": "x"}}', '{"multi": false, "sort": {"_id": 1}}') \gset
:bson_update_sql RETURNING data;
SELECT bson_update_sql('person', '{}', '{"$set": {"c.$[e].f": 1}}', '{"multi": true, "arrayFilters": [{"e.d": 1}]}') \gset
\echo :bson_update_sql
SELECT bson_update_sql('person', '{"_id": 4}', '{"$set": {"c.$[e].f": 1}}', '{"arrayFilters": [{"e.d": 1}]}') \gset
:bson_update_sql RETURNING data;
SELECT bson_update_sql('person', '{"_id": 3}', '{"name": "Eve", "n": 9}') \gset
:bson_update_sql RETURNING data;
SELECT bson_update_sql('person', '{"_id": 3}', '[{"$set": {"twice": {"$multiply": ["$n", 2]}}}]') \gset
:bson_update_sql RETURNING data;
-- an upsert: inserts, then updates
SELECT bson_update_sql('person', '{"_id": 7}', '{"$inc": {"n": 1}, "$setOnInsert": {"new": true}}', '{"upsert": true}') \gset
\echo :bson_update_sql
:bson_update_sql RETURNING data;
:bson_update_sql RETURNING data;
-- by an _id that is null or a document: inserts, then updates
SELECT bson_update_sql('person', '{"_id": null}', '{"$inc": {"n": 1}}', '{"upsert": true}') \gset
:bson_update_sql RETURNING data;
:bson_update_sql RETURNING data;
SELECT bson_update_sql('person', '{"_id": {"a": 1}}', '{"$inc": {"n": 1}}', '{"upsert": true}') \gset
:bson_update_sql RETURNING data;
:bson_update_sql RETURNING data;
DELETE FROM person WHERE bson_typeof(data -> '_id') IN ('null', 'object');
-- delete
SELECT bson_delete_sql('person', '{"_id": 7}') \gset
\echo :bson_delete_sql
:bson_delete_sql RETURNING data;
SELECT bson_delete_sql('person', '{"n": {"$gt": 8}}') \gset
\echo :bson_delete_sql
:bson_delete_sql RETURNING data;
SELECT bson_delete_sql('person', '{"zip": {"$exists": true}}', '{"multi": true}') \gset
\echo :bson_delete_sql
:bson_delete_sql RETURNING data;
-- findAndModify: the document before, after, removed, inserted; with a projection
SELECT bson_find_and_modify_sql('person', '{"query": {"n": {"$gt": 1}}, "sort": {"n": -1, "_id": 1}, "update": {"$inc": {"n": 10}}, "fields": {"n": 1}}') \gset
\echo :bson_find_and_modify_sql
:bson_find_and_modify_sql;
SELECT bson_find_and_modify_sql('person', '{"query": {"_id": 1}, "update": {"$inc": {"n": 10}}, "new": true}') \gset
\echo :bson_find_and_modify_sql
:bson_find_and_modify_sql;
SELECT bson_find_and_modify_sql('person', '{"sort": {"_id": -1}, "remove": true}') \gset
\echo :bson_find_and_modify_sql
:bson_find_and_modify_sql;
SELECT bson_find_and_modify_sql('person', '{"query": {"_id": 5}, "update": {"$inc": {"n": 1}}, "new": true, "upsert": true}') \gset
:bson_find_and_modify_sql;
:bson_find_and_modify_sql;
-- distinct and count
INSERT INTO person VALUES ('{"_id": 6, "c": [{"d": 1}, {"d": [2, [3]]}], "city": "Oslo"}');
SELECT bson_distinct_sql('person', '{"_id": {"$gt": 0}}', 'city') \gset
\echo :bson_distinct_sql
SELECT array_agg(data ORDER BY data) FROM (:bson_distinct_sql) AS s;
SELECT bson_distinct_sql('person', NULL, 'c.d') \gset
SELECT array_agg(data ORDER BY data) FROM (:bson_distinct_sql) AS s;
CREATE TABLE held (data bson);
INSERT INTO held VALUES ('{"v": 1}'), ('{"v": [1, 2, [3], [], null]}'), ('{"v": 2}'), ('{"v": []}'), ('{"v": null}'), ('{}'), ('{"v": {"w": 1}}'), ('{"v": [{"w": 1}, [3]]}'), ('{"v": [[4, [5]]]}');
SELECT bson_distinct_sql('held', NULL, 'v') \gset
SELECT array_agg(data ORDER BY data) FROM (:bson_distinct_sql) AS s;
SELECT bson_distinct_sql('held', NULL, 'v.w') \gset
SELECT array_agg(data ORDER BY data) FROM (:bson_distinct_sql) AS s;
SELECT bson_count_sql('person', '{"city": "Oslo"}') \gset
\echo :bson_count_sql
:bson_count_sql;
SELECT bson_count_sql('person');
-- $merge: each whenMatched and whenNotMatched; $out
CREATE TABLE total (data bson);
CREATE UNIQUE INDEX ON total ((data -> '_id'));
CREATE UNIQUE INDEX ON total ((data -> 'k' -> 'x'), (data -> 'y'));
CREATE FUNCTION pg_temp.merge(stage text, docs text) RETURNS SETOF bson LANGUAGE plpgsql AS $$
BEGIN
  TRUNCATE total;
  INSERT INTO total VALUES ('{"_id": 1, "a": 1, "old": true}');
  EXECUTE bson_pipeline_sql(NULL, format('[{"$documents": %s}, %s]', docs, stage)::bson);
  RETURN QUERY SELECT data FROM total ORDER BY data -> '_id';
EXCEPTION WHEN others THEN RETURN NEXT to_bson(SQLSTATE || ' ' || SQLERRM);
END $$;
SELECT m, n, array_agg(d) FROM unnest(ARRAY['"merge"', '"replace"', '"keepExisting"', '"fail"', '[{"$set": {"a": {"$add": ["$a", "$$new.a"]}}}]', '[{"$set": {"a": "$$k", "at": {"$isNumber": "$$NOW"}}}], "let": {"k": {"$multiply": ["$a", 7]}}']) AS m, unnest(ARRAY['insert', 'discard', 'fail']) AS n,
  pg_temp.merge(format('{"$merge": {"into": "total", "whenMatched": %s, "whenNotMatched": "%s"}}', m, n), '[{"_id": 1, "a": 5}, {"_id": 2, "a": 6}]') AS d GROUP BY m, n ORDER BY m, n;
SELECT * FROM pg_temp.merge('{"$merge": {"into": {"db": "public", "coll": "total"}, "on": ["k.x", "y"], "whenMatched": "keepExisting"}}', '[{"_id": 2, "k": {"x": 1}, "y": 1}, {"_id": 3, "k": {"x": 1}, "y": 1}]');
SELECT * FROM pg_temp.merge('{"$merge": {"into": "total", "whenNotMatched": "fail"}}', '[{"_id": 1, "a": 2}]');
SELECT count(*), count(DISTINCT d -> '_id') FROM pg_temp.merge('{"$merge": "total"}', '[{"a": 2}, {"a": 3}]') AS d;
-- document_source_merge.cpp: by other fields than the _id, which stays as it is; they must be there, and be no arrays
CREATE UNIQUE INDEX by_a ON total ((data -> 'a'));
SELECT w, array_agg(d) FROM unnest('{"\"merge\"","\"replace\"","\"keepExisting\"","[{\"$replaceWith\": {\"z\": \"$$new.v\"}}]","[{\"$set\": {\"_id\": 7}}]","[{\"$set\": {\"b\": \"$$new\"}}], \"let\": {\"new\": \"$$ROOT\"}","[{\"$set\": {\"b\": 1}}], \"let\": {\"new\": 1}","[{\"$set\": {\"b\": 1}}], \"let\": null"}'::text[]) AS w,
  pg_temp.merge(format('{"$merge": {"into": "total", "on": "a", "whenMatched": %s}}', w), '[{"a": 1, "v": 2}, {"_id": 5, "a": 3}]') AS d GROUP BY w ORDER BY w;
SELECT n, w, pg_temp.merge(format('{"$merge": {"into": "total", "on": ["a"], "whenMatched": "replace", "whenNotMatched": "%s"}}', n), w) FROM unnest('{insert,discard}'::text[]) AS n, unnest('{"[{\"v\": 1}]","[{\"a\": null}]","[{\"a\": [1]}]","[{\"a\": 1}]"}'::text[]) AS w;
SELECT pg_temp.merge('{"$merge": {"into": "total", "whenMatched": [{"$replaceWith": {"z": 1}}]}}', '[{"_id": 1}]');
DROP INDEX by_a;
SELECT bson_pipeline_sql('person', '[{"$group": {"_id": "$city", "n": {"$sum": 1}}}, {"$merge": "total"}]');
SELECT bson_pipeline_sql('person', '[{"$match": {"_id": 1}}, {"$out": {"db": "public", "coll": "made"}}]') \gset
\echo :bson_pipeline_sql
:bson_pipeline_sql;
SELECT * FROM made;
-- bson_aggregate writes nothing
SELECT bson_aggregate('person', '[{"$out": "made"}]');
SELECT bson_aggregate('person', '[{"$merge": "total"}]');
SELECT bson_pipeline_sql('person', '[{"$out": "made"}, {"$limit": 1}]');
SELECT bson_pipeline_sql('person', '[{"$facet": {"a": [{"$out": "made"}]}}]');
-- errors
CREATE TABLE loose (data bson);
SELECT bson_update_sql('loose', '{"_id": 1}', '{"$set": {"a": 1}}');
SELECT bson_delete_sql('loose', '{"a": 1}');
SELECT bson_update_sql('loose', '{"_id": 1}', '{"$set": {"a": 1}}', '{"multi": true}');
\set VERBOSITY terse
SELECT bson_update_sql('person', '{"a": 1}', '{"$set": {"a": 1}}', '{"upsert": true}');
SELECT bson_update_sql('person', '{"_id": 1, "a": 1}', '{"$set": {"a": 1}}', '{"upsert": true}');
SELECT bson_update_sql('person', '{"_id": {"$gt": 1}}', '{"$set": {"a": 1}}', '{"upsert": true}');
SELECT bson_update_sql('person', '{"_id": {"$regularExpression": {"pattern": "a", "options": ""}}}', '{"$set": {"a": 1}}', '{"upsert": true}');
SELECT bson_update_sql('person', '{"_id": [1]}', '{"$set": {"a": 1}}', '{"upsert": true}');
SELECT bson_update_sql('person', '{"_id": {"a": 1, "$b": 1}}', '{"$set": {"a": 1}}', '{"upsert": true}');
SELECT bson_update_sql('person', '{"a": 1}', '{"b": 1}', '{"multi": true}');
SELECT bson_update_sql('person', '{"a": 1}', '{"$foo": 1}');
SELECT bson_update_sql('person', '{"$foo": 1}', '{"$set": {"a": 1}}');
SELECT bson_update_sql('person', '{}', '{"$set": {"a": 1}}', '{"nosuch": 1}');
-- the server has these options
SELECT bson_update_sql('person', '{}', '{"$set": {"a": 1}}', '{"hint": 1}');
SELECT bson_find_and_modify_sql('person', '{"remove": true, "let": {"a": 1}}');
SELECT bson_update_sql('person', '{}', '{"$set": {"a": 1}}', '[]');
SELECT bson_find_and_modify_sql('person', '{"update": {"a": 1}, "remove": true}');
SELECT bson_find_and_modify_sql('person', '{}');
-- null means that an option is not given; a switch is a boolean or a number; nothing is sorted, returned or filtered that cannot be
SELECT bson_find_and_modify_sql('person', '{"query": null, "sort": null, "update": {"$set": {"a": 1}}, "new": 1, "fields": null, "upsert": null, "arrayFilters": null, "remove": {"$numberDecimal": "0"}}');
SELECT bson_update_sql('person', '{"_id": 1}', '{"$set": {"a": 1}}', '{"multi": null, "upsert": null, "arrayFilters": null, "sort": null}');
SELECT bson_delete_sql('person', '{"a": 1}', '{"multi": "no"}');
SELECT bson_find_and_modify_sql('person', '{"remove": []}');
SELECT bson_find_and_modify_sql('person', '{"update": {"a": 1}, "new": {}}');
SELECT bson_find_and_modify_sql('person', '{"remove": true, "new": true}');
SELECT bson_find_and_modify_sql('person', '{"remove": true, "upsert": 1}');
SELECT bson_find_and_modify_sql('person', '{"remove": true, "arrayFilters": []}');
SELECT bson_update_sql('person', '{"a": 1}', '{"$set": {"a": 1}}', '{"multi": true, "sort": {"a": 1}}');
SELECT bson_find_and_modify_sql('person', '{"query": {"_id": 1}, "update": {"a": 1}, "upsert": true}');
SELECT bson_pipeline_sql('person', '[{"$merge": {"into": "nothing"}}]');
SELECT bson_pipeline_sql('person', '[{"$merge": {"into": "total", "whenMatched": "x"}}]');
SELECT bson_pipeline_sql('person', '[{"$merge": {"into": "total", "let": {"a": 1}}}]');
SELECT bson_pipeline_sql('person', '[{"$merge": {"into": "total", "on": []}}]');
SELECT bson_pipeline_sql('person', '[{"$merge": {"into": "total", "on": "$a"}}]');
SELECT bson_pipeline_sql('person', '[{"$merge": {"into": "total", "x": 1}}]');
SELECT bson_pipeline_sql('person', '[{"$out": {"db": "public"}}]');
-- names that no new table can have: empty, too long, with U+0000; and a schema's name with a dot
CREATE FUNCTION pg_temp.out(o text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE detail text; BEGIN RETURN split_part(bson_pipeline_sql('person', bson_build_array(bson_build_object('$out', o::bson))), E'\n', 1);
  EXCEPTION WHEN others THEN GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL; RETURN concat_ws(' ', SQLSTATE, SQLERRM, detail); END $$;
SELECT o, pg_temp.out(o) FROM unnest(ARRAY['""', '"public."', '".made"', '"."', '"a\u0000b"', '{"db": "", "coll": "a"}', '{"db": "a.b", "coll": "c"}', '{"db": "a\u0000b", "coll": "c"}', '{"db": "a", "coll": ""}',
  '"' || repeat('x', 63) || '"', '"' || repeat('x', 64) || '"', '"' || repeat('x', 62) || 'é"', '"' || repeat('x', 63) || '.' || repeat('y', 63) || '"', '"' || repeat('x', 64) || '.a"']) AS o;
SELECT bson_pipeline_sql('person', '[{"$merge": {"into": {"db": "a.b", "coll": "c"}}}]');
SELECT bson_distinct_sql('person', NULL, '');
SELECT bson_update_sql(NULL, '{}', '{"$set": {"a": 1}}') IS NULL, bson_delete_sql('-', '{}', '{"multi": true}') IS NULL, bson_delete_sql('person', NULL) IS NULL, bson_count_sql(NULL) IS NULL, bson_distinct_sql('person', '{}', NULL) IS NULL, bson_find_and_modify_sql('person', NULL) IS NULL;
\set VERBOSITY default
-- variables of a command: each may use those before it; in conditions, projections and updates, and beside variables of the same name within
CREATE TABLE pet (data bson);
CREATE UNIQUE INDEX pet_id ON pet ((data -> '_id'));
INSERT INTO pet SELECT bson_build_object('_id', i, 'a', i % 5, 'b', i % 3) FROM generate_series(1, 9) AS i;
SELECT bson_find_sql('pet', '{"$or": [{"$expr": {"$eq": ["$a", "$$v"]}}, {"_id": 1}]}', '{"a": 1, "s": {"$add": ["$b", "$$w.x"]}, "m": {"k": "$$v", "b": 1}, "l": {"$let": {"vars": {"v": "own"}, "in": "$$v"}}, "t": {"$literal": "$$v"}}', '{"_id": 1}', NULL, NULL, NULL, '{"v": 3, "w": {"x": {"$add": ["$$v", 100]}}}') \gexec
SELECT bson_find_sql('pet', '{"$expr": {"$eq": ["$_id", "$$v"]}}', NULL, NULL, NULL, NULL, NULL, '{"v": 3}');
SELECT bson_update_sql('pet', '{"_id": 4, "$expr": {"$gt": ["$a", "$$v"]}}', '[{"$set": {"q": {"r": "$$v"}, "n": {"$add": ["$a", "$$v"]}}}, {"$replaceWith": {"$mergeObjects": ["$$ROOT", {"z": "$$v"}]}}, {"$project": {"b": 0}}]', '{"let": {"v": 3}}') \gset
:bson_update_sql RETURNING data;
SELECT bson_update_sql('pet', '{"_id": 10}', '[{"$set": {"n": "$$v"}}]', '{"let": {"v": "$3"}, "upsert": true}');
SELECT bson_update_sql('pet', '{"_id": 10}', '[{"$set": {"n": "$$v"}}]', '{"let": {"v": {"$literal": "$3"}}, "upsert": true}') \gset
:bson_update_sql RETURNING data;
SELECT bson_delete_sql('pet', '{"$expr": {"$gte": ["$_id", "$$v"]}}', '{"let": {"v": 8}, "multi": true}') \gset
:bson_delete_sql RETURNING data;
SELECT bson_find_and_modify_sql('pet', '{"query": {"$expr": {"$eq": ["$_id", "$$v"]}}, "update": [{"$set": {"x": "$$v"}}], "fields": {"x": 1, "y": {"$multiply": ["$$v", 2]}}, "new": true, "let": {"v": 7}}') \gexec
SELECT bson_aggregate('pet', '[{"$match": {"$expr": {"$lt": ["$_id", "$$v"]}}}, {"$group": {"_id": "$$v", "n": {"$sum": "$a"}}}]', NULL, '{"v": 4}');
SELECT * FROM bson_aggregate('pet', '[{"$match": {"_id": 1}}, {"$lookup": {"from": "pet", "let": {"i": "$_id"}, "pipeline": [{"$match": {"$expr": {"$eq": ["$_id", {"$add": ["$$i", "$$v"]}]}}}], "as": "x"}}]', NULL, '{"v": 2}');
SELECT bson_pipeline_sql(NULL, '[{"$documents": [{"a": "$$v"}]}]', NULL, '{"v": "$$NOW"}');
-- a call defines several variables: only its first one may use those before
SELECT bson_pipeline_sql(NULL, '[{"$documents": ["$$d"]}]', NULL, '{"a": 1, "b": {"$add": [1, 1]}, "c": {"x": "$$a", "y": "$$b"}, "w": 4, "d": {"$mergeObjects": ["$$c", {"z": "$$w"}]}}');
SELECT bson_pipeline_sql(NULL, '[{"$documents": ["$$d"]}]', NULL, '{"a": 1, "b": {"$add": [1, 1]}, "c": {"x": "$$a", "y": "$$b"}, "w": 4, "d": {"$mergeObjects": ["$$c", {"z": "$$w"}]}}') \gexec
\set VERBOSITY terse
SELECT bson_find_sql('pet', NULL, NULL, NULL, NULL, NULL, NULL, '{"v": {"$getField": "a"}}');
SELECT bson_find_sql('pet', '{"$expr": "$$w"}', NULL, NULL, NULL, NULL, NULL, '{"v": 1}');
SELECT bson_find_sql('pet', NULL, NULL, NULL, NULL, NULL, NULL, '{"v": "$$w", "w": 1}');
SELECT bson_find_sql('pet', NULL, NULL, NULL, NULL, NULL, NULL, '{"V": 1}');
SELECT bson_delete_sql('pet', '{}', '{"let": 1}');
\set VERBOSITY default
-- $merge into a table that is not there makes it, with the index that the next $merge needs
SELECT bson_pipeline_sql('pet', '[{"$match": {"_id": {"$lt": 3}}}, {"$merge": {"into": "kept"}}]');
SELECT bson_pipeline_sql('pet', '[{"$match": {"_id": {"$lt": 3}}}, {"$merge": {"into": "kept"}}]') \gexec
SELECT bson_pipeline_sql('pet', '[{"$match": {"_id": {"$lt": 4}}}, {"$set": {"again": true}}, {"$merge": "kept"}]') \gexec
SELECT * FROM kept ORDER BY data;
SELECT bson_pipeline_sql('pet', '[{"$merge": {"into": "none", "on": "a"}}]');
SELECT bson_pipeline_sql('pet', '[{"$merge": {"into": "none", "whenNotMatched": "discard"}}]');
DROP TABLE pet, kept;
-- what documents and names contain is quoted: each statement, run, does what it says with such values
CREATE TABLE "a ""b'; DROP TABLE person; --" ("c'); --" bson, "d ""e" int);
CREATE UNIQUE INDEX ON "a ""b'; DROP TABLE person; --" (("c'); --" -> '_id'));
CREATE FUNCTION pg_temp.run(statement text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE n bigint; BEGIN EXECUTE statement; GET DIAGNOSTICS n = ROW_COUNT; RETURN n; EXCEPTION WHEN others THEN RETURN SQLSTATE || ' ' || statement; END $$;
SELECT e, pg_temp.run(bson_update_sql(t, bson_build_object('_id', e), bson_build_object('$set', bson_build_object('x', e)), '{"upsert": true}')), pg_temp.run(bson_update_sql(t, bson_build_object('_id', e), bson_build_object('$set', bson_build_object('x', e)))),
    pg_temp.run(bson_update_sql(t, bson_build_object('x', e), bson_build_object('$set', bson_build_object('y', bson_build_array(e))), bson_build_object('sort', bson_build_object(e, 1)))), pg_temp.run(bson_update_sql(t, bson_build_object('x', e), bson_build_object('$set', bson_build_object('y.$[f]', e)), bson_build_object('multi', true, 'arrayFilters', bson_build_array(bson_build_object('f', e))))),
    pg_temp.run(bson_find_and_modify_sql(t, bson_build_object('query', bson_build_object('x', e), 'update', bson_build_object('$set', bson_build_object('z', e)), 'fields', bson_build_object(e, 1)))), pg_temp.run(bson_count_sql(t, bson_build_object('x', e))), pg_temp.run(bson_distinct_sql(t, bson_build_object('x', e), e)),
    pg_temp.run(bson_pipeline_sql(t, bson_build_array(bson_build_object('$match', bson_build_object('x', e)), bson_build_object('$merge', bson_build_object('into', 'a "b''; DROP TABLE person; --', 'on', '_id', 'whenMatched', bson_build_array(bson_build_object('$set', bson_build_object('w', '$$v'))), 'let', bson_build_object('v', bson_build_object('$literal', e))))))),
    pg_temp.run(bson_pipeline_sql(t, bson_build_array(bson_build_object('$out', e)))), to_regclass(quote_ident(e)) IS NOT NULL AS made, pg_temp.run(bson_delete_sql(t, bson_build_object('x', e)))
  FROM unnest(ARRAY['''); DROP TABLE person; --', E'x\n''y', '\''; SELECT 1', '"', '%s#', 'a$1', ':x', '\', '*/', 'a$a$']) AS e, CAST('"a ""b''; DROP TABLE person; --"' AS regclass) AS t;
SELECT count(*) > 3 AS still_there FROM person;
SELECT pg_temp.run(bson_pipeline_sql('person', bson_build_array(bson_build_object('$merge', bson_build_object('into', n))))) FROM unnest(ARRAY['total; DROP TABLE person', 'public.total; --', '"total"', 'total (data) SELECT']) AS n LIMIT 1;
DO $$ DECLARE t regclass; BEGIN FOR t IN SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname ~ '[^a-z_0-9]' AND relname !~ '^a "' LOOP EXECUTE format('DROP TABLE %s', t); END LOOP; END $$;
DROP TABLE person, total, made, loose, "a ""b'; DROP TABLE person; --" CASCADE;
