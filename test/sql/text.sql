-- If this fails, text made for people or for other systems is not what they expect.
\pset format unaligned

-- indented like jsonb; wrappers stay on one line
SELECT bson_pretty('{"a": 1, "b": [1, [], {"c": {}}], "d": {"$oid": "0123456789abcdef01234567"}, "e": {"$timestamp": {"t": 1, "i": 2}}}');
SELECT v, bson_pretty(v) = jsonb_pretty(v::jsonb) AS like_jsonb
  FROM (VALUES (1, '{}'::bson), (2, '[]'), (3, '[{"a": [1, 2.5, "x", null, true]}, [[]]]'), (4, '5'), (5, '"a\nb"')) t(i, v) ORDER BY i;
-- values without a lossless text are shown in the same spelling
SELECT bson_pretty('\x1b0000001261000100000000000000126100020000000000000000');

-- the indentation of a deep document
SELECT length(bson_pretty((repeat('[', 1000) || repeat(']', 1000))::bson));

-- ->> gives text that casts to the natural SQL type
SELECT '{"v": ' || v || '}' AS v, ('{"v": ' || v || '}')::bson ->> 'v' AS text
  FROM unnest(ARRAY['"a\"\n€"', 'true', '15', '{"$numberLong": "15"}', '15.0', '10.09', '1e300', '{"$numberDouble": "NaN"}', '{"$numberDouble": "-Infinity"}',
                    '{"$numberDecimal": "1.10"}', '{"$numberDecimal": "1E+3"}', '{"$numberDecimal": "-Infinity"}', '{"$date": "2022-03-03T12:13:14.789Z"}',
                    '{"$oid": "0123456789abcdef01234567"}', '{"$binary": {"base64": "AQL/", "subType": "00"}}', '{"$binary": {"base64": "", "subType": "00"}}',
                    '{"$uuid": "73ffd264-44b3-4c69-90e8-e7d1dfc035d4"}', '{"$binary": {"base64": "c//SZESzTGmQ6OfR38A11A==", "subType": "03"}}',
                    '{"$binary": {"base64": "AQI=", "subType": "04"}}', '{"$symbol": "s\""}', '{"$code": "c\""}', 'null', '{"$undefined": true}',
                    '{"a": [{"$numberLong": "1"}, "x"]}', '[1, {}]', '{"$timestamp": {"t": 1, "i": 2}}', '{"$regularExpression": {"pattern": "a", "options": "i"}}',
                    '{"$dbPointer": {"$ref": "c", "$id": {"$oid": "0123456789abcdef01234567"}}}', '{"$code": "c", "$scope": {"a": 1.0}}', '{"$minKey": 1}', '{"$maxKey": 1}']) v;
SELECT '{"v": "a\u0000b"}'::bson ->> 'v';       -- ERROR
-- a container's text is that of the bson itself or, if that would be hexadecimal digits, the most similar JSON text
SELECT d ->> 'v' AS text, left((d -> 'v')::text, 2) AS bson
  FROM (VALUES ('{"v": {"a": {"$numberLong": "1"}}}'::bson), ('\x130000000376000b0000000a61000a61000000')) t(d);

-- timestamptz reads a date's text back; beyond its range the text is milliseconds
SELECT d ->> 'd' AS text, CASE WHEN (d ->> 'd') LIKE '%Z%' THEN (d ->> 'd')::timestamptz = (d -> 'd')::timestamptz END AS same
  FROM (SELECT ms, format('{"d": {"$date": {"$numberLong": "%s"}}}', ms)::bson AS d
          FROM unnest('{-9223372036854775808,-210866803200001,-210866803200000,-62198755200000,-62135596800001,-62135596800000,-1,0,
                        1646309594000,253402300800000,9224318015999999,9224318016000000,9223372036854775807}'::int8[]) ms) t
 ORDER BY ms;

-- Extended JSON by its names
SELECT bson_to_extjson('{"a": 1, "b": {"$numberLong": "2"}, "c": 1.5, "d": {"$date": "2022-03-03T12:13:14Z"}}', f)
  FROM unnest('{canonical,relaxed}'::text[]) f;
SELECT bson_to_extjson('{}', 'Canonical');     -- ERROR
SELECT bson_to_extjson('{}', NULL) IS NULL AS null;
SELECT bson_from_extjson('{"a": {"$numberInt": "1"}, "b": {"$binary": "AQI=", "$type": "00"}}');
SELECT bson_from_extjson('\x0500000000');       -- ERROR, no JSON
SELECT bson_from_extjson('{"a": }');            -- ERROR

-- numbers by MongoDB's rule: what is no int or long is the nearest double; wrappers keep their type, by either parser
CREATE TEMP TABLE rule (text text);
INSERT INTO rule VALUES ('1'), ('-0'), ('1.5'), ('2147483648'), ('9223372036854775807'), ('9223372036854775808'), ('-9223372036854775809'), ('-122.41941550000001'), ('37.774929499999999'),
  ('0.1000000000000000055511151231257827'), ('1e-400'), ('9007199254740993.0'), ('{"$numberDecimal": "1.10"}'), ('{"$numberLong": "5"}');
SET bson.json_parser = 'json-c';
CREATE TEMP TABLE slow AS SELECT text, bson_from_extjson(format('[%s]', text), 'mongodb') -> 0 AS mongodb FROM rule;
RESET bson.json_parser;
SELECT text, bson_typeof(text::bson) AS exact, bson_typeof(v) AS mongodb, v, v::bytea = s.mongodb::bytea AS same
  FROM (SELECT text, bson_from_extjson(format('[%s]', text), 'mongodb') -> 0 AS v FROM rule) t JOIN slow s USING (text) ORDER BY text COLLATE "C";
SELECT bool_and(bson_from_extjson(text, 'exact')::bytea = text::bson::bytea) AS same FROM rule;
SELECT bson_from_extjson('[123456789012345678901234567890123456789012345]', 'mongodb') AS long;
SELECT bson_from_extjson('[1e400]', 'mongodb');  -- ERROR
SELECT bson_from_extjson('1', 'double');        -- ERROR
SELECT bson_from_extjson('1', NULL) IS NULL AS null;

-- the syntax of MongoDB's shell is no JSON, and the error says what is
SELECT bson_from_extjson('{"_id": ObjectId("5f2b1c3d4e5f60718293a4b5")}');     -- ERROR
SELECT '{"at": new Date(0)}'::bson;            -- ERROR
SELECT '{"at": Dates}'::bson;                  -- ERROR, without the hint

-- full text: the strings, without keys and values of other types; no phrase extends from one string to the next
SELECT to_tsvector('english', '{"title": "The quick foxes", "body": ["jumped over", {"lazy": "dogs"}, {"$symbol": "sleeping"}],
                                "_id": {"$oid": "0123456789abcdef01234567"}, "n": 5, "when": {"$date": "2022-03-03T12:13:14Z"}}'::bson);
SELECT to_tsvector('simple', d::bson) = to_tsvector('simple', d::jsonb) AS like_jsonb
  FROM unnest('{"{\"a\": \"aaa bbb ddd ccc\", \"b\": [\"eee fff ggg\"], \"c\": {\"d\": \"hhh iii\"}}","[]","\"a the b\"","{\"a\": \"\", \"b\": [\"...\", \"x\"]}"}'::text[]) d;
SELECT to_tsvector('simple', '["a b", "c"]'::bson) @@ 'b <-> c'::tsquery AS crosses;
SET default_text_search_config = 'pg_catalog.english';
SELECT to_tsvector('"running dogs"'::bson);
SELECT to_tsvector('simple', '"a\u0000b"'::bson);       -- ERROR

-- U+0000 cannot be in a text: it is found at every place in strings of every length
DO $$
DECLARE
	taken int := 0;
BEGIN
	FOR len IN 1..80 LOOP
		FOR before IN 0..len - 1 LOOP
			BEGIN
				PERFORM ('{"a":"' || repeat('x', before) || '\u0000' || repeat('y', len - before - 1) || '"}')::bson ->> 'a';
				taken := taken + 1;
			EXCEPTION WHEN untranslatable_character THEN
				NULL;
			END;
		END LOOP;
		ASSERT ('{"a":"' || repeat('x', len) || '"}')::bson ->> 'a' = repeat('x', len);
	END LOOP;
	RAISE NOTICE '% taken', taken;
END $$;
