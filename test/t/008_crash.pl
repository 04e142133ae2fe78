# If this fails, a crash in the middle of writing loses or changes committed values.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use BsonTest;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "restart_after_crash = on\nlog_min_messages = log");
$node->start;
create_values($node, 'postgres', 'v');
my $sum = values_sum($node, 'postgres', 'v');
my $gin = $node->safe_psql('postgres', q{SELECT count(*) FROM pg_opclass c JOIN pg_am a ON a.oid = opcmethod WHERE opcintype = 'bson'::regtype AND amname = 'gin'});

$node->safe_psql('postgres', q{
	CREATE TABLE load (id bigserial PRIMARY KEY, run int, b bson);
	CREATE INDEX load_b ON load (bson_hash(b));
	CREATE INDEX load_btree ON load ((b -> 'n'));
	CREATE INDEX load_hash ON load USING hash ((b -> 'n'));
});
$node->safe_psql('postgres', 'CREATE INDEX load_gin ON load USING gin (b)') if $gin;

my $load = q{
	INSERT INTO load (run, b)
	SELECT %d, bson_in(format('{"n": %%s, "s": "%%s", "a": [%%s, {"x": %%s}]}', n, repeat(md5(n::text), n %% 100), n, n)::cstring)
	FROM generate_series(1, 200) n};

my $said;    # by a client

# start a client that loads until it is stopped; return its IPC handle
sub client
{
	my ($run) = @_;
	my $in = ($load =~ s/%d/$run/r) =~ s/%%/%/gr;

	my $script = PostgreSQL::Test::Utils::tempdir() . '/load.sql';

	PostgreSQL::Test::Utils::append_to_file($script, "$in;\n" x 2000);
	$said = '';
	return IPC::Run::start([ 'psql', '-X', '-q', '-d', $node->connstr('postgres'), '-v', 'ON_ERROR_STOP=1', '-f', $script ], '>&', \$said);
}

# backends that outlive their postmaster keep its shared memory for a moment
sub restart
{
	for (1 .. 360)
	{
		return if $node->start(fail_ok => 1);
		$node->stop('fast', fail_ok => 1);
		select undef, undef, undef, 0.5;
	}
	BAIL_OUT('the server does not start again');
}

# wait for the server to come back; the log before $from is about earlier crashes
sub wait_until_ready
{
	my ($from) = @_;

	for (1 .. 3000)
	{
		my $log = substr PostgreSQL::Test::Utils::slurp_file($node->logfile), $from;

		return if $log =~ /ready to accept connections/;
		select undef, undef, undef, 0.1;
	}
	BAIL_OUT('the server does not come back');
}

sub check
{
	my ($name) = @_;

	is(values_sum($node, 'postgres', 'v'), $sum, "$name: values of before are there");
	is( $node->safe_psql('postgres', q{SELECT count(*) FROM (SELECT run, count(*) AS n FROM load GROUP BY run) s WHERE n % 200 <> 0}),
		'0', "$name: each statement came whole or not at all");
	is( $node->safe_psql('postgres', q{SELECT count(*) FROM load WHERE bson_in(bson_out(b))::bytea <> b::bytea
			OR b -> 'n' <> b -> 'a' -> 0 OR length(b ->> 's') <> (b -#> 'n') % 100 * 32}),
		'0', "$name: every value is sound");
	is( $node->safe_psql('postgres', q{SET enable_seqscan = off; SELECT count(*) FROM load WHERE b -> 'n' = '77'}),
		$node->safe_psql('postgres', q{SET enable_indexscan = off; SET enable_bitmapscan = off; SELECT count(*) FROM load WHERE b -> 'n' = '77'}),
		"$name: the index finds what is there");
	if ($gin)
	{
		is( $node->safe_psql('postgres', q{SET enable_seqscan = off; SELECT count(*) FROM load WHERE b @> '{"n": 77}'}),
			$node->safe_psql('postgres', q{SET enable_indexscan = off; SET enable_bitmapscan = off; SELECT count(*) FROM load WHERE b @> '{"n": 77}'}),
			"$name: the GIN index finds what is there");
	}
  SKIP:
	{
		skip 'no amcheck', 1
		  unless $node->safe_psql('postgres', q{SELECT count(*) FROM pg_available_extensions WHERE name = 'amcheck'});
		is( $node->psql('postgres', q{CREATE EXTENSION IF NOT EXISTS amcheck; SELECT bt_index_check('load_btree', true), bt_index_check('load_b', true)}),
			0, "$name: amcheck finds no fault");
	}
}

# a backend
for my $round (1 .. 3)
{
	my $client = client($round);
	my $pid = '';

	for (1 .. 600)
	{
		$pid = $node->safe_psql('postgres', q{SELECT pid FROM pg_stat_activity WHERE query LIKE '%INSERT INTO load%' AND pid <> pg_backend_pid() LIMIT 1});
		last if $pid ne '';
		select undef, undef, undef, 0.1;
	}
	isnt($pid, '', "round $round: a load runs") or diag($said);
	select undef, undef, undef, 0.3 * $round;
	my $log_end = -s $node->logfile;
	kill 'KILL', $pid;
	$client->finish;
	wait_until_ready($log_end);
	check("backend killed, round $round");
}

# the postmaster, and all with it
for my $round (4 .. 5)
{
	my $client = client($round);

	select undef, undef, undef, 0.8;
	$node->stop('immediate') if $round == 4;
	$node->kill9 if $round == 5;
	$client->finish;
	restart();
	check($round == 4 ? 'immediate stop' : 'postmaster killed');
}

# in the middle of building an index
for my $how (grep { $gin || !/gin/ } 'USING gin (b)', '(b)')
{
	my $client = IPC::Run::start([ 'psql', '-X', '-q', '-d', $node->connstr('postgres'), '-c',
			"SET maintenance_work_mem = '1MB'; CREATE INDEX built ON load $how" ], '>', \my $out, '2>', \my $err);
	select undef, undef, undef, 0.3;
	$node->kill9;
	$client->finish;
	restart();
	$node->safe_psql('postgres', 'DROP INDEX IF EXISTS built');
	check("killed while building $how");
}

$node->stop;
done_testing();
