# If this fails, a module for the libraries that was missing stays missing in a session, or is not found where bson was, or pg_upgrade does not notice,
# or a session that was open while bson was installed goes on wrongly.
use strict;
use warnings;
use File::Copy qw(copy);
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use BsonTest;

chomp(my $libdir = qx{pg_config --pkglibdir});
my ($suffix) = map { m{/bson(\.\w+)$} } glob "$libdir/bson.*";

# a directory of modules that are found by their names, as where the server's own cannot be written to
my $node = PostgreSQL::Test::Cluster->new('main');
my $modules = $node->basedir . '/modules';
mkdir $modules or BAIL_OUT("mkdir $modules: $!");

sub provide { copy("$libdir/$_[0]$suffix", "$modules/$_[0]$suffix") or BAIL_OUT("copy $_[0]: $!") }

# text of other encodings needs libbson
$node->init(extra => [ '--encoding', 'UTF8', '--locale', 'C' ]);
$node->append_conf('postgresql.conf', "dynamic_library_path = '$modules'\n");
$node->start;
# with the language of the extension's script, which servers from 18 on find by its name, too
provide($_) foreach 'bson', 'plpgsql';

my $missing = qr/could not access file "bson_libraries"/;
my ($status, $out, $err);

# one session that creates the extension twice, and does what the shell is told in between
sub create_twice
{
	my ($command) = @_;
	($status, $out, $err) = $node->psql('postgres', "CREATE EXTENSION bson;\n\\! $command\nCREATE EXTENSION bson;", on_error_stop => 0);
	return $err;
}

my $errors = create_twice('true');
is(scalar(() = $errors =~ /$missing/g), 2, 'a library that is missing is named each time') or diag($errors);
unlike($errors, qr/redefine/, 'the settings are not defined twice');

$errors = create_twice(qq{cp "$libdir/bson_libraries$suffix" "$modules/"});
is(scalar(() = $errors =~ /ERROR/g), 1, 'a session that met a missing library goes on when it is there') or diag($errors);
is($node->safe_psql('postgres', q{SELECT '{"a": "xyz"}'::bson @~ '{"a": {"$regex": "^x"}}'}), 't', 'the module is found by its name');

# A version comes while sessions are open.  Its tables of functions have another name, and a message of it tells who loaded it.  The linker
# finds names by a hash, 33 times the one before plus a character, which the other name shares: the last character is 33 more, the one before 1 less.
my $message = 'invalid bson document';
sub make_install
{
	local $ENV{MAKEFLAGS} = '';
	system('make', '-s', '-C', "$FindBin::RealBin/../..", 'with_llvm=no', 'install', "DESTDIR=$modules/made") == 0 or BAIL_OUT('make install');
}
sub new_version
{
	foreach my $path (map { "$modules/made$libdir/$_$suffix" } @_)
	{
		my $bytes = slurp($path);
		$bytes =~ s/(pgbson_libraries_\d+)(\d)(\d)\b/$1 . chr(ord($2) - 1) . chr(ord($3) + 33)/ge or BAIL_OUT("no name in $path");
		$bytes =~ s/\Q$message\E/uc $message/ge;
		spew("$path.new", $bytes);
		rename "$path.new", $path or BAIL_OUT("rename $path: $!");
	}
}
sub slurp { local (@ARGV, $/) = @_; binmode ARGV; return <> }
sub spew { open my $file, '>:raw', $_[0] or BAIL_OUT("$_[0]: $!"); print $file $_[1]; close $file or BAIL_OUT("$_[0]: $!") }

make_install();
my @old = map { (stat "$modules/made$libdir/$_$suffix")[1] } 'bson', 'bson_libraries';
$node->append_conf('postgresql.conf', "dynamic_library_path = '$modules/made$libdir'\n");
$node->reload;
my ($needs, $simple) = (q{SELECT '{"a": "xyz"}'::bson @~ '{"a": {"$regex": "^x"}}'}, q{SELECT '{"a": [1, 2]}'::bson #> '{a,1}'});
my %session = map {
	my ($name, @first) = @$_;
	my $in = '';
	my ($out, $err) = ('', '');
	my $h = IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr('postgres') ], '<', \$in, '>', \$out, '2>', \$err, IPC::Run::timeout(180));
	($name, { in => \$in, out => \$out, err => \$err, handle => $h, first => \@first });
} [ 'that has loaded both', $simple, $needs ], [ 'that has loaded bson', $simple ];
sub say_to
{
	my ($name, @statements) = @_;
	my $s = $session{$name};
	${ $s->{$_} } = '' foreach 'out', 'err';
	${ $s->{in} } .= join(";\n", @statements, "\\echo done\n\\warn done\n");
	$s->{handle}->pump until 2 == grep { ${ $s->{$_} } =~ /done\n/ } 'out', 'err';
	return join('', map { ${ $s->{$_} } } 'out', 'err') =~ s/done\n//gr;
}
say_to($_, @{ $session{$_}{first} }) foreach keys %session;
my @broken = (q(SELECT '\\x00'::bson), $simple);

make_install();
isnt((stat "$modules/made$libdir/$_$suffix")[1], shift @old, "make install writes a new file of $_") foreach 'bson', 'bson_libraries';
new_version('bson', 'bson_libraries');
is(say_to('that has loaded both', $simple, $needs), "2\nt\n", 'a session that has loaded both goes on');
like(say_to('that has loaded both', @broken), qr/^2\nERROR:  \Q$message\E/, 'with the version that it has loaded');
my $unlike = qr/ERROR:  the modules bson and bson_libraries are of different versions\n(?:LINE.*\n.*\n)?HINT:  If bson was installed while this session was open, begin a new one.*/;
like(say_to('that has loaded bson', $needs, $needs, $simple), qr/^2\n$unlike\n$unlike\n$/, 'one that needs a library is told to begin anew, and goes on without');
is($node->safe_psql('postgres', "$simple; $needs"), "2\nt", 'a new session');
($status, $out, $err) = $node->psql('postgres', $broken[0]);
like($err, qr/${\ uc $message}/, 'has the new version');
make_install();
new_version('bson_libraries');
($status, $out, $err) = $node->psql('postgres', "$simple; $needs");
like("$out$err", qr/^2.*$unlike/, 'where only one was replaced, what needs it is an error');
$_->{handle}->finish foreach values %session;
unlike(PostgreSQL::Test::Utils::slurp_file($node->logfile), qr/terminated by signal|PANIC|TRAP/, 'no session crashed');
$node->append_conf('postgresql.conf', "dynamic_library_path = '$modules'\n");

# as pg_upgrade asks the new server
unlink "$modules/bson_libraries$suffix";
$node->stop;
$ENV{PGHOST} = $node->host;
$ENV{PGPORT} = $node->port;
sub pg_ctl { return PostgreSQL::Test::Utils::system_log('pg_ctl', '-w', '-D', $node->data_dir, '-l', $node->logfile, @_) }
is(pg_ctl('-o', '-b', 'start'), 0, 'the server starts as pg_upgrade starts it');
PostgreSQL::Test::Utils::command_fails_like([ 'psql', '-X', '-d', 'postgres', '-c', q{LOAD 'bson'} ], $missing, 'pg_upgrade learns that a library is missing');
provide('bson_libraries');
PostgreSQL::Test::Utils::command_ok([ 'psql', '-X', '-d', 'postgres', '-c', q{LOAD 'bson'} ], 'and that none is');
pg_ctl('-m', 'fast', 'stop');

done_testing();
