# If this fails, databases that are not UTF-8 garble BSON's UTF-8, or return text in a wrong encoding.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use BsonTest;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
$node->safe_psql('postgres', "CREATE DATABASE $_->[0] ENCODING '$_->[1]' LOCALE 'C' TEMPLATE template0")
  foreach [ 'latin1', 'LATIN1' ], [ 'eucjp', 'EUC_JP' ], [ 'ascii', 'SQL_ASCII' ], [ 'utf8', 'UTF8' ];

# the bytes, in hexadecimal digits, of {"KEY": "VALUE"}, where KEY and VALUE are these bytes
sub pair { return unpack('H*', document([ 2, $_[0], bson_string($_[0]) ])) }

# the query and the answer are in UTF-8 for any encoding of the database
sub ask
{
	my ($db, $sql) = @_;
	my ($out, $err);
	my $status = $node->psql($db, "SET client_encoding = " . ($db eq 'ascii' ? 'SQL_ASCII' : 'UTF8') . ";\n$sql",
		stdout => \$out, stderr => \$err, on_error_stop => 1, extra_params => [ '-v', 'VERBOSITY=verbose' ]);

	return $status == 0 ? $out : $err =~ /ERROR:\s+(\w{5})/ ? "ERROR $1" : "LOST $err";
}

my $e = "\xc3\xa9";                  # e acute: LATIN1 has it, EUC_JP (JIS X 0212) too
my $kanji = "\xe6\x97\xa5\xe6\x9c\xac";    # EUC_JP has it, LATIN1 does not
my $face = "\xf0\x9f\x98\x80";             # neither has it

foreach my $case ([ 'latin1', $e ], [ 'eucjp', $kanji ], [ 'utf8', $e ], [ 'utf8', $kanji ], [ 'utf8', $face ], [ 'ascii', $e ], [ 'ascii', $face ])
{
	my ($db, $c) = @$case;
	my $name = "$db, " . unpack('H*', $c);
	my $hex = pair($c);
	my $text = qq({"$c": "$c"});

	ask($db, 'CREATE EXTENSION IF NOT EXISTS bson');
	is(ask($db, "SELECT encode('$text'::bson::bytea, 'hex')"), $hex, "$name: text in is stored as UTF-8");
	is(ask($db, "SELECT '\\x$hex'::bson"), $text, "$name: text out is in the database's encoding");
	is(ask($db, "SELECT encode(bson_in(bson_out('\\x$hex'::bson))::bytea, 'hex')"), $hex, "$name: out and in");
	is(ask($db, "SELECT '\\x$hex'::bson ->> '$c'"), $c, "$name: ->> by a key");
	is(ask($db, "SELECT '\\x$hex'::bson -> '$c'"), qq("$c"), "$name: -> by a key");
	is(ask($db, "SELECT '\\x$hex'::bson #>> ARRAY['$c']"), $c, "$name: #>> by a path");
	is(ask($db, "SELECT bson_object_keys('\\x$hex')"), $c, "$name: keys");
	is(ask($db, "SELECT key || '=' || value FROM bson_each_text('\\x$hex')"), "$c=$c", "$name: each");
	is(ask($db, "SELECT '\\x$hex'::bson::jsonb ->> '$c'"), $c, "$name: to jsonb");
	is(ask($db, "SELECT '\\x$hex'::bson::json ->> '$c'"), $c, "$name: to json");
	is(ask($db, "SELECT encode('$text'::jsonb::bson::bytea, 'hex')"), $hex, "$name: from jsonb");
	is(ask($db, "SELECT encode('$text'::json::bson::bytea, 'hex')"), $hex, "$name: from json");
	is(ask($db, "SELECT to_bson('$c'::text) = '\\x$hex'::bson -> '$c'"), 't', "$name: to_bson");
	is(ask($db, "SELECT '{\"a\": \"\\u00e9\"}'::bson ->> 'a'"), $e, "$name: an escape") if $c eq $e;
	is(ask($db, "SELECT '\\x$hex'::bson @~ '{\"$c\": {\"\$regex\": \"^$c\$\"}}'"), 't', "$name: a query's regular expression");
	is(ask($db, "SELECT '\\x$hex'::bson @? '\$.\"$c\" ? (@ like_regex \"^$c\$\")'"), 't', "$name: a jsonpath's");
	is(ask($db, "SELECT '\\x$hex'::bson @? '\$ ? (@.\"$c\" == \"$c\" && @.\"$c\" starts with \"$c\")'"), 't', "$name: a jsonpath");
	is(ask($db, "SELECT bson_update('\\x$hex', '{\"\$set\": {\"$c\": 1}}')"), qq({"$c": 1}), "$name: an update");

	# statistics are kept by the bytes of keys, and are found by their text
	is( ask($db, qq{
			CREATE TABLE IF NOT EXISTS many (b bson);
			TRUNCATE many;
			INSERT INTO many SELECT '\\x$hex' FROM generate_series(1, 1000);
			INSERT INTO many SELECT '{"a": 1}' FROM generate_series(1, 9000);
			ANALYZE many;
			CREATE OR REPLACE FUNCTION guess(query text) RETURNS int LANGUAGE plpgsql AS '
				DECLARE plan json; BEGIN EXECUTE ''EXPLAIN (FORMAT json) '' || query INTO plan; RETURN plan -> 0 -> ''Plan'' ->> ''Plan Rows''; END ';
			SELECT guess('SELECT * FROM many WHERE b ? ''$c''') BETWEEN 500 AND 2000}), 't', "$name: estimates");
}

# characters that the database's encoding lacks
my $hex = pair($kanji);
like(ask('latin1', "SELECT '\\x$hex'::bson ->> 0"), qr/^$/, 'an index into a document is NULL');
is(ask('latin1', "SELECT encode('\\x$hex'::bson::bytea, 'hex')"), $hex, 'bytes pass where no text could');
is(ask('latin1', "SELECT encode(bson_send('\\x$hex'::bson), 'hex')"), $hex, 'and so does the binary format');
is(ask('latin1', "SELECT encode(bson_in(bson_out('\\x$hex'::bson))::bytea, 'hex')"), $hex,
	'a dump of what LATIN1 lacks reads back');
is(ask('latin1', "SELECT count(*) FROM (VALUES ('\\x$hex'::bson), ('\\x$hex')) s (b) GROUP BY b"), '2', 'it compares');
is(ask('latin1', "SELECT (SELECT value FROM bson_each('\\x$hex')) ->> 'a'"), 'ERROR 22P05', 'a key that has no text is an error');
is(ask('latin1', "SELECT bson_get_text('\\x" . unpack('H*', document([ 2, 'a', bson_string($kanji) ])) . "', 'a') IS NULL"), 't',
	'for a typed getter it is not there');
is(ask('eucjp', "SELECT bson_get_text('\\x" . unpack('H*', document([ 2, 'a', bson_string('x' . $kanji x 1000) ])) . "', 'a')"), 'x' . $kanji x 1000,
	'and a long string comes whole');
is( ask('latin1', qq{
		CREATE TABLE lacking AS SELECT '\\x$hex'::bson AS b FROM generate_series(1, 1000);
		ANALYZE lacking;
		SELECT count(*) FROM lacking WHERE b ? 'a'}), '0', 'a table of such keys is analyzed');
is(ask('latin1', "SELECT '\\x" . pair("$e$kanji$e") . "'::bson"), qq({"$e\\u65e5\\u672c$e": "$e\\u65e5\\u672c$e"}), 'of a string only what has no text is escaped');
is(ask('latin1', "SELECT '\\x" . unpack('H*', document([ 2, 'a', bson_string($kanji) ])) . "'::bson @~ '{\"a\": {\"\$regex\": \".\"}}'"), 't', 'a regular expression matches what has no text');
is(ask('latin1', q(SELECT '{"a": {"$oid": "\u65e5\u00e9"}}'::bson)), 'ERROR 22P02', 'an error may quote it');
is(ask('latin1', "SELECT '\\x$hex'::bson #>> '{}'") =~ /ERROR 22P05|^\{/ ? 1 : 0, 1, 'text of it is an error or escaped');
# bytes that are no text in UTF-8, which SQL_ASCII allows, equal nothing
is(ask('ascii', q{CREATE TABLE plain AS SELECT '{"a": "x"}'::bson AS b;
		SELECT count(*) FILTER (WHERE b ->> 'a' = E'\\xff' OR b ->> 'a' IN (E'\\xff', E'\\xfe')), count(*) FILTER (WHERE b ->> 'a' IN (E'\\xff', 'x')),
			bson_walk_equals(b, 'a'::text, ARRAY['x', NULL]), bson_walk_equals(b, 'a'::text, ARRAY['y', NULL]) IS NULL FROM plain GROUP BY b}), '0|1|t|t', 'a comparison takes any bytes');

$node->stop;
done_testing();
