# If this fails, clients that change the same documents at once lose changes, or break indexes.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use BsonTest;

my $each = $ENV{BSON_CONCURRENCY} || 200;    # transactions of each client
my $clients = 20;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "deadlock_timeout = 100ms\nautovacuum_naptime = 1s");
$node->start;

# Twenty documents, some of them toasted, and a note of every change
$node->safe_psql('postgres', q{
	CREATE EXTENSION bson;
	CREATE TABLE counter (id int PRIMARY KEY, b bson);
	CREATE TABLE done (id int, amount int);
	INSERT INTO counter SELECT i, bson_build_object('n', 0, 'list', '[]'::bson, 'ballast', (SELECT string_agg(md5(i * j || ''), '') FROM generate_series(1, i * i) j))
		FROM generate_series(1, 20) i;
	CREATE INDEX ON counter ((b -> 'n'));
	CREATE INDEX ON counter USING hash ((b -> 'n'));
	CREATE INDEX ON counter USING gin (b)});

my $script = PostgreSQL::Test::Utils::tempdir() . '/change.sql';
PostgreSQL::Test::Utils::append_to_file($script, q{
\set id random(1, 20)
\set amount random(-100, 100)
BEGIN;
UPDATE counter SET b = bson_set(bson_set(b, '{n}', to_bson((b -> 'n')::int + :amount)), '{list}',
	CASE WHEN bson_array_length(b -> 'list') < 50 THEN (b -> 'list') || to_bson(:amount) ELSE '[]' END) WHERE id = :id;
INSERT INTO done VALUES (:id, :amount);
END;
SELECT b -#> 'n' FROM counter WHERE b @> bson_build_object('n', :amount);
});
my $out = '';
ok( IPC::Run::run([ 'pgbench', '-n', '-c', $clients, '-j', 2, '-t', $each, '--random-seed=1', '-f', $script, '-d', $node->connstr('postgres') ], '>', \$out, '2>&1'),
	"$clients clients change documents") or diag($out);
my ($transactions) = $out =~ /number of transactions actually processed: (\d+)/;
is($transactions, $clients * $each, 'many times');
is($node->safe_psql('postgres', 'SELECT count(*) FROM done'), $transactions, 'and a note was made of each');
is( $node->safe_psql('postgres', q{
		SELECT count(*) FROM counter JOIN (SELECT id, sum(amount) AS n FROM done GROUP BY 1) d USING (id)
		WHERE (b -#> 'n') IS DISTINCT FROM d.n
			OR b ->> 'ballast' <> (SELECT string_agg(md5(id * j || ''), '') FROM generate_series(1, id * id) j)
			OR bson_in(bson_out(b))::bytea <> b::bytea}),
	'0', 'no change was lost, and nothing else was changed');
for my $how ('btree', 'hash', 'gin')
{
	my $condition = $how eq 'gin' ? q{d.b @> bson_build_object('n', c.b -> 'n')} : q{d.b -> 'n' = c.b -> 'n'};

	is( $node->safe_psql('postgres', qq{
			SET enable_seqscan = off;
			SELECT count(*) FROM (SELECT id, b FROM counter ORDER BY id) c WHERE NOT EXISTS (SELECT FROM counter d WHERE $condition AND d.id = c.id)}),
		'0', "an index finds every document: $how");
}
is($node->safe_psql('postgres', q{CREATE EXTENSION amcheck; SELECT count(bt_index_check(c.oid, true)) FROM pg_class c WHERE relkind = 'i' AND relname ~ '^counter_(expr|b_n|b)' AND relam = 403}), '1', 'amcheck finds no fault')
  if $node->safe_psql('postgres', q{SELECT count(*) FROM pg_available_extensions WHERE name = 'amcheck'});
unlike(PostgreSQL::Test::Utils::slurp_file($node->logfile), qr/terminated by signal|PANIC|TRAP/, 'the server never went down');

$node->stop;
done_testing();
