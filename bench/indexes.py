#!/usr/bin/env python3
"""The indexes of doc/operations.md: the size of each, and the processor time of building it and of a query by it.

    bench/start indexes [--rows N] [--rounds N]

A time is the median of the rounds; the table goes to indexes.md in RESULTS (bench/results/local).
"""
import argparse
import os
import statistics

from harness import DATABASE, Failure, drop_database, make_database, measure, psql, publish
from report import table

ORDERS = '''CREATE TABLE bson_orders AS SELECT bson_build_object('_id', i, 'customer', 'c' || i % 5000, 'total', i % 1000 + 0.5,
        'at', to_bson(timestamptz '2024-01-01 00:00Z' + make_interval(mins => i)), 'items', (SELECT bson_agg(bson_build_object(
            'sku', 's' || (i * 7 + k * 1013) % 3000, 'name', substr(md5((i * k % 3000)::text), 1, 12), 'n', (i + k) % 9, 'price', (k + 1) * 9.5)) FROM generate_series(0, i % 4) AS k)) AS data
    FROM generate_series(1, {rows}) AS i;
    CREATE TABLE jsonb_orders AS SELECT data::jsonb FROM bson_orders; VACUUM (ANALYZE, FREEZE) bson_orders, jsonb_orders;'''

# the index, and queries by it
BSON = [
    ("UNIQUE", "((data -> '_id'))", ["data -> '_id' = 17"]),
    ("", "((data ->> 'customer'))", ["data ->> 'customer' = 'c17'"]),
    ("", "(bson_get_float8(data, 'total'))", ["bson_get_float8(data, 'total') > 999"]),
    ("", "(bson_get_timestamptz(data, 'at'))", ["bson_get_timestamptz(data, 'at') < '2024-01-01 01:40Z'"]),
    ("", "USING gin ((data -> 'items') bson_path_ops)", ["data -> 'items' @> '[{\"sku\": \"s17\"}]'"]),
    ("", "USING gin (data bson_path_ops)", ["data @~ '{\"items.sku\": \"s17\"}'"]),
    ("", "USING gin (data bson_range_ops)", ["data @~ '{\"items.sku\": \"s17\"}'", "data @~ '{\"_id\": {\"$gt\": 99900}}'"]),
    ("", "USING gin (data)", ["data @~ '{\"items.sku\": \"s17\"}'"]),
    ("", "USING hash (data)", []),
    ("", "(data)", [])]
JSONB = [("", f"USING gin (data {c})", ["data @> '{\"items\": [{\"sku\": \"s17\"}]}'"]) for c in ('jsonb_ops', 'jsonb_path_ops')]


def median(sql, rounds, after=''):
    times = measure({'it': (sql, '', after)}, rounds, rounds, limit=600)['it']
    if isinstance(times, Failure):
        raise times
    return statistics.median(times)


def row(t, unique, index, queries, rounds):
    """A row of the table: the index, its size and build, and the queries with it and without."""
    create = f'CREATE {unique} INDEX built ON {t}_orders {index};'
    queries = [f'SELECT data FROM {t}_orders WHERE {query}' for query in queries]
    without = [median(query, rounds) for query in queries]
    build = median(create, rounds, 'DROP INDEX built;')
    size = psql(f"{create} ANALYZE {t}_orders; SELECT pg_relation_size('built') / 1e6;")[0]
    for query in queries:
        if 'built' not in psql(f'EXPLAIN {query}')[0]:
            raise Failure(f'not by the index: {query}')
    by_index = [median(query, rounds) for query in queries]
    psql('DROP INDEX built')
    return [f'`{unique} {index}`'.replace('` ', '`'), f'{float(size):.1f} MB', f'{build / 1000:.2f} s', *['; '.join(f'{ms:.2g} ms' for ms in times) for times in (by_index, without)]]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--rows', type=int, default=100000)
    parser.add_argument('--rounds', type=int, default=5)
    options = parser.parse_args()
    make_database(DATABASE, 'bson')
    psql(ORDERS.format(rows=options.rows))
    rows = [row(t, *index, options.rounds) for t, indexes in (('bson', BSON), ('jsonb', JSONB)) for index in indexes]
    sizes = [psql(f"SELECT avg(pg_column_size(data))::int, round(pg_relation_size('{t}_orders') / 1e6) FROM {t}_orders")[0].strip().split('|') for t in ('bson', 'jsonb')]
    drop_database(DATABASE)
    text = '\n'.join(table(['index', 'size', 'build', 'query', 'without it'], rows)) + '\n\n' + \
        f'{options.rows} orders of {sizes[0][0]} bytes (`jsonb`: {sizes[1][0]}), {sizes[0][1]} MB in all ({sizes[1][1]} MB)\n'
    publish('indexes.md', text)


if __name__ == '__main__':
    os.chdir(os.path.dirname(os.path.abspath(__file__)))
    main()
