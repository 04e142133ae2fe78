-- If this fails, documents become the wrong rows: fields in wrong columns,
-- values changed on the way, domains unchecked, or errors other than jsonb's.
SET timezone = 'America/New_York';
SET datestyle = 'ISO';
SET intervalstyle = 'postgres';

CREATE DOMAIN re_pos AS int CHECK (VALUE > 0);
CREATE DOMAIN re_need AS int NOT NULL;
CREATE DOMAIN re_arr AS int[] CHECK (array_length(VALUE, 1) = 2);
CREATE TYPE re_mood AS ENUM ('sad', 'ok');
CREATE TYPE re_pair AS (x int, y text);
CREATE DOMAIN re_pairs AS re_pair CHECK ((VALUE).x > 0);
CREATE TYPE re_rec AS (i int, t text, n numeric(8, 2), a int[], p re_pair, ps re_pair[], d re_pos, da re_arr, m re_mood);

-- columns are found by name; missing ones are NULL, or as in the base; null is NULL
SELECT * FROM bson_populate_record(NULL::re_pair, '{"y": "b", "z": 1, "x": 5}');
SELECT * FROM bson_populate_record(NULL::re_pair, '{"Y": "b"}');
SELECT * FROM bson_populate_record(ROW(1, 'a')::re_pair, '{"x": 2}');
SELECT * FROM bson_populate_record(ROW(1, 'a')::re_pair, '{"x": null, "z": 0}');
SELECT * FROM bson_populate_record(ROW(1, 'a')::re_pair, '{}');
SELECT * FROM bson_populate_record(ROW(1, 'a')::re_pair, NULL);
SELECT bson_populate_record(NULL::re_pair, NULL) IS NULL;
SELECT bson_populate_record(NULL::re_pair, '{}');
-- of duplicate keys the first counts, as everywhere
SELECT bson_populate_record(NULL::re_pair, '\x13000000107800010000001078000200000000'::bson);

-- nested rows, arrays, domains
SELECT * FROM bson_populate_record(NULL::re_rec, '{"i": 1, "t": "x", "n": 3.14159, "a": [1, null, "3"],
  "p": {"x": 1, "y": "z"}, "ps": [{"x": 1}, null, {"y": "q", "x": "7"}, "(8,eight)"], "d": 4, "da": [1, 2], "m": "ok"}');
SELECT p, ps FROM bson_populate_record(ROW(1, 't', 2, NULL, ROW(1, 'kept'), NULL, 1, NULL, 'ok')::re_rec,
                                       '{"p": {"x": 2}}');
SELECT a, ps FROM bson_populate_record(NULL::re_rec, '{"a": "{1,2}", "ps": "{\"(1,a)\"}"}');
SELECT * FROM bson_populate_record(NULL::re_rec, '{"d": 0}');                 -- ERROR, domain
SELECT * FROM bson_populate_record(NULL::re_rec, '{"da": [1]}');              -- ERROR, domain
SELECT * FROM bson_populate_record(NULL::re_rec, '{"m": "glad"}');            -- ERROR, enum
SELECT * FROM bson_populate_record(NULL::re_rec, '{"i": "x"}');               -- ERROR, no integer
SELECT * FROM bson_populate_record(NULL::re_rec, '{"i": 1.5}');               -- ERROR, no integer
SELECT * FROM bson_populate_record(NULL::re_rec, '{"i": 3000000000}');        -- ERROR, too large
SELECT * FROM bson_populate_record(NULL::re_rec, '{"n": 1234567.5}');         -- ERROR, too large
SELECT * FROM bson_populate_record(NULL::re_rec, '{"p": 5}');                 -- ERROR, not a document
SELECT * FROM bson_populate_record(NULL::re_rec, '{"p": [5]}');               -- ERROR, not a document
SELECT * FROM bson_populate_record(NULL::re_rec, '{"a": 5}');                 -- ERROR, not an array
SELECT * FROM bson_populate_record(NULL::re_rec, '{"a": {"0": 1}}');          -- ERROR, not an array
CREATE TABLE re_need_t (v re_need, w int);
SELECT * FROM bson_populate_record(NULL::re_need_t, '{"w": 1}');              -- ERROR, domain without NULL
SELECT * FROM bson_populate_record(NULL::re_need_t, '{"v": null}');           -- ERROR, domain without NULL
SELECT * FROM bson_populate_record(NULL::re_need_t, '{"v": 5}');
SELECT * FROM bson_populate_record(ROW(3, 4)::re_need_t, '{"w": 1}');
SELECT bson_populate_record(NULL::re_pairs, '{"x": 1}'), bson_populate_record(ROW(1, 'a')::re_pairs, '{"y": "b"}');
SELECT bson_populate_record(ROW(1, 'a')::re_pairs, '{"x": 0}');               -- ERROR, domain over a row

-- the same, checked beforehand
SELECT d, bson_populate_record_valid(NULL::re_rec, d)
FROM unnest(ARRAY['{"i": 1, "d": 4, "m": "ok"}', '{}', '{"i": null}', '{"z": "x"}', '{"i": "7", "ps": ["(8,eight)"]}',
                  '{"d": 0}', '{"da": [1]}', '{"m": "glad"}', '{"i": "x"}', '{"i": 1.5}', '{"i": 3000000000}', '{"n": 1234567.5}',
                  '{"p": 5}', '{"a": 5}', '{"a": [[1], [1, 2]]}', '{"p": {"x": "y"}}', '{"ps": [{"x": "y"}]}', '[]', '5', NULL]::bson[]) AS d;
SELECT bson_populate_record_valid(NULL::re_need_t, '{"w": 1}'), bson_populate_record_valid(ROW(3, 4)::re_need_t, '{"w": 1}'),
       bson_populate_record_valid(NULL::re_pairs, '{"x": 0}'), bson_populate_record_valid(ROW(1, 'a')::re_pair, NULL);
CREATE TYPE re_other AS (r regclass, x xid8);
SELECT bson_populate_record_valid(NULL::re_other, '{"r": "pg_class"}'), bson_populate_record_valid(NULL::re_other, '{"r": "no_such"}');
-- a table filled with the valid documents, in a transaction that goes on
BEGIN;
CREATE TEMP TABLE re_fits AS
SELECT (bson_populate_record(NULL::re_pair, d)).*
FROM (SELECT bson_build_object('x', CASE WHEN i % 3 = 0 THEN 'no' ELSE i::text END, 'y', repeat('y', i * 20)) AS d FROM generate_series(1, 300) AS i) AS s
WHERE bson_populate_record_valid(NULL::re_pair, d);
COMMIT;
SELECT count(*), sum(x), sum(length(y)) FROM re_fits;
SELECT bson_populate_record_valid(NULL::int, '{}');                            -- ERROR, not a row
-- errors that do not depend on the values are still raised
CREATE FUNCTION re_cancelled(int) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN RAISE SQLSTATE '57014' USING MESSAGE = 'stopped'; END $$;
CREATE DOMAIN re_stop AS int CHECK (re_cancelled(VALUE));
CREATE TYPE re_stops AS (s re_stop);
\set VERBOSITY terse
SELECT bson_populate_record_valid(NULL::re_stops, '{"s": 1}');                 -- ERROR
\set VERBOSITY default

-- arrays of several dimensions
SELECT v FROM bson_to_record('{"v": [[1, 2], [null, "4"]]}') AS x(v int[]);
SELECT v FROM bson_to_record('{"v": [[[1], [2]], [[3], [4]]]}') AS x(v text[]);
SELECT v FROM bson_to_record('{"v": [[], []]}') AS x(v int[]);
SELECT v FROM bson_to_record('{"v": []}') AS x(v int[]);
SELECT v FROM bson_to_record('{"v": [[1, 2], [3]]}') AS x(v int[]);           -- ERROR, ragged
SELECT v FROM bson_to_record('{"v": [[1, 2], 3]}') AS x(v int[]);             -- ERROR, ragged
SELECT v FROM bson_to_record('{"v": [[[1]], [[2], 3]]}') AS x(v int[]);       -- ERROR, ragged
SELECT v FROM bson_to_record('{"v": [[[[[[[1]]]]]]]}') AS x(v int[]);         -- ERROR, seven dimensions
SELECT v FROM bson_to_record('{"v": [1, [2]]}') AS x(v text[]);
SELECT v FROM bson_to_record('{"v": [{"a": 1}, [2]]}') AS x(v bson[]);

-- BSON's own types convert directly
SELECT * FROM bson_to_record('{"l": {"$numberLong": "7"}, "d": 15.0, "m": {"$numberDecimal": "1.10"}, "b": true,
  "t": {"$date": "2022-03-03T12:13:14.789Z"}, "u": {"$uuid": "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"},
  "y": {"$binary": {"base64": "AP8=", "subType": "00"}}, "o": {"$oid": "507f1f77bcf86cd799439011"}}')
  AS x(l int, d int, m numeric, b bool, t timestamptz, u uuid, y bytea, o text);
SELECT * FROM bson_to_record('{"l": {"$numberLong": "7"}, "d": 15.5, "m": {"$numberDecimal": "1.10"}, "b": true,
  "t": {"$date": "2022-03-03T12:13:14.789Z"}, "u": {"$uuid": "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"},
  "y": {"$binary": {"base64": "AP8=", "subType": "80"}}, "o": {"$oid": "507f1f77bcf86cd799439011"}}')
  AS x(l text, d text, m text, b text, t text, u text, y text, o text);
SELECT * FROM bson_to_record('{"i": 5, "l": 5000000000, "d": 1.5, "m": {"$numberDecimal": "2.50"}}')
  AS x(i int8, l float8, d numeric, m float8);
SELECT * FROM bson_to_record('{"a": 1.1, "b": 0.5, "c": 16777217, "d": {"$numberDouble": "NaN"}, "e": -32768}')
  AS x(a float4, b float4, c float4, d float8, e int2);
SELECT a FROM bson_to_record('{"a": 32768}') AS x(a int2);                    -- ERROR, too large
SELECT a FROM bson_to_record('{"a": 1e300}') AS x(a float4);                  -- ERROR, too large
SELECT a FROM bson_to_record('{"a": {"$numberDecimal": "1E+400"}}') AS x(a float8);  -- ERROR, too large
-- dates: instants for timestamptz, UTC for the others; also beyond the years of ISO 8601
SELECT * FROM bson_to_record('{"a": {"$date": "2022-03-03T23:59:59.999Z"}, "b": {"$date": "2022-03-03T23:59:59.999Z"},
  "c": {"$date": "2022-03-03T23:59:59.999Z"}, "d": {"$date": {"$numberLong": "-1"}}, "e": {"$date": "2022-03-03T23:59:59.999Z"}}')
  AS x(a timestamptz, b timestamp, c date, d date, e timestamptz(1));
SELECT * FROM bson_to_record('{"a": {"$date": {"$numberLong": "253402300800000"}}, "b": {"$date": {"$numberLong": "-210866803200000"}},
  "c": {"$date": {"$numberLong": "185331706992000000"}}}') AS x(a timestamp, b timestamp, c date);
SELECT a FROM bson_to_record('{"a": {"$date": {"$numberLong": "9223372036854775807"}}}') AS x(a timestamptz);  -- ERROR, out of range
SELECT a FROM bson_to_record('{"a": {"$date": {"$numberLong": "-9223372036854775808"}}}') AS x(a date);        -- ERROR, out of range
-- text goes through the type's input function
SELECT * FROM bson_to_record('{"a": "1 day", "b": "[1,5)", "c": "\\x00ff", "d": "10.0.0.1", "e": "2022-03-03 12:00", "f": "t"}')
  AS x(a interval, b int4range, c bytea, d inet, e timestamp, f bool);
SELECT * FROM bson_to_record('{"a": "abcdef", "b": "ab", "c": [1, "x", {"y": null}], "d": "x"}')
  AS x(a varchar, b char(4), c text, d "char");
SELECT a FROM bson_to_record('{"a": "abcdef"}') AS x(a varchar(3));           -- ERROR, too long
SELECT a FROM bson_to_record('{"a": "x\u0000y"}') AS x(a text);               -- ERROR, U+0000
-- documents nest in columns of bson, jsonb and json; strings stay strings there
SELECT * FROM bson_to_record('{"a": {"k": [1, 2.5]}, "b": {"k": [1, 2.5]}, "c": {"k": [1, 2.5]}}') AS x(a bson, b jsonb, c json);
SELECT * FROM bson_to_record('{"a": "{\"k\": 1}", "b": "{\"k\": 1}", "c": "{\"k\": 1}"}') AS x(a bson, b jsonb, c json);
SELECT * FROM bson_to_record('{"a": 5, "b": {"$numberLong": "5"}, "c": true}') AS x(a bson, b jsonb, c json);
SELECT * FROM bson_to_record('{"a": null, "b": null, "c": null}') AS x(a bson, b jsonb, c json);
SELECT * FROM bson_to_record('{"a": [{"k": 1}, null, "s"], "b": [{"k": 1}, null, "s"], "c": [{"k": 1}, null, "s"]}') AS x(a bson[], b jsonb[], c json[]);

-- row to document and back
CREATE TABLE re_all (b bool, i2 int2, i4 int4, i8 int8, f4 float4, f8 float8, n numeric, t text, v varchar(9), c char(3),
                     d date, ts timestamp, tz timestamptz, u uuid, y bytea, j json, jb jsonb, bs bson, m re_mood, r re_pair,
                     ai int[], at text[], iv interval, ra int4range);
INSERT INTO re_all VALUES (true, 1, -2, 3, 1.1, 2.5, 3.30, 'text', 'vc', 'ch', '2020-02-29', '2020-02-29 12:00:00.5',
                     '2020-02-29 12:00:00.25Z', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '\x00ff', '{"a": 1}', '[1, 2]',
                     '{"z": {"$numberLong": "1"}}', 'ok', ROW(1, 'y'), '{{1,2},{3,NULL}}', '{a,NULL,"c d"}', '1 day', '[1,5)');
INSERT INTO re_all DEFAULT VALUES;
SELECT count(*) FILTER (WHERE back::text = re_all::text) AS same
  FROM re_all, LATERAL (SELECT bson_populate_record(NULL::re_all, row_to_bson(re_all)) AS back) x;

-- dropped, added and altered columns
ALTER TABLE re_all DROP COLUMN i4;
ALTER TABLE re_all ADD COLUMN extra text DEFAULT 'e';
SELECT t, extra FROM bson_populate_record((SELECT re_all FROM re_all WHERE b), '{"t": "new", "i4": 9}');
CREATE TABLE re_alter (a int, b int);
DO $$
DECLARE
  r re_alter;
  t text;
BEGIN
  FOR i IN 1..2 LOOP
    t := bson_populate_record(NULL::re_alter, '{"a": 1, "b": 2}')::text;
    RAISE NOTICE '%', t;
    ALTER TABLE re_alter ALTER COLUMN a TYPE text USING 'x';
    ALTER TABLE re_alter DROP COLUMN IF EXISTS b;
  END LOOP;
END $$;

-- the choice of the row type
SELECT bson_populate_record(1, '{}');                                         -- ERROR, no row type
SELECT bson_populate_record(NULL::record, '{"x": 0, "y": 1}');                -- ERROR, unknown row type
SELECT bson_populate_record(ROW(1, 2), '{"f1": 0, "f2": 1}');
SELECT bson_populate_record(q, '{"a": 7}') FROM (SELECT 1 AS a, 'x'::text AS b, 2 AS a) q;
SELECT * FROM bson_populate_record(NULL::record, '{"x": 776}') AS (x int, y int);
SELECT * FROM bson_to_record('{"x": 776}') AS (x text, y int);
SELECT bson_to_record('{"x": 776}');                                          -- ERROR, unknown row type
SELECT bson_populate_record(r, '{"f2": 9}') FROM (VALUES (ROW(1, 2)), (ROW('a'::text, 2.5)), (ROW(true, 3))) x(r);
SELECT bson_populate_record(NULL::re_pair, v) FROM (VALUES ('5'::bson), ('{"x": 1}')) x(v);   -- ERROR, scalar
SELECT bson_populate_record(NULL::re_pair, '[{"x": 1}]');                     -- ERROR, array
SELECT bson_populate_record(NULL::re_pair, '"(1,a)"');                        -- ERROR, scalar

-- sets of rows
SELECT * FROM bson_populate_recordset(NULL::re_pair, '[{"x": 1, "y": "a"}, {}, {"y": "b"}]');
SELECT * FROM bson_populate_recordset(ROW(9, 'base')::re_pair, '[{"x": 1}, {}, {"y": null}]');
SELECT * FROM bson_to_recordset('[{"a": 1, "b": "foo", "d": false}, {"a": 2, "b": "bar", "c": true}]') AS x(a int, b text, c bool);
SELECT * FROM bson_populate_recordset(NULL::re_pair, '[]');
SELECT * FROM bson_populate_recordset(NULL::re_pair, NULL);
SELECT bson_populate_recordset(ROW(1, 2), '[{"f1": 0}, {"f2": 3}]');
SELECT i, bson_populate_recordset(ROW(i, 50), '[{"f1": "42"}, {"f2": "43"}]') FROM (VALUES (1), (2)) v(i);
SELECT * FROM bson_populate_recordset(NULL::record, '[{"x": 776}]') AS (x int, y int);
SELECT bson_populate_recordset(NULL::record, '[{"x": 0}]');                   -- ERROR, unknown row type
SELECT * FROM bson_populate_recordset(ROW(0), '[{"a": "1", "b": "2"}]') q (a text, b text);   -- ERROR, another row type
SELECT * FROM bson_populate_recordset(NULL::re_pair, '{"x": 1}');             -- ERROR, no array
SELECT * FROM bson_populate_recordset(NULL::re_pair, '1');                    -- ERROR, no array
SELECT * FROM bson_to_recordset('[{"a": 1}, 2]') AS x(a int);                 -- ERROR, no document
SELECT bson_populate_recordset(ROW(1, 'a')::re_pairs, '[{"y": "b"}, {"x": 0}]');   -- ERROR, domain over a row
SELECT t.id, x.* FROM (VALUES (1, '[{"v": 1}, {"v": 2}]'::bson), (2, '[]'), (3, '[{"v": 3}]')) t(id, d),
  LATERAL bson_to_recordset(d) AS x(v int);
SELECT * FROM bson_to_recordset('[{"a": 1}, {"a": 2}, {"a": 3}]') AS x(a int) LIMIT 2;

-- many rows, many fields, long values
SELECT count(*), sum(a), sum(length(b)) FROM bson_to_recordset(
  (SELECT bson_agg(bson_build_object('a', g, 'b', repeat('x', g % 10))) FROM generate_series(1, 100000) g)) AS x(a int, b text);
SELECT k1, k99999, k5 FROM bson_to_record((SELECT bson_object_agg('k' || g, g) FROM generate_series(1, 100000) g))
  AS x(k1 int, k99999 int, k5 int);
SELECT array_length(v, 1), v[100000] FROM bson_to_record(
  (SELECT bson_build_object('v', array_agg(g)) FROM generate_series(1, 100000) g)) AS x(v int[]);
CREATE TABLE re_toast AS SELECT bson_build_object('x', 5, 'y', string_agg(md5(g::text), '')) AS d FROM generate_series(1, 1000) g;
SELECT x, length(y) FROM re_toast, bson_populate_record(NULL::re_pair, d);

-- a domain over a row is checked for NULL, too
CREATE TYPE re_inner AS (a int, b int);
CREATE DOMAIN re_full AS re_inner CHECK (VALUE IS NOT NULL);
CREATE TYPE re_outer AS (h re_full);
SELECT * FROM bson_populate_record(NULL::re_outer, '{"h": {"a": 1, "b": 2}}');
SELECT * FROM bson_populate_record(NULL::re_outer, '{"h": null}');  -- ERROR
SELECT * FROM bson_populate_record(NULL::re_outer, '{}');  -- ERROR
SELECT bson_populate_record_valid(NULL::re_outer, '{"h": {"a": 1}}') AS half, bson_populate_record_valid(NULL::re_outer, '{"h": {"a": 1, "b": 2}}') AS whole;
DROP TYPE re_outer;
DROP DOMAIN re_full;
DROP TYPE re_inner;

DROP TABLE re_toast, re_all, re_alter, re_need_t;
DROP TYPE re_rec;
DROP DOMAIN re_pairs, re_arr, re_need, re_pos;
DROP TYPE re_pair, re_mood;

-- A call site remembers the keys of its documents: those in another order, with other types, duplicate keys, fewer keys or
-- too many give the rows that each gives at a call site of its own
CREATE TABLE shapes AS
  SELECT i, ('{' || array_to_string(fields[1 + i % 3:9 - i / 3 % 4] || CASE WHEN i % 5 = 0 THEN fields[1:i % 4] END, ', ') || '}')::bson AS data
  FROM generate_series(1, 300) AS i,
    LATERAL (SELECT array_agg(f ORDER BY CASE WHEN i % 7 < 4 THEN n ELSE (n * i) % 11 END) AS fields
      FROM unnest(ARRAY[format('"k": "%s"', repeat('x', i % 40)), format('"n": %s', i), format('"a long name of a key": %s', i % 3), format('"d": %s', CASE WHEN i % 4 = 0 THEN 'null' ELSE i::text END),
        format('"sub": {"n": %s, "m": %s}', i, i), format('"n": "%s"', -i), format('"list": [{"n": %s}, {"m": 1, "n": %s}]', i, i), '"": 1', '"last": 7']) WITH ORDINALITY AS f(f, n)) AS made
  UNION ALL SELECT 300 + i, ('{' || (SELECT string_agg(format('"f%s": %s', f, f), ', ') FROM generate_series(1, 1100) AS f) || format(', "n": %s, "last": 8}', i))::bson FROM generate_series(1, 5) AS i;
CREATE TYPE sub AS (m text, n int);
CREATE TYPE shaped AS (last int, n text, "a long name of a key" text, d int, sub sub, list sub[], k text, missing text, f1000 int);
CREATE FUNCTION alone(data bson) RETURNS shaped LANGUAGE plpgsql AS $$
DECLARE answer shaped;
BEGIN
    EXECUTE 'SELECT * FROM bson_populate_record(NULL::shaped, $1)' INTO answer USING data;
    RETURN answer;
END $$;
SELECT count(*), count(*) FILTER (WHERE p::text IS DISTINCT FROM alone(data)::text) AS differ,
  sum((p).last) AS last, sum((p).n::int) AS n, sum((p).d) AS d, sum(((p).sub).n) AS sub, sum(((p).list)[2].n) AS list, sum((p).f1000) AS f1000
FROM (SELECT data, bson_populate_record(NULL::shaped, data) AS p FROM shapes OFFSET 0) AS s;
DROP FUNCTION alone;
DROP TYPE shaped;
DROP TYPE sub;
DROP TABLE shapes;

-- Of a toasted document only what holds the columns is read: those at the front, in the middle, at the end, in another order, or
-- missing give the rows that the whole document gives. A domain's check that reads other toasted documents disturbs none.
CREATE TABLE stored (i int, how text, data bson);
INSERT INTO stored
  SELECT i, 'plain', ('{"first": ' || i || CASE WHEN i % 3 = 0 THEN ', "late": {"n": -1}' ELSE '' END ||
    (SELECT string_agg(format(', "%s": "%s"', CASE WHEN f = 100 + i THEN 'middle' WHEN f = 397 AND i % 3 > 0 THEN 'late' ELSE 'f' || f END, (SELECT string_agg(md5((f * g * i)::text), '') FROM generate_series(1, 1 + f % 4) AS g)), '' ORDER BY f)
      FROM generate_series(1, 400) AS f) || '}')::bson
  FROM generate_series(1, 30) AS i;
CREATE TABLE toasted (i int, how text, data bson);
DO $$
DECLARE method text;
BEGIN
  FOREACH method IN ARRAY ARRAY['external', 'pglz', 'lz4'] LOOP
    BEGIN
      IF method = 'external' THEN
        ALTER TABLE toasted ALTER data SET STORAGE external;
      ELSE
        EXECUTE format('ALTER TABLE toasted ALTER data SET STORAGE extended, ALTER data SET COMPRESSION %s', method);
      END IF;
    EXCEPTION WHEN feature_not_supported THEN
      ALTER TABLE toasted ALTER data SET COMPRESSION pglz;	-- a server may be built without lz4
    END;
    -- another value each time, or it would be copied as it is stored
    INSERT INTO toasted SELECT i, method, (data::text)::bson FROM stored;
  END LOOP;
END $$;
CREATE FUNCTION disturbs(text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM data ->> 'f1', data ->> 'f399' FROM toasted WHERE i IN (1, 2, 3, 4);
  RETURN true;
END $$;
CREATE DOMAIN disturbing AS text CHECK (disturbs(VALUE));
SELECT how, count(*), count(*) FILTER (WHERE front IS DISTINCT FROM whole.a) AS front, count(*) FILTER (WHERE inner_one IS DISTINCT FROM whole.b) AS middle, count(*) FILTER (WHERE late IS DISTINCT FROM whole.c) AS late,
  count(*) FILTER (WHERE missing IS DISTINCT FROM whole.d) AS missing, count(*) FILTER (WHERE checked IS DISTINCT FROM whole.e) AS checked, count(late) AS found, count(*) FILTER (WHERE late LIKE '{%') AS documents
FROM toasted AS t JOIN (SELECT i, x.first || 'f' || x.f1 AS a, x.middle AS b, x.late || x.f400 || x.f399 AS c, x.missing IS NULL AS d, x.first || x.f2 || x.f10 || x.f3 AS e
    FROM stored, bson_to_record(data) AS x(first text, f1 text, middle text, late text, f400 text, f399 text, missing text, f2 text, f10 text, f3 text)) AS whole USING (i),
  LATERAL (SELECT first || 'f' || f1 AS front FROM bson_to_record(data) AS x(f1 text, first text)) AS a,
  LATERAL (SELECT middle AS inner_one FROM bson_to_record(data) AS x(middle text)) AS b,
  LATERAL (SELECT late || f400 || f399 AS late FROM bson_to_record(data) AS x(late text, f400 text, f399 text)) AS c,
  LATERAL (SELECT missing IS NULL AS missing FROM bson_to_record(data) AS x(missing text, first text)) AS d,
  LATERAL (SELECT first || f2 || f10 || f3 AS checked FROM bson_to_record(data) AS x(first disturbing, f2 disturbing, f10 disturbing, f3 disturbing)) AS e
GROUP BY how ORDER BY how;
INSERT INTO toasted SELECT 0, 'scalar', to_bson((SELECT string_agg(md5(n::text), '') FROM generate_series(1, 3000) AS n)) UNION ALL SELECT 0, 'array', bson_agg(md5(n::text)) FROM generate_series(1, 3000) AS n;
SELECT x.* FROM toasted, bson_to_record(data) AS x(a text) WHERE how = 'scalar';  -- ERROR, no document
SELECT x.* FROM toasted, bson_to_record(data) AS x(a text) WHERE how = 'array';  -- ERROR, no document
DROP TABLE stored, toasted;
DROP DOMAIN disturbing;
DROP FUNCTION disturbs(text);

-- rows of few columns and of many, one and several
DO $do$
DECLARE
  n int;
  wrong bigint;
BEGIN
  FOREACH n IN ARRAY '{1, 16, 17, 100}'::int[] LOOP
    EXECUTE format($$SELECT count(*) - 3 + count(*) FILTER (WHERE r::text IS DISTINCT FROM (SELECT '(' || string_agg(i::text, ',') || ')' FROM generate_series(1, %1$s) AS i))
      FROM (SELECT bson_object_agg('c' || i, i) AS d FROM generate_series(1, %1$s) AS i) AS s,
        LATERAL (SELECT r FROM bson_to_record(d) AS r(%2$s) UNION ALL SELECT r FROM bson_to_recordset(bson_build_array(d, d)) AS r(%2$s)) AS u$$,
      n, (SELECT string_agg('c' || i || ' int', ', ') FROM generate_series(1, n) AS i)) INTO wrong;
    RAISE NOTICE '% columns: % wrong', n, wrong;
  END LOOP;
END $do$;
