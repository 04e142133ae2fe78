-- If this fails, bson and json or jsonb do not hold the same value after a
-- cast, or a bson scalar becomes another value in SQL.
\pset format unaligned
\set VERBOSITY terse
SET timezone = 'Etc/GMT+5';
SET datestyle = 'ISO';

-- each BSON type
CREATE TABLE every_type (k text, v bson);
INSERT INTO every_type VALUES
  ('string', '"a\"€"'), ('document', '{"b": {}, "a": {"x": [{}]}}'), ('array', '[1, [], [null]]'),
  ('int', '-15'), ('long', '{"$numberLong": "15"}'), ('long', '9223372036854775807'),
  ('double', '15.0'), ('double', '10.09'), ('double', '-1e-7'), ('double', '1e15'), ('double', '1e300'), ('double', '-0.0'), ('double', '{"$numberDouble": "-Infinity"}'),
  ('decimal', '{"$numberDecimal": "1.10"}'), ('decimal', '{"$numberDecimal": "1E+3"}'), ('decimal', '{"$numberDecimal": "NaN"}'),
  ('bool', 'false'), ('null', 'null'), ('undefined', '{"$undefined": true}'),
  ('date', '{"$date": "2022-03-03T12:13:14.789Z"}'), ('date', '{"$date": {"$numberLong": "-1"}}'),
  ('objectId', '{"$oid": "0123456789abcdef01234567"}'), ('binData', '{"$binary": {"base64": "AQI=", "subType": "80"}}'),
  ('timestamp', '{"$timestamp": {"t": 4294967295, "i": 2}}'), ('regex', '{"$regularExpression": {"pattern": "a\"", "options": "i"}}'),
  ('dbPointer', '{"$dbPointer": {"$ref": "c", "$id": {"$oid": "0123456789abcdef01234567"}}}'),
  ('javascript', '{"$code": "x"}'), ('symbol', '{"$symbol": "x"}'),
  ('javascriptWithScope', '{"$code": "x", "$scope": {"y": {"$code": "z", "$scope": {}}}}'),
  ('minKey', '{"$minKey": 1}'), ('maxKey', '{"$maxKey": 1}');
SELECT k, v::jsonb, v::json::jsonb = v::jsonb AS like_json,
       v::jsonb::bson AS back,
       v::jsonb::bson::bytea = v::bytea AS identical
  FROM every_type ORDER BY ctid;

-- the same inside containers
SELECT bson_agg(v)::json::jsonb = bson_agg(v)::jsonb AS like_json,
       bson_agg(v)::jsonb = jsonb_agg(v) AS like_jsonb_agg,
       jsonb_agg(v)::bson::jsonb = jsonb_agg(v) AS back
  FROM every_type;

-- json's and jsonb's functions nest a bson, and do not quote it
CREATE TABLE t (id int, d bson);
INSERT INTO t VALUES (1, '{"a": [1, {"$oid": "0123456789abcdef01234567"}]}'), (2, '5'), (3, NULL);
SELECT row_to_json(t) FROM t ORDER BY id;
SELECT to_jsonb(t) FROM t ORDER BY id;
SELECT json_agg(d ORDER BY id), jsonb_agg(d ORDER BY id) FROM t;
SELECT json_build_object('d', d), jsonb_build_object('d', d), to_json(ARRAY[d, d]) FROM t WHERE id = 1;
SELECT json_object_agg(id, d), jsonb_object_agg(id, d) FROM t;

-- assignment casts; no cast happens without being asked for
CREATE TABLE a (j json, b jsonb, d bson);
INSERT INTO a VALUES ('{"a": 1}'::bson, '{"a": 1}'::bson, '{"a": 1}'::json), (NULL, '[1]'::bson, '[1.0]'::jsonb);
SELECT * FROM a;
SELECT jsonb_typeof('{}'::bson);    -- ERROR
DROP TABLE a, t;

-- numbers of jsonb are read as in JSON text
SELECT n::text::jsonb::bson AS from_jsonb, n::text::jsonb::bson::bytea = bson_in(n::text::cstring)::bytea AS like_text
  FROM unnest('{0,-1,2147483647,2147483648,-2147483648,-2147483649,9223372036854775807,9223372036854775808,
                -9223372036854775808,-9223372036854775809,0.0,15.0,1.50,0.1,12345678.9012345678901,
                1234567890123456789012345678901234}'::numeric[]) n;
SELECT '{"a": [12345678901234567890123456789012345]}'::jsonb::bson;     -- ERROR, 35 digits
SELECT '0.12345678901234567890123456789012345'::jsonb::bson;            -- ERROR
SELECT '1e400'::jsonb::bson, '1e300'::jsonb::bson;
SELECT '1e7000'::jsonb::bson;       -- ERROR

-- objects with a dollar in a key are wrappers at every place
SELECT j::bson, j::bson::bytea = j::json::bson::bytea AS like_json
  FROM (VALUES (1, '{"$oid": "0123456789abcdef01234567"}'::jsonb),
               (2, '[{"a": {"$numberLong": "1"}}, {"a$": {"$date": 5}}, {"$set": {"$numberDouble": "1"}}]'),
               (3, '{"$ref": "c", "$id": 1}'), (4, '{"": {"$code": "$", "$scope": {"$x": {"$symbol": "$"}}}}'),
               (5, '"$oid"'), (6, '{"$uuid": "73ffd264-44b3-4c69-90e8-e7d1dfc035d4"}')) t(i, j) ORDER BY i;
-- valid and malformed ones, with the same result
CREATE FUNCTION try_bson(v text, type text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  result text;
BEGIN
  EXECUTE format('SELECT $1::%s::bson', type) INTO result USING v;
  RETURN result;
EXCEPTION WHEN OTHERS THEN
  RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
SELECT try_bson(j, 'jsonb') AS from_jsonb, try_bson(j, 'json') = try_bson(j, 'jsonb') AS like_json
  FROM unnest(ARRAY['{"$oid": 5}', '{"$oid": "0123456789abcdef01234567", "x": 1}', '{"$numberInt": "5"}', '{"$numberInt": 5.5}',
                    '{"$numberLong": true}', '{"$date": "2022-03-03T12:13:14.5+02:00"}', '{"$date": 1.5}', '{"$date": []}',
                    '{"$date": {"$numberLong": "1", "x": 1}}', '{"$date": null}', '{"$binary": "AQI=", "$type": "00"}', '{"$binary": {"base64": "AQI="}}',
                    '{"$regex": "a", "$options": "i"}', '{"$regex": "a"}', '{"$regex": 5, "$options": "i"}', '{"$timestamp": {"t": 1, "i": 4294967295}}',
                    '{"$timestamp": {"t": 1, "i": -1}}', '{"$code": "x", "$scope": {"$y": {"$oid": "0123456789abcdef01234567"}}}',
                    '{"$code": "x", "$scope": {"$oid": "0123456789abcdef01234567"}}', '{"$code": "x", "$scope": [1]}',
                    '{"$dbPointer": {"$ref": "c", "$id": {"$oid": "0123456789abcdef01234567"}}}', '{"$id": {"$numberLong": "1"}, "$ref": "c"}',
                    '{"$undefined": false}', '{"$minKey": 1}', '{"$maxKey": "1"}', '{"$type": {"$set": [{"$symbol": ""}]}}',
                    '{"$uuid": "73ffd26444b34c6990e8e7d1dfc035d4"}', '{"$numberDecimal": "1.1.1"}', '{"$numberDouble": "-0"}']) j;

-- exactly the server's format of jsonb for any number, length and order of keys; and back
SELECT count(*) > 300 AS many,
       count(*) FILTER (WHERE NOT record_image_eq(ROW(d::bson::jsonb), ROW(d::jsonb))) AS other,
       count(*) FILTER (WHERE d::jsonb::bson::bytea <> d::jsonb::text::bson::bytea) AS other_back
  FROM (SELECT format(shape, string_agg(format(member, pre || left(md5(i::text || n), i % 12) || i || post, v), ',' ORDER BY md5(i::text))) AS d
          FROM unnest(ARRAY[1, 2, 6, 7, 8, 16, 31, 32, 33, 63, 64, 65, 200]) n, generate_series(1, n) i,
               unnest(ARRAY['', 'seven', repeat('p', 230), repeat('p', 300)]) pre, unnest(ARRAY['', 'é', repeat('s', 20), repeat('s', 250)]) post,
               LATERAL (SELECT (ARRAY['1', '"a"', '-1.5', 'null', 'true', '{"b": [1, {}], "a": "x"}', '[]', '3000000000', '"longer"'])[1 + i % 9]) a(v),
               (VALUES ('{%s}', '"%s": %s'), ('{"k": [1, {%s}], "a": 2}', '"%s": %s'), ('["a", [%s], 1]', '{"%s": %s}')) s(shape, member)
         GROUP BY n, pre, post, shape, member) x;

-- a key twice: json shows both, jsonb keeps the last
SELECT v::json, v::jsonb FROM (SELECT '\x13000000106100010000001061000200000000'::bson) b(v);
-- U+0000: json escapes it, jsonb cannot hold it
SELECT '"a\u0000b"'::bson::json;
SELECT '"a\u0000b"'::bson::jsonb;               -- ERROR
SELECT '{"a": [{"$code": "\u0000"}]}'::bson::jsonb;     -- ERROR
-- depth
SELECT (repeat('[', 1023) || repeat(']', 1023))::bson::jsonb::bson::text = repeat('[', 1023) || repeat(']', 1023);
SELECT (repeat('[', 1100) || repeat(']', 1100))::jsonb::bson;   -- ERROR
SELECT (repeat('[', 1100) || repeat(']', 1100))::json::bson;    -- ERROR
-- many elements
SELECT sum(e::int) FROM jsonb_array_elements(array_to_bson(ARRAY(SELECT generate_series(1, 100000)))::jsonb) e;
-- keys in any order, few and many, some of them twice, of which jsonb keeps the last
SELECT n, (SELECT count(*) FROM jsonb_object_keys(doc::bson::jsonb)) AS keys, doc::bson::jsonb = doc::jsonb AS same
FROM unnest(ARRAY[2, 255, 256, 257, 258, 5000]) AS n, LATERAL (SELECT '{' || string_agg(format('"%s": %s', i * 7919 % n, i), ',') || '}' FROM generate_series(1, n + n / 3) AS i) AS d (doc);
SELECT bson_array_length(jsonb_agg(i)::bson) FROM generate_series(1, 100000) i;

-- a scalar of each type as SQL's types
CREATE FUNCTION try_cast(v bson, type text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  result text;
BEGIN
  EXECUTE format('SELECT ($1::%s)::text', type) INTO result USING v;
  RETURN COALESCE(result, 'NULL');
EXCEPTION WHEN OTHERS THEN
  RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
SELECT v, try_cast(v, 'bool') AS bool, try_cast(v, 'int4') AS int4, try_cast(v, 'float8') AS float8, try_cast(v, 'numeric') AS numeric,
       try_cast(v, 'timestamptz') AS timestamptz, try_cast(v, 'uuid') AS uuid
  FROM every_type ORDER BY ctid;

-- numbers: fractions round as jsonb's casts round them; nothing out of range is cut
SELECT v, try_cast(v, 'int2') AS int2, try_cast(v, 'int4') AS int4, try_cast(v, 'int8') AS int8,
       try_cast(v, 'float4') AS float4, try_cast(v, 'float8') AS float8, try_cast(v, 'numeric') AS numeric
  FROM (VALUES (1, '32767'::bson), (2, '32768'), (3, '-32768'), (4, '2147483647'), (5, '2147483648'),
               (6, '{"$numberLong": "-2147483648"}'), (7, '9223372036854775807'), (8, '9223372036854775808'),
               (9, '9223372036854775807.5'), (10, '0.5'), (11, '-0.5'), (12, '2.5'), (13, '2147483647.5'), (14, '-0.0'), (15, '1e300'), (16, '5e-324'),
               (17, '{"$numberDecimal": "-32768.4"}'), (18, '{"$numberDecimal": "32767.5"}'), (19, '{"$numberDecimal": "9223372036854775807.4"}'),
               (20, '{"$numberDecimal": "1E+400"}'), (21, '{"$numberDecimal": "1E-400"}'), (22, '{"$numberDecimal": "0E-400"}'),
               (23, '{"$numberDecimal": "-Infinity"}'), (24, '{"$numberDouble": "NaN"}'), (25, '{"$numberDouble": "Infinity"}'),
               (26, '123456789012345678'), (27, '{"$numberDecimal": "0.1"}')) t(i, v) ORDER BY i;
SELECT '12.345'::bson::numeric(5, 2), jsonb '2.5'::int4 = bson '2.5'::int4 AS like_jsonb;

-- dates, in UTC if the type has no time zone, within the range of each type
SELECT v, try_cast(v, 'timestamptz') AS timestamptz, try_cast(v, 'timestamp') AS timestamp, try_cast(v, 'date') AS date
  FROM (SELECT ms, format('{"$date": {"$numberLong": "%s"}}', ms)::bson AS v
          FROM unnest('{-9223372036854775808,-210866803200001,-210866803200000,-62135596800001,-86400001,-86400000,-1,0,
                        1646309594789,253402300800000,9224318015999999,9224318016000000,185331720297600000,9223372036854775807}'::int8[]) ms) t
 ORDER BY ms;

-- a UUID is binary of subtype 4 and 16 bytes
SELECT try_cast(v, 'uuid')
  FROM (VALUES (1, '{"$uuid": "73ffd264-44b3-4c69-90e8-e7d1dfc035d4"}'::bson),
               (2, '{"$binary": {"base64": "c//SZESzTGmQ6OfR38A11A==", "subType": "03"}}'),
               (3, '{"$binary": {"base64": "AQI=", "subType": "04"}}')) t(i, v) ORDER BY i;

-- text is the type's own output, bytea its bytes: no casts of the value
SELECT '"a"'::bson::text, '15'::bson::varchar, '"a"'::bson::bytea;

-- beyond 2^53 a double keeps its shortest digits in jsonb, so that it comes back as one
SELECT d, d::jsonb, d::jsonb::bson = d AND bson_typeof(d::jsonb::bson) = 'double' AS same
  FROM (VALUES ('9007199254740992.0'::bson), ('6.254141063561463e16'), ('-1e16'), ('1e22')) t(d);

DROP FUNCTION try_cast, try_bson;
DROP TABLE every_type;
