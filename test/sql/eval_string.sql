-- If this fails, bson_eval gives another value than MongoDB's server: strings.
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

SELECT * FROM pg_temp.facts('strings: expression.cpp, ExpressionConcat and its neighbours', '{"s": "Straße 7", "n": null, "i": 42, "d": {"$date": "2020-01-01T00:00:00Z"}, "o": {}}',
  '{"$concat": ["$s", "!"]}', '{"$concat": ["$s", "$n"]}', '{"$concat": ["$s", "$i"]}', '{"$concat": []}', '{"$toLower": "$s"}', '{"$toUpper": "$s"}', '{"$toUpper": "$n"}', '{"$toLower": "$i"}', '{"$toUpper": "$d"}', '{"$toUpper": "$o"}', '{"$strcasecmp": ["$s", "sTRASSE"]}', '{"$strcasecmp": ["$n", ""]}', '{"$strLenBytes": "$s"}', '{"$strLenCP": "$s"}', '{"$strLenCP": "$n"}', '{"$strLenBytes": "$i"}',
  '{"$substr": ["$s", 0, 4]}', '{"$substrBytes": ["$s", 4, 2]}', '{"$substrBytes": ["$s", 5, 2]}', '{"$substrBytes": ["$s", 0, 5]}', '{"$substrBytes": ["$s", 4, -1]}', '{"$substrBytes": ["$s", 99, 1]}', '{"$substrBytes": ["$s", -1, 1]}', '{"$substrBytes": ["$s", "x", 1]}', '{"$substrCP": ["$s", 4, 3]}', '{"$substrCP": ["$s", 99, 3]}', '{"$substrCP": ["$s", -1, 3]}', '{"$substrCP": ["$n", 0, 3]}', '{"$substrCP": ["$i", 0, 1]}',
  '{"$indexOfBytes": ["$s", "e"]}', '{"$indexOfCP": ["$s", "e"]}', '{"$indexOfCP": ["$s", "a", 4]}', '{"$indexOfCP": ["$s", "ß", 0, 4]}', '{"$indexOfBytes": ["$s", "zz"]}', '{"$indexOfBytes": ["$n", "x"]}', '{"$indexOfBytes": ["$s", "$n"]}', '{"$indexOfCP": ["$s", "", 3]}', '{"$indexOfCP": ["$s", "", 99]}', '{"$indexOfCP": ["$s", "a", -1]}', '{"$indexOfBytes": ["aaab", "aab"]}',
  '{"$split": ["a,b,,c", ","]}', '{"$split": ["abc", "x"]}', '{"$split": ["", ","]}', '{"$split": ["$s", ""]}', '{"$split": ["$n", ","]}', '{"$split": ["$i", ","]}', '{"$split": ["xaabaabx", "aab"]}',
  '{"$trim": {"input": "  \tx y\n "}}', '{"$ltrim": {"input": "  x  "}}', '{"$rtrim": {"input": "  x  "}}', '{"$trim": {"input": "ßxxaß", "chars": "ßx"}}', '{"$trim": {"input": "xx", "chars": "x"}}', '{"$trim": {"input": "$n"}}', '{"$trim": {"input": "x", "chars": "$n"}}', '{"$trim": {"input": 5}}', '{"$trim": {"input": "x", "chars": 5}}', '{"$trim": {}}',
  '{"$replaceOne": {"input": "abab", "find": "b", "replacement": "X"}}', '{"$replaceAll": {"input": "abab", "find": "ab", "replacement": "X"}}', '{"$replaceAll": {"input": "aß", "find": "", "replacement": "-"}}', '{"$replaceAll": {"input": "ab", "find": "z", "replacement": "-"}}', '{"$replaceAll": {"input": "$n", "find": "z", "replacement": "-"}}', '{"$replaceAll": {"input": 5, "find": "z", "replacement": "-"}}', '{"$replaceAll": {"input": "ab", "find": "z"}}');
SELECT * FROM pg_temp.facts('regular expressions: exec/expression/evaluate_regex.cpp', '{"s": "aé€Bab", "n": null, "i": 5, "r": {"$regularExpression": {"pattern": "(a)(B)?", "options": "i"}}}',
  '{"$regexMatch": {"input": "$s", "regex": "b"}}', '{"$regexMatch": {"input": "$s", "regex": "^b", "options": "i"}}', '{"$regexMatch": {"input": "$n", "regex": "b"}}', '{"$regexMatch": {"input": "$s", "regex": "$n"}}', '{"$regexMatch": {"input": "$s", "regex": "$r"}}',
  '{"$regexFind": {"input": "$s", "regex": "€(.)(x)?"}}', '{"$regexFind": {"input": "$s", "regex": "$r"}}', '{"$regexFind": {"input": "$s", "regex": "z"}}', '{"$regexFind": {"input": "$n", "regex": "z"}}', '{"$regexFind": {"input": "", "regex": ""}}',
  '{"$regexFindAll": {"input": "$s", "regex": "$r"}}', '{"$regexFindAll": {"input": "$s", "regex": ""}}', '{"$regexFindAll": {"input": "", "regex": ""}}', '{"$regexFindAll": {"input": "aab", "regex": "a*"}}', '{"$regexFindAll": {"input": "ab", "regex": {"$literal": "$"}}}', '{"$regexFindAll": {"input": "$n", "regex": "z"}}', '{"$regexFindAll": {"input": "abab", "regex": "(?<=a)b"}}',
  '{"$regexFind": {"input": "$i", "regex": "z"}}', '{"$regexFind": {"input": "$n", "regex": 5}}', '{"$regexFind": {"input": "$n", "regex": "("}}', '{"$regexFind": {"input": "$s", "regex": "$r", "options": "i"}}', '{"$regexFind": {"input": "$s", "regex": "x", "options": "q"}}', '{"$regexFind": {"input": "$s", "regex": "x", "options": 1}}', '{"$regexFind": {"input": "$s"}}', '{"$regexFind": {"input": "$s", "regex": "x", "more": 1}}', '{"$regexFind": "$s"}', '{"$regexMatch": {"input": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", "regex": "(a+)+$$"}}',
  -- another expression at each element
  '{"$map": {"input": ["a", "é", "a", "x"], "in": {"$regexFind": {"input": "$s", "regex": "$$this"}}}}');
SELECT jsonb_array_length(bson_eval('{}', bson_build_object('$regexFindAll', bson_build_object('input', repeat('xé', 20000), 'regex', 'é|x(?=é)')))::jsonb) AS matches;
