-- If this failed, full text search would miss words of a document, find them at wrong places, or show them wrongly.

SET default_text_search_config = 'english';

-- strings at every level, in their order, with a gap between them; keys and other types do not count
SELECT to_tsvector('{"a": "aaa bbb ddd ccc", "b": ["eee fff ggg"], "c": {"d": "hhh iii"}}'::bson) AS by_default,
       to_tsvector('simple', '{"a": "in the house", "b": ["", 5, true, null, {"x": "end"}]}'::bson) AS simple,
       to_tsvector('english', '{"a": "in the house", "b": 123, "c": {"$date": "2022-03-03T12:13:14Z"}}'::bson) AS stop_words;
SELECT d, to_tsvector(d::bson) = '' AS empty FROM unnest('{"\"\"","{}","[]","null","5"}'::text[]) d;
SELECT to_tsvector('"the fat cats"'::bson) @@ 'fat <-> cat' AS phrase, to_tsvector('["the fat", "cats"]'::bson) @@ 'fat <-> cat' AS no_phrase;

-- strings, numbers, booleans, keys, as the filter says
SELECT f, bson_to_tsvector('english', '{"a": "aaa in bbb", "b": 123, "c": 456.5, "d": true, "f": false, "g": null}'::bson, f::bson),
       bson_to_tsvector('english', '{"a": "aaa in bbb", "b": 123, "c": 456.5, "d": true, "f": false, "g": null}'::bson, f::bson)
         = jsonb_to_tsvector('english', '{"a": "aaa in bbb", "b": 123, "c": 456.5, "d": true, "f": false, "g": null}'::jsonb, f::jsonb) AS as_jsonb
  FROM unnest(ARRAY['"all"', '"key"', '"string"', '"numeric"', '"boolean"', '["string", "numeric"]', '"ALL"', '[]']) f;
SELECT bson_to_tsvector('{"n": {"$numberLong": "5"}, "d": {"$numberDecimal": "1.10"}}'::bson, '["numeric"]');
SELECT bson_to_tsvector('{}'::bson, '""');              -- ERROR, no such flag
SELECT bson_to_tsvector('{}'::bson, '{}');              -- ERROR, no flags
SELECT bson_to_tsvector('{}'::bson, '["all", null]');   -- ERROR, not a string

-- headlines in the strings; everything else is unchanged
SELECT ts_headline('{"a": "aaa bbb", "b": {"c": "ccc ddd fff", "n": 5}, "d": ["ggg hhh", "iii", {"$numberLong": "7"}]}'::bson, tsquery('bbb & ddd & hhh'));
SELECT ts_headline('english', '{"a": "aaa bbb", "b": ["bbb"]}'::bson, 'bbb', 'StartSel = <, StopSel = >') AS options,
       ts_headline('english', '"aaa bbb"'::bson, 'bbb') AS scalar, ts_headline('[["bbb"]]'::bson, 'bbb', 'StartSel = "", StopSel = ""') AS no_marks;
SELECT d, ts_headline(d::bson, 'aaa & bbb') FROM unnest('{"null","{}","[]",5}'::text[]) d;
SELECT ts_headline('{"a": "x\u0000y"}'::bson, 'x');     -- ERROR, no text holds U+0000

-- an index
CREATE TABLE tsearch (id int, d bson);
INSERT INTO tsearch SELECT i, ('{"t": ["word' || i || '", "cat"]}')::bson FROM generate_series(1, 100) i;
CREATE INDEX ON tsearch USING gin (to_tsvector('english', d));
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT id FROM tsearch WHERE to_tsvector('english', d) @@ 'word7';
SELECT id FROM tsearch WHERE to_tsvector('english', d) @@ 'word7';
DROP TABLE tsearch;
