# If this fails, archives of mongodump are read wrongly, or damaged ones are taken for whole, or mongorestore could not read those written here.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use IO::Compress::Gzip;
use IO::Handle;
use Test::More;
use BsonTest;
use DumpTest;

my ($node, $tool, $dir) = server_for_dumps('app');
my @documents = map { document([ 16, '_id', pack('l<', $_) ], [ 2, 'name', bson_string("person $_" x ($_ % 7)) ]) } 1 .. 200;

sub sql { return $node->safe_psql('app', $_[0]) }
sub tables { return sql("SELECT coalesce(string_agg(relname, ',' ORDER BY relname COLLATE \"C\"), '') FROM pg_class WHERE relkind = 'r' AND relnamespace = to_regnamespace('$_[0]')") }

# two collections in turns
my ($a, $b) = (join('', @documents[ 0 .. 99 ]), join('', @documents[ 100 .. 199 ]));
my @parts = (
	prelude(entry('a', 'collection'), entry('b', 'collection'), entry('v', 'view', '{"options":{"viewOn":"a"},"type":"view"}'), entry('old', '', '{"options":{"viewOn":"a"}}'), entry('$admin.system.users', 'collection')),
	block('a', undef, @documents[ 0 .. 49 ]),
	block('b', undef, @documents[ 100 .. 149 ]),
	block('a', undef, @documents[ 50 .. 99 ]),
	block('b', undef, @documents[ 150 .. 199 ]),
	block('b', crc64($b)),
	block('a', crc64($a)) . block('$admin.system.users', undef, $documents[0]) . block('$admin.system.users', crc64($documents[0])));
my $whole = join '', @parts;
my @at = (0);
push @at, $at[-1] + length foreach @parts;
spew("$dir/whole", $whole);
is(tool("--restore --schema whole $dir/whole"), 0, 'an archive is restored');
is(sql('SELECT (SELECT count(*) FROM whole.a), (SELECT sum((data ->> $$_id$$)::int) FROM whole.b)'), '100|15050', 'all of it');
is(tables('whole'), 'a,b', 'but for users of the server');
is(sql('SELECT (SELECT count(*) FROM whole.v), (SELECT count(*) FROM whole.old)'), '100|100', 'and its views, also those of old dumps');
is(tool("--list $dir/whole"), 0, 'it is listed');
is(slurp_raw("$dir/out"), join('', map { "app.$_ 7 bytes\n" =~ s/ /\t/r =~ s/ 7/\t7/r } 'a collection', 'b collection', 'v view', 'old view', '$admin.system.users collection'), 'with what each is');
is(tool("--restore --schema piped <$dir/whole"), 0, 'from a pipe, too') ;
is(tables('piped'), 'a,b', 'all of it');

# damaged: where, and what is kept
my $inner = length(document([ 2, 'db', bson_string('app') ], [ 2, 'collection', bson_string('a') ], [ 8, 'EOF', "\0" ], [ 18, 'CRC', pack('Q<', 0) ]));
my $end = $at[1] - 4;
my $number = 0;
foreach (
	[ 'cut in a document of the prelude', substr($whole, 0, $end - 9), qr/damaged at byte \d+, in the prelude: the input ends \d+ bytes before the end of a document/, '' ],
	[ 'cut between documents of the prelude', substr($whole, 0, $end), qr/damaged at byte $end, in the prelude: the input ends/, '' ],
	[ 'cut behind the prelude', substr($whole, 0, $at[1]), qr/damaged at byte $at[1], in app\.a: the archive ends before this collection is complete/, '' ],
	[ 'a prelude without an end', pack('L<', 0x8199e26d) . substr($whole, $at[1]), qr/damaged at byte \d+, in the prelude: /, '' ],
	[ 'cut in a header', substr($whole, 0, $at[1] + 20), qr/damaged at byte $at[1], in the header of a block behind the prelude: the input ends/, '' ],
	[ 'cut in a later header', substr($whole, 0, $at[3] + 3), qr/damaged at byte $at[3], in the header of a block behind app\.b: the input ends/, '' ],
	[ 'cut in a document', substr($whole, 0, $at[1] + $inner + 20), qr/damaged at byte @{[ $at[1] + $inner ]}, in app\.a: the input ends/, '' ],
	[ 'cut between documents', substr($whole, 0, $at[1] + $inner + length $documents[0]), qr/damaged at byte @{[ $at[1] + $inner + length $documents[0] ]}, in app\.a: the input ends/, '' ],
	[ 'cut in the end of a block', substr($whole, 0, $at[3] - 2), qr/in app\.b: the input ends 2 bytes/, '' ],
	[ 'cut behind a block', substr($whole, 0, $at[5]), qr/damaged at byte $at[5], in app\.(a|b): the archive ends before this collection is complete/, '' ],
	[ 'cut behind the end of one collection', join('', @parts[ 0 .. 5 ]), qr/damaged at byte $at[6], in app\.a: the archive ends before this collection is complete; what was complete/, 'b' ],
	[ 'no end of a block', substr($whole, 0, $at[2] - 4) . substr($whole, $at[2]), qr/damaged at byte \d+/, '' ],
	[ 'two ends', substr($whole, 0, $at[2]) . "\xff" x 4 . substr($whole, $at[2]), qr/damaged at byte $at[2], in the header of a block behind app\.a: this is no header/, '' ],
	[ 'a length that is none', substr($whole, 0, $at[1] + $inner) . pack('l<', 3) . substr($whole, $at[1] + $inner + 4), qr/in app\.a: 3 is not the length/, '' ],
	[ 'a wrong checksum', join('', @parts[ 0 .. 5 ]) . block('a', crc64($a) ^ 1), qr/in app\.a: the checksum of its documents is [0-9a-f]{16}, and should be [0-9a-f]{16}; nothing of it is kept/, 'b' ],
	[ 'a changed document', substr($whole, 0, $at[1] + $inner + 10) . "\7" . substr($whole, $at[1] + $inner + 11), qr/in app\.a: the checksum/, 'b' ],
	[ 'a lost block', join('', @parts[ 0 .. 2, 4 .. 6 ]), qr/in app\.a: the checksum/, 'b' ],
	[ 'a collection that ends twice', $whole . block('a', crc64($a)), qr/in app\.a: this collection has ended before/, 'a,b' ],
	[ 'a collection that is not in the prelude', join('', @parts[ 0, 1 ]) . block('x', undef, $documents[0]), qr/in app\.x: the prelude does not name/, '' ])
{
	my ($name, $bytes, $message, $kept) = @$_;
	spew("$dir/damaged", $bytes);
	is(tool("--restore --schema damaged$number $dir/damaged"), 1, "$name: the status is not 0");
	like(slurp_raw("$dir/said"), qr/^bson-copy: \Q$dir\E\/damaged: .*?$message/m, 'the file, the byte and the collection are named');
	is(tables("damaged$number"), $kept, 'and nothing of what is damaged is kept');
	$number++;
}
foreach (
	[ 'of a damaged prelude', '', substr($whole, 0, $end), qr/in the prelude: the input ends/ ],
	[ 'with a wrong checksum', '--collection a', join('', @parts[ 0 .. 5 ]) . block('a', 7), qr/in app\.a, after 100 documents: the checksum/ ],
	[ 'cut behind a block', '--collection a', substr($whole, 0, $at[4]), qr/after 100 documents: the archive ends before/ ])
{
	my ($name, $option, $bytes, $message) = @$_;
	spew("$dir/damaged", $bytes);
	is(tool("$option $dir/damaged"), 1, "an archive $name is an error on the way into COPY");
	like(slurp_raw("$dir/said"), $message, 'which says so');
	sql('CREATE TABLE IF NOT EXISTS t (data bson)');
	isnt(system("psql -Xqc 'COPY t FROM STDIN (FORMAT binary)' <$dir/out 2>/dev/null"), 0, 'and the server refuses what was written');
}

# documents that the server refuses stop their own collection only
my @bad = @documents[ 0 .. 9 ];
$bad[4] = document([ 16, '_id', pack('l<', 77) ], [ 2, 'name', pack('l<', 3) . "\xffb\0" ]);
my $head = prelude(entry('a', 'collection'), entry('b', 'collection'));
spew("$dir/bad", $head . block('a', undef, @bad) . block('b', undef, @documents[ 100 .. 199 ]) . block('a', crc64(join '', @bad)) . block('b', crc64($b)));
my $place = length($head) + $inner + length(join '', @bad[ 0 .. 3 ]) + 4 + 9 + 6 + 4;
foreach ('', '--check')
{
	is(tool("--restore $_ --schema bad $dir/bad"), 1, 'a document that the server refuses is an error');
	like(slurp_raw("$dir/said"), qr/damaged at byte $place, in app\.a: .*in document 5 \(_id 77\)/, 'whose place is named');
	is(tables('bad'), 'b', 'and the other collections are restored');
}
is(tool("--restore --skip-invalid $dir/aside --schema bad $dir/bad"), 0, 'or it is set aside');
is(sql('SELECT count(*) FROM bad.a'), 9, 'the others are restored');
ok(slurp_raw("$dir/aside/app/a.bson") eq $bad[4] && !-e "$dir/aside/app/b.bson", 'in a file for each collection that has such');

# sessions work at the same time; the whole is interrupted, and done again
my @many = map { document([ 16, '_id', pack('l<', $_) ], [ 2, 'text', bson_string('x' x 10000) ]) } 1 .. 300;
my $sum = crc64(join '', @many[ 0 .. 9 ]);
my $pid = open my $pipe, '|-', "exec python3 $tool --restore --schema broken 2>$dir/said" or die $!;
$pipe->autoflush(1);
print $pipe prelude(map { entry($_, 'collection') } qw(a b c)), block('c', undef, @many[ 0 .. 9 ]), block('c', $sum), block('a', undef, @many), block('b', undef, @many), block('a', undef, @many);
ok($node->poll_query_until('app', 'SELECT count(*) = 2 FROM pg_stat_progress_copy WHERE bytes_processed > 1000000'), 'a session for each collection loads at the same time');
ok($node->poll_query_until('app', q{SELECT to_regclass('broken.c') IS NOT NULL}), 'what is complete is there already');
kill 'KILL', $pid;
close $pipe;
ok($node->poll_query_until('app', 'SELECT count(*) = 0 FROM pg_stat_progress_copy'), 'the tool is killed');
is(tables('broken'), 'c', 'nothing of what was not complete is kept');
my ($sum_a, $sum_b) = (crc64(join '', @many[ 0 .. 19 ]), crc64(join '', @many[ 20 .. 29 ]));
spew("$dir/again", prelude(map { entry($_, 'collection') } qw(a b c)) . block('c', undef, @many[ 0 .. 9 ]) . block('c', $sum) . block('a', undef, @many[ 0 .. 19 ]) . block('b', undef, @many[ 20 .. 29 ]) . block('a', $sum_a) . block('b', $sum_b));
is(tool("--restore --schema broken $dir/again"), 0, 'it is restored again');
like(slurp_raw("$dir/said"), qr/app\.c: the table is complete, and skipped/, 'what is complete is skipped');
is(sql('SELECT (SELECT count(*) FROM broken.a), (SELECT count(*) FROM broken.b), (SELECT count(*) FROM broken.c)'), '20|10|10', 'and the rest is there');

# tables become an archive, byte for byte
my $body = block('a', undef, @documents[ 0 .. 99 ]) . block('a', crc64($a)) . block('b', undef, @documents[ 100 .. 199 ]) . block('b', crc64($b)) . block('none', 0);
sql(q{CREATE TABLE whole."none" (data bson)});
is(tool("--dump --archive $dir/made --schema whole --order \"data -> '_id'\""), 0, 'tables become an archive');
ok(substr(slurp_raw("$dir/made"), -length $body) eq $body, 'whose blocks and checksums are those of mongodump');
is(tool("--list $dir/made"), 0, 'it is listed');
is(slurp_raw("$dir/out"), join('', map { "app.$_->[0]\t$_->[2]\t$_->[1] bytes\n" } [ a => length $a, 'collection' ], [ b => length $b, 'collection' ], [ none => 0, 'collection' ], [ old => 0, 'view' ], [ v => 0, 'view' ]), 'with all collections and their bytes, and the views');
is(tool("--restore --schema made $dir/made"), 0, 'it is restored');
is(sql('SELECT (SELECT md5(string_agg(data::bytea, NULL ORDER BY data)) FROM whole.a) = (SELECT md5(string_agg(data::bytea, NULL ORDER BY data)) FROM made.a)'), 't', 'byte for byte');
is(tool("--dump --archive $dir/made.gz --gzip --schema whole --order \"data -> '_id'\""), 0, 'and a compressed one');
is(system("gzip -dc $dir/made.gz | cmp - $dir/made"), 0, 'which is the same');
is(system("bash -c 'set -o pipefail; python3 $tool --dump --archive - --schema whole --quiet | python3 $tool --restore --quiet --schema through'"), 0, 'through a pipe, without a file');
is(tables('through'), 'a,b,none', 'all are there');
sql(q{CREATE TABLE whole.zz (data bson); INSERT INTO whole.zz VALUES ('{"a": 1}'), ('[1]');
	INSERT INTO whole.zz SELECT bson_build_object('s', repeat('x', 1000)) FROM generate_series(1, 3000)});     # psql is still writing then
isnt(tool("--dump --archive $dir/wrong --schema whole"), 0, 'what is no document is no part of an archive');
like(slurp_raw("$dir/said"), qr/zz: a value is no document, .*\(row 2\)/, 'and the error says so');
ok(!-e "$dir/wrong" && !-e "$dir/wrong.part", 'no file is left');

# memory stays small, however large the archive is: BSON_DUMP_MB is its size; here a psql that only reads stands for the server
my $megabytes = $ENV{BSON_DUMP_MB} // 200;
mkdir "$dir/bin";
spew("$dir/bin/psql", "#!/bin/sh\ncase \"\$*\" in *current_schema*) echo '{\"schema\": \"public\", \"home\": \"public\"}';; *relations*) echo '{\"relations\": [], \"checks\": []}';; *try_advisory*) echo '[]';; *\" FROM STDIN\"*) exec cat >/dev/null;; esac\n");
chmod 0755, "$dir/bin/psql";
spew("$dir/generate.py", <<'END');
import os, sys
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(sys.argv[1]))
from bson_copy import archive, basics, document as bson
write, names = sys.stdout.buffer.write, 'abcd'
document = bson.bson_of(_id=1, name='Ada Lovelace', text='x' * 900)
block = document * ((16 << 20) // len(document))
header = lambda name, end, crc: bson.bson_of(db='app', collection=name, EOF=end, CRC=bson.Long(crc))
write(basics.ARCHIVE + bson.bson_of(concurrent_collections=4, version='0.1', server_version='8.0.0', tool_version='x'))
for name in names:
    write(bson.bson_of(db='app', collection=name, metadata='{}', size=0, type='collection'))
write(basics.END)
sums = dict.fromkeys(names, 0)
for turn in range(int(sys.argv[2]) // 16):
    name = names[turn % 4]
    write(header(name, False, 0) + block + basics.END)
    sums[name] = archive.crc64(block, sums[name])
for name in names:
    write(header(name, True, sums[name]) + basics.END)
END
spew("$dir/measure.py", <<'END');
import resource, subprocess, sys, time
began = time.monotonic()
status = subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL).returncode
print(status, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024, round(time.monotonic() - began, 1), file=open(sys.argv[1], 'w'))
END
foreach ([ '--restore', "PATH=$dir/bin:\$PATH" ], [ '--collection a', '' ])
{
	my ($mode, $environment) = @$_;
	system("python3 $dir/generate.py $tool $megabytes | $environment python3 $dir/measure.py $dir/measured python3 $tool $mode --quiet");
	my $measured = slurp_raw("$dir/measured");

	note("$mode of $megabytes MB: status, peak MB, seconds: $measured");
	like($measured, qr/^0 /, "$megabytes MB pass");
	cmp_ok((split ' ', $measured)[1], '<', 250, 'memory stays small');
}

done_testing();
