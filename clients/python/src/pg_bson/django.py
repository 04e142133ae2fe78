"""Django: BSONField, a JSONField in a column of type bson, and the operation that creates the extension.

Documents travel as BSON bytes, so ObjectIds, dates, decimals and 64-bit integers
keep their types.  The lookups are those of JSONField, and data__match={...}, a query of MongoDB.
"""
from __future__ import annotations

import decimal
import json
import math
from typing import TYPE_CHECKING, Any

from bson import Decimal128, Int64, json_util
from bson.errors import InvalidDocument
from django import forms
from django.contrib.postgres.lookups import PostgresOperatorLookup
from django.contrib.postgres.operations import CreateExtension
from django.core.exceptions import ValidationError
from django.db import models
from django.db.backends.base.base import NO_DB_ALIAS
from django.db.backends.postgresql.psycopg_any import is_psycopg3
from django.db.backends.signals import connection_created
from django.db.models.lookups import FieldGetDbPrepValueMixin
from django.forms.fields import InvalidJSONInput, JSONString
from django.utils.translation import gettext_lazy as _

from . import _TYPE_QUERY, CODEC_OPTIONS, _json_options, _wrapper, from_bytes, from_text, to_bytes

if TYPE_CHECKING:
    from . import Options


def _wrapped(value: Any, options: json_util.JSONOptions) -> Any:
    """A value with Extended JSON for what JSON cannot tell, as the server prints it."""
    if isinstance(value, dict):
        return {key: _wrapped(each, options) for key, each in value.items()}
    if isinstance(value, list):
        return [_wrapped(each, options) for each in value]
    if isinstance(value, Int64):
        return {'$numberLong': str(int(value))} if -2**31 <= value < 2**31 else int(value)
    if value is None or type(value) in (str, int, bool) or isinstance(value, float) and math.isfinite(value):
        return value
    return json_util.default(value, options)


def _as_json(value: Any) -> Any:
    """A value that JSONField takes and BSON does not: keys that are no strings, and integers beyond 64 bits, as the server takes them."""
    if isinstance(value, dict):
        return {json.dumps(key) if key is None or isinstance(key, (int, float)) else key: _as_json(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_as_json(each) for each in value]
    if isinstance(value, int) and not -2**63 <= value < 2**63:
        try:
            return Decimal128(str(value))
        except decimal.DecimalException as error:
            raise OverflowError(f'{value} has more than the 34 digits of a decimal128') from error
    return value


def _sent(value: Any, codec_options: Options) -> bytes:
    try:
        return to_bytes(value, codec_options)
    except (InvalidDocument, OverflowError):
        return to_bytes(_as_json(value), codec_options)


def _shown(value: Any, codec_options: Options) -> str:
    """The text of a value that reads back to the same bytes: Extended JSON, or else hexadecimal digits."""
    data = _sent(value, codec_options)
    try:
        text = json.dumps(_wrapped(from_bytes(data, codec_options), _json_options(codec_options, json_util.JSONMode.RELAXED)), ensure_ascii=False)
        if to_bytes(from_text(text, codec_options), codec_options) == data:
            return text
    except Exception:           # json_util promises no kind of error for what looks like a wrapper
        pass
    return '\\x' + data.hex()


class BSONFormField(forms.JSONField):
    """Shows a text that keeps all types, and takes Extended JSON and hexadecimal digits."""
    default_error_messages = {'invalid': _('Enter valid Extended JSON.')}

    def __init__(self, codec_options: Options = CODEC_OPTIONS, **kwargs: Any) -> None:
        self.codec_options = codec_options
        super().__init__(**kwargs)

    def to_python(self, value: Any) -> Any:
        if self.disabled or not isinstance(value, str) or isinstance(value, JSONString):
            return None if value in self.empty_values and not self.disabled else value
        if value in self.empty_values:
            return None
        try:
            parsed = from_text(value, self.codec_options)
            to_bytes(parsed, self.codec_options)
        except Exception as error:      # many kinds: of JSON, of wrappers, of what BSON cannot hold
            raise ValidationError(self.error_messages['invalid'], code='invalid', params={'value': value}) from error
        return JSONString(parsed) if isinstance(parsed, str) else parsed

    def bound_data(self, data: Any, initial: Any) -> Any:
        if self.disabled:
            return initial
        try:
            return self.to_python(data)
        except ValidationError:
            return InvalidJSONInput(data)

    def prepare_value(self, value: Any) -> Any:
        return value if isinstance(value, InvalidJSONInput) else _shown(value, self.codec_options)

    def has_changed(self, initial: Any, data: Any) -> bool:
        try:
            return not self.disabled and _sent(initial, self.codec_options) != _sent(self.to_python(data), self.codec_options)
        except ValidationError:
            return True


class BsonExtension(CreateExtension):
    def __init__(self, hints: Any = None) -> None:
        self.name = 'bson'
        if hints is not None:
            self.hints = hints

    def database_forwards(self, app_label: Any, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        super().database_forwards(app_label, schema_editor, from_state, to_state)
        register_type_handlers(schema_editor.connection)


class BSONField(models.JSONField):
    description = _('A BSON document')
    default_error_messages = {'invalid': _('Value must be what BSON can hold.')}
    codec_options: Options = CODEC_OPTIONS

    def db_type(self, connection: Any) -> str:
        return 'bson'

    def formfield(self, **kwargs: Any) -> Any:
        return super().formfield(**{'form_class': BSONFormField, 'codec_options': self.codec_options, **kwargs})

    # An untyped literal, which the server takes for a bson beside a bson
    def get_db_prep_value(self, value: Any, connection: Any, prepared: bool = False) -> Any:
        return value if hasattr(value, 'as_sql') else '\\x' + _sent(value, self.codec_options).hex()

    # Alone it needs a type: in the queries by which Model.full_clean() validates constraints
    def get_placeholder(self, value: Any, compiler: Any, connection: Any) -> str:
        return '%s' if hasattr(value, 'as_sql') else '%s::bson'

    # Both drivers fetch bytea as bytes; what another query goes on with stays a bson
    def select_format(self, compiler: Any, sql: str, params: Any) -> tuple[str, Any]:
        inner = compiler.query.subquery or compiler.query.distinct
        return (sql if inner else f'({sql})::bytea'), params

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        if isinstance(value, (bytes, memoryview)):
            return from_bytes(value, self.codec_options)
        return from_text(value, self.codec_options) if isinstance(value, str) else value

    def validate(self, value: Any, model_instance: Any) -> None:
        models.Field.validate(self, value, model_instance)
        try:
            _sent(value, self.codec_options)
        except Exception as error:
            raise ValidationError(self.error_messages['invalid'], code='invalid', params={'value': value}) from error

    # dumpdata and loaddata keep the types
    def value_to_string(self, obj: Any) -> Any:
        return json.loads(json_util.dumps(self.value_from_object(obj), json_options=_json_options(self.codec_options)))

    def to_python(self, value: Any) -> Any:
        if isinstance(value, dict):
            value = {key: self.to_python(each) for key, each in value.items()}
            try:
                return _wrapper(value, _json_options(self.codec_options)) if any(map(_is_operator, value)) else value
            except Exception:           # an ordinary document whose key is that of a wrapper
                return value
        return [self.to_python(each) for each in value] if isinstance(value, list) else value


def _is_operator(key: Any) -> bool:
    return isinstance(key, str) and key.startswith('$')


@BSONField.register_lookup
class Match(FieldGetDbPrepValueMixin, PostgresOperatorLookup):
    """data__match={"year": {"$gt": 1950}}: does the document meet a query of MongoDB?"""
    lookup_name = 'match'
    postgres_operator = '@~'


# The drivers give an array of a type that they do not know as one string.  Asked for each connection, as databases, and an
# extension that was made again, have other numbers.
def register_type_handlers(connection: Any, **kwargs: Any) -> None:
    if connection.vendor != 'postgresql' or connection.alias == NO_DB_ALIAS:
        return
    with connection.cursor() as cursor:
        cursor.execute(_TYPE_QUERY)
        row = cursor.fetchone()
    if row is None:
        return
    oid, array_oid, _schema = row
    if is_psycopg3:
        from psycopg.types import TypeInfo
        TypeInfo('bson', oid, array_oid).register(connection.connection)
    else:
        import psycopg2.extensions as ext
        ext.register_type(ext.new_array_type((array_oid,), 'BSON[]', ext.UNICODE), connection.connection)


connection_created.connect(register_type_handlers, dispatch_uid='pg_bson.django.register_type_handlers')
