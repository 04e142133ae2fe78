-- If this fails, a statement goes on after it was cancelled, for as long as it has large values to compare, hash or copy.
-- Each statement cancels itself.  A function that looks for that ends it; after one that does not, a division by zero would.
CREATE TABLE large (a bson, b bson, c bson, s bson);
INSERT INTO large SELECT bson_agg(i), bson_agg(i::numeric), bson_agg(bson_build_object('x', i)), bson_build_object('s', repeat('x', 2000000)) FROM generate_series(1, 20) AS i;
SELECT CASE WHEN pg_cancel_backend(pg_backend_pid()) THEN 1 / bson_cmp(a, b) END FROM large;  -- ERROR
SELECT CASE WHEN pg_cancel_backend(pg_backend_pid()) THEN 1 / (a <> b)::int END FROM large;  -- ERROR
SELECT CASE WHEN pg_cancel_backend(pg_backend_pid()) THEN 1 / (0 * bson_hash(a)::bigint) END FROM large;  -- ERROR
SELECT CASE WHEN pg_cancel_backend(pg_backend_pid()) THEN 1 / (0 * bson_hash(c)::bigint) END FROM large;  -- ERROR
SELECT CASE WHEN pg_cancel_backend(pg_backend_pid()) THEN 1 / (0 * bson_size(bson_put('{}', 'a', s))) END FROM large;  -- ERROR
SELECT CASE WHEN pg_cancel_backend(pg_backend_pid()) THEN 1 / (0 * bson_size(a)) END FROM large;  -- ERROR
DROP TABLE large;
-- the words and phrases of a text search are each looked for in the whole text, which takes minutes here
CREATE TABLE searched AS SELECT string_agg(format('"zq%s x"', i), ' ') AS phrases, string_agg(format('-"zq%s x"', i), ' ') AS refused, string_agg('ZQ' || i, ' ') AS words, bson_build_object('a', repeat('ZQ ', 700000)) AS doc FROM generate_series(1, 30000) AS i;
SELECT clock_timestamp() AS started \gset
SET statement_timeout = '200ms';
SELECT bson_text_matches(doc, '{"weights": {"a": 1}, "default_language": "none"}', bson_build_object('$search', phrases)) FROM searched;  -- ERROR
SELECT bson_text_matches(doc, '{"weights": {"a": 1}, "default_language": "none"}', bson_build_object('$search', 'zq ' || refused)) FROM searched;  -- ERROR
SET statement_timeout = '1s';
SELECT bson_text_matches(doc, '{"weights": {"a": 1}, "default_language": "none"}', bson_build_object('$search', words, '$caseSensitive', true)) FROM searched;  -- ERROR
-- and so is each field of a query in the whole document
SELECT bson_match(doc, doc) FROM (SELECT bson_object_agg('k' || i, i) AS doc FROM generate_series(1, 150000) AS i) AS wide;  -- ERROR
RESET statement_timeout;
SELECT clock_timestamp() - :'started' < interval '30 s' AS soon;
DROP TABLE searched;
