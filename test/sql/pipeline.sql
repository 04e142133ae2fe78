-- If this fails, a stage of a pipeline gives other documents than MongoDB's aggregate.
-- The facts are from src/mongo/db/pipeline/document_source_*.cpp and accumulator_*.cpp and jstests/aggregation of MongoDB 8.0.
\pset format unaligned
\pset tuples_only on
CREATE TABLE d (data bson);
INSERT INTO d VALUES
  ('{"_id": 1, "a": 5, "tags": ["x", "y"], "n": {"b": [1, 2]}, "city": "Oslo"}'),
  ('{"_id": 2, "a": 5.0, "tags": "z", "n": {"b": 3}, "city": "Rome"}'),
  ('{"_id": 3, "a": null, "tags": [], "n": [{"b": [4]}], "city": null}'),
  ('{"_id": 4, "a": "5", "tags": null}'),
  ('{"_id": 5, "a": [5, 7], "n": {"b": []}, "city": ["Oslo"]}'),
  ('{"_id": 6, "a": {"$numberDecimal": "2.5"}, "tags": ["x", null, [1]], "city": "Oslo"}'),
  ('{"_id": 7, "a": {"$numberLong": "8"}, "tags": {"k": 1}, "city": {"$undefined": true}}');

-- $match, $sort, $skip, $limit: also several of them
SELECT * FROM bson_aggregate('d', '[{"$match": {"a": 5}}, {"$sort": {"_id": -1}}, {"$project": {"a": 1}}]');
SELECT * FROM bson_aggregate('d', '[{"$sort": {"a": 1}}, {"$match": {"_id": {"$lt": 5}}}, {"$project": {"a": 1}}]');
SELECT skip, l1, l2, array(SELECT doc -> '_id' FROM bson_aggregate('d', bson_build_array(bson_build_object('$sort', bson_build_object('_id', 1)),
    bson_build_object('$limit', l1), bson_build_object('$skip', skip), bson_build_object('$limit', l2))) AS doc)
  FROM (VALUES (0, 3, 9), (2, 3, 9), (2, 3, 1), (4, 3, 9), (1, 9, 2)) AS v(skip, l1, l2);
SELECT * FROM bson_aggregate('d', '[{"$sort": {"_id": 1}}, {"$skip": 1}, {"$skip": 2}, {"$limit": 3}, {"$match": {"_id": {"$ne": 5}}}, {"$sort": {"_id": -1}}, {"$limit": 1}, {"$project": {"_id": 1}}]');
-- a condition after the limit is about the documents that are left
SELECT * FROM bson_aggregate('d', '[{"$sort": {"_id": 1}}, {"$limit": 2}, {"$match": {"_id": {"$gt": 1}}}, {"$project": {"_id": 1}}]');
SELECT * FROM bson_aggregate('d', '[{"$match": {}}, {"$count": "n"}]');
SELECT * FROM bson_aggregate('d', '[{"$match": {"$or": [{"_id": 1}, {"$expr": {"$gt": ["$a", {"$literal": "4"}]}}]}}, {"$sort": {"_id": 1}}, {"$project": {"_id": 1}}]');
-- $$NOW is the time of the transaction, in conditions, too
SELECT * FROM bson_aggregate('d', '[{"$match": {"$or": [{"_id": 1}, {"$expr": {"$and": [{"$gt": ["$$NOW", {"$toDate": "2000-01-01"}]}, {"$eq": ["$_id", 2]}]}}], "$nor": [{"$expr": {"$gt": [0, "$$NOW"]}}]}},
  {"$sort": {"_id": 1}}, {"$project": {"t": {"$type": "$$NOW"}}}]');
SELECT doc -> 'now' = to_bson(now()) AS now FROM bson_aggregate('d', '[{"$limit": 1}, {"$project": {"now": "$$NOW"}}]') AS doc;

-- stages that change single documents
SELECT * FROM bson_aggregate('d', '[{"$match": {"_id": 1}}, {"$addFields": {"sum": {"$sum": "$n.b"}, "n.c": 1}}, {"$set": {"twice": {"$multiply": ["$sum", 2]}}}, {"$unset": ["tags", "n.b"]}]');
SELECT * FROM bson_aggregate('d', '[{"$match": {"_id": 1}}, {"$project": {"_id": 0, "upper": {"$toUpper": "$city"}}}, {"$match": {"upper": "OSLO"}}]');
SELECT * FROM bson_aggregate('d', '[{"$match": {"_id": 1}}, {"$replaceRoot": {"newRoot": "$n"}}]');
SELECT * FROM bson_aggregate('d', '[{"$match": {"_id": 1}}, {"$replaceWith": {"k": "$a"}}]');

-- $unwind: null, missing and [] give nothing, what is no array is one element, arrays are not entered on the way
SELECT * FROM bson_aggregate('d', '[{"$unwind": "$tags"}, {"$project": {"tags": 1}}]');
SELECT * FROM bson_aggregate('d', '[{"$unwind": {"path": "$tags", "includeArrayIndex": "at.i", "preserveNullAndEmptyArrays": true}}, {"$project": {"tags": 1, "at": 1}}]');
SELECT * FROM bson_aggregate('d', '[{"$unwind": {"path": "$n.b", "includeArrayIndex": "a"}}, {"$project": {"n": 1, "a": 1}}]');
SELECT * FROM bson_aggregate('d', '[{"$match": {"_id": {"$in": [3, 5]}}}, {"$unwind": {"path": "$n.b", "preserveNullAndEmptyArrays": true}}, {"$project": {"n": 1}}]');
-- the limit counts what comes in, or what comes out
SELECT * FROM bson_aggregate('d', '[{"$sort": {"_id": 1}}, {"$limit": 2}, {"$unwind": "$tags"}, {"$project": {"tags": 1}}]');
SELECT * FROM bson_aggregate('d', '[{"$sort": {"_id": 1}}, {"$unwind": "$tags"}, {"$limit": 2}, {"$project": {"tags": 1}}]');
SELECT * FROM bson_aggregate('d', '[{"$match": {"_id": 1}}, {"$unwind": "$tags"}, {"$unwind": "$n.b"}, {"$project": {"tags": 1, "n": 1}}]');
-- in the order of the documents, and of one document in that of the elements, also where documents are equal in it
SELECT * FROM bson_aggregate('d', '[{"$sort": {"city": -1}}, {"$match": {"city": "Oslo"}}, {"$unwind": "$tags"}, {"$group": {"_id": "$_id", "tags": {"$push": "$tags"}}}, {"$sort": {"_id": 1}}]');
SELECT count(*) FROM bson_aggregate(NULL, '[{"$documents": {"$map": {"input": {"$range": [0, 300]}, "in": {"_id": "$$this", "v": {"$range": [0, 20]}}}}}, {"$unwind": "$v"},
  {"$group": {"_id": "$_id", "v": {"$push": "$v"}}}, {"$match": {"$expr": {"$eq": ["$v", {"$range": [0, 20]}]}}}]');

-- $group: numbers by value, missing and null are one, undefined is another
SELECT * FROM bson_aggregate('d', '[{"$group": {"_id": "$city", "n": {"$sum": 1}, "sum": {"$sum": "$a"}, "avg": {"$avg": "$a"}}}, {"$sort": {"_id": 1, "n": -1}}]');
SELECT * FROM bson_aggregate('d', '[{"$group": {"_id": {"c": "$city", "odd": {"$mod": ["$_id", 2]}}}}, {"$sort": {"_id": 1}}]');
SELECT * FROM bson_aggregate('d', '[{"$group": {"_id": null}}]');
SELECT * FROM bson_aggregate('d', '[{"$group": {"_id": {}, "n": {"$count": {}}}}]');
SELECT * FROM bson_aggregate('d', '[{"$match": {"_id": 99}}, {"$group": {"_id": null, "n": {"$sum": 1}}}]');
SELECT * FROM bson_aggregate('d', '[{"$group": {"_id": {"$type": "$a"}, "ids": {"$push": "$_id"}}}, {"$match": {"ids.1": {"$exists": false}}}, {"$sort": {"_id": 1}}]');
-- accumulators
SELECT * FROM bson_aggregate('d', '[{"$sort": {"_id": 1}}, {"$group": {"_id": null, "min": {"$min": "$a"}, "max": {"$max": "$a"}, "first": {"$first": "$tags"}, "last": {"$last": "$tags"},
  "push": {"$push": "$tags"}, "set": {"$addToSet": "$city"}, "two": {"$sum": 2}, "none": {"$sum": "$city"}, "noavg": {"$avg": "$city"}, "nomin": {"$min": "$nosuch"}}}]');
SELECT * FROM bson_aggregate('d', '[{"$match": {"_id": {"$lt": 5}}}, {"$sort": {"_id": 1}}, {"$group": {"_id": null, "merged": {"$mergeObjects": {"k": "$_id", "city": "$city"}},
  "pop": {"$stdDevPop": "$a"}, "samp": {"$stdDevSamp": "$_id"}}}]');
SELECT * FROM bson_aggregate('d', '[{"$match": {"_id": {"$ne": 2}}}, {"$sort": {"_id": -1}}, {"$group": {"_id": null, "fn": {"$firstN": {"input": "$city", "n": 3}}, "ln": {"$lastN": {"input": "$_id", "n": 2}},
  "mn": {"$minN": {"input": "$a", "n": 2}}, "mx": {"$maxN": {"input": "$a", "n": 20}}}}]');
SELECT * FROM bson_aggregate('d', '[{"$group": {"_id": null, "top": {"$top": {"sortBy": {"_id": -1}, "output": ["$_id", "$city"]}}, "bottom": {"$bottom": {"sortBy": {"_id": -1}, "output": "$city"}},
  "tn": {"$topN": {"n": 2, "sortBy": {"_id": 1}, "output": "$nosuch"}}, "bn": {"$bottomN": {"n": 2, "sortBy": {"_id": 1}, "output": "$_id"}}}}]');
-- an array sorts by its least or its greatest element, one without elements before null; of documents with equal keys
-- the first are kept, but those that are kept make room in the same order for documents with greater keys
SELECT key, d.* FROM unnest(ARRAY['{"k": 1}', '{"k": -1}', '{"k": -1, "_id": -1}', '{"s.t": 1}', '{"s.t": -1, "k": 1}']) AS key, bson_aggregate(NULL, format('[{"$documents": [
  {"_id": 1, "k": [5, 1], "s": {"t": 1}}, {"_id": 2, "k": 3, "s": [{"t": 1}, {"t": 5}]}, {"_id": 3}, {"_id": 4, "k": null, "s": {"t": []}}, {"_id": 5, "k": []}, {"_id": 6, "k": [2, 2]}, {"_id": 7, "k": 3, "s": {"t": 5}}, {"_id": 8, "k": "x"}, {"_id": 9, "k": 1, "s": [{}, {"t": 0}]}]}, {"$sort": {"_id": 1}},
  {"$group": {"_id": null, "top": {"$top": {"sortBy": %1$s, "output": "$_id"}}, "bottom": {"$bottom": {"sortBy": %1$s, "output": "$_id"}}, "t3": {"$topN": {"sortBy": %1$s, "output": "$_id", "n": 3}}, "b3": {"$bottomN": {"sortBy": %1$s, "output": "$_id", "n": 3}}, "b6": {"$bottomN": {"sortBy": %1$s, "output": "$_id", "n": 6}}, "b99": {"$bottomN": {"sortBy": %1$s, "output": "$_id", "n": 99}}}}]', key)::bson) AS d;
SELECT * FROM bson_aggregate(NULL, '[{"$documents": [{"_id": 1, "k": 1}, {"_id": 2, "k": 1}, {"_id": 3, "k": 1}, {"_id": 4, "k": 2}]}, {"$sort": {"_id": 1}}, {"$group": {"_id": null, "b": {"$bottomN": {"sortBy": {"k": 1}, "output": "$_id", "n": 2}}, "t": {"$topN": {"sortBy": {"k": -1}, "output": "$_id", "n": 2}}}}]');
-- "p" may have variables of the command, as in MongoDB
SELECT * FROM bson_aggregate('d', '[{"$group": {"_id": null, "all": {"$push": "$_id"}, "p": {"$percentile": {"input": "$_id", "p": "$$ps", "method": "approximate"}}, "q": {"$percentile": {"input": "$_id", "p": [0, "$$one"], "method": "approximate"}}}},
  {"$project": {"p": 1, "q": 1, "same": {"$percentile": {"input": "$all", "p": "$$ps", "method": "approximate"}}}}]', NULL, '{"ps": [0.25, 0.75], "one": 1}');
SELECT * FROM bson_aggregate('d', '[{"$group": {"_id": null, "p": {"$percentile": {"input": "$_id", "p": "$$ps", "method": "approximate"}}}}]', NULL, '{"ps": [0.25, 75]}');  -- ERROR
SELECT * FROM bson_aggregate('d', '[{"$setWindowFields": {"sortBy": {"_id": 1}, "output": {"p": {"$percentile": {"input": "$_id", "p": "$$ps", "method": "approximate"}, "window": {"documents": ["unbounded", "current"]}}}}}, {"$limit": 3}, {"$project": {"p": 1}}]', NULL, '{"ps": [0.5]}');
SELECT * FROM bson_aggregate('d', '[{"$group": {"_id": null, "median": {"$median": {"input": "$_id", "method": "approximate"}}, "p": {"$percentile": {"input": "$_id", "p": [0.1, 1], "method": "approximate"}}}}]');
-- n may depend on the fields of the group's key, and on variables; it is computed with an empty document if the key is none, and sees nothing else
SELECT * FROM bson_aggregate('d', '[{"$sort": {"_id": 1}}, {"$group": {"_id": {"k": {"$mod": ["$_id", 2]}}, "f": {"$firstN": {"input": "$_id", "n": {"$cond": ["$k", 1, 3]}}}}}, {"$sort": {"_id": 1}}]');
SELECT * FROM bson_aggregate('d', '[{"$group": {"_id": {"$mod": ["$_id", 2]}, "f": {"$maxN": {"input": "$_id", "n": {"$cond": [{"$eq": ["$$ROOT", {}]}, 1, 3]}}}, "g": {"$topN": {"sortBy": {"_id": 1}, "output": "$_id", "n": {"$cond": ["$_id", 3, 2]}}}}}, {"$sort": {"_id": 1}}]');
SELECT * FROM bson_aggregate('d', '[{"$limit": 1}, {"$lookup": {"from": "d", "let": {"two": 2}, "pipeline": [{"$group": {"_id": {"values": "x"}, "f": {"$minN": {"input": "$_id", "n": {"$add": ["$$two", {"$strLenCP": "$values"}]}}}}}], "as": "l"}}, {"$project": {"_id": 0, "l": 1}}]');
\set VERBOSITY terse
-- $first and $last by a sort: without sorting, unless others need the order; missing values, a row without a document, and a sample
CREATE TABLE ends (data bson);
INSERT INTO ends SELECT CASE WHEN i = 50 THEN NULL WHEN i % 7 = 0 THEN bson_build_object('_id', i, 'g', i % 3) ELSE bson_build_object('_id', i, 'g', i % 3, 'v', bson_build_object('w', i), 'k', bson_build_array(i * 31 % 101, 'x')) END FROM generate_series(1, 99) AS i;
SELECT bson_pipeline_sql('ends', '[{"$sort": {"k": -1, "_id": 1}}, {"$group": {"_id": "$g", "f": {"$first": "$v.w"}, "l": {"$last": "$_id"}, "n": {"$sum": 1}}}]');
SELECT * FROM bson_aggregate('ends', '[{"$sort": {"k": -1, "_id": 1}}, {"$group": {"_id": "$g", "f": {"$first": "$v.w"}, "l": {"$last": "$v.w"}, "r": {"$first": "$$ROOT"}}}, {"$sort": {"_id": 1}}]');
SELECT sort, count(*), bool_and(d -> 'f' = (d -> 'p' -> 0) AND d -> 'l' = (d -> 'p' -> -1)) AS same FROM unnest('{"{\"_id\": 1}","{\"k\": 1, \"_id\": -1}","{\"v.w\": -1, \"_id\": 1}"}'::bson[]) AS sort,
  LATERAL (SELECT bson_build_object('f', a -> 'f', 'l', a -> 'l', 'p', b -> 'p') AS d FROM bson_aggregate('ends', bson_build_array(bson_build_object('$sort', sort), '{"$group": {"_id": "$g", "f": {"$first": "$_id"}, "l": {"$last": "$_id"}}}'::bson)) AS a
  JOIN bson_aggregate('ends', bson_build_array(bson_build_object('$sort', sort), '{"$group": {"_id": "$g", "p": {"$push": "$_id"}}}'::bson)) AS b ON a -> '_id' = b -> '_id' WHERE a -> '_id' <> 'null') AS j GROUP BY sort ORDER BY sort;
SELECT bson_typeof(a -> 'f') FROM bson_aggregate('ends', '[{"$match": {"g": 1}}, {"$sample": {"size": 5}}, {"$group": {"_id": null, "f": {"$first": "$_id"}}}]') AS a;
SELECT * FROM bson_aggregate('ends', '[{"$sort": {"_id": 1}}, {"$group": {"_id": null, "f": {"$first": "$_id"}, "l": {"$last": "$_id"}, "n": {"$sum": 1}}}]');
SELECT * FROM bson_aggregate('ends', '[{"$match": {"_id": {"$lt": 4}}}, {"$sort": {"_id": -1}}, {"$bucket": {"groupBy": "$_id", "boundaries": [0, 2, 9], "output": {"f": {"$first": "$_id"}, "l": {"$last": "$_id"}}}}]');
DROP TABLE ends;
SELECT bson_aggregate('d', '[{"$group": {"_id": null, "f": {"$firstN": {"input": "$_id", "n": {"$size": "$values"}}}}}]');
\set VERBOSITY default
SELECT bson_aggregate('d', '[{"$group": {"_id": null, "f": {"$firstN": {"input": "$_id", "n": {"$size": "$$the values"}}}}}]');
SELECT bson_aggregate('d', '[{"$bucketAuto": {"groupBy": "$_id", "buckets": 1, "output": {"f": {"$firstN": {"input": "$_id", "n": "$max"}}}}}]');
-- by a document of one field, null and a missing value are one group; by one of several, or nested, they are not (jstests/aggregation/bugs/groupMissing.js)
SELECT i, d FROM unnest(ARRAY['{"k": "$a"}', '{"k": {"$add": ["$a", 1]}}', '{"k": "$$REMOVE"}', '{"k": "$a.b"}', '{"k": "$a", "l": "x"}', '{"k": {"l": "$a"}}', '{"k": {"$literal": null}}', '"$a"', '{"k": ["$a"]}']::text[]) WITH ORDINALITY i(id, i),
  bson_aggregate(NULL, ('[{"$documents": [{"a": null}, {}]}, {"$group": {"_id": ' || id || ', "n": {"$sum": 1}}}, {"$sort": {"n": -1, "_id": 1}}]')::bson) d;
SELECT * FROM bson_aggregate(NULL, '[{"$documents": [{"a": null}, {}]}, {"$facet": {"f": [{"$group": {"_id": {"k": "$a"}, "n": {"$sum": 1}}}, {"$match": {"_id": {"k": null}}}]}}]');
SELECT bson_aggregate(NULL, '[{"$documents": []}, {"$group": {"_id": {"a.b": "$a"}}}]');
-- more fields than a call has arguments
SELECT bson_size(doc), doc -> 'f0', doc -> 'f99' FROM bson_aggregate('d', (SELECT bson_build_array(bson_build_object('$group', '{"_id": null}'::bson || bson_object_agg('f' || i, '{"$sum": 1}'::bson))) FROM generate_series(0, 99) AS i)) AS doc;
SELECT * FROM bson_aggregate('d', '[{"$count": "n"}]');
SELECT * FROM bson_aggregate('d', '[{"$limit": 3}, {"$count": "n"}]');
SELECT * FROM bson_aggregate('d', '[{"$match": {"_id": 99}}, {"$count": "n"}]');
SELECT * FROM bson_aggregate('d', '[{"$sortByCount": "$city"}, {"$limit": 2}]');
SELECT * FROM bson_aggregate('d', '[{"$bucket": {"groupBy": "$a", "boundaries": [0, 5, 10], "default": "other", "output": {"ids": {"$push": "$_id"}}}}]');
SELECT * FROM bson_aggregate('d', '[{"$match": {"_id": {"$lt": 3}}}, {"$bucket": {"groupBy": "$_id", "boundaries": [1, 2, {"$literal": 3}]}}]');
SELECT bson_aggregate('d', '[{"$bucket": {"groupBy": "$_id", "boundaries": [1, 3]}}]');
SELECT * FROM bson_aggregate('d', '[{"$bucket": {"groupBy": "$_id", "boundaries": [1, 9], "output": {}}}]') UNION ALL SELECT * FROM bson_aggregate('d', '[{"$bucketAuto": {"groupBy": "$_id", "buckets": 1, "output": {}}}]');
SELECT * FROM bson_aggregate('d', '[{"$bucket": {"groupBy": "$_id", "boundaries": [2, 4, 6], "default": 6, "output": {"ids": {"$addToSet": "$_id"}, "first": {"$firstN": {"input": "$_id", "n": {"$cond": [{"$eq": ["$$ROOT", {}]}, 2, 9]}}}}}}, {"$set": {"first": {"$size": "$first"}}}]');
SELECT count(*) FROM bson_aggregate('d', '[{"$sample": {"size": 3}}, {"$match": {}}]');
-- a size without its fraction, a decimal rounded half to even, and one beyond 64 bits
SELECT s, count(*) FROM unnest(ARRAY['1.9', '{"$numberDecimal": "2.5"}', '{"$numberDecimal": "0.51"}', '{"$numberDecimal": "3.5"}', '1e300', '{"$numberDecimal": "9.9e6000"}', '{"$numberDouble": "Infinity"}']) AS s,
  bson_aggregate('d', bson_build_array(bson_build_object('$sample', bson_build_object('size', s::bson)), '{"$limit": 4}'::bson)) GROUP BY s ORDER BY s;
SELECT * FROM bson_aggregate('d', '[{"$group": {"_id": {"a": {"$literal": 1}}, "": {"$sum": 1}}}]');

-- $lookup: elements of arrays on both sides, missing is null, regular expressions are values
CREATE TABLE o (data bson);
INSERT INTO o VALUES ('{"_id": "Oslo", "k": 5}'), ('{"_id": "Rome", "k": [7, "5"]}'), ('{"_id": null, "k": null}'), ('{"_id": "x"}'), ('{"_id": 9, "k": {"$regularExpression": {"pattern": "5", "options": ""}}}');
SELECT * FROM bson_aggregate('d', '[{"$lookup": {"from": "o", "localField": "city", "foreignField": "_id", "as": "found"}}, {"$project": {"found": 1}}, {"$sort": {"_id": 1}}]');
SELECT * FROM bson_aggregate('d', '[{"$lookup": {"from": "o", "localField": "a", "foreignField": "k", "as": "found._ids"}}, {"$project": {"found._ids._id": 1}}, {"$sort": {"_id": 1}}]');
SELECT * FROM bson_aggregate('d', '[{"$match": {"_id": 1}}, {"$lookup": {"from": "o", "localField": "n.b.0", "foreignField": "k", "as": "city.found"}}, {"$project": {"city": 1}}]');
SELECT * FROM bson_aggregate('o', '[{"$match": {"k": {"$type": ["regex", "int"]}}}, {"$lookup": {"from": "o", "localField": "k", "foreignField": "k", "as": "f"}}, {"$project": {"f._id": 1}}, {"$sort": {"_id": 1}}]');
SELECT bson_lookup_query('{"a": [1, {"$regularExpression": {"pattern": "x", "options": ""}}]}', 'a', 'b.c'), bson_lookup_query('{}', 'a', 'b'), bson_lookup_query('{"a": [{"b": 1}, {"b": [2, [3]]}, 4]}', 'a.b', 'c'), bson_lookup_values('{"a": [[{"b": 1}], {"b": 2}]}', 'a.0.b');
SELECT * FROM bson_aggregate('d', '[{"$match": {"_id": {"$lt": 3}}}, {"$lookup": {"from": "o", "localField": "city", "foreignField": "_id", "pipeline": [{"$match": {"k": {"$exists": true}}}, {"$project": {"_id": 0}}], "as": "f"}}, {"$project": {"f": 1}}, {"$sort": {"_id": 1}}]');
-- variables: also one without a value, of an outer stage, and one that hides another
SELECT * FROM bson_aggregate('d', '[{"$match": {"_id": {"$lt": 5}}}, {"$lookup": {"from": "o", "let": {"c": "$city", "m": "$nosuch"}, "pipeline": [{"$match": {"$expr": {"$eq": ["$_id", "$$c"]}}},
  {"$project": {"m": {"$type": "$$m"}, "c": "$$c"}}], "as": "f"}}, {"$project": {"f": 1}}, {"$sort": {"_id": 1}}]');
SELECT * FROM bson_aggregate('d', '[{"$match": {"_id": 1}}, {"$lookup": {"from": "o", "let": {"c": "$city", "id": "$_id"}, "pipeline": [{"$match": {"$expr": {"$eq": ["$_id", "$$c"]}}},
  {"$lookup": {"from": "o", "let": {"c": "$k"}, "pipeline": [{"$match": {"$expr": {"$eq": ["$k", "$$c"]}}}, {"$project": {"outer": "$$id", "c": "$$c"}}], "as": "g"}}], "as": "f"}}, {"$project": {"f": 1}}]');
SELECT * FROM bson_aggregate('d', '[{"$match": {"_id": 1}}, {"$lookup": {"let": {"x": "$a"}, "pipeline": [{"$documents": [{"v": "$$x"}, {"v": 2}]}, {"$sort": {"v": 1}}], "as": "f"}}, {"$project": {"f": 1}}]');
SELECT * FROM bson_aggregate('d', '[{"$match": {"_id": 1}}, {"$lookup": {"from": "o", "pipeline": [{"$sort": {"_id": -1}}, {"$limit": 2}, {"$group": {"_id": "$$ROOT._id"}}, {"$sort": {"_id": 1}}], "as": "f"}}, {"$unwind": "$f"}, {"$project": {"f": 1}}]');

-- $lookup and $unwind of what it found: a join
SELECT * FROM bson_aggregate('d', '[{"$lookup": {"from": "o", "localField": "a", "foreignField": "k", "as": "f.g"}}, {"$unwind": "$f.g"}, {"$project": {"f.g._id": 1}}, {"$sort": {"_id": 1, "f.g._id": 1}}]');
-- "as" replaces an array on its path, which no later $match finds; and a field that an earlier $lookup joined by
SELECT * FROM bson_aggregate('d', '[{"$match": {"n.b": {"$type": "array"}}}, {"$limit": 1}, {"$lookup": {"from": "o", "localField": "city", "foreignField": "nosuch", "as": "n.b.f"}}, {"$facet": {"all": [{"$project": {"n": 1}}], "found": [{"$match": {"n.b.0": {"$exists": true}}}]}}]');
SELECT * FROM bson_aggregate('d', '[{"$match": {"n.b": {"$type": "array"}}}, {"$lookup": {"from": "o", "localField": "city", "foreignField": "nosuch", "as": "n.b.f"}}, {"$match": {"n.b.0": {"$exists": true}}}, {"$count": "n"}]');
SELECT * FROM bson_aggregate('d', '[{"$match": {"_id": 1}}, {"$lookup": {"from": "o", "localField": "city", "foreignField": "_id", "as": "one"}}, {"$unwind": "$one"}, {"$lookup": {"from": "o", "localField": "one._id", "foreignField": "_id", "as": "city"}}, {"$unwind": "$city"}, {"$project": {"one": 1, "city": 1}}]');
SELECT * FROM bson_aggregate('d', '[{"$set": {"f": 1}}, {"$lookup": {"from": "o", "localField": "a", "foreignField": "k", "as": "f"}}, {"$unwind": {"path": "$f", "preserveNullAndEmptyArrays": true}}, {"$project": {"f._id": 1}}, {"$sort": {"_id": 1, "f._id": 1}}]');
-- what stands on the path to "as" becomes a document also where nothing is found, joined or not
SELECT s.*, bson_agg(data) FROM unnest(ARRAY['{"$unwind": {"path": "$a.f", "preserveNullAndEmptyArrays": true}}', '{"$match": {}}, {"$unwind": {"path": "$a.f", "preserveNullAndEmptyArrays": true}}']) AS s,
  bson_aggregate(NULL, ('[{"$documents": [{"a": 1, "x": -9}, {"a": [1, {"f": 2}], "x": -9}, {"x": -9}, {"a": {"f": [3], "g": 1}, "x": -9}]}, {"$lookup": {"from": "o", "localField": "x", "foreignField": "_id", "as": "a.f"}}, ' || s || ']')::bson) AS data GROUP BY s ORDER BY s;
SELECT * FROM bson_aggregate('d', '[{"$lookup": {"from": "o", "localField": "a", "foreignField": "k", "as": "f"}}, {"$unwind": {"path": "$f", "includeArrayIndex": "i"}}, {"$match": {"i": 1}}, {"$project": {"i": 1}}]');
SELECT * FROM bson_aggregate('d', '[{"$sort": {"_id": -1}}, {"$limit": 4}, {"$lookup": {"from": "o", "localField": "city", "foreignField": "_id", "pipeline": [{"$sort": {"_id": 1}}], "as": "f"}}, {"$unwind": "$f"}, {"$limit": 2}, {"$project": {"f._id": 1}}]');
-- references; $documents by equality; what is null or empty is not there
SELECT * FROM bson_aggregate(NULL, '[{"$documents": {"$literal": [{"r": {"$id": 1, "$db": "x"}}, {"r": {"$id": 2, "$db": "y"}}]}}, {"$lookup": {"localField": "r.$id", "foreignField": "k.$id", "pipeline": [{"$documents": {"$literal": [{"k": {"$id": 1}}, {"k": {"$id": 3}}]}}, {"$set": {"n": 1}}], "as": "f.$ref"}}]');
SELECT * FROM bson_aggregate('d', '[{"$match": {"_id": 1}}, {"$lookup": {"from": "o", "localField": "", "foreignField": "", "let": null, "pipeline": [{"$count": "n"}], "as": "f"}}, {"$project": {"f": 1}}]');
-- an equality of a field and a variable: missing, null, undefined, arrays, regular expressions
SELECT v, (SELECT bson_agg(doc -> '_id' ORDER BY doc -> '_id') FROM bson_aggregate(NULL, bson_build_array(bson_build_object('$documents', bson_build_array(v)),
    '{"$lookup": {"from": "d", "let": {"v": "$v"}, "pipeline": [{"$match": {"$expr": {"$eq": ["$$v", "$city"]}}}], "as": "f"}}'::bson, '{"$unwind": "$f"}'::bson, '{"$replaceWith": "$f"}'::bson)) AS doc) AS city,
    (SELECT bson_agg(doc -> '_id' ORDER BY doc -> '_id') FROM bson_aggregate(NULL, bson_build_array(bson_build_object('$documents', bson_build_array(v)),
    '{"$lookup": {"from": "d", "let": {"v": "$v"}, "pipeline": [{"$match": {"$expr": {"$and": [{"$eq": ["$a", "$$v"]}, {"$gt": ["$_id", 1]}]}}}], "as": "f"}}'::bson, '{"$unwind": "$f"}'::bson, '{"$replaceWith": "$f"}'::bson)) AS doc) AS a
  FROM unnest(ARRAY['{"v": "Oslo"}', '{}', '{"v": null}', '{"v": {"$undefined": true}}', '{"v": ["Oslo"]}', '{"v": 5}', '{"v": [5, 7]}', '{"v": {"$regularExpression": {"pattern": "O", "options": ""}}}']::bson[]) AS v;
SELECT bson_equality_query('1', 'a'), bson_equality_query(NULL, 'a'), bson_equality_query('{"$undefined": true}', 'a'), bson_equality_query('1', NULL) IS NULL;

-- the unwound field and the others in two columns: expressions of one, of the other, of both, of the whole document; elements that are arrays, and paths through them
CREATE TABLE u (data bson);
INSERT INTO u VALUES ('{"_id": 1, "a": [{"b": 1, "c": [1, 2]}, {"b": 2}], "x": {"y": [{"z": 5}, {"z": 6}]}}'), ('{"_id": 2, "a": [[{"b": 3}, {"b": 4}], null, 7], "x": {"y": {"z": 8}}}'), ('{"_id": 3, "a": {"b": 9}}'), ('{"_id": 4, "a": []}'), ('{"_id": 5}'), ('{"_id": 6, "a": null}');
SELECT * FROM bson_aggregate('u', '[{"$unwind": "$a"}, {"$group": {"_id": "$a", "n": {"$sum": 1}, "b": {"$max": "$a.b"}, "c": {"$min": "$a.c"}, "z": {"$max": "$x.y.z"}, "both": {"$max": {"$let": {"vars": {}, "in": ["$a.b", "$_id"]}}}}}, {"$sort": {"_id": 1}}]');
SELECT * FROM bson_aggregate('u', '[{"$unwind": "$a"}, {"$group": {"_id": {"$type": "$a.b"}, "n": {"$sum": "$_id"}, "both": {"$max": {"$concat": [{"$toString": "$_id"}, {"$type": "$a"}]}}, "whole": {"$max": "$$ROOT"}, "get": {"$addToSet": {"$getField": "a"}}, "top": {"$min": {"$let": {"vars": {"v": "$a"}, "in": "$$v.b"}}}}}, {"$set": {"get": {"$size": "$get"}}}, {"$sort": {"_id": 1}}]');
SELECT * FROM bson_aggregate('u', '[{"$unwind": "$a"}, {"$limit": 3}, {"$group": {"_id": "$_id", "n": {"$sum": "$a.b"}}}, {"$sort": {"_id": 1}}]') UNION ALL SELECT * FROM bson_aggregate('u', '[{"$sort": {"_id": -1}}, {"$unwind": "$a"}, {"$group": {"_id": null, "n": {"$push": "$a.b"}}}]')
  UNION ALL SELECT * FROM bson_aggregate('u', '[{"$unwind": "$x"}, {"$unwind": "$a"}, {"$sortByCount": "$x.y.z"}]') UNION ALL SELECT * FROM bson_aggregate('u', '[{"$unwind": {"path": "$a", "preserveNullAndEmptyArrays": true}}, {"$sortByCount": {"$type": "$a"}}, {"$sort": {"count": -1, "_id": 1}}, {"$limit": 3}]');
-- $lookup by _id and $unwind, a join: a value that is twice in an array finds a document once; groups of the joined document
SELECT * FROM bson_aggregate(NULL, '[{"$documents": [{"_id": 1, "k": ["Oslo", "Oslo", "Rome"]}, {"_id": 2, "k": null}, {"_id": 3}, {"_id": 4, "k": [["Oslo"]]}, {"_id": 5, "k": 9.0}]}, {"$lookup": {"from": "o", "localField": "k", "foreignField": "_id", "as": "f"}}, {"$unwind": "$f"}, {"$sort": {"_id": 1, "f._id": 1}}]');
SELECT * FROM bson_aggregate('d', '[{"$lookup": {"from": "o", "localField": "city", "foreignField": "_id", "as": "f"}}, {"$unwind": "$f"}, {"$match": {"_id": {"$lt": 6}}}, {"$group": {"_id": "$f._id", "n": {"$sum": "$_id"}, "k": {"$max": "$f.k"}, "f": {"$max": "$f"}, "all": {"$max": {"$let": {"vars": {}, "in": ["$f.k", "$city"]}}}}}, {"$sort": {"_id": 1}}]');
SELECT * FROM bson_aggregate('d', '[{"$lookup": {"from": "o", "localField": "city", "foreignField": "_id", "as": "n.f"}}, {"$unwind": "$n.f"}, {"$group": {"_id": "$n.f._id", "n": {"$sum": 1}}}, {"$sort": {"_id": 1}}]');
SELECT * FROM bson_unwind_values('{"a": [1, [2], null]}', '"$a"') UNION ALL SELECT * FROM bson_unwind_values('{"a": {"b": 5}}', '{"path": "$a.b"}') UNION ALL SELECT * FROM bson_unwind_values('{"a": null}', '"$a"') UNION ALL SELECT * FROM bson_unwind_values('{"a": []}', '"$a"') UNION ALL SELECT * FROM bson_unwind_values('{}', '"$a"');
SELECT * FROM bson_unwind_values('{}', '{"path": "$a", "includeArrayIndex": "i"}');
-- $graphLookup: each document once, also in circles; elements of arrays are references; null finds null, but never a missing field
CREATE TABLE e (data bson);
INSERT INTO e VALUES ('{"_id": 1, "name": "a", "to": "b"}'), ('{"_id": 2, "name": "b", "to": "c"}'), ('{"_id": 3, "name": "c", "to": "a"}'), ('{"_id": 4, "name": "d", "to": ["e", "b"]}'), ('{"_id": 5, "name": "e", "to": []}'),
  ('{"_id": 6, "name": "f", "to": "f"}'), ('{"_id": 7, "name": "g", "to": null}'), ('{"_id": 8, "to": 5}'), ('{"_id": 9, "name": null}'), ('{"_id": 10, "name": ["h", "i"], "to": "i"}'), ('{"_id": 11, "name": {"x": 1}, "to": [{"x": 1}, "h"]}');
SELECT * FROM bson_aggregate('e', '[{"$graphLookup": {"from": "e", "startWith": "$to", "connectFromField": "to", "connectToField": "name", "as": "all.found"}}, {"$set": {"all.found": {"$sortArray": {"input": "$all.found._id", "sortBy": 1}}}}, {"$sort": {"_id": 1}}]');
SELECT * FROM bson_aggregate('e', '[{"$match": {"_id": {"$in": [1, 4]}}}, {"$graphLookup": {"from": "e", "startWith": "$to", "connectFromField": "to", "connectToField": "name", "as": "f", "depthField": "d.n"}},
  {"$unwind": "$f"}, {"$replaceWith": {"_id": "$_id", "found": "$f._id", "depth": "$f.d.n"}}, {"$sort": {"_id": 1, "depth": 1, "found": 1}}]');
SELECT max, doc FROM unnest(ARRAY[0, 1, 2, 100]) AS max, bson_aggregate('e', bson_build_array('{"$match": {"_id": 1}}'::bson, bson_build_object('$graphLookup', '{"from": "e", "startWith": {"$literal": ["b"]}, "connectFromField": "to", "connectToField": "name", "as": "f"}'::bson || bson_build_object('maxDepth', max)), '{"$project": {"f._id": 1}}'::bson)) AS doc;
SELECT * FROM bson_aggregate('e', '[{"$match": {"_id": 4}}, {"$graphLookup": {"from": "e", "startWith": "$to", "connectFromField": "to", "connectToField": "name", "as": "f", "restrictSearchWithMatch": {"_id": {"$ne": 3}, "$expr": {"$lt": ["$_id", "$$NOW"]}}}}, {"$project": {"f._id": 1}}]');
SELECT bson_graph_query('{"{\"a\": [1, 2]}",NULL,"{\"a\": null}","{}"}', 'a', 'b.c'), bson_graph_query('{"{}"}', 'a', 'b') IS NULL, bson_graph_query('{}', 'a', 'b') IS NULL;

-- $unionWith, $facet
SELECT * FROM bson_aggregate('d', '[{"$project": {"_id": 1}}, {"$unionWith": "o"}, {"$unionWith": {"coll": "d", "pipeline": [{"$match": {"_id": 1}}, {"$project": {"_id": "one"}}]}}, {"$unionWith": {"pipeline": [{"$documents": [{"_id": 2.5}]}]}}, {"$project": {"_id": 1}}, {"$sort": {"_id": 1}}]');
SELECT * FROM bson_aggregate('d', '[{"$match": {"_id": {"$lt": 4}}}, {"$sort": {"_id": -1}}, {"$facet": {"ids": [{"$project": {"_id": 1}}], "count": [{"$count": "n"}], "none": [{"$match": {"_id": 9}}], "cities": [{"$sortByCount": "$city"}, {"$sort": {"_id": 1}}]}},
  {"$set": {"more": {"$size": "$ids"}}}]');
SELECT * FROM bson_aggregate('d', '[{"$match": {"_id": 99}}, {"$facet": {"a": [{"$count": "n"}]}}]');
SELECT * FROM bson_aggregate('d', '[]') LIMIT 1;

-- $setWindowFields: a missing field and null are one partition, and equal in ranks; what is missing stays so
CREATE TABLE w (data bson);
INSERT INTO w VALUES ('{"_id": 1, "s": "a", "q": 5}'), ('{"_id": 2, "s": "a", "q": 7}'), ('{"_id": 3, "s": "a"}'), ('{"_id": 4, "s": "b", "q": null}'), ('{"_id": 5, "s": "b", "q": 7.5}'), ('{"_id": 6, "q": 1}'), ('{"_id": 7, "s": null, "q": [2]}'), ('{"_id": 8, "s": "a", "q": 7}');
SELECT * FROM bson_aggregate('w', '[{"$setWindowFields": {"output": {"p": {"$push": ["$_id", "$s"]}, "s": {"$stdDevPop": ["$q", 1]}}}}, {"$limit": 1}, {"$project": {"p": 1, "s": 1, "_id": 0}}]');
SELECT * FROM bson_aggregate('w', '[{"$setWindowFields": {"partitionBy": "$s", "sortBy": {"_id": 1}, "output": {"run": {"$sum": "$q", "window": {"documents": ["unbounded", "current"]}}, "n": {"$count": {}}, "avg": {"$avg": "$q", "window": {"documents": [-1, 1]}}, "none": {"$max": "$q", "window": {"documents": [7, 9]}}}}}, {"$sort": {"_id": 1}}]');
SELECT * FROM bson_aggregate('w', '[{"$setWindowFields": {"sortBy": {"q": 1}, "output": {"r": {"$rank": {}}, "dr": {"$denseRank": {}}}}}, {"$sort": {"q": 1, "_id": 1}}, {"$project": {"q": 1, "r": 1, "dr": 1}}]');
SELECT * FROM bson_aggregate('w', '[{"$setWindowFields": {"partitionBy": "$s", "sortBy": {"_id": 1}, "output": {"dn": {"$documentNumber": {}}, "prev": {"$shift": {"output": "$q", "by": -1}}, "next": {"$shift": {"output": "$q", "by": 1, "default": {"$literal": "$none"}}}, "same": {"$shift": {"output": "$q", "by": 0}}}}}, {"$sort": {"_id": 1}}]');
SELECT * FROM bson_aggregate('w', '[{"$setWindowFields": {"partitionBy": "$s", "sortBy": {"_id": 1}, "output": {"f": {"$first": "$q", "window": {"documents": [1, 2]}}, "q": {"$last": "$q"}, "p": {"$push": "$q", "window": {"documents": ["current", 1]}}, "locf": {"$locf": "$q"}}}}, {"$sort": {"_id": 1}}]');
SELECT * FROM bson_aggregate('w', '[{"$setWindowFields": {"partitionBy": {"$type": "$s"}, "sortBy": {"q": -1}, "output": {"a.set": {"$addToSet": "$q"}, "a.peers": {"$sum": 1, "window": {"documents": ["unbounded", "unbounded"]}}, "first": {"$firstN": {"input": "$s", "n": 2}}, "sd": {"$stdDevPop": "$q"}, "med": {"$median": {"input": "$_id", "method": "approximate"}}}}}, {"$sort": {"_id": 1}}]');
SELECT * FROM bson_aggregate('w', '[{"$match": {"_id": {"$lt": 3}}}, {"$setWindowFields": {"output": {}}}, {"$setWindowFields": {"output": {"all": {"$push": "$_id"}}}}, {"$set": {"all": {"$size": "$all"}}}]');
SELECT * FROM bson_aggregate('w', '[{"$sort": {"_id": -1}}, {"$limit": 3}, {"$setWindowFields": {"sortBy": {"_id": 1}, "output": {"r": {"$rank": {}}}}}]');
-- one new field, and conditions of it, of others, of both; more stages behind
SELECT * FROM bson_aggregate('w', '[{"$setWindowFields": {"sortBy": {"_id": 1}, "output": {"n": {"$documentNumber": {}}}}}, {"$match": {"n": {"$gte": 3}}}, {"$match": {"s": "a"}}, {"$match": {"$or": [{"n": 8}, {"q": 7}]}}, {"$project": {"n": 1}}, {"$match": {"n": 8}}]')
  UNION ALL SELECT * FROM bson_aggregate('w', '[{"$setWindowFields": {"partitionBy": "$s", "output": {"s": {"$sum": "$q"}}}}, {"$match": {"s": {"$lt": 20}}}, {"$group": {"_id": "$s", "ids": {"$addToSet": "$_id"}}}, {"$sort": {"_id": 1}}]')
  UNION ALL SELECT * FROM bson_aggregate('w', '[{"$setWindowFields": {"output": {"m": {"$max": "$q"}}}}, {"$set": {"q": 0}}, {"$match": {"q": 0, "m": 2}}, {"$count": "n"}]')
  UNION ALL SELECT * FROM bson_aggregate('w', '[{"$setWindowFields": {"sortBy": {"_id": 1}, "output": {"n": {"$documentNumber": {}}}}}, {"$match": {"$expr": {"$gt": ["$n", 7]}}}, {"$match": {"n.x": null, "n": {"$exists": true}}}, {"$group": {"_id": {"n": "$n", "q": "$q"}}}]');
-- $fill
SELECT * FROM bson_aggregate('w', '[{"$fill": {"partitionByFields": ["s"], "sortBy": {"_id": 1}, "output": {"q": {"method": "locf"}, "s": {"value": {"$add": ["$_id", 1]}}}}}, {"$sort": {"_id": 1}}]');
SELECT * FROM bson_aggregate('w', '[{"$fill": {"output": {"q": {"value": 0}}}}, {"$match": {"q": 0}}]');

-- find
SELECT bson_find_sql('d', '{"a": {"$elemMatch": {"$gt": 5}}}', '{"a.$": 1}', '{"_id": 1}', 1, 2);
SELECT bson_find_sql('d');
SELECT bson_find_sql('d', '{}', '{}', '{}', 0, 0);
CREATE FUNCTION pg_temp.find(filter bson, projection bson, sort bson, skip bigint, "limit" bigint) RETURNS SETOF bson LANGUAGE plpgsql AS
  $$ BEGIN RETURN QUERY EXECUTE bson_find_sql('d', filter, projection, sort, skip, "limit"); END $$;
SELECT * FROM pg_temp.find('{"a": {"$gt": 4}}', '{"a.$": 1}', '{"_id": -1}', 0, 0);
SELECT * FROM pg_temp.find(NULL, '{"_id": 1}', '{"_id": -1}', 2, 2);

-- NULL, functions of a document by themselves, columns
SELECT bson_pipeline_sql('d', NULL) IS NULL, (SELECT count(*) FROM bson_aggregate('d', NULL)), bson_find_sql(NULL) IS NULL;
SELECT bson_transform('{"a": 1}', '[{"$set": {"b": {"$add": ["$a", "$$x"]}}}, {"$unset": "a"}]', '{"x": 2}'), bson_transform('{"a": 1}', '[{"$set": {"b": "$$x", "c": 1}}]', '{"$missing": ["x"]}'), bson_transform(NULL, '[]') IS NULL, bson_transform('{"a": 1}', '[]');
SELECT bson_put('{"a": 1}', 'b', '2'), bson_put('{"a": {"b": 1, "c": 2}}', 'a.b', '[]'), bson_put('{"a": [1], "z": 1}', 'a.b.c', 'null'), bson_put('{"a": 1, "b": 2}', 'a', '{"x": 1}');
SELECT bson_put('{"a": 1, "b": 2}', 'a', NULL), bson_put('{"a": 1}', 'a.b', NULL), bson_put('{"a": 1}', 'c.d', NULL), bson_put(NULL, 'a', '1') IS NULL, bson_put('{"a": 1}', NULL, '1') IS NULL;
SELECT bson_let('{"a": 1}', '{"x": "$a", "y": "$b"}', '{"x": 9, "z": 8, "$missing": ["w", "y"]}'), bson_let('{"a": 1}', '{"x": {"$add": ["$a", "$$z"]}}', '{"z": 8}');
SELECT * FROM bson_unwind('{"a": [1, {"b": 2}]}', '{"path": "$a", "includeArrayIndex": "i"}');
SELECT g, bson_unwind(d, '"$a"') FROM (VALUES (1, '{"a": [1, 2]}'::bson), (2, '{"a": 3}'), (3, '{}')) AS v(g, d);
-- rows of calls that end early and begin anew, of several calls side by side, and of compressed documents
SELECT i, ARRAY(SELECT bson_unwind_values(d, '"$a"') LIMIT i), ARRAY(SELECT bson_lookup_each(d, 'a') LIMIT 2), ARRAY(SELECT bson_lookup_alone(d, 'a') LIMIT 2) FROM (VALUES (1, '{"a": [1, 2, 3]}'::bson), (2, '{"a": [6, 5, 4]}'), (3, '{}')) AS v(i, d);
SELECT bson_unwind_values(d, '"$a"'), bson_lookup_each(d, 'b'), generate_series(1, 2), bson_unwind(bson_unwind(d, '"$a"'), '"$b"') FROM (VALUES ('{"a": [1, 2, 3], "b": 4}'::bson), ('{"a": 5, "b": [8, 7]}')) AS v(d);
CREATE TABLE compressed AS SELECT bson_build_object('pad', repeat(md5(i::text), 1 + i % 2 * 200), 'a', array_agg(k)) AS d FROM generate_series(1, 20) AS i, generate_series(1, i) AS k GROUP BY i;
SELECT count(u), sum(u), count(l), sum(l), count(w) FROM (SELECT bson_unwind_values(d, '"$a"') AS u, bson_lookup_each(d, 'a') AS l, bson_unwind(d, '"$a"') -> 'a' AS w
    FROM compressed) AS rows;
SELECT count(l), sum(l) FROM (SELECT bson_lookup_alone(d, 'a') AS l FROM compressed) AS rows;
SELECT (d -> 'i')::int, l FROM (SELECT d, bson_lookup_alone(d, 'a') AS l FROM (VALUES ('{"i": 1, "a": [1, 2]}'::bson), ('{"i": 2, "a": 3}'), ('{"i": 3, "a": 4}'), ('{"i": 4}'), ('{"i": 5, "a": [[6], 7]}'), ('{"i": 6, "a": {"b": 8}}')) AS v(d)) AS v;
SELECT bson_lookup_alone('5', 'a');
SELECT bson_lookup_alone(d, 'a'), generate_series(1, 2) FROM compressed;  -- ERROR
SELECT * FROM (SELECT bson_lookup_alone(d, 'a'), bson_lookup_each(d, 'a') FROM compressed) AS s;  -- ERROR
SELECT path, count(*), count(*) FILTER (WHERE ARRAY(SELECT bson_lookup_each(d, path)) <> bson_lookup_values(d, path) OR ARRAY(SELECT bson_lookup_alone(d, path)) <> bson_lookup_values(d, path)) AS differ, string_agg(ARRAY(SELECT bson_lookup_each(d, path))::text, ' ' ORDER BY d)
FROM unnest('{"{}","{\"a\": null}","{\"a\": 5}","{\"a\": []}","{\"a\": [[1, 2], 3, 3]}","{\"a\": {\"b\": [2, 1, 2]}}","{\"a\": [{\"b\": 1}, {\"b\": [1, 2]}]}","{\"a\": [[]]}"}'::bson[]) AS d, unnest('{a,a.b}'::text[]) AS path GROUP BY path ORDER BY path;
CREATE TABLE arrays (data bson);
INSERT INTO arrays VALUES ('{"_id": 1, "a": [{"x": 1}, 2, 2], "ab": 3, "b": {"c": 5}, "c": 7}'), ('{"_id": 2, "a": [3], "b": [{"c": 6}, {"c": [8]}, 4], "c": [1, 2]}'), ('{"_id": 3, "a": [], "ab": 9, "b": "x", "c": 100}'), ('{"_id": 4, "a": "s", "ab": 4}'), ('{"_id": 5, "c": 1000}');
-- a $group reads fields beside the unwound array, also by paths through arrays: the same as with an index, where the document is copied
SELECT string_agg(left(g::text, 60), '  ') FILTER (WHERE a <> b OR n = 0) AS differ, count(*) FROM (SELECT g, n, a, b FROM unnest(ARRAY['{"_id": "$b", "n": {"$sum": "$c"}, "m": {"$max": "$c"}}', '{"_id": {"k": "$b.c"}, "n": {"$sum": 1}}', '{"_id": {"k": "$b.c", "l": "$a"}, "n": {"$max": "$b.c"}}',
    '{"_id": "$a", "n": {"$sum": "$ab"}, "m": {"$sum": "$a"}}', '{"_id": null, "n": {"$addToSet": "$b.c"}, "m": {"$min": {"$type": "$c"}}}', '{"_id": "$a.x", "m": {"$max": "$a"}, "n": {"$avg": "$$ROOT.c"}, "o": {"$sum": "$c"}}']::bson[]) AS g,
    LATERAL (SELECT count(*) AS n, array_agg(x ORDER BY x) AS a FROM bson_aggregate('arrays', bson_build_array(bson '{"$unwind": "$a"}', bson_build_object('$group', g))) AS x) AS t,
    LATERAL (SELECT array_agg(x ORDER BY x) AS b FROM bson_aggregate('arrays', bson_build_array(bson '{"$unwind": {"path": "$a", "includeArrayIndex": "i"}}', bson_build_object('$group', g))) AS x) AS u) AS g;
SELECT bson_first(v), bson_last(v), bson_min(v), bson_max(v) FROM unnest(ARRAY[NULL, 'null', '3', '{"$undefined": true}', '2', NULL]::bson[]) AS v;
SELECT bson_first(v), bson_last(v), bson_min(v), bson_max(v) FROM unnest(ARRAY['null', NULL]::bson[]) AS v;
SELECT bson_first(v), bson_last(v), bson_min(v), bson_max(v) FROM unnest('{}'::bson[]) AS v;
SELECT bson_first(v ORDER BY v DESC), bson_last(v ORDER BY v DESC) FROM unnest('{1,3,2}'::bson[]) AS v;
SELECT bson_top(v, k, '2' ORDER BY v), bson_bottom(v, k, '2.0', false ORDER BY v), bson_bottom(v, k, '2', true ORDER BY v), bson_top(v, k, '{"$numberDecimal": "1E10"}' ORDER BY v) FROM (VALUES ('1', '1'), ('2', NULL), ('3', '1'), ('4', '1'), (NULL, '"x"')) AS s(a, b), LATERAL (SELECT a::bson, b::bson) AS t(v, k);
SELECT bson_top(v, v, '2'), bson_bottom(v, v, '0', false) FROM unnest('{}'::bson[]) AS v;
SELECT i % 3, bson_top(to_bson(i), to_bson(i * 7919 % 1009), '4'), bson_bottom(to_bson(i), to_bson(i * 7919 % 1009), '3', false), bson_array_length(bson_top(to_bson(i), to_bson(i * 7919 % 1009), '999')) FROM generate_series(1, 1000) AS i GROUP BY 1 ORDER BY 1;
SELECT bson_top('1', '1', '0');
SELECT bson_top('1', '1', '1.5');
SELECT bson_bottom('1', '1', NULL, NULL);
CREATE TABLE two (id int, one bson, other bson);
INSERT INTO two VALUES (1, '{"a": 1}', '{"a": 2}');
SELECT * FROM bson_aggregate('two', '[{"$match": {"a": 2}}, {"$lookup": {"from": "two", "localField": "a", "foreignField": "a", "as": "x"}}]', 'other');
SELECT * FROM bson_aggregate('two', '[{"$lookup": {"from": "d", "localField": "a", "foreignField": "_id", "as": "x"}}, {"$project": {"x._id": 1}}]', 'one');
-- the statement: formatted, and without the schemas that the search_path gives
SELECT bson_pipeline_sql('d', '[{"$match": {"a": 5}}, {"$group": {"_id": "$city", "n": {"$sum": 1}}}, {"$sort": {"n": -1}}, {"$limit": 2}, {"$lookup": {"from": "o", "localField": "_id", "foreignField": "_id", "as": "o"}}]');
SELECT bson_pipeline_sql('d', '[{"$match": {"a": 5}}, {"$sort": {"a": 1}}, {"$skip": 1}, {"$limit": 2}, {"$project": {"a": 1}}, {"$set": {"b": "$$NOW"}}]');
SET search_path = pg_catalog;
SELECT public.bson_pipeline_sql('public.d', '[{"$match": {"a": 5}}, {"$group": {"_id": {"a": "$a", "b": "$b"}, "n": {"$sum": 1}}}]');
RESET search_path;
-- names in constants stay, and nothing is asked that cannot be: whether a value is an array or is missing
SELECT bson_pipeline_sql('d', '[{"$match": {"OPERATOR(public.a)": "pg_catalog.b''public.c\\\"public.bson ''"}}, {"$group": {"_id": {"a": "$a.public.b", "b": "$b"}, "m": {"$max": "$b"}}}, {"$group": {"_id": "$_id.a", "n": {"$sum": "$m"}}}, {"$group": {"_id": "$_id", "a": {"$max": "$_id.x"}}}]');
SELECT bson_pipeline_sql('d', '[{"$unwind": "$a"}, {"$group": {"_id": "$a", "b": {"$max": "$a.b.c"}, "s": {"$sum": "$b"}}}]');
SELECT bson_pipeline_sql('o', '[{"$lookup": {"from": "d", "localField": "d", "foreignField": "_id", "as": "d"}}, {"$unwind": "$d"}, {"$group": {"_id": "$d.city", "b": {"$max": "$d.b.c"}, "n": {"$sum": "$n"}}}]');
SELECT bson_pipeline_sql('d', '[{"$group": {"_id": "$a"}}, {"$unionWith": "o"}, {"$group": {"_id": "$_id"}}]') ~ 'COALESCE\(s[0-9].data -> ''_id'', ''null''\)' AS asks;
CREATE VIEW v AS SELECT data FROM d;
CREATE MATERIALIZED VIEW m AS SELECT data FROM d;
SELECT * FROM bson_aggregate('v', '[{"$count": "n"}]') UNION ALL SELECT * FROM bson_aggregate('m', '[{"$count": "m"}]');
DROP TABLE o, e, w, two, arrays, compressed;
DROP TABLE d CASCADE;
