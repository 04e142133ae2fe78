-- If this fails, -> ->> -#> -&> give a wrong answer, or an error where NULL belongs.
CREATE TEMP TABLE doc (d bson);
INSERT INTO doc VALUES (
'{"i": 15, "neg": -1, "long": 4968387550, "small long": {"$numberLong": "7"}, "whole": 3.0, "frac": 10.09,
  "dec": {"$numberDecimal": "1.10"}, "whole dec": {"$numberDecimal": "12"}, "s": "text", "empty": "", "t": true, "f": false,
  "n": null, "u": {"$undefined": true}, "o": {"a": {"b": 1}}, "a": [10, "x", null, [1, 2], {"k": true}, false],
  "oid": {"$oid": "56e1fc72e0c917e9c4714161"}, "date": {"$date": "2022-03-03T12:13:14.789Z"},
  "bin": {"$binary": {"base64": "AQID", "subType": "00"}},
  "uuid": {"$binary": {"base64": "oO7AEJvbTvidGpm7vTgKEQ==", "subType": "04"}},
  "a.b": "dotted", "$x": "dollar", "": "empty key", "0": "zero", "é": "accent"}');

-- fields of a document: as bson, as text, as int4, as bool
SELECT k, d -> k AS bson, d ->> k AS text, d -#> k AS int4, d -&> k AS bool
  FROM doc, unnest(ARRAY['i', 'neg', 'long', 'small long', 'whole', 'frac', 'dec', 'whole dec', 's', 'empty', 't', 'f', 'n', 'u',
    'o', 'a', 'oid', 'date', 'bin', 'uuid', 'a.b', '$x', '', '0', 'é', 'missing', 'a.', 'I', NULL]) WITH ORDINALITY AS k(k, o) ORDER BY o;

-- elements of an array, negatives from the end
SELECT i, d -> 'a' -> i AS bson, d -> 'a' ->> i AS text, d -> 'a' -#> i AS int4, d -> 'a' -&> i AS bool
  FROM doc, unnest(ARRAY[0, 1, 2, 3, 4, 5, 6, -1, -2, -6, -7, 2147483647, -2147483648, NULL]) WITH ORDINALITY AS i(i, o) ORDER BY o;

-- the result is NULL for the wrong kind of container, and for a scalar
SELECT d -> 'a' -> '0' AS key_of_array, d -> 0 AS index_of_document, d -> 'o' -> 0, d -> 's' -> 'x', d -> 's' -> 0, d -> 'i' -> 0 FROM doc;
SELECT '[1, 2]'::bson -> 1, '[1, 2]'::bson -> -1, '[1, 2]'::bson ->> '1', '5'::bson -> 0, '"x"'::bson -> 'x', '{}'::bson -> '', '[]'::bson -> 0;

-- the result of every step is a bson that keeps its type
SELECT bson_typeof(d -> 'a'), bson_typeof(d -> 'a' -> 3), bson_typeof(d -> 'a' -> 3 -> 1), bson_typeof(d -> 'n'), d -> 'a' -> 4 -> 'k' FROM doc;
SELECT (d -> 'a' -> 4 -> 'k')::bytea, (d -> 'a' -> 3)::bytea, (d -> 'o')::bytea FROM doc;

-- -#> is exact: the limits of int4 in all four number types
SELECT v, v -#> 'x' AS int4 FROM unnest(ARRAY[
  '{"x": 2147483647}', '{"x": -2147483648}', '{"x": 2147483648}', '{"x": -2147483649}',
  '{"x": 2147483647.0}', '{"x": 2147483648.0}', '{"x": 1e2}', '{"x": 0.5}', '{"x": -0.0}',
  '{"x": {"$numberDouble": "NaN"}}', '{"x": {"$numberDouble": "-Infinity"}}',
  '{"x": {"$numberDecimal": "2147483647"}}', '{"x": {"$numberDecimal": "2147483648"}}', '{"x": {"$numberDecimal": "1E+2"}}',
  '{"x": {"$numberDecimal": "1.5"}}', '{"x": {"$numberDecimal": "NaN"}}', '{"x": "15"}', '{"x": true}']::bson[]) AS v;

-- of duplicate keys in binary input every operator sees the first
SELECT d -> 'a' AS first, d ->> 'a', d -#> 'a', d FROM (SELECT '\x13000000106100010000001061000200000000'::bson) AS x(d);

-- short-header, plain, compressed and external values give the same answers
CREATE TEMP TABLE toasted (how text, d bson);
ALTER TABLE toasted ALTER d SET COMPRESSION pglz;
ALTER TABLE toasted ALTER d SET STORAGE external;
INSERT INTO toasted SELECT 'external', ('{"first": 1, "pad": "' || repeat('x', 9000) || '", "arr": [' || repeat('{"n": 5}, ', 500) || '7], "last": true}')::bson;
ALTER TABLE toasted ALTER d SET STORAGE extended;
INSERT INTO toasted SELECT 'compressed', ('{"first": 1, "pad": "' || repeat('x', 9000) || '", "arr": [' || repeat('{"n": 5}, ', 500) || '7], "last": true}')::bson;
INSERT INTO toasted SELECT 'compressed, external', ('{"first": 1, "pad": "' || string_agg(md5(i::text), '') || '", "arr": [' || repeat('{"n": 5}, ', 500) || '7], "last": true}')::bson
  FROM generate_series(1, 900) AS i;
INSERT INTO toasted VALUES ('short header', '{"first": 1, "pad": "", "arr": [7], "last": true}');
SELECT how, pg_column_size(d) < bson_size(d) AS smaller, d -#> 'first' AS first, d -> 'arr' ->> 0 AS head, d -> 'arr' -#> -1 AS tail,
  d -&> 'last' AS last, length(d ->> 'pad') AS pad, d -> 'none' AS none
  FROM toasted ORDER BY how;

-- an element counted from the end is the one counted from the front, in short arrays and long ones
SELECT count(*) AS elements, count(*) FILTER (WHERE a -> (i - n) IS DISTINCT FROM a -> i) AS others, bool_or(a -> (-n - 1) IS NOT NULL) AS beyond
  FROM generate_series(1, 30) AS n, generate_series(0, 3) AS kind,
       LATERAL (SELECT jsonb_agg(CASE kind WHEN 0 THEN to_jsonb(k) WHEN 1 THEN to_jsonb(repeat('s', k % 5) || k) WHEN 2 THEN jsonb_build_array(k)
                                           ELSE CASE WHEN k % 3 > 0 THEN to_jsonb(k) ELSE 'null' END END ORDER BY k)::bson AS a
                  FROM generate_series(1, n) AS k) AS arrays, generate_series(0, n - 1) AS i;
SELECT '[]'::bson -> -1, '{"a": []}'::bson #> '{a,-1}', '{"a": [1, 2]}'::bson #> '{a,-2}';

\pset format unaligned
-- documents with the same keys and values of other types, of keys shorter and longer than a word or two: a call site that remembers them finds what one with a key from a column does
CREATE TEMP TABLE typed AS
SELECT i, ARRAY['a', 'abcdefg', 'abcdefghijklmn', 'abcdefghijklmno', 'abcdefghijklmnopqrstuvwxyz/abcdefghijklmnopqrstuvwxyz/1', 'abcdefghijklmnopqrstuvwxyz/abcdefghijklmnopqrstuvwxyz/2', 'z', 'zz'] AS k,
       (SELECT string_agg(CASE WHEN n > 1 AND i % 16 = n THEN '' ELSE to_json((ARRAY['a', 'abcdefg', 'abcdefghijklmn', 'abcdefghijklmno', 'abcdefghijklmnopqrstuvwxyz/abcdefghijklmnopqrstuvwxyz/1', 'abcdefghijklmnopqrstuvwxyz/abcdefghijklmnopqrstuvwxyz/2', 'z'])[n]) || ':' ||
               (ARRAY['null', '5', '5.5', 'true', '"text"', '{"x": [1]}', '[1, "a"]', '{"$numberLong": "7"}', '{"$regularExpression": {"pattern": "a", "options": "i"}}', '{"$numberDecimal": "1.5"}', '{"$oid": "5f0000000000000000000000"}', '""'])
               [1 + CASE WHEN i % 3 = 0 THEN hashint4(i * 10 + n) & 7 WHEN i % 7 = 0 THEN (i / 7 + n) % 12 ELSE 1 END] || ',' END, '' ORDER BY n) FROM generate_series(1, 7) AS n) AS body
  FROM generate_series(1, 800) AS i;
ALTER TABLE typed ADD d bson;
UPDATE typed SET d = ('{' || rtrim(body, ',') || '}')::bson;
SELECT count(DISTINCT d), count(*) FILTER (WHERE d -> 'a' IS DISTINCT FROM d -> k[1]) AS a, count(*) FILTER (WHERE d -> 'abcdefg' IS DISTINCT FROM d -> k[2]) AS b, count(*) FILTER (WHERE d -> 'abcdefghijklmn' IS DISTINCT FROM d -> k[3]) AS c,
       count(*) FILTER (WHERE d -> 'abcdefghijklmno' IS DISTINCT FROM d -> k[4]) AS d, count(*) FILTER (WHERE d -> 'abcdefghijklmnopqrstuvwxyz/abcdefghijklmnopqrstuvwxyz/1' IS DISTINCT FROM d -> k[5]) AS e,
       count(*) FILTER (WHERE d -> 'abcdefghijklmnopqrstuvwxyz/abcdefghijklmnopqrstuvwxyz/2' IS DISTINCT FROM d -> k[6]) AS f, count(*) FILTER (WHERE d -> 'z' IS DISTINCT FROM d -> k[7]) AS g, count(*) FILTER (WHERE d -> 'zz' IS DISTINCT FROM d -> k[8]) AS h,
       count(*) FILTER (WHERE (d ?& '{a,z,abcdefghijklmno}') <> (d ? k[1] AND d ? k[7] AND d ? k[4])) AS i
  FROM typed;

-- the most elements that the bytes of an array can hold: nulls whose keys are empty, which is no JSON
SELECT n, d -> 'a' -> n AS element, d #> ARRAY['a', n::text] AS at_path FROM (VALUES ('\x130000000461000b0000000a000a000a000000'::bytea::bson)) AS v(d), generate_series(0, 3) AS n;
SELECT n, '[null]'::bson -> n AS one, '[]'::bson -> n AS none, '[[], 1]'::bson -> 0 -> n AS inner FROM generate_series(0, 2) AS n;
SELECT '[1, 2]'::bson -> 2147483647, '[1, 2]'::bson ->> 100;

-- what call sites remember does not grow with their documents: 400 of them, each of which looks for a key that is not among 1,000
CREATE TEMP TABLE long_document AS SELECT bson_object_agg('key' || i, i) AS d FROM generate_series(1, 1000) i, generate_series(1, 3) n GROUP BY n;
BEGIN;
DO $$
BEGIN
    EXECUTE (SELECT 'DECLARE many_sites CURSOR FOR SELECT ' || string_agg(format('d ->> ''none%s''', i), ', ') || ' FROM long_document' FROM generate_series(1, 400) i);
END $$;
MOVE 3 IN many_sites;
SELECT max(total_bytes) < 1e6 AS bounded FROM pg_backend_memory_contexts WHERE name = 'ExecutorState';
ROLLBACK;
