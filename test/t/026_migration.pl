# If this fails, a table of jsonb cannot be moved to bson as doc/migrating.md says: answers change, or a write that
# another session made meanwhile is lost.
#
# BSON_MIGRATION_ROWS (50000) is the number of orders.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use Time::HiRes qw(time sleep);
use BsonTest;

my $rows = $ENV{BSON_MIGRATION_ROWS} || 50000;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "max_wal_size = 4GB\nautovacuum = off\ntimezone = 'UTC'");
$node->start;

# What depends on the column: rules of the table that use its operators, and what is made of it elsewhere
my %depends = (
	view => q{VIEW open_orders%s AS SELECT id, %s -> 'customer' AS customer, %s -> 'lines' AS lines FROM orders WHERE %s ->> 'status' = 'open'},
	matview => q{MATERIALIZED VIEW city_totals%s AS SELECT %s ->> 'city' AS city, count(*) AS n, sum((%s ->> 'total')::numeric) AS total FROM orders WHERE %s ? 'city' GROUP BY 1});
my $policy = q{CREATE POLICY tenant ON orders USING (data ->> 'tenant' = current_setting('app.tenant', true)) WITH CHECK (true);};
my $trigger = q{CREATE TRIGGER status AFTER UPDATE ON orders FOR EACH ROW WHEN (OLD.data ->> 'status' IS DISTINCT FROM NEW.data ->> 'status') EXECUTE FUNCTION note_status();};

sub create
{
	my ($kind, $suffix, $column) = @_;
	my ($head, @rest) = split /%s/, $depends{$kind};

	return "CREATE $head$suffix" . shift(@rest) . join($column, '', @rest) . ';';
}

$node->safe_psql('postgres', qq{
	CREATE EXTENSION bson;
	CREATE ROLE clerk;
	CREATE TABLE customer (id int PRIMARY KEY, name text);
	INSERT INTO customer SELECT i, 'customer ' || i FROM generate_series(0, 499) AS i;
	CREATE TABLE orders (id int PRIMARY KEY, customer int NOT NULL REFERENCES customer, data jsonb NOT NULL,
		total numeric GENERATED ALWAYS AS ((data ->> 'total')::numeric) STORED,
		CONSTRAINT has_status CHECK (data ? 'status')) PARTITION BY RANGE (id);
	CREATE TABLE orders_1 PARTITION OF orders FOR VALUES FROM (0) TO ($rows / 2);
	CREATE TABLE orders_2 PARTITION OF orders FOR VALUES FROM ($rows / 2) TO (MAXVALUE);
	CREATE TABLE shipment (order_id int REFERENCES orders, sent date);
	CREATE TABLE status_change (id int, before text, after text);
	CREATE TABLE done (id int, amount int);
	INSERT INTO orders (id, customer, data) SELECT i, i % 500, jsonb_strip_nulls(jsonb_build_object('status', (ARRAY['open', 'paid', 'sent', 'lost'])[1 + i % 4],
		'tenant', 't' || i % 10, 'customer', jsonb_build_object('id', i % 500, 'name', 'Customer ' || i % 500), 'n', 0, 'total', i % 1000 + 0.25,
		'at', to_char(timestamp '2024-01-01' + make_interval(mins => i), 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), 'city', CASE WHEN i % 7 > 0 THEN 'City ' || i % 70 END,
		'rush', i % 5 = 0, 'lines', (SELECT jsonb_agg(jsonb_build_object('item', 'item ' || (i + j) % 300, 'n', j, 'price', (i + j) % 100 + 0.5)) FROM generate_series(1, 1 + i % 4) AS j)))
		FROM generate_series(1, $rows) AS i;
	INSERT INTO shipment SELECT i, '2024-02-01' FROM generate_series(1, $rows, 10) AS i;
	CREATE FUNCTION note_status() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO status_change VALUES (NEW.id, OLD.data ->> ''status'', NEW.data ->> ''status''); RETURN NULL; END';
	CREATE INDEX orders_name ON orders ((data #>> '{customer,name}'));
	CREATE INDEX orders_open ON orders ((data ->> 'at')) WHERE data ->> 'status' = 'open';
	CREATE INDEX orders_any ON orders USING gin (data);
	CREATE INDEX orders_path ON orders USING gin (data jsonb_path_ops);
	CREATE STATISTICS orders_stat ON (data ->> 'city'), (data ->> 'status') FROM orders_1;
	$trigger
	ALTER TABLE orders ENABLE ROW LEVEL SECURITY;
	$policy
	GRANT SELECT ON orders TO clerk;} . create('view', '', 'data') . create('matview', '', 'data') . q{GRANT SELECT ON open_orders TO clerk; ANALYZE;});
$node->safe_psql('template1', 'CREATE DATABASE by_alter TEMPLATE postgres');
$node->safe_psql('template1', 'CREATE DATABASE online TEMPLATE postgres');

# Queries that an application of jsonb has; the writer changes only the field n and the status of some
my @queries = (
	q{SELECT count(*), sum(total) FROM orders},
	q{SELECT data ->> 'city', count(*) FROM orders GROUP BY 1 ORDER BY 1},
	q{SELECT data -> 'customer' ->> 'name', sum((data ->> 'total')::numeric) FROM orders GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 10},
	q{SELECT id FROM orders WHERE data #>> '{customer,name}' = 'Customer 17' ORDER BY id},
	q{SELECT count(*) FROM orders WHERE data @> '{"rush": true}'},
	q{SELECT count(*) FROM orders WHERE data @> '{"customer": {"id": 5}}'},
	q{SELECT count(*) FROM orders WHERE data @> '{"lines": [{"item": "item 7"}]}'},
	q{SELECT count(*) FROM orders WHERE data ? 'city'},
	q{SELECT count(*) FROM orders WHERE data ?| ARRAY['city', 'none']},
	q{SELECT count(*) FROM orders WHERE data ?& ARRAY['city', 'none']},
	q{SELECT count(*) FROM orders WHERE data @? '$.lines[*] ? (@.price > 95)'},
	q{SELECT count(*) FROM orders WHERE data @@ '$.total > 990'},
	q{SELECT count(*) FROM orders WHERE (data ->> 'total')::numeric BETWEEN 10 AND 20},
	q{SELECT count(*) FROM orders WHERE (data -> 'rush')::boolean},
	q{SELECT count(*) FROM orders WHERE data -> 'customer' -> 'id' = '17'},
	q{SELECT count(*) FROM orders WHERE data -> 'lines' -> 0 ->> 'item' = 'item 9'},
	q{SELECT count(*) FROM orders WHERE data -> 'lines' -> -1 ->> 'n' = '4'},
	q{SELECT count(*) FROM orders WHERE data['customer']['id'] = '17'},
	q{SELECT id, data ->> 'at' FROM orders WHERE data ->> 'status' = 'lost' ORDER BY data ->> 'at' DESC LIMIT 10},
	q{SELECT min((data ->> 'at')::timestamptz), max((data ->> 'at')::timestamptz) FROM orders},
	q{SELECT date_trunc('day', (data ->> 'at')::timestamptz), count(*) FROM orders GROUP BY 1 ORDER BY 1},
	q{SELECT count(*) FROM orders WHERE data #> '{lines,0,price}' > '90'},
	q{SELECT id, data - 'n' - 'lines' FROM orders WHERE id < 20 AND data ->> 'status' = 'sent' ORDER BY 1},
	q{SELECT (data - 'n') || '{"seen": true}' FROM orders WHERE id = 3},
	q{SELECT data #- '{lines,0}' #- '{n}' FROM orders WHERE id = 7},
	q{SELECT o.data ->> 'at', c.name FROM orders AS o JOIN customer AS c ON c.id = (o.data #>> '{customer,id}')::int WHERE o.id < 30 ORDER BY o.id},
	q{SELECT count(*) FROM orders AS o JOIN shipment AS s ON s.order_id = o.id WHERE o.data ->> 'city' = 'City 3'},
	q{SELECT DISTINCT data -> 'tenant' FROM orders ORDER BY 1},
	q{SELECT data ->> 'tenant', percentile_cont(0.5) WITHIN GROUP (ORDER BY (data ->> 'total')::float8) FROM orders GROUP BY 1 ORDER BY 1},
	q{SELECT id, rank() OVER (PARTITION BY data ->> 'city' ORDER BY (data ->> 'total')::numeric DESC, id) FROM orders WHERE data ->> 'city' IN ('City 1', 'City 2') ORDER BY 1 LIMIT 30},
	q{SELECT * FROM open_orders WHERE id % 1000 = 404 ORDER BY 1},
	q{REFRESH MATERIALIZED VIEW city_totals; SELECT * FROM city_totals ORDER BY 1},
	q{SET ROLE clerk; SET app.tenant = 't4'; SELECT count(*), min(data ->> 'tenant'), max(data ->> 'tenant') FROM orders});
is(scalar @queries, 33, 'there are 33 queries');

# jsonb sorts the keys of an object, shorter ones first; a cast to jsonb makes texts comparable
sub answers
{
	my ($db) = @_;
	my @lines = split /\n/, $node->safe_psql($db, join '', map { "$_;\n\\echo --\n" . "RESET ROLE;\n" } @queries);

	return map { $_ =~ s/ *(\{.*\}|\[.*\])/canonical($1)/er } @lines;
}

sub canonical { return join ' ', sort split /[ ,{}\[\]:]+/, $_[0] }

my $dir = PostgreSQL::Test::Utils::tempdir();
PostgreSQL::Test::Utils::append_to_file("$dir/write.sql", qq{
\\set id random(1, $rows)
\\set amount random(1, 9)
BEGIN;
UPDATE orders SET data = data || jsonb_build_object('n', (data ->> 'n')::int + :amount) WHERE id = :id;
INSERT INTO done VALUES (:id, :amount);
END;
});

# Run statements while two sessions write; return the longest time that one of their transactions took, in milliseconds
sub under_writers
{
	my ($db, @steps) = @_;
	my $log = "$dir/$db";
	# a file, as nobody reads a pipe meanwhile
	my $writer = IPC::Run::start([ 'pgbench', '-n', '-c', 2, '-T', 300, '-l', "--log-prefix=$log", '-f', "$dir/write.sql", $node->connstr($db) ],
		'>', "$log.out", '2>', "$log.err");

	sleep 0.5;
	foreach my $step (@steps)
	{
		my $begin = time;

		$node->safe_psql($db, $step);
		note(sprintf '%6d ms: %s', 1000 * (time - $begin), $step =~ s/\s+/ /gr =~ s/^(.{100}).*/$1/r);
	}
	sleep 0.5;
	# pgbench ends and is content with what it has written
	$writer->signal('TERM');
	eval { $writer->finish };
	my $out = PostgreSQL::Test::Utils::slurp_file("$log.err");
	unlike($out, qr/error|aborted/i, "$db: no writer met an error") or diag(substr $out, 0, 1000);
	# the server ends what pgbench had begun
	$node->poll_query_until($db, q{SELECT count(*) = 0 FROM pg_stat_activity WHERE application_name = 'pgbench'});

	my ($longest, $count) = (0, 0);
	foreach my $file (glob("$log.[0-9]*"))
	{
		foreach my $line (split /\n/, PostgreSQL::Test::Utils::slurp_file($file))
		{
			my $time = (split / /, $line)[2];

			$longest = $time if $time > $longest;
			$count++;
		}
	}
	cmp_ok($count, '>', 100, "$db: they wrote $count times");
	return $longest / 1000;
}

sub is_moved
{
	my ($db, @before) = @_;

	is_deeply([ answers($db) ], \@before, "$db: the answers are those of jsonb");
	is($node->safe_psql($db, q{SELECT atttypid::regtype FROM pg_attribute WHERE attrelid = 'orders_2'::regclass AND attname = 'data'}), 'bson', "$db: the column is a bson");
	is( $node->safe_psql($db, q{
			SELECT count(*) FROM orders LEFT JOIN (SELECT id, sum(amount) AS n FROM done GROUP BY 1) AS d USING (id) WHERE (data ->> 'n')::int <> coalesce(d.n, 0)}),
		'0', "$db: no write is lost");
	is($node->safe_psql($db, q{SELECT count(*) FROM orders WHERE total IS DISTINCT FROM (data ->> 'total')::numeric}), '0', "$db: the calculated column is right");
	is($node->safe_psql($db, q{UPDATE orders SET data = data || '{"status": "back", "total": 7}' WHERE id = 4; SELECT total FROM orders WHERE id = 4; TABLE status_change}),
		"7\n4|open|back", "$db: triggers go on");
	isnt($node->psql($db, q{INSERT INTO orders (id, customer, data) VALUES (0, 9999, '{"status": "open"}')}), 0, "$db: the foreign key is there");
	isnt($node->psql($db, q{INSERT INTO orders (id, customer, data) VALUES (0, 1, '{}')}), 0, "$db: and the CHECK");
	foreach my $pair ([ 'orders_\w*name|orders_\w*expr', q{data #>> '{customer,name}' = 'Customer 17'} ], [ 'open|at|expr', q{data ->> 'status' = 'open' AND data ->> 'at' < '2024-01-01T01'} ],
		[ 'path|any|data', q{data @> '{"customer": {"id": 5}, "lines": [{"item": "item 7"}]}'} ])
	{
		# a small table is read as a whole
		my $set = $rows < 20000 ? 'SET enable_seqscan = off; ' : '';

		like($node->safe_psql($db, "${set}EXPLAIN (COSTS OFF) SELECT * FROM orders_1 WHERE $pair->[1]"), qr/Index.*($pair->[0])/, "$db: an index serves $pair->[1]");
	}
}

$node->safe_psql($_, 'VACUUM ANALYZE') foreach ('by_alter', 'online');
my @before = answers('postgres');

# By ALTER TABLE: what stands in the way is dropped and made again, in the same transaction
my $alter = under_writers('by_alter', qq{
	BEGIN;
	DROP VIEW open_orders; DROP MATERIALIZED VIEW city_totals; DROP POLICY tenant ON orders; DROP TRIGGER status ON orders;
	DROP INDEX orders_path; ALTER TABLE orders DROP total;
	ALTER TABLE orders ALTER data TYPE bson;
	ALTER TABLE orders ADD total numeric GENERATED ALWAYS AS ((data ->> 'total')::numeric) STORED;
	CREATE INDEX orders_path ON orders USING gin (data bson_path_ops);
	$trigger $policy } . create('view', '', 'data') . create('matview', '', 'data') . q{ GRANT SELECT ON open_orders TO clerk;
	COMMIT;
	ANALYZE orders;});
is_moved('by_alter', @before);

# Online: a second column, filled by a trigger and in batches, and then the names are exchanged
my @indexes = (
	[ 'name', q{((data_new #>> '{customer,name}'))} ],
	[ 'open', q{((data_new ->> 'at')) WHERE data_new ->> 'status' = 'open'} ],
	[ 'any', 'USING gin (data_new)' ],
	[ 'path', 'USING gin (data_new bson_path_ops)' ]);
my @concurrent = map {
	my ($name, $what) = @$_;
	("CREATE INDEX orders_new_$name ON ONLY orders $what",
		map { ("CREATE INDEX CONCURRENTLY orders_${_}_new_$name ON orders_$_ $what", "ALTER INDEX orders_new_$name ATTACH PARTITION orders_${_}_new_$name") } 1, 2)
} @indexes;
my $swap = under_writers('online',
	q{BEGIN; SET LOCAL lock_timeout = '5s';
	ALTER TABLE orders ADD data_new bson, ADD total_new numeric;
	CREATE FUNCTION fill_new() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.data_new := NEW.data; NEW.total_new := (NEW.data ->> ''total'')::numeric; RETURN NEW; END';
	CREATE TRIGGER fill_new BEFORE INSERT OR UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION fill_new();
	COMMIT;},
	qq{DO \$\$ BEGIN
		FOR i IN 0 .. $rows / 1000 LOOP
			UPDATE orders SET data_new = data WHERE id >= i * 1000 AND id < (i + 1) * 1000 AND data_new IS NULL;
			COMMIT;
		END LOOP;
	END \$\$;},
	q{ALTER TABLE orders ADD CONSTRAINT new_filled CHECK (data_new IS NOT NULL AND data_new ? 'status') NOT VALID},
	q{ALTER TABLE orders VALIDATE CONSTRAINT new_filled},
	@concurrent,
	create('view', '_new', 'data_new'), create('matview', '_new', 'data_new') . 'GRANT SELECT ON open_orders_new TO clerk',
	q{ANALYZE orders},
	qq{BEGIN; SET LOCAL lock_timeout = '5s';
	LOCK TABLE orders IN ACCESS EXCLUSIVE MODE;
	DROP VIEW open_orders; DROP MATERIALIZED VIEW city_totals; DROP POLICY tenant ON orders; DROP TRIGGER status ON orders; DROP TRIGGER fill_new ON orders;
	ALTER VIEW open_orders_new RENAME TO open_orders; ALTER MATERIALIZED VIEW city_totals_new RENAME TO city_totals;
	ALTER TABLE orders DROP total, DROP data;
	ALTER TABLE orders RENAME data_new TO data; ALTER TABLE orders RENAME total_new TO total;
	ALTER TABLE orders ALTER data SET NOT NULL;
	CREATE FUNCTION fill_total() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.total := (NEW.data ->> ''total'')::numeric; RETURN NEW; END';
	CREATE TRIGGER fill_total BEFORE INSERT OR UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION fill_total();
	$trigger $policy
	COMMIT;});
is_moved('online', @before);

diag(sprintf 'of %d orders the longest wait of a writer was %d ms by ALTER, %d ms online', $rows, $alter, $swap);
cmp_ok($swap, '<', $alter, 'online no writer waits as long as by ALTER') if $rows >= 20000;

$node->stop;
done_testing();
