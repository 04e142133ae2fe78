# If this fails, a module for the libraries that was missing stays missing in a session, or is not found where bson was, or pg_upgrade does not notice.
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

$node->init;
$node->append_conf('postgresql.conf', "dynamic_library_path = '$modules'\n");
$node->start;
provide('bson');

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
