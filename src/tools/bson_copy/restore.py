"""--restore: tables of all collections of a dump."""
import concurrent.futures
import os
import queue
import re
import subprocess
import sys
import threading
import time

from .archive import Archive, is_archive, namespace, one_of_archive
from .basics import ROOM, SHOWN, Damage, Mistake, Progress, megabytes, percent, say, shown, write_fully
from .copyformat import Lines, Rows
from .document import Checked
from .files import create, file_name, find_table, find_tables, make_directory
from .jsontext import Json
from .psql import NOTICE, SESSIONS, Psql, ask, connect, identifier, literal, lock, lock_of, run
from .source import Input
from .table import Table, read_comment, short_name
from .view import AGAIN, View, in_order

class Load:
    """One table that is filled in one transaction."""

    def __init__(self, options, table, source):
        self.options, self.table, self.source = options, table, source
        self.began = time.monotonic()
        self.psql = Psql(options, [lock(table.here), NOTICE, table.create(), table.copy(), *table.complete()], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        self.rows = (Lines if table.json else Rows)(write_fully(self.psql.process.stdin.fileno()))
        self.count = self.bytes = 0
        self.checked = None
        if options.check or options.skip_invalid:
            aside = None
            if options.skip_invalid:
                aside = create(os.path.join(make_directory(options.skip_invalid, table.db), file_name(table.collection) + ".bson"))
            self.checked = Checked(source, aside, table.label)

    def put(self, documents, start):
        """Write these documents, whose first begins at this byte."""
        self.bytes += sum(map(len, documents))
        damage = None
        if self.checked:
            documents, damage = self.checked.good(documents, start)
        self.count += len(documents)
        if documents:
            self.write(documents)
        if damage:
            raise damage

    def put_lines(self, lines, number):
        self.bytes += len(lines)
        self.count += number
        self.write(lines)

    def write(self, rows):
        try:
            self.rows.put(rows)
        except BrokenPipeError:
            raise Mistake(self.psql.end() or "psql has ended")

    def end(self, whole):
        if self.checked:
            self.checked.close()
            if self.checked.aside and not self.checked.count:
                os.unlink(self.checked.aside.name)
        try:
            if not self.psql.ended:
                self.rows.end(whole)
        except BrokenPipeError:
            pass
        return self.psql.end()


class Room:
    """A limit on the bytes of all feeds together that are in memory."""

    def __init__(self):
        self.changed = threading.Condition()
        self.used = 0

    def take(self, size):
        with self.changed:
            self.changed.wait_for(lambda: self.used < ROOM)
            self.used += size

    def leave(self, size):
        with self.changed:
            self.used -= size
            self.changed.notify_all()


class Feed:
    """
    A table of an archive, with a thread and a session of its own.  An archive has one reader, and holds its collections in turns
    of some megabytes: the sessions work at the same time on what is in the queues between it and them.
    """

    def __init__(self, restore, load, room):
        self.restore, self.load, self.room = restore, load, room
        self.queue = queue.SimpleQueue()
        self.problem = None
        self.complete = False
        self.thread = threading.Thread(target=self.work, daemon=True)
        self.thread.start()

    def put(self, documents, start):
        size = sum(map(len, documents))
        self.room.take(size)
        self.queue.put((documents, start, size))

    def end(self, wrong):
        """Behind the last documents, or instead of them: what is wrong, "" if nothing is."""
        self.queue.put(wrong)

    def work(self):
        while True:
            item = self.queue.get()
            if isinstance(item, str):
                break
            documents, start, size = item
            try:
                if not self.problem:
                    self.load.put(documents, start)
            except Damage as damage:
                self.problem = f"damaged at byte {damage.offset}, in {self.load.table.label}: {damage}"
            except Exception as error:
                self.problem = f"{self.load.table.label}: {error}"
            finally:
                self.room.leave(size)
        try:
            self.finish(item)
        except Exception as error:
            self.restore.fail(f"{self.load.table.label}: {error}")

    def finish(self, wrong):
        restore, load = self.restore, self.load
        problem = load.end(not self.problem and not wrong)
        restore.over(load)
        if wrong:
            return                      # the reader says what it is
        if self.problem or problem:
            problem = self.problem or f"{load.table.label}: {problem}"
            return restore.fail(f"{load.source.name}: {problem}{restore.diagnose(load.table, problem)}")
        restore.done(load)
        with restore.builders:
            restore.build(load.table)


# what has a name already; of an index the table, and of a table the comment
EXISTING = """SELECT json_build_object('relations', coalesce((SELECT json_agg(json_build_array(nspname, c.relname, CASE c.relkind
 WHEN 'r' THEN 'table' WHEN 'p' THEN 'partitioned table' WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' WHEN 'f' THEN 'foreign table'
 WHEN 'S' THEN 'sequence' WHEN 'c' THEN 'type' ELSE 'index' END, coalesce(t.relname::text, obj_description(c.oid, 'pg_class'), '')))
 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_index ON indexrelid = c.oid LEFT JOIN pg_class t ON t.oid = indrelid
 WHERE c.relkind <> 't'), '[]'), 'checks', coalesce((SELECT json_agg(json_build_array(nspname, relname, conname))
 FROM pg_constraint JOIN pg_class c ON c.oid = conrelid JOIN pg_namespace n ON n.oid = relnamespace WHERE contype = 'c'), '[]'))"""

PRESENT = """SELECT coalesce(json_agg(name), '[]') FROM (SELECT relname FROM pg_index JOIN pg_class c ON c.oid = indexrelid
 WHERE indrelid = {0}::regclass::oid UNION ALL SELECT conname FROM pg_constraint WHERE contype = 'c' AND conrelid = {0}::regclass::oid) AS present (name)"""

# by which method an index is; where a value is too long it is not made, or by another one
METHOD = "SELECT to_json(coalesce((SELECT amname FROM pg_class c JOIN pg_am a ON a.oid = relam WHERE c.oid = to_regclass({})), ''))"

BUSY = "SELECT coalesce(json_agg(key), '[]') FROM unnest({}::bigint[]) AS key WHERE NOT pg_try_advisory_xact_lock(key)"


class Restore:
    """All that --restore does."""

    def __init__(self, options):
        self.options = options
        self.failed = 0
        self.bytes = 0                  # of the tables that are done
        self.read = self.size = 0       # of the files, as they are on the disk
        self.loads = []                 # that are under way
        self.lock = threading.Lock()
        self.builders = threading.Semaphore(options.jobs)

    def fail(self, text):
        with self.lock:
            self.failed += 1
        if not SESSIONS.ended:          # then all of them fail
            say(text)

    def choose(self, tables):
        """Those that become tables; the others are named."""
        chosen, left = [], 0
        for table in tables:
            if self.options.collection and self.options.collection not in (table.namespace, table.collection):
                continue
            left += 1
            if table.is_series:
                self.fail(f"{table.label}: this is a time series, which a dump holds in a form of its own, and not made: write it with mongoexport, and restore that")
            elif table.namespace == ".oplog":
                say("oplog: what changed during the dump is left out: apply it with bson-copy --apply, when all is restored")
            elif table.collection.startswith(("system.", "$admin.system.")) or table.db in ("admin", "config", "local") or not table.db:
                say(f"{table.label}: this belongs to MongoDB's server, and is left out")
            else:
                chosen.append(table)
        if self.options.collection and not left:
            raise Mistake(f"there is no collection {self.options.collection}; the dump holds {', '.join(sorted(t.label for t in tables)) or 'nothing'}")
        several = len({table.db for table in chosen}) > 1
        for table in chosen:
            table.schema = self.options.schema or (short_name(table.db) if several else None)
            if table.json and (self.options.skip_invalid or self.options.check):
                raise Mistake(f"{table.path}: --check and --skip-invalid look into BSON, and this is JSON")
        self.choose_names(tables, chosen)
        return chosen

    def choose_names(self, tables, chosen):
        """Names that stay apart; also those of tables that are left out this time, so that they are the same each time."""
        taken, owners = {}, {}
        for table in tables:
            home = self.options.schema or table.db
            taken.setdefault(home, set()).add(table.name)
            if table in chosen:
                other = owners.setdefault((home, table.name), table)
                if other is not table:
                    raise Mistake(f"{other.label} and {table.label} would both be the table {shown(table.name)}: restore one of them with --collection into another --schema")
        for table in tables:
            table.choose_names(taken[self.options.schema or table.db])

    def print_sql(self, tables):
        for schema in sorted({table.schema for table in tables if table.schema}):
            print(f"CREATE SCHEMA IF NOT EXISTS {identifier(schema)};")
        for table in tables:
            if table.is_view:
                continue
            print(*(f"{statement};" for statement in [table.create(), table.copy() + f" -- {table.label}", *table.complete()]), sep="\n")
            indexes, check = table.after(), table.check()
            table.name_options()
            for index in indexes:
                print(*(f"{statement};" for statement in index.statements), f"-- serves {shown(index.serves)}", sep="\n")
            if check:
                print(*(f"{statement};" for statement in check[1:]), sep="\n")
            kept = table.kept({*(index.name for index in indexes), *(check or ())[:1]})
            if kept:
                print(f"{table.comment(kept)};")
            for remark in table.remarks:
                print(f"-- {remark}")
        for view in self.views(tables):
            view.table.name_options()
            print(f"{view.create()};")
            for remark in [*filter(None, [view.wrong({table.name for table in tables if table.schema == view.table.schema})]), *view.table.remarks]:
                print(f"-- {remark}")
        return 1 if self.failed else 0

    def todo(self, tables):
        """Those that are not complete yet."""
        current = connect(self.options)
        problem = None
        for schema in sorted({table.schema for table in tables if table.schema}):
            problem = problem or run(self.options, [f"CREATE SCHEMA IF NOT EXISTS {identifier(schema)}"])
        if problem:
            raise Mistake(problem)
        for table in tables:
            table.schema = table.schema or current
            if not table.schema:
                raise Mistake("the search path of the session has no schema that exists: name one with --schema")
        self.wait_for_others(tables)
        found = ask(self.options, EXISTING)
        self.relations = {(schema, name): (kind, what) for schema, name, kind, what in found["relations"]}
        self.checks = {tuple(check) for check in found["checks"]}
        missing = []
        for table in tables:
            kind, comment = self.relations.get((table.schema, table.name), (None, None))
            if kind is None:
                missing.append(table)
            elif kind == table.kind and read_comment(comment)[0] == table.namespace:
                if AGAIN in read_comment(comment)[1]:
                    missing.append(table)
                else:
                    say(f"{table.label}: the {kind} is complete, and skipped")
            else:
                raise Mistake(f"{table.label}: there is another {kind} {shown(table.here)}")
        return missing

    def wait_for_others(self, tables):
        """The server may still work for a run that was killed."""
        locks = {lock_of(table.here): table for table in tables}
        query = BUSY.format(literal("{" + ",".join(map(str, locks)) + "}"))
        busy = ask(self.options, query)
        if busy:
            say(f"{', '.join(locks[key].label for key in busy)}: another run, or the server for a run that was killed, is at work here; waiting for its end")
        while busy:
            time.sleep(0.5)
            busy = ask(self.options, query)

    def begin(self, table, source):
        load = Load(self.options, table, source)
        with self.lock:
            self.loads.append(load)
        return load

    def over(self, load):
        with self.lock:
            self.loads.remove(load)
            self.bytes += load.bytes
            if load.table.path:
                self.read += load.source.size

    def load_file(self, table):
        """A file into its table."""
        source = load = None
        try:
            source = self.opened or Input(table.path or os.devnull, found=self.directory and bool(table.path))
            load = self.begin(table, source)
            if table.json:
                for lines, number in Json(source).copy_lines():
                    load.put_lines(lines, number)
            else:
                for documents in iter(source.documents, []):
                    load.put(documents, source.start)
            problem = load.end(True)
        except (Damage, OSError) as error:
            if load:
                load.end(False)
            if hasattr(error, "offset"):
                source.start = error.offset
            place = source.place if source and not table.json else f"{table.path}: damaged"
            self.fail(f"{place}{f', after {load.count} documents' if load else ''}, and nothing is kept: {error}")
            return False
        except Mistake as error:
            problem = str(error)
        finally:
            if load:
                self.over(load)
        if problem:
            self.fail(f"{table.label}: {problem}{self.diagnose(table, problem)}")
            return False
        self.done(load)
        return True

    def diagnose(self, table, problem):
        """Where in the file the document is that the server refused, if that is what it complains of."""
        path = table.path or self.options.file
        if not re.search(r"\bbson\b", problem.partition("\n")[0]) or not path or table.json or not os.path.isfile(path):
            return ""
        source = Input(path)
        try:
            for _ in Checked(source, None).all(iter(source.documents, []) if table.path else one_of_archive(Archive(source), table.namespace)):
                pass
        except Damage as error:
            return f"\n{source.place}: {error}"
        return ""

    def done(self, load):
        if not self.options.quiet:
            say(f"{load.table.label}: {load.count} documents, {load.bytes / 1e6:.1f} MB in {time.monotonic() - load.began:.1f} s")

    def load_archive(self, source, archive, tables):
        """An archive into its tables, which come in blocks."""
        wanted = {table.namespace: table for table in tables}
        feeds, room, all_feeds = {}, Room(), []
        progress = Progress(self.options, self.progress)
        self.size = source.size
        self.source = source

        def feed_of(name):
            if name not in feeds:
                feeds[name] = Feed(self, self.begin(wanted[name], source), room)
                all_feeds.append(feeds[name])
            return feeds[name]

        try:
            for name, documents, wrong in archive.blocks():
                if not archive.contents:
                    raise Damage("the prelude names no collection")
                if name in wanted and wrong is None:
                    feed_of(name).put(documents, source.start)
                elif name in wanted:
                    feed_of(name).end(wrong)
                    del feeds[name]
                    if wrong:
                        self.fail(f"{source.place}: {wrong}; nothing of it is kept")
                progress.show()
        except (Damage, Mistake, OSError) as error:
            for feed in feeds.values():
                feed.end(str(error))
            place = f"{source.place}: " if isinstance(error, Damage) else ""
            self.fail(f"{place}{error}; what was complete before is kept, the rest is not")
        for feed in all_feeds:
            while feed.thread.is_alive():
                feed.thread.join(0.5)
                progress.show()

    def progress(self, seconds):
        """Percents of the tables that are loaded now, and in all."""
        with self.lock:
            loads = list(self.loads)
        size = self.bytes + sum(load.bytes for load in loads)
        each = [f"{load.table.label} {100 * load.source.done // load.source.size} %" if load.table.path and load.source.size else
                f"{load.table.label} {load.bytes / 1e6:.1f} MB" for load in loads[:SHOWN]]
        done = self.source.done if self.source else self.read + sum(load.source.done for load in loads if load.table.path)
        return ", ".join([*each, f"in all {megabytes(size, seconds)}{percent(done, self.size)}"])

    def build(self, table):
        """Indexes and checks of a table that is loaded."""
        first = lock(table.here)
        for index in table.after():
            kind, of = self.relations.get((table.schema, index.name), (None, None))
            if kind == "index" and of == table.name:
                continue
            began = time.monotonic()
            problem = f"there is another {kind} of this name" if kind else run(self.options, [first, *index.statements])
            if problem:
                self.fail(f"{table.label}: the index {shown(index.name)} is not made: {problem}")
            elif not self.options.quiet and ask(self.options, METHOD.format(literal(table.place(index.name)))) == index.method:
                say(f"{table.label}: the index {shown(index.name)} ({time.monotonic() - began:.1f} s) serves {shown(index.serves)}")
        table.name_options()
        check = table.check()
        if check:
            name, add, validate = check
            problem = None if (table.schema, table.name, name) in self.checks else run(self.options, [first, add])
            problem = problem or run(self.options, [first, validate])
            if problem:
                self.fail(f"{table.label}: the validator is not made: {problem}")
        if table.options or table.indexes:
            kept = table.kept(ask(self.options, PRESENT.format(literal(table.here))))
            problem = run(self.options, [first, table.comment(kept)]) if kept else None
            if problem:
                self.fail(f"{table.label}: what --dump has to write again is not noted: {problem}")
        for remark in table.remarks:
            say(remark)

    def views(self, tables):
        views, circle = in_order([View(table) for table in tables if table.is_view])
        for view in circle:
            self.fail(f"{view.table.label}: the view is not made, as it reads itself by way of others")
        return views

    def make_view(self, view):
        table = view.table
        problem = run(self.options, [lock(table.here), view.create()])
        table.name_options()
        if problem:
            self.fail(f"{table.label}: the view is not made: {problem}")
        for remark in [] if problem or self.options.quiet else [f"{table.label}: a view of {shown(view.base)}", *table.remarks]:
            say(remark)

    def work(self, table, load):
        if not load or self.load_file(table):
            self.build(table)

    def __call__(self):
        source = archive = None
        self.source = self.opened = None
        self.directory = bool(self.options.file) and os.path.isdir(self.options.file)
        if self.options.skip_invalid and os.path.exists(self.options.skip_invalid) and not os.path.isdir(self.options.skip_invalid):
            raise Mistake(f"{self.options.skip_invalid} is not a directory; with --restore, --skip-invalid names one")
        if self.directory:
            tables = find_tables(self.options.file)
        else:
            if not self.options.file and sys.stdin.isatty():
                raise Mistake("name a directory, an archive or a file of mongodump, or a file of mongoexport")
            source = Input(self.options.file)
            if is_archive(source):
                archive = Archive(source)
                tables = [Table(entry["db"], entry["collection"], entry.get("metadata")) for entry in archive.contents.values()]
                for table, entry in zip(tables, archive.contents.values()):
                    table.metadata.setdefault("type", entry["type"])
                    if table.namespace != namespace(entry):
                        raise Mistake(f"the archive names the collection {table.label} in two ways")
            elif self.options.file:
                tables = [find_table(self.options.file)]
                self.opened = source    # a pipe with a name can be opened only once
            else:
                raise Mistake("standard input is not an archive of mongodump; name a directory or a file")
        tables = self.choose(tables)
        if self.options.dry_run:
            return self.print_sql(tables)
        missing = self.todo(tables)
        views = self.views(missing)
        tables, missing = ([table for table in which if not table.is_view] for which in (tables, missing))
        if archive:
            # all of it is read, though all tables may be there: who writes to a pipe expects so
            self.load_archive(source, archive, missing)
            tables = [table for table in tables if table not in missing]
            missing = []
        self.size = self.size or sum(os.path.getsize(table.path) for table in missing if table.path)
        progress = Progress(self.options, self.progress)
        pool = concurrent.futures.ThreadPoolExecutor(self.options.jobs)
        pending = {pool.submit(self.work, table, table in missing) for table in tables}
        while pending:
            finished, pending = concurrent.futures.wait(pending, timeout=0.5, return_when="FIRST_COMPLETED")
            for future in finished:
                future.result()
            progress.show()
        for view in views:
            self.make_view(view)
        progress.show(last=True)
        return 1 if self.failed else 0
