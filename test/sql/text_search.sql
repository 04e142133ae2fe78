-- $text of MongoDB by the server's text search: which documents a search finds, in what order, and by which index.
SET client_min_messages = warning;
CREATE FUNCTION rows_of(statement text) RETURNS SETOF bson LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY EXECUTE statement; END $$;
CREATE FUNCTION plan_of(statement text) RETURNS SETOF text LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY EXECUTE 'EXPLAIN (COSTS off) ' || statement; END $$;
CREATE TABLE article (data bson);
CREATE UNIQUE INDEX ON article ((data -> '_id'));
INSERT INTO article VALUES ('{"_id": 1, "title": "Coffee shopping", "body": "efficient coffee shops", "views": 50}'), ('{"_id": 2, "title": "Baking a cake", "body": "coffee with a cake and more cakes", "views": 90}'),
    ('{"_id": 3, "title": "Café au lait", "body": ["milk", {"x": "hidden"}, "of a cow"], "views": 10}'), ('{"_id": 4, "title": "Los perros corren", "language": "spanish", "body": "perros", "views": 5}'),
    ('{"_id": 5, "title": "example.com/Setting-up my_server: don''t", "views": 7}'), ('{"_id": 6, "body": 5, "tags": {"deep": [{"word": "treasure"}]}}'), ('{"_id": 7, "title": "COFFEE", "deep": {"body": "not indexed"}}');
\set VERBOSITY terse
SELECT bson_find_sql('article', '{"$text": {"$search": "coffee"}}');
\set VERBOSITY default
SELECT bson_create_index_sql('article', '{"key": {"title": "text", "body": "text"}, "weights": {"title": 10}, "name": "words"}') AS statements \gset
\echo :statements
:statements;
SELECT spec FROM bson_list_indexes('article') WHERE spec ->> 'name' = 'words';

-- words are alternatives, a minus refuses, a phrase must be there
SELECT search, (SELECT array_agg(r ->> '_id' ORDER BY r -> '_id') FROM rows_of(bson_find_sql('article', bson_build_object('$text', search), '{"_id": 1}')) AS r) AS found
FROM (VALUES ('{"$search": "coffee"}'::bson), ('{"$search": "CAKES perros"}'), ('{"$search": "coffee -cake"}'), ('{"$search": "-coffee"}'), ('{"$search": "coffee - cake"}'), ('{"$search": "the a"}'), ('{"$search": ""}'),
    ('{"$search": "\"coffee shop\""}'), ('{"$search": "\"coffee cake\""}'), ('{"$search": "milk \"with a cake\""}'), ('{"$search": "coffee -\"with a cake\""}'), ('{"$search": "coffee-cake"}'), ('{"$search": "coffee -shops-cake"}'), ('{"$search": "\"coffee"}'),
    ('{"$search": "cafe"}'), ('{"$search": "CAFÉ"}'), ('{"$search": "cafe", "$diacriticSensitive": true}'), ('{"$search": "café", "$diacriticSensitive": true}'), ('{"$search": "Coffee", "$caseSensitive": true}'), ('{"$search": "COFFEE", "$caseSensitive": true}'), ('{"$search": "coffees -COFFEE", "$caseSensitive": true}'),
    ('{"$search": "perro"}'), ('{"$search": "perro", "$language": "es"}'), ('{"$search": "corriendo", "$language": "spanish"}'), ('{"$search": "shop", "$language": "none"}'), ('{"$search": "hidden treasure indexed"}'), ('{"$search": "cow"}'),
    ('{"$search": "example setting server"}'), ('{"$search": "it''s \\ | & ! ( don''t"}')) AS s(search);

-- errors
\set VERBOSITY terse
SELECT bson_find_sql('article', '{"$text": "coffee"}');
SELECT bson_find_sql('article', '{"$text": {"$search": 5}}');
SELECT bson_find_sql('article', '{"$text": {"$search": "x", "$language": "klingon"}}');
SELECT bson_find_sql('article', '{"$text": {"$search": "x", "$other": 1}}');
SELECT '{}'::bson @~ '{"$text": {"$search": "x"}}';
SELECT bson_create_index_sql('article', '{"key": {"a": "text"}, "weights": {"a": 0}}');
SELECT bson_create_index_sql('article', '{"key": {"a": "text"}, "weights": {"a": 1, "b": 2, "c": 3, "d": 4, "e": 5}}');
SELECT bson_create_index_sql('article', '{"key": {"a": "text"}, "default_language": "klingon"}');
SELECT bson_create_index_sql('article', '{"key": {"a": "text"}, "language_override": "a.b"}');
SELECT bson_create_index_sql('article', '{"key": {"a": "text"}, "weights": {"a..b": 1}}');
INSERT INTO article VALUES ('{"_id": 9, "title": "x", "language": "klingon"}');
INSERT INTO article VALUES ('{"_id": 9, "title": "x", "language": 5}');
SELECT bson_find_sql('article', '{}', '{"s": {"$meta": "textScore"}}');
\set VERBOSITY default

-- the index serves them
SET enable_seqscan = off;
SELECT plan_of(bson_find_sql('article', '{"$text": {"$search": "coffee \"a cake\""}, "views": {"$gt": 60}}'));
RESET enable_seqscan;

-- scores: a title counts ten times as much
SELECT r -> '_id', round((r ->> 'score')::numeric, 3) AS score FROM rows_of(bson_find_sql('article', '{"$text": {"$search": "coffee cake"}}', '{"score": {"$meta": "textScore"}}', '{"score": {"$meta": "textScore"}}')) AS r;
SELECT bson_find_sql('article', '{"$text": {"$search": "coffee"}}', '{"score": {"$meta": "textScore"}}', '{"score": {"$meta": "textScore"}}', NULL, 2) AS statement \gset
\echo :statement
SELECT bson_set(r, '{score}', to_bson(round((r ->> 'score')::numeric, 3)::float8)) AS r FROM rows_of(:'statement') AS r;
SELECT r - 'score', r ? 'score' AS scored FROM rows_of(bson_find_sql('article', '{"$text": {"$search": "coffee"}}', '{"title": 1, "score": {"$meta": "textScore"}}', '{"views": 1, "s": {"$meta": "textScore"}}')) AS r;
SELECT r - 'score', r ? 'score' AS scored FROM rows_of(bson_find_sql('article', '{"$text": {"$search": "coffee"}}', '{"_id": 0, "body": 0, "score": {"$meta": "textScore"}}', '{"score": {"$meta": "textScore"}}')) AS r;
SELECT r FROM rows_of(bson_find_sql('article', '{"$text": {"$search": "coffee"}}', NULL, '{"score": {"$meta": "textScore"}}', 1, 1)) AS r;
SELECT r #- '{x}' AS r, (r ->> 'x')::numeric > 0 AS scored FROM bson_aggregate('article', '[{"$match": {"$text": {"$search": "coffee"}, "views": {"$gt": 20}}}, {"$sort": {"s": {"$meta": "textScore"}, "_id": 1}}, {"$project": {"title": 1, "x": {"$multiply": [{"$meta": "textScore"}, 2]}}}, {"$limit": 5}]') AS r;
SELECT r FROM bson_aggregate('article', '[{"$match": {"$and": [{"$text": {"$search": "coffee"}}, {"views": {"$gt": 20}}]}}, {"$group": {"_id": {"$gt": [{"$meta": "textScore"}, 3]}, "n": {"$sum": 1}, "docs": {"$push": "$title"}}}, {"$sort": {"_id": 1}}]') AS r;
SELECT r FROM bson_aggregate('article', '[{"$match": {"$text": {"$search": "coffee"}}}, {"$sort": {"s": {"$meta": "textScore"}}}, {"$group": {"_id": 1, "docs": {"$push": "$$ROOT"}}}]') AS r;
SELECT r FROM bson_aggregate('article', '[{"$match": {"$or": [{"$text": {"$search": "milk"}}, {"_id": 6}]}}, {"$sort": {"_id": 1}}, {"$project": {"title": 1}}]') AS r;
-- the words of the index are those of the documents that are stored
SELECT bson_aggregate('article', '[{"$project": {"title": 1}}, {"$match": {"$text": {"$search": "coffee"}}}]');  -- ERROR
SELECT bson_aggregate('article', '[{"$lookup": {"from": "article", "as": "a", "pipeline": [{"$match": {"_id": 1}}, {"$match": {"$or": [{"a": 1}, {"$text": {"$search": "coffee"}}]}}]}}]');  -- ERROR

-- other commands
SELECT bson_count_sql('article', '{"$text": {"$search": "coffee"}}') AS statement \gset
:statement;
SELECT r FROM rows_of(bson_distinct_sql('article', '{"$text": {"$search": "coffee"}}', 'views')) AS r ORDER BY r;
SELECT bson_update_sql('article', '{"_id": 2, "$text": {"$search": "coffee"}}', '{"$inc": {"views": 1}}', '{}') AS statement \gset
:statement RETURNING t1.data -> 'views';
SELECT bson_update_sql('article', '{"body": "milk", "$text": {"$search": "milk"}}', '{"$set": {"body.$": "cream"}}', '{}') AS statement \gset
:statement RETURNING t1.data -> 'body';
SELECT bson_delete_sql('article', '{"_id": 1, "$text": {"$search": "milk"}}', '{}') AS statement \gset
:statement RETURNING t1.data;
SELECT r FROM rows_of(bson_find_and_modify_sql('article', '{"query": {"$text": {"$search": "perros", "$language": "es"}}, "remove": true, "fields": {"_id": 1}}')) AS r;

-- all strings, with the language of each document below
DROP INDEX article_words;
SELECT bson_create_index_sql('article', '{"key": {"_fts": "text", "_ftsx": 1, "views": -1}, "weights": {"$**": 1, "title": 3.7}, "default_language": "none", "language_override": "idioma", "textIndexVersion": 3, "name": "all"}') AS statements \gset
:statements;
SELECT spec FROM bson_list_indexes('article') WHERE spec ->> 'name' = 'all';
INSERT INTO article VALUES ('{"_id": 10, "idioma": "english", "a": [["running"], {"idioma": "es", "b": ["corriendo"]}]}');
SELECT search, (SELECT array_agg(r ->> '_id' ORDER BY r -> '_id') FROM rows_of(bson_find_sql('article', bson_build_object('$text', search), '{"_id": 1}')) AS r) AS found
FROM (VALUES ('{"$search": "treasure"}'::bson), ('{"$search": "hidden"}'), ('{"$search": "run"}'), ('{"$search": "corr"}'), ('{"$search": "english"}'), ('{"$search": "shop"}')) AS s(search);
SELECT bson_tsvector('{"a": "x y", "b": "z", "c": {"d": "q"}}', '{"weights": {"a": 1, "b": 7, "c.d": 3}}');
SELECT bson_index_spec('{"key": {"a": "text"}, "weights": "$**"}') -> 'weights';
-- of many documents some are found by the index, without being asked to
INSERT INTO article SELECT bson_build_object('_id', i, 'title', CASE WHEN i % 500 = 0 THEN 'rare gems' ELSE 'usual things' END) FROM generate_series(100, 5000) AS i;
ANALYZE article;
SELECT count(*) FILTER (WHERE p ~ 'Index Scan on article_all') FROM plan_of(bson_find_sql('article', '{"$text": {"$search": "gems"}}')) AS p;
SELECT bson_tsvector('[1]', '{"weights": {"$**": 1}}'), bson_tsvector('{"a": null}', '{"weights": {"$**": 1}}');
DROP TABLE article;
DROP FUNCTION rows_of, plan_of;
