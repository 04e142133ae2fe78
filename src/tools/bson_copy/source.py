"""Files, also compressed: a buffer that knows the offset of each byte."""
import errno
import os
import stat
import zlib

from .basics import CHUNK, END, MAX_SIZE, Damage, Mistake, length_at
from .document import document_id

class Gunzip:
    """A compressed stream, of one member or several, in pieces of bounded size."""

    def __init__(self, raw):
        self.raw = raw
        self.member = zlib.decompressobj(31)

    def read1(self, size):
        while True:
            if self.member.eof:
                rest = self.member.unused_data.lstrip(b"\0") or self.raw.read1(CHUNK).lstrip(b"\0")
                if not rest:
                    return b""
                self.member = zlib.decompressobj(31)
            else:
                rest = self.member.unconsumed_tail or self.raw.read1(CHUNK)
                if not rest:
                    raise EOFError("the compressed data is cut short")
            part = self.member.decompress(rest, size)
            if part:
                return part


def open_found(path):
    """A file that was found in a directory: not what it only leads to, and nothing that could wait for ever."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise Mistake(f"{path} is a symbolic link, which is not followed")
        raise
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise Mistake(f"{path} is not a regular file, and is not read")
    return open(fd, "rb", CHUNK)


class Input:
    """A buffer over a file, which knows the offset of each byte in the (decompressed) input."""

    def __init__(self, name=None, raw=None, found=False):
        self.name = name or "standard input"
        self.raw = raw or (open_found(name) if found else open(name or 0, "rb", CHUNK))
        self.file = Gunzip(self.raw) if self.raw.peek(2)[:2] == b"\x1f\x8b" else self.raw
        self.buffer = b""
        self.position = 0               # of the next byte, in the buffer
        self.before = 0                 # bytes of the input before the buffer
        self.start = 0                  # of what is read now, for errors
        self.part = None                # what it belongs to in an archive, for errors
        self.blocks = False             # do lists of documents end with END?
        self.broken = None              # why the file cannot be read beyond the buffer
        status = os.fstat(self.raw.fileno())
        self.size = status.st_size if stat.S_ISREG(status.st_mode) else 0

    @property
    def offset(self):
        return self.before + self.position

    @property
    def done(self):
        """The bytes of the file, as it is on the disk, that are read."""
        return self.raw.tell() if self.size else self.offset

    @property
    def place(self):
        return f"{self.name}: damaged at byte {self.start}{f', in {self.part}' if self.part else ''}"

    def at_end(self):
        if self.position < len(self.buffer) or self.fill(1):
            return False
        if self.broken:
            raise Damage(self.broken)
        return True

    def fill(self, size):
        """Have this many bytes in the buffer, or all that are left; return how many there are."""
        parts = [self.buffer[self.position:]]
        have = len(parts[0])
        while have < size:
            try:
                part = self.file.read1(CHUNK)
            except (EOFError, OSError, zlib.error) as error:
                self.broken = f"cannot read on: {error}"
                break                   # what came before it is read first
            if not part:
                break
            parts.append(part)
            have += len(part)
        self.before += self.position
        self.buffer = b"".join(parts)
        self.position = 0
        return have

    def read(self, size, what):
        """Return size bytes; at the end of the input b"", if that is no error."""
        have = len(self.buffer) - self.position
        if have < size:
            have = self.fill(size)
        if have < size and (have or what or self.broken):
            raise Damage(self.broken or f"the input ends {size - have} bytes before the end of {what or 'a length'}")
        part = self.buffer[self.position:self.position + size] if have else b""
        self.position += len(part)
        return part

    def read_some(self):
        """Return what comes next, however long; b"" at the end."""
        have = self.fill(1)
        if not have and self.broken:
            raise Damage(self.broken)
        part = self.buffer[self.position:]
        self.position += have
        return part

    def documents(self):
        """Return some documents, at least one; none at the end of the input, or of a block of an archive."""
        if len(self.buffer) - self.position < 4:
            self.fill(CHUNK)
        self.start = self.offset
        found = []
        buffer, position = self.buffer, self.position
        last, end = len(buffer) - 4, len(buffer)
        while position <= last:
            stop = position + length_at(buffer, position)[0]
            if stop > end or stop < position + 5 or buffer[stop - 1]:
                break
            found.append(buffer[position:stop])
            position = stop
        self.position = position
        return found or self.document()

    def document(self):
        """The next document in a list, whose length may be anything; as documents()."""
        head = self.read(4, "a document or of what ends a block" if self.blocks else None)
        if not head or self.blocks and head == END:
            return []
        size, = length_at(head)
        if not 5 <= size <= MAX_SIZE:
            raise Damage(f"{size} is not the length of a document")
        if len(self.buffer) - self.position < size - 4:
            self.fill(size - 4)
        rest = self.buffer[self.position:self.position + size - 4]
        if len(rest) == size - 4:
            self.position += size - 4
            if not rest[-1]:
                return [head + rest]
            reason = "a document does not end with a zero byte"
        else:
            reason = self.broken or f"the input ends {size - 4 - len(rest)} bytes before the end of a document"
        key = document_id(head + rest)
        raise Damage(reason + (f" (_id {key})" if key else ""))
