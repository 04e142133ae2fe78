# If this fails, bson gives wrong answers, or crashes the backend, if another extension with a BSON type is loaded, too.
#
# The other extensions' libraries have functions of the same names, their own or
# those of a copy of libbson.  Which function a library calls depends on which
# library was loaded first.  These extensions are not part of this project; if the
# server has none of them, there is nothing to test.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use BsonTest;

# The statements for each: values are made from text and from bytes, read, compared and printed
my %peers = (
	pgbson => {
		create => 'CREATE SCHEMA theirs; CREATE EXTENSION pgbson SCHEMA theirs',
		type => 'theirs.bson',
		ask => [
			"theirs.bson_get_string('{\"a\": {\"b\": [\"x\"]}}'::theirs.bson, 'a.b.0')",
			"theirs.bson_get_int32('{\"a\": 5}'::theirs.bson, 'a')",
			"theirs.bson_get_decimal128('{\"a\": {\"\$numberDecimal\": \"1.10\"}}'::theirs.bson, 'a')",
			"theirs.bson_get_jsonb_array('{\"a\": [1, 2]}'::theirs.bson, 'a')",
			"theirs.bson_get_bson('{\"a\": {\"b\": 1}}'::theirs.bson, 'a')",
			"theirs.pgbson_compare('{\"a\": 1}'::theirs.bson, '{\"a\": 2}'::theirs.bson)",
			"theirs.bson_hash('{\"a\": 1}'::theirs.bson)",
			"'\\x0c0000001061000100000000'::bytea::theirs.bson" ],
	},
	documentdb_core => {
		create => 'CREATE EXTENSION documentdb_core',
		library => 'pg_documentdb_core',	# it must be preloaded
		type => 'documentdb_core.bson',
		ask => [
			"documentdb_core.bson_get_value_text('{\"a\": {\"b\": [\"x\"]}}'::documentdb_core.bson, 'a.b.0')",
			"documentdb_core.bson_json_to_bson('{\"a\": {\"\$numberDecimal\": \"1.10\"}, \"b\": [1, {\"c\": true}]}')",
			"documentdb_core.bson_to_json_string('{\"a\": [1, 2]}'::documentdb_core.bson)",
			"documentdb_core.bson_build_document('a'::text, 1, 'b'::text, 'x'::text)",
			"documentdb_core.bson_compare('{\"a\": 1}'::documentdb_core.bson, '{\"a\": 2.5}'::documentdb_core.bson)",
			"documentdb_core.bson_hash_int8('{\"a\": 1}'::documentdb_core.bson, 3)",
			"'\\x0c0000001061000100000000'::bytea::documentdb_core.bson" ],
	});

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
my @here = grep {
	$node->safe_psql('postgres', "SELECT 1 FROM pg_available_extensions WHERE name = '$_'")
} sort keys %peers;
if (!@here)
{
	# skipped in this way, because a test that skips everything counts as one that could not run
  SKIP: { skip 'no other extension with a BSON type is installed', 1; }
	done_testing();
	exit;
}

create_values($node, 'postgres', 'v');
# and made from text and in other ways, which use libbson's builder
my @reads = (reads($node), 'b::text::bson', 'b::json::bson', 'b::jsonb::bson',
	q{(SELECT bson_in(b::text::cstring) FROM (SELECT set_config('bson.json_parser', 'json-c', true) OFFSET 0) s)},
	q{bson_from_extjson(bson_to_extjson(b, 'canonical'))}, q{array_to_bson(ARRAY[b, b])});
$node->safe_psql('postgres', q{
	CREATE FUNCTION answers(VARIADIC expressions text[]) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE
		expression text;
		number int;
		answer text;
		sum text := '';
	BEGIN
		FOREACH expression IN ARRAY expressions LOOP
			FOR number IN SELECT id FROM v ORDER BY id LOOP
				BEGIN
					EXECUTE 'SELECT (' || expression || ')::text FROM v WHERE id = ' || number INTO answer;
				EXCEPTION WHEN OTHERS THEN
					answer := SQLSTATE;
				END;
				sum := md5(sum || coalesce(answer, 'null'));
			END LOOP;
		END LOOP;
		RETURN sum;
	END $$;
});
my $ours = 'SELECT answers(' . join(', ', map { $node->safe_psql('postgres', "SELECT quote_literal(\$\$$_\$\$)") } @reads) . ')';

# Run one session; return the answers of its statements, or nothing if it crashed
sub session
{
	my @statements = @_;
	my ($out, $err);
	my $status = $node->psql('postgres', join(";\n", 'SET bytea_output = hex', @statements), stdout => \$out, stderr => \$err,
		on_error_stop => 1, timeout => 600);

	diag($err) if $status != 0;
	return $status == 0 ? split(/\n/, $out) : ();
}

my ($alone) = session($ours);
ok($alone, scalar(@reads) . ' expressions over every kind of value have answers');

sub start_with
{
	my ($libraries) = @_;

	$node->append_conf('postgresql.conf', "shared_preload_libraries = '$libraries'");
	$node->restart;
}

# The other extension, with ours before and after, in backends that load either one first
sub together
{
	my ($name, @peers) = @_;
	my @theirs = map { my $peer = $_; map { "SELECT $_" } @{ $peers{$peer}{ask} } } @peers;
	# the same document, from ours to theirs and back
	my @between = map {
		"SELECT every(b::bytea::$peers{$_}{type}::bytea = b::bytea) FROM v WHERE kind IN ('int32 in a document', 'string in a document', 'wide')"
	} @peers;
	my @their_answers = session(@theirs);

	is(scalar(@their_answers), scalar(@theirs), "$name: theirs answer");
	is_deeply([ session($ours, @theirs, $ours, @between) ], [ $alone, @their_answers, $alone, map { 't' } @peers ], "$name: ours before theirs");
	is_deeply([ session(@theirs, $ours, @between, @theirs) ], [ @their_answers, $alone, (map { 't' } @peers), @their_answers ], "$name: theirs before ours");
}

my @working;
foreach my $peer (@here)
{
	my $library = $peers{$peer}{library};

	start_with($library) if $library;
  SKIP: {
		my ($out, $err);

		# for instance one built for another libbson
		skip "$peer is here, but does not work: $err", 1
		  if $node->psql('postgres', $peers{$peer}{create}, stdout => \$out, stderr => \$err) != 0;
		push @working, $peer;
		together($peer, $peer);
	}
	next unless $library && grep { $_ eq $peer } @working;
	start_with("bson, $library");
	together("$peer, its library after ours", $peer);
	start_with("$library, bson");
	together("$peer, its library before ours", $peer);
}
together('all of them', @working) if @working > 1;

# and the other extensions can be dropped while ours stays
$node->safe_psql('postgres', "DROP EXTENSION $_") foreach @working;
is((session($ours))[0], $alone, 'ours stay when the others go');
unlike(PostgreSQL::Test::Utils::slurp_file($node->logfile), qr/was terminated by signal/, 'no backend died');

done_testing();
