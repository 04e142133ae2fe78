"""Real documents, as lines of JSON: a file, Debian's iso-codes, GitHub's webhook payloads.

They are not kept in this tree. Documents that cannot be downloaded are None.
"""
import glob
import json
import os
import subprocess
import tarfile
import tempfile
from collections import Counter

ISO_CODES = '/usr/share/iso-codes/json'
WEBHOOKS = '@octokit/webhooks-examples'


def iso_codes():
    """A document for each record of the ISO standards that Debian's package iso-codes lists."""
    lines = []
    for path in sorted(glob.glob(f'{ISO_CODES}/iso_*.json')):
        with open(path, encoding='utf-8') as file:
            for records in json.load(file).values():
                lines += records
    return [json.dumps(record, ensure_ascii=False) for record in lines] or None


def webhooks():
    """The example payloads of GitHub's webhooks, from npm; kept in a cache of the user."""
    cache = os.path.join(os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache'), 'bson-bench')
    try:
        os.makedirs(cache, exist_ok=True)
        found = glob.glob(f'{cache}/octokit-webhooks-examples-*.tgz')
        if not found:
            subprocess.run(['npm', 'pack', '--silent', WEBHOOKS], cwd=cache, check=True, timeout=60,
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            found = glob.glob(f'{cache}/octokit-webhooks-examples-*.tgz')
        with tarfile.open(found[0]) as package:
            hooks = json.load(package.extractfile('package/api.github.com/index.json'))
    except (OSError, IndexError, KeyError, subprocess.SubprocessError, tarfile.TarError):
        return None
    return [json.dumps(example, ensure_ascii=False) for hook in hooks for example in hook['examples']] or None


def lines_of(path):
    if not path:
        return None
    with open(path, encoding='utf-8') as file:
        return [line for line in file.read().split('\n') if line.strip()]


# The sets, each a function that returns its documents, or None if they are not to be had
SETS = {'iso': iso_codes, 'webhooks': webhooks}


def sets(path=None):
    """{name: its documents}, of those that are to be had."""
    found = {name: documents() for name, documents in SETS.items()} | {'file': lines_of(path)}
    return {name: lines for name, lines in found.items() if lines is not None}


def copy(psql, name, lines):
    """Add the documents of a set to bench.line."""
    with tempfile.NamedTemporaryFile('w', suffix='.txt', encoding='utf-8') as file:
        for i, line in enumerate(lines):
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
