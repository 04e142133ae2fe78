"""The examples of doc/drivers.md: test/clients/excerpts compares their lines with these."""
import asyncio
import unittest

import asyncpg
import bson
import pandas
import pg_bson
import psycopg
import psycopg2
import sqlalchemy as sa
from pg_bson.sqlalchemy import BSON
from sqlalchemy.orm import DeclarativeBase, Session, mapped_column

from common import DSN


class Base(DeclarativeBase):
    pass


class Doc(Base):
    __tablename__ = "doc"
    __table_args__ = {"prefixes": ["TEMPORARY"]}
    id = mapped_column(sa.Integer, primary_key=True)
    data = mapped_column(BSON)


CREATE = "CREATE TEMP TABLE doc (id serial, data bson)"


class Examples(unittest.TestCase):
    def check(self, document):
        self.assertEqual(document["n"], 15)
        self.assertIs(type(document["n"]), bson.Int64)

    def test_psycopg(self):
        connection = psycopg.connect(DSN)
        connection.execute(CREATE)
        pg_bson.register(connection)
        cursor = connection.cursor(binary=True)     # or else results are parsed from their text
        cursor.execute("INSERT INTO doc (data) VALUES (%s)", [{"_id": bson.ObjectId(), "n": bson.Int64(15)}])
        document, = cursor.execute("SELECT data FROM doc WHERE data @> %s", [{"n": 15}]).fetchone()
        self.check(document)
        rows = cursor.execute("SELECT data FROM doc").fetchall()
        frame = pandas.json_normalize([document for document, in rows])
        self.assertEqual(list(frame["n"]), [15])
        connection.close()

    def test_psycopg2(self):
        connection = psycopg2.connect(DSN)
        cursor = connection.cursor()
        cursor.execute(CREATE)
        pg_bson.register(connection)
        cursor.execute("INSERT INTO doc (data) VALUES (%s)", [{"n": bson.Int64(15)}])
        cursor.execute("SELECT data FROM doc WHERE data -> 'n' > %s", [14])
        self.check(cursor.fetchone()[0])
        connection.close()

    def test_asyncpg(self):
        async def main():
            pool = await asyncpg.create_pool(min_size=1, max_size=1, init=pg_bson.register)
            async with pool.acquire() as connection:
                await connection.execute(CREATE)
                await connection.execute("INSERT INTO doc (data) VALUES ($1)", {"n": bson.Int64(15)})
                document = await connection.fetchval("SELECT data FROM doc WHERE data @~ $1", {"n": {"$gt": 14}})
                self.check(document)
            await pool.close()
        asyncio.run(main())

    def test_sqlalchemy(self):
        engine = sa.create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(DSN))
        with engine.connect() as connection, Session(connection) as session:
            Base.metadata.create_all(connection)
            session.add(Doc(data={"n": bson.Int64(15), "at": {"city": "Oslo"}}))
            oslo = sa.select(Doc.data).where(Doc.data["n"] > 14, Doc.data.text(("at", "city")) == "Oslo")
            self.check(session.scalars(oslo).one())
            older = sa.select(Doc.data.get_int("n")).where(Doc.data.match_query({"n": {"$gt": 14}}))
            self.assertEqual(session.scalars(older).one(), 15)


unittest.main()
