# If this fails, Citus looks for documents on the wrong shard, or fetches all of them although one shard would be
# enough.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use BsonTest;

my $config = $ENV{PG_CONFIG} // 'pg_config';
chomp(my $lib = `$config --pkglibdir`);
unless (-e "$lib/citus.so")
{
  SKIP: { skip 'citus is not installed', 1; }
	done_testing();
	exit;
}

my ($main, @workers) = map { PostgreSQL::Test::Cluster->new($_) } 'coordinator', 'worker0', 'worker1';
foreach my $node ($main, @workers)
{
	$node->init;
	$node->append_conf('postgresql.conf', "shared_preload_libraries = 'citus'\nmax_prepared_transactions = 20\ncitus.shard_count = 8");
	$node->start;
	$node->safe_psql('postgres', 'CREATE EXTENSION citus');
}
$main->safe_psql('postgres', sprintf("SELECT citus_set_coordinator_host('%s', %d)", $main->host, $main->port));
$main->safe_psql('postgres', sprintf("SELECT citus_add_node('%s', %d)", $_->host, $_->port)) foreach @workers;
$main->safe_psql('postgres', 'CREATE EXTENSION bson');    # Citus sends it to the shards

# the local_ tables have the right answers
$main->safe_psql('postgres', q{
	CREATE TABLE local_by_key AS
		SELECT to_bson('t' || i % 20) AS key, bson_build_object('n', i, 'tags', ARRAY['x' || i % 3], 'price', i / 7.0::numeric, 'at', now(), 'c', i % 5) AS data
		FROM generate_series(1, 1000) AS i;
	CREATE TABLE local_by_id AS SELECT (data -#> 'n') AS id, data FROM local_by_key;
	CREATE TABLE local_name AS SELECT to_bson('t' || i) AS key, 'name ' || i AS name FROM generate_series(0, 19) AS i;
	CREATE TABLE local_kind AS SELECT to_bson(i) AS id, 'kind ' || i AS kind FROM generate_series(0, 4) AS i;

	CREATE TABLE by_key (key bson, data bson);
	CREATE TABLE by_id (id int PRIMARY KEY, data bson);
	CREATE TABLE name (key bson PRIMARY KEY, name text);
	CREATE TABLE kind (id bson PRIMARY KEY, kind text);
	CREATE INDEX ON by_id USING gin (data);
	SELECT create_distributed_table('by_key', 'key');
	SELECT create_distributed_table('by_id', 'id');
	SELECT create_distributed_table('name', 'key', colocate_with => 'by_key');
	SELECT create_reference_table('kind');
	INSERT INTO by_key SELECT * FROM local_by_key;
	INSERT INTO name SELECT * FROM local_name;
	INSERT INTO kind SELECT * FROM local_kind});

# COPY in both formats
foreach my $format ('text', 'binary')
{
	my $file = $main->basedir . "/by_id.$format";
	$main->safe_psql('postgres', "TRUNCATE by_id; COPY local_by_id TO '$file' (FORMAT $format); COPY by_id FROM '$file' (FORMAT $format)");
	is($main->safe_psql('postgres', "SELECT count(*), md5(string_agg(data::bytea::text, ',' ORDER BY id)) FROM by_id"),
		$main->safe_psql('postgres', "SELECT count(*), md5(string_agg(data::bytea::text, ',' ORDER BY id)) FROM local_by_id"),
		"COPY in $format: documents come back byte for byte");
}
cmp_ok($_->safe_psql('postgres', "SET citus.override_table_visibility = off; SELECT sum(pg_relation_size(oid)) FROM pg_class WHERE relname ~ '^by_key_'"), '>', 0, 'each worker has documents')
  foreach @workers;

# Query the distributed tables and the local ones; the plan must use $tasks shards
sub ask
{
	my ($name, $query, $tasks) = @_;
	my $local = $query =~ s/\b(by_key|by_id|name|kind) (AS )/local_$1 $2/gr;

	my $plan = $main->safe_psql('postgres', "EXPLAIN (COSTS OFF) $query");
	note($plan);
	like($plan, qr/Task Count: $tasks\b/, "$name: tasks");
	is($main->safe_psql('postgres', $query), $main->safe_psql('postgres', $local), "$name: the answer");
}

ask('a key', q{SELECT count(*), sum(data -#> 'n') FROM by_key AS k WHERE key = '"t7"'}, 1);
ask('some keys', q{SELECT count(*) FROM by_key AS k WHERE key IN ('"t7"', '"t8"', '"none"')}, '[123]');
ask('a number', q{SELECT data FROM by_id AS i WHERE id = 77}, 1);
ask('a join on the key', q{SELECT n.name, count(*), sum(k.data -#> 'n') FROM by_key AS k JOIN name AS n USING (key) WHERE k.data @> '{"tags": ["x1"]}' GROUP BY 1 ORDER BY 1}, 8);
ask('a join with a reference table', q{SELECT r.kind, count(*) FROM by_id AS i JOIN kind AS r ON r.id = i.data -> 'c' GROUP BY 1 ORDER BY 1}, 8);
ask('containment', q{SELECT id FROM by_id AS i WHERE data @> '{"tags": ["x1"], "n": 100}'}, 8);
ask('a query of MongoDB', q{SELECT id FROM by_id AS i WHERE data @~ '{"n": {"$gt": 100, "$lt": 110}}' ORDER BY data -> 'n' DESC}, 8);
ask('groups', q{SELECT data -> 'c', count(*), sum(data -#> 'n'), count(DISTINCT data -> 'tags') FROM by_id AS i GROUP BY 1 ORDER BY 1}, 8);
ask('groups by the key', q{SELECT key, bson_agg(data -> 'n' ORDER BY data -> 'n') FROM by_key AS k GROUP BY key ORDER BY key}, 8);
ask('an array of all', q{SELECT bson_agg(data ORDER BY id) FROM by_id AS i}, 8);

# equal numbers of different types are the same key
$main->safe_psql('postgres', q{INSERT INTO by_key VALUES ('5', '1'), ('5.0', '2'), ('{"$numberLong": "5"}', '3'), ('{"$numberDecimal": "5.00"}', '4')});
is($main->safe_psql('postgres', qq{SELECT count(*) FROM by_key WHERE key = '$_'}), '4', "$_ finds them all") foreach '5', '5.0', '{"$numberDecimal": "5"}';
is($main->psql('postgres', q{INSERT INTO name VALUES ('"t1"', 'again')}), 3, 'a key is unique');

$main->safe_psql('postgres', q{UPDATE by_key SET data = bson_set(data, '{new}', '1') WHERE key = '"t3"'; DELETE FROM by_key WHERE key = '"t4"'});
is($main->safe_psql('postgres', q{SELECT count(*) FROM by_key WHERE data ? 'new'}), '50', 'an update of a key');
is($main->safe_psql('postgres', q{SELECT count(*) FROM by_key}), '954', 'a deletion of a key');

# what doc/scaling.md says of Citus' rules
is( $main->safe_psql('postgres', q{SET citus.allow_aggregate_worker_combine_on_internal_types = off; SELECT bson_array_length(bson_agg(data)) FROM by_id}),
	'1000', 'an aggregate over all shards');
$main->safe_psql('postgres', q{
	CREATE FUNCTION updated(bson, bson) RETURNS bson IMMUTABLE STRICT LANGUAGE sql AS 'SELECT bson_update($1, $2)';
	UPDATE by_id SET data = updated(data, '{"$inc": {"n": 5000}}') WHERE data @~ '{"n": {"$lte": 2}}'});
is($main->safe_psql('postgres', q{SELECT count(*) FROM by_id WHERE data -#> 'n' > 5000}), '2', 'an update of MongoDB');
$main->safe_psql('postgres', q{
	CREATE TABLE checked (tenant text NOT NULL, data bson, CHECK (tenant = bson_get_text(data, 'tenant')));
	SELECT create_distributed_table('checked', 'tenant');
	INSERT INTO checked VALUES ('a', '{"tenant": "a"}')});
isnt($main->psql('postgres', q{INSERT INTO checked VALUES ('a', '{"tenant": "b"}')}), 0, 'a column says what the document says');

done_testing();
