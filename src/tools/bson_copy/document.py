"""What is in a document: is it valid, what is its _id, and how is one made."""
import struct

from .basics import MAX_DEPTH, SHOWN, Damage, Fault, length_at, say

FIXED = {0x01: 8, 0x06: 0, 0x07: 12, 0x08: 1, 0x09: 8, 0x0A: 0, 0x10: 4, 0x11: 8, 0x12: 8, 0x13: 16, 0x7F: 0, 0xFF: 0}

PLAIN = {kind: size for kind, size in FIXED.items() if kind != 0x08}
KNOWN = set()                           # names that are valid, each with its zero byte


def is_text(data):
    if data.isascii():
        return True
    try:
        data.decode()
        return True
    except UnicodeDecodeError:
        return False


def check_text(data, start, end):
    try:
        data[start:end].decode()
    except UnicodeDecodeError as error:
        raise Fault(start + error.start, "a string is not valid UTF-8")


def after_cstring(data, position, end):
    zero = data.find(0, position, end)
    if zero < 0:
        raise Fault(position, "a key or regular expression does not end in a zero byte")
    check_text(data, position, zero)
    return zero + 1


def after_string(data, position, end):
    size = length_at(data, position)[0] if end - position >= 5 else 0
    if not 1 <= size <= end - position - 4:
        raise Fault(position, "a string's length does not fit its document")
    if data[position + 3 + size]:
        raise Fault(position + 3 + size, "a string does not end in a zero byte")
    check_text(data, position + 4, position + 3 + size)
    return position + 4 + size


def after_binary(data, position, end):
    size = length_at(data, position)[0] if end - position >= 5 else -1
    if not 0 <= size <= end - position - 5:
        raise Fault(position, "a binary value's length does not fit its document")
    if data[position + 4] == 2 and (size < 4 or length_at(data, position + 5)[0] != size - 4):
        raise Fault(position + 5, "the inner length of a binary value of subtype 2 is wrong")
    return position + 5 + size


def after_scalar(data, kind, position, end):
    """Behind a value that holds no document."""
    if kind in (0x02, 0x0D, 0x0E):
        return after_string(data, position, end)
    if kind == 0x05:
        return after_binary(data, position, end)
    if kind == 0x0B:
        return after_cstring(data, after_cstring(data, position, end), end)
    if kind == 0x0C:
        position, size = after_string(data, position, end), 12
    else:
        size = FIXED.get(kind)
        if size is None:
            raise Fault(position, f"the element type {kind} is unknown")
    if end - position < size:
        raise Fault(position, "a value is cut short")
    if kind == 0x08 and data[position] > 1:
        raise Fault(position, "a boolean is neither 0 nor 1")
    return position + size


def check_document(data):
    """Raise a Fault if the server would refuse these bytes."""
    stack = []                          # ends of documents, and of the code values around them

    def enter(position, limit, outer):
        size = length_at(data, position)[0] if limit - position >= 5 else 0
        if not 5 <= size <= limit - position:
            raise Fault(position, "a document's length does not fit what encloses it")
        if data[position + size - 1]:
            raise Fault(position + size - 1, "a document does not end in a zero byte")
        if len(stack) == MAX_DEPTH:
            raise Fault(position, "it is nested too deeply")
        stack.append((position + size - 1, outer))
        return position + 4

    find = data.find
    position = enter(0, len(data), None)
    end, outer = stack[-1]
    while True:
        if position == end:
            position += 1
            if outer not in (None, position):
                raise Fault(position, "a scope does not end where its code value ends")
            stack.pop()
            if not stack:
                return
            end, outer = stack[-1]
            continue
        kind = data[position]
        if not kind:
            raise Fault(position, "a document ends before its length says")
        # most often the name was seen before, and the value is a number or a string: these are looked at here, as calls take time
        after = find(0, position + 1, end) + 1
        if data[position + 1:after] not in KNOWN:
            after = after_cstring(data, position + 1, end)
            if len(KNOWN) < 10000 and after - position < 100:
                KNOWN.add(data[position + 1:after])
        position = after
        if kind in PLAIN:
            position += PLAIN[kind]
            if position > end:
                after_scalar(data, kind, after, end)
        elif kind == 0x02 and end - position >= 5:
            size, = length_at(data, position)
            position += size + 4
            if size < 1 or position > end or data[position - 1] or not is_text(data[after + 4:position - 1]):
                after_string(data, after, end)
        elif kind in (0x03, 0x04):
            position = enter(position, end, None)
            end, outer = stack[-1]
        elif kind == 0x0F:
            size = length_at(data, position)[0] if end - position >= 14 else 0
            if not 14 <= size <= end - position:
                raise Fault(position, "the length of a code value with scope does not fit its document")
            stop = position + size
            position = enter(after_string(data, position + 4, stop), stop, stop)
            end, outer = stack[-1]
        else:
            position = after_scalar(data, kind, position, end)


def fields(document):
    """The names, types and bytes of the values of a document, as far as it can be read."""
    position, end = 4, len(document)
    try:
        while position < end and document[position]:
            kind = document[position]
            value = after_cstring(document, position + 1, end)
            name = document[position + 1:value - 1].decode()
            position = value + length_at(document, value)[0] if kind in (0x03, 0x04, 0x0F) else after_scalar(document, kind, value, end)
            if position <= value and kind in (0x03, 0x04, 0x0F):
                return
            yield name, kind, document[value:position]
    except (Fault, struct.error):
        return


def document_id(document):
    """The _id of a document for an error, which may be damaged behind it; None if it cannot be read."""
    for name, kind, value in fields(document):
        if name == "_id":
            if kind == 0x07:
                return value.hex()
            if kind == 0x02:
                return repr(value[4:-1].decode())
            if kind in (0x10, 0x12):
                return str(int.from_bytes(value, "little", signed=True))
            return f"0x{value[:32].hex()}, of BSON type {kind}"
    return None


def header(document):
    """The strings, numbers and booleans of a header in an archive."""
    found = {}
    for name, kind, value in fields(document):
        if kind == 0x02:
            found[name] = value[4:-1].decode()
        elif kind in (0x08, 0x10, 0x12):
            found[name] = int.from_bytes(value, "little", signed=True)
    return found


class Long(int):
    """An integer of 64 bits."""


def bson_of(**fields):
    """A document of strings, booleans and integers."""
    parts = []
    for name, value in fields.items():
        if isinstance(value, str):
            text = value.encode() + b"\0"
            kind, data = 0x02, struct.pack("<i", len(text)) + text
        elif isinstance(value, bool):
            kind, data = 0x08, bytes([value])
        elif isinstance(value, Long) or value >= 1 << 31:
            kind, data = 0x12, struct.pack("<Q", value)
        else:
            kind, data = 0x10, struct.pack("<i", value)
        parts.append(bytes([kind]) + name.encode() + b"\0" + data)
    body = b"".join(parts)
    return struct.pack("<i", len(body) + 5) + body + b"\0"


def enclosed(name, document):
    """A document that has this one as its only field."""
    body = b"\x03" + name.encode() + b"\0" + document
    return struct.pack("<i", len(body) + 5) + body + b"\0"


class Checked:
    """Documents that the server will accept; others are an error, or set aside in a file."""

    def __init__(self, source, aside, name=None):
        self.source = source
        self.name = name or source.name
        self.aside = aside                  # a file
        self.count = 0                  # set aside
        self.number = 0                 # of the document

    def good(self, documents, start):
        """Those of these that are valid, and the Damage of the first that is not, unless it is set aside."""
        good = []
        for document in documents:
            self.number += 1
            try:
                check_document(document)
                good.append(document)
            except Fault as fault:
                where = f"in document {self.number} (_id {document_id(document)})"
                if not self.aside:
                    damage = Damage(f"{fault}, {where}")
                    damage.offset = start + fault.offset
                    return good, damage
                self.aside.write(document)
                self.count += 1
                if self.count <= SHOWN:
                    say(f"{self.name}: set aside at byte {start + fault.offset}, {where}: {fault}")
            start += len(document)
        return good, None

    def all(self, batches):
        for documents in batches:
            good, damage = self.good(documents, self.source.start)
            if good:
                yield good
            if damage:
                self.source.start = damage.offset
                raise damage

    def close(self):
        if self.aside:
            self.aside.close()
            if self.count:
                say(f"{self.name}: {self.count} invalid documents set aside in {self.aside.name}")
