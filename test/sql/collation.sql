-- Collations: strings compared as MongoDB does with {locale, strength, ...}, by ICU.  The other expected file is that of a
-- server without ICU.
SET client_min_messages = warning;
SELECT bson_collation('{"locale": "simple"}') IS NULL AS bytes;
SELECT NOT EXISTS (SELECT FROM pg_collation WHERE collname = 'en-x-icu') AS no_icu \gset
\if :no_icu
\quit
\endif

-- specifications
SELECT spec, bson_collation(spec) = bson_collation(spec) AS same, bson_collation(spec)
FROM (VALUES ('{"locale": "en", "strength": 2}'::bson), ('{"locale": "en_US"}'), ('{"locale": "de@collation=phonebook", "strength": 1, "caseLevel": true}'),
    ('{"locale": "fr_CA", "backwards": true, "caseFirst": "upper", "numericOrdering": true, "normalization": true}'),
    ('{"locale": "sv", "alternate": "shifted", "maxVariable": "space", "strength": 5.0, "caseFirst": "off", "version": "57.1"}')) AS v(spec);
\set VERBOSITY terse
SELECT bson_collation('{"strength": 2}');
SELECT bson_collation('{"locale": "no such"}');
SELECT bson_collation('{"locale": "xx"}');
SELECT bson_collation('{"locale": "en\"; DROP"}');
SELECT bson_collation('{"locale": "en", "strength": 6}');
SELECT bson_collation('{"locale": "en", "caseLevel": 1}');
SELECT bson_collation('{"locale": "en", "caseFirst": "first"}');
SELECT bson_collation('{"locale": "en", "level": 1}');
SELECT bson_collation('{"locale": "simple", "strength": 1}');
SELECT bson_collation('5');
SELECT bson_collate('"a"') < bson_collate('"B"');
\set VERBOSITY default

-- what compares strings, and what does not
SELECT query, bson_collated_match('' COLLATE "en-u-ks-level2", '{"a": "Résumé", "t": ["X", {"k": "Y"}], "d": {"x": "Z"}, "n": 5}', query) AS collated, '{"a": "Résumé", "t": ["X", {"k": "Y"}], "d": {"x": "Z"}, "n": 5}'::bson @~ query AS bytes
FROM (VALUES ('{"a": "RÉSUMÉ"}'::bson), ('{"a": "resume"}'), ('{"a": {"$in": ["q", "résumé", {"$regularExpression": {"pattern": "^X", "options": ""}}]}}'), ('{"a": {"$gt": "RESUME", "$lt": "S"}}'), ('{"a": {"$ne": "résumé"}}'), ('{"a": {"$regex": "^r"}}'),
    ('{"t": "x"}'), ('{"t": {"$all": ["x"]}}'), ('{"t": {"$elemMatch": {"k": "y"}}}'), ('{"d": {"x": "z"}}'), ('{"d": {"X": "Z"}}'), ('{"$expr": {"$eq": ["$a", "RÉSUMÉ"]}}'), ('{"n": 5.0}'), ('{"d.x": {"$type": "string"}}')) AS q(query);
SELECT bson_collated_eval('' COLLATE "en-u-ks-level2", '{"a": ["b", "A", "B", "a"]}', expression)
FROM (VALUES ('{"$setUnion": ["$a"]}'::bson), ('{"$max": "$a"}'), ('{"$sortArray": {"input": "$a", "sortBy": -1}}'), ('{"$indexOfArray": ["$a", "a"]}'), ('{"$in": ["C", "$a"]}'), ('{"$strcasecmp": ["a", "A"]}')) AS e(expression);
-- a call that fails leaves no collation behind
SELECT bson_collated_eval('' COLLATE "en-u-ks-level2", '{}', '{"$divide": [1, 0]}');
SELECT '"a"'::bson = '"A"'::bson AS equal, bson_eval('{}', '{"$eq": ["a", "A"]}');

CREATE TABLE people (data bson);
CREATE UNIQUE INDEX ON people ((data -> '_id'));
INSERT INTO people SELECT bson_build_object('_id', i, 'name', (ARRAY['anna', 'Bert', 'ANNA', 'bert', 'Cäsar', 'CÄSAR', 'dora'])[i % 7 + 1], 'tag', bson_build_array((ARRAY['x', 'Y', 'X'])[i % 3 + 1], 'z' || i % 5))
FROM generate_series(1, 210) AS i;
INSERT INTO people VALUES ('{"_id": 1001, "name": ["ANNA", "zoe"]}'), ('{"_id": 1002}'), ('{"_id": 1003, "name": null}'), ('{"_id": 1004, "name": {"x": "Anna"}}'), ('{"_id": 1005, "name": [{"x": "A"}, "bert"]}'), ('{"_id": "Key", "name": 7}');

-- every statement, without an index and with one that has the collation, gives the same
CREATE FUNCTION rows_of(statement text) RETURNS SETOF bson LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY EXECUTE statement; END $$;
CREATE FUNCTION by_index(statement text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS off) ' || statement LOOP
        IF line ~ 'Index Cond.*collated' THEN RETURN true; END IF;
    END LOOP;
    RETURN false;
END $$;
\set coll '{"locale": "en", "strength": 2}'
CREATE TABLE found AS
SELECT n, filter, sort, bson_find_sql('people', filter, '{"_id": 1}', sort, NULL, "limit", NULL, NULL, :'coll') AS statement, NULL::bson AS before, NULL::bson AS after
FROM (VALUES (1, '{"name": "Anna"}'::bson, '{"_id": 1}'::bson, NULL::bigint), (2, '{"name": {"$in": ["BERT", "dorA", 7]}}', '{"_id": -1}', NULL), (3, '{"name": {"$gte": "Caesar"}}', '{"name": 1, "_id": 1}', NULL), (4, '{"name": {"$gt": "ANNA", "$lt": "Cz"}}', '{"name": -1, "_id": -1}', 9),
    (5, '{}', '{"name": 1, "_id": 1}', 12), (6, '{"name": {"x": "ANNA"}}', NULL, NULL), (7, '{"tag": "y", "name": "bert"}', '{"tag": -1, "_id": 1}', 5), (8, '{"_id": "KEY"}', NULL, NULL), (9, '{"name": null}', '{"_id": 1}', NULL), (10, '{"name": "bert", "$or": [{"tag": "X"}, {"tag": "z3"}]}', '{"_id": 1}', NULL),
    (11, '{"name": {"$lt": "B"}}', '{"name": 1}', 500), (12, '{"name": {"$not": {"$regex": "^[abcdABCD]"}}}', '{"name": -1}', 500)) AS f(n, filter, sort, "limit");
UPDATE found SET before = (SELECT CASE WHEN n > 10 THEN bson_agg(r -> '_id' ORDER BY r -> '_id') ELSE bson_agg(r -> '_id') END FROM rows_of(statement) AS r);
CREATE INDEX people_name ON people (bson_collate(data -> 'name') COLLATE "en-u-ks-level2");
UPDATE found SET statement = bson_find_sql('people', filter, '{"_id": 1}', sort, NULL, CASE n WHEN 4 THEN 9 WHEN 5 THEN 12 WHEN 7 THEN 5 WHEN 11 THEN 500 WHEN 12 THEN 500 END, NULL, NULL, :'coll');
SET enable_seqscan = off;
UPDATE found SET after = (SELECT CASE WHEN n > 10 THEN bson_agg(r -> '_id' ORDER BY r -> '_id') ELSE bson_agg(r -> '_id') END FROM rows_of(statement) AS r);
SELECT n, filter, before = after AS same, by_index(statement), bson_array_length(before) AS rows FROM found ORDER BY n;
-- a statement without the collation, or with another one, has no use of the index
SELECT by_index(bson_find_sql('people', '{"name": "Anna"}')), by_index(bson_find_sql('people', '{"name": "Anna"}', NULL, NULL, NULL, NULL, NULL, NULL, '{"locale": "en_US"}'));
SELECT array_agg(r ->> 'name') FROM rows_of(bson_find_sql('people', '{"name": {"$type": "string"}, "_id": {"$lt": 8}}', NULL, '{"name": -1, "_id": 1}', NULL, NULL, NULL, NULL, :'coll')) AS r;
RESET enable_seqscan;

-- an index's collation is listed with all options, as MongoDB does; "simple" is none
SELECT bson_index_spec(bson_build_object('key', '{"a": 1}'::bson, 'collation', c)) -> 'collation'
FROM (VALUES ('{"locale": "de_AT"}'::bson), ('{"strength": 2, "locale": "fr", "caseFirst": "upper", "backwards": true, "version": "1"}'), ('{"locale": "simple"}')) AS v(c);
SELECT bson_index_spec('{"key": {"a": 1}, "collation": {"local": "de"}}');  -- ERROR

-- other commands
SELECT lower(r::text) FROM rows_of(bson_distinct_sql('people', '{"name": {"$type": "string"}}', 'name', NULL, NULL, :'coll')) AS r ORDER BY 1;
SELECT bson_count_sql('people', '{"name": "aNNa"}', NULL, NULL, :'coll') AS statement \gset
:statement;
SELECT bson_update_sql('people', '{"name": "DORA", "_id": {"$lt": 8}}', '{"$addToSet": {"tag": "y"}, "$max": {"name": "B"}}', '{"multi": true, "collation": {"locale": "en", "strength": 2}}') AS statement \gset
:statement RETURNING t1.data;
SELECT * FROM rows_of(bson_find_and_modify_sql('people', '{"query": {"_id": "KEY"}, "remove": true, "collation": {"locale": "en", "strength": 2}}'));
SELECT bson_delete_sql('people', '{"name": "ANNA", "_id": {"$gt": 200}}', '{"multi": true, "collation": {"locale": "en", "strength": 2}}') AS statement \gset
:statement RETURNING t1.data -> '_id';

-- pipelines
SELECT * FROM bson_aggregate('people', '[{"$match": {"name": {"$type": "string"}, "_id": {"$lt": 900}}}, {"$group": {"_id": "$name", "n": {"$sum": 1}, "least": {"$min": "$name"}, "most": {"$max": "$name"}, "set": {"$addToSet": "$name"}}}, {"$sort": {"_id": 1}}, {"$project": {"_id": {"$toLower": "$_id"}, "n": 1, "one": {"$eq": ["$least", "$most"]}, "set": {"$size": "$set"}}}]', NULL, NULL, :'coll');
SELECT * FROM bson_aggregate('people', '[{"$match": {"_id": {"$lt": 4}}}, {"$lookup": {"from": "people", "localField": "name", "foreignField": "name", "as": "same"}}, {"$project": {"n": {"$size": "$same"}}}, {"$sort": {"_id": 1}}]', NULL, NULL, :'coll');
SELECT * FROM bson_aggregate('people', '[{"$group": {"_id": 1, "n": {"$sum": {"$cond": [{"$eq": ["$name", "BERT"]}, 1, 0]}}, "mean": {"$avg": {"$cond": [{"$lt": ["$name", "b"]}, 5, "none"]}}}}]', NULL, NULL, :'coll');
SELECT * FROM bson_aggregate('people', '[{"$group": {"_id": 1, "n": {"$sum": {"$cond": [{"$eq": ["$name", "BERT"]}, 1, 0]}}}}]');
SELECT * FROM bson_aggregate('people', '[{"$match": {"name": {"$type": "string"}}}, {"$bucket": {"groupBy": "$name", "boundaries": ["A", "B", "CASAR", "z"], "default": "?"}}, {"$sort": {"_id": 1}}]', NULL, NULL, :'coll');
SELECT * FROM bson_aggregate('people', '[{"$match": {"_id": {"$lt": 9}}}, {"$setWindowFields": {"partitionBy": "$name", "sortBy": {"_id": -1}, "output": {"r": {"$rank": {}}}}}, {"$sort": {"name": -1, "_id": 1}}, {"$project": {"name": {"$toUpper": "$name"}, "r": 1}}]', NULL, NULL, :'coll');
SELECT * FROM bson_aggregate('people', '[{"$match": {"_id": 1}}, {"$graphLookup": {"from": "people", "startWith": "BERT", "connectFromField": "no", "connectToField": "name", "as": "g"}}, {"$project": {"n": {"$size": "$g"}}}]', NULL, NULL, :'coll');
SELECT lower(r::text) FROM bson_aggregate('people', '[{"$match": {"name": {"$type": "string"}, "_id": {"$lt": 15}}}, {"$bucketAuto": {"groupBy": "$name", "buckets": 4}}]', NULL, NULL, :'coll') AS r;
SELECT * FROM bson_aggregate('people', '[{"$match": {"_id": {"$lt": 8}}}, {"$group": {"_id": 1, "top": {"$top": {"sortBy": {"name": 1, "_id": -1}, "output": "$_id"}}, "tops": {"$topN": {"sortBy": {"name": -1, "_id": 1}, "output": "$_id", "n": 3}},
    "bottom": {"$bottom": {"sortBy": {"name": 1}, "output": "$name"}}, "bottoms": {"$bottomN": {"sortBy": {"name": 1, "_id": 1}, "output": "$_id", "n": 4}}}}]', NULL, NULL, :'coll');
SELECT * FROM bson_aggregate(NULL, '[{"$documents": [{"p": "a", "n": 1}, {"p": "B", "n": 1}, {"p": "A", "n": 4}, {"p": "b", "n": 3}]}, {"$densify": {"field": "n", "partitionByFields": ["p"], "range": {"step": 1, "bounds": "partition"}}}, {"$project": {"n": 1, "p": {"$toUpper": "$p"}}}, {"$sort": {"p": 1, "n": 1}}]', NULL, NULL, :'coll');
\set VERBOSITY terse
SELECT * FROM bson_aggregate('people', '[{"$setWindowFields": {"sortBy": {"_id": 1}, "output": {"t": {"$top": {"sortBy": {"name": 1}, "output": "$name"}}}}}]', NULL, NULL, :'coll');
SELECT bson_update_sql('people', '{"_id": "key"}', '{"$set": {"a": 1}}', '{"upsert": true, "collation": {"locale": "en", "strength": 2}}');
SELECT bson_find_sql('people', '{"name": "x"}', NULL, NULL, NULL, NULL, NULL, NULL, '{"locale": "da", "strength": 4, "kk": 1}');
SELECT bson_find_sql('people', '{"name": "x"}', NULL, NULL, NULL, NULL, NULL, NULL, '{"locale": "da", "strength": 4}');
SELECT bson_find_sql('people', '{"name": "x"}', NULL, NULL, NULL, NULL, NULL, NULL, '{"locale": "simple"}');

-- the examples of doc/mongodb.md
SELECT bson_find_sql('people', '{"name": "TABLE lamp"}', NULL, NULL, NULL, NULL, NULL, NULL, '{"locale": "en", "strength": 2}');
-- a statement that is prepared once
SELECT format('PREPARE found_shape AS %s', statement) AS statement, parameters FROM bson_find_shape('people', '{"tag": "Y"}', '{"_id": 1}', '{"_id": 1}', NULL, 3, NULL, NULL, :'coll') \gset
:statement;
EXECUTE found_shape('{"tag": "y"}');
EXECUTE found_shape('{"tag": "X"}');
DEALLOCATE found_shape;
-- a unique index
CREATE TABLE account (data bson);
CREATE UNIQUE INDEX account_email ON account (bson_collate(data -> 'email') COLLATE "en-u-ks-level2");
INSERT INTO account VALUES ('{"email": "a@x"}'), ('{"email": "b@x"}');
INSERT INTO account VALUES ('{"email": "A@X"}');
DELETE FROM account;
SELECT bson_create_index_sql('account', '{"key": {"name": 1, "a.b": -1}, "unique": true, "collation": {"locale": "en", "strength": 2}}') AS statements \gset
\echo :statements
:statements;
INSERT INTO account VALUES ('{"email": "c@x", "name": "N", "a": {"b": "B"}}');
INSERT INTO account VALUES ('{"email": "d@x", "name": "n", "a": {"b": "b"}}');
SET enable_seqscan = off;
SELECT by_index(bson_find_sql('account', '{"name": "N", "a.b": {"$gt": "A"}}', NULL, NULL, NULL, NULL, NULL, NULL, :'coll'));
SELECT * FROM rows_of(bson_find_sql('account', '{"name": "n", "a.b": {"$gt": "a"}}', NULL, NULL, NULL, NULL, NULL, NULL, :'coll'));
RESET enable_seqscan;
SELECT bson_create_index_sql('account', '{"key": {"$**": 1}, "collation": {"locale": "en", "strength": 2}}') IS NULL AS no_equal;
SELECT bson_create_index_sql('account', '{"key": {"x": 1}, "collation": {"locale": "da", "strength": 2}}');
-- of many documents some are found by the index, and first ones in its order, without being asked to
CREATE TABLE many AS SELECT bson_build_object('_id', i, 'name', 'Name ' || i % 1000) AS data FROM generate_series(1, 5000) AS i;
SELECT bson_create_index_sql('many', '{"key": {"name": 1}, "collation": {"locale": "en", "strength": 2}}') AS statements \gset
:statements;
ANALYZE many;
SELECT by_index(bson_find_sql('many', '{"name": "NAME 7"}', NULL, NULL, NULL, NULL, NULL, NULL, :'coll')), by_index(bson_find_sql('many', '{}', NULL, '{"name": 1}', NULL, 5, NULL, NULL, :'coll')), by_index(bson_find_sql('many', '{"name": "NAME 7"}'));
DROP TABLE many;
-- equal strings have equal hashes
SET enable_sort = off;
SELECT count(*) FROM (SELECT FROM people GROUP BY bson_collate(data -> 'name') COLLATE "en-u-ks-level2") AS g;
SET enable_sort = on;
SET enable_hashagg = off;
SELECT count(*) FROM (SELECT FROM people GROUP BY bson_collate(data -> 'name') COLLATE "en-u-ks-level2") AS g;
RESET enable_sort;
RESET enable_hashagg;
-- to other collations no strings are equal but those of the same bytes, also after U+0000
SELECT sign(bson_collated_cmp(a COLLATE "und-x-icu", b COLLATE "und-x-icu")) AS icu, sign(bson_collated_cmp(b COLLATE "und-x-icu", a COLLATE "und-x-icu")) AS back, sign(bson_collated_cmp(a COLLATE "en-u-ks-level2", b COLLATE "en-u-ks-level2")) AS level2
FROM (VALUES ('"z"'::bson::bson_collated, '"z\u0000"'::bson::bson_collated), ('"z\u0000a"', '"z\u0000b"'), ('"z"', '"z"'), ('"z"', '"Z"')) AS v(a, b);
-- who may only read can have a collation made, with no other name or kind than these
CREATE ROLE bson_collation_reader;
SET ROLE bson_collation_reader;
SELECT bson_collation('{"locale": "nl", "strength": 1}');
RESET ROLE;
-- a collation of this name that another role made is not used
SELECT rolsuper FROM pg_collation JOIN pg_roles ON pg_roles.oid = collowner WHERE collname = 'nl-u-ks-level1';
ALTER COLLATION "nl-u-ks-level1" OWNER TO bson_collation_reader;
SELECT bson_collation('{"locale": "nl", "strength": 1}');
DROP COLLATION "nl-u-ks-level1";
DROP ROLE bson_collation_reader;
DROP TABLE people, account, found;
DROP FUNCTION rows_of, by_index;
DROP COLLATION "en-u-ks-level2", "en-US-u-ks-level3", "de-u-co-phonebk-kc-ks-level1", "fr-CA-u-kb-kf-upper-kk-kn", "sv-u-ka-shifted-ks-identic-kv-space";
