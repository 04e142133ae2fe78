#!/usr/bin/env python3
"""The table of goals: every hot path of bson beside json, jsonb and the floor.

The floor is the cheapest query that still touches the same bytes: the same BSON as bytea, detoasted (up to the answer),
copied or sent.  Interleaved rounds in one session, one process, jit off; a ratio is the median over the rounds.  About
two minutes.

    bench/micro.py [--rounds N] [--min] [--cpu] [--keep] [PATTERN...]

PATTERN picks rows by regular expression.  --min compares minima. --cpu measures processor time instead of elapsed time,
for machines that have other work to do.
--keep keeps the database, and uses it if it exists already.
Environment: PGHOST and similar variables lead to a server with the extension installed.
"""
import argparse
import os
import re
import statistics
import tempfile

from harness import (DATABASE, Failure, Progress, Statement, drop_database, geometric_mean, interleaved, make_database,
                     psql, ratio)

TYPES = ('json', 'jsonb', 'bson')
FLOOR = 'bytea'             # the column type of the floor; for text in and out of it, text

# name of a set of tables: document, rows, storage
SHAPES = {
    'people_pglz': ('bench.figure2(i, 90)', 400, 'pglz'),
    'people_lz4': ('bench.figure2(i, 90)', 400, 'lz4'),
    'people_ext': ('bench.figure2(i, 90)', 400, 'external'),
    'int': ("bench.same_kind(i, 'int', 1000)", 200, 'pglz'),
    'bool': ("bench.same_kind(i, 'bool', 1000)", 200, 'pglz'),
    'string': ("bench.same_kind(i, 'string', 1000)", 200, 'pglz'),
    'double': ('bench.doubles(i, 1000)', 200, 'pglz'),
    'wide_pglz': ('bench.wide(i)', 800, 'pglz'),
    'wide_lz4': ('bench.wide(i)', 800, 'lz4'),
    'wide_ext': ('bench.wide(i)', 800, 'external'),
    'small': ('bench.small(i)', 40000, 'pglz'),
    'events': ('bench.event(i)', 3000, 'pglz'),
    'large_ext': ('bench.figure2(i, 238)', 60, 'external'),
}
STORAGE = {'pglz': 'SET STORAGE EXTENDED, ALTER data SET COMPRESSION pglz',
           'lz4': 'SET STORAGE EXTENDED, ALTER data SET COMPRESSION lz4',
           'external': 'SET STORAGE EXTERNAL'}


def select(expression, values):
    """A SELECT over the whole table, timed in the server."""
    return Statement(expression if 'FROM' in expression else f'SELECT {expression} FROM {values["table"]}')


def update(expression, values):
    """An UPDATE of the whole table, rolled back."""
    return Statement(f'UPDATE {values["table"]} SET data = {expression}', before='BEGIN;',
                     after=f'ROLLBACK; VACUUM {values["table"]};')


def copy_in(options, values):
    """Load the table's file into an empty table like it."""
    return Statement(f'\\copy empty_{values["table"]} from \'{values["files"]}/{values["shape"]}{options}\'',
                     before=f'TRUNCATE empty_{values["table"]};', explain=False)


def receive(type_name, values):
    """Read the binary file of the table, and discard the rows."""
    return Statement(f"\\copy {values['table']} from '{values['files']}/{values['table']}.bin' (format binary) where false",
                     explain=False)


def index_build(using, values):
    return Statement(f'CREATE INDEX micro_index ON {values["table"]} USING gin ({using});', after='DROP INDEX micro_index;',
                     explain=False)


def indexed(condition, values):
    """A query with a GIN index, which the first round creates for all rounds."""
    table = values['table']
    return Statement(f'SELECT count(*) FROM {table} WHERE {condition}',
                     before=f'SET enable_seqscan = off; CREATE INDEX IF NOT EXISTS {table}_gin ON {table} USING gin (data);',
                     after='RESET enable_seqscan;')


def insert(_, values):
    """INSERT ... SELECT from text: parsing, compression and storing, without a client."""
    source = '(SELECT id, decode(data, \'hex\') FROM hex_people)' if values['t'] == FLOOR else \
        f'(SELECT id, data::{values["t"]} FROM text_people)'
    return Statement(f'INSERT INTO empty_{values["table"]} {source}', before=f'TRUNCATE empty_{values["table"]};')


class Row:
    """A row of the table: what each competitor runs, and how much faster bson should be.

    "sql" is formatted with {t} (the competitor's type) and {prefix} (of its functions);
    "floor" and "bson" replace it for one of them.  json and jsonb are the goals: how many times faster bson should be than
    each; None does not run that competitor.
    """

    def __init__(self, name, shape, sql, json=0, jsonb=0, floor_share=0, make=select, **own):
        self.name, self.shape, self.make = name, shape, make
        self.goals = {'json': json, 'jsonb': jsonb}
        self.floor_share = floor_share
        self.sql = {t: sql for t in TYPES if self.goals.get(t, 0) is not None} | own

    def statements(self, files):
        made = {}
        for who, sql in self.sql.items():
            t = FLOOR if who == 'floor' else who
            values = {'t': t, 'table': f'{t}_{self.shape}', 'prefix': who, 'shape': self.shape, 'files': files}
            made[who] = self.make(sql.format(**values), values)
        return made


def detoasted(share=1.0):
    """The floor of reading: decompressing the bytes, or the front of them."""
    return 'get_byte(data, 0)' if share == 1 else f'length(substr(data, 1, {share}))'


WHOLE = detoasted()
TEN = ', '.join("data #>> '{{friends,{},{}}}'".format(i, k) for i, k in
                zip(range(4, 90, 9), ['name', 'age', 'country', 'new', 'address', 'lastname', 'phones', 'registered',
                                      'birth_day', 'birth_year'])).replace('{', '{{').replace('}', '}}')


def rows():
    yield Row('Figure 3: 90 friends, `->\'friends\'->49->\'registered\'`', 'people_pglz',
              "data->'friends'->49->'registered'", json=12, floor=detoasted(9500))
    for storage, goal in (('pglz', 4), ('lz4', 2.5), ('ext', 2.5)):
        yield Row(f'15 kB, early key, {storage}', f'people_{storage}', "data #>> '{{user,age}}'", jsonb=goal,
                  floor=detoasted(512))
    for storage in ('pglz', 'lz4', 'ext'):
        yield Row(f'15 kB, late key, {storage}', f'people_{storage}', "data #>> '{{friends,89,new}}'", jsonb=1,
                  floor_share=0.8, floor=WHOLE)
    for storage, goal in (('pglz', 3.5), ('lz4', 2.5)):
        yield Row(f'15 kB, ten keys in one SELECT, {storage}', f'people_{storage}', TEN, jsonb=goal, floor=WHOLE)
    for kind, goal in (('int', 6), ('bool', 6), ('string', 5)):
        yield Row(f'1,000 keys of {kind}, the middle one', kind, "data->'key0500'", json=goal, jsonb=1.2,
                  floor=detoasted({'int': 6600, 'bool': 5100, 'string': 12100}[kind]))
    for storage in ('pglz', 'lz4', 'ext'):
        yield Row(f'183 keys, key 160, {storage}', f'wide_{storage}', "data->>'attribute_160'", jsonb=1, floor=WHOLE)
    yield Row('183 keys, key 1, pglz', 'wide_pglz', "data->>'attribute_001'", jsonb=4, floor=detoasted(512))

    small = detoasted()
    yield Row('small, `->>` first key', 'small', "data->>'name'", jsonb=1, floor=small)
    yield Row('small, `->>` last key', 'small', "data->>'visits'", jsonb=1, floor=small)
    yield Row('small, native int', 'small', "(data->>'age')::int", jsonb=1, floor=small, bson="data -#> 'age'")
    yield Row('small, cast of an int within', 'small', "(data->'address'->>'zip')::int", jsonb=1, floor=small,
              bson="(data->'address'->'zip')::int")
    yield Row('small, `@>`', 'small', 'SELECT count(*) FROM {table} WHERE data @> \'{{"country":"Japan","active":true}}\'',
              jsonb=1, json=None)
    yield Row('small, GROUP BY', 'small', "SELECT data->>'country', count(*) FROM {table} GROUP BY 1", jsonb=1)
    yield Row('small, ORDER BY value', 'small', "SELECT id FROM {table} ORDER BY data->'score'", jsonb=1, json=None)

    yield Row('JSON text to value, small', 'small', 'SELECT data::{t} FROM text_small', json=1, jsonb=4,
              floor='SELECT ascii(data) FROM text_small')
    yield Row('JSON text to value, 15 kB', 'people_pglz', 'SELECT data::{t} FROM text_people', json=1, jsonb=4,
              floor='SELECT ascii(data) FROM text_people')
    yield Row('JSON text to value, 1,000 ints', 'int', 'SELECT data::{t} FROM text_int', json=1, jsonb=4,
              floor='SELECT ascii(data) FROM text_int')
    yield Row('JSON text to value, 1,000 doubles of 17 digits', 'double', 'SELECT data::{t} FROM text_double', json=1, jsonb=4,
              floor='SELECT ascii(data) FROM text_double')
    # the peer converts by way of text
    yield Row('15 kB, bson to jsonb', 'people_ext', 'SELECT data::text::jsonb FROM bson_people_ext', json=3, jsonb=None,
              bson='data::jsonb')
    yield Row('15 kB, jsonb to bson', 'people_ext', 'SELECT data::text::bson FROM jsonb_people_ext', json=1.5, jsonb=None,
              bson='SELECT data::bson FROM jsonb_people_ext')
    for size in ('people', 'large'):
        for storage, goals in (('pglz', {'json': 0.95}), ('lz4', {'jsonb': 1.5})):
            yield Row(f'COPY {"15" if size == "people" else "50"} kB documents, {storage}', f'{size}_{storage}', '.txt',
                      make=copy_in, floor='.hex', **goals)
    yield Row('INSERT of 15 kB documents, pglz', 'people_pglz', '', json=0.95, make=insert, floor='')

    for storage, goal in (('pglz', 2), ('lz4', 2.5)):
        yield Row(f'whole document as text, {storage}', f'people_{storage}', 'data::text', jsonb=goal, floor=WHOLE)
    for storage in ('pglz', 'lz4'):
        yield Row(f'whole document as binary, {storage}', f'people_{storage}', '{prefix}_send(data)', json=0.95, jsonb=4,
                  floor='byteasend(data)')

    yield Row('`bson_set` of a root field', 'people_ext', "{prefix}_set(data, '{{extra}}', '1')", jsonb=3, json=None,
              floor="set_byte(data, 4, 3)")
    yield Row('`bson_set` of a deep field', 'people_ext', "{prefix}_set(data, '{{friends,49,age}}', '16')", jsonb=2, json=None,
              floor='set_byte(data, 4, 3)')
    yield Row('deleting a key', 'wide_ext', "data - 'attribute_100'", jsonb=1.2, json=None, floor='set_byte(data, 4, 3)')
    yield Row('UPDATE of a root field, toasted', 'people_pglz', "{prefix}_set(data, '{{extra}}', '1')", jsonb=1.05, json=None,
              make=update, floor='set_byte(data, 4, 3)')
    yield Row('UPDATE that changes nothing', 'people_pglz', "{prefix}_set(data, '{{user,age}}', data #> '{{user,age}}')",
              jsonb=1, json=None, make=update, floor='data')
    yield Row('`bson_recv`', 'large_ext', '', jsonb=4, make=receive, floor='')

    yield Row('GIN build', 'events', 'data', jsonb=1, json=None, make=index_build)
    yield Row('GIN build, path_ops', 'events', 'data {prefix}_path_ops', jsonb=1, json=None, make=index_build)
    yield Row('GIN query, `@>`', 'events', 'data @> \'{{"repo":{{"name":"org/repo7"}}}}\'', jsonb=1, json=None, make=indexed)


def load(shapes, files, progress):
    """The tables and files that these shapes need."""
    exists = psql("SELECT string_agg(relname, ' ') FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace")
    exists = exists[0].split()
    for name in shapes:
        progress.step(f'data: {name}')
        document, count, storage = SHAPES[name]
        base = name.partition('_')[0]
        script = ['SET client_min_messages = warning;']
        if f'text_{base}' not in exists:
            # uncompressed, so that a cast from it costs nothing but parsing
            script.append(f'''
                CREATE TABLE text_{base} (id int, data text); ALTER TABLE text_{base} ALTER data SET STORAGE EXTERNAL;
                INSERT INTO text_{base} SELECT i, {document} FROM generate_series(1, {count}) AS i;
                CREATE TABLE hex_{base} (id int, data text); ALTER TABLE hex_{base} ALTER data SET STORAGE EXTERNAL;
                INSERT INTO hex_{base} SELECT id, encode(data::bson::bytea, 'hex') FROM text_{base};''')
            exists += [f'text_{base}']
        for t in TYPES + (FLOOR,):
            table, source = f'{t}_{name}', f'data::bson::{t}' if t == FLOOR else f'data::{t}'
            if table not in exists:
                script.append(f'''
                    CREATE TABLE {table} (id int, data {t});
                    ALTER TABLE {table} ALTER data {STORAGE[storage]};
                    CREATE TABLE empty_{table} (LIKE {table} INCLUDING ALL);
                    INSERT INTO {table} SELECT id, {source} FROM text_{base};
                    VACUUM (ANALYZE, FREEZE) {table};''')
            script.append(f"\\copy {table} to '{files}/{table}.bin' (format binary)")
        script.append(f"\\copy text_{base} to '{files}/{name}.txt'")
        script.append(f"\\copy (SELECT id, '\\x' || data FROM hex_{base}) to '{files}/{name}.hex'")
        psql('\n'.join(script))


def number(value):
    return '' if value is None else f'{value:.2f}' if value < 10 else f'{value:.1f}'


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--rounds', type=int, default=7)
    parser.add_argument('--min', action='store_true')
    parser.add_argument('--cpu', action='store_true')
    parser.add_argument('--keep', action='store_true')
    parser.add_argument('pattern', nargs='*')
    options = parser.parse_args()

    SHAPES['large_pglz'] = SHAPES['large_ext'][:2] + ('pglz',)
    SHAPES['large_lz4'] = SHAPES['large_ext'][:2] + ('lz4',)
    wanted = [row for row in rows() if not options.pattern or any(re.search(p, row.name) for p in options.pattern)]
    shapes = dict.fromkeys(row.shape for row in wanted)
    if any('text_people' in str(row.sql) for row in wanted):
        shapes['people_pglz'] = None
    there = options.keep and psql(f"SELECT 1 FROM pg_database WHERE datname = '{DATABASE}'", 'postgres')[0].strip()
    if not there:
        make_database(DATABASE, 'bson')
    progress = Progress(len(shapes) + len(wanted))
    results = []
    with tempfile.TemporaryDirectory() as files:
        load(shapes, files, progress)
        for row in wanted:
            progress.step(row.name)
            times = interleaved(row.statements(files), options.rounds, timeout=120, cpu=options.cpu)
            if options.min:
                times = {who: t if isinstance(t, Failure) else [min(t)] for who, t in times.items()}
            results.append((row, times))
    progress.end()
    if not options.keep:
        drop_database(DATABASE)
    return report(results, options)


def report(results, options):
    version = psql("SELECT current_setting('server_version')", 'postgres')[0].strip()
    measured = f'{"minima" if options.min else "medians"} of {options.rounds} interleaved rounds, by {"processor" if options.cpu else "clock"} time'
    print(f'PostgreSQL {version}; peer / bson, floor / bson: {measured}.\n')
    print('| workload | goal | bson ms | json/bson | jsonb/bson | floor share | |')
    print('|---|---|---:|---:|---:|---:|---|')
    against, missed = [], 0
    for row, times in results:
        bson = times.get('bson')
        found = {who: ratio(times.get(who), bson) for who in ('json', 'jsonb', 'floor')}
        goals = [(found[who], goal, f'≥ {goal} × {who}') for who, goal in row.goals.items() if goal]
        if row.floor_share:
            goals.append((found['floor'], row.floor_share, f'≥ {row.floor_share} of the floor'))
        failures = [f'{who}: {t}' for who, t in times.items() if isinstance(t, Failure)]
        passed = not failures and all(value is not None and value >= goal for value, goal, _ in goals)
        missed += not passed
        if found['jsonb']:
            against.append(found['jsonb'])
        ms = '' if isinstance(bson, Failure) else number(statistics.median(bson))
        verdict = '; '.join(failures) or ('pass' if passed else '**miss**')
        print(f'| {row.name} | {", ".join(text for _, _, text in goals)} | {ms} | {number(found["json"])} | '
              f'{number(found["jsonb"])} | {number(found["floor"])} | {verdict} |')
    if against:
        mean, slower = geometric_mean(against), sum(value < 1 for value in against)
        passed = mean >= 3 and not slower
        missed += not passed
        print(f'| all: geometric mean | ≥ 3 × jsonb, none slower | | | {number(mean)} | | '
              f'{"pass" if passed else f"**miss** ({slower} slower)"} |')
    print(f'\n{len(results) + bool(against) - missed} of {len(results) + bool(against)} goals reached')


if __name__ == '__main__':
    os.chdir(os.path.dirname(os.path.abspath(__file__)))
    main()
