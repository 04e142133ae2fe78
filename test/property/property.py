"""What a property is, and how it is run: in batches, failures reduced to a minimal value."""
import itertools
import random

import db
import gen


class Property:
    """
    A statement about single cases, most often stored byte strings.  check()
    takes many at once and returns {index: message} of those that fail; an error
    of the server inside it is traced to its case by halving.
    """
    count = 1500                # cases per round
    functions = ()              # functions that must exist for it to run
    operators = ()
    max_bytes = None            # larger cases are left out
    shrinks = True

    def cases(self, g, n):
        return [g.stored() for _ in range(n)]

    def check(self, cases, rng):
        raise NotImplementedError

    def show(self, case):
        return "'\\x%s'" % case.hex() if isinstance(case, bytes) else repr(case)

    def smaller(self, case):
        return gen.smaller(case)

    # ---

    def available(self):
        return db.exists(*self.functions) and db.has_operator(*self.operators)

    def safely(self, cases, seed):
        """check(), with an error or crash of the server reported as the failure of one case."""
        try:
            return self.check(cases, random.Random(seed))
        except db.DbError as error:
            if len(cases) == 1:
                return {0: ('CRASH: ' if isinstance(error, db.Crash) else 'error: ') + str(error)}
            if isinstance(error, db.Crash):
                db.wait()
        failures = {}
        half = len(cases) // 2
        for start, part in ((0, cases[:half]), (half, cases[half:])):
            for i, message in self.safely(part, seed).items():
                failures[start + i] = message
            if failures:        # one failure is enough for the report, and errors are slow
                break
        return failures

    def shrink(self, case, message, seed):
        for _ in range(60):
            candidates = [c for c in itertools.islice(self.smaller(case), 300) if c != case]
            candidates = [c for c in candidates if not isinstance(c, bytes) or len(c) <= len(case)]
            if not candidates:
                break
            failures = self.safely(candidates, seed)
            if not failures:
                break
            size = len if isinstance(case, bytes) else (lambda c: len(repr(c)))
            best = min(failures, key=lambda i: size(candidates[i]))
            case, message = candidates[best], failures[best]
        return case, message

    def run(self, seed, scale=1):
        """Returns (cases tried, list of (minimal case, message))."""
        g = gen.Generator('%s/%s' % (type(self).__name__, seed))
        cases = self.cases(g, max(1, int(self.count * scale)))
        if self.max_bytes:
            cases = [c for c in cases if len(c) <= self.max_bytes]
        failures = self.safely(cases, seed)
        reports = []
        for i, message in sorted(failures.items())[:3]:
            case = cases[i]
            if self.shrinks:
                case, message = self.shrink(case, message, seed)
            reports.append((case, message))
        return len(cases), len(failures), reports
