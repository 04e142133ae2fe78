# If this fails, a value that is too large, nests too deeply or needs too much memory crashes the server.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use BsonTest;

my $megabytes = $ENV{BSON_LIMITS_MB} || 6;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "statement_timeout = 300s\nmax_stack_depth = 2MB\nautovacuum = off");
$node->start;
$node->safe_psql('postgres', q{
	CREATE EXTENSION bson;
	-- what comes of an expression, its result thrown away
	CREATE FUNCTION try(expression text) RETURNS text LANGUAGE plpgsql AS $$
	BEGIN
		EXECUTE 'SELECT count(x::text) FROM (SELECT ' || expression || ' FROM input OFFSET 0) s (x)';
		RETURN 'answer';
	EXCEPTION WHEN OTHERS THEN
		RETURN SQLSTATE;
	END $$;
});

# Lists of "SQLSTATE: number of times", and whether the server still runs
sub run_limited
{
	my ($name, $sql, @allowed) = @_;
	my ($out, $err);
	my $status = $node->psql('postgres', $sql, stdout => \$out, stderr => \$err, on_error_stop => 1, timeout => 600);
	my %seen;

	$seen{$_}++ foreach grep { /./ } split /\n/, $out // '';
	is($status, 0, "$name: the session lives") or diag($err);
	foreach my $state (sort keys %seen)
	{
		ok((grep { $_ eq $state } @allowed), "$name: $seen{$state} times $state");
	}
	return \%seen;
}

# 1.  Memory runs out at every point while a large value is made, in a library's
# malloc or in palloc.  The limit is that of the process, and is raised step by
# step.
my @makes = (
	q{bson_in(json::cstring)},
	q{(SELECT bson_in(json::cstring) FROM (SELECT set_config('bson.json_parser', 'json-c', true)) s)},
	q{(b)::text}, q{b::json}, q{b::jsonb}, q{b::jsonb::bson}, q{bson_to_extjson(b, 'canonical')}, q{bson_pretty(b)},
	q{bson_set(b, '{0,new}', b)}, q{b || b}, q{b - 0}, q{bson_insert(b, '{0}', b)}, q{bson_strip_nulls(b)},
	q{bson_build_array(b, b)}, q{(SELECT bson_agg(c) FROM (SELECT b AS c FROM generate_series(1, 5)) s)}, q{(SELECT count(*) FROM bson_array_elements(b))},
	q{b -> -1}, q{b #> '{-1,a}'}, q{b @> '[{"s": "xyz"}]'}, q{bson_hash(b)}, q{bson_path_query_array(b, '$[*].s')},
	q{to_bson(ARRAY[b, b, b])}, q{bson_send(b)}, q{b::bytea::bson});
# a table of many or few rows made into one list, in a schema of its own
sub create_input
{
	my ($schema, $rows) = @_;

	$node->safe_psql('postgres', qq{
		CREATE SCHEMA $schema;
		CREATE TABLE $schema.input AS
		SELECT json, bson_in(json::cstring) AS b
		FROM (SELECT '[' || string_agg('{"a": [1, 2.5, {"\$numberLong": "5"}, null], "s": "' || repeat('xyz', n % 50) || '", "n": ' || n || '}', ', ') || ']' AS json
			FROM generate_series(1, $rows) n) s});
}

SKIP:
{
	skip 'no prlimit', 3 if system('prlimit --version >/dev/null 2>&1') != 0;

	create_input('few', 5);
	create_input('many', $megabytes * 7000);
	$node->safe_psql('postgres', q{
		CREATE FUNCTION limit_to(room bigint) RETURNS void LANGUAGE plpgsql AS $$
		DECLARE
			size bigint := substring(pg_read_file('/proc/' || pg_backend_pid() || '/status') FROM 'VmSize:\s+(\d+)')::bigint * 1024;
		BEGIN
			EXECUTE format('COPY (SELECT 1) TO PROGRAM %L', 'cat >/dev/null; prlimit --as=' || size + room || ' --pid ' || pg_backend_pid());
		END $$});
	my %seen;
	foreach my $make (@makes)
	{
		foreach my $room (2, 9, 20, 45, 100, 250, 1000)
		{
			# so that libraries and caches are loaded before
			my ($out, $err);
			my $status = $node->psql('postgres', qq{
				SET search_path = few, public;
				DO \$do\$ BEGIN PERFORM try(\$q\$$make\$q\$); END \$do\$;
				SET search_path = many, public;
				SELECT limit_to($room * 1000000::bigint);
				SELECT try(\$q\$$make\$q\$);
				SELECT 'alive';
			}, stdout => \$out, stderr => \$err, on_error_stop => 1);

			# there may not even be enough memory to begin a subtransaction
			my ($state) = $status == 0 ? $out =~ /(\w+)\nalive/ : $err =~ /ERROR: +out of memory/ ? '53200' : undef;
			$seen{ $state // "$make, $room MB: $err" }++;
			last if ($state // '') eq 'answer';
		}
	}
	is(join("\n", grep { !/^(answer|53200)$/ } keys %seen), '', 'want of memory is an error 53200, whoever wanted it');
	cmp_ok($seen{'53200'} // 0, '>', 20, 'memory did run out');
	cmp_ok($seen{answer} // 0, '>=', @makes / 2, 'or sufficed');
}

# 2.  Large: every function that reads or changes a wide document
run_limited('wide', q{
	CREATE TEMP TABLE input AS
	SELECT bson_object(array_agg('key' || n), array_agg(n::text)) AS b, bson_agg(n) AS a FROM generate_series(1, 200000) n;
	SELECT try(e) FROM unnest(ARRAY[$$b -> 'key199999'$$, $$a -> -1$$, $$a -> 199999$$, $$b - 'key5'$$, $$a - 100000$$, $$b || b$$, $$a || a$$,
		$$bson_set(b, '{key77777}', '1')$$, $$bson_set(a, '{100000}', '1')$$, $$bson_insert(a, '{0}', '1')$$, $$b @> b$$, $$a @> a$$,
		$$b ?& (SELECT array_agg(k) FROM bson_object_keys(b) k)$$, $$b - (SELECT array_agg(k) FROM bson_object_keys(b) k)$$,
		$$b::text::bson$$, $$b::jsonb::bson$$, $$b = b::jsonb::bson$$, $$bson_cmp(a, a || '1')$$, $$bson_hash(b)$$, $$bson_strip_nulls(b, true)$$,
		$$(SELECT count(*) FROM bson_each(b))$$, $$(SELECT count(DISTINCT value) FROM bson_array_elements(a))$$, $$bson_object_agg_unique(b ->> 'key1', b)$$,
		$$bson_path_query_first(a, '$[last]')$$, $$bson_path_exists(b, '$.* ? (@ == "7")')$$, $$(SELECT bson_set(a, '{2000000000}', '1'))$$]) e;
}, 'answer', '54000');

# 3.  Deep: 1,000 levels in every function, and too many levels
run_limited('deep', q{
	SET max_stack_depth = '100kB';
	CREATE TEMP TABLE input AS
	SELECT repeat('{"a":[', n) || '1' || repeat(']}', n) AS json, repeat('[', 2 * n) || repeat(']', 2 * n) AS list, n FROM unnest(ARRAY[1, 40, 200, 500, 510, 600, 5000, 100000]) n;
	SELECT try(e) FROM unnest(ARRAY[$$bson_in(json::cstring)$$, $$bson_in(list::cstring)$$]) e;
	SET max_stack_depth = '2MB';
	SELECT try(e) FROM unnest(ARRAY[$$bson_in(json::cstring)$$, $$bson_in(list::cstring)$$, $$json::json::bson$$, $$json::jsonb::bson$$]) e;
	DELETE FROM input WHERE n > 500;
	ALTER TABLE input ADD b bson;
	UPDATE input SET b = bson_in(json::cstring);
	CREATE TEMP TABLE tests AS SELECT e FROM unnest(ARRAY[$$b::text$$, $$b::json$$, $$b::jsonb$$, $$b = b$$, $$b = bson_set(b, '{a,0}', '2')$$, $$bson_cmp(b, b || '{"b": 1}')$$, $$bson_hash(b || '{"b": 1}')$$,
		$$b @> b$$, $$bson_strip_nulls(b)$$, $$bson_pretty(b)$$, $$bson_depth(b)$$, $$bson_path_query_array(b, '$.**')$$,
		$$bson_to_extjson(b, 'canonical')$$, $$bson_set(b, (SELECT array_agg(CASE WHEN i % 2 = 1 THEN 'a' ELSE '0' END) FROM generate_series(1, 1000) i), '{"q": 1}')$$,
		$$b #> (SELECT array_agg(CASE WHEN i % 2 = 1 THEN 'a' ELSE '0' END) FROM generate_series(1, 999) i)$$, $$bson_build_object('x', b)$$, $$bson_build_array(bson_build_array(b))$$, $$b || '[1]'$$,
		$$(SELECT count(*) FROM bson_each(b))$$, $$bson_send(b)::bson$$, $$b::bytea::bson$$, $$to_tsvector('simple', b)$$]) e;
	SELECT try(e) FROM tests;
	SET max_stack_depth = '100kB';
	SELECT try(e) FROM tests;
}, 'answer', '54001');
is($node->safe_psql('postgres', q{
	SELECT bool_and(b::text = json::bson::text AND b = json::bson AND bson_depth(b) = 1000 AND (b #> p)::text = '1' AND bson_set(b, p, '2') <> b AND b @> bson_set(b, p, '1'))
	FROM (SELECT repeat('{"a": [', 500) || '1' || repeat(']}', 500) AS json, (SELECT array_agg(CASE WHEN i % 2 = 1 THEN 'a' ELSE '0' END) FROM generate_series(1, 1000) i) AS p) s, LATERAL (SELECT bson_in(json::cstring) AS b) t
}), 't', '1,000 levels go through text, paths, comparison and change');

is($node->safe_psql('postgres', 'SELECT 1'), '1', 'the server is up');
unlike(PostgreSQL::Test::Utils::slurp_file($node->logfile), qr/terminated by signal|PANIC|TRAP/, 'and never went down');

$node->stop;
done_testing();
