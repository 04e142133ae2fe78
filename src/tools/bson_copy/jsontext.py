"""The documents of a file of mongoexport."""
import codecs
import json
import re

from .basics import CHUNK, Damage

# a number that the type bson may take for a decimal128, as it rounds none: of many digits, or with an exponent
DELICATE = re.compile(r"[:,\[\s]-?(?:[0-9][0-9.]{15}|[0-9.]+[eE])")
TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9][-+.0-9eE]*')
SPACE = re.compile(r"[ \t\r\n]*")
SHELL = re.compile(r"(?:BinData|Date|Decimal128|Double|HexData|ISODate|Int32|Long|MD5|MaxKey|MinKey|Number\w+|ObjectId|RegExp|Timestamp|UUID)\(|new ")
WHITE = str.maketrans("\n\r\t\0", "   \n")
MAX_JSON = 1 << 28                      # characters of a document

# of the values only their ends are wanted: the server reads the document
find_end = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str, object_pairs_hook=len).raw_decode


def number_of_mongodb(token):
    """A number by MongoDB's rule: what is no 64-bit integer is a double, which the server makes of its shortest spelling."""
    if token.lstrip("-").isdigit() and len(token) < 21 and -1 << 63 <= int(token) < 1 << 63:
        return token
    number = float(token)
    if number in (float("inf"), float("-inf")):
        raise Damage(f"the number {token[:40]} is beyond a double")
    # there the server may hold the shortest spelling for half-way between two doubles, and so for a decimal
    return f'{{"$numberDouble":"{number!r}"}}' if abs(number) >= 1 << 53 else repr(number)


def token_of_mongodb(match):
    token = match.group()
    return token if token[0] == '"' else number_of_mongodb(token)


# the same of bytes in which all digits and points are 0, all e the same, and what may be before a number is a space
KINDS = bytes(ord("0") if each in b"0123456789." else ord(" ") if each in b":,[ \t\r\n" else ord("e") if each in b"eE" else each if each == ord("-") else ord("x") for each in range(256))
DELICATE_KINDS = re.compile(rb" -?(?:0{16}|0+e)")
NUMBER_BYTES = re.compile(rb"-?[0-9][-+.0-9eE]*")
SHELL_BYTES = re.compile(rb"[:,\[][ ]*(?:new |[A-Z]\w+\()")
MARK = b"\xef\xbb\xbf"                  # some programs begin a text with it
LONGEST = 16 << 20                      # bytes of a line that is read as a whole


def simple_lines(data):
    """
    Lines as COPY's text format has them, if each line is one document as far as its ends tell; else None.

    A line that begins with a brace and ends with one is a document or not JSON: in JSON no brace that closes is followed by one
    that opens.  What is not JSON is refused by the server.
    """
    number = data.count(b"\n")
    if not data.startswith(b"{") or data.count(b"}\n") != number or data.count(b"\n{") != number - 1:
        return None
    if b"\t" in data or b"\r" in data or b"\0" in data or b"(" in data and SHELL_BYTES.search(data):
        return None
    try:
        data.decode()
        data = with_numbers_of_mongodb(data)
    except (ValueError, Damage):        # the other way says where
        return None
    return data.replace(b"\\", b"\\\\")


def with_numbers_of_mongodb(data):
    """The same text with the numbers by MongoDB's rule; what looks like a number in a string is left alone."""
    kinds = data.translate(KINDS)
    if b"0e" not in kinds and b"0" * 16 not in kinds:
        return data                     # most often; the expression takes five times as long
    marks, parts, done, seen, inside = None, [], 0, 0, 0
    for match in DELICATE_KINDS.finditer(kinds):
        if marks is None:
            # without the quotes that are part of a string
            marks = data.replace(b"\\\\", b"__").replace(b'\\"', b"__") if b"\\" in data else data
        start = match.start() + 1
        inside ^= marks.count(b'"', seen, start) & 1
        seen = start
        if not inside:
            number = NUMBER_BYTES.match(data, start)
            if not number:
                raise Damage("this is not a number")
            end = number.end()
            token = data[start:end]
            number = float(token) if b"." in token else 1e300
            # most have a fraction, and are spelled as the server would spell them
            exact = repr(number).encode() if -1e15 < number < 1e15 else number_of_mongodb(token.decode()).encode()
            if exact != token:
                parts += [data[done:start], exact]
                done = end
    return b"".join([*parts, data[done:]]) if parts else data


class Json:
    """The documents of a file of mongoexport: one after the other, or in one array, on as many lines as there may be."""

    def __init__(self, source, each=False):
        self.source = source
        self.each = each                # look into each document here?
        self.decoder = codecs.getincrementaldecoder("utf-8")()
        self.text = ""
        self.position = 0
        self.lines = 1                  # up to the beginning of the text
        self.ended = False

    def more(self):
        """Have more text, if there is any."""
        self.lines += self.text.count("\n", 0, self.position)
        parts = [self.text[self.position:]]
        wanted = max(CHUNK, len(parts[0]))
        while wanted > 0 and not self.ended:
            data = self.source.read_some()
            self.ended = not data
            parts.append(self.decode(data))
            wanted -= len(data)
        self.text = "".join(parts)
        self.position = 0

    def decode(self, data):
        try:
            return self.decoder.decode(data, final=self.ended)
        except UnicodeDecodeError as error:
            raise Damage(f"the text is not valid UTF-8: {error.reason}")

    def next(self):
        """The next character that is no white space; "" at the end."""
        while True:
            self.position = SPACE.match(self.text, self.position).end()
            if self.position < len(self.text):
                return self.text[self.position]
            if self.ended:
                return ""
            self.more()

    def line(self, position):
        return self.lines + self.text.count("\n", 0, position)

    def refuse(self, reason, position):
        hint = ""
        if SHELL.match(self.text, position):
            hint = '; this is the syntax of MongoDB\'s shell: write Extended JSON, such as {"$oid": "..."} or {"$date": "..."}'
        raise Damage(f"line {self.line(position)}: {reason}{hint}")

    def document(self):
        while True:
            try:
                end = find_end(self.text, self.position)[1]
                break
            except json.JSONDecodeError as error:
                # at the end of the text more of it may help
                short = error.pos > len(self.text) - 64 or error.msg.startswith("Unterminated")
                if self.ended or not short:
                    self.refuse(error.msg, error.pos)
            except RecursionError:
                self.refuse("it is nested too deeply", self.position)
            if len(self.text) - self.position > MAX_JSON:
                self.refuse("the document is too large, or does not end", self.position)
            self.more()
        text = self.text[self.position:end]
        if DELICATE.search(text):
            text = TOKEN.sub(token_of_mongodb, text)
        self.position = end
        return text

    def copy_lines(self):
        """Yield lines of COPY's text format, and how many they are."""
        rest = yield from self.whole_lines()
        self.text = self.decode(rest)
        for documents in self.documents():
            # line feeds and tabs are between values, as strings have none
            yield "\0".join(documents).replace("\\", "\\\\").translate(WHITE).encode() + b"\n", len(documents)

    def whole_lines(self):
        """The same of simple lines, as long as there are such; return what was read behind them."""
        rest = self.source.read_some()
        rest = rest[len(MARK):] if rest.startswith(MARK) else rest
        while rest and not self.each and len(rest) < LONGEST:
            more = self.source.read_some()
            end = rest.rfind(b"\n") + 1 if more else len(rest)
            data = rest[:end].replace(b"\r\n", b"\n")
            if not more:
                data = data.rstrip() + b"\n"
            if data:
                lines = simple_lines(data)
                if lines is None:
                    return rest + more
                yield lines, lines.count(b"\n")
                self.lines += rest.count(b"\n", 0, end)
            rest = rest[end:] + more
        return rest

    def documents(self):
        """Yield lists of documents, as text."""
        array = self.next() == "["
        self.position += array
        found, size = [], 0
        try:
            while True:
                character = self.next()
                if array and character == "]":
                    self.position += 1
                    if self.next():
                        self.refuse("there is more behind the array", self.position)
                    break
                if not character:
                    if array:
                        self.refuse("the array does not end", self.position)
                    break
                if character != "{":
                    self.refuse("a document is expected", self.position)
                found.append(self.document())
                size += len(found[-1])
                if array and self.next() == ",":
                    self.position += 1
                    if self.next() == "]":
                        self.refuse("a document is expected behind a comma", self.position)
                elif array and self.next() != "]":
                    self.refuse("a comma is expected between documents", self.position)
                if size >= CHUNK:
                    yield found
                    found, size = [], 0
        except Damage:
            if found:
                yield found
            raise
        if found:
            yield found
