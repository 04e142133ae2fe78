-- If this fails, the extension cannot be installed, moved or removed cleanly: it
-- leaves objects behind, or depends on the search path.
SET client_min_messages = warning;
\set home :DBNAME
CREATE DATABASE regression_bson_install;
\c regression_bson_install
SET client_min_messages = warning;

-- in a separate schema, with only the system's schema in the path
CREATE SCHEMA elsewhere;
CREATE EXTENSION bson SCHEMA elsewhere;
SET search_path = pg_catalog;
SELECT '{"a": [1, 2]}'::elsewhere.bson::bytea;
CREATE TABLE elsewhere.t (d elsewhere.bson);
INSERT INTO elsewhere.t VALUES ('{"a": 1}');

-- there are no SQL bodies kept as text, which would be parsed with the caller's path
SELECT p.oid::regprocedure FROM pg_proc p JOIN pg_language l ON l.oid = prolang
 WHERE lanname = 'sql' AND pronamespace = 'elsewhere'::regnamespace AND prosqlbody IS NULL;

-- when it is moved, a table's column follows
RESET search_path;
CREATE SCHEMA third;
ALTER EXTENSION bson SET SCHEMA third;
SELECT d::bytea, pg_typeof(d) FROM elsewhere.t;

-- a plain drop protects the data; a drop with CASCADE takes the column
DROP EXTENSION bson;
DROP EXTENSION bson CASCADE;
SELECT count(*) FROM pg_attribute WHERE attrelid = 'elsewhere.t'::regclass AND attname = 'd';

-- nothing is left behind, and a second time works like the first
SELECT count(*) FROM pg_proc WHERE pronamespace = 'third'::regnamespace;
SELECT count(*) FROM pg_type WHERE typnamespace = 'third'::regnamespace;
CREATE EXTENSION bson;
SELECT extversion FROM pg_extension WHERE extname = 'bson';
DROP EXTENSION bson;

-- the library serves a database that still has version 1.0: its statements call what that has
CREATE EXTENSION bson VERSION '1.0';
CREATE TABLE old (data bson);
INSERT INTO old VALUES ('{"_id": 1, "n": 5}'), ('{"_id": 2, "n": 6}');
SELECT bson_aggregate('old', '[{"$group": {"_id": null, "a": {"$push": "$n"}, "b": {"$addToSet": "$m"}, "c": {"$lastN": {"n": 1, "input": "$n"}}, "d": {"$median": {"input": "$n", "method": "approximate"}}}}, {"$lookup": {"from": "old", "pipeline": [], "as": "l"}}, {"$facet": {"f": []}}]');
SELECT bson_pipeline_sql('old', '[{"$merge": {"into": "old", "whenNotMatched": "fail"}}]') LIKE '%bson_eval%' AS fails;
ALTER EXTENSION bson UPDATE;
SELECT bson_aggregate('old', '[{"$group": {"_id": null, "a": {"$push": "$n"}, "b": {"$addToSet": "$m"}, "c": {"$lastN": {"n": 1, "input": "$n"}}, "d": {"$median": {"input": "$n", "method": "approximate"}}}}, {"$lookup": {"from": "old", "pipeline": [], "as": "l"}}, {"$facet": {"f": []}}]');
SELECT bson_pipeline_sql('old', '[{"$merge": {"into": "old", "whenNotMatched": "fail"}}]') LIKE '%bson_unmatched%' AS fails;
\c :home
DROP DATABASE regression_bson_install;
