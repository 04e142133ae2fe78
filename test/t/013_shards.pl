# If this fails, documents spread over servers with postgres_fdw are fetched whole where a part would do.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use BsonTest;

my ($main, @shards) = map { PostgreSQL::Test::Cluster->new($_) } 'main', 'shard0', 'shard1';
foreach my $node ($main, @shards)
{
	$node->init;
	$node->start;
	$node->safe_psql('postgres', 'CREATE EXTENSION bson');
}
plan skip_all => 'postgres_fdw is not installed'
  unless $main->safe_psql('postgres', "SELECT count(*) FROM pg_available_extensions WHERE name = 'postgres_fdw'");

$main->safe_psql('postgres', q{
	CREATE EXTENSION postgres_fdw;
	CREATE TABLE doc (data bson) PARTITION BY HASH ((data['tenant']));
});
foreach my $i (0, 1)
{
	my $shard = $shards[$i];
	$shard->safe_psql('postgres', q{
		CREATE TABLE doc (data bson);
		CREATE INDEX ON doc ((data['tenant']));
		CREATE INDEX ON doc (((data -> 'n')::int));
		CREATE INDEX ON doc USING gin (data)});
	$main->safe_psql('postgres', "
		CREATE SERVER shard$i FOREIGN DATA WRAPPER postgres_fdw
			OPTIONS (host '" . $shard->host . "', port '" . $shard->port . "', dbname 'postgres', extensions 'bson', batch_size '100');
		CREATE USER MAPPING FOR CURRENT_USER SERVER shard$i;
		CREATE FOREIGN TABLE doc_$i PARTITION OF doc FOR VALUES WITH (MODULUS 2, REMAINDER $i)
			SERVER shard$i OPTIONS (table_name 'doc');");
}

# documents come and go as text, which is lossless; a local copy tells what is right
$main->safe_psql('postgres', q{
	CREATE TABLE local AS
		SELECT bson_build_object('tenant', 't' || i % 20, 'n', i, 'at', now(), 'price', i / 7.0::numeric, 'tags', ARRAY['x' || i % 3], 'in', bson_build_object('deep', i % 5)) AS data
		FROM generate_series(1, 2000) i;
	INSERT INTO doc SELECT data FROM local;
});
my $sum = "SELECT md5(string_agg(data::bytea::text, ',' ORDER BY data -#> 'n')) FROM ";
is($main->safe_psql('postgres', "$sum doc"), $main->safe_psql('postgres', "$sum local"), 'documents come back byte for byte');
my @counts = map { $_->safe_psql('postgres', 'SELECT count(*) FROM doc') } @shards;
is($counts[0] + $counts[1], 2000, 'every document is on a shard');
cmp_ok($_, '>', 0, 'and each shard has some') foreach @counts;

# Ask doc and local; look at the plan for doc
sub ask
{
	my ($name, $query, $remote, $servers) = @_;
	my $settings = 'SET enable_partitionwise_aggregate = on; SET enable_partitionwise_join = on;';
	my $plan = $main->safe_psql('postgres', "$settings EXPLAIN (VERBOSE, COSTS OFF) " . sprintf($query, 'doc'));
	my $asked = () = $plan =~ /Remote SQL/g;

	note($plan);
	like($plan, $remote, "$name: shipped");
	is($asked, $servers, "$name: of two shards $servers asked");
	is($main->safe_psql('postgres', $settings . sprintf($query, 'doc')), $main->safe_psql('postgres', sprintf($query, 'local')), "$name: the answer");
}

# postgres_fdw ships no operator beside a text constant (its collation is not the remote
# column's: so it is with jsonb); a subscript, a cast, one of a text key too, and every operator between bson goes
ask('a key of the partitions', q{SELECT count(*) FROM %s WHERE data['tenant'] = '"t7"'}, qr/Remote SQL: SELECT NULL FROM .*WHERE .*tenant/, 1);
ask('containment', q{SELECT data['n'] AS n FROM %s WHERE data @> '{"tags": ["x1"], "n": 100}'}, qr/Remote SQL: .*WHERE .*@>/, 2);
ask('an integer', q{SELECT data['n'] AS n FROM %s WHERE data['n']::int > 1990 ORDER BY 1}, qr/Remote SQL: .*WHERE .*integer > 1990/, 2);
ask('an integer by a text key', q{SELECT data['n'] AS n FROM %s WHERE (data -> 'n')::int > 1990 ORDER BY 1}, qr/Remote SQL: .*WHERE .*bson_walk_to_int4.* > 1990/, 2);
ask('an integer within', q{SELECT data['n'] AS n FROM %s WHERE (data -> 'in' -> 'deep')::int8 = 3 ORDER BY 1}, qr/Remote SQL: .*WHERE .*bson_walk_to_int8.* = 3/, 2);
like($shards[0]->safe_psql('postgres', "SET enable_seqscan = off; EXPLAIN SELECT data FROM doc WHERE bson_walk_to_int4(data, 'n'::text) > 1990"),
	qr/Index Cond: .*bson_walk_to_int4/, 'and there an index on the cast is used');
ask('a number', q{SELECT data['n'] AS n FROM %s WHERE data['n'] > '1990' ORDER BY 1}, qr/Remote SQL: .*WHERE .*OPERATOR\(public\.>\) '1990'/, 2);
ask('a chain', q{SELECT sum(data['n']::int) FROM %s WHERE data['in']['deep'] = '3'}, qr/Remote SQL: .*WHERE .*deep/, 2);
ask('a query of MongoDB', q{SELECT data['n'] AS n FROM %s WHERE data @~ '{"n": {"$gt": 1500, "$lt": 1510}}' ORDER BY 1}, qr/Remote SQL: .*WHERE .*@~/, 2);
ask('a jsonpath', q{SELECT data['n'] AS n FROM %s WHERE data @@ '$.n > 1995' ORDER BY 1}, qr/Remote SQL: .*WHERE .*@@/, 2);
ask('key and more', q{SELECT data['n'] AS n FROM %s WHERE data['tenant'] = '"t3"' AND data @> '{"tags": ["x1"]}' ORDER BY data['n'] LIMIT 3}, qr/Remote SQL: .*WHERE .*tenant.*@>/, 1);
ask('groups', q{SELECT * FROM (SELECT data['tenant'] AS tenant, count(*), max(data['n']::int), bson_agg(data['in'] ORDER BY data['n']) FROM %s GROUP BY 1) g ORDER BY tenant},
	qr/Remote SQL: SELECT .*count\(\*\), max\(.*GROUP BY/, 2);

# what is not shipped is right all the same
ask('a text key', q{SELECT data ->> 'n' AS n FROM %s WHERE data -> 'in' -#> 'deep' = 3 ORDER BY 1}, qr/Filter: .*bson_walk_int4/, 2);

done_testing();
