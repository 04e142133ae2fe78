"""
promises: what test/bin/readme tries of a recipe besides running it.

Two sessions.  The block is run by two sessions whose transactions overlap, at READ COMMITTED and REPEATABLE READ, in both
orders of commit, where the first rolls back, and, if it has several statements, with them in turns.  Tables and
results must be what some order of the two, one after the other, gives.  At REPEATABLE READ the server may refuse one
of them by error 40001, and elsewhere only by the errors that the page says are retried; that transaction is then
run again.

Indexes.  The tables get the 50,000 documents of the page, and of all indexes only those that the block names; then the
plan of one of its statements must name each.

Odd documents.  The tables hold what stages.txt has under that name, and the block must print what is there.
"""
import os
import queue
import re
import subprocess
import threading
import time

STAGES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'mongo', 'stages.txt')


class Session:
    """A psql that is given statements while others run."""

    def __init__(self, database):
        self.process = subprocess.Popen(['psql', '-X', '-A', '-t', '-v', 'VERBOSITY=sqlstate', '-d', database], text=True, bufsize=1,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.lines = queue.Queue()
        self.output = []
        self.busy = False
        threading.Thread(target=self.listen, daemon=True).start()
        self.pid = self.ask('SELECT pg_backend_pid()')[0]

    def listen(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip('\n'))

    def begin(self, sql):
        """Send statements; done() says when they have run, and self.output what they printed."""
        self.output, self.busy = [], True
        self.process.stdin.write(sql.rstrip().rstrip(';') + ';\n\\echo done\n')

    def done(self, seconds=0.01):
        """Has what was sent come to its end, or does it within some seconds?"""
        end = time.monotonic() + seconds
        while self.busy and (left := end - time.monotonic()) > 0:
            try:
                line = self.lines.get(timeout=left)
            except queue.Empty:
                break
            if line == 'done':
                self.busy = False
            else:
                self.output.append(line)
        return not self.busy

    def ask(self, sql):
        self.begin(sql)
        if not self.done(60):
            raise TimeoutError(sql)
        return self.output

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Client:
    """One of two sessions: statements of one transaction, to be run one by one, and again if they must be retried."""

    def __init__(self, database, statements, level, retried):
        self.session = Session(database)
        self.statements, self.level, self.retried = statements, level, retried
        self.printed, self.at, self.error = [], -1, ''

    def step(self):
        """Begin the next statement; the first one begins the transaction, too."""
        self.at += 1
        begin = f'BEGIN ISOLATION LEVEL {self.level};\n' if self.at == 0 else ''
        self.session.begin(begin + self.statements[self.at])

    def settle(self, watcher):
        """Wait until the statement has run, or waits for another session; return whether it has run."""
        if not self.session.busy:
            return True
        while not self.session.done():
            if watcher.ask(f'SELECT cardinality(pg_blocking_pids({self.session.pid}))') != ['0'] and not self.session.done(0.05):
                return False
        self.take()
        return True

    def take(self):
        """Keep what a statement printed."""
        self.printed += [line for line in self.session.output if line not in ('BEGIN', 'COMMIT')]
        errors = [line.split()[1] for line in self.session.output if line.startswith('ERROR:')]
        self.error = self.error or (errors[0] if errors else '')

    @property
    def ended(self):
        """Have all its statements run without an error?"""
        return not self.session.busy and not self.error and not self.more

    @property
    def more(self):
        return self.at + 1 < len(self.statements) and not self.error

    def end(self, how):
        """Commit or roll back; after an error to be retried run all again, when nobody else is in the way."""
        while self.session.busy or self.more:
            if not self.session.busy:
                self.step()
            if not self.session.done(30):
                return f'{self.statements[self.at]} waits for ever'
            self.take()
        if self.error and self.error not in self.retried:
            return f'error {self.error} at {self.level}, which the page does not say is to be retried'
        if self.error:
            self.session.ask('ROLLBACK')
            self.printed, self.at, self.error = [], -1, ''
            return self.end(how) if how == 'COMMIT' else ''
        self.session.ask(how)
        if how == 'ROLLBACK':
            self.printed = []
        return ''


def statements_of(sql):
    """The statements of a block, without BEGIN and COMMIT; each ends a line."""
    return [each for each in re.split(r'(?<=;)[ \t]*(?:--.*)?\n', sql.strip() + '\n')
            if each.strip() and not re.match(r'(BEGIN|COMMIT)\b', each.strip())]


class Promises:
    def __init__(self, database, fills, text):
        self.database, self.fills, self.text = database, fills, text
        self.scratch = database + '_two'
        self.definitions = None
        self.filled = None

    def psql(self, script, database=None):
        done = subprocess.run(['psql', '-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1', '-d', database or self.database], input=script,
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return done.stdout

    def two_sessions(self, block):
        """What two sessions do wrong that run the block at once."""
        first = statements_of(block.sql)
        mark = block.marks['two sessions']
        second = statements_of(mark.split(': ', 1)[1].replace('; ', ';\n')) if mark else first
        retried = set(re.findall(r'\w+', block.marks.get('retried', '')))
        for state in retried | {'40001'}:
            if state not in self.text:
                return f'the page does not say that {state} is to be retried'
        subprocess.run(['createdb', '-T', self.database, self.scratch], check=True)
        watcher = Session(self.scratch)
        try:
            return self.overlap(watcher, first, second, retried, block.sql + mark)
        except TimeoutError as error:
            return f'{error} waits for ever'
        finally:
            watcher.close()
            subprocess.run(['dropdb', '--force', self.scratch], check=True)

    def overlap(self, watcher, first, second, retried, text):
        tables = [table for table in watcher.ask("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")
                  if re.search(rf'\b{table}\b', text)]
        watcher.ask('SET client_min_messages = error; CREATE SCHEMA saved')
        watcher.ask(f"ALTER DATABASE {self.scratch} SET deadlock_timeout = '50ms'")
        for table in tables:
            watcher.ask(f'CREATE TABLE saved.{table} AS TABLE public.{table}')

        def restore():
            for table in tables:
                watcher.ask(f'TRUNCATE public.{table}; INSERT INTO public.{table} SELECT * FROM saved.{table}')

        def state():
            return '\n'.join('\n'.join([table] + watcher.ask(f'SELECT * FROM public.{table} AS t ORDER BY t')) for table in tables)

        def serial(*runs):
            restore()
            printed = []
            for run in runs:
                client = Client(self.scratch, run, 'READ COMMITTED', set())
                wrong = client.end('COMMIT')
                client.session.close()
                if wrong:
                    raise TimeoutError(wrong)
                printed.append('\n'.join(client.printed))
            return state(), tuple(sorted(printed))

        together = [serial(first, second), serial(second, first)]
        rows_alone = serial(second)
        if together[0][0] == serial()[0] and together[1][0] == together[0][0]:
            return 'the recipe changes nothing, so nothing can be lost'
        for level in ('READ COMMITTED', 'REPEATABLE READ'):
            errors = retried | ({'40001'} if level == 'REPEATABLE READ' else set())
            # who skips what is locked does not come back to it after a rollback
            orders = ['first', 'second'] + ['reversed'] * (first != second) + ['rollback'] * ('SKIP LOCKED' not in text) + ['turns'] * (len(first) > 1)
            for order in orders:
                restore()
                clients = [Client(self.scratch, each, level, errors) for each in ((second, first) if order == 'reversed' else (first, second))]
                wrong = self.schedule(watcher, clients, order)
                printed = tuple(sorted('\n'.join(each.printed) for each in clients))
                for client in clients:
                    client.session.close()
                if wrong:
                    return f'{level}, {order}: {wrong}'
                got = (state(), printed)
                expected = [(rows_alone[0], tuple(sorted(('', *rows_alone[1]))))] if order == 'rollback' else together
                if got not in expected:
                    return '\n'.join([f'{level}, {order}: a write is lost; one after the other they give', *expected[0][1], expected[0][0],
                                      'at once', *got[1], got[0]])
        return ''

    @staticmethod
    def schedule(watcher, clients, order):
        """Let two clients overlap; return what is wrong."""
        first, second = clients
        if order == 'turns':
            while any(each.more for each in clients):
                moved = False
                for each in clients:
                    if each.settle(watcher) and each.more:
                        each.step()
                        each.settle(watcher)
                        moved = True
                if not moved:
                    break
        else:
            for each in clients:
                while each.settle(watcher) and each.more:
                    each.step()
        # of two that wait for each other the server ends one
        while first.session.busy and second.session.busy:
            for each in clients:
                if each.session.done(0.05):
                    each.take()
        # who waits for the other, or has to begin again, can only end after it
        other, last = (second, first) if first.session.busy or first.error or (order == 'second' and second.ended) else (first, second)
        return other.end('ROLLBACK' if order == 'rollback' else 'COMMIT') or last.end('COMMIT')

    def fill(self):
        """Once a page has run: take the indexes away, remembering them, and put the 50,000 documents in."""
        tables = ', '.join(f"'{table}'::regclass" for table, _ in self.fills)
        rows = self.psql(f"""SELECT c.relname || '|' || replace(pg_get_indexdef(i.indexrelid), E'\\n', ' ') FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
            WHERE i.indrelid IN ({tables}) AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = i.indexrelid)""")
        self.definitions = dict(line.split('|', 1) for line in rows.splitlines())
        script = 'SET session_replication_role = replica;\n'
        script += ''.join(f'DROP INDEX "{name}";\n' for name in self.definitions)
        for table, query in self.fills:
            script += f'TRUNCATE {table} CASCADE; INSERT INTO {table} {query} FROM generate_series(1, 50000) AS i;\n'
        return self.psql(script + ''.join(f'VACUUM ANALYZE {table};\n' for table, _ in self.fills))

    def indexes(self, block):
        """Which of the indexes that the block names serve none of its statements."""
        names = re.findall(r'\w+', block.marks['uses'])
        if self.filled is None:
            self.filled = self.fill() if self.fills else 'the page has no query for 50,000 documents'
        if self.filled:
            return self.filled
        lacking = [name for name in names if name not in self.definitions]
        if lacking:
            return f'there is no index {lacking}'
        script = 'BEGIN;\n' + ''.join(self.definitions[name] + ';\n' for name in names)
        script += ''.join(f'ANALYZE {table};\n' for table, _ in self.fills)
        plans = 0
        for statement in statements_of(block.sql):
            explained = re.match(r'\s*(?:EXPLAIN \(COSTS OFF\) )?((?:SELECT|WITH|UPDATE|DELETE|INSERT|MERGE)\b.*)', statement, re.S)
            if explained:
                script += 'EXPLAIN (COSTS OFF) ' + explained[1] + '\n'
                plans += 1
        output = self.psql(script + 'ROLLBACK;\n')
        unused = [name for name in names if not re.search(rf'\b{name}\b', output)]
        if not plans:
            return 'no statement of the block can be explained'
        return f'{unused} not used:\n{output}' if unused or 'ERROR' in output else ''

    def odd_documents(self, block):
        """What the block prints otherwise than MongoDB's stage."""
        with open(STAGES, encoding='utf-8') as file:
            sections = dict(re.findall(r'^\[(\w+)\]\n(.*?)(?=^\[|\Z)', file.read(), re.M | re.S))
        name = block.marks['odd documents']
        if name not in sections:
            return f'stages.txt has no section {name}'
        if not re.search('^# src/mongo/', sections[name], re.M):
            return f'section {name} of stages.txt names no source of MongoDB'
        documents = re.findall(r'^(\w+) <- (.*)$', sections[name], re.M)
        expected = re.findall(r'^=> ?(.*)$', sections[name], re.M)
        script = "BEGIN;\nSET LOCAL session_replication_role = replica;\nSET LOCAL statement_timeout = '60s';\n"
        script += ''.join(f'TRUNCATE {table} CASCADE;\n' for table in sorted({table for table, _ in documents}))
        script += ''.join(f"INSERT INTO {table} VALUES ($bson${document}$bson$);\n" for table, document in documents)
        output = self.psql(script + ''.join(statements_of(block.sql)) + 'ROLLBACK;\n').splitlines()
        if output == expected:
            return ''
        return '\n'.join(['expected:'] + expected + ['printed:'] + output)
