-- If this fails, a path that works on jsonb finds something else in bson.

-- members, in both modes
SELECT bson '{"name": "Ada", "born": 1815}' @? '$.name';
SELECT bson '{"name": "Ada", "born": 1815}' @? '$.died';
SELECT bson '{"name": "Ada", "born": 1815}' @? 'strict $.died';  -- NULL, an error suppressed
SELECT bson_path_query('{"name": "Ada", "born": 1815}', '$.name');
SELECT bson_path_query('{"name": "Ada", "born": 1815}', '$.died');
SELECT bson_path_query('{"name": "Ada", "born": 1815}', 'strict $.died');  -- ERROR, no such member
SELECT bson_path_query('{"name": "Ada", "born": 1815}', 'strict $.died', silent => true);
SELECT bson_path_query('"Ada"', '$.name');
SELECT bson_path_query('"Ada"', 'strict $.name');  -- ERROR, not an object
SELECT bson_path_query('{"a b": {"$c": 1, "": 2}}', '$."a b"."$c"');
SELECT bson_path_query('{"a b": {"$c": 1, "": 2}}', '$."a b".""');
SELECT bson_path_query('{"é": "ü"}', '$."é"');

-- members of arrays: opened in lax mode, an error in strict
SELECT bson_path_query('[{"n": 1}, {"n": 2}, {"m": 3}, 4]', '$.n');
SELECT bson_path_query('[{"n": 1}, {"n": 2}, {"m": 3}, 4]', 'strict $.n');  -- ERROR
SELECT bson_path_query('[[{"n": 1}]]', '$.n');
SELECT bson_path_query('[[{"n": 1}]]', '$[*].n');

-- wildcards
SELECT bson_path_query('{"x": 1, "y": [2, 3], "z": {"w": 4}}', '$.*');
SELECT bson_path_query('[{"x": 1}, {"y": 2}]', '$.*');
SELECT bson_path_query('7', '$.*');
SELECT bson_path_query('7', 'strict $.*');  -- ERROR
SELECT bson_path_query('[1, [2, 3], "four"]', '$[*]');
SELECT bson_path_query('[1, [2, 3], "four"]', '$[*][*]');
SELECT bson_path_query('7', '$[*]');
SELECT bson_path_query('7', 'strict $[*]');  -- ERROR

-- subscripts
SELECT bson_path_query('[10, 20, 30, 40]', '$[0]');
SELECT bson_path_query('[10, 20, 30, 40]', '$[1 to 2]');
SELECT bson_path_query('[10, 20, 30, 40]', '$[last]');
SELECT bson_path_query('[10, 20, 30, 40]', '$[last - 1 to last]');
SELECT bson_path_query('[10, 20, 30, 40]', '$[3, 0, 0 to 1]');
SELECT bson_path_query('[10, 20, 30, 40]', '$[1.9]');
SELECT bson_path_query('[10, 20, 30, 40]', '$[-1]');
SELECT bson_path_query('[10, 20, 30, 40]', '$[3 to 1]');
SELECT bson_path_query('[10, 20, 30, 40]', '$[2 to 1000]');
SELECT bson_path_query('[10, 20, 30, 40]', '$[$[0] / 10]');
SELECT bson_path_query('[10, 20, 30, 40]', 'strict $[4]');  -- ERROR, out of bounds
SELECT bson_path_query('[10, 20, 30, 40]', 'strict $[3 to 1]');  -- ERROR
SELECT bson_path_query('[10, 20, 30, 40]', '$["0"]');  -- ERROR, not a number
SELECT bson_path_query('[10, 20, 30, 40]', '$[$[*]]');  -- ERROR, not one number
SELECT bson_path_query('[10, 20, 30, 40]', '$[10000000000]');  -- ERROR, out of integer range
SELECT bson_path_query('[10, 20, 30, 40]', '$[10000000000]', silent => true);
SELECT bson_path_query('{"a": 1}', '$[0].a');
SELECT bson_path_query('{"a": 1}', '$[last].a');
SELECT bson_path_query('{"a": 1}', '$[1].a');
SELECT bson_path_query('{"a": 1}', 'strict $[0].a');  -- ERROR, not an array
SELECT bson_path_query('[[1, 2, 3], [4, 5]]', '$[*][last]');
SELECT bson_path_query('[[1, 2, 3], [4, 5]]', '$[last][last - $[0][0]]');
SELECT bson_path_query('[]', '$[last]');
SELECT bson_path_query('[]', 'strict $[last]');  -- ERROR

-- any depth
SELECT bson_path_query('{"a": {"b": [1, {"c": 2}]}}', '$.**');
SELECT bson_path_query('{"a": {"b": [1, {"c": 2}]}}', '$.**{0}');
SELECT bson_path_query('{"a": {"b": [1, {"c": 2}]}}', '$.**{1}');
SELECT bson_path_query('{"a": {"b": [1, {"c": 2}]}}', '$.**{1 to 2}');
SELECT bson_path_query('{"a": {"b": [1, {"c": 2}]}}', '$.**{3 to last}');
SELECT bson_path_query('{"a": {"b": [1, {"c": 2}]}}', '$.**{last}');
SELECT bson_path_query('{"a": {"b": [1, {"c": 2}]}}', 'strict $.**.c');
SELECT bson_path_query('{"a": {"b": [1, {"c": 2}]}}', '$.**.c ? (@ > 1)');
SELECT bson_path_query('{"a": {"b": [1, {"c": 2}]}}', '$.**{9}');
SELECT bson_path_query('5', '$.**');
-- a suppressed error of a container is none behind .**, even if that stays with it
\a
SELECT path, d, bson_path_exists(d::bson, path::jsonpath, silent => true) AS exists, jsonb_path_exists(d::jsonb, path::jsonpath, silent => true) AS jsonb_says
  FROM (VALUES ('strict $.**{0}.abs()'), ('strict $.**{0 to 1}.abs()'), ('$.**{0}.abs()'), ('$.**{0}.a.abs() > 1'), ('strict $.**{0}[*].abs()')) p(path), (VALUES ('{"a": "b"}'), ('{}'), ('["b"]'), ('"b"')) v(d);
\a
SELECT bson '{"a": {"b": [1, {"c": 2}]}}' @? '$.**{2 to 4}.c ? (@ == 2)';

-- filters and the three truth values
SELECT bson_path_query('[1, 2, 3, 4]', '$[*] ? (@ > 2)');
SELECT bson_path_query('[1, 2, 3, 4]', '$ ? (@ > 2)');
SELECT bson_path_query('[1, 2, 3, 4]', 'strict $ ? (@ > 2)');
SELECT bson_path_query('[1, 2, 3, 4]', '$[*] ? (@ > 1) ? (@ < 4)');
SELECT bson_path_query('[1, 2, 3, 4]', '$[*] ? (@ > 1 && @ < 4)');
SELECT bson_path_query('[1, 2, 3, 4]', '$[*] ? (@ < 2 || @ == 4)');
SELECT bson_path_query('[1, 2, 3, 4]', '$[*] ? (!(@ == 2))');
SELECT bson_path_query('[{"p": 5}, {"p": "5"}, {"q": 5}]', '$[*] ? (@.p == 5)');
SELECT bson_path_query('[{"p": 5}, {"p": "5"}, {"q": 5}]', '$[*] ? ((@.p == 5) is unknown)');
SELECT bson_path_query('[{"p": 5}, {"p": "5"}, {"q": 5}]', 'strict $[*] ? ((@.p == 5) is unknown)');
SELECT bson_path_query('[{"p": 5}, {"p": "5"}, {"q": 5}]', '$[*] ? (exists (@.q))');
SELECT bson_path_query('[{"p": 5}, {"p": "5"}, {"q": 5}]', '$[*] ? (exists (@ ? (@.p == 5)))');
SELECT bson_path_query('[{"p": 5}, {"p": "5"}, {"q": 5}]', 'strict $[*] ? (exists (@.q))');
SELECT bson_path_query('{"lo": 2, "v": [1, 2, 3]}', '$.v[*] ? (@ >= $.lo)');
SELECT bson_path_query('[[1, 2], [3, 4]]', '$[*] ? (@[*] > 3)');

-- a table of truth: and, or, not
WITH v(t, b) AS (VALUES ('true', '1 == 1'), ('false', '1 == 2'), ('unknown', '1 == "1"'))
SELECT a.t AS a, b.t AS b,
       bson_path_query_first('0', format('(%s) && (%s)', a.b, b.b)::jsonpath) AS a_and_b,
       bson_path_query_first('0', format('(%s) || (%s)', a.b, b.b)::jsonpath) AS a_or_b,
       bson_path_query_first('0', format('!(%s)', a.b)::jsonpath) AS not_a
  FROM v a, v b;

-- comparison: numbers by value, strings by code point, null with everything, containers never
SELECT bson_path_query_array('[0, 0.0, 1, 1.5, "", "a", "Z", "é", null, true, false, [], {}]', '$[*] ? (@ == 0)');
SELECT bson_path_query_array('[0, 0.0, 1, 1.5, "", "a", "Z", "é", null, true, false, [], {}]', '$[*] ? (@ <> 1)');
SELECT bson_path_query_array('[0, 0.0, 1, 1.5, "", "a", "Z", "é", null, true, false, [], {}]', '$[*] ? (@ < "b")');
SELECT bson_path_query_array('[0, 0.0, 1, 1.5, "", "a", "Z", "é", null, true, false, [], {}]', '$[*] ? (@ >= "a")');
SELECT bson_path_query_array('[0, 0.0, 1, 1.5, "", "a", "Z", "é", null, true, false, [], {}]', '$[*] ? (@ == null)');
SELECT bson_path_query_array('[0, 0.0, 1, 1.5, "", "a", "Z", "é", null, true, false, [], {}]', '$[*] ? (@ != null)');
SELECT bson_path_query_array('[0, 0.0, 1, 1.5, "", "a", "Z", "é", null, true, false, [], {}]', '$[*] ? (@ >= false)');
SELECT bson_path_query_array('[0, 0.0, 1, 1.5, "", "a", "Z", "é", null, true, false, [], {}]', 'strict $[*] ? ((@ == @) is unknown)');

-- arithmetic
SELECT bson_path_query('{"x": 7, "y": 2}', '$.x + $.y');
SELECT bson_path_query('{"x": 7, "y": 2}', '$.x - $.y * 3');
SELECT bson_path_query('{"x": 7, "y": 2}', '($.x - $.y) * 3');
SELECT bson_path_query('{"x": 7, "y": 2}', '$.x % $.y');
SELECT bson_path_query('{"x": 7, "y": 2}', '-$.x + +$.y');
SELECT bson_path_query('[1, 2, 3]', '-$[*]');
SELECT bson_path_query('[1, 2, 3]', '+$');
SELECT bson_path_query('{"x": [7]}', '$.x + 1');
SELECT bson_path_query('{"x": 7}', '$.x / 0');  -- ERROR
SELECT bson_path_query('{"x": 7}', '$.x / 0', silent => true);
SELECT bson_path_query('{"x": "7"}', '$.x + 1');  -- ERROR, left operand
SELECT bson_path_query('{"x": [7, 8]}', '1 * $.x');  -- ERROR, right operand
SELECT bson_path_query('{"x": "7"}', '-$.x');  -- ERROR
SELECT bson_path_query('{"x": "7"}', '-$.x', silent => true);
SELECT bson '{"x": ["7", 8]}' @? '-$.x';

-- predicates as answers
SELECT bson_path_query('[1, 5, 9]', '$[*] > 5');
SELECT bson_path_query('[1, 5, "9"]', '$[*] > 5');
SELECT bson '[1, 5, 9]' @@ '$[*] > 5';
SELECT bson '[1, 5, 9]' @@ '$[*] > 50';
SELECT bson '[1, 5, "9"]' @@ '$[*] > 50';
SELECT bson '[1, 5, 9]' @@ '$[*]';
SELECT bson_path_match('true', '$');
SELECT bson_path_match('false', '$');
SELECT bson_path_match('null', '$');
SELECT bson_path_match('1', '$', silent => true);
SELECT bson_path_match('1', '$');  -- ERROR, not a boolean
SELECT bson_path_match('[true, true]', '$[*]');  -- ERROR, not single
SELECT bson_path_match('[]', '$[*]');  -- ERROR

-- strings
SELECT bson_path_query('["apple", "apricot", "banana", 7]', '$[*] ? (@ starts with "ap")');
SELECT bson_path_query('["apple", "apricot", "banana", 7]', '$[*] ? (@ starts with $p)', '{"p": "ban"}');
SELECT bson_path_query('["apple", "apricot", "banana", 7]', '$[*] ? ((@ starts with "ap") is unknown)');
SELECT bson_path_query('["apple", "Apricot", "banana", 7]', '$[*] ? (@ like_regex "^a.*")');
SELECT bson_path_query('["apple", "Apricot", "banana", 7]', '$[*] ? (@ like_regex "^A" flag "i")');
SELECT bson_path_query('["a.b", "axb", "a\nb"]', '$[*] ? (@ like_regex "a.b")');
SELECT bson_path_query('["a.b", "axb", "a\nb"]', '$[*] ? (@ like_regex "a.b" flag "s")');
SELECT bson_path_query('["a.b", "axb", "a\nb"]', '$[*] ? (@ like_regex "a.b" flag "q")');
SELECT bson_path_query('["a.b", "axb", "a\nb"]', '$[*] ? (@ like_regex "^b" flag "m")');
SELECT bson_path_query('["é1", "e2"]', '$[*] ? (@ like_regex "^é\\d$")');

-- variables
SELECT bson_path_query('[1, 2, 3]', '$[*] ? (@ > $least)', '{"least": 1}');
SELECT bson_path_query('[1, 2, 3]', '$[*] ? (@ == $set[*])', '{"set": [3, 1]}');
SELECT bson_path_query('[1, 2, 3]', '$v', '{"v": {"any": "thing"}}');
SELECT bson_path_query('[1, 2, 3]', '$[*] ? (@ > $least)');  -- ERROR, no such variable
SELECT bson_path_query('[1, 2, 3]', '$[*] ? (@ > $least)', silent => true);  -- ERROR still
SELECT bson '[1, 2, 3]' @? '$[*] ? (@ > $least)';  -- ERROR, an operator has no variables
SELECT bson_path_query('[1, 2, 3]', '$[*]', '[1]');  -- ERROR, not a document
SELECT bson_path_exists('[1, 2, 3]', '$[*] ? (@ > $least)', '{"least": 3}');

-- methods
SELECT bson_path_query('[null, 1, 2.5, true, "s", [], {}]', '$[*].type()');
SELECT bson_path_query('[null, 1]', '$.type()');
SELECT bson_path_query('[1, 2, 3]', '$.size()');
SELECT bson_path_query('[[], [1], 5]', '$[*].size()');
SELECT bson_path_query('5', 'strict $.size()');  -- ERROR
SELECT bson_path_query('[-1.5, 2, -0.5]', '$[*].abs()');
SELECT bson_path_query('[-1.5, 2, -0.5]', '$[*].floor()');
SELECT bson_path_query('[-1.5, 2, 0.5]', '$[*].ceiling()');
SELECT bson_path_query('"x"', '$.abs()');  -- ERROR
SELECT bson_path_query('["1.5", 2, "3e2"]', '$[*].double()');
SELECT bson_path_query('"1.5x"', '$.double()');  -- ERROR
SELECT bson_path_query('"inf"', '$.double()');  -- ERROR
SELECT bson_path_query('1e1000', '$.double()');  -- ERROR
SELECT bson_path_query('true', '$.double()');  -- ERROR
SELECT bson_path_query('true', '$.double()', silent => true);
SELECT bson_path_query('{"k": 1, "l": [2]}', '$.keyvalue()');
SELECT bson_path_query('{"k": 1, "l": [2]}', '$.keyvalue().key');
SELECT bson_path_query('[{"k": 1}, {"l": 2}]', '$.keyvalue().value');
SELECT bson_path_query('[{"k": 1}]', 'strict $.keyvalue()');  -- ERROR
SELECT bson_path_query('{}', '$.keyvalue()');
-- different objects have different ids, and an object keeps its id
SELECT bson_path_query_array('[{"k": 1, "l": 2}, {"k": 1}]', '$[*].keyvalue().id')
     = bson_path_query_array('[{"k": 1, "l": 2}, {"k": 1}]', '$[0, 1].keyvalue().id');
SELECT count(DISTINCT id::text)
  FROM bson_path_query('[{"k": 1, "l": 2}, {"k": 1}]', '$[*].keyvalue().id') id;
SELECT bson_path_query('{"v": {"k": 1}}', '$.v.keyvalue().keyvalue().key');

-- datetimes in strings
SELECT bson_path_query('"2017-03-10"', '$.datetime()');
SELECT bson_path_query('["2017-03-10", "2017-03-10 12:34:56", "2017-03-10T12:34:56.789+03:00", "12:34:56", "12:34:56-08"]', '$[*].datetime()');
SELECT bson_path_query('["2017-03-10", "2017-03-10 12:34:56", "2017-03-10T12:34:56.789+03:00", "12:34:56", "12:34:56-08"]', '$[*].datetime().type()');
SELECT bson_path_query('"10-03-2017 12:34"', '$.datetime("dd-mm-yyyy HH24:MI")');
SELECT bson_path_query('"10-03-2017 12:34 +05:20"', '$.datetime("dd-mm-yyyy HH24:MI TZH:TZM")');
SELECT bson_path_query('"10-03-2017 12:34"', '$.datetime("dd-mm-yyyy HH24:MI").type()');
SELECT bson_path_query('"tomorrow"', '$.datetime()');  -- ERROR
SELECT bson_path_query('"tomorrow"', '$.datetime()', silent => true);
SELECT bson_path_query('1', '$.datetime()');  -- ERROR
SELECT bson_path_query('["2017-03-09", "2017-03-10", "2017-03-11 01:00:00", "12:00:00"]', '$[*].datetime() ? (@ >= "2017-03-10".datetime())');
SELECT bson_path_query('["2017-03-09T00:00:00+00", "2017-03-10T01:00:00+01", "2017-03-10T00:00:00-01"]', '$[*].datetime() ? (@ >= "2017-03-10T00:00:00+00:00".datetime())');
SELECT bson_path_query('["11:00:00", "12:00:00", "12:30:00"]', '$[*].datetime() ? (@ > "11:30:00".datetime())');
SELECT bson_path_query('["11:00:00+00", "12:00:00+01", "12:30:00+00"]', '$[*].datetime() ? (@ > "11:30:00+00".datetime())');

-- with and without time zone: only the _tz functions compare them
SET timezone = 'Asia/Kolkata';
SELECT bson_path_query('["2017-03-10", "2017-03-10 12:00:00"]', '$[*].datetime() ? (@ < "2017-03-10T06:00:00+00".datetime())');  -- ERROR
SELECT bson_path_query('["2017-03-10", "2017-03-10 12:00:00"]', '$[*].datetime() ? (@ < "2017-03-10T06:00:00+00".datetime())', silent => true);  -- ERROR still
SELECT bson_path_query_tz('["2017-03-10", "2017-03-10 12:00:00"]', '$[*].datetime() ? (@ < "2017-03-10T06:00:00+00".datetime())');
SELECT bson_path_query_tz('["2017-03-10", "2017-03-10 11:00:00"]', '$[*].datetime() ? (@ < "2017-03-10T06:00:00+00".datetime())');
SELECT bson_path_query_array_tz('["11:00:00", "12:00:00"]', '$[*].datetime() ? (@ < "06:00:00+00".datetime())');
SELECT bson_path_query_first_tz('["11:00:00", "12:00:00"]', '$[*].datetime() ? (@ > "06:00:00+00".datetime())');
SELECT bson_path_exists_tz('["11:00:00", "12:00:00"]', '$[*].datetime() ? (@ > "06:00:00+00".datetime())');
SELECT bson_path_match_tz('["11:00:00", "12:00:00"]', '$[*].datetime() > "06:00:00+00".datetime()');
RESET timezone;

-- the functions
SELECT bson_path_query_array('[3, 1, 2]', '$[*] ? (@ > 1)');
SELECT bson_path_query_array('[3, 1, 2]', '$[*] ? (@ > 5)');
SELECT bson_path_query_first('[3, 1, 2]', '$[*] ? (@ < 3)');
SELECT bson_path_query_first('[3, 1, 2]', '$[*] ? (@ > 5)');
SELECT bson_path_exists('[3, 1, 2]', '$[*] ? (@ > 5)');
SELECT bson_path_exists('[3, 1, 2]', 'strict $.a', silent => true);
SELECT bson_path_exists('[3, 1, 2]', 'strict $.a');  -- ERROR
SELECT bson_path_exists(NULL, '$'), bson_path_match('true', NULL), bson_path_query_array('1', '$', NULL);
SELECT count(*) FROM generate_series(1, 3) n, bson_path_query(format('[%s, %s]', n, n + 1)::bson, '$[*]');

-- further steps can follow a literal, a predicate and a method
SELECT bson_path_query('1', '"2017-03-10".datetime().type()');
SELECT bson_path_query('[1, 2]', '($[0] < $[1]).type()');
SELECT bson_path_query('{"a": [1, 2, 3]}', '$.a.size().type()');

-- what a call site remembers of a constant path changes nothing, whatever the documents that come to it look like: the
-- path as a constant and as a column, and the function that returns rows, agree with jsonb; some of them are compressed
CREATE TEMP TABLE site_doc AS
SELECT n, d FROM unnest(ARRAY['{"a": 1, "b": 2}', '{"a": {"b": 1, "c": "x"}}', '{"b": 1, "a": {"b": 2}}', '{"a": [{"b": 3}, {"b": [4, 5]}]}', '{"a": [1, 2, 3]}', '{"a": [[1, 2], [3]]}', '{"a": []}', '{"a": null}', '{"a": "x"}',
    '[{"a": 1}, {"a": {"b": 2}}]', '[]', '{}', '5', '{"a": {"b": {"c": [1, {"d": 2}]}}}', '{"Z": 0, "a": {"Z": 0, "b": 7}}', '{"a": 1.5}', '{"a": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]}', '{"a": {"b": 1, "c": "x"}}',
    '{"a": {"b": 9, "c": "y"}}', '{"a": {"a": {"a": [0, 1]}}}']) WITH ORDINALITY u(d, n);
INSERT INTO site_doc SELECT 100 + n, format('{"filler": "%s", "a": {"b": %s, "c": [%s]}}', repeat(md5(n::text), 200), n, (SELECT string_agg(i::text, ',') FROM generate_series(1, n * 100) i)) FROM generate_series(1, 5) n;
ALTER TABLE site_doc ADD b bson;
UPDATE site_doc SET b = d::bson;
CREATE TEMP TABLE site_path AS
SELECT p FROM unnest(ARRAY['$', '$.a', '$.a.b', '$.a.b.c', '$.a[0]', '$.a[last]', '$.a[1].b', '$.a[0, last]', '$.a[last, 0, 1]', '$.a[1000000, last]', '$.a[5, 2, 11, last]', '$.a[1 to 3]', '$.a[-1]', '$.a[last - 1]', '$.a[1.5]', '$[0].a', '$[last]', '$[*].a',
    '$.a[*].b', '$.a.*', '$.**.b', '$.a.**.*', '$.**{1}.b', '$.**{3 to last}.*', '$.**{last}.b', 'strict $.**.b', 'strict $.a.**.*', 'strict $.a[*].b', 'strict $.a[*].*', '$.a.**.b ? (@ > 2)', '$.**.b.size()', 'exists($.**.d)', '$.a ? (@ > 1)', '$.a ? (@.b == 2)', '$.a ? (@.b == $.a.b)', '$.a.b ? (@ == 1 || @ == 7)', '$ ? (@.a.b > 1 && @.a.c == "x")', '$.a.b > 1', '$.a == 1 || $.b == 2', '$.a.c starts with "x"', '$.a.c like_regex "^[xy]$"',
    'exists($.a.b)', '$.a.size()', '$.a.type()', '$.a.b.type()', '$.a.b + 1', '- $.a.b', '$.a.b.floor()', '$.a.keyvalue().key', '$.a.b.c[1].d', '$.a.a.a[last]', '$.a.c[last]', '$.a.c[299]', 'strict $.a.b', 'strict $.a[0]', 'strict $.a[last]', 'strict $.**.a[last]',
    '$.a[$.a[0] - 1]', '$.a ? (@[last] > 2)', '$.a.c ? (@[0] == 1).size()', '$.a.b ? (@ > 1.5)', '$.a == null', '$.a.b.double()', '$.a.a.a.a.a.a.a.a.a.a', 'lax $.a[0 to last]',
    '$.zzz', '$.a.zzz', '$.zzz.a', '$.zzz ? (@ > 1)', '$.zzz.type()', '$.a.zzz.size()', '- $.zzz', '$.zzz[0]', '$.a[0].zzz', 'strict $.zzz', 'exists($.zzz)', 'exists($.a)', 'exists($.a.b.c)', 'strict exists($.a.b)', '$.zzz == null', '$.zzz != 1', '!($.zzz == 1)',
    '($.a == 1) is unknown', '($.a.b != "x") is unknown', '1 < $.a', '$.a == $.b', '$.a.b == 1 && $.zzz == 2', '$.a.b != 1 || $.zzz == 2', '$.a ? (exists(@.b))', '$.a ? (@.b starts with "x")', '$ ? (@.a == "x")', '$.a.zzz starts with "x"',
    '$.a ? (!exists(@.zzz) && @.b > 0)', 'strict $.a.b > 1', '$ == 5', '$ > 4', '($.a > 1).type()', '$.a.b.c == 1', '$.a.c like_regex "y"']) p;
CREATE FUNCTION pg_temp.by_constant(path text, OUT n int, OUT found text[]) RETURNS SETOF record LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format('SELECT n::int, ARRAY[bson_path_query_array(b, %1$L, silent => true)::text, bson_path_query_first(b, %1$L, silent => true)::text,
        (b @? %1$L)::text, (b @@ %1$L)::text, (SELECT bson_agg(q)::text FROM bson_path_query(b, %1$L, silent => true) q)] FROM site_doc ORDER BY n', path);
END $$;
CREATE FUNCTION pg_temp.by_jsonb(path text, OUT n int, OUT found text[]) RETURNS SETOF record LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format('SELECT n::int, ARRAY[jsonb_path_query_array(d::jsonb, %1$L, silent => true)::text, jsonb_path_query_first(d::jsonb, %1$L, silent => true)::text,
        (d::jsonb @? %1$L)::text, (d::jsonb @@ %1$L)::text, (SELECT jsonb_agg(q)::text FROM jsonb_path_query(d::jsonb, %1$L, silent => true) q)] FROM site_doc ORDER BY n', path);
END $$;
SELECT p, n, c.found AS constant, j.found AS jsonb
  FROM site_path, LATERAL (SELECT * FROM pg_temp.by_constant(p)) c JOIN LATERAL (SELECT * FROM pg_temp.by_jsonb(p)) j USING (n)
 WHERE (c.found[3:4] IS DISTINCT FROM j.found[3:4]) OR c.found[1]::jsonb IS DISTINCT FROM j.found[1]::jsonb OR c.found[2]::jsonb IS DISTINCT FROM j.found[2]::jsonb OR c.found[5]::jsonb IS DISTINCT FROM j.found[5]::jsonb;
SELECT p, n
  FROM site_path, LATERAL (SELECT * FROM pg_temp.by_constant(p)) c JOIN site_doc USING (n)
 WHERE c.found[1] IS DISTINCT FROM bson_path_query_array(d::bson, p::jsonpath, silent => true)::text OR c.found[3] IS DISTINCT FROM (d::bson @? p::jsonpath)::text OR c.found[4] IS DISTINCT FROM (d::bson @@ p::jsonpath)::text;

-- a predicate of a constant path, which is made ready at its second row, holds where that of a path from a column does
CREATE TEMP TABLE tested AS
SELECT format('{"a": {"b": %s}, "c": 1}', b)::bson AS d FROM unnest(ARRAY['1', '2', '1.0', '1.5', '1.1', '{"$numberDecimal": "1.1"}', '{"$numberDecimal": "1.5"}', '9007199254740993', '9007199254740992.0',
    '{"$numberDouble": "NaN"}', '{"$numberDouble": "Infinity"}', '"x"', '"xy"', '""', '{"$symbol": "x"}', 'true', 'false', 'null', '{"$undefined": true}', '{"$date": "2022-03-03T12:13:14Z"}',
    '{"$oid": "0123456789abcdef01234567"}', '[1, 2]', '["x"]', '[]', '[[1]]', '{}', '{"c": 1}', '{"$minKey": 1}']) b
UNION ALL SELECT unnest(ARRAY['{}', '{"a": 1}', '{"a": []}', '{"a": [{"b": 1}, {"b": "x"}]}', '{"a": {}}', '{"c": 2, "a": {"b": 1}}', '[]', '[{"a": {"b": 1}}]', '1', '"x"', 'null']::bson[]);
CREATE TEMP TABLE test_path AS
SELECT format(whole, format('%s %s %s', '%1$s', op, literal)) AS p
  FROM unnest(ARRAY['==', '!=', '<', '<=', '>', '>=', 'starts with']) op,
       unnest(ARRAY['1', '1.5', '1.1', '9007199254740993', '1e400', '123456789012345678901234567890123456789', '"x"', '""', 'true', 'null', '$one', '$text', '$list', '@', '$.c']) literal,
       unnest(ARRAY['%1$s', '!(%1$s) || $.c == 2', '(%1$s) is unknown && $.c == 1', '$ ? (%1$s)', 'exists($.a ? (%1$s))']) whole
 WHERE op <> 'starts with' OR literal LIKE '"%' OR literal LIKE '$_%' AND literal <> '$.c';
CREATE FUNCTION pg_temp.test_differs(path text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    differing bigint;
BEGIN
    EXECUTE format($q$SELECT count(*) FROM tested, (SELECT %1$L::jsonpath AS p OFFSET 0) p, (SELECT '{"one": 1, "text": "x", "list": [1, "x"]}'::bson AS vars) v
        WHERE bson_path_match(d, %1$L, vars, true) IS DISTINCT FROM bson_path_match(d, p, vars, true) OR bson_path_exists(d, %1$L, vars, true) IS DISTINCT FROM bson_path_exists(d, p, vars, true)$q$, path) INTO differing;
    RETURN differing;
END $$;
SELECT count(*) > 1000 AS many, sum(pg_temp.test_differs(format(p, operand))) AS differing
  FROM test_path, unnest(ARRAY['$.a.b', '$', '$.a', '$.a.*']) operand WHERE p NOT LIKE '%@%';
SELECT count(*) > 500 AS many, sum(pg_temp.test_differs(format(p, operand))) AS differing
  FROM test_path, unnest(ARRAY['@.a.b', '@', '@.b', '@.a[*].b']) operand WHERE p LIKE '%?%';
-- chains of && and ||, in which each side may be true, false or unknown, short ones and those that are longer than what is made ready of other operators
\pset format unaligned
SELECT count(*), sum(pg_temp.test_differs(p)) AS differing, count(*) FILTER (WHERE (SELECT count(DISTINCT coalesce(bson_path_match(d, p::jsonpath, '{}', true)::text, 'unknown')) FROM tested) > 1) AS telling
  FROM (SELECT string_agg(side[1 + (i * step + first) % 9], operator ORDER BY i) AS p
          FROM (SELECT ARRAY['$.a == -1', '$.a > "x"', 'exists($.zzz)', '$.a.b == 7', '!($.a == 1)', '($.c == 1 && $.a == 1 && $.a.b > 0)', '($.c == 1 || $.a > "y" || $.a == 2)', '($.a == 1) is unknown', '$.a >= 1'] AS side) s,
               unnest(ARRAY[' || ', ' && ']) operator, unnest(ARRAY[3, 4, 250]) n, generate_series(0, 8) first, unnest(ARRAY[1, 2]) step, generate_series(1, n) i GROUP BY operator, n, first, step) chains;
\pset format aligned
-- and of toasted documents, whose members are read alone
CREATE TEMP TABLE small_ones AS SELECT d, d::text NOT LIKE '{%' OR d::text LIKE '%[%' AS with_array FROM tested;
CREATE TEMP TABLE filler AS SELECT bson_build_object('filler', repeat('abcdefgh', 1000)) AS filler;
TRUNCATE tested;
-- those with arrays, of which all is read, come last, as some after them are read whole, too
INSERT INTO tested SELECT d || filler FROM small_ones, filler WHERE NOT with_array;
ALTER TABLE tested ALTER d SET STORAGE EXTERNAL;
INSERT INTO tested SELECT filler || d FROM small_ones, filler WHERE NOT with_array;
INSERT INTO tested SELECT d || filler FROM small_ones, filler WHERE with_array;
SELECT count(*) FILTER (WHERE pg_column_size(d) < 1000) > 20 AS compressed, count(*) FILTER (WHERE pg_column_size(d) > 5000) > 30 AS external FROM tested;
SELECT count(*) > 300 AS many, sum(pg_temp.test_differs(format(p, operand))) AS differing
  FROM (SELECT p, row_number() OVER (ORDER BY p COLLATE "C") % 4 = 0 AS taken FROM test_path WHERE p NOT LIKE '%@%') t, unnest(ARRAY['$.a.b', '$', '$.a', '$.zzz']) operand WHERE taken;
SELECT count(*) > 50 AS many, sum(pg_temp.test_differs(format(p, operand))) AS differing
  FROM (SELECT p, row_number() OVER (ORDER BY p COLLATE "C") % 4 = 0 AS taken FROM test_path WHERE p LIKE '%?%') t, unnest(ARRAY['@.a.b', '@.b']) operand WHERE taken;
SELECT sum(pg_temp.test_differs(p)) AS differing FROM unnest(ARRAY['exists($.a)', 'exists($.a.b)', '$ ? (exists(@.a))', '$ ? (exists(@.a.b) && @.c == 1)', '$.a.b == 1 || $.a == 1 && $.filler starts with "ab"', '$ ? (@.filler starts with "ab" && @.a.b == 1)']) p;
-- a root array is unwrapped by a filter, though not read at first
TRUNCATE tested;
INSERT INTO tested SELECT d::bson || filler FROM unnest(ARRAY['{"a": 1}', '{"a": 1, "b": 2}', '[{"a": 1}, {"b": 2}]']) WITH ORDINALITY u(d, n), filler ORDER BY n;
SELECT p, pg_temp.test_differs(p) AS differing, ARRAY(SELECT bson_path_exists(d, p::jsonpath) FROM tested) AS holds FROM unnest(ARRAY['$ ? (@.a == 1)', '$ ? (@.a == 1 && @.b == 2)', '$.a == 1 && $.b == 2']) p;
SELECT d FROM small_ones WHERE bson_path_match(d, '$.zzz == $missing', '{}', true);  -- ERROR, whatever the documents

-- a chain of operators that has room on the stack for one row has it for several
DO $$
DECLARE
    n int := 2000;
BEGIN
    LOOP
        BEGIN
            EXECUTE format('SELECT %L::bson @@ %L::jsonpath', '{"a": 0}', (SELECT string_agg('$.a == ' || i, ' || ') FROM generate_series(1, n) i));
        EXCEPTION WHEN statement_too_complex THEN
            EXIT;
        END;
        n := n + 2000;
    END LOOP;
    EXECUTE format('SELECT d @@ %L::jsonpath FROM tested', (SELECT string_agg('$.a == ' || i, ' || ') FROM generate_series(1, (n - 2000) / 10 * 9) i));
END $$;
-- rows in FROM, which are stored at once, are those in a SELECT list, which are made one by one; a NULL is no row
SELECT p, n
  FROM site_path, site_doc
 WHERE ARRAY(SELECT q::text FROM bson_path_query(b, p::jsonpath, silent => true) q) IS DISTINCT FROM ARRAY(SELECT bson_path_query(b, p::jsonpath, silent => true)::text);
SELECT (SELECT count(*) FROM bson_path_query(NULL, '$')), (SELECT count(*) FROM (SELECT bson_path_query(NULL, '$')) x), (SELECT count(*) FROM bson_path_query('{}', '$.a')), (SELECT count(*) FROM (SELECT bson_path_query('{}', '$.a')) x);
SELECT n, q, ordinality FROM (VALUES (1, '[1, 2, 5]'::bson), (2, '[]'), (3, '[3, 4]')) v(n, d), bson_path_query(d, '$[*] ? (@ != $x)', format('{"x": %s}', n)::bson) WITH ORDINALITY q;
SELECT * FROM ROWS FROM (bson_path_query('[1, 2, 3]', '$[*]'), bson_path_query('[4]', '$[*]')) AS r(a, b);

-- functions that return rows share what they remember of a path: it is not lost while rows are still to come, and not after an error
SELECT a, b FROM (SELECT bson_path_query('[1, "x", null, true, {}]', '$[*].type()') AS a, bson_path_query('[1, 2, 3, 4, 5]', format('$[*] ? (@ > %s).type()', n)::jsonpath) AS b FROM generate_series(0, 5) n) x;
SELECT bson_path_query('{"a": "x"}', '$.a.double()');
SELECT bson_path_query('{"a": "1"}', '$.a.double()'), bson_path_query('{"a": 2}', '$.a.double()');
SELECT count(*) FROM generate_series(1, 200) n, bson_path_query('{"a": [1, 2, 3]}', format('$.a[*] ? (@ > %s)', n % 7)::jsonpath) q;
