"""A collection of a dump as a table: the statements that make it, its indexes and its validator."""
import hashlib
import itertools
import json
import re

from .basics import Mistake

NO_EQUAL = {"2d", "2dsphere", "geoHaystack"}
MARK = "restored by bson-copy from "    # begins the comment of a table that is complete


def identifier(name):
    return '"' + name.replace('"', '""') + '"'


def literal(text):
    quoted = "'" + text.replace("'", "''") + "'"
    return " E" + quoted.replace("\\", "\\\\") if "\\" in text else quoted


def short_name(name):
    """As the server has it, with at most 63 bytes; longer ones end in a hash, so that they stay apart."""
    encoded = name.encode()
    if len(encoded) <= 63:
        return name
    return encoded[:54].decode(errors="ignore") + "_" + hashlib.md5(encoded).hexdigest()[:8]


def plain(value):
    """A number of Extended JSON as a number; anything else as it is."""
    if isinstance(value, dict) and len(value) == 1:
        (kind, text), = value.items()
        if kind in ("$numberInt", "$numberLong", "$numberDouble", "$numberDecimal"):
            return float(text)
    return value


def as_json(value):
    return json.dumps(value, ensure_ascii=False)


class Table:
    """A collection of a dump, and the statements that make it a table."""

    def __init__(self, db, collection, metadata, path=None):
        self.db, self.collection, self.path = db, collection, path
        self.json = bool(path) and re.search(r"\.json(\.gz)?$", path) is not None
        try:
            self.metadata = json.loads(metadata or "{}")
        except ValueError as error:
            raise Mistake(f"the metadata of {db}.{collection} is not JSON: {error}")
        if not isinstance(self.metadata, dict):
            raise Mistake(f"the metadata of {db}.{collection} is not a JSON object")
        self.options = self.metadata.get("options") or {}
        self.namespace = f"{db}.{collection}"
        self.schema = None
        self.name = short_name(collection)
        self.remarks = []

    @property
    def is_view(self):
        return self.metadata.get("type") == "view" or "viewOn" in self.options

    def place(self, name):
        return (identifier(self.schema) + "." if self.schema else "") + identifier(name)

    def remark(self, text):
        self.remarks.append(f"{self.namespace}: {text}")

    @property
    def is_series(self):
        return self.metadata.get("type") == "timeseries" or "timeseries" in self.options

    def create(self):
        return f"CREATE TABLE {self.place(self.name)} (data bson NOT NULL)"

    def copy(self):
        return f"COPY {self.place(self.name)} (data) FROM STDIN (FORMAT {'text' if self.json else 'binary'}, FREEZE)"

    def complete(self):
        name = identifier(short_name(self.name + "__id_"))
        btree = f"CREATE UNIQUE INDEX {name} ON {self.place(self.name)} ((data -> '_id'))"
        return [block(btree, "program_limit_exceeded", self.exclude(name, "data -> '_id'", ""),
                      f"{self.namespace}: an _id is too long for a B-tree: a hash index keeps _id unique, which gives no order"),
                f"COMMENT ON TABLE {self.place(self.name)} IS {literal(MARK + self.namespace)}"]

    def exclude(self, name, expression, condition):
        """What is unique without a limit on its length, and serves comparisons by equality."""
        return f"ALTER TABLE {self.place(self.name)} ADD CONSTRAINT {name} EXCLUDE USING hash (({expression}) WITH =){condition}"

    def after(self):
        """What is made behind the documents: lists of a name and statements, each of which is a transaction."""
        made = []
        ordinary = False
        for index in self.metadata.get("indexes") or []:
            keys = {field: plain(kind) for field, kind in index.get("key", {}).items()}
            if list(keys) == ["_id"] and not isinstance(keys["_id"], str):
                continue
            name = short_name(f"{self.name}_{index.get('name', 'index')}")
            using = self.using(index, keys)
            if using:
                ordinary |= using.startswith("(")
                made.append((name, [self.index(name, index, using, self.condition(index, keys))]))
        if ordinary:
            # MongoDB's queries are served by this one, whichever fields they ask for; the others serve order and uniqueness
            name = short_name(self.name + "_data")
            made.append((name, [f"CREATE INDEX {identifier(name)} ON {self.place(self.name)} USING gin (data bson_range_ops)"]))
        return made

    def index(self, name, index, using, condition):
        comment = f"COMMENT ON INDEX {self.place(name)} IS {literal(as_json(index))}"
        unique = "UNIQUE " if index.get("unique") else ""
        create = f"CREATE {unique}INDEX {identifier(name)} ON {self.place(self.name)} {using}{condition}"
        if using.startswith("USING"):
            return block(f"{create};\n{comment}")
        instead, warning = None, f"{self.namespace}: a value is too long for a B-tree, and the index {index.get('name')} is not made; the GIN index serves queries"
        if unique:
            instead = self.exclude(identifier(name), using[1:-1], condition.replace(" WHERE ", " WHERE (") + ")" if condition else "") + f";\n{comment}"
            warning = f"{self.namespace}: a value is too long for a B-tree: the index {index.get('name')} is made as a hash index, which gives no order"
        return block(f"{create};\n{comment}", "program_limit_exceeded", instead, warning)

    def using(self, index, keys):
        name, kinds = index.get("name"), {kind for kind in keys.values() if isinstance(kind, str)}
        if kinds & NO_EQUAL:
            return self.remark(f"index {name} is not made: an index of geometry has no equal; PostGIS has such on its own types")
        if "expireAfterSeconds" in index:
            field = next(iter(keys))
            self.remark(f"index {name} is made, but nothing expires by it: let a job delete the documents whose {field} is older than "
                        f"{plain(index['expireAfterSeconds']):g} seconds")
        if index.get("collation"):
            self.remark(f"index {name} is made without its collation")
        if "text" in kinds:
            return self.using_text(index, keys)
        if kinds == {"hashed"} and len(keys) == 1:
            return f"USING hash (({path_of(next(iter(keys)))}))"
        wild = [field for field in keys if field.endswith("$**")]
        if wild:
            if "wildcardProjection" in index or len(keys) > 1:
                self.remark(f"index {name} covers all fields below {wild[0]}")
            return f"USING gin (({path_of(wild[0][:-3].rstrip('.'))}) bson_range_ops)"
        if kinds - {"hashed"}:
            return self.remark(f"index {name} is not made: its kind {', '.join(sorted(kinds))} has no equal")
        order = {field: -1 if not isinstance(kind, str) and kind < 0 else 1 for field, kind in keys.items()}
        return f"(bson_sort_key(data, {literal(as_json(order))}))"

    def using_text(self, index, keys):
        language = index.get("default_language", "english")
        config = {"none": "simple"}.get(language, language)
        fields = [field for field in index.get("weights", {}) if field != "$**"]
        if len(fields) != len(index.get("weights", {})) or not fields:
            fields = [""]
        if any(plain(weight) != 1 for weight in index.get("weights", {}).values()) or len(keys) > 2:
            self.remark(f"index {index.get('name')} is made without its weights and other fields")
        parts = [f"coalesce(to_tsvector({literal(config)}, {path_of(field)}), '')" for field in fields]
        return f"USING gin (({' || '.join(parts)}))"

    @staticmethod
    def condition(index, keys):
        if "partialFilterExpression" in index:
            query = index["partialFilterExpression"]
        elif index.get("sparse"):
            exist = [{field: {"$exists": True}} for field in keys if not field.startswith(("_fts", "$**"))]
            query = exist[0] if len(exist) == 1 else {"$or": exist} if exist else None
        else:
            query = None
        return f" WHERE data @~ {literal(as_json(query))}" if query else ""

    def check(self):
        """A check's name, the statement that makes it of the validator, and the one that validates it; None if there is no validator."""
        validator = self.options.get("validator")
        if not validator:
            return None
        if self.options.get("validationAction") == "warn" or self.options.get("validationLevel") == "off":
            return self.remark(f"the validator is not made, as it does not refuse documents: {as_json(validator)}")
        query, name = literal(as_json(validator)), short_name(self.name + "_validator")
        alter = f"ALTER TABLE {self.place(self.name)}"
        kept = {key: self.options[key] for key in ("validator", "validationLevel", "validationAction") if key in self.options}
        refused = f"{self.namespace}: the validator has no equal, and is not made: {as_json(validator)}: "
        # first of all, is the query understood?  A check that is not would refuse every row.
        add = [f"BEGIN\nPERFORM '{{}}'::bson @~ {query};\nEXCEPTION WHEN data_exception OR feature_not_supported THEN",
               f"RAISE WARNING USING MESSAGE = {literal(refused)} || SQLERRM;\nRETURN;\nEND;",
               f"{alter} ADD CONSTRAINT {identifier(name)} CHECK (data @~ {query}) NOT VALID;",
               f"COMMENT ON CONSTRAINT {identifier(name)} ON {self.place(self.name)} IS {literal(as_json(kept))}"]
        validate = block(f"IF EXISTS (SELECT FROM pg_constraint WHERE conname = {literal(name)} AND conrelid = {literal(self.place(self.name))}::regclass) THEN\n"
                         f"{alter} VALIDATE CONSTRAINT {identifier(name)};\nEND IF", "check_violation", None,
                         f"{self.namespace}: the validator holds for new documents only, as there are others")
        return name, block("\n".join(add)), validate

    def name_options(self):
        """What a collection has that a table has not."""
        if self.options.get("capped"):
            self.remark("the collection is capped, but nothing limits the table")
        if self.options.get("collation"):
            self.remark("the collection has a collation; the table compares strings by their bytes")


def block(statements, condition=None, instead=None, warning=None):
    """Statements as one, and what is done on an error of this kind."""
    lines = ["BEGIN", f"{statements};"]
    if condition:
        lines += [f"EXCEPTION WHEN {condition} THEN", *([f"{instead};"] if instead else []), f"RAISE WARNING USING MESSAGE = {literal(warning)};"]
    body = "\n".join(["", *lines, "END", ""])
    tag = next(tag for tag in map("$do{}$".format, itertools.chain([""], itertools.count())) if tag not in body)
    return f"DO {tag}{body}{tag}"


def path_of(field):
    """The value at a dotted path, as an expression."""
    steps = field.split(".") if field else []
    if not steps:
        return "data"
    if len(steps) == 1:
        return f"data -> {literal(field)}"
    return "data #> " + literal("{" + ",".join('"' + step.replace("\\", "\\\\").replace('"', '\\"') + '"' for step in steps) + "}")
