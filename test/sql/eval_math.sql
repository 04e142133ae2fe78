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
