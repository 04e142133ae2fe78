# If this fails, documents spread over servers with postgres_fdw are fetched whole although a part would be enough.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use BsonTest;

my ($main, @shards) = map { PostgreSQL::Test::Cluster->new($_) } 'main', 'shard0', 'shard1';
foreach my $node ($main, @shards)
{
	$node->init;
	$node->start;
	$node->safe_psql('postgres', 'CREATE EXTENSION bson');
}
plan skip_all => 'postgres_fdw is not installed'
  unless $main->safe_psql('postgres', "SELECT count(*) FROM pg_available_extensions WHERE name = 'postgres_fdw'");

# from 17 on the server makes bson[] a member; before it cannot move it to another schema, so the script does not
if ($main->safe_psql('postgres', 'SHOW server_version_num') < 170000)
{
	my $move = 'ALTER EXTENSION bson SET SCHEMA other; ALTER EXTENSION bson SET SCHEMA public;';

	$main->safe_psql('postgres', "CREATE SCHEMA other; $move ALTER EXTENSION bson ADD TYPE bson[]");
	like(($main->psql('postgres', $move))[2], qr/cannot alter array type/, 'bson[] is in the way of a move');
	$main->safe_psql('postgres', "ALTER EXTENSION bson DROP TYPE bson[]; $move ALTER EXTENSION bson ADD TYPE bson[]; CREATE TABLE many (all_of bson[])");
	like(($main->psql('postgres', 'DROP EXTENSION bson'))[2], qr/column all_of of table many depends on type bson\[\]/, 'a column keeps the extension');
	$main->safe_psql('postgres', 'DROP TABLE many; DROP EXTENSION bson; CREATE EXTENSION bson; ALTER EXTENSION bson ADD TYPE bson[]');
}
else
{
	$main->safe_psql('postgres', 'CREATE SCHEMA other; ALTER EXTENSION bson SET SCHEMA other; ALTER EXTENSION bson SET SCHEMA public');
}

# the statements of doc/scaling.md, with the addresses of the shards, and what it says that a shard is asked
my $page = do { local (@ARGV, $/) = "$FindBin::RealBin/../../doc/scaling.md"; <> };
my ($block) = $page =~ /^```sql\n(CREATE EXTENSION bson; CREATE TABLE doc (?:.*\n)+?)```$/m;
my ($on_shard, $extensions, $server, $mapping, $doc, $partition) = map { s/ *--.*//r } split /\n/, $block;
my ($remote) = $page =~ /^  Remote SQL: (.*)$/m;
$main->safe_psql('postgres', $extensions =~ s/CREATE EXTENSION bson;//r . $doc);
foreach my $i (0, 1)
{
	my $shard = $shards[$i];
	my $here = "host '" . $shard->host . "', port '" . $shard->port . "', dbname 'postgres'";
	my $of_shard = $server =~ s/host '…', dbname '…'/$here/r . $mapping =~ s/ OPTIONS .*/;/r . $partition;

	$shard->safe_psql('postgres', $on_shard =~ s/CREATE EXTENSION bson;//r . q{
		CREATE INDEX ON doc ((data['tenant']));
		CREATE INDEX ON doc (((data -> 'n')::int));
		CREATE INDEX ON doc USING gin (data)});
	$main->safe_psql('postgres', $of_shard =~ s/(shard|doc_)0/$1$i/gr =~ s/REMAINDER 0/REMAINDER $i/r);
}

# documents are sent as text, which is lossless; a local copy has the right answers
$main->safe_psql('postgres', q{
	CREATE TABLE local AS
		SELECT bson_build_object('tenant', 't' || i % 20, 'n', i, 'at', now(), 'price', i / 7.0::numeric, 'tags', ARRAY['x' || i % 3], 'in', bson_build_object('deep', i % 5)) AS data
		FROM generate_series(1, 2000) i;
	INSERT INTO doc SELECT data FROM local;
});
my $sum = "SELECT md5(string_agg(data::bytea::text, ',' ORDER BY data -#> 'n')) FROM ";
is($main->safe_psql('postgres', "$sum doc"), $main->safe_psql('postgres', "$sum local"), 'documents come back byte for byte');
my @counts = map { $_->safe_psql('postgres', 'SELECT count(*) FROM doc') } @shards;
is($counts[0] + $counts[1], 2000, 'every document is on a shard');
cmp_ok($_, '>', 0, 'and each shard has some') foreach @counts;

# Ask doc and local; look at the plan for doc
sub ask
{
	my ($name, $query, $remote, $servers) = @_;
	my $settings = 'SET enable_partitionwise_aggregate = on; SET enable_partitionwise_join = on;';
	my $plan = $main->safe_psql('postgres', "$settings EXPLAIN (VERBOSE, COSTS OFF) " . sprintf($query, 'doc'));
	my $asked = () = $plan =~ /Remote SQL/g;

	note($plan);
	like($plan, $remote, "$name: shipped");
	is($asked, $servers, "$name: of two shards $servers asked");
	is($main->safe_psql('postgres', $settings . sprintf($query, 'doc')), $main->safe_psql('postgres', sprintf($query, 'local')), "$name: the answer");
}

# An operator with a text constant is shipped unless its result is text: a text has a collation, which is not known
# to be that of the remote column (jsonb has the same limitation)
ask('a key of the partitions', q{SELECT count(*) FROM %s WHERE data['tenant'] = '"t7"'}, qr/Remote SQL: SELECT NULL FROM .*WHERE .*tenant/, 1);
ask('a key of the partitions as a text', q{SELECT count(*) FROM %s WHERE data['tenant'] = 't7'::text}, qr/Remote SQL: SELECT NULL FROM .*WHERE .*tenant.*'t7'::text/, 1);
ask('containment', q{SELECT data['n'] AS n FROM %s WHERE data @> '{"tags": ["x1"], "n": 100}'}, qr/Remote SQL: .*WHERE .*@>/, 2);
ask('an integer', q{SELECT data['n'] AS n FROM %s WHERE data['n']::int > 1990 ORDER BY 1}, qr/Remote SQL: .*WHERE .*integer > 1990/, 2);
ask('an integer by a text key', q{SELECT data['n'] AS n FROM %s WHERE (data -> 'n')::int > 1990 ORDER BY 1}, qr/Remote SQL: .*WHERE .*bson_walk_to_int4.* > 1990/, 2);
ask('an integer within', q{SELECT data['n'] AS n FROM %s WHERE (data -> 'in' -> 'deep')::int8 = 3 ORDER BY 1}, qr/Remote SQL: .*WHERE .*bson_walk_to_int8.* = 3/, 2);
like($shards[0]->safe_psql('postgres', "SET enable_seqscan = off; EXPLAIN SELECT data FROM doc WHERE bson_walk_to_int4(data, 'n'::text) > 1990"),
	qr/Index Cond: .*bson_walk_to_int4/, 'and there an index on the cast is used');
ask('a number', q{SELECT data['n'] AS n FROM %s WHERE data['n'] > '1990' ORDER BY 1}, qr/Remote SQL: .*WHERE .*OPERATOR\(public\.>\) '1990'/, 2);
ask('a chain', q{SELECT sum(data['n']::int) FROM %s WHERE data['in']['deep'] = '3'}, qr/Remote SQL: .*WHERE .*deep/, 2);
ask('a query of MongoDB', q{SELECT data['n'] AS n FROM %s WHERE data @~ '{"n": {"$gt": 1500, "$lt": 1510}}' ORDER BY 1}, qr/Remote SQL: .*WHERE .*@~/, 2);
ask('a jsonpath', q{SELECT data['n'] AS n FROM %s WHERE data @@ '$.n > 1995' ORDER BY 1}, qr/Remote SQL: .*WHERE .*@@/, 2);
ask('key and more', q{SELECT data['n'] AS n FROM %s WHERE data['tenant'] = '"t3"' AND data @> '{"tags": ["x1"]}' ORDER BY data['n'] LIMIT 3}, qr/Remote SQL: .*WHERE .*tenant.*@>/, 1);
ask('groups of the page', q{SELECT * FROM (SELECT data['tenant'] AS tenant, count(*), max(data['n']::int) FROM %s GROUP BY 1) g ORDER BY tenant}, qr/Remote SQL: \Q$remote\E$/m, 2);
ask('groups', q{SELECT * FROM (SELECT data['tenant'] AS tenant, count(*), max(data['n']::int), bson_agg(data['in'] ORDER BY data['n']) FROM %s GROUP BY 1) g ORDER BY tenant},
	qr/Remote SQL: SELECT .*count\(\*\), max\(.*GROUP BY/, 2);

ask('a field', q{SELECT data['n'] AS n FROM %s WHERE data -> 'n' > '1990' ORDER BY 1}, qr/Remote SQL: .*WHERE .*->.*'1990'/, 2);
ask('a field against an integer', q{SELECT data['n'] AS n FROM %s WHERE data -> 'n' > 1990 ORDER BY 1}, qr/Remote SQL: .*WHERE .*OPERATOR\(public\.>\) 1990/, 2);
ask('an integer at the end of a chain', q{SELECT data['n'] AS n FROM %s WHERE data -> 'in' -#> 'deep' = 3 ORDER BY 1}, qr/Remote SQL: .*WHERE .*bson_walk_int4.* = 3/, 2);
ask('a path', q{SELECT data['n'] AS n FROM %s WHERE data #> '{in,deep}' = '3' ORDER BY 1}, qr/Remote SQL: .*WHERE .*#>/, 2);
ask('a field that is an integer', q{SELECT data['n'] AS n FROM %s WHERE data -#> 'n' > 1990 ORDER BY 1}, qr/Remote SQL: .*WHERE .*-#>/, 2);
ask('existence', q{SELECT count(*) FROM %s WHERE data ? 'price' AND data ?| '{none,at}' AND data ?& '{n,tenant}'}, qr/Remote SQL: .*WHERE .*\?\|/, 2);
ask('a getter', q{SELECT data['n'] AS n FROM %s WHERE bson_get_int8(data, 'in', 'deep') = 3 ORDER BY 1}, qr/Remote SQL: .*WHERE .*bson_get_int8.* = 3/, 2);
ask('a getter of a time', q{SELECT count(*) FROM %s WHERE bson_get_timestamptz(data, 'at') > '2024-01-01 00:00+00'}, qr/Remote SQL: .*WHERE .*bson_get_timestamptz/, 2);
ask('groups of a field', q{SELECT * FROM (SELECT data['tenant'] AS tenant, data -> 'in' -> 'deep' AS deep, count(*) FROM %s GROUP BY 1, 2) g ORDER BY tenant, deep}, qr/Remote SQL: SELECT .*bson_walk.*GROUP BY/, 2);
foreach my $index ([ q{(data -> 'n')}, q{data -> 'n' = '77'} ], [ q{(data -#> 'n')}, q{data -#> 'n' = 77} ], [ q{bson_get_int8(data, 'n')}, q{bson_get_int8(data, 'n') = 77} ], [ q{(data -> 'in' -> 'deep')}, q{data -> 'in' -> 'deep' = '7'} ])
{
	my ($expression, $condition) = @$index;

	$shards[0]->safe_psql('postgres', "CREATE INDEX shipped ON doc (($expression))");
	my ($remote) = $main->safe_psql('postgres', "EXPLAIN (VERBOSE, COSTS OFF) SELECT data FROM doc_0 WHERE $condition") =~ /Remote SQL: (.*)/;
	like($shards[0]->safe_psql('postgres', "SET enable_seqscan = off; EXPLAIN (COSTS OFF) $remote"), qr/Index Cond/, "an index on $expression serves what is shipped");
	$shards[0]->safe_psql('postgres', 'DROP INDEX shipped');
}

# a string and a text are compared by bytes, so no collation is in the way
ask('a field against a text', q{SELECT data['n'] AS n FROM %s WHERE data -> 'tenant' = 't7'::text AND 't6'::text < data -> 'tenant' ORDER BY 1}, qr/Remote SQL: .*WHERE .*OPERATOR\(public\.=\) 't7'::text/, 2);
is($main->safe_psql('postgres', "SELECT count(*) FROM doc WHERE data -> 'tenant' $_ 't7'::text"), $main->safe_psql('postgres', "SELECT count(*) FROM local WHERE data -> 'tenant' $_ 't7'::text"), "$_ a text")
  foreach '=', '<>', '<', '<=', '>', '>=';

# changes that a shard can make itself
foreach my $change (q{bson_set(data, '{in,new}', '1')}, q{bson_insert(data, '{tags,0}', '"x"')}, q{data - 'none'}, q{data - '{none,nor this}'::text[]}, q{data #- '{in,none}'}, q{data || '{"new": 2}'}, q{bson_apply(data, '{"$inc": {"in.new": 1}}')})
{
	my $update = "UPDATE %s SET data = $change WHERE data -> 'tenant' = 't7'::text";
	my $result = "; SELECT md5(string_agg(data::bytea::text, ',' ORDER BY data -#> 'n')) FROM %s; ROLLBACK";

	like($main->safe_psql('postgres', "EXPLAIN (VERBOSE, COSTS OFF) " . sprintf($update, 'doc_0')), qr/Foreign Update on .*\n\s*Remote SQL: UPDATE public.doc SET data = /, "a change is shipped: $change");
	is($main->safe_psql('postgres', 'BEGIN; ' . sprintf($update . $result, 'doc', 'doc')), $main->safe_psql('postgres', 'BEGIN; ' . sprintf($update . $result, 'local', 'local')), 'and its result');
}

# Groups by a value inside are computed remotely where the table is on one server. The same of a text is not: the
# server might order texts otherwise than this one, and an ORDER BY would be sent along with the same right.
foreach my $group (q{data -> 'in' -> 'deep'}, q{data -#> 'n'}, q{bson_get_int8(data, 'in', 'deep')}, q{(data -> 'in' -> 'deep')::int})
{
	my $query = "SELECT $group AS value, count(*), bson_agg(data -> 'n' ORDER BY data -> 'n') FROM %s GROUP BY 1 HAVING count(*) > 0";

	like($main->safe_psql('postgres', 'EXPLAIN (VERBOSE, COSTS OFF) ' . sprintf($query, 'doc_0')), qr/Remote SQL: SELECT .*GROUP BY 1 HAVING/, "groups by $group");
	is($main->safe_psql('postgres', 'SELECT * FROM (' . sprintf($query, 'doc_0') . ') AS g ORDER BY 1'), $shards[0]->safe_psql('postgres', 'SELECT * FROM (' . sprintf($query, 'doc') . ') AS g ORDER BY 1'), 'and their values');
}
foreach my $query (q{SELECT data ->> 'tenant', count(*) FROM doc_0 GROUP BY 1}, q{SELECT data FROM doc_0 ORDER BY data #>> '{tenant}'})
{
	unlike($main->safe_psql('postgres', "EXPLAIN (VERBOSE, COSTS OFF) $query"), qr/Remote SQL: .*(GROUP|ORDER) BY/, "a text stays here: $query");
}

# the table of forms in doc/scaling.md says what is sent
my %query = (
	'WHERE' => [ 'SELECT count(*) FROM %s WHERE (%s)', qr/Remote SQL: .* WHERE / ],
	'SELECT' => [ 'SELECT %2$s FROM %1$s', qr/Remote SQL: SELECT \S*(sum|bson_agg)\(/ ],
	'GROUP BY' => [ 'SELECT %2$s, count(*) FROM %1$s GROUP BY 1', qr/Remote SQL: .* GROUP BY / ],
	'ORDER BY' => [ 'SELECT data FROM %s ORDER BY %s LIMIT 3', qr/Remote SQL: .* ORDER BY / ]);
my @forms = PostgreSQL::Test::Utils::slurp_file("$FindBin::RealBin/../../doc/scaling.md") =~ /^\| (WHERE|SELECT|GROUP BY|ORDER BY) \| `(.+?)` \| (yes|no) \|/mg;
cmp_ok(scalar(@forms), '>=', 60, 'the page has forms');
while (my ($clause, $form, $sent) = splice(@forms, 0, 3))
{
	my ($query, $remote) = @{ $query{$clause} };

	$form =~ s/\\\|/|/g;
	my $plan = $main->safe_psql('postgres', 'EXPLAIN (VERBOSE, COSTS OFF) ' . sprintf($query, 'doc_0', $form));
	if ($sent eq 'yes')
	{
		like($plan, $remote, "sent: $clause $form");
	}
	else
	{
		unlike($plan, $remote, "not sent: $clause $form");
	}
	$query = sprintf($query, '%s', $form =~ s/%/%%/gr) if $clause eq 'WHERE';
	is($main->safe_psql('postgres', sprintf($query, 'doc')), $main->safe_psql('postgres', sprintf($query, 'local')), 'and the answer') if $clause eq 'WHERE';
}

# conditions that are not shipped give the right answer, too
ask('text', q{SELECT data ->> 'n' AS n FROM %s WHERE data ->> 'n' = '77' ORDER BY 1}, qr/Filter: .*->>/, 2);

done_testing();
