-- If this failed, text would become mojibake where the database's encoding is not UTF8.
\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;
\set home :DBNAME

-- LATIN1: text is converted on input and output
CREATE DATABASE bson_latin1 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0;
\connect bson_latin1
SET client_encoding = UTF8;
CREATE EXTENSION bson;
SELECT bson_send('{"é":"ß"}'::bson);
SELECT '{"é":"ß"}'::bson, '{"\u00e9":"\u00df"}'::bson, '{"é":"ß"}'::bson::bytea = '{"\u00e9":"\u00df"}'::bson::bytea;
-- an escape may name a character that the encoding lacks: bson can hold it, and prints it as an escape
SELECT '["\u20ac\ud83d\ude00"]'::bson;
SELECT bson_send('["\u20ac"]'::bson);
-- errors about such text
SELECT '{"é":x}'::bson;                     -- ERROR, no JSON
SELECT '{"$oid":"\u20acé"}'::bson;          -- ERROR, and the message has no character that LATIN1 lacks
SELECT '{"\u20acé":{"$oid":1}}'::bson;      -- ERROR, the same in the context

-- SQL_ASCII: all input must be UTF-8
\connect :home
CREATE DATABASE bson_ascii ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0;
\connect bson_ascii
CREATE EXTENSION bson;
SELECT '{"a":"\u00e9"}'::bson;
SELECT bson_in(E'{"a":"\303\251"}'::cstring);
SELECT bson_in(E'{"a":"\351"}'::cstring);   -- ERROR, LATIN1
SELECT bson_in(E'{"a":"\355\240\200"}'::cstring);   -- ERROR, a surrogate
SELECT bson_in(E'{"a":"\300\200"}'::cstring);   -- ERROR, overlong
SELECT bson_in(E'{"a":"\364\220\200\200"}'::cstring);   -- ERROR, beyond Unicode

\connect :home
SET client_min_messages = warning;
DROP DATABASE bson_latin1;
DROP DATABASE bson_ascii;
