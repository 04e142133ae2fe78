-- If this failed, || - #- bson_set and related functions would lose, move or damage values that they should not change.

-- || : the fields of two documents; those of the left keep their places, and values of the right replace them
SELECT '{"b": 1, "a": 2}'::bson || '{"c": 3, "b": {"x": []}}' AS merged,
       '{"b": 1, "a": 2}'::bson || '{}' AS nothing_right,
       '{}'::bson || '{"b": 1, "a": 2}' AS nothing_left,
       '{"a": {"x": 1, "y": 2}}'::bson || '{"a": {"y": 3}}' AS not_deep,
       '{"a": 1}'::bson || '{"a": null}' AS null_wins,
       bson_concat('{"a": 1}', '{"b": 2}') AS fn;

-- ... otherwise elements of one array
SELECT l || ' || ' || r AS expression, l::bson || r::bson AS result, (l::jsonb || r::jsonb)::text AS jsonb_says
  FROM (VALUES ('[1, 2]', '[3, [4]]'), ('[1]', '[]'), ('[]', '[1]'), ('[]', '[]'),
               ('[1]', '2'), ('1', '[2]'), ('1', '2'), ('[]', '1'), ('1', '[]'), ('null', 'null'),
               ('{"a": 1}', '[2]'), ('[1]', '{"a": 2}'), ('{"a": 1}', '2'), ('"s"', '{"a": 2}'),
               ('[]', '{}'), ('{}', '[]'), ('{}', '1'), ('1', '{}'), ('{}', '{}')) v(l, r);
SELECT '{}'::bson || NULL AS null_right, NULL || '{}'::bson AS null_left;
-- the keys of an array go on where the left one ends
SELECT ('[0, 1, 2, 3, 4, 5, 6, 7, 8]'::bson || '["nine", "ten", "eleven"]') AS twelve,
       ('[0, 1]'::bson || '[2]')::bytea = '[0, 1, 2]'::bson::bytea AS same_bytes;

-- - text: a field, or strings of an array
SELECT '{"a": 1, "b": 2, "c": 3}'::bson - 'b' AS middle, '{"a": null, "b": 2}'::bson - 'a' AS first,
       '{"a": 1, "b": {"a": 1}}'::bson - 'a' AS top_only, '{"a": 1}'::bson - 'x' AS missing,
       '{"a": 1}'::bson - 'a' AS last_one, '{"": 1, "a": 2}'::bson - '' AS empty_key,
       '{}'::bson - 'a' AS empty, bson_delete('{"a": 1, "b": 2}', 'a') AS fn;
SELECT '["a", "b", "a", ["a"], {"a": 1}, 1]'::bson - 'a' AS strings, '[]'::bson - 'a' AS empty, '[1]'::bson - '1' AS no_number;
SELECT '"a"'::bson - 'a';   -- ERROR, a scalar
-- ... several
SELECT '{"a": 1, "b": 2, "c": 3}'::bson - '{c,b}'::text[] AS two, '{"a": 1, "b": 2}'::bson - '{}'::text[] AS none,
       '{"a": 1, "b": 2}'::bson - ARRAY['a', NULL, 'x'] AS with_null, '["a", "b", "c", "d"]'::bson - '{b,a}'::text[] AS strings,
       bson_delete('{"a": 1, "b": 2, "c": 3}', 'a', 'c') AS variadic;
SELECT '{"a": 1}'::bson - '{{a}}'::text[];  -- ERROR, two dimensions
SELECT '1'::bson - '{a}'::text[];           -- ERROR, a scalar
-- ... by position, from either end
SELECT i, '["a", "b", "c"]'::bson - i AS result, '["a", "b", "c"]'::jsonb - i AS jsonb_says
  FROM unnest(ARRAY[0, 1, 2, 3, -1, -2, -3, -4, 2147483647, -2147483647, -2147483648]) i;
SELECT '[]'::bson - 0 AS empty;
SELECT '{"a": 1}'::bson - 0;    -- ERROR, a document
SELECT '"a"'::bson - 0;         -- ERROR, a scalar

-- #- : by path
SELECT path, d #- path AS result
  FROM (VALUES ('{"n": null, "a": 1, "b": [1, 2], "c": {"1": 2}, "d": {"1": [2, 3]}}'::bson)) v(d),
       unnest(ARRAY['n', 'b,-1', 'b,0', 'b,-3', 'b,2', 'd,1,0', 'd,1', 'c,1', 'x', 'a,x', 'x,y', '']) p,
       CAST('{' || p || '}' AS text[]) path;
SELECT '{"b": [1]}'::bson #- '{b,-1e}';     -- ERROR, no index
SELECT '{"b": [1]}'::bson #- '{b,""}';      -- ERROR, no index
SELECT '{"b": [1]}'::bson #- '{b,99999999999}';     -- ERROR, no int
SELECT '{"b": [1]}'::bson #- '{b,NULL}';    -- ERROR, null
SELECT '{"b": [1]}'::bson #- '{{b},{0}}';   -- ERROR, two dimensions
SELECT '"a"'::bson #- '{a}';                -- ERROR, a scalar
SELECT '"a"'::bson #- '{}';                 -- ERROR, a scalar
SELECT '{}'::bson #- '{a}' AS document, '[]'::bson #- '{a}' AS array, '{}'::bson #- '{NULL}' AS nothing_reached,
       bson_delete_path('{"a": [{"b": 1}]}', '{a,0,b}') AS fn;

-- bson_set: in its place, whatever the sizes
SELECT path, v, bson_set(d, path, v::bson) AS result, bson_set(d, path, v::bson, false) AS no_create
  FROM (VALUES ('{"n": null, "a": 1, "b": [1, 2], "c": {"1": 2}, "d": {"1": [2, 3]}}'::bson)) t(d),
       (VALUES ('{n}'::text[], '[1, 2, 3]'), ('{b,-1}', '{"1": 2}'), ('{b,0}', 'true'), ('{d,1,0}', '"text"'), ('{d,1}', 'null'),
               ('{c,1}', '{"$numberDecimal": "1.10"}'),
               ('{x}', '1'), ('{c,x}', '{}'), ('{"c",""}', '0'),        -- a new field goes to the end
               ('{b,2}', '3'), ('{b,99}', '3'), ('{b,-3}', '0'), ('{b,-99}', '0'),  -- a new element to the end or the beginning
               ('{x,y}', '1'), ('{a,x}', '1'), ('{b,0,x}', '1'), ('{b,9,x}', '1'),  -- no containers are made
               ('{}', '1')) c(path, v);
SELECT bson_set('[{"f1": 1, "f2": null}, 2, null, 3]', '{0,f1}', '[2, 3, 4]', false) AS in_array_root,
       bson_set('[]', '{0}', '{"foo": 123}') AS to_empty_array, bson_set('[]', '{99}', '1') AS far, bson_set('[]', '{-99}', '1') AS before,
       bson_set('[]', '{1}', '"b"', false) AS not_created, bson_set('{}', '{x}', '{"foo": 123}') AS to_empty_document,
       bson_set('{}', '{NULL}', '1', false) AS nothing_reached;
-- arrays keep their numbering
SELECT bson_set(a, '{-99}', '"new"')::bytea = ('["new", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]'::bson)::bytea AS set_before,
       bson_set(a, '{99}', '"new"')::bytea = ('[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, "new"]'::bson)::bytea AS set_after,
       (a - 0)::bytea = ('[2, 3, 4, 5, 6, 7, 8, 9, 10, 11]'::bson)::bytea AS deleted,
       bson_insert(a, '{9}', '"new"')::bytea = ('[1, 2, 3, 4, 5, 6, 7, 8, 9, "new", 10, 11]'::bson)::bytea AS inserted
  FROM (VALUES ('[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]'::bson)) v(a);
SELECT bson_set('{"a": [1, 2, 3]}', '{a, non_integer}', '"new_value"');         -- ERROR, no index
SELECT bson_set('{"a": {"b": [1, 2, 3]}}', '{a, b, non_integer}', '"new_value"');   -- ERROR, no index
SELECT bson_set('{"a": {"b": [1, 2, 3]}}', '{a, b, NULL}', '"new_value"');      -- ERROR, null
SELECT bson_set('{"a": 1}', '{a, NULL}', '1');          -- ERROR, null, though a is a scalar
SELECT bson_set('{"a": {"b": 1}}', '{x, NULL}', '1');   -- not reached
SELECT bson_set('"a"', '{a}', '"b"');                   -- ERROR, a scalar
SELECT bson_set('"a"', '{}', '"b"');                    -- ERROR, a scalar
SELECT bson_set('{"a": 1}', '{{a}}', '1');              -- ERROR, two dimensions

-- a NULL as new value sets BSON null; it never makes the document NULL
SELECT bson_set('{"a": 1, "b": 2}', '{b}', NULL) AS set, bson_set('{"a": 1}', '{c}', NULL) AS new,
       bson_set('{"a": 1}', '{c}', NULL, false) AS not_created, bson_insert('{"a": [1]}', '{a,0}', NULL) AS inserted,
       bson_set(NULL, '{b}', '1') AS no_target, bson_set('{}', NULL, '1') AS no_path, bson_set('{}', '{a}', '1', NULL) AS no_flag;

-- bson_set_lax: the caller chooses the meaning of NULL
SELECT bson_set_lax('{"a": 1, "b": 2}', '{b}', '5') AS set, bson_set_lax('{"a": 1, "b": 2}', '{d}', '6', true) AS new,
       bson_set_lax('{"a": 1, "b": 2}', '{d}', '6', false) AS not_created,
       bson_set_lax('{"a": 1, "b": 2}', '{b}', NULL) AS by_default, bson_set_lax('{"a": 1, "b": 2}', '{d}', NULL, true) AS new_null;
SELECT t, bson_set_lax('{"a": 1, "b": 2}', '{b}', NULL, null_value_treatment => t) FROM unnest('{return_target,delete_key,use_json_null}'::text[]) t;
SELECT bson_set_lax('{"a": 1, "b": 2}', '{b}', NULL, null_value_treatment => 'raise_exception');   -- ERROR, as asked for
SELECT bson_set_lax('{"a": 1, "b": 2}', '{b}', NULL, true, NULL);                   -- ERROR, no treatment
SELECT bson_set_lax('{"a": 1, "b": 2}', '{b}', '1', true, NULL);                    -- ERROR, no treatment
SELECT bson_set_lax('{"a": 1, "b": 2}', '{b}', NULL, true, 'no_such_treatment');    -- ERROR, no such treatment

-- bson_insert: into arrays before or after a position; into documents only what is not there
SELECT path, bson_insert(d, path, '"new"') AS before, bson_insert(d, path, '"new"', true) AS after
  FROM (VALUES ('{"a": [0, 1, 2], "b": {"c": [[], {}]}}'::bson)) v(d),
       unnest(ARRAY['a,0', 'a,1', 'a,2', 'a,-1', 'a,-3', 'a,-4', 'a,3', 'a,10', 'a,-10', 'b,c,0,0', 'b,c,1,x', 'b,d', 'x', 'x,y', 'a,0,x', '']) p,
       CAST('{' || p || '}' AS text[]) path;
SELECT bson_insert('[]', '{1}', '"new"') AS empty, bson_insert('[1]', '{0}', '{"b": "value"}') AS document, bson_insert('[1]', '{0}', '[1, 2]') AS array;
SELECT bson_insert('{"a": {"b": "value"}}', '{a, b}', '"new_value"');           -- ERROR, the key exists
SELECT bson_insert('{"a": {"b": "value"}}', '{a, b}', '"new_value"', true);     -- ERROR, the key exists
SELECT bson_insert('"a"', '{a}', '"b"');                                        -- ERROR, a scalar

-- bson_strip_nulls: null fields at every level; array elements only when asked
SELECT d, bson_strip_nulls(d::bson) AS stripped, bson_strip_nulls(d::bson, true) AS in_arrays_too
  FROM (VALUES ('null'), ('1'), ('"s"'), ('{}'), ('[]'), ('{"a": null}'), ('[1, null, 2, null, [null], {"a": null, "b": 1}]'),
               ('{"a": 1, "b": null, "c": [2, null, 3], "d": {"e": 4, "f": null}}'), ('{"a": {"b": null, "c": null}, "d": {}}'),
               ('{"a": [{"b": null}, null, {"b": 1}]}'), ('{"a": {"$undefined": true}, "b": null}')) v(d);
SELECT bson_strip_nulls('[null, 1, [null, 2], 3]', true)::bytea = ('[1, [2], 3]'::bson)::bytea AS renumbered;

-- duplicate keys, which only bytes can have: the first is set, all are deleted
SELECT bson_set(d, '{a}', '9') AS set, (bson_set(d, '{a}', '9'))['a'] AS reads, d - 'a' AS deleted, d #- '{a}' AS by_path,
       d || '{"a": 8, "b": 7}' AS left_side, '{"a": 8, "b": 7}' || d AS right_side
  FROM (SELECT '\x1a00000010610001000000106100020000001063000300000000'::bson) v(d);
-- array keys that are not 0..n-1 are kept if no element moves
SELECT bson_set(d, '{a,1}', '9') AS set, d #- '{a,0}' AS deleted
  FROM (SELECT ('\x1b00000004610013000000' || '107800010000001079000200000000' || '00')::bson) v(d);

-- a change that changes nothing returns the original
SELECT bson_set(d, '{a,b}', '1')::bytea = d::bytea AS same, bson_set(d, '{a,b}', '1.0')::bytea = d::bytea AS other_type
  FROM (VALUES ('{"a": {"b": 1}}'::bson)) v(d);
-- ... so an UPDATE keeps the TOAST pointer of a large document, and writes no TOAST
CREATE TABLE modify_toast (id int, d bson);
ALTER TABLE modify_toast ALTER d SET STORAGE EXTERNAL;
INSERT INTO modify_toast SELECT 1, ('{"a": {"b": 1}, "list": [1, "x"], "text": "' || repeat('0123456789', 2000) || '"}')::bson;
CREATE FUNCTION pg_temp.toast_value() RETURNS oid LANGUAGE plpgsql AS $$
DECLARE
  id oid;
BEGIN
  EXECUTE format('SELECT DISTINCT chunk_id FROM %s', (SELECT reltoastrelid::regclass FROM pg_class WHERE relname = 'modify_toast')) INTO STRICT id;
  RETURN id;
END $$;
CREATE FUNCTION pg_temp.keeps_toast(target text, expression text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  before oid := pg_temp.toast_value();
BEGIN
  EXECUTE format('UPDATE modify_toast SET %s = %s', target, expression);
  RETURN pg_temp.toast_value() = before;
END $$;
SELECT target, expression, pg_temp.keeps_toast(target, expression)
  FROM (VALUES ('d', 'd'), ('d', 'bson_set(d, ''{a,b}'', ''1'')'), ('d', 'bson_set(d, ''{x,y}'', ''1'')'), ('d', 'bson_set(d, ''{x}'', ''1'', false)'),
       ('d', 'bson_set(d, ''{}'', ''1'')'), ('d', 'bson_set_lax(d, ''{a,b}'', NULL, null_value_treatment => ''return_target'')'),
       ('d', 'd - ''x'''), ('d', 'd - ''{x,y}''::text[]'), ('d', 'd #- ''{a,x}'''), ('d', 'd || ''{}'''), ('d', 'd || ''{"a": {"b": 1}}'''),
       ('d', '''{}'' || d'), ('d', 'bson_strip_nulls(d, true)'), ('d[''a''][''b'']', '''1'''),
       ('d', 'bson_set(d, ''{a,b}'', ''2'')'), ('d[''a''][''b'']', '''1''')) v(target, expression);
SELECT d['a'] AS a, d['list'] AS list, length(d['text']::text) AS text FROM modify_toast;
DROP TABLE modify_toast;

-- large arrays, in the time of one pass
SET statement_timeout = '60s';
WITH big AS (SELECT ('[' || string_agg(i::text, ',') || ']')::bson AS a FROM generate_series(0, 99999) i)
SELECT (a - 50000)::bytea = (SELECT ('[' || string_agg(i::text, ',') || ']')::bson::bytea
                                       FROM generate_series(0, 99999) i WHERE i <> 50000) AS right_one,
       (bson_set(a, '{-1}', '"end"'))[99999] AS last, (bson_insert(a, '{0}', '"begin"'))[100000] AS shifted,
       (a || a)[199999] AS doubled, a - (SELECT array_agg(i::text) FROM generate_series(1, 100000) i) = a AS no_strings
  FROM big;
WITH big AS (SELECT ('{' || string_agg(format('"%s":%s', i, i), ',') || '}')::bson AS d, array_agg(i::text) AS keys FROM generate_series(1, 100000) i)
SELECT d - keys AS emptied, d || d = d AS merged, (d || '{"x": 1}') - keys AS rest FROM big;
RESET statement_timeout;

-- no deeper than a document may be
SELECT length(bson_set(d, path[:1023], '{}')::text) AS deepest
  FROM (SELECT (repeat('{"a":', 1023) || '1' || repeat('}', 1023))::bson, array_fill('a'::text, ARRAY[1023])) v(d, path);
SELECT bson_set(d, path[:1023], '{"a": {}}')    -- ERROR, one too many
  FROM (SELECT (repeat('{"a":', 1023) || '1' || repeat('}', 1023))::bson, array_fill('a'::text, ARRAY[1023])) v(d, path);
SELECT length(('{}'::bson || (repeat('{"a":', 1023) || '1' || repeat('}', 1023))::bson)::text) AS same_level;
SELECT '[1]'::bson || (repeat('{"a":', 1023) || '1' || repeat('}', 1023))::bson;    -- ERROR, two levels more

-- no deeper than the limit
SELECT bson_set('{}', array_fill('a'::text, ARRAY[1100]), '1');  -- ERROR
SELECT bson_set_lax('{"a": 1}', '{a}', NULL, NULL) AS no_choice, bson_set_lax(NULL, '{a}', '1') AS no_target, bson_set_lax('{"a": 1}', NULL, '1') AS no_path;
SELECT bson_set_lax('{"a": 1}', '{a}', NULL, true, NULL);  -- ERROR

\pset format unaligned
-- a value before an array, and two values that are no arrays: as jsonb
SELECT count(*), count(*) FILTER (WHERE (l::bson || r::bson)::jsonb <> l::jsonb || r::jsonb) AS other, count(*) FILTER (WHERE NOT bson_is_valid((l::bson || r::bson)::bytea)) AS damaged,
       count(*) FILTER (WHERE (l::bson || r::bson)::bytea <> ((l::jsonb || r::jsonb)::bson)::bytea AND l <> '{"b": 1, "a": 2}' AND r <> '{"b": 1, "a": 2}') AS other_bytes
  FROM (SELECT unnest(ARRAY['1', '"a"', '{"b": 1, "a": 2}', 'null', '[1]', '[]', 'true', '[[]]'])) x(l),
       (SELECT coalesce('[' || string_agg(i::text, ',') || ']', '[]') FROM unnest(ARRAY[0, 1, 9, 10, 11, 99, 100, 101, 1200]) n LEFT JOIN LATERAL generate_series(1, n) i ON true GROUP BY n
        UNION ALL SELECT unnest(ARRAY['2', 'null', '"b"', '[{"c": [1]}, [2]]'])) y(r);
SELECT (repeat('{"a":', 1023) || '1' || repeat('}', 1023))::bson || '[1]';  -- ERROR, a level more
SELECT length(((repeat('{"a":', 1022) || '1' || repeat('}', 1022))::bson || '[1]')::text) AS as_deep_as_can_be;

-- keys and paths that are constants, over rows of all kinds
SELECT count(*), count(*) FILTER (WHERE (b - ARRAY['a', NULL, 'c', 'a'])::jsonb <> j - ARRAY['a', NULL, 'c', 'a']) AS deleted,
       count(*) FILTER (WHERE (b - '{k1,k2,k3,k4,k5,k6,k7,k8,k9,a,NULL}'::text[])::jsonb <> j - '{k1,k2,k3,k4,k5,k6,k7,k8,k9,a,NULL}'::text[]) AS deleted_many,
       count(*) FILTER (WHERE (b - (k || ARRAY['k1', 'k2', NULL, 'k4', 'k5', 'k6', 'k7', 'k8', 'k9']))::jsonb <> j - (k || ARRAY['k1', 'k2', NULL, 'k4', 'k5', 'k6', 'k7', 'k8', 'k9'])) AS deleted_of_column,
       count(*) FILTER (WHERE bson_set(b, '{0}', '5')::jsonb <> jsonb_set(j, '{0}', '5')) AS was_set, count(*) FILTER (WHERE (b #- '{0}')::jsonb <> j #- '{0}') AS deleted_at
  FROM (SELECT t::bson AS b, t::jsonb AS j FROM unnest(ARRAY['{"a": [1, 2, 3], "b": 1}', '{"b": 1}', '{}', '[]', '["a", "b", "c", "a", 1]', '{"a": {"1": 2, "0": 1}, "c": 3}', '{"a": 5}', '{"k1": 1, "k9": 2, "x": {"a": 1}}']) t) d,
       (SELECT unnest(ARRAY['a', 'b', 'x', NULL])) u(k);
SELECT '7'::bson - '{a}'::text[];  -- ERROR
SELECT '7'::bson - '{a,b,c,d,e,f,g,h,i,j}'::text[];  -- ERROR
SELECT b - '{{a,b},{c,d}}'::text[] FROM (VALUES ('{"a": 1}'::bson)) v(b);  -- ERROR

-- at each position of arrays of like and unlike elements, as jsonb
SELECT count(*), count(*) FILTER (WHERE (bson_set(b, p, '"new"')::jsonb, bson_insert(b, p, '"new"')::jsonb, bson_insert(b, p, '"new"', true)::jsonb, bson_delete_path(b, p)::jsonb, (b - i)::jsonb)
                                  IS DISTINCT FROM (jsonb_set(j, p, '"new"'), jsonb_insert(j, p, '"new"'), jsonb_insert(j, p, '"new"', true), j #- p, j - i)) AS differ
FROM (SELECT n, jsonb_agg(CASE kind WHEN 0 THEN to_jsonb(e) WHEN 1 THEN to_jsonb(repeat('x', e % 7)) WHEN 2 THEN CASE e % 3 WHEN 0 THEN 'null'::jsonb WHEN 1 THEN '{"a": [1]}' ELSE to_jsonb(e) END
                                    ELSE CASE WHEN e < n - 3 THEN to_jsonb(e) ELSE to_jsonb(e::text) END END ORDER BY e) AS j
      FROM (VALUES (1), (3), (9), (10), (11), (25), (101), (103)) AS v(n), generate_series(0, 3) AS kind, generate_series(1, n) AS e GROUP BY n, kind) AS a,
     LATERAL (SELECT j::bson AS b) AS bson,
     generate_series(-n - 2, n + 2) AS i, LATERAL (SELECT ARRAY[i::text] AS p) AS path;
