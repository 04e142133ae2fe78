-- If this failed, the transcoder from JSON text to bson would give other bytes, or other errors, than json-c.
\pset format unaligned
\pset tuples_only on

-- the result of the text with the current parser
CREATE FUNCTION outcome(t text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    detail text;
    context text;
BEGIN
    RETURN bson_send(bson_in(t::cstring));
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, context = PG_EXCEPTION_CONTEXT;
    RETURN concat_ws(' / ', SQLSTATE, SQLERRM, detail, split_part(context, E'\n', 1));
END $$;

CREATE TEMP TABLE texts (n int GENERATED ALWAYS AS IDENTITY, t text);

-- every token in every place where it may and may not be
INSERT INTO texts (t)
SELECT p || token || s
FROM unnest(ARRAY['{}', '[]', '""', '"a"', '"a\u0000"', '"\ud83d\ude00"', '"\ud83d"', '"\ude00"', '"\u00e"', '"\x"', '"a', '"\', '"é😀"', E'"\t"',
    '0', '-0', '1', '-1', '01', '-', '1.', '.5', '1.5', '-1.5e3', '1e', '1e+', '2147483647', '2147483648', '-2147483648', '-2147483649',
    '9223372036854775807', '9223372036854775808', '-9223372036854775808', '-9223372036854775809', '18446744073709551616', '18446744073709551616.5',
    '184467440737095516160', '0.1', '0.10', '0.30000000000000004', '0.1000000000000000055511151231257827', '1e22', '1e23', '123456789012345678', '1.7976931348623157e308',
    '1e400', '1e7000', '5e-324', '9007199254740993.0', '9007199254740992.0', '0.000000000000000000000000000001', '-0.0', '0e5', 'true', 'false', 'null', 'tru', 'nulll', 'NaN', 'x',
    ' ', '', ',', ':', '{', '}', '[', ']', '"k":1', '{"$oid":"57e193d7a9cc81b4027498b5"}', '{"$oid":"x"}', '{"$date":"2022-03-03T12:13:14.789Z"}', '{"$date":{"$numberLong":"1"}}',
    '{"$date":{"$numberInt":"1"}}', '{"$date":{"$date":{"$numberLong":"1"}}}', '{"$date":1}', '{ "$numberInt" : "1" }', '{"$numberInt":"1","x":2}', '{"$numberInt":"1"', '{"$numberInt":"\u0031"}',
    '{"\u0024numberInt":"1"}', '{"a":1,"$numberInt":"1"}', '{"$numberLong":"1"}', '{"$numberDouble":"-0"}', '{"$numberDouble":"NaN"}', '{"$numberDecimal":"1.10"}',
    '{"$uuid":"73ffd264-44b3-4c69-90e8-e7d1dfc035d4"}', '{"$symbol":"x"}', '{"$code":"x"}', '{"$minKey":1}', '{"$set":{"a":1}}', '{"$":1}', '{"$regex":"a","$options":"i"}', '{"$regex":"a"}',
    '{"$numberLong":{"$numberLong":"1"}}', '{"a":1,"a":2}', '{"a":1,"\u0061":2}', '{"a":{"b":1,"b":2},"b":1}', '{"a\u0000":1}', '{"":1,"":2}']) token,
    (VALUES ('', ''), ('[', ']'), ('[1,', ']'), ('[', ',2]'), ('{"a":', '}'), ('{"a":1,"b":', '}'), ('{', ':1}'), ('{"a":', ',"c":2}'), (E' \t\r\n', E' \t\r\n'),
            ('{"deep":[[{"x":', '}]]}'), ('[1', '2]'), ('', ' 1'), ('["', '"]'), ('["0123456789abcde', '"]'), ('{"0123456789abcdef', '":1}')) place (p, s);

-- wrappers, in every spelling that may and may not be
INSERT INTO texts (t)
SELECT p || w || s
FROM unnest(ARRAY['{"$binary":{"base64":"AQID","subType":"00"}}', '{"$binary":{"subType":"80","base64":"AQID"}}', '{"$binary":{"base64":"AQID","subType":"02"}}',
    '{"$binary":{"base64":"","subType":"4"}}', '{"$binary":{"base64":"AQI","subType":"00"}}', '{"$binary":{"base64":"AQJ=","subType":"00"}}', '{"$binary":{"base64":"AQI\u003d","subType":"00"}}',
    '{"$binary":{"base64":"AQID","subType":"x"}}', '{"$binary":{"base64":"AQID","subType":0}}', '{"$binary":{"base64":"AQID","subType":"00","x":1}}', '{"$binary":{"base64":"AQID"}}',
    '{"$binary":"AQID","$type":"00"}', '{"$binary":"AQID","$type":"ffffff80"}', '{"$binary":"AQID","$type":5}', '{"$binary":"AQID","$type":300}', '{"$type":"00","$binary":"AQID"}', '{"$binary":"AQID"}',
    '{"$binary":{"base64":"AQID","base64":"AQID"}}', '{"$binary":{"base64":"AAAA","subType":"00"},"$binary":{"base64":"AQID","subType":"00"}}',
    '{"$timestamp":{"t":1,"i":2}}', '{"$timestamp":{"i":4294967295,"t":0}}', '{"$timestamp":{"t":-1,"i":2}}', '{"$timestamp":{"t":01,"i":2}}', '{"$timestamp":{"t":-0,"i":2}}', '{"$timestamp":{"t":1.0,"i":2}}',
    '{"$timestamp":{"t":1e0,"i":2}}', '{"$timestamp":{"t":4294967296,"i":2}}', '{"$timestamp":{"t":1234567890123456789,"i":2}}', '{"$timestamp":{"t":12345678901234567890,"i":2}}', '{"$timestamp":{"t":1,"t":2}}',
    '{"$regularExpression":{"pattern":"^a","options":"mi"}}', '{"$regularExpression":{"options":"","pattern":""}}', '{"$regularExpression":{"pattern":"a"}}', '{"$regularExpression":{"pattern":"é\\d","options":""}}',
    '{"$regex":"^a","$options":"mi"}', '{"$options":"","$regex":"é"}', '{"$regex":"a","$options":1}', '{"$regex":"a","x":""}', '{"$regex":"a","$options":"","x":1}',
    '{"$regex":"a"}', '{"x":1,"$regex":"a"}', '{"$regex":"a","$options":"\u0069"}', '{"$options":"\u0000","$regex":"a"}', '{"$regex":{"$regex":"a"},"$options":"i"}', '{"$regex":"a","$options":"i","$options":"x"}',
    '{"\u0024regex":"a","$options":""}', '{"\u0024regex":"a","$options":0}', '{"$regex":"a","$oid":"57e193d7a9cc81b4027498b5"}', '{"$not":{"$regex":"a","$options":"\u0069"}}', '{"$a":1,"$oid":1}', '{"$a":{"$a":1},"b":{"$date":"2022-03-03T12:13:14Z"}}',
    '{"$code":"f()"}', '{"$code":""}', '{"$code":"f()","$scope":{}}', '{"$code":"f()","$scope":{"a":{"b":{"c":1}}}}', '{"$code":"f()","$scope":1}', '{"$code":1}', '{"$scope":{},"$code":"f"}',
    '{"$dbPointer":{"$ref":"c","$id":{"$oid":"57e193d7a9cc81b4027498b5"}}}', '{"$dbPointer":{"$id":{"$oid":"57e193d7a9cc81b4027498b5"},"$ref":"c"}}', '{"$dbPointer":{"$ref":"c","$id":{"$oid":"x"}}}',
    '{"$dbPointer":{"$ref":"c","$id":{"$oid":{"$oid":{}}}}}', '{"$symbol":"é"}', '{"$symbol":""}', '{"$symbol":1}', '{"$undefined":true}', '{"$undefined":false}', '{"$undefined":null}', '{"$undefined":truE}',
    '{"$minKey":1}', '{"$minKey":2}', '{"$minKey":-1}', '{"$maxKey":1}', '{"$maxKey":"1"}', '{"$maxKey":1', '{"$maxKey":1,', '{"$maxKey":1,}', '{"$maxKey"', '{"$maxKey":', '{"$maxKey":}', '{"$minKey":1,"$maxKey":1}',
    '{"$date":-62135596800000}', '{"$date":{"$numberLong":"x"}}', '{"$date":{"$numberLong":1}}', '{ "$timestamp" : { "t" : 1 , "i" : 2 } }', E'\t{\n"$symbol"\r:\t"x"\n}\r',
    '{"$numberDecimal":"1e6145"}', '{"$numberDecimal":"x"}', '{"$oid":"57E193d7a9cc81b4027498b5"}', '{"$":"x"}', '{"$x":"y"}']) w,
    (VALUES ('', ''), ('[', ']'), ('[1,', ',2]'), ('{"a":', '}'), ('{"a":1,"b":', ',"c":3}'), ('{"deep":[[{"x":', '}]]}'), ('[{"$code":"1"},', ']'), ('[{"$set":', '}]')) place (p, s);
INSERT INTO texts (t) SELECT format('{"id":{"$binary":{"base64":"%s","subType":"00"}}}', replace(encode(convert_to(repeat('x', n), 'UTF8'), 'base64'), E'\n', '')) FROM unnest(ARRAY[0, 1, 2, 3, 100, 10000, 3000000]) n;

-- strings of every length around the sixteen bytes that are copied at once, with what ends or escapes them at every place
INSERT INTO texts (t)
SELECT format('%s"%s%s%s"%s', p, repeat('x', i), c, repeat('y', j), s)
FROM generate_series(0, 34) i, generate_series(0, 34, 3) j, unnest(ARRAY['', '\n', '\u0041', '\ud83d\ude00', 'é', '😀', '"', '\', E'\n', E'\x7f', '\u0000']) c,
     (VALUES ('', ''), ('{', ':1}')) place (p, s)
WHERE length(p) = 0 OR j % 2 = 0;

-- keys: many, long, alike, and again
INSERT INTO texts (t)
SELECT format('{%s%s}', string_agg(format('"%s%s%s":%s', pre, i, post, i), ',' ORDER BY i), again)
FROM unnest(ARRAY[1, 2, 15, 16, 17, 18, 63, 64, 65, 255, 256, 257, 1000]) n, generate_series(1, n) i,
     unnest(ARRAY['', 'k', repeat('long', 10)]) pre, unnest(ARRAY['', 'k', repeat('tail', 10)]) post,
     LATERAL (VALUES (''), (format(',"%s1%s":0', pre, post)), (format(',"%s%s%s":0', pre, n, post)), (format(',"%s%s%s":{"a":1}', pre, n + 1, post))) a (again)
GROUP BY n, pre, post, again;

-- nesting, and objects within objects that have the same keys
INSERT INTO texts (t)
SELECT repeat(o, n) || v || repeat(c, n)
FROM unnest(ARRAY[1, 2, 126, 127, 128, 129, 130, 500, 1022, 1023, 1024, 1025]) n, (VALUES ('[', ']'), ('{"a":', '}'), ('[{"a":', '}]'), ('{"a":1,"b":[{"a":', '}]}')) x (o, c),
     unnest(ARRAY['1', '{}', '[]', '{"$oid":"57e193d7a9cc81b4027498b5"}']) v;

-- texts that are longer as bson, so that room must be made
INSERT INTO texts (t)
SELECT '[' || repeat(v || ',', n) || '1]'
FROM unnest(ARRAY[1, 5, 10, 11, 100, 101, 1000, 1001, 3000]) n, unnest(ARRAY['1', '""', '{}', '[]', '1.5', '3000000000', '[1,1]', '{"":1}', '"\u0041"', 'null']) v;
-- digits are read eight at a time up to their end, and trailing zeroes of a number are ignored
INSERT INTO texts (t)
SELECT format('[%s%s%s%s%s%s1]', sign, left('9876543210987654321098', i), CASE WHEN j > 0 THEN '.' END, left('1234567890123456789012', j), repeat('0', z), s)
FROM unnest(ARRAY['', '-']) sign, generate_series(1, 21) i, generate_series(0, 21) j, unnest(ARRAY[0, 1, 9, 30]) z,
     unnest(ARRAY[',', 'e5,', 'E-5 ,', 'e+300,', 'e-300,', 'x,', '/,', ':,', 'e99999999999,']) s
WHERE j > 0 OR z = 0;
INSERT INTO texts (t) SELECT format('0.%s1e%s', repeat('0', n), e) FROM unnest(ARRAY[300, 9990, 32760, 99998]) n, unnest(ARRAY[305, 9999, 32765, 32766, 99999, 100000]) e;
-- numbers at the boundary of two pieces of memory
INSERT INTO texts (t) SELECT '[' || repeat(' ', n) || '12345678901234567890]' FROM generate_series(0, 40) n;

SET bson.json_parser = 'auto';
CREATE TEMP TABLE by_auto AS SELECT n, outcome(t) FROM texts;
SET bson.json_parser = 'json-c';
CREATE TEMP TABLE by_json_c AS SELECT n, outcome(t) FROM texts;
RESET bson.json_parser;
ANALYZE texts, by_auto, by_json_c;

SELECT count(*) > 5000, count(*) FILTER (WHERE a.outcome LIKE '\\x%') > 3000, count(*) FILTER (WHERE a.outcome NOT LIKE '\\x%') > 1000
FROM by_auto a JOIN by_json_c c USING (n);
SELECT left(t, 200), left(a.outcome, 200), left(c.outcome, 200)
FROM texts JOIN by_auto a USING (n) JOIN by_json_c c USING (n) WHERE a.outcome <> c.outcome ORDER BY n LIMIT 20;

-- a double's shortest spelling reads as that double with both parsers, even if another double's spelling is similar
CREATE TEMP TABLE doubles (d float8);
INSERT INTO doubles
SELECT ((h & 9007199254740991) + 1) * power(2, (h >> 53 & 1023) - 565)          -- of all sizes
FROM (SELECT ('x' || left(md5(i::text), 16))::bit(64)::bigint FROM generate_series(1, 20000) i) x(h);
INSERT INTO doubles SELECT power(2, i) FROM generate_series(-1074, 1023) i WHERE power(2, greatest(i, -1022)) > 0;
INSERT INTO doubles SELECT (i || 'e' || e)::float8 FROM unnest(ARRAY[1, 7, 123, 9007199254740993, 5e15::bigint + 1]) i, generate_series(-320, 292) e;
INSERT INTO doubles VALUES (1.7976931348623157e308), (2.2250738585072014e-308), (2.225073858507201e-308), (5e-324), (9007199254740993), (4.35), (0.3), (2.2250738585072011e-308);
SET bson.json_parser = 'auto';
SELECT count(*) > 20000, count(*) FILTER (WHERE (('[' || d || ']')::bson -> 0)::float8 <> d) AS other FROM doubles;
SET bson.json_parser = 'json-c';
SELECT count(*) FILTER (WHERE (('[' || d || ']')::bson -> 0)::float8 <> d) AS other FROM doubles;
RESET bson.json_parser;
SELECT count(*) FILTER (WHERE (to_jsonb(d)::bson)::float8 <> d) AS other FROM doubles WHERE abs(d) BETWEEN 1e-30 AND 1e30;
-- and a number half-way between two doubles, or with a digit too many, is not a double
SELECT t, bson_typeof(t::bson) FROM unnest(ARRAY['1e23', '9007199254740993.0', '0.30000000000000001', '4.3500000000000001', '7205759403792786e1', '7.205759403792786e16',
    '1.7976931348623157e308', '1.7976931348623158e308', '2.2250738585072014e-308', '5e-324', '3e-324', '0.1000000000000000055511151231257827', '12345678901234567.5']) t;

SET bson.json_parser = 'other';     -- ERROR, no such parser
DROP FUNCTION outcome;
