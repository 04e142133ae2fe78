# If this fails, documents are lost or changed when a disk is full, or when OIDs wrap around.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use BsonTest;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => ['--wal-segsize=1']);
$node->append_conf('postgresql.conf', "autovacuum = off\nfull_page_writes = off");
$node->start;
create_values($node, 'postgres', 'v');
my $sum = values_sum($node, 'postgres', 'v');

# Documents of all sizes, stored inline, compressed and not; a number determines the contents of each
$node->safe_psql('postgres', q{
	CREATE FUNCTION document(i int) RETURNS bson LANGUAGE sql IMMUTABLE AS $$
		SELECT bson_build_object('i', i, 's', repeat(md5(i::text), i % 300),
			'r', (SELECT string_agg(md5((i * k)::text), '') FROM generate_series(1, i % 200) k)) $$;
	CREATE TABLE t (i int, d bson);
	CREATE INDEX t_i ON t (i);
	CREATE INDEX t_gin ON t USING gin (d);
	CREATE INDEX t_expr ON t ((d -#> 'i'));
	INSERT INTO t SELECT i, document(i) FROM generate_series(1, 500) i;
});

sub intact
{
	my ($what) = @_;

	is($node->safe_psql('postgres', 'SELECT count(*) FROM t WHERE d IS DISTINCT FROM document(i) OR NOT bson_identical(d, document(i))'),
		0, "$what: each document is what was written");
	is($node->safe_psql('postgres', q{
			SET enable_seqscan = off;
			SELECT count(*) FROM generate_series(1, 1000) n
			WHERE (SELECT count(*) FROM t WHERE d @> bson_build_object('i', n)) <> (SELECT count(*) FROM t WHERE i = n)
				OR (SELECT count(*) FROM t WHERE d -#> 'i' = n) <> (SELECT count(*) FROM t WHERE i = n)}),
		0, "$what: indexes agree");
	is(values_sum($node, 'postgres', 'v'), $sum, "$what: other values are as they were");
	return;
}
intact('before');

# --- no space: files may not grow beyond this many blocks of 1 kB ---

my $rows = $node->safe_psql('postgres', 'SELECT count(*) FROM t');
my $room = 8192;
$node->stop;
my @start = ('pg_ctl', '-w', '-D', $node->data_dir, '-l', $node->logfile, 'start');
PostgreSQL::Test::Utils::system_or_bail('bash', '-c', "ulimit -f $room && exec \"\$\@\"", 'start', @start);

my $loaded = 0;
my $refused = '';
for my $round (1 .. 60)
{
	my ($status, $out, $err) = $node->psql('postgres', 'INSERT INTO t SELECT i, document(i) FROM generate_series(1, 500) i');

	if ($status != 0)
	{
		$refused = $err;
		last;
	}
	$loaded++;
}
like($refused, qr/could not (extend|write)/, "a full disk is an error, after $loaded loads");
is($node->safe_psql('postgres', 'SELECT count(*) FROM t'), $rows + 500 * $loaded, 'what was committed is there, and nothing else');
intact('disk full');

# a change in place needs space, too
my ($status, $out, $err) = $node->psql('postgres', q{UPDATE t SET d = bson_set(d, '{more}', to_bson(d))});
isnt($status, 0, 'an update for which there is no room is an error');
intact('after the update');

# and there is space again after rows are deleted
$node->safe_psql('postgres', 'DELETE FROM t WHERE i > 100');
$node->safe_psql('postgres', 'VACUUM t');
$node->safe_psql('postgres', 'INSERT INTO t SELECT i, document(i) FROM generate_series(101, 400) i');
intact('room again');
PostgreSQL::Test::Utils::system_or_bail('pg_ctl', '-w', '-D', $node->data_dir, '-m', 'fast', 'stop');

# --- OIDs wrap around: new toasted values reuse the OIDs of deleted values, and skip those of existing values ---

$node->start;
my $next = $node->safe_psql('postgres', q{
	SELECT min(c.chunk_id) FROM (SELECT reltoastrelid FROM pg_class WHERE relname = 't') r,
		LATERAL (SELECT (xpath('//chunk_id/text()', query_to_xml(format('SELECT min(chunk_id) AS chunk_id FROM %s', r.reltoastrelid::regclass), false, false, '')))[1]::text::bigint) AS c(chunk_id)});
$node->stop;
PostgreSQL::Test::Utils::system_or_bail('pg_resetwal', '-o', $next, '-D', $node->data_dir);
$node->start;
intact('OIDs given again');
$node->safe_psql('postgres', q{
	BEGIN;
	SELECT count(d ->> 's') FROM t;
	DELETE FROM t WHERE i % 3 = 0;
	INSERT INTO t SELECT i, document(i) FROM generate_series(401, 700) i;
	SELECT count(d ->> 's') FROM t;
	COMMIT;
	VACUUM t;
	INSERT INTO t SELECT i, document(i) FROM generate_series(701, 900) i;
});
intact('values with OIDs given again');
$node->stop;
PostgreSQL::Test::Utils::system_or_bail('pg_resetwal', '-o', 4294967290, '-D', $node->data_dir);
$node->start;
$node->safe_psql('postgres', 'INSERT INTO t SELECT i, document(i) FROM generate_series(901, 1000) i');
intact('OIDs wrapped around');
$node->stop;

done_testing();
