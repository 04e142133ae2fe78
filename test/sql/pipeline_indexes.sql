-- If this fails, a statement that an index is made for no longer uses it: compound indexes, partial ones, anchored patterns, unique ones for upserts
SET client_min_messages = warning;
SET jit = off;
CREATE TABLE offer (data bson, CHECK ((bson_typeof(data -> '_id') <> 'array') IS TRUE));
INSERT INTO offer SELECT bson_build_object('_id', i, 'status', i % 20, 'created', i * 1597 % 4001, 'category', i % 50, 'price', i % 997, 'active', i % 100 = 0, 'sku', 'sku ' || i, 'name', CASE WHEN i % 400 = 0 THEN 'lamp desk ' ELSE 'chair ' END || i, 'at', bson_build_object('shelf', i % 200)) FROM generate_series(1, 4000) AS i;
CREATE UNIQUE INDEX offer_id ON offer ((data -> '_id'));
CREATE INDEX offer_status_created ON offer ((data -> 'status'), (data -> 'created') DESC);
CREATE INDEX offer_category_price ON offer ((data -> 'category'), (data -> 'price'));
CREATE INDEX offer_created ON offer ((data -> 'created'));
CREATE INDEX offer_active_price ON offer ((data -> 'price')) WHERE data @~ '{"active": true}';
CREATE INDEX offer_name ON offer ((data -> 'name'));
CREATE INDEX offer_shelf ON offer ((data -> 'at' -> 'shelf'));
CREATE UNIQUE INDEX offer_sku ON offer ((data -> 'sku'));
VACUUM ANALYZE offer;
-- the scans of a plan, without what versions of the server write differently
CREATE FUNCTION pg_temp.plan(statement text, OUT scan text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
  FOR scan IN EXECUTE 'EXPLAIN (COSTS OFF) ' || statement LOOP
    scan := substring(scan FROM '(((Bitmap )?Index Scan|Seq Scan|Conflict Arbiter).*)');
    CONTINUE WHEN scan IS NULL;
    scan := regexp_replace(scan, ' on offer t.*', '');
    RETURN NEXT;
  END LOOP;
END $$;
-- 1. equality on the first field, and a sort by the next; backwards; a range that is sorted by; one document by two fields; a dotted path; the _id
SELECT pg_temp.plan(bson_find_sql('offer', '{"status": 3}', NULL, '{"created": -1}', 0, 50));
SELECT pg_temp.plan(bson_find_sql('offer', NULL, NULL, '{"created": -1}', 100, 20));
SELECT pg_temp.plan(bson_find_sql('offer', '{"category": 7, "price": {"$gte": 100, "$lt": 200}}', NULL, '{"price": 1}', 0, 20));
SELECT pg_temp.plan(bson_delete_sql('offer', '{"category": 7, "price": 57}'));
SELECT pg_temp.plan(bson_find_sql('offer', '{"at.shelf": 7}'));
SELECT pg_temp.plan(bson_find_sql('offer', '{"_id": 5}'));
SELECT pg_temp.plan(bson_find_sql('offer', '{"_id": {"$in": [5, 6]}}'));
-- 2. a partial index whose condition the filter implies
SELECT pg_temp.plan(bson_find_sql('offer', '{"active": true, "price": {"$lt": 3}}'));
-- 3. an anchored pattern
SELECT pg_temp.plan(bson_find_sql('offer', '{"name": {"$regex": "^lamp desk"}}'));
-- 4. an upsert by a unique index
SELECT pg_temp.plan(bson_update_sql('offer', '{"sku": "sku 7"}', '{"$set": {"n": 1}}', '{"upsert": true}'));
DROP TABLE offer;
