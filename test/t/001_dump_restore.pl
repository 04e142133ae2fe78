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

# what is dumped without the schema of an operator: the query of doc/migrating.md finds it, and what the page advises instead is restored
my ($query) = do { local (@ARGV, $/) = "$FindBin::RealBin/../../doc/migrating.md"; <> } =~ /(WITH tree \(class.*?;)\n```/s;
my %wrong = (
	'trigger' => 'TRIGGER wrong AFTER UPDATE ON audited FOR EACH ROW WHEN (OLD.data IS DISTINCT FROM NEW.data) EXECUTE FUNCTION note()',
	'view' => q(VIEW wrong AS SELECT NULLIF(data, '{}') AS data FROM audited),
	'view field' => q(VIEW wrong AS SELECT id FROM audited WHERE data -> 'a' IS NOT DISTINCT FROM 'x'::text),
	'view case' => q(VIEW wrong AS SELECT CASE data WHEN '{}' THEN 1 END AS n FROM audited),
	'view using' => 'VIEW wrong AS SELECT a.id FROM audited AS a JOIN audited AS b USING (id, data)',
	'view row' => q(VIEW wrong AS SELECT id FROM audited WHERE (data, id) < ('{}'::bson, 5)),
	'rule' => 'RULE wrong AS ON UPDATE TO audited WHERE NEW.data IS DISTINCT FROM OLD.data DO ALSO DELETE FROM audited WHERE false',
	'policy' => q(POLICY wrong ON audited USING (NULLIF(data, '{}') IS NOT NULL)),
	'function' => q(FUNCTION wrong(a bson) RETURNS bson BEGIN ATOMIC SELECT NULLIF(a, '{}'); END),
	'index' => q(INDEX wrong ON audited ((NULLIF(data, '{}')))));
my @right = (
	'TRIGGER a AFTER UPDATE ON audited FOR EACH ROW WHEN (OLD.data <> NEW.data) EXECUTE FUNCTION note()',
	'TRIGGER b AFTER UPDATE ON audited FOR EACH ROW WHEN (OLD.data::bytea IS DISTINCT FROM NEW.data::bytea) EXECUTE FUNCTION note()',
	'TRIGGER c AFTER UPDATE ON audited FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION note()',
	q(VIEW d AS SELECT CASE WHEN data = '{}' THEN NULL ELSE data END AS data, CASE WHEN data = '{}' THEN 1 END AS n FROM audited),
	q(VIEW e AS SELECT a.id FROM audited AS a JOIN audited AS b ON a.data = b.data WHERE a.data < '{}' OR a.data = '{}' AND a.id < 5 OR a.data ->> 'a' IS DISTINCT FROM 'x'),
	q(VIEW f AS SELECT id FROM audited WHERE data IN ('{}', '{"a": 1}') OR data IN (SELECT data FROM audited) OR data BETWEEN '{}' AND '{"a": 2}'),
	q(RULE g AS ON UPDATE TO audited WHERE NEW.data <> OLD.data DO ALSO DELETE FROM audited WHERE false),
	q(POLICY h ON audited USING (data <> '{}')),
	q(FUNCTION i(a bson) RETURNS bson BEGIN ATOMIC SELECT CASE WHEN a = '{}' THEN NULL ELSE a END; END),
	q(FUNCTION j(a bson) RETURNS bson LANGUAGE plpgsql AS 'BEGIN RETURN NULLIF(a, ''{}''); END'));
my $tables = q{CREATE EXTENSION bson; CREATE TABLE audited (id int PRIMARY KEY, data bson NOT NULL);
	CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';};

# Dump a database with these objects into another; how that ended, and what the query finds
sub moved
{
	$node->safe_psql('postgres', 'DROP DATABASE IF EXISTS forms');
	$node->safe_psql('postgres', 'DROP DATABASE IF EXISTS forms_again');
	$node->safe_psql('postgres', "CREATE DATABASE $_ TEMPLATE template0") foreach 'forms', 'forms_again';
	$node->safe_psql('forms', $tables . join ';', map { "CREATE $_" } @_);
	$node->command_ok([ 'pg_dump', '-f', "$dir/forms.sql", 'forms' ], 'pg_dump');
	return (system("psql -Xq -v ON_ERROR_STOP=1 -d forms_again -f $dir/forms.sql >/dev/null 2>&1") == 0, $node->safe_psql('forms', $query));
}
$ENV{PGHOST} = $node->host;
$ENV{PGPORT} = $node->port;
foreach my $kind (sort keys %wrong)
{
	my ($restored, $found) = moved($wrong{$kind});
	ok(!$restored, "$kind: a dump of it fails");
	like($found, qr/^[^\n]*wrong[^\n]*$/, 'and the query finds it');
}
my ($restored, $found) = moved(@right);
ok($restored, 'what is advised instead is restored');
is($found, '', 'and the query finds nothing');

$node->stop;
done_testing();
