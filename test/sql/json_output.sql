-- The text of a bson value: were it wrong, dumps would not restore.
\pset format unaligned

-- the printed text reads back to the same bytes
CREATE FUNCTION reads_back(v bson) RETURNS bool LANGUAGE sql AS
$$ SELECT bson_in(bson_out(v))::bytea = v::bytea $$;

-- elements to a document
CREATE FUNCTION doc(elements bytea) RETURNS bytea LANGUAGE sql AS
$$ SELECT substr(int4send(n), 4, 1) || substr(int4send(n), 3, 1) || substr(int4send(n), 2, 1) ||
          substr(int4send(n), 1, 1) || elements || '\x00'
     FROM (SELECT length(elements) + 5) l(n) $$;

-- every BSON type, in one document
CREATE TABLE every_type (v bson);
INSERT INTO every_type SELECT bytes::bson FROM (VALUES ('\x38020000075f69640057e193d7a9cc81b4027498b50e53796d626f6c000700000073796d626f6c0002537472696e670007000000737472696e670010496e743332002a00000012496e743634002a0000000000000001446f75626c6500000000000000f0bf0542696e617279001000000003a34c38f7c3abedc8a37814a992ab8db60542696e61727955736572446566696e656400050000008001020304050d436f6465000e00000066756e6374696f6e2829207b7d000f436f64655769746853636f7065001b0000000e00000066756e6374696f6e2829207b7d00050000000003537562646f63756d656e74001200000002666f6f0004000000626172000004417272617900280000001030000100000010310002000000103200030000001033000400000010340005000000001154696d657374616d7000010000002a0000000b5265676578007061747465726e0000094461746574696d6545706f6368000000000000000000094461746574696d65506f73697469766500ffffff7f00000000094461746574696d654e656761746976650000000080ffffffff085472756500010846616c736500000c4442506f696e746572000b000000636f6c6c656374696f6e0057e193d7a9cc81b4027498b1034442526566003d0000000224726566000b000000636f6c6c656374696f6e00072469640057fd71e96e32ab4225b723fb02246462000900000064617461626173650000ff4d696e6b6579007f4d61786b6579000a4e756c6c0006556e646566696e65640000'::bytea)) b(bytes);
SELECT v FROM every_type;
SELECT v::json FROM every_type;
SELECT bson_to_extjson(v, 'relaxed') FROM every_type;
SELECT bson_to_extjson(v, 'canonical') FROM every_type;
SELECT reads_back(v), bson_from_extjson(bson_to_extjson(v, 'canonical'))::bytea = v::bytea AS canonical_reads_back
  FROM every_type;

-- numbers at the limits of their types
SELECT v, v::json, bson_to_extjson(v, 'canonical') AS canonical, reads_back(v)
  FROM (VALUES (1, '0'::bson), (2, '-2147483648'), (3, '2147483647'),
               (4, '{"$numberLong": "0"}'), (5, '{"$numberLong": "-2147483648"}'), (6, '{"$numberLong": "2147483647"}'),
               (7, '2147483648'), (8, '-2147483649'), (9, '9223372036854775807'), (10, '-9223372036854775808'),
               (11, '0.0'), (12, '-0.0'), (13, '15.0'), (14, '0.1'), (15, '1e300'), (16, '-1.5e-7'),
               (17, '5e-324'), (18, '1.7976931348623157e308'), (19, '1e15'), (20, '123456789012345680.0'),
               (21, '{"$numberDouble": "NaN"}'), (22, '{"$numberDouble": "Infinity"}'), (23, '{"$numberDouble": "-Infinity"}'),
               (24, '{"$numberDecimal": "1.10"}'), (25, '{"$numberDecimal": "1E+3"}'), (26, '{"$numberDecimal": "-0E-3"}'),
               (27, '{"$numberDecimal": "NaN"}'), (28, '{"$numberDecimal": "-Infinity"}'),
               (29, '{"$numberDecimal": "9.999999999999999999999999999999999E+6144"}'),
               (30, '{"$numberDecimal": "1E-6176"}'), (31, '9223372036854775808'),
               (32, '0.1000000000000000055511151231257827')) t(i, v)
 ORDER BY i;

-- dates: ISO 8601 for the years 1970 to 9999, the fraction only if there is one
SELECT v, bson_to_extjson(v, 'relaxed') AS relaxed, bson_to_extjson(v, 'canonical') AS canonical, reads_back(v)
  FROM (SELECT ms, format('{"$date": {"$numberLong": "%s"}}', ms)::bson AS v
          FROM unnest('{-9223372036854775808,-62135596800000,-1,0,1,10,951782400000,1646309594789,1646309594000,
                        4107542399999,253402300799999,253402300800000,9223372036854775807}'::int8[]) ms) t
 ORDER BY ms;

-- binary of every kind of padding, and subtype 2 with its second length
SELECT v, reads_back(v)
  FROM (VALUES (1, '{"$binary": {"base64": "", "subType": "00"}}'::bson), (2, '{"$binary": {"base64": "AQ==", "subType": "1"}}'),
               (3, '{"$binary": {"base64": "AQI=", "subType": "02"}}'), (4, '{"$binary": {"base64": "AQID", "subType": "ff"}}'),
               (5, '{"$uuid": "73ffd264-44b3-4c69-90e8-e7d1dfc035d4"}')) t(i, v)
 ORDER BY i;

-- the rest, with strings that need escaping wherever there is one
SELECT v, reads_back(v)
  FROM (VALUES (1, 'null'::bson), (2, 'true'), (3, '""'), (4, '[]'), (5, '{}'), (6, '[[], {}, [[]]]'),
               (7, '"\"\\\/\b\f\n\r\t\u0000\u0001\u001f\u007f\u20ac\ud83d\ude00é"'),
               (8, '{"": {"\"\\\n\u0001€": 1}}'),
               (9, '{"$symbol": "a\u0000\"b"}'), (10, '{"$code": "a\u0000\"b"}'),
               (11, '{"$code": "\"\u0000", "$scope": {"a": {"$code": "", "$scope": {}}}}'),
               (12, '{"$regularExpression": {"pattern": "^\"\\\\d/", "options": "imx"}}'),
               (13, '{"$dbPointer": {"$ref": "a\".\u0000b", "$id": {"$oid": "0123456789abcdefABCDEF00"}}}'),
               (14, '{"$timestamp": {"t": 4294967295, "i": 4294967294}}'),
               (15, '{"$minKey": 1}'), (16, '{"$maxKey": 1}'), (17, '{"$undefined": true}'),
               -- these are not wrappers: MongoDB's operators, a reference, keys with dots
               (18, '{"$set": {"a.b": {"$type": "x"}}, "$ref": "c", "$id": 1, "$scope": {}, "$": 1, "$$": 2}'),
               (19, '{"$regex": "a"}'), (20, '{"$regex": {"$regularExpression": {"pattern": "a", "options": ""}}, "$options": "i"}')) t(i, v)
 ORDER BY i;

-- an escape at any place in keys and strings of any length: as json and jsonb print them
SELECT count(*), bool_and(to_bson(s)::text = to_json(s)::text) AS like_json,
       bool_and(jsonb_build_object(s, 1)::bson::text = jsonb_build_object(s, 1)::text) AS like_jsonb,
       bool_and(reads_back(jsonb_build_object(s, 1)::bson)) AS reads_back
  FROM (SELECT repeat('x', n) || c || repeat('y', m) AS s
          FROM generate_series(0, 34) n, generate_series(0, 34) m, unnest('{"",\",\\,\u0001,\n,é,€}'::text[]) c) t;

-- a string of nothing but zero bytes takes no longer than any other of its length
SELECT length(v::text), reads_back(v)
  FROM (SELECT doc('\x026100c1c62d00' || decode(repeat('00', 3000001), 'hex'))::bson AS v) t;

-- arrays number their elements with any count of digits
SELECT count(*), bool_and(reads_back(v)), bool_and(v::text = (v::jsonb)::text)
  FROM (SELECT array_to_bson(ARRAY(SELECT generate_series(1, n))) AS v
          FROM unnest('{0,1,9,10,11,99,100,101,999,1000,1001,9999,10000,10001,100001}'::int[]) n) t;

-- a document may have many keys
SELECT n, reads_back(v), left(v::text, 20)
  FROM (SELECT n, jsonb_object_agg('key' || i, i)::bson AS v
          FROM unnest('{1,16,63,64,65,66,5000}'::int[]) n, generate_series(1, n) i GROUP BY n) t
 ORDER BY n;

-- no text reads back to these, so they print as hexadecimal digits
CREATE TABLE odd (i serial, what text, v bson);
INSERT INTO odd (what, v) VALUES
  ('a key twice', doc('\x0a61000a6100')),
  ('a key twice, inside', doc('\x036100' || doc('\x0a62000a6200'))),
  ('array keys from 1', doc('\x046100' || doc('\x0a3100'))),
  ('array keys that are no numbers', doc('\x046100' || doc('\x0a6100'))),
  ('array keys with a zero in front', doc('\x046100' || doc('\x0a303000'))),
  ('array keys out of order', doc('\x046100' || doc('\x0a31000a3000'))),
  ('array at the root, with such keys', doc('\xff00'::bytea || '\x0400' || doc('\x0a3100'))),
  ('a document like $oid', doc('\x036100' || doc('\x02246f696400020000006100'))),
  ('a document like $oid at the root', doc('\x02246f696400020000006100')),
  ('a document like $oid in a scope', doc('\x0f61001a0000000100000000' || doc('\x02246f696400020000006100'))),
  ('a document like $regex', doc('\x022472656765780002000000610002246f7074696f6e73000100000000')),
  ('a document like a stored value', doc('\xff00'::bytea || '\x0300' || doc(''))),
  ('NaN with a payload', doc('\x016100010000000000f87f')),
  ('NaN with a sign', doc('\x016100000000000000f8ff')),
  ('decimal NaN with a sign', doc('\x136100000000000000000000000000000000fc')),
  ('decimal NaN with a payload', doc('\x1361001200000000000000000000000000007c')),
  ('decimal zero, spelled oddly', doc('\x1361000000000000000000000000000000106c')),
  ('regular expression options out of order', doc('\x0b610061006d6900'));
SELECT what, v, reads_back(v) FROM odd ORDER BY i;
-- the other text functions print them as well as possible
SELECT what, v::json, bson_to_extjson(v, 'canonical') AS canonical FROM odd ORDER BY i;

-- a key twice among many, and among many that look alike
SELECT n, mid, twice, left(v::text, 2) = '\x' AS hexadecimal, reads_back(v)
  FROM unnest('{2,20,64,65,66,3000}'::int[]) n, unnest('{-,-------------------}'::text[]) mid, unnest('{0,1}'::int[]) twice,
       LATERAL (SELECT doc(string_agg(convert_to(E'\naaaaaaaa' || mid || to_char(i % (n - twice), 'FM000000') || mid || mid || mid || 'bbbbbbbb', 'UTF8') || '\x00', '' ORDER BY i))::bson AS v
                  FROM generate_series(0, n - 1) i) t
 ORDER BY 1, 2, 3;

-- deep documents and arrays, a wrapper at the bottom
SELECT n, reads_back(v), v::json::bson::bytea = v::bytea
  FROM (VALUES (1), (100), (1000)) d(n),
       LATERAL (SELECT (repeat('{"a":[', n / 2) || '{"$date":{"$numberLong":"-1"}}' || repeat(']}', n / 2))::bson AS v) t;

DROP TABLE every_type, odd;
DROP FUNCTION reads_back, doc;
