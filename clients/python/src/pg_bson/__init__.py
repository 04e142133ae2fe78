"""The bson type of PostgreSQL: values of pymongo's bson as parameters and results.

    pg_bson.register(connection)            # psycopg 3, psycopg 2, pg8000
    await pg_bson.register(connection)      # asyncpg, psycopg 3's AsyncConnection

A document is a dict.  Any other BSON value, an array or a scalar, is a parameter as Bson(value).
json.dumps(document, cls=pg_bson.JSONEncoder) makes plain JSON of it.
"""
from __future__ import annotations

import base64
import collections
import datetime
import decimal
import json
import math
import types
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import bson
import bson.binary
import bson.raw_bson
import bson.tz_util
from bson import json_util
from bson.codec_options import CodecOptions, DatetimeConversion, TypeDecoder, TypeEncoder, TypeRegistry

if TYPE_CHECKING:
    Options = CodecOptions[Any]
    Row = tuple[int, int, str]

__all__ = ['Bson', 'CODEC_OPTIONS', 'DECIMAL_NUMBERS', 'JSON_ENCODERS', 'JSONEncoder', 'NATIVE_NUMBERS', 'from_bytes', 'from_text', 'register', 'to_bytes', 'to_text']


class _Decimal(TypeEncoder):
    """A decimal.Decimal is sent as the Decimal128 of its digits, and comes back as a Decimal128."""
    python_type = decimal.Decimal

    def transform_python(self, value: decimal.Decimal) -> bson.Decimal128:
        try:
            return bson.Decimal128(value)
        except decimal.DecimalException as error:
            raise ValueError(f'{value} has more digits or a larger exponent than a decimal128') from error


class _Date(TypeEncoder):
    """A date without a time is its midnight in UTC, and comes back as a datetime."""
    python_type = datetime.date

    def transform_python(self, value: datetime.date) -> datetime.datetime:
        return datetime.datetime(value.year, value.month, value.day, tzinfo=datetime.timezone.utc)


class _Number(TypeDecoder):
    """What a number of one type becomes."""

    def __init__(self, bson_type: type[Any], made: Callable[[Any], Any]) -> None:
        self._type = bson_type
        self._made = made

    @property
    def bson_type(self) -> type[Any]:
        return self._type

    def transform_bson(self, value: Any) -> Any:
        return self._made(value)


def _decimal(value: float) -> decimal.Decimal:
    """The decimal of the digits that a double is printed with."""
    return decimal.Decimal(repr(value))


def _float(value: bson.Decimal128) -> float:
    """A float has one kind of NaN."""
    number = value.to_decimal()
    return math.nan if number.is_nan() else float(number)


# uuid.UUID is the server's uuid, a date has a time zone, as a timestamptz has, and one beyond the year 9999 is no error
CODEC_OPTIONS: Options = CodecOptions(uuid_representation=bson.binary.UuidRepresentation.STANDARD, tz_aware=True,
                                      datetime_conversion=DatetimeConversion.DATETIME_AUTO, type_registry=TypeRegistry([_Decimal(), _Date()]))

# What numbers become where they are read: int and float, as of JSON; or int and decimal.Decimal
NATIVE_NUMBERS: Options = CODEC_OPTIONS.with_options(type_registry=TypeRegistry([
    _Decimal(), _Date(), _Number(bson.Int64, int), _Number(bson.Decimal128, _float)]))
DECIMAL_NUMBERS: Options = CODEC_OPTIONS.with_options(type_registry=TypeRegistry([
    _Decimal(), _Date(), _Number(bson.Int64, int), _Number(bson.Decimal128, bson.Decimal128.to_decimal), _Number(float, _decimal)]))

# The server keeps a value that is no document as the document {"": MinKey, "": value}
_ENVELOPE = b'\xff\x00'
_DOCUMENT = 3

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
DOCUMENTS = dict, bson.raw_bson.RawBSONDocument, bson.DBRef, collections.ChainMap, types.MappingProxyType


def to_bytes(value: Any, codec_options: Options = CODEC_OPTIONS) -> bytes:
    """The binary form of the type."""
    if isinstance(value, Bson):
        return bytes(value)
    # As a field: what type it has, is said by what was encoded, and of a document pymongo would move _id to the front
    field = bson.encode({'': value}, codec_options=codec_options)
    if field[4] == _DOCUMENT:
        return field[6:-1]
    return (len(field) + len(_ENVELOPE)).to_bytes(4, 'little') + _ENVELOPE + field[4:]


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
    return (_default_reader if codec_options is CODEC_OPTIONS else text_reader(codec_options))(text)


# By this table an integer that may be beyond 32 bits begins like _LARGE
_DIGITS = bytes(ord('0' if chr(each) in '0123456789' else '-' if chr(each) in '-[,: \t\n\r' else 'x') for each in range(256))
_LARGE = b'-0000000000'


def text_reader(codec_options: Options) -> Callable[[str], Any]:
    """from_text with these options, which a driver makes once, as json.loads makes a decoder for each text."""
    registry = codec_options.type_registry
    decoders = registry._decoder_map
    decimals = registry is DECIMAL_NUMBERS.type_registry
    known = not decoders or decimals or registry is NATIVE_NUMBERS.type_registry
    if not known or codec_options.document_class is not dict:
        # which are known to the decoder of bytes only
        stored = text_reader(codec_options.with_options(type_registry=CODEC_OPTIONS.type_registry, document_class=dict))
        return lambda text: from_bytes(to_bytes(stored(text)), codec_options)
    options = _json_options(codec_options)
    made = dict(_MADE)
    if options.tz_aware and options.tzinfo in (None, _UTC) and options.datetime_conversion is not DatetimeConversion.DATETIME_MS:
        made['$date'] = _datetime

    def wrapper(document: dict[str, Any]) -> Any:
        for key in document:
            if key[:1] != '$':
                break
            value = None
            if key in made and len(document) == 1 and type(document[key]) is str:
                value = made[key](document[key])
            if value is None:
                value = _wrapper(document, options)
            return decoders[type(value)](value) if decoders and type(value) in decoders else value
        return document
    parse_float, parse_int = decimal.Decimal if decimals else float, int if decoders else _integer
    plain = json.JSONDecoder(parse_float=parse_float).decode
    exact = json.JSONDecoder(parse_float=parse_float, parse_int=parse_int).decode
    extended = json.JSONDecoder(parse_float=parse_float, parse_int=parse_int, object_hook=wrapper).decode

    def read(text: str) -> Any:
        if '$' in text and '"$' in text:        # the first alone is quicker to find
            return extended(text)
        if text[:1] in '{[' and _LARGE not in text.encode('utf-8', 'replace').translate(_DIGITS):
            return plain(text)
        return from_bytes(bytes.fromhex(text[2:]), codec_options) if text.startswith('\\x') else exact(text)
    return read


_UTC = bson.tz_util.utc


def _datetime(text: str) -> datetime.datetime | None:
    """The date that the server prints as such a text; None of any other, which is for pymongo."""
    if len(text) in (20, 24) and text[10] == 'T' and text[16] == ':' and text[19] in '.Z' and text[-1] == 'Z':
        try:
            return datetime.datetime.fromisoformat(text[:-1]).replace(tzinfo=_UTC)
        except ValueError:
            pass
    return None


# Of the most frequent objects of Extended JSON what pymongo makes, too, in several times the time
_MADE: dict[str, Callable[[str], Any]] = {'$oid': bson.ObjectId, '$numberLong': bson.Int64, '$numberDecimal': bson.Decimal128}


# pymongo makes a UUID of the old subtype 3, too, which would be written as one of subtype 4
def _wrapper(document: dict[str, Any], options: json_util.JSONOptions) -> Any:
    binary = document.get('$binary')
    if isinstance(binary, dict) and len(document) == 1 and binary.get('subType') == '03':
        return bson.Binary(base64.b64decode(binary['base64']), 3)
    return json_util.object_hook(document, options)


def _json_options(codec_options: Options, json_mode: int = json_util.JSONMode.CANONICAL) -> json_util.JSONOptions:
    return json_util.JSONOptions(json_mode=json_mode,
                                 tz_aware=codec_options.tz_aware, tzinfo=codec_options.tzinfo,
                                 uuid_representation=codec_options.uuid_representation,
                                 datetime_conversion=codec_options.datetime_conversion,
                                 document_class=codec_options.document_class)


def _integer(digits: str) -> Any:
    """What the server makes of an integer: beyond 64 bits a decimal, where it is exact."""
    number = int(digits)
    if -2**31 <= number < 2**31:
        return number
    return bson.Int64(number) if -2**63 <= number < 2**63 else bson.Decimal128(digits)


_default_reader = text_reader(CODEC_OPTIONS)


def _base64(value: bytes) -> str:
    return base64.b64encode(value).decode()


def _date(value: datetime.datetime) -> str:
    if value.tzinfo is None:
        value = value.replace(tzinfo=datetime.timezone.utc)
    return value.isoformat(timespec='milliseconds').replace('+00:00', 'Z')


# What is no JSON: as a REST framework prints it, or else as Extended JSON
JSON_ENCODERS: dict[type[Any], Callable[[Any], Any]] = {
    bson.ObjectId: str, bson.Decimal128: str, decimal.Decimal: str, uuid.UUID: str, datetime.datetime: _date, bson.Binary: _base64, bytes: _base64,
    **{kind: json_util.default for kind in (bson.DatetimeMS, bson.Regex, bson.Timestamp, bson.Code, bson.MinKey, bson.MaxKey, bson.DBRef)}}


class JSONEncoder(json.JSONEncoder):
    """Of a document that was read: json.dumps(document, cls=pg_bson.JSONEncoder)."""

    def default(self, value: Any) -> Any:
        encode = JSON_ENCODERS.get(type(value))
        return encode(value) if encode else super().default(value)


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
