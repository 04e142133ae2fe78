-- If this fails, a program that calls jsonb's functions on a bson column, by the help of bson_jsonb.sql, breaks, or gets another answer for a jsonb.
SET client_min_messages = warning;
\set ECHO none
\i sql/bson_jsonb.sql
\set ECHO all
SET search_path = "$user", public, bson_jsonb;

-- every function of jsonb that bson has, too, but what makes records, and what operators and indexes call
SELECT proname FROM pg_proc AS theirs
  WHERE pronamespace = 'pg_catalog'::regnamespace AND proname LIKE 'jsonb\_%' AND 'jsonb'::regtype = ANY (proargtypes)
    AND NOT EXISTS (SELECT FROM pg_proc AS ours WHERE ours.pronamespace = 'bson_jsonb'::regnamespace AND ours.proname = theirs.proname AND 'bson'::regtype = ANY (ours.proargtypes))
    AND proname !~ '_(eq|ne|lt|le|gt|ge|cmp|hash|hash_extended|opr|send|out)$'
    AND proname <> 'jsonb_populate_record_valid'  -- since 17
  ORDER BY 1;
-- each also with a text, for literals
SELECT proname FROM pg_proc WHERE pronamespace = 'bson_jsonb'::regnamespace GROUP BY 1
  HAVING count(*) FILTER (WHERE 'bson'::regtype = ANY (proargtypes)) <> count(*) FILTER (WHERE NOT 'bson'::regtype = ANY (proargtypes));

CREATE TEMP TABLE d (id int, data bson);
INSERT INTO d VALUES (1, '{"a": [1, {"$numberLong": "2"}, "x"], "at": {"$date": "2024-01-02T03:04:05Z"}, "n": 15, "f": 1.5, "b": true, "z": null, "o": {"k": "v"}, "id": {"$oid": "5f2b1c3d4e5f60718293a4b5"}, "d": {"$numberDecimal": "1.10"}}');

-- a bson
SELECT key, jsonb_typeof(value), jsonb_typeof(value) = jsonb_typeof(value::jsonb) AS same, bson_typeof(value) FROM d, jsonb_each(data);
SELECT jsonb_array_length(data -> 'a'), jsonb_extract_path_text(data, 'o', 'k'), jsonb_extract_path(data, VARIADIC ARRAY['a', '1']),
       jsonb_path_query_first(data, '$.n') = '15', jsonb_path_query_first(data, '$.n') #>> '{}' FROM d;
SELECT jsonb_path_query_array(data, '$.a[*] ? (@ > $x)', vars => '{"x": 1}'), jsonb_path_exists(target => data, path => '$.a'),
       ARRAY(SELECT jsonb_array_elements_text(data -> 'a')) FROM d;
SELECT jsonb_insert(data, '{a,0}', '"first"') -> 'a', jsonb_strip_nulls(data) ? 'z', ARRAY(SELECT jsonb_object_keys(data)) FROM d;
UPDATE d SET data = jsonb_set(data, '{n}', '16');
UPDATE d SET data = jsonb_set(data, '{m}', to_jsonb(17));
UPDATE d SET data = jsonb_set(data, '{l}', '{"a": 1}'::jsonb) WHERE jsonb_path_exists(data, '$.a[*] ? (@ == 2)');
UPDATE d SET data = jsonb_set(data, '{k}', NULL);
SELECT data FROM d;
-- as fast as the function of bson
EXPLAIN (VERBOSE, COSTS OFF) SELECT jsonb_extract_path_text(data, 'o', 'k'), jsonb_array_length(data -> 'a') FROM d;

-- a jsonb, and a literal
SELECT pg_typeof(jsonb_set('{"a": 1}'::jsonb, '{a}', '2')), pg_typeof(jsonb_set('{"a": 1}', '{a}', '2')), pg_typeof(jsonb_set('{"a": 1}', '{a}', to_jsonb(2)));
SELECT jsonb_array_length('[1, 2]'), jsonb_typeof('1'), * FROM jsonb_each('{"b": 1, "a": 2}');
\set VERBOSITY sqlstate
SELECT jsonb_array_length('[1');  -- ERROR, as it was
SELECT jsonb_typeof(json '1');  -- ERROR, as it was
\set VERBOSITY default

DROP SCHEMA bson_jsonb CASCADE;
