# What the tests of bson-copy share: files, and archives as mongodump makes them.
package DumpTest;
use strict;
use warnings;
no warnings 'portable';          # numbers of 64 bits
use Exporter 'import';
use FindBin;
use Test::More;
use BsonTest;
our @EXPORT = qw(block crc64 entry prelude server_for_dumps slurp_raw spew tool);

my ($tool, $dir);

# A server, the path of bson-copy, and a directory for files. The extension is in this database, to which tools connect.
sub server_for_dumps
{
	my ($database) = @_;
	my $node = PostgreSQL::Test::Cluster->new('main');

	plan skip_all => 'no python3' if system('python3 -c "import gzip" 2>/dev/null');
	# whatever the language here is: collations are ICU's, which want UTF8
	$node->init(extra => [ '-E', 'UTF8', '--locale=C' ]);
	$node->start;
	$node->safe_psql('postgres', "CREATE DATABASE $database") if $database ne 'postgres';
	$node->safe_psql($database, 'CREATE EXTENSION bson');
	@ENV{qw(PGHOST PGPORT PGDATABASE)} = ($node->host, $node->port, $database);
	$tool = "$FindBin::RealBin/../../src/tools/bson-copy";
	$dir = PostgreSQL::Test::Utils::tempdir();
	return ($node, $tool, $dir);
}

# The status of bson-copy with these arguments; what it says is in $dir/said, and never in Python's words
sub tool
{
	system("python3 $tool $_[0] >$dir/out 2>$dir/said");
	my $status = $? >> 8;
	unlike(slurp_raw("$dir/said"), qr/Traceback|Errno|codec can't|recursion/, 'no words of Python') if $status;
	return $status;
}

# What becomes a file of this name in that directory
sub spew
{
	my ($path, $bytes) = @_;
	open my $file, '>:raw', $path or die "$path: $!";
	print $file $bytes;
	close $file;
	return $path;
}

sub slurp_raw
{
	open my $file, '<:raw', $_[0] or die "$_[0]: $!";
	local $/;
	return scalar(<$file>) // '';
}

# The checksum of ECMA-182 with its bits reversed, a bit at a time
sub crc64
{
	my $crc = ~0;
	foreach my $byte (unpack 'C*', $_[0])
	{
		$crc ^= $byte;
		$crc = $crc & 1 ? ($crc >> 1) ^ 0xC96C5795D7870F42 : $crc >> 1 for 1 .. 8;
	}
	return ~$crc;
}

# A block of an archive: a header, documents, and its end; the last of a collection has the checksum of all
sub block
{
	my ($name, $crc, @documents) = @_;
	return join('', document([ 2, 'db', bson_string('app') ], [ 2, 'collection', bson_string($name) ], [ 8, 'EOF', chr(defined $crc) ], [ 18, 'CRC', pack('Q<', $crc // 0) ]), @documents) . "\xff" x 4;
}

sub entry
{
	my ($name, $type, $metadata) = @_;
	return document([ 2, 'db', bson_string('app') ], [ 2, 'collection', bson_string($name) ], [ 2, 'metadata', bson_string($metadata // '{"indexes":[]}') ], [ 16, 'size', pack('l<', 7) ], [ 2, 'type', bson_string($type) ]);
}

sub prelude
{
	return pack('L<', 0x8199e26d) . document([ 16, 'concurrent_collections', pack('l<', 4) ], [ 2, 'version', bson_string('0.1') ]) . join('', @_) . "\xff" x 4;
}

1;
