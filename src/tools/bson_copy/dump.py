"""--dump: tables as a directory or an archive of mongodump."""
import os
import zlib

from .archive import crc64
from .basics import ARCHIVE, END, MONGODB_SIZE, Damage, Mistake, Progress, megabytes, say, shown
from .collection import TABLES, Described
from .copyformat import copied
from .document import Long, bson_of
from .files import create, file_name, make_directory
from .psql import Psql, ask, connect, identifier, literal
from .source import Input
from .table import MARK

class Output:
    """A file that has its name when it is complete; or standard output."""

    def __init__(self, path, compress):
        self.path = path
        directory, name = os.path.split(path)
        self.part = os.path.join(directory, (name if len(name) <= 240 else name[:180] + name[-60:]) + ".part")
        self.file = open(1, "wb", closefd=False) if path == "-" else create(self.part)
        self.compress = zlib.compressobj(6, zlib.DEFLATED, 31) if compress else None

    def write(self, data):
        self.file.write(self.compress.compress(data) if self.compress else data)

    def complete(self):
        """Write what is left; the file does not have its name yet."""
        if self.compress:
            self.file.write(self.compress.flush())
        self.file.close()

    def close(self):
        self.complete()
        self.take_name()

    def take_name(self):
        if self.path != "-":
            os.replace(self.part, self.path)

    def abandon(self):
        """Leave no file that looks whole; in a pipe, what was written has no end."""
        if self.path != "-":
            os.unlink(self.part)
            try:
                self.file.close()
            except OSError:
                pass                    # the disk is as full as before


class Directory:
    """A directory of mongodump, to write."""

    def __init__(self, path, db, compress):
        self.directory = make_directory(path, db)
        self.compress = compress
        self.end = ".gz" if compress else ""
        self.output = None

    def begin(self, collection):
        self.base = os.path.join(self.directory, file_name(collection.collection))
        if not collection.is_view:
            self.output = Output(f"{self.base}.bson{self.end}", self.compress)

    def write(self, data):
        self.output.write(data)

    def finish(self, collection):
        metadata = Output(f"{self.base}.metadata.json{self.end}", self.compress)
        try:
            metadata.write(collection.metadata().encode())
            metadata.complete()
            # there may be no room for the end of this one either, and neither is of use alone
            if self.output:
                self.output.complete()
        except BaseException:
            metadata.abandon()
            raise
        metadata.take_name()
        if self.output:
            self.output.take_name()
        self.output = None

    def close(self):
        pass

    def abandon(self):
        if self.output:
            self.output.abandon()


class ArchiveWriter:
    """An archive of mongodump, to write: one collection after the other."""

    def __init__(self, path, collections, compress):
        self.output = Output(path, compress)
        self.output.write(ARCHIVE + bson_of(concurrent_collections=1, version="0.1", server_version="8.0.0", tool_version="bson-copy"))
        for one in collections:
            self.output.write(bson_of(db=one.db, collection=one.collection, metadata=one.metadata(), size=one.size(), type=one.type))
        self.output.write(END)

    def begin(self, collection):
        self.crc, self.open = 0, False
        self.collection = collection

    def write(self, data):
        if not self.open:
            self.header(False)
            self.open = True
        self.crc = crc64(data, self.crc)
        self.output.write(data)

    def header(self, end):
        self.output.write(bson_of(db=self.collection.db, collection=self.collection.collection, EOF=end, CRC=Long(self.crc if end else 0)))

    def finish(self, collection):
        if collection.is_view:
            return
        if self.open:
            self.output.write(END)
        self.header(True)
        self.output.write(END)

    def close(self):
        self.output.close()

    def abandon(self):
        self.output.abandon()


def dump(options):
    """Tables with a column data of type bson, and views of MongoDB, as a directory or an archive of mongodump: all as they are at one moment."""
    current = connect(options)
    found = ask(options, TABLES.format(literal(MARK), literal(f"{identifier(options.home)}.bson"), literal(options.schema or current or "")))
    tables = [table for table in found["tables"] if options.collection in (None, table["name"])]
    if not tables:
        raise Mistake(f"there is no table with a column data of type bson{' of this name' if options.collection else ''}")
    collections = [Described(options, found["db"], table) for table in tables]
    names = {}
    for one in collections:
        other = names.setdefault(one.collection, one)
        if other is not one:
            raise Mistake(f"the tables {shown(other.table['name'])} and {shown(one.table['name'])} are both the collection {shown(one.collection)}, by their comments: "
                          "change the comment of one, or dump one with --collection")
    if options.archive:
        writer = ArchiveWriter(options.archive, collections, options.gzip)
    else:
        writer = Directory(options.dump or "dump", found["db"], options.gzip)
    psql = Psql(options, ["SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY", *(one.query() for one in collections if not one.is_view)])
    source = Input("psql", psql.process.stdout)
    count = 0
    number = 0

    def line(seconds):
        rows = collections[number].table["rows"]
        part = f" (about {min(99, 100 * count // rows)} %)" if rows > 0 else ""
        return f"{collections[number].collection}{part}, {number + 1} of {len(collections)} collections, {megabytes(source.offset, seconds)}"

    progress = Progress(options, line)
    try:
        for number, one in enumerate(collections):
            count = large = 0
            writer.begin(one)
            for documents in [] if one.is_view else copied(source):
                data = b"".join(documents)
                writer.write(data)
                count += len(documents)
                large += len(data) > MONGODB_SIZE
                progress.show()
            writer.finish(one)
            if large:
                one.lack(f"{large} documents are larger than 16 MB, which MongoDB refuses")
            if not options.quiet:
                say(f"{one.collection}: {'a view' if one.is_view else f'{count} documents'}")
        problem = psql.end()
        if problem:
            raise Mistake(problem)
        writer.close()
        progress.show(last=True)
    except Damage as error:
        writer.abandon()
        psql.process.stdout.close()
        raise Mistake(f"{collections[number].table['name']}: {psql.end() or error} (row {count + 1})")
    except BaseException:
        writer.abandon()
        raise
    return 0
