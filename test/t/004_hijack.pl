# If this fails, a user who can create objects in a schema becomes superuser by a script or tool that a superuser runs.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use BsonTest;
use DumpTest;

plan skip_all => 'no python3' if system('python3 -c "import gzip" 2>/dev/null');

my $node = PostgreSQL::Test::Cluster->new('main');
my $dir = PostgreSQL::Test::Utils::tempdir();
my $top = "$FindBin::RealBin/../..";
my $tool = "$top/src/tools/bson-copy";

$node->init;
$node->start;
$ENV{PGHOST} = $node->host;
$ENV{PGPORT} = $node->port;
$node->safe_psql('postgres', 'CREATE ROLE mallory LOGIN');

# In a schema, whatever fits better than the server's: operators of these names and functions of all names that the scripts
# and the tool use, for every pair of these types that the server itself has none for.  A call of one is an error.
sub plant
{
	my ($db, $schema, @types) = @_;
	my @names = ('||', '=', '<>', '<', '>', '<=', '>=', '~', '!~', '@>', '<@', '~~', '!~~', '+', '-', '->', '->>', '#>', '#>>', '@~', '@@', '&&');
	my $words = join ' ', map { slurp_raw($_) } "$top/sql/bson_jsonb.sql", "$top/sql/bson--1.0.sql", glob("$top/src/tools/bson_copy/*.py");
	my %called = map { $_ => 1 } $words =~ /\b([a-z_]\w+)\(/g;
	my $list = join ',', map { "'$_'" } sort keys %called;
	my $types = join ',', map { "'$_'" } @types;
	my $operators = join ',', map { "'$_'" } @names;

	return $node->safe_psql($db, qq{
		SET ROLE mallory;
		SET search_path = pg_catalog;
		DO \$plant\$
		DECLARE
			a text; b text; n text; each record; planted int := 0;
			trap text := ' LANGUAGE plpgsql AS \$\$ BEGIN RAISE EXCEPTION ''hijacked''; END \$\$';
		BEGIN
			FOREACH a IN ARRAY ARRAY[$types] LOOP
				FOREACH b IN ARRAY ARRAY[$types] LOOP
					EXECUTE format('CREATE FUNCTION $schema.trap(%s, %s) RETURNS text %s', a, b, trap);
					EXECUTE format('CREATE FUNCTION $schema.trap_boolean(%s, %s) RETURNS boolean %s', a, b, trap);
					FOREACH n IN ARRAY ARRAY[$operators] LOOP
						CONTINUE WHEN EXISTS (SELECT FROM pg_operator WHERE oprname = n AND oprleft = a::regtype AND oprright = b::regtype AND oprnamespace IN ('pg_catalog'::regnamespace, '$schema'::regnamespace));
						EXECUTE format('CREATE OPERATOR $schema.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = $schema.%s)', n, a, b,
							CASE WHEN n IN ('||', '+', '-', '->', '->>', '#>', '#>>') THEN 'trap' ELSE 'trap_boolean' END);
						planted := planted + 1;
					END LOOP;
				END LOOP;
			END LOOP;
			-- functions with one and two arguments
			FOR each IN SELECT DISTINCT proname FROM pg_proc WHERE proname IN ($list) AND prokind = 'f' AND proname !~ '^trap' LOOP
				FOREACH a IN ARRAY ARRAY[$types] LOOP
					FOR b IN SELECT '' UNION ALL SELECT ', ' || unnest(ARRAY[$types]) LOOP
						CONTINUE WHEN to_regprocedure(format('pg_catalog.%I(%s%s)', each.proname, a, b)) IS NOT NULL
							OR to_regprocedure(format('$schema.%I(%s%s)', each.proname, a, b)) IS NOT NULL;
						EXECUTE format('CREATE FUNCTION $schema.%I(%s%s) RETURNS text %s', each.proname, a, b, trap);
						planted := planted + 1;
					END LOOP;
				END LOOP;
			END LOOP;
			RAISE LOG 'planted %', planted;
		END \$plant\$;
		RESET ROLE;
		SELECT (SELECT count(*) FROM pg_proc WHERE pronamespace = '$schema'::regnamespace) > 1000 AND (SELECT count(*) FROM pg_operator WHERE oprnamespace = '$schema'::regnamespace) > 1000});
}

# Pipelines of all kinds, called so that no other function fits: what others have in the schema of the extension is an error,
# whatever is in the search path is not called.  A call that leaves out arguments with defaults may be ambiguous then.
sub read_pipelines
{
	my ($db, $home) = @_;
	my @pipelines = (
		'[{"$group": {"_id": "$a"}}]', '[{"$count": "n"}]', '[{"$group": {"_id": null, "n": {"$sum": 1}, "l": {"$push": "$a"}}}]', '[{"$set": {"x": {"$add": ["$a", 1]}}}]',
		'[{"$lookup": {"from": "public.pet", "localField": "a", "foreignField": "a", "as": "x"}}]', '[{"$lookup": {"from": "public.pet", "localField": "a", "foreignField": "_id", "as": "x"}}, {"$unwind": "$x"}]',
		'[{"$lookup": {"from": "public.pet", "let": {"a": "$a"}, "pipeline": [{"$match": {"$expr": {"$eq": ["$_id", "$$a"]}}}], "as": "x"}}]', '[{"$facet": {"f": [{"$match": {"a": 1}}], "g": [{"$sort": {"a": 1}}]}}]',
		'[{"$graphLookup": {"from": "public.pet", "startWith": "$a", "connectFromField": "a", "connectToField": "_id", "as": "x", "depthField": "d", "maxDepth": 2}}]',
		'[{"$setWindowFields": {"partitionBy": "$a", "sortBy": {"_id": 1}, "output": {"r": {"$rank": {}}, "p": {"$shift": {"output": "$a", "by": -1}}, "s": {"$sum": "$a", "window": {"documents": [-1, "current"]}}}}}]',
		'[{"$bucket": {"groupBy": "$_id", "boundaries": [0, 5, 10], "default": 99}}]', '[{"$sortByCount": "$a"}, {"$unionWith": "public.pet"}, {"$limit": 3}]');

	$node->safe_psql($db, "CREATE TABLE public.pet (data $home.bson); INSERT INTO public.pet VALUES ('{\"_id\": 1, \"a\": 1}')");
	foreach my $call (map { my $p = $_; map { "$_('public.pet'::regclass, '$p'::$home.bson, NULL::name)" } 'bson_aggregate', 'bson_pipeline_sql' } @pipelines)
	{
		my ($status, $out, $err) = $node->psql($db, "SET search_path = " . ($home eq 'ext' ? 'public, pg_catalog' : 'pg_catalog') . "; SELECT $home.$call");
		my $fine = $status == 0 || ($home ne 'ext' && $err =~ /ERROR:  function .* (would be called instead of one of the extension bson|is not unique)/);

		ok($fine && $err !~ /hijacked/, "$home.$call") or diag($err);
	}
}

# a dump that uses everything: kinds of indexes, long values, validators, JSON
my $o = '{"$numberInt":"1"}';
my $long = join '', map { sprintf '%08x', ($_ * 2654435761) % 4294967291 } 1 .. 500;
mkdir $_ foreach "$dir/dump", "$dir/dump/app";
spew("$dir/dump/app/person.bson", join '', map { document([ 16, '_id', pack('l<', $_) ], [ 2, 'name', bson_string("person $_") ], [ 18, 'n', pack('q<', $_) ]) } 1 .. 10);
spew("$dir/dump/app/person.metadata.json", qq({"options":{"validator":{"n":{"\$gte":$o}}},"indexes":[) . join(',',
	qq({"key":{"n":$o},"name":"n_1","unique":true}),
	qq({"key":{"name":{"\$numberInt":"-1"},"n":$o},"name":"name_-1_n_1"}),
	qq({"key":{"x.y":$o},"name":"x.y_1","sparse":true}),
	qq({"key":{"x.z":$o},"name":"x.z_1","sparse":true,"unique":true}),
	qq({"key":{"n":$o},"name":"part","partialFilterExpression":{"n":{"\$gt":{"\$numberInt":"30"}}}}),
	qq({"key":{"name":"hashed"},"name":"name_hashed"}),
	qq({"key":{"\$**":$o},"name":"\$**_1"}),
	qq({"key":{"_fts":"text","_ftsx":$o},"name":"name_text","weights":{"name":$o,"a.b":$o}}),
	qq({"key":{"at":$o},"name":"at_1","expireAfterSeconds":{"\$numberInt":"3600"}})) . ']}');
spew("$dir/dump/app/long.bson", document([ 2, '_id', bson_string($long) ], [ 2, 't', bson_string($long) ]));
spew("$dir/dump/app/long.metadata.json", qq({"options":{"validator":{"\$where":"1"}},"indexes":[{"key":{"t":$o},"name":"t_1","unique":true},{"key":{"t":$o},"name":"t_2"}]}));
spew("$dir/dump/app/few.metadata.json", '{"options":{"viewOn":"person","pipeline":[{"$match":{"n":{"$gt":5}}},{"$lookup":{"from":"long","localField":"_id","foreignField":"t","as":"l"}},{"$group":{"_id":"$l","n":{"$sum":"$n"}}}]},"type":"view"}');
spew("$dir/dump/app/visit.json", '{"_id": 1, "d": 37.774929499999999}');

# an oplog and events that use every kind of change
sub change
{
	my ($op, $o, $o2) = @_;
	return document([ 17, 'ts', pack('L<L<', 1, 1700000000) ], [ 2, 'op', bson_string($op) ], [ 2, 'ns', bson_string($op eq 'c' ? 'admin.$cmd' : 'app.person') ], [ 3, 'o', $o ], ($o2 ? [ 3, 'o2', $o2 ] : ()));
}
my $key = document([ 16, '_id', pack('l<', 1) ]);
my $n = document([ 16, 'n', pack('l<', 70) ]);
my $whole = document([ 16, '_id', pack('l<', 20) ], [ 16, 'n', pack('l<', 20) ]);
my $delta = document([ 16, '$v', pack('l<', 2) ], [ 3, 'diff', document([ 3, 'u', $n ]) ]);
my $old = document([ 16, '$v', pack('l<', 2) ], [ 3, 'diff', document([ 3, 'u', $n ], [ 3, 'sname', document([ 3, 'u', $n ]) ]) ]);
my $set = document([ 16, '$v', pack('l<', 1) ], [ 3, '$set', $n ], [ 3, '$unset', document([ 8, 'x', "\1" ]) ]);
spew("$dir/oplog.bson", join '', change('i', $whole), change('u', $delta, $key), change('u', $old, $key), change('u', $set, $key),
	change('c', document([ 4, 'applyOps', document([ 3, '0', document([ 2, 'op', bson_string('d') ], [ 2, 'ns', bson_string('app.person') ], [ 3, 'o', document([ 16, '_id', pack('l<', 20) ]) ]) ]) ])));
spew("$dir/events.json", <<'END');
{"_id": {"_data": "83"}, "operationType": "update", "ns": {"db": "app", "coll": "person"}, "documentKey": {"_id": 2}, "updateDescription": {"updatedFields": {"n": 90, "l": [1, 2, 3]}, "removedFields": ["q"], "truncatedArrays": []}}
{"_id": {"_data": "84"}, "operationType": "update", "ns": {"db": "app", "coll": "person"}, "documentKey": {"_id": 2}, "updateDescription": {"updatedFields": {}, "removedFields": [], "truncatedArrays": [{"field": "l", "newSize": 2}]}}
END

my @types = ('text', 'name', 'oid', 'integer', 'bigint', 'smallint', 'boolean', '"char"', 'regclass', 'regtype', 'regnamespace', 'regconfig', 'oid[]', 'oidvector', 'text[]', 'varchar', 'xid', 'jsonb', 'json', 'tsvector', 'tsquery');

# before the extension is there, and again for its own type
$node->safe_psql('postgres', 'CREATE DATABASE planted');
$node->safe_psql('planted', 'GRANT CREATE ON SCHEMA public TO PUBLIC');
is(plant('planted', 'public', @types), 't', 'operators and functions are planted');

# The extension in the schema where everybody may create, and in another one that comes after it
foreach my $home ('public', 'ext')
{
	my $db = "in_$home";
	my $environment = "PGDATABASE=$db";

	$node->safe_psql('postgres', "CREATE DATABASE $db TEMPLATE planted");
	$node->safe_psql($db, "ALTER DATABASE $db SET search_path = public, ext; CREATE SCHEMA IF NOT EXISTS ext");
	is($node->psql($db, "CREATE EXTENSION bson SCHEMA $home", on_error_stop => 1), 0, 'the extension is installed');
	$node->safe_psql($db, "GRANT USAGE ON SCHEMA $home TO PUBLIC");
	$node->safe_psql($db, q{SET ROLE mallory; DO $$ DECLARE f regprocedure; BEGIN
		FOR f IN SELECT oid FROM pg_catalog.pg_proc WHERE pronamespace OPERATOR(pg_catalog.=) 'public'::regnamespace::pg_catalog.oid
			AND proname IN ('trap', 'trap_boolean') LOOP EXECUTE pg_catalog.format('DROP FUNCTION %s CASCADE', f); END LOOP; END $$});
	is(plant($db, 'public', 'text', 'name', 'integer', 'text[]', 'jsonb', 'oid', 'regclass', 'oid[]', 'regnamespace', 'oidvector', 'xml', 'varchar', 'bigint', "$home.bson", "$home.bson[]"), 't', 'they are planted for its type, too');
	is(system("psql -Xq -v ON_ERROR_STOP=1 -d $db -f $top/sql/bson_jsonb.sql 2>$dir/said"), 0, 'bson_jsonb.sql calls the server\'s only') or diag(slurp_raw("$dir/said"));
	is($node->safe_psql($db, "SET search_path = pg_catalog; SELECT count(*) > 50 FROM pg_proc WHERE pronamespace = 'bson_jsonb'::regnamespace"), 't', 'and makes its functions');
	read_pipelines($db, $home);
	is(system("$environment python3 $tool --restore $dir/dump --schema restored >$dir/out 2>$dir/said"), 0, 'so does bson-copy --restore') or diag(slurp_raw("$dir/said"));
	unlike(slurp_raw("$dir/said"), qr/hijack/, 'in all that it makes');
	is($node->safe_psql($db, "SET search_path = pg_catalog; SELECT count(*) FROM pg_indexes WHERE schemaname = 'restored'"), '14', 'which is everything');
	my ($status, $few, $said) = $node->psql($db, 'SELECT data FROM restored.few');
	ok($said !~ /hijacked/ && ($home eq 'ext' ? $few eq '{"_id": [], "n": {"$numberLong": "40"}}' : $status == 0 || $said =~ /ERROR:  function .* (would be called instead of one of the extension bson|is not unique)/),
		'a view calls the extension\'s functions, or none') or diag($few, $said);
	is(system("$environment python3 $tool --restore $dir/dump --schema restored >$dir/out 2>$dir/said"), 0, 'again') or diag(slurp_raw("$dir/said"));
	foreach my $changes ('oplog.bson', 'events.json')
	{
		is(system("$environment python3 $tool --apply $dir/$changes --schema restored >$dir/out 2>$dir/said"), 0, "--apply of $changes") or diag(slurp_raw("$dir/said"));
	}
	is($node->safe_psql($db, "SELECT string_agg(data::text, ' ') FROM restored.person WHERE data OPERATOR($home.->) '_id'::text OPERATOR($home.<) '3'::$home.bson"), '{"_id": 1, "name": "person 1", "n": 70} {"_id": 2, "name": "person 2", "n": 90, "l": [1, 2]}', 'makes the changes');
	is(system("$environment python3 $tool --dump $dir/out.$home --schema restored >$dir/out 2>$dir/said"), 0, 'and --dump') or diag(slurp_raw("$dir/said"));
	is(system("$environment python3 $tool --dump --archive - --schema restored 2>>$dir/said | $environment python3 $tool --restore --schema again 2>>$dir/said"), 0, 'and a pipe') or diag(slurp_raw("$dir/said"));
}

# the benchmarks make databases of their own, but have to begin in one that is not
is(`cd $top/bench && PGDATABASE=in_public python3 -c "import harness; print(harness.psql('SHOW search_path', 'postgres')[0].strip())"`, "pg_catalog\n", 'the benchmarks call the server\'s, too');

done_testing();
