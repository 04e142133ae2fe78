# What the TAP tests share: values of every kind, and how to compare tables of them.
package BsonTest;

use strict;
use warnings;
use Exporter 'import';
use File::Basename qw(dirname);
use Test::More;

# the server's modules must be loaded at compile time, and only if they exist
BEGIN
{
	plan skip_all => 'IPC::Run is not installed (Debian: libipc-run-perl)'
	  unless eval { require IPC::Run; 1 };
	require PostgreSQL::Test::Cluster;
	require PostgreSQL::Test::Utils;
}

our @EXPORT = qw(kinds create_values values_sum reads document wrapped bson_string extension_catalog private_install node_of session_of);

# What a new session of the node prints, and then its messages, without those of their lines that begin with "unwanted"
sub session_of
{
	my ($node, $sql, $unwanted) = @_;
	my ($out, $err);

	$node->psql('postgres', $sql, stdout => \$out, stderr => \$err, on_error_stop => 0);
	$err =~ s/^psql:.*?: //mg;
	$err =~ s/^$unwanted.*\n?//mg;
	$err =~ s/\n$//;
	return $err eq '' ? $out : $out eq '' ? $err : "$out\n$err";
}

# BSON, built by hand so that nothing under test made it
sub document
{
	my $body = join '', map { chr($_->[0]) . "$_->[1]\0$_->[2]" } @_;
	return pack('l<', length($body) + 5) . $body . "\0";
}

sub bson_string { return pack('l<', length($_[0]) + 1) . "$_[0]\0" }

# a root that is not a document, as it is stored
sub wrapped
{
	my ($type, $value) = @_;
	return document([ 0xFF, '', '' ], [ $type, '', $value ]);
}

# Names and bytes of a value of each type, and of values that plain text cannot express
sub kinds
{
	my $oid = pack('H*', '5f2b1c3d4e5f60718293a4b5');
	my $doc = document([ 16, 'x', pack('l<', 1) ]);
	my @scalars = (
		[ 'double', 1, pack('d<', 10.5) ],
		[ 'double that is whole', 1, pack('d<', 15) ],
		[ 'minus zero', 1, pack('H*', '0000000000000080') ],
		[ 'NaN with a payload', 1, pack('H*', '010000000000f87f') ],
		[ 'infinity', 1, pack('d<', 9**9**9) ],
		[ 'string', 2, bson_string('plain') ],
		[ 'string of every ASCII character', 2, bson_string(join '', map { chr } 0 .. 127) ],
		[ 'string beyond ASCII', 2, bson_string("\xc3\xa9\xe6\x97\xa5\xf0\x9f\x98\x80") ],
		[ 'document', 3, $doc ],
		[ 'array', 4, document([ 16, '0', pack('l<', 1) ], [ 10, '1', '' ]) ],
		[ 'array with odd keys', 4, document([ 16, '7', pack('l<', 1) ], [ 10, 'x', '' ]) ],
		[ 'binary', 5, pack('l<C', 3, 0) . "\0\1\xff" ],
		[ 'binary of subtype 2', 5, pack('l<Cl<', 7, 2, 3) . "\0\1\xff" ],
		[ 'uuid', 5, pack('l<C', 16, 4) . pack('H*', '123e4567e89b12d3a456426614174000') ],
		[ 'user-defined binary', 5, pack('l<C', 1, 0x80) . "\x05" ],
		[ 'undefined', 6, '' ],
		[ 'ObjectId', 7, $oid ],
		[ 'false', 8, "\0" ],
		[ 'true', 8, "\1" ],
		[ 'date', 9, pack('q<', 1646309594789) ],
		[ 'date before 1970', 9, pack('q<', -1) ],
		[ 'date beyond every calendar', 9, pack('q<', -9223372036854775807) ],
		[ 'null', 10, '' ],
		[ 'regex', 11, "^a.*\"\\\\\0im\0" ],
		[ 'regex with options out of order', 11, "a\0xi\0" ],
		[ 'dbpointer', 12, bson_string('db.c') . $oid ],
		[ 'code', 13, bson_string('function () {}') ],
		[ 'symbol', 14, bson_string('sym') ],
		[ 'code with scope', 15, pack('l<', 4 + 9 + length $doc) . bson_string('f(x)') . $doc ],
		[ 'int32', 16, pack('l<', -2147483648) ],
		[ 'timestamp', 17, pack('L<L<', 4294967295, 7) ],
		[ 'int64', 18, pack('q<', 9223372036854775807) ],
		[ 'small int64', 18, pack('q<', 15) ],
		[ 'decimal128', 19, pack('H*', '6e000000000000000000000000003c30') ],
		[ 'decimal128 that is not canonical', 19, pack('H*', 'ffffffffffffffffffffffffffff6f6c') ],
		[ 'minkey', 0xFF, '' ],
		[ 'maxkey', 0x7F, '' ]);
	my @kinds;

	foreach my $s (@scalars)
	{
		my ($name, $type, $value) = @$s;

		push @kinds, [ "$name in a document", document([ $type, 'a', $value ], [ 10, 'z', '' ]) ];
		push @kinds, [ "$name alone", $type == 3 ? $value : wrapped($type, $value) ];
	}
	push @kinds,
	  [ 'empty document', document() ],
	  [ 'duplicate keys', document([ 16, 'a', pack('l<', 1) ], [ 16, 'a', pack('l<', 2) ]) ],
	  [ 'odd keys', document(map { [ 10, $_, '' ] } '', '.', 'a.b', '$', '"', '\\', "\t", "\xc3\xa9", 'k' x 300) ],
	  [ 'what looks like a wrapper', document([ 3, 'a', document([ 2, '$oid', bson_string('no') ]) ]) ],
	  [ 'what is no wrapper', document([ 3, 'a', document([ 2, '$numberInt', bson_string('5') ]) ]) ],
	  [ 'a document like a wrapped value', document([ 0xFF, '', '' ], [ 3, '', $doc ]) ],
	  [ 'long and compressible', document([ 2, 'a', bson_string('abc' x 50000) ], [ 16, 'b', pack('l<', 1) ]) ],
	  [ 'long and not', document([ 5, 'a', pack('l<C', 40000, 0) . noise(40000) ], [ 16, 'b', pack('l<', 1) ]) ],
	  [ 'wide', document(map { [ 16, "key$_", pack('l<', $_) ] } 1 .. 2000) ];

	my $deep = $doc;
	$deep = document([ $_ % 2 ? 3 : 4, '0', $deep ]) for 1 .. 999;
	push @kinds, [ '1,000 levels', $deep ];
	return @kinds;
}

# bytes that do not compress, the same in every run
sub noise
{
	my ($len) = @_;
	my $state = 42;
	my $out = '';

	while (length $out < $len)
	{
		$state = ($state * 1103515245 + 12345) & 0x7fffffff;
		$out .= chr(($state >> 16) & 0xff);
	}
	return $out;
}

# A table of every kind
sub create_values
{
	my ($node, $db, $table) = @_;
	my $sql = "CREATE EXTENSION IF NOT EXISTS bson;\n"
	  . "CREATE TABLE $table (id serial PRIMARY KEY, kind text, b bson);\n"
	  . "COPY $table (kind, b) FROM STDIN;\n";

	$sql .= "$_->[0]\t\\\\x" . unpack('H*', $_->[1]) . "\n" foreach kinds();
	$sql .= "NULL\t\\N\n\\.\n";
	$node->safe_psql($db, $sql);
	return scalar(kinds()) + 1;
}

# Every expression over a table v (id, kind, b) that reads a bson b, as far as this build has its function
sub reads
{
	my ($node) = @_;

	$node->safe_psql('postgres', 'CREATE TYPE r AS (a int, z bson)');
	return grep { works($node, $_) } (
		'b::text', "b -> 'a'", 'b -> 0', 'b -> -1', "b ->> 'a'", 'b ->> 0', 'b ->> -1', "b #> '{a,0,0}'", "b #>> '{a,0,x}'",
		"b #>> '{}'", "b -#> 'a'", "b -&> 'a'", 'b -#> 0', "b -#> '{a,0}'", 'bson_typeof(b)',
		'bson_array_length(b)', 'bson_send(b)', 'b::bytea::bson', 'b::json', 'b::jsonb', 'bson_hash(b)', 'bson_hash_extended(b, 1)',
		"b = '{\"a\": 1}'", 'bson_cmp(b, b || b)', "b < '{\"a\": 1.5, \"z\": null}'", "b > '[1, 2]'", "bson_cmp(b, '{\"x\": 1}')",
		'(SELECT count(*) FROM bson_each(b))', '(SELECT count(*) FROM bson_each_text(b))', '(SELECT count(*) FROM bson_object_keys(b))',
		'(SELECT count(*) FROM bson_array_elements(b))', '(SELECT count(*) FROM bson_array_elements_text(b))',
		"bson_to_extjson(b, 'canonical')", "bson_to_extjson(b, 'relaxed')", 'bson_pretty(b)', 'bson_size(b)', 'bson_depth(b)',
		'bson_agg(b) OVER ()', "bson_build_object('k', b)", 'bson_build_array(b, b)', 'to_bson(b)', 'row_to_bson(v)', "to_bson(ARRAY[b])",
		"b @> '{\"a\": [1]}'", "'{\"a\": [1], \"x\": 1}' <@ b", 'b @> b', "b ? 'a'", "b ?| '{a,b}'", "b ?& '{a,b}'", "b || '{\"q\": 1}'", "'[1]' || b", 'b || b',
		"b - 'a'", 'b - 0', "b - '{a,z}'::text[]", "b #- '{a,0}'", "bson_set(b, '{a,x}', '5')", "bson_set(b, '{q}', b)", "bson_insert(b, '{a,0}', '5')",
		'bson_strip_nulls(b)', "b['a']['0']", "b['a'][0]", "bson_get_int4(b, 'a')", "bson_get_text(b, 'a')", "bson_get_timestamptz(b, 'a')",
		"bson_get_numeric(b, 'a')", "bson_get_uuid(b, 'a')", "bson_get_bytea(b, 'a')", "bson_get_objectid(b, 'a')", "bson_get_float8(b, 'a')",
		"(b -> 'a')::int", "(b -> 'a')::numeric", "(b -> 'a')::text", "(b -> 'a')::timestamptz", "(b -> 'a')::bool", "(b -> 'a')::uuid",
		"b @? '\$.**'", "b @@ '\$.a == 1'", "bson_path_query_array(b, '\$.**')", "bson_update(b, '{\"\$set\": {\"a.b\": 1}}')",
		"bson_match(b, '{\"a\": {\"\$gt\": 1}}')", "bson_populate_record(null::r, b)", "to_tsvector('simple', b)",
		'bson_identical(b, b)');
}

sub works
{
	my ($node, $expression) = @_;
	my $ok = $node->psql('postgres', "BEGIN; DECLARE c CURSOR FOR SELECT $expression FROM v;", on_error_stop => 1) == 0;

	note("not there: $expression") unless $ok;
	return $ok;
}

# One digest of all bytes of a table, in the order of its ids
sub values_sum
{
	my ($node, $db, $table) = @_;

	return $node->safe_psql($db,
		"SELECT count(*), md5(string_agg(id || coalesce(encode(b::bytea, 'hex'), 'null'), ',' ORDER BY id)) FROM $table");
}

# The rows of the catalogs for all objects of the extension, as lines "kind name:
# column value" without OIDs, so that those of two databases can be compared.  The
# columns are read from the catalogs, so none is omitted.
sub extension_catalog
{
	my ($node, $db) = @_;
	my $rows = join ' UNION ALL ', map {
		my $key = $_ eq 'pg_aggregate' ? 'aggfnoid' : 'oid';
		my $class = $_ eq 'pg_aggregate' ? 'pg_proc' : $_;
		"SELECT '$_'::regclass, '$class'::regclass, $key, to_jsonb(r) - '{oid,aggfnoid}'::text[] FROM $_ r"
	} qw(pg_extension pg_type pg_proc pg_aggregate pg_operator pg_cast pg_opfamily pg_opclass pg_amop pg_amproc);

	return split /\n/, $node->safe_psql($db, qq{
		SET search_path = pg_catalog;
		WITH RECURSIVE record (catalog, class, oid, columns) AS ($rows),
		class AS (SELECT DISTINCT class FROM record),
		part (classid, objid, deptype) AS (
			SELECT 'pg_extension'::regclass::oid, oid, ''::"char" FROM pg_extension WHERE extname = 'bson'
			UNION
			SELECT d.classid, d.objid, d.deptype FROM pg_depend d JOIN part p ON d.refclassid = p.classid AND d.refobjid = p.objid
			WHERE d.classid IN (SELECT class FROM class) AND d.deptype IN ('e', 'i', 'a')	-- 'n' are the users'
		),
		object AS (
			SELECT DISTINCT classid, objid, (i).type || ' ' || (i).identity AS name
			FROM part, pg_identify_object(classid, objid, 0) i
		),
		-- what no plain column says: expressions, comments, being a member
		said AS (
			SELECT name, 'comment' AS key, obj_description(objid, classid::regclass::name) AS value FROM object
			UNION ALL
			SELECT name, 'arguments', pg_get_function_arguments(objid) FROM object WHERE classid = 'pg_proc'::regclass
			UNION ALL
			SELECT name, 'body', pg_get_function_sqlbody(objid) FROM object WHERE classid = 'pg_proc'::regclass
			UNION ALL
			SELECT name, 'member', 'yes' FROM object JOIN part USING (classid, objid) WHERE deptype = 'e'
			UNION ALL
			SELECT name, key, coalesce((
					SELECT string_agg(coalesce((pg_identify_object(k.pktable, o[1]::oid, 0)).identity, o[1]), ' ' ORDER BY n)
					FROM regexp_matches(value::text, '\\d+', 'g') WITH ORDINALITY m (o, n)
					WHERE k.pktable IS NOT NULL AND value::text ~ '^[]["0-9, ]+\$'), value::text)
			FROM object
				JOIN record ON classid = class AND objid = oid
				CROSS JOIN jsonb_each(columns)
				LEFT JOIN pg_get_catalog_foreign_keys() k ON fktable = catalog AND fkcols = ARRAY[key]
			WHERE key NOT IN ('proargdefaults', 'prosqlbody', 'typdefaultbin')
		)
		SELECT replace(name || ': ' || key || ' ' || value, E'\n', ' ') FROM said
		WHERE value IS NOT NULL AND value <> 'null' ORDER BY name COLLATE "C", key COLLATE "C", value COLLATE "C"});
}

# Make a private copy of the server in the path, for tests that write among its files; return its
# directory, and that of its extensions' scripts.  A server finds its files relative to its
# program, so programs are copied, and other files may be links at the same relative paths.
sub private_install
{
	my $dir = PostgreSQL::Test::Utils::tempdir();
	my %place;

	foreach my $kind ('bindir', 'pkglibdir', 'sharedir')
	{
		chomp(my $place = qx{pg_config --$kind});
		$place{$kind} = "$dir$place";
		system('mkdir', '-p', "$dir$place") == 0 or die;
		system('cp', $kind eq 'bindir' ? '-LR' : '-Rs', "$place/.", "$dir$place") == 0 or die;
	}
	mkdir dirname($place{bindir}) . '/lib';
	return (dirname($place{bindir}), "$place{sharedir}/extension");
}

# A node of the server in a directory
sub node_of
{
	my ($name, $install) = @_;
	# until 14 is dropped: its new() takes a host and a port
	my $maker = PostgreSQL::Test::Cluster->can('get_new_node') // PostgreSQL::Test::Cluster->can('new');

	return $maker->('PostgreSQL::Test::Cluster', $name, install_path => $install);
}

1;
