-- If this fails, equal bson values have different hashes: hash joins, GROUP BY, DISTINCT, hash indexes and partitions
-- lose rows.
SET enable_sort = off;
SET enable_mergejoin = off;
SET enable_nestloop = off;

-- hashes are equal within a group, and differ between groups
CREATE TABLE groups (g int, v bson);
INSERT INTO groups VALUES
	(1, 'null'), (2, '{"$undefined": true}'), (3, '{"$minKey": 1}'), (4, '{"$maxKey": 1}'),
	(5, '0'), (5, '0.0'), (5, '-0.0'), (5, '{"$numberLong": "0"}'), (5, '{"$numberDecimal": "-0E+10"}'),
	(6, '1'), (6, '1.0'), (6, '{"$numberLong": "1"}'), (6, '{"$numberDecimal": "1.00"}'),
	(7, '1.5'), (7, '{"$numberDecimal": "1.50"}'),
	(8, '1.1'), (8, '{"$numberDecimal": "1.1"}'), (8, '{"$numberDecimal": "1.10"}'), (9, '{"$numberDecimal": "1.100000000000000088817841970012523"}'),
	(10, '{"$numberDouble": "9223372036854775808"}'), (10, '{"$numberDecimal": "9223372036854776000"}'),
	(11, '1e22'), (11, '{"$numberDecimal": "1E+22"}'),
	(12, '{"$numberDouble": "NaN"}'), (12, '{"$numberDecimal": "NaN"}'),
	(13, '{"$numberDouble": "Infinity"}'), (13, '{"$numberDecimal": "Infinity"}'),
	(14, '{"$numberDouble": "-Infinity"}'), (14, '{"$numberDecimal": "-Infinity"}'),
	(15, '"1"'), (15, '{"$symbol": "1"}'),
	(16, '""'), (17, '{}'), (18, '[]'), (19, '{"": null}'), (20, '[null]'),
	(21, '{"a": 1, "b": [2, {"c": "x"}]}'), (21, '{"a": 1.0, "b": [{"$numberLong": "2"}, {"c": {"$symbol": "x"}}]}'),
	(22, '{"b": [2, {"c": "x"}], "a": 1}'),
	(23, '[1, 2]'), (23, '[{"$numberDecimal": "1"}, 2.0]'),
	(23, '\x1c000000ff0004001300000010300001000000103700020000000000'),
	(24, 'false'), (25, 'true'),
	(26, '{"$binary": {"base64": "YQ==", "subType": "00"}}'), (27, '{"$binary": {"base64": "YQ==", "subType": "80"}}'),
	(28, '{"$oid": "610000000000000000000000"}'),
	(29, '{"$date": {"$numberLong": "1"}}'), (30, '{"$timestamp": {"t": 0, "i": 1}}'),
	(31, '{"$regularExpression": {"pattern": "a", "options": ""}}'), (31, '{"$regularExpression": {"pattern": "a", "options": ""}}'),
	(32, '{"$regularExpression": {"pattern": "a", "options": "i"}}'),
	(33, '{"$dbPointer": {"$ref": "a", "$id": {"$oid": "610000000000000000000000"}}}'),
	(34, '{"$code": "a"}'), (35, '{"$code": "a", "$scope": {}}'), (36, '{"$code": "a", "$scope": {"x": 1}}'),
	(36, '{"$code": "a", "$scope": {"x": 1.0}}');

SELECT a.v, b.v
FROM groups a, groups b
WHERE a.g = b.g AND (a.v <> b.v OR bson_hash(a.v) <> bson_hash(b.v) OR bson_hash_extended(a.v, 7) <> bson_hash_extended(b.v, 7))
   OR a.g <> b.g AND (a.v = b.v OR bson_hash_extended(a.v, 7) = bson_hash_extended(b.v, 7));

-- seed 0 gives the plain hash in its low half, another seed another hash
SELECT count(*) AS "0" FROM groups
WHERE (bson_hash_extended(v, 0) & 4294967295) <> (bson_hash(v)::bigint & 4294967295)
   OR bson_hash_extended(v, 0) = bson_hash_extended(v, 1);

-- a string hashes as the server's function says, whatever its length; an integer as its eight bytes; the seed comes of the type's rank
SELECT count(*) AS "0" FROM generate_series(0, 60) AS n, LATERAL left(repeat(md5(n::text), 2), n) AS s
WHERE bson_hash_extended(to_bson(s), 0) <> hashtextextended(s, 5305509591434766567);
SELECT bson_hash_extended(to_bson(i), 0) = hashtextextended('01234567', 5305509591434766566) AS hashed
FROM unnest(ARRAY[3978425819141910832, 3472611983179986487]) AS i ORDER BY 1;

-- where a container ends counts
SELECT bson_hash(a) = bson_hash(b) AS same FROM (VALUES ('[[1], 2]'::bson, '[[1, 2]]'::bson), ('{"a": {"b": 1}, "c": 2}', '{"a": {"b": 1, "c": 2}}'), ('["a", "b"]', '["b", "a"]'), ('["a"]', '[["a"]]')) AS v (a, b);

EXPLAIN (COSTS OFF) SELECT v, count(*) FROM groups GROUP BY v;
SELECT count(*) AS "36", sum(n) AS "all", bool_and(same) AS "one group each"
FROM (SELECT v, count(*) AS n, min(g) = max(g) AS same FROM groups GROUP BY v) s;
SELECT count(*) AS "36" FROM (SELECT DISTINCT v FROM groups) s;

EXPLAIN (COSTS OFF) SELECT * FROM groups a JOIN groups b ON a.v = b.v;
SELECT count(*) = (SELECT count(*) FROM groups a, groups b WHERE a.g = b.g) AS joined, bool_and(a.g = b.g) AS rightly
FROM groups a JOIN groups b ON a.v = b.v;
SELECT count(*) AS "0" FROM groups WHERE v NOT IN (SELECT v FROM groups);

-- hash index
CREATE INDEX ON groups USING hash (v);
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT g FROM groups WHERE v = '1';
SELECT g, count(*) FROM groups WHERE v = '{"$numberDecimal": "1"}' GROUP BY g;
SELECT g FROM groups WHERE v = '{"a": {"$numberLong": "1"}, "b": [2, {"c": "x"}]}';
RESET ALL;

-- hash partitions
CREATE TABLE parted (g int, v bson) PARTITION BY HASH (v);
CREATE TABLE parted_0 PARTITION OF parted FOR VALUES WITH (MODULUS 3, REMAINDER 0);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES WITH (MODULUS 3, REMAINDER 1);
CREATE TABLE parted_2 PARTITION OF parted FOR VALUES WITH (MODULUS 3, REMAINDER 2);
INSERT INTO parted SELECT * FROM groups;
SELECT count(*) AS "0" FROM (SELECT g FROM parted GROUP BY g HAVING count(DISTINCT tableoid) > 1) s;
SELECT count(DISTINCT tableoid) FROM parted;
SELECT count(*) FROM parted WHERE v = '1';
-- a constant of another type chooses the partition, too, and finds what all partitions together have
CREATE FUNCTION pg_temp.chosen(condition text) RETURNS TABLE (partitions bigint, "all rows" boolean) LANGUAGE plpgsql AS $$
DECLARE
	line text;
	found bigint;
	everywhere bigint;
BEGIN
	partitions := 0;
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) SELECT FROM parted WHERE v = ' || condition LOOP
		partitions := partitions + (line ~ 'Scan on parted')::int;
	END LOOP;
	EXECUTE 'SELECT count(*) FROM parted WHERE v = ' || condition INTO found;
	EXECUTE 'SELECT count(*) FROM (SELECT v FROM parted OFFSET 0) s WHERE v = ' || condition INTO everywhere;
	"all rows" := found = everywhere AND found > 0;
	RETURN NEXT;
END $$;
INSERT INTO parted VALUES (0, to_bson('2022-03-03 12:13:14.789Z'::timestamptz)), (0, to_bson('00010203-0405-0607-0809-0a0b0c0d0e0f'::uuid)), (0, '"a"'), (0, '7'), (0, '2.5'), (0, '1.6069380442589903e60'), (0, 'true');
SELECT condition, (pg_temp.chosen(condition)).* FROM unnest(ARRAY['7', '7::smallint', '7::bigint', '7.00', '7::float8', '2.5', '2.5::real', '1606938044258990300000000000000000000000000000000000000000000', '''a''::text', '''a''::varchar', 'true',
	'''2022-03-03 12:13:14.789Z''::timestamptz', '''00010203-0405-0607-0809-0a0b0c0d0e0f''::uuid']) AS condition;

-- a deep value, and one of many elements
SELECT bson_hash(('[' || repeat('[', 1000) || '1' || repeat(']', 1000) || ']')::bson) =
	   bson_hash(('[' || repeat('[', 1000) || '1.0' || repeat(']', 1000) || ']')::bson) AS "true";
SELECT bson_hash(('[' || string_agg(i::text, ',') || ']')::bson) =
	   bson_hash(('[' || string_agg(i || '.0', ',') || ']')::bson) AS "true"
FROM generate_series(1, 100000) i;

DROP TABLE groups, parted;
