"""psycopg 3: dict and Bson are parameters in both formats, also of COPY, and bson is a result in both."""
import psycopg
from psycopg.adapt import Dumper, Loader
from psycopg.pq import Format
from psycopg.types import TypeInfo

from . import _TYPE_QUERY, CODEC_OPTIONS, Bson, _type_row, from_bytes, from_text, to_bytes, to_text


def _register(connection, row, codec_options):
    oid, array_oid, _ = _type_row(row)
    TypeInfo('bson', oid, array_oid).register(connection)
    made = dict(oid=oid, codec_options=codec_options)
    for dumper in _TextDumper, _BinaryDumper:           # the last is the default
        for kind in dict, Bson:
            connection.adapters.register_dumper(kind, type(dumper.__name__, (dumper,), made))
    for loader in _TextLoader, _BinaryLoader:
        connection.adapters.register_loader(oid, type(loader.__name__, (loader,), made))


def register(connection, codec_options=CODEC_OPTIONS):
    if isinstance(connection, psycopg.AsyncConnection):
        return _register_async(connection, codec_options)
    with connection.transaction(), psycopg.RawCursor(connection) as cursor:
        row = cursor.execute(_TYPE_QUERY).fetchone()
    _register(connection, row, codec_options)


async def _register_async(connection, codec_options):
    async with connection.transaction(), psycopg.AsyncRawCursor(connection) as cursor:
        row = await (await cursor.execute(_TYPE_QUERY)).fetchone()
    _register(connection, row, codec_options)


class _TextDumper(Dumper):
    format = Format.TEXT

    def dump(self, obj):
        return to_text(obj, self.codec_options).encode()


class _BinaryDumper(Dumper):
    format = Format.BINARY

    def dump(self, obj):
        return to_bytes(obj, self.codec_options)


class _TextLoader(Loader):
    format = Format.TEXT

    def load(self, data):
        return from_text(bytes(data).decode(), self.codec_options)


class _BinaryLoader(Loader):
    format = Format.BINARY

    def load(self, data):
        return from_bytes(data, self.codec_options)
