"""
Sessions of psql, which finds the server by its own rules.

Others may have prepared the database: who may create objects in a schema of the search path could offer operators and
functions that fit better than the server's.  So each session has a search path of its own, without such schemas: pg_catalog,
and where the type bson is used the extension's schema.  There, all arguments have exactly the types that the extension's functions
are declared with, as a string without a type could be taken for another's.
"""
import hashlib
import json
import os
import re
import signal
import subprocess
import tempfile
import threading
import time

from .basics import Mistake, say

PATIENCE = 1.5                          # seconds, for the server to end what is cancelled

# before there is a safe path; so each name has its schema
WHERE = """SELECT pg_catalog.json_build_object('schema', pg_catalog.current_schema(), 'home', (
 SELECT nspname FROM pg_catalog.pg_extension JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) extnamespace
 WHERE extname OPERATOR(pg_catalog.=) 'bson'))"""

# what a database or a role may have set to other values, and statements here depend on
SETTINGS = "SET standard_conforming_strings = on; SET row_security = off; SET statement_timeout = 0; SET lock_timeout = 0; " \
           "SET idle_in_transaction_session_timeout = 0; SET quote_all_identifiers = off"

# a session whose psql was killed ends soon; not all servers can notice it
NOTICE = "SELECT set_config('client_connection_check_interval'::text, '1s'::text, false) FROM pg_settings " \
         "WHERE name = 'client_connection_check_interval'::text AND version() ~ 'linux'::text AND setting = '0'::text"


class Sessions:
    """Those that are open, to end them all."""

    def __init__(self):
        self.lock = threading.Lock()
        self.open = set()
        self.ended = False

    def add(self, process):
        with self.lock:
            self.open.add(process)
            ended = self.ended
        if ended:
            process.send_signal(signal.SIGINT)

    def remove(self, process):
        with self.lock:
            self.open.discard(process)

    def end(self):
        """Cancel what the server does for them; psql does that at an interrupt."""
        with self.lock:
            self.ended = True
            left = list(self.open)
        until = time.monotonic() + PATIENCE
        while left and time.monotonic() < until:
            for process in left:
                process.send_signal(signal.SIGINT)
            time.sleep(0.1)
            left = [process for process in left if process.poll() is None]
        for process in left:
            process.kill()


SESSIONS = Sessions()


class Psql:
    """A session of psql; its statements are one transaction.  A long script is read from a file, as an argument has a limit."""

    def __init__(self, options, statements, script=None, bson=True, **pipes):
        if SESSIONS.ended:
            raise Mistake("interrupted")
        command = ["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"]
        if options.dbname:
            command += ["-d", options.dbname]
        if script or len(statements) > 1:
            command.append("-1")
        for statement in [*setup(options, bson), *statements]:
            command += ["-c", statement]
        self.errors = tempfile.TemporaryFile()
        self.ended = False
        environment = dict(os.environ, PGCLIENTENCODING="UTF8", PGOPTIONS=os.environ.get("PGOPTIONS", "") + " -c client_min_messages=warning")
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, **pipes}
        if script:
            command += ["-f", "-"]
            pipes["stdin"] = tempfile.TemporaryFile()
            pipes["stdin"].write(script.encode())
            pipes["stdin"].seek(0)
        try:
            self.process = subprocess.Popen(command, stderr=self.errors, env=environment, **pipes)
        except FileNotFoundError:
            raise Mistake("psql is not in the path")
        SESSIONS.add(self.process)

    def end(self):
        """Wait for its end; return what went wrong, if anything did."""
        if not self.ended:
            self.ended = True
            self.problem = self.wait()
        return self.problem

    def wait(self):
        if self.process.stdin:
            try:
                self.process.stdin.close()
            except BrokenPipeError:
                pass
        status = self.process.wait()
        SESSIONS.remove(self.process)
        self.errors.seek(0)
        said = re.sub(r"^psql:<stdin>:\d+: ", "", self.errors.read().decode(errors="replace").strip(), flags=re.MULTILINE)
        self.errors.close()
        if status == -signal.SIGPIPE:   # what it wrote was not wanted: who stopped reading knows why
            return said or None
        if not status:
            for line in said.splitlines():
                say(re.sub(r"^WARNING: *", "", line))
        return (said or f"psql ended with status {status}") if status else None


def setup(options, bson):
    """What comes first in a session; is it about bson, or about catalogs?"""
    if not options.home:
        return []
    return [f"{SETTINGS}; SET search_path = pg_catalog, {identifier(options.home) + ', ' if bson else ''}pg_temp"]


def identifier(name):
    return '"' + name.replace('"', '""') + '"'


def literal(text):
    quoted = "'" + text.replace("'", "''") + "'"
    return " E" + quoted.replace("\\", "\\\\") if "\\" in text else quoted


def run(options, statements):
    """Statements in one transaction; what is wrong with them, if anything is."""
    return Psql(options, [], ";\n".join([NOTICE, *statements]) + ";\n", stdout=subprocess.DEVNULL).end()


def ask(options, query):
    """The answer to a query about catalogs."""
    psql = Psql(options, [query], bson=False)
    answer = psql.process.stdout.read()
    problem = psql.end()
    if problem:
        raise Mistake(problem)
    return json.loads(answer)


def connect(options):
    """Find the extension, and the schema where tables are made unless it is said."""
    options.home = None
    found = ask(options, WHERE)
    if not found["home"]:
        raise Mistake("the database has no type bson: run CREATE EXTENSION bson")
    options.home = found["home"]
    return found["schema"]


def lock_of(place):
    """The number of the lock that a session holds while it makes this table, or an index of it."""
    return int.from_bytes(hashlib.md5(f"bson-copy {place}".encode()).digest()[:8], "big", signed=True)


def lock(place):
    """The statement that waits for this lock; without its type a small number would be an integer."""
    return f"SELECT pg_advisory_xact_lock('{lock_of(place)}'::bigint)"
