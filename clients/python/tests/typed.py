"""A program with types, for mypy --strict; it is not run."""
from __future__ import annotations

import uuid
from typing import Any

import bson
import pg_bson
import psycopg
import psycopg2
import sqlalchemy as sa
from pg_bson.sqlalchemy import ARRAY, BSON
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Base(DeclarativeBase):
    pass


class Doc(Base):
    __tablename__ = 'doc'
    id: Mapped[int] = mapped_column(primary_key=True)
    data: Mapped[dict[str, Any]] = mapped_column(BSON)
    more: Mapped[list[dict[str, Any] | None] | None] = mapped_column(ARRAY(BSON))


def synchronous() -> None:
    pg_bson.register(psycopg.connect(''))
    pg_bson.register(psycopg2.connect(''), pg_bson.CODEC_OPTIONS.with_options(tz_aware=False))


async def asynchronous(connection: psycopg.AsyncConnection[Any]) -> None:
    await pg_bson.register(connection)


document = {'_id': bson.ObjectId(), 'n': bson.Int64(15), 'u': uuid.UUID(int=0)}
data: bytes = pg_bson.to_bytes(document)
text: str = pg_bson.to_text(pg_bson.Bson([1, 2]))
values: list[Any] = [pg_bson.from_bytes(data), pg_bson.from_bytes(memoryview(data)), pg_bson.from_text(text)]
query: sa.Select[tuple[dict[str, Any]]] = sa.select(Doc.data).where(sa.type_coerce(Doc.data, BSON)['n'] > 14)
