# If this fails, deep values overrun a buffer, or a huge document takes more memory than it should.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use BsonTest;

# the megabytes of text whose parsing is measured; 0 if other programs in the process take memory, too
my $megabytes = $ENV{BSON_HUGE_MB} // 20;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "statement_timeout = 300s\nautovacuum = off");
$node->start;
create_values($node, 'postgres', 'v');
$node->safe_psql('postgres', q{
	DELETE FROM v WHERE kind !~ '^1,000' OR kind IS NULL;
	INSERT INTO v (kind, b) VALUES
		('documents', (repeat('{"a":', 1000) || '1' || repeat('}', 1000))::bson),
		('arrays', (repeat('[', 1000) || '1' || repeat(']', 1000))::bson),
		('scopes', (repeat('{"$code":"f","$scope":{"a":', 500) || '1' || repeat('}}', 500))::bson)});

# Everything that reads a bson, of 1,000 levels of every kind
my @reads = reads($node);

sub run_reads
{
	my ($name, $settings) = @_;
	my $quoted = join ', ', map { '$q$' . $_ . '$q$' } @reads;
	my ($out, $err) = ('', '');

	$node->psql('postgres', qq{
		SET client_min_messages = error;
		CREATE TEMP TABLE answer (sqlstate text, example text);
		$settings
		DO \$do\$
		DECLARE
			expression text;
			id int;
			result text;
		BEGIN
			FOREACH expression IN ARRAY ARRAY[$quoted] LOOP
				FOR id IN SELECT v.id FROM v LOOP
					BEGIN
						EXECUTE format('SELECT count(x::text) FROM (SELECT %s FROM v WHERE id = %s) s (x)', expression, id) INTO result;
						INSERT INTO answer VALUES ('answer');
					EXCEPTION WHEN OTHERS THEN
						INSERT INTO answer VALUES (SQLSTATE, format('%s, row %s: %s', expression, id, SQLERRM));
					END;
				END LOOP;
			END LOOP;
		END \$do\$;
		SELECT sqlstate, count(*), min(example) FROM answer GROUP BY 1 ORDER BY 1;
	}, on_error_stop => 1, stdout => \$out, stderr => \$err);
	is($err, '', "$name: no crash");
	foreach (split /\n/, $out)
	{
		my ($state, $n, $example) = split /\|/, $_, 3;

		# errors about depth or stack, and those that another type may raise
		ok($state =~ /^(?:answer|54001|22023|22P02|0A000)$/, "$name: $n times $state") or diag($example);
	}
}

run_reads('1,000 levels', '');
run_reads('1,000 levels and little stack', q{SET max_stack_depth = '100kB';});
foreach my $how (split /\n/, $node->safe_psql('postgres', q{
		SELECT format('%I (b %I)', amname, opcname) FROM pg_opclass c JOIN pg_am a ON a.oid = opcmethod WHERE opcintype = 'bson'::regtype}))
{
	my $err = '';
	my $status = $node->psql('postgres', qq{
		\\set VERBOSITY sqlstate
		SET max_stack_depth = '100kB';
		CREATE INDEX ON v USING $how;}, stderr => \$err);

	ok($err eq '' || $err =~ /ERROR:  5400[01]$/, "1,000 levels and little stack: $how") or diag($err);
}

# A million keys
is( $node->safe_psql('postgres', q{
		CREATE TABLE wide AS
			SELECT format('{%s}', string_agg(format('"key%s": %s', i, i), ', '))::bson AS b FROM generate_series(1, 1000000) i;
		SELECT b ->> 'key1', b ->> 'key1000000', b -> 'nokey' IS NULL, bson_in(bson_out(b))::bytea = b::bytea,
			bson_set(b, '{key500000}', '"x"') ->> 'key500000', (SELECT count(*) FROM bson_each(b)), b @> b, b = b,
			(b || b) = b, (b - ARRAY['key1', 'key2']) = b, (SELECT count(*) FROM bson_object_keys(bson_concat('{"a": 1}', b))),
			(SELECT count(*) FROM bson_object_keys(b::jsonb::bson)) FROM wide}),
	'1|1000000|t|t|x|1000000|t|t|t|f|1000001|1000000', 'a million keys');

# The largest amount of memory that parsing may take, as a multiple of the text
SKIP:
{
	skip 'not asked for', 4 if $megabytes == 0;
	skip 'there is no /proc to read the memory from', 4 unless -w '/proc/self/clear_refs';
	my %texts = (
		'numbers' => q{'[' || repeat('{"a": 12345, "b": [1.5, true, null]}, ', %d * 27594) || '1]'},
		'strings' => q{'[' || repeat('"0123456789abcdefghijklmnopqrstuvwxyz", ', %d * 26214) || '1]'});

	$node->safe_psql('postgres', q{
		CREATE FUNCTION memory(what text) RETURNS bigint LANGUAGE sql AS
			$$SELECT substring(pg_read_file('/proc/self/status') FROM what || ':\s+(\d+)')::bigint * 1024$$});
	for my $parser ('auto', 'json-c')
	{
		for my $name (sort keys %texts)
		{
			my $text = sprintf $texts{$name}, $megabytes;
			my ($size, $before, $peak) = split /\n/, $node->safe_psql('postgres', qq{
				SET bson.json_parser = '$parser';
				CREATE TEMP TABLE t AS SELECT $text AS t;
				CREATE TEMP TABLE one AS SELECT '[1]' AS t;
				DO \$\$ BEGIN PERFORM bson_in(t::cstring)::bytea FROM one; END \$\$;
				-- the peak, from here on
				COPY (SELECT 5) TO '/proc/self/clear_refs';
				SELECT octet_length(t) FROM t;
				SELECT memory('VmRSS');
				DO \$\$ BEGIN PERFORM octet_length(bson_in(t::cstring)::bytea) FROM t; END \$\$;
				SELECT memory('VmHWM')});
			my $multiple = sprintf '%.1f', ($peak - $before) / $size;

			# the text itself exists twice: as text, and as a C string
			note("$parser, $name: $size bytes of text, and $multiple times as much memory");
			cmp_ok($multiple, '<', 40, "$parser, $name: memory is no more than a multiple of the text");
		}
	}
}

unlike(PostgreSQL::Test::Utils::slurp_file($node->logfile), qr/terminated by signal|PANIC|TRAP/, 'the server never went down');

$node->stop;
done_testing();
