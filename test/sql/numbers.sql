-- If this fails, numbers of different BSON types are compared, hashed, read or written inexactly.

-- Numbers of one rank are equal, whatever their type; a higher rank is greater.
CREATE TABLE numbers (rank int, v bson);
INSERT INTO numbers VALUES
	-- NaN is one number: of either type, any sign and payload
	(1, '{"$numberDouble": "NaN"}'), (1, '{"$numberDecimal": "NaN"}'),
	(1, '\x11000000ff000100010000000000f8ff00'),
	(1, '\x19000000ff001300010000000000000000000000000000fe00'),
	(2, '{"$numberDouble": "-Infinity"}'), (2, '{"$numberDecimal": "-Infinity"}'),
	(2, '\x19000000ff001300010000000000000000000000000000f800'),	-- bits that mean nothing
	-- decimal128 goes beyond double: -1e400 is no infinity
	(3, '{"$numberDecimal": "-9.999999999999999999999999999999999E+6144"}'),
	(4, '{"$numberDecimal": "-1E+6144"}'), (4, '{"$numberDecimal": "-1000E+6141"}'),
	(5, '{"$numberDecimal": "-1E+400"}'),
	(6, '-1.7976931348623157e308'),
	-- -2^63 and its neighbours
	(7, '{"$numberDecimal": "-9223372036854775809"}'),
	(8, '-9223372036854775808'), (8, '{"$numberDouble": "-9223372036854775808"}'),
	(8, '{"$numberDecimal": "-9223372036854775808"}'),
	(9, '-9223372036854775807'), (9, '{"$numberDecimal": "-9223372036854775807"}'),
	(10, '{"$numberDouble": "-9223372036854774784"}'),		-- the next double
	-- -2^53 and its neighbours: an int64 tells what a double cannot
	(11, '-9007199254740993'), (11, '{"$numberDecimal": "-9007199254740993"}'),
	(12, '-9007199254740992'), (12, '-9007199254740992.0'),
	(13, '-9007199254740991'), (13, '-9007199254740991.0'),
	-- -2^31 and its neighbours
	(14, '-2147483649'), (14, '-2147483649.0'),
	(15, '-2147483648'), (15, '{"$numberLong": "-2147483648"}'), (15, '-2147483648.0'),
	(15, '{"$numberDecimal": "-2147483648"}'),
	(16, '-2147483647'), (16, '{"$numberDecimal": "-2147483647.000"}'),
	(17, '-1.5'), (17, '{"$numberDecimal": "-1.5"}'),
	(18, '-1'), (18, '-1.0'), (18, '{"$numberLong": "-1"}'), (18, '{"$numberDecimal": "-1"}'),
	(18, '{"$numberDecimal": "-1000E-3"}'),
	(19, '-0.1'),												-- a double of a little more than that
	(19, '{"$numberDecimal": "-0.1"}'),
	(20, '-5e-324'),
	(21, '{"$numberDecimal": "-1E-400"}'),
	(22, '{"$numberDecimal": "-1E-6176"}'),
	-- zero has many spellings
	(23, '0'), (23, '0.0'), (23, '-0.0'), (23, '{"$numberLong": "0"}'),
	(23, '{"$numberDecimal": "0"}'), (23, '{"$numberDecimal": "-0"}'), (23, '{"$numberDecimal": "0.00"}'),
	(23, '{"$numberDecimal": "0E+6111"}'), (23, '{"$numberDecimal": "-0E-6176"}'),
	-- as has, IEEE 754-2008 says, every significand above 10^34 - 1: 10^34, all bits set, the other form
	(23, '\x19000000ff00130000000000648e8d37c087adbe09ed413000'),
	(23, '\x19000000ff001300ffffffffffffffffffffffffffff413000'),
	(23, '\x19000000ff0013000500000000000000000000000000106c00'),
	(23, '\x19000000ff0013000500000000000000ffffffffff7f10ec00'),
	-- the smallest decimal, and subnormal doubles between the decimals nearest to them
	(24, '{"$numberDecimal": "1E-6176"}'),
	(25, '{"$numberDecimal": "1E-400"}'), (25, '{"$numberDecimal": "1000E-403"}'),
	(26, '{"$numberDecimal": "4.940656458412465441765687928682213E-324"}'),
	(28, '5e-324'),
	(27, '{"$numberDecimal": "4.940656458412465441765687928682214E-324"}'),
	(28, '{"$numberDecimal": "5E-324"}'),
	(29, '1e-323'),
	(29, '{"$numberDecimal": "1E-323"}'),
	(30, '2.225073858507201e-308'),
	(31, '{"$numberDecimal": "2.225073858507201383090232717332404E-308"}'),
	(33, '2.2250738585072014e-308'),
	(32, '{"$numberDecimal": "2.225073858507201383090232717332405E-308"}'),
	-- a double is worth its shortest spelling: 0.1 is 0.1, and not its binary value
	(34, '{"$numberDecimal": "0.1"}'), (34, '{"$numberDecimal": "0.10"}'),
	(35, '{"$numberDecimal": "0.1000000000000000055511151231257827"}'),
	(34, '0.1'),
	(36, '{"$numberDecimal": "0.1000000000000000055511151231257828"}'),
	(37, '{"$numberDecimal": "0.3333333333333333333333333333333333"}'),
	(38, '{"$numberDecimal": "0.3333333333333333333333333333333334"}'),
	(39, '0.5'), (39, '{"$numberDecimal": "0.5"}'), (39, '{"$numberDecimal": "0.5000"}'),
	(40, '1'), (40, '1.0'), (40, '{"$numberLong": "1"}'), (40, '{"$numberDecimal": "1"}'),
	(40, '{"$numberDecimal": "1.000000000000000000000000000000000"}'),
	(41, '{"$numberDecimal": "1.000000000000000000000000000000001"}'),
	(42, '1.0000000000000002'),
	(43, '{"$numberDecimal": "1.1"}'), (43, '{"$numberDecimal": "1.10"}'), (43, '{"$numberDecimal": "110E-2"}'),
	(43, '1.1'),
	(44, '{"$numberDecimal": "1E+1"}'), (44, '10'), (44, '10.0'),
	-- 2^31
	(45, '2147483647'), (45, '{"$numberDouble": "2147483647"}'), (45, '{"$numberDecimal": "2147483647"}'),
	(46, '2147483648'), (46, '2147483648.0'), (46, '{"$numberDecimal": "2147483648"}'),
	-- 2^53
	(47, '9007199254740991'), (47, '9007199254740991.0'),
	(48, '9007199254740992'), (48, '9007199254740992.0'), (48, '{"$numberDecimal": "9007199254740992.0"}'),
	(49, '{"$numberDecimal": "9007199254740992.5"}'),
	(50, '9007199254740993'), (50, '{"$numberDecimal": "9007199254740993"}'),
	(51, '9007199254740994'), (51, '9007199254740994.0'),
	-- 2^63 and 2^64
	(52, '{"$numberDouble": "9223372036854774784"}'),
	(53, '9223372036854775806'),
	(54, '9223372036854775807'), (54, '{"$numberDecimal": "9223372036854775807"}'),
	(55, '{"$numberDecimal": "9223372036854775807.5"}'),
	(58, '{"$numberDouble": "9223372036854775808"}'), (56, '{"$numberDecimal": "9223372036854775808"}'),
	(57, '{"$numberDecimal": "9223372036854775809"}'),
	(61, '{"$numberDouble": "18446744073709551616"}'), (59, '{"$numberDecimal": "18446744073709551616"}'),
	(60, '{"$numberDecimal": "18446744073709551617"}'),
	-- powers of ten: 1e22 is the last that is a double
	(62, '1e22'), (62, '{"$numberDecimal": "1E+22"}'), (62, '{"$numberDecimal": "10000000000000000000000.00"}'),
	(63, '{"$numberDouble": "1e23"}'), (64, '{"$numberDecimal": "99999999999999991611392"}'),
	(65, '{"$numberDecimal": "1E+23"}'),
	(68, '{"$numberDouble": "1e34"}'), (66, '{"$numberDecimal": "9999999999999999455752309870428160"}'),
	(67, '{"$numberDecimal": "9999999999999999999999999999999999"}'),
	(68, '{"$numberDecimal": "1E+34"}'), (68, '{"$numberDecimal": "1000000E+28"}'),
	-- the largest double, and what is beyond it
	(70, '{"$numberDecimal": "1.797693134862315708145274237317043E+308"}'),
	(69, '1.7976931348623157e308'),
	(71, '{"$numberDecimal": "1.797693134862315708145274237317044E+308"}'),
	(72, '{"$numberDecimal": "1E+400"}'),
	(73, '{"$numberDecimal": "1E+6144"}'), (73, '{"$numberDecimal": "1000E+6141"}'),
	(74, '{"$numberDecimal": "9.999999999999999999999999999999999E+6144"}'),
	(75, '{"$numberDouble": "Infinity"}'), (75, '{"$numberDecimal": "Infinity"}');

-- all pairs: exact, antisymmetric, transitive
SELECT a.v, b.v, bson_cmp(a.v, b.v)
FROM numbers a, numbers b
WHERE bson_cmp(a.v, b.v) <> sign(a.rank - b.rank)
   OR (a.v = b.v) <> (a.rank = b.rank);

-- equal numbers hash equal
SELECT a.v, b.v
FROM numbers a JOIN numbers b USING (rank)
WHERE bson_hash(a.v) <> bson_hash(b.v)
   OR bson_hash_extended(a.v, 42) <> bson_hash_extended(b.v, 42);

-- so a hash table and a sort, which compares prefixes first, find the same groups and order
SELECT count(*) AS numbers, count(DISTINCT rank) AS ranks,
	   (SELECT count(*) FROM (SELECT v FROM numbers GROUP BY v) g) AS groups,
	   (SELECT count(DISTINCT v) FROM numbers) AS sorted
FROM numbers;
SELECT rank, before
FROM (SELECT rank, lag(rank) OVER () AS before
	  FROM (SELECT * FROM (SELECT * FROM numbers ORDER BY md5(v::text)) s ORDER BY v) s) s
WHERE rank < before;

-- decimal128 from text: exact or an error
SELECT '{"$numberDecimal": "1234567890123456789012345678901234"}'::bson;
SELECT '{"$numberDecimal": "12345678901234567890123456789012345"}'::bson;	-- ERROR, 35 digits
SELECT '{"$numberDecimal": "1234567890123456789012345678901234000000"}'::bson;	-- OK, only zeroes dropped
SELECT '{"$numberDecimal": "0.00000000012345678901234567890123456789012340"}'::bson;	-- OK
SELECT '{"$numberDecimal": "1E+6111"}'::bson AS "1E+6111", '{"$numberDecimal": "1E+6112"}'::bson AS "10E+6111",
	   '{"$numberDecimal": "1E+6144"}'::bson AS "1 and 33 zeroes";
SELECT '{"$numberDecimal": "1E+6145"}'::bson;	-- ERROR, too large
SELECT '{"$numberDecimal": "1E-6176"}'::bson AS "1E-6176", '{"$numberDecimal": "10E-6177"}'::bson AS "1E-6176",
	   '{"$numberDecimal": "0E+99999"}'::bson AS "0E+6111", '{"$numberDecimal": "0E-99999"}'::bson AS "0E-6176";
SELECT '{"$numberDecimal": "1E-6177"}'::bson;	-- ERROR, too small
SELECT '{"$numberDecimal": "1E+99999999999999999999"}'::bson;	-- ERROR
SELECT '{"$numberDecimal": "inf"}'::bson AS "Infinity", '{"$numberDecimal": "-INFINITY"}'::bson AS "-Infinity",
	   '{"$numberDecimal": "nan"}'::bson AS "NaN", '{"$numberDecimal": "+1.50"}'::bson AS "1.50";
DO $$
DECLARE
	t text;
BEGIN
	FOREACH t IN ARRAY '{"",.,e1,1e,1e+,+,--1,1..2,1.2.3,0x10," 1","1 ",1_000,infin,sNaN,NaN12,1e5.5,1-,"1\n"}'::text[]
	LOOP
		BEGIN
			RAISE NOTICE 'accepted: %', json_build_object('$numberDecimal', t)::text::bson;
		EXCEPTION WHEN invalid_text_representation THEN
			NULL;				-- as it should
		END;
	END LOOP;
END
$$;

-- numbers of JSON text: a double if its shortest spelling is that very number, else a decimal128
SELECT '[15.0, 1e300, 1e-7, -0.0, 0.1, 0.10, 123456789.123]'::bson;
SELECT '[5e-324, 4.9e-324, 1e400, 1e-400, 1e23]'::bson;
SELECT '[0.30000000000000004, 0.30000000000000003, 0.1000000000000000055511151231257827]'::bson;
SELECT '[9007199254740992.0, 9007199254740993.0, 36028797018964104.0, 3.60287970189641e16]'::bson;
SELECT '[9223372036854775807, 9223372036854775808, -9223372036854775809, 18446744073709551616]'::bson;

DROP TABLE numbers;

-- doubles of few decimals, and their neighbours, have the spelling that float8 has
CREATE TEMP TABLE few_decimals AS
SELECT s * (d + n * d * power(2::float8, -52)) AS d
  FROM (SELECT (('x' || left(md5(i::text), 8))::bit(32)::bigint % (10::float8 ^ (i % 10))::bigint) / 10::float8 ^ (i % 11) AS d FROM generate_series(1, 20000) i UNION ALL
        SELECT unnest(ARRAY[0.0001, 0.0009999, 0.001, 0.0010001, 0.99995, 0.99999, 1, 9.9999, 100, 123456, 999999999, 999999999.9999, 999999999.99999, 1000000000, 1000000000.5, 0.30000000000000004, 4.35, 0.5, 0.00012, 0.123456789, 0.1234567891, 999999.999999999, 999999.9999999999, 1000000, 123456.123456789])) x, unnest(ARRAY[-2, -1, 0, 1, 2]) n, unnest(ARRAY[1, -1]) s;
SELECT count(*) > 100000, count(*) FILTER (WHERE to_bson(d) #>> '{}' <> CASE WHEN d::text ~ '[.e]' THEN d::text ELSE d::text || '.0' END) AS other,
       count(*) FILTER (WHERE (to_bson(d)::text)::float8 <> d) AS lost FROM few_decimals;
