#!/usr/bin/env python3
"""The benchmarks of the field, bson beside jsonb: the same statements, only the column's type differs.

    bench/start field [nobench] [tpch] [ycsb] [real] [small] [pipelines] [--rounds N] [--keep] [--plans] [--share]

Statements run interleaved, each competitor in a session of its own, and the backend's processor time is measured (as in
sweep.py); a ratio is the median over the rounds.  ycsb runs pgbench, and measures the processor time of all backends of a
run together.  pipelines compares bson_aggregate with SQL by hand on columns of both types, whose answers must be the same.
--plans also writes the plans; --share has perf say which part of a query's time the library of bson takes, and so what the
ratio would be if it took none.  SCALE=tiny takes a hundred rows of each table, to see that every statement runs; any that fails is a failure.  Results go to field.md and field.json in RESULTS (bench/results).
"""
import argparse
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import documents
import field_cases as cases
import nobench as made
import pipeline_cases
from harness import DATABASE, Failure, Progress, SETTINGS, Session, drop_database, environment, first_error, geometric_mean, make_database, measure, psql, publish, ratio
from report import table

TYPES = ('jsonb', 'bson')
TINY = os.environ.get('SCALE') == 'tiny'
EXPLAIN = 'EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF, SUMMARY OFF)'


class Case:
    """A statement of a benchmark, for each competitor."""

    def __init__(self, group, name, sql, values, before='', after=''):
        """values: {competitor: what to put into the texts}."""
        self.group, self.name = group, name
        self.sql = {t: sql.format(t=t, p=t, **values[t]) for t in TYPES}
        self.before = {t: before.format(t=t, p=t, **values[t]) for t in TYPES}
        self.after = {t: after.format(t=t, p=t, **values[t]) for t in TYPES}


def load(name, source, storage='', plain='data'):
    """Make the text of documents, and a table of each type; "plain" is what jsonb stores of the text."""
    script = [f'SET client_min_messages = warning; CREATE TABLE text_{name} AS SELECT id, data::text FROM ({source}) AS made (id, data) {"LIMIT 100" if TINY else ""};']
    for t in TYPES:
        script.append(f'''CREATE TABLE {t}_{name} (id int, data {t}); {storage.format(table=f"{t}_{name}")}
            INSERT INTO {t}_{name} SELECT id, {plain if t == "jsonb" else "data"}::{t} FROM text_{name}; VACUUM (ANALYZE, FREEZE) {t}_{name};''')
    psql('\n'.join(script))
    return {t: {'table': f'{t}_{name}', 'text': f'text_{name}'} for t in TYPES}


GIN_SIZES = []                  # (documents, MB of: jsonb, bson, jsonb path_ops, bson path_ops)


def gin_sizes(name, values):
    """Build the indexes of all keys once more, for their sizes."""
    sizes = [float(psql(f"CREATE INDEX sized ON {values[t]['table']} USING gin (data {c.format(t)}); SELECT pg_relation_size('sized') / 1e6; DROP INDEX sized;")[0])
             for c in ('{}_ops', '{}_path_ops') for t in TYPES]
    GIN_SIZES.append((name, *sizes))


def nobench():
    documents.copy(psql, 'nobench', made.documents(100 if TINY else cases.NOBENCH_ROWS))
    values = load('nobench', "SELECT id, data FROM bench.line WHERE documents = 'nobench'")
    for name, sql in cases.NOBENCH_QUERIES.items():
        yield Case('NoBench without indexes', name, f'{EXPLAIN} {sql}', values)
    yield Case('NoBench load', 'Q12 load', 'INSERT INTO empty SELECT id, data::{t} FROM {text};', values,
               'CREATE TEMP TABLE IF NOT EXISTS empty (id int, data {t}); TRUNCATE empty;')
    yield Case('NoBench load', 'text to value', f'{EXPLAIN} SELECT data::{{t}} FROM {{text}}', values)
    yield Case('NoBench load', 'ANALYZE', 'ANALYZE {table};', values)
    yield Case('NoBench load', 'GIN build', 'CREATE INDEX built ON {table} USING gin (data);', values, after='DROP INDEX built;')
    yield Case('NoBench load', 'GIN build, path_ops', 'CREATE INDEX built ON {table} USING gin (data {p}_path_ops);', values, after='DROP INDEX built;')
    gin_sizes('NoBench', values)
    for t in TYPES:
        psql('\n'.join(f'CREATE INDEX ON {t}_nobench {"" if index.startswith("USING") else "USING btree "}{index};' for index in cases.NOBENCH_INDEXES)
             + f'VACUUM ANALYZE {t}_nobench;')
    for name, sql in list(cases.NOBENCH_QUERIES.items())[4:]:
        yield Case('NoBench with indexes', name, f'{EXPLAIN} {sql}', values)


def tpch():
    tables = {t: {} for t in TYPES}
    for name, sql in cases.TPCH.items():
        for t, values in load(name, sql).items():
            tables[t][name] = values['table']
    for name, sql in cases.TPCH_QUERIES.items():
        yield Case('TPC-H in documents', name, f'{EXPLAIN} {sql}', tables)


def real():
    for name, found in documents.FIELD.items():
        lines = ['{}'] if TINY else found()
        if lines is None:
            print(f'{name}: not to be had')
            continue
        documents.copy(psql, name, lines)
        for storage in cases.STORAGES:
            values = load(f'{name}_{storage}', f"SELECT id, data FROM bench.line WHERE documents = '{name}'",
                          f'ALTER TABLE {{table}} ALTER data SET COMPRESSION {storage};')
            for sql in cases.REAL_QUERIES[name]:
                yield Case(f'Real documents, {storage}', f'{name}: {sql}', f'{EXPLAIN} {sql}', values)
            yield Case('Real documents, ANALYZE', f'{name}, {storage}', 'ANALYZE {table};', values)
            yield Case('Real documents, ANALYZE of 30,000 rows', f'{name}, {storage}', 'ANALYZE {table}_many;', values, cases.MANY_ROWS)
            # the buffers are for what comes next
            psql(''.join(f'DROP TABLE {values[t]["table"]}_many;' for t in TYPES))
            yield Case('Real documents, GIN build', f'{name}, {storage}', 'CREATE INDEX built ON {table} USING gin (data);', values, after='DROP INDEX built;')
        gin_sizes(name, values)


def small():
    for kind, (order, kept) in cases.SMALL_KINDS.items():
        for keys in cases.SMALL_KEYS:
            values = load(f'{kind}_{keys}', cases.SMALL.format(order=order, kept=kept, keys=keys, rows=cases.SMALL_ROWS))
            for each in values.values():
                each.update(last=keys, middle=keys // 2)
            for sql in cases.SMALL_QUERIES:
                yield Case(f'Small documents, {kind}', f'{keys} keys: {sql}', f'{EXPLAIN} {sql}', values)


def differing(by_hand, pipeline, plain):
    """How many documents are in one of the answers and not in the other."""
    answers = f'SELECT ({plain.format("d")})::jsonb FROM ({by_hand}) AS a(d)', f"SELECT plain(bson_to_extjson(d, 'relaxed'))::jsonb FROM ({pipeline}) AS b(d)"
    return int(psql(f'SELECT count(*) FROM (({answers[0]}) EXCEPT ALL ({answers[1]}) UNION ALL (({answers[1]}) EXCEPT ALL ({answers[0]}))) AS d')[0])


def pipelines():
    psql(pipeline_cases.PLAIN)
    tables = {t: {name: f'{t}_{name}' for name in pipeline_cases.DOCUMENTS} for t in TYPES}
    for name, source in pipeline_cases.DOCUMENTS.items():
        load(name, source.format(rows=pipeline_cases.ROWS), plain='plain(data)')
        for t in TYPES:
            psql(''.join(f'CREATE {index.format(table=tables[t][name])};' for index in pipeline_cases.INDEXES[name]) + f'VACUUM ANALYZE {tables[t][name]};')
    for name, (table, pipeline, by_hand) in pipeline_cases.PIPELINES.items():
        for other in tables['bson'].items():
            pipeline = pipeline.replace('{%s}' % other[0], other[1])
        case = Case('Pipelines', name, f'{EXPLAIN} {by_hand}', tables)
        statement = f"SELECT * FROM bson_aggregate('bson_{table}', '{pipeline}')"
        case.sql['pipeline'], case.before['pipeline'], case.after['pipeline'] = f'{EXPLAIN} {statement}', '', ''
        for t, plain in (('bson', "plain(bson_to_extjson({}, 'relaxed'))"), ('jsonb', '{}')):
            differ = differing(by_hand.format(t=t, **tables[t]), statement, plain)
            if differ:
                case.sql['pipeline'] = f"DO $$ BEGIN RAISE '{differ} documents differ from those by hand of {t}'; END $$"
        yield case


def plan(case, t):
    """The plan with its estimates and the rows that came, of a statement that is explained."""
    if not case.sql[t].startswith(EXPLAIN):
        return ''
    return psql(SETTINGS + case.sql[t].replace(EXPLAIN, 'EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF)'))[0]


def share(case, ms):
    """The part of a query's processor time that the library takes; the query itself takes "ms"."""
    statement = [*case.sql.values()][-1]
    if not statement.startswith(EXPLAIN):
        return None
    session = Session(SETTINGS)
    session.to_one_processor()
    backend = session.run('SELECT pg_backend_pid();').strip()
    with tempfile.NamedTemporaryFile() as samples:
        perf = subprocess.Popen(['perf', 'record', '-q', '-F', '2500', '-o', samples.name, '-p', backend], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(0.25)
        session.run('\\o /dev/null\n' + f'{statement};\n' * max(3, int(700 / ms)) + '\\o\n')
        perf.send_signal(signal.SIGINT)
        perf.wait()
        said = subprocess.run(['perf', 'report', '-i', samples.name, '--sort', 'dso'], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, text=True).stdout
    session.end()
    found = re.search(r'([\d.]+)%\s+bson\.so', said)
    return float(found[1]) / 100 if found else 0


# --- YCSB ---

YCSB_ROWS, CLIENTS = 10000, 8
READ = 'SELECT data FROM {t}_ycsb WHERE id = :key;'
UPDATE = "UPDATE {t}_ycsb SET data = {t}_set(data, ARRAY['field' || :field::text], to_{t}(repeat('x', 100)::text)) WHERE id = :key;"
INSERT = "INSERT INTO {t}_new VALUES (:key, (SELECT data FROM text_ycsb WHERE id = :key LIMIT 1)::{t});"
MODIFY = "BEGIN;\nSELECT data FROM {t}_ycsb WHERE id = :key FOR UPDATE;\n" + UPDATE + '\nEND;'
WORKLOADS = {'A: half reads, half updates': ((READ, 50), (UPDATE, 50)), 'B: reads, few updates': ((READ, 95), (UPDATE, 5)), 'C: reads': ((READ, 1),),
             'F: read, modify, write': ((READ, 50), (MODIFY, 50)), 'inserts': ((INSERT, 1),), 'C, a connection each': ((READ, 1),)}


def children_ms(postmaster):
    """The processor time of all backends that have ended."""
    with open(f'/proc/{postmaster}/stat', encoding='ascii') as file:
        fields = file.read().rpartition(')')[2].split()
    return (int(fields[13]) + int(fields[14])) * 1000 / os.sysconf('SC_CLK_TCK')


def pgbench(t, workload, transactions, postmaster, connect):
    """ms of the backends' processor time for each transaction."""
    with tempfile.TemporaryDirectory() as place:
        command = ['pgbench', '-n', '-M', 'simple' if connect else 'prepared', '-c', str(CLIENTS), '-j', '2', '-t', str(transactions)] + ['-C'] * connect
        for number, (script, weight) in enumerate(workload):
            path = f'{place}/{number}'
            with open(path, 'w', encoding='ascii') as file:
                # some rows are asked for most often, and these are anywhere in the table
                file.write(f'\\set place random_zipfian(1, {YCSB_ROWS}, 1.01)\n\\set key abs(hash(:place)) % {YCSB_ROWS} + 1\n\\set field random(0, 9)\n' + script.format(t=t) + '\n')
            command += ['-f', f'{path}@{weight}']
        before = children_ms(postmaster)
        done = subprocess.run(command, env=environment(DATABASE), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            raise Failure(first_error(done.stderr))
        time.sleep(0.3)
        return (children_ms(postmaster) - before) / (CLIENTS * transactions)


def ycsb(rounds, progress):
    source = "SELECT i AS id, (SELECT json_object_agg('field' || k, (SELECT string_agg(md5(i || '/' || k || '/' || n), '') FROM generate_series(1, 3) AS n)) FROM generate_series(0, 9) AS k)::text AS data FROM generate_series(1, {}) AS i"
    load('ycsb', source.format(YCSB_ROWS))
    psql('CREATE INDEX ON text_ycsb (id);' + ''.join(f'CREATE UNIQUE INDEX ON {t}_ycsb (id); CREATE TABLE {t}_new (id int, data {t});' for t in TYPES))
    session = Session('')
    backend = int(session.run('SELECT pg_backend_pid();'))
    with open(f'/proc/{backend}/stat', encoding='ascii') as file:
        postmaster = int(file.read().rpartition(')')[2].split()[1])
    session.end()
    for name, workload in WORKLOADS.items():
        progress.step(f'YCSB {name}')
        connect = name.endswith('each')
        times = {t: [] for t in TYPES}
        for _ in range(rounds):
            for t in TYPES:
                psql('TRUNCATE jsonb_new, bson_new; CHECKPOINT;')
                times[t].append(pgbench(t, workload, 5 if TINY else 100 if connect else 1500, postmaster, connect))
        yield 'YCSB, 8 clients', name, times


BENCHMARKS = {'nobench': nobench, 'tpch': tpch, 'real': real, 'small': small, 'pipelines': pipelines}


def report_shares(shares):
    """shares: {group: [(jsonb/bson, the library's part), ...]}"""
    return '\n'.join(['', "## The library's part of the time", ''] + table(['benchmark', 'part', 'jsonb/bson', 'if it took no time'], [
        [group, f'{statistics.mean(part for _, part in rows):.2f}', f'{geometric_mean([r for r, _ in rows]):.2f}', f'{geometric_mean([r / (1 - part) for r, part in rows]):.2f}']
        for group, rows in shares.items()])) + '\n'


def report(results, version, rounds):
    groups = {}
    for group, name, times in results:
        last = [*times][-1]
        groups.setdefault(group, []).append((name, times, [ratio(times[t], times[last]) for t in times if t != last]))
    lines = ['# The benchmarks of the field', '', f'PostgreSQL {version}, commit {os.environ.get("BENCH_COMMIT", "?")}. Processor time of the backend, medians of {rounds} to {6 * rounds} interleaved rounds; '
             'the ratio says how many times as fast bson is. `bench/start field`', '']
    found = {group: [r for _, _, (r, *_) in rows if r is not None] for group, rows in groups.items()}
    found['all'] = [r for ratios in found.values() for r in ratios]
    lines += table(['benchmark', 'statements', 'mean', 'least', 'below 1'],
                   [[group, len(ratios), f'{geometric_mean(ratios):.2f}', f'{min(ratios, default=0):.2f}', sum(r < 1 for r in ratios)] for group, ratios in found.items()])
    for group, rows in groups.items():
        names = [*rows[0][1]]
        lines += ['', f'## {group}', ''] + table(['statement', *[f'{t} ms' for t in names], *[f'{t}/{names[-1]}' for t in names[:-1]]], [
            [name, *[str(t) if isinstance(t, Failure) else f'{statistics.median(t):.3g}' for t in times.values()], *['' if r is None else f'{r:.2f}' for r in ratios]]
            for name, times, ratios in rows])
    if GIN_SIZES:
        lines += ['', '## Sizes of GIN indexes of all keys', ''] + table(['documents', *[f'{t}{c} MB' for c in ('', ' path_ops') for t in TYPES], 'bson/jsonb'], [
            [name, *[f'{size:.2f}' for size in sizes], f'{sizes[1] / sizes[0]:.2f}; {sizes[3] / sizes[2]:.2f}'] for name, *sizes in GIN_SIZES])
    return '\n'.join(lines) + '\n'


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--rounds', type=int, default=7)
    parser.add_argument('--keep', action='store_true')
    parser.add_argument('--plans', action='store_true')
    parser.add_argument('--share', action='store_true')
    parser.add_argument('benchmark', nargs='*', choices=[*BENCHMARKS, 'ycsb', []])
    options = parser.parse_args()
    if options.share and not shutil.which('perf'):
        parser.error('--share needs perf (of the package linux-perf)')
    wanted = options.benchmark or [*BENCHMARKS, 'ycsb']

    progress = Progress(0)
    results, plans, shares = [], [], {}
    for benchmark in wanted:
        # anew, so that the tables of another one are not in the server's buffers
        make_database(DATABASE, 'bson')
        if benchmark == 'ycsb':
            results += ycsb(max(options.rounds // 2, 1), progress)
            continue
        for case in BENCHMARKS[benchmark]():
            progress.step(case.name)
            times = measure({t: (case.sql[t], case.before[t], case.after[t]) for t in case.sql}, options.rounds, 6 * options.rounds)
            results.append((case.group, case.name, times))
            if options.share and not any(isinstance(ms, Failure) for ms in times.values()):
                last = [*times][-1]
                part = share(case, statistics.median(times[last]))
                if part is not None:
                    shares.setdefault(case.group, []).append((ratio(times['jsonb'], times[last]), part))
            if options.plans:
                plans += [f'{case.group}, {case.name}, {t}\n{plan(case, t)}' for t in TYPES]
    progress.end()
    version = psql("SELECT current_setting('server_version')", 'postgres')[0].strip()
    if not options.keep:
        drop_database(DATABASE)

    text = report(results, version, options.rounds) + (report_shares(shares) if shares else '')
    place = publish('field.md', text)
    with open(f'{place}/field.json', 'w', encoding='utf-8') as file:
        json.dump([[group, name, {t: None if isinstance(ms, Failure) else ms for t, ms in times.items()}] for group, name, times in results], file)
    if plans:
        with open(f'{place}/field_plans.txt', 'w', encoding='utf-8') as file:
            file.write('\n'.join(plans))
    failed = sum(isinstance(ms, Failure) for _, _, times in results for ms in times.values())
    if failed:
        sys.exit(f'{failed} statements failed')


if __name__ == '__main__':
    os.chdir(os.path.dirname(os.path.abspath(__file__)))
    main()
