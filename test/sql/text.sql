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
