# If this fails, a whole dump of mongodump is not restored as tables, or tables do not become a dump again.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Digest::MD5 qw(md5_hex);
use IO::Compress::Gzip;
use IO::Handle;
use Test::More;
use BsonTest;
use DumpTest;

my ($node, $tool, $dir) = server_for_dumps('postgres');
my @documents = map { document([ 16, '_id', pack('l<', $_) ], [ 2, 'name', bson_string("person $_" x ($_ % 7)) ], [ 18, 'n', pack('q<', $_) ]) } 1 .. 2000;

# the fifth and the eighth are not valid
my @damaged = @documents[ 0 .. 9 ];
$damaged[4] = document([ 16, '_id', pack('l<', 77) ], [ 2, 'name', pack('l<', 3) . "\xffb\0" ]);
$damaged[7] = document([ 7, '_id', pack('H*', '5f2b1c3d4e5f60718293a4b5') ], [ 0x42, 'a', '' ]);
my $place = length(join '', @damaged[ 0 .. 3 ]) + 4 + 9 + 6 + 4;
my $damaged = join '', @damaged;

# a whole dump, with its indexes
my $old = "$dir/dump/app";
mkdir "$dir/dump";
mkdir $old;
my $people = join '', @documents[ 0 .. 1999 ];
my $others = join '', @documents[ 0 .. 9 ];
my $o = '{"$numberInt":"1"}';
spew("$dir/dump/app/person.bson", $people);
spew("$dir/dump/app/person.metadata.json", qq({"options":{"validator":{"n":{"\$gte":$o}}},"collectionName":"person","type":"collection","indexes":[) . join(',',
	qq({"v":{"\$numberInt":"2"},"key":{"_id":$o},"name":"_id_"}),
	qq({"key":{"n":$o},"name":"n_1","unique":true}),
	qq({"key":{"name":{"\$numberInt":"-1"},"n":$o},"name":"name_-1_n_1"}),
	qq({"key":{"x.y":$o},"name":"x.y_1","sparse":true}),
	qq({"key":{"n":$o},"name":"it's","partialFilterExpression":{"n":{"\$gt":{"\$numberInt":"30"}}}}),
	qq({"key":{"name":"hashed"},"name":"name_hashed"}),
	qq({"key":{"\$**":$o},"name":"\$**_1"}),
	qq({"key":{"_fts":"text","_ftsx":$o},"name":"name_text","weights":{"name":$o,"a.b":$o},"default_language":"none"}),
	qq({"key":{"at":$o},"name":"at_1","expireAfterSeconds":{"\$numberInt":"3600"}}),
	qq({"key":{"loc":"2dsphere"},"name":"loc_2dsphere"})) . ']}');
IO::Compress::Gzip::gzip(\$others, "$old/other%2Fone.bson.gz");
IO::Compress::Gzip::gzip(\'{"options":{},"indexes":[]}', "$old/other%2Fone.metadata.json.gz");
spew("$dir/dump/app/adult.metadata.json", '{"options":{"viewOn":"person","pipeline":[{"$match":{"n":{"$gt":{"$numberInt":"1990"}}}}]},"indexes":[],"type":"view"}');
is(tool("--restore --dry-run --schema app $dir/dump"), 0, 'the SQL of a dump is printed');
like(slurp_raw("$dir/out"), qr/^CREATE UNIQUE INDEX "person_n_1" ON "app"."person" \(\(data -> 'n'::text\)\) NULLS NOT DISTINCT;$/m, 'with its indexes');
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_namespace WHERE nspname = 'app'}), '0', 'and nothing is done');
is(tool("--restore --progress -d postgres --schema app $dir/dump"), 0, 'a dump is restored');
like(slurp_raw("$dir/said"), qr/in all [0-9.]+ MB, [0-9.]+ MB\/s, 100 %$/m, 'with progress in all');
is(slurp_raw("$dir/out"), '', 'which is not on standard output');
my $said = slurp_raw("$dir/said");
like($said, qr/app\.person: 2000 documents/, 'what is done is said');
like($said, qr/app\.adult: a view of person$/m, 'a view is made');
is($node->safe_psql('postgres', q{SELECT count(*), min(data ->> 'n') FROM app.adult}), '10|1991', 'of its pipeline');
like($said, qr/index at_1 is made, but nothing expires by it/, 'so is an index that expires');
like($said, qr/index loc_2dsphere is not made/, 'and one of geometry');
is($node->safe_psql('postgres', q{SELECT (SELECT count(*) FROM app.person), (SELECT count(*) FROM app."other/one"), (SELECT convalidated FROM pg_constraint WHERE conname = 'person_validator')}), '2000|10|t', 'all documents are there, and checked');
is($node->safe_psql('postgres', q{SELECT string_agg(regexp_replace(indexdef, '^CREATE (UNIQUE )?INDEX "?(.*?)"? ON .* USING', '\1\2:'), E'\n' ORDER BY indexname COLLATE "C") FROM pg_indexes WHERE schemaname = 'app' AND tablename = 'person'}), <<'END' =~ s/\n$//r, 'the indexes are there');
person_$**_1: gin (data bson_range_ops)
UNIQUE person__id_: btree (((data -> '_id'::text)))
person_at_1: btree (((data -> 'at'::text)))
person_it's: btree (((data -> 'n'::text))) WHERE (data @~ '{"n": {"$gt": 30}}'::bson)
UNIQUE person_n_1: btree (((data -> 'n'::text))) NULLS NOT DISTINCT
person_name_-1_n_1: btree (((data -> 'name'::text)) DESC, ((data -> 'n'::text)))
person_name_hashed: hash (((data -> 'name'::text)))
person_name_text: gin (bson_tsvector(data, '{"weights": {"a.b": 1, "name": 1}, "default_language": "none", "language_override": "language"}'::bson))
person_x.y_1: btree ((((data -> 'x'::text) -> 'y'::text)))
END
$node->safe_psql('postgres', 'DROP VIEW app.adult; DROP TABLE app."other/one"; DROP INDEX app.person_n_1');
is(tool("--restore -d postgres --schema app $dir/dump"), 0, 'it is restored again');
like(slurp_raw("$dir/said"), qr/app\.person: the table is complete, and skipped/, 'what is complete is skipped');
is($node->safe_psql('postgres', q{SELECT count(*), to_regclass('app.person_n_1') FROM app."other/one"}), '10|app.person_n_1', 'what was missing is made');

# and back
is(tool("--dump $dir/back.dump -d postgres --schema app --order 'data #> \$\$\{_id\}\$\$'"), 0, 'tables are dumped');
ok(slurp_raw("$dir/back.dump/postgres/person.bson") eq $people, 'byte for byte, in the order asked for');
like(slurp_raw("$dir/back.dump/postgres/person.metadata.json"), qr/"_id_".*(?=.*"name": "n_1", "unique": true)(?=.*"partialFilterExpression")/, 'with the indexes');
ok(-e "$dir/back.dump/postgres/other%2Fone.bson", 'under names as mongodump makes them');
is(tool("--restore -d postgres --schema again $dir/back.dump"), 0, 'what was dumped is restored');
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_indexes WHERE schemaname = 'again'}), 10, 'with its indexes');

# the commands of doc/migrating.md: a block is known by words of it; mongorestore and mongosh are no part of the tests
my $page = slurp_raw("$FindBin::RealBin/../../doc/migrating.md");
sub command
{
	my ($words) = @_;
	my ($block) = grep { /\Q$words\E/ } $page =~ /^```bash\n(.*?)^```$/msg or die "no block with $words";

	$block =~ s/^.*mongo(?:sh|restore) .*\n//mg;
	# what is dumped here comes from this database
	$block =~ s/=app\./=postgres./;
	spew("$dir/command", "bson-copy() { python3 $tool \"\$@\"; }\ncd $dir/page || exit\nexport PGOPTIONS='-c search_path=app,public'\nset -e\n$block");
	is(system("bash $dir/command >$dir/out 2>$dir/said"), 0, "the commands with $words run") or diag(slurp_raw("$dir/said"));
	return slurp_raw("$dir/out");
}
mkdir $_ foreach "$dir/page", "$dir/page/dump", "$dir/page/dump/app";
is(command('restored by bson-copy%'), qq(again."other/one"|10\nagain.adult|10\nagain.person|2000\napp."other/one"|10\napp.adult|10\napp.person|2000\n), 'which count documents');
is(command('md5sum'), md5_hex($people) . "  -\n", 'which calculate a digest');
is($node->safe_psql('postgres', "SET search_path = app, public; " . ($page =~ /^For a table of less than 1 GB, in SQL: `(.*?)`/m)[0]), md5_hex($people), 'also in SQL');
my ($differ) = $page =~ /^psql -c "(SELECT[^"]* FULL JOIN again\.person [^"]*)"/m or die 'no query for what differs';
is($node->safe_psql('postgres', "SET search_path = app, public; $differ"), '', 'no document differs');
$node->safe_psql('postgres', q{UPDATE again.person SET data = data || '{"n": 5000}' WHERE data -> '_id' = '7'; DELETE FROM again.person WHERE data -> '_id' = '9'});
is($node->safe_psql('postgres', "SET search_path = app, public; $differ"), "7|f|f\n9|f|t", 'or those that do');
command('bson-copy --dump dump/ --order');
ok(slurp_raw("$dir/page/dump/postgres/person.bson") eq $people, 'which dump tables');
IO::Compress::Gzip::gzip(\$people, "$dir/page/dump/app/person.bson.gz");
rename "$dir/page/all.archive.gz", "$dir/page/all.archive";
$node->safe_psql('postgres', 'ALTER TABLE app.person RENAME TO kept');
command('set -o pipefail');
is($node->safe_psql('postgres', 'SELECT count(*) FROM app.person'), '4000', 'which copy a file, and a collection of an archive');
spew("$dir/page/person.json", qq({"_id": 5}\n{"_id": 6}\n));
command('--json person.json');
is($node->safe_psql('postgres', 'SELECT count(*) FROM app.person'), '4002', 'which copy what mongoexport wrote');
$node->safe_psql('postgres', 'DROP TABLE app.person; ALTER TABLE app.kept RENAME TO person; CREATE DATABASE app');
$node->safe_psql('app', 'CREATE EXTENSION bson');
command('bson_jsonb.sql');
is($node->safe_psql('app', q{SELECT jsonb_typeof('5'::bson)}), 'number', 'which make functions of jsonb for bson');

# one that is damaged leaves nothing of itself
spew("$dir/dump/app/person.bson", substr($people, 0, 30000));
is(tool("--restore -d postgres --schema cut $dir/dump"), 1, 'a damaged dump is an error');
like(slurp_raw("$dir/said"), qr/person\.bson: damaged at byte \d+, after \d+ documents, and nothing is kept/, 'which names the file');
is($node->safe_psql('postgres', q{SELECT to_regclass('cut.person') IS NULL, (SELECT count(*) FROM cut."other/one")}), 't|10', 'the rest is restored');
spew("$dir/dump/app/person.bson", $damaged);
is(tool("--restore -d postgres --schema cut $dir/dump"), 1, 'a document that the server refuses is an error');
like(slurp_raw("$dir/said"), qr/person\.bson: damaged at byte $place: .*document 5 \(_id 77\)/, 'which names the place');

# the session breaks; what it loaded is not kept, and the next run does the rest
mkdir "$dir/broken";
mkdir "$dir/broken/app";
is(system("mkfifo $dir/broken/app/person.bson"), 0, 'a file that is slow');
spew("$dir/broken/app/other.bson", $documents[0]);
{
	local $SIG{PIPE} = 'IGNORE';
	is(tool("--restore -d postgres --schema broken $dir/broken"), 1, 'which is not read when it is found in a directory');
	like(slurp_raw("$dir/said"), qr/broken\/app\/person\.bson is not a regular file/, 'and the error says so');
	is(tool("--restore -d postgres --schema broken $dir/broken/app/other.bson"), 0, 'one beside it is');
	my $pid = open my $run, '-|', "python3 $tool --restore -d postgres --schema broken $dir/broken/app/person.bson 2>&1" or die $!;
	open my $slow, '>:raw', "$dir/broken/app/person.bson" or die $!;
	$slow->autoflush(1);
	print $slow join('', @documents) x 10;
	ok($node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_stat_progress_copy WHERE tuples_processed > 100}), 'it loads');
	$node->safe_psql('postgres', 'SELECT pg_terminate_backend(pid) FROM pg_stat_progress_copy');
	ok($node->poll_query_until('postgres', q{SELECT count(*) = 0 FROM pg_stat_progress_copy}), 'and is broken off');
	print $slow join('', @documents) x 100;
	close $slow;
	like(join('', <$run>), qr/app\.person: .*terminat/s, 'the error says so');
	ok(!close($run) && $? >> 8 == 1, 'and the status is not 0');
}
is($node->safe_psql('postgres', q{SELECT to_regclass('broken.person') IS NULL, count(*) FROM broken.other}), 't|1', 'the rest is there');
unlink "$dir/broken/app/person.bson";
spew("$dir/broken/app/person.bson", join '', @documents);
is(tool("--restore -d postgres --schema broken $dir/broken"), 0, 'it is run again');
like(slurp_raw("$dir/said"), qr/app\.other: the table is complete, and skipped/, 'what is complete is skipped');
is($node->safe_psql('postgres', q{SELECT count(*) FROM broken.person}), 2000, 'the rest is made');

# what else --restore takes
my $json = join '', map { qq({"_id":{"\$oid":"5f2b1c3d4e5f6071829300$_"},"n":$_,"d":37.774929499999999}\n) } 10 .. 19;
mkdir "$dir/json";
spew("$dir/json/visit.json", $json);
spew("$dir/json/prelude.json", '{"ServerVersion":"8.0.0","ToolVersion":"100.10.0"}');
is(tool("--restore -d postgres --schema json $dir/json/visit.json"), 0, 'a file of mongoexport is restored');
is($node->safe_psql('postgres', q{SELECT count(*), min(bson_typeof(data -> 'd')) FROM json.visit}), '10|double', 'as a table of its name, by the number rule of MongoDB');
spew("$dir/json/person.bson", join '', @documents[ 0 .. 9 ]);
spew("$dir/json/person.json", '{}');
is(tool("--restore -d postgres --schema json $dir/json"), 0, 'a directory with such');
like(slurp_raw("$dir/said"), qr/json\.visit: the table is complete.*person\.json: left out, as there is .*person\.bson|person\.json: left out, as there is .*person\.bson.*json\.visit: the table is complete/s, 'a .bson goes before a .json');
is($node->safe_psql('postgres', q{SELECT count(*), to_regclass('json.prelude') IS NULL FROM json.person}), '10|t', 'and what mongodump says of itself is no collection');
is(tool("--restore -d postgres --schema file $dir/dump/app/other%2Fone.bson.gz"), 0, 'a single file of mongodump is restored');
is($node->safe_psql('postgres', q{SELECT count(*) FROM file."other/one"}), 10, 'under its name');
spew("$dir/json/cut.json", substr($json, 0, 300));
is(tool("--restore -d postgres --schema json $dir/json/cut.json"), 1, 'JSON that is cut is an error');
like(slurp_raw("$dir/said"), qr/cut\.json: damaged, after \d+ documents, and nothing is kept: line \d+/, 'which names the line');
is(tool("--restore -d postgres --check $dir/json/visit.json"), 1, 'JSON is not looked into');
is(tool("--restore -d postgres $dir/back"), 1, 'what is not there is an error');

# views: those that read others come later, and one that cannot be said says so when it is read
mkdir "$dir/views";
mkdir "$dir/views/app";
sub view
{
	my ($name, $on, $pipeline) = @_;
	spew("$dir/views/app/$name.metadata.json", qq({"options":{"viewOn":"$on","pipeline":$pipeline},"indexes":[],"uuid":"","collectionName":"$name","type":"view"}));
}
spew("$dir/views/app/person.bson", $people);
view('a1', 'b2', '[{"$project":{"name":{"$toUpper":"$name"}}},{"$unset":"_id"}]');
view('b2', 'person', '[{"$match":{"n":{"$in":[5,8]}}}]');
view('c3', 'person', '[{"$match":{"n":8}},{"$lookup":{"from":"b2","localField":"n","foreignField":"n","as":"same"}},{"$facet":{"f":[{"$unionWith":{"coll":"a1","pipeline":[{"$unionWith":"b2"}]}}]}},{"$project":{"f":{"$size":"$f"}}}]');
view('near', 'person', '[{"$search":{}}]');
view('lost', 'nowhere', '[{"$match":{"n":5}}]');
view('n' x 70, 'person', '[{"$count":"n"}]');
my $odd = q(v' \\" $do$; --);
spew("$dir/views/app/odd.metadata.json", qq({"options":{"viewOn":"person","pipeline":[{"\$match":{"name":"$odd"}}],"collation":{"locale":"de"}},"collectionName":"$odd","type":"view"}));
is(tool("--restore --dry-run --schema views $dir/views"), 0, 'the SQL of views is printed');
like(slurp_raw("$dir/out"), qr/EXECUTE 'CREATE OR REPLACE VIEW "views"."b2".*EXECUTE 'CREATE OR REPLACE VIEW "views"."a1"/s, 'in the order in which they can be made');
is(tool("--restore -d postgres --schema views $dir/views"), 0, 'views are restored');
like(slurp_raw("$dir/said"), qr/app\.near: reading this view of person is an error: .*search.*not supported: \[\{"\$search": /, 'one that cannot be said is named, with its pipeline');
like(slurp_raw("$dir/said"), qr/app\.lost: reading this view of nowhere is an error: relation "views\.nowhere" does not exist/, 'and one of a collection that is not there');
is($node->safe_psql('postgres', q{SELECT string_agg(data::text, ' ' ORDER BY data) FROM views.a1}), '{"name": "PERSON 5PERSON 5PERSON 5PERSON 5PERSON 5"} {"name": "PERSON 8"}', 'a view of a view');
is($node->safe_psql('postgres', q{SELECT data FROM views.c3}), '{"f": 5}', 'and one that reads others');
is($node->safe_psql('postgres', 'SELECT data FROM views.' . 'n' x 54 . '_' . substr(`printf %s ${\('n' x 70)} | md5sum`, 0, 8)), '{"n": 2000}', 'one with a long name');
is($node->psql('postgres', 'SELECT FROM views."' . $odd =~ s/\\"/""/r . '"'), 0, 'and one with an odd name');
isnt($node->psql('postgres', 'SELECT * FROM views.near', stderr => \my $near), 0, 'the one that cannot be said is there');
like($near, qr/"\$search" of a bson pipeline is not supported/, 'and says why');
is($node->safe_psql('postgres', q{CREATE TABLE views.nowhere AS SELECT * FROM views.person; SELECT count(*) FROM views.lost}), '1', 'the collection may come later');
is(tool("--restore -d postgres --schema views $dir/views"), 0, 'they are restored again');
like(slurp_raw("$dir/said"), qr/app\.a1: the view is complete, and skipped.*app\.lost: a view of nowhere\n.*app\.near: reading this view/ms, 'what could not be said is tried again');
is($node->safe_psql('postgres', q{SELECT pg_get_viewdef('views.lost') ~ 'FROM views.nowhere'}), 't', 'and is said');
is(tool("--dump $dir/views.back -d postgres --schema views"), 0, 'views are dumped');
foreach my $name ('a1', 'c3', 'near')
{
	my ($from, $to) = map { slurp_raw($_) =~ s/"uuid":"",| //gr } "$dir/views/app/$name.metadata.json", "$dir/views.back/postgres/$name.metadata.json";
	is($to, $from, 'as they came');
}
ok(!-e "$dir/views.back/postgres/a1.bson", 'without documents');
is(tool("--dump --archive $dir/views.archive -d postgres --schema views"), 0, 'into an archive, too');
is(tool("--restore -d postgres --schema views_again $dir/views.archive"), 0, 'which is restored');
is($node->safe_psql('postgres', q{SELECT data FROM views_again.c3}), '{"f": 5}', 'with its views');
spew("$dir/views/app/one.metadata.json", '{"options":{"viewOn":"two"}}');
spew("$dir/views/app/two.metadata.json", '{"options":{"viewOn":"one","pipeline":[]}}');
is(tool("--restore -d postgres --schema circle $dir/views"), 1, 'views that read each other are an error');
like(slurp_raw("$dir/said"), qr/app\.one: the view is not made, as it reads itself by way of others/, 'which names them');
is($node->safe_psql('postgres', q{SELECT data FROM circle.c3}), '{"f": 5}', 'the others are made');

# documents that are not valid, set aside
mkdir "$dir/bad";
mkdir "$dir/bad/app";
spew("$dir/bad/app/person.bson", $damaged);
spew("$dir/bad/app/other.bson", $documents[0]);
is(tool("--restore -d postgres --schema bad --check $dir/bad"), 1, 'a document that is not valid is an error');
like(slurp_raw("$dir/said"), qr/person\.bson: damaged at byte $place, after 4 documents, and nothing is kept: a string is not valid UTF-8, in document 5 \(_id 77\)/, 'whose place is named');
is(tool("--restore -d postgres --schema bad --skip-invalid $dir/aside $dir/bad"), 0, 'or they are set aside');
is($node->safe_psql('postgres', 'SELECT count(*) FROM bad.person'), 8, 'the others are restored');
ok(slurp_raw("$dir/aside/app/person.bson") eq $damaged[4] . $damaged[7] && !-e "$dir/aside/app/other.bson", 'in a file for each collection that has such');

# validators, long values, and what has no equal
my $schema = '{"$jsonSchema":{"bsonType":"object","required":["n"],"properties":{"n":{"bsonType":"long","minimum":{"$numberInt":"1"}}}}}';
my $long = join '', map { sprintf '%08x', ($_ * 2654435761) % 4294967291 } 1 .. 500;
mkdir "$dir/v";
mkdir "$dir/v/app";
sub collection
{
	my ($name, $metadata, @contents) = @_;
	spew("$dir/v/app/$name.metadata.json", $metadata);
	spew("$dir/v/app/$name.bson", join '', @contents);
}
collection('good', qq({"options":{"validator":$schema,"validationLevel":"moderate"},"indexes":[]}), @documents[ 0 .. 9 ]);
collection('some', qq({"options":{"validator":$schema},"indexes":[]}), @documents[ 0 .. 9 ], document([ 16, '_id', pack('l<', 99) ]));
collection('refused', '{"options":{"validator":{"$where":"this.a"},"capped":true},"indexes":[]}', @documents[ 0 .. 9 ]);
collection('wrong', '{"options":{"validator":{"$jsonSchema":{"bsonType":"nothing"}}},"indexes":[]}', @documents[ 0 .. 9 ]);
collection('long', qq({"options":{},"indexes":[{"key":{"s":$o},"name":"s_1"},{"key":{"t":$o},"name":"t_1","unique":true,"sparse":true}]}),
	map { document([ 2, '_id', bson_string("$_$long") ], [ 2, 's', bson_string("$_$long") ], [ 2, 't', bson_string("$_$long") ]) } 1 .. 3);
is(tool("--restore -d postgres --schema v $dir/v"), 0, 'validators that have no equal do not break a restore');
$said = slurp_raw("$dir/said");
like($said, qr/app\.some: the validator holds for new documents only/, 'one that documents do not satisfy is named');
like($said, qr/app\.refused: the validator has no equal, and is not made: .*\$where/, 'so is one that is not understood');
like($said, qr/app\.wrong: the validator has no equal, and is not made: .*nothing/, 'and a schema that is wrong');
like($said, qr/app\.refused: the collection is capped \(\), but nothing limits the table/, 'and what a table has not');
is($node->safe_psql('postgres', q{SELECT string_agg(conname || ' ' || convalidated, ', ' ORDER BY conname) FROM pg_constraint WHERE contype = 'c' AND conname ~ 'validator' AND connamespace = 'v'::regnamespace}), 'good_validator true, some_validator false', 'the others are checks');
isnt($node->psql('postgres', q{INSERT INTO v.some VALUES ('{"_id": 100, "n": "x"}')}), 0, 'which refuse documents');
like($said, qr/app\.long: an _id is too long for a B-tree: a hash index keeps _id unique/, 'a long _id is named');
like($said, qr/app\.long: a value is too long for a B-tree, and the index s_1 is not made/, 'so are long values of an index');
like($said, qr/app\.long: a value is too long for a B-tree: the index t_1 is made as a hash index/, 'and of a unique one');
isnt($node->psql('postgres', "INSERT INTO v.long VALUES (bson_build_object('_id', '2$long'))"), 0, 'a long _id is unique');
isnt($node->psql('postgres', "INSERT INTO v.long VALUES (bson_build_object('_id', 9, 't', '2$long'))"), 0, 'so is a long value');
is($node->psql('postgres', "INSERT INTO v.long VALUES (bson_build_object('_id', 9)), (bson_build_object('_id', 10))"), 0, 'where there is one');
like($node->safe_psql('postgres', qq{SET enable_seqscan = off; EXPLAIN SELECT * FROM v.long WHERE data -> '_id' = '5'}), qr/long__id_/, 'the index is used');
collection('long', '{}', map { document([ 2, '_id', bson_string("2$long") ]) } 1 .. 2);
is(tool("--restore -d postgres --schema twice --collection long $dir/v"), 1, 'a long _id that is there twice is an error');
spew("$dir/v/app/series.metadata.json", '{"options":{"timeseries":{"timeField":"t"}},"indexes":[],"type":"timeseries"}');
is(tool("--restore -d postgres --schema v --collection series $dir/v"), 1, 'a time series is an error');
like(slurp_raw("$dir/said"), qr/app\.series: this is a time series.* not made: write it with mongoexport/, 'which says what to do');

# the metadata of a dump: what came from MongoDB, and what was made here
$node->safe_psql('postgres', q{
	CREATE SCHEMA made; SET search_path = made, public;
	CREATE TABLE t (data bson CHECK (data @~ '{"n": {"$gte": 1}}'), CHECK (data ? 'n'));
	INSERT INTO t VALUES ('{"_id": 1, "n": 1}');
	CREATE UNIQUE INDEX ON t ((data -> '_id'));
	CREATE UNIQUE INDEX ON t (bson_sort_key(data, '{"a": 1, "it''s \\\\": -1}'));
	CREATE INDEX part ON t (bson_sort_key(data, '{"n": 1}')) WHERE data @~ '{"n": {"$gt": 30}}';
	CREATE INDEX ON t USING hash ((data -> 'x'));
	CREATE UNIQUE INDEX ON t ((data #> '{a,b}'));
	COMMENT ON INDEX part IS '{"part"} of somebody';
	COMMENT ON CONSTRAINT t_data_check ON t IS '{"n": 1}';
	CREATE INDEX mixed ON t ((data -> 'm'), (data -> 'o' -> 'p') DESC);
	CREATE UNIQUE INDEX alone ON t ((data -> 'q' -> 'r'), bson_sort_key(data, '{"q.r": 1}')) NULLS NOT DISTINCT;
	ALTER TABLE t ADD CHECK ((bson_typeof(data -> '_id') <> 'array') IS TRUE);
	CREATE INDEX odd ON t (lower(data ->> 'n'));
	CREATE INDEX ON t USING gin (data)});
is(tool("--dump $dir/made.dump -d postgres --schema made --gzip"), 0, 'a table that was made here is dumped');
$said = slurp_raw("$dir/said");
like($said, qr/index odd has no equal in MongoDB, and is not written/, 'an index without an equal is named');
like($said, qr/the check t_data_check1 is no query of MongoDB's, and is not written|the check t_check is no query of MongoDB's, and is not written/, 'so is a check');
is(`gzip -dc $dir/made.dump/postgres/t.metadata.json.gz`,
	'{"options": {"validator": {"n": {"$gte": {"$numberInt": "1"}}}}, "indexes": [{"v": {"$numberInt": "2"}, "key": {"_id": {"$numberInt": "1"}}, "name": "_id_"}, '
	. '{"key": {"a": {"$numberInt": "1"}, "it\'s \\\\": {"$numberInt": "-1"}}, "unique": true, "name": "a_1_it\'s \\\\_-1", "v": {"$numberInt": "2"}}, '
	. '{"key": {"n": {"$numberInt": "1"}}, "partialFilterExpression": {"n": {"$gt": {"$numberInt": "30"}}}, "name": "n_1", "v": {"$numberInt": "2"}}, '
	. '{"key": {"x": "hashed"}, "name": "x_hashed", "v": {"$numberInt": "2"}}, '
	. '{"key": {"a.b": {"$numberInt": "1"}}, "sparse": true, "unique": true, "name": "a.b_1", "v": {"$numberInt": "2"}}, '
	. '{"key": {"m": {"$numberInt": "1"}, "o.p": {"$numberInt": "-1"}}, "name": "m_1_o.p_-1", "v": {"$numberInt": "2"}}, '
	. '{"key": {"q.r": {"$numberInt": "1"}}, "unique": true, "name": "q.r_1", "v": {"$numberInt": "2"}}], "collectionName": "t", "type": "collection"}',
	'with its indexes and checks');
is(tool("--dump $dir/v.dump -d postgres --schema v"), 0, 'what was restored is dumped');
like(slurp_raw("$dir/v.dump/postgres/good.metadata.json"), qr/"validator": \{"\$jsonSchema": .*"validationLevel": "moderate"/, 'with its validator');
is(tool("--dump $dir/app.dump -d postgres --schema app"), 0, 'so is the first');
like(slurp_raw("$dir/said"), qr/index at_1 is written without expireAfterSeconds, as MongoDB would delete documents by it/, 'nothing expires there by itself');
unlike(slurp_raw("$dir/app.dump/postgres/person.metadata.json"), qr/expireAfterSeconds/, 'as it did not here');
SKIP:
{
	skip 'no bson.json_util of pymongo', 3 if system('/usr/bin/python3 -I -c "import bson.json_util" 2>/dev/null');
	foreach my $file ("$dir/app.dump/postgres/person.metadata.json", "$dir/v.dump/postgres/good.metadata.json", "$dir/made.dump/postgres/t.metadata.json.gz")
	{
		is(system('/usr/bin/python3', '-I', '-c', q{
import gzip, json, sys
from bson import json_util
text = (gzip.open if sys.argv[1].endswith('gz') else open)(sys.argv[1], 'rt', encoding='utf-8').read()
canonical = json_util.CANONICAL_JSON_OPTIONS
back = json.loads(json_util.dumps(json_util.loads(text, json_options=canonical), json_options=canonical))
sys.exit(back != json.loads(text))
}, $file), 0, 'the metadata are canonical Extended JSON for pymongo');
	}
}

done_testing();
