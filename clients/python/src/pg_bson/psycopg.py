"""psycopg 3: dict and Bson are parameters in both formats, also of COPY, and bson is a result in both."""
from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg.adapt import Buffer, Dumper, Loader
from psycopg.pq import Format
from psycopg.types import TypeInfo

from . import _TYPE_QUERY, CODEC_OPTIONS, DOCUMENTS, Bson, _type_row, from_bytes, text_reader, to_bytes, to_text

if TYPE_CHECKING:
    from . import Options


def _register(connection: psycopg.Connection[Any] | psycopg.AsyncConnection[Any], row: Any, codec_options: Options) -> None:
    oid, array_oid, _ = _type_row(row)
    TypeInfo('bson', oid, array_oid).register(connection)
    made = dict(oid=oid, codec_options=codec_options, read=staticmethod(text_reader(codec_options)))
    for dumper in _TextDumper, _BinaryDumper:           # the last is the default
        for kind in *DOCUMENTS, Bson:
            connection.adapters.register_dumper(kind, type(dumper.__name__, (dumper,), made))
    for loader in _TextLoader, _BinaryLoader:
        connection.adapters.register_loader(oid, type(loader.__name__, (loader,), made))


def register(connection: psycopg.Connection[Any] | psycopg.AsyncConnection[Any], codec_options: Options = CODEC_OPTIONS) -> Awaitable[None] | None:
    if isinstance(connection, psycopg.AsyncConnection):
        return _register_async(connection, codec_options)
    with connection.transaction(), psycopg.Cursor(connection, row_factory=psycopg.rows.tuple_row) as cursor:
        row = cursor.execute(_TYPE_QUERY).fetchone()
    _register(connection, row, codec_options)
    return None


async def _register_async(connection: psycopg.AsyncConnection[Any], codec_options: Options) -> None:
    async with connection.transaction(), psycopg.AsyncCursor(connection, row_factory=psycopg.rows.tuple_row) as cursor:
        row = await (await cursor.execute(_TYPE_QUERY)).fetchone()
    _register(connection, row, codec_options)


class _TextDumper(Dumper):
    format = Format.TEXT
    codec_options: Options

    def dump(self, obj: Any) -> bytes:
        return to_text(obj, self.codec_options).encode()


class _BinaryDumper(Dumper):
    format = Format.BINARY
    codec_options: Options

    def dump(self, obj: Any) -> bytes:
        return to_bytes(obj, self.codec_options)


class _TextLoader(Loader):
    format = Format.TEXT
    read: Callable[[str], Any]

    def load(self, data: Buffer) -> Any:
        return self.read(bytes(data).decode())


class _BinaryLoader(Loader):
    format = Format.BINARY
    codec_options: Options

    def load(self, data: Buffer) -> Any:
        return from_bytes(data, self.codec_options)
