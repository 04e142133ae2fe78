# If this fails, a server that goes from 1.0 to this release answers otherwise than before, or does not say what is to be done where it preloads
# the library; or it cannot be told how to remove the extension.
#
# The old library is that of the commit that 1.0 was released as. test/bin/cluster takes its sources out of the repository's
# history; where that is not there, as in a shallow clone or in an archive, there is nothing to test.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use BsonTest;

my $sources = "$FindBin::RealBin/../../.released.tar";
if (!-e $sources)
{
  SKIP: { skip 'the sources of 1.0 are not here, as the history of the repository is not', 1; }
	done_testing();
	exit;
}

# The two releases, each in a directory with the paths of an installation
my %made = (old => PostgreSQL::Test::Utils::tempdir(), new => '');
my $tree = PostgreSQL::Test::Utils::tempdir();
{
	local $ENV{MAKEFLAGS} = '';
	PostgreSQL::Test::Utils::system_or_bail('tar', '-C', $tree, '-xf', $sources);
	PostgreSQL::Test::Utils::system_or_bail('make', '-s', '-j2', '-C', $tree, 'with_llvm=no', 'PG_CFLAGS=-O0 -g0 -w', 'install', "DESTDIR=$made{old}");
}

my ($install, $scripts) = private_install();
chomp(my $libdir = qx{pg_config --pkglibdir});
chomp(my $sharedir = qx{pg_config --sharedir});
my $private = $scripts =~ s{\Q$sharedir\E/extension$}{}r;

# Take the extension's files away, and put those of a release there, as a package does: by new files of the old names
sub take_away { unlink glob("$private$libdir/bson.*"), glob("$private$libdir/bson_libraries.*"), glob("$scripts/bson.control"), glob("$scripts/bson--*.sql") }
sub put
{
	my ($release) = @_;

	take_away();
	system('cp', '-L', (grep { !/bitcode/ } glob("$made{$release}$libdir/bson.* $made{$release}$libdir/bson_libraries.*")), "$private$libdir/") == 0 or BAIL_OUT('modules');
	system('cp', '-L', glob("$made{$release}$sharedir/extension/bson.control $made{$release}$sharedir/extension/bson--*.sql"), "$scripts/") == 0 or BAIL_OUT('scripts');
}

put('old');
my $node = node_of('main', $install);
$node->init(extra => [ '-E', 'UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf', "autovacuum = off\nshared_preload_libraries = 'bson'\n");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION bson; CREATE EXTENSION amcheck');
is($node->safe_psql('postgres', q{SELECT extversion FROM pg_extension WHERE extname = 'bson'}), '1.0', 'the server begins with 1.0');

# What may stand in an index, with the access method or its class
my @expressions = (
	[ "data -> 'n'", 'btree' ], [ "data -> 'n'", 'hash' ], [ "data ->> 's'", 'btree' ], [ "data #> '{o,l}'", 'btree' ], [ "data #>> '{o,l,2}'", 'btree' ],
	[ "data -#> 'n'", 'btree' ], [ "data -&> 'b'", 'btree' ], [ "data -> 'o' -> 'l' -#> 0", 'btree' ], [ "data -> 'o' #>> '{l,0}'", 'btree' ], [ "data['o']['l'][1]", 'btree' ],
	[ "(data -> 'n')::numeric", 'btree' ], [ "(data ->> 'n')::float8", 'btree' ], [ "(data -> 's')::text", 'btree' ], [ "(data -> 'at')::timestamptz", 'btree' ],
	[ "bson_get_int4(data, 'm')", 'btree' ], [ "bson_get_int8(data, 'm')", 'btree' ], [ "bson_get_float8(data, 'n')", 'btree' ], [ "bson_get_numeric(data, 'price')", 'btree' ],
	[ "bson_get_text(data, 's')", 'btree' ], [ "bson_get_timestamptz(data, 'at')", 'btree' ], [ "bson_get_uuid(data, 'u')", 'btree' ], [ "bson_get_bytea(data, 'bin')", 'btree' ],
	[ "bson_get_bool(data, 'b')", 'btree' ], [ "bson_get_objectid(data, '_id')", 'btree' ], [ "data ->> 'u'", 'btree' ], [ "data -> '_id'", 'btree' ],
	[ "bson_sort_key(data, '{\"n\": -1, \"s\": 1}')", 'btree' ], [ "bson_sort_key(data, '{\"e\": 1, \"s\": -1}')", 'btree' ], [ 'bson_hash(data)', 'btree' ], [ 'bson_hash_extended(data, 7)', 'btree' ],
	[ 'bson_size(data)', 'btree' ], [ 'bson_depth(data)', 'btree' ], [ "bson_typeof(data -> 'n')", 'btree' ], [ 'sha256(data::bytea)', 'btree' ], [ 'md5(data::text)', 'btree' ], [ 'data::jsonb', 'hash' ], [ 'data', 'hash' ],
	[ "data - 'n'", 'hash' ], [ "bson_strip_nulls(data)", 'hash' ]);
# What GIN and text search serve
my @conditions = (
	[ 'data', q(data @> '{"s": "v17"}'), q(data ? 'rare'), q(data ?| '{rare,none}'), q(data ?& '{n,rare}'), q(data @? '$.o.l[*] ? (@ == 8)'), q(data @@ '$.s == "v17"'),
		q(data @~ '{"o.l": 3, "n": {"$in": [3, 203]}}'), q(data @> '{"d": {"e": {"f": {"g": "status 3"}}}}'), q(data @~ '{"d.e.f.g": "status 3"}') ],
	[ 'data bson_path_ops', q(data @> '{"o": {"l": [8]}}'), q(data @@ '$.s == "v17"'), q(data @~ '{"at": {"$date": "2024-01-18T00:00:00Z"}}'), q(data @~ '{"re": {"$eq": {"$regularExpression": {"pattern": "^abcdefghijklmnopqrstuvwxyz5", "options": ""}}}}') ],
	[ 'data bson_range_ops', q(data @~ '{"n": {"$gte": 100, "$lt": 110}}'), q(data @? '$ ? (@.price > 39.5)'), q(data @~ '{"s": {"$gt": "v98"}}'), q(data @~ '{"u": {"$type": "binData"}, "n": {"$lt": 9}}'), q(data @~ '{"price": {"$gt": 10, "$lte": 10.5}}') ],
	[ q(to_tsvector('english', data)), q(to_tsvector('english', data) @@ to_tsquery('english', 'status & 5')) ]);

# half of the documents and their like come later
my $documents = q{SELECT %s + i, bson_build_object('_id', ('{"$oid": "' || lpad(to_hex(i), 24, '0') || '"}')::bson, 'n', CASE i %% 3 WHEN 0 THEN to_bson(i) WHEN 1 THEN to_bson(i::bigint) ELSE to_bson(i::float8) END,
	's', 'v' || i %% 100, 'm', i %% 50, 'b', i %% 7 = 0, 'price', (i / 10.0)::numeric, 'at', timestamptz '2024-01-01 00:00Z' + i * interval '1 day', 'u', md5(i::text)::uuid, 'bin', decode(md5(i::text), 'hex'),
	'o', bson_build_object('l', bson_build_array(i %% 20, i / 2.0::float8, 'x' || i)), 'e', CASE WHEN i %% 5 > 0 THEN bson_build_array(i, -i) ELSE '[]' END, 'd', ('{"e": {"f": {"g": "status ' || i %% 9 || '"}}}')::bson,
	're', ('{"$regularExpression": {"pattern": "^abcdefghijklmnopqrstuvwxyz' || i %% 9 || '", "options": ""}}')::bson, 'a key of twenty-seven letters', 1, repeat('k', 120 + i %% 20), NULL, 'pad', repeat('compressed ' || i, CASE WHEN i %% 10 = 0 THEN 300 ELSE 1 END))
	|| CASE WHEN i %% 150 = 0 THEN '{"rare": true}'::bson ELSE '{}' END FROM generate_series(%s, %s) AS i};
my $number = 0;
my @indexes;
my $definitions = '';
foreach my $each (@expressions)
{
	my ($expression, $method) = @$each;

	$number++;
	$definitions .= "CREATE INDEX e$number ON doc USING $method (($expression));\n";
	push @indexes, [ "e$number", "($expression) = (SELECT $expression FROM doc WHERE id = 77)", ($method eq 'btree' ? "($expression) >= (SELECT $expression FROM doc WHERE id = 77)" : ()) ];
}
foreach my $each (@conditions)
{
	my ($what, @of) = @$each;

	$number++;
	$what = "($what)" unless $what =~ /^data/;
	$definitions .= "CREATE INDEX g$number ON doc USING gin ($what);\n";
	push @indexes, [ "g$number", @of ];
}
$node->safe_psql('postgres', qq{
	CREATE TABLE doc (id int PRIMARY KEY, data bson CHECK (data @~ '{"n": {"\$exists": true}}'), total numeric GENERATED ALWAYS AS (bson_get_numeric(data, 'price')) STORED);
	INSERT INTO doc (id, data) } . sprintf($documents, 0, 1, 400) . qq{;
	$definitions
	CREATE STATISTICS kinds ON (data ->> 's'), (data -> 'n') FROM doc;
	CREATE TABLE small (id int, data bson, EXCLUDE USING hash (data WITH =));
	INSERT INTO small SELECT id, data - 'pad' - 'o' FROM doc WHERE id <= 60;
	CREATE UNIQUE INDEX small_data ON small (data);
	CREATE TABLE hashed (id int, data bson) PARTITION BY HASH ((data -> 'n'));
	CREATE TABLE hashed_0 PARTITION OF hashed FOR VALUES WITH (MODULUS 2, REMAINDER 0);
	CREATE TABLE hashed_1 PARTITION OF hashed FOR VALUES WITH (MODULUS 2, REMAINDER 1);
	CREATE TABLE ranged (id int, data bson) PARTITION BY RANGE ((data -> 'n'));
	CREATE TABLE ranged_0 PARTITION OF ranged FOR VALUES FROM (MINVALUE) TO ('200');
	CREATE TABLE ranged_1 PARTITION OF ranged FOR VALUES FROM ('200') TO (MAXVALUE);
	INSERT INTO hashed SELECT id, data FROM doc;
	INSERT INTO ranged SELECT id, data FROM doc;
	CREATE VIEW over AS SELECT id, data -> 'o' -> 'l' ->> 2 AS x, (data ->> 'n')::float8::int % 10 AS ten, bson_update(data, '{"\$inc": {"m": 1}}') -> 'm' AS more, bson_match(data, '{"m": {"\$gt": 25}}') AS much FROM doc;
	CREATE MATERIALIZED VIEW groups AS SELECT data -> 'm' AS m, count(*), bson_agg(data -> 'n' ORDER BY id) AS n, sum(data -> 'price') AS price, min(data -> 'at') AS at FROM doc GROUP BY 1;
	CREATE UNIQUE INDEX groups_m ON groups (m);
	CREATE FUNCTION found(bson) RETURNS SETOF int BEGIN ATOMIC SELECT id FROM doc WHERE data @> \$1 AND data ->> 's' > 'v2' ORDER BY id; END;
	CREATE TABLE log (id int, changed bson);
	CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS \$\$ BEGIN INSERT INTO log VALUES (NEW.id, bson_diff(OLD.data, NEW.data)); RETURN NEW; END \$\$;
	CREATE TRIGGER keep AFTER UPDATE ON doc FOR EACH ROW WHEN (OLD.data <> NEW.data) EXECUTE FUNCTION keep();
	CREATE ROLE reader;
	GRANT SELECT ON doc TO reader;
	ALTER TABLE doc ENABLE ROW LEVEL SECURITY;
	CREATE POLICY lower_half ON doc TO reader USING (data @~ '{"m": {"\$lt": 25}}');
	ANALYZE});

# Do the indexes and partitions answer as scans do?  Returns what all answered, as one text.
sub answers
{
	my ($when) = @_;
	my ($sql, @named, @wrong) = ('', ());

	foreach my $each (@indexes)
	{
		my ($index, @of) = @$each;
		# without the others, so that no other one answers
		my $hidden = join '', map { "DROP INDEX $_->[0]; " } grep { $_->[0] ne $index } @indexes;

		foreach my $condition (@of)
		{
			# an order that the primary key does not give, so that it is not chosen
			my $query = "SELECT string_agg(id::text, ',' ORDER BY id + 0) FROM doc WHERE $condition";

			push @named, "$index for $condition";
			$sql .= "BEGIN; ${hidden}SET LOCAL enable_indexscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_indexonlyscan = off; $query;\n"
			  . "RESET enable_indexscan; RESET enable_bitmapscan; SET LOCAL enable_seqscan = off; $query;\nEXPLAIN (COSTS OFF) $query;\nROLLBACK;\n\\echo ----\n";
		}
	}
	my @said = split /^----\n/m, $node->safe_psql('postgres', $sql) . "\n";
	my $all = '';
	foreach my $i (0 .. $#named)
	{
		my ($scanned, $found, $plan) = split /\n/, $said[$i], 3;
		my ($index) = $named[$i] =~ /^(\w+)/;

		push @wrong, "$named[$i]: not used, $plan" unless $plan =~ /\b$index\b/;
		push @wrong, "$named[$i]: $found, but a scan finds $scanned" if $found ne $scanned || $found eq '';
		$all .= "$named[$i]: $scanned\n";
	}
	is(join("\n", @wrong), '', "$when: each index answers as a scan");

	my $rest = $node->safe_psql('postgres', q{
		SELECT 'values', count(*), md5(string_agg(data::bytea::text || data::text || total, ',' ORDER BY id)) FROM doc;
		SELECT 'small', count(*), md5(string_agg(id::text, ',' ORDER BY data)) FROM small;
		SET enable_seqscan = off;
		SELECT 'hashed', string_agg(id::text, ',') FROM hashed WHERE data -> 'n' = '17';
		SELECT 'ranged', string_agg(id::text, ',' ORDER BY id) FROM ranged WHERE data -> 'n' BETWEEN '195' AND '205';
		SELECT 'view', md5(string_agg(o::text, ',' ORDER BY id)) FROM over AS o;
		SELECT 'groups', string_agg(g::text, ',' ORDER BY m) FROM groups AS g WHERE m BETWEEN '7' AND '9';
		SELECT 'function', string_agg(f::text, ',') FROM found('{"o": {"l": [8]}}') AS f;
		SET ROLE reader;
		SELECT 'policy', count(*) FROM doc});
	return $all . $rest;
}

# What amcheck sees
sub sound
{
	my ($when) = @_;
	my $gin = $node->safe_psql('postgres', "SELECT count(*) FROM pg_proc WHERE proname = 'gin_index_check'") > 0;

	is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_class c, verify_heapam(c.oid) WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace}), 0, "$when: the tables are sound");
	is($node->psql('postgres', q{SELECT bt_index_check(indexrelid, true) FROM pg_index JOIN pg_class c ON c.oid = indexrelid WHERE relam = (SELECT oid FROM pg_am WHERE amname = 'btree') AND relnamespace = 'public'::regnamespace AND relkind = 'i'}), 0, "$when: and the B-trees");
	is($node->psql('postgres', q{SELECT gin_index_check(indexrelid) FROM pg_index JOIN pg_class c ON c.oid = indexrelid WHERE relam = (SELECT oid FROM pg_am WHERE amname = 'gin')}), 0, "$when: and the GIN indexes") if $gin;
}

my $before = answers('1.0');
isnt($before, '', 'there are answers');

# The files of this release, beside a server that still has the library of 1.0
my $open = $node->background_psql('postgres', on_error_stop => 0);
$open->query_safe(q{PREPARE p AS SELECT count(*) FROM doc WHERE data @> '{"s": "v17"}' AND (data ->> 'n')::float8 > 100});
my $prepared = $open->query_safe('EXECUTE p');
put('new');
my $told = qr/ERROR:  the server runs version 1\.0 of the library bson, which is too old for version 1\.1 of the extension\nHINT:  If bson is in shared_preload_libraries, restart the server; else, begin a new session\./;
my ($status, $out, $err) = $node->psql('postgres', 'ALTER EXTENSION bson UPDATE');
like($err, $told, 'the update says that the server has the old library');
$node->safe_psql('postgres', 'CREATE DATABASE later');
($status, $out, $err) = $node->psql('later', 'CREATE EXTENSION bson');
like($err, $told, 'and so does a new extension');
$node->safe_psql('later', q{CREATE EXTENSION bson VERSION '1.0'; SELECT '{"a": 1}'::bson -> 'a'});
is($open->query_safe('EXECUTE p'), $prepared, 'an open session goes on');
is(answers('1.0, with new files'), $before, 'new ones, too');
$open->quit;

$node->restart;
is(answers('1.0 by the new library'), $before, 'the new library serves a database of 1.0');
sound('1.0 by the new library');
$node->safe_psql('postgres', 'ALTER EXTENSION bson UPDATE');
is($node->safe_psql('postgres', q{SELECT bson_version() ->> 'script' = extversion AND bson_version() ->> 'library' LIKE extversion || '.%' FROM pg_extension WHERE extname = 'bson'}), 't', 'bson_version() says that library and script are of one version');
is(answers('updated'), $before, 'all answers are as before');
$node->safe_psql('postgres', q{INSERT INTO doc (id, data) } . sprintf($documents, 0, 401, 600) . q{;
	UPDATE doc SET data = bson_update(data, '{"$inc": {"n": 1, "price": 0.5}, "$set": {"s": "v17", "o.l.0": 8}}') WHERE id % 9 = 0;
	DELETE FROM doc WHERE id % 31 = 0;
	INSERT INTO hashed SELECT id + 1000, data FROM doc WHERE id < 20;
	INSERT INTO ranged SELECT id + 1000, data FROM doc WHERE id < 20;
	REFRESH MATERIALIZED VIEW CONCURRENTLY groups;
	VACUUM ANALYZE});
is($node->safe_psql('postgres', 'SELECT count(*) > 50 FROM log'), 't', 'the trigger is called');
isnt(answers('changed by the new library'), $before, 'and other answers come of other documents');
sound('changed by the new library');

# A session that has loaded the library of 1.0 itself
put('old');
$node->append_conf('postgresql.conf', "shared_preload_libraries = ''\n");
$node->restart;
$node->safe_psql('postgres', q{CREATE DATABASE alone});
$open = $node->background_psql('alone', on_error_stop => 0);
$open->query_safe('CREATE EXTENSION bson');
put('new');
$open->query('ALTER EXTENSION bson UPDATE');
like($open->{stderr}, $told, 'a session that had loaded the old library is told, too');
$open->quit;
$node->safe_psql('alone', 'ALTER EXTENSION bson UPDATE');
is($node->safe_psql('alone', q{SELECT bson_version() ->> 'script'}), $node->safe_psql('alone', q{SELECT default_version FROM pg_available_extensions WHERE name = 'bson'}), 'a new session updates it');

# How it is removed: from the setting first
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'bson'\n");
$node->restart;
$node->safe_psql('postgres', 'DROP EXTENSION bson CASCADE');
$node->safe_psql($_, 'DROP EXTENSION bson') foreach 'later', 'alone';
take_away();
$node->stop;
is($node->start(fail_ok => 1), 0, 'a server that is to load a library which was removed does not start');
like(PostgreSQL::Test::Utils::slurp_file($node->logfile), qr/FATAL:  could not access file "bson"/, 'and says so in its log');
$node->append_conf('postgresql.conf', "shared_preload_libraries = ''\n");
$node->start;
is($node->safe_psql('postgres', "SELECT count(*) FROM pg_available_extensions WHERE name = 'bson'"), 0, 'out of the setting, it does, and nothing is left');
is($node->safe_psql('postgres', 'SELECT count(*) FROM doc') > 500, 1, 'but the tables with their other columns');

$node->stop;
done_testing();
