#!/usr/bin/env python3
"""The sweep: everything a user does, by every shape of document, bson beside jsonb.

    bench/start sweep [--quick] [--family NAME]... [--rounds N] [--memory] [--growth] [--keep] [--random SEED [--tables N] [--statements N]] [PATTERN...]

Each case runs interleaved, each competitor in a session of its own, and measures the backend's processor time, which the session reads from
/proc/self/schedstat (on Linux, as a superuser); a ratio is the median over the rounds. --quick runs every fifth case,
with half the rounds.  --family and PATTERN (a regular expression on the label) choose cases.
--memory measures the largest growth of the backend instead, in a separate session for each statement, and --growth
how time grows from n to 10 n to 100 n; they go to memory.md and memory.json. --random measures documents and statements that are drawn by chance
(random_cases.py) instead, so many statements for each of so many tables. --keep keeps the database, and uses it if it exists already. Results
go to sweep.md and sweep.json, or random.md and random.json, in RESULTS (bench/results).  What json can do, and the floor (the same bytes as bytea,
detoasted, sent), run where a case names them.
"""
import argparse
import json
import math
import os
import re
import statistics
import time

import documents
import harness
import random_cases
from harness import CLOCK, DATABASE, Failure, Progress, SETTINGS, Session, WALL, drop_database, first_error, geometric_mean, make_database, measure, psql, ratio
from report import table
from sweep_cases import GROWTH, NAMES, SHAPES, STORAGE, cases, shape

LOSS, GRAVE = 0.95, 0.8
# kB: the most memory since the reset, without the libraries' files and the server's buffers, which backends share
RESET = "COPY (SELECT 5) TO '/proc/self/clear_refs';"
PEAK = r"""SELECT '@peak ' || sum(CASE n[1] WHEN 'VmHWM' THEN 1 ELSE -1 END * n[2]::int)
    FROM regexp_matches(pg_read_file('/proc/self/status'), '(VmHWM|RssFile|RssShmem):\s*(\d+)', 'g') AS n;"""
TYPES = {'jsonb': 'jsonb', 'bson': 'bson', 'json': 'json', 'floor': 'bytea'}


class Tables:
    """Makes the tables of a shape, storage and competitor when first asked for."""

    def __init__(self):
        found, _ = psql("SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace")
        self.there = set(found.split())

    def need(self, shape, storage, types):
        script = []
        if f'text_{shape}' not in self.there:
            made = SHAPES[shape]
            source = (f"SELECT id, {self.column_key(shape)}, data FROM bench.line, LATERAL (SELECT id AS i) AS n WHERE documents = '{shape}'" if made.real else
                      f'SELECT i, {self.column_key(shape)}, {made.sql} FROM generate_series(1, {made.rows}) AS i')
            script.append(f'''CREATE TABLE text_{shape} (id int, k text, data text); ALTER TABLE text_{shape} ALTER data SET STORAGE EXTERNAL;
                INSERT INTO text_{shape} {source};''')
            self.there.add(f'text_{shape}')
        for t in types:
            table = f'{t}_{shape}_{storage}'
            if table in self.there:
                continue
            source = 'data::bson::bytea' if t == 'bytea' else f'data::{t}'
            script.append(f'''CREATE TABLE {table} (id int, k text, data {t}); ALTER TABLE {table} ALTER data {STORAGE[storage]};
                CREATE TABLE empty_{table} (LIKE {table} INCLUDING ALL);
                INSERT INTO {table} SELECT id, k, {source} FROM text_{shape}; VACUUM (ANALYZE, FREEZE) {table};''')
            self.there.add(table)
        if script:
            psql('SET client_min_messages = warning;\n' + '\n'.join(script))

    @staticmethod
    def column_key(shape):
        """The column k: a key that the document has, another one in each row."""
        if not shape.startswith(('flat', 'mixed')):
            return "'key' || i"
        n = int(re.sub(r'\D', '', shape))
        if n > 15:
            return f"'key' || lpad((1 + i * 7 % {n})::text, 5, '0')"
        names = ','.join(f"'{name}'" for name in NAMES)
        return f'(ARRAY[{names}])[1 + i * 7 % {n}]'


def statement(case, who):
    """The SQL of a competitor, what goes before it and after it."""
    t = TYPES[who]
    values = {'t': t, 'p': t, 'table': f'{t}_{case.shape}_{case.storage}', 'shape': case.shape, 'suffix': f'{case.shape}_{case.storage}'}
    sql = case.sql[who].format(**values)
    if not case.raw:
        if not (sql.startswith('SELECT') and ' FROM ' in sql):
            sql = f'SELECT {sql} FROM {values["table"]}'
        sql = f'EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF, SUMMARY OFF) {sql}'
    return sql, case.before.format(**values), case.after.format(**values)


def commands(text):
    return ''.join(f'{part.strip()};\n' for part in text.split('; ') if part.strip())


def peak_memory(case, who):
    """The largest growth of a new backend's own memory, in kB, while it ran this; the libraries are loaded before."""
    sql, before, after = statement(case, who)
    warm = f"SELECT count(*), sum(length(d::text)) FROM (VALUES ('{{\"a\":[1]}}'::{TYPES[who]})) AS v(d) WHERE d @? '$.a[*]' AND d @> '{{}}';\n"
    for found in set(re.findall(rf'(?:text|{"|".join(TYPES.values())})_{case.shape}(?:_{case.storage})?\b', sql)):
        warm += (f'SELECT count(*) FROM {found};\n'
                 f"SELECT format('SELECT count(chunk_data) FROM %s', reltoastrelid::regclass) FROM pg_class WHERE oid = '{found}'::regclass AND reltoastrelid <> 0 \\gexec\n")
    output, errors = psql(f'{SETTINGS}\n{warm}{commands(before)}{RESET}\n{PEAK}\n\\o /dev/null\n{sql};\n\\o\n{PEAK}\n{commands(after)}', stop=False, timeout=900)
    peaks = [int(n) for n in re.findall(r'^@peak (\d+)', output, re.MULTILINE)]
    if len(peaks) != 2 or 'ERROR' in errors:
        raise Failure(first_error(errors))
    return peaks[1] - peaks[0]


def measure_memory(case, tables):
    """{competitor: kB}, or why not"""
    peak, failures = {}, {}
    for who in ('jsonb', 'bson'):
        try:
            tables.need(case.shape, case.storage, {who})
            peak[who] = peak_memory(case, who)
        except Failure as failure:
            failures[who] = str(failure)
    return {'peak': peak, 'failures': failures}


def growth(progress):
    """[(operation, {type: [ms at n, 10 n, 100 n]}, {type: exponent})]"""
    rows = []
    for name, (kind, sql, *largest) in GROWTH.items():
        progress.step(f'growth: {name}')
        times = {t: [] for t in ('jsonb', 'bson')}
        most = largest[0] if largest else 100000 if kind == 'array' else 90000
        for n in (most // 100, most // 10, most):
            document = f"bench.list(1, 'int', {n})" if kind == 'array' else f'bench.flat(1, {n})'
            for t in times:
                expression = sql.format(t=t, p=t, n=n, last=n - 1)
                # rows enough that what a statement takes once does not count, each of which is fetched anew
                repeat = max(10, 100000 // n)
                script = (f'{SETTINGS}\nSET statement_timeout = 20000;\nCREATE TEMP TABLE g (d {t}); ALTER TABLE g ALTER d SET STORAGE EXTERNAL;\n'
                          f'INSERT INTO g WITH one AS MATERIALIZED (SELECT ({document})::{t} AS d) SELECT d FROM one, generate_series(1, {repeat});\n' +
                          f'{CLOCK}\n\\o /dev/null\nEXPLAIN (ANALYZE, TIMING OFF) SELECT {expression} FROM g;\n\\o\n{CLOCK}\n' * 3)
                output, _ = psql(script, stop=False, timeout=300)
                at = [int(x) for x in re.findall(r'^@at (\d+)', output, re.MULTILINE)]
                times[t].append(statistics.median(b - a for a, b in zip(at[::2], at[1::2])) / 1e6 / repeat if len(at) == 6 else float('nan'))
        exponents = {t: math.log10(max(found[2], 1e-6) / max(found[1], 1e-6)) for t, found in times.items()}
        rows.append((name, times, exponents))
    return rows


def number(value):
    if value is None or value != value:
        return ''
    return f'{value:.4f}' if value < 0.01 else f'{value:.2f}' if value < 10 else f'{value:.1f}'


def lost_to_bytes(r):
    """Is jsonb faster than what only fetches and decompresses the bytes of BSON?"""
    return bool(r['ratio'] and r['floor'] and r['ratio'] < LOSS and r['ratio'] / r['floor'] < LOSS)


def report(results, options, elapsed):
    """The Markdown, with the cases that bson loses first."""
    measured = [(case, r) for case, r in results if r['ratio'] is not None]
    ratios = [r['ratio'] for _, r in measured]
    losses = [r for r in ratios if r < LOSS]
    bytes_alone = [r for _, r in measured if lost_to_bytes(r)]
    version = psql("SELECT current_setting('server_version')", 'postgres')[0].strip()
    commit = os.environ.get('BENCH_COMMIT', '')
    what = f' --random {options.random} --tables {options.tables} --statements {options.statements}' if options.random is not None else ' --quick' if options.quick else ''
    lines = ['# Everything by every shape' if options.random is None else '# Statements and documents drawn by chance', '',
             f'`bench/start sweep{what}`: {len(measured)} cases, {options.rounds} to {6 * options.rounds} interleaved rounds each, the backend\'s processor time; PostgreSQL {version}'
             f'{f", commit {commit}" if commit else ""}; {elapsed / 60:.0f} minutes. A ratio is jsonb / bson: above 1, bson is faster.', '']
    if ratios:
        lines += [f'**Geometric mean {geometric_mean(ratios):.2f} × jsonb; slower (below {LOSS}) in {len(losses)} of {len(ratios)} cases '
                  f'({100 * len(losses) / len(ratios):.1f} %), below {GRAVE} in {sum(r < GRAVE for r in ratios)}.**', '',
                  f'In {len(bytes_alone)} of these (* below), {sum(r["ratio"] < GRAVE for r in bytes_alone)} of them below {GRAVE}, the floor is slower, too: to fetch and decompress the '
                  "bytes of BSON takes longer than jsonb's whole statement.", '']
    families = {}
    for case, r in measured:
        families.setdefault(case.family if options.random is None else case.name.partition(':')[0], []).append(r['ratio'])
    lines += table(['family', 'cases', 'geometric mean', 'slower', f'below {GRAVE}', 'worst'],
                   [[name, len(found), number(geometric_mean(found)), sum(r < LOSS for r in found), sum(r < GRAVE for r in found), number(min(found))]
                    for name, found in sorted(families.items(), key=lambda f: geometric_mean(f[1]))]) + ['']
    columns = ['case', 'jsonb/bson', 'bson ms', 'floor/bson', 'json/bson']

    def row(case, r):
        return [case.label + (' *' if lost_to_bytes(r) else ''), number(r['ratio']), number(r['ms']), number(r['floor']), number(r['json'])]
    ordered = sorted(measured, key=lambda found: found[1]['ratio'])
    lines += ['## Where bson is slower', ''] + table(columns, [row(c, r) for c, r in ordered if r['ratio'] < LOSS]) + ['']
    failed = [(c, who, message) for c, r in results for who, message in r['failures'].items()]
    if failed:
        lines += ['## Not measured', ''] + table(['case', 'who', 'why'], [[c.label, who, why] for c, who, why in failed]) + ['']
    if options.random is None:
        lines += ['All cases, one a line: [sweep.json](sweep.json).']
    return '\n'.join(lines) + '\n'


def memory_report(results, growths, elapsed):
    """The Markdown of what --memory and --growth measured."""
    measured = [(c, r['peak']) for c, r in results if len(r['peak']) == 2]
    # what a backend takes varies by some hundred kB
    greedy = [(c, p) for c, p in measured if p['bson'] > 1.1 * p['jsonb'] and p['bson'] > p['jsonb'] + 1024]
    frugal = [p for _, p in measured if p['jsonb'] > 1.1 * p['bson'] and p['jsonb'] > p['bson'] + 1024]
    lines = ['# Memory, and how time grows', '', f'`bench/start sweep --memory --growth`: the largest growth of a backend\'s own memory during a statement, in a session of its own; {elapsed / 60:.0f} minutes.', '']
    if measured:
        lines += [f'**Of {len(measured)} statements, {len(greedy)} take more than a tenth and 1 MB more with bson, and {len(frugal)} with jsonb.**', '']
    if greedy:
        lines += ['## Where bson takes more', ''] + \
            table(['case', 'bson, kB', 'jsonb, kB'], [[c.label, p['bson'], p['jsonb']] for c, p in sorted(greedy, key=lambda found: found[1]['jsonb'] - found[1]['bson'])]) + ['']
    if growths:
        lines += ['## How time grows', '', 'The exponent from 10 n to 100 n: 1 is in proportion.', ''] + \
            table(['operation', 'jsonb', 'bson', 'jsonb/bson at 100 n', 'bson ms'], [[name, number(e['jsonb']), number(e['bson']), number(t['jsonb'][2] / t['bson'][2]), number(t['bson'][2])] for name, t, e in growths]) + ['']
    failed = [(c, who, why) for c, r in results for who, why in r['failures'].items()]
    if failed:
        lines += ['## Not measured', ''] + table(['case', 'who', 'why'], [[c.label, who, why] for c, who, why in failed]) + ['']
    return '\n'.join(lines) + '\n'


def drawn(options):
    """The cases of tables drawn by chance, whose documents join those of documents.py."""
    found = []
    for name, lines, of_table in random_cases.tables(options.random, options.tables, options.statements):
        shape(name, None, 0)
        documents.SETS[name] = lambda lines=lines: lines
        found += of_table
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--rounds', type=int)
    for name in ('quick', 'memory', 'growth', 'keep', 'list'):
        parser.add_argument(f'--{name}', action='store_true')
    parser.add_argument('--family', action='append')
    parser.add_argument('--random', type=int, metavar='SEED')
    parser.add_argument('--tables', type=int, default=100)
    parser.add_argument('--statements', type=int, default=25)
    parser.add_argument('pattern', nargs='*')
    options = parser.parse_args()
    options.rounds = options.rounds or (3 if options.quick else 5)

    wanted = [case for case in (cases() if options.random is None else drawn(options)) if (not options.family or case.family in options.family) and
              (not options.pattern or any(re.search(p, case.label) for p in options.pattern))]
    if options.quick:
        wanted = wanted[::5]
    if options.growth and not options.memory:
        wanted = []
    # a table is needed only while cases of its shape follow each other
    wanted.sort(key=lambda case: (list(SHAPES).index(case.shape), case.storage))
    if options.list:
        print('\n'.join(case.label for case in wanted))
        return

    there = options.keep and psql(f"SELECT 1 FROM pg_database WHERE datname = '{DATABASE}'", 'postgres')[0].strip()
    if not there:
        make_database(DATABASE, 'bson')
        columns = ', '.join(f'{n} {k}' for n, k in zip(NAMES, ['int', 'text', 'text', 'int', 'numeric'] * 3))
        psql('\\i sweep.sql\n' + f'CREATE TYPE bench.flat15 AS ({columns});')
    # real documents are downloaded only if a case wants them
    here = set(psql('SELECT DISTINCT documents FROM bench.line')[0].split())
    for name in sorted({case.shape for case in wanted if SHAPES[case.shape].real} - here):
        lines = documents.SETS[name]()
        if lines is None:
            print(f'not measured: {name}, which could not be downloaded')
            wanted = [case for case in wanted if case.shape != name]
        else:
            documents.copy(psql, name, lines)
    began, tables, results = time.monotonic(), Tables(), []
    progress = Progress(len(wanted) + (len(GROWTH) if options.growth else 0))
    for case in wanted:
        progress.step(case.label)
        if options.memory:
            results.append((case, measure_memory(case, tables)))
            continue
        try:
            tables.need(case.shape, case.storage, {TYPES[who] for who in case.sql})
            statements = {who: statement(case, who) for who in case.sql}
            times = measure({who: (sql, commands(before), commands(after)) for who, (sql, before, after) in statements.items()},
                            options.rounds, 6 * options.rounds, WALL if case.wall else CLOCK)
        except Failure as failure:
            times = {who: failure for who in case.sql}
        failures = {who: str(t) for who, t in times.items() if isinstance(t, Failure)}
        bson = times['bson']
        r = {'ratio': ratio(times['jsonb'], bson), 'ms': None if isinstance(bson, Failure) else statistics.median(bson), 'floor': ratio(times.get('floor'), bson),
             'json': ratio(times.get('json'), bson), 'failures': failures}
        results.append((case, r))
    folder = os.environ.get('RESULTS') or os.path.join(harness.HERE, 'results')
    os.makedirs(folder, exist_ok=True)
    aside = options.memory or options.growth
    file_name = 'memory' if aside else 'sweep' if options.random is None else 'random'
    with open(f'{folder}/{file_name}.json', 'w', encoding='utf-8') as file:
        lines = [json.dumps({'case': case.label, 'family': case.family, **{k: float(f'{v:.4g}') if isinstance(v, float) else v for k, v in r.items() if v}}, default=str)
                 for case, r in results]
        file.write('[\n' + ',\n'.join(lines) + '\n]\n')
    growths = growth(progress) if options.growth else []
    progress.end()
    elapsed = time.monotonic() - began
    text = memory_report(results, growths, elapsed) if aside else report(results, options, elapsed)
    with open(f'{folder}/{file_name}.md', 'w', encoding='utf-8') as file:
        file.write(text)
    print(text)
    if not options.keep:
        drop_database(DATABASE)


if __name__ == '__main__':
    os.chdir(os.path.dirname(os.path.abspath(__file__)))
    main()
