# If this fails, a tool calls a function or operator that somebody else made, as it fits the call better than the one that was meant.
#
# The server logs what it makes of each statement that a tool sends, and of those in functions: which functions and operators it
# has chosen, and for which types.  From this list come the functions that others could have made, and be preferred: of the types
# that the call has, and where it has a constant, which may have had no type, of any type there.
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
my $tool = "python3 $top/src/tools/bson-copy";

$node->init;
$node->append_conf('postgresql.conf', "log_line_prefix = '\@\@%a\@\@ '\nlog_statement = all\ndebug_print_parse = on\ndebug_pretty_print = off\nlog_min_messages = log\nautovacuum = off");
$node->start;
@ENV{'PGHOST', 'PGPORT'} = ($node->host, $node->port);

# ---- what the tools work on: dumps, oplogs and events of all kinds
my $o = '{"$numberInt":"1"}';
my $long = join '', map { sprintf '%08x', ($_ * 2654435761) % 4294967291 } 1 .. 500;
sub int32 { return [ 16, $_[0], pack('l<', $_[1]) ] }
sub doc { return [ 3, $_[0], document(@_[ 1 .. $#_ ]) ] }
mkdir $_ foreach "$dir/dump", "$dir/dump/app";
spew("$dir/dump/app/person.bson", join '', map { document(int32('_id', $_), [ 2, 'name', bson_string("person $_") ], [ 18, 'n', pack('q<', $_) ]) } 1 .. 10);
spew("$dir/dump/app/person.metadata.json", qq({"options":{"validator":{"n":{"\$gte":$o}}},"indexes":[) . join(',',
	qq({"key":{"n":$o},"name":"n_1","unique":true}), qq({"key":{"name":{"\$numberInt":"-1"},"n":$o},"name":"name_-1_n_1"}), qq({"key":{"x.y":$o},"name":"x.y_1","sparse":true}),
	qq({"key":{"x.z":$o},"name":"x.z_1","sparse":true,"unique":true}), qq({"key":{"n":$o},"name":"part","partialFilterExpression":{"n":{"\$gt":{"\$numberInt":"30"}}}}),
	qq({"key":{"name":"hashed"},"name":"name_hashed"}), qq({"key":{"\$**":$o},"name":"\$**_1"}), qq({"key":{"_fts":"text","_ftsx":$o},"name":"name_text","weights":{"name":$o,"a.b":$o}}),
	qq({"key":{"at":$o},"name":"at_1","expireAfterSeconds":{"\$numberInt":"3600"}})) . ']}');
spew("$dir/dump/app/long.bson", document([ 2, '_id', bson_string($long) ], [ 2, 't', bson_string($long) ]));
spew("$dir/dump/app/long.metadata.json", qq({"options":{"validator":{"\$where":"1"}},"indexes":[{"key":{"t":$o},"name":"t_1","unique":true},{"key":{"t":$o},"name":"t_2"}]}));
spew("$dir/dump/app/few.metadata.json", '{"options":{"viewOn":"person","pipeline":[{"$match":{"n":{"$gt":5}}},{"$group":{"_id":"$l","n":{"$sum":"$n"}}}]},"type":"view"}');
mkdir $_ foreach "$dir/far", "$dir/far/app";
spew("$dir/far/app/far.metadata.json", '{"options":{"viewOn":"person","pipeline":[{"$search":{}}]},"type":"view"}');
spew("$dir/dump/app/visit.json", '{"_id": 1, "d": 37.774929499999999}');
mkdir $_ foreach "$dir/twice", "$dir/twice/app";
spew("$dir/twice/app/twice.bson", document(int32('_id', 1)) x 2);
my $time = 0;
sub entry_of { my ($op, $o, $id, @more) = @_; return document([ 17, 'ts', pack('L<L<', ++$time, 1700000000) ], [ 2, 'op', bson_string($op) ], [ 2, 'ns', bson_string($op eq 'c' ? 'admin.$cmd' : 'app.person') ], [ 3, 'o', $o ], ($id ? doc('o2', int32('_id', $id)) : ()), @more) }
sub diff { return document(int32('$v', 2), doc('diff', @_)) }
sub set { my ($id, @fields) = @_; return entry_of('u', diff(doc('u', @fields)), $id) }
my $n = int32('n', 70);
my @session = (doc('lsid', int32('id', 1)), [ 18, 'txnNumber', pack('q<', 1) ]);
my $applied = [ 4, 'applyOps', document([ 3, '0', document([ 2, 'op', bson_string('d') ], [ 2, 'ns', bson_string('app.person') ], doc('o', int32('_id', 20))) ]) ];
spew("$dir/oplog.bson", join '', entry_of('i', document(int32('_id', 20), int32('n', 20))), entry_of('i', document(int32('_id', 21), int32('n', 21))), set(1, $n), set(99, $n),
	entry_of('u', diff(doc('u', $n), doc('sname', doc('u', $n)), doc('sl', [ 8, 'a', "\1" ], int32('u0', 1))), 1), entry_of('u', document(doc('$set', $n), doc('$unset', [ 8, 'x', "\1" ])), 1), entry_of('u', document(int32('_id', 3), int32('n', 33)), 3),
	set(5, int32('n', 6)), set(6, int32('n', 5)), set(7, int32('n', 0)), set(7, int32('m', 1)), entry_of('u', document(int32('_id', 7), int32('n', 7)), 7), set(8, int32('n', 9)), set(9, [ 2, 's', bson_string("\xff") ]), entry_of('c', document(int32('dropDatabase', 1))),
	entry_of('c', document($applied, [ 8, 'partialTxn', "\1" ]), undef, @session), entry_of('c', document($applied), undef, @session));
spew("$dir/wrong.bson", entry_of('c', document($applied, [ 8, 'partialTxn', "\1" ]), undef));
sub event { return qq({"_id": {"_data": "83"}, "operationType": "update", "ns": {"db": "app", "coll": "person"}, "documentKey": {"_id": 2}, "updateDescription": {$_[0]}}\n) }
spew("$dir/events.json", join '', map { event($_) } '"updatedFields": {"n": 90, "l": [1, [2], 3], "x": {"y": 1}}, "removedFields": ["q"]', '"truncatedArrays": [{"field": "l", "newSize": 2}], "updatedFields": {"l.1.0": 5, "x.y": 2, "z.z": 1, "": 1}', '"updatedFields": {"a.b": 1}, "disambiguatedPaths": {"a.b": ["a.b"]}');

# the statements of the page about migration that look at what was restored
my $page = slurp_raw("$top/doc/migrating.md");
my ($counts) = $page =~ /^    echo "(SELECT format.*?)" \| PGOPTIONS='-c search_path=pg_catalog' psql -At$/m;
my @statements = map { s/\bperson\b(?! AS)/restored.person/gr =~ s/FROM person AS/FROM restored.person AS/r =~ s/again\.restored/restored/r =~ s/again\.person/restored.person/r }
	($page =~ /psql -qc "(COPY \(SELECT data FROM person.*?)"/, $page =~ /in SQL: `(SELECT md5.*?)`/, $page =~ /^    (SELECT coalesce\(a\.data.*?;)$/ms);

# Each tool by its name, with the exit status that it has; and what else is called for
sub run_all
{
	my ($db, $home) = @_;
	local $ENV{PGDATABASE} = $db;
	my @tools = (
		[ 'restore', 0, "$tool --restore $dir/dump --schema restored" ], [ 'restore', 0, "$tool --restore $dir/dump --schema restored" ], [ 'restore', 1, "$tool --restore $dir/twice --schema restored" ],
		[ 'apply', 3, "$tool --apply $dir/oplog.bson --schema restored --skip-invalid $dir/aside.$db" ], [ 'apply', 3, "$tool --apply $dir/oplog.bson --schema restored --skip-invalid $dir/aside.$db" ],
		[ 'apply', 0, "$tool --apply $dir/events.json --schema restored" ], [ 'apply', 1, "$tool --apply $dir/wrong.bson --schema restored" ], [ 'apply', 1, "$tool --apply $dir/oplog.bson --schema restored" ],
		[ 'dump', 0, "$tool --dump $dir/out.$db --schema restored --order \"data -> '_id'::text\"" ], [ 'dump', 0, "$tool --dump --archive $dir/$db.archive --schema restored" ],
		[ 'restore', 0, "$tool --restore --schema again $dir/$db.archive" ], [ 'list', 0, "$tool --list $dir/$db.archive" ], [ 'check', 0, "$tool --check $dir/dump/app/person.bson" ],
		# a view reads nothing where functions were planted: t/004_hijack.pl
		[ 'drop', 0, "psql -Xq -v ON_ERROR_STOP=1 -c 'DROP VIEW restored.few, again.few'" ], [ 'page', 0, "printf '%s' " . quoted($counts) . " | PGOPTIONS='-c search_path=pg_catalog' psql -XAt -v ON_ERROR_STOP=1" ],		# the extension's schema alone
		(map { [ 'page', 0, "PGOPTIONS='-c search_path=$home' psql -XAt -v ON_ERROR_STOP=1 -c " . quoted($_) ] } @statements),
		[ 'restore', 0, "$tool --restore $dir/far --schema restored" ], [ 'jsonb', 0, "psql -Xq -v ON_ERROR_STOP=1 -f $top/sql/bson_jsonb.sql" ]);
	my $number = 0;

	foreach my $each (@tools)
	{
		my ($name, $status, $command) = @$each;
		local $ENV{PGAPPNAME} = $name;
		is(system("$command >$dir/out 2>$dir/said") >> 8, $status, "$db: $name " . ++$number) or diag(slurp_raw("$dir/said"));
		unlike(slurp_raw("$dir/said"), qr/hijacked/, 'calls nothing that was planted');
	}
}
sub quoted { return q(') . $_[0] =~ s/'/'\\''/gr . q(') }

# ---- what the server made of it
sub parsed
{
	my ($text) = @_;
	my @token = $text =~ /((?:\\.|[^\s(){}\\])+|[(){}])/gs;
	my $next = 0;
	my $node;

	$node = sub {
		my $token = $token[ $next++ ];
		if ($token eq '(')
		{
			my @list;
			push @list, $node->() while $next < @token && $token[$next] ne ')';
			$next++;
			return \@list;
		}
		return $token if $token ne '{';
		my %found = ('' => $token[ $next++ ]);
		my $field;
		while ($next < @token && $token[$next] ne '}')
		{
			if ($token[$next] =~ /^:(\w+)$/) { $field = $1; $found{$field} //= []; $next++ }
			else { push @{ $found{ $field // 'none' } }, $node->() }
		}
		$next++;
		return \%found;
	};
	return $node->();
}

my %type_field = (CONST => 'consttype', VAR => 'vartype', PARAM => 'paramtype', FUNCEXPR => 'funcresulttype', OPEXPR => 'opresulttype', NULLIFEXPR => 'opresulttype', AGGREF => 'aggtype', WINDOWFUNC => 'wintype', COALESCE => 'coalescetype', COALESCEEXPR => 'coalescetype',
	MINMAX => 'minmaxtype', MINMAXEXPR => 'minmaxtype', CASE => 'casetype', CASEEXPR => 'casetype', ARRAY => 'array_typeid', ARRAYEXPR => 'array_typeid', RELABELTYPE => 'resulttype', COERCEVIAIO => 'resulttype', ARRAYCOERCEEXPR => 'resulttype', FIELDSELECT => 'resulttype', ROW => 'row_typeid', ROWEXPR => 'row_typeid',
	CASETESTEXPR => 'typeId', SQLVALUEFUNCTION => 'type', SUBSCRIPTINGREF => 'refrestype', CONVERTROWTYPEEXPR => 'resulttype', COERCETODOMAIN => 'resulttype');
my %boolean = map { $_ => 1 } qw(BOOLEXPR NULLTEST BOOLEANTEST SCALARARRAYOPEXPR DISTINCTEXPR);
my %array_of;

sub type_of
{
	my ($n) = @_;
	my $kind = $n->{''};
	return $n->{ $type_field{$kind} }[0] if $type_field{$kind};
	return 16 if $boolean{$kind};
	return type_of($n->{arg}[0]) if $kind =~ /^(COLLATE|NAMEDARG)/;
	if ($kind eq 'SUBLINK')
	{
		return 16 if $n->{subLinkType}[0] <= 3;
		my $type = type_of($n->{subselect}[0]{targetList}[0][0]{expr}[0]);
		return $n->{subLinkType}[0] == 6 ? $array_of{$type} // 0 : $type;
	}
	return 0;
}

# what an argument was before it was converted to what is called
sub written
{
	my ($n) = @_;
	return $n if ref $n ne 'HASH';
	my $format = $n->{funcformat} // $n->{relabelformat} // $n->{coerceformat} // $n->{coercionformat};
	return $n if !$format || $format->[0] ne '2';
	return written($n->{''} eq 'FUNCEXPR' ? $n->{args}[0][0] : $n->{arg}[0]);
}

# All calls in a node, each once: kind, OID, types of the arguments as written, which are constants, type of the result
sub calls
{
	my ($n, $found, $tool) = @_;
	if (ref $n eq 'ARRAY') { calls($_, $found, $tool) foreach @$n; return }
	return if ref $n ne 'HASH';
	my $kind = $n->{''};
	my ($what, $oid, $args);
	($what, $oid, $args) = ($n->{funcformat}[0] =~ /^[12]$/ ? 'cast' : 'function', $n->{funcid}[0], $n->{args}[0]) if $kind eq 'FUNCEXPR';
	($what, $oid, $args) = ('operator', $n->{opno}[0], $n->{args}[0]) if $kind =~ /^(OPEXPR|DISTINCTEXPR|NULLIFEXPR)$/;
	($what, $oid, $args) = ('any', $n->{opno}[0], $n->{args}[0]) if $kind eq 'SCALARARRAYOPEXPR';
	($what, $oid, $args) = ('function', $n->{aggfnoid}[0], [ map { $_->{expr}[0] } @{ ref $n->{args}[0] ? $n->{args}[0] : [] } ]) if $kind eq 'AGGREF';
	($what, $oid, $args) = ('function', $n->{winfnoid}[0], $n->{args}[0]) if $kind eq 'WINDOWFUNC';
	if ($what)
	{
		my @args = map { written($_) } ref $args ? @$args : ();
		my @types = map { type_of($_) } @args;
		my $constants = join '', map { $_->{''} eq 'CONST' ? 1 : 0 } @args;
		$found->{ join ' ', $what, $oid, "@types", $constants }{$tool} = 1;
	}
	calls($_, $found, $tool) foreach values %$n;
}

sub calls_of
{
	my ($log) = @_;
	my %found;
	while ($log =~ /^@@(\w+)@@ LOG:  parse tree:\n(?:@@\w+@@ )?DETAIL:\s+(.*?)\n(?=@@)/msg)
	{
		my ($tool, $text) = ($1, $2);
		calls(parsed($text), \%found, $tool);
	}
	return \%found;
}

# ---- run, list, plant, run again
$node->safe_psql('postgres', 'CREATE ROLE mallory LOGIN');
my %home = (clean => 'public', planted => 'public', apart => 'ext');
foreach my $db ('clean', 'planted', 'apart')
{
	$node->safe_psql('postgres', "CREATE DATABASE $db");
	$node->safe_psql($db, "SET debug_print_parse = off; CREATE SCHEMA ext; GRANT CREATE ON SCHEMA public TO PUBLIC; CREATE EXTENSION bson SCHEMA $home{$db}; GRANT USAGE ON SCHEMA ext TO PUBLIC; ALTER DATABASE $db SET search_path = public, ext");
}
my $offset = -s $node->logfile;
sub log_since { my $text = substr(slurp_raw($node->logfile), $offset); $offset += length $text; return $text }

run_all('clean', 'public');
# a call that is not safe, to see that the test would find it
my $control = q(SET search_path = pg_catalog, public; SELECT bson_build_object('a'::text, 1), concat('a'::text, 2));
{
	local $ENV{PGAPPNAME} = 'control';
	is(system("psql -XAt -d clean -v ON_ERROR_STOP=1 -c " . quoted($control) . " >$dir/out"), 0, 'the control');
}
my $log = log_since();
%array_of = map { split /\|/ } split /\n/, $node->safe_psql('clean', 'SET debug_print_parse = off; SELECT oid, typarray FROM pg_type WHERE typarray <> 0');
my $found = calls_of($log);
foreach my $name ('restore', 'apply', 'dump', 'page', 'jsonb')
{
	my $number = () = $log =~ /^@@\Q$name\E@@ LOG:  statement:/mg;
	cmp_ok($number, '>', 0, "$name sent statements");
	ok((grep { $_->{$name} } values %$found), 'whose calls are found');
}
unlike($log, qr/^@@(list|check)@@ LOG:  statement:/m, '--list and --check send none');

# the list, in SQL, with the tools of each
my @rows = map { my ($what, $oid, @rest) = split / /, $_, -1; my $constants = pop @rest; [ $what, $oid, join(',', @rest), $constants, join(' ', sort keys %{ $found->{$_} }) ] } sort keys %$found;
my @unknown = grep { $_->[2] =~ /(^|,)0(,|$)/ } @rows;
cmp_ok(20 * @unknown, '<', scalar(@rows), 'nearly all types are known') or diag(map { "@$_\n" } @unknown);
@rows = grep { $_->[2] !~ /(^|,)0(,|$)/ } @rows;
my $values = join ', ', map { "('$_->[0]', $_->[1]::oid, '{$_->[2]}'::oid[], '$_->[3]', '$_->[4]')" } @rows;
my @listed = split /\n/, $node->safe_psql('clean', qq{SET debug_print_parse = off; SET log_statement = none; SET search_path = pg_catalog;
	SELECT tool || ' ' || what || ': ' || string_agg(DISTINCT name, ', ') FROM (
		SELECT unnest(string_to_array(tools, ' ')) AS tool, what, CASE WHEN what IN ('function', 'cast') THEN oid::regproc::text ELSE oid::regoper::text END || '(' || (SELECT coalesce(string_agg(t::regtype::text, ','), '') FROM unnest(types) AS t) || ')' AS name
		FROM (VALUES $values) AS v (what, oid, types, constants, tools) WHERE what NOT IN ('function', 'cast') OR oid IN (SELECT p.oid FROM pg_proc p)) AS l GROUP BY tool, what ORDER BY 1});
note($_) foreach @listed;

# Others could have, and a call could prefer: its own types, and any type where a constant is
sub plant
{
	my ($db, $home) = @_;
	my $sql = qq{SET debug_print_parse = off; SET log_statement = none; SET search_path = pg_catalog; SET check_function_bodies = off;
		CREATE TEMP TABLE called AS SELECT DISTINCT what, types, constants, CASE WHEN what IN ('function', 'cast') THEN (SELECT proname FROM pg_proc p WHERE p.oid = v.oid) ELSE (SELECT oprname FROM pg_operator p WHERE p.oid = v.oid) END AS name
			FROM (VALUES $values) AS v (what, oid, types, constants, tools) WHERE what <> 'cast';		-- functions of a session are not there any more
		GRANT ALL ON called TO mallory;};
	# the OIDs are those of the database where they were found
	my $names = $node->safe_psql('clean', "$sql SELECT string_agg(format('(%L, %L::text[], %L, %L)', what, (SELECT coalesce(array_agg(format_type(t, NULL)), '{}') FROM unnest(types) AS t), constants, name), ', ') FROM called WHERE name IS NOT NULL");
	my $script = qq{SET debug_print_parse = off; SET log_statement = none; SET search_path = pg_catalog; SET check_function_bodies = off; SET ROLE mallory;
		DO \$plant\$
		DECLARE
			each record; each_type text; wanted text[]; number int := 0;
			all_types text[] := '{text,name,varchar,"char",character,integer,bigint,smallint,numeric,double precision,boolean,oid,regclass,regtype,jsonb,json,text[],bytea,timestamp with time zone,uuid,xml,interval,tsvector}'::text[] || '$home.bson'::text;
			PROCEDURE_BODY constant text := ' LANGUAGE plpgsql AS \$\$ BEGIN RAISE EXCEPTION ''hijacked''; END \$\$';
		BEGIN
			FOR each IN SELECT * FROM (VALUES $names) AS v (what, types, constants, name) LOOP
				FOR place IN 0 .. cardinality(each.types) LOOP
					CONTINUE WHEN place > 0 AND substr(each.constants, place, 1) <> '1';
					FOREACH each_type IN ARRAY CASE WHEN place = 0 THEN ARRAY['']::text[] ELSE all_types END LOOP
						wanted := (SELECT coalesce(array_agg(CASE WHEN t IN ('bson', 'public.bson', 'ext.bson') THEN '$home.bson' WHEN t IN ('bson[]', 'public.bson[]') THEN '$home.bson[]' WHEN t = 'unknown' THEN 'text' ELSE t END ORDER BY nr), '{}') FROM unnest(each.types) WITH ORDINALITY AS u (t, nr));
						IF place > 0 THEN wanted[place] := each_type; END IF;
						BEGIN
							IF each.what = 'function' THEN
								CONTINUE WHEN to_regprocedure(format('pg_catalog.%I(%s)', each.name, array_to_string(wanted, ','))) IS NOT NULL OR to_regprocedure(format('public.%I(%s)', each.name, array_to_string(wanted, ','))) IS NOT NULL;
								EXECUTE format('CREATE FUNCTION public.%I(%s) RETURNS $home.bson %s', each.name, array_to_string(wanted, ','), PROCEDURE_BODY);
							ELSE
								IF each.what = 'any' AND place <> 2 THEN wanted[2] := regexp_replace(wanted[2], '\\[\\]\$', ''); END IF;
								CONTINUE WHEN cardinality(wanted) <> 2 OR to_regoperator(format('pg_catalog.%s(%s)', each.name, array_to_string(wanted, ','))) IS NOT NULL OR to_regoperator(format('public.%s(%s)', each.name, array_to_string(wanted, ','))) IS NOT NULL;
								IF to_regprocedure(format('public.trap_operator(%s)', array_to_string(wanted, ','))) IS NULL THEN
									EXECUTE format('CREATE FUNCTION public.trap_operator(%s) RETURNS bool %s', array_to_string(wanted, ','), PROCEDURE_BODY);
								END IF;
								EXECUTE format('CREATE OPERATOR public.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = public.trap_operator)', each.name, wanted[1], wanted[2]);
							END IF;
							number := number + 1;
						EXCEPTION WHEN invalid_function_definition OR undefined_object OR wrong_object_type OR insufficient_privilege OR feature_not_supported OR datatype_mismatch THEN
							RAISE NOTICE 'not planted: % %: %', each.name, wanted, SQLERRM;
						END;
					END LOOP;
				END LOOP;
			END LOOP;
			RAISE NOTICE 'planted %', number;
		END \$plant\$};
	my ($status, undef, $said) = $node->psql($db, $script);
	is($status, 0, "$db: others make functions and operators") or diag($said =~ /(ERROR:.*)/s);
	my ($number) = $said =~ /planted (\d+)$/m;
	cmp_ok($number // 0, '>', 500, 'enough of them');
	is(join("\n", $said =~ /NOTICE:  (not planted.*)/g), '', 'all that could be preferred');
}

foreach my $db ('planted', 'apart')
{
	plant($db, $home{$db});
	log_since();
	run_all($db, $home{$db});
	my $calls = calls_of(log_since());
	my $oids = join ',', map { (split / /)[1] } grep { /^(function|cast)/ } keys %$calls;
	my $operators = join ',', map { (split / /)[1] } grep { /^(operator|any)/ } keys %$calls;
	is($node->safe_psql($db, "SET debug_print_parse = off; SET search_path = pg_catalog; SELECT string_agg(oid::regprocedure::text, ' ') FROM pg_proc WHERE oid IN ($oids) AND proowner = 'mallory'::regrole"), '', 'no planted function is chosen');
	is($node->safe_psql($db, "SET debug_print_parse = off; SET search_path = pg_catalog; SELECT string_agg(oid::regoperator::text, ' ') FROM pg_operator WHERE oid IN ($operators) AND oprowner = 'mallory'::regrole"), '', 'and no operator');
	# indexes, checks and views keep what was chosen
	is($node->safe_psql($db, "SET debug_print_parse = off; SET search_path = pg_catalog; SELECT string_agg(pg_describe_object(classid, objid, objsubid), ', ') FROM pg_depend WHERE (refclassid = 'pg_proc'::regclass AND refobjid IN (SELECT oid FROM pg_proc WHERE proowner = 'mallory'::regrole) OR refclassid = 'pg_operator'::regclass AND refobjid IN (SELECT oid FROM pg_operator WHERE oprowner = 'mallory'::regrole)) AND NOT (classid = 'pg_operator'::regclass)"), '', 'nor does anything depend on one');
	my ($status, $got, $said) = $node->psql($db, $control =~ s/public/$home{$db}, public/r, on_error_stop => 1);
	like($said, qr/hijacked/, 'the control calls one') or diag("$got $said");
}

done_testing();
