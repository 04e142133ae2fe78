-- If this fails, prefix slices or the detoast cache give another answer than the whole value.
CREATE TABLE toast_doc (id int, how text, d bson);
-- keys spread over some 60 kB, in every way a value can be stored
CREATE FUNCTION toast_fill(storage text, method text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ALTER TABLE toast_doc ALTER d SET STORAGE %s', storage);
  IF method IS NOT NULL THEN
    EXECUTE format('ALTER TABLE toast_doc ALTER d SET COMPRESSION %s', method);
  END IF;
  INSERT INTO toast_doc SELECT i, storage || coalesce(' ' || method, ''),
    (SELECT ('{' || string_agg(format('"k%s": {"n": %s, "pad": "%s"}', k, k * i, repeat(md5((k * i)::text), 1 + k % 7)), ', ') || '}')::bson
       FROM generate_series(1, 300 * i / 3) AS k)
  FROM generate_series(1, 6) AS i;
END $$;
SELECT toast_fill('external', NULL);
SELECT toast_fill('extended', 'pglz');
-- compressed within the row
INSERT INTO toast_doc SELECT 7, 'inline', ('{"k1": {"n": 7}, "pad": "' || repeat('x', 20000) || '", "k50": {"n": 350}, "k100": {"n": 700}}')::bson;

-- each key by itself, all in one query, with and without the cache
CREATE VIEW toast_answers AS
  SELECT id, how, d -> 'k1' -#> 'n' AS k1, d -> 'k50' -#> 'n' AS k50, d -> 'k100' -#> 'n' AS k100, d -> 'k2' -#> 'n' AS k2,
    d -#> '{k90,n}' AS k90, d -> 'none' AS none, length(d -> 'k100' ->> 'pad') AS pad FROM toast_doc;
SELECT * FROM toast_answers ORDER BY how, id;
CREATE TEMP TABLE cached AS SELECT * FROM toast_answers;
SET bson.detoast_cache_size = 0;
SELECT * FROM (SELECT * FROM toast_answers EXCEPT ALL SELECT * FROM cached) AS x;
-- a cache that holds little: some values fit, others do not
SET bson.detoast_cache_size = '64kB';
SELECT * FROM (SELECT * FROM toast_answers EXCEPT ALL SELECT * FROM cached) AS x;
RESET bson.detoast_cache_size;

-- the slices agree with the bytes read whole
SELECT count(*) AS rows, bool_and((d -> k) IS NOT DISTINCT FROM (w -> k)) AS same
  FROM toast_doc, LATERAL (SELECT (d::bytea || '')::bson AS w) AS s,
    unnest(ARRAY['k1', 'k2', 'k33', 'k77', 'k100', 'k150', 'k299', 'k600', 'none']) AS k;

-- within one transaction: updates, rolled back subtransactions, TRUNCATE
BEGIN;
SELECT sum(d -> 'k1' -#> 'n') FROM toast_doc WHERE how = 'external';
SAVEPOINT s;
UPDATE toast_doc SET d = ('{"k1": {"n": -1}, "pad": "' || repeat(md5(id::text), 400) || '"}')::bson WHERE how = 'external';
SELECT sum(d -> 'k1' -#> 'n') FROM toast_doc WHERE how = 'external';
ROLLBACK TO s;
SELECT sum(d -> 'k1' -#> 'n') FROM toast_doc WHERE how = 'external';
TRUNCATE toast_doc;
INSERT INTO toast_doc SELECT 1, 'new', ('{"k1": {"n": ' || i || '}, "pad": "' || repeat(md5(i::text), 400) || '"}')::bson FROM generate_series(1, 10) AS i;
SELECT sum(d -> 'k1' -#> 'n') FROM toast_doc;
ROLLBACK;
SELECT sum(d -> 'k1' -#> 'n') FROM toast_doc WHERE how = 'external';

-- a cursor that is read across a subtransaction
BEGIN;
DECLARE c CURSOR FOR SELECT d -> 'k100' -#> 'n' FROM toast_doc ORDER BY how, id;
FETCH 2 FROM c;
SAVEPOINT s;
SELECT 1 / 0;
ROLLBACK TO s;
FETCH 2 FROM c;
COMMIT;
DROP TABLE toast_doc CASCADE;
DROP FUNCTION toast_fill;
