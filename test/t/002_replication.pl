# If this fails, the values of a standby or a subscriber differ from those of its source.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use BsonTest;

my $primary = PostgreSQL::Test::Cluster->new('primary');
$primary->init(allows_streaming => 'logical');
$primary->start;
$primary->backup('base');

# physical
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->start;
create_values($primary, 'postgres', 'v');
$primary->safe_psql('postgres', 'CREATE INDEX v_hash ON v USING hash (b)');
$primary->wait_for_catchup($standby, 'replay', $primary->lsn('insert'));
is(values_sum($standby, 'postgres', 'v'), values_sum($primary, 'postgres', 'v'), 'a standby has every value');
is( $standby->safe_psql('postgres', q{SET enable_seqscan = off; SELECT count(*) FROM v WHERE b = '{"x": 1}'}), '1',
	'an index answers on the standby');

# logical, in text and in binary: the first copy, then changes
foreach my $binary ('false', 'true')
{
	my $name = "sub_$binary";
	my $subscriber = PostgreSQL::Test::Cluster->new($name);

	$subscriber->init;
	$subscriber->start;
	$subscriber->safe_psql('postgres', q{
		CREATE EXTENSION bson;
		CREATE TABLE v (id serial PRIMARY KEY, kind text, b bson);
		CREATE TABLE full_identity (id int, b bson)});
	if ($binary eq 'false')
	{
		$primary->safe_psql('postgres', q{
			CREATE TABLE full_identity (id int, b bson);
			ALTER TABLE full_identity REPLICA IDENTITY FULL;
			INSERT INTO full_identity SELECT id, b FROM v;
			CREATE PUBLICATION pub FOR TABLE v, full_identity});
	}
	$subscriber->safe_psql('postgres', "CREATE SUBSCRIPTION $name CONNECTION '"
		  . $primary->connstr . " dbname=postgres' PUBLICATION pub WITH (binary = $binary)");
	$subscriber->wait_for_subscription_sync($primary, $name);
	is(values_sum($subscriber, 'postgres', 'v'), values_sum($primary, 'postgres', 'v'), "binary = $binary: the first copy has every value");

	$primary->safe_psql('postgres', q{
		INSERT INTO v (kind, b) SELECT kind, b FROM v WHERE id <= 100;
		UPDATE v SET kind = kind || ' again' WHERE id % 3 = 0;
		UPDATE v SET b = (SELECT b FROM v o WHERE o.id = v.id - 1) WHERE id % 7 = 0;
		DELETE FROM v WHERE id % 11 = 0;
		UPDATE full_identity SET id = id + 1000 WHERE id % 2 = 0;
		DELETE FROM full_identity WHERE id % 5 = 0});
	$primary->wait_for_catchup($name);
	is(values_sum($subscriber, 'postgres', $_), values_sum($primary, 'postgres', $_), "binary = $binary: changes of $_ arrive")
	  foreach 'v', 'full_identity';
	$subscriber->safe_psql('postgres', "DROP SUBSCRIPTION $name");
	$subscriber->stop;
}

$standby->stop;
$primary->stop;
done_testing();
