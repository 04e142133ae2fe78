-- If this fails, ObjectIds are not unique or not dated, or a dump is not read.
SET timezone = 'UTC';
SELECT bson_typeof(bson_objectid()), bson_objectid() <> bson_objectid() AS differ,
  bson_objectid_timestamp(bson_objectid()) BETWEEN now() - interval '1 minute' AND now() + interval '1 minute' AS now;
SELECT count(DISTINCT bson_objectid()) FROM generate_series(1, 10000);
SELECT bson_objectid_timestamp('{"$oid": "56e1fc72e0c917e9c4714161"}'), bson_objectid_timestamp('{"$oid": "ffffffff0000000000000000"}'),
  bson_objectid_timestamp('{"$oid": "000000000000000000000000"}');
SELECT bson_objectid_timestamp('"56e1fc72e0c917e9c4714161"');  -- ERROR, a string

-- as MongoDB's insert stores a document; what is as it shall be is returned itself
SELECT bson_with_id('{"a": 1}') - '_id' AS rest, bson_typeof(bson_with_id('{"a": 1}') -> '_id') AS made, bson_with_id('{"a": 1, "_id": null}') AS moved,
  bson_with_id('{"_id": {"a": {"$b": 1}}, "c": 2}') AS same, bson_with_id(NULL) IS NULL AS null;
SELECT array_agg(key ORDER BY ordinality) FROM ROWS FROM (bson_object_keys(bson_with_id('{"a": 1, "b": 2}'))) WITH ORDINALITY AS k(key);
SELECT bson_with_id('{"_id": [1]}');  -- ERROR
SELECT bson_with_id('{"a": 1, "_id": {"$regularExpression": {"pattern": "a", "options": ""}}}');  -- ERROR
SELECT bson_with_id(bson_build_object('_id', bson_build_object('$a', 1)));  -- ERROR
SELECT bson_with_id('[{"_id": 1}]');  -- ERROR, no document

-- from its text, for comparisons: immutable, so that an index on the field serves
SELECT bson_objectid('56e1fc72e0c917e9c4714161'), bson_objectid('56E1FC72E0C917E9C4714161') = '{"$oid": "56e1fc72e0c917e9c4714161"}' AS equal, bson_objectid(NULL);
SELECT bson_objectid('56e1fc72e0c917e9c471416');  -- ERROR, too short
SELECT bson_objectid('56e1fc72e0c917e9c471416g');  -- ERROR, not a digit
SELECT bson_objectid('');  -- ERROR
CREATE TEMP TABLE found (data bson);
INSERT INTO found SELECT bson_build_object('_id', bson_objectid(lpad(to_hex(n), 24, '0'))) FROM generate_series(1, 1000) n;
CREATE UNIQUE INDEX ON found ((data -> '_id'));
ANALYZE found;
EXPLAIN (COSTS OFF) SELECT * FROM found WHERE data -> '_id' = bson_objectid('00000000000000000000001f');
SELECT * FROM found WHERE data -> '_id' = bson_objectid('00000000000000000000001f');

CREATE TEMP TABLE made (id bson DEFAULT bson_build_object('_id', bson_objectid()), n int);
INSERT INTO made (n) SELECT generate_series(1, 3);
SELECT bson_typeof(id -> '_id'), n FROM made ORDER BY id;  -- they ascend

-- a dump is a sequence of documents
SELECT * FROM bson_read_dump('\x0c0000001061000100000000' || '\x0500000000'::bytea || '\x0c0000001061000200000000');
SELECT count(*) FROM bson_read_dump('');
SELECT * FROM bson_read_dump('\x05000000000500000001');  -- ERROR, the second is damaged
SELECT * FROM bson_read_dump('\x05000000000c000000106100');  -- ERROR, cut short
SELECT * FROM bson_read_dump('\x050000000005');  -- ERROR, cut within the length
SELECT * FROM bson_read_dump('\x0500000000ffffffff00');  -- ERROR
SELECT * FROM bson_read_dump('\x00000000');  -- ERROR
SELECT string_agg((d)::bytea, '') = (SELECT string_agg(bson_build_object('i', i, 's', repeat('x', i % 50))::bytea, '' ORDER BY i) FROM generate_series(1, 1000) AS i) AS same
  FROM bson_read_dump((SELECT string_agg(bson_build_object('i', i, 's', repeat('x', i % 50))::bytea, '' ORDER BY i) FROM generate_series(1, 1000) AS i)) AS d;
