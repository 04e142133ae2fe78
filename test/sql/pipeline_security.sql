-- If this fails, a text in a pipeline becomes SQL, or a pipeline reads what its caller may not
\pset format unaligned
\pset tuples_only on
-- words that would end a literal, a name, a statement or a line
CREATE TEMP TABLE word (w text);
INSERT INTO word VALUES ($$'$$), ($$''$$), ($$"$$), ($$a'; DROP TABLE kept; --$$), ($$'::bson)); DROP TABLE kept; --$$), ($$*/ DROP TABLE kept; /*$$), ($$\'$$), ($$\\$$), ($$\x41$$), (E'\n; DROP TABLE kept;\n'), (E'a\r\tb'), ('$$'), ('a$1'), ('%s'), ('%d%n#'), ('#'),
  ('{{x}}'), (')'), ('data'), ('key'), ('s1'), ('_id '), (repeat('x', 63)), (repeat('long ', 40)), ('ü'), (':v'), ('--'), ('NULL'), (E'U&"\\0041"');
CREATE TABLE kept (data bson);
INSERT INTO kept VALUES ('{"_id": 1}');
CREATE TABLE d (data bson);
INSERT INTO d SELECT bson_build_object('_id', w, w, w, 'list', bson_build_array(w, 1), 'k', bson_build_object(w, 1)) FROM word;
-- as a value, a field and a name in every stage: each word finds its own document
SELECT w FROM word WHERE (
  (SELECT count(*) = 1 FROM bson_aggregate('d', bson_build_array(bson_build_object('$match', bson_build_object('_id', w)))))
  AND (SELECT count(*) = 1 FROM bson_aggregate('d', bson_build_array(bson_build_object('$match', bson_build_object('$expr', bson_build_object('$eq', bson_build_array('$_id', bson_build_object('$literal', w))))))))
  AND (SELECT count(*) = 1 FROM bson_aggregate('d', bson_build_array(bson_build_object('$match', bson_build_object('$expr', bson_build_object('$and', bson_build_array(bson_build_object('$ne', '["$$NOW", null]'::bson), bson_build_object('$eq', bson_build_array('$_id', bson_build_object('$literal', w))))))))))) IS NOT TRUE;
SELECT w FROM word WHERE left(w, 1) <> '$' AND strpos(w, '.') = 0 AND (
  (SELECT count(*) = 1 FROM bson_aggregate('d', bson_build_array(bson_build_object('$match', bson_build_object(w, w)))))
  AND (SELECT count(*) = 1 FROM bson_aggregate('d', bson_build_array(bson_build_object('$project', bson_build_object('_id', 0, w, 1)), bson_build_object('$match', bson_build_object(w, bson_build_object('$exists', true))), bson_build_object('$sort', bson_build_object(w, 1)))))
  AND (SELECT doc -> w IS NULL FROM bson_aggregate('d', bson_build_array(bson_build_object('$unset', bson_build_array(w)), bson_build_object('$match', bson_build_object('_id', w)))) AS doc)
  AND (SELECT count(*) = 1 FROM bson_aggregate('d', bson_build_array(bson_build_object('$unwind', '$' || w))))
  AND (SELECT count(*) = 2 FROM bson_aggregate('d', bson_build_array(bson_build_object('$match', bson_build_object('_id', w)), bson_build_object('$unwind', bson_build_object('path', '$list', 'includeArrayIndex', w)))) AS doc WHERE bson_typeof(doc -> w) = 'long')
  AND (SELECT count(*) = 2 FROM bson_aggregate('d', bson_build_array(bson_build_object('$group', bson_build_object('_id', '$' || w)))))
  AND (SELECT count(*) = 2 FROM bson_aggregate('d', bson_build_array(bson_build_object('$sortByCount', '$' || w))))
  AND (SELECT bool_and(doc ? w) FROM bson_aggregate('d', bson_build_array(bson_build_object('$group', bson_build_object('_id', '$_id', w || '_', bson_build_object('$push', '$' || w), w, bson_build_object('$top', bson_build_object('sortBy', bson_build_object(w, 1), 'output', '$' || w)))))) AS doc)
  AND (SELECT doc -> w = (SELECT to_bson(count(*)) FROM d) FROM bson_aggregate('d', bson_build_array(bson_build_object('$count', w))) AS doc)
  AND (SELECT bson_array_length(doc -> w) = 1 FROM bson_aggregate('d', bson_build_array(bson_build_object('$match', bson_build_object('_id', w)), bson_build_object('$lookup', bson_build_object('from', 'd', 'localField', w, 'foreignField', w, 'as', w)))) AS doc)
  AND (SELECT bson_array_length(doc -> w) = 1 FROM bson_aggregate('d', bson_build_array(bson_build_object('$match', bson_build_object('_id', w)), bson_build_object('$lookup', bson_build_object('from', 'd', 'localField', '_id', 'foreignField', '_id', 'as', w)))) AS doc)
  AND (SELECT bson_array_length(doc -> 'x') = 1 FROM bson_aggregate('d', bson_build_array(bson_build_object('$match', bson_build_object('_id', w)), bson_build_object('$lookup', bson_build_object('from', 'd', 'let', bson_build_object('v', '$' || w), 'pipeline', '[{"$match": {"$expr": {"$eq": ["$$v", "$_id"]}}}]'::bson, 'as', 'x')))) AS doc)
  AND (SELECT bson_array_length(doc -> w) = 1 FROM bson_aggregate('d', bson_build_array(bson_build_object('$facet', bson_build_object(w, bson_build_array(bson_build_object('$match', bson_build_object('_id', w))))))) AS doc)
  AND (SELECT count(*) = (SELECT count(*) FROM d) AND bool_and(doc ? w) FROM bson_aggregate('d', bson_build_array(bson_build_object('$setWindowFields', bson_build_object('partitionBy', '$' || w, 'sortBy', '{"list.1": 1}'::bson, 'output', bson_build_object(w, bson_build_object('$expMovingAvg', bson_build_object('input', '$' || w, 'N', 2)), w || '_', bson_build_object('$covariancePop', bson_build_array('$' || w, '$' || w))))))) AS doc)
  AND (SELECT count(*) = 2 FROM bson_aggregate('d', bson_build_array(bson_build_object('$bucketAuto', bson_build_object('groupBy', '$' || w, 'buckets', 2, 'output', bson_build_object(w, bson_build_object('$push', '$' || w)))))))
  AND (SELECT count(*) = 3 FROM bson_aggregate(NULL, bson_build_array(bson_build_object('$documents', bson_build_array(bson_build_object(w, 1, w || '_', w), bson_build_object(w, 3, w || '_', w))), bson_build_object('$densify', bson_build_object('field', w, 'partitionByFields', bson_build_array(w || '_'), 'range', '{"step": 1, "bounds": "partition"}'::bson)))) AS doc WHERE doc ->> (w || '_') = w)
  AND (SELECT bson_array_length(doc -> w) = 1 AND bson_typeof(doc -> w -> 0 -> w) = 'long' FROM bson_aggregate('d', bson_build_array(bson_build_object('$match', bson_build_object('_id', w)), bson_build_object('$graphLookup', bson_build_object('from', 'd', 'startWith', '$' || w, 'connectFromField', w, 'connectToField', w, 'as', w, 'depthField', w, 'restrictSearchWithMatch', bson_build_object(w, w))))) AS doc)
  AND (SELECT count(*) = (SELECT count(*) FROM d) AND bool_and(doc ? w) FROM bson_aggregate('d', bson_build_array(bson_build_object('$fill', bson_build_object('partitionByFields', bson_build_array(w), 'sortBy', '{"list.1": 1}'::bson, 'output', bson_build_object(w, bson_build_object('value', bson_build_object('$literal', w))))))) AS doc)
  AND (SELECT count(*) = (SELECT count(*) FROM d) AND bool_and(doc ? w) FROM bson_aggregate('d', bson_build_array(bson_build_object('$fill', bson_build_object('partitionByFields', bson_build_array(w || '_'), 'sortBy', bson_build_object(w, 1), 'output', bson_build_object(w, '{"method": "locf"}'::bson))))) AS doc)
  AND (SELECT count(*) = 1 FROM bson_aggregate('d', bson_build_array(bson_build_object('$match', bson_build_object('_id', w)), bson_build_object('$replaceWith', bson_build_object(w, '$' || w)), bson_build_object('$match', bson_build_object(w, w)))))
  AND (SELECT count(*) = 1 FROM bson_aggregate('d', bson_build_array(bson_build_object('$redact', bson_build_object('$cond', bson_build_array(bson_build_object('$eq', bson_build_array('$' || w, bson_build_object('$literal', w))), '$$KEEP', '$$PRUNE'))))))
  AND (SELECT count(*) = 2 FROM bson_aggregate('d', bson_build_array(bson_build_object('$bucket', bson_build_object('groupBy', '$' || w, 'boundaries', bson_build_array(w, w || 'z'), 'default', NULL)))))) IS NOT TRUE;
-- what does not find it is an error in the pipeline, and none in the statement
CREATE FUNCTION pg_temp.state(pipeline bson) RETURNS text LANGUAGE plpgsql AS
  $$ BEGIN PERFORM bson_aggregate('d', pipeline); RETURN 'no error'; EXCEPTION WHEN others THEN RETURN SQLSTATE; END $$;
SELECT DISTINCT s, pg_temp.state(bson_build_array(CASE s
    WHEN 'stage' THEN bson_build_object(w, 1) WHEN 'accumulator' THEN bson_build_object('$group', bson_build_object('_id', 1, 'a', bson_build_object('$' || w, 1)))
    WHEN 'operator' THEN bson_build_object('$set', bson_build_object('a', bson_build_object('$' || w, 1))) WHEN 'option' THEN bson_build_object('$lookup', bson_build_object(w, '1'))
    WHEN 'query operator' THEN bson_build_object('$match', bson_build_object('a', bson_build_object('$' || w, 1))) WHEN 'variable' THEN bson_build_object('$set', bson_build_object('a', '$$v' || w))
    WHEN 'table' THEN bson_build_object('$unionWith', w) WHEN 'let' THEN bson_build_object('$lookup', bson_build_object('from', 'd', 'as', 'x', 'let', bson_build_object('v' || w, 1), 'pipeline', '[]'::bson)) END)) AS state
  FROM word, unnest(ARRAY['stage', 'accumulator', 'operator', 'option', 'query operator', 'variable', 'table']) AS s ORDER BY 1, 2;
-- tables, columns and schemas with such names
CREATE FUNCTION pg_temp.rename_and_read(w name) RETURNS text LANGUAGE plpgsql AS $$
DECLARE n text; s text;
BEGIN
    EXECUTE format('CREATE SCHEMA %I', 'pipe' || w);
    EXECUTE format('CREATE TABLE %I.%I (%I bson)', 'pipe' || w, w, w);
    EXECUTE format('INSERT INTO %I.%I VALUES (''{"_id": 1}'')', 'pipe' || w, w);
    s := bson_pipeline_sql(format('%I.%I', 'pipe' || w, w)::regclass, bson_build_array(bson_build_object('$unionWith', bson_build_object('coll', 'kept')), '{"$count": "n"}'::bson));
    EXECUTE s INTO n;
    PERFORM set_config('search_path', format('%I, public', 'pipe' || w), true);
    s := n || (SELECT bson_aggregate('kept', bson_build_array(bson_build_object('$unionWith', w::text), '{"$count": "n"}'::bson)));
    PERFORM set_config('search_path', 'public', true);
    EXECUTE format('DROP SCHEMA %I CASCADE', 'pipe' || w);
    RETURN s;
END $$;
SET client_min_messages = warning;
SELECT pg_temp.rename_and_read(left(w, 50)::name) AS result, count(*) = (SELECT count(*) FROM word) AS all FROM word GROUP BY 1;
RESET client_min_messages;
SELECT * FROM kept;

-- what a search_path finds first does not matter to the statement: it has no schemas only where all names mean the same
CREATE SCHEMA evil;
CREATE FUNCTION evil.bson_eval(bson, bson) RETURNS bson LANGUAGE sql AS $$ SELECT '"evil"'::public.bson $$;
CREATE FUNCTION evil.now() RETURNS timestamptz LANGUAGE sql AS $$ SELECT 'epoch'::timestamptz $$;
CREATE FUNCTION evil.match(public.bson, public.bson) RETURNS boolean LANGUAGE sql AS $$ SELECT false $$;
CREATE OPERATOR evil.@~ (LEFTARG = public.bson, RIGHTARG = public.bson, FUNCTION = evil.match);
CREATE OPERATOR evil.= (LEFTARG = public.bson, RIGHTARG = public.bson, FUNCTION = evil.match);
CREATE TABLE evil.kept (data bson);
CREATE DOMAIN evil.text AS int;
SET search_path = evil, public;
SELECT bson_pipeline_sql('public.kept', '[{"$match": {"_id": 1}}, {"$group": {"_id": {"$add": ["$_id", 1]}, "n": {"$sum": 1}, "t": {"$max": "$$NOW"}}}, {"$project": {"t": {"$gt": ["$t", {"$toDate": "2000-01-01"}]}, "n": 1}}, {"$lookup": {"from": "public.kept", "localField": "n", "foreignField": "_id", "as": "k"}}]') AS statement
\gset
SET search_path = evil, pg_catalog;
:statement;
SET search_path = '';
:statement;
-- the name of a stage is looked up by the caller's search_path
SET search_path = evil, public;
SELECT count(*) FROM bson_aggregate('public.kept', '[{"$lookup": {"from": "kept", "pipeline": [], "as": "k"}}, {"$match": {"k": []}}]');
RESET search_path;

-- rights: SELECT on each table, and row security
CREATE ROLE regress_pipeline;
CREATE TABLE mine (owner name, data bson);
INSERT INTO mine VALUES ('regress_pipeline', '{"_id": 1}'), ('other', '{"_id": 2}');
ALTER TABLE mine ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON mine USING (owner = current_user);
CREATE VIEW owners AS SELECT data FROM kept;
SET ROLE regress_pipeline;
SELECT * FROM bson_aggregate('kept', '[]');
SELECT * FROM bson_aggregate('mine', '[{"$lookup": {"from": "kept", "pipeline": [], "as": "k"}}]');
RESET ROLE;
GRANT SELECT ON mine, owners TO regress_pipeline;
SET ROLE regress_pipeline;
SELECT * FROM bson_aggregate('mine', '[]');
SELECT * FROM bson_aggregate('mine', '[{"$count": "n"}]');
SELECT * FROM bson_aggregate('mine', '[{"$lookup": {"from": "kept", "pipeline": [], "as": "k"}}]');
SELECT * FROM bson_aggregate('mine', '[{"$graphLookup": {"from": "kept", "startWith": "$_id", "connectFromField": "_id", "connectToField": "_id", "as": "k"}}]');
SELECT * FROM bson_aggregate('mine', '[{"$unionWith": "kept"}]');
SELECT * FROM bson_aggregate('mine', '[{"$facet": {"a": [{"$unionWith": {"coll": "mine"}}]}}]');
SELECT * FROM bson_aggregate(NULL, '[{"$documents": [{}]}, {"$unionWith": {"pipeline": [{"$documents": [{}]}, {"$lookup": {"from": "kept", "localField": "a", "foreignField": "_id", "as": "k"}}]}}]');
-- a view reads with its owner's rights, as in any query
SELECT * FROM bson_aggregate('owners', '[{"$lookup": {"from": "mine", "pipeline": [], "as": "k"}}]');
-- a column alone is enough
RESET ROLE;
REVOKE SELECT ON mine FROM regress_pipeline;
GRANT SELECT (data, owner) ON mine TO regress_pipeline;
SET ROLE regress_pipeline;
SELECT * FROM bson_aggregate('mine', '[]');
RESET ROLE;
-- it writes nothing, and reads what its caller's statement sees
BEGIN;
INSERT INTO kept VALUES ('{"_id": 2}');
SELECT count(*) FROM bson_aggregate('kept', '[]');
ROLLBACK;
SET statement_timeout = '200ms';
SELECT count(*) FROM bson_aggregate(NULL, '[{"$documents": {"$map": {"input": {"$range": [0, 3000]}, "in": {"v": {"$range": [0, 3000]}}}}}, {"$unwind": "$v"}, {"$group": {"_id": "$v"}}]');
RESET statement_timeout;
DROP TABLE kept, mine, d CASCADE;
DROP SCHEMA evil CASCADE;
DROP ROLE regress_pipeline;
