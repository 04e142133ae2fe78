-- If this fails, prefix slices or the detoast cache give other answers than the whole value.
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
-- any user may set it: to what a server can bear
SELECT unit, max_val FROM pg_settings WHERE name = 'bson.detoast_cache_size';

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

-- the server's detoasting and ours give the same bytes; fronts of any length hold what they should: noise that does not
-- compress, runs that compress to nothing, and text, in front and behind
CREATE TABLE toast_kind (how text, n int, d bson);
CREATE FUNCTION toast_noise(n int) RETURNS bytea LANGUAGE sql AS
  $$ SELECT decode(coalesce(string_agg(md5(i::text || n), ''), ''), 'hex') FROM generate_series(1, n) AS i $$;
DO $$
DECLARE
  method text;
BEGIN
  -- a server may be built without lz4
  FOR method IN SELECT unnest(enumvals) FROM pg_settings WHERE name = 'default_toast_compression' LOOP
    EXECUTE format('ALTER TABLE toast_kind ALTER d SET COMPRESSION %s', method);
    INSERT INTO toast_kind
      SELECT method, n, bson_build_object('a', n, 'front', CASE n % 3 WHEN 0 THEN to_bson(toast_noise(n)) WHEN 1 THEN to_bson(repeat('x', n * 10)) ELSE to_bson(repeat(md5(n::text), n)) END,
          'b', n, 'noise', toast_noise(n), 'c', n, 'run', repeat('ab', n * 20), 'd', n, 'words', (SELECT array_agg(i % 11 || ' bottles') FROM generate_series(1, n) AS i), 'e', n)
      FROM unnest(ARRAY[1, 2, 3, 50, 51, 52, 53, 60, 70, 80, 90, 100, 200, 500, 1000, 1001, 1002, 20000, 20001, 20002]) AS n;
  END LOOP;
END $$;
SELECT count(*) >= 20 AS filled, count(*) FILTER (WHERE pg_column_compression(d) = how) > 5 AS compressed,
    bool_and(bson_send(d) = d::bytea || '') AS same FROM toast_kind;
SET bson.detoast_cache_size = 0;
SELECT bool_and(d -#> 'a' = n) AS a, bool_and(d -#> 'b' = n) AS b, bool_and(d -#> 'c' = n) AS c, bool_and(d -#> 'd' = n) AS d, bool_and(d -#> 'e' = n) AS e,
    bool_and(d -> 'f' IS NULL) AS f FROM toast_kind;
-- a call site that sees only one row
SELECT k, bool_and((SELECT d -#> k FROM toast_kind AS t WHERE t.ctid = u.ctid) = n) AS same FROM toast_kind AS u, unnest(ARRAY['a', 'b', 'c', 'd', 'e']) AS k GROUP BY k ORDER BY k;
RESET bson.detoast_cache_size;
DROP TABLE toast_kind;
DROP FUNCTION toast_noise;

-- many values in one query, each small enough for the cache but too large together: the oldest are removed, and read
-- again
CREATE TEMP TABLE several (id int, d bson);
INSERT INTO several SELECT i, bson_build_object('n', i, 's', repeat('abcdefgh', 3000), 'z', i * 2) FROM generate_series(1, 9) AS i;
CREATE TEMP VIEW several_read AS
  SELECT sum(a.d -#> 'z') AS a, sum(b.d -#> 'z') AS b, sum(c.d -#> 'z') AS c, sum(e.d -#> 'z') AS e, sum(length(a.d ->> 's')) AS s
  FROM several a, several b, several c, several e WHERE a.id < b.id AND b.id < c.id AND c.id < e.id;
SET bson.detoast_cache_size = '64kB';
SELECT * FROM several_read;
RESET bson.detoast_cache_size;
SELECT * FROM several_read;

-- repetitions in compressed values: of what is shorter and longer than is copied at once, and of all lengths
CREATE TEMP TABLE repeated (s text, d bson);
ALTER TABLE repeated ALTER d SET COMPRESSION pglz;
INSERT INTO repeated SELECT s, bson_build_object('s', s)
  FROM (SELECT string_agg(left(repeat(left(md5(period || ' ' || len) || md5(len || ' ' || period), period), len / period + 1), len), '') AS s
          FROM generate_series(1, 40) AS period, generate_series(3, 300, 3) AS len GROUP BY period) AS x;
SELECT count(*), bool_and(pg_column_size(d) < length(s) / 2) AS compressed, bool_and(d ->> 's' = s) AS same FROM repeated;

-- queries of documents of which only the fields in question are read, one document after another and each alone
CREATE TEMP TABLE queried (id int, d bson);
ALTER TABLE queried ALTER d SET STORAGE EXTERNAL;
INSERT INTO queried SELECT i, replace(root, '@', repeat(md5(i::text), 700))::bson FROM (VALUES
    (1, '{"pad": "@", "a": 1, "pad2": "@", "b": {"pad": "@", "c": 5, "d": "@"}, "e": [1, 2, "@", {"f": 3}], "z": null}'),
    (2, '{"pad": "@", "a": [1, 2], "pad2": "@", "b": [{"c": 5}, {"c": "@"}, {"c": [7]}], "e": 4}'),
    (3, '{"a": "@", "pad": "@", "b": {"pad": "@", "c": {"x": 1}}, "e": []}'),
    (4, '{"b": 5, "pad": "@", "a": {"b": "@"}, "e": {"0": 1, "3": {"f": 3}}}'),
    (5, '{"pad": "@", "pad2": "@"}'),
    (6, '["@", {"a": 1}, {"b": {"c": 5}}, "@"]'),
    (7, '{"pad": ["@", "@", 1], "a": 1, "a": 2, "b": {"c": 5, "c": 6, "pad": "@"}}'),
    (8, '"@"')) AS v (i, root);
CREATE TEMP TABLE query (q bson);
INSERT INTO query VALUES ('{"a": 1}'), ('{"a": {"$ne": 1}}'), ('{"a": 2}'), ('{"a": null}'), ('{"a": {"$exists": false}}'), ('{"b.c": 5}'), ('{"b.c": 7}'), ('{"b.c": {"$gt": 5}}'),
    ('{"b.c": null}'), ('{"b.c": {"$exists": true}}'), ('{"b.c.x": 1}'), ('{"b.x": null}'), ('{"b.1.c": {"$type": "string"}}'), ('{"e": {"$size": 4}}'), ('{"e": {"$size": 0}}'),
    ('{"e.3.f": 3}'), ('{"e.f": 3}'), ('{"e": {"$all": [1, 2]}}'), ('{"e": {"$elemMatch": {"f": 3}}}'), ('{"a": 1, "b.c": 5}'), ('{"a": {"$gte": 1, "$lt": 3}, "e": {"$in": [4, 1]}}'),
    ('{"a": {"$not": {"$gt": 1}}, "z": null}'), ('{"z": {"$type": "null"}}'), ('{"0": {"$type": "string"}}'), ('{"1.a": 1}'), ('{"pad": {"$regex": "^[0-9a-f]*$"}, "b": {"$type": "object"}}'),
    ('{"pad": 1}'), ('{"b": {"$eq": 5}}'), ('{"zz.yy": null, "pad2": {"$exists": true}}');
SELECT count(*), count(*) FILTER (WHERE alone) AS matches, bool_and(one_after_another = alone) AS same
  FROM (SELECT d @~ q AS one_after_another, bson_match(bson_in(bson_out(d)), q) AS alone FROM query, queried OFFSET 0) AS s;
SELECT count(*) FILTER (WHERE (SELECT d @~ q FROM queried AS t WHERE t.id = queried.id) <> bson_match(bson_in(bson_out(d)), q)) AS different FROM query, queried;
DO $$
DECLARE
  r record;
  constant text;
  plain text;
BEGIN
  FOR r IN SELECT q FROM query LOOP
    EXECUTE format('SELECT string_agg(id::text, '' '' ORDER BY id) FROM queried WHERE d @~ %L', r.q) INTO constant;
    SELECT string_agg(id::text, ' ' ORDER BY id) INTO plain FROM queried WHERE bson_match(bson_in(bson_out(d)), r.q);
    IF constant IS DISTINCT FROM plain THEN
      RAISE '% is met by % and not by %', r.q, constant, plain;
    END IF;
  END LOOP;
END $$;
