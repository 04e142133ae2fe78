-- If this fails, $expr in a query does not hold where MongoDB's expression is true, or an index loses rows
\pset format unaligned
\pset tuples_only
-- fields compared with each other; what counts as true
SELECT q, '{"spent": 7, "budget": 5, "tags": ["a", "b"], "zero": 0, "no": false, "nothing": null, "text": ""}'::bson @~ q FROM unnest(ARRAY[
  '{"$expr": {"$gt": ["$spent", "$budget"]}}', '{"$expr": {"$lt": ["$spent", "$budget"]}}', '{"$expr": "$spent"}', '{"$expr": "$zero"}', '{"$expr": "$no"}', '{"$expr": "$nothing"}', '{"$expr": "$text"}', '{"$expr": "$missing"}', '{"$expr": []}', '{"$expr": {}}', '{"$expr": 1}', '{"$expr": 0}',
  '{"$expr": {"$in": ["b", "$tags"]}}', '{"$expr": {"$eq": ["$tags", "a"]}}', '{"$expr": {"$eq": ["$missing", null]}}', '{"$expr": {"$lt": ["$missing", 1]}}', '{"$expr": {"$lt": ["$spent", "$text"]}}', '{"$expr": {"$let": {"vars": {"d": {"$subtract": ["$spent", "$budget"]}}, "in": {"$eq": ["$$d", 2]}}}}', '{"$expr": {"$eq": ["$$ROOT.spent", 7]}}',
  '{"spent": 7, "$expr": {"$gt": ["$spent", 6]}}', '{"spent": 8, "$expr": true}', '{"$and": [{"$expr": true}, {"spent": {"$gt": 6}}]}', '{"$or": [{"$expr": false}, {"spent": 7}]}', '{"$nor": [{"$expr": {"$eq": ["$spent", "$budget"]}}]}', '{"$nor": [{"$and": [{"spent": 7}, {"$expr": false}]}]}'
]::bson[]) AS q;
-- the expression comes after the other conditions, which may keep it from an error
SELECT '{"a": 0}'::bson @~ '{"$expr": {"$gt": [{"$divide": [1, "$a"]}, 0]}, "a": {"$ne": 0}}', '{"a": 0}'::bson @~ '{"$or": [{"$expr": {"$gt": [{"$divide": [1, "$a"]}, 0]}}, {"a": 0}]}';
SELECT '{"a": 0}'::bson @~ '{"$expr": {"$gt": [{"$divide": [1, "$a"]}, 0]}}';  -- ERROR
-- it is about the whole document, and about its arguments alone
CREATE FUNCTION pg_temp.refusal(query bson) RETURNS text LANGUAGE plpgsql AS $$
DECLARE detail text; hint text;
BEGIN
  RETURN '{}'::bson @~ query;
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
  RETURN sqlstate || ': ' || sqlerrm || coalesce(' ' || nullif(detail, ''), '') || coalesce(' ' || nullif(hint, ''), '');
END $$;
SELECT q, pg_temp.refusal(q) FROM unnest(ARRAY[
  '{"a": {"$expr": true}}', '{"a": {"$not": {"$expr": true}}}', '{"a": {"$elemMatch": {"$expr": true}}}', '{"a": {"$elemMatch": {"$or": [{"$expr": true}]}}}', '{"a": {"$all": [{"$elemMatch": {"$expr": true}}]}}',
  '{"$expr": {"$lt": ["$due", "$$NOW"]}}', '{"$expr": "$$unknown"}', '{"$expr": {"$let": {"vars": {"x": 1}, "in": "$$y"}}}', '{"$expr": {"$nosuch": 1}}', '{"$expr": {"$add": [1], "$abs": 1}}', '{"$expr": "$"}', '{"$sampleRate": 0.5}'
]::bson[]) AS q;
-- nor is it for the elements that an update changes, for the element that a projection shows, or for an upsert
SELECT bson_update('{"a": [1]}', '{"$pull": {"a": {"$expr": true}}}');  -- ERROR
SELECT bson_update('{"a": [{"b": 1}]}', '{"$pull": {"a": {"b": 1, "$expr": true}}}');  -- ERROR
SELECT bson_update('{"a": [{"b": 1}]}', '{"$set": {"a.$[x].b": 2}}', NULL, '[{"$and": [{"x.b": 1}, {"$expr": true}]}]');  -- ERROR
SELECT bson_project('{"a": [1, 2]}', '{"a.$": 1}', '{"a": 2, "$expr": true}');  -- ERROR
SELECT bson_upsert('{"a": 1, "$or": [{"$expr": true}, {"b": 1}]}', '{"$set": {"c": 1}}');  -- ERROR
SELECT bson_update('{"a": [1, 5], "b": 4}', '{"$set": {"a.$": 9}}', '{"$expr": {"$gt": ["$b", 3]}, "a": {"$gt": 3}}');
-- the same as bson_eval, for comparisons of all that there is
SELECT count(*), count(*) FILTER (WHERE (d @~ bson_build_object('$expr', e)) IS DISTINCT FROM (bson_eval(d, bson_build_object('$cond', bson_build_array(e, true, false))) = 'true'))
FROM (SELECT bson_build_object('a', x, 'b', y) AS d FROM unnest(ARRAY['1', '1.0', '2', '"a"', 'null', '[1]', '[1, 2]', '{"c": 1}', 'true', '{"$date": 0}']::bson[]) AS x, unnest(ARRAY['1', '"a"', 'null', '[1]', '{"c": 1}', '2.5']::bson[]) AS y) AS docs,
  (SELECT bson_build_object(op, bson_build_array(v, w)) AS e FROM unnest(ARRAY['$eq', '$ne', '$lt', '$lte', '$gt', '$gte', '$cmp']) AS op, unnest(ARRAY['"$a"', '"$b"', '"$a.c"']::bson[]) AS v, unnest(ARRAY['"$b"', '1', '"$missing"', 'null', '[1]']::bson[]) AS w) AS expressions;
-- one call site, other queries
SELECT '{"a": 2}'::bson @~ bson_build_object('$expr', bson_build_object('$eq', bson_build_array('$a', i))) FROM generate_series(1, 3) AS i;
-- an index serves the rest of the query
CREATE TABLE expense AS SELECT bson_build_object('kind', i % 10, 'spent', i % 7, 'budget', i % 6) AS d FROM generate_series(1, 3000) AS i;
CREATE INDEX ON expense USING gin (d);
ANALYZE expense;
CREATE TEMP TABLE question AS SELECT q FROM unnest(ARRAY['{"kind": 3, "$expr": {"$gt": ["$spent", "$budget"]}}', '{"$expr": {"$gt": ["$spent", "$budget"]}}', '{"$or": [{"kind": 3}, {"$expr": {"$gt": ["$spent", "$budget"]}}]}',
  '{"$nor": [{"kind": 3}, {"$expr": {"$gt": ["$spent", "$budget"]}}]}', '{"$nor": [{"$and": [{"kind": 3}, {"$expr": {"$gt": ["$spent", "$budget"]}}]}]}', '{"$and": [{"kind": 3}, {"$nor": [{"$expr": {"$gt": ["$spent", "$budget"]}}]}]}']::bson[]) AS q;
CREATE FUNCTION pg_temp.found(q bson) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE n bigint;
BEGIN
  EXECUTE format('SELECT count(*) FROM expense WHERE d @~ %L', q) INTO n;
  RETURN n;
END $$;
SET enable_bitmapscan = off;
SELECT q, pg_temp.found(q) FROM question;
RESET enable_bitmapscan;
SET enable_seqscan = off;
SELECT q, pg_temp.found(q) FROM question;
EXPLAIN (COSTS OFF) SELECT count(*) FROM expense WHERE d @~ '{"kind": 3, "$expr": {"$gt": ["$spent", "$budget"]}}';
RESET enable_seqscan;
-- a condition of a table, as it is immutable
ALTER TABLE expense ADD CHECK (d @~ '{"$expr": {"$lt": ["$spent", 7]}}');
INSERT INTO expense VALUES ('{"spent": 8}');  -- ERROR
DROP TABLE expense;
