-- If this fails, bson_eval gives another value than MongoDB's server: conversions of types.
-- Each group names the file of the server's source (8.0, src/mongo/db/pipeline unless a folder is given) that says so.
CREATE FUNCTION pg_temp.ev(d bson, e bson, v bson DEFAULT NULL) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  detail text;
BEGIN
  RETURN coalesce(bson_eval(d, e, v)::text, 'nothing');
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  RETURN SQLSTATE || ': ' || SQLERRM || coalesce(' - ' || nullif(detail, ''), '');
END $$;
CREATE FUNCTION pg_temp.facts(title text, d bson, VARIADIC cases text[]) RETURNS TABLE (expression text, result text) LANGUAGE sql AS $$
  SELECT one, pg_temp.ev(d, c[1]::bson, c[2]::bson) FROM unnest(cases) AS one, string_to_array(one, ' ~ ') AS c $$;

CREATE TEMP TABLE types (i serial, v bson);
INSERT INTO types (v) VALUES
  ('{"v": 5}'), ('{"v": {"$numberLong": "5"}}'), ('{"v": 9007199254740993}'), ('{"v": 5.7}'), ('{"v": -5.7}'), ('{"v": 1e300}'), ('{"v": {"$numberDouble": "NaN"}}'), ('{"v": {"$numberDecimal": "5.70"}}'), ('{"v": null}'), ('{}'), ('{"v": true}'), ('{"v": false}'),
  ('{"v": "5"}'), ('{"v": "5.7"}'), ('{"v": "-1e3"}'), ('{"v": " 5"}'), ('{"v": "0x5"}'), ('{"v": ""}'), ('{"v": "507f1f77bcf86cd799439011"}'), ('{"v": "2020-01-01T01:02:03.456Z"}'), ('{"v": {"$oid": "507f1f77bcf86cd799439011"}}'), ('{"v": {"$date": "2020-01-01T00:00:00Z"}}'),
  ('{"v": {"$timestamp": {"t": 5, "i": 6}}}'), ('{"v": {"$uuid": "01020304-0506-0708-090a-0b0c0d0e0f10"}}'), ('{"v": {"$binary": {"base64": "AQI+/w==", "subType": "00"}}}'), ('{"v": {"a": 1}}'), ('{"v": [1]}'), ('{"v": {"$minKey": 1}}');
SELECT coalesce((v -> 'v')::text, 'nothing') AS v, t AS to, bson_eval(v, bson_build_object('$convert', bson_build_object('input', '$v', 'to', t, 'onError', '-'))) AS result
  FROM types, (VALUES (1, 'int'), (2, 'long'), (3, 'double'), (4, 'decimal'), (5, 'string'), (6, 'bool'), (7, 'date'), (8, 'objectId')) AS o(n, t) ORDER BY n, i;
SELECT * FROM pg_temp.facts('$convert: expression.cpp, ExpressionConvert', '{"n": null, "b": {"$binary": {"base64": "AQI+/w==", "subType": "00"}}, "u": {"$uuid": "01020304-0506-0708-090a-0b0c0d0e0f10"}}',
  '{"$convert": {"input": "x", "to": "int"}}', '{"$convert": {"input": "7", "to": 16}}', '{"$convert": {"input": "7", "to": 99}}', '{"$convert": {"input": "7", "to": "nope"}}', '{"$convert": {"input": "7", "to": null}}', '{"$convert": {"input": "$n", "to": "int", "onNull": "none"}}', '{"$convert": {"input": "7"}}', '{"$toInt": "x"}', '{"$toInt": 2147483648}', '{"$toLong": 2147483648.9}', '{"$toDouble": {"$numberDecimal": "1E+400"}}', '{"$toDecimal": 0.1}', '{"$toBool": "$n"}', '{"$toString": 1e20}', '{"$toString": 0.1}', '{"$toString": 3.0}', '{"$toDate": 0.5}', '{"$toDate": "2020-02-30"}', '{"$toObjectId": "x"}',
  '{"$toUUID": "01020304-0506-0708-090a-0b0c0d0e0f10"}', '{"$convert": {"input": "$b", "to": "string", "format": "base64"}}', '{"$convert": {"input": "$b", "to": "string", "format": "base64url"}}', '{"$convert": {"input": "$b", "to": "string", "format": "hex"}}', '{"$convert": {"input": "$u", "to": "string", "format": "auto"}}', '{"$convert": {"input": "AQI-_w", "to": "binData", "format": "base64url"}}', '{"$convert": {"input": "AQI+/w==", "to": {"type": "binData", "subtype": 5}, "format": "base64"}}', '{"$convert": {"input": "0g", "to": "binData", "format": "hex", "onError": "bad"}}', '{"$convert": {"input": "ß", "to": "binData", "format": "utf8"}}', '{"$convert": {"input": "x", "to": "binData", "format": "nope"}}');
