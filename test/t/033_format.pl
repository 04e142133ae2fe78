# If this fails, what version 1.0 wrote to disk is read, or found by its indexes, in another way by this library.
#
# test/format/files.tar.gz has the files of the tables and indexes below, as 1.0 wrote them (PostgreSQL 15, x86-64): it was made
# once, and no test makes it anew. The files take the place of those of empty tables of the same definitions, as pg_upgrade does it,
# so they are read by every server that reads pages of 15. They hold no value out of line, whose pointer would name a table by its oid.
# "perl 033_format.pl --make DIRECTORY" writes such an archive of what the installed library makes, for a format that is added.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use BsonTest;

plan skip_all => 'the pages are those of a machine that begins numbers with the low byte' unless pack('S', 1) eq "\1\0";

my $format = "$FindBin::RealBin/../format";
my $make = ($ARGV[0] // '') eq '--make' ? $ARGV[1] : undef;
my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '-E', 'UTF8', '--locale=C', '-k' ]);
$node->append_conf('postgresql.conf', 'autovacuum = off');
$node->start;

# the tables and indexes, each with the statements that it serves
my @tables = ('doc', 'small', 'hashed_0', 'hashed_1', 'ranged_0', 'ranged_1');
my $definitions = q{
	CREATE TABLE doc (id int, data bson);
	CREATE INDEX doc_ops ON doc USING gin (data);
	CREATE INDEX doc_path ON doc USING gin (data bson_path_ops);
	CREATE INDEX doc_range ON doc USING gin (data bson_range_ops);
	CREATE INDEX doc_hash ON doc USING hash (data);
	CREATE INDEX doc_field ON doc ((data -> 'n'));
	CREATE INDEX doc_text ON doc ((data ->> 's'));
	CREATE INDEX doc_walk ON doc ((data -> 'o' -> 'l' -#> 0));
	CREATE INDEX doc_sort ON doc (bson_sort_key(data, '{"n": -1, "s": 1}'));
	CREATE TABLE small (id int, data bson);
	CREATE INDEX small_btree ON small (data);
	CREATE TABLE hashed (id int, data bson) PARTITION BY HASH ((data -> 'n'));
	CREATE TABLE hashed_0 PARTITION OF hashed FOR VALUES WITH (MODULUS 2, REMAINDER 0);
	CREATE TABLE hashed_1 PARTITION OF hashed FOR VALUES WITH (MODULUS 2, REMAINDER 1);
	CREATE TABLE ranged (id int, data bson) PARTITION BY RANGE ((data -> 'n'));
	CREATE TABLE ranged_0 PARTITION OF ranged FOR VALUES FROM (MINVALUE) TO ('200');
	CREATE TABLE ranged_1 PARTITION OF ranged FOR VALUES FROM ('200') TO (MAXVALUE);
};
my @indexed = (
	[ doc_ops => q(data @> '{"s": "v17"}'), q(data ? 'rare'), q(data ?| '{rare,none}'), q(data ?& '{n,rare}'), q(data @? '$.o.l[*] ? (@ == 8)'), q(data @~ '{"o.l": 3, "n": {"$in": [3, 203]}}') ],
	[ doc_path => q(data @> '{"o": {"l": [8]}}'), q(data @@ '$.s == "v17"'), q(data @~ '{"at": {"$date": "2024-01-18T00:00:00Z"}}') ],
	[ doc_range => q(data @~ '{"n": {"$gte": 100, "$lt": 110}}'), q(data @? '$ ? (@.price > 39.5)'), q(data @~ '{"s": {"$gt": "v98"}}') ],
	[ doc_hash => q(data = (SELECT data FROM doc WHERE id = 33)), q(data = '{"a": 1}') ],
	[ doc_field => q(data -> 'n' > 390), q(data -> 'n' = '17'), q(data -> 'n' BETWEEN '5' AND '7') ],
	[ doc_text => q(data ->> 's' = 'v17') ],
	[ doc_walk => q((data -> 'o' -> 'l' -#> 0) = 8) ],
	[ doc_sort => q(bson_sort_key(data, '{"n": -1, "s": 1}') < bson_sort_key('{"n": 390}', '{"n": -1, "s": 1}')) ],
	[ small_btree => q(data > '{"a": 1}'), q(data = '{"a": 19.99}'), q(data BETWEEN '0' AND '100') ]);
my @partitioned = ([ hashed => q(data -> 'n' = '17') ], [ ranged => q(data -> 'n' = '217') ], [ ranged => q(data -> 'n' < '3') ]);

sub files
{
	my $names = join ',', map { "'$_'" } @tables;
	return map { [ split /\|/ ] } split /\n/, $node->safe_psql('postgres', qq{SELECT relname, pg_relation_filepath(oid) FROM pg_class
		WHERE oid IN (SELECT oid FROM pg_class WHERE relname IN ($names) UNION SELECT indexrelid FROM pg_index WHERE indrelid::regclass::text IN ($names)) ORDER BY 1});
}

$node->safe_psql('postgres', "CREATE EXTENSION bson; CREATE EXTENSION amcheck; $definitions");
if ($make)
{
	$node->safe_psql('postgres', PostgreSQL::Test::Utils::slurp_file("$format/values.sql") . q{
		INSERT INTO small SELECT n, v FROM fixture;
		INSERT INTO doc SELECT n, v FROM fixture;
		INSERT INTO doc SELECT 1000 + i, bson_build_object('n', CASE i % 3 WHEN 0 THEN to_bson(i) WHEN 1 THEN to_bson(i::bigint) ELSE to_bson(i::float8) END, 's', 'v' || i % 100,
			'price', (i / 10.0)::numeric, 'at', timestamptz '2024-01-01 00:00Z' + i * interval '1 day', 'o', bson_build_object('l', bson_build_array(i % 20, i / 2.0::float8, 'x' || i))) FROM generate_series(1, 400) AS i;
		UPDATE doc SET data = data || '{"rare": true}' WHERE id % 150 = 0;
		INSERT INTO doc SELECT 2000 + i, bson_build_object('n', -i, 'text', repeat('compressed ' || i, 300)) FROM generate_series(1, 10) AS i;
		INSERT INTO hashed SELECT * FROM doc WHERE id > 1000;
		INSERT INTO ranged SELECT * FROM doc WHERE id > 1000});
	is($node->safe_psql('postgres', "SELECT count(*) FROM pg_class c WHERE pg_relation_size(reltoastrelid) > 0 AND relname IN ('doc', 'small')"), 0, 'no value is out of line');
	$node->safe_psql('postgres', 'VACUUM (FREEZE, INDEX_CLEANUP on)');
	my @files = files();
	$node->stop;
	mkdir "$make/files";
	system('cp', $node->data_dir . "/$_->[1]", "$make/files/$_->[0]") foreach @files;
	system('tar', '--sort=name', '--owner=0', '--group=0', '--mtime=@0', '-C', $make, '-czf', "$make/files.tar.gz", 'files');
	done_testing();
	exit;
}

my @files = files();
my $place = PostgreSQL::Test::Utils::tempdir();
$node->stop;
is(system('tar', '-C', $place, '-xzf', "$format/files.tar.gz"), 0, 'the archive is unpacked');
is(join(' ', sort map { $_->[0] } @files), join(' ', sort map { s/.*\///r } glob("$place/files/*")), 'it has a file for each table and index');
system('cp', "$place/files/$_->[0]", $node->data_dir . "/$_->[1]") foreach @files;
# their pages are of a later place in the log
PostgreSQL::Test::Utils::system_or_bail('pg_resetwal', '-f', '-l', '000000010000000100000001', '-D', $node->data_dir);
$node->start;

is($node->safe_psql('postgres', 'SELECT count(*), md5(string_agg(data::bytea::text, $$,$$ ORDER BY id)) FROM doc'), '610|1dfb458d5c6085f249eedb592af827a7', 'the bytes of the documents are those that were written');
is($node->safe_psql('postgres', 'SELECT count(*), md5(string_agg(data::text, $$,$$ ORDER BY id)) FROM small'), '200|6e93e8433aa3567613570f3362ecf4eb', 'and so are their texts');

foreach (@indexed)
{
	my ($index, @conditions) = @$_;
	my $table = $index =~ s/_.*//r;

	# without the others, so that no other one answers
	my $hidden = join '', map { "DROP INDEX $_->[0]; " } grep { $_->[0] =~ /^${table}_/ && $_->[0] ne $index } @files;
	foreach my $condition (@conditions)
	{
		my $query = "SELECT string_agg(id::text, ',' ORDER BY id) FROM $table WHERE $condition";
		my $scanned = $node->safe_psql('postgres', "SET enable_indexscan = off; SET enable_bitmapscan = off; SET enable_indexonlyscan = off; $query");
		my $plan = $node->safe_psql('postgres', "BEGIN; ${hidden}SET enable_seqscan = off; EXPLAIN $query; ROLLBACK");
		my $found = $node->safe_psql('postgres', "BEGIN; ${hidden}SET enable_seqscan = off; $query; ROLLBACK");

		like($plan, qr/\b$index\b/, "$index is used for $condition");
		isnt($scanned, '', 'there are such rows');
		is($found, $scanned, 'and it finds them all');
	}
}
foreach (@partitioned)
{
	my ($table, $condition) = @$_;
	my $pruned = $node->safe_psql('postgres', "SELECT string_agg(id::text, ',' ORDER BY id) FROM $table WHERE $condition");
	my $all = $node->safe_psql('postgres', "SET enable_partition_pruning = off; SELECT string_agg(id::text, ',' ORDER BY id) FROM $table WHERE $condition");

	isnt($pruned, '', "rows of $table with $condition are found");
	is($pruned, $all, 'in the partition that is chosen');
}

# what amcheck sees, and what the library writes beside what was there
my $gin = $node->safe_psql('postgres', "SELECT count(*) FROM pg_proc WHERE proname = 'gin_index_check'") > 0;
foreach my $again ('as they came', 'after changes')
{
	is($node->safe_psql('postgres', "SELECT count(*) FROM pg_class c, verify_heapam(c.oid) WHERE relname IN ('" . join("','", @tables) . "')"), 0, "the tables are sound $again");
	is($node->psql('postgres', "SELECT bt_index_check(indexrelid, true) FROM pg_index JOIN pg_class c ON c.oid = indexrelid WHERE indrelid IN ('doc'::regclass, 'small'::regclass) AND relam = (SELECT oid FROM pg_am WHERE amname = 'btree')", on_error_stop => 1), 0, "and the B-trees");
	is($node->psql('postgres', "SELECT gin_index_check(indexrelid) FROM pg_index JOIN pg_class c ON c.oid = indexrelid WHERE indrelid = 'doc'::regclass AND relam = (SELECT oid FROM pg_am WHERE amname = 'gin')", on_error_stop => 1), 0, 'and the GIN indexes') if $gin;
	$node->safe_psql('postgres', q{UPDATE doc SET data = bson_set(data, '{n}', '7') WHERE id > 1000 AND id % 10 = 0; INSERT INTO doc SELECT id + 5000, data FROM doc WHERE id > 1000; INSERT INTO small SELECT id + 5000, data FROM small; VACUUM doc, small; CHECKPOINT});
}
is($node->safe_psql('postgres', q{SET enable_seqscan = off; SELECT count(*) FROM doc WHERE data @~ '{"n": 7}'}), $node->safe_psql('postgres', q{SET enable_bitmapscan = off; SET enable_indexscan = off; SELECT count(*) FROM doc WHERE data @~ '{"n": 7}'}), 'old and new rows are found together');

done_testing();
