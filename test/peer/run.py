#!/usr/bin/env python3
"""jsonb's own regression tests, asked of bson.

PostgreSQL's jsonb.sql and jsonb_jsonpath.sql run twice in the server at hand: as they
are, and with the names translated.  Every statement must give the same answer both
times: the same rows, with documents compared by content, or an error both times.  What
differs on purpose is listed in intended.txt with the reason.

Besides, the scripts of json, jsonb and jsonpath run as they are in a database with the extension,
in one with sql/bson_jsonb.sql besides, and in one with neither.  Each statement must give the same types, rows and
errors: no query on jsonb alone may change its meaning because bson is installed.

The last line is "N passed, N failed".  Where the scripts cannot be had, the test is skipped.

Environment: PGHOST and its like lead to a server with bson installed, as superuser;
see source.py for PEER_SOURCE and PEER_CACHE.  -v shows the answers that were the same.
"""
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter

import source
import statements
import values

HERE = os.path.dirname(os.path.abspath(__file__))
BSON = 'CREATE EXTENSION bson;\n'
with open(os.path.join(HERE, '..', '..', 'sql', 'bson_jsonb.sql'), encoding='utf-8') as _file:
    COMPATIBLE = _file.read() + 'ALTER DATABASE peer SET search_path = "$user", public, bson_jsonb;\n'
FIELD, RECORD, NULL = '\x1f', '\x1e', '\x01'


class Answer:
    """What a statement gave: its columns' types and rows, or an error."""

    def __init__(self, described, result, end):
        error, self.state, self.message = end.split(' ', 2)
        self.failed = error == 'true'
        self.types = [record.split(FIELD)[1] for record in described.rstrip('\n').split(RECORD) if FIELD in record]
        self.rows = [record.split(FIELD) for record in result.removesuffix('\n').split(RECORD)] if not self.failed else []

    def __str__(self):
        if self.failed:
            return f'ERROR {self.state}: {self.message}'
        return '\n'.join(' | '.join('NULL' if field == NULL else field for field in row) for row in self.rows)


def psql(database, script):
    # the settings of pg_regress
    environment = dict(os.environ, PGTZ='PST8PDT', PGDATESTYLE='Postgres, MDY', PGCLIENTENCODING='UTF8')
    return subprocess.run(['psql', '-X', '-A', '-t', '-F', FIELD, '-R', RECORD, '-P', f'null={NULL}', '-d', database],
                          input=script.encode(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          env=environment).stdout.decode()


def loaded(statement, regress):
    """A COPY from the file of the test's data: from psql instead, as the server may not read it."""
    found = re.match(r"COPY (\w+) FROM :'filename';", statement)
    if not found:
        return None
    with open(os.path.join(regress, 'data', 'jsonb.data'), encoding='utf-8') as file:
        return f'COPY {found[1]} FROM STDIN;\n{file.read()}\\.\n'


def answers(database, script, regress):
    """Run the statements in one session; the answer of each, None for a backslash command."""
    mark = '\\echo @@@{} {}\n'
    text = ''
    for i, statement in enumerate(script):
        if statement.startswith('\\'):
            # what changes the output is none of our business
            text += '' if statement.startswith(('\\pset', '\\x')) else statement + '\n'
            continue
        copy = loaded(statement, regress)
        text += (mark.format(i, 'types') + ('' if copy else statement.removesuffix(';') + ' \\gdesc\n') +
                 mark.format(i, 'rows') + (copy or statement + '\n') +
                 mark.format(i, 'end :ERROR :SQLSTATE :LAST_ERROR_MESSAGE'))
    output = psql(database, text)
    found = re.findall(r'^@@@(\d+) types\n(.*?)@@@\1 rows\n(.*?)@@@\1 end ([^\n]*)\n', output, re.DOTALL | re.MULTILINE)
    result = {int(i): Answer(described, rows, end) for i, described, rows, end in found}
    for i, statement in enumerate(script):
        if loaded(statement, regress) and (result[i].failed or result[i].rows == [['COPY 0']]):
            sys.exit(f'the data of the test could not be loaded: {result[i]}')
    return [result.get(i) for i in range(len(script))]


def answers_afresh(script, regress, setup=''):
    """The answers of a script in a new database, after the script `setup`."""
    database = 'peer'
    psql('postgres', f'DROP DATABASE IF EXISTS {database};\nCREATE DATABASE {database} TEMPLATE template0 ENCODING UTF8;\n')
    psql(database, setup)
    given = answers(database, script, regress)
    psql('postgres', f'DROP DATABASE {database};\n')
    return given


def both(script, regress):
    """(statement, jsonb's answer, bson's) of each statement."""
    return list(zip(script, answers_afresh(script, regress), answers_afresh(map_translate(script), regress, BSON)))


def beside(script, regress):
    """Statements whose answers change when the extension, or its script besides, is installed: (passed, failed)."""
    passed = failed = 0
    alone = answers_afresh(script, regress)
    for what, setup in ('bson', BSON), ('bson_jsonb.sql', BSON + COMPATIBLE):
        for statement, before, after in zip(script, alone, answers_afresh(script, regress, setup)):
            if before is None and after is None:
                continue
            if before is not None and after is not None and str(before) == str(after) and before.types == after.types:
                passed += 1
            else:
                failed += 1
                print(f'CHANGES: {statement}\n  without: {before}\n  with {what}: {after}\n')
    return passed, failed


def same(statement, jsonb, bson):
    """Is it the same answer?"""
    if jsonb.failed or bson.failed:
        # a name that is not known, or a wrong call, is no answer to what is asked
        return jsonb.failed and bson.failed and (jsonb.state == bson.state or not bson.state.startswith('42'))
    if [statements.translate(name) for name in jsonb.types] != bson.types or len(jsonb.rows) != len(bson.rows):
        return False

    def same_row(a, b):
        return len(a) == len(b) and all(
            values.same(x, y, i < len(jsonb.types) and jsonb.types[i] == 'jsonb')
            for i, (x, y) in enumerate(zip(a, b)))

    a = [[statements.translate(field) for field in row] for row in jsonb.rows]
    b = bson.rows
    if all(map(same_row, a, b)):
        return True
    if re.search(r'order\s+by', statement, re.IGNORECASE):
        return False
    # rows in no order asked for may come in another one: that of the keys
    left = list(b)
    for row in a:
        match = next((other for other in left if same_row(row, other)), None)
        if match is None:
            return False
        left.remove(match)
    return True


def intended():
    """(reason, pattern) of the differences that are meant."""
    result, reason = [], ''
    with open(os.path.join(HERE, 'intended.txt'), encoding='utf-8') as file:
        for line in file:
            line = line.rstrip('\n')
            if line.startswith('    '):
                result.append((reason, re.compile(line.strip(), re.IGNORECASE)))
            elif line and not line.startswith('#'):
                reason = line
    return result


def main():
    verbose = '-v' in sys.argv[1:]
    major = psql('postgres', 'SHOW server_version_num').strip()[:2]
    if not major:
        sys.exit('there is no server')
    try:
        regress = source.regress_dir(major)
    except source.Unavailable as error:
        print(f'jsonb: SKIPPED, the source of PostgreSQL {major} cannot be had: {error}')
        print('0 passed, 0 failed')
        return 0

    asked = []
    for path in source.SCRIPTS:
        with open(os.path.join(regress, path), encoding='utf-8') as file:
            asked += both(list(statements.split(file.read())), regress)

    meant, used = intended(), Counter()
    passed = failed = 0
    for path in source.BESIDE:
        path = os.path.join(regress, path)
        if os.path.exists(path):
            with open(path, encoding='utf-8') as file:
                good, bad = beside(list(statements.split(file.read())), regress)
            passed += good
            failed += bad
    print(f'{passed} statements of json and jsonb give the same answers with bson installed, with bson_jsonb.sql and without')
    for statement, jsonb, bson in asked:
        if jsonb is None and (bson is None or statement.startswith('\\')):
            continue
        equal = jsonb is not None and bson is not None and same(statement, jsonb, bson)
        why = next((entry for entry in meant if entry[1].search(statement)), None)
        if equal:
            if verbose:
                print(f'same: {statement}\n  jsonb: {jsonb}\n  bson:  {bson}\n')
            passed += 1
        elif why and bson is not None:
            used[why] += 1
            if verbose:
                print(f'differs on purpose: {statement}\n  jsonb: {jsonb}\n  bson:  {bson}\n  {why[0]}\n')
            passed += 1
        else:
            failed += 1
            print(f'DIFFERS: {statement}\n  jsonb: {jsonb}\n  bson:  {bson if bson else "no answer: the session ended"}\n')

    for reason, pattern in meant:
        if not used[reason, pattern]:
            print(f'note: nothing differs that matches {pattern.pattern!r}')
    print(f'{sum(used.values())} statements differ on purpose')
    print(f'{passed} passed, {failed} failed')
    return 1 if failed else 0


def map_translate(script):
    return [statements.translate(statement) for statement in script]


if __name__ == '__main__':
    sys.exit(main())
