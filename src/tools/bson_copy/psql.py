"""Sessions of psql."""
import json
import os
import re
import subprocess
import tempfile

from .basics import Mistake, say

class Psql:
    """A session of psql, which finds the server by its own rules."""

    def __init__(self, options, statements, **pipes):
        command = ["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"]
        if options.dbname:
            command += ["-d", options.dbname]
        if len(statements) > 1:
            command.append("-1")
        for statement in statements:
            command += ["-c", statement]
        self.errors = tempfile.TemporaryFile()
        self.ended = False
        environment = dict(os.environ, PGCLIENTENCODING="UTF8", PGOPTIONS=os.environ.get("PGOPTIONS", "") + " -c client_min_messages=warning")
        try:
            self.process = subprocess.Popen(command, stderr=self.errors, env=environment, **{"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, **pipes})
        except FileNotFoundError:
            raise Mistake("psql is not in the path")

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
        self.errors.seek(0)
        said = self.errors.read().decode(errors="replace").strip()
        self.errors.close()
        if not status:
            for line in said.splitlines():
                say(re.sub(r"^WARNING: *", "", line))
        return (said or f"psql ended with status {status}") if status else None


def run(options, statements):
    """Statements in one transaction; what is wrong with them, if anything is."""
    psql = Psql(options, statements, stdout=subprocess.DEVNULL)
    return psql.end()


def ask(options, query):
    psql = Psql(options, [query])
    answer = psql.process.stdout.read()
    problem = psql.end()
    if problem:
        raise Mistake(problem)
    return json.loads(answer)
