"""coverage.py [lines]: summarize gcov's counts for src, for test/bin/coverage.

A header's inline functions are compiled into many files: a line ran if it ran in
one of them.  Branches are counted where our own code decides; the server's macros
(ereport, CHECK_FOR_INTERRUPTS, Assert ...) bring branches that no test could take.
"""
import collections
import json
import pathlib
import re
import subprocess
import sys

MACROS = re.compile(r'\b(e?report|ereport|ereturn|elog|errsave|CHECK_FOR_INTERRUPTS|Assert|StaticAssert\w*|PG_TRY|PG_CATCH|PG_FINALLY|PG_END_TRY'
                    r'|PG_\w*DETOAST\w*|PG_GETARG_\w+|PG_FREE_IF_COPY|appendStringInfoCharMacro|forboth|foreach\w*|for_each_from|MemSet)\s*\(')

lines = collections.defaultdict(lambda: collections.defaultdict(int))
branches = collections.defaultdict(lambda: collections.defaultdict(dict))
functions = collections.defaultdict(lambda: collections.defaultdict(int))


def read(notes):
    """gcov's counts for one object file; without its .gcda file, nothing ran."""
    done = subprocess.run(['gcov', '--json-format', '--stdout', '--branch-probabilities', '--object-directory', str(notes.parent), str(notes)],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    for text in done.stdout.splitlines():
        for file in json.loads(text)['files']:
            name = file['file']
            if not name.startswith('src/'):
                continue
            for function in file['functions']:
                functions[name][function['name']] += function['execution_count']
            for line in file['lines']:
                lines[name][line['line_number']] += line['count']
                taken = branches[name][line['line_number']]
                for number, branch in enumerate(line['branches']):
                    taken[number] = taken.get(number, 0) + branch['count']


def percent(part, whole):
    return f'{100 * part / whole:6.1f}' if whole else '     -'


def row(name, counts):
    ran, all_lines, taken, all_branches, called, all_functions = counts
    print(f'{name:34} {all_lines:6} {percent(ran, all_lines)} {all_branches:8} {percent(taken, all_branches)} {all_functions:9} {percent(called, all_functions)}')


def main():
    for notes in sorted(pathlib.Path('src').rglob('*.gcno')):
        read(notes)
    if not lines:
        sys.exit('coverage.py: nothing was compiled with --coverage')
    print(f'{"file":34} {"lines":>6} {"%":>6} {"branches":>8} {"%":>6} {"functions":>9} {"%":>6}')
    total = [0] * 6
    for name in sorted(lines):
        source = pathlib.Path(name).read_text(encoding='utf-8').splitlines()
        counted = [n for at, taken in branches[name].items() if not MACROS.search(source[at - 1]) for n in taken.values()]
        counts = [sum(n > 0 for n in lines[name].values()), len(lines[name]), sum(n > 0 for n in counted), len(counted),
                  sum(n > 0 for n in functions[name].values()), len(functions[name])]
        row(name, counts)
        total = [a + b for a, b in zip(total, counts)]
    row('all', total)
    if sys.argv[1:] == ['lines']:
        for name in sorted(lines):
            source = pathlib.Path(name).read_text(encoding='utf-8').splitlines()
            for number in sorted(n for n, count in lines[name].items() if count == 0):
                print(f'{name}:{number}:{source[number - 1]}')


main()
