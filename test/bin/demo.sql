-- demo.sql: what test/bin/demo shows.  "dir" is a directory the server may write to.
\pset footer off
\pset format wrapped
\pset columns 110
CREATE EXTENSION bson;
\i bench/data.sql
\set ON_ERROR_STOP on

\echo
\echo '== Load: a row for each record of Debian''s iso-codes, straight from its JSON files'
\echo
\set ECHO queries
CREATE TABLE iso (standard text, record bson);
INSERT INTO iso
SELECT list.key, record.value
  FROM pg_ls_dir('/usr/share/iso-codes/json', true, false) AS file,
       bson_each(pg_read_file('/usr/share/iso-codes/json/' || file)::bson) AS list,
       bson_array_elements(list.value) AS record
 WHERE file LIKE 'iso\_%';
\set ECHO none
SELECT count(*) = 0 AS absent FROM iso \gset
\if :absent
\echo '(iso-codes is not installed: a few records like its stand in)'
INSERT INTO iso VALUES
  ('3166-1', '{"alpha_2": "DK", "alpha_3": "DNK", "flag": "🇩🇰", "name": "Denmark", "numeric": "208", "official_name": "Kingdom of Denmark"}'),
  ('3166-1', '{"alpha_2": "IS", "alpha_3": "ISL", "flag": "🇮🇸", "name": "Iceland", "numeric": "352", "official_name": "Republic of Iceland"}'),
  ('3166-1', '{"alpha_2": "JP", "alpha_3": "JPN", "flag": "🇯🇵", "name": "Japan", "numeric": "392"}'),
  ('3166-1', '{"alpha_2": "SE", "alpha_3": "SWE", "flag": "🇸🇪", "name": "Sweden", "numeric": "752", "official_name": "Kingdom of Sweden"}'),
  ('3166-2', '{"code": "DK-84", "name": "Hovedstaden", "type": "Region"}'),
  ('3166-2', '{"code": "IS-1", "name": "Höfuðborgarsvæði", "type": "Region"}'),
  ('3166-2', '{"code": "JP-13", "name": "Tokyo", "type": "Prefecture"}'),
  ('3166-2', '{"code": "SE-AB", "name": "Stockholms län [SE-01]", "type": "County"}'),
  ('4217', '{"alpha_3": "JPY", "name": "Yen", "numeric": "392"}');
\endif
\set ECHO queries
SELECT standard, count(*) AS records FROM iso GROUP BY standard ORDER BY standard;
\set ECHO none

\echo '== ... and 1,000 documents of the paper''s Figure 2, each with 90 friends, as json, jsonb and bson'
\echo
\set ECHO queries
CREATE TABLE people_json AS
SELECT id, bench.figure2(id, 90)::json AS data FROM generate_series(1, 1000) AS id;
CREATE TABLE people_jsonb AS SELECT id, data::jsonb FROM people_json;
CREATE TABLE people_bson AS SELECT id, data::bson FROM people_json;
SELECT bench.figure2(1, 0)::bson;
\set ECHO none
VACUUM ANALYZE;

\echo '== Look inside: by key, by index, by path'
\echo
\set ECHO queries
SELECT record ->> 'alpha_3' AS code, record ->> 'name' AS name, record -> 'official_name' AS official
  FROM iso
 WHERE standard = '3166-1' AND record ->> 'alpha_2' IN ('DK', 'IS', 'SE')
 ORDER BY code;

SELECT id, data -> 'friends' -> 50 -> 'phones' AS phones,
       data #> '{friends,50,phones,0}' AS first, data #>> '{friends,-1,name}' AS last_friend
  FROM people_bson WHERE id <= 3 ORDER BY id;
\set ECHO none

\echo '== A native integer in a condition, with -#>: no cast, and never an error'
\echo
\set ECHO queries
SELECT data #>> '{user,name}' AS name, data #>> '{user,lastname}' AS lastname, data -> 'user' -#> 'age' AS age
  FROM people_bson
 WHERE data -> 'user' -#> 'age' >= 83 AND data -> 'user' -&> 'registered'
 ORDER BY age DESC, lastname, name LIMIT 5;
\set ECHO none

\echo '== Aggregate: in columns, and into a document'
\echo
\set ECHO queries
SELECT country.record ->> 'name' AS country, count(*) AS parts,
       bson_agg(DISTINCT part.record -> 'type') AS kinds
  FROM iso AS country
  JOIN iso AS part ON split_part(part.record ->> 'code', '-', 1) = country.record ->> 'alpha_2'
 WHERE country.standard = '3166-1' AND part.standard = '3166-2'
 GROUP BY 1 ORDER BY parts DESC, country LIMIT 5;
\set ECHO none

\echo '== Through json and back: nothing is lost'
\echo
\set ECHO queries
SELECT record::json FROM iso WHERE record ->> 'alpha_3' = 'JPN';
SELECT count(*) AS records, count(*) FILTER (WHERE record::json::bson::bytea = record::bytea) AS identical FROM iso;
\set ECHO none

\echo '== Out and in again as binary: what is stored are the bytes that any BSON library reads'
\echo
\set ECHO queries
SELECT record, record::bytea FROM iso WHERE standard = '4217' AND record ->> 'alpha_3' = 'JPY';
\set ECHO none
\set file :dir '/iso.bin'
\echo 'COPY iso TO ''iso.bin'' (FORMAT binary);'
\echo 'CREATE TABLE copy (LIKE iso);'
\echo 'COPY copy FROM ''iso.bin'' (FORMAT binary);'
COPY iso TO :'file' (FORMAT binary);
CREATE TABLE copy (LIKE iso);
COPY copy FROM :'file' (FORMAT binary);
\set ECHO queries
SELECT (SELECT count(*) FROM copy) AS copied,
       (SELECT count(*) FROM (TABLE iso EXCEPT ALL TABLE copy) AS difference) AS different;
\set ECHO none

\echo '== Size: 1,000 Figure 2 documents, in bytes'
\echo
\set ECHO queries
SELECT 'json' AS type, sum(octet_length(data::text)) AS plain, sum(pg_column_size(data)) AS compressed FROM people_json
UNION ALL
SELECT 'jsonb', sum(pg_column_size((data || '{}')::jsonb)), sum(pg_column_size(data)) FROM people_jsonb
UNION ALL
SELECT 'bson', sum(octet_length(data::bytea)), sum(pg_column_size(data)) FROM people_bson;
