"""Applications written for jsonb on a bson column: read, change, write back, by one line for the driver.

Without the line they read strings; a check refuses these when they are written.
"""
import asyncio
import json
import os
import unittest

import alembic.autogenerate
import alembic.migration
import asyncpg
import peewee
import pg8000.dbapi
import psycopg
import psycopg.types.json
import psycopg2
import psycopg2.extras
import sqlalchemy as sa
from playhouse.postgres_ext import BinaryJSONField
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.ext.mutable import MutableDict
from sqlalchemy.orm import DeclarativeBase, Session, mapped_column
from tortoise import Tortoise, fields
from tortoise.models import Model

from common import DSN, PG8000

STORED = {'id': 1, 'double': 15.0, 'nested': {'n': 1, 'list': [None, 'x']}, '_id': {'$oid': '5f2b1c3d4e5f60718293a4b5'}}
USER = os.environ.get('PGUSER', os.environ.get('USER', 'postgres'))


def connect_pg8000():
    return pg8000.dbapi.connect(**PG8000)


# The lines of doc/migrating.md
def psycopg_line(connection):
    connection.adapters.register_loader(psycopg.types.TypeInfo.fetch(connection, "bson").oid, psycopg.types.json.JsonLoader)


def psycopg2_line(connection):
    psycopg2.extras.register_json(connection, name="bson")


async def asyncpg_line(connection):
    await connection.set_type_codec("bson", encoder=json.dumps, decoder=json.loads)


def pg8000_line(connection):
    cursor = connection.cursor()
    cursor.execute("SELECT 'bson'::regtype::oid")
    oid, = cursor.fetchone()
    connection.register_in_adapter(oid, json.loads)


class Base(DeclarativeBase):
    pass


class Doc(Base):
    __tablename__ = 'jsonb_doc'
    __table_args__ = (sa.CheckConstraint("bson_typeof(data) = 'object'", name='is_document'),)
    id = mapped_column(sa.Integer, primary_key=True)
    data = mapped_column(MutableDict.as_mutable(JSONB))


class Tortoised(Model):
    id = fields.IntField(primary_key=True)
    data = fields.JSONField()

    class Meta:
        table = 'jsonb_doc'


class Jsonb(unittest.TestCase):
    def setUp(self):
        self.server = psycopg.connect(DSN, autocommit=True)
        self.addCleanup(self.server.close)
        self.server.execute("DROP TABLE IF EXISTS jsonb_doc")
        self.server.execute("CREATE TABLE jsonb_doc (id serial PRIMARY KEY, data bson, CONSTRAINT is_document CHECK (bson_typeof(data) = 'object'))")
        self.addCleanup(self.server.execute, "DROP TABLE jsonb_doc")
        self.reset()

    def reset(self):
        self.server.execute("DELETE FROM jsonb_doc")
        self.server.execute("INSERT INTO jsonb_doc VALUES (1, %s::jsonb)", [json.dumps(STORED)])

    def changed(self, n=2):
        """Is the document the one that was read, with one change, and are the types what they were?"""
        text, id_type, double = self.server.execute(
            "SELECT data::text, bson_typeof(data -> '_id'), bson_typeof(data -> 'double') FROM jsonb_doc").fetchone()
        self.assertEqual(json.loads(text), STORED | {'nested': STORED['nested'] | {'n': n}})
        self.assertEqual((id_type, double), ('objectId', 'double'))
        self.reset()

    def plain(self, connection, line, adapt, error):
        """Read, change, write with a driver alone."""
        cursor = connection.cursor()
        cursor.execute('SELECT data FROM jsonb_doc')
        text, = cursor.fetchone()
        with self.assertRaisesRegex(error, 'is_document'):
            cursor.execute('UPDATE jsonb_doc SET data = CAST(%s AS jsonb)', [adapt(text)])
        connection.rollback()
        line(connection)
        cursor = connection.cursor()
        cursor.execute('SELECT data FROM jsonb_doc')
        data, = cursor.fetchone()
        self.assertEqual(data, STORED)
        data['nested']['n'] = 2
        cursor.execute('UPDATE jsonb_doc SET data = CAST(%s AS jsonb)', [adapt(data)])
        connection.commit()
        connection.close()
        self.changed()

    def test_psycopg(self):
        self.plain(psycopg.connect(DSN), psycopg_line, psycopg.types.json.Jsonb, psycopg.Error)

    def test_psycopg2(self):
        self.plain(psycopg2.connect(DSN), psycopg2_line, psycopg2.extras.Json, psycopg2.Error)

    def test_pg8000(self):
        self.plain(connect_pg8000(), pg8000_line, json.dumps, pg8000.dbapi.DatabaseError)

    def test_asyncpg(self):
        async def main():
            connection = await asyncpg.connect()
            await asyncpg_line(connection)
            data = await connection.fetchval('SELECT data FROM jsonb_doc')
            data['nested']['n'] = 2
            await connection.execute('UPDATE jsonb_doc SET data = $1', data)
            self.assertEqual(await connection.fetchval('SELECT array_agg(data) FROM jsonb_doc'), [data])
            await connection.close()
        asyncio.run(main())
        self.changed()

    def session(self, session):
        doc = session.scalars(sa.select(Doc)).one()
        self.assertEqual(doc.data, STORED)
        doc.data['nested'] = doc.data['nested'] | {'n': 2}
        session.commit()
        self.changed()

    def test_sqlalchemy(self):
        for dialect, connect, line in (('psycopg', lambda: psycopg.connect(DSN), psycopg_line), ('psycopg2', lambda: psycopg2.connect(DSN), psycopg2_line),
                                       ('pg8000', connect_pg8000, pg8000_line)):
            engine = sa.create_engine(f'postgresql+{dialect}://', creator=connect)
            with Session(engine) as session, self.assertRaisesRegex(ValueError, 'does not accept objects of type'):
                session.scalars(sa.select(Doc)).one()           # MutableDict is given a str
            engine.dispose()

            engine = sa.create_engine(f'postgresql+{dialect}://', creator=connect)
            sa.event.listen(engine, "connect", lambda connection, record: line(connection))
            with Session(engine) as session:
                self.session(session)
            engine.dispose()

    def test_sqlalchemy_asyncpg(self):
        async def main():
            engine = create_async_engine('postgresql+asyncpg://', async_creator=asyncpg.connect)
            sa.event.listen(engine.sync_engine, "connect", lambda connection, record: connection.run_async(asyncpg_line))
            async with engine.connect() as connection:
                await connection.run_sync(lambda sync: self.session(Session(sync)))
            await engine.dispose()
        asyncio.run(main())

    def test_alembic(self):
        """What the schema diff says of a JSONB in the model and a bson in the database."""
        engine = sa.create_engine('postgresql+psycopg://', creator=lambda: psycopg.connect(DSN))
        options = dict(compare_type=True, include_name=lambda name, kind, parents: kind != 'table' or name == 'jsonb_doc')
        with engine.connect() as connection, self.assertWarnsRegex(sa.exc.SAWarning, "Did not recognize type 'bson'"):
            context = alembic.migration.MigrationContext.configure(connection, opts=options)
            self.assertEqual(alembic.autogenerate.compare_metadata(context, Base.metadata), [])
        engine.dispose()

    def test_peewee(self):
        database = peewee.PostgresqlDatabase(os.environ.get('PGDATABASE', 'postgres'), user=USER)

        class Doc(peewee.Model):
            data = BinaryJSONField()

            class Meta:
                table_name = 'jsonb_doc'

        Doc.bind(database)
        doc = Doc.get()
        with self.assertRaisesRegex(peewee.IntegrityError, 'is_document'):
            doc.save()
        database.rollback()
        (psycopg2_line if database.connection().__class__.__module__.startswith('psycopg2') else psycopg_line)(database.connection())
        doc = Doc.get()
        self.assertEqual(doc.data, STORED)
        doc.data['nested']['n'] = 2
        doc.save()
        database.close()
        self.changed()

    def test_tortoise(self):
        """Tortoise parses strings by itself."""
        async def main():
            where = dict(user=USER, password=None, database=os.environ.get('PGDATABASE', 'postgres'),
                         host=os.environ.get('PGHOST', 'localhost'), port=int(os.environ.get('PGPORT', '5432')))
            await Tortoise.init(config={'connections': {'default': {'engine': 'tortoise.backends.asyncpg', 'credentials': where}},
                                        'apps': {'models': {'models': [__name__]}}})
            doc = await Tortoised.get(id=1)
            self.assertEqual(doc.data, STORED)
            doc.data['nested']['n'] = 2
            await doc.save()
            await Tortoise.close_connections()
        asyncio.run(main())
        self.changed()


if __name__ == '__main__':
    unittest.main()
