# If this fails, a dump, a database or a directory that somebody prepared makes bson-copy write where it should not, run what it
# should not, lose a table, or end without a message that helps.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Digest::SHA;
use IO::Compress::Gzip;
use Test::More;
use Time::HiRes qw(sleep time);
use BsonTest;
use DumpTest;

my ($node, $tool, $dir) = server_for_dumps('postgres');
my $one = document([ 16, '_id', pack('l<', 1) ]);
my $invalid = document([ 16, '_id', pack('l<', 2) ], [ 0x42, 'a', '' ]);
my $number = 0;

sub sql { return $node->safe_psql('postgres', $_[0]) }

# A dump of one collection in a directory of its own, with metadata
sub dump_of
{
	my ($metadata, @documents) = @_;
	my $to = "$dir/dump" . ++$number;

	mkdir $_ foreach $to, "$to/app";
	spew("$to/app/t.metadata.json", $metadata);
	spew("$to/app/t.bson", join '', @documents ? @documents : $one);
	return $to;
}

# An archive of a collection of any name, in a database of any name
sub archive_of
{
	my ($db, $name, $metadata, @documents) = @_;
	my @names = ([ 2, 'db', bson_string($db) ], [ 2, 'collection', bson_string($name) ]);
	my $block = sub { document(@names, [ 8, 'EOF', chr($_[0]) ], [ 18, 'CRC', pack('Q<', $_[1]) ]) };

	return prelude(document(@names, [ 2, 'metadata', bson_string($metadata) ], [ 16, 'size', pack('l<', 7) ], [ 2, 'type', bson_string('collection') ]))
	  . $block->(0, 0) . join('', @documents) . "\xff" x 4 . $block->(1, crc64(join '', @documents)) . "\xff" x 4;
}

# two tables that are the same collection
sql(q{CREATE SCHEMA two; CREATE TABLE two.a (data bson); CREATE TABLE two.b (data bson);
	COMMENT ON TABLE two.a IS 'restored by bson-copy from app.t'; COMMENT ON TABLE two.b IS 'restored by bson-copy from app.t'});
is(tool("--dump $dir/two --schema two"), 1, 'two tables of one collection are an error');
like(slurp_raw("$dir/said"), qr/the tables a and b are both the collection t/, 'which names both');
ok(!-e "$dir/two", 'before anything is written');
is(tool("--dump --archive $dir/two.archive --schema two"), 1, 'also for an archive');
ok(!-e "$dir/two.archive" && !-e "$dir/two.archive.part", 'before anything is written');
mkdir "$dir/same";
mkdir "$dir/same/$_" and spew("$dir/same/$_/t.bson", $one) foreach 'one', 'two';
is(tool("--restore --schema same $dir/same"), 1, 'two collections that would be one table are an error');
like(slurp_raw("$dir/said"), qr/one\.t and two\.t would both be the table t/, 'which names both');

# names that lead out of the directory
mkdir "$dir/in";
foreach my $db ('..', '.', '../..', '/tmp', "a\nb")
{
	spew("$dir/archive", archive_of($db, '../x', '{}', $one, $invalid));
	tool("--restore --schema up" . ++$number . " --skip-invalid $dir/in/aside $dir/archive");
	is(join(' ', map { s/^\Q$dir\E\///r } grep { !/aside/ } glob("$dir/in/* $dir/in/.[!.]* $dir/*x.bson $dir/x*")), '', 'nothing is written outside of the directory');
}
ok(-e "$dir/in/aside/%2E%2E/..%2Fx.bson", 'but below it');
$node->safe_psql('postgres', 'CREATE DATABASE ".."');
$node->safe_psql('..', 'CREATE EXTENSION bson; CREATE TABLE "../t" (data bson)');
is(tool("--dump $dir/in/dump -d .."), 0, 'a database of such a name is dumped');
ok(-e "$dir/in/dump/%2E%2E/..%2Ft.bson", 'into the directory');

# what leads out of a directory
mkdir $_ foreach "$dir/links", "$dir/links/app", "$dir/outside";
spew("$dir/outside/t.bson", $one);
symlink("$dir/outside/t.bson", "$dir/links/app/t.bson");
is(tool("--restore --schema links $dir/links"), 1, 'a link in a dump is not followed');
like(slurp_raw("$dir/said"), qr/app\/t\.bson is not a regular file/, 'and the error says so');
unlink "$dir/links/app/t.bson";
rmdir "$dir/links/app";
symlink("$dir/outside", "$dir/links/app");
is(tool("--restore --schema links $dir/links"), 1, 'nor is one to a directory');
is(tool("--dump $dir/links --schema two --collection a"), 0, 'a dump beside it');
symlink("$dir/outside", "$dir/links/postgres.link");
rename "$dir/links/postgres", "$dir/links/moved";
rename "$dir/links/postgres.link", "$dir/links/postgres";
is(tool("--dump $dir/links --schema two --collection a"), 1, 'is not written through a link');
like(slurp_raw("$dir/said"), qr/links\/postgres is not a directory/, 'and the error says so');
unlink "$dir/links/postgres";
rename "$dir/links/moved", "$dir/links/postgres";
symlink("$dir/outside/new", "$dir/links/postgres/t.bson.part");
is(tool("--dump $dir/links --schema two --collection a"), 0, 'a link in the place of a file');
ok(!-e "$dir/outside/new", 'is replaced');

# compressed bombs
my $bomb = dump_of('{}');
unlink "$bomb/app/t.metadata.json";
IO::Compress::Gzip::gzip(\(' ' x (100 << 20)), "$bomb/app/t.metadata.json.gz");
is(system("bash -c 'ulimit -v 400000; python3 $tool --restore --schema bomb $bomb' 2>$dir/said") >> 8, 1, 'metadata that are 100 MB uncompressed are an error');
like(slurp_raw("$dir/said"), qr/metadata\.json\.gz is larger than 32 MB/, 'which says so');
spew("$dir/bomb", prelude(map { entry('x' . $_, 'collection', '{"a": "' . 'y' x (9 << 20) . '"}') } 1 .. 30));
is(tool("--restore --schema bomb $dir/bomb"), 1, 'so is a beginning of an archive of 270 MB');
like(slurp_raw("$dir/said"), qr/in the prelude: it is larger than 256 MB/, 'which says so');
unlink "$dir/bomb";

# row security
sql(q{CREATE ROLE reader LOGIN; CREATE SCHEMA rls; GRANT USAGE ON SCHEMA rls TO reader; CREATE TABLE rls.t (data bson); INSERT INTO rls.t VALUES ('{"_id": 1}'), ('{"_id": 2}');
	GRANT SELECT ON rls.t TO reader; ALTER TABLE rls.t ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON rls.t USING (data -> '_id' = '1')});
{
	local $ENV{PGUSER} = 'reader';
	is(tool("--dump $dir/rls --schema rls"), 1, 'a dump of a part of the rows is an error');
	like(slurp_raw("$dir/said"), qr/row-level security/, 'which says why');
	is(tool("--restore --schema nowhere " . dump_of('{}')), 1, 'a role that may not create schemas');
	like(slurp_raw("$dir/said"), qr/permission denied for database/, 'is told so');
}

# what --dry-run prints goes into psql
spew("$dir/archive", archive_of("app\n\\! touch $dir/touched\n", "t\n\\! touch $dir/touched\n", qq({"options":{"validator":{"a\\n\\\\! touch $dir/touched\\n":1},"collation":{"x":"\\n\\\\! touch $dir/touched\\n"}},"indexes":[{"name":"x\\n\\\\! touch $dir/touched\\n","key":{"loc\\n\\\\! touch $dir/touched\\n":"2d"}},{"name":"y\\n\\\\! touch $dir/touched\\n","key":{"loc\\n\\\\! touch $dir/touched\\n":1}}]}), $one));
is(tool("--restore --schema dry --dry-run $dir/archive"), 0, 'names with commands are printed');
unlike(slurp_raw("$dir/out") =~ s/'(?:[^']|'')*'|"(?:[^"]|"")*"//gr, qr/^\\!/m, 'in quotes or escaped');
spew("$dir/sql", slurp_raw("$dir/out") =~ s/^COPY .*? -- [^\n]*\n//msr);
is(system("psql -Xq -v ON_ERROR_STOP=1 -f $dir/sql >$dir/out 2>$dir/said"), 0, 'psql understands it') or diag(slurp_raw("$dir/said"));
sql('DROP SCHEMA dry CASCADE');
ok(!-e "$dir/touched", 'and psql runs none of them');
is(tool("--restore --schema dry $dir/archive"), 0, 'nor does a restore');
ok(!-e "$dir/touched", 'which makes the table');
is(sql(q{SELECT count(*) FROM pg_indexes WHERE schemaname = 'dry'}), 3, 'with its indexes');
unlike(slurp_raw("$dir/said"), qr/^\\!/m, 'and what is said has no line of theirs');

# text inside of JSON that looks like SQL
my $long = join '', map { sprintf '%08x', ($_ * 2654435761) % 4294967291 } 1 .. 500;
my $where = dump_of('{"indexes":[{"name":"a WHERE b","key":{"t":1},"unique":true,"partialFilterExpression":{"x":{"$in":[" WHERE ","a WHERE b"]}}}]}',
	document([ 16, '_id', pack('l<', 1) ], [ 2, 't', bson_string($long) ], [ 2, 'x', bson_string(' WHERE ') ]));
is(tool("--restore --schema wh $where"), 0, 'an index whose condition has " WHERE " in it');
isnt($node->psql('postgres', "INSERT INTO wh.t VALUES (bson_build_object('_id', 2, 't', '$long', 'x', ' WHERE '))"), 0, 'is unique');
is($node->psql('postgres', "INSERT INTO wh.t VALUES (bson_build_object('_id', 3, 't', '$long', 'x', 'else'))"), 0, 'where it is to be');

# names that collide with those that the tool makes
is(tool('--restore --schema named ' . dump_of('{"indexes":[{"name":"data","key":{"a":1}},{"name":"_id_","key":{"b":1}},{"name":"data","key":{"c":1}}]}')), 0, 'indexes named as those of the tool');
is(sql(q{SELECT count(*) FROM pg_indexes WHERE schemaname = 'named'}), 5, 'are made, all of them');
my $beside = dump_of('{"indexes":[{"name":"a_1","key":{"a":1}}]}');
spew("$beside/app/t_data.bson", $one);
spew("$beside/app/t_a_1.bson", $one);
is(tool("--restore --schema beside $beside"), 0, 'so are those of a collection with the name of an index');
is(sql(q{SELECT string_agg(relname, ' ' ORDER BY relname) FROM pg_class WHERE relkind = 'r' AND relnamespace = 'beside'::regnamespace}), 't t_a_1 t_data', 'beside it');
is(tool("--restore --schema beside $beside"), 0, 'again');
is(sql(q{SELECT count(*) FROM pg_indexes WHERE schemaname = 'beside'}), 5, 'without a second time');

# a long validator
my $in = join ',', map { qq("value $_ and more") } 1 .. 10000;
is(tool('--restore --schema wide ' . dump_of(qq({"options":{"validator":{"x":{"\$nin":[$in]}}}}))), 0, 'a validator of 230 kB');
is(sql(q{SELECT count(*) FROM pg_constraint WHERE conname = 't_validator' AND convalidated AND connamespace = 'wide'::regnamespace}), 1, 'is made');

# metadata that are not what they should be: an error before anything is loaded
my $deep = '[' x 100000 . ']' x 100000;
my $less = '{"a":' x 300 . '1' . '}' x 300;
foreach (
	[ '[]', 'are not a JSON object' ], [ '{', 'are not JSON' ], [ '"x"', 'are not a JSON object' ], [ "{\"a\":\"\xff\"}", 'is not valid UTF-8' ],
	[ "{\"options\":{\"x\":$deep}}", 'are nested more than 200 levels deep' ], [ "{\"options\":{\"validator\":$less}}", 'are nested more than 200 levels deep' ],
	[ '{"options":[]}', 'options is not an object' ], [ '{"indexes":{}}', 'indexes is not an array' ],
	[ '{"options":{"validator":5}}', 'validator is not an object' ], [ '{"options":{"viewOn":5}}', 'viewOn is not a string' ], [ '{"options":{"pipeline":5}}', 'pipeline is not an array' ], [ '{"collectionName":5}', 'collectionName is not a string' ],
	[ '{"collectionName":"a\u0000b"}', 'has a zero byte' ], [ '{"collectionName":"\ud800"}', 'are not valid UTF-8' ], [ '{"collectionName":"' . 'x' x 300 . '"}', 'is longer than 255 bytes' ])
{
	my ($metadata, $message) = @$_;
	my $wrong = dump_of($metadata);
	spew("$wrong/app/good.bson", $one);
	is(tool("--restore --schema wrong $wrong"), 1, substr($metadata, 0, 60) =~ s/[^ -~]/?/gr . ' is an error');
	like(slurp_raw("$dir/said"), qr/\Q$message\E/, 'which says why');
	is(sql(q{SELECT to_regnamespace('wrong') IS NULL}), 't', 'before anything is made');
}

# an index that is not what it should be is named and left out, and all else is restored
foreach (
	[ '5', 'index 1 is not made: it is not an object' ], [ '{"name":"x"}', 'index x is not made: key is not an object with fields' ], [ '{"name":5,"key":{"a":1}}', 'index index is not made: name is not a string' ],
	[ '{"name":"x","key":[]}', 'key is not an object' ], [ '{"name":"x","key":{}}', 'key is not an object' ], [ '{"name":"x","key":{"a":1},"expireAfterSeconds":"soon"}', 'expireAfterSeconds is not a number' ],
	[ '{"name":"x","key":{"a":1},"expireAfterSeconds":{"$numberInt":"soon"}}', 'expireAfterSeconds is not a number' ],
	[ '{"name":"x","key":{"_fts":"text"},"weights":[]}', 'weights is not an object' ], [ '{"name":"x","key":{"_fts":"text"},"weights":{"a":"x"}}', 'a weight is not a number' ],
	[ '{"name":"x","key":{"_fts":"text"},"default_language":5}', 'default_language is not a string' ], [ '{"name":"x","key":{"a":1},"partialFilterExpression":5}', 'partialFilterExpression is not an object' ],
	[ '{"name":"x","key":{"a":"unknown"}}', 'index x is not made: its kind unknown has no equal' ])
{
	my ($index, $message) = @$_;
	my $schema = 'odd' . ++$number;
	is(tool("--restore --schema $schema " . dump_of(qq({"indexes":[$index,{"name":"good","key":{"b":1}}]}))), 0, "an index $index");
	like(slurp_raw("$dir/said"), qr/app\.t: \Q$message\E|app\.t: index x is not made: \Q$message\E/, 'is named');
	is(sql(qq{SELECT count(*), count(to_regclass('$schema.t_good')) FROM $schema.t}), '1|1', 'and left out, the rest is restored');
}
foreach ([ "a\0b", 'has a zero byte' ], [ 'x' x 300, 'is longer than 255 bytes' ])
{
	my ($name, $message) = @$_;
	foreach my $names ([ 'app', $name ], [ $name, 't' ])
	{
		spew("$dir/archive", archive_of(@$names, '{}', $one));
		is(tool("--restore --schema wrong $dir/archive"), 1, "a name that $message");
		like(slurp_raw("$dir/said"), qr/$message/, 'is an error');
	}
}

# long names, and names that are not ASCII: files are called as mongodump calls them
my $accents = "\xc3\xa9" x 100;
spew("$dir/archive", archive_of('app', $accents, '{}', $one));
is(tool("--restore --schema accents $dir/archive"), 0, 'a name of 100 letters with accents is restored');
is(tool("--dump $dir/accents --schema accents"), 0, 'and dumped') or diag(slurp_raw("$dir/said"));
my $file = substr('%C3%A9' x 100, 0, 208) . '%24' . Digest::SHA::sha1_base64($accents) =~ tr|+/|-_|r;
ok(-e "$dir/accents/postgres/$file.bson", 'under the name that mongodump gives it');
is(tool("--restore --schema back $dir/accents"), 0, 'and restored') or diag(slurp_raw("$dir/said"));
is(sql(q{SELECT (SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'back'::regnamespace) = (SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'accents'::regnamespace)}), 't', 'as the same table');
sql(q{CREATE SCHEMA spelt; CREATE TABLE spelt."a b+c@d:e;f,g?h" (data bson)});
is(tool("--dump $dir/spelt --schema spelt"), 0, 'other characters');
ok(-e "$dir/spelt/postgres/a%20b+c\@d:e%3Bf%2Cg%3Fh.bson", 'as mongodump spells them');

# what stands in the way
foreach my $kind ('view', 'materialized view', 'sequence', 'partitioned table', 'foreign table')
{
	my $name = $kind =~ s/ /_/r;
	sql("CREATE SCHEMA $name; " . ({ 'sequence' => "CREATE SEQUENCE $name.t", 'partitioned table' => "CREATE TABLE $name.t (a int) PARTITION BY LIST (a)",
		'foreign table' => "CREATE FOREIGN DATA WRAPPER w; CREATE SERVER s FOREIGN DATA WRAPPER w; CREATE FOREIGN TABLE $name.t (a int) SERVER s" }->{$kind} // "CREATE $kind $name.t AS SELECT 1"));
	is(tool("--restore --schema $name " . dump_of('{}')), 1, "a $kind in the way is an error");
	like(slurp_raw("$dir/said"), qr/app\.t: there is another $kind "$name"\."t"/, 'which names it');
}
sql('CREATE SCHEMA inway; CREATE VIEW inway.t_a_1 AS SELECT 1');
is(tool('--restore --schema inway ' . dump_of('{"indexes":[{"name":"a_1","key":{"a":1}}]}')), 1, 'a view with the name of an index is an error');
like(slurp_raw("$dir/said"), qr/the index t_a_1 is not made: there is another view of this name/, 'which names it');
foreach ([ '--restore nosuch', qr/^bson-copy: nosuch: No such file/ ], [ "--list $dir", qr/is a directory; --list is for archives/ ], [ "--restore -d nosuch $where", qr/database "nosuch" does not exist/ ],
	[ "--restore -d template1 $where", qr/the database has no type bson: run CREATE EXTENSION bson/ ], [ "$dir/nosuch.bson", qr/nosuch\.bson: No such file/ ],
	[ "--restore --skip-invalid $dir/said $where", qr/^bson-copy: \S+ is not a directory; with --restore, --skip-invalid names one/ ])
{
	my ($arguments, $message) = @$_;
	is(tool($arguments), 1, "$arguments is an error");
	like(slurp_raw("$dir/said"), $message, 'in plain words');
}

# a full disk
SKIP:
{
	skip 'no /dev/full', 3 unless -c '/dev/full';
	is(system("python3 $tool $dir/outside/t.bson >/dev/full 2>$dir/said") >> 8, 1, 'a full disk');
	like(slurp_raw("$dir/said"), qr/^bson-copy: No space left on device$/, 'is an error');
	is(system("python3 $tool --dump --archive - --schema rls >/dev/full 2>$dir/said") >> 8, 1, 'for --dump, too');
}

sql(q{CREATE SCHEMA large; CREATE TABLE large.t (data bson); INSERT INTO large.t SELECT bson_build_object('_id', i, 'x', repeat(md5(i::text), 30)) FROM generate_series(1, 1000) AS i});
foreach my $to ("--dump $dir/large", "--dump --archive $dir/large.archive", "--dump $dir/large --gzip")
{
	is(system("bash -c 'set -o pipefail; (ulimit -f 8; python3 $tool $to --schema large) 2>&1 | cat >$dir/said'") >> 8, 1, "no room for $to");
	like(slurp_raw("$dir/said"), qr/^bson-copy: .*File too large$/, 'is an error');
	is(join(' ', glob("$dir/large/*/* $dir/large.*")), '', 'and leaves no file');
}
sql(q{CREATE TABLE large.u (data bson); COMMENT ON TABLE large.t IS 'restored by bson-copy from app.t'; ALTER TABLE large.u ADD CONSTRAINT c CHECK (data @~ '{"a": 1}')});
sql(qq{COMMENT ON CONSTRAINT c ON large.u IS '{"validator": {"a": "@{[ 'x' x 20000 ]}"}}'});
is(system("bash -c 'set -o pipefail; (ulimit -f 8; python3 $tool --dump $dir/large --schema large --collection u) 2>&1 | cat >$dir/said'") >> 8, 1, 'no room for the metadata');
is(join(' ', glob("$dir/large/*/*")), '', 'leaves no file either');

# interrupted: the server stops, too; killed: the next run waits for what the server still does
my $slow = dump_of('{"indexes":[{"name":"a_1","key":{"a":1}},{"name":"b_1","key":{"b":1}}]}', map { document([ 16, '_id', pack('l<', $_) ]) } 1 .. 10);
is(tool("--restore --schema slow $slow"), 0, 'a dump');
sub blocked
{
	my ($signal) = @_;
	sql('DROP INDEX IF EXISTS slow.t_a_1, slow.t_b_1');
	my $session = $node->background_psql('postgres');
	$session->query_safe('BEGIN; LOCK TABLE slow.t IN ACCESS EXCLUSIVE MODE; SELECT 1');
	my $pid = fork // die $!;
	exec "exec python3 $tool --restore --schema slow $slow 2>$dir/said" unless $pid;
	ok($node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'}), 'it makes an index');
	my $began = time;
	kill $signal, $pid;
	waitpid $pid, 0;
	return ($session, time - $began);
}
SKIP:
{
	skip 'no sessions in the background', 10 unless PostgreSQL::Test::Cluster->can('background_psql') && eval { require PostgreSQL::Test::BackgroundPsql; 1 };
	foreach my $signal ('INT', 'TERM')
	{
		my ($session, $seconds) = blocked($signal);
		cmp_ok($seconds, '<', 30, "SIG$signal ends it");
		like(slurp_raw("$dir/said"), qr/interrupted; what the server did for it is cancelled/, 'it says so');
		ok($node->poll_query_until('postgres', q{SELECT count(*) = 0 FROM pg_stat_activity WHERE wait_event_type = 'Lock'}), 'and the server stops');
		$session->quit;
	}
	my ($session) = blocked('KILL');
	my $pid = fork // die $!;
	exec "exec python3 $tool --restore --schema slow $slow 2>$dir/said" unless $pid;
	for (1 .. 600) { sleep 0.1; last if slurp_raw("$dir/said") =~ /waits/ }
	like(slurp_raw("$dir/said"), qr/app\.t: another run, or the server for a run that was killed, is at work here; waiting for its end/, 'a run after one that was killed waits');
	$session->quit;
	waitpid $pid, 0;
	is($? >> 8, 0, 'and does the rest');
	is(sql(q{SELECT count(*) FROM pg_indexes WHERE schemaname = 'slow'}), 4, 'so that all is there');
}

done_testing();
