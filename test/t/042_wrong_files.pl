# If this fails, bson-copy ends in words of Python, or does a part, of a file that is of another kind or cut short; or it says what is not so.
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
sub entry_of { return document([ 17, 'ts', pack('L<L<', $_[0], 1700000000) ], [ 2, 'op', bson_string('i') ], [ 2, 'ns', bson_string('app.doc') ], [ 3, 'o', document(int32('_id', $_[0])) ]) }

mkdir $_ foreach "$dir/dump", "$dir/dump/app";
spew("$dir/dump/app/doc.bson", document(int32('_id', 1)));
is(tool("--restore --schema live $dir/dump"), 0, 'a table');

# each tool with each kind of file: it may do nothing, or end with an error, but not in words of Python, and not by half
my $oplog = join '', map { entry_of($_) } 2 .. 5;
my $one = document(int32('_id', 7));
my $archive = prelude(entry('doc', 'collection')) . block('doc', undef, $one) . block('doc', crc64($one));
my %kind = (empty => '', text => "hello\n", json => "{\"a\": 1}\n", array => '[1]', bson => document(int32('_id', 1), [ 2, 'a', bson_string('b') ]), oplog => $oplog, archive => $archive,
	prelude => prelude(), metadata => '{"indexes": []}', zeros => "\0" x 100, ones => "\xff" x 100, copy => "PGCOPY\n\xff\r\n\0" . "\0" x 8 . "\xff\xff", gzip => "\x1f\x8b\x08\0", big => pack('l<', 2**31 - 1) . 'x');
my %mode = (filter => '', check => '--check', json => '--json', export => '--export', list => '--list', apply => '--apply', restore => '--restore --schema wrong', dry => '--restore --dry-run');
foreach my $kind (sort keys %kind)
{
	foreach my $mode (sort keys %mode)
	{
		foreach my $end ('bson', $mode =~ /apply|restore/ ? 'json' : ())
		{
			my $status = tool("$mode{$mode} " . spew("$dir/$kind.$end", $kind{$kind}));
			cmp_ok($status, '<', 2, "$mode of $kind.$end");
			ok(!$status || said() =~ /^bson-copy: /m, 'says what is wrong') or diag(said());
			is(sql('SELECT count(*) FROM live.doc'), 1, 'changes nothing') if $mode eq 'apply' && $kind ne 'oplog';
		}
		sql('DELETE FROM live.doc WHERE data @~ \'{"_id": {"$gt": 1}}\'; DROP SCHEMA IF EXISTS wrong CASCADE') if $mode =~ /apply|restore/;
	}
}

# an oplog cut at any byte of its last two entries
my $size = length $oplog;
for (my $cut = length($oplog) / 2 + 1; $cut < $size; $cut += 17)
{
	my $whole = $cut % length(entry_of(2)) == 0;
	is(tool('--apply ' . spew("$dir/cut.bson", substr($oplog, 0, $cut))), $whole ? 0 : 1, "an oplog cut at byte $cut");
	is(sql('SELECT count(*) FROM live.doc'), 1, 'changes nothing') if !$whole;
}

# the others, which have no server, in one process: each file cut at each byte
spew("$dir/cuts.py", <<'END');
import contextlib, io, os, sys
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(sys.argv[1]))
from bson_copy import main
out = os.dup(1)
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
for name in sys.argv[2:]:
    data = open(name, "rb").read()
    for mode in ("", "--check", "--export", "--list", "--json", "--restore --dry-run"):
        done = 0
        for cut in range(len(data)):
            path = os.path.join(os.path.dirname(name), "part.bson")
            open(path, "wb").write(data[:cut])
            sys.argv = ["bson-copy", *mode.split(), path]
            said = io.StringIO()
            try:
                with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
                    status = main.main()
            except (Exception, SystemExit) as error:
                os.write(out, f"{name} {mode} {cut}: {error!r}\n".encode())
                continue
            if status not in (0, 1) or status and not said.getvalue().startswith("bson-copy: "):
                os.write(out, f"{name} {mode} {cut}: {status} {said.getvalue()}\n".encode())
            done += 1
        os.write(out, f"{done} of {len(data)}\n".encode())
END
my @files = map { spew("$dir/of.$_", $kind{$_}) } 'oplog', 'archive', 'copy', 'json';
is(join('', grep { !/^(\d+) of \1$/ } `python3 $dir/cuts.py $tool @files`), '', 'files cut at each byte');

# what is said is so
is(system("python3 $tool --list - <$dir/of.archive >$dir/out 2>$dir/said"), 0, '--list - reads standard input') or diag(said());
is(slurp_raw("$dir/out"), "app.doc\tcollection\t7 bytes\n", 'and lists it');
my $long = join '', map { sprintf '%08x', ($_ * 2654435761) % 4294967291 } 1 .. 500;
my $o = '{"$numberInt":"1"}';
mkdir $_ foreach "$dir/long", "$dir/long/app";
spew("$dir/long/app/long.bson", document(int32('_id', 1), [ 2, 't', bson_string($long) ]));
spew("$dir/long/app/long.metadata.json", qq({"indexes":[{"key":{"t":$o},"name":"t_1","unique":true},{"key":{"t":$o,"u":$o},"name":"t_2"},{"key":{"n":$o},"name":"n_1"}]}));
is(tool("--restore --schema long $dir/long"), 0, 'values that are too long for a B-tree');
unlike(said(), qr/the index long_$_ .*serves/, "$_ is not made by the method that would serve the statement, and this is not said") foreach 't_1', 't_2';
like(said(), qr/the index long_$_ .*serves/, "of $_ it is") foreach 'n_1', 'data';

# views that cannot be made, by the dry run and by the server
my ($stages) = slurp_raw("$FindBin::RealBin/../../src/tools/bson_copy/view.py") =~ /WITHOUT_SQL = \{(.*?)\}/s;
my @stages = $stages =~ /"(\$\w+)"/g;
is(sql("SET client_min_messages = error; CREATE FUNCTION pg_temp.try(stage text) RETURNS text LANGUAGE plpgsql AS \$\$ BEGIN RETURN bson_pipeline_sql('live.doc', ('[{\"' || stage || '\": {}}]')::bson); EXCEPTION WHEN feature_not_supported THEN RETURN NULL; END \$\$; SELECT string_agg(s, ' ') FROM unnest('{" . join(',', @stages) . "}'::text[]) AS s WHERE pg_temp.try(s) IS NOT NULL"), '', 'the stages that --restore knows to have no equal are those of the extension');
spew("$dir/long/app/$_->[0].metadata.json", qq({"options":{"viewOn":"$_->[1]","pipeline":[$_->[2]]},"type":"view"})) foreach [ 'near', 'long', '{"$facet":{"a":[{"$search":{}}]}}' ], [ 'lost', 'nothing', '{"$match":{}}' ], [ 'evil', 'no\\n; DROP', '' ], [ 'fine', 'long', '{"$match":{}}' ];
is(tool("--restore --dry-run $dir/long"), 0, 'a dry run');
my $out = slurp_raw("$dir/out");
like($out, qr/^-- app\.near: reading this view of long will be an error: its stage \$search has no equal$/m, 'says that a stage has no equal');
like($out, qr/^-- app\.lost: reading this view of nothing will be an error: there is no nothing among what is restored$/m, 'and that a collection is not there');
like($out, qr/^-- app\.evil: .* there is no no\\n; DROP among/m, 'in one line');
unlike($out, qr/^-- app\.fine/m, 'and nothing of what can be made');

done_testing();
