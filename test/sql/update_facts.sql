-- If this fails, an update has another result than in MongoDB's server for some type of value at some kind of path.
-- Each group names the file of the server's source (8.0, src/mongo/db/update unless a folder is given) that says so.
CREATE FUNCTION pg_temp.up(d bson, u bson, q bson DEFAULT NULL, f bson DEFAULT NULL) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  detail text;
BEGIN
  RETURN bson_apply(d, u, q, f, '2024-02-03 04:05:06.789Z')::text;
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  RETURN SQLSTATE || ': ' || SQLERRM || ' - ' || detail;
END $$;

-- Every operator on a value of every type, and where there is none: set_node, unset_node, arithmetic_node, compare_node, bit_node, array_culling_node, pop_node, push_node, addtoset_node
CREATE TEMP TABLE types (i serial, v bson);
INSERT INTO types (v) VALUES
  ('{"v": {"$minKey": 1}}'), ('{"v": null}'), ('{"v": 5}'), ('{"v": {"$numberLong": "5"}}'), ('{"v": 5.5}'), ('{"v": {"$numberDecimal": "5.50"}}'),
  ('{"v": "s"}'), ('{"v": {"$symbol": "s"}}'), ('{"v": {"a": 1}}'), ('{"v": [1, [2], {"a": 1}]}'), ('{"v": {"$binary": {"base64": "AQI=", "subType": "00"}}}'),
  ('{"v": {"$oid": "507f1f77bcf86cd799439011"}}'), ('{"v": true}'), ('{"v": {"$date": "2020-01-01T00:00:00Z"}}'), ('{"v": {"$timestamp": {"t": 5, "i": 6}}}'),
  ('{"v": {"$regularExpression": {"pattern": "x", "options": "i"}}}'), ('{"v": {"$undefined": true}}'), ('{"v": {"$code": "x"}}'), ('{"v": {"$maxKey": 1}}'), ('{}');
SELECT u, coalesce((v -> 'v')::text, 'nothing') AS v, pg_temp.up(v, u) AS result
  FROM types, (VALUES (1, '{"$set": {"v": 7}}'::bson), (2, '{"$unset": {"v": ""}}'), (3, '{"$inc": {"v": 2}}'), (4, '{"$mul": {"v": 2}}'), (5, '{"$bit": {"v": {"xor": 3}}}'),
    (6, '{"$min": {"v": 5}}'), (7, '{"$max": {"v": 5}}'), (8, '{"$rename": {"v": "w"}}'), (9, '{"$push": {"v": 7}}'), (10, '{"$addToSet": {"v": 1}}'),
    (11, '{"$pull": {"v": 1}}'), (12, '{"$pullAll": {"v": [1]}}'), (13, '{"$pop": {"v": 1}}'), (14, '{"$currentDate": {"v": true}}')) AS o(n, u)
  ORDER BY n, i;

-- The way there: missing, null, a scalar, a document, an array by position and by name, behind an array's end
SELECT u, d, pg_temp.up(d, u) AS result
  FROM (VALUES (1, '{}'::bson), (2, '{"a": null}'), (3, '{"a": 5}'), (4, '{"a": {}}'), (5, '{"a": {"0": [1]}}'), (6, '{"a": []}'), (7, '{"a": [[1]]}'), (8, '{"a": [5]}'), (9, '{"a": [{"b": [1]}]}')) AS v(m, d),
    (VALUES (1, '{"$set": {"a.0": 7}}'::bson), (2, '{"$set": {"a.0.b": 7}}'), (3, '{"$set": {"a.b": 7}}'), (4, '{"$set": {"a.2": 7}}'), (5, '{"$unset": {"a.0": 7}}'), (6, '{"$unset": {"a.b.c": 7}}'),
      (7, '{"$pull": {"a.0": 1}}'), (8, '{"$pull": {"a.b.c": 1}}'), (9, '{"$pop": {"a.0.b": 1}}'), (10, '{"$pullAll": {"a.b": [1]}}'), (11, '{"$push": {"a.0.b": 7}}'),
      (12, '{"$rename": {"a.b": "x"}}'), (13, '{"$rename": {"a.0": "x"}}'), (14, '{"$set": {"x": 7}, "$rename": {"x.y": "a.z"}}'), (15, '{"$set": {"a.$[].b": 7}}')) AS o(n, u)
  ORDER BY n, m;

CREATE FUNCTION pg_temp.facts(title text, VARIADIC cases text[]) RETURNS TABLE (document text, update text, result text) LANGUAGE sql AS $$
  SELECT c[1], c[2] || coalesce('  ' || c[3], '') || coalesce('  ' || c[4], ''), pg_temp.up(c[1]::bson, c[2]::bson, c[3]::bson, c[4]::bson)
    FROM unnest(cases) AS one, string_to_array(one, ' ~ ') AS c $$;

SELECT * FROM pg_temp.facts('_id does not change: modifier_node, object_replace_executor, rename_node, pop_node',
  '{"_id": 1} ~ {"$set": {"_id": 2}}', '{"_id": 1} ~ {"$set": {"_id": 1}}', '{"_id": 1} ~ {"$set": {"_id": 1.0}}', '{"_id": {"a": 1}} ~ {"$set": {"_id.a": 2}}', '{"_id": {"a": 1}} ~ {"$set": {"_id.b": 2}}',
  '{"_id": 1} ~ {"$unset": {"_id": 1}}', '{"_id": 1} ~ {"$inc": {"_id": 1}}', '{"_id": 1} ~ {"$inc": {"_id": 0}}', '{"_id": 1} ~ {"$min": {"_id": 0}}', '{"_id": 1} ~ {"$min": {"_id": 3}}',
  '{"_id": 1} ~ {"$rename": {"_id": "a"}}', '{"_id": 1, "a": 2} ~ {"$rename": {"a": "_id"}}', '{"_id": 1, "a": 1.0} ~ {"$rename": {"a": "_id"}}', '{"_id": {"a": [1]}} ~ {"$pop": {"_id.a": 1}}',
  '{"_id": 1} ~ {"_id": 2, "b": 1}', '{"_id": 1} ~ {"b": 1, "_id": 1.0}', '{"a": 1, "_id": 5} ~ {"b": 1}', '{"a": 1} ~ {"b": 1, "_id": 3}', '{"a": 1} ~ {"$set": {"_id": 3}}', '{"a": 1, "_id": 3} ~ {"$set": {"b": 3}}');
SELECT * FROM pg_temp.facts('the order of new fields: path_support (names by byte, numbers by value), update_object_node',
  '{} ~ {"$set": {"b": 1, "a": 2, "B": 3, "10": 4, "9": 5, "01": 6}}', '{"z": 0} ~ {"$inc": {"y": 1}, "$set": {"x": 1}}', '{} ~ {"$set": {"a.b": 1, "a.a": 2}}', '{} ~ {"$set": {"a.c": 1}, "$unset": {"a.b": 1}}',
  '{} ~ {"$unset": {"a.b": 1}}', '{"a": {"z": 1}} ~ {"$set": {"a.y": 1, "a.x": 1}}', '{"a": [0]} ~ {"$set": {"a.10": 10, "a.9": 9, "a.2.x": 2}}', '{"a": []} ~ {"$set": {"a.1500000": 1}, "$unset": {"a.1600000": 1}, "$push": {"a": 1}}');
SELECT * FROM pg_temp.facts('names: field_checker, storage_validation (a dollar begins no field of the document itself)',
  '{} ~ {"$set": {"$a": 1}}', '{} ~ {"$setOnInsert": {"$a": 1}}', '{} ~ {"$set": {"a.$b": 1}}', '{"$a": 1} ~ {"$unset": {"$a": 1}}', '{"$a": 1} ~ {"$rename": {"$a": "b"}}', '{"a": 1} ~ {"$rename": {"a": "$b"}}', '{} ~ {"$set": {"a": {"$b": 1}}}',
  '{} ~ {"a": {"$b": 1}}', '{} ~ {"$set": {"": 1}}', '{} ~ {"$set": {"a.": 1}}', '{} ~ {"$set": {".a": 1}}', '{} ~ {"$set": {"$": 1}}', '{} ~ {"$set": {"$[]": 1}}', '{} ~ {"$set": {"a.$.b.$": 1}}');
SELECT * FROM pg_temp.facts('two operators on one value: update_object_node',
  '{} ~ {"$set": {"a": 1}, "$inc": {"a": 1}}', '{} ~ {"$set": {"a": 1, "a.b": 1}}', '{} ~ {"$set": {"a.b": 1}, "$unset": {"a": 1}}', '{} ~ {"$set": {"a.b": 1, "ab": 1, "a!": 1, "a.c": 1}}', '{} ~ {"$rename": {"a": "a.b"}}',
  '{} ~ {"$rename": {"a": "a"}}', '{} ~ {"$rename": {"a": "b", "b": "c"}}', '{} ~ {"$set": {"a.$[].b": 1, "a.0.b": 1}}', '{"a": [{}]} ~ {"$set": {"a.$[].b": 1, "a.$[].c": 1}}');
SELECT * FROM pg_temp.facts('sums: arithmetic_node, util/safe_num.cpp, platform/decimal128.cpp (a double becomes a decimal of 15 digits)',
  '{"a": 2147483647} ~ {"$inc": {"a": 1}}', '{"a": {"$numberLong": "1"}} ~ {"$inc": {"a": 1}}', '{"a": 9223372036854775807} ~ {"$inc": {"a": 1}}', '{"a": 9223372036854775807} ~ {"$inc": {"a": 1.0}}', '{"a": 5} ~ {"$inc": {"a": 0}}',
  '{"a": 0.1} ~ {"$inc": {"a": {"$numberDecimal": "1"}}}', '{"a": {"$numberDecimal": "9999999999999999999999999999999999"}} ~ {"$inc": {"a": {"$numberDecimal": "0.6"}}}',
  '{"a": {"$numberDecimal": "9.999999999999999999999999999999999E+6144"}} ~ {"$mul": {"a": 10}}', '{"a": {"$numberDecimal": "1.10"}} ~ {"$inc": {"a": 0}}', '{"a": {"$numberDecimal": "Infinity"}} ~ {"$inc": {"a": {"$numberDecimal": "-Infinity"}}}',
  '{"a": {"$numberDecimal": "Infinity"}} ~ {"$mul": {"a": 0}}', '{"a": {"$numberDecimal": "1.1"}} ~ {"$mul": {"a": {"$numberDecimal": "1.10"}}}', '{"a": {"$numberDecimal": "3"}} ~ {"$mul": {"a": {"$numberDecimal": "3333333333333333333333333333333335"}}}',
  '{"a": {"$numberDecimal": "1E-6176"}} ~ {"$mul": {"a": {"$numberDecimal": "0.5"}}}', '{"a": {"$numberDecimal": "15E-6176"}} ~ {"$mul": {"a": {"$numberDecimal": "0.1"}}}', '{"a": {"$numberDecimal": "1E+6000"}} ~ {"$inc": {"a": {"$numberDecimal": "-1E-6000"}}}',
  '{} ~ {"$mul": {"a": {"$numberLong": "5"}, "b": 2.5, "c": {"$numberDecimal": "2.50"}, "d": 3}}', '{"a": {"$numberDouble": "NaN"}} ~ {"$inc": {"a": 1}}', '{"a": 4294967296} ~ {"$mul": {"a": 4294967296}}', '{"a": 65536} ~ {"$mul": {"a": 65536}}');
SELECT * FROM pg_temp.facts('$bit: bit_node',
  '{"a": 13} ~ {"$bit": {"a": {"and": 10}}}', '{"a": 13} ~ {"$bit": {"a": {"or": 16, "xor": 1}}}', '{"a": 13} ~ {"$bit": {"a": {"and": {"$numberLong": "12"}}}}', '{} ~ {"$bit": {"a": {"or": 5}, "b": {"and": {"$numberLong": "5"}}}}',
  '{"a": 1.0} ~ {"$bit": {"a": {"or": 5}}}', '{"a": 1} ~ {"$bit": {"a": {"or": 5.0}}}', '{"a": 1} ~ {"$bit": {"a": {"nor": 5}}}', '{"a": 1} ~ {"$bit": {"a": {}}}', '{"a": 1} ~ {"$bit": {"a": 5}}');
SELECT * FROM pg_temp.facts('$rename: rename_node',
  '{"a": 1, "b": 1.0} ~ {"$rename": {"a": "b"}}', '{"a": 1, "b": 2, "c": 3} ~ {"$rename": {"a": "b"}}', '{"a": [1]} ~ {"$rename": {"a.0": "b"}}', '{"a": [1]} ~ {"$rename": {"a.5": "b"}}', '{"a": 1, "b": [1]} ~ {"$rename": {"a": "b.0"}}', '{"b": [1]} ~ {"$rename": {"a": "b.0"}}',
  '{"a": 1, "b": [{}]} ~ {"$rename": {"a": "b.0.c"}}', '{"a": 1, "b": 2} ~ {"$rename": {"a": "b.c"}}', '{"b": 2} ~ {"$rename": {"a": "b.c"}}', '{"a": {"b": 1, "c": 2}} ~ {"$rename": {"a.b": "a.d"}}', '{"a": {"b": 1}} ~ {"$rename": {"a.b": "c.d.e"}}',
  '{"a": 1} ~ {"$rename": {"a.b": "c"}}', '{"a": [1]} ~ {"$rename": {"a.b": "c"}}', '{"a": 1} ~ {"$rename": {"a": "b.$[]"}}', '{"a": 1} ~ {"$rename": {"a": "b.$"}}', '{"a": 1} ~ {"$rename": {"a": ""}}', '{"a": 1} ~ {"$rename": {"a": 5}}');
SELECT * FROM pg_temp.facts('$push: push_node, pattern_cmp',
  '{"a": [3, 1]} ~ {"$push": {"a": {"$each": [2], "$sort": 1}}}', '{"a": [3, 1]} ~ {"$push": {"a": {"$each": [2, "x", null, [0]], "$sort": -1}}}', '{"a": [3, 1, 2]} ~ {"$push": {"a": {"$each": [], "$sort": 1, "$slice": -2}}}',
  '{"a": [{"x": 1, "y": 2}, {"x": 2, "y": 1}, {"y": 0}, 5]} ~ {"$push": {"a": {"$each": [{"x": 1, "y": 1}], "$sort": {"x": 1, "y": -1}}}}', '{"a": [{"x": {"y": 2}}, {"x": {"y": 1}}]} ~ {"$push": {"a": {"$each": [], "$sort": {"x.y": 1}}}}',
  '{"a": [1, 2]} ~ {"$push": {"a": {"$each": [8, 9], "$position": -1}}}', '{"a": [1, 2]} ~ {"$push": {"a": {"$each": [8], "$position": -9}}}', '{"a": [1, 2]} ~ {"$push": {"a": {"$each": [8], "$position": 9}}}', '{"a": [1, 2, 3]} ~ {"$push": {"a": {"$each": [0], "$position": 0, "$slice": 2}}}',
  '{"a": [1]} ~ {"$push": {"a": {"$slice": 1, "$each": [2]}}}', '{"a": [1]} ~ {"$push": {"a": {"$each": [2], "$slice": -9223372036854775808}}}', '{"a": [1]} ~ {"$push": {"a": {"$each": [2], "$slice": 1.5}}}', '{"a": [1]} ~ {"$push": {"a": {"$each": [2], "$slice": 1.0}}}',
  '{"a": [1]} ~ {"$push": {"a": {"$each": [2], "$position": "x"}}}', '{"a": [1]} ~ {"$push": {"a": {"$each": [2], "$sort": {}}}}', '{"a": [1]} ~ {"$push": {"a": {"$each": [2], "$sort": {"a": 2}}}}', '{"a": [1]} ~ {"$push": {"a": {"$each": [2], "$sort": {"a..b": 1}}}}',
  '{"a": [1]} ~ {"$push": {"a": {"$each": [2], "x": 1}}}', '{"a": [1]} ~ {"$push": {"a": {"$each": 2}}}', '{"a": [1]} ~ {"$push": {"a": {"$slice": 2}}}', '{} ~ {"$push": {"a": {"$each": [3, 2, 1], "$sort": 1, "$slice": 2}, "b": {"$each": []}}}');
SELECT * FROM pg_temp.facts('$addToSet: addtoset_node',
  '{"a": [1, {"x": 1, "y": 2}]} ~ {"$addToSet": {"a": {"y": 2, "x": 1}}}', '{"a": [1, {"x": 1}]} ~ {"$addToSet": {"a": {"x": 1.0}}}', '{"a": [1]} ~ {"$addToSet": {"a": {"$each": [2, 2.0, 1, 3, 2]}}}', '{"a": [1]} ~ {"$addToSet": {"a": [2, 3]}}', '{} ~ {"$addToSet": {"a": {"$each": []}}}',
  '{"a": [1]} ~ {"$addToSet": {"a": {"x": 1, "$each": [2]}}}', '{"a": [1]} ~ {"$addToSet": {"a": {"$each": [2], "$slice": 1}}}', '{"a": [1]} ~ {"$addToSet": {"a": {"$each": 2}}}', '{"a": [null]} ~ {"$addToSet": {"a": {"$undefined": true}}}');
SELECT * FROM pg_temp.facts('$pull: pull_node (operators see the element as a field, a query sees documents only)',
  '{"a": [[1, 5], 5, [[5]]]} ~ {"$pull": {"a": {"$gt": 3}}}', '{"a": ["x", ["x"], {"x": "x"}, 5]} ~ {"$pull": {"a": {"$regularExpression": {"pattern": "x", "options": ""}}}}', '{"a": [1, 2, 3, 4]} ~ {"$pull": {"a": {"$gt": 1, "$lt": 4}}}',
  '{"a": [{"x": 1}, {"x": 2}, {"x": 3}, 1]} ~ {"$pull": {"a": {"$or": [{"x": 1}, {"x": {"$gt": 2}}]}}}', '{"a": [{"x": 1, "y": 1}, {"x": 1}]} ~ {"$pull": {"a": {"$and": [{"x": 1}, {"y": 1}]}}}', '{"a": [{"x": 1}, {"x": 2}]} ~ {"$pull": {"a": {"$nor": [{"x": 1}]}}}',
  '{"a": [{"x": [1, 2]}, {"x": [3]}]} ~ {"$pull": {"a": {"x": {"$elemMatch": {"$gt": 2}}}}}', '{"a": [{"x": 1, "y": 2}, {"y": 2, "x": 1}]} ~ {"$pull": {"a": {"y": 2}}}', '{"a": [[1, 2], [1], 1]} ~ {"$pull": {"a": [1]}}', '{"a": [{}, 1, [{}]]} ~ {"$pull": {"a": {}}}',
  '{"a": [1, null, "x", [null]]} ~ {"$pull": {"a": {"$in": [1, null]}}}', '{"a": [1, null, 2]} ~ {"$pull": {"a": {"$ne": 1}}}', '{"a": [1, [1], 2]} ~ {"$pull": {"a": {"$elemMatch": {"$eq": 1}}}}', '{"a": [1]} ~ {"$pull": {"a": {"$foo": 1}}}', '{"a": [5, 5.0, "5"]} ~ {"$pullAll": {"a": [5]}}',
  '{"a": [{"x": 1}, {"x": 1, "y": 2}]} ~ {"$pullAll": {"a": [{"x": 1}]}}', '{"a": [1]} ~ {"$pullAll": {"a": 1}}', '{"a": [1, 2]} ~ {"$pop": {"a": -1}}', '{"a": [1, 2]} ~ {"$pop": {"a": 1.0}}', '{"a": [1, 2]} ~ {"$pop": {"a": 2}}', '{"a": [1, 2]} ~ {"$pop": {"a": true}}');
SELECT * FROM pg_temp.facts('$currentDate: current_date_node',
  '{} ~ {"$currentDate": {"a": true, "b": false, "c": {"$type": "date"}, "d": {"$type": "timestamp"}}}', '{} ~ {"$currentDate": {"a": {"$type": "date", "x": 1}}}', '{} ~ {"$currentDate": {"a": {}}}', '{} ~ {"$currentDate": {"a": {"$type": 9}}}', '{} ~ {"$currentDate": {"a": 1}}');
SELECT * FROM pg_temp.facts('$: update_object_node, matcher/path.cpp (the outermost array counts)',
  '{"a": [1, 5, 7]} ~ {"$set": {"a.$": 0}} ~ {"a": {"$gt": 4}}', '{"a": [{"b": 1}, {"b": 2}]} ~ {"$inc": {"a.$.b": 10, "a.$.c": 1}} ~ {"a.b": 2}', '{"a": [{"b": 1, "c": 1}, {"b": 1, "c": 2}]} ~ {"$unset": {"a.$": 1}} ~ {"a": {"$elemMatch": {"b": 1, "c": 2}}}',
  '{"a": [{"b": [1, 2]}, {"b": [3]}]} ~ {"$set": {"a.$.b": 0}} ~ {"a.b": 3}', '{"a": [1, 2], "b": [5, 6]} ~ {"$set": {"a.$": 0}} ~ {"a": 1, "b": 6}', '{"a": [1, 2]} ~ {"$set": {"a.$": 0}} ~ {"$or": [{"a": 5}, {"a": 2}]}', '{"a": [1, 2]} ~ {"$set": {"a.$": 0}} ~ {"_id": null}', '{"a": [1, 2]} ~ {"$set": {"a.$": 0}}',
  '{"a": [1, 2]} ~ {"$set": {"a.$": 0}} ~ {"a": 3}', '{"a": ["x", "Y"]} ~ {"$set": {"a.$": 0}} ~ {"a": {"$regex": "y", "$options": "i"}}', '{"a": [1, 2], "b": {"1": "x"}} ~ {"$set": {"b.$": "y"}} ~ {"a": 2}', '{"a": [{"b": 1}, {"b": 2}]} ~ {"$set": {"a.$.c": 1, "a.1.d": 2, "a.0.e": 3}} ~ {"a.b": 2}', '{"a": [1]} ~ {"$set": {"a.$": 1, "a.0": 2}} ~ {"a": 1}', '{"a": [1, 2]} ~ {"$push": {"b.$": 1}} ~ {"a": 2}');
SELECT * FROM pg_temp.facts('$ below $or: matcher/expression_optimizer (values of one path are an $in, any other $or of several branches finds no element)',
  '{"a": [1, 2]} ~ {"$set": {"a.$": 0}} ~ {"$or": [{"a": {"$in": [2]}}, {"a": {"$in": [5]}}]}', '{"a": [1, 2]} ~ {"$set": {"a.$": 0}} ~ {"$or": [{"a": {"$in": [2]}}, {"a": 5}]}', '{"a": [1, 2]} ~ {"$set": {"a.$": 0}} ~ {"$or": [{"a": 5}, {"$and": [{"a": 2}]}, {"$or": [{"a": {"$eq": 3}}]}]}', '{"a": [1, 2]} ~ {"$set": {"a.$": 0}} ~ {"$or": [{"a": {"$gt": 1}}, {"b": {"$in": []}}]}', '{"a": [1, 2]} ~ {"$set": {"a.$": 0}} ~ {"$or": [{"a": {"$in": [2, 5]}}]}', '{"a": [1, 2]} ~ {"$set": {"a.$": 0}} ~ {"$or": [{"a": {"$in": [2, 5]}}, {"a": {"$in": [1]}}]}', '{"a": [1, 2]} ~ {"$set": {"a.$": 0}} ~ {"$or": [{"a": {"$gt": 1}}, {"a": 2}]}', '{"a": [1, 2]} ~ {"$set": {"a.$": 0}} ~ {"$or": [{"a": {"$in": [2]}}, {"b": {"$in": [5]}}]}', '{"a": [1, 2]} ~ {"$set": {"a.$": 0}} ~ {"$or": [{"a": 2}, {}]}');
SELECT * FROM pg_temp.facts('$[] and $[name]: update_array_node, array_filter',
  '{"a": [1, 5, 7]} ~ {"$inc": {"a.$[]": 1}}', '{"a": [1, 5, 7]} ~ {"$set": {"a.$[e]": 0}} ~ {} ~ [{"e": {"$gt": 4}}]', '{"a": [{"b": [1, 2]}, {"b": [3]}]} ~ {"$mul": {"a.$[].b.$[x]": 10}} ~ {} ~ [{"x": {"$gt": 1}}]',
  '{"a": [{"b": 1, "c": 1}, {"b": 2, "c": 1}]} ~ {"$set": {"a.$[e].c": 9}} ~ {} ~ [{"$or": [{"e.b": 2}, {"e.b": 3}]}]', '{"a": [{"b": 1}, {"b": 2}]} ~ {"$set": {"a.$[e].x": 1, "a.$[].y": 2, "a.$[f].z": 3}} ~ {} ~ [{"e.b": 1}, {"f.b": {"$gt": 0}}]', '{"a": [1, 2]} ~ {"$set": {"a.$[e]": 0, "a.$[f]": 1}} ~ {} ~ [{"e": 1}, {"f": 1}]',
  '{"a": [1, 2]} ~ {"$set": {"a.$[e]": 0, "a.$[f]": 1}} ~ {} ~ [{"e": 1}, {"f": 2}]', '{"a": [1, 2]} ~ {"$unset": {"a.$[]": 1}}', '{"a": []} ~ {"$set": {"a.$[]": 1}}', '{} ~ {"$set": {"a.$[]": 1}}', '{"a": 5} ~ {"$set": {"a.$[]": 1}}', '{"a": {"0": 5}} ~ {"$set": {"a.$[]": 1}}', '{} ~ {"$unset": {"a.b.$[]": 1}}',
  '{"a": [1]} ~ {"$set": {"a.$[e]": 1}}', '{"a": [1]} ~ {"$set": {"a.0": 1}} ~ {} ~ [{"e": 1}]', '{"a": [1]} ~ {"$set": {"a.$[e]": 1}} ~ {} ~ [{"e": 1}, {"e": 2}]', '{"a": [1]} ~ {"$set": {"a.$[e]": 1}} ~ {} ~ [{"e": 1, "f": 2}]', '{"a": [1]} ~ {"$set": {"a.$[e]": 1}} ~ {} ~ [{}]', '{"a": [1]} ~ {"$set": {"a.$[E]": 1}} ~ {} ~ [{"E": 1}]',
  '{"a": [1]} ~ {"$set": {"a.$[e]": 1}} ~ {} ~ [5]', '{"a": [1]} ~ {"$set": {"a.$[e]": 1}} ~ {} ~ {"e": 1}', '{"a": [1]} ~ {"$set": {"a.$[e]": 1}} ~ {} ~ [{"$expr": true}]', '{"a": [1]} ~ {"b": 1} ~ {} ~ [{"e": 1}]', '{"a": [[1, 2], [3]]} ~ {"$push": {"a.$[e]": 9}} ~ {} ~ [{"e": 2}]', '{"a": [{"b": 1}, 5]} ~ {"$set": {"a.$[].c": 1}}', '{"a": [{"b": 1}, 5]} ~ {"$unset": {"a.$[].b": 1}}');
SELECT * FROM pg_temp.facts('the whole: update_driver',
  '{"a": 1} ~ {}', '{"a": 1} ~ {"b": 1, "$set": {"a": 1}}', '{"a": 1} ~ {"$set": {"a": 1}, "b": 1}', '{"a": 1} ~ {"$set": {}}', '{"a": 1} ~ {"$set": 5}', '{"a": 1} ~ {"$foo": {"a": 1}}', '{"a": 1} ~ [{"$set": {"a": 2}}]', '[1] ~ {"$set": {"a": 1}}', '{"a": 1} ~ 5', '{"a": 1} ~ {"$setOnInsert": {"a.b": 5}}');

-- upserts: produce_document_for_upsert, path_support
CREATE FUNCTION pg_temp.ups(q bson, u bson, f bson DEFAULT NULL) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  detail text;
  d bson = bson_upsert(q, u, f);
BEGIN
  RETURN CASE WHEN bson_typeof(d -> '_id') = 'objectId' THEN 'new _id, ' || (d - '_id'::text)::text ELSE d::text END;
END $$;
CREATE FUNCTION pg_temp.upserts(VARIADIC cases text[]) RETURNS TABLE (query text, update text, result text) LANGUAGE plpgsql AS $$
DECLARE
  one text;
  detail text;
  c text[];
BEGIN
  FOREACH one IN ARRAY cases LOOP
    c = string_to_array(one, ' ~ ');
    query = c[1];
    update = c[2] || coalesce('  ' || c[3], '');
    BEGIN
      result = pg_temp.ups(c[1]::bson, c[2]::bson, c[3]::bson);
    EXCEPTION WHEN OTHERS THEN
      GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
      result = SQLSTATE || ': ' || SQLERRM || ' - ' || detail;
    END;
    RETURN NEXT;
  END LOOP;
END $$;
SELECT * FROM pg_temp.upserts(
  '{"_id": 1} ~ {"$set": {"a": 1}}', '{"b": 1, "_id": 1} ~ {"$set": {"a": 1}}', '{"a": 1} ~ {"$set": {"b": 1}}', '{"a": 1} ~ {"$inc": {"a": 1}}', '{"a.b": 1, "a.c": 2} ~ {"$set": {"a.d": 3}}', '{"a": {"$gt": 5}} ~ {"$set": {"b": 1}}', '{"a": {"$eq": 5}} ~ {"$set": {"b": 1}}',
  '{"a": {"$in": [5]}} ~ {"$set": {"b": 1}}', '{"a": {"$in": [5, 6]}} ~ {"$set": {"b": 1}}', '{"a": {"$all": [5]}} ~ {"$set": {"b": 1}}', '{"$and": [{"a": 1}, {"b": {"$eq": 2}}]} ~ {"$set": {"c": 1}}', '{"$or": [{"a": 1}]} ~ {"$set": {"c": 1}}', '{"$or": [{"a": 1}, {"b": 1}]} ~ {"$set": {"c": 1}}',
  '{"a": {"$not": {"$eq": 1}}, "$nor": [{"b": 1}]} ~ {"$set": {"c": 1}}', '{"a": {"$regularExpression": {"pattern": "x", "options": ""}}} ~ {"$set": {"c": 1}}', '{"a": {"x": 1}} ~ {"$set": {"a.y": 2}}', '{"a": null} ~ {"$set": {"b": 1}}', '{"a": [1, 2]} ~ {"$set": {"a.$[]": 5}}', '{"a": [1, 2]} ~ {"$set": {"a.$[e]": 5}} ~ [{"e": 2}]',
  '{"a": 1, "a.b": 2} ~ {"$set": {"c": 1}}', '{"_id": 1} ~ {"$set": {"_id": 2}}', '{"_id": 1} ~ {"$setOnInsert": {"_id": 1, "x": 2}}', '{} ~ {"$setOnInsert": {"_id": 5}}', '{"_id": 1, "a": 1} ~ {"b": 2}', '{"_id": 1} ~ {"_id": 2}', '{"a": 1} ~ {"b": 2}', '{"_id.x": 1} ~ {"b": 2}', '{"_id.x": 1} ~ {"$set": {"b": 2}}',
  '{"_id": [1]} ~ {"$set": {"b": 2}}', '{} ~ {"$set": {"_id": {"$a": 1}}}', '{"a": [1]} ~ {"$set": {"a.$": 1}}', '{"a": {"$foo": 1}} ~ {"$set": {"a": 1}}', '{"a": 1} ~ {"$unset": {"a": 1}}', '{"_id": 1} ~ {"$setOnInsert": {"$a": 1}, "$set": {"$b": 1}}');

CREATE FUNCTION pg_temp.tried(q text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RETURN bson_upsert(q::bson, '{"$set": {"n": 1}}')::text;
EXCEPTION WHEN OTHERS THEN
  RETURN SQLSTATE || ': ' || SQLERRM;
END $$;
-- what the query's conditions say of the document: every value of $all, a branch that repeats once, a pattern under $eq (path_support.cpp, extractFullEqualityMatches; expression_tree.cpp, ListOfMatchExpression)
SELECT q, pg_temp.tried(q) FROM unnest(ARRAY[
  '{"_id": 0, "x": {"$all": [1, 2]}}', '{"_id": 0, "x": {"$all": [1]}}', '{"$or": [{"_id": 1}, {"_id": 1}]}', '{"_id": 0, "$or": [{"x": 1}, {"x": 2}]}', '{"_id": 0, "x": {"$in": [1, 1]}}', '{"_id": 0, "x": {"$eq": {"$regularExpression": {"pattern": "abc", "options": ""}}}}',
  '{"_id": 0, "x": {"$regularExpression": {"pattern": "abc", "options": ""}}}', '{"_id": 0, "x": {"$in": [{"$regularExpression": {"pattern": "abc", "options": ""}}]}}']) AS q;
SELECT q, pg_temp.up('{"a": [1, 2, 0, 2], "b": 5}', '{"$set": {"a.$": 9}}', q::bson) AS "the element of $or and $all (matcher.h, visit of Or and And)" FROM unnest(ARRAY[
  '{"$or": [{"a": 7}, {"b": 5}]}', '{"$or": [{"a": {"$gt": 2}}, {"a": 0}]}', '{"$or": [{"a": 0}, {"a": {"$eq": 2}}]}', '{"$or": [{"a": 2}]}', '{"a": 1, "$or": [{"a": {"$gt": 1}}, {"b": 5}]}',
  '{"a": {"$all": [1, 0]}}', '{"a": {"$all": [{"$elemMatch": {"$gt": 0}}, {"$elemMatch": {"$gt": 1}}]}}']) AS q;
SELECT u, pg_temp.up('{"_id": 1, "a": 1, "b": {"$numberLong": "1"}}', u::bson) AS "$rename: equal values, names with $ (rename_node.cpp)" FROM unnest(ARRAY['{"$rename": {"a": "b"}}', '{"$rename": {"b": "a"}}', '{"$rename": {"a": "_id"}}', '{"$rename": {"x": "_id"}}', '{"$rename": {"x": "$b"}}', '{"$rename": {"a": "$b"}}']) AS u;
SELECT pg_temp.up('{"a": [{"b": 1}]}', '{"$pull": {"a": {"$jsonSchema": {"required": ["b"]}}}}') AS "$pull by $jsonSchema (pull_node.cpp)";
-- NULL in, NULL out; the optional arguments may be NULL
SELECT bson_apply(NULL, '{}') IS NULL, bson_apply('{}', NULL) IS NULL, bson_upsert(NULL, '{}') IS NULL, bson_update('{}', NULL, '{}') IS NULL, bson_update('{"a": [1]}', '{"$set": {"a.$[]": 2}}', NULL);
SELECT bson_apply('{}', '{"$currentDate": {"a": true}}');  -- ERROR
SELECT bson_apply('{}', '{"$currentDate": {"a": true}}', at => 'infinity');  -- ERROR
SELECT bson_typeof(bson_update('{"a": [1]}', '{"$currentDate": {"a.$": true}}', '{"a": 1}') #> '{a,0}');

-- INSERT ... ON CONFLICT and, from 15 on, MERGE: one statement that updates or inserts
CREATE TEMP TABLE counters (data bson);
CREATE UNIQUE INDEX ON counters ((data -> 'name'));
INSERT INTO counters AS c VALUES (bson_upsert('{"_id": 1, "name": "x"}', '{"$inc": {"n": 1}, "$setOnInsert": {"first": true}}'))
  ON CONFLICT ((data -> 'name')) DO UPDATE SET data = bson_update(c.data, '{"$inc": {"n": 1}, "$setOnInsert": {"first": true}}');
INSERT INTO counters AS c VALUES (bson_upsert('{"_id": 1, "name": "x"}', '{"$inc": {"n": 1}, "$setOnInsert": {"first": true}}'))
  ON CONFLICT ((data -> 'name')) DO UPDATE SET data = bson_update(c.data, '{"$inc": {"n": 1}, "$setOnInsert": {"first": true}}');
TABLE counters;

-- many fields, long paths: n log n.  Seconds where this would be quadratic
SET statement_timeout = '60s';
SELECT bson_size(bson_apply('{}', bson_build_object('$set', (SELECT bson_object_agg('f' || i, i) FROM generate_series(1, 100000) AS i))));
SELECT bson_size(bson_apply('{}', bson_build_object('$set', (SELECT bson_object_agg('a.b' || i % 1000 || '.c' || i, i) FROM generate_series(1, 100000) AS i))));
SELECT bson_apply(d, bson_build_object('$unset', d)) FROM (SELECT bson_object_agg('f' || i, i) FROM generate_series(1, 100000) AS i) AS v(d);
SELECT bson_apply('{}', bson_build_object('$set', bson_build_object(repeat('a.', 1000000) || 'a', 1)));  -- ERROR
SELECT bson_array_length(bson_apply(bson_build_object('a', (SELECT bson_agg(i) FROM generate_series(1, 200000) AS i)), '{"$inc": {"a.$[e]": 1}}', NULL, '[{"e": {"$gt": 100}}]') -> 'a');
-- a message shortens a long path, but not within a character
SELECT bson_apply('{}', bson_build_object('$set', bson_build_object(repeat('äö', 300) || '..', 1)));  -- ERROR
