# If this fails, a statement that needs neither libbson, json-c nor PCRE2 loads them, so the first statement of a session takes twice as long.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use BsonTest;

plan skip_all => 'the system does not list what a process has loaded in /proc/self/maps' unless -r '/proc/self/maps';

my $node = PostgreSQL::Test::Cluster->new('main');

$node->init(extra => [ '--encoding', 'UTF8', '--locale', 'C' ]);
$node->start;
$node->safe_psql('postgres', q{
	CREATE EXTENSION bson;
	CREATE TABLE t (data bson);
	INSERT INTO t SELECT bson_build_object('a', i, 'b', bson_build_object('c', i % 10), 'kind', 'k' || i % 3) FROM generate_series(1, 1000) AS i;
	CREATE TABLE u AS SELECT data FROM t LIMIT 10;
	CREATE INDEX t_gin ON t USING gin (data);
	CREATE INDEX t_kind ON t ((data ->> 'kind'));
	ANALYZE});

# What a new session has loaded after a statement
sub loads
{
	return $node->safe_psql('postgres', "$_[0];\nSELECT 'loaded ' || (pg_read_file('/proc/self/maps') ~ '/bson_libraries')");
}

my @without = (
	q{SELECT to_bson(5)},
	q{SELECT to_bson(5.25), to_bson(now()), to_bson(gen_random_uuid()), to_bson('\x01'::bytea), to_bson(ARRAY[[1, 2], [3, 4]])},
	q{SELECT bson_build_object('a', 1, 'b', ARRAY['x', NULL])},
	q{SELECT bson_build_array(1, 'x', true)},
	q{SELECT row_to_bson(r) FROM (SELECT 1 AS a, 'x' AS b) AS r},
	q{SELECT bson_agg(n), bson_object_agg(n, n) FROM generate_series(1, 3) AS n},
	q{SELECT '{"a": {"b": [1, 2.5, "x", true, null]}}'::bson},
	q{SELECT '{"a": 1}'::jsonb::bson},
	q{SELECT data -> 'b' -> 'c' FROM t WHERE data -> 'b' -> 'c' = 5},
	q{SELECT data FROM t WHERE data -> 'b' -> 'c' BETWEEN 3 AND 4},
	q{SELECT data FROM t WHERE data -> 'a' <> 7},
	q{SELECT data FROM t WHERE data @> '{"a": 5}'},
	q{SELECT data FROM t WHERE data @> '{"kind": "k1"}'},
	q{SELECT data FROM t WHERE data @~ '{"a": {"$gt": 5}, "b.c": 3}'},
	q{SELECT count(*) FROM t JOIN u ON t.data @> bson_build_object('a', u.data -> 'a')},
	q{SELECT data FROM t ORDER BY data -> 'a' LIMIT 1},
	q{SELECT bson_set(data, '{a}', '1') FROM t LIMIT 1},
	q{SELECT bson_update(data, '{"$set": {"a": 1}, "$push": {"l": 5}}') FROM t LIMIT 1},
	q{SELECT bson_project(data, '{"x": {"$add": ["$a", 1]}}') FROM t LIMIT 1},
	q{SELECT d FROM bson_aggregate('t', '[{"$match": {"a": {"$lt": 5}}}, {"$group": {"_id": "$b", "n": {"$sum": 1}}}]') AS d});
my @with = (
	[ q{SELECT '{"_id": {"$oid": "5f2b1c3d4e5f60718293a4b5"}, "a": 1, "a": 2}'::bson}, 'a key that occurs twice is left to json-c' ],
	[ q{SELECT '{"a": "xyz"}'::bson @~ '{"a": {"$regex": "^x"}}'}, 'PCRE2 matches regular expressions' ],
	[ q{SELECT bson_objectid()}, 'libbson makes ObjectIds' ]);

like(loads($_), qr/^loaded false$/m, "not loaded by $_") foreach @without;
like(loads($_->[0]), qr/^loaded true$/m, "loaded, as $_->[1]: $_->[0]") foreach @with;

done_testing();
