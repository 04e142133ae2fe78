# If this fails, Citus looks for documents on the wrong shard, fetches all of them although one shard would be
# enough, refuses a change, or loses documents when it moves a shard.
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
	$node->init(allows_streaming => 'logical');
	$node->append_conf('postgresql.conf', "shared_preload_libraries = 'citus'\nmax_prepared_transactions = 20\ncitus.shard_count = 8\n"
		  . "citus.local_hostname = '" . $node->host . "'");    # there is no localhost
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

# Constants that the planner folds find one shard; so do joins, groups and typed getters that stay there
ask('a key by to_bson', q{SELECT count(*) FROM by_key AS k WHERE key = to_bson('t7'::text)}, 1);
$main->safe_psql('postgres', q{
	CREATE TABLE number (key bson, data bson); SELECT create_distributed_table('number', 'key');
	INSERT INTO number SELECT to_bson(i), bson_build_object('n', i) FROM generate_series(1, 50) AS i});
foreach my $key ('to_bson(5)', 'to_bson(5.0)', 'to_bson(5::int8)', q{'5'}, q{bson_build_object('n', 5) -> 'n'}, q{('{"n": 5}'::bson -> 'n')})
{
	like($main->safe_psql('postgres', "EXPLAIN SELECT * FROM number WHERE key = $key"), qr/Task Count: 1\b/, "$key: one shard");
	is($main->safe_psql('postgres', "SELECT data -#> 'n' FROM number WHERE key = $key"), '5', "$key: its document");
}
# so do constants and parameters of other types, which Citus converts by their casts to bson
$main->safe_psql('postgres', q{INSERT INTO number SELECT key, bson_build_object('n', 100 + i) FROM unnest(ARRAY['1.5', 'true', to_bson('2024-01-02 03:04:05.678Z'::timestamptz), to_bson('00010203-0405-0607-0809-0a0b0c0d0e0f'::uuid), '"t7"']) WITH ORDINALITY AS k (key, i)});
foreach my $pair (
	[ 5, 'smallint', 5 ], [ 5, 'integer', 5 ], [ 5, 'bigint', 5 ], [ 5, 'real', 5 ], [ 5, 'float8', 5 ], [ '5.00', 'numeric', 5 ], [ '1.5', 'float8', 101 ], [ '1.5', 'numeric', 101 ], [ 'true', 'boolean', 102 ],
	[ '2024-01-02 03:04:05.678Z', 'timestamptz', 103 ], [ '00010203-0405-0607-0809-0a0b0c0d0e0f', 'uuid', 104 ], [ '2024-01-02 03:04:05.6785Z', 'timestamptz', '' ], [ 'NaN', 'numeric', '' ])
{
	my ($key, $type, $n) = @$pair;

	like($main->safe_psql('postgres', "EXPLAIN SELECT * FROM number WHERE key = '$key'::$type"), qr/Task Count: 1\b/, "$key of type $type: one shard");
	is($main->safe_psql('postgres', "SELECT data -#> 'n' FROM number WHERE key = '$key'::$type"), $n, "$key of type $type: its document");
	is($main->safe_psql('postgres', "SELECT data -#> 'n' FROM number WHERE '$key'::$type = key AND data ? 'n'"), $n, "$key of type $type, on the left");
	is($main->safe_psql('postgres', "SELECT data -#> 'n' FROM number WHERE key = ANY (ARRAY['$key'::$type])"), $n, "$key of type $type, in a list");
	# the sixth time with a generic plan
	is($main->safe_psql('postgres', "PREPARE by_key AS SELECT data -#> 'n' FROM number WHERE key = \$1::$type;" . " EXECUTE by_key ('$key');" x 7), join("\n", ($n) x ($n eq '' ? 0 : 7)), "$key of type $type, as a parameter");
	is($main->safe_psql('postgres', "UPDATE number SET data = data || '{}' WHERE key = '$key'::$type RETURNING data -#> 'n'"), $n, "$key of type $type: an update");
}
is($main->safe_psql('postgres', q{INSERT INTO number VALUES (200, '{"n": 200}'); SELECT data -#> 'n' FROM number WHERE key = 200}), '200', 'an integer is inserted as a key');
isnt($main->psql('postgres', q{SELECT * FROM number WHERE key = 123456789012345678901234567890123456789}), 0, 'a number that no bson is is an error');
# A text has no such cast, and Citus takes it for one that no key is equal to, so doc/scaling.md says to write to_bson,
# or to switch off the planner that does this
is($main->safe_psql('postgres', q{SET citus.enable_fast_path_router_planner = off; SELECT data -#> 'n' FROM number WHERE key = 't7'::text}), '105', 'a text, with the setting');
is($main->safe_psql('postgres', q{SELECT data -#> 'n' FROM number WHERE key = to_bson('t7'::text)}), '105', 'a text by to_bson');
ask('keys in a list of texts', q{SELECT count(*) FROM by_key AS k WHERE key = ANY (ARRAY['t7'::text, 't8'::text])}, '[1-8]');
foreach my $id (q{bson_get_int4('{"id": 77}', 'id')}, q{('{"id": 77}'::bson -> 'id')::int}, q{'{"id": 77}'::bson -#> 'id'})
{
	ask("a shard by $id", "SELECT data FROM by_id AS i WHERE id = $id", 1);
}
# the coordinator adds up the shards' sums by the same aggregate
ask('sums at a path', q{SELECT sum(data, 'n') FROM by_id AS i}, 8);
ask('sums at a path, in groups', q{SELECT data -> 'c', sum(data, 'n'), count(*) FROM by_id AS i GROUP BY 1 ORDER BY 1}, 8);
ask('typed getters on the shards', q{SELECT count(*), sum(bson_get_int8(data, 'n')), max(bson_get_float8(data, 'c')), min(bson_get_timestamptz(data, 'at')) FROM by_id AS i WHERE bson_get_int4(data, 'c') = 3}, 8);

# Aggregates without an order, and no setting is needed.  Before version 15 Citus fetches the rows of an aggregate whose
# state is internal; since then the shards compute those of declared types.  The answer is the same.
my $internal = $main->safe_psql('postgres', "SELECT count(*) FROM pg_settings WHERE name = 'citus.allow_aggregate_worker_combine_on_internal_types'");
foreach my $aggregate (q{bson_agg(data -> 'n')}, q{bson_agg_strict(data -> 'n')}, q{bson_agg(to_jsonb(data))}, q{bson_object_agg('k' || id, data -> 'n')},
	q{bson_object_agg_strict('k' || id, data -> 'n')}, q{bson_object_agg_unique('k' || id, data -> 'n')})
{
	my $query = "SELECT data -> 'c' AS c, $aggregate AS agg FROM %s AS i GROUP BY 1";
	# in any order
	my $sorted = "SELECT c, (SELECT md5(string_agg(v::text, ',' ORDER BY v::text)) FROM regexp_split_to_table(agg::text, '[][{}, ]+') AS v) FROM ($query) AS g ORDER BY c";
	my $plan = $main->safe_psql('postgres', 'EXPLAIN (VERBOSE, COSTS OFF) ' . sprintf($query, 'by_id'));

	like($plan, qr/worker_partial_agg/, "$aggregate: the shards compute it") if $internal;
	is($main->safe_psql('postgres', sprintf($sorted, 'by_id')), $main->safe_psql('postgres', sprintf($sorted, 'local_by_id')), "$aggregate: the answer");
}
is($main->safe_psql('postgres', q{SELECT bson_array_length(bson_agg(data)) FROM by_id}), '1000', 'an aggregate over all shards');
is($main->safe_psql('postgres', q{SELECT min(data -> 'n'), max(data -> 'n') FROM by_id}), $main->safe_psql('postgres', q{SELECT min(data -> 'n'), max(data -> 'n') FROM local_by_id}), 'min and max');
# values of any type: with the setting where there is one
is($main->safe_psql('postgres', ($internal ? 'SET citus.allow_aggregate_worker_combine_on_internal_types = off; ' : '') . q{SELECT bson_array_length(bson_agg(data -#> 'n')) FROM by_id}), '1000', 'an aggregate of integers');

# Functions in an UPDATE must be immutable.  Each change is made to the local table, too.
sub change
{
	my ($name, $set) = @_;
	my $sum = q{SELECT count(*), md5(string_agg(data::bytea::text, ',' ORDER BY id)) FROM };

	foreach my $table ('by_id', 'local_by_id')
	{
		$main->safe_psql('postgres', "UPDATE $table SET data = $set");
	}
	is($main->safe_psql('postgres', "$sum by_id"), $main->safe_psql('postgres', "$sum local_by_id"), "an update: $name");
}

change('bson_apply', q{bson_apply(data, '{"$inc": {"n": 5000}}') WHERE data @~ '{"n": {"$lte": 2}}'});
change('bson_apply with the query and the time', q{bson_apply(data, '{"$set": {"tags.$": "y"}, "$currentDate": {"seen": true}}', query => '{"tags": "x1"}', at => '2024-01-02 03:04:05Z') WHERE data @~ '{"tags": "x1"}'});
change('|| bson_build_object of constants', q{data || bson_build_object('flag', true, 'at', '2024-01-02 03:04:05Z'::timestamptz, 'list', ARRAY[1, 2])});
change('|| a document made of to_bson', q{bson_set(data, '{id}', to_bson(id)) WHERE id % 2 = 0});
change('a subscript', q{bson_set(data, '{in}', '{}'); UPDATE by_id SET data['in']['deep'] = to_bson(7) WHERE id = 7; UPDATE local_by_id SET data['in']['deep'] = to_bson(7) WHERE id = 7});
change('- and #-', q{(data - 'flag') #- '{in,deep}'});
foreach my $stable (q{bson_update(data, '{"$inc": {"n": 1}}')}, q{data || bson_build_object('id', id)})
{
	my ($status, $out, $err) = $main->psql('postgres', "UPDATE by_id SET data = $stable");
	like($err, qr/IMMUTABLE|STABLE functions/, "not $stable, which is stable");
}

# Upserts and MERGE
$main->safe_psql('postgres', q{
	INSERT INTO by_id SELECT id, data FROM local_by_id WHERE id <= 5
		ON CONFLICT (id) DO UPDATE SET data = bson_apply(by_id.data, '{"$inc": {"upserts": 1}}') || '{"new": 1}';
	INSERT INTO by_id VALUES (1, '{}') ON CONFLICT (id) DO UPDATE SET data = bson_set(by_id.data || excluded.data, '{x}', to_bson(1));
	INSERT INTO by_id VALUES (2, '{}') ON CONFLICT (id) DO NOTHING});
is($main->safe_psql('postgres', q{SELECT count(*), sum(data -#> 'upserts'), sum(data -#> 'x') FROM by_id WHERE data ? 'new'}), '5|5|1', 'upserts');
$main->safe_psql('postgres', q{
	CREATE TABLE incoming (id int PRIMARY KEY, data bson);
	SELECT create_distributed_table('incoming', 'id', colocate_with => 'by_id');
	INSERT INTO incoming SELECT i, bson_build_object('merged', i) FROM generate_series(991, 1010) AS i;
	MERGE INTO by_id AS t USING incoming AS s ON t.id = s.id
		WHEN MATCHED AND s.data -> 'merged' < to_bson(995) THEN DELETE
		WHEN MATCHED THEN UPDATE SET data = t.data || s.data
		WHEN NOT MATCHED THEN INSERT (id, data) VALUES (s.id, s.data)}) if $main->safe_psql('postgres', 'SHOW server_version_num') >= 150000;
is($main->safe_psql('postgres', q{SELECT count(*), min(data -#> 'merged'), max(id) FROM by_id WHERE data ? 'merged'}), '16|995|1010', 'MERGE');

# Columnar storage
$main->safe_psql('postgres', q{
	CREATE EXTENSION IF NOT EXISTS citus_columnar;
	CREATE TABLE columnar_doc (id int, data bson) USING columnar;
	SELECT create_distributed_table('columnar_doc', 'id');
	INSERT INTO columnar_doc SELECT id, data FROM by_id});
is($main->safe_psql('postgres', q{SELECT count(*), md5(string_agg(data::bytea::text, ',' ORDER BY id)), sum(data -#> 'n') FROM columnar_doc}),
	$main->safe_psql('postgres', q{SELECT count(*), md5(string_agg(data::bytea::text, ',' ORDER BY id)), sum(data -#> 'n') FROM by_id}), 'columnar storage gives the same bytes');

# A shard is moved, and a tenant gets one of its own, while clients write.  The tables need a primary key for that, or
# REPLICA IDENTITY FULL, which by_key gets.  Newest minor releases want the plugin that splits a shard to be named.
foreach my $node ($main, @workers)
{
	next unless $node->safe_psql('postgres', "SELECT count(*) FROM pg_settings WHERE name = 'output_plugin_libraries'");
	$node->safe_psql('postgres', "ALTER SYSTEM SET output_plugin_libraries = 'pgoutput', 'citus'");
	$node->reload;
}
$main->safe_psql('postgres', q{DELETE FROM by_key WHERE NOT data ? 'n'; ALTER TABLE by_key REPLICA IDENTITY FULL; UPDATE by_key SET data = bson_set(data, '{count}', '0')});

sub while_writing
{
	my ($name, $table, $command) = @_;
	my $script = $main->basedir . '/write.sql';
	my ($out, $err) = ('', '');

	open(my $file, '>', $script) or die;
	print $file "UPDATE $table SET data = bson_apply(data, '{\"\$inc\": {\"count\": 1}}') WHERE key = '\"t7\"';\n";
	close($file);
	my $before = $main->safe_psql('postgres', "SELECT sum(data -#> 'count') FROM $table");
	# -T bounds it if the move fails; it ends when the move is done
	my $writer = IPC::Run::start([ 'pgbench', '-n', '-c', '1', '-T', '600', '--log', '--log-prefix', $main->basedir . '/writes', '-f', $script, '-h', $main->host, '-p', $main->port, 'postgres' ],
		'>', \$out, '2>', \$err);
	$main->poll_query_until('postgres', "SELECT sum(data -#> 'count') > $before FROM $table");
	my ($status, $result, $message) = $main->psql('postgres', "SET statement_timeout = '3min'; $command");
	is($status, 0, $name) or diag($message);
	my $during = $main->safe_psql('postgres', "SELECT sum(data -#> 'count') FROM $table");
	cmp_ok($during, '>', $before, "$name: clients wrote meanwhile");
	$main->poll_query_until('postgres', "SELECT sum(data -#> 'count') > $during FROM $table");
	$writer->signal('TERM');
	eval { $writer->finish };
	is($main->safe_psql('postgres', "SELECT min(data -#> 'count') = max(data -#> 'count') FROM $table WHERE key = '\"t7\"'"), 't', "$name: no write is lost");
	return $result;
}

my $all = q{SELECT count(*), md5(string_agg((data - 'count')::bytea::text, ',' ORDER BY key, data -> 'n', data)) FROM by_key};
my $sum = $main->safe_psql('postgres', $all);
my $shard = $main->safe_psql('postgres', q{SELECT get_shard_id_for_distribution_column('by_key', '"t7"'::bson)});
my $place = "SELECT nodeport FROM pg_dist_placement p JOIN pg_dist_node n USING (groupid) WHERE shardid = $shard";
my $from = $main->safe_psql('postgres', $place);
my ($target) = grep { $_->port != $from } @workers;

while_writing('a shard is moved', 'by_key', sprintf("SELECT citus_move_shard_placement(%d, '%s', %d, '%s', %d, 'force_logical')", $shard, $main->host, $from, $target->host, $target->port));
is($main->safe_psql('postgres', $place), $target->port, 'and it is there');
is($main->safe_psql('postgres', $all), $sum, 'with the same bytes');

# Writes wait while a tenant is isolated.  Its new shard is on the same node, which creates the key of the new shard
# only after the slot of the replication: a change in between is sent without its key, whatever the types are.
$main->safe_psql('postgres', q{
	CREATE TABLE own (key bson, id int, data bson, PRIMARY KEY (key, id));
	SELECT create_distributed_table('own', 'key', colocate_with => 'none');
	INSERT INTO own SELECT key, data -#> 'n', data FROM by_key;
	CREATE TABLE whole (key bson, id int, data bson, PRIMARY KEY (key, id));
	SELECT create_distributed_table('whole', 'key', colocate_with => 'none');
	INSERT INTO whole SELECT * FROM own});
$all =~ s/by_key/own/;
$sum = $main->safe_psql('postgres', $all);
my $tenant = while_writing('a tenant is isolated', 'own', q{SELECT isolate_tenant_to_new_shard('own', '"t7"'::bson, shard_transfer_mode => 'block_writes')});
is($main->safe_psql('postgres', q{SELECT get_shard_id_for_distribution_column('own', '"t7"'::bson)}), $tenant, 'and its key leads to the new shard');
is($main->safe_psql('postgres', $all), $sum, 'again with the same bytes');
is($main->safe_psql('postgres', q{SELECT count(*) FROM own WHERE key = '"t7"'}), '50', 'and all of its documents');

# A shard that is split to another node has its key in time, so clients write meanwhile: this isolates a tenant, too
my ($id, $hash, $other) = split /\|/, $main->safe_psql('postgres', q{
	SELECT shardid, worker_hash('"t7"'::bson), (SELECT min(n.nodeid) FROM pg_dist_node AS n WHERE n.shouldhaveshards AND n.nodeport <> s.nodeport)
	FROM citus_shards AS s WHERE shardid = get_shard_id_for_distribution_column('whole', '"t7"'::bson)});
while_writing('a tenant is isolated on another node', 'whole', sprintf("SELECT citus_split_shard_by_split_points(%d, ARRAY['%d', '%d'], ARRAY[%d, %d, %d], 'force_logical')", $id, $hash - 1, $hash, ($other) x 3));
is($main->safe_psql('postgres', q{SELECT count(*) FROM pg_dist_shard WHERE logicalrelid = 'whole'::regclass AND shardminvalue = shardmaxvalue AND shardid = get_shard_id_for_distribution_column('whole', '"t7"'::bson)}), '1', 'and has a shard of its own');
is($main->safe_psql('postgres', $all =~ s/own/whole/r), $sum, 'with the same bytes');

# What Citus cannot do
foreach my $refused (
	q{SELECT count(*) FROM by_id AS a JOIN by_key AS b ON a.data -> 'n' = b.data -> 'n'},
	q{SELECT data -> 'c', count(*) FROM by_id GROUP BY GROUPING SETS ((data -> 'c'), ())})
{
	isnt($main->psql('postgres', $refused), 0, "refused: $refused");
}
$main->safe_psql('postgres', q{
	CREATE TABLE checked (tenant text NOT NULL, data bson, CHECK (tenant = bson_get_text(data, 'tenant')));
	SELECT create_distributed_table('checked', 'tenant');
	INSERT INTO checked VALUES ('a', '{"tenant": "a"}')});
isnt($main->psql('postgres', q{INSERT INTO checked VALUES ('a', '{"tenant": "b"}')}), 0, 'a column says what the document says');

done_testing();
