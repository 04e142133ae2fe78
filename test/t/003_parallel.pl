# If this fails, parallel plans over bson crash, or count differently from serial ones.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use BsonTest;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', q{
	parallel_setup_cost = 0
	parallel_tuple_cost = 0
	min_parallel_table_scan_size = 0
	min_parallel_index_scan_size = 0
	max_parallel_workers_per_gather = 2
	max_parallel_workers = 4
});
$node->start;
create_values($node, 'postgres', 'v');
$node->safe_psql('postgres', q{
	CREATE TABLE big AS
		SELECT n AS id, CASE WHEN n % 10 = 0 THEN v.b ELSE to_bson(n % 500) END AS b,
			('{"n": ' || n % 500 || ', "s": "' || repeat(md5(n::text), n % 40) || '", "a": [' || n || ', 2]}')::bson AS d
		FROM generate_series(1, 20000) n LEFT JOIN v ON v.id = n / 10 % 80;
	ANALYZE big;
	ALTER TABLE big SET (parallel_workers = 2);
	CREATE INDEX big_d ON big ((d -#> 'n'));
});

my @queries = (
	[ 'a scan with operators', q{SELECT count(*), sum(d -#> 'n'), sum(length(d ->> 's')), sum((d #>> '{a,0}')::int) FROM big WHERE d -> 'n' > '250'}, qr/Parallel Seq Scan/ ],
	[ 'a sort', q{SELECT md5(string_agg(b::text, ',')) FROM (SELECT b FROM big WHERE b IS NOT NULL ORDER BY b, id) s}, qr/Gather/ ],
	[ 'grouping', q{SELECT count(*), sum(n), sum(h % 1000) FROM (SELECT b, count(*) AS n, bson_hash_extended(b, 0) AS h FROM big GROUP BY b) s}, qr/Gather/ ],
	[ 'a hash join', q{SELECT count(*) FROM big x JOIN big y ON x.d -> 'n' = y.b WHERE y.id < 3000}, qr/Parallel Hash/, 'SET enable_mergejoin = off; SET enable_nestloop = off;' ],
	[ 'a merge join', q{SELECT count(*) FROM big x JOIN big y ON x.d -> 'n' = y.b WHERE y.id < 3000}, qr/Merge Join/, 'SET enable_hashjoin = off; SET enable_nestloop = off;' ],
	[ 'expansion', q{SELECT count(*), sum(length(k)) FROM big, bson_object_keys(d) k}, qr/Gather/ ],
	[ 'casts to jsonb', q{SELECT sum((d::jsonb ->> 'n')::int), sum((d::json ->> 'n')::int) FROM big}, qr/Parallel Seq Scan/ ],
	[ 'an aggregate', q{SELECT bson_array_length(bson_agg(d)) FROM big}, qr/./ ],
	# most workers have no rows to pass on
	[ 'an aggregate of one row', q{SELECT bson_agg(b) FILTER (WHERE id = 7), bson_object_agg('k', b) FILTER (WHERE id = 7), bson_agg(b) FILTER (WHERE id < 0) FROM big}, qr/Partial Aggregate/ ]);

foreach my $q (@queries)
{
	my ($name, $query, $plan, $set) = @$q;
	$set //= '';
	my $serial = $node->safe_psql('postgres', "SET max_parallel_workers_per_gather = 0; $set $query");

	like($node->safe_psql('postgres', "$set EXPLAIN (COSTS off) $query"), $plan, "$name: the plan is the one meant");
	is($node->safe_psql('postgres', "$set $query"), $serial, "$name: parallel as serial");
}

$node->stop;
done_testing();
