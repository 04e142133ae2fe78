-- If this fails, ORDER BY, DISTINCT, UNIQUE, merge joins or btree indexes on bson are wrong or unused.
SET enable_hashagg = off;
SET enable_hashjoin = off;
SET enable_nestloop = off;

CREATE TABLE docs (id int, v bson);
INSERT INTO docs VALUES
	(1, '{"a": 2}'), (2, '10'), (3, '{"$numberDecimal": "10.0"}'), (4, '"ten"'), (5, 'null'), (6, NULL),
	(7, '[1, 2]'), (8, '9'), (9, 'true'), (10, '{"a": 2.0}'), (11, '{"$symbol": "ten"}'), (12, NULL), (13, '9.5');

SELECT id, v FROM docs ORDER BY v, id;
SELECT id FROM docs ORDER BY v DESC NULLS LAST, id DESC;
SELECT min(id), count(*) FROM docs GROUP BY v ORDER BY v;
SELECT count(DISTINCT v) FROM docs;
SELECT DISTINCT ON (v) id FROM docs ORDER BY v, id DESC;

-- merge join
EXPLAIN (COSTS OFF) SELECT a.id, b.id FROM docs a JOIN docs b ON a.v = b.v WHERE a.id < b.id ORDER BY 1;
SELECT a.id, b.id FROM docs a JOIN docs b ON a.v = b.v WHERE a.id < b.id ORDER BY 1;
SELECT a.id, b.id FROM docs a FULL JOIN docs b ON a.v = b.v AND a.id <> b.id ORDER BY 1, 2;

-- a unique index treats equal numbers of different types as equal
CREATE TABLE uniq (v bson UNIQUE);
INSERT INTO uniq VALUES ('{"a": 1}'), ('{"a": 1.5}'), ('{"a": "1"}'), (NULL), (NULL);
INSERT INTO uniq VALUES ('{"a": {"$numberDecimal": "1.00"}}');	-- ERROR, equal to the first
INSERT INTO uniq VALUES ('{"a": {"$numberDecimal": "1.50"}}') ON CONFLICT (v) DO NOTHING;
SELECT v FROM uniq ORDER BY v;

-- an index of many values, deterministic and of every rank
CREATE TABLE many AS
SELECT i, CASE i % 16
	WHEN 0 THEN ('x' || substr(h, 1, 8))::bit(32)::int::text
	WHEN 1 THEN ('x' || substr(h, 1, 16))::bit(64)::bigint::text
	WHEN 2 THEN (i % 50) || '.5'
	WHEN 3 THEN '{"$numberDecimal": "' || i % 50 || '.50"}'
	WHEN 4 THEN '{"$numberDecimal": "' || ('x' || substr(h, 1, 16))::bit(64)::bigint || 'E' || i % 400 - 200 || '"}'
	WHEN 5 THEN '{"$numberDouble": "' || ('x' || substr(h, 1, 8))::bit(32)::int || 'e' || i % 400 - 200 || '"}'
	WHEN 6 THEN '"' || substr(h, 1, i % 12) || '"'
	WHEN 7 THEN '{"$symbol": "' || substr(h, 1, i % 4) || '"}'
	WHEN 8 THEN '{"' || substr(h, 1, i % 3) || '": ' || i % 7 || ', "b": "' || h || '"}'
	WHEN 9 THEN '[[' || i % 3 || ', "' || h || '"], ' || i || ']'
	WHEN 10 THEN '{"$binary": {"base64": "' || encode(decode(substr(h, 1, i % 12 * 2), 'hex'), 'base64') || '", "subType": "0' || i % 2 || '"}}'
	WHEN 11 THEN '{"$oid": "' || substr(h, 1, 24) || '"}'
	WHEN 12 THEN '{"$date": {"$numberLong": "' || ('x' || substr(h, 1, 16))::bit(64)::bigint / (1 + i % 3 * 1000000) || '"}}'
	WHEN 13 THEN '{"$timestamp": {"t": ' || ('x' || substr(h, 1, 8))::bit(32)::bigint || ', "i": ' || i % 2 || '}}'
	WHEN 14 THEN '{"$regularExpression": {"pattern": "' || substr(h, 1, i % 9) || '", "options": "' || repeat('i', i % 2) || '"}}'
	ELSE '{"$code": "' || substr(h, 1, i % 3) || '", "$scope": {"' || substr(h, 4, 1) || '": ' || i % 3 || '}}'
	END::bson AS v
FROM (SELECT i, md5(i::text) AS h FROM generate_series(1, 4000) i) s;

-- The first key of a sort uses prefixes (abbreviated keys), all others only bson_cmp: both
-- must give one order, and neighbours must agree with it.
CREATE TABLE by_prefix AS
SELECT row_number() OVER (ORDER BY v, i) AS n, i, v FROM many;
CREATE TABLE by_value AS
SELECT row_number() OVER (ORDER BY i < 0, v, i) AS n, i, v FROM many;
SELECT count(*) AS "4000" FROM by_prefix p JOIN by_value v ON p.n = v.n AND p.i = v.i;
SELECT count(*) AS "0"
FROM (SELECT v, i, lag(v) OVER w AS before, lag(i) OVER w AS i_before FROM by_prefix WINDOW w AS (ORDER BY n)) s
WHERE bson_cmp(before, v) > 0 OR bson_cmp(before, v) = 0 AND i_before > i;
SELECT count(*) AS "0"
FROM (SELECT i FROM (SELECT i, row_number() OVER (ORDER BY v DESC, i DESC) AS n FROM many) s
	  JOIN by_prefix p USING (i) WHERE s.n + p.n <> 4001) s;

-- Prefixes say how a value differs from the way to the first scalar of the first row: whichever
-- row that is, the order is the same.
CREATE TABLE ways AS
SELECT row_number() OVER () AS i, v::bson FROM unnest(ARRAY['1', '2', '"x"', 'null', '{}', '[]', '{"a": 1}', '{"a": 2.5}', '{"a": "x"}', '{"a": null}',
	'{"a": 1, "b": 1}', '{"a": {}}', '{"a": {"b": 1}}', '{"a": {"b": 2}, "c": 1}', '{"a": {"bb": 1}}', '{"a": {"": 1}}', '{"a": {"a": "x"}}', '{"a": []}', '{"a": [1]}',
	'{"a": [1, 2]}', '{"a": ["x"]}', '{"aa": 1}', '{"aa": {"b": 1}}', '{"": 1}', '{"b": 0}', '{"b": {"b": 1}}', '[1]', '[2, 1]', '["x"]', '[[]]', '[[1]]', '[[2]]', '[{"a": 1}]',
	'[{"a": 2}]', '[[[[[[[[[[1]]]]]]]]]]', '[[[[[[[[[[2]]]]]]]]]]', '{"a": {"a": {"a": {"a": {"a": {"a": {"a": {"a": {"a": 1}}}}}}}}}',
	'{"a": {"a": {"a": {"a": {"a": {"a": {"a": {"a": {"a": 2}}}}}}}}}', '{"' || repeat('k', 128) || '": 1}', '{"' || repeat('k', 129) || '": 1}',
	'{"' || repeat('k', 129) || '": 2}', '{"' || repeat('k', 100) || '": {"' || repeat('k', 100) || '": 1}}', '{"' || repeat('k', 100) || '": {"' || repeat('k', 101) || '": 0}}']) AS v;
SELECT count(*) AS "0"
FROM ways f,
	LATERAL (SELECT array_agg(i) AS found FROM (SELECT i FROM (SELECT i, v FROM ways WHERE i = f.i UNION ALL SELECT i, v FROM ways WHERE i <> f.i OFFSET 0) s ORDER BY v, i) s) s,
	(SELECT array_agg(i) AS expected FROM (SELECT i FROM ways ORDER BY i < 0, v, i) s) e
WHERE found <> expected;

-- a sort gives up prefixes if few of them are distinct
SELECT count(*) AS "0"
FROM (SELECT v, lag(v) OVER () AS before
	  FROM (SELECT ('"the same beginning ' || md5(i::text) || '"')::bson AS v
			FROM generate_series(1, 12000) i ORDER BY v) s) s
WHERE before > v;

-- index scans: equality, ranges, order, both directions
CREATE INDEX many_v_idx ON many (v);
ANALYZE many;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SET enable_sort = off;
EXPLAIN (COSTS OFF) SELECT i FROM many WHERE v = '3.5';
SELECT array_agg(i ORDER BY i) FROM many WHERE v = '3.5';
EXPLAIN (COSTS OFF) SELECT i, v FROM many WHERE v > '48' AND v <= '49.5' ORDER BY v;
SELECT count(*), count(DISTINCT v) FROM many WHERE v > '48' AND v <= '49.5';
EXPLAIN (COSTS OFF) SELECT i, v FROM many ORDER BY v DESC LIMIT 3;
SELECT v FROM many ORDER BY v LIMIT 3;
SELECT count(*) AS "4000" FROM (SELECT i, row_number() OVER () AS n FROM (SELECT i FROM many ORDER BY v) s) s
	JOIN by_prefix p USING (n) JOIN many m ON m.i = s.i AND m.v = p.v;
SELECT count(*) AS strings FROM many WHERE v >= '""' AND v < '{}';
RESET enable_seqscan;
SET enable_indexscan = off;
SET enable_indexonlyscan = off;
SELECT count(*) AS strings FROM many WHERE v >= '""' AND v < '{}';
RESET ALL;

-- equal values may have different bytes, so an index must not deduplicate them (equalimage)
SELECT amproc FROM pg_amproc WHERE amproclefttype = 'bson'::regtype AND amprocnum = 4
	AND amprocfamily = (SELECT opcfamily FROM pg_opclass WHERE opcintype = 'bson'::regtype AND opcdefault
						AND opcmethod = (SELECT oid FROM pg_am WHERE amname = 'btree'));

-- the operator classes are the default ones; catalog.sql tests that they are complete
SELECT amname, opcname, opcdefault
FROM pg_opclass c JOIN pg_am a ON a.oid = opcmethod
WHERE opcintype = 'bson'::regtype AND amname IN ('btree', 'hash') ORDER BY amname;

DROP TABLE docs, uniq, many, by_prefix, by_value;
