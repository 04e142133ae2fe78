"""How long this process takes to fetch and decode the documents of test/clients/speed.sql, beside the driver's own jsonb."""
import asyncio
import datetime
import json
import re
import time

import asyncpg
import bson
import pg8000.dbapi
import pg_bson
import psycopg
import psycopg2
import sqlalchemy as sa
from pg_bson.sqlalchemy import BSON
from sqlalchemy.dialects.postgresql import JSONB

from common import DSN, PG8000

COLUMNS = 'data', 'plain', 'extended'
COUNT = 10000


def report(name, once):
    """once(column) is timed; the best of five for each column, in turns."""
    best = dict.fromkeys(COLUMNS, float('inf'))
    for _ in range(5):
        for column in COLUMNS:
            begin = time.process_time()
            once(column)
            best[column] = min(best[column], time.process_time() - begin)
    bson, jsonb, extended = (each / COUNT * 1e6 for each in best.values())
    print(f'speed | {name} | {bson:.1f} | {jsonb:.1f} | {bson / jsonb:.2f} | {extended:.1f} |', flush=True)


def of_cursor(cursor):
    def once(column):
        cursor.execute(f'SELECT {column} FROM speed')
        assert isinstance(cursor.fetchall()[0][0], dict)
    return once


with psycopg.connect(DSN) as connection:
    pg_bson.register(connection)
    report('psycopg 3', of_cursor(connection.cursor()))
    report('psycopg 3, `cursor(binary=True)`', of_cursor(connection.cursor(binary=True)))
    pg_bson.register(connection, pg_bson.NATIVE_NUMBERS)
    report('psycopg 3, `NATIVE_NUMBERS`', of_cursor(connection.cursor()))
    pg_bson.register(connection, pg_bson.DECIMAL_NUMBERS)
    report('psycopg 3, `DECIMAL_NUMBERS`', of_cursor(connection.cursor()))
for name, connect in ('psycopg 2', lambda: psycopg2.connect(DSN)), ('pg8000', lambda: pg8000.dbapi.connect(**PG8000)):
    connection = connect()
    pg_bson.register(connection)
    report(name, of_cursor(connection.cursor()))
    connection.close()

engine = sa.create_engine('postgresql+psycopg://', creator=lambda: psycopg.connect(DSN))
table = sa.table('speed', sa.column('data', BSON), sa.column('plain', JSONB), sa.column('extended', BSON))
with engine.connect() as connection:
    report('SQLAlchemy with psycopg 3', lambda column: connection.scalars(sa.select(table.c[column])).all())
engine.dispose()


async def main():
    connection = await asyncpg.connect()
    await pg_bson.register(connection)
    await connection.set_type_codec('jsonb', schema='pg_catalog', encoder=json.dumps, decoder=json.loads)
    times = {column: [] for column in COLUMNS}
    for _ in range(5):
        for column in COLUMNS:
            begin = time.process_time()
            await connection.fetch(f'SELECT {column} FROM speed')
            times[column].append(time.process_time() - begin)
    bson, jsonb, extended = (min(each) / COUNT * 1e6 for each in times.values())
    print(f'speed | asyncpg | {bson:.1f} | {jsonb:.1f} | {bson / jsonb:.2f} | {extended:.1f} |')
    await connection.close()
asyncio.run(main())


# And to encode and decode documents of about 200 bytes, 1 kB and 15 kB without a server: the best of many turns of both by turns.
# With dates, a program of jsonb has strings, or makes dates of them by itself.
def text_of(items):
    head = '{"id": 7, "customer": {"name": "Ada Lovelace", "email": "ada@example.com", "zip": "0150", "city": "Oslo"}, "total": 99.75, "note": null, "tags": ["new", "express"]'
    return head + ', "items": [%s]}' % ', '.join(f'{{"sku": "A-{i}", "name": "Item {i} of the order", "quantity": {i}, "price": {19 + i}.9, "gift": {"true" if i % 2 == 0 else "false"}}}' for i in range(items))


def timed(once):
    count = 8
    while True:
        begin = time.process_time()
        for _ in range(count):
            once()
        spent = time.process_time() - begin
        if spent >= 0.008:
            return spent / count * 1e6
        count *= 2


def compare(name, once, json_once, alone):
    """"alone" is pymongo's bson."""
    best = [float('inf')] * 3
    for _ in range(12):
        best = [min(least, timed(each)) for least, each in zip(best, (once, json_once, alone))]
    print(f'speed | {name} | {best[0]:.2f} | {best[1]:.2f} | {best[0] / best[1]:.2f} | {best[2] / best[1]:.2f} |', flush=True)


ISO = re.compile(r'\d{4}-\d\d-\d\dT')
def revive(document):
    for key, value in document.items():
        if isinstance(value, str) and ISO.match(value):
            document[key] = datetime.datetime.fromisoformat(value)
    return document


at = datetime.datetime(2024, 3, 3, 12, 13, 14, 789000, tzinfo=datetime.timezone.utc)
for items in 0, 7, 160:
    text = text_of(items)
    plain, size = json.loads(text), f'{len(text)} bytes'
    dates = {**plain, 'placed': at, 'items': [{**item, 'packed': at} for item in plain['items']]}
    strings = json.dumps(dates, default=datetime.datetime.isoformat)
    for way, encode in ('`to_bytes`', pg_bson.to_bytes), ('`to_text`, as of psycopg 2 and pg8000', pg_bson.to_text):
        compare(f'encoding, {way}, {size}', lambda: encode(plain), lambda: json.dumps(plain), lambda: bson.encode(plain))
        compare(f'encoding with dates, {way}, {size}', lambda: encode(dates), lambda: json.dumps(dates, default=datetime.datetime.isoformat), lambda: bson.encode(dates))
    plain_bytes, dated_bytes = bson.encode(plain), bson.encode(dates)
    for way, decode, form in (('text, as of psycopg 3, psycopg 2, pg8000', pg_bson.from_text, lambda value: json.dumps(value, default=lambda date: {'$date': '2024-03-03T12:13:14.789Z'})),
                              ('bytes, as of asyncpg and binary cursors', pg_bson.from_bytes, pg_bson.to_bytes)):
        sent, dated = form(plain), form(dates)
        compare(f'decoding, {way}, {size}', lambda: decode(sent), lambda: json.loads(text), lambda: bson.decode(plain_bytes))
        compare(f'decoding with dates, beside strings, {way}, {size}', lambda: decode(dated), lambda: json.loads(strings), lambda: bson.decode(dated_bytes))
        compare(f'decoding with dates, beside dates, {way}, {size}', lambda: decode(dated), lambda: json.loads(strings, object_hook=revive), lambda: bson.decode(dated_bytes))
