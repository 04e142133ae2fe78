#!/usr/bin/env python3
"""Results as Markdown.

    bench/report.py RESULTS.json     print the tables again
"""
import json
import statistics
import sys

PEERS_OF_BSON = ('text', 'json', 'jsonb', 'pgbson', 'documentdb')


def number(value):
    if value is None:
        return ''
    if value >= 100:
        return f'{value:,.0f}'
    return f'{value:.2f}' if value < 10 else f'{value:.1f}'


def table(head, rows):
    """The lines of a table; figures, all but the first column, stand to the right."""
    return ['| ' + ' | '.join(head) + ' |', '|' + '|'.join('---' if i == 0 else '---:' for i in range(len(head))) + '|'] + \
        ['| ' + ' | '.join(str(cell).replace('|', '\\|') for cell in row) + ' |' for row in rows]


def figure(found, unit):
    """A median, with half its spread in percent where there is one."""
    if found is None:
        return ''
    if 'error' in found:
        return f'failed: {found["error"]}'.replace('|', '\\|')
    spread = (found['max'] - found['min']) / 2 / found['median'] * 100 if found['median'] else 0
    return number(found['median']) + (f' ±{spread:.0f} %' if unit != 'bytes' and len(found['samples']) > 1 else '')


def ratio(row, first, second):
    """How many times better the second is than the first, in time, space or transactions."""
    one, other = row['competitors'].get(first, {}), row['competitors'].get(second, {})
    if not one.get('median') or not other.get('median'):
        return None
    better = one['median'] / other['median']
    return 1 / better if row['unit'] == 'TPS' else better


def variant_text(row):
    return ', '.join(f'{name} {value}' for name, value in row['variant'].items() if value != '').replace(' {type}_', '')


def task_table(name, task, rows):
    who = [one for one in PEERS_OF_BSON + ('bson',) if any(one in row['competitors'] for row in rows)]
    peers = [one for one in who if one != 'bson']
    lines = [f'## {task["title"]} (`{name}`, {rows[0]["unit"]})', '',
             '| ' + ' | '.join(['variant'] + who + [f'{one}/bson' for one in peers]) + ' |',
             '|---|' + '---:|' * (len(who) + len(peers))]
    for row in rows:
        cells = [variant_text(row)] + [figure(row['competitors'].get(one), row['unit']) for one in who]
        for one in peers:
            value = ratio(row, one, 'bson')
            # where bson loses, say so
            cells.append('' if value is None else f'**{value:.2f}**' if value < 0.995 else f'{value:.2f}')
        lines.append('| ' + ' | '.join(cells) + ' |')
    return '\n'.join(lines)


def nearest(rows, variant):
    """The row of this variant, or the last one of those that agree in what they share."""
    same = [row for row in rows if all(row['variant'].get(k) == v for k, v in variant.items())]
    return (same or rows)[-1]


def said_table(results):
    lines = ['| experiment | said | we measure | and bson |', '|---|---|---|---|']
    for name, task in results['tasks'].items():
        rows = [row for row in results['rows'] if row['task'] == name]
        for said in task['said'] if rows else ():
            row, (first, second) = nearest(rows, said['variant']), said['ratio']
            note = f' ({said["note"]})' if 'note' in said else ''
            ours = ratio(row, first, second)
            also = [f'{one}/bson {ratio(row, one, "bson"):.2f}' for one in ('json', 'jsonb')
                    if (one, 'bson') != (first, second) and ratio(row, one, 'bson')]
            lines.append(f'| {task["title"]}, {variant_text(row)} | {said["who"]}: {first}/{second} {said["value"]}{note} | '
                         f'{"failed" if ours is None else f"{ours:.2f}"} | {", ".join(also)} |')
    return '\n'.join(lines) if len(lines) > 2 else ''


def task_ratios(results, peer):
    """{task: geometric mean of peer/bson over its variants}"""
    found = {}
    for name in results['tasks']:
        values = [ratio(row, peer, 'bson') for row in results['rows'] if row['task'] == name]
        values = [value for value in values if value]
        if values:
            found[name] = statistics.geometric_mean(values)
    return found


def markdown(results):
    about = results['about']
    settings = ', '.join(f'{name} {value}' for name, value in about['settings'].items())
    parts = ['# Results', '',
             f'{about["date"]}, commit {about["commit"] or "unknown"}, `SCALE={about["scale"]}`, {about["took"]} s; {about["machine"]}.  ',
             f'{about["server"]}; {settings}; jit off, one process.', '',
             'Processor time of the backend, but where several clients or random keys need pgbench: the machine had other work to do.\n' if about['cpu'] else '',
             'Medians, with half the spread. peer/bson: how many times more time or space the peer takes, or how many times',
             'fewer transactions it does; below one, bson loses.', '']
    # a tiny run shows that the harness works, not how fast anything is
    said = said_table(results) if about['scale'] != 'tiny' else ''
    if said:
        parts += ['## Said, and measured here', '', said, '']
    for name, task in results['tasks'].items():
        rows = [row for row in results['rows'] if row['task'] == name]
        if rows:
            parts += [task_table(name, task, rows), '']
    return '\n'.join(parts)


if __name__ == '__main__':
    with open(sys.argv[1], encoding='utf-8') as source:
        print(markdown(json.load(source)))
