"""What micro.py and run.py share: a server through psql, and statements timed in interleaved rounds.

PGHOST and similar variables lead to the server. Everything happens in a separate database.
"""
import itertools
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
DATABASE = os.environ.get('BENCH_DATABASE') or 'bson_bench'

# One process and no compilation, so that the work on a document is compared
SETTINGS = ('SET jit = off; SET max_parallel_workers_per_gather = 0; SET max_parallel_maintenance_workers = 0; '
            'SET client_min_messages = warning;')

# ns: of the backend's processor, or of the wall, where other processes do the work
CLOCK = "SELECT '@at ' || split_part(pg_read_file('/proc/self/schedstat'), ' ', 1);"
WALL = "SELECT '@at ' || (extract(epoch FROM clock_timestamp()) * 1000000000)::bigint;"


class Failure(Exception):
    """A statement or a tool failed; str() is what to show in a row of a table."""


def first_error(text):
    for line in text.splitlines():
        found = re.search(r'(?:ERROR|FATAL|PANIC):\s*(.*)|(server closed the connection unexpectedly)', line)
        if found:
            return found[1] or 'the server crashed'
    lines = text.strip().splitlines()
    return lines[-1] if lines else 'failed without a message'


def environment(database=DATABASE, options=''):
    # unlike our own databases, this one may hold objects that others have made
    if database == 'postgres':
        options += ' -c search_path=pg_catalog'
    return dict(os.environ, PGDATABASE=database, PGCLIENTENCODING='UTF8', PGTZ='UTC',
                PGOPTIONS=f'{os.environ.get("PGOPTIONS", "")} {options}'.strip())


def psql(script, database=DATABASE, stop=True, timeout=None):
    """Run a script; return its output and its errors."""
    command = ['psql', '-X', '-q', '-A', '-t', '-v', f'ON_ERROR_STOP={int(stop)}']
    try:
        done = subprocess.run(command, input=script, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              cwd=HERE, env=environment(database), timeout=timeout)
    except FileNotFoundError:
        raise Failure('psql is not installed') from None
    except subprocess.TimeoutExpired:
        raise Failure(f'not done after {timeout} s') from None
    if stop and done.returncode:
        raise Failure(first_error(done.stderr))
    return done.stdout, done.stderr


class Session:
    """A psql that stays: run() gives it a part of a script and returns what that printed."""

    def __init__(self, script, database=DATABASE, timeout=300):
        self.errors = tempfile.TemporaryFile('w+')
        self.psql = subprocess.Popen(['psql', '-X', '-q', '-A', '-t'], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True,
                                     cwd=HERE, env=environment(database))
        self.timeout = timeout
        self.run(script)

    def run(self, script):
        """Failure if it is not done in time, or the connection is lost."""
        lines = []
        timer = threading.Timer(self.timeout, self.psql.kill)
        timer.start()
        try:
            self.psql.stdin.write(f"{script}\nSELECT '@done';\n")
            self.psql.stdin.flush()
            for line in self.psql.stdout:
                if line == '@done\n':
                    return ''.join(lines)
                lines.append(line)
        except BrokenPipeError:
            pass
        finally:
            timer.cancel()
        raise Failure(first_error(self.said()))

    def to_one_processor(self):
        """Keep the backend on the last processor, if it runs here and we may.

        For minutes, one processor of a virtual machine can take half as long again as another, and backends stay where they are.
        """
        if os.environ.get('PGHOST', '/')[:1] != '/' or not hasattr(os, 'sched_setaffinity'):
            return
        pid = int(self.run('SELECT pg_backend_pid();'))
        try:
            with open(f'/proc/{pid}/comm') as name:
                if name.read().startswith('postgres'):
                    os.sched_setaffinity(pid, {max(os.sched_getaffinity(pid))})
        except OSError:
            pass

    def timed(self, sql, before='', after='', clock=CLOCK):
        """The ms that a statement took by this clock; a Failure with its error."""
        mark = len(self.said())
        output = self.run(f'\\o /dev/null\n{before}\n\\o\n{clock}\n\\o /dev/null\n{sql.rstrip(";")};\n\\o\n'
                          f'\\echo @failed :ERROR\n{clock}\n\\o /dev/null\n{after}\n\\o\n')
        at = [int(n) for n in re.findall(r'^@at (\d+)', output, re.MULTILINE)]
        if '@failed true' in output or len(at) != 2:
            raise Failure(first_error(self.said()[mark:]))
        return (at[1] - at[0]) / 1e6

    def said(self):
        """Its errors so far."""
        self.errors.seek(0)
        return self.errors.read()

    def end(self):
        self.psql.kill()
        self.psql.wait()
        for file in (self.psql.stdin, self.psql.stdout, self.errors):
            try:
                file.close()
            except BrokenPipeError:
                pass


ENOUGH = 40                     # ms of processor time that the rounds of a competitor take together


def enough(times, rounds, most):
    """At least this number of rounds; up to "most" for short statements, which the state of the processor's caches changes most."""
    found = [t for t in times.values() if not isinstance(t, Failure)]
    return not found or min(map(len, found)) >= rounds and (min(map(sum, found)) >= ENOUGH or min(map(len, found)) >= most)


def measure(statements, rounds, most, clock=CLOCK, limit=60):
    """{competitor: [ms, ...] or Failure} of {competitor: (statement, what goes before it, and after it)}.

    Each has a session of its own: what one does to a backend's memory does not help another.  A statement may take "limit" seconds.
    """
    result, sessions = {who: [] for who in statements}, {}
    try:
        for number in itertools.count():
            if enough(result, rounds, most):
                return result
            for who in [who for who in statements if not isinstance(result[who], Failure)]:
                try:
                    if who not in sessions:
                        sessions[who] = Session(f"{SETTINGS} SET statement_timeout = '{limit} s'; SET max_stack_depth = '6MB';", timeout=5 * limit)
                        if clock != WALL:
                            sessions[who].to_one_processor()
                    ms = sessions[who].timed(*statements[who], clock)
                except Failure as failure:
                    result[who] = failure
                    continue
                if number > 0:
                    result[who].append(ms)
    finally:
        for session in sessions.values():
            session.end()


def wait_for_server(database=DATABASE):
    """After a crash the server needs a moment to recover."""
    for _ in range(120):
        try:
            return psql('SELECT 1', database)
        except Failure:
            time.sleep(0.5)
    raise Failure('the server does not come back')


def make_database(name, extension):
    drop_database(name)
    psql(f'CREATE DATABASE {name} TEMPLATE template0 ENCODING \'UTF8\'', 'postgres')
    psql(f'CREATE EXTENSION {extension} CASCADE', name)
    psql('\\i data.sql', name)


def drop_database(name):
    psql(f'DROP DATABASE IF EXISTS {name}', 'postgres')


class Statement:
    """The work of one competitor in a round: untimed preparation, then the statement that is timed.

    "explain" times it in the server (EXPLAIN ANALYZE: results are computed, not sent);
    otherwise psql's \\timing does, as for \\copy and for several statements.
    """

    def __init__(self, sql, before='', after='', explain=True):
        self.sql, self.before, self.after, self.explain = sql, before, after, explain

    def script(self, cpu=False):
        explained = f'EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF, SUMMARY ON) {self.sql};\n'
        if cpu:
            sql = explained if self.explain else f'{self.sql}\n'
            timed = f'SET log_statement_stats = on;\n\\warn @begin\n{sql}\\warn @end\nSET log_statement_stats = off;\n'
        elif self.explain:
            timed = explained
        else:
            timed = f'\\timing on\n{self.sql}\n\\timing off\n'
        before = f'{self.before}\n\\echo @failed :ERROR\n' if self.before else ''
        return f'{before}\\echo @begin\n{timed}\\echo @end\n\\echo @failed :ERROR\n{self.after}\n'

    def milliseconds(self, output):
        if '@failed true' in output:
            return None
        output = output.partition('@begin')[2].partition('@end')[0]
        pattern = r'^ *Execution Time: ([\d.]+) ms' if self.explain else r'^Time: ([\d.]+) ms'
        times = re.findall(pattern, output, re.MULTILINE)
        return sum(map(float, times)) if times else None


def processor_times(errors):
    """Parse the messages of log_statement_stats: {(round, name): ms of the backend's processor time}."""
    found = {}
    for number, name, text in re.findall(r'^@run (\d+) (\S+)\n(.*?)(?=^@run|\Z)', errors, re.MULTILINE | re.DOTALL):
        timed = text.partition('@begin')[2].partition('@end')[0]
        used = re.search(r'^!\s*([\d.]+) s user, ([\d.]+) s system, ', timed, re.MULTILINE)
        found[int(number), name] = (float(used[1]) + float(used[2])) * 1000 if used else None
    return found


def interleaved(statements, rounds, prologue='', database=DATABASE, timeout=None, cpu=False):
    """Run {name: Statement} in turn, "rounds" times after an uncounted one, in one session.

    Returns {name: [ms, ...] or Failure}.  A competitor that fails is left out. So is one that crashes the server, and the
    others are then measured again without it.  "cpu" measures the backend's processor time, which needs a superuser,
    instead of elapsed time, for machines with other work to do.
    """
    result, left = {}, dict(statements)
    while left:
        script = [SETTINGS, prologue]
        if cpu:
            script.append('SET client_min_messages = log;')
        for round_ in range(rounds + 1):
            for name, statement in left.items():
                mark = f'@run {round_} {name}'
                script.append(f'\\echo {mark}\n' + (f'\\warn {mark}\n' if cpu else '') + statement.script(cpu))
        try:
            output, errors = psql('\n'.join(script), database, stop=False, timeout=timeout)
        except Failure as failure:
            result.update({name: failure for name in left})
            return result
        runs = re.split(r'^@run (\d+) (\S+)\n', output, flags=re.MULTILINE)
        times, last = {name: [] for name in left}, None
        used = processor_times(errors) if cpu else {}
        for number, name, text in zip(runs[1::3], runs[2::3], runs[3::3]):
            ms, last = used.get((int(number), name)) if cpu else left[name].milliseconds(text), name
            if ms is None or times[name] is None:
                times[name] = None
            elif int(number) > 0:
                times[name].append(ms)
        failed = [name for name in left if times[name] is None]
        if re.search('server closed the connection|connection to server was lost', errors) and last:
            result[last] = Failure('the server crashed')
            del left[last]
            wait_for_server(database)
            continue
        if failed and errors:
            for name in failed:
                # run it again alone, to get its own message
                _, own = psql(SETTINGS + prologue + left[name].script(), database, stop=False, timeout=timeout)
                result[name] = Failure(first_error(own))
        for name in left:
            if name not in result:
                result[name] = times[name] or Failure('no time was measured')
        return result
    return result


def publish(name, text):
    """Print a table, and write it to a file among the results, whose folder is returned"""
    print(text)
    place = os.environ.get('RESULTS', 'results/local')
    os.makedirs(place, exist_ok=True)
    with open(f'{place}/{name}', 'w', encoding='utf-8') as file:
        file.write(text)
    return place


def ratio(numerator, denominator):
    """The median of the rounds' ratios of two lists of times; None if either failed."""
    if isinstance(numerator, Failure) or isinstance(denominator, Failure) or not numerator or not denominator:
        return None
    return statistics.median(n / max(d, 1e-3) for n, d in zip(numerator, denominator))


def geometric_mean(values):
    return statistics.geometric_mean(values) if values else float('nan')


class Progress:
    """A progress bar on a terminal; nothing elsewhere."""

    def __init__(self, total):
        self.total, self.done, self.began = total, 0, time.monotonic()
        self.shown = sys.stderr.isatty()

    def step(self, label):
        if self.shown:
            filled = 30 * self.done // max(self.total, 1)
            print(f'\r\033[K[{"#" * filled}{"." * (30 - filled)}] {self.elapsed():4.0f} s  {label[:60]}',
                  end='', file=sys.stderr, flush=True)
        self.done += 1

    def elapsed(self):
        return time.monotonic() - self.began

    def end(self):
        if self.shown:
            print('\r\033[K', end='', file=sys.stderr, flush=True)
