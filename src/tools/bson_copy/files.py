"""The files of a dump."""
import os
import re
import urllib.parse

from .basics import MAX_SIZE, Mistake, say
from .source import Input
from .table import Table, short_name

def file_name(name):
    """As mongodump writes it."""
    return urllib.parse.quote(name, safe="-_. $")


def read_whole(path):
    source = Input(path)
    source.fill(MAX_SIZE)
    return source.buffer.decode("utf-8-sig")


def table_of_files(directory, name, files):
    """A collection from its files, by their ends."""
    metadata = files.get(".metadata.json")
    table = Table(os.path.basename(os.path.abspath(directory)), urllib.parse.unquote(name), metadata and read_whole(metadata), files.get(".bson") or files.get(".json"))
    if "collectionName" in table.metadata:
        table.collection = table.metadata["collectionName"]
        table.namespace, table.name = f"{table.db}.{table.collection}", short_name(table.collection)
    if ".bson" in files and ".json" in files:
        say(f"{files['.json']}: left out, as there is {files['.bson']}")
    return table


def find_tables(path):
    """The collections in a directory of mongodump: of one database, or of one directory each; and what mongoexport wrote there."""
    found = {}
    for directory in [path, *sorted(entry.path for entry in os.scandir(path) if entry.is_dir())]:
        for entry in sorted(os.listdir(directory)):
            match = FILE.fullmatch(entry)
            if match and match.group(1) != "prelude" and (directory != path or match.group(1) != "oplog"):
                found.setdefault((directory, match.group(1)), {})[match.group(2)] = os.path.join(directory, entry)
    if not found:
        raise Mistake(f"{path} holds no dump: a directory of mongodump has files NAME.bson and NAME.metadata.json")
    return [table_of_files(directory, name, files) for (directory, name), files in found.items()]


def find_table(path):
    """The collection of one file."""
    directory, name = os.path.split(path)
    match = FILE.fullmatch(name)
    if not match or match.group(2) == ".metadata.json":
        raise Mistake(f"{path} is no directory or archive of mongodump, and no file NAME.bson or NAME.json")
    files = {match.group(2): path}
    for metadata in (".metadata.json", ".metadata.json.gz"):
        beside = os.path.join(directory, match.group(1) + metadata)
        if os.path.exists(beside):
            files[".metadata.json"] = beside
    return table_of_files(directory or ".", match.group(1), files)


FILE = re.compile(r"(.*?)(\.metadata\.json|\.bson|\.json)(\.gz)?", re.DOTALL)
