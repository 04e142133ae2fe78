-- If this fails, text made for people or for other systems is not what they expect.
\pset format unaligned

-- indented like jsonb; wrappers stay on their line
SELECT bson_pretty('{"a": 1, "b": [1, [], {"c": {}}], "d": {"$oid": "0123456789abcdef01234567"}, "e": {"$timestamp": {"t": 1, "i": 2}}}');
SELECT v, bson_pretty(v) = jsonb_pretty(v::jsonb) AS like_jsonb
  FROM (VALUES (1, '{}'::bson), (2, '[]'), (3, '[{"a": [1, 2.5, "x", null, true]}, [[]]]'), (4, '5'), (5, '"a\nb"')) t(i, v) ORDER BY i;
-- what has no lossless text is shown all the same, in the same spelling
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
-- a container's text is that of the bson itself, or where that is no text, the nearest
SELECT d ->> 'v' AS text, left((d -> 'v')::text, 2) AS bson
  FROM (VALUES ('{"v": {"a": {"$numberLong": "1"}}}'::bson), ('\x130000000376000b0000000a61000a61000000')) t(d);

-- a date's text is read back by timestamptz as far as that reaches; beyond it is milliseconds
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

-- full text: the strings, not the keys, nor the text of other types; no phrase crosses from one string to the next
SELECT to_tsvector('english', '{"title": "The quick foxes", "body": ["jumped over", {"lazy": "dogs"}, {"$symbol": "sleeping"}],
                                "_id": {"$oid": "0123456789abcdef01234567"}, "n": 5, "when": {"$date": "2022-03-03T12:13:14Z"}}'::bson);
SELECT to_tsvector('simple', d::bson) = to_tsvector('simple', d::jsonb) AS like_jsonb
  FROM unnest('{"{\"a\": \"aaa bbb ddd ccc\", \"b\": [\"eee fff ggg\"], \"c\": {\"d\": \"hhh iii\"}}","[]","\"a the b\"","{\"a\": \"\", \"b\": [\"...\", \"x\"]}"}'::text[]) d;
SELECT to_tsvector('simple', '["a b", "c"]'::bson) @@ 'b <-> c'::tsquery AS crosses;
SET default_text_search_config = 'pg_catalog.english';
SELECT to_tsvector('"running dogs"'::bson);
SELECT to_tsvector('simple', '"a\u0000b"'::bson);       -- ERROR

-- U+0000 cannot be text: it is noticed at every place in strings of every length
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
