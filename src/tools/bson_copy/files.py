"""The files of a dump."""
import base64
import hashlib
import os
import re
import stat
import urllib.parse

from .basics import MAX_METADATA, Mistake, say
from .source import Input
from .table import Table

def file_name(name):
    """As mongodump writes it: percent escapes, and of a long name the beginning and a hash; the metadata have the whole name."""
    escaped = urllib.parse.quote(name, safe="$&+:=@")
    if len(escaped) > 238:
        escaped = escaped[:208] + "%24" + base64.urlsafe_b64encode(hashlib.sha1(name.encode()).digest()).decode().rstrip("=")
    return escaped


def make_directory(path, name):
    """The directory of a database in this one, which is made if it is not there: never one outside."""
    os.makedirs(path, exist_ok=True)
    escaped = file_name(name)
    directory = os.path.join(path, escaped if escaped.strip(".") else escaped.replace(".", "%2E") or "%00")
    try:
        os.mkdir(directory)
    except FileExistsError:
        if not stat.S_ISDIR(os.lstat(directory).st_mode):
            raise Mistake(f"{directory} is not a directory, so nothing is written to it")
    return directory


def create(path):
    """A new file, instead of one that may be there; never where a link leads."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
    return open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666), "wb")


def read_metadata(path):
    source = Input(path, found=True)
    if source.fill(MAX_METADATA + 1) > MAX_METADATA:
        raise Mistake(f"{path} is larger than {MAX_METADATA >> 20} MB, which is too large for the metadata of a collection")
    if source.broken:
        raise Mistake(f"{path}: {source.broken}")
    try:
        return source.buffer.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Mistake(f"{path} is not valid UTF-8")


def table_of_files(directory, name, files):
    """A collection from its files, by their ends."""
    metadata = files.get(".metadata.json")
    table = Table(os.path.basename(os.path.abspath(directory)), urllib.parse.unquote(name), metadata and read_metadata(metadata), files.get(".bson") or files.get(".json"))
    if ".bson" in files and ".json" in files:
        say(f"{files['.json']}: left out, as there is {files['.bson']}")
    return table


def find_tables(path):
    """The collections in a directory of mongodump: of one database, or of one directory each; and what mongoexport wrote there."""
    found = {}
    for directory in [path, *sorted(entry.path for entry in os.scandir(path) if entry.is_dir(follow_symlinks=False))]:
        for entry in sorted(os.listdir(directory)):
            match = FILE.fullmatch(entry)
            status = os.lstat(os.path.join(directory, entry)).st_mode
            if match is None and stat.S_ISLNK(status) and directory == path:
                say(f"{os.path.join(directory, entry)}: left out, as this is a symbolic link")
            if match and directory == path and match.group(1) == "oplog":
                say(f"{os.path.join(directory, entry)}: what changed during the dump is left out: apply it with bson-copy --apply, when all is restored")
            elif match and match.group(1) != "prelude":
                if not stat.S_ISREG(status):
                    raise Mistake(f"{os.path.join(directory, entry)} is not a regular file, and is not read; to read what it leads to, name that as the FILE")
                found.setdefault((directory, match.group(1)), {})[match.group(2)] = os.path.join(directory, entry)
    if not found:
        raise Mistake(f"{path} holds no dump: a directory of mongodump has files NAME.bson and NAME.metadata.json")
    return [table_of_files(directory, name, files) for (directory, name), files in found.items()]


def find_table(path):
    """The collection of one file."""
    if not os.path.exists(path):
        raise Mistake(f"{path}: there is no such file or directory")
    directory, name = os.path.split(path)
    match = FILE.fullmatch(name)
    if not match or match.group(2) == ".metadata.json":
        raise Mistake(f"{path} is neither a directory or archive of mongodump nor a file NAME.bson or NAME.json")
    files = {match.group(2): path}
    for metadata in (".metadata.json", ".metadata.json.gz"):
        beside = os.path.join(directory, match.group(1) + metadata)
        if os.path.exists(beside):
            files[".metadata.json"] = beside
    return table_of_files(directory or ".", match.group(1), files)


FILE = re.compile(r"(.*?)(\.metadata\.json|\.bson|\.json)(\.gz)?", re.DOTALL)
