"""
A collection of a dump as a table: the statements that make it, its indexes and its validator.

All names and documents in the statements come from the dump: they are quoted, and all constants have a type (see psql.py).
"""
import hashlib
import itertools
import json
import re

from .basics import MAX_LEVELS, Mistake, shown
from .metadata import as_json, is_number, keys_of, levels, parse, plain, seconds_of, wrong_index, wrong_name
from .psql import identifier, literal

NO_EQUAL = {"2d", "2dsphere", "geoHaystack"}
MARK = "restored by bson-copy from "    # begins the comment of a table that is complete
NOT_DISTINCT = " NULLS NOT DISTINCT"    # one document may lack the field, as in MongoDB
WHOLE = "USING gin (data bson_range_ops)"
OLDEST = """'{"$date": {"$numberLong": "-9223372036854775808"}}'::bson"""
IS_ID = "(bson_typeof(data -> '_id'::text) <> 'array'::text) IS TRUE"
OF_CHECK = ("validator", "validationLevel", "validationAction")
SILENT = {*OF_CHECK, "autoIndexId", "create", "flags", "idIndex", "uuid", "viewOn", "pipeline", "timeseries"}
TWICE = "Give one of them another _id in MongoDB, and dump again; or load the file into a table without a unique index, bson-copy FILE | psql -c 'COPY ... FROM STDIN (FORMAT binary)', and change it there"


def comment_of(namespace, kept):
    """What a complete table has as a comment: the collection, and in a second line what --dump has to write again."""
    return MARK + namespace + (f"\n{as_json(kept)}" if kept or "\n" in namespace else "")


def read_comment(comment):
    """The namespace in such a comment, and what is kept there; no namespace if it is a comment of somebody else."""
    if not (comment or "").startswith(MARK):
        return None, {}
    namespace, _, line = comment[len(MARK):].rpartition("\n")
    try:
        kept = json.loads(line) if namespace else {}
    except (ValueError, RecursionError):
        kept = None
    if not isinstance(kept, dict) or levels(kept) > MAX_LEVELS or not isinstance(kept.get("options", {}), dict) or not isinstance(kept.get("indexes", []), list):
        namespace, kept = comment[len(MARK):], {}
    return namespace or line, kept


def short_name(name):
    """As the server has it, with at most 63 bytes; longer ones end in a hash, so that they stay apart."""
    encoded = name.encode()
    if len(encoded) <= 63:
        return name
    return encoded[:54].decode(errors="ignore") + "_" + hashlib.md5(encoded).hexdigest()[:8]


def document(value):
    return literal(as_json(value)) + "::bson"


class Index:
    """An index to be made, its method, and the statement that it serves if it is made by that."""

    def __init__(self, name, statements, using, serves):
        self.name, self.statements, self.serves = name, statements, serves
        self.method = using.split()[1] if using.startswith("USING") else "btree"


class Table:
    """A collection of a dump."""

    def __init__(self, db, collection, metadata, path=None):
        label = shown(f"{db}.{collection}")
        self.metadata = parse(metadata, label)
        self.db, self.collection, self.path = db, self.metadata.get("collectionName") or collection, path
        self.options = self.metadata.get("options") or {}
        for name in (self.db, self.collection, self.options.get("viewOn", "")):
            if wrong_name(name):
                raise Mistake(f"a name in the dump, {label}, {wrong_name(name)}")
        self.json = bool(path) and re.search(r"\.json(\.gz)?$", path) is not None
        self.indexes = self.metadata.get("indexes") or []
        self.namespace = f"{self.db}.{self.collection}"
        self.label = shown(self.namespace)
        self.schema = None
        self.name = short_name(self.collection)
        self.names = {}
        self.remarks = []

    @property
    def is_view(self):
        return self.metadata.get("type") == "view" or "viewOn" in self.options

    @property
    def kind(self):
        return "view" if self.is_view else "table"

    @property
    def is_series(self):
        return self.metadata.get("type") == "timeseries" or "timeseries" in self.options

    def place(self, name):
        return (identifier(self.schema) + "." if self.schema else "") + identifier(name)

    @property
    def here(self):
        return self.place(self.name)

    def remark(self, text):
        self.remarks.append(f"{self.label}: {shown(text)}")

    def choose_names(self, taken):
        """Names of the indexes, which tables and other indexes of the schema do not have."""
        wanted = {"_id": "__id_", "data": "_data", **{number: f"_{name_of(index)}" for number, index in enumerate(self.indexes)}}
        for key, end in wanted.items():
            name = short_name(self.name + end)
            if name in taken:
                name = short_name(f"{self.name}{end}_{hashlib.md5(f'{self.namespace} {key} {end}'.encode()).hexdigest()[:8]}")
            taken.add(name)
            self.names[key] = name

    def create(self):
        return f"CREATE TABLE {self.here} (data bson NOT NULL)"

    def copy(self):
        return f"COPY {self.here} (data) FROM STDIN (FORMAT {'text' if self.json else 'binary'}, FREEZE)"

    def complete(self):
        name, value = identifier(self.names["_id"]), path_of("_id")
        index = statements_of(f"CREATE UNIQUE INDEX {name} ON {self.here} (({value}))", "program_limit_exceeded", self.exclude(name, value, ""),
                              f"{self.label}: an _id is too long for a B-tree: a hash index keeps _id unique, which gives no order")
        twice = f"""RAISE unique_violation USING MESSAGE = {literal(f"{self.label}: two documents have an _id that is the same here: ")}::text || (
SELECT string_agg(bson_to_extjson({value}, 'canonical'::text)::text, ' and '::text) FROM (SELECT data FROM {self.here} WHERE {value} = (
SELECT {value} FROM {self.here} GROUP BY {value} HAVING count(*) > 1 LIMIT 1) LIMIT 2) AS t), DETAIL = {literal(TWICE)}"""
        # MongoDB has no _id that is an array; where a file lacks some, statements look for arrays, too
        checked = f"BEGIN\nALTER TABLE {self.here} ADD CHECK ({IS_ID});\nEXCEPTION WHEN check_violation THEN NULL;\nEND"
        return [block(index, "unique_violation OR exclusion_violation", twice), block(checked), self.comment({})]

    def comment(self, kept):
        return f"COMMENT ON TABLE {self.here} IS {literal(comment_of(self.namespace, kept))}"

    def kept(self, present):
        """What --dump has to write again, of a table that has indexes and checks of these names."""
        made = short_name(self.name + "_validator") in present
        options = {key: value for key, value in self.options.items() if not (made and key in OF_CHECK)}
        indexes = [index for number, index in enumerate(self.indexes) if self.names[number] not in present and not is_usual(index)]
        return {**({"options": options} if options else {}), **({"indexes": indexes} if indexes else {})}

    def exclude(self, name, expression, query):
        """What is unique without a limit on its length, and serves comparisons by equality."""
        return f"ALTER TABLE {self.here} ADD CONSTRAINT {name} EXCLUDE USING hash (({expression}) WITH =){f' WHERE ({query})' if query else ''}"

    def after(self):
        """What is made behind the documents, each in a transaction of its own."""
        made, owners = [], {}
        for number, index in enumerate(self.indexes):
            wrong = wrong_index(index)
            if wrong:
                self.remark(f"index {name_of(index) if isinstance(index, dict) else number + 1} is not made: {wrong}")
            if not wrong and (collated(index) or by_postgis(index) or "text" in keys_of(index).values()):
                made.append(self.asked(number, index))
                continue
            found = None if wrong or is_usual(index) else self.using(index, self.keys(index))
            if not found:
                continue
            using, query, serves = found
            owner = owners.setdefault((bool(index.get("unique")), using, query), index)
            if owner is index:
                made.append(Index(self.names[number], [self.index(self.names[number], index, using, query)], using, serves))
            else:
                self.remark(f"index {name_of(index)} is not made, as it would be the same as {name_of(owner)}, which serves {serves}")
        if any(using.startswith("(") for unique, using, _ in owners if not unique) and (False, WHOLE, None) not in owners:
            # as bson_create_index_sql does: values in arrays, and queries of fields that have no index of their own
            name = self.names["data"]
            made.append(Index(name, [f"CREATE INDEX {identifier(name)} ON {self.here} {WHOLE}"], WHOLE, self.select("data @~ '{...}'", None)))
        return made

    def asked(self, number, index):
        """An index with a collation, of words, or of geometry, which bson_create_index_sql makes."""
        collation = f"PERFORM bson_collation({document(index['collation'])});\n" if collated(index) else ""
        wrong = f"{self.label}: the index {shown(name_of(index))} is not made: "
        query = ", '{\"$text\": {\"$search\": \"...\"}}'" if "text" in keys_of(index).values() else ", ..."
        return Index(self.names[number], [block(f"{collation}EXECUTE bson_create_index_sql({literal(self.here)}::regclass, {document(index)}, 'data'::name)",
                                                "data_exception OR feature_not_supported OR program_limit_exceeded", f"RAISE WARNING USING MESSAGE = {literal(wrong)}::text || SQLERRM::text")],
                     "" if collation else "USING gin", f"the statement of bson_find_sql({literal(self.here)}{query})")

    def keys(self, index):
        keys = keys_of(index)
        strange = [kind for kind in map(plain, index["key"].values()) if not (kind and isinstance(kind, (str, int, float)) and kind == kind and kind is not True)]
        if strange:
            self.remark(f"index {name_of(index)}: its key {as_json(index['key'])} is taken for {as_json(keys)}, as mongorestore does")
        return keys

    def index(self, name, index, using, query):
        comment = f"COMMENT ON INDEX {self.place(name)} IS {literal(as_json(index))}"
        create = f"CREATE {'UNIQUE ' if index.get('unique') else ''}INDEX {identifier(name)} ON {self.here} {using}{f' WHERE {query}' if query else ''}"
        if using.startswith("USING"):
            return block(f"{create};\n{comment}")
        called = shown(name_of(index))
        if not index.get("unique"):
            return block(f"{create};\n{comment}", "program_limit_exceeded", None,
                         f"{self.label}: a value is too long for a B-tree, and the index {called} is not made; the GIN index serves queries")
        order = order_of(keys_of(index))
        alone = path_of(next(iter(order))) if lacks_are_distinct(index) else sort_key(order)
        return block(f"{create};\n{comment}", "program_limit_exceeded", f"{self.exclude(identifier(name), alone, query)};\n{comment}",
                     f"{self.label}: a value is too long for a B-tree: the index {called} is made as a hash index, which gives no order")

    def using(self, index, keys):
        """Of an index the method and expression, the query of a partial one, and the statement that it serves; None if it has no equal."""
        name, kinds = index.get("name"), {kind for kind in keys.values() if isinstance(kind, str)}
        query, field = self.condition(index, keys), next(iter(keys))
        if kinds & NO_EQUAL:
            return self.remark(f"index {name} is not made: an index of geometry that is unique, partial or a haystack has no equal")
        if kinds == {"hashed"} and len(keys) == 1:
            return f"USING hash (({path_of(field)}))", query, self.select(f"{path_of(field)} = '...'", query)
        wild = [field for field in keys if field.endswith("$**")]
        if wild:
            if "wildcardProjection" in index or len(keys) > 1:
                self.remark(f"index {name} covers all fields below {wild[0]}")
            below = path_of(wild[0][:-3].rstrip("."))
            return WHOLE if below == "data" else f"USING gin (({below}) bson_range_ops)", query, self.select(f"{below} @~ '{{...}}'", query)
        if kinds - {"hashed"}:
            return self.remark(f"index {name} is not made: its kind {', '.join(sorted(kinds))} has no equal")
        if "expireAfterSeconds" in index and len(keys) == 1:
            seconds = seconds_of(index)
            # by the GIN index; as in MongoDB, the earliest date of an array counts
            old = "" if seconds is None else f"data @~ bson_build_object({literal(field)}, bson_build_object('$lt', now() - interval '{seconds:.0f} seconds'))"
            self.remark(f"index {name} is made, and by its expireAfterSeconds nothing expires, nor in MongoDB" if seconds is None else
                        f"index {name} is made, but nothing expires by it: let a job run DELETE FROM {self.here} WHERE {f'{query} AND ' if query else ''}{old}")
        columns = columns_of(order_of(keys), index.get("unique"))
        return f"({columns}){NOT_DISTINCT if index.get('unique') and not lacks_are_distinct(index) else ''}", query, self.sorted_by(index, order_of(keys), query)

    def select(self, condition, query):
        return f"SELECT data FROM {self.here} WHERE {f'{query} AND ' if query else ''}{condition}"

    def sorted_by(self, index, order, query):
        if index.get("unique"):
            return f"INSERT INTO {self.here} VALUES ('{{...}}') ON CONFLICT ({columns_of(dict.fromkeys(order, 1), True)}){f' WHERE {query}' if query else ''} DO ..."
        *first, last = order
        where = [*([query] if query else []), *(f"{path_of(field)} = '\"...\"'" for field in first)]
        return f"SELECT data FROM {self.here}{' WHERE ' if where else ''}{' AND '.join(where)} ORDER BY {path_of(last)}{' DESC' if order[last] < 0 else ''} LIMIT ..."

    @staticmethod
    def condition(index, keys):
        """The query of documents that the index is about; None if it is about all."""
        if "partialFilterExpression" in index:
            query = index["partialFilterExpression"]
        elif index.get("sparse") and index.get("unique") and not lacks_are_distinct(index):
            # other indexes that are sparse are of all documents, and so serve more queries
            exist = [{field: {"$exists": True}} for field in keys if not field.startswith(("_fts", "$**"))]
            query = exist[0] if len(exist) == 1 else {"$or": exist} if exist else None
        else:
            query = None
        return f"data @~ {document(query)}" if query else None

    def check(self):
        """A check's name, the statement that makes it of the validator, and the one that validates it; None if there is no validator."""
        validator = self.options.get("validator")
        if not validator:
            return None
        if self.options.get("validationAction") == "warn" or self.options.get("validationLevel") == "off":
            return self.remark(f"the validator is not made, as it does not refuse documents: {as_json(validator)}")
        query, name = document(validator), short_name(self.name + "_validator")
        kept = {key: self.options[key] for key in OF_CHECK if key in self.options}
        if self.options.get("validationLevel") == "moderate":
            self.remark("validationLevel is moderate: MongoDB lets a document be updated that was not valid before, the CHECK refuses every document that is not")
        refused = f"{self.label}: the validator has no equal, and is not made: {shown(as_json(validator))[:1000]}: "
        # first of all, is the query understood?  A check that is not would refuse every row.
        add = [f"BEGIN\nPERFORM '{{}}'::bson @~ {query};\nEXCEPTION WHEN data_exception OR feature_not_supported THEN",
               f"RAISE WARNING USING MESSAGE = {literal(refused)}::text || SQLERRM::text;\nRETURN;\nEND;",
               f"ALTER TABLE {self.here} ADD CONSTRAINT {identifier(name)} CHECK (data @~ {query}) NOT VALID;",
               f"COMMENT ON CONSTRAINT {identifier(name)} ON {self.here} IS {literal(as_json(kept))}"]
        validate = block(f"IF EXISTS (SELECT FROM pg_catalog.pg_constraint WHERE conname = {literal(name)}::name AND conrelid = {literal(self.here)}::regclass::oid) THEN\n"
                         f"ALTER TABLE {self.here} VALIDATE CONSTRAINT {identifier(name)};\nEND IF", "check_violation", None,
                         f"{self.label}: the validator holds for new documents only, as there are others")
        return name, block("\n".join(add)), validate

    def name_options(self):
        """What a collection has that a table has not; --dump writes it again."""
        options = dict(self.options)
        if options.get("capped"):
            limits = ", ".join(f"{key} {format(plain(options[key]), '.0f') if is_number(options[key]) else as_json(options[key])}" for key in ("size", "max") if key in options)
            self.remark(f"the collection is capped ({limits}), but nothing limits the table")
        if options.get("collation"):
            self.remark(f"the collection has the collation {as_json(options['collation'])}: bsond compares strings by it, and statements of SQL by their bytes")
        if options.get("clusteredIndex"):
            self.remark("the collection is clustered by _id; the table is not, and has a unique index")
        seconds = seconds_of(options)
        if seconds is not None and not self.is_series:
            self.remark(f"documents expire {seconds:.0f} seconds after the date in _id, but nothing expires here: let a job run "
                        f"DELETE FROM {self.here} WHERE data -> '_id' BETWEEN {OLDEST} AND to_bson(now() - interval '{seconds:.0f} seconds')")
        for key in options.keys() - SILENT - {"capped", "size", "max", "collation", "clusteredIndex", "expireAfterSeconds"}:
            self.remark(f"the option {key} has no equal: {as_json(options[key])[:1000]}")


def name_of(index):
    name = index.get("name") if isinstance(index, dict) else None
    return name if isinstance(name, str) else "index"


def collated(index):
    return index.get("collation") not in (None, {"locale": "simple"})


def by_postgis(index):
    """Is it one of geometry that PostGIS has?"""
    return not NO_EQUAL.isdisjoint(map(str, index["key"].values())) and "geoHaystack" not in index["key"].values() and not index.get("unique") and "partialFilterExpression" not in index


def is_usual(index):
    """Is this the index that each collection has?"""
    if wrong_index(index):
        return False
    keys = keys_of(index)
    return list(keys) == ["_id"] and not isinstance(keys["_id"], str)


def statements_of(statements, condition, instead, warning):
    """Statements, and what is done on an error of this kind, to be part of a block."""
    return f"BEGIN\n{statements};\nEXCEPTION WHEN {condition} THEN\n{instead};\nRAISE WARNING USING MESSAGE = {literal(warning)};\nEND"


def block(statements, condition=None, instead=None, warning=None):
    """Statements as one, and what is done on an error of this kind."""
    lines = ["BEGIN", f"{statements};"]
    if condition:
        lines += [f"EXCEPTION WHEN {condition} THEN", *([f"{instead};"] if instead else []), *([f"RAISE WARNING USING MESSAGE = {literal(warning)};"] if warning else [])]
    body = "\n".join(["", *lines, "END", ""])
    tag = next(tag for tag in map("$do{}$".format, itertools.chain([""], itertools.count())) if tag not in body)
    return f"DO {tag}{body}{tag}"


def order_of(keys):
    return {field: -1 if not isinstance(kind, str) and kind < 0 else 1 for field, kind in keys.items()}


def lacks_are_distinct(index):
    """Does an index that is unique and sparse leave out the documents without the field because NULL is distinct from NULL?"""
    keys = list(keys_of(index))
    return bool(index.get("sparse")) and len(keys) == 1 and "." not in keys[0] and "partialFilterExpression" not in index


def columns_of(order, unique):
    """The values of the fields; where -> finds nothing in arrays on the way, the sort key tells documents apart (src/pipeline/create_index.c)."""
    columns = [f"({path_of(field)}){' DESC' if kind < 0 and len(order) > 1 else ''}" for field, kind in order.items()]
    dotted = {field: 1 for field in order if "." in field}
    return ", ".join([*columns, *([f"({sort_key(dotted)})"] if unique and dotted else [])])


def sort_key(order):
    return f"bson_sort_key(data, {document(order)})"


def path_of(field):
    """The value at a dotted path, as an expression."""
    return " -> ".join(["data", *(f"{literal(step)}::text" for step in field.split(".") if field)])
