-- If this fails, the type, length, size or validity of a value is wrong.
SELECT v, bson_typeof(v) FROM unnest(ARRAY['1', '5000000000', '1.5', '{"$numberDecimal": "1"}', '"s"', 'true', 'null', '[]', '{}',
  '{"$oid": "56e1fc72e0c917e9c4714161"}', '{"$date": "2022-03-03T12:13:14Z"}', '{"$binary": {"base64": "AQ==", "subType": "00"}}',
  '{"$timestamp": {"t": 1, "i": 2}}', '{"$regularExpression": {"pattern": "a", "options": "i"}}', '{"$code": "f"}', '{"$code": "f", "$scope": {}}',
  '{"$symbol": "s"}', '{"$undefined": true}', '{"$minKey": 1}', '{"$maxKey": 1}',
  '{"$dbPointer": {"$ref": "b", "$id": {"$oid": "56e1fc72e0c917e9c4714161"}}}']::bson[]) AS v;

SELECT bson_array_length('[]'), bson_array_length('[1, [2, 3], {}]');
SELECT bson_array_length('{"0": 1}');  -- ERROR
SELECT bson_array_length('5');  -- ERROR

-- the size is that of the BSON bytes, even if the value is compressed
SELECT bson_size('{}'), bson_size('{"a": 1}'), bson_size('[]'), octet_length('{"a": 1}'::bson::bytea);
SELECT bson_depth('5'), bson_depth('{}'), bson_depth('[]'), bson_depth('{"a": [{"b": []}], "c": {}}'), bson_depth('{"$code": "f", "$scope": {"a": {}}}');

SELECT bson_is_valid('\x0500000000'), bson_is_valid('\x0500000001'), bson_is_valid(''), bson_is_valid('\x05000000'), bson_is_valid('\x060000000000');
