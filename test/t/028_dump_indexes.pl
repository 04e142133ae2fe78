# If this fails, an index that bson-copy makes does not serve the statement that it names, or that doc/mongodb.md teaches.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use BsonTest;
use DumpTest;

my ($node, $tool, $dir) = server_for_dumps('postgres');

# the first three have an array, of which the second date is the earliest
sub date
{
	my ($name, $nr) = @_;
	my $date = pack('q<', 1e12 + $nr * 1e9);
	return $nr > 3 ? [ 9, $name, $date ] : [ 4, $name, document([ 9, '0', $date ], [ 9, '1', pack('q<', 1e12) ]) ];
}

mkdir $_ foreach "$dir/dump", "$dir/dump/app";
spew("$dir/dump/app/t.bson", join '', map {
	document([ 16, '_id', pack('l<', $_) ], [ 2, 'city', bson_string('city ' . $_ % 500) ], [ 16, 'age', pack('l<', $_ % 90) ], [ 2, 'email', bson_string("a$_\@x") ],
		[ 2, 'name', bson_string("word$_ of many") ], date('expires', $_), [ 3, 'in', document(date('at', $_), [ 16, 'n', pack('l<', $_) ]) ])
} 1 .. 50000);

# each index, what is put for "..." in the statement that it serves, and a statement of doc/mongodb.md
my %indexes = (
	'age_1' => [ '{"age":1}', {}, q{SELECT data FROM t WHERE data -> 'age' > '85'} ],
	'city_1_age_-1' => [ '{"city":1,"age":-1}', { '..."' => 'city 7"' }, q{SELECT data FROM t ORDER BY data -> 'city', data -> 'age' DESC LIMIT 5} ],
	'age_-1_city_1' => [ '{"age":-1,"city":1}', { '"..."' => '3' }, q{SELECT data FROM t WHERE data -> 'age' = '3' AND data -> 'city' > '"city 9"' ORDER BY data -> 'city' LIMIT 5} ],
	'city_1' => [ '{"city":1}', {}, undef, '"unique":false' ],
	'in.n_2' => [ '{"in.n":1}', {}, q{SELECT data FROM t WHERE data -> 'in' -> 'n' = '77'}, '"unique":true' ],
	'_id_1_age_1' => [ '{"_id":1,"age":1}', {}, undef, '"unique":true' ],
	'email_1' => [ '{"email":1}', {}, q{INSERT INTO t VALUES ('{"email": "x"}') ON CONFLICT ((data -> 'email')) DO UPDATE SET data = bson_update(t.data, '{"$inc": {"age": 1}}')}, '"unique":true,"sparse":true' ],
	'in.n_1' => [ '{"in.n":1}', {}, q{SELECT data FROM t WHERE data -> 'in' -> 'n' = '77' AND data @~ '{"in.n": {"$exists": true}}'}, '"unique":true,"sparse":true' ],
	'expires_1' => [ '{"expires":1}', {}, undef, '"expireAfterSeconds":0' ],
	'in.at_1' => [ '{"in.at":1}', {}, undef, '"expireAfterSeconds":3600' ],
	'name_text' => [ '{"_fts":"text","_ftsx":1}', { '"..."' => '"word77"' }, undef, '"weights":{"name":1}' ],
	'two_text' => [ '{"_fts":"text","_ftsx":1}', { '"..."' => '"word77"' }, undef, '"weights":{"name":1,"email":1}' ],
	'all_text' => [ '{"_fts":"text","_ftsx":1}', { '"..."' => '"word77"' }, undef, '"weights":{"$**":1}' ],
	'email_hashed' => [ '{"email":"hashed"}', { "'...'" => q{'"a7@x"'} } ],
	'in_$**' => [ '{"in.$**":1}', { '{...}' => '{"n": 77}' } ],
	'age_2' => [ '{"age":1}', {}, q{SELECT data FROM t WHERE data @~ '{"age": {"$gt": 87}}' ORDER BY data -> 'age' LIMIT 5}, '"partialFilterExpression":{"age":{"$gt":87}}' ]);

# what is made is what bson_create_index_sql makes
$node->safe_psql('postgres', 'CREATE SCHEMA twin; CREATE TABLE twin.t (data bson)');
sub same_as_function
{
	my ($name, $spec) = @_;
	my $made = q{SELECT replace(pg_get_indexdef('%s'::regclass), 'twin.', 'public.')};

	$node->safe_psql('postgres', $node->safe_psql('postgres', "SELECT bson_create_index_sql('twin.t', \$_\$$spec\$_\$)"));
	is($node->safe_psql('postgres', sprintf($made, qq("t_$name"))), $node->safe_psql('postgres', sprintf($made, qq(twin."t_$name"))), "$name is what bson_create_index_sql makes");
}

# one at a time, so that none serves instead of another
my %served;
foreach my $name (sort keys %indexes)
{
	my ($key, $values, $taught, $options) = @{ $indexes{$name} };

	spew("$dir/dump/app/t.metadata.json", qq({"options":{},"indexes":[{"name":"$name","key":$key) . ($options ? ",$options" : '') . '}]}');
	is(system("python3 $tool --restore $dir/dump 2>$dir/said"), 0, "$name is restored");
	$node->safe_psql('postgres', 'ANALYZE t');
	same_as_function($name, qq({"name":"$name","key":$key) . ($options ? ",$options" : '') . '}');
	my ($index, $serves) = slurp_raw("$dir/said") =~ /the index (t_\Q$name\E) \([0-9.]+ s\) serves (.*)/ or diag(slurp_raw("$dir/said"));
	$served{$name} = $serves;
	foreach my $value (keys %$values) { $serves =~ s/\Q$value\E/$values->{$value}/g }
	$serves =~ s/'\{\.\.\.\}'/'{"_id": 1}'/g;
	$serves =~ s/DO \.\.\./DO NOTHING/;
	$serves =~ s/LIMIT \.\.\./LIMIT 5/;
	$serves = $node->safe_psql('postgres', "SELECT $1") if $serves =~ /^the statement of (bson_find_sql\(.*\))$/;
	unlike($serves, qr/\.\.\./, "$name: the statement is understood: $serves");
	foreach my $statement ($serves, $taught // ())
	{
		like($node->safe_psql('postgres', "EXPLAIN (COSTS OFF) $statement"), qr/\Q$index\E/, "$name serves $statement");
	}
	if (my ($delete) = slurp_raw("$dir/said") =~ /let a job run (DELETE FROM .*)/)
	{
		$delete =~ s/now\(\)/timestamptz '2001-09-10'/;
		like($node->safe_psql('postgres', "EXPLAIN (COSTS OFF) $delete"), qr/Bitmap Index Scan on t_data/, "$name: the GIN index serves $delete");
		is($node->safe_psql('postgres', "BEGIN; WITH gone AS ($delete RETURNING 1) SELECT count(*) FROM gone; ROLLBACK"), 3, 'which deletes what is older, by the earliest date of an array');
	}
	$node->safe_psql('postgres', qq{SELECT count(*) FROM ($serves) AS t}) if $serves =~ /^SELECT/;
	$node->safe_psql('postgres', qq{DROP INDEX "$index"; DROP INDEX IF EXISTS t_data});
}

# the part of a compound index with the same first field, in the order of the second
is($node->safe_psql('postgres', $served{'city_1_age_-1'} =~ s/\.\.\."/city 7"/gr =~ s/LIMIT \.\.\.//r =~ s/SELECT data/SELECT count(*), count(DISTINCT data ->> 'city')/r =~ s/ORDER BY.*//r), '100|1', 'equality and order: all rows of the city, and no other');
is($node->safe_psql('postgres', q{SELECT indexrelid::regclass FROM pg_index WHERE indrelid = 't'::regclass}), 't__id_', 'nothing is left');

done_testing();
