"""The bson type of PostgreSQL: values of pymongo's bson as parameters and results.

    pg_bson.register(connection)            # psycopg 3, psycopg 2, pg8000
    await pg_bson.register(connection)      # asyncpg, psycopg 3's AsyncConnection

A document is a dict.  Any other BSON value, an array or a scalar, is a parameter as Bson(value).
"""
from __future__ import annotations

import base64
import decimal
import json
from typing import TYPE_CHECKING, Any

import bson
import bson.binary
import bson.raw_bson
from bson import json_util
from bson.codec_options import CodecOptions, DatetimeConversion, TypeEncoder, TypeRegistry

if TYPE_CHECKING:
    Options = CodecOptions[Any]
    Row = tuple[int, int, str]

__all__ = ['Bson', 'CODEC_OPTIONS', 'from_bytes', 'from_text', 'register', 'to_bytes', 'to_text']


class _Decimal(TypeEncoder):
    """A decimal.Decimal is sent as the Decimal128 of its digits, and comes back as a Decimal128."""
    python_type = decimal.Decimal

    def transform_python(self, value: decimal.Decimal) -> bson.Decimal128:
        try:
            return bson.Decimal128(value)
        except decimal.DecimalException as error:
            raise ValueError(f'{value} has more digits or a larger exponent than a decimal128') from error


# uuid.UUID is the server's uuid, a date has a time zone, as a timestamptz has, and one beyond the year 9999 is no error
CODEC_OPTIONS: Options = CodecOptions(uuid_representation=bson.binary.UuidRepresentation.STANDARD, tz_aware=True,
                                      datetime_conversion=DatetimeConversion.DATETIME_AUTO, type_registry=TypeRegistry([_Decimal()]))

# The server keeps a value that is no document as the document {"": MinKey, "": value}
_ENVELOPE = b'\xff\x00'

# The one extension may be in any schema
_TYPE_QUERY = """
    SELECT t.oid::int8, t.typarray::int8, n.nspname::text
      FROM pg_catalog.pg_extension e
      JOIN pg_catalog.pg_depend d ON d.refclassid = 'pg_catalog.pg_extension'::regclass AND d.refobjid = e.oid
           AND d.classid = 'pg_catalog.pg_type'::regclass AND d.deptype = 'e'
      JOIN pg_catalog.pg_type t ON t.oid = d.objid
      JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
     WHERE e.extname = 'bson' AND t.typname = 'bson'"""


class Bson:
    """A value to be sent as bson: a document, an array or a scalar."""

    def __init__(self, value: Any, codec_options: Options = CODEC_OPTIONS) -> None:
        self.value = value
        self.codec_options = codec_options

    def __bytes__(self) -> bytes:
        return to_bytes(self.value, self.codec_options)

    def __repr__(self) -> str:
        return f'Bson({self.value!r})'


# What a parameter may be by itself
DOCUMENTS = dict, bson.raw_bson.RawBSONDocument


def to_bytes(value: Any, codec_options: Options = CODEC_OPTIONS) -> bytes:
    """The binary form of the type."""
    if isinstance(value, Bson):
        return bytes(value)
    if isinstance(value, DOCUMENTS):
        return bson.encode(value, codec_options=codec_options)
    document = bson.encode({'': value}, codec_options=codec_options)
    return (len(document) + len(_ENVELOPE)).to_bytes(4, 'little') + _ENVELOPE + document[4:]


def from_bytes(data: bytes | bytearray | memoryview, codec_options: Options = CODEC_OPTIONS) -> Any:
    """A value from the binary form of the type."""
    data = bytes(data)
    if data[4:6] == _ENVELOPE and data[7:8] == b'\x00':
        inner = (len(data) - len(_ENVELOPE)).to_bytes(4, 'little') + data[6:]
        return bson.decode(inner, codec_options=codec_options)['']
    return bson.decode(data, codec_options=codec_options)


def to_text(value: Any, codec_options: Options = CODEC_OPTIONS) -> str:
    """A text form of the type: the bytes in hexadecimal, which lose nothing."""
    return '\\x' + to_bytes(value, codec_options).hex()


def from_text(text: str, codec_options: Options = CODEC_OPTIONS) -> Any:
    """A value from the text form of the type, which is Extended JSON or the bytes in hexadecimal."""
    if text.startswith('\\x'):
        return from_bytes(bytes.fromhex(text[2:]), codec_options)
    options = _json_options(codec_options)
    return json.loads(text, object_pairs_hook=lambda pairs: _object(pairs, options), parse_int=_integer)


# pymongo makes a UUID of the old subtype 3, too, which would be written as one of subtype 4
def _object(pairs: list[tuple[str, Any]], options: json_util.JSONOptions) -> Any:
    if len(pairs) == 1 and pairs[0][0] == '$binary' and isinstance(pairs[0][1], dict) and pairs[0][1].get('subType') == '03':
        return bson.Binary(base64.b64decode(pairs[0][1]['base64']), 3)
    return json_util.object_pairs_hook(pairs, options)


def _json_options(codec_options: Options, json_mode: int = json_util.JSONMode.CANONICAL) -> json_util.JSONOptions:
    return json_util.JSONOptions(json_mode=json_mode,
                                 tz_aware=codec_options.tz_aware, tzinfo=codec_options.tzinfo,
                                 uuid_representation=codec_options.uuid_representation,
                                 datetime_conversion=codec_options.datetime_conversion,
                                 document_class=codec_options.document_class)


def _integer(digits: str) -> int:
    number = int(digits)
    return number if -2**31 <= number < 2**31 else bson.Int64(number)


def _type_row(row: Any) -> Row:
    if row is None:
        raise LookupError('the extension bson is not installed in this database: CREATE EXTENSION bson')
    oid, array_oid, schema = row
    return oid, array_oid, schema


def register(connection: Any, codec_options: Options = CODEC_OPTIONS) -> Any:
    """Let a connection of psycopg 3, psycopg 2, pg8000 or asyncpg take and give bson.

    The result of an asynchronous connection is to be awaited.
    """
    for driver in {each.__module__.split('.')[0] for each in type(connection).__mro__}:
        if driver == 'psycopg':
            from . import psycopg
            return psycopg.register(connection, codec_options)
        if driver == 'psycopg2':
            from . import psycopg2
            return psycopg2.register(connection, codec_options)
        if driver == 'asyncpg':
            from . import asyncpg
            return asyncpg.register(connection, codec_options)
        if driver == 'pg8000':
            from . import pg8000
            return pg8000.register(connection, codec_options)
    raise TypeError(f'{type(connection).__name__} is not a connection of psycopg, psycopg2, asyncpg or pg8000')
