-- If this fails, a typed getter returns a wrong value, or raises an error instead of returning NULL.
SET timezone = 'UTC';
CREATE TEMP TABLE doc (d bson);
INSERT INTO doc VALUES ('{"i": 15, "l": 5000000000, "wl": {"$numberLong": "7"}, "d": 1.5, "wd": 3.0, "big": 9007199254740993, "dec": {"$numberDecimal": "1.10"},
  "half": {"$numberDecimal": "0.5"}, "nan": {"$numberDouble": "NaN"}, "inf": {"$numberDecimal": "-Infinity"}, "s": "text", "z": "a\u0000b", "b": true, "n": null,
  "date": {"$date": "2022-03-03T12:13:14.789Z"}, "far": {"$date": {"$numberLong": "9223372036854775807"}}, "old": {"$date": {"$numberLong": "-62135596800001"}},
  "bin": {"$binary": {"base64": "AQID", "subType": "00"}}, "bin2": {"$binary": {"base64": "AQID", "subType": "02"}}, "uuid": {"$uuid": "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"},
  "short uuid": {"$binary": {"base64": "AQID", "subType": "04"}}, "oid": {"$oid": "56e1fc72e0c917e9c4714161"}, "sym": {"$symbol": "sym"}, "a": [1, {"x": 2}], "o": {"a.b": 1, "a": {"b": 2}}}');
SELECT key, bson_get_bool(d, key) AS bool, bson_get_int4(d, key) AS int4, bson_get_int8(d, key) AS int8, bson_get_float8(d, key) AS float8,
  bson_get_numeric(d, key) AS numeric, bson_get_text(d, key) AS text
  FROM doc, bson_object_keys(d) AS key;
SELECT key, bson_get_timestamptz(d, key) AS timestamptz, bson_get_uuid(d, key) AS uuid, bson_get_bytea(d, key) AS bytea, bson_get_objectid(d, key) AS objectid
  FROM doc, bson_object_keys(d) AS key WHERE bson_typeof(d -> key) IN ('date', 'binData', 'objectId', 'string', 'int');
SELECT bson_get_bson(d, 'a', '1'), bson_get_int4(d, 'a', '-1', 'x'), bson_get_int4(d, VARIADIC '{a,0}'), bson_get_int4(d, 'none'), bson_get_int4(d, 'a', NULL) FROM doc;
SELECT bson_get_int4('5', VARIADIC '{}');

-- they are immutable, so they can be used in an index and in a generated column
CREATE TEMP TABLE event (d bson, at timestamptz GENERATED ALWAYS AS (bson_get_timestamptz(d, 'created')) STORED);
INSERT INTO event (d) SELECT bson_build_object('created', '2024-01-01 00:00+00'::timestamptz + i * interval '1 day') FROM generate_series(1, 500) AS i;
CREATE INDEX ON event (bson_get_timestamptz(d, 'created'));
ANALYZE event;
EXPLAIN (COSTS OFF) SELECT * FROM event WHERE bson_get_timestamptz(d, 'created') < '2024-01-05 00:00+00';
SELECT d, at FROM event WHERE bson_get_timestamptz(d, 'created') < '2024-01-05 00:00+00' ORDER BY at;

-- functions with the names of pgbson, which take dotted paths; a literal key with dots is tried first
SELECT bson_get_string(d, 's'), bson_get_datetime(d, 'date'), bson_get_decimal128(d, 'dec'), bson_get_int32(d, 'a.1.x'), bson_get_int64(d, 'i'),
  bson_get_double(d, 'i'), bson_get_binary(d, 'bin'), bson_get_boolean(d, 'b'), bson_get_jsonb_array(d, 'a'), bson_get_jsonb_array(d, 'i') FROM doc;
SELECT bson_get_bson(d, 'o.a.b'), bson_get_int32(d -> 'o', 'a.b'), bson_get_bson(d -> 'o', 'a.b'), bson_get_int32(d, ''), bson_get_int32(d, '.'), bson_get_int32(d, 'a..x') FROM doc;
SELECT bson_as_text(d, 'd'), bson_as_text(d, 'b'), bson_as_text(d, 'oid'), bson_as_text(d, 'a'), bson_as_text(d, 'n'), bson_as_text('{"x": 1e300, "y": 1e-7}', 'x'), bson_as_text('{"x": 1e300, "y": 1e-7}', 'y') FROM doc;
