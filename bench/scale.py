#!/usr/bin/env python3
"""As data outgrows the caches: the same statements on tables of several sizes, bson beside jsonb.

    bench/start scale [ROWS...] [--rounds N] [--keep]

ROWS are sizes of tables of documents of 1 kB, 30,000 and 300,000 if none is given; 3000000 takes 30 GB.  Statements
run interleaved, each competitor in a session of its own, by the backend's processor time, and those that write by the clock as
well; a ratio is the median over the rounds.  Results go to scale.md in RESULTS (bench/results).
"""
import argparse
import os
import statistics
import time

from harness import CLOCK, DATABASE, Failure, Progress, SETTINGS, Session, WALL, drop_database, make_database, measure, psql, publish, ratio
from report import table

TYPES = ('jsonb', 'bson')

# An order of a shop: 17 fields, two to five items, texts, numbers, a date as text
DOCUMENTS = '''SELECT i AS id, json_build_object('_id', lpad(to_hex(i), 24, '0'), 'customer', 'customer' || i::bigint * 7919 % {people}, 'email', 'user' || i::bigint * 7919 % {people} || '@example.org',
    'status', (ARRAY['new', 'paid', 'sent', 'returned'])[i % 4 + 1], 'paid', i % 3 > 0, 'created', to_char(timestamp '2024-01-01' + i * interval '97 s', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
    'total', i::bigint * 104729 % 5000000 / 100.0, 'currency', (ARRAY['EUR', 'USD', 'GBP'])[i % 3 + 1],
    'address', json_build_object('street', substr(md5('s' || i), 1, 14) || ' ' || i % 200, 'city', 'City ' || i % 300, 'zip', lpad((i::bigint * 31 % 100000)::text, 5, '0'), 'country', (ARRAY['DE', 'FR', 'US', 'GB', 'CZ'])[i % 5 + 1]),
    'items', (SELECT json_agg(json_build_object('sku', 'SKU-' || (i::bigint * 3 + k * k) % {people}, 'name', 'Thing ' || (i::bigint * 3 + k * k) % {people}, 'quantity', k, 'price', (i::bigint + k) * 37 % 20000 / 100.0)) FROM generate_series(1, 2 + i % 4) AS k),
    'tags', json_build_array('t' || i % 17, 't' || i % 23), 'note', md5('n' || i) || ' ' || md5('m' || i) || ' ' || md5('o' || i) || ' ' || md5('p' || i),
    'agent', 'Mozilla/5.0 (X11; Linux x86_64) Release/' || i % 90, 'ip', '10.' || i % 251 || '.' || i / 251 % 251 || '.' || i % 13, 'version', 3, 'referrer', 'https://shop.example.org/' || i % 400 || '/' || i % 7)::text AS data
    FROM generate_series(1, {rows}) AS i'''

# (what, the statement, what goes before it, after it): {table}, {t}
LOAD = ('loading', 'INSERT INTO loaded SELECT id, data::{t} FROM text_doc', 'CREATE TEMP TABLE IF NOT EXISTS loaded (id int, data {t}); TRUNCATE loaded;', 'TRUNCATE loaded;')
SCANS = (
    ('scan: an early key', "SELECT count(*) FROM {table} WHERE data ->> 'customer' = 'customer7'", '', ''),
    ('scan: a late key', "SELECT count(*) FROM {table} WHERE data ->> 'referrer' = 'x'", '', ''),
    ('scan: three keys', "SELECT count(*) FROM {table} WHERE data ->> 'status' = 'x' OR data ->> 'currency' = 'x' OR data -> 'address' ->> 'city' = 'x'", '', ''),
    ('scan: a total of numbers by groups', "SELECT data ->> 'status', sum((data ->> 'total')::numeric) FROM {table} GROUP BY 1", '', ''),
    ('scan: containment', "SELECT count(*) FROM {table} WHERE data @> '{{\"address\": {{\"zip\": \"00031\"}}}}'", '', ''))
INDEXES = (
    ('building an index of a key', "CREATE INDEX {table}_key ON {table} ((data ->> 'customer'))", 'DROP INDEX IF EXISTS {table}_key;', ''),
    ('building the GIN index, path class', 'CREATE INDEX {table}_path ON {table} USING gin (data {t}_path_ops)', 'DROP INDEX IF EXISTS {table}_path;', ''),
    ('building the GIN index, default', 'CREATE INDEX {table}_gin ON {table} USING gin (data)', 'DROP INDEX IF EXISTS {table}_path, {table}_gin;', ''))
FINDS = (
    ('by the index of a key', "SELECT data ->> 'total' FROM {table} WHERE data ->> 'customer' = 'customer7'", '', ''),
    ('by GIN: a string', "SELECT count(*) FROM {table} WHERE data @> '{{\"customer\": \"customer7\"}}'", '', ''),
    ('by GIN: an element', "SELECT count(*) FROM {table} WHERE data @> '{{\"items\": [{{\"sku\": \"SKU-77\"}}]}}'", '', ''),
    ('by GIN: a twelfth of the rows', "SELECT count(*) FROM {table} WHERE data @> '{{\"status\": \"paid\", \"currency\": \"USD\"}}'", '', ''))
# before indexes, so that it is the documents that are written
UPDATE = ('changing a tenth', "UPDATE {table} SET data = {t}_set(data, '{{status}}', '\"none\"') WHERE id % 10 = 3", 'BEGIN;', 'ROLLBACK; VACUUM {table};')
HOT = "SELECT data ->> 'status', data -> 'address' ->> 'city' FROM {t}_doc WHERE id = {row};"


def load(rows):
    psql(f'''SET client_min_messages = warning; DROP TABLE IF EXISTS text_doc, jsonb_doc, bson_doc;
        CREATE UNLOGGED TABLE text_doc AS {DOCUMENTS.format(rows=rows, people=max(rows // 8, 1))};''')
    for t in TYPES:
        psql(f'CREATE TABLE {t}_doc (id int PRIMARY KEY, data {t}); INSERT INTO {t}_doc SELECT id, data::{t} FROM text_doc; VACUUM (ANALYZE, FREEZE) {t}_doc;')


def megabytes(relation):
    return [float(psql(f"SELECT pg_table_size('{relation.format(t=t)}') / 1e6")[0]) for t in TYPES]


def times(case, rounds, clock=CLOCK):
    """(what, jsonb / bson, ms of bson)"""
    what, *statement = case
    found = measure({t: tuple(part.format(t=t, table=f'{t}_doc') for part in statement) for t in TYPES}, rounds, rounds, clock, limit=3600)
    for t in TYPES:
        if isinstance(found[t], Failure):
            raise found[t]
    return what, f"{ratio(found['jsonb'], found['bson']):.2f} ({statistics.median(found['bson']):.3g} ms)"


def hot(rows, sessions):
    """ms by the clock that a new session, or one that is there, takes for statements of one row, jsonb and bson."""
    taken = {t: ([], []) for t in TYPES}
    for number in range(sessions):
        for t in TYPES:
            begin = time.perf_counter()
            session = Session(SETTINGS + HOT.format(t=t, row=1 + number))
            taken[t][0].append(1000 * (time.perf_counter() - begin))
            taken[t][1].append(session.timed(''.join(HOT.format(t=t, row=1 + (number * 97 + i * 7919) % rows) for i in range(200)), clock=CLOCK) / 200)
            session.end()
    for what, place in (('a new session with a statement of one row, by the clock', 0), ('a statement of one row, in a session', 1)):
        jsonb, bson = (statistics.median(taken[t][place]) for t in TYPES)
        yield what, f'{jsonb / bson:.2f} ({bson:.3g} ms)'


def of_size(rows, rounds, progress):
    """(what, figure) of all that is measured on tables of this size."""
    progress.step(f'{rows} rows')
    load(rows)
    yield 'table, MB: jsonb; bson', '{:.0f}; {:.0f}'.format(*megabytes('{t}_doc'))
    yield times(LOAD, 1)
    for clock, of in ((CLOCK, ''), (WALL, ', by the clock')):
        what, figure = times(UPDATE, 1, clock)
        yield what + of, figure
    for case in SCANS:
        progress.step(f'{rows} rows, {case[0]}')
        yield times(case, rounds)
    for case in INDEXES:
        progress.step(f'{rows} rows, {case[0]}')
        yield times(case, 1)
        yield f'MB of {case[0][9:]}: jsonb; bson', '{:.3g}; {:.3g}'.format(*megabytes('{t}_doc_' + case[1].split()[2].split('_')[-1]))
    for case in FINDS:
        yield times(case, rounds)
    yield from hot(rows, 20)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--keep', action='store_true')
    parser.add_argument('rows', nargs='*', type=int, default=[30000, 300000])
    options = parser.parse_args()
    progress = Progress(0)
    make_database(DATABASE, 'bson')
    found = {}
    for rows in options.rows:
        for what, figure in of_size(rows, options.rounds, progress):
            found.setdefault(what, []).append(figure)
    progress.end()
    version = psql("SELECT current_setting('server_version')", 'postgres')[0].strip()
    buffers = psql('SHOW shared_buffers')[0].strip()
    if not options.keep:
        drop_database(DATABASE)
    text = '\n'.join(['# As data outgrows the caches', '', f'Documents of 1 kB; PostgreSQL {version}, commit {os.environ.get("BENCH_COMMIT", "?")}, shared_buffers {buffers}. How many times the processor time of bson jsonb takes, and that of bson; '
                      f'medians of {options.rounds} interleaved rounds, one where it is written or built. `bench/start scale {" ".join(map(str, options.rows))}`', '']
                     + table(['', *[f'{rows:,} rows' for rows in options.rows]], [[what, *figures] for what, figures in found.items()])) + '\n'
    publish('scale.md', text)


if __name__ == '__main__':
    os.chdir(os.path.dirname(os.path.abspath(__file__)))
    main()
