#!/usr/bin/env python3
"""The paper's figures, from results.json, or one of the known benchmarks, from field.json: SVG files beside it.  Needs matplotlib (python3-matplotlib).

    bench/plot.py [RESULTS.json | FIELD.json]
"""
import json
import os
import re
import sys

import matplotlib

matplotlib.use('svg')
import matplotlib.pyplot as plt          # noqa: E402 (after the choice of its output)

from harness import geometric_mean, ratio as rounds_ratio    # noqa: E402
from report import ratio, task_ratios    # noqa: E402

INK, PAPER, GRID = '#1f2328', '#ffffff', '#d0d7de'
DARK = {INK: '#e6edf3', PAPER: '#0d1117', GRID: '#3d444d'}
# these differ in lightness, too, and are readable on white and on black
COLOURS = {'text': '#6e7781', 'json': '#bf8700', 'jsonb': '#2f81f7', 'bson': '#2da44e', 'pgbson': '#a371f7', 'documentdb': '#db61a2'}
MARKERS = {'text': 's', 'json': '^', 'jsonb': 'D', 'bson': 'o', 'pgbson': 'v', 'documentdb': 'P'}

plt.rcParams.update({
    'svg.fonttype': 'none', 'svg.hashsalt': 'bson', 'font.family': 'sans-serif', 'font.size': 10,
    'figure.figsize': (7, 4), 'figure.facecolor': PAPER, 'axes.facecolor': PAPER, 'savefig.facecolor': PAPER,
    'text.color': INK, 'axes.labelcolor': INK, 'axes.edgecolor': INK, 'xtick.color': INK, 'ytick.color': INK,
    'axes.titlesize': 11, 'axes.spines.top': False, 'grid.color': GRID, 'axes.grid': True, 'axes.grid.axis': 'y',
    'axes.axisbelow': True, 'legend.frameon': False})


def save(figure, path):
    """Write the SVG; its three neutral colours follow the reader's light or dark scheme."""
    figure.tight_layout()
    figure.savefig(path, format='svg', metadata={'Date': None, 'Creator': None})
    plt.close(figure)
    with open(path, encoding='utf-8') as file:
        svg = file.read()
    names = {INK: '--ink', PAPER: '--paper', GRID: '--grid'}
    for colour, name in names.items():
        # a viewer that does not support variables uses the plain colour before it
        svg = re.sub(rf'(fill|stroke): {colour}', rf'\1: {colour}; \1: var({name})', svg)
    light = ' '.join(f'{name}: {colour};' for colour, name in names.items())
    dark = ' '.join(f'{name}: {DARK[colour]};' for colour, name in names.items())
    style = f'<style>:root {{ {light} }} @media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }} text {{ fill: {INK}; fill: var(--ink) }}</style>'
    svg = re.sub(r'(<svg [^>]*>)', lambda found: found[1] + '\n ' + style, svg, count=1)
    with open(path, 'w', encoding='utf-8') as file:
        file.write('\n'.join(line.rstrip() for line in svg.split('\n')))


def median(row, who):
    return row['competitors'].get(who, {}).get('median')


def names_in(rows):
    return [who for who in COLOURS if any(median(row, who) for row in rows)]


def lines(axes, rows, x, who, values=median, **style):
    points = [(row['variant'][x], values(row, who)) for row in rows if values(row, who)]
    axes.plot([p[0] for p in points], [p[1] for p in points], color=COLOURS[who], marker=MARKERS[who],
              markersize=5, label=who, **style)


def bars(axes, labels, rows, unit):
    """Groups of bars, one group for each row, with the figure on each bar."""
    who = names_in(rows)
    width = 0.8 / len(who)
    for i, one in enumerate(who):
        places = [g + (i - (len(who) - 1) / 2) * width for g in range(len(rows))]
        heights = [median(row, one) or 0 for row in rows]
        drawn = axes.bar(places, heights, width * 0.92, color=COLOURS[one], label=one)
        axes.bar_label(drawn, [f'{h:,.0f}' if h >= 100 else f'{h:.1f}' if h else '' for h in heights], fontsize=7, color=INK, padding=1)
    axes.set_xticks(range(len(rows)), labels)
    axes.set_ylabel(unit)
    axes.legend(ncols=len(who), loc='upper left', bbox_to_anchor=(0, 1.02))
    axes.margins(y=0.15)


def figure3(rows, path):
    figure, axes = plt.subplots()
    for who in names_in(rows):
        lines(axes, rows, 'friends', who)
    axes.set_xlabel('friends in each of 1,000 documents')
    axes.set_ylabel('ms for the table')
    axes.set_ylim(bottom=0)
    right = axes.twinx()
    right.grid(False)
    lines(right, rows, 'friends', 'json', lambda row, who: ratio(row, who, 'bson'), linestyle=':')
    right.set_ylabel('json time / bson time (dotted)')
    right.set_ylim(bottom=0)
    axes.legend(loc='lower right', bbox_to_anchor=(1, 0.16))
    axes.set_title('Figure 3: a key in the middle, by document size')
    save(figure, path)


def figure4(rows, path):
    figure, axes = plt.subplots()
    for who in names_in(rows):
        lines(axes, rows, 'rows', who)
    axes.set(xscale='log', yscale='log', xlabel='documents of 50 friends in the table', ylabel='ms for the table')
    axes.legend()
    axes.set_title('Figure 4: by table size')
    save(figure, path)


def figure5(rows, path):
    largest = max(row['variant']['rows'] for row in rows)
    rows = [row for row in rows if row['variant']['rows'] == largest]
    figure, axes = plt.subplots()
    labels = [f"{'first' if row['variant']['path'].startswith('user') else 'late'} key\n{row['variant']['storage']}" for row in rows]
    bars(axes, labels, rows, f'ms for {largest:,} documents')
    axes.set_title('Figure 5: by position of the key and storage')
    save(figure, path)


def figure6(rows, path):
    figure, axes = plt.subplots()
    bars(axes, [row['variant']['kind'] for row in rows], rows, f"ms for {rows[0]['variant']['rows']:,} documents")
    axes.set_title('Figure 6: the middle one of 1,000 keys, by what they hold')
    save(figure, path)


def figure7(rows, path):
    figure, axes = plt.subplots()
    for who in names_in(rows):
        lines(axes, rows, 'rows', who)
    axes.set(xscale='log', yscale='log', xlabel='documents', ylabel='ms to \\copy them')
    axes.legend()
    axes.set_title('Figure 7: loading')
    save(figure, path)


def storage_bars(title):
    def draw(rows, path):
        figure, axes = plt.subplots()
        bars(axes, [row['variant'].get('storage', '') for row in rows], rows, f"ms for {rows[0]['variant']['rows']:,} documents")
        axes.set_title(title)
        save(figure, path)
    return draw


def sizes(rows, path):
    figure, axes = plt.subplots(figsize=(7, 4.5))
    labels = [f"{row['variant']['documents']}, {row['variant']['storage']}" for row in rows]
    for i, who in enumerate(('json', 'jsonb')):
        values = [(ratio(row, who, 'bson') or 0) for row in rows]
        axes.barh([n + (0.2 if i == 0 else -0.2) for n in range(len(rows))], values, 0.36, color=COLOURS[who], label=f'{who} / bson')
    axes.axvline(1, color=INK, linewidth=1)
    axes.set_yticks(range(len(rows)), labels, fontsize=8)
    axes.invert_yaxis()
    axes.grid(False)
    axes.set_xlabel('size / size of bson (left of the line, bson is larger)')
    axes.legend(loc='lower right')
    axes.set_title('Size of documents, by storage')
    save(figure, path)


def summary(results, path):
    """All tasks, best first: how many times better bson is."""
    found = {who: task_ratios(results, who) for who in ('json', 'jsonb')}
    order = sorted(found['jsonb'], key=lambda name: found['jsonb'][name], reverse=True)
    figure, axes = plt.subplots(figsize=(9, 0.36 * len(order) + 1.4))
    for i, who in enumerate(('json', 'jsonb')):
        places = [n + (-0.19 if i == 0 else 0.19) for n in range(len(order))]
        values = [found[who].get(name) for name in order]
        shown = [(place, value) for place, value in zip(places, values) if value]
        # from 1 to the ratio; a bar left of the line is a loss
        drawn = axes.barh([p for p, _ in shown], [v - 1 for _, v in shown], 0.34, left=1, color=COLOURS[who], label=f'{who} / bson')
        axes.bar_label(drawn, [f'{v:.2g}' if v < 10 else f'{v:.0f}' for _, v in shown], fontsize=7, color=INK, padding=2)
    axes.set_xscale('log')
    axes.axvline(1, color=INK, linewidth=1)
    ticks = [0.25, 0.5, 1, 2, 4, 8, 16, 32]
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.minorticks_off()
    axes.set_yticks(range(len(order)), [results['tasks'][name]['title'] for name in order], fontsize=8)
    axes.invert_yaxis()
    axes.grid(True, axis='x')
    axes.grid(False, axis='y')
    axes.set_xlabel('times as fast or as small as the peer (left of 1, bson loses)')
    axes.legend(ncols=2, loc='lower right', bbox_to_anchor=(1, 1))
    axes.set_title('bson against json and jsonb', loc='left')
    save(figure, path)


def field(results, path):
    """Every statement of the known benchmarks a point, each benchmark's geometric mean a bar; those below 1 are losses."""
    groups = {}
    for group, _, times in results:
        if times.get('jsonb') and times.get('bson'):
            groups.setdefault(group, []).append(rounds_ratio(times['jsonb'], times['bson']))
    figure, axes = plt.subplots(figsize=(9, 0.32 * len(groups) + 1.4))
    for n, ratios in enumerate(groups.values()):
        # points of one benchmark stand a little above and below one another, to be seen
        places = [n + (k % 5 - 2) * 0.1 for k in range(len(ratios))]
        axes.scatter(ratios, places, s=14, color=[COLOURS['bson'] if r >= 1 else COLOURS['jsonb'] for r in ratios], alpha=0.75, linewidths=0)
        mean = geometric_mean(ratios)
        axes.plot([mean, mean], [n - 0.36, n + 0.36], color=INK, linewidth=2)
    axes.set_xscale('log')
    axes.axvline(1, color=INK, linewidth=1)
    ticks = [0.125, 0.25, 0.5, 1, 2, 4, 8, 16]
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.minorticks_off()
    axes.set_yticks(range(len(groups)), [f'{name} ({len(ratios)})' for name, ratios in groups.items()], fontsize=8)
    axes.invert_yaxis()
    axes.grid(True, axis='x')
    axes.grid(False, axis='y')
    axes.set_xlabel('times as fast as jsonb: a point for each statement, a bar for the mean')
    save(figure, path)


FIGURES = {'fig3': figure3, 'fig4': figure4, 'fig5': figure5, 'fig6': figure6, 'fig7': figure7, 'size': sizes,
           'copy': storage_bars('COPY of 50 kB documents, and a checkpoint'),
           'export': storage_bars('A whole table of 50 kB documents in binary')}


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), 'results/local/results.json')
    with open(path, encoding='utf-8') as file:
        results = json.load(file)
    directory = os.path.dirname(os.path.abspath(path))
    if isinstance(results, list):
        field(results, os.path.join(directory, 'field.svg'))
        return
    for name, draw in FIGURES.items():
        rows = [row for row in results['rows'] if row['task'] == name and median(row, 'bson')]
        if rows:
            draw(rows, os.path.join(directory, f'{name}.svg'))
    summary(results, os.path.join(directory, 'summary.svg'))


if __name__ == '__main__':
    main()
