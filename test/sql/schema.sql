-- If this fails, $jsonSchema and bson_schema_errors do not judge documents as MongoDB does
\pset format unaligned
\pset tuples_only
-- each keyword, and the values of a field "v" that do not meet it; of another type than its own a keyword says nothing
CREATE TEMP TABLE sample (v text);
INSERT INTO sample VALUES ('null'), ('true'), ('0'), ('3'), ('3.0'), ('4.5'), ('-6'), ('{"$numberLong": "9"}'), ('{"$numberDecimal": "0.3"}'), ('{"$numberDouble": "NaN"}'), ('{"$numberDouble": "Infinity"}'),
  ('""'), ('"abc"'), ('"äöü€"'), ('[]'), ('[1, "a"]'), ('[1, 2, 1.0]'), ('[{"a": 1, "b": 2}, {"b": 2.0, "a": 1}]'), ('{}'), ('{"a": 1}'), ('{"a": 1, "b": 2, "x1": "s"}'), ('{"$date": 0}'), ('{"$symbol": "abcdef"}'), ('{"$minKey": 1}');
CREATE TEMP TABLE doc AS SELECT v, bson_build_object('v', v::bson) AS d FROM sample UNION ALL SELECT 'missing', '{}';
SELECT s, string_agg(v, ' | ' ORDER BY v COLLATE "C") FROM unnest(ARRAY['{}',
  '{"bsonType": "int"}', '{"bsonType": ["int", "string"]}', '{"bsonType": "number"}', '{"type": "number"}', '{"type": "boolean"}', '{"type": ["null", "object", "array"]}', '{"bsonType": "decimal"}', '{"bsonType": "minKey"}',
  '{"minimum": 3}', '{"minimum": 3, "exclusiveMinimum": true}', '{"maximum": 3}', '{"maximum": 3, "exclusiveMaximum": true}', '{"maximum": 3, "exclusiveMaximum": false}', '{"maximum": {"$numberDouble": "NaN"}}', '{"multipleOf": 3}', '{"multipleOf": 0.1}', '{"multipleOf": 1.5}',
  '{"minLength": 4}', '{"maxLength": 3}', '{"pattern": "^a.c"}', '{"pattern": ""}',
  '{"minItems": 2}', '{"maxItems": 2}', '{"uniqueItems": true}', '{"uniqueItems": false}', '{"items": {"bsonType": "int"}}', '{"items": [{"bsonType": "int"}]}', '{"items": [{"bsonType": "int"}], "additionalItems": false}', '{"items": [{}], "additionalItems": {"type": "string"}}', '{"additionalItems": false}', '{"items": []}',
  '{"minProperties": 1}', '{"maxProperties": 1}', '{"required": ["a"]}', '{"properties": {"a": {"type": "string"}}}', '{"properties": {"a": {}}, "additionalProperties": false}', '{"patternProperties": {"^x": {"type": "number"}}}', '{"patternProperties": {"^[a-w]": {}}, "additionalProperties": false}', '{"additionalProperties": {"type": "number"}}',
  '{"dependencies": {"a": ["b"]}}', '{"dependencies": {"a": {"minProperties": 3}}}',
  '{"enum": [3, "abc", null]}', '{"enum": [{"x1": "s", "b": 2, "a": 1}, [1, "a"]]}', '{"allOf": [{"type": "number"}, {"minimum": 3}]}', '{"anyOf": [{"type": "string"}, {"minItems": 1}]}', '{"oneOf": [{"minimum": 3}, {"maximum": 3}]}', '{"not": {"type": "number"}}', '{"title": "t", "description": "d"}'])
  AS s LEFT JOIN doc ON NOT d @~ bson_build_object('$jsonSchema', bson_build_object('properties', bson_build_object('v', s::bson))) GROUP BY s ORDER BY s COLLATE "C";
-- of the document itself
SELECT s, '{"a": 1, "b": "x"}'::bson @~ bson_build_object('$jsonSchema', s::bson) FROM unnest(ARRAY['{"bsonType": "object"}', '{"type": "array"}', '{"required": ["a", "b"]}', '{"required": ["c"]}', '{"enum": [{"b": "x", "a": 1.0}]}', '{"enum": [1]}', '{"minimum": 5, "minLength": 9}', '{"not": {}}']) AS s;
-- in a query with others, within $and, $nor and $elemMatch; an index does not get in the way
SELECT '{"a": 1}'::bson @~ '{"$jsonSchema": {"required": ["a"]}, "a": 1}', '{"a": 1}'::bson @~ '{"$nor": [{"$jsonSchema": {"required": ["a"]}}]}', '{"a": [{"b": 1}, {"c": 1}]}'::bson @~ '{"a": {"$elemMatch": {"$jsonSchema": {"required": ["c"]}}}}',
  '{"a": [1]}'::bson @~ '{"a": {"$elemMatch": {"$jsonSchema": {"required": ["c"]}}}}', '[1]'::bson @~ '{"$jsonSchema": {"type": "array"}}';
CREATE TABLE schema_test (data bson, CHECK (data @~ '{"$jsonSchema": {"required": ["n"], "properties": {"n": {"bsonType": "int", "minimum": 0}}}}'));
INSERT INTO schema_test SELECT bson_build_object('n', i, 'm', i % 10) FROM generate_series(1, 2000) AS i;
INSERT INTO schema_test VALUES ('{"n": -1}');  -- ERROR
INSERT INTO schema_test VALUES ('{"m": 1}');  -- ERROR
CREATE INDEX ON schema_test USING gin (data bson_ops);
SET enable_seqscan = off;
SELECT count(*) FROM schema_test WHERE data @~ '{"m": 3, "$jsonSchema": {"properties": {"n": {"maximum": 100}}}}';
SELECT count(*) FROM schema_test WHERE data @~ '{"$nor": [{"$jsonSchema": {"properties": {"n": {"maximum": 100}}}}]}';
RESET enable_seqscan;
DROP TABLE schema_test;
SELECT bson_upsert('{"$jsonSchema": {"required": ["a"]}, "b": 1}', '{"$set": {"c": 2}}') - '_id';
-- what is wrong, and where
\pset tuples_only off
SELECT * FROM bson_schema_errors('{"name": 5, "tags": ["a", 7, "a"], "address": {"zip": "x", "more": 1}, "age": -1, "kind": "z", "n": [1]}',
  '{"required": ["name", "email"], "properties": {"name": {"bsonType": "string"}, "tags": {"items": {"bsonType": "string"}, "maxItems": 2, "uniqueItems": true}, "address": {"properties": {"zip": {"pattern": "^[0-9]+$"}}, "required": ["city"], "additionalProperties": false},
    "age": {"minimum": 0, "maximum": 150}, "kind": {"enum": ["x", "y"]}, "n": {"anyOf": [{"type": "string"}, {"maxItems": 0}], "not": {"minItems": 1}, "oneOf": [{}, {}], "items": [], "additionalItems": false}}, "dependencies": {"age": ["birthday"], "kind": {"properties": {"kind": {"minLength": 2}}}}}');
SELECT * FROM bson_schema_errors('{"a.b": {"$c": [[{"d": 1}]]}}', '{"properties": {"a.b": {"properties": {"$c": {"items": {"items": {"properties": {"d": {"type": "string"}}}}}}}}}');
SELECT count(*) FROM bson_schema_errors('{"a": 1}', '{"properties": {"a": {"type": "number"}}}');
SELECT count(*) FROM bson_schema_errors(NULL, '{}');
\pset tuples_only
-- a schema is looked at closely
CREATE FUNCTION pg_temp.try(schema bson) RETURNS text LANGUAGE plpgsql AS $$
DECLARE detail text;
BEGIN
    RETURN '{}'::bson @~ bson_build_object('$jsonSchema', schema);
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
    RETURN concat_ws(': ', SQLSTATE, SQLERRM, detail);
END $$;
SELECT s, pg_temp.try(s::bson) FROM unnest(ARRAY['1', '[]', '{"x": 1}', '{"$ref": "#"}', '{"format": "date"}', '{"default": 1}', '{"encrypt": {}}', '{"type": "int"}', '{"type": "integer"}', '{"bsonType": "integer"}', '{"bsonType": "boolean"}', '{"type": []}', '{"type": ["string", "string"]}', '{"type": [1]}', '{"type": 1}', '{"type": "string", "bsonType": "int"}',
  '{"minimum": "1"}', '{"exclusiveMinimum": true}', '{"minimum": 1, "exclusiveMinimum": 1}', '{"maximum": null}', '{"exclusiveMaximum": false}', '{"multipleOf": 0}', '{"multipleOf": -1}', '{"multipleOf": "1"}', '{"minLength": -1}', '{"minLength": 1.5}', '{"minLength": 2.0}', '{"maxItems": "1"}', '{"pattern": 1}', '{"pattern": "("}', '{"uniqueItems": 1}',
  '{"items": 1}', '{"items": [1]}', '{"additionalItems": 1}', '{"required": []}', '{"required": "a"}', '{"required": [1]}', '{"required": ["a", "a"]}', '{"properties": 1}', '{"properties": {"a": 1}}', '{"patternProperties": {"a": 1}}', '{"patternProperties": {"(": {}}}', '{"additionalProperties": 1}', '{"dependencies": 1}', '{"dependencies": {"a": 1}}', '{"dependencies": {"a": []}}', '{"dependencies": {"a": ["b", "b"]}}', '{"dependencies": {"a": [1]}}',
  '{"enum": []}', '{"enum": 1}', '{"enum": [1, 1.0]}', '{"enum": [{"a": 1, "b": 1}, {"b": 1, "a": 1}]}', '{"allOf": []}', '{"anyOf": {}}', '{"oneOf": [1]}', '{"not": []}', '{"title": 1}', '{"description": 1}', '{"properties": {"a": {"not": {"x": 1}}}}']) AS s;
-- a schema as deep as a document may be
SELECT pg_temp.try((repeat('{"not": ', 1000) || '{}' || repeat('}', 1000))::bson);
-- one call site, another schema at each row
SELECT '{"a": 1}'::bson @~ q::bson FROM unnest(ARRAY['{"$jsonSchema": {"required": ["a"]}}', '{"$jsonSchema": {"required": ["b"]}}', '{"$jsonSchema": {"required": ["a"]}}']) AS q;

-- Of names that must be there a fault has the one that is not: n of them do not take n times the space of all
SELECT * FROM bson_schema_errors('{"a": 1}', '{"required": ["b", "a", "c"], "dependencies": {"a": ["a", "d"]}}');
SELECT count(*), max(bson_size(expected)) FROM bson_schema_errors('{"a": 1}',
  (SELECT bson_build_object('required', bson_agg('k' || i), 'dependencies', bson_build_object('a', bson_agg('d' || i))) FROM generate_series(1, 9999) AS i));

-- One call site of bson_schema_errors: other documents, other schemas, none of either, a schema that is wrong; in FROM, and beside another set
SELECT n, e.path, e.keyword, e.expected FROM (VALUES (1, '{"a": 1}', '{"required": ["b"]}'), (2, '{"b": 1}', '{"required": ["b"]}'), (3, '{"a": 1}', '{"properties": {"a": {"type": "string"}}}'),
  (4, NULL, '{"required": ["b"]}'), (5, '{"a": 1}', NULL), (6, '{"a": 1}', '{"required": ["b", "c"]}'), (7, '{}', '{}')) AS v(n, d, s), bson_schema_errors(d::bson, s::bson) AS e ORDER BY n, e.expected;
SELECT d, bson_schema_errors(d::bson, '{"required": ["a"], "maxProperties": 1}') AS error, generate_series(1, 2) AS other FROM unnest(ARRAY['{"a": 1}', '{"b": 1}', '{"b": 1, "c": 1}', NULL]) AS d;
SELECT bson_schema_errors('{}', s::bson) FROM unnest(ARRAY['{"required": ["a"]}', '{"required": 1}']) AS s;  -- ERROR
-- more faults than work_mem holds
SET work_mem = '64kB';
SELECT count(*), count(DISTINCT path), min(keyword), max(expected::text) FROM bson_schema_errors((SELECT bson_build_object('a', bson_agg(repeat('x', 30) || i)) FROM generate_series(1, 5000) AS i), '{"properties": {"a": {"items": {"type": "number"}}}}');
RESET work_mem;
