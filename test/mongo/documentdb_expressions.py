"""
Expressions, for documentdb_plugin.py: $project and $documents by bson_eval.

    PYTEST_ADDOPTS='-p documentdb_expressions' documentdb CHECKOUT documentdb_tests/compatibility/tests/core/operator/expressions

Every computed field of a $project is one call of bson_eval, in one psql that stays.
"""
import datetime
import subprocess

import bson
import pytest
from bson.codec_options import DatetimeConversion

import documentdb_plugin as plugin

# division by zero, overflow, dates out of range, limits
plugin.REFUSALS += ('22012', '22003', '22008', '54000', '54001')
Collection = plugin.Collection
# dates beyond Python's are integers
CODEC = bson.CodecOptions(tz_aware=True, tzinfo=datetime.timezone.utc, datetime_conversion=DatetimeConversion.DATETIME_AUTO)
session = None


def ask(statement):
    """The first column of the only row, '' for NULL."""
    global session
    if session is None or session.poll() is not None:
        session = subprocess.Popen(['psql', '-XqAt'], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, text=True, bufsize=1)
        session.stdin.write("SET statement_timeout = '20s';\n")
    session.stdin.write(statement + ';\n\\echo <<< :SQLSTATE :LAST_ERROR_MESSAGE\n')
    session.stdin.flush()
    lines = []
    while True:
        line = session.stdout.readline()
        if line == '':
            raise RuntimeError('the server is gone')
        if line.startswith('<<< '):
            break
        lines.append(line.rstrip('\n'))
    _, state, message = (line.rstrip('\n') + '  ').split(' ', 2)
    if state == '00000':
        return lines[0] if lines else ''
    if state == '0A000':
        pytest.skip('not offered: ' + message)
    if state in plugin.REFUSALS:
        raise plugin.Refused(message)
    raise RuntimeError(state + ' ' + message)


def value_of(document, expression):
    """The value as {'x': value}, or {} where it is missing."""
    given = bson.encode({'x': expression})
    # in a document, as bson_eval of a document without a value is one without the field
    answer = ask("SELECT encode(bson_eval('\\x%s'::bson, '\\x%s'::bson, bson_build_object('NOW', now()))::bytea, 'hex')" % (document.hex(), given.hex()))
    return bson.decode(bytes.fromhex(answer), CODEC)


def is_flag(value):
    return isinstance(value, (bool, int, float)) and not isinstance(value, str)


def project(document, projection):
    old = bson.decode(document, CODEC)
    new = {}
    if '_id' in old and projection.get('_id', 1):
        new['_id'] = old['_id']
    for key, value in projection.items():
        if key == '_id' and is_flag(value):
            continue
        if is_flag(value) or '.' in key or (isinstance(value, dict) and not next(iter(value), '').startswith('$')):
            pytest.skip('$project of plain fields')
        found = value_of(document, value)
        if 'x' in found:
            new[key] = found['x']
    return new


def run_aggregate(self, command):
    if set(command) - {'aggregate', 'pipeline', 'cursor'}:
        pytest.skip('aggregate with options')
    documents = self.documents
    for stage in command['pipeline']:
        (name, operand), = stage.items()
        if name == '$documents' and isinstance(operand, list):
            documents = [bson.encode(value_of(bson.encode({}), d)['x']) for d in operand]
        elif name == '$project' and isinstance(operand, dict):
            documents = [bson.encode(project(d, operand)) for d in documents]
        else:
            pytest.skip('stage ' + name)
    return self.answer([bson.decode(d, CODEC) for d in documents])


def command(self, command, *args, **options):
    if isinstance(command, dict) and command.get('aggregate') == 1:
        return self['none'].run_aggregate(command)
    return original_command(self, command, *args, **options)


original_command = plugin.Database.command
plugin.Database.command = command
Collection.run_aggregate = run_aggregate
