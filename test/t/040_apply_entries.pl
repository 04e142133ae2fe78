# If this fails, bson-copy --apply loses or falsifies changes without a word, applies half a transaction, or one entry stops all later rounds.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use BsonTest;
use DumpTest;

my ($node, $tool, $dir) = server_for_dumps('postgres');
my $time = 0;

sub sql { return $node->safe_psql('postgres', $_[0]) }
sub said { return slurp_raw("$dir/said") }
sub int32 { return [ 16, $_[0], pack('l<', $_[1]) ] }
sub text { return [ 2, $_[0], bson_string($_[1]) ] }
sub doc { return [ 3, $_[0], document(@_[ 1 .. $#_ ]) ] }
sub list { my ($name, @all) = @_; return [ 4, $name, document(map { [ 3, $_, $all[$_] ] } 0 .. $#all) ] }
sub stamp { return [ 17, $_[0], pack('L<L<', $_[1], $_[1] ? 1700000000 : 0) ] }
sub true { return [ 8, $_[0], "\1" ] }

# an operation, and an entry, which has a time
sub op { my ($op, $o, $o2, $ns) = @_; return (text('op', $op), text('ns', $ns // 'app.doc'), $o ? [ 3, 'o', $o ] : (), $o2 ? [ 3, 'o2', $o2 ] : ()) }
sub entry_of { return document(stamp('ts', ++$time), op(@_)) }
sub put { my ($id, @fields) = @_; return entry_of('u', document(int32('_id', $id), @fields), document(int32('_id', $id))) }
sub insert { my ($id, @fields) = @_; return entry_of('i', document(int32('_id', $id), @fields)) }
sub changed { my ($id, @diff) = @_; return entry_of('u', document(int32('$v', 2), doc('diff', @diff)), document(int32('_id', $id))) }
sub set { my ($id, @fields) = @_; return changed($id, doc('u', @fields)) }

# one entry of the transaction with this number; "before" is the time of the one before
sub part
{
	my ($number, $before, @o) = @_;
	return document(stamp('ts', ++$time), doc('lsid', [ 5, 'id', pack('l<C', 16, 4) . 'session of 16 by' ]), [ 18, 'txnNumber', pack('q<', $number) ], op('c', document(@o), undef, 'admin.$cmd'),
		doc('prevOpTime', stamp('ts', $before), [ 18, 't', pack('q<', $before ? 1 : -1) ]));
}
sub operations { return list('applyOps', map { document(op(@$_)) } @_) }
sub set_op { my ($id, $n) = @_; return [ 'u', document(int32('$v', 2), doc('diff', doc('u', int32('n', $n)))), document(int32('_id', $id)) ] }

# the documents anew: 1 to 9, with the field n
sub fresh { sql(q{DELETE FROM live.doc; INSERT INTO live.doc SELECT bson_build_object('_id', n, 'n', 0) FROM generate_series(1, 9) AS n}) }
sub apply { my ($options, @entries) = @_; spew("$dir/oplog.bson", join '', @entries); return tool("--apply $options $dir/oplog.bson") }
sub state_of { return sql(q{SELECT coalesce(string_agg((data -> '_id')::text || ':' || (data - '_id')::text, ' ' ORDER BY data -> '_id'), '') FROM live.doc WHERE NOT data @~ '{"n": 0}'}) }

sub refused
{
	my ($what, $why, @entries) = @_;
	fresh();
	is(apply('', insert(20, int32('n', 1)), @entries), 1, "$what stops the file");
	like(said(), qr/nothing is applied: .*$why/s, 'it is said why');
	is(state_of() . slurp_raw("$dir/out"), '', 'nothing is applied, and there is no place to go on from');
}

mkdir $_ foreach "$dir/dump", "$dir/dump/app";
spew("$dir/dump/app/$_.bson", document(int32('_id', 1))) foreach 'doc', 'other';
is(tool("--restore --schema live $dir/dump"), 0, 'a dump is restored');

# ---- transactions
my @first = (1, 0, operations(set_op(1, 1)), true('partialTxn'));
fresh();
$time = 0;
is(apply('', part(@first), part(1, 1, operations(set_op(2, 2), [ 'i', document(int32('_id', 30), int32('n', 3)) ]))), 0, 'a transaction of two entries') or diag(said());
is(state_of(), '1:{"n": 1} 2:{"n": 2} 30:{"n": 3}', 'is applied');
fresh();
$time = 0;
is(apply('', part(@first), part(1, 1, operations(set_op(2, 2)), true('prepare')), set(3, int32('n', 3)), part(1, 2, int32('abortTransaction', 1))), 0, 'one that is prepared and aborted');
is(state_of(), '3:{"n": 3}', 'leaves nothing');
fresh();
$time = 0;
is(apply('', part(@first), part(1, 1, operations(set_op(2, 2)), true('prepare')), part(1, 2, int32('commitTransaction', 1), stamp('commitTimestamp', 3))), 0, 'one that is prepared and committed');
is(state_of(), '1:{"n": 1} 2:{"n": 2}', 'is applied');
fresh();
$time = 0;
my @three = (set(3, int32('n', 3)), part(@first), set(4, int32('n', 4)), part(1, 2, operations(set_op(2, 2)), true('prepare')));
is(apply('', @three), 0, 'one that is not complete');
like(said(), qr/a transaction is not complete: 2 entries are not applied, and the next round begins with them/, 'is named');
is(state_of(), '3:{"n": 3} 4:{"n": 4}', 'and held');
is(slurp_raw("$dir/out"), qq({"ts": {"\$gte": {"\$timestamp": {"t": 0, "i": 2}}}}\n) =~ s/"t": 0/"t": 1700000000/r, 'the next round begins with its first entry');
is(apply('', @three[ 1 .. 3 ], part(1, 4, int32('commitTransaction', 1))), 0, 'with the rest of it in the next file');
is(state_of(), '1:{"n": 1} 2:{"n": 2} 3:{"n": 3} 4:{"n": 4}', 'it is applied');
is(slurp_raw("$dir/out"), qq({"ts": {"\$gt": {"\$timestamp": {"t": 1700000000, "i": 5}}}}\n), 'and the next round follows the last entry');
fresh();
is(apply('', @three[ 1 .. 3 ], part(1, 4, int32('abortTransaction', 1))), 0, 'or aborted');
is(state_of(), '4:{"n": 4}', 'and dropped');
$time = 0;
refused('a transaction whose beginning is missing', 'a part before it is not in the file: take the oplog from an earlier time on', part(1, 7, operations(set_op(2, 2))));
refused('a commit of what is not there', 'a part before it is not in the file', part(1, 7, int32('commitTransaction', 1)));
refused('a part that does not say of what', 'does not say of which', entry_of('c', document(operations(set_op(1, 1)), true('partialTxn')), undef, 'admin.$cmd'));
fresh();
$time = 0;
my ($one, $two) = (part(2, 0, operations(set_op(1, 1))), part(2, 1, operations(set_op(2, 2))));
substr($_, -1, 0) = join '', map { chr($_->[0]) . "$_->[1]\0$_->[2]" } int32('multiOpType', 1) foreach $one, $two;
substr($_, 0, 4) = pack('l<', length $_) foreach $one, $two;
is(apply('', $two), 0, 'inserts of one statement in several entries, each applied by itself, are no transaction');
is(state_of(), '2:{"n": 2}', 'so the second does not need the first');

# ---- what is not understood
refused('a delta with an unknown verb', 'not understood', changed(1, doc('zz', int32('a', 1))));
refused('the same of a document that is not there', 'not understood', changed(77, doc('zz', int32('a', 1))));
refused('the same behind what does not fit', 'not understood', changed(1, doc('sn', doc('u', int32('a', 1)), doc('zz'))));
refused('$v 3', 'how it changes its document is not understood', entry_of('u', document(int32('$v', 3), doc('diff')), document(int32('_id', 1))));
refused('a delta that is a number', 'not understood', entry_of('u', document(int32('$v', 2), int32('diff', 1)), document(int32('_id', 1))));
refused('an old update with another operator', 'how it changes', entry_of('u', document(int32('$v', 1), doc('$inc', int32('n', 1))), document(int32('_id', 1))));
refused('an old update of an impossible name', 'not understood', entry_of('u', document(doc('$set', int32('a..b', 1))), document(int32('_id', 1))));
refused('an insert without o', 'its field o is not a document', entry_of('i'));
refused('an insert of a string', 'its field o is not a document', document(text('op', 'i'), text('ns', 'app.doc'), text('o', 'x')));
refused('an insert without _id', 'does not name the _id', entry_of('i', document(int32('n', 1))));
refused('an update without _id', 'does not name the _id', entry_of('u', document(int32('$v', 2), doc('diff')), document()));
refused('a replacement of another _id', 'another one', entry_of('u', document(int32('_id', 2)), document(int32('_id', 1))));
refused('an unknown kind', 'its kind is not understood: zz', entry_of('zz', document(int32('_id', 1))));
refused('an unknown command', 'its command is not understood: makeCoffee 1', entry_of('c', document(int32('makeCoffee', 1)), undef, 'app.$cmd'));
refused('an empty command', 'its command is not understood: it is empty', entry_of('c', document(), undef, 'other.$cmd'));
refused('a transaction of a number', 'neither an entry of an oplog', entry_of('c', document([ 4, 'applyOps', document(int32('0', 1)) ]), undef, 'admin.$cmd'));
refused('a transaction that is no array', 'its command is not understood', entry_of('c', document(int32('applyOps', 1)), undef, 'admin.$cmd'));
refused('an entry without op', 'neither an entry of an oplog', document(text('ns', 'app.doc')));
refused('an entry without ns', 'it has no ns', document(text('op', 'i'), [ 3, 'o', document(int32('_id', 1)) ]));
refused('a plain document', 'neither an entry of an oplog', document(int32('_id', 1), text('name', 'x')));
fresh();
is(apply('', entry_of('u', document(int32('_id', 1), int32('k', 7), doc('$set', int32('x', 9))), document(int32('_id', 1))), entry_of('u', document(int32('$v', 2), int32('_id', 2)), document(int32('_id', 2)))), 0, 'replacements with fields that look like operators');
is(sql(q{SELECT string_agg(data::text, ' ' ORDER BY data -> '_id') FROM live.doc WHERE data -> '_id' <= 2}), '{"_id": 1, "k": 7, "$set": {"x": 9}} {"$v": 2, "_id": 2}', 'are replacements');
fresh();
is(apply('', entry_of('i', document(int32('_id', 1)), undef, 'app.system.buckets.ts'), entry_of('i', document(text('_id', 'app.v')), undef, 'app.system.views'), entry_of('i', document(int32('n', 1)), undef, 'else.x'), set(1, int32('n', 1))), 3, 'changes of a time series and of the list of views');
like(said(), qr/app\.ts: 1 changes are not applied, as this is a time series.*app\.system\.views: 1 changes are not applied, as this is a collection of MongoDB itself.* 1 were of databases of which nothing was restored/s, 'are named, as are those of other databases');
is(state_of(), '1:{"n": 1}', 'the others are applied');

# ---- events of a change stream
sub events
{
	my ($what, $status, $wanted, @events) = @_;
	sql(q{DELETE FROM live.doc; INSERT INTO live.doc VALUES ('{"_id": 1, "a": {"b": 1, "c": [1, {"0": 5}, 3]}}')});
	spew("$dir/events.json", join "\n", map { qq({"_id": {"_data": "8"}, "ns": {"db": "app", "coll": "doc"}, "documentKey": {"_id": 1}, $_}) } @events);
	is(tool("--apply $dir/events.json"), $status, $what) or diag(said());
	like($status ? said() : sql(q{SELECT data - '_id' FROM live.doc}), ref $wanted ? $wanted : qr/^\Q$wanted\E$/, 'is ' . ($status ? 'refused' : 'applied'));
}
sub described { return map { qq("operationType": "update", "updateDescription": {$_}) } @_ }
my $a = '"a": {"b": 1, "c": [1, {"0": 5}, 3]}';
events('a name with a dot', 0, "{$a, \"a.b\": 9}", described('"updatedFields": {"a.b": 9}, "removedFields": [], "disambiguatedPaths": {"a.b": ["a.b"]}'));
events('names within a field', 0, '{"a": {"b": 9, "c": [1, {"0": 6}, 4]}}', described('"updatedFields": {"a.b": 9, "a.c.1.0": 6, "a.c.2": 4}, "removedFields": [], "disambiguatedPaths": {"a.c.1.0": ["a", "c", 1, "0"]}'));
events('the same of an older server', 0, '{"a": {"b": 9, "c": [1, {"0": 6}, 4]}}', described('"updatedFields": {"a.b": 9, "a.c.1.0": 6, "a.c.2": 4}, "removedFields": []'));
events('names with $ and empty ones', 0, "{$a, \"\$x\": 1, \"\": 2}", described('"updatedFields": {"$x": 1, "": 2}'));
events('a name that is empty, removed', 0, "{$a}", described('"updatedFields": {"": 2}', '"removedFields": [""]'));
events('a name with a dot, removed', 0, "{$a}", described('"updatedFields": {"a.b": 9}, "disambiguatedPaths": {"a.b": ["a.b"]}', '"removedFields": ["a.b"], "disambiguatedPaths": {"a.b": ["a.b"]}'));
events('an array that is cut', 0, '{"a": {"b": 1, "c": [1]}}', described('"truncatedArrays": [{"field": "a.c", "newSize": 1}]'));
events('an array whose name has a dot, cut', 0, "{$a, \"a.c\": [1]}", described('"updatedFields": {"a.c": [1, 2, 3]}, "disambiguatedPaths": {"a.c": ["a.c"]}', '"truncatedArrays": [{"field": "a.c", "newSize": 1}], "disambiguatedPaths": {"a.c": ["a.c"]}'));
events('a name that may have a dot', 1, qr/nothing is applied: .*open the change stream with showExpandedEvents or fullDocument/s, described('"updatedFields": {"a.b": 9}, "disambiguatedPaths": {"a.b": ["a.b"]}', '"updatedFields": {"a.b": 8}'));
events('a field of what is not there', 0, "{$a}", described('"updatedFields": {"x.y": 9}'));
like(said(), qr/1 changes within fields that are not there are left out/, 'and said');
events('a description with something else', 1, qr/nothing is applied: .*how it changes its document is not understood/s, described('"renamedFields": {"a": "b"}'));
events('fields that are an array', 1, qr/nothing is applied: .*not understood/s, described('"updatedFields": [1]'));
events('a fragment of an event', 1, qr/nothing is applied: .*fragment of an event/s, '"operationType": "update", "splitEvent": {"fragment": 1, "of": 2}, "updateDescription": {"updatedFields": {"a": 1}}');
events('an event without a document', 1, qr/nothing is applied: .*it has no fullDocument/s, '"operationType": "insert"');
events('an unknown event', 1, qr/nothing is applied: .*its kind is not understood: dance/s, '"operationType": "dance"');
events('no event at all', 1, qr/nothing is applied: .*neither an entry of an oplog/s, '"x": 1');

# ---- what a table refuses
my $bad = document(int32('_id', 40), text('t', "a\xffb\xfe"), text('u', "\xff"));
fresh();
is(apply('', entry_of('i', $bad, undef, 'else.x'), set(1, int32('n', 1))), 0, 'a string that is not valid, of a database that nobody restored, stops nothing') or diag(said());
is(state_of(), '1:{"n": 1}', 'the rest is applied');
refused('a string that is not valid', '"\$numberInt": "40".*not valid UTF-8.*--skip-invalid FILE', entry_of('i', $bad));
my $aside = "$dir/aside.bson";
my @entries = (entry_of('i', $bad), set(40, int32('n', 5)), set(1, int32('n', 1)));
fresh();
is(apply("--skip-invalid $aside", @entries), 3, 'with --skip-invalid the exit status says so');
like(said(), $_, 'as does a message, with namespace and _id') foreach qr/app\.doc: a change of the document with the _id \{"\$numberInt": "40"\} is set aside: it has a string that is not valid UTF-8/, qr/2 entries are set aside in \Q$aside\E/;
is(state_of(), '1:{"n": 1}', 'the rest goes on');
is(slurp_raw($aside), "$entries[0]$entries[1]", 'the file has the entry as it was, and what follows of its document');
like(slurp_raw("$dir/out"), qr/^\{"ts": \{"\$gt"/, 'and the next round can follow');
is(apply("--skip-invalid $aside", put(40, int32('n', 7))), 0, 'when all of the document comes');
is(state_of(), '1:{"n": 1} 40:{"n": 7}', 'it is applied');
ok(!-e $aside, 'and what was set aside is not needed');

sql(q{ALTER TABLE live.doc ADD CONSTRAINT few CHECK (data @~ '{"n": {"$lt": 100}}') NOT VALID; CREATE INDEX long ON live.doc ((data -> 't'))});
my $long = join '', map { sprintf '%08x', ($_ * 2654435761) % 4294967291 } 1 .. 750;
fresh();
@entries = (set(1, int32('n', 100)), set(2, text('t', $long)), set(1, int32('m', 1)), set(3, int32('n', 3)), part(5, 0, operations(set_op(4, 4), set_op(5, 500))));
is(apply("--skip-invalid $aside", @entries), 3, 'a check and a value that is too long for an index');
like(said(), qr/\Q$_\E/, 'are named') foreach 'violates check constraint "few"', 'index row', '4 entries are set aside', 'a change of the same document before it is set aside';
is(state_of(), '3:{"n": 3}', 'and nothing of their transactions is applied');
is(slurp_raw($aside), join('', @entries[ 0 .. 2, 4 ]), 'they are in the file, in order');
is(apply('', @entries), 1, 'without --skip-invalid they stop the file');
is(apply("--skip-invalid $aside", set(3, int32('n', 33))), 3, 'in the next round they are tried again');
is(slurp_raw($aside), join('', @entries[ 0 .. 2, 4 ]), 'and kept');
is(state_of(), '3:{"n": 33}', 'others go on');
sql('ALTER TABLE live.doc DROP CONSTRAINT few; DROP INDEX live.long');
is(apply("--skip-invalid $aside", set(3, int32('n', 34))), 0, 'when the cause is gone');
is(sql(q{SELECT string_agg((data - 't')::text, ' ' ORDER BY data -> '_id') FROM live.doc WHERE data -> '_id' <= 5}), '{"_id": 1, "n": 100, "m": 1} {"_id": 2, "n": 0} {"_id": 3, "n": 34} {"_id": 4, "n": 4} {"_id": 5, "n": 500}', 'all are applied');
ok(!-e $aside, 'and the file is gone');
sql(q{CREATE UNIQUE INDEX once ON live.doc ((data -> 'k'))});
fresh();
@entries = (set(1, int32('k', 1)), set(2, int32('k', 1)), set(2, int32('m', 1)), set(3, int32('k', 3)));
is(apply("--skip-invalid $aside", @entries), 3, 'a value that stays twice');
like(said(), qr/"\$numberInt": "2"\} is set aside: it has a value that is unique/, 'is named');
is(sql(q{SELECT string_agg(data::text, ' ' ORDER BY data -> '_id') FROM live.doc WHERE data -> '_id' <= 3}), '{"_id": 1, "n": 0, "k": 1} {"_id": 2, "n": 0} {"_id": 3, "n": 0, "k": 3}', 'the document stays as it was, the others change');
is(slurp_raw($aside), join('', @entries[ 1, 2 ]), 'and its changes are in the file');
is(apply("--skip-invalid $aside", set(1, int32('k', 9))), 0, 'when the other one has another value');
is(sql(q{SELECT data FROM live.doc WHERE data -> '_id' = 2}), '{"_id": 2, "n": 0, "k": 1, "m": 1}', 'they are applied');
sql('DROP INDEX live.once');

# ---- names: every word of the generated text as a collection
my $text = slurp_raw("$FindBin::RealBin/../../src/tools/bson_copy/changes.py");
my %word = map { $_ => 1 } $text =~ /\b([A-Za-z_]\w*)\b/g;
my @words = sort keys %word;
cmp_ok(scalar(@words), '>', 100, 'names of the generated text');
sql('CREATE SCHEMA word;' . join '', map { qq(CREATE TABLE word."$_" (data bson NOT NULL); CREATE UNIQUE INDEX ON word."$_" ((data -> '_id')); COMMENT ON TABLE word."$_" IS 'restored by bson-copy from word.$_';) } @words);
is(apply('--schema word', map { entry_of('i', document(int32('_id', 1), int32('n', 1)), undef, "word.$_"), entry_of('u', document(int32('$v', 2), doc('diff', doc('u', int32('n', 2)))), document(int32('_id', 1)), "word.$_"), entry_of('i', document(int32('_id', 2)), undef, "word.$_"), entry_of('d', document(int32('_id', 2)), undef, "word.$_") } @words), 0, 'are changed') or diag(said());
is(sql('SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname = \'word\' AND relkind = \'r\' AND query_to_xml(format(\'SELECT data FROM word.%I\', relname), true, true, \'\')::text LIKE \'%"_id": 1, "n": 2}%\''), scalar(@words), 'all of them');
sql(q{ALTER TABLE live.doc ADD COLUMN it text, ADD COLUMN step text, ADD COLUMN why text, ADD COLUMN this text});
fresh();
is(apply('', set(1, int32('n', 1))), 0, 'a table with more columns') or diag(said());

done_testing();
