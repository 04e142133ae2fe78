# If this fails, reading or refusing input leaks memory: that of json-c and libbson is not in a memory context.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use BsonTest;

plan skip_all => 'there is no /proc to read the memory from' unless -r '/proc/self/statm';

my $rounds = $ENV{BSON_LEAK_ROUNDS} || 20_000;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
$node->safe_psql('postgres', q{
	CREATE EXTENSION bson;
	-- the backend's resident memory in kB, after so many attempts to cast the text
	CREATE FUNCTION memory(input text, rounds int) RETURNS int LANGUAGE plpgsql AS $$
	BEGIN
		FOR i IN 1 .. rounds LOOP
			BEGIN
				PERFORM input::bson;
			EXCEPTION WHEN OTHERS THEN
			END;
		END LOOP;
		RETURN split_part(pg_read_file('/proc/self/statm'), ' ', 2)::int * 4;
	END $$;
});

my $members = join ',', map { qq("key$_": [$_, "some text", {"x": null}]) } 1 .. 20;
my %inputs = (
	'a document'              => qq({$members}),
	'a document of wrappers'  => qq({"a": {"\$oid": "57e193d7a9cc81b4027498b5"}, "b": {"\$code": "f", "\$scope": {"c": {"\$date": 0}}}, $members}),
	'no JSON'                 => qq({$members),
	'a lone surrogate'        => qq({$members, "s": "\\ud800"}),
	'a key with U+0000'       => qq({$members, "\\u0000": 1}),
	'a number out of range'   => qq({$members, "n": 1e7000}),
	'a malformed wrapper'     => qq({$members, "w": [{"\$oid": "x"}]}),
	'a wrapper and more'      => qq({$members, "w": {"\$oid": "x", "y": 1}}),
	'a malformed scope'       => qq({$members, "w": {"\$code": "f", "\$scope": {"a": [{"\$date": "x"}]}}}),
	'a scope that is none'    => qq({$members, "w": {"\$code": "f", "\$scope": {"\$minKey": 1}}}),
	'too many levels'         => ('[' x 1024) . (']' x 1024),
	'bytes that are not BSON' => '\\x0500000001',
);

for my $what (sort keys %inputs)
{
	my $n = length $inputs{$what} > 1000 ? $rounds / 10 : $rounds;
	my ($before, $after) = split /\|/,
	  $node->safe_psql('postgres',
		"SELECT memory(\$i\$$inputs{$what}\$i\$, 1000), memory(\$i\$$inputs{$what}\$i\$, $n)");

	note("$what: $before kB, after $n more $after kB");
	cmp_ok($after - $before, '<', 1024, "no memory is left behind by $what");
}

# Interrupts at any moment, also while json-c's tree exists, which is large here.
# The transcoder has no tree, and would finish before any interrupt
my $sql = "SET bson.json_parser = 'json-c';\nCREATE TEMP TABLE t AS SELECT '[' || repeat('{\"\$set\": 1},', 100000) || '1]' AS big;\n"
  . "SELECT memory(big, 2) FROM t;\n";
for my $try (1 .. 40)
{
	$sql .= sprintf "SET statement_timeout = %d;\nSELECT count(big::bson) FROM t;\n", $try * 5;
}
$sql .= "SET statement_timeout = 0;\nSELECT memory(big, 2) FROM t;\n";
my ($out, $errors);
$node->psql('postgres', $sql, stdout => \$out, stderr => \$errors, on_error_stop => 0);
my @lines = split /\n/, $out;
my $cancelled = () = $errors =~ /canceling statement/g;
note("$cancelled interrupts: $lines[0] kB, then $lines[-1] kB");
cmp_ok($cancelled, '>', 0, 'some statements were interrupted');
cmp_ok($lines[-1] - $lines[0], '<', 20 * 1024, 'no tree is left behind by an interrupt');

# Steps are made of constants once, and not for each row, also if one is NULL and nothing is found
for my $what (q{count(d #> '{a,NULL}')}, q{count(*) + sum(d, 'a', NULL)::int})
{
	my $hwm = "SELECT substring(pg_read_file('/proc/self/status') FROM 'VmHWM:\\s*(\\d+) kB')";
	my $from = 'FROM (SELECT bson_build_object(\'a\', i) AS d FROM generate_series(1,';
	my @peaks = $node->safe_psql('postgres', "SELECT $what $from 1000) i) s; $hwm; SELECT $what $from 400000) i) s; $hwm") =~ /\d{4,}/g;
	note("$what: @peaks");
	cmp_ok($peaks[-1] - $peaks[0], '<', 16 * 1024, "no steps pile up for $what");
}

# Each enum of a schema sorts the fields of the value that it sees, here 2 MB.  One copy may be there at a time, not one for each
my $peak = "SELECT substring(pg_read_file('/proc/self/status') FROM 'VmHWM:\\s*(\\d+)')::int";
($out) = $node->safe_psql('postgres', qq{
	CREATE TEMP TABLE list AS SELECT bson_build_object('a', bson_agg(bson_build_object('z', i, 'b', i))) AS data FROM generate_series(1, 80000) i;
	SELECT data @~ '{"\$jsonSchema": {"anyOf": [{"enum": [1]}, {"enum": [2]}]}}' FROM list;
	$peak;
	SELECT data @~ bson_build_object('\$jsonSchema', bson_build_object('anyOf', (SELECT bson_agg(bson_build_object('enum', bson_build_array(i))) FROM generate_series(1, 100) i))) FROM list;
	$peak;
});
@lines = split /\n/, $out;
note("the most memory by 2 enums: $lines[1] kB, by 100: $lines[3] kB");
cmp_ok($lines[3] - $lines[1], '<', 20 * 1024, 'an enum leaves no copy of the value behind');

# Bits of binary data are looked at where they are: a number for each would take 32 times the data
($out) = $node->safe_psql('postgres', qq{
	CREATE TEMP TABLE bits AS SELECT bson_build_object('a', decode(repeat('ff', 8000000), 'hex')) AS data;
	$peak;
	SELECT data @~ bson_build_object('a', bson_build_object('\$bitsAllSet', data -> 'a')) FROM bits;
	$peak;
});
@lines = split /\n/, $out;
is($lines[1], 't', 'all bits are set');
cmp_ok($lines[2] - $lines[0], '<', 60 * 1024, 'and take no memory each');

# The server estimates each element of ANY(array) for itself, and keeps what an estimate leaves until planning ends: 15 kB would be 600 MB
my $indexes = join ' ', map { "CREATE INDEX ON planned ((data ->> 'k$_'));" } 1 .. 8;
my $many = q{SELECT $$EXPLAIN (COSTS OFF) SELECT FROM planned WHERE data @> ANY (ARRAY[$$ || string_agg(quote_literal('{"k1": ' || i || '}'), ',') || $$]::bson[])$$ FROM generate_series(1, %d) i};
($out) = $node->safe_psql('postgres', join "\n", "CREATE TABLE planned (data bson); $indexes", map { my $query = sprintf $many, $_; qq{
	\\o @{[ $PostgreSQL::Test::Utils::tmp_check ]}/plan
	$query \\gexec
	\\o
	$peak;
} } 10, 40000);
@lines = split /\n/, $out;
note("the most memory by ANY of 10: $lines[0] kB, of 40,000: $lines[1] kB");
cmp_ok($lines[1] - $lines[0], '<', 300 * 1024, 'an estimate leaves nothing behind');

$node->stop;
done_testing();
