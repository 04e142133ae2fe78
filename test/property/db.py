"""The server under test, through psql: no driver is needed, and thousands of values travel in one trip."""
import functools
import os
import subprocess
import tempfile


class DbError(Exception):
    """A statement failed, or the server went away."""


class Crash(DbError):
    pass


def _escape(field):
    if field is None:
        return '\\N'
    if isinstance(field, bytes):
        return '\\\\x' + field.hex()
    return (str(field).replace('\\', '\\\\').replace('\t', '\\t').replace('\n', '\\n').replace('\r', '\\r'))


_UNESCAPE = {'t': '\t', 'n': '\n', 'r': '\r', 'b': '\b', 'f': '\f', 'v': '\v'}


def _unescape(field):
    if field == '\\N':
        return None
    if '\\' not in field:
        return field
    out, i = [], 0
    while i < len(field):
        c = field[i]
        if c == '\\':
            i += 1
            c = _UNESCAPE.get(field[i], field[i])
        out.append(c)
        i += 1
    return ''.join(out)


def unbytea(field):
    return None if field is None else bytes.fromhex(field[2:])


def run(script, check=True):
    """Run a psql script; its standard output as text."""
    done = subprocess.run(['psql', '-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1', '-v', 'VERBOSITY=verbose'],
                          input=script.encode(), capture_output=True,
                          env=dict(os.environ, PGCLIENTENCODING='UTF8', PGOPTIONS='-c client_min_messages=warning'))
    if done.returncode != 0 and check:
        message = done.stderr.decode(errors='replace').strip()[:2000]
        if 'closed the connection' in message or 'connection to server' in message or 'recovery mode' in message:
            raise Crash(message)
        raise DbError(message)
    return done.stdout.decode()


def query(select, table=None, before='', after=''):
    """
    Rows of "select", as lists of str or None.  "table" is (columns, rows): a
    temporary table t made first, with a column i counting the rows; "before"
    and "after" are SQL around its making.
    """
    script = [before]
    if table is not None:
        columns, rows = table
        script.append('CREATE TEMP TABLE t (i int, %s);\nCOPY t FROM STDIN;\n' % columns)
        for i, row in enumerate(rows):
            script.append('\t'.join([str(i)] + [_escape(f) for f in row]) + '\n')
        script.append('\\.\n')
    script.append('%s\nCOPY (%s) TO STDOUT;\n' % (after, select))
    out = run(''.join(script))
    return [[_unescape(f) for f in line.split('\t')] for line in out.split('\n')[:-1]]


def on_values(expressions, values, columns='', extra=None, before='', relation='tb'):
    """
    SQL expressions over b, the value as a stored bson, for each of these stored byte strings: a list of lists. "columns"
    defines more columns that the expressions can use, and "extra" has a row of these for each value.
    """
    rows = []
    for i, v in enumerate(values):
        more = ''.join('\t' + _escape(f) for f in extra[i]) if extra else ''
        rows.append('%d\t\\\\x%s%s\n' % (i, v.hex(), more))
    # a separate table, so that values are stored as in rows: with short headers, compressed, toasted
    out = run('%s\nCREATE TEMP TABLE tv (i int, v bytea%s);\nCOPY tv FROM STDIN;\n%s\\.\n'
              'CREATE TEMP TABLE tb AS SELECT *, v::bson AS b FROM tv;\n'
              'COPY (SELECT %s FROM %s ORDER BY i) TO STDOUT;\n'
              % (before, ', ' + columns if columns else '', ''.join(rows), ', '.join(expressions), relation))
    return [[_unescape(f) for f in line.split('\t')] for line in out.split('\n')[:-1]]


def text_array(items):
    """The text of a text[] of these byte strings."""
    return '{%s}' % ','.join('"%s"' % i.decode().replace('\\', '\\\\').replace('"', '\\"') for i in items)


def exists(*names):
    """Do all these functions exist? Each is given as name(argument types)."""
    test = ' AND '.join("to_regprocedure('%s') IS NOT NULL" % n for n in names) or 'true'
    return run('SELECT %s;' % test).strip() == 't'


def has_operator(*names):
    test = ' AND '.join("to_regoperator('%s') IS NOT NULL" % n for n in names) or 'true'
    return run('SELECT %s;' % test).strip() == 't'


@functools.lru_cache
def version():
    return int(run('SHOW server_version_num;'))


def scratch(suffix):
    handle, path = tempfile.mkstemp(suffix)
    os.close(handle)
    return path


def wait():
    """Wait until the server answers again after a crash."""
    import time
    for _ in range(60):
        try:
            run('SELECT 1;')
            return
        except DbError:
            time.sleep(.5)
    raise Crash('the server did not come back')
