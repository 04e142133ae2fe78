"""Move documents between MongoDB's dumps and PostgreSQL tables with a column of type bson.

    bson-copy --restore dump/
    bson-copy --restore all.archive
    bson-copy --apply dump/oplog.bson
    bson-copy --dump dump/
    bson-copy --dump --archive all.archive

    set -o pipefail
    bson-copy person.bson.gz | psql -c 'COPY person (data) FROM STDIN (FORMAT binary)'
    bson-copy --collection app.person all.archive | psql -c 'COPY person (data) FROM STDIN (FORMAT binary)'
    bson-copy --list all.archive
    bson-copy --json person.json | psql -c 'COPY person (data) FROM STDIN'
    psql -c 'COPY (SELECT data FROM person) TO STDOUT (FORMAT binary)' | bson-copy --export >person.bson

--restore makes a table of each collection of a directory or an archive, or of one file, with its indexes and validator, and makes
its views. --apply makes later changes of the source to these tables, from its oplog or a change stream. --dump writes tables, and
such views, as mongodump does. These three connect as psql does. The others are filters: their input is a .bson file or an
archive of mongodump or, with --json, what mongoexport wrote, also compressed. Without a FILE it is standard input.

If the input is damaged, the output ends so that the server refuses all of it. With --keep, the documents before the damage are
kept. In either case the exit status is not 0. The server checks each document; --check checks them here, and names the place in
the file.
"""
import argparse
import os
import signal

from .apply import apply_changes
from .archive import Archive, dumped, is_archive
from .basics import CHUNK, Damage, Mistake, Progress, megabytes, percent, say, shown, write_fully
from .copyformat import Lines, Rows, copied, since
from .document import Checked
from .dump import dump
from .jsontext import Json
from .psql import SESSIONS
from .restore import Restore
from .source import Input


def filter_json(options):
    """From JSON to COPY's text format: the server makes bson of it."""
    source = Input(options.file)
    count, status = 0, 0
    progress = Progress(options, lambda seconds: f"{count} documents, {megabytes(source.offset, seconds)}{percent(source.done, source.size)}")
    lines = Lines(write_fully(1))
    try:
        for data, number in Json(source, each=options.keep).copy_lines():
            lines.put(data)
            count += number
            progress.show()
    except Damage as error:
        status = 1
        say(f"{source.name}: damaged after {count} documents: {error}")
    lines.end(whole=not status or options.keep)
    progress.show(last=True)
    return status


def filter_documents(options):
    """From a dump to COPY's format, or back."""
    source = Input(options.file)
    count, status, pending, size = 0, 0, [], 0
    progress = Progress(options, lambda seconds: f"{count} documents, {megabytes(source.offset, seconds)}{percent(source.done, source.size)}")
    write = write_fully(1)
    batches = copied(source) if options.export else dumped(source, options.collection)
    if options.start > 1:
        batches = since(source, batches, options.start)
    checked = None
    if options.check or options.skip_invalid:
        checked = Checked(source, options.skip_invalid and open(options.skip_invalid, "wb"))
        checked.number = options.start - 1
        batches = checked.all(batches)
    rows = None if options.export else Rows(write)

    def flush():
        if rows:
            rows.put(pending)
        else:
            write(b"".join(pending))
        pending.clear()

    try:
        for documents in batches:
            pending += documents
            count += len(documents)
            size += len(documents[0]) if len(documents) == 1 else CHUNK
            if size >= CHUNK:
                flush()
                size = 0
                progress.show()
    except Damage as error:
        status = 1
        say(f"{source.place}, after {count} documents: {error}")
    if pending:
        flush()
    if rows:
        rows.end(whole=not status or options.keep)
    if checked:
        checked.close()
    progress.show(last=True)
    return status


def list_contents(options):
    """The collections of an archive."""
    if options.file and os.path.isdir(options.file):
        raise Mistake(f"{options.file} is a directory; --list is for archives")
    source = Input(options.file)
    if not is_archive(source):
        raise Mistake(f"{source.name} is not an archive of mongodump")
    for name, entry in Archive(source).contents.items():
        print(shown(name), shown(entry["type"]), f"{entry.get('size', 0)} bytes", sep="\t")
    return 0


# the modes; without one of the options, a dump becomes input of COPY
COPY = "the way into COPY"
COPY_JSON, EXPORT, LIST, RESTORE, APPLY, DUMP = "--json", "--export", "--list", "--restore", "--apply", "--dump"
PIPES = (COPY, COPY_JSON, EXPORT)
WORKS = (*PIPES, RESTORE, APPLY, DUMP)

# every option: its names, the modes that take it, what it is without being given, and how it is read
OPTIONS = (
    (["file"], (*PIPES, LIST, RESTORE, APPLY), None, dict(nargs="?", help="the file or directory to read; standard input if it is - or not given")),
    ([EXPORT], (EXPORT,), False, dict(action="store_true", help="from COPY BINARY to .bson")),
    ([COPY_JSON], (COPY_JSON,), False, dict(action="store_true", help="from JSON, as mongoexport writes it, to COPY's text format")),
    ([LIST], (LIST,), False, dict(action="store_true", help="list the collections of an archive")),
    ([RESTORE], (RESTORE,), False, dict(action="store_true", help="make tables of all collections of a directory, an archive or a file, with their indexes, and views")),
    ([APPLY], (APPLY,), False, dict(action="store_true", help="make the changes of an oplog, or of a change stream as JSON, to the tables of --restore; print the query for the next round")),
    ([DUMP], (DUMP,), None, dict(nargs="?", const="", metavar="DIRECTORY", help="write tables with a column data of type bson, and views that --restore made, as mongodump does; into ./dump if no directory is given")),
    (["--archive"], (DUMP,), None, dict(metavar="FILE", help="for --dump: one archive instead of a directory; - is standard output")),
    (["--gzip"], (DUMP,), False, dict(action="store_true", help="for --dump: compress")),
    (["--expire"], (DUMP,), False, dict(action="store_true", help="for --dump: write expireAfterSeconds, too; MongoDB then deletes documents by it")),
    (["--order"], (DUMP,), None, dict(metavar="EXPRESSION", help="for --dump: the order of the documents, such as \"data -> '_id'::text\"")),
    (["--collection"], (COPY, RESTORE, DUMP), None, dict(metavar="[DB.]NAME", help="choose one of several collections")),
    (["--dbname", "-d"], (RESTORE, APPLY, DUMP), None, dict(metavar="NAME", help="for --restore, --apply and --dump: the database, or a connection string, as psql takes it")),
    (["--schema"], (RESTORE, APPLY, DUMP), None, dict(metavar="NAME", help="for --restore, --apply and --dump: the schema of the tables")),
    (["--jobs", "-j"], (RESTORE,), 2, dict(metavar="N", type=int, help="for --restore: the number of tables that are loaded at a time (from a directory), or get their indexes at a time (from an archive)")),
    (["--dry-run"], (RESTORE,), False, dict(action="store_true", help="for --restore: print the SQL, and do nothing")),
    (["--keep"], (COPY, COPY_JSON), False, dict(action="store_true", help="if the input is damaged, keep the documents before the damage")),
    (["--check"], (COPY, EXPORT, RESTORE), False, dict(action="store_true", help="check each document, and name the place of damage")),
    (["--skip-invalid"], (COPY, EXPORT, RESTORE, APPLY), None, dict(metavar="FILE", help="write documents that the server would refuse to this file, and go on; with --restore a directory of such files; with --apply changes, which are tried again the next time")),
    (["--from"], (COPY, EXPORT), 1, dict(metavar="N", type=int, dest="start", help="begin with document number N, counted from 1")),
    (["--progress"], WORKS, False, dict(action="store_true", help="show progress even if standard error is no terminal")),
    (["--quiet"], WORKS, False, dict(action="store_true", help="do not show progress, nor the number of documents")),
)


def arguments(given=None):
    """What is asked for; an option that the mode does not take is an error, which says which modes take it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
    named = {}
    for names, modes, default, how in OPTIONS:
        named[parser.add_argument(*names, default=argparse.SUPPRESS, **how).dest] = (names[0], modes, default)
    options = parser.parse_args(given)
    asked = [name for name in (COPY_JSON, EXPORT, LIST, RESTORE, APPLY, DUMP) if hasattr(options, name[2:])]
    if len(asked) > 1:
        parser.error(f"choose one of {', '.join(asked)}")
    mode = asked[0] if asked else COPY
    for dest, (name, modes, default) in named.items():
        if not hasattr(options, dest):
            setattr(options, dest, default)
        elif mode not in modes:
            parser.error(f"{'a FILE to read' if name == 'file' else name} is for {' and '.join(modes)}, not for {mode}")
    if options.jobs < 1 or options.start < 1:
        parser.error("--jobs and --from are numbers from 1 on")
    if options.archive and options.dump:
        parser.error("--dump makes a directory or an --archive, not both")
    if options.file == "-":
        options.file = None             # standard input
    options.mode = mode
    return options


def main():
    options = arguments()
    options.home = None
    for each in SIGNALS:
        signal.signal(each, interrupted)
    modes = {LIST: list_contents, DUMP: dump, APPLY: apply_changes, COPY_JSON: filter_json, RESTORE: lambda options: Restore(options)()}
    try:
        return modes.get(options.mode, filter_documents)(options)
    except BrokenPipeError:
        # nobody wants the rest; Python would complain once more at its end
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        say("the reader of the output has ended")
    except OSError as error:
        say(f"{f'{error.filename}: ' if error.filename else ''}{error.strerror or error}")
    except Mistake as error:
        say(error)
    except Damage as error:
        say(f"{error.place}: {error}" if hasattr(error, "place") else error)
    except KeyboardInterrupt:
        for each in SIGNALS:
            signal.signal(each, signal.SIG_IGN)
        SESSIONS.end()
        say("interrupted; what the server did for it is cancelled" if options.mode in (RESTORE, APPLY, DUMP) else "interrupted")
        os._exit(1)                     # without waiting for threads
    finally:
        SESSIONS.end()
    return 1


SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def interrupted(*_):
    raise KeyboardInterrupt
