# If this fails, ALTER EXTENSION bson UPDATE from an older version gives another result than CREATE EXTENSION.
#
# How a next version, say 1.1, is made (doc/contributing.md has the recipe):
#   - sql/bson--1.0.sql was released and changes no more.  sql/bson--1.0--1.1.sql has what is new; a fresh installation runs both.
#   - Functions of 1.0 keep their C symbols: a server has the new library while its databases still have 1.0.
#   - A function's arguments, a type's storage or an operator's strategy do not change: what is stored or indexed, and users'
#     views, depend on them.  Statements for the others: CREATE OR REPLACE FUNCTION, ALTER FUNCTION ... SUPPORT,
#     ALTER OPERATOR ... SET, ALTER OPERATOR FAMILY ... ADD, ALTER TYPE ... SET, COMMENT ON.  What is dropped and made
#     again has lost its comment.
#   - default_version in bson.control, and what test/bin/dist names, become 1.1.  Then this test tries all ways that lead there.
# No such way exists before 1.1, so the test also makes a version itself, and shows that it notices any
# omission in an update script.  It writes only into a private copy of the server.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use BsonTest;

my ($install, $scripts) = private_install();
my $node = node_of('main', $install);
$node->init(extra => [ '-E', 'UTF8', '--locale=C' ]);
$node->start;
# not in the search path: scripts must not depend on it
$node->safe_psql('postgres', 'CREATE SCHEMA "Other Place"');

# The objects that the extension made in a database, without the name of its version
sub catalog
{
	return grep { !/^extension bson: extversion / } extension_catalog($node, 'postgres');
}

# Version $to made afresh
sub fresh
{
	my ($to) = @_;

	$node->safe_psql('postgres', qq{CREATE EXTENSION bson SCHEMA "Other Place" VERSION '$to'});
	my @made = catalog();
	$node->safe_psql('postgres', 'DROP EXTENSION bson');
	return @made;
}

# Version $to by way of $from, with data that $from has stored
sub updated
{
	my ($from, $to) = @_;

	$node->safe_psql('postgres', qq{
		CREATE EXTENSION bson SCHEMA "Other Place" VERSION '$from';
		SET search_path = public, "Other Place";
		CREATE TABLE old AS SELECT n AS id, ('{"n": ' || n || ', "s": "x"}')::bson AS b FROM generate_series(1, 100) n;
		CREATE INDEX old_b ON old (b);
		CREATE INDEX old_gin ON old USING gin (b);
		CREATE VIEW over AS SELECT b -> 'n' AS n FROM old;
	});
	my $sum = 'SELECT count(*), md5(string_agg(b::bytea::text, $$,$$ ORDER BY id)), (SELECT count(*) FROM over) FROM old';
	my $before = $node->safe_psql('postgres', $sum);

	$node->safe_psql('postgres', "ALTER EXTENSION bson UPDATE TO '$to'");
	is($node->safe_psql('postgres', $sum), $before, "$from to $to: values stay");
	is($node->safe_psql('postgres', q{SET search_path = public, "Other Place"; SET enable_seqscan = off; SELECT id FROM old WHERE b @> '{"n": 77}' AND b >= '{"n": 77}'}),
		77, "$from to $to: indexes stay");
	my @made = catalog();
	$node->safe_psql('postgres', 'DROP TABLE old CASCADE; DROP EXTENSION bson');
	return @made;
}

# Lines of one list only
sub difference
{
	my ($one, $other) = @_;
	my %in_one = map { $_ => 1 } @$one;
	my %in_other = map { $_ => 1 } @$other;

	return ((map { "only the fresh one: $_" } grep { !$in_other{$_} } @$one),
		(map { "only the updated one: $_" } grep { !$in_one{$_} } @$other));
}

# The existing versions
my $default = $node->safe_psql('postgres', q{SELECT default_version FROM pg_available_extensions WHERE name = 'bson'});
my @catalog = fresh($default);
my $members = $node->safe_psql('postgres', q{
	CREATE EXTENSION bson;
	SELECT count(*) FROM pg_depend WHERE deptype = 'e' AND refclassid = 'pg_extension'::regclass
		AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'bson')});
$node->safe_psql('postgres', 'DROP EXTENSION bson');
is(scalar(grep { /: member yes$/ } @catalog), $members, 'the comparison is of all members');

my @sources = split /\n/, $node->safe_psql('postgres', qq{
	SELECT version FROM pg_available_extension_versions WHERE name = 'bson' AND version <> '$default' ORDER BY version});
note("$default has no older version yet") unless @sources;
foreach my $from (@sources)
{
	my $path = $node->safe_psql('postgres', qq{
		SELECT path FROM pg_extension_update_paths('bson') WHERE source = '$from' AND target = '$default' AND path IS NOT NULL});

	isnt($path, '', "a way leads from $from to $default") or next;
	is_deeply([ difference(\@catalog, [ updated($from, $default) ]) ], [], "$path: as a fresh one");
}
like(PostgreSQL::Test::Utils::slurp_file($_), qr/^\\echo Use "ALTER EXTENSION bson UPDATE" to load this file\. \\quit$/m, "$_ is not for psql")
  foreach glob("$scripts/bson--*--*.sql");

# What a fresh installation runs: the first script, and each step from there to the default version
my ($first) = map { /bson--([\d.]+)\.sql$/ } glob("$scripts/bson--*.sql");
my @way = ($first);
@way = split /--/, $node->safe_psql('postgres', qq{SELECT path FROM pg_extension_update_paths('bson') WHERE source = '$first' AND target = '$default'}) if $first ne $default;
my $whole = join '', map { PostgreSQL::Test::Utils::slurp_file("$scripts/bson--$_.sql") } $first, map { "$way[$_ - 1]--$way[$_]" } 1 .. $#way;
my ($cast_comment) = $whole =~ /(COMMENT ON CAST \(bson AS date\) IS '[^']*')/;

# A next version.  Each change has: the part of the catalog that changes, the difference of
# the whole script (undef if the same statement is appended), and the statement of the
# update.
my @changes = (
	[ qr/function .*bson_news\(.*bson\): /, undef, q{CREATE FUNCTION bson_news(bson) RETURNS text AS 'MODULE_PATHNAME', 'pgbson_typeof' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE} ],
	[ qr/function .*bson_typeof\(.*: comment/, undef, q{COMMENT ON FUNCTION bson_typeof(bson) IS 'something else'} ],
	[ qr/function .*bson_depth\(.*: provolatile/, sub { s/(CREATE FUNCTION bson_depth\(bson\).*?LANGUAGE C )IMMUTABLE/$1STABLE/s }, q{ALTER FUNCTION bson_depth(bson) STABLE} ],
	[ qr/function .*bson_pretty\(.*: proisstrict/, undef, q{ALTER FUNCTION bson_pretty(bson) CALLED ON NULL INPUT} ],
	[ qr/function .*bson_to_extjson\(.*: proparallel/, undef, q{ALTER FUNCTION bson_to_extjson(bson, text) PARALLEL RESTRICTED} ],
	[ qr/function .*bson_is_valid\(.*: procost/, undef, q{ALTER FUNCTION bson_is_valid(bytea) COST 77} ],
	[ qr/function .*bson_size\(.*: prosupport/, sub { s/(CREATE FUNCTION bson_size\(bson\).*?PARALLEL SAFE)/$1 SUPPORT bson_accessor_support/s }, q{ALTER FUNCTION bson_size(bson) SUPPORT bson_accessor_support} ],
	[ qr/function .*bson_array_length\(.*: prosrc/, sub { s/'pgbson_array_length'/'pgbson_size'/ },
		q{CREATE OR REPLACE FUNCTION bson_array_length(bson) RETURNS int4 AS 'MODULE_PATHNAME', 'pgbson_size' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bson_accessor_support} ],
	[ qr/operator .*===\(/, undef, q{CREATE OPERATOR === (LEFTARG = bson, RIGHTARG = bson, FUNCTION = bson_identical, COMMUTATOR = ===)} ],
	[ qr/operator .*<@\(.*: oprrest/, undef, q{ALTER OPERATOR <@ (bson, bson) SET (RESTRICT = contsel)} ],
	[ qr/function of access method .* USING btree: /, undef, q{ALTER OPERATOR FAMILY bson_ops USING btree ADD FUNCTION 4 (bson) btequalimage(oid)} ],
	[ qr/cast .*bson AS .*date\): castcontext/, sub { s/(CREATE CAST \(bson AS date\) [^;]*);/$1 AS ASSIGNMENT;/ },
		qq{DROP CAST (bson AS date); CREATE CAST (bson AS date) WITH FUNCTION bson_to_date(bson) AS ASSIGNMENT; $cast_comment} ],
	[ qr/aggregate .*bson_agg_strict\(.*: agg(combinefn|serialfn|deserialfn)/, undef,
		q{CREATE OR REPLACE AGGREGATE bson_agg_strict(anyelement) (SFUNC = bson_agg_strict_transfn, STYPE = internal, FINALFUNC = bson_agg_finalfn, PARALLEL = SAFE)} ],
	[ qr/type .*bson: typanalyze/, sub { s/\n *ANALYZE = bson_typanalyze,// }, q{ALTER TYPE bson SET (ANALYZE = NONE)} ],
	[ qr/function .*bson_objectid_timestamp\(/, sub { s/CREATE FUNCTION bson_objectid_timestamp\(.*?;(\s*COMMENT ON FUNCTION bson_objectid_timestamp.*?;)?//s }, q{DROP FUNCTION bson_objectid_timestamp} ]);

my $echo = qq{\\echo Use "ALTER EXTENSION bson UPDATE" to load this file. \\quit\n};

sub script
{
	my ($name, $text) = @_;

	PostgreSQL::Test::Utils::append_to_file("$scripts/bson--$name.sql", $text);
}

foreach my $change (@changes)
{
	my (undef, $edit, $statement) = @$change;

	if (!$edit)
	{
		$whole .= "$statement;\n";
		next;
	}
	local $_ = $whole;
	$edit->();
	isnt($_, $whole, "the script has what is to change: $statement");
	$whole = $_;
}
script('next', $whole);
script("$default--next", $echo . join '', map { "$_->[2];\n" } @changes);
my @next = fresh('next');
isnt("@next", "@catalog", 'the next version is another');
is_deeply([ difference(\@next, [ updated($default, 'next') ]) ], [], 'an update that does everything is as a fresh one');

# omit each change in turn
foreach my $forgotten (0 .. $#changes)
{
	my ($object, undef, $statement) = @{ $changes[$forgotten] };

	script("$default--without$forgotten", $echo . join '', map { "$changes[$_][2];\n" } grep { $_ != $forgotten } 0 .. $#changes);
	my @difference = difference(\@next, [ updated($default, "without$forgotten") ]);
	ok(@difference > 0, "missed: $statement");
	is_deeply([ grep { !/: $object/ } @difference ], [], 'and only that');
}

$node->stop;
done_testing();
