# If this fails, what version 1.0 wrote to disk is read, or found by its indexes, in another way by this library.
#
# test/format/files.tar.xz and population.tar.xz have the files of the tables and indexes below, as 1.0 wrote them (PostgreSQL 15,
# x86-64): they were made once, and no test makes them anew. The second one has a part of the values of test/format/population.py,
# with an index of each class and of each kind of expression; queries of that program are answered by each of them. The files take the place of those of empty tables of the same definitions, as pg_upgrade does it,
# so they are read by every server that reads pages of 15. They hold no value out of line, whose pointer would name a table by its oid.
# "perl 033_format.pl --make DIRECTORY" writes such archives of what the installed library makes, for a format that is added.
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
my %archives = (files => [ 'doc', 'small', 'hashed_0', 'hashed_1', 'ranged_0', 'ranged_1' ], population => ['pop']);
my @tables = map { @$_ } values %archives;
my @expressions = (
	q(data), q(data -> 'a'), q(data -> 0), q(data -> 'a' -> 'b'), q(data #> '{a,0}'), q(data ->> 'a'), q(data ->> 0), q(data -> 'a' ->> 'b'), q(data #>> '{a,0}'), q(data -#> 'a'), q(data -&> 'a'), q(data -#> 0),
	q(bson_get_numeric(data, 'n')), q(bson_get_objectid(data, '_id')), q(bson_typeof(data)), q((data -> 'price')::numeric), q(bson_sort_key(data, '{"a": 1}')), q(bson_sort_key(data, '{"a": -1, "b": 1}')),
	q(bson_sort_key(data, '{"p.q": 1, "p.r": -1}')), q(bson_sort_key(data, '{"e": 1, "f": 1}')), q(bson_sort_key_desc(data, '{"a.b": 1}')));
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
	CREATE TABLE pop (id int, data bson);
	CREATE INDEX pop_ops ON pop USING gin (data);
	CREATE INDEX pop_path ON pop USING gin (data bson_path_ops);
	CREATE INDEX pop_range ON pop USING gin (data bson_range_ops);
	CREATE INDEX pop_hash ON pop USING hash (data);
	CREATE INDEX pop_hash_field ON pop USING hash ((data -> 'a'));
	CREATE INDEX pop_part ON pop (id) WHERE data @~ '{"a": {"$gt": 5}}';
} . join '', map { sprintf "CREATE INDEX pop_%02d ON pop ((%s));\n", $_, $expressions[$_] } 0 .. $#expressions;
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

# The file of each table of an archive, and of their indexes
sub files
{
	my $names = join ',', map { "'$_'" } @{ $archives{ $_[0] } };
	return map { [ split /\|/ ] } split /\n/, $node->safe_psql('postgres', qq{SELECT relname, pg_relation_filepath(oid) FROM pg_class
		WHERE oid IN (SELECT oid FROM pg_class WHERE relname IN ($names) UNION SELECT indexrelid FROM pg_index WHERE indrelid::regclass::text IN ($names)) ORDER BY 1});
}

# What population.py prints, in a table of its own
sub copy_lines
{
	my ($arguments, $create, $table) = @_;
	my $file = PostgreSQL::Test::Utils::tempdir() . "/$table";

	is(system("python3 $format/population.py $arguments >$file"), 0, "population.py $arguments");
	$node->safe_psql('postgres', "$create; COPY $table FROM '$file'");
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
	# all values that each expression accepts, and that have room in a page of a B-tree
	copy_lines('values 8', 'CREATE TABLE copied (id int, data bson)', 'copied');
	$node->safe_psql('postgres', q{DO $$ DECLARE v copied; BEGIN FOR v IN SELECT * FROM copied WHERE bson_size(data) < 1200 ORDER BY id LOOP BEGIN INSERT INTO pop VALUES (v.id, v.data); EXCEPTION WHEN OTHERS THEN NULL; END; END LOOP; END $$});
	cmp_ok($node->safe_psql('postgres', 'SELECT count(*) FROM pop'), '>', 2500, 'most values are stored');
	is($node->safe_psql('postgres', "SELECT count(*) FROM pg_class c WHERE pg_relation_size(reltoastrelid) > 0 AND relname IN ('doc', 'small', 'pop')"), 0, 'no value is out of line');
	$node->safe_psql('postgres', 'VACUUM (FREEZE, INDEX_CLEANUP on)');
	my %files = map { $_ => [ files($_) ] } keys %archives;
	$node->stop;
	foreach my $archive (keys %archives)
	{
		mkdir "$make/$archive";
		system('cp', $node->data_dir . "/$_->[1]", "$make/$archive/$_->[0]") foreach @{ $files{$archive} };
		system('tar', '--sort=name', '--owner=0', '--group=0', '--mtime=@0', '-C', $make, '-I', 'xz -9e', '-cf', "$make/$archive.tar.xz", $archive);
	}
	done_testing();
	exit;
}

my @files;
my %files = map { $_ => [ files($_) ] } keys %archives;
my $place = PostgreSQL::Test::Utils::tempdir();
$node->stop;
foreach my $archive (sort keys %archives)
{
	push @files, @{ $files{$archive} };
	is(system('/usr/bin/python3', '-m', 'tarfile', '-e', "$format/$archive.tar.xz", $place), 0, "the archive $archive is unpacked");
	is(join(' ', sort map { $_->[0] } @{ $files{$archive} }), join(' ', sort map { s/.*\///r } glob("$place/$archive/*")), 'it has a file for each table and index');
	system('cp', "$place/$archive/$_->[0]", $node->data_dir . "/$_->[1]") foreach @{ $files{$archive} };
}
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

# The population: each index answers as a scan does, queries of all its operators, and the places of values among the others
my %questions = (
	pop_hash => [q{SELECT count(*), md5(string_agg(chosen.id || ' ' || pop.id, ',' ORDER BY chosen.id, pop.id)) FROM chosen, pop WHERE pop.data = chosen.data}],
	pop_hash_field => [q{SELECT count(*), md5(string_agg(chosen.id || ' ' || pop.id, ',' ORDER BY chosen.id, pop.id)) FROM chosen, pop WHERE pop.data -> 'a' = chosen.data -> 'a'}],
	pop_part => [q{SELECT count(*), md5(string_agg(id::text, ',' ORDER BY id)) FROM pop WHERE data @~ '{"a": {"$gt": 5}}' AND id > 5}]);
my %operators = (7 => [ '@>', 'bson' ], 9 => [ '?', 'text' ], 10 => [ '?|', 'text[]' ], 11 => [ '?&', 'text[]' ], 15 => [ '@?', 'jsonpath' ], 16 => [ '@@', 'jsonpath' ], 17 => [ '@~', 'bson' ]);
my $asked = '';
foreach my $strategy (sort { $a <=> $b } keys %operators)
{
	my ($operator, $type) = @{ $operators{$strategy} };

	# without those that MongoDB refuses
	$asked .= "CREATE TABLE asked_$strategy (id int, argument $type); DO \$\$ DECLARE q queries; BEGIN FOR q IN SELECT * FROM queries WHERE strategy = $strategy LOOP BEGIN
		PERFORM '{}'::bson $operator q.argument::$type; INSERT INTO asked_$strategy VALUES (q.id, q.argument::$type); EXCEPTION WHEN OTHERS THEN NULL; END; END LOOP; END \$\$; ANALYZE asked_$strategy; ";
	push @{ $questions{$_} }, "SELECT count(*), md5(string_agg(asked.id || ' ' || pop.id, ',' ORDER BY asked.id, pop.id)) FROM asked_$strategy AS asked, pop WHERE pop.data $operator asked.argument"
	  foreach 'pop_ops', $strategy >= 9 && $strategy <= 11 ? () : ('pop_path', 'pop_range');
}
foreach my $i (0 .. $#expressions)
{
	my ($ours, $others) = map { $expressions[$i] =~ s/\bdata\b/$_.data/r } 'pop', 'chosen';

	# of ranges sums, and of few values
	$questions{ sprintf 'pop_%02d', $i } = [ map { "SELECT count(*), sum(pop.id::bigint * (chosen.id % 97 + 1)) FROM chosen, pop WHERE " . ($_ eq '=' ? '' : 'chosen.id % 600 = 0 AND ') . "($ours) $_ ($others)" } '=', '<', '>=' ];
}
copy_lines('queries 12', 'CREATE TABLE queries (id int, strategy int, argument text)', 'queries');
# few values have a boolean there
$node->safe_psql('postgres', "CREATE TABLE chosen AS SELECT * FROM pop WHERE id % 200 = 0
	OR id IN (SELECT min(id) FROM pop WHERE data -&> 'a' IS NOT NULL GROUP BY data -&> 'a'); ANALYZE chosen; $asked");
foreach my $index (sort keys %questions)
{
	my @queries = @{ $questions{$index} };
	my $hidden = join '', map { "DROP INDEX $_->[0]; " } grep { $_->[0] =~ /^pop_/ && $_->[0] ne $index } @files;
	my @scanned = split /\n/, $node->safe_psql('postgres', join '; ', 'SET enable_indexscan = off; SET enable_bitmapscan = off; SET enable_indexonlyscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off', @queries);
	my @found = split /^#.*\n/m, $node->safe_psql('postgres', "BEGIN; ${hidden}SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off; SET LOCAL enable_material = off; SET LOCAL enable_memoize = off;"
		. join('', map { "SELECT '#'; EXPLAIN $_; SELECT '#'; $_; " } @queries) . 'ROLLBACK');

	ok((grep { !/^0\|/ } @scanned), "there are answers by $index");
	foreach my $i (0 .. $#queries)
	{
		like($found[ 2 * $i + 1 ], qr/\b$index\b/, "$index is used for " . substr($queries[$i], 0, 200));
		is($found[ 2 * $i + 2 ] =~ s/\n$//r, $scanned[$i], 'and they are those of a scan');
	}
}

# what amcheck sees, and what the library writes beside what was there
my $gin = $node->safe_psql('postgres', "SELECT count(*) FROM pg_proc WHERE proname = 'gin_index_check'") > 0;
foreach my $again ('as they came', 'after changes')
{
	is($node->safe_psql('postgres', "SELECT count(*) FROM pg_class c, verify_heapam(c.oid) WHERE relname IN ('" . join("','", @tables) . "')"), 0, "the tables are sound $again");
	is($node->psql('postgres', "SELECT bt_index_check(indexrelid, true) FROM pg_index JOIN pg_class c ON c.oid = indexrelid WHERE indrelid IN ('doc'::regclass, 'small'::regclass, 'pop'::regclass) AND relam = (SELECT oid FROM pg_am WHERE amname = 'btree')", on_error_stop => 1), 0, "and the B-trees");
	is($node->psql('postgres', "SELECT gin_index_check(indexrelid) FROM pg_index JOIN pg_class c ON c.oid = indexrelid WHERE indrelid IN ('doc'::regclass, 'pop'::regclass) AND relam = (SELECT oid FROM pg_am WHERE amname = 'gin')", on_error_stop => 1), 0, 'and the GIN indexes') if $gin;
	$node->safe_psql('postgres', q{UPDATE doc SET data = bson_set(data, '{n}', '7') WHERE id > 1000 AND id % 10 = 0; INSERT INTO doc SELECT id + 5000, data FROM doc WHERE id > 1000; INSERT INTO small SELECT id + 5000, data FROM small; INSERT INTO pop SELECT id + 50000, data FROM pop WHERE id % 20 = 0; VACUUM doc, small, pop; CHECKPOINT});
}
is($node->safe_psql('postgres', q{SET enable_seqscan = off; SELECT count(*) FROM doc WHERE data @~ '{"n": 7}'}), $node->safe_psql('postgres', q{SET enable_bitmapscan = off; SET enable_indexscan = off; SELECT count(*) FROM doc WHERE data @~ '{"n": 7}'}), 'old and new rows are found together');

done_testing();
