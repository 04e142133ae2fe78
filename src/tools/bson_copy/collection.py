"""A table as a collection: what mongodump writes beside its documents."""
import json
import re

from .basics import MAX_LEVELS, Mistake, say, shown
from .metadata import as_json, levels, plain, wrong_index
from .psql import ask, identifier, literal
from .table import read_comment

TABLES = """SELECT json_build_object('db', current_database(), 'tables', coalesce(json_agg(json_build_object('schema', nspname, 'name', relname, 'view', relkind = 'v',
 'comment', obj_description(c.oid, 'pg_class'), 'rows', reltuples, 'indexes', (SELECT json_agg(json_build_object('name', i.relname,
 'unique', indisunique, 'method', amname, 'comment', obj_description(i.oid, 'pg_class'), 'definition', pg_get_indexdef(i.oid),
 'keys', (SELECT json_agg(json_build_array(pg_get_indexdef(i.oid, n, false), indoption[n - 1] & 1) ORDER BY n) FROM generate_series(1, indnatts) AS n), 'condition', pg_get_expr(indpred, indrelid)) ORDER BY i.oid)
 FROM pg_index JOIN pg_class i ON i.oid = indexrelid JOIN pg_am am ON am.oid = i.relam WHERE indrelid = c.oid AND indisvalid),
 'checks', (SELECT json_agg(json_build_object('name', conname, 'comment', obj_description(o.oid, 'pg_constraint'),
 'condition', pg_get_expr(conbin, conrelid)) ORDER BY o.oid) FROM pg_constraint o WHERE conrelid = c.oid AND contype = 'c'))
 ORDER BY relname), '[]')) FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace JOIN pg_attribute a ON attrelid = c.oid
 WHERE (relkind IN ('r', 'p') AND NOT relispartition OR relkind = 'v' AND starts_with(obj_description(c.oid, 'pg_class'), {})) AND attname = 'data' AND NOT attisdropped AND atttypid = {}::regtype::oid AND nspname = {}"""

# the server's spelling of what --restore makes, whose names have a schema where the search path lacks it
NAMED = r'(?:(?:\w+|"(?:[^"]|"")+")\.)?'
CONSTANT = rf"(E?'(?:[^']|'')*')::{NAMED}"
SORT_KEY = re.compile(rf"{NAMED}bson_sort_key\(data, {CONSTANT}bson\)")
STEP = rf" (?:->|OPERATOR\({NAMED}->\)) {CONSTANT}text\)*"
FIELD = re.compile(rf"\(*data(?:{STEP})+")
IS_ID = re.compile(rf"\(*{NAMED}bson_typeof\(\(*data{STEP} <> 'array'::text\) IS TRUE\)*")
PATH = re.compile(rf"\(*data (?:#>|OPERATOR\({NAMED}#>\)) {CONSTANT}text\[\]\)*")
QUERY = re.compile(rf"\(*data (?:@~|OPERATOR\({NAMED}@~\)) {CONSTANT}bson\)*")
ONE = {"$numberInt": "1"}


def unquote(constant):
    text = constant[constant.index("'") + 1:-1].replace("''", "'")
    return text.replace("\\\\", "\\") if constant[0] == "E" else text


def query_of(condition):
    """The query of MongoDB's that is this condition in SQL; None if it is no such."""
    match = QUERY.fullmatch(condition)
    return unquote(match.group(1)) if match else None


def path_of(expression):
    """The field's path in MongoDB that is this expression in SQL; None if it is no such."""
    path = PATH.fullmatch(expression)
    if not path and not FIELD.fullmatch(expression):
        return None
    steps = unquote(path.group(1)).strip("{}").split(",") if path else [unquote(step) for step in re.findall(STEP, expression)]
    return ".".join(step.strip('"') for step in steps)


def noted(comment, *keys):
    """What --restore noted in a comment; None if this is a comment of somebody else."""
    try:
        made = json.loads(comment or "")
    except (ValueError, RecursionError):
        return None
    if levels(made) > MAX_LEVELS or not isinstance(made, dict) or not all(key in made for key in keys):
        return None
    return None if "key" in keys and wrong_index(made) else made


class Described:
    """A table as a collection: what mongodump writes beside its documents, in canonical Extended JSON."""

    def __init__(self, options, db, table):
        self.options, self.db, self.table = options, db, table
        self.collection = table["name"]
        namespace, kept = read_comment(table["comment"])
        if namespace:
            self.collection = namespace.partition(".")[2]
        self.is_view = table["view"]
        self.indexes = [] if self.is_view else [{"v": {"$numberInt": "2"}, "key": {"_id": ONE}, "name": "_id_"}]
        for index in table["indexes"] or []:
            self.add_index(noted(index["comment"], "key", "name") or self.index(index), index["name"])
        for number, index in enumerate(kept.get("indexes", [])):
            if not wrong_index(index):
                self.add_index({"name": f"index_{number}", **index}, f"{table['name']}_index_{number}")
        if self.is_view and not isinstance(kept.get("options", {}).get("viewOn"), str):
            raise Mistake(f"{shown(table['name'])}: the comment of this view does not say what view of MongoDB's it is: remove the comment, and the view is not dumped")
        self.options_of = {**self.without_expiry(kept.get("options", {}), "the collection"), **self.checks()}

    @property
    def type(self):
        return "view" if self.is_view else "collection"

    def lack(self, what):
        say(f"{shown(self.collection)}: {shown(what)}")

    def canonical(self, text):
        home = identifier(self.options.home)
        return ask(self.options, f"SELECT {home}.bson_to_extjson({literal(text)}::{home}.bson, 'canonical'::text)")

    def without_expiry(self, holder, called):
        if "expireAfterSeconds" not in holder or self.options.expire:
            return holder
        self.lack(f"{called} is written without expireAfterSeconds, as MongoDB would delete documents by it; --expire writes it")
        return {key: value for key, value in holder.items() if key != "expireAfterSeconds"}

    def add_index(self, made, name):
        if made:
            made = {**self.without_expiry(made, f"index {made.get('name')}"), "v": made.get("v", {"$numberInt": "2"})}
            if made["name"] == "_id_":
                self.indexes = [other for other in self.indexes if other["name"] != "_id_"]     # this one has a collation
            if made["name"] in {other["name"] for other in self.indexes}:
                made["name"] = name
            self.indexes.append(made)

    def index(self, index):
        """An index that was made by hand; None if it is none of MongoDB's."""
        columns = index["keys"]
        key = columns[0][0]
        sort = SORT_KEY.fullmatch(key) if len(columns) == 1 else None
        # a sort key at the end is of what -> does not tell apart
        paths = [path_of(column) for column, _ in columns[:-1 if index["unique"] and len(columns) > 1 and SORT_KEY.fullmatch(columns[-1][0]) else None]]
        made = {}
        if sort and index["method"] == "btree":
            made["key"] = self.canonical(unquote(sort.group(1)))
        elif None not in paths and index["method"] in ("btree", "hash"):
            if paths == ["_id"] and index["condition"] is None and (index["unique"] or index["method"] == "hash"):
                return None             # all collections have it
            made["key"] = {path: "hashed" if index["method"] == "hash" else {"$numberInt": "-1"} if descends else ONE for path, (_, descends) in zip(paths, columns)}
            # where the field is missing there is NULL, of which there may be many
            if index["unique"] and "NULLS NOT DISTINCT" not in index["definition"]:
                made["sparse"] = True
        elif index["method"] == "gin" and key == "data" and index["condition"] is None:
            return None                 # serves queries on any field
        if index["condition"] is not None and made:
            query = query_of(index["condition"])
            made.pop("sparse", None)
            if query is None:
                made = {}
            else:
                made["partialFilterExpression"] = self.canonical(query)
        if not made:
            return self.lack(f"index {index['name']} has no equal in MongoDB, and is not written: {index['definition']}")
        if index["unique"]:
            made["unique"] = True
        made["name"] = "_".join(f"{field}_{kind if isinstance(kind, str) else format(plain(kind), 'g')}" for field, kind in made["key"].items())
        return made

    def checks(self):
        """The options of the validator."""
        found = []
        for check in self.table["checks"] or []:
            query = query_of(check["condition"])
            kept = noted(check["comment"], "validator")
            if kept:
                found.append(kept)
            elif query is not None:
                found.append({"validator": self.canonical(query)})
            elif not IS_ID.fullmatch(check["condition"]):
                self.lack(f"the check {check['name']} is no query of MongoDB's, and is not written: {check['condition']}")
        if len(found) > 1:
            return {"validator": {"$and": [one["validator"] for one in found]}}
        return found[0] if found else {}

    def metadata(self):
        return as_json({"options": self.options_of, "indexes": self.indexes, "collectionName": self.collection, "type": self.type})

    def size(self):
        """The bytes of its documents, of which none is read for that; a view has none of its own."""
        if self.is_view:
            return 0
        home = identifier(self.options.home)
        return ask(self.options, f"SELECT coalesce(sum({home}.bson_size(data)), 0) FROM {identifier(self.table['schema'])}.{identifier(self.table['name'])}")

    def query(self):
        order = f" ORDER BY {self.options.order}" if self.options.order else ""
        return f"COPY (SELECT data FROM {identifier(self.table['schema'])}.{identifier(self.table['name'])}{order}) TO STDOUT (FORMAT binary)"
