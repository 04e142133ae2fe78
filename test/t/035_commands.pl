# If this fails, a statement for a command of MongoDB loses what another session writes at the same time, or takes what another has taken.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use BsonTest;

my $clients = 6;
my $node = PostgreSQL::Test::Cluster->new('main');

$node->init;
$node->append_conf('postgresql.conf', "fsync = off\ndeadlock_timeout = 100ms");
$node->start;
$node->safe_psql('postgres', q{
	CREATE EXTENSION bson;
	CREATE TABLE c (data bson);
	CREATE UNIQUE INDEX ON c ((data -> '_id'));
	INSERT INTO c SELECT bson_build_object('_id', i, 'state', 'ready', 'at', i * 7 % 300, 'n', 0) FROM generate_series(1, 300) AS i;
	CREATE INDEX c_state ON c ((data -> 'state'));
	CREATE UNIQUE INDEX ON c ((data -> 'sku'));
	ANALYZE c;
	CREATE TABLE statement (name text, sql text);
	CREATE TABLE returned (name text, data bson);
	CREATE FUNCTION run(which text) RETURNS void LANGUAGE plpgsql AS $$
	DECLARE s text; d bson;
	BEGIN
		SELECT sql INTO s FROM statement WHERE name = which;
		FOR d IN EXECUTE s LOOP
			INSERT INTO returned VALUES (which, d);
		END LOOP;
	END $$});

# Each client runs one statement after the other, "times" all together, and then all documents are looked at
sub together
{
	my ($name, $function, $arguments, $times, $query, $expected) = @_;
	my $file = PostgreSQL::Test::Utils::tempdir() . '/script.sql';
	my $returning = $function eq 'bson_find_and_modify_sql' ? '' : q{ || ' RETURNING data'};
	my $out = '';

	$node->safe_psql('postgres', "INSERT INTO statement SELECT '$name', $function('c', $arguments)$returning");
	PostgreSQL::Test::Utils::append_to_file($file, "SELECT run('$name');\n");
	ok(IPC::Run::run([ 'pgbench', '-n', '--max-tries=100', '-c', $clients, '-j', 2, '-t', $times / $clients, '-f', $file, '-d', $node->connstr('postgres') ], '>', \$out, '2>&1'), "$name: $clients clients") or diag($out);
	is($node->safe_psql('postgres', $query =~ s/returned/(SELECT data FROM returned WHERE name = '$name')/gr), $expected, 'and what they did');
}
my $all = q{SELECT count(*), sum((data -> 'n')::int) FROM c};

together('take', 'bson_find_and_modify_sql', q{'{"query": {"state": "ready"}, "sort": {"at": 1}, "update": {"$set": {"state": "taken"}, "$inc": {"n": 1}}}'}, 330,
	q{SELECT count(*), count(DISTINCT data -> '_id'), max(data -> 'n'), (SELECT count(*) FROM c WHERE data @~ '{"state": "taken", "n": 1}') FROM returned AS r}, '300|300|0|300');
together('take back', 'bson_find_and_modify_sql', q{'{"query": {"state": "taken"}, "update": {"$set": {"state": "ready"}, "$inc": {"n": 1}}, "new": true}'}, 300,
	q{SELECT count(*), count(DISTINCT data -> '_id'), min(data -> 'n'), (SELECT count(*) FROM c WHERE data @~ '{"state": "ready", "n": 2}') FROM returned AS r}, '300|300|2|300');
together('one by its _id', 'bson_update_sql', q{'{"_id": 7}', '{"$inc": {"n": 1}}'}, 300, q{SELECT data -> 'n' FROM c WHERE data -> '_id' = '7'}, '302');
together('one of those found', 'bson_update_sql', q{'{"state": "ready"}', '{"$inc": {"n": 1}}'}, 300, $all, '300|1200');
together('the first', 'bson_update_sql', q{'{"n": {"$lt": 100}}', '{"$inc": {"n": 1}}', '{"sort": {"n": 1}}'}, 300, $all, '300|1500');
together('all', 'bson_update_sql', q{'{"_id": {"$lte": 20}}', '{"$inc": {"n": 1}}', '{"multi": true}'}, 60, $all, '300|2700');
together('upsert', 'bson_update_sql', q{'{"_id": "new"}', '{"$inc": {"n": 1}, "$setOnInsert": {"made": 1}}', '{"upsert": true}'}, 300, q{SELECT count(*), max(data -> 'n'), max(data -> 'made') FROM c WHERE data -> '_id' = '"new"'}, '1|300|1');
together('find or make', 'bson_find_and_modify_sql', q{'{"query": {"_id": "newer"}, "update": {"$inc": {"n": 1}}, "upsert": true, "new": true}'}, 300, q{SELECT count(DISTINCT data -> 'n'), max(data -> 'n') FROM returned AS r}, '300|300');
together('upsert by another field', 'bson_update_sql', q{'{"sku": "s"}', '{"$inc": {"n": 1}, "$setOnInsert": {"made": 1}}', '{"upsert": true}'}, 300, q{SELECT count(*), max(data -> 'n'), max(data -> 'made') FROM c WHERE data @~ '{"sku": "s"}'}, '1|300|1');
$node->safe_psql('postgres', q{DELETE FROM c WHERE data -> 'sku' = '"s"'});
together('remove', 'bson_find_and_modify_sql', q{'{"query": {"_id": {"$gt": 200, "$lt": 299}}, "sort": {"_id": 1}, "remove": true}'}, 120, q{SELECT count(*), count(DISTINCT data -> '_id') FROM returned AS r}, '98|98');
together('delete one', 'bson_delete_sql', q{'{"state": "ready"}'}, 60, q{SELECT count(*), count(DISTINCT data -> '_id'), (SELECT count(*) FROM c) FROM returned AS r}, '60|60|144');
together('delete all', 'bson_delete_sql', q{'{"state": "ready"}', '{"multi": true}'}, 6, q{SELECT count(*), count(DISTINCT data -> '_id'), (SELECT count(*) FROM c) FROM returned AS r}, '142|142|2');
$node->stop;
done_testing();
