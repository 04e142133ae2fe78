-- If this fails, a partial index does not serve a filter that implies its condition, or serves one that does not
SET client_min_messages = warning;
SET jit = off;
CREATE TABLE part (data bson);
CREATE TEMP TABLE val AS SELECT v::bson AS v, nr FROM unnest(ARRAY['null', '0', '5', '7', '5.5', '"a"', '{}', '[]', '[5]', '[9, "a"]', '{"$numberDouble": "NaN"}', 'true', 'false', '{"$date": "2024-01-01T00:00:00Z"}', '{"x": 1}']) WITH ORDINALITY AS u(v, nr);
INSERT INTO part SELECT bson_build_object('_id', a.nr * 100 + b.nr, 'a', a.v, 'b', b.v, 'c', (a.nr + b.nr) % 5) FROM val AS a, val AS b WHERE b.nr IN (1, 3, 4, 9) UNION ALL SELECT bson_build_object('_id', 5000 + nr, 'b', v) FROM val UNION ALL SELECT bson_build_object('_id', 6000 + nr, 'a', v) FROM val UNION ALL VALUES ('{}'::bson), ('[{"a": 5, "b": 5}]');
CREATE TEMP TABLE operand AS SELECT v AS o FROM val UNION ALL SELECT bson_build_object(op, v) FROM val, unnest('{$eq,$gt,$gte,$lt,$lte,$ne}'::text[]) AS op WHERE nr IN (1, 3, 4, 5, 6, 9, 11, 15) UNION ALL SELECT o::bson FROM unnest(ARRAY['{"$exists": true}', '{"$exists": false}', '{"$in": [5, 7]}', '{"$in": [5, null]}', '{"$in": [5, 7, "a"]}', '{"$gt": 4, "$lt": 8}', '{"$gte": 5, "$lte": 7}', '{"$gt": 5, "$lt": 7}', '{"$type": "number"}', '{"$not": {"$gt": 5}}', '{"$size": 1}', '{"$regex": "^a"}', '{"$elemMatch": {"$gt": 5}}', '{"$mod": [5, 0]}']) AS o;
-- the conditions of the index, one after the other: documents that a filter finds are the same, and a filter that does not imply the condition does not get it
CREATE FUNCTION pg_temp.tried(condition bson, OUT served bigint, OUT too_many bigint, OUT wrong bigint) LANGUAGE plpgsql AS $$
DECLARE f bson; statement text; found text[]; other text[]; same bool;
BEGIN
  served := 0; too_many := 0; wrong := 0;
  EXECUTE format('CREATE INDEX part_i ON part ((data -> ''b'')) WHERE data @~ %L', condition);
  FOR f IN SELECT bson_build_object('a', o, 'b', 5) FROM operand UNION ALL SELECT bson_build_object('b', '{"$gt": 1}'::bson, '$and', bson_build_array(bson_build_object('a', o))) FROM operand WHERE o = '5' OR o ? '$exists' UNION ALL SELECT bson_build_object('b', 5, '$or', bson_build_array(bson_build_object('a', o))) FROM operand WHERE o = '5' OR o ? '$exists' LOOP
    statement := bson_find_sql('part', f);
    EXECUTE format('SELECT ARRAY(SELECT d::text FROM (%s) AS f(d) ORDER BY 1)', statement) INTO found;
    SELECT ARRAY(SELECT data::text FROM part WHERE bson_match(data, f) ORDER BY 1) INTO other;
    wrong := wrong + (found IS DISTINCT FROM other)::int;
    IF strpos(statement, format('data @~ %L', condition)) > 0 AND strpos(statement, '-> ''b''') > 0 THEN
      served := served + 1;
      too_many := too_many + EXISTS (SELECT FROM part WHERE bson_match(data, f) AND NOT bson_match(data, condition))::int;
    END IF;
  END LOOP;
  DROP INDEX part_i;
END $$;
SET enable_seqscan = off;
SELECT c, (pg_temp.tried(c::bson)).* FROM unnest(ARRAY['{"a": 5}', '{"a": {"$gt": 5}}', '{"a": {"$gte": 5}}', '{"a": {"$lt": 5}}', '{"a": {"$lte": 7}}', '{"a": {"$exists": true}}', '{"a": {"$exists": false}}', '{"a": {"$in": [5, 7]}}', '{"a": {"$ne": 5}}', '{"a": null}', '{"a": {"$gt": 4, "$lt": 8}}', '{"a": {"$type": "number"}}', '{"a": {"$regex": "^a"}}', '{"a": {"$gte": {"$numberDouble": "NaN"}}}', '{"$or": [{"a": 5}]}', '{"a": {"$gt": {}}}', '{"a": 5, "b": {"$exists": true}}', '{}']) AS c;
RESET enable_seqscan;
-- the plan
CREATE TABLE shop AS SELECT bson_build_object('_id', i, 'active', i % 10 = 0, 'price', i % 1000) AS data FROM generate_series(1, 20000) AS i;
CREATE INDEX shop_active ON shop ((data -> 'price')) WHERE data @~ '{"active": true}';
CREATE INDEX shop_id ON shop ((data -> '_id'));
VACUUM ANALYZE shop;
CREATE FUNCTION pg_temp.uses(statement text) RETURNS boolean LANGUAGE plpgsql AS $$ DECLARE line text; BEGIN FOR line IN EXECUTE 'EXPLAIN ' || statement LOOP IF line ~ 'shop_active' THEN RETURN true; END IF; END LOOP; RETURN false; END $$;
SELECT f, s, pg_temp.uses(bson_find_sql('shop', f::bson, NULL, s::bson, 0, n)) FROM (VALUES ('{"active": true, "price": {"$lt": 3}}', NULL, NULL), ('{"price": 7, "active": {"$eq": true}}', NULL, NULL), ('{"active": true}', '{"price": -1}', 5), ('{"active": false, "price": 7}', NULL, NULL), ('{"price": 7}', NULL, NULL)) AS v(f, s, n);
SELECT pg_temp.uses(bson_delete_sql('shop', '{"active": true, "price": 7}', '{"multi": true}'));
SELECT bson_find_sql('shop', '{"active": true, "price": {"$lt": 3}}');
DROP TABLE part, shop;
