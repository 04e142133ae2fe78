# If this fails, documents stored out of line are read wrongly, or as slowly as the server alone reads them.
#
# Their chunks are looked for where they are predicted to lie.  Here they lie
# elsewhere, in all the ways that updates, vacuum and other sessions bring about.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use BsonTest;

my $each = $ENV{BSON_CONCURRENCY} || 60;    # transactions of each client that reads or writes

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(no_data_checksums => 1);    # they are the default since 18
$node->append_conf('postgresql.conf', "autovacuum = off\nmax_parallel_workers_per_gather = 0");
$node->start;

sub ask { return $node->safe_psql('postgres', $_[0]) }

ask(q{
	CREATE EXTENSION bson;
	-- about so many bytes, which do not compress
	CREATE FUNCTION made(seed int, size int) RETURNS bson LANGUAGE sql AS $$
		SELECT bson_build_object('id', seed, 'ballast', string_agg(md5(seed || ' ' || j), ''), 'list', bson_agg(j), 'last', seed)
		FROM generate_series(1, size / 40) j $$;
	-- "plain" is read by the server alone (and bson::bytea by whoever reads the bytea); its chunks, and those of "b", are between those of "a"
	CREATE TABLE doc (id int PRIMARY KEY, a bson, plain bytea, b bson);
	CREATE FUNCTION fill(first int, last int) RETURNS void LANGUAGE sql AS $$
		INSERT INTO doc SELECT i, d, d::bytea, d FROM generate_series(first, last) i, LATERAL (SELECT made(i, 200 + i * 7919 % 20000) AS d OFFSET 0) s $$;
	-- documents read whole, by their front, their end, and by what is in between
	CREATE FUNCTION wrong(clause text) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE
		answer text;
	BEGIN
		EXECUTE format('SELECT count(*) FILTER (WHERE ok IS NOT TRUE) || '' of '' || count(*) FROM (
				SELECT a -#> ''id'' = id AND b -#> ''last'' = id AND bson_array_length(a -> ''list'') = (b #> ''{list,-1}'')::int
					AND bson_send(a) = plain AND bson_send(b) = plain AS ok
				FROM (SELECT * FROM doc %s OFFSET 0) d) s', clause) INTO answer;
		RETURN answer;
	END $$;
});

# in a session of its own, which reports what it counted before it ends
sub index_scans
{
	my ($table, $sql) = @_;
	my $count = qq{SELECT idx_scan FROM pg_stat_all_tables WHERE relid = (SELECT reltoastrelid FROM pg_class WHERE relname = '$table')};
	my $before = ask($count);

	ask("$sql FROM $table; SELECT pg_stat_force_next_flush()");
	return ask($count) - $before;
}

for my $storage ('EXTERNAL', 'EXTENDED')
{
	ask(qq{
		TRUNCATE doc;
		ALTER TABLE doc ALTER a SET STORAGE $storage, ALTER b SET STORAGE $storage, ALTER plain SET STORAGE EXTERNAL;
		SELECT fill(1, 600)});
	is(ask(q{SELECT wrong('')}), '0 of 600', "$storage: as they were loaded");
	is(ask(qq{SELECT wrong('$_')}), '0 of 600', "$storage: $_")
	  foreach 'ORDER BY id DESC', 'ORDER BY md5(id::text)', 'ORDER BY id % 10, id';
	is(ask(q{SELECT wrong('WHERE id % 7 = 0')}), '0 of 85', "$storage: some of them");
	is(ask(q{BEGIN; DECLARE c CURSOR FOR SELECT bson_array_length(a -> 'list') = (b #> '{list,-1}')::int FROM doc; FETCH 300 FROM c; SAVEPOINT s;
			SELECT 1 FROM doc WHERE (a -> 'last')::int < 0; FETCH 300 FROM c; ROLLBACK TO s; FETCH ALL FROM c; COMMIT}) =~ tr/t//, 600,
		"$storage: by a cursor, across a subtransaction");

	# what came and went leaves gaps, which later chunks fill
	ask(q{DELETE FROM doc WHERE id % 3 = 0; VACUUM doc; SELECT fill(601, 900); UPDATE doc SET a = bson_set(a, '{id}', to_bson(id)), b = b || '{}' WHERE id % 5 = 0});
	ask(q{BEGIN; SELECT fill(901, 930); ROLLBACK; BEGIN; SAVEPOINT s; SELECT fill(931, 960); ROLLBACK TO s; SELECT fill(961, 980); COMMIT});
	ask(q{UPDATE doc SET a = made(id, 9000), b = made(id, 9000), plain = made(id, 9000)::bytea WHERE id % 11 = 0});
	is(ask(q{SELECT wrong('')}), '0 of 720', "$storage: with gaps that were filled");
	is(ask(q{SELECT wrong('ORDER BY id')}), '0 of 720', "$storage: with gaps, in order");
	is(ask(q{SET bson.predict_toast = off; SELECT wrong('ORDER BY id'); SELECT wrong('ORDER BY md5(id::text)')}), "0 of 720\n0 of 720", "$storage: found by the index alone");

	# the table becomes shorter under a session that knows where the last chunk was
	my $other = "psql -XqAt -d '" . $node->connstr('postgres') . "'";
	is( $node->safe_psql('postgres', qq{
			SELECT fill(2001, 2100);
			SELECT wrong('');
			\\! $other -c 'DELETE FROM doc WHERE id > 100' -c 'VACUUM doc' -c 'SELECT fill(3001, 3020)'
			SELECT wrong('WHERE id > 3000');
			DELETE FROM doc WHERE id > 50;
			VACUUM doc;
			SELECT fill(4001, 4020);
			SELECT wrong('');
			\\! $other -c 'VACUUM FULL doc'
			SELECT wrong('');
			\\! $other -c 'TRUNCATE doc' -c 'SELECT fill(1, 30)'
			SELECT wrong('')}),
		join("\n", '', '0 of 820', '', '0 of 20', '', '0 of 54', '0 of 54', '', '0 of 30'), "$storage: in a table that was cut");

	ask(qq{
		TRUNCATE doc;
		SELECT fill(1, 600);
		DROP TABLE IF EXISTS one;
		CREATE TABLE one (a bson);
		ALTER TABLE one ALTER a SET STORAGE $storage;
		INSERT INTO one SELECT a FROM doc});
	cmp_ok(index_scans('doc', q{SELECT count(plain || ''::bytea)}), '>=', 500, "$storage: the server looks each value up");
	cmp_ok(index_scans('one', q{SELECT count(bson_send(a))}), '<', 250, "$storage: and we do not");
	cmp_ok(index_scans('one', q{SET bson.predict_toast = off; SELECT count(bson_send(a))}), '>=', 500, "$storage: but if told to");
	cmp_ok(index_scans('doc', q{SELECT count(bson_send(a)), count(bson_send(b))}), '<=', 1100, "$storage: at most as often, if others are between them");
	cmp_ok(index_scans('one', join('; ', ("SELECT bson_send(a) FROM one WHERE ctid = '(0,5)'") x 50) . '; SELECT'), '<', 10, "$storage: nor one value that is read again and again");
}

# Temporary tables have buffers of their own
is(ask(q{CREATE TEMP TABLE doc AS SELECT * FROM public.doc; DELETE FROM doc WHERE id % 2 = 0; SELECT wrong('')}), '0 of 300', 'in a temporary table');

# The locks of a few TOAST tables stay until the transaction ends, those that a subtransaction took until it is rolled back
my $locks = q{SELECT count(*) FROM pg_locks JOIN pg_class c ON c.oid = relation WHERE relkind = 't'};
ask(q{
	CREATE TABLE part (id int, a bson) PARTITION BY LIST (id);
	SELECT format('CREATE TABLE part%s PARTITION OF part FOR VALUES IN (%1$s)', i) FROM generate_series(0, 19) i \gexec
	INSERT INTO part SELECT id % 20, a FROM doc});
is(ask(qq{BEGIN; SAVEPOINT s; SELECT count(bson_send(a)) FROM part; $locks; ROLLBACK TO s; $locks; SELECT count(bson_send(a)) FROM part WHERE id < 3; COMMIT; $locks}),
	"600\n8\n0\n90\n0", 'few locks stay');

# A query reads the fields that it asks for
sub pages
{
	my ($condition, $table) = (@_, 'wide');
	my $plan = ask("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT count(*) FROM $table WHERE $condition");

	$plan =~ /"Shared Hit Blocks": (\d+),\s+"Shared Read Blocks": (\d+)/;
	return $1 + $2;
}
ask(q{
	CREATE TABLE wide (data bson);
	ALTER TABLE wide ALTER data SET STORAGE EXTERNAL;
	INSERT INTO wide SELECT bson_build_object('id', i, 'pad', pad, 'n', i, 'more', pad, 'sub', bson_build_object('pad', pad, 'n', i), 'rest', pad)
		FROM generate_series(1, 20) i, LATERAL (SELECT repeat(md5(i::text), 3000) AS pad) s;
	VACUUM wide});
cmp_ok(pages($_) * 5, '<', pages('length(data::text) > 0'), "$_ reads few pages")
  foreach q{data @~ '{"n": 5}'}, q{data @~ '{"n": {"$gt": 3}, "sub.n": {"$lt": 8}}'}, q{data @~ '{"id": {"$gt": 0}, "n": {"$gt": 0}}'}, q{data ?& '{id,n}'}, q{data @~ '{"zz": null}'}, q{data @> '{"n": 5}'}, q{data -> 'sub' -> 'n' = '5'};

# ... and of an array what comes before the element, in each row
ask(q{
	CREATE TABLE long (data bson);
	ALTER TABLE long ALTER data SET STORAGE EXTERNAL;
	INSERT INTO long SELECT bson_agg(md5(i || ' ' || j)) FROM generate_series(1, 20) i, generate_series(1, 3000) j GROUP BY i;
	VACUUM long});
cmp_ok(pages($_, 'long') * 5, '<', pages('length(data::text) > 0', 'long'), "$_ reads few pages")
  foreach q{data -> 0 = '5'}, q{data #> '{40}' = '5'};

# Nor does it read a value twice because it asks for another one in between
ask(q{
	CREATE TABLE lists AS SELECT bson_agg(md5(i || ' ' || j)) AS a, bson_agg(md5(j || ' ' || i)) AS b
		FROM generate_series(1, 20) i, generate_series(1, 400) j GROUP BY i;
	VACUUM lists});
my @turns = map { pages($_, 'lists') } q{NOT a ? 'x' AND NOT a ? 'y' AND NOT b ? 'x' AND NOT b ? 'y'},
  q{NOT a ? 'x' AND NOT b ? 'x' AND NOT a ? 'y' AND NOT b ? 'y'};
cmp_ok($turns[1], '<', $turns[0] * 1.2, 'arrays that are asked in turns are read once');

# What is missing is an error, the server's own
SKIP:
{
	skip 'pg_surgery is not installed', 1 if ask(q{SELECT count(*) FROM pg_available_extensions WHERE name = 'pg_surgery'}) == 0;
	my ($status, $out, $err) = $node->psql('postgres', q{
		CREATE EXTENSION pg_surgery;
		SELECT count(bson_send(a)) FROM doc;
		DO $$
		DECLARE
			toast regclass := (SELECT reltoastrelid FROM pg_class WHERE relname = 'doc');
			tid tid;
		BEGIN
			EXECUTE format('SELECT ctid FROM %s WHERE chunk_seq = 2 ORDER BY chunk_id OFFSET 50 LIMIT 1', toast) INTO tid;
			PERFORM heap_force_kill(toast, ARRAY[tid]);
		END $$;
		SELECT count(bson_send(a)), count(bson_send(b)), count(plain || ''::bytea) FROM doc});
	like($err, qr/unexpected chunk number 3 .expected 2. for toast value/, 'a missing chunk is an error');
}

# Chunks that the index does not have, and a new value with the number of theirs, as when the counter of OIDs has wrapped
# around.  They lie where those of the next row are predicted.
sub renumber
{
	my ($oid, $path, $content) = @_;

	$node->stop;
	PostgreSQL::Test::Utils::system_or_bail('pg_resetwal', '-o', $oid, $node->data_dir);
	overwrite($path, $content) if defined $path;
	$node->start;
}
sub overwrite
{
	my ($path, $content) = @_;

	open my $file, '>:raw', $path or die "could not open $path: $!";
	print $file $content;
	close $file;
}
foreach my $case ('a deleted chunk', "a crash's chunk")
{
	ask(q{
		DROP TABLE IF EXISTS again;
		CREATE TABLE again (id int, a bson);
		ALTER TABLE again ALTER a SET STORAGE EXTERNAL;
		INSERT INTO again SELECT i, made(i, 8000) FROM generate_series(1, 4) i;
		CHECKPOINT});
	my ($chunks, $path) = split /\|/, ask(q{SELECT reltoastrelid::regclass, pg_relation_filepath(indexrelid) FROM pg_class, pg_index WHERE relname = 'again' AND indrelid = reltoastrelid});
	my $newest = "SELECT max(chunk_id) FROM $chunks";
	$path = $node->data_dir . "/$path";
	if ($case eq 'a deleted chunk')
	{
		my $number = ask("INSERT INTO again SELECT 5, made(5, 8000); $newest");
		ask(q{DELETE FROM again WHERE id = 5; REINDEX TABLE again; INSERT INTO again SELECT i, made(i, 8000) FROM generate_series(6, 8) i});
		renumber($number);
	}
	else
	{
		# the transaction did not commit, and nothing of the index came to the disk
		my $index = PostgreSQL::Test::Utils::slurp_file($path);
		renumber(ask("BEGIN; INSERT INTO again SELECT 5, made(5, 8000); $newest; ROLLBACK"), $path, $index);
	}
	ask(q{DELETE FROM again WHERE id > 5; INSERT INTO again SELECT 9, made(9, 8000)});
	is(ask(q{SELECT string_agg(a ->> 'id', ',') FROM again}), '1,2,3,4,9', "$case is not taken for one of the value that gets its number");
}

# Damaged pointers, to an index that the query has locked
ask(q{
	CREATE TABLE led (id int PRIMARY KEY, b bson);
	INSERT INTO led SELECT i, made(i, 20000) FROM generate_series(1, 4) i;
	CHECKPOINT});
my $path = $node->data_dir . '/' . ask(q{SELECT pg_relation_filepath('led')});
my ($toast, $index) = map { pack 'L', $_ } split /\|/, ask(q{SELECT reltoastrelid, 'led_pkey'::regclass::oid FROM pg_class WHERE relname = 'led'});
$node->stop;
my $bytes = PostgreSQL::Test::Utils::slurp_file($path);
is($bytes =~ s/\Q$toast\E/$index/g, 4, 'pointers are damaged');
overwrite($path, $bytes);
$node->start;
foreach my $expression (q{b ->> 'last'}, 'b::text', q{b #> '{list,400}'})
{
	my (undef, undef, $err) = $node->psql('postgres', "SET enable_seqscan = off; SET enable_bitmapscan = off; SELECT $expression FROM led WHERE id = 2");
	like($err, qr/is an index|not supported for indexes/, "$expression by a pointer to an index is an error");
}

# A damaged page, which is of one value; the others can still be read in the same session
ask(q{
	CREATE TABLE saved (id int, a bson);
	ALTER TABLE saved ALTER a SET STORAGE EXTERNAL;
	INSERT INTO saved SELECT i, made(i, 5000 + i % 7 * 1000) FROM generate_series(1, 100) i;
	CREATE FUNCTION lost(expression text) RETURNS int LANGUAGE plpgsql AS $$
	DECLARE
		n int := 0;
		answer text;
	BEGIN
		FOR i IN 1 .. 100 LOOP
			BEGIN
				EXECUTE format('SELECT %s FROM saved WHERE id = %s', expression, i) INTO answer;
			EXCEPTION WHEN data_corrupted THEN
				n := n + 1;
			END;
		END LOOP;
		RETURN n;
	END $$;
	CHECKPOINT});
$path = $node->data_dir . '/' . ask(q{SELECT pg_relation_filepath(reltoastrelid) FROM pg_class WHERE relname = 'saved'});
$node->stop;
open my $file, '+<:raw', $path or die "could not open $path: $!";
seek $file, 10 * 8192 + 12, 0;
print $file "\xff\xff\xff\xff";
close $file;
$node->start;
my ($server, $whole, $text, $last) = split /\|/, ask(q{SELECT lost('md5(a::bytea)'), lost('bson_send(a)'), lost('a::text'), lost($$a ->> 'last'$$)});
cmp_ok($server, '>', 0, "$server values are lost to the server");
cmp_ok($whole, '<=', $server + 1, 'hardly more are lost to us');
cmp_ok($text, '<=', $server + 1, 'nor as text');
cmp_ok($last, '<=', $server + 1, 'nor fields of them');

# Readers beside writers and vacuum
my $dir = PostgreSQL::Test::Utils::tempdir();
my %scripts = (
	read => q{SELECT 1 / (wrong('') LIKE '0 of %')::int;},
	write => q{
		\set id random(1, 200)
		\set size random(100, 20000)
		WITH new AS (SELECT made(:id, :size) AS d) UPDATE doc SET a = d, b = d, plain = d::bytea FROM new WHERE id = :id;},
	remove => q{
		\set first random(201, 390)
		DELETE FROM doc WHERE id BETWEEN :first AND :first + 10;},
	vacuum => q{VACUUM doc;});
ask(q{TRUNCATE doc; SELECT fill(1, 400)});
my @arguments;
foreach my $name (sort keys %scripts)
{
	PostgreSQL::Test::Utils::append_to_file("$dir/$name.sql", $scripts{$name});
	push @arguments, '-f', "$dir/$name.sql";
}
my $out = '';
ok(IPC::Run::run([ 'pgbench', '-n', '-c', 6, '-j', 2, '-t', $each, '--random-seed=1', @arguments, '-d', $node->connstr('postgres') ], '>', \$out, '2>&1'),
	'readers beside writers and vacuum')
  or diag($out);
unlike($out, qr/ERROR|aborted/, 'none of them failed');
unlike(PostgreSQL::Test::Utils::slurp_file($node->logfile), qr/terminated by signal|PANIC|TRAP/, 'the server never went down');

$node->stop;
done_testing();
