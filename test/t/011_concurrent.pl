# If this fails, concurrent changes of the same rows lose updates, break values, or leave an index behind its table.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use BsonTest;

my $seconds = $ENV{BSON_CONCURRENT_SECONDS} || 6;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "max_connections = 40\nfsync = off\nautovacuum_naptime = 1s");
$node->start;
my $pgbench = $node->config_data('--bindir') . '/pgbench';
plan skip_all => 'pgbench is not installed' unless -x $pgbench;

# few rows, small and toasted; every index has keys that change
$node->safe_psql('postgres', q{
	CREATE EXTENSION bson;
	CREATE TABLE doc (id int PRIMARY KEY, d bson) WITH (fillfactor = 50);
	INSERT INTO doc SELECT i, bson_build_object('n', 0, 'by', bson_build_array(), 'pad', repeat(md5(i::text), (i % 4) * 300), 'last', 0)
	FROM generate_series(1, 12) i;
	CREATE INDEX doc_n ON doc ((d -#> 'n'));
	CREATE INDEX doc_last ON doc USING hash ((d -> 'last'));
	CREATE INDEX doc_gin ON doc USING gin (d);
	CREATE INDEX doc_path ON doc USING gin (d bson_path_ops);
	CREATE TABLE log (client int, id int);
});

my $dir = PostgreSQL::Test::Utils::tempdir();
my %scripts = (
	count => q{
\set id random(1, 12)
BEGIN;
UPDATE doc SET d = bson_set(bson_set(d, '{n}', to_bson((d -#> 'n') + 1)), '{last}', to_bson(:client_id)) WHERE id = :id;
INSERT INTO log VALUES (:client_id, :id);
COMMIT;
},
	inc => q{
\set id random(1, 12)
BEGIN;
UPDATE doc SET d = bson_update(d, '{"$inc": {"n": 1}, "$push": {"by": {"$each": [1], "$slice": -20}}}') WHERE id = :id;
INSERT INTO log VALUES (:client_id, :id);
COMMIT;
},
	undo => q{
\set id random(1, 12)
BEGIN;
UPDATE doc SET d = d || '{"n": -1, "torn": true}' WHERE id = :id;
ROLLBACK;
},
	read => q{
\set id random(1, 12)
SELECT count(*), sum(length(d ->> 'pad')), sum(d -#> 'n') FROM doc WHERE d ? 'n' AND d -#> 'n' >= 0 AND d -> 'pad' IS NOT NULL;
SELECT 1 / (count(*) = 12)::int FROM doc WHERE NOT d ? 'torn' AND bson_typeof(d -> 'by') = 'array';
});
my @files;
foreach my $name (sort keys %scripts)
{
	PostgreSQL::Test::Utils::append_to_file("$dir/$name.sql", $scripts{$name});
	push @files, '-f', "$dir/$name.sql";
}

my $out = '';
my $ok = IPC::Run::run([ $pgbench, '-n', '-c', '20', '-j', '4', '-T', $seconds, @files, '-h', $node->host, '-p', $node->port, 'postgres' ], '>&', \$out);
ok($ok, "20 clients for $seconds s") or diag($out);
unlike($out, qr/ERROR|FATAL|aborted/, 'none met an error');
cmp_ok($node->safe_psql('postgres', 'SELECT count(*) FROM log'), '>', 100, 'there was work');

is( $node->safe_psql('postgres', q{SELECT sum(d -#> 'n') - (SELECT count(*) FROM log) FROM doc}),
	'0', 'every change that was committed counts, none that was not');
is( $node->safe_psql('postgres', q{SELECT count(*) FROM doc WHERE d::bytea::bson::bytea <> d::bytea OR bson_in(bson_out(d))::bytea <> d::bytea
		OR length(d ->> 'pad') <> (id % 4) * 9600 OR bson_array_length(d -> 'by') > 20 OR d ? 'torn'}),
	'0', 'every value is sound');
foreach my $condition (q{d -#> 'n' >= 0}, q{d -> 'last' = '3'}, q{d ? 'last'}, q{d @> '{"by": [1]}'}, q{d @? '$.last ? (@ == 5)'})
{
	is( $node->safe_psql('postgres', "SET enable_seqscan = off; SELECT array_agg(id ORDER BY id) FROM doc WHERE $condition"),
		$node->safe_psql('postgres', "SET enable_indexscan = off; SET enable_bitmapscan = off; SELECT array_agg(id ORDER BY id) FROM doc WHERE $condition"),
		"an index finds what a scan finds: $condition");
}

$node->stop;
done_testing();
