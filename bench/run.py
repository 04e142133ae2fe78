#!/usr/bin/env python3
"""The experiments of the paper and the posts, for json, jsonb, bson and other extensions of that kind.

    bench/run.py [TASK...]

Each folder of tasks/ is one experiment: task.json says what and how large, source.sql makes
the documents, and each competitor has one script.  pgbench measures where it did originally.

Environment: PGHOST and similar variables lead to a server with the extension installed;
SCALE is tiny, small (10 minutes) or full (the original sizes); DATA is a file of JSON lines to
use as well; RESULTS is the directory for results.json and results.md.  CPU=1 measures the backend's processor time,
except where several clients or random keys need pgbench; it is for machines with other work to do.
"""
import datetime
import itertools
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile

import documents
from harness import (DATABASE, HERE, SETTINGS, Failure, Progress, Statement, drop_database, environment, first_error,
                     interleaved, make_database, psql, wait_for_server)
from report import markdown

TYPES = ('json', 'jsonb', 'bson')
# other extensions: their name, the type, the schemas to look in
PEERS = {'pgbson': ('pgbson', 'bson', 'public'),
         'documentdb': ('documentdb_core', 'documentdb_core.bson', 'documentdb_core,public')}
SCALES = {'tiny': {'rounds': 1, 'length': ['-t', '1']},
          'small': {'rounds': 3, 'length': ['-T', '1']},
          'full': {'rounds': 5, 'length': ['-T', '10']}}
STORAGE = {'pglz': 'SET STORAGE EXTENDED, ALTER data SET COMPRESSION pglz',
           'lz4': 'SET STORAGE EXTENDED, ALTER data SET COMPRESSION lz4',
           'external': 'SET STORAGE EXTERNAL'}
TIMEOUT = 900
CPU = os.environ.get('CPU') == '1'


class Competitor:
    """A type, in a schema of its own; another extension's type in a database of its own."""

    def __init__(self, name, type_name=None, database=DATABASE, schemas='public'):
        self.name, self.type, self.database = name, type_name or name, database
        self.path = f'bench_{name},{schemas}'
        self.prologue = f'SET search_path = {self.path};'
        self.broken = None      # why it cannot take part

    def run(self, script):
        return psql(f'{SETTINGS}{self.prologue}\n{script}', self.database, timeout=TIMEOUT)[0]


def competitors():
    """json, jsonb and bson; text where a task asks for it; and every peer the server has."""
    make_database(DATABASE, 'bson')
    found = [Competitor(name) for name in ('text',) + TYPES]
    available = psql('SELECT name FROM pg_available_extensions', 'postgres')[0].split()
    for name, (extension, type_name, schemas) in PEERS.items():
        if extension in available:
            peer = Competitor(name, type_name, f'{DATABASE}_{name}', schemas)
            try:
                make_database(peer.database, extension)
            except Failure as failure:
                peer.broken = failure
            found.append(peer)
    for one in found:
        if not one.broken:
            psql(f'CREATE SCHEMA bench_{one.name}', one.database)
    return found


class Task:
    def __init__(self, name, scale):
        self.name, self.folder = name, os.path.join(HERE, 'tasks', name)
        with open(os.path.join(self.folder, 'task.json'), encoding='utf-8') as file:
            self.about = json.load(file)
        self.measure = self.about['measure']
        if CPU and self.measure == 'pgbench' and '\\set' not in self.script('bson') and 'clients' not in str(self.about['sizes']):
            # with one client that sends one statement, the server can report its processor time
            self.measure = 'explain'
        self.unit = self.about.get('unit', 'bytes' if self.measure == 'size' else 'ms')
        self.sizes = self.about['sizes'][scale]

    def variants(self):
        """Every combination of the sizes; "a+b" holds pairs for a and b."""
        for values in itertools.product(*self.sizes.values()):
            variant = {}
            for name, value in zip(self.sizes, values):
                names = name.split('+')
                variant.update(zip(names, value) if len(names) > 1 else [(name, value)])
            yield variant

    def script(self, name):
        path = os.path.join(self.folder, f'{name}.sql')
        if not os.path.exists(path):
            return None
        with open(path, encoding='utf-8') as file:
            return file.read()

    def scripts(self, everyone):
        """{competitor: script}; a competitor without a script does not take part in this task."""
        found = {one: self.script(one.name) for one in everyone}
        return {one: script for one, script in found.items() if script is not None}


def fill_in(text, values):
    """Replace :name for known names; the colons of casts and documents stay."""
    def value(found):
        return str(values[found[1]]) if found[1] in values else found[0]
    return re.sub(r'(?<!:):([a-z_]+)', value, text)


class Runner:
    def __init__(self, scale, everyone, parts):
        self.scale, self.everyone, self.parts = scale, everyone, parts
        self.directory = tempfile.TemporaryDirectory()

    def path(self, name):
        return os.path.join(self.directory.name, name)

    def values(self, variant, one):
        values = {name: str(value).replace('{type}', one.type) for name, value in variant.items()}
        values |= {'type': one.type, 'file': self.path('source.txt'), 'document': self.document}
        if 'documents' in variant:
            values['part'] = self.parts.get(variant['documents'], '{}').replace("'", "''")
        return values

    def make_source(self, task, variant):
        """bench.source: the documents as text, the same for all competitors."""
        source = task.script('source')
        self.document = ''
        if source is None:
            return
        script = (f'DROP TABLE IF EXISTS bench.source; CREATE TABLE bench.source (id int, data text);\n'
                  f'ALTER TABLE bench.source ALTER data SET STORAGE EXTERNAL;\n'
                  f'INSERT INTO bench.source {fill_in(source, variant)};\n')
        for database in {one.database for one in self.everyone if not one.broken}:
            psql(script, database, timeout=TIMEOUT)
        if task.about.get('file'):
            psql(f"\\copy bench.source(data) to '{self.path('source.txt')}'")
        self.document = psql('SELECT data FROM bench.source ORDER BY id LIMIT 1')[0].rstrip('\n').replace("'", "''")

    def load(self, task, variant, one):
        """Its table: docs (id, data), or what the task says, in its schema."""
        if one.broken:
            raise one.broken
        if task.script('source') is None:
            return
        table = task.about.get('table')
        script = ['DROP TABLE IF EXISTS docs CASCADE;',
                  f'{table or "CREATE TABLE docs (id int PRIMARY KEY, data :type)"};',
                  f'ALTER TABLE docs ALTER data {STORAGE[variant.get("storage", "pglz")]};']
        if not table:
            script += ['INSERT INTO docs SELECT id, CAST(data AS :type) FROM bench.source;']
        script += [f'{task.about["setup"]};' if 'setup' in task.about else '']
        one.run(fill_in('\n'.join(script), self.values(variant, one)) + '\nVACUUM ANALYZE docs;')

    def pgbench(self, task, variant, one, script):
        """One run; the latency in ms, or the transactions per second."""
        before = task.about.get('before')
        if before:
            one.run(f'{before};')
        path = self.path(f'{one.name}.sql')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(script)
        clients = str(variant.get('clients', 1))
        settings = '-c jit=off -c max_parallel_workers_per_gather=0'
        command = ['pgbench', '-n', '-f', path, '-c', clients, '-j', '1'] + self.scale['length'] + [one.database]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT,
                                  env=environment(one.database, f'{settings} -c search_path={one.path}'))
        except FileNotFoundError:
            raise Failure('pgbench is not installed') from None
        except subprocess.TimeoutExpired:
            raise Failure(f'not done after {TIMEOUT} s') from None
        pattern = r'^tps = ([\d.]+)' if task.unit == 'TPS' else r'^latency average = ([\d.]+)'
        found = re.search(pattern, done.stdout, re.MULTILINE)
        if done.returncode or not found:
            if 'server closed the connection' in done.stderr:
                wait_for_server(one.database)
                raise Failure('the server crashed')
            raise Failure(first_error(done.stderr))
        return float(found[1])

    def in_rounds(self, measure, contenders):
        """Call measure(one, script) for each in turn; a competitor that fails is left out."""
        samples = {}
        for _ in range(self.scale['rounds']):
            for one, script in contenders.items():
                if isinstance(samples.get(one), Failure):
                    continue
                try:
                    samples.setdefault(one, []).append(measure(one, script))
                except Failure as failure:
                    samples[one] = failure
        return samples

    def statements(self, task, contenders):
        """The time that psql or the server measures; competitors of one database share a session."""
        before = task.about.get('before', '')
        samples = {}
        for database in dict.fromkeys(one.database for one in contenders):
            here = {one.name: one for one in contenders if one.database == database}
            timed = interleaved({name: Statement(contenders[one].rstrip().rstrip(';') if task.measure == 'explain' else contenders[one],
                                                 before=f'{one.prologue} {fill_in(before, {"type": one.type})};',
                                                 explain=task.measure == 'explain')
                                 for name, one in here.items()}, self.scale['rounds'], database=database, timeout=TIMEOUT, cpu=CPU)
            samples |= {here[name]: times for name, times in timed.items()}
        return samples

    def size(self, one, script):
        return float(one.run(script).strip())

    def run(self, task, variant, scripts):
        """A row: the samples of every competitor, or why there are none."""
        samples, contenders = {}, {}
        for one, script in scripts.items():
            try:
                self.load(task, variant, one)
                contenders[one] = fill_in(script, self.values(variant, one))
            except Failure as failure:
                samples[one] = failure
                if not one.broken and 'crash' in str(failure):
                    wait_for_server(one.database)
        if task.measure == 'pgbench':
            samples |= self.in_rounds(lambda one, script: self.pgbench(task, variant, one, script), contenders)
        elif task.measure == 'size':
            samples |= self.in_rounds(self.size, contenders)
        else:
            samples |= self.statements(task, contenders)
        return {'task': task.name, 'variant': variant, 'unit': task.unit,
                'competitors': {one.name: outcome(samples[one]) for one in scripts}}


def outcome(samples):
    if isinstance(samples, Failure):
        return {'error': str(samples)}
    return {'median': statistics.median(samples), 'min': min(samples), 'max': max(samples), 'samples': samples}


def commit():
    done = subprocess.run(['git', 'rev-parse', '--short', 'HEAD'], cwd=HERE, capture_output=True, text=True)
    return os.environ.get('BENCH_COMMIT') or done.stdout.strip()


def processor():
    try:
        with open('/proc/cpuinfo', encoding='utf-8') as file:
            return re.search(r'^model name\s*: (.*)', file.read(), re.MULTILINE)[1]
    except (OSError, TypeError):
        return platform.machine()


def circumstances(scale):
    settings = ('shared_buffers', 'fsync', 'synchronous_commit', 'full_page_writes', 'work_mem',
                'maintenance_work_mem', 'max_wal_size', 'default_toast_compression')
    values = psql('SELECT ' + ', '.join(f"current_setting('{name}')" for name in settings), 'postgres')[0].strip().split('|')
    return {'date': datetime.date.today().isoformat(), 'commit': commit(), 'scale': scale, 'cpu': CPU,
            'server': psql('SELECT version()', 'postgres')[0].strip(),
            'machine': f'{processor()}, {os.cpu_count()} cores', 'settings': dict(zip(settings, values))}


def main():
    scale_name = os.environ.get('SCALE') or 'small'
    if scale_name not in SCALES:
        sys.exit(f'SCALE is one of {", ".join(SCALES)}')
    known = sorted(entry.name for entry in os.scandir(os.path.join(HERE, 'tasks')) if entry.is_dir())
    names = sys.argv[1:] or known
    if set(names) - set(known):
        sys.exit(f'tasks are {", ".join(known)}')
    tasks = [Task(name, scale_name) for name in names]
    results_directory = os.path.abspath(os.environ.get('RESULTS') or os.path.join(HERE, 'results', 'local'))

    try:
        about = circumstances(scale_name)
        everyone = competitors()
        parts = {'events': '{"type":"PushEvent"}'}
        if any('documents' in task.sizes for task in tasks) and scale_name != 'tiny':
            for database in {one.database for one in everyone if not one.broken}:
                parts = documents.load(lambda script, d=database: psql(script, d), os.environ.get('DATA'))
    except (Failure, OSError, ValueError) as failure:
        sys.exit(f'cannot begin: {failure}')

    made = {'small', 'events', 'people', 'wide', 'five', 'strings'}
    plan = [(task, variant) for task in tasks for variant in task.variants()
            if variant.get('documents', 'events') in made | set(parts)]
    runner, progress, rows, source = Runner(SCALES[scale_name], everyone, parts), Progress(len(plan)), [], None
    titles = {task.name: {'title': task.about['title'], 'said': task.about['said']} for task in tasks}

    def save():
        results = {'about': about | {'took': round(progress.elapsed())}, 'tasks': titles, 'rows': rows}
        os.makedirs(results_directory, exist_ok=True)
        with open(os.path.join(results_directory, 'results.json'), 'w', encoding='utf-8') as file:
            json.dump(results, file, indent=1, ensure_ascii=False)
        with open(os.path.join(results_directory, 'results.md'), 'w', encoding='utf-8') as file:
            file.write(markdown(results))

    for task, variant in plan:
        # so that an interrupted run keeps its results
        if rows and rows[-1]['task'] != task.name:
            save()
        progress.step(f'{task.name} {" ".join(str(value) for value in variant.values())}')
        used = {name: value for name, value in variant.items() if f':{name}' in (task.script('source') or '')}
        try:
            if source != (task.script('source'), used, task.about.get('file')):
                runner.make_source(task, variant)
            source = (task.script('source'), used, task.about.get('file'))
            rows.append(runner.run(task, variant, task.scripts(everyone)))
        except Failure as failure:
            rows.append({'task': task.name, 'variant': variant, 'unit': task.unit,
                         'competitors': {one.name: {'error': str(failure)} for one in task.scripts(everyone)}})
    progress.end()

    save()
    with open(os.path.join(results_directory, 'results.md'), encoding='utf-8') as file:
        print(file.read())
    for one in everyone:
        drop_database(one.database)
    verdict(rows)


def verdict(rows):
    """For test/bin/check: did every task give a figure for every competitor?"""
    for name in dict.fromkeys(row['task'] for row in rows):
        errors = [f'{who}: {found["error"]}' for row in rows if row['task'] == name
                  for who, found in row['competitors'].items() if 'error' in found and who not in PEERS]
        print(f'not ok {name}: {errors[0]}' if errors else f'ok {name}')


if __name__ == '__main__':
    main()
