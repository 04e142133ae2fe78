-- If this failed, d['a'][0] would give another result than ->, or an assignment to it would lose data.

-- reading: a field or an element, NULL where there is none
SELECT ('123'::bson)['a'] AS a, ('123'::bson)[0] AS b, ('123'::bson)[NULL] AS c, ('{"a": 1}'::bson)['a'] AS d, ('{"a": 1}'::bson)[0] AS e,
       ('{"a": 1}'::bson)['x'] AS f, ('{"a": 1}'::bson)[NULL] AS g, ('{"0": 1}'::bson)[0] AS number_as_key, (NULL::bson)['a'] AS h;
SELECT a['a'] AS no_index, a[0] AS first, a['1'] AS text_index, a[2] AS null, a[3] AS beyond, a[-2] AS from_end, a[-4] AS before,
       a[-2147483648] AS int_min, a[2147483647] AS int_max, a[1]['a'] AS into_scalar, a[1][0] AS too
  FROM (VALUES ('[1, "2", null]'::bson)) v(a);
SELECT d['b'] AS b, d['a'][1]['b1'] AS a1b1, d['a'][1]['b1'][2] AS a1b12, d['a'][1]['b1'][2]['x'] AS scalar, d['a']['1']['b1'] AS same
  FROM (VALUES ('{"a": ["a1", {"b1": ["aaa", "bbb", "ccc"]}], "b": "bb"}'::bson)) v(d);
SELECT pg_typeof(d['a']) AS type, d['a'] = '1.0' AS comparable FROM (VALUES ('{"a": 1}'::bson)) v(d);

-- types of subscripts
SELECT ('[1, 2]'::bson)[1::smallint] AS smallint, ('{"a": 1}'::bson)['a'::varchar] AS varchar;
SELECT ('[1, 2]'::bson)[1.0];           -- ERROR, a numeric
SELECT ('[1, 2]'::bson)[1::bigint];     -- ERROR, a bigint
SELECT ('[1, 2]'::bson)[true];          -- ERROR, a boolean
SELECT ('{"a": 1}'::bson)['a':'b'];     -- ERROR, a slice
SELECT ('[1, 2]'::bson)[0:1];           -- ERROR, a slice
SELECT ('[1, 2]'::bson)[:1];            -- ERROR, a slice
SELECT ('[1, 2]'::bson)[0:];            -- ERROR, a slice
SELECT ('[1, 2]'::bson)[:];             -- ERROR, a slice

-- assigning: in its place, or new
CREATE TEMP TABLE t (id int, d bson);
INSERT INTO t VALUES (1, '{}'), (2, '{"key": "value"}'), (3, NULL);
UPDATE t SET d['a'] = '1' RETURNING *;
UPDATE t SET d['a'] = '{"b": 1}'::bson WHERE id < 3 RETURNING *;
UPDATE t SET d['a'] = '[1, 2, 3]', d['b'] = 'true' WHERE id < 3 RETURNING *;
UPDATE t SET d['a'][1] = '"two"' WHERE id < 3 RETURNING *;
SELECT id FROM t WHERE d['key'] = '"value"';

-- SQL NULL is set as BSON null; as a subscript it is an error
UPDATE t SET d['another'] = NULL WHERE id = 1 RETURNING *;
UPDATE t SET d[NULL] = '1';     -- ERROR, null
-- a NULL document becomes a document or an array, depending on the first subscript
UPDATE t SET d = NULL;
UPDATE t SET d['0'] = '1' WHERE id = 1 RETURNING *;
UPDATE t SET d[0] = '1' WHERE id = 2 RETURNING *;
UPDATE t SET d[2]['a'] = '1' WHERE id = 3 RETURNING *;

-- each line: a document, an assignment, the result, and the result with jsonb
CREATE TEMP TABLE tb (d bson);
CREATE TEMP TABLE tj (d jsonb);
CREATE FUNCTION pg_temp.assigned(tab regclass, doc text, place text, value text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  result text;
BEGIN
  EXECUTE format('TRUNCATE %s; INSERT INTO %1$s VALUES (%L)', tab, doc);
  EXECUTE format('UPDATE %s SET d%s = %L RETURNING d', tab, place, value) INTO result;
  RETURN result;
EXCEPTION WHEN OTHERS THEN
  RETURN sqlstate || ' ' || sqlerrm;
END $$;
SELECT doc, place, pg_temp.assigned('tb', doc, place, '"new"') AS result, pg_temp.assigned('tj', doc, place, '"new"') AS jsonb_says
  FROM (VALUES
    -- gaps are filled with null
    ('[0]', '[5]'), ('[0, 1, 2]', '[-3]'), ('[0]', '[-2]'), ('[]', '[5]'), ('[]', '[-1]'), ('[]', '[0]'),
    ('{"a": [0, 1, 2, 3, 4, 5, 6, 7, 8]}', '[''a''][11]'),
    -- missing containers are made: arrays for numbers, documents for text
    ('{}', '[''a''][0][''b''][0][''c'']'), ('{}', '[''a''][2][''b''][2][''c''][2]'), ('{"b": 1}', '[''a''][0]'),
    ('{}', '[0][''a'']'), ('[]', '[0][''a'']'), ('[{"a": 1}]', '[2][''b'']'), ('{}', '[''a''][''1'']'), ('{}', '[''a''][-1]'),
    ('{"a": {"b": [null, 1]}}', '[''a''][''b''][10]'), ('[[[1]]]', '[0][0][1]'), ('{"a": {"b": 1}}', '[''a''][10][10]'),
    ('{"a": {}}', '[''a''][''b''][''c''][2]'), ('{"a": []}', '[''a''][1][''c''][2]'), ('{"a": [{}]}', '[''a''][-1][''x'']'),
    ('{"a": [1, 2]}', '[''a''][-3][''x'']'),
    -- a scalar is not replaced by a container
    ('{"a": 1}', '[''a''][''b'']'), ('{"a": 1}', '[''a''][0]'), ('{"a": null}', '[''a''][0][''c'']'), ('[1]', '[0][0]'),
    ('null', '[0]'), ('1', '[''a''][0]'), ('"s"', '[''a'']'),
    -- no such index
    ('[1]', '[''x'']'), ('[1]', '['''']')) v(doc, place);

-- huge indexes are refused before anything is written
TRUNCATE tb;
INSERT INTO tb VALUES ('{"a": [1]}');
UPDATE tb SET d['a'][2147483647] = '1';     -- ERROR, too large
UPDATE tb SET d['b'][2147483647]['c'] = '1';    -- ERROR, too large
UPDATE tb SET d['a'][-2147483648] = '1';    -- ERROR, before the first

-- subscripts and documents that are toasted or have short headers
CREATE TEMP TABLE toasted (id text, d bson);
INSERT INTO toasted VALUES ('foo', '{"foo": "bar"}');
INSERT INTO toasted SELECT s, ('{"' || s || '": "bar"}')::bson FROM repeat('xyzzy', 500) s;
SELECT length(id), d[id] FROM toasted;
UPDATE toasted SET d[id] = '"baz"';
SELECT length(id), d[id], octet_length(d::bytea) FROM toasted;

-- in PL/pgSQL, and inside a composite and an array
DO $$
DECLARE
  v bson;
BEGIN
  v['a'][1] := '"x"';
  v['a'][0] := NULL;
  v['n'] := 15::text::bson;
  RAISE NOTICE '%', v;
END $$;
CREATE TYPE pair AS (x bson, y bson[]);
CREATE TEMP TABLE c (p pair);
INSERT INTO c VALUES (ROW('{"a": 1}', NULL));
UPDATE c SET p.x['b'] = '2', p.y[1] = '{"z": 1}';
SELECT * FROM c;
DROP TABLE c;
DROP TYPE pair;

-- through a domain, and in an index expression
CREATE DOMAIN bson_object AS bson CHECK (VALUE >= '{}' AND VALUE < '[]');
SELECT ('{"a": [1, 2]}'::bson_object)['a'][1] AS through_domain;
DROP DOMAIN bson_object;
CREATE INDEX ON t ((d['a']));
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT * FROM t WHERE d['a'] = '1';
RESET enable_seqscan;

-- as deep as a document may be, and no deeper
TRUNCATE tb;
INSERT INTO tb VALUES ('{}');
DO $$
BEGIN
  EXECUTE format('UPDATE tb SET d%s = ''1''', repeat('[''a'']', 1024));
  RAISE NOTICE '%', (SELECT length(replace(d::text, ' ', '')) FROM tb);
  EXECUTE format('UPDATE tb SET d%s = ''1''', repeat('[''b'']', 1025));
EXCEPTION WHEN OTHERS THEN RAISE NOTICE '% %', sqlstate, sqlerrm;
END $$;
DO $$
BEGIN
  EXECUTE format('UPDATE tb SET d%s = ''{}''', repeat('[''b'']', 1024));
EXCEPTION WHEN OTHERS THEN RAISE NOTICE '% %', sqlstate, sqlerrm;
END $$;
