-- If this fails, a btree or a GIN index does not serve a regular expression that begins with ^, or finds other documents by it
SET client_min_messages = warning;
SET jit = off;
CREATE TABLE named (data bson);
CREATE TEMP TABLE val AS SELECT v::bson AS v FROM unnest(ARRAY['"lamp desk"', '"lamp desl"', '"lamp des"', '"lamp desk "', '"lamp deskä"', '"Lamp desk"', '"a lamp desk"', '"x\nlamp desk"', '{"$symbol": "lamp desk 5"}', '{"$symbol": "lamp"}', '"lam"', '"la"', '"lamp*"', '"lamp.desk"', '"lampdesk"', '"lamp\u0000x"', '""', '"l"', '"é"', '"éa"', '"è"', '"ê"', '"퟿"', '"퟿a"', '""', '"\uDBFF\uDFFFx"', '"z"', '5', 'null', '{"lamp": 1}', 'true',
  '{"$regularExpression": {"pattern": "^lamp", "options": ""}}', '{"$regularExpression": {"pattern": "^lamp", "options": "i"}}', '{"$regularExpression": {"pattern": "^lamp desk", "options": "s"}}', '{"$code": "lamp"}', '"lamp a|b"', '"b"', '"lamp (x)"', '"a long name that has more bytes than a key 1"', '"a long name that has more bytes than a key 2"', '"a long name th"']) AS v;
INSERT INTO named SELECT bson_build_object('n', v, 'o', bson_build_object('n', v)) FROM val UNION ALL SELECT bson_build_object('n', bson_build_array(v, 'lamp')) FROM val UNION ALL SELECT bson_build_object('o', bson_build_array(bson_build_object('n', v))) FROM val
  UNION ALL SELECT bson_build_object('n', bson_build_array(bson_build_array(v))) FROM val UNION ALL VALUES ('{}'::bson), ('[{"n": "lamp desk"}]');
CREATE TEMP TABLE q AS SELECT bson_build_object(path, bson_build_object('$regex', p, '$options', o)) AS q, p, o FROM unnest(ARRAY['^lamp', '^lamp desk', '^lamp desk$', '^lamp.*k', '^lamp d?', '^lamp desk*', '^lamp desk{0,1}', '^lamp desk+', '^lamp|^b', '^(lamp|b)', '^la(?i)MP', '^lamp\.', '^lamp\*', '^lamp\ ', '^lamp a\|b', '^lamp\s', '^lamp\Q.\E', '^\x6camp', '^', '^.', '^l?', '^*', 'lamp', '\Alamp', '^[l]amp', '^lamp \(', '^lamp #', '^lamp }', '^é', '^éa*',
    '^퟿', U&'^\+10FFFF', '^a long name that has more bytes than a key 1', '^a long name that has more bytes', '^^lamp', '^lamp^', '(?i)^lamp', '^ lamp desk', '^lamp(?=.*k)', '^lampß']) AS p, unnest(ARRAY['', 'i', 'm', 'x', 's', 'su']) AS o, unnest(ARRAY['n', 'o.n']) AS path;
INSERT INTO q SELECT q::bson FROM unnest(ARRAY['{"n": {"$regularExpression": {"pattern": "^lamp", "options": ""}}}', '{"n": {"$not": {"$regex": "^lamp"}}}', '{"n": {"$regex": "^lamp", "$ne": "lamp"}}', '{"n": {"$in": [{"$regularExpression": {"pattern": "^lamp", "options": ""}}, "b"]}}', '{"n": {"$elemMatch": {"$regex": "^lamp"}}}', '{"$or": [{"n": {"$regex": "^lamp"}}, {"n": 5}]}', '{"n": {"$regex": "^lamp"}, "o.n": {"$regex": "^lamp d"}}']) AS q;
CREATE FUNCTION pg_temp.wrong() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE wrong bigint := 0; q bson; found text[]; other text[];
BEGIN
  FOR q IN SELECT t.q FROM q AS t LOOP
    BEGIN
      EXECUTE format('SELECT ARRAY(SELECT d::text FROM (%s) AS f(d) ORDER BY 1)', bson_find_sql('named', q)) INTO found;
      SELECT ARRAY(SELECT data::text FROM named WHERE bson_match(data, q) ORDER BY 1) INTO other;
      IF found IS DISTINCT FROM other THEN wrong := wrong + 1; RAISE WARNING '% % %', q, found, other; END IF;
    EXCEPTION WHEN invalid_regular_expression THEN NULL;
    END;
  END LOOP;
  RETURN wrong;
END $$;
SELECT count(*) AS queries, pg_temp.wrong() FROM q;
SET enable_seqscan = off;
CREATE INDEX named_n ON named ((data -> 'n'));
CREATE INDEX named_on ON named ((data -> 'o' -> 'n'));
SELECT pg_temp.wrong() AS btree;
-- what the conditions are
SELECT p, o, replace(bson_find_sql('named', q), E'\n', ' ') FROM q WHERE q ? 'n' AND (p, o) IN (('^lamp desk', ''), ('^lamp d?', 's'), ('^lamp\.', ''), ('^éa*', ''), (U&'^\+10FFFF', ''), ('^lamp|^b', ''), ('^lamp', 'i'), ('^l?', '')) ORDER BY p COLLATE "C", o;
DROP INDEX named_n, named_on;
CREATE INDEX ON named USING gin (data bson_range_ops);
SELECT pg_temp.wrong() AS range_ops;
DROP INDEX named_data_idx;
CREATE INDEX ON named USING gin (data);
SELECT pg_temp.wrong() AS ops;
-- 20,000 rows, of which few are read
RESET enable_seqscan;
CREATE TABLE lamps AS SELECT bson_build_object('_id', i, 'name', 'lamp ' || i) AS data FROM generate_series(1, 20000) AS i;
CREATE FUNCTION pg_temp.reads(statement text) RETURNS TABLE (rows int, few_removed boolean, seq_scan boolean) LANGUAGE plpgsql AS $$
DECLARE plan jsonb; BEGIN EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF, COSTS OFF, FORMAT json) ' || statement INTO plan;
  RETURN QUERY SELECT (plan #>> '{0,Plan,Actual Rows}')::float8::int, coalesce((jsonb_path_query_first(plan, '$.**."Rows Removed by Index Recheck"'))::int, 0) < 200, plan::text ~ 'Seq Scan'; END $$;
CREATE INDEX ON lamps USING gin (data bson_range_ops);
ANALYZE lamps;
SELECT * FROM pg_temp.reads(bson_find_sql('lamps', '{"name": {"$regex": "^lamp 1234"}}'));
DROP INDEX lamps_data_idx;
CREATE INDEX ON lamps ((data -> 'name'));
ANALYZE lamps;
SELECT * FROM pg_temp.reads(bson_find_sql('lamps', '{"name": {"$regex": "^lamp 1234"}}'));
DROP TABLE named, lamps;
