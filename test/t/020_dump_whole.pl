# If this fails, a whole dump of mongodump is not restored as tables, or tables do not become a dump again.
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
$node->safe_psql('postgres', 'CREATE EXTENSION bson');

my $tool = "$FindBin::RealBin/../../src/tools/bson-copy";
my $dir = PostgreSQL::Test::Utils::tempdir();
my @documents = map { document([ 16, '_id', pack('l<', $_) ], [ 2, 'name', bson_string("person $_" x ($_ % 7)) ], [ 18, 'n', pack('q<', $_) ]) } 1 .. 2000;

# the fifth and the eighth are not valid
my @damaged = @documents[ 0 .. 9 ];
$damaged[4] = document([ 16, '_id', pack('l<', 77) ], [ 2, 'name', pack('l<', 3) . "\xffb\0" ]);
$damaged[7] = document([ 7, '_id', pack('H*', '5f2b1c3d4e5f60718293a4b5') ], [ 0x42, 'a', '' ]);
my $place = length(join '', @damaged[ 0 .. 3 ]) + 4 + 9 + 6 + 4;
my $damaged = join '', @damaged;

# collections that come in turns
my $person = join '', @documents[ 100 .. 149 ];
my $header = prelude(entry('person', 'collection'), entry('other', 'collection'));
my $two = $header . block('other', undef, $documents[0]) . block('person', undef, @documents[ 100 .. 149 ]) . block('person', crc64($person)) . block('other', crc64($documents[0]));

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
spew("$dir/dump/app/adult.metadata.json", '{"options":{"viewOn":"person","pipeline":[]},"indexes":[],"type":"view"}');
$ENV{PGHOST} = $node->host;
$ENV{PGPORT} = $node->port;
sub tool
{
	system("python3 $tool $_[0] >$dir/out 2>$dir/said");
	return $? >> 8;
}
is(tool("--restore --dry-run --schema app $dir/dump"), 0, 'the SQL of a dump is printed');
like(slurp_raw("$dir/out"), qr/^CREATE UNIQUE INDEX "person_n_1" ON "app"."person" \(bson_sort_key\(data, '\{"n": 1\}'\)\);$/m, 'with its indexes');
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_namespace WHERE nspname = 'app'}), '0', 'and nothing is done');
is(tool("--restore -d postgres --schema app $dir/dump"), 0, 'a dump is restored');
my $said = slurp_raw("$dir/said");
like($said, qr/app\.person: 2000 documents/, 'what is done is said');
like($said, qr/app\.adult: this is a view of person, and not made/, 'a view is named');
like($said, qr/index at_1 is made, but nothing expires by it/, 'so is an index that expires');
like($said, qr/index loc_2dsphere is not made/, 'and one of geometry');
is($node->safe_psql('postgres', q{SELECT (SELECT count(*) FROM app.person), (SELECT count(*) FROM app."other/one"), (SELECT convalidated FROM pg_constraint WHERE conname = 'person_validator')}), '2000|10|t', 'all documents are there, and checked');
is($node->safe_psql('postgres', q{SELECT string_agg(regexp_replace(indexdef, '^CREATE (UNIQUE )?INDEX "?(.*?)"? ON .* USING', '\1\2:'), E'\n' ORDER BY indexname COLLATE "C") FROM pg_indexes WHERE schemaname = 'app' AND tablename = 'person'}), <<'END' =~ s/\n$//r, 'the indexes are there');
person_$**_1: gin (data bson_range_ops)
UNIQUE person__id_: btree (((data -> '_id'::text)))
person_at_1: btree (bson_sort_key(data, '{"at": 1}'::bson))
person_data: gin (data bson_range_ops)
person_it's: btree (bson_sort_key(data, '{"n": 1}'::bson)) WHERE (data @~ '{"n": {"$gt": 30}}'::bson)
UNIQUE person_n_1: btree (bson_sort_key(data, '{"n": 1}'::bson))
person_name_-1_n_1: btree (bson_sort_key(data, '{"name": -1, "n": 1}'::bson))
person_name_hashed: hash (((data -> 'name'::text)))
person_name_text: gin (((COALESCE(to_tsvector('simple'::regconfig, (data -> 'name'::text)), ''::tsvector) || COALESCE(to_tsvector('simple'::regconfig, (data #> '{a,b}'::text[])), ''::tsvector))))
person_x.y_1: btree (bson_sort_key(data, '{"x.y": 1}'::bson)) WHERE (data @~ '{"x.y": {"$exists": true}}'::bson)
END
$node->safe_psql('postgres', 'DROP TABLE app."other/one"; DROP INDEX app.person_n_1');
is(tool("--restore -d postgres --schema app $dir/dump"), 0, 'it is restored again');
like(slurp_raw("$dir/said"), qr/app\.person: the table is complete, and skipped/, 'what is complete is skipped');
is($node->safe_psql('postgres', q{SELECT count(*), to_regclass('app.person_n_1') FROM app."other/one"}), '10|app.person_n_1', 'what was missing is made');

# and back
is(tool("--dump $dir/back.dump -d postgres --schema app --order 'data #> \$\$\{_id\}\$\$'"), 0, 'tables are dumped');
ok(slurp_raw("$dir/back.dump/postgres/person.bson") eq $people, 'byte for byte, in the order asked for');
like(slurp_raw("$dir/back.dump/postgres/person.metadata.json"), qr/"_id_".*(?=.*"name": "n_1", "unique": true)(?=.*"partialFilterExpression")/, 'with the indexes');
ok(-e "$dir/back.dump/postgres/other%2Fone.bson", 'under names as mongodump makes them');
is(tool("--restore -d postgres --schema again $dir/back.dump"), 0, 'what was dumped is restored');
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_indexes WHERE schemaname = 'again'}), 11, 'with its indexes');

# one that is damaged leaves nothing of itself
spew("$dir/dump/app/person.bson", substr($people, 0, 30000));
is(tool("--restore -d postgres --schema cut $dir/dump"), 1, 'a damaged dump is an error');
like(slurp_raw("$dir/said"), qr/person\.bson: damaged at byte \d+, after \d+ documents, and nothing is kept/, 'which names the file');
is($node->safe_psql('postgres', q{SELECT to_regclass('cut.person') IS NULL, (SELECT count(*) FROM cut."other/one")}), 't|10', 'the rest is restored');
spew("$dir/dump/app/person.bson", $damaged);
is(tool("--restore -d postgres --schema cut $dir/dump"), 1, 'a document that the server refuses is an error');
like(slurp_raw("$dir/said"), qr/person\.bson: damaged at byte $place: .*document 5 \(_id 77\)/, 'which names the place');

# an archive
spew("$dir/archive", $two);
is(tool("--restore -d postgres --schema archive --collection person $dir/archive"), 0, 'a collection of an archive is restored');
is(tool("--restore -d postgres --schema archive $dir/archive"), 0, 'then the others');
is($node->safe_psql('postgres', 'SELECT (SELECT count(*) FROM archive.person), (SELECT count(*) FROM archive.other)'), '50|1', 'all documents are there');
spew("$dir/archive", substr($two, 0, length($two) - 200));
is(tool("--restore -d postgres --schema half $dir/archive"), 1, 'an archive that is cut is an error');
is($node->safe_psql('postgres', q{SELECT to_regclass('half.person') IS NULL AND to_regclass('half.other') IS NULL}), 't', 'of what is not complete, nothing is kept');

done_testing();
