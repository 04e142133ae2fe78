-- If this fails, ORDER BY bson_sort_key(...) is not the order of MongoDB's sort.
-- The file of MongoDB's source that defines it is
-- src/mongo/db/index/btree_key_generator.cpp.

-- values of every type, in order; a missing value counts as null, an array as its least element, an empty array as undefined
CREATE TEMP TABLE value (id int, v bson);
INSERT INTO value VALUES
  (1, '{"$minKey": 1}'), (2, '{"$undefined": true}'), (3, '[]'), (4, 'null'), (6, '{"$numberDouble": "NaN"}'), (7, '{"$numberDouble": "-Infinity"}'), (8, '{"$numberLong": "-9223372036854775808"}'), (9, '-2147483648'), (10, '-1.5'), (11, '{"$numberDecimal": "-1.4"}'),
  (12, '0'), (13, '[1, "z"]'), (14, '2147483647'), (15, '9223372036854775807'), (16, '{"$numberDecimal": "Infinity"}'), (17, '""'), (18, '"\u0000"'), (19, '"a"'), (20, '"a\u0000"'), (21, '"ab"'), (22, '"b"'), (23, '"\u007f"'), (24, '"\u0080"'), (25, '"é"'), (26, '"\ud83d\ude00"'),
  (27, '{}'), (28, '{"a": 1}'), (29, '{"a": 1, "b": 1}'), (30, '{"a": 2}'), (31, '{"b": 1}'), (32, '{"a": "x"}'), (33, '[[]]'), (34, '[[1]]'), (35, '[[1, 2]]'), (36, '[[2]]'),
  (37, '{"$binary": {"base64": "", "subType": "00"}}'), (38, '{"$binary": {"base64": "AA==", "subType": "00"}}'), (39, '{"$binary": {"base64": "AA==", "subType": "05"}}'), (40, '{"$binary": {"base64": "AAA=", "subType": "00"}}'),
  (41, '{"$oid": "000000000000000000000001"}'), (42, '{"$oid": "ff0000000000000000000000"}'), (43, 'false'), (44, 'true'), (45, '{"$date": "1960-01-01T00:00:00Z"}'), (46, '{"$date": "2020-01-01T00:00:00Z"}'), (47, '{"$timestamp": {"t": 1, "i": 2}}'), (48, '{"$timestamp": {"t": 4294967295, "i": 1}}'),
  (49, '{"$regularExpression": {"pattern": "a", "options": ""}}'), (50, '{"$regularExpression": {"pattern": "a", "options": "i"}}'), (51, '{"$dbPointer": {"$ref": "c", "$id": {"$oid": "000000000000000000000001"}}}'), (52, '{"$code": "f"}'), (53, '{"$code": "f", "$scope": {"a": 1}}'), (54, '{"$maxKey": 1}');
CREATE TEMP TABLE doc AS SELECT id, bson_build_object('v', v, 'id', id) AS d FROM value UNION ALL SELECT 5, '{"id": 5}';
-- ascending, descending and compound keys: one order and its reverse, except for equal values and arrays of several
-- elements
SELECT array_agg(id ORDER BY bson_sort_key(d, '{"v": 1}'), id) = array_agg(id ORDER BY id) AS ascending,
       array_agg(id ORDER BY bson_sort_key(d, '{"v": 1, "id": 1}')) = array_agg(id ORDER BY id) AS compound,
       array_agg(id ORDER BY bson_sort_key(d, '{"v": -1}'), id DESC) FILTER (WHERE id <> 13) = array_agg(id ORDER BY id DESC) FILTER (WHERE id <> 13) AS descending,
       array_agg(id ORDER BY bson_sort_key(d, '{"v": -1, "id": -1}')) FILTER (WHERE id <> 13) = array_agg(id ORDER BY id DESC) FILTER (WHERE id <> 13) AS compound_descending
FROM doc;
-- every pair: keys compare as values do, and descending keys in reverse
SELECT count(*) AS pairs,
  count(*) FILTER (WHERE bson_cmp(bson_sort_key(a.d, '{"v": 1}'), bson_sort_key(b.d, '{"v": 1}')) <> -bson_cmp(bson_sort_key(a.d, '{"v": -1}'), bson_sort_key(b.d, '{"v": -1}'))) AS wrong
FROM doc AS a, doc AS b WHERE a.id <> 13 AND b.id <> 13;
-- keys for DESC: the same order, and of arrays the same element
SELECT sort, array_agg(id ORDER BY bson_sort_key_desc(d, sort) DESC, id) = array_agg(id ORDER BY bson_sort_key(d, sort), id) AS same, (array_agg(bson_sort_key_desc(d, sort) ORDER BY id))[13] AS key
FROM doc, unnest('{"{\"v\": 1}","{\"v\": -1}","{\"v\": -1, \"id\": 1}","{\"v\": 1, \"id\": -1}","{\"nothing\": -1}"}'::bson[]) AS sort GROUP BY sort ORDER BY sort;

-- the keys themselves
SELECT sort, bson_sort_key('{"a": [3, 1, 2], "b": "x", "c": [{"d": 5, "e": 1}, {"d": 4, "e": 2}, {"e": 3}], "n": [[7, 8], 9], "z": [], "t": {"u": 1}}', sort) AS key FROM unnest(ARRAY[
  '{"a": 1}', '{"a": -1}', '{"b": 1}', '{"b": -1}', '{"x": 1}', '{"x": -1}', '{"z": 1}', '{"z.y": 1}', '{"t.u": 1}', '{"b.u": 1}', '{"c.d": 1}', '{"c.d": -1}', '{"c.d": 1, "c.e": -1}', '{"c.d": -1, "c.e": 1}', '{"b": 1, "c.d": 1}',
  '{"a.1": 1}', '{"a.x": 1}', '{"a.9": 1}', '{"c.1.d": 1}', '{"c.1": -1, "c.0.e": 1}', '{"n": 1}', '{"n.0": 1}', '{"n.1": 1}', '{}', '{"a": {"$numberLong": "1"}, "b": -1.0}'
]::bson[]) AS sort;

-- pages: an index on the key, and the documents after the last one of the page before
CREATE TABLE sorted (d bson);
INSERT INTO sorted SELECT bson_build_object('_id', i, 'group', i % 7, 'name', 'n' || i % 1000) FROM generate_series(1, 10000) AS i;
CREATE INDEX ON sorted (bson_sort_key(d, '{"group": -1, "name": 1, "_id": 1}'));
ANALYZE sorted;
SET enable_sort = off;
EXPLAIN (COSTS OFF) SELECT d -> '_id' FROM sorted ORDER BY bson_sort_key(d, '{"group": -1, "name": 1, "_id": 1}') LIMIT 3;
SELECT d FROM sorted ORDER BY bson_sort_key(d, '{"group": -1, "name": 1, "_id": 1}') LIMIT 3;
EXPLAIN (COSTS OFF) SELECT d FROM sorted WHERE bson_sort_key(d, '{"group": -1, "name": 1, "_id": 1}') > bson_sort_key('{"_id": 6000, "group": 6, "name": "n0"}', '{"group": -1, "name": 1, "_id": 1}')
  ORDER BY bson_sort_key(d, '{"group": -1, "name": 1, "_id": 1}') LIMIT 2;
SELECT d FROM sorted WHERE bson_sort_key(d, '{"group": -1, "name": 1, "_id": 1}') > bson_sort_key('{"_id": 6000, "group": 6, "name": "n0"}', '{"group": -1, "name": 1, "_id": 1}')
  ORDER BY bson_sort_key(d, '{"group": -1, "name": 1, "_id": 1}') LIMIT 2;
DROP TABLE sorted;

-- sorts that the server refuses
SELECT bson_sort_key('{"a": [1], "b": [2]}', '{"a": 1, "b": 1}');  -- ERROR, parallel arrays
SELECT bson_sort_key('{"a": [{"b": [1], "c": [2]}]}', '{"a.b": 1, "a.c": 1}');  -- ERROR, parallel arrays
SELECT bson_sort_key('{"a": [{"0": 1}]}', '{"a.0": 1}');  -- ERROR, ambiguous
SELECT bson_sort_key('{}', '[]');  -- ERROR
SELECT bson_sort_key('{}', '{"a": 2}');  -- ERROR
SELECT bson_sort_key('{}', '{"a": 0.5}');  -- ERROR
SELECT bson_sort_key('{}', '{"a": true}');  -- ERROR
SELECT bson_sort_key('{"a": 5}', '{"a": -1.9}') AS cut, bson_sort_key('{"a": 5}', '{"a": {"$numberDecimal": "0.51"}}') AS rounded;
SELECT bson_sort_key('{}', bson_build_object(repeat('a.', 200) || 'a', 1));  -- ERROR, too many names
SELECT bson_sort_key('{}', '{"": 1}');  -- ERROR
SELECT bson_sort_key('{}', '{"a.": 1}');  -- ERROR
SELECT bson_sort_key('{}', '{"a..b": 1}');  -- ERROR
SELECT bson_sort_key('{}', '{"$natural": 1}');  -- ERROR
SELECT bson_sort_key('{}', '{"a": {"$meta": "textScore"}}');  -- ERROR
SELECT bson_sort_key('{}', (SELECT bson_object_agg('k' || i, 1) FROM generate_series(1, 33) AS i));  -- ERROR, too many
SELECT bson_sort_key('{}', '\x1300000010610001000000106100ffffffff00');  -- ERROR, twice

-- what a call site remembers of documents changes no key, whatever they look like, compressed or not: a sort that is another one
-- in every row remembers nothing
CREATE TEMP TABLE sort_doc AS
SELECT n, d::bson AS d FROM unnest(ARRAY['{"a": 1, "b": 2}', '{"b": 1, "a": {"b": 2}}', '{"a": [1, 3, 2], "b": "x"}', '{"a": [], "b": null}', '{"a": {"b": [5, 4]}, "b": -1}', '{"a": [{"b": 2}, {"b": 1}]}', '{"b": 3}', '{}', '[{"a": 1}]', '7',
    '{"a": {"b": {"c": 1}}, "b": 2.5}', '{"a": {"0": 1}, "c": true}', '{"a": [[1, 2], [0]], "c": "\u0000x"}', '{"a": {"b": 2}, "b": 1}', '{"z": 1, "a": {"z": 1, "b": 7}, "b": {"c": 8}}', '{"a": null, "b": {"c": [1]}}']) WITH ORDINALITY u(d, n);
INSERT INTO sort_doc SELECT 100 + n, format('{"pad": "%s", "a": {"b": %s}, "filler": "%s", "b": %s, "c": [%s]}', repeat('x', n * 700), n, repeat(md5(n::text), 200), -n, n)::bson FROM generate_series(1, 6) n;
INSERT INTO sort_doc SELECT 200 + s.n, s.d FROM sort_doc s, generate_series(1, 3);
DO $$
DECLARE
    sort text;
    docs int;
    alike int;
    keys int;
BEGIN
    FOREACH sort IN ARRAY ARRAY['{"a": 1}', '{"a": -1}', '{"b": 1}', '{"a.b": 1}', '{"a.b": -1}', '{"a.b.c": 1}', '{"a.0": 1}', '{"zzz": 1}', '{"a.b": 1, "b": -1}', '{"b": 1, "c": 1}', '{"c": -1, "a.b.c": 1, "b": 1}', '{}'] LOOP
        EXECUTE format('SELECT count(*), count(*) FILTER (WHERE bson_sort_key(d, %1$L)::bytea = other::bytea), count(DISTINCT other)
            FROM (SELECT d, bson_sort_key(d, s) AS other, i FROM sort_doc, unnest(ARRAY[%1$L, ''{"other": 1}'']::bson[]) WITH ORDINALITY AS u(s, i) OFFSET 0) AS o WHERE i = 1', sort) INTO docs, alike, keys;
        RAISE NOTICE '%: % of % alike, % keys', sort, alike, docs, keys;
    END LOOP;
END $$;

-- documents that have nothing at any path get one key, which the call site keeps: it is that of nulls, it is the caller's as any other
-- key is (in a sort, an aggregate, a variable), and another sort gets another one
CREATE TEMP TABLE sort_missing AS
SELECT n, bson_sort_key(d, '{"zzz": 1, "y.x": -1}') AS k FROM (SELECT n, CASE WHEN n % 3 = 0 THEN bson_build_object('zzz', n) ELSE d END AS d FROM sort_doc) s;
SELECT count(*), count(DISTINCT k), count(*) FILTER (WHERE k::bytea = bson_sort_key('{"zzz": null, "y": {"x": null}}', '{"zzz": 1, "y.x": -1}')::bytea) AS of_nulls FROM sort_missing;
SELECT bson_array_length(bson_agg(k)), min(k)::bytea = (array_agg(k ORDER BY k))[1]::bytea AS least
FROM (SELECT bson_sort_key(d, '{"zzz": 1, "yyy": 1}') AS k FROM sort_doc) s;
DO $$
DECLARE
    sort bson;
    key bson;
    alike int := 0;
BEGIN
    FOR i IN 1..300 LOOP
        sort := (ARRAY['{"q": 1}', '{"q": -1, "r.s": 1}', '{"r": -1}']::bson[])[1 + i / 20 % 3];
        key := bson_sort_key('{"z": 1}', sort);
        alike := alike + (key::bytea = bson_sort_key('{"q": null, "r": null}', sort)::bytea)::int;
    END LOOP;
    RAISE NOTICE '% of 300 alike', alike;
END $$;
PREPARE sort_missing(bson) AS SELECT count(DISTINCT bson_sort_key(d, $1)::bytea), min(bson_sort_key(d, $1)) FROM sort_doc;
EXECUTE sort_missing('{"q": 1}');
EXECUTE sort_missing('{"q": 1, "r": 1}');
EXECUTE sort_missing('{"q": -1}');
