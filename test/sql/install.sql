-- If this fails, the extension cannot be installed, moved or removed cleanly:
-- it leaves objects behind, or leans on the search path.
SET client_min_messages = warning;
\set home :DBNAME
CREATE DATABASE regression_bson_install;
\c regression_bson_install
SET client_min_messages = warning;

-- in a schema of its own, with nothing in the path but the system's
CREATE SCHEMA elsewhere;
CREATE EXTENSION bson SCHEMA elsewhere;
SET search_path = pg_catalog;
SELECT '{"a": [1, 2]}'::elsewhere.bson::bytea;
CREATE TABLE elsewhere.t (d elsewhere.bson);
INSERT INTO elsewhere.t VALUES ('{"a": 1}');

-- SQL bodies kept as text would be parsed under the caller's path: there are none
SELECT p.oid::regprocedure FROM pg_proc p JOIN pg_language l ON l.oid = prolang
 WHERE lanname = 'sql' AND pronamespace = 'elsewhere'::regnamespace AND prosqlbody IS NULL;

-- moved, a table's column follows
RESET search_path;
CREATE SCHEMA third;
ALTER EXTENSION bson SET SCHEMA third;
SELECT d::bytea, pg_typeof(d) FROM elsewhere.t;

-- a plain drop protects the data; a drop with CASCADE takes the column
DROP EXTENSION bson;
DROP EXTENSION bson CASCADE;
SELECT count(*) FROM pg_attribute WHERE attrelid = 'elsewhere.t'::regclass AND attname = 'd';

-- nothing stays behind, and a second time works as the first
SELECT count(*) FROM pg_proc WHERE pronamespace = 'third'::regnamespace;
SELECT count(*) FROM pg_type WHERE typnamespace = 'third'::regnamespace;
CREATE EXTENSION bson;
SELECT extversion FROM pg_extension WHERE extname = 'bson';
\c :home
DROP DATABASE regression_bson_install;
