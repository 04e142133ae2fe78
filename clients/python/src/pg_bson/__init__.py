"""The bson type of PostgreSQL: values of pymongo's bson as parameters and results.

    pg_bson.register(connection)            # psycopg 3, psycopg 2
    await pg_bson.register(connection)      # asyncpg, psycopg 3's AsyncConnection

A document is a dict.  Any other BSON value, an array or a scalar, is a parameter as Bson(value).
"""
import json

import bson
import bson.binary
import bson.raw_bson
from bson import json_util
from bson.codec_options import CodecOptions, DatetimeConversion

__all__ = ['Bson', 'CODEC_OPTIONS', 'from_bytes', 'from_text', 'register', 'to_bytes', 'to_text']

# uuid.UUID is the server's uuid, and a date beyond the year 9999 is no error
CODEC_OPTIONS = CodecOptions(uuid_representation=bson.binary.UuidRepresentation.STANDARD,
                             datetime_conversion=DatetimeConversion.DATETIME_AUTO)

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

    def __init__(self, value, codec_options=CODEC_OPTIONS):
        self.value = value
        self.codec_options = codec_options

    def __bytes__(self):
        return to_bytes(self.value, self.codec_options)

    def __repr__(self):
        return f'Bson({self.value!r})'


def to_bytes(value, codec_options=CODEC_OPTIONS):
    """The binary form of the type."""
    if isinstance(value, Bson):
        return bytes(value)
    if isinstance(value, (dict, bson.raw_bson.RawBSONDocument)):
        return bson.encode(value, codec_options=codec_options)
    document = bson.encode({'': value}, codec_options=codec_options)
    return (len(document) + len(_ENVELOPE)).to_bytes(4, 'little') + _ENVELOPE + document[4:]


def from_bytes(data, codec_options=CODEC_OPTIONS):
    data = bytes(data)
    if data[4:6] == _ENVELOPE and data[7:8] == b'\x00':
        inner = (len(data) - len(_ENVELOPE)).to_bytes(4, 'little') + data[6:]
        return bson.decode(inner, codec_options=codec_options)['']
    return bson.decode(data, codec_options=codec_options)


def to_text(value, codec_options=CODEC_OPTIONS):
    """A text form of the type: the bytes in hexadecimal, which lose nothing."""
    return '\\x' + to_bytes(value, codec_options).hex()


def from_text(text, codec_options=CODEC_OPTIONS):
    """The text form of the type, which is Extended JSON or the bytes in hexadecimal."""
    if text.startswith('\\x'):
        return from_bytes(bytes.fromhex(text[2:]), codec_options)
    options = json_util.JSONOptions(json_mode=json_util.JSONMode.CANONICAL,
                                    tz_aware=codec_options.tz_aware, tzinfo=codec_options.tzinfo,
                                    uuid_representation=codec_options.uuid_representation,
                                    datetime_conversion=codec_options.datetime_conversion,
                                    document_class=codec_options.document_class)
    return json_util.loads(text, json_options=options, parse_int=_integer)


def _integer(digits):
    number = int(digits)
    return number if -2**31 <= number < 2**31 else bson.Int64(number)


def _type_row(row):
    if row is None:
        raise LookupError('the extension bson is not installed in this database: CREATE EXTENSION bson')
    return row


def register(connection, codec_options=CODEC_OPTIONS):
    """Let a connection of psycopg 3, psycopg 2 or asyncpg take and give bson.

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
    raise TypeError(f'{type(connection).__name__} is not a connection of psycopg, psycopg2 or asyncpg')
