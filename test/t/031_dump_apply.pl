# If this fails, a dump loses something without a word, or what a MongoDB that goes on changing does meanwhile does not arrive.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use BsonTest;
use DumpTest;

my ($node, $tool, $dir) = server_for_dumps('postgres');

sub sql { return $node->safe_psql('postgres', $_[0]) }

sub said { return slurp_raw("$dir/said") }
sub int32 { return [ 16, $_[0], pack('l<', $_[1]) ] }

# the documents of a collection and its metadata, in a directory
sub collection
{
	my ($name, $metadata, @documents) = @_;
	mkdir $_ foreach "$dir/dump", "$dir/dump/app";
	spew("$dir/dump/app/$name.metadata.json", $metadata);
	spew("$dir/dump/app/$name.bson", join '', @documents);
}

# what has no equal is said, and is in a dump of the table again
my $one = '{"$numberInt": "1"}';
my $options = qq({"capped": true, "size": {"\$numberInt": "4096"}, "max": {"\$numberInt": "7"}, "collation": {"locale": "en", "strength": {"\$numberInt": "2"}}, )
  . qq("clusteredIndex": {"key": {"_id": $one}, "unique": true, "name": "c"}, "expireAfterSeconds": {"\$numberLong": "3600"}, "changeStreamPreAndPostImages": {"enabled": true}, )
  . qq("validator": {"n": {"\$gte": $one}}, "validationLevel": "moderate"});
my @indexes = (
	qq("key": {"a": ""}, "name": "empty"), qq("key": {"a": null}, "name": "null"), qq("key": {"b": {"\$numberDouble": "NaN"}}, "name": "nan"), qq("key": {"c": {"\$numberDouble": "-Infinity"}}, "name": "minus"),
	qq("key": {"\$**": $one}, "name": "wild"), qq("key": {"\$**": $one}, "name": "some", "wildcardProjection": {"a": $one}), qq("key": {"at": $one}, "name": "never", "expireAfterSeconds": {"\$numberDouble": "NaN"}),
	qq("key": {"at": {"\$numberInt": "-1"}}, "name": "late", "expireAfterSeconds": {"\$numberInt": "2147483646"}),
	qq("key": {"g": "2dsphere"}, "name": "sphere", "2dsphereIndexVersion": {"\$numberInt": "3"}), qq("key": {"g": "2d"}, "name": "flat"),
	qq("key": {"n": $one}, "name": "insensitive", "unique": true, "collation": {"locale": "en", "caseLevel": false, "caseFirst": "off", "strength": {"\$numberInt": "2"}, "numericOrdering": false, "alternate": "non-ignorable", "maxVariable": "punct", "normalization": false, "backwards": false, "version": "57.1"}));
collection('kept', qq({"options": $options, "indexes": [) . join(', ', map { qq({"v": {"\$numberInt": "2"}, $_}) } qq("key": {"_id": $one}, "name": "_id_", "clustered": true), @indexes) . ']}', map { document(int32('_id', $_), int32('n', $_)) } 1 .. 9);
is(tool("--restore --schema kept $dir/dump"), 0, 'a collection with much that has no equal is restored');
my $restored = said();
like($restored, qr/app\.kept: $_/, "$_ is said") foreach 'the collection is capped \(size 4096, max 7\)', 'the collection has the collation .*"en"', 'the collection is clustered by _id', 'documents expire 3600 seconds after the date in _id.*DELETE FROM',
  'the option changeStreamPreAndPostImages has no equal', 'validationLevel is moderate', 'the index sphere is not made: geometry .* needs the extension "postgis"', 'the index flat is not made: geometry',
  'index empty: its key \{"a": ""\} is taken for \{"a": 1\}', 'index null is not made, as it would be the same as empty', 'index nan: its key .* is taken for \{"b": 1\}', 'index some is not made, as it would be the same as wild, which serves SELECT data FROM "kept"."kept" WHERE data @~',
  'index never is made, and by its expireAfterSeconds nothing expires', q(index late is made, but nothing expires by it: let a job run DELETE .*interval '2147483646 seconds');
is(sql(q{SELECT string_agg(relname || ' ' || amname, ', ' ORDER BY relname) FROM pg_class JOIN pg_am a ON a.oid = relam WHERE relkind = 'i' AND relnamespace = 'kept'::regnamespace}),
	'kept__id_ btree, kept_empty btree, kept_insensitive btree, kept_minus btree, kept_nan btree, kept_never btree, kept_wild gin', 'one GIN index serves all, and one index of a field both directions');
like(sql(q{SELECT pg_get_indexdef('kept.kept_insensitive'::regclass)}), qr/UNIQUE .*bson_collate\(.*COLLATE "en-u-ks-level2"/, 'an index has its collation');
is(tool("--dump $dir/back --schema kept --expire"), 0, 'it is dumped');
my $metadata = slurp_raw("$dir/back/postgres/kept.metadata.json");
like($metadata, qr/\Q$_\E/, "with $_") foreach map { s/, "validator.*//r } split /(?<=\}), (?="(?:clust|change))/, substr($options, 1, -1);
foreach my $index (@indexes)
{
	my ($name) = $index =~ /"name": "(\w+)"/;
	my ($there) = $metadata =~ /(\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*"name": "$name"(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})/;
	my @wanted = sort $index =~ /"\w+": (?:"[^"]*"|\{(?:[^{}]|\{[^{}]*\})*\}|\w+)/g;
	is(join(' ', grep { index($there // '', $_) < 0 } @wanted), '', "with the index $name");
}
is(tool("--restore --schema kept_again --collection kept $dir/back"), 0, 'and restored');
is(join("\n", sort split /\n/, said() =~ s/postgres\.kept/app.kept/gr =~ s/kept_again/kept/gr =~ s/\(?[0-9.]+ s\)?//gr), join("\n", sort split /\n/, $restored =~ s/\(?[0-9.]+ s\)?//gr), 'with the same words');
is(tool("--dump $dir/less --schema kept"), 0, 'without --expire');
like(said(), qr/index late is written without expireAfterSeconds.*the collection is written without expireAfterSeconds/s, 'nothing is to be deleted there, which is said');
unlike(slurp_raw("$dir/less/postgres/kept.metadata.json"), qr/expireAfter/, 'and so');
sql('ALTER TABLE kept.kept DROP CONSTRAINT kept_validator');
is(tool("--dump $dir/less --schema kept"), 0, 'what was dropped since');
unlike(slurp_raw("$dir/less/postgres/kept.metadata.json"), qr/validat/, 'does not come back');
tool("--restore --dry-run --collection kept $dir/dump");
like(slurp_raw("$dir/out"), qr/^\{"options": .*"some"/m, 'and is part of the SQL that is printed');

# two documents there, one key here
mkdir "$dir/two";
mkdir "$dir/two/app";
spew("$dir/two/app/two.bson", document([ 1, '_id', pack('d<', 0.1) ]) . document(int32('_id', 7)) . document([ 19, '_id', pack('H*', '01000000000000000000000000003e30') ]));
is(tool("--restore --schema two $dir/two"), 1, 'a double and a decimal that are one _id here are an error');
like(said(), qr/app\.two: two documents have an _id that is the same here: \{"\$numberDouble": "0\.1"\} and \{"\$numberDecimal": "0\.1"\}.*Give one of them another _id/s, 'which names both, and says what to do');

# a source that goes on changing.  It knows its documents as lists of names and values, and writes entries as MongoDB's oplog has them;
# a dump of it reads each document at another time.
my (%now, @entries, %dumped);
srand(48);

sub value_of
{
	my ($name, $value) = @_;
	return ref $value eq 'ARRAY' ? [ 4, $name, document(map { value_of($_, $value->[$_]) } 0 .. $#$value) ]
	  : ref $value ? [ 3, $name, document_of($value) ] : $value =~ /^-?\d+$/ ? int32($name, $value) : [ 2, $name, bson_string($value) ];
}
sub document_of { my ($fields) = @_; return document(map { value_of($_, $fields->{$_}) } sort keys %$fields) }
sub copy_of { my ($v) = @_; return ref $v eq 'ARRAY' ? [ map { copy_of($_) } @$v ] : ref $v ? { map { $_ => copy_of($v->{$_}) } keys %$v } : $v }

sub entry_of
{
	my ($op, $o, $o2, $ns) = @_;
	return document([ 17, 'ts', pack('L<L<', scalar(@entries) + 1, 1700000000) ], [ 2, 'op', bson_string($op) ], [ 2, 'ns', bson_string($ns // 'app.live') ], [ 3, 'o', $o ], ($o2 ? [ 3, 'o2', $o2 ] : ()));
}
sub diff { return document(int32('$v', 2), [ 3, 'diff', document(@_) ]) }

# Change a document, and say so.  Names are such that a new field is the last, as documents have theirs in order of names.
sub change
{
	my $id = 1 + int rand 60;
	my $doc = $now{$id};
	my $kind = rand;
	my $key = document(int32('_id', $id));
	my ($op, $o, $o2);

	if (!$doc)
	{
		$now{$id} = { _id => $id, a => int rand 1000, in => { w => { q => 1 }, x => int rand 9, y => 'text' }, list => [ 1, 2, { z => 3 } ] };
		($op, $o) = ('i', document_of($now{$id}));
	}
	elsif ($kind < 0.04) { delete $now{$id}; ($op, $o) = ('d', $key) }
	elsif ($kind < 0.08) { $now{$id} = { _id => $id, a => 'replaced', in => int rand 9 }; ($op, $o, $o2) = ('u', document_of($now{$id}), $key) }
	elsif ($kind < 0.25)
	{
		# something else, where there were fields; or only what others change, too
		my $name = rand(3) < 1 ? 'in' : 'a';
		$doc->{$name} = $name eq 'a' || ref $doc->{in} ? int rand 1000 : { w => { q => 1 }, x => int rand 9, y => 'text' };
		($op, $o, $o2) = ('u', diff([ 3, 'u', document(value_of($name, $doc->{$name})) ]), $key);
	}
	elsif ($kind < 0.45 && ref $doc->{in})
	{
		# the same one level deeper
		my $in = $doc->{in};
		my @parts = $kind < 0.32 ? () : [ 3, 'u', document(value_of('x', $in->{x} = int rand 1000)) ];
		if ($kind < 0.32) { @parts = [ 3, 'u', document(value_of('w', $in->{w} = ref $in->{w} ? int rand 9 : { q => int rand 9 })) ] }
		elsif ($kind < 0.4 && ref $in->{w}) { push @parts, [ 3, 'sw', document([ 3, 'u', document(value_of('q', $in->{w}{q} = int rand 1000)) ]) ] }
		($op, $o, $o2) = ('u', diff([ 3, 'sin', document(@parts) ]), $key);
	}
	elsif ($kind < 0.7 && ref $doc->{in})
	{
		my @parts;
		$doc->{a} = int rand 1000;
		$doc->{in}{x} = int rand 1000;
		push @parts, [ 3, 'd', document([ 8, 'y', "\0" ]) ] if delete $doc->{in}{y};
		($op, $o, $o2) = ('u', diff([ 3, 'u', document(value_of('a', $doc->{a})) ], [ 3, 'sin', document(@parts, [ 3, 'u', document(value_of('x', $doc->{in}{x})) ]) ]), $key);
	}
	elsif ($kind < 0.85 && $doc->{list})
	{
		$doc->{list} = [ 5, $doc->{list}[1], { z => int rand 99 } ];
		my $z = document([ 3, 'u', document(value_of('z', $doc->{list}[2]{z})) ]);
		($op, $o, $o2) = ('u', diff([ 3, 'slist', document([ 8, 'a', "\1" ], int32('l', 3), int32('u0', 5), [ 3, 's2', $z ]) ]), $key);
		if (rand(3) < 1)
		{
			delete $doc->{list};
			($op, $o, $o2) = ('u', diff([ 3, 'd', document([ 8, 'list', "\0" ]) ]), $key);
		}
	}
	else
	{
		$doc->{zz} = int rand 1000;
		($op, $o, $o2) = ('u', document(int32('$v', 1), [ 3, '$set', document(value_of('zz', $doc->{zz})) ], ($doc->{list} ? [ 3, '$unset', document([ 8, 'list', "\1" ]) ] : ())), $key);
		delete $doc->{list};
	}
	# a part of them in transactions
	push @entries, rand(5) < 1
	  ? entry_of('c', document([ 4, 'applyOps', document([ 3, '0', document([ 2, 'op', bson_string($op) ], [ 2, 'ns', bson_string('app.live') ], [ 3, 'o', $o ], ($o2 ? [ 3, 'o2', $o2 ] : ())) ]) ]), undef, 'admin.$cmd')
	  : entry_of($op, $o, $o2);
}
sub state_of { return join ' ', map { unpack 'H*', document_of($now{$_}) } sort { $a <=> $b } keys %now }
sub state_here { return sql(q{SELECT coalesce(string_agg(encode(data::bytea, 'hex'), ' ' ORDER BY data -> '_id'), '') FROM live.live}) }

change() for 1 .. 200;
@entries = ();
foreach my $id (1 .. 60)
{
	change() for 1 .. 20;
	$dumped{$id} = $now{$id} && document_of($now{$id});
}
unlink glob "$dir/dump/app/*";
collection('live', '{"indexes":[]}', grep { defined } map { $dumped{$_} } 1 .. 60);
spew("$dir/dump/oplog.bson", join '', @entries);
is(tool("--restore --schema live $dir/dump"), 0, 'a dump of a source that changed meanwhile');
like(said(), qr/dump\/oplog\.bson: what changed during the dump is left out: apply it with bson-copy --apply/, 'names the changes');
isnt(state_here(), state_of(), 'which are missing');
is(tool("--apply $dir/dump/oplog.bson"), 0, 'they are applied') or diag(said());
is(state_here(), state_of(), 'and all documents are as there, byte for byte');
is(slurp_raw("$dir/out"), '{"ts": {"$gt": {"$timestamp": {"t": 1700000000, "i": ' . @entries . "}}}}\n", 'it says what to ask for next');
is(tool("--apply $dir/dump/oplog.bson"), 0, 'again');
is(state_here(), state_of(), 'changes nothing');
foreach my $round (1 .. 3)
{
	my $first = @entries - 50;                 # rounds may overlap
	change() for 1 .. 400;
	spew("$dir/oplog.rs.bson", join '', @entries[ $first .. $#entries ]);
	is(tool("--apply $dir/oplog.rs.bson"), 0, "round $round");
	is(state_here(), state_of(), 'all documents are as there');
}
spew("$dir/archive", prelude(entry('x', 'collection')) =~ s/\xff{4}$//r . document([ 2, 'db', bson_string('') ], [ 2, 'collection', bson_string('oplog') ], [ 2, 'metadata', bson_string('') ], int32('size', 0), [ 2, 'type', bson_string('') ]) . "\xff" x 4
	. join('', map { my ($end, $crc, $docs) = @$_; document([ 2, 'db', bson_string('') ], [ 2, 'collection', bson_string('oplog') ], [ 8, 'EOF', chr $end ], [ 18, 'CRC', pack('Q<', $crc) ]) . $docs . "\xff" x 4 } [ 0, 0, join '', @entries[ -3 .. -1 ] ], [ 1, crc64(join '', @entries[ -3 .. -1 ]), '' ]) . block('x', 0));
is(tool("--apply $dir/archive"), 0, 'the oplog of an archive') or diag(said());
like(said(), qr/^bson-copy: 3 entries;/m, 'is applied');

# a unique value that another document has only until later
sql(q{CREATE UNIQUE INDEX ON live.live ((data -> 'mail')); INSERT INTO live.live VALUES ('{"_id": 1001, "mail": "b"}'), ('{"_id": 1002, "mail": "a"}')});
@entries = ();
push @entries, entry_of('u', document(int32('_id', 1001), [ 2, 'mail', bson_string('a') ]), document(int32('_id', 1001)));
push @entries, entry_of('u', diff([ 3, 'i', document(int32('n', 5)) ]), document(int32('_id', 1001)));
push @entries, entry_of('u', document(int32('_id', 1002), [ 2, 'mail', bson_string('b') ]), document(int32('_id', 1002)));
spew("$dir/swap.bson", join '', @entries);
is(tool("--apply $dir/swap.bson"), 0, 'two documents exchange a unique value') or diag(said());
is(sql(q{SELECT string_agg(data::text, ' ' ORDER BY data -> '_id') FROM live.live WHERE data ? 'mail'}), '{"_id": 1001, "mail": "a", "n": 5} {"_id": 1002, "mail": "b"}', 'and have it');
spew("$dir/swap.bson", join '', $entries[0], entry_of('i', document(int32('_id', 1003), [ 2, 'mail', bson_string('b') ])));
is(tool("--apply $dir/swap.bson"), 1, 'a value that stays twice is an error');
like(said(), qr/nothing is applied: .*"\$numberInt": "1003".* has a value that is unique/, 'which names the document');
is(sql(q{SELECT count(*) FROM live.live WHERE data -> '_id' = 1003}), 0, 'and nothing is done');

# entries that are older than the document: what no longer fits in them is left out, and nothing else
sql(q{INSERT INTO live.live VALUES ('{"_id": 3000, "a": 2, "deep": {"w": 5, "x": 3}, "in": 5}')});
spew("$dir/older.bson", join '', map { entry_of('u', diff(@$_), document(int32('_id', 3000))) } [ [ 3, 'u', document(int32('a', 1)) ] ], [ [ 3, 'u', document(int32('a', 2)) ], [ 3, 'sin', document([ 3, 'u', document(int32('x', 1)) ]) ] ],
	[ [ 3, 'sdeep', document([ 3, 'u', document(int32('x', 9)) ], [ 3, 'sw', document([ 3, 'u', document(int32('q', 1)) ]) ]) ] ]);
is(tool("--apply $dir/older.bson"), 0, 'entries of which a part no longer fits');
is(sql(q{SELECT data FROM live.live WHERE data -> '_id' = 3000}), '{"_id": 3000, "a": 2, "deep": {"w": 5, "x": 9}, "in": 5}', 'are applied as far as they do');

# what cannot be applied is named; what belongs to the server is not
spew("$dir/odd.bson", join '', entry_of('c', document([ 2, 'drop', bson_string('live') ]), undef, 'app.$cmd'), entry_of('i', document(int32('_id', 1)), undef, 'app.fresh'), entry_of('i', document(int32('_id', 1)), undef, 'config.transactions'), entry_of('n', document(), undef, ''));
is(tool("--apply $dir/odd.bson"), 3, 'a dropped collection and a new one');
like(said(), qr/app\.\$cmd: drop live is not applied.*app\.fresh: 1 changes are not applied, as there is no table of this role/s, 'are named');
unlike(said(), qr/config/, 'and no more');
spew("$dir/odd.bson", entry_of('c', document([ 4, 'applyOps', document([ 3, '0', document([ 2, 'op', bson_string('d') ], [ 2, 'ns', bson_string('app.live') ], [ 3, 'o', document(int32('_id', 1001)) ]) ]) ], [ 8, 'prepare', "\1" ]), undef, 'admin.$cmd'));
is(tool("--apply $dir/odd.bson"), 1, 'a transaction of several shards is an error');
is(sql(q{SELECT count(*) FROM live.live WHERE data -> '_id' = 1001}), 1, 'and is not applied');
{
	sql('CREATE ROLE other LOGIN');
	local $ENV{PGUSER} = 'other';
	is(tool("--apply $dir/odd.bson"), 1, "another role's tables, which may have triggers,");
	like(said(), qr/there is no table of this role/, 'are not touched');
}
spew("$dir/odd.bson", substr($entries[0], 0, -3));
is(tool("--apply $dir/odd.bson"), 1, 'a file that is cut short');
like(said(), qr/damaged at byte 0, after 0 entries, and nothing is applied/, 'is an error');

# events of a change stream, with and without the whole document
spew("$dir/events.json", <<'END');
{"_id": {"_data": "82"}, "operationType": "insert", "ns": {"db": "app", "coll": "live"}, "documentKey": {"_id": 2000}, "fullDocument": {"_id": 2000, "l": [1, 2, 3, 4], "x": {"y": 1}, "q": 1}}
{"_id": {"_data": "83"}, "operationType": "update", "ns": {"db": "app", "coll": "live"}, "documentKey": {"_id": 2000}, "updateDescription": {"updatedFields": {"x.y": 9, "z": {"$numberLong": "5"}}, "removedFields": ["q"], "truncatedArrays": [{"field": "l", "newSize": 2}]}}
{"_id": {"_data": "84"}, "operationType": "update", "ns": {"db": "app", "coll": "live"}, "documentKey": {"_id": 1001}, "fullDocument": {"_id": 1001, "whole": true}, "updateDescription": {"updatedFields": {"n": 1}, "removedFields": [], "truncatedArrays": []}}
{"_id": {"_data": "85"}, "operationType": "delete", "ns": {"db": "app", "coll": "live"}, "documentKey": {"_id": 1002}}
END
is(tool("--apply $dir/events.json"), 0, 'events of a change stream are applied') or diag(said());
is(sql(q{SELECT string_agg(data::text, ' ' ORDER BY data -> '_id') FROM live.live WHERE data -> '_id' BETWEEN 1001 AND 2000}), '{"_id": 1001, "whole": true} {"_id": 2000, "l": [1, 2], "x": {"y": 9}, "z": {"$numberLong": "5"}}', 'all of them');
is(slurp_raw("$dir/out"), qq({"resumeAfter": {"_data": "85"}}\n), 'and the place to go on from is printed');

done_testing();
