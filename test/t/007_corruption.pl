# If this fails, a damaged page on disk can crash the server, or hang it.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use BsonTest;

my $rounds = $ENV{BSON_CORRUPTION_ROUNDS} || 15;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(no_data_checksums => 1);    # they are the default since 18
$node->append_conf('postgresql.conf', "statement_timeout = 300s\nautovacuum = off\nfull_page_writes = off");
$node->start;
create_values($node, 'postgres', 'v');

# each expression runs on every damaged row
my @reads = (reads($node), map { "(SELECT $_ FROM damaged w WHERE w.id BETWEEN v.id - 2 AND v.id + 2)" } 'count(*) FILTER (WHERE w.b < v.b)', 'array_agg(w.id ORDER BY w.b)');
cmp_ok(scalar(@reads), '>=', 20, 'most of what reads a bson is there to be run');

$node->safe_psql('postgres', q{
	CREATE TABLE answer (sqlstate text, n bigint, example text);
	-- run an expression over each row alone, and count what came of it
	CREATE FUNCTION run(expression text, ids int[]) RETURNS void LANGUAGE plpgsql AS $$
	DECLARE
		id int;
		result text;
	BEGIN
		FOREACH id IN ARRAY ids LOOP
			BEGIN
				EXECUTE format('SELECT count(x::text) FROM (SELECT %s FROM damaged v WHERE id = %s) s (x)', expression, id) INTO result;
				INSERT INTO answer VALUES ('answer', 1, NULL);
			EXCEPTION WHEN OTHERS OR QUERY_CANCELED THEN
				INSERT INTO answer VALUES (SQLSTATE, 1, format('%s, row %s: %s', expression, id, SQLERRM));
			END;
		END LOOP;
	END $$;
});

# The same damage without a disk: bytea's own input makes a "bson" of any bytes
sub in_memory
{
	my ($seed) = @_;

	$node->safe_psql('postgres', qq{
		SET client_min_messages = error;
		DROP TABLE IF EXISTS damaged;
		CREATE FUNCTION pg_temp.raw(cstring) RETURNS bson LANGUAGE internal IMMUTABLE STRICT AS 'byteain';
		CREATE TABLE damaged (id int, b bson);
		ALTER TABLE damaged ALTER b SET STORAGE external;
		SELECT setseed($seed);
		DO \$\$
		DECLARE
			r record;
			bytes bytea;
		BEGIN
			FOR r IN SELECT id, b::bytea AS bytes FROM v WHERE octet_length(b::bytea) BETWEEN 5 AND 20000 LOOP
				bytes := r.bytes;
				FOR k IN 1 .. 1 + (random() * random() * 4)::int LOOP
					bytes := set_byte(bytes, (random() * (octet_length(bytes) - 1))::int,
						(ARRAY[0, 1, 3, 4, 5, 15, 127, 128, 255, (random() * 255)::int])[1 + (random() * 9)::int]);
				END LOOP;
				IF random() < 0.1 THEN
					bytes := substr(bytes, 1, (random() * octet_length(bytes))::int);
				END IF;
				INSERT INTO damaged VALUES (r.id, pg_temp.raw(bytes::text::cstring));
			END LOOP;
		END \$\$;
	});
	run_all("seed $seed", @reads);
}

# Accepted are an answer; an error that names the damage, or says that text is not UTF-8; and the errors for a value
# of another type, a path into something that is not a document, U+0000, a date or number out of SQL's range, or
# depth
my %allowed = map { $_ => 1 } 'answer', 'XX001', '22P03', '22021',
  '22023', '22P02', '22P05', '22003', '22008', '54001', '54000';
my %seen;

sub run_all
{
	my ($name, @reads) = @_;
	my $quoted = join ",\n", map { '$q$' . $_ . '$q$' } @reads;
	my ($out, $err);
	my $status = $node->psql('postgres', qq{
			SET client_min_messages = error;
			TRUNCATE answer;
			SELECT run(e, (SELECT array_agg(id) FROM damaged)) FROM unnest(ARRAY[$quoted]) e;
		}, on_error_stop => 1, stdout => \$out, stderr => \$err);

	if ($status != 0)
	{
		fail("$name: $err");
		# the expression that crashed the server
		foreach my $read (@reads)
		{
			last if !eval { $node->poll_query_until('postgres', 'SELECT true'); 1 };
			my $one = $node->psql('postgres', qq{SELECT run(\$q\$$read\$q\$, (SELECT array_agg(id) FROM damaged))}, stderr => \$err);
			diag("$name: $read: $err") if $one != 0;
		}
		return;
	}
	count_answers($name);
}

sub count_answers
{
	my ($name) = @_;

	foreach (split /\n/, $node->safe_psql('postgres', 'SELECT sqlstate, sum(n), min(example) FROM answer GROUP BY 1'))
	{
		my ($state, $n, $example) = split /\|/, $_, 3;

		$seen{$state} += $n;
		$seen{"example of $state"} = "$name: $example" unless exists $seen{"example of $state"};
	}
}

# Index each damaged row alone, in every way
sub index_all
{
	my ($name) = @_;
	my $err;

	is( $node->psql('postgres', q{
			SET client_min_messages = error;
			TRUNCATE answer;
			DO $$
			DECLARE
				id int;
				how text;
			BEGIN
				FOR how IN SELECT format('%I (b %I)', amname, opcname) FROM pg_opclass c JOIN pg_am a ON a.oid = opcmethod
						WHERE opcintype = 'bson'::regtype LOOP
					FOREACH id IN ARRAY (SELECT array_agg(d.id) FROM damaged d) LOOP
						BEGIN
							EXECUTE format('CREATE INDEX ON damaged USING %s WHERE id = %s', how, id);
							RAISE SQLSTATE 'ZZ000';		-- undo it
						EXCEPTION WHEN SQLSTATE 'ZZ000' THEN
							INSERT INTO answer VALUES ('answer', 1, NULL);
						WHEN OTHERS OR QUERY_CANCELED THEN
							INSERT INTO answer VALUES (SQLSTATE, 1, format('%s, row %s: %s', how, id, SQLERRM));
						END;
					END LOOP;
				END LOOP;
			END $$;}, on_error_stop => 1, stderr => \$err), 0, "$name: indexes") or diag($err);
	count_answers($name);
}

in_memory($_ / 1000) for 1 .. $rounds;
index_all('indexes in memory');

# The same on a disk: flip bytes of the table's file while the server is down
for my $round (1 .. 3)
{
	$node->safe_psql('postgres', q{
		DROP TABLE IF EXISTS damaged;
		CREATE TABLE damaged (id int, b bson);
		ALTER TABLE damaged ALTER b SET STORAGE plain;
		INSERT INTO damaged SELECT id, b FROM v WHERE octet_length(b::bytea) < 2000;
		CHECKPOINT});
	my $path = $node->data_dir . '/' . $node->safe_psql('postgres', q{SELECT pg_relation_filepath('damaged')});

	# only in values: bson has no part in the page header, line pointers and tuple headers
	my @places = map { [ split /\|/ ] } split /\n/,
	  $node->safe_psql('postgres', q{SELECT (ctid::text::point)[0]::int, encode(b::bytea, 'hex') FROM damaged});
	$node->stop;
	open my $file, '+<:raw', $path or die "could not open $path: $!";
	my $bytes = do { local $/; <$file> };
	my $flipped = 0;
	srand($round);
	foreach my $place (@places)
	{
		my ($block, $hex) = @$place;
		my $value = pack 'H*', $hex;
		my $at = index $bytes, $value, $block * 8192;

		next if $at < 0 || $at + length($value) > ($block + 1) * 8192;
		for (1 .. 1 + int rand 3)
		{
			substr($bytes, $at + int(rand length $value), 1) = chr int rand 256;
			$flipped++;
		}
	}
	seek $file, 0, 0;
	print $file $bytes;
	close $file;
	$node->start;
	cmp_ok($flipped, '>', 50, "round $round: bytes of the page were changed");
	run_all("page, round $round", @reads);
	index_all("indexes of a page, round $round");
}

# Damage to how values are stored: to streams of pglz and lz4, and to pointers to what is stored out of line
sub change_stored
{
	my ($change) = @_;
	my $path = $node->data_dir . '/' . $node->safe_psql('postgres', q{CHECKPOINT; SELECT pg_relation_filepath('damaged')});
	my $bytes;

	$node->stop;
	open my $file, '+<:raw', $path or die "could not open $path: $!";
	$bytes = do { local $/; <$file> };
	for (my $page = 0; $page < length $bytes; $page += 8192)
	{
		foreach my $item (unpack 'L*', substr $bytes, $page + 24, unpack('S', substr $bytes, $page + 12, 2) - 24)
		{
			my ($at, $len) = ($page + ($item & 0x7fff), $item >> 17);
			my $header = ord(substr $bytes, $at + 22, 1) + 4;	# and the id

			$change->(\substr($bytes, $at + $header, $len - $header)) if $len > 0;
		}
	}
	seek $file, 0, 0;
	print $file $bytes;
	close $file;
	$node->start;
}

# A pointer's sizes; a stream, and how much was compressed
sub change_any
{
	my ($stored) = @_;

	if (ord $$stored == 1)
	{
		my @sizes = unpack 'lL', substr $$stored, 2, 8;
		my $which = int rand 2;

		$sizes[$which] = (map { $sizes[$which] + $_ } -2000, -1, 1, 4, 2000, 1 << 30)[ rand 6 ] if rand() < 0.5;
		$sizes[$which] = (0, 1, 3, 4, 5, 16, 100, 0x3fffffff, 0x40000000, 0x7fffffff, 0xffffffff)[ rand 11 ] if rand() < 0.5;
		substr($$stored, 2, 8) = pack 'lL', @sizes;
	}
	elsif (length $$stored > 9)
	{
		substr($$stored, 4 + int(rand length($$stored) - 4), 1) = chr((0, 1, 15, 16, 127, 128, 255, rand 256)[ rand 8 ]) for 1 .. 1 + rand 2;
	}
}

my @methods = split /,/, $node->safe_psql('postgres', q{SELECT array_to_string(enumvals, ',') FROM pg_settings WHERE name = 'default_toast_compression'});
sub fill_stored
{
	$node->safe_psql('postgres', q{
		DROP TABLE IF EXISTS damaged;
		CREATE TABLE damaged (id int, b bson) WITH (toast_tuple_target = 128)});
	$node->safe_psql('postgres', qq{
		ALTER TABLE damaged ALTER b SET COMPRESSION $methods[$_ % @methods], ALTER b SET STORAGE } . (qw(MAIN EXTENDED EXTERNAL))[ $_ % 3 ] . qq{;
		INSERT INTO damaged SELECT $_, bson_build_object('x', 1, 'a', string_agg(md5((j % 9)::text), ''), 'q', bson_agg(j), 'z', 1)
			FROM generate_series(1, ($_ - 1) / 3 * 20 + 2) j}) foreach 1 .. 18;
}

# A bytea, and a value that becomes part of a row or an array, is fetched by the server alone
my @own = grep { !/bytea|row_to_bson|bson_agg|ARRAY/ } @reads;
for my $round (1 .. 4)
{
	fill_stored();
	srand($round);
	change_stored(\&change_any);
	run_all("stored, round $round", @own);
}

# A stream of lz4 that ends too early where it looks whole
SKIP:
{
	my $changed = 0;
	my $err;

	skip 'this server was built without lz4', 2 unless grep { $_ eq 'lz4' } @methods;
	$node->safe_psql('postgres', q{
		TRUNCATE damaged;
		ALTER TABLE damaged ALTER b SET COMPRESSION lz4, ALTER b SET STORAGE MAIN;
		INSERT INTO damaged VALUES (1, bson_build_object('b', 1, 'a', repeat('xy', 5000)))});
	# a repetition has five bytes less
	change_stored(sub { $changed += ${ $_[0] } =~ s/(\xff{9,})([\x06-\xfe])/$1 . chr(ord($2) - 5)/es });
	is($changed, 1, 'a stream was damaged');
	(undef, undef, $err) = $node->psql('postgres', q{SELECT length(b ->> 'a') FROM damaged});
	like($err, qr/compressed lz4 data is corrupt/, 'what makes less than was compressed is an error');
}

# A pointer to something in a table that has no chunks
my ($rel) = $node->safe_psql('postgres', q{SELECT 'pg_class'::regclass::oid});
fill_stored();
change_stored(sub { substr(${ $_[0] }, 10, 8) = pack 'LL', $rel, $rel if ord ${ $_[0] } == 1 });
run_all('pointers to another table', @own);

# Statistics, which the planner reads
$node->safe_psql('postgres', q{
	CREATE TABLE learned (d bson);
	ALTER TABLE learned ALTER d SET STATISTICS 5;
	INSERT INTO learned SELECT bson_build_object('a', i, 'b', 'x' || i % 40) FROM generate_series(1, 500) i;
	ANALYZE learned;
	CHECKPOINT});
my $statistics = $node->data_dir . '/' . $node->safe_psql('postgres', q{SELECT pg_relation_filepath('pg_statistic')});
my $explain = join ';', 'SET client_min_messages = error', map { "EXPLAIN SELECT FROM learned WHERE $_" } map { ("d \@~ '{\"$_->[0]\": {\"\$gt\": $_->[1]}}'", "d \@~ '{\"$_->[0]\": {\"\$gte\": $_->[1], \"\$lt\": $_->[2]}}'", "d \@> '{\"$_->[0]\": $_->[1]}'", "d ? '$_->[0]'") }
  [ 'a', 5, 400 ], [ 'a', -1, 1000000 ], [ 'b', '"x3"', '"x9"' ], [ 'c', 1, 2 ];
for my $round (0 .. 10)
{
	$node->stop;
	open my $file, '+<:raw', $statistics or die "could not open $statistics: $!";
	my $bytes = do { local $/; <$file> };
	my $original = $bytes;
	my $begin = index $bytes, pack 'L', 0x62736e32;
	srand $round;
	is($begin >= 0, 1, 'the statistics are there') if $round == 0;
	# how many bounds the first histogram has; then the counts in the header, and what is behind it
	my ($nfields, $nvalues) = unpack 'L2', substr $bytes, $begin + 4, 8;
	substr($bytes, $begin + 32 + 8 * $nfields + 8 * $nvalues + 12, 4) = pack 'L', 0x7fffffff if $round == 1;
	for (2 .. $round)
	{
		my $at = $begin + 4 + int rand($_ == 2 ? 16 : 900);
		substr($bytes, $at, 1) = chr((0, 1, 127, 128, 255, rand 256)[ rand 6 ]);
	}
	seek $file, 0, 0;
	print $file $bytes;
	close $file;
	$node->start;
	is($node->psql('postgres', $explain), 0, "statistics, round $round");
	$node->stop;
	open $file, '>:raw', $statistics or die "could not open $statistics: $!";
	print $file $original;
	close $file;
	$node->start;
}

foreach my $state (sort grep { !/^example/ } keys %seen)
{
	ok($allowed{$state}, "$seen{$state} times: $state")
	  or diag($seen{"example of $state"});
}
is($node->safe_psql('postgres', 'SELECT 1'), '1', 'the server is up');
unlike(PostgreSQL::Test::Utils::slurp_file($node->logfile), qr/terminated by signal|PANIC|TRAP/, 'and never went down');

$node->stop;
done_testing();
