-- If this fails, bson values compare in another order than MongoDB's, or not in one order at all.

-- Values of the same rank are equal; a higher rank sorts later.
CREATE TABLE ordered (rank int, v bson);
INSERT INTO ordered VALUES
	(100, '{"$minKey": 1}'),
	(200, '{"$undefined": true}'),
	(300, 'null'),
	-- numbers have a test of their own; here one of each type
	(400, '{"$numberDecimal": "NaN"}'),
	(400, '{"$numberDouble": "NaN"}'),
	(401, '-1'),
	(402, '2'), (402, '2.0'), (402, '{"$numberLong": "2"}'), (402, '{"$numberDecimal": "2.00"}'),
	(403, '{"$numberDouble": "Infinity"}'),
	-- strings by their bytes, symbols among them; no locale
	(500, '""'),
	(501, '"A"'), (501, '{"$symbol": "A"}'),
	(502, '"Z"'),
	(503, '"a"'),
	(504, '"a\u0000"'),
	(505, '"a\u0000b"'),
	(506, '"aa"'), (506, '{"$symbol": "aa"}'),
	(507, '"ab"'),
	(508, '"b"'),
	(509, '"é"'),
	(510, '"€"'),
	(511, '"😀"'),
	-- documents: rank of the first value, its name, the value; then the next field
	(600, '{}'),
	(601, '{"z": null}'),
	(602, '{"": 1}'),
	(603, '{"a": 1}'), (603, '{"a": 1.0}'),
	(604, '{"a": 1, "b": null}'),
	(605, '{"a": 1, "b": 1}'),
	(606, '{"a": 1, "bb": 0}'),
	(607, '{"a": 1, "b": "x"}'),
	(608, '{"a": 1, "b": "x", "c": null}'),
	(609, '{"a": 2}'),
	(610, '{"aa": 1}'),
	(611, '{"b": 0}'),
	(612, '{"b": 1, "a": 1}'),
	(613, '{"a": "x"}'), (613, '{"a": {"$symbol": "x"}}'),
	(614, '{"a": {}}'),
	(615, '{"a": {"a": 5}}'), (615, '{"a": {"a": {"$numberLong": "5"}}}'),
	(616, '{"a": []}'),
	(617, '{"a": [5]}'),
	(618, '{"a": false}'),
	(619, '{"a": {"$maxKey": 1}}'),
	-- arrays: element by element; stored keys do not count: the second [1, 2] has the keys "0" and "7"
	(700, '[]'),
	(701, '[null]'),
	(702, '[1]'),
	(703, '[1, null]'),
	(704, '[1, 2]'), (704, '[1.0, {"$numberDecimal": "2"}]'),
	(704, '\x1c000000ff0004001300000010300001000000103700020000000000'),
	(705, '[1, 2, 0]'),
	(706, '[2]'),
	(707, '["a"]'),
	(708, '[{}]'),
	(709, '[[]]'),
	(710, '[[1], 0]'),
	-- binary: length first, then the subtype, then the bytes
	(800, '{"$binary": {"base64": "", "subType": "00"}}'),
	(801, '{"$binary": {"base64": "", "subType": "80"}}'),
	(802, '{"$binary": {"base64": "/w==", "subType": "00"}}'),
	(803, '{"$binary": {"base64": "AA==", "subType": "05"}}'),
	(804, '{"$binary": {"base64": "AAA=", "subType": "00"}}'),
	(805, '{"$binary": {"base64": "AAE=", "subType": "00"}}'),
	-- subtype 2 has an inner length, which makes it longer
	(806, '{"$binary": {"base64": "AA==", "subType": "02"}}'),
	(807, '{"$uuid": "00000000-0000-4000-8000-000000000000"}'),
	(900, '{"$oid": "000000000000000000000000"}'),
	(901, '{"$oid": "0000000000000000000000ff"}'),
	(902, '{"$oid": "ff0000000000000000000000"}'),
	(1000, 'false'),
	(1001, 'true'),
	(1100, '{"$date": {"$numberLong": "-9223372036854775808"}}'),
	(1101, '{"$date": {"$numberLong": "-1"}}'),
	(1102, '{"$date": "1970-01-01T00:00:00Z"}'),
	(1103, '{"$date": "2022-03-03T12:13:14.789Z"}'),
	(1104, '{"$date": {"$numberLong": "9223372036854775807"}}'),
	-- timestamps are unsigned, the seconds first
	(1200, '{"$timestamp": {"t": 0, "i": 0}}'),
	(1201, '{"$timestamp": {"t": 0, "i": 4294967295}}'),
	(1202, '{"$timestamp": {"t": 1, "i": 0}}'),
	(1203, '{"$timestamp": {"t": 4294967295, "i": 1}}'),
	(1300, '{"$regularExpression": {"pattern": "", "options": ""}}'),
	(1301, '{"$regularExpression": {"pattern": "", "options": "i"}}'),
	(1302, '{"$regularExpression": {"pattern": "a", "options": ""}}'),
	(1303, '{"$regularExpression": {"pattern": "a", "options": "x"}}'),
	(1304, '{"$regularExpression": {"pattern": "ab", "options": ""}}'),
	(1400, '{"$dbPointer": {"$ref": "z", "$id": {"$oid": "000000000000000000000000"}}}'),
	(1401, '{"$dbPointer": {"$ref": "z", "$id": {"$oid": "000000000000000000000001"}}}'),
	(1402, '{"$dbPointer": {"$ref": "aa", "$id": {"$oid": "000000000000000000000000"}}}'),
	(1500, '{"$code": ""}'),
	(1501, '{"$code": "a"}'),
	(1502, '{"$code": "aa"}'),
	(1503, '{"$code": "b"}'),
	(1600, '{"$code": "a", "$scope": {}}'),
	(1601, '{"$code": "a", "$scope": {"x": 1}}'), (1601, '{"$code": "a", "$scope": {"x": 1.0}}'),
	(1602, '{"$code": "a", "$scope": {"x": 2}}'),
	(1603, '{"$code": "aa", "$scope": {}}'),
	(1700, '{"$maxKey": 1}');

-- all pairs: bson_cmp agrees with the ranks, so it is a total order
SELECT a.rank, b.rank, bson_cmp(a.v, b.v)
FROM ordered a, ordered b
WHERE bson_cmp(a.v, b.v) <> sign(a.rank - b.rank);

-- the operators say the same
SELECT a.rank, b.rank
FROM ordered a, ordered b
WHERE (a.v = b.v) <> (a.rank = b.rank)
   OR (a.v <> b.v) <> (a.rank <> b.rank)
   OR (a.v < b.v) <> (a.rank < b.rank)
   OR (a.v <= b.v) <> (a.rank <= b.rank)
   OR (a.v > b.v) <> (a.rank > b.rank)
   OR (a.v >= b.v) <> (a.rank >= b.rank);

-- and so within a document, an array and a scope
SELECT a.rank, b.rank
FROM (SELECT rank, ('{"k": ' || v::text || '}')::bson AS d, ('["k", ' || v::text || ']')::bson AS e,
			 ('{"$code": "", "$scope": {"k": ' || v::text || '}}')::bson AS s
	  FROM ordered WHERE v::text NOT LIKE '\\x%') a,
	 (SELECT rank, ('{"k": ' || v::text || '}')::bson AS d, ('["k", ' || v::text || ']')::bson AS e,
			 ('{"$code": "", "$scope": {"k": ' || v::text || '}}')::bson AS s
	  FROM ordered WHERE v::text NOT LIKE '\\x%') b
WHERE bson_cmp(a.d, b.d) <> sign(a.rank - b.rank)
   OR bson_cmp(a.e, b.e) <> sign(a.rank - b.rank)
   OR bson_cmp(a.s, b.s) <> sign(a.rank - b.rank);

-- the type as a whole: -1, 0, 1
SELECT bson_cmp('1', '2'), bson_cmp('2', '1'), bson_cmp('1', '1.0');

-- what other extensions got wrong
SELECT '-1'::bson < '2'::bson AS "negative first",
	   '256'::bson > '2'::bson AS "not little-endian bytes",
	   '"zz"'::bson > '"aaaa"'::bson AS "length not first",
	   '2'::bson = '2.0'::bson AS "across types",
	   '{"$undefined": true}'::bson < 'null'::bson AS "undefined is not null";

-- the order of keys matters, and so does each of two equal keys
SELECT '{"a": 1, "b": 2}'::bson = '{"b": 2, "a": 1}'::bson AS "false";
SELECT '\x13000000106100010000001061000200000000'::bson = '\x13000000106100010000001061000200000000'::bson AS "true",
	   '\x13000000106100010000001061000200000000'::bson = '\x0c0000001061000100000000'::bson AS "false",
	   '\x13000000106100010000001061000200000000'::bson < '\x13000000106100010000001061000300000000'::bson AS "true";

-- NULL
SELECT '1'::bson = NULL AS "null", bson_cmp(NULL, '1') AS "null";

-- deep values, to the limit
SELECT bson_cmp(a, a) AS same, bson_cmp(a, b) AS less, a = c AS equal, a < d AS shallower
FROM (SELECT (repeat('[', 1000) || '1' || repeat(']', 1000))::bson AS a,
			 (repeat('[', 1000) || '2' || repeat(']', 1000))::bson AS b,
			 (repeat('[', 1000) || '1.0' || repeat(']', 1000))::bson AS c,
			 (repeat('[', 1001) || '1' || repeat(']', 1001))::bson AS d) x;

-- values out of line, compressed or neither compare alike
CREATE TABLE toasted (id int, v bson);
ALTER TABLE toasted ALTER v SET STORAGE EXTERNAL;
INSERT INTO toasted SELECT 1, ('{"a": "' || repeat('x', 10000) || '", "b": 1}')::bson;
ALTER TABLE toasted ALTER v SET STORAGE EXTENDED;
INSERT INTO toasted SELECT 2, ('{"a": "' || repeat('x', 10000) || '", "b": 1.0}')::bson;
ALTER TABLE toasted ALTER v SET STORAGE MAIN;
INSERT INTO toasted SELECT 3, ('{"a": "' || repeat('x', 10000) || '", "b": 2}')::bson;
SELECT a.id, b.id, bson_cmp(a.v, b.v), a.v = b.v AS equal, bson_hash(a.v) = bson_hash(b.v) AS hash,
	   bson_identical(a.v, b.v) AS identical
FROM toasted a, toasted b ORDER BY 1, 2;

-- values whose fronts tell and values whose fronts do not: the same as of plain values
CREATE TABLE fronts (id int GENERATED ALWAYS AS IDENTITY, t text, v bson);
CREATE TABLE contents AS SELECT replace(replace(t, 'REST', '"rest": "' || repeat('x', 3000) || '"'), 'LONG', repeat('y', 600)) AS t FROM unnest(ARRAY[
	'{"a": 1, REST}', '{"a": 1.0, REST}', '{"a": {"$numberLong": "1"}, REST}', '{"a": 2, REST}', '{"a": "1", REST}', '{"a": null, REST}', '{"aa": 1, REST}', '{"b": 0, REST}', '{"": 3, REST}',
	'{REST}', '{REST, "a": 1}', '{REST, "a": 2}', '{"a": 1, REST, "b": 1}', '{"a": {"b": 1, REST}}', '{"a": {"b": 1.0, REST}}', '{"a": {"b": 2, REST}}', '{"a": {REST}}', '{"a": {"b": 1}, REST}',
	'{"a": {"b": 1}, REST, "c": 1}', '{"a": {}, REST}', '{"a": [], REST}', '{"a": [1], REST}', '{"a": [1, 2], REST}', '{"a": [1, {REST}]}', '{"a": [1, {REST}], "b": 1}',
	'{"a": "LONG", REST}', '{"a": "LONG1", REST}', '{"a": "LONG", "b": 1, REST}', '{"LONG": 1, REST}', '{"LONG": 2, REST}', '{"LONG1": 1, REST}',
	'[{REST}]', '[1, {REST}]', '[2, {REST}]', '[[1], {REST}]', '"LONGLONGLONGLONGLONG"', '"LONGLONGLONGLONGLONG1"', '{"$regularExpression": {"pattern": "LONGLONGLONGLONGLONG", "options": "i"}}',
	'{"$regularExpression": {"pattern": "LONGLONGLONGLONGLONG", "options": ""}}', '{"a": 1}', '{}', '[]', '1']) AS t;
ALTER TABLE fronts ALTER v SET STORAGE EXTERNAL;
INSERT INTO fronts (t, v) SELECT t, t::bson FROM contents;
ALTER TABLE fronts ALTER v SET STORAGE MAIN;
INSERT INTO fronts (t, v) SELECT t, t::bson FROM contents;
SELECT count(*), count(*) FILTER (WHERE bson_cmp(a.v, b.v) <> bson_cmp(a.p, b.p) OR bson_cmp(a.v, b.p) <> bson_cmp(a.p, b.p) OR (a.v = b.v) <> (a.p = b.p) OR (a.p = b.v) <> (a.p = b.p)) AS wrong
FROM (SELECT v, t::bson AS p FROM fronts OFFSET 0) a, (SELECT v, t::bson AS p FROM fronts OFFSET 0) b;
SELECT array_agg(id ORDER BY v, id) = array_agg(id ORDER BY t::bson, id) AS "true", array_agg(id ORDER BY v DESC, id) = array_agg(id ORDER BY t::bson DESC, id) AS "true",
	count(DISTINCT v) = count(DISTINCT t::bson) AS "true" FROM fronts;
DROP TABLE fronts, contents;

-- identical: the stored bytes
SELECT bson_identical('1', '1') AS "true", bson_identical('1', '2') AS "false",
	   bson_identical('1', '{"$numberLong": "1"}') AS "false",
	   bson_identical('0.0', '-0.0') AS "false", '0.0'::bson = '-0.0'::bson AS "true",
	   bson_identical('{"a": 1}', '{"a": 1}') AS "true";
-- as operators, by the names of pgbson
SELECT a.id, b.id, a.v == b.v AS same, a.v <<>> b.v AS other, pgbson_compare(a.v, b.v) = bson_cmp(a.v, b.v) AS "true"
FROM toasted a, toasted b ORDER BY 1, 2;

-- estimates use the statistics of plain columns
SELECT oprname, oprrest, oprjoin, oprcom::regoperator, oprnegate::regoperator, oprcanhash, oprcanmerge
FROM pg_operator
WHERE oprleft = 'bson'::regtype AND oprright = 'bson'::regtype AND oprname IN ('=', '<>', '<', '<=', '>', '>=')
ORDER BY oprname COLLATE "C";

DROP TABLE ordered, toasted;
-- elements that are the same to the byte are passed over: what comes behind them decides as it does alone, in documents and in arrays
WITH prefixes(p) AS (VALUES ('{}'::bson), ('{"a": 1}'), ('{"a": 1, "b": "text", "c": null, "d": {"$oid": "507f1f77bcf86cd799439011"}}'), ('{"a": {"b": 1}}'), ('{"a": [1, 2, 3]}'),
                      (bson_build_object('a', bson_build_object('long', repeat('x', 100)), 'b', repeat('y', 1000), 'c', (SELECT bson_agg(i) FROM generate_series(1, 50) i)))),
tails(t) AS (VALUES ('{}'::bson), ('{"z": 1}'), ('{"z": 1.0}'), ('{"z": 2}'), ('{"z": "s"}'), ('{"z": {"y": 1}}'), ('{"z": {"y": 1, "x": 2}}'), ('{"z": [1]}'), ('{"z": [1, 2]}'), ('{"y": 1, "z": 2}'), ('{"y": 1, "z": 3}'), ('{"z": 1, "zz": 1}'),
                    ('{"z": {"$numberDouble": "NaN"}}'))
SELECT count(*), count(*) FILTER (WHERE bson_cmp(p || a.t, p || b.t) <> bson_cmp(a.t, b.t)) AS documents,
       count(*) FILTER (WHERE bson_cmp(bson_build_array(p, p, a.t), bson_build_array(p, p, b.t)) <> bson_cmp(a.t, b.t)) AS arrays,
       count(*) FILTER (WHERE bson_cmp(bson_build_array(p, a.t -> 'z', 1), bson_build_array(p, b.t -> 'z', 1)) <> bson_cmp(bson_build_array(a.t -> 'z'), bson_build_array(b.t -> 'z'))) AS elements
  FROM prefixes, tails AS a, tails AS b;
