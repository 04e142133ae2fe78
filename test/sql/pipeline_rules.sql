-- If this fails, a rule that makes the statements of pipelines faster changes what they return, or does nothing
CREATE TABLE d (data bson CHECK ((bson_typeof(data -> '_id') <> 'array') IS TRUE));
INSERT INTO d SELECT bson_build_object('_id', i, 'a', CASE WHEN i % 7 = 0 THEN bson_build_array(i % 5, 3) ELSE to_bson(i % 5) END, 'g', i % 3, 't', bson_build_array(i % 4, i % 2, NULL), 'ref', i % 6, 'one', CASE i % 3 WHEN 0 THEN bson_build_array(i % 5 + 1, -1) WHEN 1 THEN to_bson(i) END, 'w', repeat('x', 600)) FROM generate_series(1, 40) AS i;
CREATE UNIQUE INDEX d_id ON d ((data -> '_id'));
CREATE INDEX d_a ON d ((data -> 'a'));
CREATE INDEX d_g ON d ((data -> 'g'), (data -> 'ref'), (data -> '_id'));
CREATE INDEX d_part ON d ((data -> 'ref')) WHERE data @~ '{"g": 1}';
ANALYZE d;
CREATE TABLE tried (p bson);
INSERT INTO tried VALUES
('[{"$lookup": {"from": "d", "localField": "ref", "foreignField": "_id", "as": "f"}}, {"$unwind": "$f"}, {"$match": {"f.g": 1}}, {"$group": {"_id": "$f.a", "n": {"$sum": "$a"}}}]'),
('[{"$lookup": {"from": "d", "localField": "ref", "foreignField": "g", "pipeline": [{"$match": {"a": {"$gt": 1}}}], "as": "f"}}, {"$unwind": {"path": "$f", "preserveNullAndEmptyArrays": true}}, {"$project": {"f._id": 1}}]'),
('[{"$lookup": {"from": "d", "localField": "one", "foreignField": "_id", "as": "f"}}, {"$set": {"f": {"$first": "$f"}}}, {"$group": {"_id": "$f.a", "n": {"$sum": "$f.g"}, "m": {"$max": "$f"}}}]'),
('[{"$lookup": {"from": "d", "localField": "one", "foreignField": "_id", "as": "f"}}, {"$addFields": {"f": {"$arrayElemAt": ["$f", 0]}}}]'),
('[{"$lookup": {"from": "d", "localField": "ref", "foreignField": "_id", "as": "f"}}, {"$project": {"f.g": 1, "n": {"$size": "$f"}}}]'),
('[{"$set": {"s": {"$add": ["$g", "$ref"]}}}, {"$set": {"u": {"$max": "$one"}}}, {"$group": {"_id": {"s": "$s", "u": "$u", "x": {"$add": ["$ref", 1]}}, "m": {"$max": "$ref"}}}]'),
('[{"$project": {"g": 1, "s": {"$add": ["$g", "$ref"]}}}, {"$match": {"s": {"$gt": 3}, "g": {"$ne": 2}, "ref": null}}, {"$count": "n"}]'),
('[{"$set": {"s": {"$max": "$one"}, "u.v": "$ref"}}, {"$match": {"s": {"$gt": 1}}}, {"$count": "n"}]'),
('[{"$set": {"s": {"$max": "$one"}, "u": {"$lt": ["$_id", 30]}}}, {"$match": {"$or": [{"s": {"$lt": 4}}, {"ref": 2}], "u": true}}, {"$group": {"_id": "$g", "n": {"$sum": "$ref"}, "m": {"$max": "$one"}}}]'),
('[{"$project": {"_id": 0, "one": 1, "s": {"$mod": ["$ref", 4]}}}, {"$group": {"_id": "$s", "m": {"$max": "$one"}, "i": {"$max": "$_id"}}}]'),
('[{"$project": {"one": 1, "s": {"$mod": ["$ref", 4]}}}, {"$group": {"_id": "$s", "m": {"$max": "$one"}, "i": {"$max": "$_id"}}}]'),
('[{"$group": {"_id": {"g": "$g", "one": "$one", "no": "$no.where"}, "n": {"$sum": 1}}}, {"$sort": {"_id": -1}}, {"$match": {"_id.one": {"$gt": 2}}}]'),
('[{"$unwind": {"path": "$t", "includeArrayIndex": "t"}}, {"$group": {"_id": "$t", "n": {"$sum": 1}}}]'),
('[{"$unwind": {"path": "$one", "includeArrayIndex": "i"}}, {"$group": {"_id": "$i", "n": {"$sum": "$one"}, "m": {"$max": {"$add": ["$i", "$g"]}}}}]'),
('[{"$set": {"s": {"$add": ["$g", "$_id"]}, "w": "$g"}}, {"$group": {"_id": "$s", "m": {"$max": "$ref"}}}]'),
('[{"$unwind": {"path": "$t", "includeArrayIndex": "i"}}, {"$group": {"_id": "$i", "n": {"$sum": "$t"}}}]'),
('[{"$setWindowFields": {"partitionBy": "$g", "sortBy": {"_id": 1}, "output": {"run": {"$sum": "$ref", "window": {"documents": ["unbounded", "current"]}}}}}, {"$group": {"_id": "$g", "m": {"$max": "$run"}}}]'),
('[{"$setWindowFields": {"partitionBy": {"$add": ["$g", 1]}, "sortBy": {"_id": -1}, "output": {"one": {"$push": "$one", "window": {"documents": [-1, 1]}}, "f": {"$first": "$t"}, "s": {"$sum": {"$multiply": ["$ref", 2]}}, "n": {"$documentNumber": {}}}}}, {"$project": {"one": 1, "s": true, "f": 1, "n": 1, "g": 1}}, {"$match": {"n": {"$lte": 3}}}]'),
('[{"$setWindowFields": {"partitionBy": "$g", "sortBy": {"ref": 1, "_id": 1}, "output": {"a": {"$max": "$$ROOT"}, "c": {"$count": {}}}}}, {"$project": {"_id": 0, "a._id": 1, "c": 1}}]'),
('[{"$setWindowFields": {"sortBy": {"_id": 1}, "output": {"s": {"$avg": "$ref", "window": {"range": [-2, 0]}}}}}, {"$project": {"s": 1, "g": 1}}]'),
('[{"$setWindowFields": {"sortBy": {"_id": 1}, "output": {"s": {"$avg": "$ref"}}}}, {"$project": {"g": 1}}]'),
('[{"$setWindowFields": {"partitionBy": "$g", "sortBy": {"_id": 1}, "output": {"ref": {"$sum": "$no", "window": {"documents": ["unbounded", "current"]}}}}}, {"$project": {"_id": 0, "ref": 1, "no": 1}}]'),
('[{"$unwind": "$t"}, {"$group": {"_id": {"t": "$t", "g": "$g"}, "n": {"$sum": "$ref"}, "m": {"$max": "$ref"}}}]'),
('[{"$unwind": "$t"}, {"$bucketAuto": {"groupBy": "$ref", "buckets": 2, "output": {"n": {"$sum": "$_id"}}}}]'),
('[{"$unwind": "$t"}, {"$count": "n"}]'),
('[{"$sort": {"ref": 1, "_id": -1}}, {"$group": {"_id": "$g", "f": {"$first": "$_id"}, "l": {"$last": "$a"}, "n": {"$sum": 1}}}]'),
('[{"$setWindowFields": {"partitionBy": "$g", "sortBy": {"ref": -1}, "output": {"r": {"$rank": {}}}}}, {"$match": {"r": {"$lte": 2}}}, {"$match": {"r": 1}}, {"$project": {"r": 1}}]'),
('[{"$match": {"a": {"$gte": 2, "$lt": 4}, "$or": [{"_id": {"$lt": 9}}, {"a": 3}]}}, {"$sort": {"a": 1}}, {"$match": {"g": {"$ne": 0}}}, {"$group": {"_id": "$a", "n": {"$sum": 1}}}]'),
('[{"$match": {"a": {"$in": [1, 3]}}}, {"$sort": {"_id": -1}}, {"$limit": 5}]'),
('[{"$match": {"g": 1, "ref": {"$gte": 2}}}, {"$count": "n"}]'),
('[{"$match": {"g": 1, "ref": 2}}, {"$count": "n"}]'),
('[{"$match": {"g": 1, "a": {"$lt": 4}}}, {"$sort": {"ref": -1, "_id": -1}}, {"$limit": 4}]'),
('[{"$graphLookup": {"from": "d", "startWith": "$ref", "connectFromField": "ref", "connectToField": "_id", "as": "x", "restrictSearchWithMatch": {"a": {"$gt": 0}}}}, {"$project": {"x._id": 1}}]'),
('[{"$facet": {"a": [{"$unwind": "$t"}, {"$group": {"_id": "$t", "n": {"$sum": "$ref"}}}, {"$sort": {"_id": 1}}], "b": [{"$match": {"a": 3}}, {"$count": "n"}]}}]'),
('[{"$match": {"g": {"$lt": 2}}}, {"$facet": {"a": [{"$group": {"_id": "$g", "n": {"$sum": "$ref"}}}, {"$sort": {"_id": 1}}], "b": [{"$match": {"a": 3}}, {"$count": "n"}], "c": [{"$sort": {"_id": -1}}, {"$limit": 2}, {"$project": {"t": 1, "g": 1}}]}}]'),
('[{"$unionWith": {"coll": "d", "pipeline": [{"$match": {"_id": {"$lte": 3}}}]}}, {"$group": {"_id": "$_id", "n": {"$sum": 1}}}]');
CREATE FUNCTION answer(p bson) RETURNS text LANGUAGE sql AS $$ SELECT string_agg(v::text, ' ' ORDER BY v::text) FROM bson_aggregate('d', p) AS d, bson_array_elements(coalesce(d -> 'x', '[]') || bson_build_array(bson_transform(d, '[{"$unset": "x"}]'))) AS v $$;
CREATE TABLE expected AS SELECT p, answer(p) AS answer, bson_pipeline_sql('d', p) AS statement FROM tried;
-- without each rule, and without all: the answers are the same, and some statements are not
CREATE FUNCTION without(rules int, OUT same bool, OUT changed bigint) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('bson.pipeline_rules_off', rules::text, true);
  SELECT bool_and(answer(e.p) = e.answer), count(*) FILTER (WHERE bson_pipeline_sql('d', e.p) <> e.statement) INTO same, changed FROM expected AS e;
  PERFORM set_config('bson.pipeline_rules_off', '0', true);
END $$;
SELECT rule, (without(1 << bit)).* FROM unnest(ARRAY['join', 'lookup', 'test', 'inline', 'fields', 'reads', 'carry', 'ends', 'number', 'partial', 'compound', 'index', 'sure']) WITH ORDINALITY AS r(rule, nr), LATERAL (SELECT nr::int - 1 AS bit) AS b ORDER BY nr;
SELECT same, changed > 12 AS changed FROM without(8191);
-- the document of an expression is tested without being made; anything that is computed and not tested is an error still
SELECT d, bson_eval_match(d, '{"s": {"$add": ["$a", 1]}, "b": "$b"}', q) FROM (VALUES ('{"a": 1}'::bson), ('{"a": 2, "b": [1, 5]}'), ('{"a": null, "b": 3}'), ('{"b": "x"}')) AS v(d), (VALUES ('{"s": {"$gt": 2}}'::bson), ('{"b": 5, "s": 3}'), ('{"b": {"$exists": false}}'), ('{"$or": [{"s": null}, {"b": 5}]}'), ('{"no": null, "b": {"$not": {"$gt": 2}}}')) AS w(q);
SELECT bson_eval_match('{"a": 5}', '"$a"', '{"b": 1}'), bson_eval_match('{"a": {"b": 1}}', '"$a"', '{"b": 1}'), bson_eval_match('{}', '"$a"', '{}'), bson_eval_match('{"a": 1}', '{"x": "$$v"}', '{"x": 7}', '{"v": 7}'), bson_eval_match(NULL, '1', '{}') IS NULL AS none;
SELECT bson_eval_match('{"a": "x"}', '{"b": 1, "s": {"$add": ["$a", 1]}}', '{"b": 2}');  -- ERROR, no number
-- a $lookup of a few documents is no join
SELECT p, bson_pipeline_sql('d', p || '[{"$lookup": {"from": "d", "localField": "ref", "foreignField": "_id", "as": "f"}}]') ~ 'LEFT JOIN' AS joins FROM (VALUES ('[{"$match": {"_id": 1}}]'::bson), ('[{"$limit": 5}]'), ('[{"$match": {"_id": {"$gt": 1}}}, {"$limit": 500}]')) AS v(p);
-- after $sort the _id of a group is that of the first document, of numbers that are equal
CREATE TABLE n (data bson);
INSERT INTO n VALUES ('{"_id": 1, "a": 2.0, "b": 1}'), ('{"_id": 2, "a": 2, "b": 1.0}'), ('{"_id": 3, "a": {"$numberDecimal": "2.00"}}'), ('{"_id": 4}'), ('{"_id": 5, "a": null}');
SELECT * FROM bson_aggregate('n', '[{"$sort": {"_id": -1}}, {"$group": {"_id": "$a", "n": {"$sum": 1}}}, {"$sort": {"_id": 1}}]');
SELECT * FROM bson_aggregate('n', '[{"$sort": {"_id": 1}}, {"$group": {"_id": "$a", "n": {"$push": "$_id"}}}, {"$sort": {"_id": 1}}]');
SELECT * FROM bson_aggregate('n', '[{"$sort": {"_id": -1}}, {"$group": {"_id": {"x": "$a", "y": "$b"}, "n": {"$last": "$_id"}}}, {"$sort": {"_id": 1}}]');
SELECT * FROM bson_aggregate('n', '[{"$sort": {"_id": -1}}, {"$group": {"_id": {"x": {"y": "$b"}}, "n": {"$sum": 1}}}, {"$sort": {"_id": 1}}]');
SELECT * FROM bson_aggregate('n', '[{"$sort": {"_id": -1}}, {"$limit": 4}, {"$group": {"_id": {"x": "$b"}, "n": {"$sum": 1}}}, {"$sort": {"_id": 1}}]');
SELECT * FROM bson_aggregate('n', '[{"$sort": {"_id": -1}}, {"$group": {"_id": {"x": "$b"}, "n": {"$topN": {"n": {"$ifNull": ["$x", 2]}, "output": "$_id", "sortBy": {"_id": 1}}}}}, {"$sort": {"_id": 1}}]');
DROP TABLE d, tried, expected, n;
DROP FUNCTION answer, without;
