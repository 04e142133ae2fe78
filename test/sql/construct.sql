-- If this fails, SQL values become the wrong BSON, or the functions that make
-- documents and arrays of them differ from jsonb's.
SET timezone = 'America/New_York';
SET datestyle = 'ISO';
SET intervalstyle = 'postgres';

-- every mapped type; the text distinguishes them all

-- booleans and numbers
SELECT to_bson(true), to_bson(false);
SELECT to_bson(v) FROM (VALUES ((-32768)::int2), (0), (32767)) x(v);
SELECT to_bson(v) FROM (VALUES (-2147483648), (0), (2147483647)) x(v);
SELECT to_bson(v) FROM (VALUES (-9223372036854775808), (5), (9223372036854775807)) x(v);
SELECT to_bson(4294967295::oid);
-- a real keeps its decimal spelling
SELECT to_bson(v)
  FROM (VALUES (1.1::float4), ('-0'), ('3.4028235e38'), ('1e-45'), ('inf'), ('-inf'), ('nan')) x(v);
SELECT to_bson(v)
  FROM (VALUES (1.1::float8), ('-0'), ('1.7976931348623157e308'), ('5e-324'), ('inf'), ('-inf'), ('nan'), (15)) x(v);
-- a numeric keeps its scale
SELECT to_bson(v)
  FROM (VALUES (1.10::numeric), (0), (0.000), (-15), ('nan'), ('inf'), ('-inf'),
               (9999999999999999999999999999999999), (-0.0000000000000000000000000000000001)) x(v);
SELECT to_bson(12345678901234567890123456789012345::numeric);   -- ERROR, 35 digits
SELECT to_bson(1e6145::numeric);                                 -- ERROR, too large
SELECT to_bson(1e6144::numeric), to_bson(1e-6176::numeric);
SELECT to_bson(1e-6177::numeric);                                -- ERROR, too small

-- text
SELECT to_bson('a"\é'::text), to_bson(''::varchar(3)),
       to_bson('ab'::char(4)), to_bson('nm'::name),
       to_bson('c'::"char");
CREATE TYPE cs_mood AS ENUM ('sad', 'ok');
SELECT to_bson('ok'::cs_mood);
SELECT to_bson('1 day'::interval),
       to_bson('10.0.0.1'::inet), to_bson('12:30'::time),
       to_bson(int4range(1, 5)), to_bson('pg_class'::regclass);
SELECT to_bson('unknown');                                       -- text; an error with to_jsonb

-- dates: rounded to milliseconds; a timestamp and a date count as UTC
SELECT to_bson(timestamptz '2014-05-28 12:22:35.614298-04'),
       to_bson(timestamp '2014-05-28 12:22:35.614298'),
       to_bson(date '2014-05-28');
SELECT to_bson(timestamptz '2000-01-01 00:00:00.0005Z'),
       to_bson(timestamptz '2000-01-01 00:00:00.000499Z'),
       to_bson(timestamptz '1969-12-31 23:59:59.9994Z');
SELECT to_bson(date '4713-01-01 BC'), to_bson(date '5874897-12-31'),
       to_bson(timestamp '294276-12-31 23:59:59.999');
SELECT to_bson(date 'infinity');                                 -- ERROR, no such date
SELECT to_bson(timestamp '-infinity');                           -- ERROR, no such date
SELECT to_bson(timestamptz 'infinity');                          -- ERROR, no such date

-- bytes
SELECT to_bson('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid),
       to_bson('\x00ff'::bytea), to_bson(''::bytea);

-- json, jsonb and bson are nested by value
SELECT to_bson('{"a": [1, "x"]}'::json), to_bson('{"a": [1, "x"]}'::jsonb),
       to_bson(to_bson(5)), to_bson('"s"'::jsonb), to_bson('null'::json);

-- arrays: NULLs, dimensions, lower bounds, empty, of domains
SELECT to_bson(ARRAY[1, NULL, 3]), to_bson('{}'::int[]), to_bson('[5:6]={1,2}'::int[]),
       to_bson(ARRAY[[[1, 2], [3, 4]], [[5, NULL], [7, 8]]]), to_bson(ARRAY['a', NULL]);
SELECT array_to_bson(ARRAY[[true], [NULL::bool]]), array_to_bson(ARRAY[1.5, 2.50], true),
       array_to_bson('{{1,5},{99,100}}'::int[]), array_to_bson(ARRAY[ROW(1, 'a'), ROW('b', NULL)]::record[]);
SELECT to_bson('1 2'::int2vector);
SELECT array_to_bson(histogram_bounds) IS NOT NULL AS ok
  FROM pg_stats WHERE histogram_bounds IS NOT NULL LIMIT 1;

-- rows
SELECT row_to_bson(ROW(1, 'foo', NULL, ARRAY[1, 2])), row_to_bson(ROW(1, ROW(2, 3)), true), to_bson(ROW());
CREATE TABLE cs_row (a int, gone text, "b.c" text, "$d" numeric);
INSERT INTO cs_row VALUES (1, 'x', 'y', 2.50), (NULL, NULL, NULL, NULL);
ALTER TABLE cs_row DROP COLUMN gone;
ALTER TABLE cs_row ADD COLUMN e bool DEFAULT true;
SELECT row_to_bson(cs_row) FROM cs_row;
SELECT row_to_bson(q) FROM (SELECT 1 AS a, 2 AS b, 3 AS a, cs_row AS r FROM cs_row LIMIT 1) q;
SELECT array_to_bson(array_agg(q)) FROM (SELECT g AS n, cs_row FROM generate_series(1, 2) g, cs_row) q;

-- a row type that changes between two rows, and during the life of the call site
SELECT to_bson(ARRAY[ROW(1, 2), ROW('x'::text, true), ROW(1), ROW(3, 4)]::record[]);
DO $$
DECLARE r cs_row;
BEGIN
  FOR i IN 1..2 LOOP
    EXECUTE 'SELECT * FROM cs_row LIMIT 1' INTO r;
    RAISE NOTICE '%', row_to_bson(r);
    ALTER TABLE cs_row ALTER COLUMN a TYPE text;
  END LOOP;
END $$;

-- domains convert like their base types
CREATE DOMAIN cs_posint AS int CHECK (VALUE > 0);
CREATE DOMAIN cs_ints AS cs_posint[];
CREATE DOMAIN cs_rowd AS cs_row;
SELECT to_bson(5::cs_posint), to_bson('{1,2}'::cs_ints),
       to_bson(ROW('1', 'x', 2, false)::cs_rowd);

-- a type with a cast to json, or to bson, uses it
CREATE TYPE cs_cat AS (name text);
CREATE TYPE cs_range AS RANGE (subtype = float8);
CREATE FUNCTION cs_range_json(cs_range) RETURNS json LANGUAGE sql IMMUTABLE
  RETURN json_build_object('lower', lower($1), 'upper', upper($1));
CREATE CAST (cs_range AS json) WITH FUNCTION cs_range_json(cs_range);
SELECT to_bson('[1,2]'::cs_range);
CREATE FUNCTION cs_range_bson(cs_range, int, bool) RETURNS bson LANGUAGE sql IMMUTABLE
  RETURN CASE WHEN isempty($1) THEN NULL ELSE bson_build_array(lower($1), $2, $3) END;
CREATE CAST (cs_range AS bson) WITH FUNCTION cs_range_bson(cs_range, int, bool);
SELECT to_bson('[1,2]'::cs_range), to_bson(ARRAY['empty'::cs_range]);

-- NULL becomes NULL
SELECT to_bson(NULL::int) IS NULL, row_to_bson(NULL) IS NULL, array_to_bson(NULL::int[]) IS NULL;

-- large and deep
SELECT length(to_bson(array_agg(g))::bytea) FROM generate_series(1, 100000) g;
SELECT length(to_bson(repeat('x', 3000000))::bytea);

-- bson_build_array
SELECT bson_build_array('a', 1, 'b', 1.2, 'c', true, 'd', NULL, 'e', json '{"x": 3, "y": [1,2,3]}');
SELECT bson_build_array('a', NULL), bson_build_array(), bson_build_array(NULL);
SELECT bson_build_array(VARIADIC NULL::text[]);                  -- NULL
SELECT bson_build_array(VARIADIC '{}'::text[]), bson_build_array(VARIADIC '{a,b,c}'::text[]),
       bson_build_array(VARIADIC ARRAY['a', NULL]), bson_build_array(VARIADIC '{{1,4},{2,5},{3,6}}'::int[]);

-- bson_build_object
SELECT bson_build_object('a', 1, 'b', 1.2, 'c', true, 'd', NULL, 'e', json '{"x": 3, "y": [1,2,3]}');
SELECT bson_build_object('z', 1, 'a', bson_build_object('b', false, 'c', 99),
                         'd', bson_build_object('e', ARRAY[9, 8, 7]));
SELECT bson_build_object(), bson_build_object('', 1), bson_build_object('a', NULL);
-- keys are the text of scalars
SELECT bson_build_object(1, 2, 2.50, 3, true, 4, date '2014-05-28', 5,
                         timestamp '2014-05-28 12:22:35.614298', 6, 'ok'::cs_mood, 7);
-- of equal keys the last value counts, at the first one's place
SELECT bson_build_object('a', 1, 'b', 2, 'a', 3, 'c', 4, 'b', 5);
SELECT bson_build_object('1', 1, 1, 2);
SELECT bson_build_object('a', 'b', 'c');                         -- ERROR, odd
SELECT bson_build_object('{a,b,c}'::text[]);                     -- ERROR, odd
SELECT bson_build_object(NULL, 'a');                             -- ERROR, key is NULL
SELECT bson_build_object('a', 1, NULL, 2);                       -- ERROR, key is NULL
SELECT bson_build_object('{a,b}'::text[], 1);                    -- ERROR, key is an array
SELECT bson_build_object(r, 2) FROM (SELECT 1 AS a, 2 AS b) r;   -- ERROR, key is a row
SELECT bson_build_object(json '{"a":1,"b":2}', 3);               -- ERROR, key is json
SELECT bson_build_object(to_bson(1), 3);                         -- ERROR, key is bson
SELECT bson_build_object(VARIADIC NULL::text[]);                 -- NULL
SELECT bson_build_object(VARIADIC '{}'::text[]), bson_build_object(VARIADIC '{1,2,3,4}'::text[]),
       bson_build_object(VARIADIC '{1,2,3,4}'::int[]), bson_build_object(VARIADIC '{{1,4},{2,5},{3,6}}'::int[]),
       bson_build_object(VARIADIC ARRAY['a', NULL]);
SELECT bson_build_object(VARIADIC '{a,b,c}'::text[]);            -- ERROR, odd
SELECT bson_build_object(VARIADIC ARRAY[NULL, 'a']);             -- ERROR, key is NULL
\a
-- what a call site knows of its arguments serves each of its calls: the result of every row is jsonb's
SELECT i, b, b::jsonb = j AS same
FROM generate_series(1, 3) AS i, LATERAL (SELECT nullif(i, 2) AS n, 'k' || i AS k, repeat('long', i * 1000) AS long, i::text::char(3) AS padded OFFSET 0) AS v,
     LATERAL (SELECT bson_build_object('a', i, 'b', 'text', 'a', n, '', NULL) AS b, jsonb_build_object('a', i, 'b', 'text', 'a', n, '', NULL) AS j
              UNION ALL SELECT bson_build_object(k, i, 'k2', n, padded, 'x'), jsonb_build_object(k, i, 'k2', n, padded, 'x')
              UNION ALL SELECT bson_build_object('a', bson_build_array('x', i, NULL, n, k), 'of', bson_build_object('i', i)),
                               jsonb_build_object('a', jsonb_build_array('x', i, NULL, n, k), 'of', jsonb_build_object('i', i))
              UNION ALL SELECT bson_build_object(VARIADIC array_fill(k, ARRAY[i * 2])), jsonb_build_object(VARIADIC array_fill(k, ARRAY[i * 2]))
              UNION ALL SELECT bson_build_object(left(long, 4 * i) || length(long), i), jsonb_build_object(left(long, 4 * i) || length(long), i)) AS made;
SELECT length(k), length(bson_build_object(k, i)::bytea) FROM generate_series(1, 2) AS i, LATERAL (SELECT repeat('long', i * 1000) AS k) AS v;
DO $$
DECLARE
    k text;
    made bson[];
BEGIN
    FOR i IN 1..3 LOOP
        k := 'k' || i;
        BEGIN
            made := made || bson_build_object('i', i, k, k, 'at', CASE WHEN i = 1 THEN timestamp 'infinity' END);
        EXCEPTION WHEN datetime_field_overflow THEN
            made := made || bson_build_array('none', k);
        END;
    END LOOP;
    RAISE NOTICE '%', made;
END $$;
SELECT bson_build_object('a', i, CASE WHEN i < 2 THEN 'b' END, 2) FROM generate_series(1, 2) AS i;  -- ERROR, key is NULL
\a
-- many keys, half of them twice
SELECT length(bson_build_object(VARIADIC array_agg(k || ''))::bytea)
  FROM (SELECT unnest(ARRAY[g % 50000, g]) AS k FROM generate_series(1, 100000) g) x;

-- bson_object
SELECT bson_object('{}'), bson_object('{}', '{}'), bson_object('{a,1,b,2,3,NULL,"d e f","a b c"}'),
       bson_object('{{a,1},{b,2},{3,NULL},{"d e f","a b c"}}');
-- the bytes are those of bson_build_object: repeated keys, NULL, empty and long strings, characters of several bytes
\a
SELECT count(*), count(*) FILTER (WHERE bson_object(list)::bytea = built AND bson_object(keys, vals)::bytea = built) AS same
FROM generate_series(0, 300) AS n,
     LATERAL (SELECT array_agg(CASE i % 9 WHEN 8 THEN repeat('ключ', n) ELSE left('aébc', (i * n % 5)) END ORDER BY i) AS keys,
                     array_agg(CASE i % 7 WHEN 3 THEN NULL ELSE repeat(left('x€yz', i % 5), (n * i) % 400) END ORDER BY i) AS vals
              FROM generate_series(1, n % 20) AS i) AS columns,
     LATERAL (SELECT array_agg(v ORDER BY i, j) AS list FROM unnest(keys, vals) WITH ORDINALITY AS u(k, s, i), LATERAL (VALUES (1, k), (2, s)) AS pair(j, v)) AS lists,
     LATERAL (SELECT bson_build_object(VARIADIC list)::bytea AS built) AS b
WHERE keys IS NOT NULL;
\a
SELECT bson_object('{a,b,c}');                                   -- ERROR, odd
SELECT bson_object('{{a},{b}}');                                 -- ERROR, one column
SELECT bson_object('{{a,b,c},{b,c,d}}');                         -- ERROR, too many columns
SELECT bson_object('{{{a,b},{c,d}},{{b,c},{d,e}}}');             -- ERROR, too many dimensions
SELECT bson_object('{a,1,NULL,2}');                              -- ERROR, key is NULL
SELECT bson_object('{a,b,a}', '{1,2,3}'), bson_object('{a,b,"","d e f"}', '{1,2,3,"a b c"}'),
       bson_object('{a,b,c}', '{1,NULL,"NULL"}');
SELECT bson_object('{{a,1},{b,2}}', '{{a,1},{b,2}}');            -- ERROR, two dimensions
SELECT bson_object('{a,b}', '{1,2,3}');                          -- ERROR, different lengths
SELECT bson_object('{a,b,c}', '{1,2}');                          -- ERROR, different lengths
SELECT bson_object('{a,b}', '{}');                               -- ERROR, different dimensions
SELECT bson_object('{a,b,NULL,"d e f"}', '{1,2,3,"a b c"}');     -- ERROR, key is NULL

DROP TABLE cs_row CASCADE;
DROP TYPE cs_cat, cs_range CASCADE;
DROP DOMAIN cs_ints, cs_posint;
DROP TYPE cs_mood;
