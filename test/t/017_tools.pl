# If this fails, a tool that reads the log of changes, the statements or the catalogs shows something unreadable for bson.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use BsonTest;

my $node = PostgreSQL::Test::Cluster->new('tools');
$node->init(allows_streaming => 'logical');

# the path of a module of the server
my $config = $ENV{PG_CONFIG} // 'pg_config';
chomp(my $lib = `$config --pkglibdir`);
sub has { my ($module) = @_; return grep { -e "$lib/$module.$_" } qw(so dylib) }

$node->append_conf('postgresql.conf', "shared_preload_libraries = 'pg_stat_statements'") if has('pg_stat_statements');
$node->start;
$node->safe_psql('postgres', q{
	CREATE EXTENSION bson;
	CREATE TABLE doc (id int PRIMARY KEY, data bson, name text GENERATED ALWAYS AS (bson_get_text(data, 'name')) STORED);
	CREATE INDEX doc_at ON doc (bson_get_timestamptz(data, 'at'));
	CREATE INDEX doc_n ON doc ((data -> 'a' -#> 'n'));
	CREATE INDEX doc_path ON doc USING gin (data bson_path_ops);
	COMMENT ON COLUMN doc.data IS 'a document';
});

# The log of changes, with the plugins that tools use: Debezium uses pgoutput, others use wal2json
my $document = q({"name": "Ada", "at": {"$date": "2024-01-02T03:04:05Z"}, "n": {"$numberLong": "15"}});
my %plugins = (
	test_decoding => [ 'get_changes', q{'skip-empty-xacts', '1'} ],
	pgoutput => [ 'get_binary_changes', q{'proto_version', '1', 'publication_names', 'pub'} ],
	wal2json => [ 'get_changes', q{'format-version', '2'} ]);

# minor releases since 2026 need a list of the plugins that may be used
if ($node->safe_psql('postgres', q{SELECT count(*) FROM pg_settings WHERE name = 'output_plugin_libraries'}))
{
	$node->append_conf('postgresql.conf', "output_plugin_libraries = 'pgoutput, test_decoding, wal2json'");
	$node->reload;
}
$node->safe_psql('postgres', 'CREATE PUBLICATION pub FOR TABLE doc');
foreach my $plugin (sort keys %plugins)
{
  SKIP:
	{
		my ($function, $options) = @{ $plugins{$plugin} };
		my $shown = $document;

		skip "$plugin is not installed", 3 unless has($plugin);
		$node->safe_psql('postgres', "SELECT pg_create_logical_replication_slot('$plugin', '$plugin')");
		$node->safe_psql('postgres', "INSERT INTO doc VALUES (1, '$document'); UPDATE doc SET data['n'] = '16' WHERE id = 1; DELETE FROM doc");
		my $data = $function eq 'get_changes' ? 'data' : q{encode(data, 'escape')};
		my $changes = $node->safe_psql('postgres', "SELECT $data FROM pg_logical_slot_$function('$plugin', NULL, NULL, $options)");
		note($changes);
		# wal2json writes a value of a type it does not know as a string of JSON
		$shown =~ s/"/\\"/g if $plugin eq 'wal2json';
		like($changes, qr/\Q$shown\E/, "$plugin shows the text of a new document");
		$shown =~ s/\{[^{]*Long.*?\}/16/;
		like($changes, qr/\Q$shown\E/, "$plugin shows the text of a changed one");
		like($changes, qr/bson/, "$plugin names the type");
	}
}

# A value that did not change and is stored out of line is not sent again
$node->safe_psql('postgres', 'ALTER TABLE doc ALTER data SET STORAGE EXTERNAL');
SKIP:
{
	skip 'test_decoding is not installed', 1 unless has('test_decoding');
	$node->safe_psql('postgres', q{
		SELECT pg_create_logical_replication_slot('toast', 'test_decoding');
		INSERT INTO doc VALUES (2, bson_build_object('name', 'long', 'x', repeat('x', 10000)));
		SELECT count(*) FROM pg_logical_slot_get_changes('toast', NULL, NULL);
		UPDATE doc SET id = 3 WHERE id = 2});
	my $changes = $node->safe_psql('postgres', q{SELECT data FROM pg_logical_slot_get_changes('toast', NULL, NULL)});
	like($changes, qr/UPDATE.*data\[bson\]:unchanged-toast-datum/, 'what did not change is not decoded');
}

# Statements that differ only in constants count as one
SKIP:
{
	skip 'pg_stat_statements is not installed', 4 unless has('pg_stat_statements');
	$node->safe_psql('postgres', 'CREATE EXTENSION pg_stat_statements; SELECT pg_stat_statements_reset()');
	foreach my $i (1, 2)
	{
		$node->safe_psql('postgres', "SELECT data -> 'k$i' ->> $i FROM doc WHERE data -#> 'n' = $i");
		$node->safe_psql('postgres', "SELECT id FROM doc WHERE data @> '{\"n\": $i}' AND data @~ '{\"n\": {\"\$gt\": $i}}'");
		$node->safe_psql('postgres', "SELECT data['a$i'][$i] FROM doc WHERE bson_get_text(data, 'a', 'b$i') = 'x$i'");
		$node->safe_psql('postgres', "UPDATE doc SET data = bson_set(data, '{a$i}', '$i')");
	}
	foreach my $statement (
		'SELECT data -> $1 ->> $2 FROM doc WHERE data -#> $3 = $4',
		'SELECT id FROM doc WHERE data @> $1 AND data @~ $2',
		'SELECT data[$1][$2] FROM doc WHERE bson_get_text(data, $3, $4) = $5',
		'UPDATE doc SET data = bson_set(data, $1, $2)')
	{
		is( $node->safe_psql('postgres', "SELECT calls FROM pg_stat_statements WHERE query = \$q\$$statement\$q\$"), '2',
			"one statement: $statement");
	}
}

# psql's descriptions, which users read and paste into scripts
my $table = $node->safe_psql('postgres', "\\pset tuples_only off\n\\d+ doc");
note($table);
like($table, qr/data\|bson\|.*external/, 'psql: the column');
like($table, qr/bson_get_text\(data, VARIADIC ARRAY\['name'::text\]\)/, 'psql: a generated column');
like($table, qr/"doc_at" btree \(bson_get_timestamptz\(data, VARIADIC ARRAY\['at'::text\]\)\)/, 'psql: an index on a getter');
like($table, qr/"doc_n" btree \(\(\(data -> 'a'::text\) -#> 'n'::text\)\)/, 'psql: an index on a chain, as it was written');
like($table, qr/"doc_path" gin \(data bson_path_ops\)/, 'psql: a GIN index');
like($node->safe_psql('postgres', '\dT bson'), qr/^public\|bson\|\w+/, 'psql: the type has a description');
like($node->safe_psql('postgres', '\do @~'), qr/^public\|@~\|bson\|bson\|boolean\|\w+/m, 'psql: an operator has one');
like($node->safe_psql('postgres', '\dAc gin bson'), qr/gin\|bson\|bytea\|bson_ops\|yes/, 'psql: the operator classes');
like($node->safe_psql('postgres', '\dC bson'), qr/bson\|jsonb\|/, 'psql: the casts');
like($node->safe_psql('postgres', '\dx bson'), qr/^bson\|1\.\d+\|.*BSON/m, 'psql: the extension');

# a tool that knows only JSON uses a cast to JSON
is($node->safe_psql('postgres', "SELECT row_to_json(d) FROM (SELECT '$document'::bson AS data) AS d"),
	'{"data":{"name": "Ada", "at": {"$date": "2024-01-02T03:04:05Z"}, "n": 15}}', 'JSON of a row holds a document, not a string');

done_testing();
