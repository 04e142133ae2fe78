-- If this fails, bson_eval gives another value than MongoDB's server: field paths, literals, arithmetic, comparisons, conditions, variables.
-- Each group names the file of the server's source (8.0, src/mongo/db/pipeline unless a folder is given) that says so.
\i test/mongo/eval.sql

SELECT * FROM pg_temp.facts('field paths: expression.cpp, ExpressionFieldPath',
  '{"a": {"b": {"c": 1}}, "l": [{"b": 1}, {"b": [2, 3]}, {"x": 4}, 5, [{"b": 6}]], "n": null, "0": "zero", "d": [[{"e": 1}]], "": 1}',
  '"$a.b.c"', '"$a.x"', '"$a.b.c.d"', '"$l.b"', '"$l.0"', '"$l.b.c"', '"$n"', '"$n.x"', '"$0"', '"$d.e"', '"$$ROOT.a.b"', '"$$CURRENT.a.b"', '"$$REMOVE"', '["$x", "$n"]', '{"x": "$x", "n": "$n"}',
  '"$"', '"$$"', '"$a."', '"$.a"', '"$a..b"', '"$a.$b"', '"$$Xy"', '"$$x"', '"$$x.y" ~ {"x": [{"y": 1}, {"y": 2}]}', '"$$NOW"', '"$$NOW" ~ {"NOW": 5}', '"$$CLUSTER_TIME"', '"plain"', '""', '5', 'null', '{}', '[]');
SELECT * FROM pg_temp.facts('documents and operators: expression.cpp, Expression::parseObject, ExpressionObject', '{"a": 5}',
  '{"x": {"y": "$a", "z": ["$a", {"w": {"$add": ["$a", 1]}}]}}', '{"a.b": 1}', '{"": 1}', '{"x": 1, "$add": [1]}', '{"$add": [1], "x": 1}', '{"$nope": 1}', '{"$literal": "$a"}', '{"$const": {"$add": [1, 2]}}', '{"$literal": {"$x": 1}}', '{"$add": "$a"}', '{"$abs": ["$a", 1]}', '{"$abs": []}', '{"$function": {}}', '{"$rand": {}}');
SELECT * FROM pg_temp.facts('$let: expression.cpp, ExpressionLet', '{"a": 5}',
  '{"$let": {"vars": {"x": "$a"}, "in": {"$add": ["$$x", 1]}}}', '{"$let": {"vars": {"x": 1}, "in": {"$let": {"vars": {"x": 2, "y": "$$x"}, "in": ["$$x", "$$y"]}}}}', '{"$let": {"vars": {"CURRENT": {"a": 7}}, "in": ["$a", "$$ROOT.a"]}}', '{"$let": {"vars": {}, "in": 1}}',
  '{"$let": {"vars": {"X": 1}, "in": 1}}', '{"$let": {"vars": {"x-y": 1}, "in": 1}}', '{"$let": {"in": 1}}', '{"$let": {"vars": {"x": 1}}}', '{"$let": {"vars": {"x": 1}, "in": 1, "z": 1}}', '{"$let": 1}', '{"$let": {"vars": {"x": "$none"}, "in": {"v": "$$x"}}}');

-- Every operator of two values on each type
CREATE TEMP TABLE types (i serial, v bson);
INSERT INTO types (v) VALUES
  ('{"v": 5}'), ('{"v": {"$numberLong": "5"}}'), ('{"v": 5.5}'), ('{"v": {"$numberDecimal": "5.50"}}'), ('{"v": null}'), ('{}'), ('{"v": {"$undefined": true}}'),
  ('{"v": "s"}'), ('{"v": {"a": 1}}'), ('{"v": [1, 2]}'), ('{"v": {"$oid": "507f1f77bcf86cd799439011"}}'), ('{"v": true}'), ('{"v": {"$date": "2020-01-01T00:00:00Z"}}'),
  ('{"v": {"$timestamp": {"t": 5, "i": 6}}}'), ('{"v": {"$minKey": 1}}'), ('{"v": {"$numberDouble": "NaN"}}');
SELECT e AS expression, coalesce((v -> 'v')::text, 'nothing') AS v, pg_temp.ev(v, e) AS result
  FROM types, (VALUES (1, '{"$add": ["$v", 2]}'::bson), (2, '{"$subtract": ["$v", 2]}'), (3, '{"$multiply": ["$v", 2]}'), (4, '{"$divide": ["$v", 2]}'), (5, '{"$mod": ["$v", 2]}'), (6, '{"$abs": "$v"}'), (7, '{"$ceil": "$v"}'), (8, '{"$floor": "$v"}'), (9, '{"$round": "$v"}'), (10, '{"$trunc": "$v"}'),
    (11, '{"$eq": ["$v", 5]}'), (12, '{"$gt": ["$v", 5]}'), (13, '{"$lte": ["$v", null]}'), (14, '{"$cmp": ["$v", "$none"]}'), (15, '{"$not": "$v"}'), (16, '{"$and": ["$v", 1]}'), (17, '{"$ifNull": ["$v", "else"]}'), (18, '{"$cond": ["$v", 1, 2]}'), (19, '{"$isNumber": "$v"}'), (20, '{"$type": "$v"}')) AS o(n, e)
  ORDER BY n, i;
SELECT * FROM pg_temp.facts('arithmetic: expression.cpp, ExpressionAdd and its neighbours; platform/decimal128.cpp', '{"d": {"$date": "2020-01-01T00:00:00Z"}, "i": 2147483647, "l": 9223372036854775807, "m": -9223372036854775808, "t": {"$numberDecimal": "1"}}',
  '{"$add": []}', '{"$multiply": []}', '{"$add": ["$i", 1]}', '{"$add": ["$l", 1]}', '{"$add": ["$i", 1, -1]}', '{"$add": ["$d", 1000]}', '{"$add": [1.5, "$d"]}', '{"$add": ["$d", "$d"]}', '{"$add": ["$d", "$l"]}', '{"$add": [0.1, 0.2]}', '{"$add": ["$t", 0.1]}', '{"$add": [null, "x"]}', '{"$add": ["x", null]}',
  '{"$subtract": ["$d", 1]}', '{"$subtract": ["$d", "$d"]}', '{"$subtract": [1, "$d"]}', '{"$subtract": ["$m", 1]}', '{"$subtract": ["$t", 0.5]}', '{"$multiply": ["$i", "$i"]}', '{"$multiply": ["$l", 2]}', '{"$multiply": [0.5, "$t"]}',
  '{"$divide": [7, 2]}', '{"$divide": ["$t", 3]}', '{"$divide": ["$t", 8]}', '{"$divide": [1, 0]}', '{"$divide": ["$t", 0]}', '{"$divide": [{"$numberDecimal": "600"}, {"$numberDecimal": "2.00"}]}', '{"$divide": [{"$numberDecimal": "1"}, {"$numberDecimal": "9999999999999999999999999999999999"}]}', '{"$divide": [{"$numberDecimal": "2E+6000"}, {"$numberDecimal": "3E-6000"}]}',
  '{"$mod": [-7, 3]}', '{"$mod": [7.5, 2]}', '{"$mod": ["$m", -1]}', '{"$mod": [1, 0]}', '{"$mod": [{"$numberDecimal": "-7.5"}, 2]}', '{"$mod": [{"$numberDecimal": "1E+100"}, 7]}', '{"$abs": "$m"}', '{"$abs": -2147483648}',
  '{"$round": 2.5}', '{"$round": [{"$numberDecimal": "1.298"}, 33]}', '{"$round": [{"$numberDecimal": "1.298"}, 34]}', '{"$trunc": [{"$numberDecimal": "1.298"}, 100]}', '{"$round": [{"$numberDecimal": "0"}, 100]}', '{"$round": [1234.5678, -2]}', '{"$round": [1.005, 2]}', '{"$round": [1250, -2]}', '{"$round": [2147483647, -1]}', '{"$round": ["$l", -1]}', '{"$round": [1.5, 101]}', '{"$round": [1.5, 0.5]}', '{"$round": [{"$numberDecimal": "2.345"}, 2]}', '{"$trunc": [-1.79, 1]}', '{"$trunc": [179, -1]}',
  '{"$ceil": -1.5}', '{"$floor": {"$numberDecimal": "-1.5"}}', '{"$ceil": {"$numberDecimal": "1.1"}}', '{"$floor": {"$numberDecimal": "Infinity"}}');
SELECT * FROM pg_temp.facts('comparisons and conditions: expression.cpp', '{"a": 1, "n": null}',
  '{"$eq": ["$a", 1.0]}', '{"$eq": ["$n", "$none"]}', '{"$lt": ["$none", null]}', '{"$lt": [{"$minKey": 1}, "$none"]}', '{"$eq": ["$none", {"$undefined": true}]}', '{"$cmp": [{"$undefined": true}, "$none"]}', '{"$gte": ["$none", {"$undefined": true}]}', '{"$gt": [[], {}]}', '{"$gt": ["a", 9]}', '{"$ne": ["$a", {"$numberDecimal": "1.0"}]}', '{"$cmp": ["b", "a"]}', '{"$eq": [1]}',
  '{"$and": []}', '{"$or": []}', '{"$and": [1, "x", [], {}]}', '{"$and": [1, 0, {"$divide": ["$a", 0]}]}', '{"$or": [0, null, "$none", "$a", {"$divide": ["$a", 0]}]}', '{"$or": [0.0, {"$numberDecimal": "0.00"}]}', '{"$and": {"$numberDouble": "NaN"}}', '{"$not": [[false]]}', '{"$not": [1, 2]}',
  '{"$cond": {"if": "$a", "then": "yes", "else": "no"}}', '{"$cond": [true, 1]}', '{"$cond": {"if": 1, "then": 2}}', '{"$cond": {"if": 1, "then": 2, "else": 3, "x": 4}}', '{"$ifNull": ["$none", "$n", 7]}', '{"$ifNull": ["$none", "$none"]}', '{"$ifNull": [1]}',
  '{"$switch": {"branches": [{"case": {"$gt": ["$a", 1]}, "then": "more"}, {"case": {"$eq": ["$a", 1]}, "then": "one"}], "default": "less"}}', '{"$switch": {"branches": [{"case": false, "then": 1}], "default": "$none"}}', '{"$switch": {"branches": [{"case": "$none", "then": 1}]}}', '{"$switch": {"branches": []}}', '{"$switch": {"branches": [{"case": 1}]}}', '{"$switch": {"x": 1}}');

-- {"$switch": {"branches": [...], "branches": [...]}} and {"$switch": {"branches": [...], "default": 2, "default": 3}}
SELECT pg_temp.ev('{}', e) FROM unnest('{\\x6300000003247377697463680055000000046272616e63686573001e0000000330001600000008636173650001107468656e00010000000000046272616e63686573001e0000000330001600000008636173650001107468656e000200000000000000,
  \\x5500000003247377697463680047000000046272616e63686573001e0000000330001600000008636173650001107468656e000100000000001064656661756c7400020000001064656661756c7400030000000000}'::bson[]) AS e;

-- The variables are a document; NULL arguments; a call site whose expression and variables change
SELECT bson_eval('{}', '1', '[1]');
SELECT bson_eval(NULL, '1') IS NULL AS no_document, bson_eval('{}', NULL) IS NULL AS no_expression, bson_eval('5', '"$$ROOT"') AS a_number, bson_eval('[{"a": 1}, {"a": 2}]', '"$a"') AS an_array;
SELECT i, bson_eval(v, CASE WHEN i % 2 = 0 THEN '{"$type": "$v"}'::bson ELSE '["$v", "$$i"]' END, bson_build_object('i', i)) FROM types WHERE i < 5 ORDER BY i;
-- Deep results are refused as deep documents are
SELECT pg_temp.ev('{}', (repeat('{"$let": {"vars": {"x": ["$$x"]}, "in": ', 200) || '"$$x"' || repeat('}}', 200))::bson, '{"x": 1}') AS nested \gset
SELECT length(:'nested');
SELECT left(pg_temp.ev(('{"x": ' || repeat('[', 1000) || repeat(']', 1000) || '}')::bson, (repeat('[', 100) || '"$x"' || repeat(']', 100))::bson), 60);

-- A call site remembers where the fields of a path were; documents of other shapes between do not mislead it
SELECT d, bson_eval(d, '["$a.b.c", "$a.0", "$a.b"]') FROM (VALUES ('{"x": 1, "a": {"b": {"c": 1}}}'::bson), ('{"x": 2, "a": {"b": {"c": 2}}}'), ('{"x": 3, "a": [{"b": {"c": 3}}, 4, {"b": [{"c": 5}]}]}'),
  ('{"a": {"0": 6, "b": {"c": 6}}, "x": 7}'), ('{"x": 8}'), ('{"x": 9, "a": {"b": 9}}'), ('{"long name": "s", "x": 10, "a": {"b": [[{"c": 10}], {"c": 11}]}}'), ('{"x": 12, "a": {"b": {"c": 12}}}'), ('{"a": [[{"0": 1}], {"0": 2}]}')) AS v(d);
-- Several paths are looked for in one walk, in any order; of duplicate keys the first counts, and an array as the root is as elsewhere
SELECT d, bson_eval(d, '["$b", "$a", "$b.c", "$c.d", "$a"]') FROM (VALUES ('\x1a00000010610001000000106200020000001061000300000000'::bson), ('{"c": {"d": 1}, "b": {"c": 2}}'), ('{"b": [{"c": 3}, 4], "a": "x", "c": [[{"d": 5}], {"d": 6}]}'), ('{}'), ('[{"a": 7}, {"a": 8, "b": {"c": 9}}]'), ('10')) AS v(d);
-- The same one by one, if they begin with at most two names
SELECT d, bson_eval(d, '["$b.c", "$a", "$b", "$b.c"]') FROM (VALUES ('\x1a00000010610001000000106200020000001061000300000000'::bson), ('{"c": {"d": 1}, "b": {"c": 2}}'), ('{"b": [{"c": 3}, 4], "a": "x"}'), ('{}'), ('[{"a": 7}, {"a": 8, "b": {"c": 9}}]'), ('10')) AS v(d);
SELECT d, bson_eval(d, '{"$add": ["$1", "$2", "$3", "$4", "$5", "$6", "$7", "$8", "$9", "$10", "$1"]}') FROM (VALUES ('{"10": 1, "9": 2, "8": 3, "7": 4, "6": 5, "5": 6, "4": 7, "3": 8, "2": 9, "1": 10}'::bson), ('{"1": 1}')) AS v(d);
SELECT bson_eval(d, '{"$mod": ["$a", "$b"]}'), bson_eval(d, '{"$subtract": ["$a", "$b"]}') FROM (VALUES ('{"a": 7, "b": 3}'::bson), ('{"a": -7, "b": 3}'), ('{"a": 7, "b": -3}'), ('{"a": -2147483648, "b": -1}'), ('{"a": -2147483648, "b": 1}')) AS v(d);
