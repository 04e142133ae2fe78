"""Archives of mongodump."""
import ctypes
import json

from .basics import ARCHIVE, BUCKETS, MAX_PRELUDE, Damage, Mistake
from .document import header

def crc64_of_liblzma():
    """The function of liblzma, with which Python's module lzma is linked; None if it cannot be found."""
    try:
        import _lzma
        function = ctypes.CDLL(_lzma.__file__).lzma_crc64
    except (ImportError, AttributeError, OSError):
        return None
    function.restype = ctypes.c_uint64
    function.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64]
    return lambda data, crc: function(data, len(data), crc)


def crc64_of_python():
    """The same, but some hundred times slower."""
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0xC96C5795D7870F42 if value & 1 else 0)
        table.append(value)

    def crc64(data, crc):
        crc ^= 0xFFFFFFFFFFFFFFFF
        for byte in data:
            crc = table[(crc ^ byte) & 255] ^ crc >> 8
        return crc ^ 0xFFFFFFFFFFFFFFFF
    return crc64


crc64 = crc64_of_liblzma() or crc64_of_python()


class Archive:
    """
    An archive of mongodump: a prelude that says what is in it, then blocks of documents of one collection each, and for each
    collection a last block, which has a checksum (CRC-64 of ECMA-182, as in .xz) of all its documents.
    """

    def __init__(self, source):
        self.source = source
        self.contents = {}              # of the prelude, by namespace
        self.sums = {}                  # of the collections that have begun
        self.ended = set()
        source.blocks = True
        source.part = "the prelude"
        try:
            self.read_prelude(source)
        except Damage as damage:
            damage.place = source.place
            raise
        source.part = None

    def read_prelude(self, source):
        source.read(4, "an archive")    # its signature
        first = True
        while True:
            found = source.documents()
            if source.offset > MAX_PRELUDE:
                raise Damage(f"it is larger than {MAX_PRELUDE >> 20} MB")
            if not found:
                break
            for document in found[first:]:
                entry = header(document)
                if not {"db", "collection"} <= entry.keys():
                    raise Damage("a document does not say which collection it is about")
                entry["type"] = entry.get("type") or kind_of(entry.get("metadata"))
                self.contents[namespace(entry)] = entry
            first = False
        if first:
            raise Damage("the archive has no header")

    def has_documents(self, name):
        """Should the archive have a last block of it?  Views and the place of a time series have none."""
        return self.contents[name]["type"] not in ("view", "timeseries")

    def knows(self, name):
        db, _, collection = name.partition(".")
        if collection.startswith(BUCKETS) and self.contents.get(f"{db}.{collection[len(BUCKETS):]}", {}).get("type") == "timeseries":
            return True
        return name in self.contents

    def find(self, wanted):
        """The namespace that --collection means, if anything does; an error names what is there."""
        there = [name for name in self.contents if self.has_documents(name)]
        if wanted:
            found = [name for name in there if wanted in (name, name.partition(".")[2])]
            if not found and not self.contents:
                return wanted           # a prelude that does not say
        else:
            found = there
        if len(found) == 1:
            return found[0]
        if not wanted and not there:
            return None
        names = ", ".join(sorted(found or there)) or "nothing"
        if not wanted:
            raise Mistake(f"the archive holds several collections; choose one with --collection: {names}")
        if found:
            raise Mistake(f"several collections have the name {wanted}; choose one: {names}")
        raise Mistake(f"there is no collection {wanted}; the archive holds {names}")

    def blocks(self):
        """Yield a namespace, some of its documents, and behind the last ones a string: what is wrong with them, "" if nothing is."""
        source = self.source
        last = "the prelude"
        while True:
            source.start, source.part = source.offset, f"the header of a block behind {last}"
            if source.at_end():
                break
            found = source.document()
            block = header(found[0]) if found else {}
            if not {"db", "collection"} <= block.keys():
                raise Damage("this is no header of a block")
            name = last = source.part = namespace(block)
            if self.contents and not self.knows(name):
                raise Damage("the prelude does not name this collection")
            if name in self.ended:
                raise Damage("this collection has ended before")
            yield from self.block(name)
            if block.get("EOF"):
                self.ended.add(name)
                crc, wanted = self.sums.pop(name, 0), block.get("CRC", 0) & 0xFFFFFFFFFFFFFFFF
                yield name, [], "" if crc == wanted else f"the checksum of its documents is {crc:016x}, and should be {wanted:016x}"
        source.part = None
        for name in [*self.sums, *filter(self.has_documents, self.contents)]:
            if name not in self.ended:
                source.part = name
                raise Damage("the archive ends before this collection is complete")

    def block(self, name):
        self.sums.setdefault(name, 0)
        while True:
            self.source.start = self.source.offset
            found = self.source.documents()
            if not found:
                return
            self.sums[name] = crc64(b"".join(found), self.sums[name])
            yield name, found, None


def kind_of(metadata):
    """What kind of collection has these metadata: older versions of mongodump do not say."""
    try:
        options = json.loads(metadata)["options"]
        return "view" if "viewOn" in options else "timeseries" if "timeseries" in options else "collection"
    except (KeyError, TypeError, ValueError, RecursionError):
        return "collection"


def namespace(entry):
    return f"{entry['db']}.{entry['collection']}"


def is_archive(source):
    if len(source.buffer) - source.position < 4:
        source.fill(4)
    return source.buffer[source.position:source.position + 4] == ARCHIVE


def dumped(source, wanted):
    """Return lists of documents of one collection, from whichever file of mongodump; what is wrong with the request is found at once."""
    if is_archive(source):
        archive = Archive(source)
        return one_of_archive(archive, archive.find(wanted))
    if wanted:
        raise Mistake("--collection is for archives, and this is none")
    return iter(source.documents, [])


def one_of_archive(archive, wanted):
    seen = None
    for name, documents, wrong in archive.blocks():
        if wrong:
            raise Damage(wrong)
        if wanted in (None, name, name.partition(".")[2]):
            if seen not in (None, name):
                raise Damage(f"another collection, {name}, after {seen}: choose one with --collection")
            seen = name
            if documents:
                yield documents
    if wanted and not seen and wanted not in archive.contents:
        archive.source.part = wanted
        raise Damage("the archive ends, and no block was of this collection")
