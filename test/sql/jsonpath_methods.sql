-- If this fails, an item method that came with PostgreSQL 17 gives a wrong type or value.
SELECT current_setting('server_version_num')::int < 170000 AS too_old \gset
\if :too_old
\quit
\endif

-- bigint() and integer() round as casts do, and give the width they name
SELECT bson_path_query('[1, 1.5, -2.5, "3", {"$numberDecimal": "4.4"}, 5000000000]', '$[*].bigint()');
SELECT bson_path_query('[1, 1.5, -2.5, "3", {"$numberLong": "4"}]', '$[*].integer()');
SELECT bson_path_query('5000000000', '$.integer()');  -- ERROR
SELECT bson_path_query('"1.5"', '$.integer()');  -- ERROR
SELECT bson_path_query('1e30', '$.bigint()');  -- ERROR
SELECT bson_path_query('true', '$.bigint()');  -- ERROR
SELECT bson_path_query('[true, 1e30, "x", "1\u0000", null, {}]', '$[*].bigint()', silent => true);

-- number() leaves numbers as they are
SELECT bson_path_query('[1, {"$numberLong": "2"}, 3.5, {"$numberDecimal": "4.50"}, "5", "6.25", "12345678901234567890"]', '$[*].number()');
SELECT bson_path_query('{"$numberDouble": "NaN"}', '$.number()');  -- ERROR
SELECT bson_path_query('"x"', '$.number()');  -- ERROR

-- decimal() makes a decimal128
SELECT bson_path_query('[1, 2.5, "3.50", {"$numberDecimal": "4.500"}]', '$[*].decimal()');
SELECT bson_path_query('[1, 2.555, "3.5", {"$numberDecimal": "4.500"}]', '$[*].decimal(5, 2)');
SELECT bson_path_query('1234.5', '$.decimal(3)');  -- ERROR
SELECT bson_path_query('1234.5', '$.decimal(0)');  -- ERROR
SELECT bson_path_query('1234.5', '$.decimal(0)', silent => true);
SELECT bson_path_query('1234.5', '$.decimal(6, -2)');

-- boolean()
SELECT bson_path_query('[true, "f", "yes", 0, -7, {"$numberLong": "0"}, 1.0]', '$[*].boolean()');
SELECT bson_path_query('1.5', '$.boolean()');  -- ERROR
SELECT bson_path_query('"maybe"', '$.boolean()');  -- ERROR
SELECT bson_path_query('null', '$.boolean()');  -- ERROR

-- string() is ->>
SELECT bson_path_query('["s", true, 5, {"$numberLong": "6"}, 1.5, {"$numberDecimal": "2.50"}, {"$date": "2022-03-03T12:13:14.789Z"}, {"$oid": "507f1f77bcf86cd799439011"}]', '$[*].string()');
SELECT bson_path_query('"2022-03-03T12:13:14+02:00"', '$.datetime().string()');
SELECT bson_path_query('null', '$.string()');  -- ERROR
SELECT bson_path_query('{}', '$.string()');  -- ERROR
SELECT bson_path_query('{"$oid": "507f1f77bcf86cd799439011"}', '$ ? (@.string() == "507f1f77bcf86cd799439011")');

-- date(), time() and so on, of strings and of BSON dates
SELECT bson_path_query('["2022-03-03", "2022-03-03T12:13:14.789"]', '$[*].date()');
SELECT bson_path_query('["12:13:14.789", "2022-03-03T12:13:14.789"]', '$[*].time()');
SELECT bson_path_query('["12:13:14.789", "2022-03-03T12:13:14.789"]', '$[*].time(1)');
SELECT bson_path_query('"12:13:14.789+02"', '$.time_tz(0)');
SELECT bson_path_query('["2022-03-03", "2022-03-03T12:13:14.789"]', '$[*].timestamp(1)');
SELECT bson_path_query('["2022-03-03T12:13:14.789Z", {"$date": "2022-03-03T12:13:14.789Z"}]', '$[*].timestamp_tz()');
SELECT bson_path_query('["2022-03-03T12:13:14.789Z", {"$date": "2022-03-03T12:13:14.789Z"}]', '$[*].timestamp_tz(0)');
SELECT bson_path_query('["2022-03-03", "2022-03-03T12:13:14", {"$date": "2022-03-03T12:13:14.789Z"}]', '$[*].type()');
SELECT bson_path_query('"12:13:14"', '$.date()');  -- ERROR
SELECT bson_path_query('"2022-03-03"', '$.time()');  -- ERROR
SELECT bson_path_query('"2022-03-03"', '$.time_tz()');  -- ERROR
SELECT bson_path_query('"12:13:14"', '$.timestamp()');  -- ERROR
SELECT bson_path_query('"tomorrow"', '$.timestamp_tz()');  -- ERROR
SELECT bson_path_query('5', '$.date()');  -- ERROR
SELECT bson_path_query('["12:13:14", "2022", "", 5, null]', '$[*].date()', silent => true);

-- only the _tz functions may depend on the session's time zone
SELECT bson_path_query('{"$date": "2022-03-03T20:13:14.789Z"}', '$.date()');  -- ERROR
SELECT bson_path_query('{"$date": "2022-03-03T20:13:14.789Z"}', '$.time_tz()');  -- ERROR
SELECT bson_path_query('"2022-03-03"', '$.timestamp_tz()');  -- ERROR
SET timezone = 'Asia/Kolkata';
SELECT bson_path_query_tz('{"$date": "2022-03-03T20:13:14.789Z"}', '$.date()');
SELECT bson_path_query_tz('{"$date": "2022-03-03T20:13:14.789Z"}', '$.time()');
SELECT bson_path_query_tz('{"$date": "2022-03-03T20:13:14.789Z"}', '$.time_tz()');
SELECT bson_path_query_tz('{"$date": "2022-03-03T20:13:14.789Z"}', '$.timestamp()');
SELECT bson_path_query_tz('["2022-03-03", "2022-03-03T12:13:14"]', '$[*].timestamp_tz()');
SELECT bson_path_query_tz('"12:13:14"', '$.time_tz()');
SELECT bson_path_query_tz('[{"$date": "2022-03-03T20:13:14.789Z"}, {"$date": "2022-03-03T10:13:14.789Z"}]', '$[*] ? (@.date() == "2022-03-04".date())');
RESET timezone;

-- numbers made from strings stay distinct, however many there are
SELECT bson_path_query_array(('[' || string_agg(format('"%s.5"', i), ',' ORDER BY i) || ']')::bson, '$[*] ? (@.number() > $least)', '{"least": 196.0}')
  FROM generate_series(0, 199) i;
