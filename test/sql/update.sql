-- If this fails, a MongoDB update makes another document than in MongoDB.
CREATE FUNCTION pg_temp.up(d text, u text) RETURNS bson LANGUAGE sql AS $$ SELECT bson_update(d::bson, u::bson) $$;
SELECT d, u, pg_temp.up(d, u) FROM (VALUES
  -- $set and $unset: in place, new ones at the end, parents made
  ('{"a": 1, "b": 2}', '{"$set": {"a": "x"}}'),
  ('{"a": 1}', '{"$set": {"b.c.d": 5, "a": 2}}'),
  ('{"a": [1, {"b": 2}]}', '{"$set": {"a.1.b": 3, "a.3": 4}}'),
  ('{"a": [1, 2]}', '{"$set": {"a.5.x": 1}}'),
  ('{}', '{"$set": {"a.0": 1}}'),
  ('{"a": {"$numberLong": "1"}}', '{"$set": {"a": 1}}'),
  ('{"a": 1, "b": {"c": 2, "d": 3}, "e": [1, 2]}', '{"$unset": {"a": "", "b.c": 1, "e.0": 1, "none.x": 1}}'),
  -- numbers keep their type, and widen
  ('{"i": 1, "l": {"$numberLong": "2"}, "d": 1.5, "n": {"$numberDecimal": "0.1"}}', '{"$inc": {"i": 1, "l": 1, "d": 1, "n": {"$numberDecimal": "0.2"}, "new": 5, "x.y": 1.5}}'),
  ('{"i": 2147483647, "m": 2147483647}', '{"$inc": {"i": 1, "m": {"$numberLong": "-1"}}}'),
  ('{"i": 3, "d": 2.5}', '{"$mul": {"i": 4, "d": 2, "new": 7}}'),
  ('{"i": 1000000}', '{"$mul": {"i": 1000000}}'),
  ('{"a": 5, "b": 5, "s": "m"}', '{"$min": {"a": 3, "b": 7, "s": "z", "new": 1}}'),
  ('{"a": 5, "b": 5.0}', '{"$max": {"a": 3, "b": 7, "c": "x"}}'),
  ('{"a": 5}', '{"$max": {"a": 5.0}}'),
  -- $rename
  ('{"a": 1, "b": {"c": 2}, "z": 0}', '{"$rename": {"a": "b.x", "b.c": "q", "none": "w"}}'),
  -- $push
  ('{"a": [1]}', '{"$push": {"a": 2, "b": 3, "c.d": [4]}}'),
  ('{"a": [1, 2]}', '{"$push": {"a": {"$each": [3, 4]}}}'),
  ('{"a": [1, 2]}', '{"$push": {"a": {"$each": [3, 4], "$position": 1}}}'),
  ('{"a": [1, 2]}', '{"$push": {"a": {"$each": [3, 4], "$position": -1}}}'),
  ('{"a": [1, 2]}', '{"$push": {"a": {"$each": [3, 4], "$slice": -3}}}'),
  ('{"a": [1, 2]}', '{"$push": {"a": {"$each": [3, 4], "$position": 0, "$slice": 3}}}'),
  ('{"a": [1, 2]}', '{"$push": {"a": {"$each": [], "$slice": 0}}}'),
  ('{"a": [1, 2]}', '{"$push": {"a": {"each": [3]}}}'),
  -- $pull, $pullAll, $addToSet, $pop
  ('{"a": [1, 5, 1.0, "1", 7]}', '{"$pull": {"a": 1}}'),
  ('{"a": [1, 5, 9, "x"]}', '{"$pull": {"a": {"$gte": 5}}}'),
  ('{"a": [{"x": 1, "y": 2}, {"x": 1}, 5]}', '{"$pull": {"a": {"x": 1, "y": 2}, "none": 3}}'),
  ('{"a": ["ab", "cd"]}', '{"$pull": {"a": {"$regularExpression": {"pattern": "^a", "options": ""}}}}'),
  ('{"a": [{"$ref": "c", "$id": 1}, {"$ref": "c", "$id": 2}, 1]}', '{"$pull": {"a": {"$ref": "c", "$id": 1}}}'),
  ('{"a": [1, 2, 3, 2.0]}', '{"$pullAll": {"a": [2, 3]}}'),
  ('{"a": [1, 2]}', '{"$addToSet": {"a": 2, "b": 1}}'),
  ('{"a": [1, 2]}', '{"$addToSet": {"a": {"$each": [2, 3, 3.0, 4, "4", 1]}}}'),
  ('{"a": [1, 2, 3], "b": [1, 2, 3], "c": []}', '{"$pop": {"a": 1, "b": -1, "c": 1, "none": 1}}'),
  -- an upsert's operator changes nothing; several operators at once
  ('{"a": 1}', '{"$setOnInsert": {"b": 1}}'),
  ('{"a": 1, "b": [1]}', '{"$inc": {"a": 1}, "$push": {"b": 2}, "$set": {"c": 3}}'),
  -- replacement, which keeps the _id
  ('{"_id": 7, "a": 1}', '{"b": 2}'),
  ('{"_id": 7, "a": 1}', '{"b": 2, "_id": 7.0}'),
  ('{"a": 1}', '{}')
) AS v(d, u);

SELECT bson_typeof(d -> 'at'), bson_typeof(d -> 'ts'), abs(extract(epoch FROM bson_get_timestamptz(d, 'at') - now())) < 0.001 AS now
  FROM bson_update('{"at": 0}', '{"$currentDate": {"at": true, "ts": {"$type": "timestamp"}}}') AS d;

-- operands that do not fit are errors
SELECT pg_temp.up('{"a": 1}', '{"$foo": {"a": 1}}');  -- ERROR
SELECT pg_temp.up('{"a": 1}', '{"$set": 5}');  -- ERROR
SELECT pg_temp.up('{"a": 1}', '{"$set": {"a.b": 5}}');  -- ERROR, a scalar on the way
SELECT pg_temp.up('{"a": [1]}', '{"$set": {"a.b": 5}}');  -- ERROR, no position
SELECT pg_temp.up('{"a": [1]}', '{"$set": {"a.99999999": 5}}');  -- ERROR, too far
SELECT pg_temp.up('{"a": [1]}', '{"$set": {"a.$": 5}}');  -- ERROR
SELECT pg_temp.up('{"a": [1]}', '{"$set": {"a..b": 5}}');  -- ERROR
SELECT pg_temp.up('{"a": "x"}', '{"$inc": {"a": 5}}');  -- ERROR
SELECT pg_temp.up('{"a": 1}', '{"$inc": {"a": "x"}}');  -- ERROR
SELECT pg_temp.up('{"a": 9223372036854775807}', '{"$inc": {"a": 1}}');  -- ERROR
SELECT pg_temp.up('{"a": {"$numberDecimal": "9999999999999999999999999999999999"}}', '{"$inc": {"a": {"$numberDecimal": "0.1"}}}');  -- rounded to 34 digits
SELECT pg_temp.up('{"a": 1}', '{"$push": {"a": 5}}');  -- ERROR
SELECT pg_temp.up('{"a": [1]}', '{"$push": {"a": {"$each": 5}}}');  -- ERROR
SELECT pg_temp.up('{"a": [1]}', '{"$push": {"a": {"$each": [5], "$sort": 2}}}');  -- ERROR
SELECT pg_temp.up('{"a": [1]}', '{"$pop": {"a": 2}}');  -- ERROR
SELECT pg_temp.up('{"a": 1}', '{"$rename": {"a": 5}}');  -- ERROR
SELECT pg_temp.up('{"a": 1}', '{"$currentDate": {"a": 5}}');  -- ERROR
SELECT pg_temp.up('{"a": 1}', '{"$set": {"a": 1}, "$inc": {"a": 1}}');  -- ERROR, twice
SELECT pg_temp.up('{"a": 1}', '{"$set": {"a.b": 1, "ab": 2, "a": 1}}');  -- ERROR, one inside the other
SELECT pg_temp.up('{"a": 1}', '{"$set": {"a": 1}, "b": 1}');  -- ERROR, mixed
SELECT pg_temp.up('{"a": 1}', '{"b": 1, "$set": {"a": 1}}');  -- ERROR, mixed
SELECT pg_temp.up('[1]', '{"$set": {"a": 1}}');  -- ERROR
SELECT pg_temp.up('{}', '5');  -- ERROR

-- if nothing changes, the stored value stays as it is
CREATE TEMP TABLE same (d bson);
ALTER TABLE same ALTER d SET STORAGE external;
INSERT INTO same VALUES (bson_build_object('a', 1, 'pad', repeat('x', 10000), 'list', ARRAY[1, 2], 'list2', ARRAY[1, 2]));
CREATE TEMP TABLE toasted AS SELECT pg_relation_size(reltoastrelid) AS size FROM pg_class WHERE oid = 'same'::regclass;
UPDATE same SET d = bson_update(d, '{"$set": {"a": 1}, "$addToSet": {"list": 2}, "$unset": {"none": 1}, "$pull": {"list2": 3}}');
SELECT pg_relation_size(reltoastrelid) = (SELECT size FROM toasted) AS no_toast_written FROM pg_class WHERE oid = 'same'::regclass;
SELECT d -> 'a', length(d ->> 'pad') FROM same;

-- long lists are not quadratic
SELECT bson_array_length(d -> 'a'), bson_array_length(d -> 'b') FROM bson_update(
  (SELECT bson_build_object('a', bson_agg(i), 'b', bson_agg(i)) FROM generate_series(1, 50000) AS i),
  (SELECT bson_build_object('$addToSet', bson_build_object('a', bson_build_object('$each', bson_agg(i * 2))), '$pullAll', bson_build_object('b', bson_agg(i * 2))) FROM generate_series(1, 50000) AS i)) AS d;

-- operands of the wrong kind
SELECT bson_update('{"a": 1}', '{"$rename": {"a": "b\u0000c"}}');  -- ERROR
SELECT bson_update('{"a": 1}', '{"$currentDate": {"a": {"$type": "time"}}}');  -- ERROR
SELECT bson_update('{"a": 1}', '{"$currentDate": {"a": 5}}');  -- ERROR
SELECT bson_update('{"a": [1]}', '{"$pullAll": {"a": 5}}');  -- ERROR
-- many paths, still compared with each other
SELECT bson_update('{}', '{"$set": {"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6, "g": 7, "h": 8, "i": 9, "j": 10}}');
SELECT bson_update('{}', '{"$set": {"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6, "g": 7, "h": 8, "i": 9, "j": 10}, "$inc": {"j.x": 1}}');  -- ERROR
-- a document in place of another that is the same
SELECT bson_identical(bson_update(d, d), d) FROM (VALUES ('{"_id": 1, "a": 2}'::bson)) AS v(d);

-- the filter of a statement: of $text and geometry, which the statement has decided, nothing is asked of the document
CREATE FUNCTION pg_temp.positional(query bson, OUT updated text, OUT projected text) LANGUAGE plpgsql AS $$
BEGIN
  updated := bson_update('{"a": [1, 2], "g": [3, 4]}', '{"$set": {"a.$": 9}}', query);
  projected := bson_project('{"a": [1, 2], "g": [3, 4]}', '{"a.$": 1}', query);
EXCEPTION WHEN OTHERS THEN
  updated := SQLSTATE || ' ' || SQLERRM;
END $$;
SELECT query, (pg_temp.positional(query)).* FROM (VALUES ('{"$text": {"$search": "x"}, "a": 2}'::bson), ('{"$and": [{"$text": {"$search": "x"}}, {"$and": [{"a": 2}, {"g": {"$near": [0, 0]}}]}]}'), ('{"g": {"$near": [0, 0], "$maxDistance": 1, "$size": 2}, "a": 2}'),
  ('{"g": {"$near": [0, 0], "$size": 3}, "a": 2}'), ('{"$or": [{"g": {"$geoWithin": {"$box": [[0, 0], [1, 1]]}}}, {"a": 1}], "a": 2}'), ('{"$nor": [{"$text": {"$search": "x"}}, {"a": 2}], "a": 2}'), ('{"g": {"$not": {"$geoWithin": {"$box": [[0, 0], [1, 1]]}}}, "a": 2}'), ('{"g": {"$not": {"$size": 2}}, "a": 2}'),
  ('{"a": {"$elemMatch": {"$near": [0, 0]}}}'), ('{"$and": [{"$and": [{"$text": {"$search": "x"}}], "$where": 1}]}')) AS q(query);
SELECT bson_upsert('{"$and": [{"$text": {"$search": "x"}}, {"g": {"$near": [0, 0]}, "a": 2}]}', '{"$set": {"b": 1}}') - '_id';
SELECT '{"a": 1}'::bson @~ '{"$text": {"$search": "x"}}';  -- ERROR, no statement has decided it
-- where there is no document the update is checked all the same, but not applied
SELECT bson_update(NULL, '{"$set": {"a.$.b": 1, "c.$[].d": 1}}', '{"a.c": 1}'), bson_update(NULL, '[{"$set": {"a": {"$divide": [1, 0]}}}]', NULL), bson_update(NULL, '{"$foo": 1}');
SELECT bson_update(NULL, '{"$foo": 1}', NULL);  -- ERROR
SELECT bson_update(NULL, '[{"$foo": 1}]', NULL);  -- ERROR
SELECT bson_update(NULL, '{"$set": {"a.$[x]": 1}}', NULL, '[]');  -- ERROR
