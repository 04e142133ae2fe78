# If this fails, bsond's change streams miss changes, or show documents as they never were.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use BsonTest;

my $node = PostgreSQL::Test::Cluster->new('decode');
$node->init(allows_streaming => 'logical');
$node->start;
# since 2026 PostgreSQL asks which libraries may decode
if ($node->safe_psql('postgres', q{SELECT count(*) FROM pg_settings WHERE name = 'output_plugin_libraries'}))
{
	$node->append_conf('postgresql.conf', "output_plugin_libraries = 'pgoutput, bson'");
	$node->restart;
}
$node->safe_psql('postgres', q{
	CREATE EXTENSION bson;
	CREATE TABLE whole (n int, data bson); ALTER TABLE whole REPLICA IDENTITY FULL;
	CREATE TABLE part (first bson, data bson, n int);
	CREATE TABLE other (n int, data text);
	SELECT pg_create_logical_replication_slot('s', 'bson');
	-- what a message is, in words
	CREATE FUNCTION told(message bytea) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE kind text = chr(get_byte(message, 0)); place int = 6; size int; shown text = kind;
	BEGIN
		IF kind IN ('B', 'C') THEN RETURN kind; END IF;
		IF kind = 'R' THEN RETURN 'R ' || convert_from(substr(message, 2), 'UTF8')::oid::regclass; END IF;
		shown := kind || ' ' || ('x' || encode(substr(message, 2, 4), 'hex'))::bit(32)::int::oid::regclass;
		WHILE place <= length(message) LOOP
			size := ('x' || encode(substr(message, place, 4), 'hex'))::bit(32)::int;
			shown := shown || ' ' || CASE WHEN size < 0 THEN 'unknown' WHEN size > 200 THEN (bson(substr(message, place + 4, size)) - 'long')::text || size ELSE bson(substr(message, place + 4, size))::text END;
			place := place + 4 + greatest(size, 0);
		END LOOP;
		RETURN shown;
	END $$});

sub changes
{
	return $node->safe_psql('postgres', q{SELECT told(data) FROM pg_logical_slot_get_binary_changes('s', NULL, NULL, 'type', (SELECT 'public.bson'::regtype::oid::text))});
}

$node->safe_psql('postgres', q{
	INSERT INTO whole VALUES (1, '{"_id": 1}'), (2, NULL);
	INSERT INTO other VALUES (1, 'x');
	BEGIN; UPDATE whole SET data = '{"_id": 1, "a": 2}' WHERE n = 1; SAVEPOINT a; DELETE FROM whole WHERE n = 2; ROLLBACK TO a; INSERT INTO part VALUES ('1', '{"_id": "p"}', 1); COMMIT;
	UPDATE part SET data = '2'; DELETE FROM part; DELETE FROM whole WHERE n = 1; CREATE TABLE none (n int)});
is(changes(), join("\n", 'B', 'I whole {"_id": 1}', 'I whole unknown', 'C', 'B', 'U whole {"_id": 1} {"_id": 1, "a": 2}', 'I part {"_id": "p"}', 'C', 'B', 'U part unknown 2', 'C', 'B', 'D part unknown', 'C',
	'B', 'D whole {"_id": 1, "a": 2}', 'C'), 'changes of documents, in transactions');

# what is stored out of line, and was not changed, is not in the log again
my $long = q{(SELECT string_agg(md5(i::text), '') FROM generate_series(1, 2000) AS i)};
$node->safe_psql('postgres', qq{INSERT INTO whole SELECT 3, bson_build_object('_id', 3, 'long', $long); INSERT INTO part SELECT NULL, bson_build_object('_id', 3, 'long', $long);
	UPDATE whole SET n = 4; UPDATE part SET n = 4; UPDATE whole SET data = data || '{"a": 1}' WHERE n = 4; DELETE FROM whole});
my $size = 4 + 1 + 4 + 4 + 1 + 5 + 4 + 64000 + 1 + 1;
my $more = $size + 1 + 2 + 4;
my $told = changes();
like($told, qr/I whole \{"_id": 3\}$size\nC/, 'a long document');
like($told, qr/U whole unknown unknown\nU whole \{"_id": 3\}$size \{"_id": 3\}$size\nC/, 'one that was not changed is taken from the old row');
like($told, qr/U part unknown unknown\nC/, 'and is not known where the log has no old rows');
like($told, qr/U whole \{"_id": 3\}$size \{"_id": 3, "a": 1\}$more\nC/, 'one that was changed');
like($told, qr/D whole \{"_id": 3, "a": 1\}$more\nC/, 'one that was deleted');

# a replacement says so directly after its change; one that is undone does not, nor what is no message of bsond's
my $replaced = q{pg_logical_emit_message(true, 'bson', tableoid::text)};
$node->safe_psql('postgres', qq{INSERT INTO whole VALUES (6, '{"_id": 6}'), (7, '{"_id": 7}'); SELECT pg_logical_emit_message(true, 'bson', '1');
	BEGIN; SELECT pg_logical_emit_message(true, 'bson', '1'); UPDATE whole SET data = '{"_id": 6, "a": 1}' WHERE n = 6 RETURNING $replaced; UPDATE whole SET data = '{"_id": 7, "a": 1}' WHERE n = 7;
	SELECT pg_logical_emit_message(true, 'other', '1'), pg_logical_emit_message(false, 'bson', '1'), pg_logical_emit_message(true, 'bson', repeat('1', 100000));
	SAVEPOINT a; UPDATE whole SET data = '{"_id": 6, "a": 2}' WHERE n = 6 RETURNING $replaced; ROLLBACK TO a;
	UPDATE other SET n = 2 RETURNING $replaced; COMMIT; DELETE FROM whole});
is(changes(), join("\n", 'B', 'I whole {"_id": 6}', 'I whole {"_id": 7}', 'C', 'B', 'U whole {"_id": 6} {"_id": 6, "a": 1}', 'R whole', 'U whole {"_id": 7} {"_id": 7, "a": 1}', 'R other', 'C',
	'B', 'D whole {"_id": 6, "a": 1}', 'D whole {"_id": 7, "a": 1}', 'C'), 'replacements');

# whoever may decode can name any type, and gets no more than an error, or bytes
$node->safe_psql('postgres', q{INSERT INTO whole VALUES (5, '{"_id": 5}'); INSERT INTO other VALUES (2, 'y')});
foreach my $type ('int4', 'text')
{
	is( $node->safe_psql('postgres', qq{SELECT string_agg(chr(get_byte(data, 0)), '') FROM pg_logical_slot_peek_binary_changes('s', NULL, NULL, 'type', (SELECT '$type'::regtype::oid::text))}),
		$type eq 'text' ? 'BIC' : '', "the type $type");
}
my ($status, $out, $err) = $node->psql('postgres', q{SELECT pg_logical_slot_peek_binary_changes('s', NULL, NULL, 'kind', 'x')});
like($err, qr/unknown option "kind" of the output plugin bson/, 'an unknown option');
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_logical_slot_peek_binary_changes('s', NULL, NULL)}), '0', 'without a type there are no documents');
done_testing();
