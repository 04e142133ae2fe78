-- If this fails, a short way through a document or an array leads elsewhere than the way past each element.
SET jit = off;

-- arrays of one kind, of several, with keys that are no numbers; elements by number are those that come one after the other
CREATE TEMP TABLE arrays (id int, d bson);
INSERT INTO arrays
    SELECT k * 10000 + n, (SELECT bson_agg(CASE k WHEN 1 THEN to_bson(i) WHEN 2 THEN to_bson(i * 0.5) WHEN 3 THEN to_bson(repeat('x', i % 9))
                                                  WHEN 4 THEN bson_build_object('i', i) WHEN 5 THEN to_bson(i % 2 = 0) WHEN 6 THEN 'null'
                                                  WHEN 7 THEN (ARRAY['1', '"two"', '[3]', 'null', '{"a": 5}', '6.5', '{"$binary": {"base64": "AAAA", "subType": "00"}}'])[1 + i * i % 7]::bson
                                                  WHEN 8 THEN CASE WHEN i % 50 = 49 THEN '{"$regularExpression": {"pattern": "x", "options": ""}}'::bson ELSE to_bson(i) END
                                             END ORDER BY i)
                             FROM generate_series(0, n - 1) AS i)
      FROM generate_series(1, 8) AS k, unnest(ARRAY[1, 2, 3, 4, 5, 9, 10, 11, 12, 99, 101, 999, 1003]) AS n;
-- keys that are no numbers, or other ones
INSERT INTO arrays VALUES (1, '\x5a000000046100520000001030000100000010303000020000001031000300000010780004000000107a7a7a7a7a7a7a00050000001000060000000a3700103a0007000000023900040000003100330010313000080000000000'::bson -> 'a');
INSERT INTO arrays VALUES (2, '\x1e0000000461001600000008300001083000000800010a00083300010000'::bson -> 'a');
SELECT id, d FROM arrays WHERE id < 10;
SELECT count(*) AS elements, count(*) FILTER (WHERE e IS DISTINCT FROM d -> (nr - 1)::int) AS wrong,
       count(*) FILTER (WHERE e IS DISTINCT FROM d -> (nr - 1 - n)::int) AS wrong_from_end
  FROM arrays, bson_array_elements(d) WITH ORDINALITY AS x(e, nr), LATERAL (SELECT count(*) AS n FROM bson_array_elements(d)) AS c;
SELECT id, bson_array_length(d) FROM arrays WHERE bson_array_length(d) <> (SELECT count(*) FROM bson_array_elements(d));
SELECT count(*) FROM arrays WHERE d -> bson_array_length(d) IS NOT NULL OR d -> (-1 - bson_array_length(d)) IS NOT NULL;

-- the same in a field, stored in each way
CREATE TEMP TABLE stored (id int, d bson);
ALTER TABLE stored ALTER d SET STORAGE EXTERNAL;
INSERT INTO stored SELECT id, d FROM arrays;
INSERT INTO stored SELECT id + 100000, bson_build_object('pad', repeat('p', 5000), 'a', d) FROM arrays;
SELECT count(*) FILTER (WHERE a.d -> i IS DISTINCT FROM s.d -> i) AS wrong, count(*) FILTER (WHERE a.d -> i IS DISTINCT FROM f.d -> 'a' -> i) AS wrong_in_field
  FROM arrays AS a JOIN stored AS s USING (id) JOIN stored AS f ON f.id = a.id + 100000, unnest(ARRAY[0, 1, 7, 9, 10, 99, 100, 500, 998, 1002, 1003, -1, -2, -10, -11, -500, -1003, -1004]) AS i;

-- documents of one shape and of others; what a call site that remembers finds is what one finds that does not
CREATE TEMP TABLE shapes (id int, d bson);
INSERT INTO shapes
    SELECT i, CASE WHEN i % 11 = 10 THEN '[1]'::bson WHEN i % 13 = 12 THEN '{}' WHEN i % 17 = 16 THEN '"k1"' ELSE
        bson_build_object('k1', i, 'a_key_of_more_than_sixteen_bytes', CASE WHEN i % 3 = 0 THEN NULL ELSE i END,
                          'a_key_of_more_than_sixteen_Bytes', 'x', CASE WHEN i % 200 < 100 THEN 'k2' ELSE 'k2x' END, repeat('y', i % 7),
                          'sub', bson_build_object('k1', i * 2, CASE WHEN i % 5 = 0 THEN 'other' ELSE 'last' END, -i), 'list', ARRAY[i, i], 'k3', i::text) ||
        CASE WHEN i % 4 = 0 THEN '{"k4": true}'::bson WHEN i % 4 = 1 THEN '{"k4": null, "k5": 1.5}' ELSE '{}' END END
      FROM generate_series(1, 2000) AS i;
-- duplicate keys, of which the first counts
INSERT INTO shapes SELECT 3000 + i, CASE WHEN i % 3 < 2 THEN '\x1d000000106b310001000000106b310002000000106b33000300000000' ELSE '{"k1": 5}' END::bson FROM generate_series(1, 20) AS i;
-- optional keys, more kinds of documents than are remembered, and keys in every order, each for long enough to be given up and tried again
INSERT INTO shapes
    SELECT 4000 + i, ('{' || string_agg(format('"%s": %s', k, CASE n % 3 WHEN 0 THEN i::text WHEN 1 THEN '"x"' ELSE 'null' END), ', ' ORDER BY CASE WHEN i > 800 THEN md5(i::text || k) END, n) || '}')::bson
      FROM generate_series(1, 1200) AS i, unnest(ARRAY['k1', 'k2', 'a_key_of_more_than_sixteen_bytes', 'k3', 'k4', 'k5', 'k', 'a_key_of_more_than_sixteen_Bytes', 'other']) WITH ORDINALITY AS u(k, n)
     WHERE CASE WHEN i > 400 THEN ascii(md5(i::text || k)) % 3 > 0 ELSE (n + i) % 12 <> 0 END
     GROUP BY i;
CREATE TEMP TABLE found AS
    SELECT id, ARRAY[d ->> 'k1', d ->> 'a_key_of_more_than_sixteen_bytes', d ->> 'a_key_of_more_than_sixteen_Bytes', d ->> 'k2', d ->> 'k3', d ->> 'k4', d ->> 'k5', d ->> 'k',
                     d ->> 'zzz', d -> 'sub' ->> 'k1', d -> 'sub' ->> 'last', d #>> '{sub,other}', d -> 'list' ->> 1, d['sub']['k1']::text, (d -#> 'k1')::text] AS t,
           ARRAY[d ? 'k1', d ? 'k3', d ? 'k4', d ? 'zzz', d ?| ARRAY['k5', 'k4'], d ?| ARRAY['zzz', 'k'], d ?& ARRAY['k1', 'k3'], d ?& ARRAY['k4', 'k3', 'k1'],
                 d @> '{"k3": "8", "k1": 8}', d @> '{"sub": {"k1": 16}}'] AS b
      FROM shapes;
CREATE TEMP TABLE keys AS SELECT 'k1' AS k1, 'a_key_of_more_than_sixteen_bytes' AS l, 'a_key_of_more_than_sixteen_Bytes' AS m, 'k2' AS k2, 'k3' AS k3, 'k4' AS k4, 'k5' AS k5, 'k' AS k,
    'zzz' AS z, 'sub' AS sub, 'last' AS last, 'other' AS other, 'list' AS list;
SELECT count(*), count(*) FILTER (WHERE found.t IS DISTINCT FROM
        ARRAY[d ->> k1, d ->> l, d ->> m, d ->> k2, d ->> k3, d ->> k4, d ->> k5, d ->> k, d ->> z, d -> sub ->> k1, d -> sub ->> last, d #>> ARRAY[sub, other],
              d -> list ->> 1, (d -> sub -> k1)::text, (d -#> k1)::text]) AS wrong,
    count(*) FILTER (WHERE found.b IS DISTINCT FROM
        ARRAY[d ? k1, d ? k3, d ? k4, d ? z, d ?| ARRAY[k5, k4], d ?| ARRAY[z, k], d ?& ARRAY[k1, k3], d ?& ARRAY[k4, k3, k1],
              d @> bson_build_object(k3, '8', k1, 8), d @> bson_build_object(sub, bson_build_object(k1, 16))]) AS wrong_tests
  FROM shapes JOIN found USING (id), keys;
SELECT id, t, b FROM found WHERE id IN (3, 8, 10, 12, 16, 101) ORDER BY id;

-- values of many chunks that are stepped over, and read in any order by several operators
CREATE TEMP TABLE gaps (id int, d bson);
ALTER TABLE gaps ALTER d SET STORAGE EXTERNAL;
INSERT INTO gaps
    SELECT i, bson_build_object('a', repeat(md5(i::text), 1000 * i), 'n', i, 'b', repeat('b', 100000 * (i % 3)), 'sub', bson_build_object('c', repeat('c', 60000), 'm', -i),
                                'list', bson_build_array(repeat('d', 30000), i, repeat('e', 30000), i + 1), 'z', i * 10)
      FROM generate_series(1, 9) AS i;
SELECT id, d -> 'z' AS z, d -#> 'n' AS n, d -> 'sub' -> 'm' AS m, d -> 'list' -> 1 AS one, d -> 'list' -> 3 AS three, d -> 'list' -> -1 AS last, d -> 'none' AS none, d ? 'z' AS has,
       bson_typeof(d) AS type, bson_typeof(d -> 'list') AS list, length(d ->> 'a') AS a, d @> bson_build_object('z', id * 10) AS contains, d['sub']['m'] AS sub
  FROM gaps ORDER BY id;
SELECT count(*) FROM gaps WHERE d::bytea <> (d || '{}')::bytea OR d -> 'z' <> (d || '{}') -> 'z';
-- a step that finds nothing in an array, whose elements jsonpath and the keys of sorts look into
CREATE TEMP TABLE entered (d bson);
ALTER TABLE entered ALTER d SET STORAGE EXTERNAL;
INSERT INTO entered SELECT bson_build_object('pad', repeat('x', 20000), 'a', '[{"b": 7}, {"b": 5}]'::bson);
SELECT bson_path_query_array(d, '$.a.b') AS found, bson_path_exists(d, '$.a.b') AS has, bson_path_query_array(d, '$.pad.b') AS none,
       bson_sort_key(d, '{"a.b": 1}') AS up, bson_sort_key(d, '{"a.b": -1}') AS down, bson_sort_key(d, '{"pad.b": 1}') AS missing
  FROM entered;
SET bson.detoast_cache_size = 0;
SELECT sum(d -#> 'z'), sum(d -> 'sub' -#> 'm'), count(*) FILTER (WHERE d ? 'none'), sum(length(d -> 'list' ->> 2)) FROM gaps;
RESET bson.detoast_cache_size;
-- roots that are no documents
CREATE TEMP TABLE roots (id int, d bson);
ALTER TABLE roots ALTER d SET STORAGE EXTERNAL;
INSERT INTO roots VALUES (1, (SELECT bson_agg(i) FROM generate_series(0, 20000) AS i)), (2, to_bson(repeat('s', 50000))),
    (3, (SELECT bson_agg(repeat('t', 3000)) FROM generate_series(1, 30))), (4, ('{"$regularExpression": {"pattern": "' || repeat('r', 20000) || '", "options": "i"}}')::bson);
SELECT id, bson_typeof(d), d -> 0 = d -> -1 AS same, d -> 20000 AS last, d -> 'a' AS a, d ? 'a' AS has, d ? repeat('s', 50000) AS is FROM roots ORDER BY id;
-- and stepping over reads less, row after row
CREATE FUNCTION blocks(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ' || query INTO plan;
    RETURN (SELECT sum(value::text::bigint) FROM json_each(plan -> 0 -> 'Plan') WHERE key ~ '(Local|Shared) (Hit|Read) Blocks');
END $$;
INSERT INTO gaps SELECT 100 + i, bson_build_object('a', repeat('a', 100000), 'b', repeat('b', 100000), 'c', repeat('c', 100000), 'n', i, 'o', bson_build_object('p', repeat('p', 400000), 'q', bson_build_object('n', i))) FROM generate_series(1, 60) AS i;
SELECT query, blocks('SELECT ' || query || ' FROM gaps WHERE id > 100') < blocks('SELECT get_byte(d::bytea, 5) FROM gaps WHERE id > 100') / 2 AS sparse
  FROM unnest(ARRAY['d -> ''n''', 'd ? ''n''', 'd ->> ''none''', 'bson_typeof(d)', 'd[''n'']', 'd -#> ''n''', 'd @> ''{"n": 5}''', 'd @> ''{"o": {"q": {"n": 5}}}''', 'bson_get_int8(d, ''n'')', 'd -> ''n'', d -> ''c'' -> 0']) AS query;
-- of compressed documents as much is read as most of them need: not as the few that lack the field
CREATE TEMP TABLE mostly (d bson);
INSERT INTO mostly SELECT bson_build_object(CASE WHEN i % 10 = 1 THEN 'no' ELSE 'n' END, i, 'a', (SELECT string_agg(md5(i || '/' || j / 2), '') FROM generate_series(1, 4000) AS j), 'z', i) FROM generate_series(1, 100) AS i;
SELECT query, blocks('SELECT ' || query || ' FROM mostly') < blocks('SELECT get_byte(d::bytea, 5) FROM mostly') * 2 / 3 AS little
  FROM unnest(ARRAY['d -> ''n''', 'd @> ''{"n": 5}''', 'd @@ ''$.n == 5''', 'd @~ ''{"n": 5}''']) AS query;
CREATE TEMP TABLE nested (d bson);
INSERT INTO nested SELECT CASE WHEN d ? 'n' THEN bson_build_object('o', d) ELSE bson_build_object('o', bson_build_array(d)) END FROM mostly;
SELECT blocks('SELECT d @~ ''{"o.n": 5}'' FROM nested') < blocks('SELECT get_byte(d::bytea, 5) FROM nested') * 2 / 3 AS little;
DROP FUNCTION blocks;

-- fields of all kinds with keys of all lengths, some twice, whose names occur in values, too: the first of each name is what -> finds, and of other names nothing
CREATE TEMP TABLE kinds (id bigint, d bson);
INSERT INTO kinds
    SELECT n * 1000 + k, (SELECT bson_object_agg(CASE WHEN i = 5 THEN '' ELSE repeat(chr(97 + i % 3), (i * k) % 19) || CASE WHEN i % 7 = 0 THEN 'end' ELSE i::text END END,
        CASE (i / k * k + i % k * 5) % 13 WHEN 0 THEN to_bson(i) WHEN 1 THEN to_bson(i * 0.5) WHEN 2 THEN to_bson(repeat('x', i % 9)) WHEN 3 THEN to_bson(repeat('y', i * 10 % 3000)) WHEN 4 THEN 'true'
            WHEN 5 THEN 'null' WHEN 6 THEN to_bson(5000000000 + i) WHEN 7 THEN to_bson('abc' || chr(16) || i) WHEN 8 THEN to_bson(convert_to(chr(16) || 'a' || (i + 1), 'UTF8') || '\x0001000000')
            WHEN 9 THEN bson_build_object((i + 1)::text, i, 'aend', 'x') WHEN 10 THEN to_bson(ARRAY[i, i]) WHEN 11 THEN '{"$numberDecimal": "1.5"}'
            ELSE '{"$regularExpression": {"pattern": "a1", "options": "i"}}' END) FROM generate_series(1, n) AS i)
      FROM unnest(ARRAY[1, 2, 3, 15, 40, 300, 1100]) AS n, unnest(ARRAY[1, 2, 5, 7, 300]) AS k WHERE n < 1000 OR k = 7;
-- each with the fields of others behind its own
CREATE FUNCTION joined(a bytea, b bytea) RETURNS bson LANGUAGE sql AS $$
    SELECT (reverse_bytes || substr(a, 5, length(a) - 5) || substr(b, 5))::bson
      FROM (SELECT substr(n, 4, 1) || substr(n, 3, 1) || substr(n, 2, 1) || substr(n, 1, 1) AS reverse_bytes FROM int4send(length(a) + length(b) - 5) AS n) AS n $$;
INSERT INTO kinds SELECT b.id * 1000000 + a.id, joined(a.d::bytea, b.d::bytea) FROM kinds AS a JOIN kinds AS b ON b.id > a.id AND b.id % 1000 = a.id % 1000;
DROP FUNCTION joined;
CREATE TEMP TABLE kinds_stored (id bigint, d bson);
ALTER TABLE kinds_stored ALTER d SET STORAGE EXTERNAL;
INSERT INTO kinds_stored SELECT * FROM kinds;
CREATE TEMP TABLE firsts AS
    SELECT DISTINCT ON (id, key) id, key, value FROM kinds, bson_each(d) WITH ORDINALITY AS e(key, value, nr) ORDER BY id, key, nr;
SELECT count(*), count(*) FILTER (WHERE value IS DISTINCT FROM a.d -> key) AS wrong, count(*) FILTER (WHERE value IS DISTINCT FROM b.d -> key OR NOT b.d ? key) AS wrong_stored,
       count(*) FILTER (WHERE NOT a.d ?& ARRAY[key] OR value IS DISTINCT FROM a.d #> ARRAY[key]) AS wrong_others
  FROM firsts JOIN kinds AS a USING (id) JOIN kinds_stored AS b USING (id);
SELECT count(*), count(*) FILTER (WHERE (a.d -> other IS NOT NULL) <> there) AS wrong, count(*) FILTER (WHERE (b.d -> other IS NOT NULL) <> there) AS wrong_stored
  FROM firsts JOIN kinds AS a USING (id) JOIN kinds_stored AS b USING (id), unnest(ARRAY[left(key, -1), key || 'x', key || '1', substr(key, 2)]) AS other,
       LATERAL (SELECT EXISTS (SELECT FROM firsts AS f WHERE f.id = a.id AND f.key = other) AS there) AS x
 WHERE a.id % 1000 IN (1, 7) AND a.id % 1000000 < 20000;
-- by constants, of which the call site remembers the documents
DO $$
DECLARE
    k text[];
    wrong bigint;
BEGIN
    FOR k IN SELECT ARRAY[key, lead(key, 3, 'x') OVER w, lead(key, 8, '') OVER w] FROM firsts WHERE id = 40007015007 AND length(key) % 3 = 0 WINDOW w AS (ORDER BY key) LOOP
        EXECUTE format('SELECT count(*) FROM kinds AS a JOIN kinds_stored AS b USING (id), (SELECT %1$L::text[] AS k OFFSET 0) AS k WHERE
            a.d -> %2$L IS DISTINCT FROM a.d -> k[1] OR b.d -> %2$L IS DISTINCT FROM a.d -> k[1] OR (a.d ?| %1$L) <> (a.d ? k[1] OR a.d ? k[2] OR a.d ? k[3]) OR
            (b.d ?| %1$L) <> (a.d ?| %1$L) OR (a.d ?& %1$L) <> (a.d ? k[1] AND a.d ? k[2] AND a.d ? k[3]) OR (b.d ?& %1$L) <> (a.d ?& %1$L)', k, k[1]) INTO wrong;
        IF wrong > 0 THEN
            RAISE WARNING '% wrong for %', wrong, k;
        END IF;
    END LOOP;
END $$;

-- the same keys with values of any type: so often another than before that it is not guessed any more
CREATE TEMP TABLE any_type AS
    SELECT i, (SELECT bson_object_agg(key, CASE WHEN (i + n) % 41 = 0 THEN '{"$regularExpression": {"pattern": "a1", "options": "i"}}' ELSE
                                               (ARRAY['null', 'true', '7', '5000000000', '1.5', '""', '"k1"', '"a text of more than some bytes"', '{}', '{"k1": 1, "end": 2}', '[]', '[1, "x"]',
                                                      '{"$numberDecimal": "1.5"}', '{"$binary": {"base64": "AQID", "subType": "00"}}', '{"$date": "2022-03-03T12:13:14.789Z"}',
                                                      '{"$oid": "0123456789abcdef01234567"}']::bson[])[1 + get_byte(decode(md5(i || key), 'hex'), 0) % 16] END ORDER BY n)
                 FROM unnest(ARRAY['k', 'k1', 'key_of8', 'key_of_14_byte', 'key_of__15_byte', 'a_key_of_more_than_sixteen_bytes', 'last', 'end']) WITH ORDINALITY AS u(key, n)) AS d
      FROM generate_series(1, 2000) AS i;
\a
SELECT count(*), count(*) FILTER (WHERE d -> 'k1' IS DISTINCT FROM d -> k[2] OR d ->> 'k' IS DISTINCT FROM d ->> k[1]) AS k,
       count(*) FILTER (WHERE d -> 'key_of_14_byte' IS DISTINCT FROM d -> k[4] OR d -> 'key_of__15_byte' IS DISTINCT FROM d -> k[5]) AS words,
       count(*) FILTER (WHERE d -> 'a_key_of_more_than_sixteen_bytes' IS DISTINCT FROM d -> k[6]) AS long,
       count(*) FILTER (WHERE d ->> 'last' IS DISTINCT FROM d ->> k[7] OR d -> 'end' IS DISTINCT FROM d -> k[8]) AS last,
       count(*) FILTER (WHERE d -> 'zzz' IS NOT NULL OR d ? 'en' OR NOT d ? 'end' OR NOT d ?& ARRAY['end', 'k1'] OR d ?| ARRAY['zzz', 'yyy']) AS there,
       count(*) FILTER (WHERE (d @> '{"end": 7, "k1": true}') <> (d -> k[8] = '7'::bson AND d -> k[2] = 'true'::bson)) AS part,
       count(*) FILTER (WHERE (SELECT row(r."end", r.key_of8) FROM bson_to_record(d) AS r(key_of8 bson, "end" bson)) IS DISTINCT FROM row(nullif(d -> k[8], 'null'), nullif(d -> k[3], 'null'))) AS record
  FROM any_type, (SELECT ARRAY['k', 'k1', 'key_of8', 'key_of_14_byte', 'key_of__15_byte', 'a_key_of_more_than_sixteen_bytes', 'last', 'end'] AS k OFFSET 0) AS k;
\a

-- keys of every length that begin alike, in documents one of whose keys has another byte somewhere, or one of whose values another type
\a
CREATE TEMP TABLE alike AS
  SELECT i, (SELECT string_agg(format('"%s":%s', CASE WHEN i % 3 = 0 AND n = 1 + i % 80 THEN overlay(key placing 'Z' from 1 + i * 7 % n) ELSE key END,
                                      CASE WHEN i % 3 = 1 AND n = 1 + i % 80 THEN (ARRAY['null', '"x"', '[1]', '1.5'])[1 + i % 4] ELSE (n * 1000 + i)::text END), ',' ORDER BY n)
             FROM (SELECT n, left(repeat('property_', 9), n) AS key FROM generate_series(1, 80) AS n) AS k) AS text
  FROM generate_series(1, 400) AS i;
CREATE TEMP TABLE alike_bson AS SELECT i, ('{' || text || '}')::jsonb AS j, ('{' || text || '}')::bson AS d FROM alike;
SELECT count(DISTINCT d) FROM alike_bson;
DO $$
DECLARE
    k record;
    wrong bigint;
BEGIN
    FOR k IN SELECT key, format('{"%s":%s,"%s":%s}', key, n * 1000 + 20, left(key, n / 2 + 1), (n / 2 + 1) * 1000 + 20) AS two
             FROM (SELECT n, left(repeat('property_', 9), n) AS key FROM generate_series(1, 80) AS n UNION ALL SELECT n, left(repeat('property_', 9), n) || '-' FROM generate_series(14, 40) AS n) AS k LOOP
        EXECUTE format('SELECT count(*) FROM alike_bson WHERE d ->> %1$L IS DISTINCT FROM j ->> %1$L OR (d @> %2$L) <> (j @> %2$L)', k.key, k.two) INTO wrong;
        IF wrong > 0 THEN
            RAISE WARNING '% wrong for %', wrong, k;
        END IF;
    END LOOP;
END $$;
-- a call site keeps no copies of keys that are as long as documents
CREATE TEMP TABLE lengthy AS SELECT i, bson_build_object(i || repeat('k', 1000000), i, 'n', i) AS d FROM generate_series(1, 12) AS i;
CREATE FUNCTION taken() RETURNS numeric LANGUAGE sql VOLATILE AS $$ SELECT sum(used_bytes) FROM pg_backend_memory_contexts WHERE name <> 'bson detoast cache' $$;
SELECT sum(n) AS n, max(taken) - min(taken) < 2000000 AS little FROM (SELECT d -#> 'n' AS n, taken() AS taken FROM lengthy OFFSET 0) AS x;
DROP FUNCTION taken;
\a

-- a key that most of many different documents do not have; elsewhere it is in a value, deeper, or the beginning or end of another key
CREATE TEMP TABLE maps AS
  SELECT i, format('{%s%s%s}', entries,
                   CASE i % 23 WHEN 7 THEN format(', "%s": %s', k, i) WHEN 9 THEN format(', "text": "%s"', k) WHEN 11 THEN format(', "deeper": {"%s": 1}', k) WHEN 13 THEN format(', "x%s": 2', k)
                               WHEN 15 THEN format(', "%s": 3', left(k, -1)) WHEN 17 THEN format(', "%sx": 4', k) WHEN 19 THEN format(', "%s": "%s"', k, repeat('long ', 400)) WHEN 21 THEN format(', "%s": null', k) END,
                   CASE WHEN i % 3 = 0 THEN ', "tail": true' WHEN i % 3 = 1 THEN format(', "%s": [1]', md5('t' || i)) END)::jsonb AS j, k
    FROM (SELECT i, (ARRAY['k', 'key', 'of__eight', 'a_key_of_16bytes', 'one of more than sixteen', 'c0ffee00-4711-42ab-8c1d-0123456789ab'])[1 + i % 6] AS k,
                 (SELECT string_agg(format('"%s": %s', left(md5(i || ' ' || n), 1 + (i * n) % 32), (ARRAY['1', '"two"', '3.5', 'null', '{"four": 4}'])[1 + (i + n) % 5]), ', ') FROM generate_series(1, 1 + i % 9) AS n) AS entries
            FROM generate_series(1, 4000) AS i) AS s;
DO $$
DECLARE
    key text;
    n bigint;
    wrong bigint;
BEGIN
    FOR key IN SELECT * FROM (SELECT DISTINCT k FROM maps UNION ALL SELECT '' UNION ALL SELECT 'none') AS keys ORDER BY k COLLATE "C" LOOP
        EXECUTE format('SELECT count(j -> %1$L), count(*) FILTER (WHERE d ->> %1$L IS DISTINCT FROM j ->> %1$L OR (d -> %1$L IS NULL) <> (j -> %1$L IS NULL))
                          FROM (SELECT j, j::bson AS d FROM maps OFFSET 0) AS m', key) INTO n, wrong;
        RAISE NOTICE '"%": in %, % wrong', key, n, wrong;
    END LOOP;
END $$;
