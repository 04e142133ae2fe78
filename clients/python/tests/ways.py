"""Write a document of every type in each way that doc/drivers.md has, for test/clients/conformance."""
import asyncio
import collections
import datetime
import io
import os
import types
import uuid

import asyncpg
import bson
import django
import pg8000.dbapi
import pg8000.native
import pg_bson
import psycopg
import psycopg2
import psycopg2.extras
import sqlalchemy as sa
from common import DSN, PG8000
from django.conf import settings
from pg_bson.sqlalchemy import ARRAY, BSON
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.orm import DeclarativeBase, Session, mapped_column

LANGUAGE = 'Python'
INSERT = 'INSERT INTO conformance_way (way, data) VALUES (%s, %s)'
FROM_ARRAY = 'INSERT INTO conformance_way (way, data) SELECT CAST(%s AS text), unnest(CAST(%s AS bson[]))'

DATE, ID, DECIMAL = datetime.datetime(2022, 3, 3, 12, 13, 14, 789000, datetime.timezone.utc), bson.ObjectId('5f2b1c3d4e5f60718293a4b5'), bson.Decimal128('1.10')
EVERY = {
    'string': 'it\'s \\ " é', 'string of digits': '15', 'string of JSON': '{"a": 1}', 'int': 15, 'long within 32 bits': bson.Int64(15), 'long': 9007199254740993,
    'double': 1.5, 'whole double': 15.0, 'decimal': DECIMAL, 'bool': True, 'null': None, 'objectId': ID, 'date': DATE,
    'binData': b'\x00\x01\xff', 'UUID': uuid.UUID('00112233-4455-6677-8899-aabbccddeeff'), 'regex': bson.Regex('^a', 'i'),
    'timestamp': bson.Timestamp(1, 7), 'code': bson.Code('x()'), 'minKey': bson.MinKey(), 'document': {'_id': 1, 'a': {'date': DATE}},
    'array': [1, [bson.Int64(3), {'a': DECIMAL}]], 'document of another class': types.MappingProxyType({'b': bson.Int64(1)}), '_id': ID,
}
OTHER = [('a `MappingProxyType`', types.MappingProxyType(EVERY)), ('a `ChainMap`', collections.ChainMap(EVERY)), ('a `RawBSONDocument`', bson.raw_bson.RawBSONDocument(pg_bson.to_bytes(EVERY)))]


def psycopg_ways():
    with psycopg.connect(DSN, autocommit=True) as connection:
        connection.execute("DELETE FROM conformance_way WHERE language = %s OR language IS NULL AND way <> ''", [LANGUAGE])
        pg_bson.register(connection)
        for mark in '%s', '%t', '%b':
            connection.execute(f'INSERT INTO conformance_way (way, data) VALUES (%s, {mark})', [f'psycopg 3, `{mark}`', EVERY])
        for name, value in OTHER:
            connection.execute(INSERT, [f'psycopg 3, {name}', value])
        connection.execute(INSERT, ['psycopg 3, `Bson`', pg_bson.Bson(EVERY)])
        psycopg.ClientCursor(connection).execute(INSERT, ['psycopg 3, `ClientCursor`', EVERY])
        connection.cursor().executemany(INSERT, [['psycopg 3, `executemany`', EVERY]])
        connection.execute(FROM_ARRAY, ['psycopg 3, a `bson[]`', [EVERY]])
        for form in 'text', 'binary':
            with connection.cursor().copy(f'COPY conformance_way (way, data) FROM STDIN (FORMAT {form})') as copy:
                copy.set_types(['text', 'bson'])
                copy.write_row([f'psycopg 3, `COPY`, {form}', EVERY])
    connection = psycopg2.connect(DSN)
    connection.autocommit = True
    pg_bson.register(connection)
    cursor = connection.cursor()
    cursor.execute(INSERT, ['psycopg 2, `execute`', EVERY])
    for name, value in OTHER:
        cursor.execute(INSERT, [f'psycopg 2, {name}', value])
    cursor.executemany(INSERT, [['psycopg 2, `executemany`', EVERY]])
    psycopg2.extras.execute_batch(cursor, INSERT, [['psycopg 2, `execute_batch`', EVERY]])
    psycopg2.extras.execute_values(cursor, 'INSERT INTO conformance_way (way, data) VALUES %s', [['psycopg 2, `execute_values`', EVERY]])
    cursor.execute(FROM_ARRAY, ['psycopg 2, a `bson[]`', [EVERY]])
    line = 'psycopg 2, `COPY` of `to_text`\t' + pg_bson.to_text(EVERY).replace('\\', '\\\\') + '\n'
    cursor.copy_expert('COPY conformance_way (way, data) FROM STDIN', io.StringIO(line))
    connection.close()


async def psycopg_async_ways():
    async with await psycopg.AsyncConnection.connect(DSN, autocommit=True) as connection:
        await pg_bson.register(connection)
        await connection.execute(INSERT, ['psycopg 3, `AsyncConnection`', EVERY])


async def asyncpg_ways():
    connection = await asyncpg.connect()
    await pg_bson.register(connection)
    insert = 'INSERT INTO conformance_way (way, data) VALUES ($1, $2)'
    await connection.execute(insert, 'asyncpg, `execute`', EVERY)
    await connection.execute(insert, 'asyncpg, `Bson`', pg_bson.Bson(EVERY))
    for name, value in OTHER:
        await connection.execute(insert, f'asyncpg, {name}', value)
    await connection.executemany(insert, [['asyncpg, `executemany`', EVERY]])
    await connection.execute('INSERT INTO conformance_way (way, data) SELECT $1, unnest($2::bson[])', 'asyncpg, a `bson[]`', [EVERY])
    await connection.copy_records_to_table('conformance_way', columns=['way', 'data'], records=[('asyncpg, `copy_records_to_table`', EVERY)])
    await connection.close()


def pg8000_ways():
    connection = pg8000.dbapi.connect(**PG8000)
    connection.autocommit = True
    pg_bson.register(connection)
    cursor = connection.cursor()
    cursor.execute(INSERT, ['pg8000, `execute`', EVERY])
    for name, value in OTHER:
        cursor.execute(INSERT, [f'pg8000, {name}', value])
    cursor.executemany(INSERT, [['pg8000, `executemany`', EVERY]])
    cursor.execute(FROM_ARRAY, ['pg8000, a `bson[]`', [EVERY]])
    connection.close()
    native = pg8000.native.Connection(**PG8000)
    pg_bson.register(native)
    native.run('INSERT INTO conformance_way (way, data) VALUES (:way, :data)', way='pg8000, `run`', data=EVERY)
    native.close()


class Base(DeclarativeBase):
    pass


class Way(Base):
    __tablename__ = 'conformance_way'
    way = mapped_column(sa.Text, primary_key=True)
    data = mapped_column(BSON)


def use_sqlalchemy(name, session):
    name = f'SQLAlchemy with {name}'
    session.add(Way(way=f'{name}, `add`', data=EVERY))
    session.add_all([Way(way=f'{name}, `add_all`', data=EVERY), Way(way=f'{name}, a changed attribute'), Way(way=f'{name}, `update`')])
    session.flush()
    session.get(Way, f'{name}, a changed attribute').data = EVERY
    session.execute(sa.update(Way).where(Way.way == f'{name}, `update`').values(data=EVERY))
    session.execute(sa.insert(Way).values(way=f'{name}, `insert`', data=pg_bson.Bson(EVERY)))
    session.execute(sa.insert(Way), [dict(way=f'{name}, `insert` of many', data=EVERY)])
    session.execute(sa.insert(Way).from_select(['way', 'data'], sa.select(sa.literal(f'{name}, `literal`'), sa.literal(EVERY, BSON))))
    session.execute(sa.insert(Way).from_select(['way', 'data'], sa.select(sa.literal(f'{name}, an `ARRAY(BSON)`'), sa.func.unnest(sa.literal([EVERY], ARRAY(BSON)), type_=BSON()))))
    constants = [sa.literal(EVERY[key], BSON).label(key) for key in ('string', 'whole double', 'objectId')]
    row = session.execute(sa.select(*constants)).one()
    assert pg_bson.to_bytes(row._mapping) == pg_bson.to_bytes(dict(row._mapping))
    statement = sa.insert(Way).values(way=f'{name}, `literal_binds`', data=EVERY).compile(session.connection(), compile_kwargs={'literal_binds': True})
    session.connection().exec_driver_sql(str(statement).replace('%', '%%'))
    session.commit()


async def sqlalchemy_async_ways():
    engine = create_async_engine('postgresql+asyncpg://')
    async with engine.connect() as connection:
        await connection.run_sync(lambda sync: use_sqlalchemy('asyncpg', Session(sync)))
        await connection.commit()
    await engine.dispose()


def sqlalchemy_ways():
    for name, creator in ('psycopg', lambda: psycopg.connect(DSN)), ('psycopg2', lambda: psycopg2.connect(DSN)), ('pg8000', lambda: pg8000.dbapi.connect(**PG8000)):
        engine = sa.create_engine(f'postgresql+{name}://', creator=creator)
        with Session(engine) as session:
            use_sqlalchemy(name, session)
        engine.dispose()


def django_ways():
    settings.configure(DATABASES={'default': {
        'ENGINE': 'django.db.backends.postgresql', 'HOST': os.environ.get('PGHOST', 'localhost'), 'PORT': os.environ.get('PGPORT', '5432'),
        'USER': os.environ.get('PGUSER', os.environ.get('USER', 'postgres')), 'NAME': os.environ.get('PGDATABASE', 'postgres')}},
        INSTALLED_APPS=['django.contrib.postgres', 'common'], USE_TZ=True)
    django.setup()
    from django.db import connection, models
    from django.db.models import Value
    from pg_bson.django import BSONField

    class DjangoWay(models.Model):
        way = models.TextField(primary_key=True)
        data = BSONField(null=True)

        class Meta:
            app_label = 'common'
            db_table = 'conformance_way'
    objects = DjangoWay.objects
    objects.create(way='Django, `create`', data=EVERY)
    objects.create(way='Django, a `MappingProxyType`', data=types.MappingProxyType(EVERY))
    objects.bulk_create([DjangoWay(way='Django, `bulk_create`', data=EVERY)])
    objects.bulk_create([DjangoWay(way=f'Django, `{way}`') for way in ('update', 'bulk_update', 'save')])
    objects.filter(way='Django, `update`').update(data=EVERY)
    objects.bulk_update([DjangoWay(way='Django, `bulk_update`', data=EVERY)], ['data'])
    DjangoWay(way='Django, `save`', data=EVERY).save()
    objects.create(way='Django, `Value`', data=Value(EVERY, BSONField()))
    connection.close()


psycopg_ways()
asyncio.run(psycopg_async_ways())
asyncio.run(asyncpg_ways())
pg8000_ways()
sqlalchemy_ways()
asyncio.run(sqlalchemy_async_ways())
django_ways()
with psycopg.connect(DSN) as connection:
    connection.execute("UPDATE conformance_way SET language = %s WHERE language IS NULL AND way <> ''", [LANGUAGE])
