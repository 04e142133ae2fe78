-- If this fails, bson_version() does not say which release of the library runs, or which libraries it has loaded.
SELECT array_agg(key) AS keys FROM bson_each(bson_version());
SELECT bson_version() ->> 'script' = extversion AS script, bson_version() ->> 'library' LIKE extversion || '.%' AS library FROM pg_extension WHERE extname = 'bson';
SELECT bson_version() ->> 'library' ~ '^\d+\.\d+\.\d+$' AS library, bson_version() ->> 'libbson' ~ '^\d+\.\d+' AS libbson,
       bson_version() ->> 'json-c' ~ '^\d+\.\d+' AS json_c, bson_version() ->> 'pcre2' ~ '^10\.\d+ \d{4}-\d\d-\d\d$' AS pcre2;
-- a function that no extension has made is of no script
CREATE FUNCTION version_of_none() RETURNS bson AS '$libdir/bson', 'pgbson_version' LANGUAGE C;
SELECT version_of_none() || '{"script": 1}' = bson_version() || '{"script": 1}' AS same, bson_typeof(version_of_none() -> 'script') AS script;
DROP FUNCTION version_of_none();
