-- If this fails, an operator of MongoDB's queries matches other values than in MongoDB.
-- Each part names the file of MongoDB's source that defines it, below src/mongo/db/matcher.

-- each operator on a value of each type: at a field, in an array, in an array within an array
CREATE TEMP TABLE value (name text, v bson);
INSERT INTO value VALUES
  ('double', '1.5'), ('string', '"b"'), ('object', '{"x": 1}'), ('array', '[7, 8]'), ('binary', '{"$binary": {"base64": "BQ==", "subType": "00"}}'),
  ('undefined', '{"$undefined": true}'), ('objectId', '{"$oid": "50d3409d82cb8a4fc7000001"}'), ('bool', 'true'), ('date', '{"$date": "2020-01-01T00:00:00Z"}'), ('null', 'null'),
  ('regex', '{"$regularExpression": {"pattern": "b", "options": "i"}}'), ('dbPointer', '{"$dbPointer": {"$ref": "c", "$id": {"$oid": "50d3409d82cb8a4fc7000001"}}}'),
  ('code', '{"$code": "f"}'), ('symbol', '{"$symbol": "b"}'), ('scoped', '{"$code": "f", "$scope": {}}'), ('int', '5'), ('timestamp', '{"$timestamp": {"t": 1, "i": 1}}'),
  ('long', '{"$numberLong": "5"}'), ('decimal', '{"$numberDecimal": "5.0"}'), ('NaN', '{"$numberDouble": "NaN"}'), ('minKey', '{"$minKey": 1}'), ('maxKey', '{"$maxKey": 1}'), ('empty', '[]');
CREATE TEMP TABLE doc AS
  SELECT name, place, bson_build_object('a', CASE place WHEN 'field' THEN v WHEN 'element' THEN bson_build_array(v) ELSE bson_build_array(bson_build_array(v)) END) AS d
  FROM value, unnest(ARRAY['field', 'element', 'nested']) AS place
  UNION ALL SELECT 'missing', 'field', '{}';
CREATE FUNCTION pg_temp.found(query bson, wanted text) RETURNS text LANGUAGE sql AS $$
  SELECT coalesce(string_agg(name, ' ' ORDER BY name COLLATE "C"), '') FROM doc WHERE place = wanted AND d @~ query $$;
\x
SELECT query, pg_temp.found(query, 'field') AS field, pg_temp.found(query, 'element') AS element, pg_temp.found(query, 'nested') AS nested
FROM unnest(ARRAY[
  -- expression_leaf.cpp, ComparisonMatchExpression: within a type; missing is as null, and between the ends
  '{"a": 5}', '{"a": {"$eq": null}}', '{"a": {"$ne": null}}', '{"a": {"$eq": {"$regularExpression": {"pattern": "b", "options": "i"}}}}', '{"a": [7, 8]}', '{"a": []}',
  '{"a": {"$gt": 1.5}}', '{"a": {"$gte": null}}', '{"a": {"$gt": null}}', '{"a": {"$lte": {"$numberDouble": "NaN"}}}', '{"a": {"$lt": {"$numberDouble": "NaN"}}}',
  '{"a": {"$gt": {"$minKey": 1}}}', '{"a": {"$gte": {"$minKey": 1}}}', '{"a": {"$lt": {"$maxKey": 1}}}', '{"a": {"$lte": {"$maxKey": 1}}}', '{"a": {"$gt": "a"}}', '{"a": {"$gte": []}}',
  -- expression_leaf.cpp, InMatchExpression
  '{"a": {"$in": [null, 5]}}', '{"a": {"$nin": [null, 5]}}', '{"a": {"$in": [{"$regularExpression": {"pattern": "^B", "options": "i"}}]}}', '{"a": {"$in": [[], {"x": 1}]}}', '{"a": {"$in": []}}',
  -- expression_leaf.cpp, ExistsMatchExpression; expression_type.h
  '{"a": {"$exists": true}}', '{"a": {"$exists": false}}', '{"a": {"$type": "number"}}', '{"a": {"$type": ["undefined", "null"]}}', '{"a": {"$type": "array"}}', '{"a": {"$type": [-1, 127]}}',
  -- expression_leaf.cpp, RegexMatchExpression, ModMatchExpression, BitTestMatchExpression
  '{"a": {"$regex": "b", "$options": "i"}}', '{"a": {"$regex": "b"}}', '{"a": {"$mod": [4, 1]}}', '{"a": {"$bitsAllSet": [0, 2]}}', '{"a": {"$bitsAnySet": 4}}', '{"a": {"$bitsAllClear": 2}}', '{"a": {"$bitsAnyClear": {"$binary": {"base64": "BQ==", "subType": "00"}}}}',
  -- expression_array.cpp; expression_tree.cpp
  '{"a": {"$size": 2}}', '{"a": {"$size": 0}}', '{"a": {"$all": [7, 8]}}', '{"a": {"$all": [[7, 8]]}}', '{"a": {"$elemMatch": {"$gt": 6}}}', '{"a": {"$elemMatch": {"x": 1}}}', '{"a": {"$elemMatch": {"0": 7}}}', '{"a": {"$not": {"$gt": 0}}}'
]::bson[]) AS query;
\x

-- the values that a path finds: path.cpp, BSONElementIterator
SELECT d, string_agg(query::text || CASE WHEN d @~ query THEN ' yes' ELSE ' no' END, E'\n') AS answers
FROM (VALUES
  ('{"a": [[1, 2]]}'::bson, '{"a.0": 1}'::bson), ('{"a": [[1, 2]]}', '{"a.0": [1, 2]}'), ('{"a": [[1, 2]]}', '{"a.0.1": 2}'), ('{"a": [[1, 2]]}', '{"a.0.1": 1}'), ('{"a": [[1, 2]]}', '{"a.0": {"$size": 2}}'),
  ('{"a": [[1, 2]]}', '{"a.00": [1, 2]}'), ('{"a": [5]}', '{"a.0.b": null}'), ('{"a": [5]}', '{"a.0.b": {"$ne": 1}}'), ('{"a": [5]}', '{"a.0.b": {"$nin": [null]}}'), ('{"a": [5]}', '{"a.0.b": {"$lt": {"$maxKey": 1}}}'),
  ('{"a": [5]}', '{"a.b": null}'), ('{"a": [5]}', '{"a.1": null}'), ('{"a": [5]}', '{"a.0": 5}'), ('{"a": [5]}', '{"a.": 5}'), ('{"a": 5}', '{"a.b": null}'), ('{"a": 5}', '{"a.0": 5}'), ('{"a": []}', '{"a.b": null}'), ('{"a": []}', '{"a": null}'),
  ('{"a": [{"b": 1}, {"c": 1}]}', '{"a.b": null}'), ('{"a": [{"b": 1}, {"c": 1}]}', '{"a.b": 1}'), ('{"a": [{"b": 1}, {"c": 1}]}', '{"a.0.b": 1}'), ('{"a": [{"b": 1}, {"c": 1}]}', '{"a.0": null}'), ('{"a": [{"b": 1}, {"c": 1}]}', '{"a.1.b": {"$exists": false}}'),
  ('{"a": [[{"b": 1}]]}', '{"a.b": 1}'), ('{"a": [[{"b": 1}]]}', '{"a.0.b": 1}'), ('{"a": [[{"b": 1}]]}', '{"a.0.0.b": 1}'), ('{"a": [{"0": 3}, 4]}', '{"a.0": 3}'), ('{"a": [{"0": 3}, 4]}', '{"a.1": 4}'), ('{"a": {"0": [6]}}', '{"a.0": 6}'), ('{"a": {"0": [6]}}', '{"a.0.0": 6}'),
  ('{"": 1, "a": {"": {"b": 2}}}', '{"": 1}'), ('{"": 1, "a": {"": {"b": 2}}}', '{"a..b": 2}')
) AS t(d, query) GROUP BY d ORDER BY d;

-- numbers that are large, or have a fraction: expression_parser.cpp, parseMOD, and expression_leaf.cpp
SELECT d, query, d @~ query AS matches FROM (VALUES
  ('{"a": {"$numberLong": "9223372036854775807"}}'::bson, '{"a": {"$mod": [10, 7]}}'::bson), ('{"a": {"$numberLong": "-9223372036854775808"}}', '{"a": {"$mod": [-1, 0]}}'), ('{"a": 9.2e18}', '{"a": {"$mod": [1000, 0]}}'), ('{"a": 9.3e18}', '{"a": {"$mod": [2, 0]}}'),
  ('{"a": {"$numberDecimal": "9223372036854775807.9"}}', '{"a": {"$mod": [10, 7]}}'), ('{"a": {"$numberDecimal": "1E-6000"}}', '{"a": {"$mod": [10, 0]}}'), ('{"a": {"$numberDecimal": "Infinity"}}', '{"a": {"$mod": [2, 0]}}'),
  ('{"a": 8}', '{"a": {"$mod": [4.5, 0]}}'), ('{"a": -7.9}', '{"a": {"$mod": [4, -3]}}'), ('{"a": {"$numberLong": "-1"}}', '{"a": {"$bitsAllSet": [100, 63]}}'), ('{"a": 1.5}', '{"a": {"$bitsAllClear": [5]}}'), ('{"a": {"$numberLong": "9223372036854775807"}}', '{"a": {"$bitsAllClear": [63]}}')
) AS t(d, query);

-- regular expressions are PCRE2: src/mongo/util/pcre.cpp
SELECT s, pattern, options, bson_build_object('s', s::bson) @~ bson_build_object('s', bson_build_object('$regex', pattern, '$options', options)) AS matches FROM (VALUES
  ('"one word"', '\bword\b', ''), ('"one words"', '\bword\b', ''), ('"a\nb"', 'a[^x]b', ''), ('"ab\n"', 'b$', ''), ('"ab\n\n"', 'b$', ''), ('"é"', '^\w$', ''), ('"é"', '^\p{L}$', ''), ('"É"', 'é', 'i'), ('"É"', 'é', 'iu'),
  ('"abC"', 'ab(?i)c', ''), ('"a.b"', '^\Qa.b\E$', ''), ('"abab"', '^(?<n>ab)\k<n>$', ''), ('"aaa"', 'a++a', ''), ('"aab"', '(?>a+)b', ''), ('"a\u0000b"', 'b', ''), ('"a\u0000b"', '^a\x00b$', ''), ('"x\ny"', '^y', ''), ('"x\ny"', '^y', 'm'), ('"x\ny"', 'x.y', ''), ('"x\ny"', 'x.y', 's'),
  ('"xy"', 'x y # so', 'x'), ('"foobar"', '(?<=foo)bar', ''), ('"foobar"', 'foo(?!bar)', '')
) AS t(s, pattern, options);
-- a string of any length, in windows or not
SELECT n, bson_build_object('s', repeat('é', n) || 'end') @~ '{"s": {"$regex": "(?<=é)e[n]d$"}}' AS found, bson_build_object('s', repeat('é', n) || 'end') @~ '{"s": {"$regex": "^end"}}' AS at_begin
FROM unnest(ARRAY[0, 100, 3000, 8000, 100000]) AS n;

-- queries that the server refuses: expression_parser.cpp
CREATE FUNCTION pg_temp.refusal(query bson) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  detail text;
  hint text;
BEGIN
  RETURN '{}'::bson @~ query;
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
  RETURN sqlstate || ': ' || sqlerrm || coalesce(' ' || nullif(detail, ''), '') || coalesce(' ' || nullif(hint, ''), '');
END $$;
SELECT query, pg_temp.refusal(query) FROM unnest(ARRAY[
  '{"a": {"$gt": {"$regularExpression": {"pattern": "b", "options": ""}}}}', '{"a": {"$ne": {"$regularExpression": {"pattern": "b", "options": ""}}}}', '{"a": {"$in": [{"$gt": 1}]}}', '{"a": {"$nin": [{"$gt": 1}]}}', '{"a": {"$in": [{"$ref": "c", "$id": 1}]}}',
  '{"a": {"$all": [{"$gt": 1}]}}', '{"a": {"$all": [{"$elemMatch": {"b": 1}}, 5]}}', '{"a": {"$all": [5, {"$elemMatch": {"b": 1}}]}}', '{"a": {"$undefined": true}}', '{"a": {"$gt": {"$undefined": true}}}', '{"a": {"$in": [{"$undefined": true}]}}', '{"a": {"$all": [{"$undefined": true}]}}',
  '{"a": {"$type": []}}', '{"a": {"$type": 0}}', '{"a": {"$type": 20}}', '{"a": {"$type": 255}}', '{"a": {"$type": 1.5}}', '{"a": {"$ref": "c"}}', '{"a": {"$ref": "c", "$id": 1}}', '{"$ref": "c"}', '{"a": {"$elemMatch": {"$ref": "c"}}}', '{"a": {"$not": {}}}', '{"a": {"$not": {"b": 1}}}',
  '{"a": {"$regex": {"$regularExpression": {"pattern": "b", "options": "i"}}, "$options": "m"}}', '{"a": {"$options": "m", "$regex": {"$regularExpression": {"pattern": "b", "options": "i"}}}}', '{"a": {"$regex": {"$regularExpression": {"pattern": "b", "options": ""}}, "$options": "m"}}',
  '{"a": {"$size": 1.5}}', '{"a": {"$size": 3000000000}}', '{"a": {"$mod": [0.5, 0]}}', '{"a": {"$mod": ["2", 0]}}', '{"a": {"$bitsAllSet": -1}}', '{"a": {"$bitsAllSet": [-1]}}', '{"a": {"$bitsAllSet": 1.5}}', '{"a": {"$bitsAllSet": "x"}}',
  '{"$alwaysTrue": 1}', '{"$alwaysFalse": 1}', '{"$alwaysTrue": true}', '{"$comment": 5}', '{"$and": [{"$comment": "x"}, {"a": null}]}', '{"a": {"$comment": "x"}}', '{"a": {"$elemMatch": {"$comment": "x"}}}',
  '{"$where": "1"}', '{"$text": {"$search": "x"}}', '{"$expr": true}', '{"$sampleRate": 0.5}', '{"a": {"$near": [1, 2]}}', '{"a": {"$geoWithin": {}}}'
]::bson[]) AS query;

-- operators as they come from text: {"$regex", "$options"} is a regular expression there
SELECT d, query, d @~ query AS matches FROM (VALUES
  ('{"a": ["x", "y"]}'::bson, '{"a": {"$elemMatch": {"$regex": "X", "$options": "i"}}}'::bson), ('{"a": ["xz", "y"]}', '{"a": {"$elemMatch": {"$regex": "X", "$options": "i", "$ne": "xz"}}}'), ('{"a": "x"}', '{"a": {"$not": {"$regex": "X", "$options": "i"}}}'),
  ('{"a": "x"}', '{"a": {"$in": [{"$regex": "X", "$options": "i"}]}}')
) AS t(d, query);

-- many conditions are read once, and many values are searched
SELECT ('{"a": ' || (SELECT json_agg(i) FROM generate_series(1, 10000) AS i) || '}')::bson @~ bson_build_object('a', bson_build_object('$all', (SELECT bson_agg(i) FROM generate_series(1, 10000) AS i))) AS all_of_many;
-- a path of many numbers is not followed in more ways than it has places
SELECT ('{"a": ' || repeat('[{"0": ', 200) || '1' || repeat('}]', 200) || '}')::bson @~ bson_build_object('a' || repeat('.0', 300), 5) AS ends;

-- bits by binary data, by their positions and by a number: the same rows, whichever is longer
CREATE FUNCTION pg_temp.positions(mask bytea) RETURNS bson LANGUAGE sql AS $$
  SELECT coalesce(bson_agg(i), '[]') FROM generate_series(0, octet_length(mask) * 8 - 1) AS i WHERE get_bit(mask, i) = 1 $$;
SELECT operator, count(*), count(*) FILTER (WHERE data @~ by_bytes) AS found, count(*) FILTER (WHERE (data @~ by_bytes) <> (data @~ by_positions)) AS differ
FROM unnest(ARRAY['$bitsAllSet', '$bitsAnySet', '$bitsAllClear', '$bitsAnyClear']) AS operator,
  unnest(ARRAY['', '\x00', '\x05', '\x0500', '\x80', '\x0000000000000080', '\x000000000000000001', '\x050000000000000000ff']::bytea[]) AS mask,
  LATERAL (SELECT bson_build_object('a', bson_build_object(operator, mask)) AS by_bytes, bson_build_object('a', bson_build_object(operator, pg_temp.positions(mask))) AS by_positions) AS q,
  LATERAL (SELECT bson_build_object('a', b) AS data FROM unnest(ARRAY['', '\x05', '\xffff', '\x050000000000000080', '\xffffffffffffffffffffff']::bytea[]) AS b
           UNION ALL SELECT bson_build_object('a', n) FROM unnest(ARRAY[0, 5, -1, 9223372036854775807, -9223372036854775808]) AS n) AS d
GROUP BY operator ORDER BY operator COLLATE "C";
