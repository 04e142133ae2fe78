"""COPY's formats, which are read and written here."""
import itertools
import struct

from .basics import BROKEN, SIGNATURE, TRAILER, Damage, length_at, row_head
from .document import fields

def copied(source):
    """Yield lists of the values of a column in COPY BINARY format."""
    if source.read(len(SIGNATURE), "the header") != SIGNATURE:
        raise Damage("this is not COPY's binary format")
    flags, extension = struct.unpack(">Ii", source.read(8, "the header"))
    if flags:
        raise Damage(f"flags {flags} are not understood")
    if extension > 0:
        source.read(extension, "the header")
    while True:
        source.start = source.offset
        count, = struct.unpack(">h", source.read(2, "the trailer"))
        if count == -1:
            return
        if count != 1:
            raise Damage(f"{count} columns, where one of type bson is expected")
        size, = struct.unpack(">i", source.read(4, "a row"))
        if size < 0:                    # NULL is no document
            continue
        row = source.read(size, "a row")
        if size < 5 or length_at(row)[0] != size or row[-1]:
            raise Damage("a value is no document; is the column of type bson?")
        if row[4:6] == b"\xff\0" and is_envelope(row):
            raise Damage("a value is no document, but an array or a scalar; a dump holds documents only")
        yield [row]


def is_envelope(row):
    """Does this hold a root that is no document?  Such a one is stored behind a MinKey, and neither has a name."""
    found = [(name, kind) for name, kind, _ in fields(row)]
    return len(found) == 2 and found[0] == ("", 0xFF) and found[1][0] == "" and found[1][1] != 0x03


def since(source, batches, first):
    """Without the documents before the one with this number, counted from 1."""
    skip = first - 1
    for documents in batches:
        source.start += sum(map(len, documents[:skip]))
        if skip < len(documents):
            yield documents[skip:]
        skip = max(skip - len(documents), 0)


class Lines:
    """COPY's text format, of documents as JSON; as Rows, it never ends by accident behind a row."""

    def __init__(self, write):
        self.write = write
        self.held = b""

    def put(self, lines):
        data = self.held + lines
        self.held = data[-2:]
        self.write(memoryview(data)[:-2])

    def end(self, whole):
        self.write(self.held + (b"" if whole else b"bson-copy: the input is damaged\n"))



class Rows:
    """
    COPY's binary format.  The last byte is held back until more comes: an output that just breaks off, as this program was
    killed, does then not end between two rows, where the server would take it for complete.
    """

    def __init__(self, write):
        self.write = write
        self.held = SIGNATURE + bytes(8)

    def put(self, documents):
        heads = map(row_head, itertools.repeat(1), map(len, documents))
        data = b"".join(itertools.chain([self.held], itertools.chain.from_iterable(zip(heads, documents))))
        self.held = data[-1:]
        self.write(memoryview(data)[:-1])

    def end(self, whole):
        self.write(self.held + (TRAILER if whole else BROKEN))
