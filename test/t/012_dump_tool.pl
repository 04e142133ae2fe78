# If this fails, what mongodump or mongoexport wrote does not load, or does not come back as it was.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use IO::Compress::Gzip;
use Test::More;
use BsonTest;

plan skip_all => 'no python3' if system('python3 -c "import gzip" 2>/dev/null');

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION bson; CREATE TABLE t (id serial, data bson)');

my $tool = "$FindBin::RealBin/../../src/tools/bson-copy";
my $dir = PostgreSQL::Test::Utils::tempdir();
my $psql = 'psql -X -q -h ' . $node->host . ' -p ' . $node->port . ' postgres';

sub spew
{
	my ($name, $bytes) = @_;
	open my $file, '>:raw', "$dir/$name" or die $!;
	print $file $bytes;
	close $file;
	return "$dir/$name";
}

sub slurp_raw
{
	open my $file, '<:raw', $_[0] or die $!;
	local $/;
	return scalar(<$file>) // '';
}

# Load a file through the tool; return the tool's status, what it said, and how many rows there are
sub load
{
	my ($arguments, $bytes) = @_;
	my $input = spew('input', $bytes);

	$node->safe_psql('postgres', 'TRUNCATE t RESTART IDENTITY');
	system("python3 $tool $arguments <$input >$dir/copy 2>$dir/said");
	my $status = $? >> 8;
	is(system("$psql -c 'COPY t (data) FROM STDIN (FORMAT binary)' <$dir/copy"), 0, 'what the tool wrote is whole');
	return ($status, slurp_raw("$dir/said"), $node->safe_psql('postgres', 'SELECT count(*) FROM t'));
}

sub export
{
	system("$psql -c 'COPY (SELECT data FROM t ORDER BY id) TO STDOUT (FORMAT binary)' | python3 $tool --export >$dir/back") == 0
	  or return 'failed';
	return slurp_raw("$dir/back");
}

my @documents = map { document([ 16, '_id', pack('l<', $_) ], [ 2, 'name', bson_string("person $_" x ($_ % 7)) ], [ 18, 'n', pack('q<', $_) ]) } 1 .. 10000;
push @documents, grep { substr($_, 4, 2) ne "\xff\0" } map { $_->[1] } kinds();
my $dump = join '', @documents;
my $all = @documents;

# whole
my @got = load('', $dump);
is_deeply(\@got, [ 0, '', $all ], 'a dump loads');
ok(export() eq $dump, 'and comes back byte for byte');

my $zipped;
IO::Compress::Gzip::gzip(\$dump, \$zipped);
@got = load('--quiet', $zipped);
is_deeply(\@got, [ 0, '', $all ], 'a compressed dump loads');
ok(export() eq $dump, 'and comes back byte for byte');

@got = load('', '');
is_deeply(\@got, [ 0, '', 0 ], 'an empty dump loads');
@got = load('--progress', $dump);
like($got[1], qr/^$all documents, [0-9.]+ MB, [0-9.]+ MB\/s, 100 %$/m, 'progress is shown');

# damaged
my $offset = length join '', @documents[ 0 .. 4999 ];
foreach (
	[ 'cut short', substr($dump, 0, $offset + 9), qr/^bson-copy: damaged at byte $offset, after 5000 documents: the input ends \d+ bytes before the end of a document/ ],
	[ 'cut short in a length', substr($dump, 0, $offset + 2), qr/damaged at byte $offset, after 5000 documents: the input ends 2 bytes before/ ],
	[ 'a negative length', substr($dump, 0, $offset) . pack('l<', -5) . substr($dump, $offset + 4), qr/damaged at byte $offset, after 5000 documents: -5 is not/ ],
	[ 'a short length', substr($dump, 0, $offset) . pack('l<', 4) . substr($dump, $offset + 4), qr/damaged at byte $offset, after 5000 documents: 4 is not/ ],
	[ 'a long length', substr($dump, 0, $offset) . pack('l<', 0x7fffffff) . substr($dump, $offset + 4), qr/damaged at byte $offset, after 5000 documents: 2147483647 is not/ ],
	[ 'a wrong length', substr($dump, 0, $offset) . pack('l<', 10) . substr($dump, $offset + 4), qr/damaged at byte $offset, after 5000 documents: a document does not end/ ])
{
	my ($name, $bytes, $message) = @$_;
	@got = load('', $bytes);
	is("$got[0] $got[2]", '1 5000', "$name: what came before is kept");
	like($got[1], $message, "$name: the error names the byte");
}
@got = load('', substr($zipped, 0, length($zipped) / 2));
is($got[0], 1, 'a compressed dump cut short is an error');
cmp_ok($got[2], '>', 100, 'what came before is kept');
like($got[1], qr/damaged at byte \d+, after $got[2] documents: cannot decompress/, 'the error names the byte');

# framed as a document but none inside: the server refuses it
spew('input', $documents[0] . document([ 0x42, 'a', '' ]));
isnt(system("python3 $tool $dir/input | $psql -c 'COPY t (data) FROM STDIN (FORMAT binary)' 2>$dir/said"), 0, 'what is no BSON inside does not load');
like(slurp_raw("$dir/said"), qr/invalid bson document/, 'and the server says so');

# archives: prelude, then blocks of a header and documents
sub block
{
	my ($name, $eof, @documents) = @_;
	return join('', document([ 2, 'db', bson_string('app') ], [ 2, 'collection', bson_string($name) ], [ 8, 'EOF', chr($eof) ], [ 18, 'CRC', pack('q<', 0) ]), @documents) . "\xff" x 4;
}
my $prelude = pack('L<', 0x8199e26d) . document([ 16, 'concurrent_collections', pack('l<', 4) ]) . document([ 2, 'db', bson_string('app') ]) . "\xff" x 4;
my $one = $prelude . block('person', 0, @documents[ 0 .. 99 ]) . block('person', 0, @documents[ 100 .. 149 ]) . block('person', 1);
my $two = $prelude . block('other', 0, $documents[0]) . block('person', 0, @documents[ 100 .. 149 ]) . block('person', 1) . block('other', 1);
@got = load('', $one);
is_deeply(\@got, [ 0, '', 150 ], 'an archive of one collection loads');
ok(export() eq join('', @documents[ 0 .. 149 ]), 'in order');
@got = load('--collection=person', $two);
is_deeply(\@got, [ 0, '', 50 ], 'one collection of an archive loads');
@got = load('--collection=app.other', $two);
is_deeply(\@got, [ 0, '', 1 ], 'by its full name, too');
@got = load('', $two);
like($got[1], qr/another collection, app\.person: say --collection/, 'an archive of several asks which');

# constant memory: 1 GB would not fit in what the tool may have
is(system("bash -c 'ulimit -v 262144; for ((i = 0; i < 60; i++)); do cat $dir/large; done | python3 $tool --quiet | tail -c 2 | cmp - <(printf \"\\377\\377\")' 2>&1"), 0, 'memory is constant')
  if spew('large', $dump x 4);

# not what it says
spew('input', "COPY t FROM stdin;\n" x 10);
isnt(system("python3 $tool --export <$dir/input 2>$dir/said"), 0, 'text is not exported');
like(slurp_raw("$dir/said"), qr/this is not COPY's binary format/, 'and the error says so');

# what mongoexport writes, a document a line: quotes and backslashes stay as they are
spew('export.json', <<'END');
{"_id":{"$oid":"5f2b1c3d4e5f60718293a4b5"},"s":"a \"quoted\" \\ backslash, comma\ttab","n":{"$numberLong":"15"}}
{"_id":{"$oid":"5f2b1c3d4e5f60718293a4b6"},"at":{"$date":"2022-03-03T12:13:14.789Z"},"price":{"$numberDecimal":"1.10"}}
END
$node->safe_psql('postgres', "TRUNCATE t RESTART IDENTITY");
is(system(qq{$psql -c "\\copy t (data) FROM '$dir/export.json' CSV QUOTE E'\\x01' DELIMITER E'\\x02'"}), 0, 'mongoexport loads');
is($node->safe_psql('postgres', q{SELECT data ->> 's' FROM t WHERE id = 1}), "a \"quoted\" \\ backslash, comma\ttab", 'quotes and backslashes are kept');
is($node->safe_psql('postgres', q{SELECT bson_typeof(data -> 'at'), bson_typeof(data -> 'price') FROM t WHERE id = 2}), 'date|decimal', 'types are kept');

done_testing();
