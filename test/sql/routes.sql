-- If this failed, the text, json and jsonb of a value would depend on the way they are made, and the order of two numbers on who is asked.
\set VERBOSITY terse
CREATE TABLE kinds (n serial, kind text, v bson);
INSERT INTO kinds (kind, v)
SELECT bson_typeof(v), v FROM unnest(ARRAY[
    '1.5', '1e300', '-0.0', '{"$numberDouble":"NaN"}', '{"$numberDouble":"-Infinity"}',
    '"a \"b\" \u00e4\n"', '""', '{"a":1,"b":[]}', '[1,{"a":2}]',
    '{"$binary":{"base64":"AQID","subType":"00"}}', '{"$uuid":"00112233-4455-6677-8899-aabbccddeeff"}',
    '{"$undefined":true}', '{"$oid":"0123456789abcdef01234567"}', 'true', 'false',
    '{"$date":"2022-03-03T12:13:14.789Z"}', '{"$date":{"$numberLong":"-1"}}',
    '{"$date":{"$numberLong":"9223372036854775807"}}', 'null',
    '{"$regularExpression":{"pattern":"^a","options":"i"}}',
    '{"$dbPointer":{"$ref":"c","$id":{"$oid":"0123456789abcdef01234567"}}}',
    '{"$code":"f()"}', '{"$symbol":"s"}', '{"$code":"f()","$scope":{"a":1}}',
    '5', '{"$timestamp":{"t":5,"i":6}}', '{"$numberLong":"5"}', '5000000000',
    '{"$numberDecimal":"1.10"}', '{"$numberDecimal":"-0"}', '{"$numberDecimal":"1E+400"}',
    '{"$numberDecimal":"NaN"}', '{"$numberDecimal":"Infinity"}',
    '{"$minKey":1}', '{"$maxKey":1}',
    '{"m":{"$numberDecimal":"1.10"},"n":{"$numberLong":"5"},"o":[{"$numberDecimal":"NaN"}]}']::bson[]) AS v;

-- "d" has the value in a field, "a" in an array
CREATE VIEW places AS
SELECT n, kind, v, bson_build_object('v', v) AS d, bson_build_array(v) AS a FROM kinds;
CREATE DOMAIN own_json AS json;
CREATE DOMAIN own_jsonb AS jsonb;
CREATE DOMAIN own_text AS text;
CREATE TYPE json_row AS (v json);
CREATE TYPE jsonb_row AS (v jsonb);
CREATE TYPE text_row AS (v text);
CREATE TYPE json_array_row AS (v json[]);
CREATE TYPE jsonb_array_row AS (v jsonb[]);
CREATE TYPE text_array_row AS (v text[]);

-- Every way to json.  Null and undefined are SQL NULL in columns, JSON null in casts.
CREATE VIEW json_routes AS
SELECT n, kind, route, answer FROM places, LATERAL (VALUES
    ('v::json', v::json::text),
    ('bson_to_json', bson_to_json(v)::text),
    ('(d -> v)::json', (d -> 'v')::json::text),
    ('(a -> 0)::json', (a -> 0)::json::text),
    ('bson_walk_to_json', bson_walk_to_json(d, 'v'::text)::text),
    ('(d #> {v})::json', (d #> '{v}')::json::text),
    ('d::json -> v', (d::json -> 'v')::text),
    ('a::json -> 0', (a::json -> 0)::text),
    ('to_json(v)', to_json(v)::text),
    ('row_to_json', (row_to_json(ROW(v)) -> 'f1')::text),
    ('json_build_array', (json_build_array(v) -> 0)::text),
    ('json_agg', (SELECT (json_agg(x) -> 0)::text FROM (VALUES (v)) AS t (x))),
    ('bson_to_record', (SELECT r.v::text FROM bson_to_record(d) AS r (v json))),
    ('bson_to_record, domain', (SELECT r.v::text FROM bson_to_record(d) AS r (v own_json))),
    ('bson_to_record, array', (SELECT r.v[1]::text FROM bson_to_record(bson_build_object('v', a)) AS r (v json[]))),
    ('bson_to_recordset', (SELECT r.v::text FROM bson_to_recordset(bson_build_array(d)) AS r (v json))),
    ('bson_populate_record', (bson_populate_record(NULL::json_row, d)).v::text),
    ('bson_populate_record, array', (bson_populate_record(NULL::json_array_row, bson_build_object('v', a))).v[1]::text),
    ('bson_populate_recordset', (SELECT r.v::text FROM bson_populate_recordset(NULL::json_row, bson_build_array(d)) AS r))
) AS r (route, answer);

-- One answer for each value, by every route
SELECT n, kind, answer FROM json_routes WHERE route = 'v::json' ORDER BY n;
SELECT o.n, o.kind, o.route, o.answer
FROM json_routes AS o JOIN json_routes AS c USING (n)
WHERE c.route = 'v::json' AND o.answer IS DISTINCT FROM c.answer
  AND NOT (o.answer IS NULL AND o.kind IN ('null', 'undefined') AND o.route LIKE 'bson%record%')
  AND NOT (o.kind = 'array' AND o.route LIKE '%, array')   -- it is a dimension there
ORDER BY o.n, o.route;

-- Every way to jsonb; the result is that of reading the json
CREATE VIEW jsonb_routes AS
SELECT n, kind, route, answer FROM places, LATERAL (VALUES
    ('v::jsonb', v::jsonb),
    ('v::json::jsonb', v::json::jsonb),
    ('bson_to_jsonb', bson_to_jsonb(v)),
    ('(d -> v)::jsonb', (d -> 'v')::jsonb),
    ('(a -> 0)::jsonb', (a -> 0)::jsonb),
    ('bson_walk_to_jsonb', bson_walk_to_jsonb(d, 'v'::text)),
    ('(d #> {v})::jsonb', (d #> '{v}')::jsonb),
    ('d::jsonb -> v', d::jsonb -> 'v'),
    ('a::jsonb -> 0', a::jsonb -> 0),
    ('to_jsonb(v)', to_jsonb(v)),
    ('to_jsonb(ROW(v))', to_jsonb(ROW(v)) -> 'f1'),
    ('jsonb_build_array', jsonb_build_array(v) -> 0),
    ('jsonb_agg', (SELECT jsonb_agg(x) -> 0 FROM (VALUES (v)) AS t (x))),
    ('bson_get_jsonb_array', bson_get_jsonb_array(bson_build_object('a', a), 'a') -> 0),
    ('bson_to_record', (SELECT r.v FROM bson_to_record(d) AS r (v jsonb))),
    ('bson_to_record, domain', (SELECT r.v FROM bson_to_record(d) AS r (v own_jsonb))),
    ('bson_to_record, array', (SELECT r.v[1] FROM bson_to_record(bson_build_object('v', a)) AS r (v jsonb[]))),
    ('bson_to_recordset', (SELECT r.v FROM bson_to_recordset(bson_build_array(d)) AS r (v jsonb))),
    ('bson_populate_record', (bson_populate_record(NULL::jsonb_row, d)).v),
    ('bson_populate_record, array', (bson_populate_record(NULL::jsonb_array_row, bson_build_object('v', a))).v[1]),
    ('bson_populate_recordset', (SELECT r.v FROM bson_populate_recordset(NULL::jsonb_row, bson_build_array(d)) AS r))
) AS r (route, answer);
SELECT n, kind, left(answer::text, 60) AS answer FROM jsonb_routes WHERE route = 'v::jsonb' ORDER BY n;
-- A double has a point in jsonb, so that it comes back as a double.  In these five
-- the server reads 1e+300 from json text, and numeric does not keep a point.
SELECT o.n, o.kind, o.route, right(o.answer::text, 4) AS ending, o.answer = c.answer AS equal
FROM jsonb_routes AS o JOIN jsonb_routes AS c USING (n)
WHERE c.route = 'v::jsonb' AND o.answer::text IS DISTINCT FROM c.answer::text
  AND NOT (o.answer IS NULL AND o.kind IN ('null', 'undefined') AND o.route LIKE 'bson%record%')
  AND NOT (o.kind = 'array' AND o.route LIKE '%, array')
ORDER BY o.n, o.route;

-- Every way to the text of ->>
CREATE VIEW text_routes AS
SELECT n, kind, route, answer FROM places, LATERAL (VALUES
    ('d ->> v', d ->> 'v'),
    ('a ->> 0', a ->> 0),
    ('d #>> {v}', d #>> '{v}'),
    ('a #>> {0}', a #>> '{0}'),
    ('bson_extract_path_text', bson_extract_path_text(d, 'v')),
    ('bson_walk_text', bson_walk_text(d, 'v'::text)),
    ('bson_as_text', bson_as_text(d, 'v')),
    ('v #>> {}', v #>> '{}'),
    ('bson_each_text', (SELECT value FROM bson_each_text(d))),
    ('bson_array_elements_text', (SELECT value FROM bson_array_elements_text(a))),
    ('bson_to_record', (SELECT r.v FROM bson_to_record(d) AS r (v text))),
    ('bson_to_record, varchar', (SELECT r.v FROM bson_to_record(d) AS r (v varchar))),
    ('bson_to_record, varchar(200)', (SELECT r.v FROM bson_to_record(d) AS r (v varchar(200)))),
    ('bson_to_record, domain', (SELECT r.v FROM bson_to_record(d) AS r (v own_text))),
    ('bson_to_record, array', (SELECT r.v[1] FROM bson_to_record(bson_build_object('v', a)) AS r (v text[]))),
    ('bson_to_recordset', (SELECT r.v FROM bson_to_recordset(bson_build_array(d)) AS r (v text))),
    ('bson_populate_record', (bson_populate_record(NULL::text_row, d)).v),
    ('bson_populate_record, array', (bson_populate_record(NULL::text_array_row, bson_build_object('v', a))).v[1]),
    ('bson_populate_recordset', (SELECT r.v FROM bson_populate_recordset(NULL::text_row, bson_build_array(d)) AS r))
) AS r (route, answer);
SELECT n, kind, answer FROM text_routes WHERE route = 'd ->> v' ORDER BY n;
SELECT o.n, o.kind, o.route, o.answer
FROM text_routes AS o JOIN text_routes AS c USING (n)
WHERE c.route = 'd ->> v' AND o.answer IS DISTINCT FROM c.answer
  AND NOT (o.kind = 'array' AND o.route LIKE '%, array')   -- it is a dimension there
ORDER BY o.n, o.route;

-- Every way to the text of the type itself, which reads back to the same bytes
CREATE VIEW out_routes AS
SELECT n, kind, route, answer FROM places, LATERAL (VALUES
    ('v::text', v::text),
    ('bson_out', bson_out(v)::text),
    ('format', format('%s', v)),
    ('concat', concat(v)),
    ('array_out', (ARRAY[v]::text[])[1]),
    ('(d -> v)::text', (d -> 'v')::text),
    ('bson_each', (SELECT value::text FROM bson_each(d))),
    ('bson_to_record', (SELECT r.v::text FROM bson_to_record(d) AS r (v bson)))
) AS r (route, answer);
SELECT n, kind, answer, bson_send(answer::bson) = bson_send(v) AS same
FROM out_routes JOIN kinds USING (n, kind) WHERE route = 'v::text' ORDER BY n;
SELECT o.n, o.kind, o.route, o.answer
FROM out_routes AS o JOIN out_routes AS c USING (n)
WHERE c.route = 'v::text' AND o.answer IS DISTINCT FROM c.answer
  AND NOT (o.answer IS NULL AND o.kind IN ('null', 'undefined') AND o.route LIKE 'bson%record%')
ORDER BY o.n, o.route;

-- The json that reads back to a different value
SELECT n, kind, v, answer::bson FROM json_routes JOIN kinds USING (n, kind)
WHERE route = 'v::json' AND answer::bson <> v ORDER BY n;

DROP VIEW json_routes, jsonb_routes, text_routes, out_routes, places;
DROP TABLE kinds;
DROP TYPE json_row, jsonb_row, text_row, json_array_row, jsonb_array_row, text_array_row;
DROP DOMAIN own_json, own_jsonb, own_text;

-- Every way to compare two numbers.  "want" is the order of what they are worth, written by hand.
CREATE TABLE number_pairs (n serial, x bson, y bson, want int);
INSERT INTO number_pairs (x, y, want) VALUES
    ('19.99', '{"$numberDecimal":"19.990"}', 0), ('0.1', '{"$numberDecimal":"0.1000000000000000055511151231257827"}', -1),
    ('0.30000000000000004', '{"$numberDecimal":"0.3"}', 1), ('0.30000000000000004', '{"$numberDecimal":"0.30000000000000004"}', 0),
    ('5.0', '{"$numberDecimal":"5"}', 0), ('5', '{"$numberDecimal":"5.00"}', 0), ('-2.5', '{"$numberDecimal":"-2.5"}', 0),
    ('5e-324', '{"$numberDecimal":"5E-324"}', 0), ('5e-324', '{"$numberDecimal":"4.94065645841246544E-324"}', 1),
    ('{"$numberDouble":"1e23"}', '{"$numberDecimal":"9.999999999999999E+22"}', 0), ('1e308', '{"$numberDecimal":"1E+308"}', 0), ('1e23', '{"$numberDecimal":"1E+23"}', 0), ('1e-300', '{"$numberDecimal":"0E-6176"}', 1),
    ('9007199254740992.0', '{"$numberDecimal":"9007199254740993"}', -1), ('9007199254740994.0', '{"$numberLong":"9007199254740993"}', 1),
    -- a whole number of 64 bits is exact, and beyond them it is what it is printed as
    ('{"$numberDouble":"1152921504606846976"}', '{"$numberDecimal":"1152921504606846976"}', 0), ('{"$numberDouble":"1152921504606846976"}', '{"$numberDecimal":"1152921504606847000"}', -1),
    ('{"$numberDouble":"9223372036854775808"}', '{"$numberDecimal":"9223372036854776000"}', 0), ('{"$numberDouble":"9223372036854775808"}', '{"$numberDecimal":"9223372036854775808"}', 1),
    ('{"$numberDouble":"-9223372036854775808"}', '{"$numberDecimal":"-9223372036854775808"}', 0), ('{"$numberDouble":"9223372036854775808"}', '{"$numberLong":"9223372036854775807"}', 1),
    -- a binary fraction of more than 17 digits
    ('0.00000095367431640625', '9.5367431640625e-07', 0), ('1.0000009536743164', '{"$numberDecimal":"1.00000095367431640625"}', -1),
    ('{"$numberDouble":"Infinity"}', '{"$numberDecimal":"Infinity"}', 0), ('{"$numberDouble":"NaN"}', '{"$numberDecimal":"NaN"}', 0), ('-0.0', '{"$numberDecimal":"0.00"}', 0);
INSERT INTO number_pairs (x, y, want) SELECT y, x, -want FROM number_pairs ORDER BY n;

CREATE VIEW orders AS
SELECT n, x, y, want, route, answer FROM (SELECT *, bson_build_object('v', x) AS d, bson_build_object('v', y) AS e FROM number_pairs) AS p, LATERAL (VALUES
    ('bson_cmp', bson_cmp(x, y)), ('<, >', (x > y)::int - (x < y)::int), ('<=, >=', (x >= y)::int - (x <= y)::int),
    ('ORDER BY', (SELECT CASE WHEN r = 1 AND s = 1 THEN 0 ELSE r - s END FROM (SELECT max(r) FILTER (WHERE first) AS r, max(r) FILTER (WHERE NOT first) AS s
        FROM (SELECT first, rank() OVER (ORDER BY v)::int AS r FROM (VALUES (x, true), (y, false)) AS t (v, first)) AS r) AS r)),
    ('min', CASE WHEN bson_identical((SELECT min(v) FROM (VALUES (y), (x)) AS t (v)), x) THEN -1 ELSE 1 END * CASE WHEN x = y THEN 0 ELSE 1 END),
    ('max', CASE WHEN bson_identical((SELECT max(v) FROM (VALUES (y), (x)) AS t (v)), x) THEN 1 ELSE -1 END * CASE WHEN x = y THEN 0 ELSE 1 END),
    ('documents', bson_cmp(d, e)), ('sort key', bson_cmp(bson_sort_key(d, '{"v": 1}'), bson_sort_key(e, '{"v": 1}'))),
    ('sort key, descending', -bson_cmp(bson_sort_key(d, '{"v": -1}'), bson_sort_key(e, '{"v": -1}'))),
    ('$cmp', bson_eval(bson_build_object('x', x, 'y', y), '{"$cmp": ["$x", "$y"]}')::int),
    ('$gt, $lt', (bson_eval(bson_build_object('x', x, 'y', y), '{"$gt": ["$x", "$y"]}')::bool)::int - (bson_eval(bson_build_object('x', x, 'y', y), '{"$lt": ["$x", "$y"]}')::bool)::int),
    ('query', CASE WHEN x = '{"$numberDouble":"NaN"}' THEN want ELSE (d @~ bson_build_object('v', bson_build_object('$gt', y)))::int - (d @~ bson_build_object('v', bson_build_object('$lt', y)))::int END),
    ('query, or equal', CASE WHEN x = '{"$numberDouble":"NaN"}' THEN want ELSE (d @~ bson_build_object('v', bson_build_object('$gte', y)))::int - (d @~ bson_build_object('v', bson_build_object('$lte', y)))::int END),
    ('jsonpath', bson_path_match(d, '$.v > $v', e)::int - bson_path_match(d, '$.v < $v', e)::int),
    ('$max', CASE WHEN bson_update(d, bson_build_object('$max', bson_build_object('v', y))) = d THEN 1 ELSE -1 END * CASE WHEN x = y THEN 0 ELSE 1 END),
    ('numeric', CASE WHEN bson_typeof(y) = 'decimal' THEN (x > y::numeric)::int - (x < y::numeric)::int ELSE want END),
    ('numeric, commuted', CASE WHEN bson_typeof(x) = 'decimal' THEN (x::numeric > y)::int - (x::numeric < y)::int ELSE want END),
    ('numeric of more digits', CASE WHEN bson_typeof(y) = 'decimal' AND y::text !~ 'N|I' THEN greatest(-1, least(1,
        (x >= y::numeric + 1e-400)::int - (x <= y::numeric - 1e-400)::int)) ELSE want END),
    ('float8', CASE WHEN bson_typeof(y) = 'double' THEN (x > y::float8)::int - (x < y::float8)::int ELSE want END),
    ('bigint', CASE WHEN bson_typeof(y) IN ('int', 'long') THEN (x > y::int8)::int - (x < y::int8)::int ELSE want END)
) AS r (route, answer);
SELECT * FROM orders WHERE answer IS DISTINCT FROM want ORDER BY n, route;

CREATE VIEW equalities AS
SELECT n, x, y, want = 0 AS want, route, answer FROM (SELECT *, bson_build_object('v', x) AS d, bson_build_object('v', y) AS e, bson_build_array(x) AS a, bson_build_array(y) AS b,
        bson_build_object('x', x, 'y', y, 'a', bson_build_array(y)) AS f FROM number_pairs) AS p, LATERAL (VALUES
    ('=', x = y), ('<>', NOT x <> y), ('hashes', bson_hash(x) = bson_hash(y)), ('hashes, extended', bson_hash_extended(x, 7) = bson_hash_extended(y, 7)), ('documents', d = e),
    ('DISTINCT', (SELECT count(DISTINCT v) = 1 FROM (VALUES (x), (y)) AS t (v))), ('UNION', (SELECT count(*) = 1 FROM (SELECT x UNION SELECT y) AS u)),
    ('IN', x IN (y, '"x"', '1', '2', '3', '4', '6', '7', '8', '9')), ('= ANY', x = ANY (ARRAY[y, '"x"'])), ('array_position', array_position(ARRAY[x], y) IS NOT NULL),
    ('@>', d @> e), ('<@', e <@ d), ('@> in an array', a @> b), ('@> of an element', a @> y), ('@> nested', bson_build_object('o', a) @> bson_build_object('o', b)),
    ('query', d @~ e), ('$eq', d @~ bson_build_object('v', bson_build_object('$eq', y))), ('$ne', NOT d @~ bson_build_object('v', bson_build_object('$ne', y))),
    ('$in', d @~ bson_build_object('v', bson_build_object('$in', bson_build_array('x', y)))), ('$nin', NOT d @~ bson_build_object('v', bson_build_object('$nin', b))),
    ('$all', d @~ bson_build_object('v', bson_build_object('$all', b))), ('$elemMatch', bson_build_object('v', a) @~ bson_build_object('v', bson_build_object('$elemMatch', bson_build_object('$eq', y)))),
    ('$expr', f @~ '{"$expr": {"$eq": ["$x", "$y"]}}'), ('$eq of expressions', bson_eval(f, '{"$eq": ["$x", "$y"]}')::bool), ('$in of expressions', bson_eval(f, '{"$in": ["$x", "$a"]}')::bool),
    ('$indexOfArray', bson_eval(f, '{"$indexOfArray": ["$a", "$x"]}')::int = 0), ('$setIsSubset', bson_eval(f, '{"$setIsSubset": [["$x"], "$a"]}')::bool),
    ('$setUnion', bson_eval(f, '{"$size": {"$setUnion": [["$x"], "$a"]}}')::int = 1), ('$switch', bson_eval(f, '{"$switch": {"branches": [{"case": {"$eq": ["$y", "$x"]}, "then": true}], "default": false}}')::bool),
    ('$addToSet', bson_array_length(bson_update(bson_build_object('a', a), bson_build_object('$addToSet', bson_build_object('a', y))) -> 'a') = 1),
    ('$pull', bson_array_length(bson_update(bson_build_object('a', a), bson_build_object('$pull', bson_build_object('a', y))) -> 'a') = 0),
    ('$pullAll', bson_array_length(bson_update(bson_build_object('a', a), bson_build_object('$pullAll', bson_build_object('a', b))) -> 'a') = 0),
    ('schema', bson_match(d, bson_build_object('$jsonSchema', bson_build_object('properties', bson_build_object('v', bson_build_object('enum', b)))))),
    ('jsonpath', bson_path_match(d, '$.v == $v', e)), ('jsonpath, <>', NOT bson_path_match(d, '$.v <> $v', e)),
    ('sort key', bson_sort_key(d, '{"v": 1}') = bson_sort_key(e, '{"v": 1}')), ('sort key, descending', bson_sort_key(d, '{"v": -1}') = bson_sort_key(e, '{"v": -1}')),
    ('numeric', CASE WHEN bson_typeof(y) = 'decimal' THEN x = y::numeric ELSE want = 0 END), ('numeric, commuted', CASE WHEN bson_typeof(x) = 'decimal' THEN x::numeric = y ELSE want = 0 END),
    ('hash of numeric', CASE WHEN bson_typeof(y) = 'decimal' THEN bson_hash(x) = bson_hash_numeric(y::numeric) ELSE want = 0 END),
    ('float8', CASE WHEN bson_typeof(y) = 'double' THEN x = y::float8 ELSE want = 0 END), ('hash of float8', CASE WHEN bson_typeof(y) = 'double' THEN bson_hash(x) = bson_hash_float8(y::float8) ELSE want = 0 END)
) AS r (route, answer);
SELECT n, x, y, want, route, answer FROM equalities WHERE answer IS DISTINCT FROM want ORDER BY n, route;
SELECT (SELECT count(*) FROM orders) AS orders, (SELECT count(*) FROM equalities) AS equalities, count(*) FILTER (WHERE want = 0) AS equal, count(*) AS pairs FROM number_pairs;
DROP VIEW orders, equalities;
DROP TABLE number_pairs;
