# If this fails, who may create functions in the schema of the extension has somebody else's pipeline call one of them.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use BsonTest;

my $seconds = $ENV{RACE_SECONDS} || 30;      # for each of two functions
my $dir = PostgreSQL::Test::Utils::tempdir();
my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
$node->safe_psql('postgres', q{
	CREATE SCHEMA ext;
	CREATE EXTENSION bson SCHEMA ext;
	CREATE ROLE mallory LOGIN;
	GRANT ALL ON SCHEMA ext TO mallory;
	CREATE TABLE public.taken (function text, by_whom name);
	GRANT ALL ON public.taken TO PUBLIC;
	CREATE TABLE public.pet AS SELECT ext.bson_build_object('_id', i, 'a', i % 3) AS data FROM generate_series(1, 5) i;
	CREATE TABLE public.said (pipeline int, message text, n int);
});

# Functions that fit calls in statements of pipelines better than the extension's own, made and dropped all the time
my %traps = ('bson_build_object' => 'text, ext.bson, text, ext.bson', 'array_to_bson' => 'ext.bson[]');
sub attack
{
	my ($name, $arguments) = @_;
	return qq{
		SET search_path = ext, pg_catalog;
		DO \$\$ DECLARE until timestamptz := clock_timestamp() + interval '$seconds s'; BEGIN
			WHILE clock_timestamp() < until LOOP
				EXECUTE 'CREATE FUNCTION ext.$name($arguments) RETURNS ext.bson LANGUAGE plpgsql AS \$f\$ BEGIN INSERT INTO public.taken VALUES (''$name'', current_user); RETURN ''{}''; END \$f\$';
				COMMIT;
				EXECUTE 'DROP FUNCTION ext.$name($arguments)';
				COMMIT;
			END LOOP; END \$\$};
}

# Pipelines of another user, who is superuser, with statements so long that they take a while to analyze
my $set = join ', ', map { qq({"\$addFields": {"x$_": {"\$add": ["\$a", $_]}}}, {"\$group": {"_id": "\$x$_", "a": {"\$sum": "\$a"}}}) } 1 .. 20;
my @pipelines = ("[$set]",
	'[' . join(', ', map { '{"$unionWith": "public.pet"}, {"$sortByCount": "$a"}, {"$lookup": {"from": "public.pet", "localField": "_id", "foreignField": "a", "as": "x"}}' } 1 .. 12) . ']',
	'[{"$facet": {' . join(', ', map { qq("f$_": [{"\$group": {"_id": "\$a", "n": {"\$sum": 1}}}]) } 1 .. 40) . '}}]');
sub victim
{
	my ($number) = @_;
	return qq{
		SET search_path = pg_catalog;
		DO \$\$ DECLARE until timestamptz := clock_timestamp() + interval '$seconds s'; seen text; BEGIN
			CREATE TEMP TABLE heard (message text);
			WHILE clock_timestamp() < until LOOP
				seen := 'fine';
				BEGIN EXECUTE 'SELECT count(*) FROM ext.bson_aggregate(''public.pet''::regclass, ''$pipelines[$number]''::ext.bson, NULL::name)';
				EXCEPTION WHEN OTHERS THEN seen := regexp_replace(SQLERRM, 'function .* would', 'function would'); END;
				INSERT INTO heard VALUES (seen);
				COMMIT;     -- a session that has its locks already does not look for what others have made
			END LOOP;
			INSERT INTO public.said SELECT $number, message, count(*) FROM heard GROUP BY message; END \$\$};
}

foreach my $name (sort keys %traps)
{
	my @running;

	foreach my $session ([ 'user=mallory', attack($name, $traps{$name}) ], map { [ '', victim($_) ] } 0 .. $#pipelines)
	{
		my ($user, $sql) = @$session;
		my $file = "$dir/$name." . @running;

		PostgreSQL::Test::Utils::append_to_file($file, $sql);
		push @running, IPC::Run::start([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('postgres') . " $user", '-f', $file ]);
	}
	foreach (@running)
	{
		ok($_->finish, "a session of $name ends");
	}
}
note($node->safe_psql('postgres', 'SELECT pipeline, message, sum(n) FROM said GROUP BY 1, 2 ORDER BY 1, 2'));
is($node->safe_psql('postgres', 'SELECT DISTINCT * FROM taken'), '', 'no foreign function was called');
is($node->safe_psql('postgres', q{SELECT DISTINCT message FROM said WHERE message NOT IN ('fine', 'function would be called instead of one of the extension bson')}), '',
	'the only error is the one that is meant');
is($node->safe_psql('postgres', 'SELECT count(DISTINCT pipeline) FROM said WHERE message <> \'fine\''), scalar(@pipelines), 'and each pipeline met it');
is($node->safe_psql('postgres', 'SELECT count(DISTINCT pipeline) FROM said WHERE message = \'fine\''), scalar(@pipelines), 'or a time without it');
done_testing();
