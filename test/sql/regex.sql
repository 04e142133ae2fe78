-- If this fails, the length of a regular expression means something else for another string, or matching cannot be cancelled.

CREATE FUNCTION pg_temp.matches(pattern text, s text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RETURN bson_build_object('s', s) @~ bson_build_object('s', bson_build_object('$regex', pattern));
EXCEPTION WHEN invalid_regular_expression THEN
  RETURN replace(sqlerrm, 'invalid regular expression: regular expression is ', '');
END $$;

-- a pattern is too large for each string or for none, though long strings are searched with other code; plain ones may have 32,000 characters
SELECT name, n, pg_temp.matches(pattern, repeat('c', 100)) AS short, pg_temp.matches(pattern, repeat('c', 16300)) AS fast, pg_temp.matches(pattern, repeat('c', 40000)) AS long
FROM unnest(ARRAY[8000, 10000, 16384, 26384, 40000]) AS n,
  LATERAL (VALUES ('c', repeat('c', n)), ('^c', '^' || repeat('c', n - 1)), ('.', repeat('.', n)), ('c*', repeat('c', n) || '*'), ('c|d', repeat('cd|', n / 3) || 'c')) AS p(name, pattern)
ORDER BY name, n;
-- nor does a comment count, up to a megabyte
SELECT n, pg_temp.matches('c(?#' || repeat('a', n - 5) || ')', 'c') FROM unnest(ARRAY[100000, 1048576, 1048577]) AS n;
-- where only one callout fits, fewer steps may be taken from one place
SELECT bson_build_object('s', repeat('a', 20000)) @~ bson_build_object('s', bson_build_object('$regex', repeat('(a|a)', 20) || repeat('a', 16384) || '[bc]'));  -- ERROR

-- long classes are repeated in parts, and match what they do in one: they are compared with the same members as a range
CREATE TEMP TABLE class AS SELECT '[' || string_agg(chr(x'4e00'::int + i), '') || ']' AS listed, '[' || chr(x'4e00'::int) || '-' || chr(x'4e00'::int + 59) || ']' AS range
  FROM generate_series(0, 59) AS i;
CREATE FUNCTION pg_temp.found(pattern text, s text) RETURNS bson LANGUAGE sql AS $f$
  SELECT bson_eval('{}', '{"$regexFind": {"input": "$$s", "regex": "$$p", "options": "x"}}', bson_build_object('s', s, 'p', pattern)) $f$;
SELECT quantifier, count(*), count(*) FILTER (WHERE c.listed = b.range) AS same, count(*) FILTER (WHERE c.listed <> 'null') AS found
FROM unnest(ARRAY['', '?', '*', '+', '*?', '+?', '*+', '++', '{2,}', '{2,}?', '{2,}+', '{5000,}', '{3}', '{3,5}', ' * ']) AS quantifier, class,
  unnest(ARRAY[0, 1, 2, 3, 4095, 4096, 4097, 5000, 8191, 8192, 8193, 12289]) AS n, unnest(ARRAY['', 'y']) AS e,
  unnest(ARRAY['^(%1$s)(%2$s?)(%2$s*)y?$', '(?:x|%1$s)(y)?', '^(x|%1$s)y']) AS form,
  LATERAL (SELECT repeat(chr(x'4e00'::int + 59), n) || e AS s) AS a,
  LATERAL (SELECT pg_temp.found(format(form, class.range || quantifier, class.range), s) AS range) AS b,
  LATERAL (SELECT pg_temp.found(format(form, class.listed || quantifier, class.range), s) AS listed) AS c
GROUP BY quantifier ORDER BY quantifier COLLATE "C";
SELECT pg_temp.matches(listed || '{61440,}', 'a'), pg_temp.matches('(?x)' || listed || E' # comment\n*', 'a') FROM class;

-- and can be cancelled: the class is compared with 10^10 members before it fails, in releases of PCRE2 that do not sort them
SELECT clock_timestamp() AS beginning \gset
SET statement_timeout = '100ms';
DO $$
BEGIN
  PERFORM bson_build_object('s', repeat(chr(x'4e00'::int + 13998), 1000000)) @~ bson_build_object('s', bson_build_object('$regex', '[' ||
    (SELECT string_agg(chr(x'4e00'::int + i), '') FROM generate_series(0, 13998, 2) AS i) || ']*[xz]'));
EXCEPTION WHEN query_canceled THEN
END $$;
RESET statement_timeout;
SELECT clock_timestamp() - :'beginning' < '30s' AS soon;
-- so can classes of several, which PCRE2 has since 10.45 and refuses before; they match what the one class does that they are
SELECT clock_timestamp() AS beginning \gset
SET statement_timeout = '100ms';
DO $$
BEGIN
  PERFORM bson_build_object('s', repeat('a', 4000000)) @~ bson_build_object('s', bson_build_object('$regex', '(?[' ||
    (SELECT string_agg('[a-z' || chr(x'4e00'::int + i) || ']', '&') FROM generate_series(0, 1000) AS i) || '])*[XY]'));
EXCEPTION WHEN query_canceled OR invalid_regular_expression THEN
END $$;
RESET statement_timeout;
SELECT clock_timestamp() - :'beginning' < '30s' AS soon;
SELECT q, n FROM unnest(ARRAY['', '?', '*', '+', '*?', '+?', '*+', '++', '{2,}', '{2,}?', '{2,}+', '{5000,}', '{3}', '{3,5}', ' * ']) AS q, unnest(ARRAY[0, 1, 2, 3, 4095, 4096, 4097, 20000]) AS n,
  LATERAL (SELECT pg_temp.matches('(?x)^(?[[a-y] & [b-z]])' || q || 'z$', repeat('b', n) || 'z') AS several, pg_temp.matches('(?x)^[b-y]' || q || 'z$', repeat('b', n) || 'z') AS one) AS m
WHERE several <> one AND several NOT LIKE '%unrecognized%';
-- and what repeats a part of the string itself
SELECT clock_timestamp() AS beginning \gset
SET statement_timeout = '100ms';
DO $$
BEGIN
  PERFORM bson_build_object('s', repeat('a', 16000000)) @~ '{"s": {"$regex": "(a)\\1*b"}}';
EXCEPTION WHEN query_canceled THEN
END $$;
RESET statement_timeout;
SELECT clock_timestamp() - :'beginning' < '30s' AS soon;

-- without the setting, no expression becomes machine code: there is no more executable memory than after the first match
\c
CREATE FUNCTION pg_temp.executable() RETURNS bigint LANGUAGE sql AS $$ SELECT count(*) FROM regexp_matches(pg_read_file('/proc/self/maps'), '^\S+ ..x', 'ng') $$;
CREATE FUNCTION pg_temp.found(OUT bigint) LANGUAGE sql AS $$
  SELECT count(*) FROM generate_series(1, 300) AS i WHERE bson_build_object('s', 'number ' || i) @~ '{"s": {"$regex": "^number \\d*[05]$"}}' $$;
SET bson.regex_jit = off;
SELECT pg_temp.found();
SELECT pg_temp.executable() AS at_first \gset
SELECT pg_temp.found(), pg_temp.executable() - :at_first AS more;
SET bson.regex_jit = on;
SELECT pg_temp.found(), pg_temp.executable() - :at_first >= 0 AS perhaps_more;
-- which only a superuser allows
SET ROLE pg_monitor;
SET bson.regex_jit = on;
RESET ROLE;
