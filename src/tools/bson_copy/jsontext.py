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
MAX_JSON = 1 << 28                      # characters of a document

# of the values only their ends are wanted: the server reads the document
find_end = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str, object_pairs_hook=len).raw_decode


def number_of_mongodb(match):
    """A number by MongoDB's rule: what is no 64-bit integer is a double, which the server makes of its shortest spelling."""
    token = match.group()
    if token[0] == '"':
        return token
    if token.lstrip("-").isdigit() and len(token) < 21 and -1 << 63 <= int(token) < 1 << 63:
        return token
    number = float(token)
    if number in (float("inf"), float("-inf")):
        raise Damage(f"the number {token[:40]} is beyond a double")
    # there the server may hold the shortest spelling for half-way between two doubles, and so for a decimal
    return f'{{"$numberDouble":"{number!r}"}}' if abs(number) >= 1 << 53 else repr(number)


class Json:
    """The documents of a file of mongoexport: one after the other, or in one array, on as many lines as there may be."""

    def __init__(self, source):
        self.source = source
        self.decoder = codecs.getincrementaldecoder("utf-8-sig")()
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
            try:
                parts.append(self.decoder.decode(data, final=self.ended))
            except UnicodeDecodeError as error:
                raise Damage(f"the text is not valid UTF-8: {error.reason}")
            wanted -= len(data)
        self.text = "".join(parts)
        self.position = 0

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
            text = TOKEN.sub(number_of_mongodb, text)
        self.position = end
        return text

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
