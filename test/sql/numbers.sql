-- If this fails, numbers of different BSON types are compared, hashed, read or written inexactly.

-- Numbers of one rank are equal, whatever their type; a higher rank is greater.
CREATE TABLE numbers (rank int, v bson);
INSERT INTO numbers VALUES
	-- NaN is one number: of either type, any sign and payload
	(10, '{"$numberDouble": "NaN"}'), (10, '{"$numberDecimal": "NaN"}'),
	(10, '\x11000000ff000100010000000000f8ff00'),
	(10, '\x19000000ff001300010000000000000000000000000000fe00'),
	(20, '{"$numberDouble": "-Infinity"}'), (20, '{"$numberDecimal": "-Infinity"}'),
	(20, '\x19000000ff001300010000000000000000000000000000f800'),	-- bits that mean nothing
	-- decimal128 goes beyond double: -1e400 is no infinity
	(30, '{"$numberDecimal": "-9.999999999999999999999999999999999E+6144"}'),
	(31, '{"$numberDecimal": "-1E+6144"}'), (31, '{"$numberDecimal": "-1000E+6141"}'),
	(32, '{"$numberDecimal": "-1E+400"}'),
	(33, '-1.7976931348623157e308'),
	-- -2^63 and its neighbours
	(40, '{"$numberDecimal": "-9223372036854775809"}'),
	(41, '-9223372036854775808'), (41, '{"$numberDouble": "-9223372036854775808"}'),
	(41, '{"$numberDecimal": "-9223372036854775808"}'),
	(42, '-9223372036854775807'), (42, '{"$numberDecimal": "-9223372036854775807"}'),
	(43, '{"$numberDouble": "-9223372036854774784"}'),		-- the next double
	-- -2^53 and its neighbours: an int64 tells what a double cannot
	(50, '-9007199254740993'), (50, '{"$numberDecimal": "-9007199254740993"}'),
	(51, '-9007199254740992'), (51, '-9007199254740992.0'),
	(52, '-9007199254740991'), (52, '-9007199254740991.0'),
	-- -2^31 and its neighbours
	(60, '-2147483649'), (60, '-2147483649.0'),
	(61, '-2147483648'), (61, '{"$numberLong": "-2147483648"}'), (61, '-2147483648.0'),
	(61, '{"$numberDecimal": "-2147483648"}'),
	(62, '-2147483647'), (62, '{"$numberDecimal": "-2147483647.000"}'),
	(70, '-1.5'), (70, '{"$numberDecimal": "-1.5"}'),
	(71, '-1'), (71, '-1.0'), (71, '{"$numberLong": "-1"}'), (71, '{"$numberDecimal": "-1"}'),
	(71, '{"$numberDecimal": "-1000E-3"}'),
	(72, '-0.1'),												-- a double of a little more than that
	(73, '{"$numberDecimal": "-0.1"}'),
	(74, '-5e-324'),
	(75, '{"$numberDecimal": "-1E-400"}'),
	(76, '{"$numberDecimal": "-1E-6176"}'),
	-- zero has many spellings
	(80, '0'), (80, '0.0'), (80, '-0.0'), (80, '{"$numberLong": "0"}'),
	(80, '{"$numberDecimal": "0"}'), (80, '{"$numberDecimal": "-0"}'), (80, '{"$numberDecimal": "0.00"}'),
	(80, '{"$numberDecimal": "0E+6111"}'), (80, '{"$numberDecimal": "-0E-6176"}'),
	-- as has, IEEE 754-2008 says, every significand above 10^34 - 1: 10^34, all bits set, the other form
	(80, '\x19000000ff00130000000000648e8d37c087adbe09ed413000'),
	(80, '\x19000000ff001300ffffffffffffffffffffffffffff413000'),
	(80, '\x19000000ff0013000500000000000000000000000000106c00'),
	(80, '\x19000000ff0013000500000000000000ffffffffff7f10ec00'),
	-- the smallest decimal, and subnormal doubles between the decimals nearest to them
	(90, '{"$numberDecimal": "1E-6176"}'),
	(91, '{"$numberDecimal": "1E-400"}'), (91, '{"$numberDecimal": "1000E-403"}'),
	(92, '{"$numberDecimal": "4.940656458412465441765687928682213E-324"}'),
	(93, '5e-324'),
	(94, '{"$numberDecimal": "4.940656458412465441765687928682214E-324"}'),
	(95, '{"$numberDecimal": "5E-324"}'),
	(96, '1e-323'),
	(97, '{"$numberDecimal": "1E-323"}'),
	(98, '2.225073858507201e-308'),
	(99, '{"$numberDecimal": "2.225073858507201383090232717332404E-308"}'),
	(100, '2.2250738585072014e-308'),
	(101, '{"$numberDecimal": "2.225073858507201383090232717332405E-308"}'),
	-- a decimal 0.1 is not the double 0.1, but 0.5 is 0.5
	(110, '{"$numberDecimal": "0.1"}'), (110, '{"$numberDecimal": "0.10"}'),
	(111, '{"$numberDecimal": "0.1000000000000000055511151231257827"}'),
	(112, '0.1'),
	(113, '{"$numberDecimal": "0.1000000000000000055511151231257828"}'),
	(120, '{"$numberDecimal": "0.3333333333333333333333333333333333"}'),
	(121, '{"$numberDecimal": "0.3333333333333333333333333333333334"}'),
	(122, '0.5'), (122, '{"$numberDecimal": "0.5"}'), (122, '{"$numberDecimal": "0.5000"}'),
	(123, '1'), (123, '1.0'), (123, '{"$numberLong": "1"}'), (123, '{"$numberDecimal": "1"}'),
	(123, '{"$numberDecimal": "1.000000000000000000000000000000000"}'),
	(124, '{"$numberDecimal": "1.000000000000000000000000000000001"}'),
	(125, '1.0000000000000002'),
	(126, '{"$numberDecimal": "1.1"}'), (126, '{"$numberDecimal": "1.10"}'), (126, '{"$numberDecimal": "110E-2"}'),
	(127, '1.1'),
	(128, '{"$numberDecimal": "1E+1"}'), (128, '10'), (128, '10.0'),
	-- 2^31
	(130, '2147483647'), (130, '{"$numberDouble": "2147483647"}'), (130, '{"$numberDecimal": "2147483647"}'),
	(131, '2147483648'), (131, '2147483648.0'), (131, '{"$numberDecimal": "2147483648"}'),
	-- 2^53
	(140, '9007199254740991'), (140, '9007199254740991.0'),
	(141, '9007199254740992'), (141, '9007199254740992.0'), (141, '{"$numberDecimal": "9007199254740992.0"}'),
	(142, '{"$numberDecimal": "9007199254740992.5"}'),
	(143, '9007199254740993'), (143, '{"$numberDecimal": "9007199254740993"}'),
	(144, '9007199254740994'), (144, '9007199254740994.0'),
	-- 2^63 and 2^64
	(150, '{"$numberDouble": "9223372036854774784"}'),
	(151, '9223372036854775806'),
	(152, '9223372036854775807'), (152, '{"$numberDecimal": "9223372036854775807"}'),
	(153, '{"$numberDecimal": "9223372036854775807.5"}'),
	(154, '{"$numberDouble": "9223372036854775808"}'), (154, '{"$numberDecimal": "9223372036854775808"}'),
	(155, '{"$numberDecimal": "9223372036854775809"}'),
	(156, '{"$numberDouble": "18446744073709551616"}'), (156, '{"$numberDecimal": "18446744073709551616"}'),
	(157, '{"$numberDecimal": "18446744073709551617"}'),
	-- powers of ten: 1e22 is the last that is a double
	(160, '1e22'), (160, '{"$numberDecimal": "1E+22"}'), (160, '{"$numberDecimal": "10000000000000000000000.00"}'),
	(161, '{"$numberDouble": "1e23"}'), (161, '{"$numberDecimal": "99999999999999991611392"}'),
	(162, '{"$numberDecimal": "1E+23"}'),
	(163, '{"$numberDouble": "1e34"}'), (163, '{"$numberDecimal": "9999999999999999455752309870428160"}'),
	(164, '{"$numberDecimal": "9999999999999999999999999999999999"}'),
	(165, '{"$numberDecimal": "1E+34"}'), (165, '{"$numberDecimal": "1000000E+28"}'),
	-- the largest double, and what is beyond it
	(170, '{"$numberDecimal": "1.797693134862315708145274237317043E+308"}'),
	(171, '1.7976931348623157e308'),
	(172, '{"$numberDecimal": "1.797693134862315708145274237317044E+308"}'),
	(173, '{"$numberDecimal": "1E+400"}'),
	(174, '{"$numberDecimal": "1E+6144"}'), (174, '{"$numberDecimal": "1000E+6141"}'),
	(175, '{"$numberDecimal": "9.999999999999999999999999999999999E+6144"}'),
	(180, '{"$numberDouble": "Infinity"}'), (180, '{"$numberDecimal": "Infinity"}');

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
