-- If this fails, jsonpath loses a BSON type, rounds a number, or mistakes a date.

-- an item keeps its type on every path
CREATE TEMP TABLE doc AS SELECT bson '{
  "int": 5, "long": {"$numberLong": "5"}, "double": 5.0, "decimal": {"$numberDecimal": "5.00"},
  "oid": {"$oid": "507f1f77bcf86cd799439011"}, "date": {"$date": "2022-03-03T12:13:14.789Z"},
  "bin": {"$binary": {"base64": "AQI=", "subType": "00"}}, "uuid": {"$uuid": "c8edabc3-f738-4ca3-b68d-ab92a91478a3"},
  "regex": {"$regularExpression": {"pattern": "^a", "options": "i"}}, "ts": {"$timestamp": {"t": 7, "i": 1}},
  "code": {"$code": "f()"}, "scoped": {"$code": "f()", "$scope": {"x": 1}}, "symbol": {"$symbol": "abc"},
  "undef": {"$undefined": true}, "min": {"$minKey": 1}, "max": {"$maxKey": 1}, "null": null, "bool": true,
  "ref": {"$dbPointer": {"$ref": "c", "$id": {"$oid": "507f1f77bcf86cd799439011"}}}}' AS d;
SELECT bson_path_query(d, '$.*') FROM doc;
SELECT bson_path_query(d, '$.keyvalue() ? (@.key like_regex "^(long|oid|date)$").value') FROM doc;
SELECT bson_path_query_array(d, '$[*].long') FROM doc;
SELECT bson_path_query_first('[{"$numberLong": "5"}]', '$[0]');
SELECT bson_path_query('{"a": 1}', '$v', '{"v": {"$numberLong": "1"}}');
SELECT bson_path_query('{"a": 1}', '+$v', '{"v": {"$numberLong": "1"}}');

-- .type() gives jsonb's name if JSON has the type, else MongoDB's
SELECT bson_path_query_array(d, '$.*.type()') FROM doc;

-- numbers compare by exact value
SELECT bson_path_query(d, '$.* ? (@ == 5)') FROM doc;
SELECT bson_path_query(d, '$.* ? (@ == $v)', '{"v": {"$numberDecimal": "5.000"}}') FROM doc;
SELECT bson_path_query('[9007199254740992, 9007199254740993, 9007199254740992.0]', '$[*] ? (@ == 9007199254740993)');
SELECT bson_path_query('[9007199254740992, 9007199254740993, 9007199254740992.0]', '$[*] ? (@ == $v)', '{"v": 9007199254740992.0}');
SELECT bson_path_query('[4611686018427387904, {"$numberDouble": "4611686018427387904"}]', '$[*] ? (@ == 4611686018427387904)');
SELECT bson_path_query('[1e300, {"$numberDecimal": "1E+300"}]', '$[*] ? (@ == 1e300)');
-- a number written in the path is a decimal, and equals the double it spells too
SELECT bson_path_query('[1.1, {"$numberDecimal": "1.1"}, {"$numberDecimal": "1.10"}]', '$[*] ? (@ == 1.1)');
SELECT bson_path_query('[1.1, {"$numberDecimal": "1.1"}, {"$numberDecimal": "1.10"}]', '$[*] ? (@ >= 1.1)');
SELECT bson_path_query('[1.1, {"$numberDecimal": "1.1"}, {"$numberDecimal": "1.10"}]', '$[*] ? (@ > 1.1)');
SELECT bson_path_query('{"a": 0.1, "b": 0.2, "c": 0.3}', '$ ? (@.a + @.b == @.c)');
-- two values of a document compare as = does: a double is worth its spelling
SELECT bson_path_query('{"a": 1.1, "b": {"$numberDecimal": "1.1"}}', '$ ? (@.a > @.b)');
SELECT bson_path_query('[{"$numberDouble": "NaN"}, {"$numberDouble": "Infinity"}, {"$numberDecimal": "-Infinity"}, 1]', '$[*] ? (@ > 0)');
-- more digits than any BSON number has
SELECT bson_path_query('[1, 2, 1.5]', '$[*] ? (@ > 1.4999999999999999999999999999999999999999999999999999)');

-- arithmetic: the widest type of the operands, if it holds the result
SELECT bson_path_query(d, '$.int + $.int') FROM doc;
SELECT bson_path_query(d, '$.long + $.int') FROM doc;
SELECT bson_path_query(d, '$.int * 1000000000') FROM doc;
SELECT bson_path_query(d, '$.double + $.int') FROM doc;
SELECT bson_path_query(d, '$.decimal + $.double') FROM doc;
SELECT bson_path_query(d, '-$.decimal') FROM doc;
SELECT bson_path_query(d, '$.int + 0.5') FROM doc;
SELECT bson_path_query(d, '$.int / 2') FROM doc;
SELECT bson_path_query(d, '$.int / 3') FROM doc;
SELECT bson_path_query(d, '$.double / 3') FROM doc;
SELECT bson_path_query('[0.1, 0.2]', '$[0] + $[1]');
SELECT bson_path_query('[9223372036854775807]', '$[0] + 1');
-- integers are not computed by numeric if an int64 holds the result, which is the same
WITH n AS (SELECT unnest(ARRAY[0, 1, -1, 2, -7, 2147483647, -2147483648, 2147483648, 3037000500, 4611686018427387904, 9223372036854775807, -9223372036854775808]::numeric[]) AS n),
     op AS (SELECT unnest(ARRAY['+', '-', '*', '%']) AS op),
     computed AS (SELECT a.n AS a, op, b.n AS b, bson_path_query_first(format('[%s, %s]', a.n, b.n)::bson, format('$[0] %s $[1]', op)::jsonpath, silent => true) AS of_values,
                         bson_path_query_first(format('[%s]', a.n)::bson, format('$[0] %s %s', op, b.n)::jsonpath, silent => true) AS of_literal,
                         jsonb_path_query_first(format('[%s, %s]', a.n, b.n)::jsonb, format('$[0] %s $[1]', op)::jsonpath, silent => true) AS by_jsonb
                    FROM n a, op, n b)
SELECT count(*) AS computed, count(*) FILTER (WHERE of_values::jsonb IS DISTINCT FROM by_jsonb AND abs(by_jsonb::numeric) < 1e34 OR bson_identical(of_values, of_literal) IS FALSE) AS wrong,
       count(*) FILTER (WHERE bson_typeof(of_values) IS DISTINCT FROM CASE WHEN by_jsonb::numeric BETWEEN -2147483648 AND 2147483647 THEN 'int' WHEN by_jsonb::numeric BETWEEN -9223372036854775808 AND 9223372036854775807 THEN 'long' WHEN by_jsonb IS NOT NULL THEN 'decimal' END) AS of_other_type
  FROM computed;
SELECT bson_path_query_array('[2, 3.0]', '$[0] + 1.0'), bson_path_query_array('[2, 3.0]', '$[0] * 1e2'), bson_path_query_array('[2, 3.0]', '$[0] - 0.5'), bson_path_query_array('[2, 3.0]', '$[0] + $[1]'), bson_path_query_array('[2, 3.0]', '$[0] - -0');
SELECT bson_path_query('[9223372036854775807]', '-$[0] - 1');
SELECT bson_path_query('[{"$numberLong": "-9223372036854775808"}]', '$[0].abs()');
SELECT bson_path_query('[{"$numberDecimal": "2.50"}, 2.5, -7]', '$[*].floor()');
SELECT bson_path_query('[{"$numberDecimal": "-2.50"}, -2.5, -7]', '$[*].abs()');
-- rounded to the 34 digits of decimal128, half away from zero; literals never are
SELECT bson_path_query('1', '1234567890123456789012345678901234 * 1.1');
SELECT bson_path_query('1', '9999999999999999999999999999999999 * 10 + 5');
SELECT bson_path_query('1', '-9999999999999999999999999999999999 * 10 - 4');
SELECT bson_path_query('1', '0.00001234567890123456789012345678901234 * 1.1');
SELECT bson_path_query('1', '12345678901234567890');
SELECT bson_path_query('1', '1234567890123456789012345678901234567');  -- ERROR
SELECT bson_path_query('1', '1234567890123456789012345678901234567', silent => true);
SELECT bson_path_query('1e3000', '$ * $ * $');  -- ERROR
SELECT bson_path_query('1e3000', '$ * $ * $ > $');
SELECT bson_path_query('{"$numberDouble": "Infinity"}', '$ + 1');
SELECT bson_path_query('{"$numberDouble": "NaN"}', '-$');
SELECT bson_path_query('{"$numberDecimal": "-Infinity"}', '$ * 2');
SELECT bson_path_query('{"$numberDouble": "NaN"}', '$.double()');  -- ERROR
SELECT bson_path_query('[{"$numberDecimal": "1.10"}, 3, {"$numberLong": "4"}, {"$symbol": "2.5"}]', '$[*].double()');
SELECT bson_path_query('{"$numberDecimal": "1E-5000"}', '$.double()');  -- ERROR, no double
-- as a subscript
SELECT bson_path_query('["a", "b", "c"]', '$[$i]', '{"i": {"$numberDecimal": "1.9"}}');
SELECT bson_path_query('["a", "b", "c"]', '$[$i]', '{"i": {"$numberDouble": "NaN"}}');  -- ERROR

-- dates are datetimes
SELECT bson_path_query(d, '$.date.type()') FROM doc;
SELECT bson_path_query(d, '$.date.datetime()') FROM doc;
SELECT bson_path_query(d, '$.date.datetime("yyyy")') FROM doc;
SELECT bson_path_query('[{"$date": "2022-03-03T00:00:00Z"}, {"$date": "2022-03-04T00:00:00Z"}, "2022-03-05"]',
    '$[*] ? (@ > "2022-03-03T01:00:00+00:00".datetime())');
SELECT bson_path_query('[{"$date": "2022-03-03T00:00:00Z"}, {"$date": "2022-03-04T00:00:00Z"}, "2022-03-05"]',
    '$[*] ? (@ > "2022-03-03T01:00:00Z".datetime())');
SELECT bson_path_query('[{"$date": "2022-03-03T00:00:00Z"}, {"$date": "2022-03-04T00:00:00Z"}]', '$[*] ? (@ < $[1])');
SELECT bson_path_query('[{"$date": "2022-03-03T00:00:00Z"}, {"$date": "2022-03-04T00:00:00Z"}]', '$[*] ? (@ > $since)',
    '{"since": {"$date": "2022-03-03T12:00:00Z"}}');
SELECT bson_path_query('[{"$date": "2022-03-03T00:00:00Z"}, {"$date": "2022-03-04T00:00:00Z"}]', '$[*] ? (@ == null)');
SELECT bson_path_query('[{"$date": "2022-03-03T00:00:00Z"}, "2022-03-03"]', '$[*] ? ((@ > "2022") is unknown)');
SELECT bson_path_query('{"$date": "2022-03-03T00:00:00Z"}', '$ ? ((@ > "12:00".datetime("HH24:MI")) is unknown)');
-- comparisons that depend on the time zone need the _tz functions
SELECT bson_path_query('{"$date": "2022-03-03T00:00:00Z"}', '$ ? (@ > "2022-03-03".datetime())');  -- ERROR
SELECT bson_path_query('{"$date": "2022-03-03T00:00:00Z"}', '$ ? (@ > "2022-03-03 00:00:00".datetime())');  -- ERROR
SET timezone = 'Asia/Kolkata';
SELECT bson_path_query_tz('{"$date": "2022-03-03T00:00:00Z"}', '$ ? (@ > "2022-03-03".datetime())');
SELECT bson_path_query_tz('{"$date": "2022-03-03T00:00:00Z"}', '$ ? (@ > "2022-03-03 05:30:00".datetime())');
SELECT bson_path_query_tz('{"$date": "2022-03-03T00:00:00Z"}', '$ ? (@ == "2022-03-03 05:30:00".datetime())');
RESET timezone;
-- far beyond what a timestamp of the server can be
SELECT bson_path_query('[{"$date": {"$numberLong": "9223372036854775807"}}, {"$date": {"$numberLong": "9223372036854775806"}}]', '$[*] ? (@ > $[1])');
SELECT bson_path_query('[{"$date": {"$numberLong": "9223372036854775807"}}, {"$date": {"$numberLong": "-9223372036854775807"}}]',
    '$[*] ? (@ > "9999-12-31T00:00:00Z".datetime())');
-- Z is UTC in strings, on every server version
SELECT bson_path_query('["2022-03-03T12:13:14.789Z", "12:13:14Z", "Z", "2022-03-03Z"]', '$[*].datetime()', silent => true);

-- values of other BSON types compare with values of the same type
SELECT bson_path_query('[{"$oid": "507f1f77bcf86cd799439011"}, {"$oid": "507f1f77bcf86cd799439012"}, "507f1f77bcf86cd799439012"]', '$[*] ? (@ > $[0])');
SELECT bson_path_query('[{"$oid": "507f1f77bcf86cd799439011"}]', '$[*] ? (@ == "507f1f77bcf86cd799439011")');
SELECT bson_path_query('[{"$oid": "507f1f77bcf86cd799439011"}]', '$[*] ? ((@ == "507f1f77bcf86cd799439011") is unknown)');
SELECT bson_path_query('[{"$oid": "507f1f77bcf86cd799439011"}]', '$[*] ? (@ == $id)', '{"id": {"$oid": "507f1f77bcf86cd799439011"}}');
SELECT bson_path_query('[{"$binary": {"base64": "AQI=", "subType": "00"}}, {"$binary": {"base64": "AQI=", "subType": "80"}}]', '$[*] ? (@ > $[0])');
SELECT bson_path_query('[{"$timestamp": {"t": 7, "i": 1}}, {"$timestamp": {"t": 7, "i": 2}}]', '$[*] ? (@ < $[1])');
SELECT bson_path_query('[{"$minKey": 1}, {"$maxKey": 1}, 5]', '$[*] ? (@ == $[0])');
-- a symbol is a string; undefined is null
SELECT bson_path_query(d, '$.symbol ? (@ == "abc")') FROM doc;
SELECT bson_path_query(d, '$.symbol ? (@ starts with "a" && @ like_regex "c$")') FROM doc;
SELECT bson_path_query(d, '$.* ? (@ == null)') FROM doc;
SELECT bson_path_match('{"$undefined": true}', '$') IS NULL;

-- strings with U+0000 are strings
SELECT bson_path_query('["a\u0000b", "a"]', '$[*] ? (@ starts with "a")');
SELECT bson_path_query('["a\u0000b", "a"]', '$[*] ? (@ > "a")');
SELECT bson_path_query('["a\u0000b", "a"]', '$[*] ? ((@ like_regex "b$") is unknown)');
SELECT bson_path_query('["2022-03-03\u0000x"]', '$[*].datetime()', silent => true);
SELECT bson_path_query('["1\u0000x"]', '$[*].double()', silent => true);

-- key order is kept; of duplicate keys the first is found, and all are listed
SELECT bson_path_query('{"b": 1, "a": 2}', '$.keyvalue().key');
SELECT bson_path_query('\x13000000106100010000001061000200000000', '$.a');
SELECT bson_path_query('\x13000000106100010000001061000200000000', '$.*');

-- depth, and many items
SELECT count(*) FROM bson_path_query((repeat('[', 1000) || repeat(']', 1000))::bson, 'strict $.**');
SELECT count(*) FROM bson_path_query((repeat('{"a":', 1000) || '1' || repeat('}', 1000))::bson, '$.**{last}');
SELECT (repeat('{"a":', 1000) || '1' || repeat('}', 1000))::bson @? '$.** ? (@ == 1)';
SELECT ('{"a": [' || (SELECT string_agg(i::text, ',') FROM generate_series(0, 99999) i) || ']}')::bson AS big \gset
SELECT bson_path_query(:'big', '$.a.size()');
SELECT bson_path_query(:'big', '$.a[last]');
SELECT bson_path_query_array(:'big', '$.a[99998 to 1000000]');
SELECT bson_path_query(:'big', '$.a[*] ? (@ > 99997 && @ % 2 == 1)');
SELECT bson_path_query_array(:'big', '$.a[*] ? (@ < 3).keyvalue()', silent => true);
SELECT count(*) FROM bson_path_query(:'big', '$.a[*] ? (@ + 0.5 > 50000)');

-- stored values, short, compressed and out of line
CREATE TEMP TABLE stored (d bson);
INSERT INTO stored SELECT bson '{"a": 1}';
INSERT INTO stored SELECT ('{"a": 2, "x": "' || repeat('x', 5000) || '"}')::bson;
INSERT INTO stored SELECT ('{"a": 3, "x": "' || (SELECT string_agg(md5(i::text), '') FROM generate_series(1, 300) i) || '"}')::bson;
SELECT d @? '$.a ? (@ > 1)', d @@ '$.a > 2', bson_path_query_first(d, '$.a') FROM stored ORDER BY 3;
SELECT bson_path_query(d, '$.a') FROM stored ORDER BY 1;

-- invalid bounds and strings
SELECT bson_path_query('{"a": [1, 2, 3]}', '$.a[0 to $x]', '{"x": [1, 2]}');  -- ERROR
SELECT bson_path_query('{"a": [1, 2, 3]}', '$.a[$x]', '{"x": {"$numberDouble": "NaN"}}');  -- ERROR
SELECT bson_path_query('{"a": [1, 2, 3]}', '$.a[$x]', '{"x": {"$numberDecimal": "1e6000"}}');  -- ERROR
SELECT bson_path_query_array('{"a": [1, 2, 3]}', '$.a["x" to 1]', '{}', true), bson_path_query_array('{"a": [1, 2, 3]}', '$.a[0 to "x"]', '{}', true);
SELECT bson_path_query('{"a": "2020\u0000"}', '$.a.datetime()');  -- ERROR
SELECT bson_path_query_array('{"a": ["2020\u0000", "x", 5]}', '$.a[*].datetime("YYYY")', '{}', true);
SELECT bson_path_query_array('{"a": [1, [2]]}', 'strict $.**.size()');
DO $$ BEGIN PERFORM bson_path_query('{}', ('strict $."' || repeat('long', 1000) || '"')::jsonpath); EXCEPTION WHEN OTHERS THEN RAISE NOTICE '% in % characters', SQLSTATE, length(SQLERRM); END $$;

-- .floor() and .ceiling() of a double are rounded as doubles; of a computed number, as numerics, with the same result
SELECT d, bson_path_query_array(d, '$[*].floor()') AS floors, bson_path_query_array(d, '$[*].ceiling()') AS ceilings,
    bson_path_query_array(d, '$[*].floor()')::bytea = bson_path_query_array(d, '- (- $[*]).ceiling()')::bytea AS floors_alike,
    bson_path_query_array(d, '$[*].ceiling()')::bytea = bson_path_query_array(d, '- (- $[*]).floor()')::bytea AS ceilings_alike,
    bson_path_query_array(d, '$[*] ? (@.floor() == @.ceiling())') AS integers, bson_path_query_array(d, '$[*] ? (@.floor() < 0.5 && - @.ceiling() >= 0)') AS negative
  FROM (VALUES ('[0.0, -0.0, 0.5, -0.5, 1.5, -1.5, 2.0, 0.9999999999999999, -1e-300]'::bson), ('[4503599627370495.5, -4503599627370495.5, 9007199254740991.0, -9007199254740991.0, 9007199254740992.0, 1e16, -1e23, 1e300]'),
    ('[{"$numberDouble": "NaN"}, {"$numberDouble": "Infinity"}, {"$numberDouble": "-Infinity"}]'), ('[1, {"$numberLong": "5"}, {"$numberDecimal": "1.50"}]')) AS v(d);
