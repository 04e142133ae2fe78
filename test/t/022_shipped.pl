# If this fails, a query on several servers transfers more rows of a table of bson than of the same table of jsonb.
# With prove -v it prints rows and bytes as a table; that of doc/scaling.md is made so.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use BsonTest;

my $fdw = cluster('main', 'shard0', 'shard1');
plan skip_all => 'postgres_fdw is not installed'
  unless $fdw->[0]->safe_psql('postgres', "SELECT count(*) FROM pg_available_extensions WHERE name = 'postgres_fdw'");

# %T is the table, %K the key by which it is distributed.  A query of jsonb has the functions of jsonb, or is given.
my @queries = (
	[ 'the documents of a key', q{SELECT data FROM %T WHERE %K = '"t7"'} ],
	[ 'a number', q{SELECT data FROM %T WHERE data -> 'n' = '77'} ],
	[ 'a number as an integer', q{SELECT data FROM %T WHERE data -#> 'n' = 77}, q{SELECT data FROM %T WHERE (data ->> 'n')::int = 77} ],
	[ 'a range', q{SELECT data FROM %T WHERE (data -> 'n')::int BETWEEN 100 AND 110} ],
	[ 'a range, by a getter', q{SELECT data FROM %T WHERE bson_get_int8(data, 'n') < 10}, q{SELECT data FROM %T WHERE (data -> 'n')::int8 < 10} ],
	[ 'a string', q{SELECT data FROM %T WHERE data -> 'name' = 'name 77'::text}, q{SELECT data FROM %T WHERE data -> 'name' = '"name 77"'} ],
	[ 'a text', q{SELECT data FROM %T WHERE data ->> 'name' = 'name 77'} ],
	[ 'a value within', q{SELECT data FROM %T WHERE data -> 'in' -> 'deep' = '3'} ],
	[ 'a path', q{SELECT data FROM %T WHERE data #> '{in,deep}' = '3'} ],
	[ 'containment', q{SELECT data FROM %T WHERE data @> '{"tags": ["x1"], "in": {"deep": 3}}'} ],
	[ 'existence', q{SELECT data FROM %T WHERE data ? 'rare'} ],
	[ 'a jsonpath', q{SELECT data FROM %T WHERE data @@ '$.n > 1990'} ],
	[ 'a query of MongoDB', q{SELECT data FROM %T WHERE data @~ '{"n": {"$gt": 1990}, "tags": "x1"}'}, q{SELECT data FROM %T WHERE data @@ '$.n > 1990 && $.tags[*] == "x1"'} ],
	[ 'one field of all', q{SELECT data -> 'name' FROM %T} ],
	[ 'the first ten', q{SELECT data FROM %T ORDER BY data -> 'n' LIMIT 10} ],
	[ 'count', q{SELECT count(*) FROM %T WHERE data -> 'in' -> 'deep' = '3'} ],
	[ 'sum', q{SELECT sum((data -> 'n')::int) FROM %T WHERE %K = '"t7"'} ],
	[ 'groups by the key', q{SELECT %K, count(*), max((data -> 'n')::int) FROM %T GROUP BY 1} ],
	[ 'groups by a field', q{SELECT data -> 'in' -> 'deep', count(*) FROM %T GROUP BY 1} ],
	[ 'groups by key and field', q{SELECT %K, data -> 'in' -> 'deep', count(*) FROM %T GROUP BY 1, 2} ],
	[ 'different values', q{SELECT DISTINCT %K, data -> 'in' FROM %T} ],
	[ 'an array for each key', q{SELECT %K, bson_agg(data -> 'name') FROM %T GROUP BY 1} ],
	[ 'an array of all', q{SELECT bson_agg(data) FROM %T} ],
	[ 'an object of all', q{SELECT bson_object_agg(data ->> 'name', data -> 'n') FROM %T} ],
	[ 'a join by the key', q{SELECT count(*) FROM %T AS a JOIN %T AS b ON a.%K = b.%K WHERE a.data -> 'n' < '20' AND b.data -> 'n' = '77'} ],
	[ 'an update', q{UPDATE %T SET data = bson_set(data, '{new}', '1') WHERE data -> 'in' -> 'deep' = '3'} ],
	[ 'an update by ||', q{UPDATE %T SET data = data || '{"new": 2}' WHERE data ? 'rare'} ],
	[ 'a deletion', q{DELETE FROM %T WHERE data -> 'n' = '5'} ]);

# the same documents for both types, of what JSON has
my $rows = q{SELECT format('{"tenant": "t%s", "n": %s, "name": "name %s", "price": %s.25, "tags": ["x%s", "of %s"], "in": {"deep": %s, "text": "%s"}, "at": "2024-01-%s"%s}',
	i % 20, i, i, i % 100, i % 3, i % 7, i % 5, repeat(md5(i::text), 3), 10 + i % 20, CASE WHEN i % 100 = 0 THEN ', "rare": true' END) AS json FROM generate_series(1, 2000) AS i};

sub cluster
{
	my @nodes = map { PostgreSQL::Test::Cluster->new($_) } @_;

	foreach my $node (@nodes)
	{
		$node->init;
		$node->append_conf('postgresql.conf', "shared_preload_libraries = 'citus'\nmax_prepared_transactions = 20\ncitus.shard_count = 8\n") if $_[0] eq 'coordinator';
		$node->start;
		$node->safe_psql('postgres', 'CREATE EXTENSION citus') if $_[0] eq 'coordinator';
		$node->safe_psql('postgres', 'CREATE EXTENSION bson') unless $node != $nodes[0] && $_[0] eq 'coordinator';
	}
	return \@nodes;
}

sub table { return $_[0] eq 'bson' ? 'doc' : 'docj'; }

sub query_of
{
	my ($type, $key, $query) = @_;
	my ($name, $sql, $jsonb) = @$query;

	$sql = $type eq 'bson' ? $sql : $jsonb // $sql =~ s/bson/jsonb/gr;
	$sql =~ s/(\w+)\.%K/my $alias = $1; $key =~ s!\b(data|key)\b!$alias.$1!r/ge;
	return $sql =~ s/%K/$key/gr =~ s/%T/table($type)/ger;
}

# postgres_fdw: rows that the scans of the plan got, those that a local filter removed included.  The bytes are those
# of the texts that the shards send.
sub shipped_by_fdw
{
	my ($sql) = @_;
	my ($main, @shards) = @$fdw;
	my $plan = $main->safe_psql('postgres', "BEGIN; SET enable_partitionwise_aggregate = on; SET enable_partitionwise_join = on; SET enable_nestloop = off;
		EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF) $sql; ROLLBACK");
	my ($rows, $bytes) = (0, 0);

	foreach my $scan (split /(?=Foreign Scan)/, $plan)
	{
		my ($got) = $scan =~ /^Foreign Scan.*?actual rows=([\d.]+)/ or next;
		my ($removed) = $scan =~ /Rows Removed by Filter: (\d+)/;
		my ($remote) = $scan =~ /Remote SQL: (SELECT.*?)(?: FOR UPDATE)?$/m or next;
		my ($shard) = $scan =~ /docj?_(\d)/;

		$got += $removed // 0;
		$rows += $got;
		$bytes += length($shards[$shard]->safe_psql('postgres', "COPY ($remote LIMIT $got) TO STDOUT")) + 1 if $got > 0;
	}
	return ($rows, $bytes, $plan);
}

my $citus;

# Citus says itself what it received, rounded to 1 kB from 10 kB on
sub shipped_by_citus
{
	my ($sql, $binary) = @_;
	my $plan = $citus->[0]->safe_psql('postgres', "SET citus.enable_binary_protocol = $binary; BEGIN; EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF) $sql; ROLLBACK");
	my ($rows, $bytes) = (0, 0);
	my %unit = (bytes => 1, kB => 1024, MB => 1024 * 1024);

	while ($plan =~ /Custom Scan \(Citus \w+\) \(actual rows=(\d+)(.*?)(?=Custom Scan \(Citus|\z)/sg)
	{
		my ($got, $rest) = ($1, $2);
		$rows += $got;
		$bytes += $1 * $unit{$2} if $rest =~ /Tuple data received from nodes: (\d+) (\w+)/;
	}
	return ($rows, $bytes, $plan);
}

# What is shipped for each query: a row for the table, and a test
my %cells;

sub compare
{
	my ($engine, $key, $shipped, $exceptions) = @_;

	foreach my $query (@queries)
	{
		my $name = $query->[0];
		my ($rows, $bytes, $plan) = $shipped->(query_of('bson', $key, $query));
		my ($rowsj, $bytesj, $planj) = $shipped->(query_of('jsonb', $key, $query));

		push @{ $cells{$name} }, "$rows / $rowsj", "$bytes / $bytesj";
		note("$plan\n$planj") if $ENV{BSON_PLANS};
	  SKIP:
		{
			skip "$engine, $name: this Citus has no such aggregates on the shards", 1 if $exceptions && $name =~ $exceptions;
			cmp_ok($rows, '<=', $rowsj, "$engine, $name: rows") or diag("$plan\n$planj");
		}
		cmp_ok($bytes, '<=', $bytesj, "$engine, $name: bytes") or diag("$plan\n$planj") if $engine !~ /binary/;
	}
}

foreach my $type ('bson', 'jsonb')
{
	my ($main, @shards) = @$fdw;
	my $table = table($type);

	$main->safe_psql('postgres', "CREATE EXTENSION IF NOT EXISTS postgres_fdw; CREATE TABLE $table (data $type) PARTITION BY HASH ((data -> 'tenant'))");
	foreach my $i (0, 1)
	{
		$shards[$i]->safe_psql('postgres', "CREATE TABLE $table (data $type)");
		$main->safe_psql('postgres', "CREATE SERVER shard$i FOREIGN DATA WRAPPER postgres_fdw
				OPTIONS (host '" . $shards[$i]->host . "', port '" . $shards[$i]->port . "', dbname 'postgres', extensions 'bson', batch_size '100');
			CREATE USER MAPPING FOR CURRENT_USER SERVER shard$i") if $type eq 'bson';
		$main->safe_psql('postgres', "CREATE FOREIGN TABLE ${table}_$i PARTITION OF $table FOR VALUES WITH (MODULUS 2, REMAINDER $i) SERVER shard$i OPTIONS (table_name '$table')");
	}
	$main->safe_psql('postgres', "INSERT INTO $table SELECT json::$type FROM ($rows) AS s");
	$_->safe_psql('postgres', "ANALYZE $table") foreach @shards;
}
compare('postgres_fdw', "(data -> 'tenant')", \&shipped_by_fdw);

# without statistics of the foreign tables it expects too many rows to join them there
$fdw->[0]->safe_psql('postgres', 'ANALYZE doc');
my ($join) = grep { $_->[0] eq 'a join by the key' } @queries;
is((shipped_by_fdw(query_of('bson', "(data -> 'tenant')", $join)))[0], 1, 'postgres_fdw, a join by the key after ANALYZE: rows');

SKIP:
{
	my $config = $ENV{PG_CONFIG} // 'pg_config';
	chomp(my $lib = `$config --pkglibdir`);
	skip 'citus is not installed', 1 unless -e "$lib/citus.so";

	$citus = cluster('coordinator', 'worker0', 'worker1');
	my ($main, @workers) = @$citus;
	$main->safe_psql('postgres', sprintf("SELECT citus_set_coordinator_host('%s', %d)", $main->host, $main->port));
	$main->safe_psql('postgres', sprintf("SELECT citus_add_node('%s', %d)", $_->host, $_->port)) foreach @workers;
	foreach my $type ('bson', 'jsonb')
	{
		my $table = table($type);

		$main->safe_psql('postgres', "CREATE TABLE $table (key text, data $type); SELECT create_distributed_table('$table', 'key');
			INSERT INTO $table SELECT (json::json -> 'tenant')::text, json::$type FROM ($rows) AS s");
	}
	# until version 15 Citus lets shards compute no aggregate whose state is internal, but jsonb's, which it knows by name
	my $exceptions = $main->safe_psql('postgres', "SELECT count(*) FROM pg_settings WHERE name = 'citus.allow_aggregate_worker_combine_on_internal_types'") ? undef : qr/^an .* of all$/;
	compare('Citus, binary', 'key', sub { shipped_by_citus($_[0], 'on') }, $exceptions);
	compare('Citus, text', 'key', sub { shipped_by_citus($_[0], 'off') }, $exceptions);
}

note('| query | postgres_fdw: rows | bytes |' . ($citus ? ' Citus: rows | bytes in binary | in text |' : ''));
note('|---|---|---|' . ($citus ? '---|---|---|' : ''));
foreach my $query (@queries)
{
	my @cell = @{ $cells{ $query->[0] } };
	splice @cell, 4, 1 if @cell > 4;
	note('| ' . join(' | ', $query->[0], @cell) . ' |');
}

done_testing();
