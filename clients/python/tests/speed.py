"""How long this process takes to fetch and decode the documents of test/clients/speed.sql, beside the driver's own jsonb."""
import asyncio
import json
import time

import asyncpg
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
    loop = asyncio.get_running_loop()
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
