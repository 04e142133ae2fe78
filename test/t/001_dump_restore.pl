# If this fails, pg_dump and pg_restore, or COPY, lose or change values.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use BsonTest;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
$node->safe_psql('postgres', 'CREATE DATABASE source');
create_values($node, 'source', 'v');

# other things that a dump must keep: expressions over bson in indexes, constraints, defaults, views
$node->safe_psql('source', q{
	CREATE TABLE doc (
		id int PRIMARY KEY,
		d bson NOT NULL DEFAULT '{"a": {"$numberLong": "1"}}',
		a int GENERATED ALWAYS AS (d -#> 'a') STORED,
		CHECK (d -> 'a' IS NOT NULL));
	INSERT INTO doc VALUES (1, '{"a": 5}'), (2, DEFAULT);
	CREATE INDEX doc_a ON doc ((d -#> 'a'));
	CREATE UNIQUE INDEX doc_d ON doc (d);
	CREATE VIEW over AS SELECT d ->> 'a' AS a FROM doc WHERE d -> 'a' > '0'::bson;
});

my $sum = values_sum($node, 'source', 'v');
my $defs = q{
	SELECT string_agg(def, E'\n' ORDER BY def)
	FROM (SELECT pg_get_indexdef(indexrelid) FROM pg_index JOIN pg_class ON oid = indrelid WHERE relname IN ('doc', 'v')
		UNION ALL SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'doc'::regclass
		UNION ALL SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = 'doc'::regclass
		UNION ALL SELECT pg_get_viewdef('over')) s (def)
};
my $definitions = $node->safe_psql('source', $defs);
my $rows = $node->safe_psql('source', 'SELECT id, d, a FROM doc ORDER BY id');
like($definitions, qr/-#>/, 'the definitions hold expressions on bson');

my $dir = PostgreSQL::Test::Utils::tempdir();
my @ways = (
	[ 'plain' ],
	[ 'plain --inserts', '--inserts' ],
	[ 'plain --column-inserts', '--column-inserts', '--rows-per-insert=7' ],
	[ 'custom', '-Fc' ],
	[ 'directory', '-Fd', '-j2' ]);

foreach my $way (@ways)
{
	my ($name, @options) = @$way;
	my $db = 'restored_' . ($name =~ s/\W+/_/gr);
	my $path = "$dir/$db";

	$node->safe_psql('postgres', "CREATE DATABASE $db TEMPLATE template0");
	$node->command_ok([ 'pg_dump', @options, '-f', $path, 'source' ], "pg_dump $name");
	$node->command_ok($name =~ /plain/
		? [ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', $db, '-f', $path ]
		: [ 'pg_restore', '--exit-on-error', '-d', $db, $path ], "restore $name");
	is(values_sum($node, $db, 'v'), $sum, "$name: every value has its bytes");
	is($node->safe_psql($db, $defs), $definitions, "$name: definitions are the same");
	is($node->safe_psql($db, 'SELECT id, d, a FROM doc ORDER BY id'), $rows, "$name: rows are the same");
}

# COPY, by the server to a file and back
foreach my $format ('text', 'csv', 'binary')
{
	$node->safe_psql('source', qq{
		CREATE TABLE copy_$format (LIKE v);
		COPY v TO '$dir/$format' (FORMAT $format);
		COPY copy_$format FROM '$dir/$format' (FORMAT $format);
	});
	is(values_sum($node, 'source', "copy_$format"), $sum, "COPY $format: every value has its bytes");
}

$node->stop;
done_testing();
