# If this fails, damaged chunks of documents stored out of line crash the server, stop logical decoding, or are read otherwise with bson.predict_toast than without.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use BsonTest;

my $made = q{
	CREATE EXTENSION bson;
	-- about so many bytes, which do not compress
	CREATE FUNCTION made(seed int, size int) RETURNS bson LANGUAGE sql AS $$
		SELECT bson_build_object('id', seed, 'ballast', string_agg(md5(seed || ' ' || j), ''), 'list', bson_agg(j), 'last', seed)
		FROM generate_series(1, size / 40) j $$;
	-- what an expression gives for each row, read in that order
	CREATE FUNCTION answers(expression text, ordering text) RETURNS SETOF text LANGUAGE plpgsql AS $$
	DECLARE
		each int;
		answer text;
	BEGIN
		FOR each IN EXECUTE 'SELECT id FROM doc ORDER BY ' || ordering LOOP
			BEGIN
				EXECUTE format('SELECT md5((%s)::text) FROM doc WHERE id = %s', expression, each) INTO answer;
			EXCEPTION WHEN OTHERS THEN
				answer := SQLSTATE || ' ' || SQLERRM;
			END;
			RETURN NEXT each || ': ' || answer;
		END LOOP;
	END $$;
};
my @expressions = ('bson_send(a)', "a ->> 'last'", "a #>> '{list,-1}'", "a ? 'none'", 'a::text', "bson_array_length(a -> 'list')", "a ->> 'id'");
my @orders = ('id', 'id DESC', 'md5(id::text)');

sub start_node
{
	my ($name, %options) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);

	$node->init(%options);
	$node->append_conf('postgresql.conf', "autovacuum = off\nfull_page_writes = off\nmax_parallel_workers_per_gather = 0");
	$node->start;
	$node->safe_psql('postgres', $made);
	return $node;
}

sub fill
{
	my ($node, $storage) = @_;

	$node->safe_psql('postgres', qq{
		DROP TABLE IF EXISTS doc;
		CREATE TABLE doc (id int PRIMARY KEY, a bson);
		ALTER TABLE doc ALTER a SET STORAGE $storage;
		INSERT INTO doc SELECT i, made(i, 3000 + i % 7 * 3000) FROM generate_series(1, 120) i;
		VACUUM FREEZE doc;
		CHECKPOINT});
}

# Change the pages of a relation of the table while the server is down
sub change_pages
{
	my ($node, $relation, $change) = @_;
	my $path = $node->data_dir . '/' . $node->safe_psql('postgres', "SELECT pg_relation_filepath($relation) FROM pg_class WHERE relname = 'doc'");

	$node->stop;
	my $bytes = PostgreSQL::Test::Utils::slurp_file($path);
	my @pages = unpack '(a8192)*', $bytes;
	$change->(\@pages);
	open my $file, '>:raw', $path or die "could not open $path: $!";
	print $file @pages;
	close $file;
	$node->start;
}
my $index = '(SELECT indexrelid FROM pg_index WHERE indrelid = reltoastrelid)';

# All answers, by a server that has read no page before
sub all_answers
{
	my ($node, $settings) = @_;

	$node->restart;
	return map { my $order = $_; map { my $e = $_; map { "$e, $order: $_" } split /\n/,
		$node->safe_psql('postgres', "SET client_min_messages = error; $settings; SELECT answers(\$q\$$e\$q\$, '$order')") } @expressions } @orders;
}

# What prediction gives is what the server gives; or, if it may, what was there before
sub compare
{
	my ($name, $node, $settings, $truth) = @_;
	my @without = all_answers($node, "$settings; SET bson.predict_toast = off");
	my @with = all_answers($node, "$settings; SET bson.predict_toast = on");
	my $errors = grep { /: [0-9A-Z]{5} / } @without;
	my @wrong = grep { $with[$_] ne $without[$_] && !($truth && $without[$_] =~ /: XX\w{3} / && $with[$_] eq $truth->[$_]) } 0 .. $#without;

	is(scalar @wrong, 0, "$name: as the server reads, $errors errors of " . @without)
	  or diag(map { "$with[$_]\nnot $without[$_]\n" } @wrong[0 .. ($#wrong < 4 ? $#wrong : 4)]);
	return @without;
}

# zero_damaged_pages: a page whose checksum is wrong is empty
my $node = start_node('zeroed', extra => ['-k']);
my $zero = 'SET zero_damaged_pages = on';
sub flip { substr($_[0], 8192 - 700, 1) ^= "\x10" }
foreach my $storage ('EXTERNAL', 'EXTENDED')
{
	fill($node, $storage);
	my @truth = compare("$storage, no damage", $node, $zero);
	is(scalar(grep { /: [0-9A-Z]{5} / } @truth), 0, "$storage: there is none");

	change_pages($node, 'reltoastrelid', sub { flip($_[0][$_]) foreach 3, 4, 11, 20, $#{ $_[0] } });
	my @answers = compare("$storage, damaged chunks", $node, $zero);
	my @lost = grep { $answers[$_] ne $truth[$_] } 0 .. $#truth;
	cmp_ok(scalar @lost, '>', 20, "$storage: some documents are lost");
	is(scalar(grep { $answers[$_] !~ /: XX\w{3} .*(missing chunk|unexpected chunk)/ } @lost), 0, "$storage: which is an error, never another answer")
	  or diag(join "\n", grep { !/: XX/ } @answers[@lost]);
	cmp_ok(scalar @lost, '<', @truth / 2, "$storage: the others are read");

	# what is empty is filled again
	$node->safe_psql('postgres', "$zero; SET client_min_messages = error; VACUUM doc; INSERT INTO doc SELECT i, made(i, 9000) FROM generate_series(201, 230) i");
	@truth = compare("$storage, empty pages are filled again", $node, $zero);

	fill($node, $storage);
	@truth = all_answers($node, $zero);
	change_pages($node, $index, sub { flip($_[0][2]) });
	compare("$storage, a damaged index", $node, $zero, \@truth);
	compare("$storage, the same as an error", $node, 'SELECT', \@truth);
}
is($node->safe_psql('postgres', 'SELECT 1'), '1', 'the server is up');
unlike(PostgreSQL::Test::Utils::slurp_file($node->logfile), qr/terminated by signal|PANIC|TRAP/, 'and never went down');
$node->stop;

# Without checksums: rows of chunks whose columns, headers and line pointers are changed at random
$node = start_node('changed', no_data_checksums => 1, allows_streaming => 'logical');
sub change_rows
{
	my ($pages) = @_;

	foreach my $page (@$pages)
	{
		my @items = unpack 'L*', substr $page, 24, unpack('S', substr $page, 12, 2) - 24;
		my $item = $items[ rand @items ];
		my ($at, $len) = ($item & 0x7fff, $item >> 17);

		next if rand() < 0.6 || $len < 100;
		my $what = int rand 4;
		# the value's number, the chunk's, its length, or what is in it
		my ($place, $bytes) = ([ 24, 4 ], [ 28, 4 ], [ 32, 4 ], [ 36, $len - 36 ])[$what]->@*;
		substr($page, $at + $place + int rand $bytes, 1) ^= chr 1 << rand 8 foreach 0 .. ($what == 3 ? 5 : 0);
	}
}
my %allowed = map { $_ => 1 } 'XX000', 'XX001', '22023';
foreach my $round (1 .. 4)
{
	fill($node, $round % 2 ? 'EXTERNAL' : 'EXTENDED');
	srand $round;
	change_pages($node, 'reltoastrelid', \&change_rows);
	my @answers = compare("changed rows, round $round", $node, 'SELECT');
	my %states = map { /: ([0-9A-Z]{5}) / ? ($1 => $_) : () } @answers;

	is(join(' ', grep { !$allowed{$_} } sort keys %states), '', "round $round: errors name the damage, " . join(' ', sort keys %states)) or diag(explain(\%states));
}

# Logical decoding of documents that were damaged before they came into the log: as text, and as bytes
SKIP:
{
	skip 'test_decoding is not installed', 1 if $node->psql('postgres', q{SELECT pg_create_logical_replication_slot('decoded', 'test_decoding')}) != 0;
	$node->safe_psql('postgres', q{
		CREATE FUNCTION raw(cstring) RETURNS bson LANGUAGE internal IMMUTABLE STRICT AS 'byteain';
		CREATE TABLE copied (id int PRIMARY KEY, a bson);
		CREATE PUBLICATION copied FOR TABLE copied;
		SELECT pg_create_logical_replication_slot('published', 'pgoutput')});
	# each by itself: the server keeps the slot of one that fails until the transaction ends
	my @ways = (q{pg_logical_slot_peek_changes('decoded', NULL, NULL)},
		map { "pg_logical_slot_peek_binary_changes('published', NULL, NULL, 'proto_version', '1', 'publication_names', 'copied'$_)" } '', q{, 'binary', 'true'});
	my %seen;
	my $decode = sub {
		my (undef, $out, $err) = $node->psql('postgres', join("\n", '\set VERBOSITY verbose', map { "SELECT 'answer' FROM (SELECT count(*) FROM $_) s;" } @ways), on_error_stop => 0);
		$seen{$_}++ foreach $out =~ /answer/g, $err =~ /(?:ERROR|FATAL):  (\w{5}: .*)/g;
	};
	my $skip = q{SELECT pg_replication_slot_advance('decoded', pg_current_wal_lsn()), pg_replication_slot_advance('published', pg_current_wal_lsn())};
	my @ids = split /\n/, $node->safe_psql('postgres', 'SELECT id FROM doc ORDER BY id');
	foreach my $storage ('EXTERNAL', 'EXTENDED', 'MAIN')
	{
		foreach my $round (1 .. 12)
		{
			$node->safe_psql('postgres', qq{
				SET client_min_messages = error;
				TRUNCATE copied;
				ALTER TABLE copied ALTER a SET STORAGE $storage, REPLICA IDENTITY } . ($round % 2 ? 'FULL' : 'DEFAULT') . qq{;
				$skip;
				SELECT setseed(0.@{[ 100 + $round ]});
				DO \$\$
				DECLARE
					bytes bytea := made(1, $round * 1500)::bytea;
				BEGIN
					FOR k IN 1 .. 3 LOOP
						bytes := set_byte(bytes, (random() * (CASE WHEN k = 1 THEN 12 ELSE octet_length(bytes) - 1 END))::int, (ARRAY[0, 1, 3, 4, 5, 15, 127, 255])[1 + (random() * 7)::int]);
					END LOOP;
					INSERT INTO copied VALUES ($round, raw(bytes::text::cstring));
					UPDATE copied SET id = - id;
				END \$\$});
			$decode->();
			$node->safe_psql('postgres', $skip);
		}
	}
	# and of chunks that were damaged on the disk: they are copied as they are, where the server finds them
	foreach my $id (@ids)
	{
		$node->psql('postgres', "INSERT INTO copied SELECT id + 1000, a FROM doc WHERE id = $id");
	}
	$node->safe_psql('postgres', 'UPDATE copied SET id = - id WHERE id > 1000');
	$decode->();
	note(explain(\%seen));
	is(join(' ', grep { !/^(answer|(XX000|XX001|22021|22P03): )/ } sort keys %seen), '', 'decoding damaged documents is an answer, or an error that names the damage');
	cmp_ok($seen{answer}, '<', 3 * 37, 'some are errors');

	# what comes behind is decoded
	$node->safe_psql('postgres', "TRUNCATE copied; $skip; INSERT INTO copied SELECT i, made(i, 20000) FROM generate_series(1, 3) i");
	is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_logical_slot_get_changes('decoded', NULL, NULL) WHERE data ~ 'INSERT'}), '3', 'what comes behind is decoded');
}

is($node->safe_psql('postgres', 'SELECT 1'), '1', 'the server is up');
unlike(PostgreSQL::Test::Utils::slurp_file($node->logfile), qr/terminated by signal|PANIC|TRAP/, 'and never went down');
$node->stop;
done_testing();
