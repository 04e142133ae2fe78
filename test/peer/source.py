"""PostgreSQL's own regression tests, as distributed: obtained when the test runs, never part of this project."""
import os
import shutil
import subprocess
import tarfile
import tempfile

SCRIPTS = ('sql/jsonb.sql', 'sql/jsonb_jsonpath.sql')
# scripts that must give the same answers with the extension installed as without; of these, what the version has
BESIDE = ('sql/json.sql', 'sql/jsonb.sql', 'sql/jsonpath.sql', 'sql/jsonb_jsonpath.sql', 'sql/json_encoding.sql', 'sql/jsonpath_encoding.sql',
          'sql/sqljson.sql', 'sql/sqljson_queryfuncs.sql', 'sql/sqljson_jsontable.sql')
WANTED = (*SCRIPTS, 'sql/json.sql', 'data/jsonb.data')


class Unavailable(Exception):
    """The source cannot be had here; the test is then skipped."""


def regress_dir(major):
    """A directory with the WANTED files of PostgreSQL `major`.

    PEER_SOURCE names one that is already there.  Otherwise the Debian source package
    is downloaded, once, into PEER_CACHE (~/.cache/bson-peer), and only the tests are kept.
    The archive may not have the source of a server that is not released; the tests of
    the release before serve then, as both types are asked in the server at hand.
    """
    given = os.environ.get('PEER_SOURCE')
    if given:
        missing = _missing(given)
        if missing:
            raise Unavailable(f'PEER_SOURCE={given} has no {missing}')
        return os.path.abspath(given)
    try:
        return _cached(major)
    except Unavailable as error:
        try:
            before = _cached(int(major) - 1)
        except Unavailable:
            raise error
        print(f"the source of PostgreSQL {major} cannot be had: {error}; asking its server the release before's tests")
        return before


def _cached(major):
    """The directory in PEER_CACHE, filled if it was not."""
    cache = os.environ.get('PEER_CACHE') or os.path.expanduser('~/.cache/bson-peer')
    place = os.path.join(cache, f'postgresql-{major}')
    if _missing(place):
        os.makedirs(cache, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as work:
            unpacked = _unpack(_download(f'postgresql-{major}', work), work)
            shutil.rmtree(place, ignore_errors=True)
            os.rename(unpacked, place)
    return place


def _missing(directory):
    """The first of the WANTED files that is not in the directory; None if all are."""
    return next((path for path in WANTED if not os.path.exists(os.path.join(directory, path))), None)


def _run(*command, **options):
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, **options)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable(f'{command[0]}: {error}')
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ['no message'])[-1]
        raise Unavailable(f'{command[0]}: {last}')
    return done.stdout


def _download(package, work):
    """Debian's source package, with apt and its signatures, but none of the system's state; the tar file's path."""
    targets = _run('apt-get', 'indextargets', '--format', '$(REPO_URI) $(RELEASE) $(COMPONENT)', 'Created-By: Packages')
    sources = sorted({line for line in targets.splitlines()
                      if line.endswith(' main') and ('debian' in line or 'postgresql' in line)})
    if not sources:
        raise Unavailable('no Debian archive is configured')
    with open(os.path.join(work, 'sources.list'), 'w') as file:
        file.writelines(f'deb-src {line}\n' for line in sources)
    for directory in ('lists/partial', 'cache/archives/partial', 'package'):
        os.makedirs(os.path.join(work, directory))
    options = ('-q', '-o', f'Dir::Etc::SourceList={work}/sources.list', '-o', 'Dir::Etc::SourceParts=/dev/null',
               '-o', f'Dir::State::Lists={work}/lists', '-o', f'Dir::Cache={work}/cache', '-o', 'APT::Sandbox::User=')
    _run('apt-get', *options, 'update')
    found = _run('apt-cache', *options, 'showsrc', '--only-source', package)
    versions = [line.split()[1] for line in found.splitlines() if line.startswith('Version:')]
    problem = Unavailable(f'{package} is in no source archive')
    for version in versions:    # an archive may announce what its mirror does not have
        try:
            _run('apt-get', *options, 'source', '--download-only', f'{package}={version}', cwd=os.path.join(work, 'package'))
        except Unavailable as error:
            problem = error
            continue
        for name in os.listdir(os.path.join(work, 'package')):
            if '.orig.tar.' in name and not name.endswith('.asc'):
                return os.path.join(work, 'package', name)
    raise problem


def _unpack(tar, work):
    """The tests out of the tar file, as sql/ and data/."""
    place = os.path.join(work, 'regress')
    with tarfile.open(tar) as archive:
        for member in archive:
            path = member.name.partition('/src/test/regress/')[2]
            if path not in WANTED and path not in BESIDE:
                continue
            target = os.path.join(place, path)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(target, 'wb') as file:
                shutil.copyfileobj(archive.extractfile(member), file)
    missing = _missing(place)
    if missing:
        raise Unavailable(f'the source package has no {missing}')
    return place
