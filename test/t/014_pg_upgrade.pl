# If this fails, pg_upgrade loses or changes values, or leaves indexes, statistics or views that no longer fit them.
#
# BSON_OLD_PG_CONFIG names the pg_config of the older server, which has bson installed.
# Without it the server is upgraded to itself, which tests everything except the older server's
# files. test/bin/upgrade makes a system with both servers.
use strict;
use warnings;
use File::Basename qw(dirname);
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use BsonTest;

my $old_config = $ENV{BSON_OLD_PG_CONFIG} // '';
chomp(my $new_bindir = qx{pg_config --bindir});
chomp(my $old_bindir = $old_config eq '' ? $new_bindir : qx{"$old_config" --bindir});
BAIL_OUT("BSON_OLD_PG_CONFIG=$old_config is no pg_config") if $old_config ne '' && !-x "$old_bindir/initdb";

# both with checksums, which is 18's default
my @init = (extra => [ '-E', 'UTF8', '--locale=C', '-k' ]);
my $old = $old_config eq '' ? PostgreSQL::Test::Cluster->new('old') : node_of('old', dirname($old_bindir));
$old->init(@init);
$old->start;
diag('upgrading from ' . $old->safe_psql('postgres', 'SHOW server_version')
	  . ($old_config eq '' ? ' to itself: BSON_OLD_PG_CONFIG is not set' : ''));

create_values($old, 'postgres', 'v');
my @reads = reads($old);

# Values out of line and compressed, in arrays, composites and domains, and in generated columns
$old->safe_psql('postgres', q{
	CREATE DOMAIN person AS bson CHECK (VALUE ? 'n' AND VALUE -#> 'n' >= 0);
	CREATE TYPE pair AS (name text, b bson);
	CREATE TABLE doc (
		id int PRIMARY KEY,
		d bson NOT NULL DEFAULT '{"a": {"$numberLong": "1"}, "n": 7, "b": {"$oid": "5f2b1c3d4e5f60718293a4b5"}}',
		p person,
		pairs pair[],
		several bson[],
		n int GENERATED ALWAYS AS (d -#> 'n') STORED,
		CHECK (d -> 'n' IS NOT NULL));
	CREATE COLLATION plain FROM "C";
	INSERT INTO doc
	SELECT i, d, bson_strip_nulls(d), ARRAY[ROW('x', d), ROW(NULL, NULL)]::pair[], ARRAY[d, NULL, d -> 'a']
	FROM generate_series(1, 2000) i,
		bson_build_object('n', i % 500, 'x', NULL, 's', repeat(md5(i::text), i % 150), 'price', (i / 7.0)::numeric(10,2),
			'a', bson_build_object('b', bson_build_array(i % 10, 'v' || i % 100, i / 8.0::float8, now() - now()::timestamp + to_timestamp(i)::timestamp),
				'c', i % 3 = 0)) d;
	INSERT INTO doc (id) VALUES (3000);

	CREATE VIEW collapsed AS
	SELECT id, d -> 'a' -> 'b' ->> 1 AS v, d -> 'a' -> 'b' -#> 0 AS i, d -> 'a' -&> 'c' AS c, (d -> 'price')::numeric AS price
	FROM doc WHERE d -> 'a' -> 'b' -> 1 > '"v3"'::bson;
	CREATE MATERIALIZED VIEW counted AS SELECT d -> 'a' -> 'b' -> 0 AS b, count(*) FROM doc GROUP BY 1;
	CREATE INDEX ON counted (b);
	CREATE RULE quiet AS ON UPDATE TO collapsed DO INSTEAD UPDATE doc SET d = bson_set(d, '{a,c}', to_bson(new.c)) WHERE id = new.id;
	CREATE FUNCTION deep(d bson) RETURNS int LANGUAGE sql IMMUTABLE BEGIN ATOMIC SELECT d -> 'a' -> 'b' -#> 0; END;

	CREATE STATISTICS of_paths ON (d -> 'a' -> 'c'), (d -> 'n') FROM doc;

	-- rows are found in their partitions by the order and the hash of before
	CREATE TABLE ranges (id int, b bson) PARTITION BY RANGE (b);
	CREATE TABLE numbers PARTITION OF ranges FOR VALUES FROM ('{"$numberDouble": "NaN"}') TO ('""');
	CREATE TABLE ranges_rest PARTITION OF ranges DEFAULT;
	CREATE TABLE hashes (id int, b bson) PARTITION BY HASH (b);
	CREATE TABLE hashes_0 PARTITION OF hashes FOR VALUES WITH (MODULUS 3, REMAINDER 0);
	CREATE TABLE hashes_1 PARTITION OF hashes FOR VALUES WITH (MODULUS 3, REMAINDER 1);
	CREATE TABLE hashes_2 PARTITION OF hashes FOR VALUES WITH (MODULUS 3, REMAINDER 2);
	INSERT INTO ranges SELECT id, b FROM v;
	INSERT INTO hashes SELECT id, b FROM v;

	-- what an expression gives for a value, an error being an answer, too
	CREATE FUNCTION answer(expression text, id int) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE
		result text;
	BEGIN
		EXECUTE format('SELECT (%s)::text FROM v WHERE id = %s', expression, id) INTO result;
		RETURN result;
	EXCEPTION WHEN OTHERS THEN
		RETURN 'error ' || SQLSTATE;
	END $$;
});

# A table for each kind of index, so that the planner has only this one
my %indexes = (
	btree => [ '(b)', q{b = '{"x": 1.0}'}, q{b < '{"n": 5}'}, q{b > '[1]'} ],
	hash => [ 'USING hash (b)', q{b = '{"x": {"$numberLong": "1"}}'}, q{b = '{"a": "plain", "z": null}'} ],
	expression => [ q{((b -> 'a' -> 'b' ->> 1))}, q{b -> 'a' -> 'b' ->> 1 = 'v7'}, q{b #>> '{a,b,1}' IS NULL AND b -> 'a' -> 'b' ->> 1 IS NULL} ],
	getter => [ q{(bson_get_int4(b, 'n'))}, q{bson_get_int4(b, 'n') < 10} ],
	gin => [ 'USING gin (b)', q{b @> '{"a": {"c": true}, "n": 9}'}, q{b ? 'price'}, q{b ?| '{q,a}'}, q{b @? '$.a.b[*] ? (@ == "v7")'}, q{b @~ '{"a.b": "v8"}'} ],
	gin_path => [ 'USING gin (b bson_path_ops)', q{b @> '{"a": {"b": ["v7"]}}'}, q{b @@ '$.n == 44'}, q{b @~ '{"n": 45}'} ],
	gin_range => [ 'USING gin (b bson_range_ops)', q{b @? '$.n ? (@ < 20)'}, q{b @~ '{"n": {"$gte": 490}}'}, q{b @> '{"n": 9}'} ]);

foreach my $name (sort keys %indexes)
{
	$old->safe_psql('postgres', qq{
		CREATE TABLE t_$name AS
			SELECT id, d AS b FROM doc UNION ALL SELECT -id, b FROM v WHERE bson_size(b) < 1000;
		CREATE INDEX i_$name ON t_$name $indexes{$name}[0];
	});
}

# outside of the search path, in a separate database
$old->safe_psql('postgres', 'CREATE DATABASE elsewhere');
$old->safe_psql('elsewhere', q{
	CREATE SCHEMA "Other Place";
	CREATE EXTENSION bson SCHEMA "Other Place";
	CREATE TABLE v (id int, b "Other Place".bson DEFAULT '{"a": 1}', a int GENERATED ALWAYS AS (b OPERATOR("Other Place".-#>) 'a') STORED);
	CREATE INDEX ON v USING gin (b "Other Place".bson_path_ops);
	CREATE VIEW over AS SELECT b OPERATOR("Other Place".->) 'a' OPERATOR("Other Place".->>) 0 AS a FROM v;
	INSERT INTO v (id) SELECT generate_series(1, 100);
});
$old->safe_psql('postgres', 'ANALYZE');

# Everything that must not change: name, database, query
my @same = (
	[ 'bytes', 'postgres', q{SELECT id, md5(bson_send(b)), pg_column_size(b) FROM v ORDER BY id} ],
	[ 'bytes in columns', 'postgres', q{SELECT id, n, md5(bson_send(d)), md5(bson_send(p)), md5((pairs[1]).b::bytea), md5(several[3]::bytea) FROM doc ORDER BY id} ],
	[ 'bytes of a materialized view', 'postgres', q{SELECT b::bytea, count FROM counted ORDER BY b} ],
	[ 'a view', 'postgres', q{SELECT * FROM collapsed ORDER BY id} ],
	[ 'a function', 'postgres', q{SELECT count(*), sum(deep(d)) FROM doc} ],
	[ 'partitions by range', 'postgres', q{SELECT tableoid::regclass, id, bson_send(b) = (SELECT bson_send(b) FROM v WHERE v.id = ranges.id) FROM ranges ORDER BY id} ],
	[ 'partitions by hash', 'postgres', q{SELECT tableoid::regclass, id FROM hashes ORDER BY id} ],
	[ 'rows found in partitions', 'postgres', q{SELECT id, (SELECT count(*) FROM hashes WHERE b = v.b), (SELECT count(*) FROM ranges WHERE b = v.b) FROM v WHERE b IS NOT NULL ORDER BY id} ],
	[ 'order and hashes', 'postgres', q{SELECT id, bson_hash(b), bson_hash_extended(b, 7) FROM v ORDER BY b, id} ],
	[ 'definitions', 'postgres', q{
		SELECT pg_get_indexdef(indexrelid) AS def FROM pg_index JOIN pg_class ON oid = indrelid WHERE relnamespace = 'public'::regnamespace
		UNION ALL SELECT conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype <> 'n'
		UNION ALL SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef
		UNION ALL SELECT pg_get_statisticsobjdef(oid) FROM pg_statistic_ext
		UNION ALL SELECT pg_get_partkeydef(oid) || pg_get_expr(relpartbound, oid) FROM pg_class WHERE relispartition AND relkind = 'r'
		UNION ALL SELECT pg_get_viewdef(oid) FROM pg_class WHERE relkind IN ('v', 'm') AND relnamespace = 'public'::regnamespace
		UNION ALL SELECT definition FROM pg_rules WHERE schemaname = 'public'
		UNION ALL SELECT pg_get_functiondef('deep'::regproc) ORDER BY 1} ],
	[ 'another schema', 'elsewhere', q{SELECT id, a, b::text, (SELECT count(a) FROM over) FROM v ORDER BY id} ],
	[ 'definitions in another schema', 'elsewhere', q{SELECT pg_get_viewdef('over') UNION ALL SELECT indexdef FROM pg_indexes WHERE tablename = 'v'} ],
	[ 'answers', 'postgres', 'SELECT e, md5(string_agg(answer(e, id), \',\' ORDER BY id)) FROM v, unnest(ARRAY['
		  . join(', ', map { "\$bson\$$_\$bson\$" } @reads) . ']) e GROUP BY e ORDER BY e' ]);

sub ask
{
	my ($node, $same) = @_;
	my $answer = $node->safe_psql($same->[1], $same->[2]);

	# since 16 the server does not write the table's name before a column if there is only one table
	$answer =~ s/\b(doc|v|"\*VALUES\*")\.//g if $same->[0] =~ /^definitions/;
	return $answer;
}

my %before = map { ($_->[0] => ask($old, $_)) } @same;
like($before{'definitions'}, qr/-#>.*person|person.*-#>/s, 'the definitions hold what they should');
is_deeply([ grep { $before{$_} eq '' } keys %before ], [], 'every question has an answer');

# An index finds what a scan of the table finds
sub check_indexes
{
	my ($node, $when) = @_;

	foreach my $name (sort keys %indexes)
	{
		my (undef, @conditions) = @{ $indexes{$name} };

		foreach my $condition (@conditions)
		{
			my $query = "SELECT count(*), sum(id) FROM t_$name WHERE $condition";
			my $answer = $node->safe_psql('postgres', qq{
				SET enable_seqscan = off;
				EXPLAIN (COSTS off) $query;
				$query;
				RESET enable_seqscan;
				SET enable_indexscan = off; SET enable_bitmapscan = off; SET enable_indexonlyscan = off;
				$query});

			# the index is used, there is something to find, and it is found
			like($answer, qr/\bi_$name\b.*^([1-9].*)\n\1\z/ms, "$when, $name: $condition");
		}
	}
}

sub check_structure
{
	my ($node, $when) = @_;

  SKIP:
	{
		skip 'no amcheck', 2
		  unless $node->safe_psql('postgres', q{SELECT count(*) FROM pg_available_extensions WHERE name = 'amcheck'});
		$node->safe_psql('postgres', 'CREATE EXTENSION IF NOT EXISTS amcheck');
		is( $node->safe_psql('postgres', q{
				SELECT c.relname, v.* FROM pg_class c, verify_heapam(c.oid, check_toast => true) v
				WHERE relkind IN ('r', 'm') AND relnamespace = 'public'::regnamespace}),
			'', "$when: no table is damaged");
		is( $node->psql('postgres', q{
				SELECT bt_index_check(c.oid, true) FROM pg_class c JOIN pg_am a ON a.oid = relam
				WHERE amname = 'btree' AND relkind = 'i' AND relnamespace = 'public'::regnamespace}),
			0, "$when: no btree is damaged");
		# from 18 on
		skip 'no gin_index_check', 1
		  unless $node->safe_psql('postgres', q{SELECT count(*) FROM pg_proc WHERE proname = 'gin_index_check'});
		is($node->psql('postgres', q{SELECT gin_index_check('i_gin'), gin_index_check('i_gin_path'), gin_index_check('i_gin_range')}),
			0, "$when: no GIN index is damaged");
	}
}

check_indexes($old, 'before');
$old->stop;

my $dir = PostgreSQL::Test::Utils::tempdir();

# links come last, since they leave the old cluster unusable
foreach my $mode ($old_config eq '' ? () : 'copy', 'link')
{
	my $new = PostgreSQL::Test::Cluster->new("new_$mode");
	my $place = "$dir/upgrade_$mode";

	$new->init(@init);
	mkdir $place or die $!;
	chdir $place or die $!;    # it writes scripts and sockets where it is
	$new->command_ok(
		[
			'pg_upgrade', qx{pg_upgrade --help} =~ /--no-sync/ ? '--no-sync' : (), $mode eq 'copy' ? () : '--link', '-d', $old->data_dir,
			'-D', $new->data_dir, '-b', $old_bindir, '-B', $new_bindir, '-s', $new->host, '-p', $old->port, '-P', $new->port
		],
		"pg_upgrade $mode");
	# the files that it leaves when it fails
	if (my @logs = glob($new->data_dir . '/pg_upgrade_output.d/*/log/*.log'))
	{
		diag("$_:\n" . PostgreSQL::Test::Utils::slurp_file($_)) foreach @logs;
		last;
	}
	$new->start;
	is_deeply([ split /\n/, ask($new, $_) ], [ split /\n/, $before{ $_->[0] } ], "$mode: $_->[0]") foreach @same;
	check_indexes($new, "$mode, statistics as they came");
	check_structure($new, $mode);

	# new rows after the upgrade agree with the old ones
	$new->command_ok([ 'vacuumdb', '--all', '--analyze' ], "$mode: vacuum and analyze");
	$new->safe_psql('postgres', join '', map { "INSERT INTO t_$_ SELECT id + 10000, b FROM t_$_; DELETE FROM t_$_ WHERE abs(id) % 3 = 0;" } sort keys %indexes);
	check_indexes($new, "$mode, after changes");
	check_structure($new, "$mode, after changes");
	$new->safe_psql('postgres', q{INSERT INTO ranges SELECT id + 1000, b FROM v; INSERT INTO hashes SELECT id + 1000, b FROM v; UPDATE collapsed SET c = NOT c});
	is( $new->safe_psql('postgres', q{SELECT count(*) FROM ranges x JOIN ranges y ON y.id = x.id + 1000 WHERE x.tableoid <> y.tableoid}), '0',
		"$mode: new rows go to the partitions by range of the old ones");
	is( $new->safe_psql('postgres', q{SELECT count(*) FROM hashes x JOIN hashes y ON y.id = x.id + 1000 WHERE x.tableoid <> y.tableoid}), '0',
		"$mode: new rows go to the partitions by hash of the old ones");
	isnt($new->psql('postgres', q{INSERT INTO doc (id, p) VALUES (4000, '{"n": -1}')}), 0, "$mode: the domain is checked");

	# the copied extension is the same as one created in the new server, but for a type that 19 has new
	$new->safe_psql('postgres', 'CREATE DATABASE fresh');
	$new->safe_psql('fresh', 'CREATE EXTENSION bson');
	is_deeply([ map { [ grep { !/pg_catalog\.regdatabase/ } extension_catalog($new, $_) ] } 'postgres' ],
		[ map { [ grep { !/pg_catalog\.regdatabase/ } extension_catalog($new, $_) ] } 'fresh' ], "$mode: the extension is as a fresh one");
	$new->stop;
	chdir '/';
}

done_testing();
