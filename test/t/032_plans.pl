# If this fails, a plan that the extension changed outlives what it depends on, gives somebody other rights than what was written, or was changed while others hold it.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use BsonTest;

my $node = PostgreSQL::Test::Cluster->new('main');

$node->init;
$node->append_conf('postgresql.conf', 'track_functions = all');
$node->start;
$ENV{PGHOST} = $node->host;
$ENV{PGPORT} = $node->port;
$ENV{PGDATABASE} = 'postgres';
$node->safe_psql('postgres', q{
	CREATE EXTENSION bson;
	CREATE TABLE t (id int, d bson);
	INSERT INTO t SELECT i, bson_build_object('n', i, 'o', bson_build_object('p', i::text)) FROM generate_series(1, 10) AS i;
	CREATE FUNCTION sql_n() RETURNS bson STABLE LANGUAGE sql AS $$ SELECT bson_build_object('n', 1) $$;
	CREATE FUNCTION sql_p(bson) RETURNS text IMMUTABLE LANGUAGE sql AS $$ SELECT $1 -> 'o' ->> 'p' $$;
	CREATE ROLE reader;
	GRANT SELECT, UPDATE ON t TO reader});

# What a new session prints; a line '\! psql ...' in it is another session
sub session { return session_of($node, $_[0], qr/(?:LINE|DETAIL|HINT|CONTEXT|QUERY|PL|SQL) /) }

# A function that a plan calls, made anew by another session
my %calls = (bson_walk_as => q{(d -> 'o' ->> 'p')::int}, bson_walk_equals => q{(d -> 'o' ->> 'p' = '3')::int}, bson_walk_text => q{length(d -> 'o' ->> 'p')}, bson_walk_to_int4 => q{(d -> 'n')::int});
foreach my $name (sort keys %calls)
{
	my $query = "SELECT sum($calls{$name}) FROM t";
	my $definition = $node->safe_psql('postgres', "SELECT pg_get_functiondef(oid) FROM pg_proc WHERE proname = '$name'");
	my $like = $node->safe_psql('postgres', "SELECT oid::regprocedure FROM pg_proc WHERE proname = '$name'");
	my $file = PostgreSQL::Test::Utils::tempdir() . "/$name.sql";

	PostgreSQL::Test::Utils::append_to_file($file, "BEGIN; ALTER EXTENSION bson DROP FUNCTION $like; DROP FUNCTION $like; $definition; ALTER EXTENSION bson ADD FUNCTION $like; COMMIT;");
	my $out = session(qq{
		SET plan_cache_mode = force_generic_plan;
		PREPARE q AS $query;
		EXPLAIN (VERBOSE, COSTS OFF) EXECUTE q;
		EXECUTE q;
		\\! psql -Xqf $file
		EXECUTE q;
		EXECUTE q});
	like($out, qr/$name\(/, "a plan calls $name");
	like($out, qr/^(\d+)\n\1\n\1$/m, 'and is made anew if that is');
}

# Rights: refused is what was written, of whatever the plan would have made
my @queries = (
	[ 'bson_object_field_text(bson, text)', q{SELECT sum((d ->> 'n')::int) FROM t} ],
	[ 'bson_object_field_text(bson, text)', q{SELECT max(d -> 'o' ->> 'p') FROM t} ],
	[ 'bson_object_field(bson, text)', q{SELECT max(d -> 'o' ->> 'p') FROM t} ],
	[ 'bson_object_field(bson, text)', q{SELECT sum((d -> 'n')::int) FROM t} ],
	[ 'bson_object_field(bson, text)', q{SELECT sum((d -> 'o' ->> 'p')::int) FROM t} ],
	# of two chains that have a function in common
	[ 'bson_extract_path(bson, text[])', q{SELECT max(d -> 'o' ->> 'p') || max(d #> '{o}' ->> 'p') FROM t} ],
	[ 'bson_object_field_text(bson, text)', q{SELECT max(d -> 'o' ->> 'p') || max(d #> '{o}' ->> 'p') FROM t} ],
	[ 'bson_to_int4(bson)', q{SELECT sum((d -> 'n')::int) FROM t} ],
	[ 'bson_extract_path_text(bson, text[])', q{SELECT sum((d #>> '{o,p}')::int) FROM t} ],
	[ 'bson_build_object("any")', q{SELECT count(*) FROM t WHERE d @> bson_build_object('n', 1)} ],
	# functions of the server, which a fused comparison no longer calls
	[ 'texteq(text, text)', q{SELECT count(*) FROM t WHERE d ->> 'n' = '3'} ],
	[ 'texteq(text, text)', q{SELECT count(*) FROM t WHERE d ->> 'n' IN ('3', '4')} ],
	[ 'textne(text, text)', q{SELECT count(*) FROM t WHERE d ->> 'n' <> '3'} ],
	# in functions that the planner puts in their place
	[ 'bson_build_object("any")', q{SELECT count(*) FROM t WHERE d @> sql_n()} ],
	[ 'bson_object_field(bson, text)', q{SELECT max(sql_p(d)) FROM t} ]);
foreach my $each (@queries)
{
	my ($function, $query) = @$each;
	my ($name) = $function =~ /(\w+)/;
	my $revoke = qq{\\! psql -Xqc 'REVOKE EXECUTE ON FUNCTION $function FROM PUBLIC'\n};
	my $grant = qq{\\! psql -Xqc 'GRANT EXECUTE ON FUNCTION $function TO PUBLIC'\n};
	my $result = $node->safe_psql('postgres', $query);

	is(session("SET plan_cache_mode = force_generic_plan;\nPREPARE q AS $query;\nEXECUTE q;\nSET ROLE reader;\nEXECUTE q;\n${revoke}EXECUTE q;\nRESET ROLE;\nEXECUTE q;\nSET ROLE reader;\nEXECUTE q;\n$query;\n${grant}EXECUTE q;"),
		"$result\n" x 4 . join("\n", ("ERROR:  permission denied for function $name") x 3), "without $name: $query");
	# who may execute it, but not everybody may
	is(session("${revoke}\\! psql -Xqc 'GRANT EXECUTE ON FUNCTION $function TO reader'\nSET ROLE reader;\n$query;\n\\! psql -Xqc 'REVOKE EXECUTE ON FUNCTION $function FROM reader'\n$query;\n$grant"),
		"$result\nERROR:  permission denied for function $name", 'but who has the right reads');
}
foreach my $helper ('bson_walk_as', 'bson_walk_equals', 'bson_walk_text', 'bson_walk', 'bson_walk_to_int4')
{
	my $of = $node->safe_psql('postgres', "SELECT oid::regprocedure FROM pg_proc WHERE proname = '$helper'");
	my $query = q{SELECT sum((d ->> 'n')::int), max(d -> 'o' ->> 'p'), sum((d -> 'n')::int), max((d -> 'o' -> 'p')::text), bool_or(d ->> 'n' = '3') FROM t};

	my $out = session("SET plan_cache_mode = force_generic_plan; PREPARE q AS $query; EXECUTE q;\n\\! psql -Xqc 'REVOKE EXECUTE ON FUNCTION $of FROM PUBLIC'\n"
		. "SET ROLE reader; EXECUTE q; $query;\n\\! psql -Xqc 'GRANT EXECUTE ON FUNCTION $of TO PUBLIC'\nEXPLAIN (VERBOSE, COSTS OFF) EXECUTE q");

	like($out, qr/^(55\|9\|55\|"9"\|t\n){3}Aggregate/, "nobody needs the right to execute $helper");
	like($out, qr/Output: .*\b$helper\(/, 'which is called again when all have it');
}

# A plan that is kept is not changed when it is executed; the statement that loads the library is fast all the same
my $show = q{EXPLAIN (VERBOSE, COSTS OFF) EXECUTE q};
my @begun = (q{SET plan_cache_mode = force_generic_plan; BEGIN; PREPARE q AS SELECT (d ->> 'n')::int FROM t WHERE id < 3}, "$show; EXECUTE q");
like(session("$begun[0]; $begun[1]; SET bson.fuse_casts = off; $show; COMMIT"),
	qr/Output: \(bson_walk_as\(d, 'n'::text\)\)::integer.*^1\n2\n.*Output: \(\(d ->> 'n'::text\)\)::integer/ms, 'what is kept is as it was made, what is executed is changed');
like(session("$begun[0]; $begun[1]; COMMIT; $show"), qr/bson_walk_as.*bson_walk_as/s, 'after the transaction it is made anew');
# Planning the first statement runs another, which is the one that loads the library
$node->safe_psql('postgres', q{CREATE FUNCTION inner_n() RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT (d ->> 'n')::int FROM t WHERE id = 2); END $$});
like(session(q{EXPLAIN (VERBOSE, COSTS OFF) SELECT (d ->> 'n')::int FROM t WHERE id = inner_n()}), qr/bson_walk_as.*id = 2/s, 'though its planning executes another');
# PL/pgSQL executes such an expression itself.  A database of its own has no other calls.
$node->safe_psql('postgres', 'CREATE DATABASE counted');
$node->safe_psql('counted', q{CREATE EXTENSION bson; CREATE TABLE t (d bson); INSERT INTO t VALUES ('{"n": 1}'), ('{"n": "2"}');
	CREATE FUNCTION of_plpgsql(d bson) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN (d ->> 'n')::int; END $$});
is($node->safe_psql('counted', "SELECT sum(of_plpgsql(d)) FROM t;\nSELECT sum(of_plpgsql(d)) FROM t;\nSELECT pg_stat_force_next_flush();\nSELECT calls FROM pg_stat_user_functions WHERE funcname = 'bson_walk_as'"),
	"3\n3\n\n2", 'an expression of PL/pgSQL that loads the library is made anew after the transaction');

# A row that another session has changed meanwhile is tested again
foreach my $fuse ('on', 'off')
{
	my $file = PostgreSQL::Test::Utils::tempdir() . "/$fuse";

	$node->safe_psql('postgres', q{UPDATE t SET d = bson_build_object('n', id)});
	session(qq{LOAD 'bson'; BEGIN; UPDATE t SET d = bson_build_object('n', (d ->> 'n')::int + 1) WHERE (d ->> 'n')::int < 4;
\\! (psql -XAtqc "SET bson.fuse_casts = $fuse; UPDATE t SET d = bson_build_object('n', 100 + (d ->> 'n')::int) WHERE (d ->> 'n')::int < 3" >$file.out 2>&1; touch $file.done) &
DO \$\$ BEGIN WHILE NOT EXISTS (SELECT FROM pg_locks WHERE NOT granted) LOOP PERFORM pg_sleep(0.01); END LOOP; END \$\$; COMMIT;
\\! while [ ! -f $file.done ]; do sleep 0.01; done});
	is(PostgreSQL::Test::Utils::slurp_file("$file.out") . $node->safe_psql('postgres', q{SELECT string_agg(d ->> 'n', ' ' ORDER BY id) FROM t WHERE id < 5}),
		'102 3 4 4', "fuse_casts $fuse: of the rows that another session has changed, those are updated that still qualify");
}
$node->stop;
done_testing();
