-- If this fails, values are stored, sent, hashed or ordered by other bytes than in version 1.0, so that tables, replicas, hash
-- indexes, partitions and sorted keys of users are wrong. What is expected was made once and never changes: see "What may
-- never change" in doc/contributing.md.
\getenv srcdir PG_ABS_SRCDIR
\set values :srcdir /format/values.sql
\set ECHO none
\i :values
\set ECHO all
\pset format unaligned
\pset tuples_only on
-- the bytes, which are also those of bson_send and COPY (FORMAT binary), and what bytes and text read back to
SELECT n, v, encode(v::bytea, 'hex') AS bytes FROM fixture ORDER BY n;
SELECT n FROM fixture WHERE bson_send(v) <> v::bytea OR v::bytea::bson::bytea <> v::bytea OR v::text::bson::bytea <> v::bytea;
-- hash indexes; hash partitions, with a seed; sort keys, ascending and descending
SELECT n, bson_hash(v), bson_hash_extended(v, 0), bson_hash_extended(v, -7891234567890123456) FROM fixture ORDER BY n;
SELECT n, encode(bson_sort_key(bson_build_object('k', v), '{"k": 1}')::bytea, 'hex') AS up, encode(bson_sort_key(bson_build_object('k', v), '{"k": -1}')::bytea, 'hex') AS down FROM fixture ORDER BY n;
-- SQL's values hash as the bson values that are equal to them
SELECT bson_hash_int4(15), bson_hash_int8(4968387550), bson_hash_float8(19.99), bson_hash_numeric(19.990), bson_hash_text('abc'), bson_hash_boolean(true),
       bson_hash_timestamptz('2022-03-03T12:13:14.789Z'), bson_hash_uuid('73ffd264-44b3-4c69-90e8-e7d1dfc035d4');
SELECT bson_hash_extended_int4(15, 7), bson_hash_extended_int8(4968387550, 7), bson_hash_extended_float8(19.99, 7), bson_hash_extended_numeric(19.990, 7), bson_hash_extended_text('abc', 7),
       bson_hash_extended_boolean(true, 7), bson_hash_extended_timestamptz('2022-03-03T12:13:14.789Z', 7), bson_hash_extended_uuid('73ffd264-44b3-4c69-90e8-e7d1dfc035d4', 7);
-- the order, by which B-trees and range partitions hold their rows
SELECT string_agg(equal, ' < ' ORDER BY v) FROM (SELECT v, string_agg(n::text, '=' ORDER BY n) AS equal FROM fixture GROUP BY v) AS s;
