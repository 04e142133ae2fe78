# If this fails, a pipeline that is planned with the query around it gives other answers or other errors than one that a function runs, reads with other rights, or outlives what it depends on.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use BsonTest;

my $node = PostgreSQL::Test::Cluster->new('main');

$node->init;
$node->start;
$ENV{PGHOST} = $node->host;
$ENV{PGPORT} = $node->port;
$ENV{PGDATABASE} = 'postgres';
$node->safe_psql('postgres', q{
	CREATE SCHEMA ext;
	CREATE EXTENSION bson SCHEMA ext;
	ALTER DATABASE postgres SET search_path = public, ext;
	SET search_path = public, ext;
	CREATE DOMAIN doc AS bson;
	CREATE TABLE t (data bson);
	INSERT INTO t SELECT bson_build_object('_id', i, 'a', i % 1000, 'g', 'g' || i % 10, 'owner', CASE i % 2 WHEN 0 THEN 'alice' ELSE 'bob' END) FROM generate_series(1, 20000) AS i;
	CREATE UNIQUE INDEX t_id ON t ((data -> '_id'));
	CREATE INDEX t_gin ON t USING gin (data bson_path_ops);
	CREATE INDEX t_sort ON t (bson_sort_key(data, '{"a": 1, "_id": 1}'));
	CREATE TABLE u AS SELECT i AS n, bson_build_object('_id', i, 'ref', i * 3) AS data FROM generate_series(1, 50) AS i;
	CREATE TABLE domains (data doc);
	INSERT INTO domains SELECT data FROM u;
	ANALYZE;
	CREATE VIEW v AS SELECT d FROM bson_aggregate('t', '[{"$match": {"a": {"$lt": 5}}}, {"$set": {"v": {"$add": ["$_id", 1]}}}]') AS d;
	CREATE VIEW of_view AS SELECT d FROM bson_aggregate('v', '[{"$match": {"g": "g3"}}]') AS d;
	CREATE VIEW barrier WITH (security_barrier) AS SELECT d FROM bson_aggregate('t', '[]') AS d;
	CREATE FUNCTION unsafe(bson) RETURNS bson IMMUTABLE LANGUAGE sql BEGIN ATOMIC SELECT $1; END;
	CREATE VIEW of_unsafe AS SELECT unsafe(data) AS data FROM t;
	CREATE ROLE alice; CREATE ROLE bob; CREATE ROLE carol;
	GRANT USAGE ON SCHEMA ext TO PUBLIC});

# What a new session prints; a line '\! psql ...' in it is another session
sub session { return session_of($node, $_[0], qr/(?!ERROR|WARNING)/) }

# Plans.  In a query, "%" is where WITH ORDINALITY makes every release call the function.
# before PostgreSQL 19 the library must be there when a view is planned, which has no literals to load it
my $loaded = q{LOAD 'bson'; };
my $workers = 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET min_parallel_index_scan_size = 0; ';
my @plans = (
	[ 'a condition outside', q{SELECT d FROM bson_aggregate('t', '[{"$match": {"g": {"$ne": "g1"}}}]') % AS d(d) WHERE d -> '_id' = '77'}, qr/Index Cond: \(\(data -> '_id'::text\) = '77'/ ],
	[ 'a query outside', q{SELECT count(*) FROM bson_aggregate('t', '[{"$match": {"g": {"$ne": "g1"}}}]') % AS d(d) WHERE d @~ '{"a": 7}'}, qr/Bitmap Index Scan on t_gin/ ],
	[ 'a condition behind a group', q{SELECT d FROM bson_aggregate('t', '[{"$group": {"_id": "$g", "n": {"$sum": 1}}}]') % AS d(d) WHERE d -> '_id' = '"g2"'}, qr/HashAggregate|GroupAggregate/ ],
	[ 'a join', q{SELECT count(*) FROM u JOIN bson_aggregate('t', '[{"$match": {"g": {"$ne": "g1"}}}]') % AS d(d) ON d -> '_id' = to_bson(n)}, qr/Nested Loop.*Index Cond: \(\(data -> '_id'::text\) = to_bson\(u.n\)/s ],
	[ 'a limit', q{SELECT d FROM bson_aggregate('t', '[{"$sort": {"a": 1, "_id": 1}}]') % AS d(d) LIMIT 3}, qr/^Limit.*Index Scan using t_sort/s ],
	[ 'an aggregate', q{SELECT max(d -> '_id') FROM bson_aggregate('t', '[]') % AS d(d)}, qr/Index (Only )?Scan Backward using t_id/ ],
	[ 'workers', q{SELECT count(*) FROM bson_aggregate('t', '[{"$match": {"a": {"$mod": [7, 3]}}}]') % AS d(d)}, qr/Gather.*Parallel Seq Scan/s, $workers ],
	[ 'workers below a sort', q{SELECT d FROM bson_aggregate('t', '[{"$match": {"a": {"$mod": [7, 3]}}}, {"$sort": {"_id": -1}}]') % AS d(d) WHERE d ->> 'g' < 'g9'}, qr/Gather Merge/, $workers ],
	[ 'LATERAL and LEFT JOIN', q{SELECT n, d FROM u LEFT JOIN LATERAL bson_aggregate('t', '[{"$project": {"a": 1}}]') % AS d(d) ON d -> '_id' = data -> 'ref' AND n < 9 ORDER BY n}, qr/Index Scan using t_id|Hash/ ],
	[ '$unionWith', q{SELECT count(*) FROM bson_aggregate('t', '[{"$unionWith": "u"}]') % AS d(d) WHERE d @~ '{"a": 5}'}, qr/Append.*t_gin/s ],
	[ '$lookup', q{SELECT d FROM bson_aggregate('u', '[{"$lookup": {"from": "t", "localField": "ref", "foreignField": "_id", "as": "x"}}]') % AS d(d) WHERE d -> '_id' = '5'}, qr/SubPlan/ ],
	[ '$facet', q{SELECT d FROM bson_aggregate('u', '[{"$facet": {"a": [{"$count": "n"}], "b": [{"$limit": 1}]}}]') % AS d(d)}, qr/Aggregate/ ],
	[ 'IN', q{SELECT count(*) FROM t WHERE data -> '_id' IN (SELECT d -> 'ref' FROM bson_aggregate('u', '[{"$match": {"_id": {"$gt": 40}}}]') % AS d(d))}, qr/Index Cond/ ],
	[ 'an argument by its name', q{SELECT count(*) FROM bson_aggregate(column_name => 'data', pipeline => '[]', relation => 't') % AS d(d) WHERE d -> '_id' = '1'}, qr/t_id/ ],
	[ 'a whole row', q{SELECT row(d.d) FROM bson_aggregate('u', '[{"$match": {"_id": 3}}]') % AS d(d)}, qr/Seq Scan on u/ ],
	[ 'a view', q{SELECT d FROM v WHERE d @~ '{"g": "g2"}'}, qr/Seq Scan on t t1/, $loaded ],
	[ 'a view of a view', q{SELECT d -> 'v' AS v FROM of_view WHERE d -> '_id' = '3'}, qr/Seq Scan on t t1/, $loaded ],
	[ 'a query of WITH', q{WITH c AS (SELECT d FROM bson_aggregate('t', '[{"$match": {"g": {"$ne": "g1"}}}]') % AS d(d)) SELECT d FROM c WHERE d -> '_id' = '77'}, qr/Index Cond/ ],
	[ 'a query in a list of results', q{SELECT n, (SELECT d -> 'a' FROM bson_aggregate('t', '[{"$match": {"g": {"$ne": "g1"}}}]') % AS d(d) WHERE d -> '_id' = data -> 'ref') FROM u}, qr/SubPlan.*t_id/s ],
	[ 'a view that is a barrier', q{SELECT d FROM barrier WHERE d -> '_id' = '3'}, qr/Scan (on|using t_id on) t t1/, $loaded ],
	# what the function must run
	[ 'NULL instead of a table', q{SELECT d FROM bson_aggregate(NULL, '[{"$documents": [{"a": {"$lt": ["$$NOW", {"$toDate": 0}]}}]}]') AS d}, undef ],
	[ 'NULL instead of a pipeline', q{SELECT d FROM bson_aggregate('t', NULL) AS d}, undef ],
	[ 'what may differ each time', q{SELECT count(*) FROM bson_aggregate('t', '[{"$sample": {"size": 3}}]') AS d}, undef ],
	[ 'a domain', q{SELECT count(*) FROM bson_aggregate('domains', '[{"$match": {"_id": 3}}]') AS d}, undef ],
	[ 'what keeps workers away', q{SELECT count(*) FROM bson_aggregate('of_unsafe', '[{"$match": {"_id": 3}}]') AS d}, undef ],
	[ 'several functions', q{SELECT d FROM ROWS FROM (bson_aggregate('u', '[{"$limit": 1}]'), generate_series(1, 1)) AS d(d, n)}, qr/Function Scan/ ],
	[ 'a lateral argument', q{SELECT count(*) FROM u, LATERAL bson_aggregate('t', bson_build_array(bson_build_object('$match', data - 'ref'))) AS d}, undef ],
	[ 'a list of results', q{SELECT bson_aggregate('t', '[{"$match": {"_id": 3}}]') AS d}, qr/ProjectSet/ ]);
foreach my $each (@plans)
{
	my ($name, $query, $plan, $set) = @$each;
	my ($inlined, $called) = ($query, $query);

	$inlined =~ s/ % / /g;
	$called =~ s/% AS d\(d\)/WITH ORDINALITY AS d(d, number)/g;
	$set //= '';
	like(session("${set}EXPLAIN (COSTS OFF) $inlined"), $plan // qr/Function Scan on (ext\.)?bson_aggregate/, "the plan of $name");
	unlike(session("${set}EXPLAIN (COSTS OFF) $inlined"), qr/Function Scan on bson_aggregate/, 'in which the function is not called') if $query =~ / % /;
	is(session("$set$inlined"), session("SET max_parallel_workers_per_gather = 0; $called"), 'and its answer');
}
like(session(q{EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF, COSTS OFF, BUFFERS OFF) SELECT d FROM bson_aggregate('t', '[{"$set": {"b": 1}}]') AS d LIMIT 3}), qr/Scan on .*\(actual rows=3(\.00)? loops=1\)/, 'a limit ends the work');
unlike(session(q{SET jit = on; SET jit_above_cost = 0; EXPLAIN (ANALYZE, TIMING OFF) SELECT * FROM bson_aggregate('t', '[{"$set": {"b": 1}}]') AS d}), qr/^JIT|ERROR/m, 'it is not compiled') if session("SHOW server_version_num") < 190000;
like(session(q{CREATE FUNCTION sampled() RETURNS bson LANGUAGE sql STABLE AS $$SELECT bson '[{"$sample": {"size": 3}}]'$$; SET jit = on; SET jit_above_cost = 0; EXPLAIN (ANALYZE, TIMING OFF) SELECT count(*) FROM bson_aggregate('t', sampled()) AS d}), qr/Function Scan.*^JIT/ms, 'one with a call that stays is') if session("SELECT pg_jit_available()") eq 't';
like(session(q{PREPARE q(regclass, bson) AS SELECT d FROM bson_aggregate($1, $2) AS d WHERE d -> '_id' = '77'; EXPLAIN EXECUTE q('t', '[{"$match": {"g": {"$ne": "g1"}}}]')}), qr/Index Cond/, 'parameters are constants of a plan that is made for them');

# Errors are those of the function, and only when it is called
my @errors = (
	[ 'an unknown stage', q{'t', '[{"$bad": 1}]'}, '22023: unknown stage of a bson pipeline: "$bad"' ],
	[ '$out', q{'t', '[{"$out": "x"}]'}, undef ],
	[ '$merge', q{'t', '[{"$merge": {"into": "t"}}]'}, undef ],
	[ 'an unknown table', q{'t', '[{"$unionWith": "nowhere"}]'}, '42P01: relation "nowhere" does not exist' ],
	[ 'an unknown column', q{'t', '[]', 'x'}, '42703: column "x" of relation "t" does not exist' ],
	[ 'too many stages', "'t', '[" . join(', ', ('{"$skip": 1}') x 1001) . "]'", undef ],
	[ 'constant documents', q{'u', '[{"$unionWith": {"pipeline": [{"$documents": [{"a": {"$divide": [1, 0]}}]}]}}]'}, undef ],
	[ 'a document', q{'t', '[{"$set": {"x": {"$divide": [1, {"$subtract": ["$_id", 7]}]}}}]'}, undef ]);
foreach my $each (@errors)
{
	my ($name, $arguments, $expected) = @$each;
	my $state = q{\set VERBOSITY verbose
};
	my ($inlined, $called) = map { session("$state SELECT min(d ->> 'x') FROM bson_aggregate($arguments) $_") =~ /^ERROR:  (.*)$/m ? $1 : 'no error' } 'AS d(d)', 'WITH ORDINALITY AS d(d, n)';

	is($inlined, $expected // $called, "the error for $name");
	isnt($called, 'no error', 'is one');
	is(session("SELECT * FROM bson_aggregate($arguments) AS d WHERE false"), '', 'but not if it is not called');
	unlike(session("EXPLAIN SELECT * FROM bson_aggregate($arguments) AS d"), qr/ERROR/, 'nor in EXPLAIN');
}
# a view of itself
like(session(q{CREATE VIEW loop AS SELECT data AS d FROM t; CREATE OR REPLACE VIEW loop AS SELECT d FROM bson_aggregate('loop', '[]') AS d; SELECT * FROM loop; DROP VIEW loop}), qr/^ERROR:  stack depth limit exceeded$/m, 'a view of itself is nested too deeply');
# cancelled while the query is made
my $long = '[' . join(', ', map { qq({"\$group": {"_id": "\$x$_", "x" : {"\$max": "\$a"}}}) } 1 .. 300) . ']';
my %seen;
foreach my $ms (1 .. 20, 10000)
{
	my $out = session("SET statement_timeout = ${ms}; EXPLAIN SELECT * FROM bson_aggregate('t', '$long') AS d");
	$seen{$out =~ /(ERROR: .*)/ ? $1 : $out =~ /Function Scan/ ? 'called' : 'inlined'}++;
}
is(join('|', grep { $_ ne 'ERROR:  canceling statement due to statement timeout' } keys %seen), 'inlined', 'a cancel cancels') or note(explain(\%seen));

# Rights
$node->safe_psql('postgres', q{
	CREATE FUNCTION of_owner() RETURNS bigint SECURITY DEFINER LANGUAGE sql BEGIN ATOMIC SELECT count(*) FROM bson_aggregate('t', '[]') AS d; END;
	GRANT SELECT ON v, u TO PUBLIC});
is(session(q{SET ROLE carol; SELECT count(*) FROM v; SELECT count(*) FROM v WHERE false; SELECT of_owner(); SELECT count(*) FROM bson_aggregate('u', '[{"$lookup": {"from": "t", "pipeline": [], "as": "x"}}]') AS d}),
	"0\n20000\n" . join("\n", ('ERROR:  permission denied for table t') x 2), 'a view of a pipeline gives nobody the rights of its owner, a function with its definer\'s does');
unlike(session(q{SET ROLE carol; EXPLAIN SELECT count(*) FROM v}), qr/ERROR|Scan on t/, 'and EXPLAIN shows nothing');
is(session(q{SET plan_cache_mode = force_generic_plan; GRANT SELECT ON t TO carol; PREPARE q AS SELECT count(*) FROM v; SET ROLE carol; EXECUTE q;
\! psql -Xqc 'REVOKE SELECT ON t FROM carol'
EXECUTE q; RESET ROLE; EXECUTE q; SET ROLE carol; EXECUTE q;}), "100\n100\n" . join("\n", ('ERROR:  permission denied for table t') x 2), 'a plan that is kept loses the right to read');
my $aggregate = 'FUNCTION ext.bson_aggregate(regclass, ext.bson, name)';
is(session(qq{PREPARE q AS SELECT count(*) FROM bson_aggregate('u', '[]') AS d; EXECUTE q; SET ROLE carol; EXECUTE q;
\\! psql -Xqc 'REVOKE EXECUTE ON $aggregate FROM PUBLIC; GRANT EXECUTE ON $aggregate TO alice'
RESET ROLE; EXECUTE q; SET ROLE carol; EXECUTE q; SET ROLE alice; EXECUTE q; SET ROLE carol; EXECUTE q; RESET ROLE; GRANT EXECUTE ON $aggregate TO PUBLIC; SET ROLE carol; EXECUTE q}),
	"50\n" x 5 . join("\n", ('ERROR:  permission denied for function bson_aggregate') x 2), 'and the right to call the function, each role its own');
$node->safe_psql('postgres', q{GRANT SELECT ON t TO PUBLIC; ALTER TABLE t ENABLE ROW LEVEL SECURITY; CREATE POLICY own ON t TO alice, bob USING (data ->> 'owner' = current_user)});
my $owner = q{SELECT min(d ->> 'owner'), max(d ->> 'owner'), count(*) FROM bson_aggregate('t', '[{"$match": {"a": {"$lt": 500}}}]') AS d};
is(session("PREPARE q AS $owner; " . join('; ', map { "SET ROLE $_; EXECUTE q" } qw(alice bob carol alice postgres alice))), "alice|alice|5000\nbob|bob|5000\n||0\nalice|alice|5000\nalice|bob|10000\nalice|alice|5000",
	'row security is that of each role');
is(session("SET ROLE alice; PREPARE q AS $owner; EXECUTE q;\n\\! psql -Xqc 'ALTER POLICY own ON t USING (true)'\nEXECUTE q;\n\\! psql -Xqc 'ALTER TABLE t DISABLE ROW LEVEL SECURITY'\nEXECUTE q"), "alice|alice|5000\nalice|bob|10000\nalice|bob|10000", 'and that of the moment');
$node->safe_psql('postgres', q{ALTER POLICY own ON t USING (data ->> 'owner' = current_user); ALTER TABLE t ENABLE ROW LEVEL SECURITY;
	CREATE FUNCTION tell(bson) RETURNS boolean COST 0.0001 LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING '%', $1; RETURN true; END $$});
unlike(session(q{SET ROLE alice; SELECT count(*) FROM bson_aggregate('t', '[{"$match": {"_id": {"$lt": 5}}}]') AS d WHERE tell(d)}), qr/bob/, 'a condition outside sees only rows that the policy allows');
like(session("SET ROLE alice; PREPARE q AS $owner; EXECUTE q;\nSET row_security = off;\nEXECUTE q"), qr/^alice\|alice\|5000\nERROR:  query would be affected by row-level security policy for table "t"/, 'a plan that is kept notices the setting row_security');
$node->safe_psql('postgres', 'ALTER TABLE t DISABLE ROW LEVEL SECURITY');

# Functions that were altered to run by other rules
my %altered = ('SECURITY DEFINER' => 'SECURITY INVOKER', 'STRICT' => 'CALLED ON NULL INPUT', 'SET work_mem = 64' => 'RESET ALL');
foreach my $how (sort keys %altered)
{
	like(session("ALTER $aggregate $how; EXPLAIN (COSTS OFF) SELECT * FROM bson_aggregate('u', '[]') AS d; ALTER $aggregate $altered{$how}"), qr/Function Scan/, "it is called if it is altered to $how");
}

# Somebody else's function in the schema of the extension
my $trap = q{CREATE FUNCTION ext.bson_build_object(text, ext.bson, text, ext.bson) RETURNS ext.bson LANGUAGE plpgsql AS $$ BEGIN RAISE 'called'; END $$};
my $group = q{SELECT count(*) FROM bson_aggregate('u', '[{"$group": {"_id": "$ref", "n": {"$max": "$_id"}}}]') AS d WHERE d -> 'n' > '0'};
like(session("$trap; EXPLAIN $group; $group"), qr/Function Scan.*ERROR:  function bson_build_object\(text,bson,text,bson\) would be called/s, 'a foreign function that fits is found, when the function is called');
is(session("DROP FUNCTION ext.bson_build_object(text, ext.bson, text, ext.bson); PREPARE q AS $group; EXECUTE q; $trap; EXECUTE q; DROP FUNCTION ext.bson_build_object(text, ext.bson, text, ext.bson)") =~ s/^ERROR:  function .* would be .*$/50/mr, "50\n50",
	'a plan that is kept does not call it');

# What plans depend on
$node->safe_psql('postgres', q{CREATE TABLE x AS SELECT bson_build_object('_id', i) AS data FROM generate_series(1, 2000) AS i; ANALYZE x; CREATE TABLE y AS SELECT 1 AS n, '{"y": 1}'::bson AS data; CREATE VIEW z AS SELECT data FROM y});
my $kept = q{PREPARE q AS SELECT count(*) FROM bson_aggregate('x', '[{"$lookup": {"from": "y", "pipeline": [{"$unionWith": "z"}], "as": "y"}}, {"$unwind": "$y"}]') AS d(d) WHERE d -> '_id' = '7'; EXECUTE q};
like(session(q{PREPARE q AS SELECT count(*) FROM bson_aggregate('x', '[]') AS d(d) WHERE d -> '_id' = '7'; EXECUTE q; CREATE INDEX x_id ON x ((data -> '_id')); EXPLAIN (COSTS OFF) EXECUTE q; EXECUTE q; DROP INDEX x_id}), qr/^1\n.*x_id.*\n1$/s, 'an index is used when there is one');
my @changes = (
	[ 'ALTER TABLE y RENAME TO other', "2\nERROR:  relation \"y\" does not exist", 'ALTER TABLE other RENAME TO y' ],
	[ 'ALTER TABLE y RENAME data TO renamed', "2\n2", 'ALTER TABLE y RENAME renamed TO data' ],
	[ 'ALTER TABLE y ADD more bson', "2\nERROR:  relation \"y\" has several columns of type bson", 'ALTER TABLE y DROP more' ],
	[ 'ALTER TABLE x ALTER data TYPE text USING data::text', "2\nERROR:  relation \"x\" has no column of type bson", 'ALTER TABLE x ALTER data TYPE bson USING data::bson' ],
	[ 'CREATE OR REPLACE VIEW z AS SELECT data FROM y WHERE false', "2\n1", 'CREATE OR REPLACE VIEW z AS SELECT data FROM y' ],
	[ 'CREATE SCHEMA s; CREATE TABLE s.y AS SELECT data FROM y WHERE false; SET search_path = s, public, ext', "2\n1", 'DROP SCHEMA s CASCADE' ],
	[ 'CREATE OR REPLACE FUNCTION ext.bson_aggregate(relation regclass, pipeline bson, column_name name DEFAULT NULL) RETURNS SETOF bson LANGUAGE sql AS $$ SELECT bson_build_object(\'_id\', 7) $$', "2\n1", undef ]);
foreach my $each (@changes)
{
	my ($change, $expected, $back) = @$each;

	is(session("$kept; $change; EXECUTE q"), $expected, "after $change");
	session("SET client_min_messages = error; $back") if defined $back;
}
$node->safe_psql('postgres', q{DROP VIEW v CASCADE; DROP FUNCTION of_owner; DROP EXTENSION bson CASCADE; CREATE EXTENSION bson SCHEMA ext;
	CREATE TABLE b AS SELECT ext.bson_build_object('_id', i, 'a', i % 10) AS data FROM generate_series(1, 1000) AS i; CREATE INDEX ON b ((data -> 'a')); ANALYZE b});

# Pipelines that change, in parameters
my $asked = q{SELECT count(*) FROM bson_aggregate($1, $2) AS d WHERE d -> 'a' = '3'};
foreach my $mode ('auto', 'force_generic_plan', 'force_custom_plan')
{
	my $calls = join '; ', map { qq{EXECUTE q('b', '[{"\$match": {"_id": {"\$lte": ${_}00}}}]')} } 1 .. 10;

	is(session("SET plan_cache_mode = $mode; PREPARE q(regclass, bson) AS $asked; $calls; EXECUTE q(NULL, '[{\"\$documents\": [{\"a\": 3}, {\"a\": 4}]}]'); EXECUTE q('b', NULL)"), join("\n", (map { 10 * $_ } 1 .. 10), 1, 0), "parameters, $mode");
}
is(session(q{DO $$ DECLARE p bson; n bigint; sums bigint[]; BEGIN FOR i IN 1 .. 12 LOOP p := bson_build_array(bson_build_object('$limit', i)); SELECT count(*) INTO n FROM bson_aggregate('b', p) AS d; sums := sums || n; END LOOP; RAISE EXCEPTION '%', sums; END $$}),
	'ERROR:  {1,2,3,4,5,6,7,8,9,10,11,12}', 'variables of PL/pgSQL');

# Statements that write, cursors, and planning within a parallel query
is(session(q{
	INSERT INTO b SELECT bson_build_object('_id', (d -> '_id')::int + 1000, 'a', d -> 'a') FROM bson_aggregate('b', '[{"$match": {"a": 3}}]') AS d;
	UPDATE b SET data = data || '{"u": 1}' FROM bson_aggregate('b', '[{"$match": {"a": 4}}]') AS d WHERE b.data -> '_id' = d -> '_id';
	DELETE FROM b USING bson_aggregate('b', '[{"$match": {"u": 1}}, {"$sort": {"_id": -1}}, {"$limit": 40}]') AS d WHERE b.data -> '_id' = d -> '_id';
	MERGE INTO b USING bson_aggregate('b', '[{"$match": {"a": 5}}]') AS d ON b.data -> '_id' = d -> '_id' WHEN MATCHED THEN UPDATE SET data = d || '{"m": 1}';
	SELECT count(*), count(*) FILTER (WHERE data -> 'a' = '3'), count(data -> 'u'), count(data -> 'm') FROM b;
	SELECT count(*) FROM (SELECT * FROM bson_aggregate('b', '[{"$match": {"a": 3}}]') AS d FOR UPDATE) AS s;
	CREATE MATERIALIZED VIEW m AS SELECT d FROM bson_aggregate('b', '[{"$group": {"_id": "$a"}}]') AS d; DELETE FROM b WHERE data -> 'a' = '9'; SELECT count(*) FROM m; REFRESH MATERIALIZED VIEW m; SELECT count(*) FROM m;
	BEGIN; DECLARE c SCROLL CURSOR FOR SELECT d -> '_id' FROM bson_aggregate('b', '[{"$match": {"_id": {"$lt": 5}}}, {"$sort": {"_id": -1}}]') AS d WHERE d -> '_id' <> '2'; MOVE 1 FROM c; FETCH 1 FROM c; FETCH LAST FROM c; FETCH PRIOR FROM c; COMMIT}),
	"1060|200|60|100\n200\n10\n9\n3\n1\n3", 'statements that write, and cursors');
$node->safe_psql('postgres', q{CREATE FUNCTION count_b() RETURNS bigint PARALLEL RESTRICTED LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT count(*) FROM bson_aggregate('b', '[{"$match": {"a": 3}}]') AS d WHERE d -> '_id' > '0'); END $$});
is(session("$workers SELECT count_b(), count(*) FROM b WHERE data -> 'a' > '0'"), '200|860', 'a function that a parallel query calls');

# The order that $sort asks for is that of the rows, if the query around it only filters and limits them
my $sorted = q{SELECT array_agg(i) = array_agg(i ORDER BY i DESC) FROM (SELECT (d -> '_id')::int AS i FROM bson_aggregate('b', '[{"$sort": {"_id": -1}}]') AS d WHERE d -> 'a' <> '4' OFFSET 5) AS s};
is(session("$sorted; $workers $sorted; SET enable_sort = off; $sorted"), "t\nt\nt", 'sorted');
$node->stop;
done_testing();
