# If this fails, files of mongodump or mongoexport do not load, or documents change on the way.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use IO::Compress::Gzip;
use Test::More;
use BsonTest;
use DumpTest;

plan skip_all => 'no python3' if system('python3 -c "import gzip" 2>/dev/null');

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION bson; CREATE TABLE t (id serial, data bson)');

my $tool = "$FindBin::RealBin/../../src/tools/bson-copy";
my $dir = PostgreSQL::Test::Utils::tempdir();
my $psql = 'psql -X -q -h ' . $node->host . ' -p ' . $node->port . ' postgres';

# Load a file with the tool; return the tool's status, its messages, and the number of rows.  The
# server takes what the tool wrote if the tool succeeded, or was told to keep what is good.
sub load
{
	my ($arguments, $bytes) = @_;
	my $input = spew("$dir/input", $bytes);

	$node->safe_psql('postgres', 'TRUNCATE t RESTART IDENTITY');
	system("python3 $tool $arguments <$input >$dir/copy 2>$dir/said");
	my $status = $? >> 8;
	my $whole = !system("$psql -c 'COPY t (data) FROM STDIN (FORMAT binary)' <$dir/copy 2>$dir/refused") || 0;
	is($whole, $status == 0 || $arguments =~ /--keep/ || 0, 'the server takes what is whole only');
	diag(slurp_raw("$dir/refused")) if !$whole && !$status;
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

# the program as it is installed finds its modules
SKIP:
{
	chomp(my $installed = `pg_config --bindir` . '');
	skip 'it is not installed', 1 unless -e "$installed/bson-copy";
	is(system("cd / && $installed/bson-copy --help >$dir/out 2>&1"), 0, 'the installed program runs');
}

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
	[ 'cut short', substr($dump, 0, $offset + 9), qr/^bson-copy: standard input: damaged at byte $offset, after 5000 documents: the input ends \d+ bytes before the end of a document/ ],
	[ 'cut short in a length', substr($dump, 0, $offset + 2), qr/damaged at byte $offset, after 5000 documents: the input ends 2 bytes before/ ],
	[ 'a negative length', substr($dump, 0, $offset) . pack('l<', -5) . substr($dump, $offset + 4), qr/damaged at byte $offset, after 5000 documents: -5 is not/ ],
	[ 'a short length', substr($dump, 0, $offset) . pack('l<', 4) . substr($dump, $offset + 4), qr/damaged at byte $offset, after 5000 documents: 4 is not/ ],
	[ 'a long length', substr($dump, 0, $offset) . pack('l<', 0x7fffffff) . substr($dump, $offset + 4), qr/damaged at byte $offset, after 5000 documents: 2147483647 is not/ ],
	[ 'a wrong length', substr($dump, 0, $offset) . pack('l<', 10) . substr($dump, $offset + 4), qr/damaged at byte $offset, after 5000 documents: a document does not end/ ])
{
	my ($name, $bytes, $message) = @$_;
	@got = load('', $bytes);
	is("$got[0] $got[2]", '1 0', "$name: nothing is kept");
	like($got[1], $message, "$name: the error names the byte");
	@got = load('--keep', $bytes);
	is("$got[0] $got[2]", '1 5000', "$name: what came before is kept on demand");
}
foreach ([ 'after the first length', substr($dump, 0, 4) ], [ 'within a row', substr($dump, 0, $offset + 9) ])
{
	@got = load('', $_->[1]);
	is($got[2], 0, "cut short $_->[0]: nothing is kept");
}
@got = load('', substr($zipped, 0, length($zipped) / 2));
is("$got[0] $got[2]", '1 0', 'a compressed dump cut short is an error');
@got = load('--keep', substr($zipped, 0, length($zipped) / 2));
cmp_ok($got[2], '>', 100, 'what came before is kept on demand');
like($got[1], qr/damaged at byte \d+, after $got[2] documents: cannot read on: the compressed data is cut short/, 'the error names the byte');
@got = load('', $zipped . $zipped);
is_deeply(\@got, [ 0, '', 2 * $all ], 'a dump compressed in two members loads');

# a tool that is killed leaves nothing behind, though it wrote all that it had
is(system("bash -c '(cat $dir/input.whole; sleep 20) | (python3 $tool & echo \$! >$dir/pid; wait) >$dir/copy & until [ -s $dir/copy ]; do sleep 0.1; done; sleep 0.5; kill -9 \$(cat $dir/pid)' 2>/dev/null"), 0, 'the tool is killed')
  if spew("$dir/input.whole", join '', @documents[ 0 .. 4999 ]);
isnt(system("$psql -c 'COPY t (data) FROM STDIN (FORMAT binary)' <$dir/copy 2>/dev/null"), 0, 'what it wrote before it was killed is refused');

# damage inside a document: the place, and what to do
my @damaged = @documents[ 0 .. 9 ];
$damaged[4] = document([ 16, '_id', pack('l<', 77) ], [ 2, 'name', pack('l<', 3) . "\xffb\0" ]);
$damaged[7] = document([ 7, '_id', pack('H*', '5f2b1c3d4e5f60718293a4b5') ], [ 0x42, 'a', '' ]);
my $place = length(join '', @damaged[ 0 .. 3 ]) + 4 + 9 + 6 + 4;
my $damaged = join '', @damaged;
@got = load('--check', $damaged);
is_deeply(\@got, [ 1, "bson-copy: standard input: damaged at byte $place, after 4 documents: a string is not valid UTF-8, in document 5 (_id 77)\n", 0 ],
	'the error names the byte, the document and its _id');
@got = load('--from 6 --check', $damaged);
like($got[1], qr/in document 8 \(_id 5f2b1c3d4e5f60718293a4b5\)/, 'documents are counted from the beginning');
@got = load("--skip-invalid $dir/aside", $damaged);
is("$got[0] $got[2]", '0 8', 'invalid documents are set aside');
like($got[1], qr/set aside at byte $place, in document 5 \(_id 77\).*2 invalid documents set aside in/s, 'and counted');
ok(slurp_raw("$dir/aside") eq $damaged[4] . $damaged[7], 'byte for byte');
@got = load('--from 9', $damaged);
is_deeply(\@got, [ 0, '', 2 ], 'loading begins where it is told');

# what the tool checks is what the server checks: documents with one byte changed
srand(7);
my $valid = 0;
my @varied = grep { length > 5 } @documents[ 10000 .. $#documents ];
my @mutants = map {
	my $bytes = $varied[ $_ % @varied ];
	substr($bytes, 4 + rand(length($bytes) - 5), 1) = chr(rand(4) < 1 ? rand(256) : (0, 1, 2, 3, 4, 5, 15, 255)[ rand(8) ]);
	$bytes
} 1 .. 3000;
spew("$dir/mutants.hex", join '', map { unpack('H*', $_) . "\n" } @mutants);
$node->safe_psql('postgres', "CREATE TABLE mutant (id serial, hex text)");
system("$psql -c '\\copy mutant (hex) FROM $dir/mutants.hex'");
@got = load("--skip-invalid $dir/aside", join '', @mutants);
is($got[0], 0, 'the server takes what the check lets pass');
is($node->safe_psql('postgres', q{SELECT count(*) FROM mutant WHERE bson_is_valid(decode(hex, 'hex'))}), $got[2], 'and the check lets pass what the server takes');
cmp_ok($got[2], '>', 300, 'among much that is valid');
cmp_ok($got[2], '<', 2700, 'and much that is not');

# the length is that of a document, but the bytes in it are not valid: the server refuses it
spew("$dir/input", $documents[0] . document([ 0x42, 'a', '' ]));
isnt(system("python3 $tool $dir/input | $psql -c 'COPY t (data) FROM STDIN (FORMAT binary)' 2>$dir/said"), 0, 'what is no BSON inside does not load');
like(slurp_raw("$dir/said"), qr/invalid bson document/, 'and the server says so');

# archives: prelude, then blocks of a header and documents
my $one = prelude(entry('person', 'collection'), entry('adult', 'view')) . block('person', undef, @documents[ 0 .. 99 ]) . block('person', undef, @documents[ 100 .. 149 ]) . block('person', crc64(join '', @documents[ 0 .. 149 ]));
my $two = prelude(entry('person', 'collection'), entry('other', 'collection')) . block('other', undef, $documents[0]) . block('person', undef, @documents[ 100 .. 149 ]) . block('person', crc64(join '', @documents[ 100 .. 149 ])) . block('other', crc64($documents[0]));
@got = load('', $one);
is_deeply(\@got, [ 0, '', 150 ], 'an archive of one collection loads');
ok(export() eq join('', @documents[ 0 .. 149 ]), 'in order');
@got = load('--collection=person', $two);
is_deeply(\@got, [ 0, '', 50 ], 'one collection of an archive loads');
@got = load('--collection=app.other', $two);
is_deeply(\@got, [ 0, '', 1 ], 'by its full name, too');
@got = load('', $two);
is_deeply(\@got, [ 1, "bson-copy: the archive holds several collections; choose one with --collection: app.other, app.person\n", 0 ], 'an archive of several asks which');
is(-s "$dir/copy", 0, 'before it writes anything');
@got = load('--collection=nobody', $two);
is_deeply(\@got, [ 1, "bson-copy: there is no collection nobody; the archive holds app.other, app.person\n", 0 ], 'an unknown collection is an error');
@got = load('--collection=person', $dump);
like($got[1], qr/--collection is for archives, and this is none/, 'a file has no collections');
# a prelude that does not say
@got = load('', prelude() . substr($two, length prelude(entry('person', 'collection'), entry('other', 'collection'))));
is("$got[0] $got[2]", '1 0', 'a second collection is an error');
like($got[1], qr/another collection, app\.person, after app\.other/, 'which names both');
@got = load('--collection=nobody', prelude() . block('person', undef, $documents[0]));
is("$got[0] $got[2]", '1 0', 'a collection that never comes is an error');
spew("$dir/input", $one);
is(`python3 $tool --list $dir/input`, "app.person\tcollection\t7 bytes\napp.adult\tview\t7 bytes\n", 'an archive is listed');

# memory is constant: the tool may not use as much as 1 GB
is(system("bash -c 'ulimit -v 262144; for ((i = 0; i < 60; i++)); do cat $dir/large; done | python3 $tool --quiet | tail -c 2 | cmp - <(printf \"\\377\\377\")' 2>&1"), 0, 'memory is constant')
  if spew("$dir/large", $dump x 4);

# the contents do not match the name
spew("$dir/input", "COPY t FROM stdin;\n" x 10);
isnt(system("python3 $tool --export <$dir/input 2>$dir/said"), 0, 'text is not exported');
like(slurp_raw("$dir/said"), qr/this is not COPY's binary format/, 'and the error says so');
foreach ([ 'bytea', q{'\\x00'::bytea} ], [ 'text', q{'{"a": 1}'::text} ], [ 'an array', q{'[1]'::bson} ], [ 'a scalar', q{'5'::bson} ])
{
	my ($name, $value) = @$_;
	isnt(system(qq{$psql -c "COPY (SELECT $value) TO STDOUT (FORMAT binary)" | python3 $tool --export >$dir/back 2>$dir/said}), 0, "$name is not exported");
	like(slurp_raw("$dir/said"), qr/a value is no document/, 'and the error says so');
}
is(system(qq{$psql -c "COPY (SELECT bson_build_object('', '{\\"\$minKey\\": 1}'::bson)) TO STDOUT (FORMAT binary)" | python3 $tool --export >$dir/back}), 0, 'a document with an empty key is');

# the format of mongoexport, one document on each line: quotes and backslashes stay unchanged
spew("$dir/export.json", <<'END');
{"_id":{"$oid":"5f2b1c3d4e5f60718293a4b5"},"s":"a \"quoted\" \\ backslash, comma\ttab","n":{"$numberLong":"15"}}
{"_id":{"$oid":"5f2b1c3d4e5f60718293a4b6"},"at":{"$date":"2022-03-03T12:13:14.789Z"},"price":{"$numberDecimal":"1.10"}}
END
$node->safe_psql('postgres', "TRUNCATE t RESTART IDENTITY");
is(system(qq{$psql -c "\\copy t (data) FROM '$dir/export.json' CSV QUOTE E'\\x01' DELIMITER E'\\x02'"}), 0, 'mongoexport loads');
is($node->safe_psql('postgres', q{SELECT data ->> 's' FROM t WHERE id = 1}), "a \"quoted\" \\ backslash, comma\ttab", 'quotes and backslashes are kept');
is($node->safe_psql('postgres', q{SELECT bson_typeof(data -> 'at'), bson_typeof(data -> 'price') FROM t WHERE id = 2}), 'date|decimal', 'types are kept');

# the same through the tool: a document a line, in an array, pretty-printed; a fraction is a double
my @json = (
	q({"_id":{"$oid":"5f2b1c3d4e5f60718293a4b5"},"s":"a \"quoted\" \\\\ backslash,\t\n\u20ac tab, [1.00000000000000005] \\\\","n":{"$numberLong":"15"}}),
	q({"_id":{"$oid":"5e1012345678901234567890"},"at":{"$date":"2022-03-03T12:13:14.789Z"},"price":{"$numberDecimal":"1.10"},"u":{"$undefined":true},"e":[{},[]]}),
	q({"at":[37.774929499999999,-122.41941550000001],"i":[1,2147483648,9223372036854775807,9223372036854775808,-0.5,1E23,1e-7]}));
my $pretty = join "\n", map { s/([{,\[])(?=["{\[])/$1\r\n\t/gr } @json[ 1, 2 ];
sub load_json
{
	my ($arguments, $text) = @_;
	my $input = spew("$dir/input", $text);

	$node->safe_psql('postgres', 'TRUNCATE t RESTART IDENTITY');
	system("python3 $tool --json $arguments <$input >$dir/copy 2>$dir/said");
	my $status = $? >> 8;
	system("$psql -c 'COPY t (data) FROM STDIN' <$dir/copy 2>$dir/refused");
	return ($status, slurp_raw("$dir/said"), $node->safe_psql('postgres', q{SELECT count(*) || ' ' || coalesce(md5(string_agg(data::bytea::text, ',' ORDER BY id)), '') FROM t}));
}
@got = load_json('', join("\n", @json) . "\n");
is_deeply([ @got[ 0, 1 ] ], [ 0, '' ], 'mongoexport loads through the tool');
is($node->safe_psql('postgres', q{SELECT bson_agg(data ORDER BY id)::bytea = (SELECT bson_agg(bson_from_extjson(j, 'mongodb') ORDER BY i) FROM (VALUES } . join(',', map { "($_, \$j\$$json[$_]\$j\$)" } 0 .. 2) . q{) v(i, j))::bytea FROM t}),
	't', q{numbers are those of bson_from_extjson(..., 'mongodb')});
is($node->safe_psql('postgres', q{SELECT string_agg(bson_typeof(v), ' ' ORDER BY n) FROM t, bson_array_elements(data -> 'i') WITH ORDINALITY e(v, n) WHERE id = 3}), 'int long long double double double double', 'a fraction is a double');
my $loaded = $got[2];
is((load_json('', "\xef\xbb\xbf[" . join(",\n", @json) . "]\n"))[2], $loaded, 'an array loads');
is((load_json('', '[' . join(',', @json) . ']'))[2], $loaded, 'on one line');
is((load_json('', "$json[0]\n$pretty"))[2], $loaded, 'pretty-printed documents load');
IO::Compress::Gzip::gzip(\join("\n", @json), \$zipped);
is((load_json('', $zipped))[2], $loaded, 'compressed ones load');
is((load_json('', ''))[2], '0 ', 'nothing loads');
is((load_json('', '[]'))[2], '0 ', 'so does an empty array');
# lines that are passed on as they are give the same as those that are looked into one by one (--keep does)
my @values = ('1.00000000000000005', '-0.1234567890123456789', '1e5', '1E-7', '12345678901234567890', '-1234567890123456', '9007199254740993.0', '0.1', '"1.00000000000000005"', '"a\\\\"', '"\", 1.00000000000000005"',
	'" :1e5"', '"\\\\\", [1.00000000000000005"', '[1e5,-1e5]', '{"$numberDouble":"1.5"}', "\"\xc3\xa9 \\u20ac\"", '1.7976931348623157e308', 'null', '{}', '"text (in parentheses)"');
srand(9);
my $mixed = join '', map { '{' . join(',', map { "\"k$_\":" . (rand(2) < 1 ? ' ' : '') . $values[ rand @values ] } 0 .. rand 9) . "}\n" } 1 .. 3000;
@got = load_json('', $mixed);
my $as_lines = slurp_raw("$dir/copy");
is("$got[0] $got[1]", '0 ', 'simple lines load');
@got = load_json('--keep', $mixed);
ok(slurp_raw("$dir/copy") eq $as_lines, 'as if they were looked into');
like($got[2], qr/^3000 /, 'all of them');
my $before = $got[2];
is((load_json('', $mixed =~ s/\n/\r\n/gr))[2], $before, 'lines of Windows, too');
is((load_json('', "\xef\xbb\xbf$mixed\n\n"))[2], $before, 'and a mark at the beginning');
is((load_json('', $mixed =~ s/^(.{30000}[^\n]*\n)/$1\n/sr))[2], $before, 'an empty line between');
@got = load_json('', "$json[0]\n{\"a\": .5e3}\n");
is("$got[0] $got[2]", '1 0 ', 'a number without its first digit is an error');
@got = load_json('', "$json[0]\n{\"a\": 1,}\n$json[1]\n");
is($got[2], '0 ', 'what is not JSON inside of a line is refused');
like(slurp_raw("$dir/refused"), qr/invalid input syntax for type bson.*line 2/s, 'by the server, which names the line');
@got = load_json('--keep', "$json[0]\n{\"a\": 1,}\n$json[1]\n");
like("$got[0] $got[2]", qr/^1 1 /, 'or what is before it is kept on demand');
my $many = join '', map { "{\"_id\": $_, \"text\": \"" . 'x' x ($_ % 3000) . "\"}\n" } 1 .. 4000;
@got = load_json('', $many);
like($got[2], qr/^4000 /, 'a file of several buffers loads');
foreach (
	[ 'cut short', substr($many, 0, 5000000), qr/damaged after \d+ documents: line \d+: Unterminated string/ ],
	[ 'not a document', "$json[0]\n5\n", qr/damaged after 1 documents: line 2: a document is expected/ ],
	[ 'an array that does not end', "[$json[0],$json[1]", qr/line 1: a comma is expected/ ],
	[ 'the syntax of the shell', qq($json[0]\n{"_id": ObjectId("5f2b1c3d4e5f60718293a4b5")}\n$many), qr/after 1 documents: line 2: .* syntax of MongoDB's shell: write Extended JSON/ ],
	[ 'a number that is no double', "$json[0]\n{\"a\": 1e400}", qr/1e400 is beyond a double/ ],
	[ 'what is not UTF-8', "$json[0]\n{\"a\": \"\xff\"}", qr/not valid UTF-8/ ])
{
	my ($name, $text, $message) = @$_;
	@got = load_json('', $text);
	is("$got[0] $got[2]", '1 0 ', "$name: nothing is kept");
	like($got[1], $message, 'and the error says why');
}
@got = load_json('--keep', "$json[0]\n$json[1]\n[");
like("$got[0] $got[2]", qr/^1 2 /, 'what is good is kept on demand');

# every option with every mode: those that a mode does not take are errors, and say which modes take them
my %modes = ('the way into COPY' => '', '--json' => '--json', '--export' => '--export', '--list' => '--list', '--restore' => '--restore', '--apply' => '--apply', '--dump' => '--dump out');
my %options = (
	'file' => [ 'x', 'the way into COPY', '--json', '--export', '--list', '--restore', '--apply' ],
	'--archive' => [ '--archive x', '--dump' ],
	'--gzip' => [ '--gzip', '--dump' ],
	'--expire' => [ '--expire', '--dump' ],
	'--order' => [ '--order x', '--dump' ],
	'--collection' => [ '--collection x', 'the way into COPY', '--restore', '--dump' ],
	'--dbname' => [ '-d x', '--restore', '--apply', '--dump' ],
	'--schema' => [ '--schema x', '--restore', '--apply', '--dump' ],
	'--jobs' => [ '-j 3', '--restore' ],
	'--dry-run' => [ '--dry-run', '--restore' ],
	'--keep' => [ '--keep', 'the way into COPY', '--json' ],
	'--check' => [ '--check', 'the way into COPY', '--export', '--restore' ],
	'--skip-invalid' => [ '--skip-invalid x', 'the way into COPY', '--export', '--restore', '--apply' ],
	'--from' => [ '--from 2', 'the way into COPY', '--export' ],
	'--progress' => [ '--progress', 'the way into COPY', '--json', '--export', '--restore', '--apply', '--dump' ],
	'--quiet' => [ '--quiet', 'the way into COPY', '--json', '--export', '--restore', '--apply', '--dump' ]);
spew("$dir/options.py", <<'END');
import contextlib, io, os, sys
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(sys.argv[1]))
from bson_copy import archive, main
print(archive.crc64(b'123456789', 0) == archive.crc64_of_python()(b'123456789', 0) == 0x995dc9bbdf1939fa)
print(sorted(names[0] for names, modes, _, _ in main.OPTIONS if modes != (names[0],)))
for line in sys.stdin:
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            main.arguments(line.split())
        print('taken')
    except SystemExit as end:
        print(end.code, said.getvalue().splitlines()[-1])
END
my @asked = map { my $option = $_; map { [ $option, $_ ] } sort keys %modes } sort keys %options;
spew("$dir/asked", join '', map { my ($option, $mode) = @$_; ($mode eq '--dump' && $option eq '--archive' ? '--dump' : $modes{$mode}) . " $options{$option}[0]\n" } @asked);
my ($sum, $known, @answers) = split /\n/, `python3 $dir/options.py $tool <$dir/asked`;
is($sum, 'True', 'the checksum of archives is right, also where there is no liblzma');
is($known, '[' . join(', ', map { "'$_'" } sort keys %options) . ']', 'all options are tested');
my @wrong;
foreach my $i (0 .. $#asked)
{
	my ($option, $mode) = @{ $asked[$i] };
	my ($value, @takers) = @{ $options{$option} };
	my $expected = (grep { $_ eq $mode } @takers) ? qr/^taken$/ : qr/^2 .*error: \Q@{[ $option eq 'file' ? 'a FILE to read' : $option ]} is for @{[ join ' and ', @takers ]}, not for $mode\E$/;
	push @wrong, "$mode $value: " . ($answers[$i] // '') if ($answers[$i] // '') !~ $expected;
}
is(join("\n", @wrong), '', 'each mode takes its options, and says of the others which modes take them');
isnt(system("python3 $tool --export --list <$dir/input >$dir/out 2>$dir/said"), 0, 'two modes are an error');

# four bytes ff end a block of an archive, but are damage in a file
@got = load('', $documents[0] . "\xff" x 4 . $documents[1]);
is("$got[0] $got[2]", '1 0', 'a length of -1 is no end');

# progress: on a terminal by itself, at most once a second, and never among what is written
spew("$dir/terminal.py", <<'END');
import os, pty, subprocess, sys, time
ours, theirs = pty.openpty()
tool = subprocess.Popen(['python3', *sys.argv[2:]], stdin=subprocess.PIPE, stdout=open(os.devnull, 'wb'), stderr=theirs)
os.close(theirs)
data = open(sys.argv[1], 'rb').read()
began = time.monotonic()
for part in range(12):
    tool.stdin.write(data)
    tool.stdin.flush()
    time.sleep(0.2)
tool.stdin.close()
tool.wait()
print(int(time.monotonic() - began) + 2)
sys.stdout.flush()
said = b''
try:
    while True:
        part = os.read(ours, 4096)
        said += part
        if not part:
            break
except OSError:
    pass
sys.stdout.buffer.write(said)
END
spew("$dir/small", $dump);
my ($most, $shown) = split /\n/, `python3 $dir/terminal.py $dir/small $tool`, 2;
like($shown, qr/^\r\e\[K\d+ documents, [0-9.]+ MB, [0-9.]+ MB\/s\r\e\[K/, 'progress is shown on a terminal');
cmp_ok(scalar(() = $shown =~ /documents/g), '<=', $most, 'at most once a second');
like(`python3 $dir/terminal.py $dir/small $tool --quiet`, qr/^\d+\n$/, 'but not if it is not wanted');
@got = load('--progress', $dump);
my $with = slurp_raw("$dir/copy");
load('', $dump);
ok(slurp_raw("$dir/copy") eq $with, 'what is written is the same with progress');

done_testing();
