"""tools.py CACHE TREE: do tools make of a bson what the table of doc/drivers.md says?

Each row is a tool, what it needs, a program for it, and what this prints.  "ok tools/NAME", "not ok tools/NAME", or
"skipped tools/NAME: why".  PGHOST and its like name the server; what PyPI has is in the environment that runs this,
the others are Debian's packages.  CACHE has the clients' tests, some of which are repeated behind PgBouncer, and
TREE is test/clients.
"""
import contextlib
import glob
import importlib.util
import os
import pathlib
import pwd
import shutil
import subprocess
import sys
import tempfile
import time

import psycopg

TEXT = '{"_id": {"$oid": "5f2b1c3d4e5f60718293a4b5"}, "n": {"$numberLong": "15"}, "long": "' + 'x' * 300 + '"}'
JSON = TEXT.replace('{"$numberLong": "15"}', '15')
DRIVER = ['found ' + TEXT, 'json 15']
# what the programs find in their environment
HERE = dict(GO=os.path.abspath(f'{sys.argv[2]}/../../clients/go'), QUERY='SELECT data, data::json AS json FROM tools_doc', PART='{"n": 15}', BYTES='SELECT data::bytea AS data FROM tools_doc',
            URL='postgresql://{PGUSER}@localhost:{PGPORT}/{PGDATABASE}?host={PGHOST}'.format(**os.environ))
PYTHON = [sys.executable, '-c']
READ = 'from os import environ; QUERY, PART, BYTES, URL = map(environ.get, ("QUERY", "PART", "BYTES", "URL"))'

PANDAS = READ + '''
import pandas, psycopg
row = pandas.read_sql(QUERY, psycopg.connect()).iloc[0]
print("found", row["data"]); print("json", row["json"]["n"])
'''
POLARS = READ + '''
import polars, psycopg
frame = polars.read_database(QUERY, psycopg.connect())
print("found", frame["data"][0]); print("json", frame["json"].struct.field("n")[0])
'''
ADBC = READ + '''
import adbc_driver_postgresql.dbapi
with adbc_driver_postgresql.dbapi.connect(URL) as connection, connection.cursor() as cursor:
    cursor.execute(QUERY)
    fetched = cursor.fetch_arrow_table()
    print(fetched.schema.field(0).type, fetched[1][0])
    cursor.execute(BYTES)
    print("bytes", cursor.fetchone()[0] == fetched[0][0].as_py())
'''
CONNECTORX = READ + '''
import connectorx
print("json", connectorx.read_sql(URL, "SELECT data::json FROM tools_doc").iloc[0, 0])
print(len(connectorx.read_sql(URL, BYTES)["data"][0]), "bytes")
connectorx.read_sql(URL, "SELECT data FROM tools_doc")
'''
DUCKDB = READ + '''
import duckdb, duckdb_extension_postgres_scanner as scanner
duckdb.sql(f"LOAD '{scanner.__path__[0]}/extensions/v{duckdb.__version__}/postgres_scanner.duckdb_extension'")
duckdb.sql(f"ATTACH '{URL}' AS pg (TYPE postgres)")
print("found", duckdb.sql("SELECT data FROM pg.tools_doc").fetchone()[0])
print("json", duckdb.sql(f"SELECT json ->> '$.n' FROM postgres_query('pg', '{QUERY}')").fetchone()[0])
print(len(duckdb.sql(f"SELECT data FROM postgres_query('pg', '{BYTES}')").fetchone()[0]), "bytes")
'''
DBT = '''
mkdir models
cat >dbt_project.yml <<END
{name: p, profile: p, models: {p: {+materialized: table}}, flags: {send_anonymous_usage_stats: false}}
END
cat >profiles.yml <<END
p: {target: t, outputs: {t: {type: postgres, host: $PGHOST, port: $PGPORT, user: $PGUSER, password: none, dbname: $PGDATABASE, schema: public, threads: 1}}}
END
cat >models/tools_table.sql <<END
SELECT * FROM tools_doc
END
cat >models/tools_more.sql <<END
{{ config(materialized='incremental', unique_key='id') }} SELECT * FROM {{ ref('tools_table') }}
END
cat >models/tools.yml <<END
{models: [{name: tools_more, columns: [{name: data, data_tests: [unique, not_null]}]}]}
END
"$0" run && "$0" run && "$0" test && psql -Xc "SELECT pg_typeof(data), count(*) OVER () FROM tools_more"
'''
PDO = '''
$s = (new PDO("pgsql:"))->prepare(getenv("QUERY") . " WHERE data @> ? AND data ?? 'n'");
$s->execute([getenv("PART")]);
$row = $s->fetch();
echo "found ", $row["data"], "\njson ", json_decode($row["json"])->n;
'''
RUBY = '''
row = PG.connect.exec_params(ENV["QUERY"] + " WHERE data @> $1", [ENV["PART"]])[0]
puts "found " + row["data"], "json #{JSON.parse(row["json"])["n"]}"
'''
PERL = '''
my $row = DBI->connect("dbi:Pg:")->selectrow_hashref("$ENV{QUERY} WHERE data @> ?", undef, $ENV{PART});
print "found $row->{data}\njson ", decode_json($row->{json})->{n};
'''
ODBC = READ + '''
import json, pyodbc
cursor = pyodbc.connect("DRIVER={PostgreSQL Unicode};Server=%(PGHOST)s;Port=%(PGPORT)s;Database=%(PGDATABASE)s;UID=%(PGUSER)s" % environ).cursor()
row = cursor.execute(QUERY + " WHERE data @> ?", PART).fetchone()
print("found", row[0]); print("json", json.loads(row[1])["n"]); print("described", cursor.description[0][3])
print(len(cursor.execute(BYTES).fetchone()[0]), "bytes")
'''
ACTIVERECORD = '''
ActiveRecord::Base.establish_connection(adapter: "postgresql", host: ENV["PGHOST"], port: ENV["PGPORT"], username: ENV["PGUSER"], database: ENV["PGDATABASE"])
class Plain < ActiveRecord::Base; self.table_name = "tools_doc"; end
class Doc < ActiveRecord::Base; self.table_name = "tools_doc"; attribute :data, :json; end
puts "found #{Plain.first.data}", Plain.first.data.class
doc = Doc.first
doc.data["more"] = [1, nil]
doc.save!
puts Doc.connection.select_value("SELECT bson_typeof(data -> '_id') || ' ' || (data ->> 'more') FROM tools_doc")
ActiveRecord::SchemaDumper.dump(Doc.connection, $stdout)
'''
REPACK = '''
psql -Xqc "CREATE EXTENSION IF NOT EXISTS pg_repack" -c "CREATE INDEX ON tools_doc USING gin (data bson_range_ops)" &&
"$0" -t tools_doc && psql -XAtc "SET enable_seqscan = off" -c "$QUERY WHERE data @> '$PART'"
'''
# without and with a type of its own for bson; the program is one of the module of the tests of Go
SQLC = r'''
cp "$GO"/tests/go.mod "$GO"/tests/go.sum . && sed -i "s|=> \.\.|=> $GO|" go.mod || exit
echo 'CREATE TABLE tools_doc (id int PRIMARY KEY, data bson);' >schema.sql
echo '-- name: Find :many
SELECT data FROM tools_doc WHERE data @> $1;' >query.sql
cat >sqlc.json <<END
{"version": "2", "sql": [
  {"engine": "postgresql", "schema": "schema.sql", "queries": "query.sql", "gen": {"go": {"out": "plain", "sql_package": "pgx/v5"}}},
  {"engine": "postgresql", "schema": "schema.sql", "queries": "query.sql", "gen": {"go": {"out": "typed", "sql_package": "pgx/v5", "overrides": [
     {"db_type": "bson", "nullable": true, "go_type": "go.mongodb.org/mongo-driver/v2/bson.M"}]}}}]}
END
cat >main.go <<END
package main

import (
	"bson.example/pgbson"
	"bson.example/pgbson/tests/plain"
	"bson.example/pgbson/tests/typed"
	"context"
	"fmt"
	"github.com/jackc/pgx/v5"
	"go.mongodb.org/mongo-driver/v2/bson"
	"os"
)

func main() {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, os.Getenv("DATABASE_DSN"))
	if err == nil {
		err = pgbson.Register(ctx, conn)
	}
	if err != nil {
		panic(err)
	}
	part := bson.M{"n": 15}
	documents, err := plain.New(conn).Find(ctx, part)
	fmt.Printf("%T %v\\n", documents[0].(bson.D)[1].Value, err)
	maps, err := typed.New(conn).Find(ctx, part)
	fmt.Printf("%T %T %v\\n", maps[0], maps[0]["n"], err)
}
END
"$0" generate && grep -h Data plain/models.go typed/models.go && GOFLAGS=-mod=mod GOPROXY=off go run .
'''
# behind PgBouncer in transaction mode, where others use the two connections to the server
TRANSACTION = '''
import asyncio, threading, asyncpg, pg8000.dbapi, pg_bson, psycopg, psycopg2
from common import DSN, PG8000, SENT, kinds

def others():
    with psycopg.connect(DSN, autocommit=True, prepare_threshold=None) as connection:
        while not done.is_set():
            connection.execute("SELECT pg_sleep(0.002)")

def use(connection, autocommit=True):
    connection.autocommit = autocommit
    pg_bson.register(connection)
    connection.commit()
    cursor = connection.cursor()
    for _ in range(30):
        cursor.execute("SELECT CAST(%s AS bson)", [pg_bson.Bson(SENT)])
        assert kinds(cursor.fetchone()[0]) == kinds(SENT)
        connection.commit()
    connection.close()

async def use_asyncpg():
    connection = await asyncpg.connect(statement_cache_size=0)
    await pg_bson.register(connection)
    for _ in range(30):
        assert kinds(await connection.fetchval("SELECT $1::bson", SENT)) == kinds(SENT)
    await connection.close()

done = threading.Event()
threads = [threading.Thread(target=others) for _ in range(2)]
for thread in threads: thread.start()
try:
    use(psycopg.connect(DSN, prepare_threshold=None)); print("psycopg")
    use(psycopg2.connect(DSN)); print("psycopg2")
    asyncio.run(use_asyncpg()); print("asyncpg")
    use(pg8000.dbapi.connect(**PG8000), autocommit=False); print("pg8000, transactions")
    use(pg8000.dbapi.connect(**PG8000))
finally:
    done.set()
'''

# tool, the module or the program that it needs, Debian's package, the command, its input, what it prints
ROWS = [
    ('pgcli', 'pgcli', '', [f'{sys.prefix}/bin/pgcli', '--pgclirc', './pgclirc'], 'SELECT data FROM tools_doc;\n', [TEXT]),
    ('pandas', 'pandas', '', PYTHON + [PANDAS], '', DRIVER),
    ('polars', 'polars', '', PYTHON + [POLARS], '', DRIVER),
    ('ADBC', 'adbc_driver_postgresql', '', PYTHON + [ADBC], '', ['type_name=bson', JSON, 'bytes True']),
    ('ConnectorX', 'connectorx', '', PYTHON + [CONNECTORX], '', ['json {"_id":', '344 bytes', 'not implemented: bson']),
    ('DuckDB', 'duckdb', '', PYTHON + [DUCKDB], '', DRIVER + ['344 bytes']),
    ('dbt', 'dbt.adapters.postgres', '', ['sh', '-c', DBT, f'{sys.prefix}/bin/dbt'], '', ['PASS=2', ' bson      |     1']),
    ('sqlc', f'{sys.prefix}/bin/sqlc' if shutil.which('go') else '/go', 'golang', ['sh', '-c', SQLC, f'{sys.prefix}/bin/sqlc'], '',
     ['Data interface{}', 'Data bson.M', 'int64 <nil>', 'bson.M int64 <nil>']),
    ("PHP's PDO", '/usr/lib/php/*/pdo_pgsql.so', 'php-cli php-pgsql', ['php', '-r', PDO], '', DRIVER),
    ("Ruby's pg", '/usr/lib/ruby/vendor_ruby/pg.rb', 'ruby-pg', ['ruby', '-rpg', '-rjson', '-e', RUBY], '', DRIVER),
    ("Perl's DBD::Pg", '/usr/lib/*/perl5/*/DBD/Pg.pm', 'libdbd-pg-perl', ['perl', '-MDBI', '-MJSON::PP', '-e', PERL], '', DRIVER),
    ('ODBC', '/usr/lib/*/odbc/psqlodbcw.so', 'odbc-postgresql', PYTHON + [ODBC], '', DRIVER + ['described 255', '344 bytes']),
    ('ActiveRecord', '/usr/share/rubygems-integration/all/specifications/activerecord-*', 'ruby-activerecord ruby-pg', ['ruby', '-ractive_record', '-e', ACTIVERECORD], '',
     ['found ' + TEXT, 'String', 'treated as String', 'objectId [1, null]', 'Could not dump table "tools_doc"']),
    ('pg_repack', '/usr/lib/postgresql/*/bin/pg_repack', 'postgresql-15-repack', ['sh', '-c', REPACK], '', ['repacking table "public.tools_doc"', TEXT]),
]


def there(need):
    if need.startswith('/'):
        return sorted(glob.glob(need))[-1:]
    try:
        return [need] if importlib.util.find_spec(need) else []
    except ModuleNotFoundError:
        return []


def prepare():
    with psycopg.connect(autocommit=True) as connection:
        connection.execute('DROP TABLE IF EXISTS tools_doc')
        connection.execute('CREATE TABLE tools_doc (id int PRIMARY KEY, data bson)')
        connection.execute('INSERT INTO tools_doc VALUES (1, %s)', [TEXT])


def run(name, command, stdin, wanted, failed, **more):
    done = subprocess.run(command, input=stdin, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    lacking = [each for each in wanted if each not in done.stdout]
    print(f'ok tools/{name}' if not lacking else f'{done.stdout}\nnot ok tools/{name}: it does not print {lacking}', flush=True)
    return failed or bool(lacking)


@contextlib.contextmanager
def pgbouncer(mode):
    """A PgBouncer before the server: the environment that leads to it."""
    with tempfile.TemporaryDirectory() as place:
        owner = pwd.getpwuid(os.stat(os.environ['PGHOST']).st_uid)          # it does not run as root
        os.chown(place, owner.pw_uid, -1)
        pathlib.Path(place, 'ini').write_text(
            '[databases]\n* = host={PGHOST} port={PGPORT} user={PGUSER}\n'.format(**os.environ) +
            f'[pgbouncer]\nunix_socket_dir = {place}\nlisten_port = 6432\nauth_type = any\npool_mode = {mode}\n'
            f'default_pool_size = {2 if mode == "transaction" else 20}\nignore_startup_parameters = extra_float_digits\n')
        change = ['-u', owner.pw_name] if os.getuid() == 0 else []
        with subprocess.Popen(['/usr/sbin/pgbouncer', '-q', *change, f'{place}/ini'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            try:
                while not os.path.exists(f'{place}/.s.PGSQL.6432') and process.poll() is None:
                    time.sleep(0.1)
                yield {**os.environ, 'PGHOST': place, 'PGPORT': '6432', 'DATABASE_DSN': 'host={} port=6432 user={PGUSER} dbname={PGDATABASE}'.format(place, **os.environ)}
            finally:
                process.terminate()


def behind_pgbouncer(cache, tree):
    """What the clients whose tests are prepared here keep, which conformance compares; and transaction mode."""
    failed = False
    for client, command in {'python': 'venv/bin/python tests/conformance.py', 'node': 'node tests/conformance.js', 'go': 'cd tests && go test -count=1 -run Conformance .',
                            'rust': 'RUST_MIN_STACK=8388608 cargo test --quiet --offline --features postgres --test conformance'}.items():
        if os.path.exists(f'{cache}/{client}/prepared') or os.path.exists(f'{cache}/{client}/lock'):
            with pgbouncer('session') as where:
                failed = run(f'PgBouncer, session, {client}', ['sh', '-c', command + ' && echo done'], '', ['done'], failed, cwd=f'{cache}/{client}', env=where)
    failed = run('PgBouncer, session', [f'{tree}/conformance'], '', ['ok conformance, '], failed)
    if os.path.exists(f'{cache}/python/prepared'):
        with pgbouncer('transaction') as where:
            failed = run('PgBouncer, transaction', [f'{cache}/python/venv/bin/python', '-c', TRANSACTION], '', ['psycopg\npsycopg2\nasyncpg\npg8000, transactions\n', 'prepared statement'], failed,
                         env={**where, 'PYTHONPATH': f'{cache}/python/tests'})
    return failed


page = pathlib.Path(sys.argv[2], '../../doc/drivers.md').read_text()
failed = False
os.environ.update(HERE)
for name, need, package, command, stdin, wanted in ROWS:
    found = there(need)
    if f' {name}' not in page:
        print(f'not ok tools/{name}: doc/drivers.md does not name it')
        failed = True
    if not found:
        print(f'skipped tools/{name}: {need} is not there{package and f": apt-get install {package}"}')
        continue
    prepare()
    with tempfile.TemporaryDirectory() as place:
        failed = run(name, command + found * (name == 'pg_repack'), stdin, wanted, failed, cwd=place)
if not there('/usr/sbin/pgbouncer') or not os.environ['PGHOST'].startswith('/'):
    print('skipped tools/PgBouncer: it or a socket of the server is not there: apt-get install pgbouncer')
else:
    failed = behind_pgbouncer(*sys.argv[1:]) or failed
sys.exit(failed)
