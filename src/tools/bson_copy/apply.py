"""--apply: what changed after a dump, from the oplog or from a change stream, into the tables that were made of the dump."""
import json
import os
import re
import subprocess

from . import changes
from .archive import dumped, is_archive
from .basics import BUCKETS, SHOWN, Damage, Fault, Mistake, Progress, megabytes, percent, say, shown, write_fully
from .copyformat import Lines, Rows
from .document import check_document, enclosed
from .files import create
from .jsontext import Json
from .metadata import as_json
from .psql import Psql, ask, connect, literal
from .source import Input
from .table import read_comment

LEFT = 3                                # the exit status if all is applied but what is named

# only one's own, as triggers of another role's table would run with the rights of who applies
TABLES = """SELECT coalesce(json_agg(json_build_array(obj_description(c.oid, 'pg_class'), format('%I.%I', nspname, relname))), '[]')
 FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE relkind = 'r' AND pg_get_userbyid(relowner) = current_user AND obj_description(c.oid, 'pg_class') IS NOT NULL AND {}"""

FOREIGN = re.compile(r"[^.]*\.system\.", re.DOTALL)
INDEXES = ("createIndexes", "startIndexBuild", "commitIndexBuild", "abortIndexBuild", "dropIndexes", "deleteIndexes", "collMod", "modify", "create", "dbCheck")
WORK = 256 << 20                        # bytes that are looked at to find what is not valid in one entry


def tables_of(options):
    """The tables that were restored, by namespace."""
    found = {}
    for comment, place in ask(options, TABLES.format(f"nspname = {literal(options.schema)}" if options.schema else "true")):
        namespace, _ = read_comment(comment)
        if namespace and found.setdefault(namespace, place) != place:
            raise Mistake(f"the tables {shown(found[namespace])} and {shown(place)} were both restored from {shown(namespace)}: choose one with --schema")
    if not found:
        raise Mistake("there is no table of this role that was restored by bson-copy")
    return found


class Entries:
    """
    Documents as the server takes them.  Of one that has strings which are not valid UTF-8, the server gets a copy without these,
    so that it can say what the entry is about; it is never applied.
    """

    def __init__(self):
        self.number = 0
        self.invalid = {}               # by their numbers, as they came

    def all(self, source, documents):
        taken, place = [], source.start
        for document in documents:
            self.number += 1
            taken.append(self.one(document, place))
            place += len(document)
        return taken

    def one(self, document, place):
        valid, work = document, 0
        while True:
            try:
                check_document(valid)
                break
            except Fault as fault:
                work += len(valid)
                if "UTF-8" not in str(fault) or work > WORK:
                    damage = Damage(f"{fault}, in entry {self.number}")
                    damage.offset = place + fault.offset
                    raise damage
                end = valid.find(0, fault.offset)
                valid = valid[:fault.offset] + re.sub(rb"[\x80-\xff]", b"?", valid[fault.offset:end]) + valid[end:]
        if valid is document:
            return document
        self.invalid[self.number] = document
        return enclosed(changes.INVALID, valid)


class Aside:
    """The file of changes that are set aside.  Those from before are tried again, before all others."""

    def __init__(self, path):
        self.path = path
        self.before = []
        if path and os.path.isdir(path):
            raise Mistake(f"{path} is a directory; with --apply, --skip-invalid names a file")
        if path and os.path.exists(path):
            source = Input(path)
            for documents in iter(source.documents, []):
                self.before += documents
            self.source = source

    def write(self, documents):
        if documents:
            part = f"{self.path}.part"
            with create(part) as file:
                file.write(b"".join(documents))
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, self.path)
            say(f"{len(documents)} entries are set aside in {self.path}: the next --apply --skip-invalid with this file tries them again")
        elif self.before:
            os.unlink(self.path)
            say(f"{self.path} is removed: what was set aside there is applied, or older than what is")


def start(options, tables, text, before):
    """The session that applies what it gets."""
    rows = [f"({literal(namespace)}, {literal(place)})" for namespace, place in tables.items()]
    known = [f"INSERT INTO pg_temp.bson_copy_table (namespace, place) VALUES {', '.join(rows[number:number + 200])}" for number in range(0, len(rows), 200)]
    return Psql(options, [changes.BEGIN, *known, f"COPY pg_temp.bson_copy_change (entry) FROM STDIN (FORMAT {'text' if text else 'binary'})",
                          changes.READ, changes.UNITS, changes.STEPS, changes.CHECK.format(before), changes.CHANGED, changes.TABLES, changes.STEP,
                          changes.APPLY.format("true" if options.skip_invalid else "false"), changes.RESULT.format(before)], stdin=subprocess.PIPE)


def apply_changes(options):
    connect(options)
    tables = tables_of(options)
    source = Input(options.file)
    is_json = bool(options.file) and re.search(r"\.json(\.gz)?$", options.file) is not None
    aside = Aside(options.skip_invalid)
    if is_json and aside.before:
        raise Mistake(f"{aside.path} is not empty: apply it first, by itself, as it is no JSON")
    batches = Json(source).copy_lines() if is_json else iter(dumped(source, "oplog" if is_archive(source) else None))
    psql = start(options, tables, is_json, len(aside.before))
    output = (Lines if is_json else Rows)(write_fully(psql.process.stdin.fileno()))
    entries, count = Entries(), 0
    progress = Progress(options, lambda seconds: f"{count} entries, {megabytes(source.offset, seconds)}{percent(source.done, source.size)}")
    try:
        if aside.before:
            output.put(entries.all(aside.source, aside.before))
        for batch in batches:
            documents, number = batch if is_json else (entries.all(source, batch), len(batch))
            output.put(documents)
            count += number
            progress.show()
        output.end(True)
    except BrokenPipeError:
        pass
    except Damage as damage:
        output.end(False)
        psql.end()
        source.start = getattr(damage, "offset", source.start)
        raise damage if is_json else Damage(f"{source.place}, after {count} entries, and nothing is applied: {damage}")
    psql.process.stdin.close()
    answer = psql.process.stdout.read()
    problem = psql.end()
    if problem:
        raise Mistake(f"nothing is applied: {problem}")
    progress.show(last=True)
    answer = json.loads(answer)
    if aside.path:
        aside.write([entries.invalid.get(number) or bytes.fromhex(data) for number, data in answer["aside"]])
    return tell(options, tables, count, answer)


def tell(options, tables, count, answer):
    """What was done, and what was not; the status."""
    done, missing, own, others, left = {}, {}, {}, 0, bool(answer["refused"])
    databases = {namespace.partition(".")[0] for namespace in tables}
    for namespace, kind, said, known, number in answer["steps"]:
        if namespace.partition(".")[0] not in databases and namespace != ".":
            others += number
        elif kind == "command":
            left = left or said.partition(" ")[0] not in INDEXES
            say(f"{shown(namespace)}: {shown(said)} is not applied ({number} times): make the change by hand")
        else:
            counts = done if known else own if FOREIGN.match(namespace) else missing
            counts[namespace] = counts.get(namespace, 0) + number
    for namespace, number in missing.items():
        say(f"{shown(namespace)}: {number} changes are not applied, as there is no table of this role: dump this collection now, restore it, and go on with the next round")
    for namespace, number in own.items():
        db, _, name = namespace.partition(".")
        series = name.startswith(BUCKETS)
        say(f"{shown(f'{db}.{name[len(BUCKETS):]}' if series else namespace)}: {number} changes are not applied, as this is "
            f"{'a time series, whose documents MongoDB keeps in a form of its own: write it with mongoexport, and restore that' if series else 'a collection of MongoDB itself'}")
    for namespace, key, why in answer["refused"][:SHOWN]:
        say(f"{shown(namespace)}: a change of the document with the _id {shown(key)} is set aside: {shown(why)}")
    if answer["held"]:
        say(f"a transaction is not complete: {answer['held']} entries are not applied, and the next round begins with them")
    if answer["unfit"]:
        say(f"{answer['unfit']} changes within fields that are not there are left out, as the documents are newer; if names of fields have dots, open the change stream with showExpandedEvents or fullDocument")
    if not options.quiet:
        for namespace, number in done.items():
            say(f"{shown(namespace)}: {number} changes")
        more = f"; {others} were of databases of which nothing was restored" if others else ""
        say(f"{count} entries; {answer['absent']} changes were of documents that are not there, as they are deleted later{more}")
    if answer["last"]:
        print(as_json(json.loads(answer["last"])))
    return LEFT if left or missing or own else 0
