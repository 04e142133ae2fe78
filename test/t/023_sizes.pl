# If this fails, a value of some size, or stored in some way, is another one in a parallel worker, a file of COPY or on a subscriber.
#
# Each way of storing a value (inline, with a short header, compressed inline, compressed out of line and out of line as it
# is, by pglz and lz4) meets each way of sending it.  Not tested: values from 2 MB (of which lz4 makes more than a page) to 1 GB, which differ in nothing but time
# (010_huge.pl has one), and PLAIN storage, which has no values larger than a page.  A plugin that the server does not have,
# or does not accept, as the newest minor releases do with older builds of wal2json, is left out.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use BsonTest;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(allows_streaming => 'logical');
$node->append_conf('postgresql.conf', q{
	parallel_setup_cost = 0
	parallel_tuple_cost = 0
	min_parallel_table_scan_size = 0
	min_parallel_index_scan_size = 0
	max_parallel_workers_per_gather = 2
	max_parallel_maintenance_workers = 2
	max_parallel_workers = 4
	max_worker_processes = 16
	logical_decoding_work_mem = 64kB
});
$node->start;

my $lz4 = $node->psql('postgres', 'SET default_toast_compression = lz4') == 0 ? 'lz4' : 'pglz';
my @columns = ('e', 'p', 'l', 'm');	# EXTERNAL, EXTENDED by pglz and lz4, MAIN
my $definition = "id int PRIMARY KEY, size int, note text, e bson, p bson COMPRESSION pglz, l bson COMPRESSION $lz4, m bson";
my $create = "CREATE TABLE sizes ($definition); ALTER TABLE sizes ALTER e SET STORAGE EXTERNAL, ALTER m SET STORAGE MAIN;";
my @sizes = (0, 1, 50, 90 .. 120, 1900, 1960 .. 2040, 2600, 8000, 8150, 20000, 100000, 2097152);
my $filled = join ', ', ('d') x 4;
my $fill = qq{
	INSERT INTO sizes SELECT id, size, 'x', $filled FROM (
		SELECT row_number() OVER (ORDER BY size, kind) AS id, size,
			CASE WHEN kind = 1 THEN bson_build_object('n', size, 's', repeat('ab', (size + 1) / 2), 'z', size)
				ELSE bson_build_object('n', size, 's', substr(noise, 1, size), 'z', size) END AS d
		FROM unnest('{@{[ join ',', @sizes ]}}'::int[]) size, generate_series(1, 2) kind,
			(SELECT decode(string_agg(md5(i::text), ''), 'hex') AS noise FROM generate_series(1, 131072) i) s OFFSET 0) s
};
my $rows = 2 * @sizes;

# One digest of all of it
sub sum_of
{
	my ($cluster, $table) = @_;
	my $all = join ' || ', map { "md5($_\::bytea)" } @columns;

	return $cluster->safe_psql('postgres', "SELECT count(*), md5(string_agg(id || note || $all, ',' ORDER BY id)) FROM $table");
}

$node->safe_psql('postgres', "CREATE EXTENSION bson; $create CREATE PUBLICATION pub FOR TABLE sizes");
my @slots = map { $node->psql('postgres', "SELECT pg_create_logical_replication_slot('$_', '$_')") == 0 ? $_ : () }
  ('test_decoding', 'wal2json', 'pgoutput');
$node->safe_psql('postgres', "$fill; ALTER TABLE sizes SET (parallel_workers = 2); ANALYZE sizes");

# They are stored in all these ways
foreach my $form ([ 'uncompressed', 'e', 'IS NULL' ], [ 'pglz', 'p', "= 'pglz'" ], [ $lz4, 'l', "= '$lz4'" ])
{
	my ($name, $column, $is) = @$form;

	is( $node->safe_psql('postgres', "SELECT bool_or(pg_column_size($column) < 127), bool_or(pg_column_size($column) BETWEEN 127 AND 2000),
			bool_or(pg_column_size($column) > 8200) FROM sizes WHERE pg_column_compression($column) $is"),
		't|t|t', "$name: short, inline and out of line");
}

# --- parallel workers ---

sub both
{
	my ($name, $query, $plan) = @_;
	my $serial = $node->safe_psql('postgres', "SET max_parallel_workers_per_gather = 0; $query");

	like($node->safe_psql('postgres', "EXPLAIN (COSTS off) $query"), $plan, "$name: the plan is parallel");
	is($node->safe_psql('postgres', $query), $serial, "$name: parallel as serial");
}

foreach my $c (@columns)
{
	both("$c read by workers", qq{
		SELECT md5(string_agg(x, ',' ORDER BY x)) FROM (SELECT md5($c\::bytea) || bson_hash($c) || md5($c\::text) || bson_size($c)
			|| ($c -#> 'z') || md5($c ->> 's') || bson_typeof($c -> 's') || ($c \@~ '{"z": {"\$gt": 1000}}') || ($c \@> '{"z": 2000}')
			|| md5((bson_set($c, '{y}', '1') - 's')::text) AS x FROM sizes WHERE $c -> 'z' >= '0' OFFSET 0) s}, qr/Parallel Seq Scan/);
	both("$c sent by workers", "SELECT md5(string_agg(md5($c\::bytea), ',')) FROM (SELECT id, $c FROM sizes WHERE $c -#> 'n' >= 0 ORDER BY $c, id) s",
		qr/Gather/);
	both("$c aggregated by workers", "SELECT bson_size(a), bson_array_length(a), bson_size(o) FROM (SELECT bson_agg($c) AS a, bson_object_agg(id, $c) AS o FROM sizes) s",
		qr/Partial Aggregate/);
	both("$c in a hash table", "SELECT count(*), sum(x.id) FROM sizes x JOIN sizes y ON x.$c = y.e WHERE x.id % 3 = 0", qr/Hash Join|Merge Join|Gather/);
	$node->safe_psql('postgres', "CREATE INDEX ON sizes (($c -> 'n')); CREATE INDEX ON sizes USING gin ($c); CREATE INDEX ON sizes USING hash ($c)");
	is( $node->safe_psql('postgres', "SET enable_seqscan = off; SELECT (SELECT count(*) FROM sizes WHERE $c -> 'n' > '-1'),
			(SELECT count(*) FROM sizes WHERE $c \@> '{\"n\": 2097152}'), (SELECT count(*) FROM sizes x JOIN sizes y ON x.$c = y.$c WHERE y.id = $rows)"),
		"$rows|2|1", "$c: indexes find all");
}

# --- files ---

foreach my $format ('binary', 'text', 'csv')
{
	my $file = $node->basedir . "/sizes.$format";

	$node->safe_psql('postgres', "COPY (SELECT * FROM sizes WHERE e -#> 'n' >= 0) TO '$file' (FORMAT $format);
		CREATE TABLE from_$format (LIKE sizes); COPY from_$format FROM '$file' (FORMAT $format)");
	is(sum_of($node, "from_$format"), sum_of($node, 'sizes'), "COPY as $format and back");
	unlink $file;
}

# --- decoding: what each plugin shows of each new row ---

sub decoded
{
	my ($slot, $function, $options, $from) = @_;

	return $node->safe_psql('postgres', "WITH c AS MATERIALIZED (SELECT row_number() OVER () AS n, data FROM pg_logical_slot_$function('$slot', NULL, NULL $options)) $from");
}

my $all = join ' AND ', map { "x ->> '$_' = s.$_\::text" } @columns;
foreach my $slot (@slots)
{
	if ($slot eq 'test_decoding')
	{
		my $shown = join " || ' ' || ", map { "'$_\[bson]:' || quote_literal($_)" } @columns;

		is( decoded($slot, 'get_changes', '', "SELECT count(*) FROM c JOIN sizes s ON data = 'table public.sizes: INSERT: id[integer]:' || id
				|| ' size[integer]:' || size || ' note[text]:''x'' ' || $shown"), $rows, "$slot shows each");
	}
	elsif ($slot eq 'wal2json')
	{
		is( decoded($slot, 'get_changes', ", 'format-version', '2'", "SELECT count(*) FROM (SELECT data::jsonb AS d FROM c) c,
				LATERAL (SELECT jsonb_object_agg(k ->> 'name', k -> 'value') AS x FROM jsonb_array_elements(CASE WHEN d ->> 'action' = 'I' THEN d -> 'columns' ELSE '[]' END) k) x
				JOIN sizes s ON s.id = (x ->> 'id')::int WHERE d ->> 'table' = 'sizes' AND $all"), $rows, "$slot shows each");
	}
	else
	{
		foreach my $binary ('false', 'true')
		{
			my $sent = join ' AND ', map {
				$binary eq 'true' ? "position(bson_send($_) IN data) > 0" : "position(convert_to($_\::text, 'UTF8') IN data) > 0"
			} @columns;

			is( decoded($slot, 'peek_binary_changes', ", 'proto_version', '1', 'publication_names', 'pub', 'binary', '$binary'",
					"SELECT count(*) FROM (SELECT row_number() OVER (ORDER BY n) AS n, data FROM c WHERE get_byte(data, 0) = ascii('I')) c JOIN sizes s ON s.id = n WHERE $sent"),
				$rows, "$slot with binary = $binary sends each");
		}
	}
	$node->safe_psql('postgres', "SELECT pg_drop_replication_slot('$slot')");
}

# --- subscribers: the first copy; changes that leave large values alone, change a part of them, replace them ---

my $subscriber = PostgreSQL::Test::Cluster->new('subscriber');
$subscriber->init;
$subscriber->append_conf('postgresql.conf', 'max_worker_processes = 16');
$subscriber->start;
$subscriber->safe_psql('postgres', 'CREATE EXTENSION bson');
foreach my $identity ('DEFAULT', 'FULL')
{
	foreach my $binary ('false', 'true')
	{
		my $name = lc "of_${identity}_$binary";

		$node->safe_psql('postgres', "TRUNCATE sizes; $fill; ALTER TABLE sizes REPLICA IDENTITY $identity");
		$subscriber->safe_psql('postgres', "DROP TABLE IF EXISTS sizes; $create");
		$subscriber->safe_psql('postgres', "CREATE SUBSCRIPTION $name CONNECTION '" . $node->connstr
			  . " dbname=postgres' PUBLICATION pub WITH (binary = $binary, streaming = on)");
		$subscriber->wait_for_subscription_sync($node, $name);
		is(sum_of($subscriber, 'sizes'), sum_of($node, 'sizes'), "identity $identity, binary = $binary: the first copy");
		$node->safe_psql('postgres', q{
			UPDATE sizes SET note = 'changed' WHERE id % 2 = 0;
			UPDATE sizes SET e = bson_set(e, '{n}', '-1'), p = bson_set(p, '{z}', '-1') WHERE id % 3 = 0;
			UPDATE sizes SET l = bson_update(l, '{"$set": {"new": [1]}}'), m = m || '{"s": "short"}' WHERE id % 5 = 0;
			BEGIN;
			INSERT INTO sizes SELECT id + 1000, size, note, p, l, m, e FROM sizes WHERE id < 1000;
			SAVEPOINT s;
			INSERT INTO sizes SELECT id + 2000, size, note, p, l, m, e FROM sizes WHERE id < 1000;
			ROLLBACK TO s;
			UPDATE sizes SET id = id + 5000 WHERE id % 7 = 0;
			COMMIT;
			DELETE FROM sizes WHERE id % 11 = 0});
		$node->wait_for_catchup($name);
		is(sum_of($subscriber, 'sizes'), sum_of($node, 'sizes'), "identity $identity, binary = $binary: changes arrive");
		$subscriber->safe_psql('postgres', "DROP SUBSCRIPTION $name");
	}
}
$subscriber->stop;
$node->stop;
done_testing();
