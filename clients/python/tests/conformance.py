"""Read and write back what test/clients/conformance.sql lists, with each driver."""
import asyncio

import asyncpg
import pg8000.dbapi
import pg_bson
import psycopg
import psycopg2
from common import DSN, PG8000

IDS = 'SELECT id FROM conformance WHERE id < 1000 ORDER BY id'
READ = 'SELECT data FROM conformance WHERE id = %s'
WRITE = 'INSERT INTO conformance_result (client, id, data) VALUES (%s, %s, %s)'
READ_LIST = 'SELECT list FROM conformance WHERE id = 1000'
WRITE_LIST = 'INSERT INTO conformance_result (client, id, list) VALUES (%s, 1000, %s)'
ERROR = 'INSERT INTO conformance_result (client, id, error) VALUES (%s, %s, %s)'


def elements(values):
    return [None if each is None else pg_bson.Bson(each) for each in values]


def use(client, cursor):
    cursor.execute(IDS)
    for number, in cursor.fetchall():
        try:
            cursor.execute(READ, [number])
            value, = cursor.fetchone()
            cursor.execute(WRITE, [client, number, value if value is None else pg_bson.Bson(value)])
        except Exception as error:
            cursor.execute(ERROR, [client, number, str(error)])
    cursor.execute(READ_LIST)
    cursor.execute(WRITE_LIST, [client, elements(cursor.fetchone()[0])])


async def use_asyncpg():
    connection = await asyncpg.connect()
    await pg_bson.register(connection)
    for number, in await connection.fetch(IDS):
        try:
            value = await connection.fetchval(READ.replace('%s', '$1'), number)
            await connection.execute('INSERT INTO conformance_result (client, id, data) VALUES ($1, $2, $3)', 'asyncpg', number, value)
        except Exception as error:
            await connection.execute('INSERT INTO conformance_result (client, id, error) VALUES ($1, $2, $3)', 'asyncpg', number, str(error))
    values = await connection.fetchval(READ_LIST)
    await connection.execute('INSERT INTO conformance_result (client, id, list) VALUES ($1, 1000, $2)', 'asyncpg', elements(values))
    value = await connection.fetchval('SELECT data FROM conformance WHERE id = 1001')
    await connection.copy_records_to_table('conformance_result', columns=['client', 'id', 'data'], records=[('asyncpg', 1001, value)])
    await connection.close()


with psycopg.connect(DSN, autocommit=True) as connection:
    connection.execute("DELETE FROM conformance_result WHERE client ~ '^(psycopg|asyncpg|pg8000)'")
    pg_bson.register(connection)
    for binary, name in (True, 'psycopg 3'), (False, 'psycopg 3, text'):
        cursor = connection.cursor(binary=binary) if binary else psycopg.ClientCursor(connection)
        use(name, cursor)
        value, = cursor.execute('SELECT data FROM conformance WHERE id = 1001').fetchone()
        with cursor.copy('COPY conformance_result (client, id, data) FROM STDIN' + (' (FORMAT binary)' if binary else '')) as copy:
            if binary:
                copy.set_types(['text', 'int4', 'bson'])
            copy.write_row([name, 1001, value])
connection = psycopg2.connect(DSN)
connection.autocommit = True
pg_bson.register(connection)
use('psycopg 2', connection.cursor())
connection.close()
connection = pg8000.dbapi.connect(**PG8000)
connection.autocommit = True
pg_bson.register(connection)
use('pg8000', connection.cursor())
connection.close()
asyncio.run(use_asyncpg())
