"""What all parts share: limits, errors, and what is said on standard error."""
import fcntl
import os
import struct
import sys
import threading
import time

SIGNATURE = b"PGCOPY\n\xff\r\n\0"
TRAILER = b"\xff\xff"
BROKEN = b"\0\1"                        # a row without its length: with this at its end the server rolls back
ARCHIVE = b"\x6d\xe2\x99\x81"           # 0x8199e26d, before an archive of mongodump
END = b"\xff\xff\xff\xff"               # in an archive: of the prelude, of a block
BUCKETS = "system.buckets."             # begins the name of what holds the documents of a time series
ROOM = 64 << 20                        # bytes of an archive between its reader and the sessions
MONGODB_SIZE = 16 << 20                 # what MongoDB takes as a document
MAX_SIZE = 0x3FFFFFFF - 4               # what a value of PostgreSQL holds
MAX_DEPTH = 1024                        # levels, as the type bson has them
MAX_METADATA = 32 << 20                 # bytes of what is said about a collection, uncompressed
MAX_PRELUDE = 256 << 20                 # the same, of all collections of an archive
MAX_NAME = 255                          # bytes of the names of a database and a collection, as in MongoDB
MAX_LEVELS = 200                        # of metadata
CHUNK = 1 << 20
SHOWN = 10                              # how many documents are reported one by one

length_at = struct.Struct("<i").unpack_from
row_head = struct.Struct(">hi").pack


class Damage(Exception):
    """The input is not what it should be; the message says why."""


class Mistake(Exception):
    """What was asked for cannot be done; the message says why."""


class Fault(Exception):
    """Why and where these bytes are no document."""

    def __init__(self, offset, reason):
        super().__init__(reason)
        self.offset = offset


def write_fully(fd):
    try:
        # as much as is written at once: so its reader has work while the next is made
        fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, CHUNK)
    except (AttributeError, OSError):
        pass                            # no pipe, or not on this system

    def write(data):
        data = memoryview(data)
        while data:
            data = data[os.write(fd, data):]
    return write


def shown(text):
    """A name or another text of the input as one line without control characters, as these could command a terminal or psql."""
    return "".join(each if each.isprintable() else each.encode("unicode_escape", "surrogatepass").decode() for each in str(text))


def say(text):
    text = "\n".join("\t".join(map(shown, line.split("\t"))) for line in str(text).split("\n"))
    with SAYING:
        print(f"{CLEAR if sys.stderr.isatty() else ''}bson-copy: {text}", file=sys.stderr, flush=True)


SAYING = threading.Lock()
CLEAR = "\r\033[K"


class Progress:
    """A line at most once a second, on a terminal's standard error, or wherever it is asked for."""

    def __init__(self, options, line):
        self.wanted = not options.quiet and (options.progress or sys.stderr.isatty())
        self.line = line                # makes the line of the seconds since the beginning
        self.began = self.shown = time.monotonic()

    def show(self, last=False):
        now = time.monotonic()
        if not self.wanted or (not last and now - self.shown < 1):
            return
        self.shown = now
        line = self.line(max(now - self.began, 0.001))
        with SAYING:
            if sys.stderr.isatty():
                print(f"{CLEAR}{line}", end="\n" if last else "", file=sys.stderr, flush=True)
            else:
                print(line, file=sys.stderr, flush=True)


def megabytes(size, seconds):
    return f"{size / 1e6:.1f} MB, {size / 1e6 / seconds:.1f} MB/s"


def percent(done, size):
    return f", {100 * done // size} %" if size else ""
