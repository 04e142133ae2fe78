-- If this fails, bson_eval gives another value than MongoDB's server: powers, logarithms, trigonometry, bits.
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

SELECT * FROM pg_temp.facts('powers and logarithms: expression.cpp, ExpressionPow and its neighbours', '{"n": null, "s": "x", "t": {"$numberDecimal": "2"}, "l": {"$numberLong": "3"}}',
  '{"$sqrt": 9}', '{"$sqrt": "$t"}', '{"$sqrt": -1}', '{"$sqrt": "$n"}', '{"$sqrt": "$s"}', '{"$exp": 0}', '{"$exp": "$t"}', '{"$ln": 1}', '{"$ln": "$t"}', '{"$ln": 0}', '{"$log10": 1000}', '{"$log10": {"$numberDecimal": "1000"}}', '{"$log": [8, 2]}', '{"$log": ["$t", 10]}', '{"$log": [0, 2]}', '{"$log": [8, 1]}', '{"$log": ["$n", 2]}',
  '{"$pow": [2, 10]}', '{"$pow": ["$l", 3]}', '{"$pow": [2, 31]}', '{"$pow": [2, 63]}', '{"$pow": [2, -1]}', '{"$pow": [-1, 3]}', '{"$pow": [0, -1]}', '{"$pow": [0, 0]}', '{"$pow": ["$t", 0.5]}', '{"$pow": [2.5, 2]}', '{"$pow": ["$n", 2]}', '{"$pow": ["$s", 2]}');
SELECT * FROM pg_temp.facts('bits: expression.cpp, ExpressionBitAnd and its neighbours', '{"n": null, "l": {"$numberLong": "12"}}',
  '{"$bitAnd": [12, 10]}', '{"$bitOr": [12, "$l"]}', '{"$bitXor": [12, 10]}', '{"$bitAnd": []}', '{"$bitOr": []}', '{"$bitAnd": [1, "$n"]}', '{"$bitAnd": [1, 1.0]}', '{"$bitNot": 5}', '{"$bitNot": "$l"}', '{"$bitNot": "$n"}', '{"$bitNot": 1.5}');
-- Trigonometry, to nine digits: expression_trigonometric.h
SELECT f, round(bson_eval('{"x": 0.5}', bson_build_object(f, '$x'))::numeric, 9) FROM unnest('{$sin,$cos,$tan,$asin,$acos,$atan,$sinh,$cosh,$tanh,$asinh,$atanh,$degreesToRadians,$radiansToDegrees}'::text[]) AS f;
SELECT * FROM pg_temp.facts('trigonometry: expression_trigonometric.h', '{"n": null, "t": {"$numberDecimal": "180"}}',
  '{"$sin": 0}', '{"$cos": 0}', '{"$atan2": [0, 1]}', '{"$acosh": 1}', '{"$asin": 2}', '{"$acos": -2}', '{"$acosh": 0}', '{"$atanh": 2}', '{"$sin": {"$numberDouble": "Infinity"}}', '{"$sin": "$n"}', '{"$sin": "x"}', '{"$degreesToRadians": "$t"}', '{"$atan2": [1, "$n"]}');
SELECT * FROM pg_temp.facts('$sigmoid: expression.h of 8.1', '{"n": null, "t": {"$numberDecimal": "1"}}',
  '{"$sigmoid": 0}', '{"$sigmoid": 1}', '{"$sigmoid": "$t"}', '{"$sigmoid": {"$numberDouble": "-Infinity"}}', '{"$sigmoid": {"$numberDecimal": "Infinity"}}', '{"$sigmoid": -1000}', '{"$sigmoid": "$n"}', '{"$sigmoid": "x"}', '{"$sigmoid": [1, 2]}');
SELECT * FROM pg_temp.facts('decimals, digits and spelling: platform/decimal128.cpp over Intel''s library; DocumentDB''s functional tests', '{"m": {"$numberDecimal": "9.999999999999999999999999999999999E+6144"}, "s": {"$numberDecimal": "1E-6176"}, "z": {"$numberDecimal": "-0"}, "nan": {"$numberDecimal": "NaN"}, "i": {"$numberDecimal": "-Infinity"}, "t": {"$numberDecimal": "1.5"}}',
  '{"$sqrt": {"$numberDecimal": "1.0"}}', '{"$sqrt": {"$numberDecimal": "1E+6144"}}', '{"$sqrt": "$s"}', '{"$sqrt": "$m"}', '{"$sqrt": "$z"}', '{"$sqrt": {"$numberDecimal": "0.5"}}', '{"$sqrt": {"$numberDecimal": "1E+3"}}',
  '{"$exp": {"$numberDecimal": "1"}}', '{"$exp": "$z"}', '{"$exp": {"$numberDecimal": "1E-40"}}', '{"$exp": {"$numberDecimal": "14149"}}', '{"$exp": {"$numberDecimal": "-14000"}}', '{"$exp": "$m"}', '{"$exp": {"$numberDecimal": "-9E+6144"}}',
  '{"$ln": "$s"}', '{"$ln": "$m"}', '{"$ln": {"$numberDecimal": "1.00"}}', '{"$ln": {"$numberDecimal": "1.000000000000000000000000000000001"}}', '{"$ln": {"$numberDecimal": "0.9999999999999999999999999999999999"}}', '{"$ln": "$nan"}', '{"$ln": "$z"}', '{"$ln": "$i"}', '{"$log10": "$s"}', '{"$log10": "$m"}', '{"$log10": {"$numberDecimal": "2"}}', '{"$log10": {"$numberDecimal": "100.00"}}', '{"$log10": {"$numberDecimal": "1.000000000000000000000000000000001"}}',
  '{"$log": [{"$numberDecimal": "64"}, 2]}', '{"$log": [1000, {"$numberDecimal": "10"}]}', '{"$log": [{"$numberDecimal": "100"}, 10]}', '{"$log": ["$s", 10]}', '{"$log": ["$nan", 10]}', '{"$log": [5, {"$numberDecimal": "1.0"}]}', '{"$log": [{"$numberDecimal": "2"}, {"$numberDecimal": "1.000000000000000000000000000000001"}]}',
  '{"$pow": ["$t", 2]}', '{"$pow": [{"$numberDecimal": "2"}, 100]}', '{"$pow": [{"$numberDecimal": "1E+400"}, 2]}', '{"$pow": ["$s", {"$numberDecimal": "0.5"}]}', '{"$pow": ["$m", 1]}', '{"$pow": ["$m", 2]}', '{"$pow": ["$s", 2]}', '{"$pow": [{"$numberDecimal": "-2"}, 3]}', '{"$pow": [{"$numberDecimal": "-2"}, {"$numberDecimal": "0.5"}]}', '{"$pow": ["$t", 0]}', '{"$pow": ["$z", 3]}', '{"$pow": ["$i", -1]}', '{"$pow": ["$i", 3]}', '{"$pow": [{"$numberDecimal": "1.000000000000000000000000000000001"}, {"$numberDecimal": "1E+33"}]}', '{"$pow": ["$t", {"$numberDecimal": "1E-6176"}]}',
  '{"$sum": [0.1, {"$numberDecimal": "1"}]}', '{"$sum": [0.5, {"$numberDecimal": "0.5"}]}', '{"$avg": [0.1, 3, {"$numberDecimal": "1"}]}', '{"$avg": [{"$numberLong": "9223372036854775807"}, {"$numberLong": "-9223372036854775808"}]}');
-- NaN keeps its sign
SELECT e, encode(bson_eval('\x18000000137800000000000000000000000000000000fc00', e)::bytea, 'hex') FROM unnest('{"[{\"$add\": [1, \"$x\"]}]","[{\"$sum\": [\"$x\", 1.5]}]","[{\"$subtract\": [1, \"$x\"]}]"}'::bson[]) AS e;
SELECT * FROM pg_temp.facts('sums and products begin with an int; doubles are multiplied one after the other: exec/expression/evaluate_math.cpp', '{"k": {"$numberDecimal": "1E+3"}, "d": {"$date": "2024-01-01T00:00:00Z"}}',
  '{"$add": ["$k"]}', '{"$add": ["$k", "$k"]}', '{"$add": [{"$numberDouble": "-0.0"}]}', '{"$multiply": ["$k", "$k"]}', '{"$multiply": [{"$numberLong": "9007199254740993"}, 3, 0.1]}', '{"$add": [1.6, 1.6, "$d"]}', '{"$add": ["$d", 1.6, 1.6]}', '{"$add": ["$d", "$d"]}', '{"$add": [{"$numberLong": "9223372036854775807"}, 1, -1]}');
