"""Django: BSONField, a JSONField in a column of type bson, and the operation that creates the extension.

Documents travel as BSON bytes, so ObjectIds, dates, decimals and 64-bit integers
keep their types.  The lookups are those of JSONField, and data__match={...}, a query of MongoDB.
"""
import json

from bson import json_util
from django.contrib.postgres.lookups import PostgresOperatorLookup
from django.contrib.postgres.operations import CreateExtension
from django.db import models
from django.db.models.fields.json import KeyTransform
from django.db.models.lookups import FieldGetDbPrepValueMixin

from . import CODEC_OPTIONS, from_bytes, from_text, to_text

_CANONICAL = json_util.JSONOptions(json_mode=json_util.JSONMode.CANONICAL,
                                   uuid_representation=CODEC_OPTIONS.uuid_representation)
_RELAXED = json_util.RELAXED_JSON_OPTIONS.with_options(uuid_representation=CODEC_OPTIONS.uuid_representation)


class BSONEncoder(json.JSONEncoder):
    """What forms show of values that JSON lacks: Extended JSON."""

    def default(self, value):
        return json_util.default(value, json_options=_RELAXED)


class BSONDecoder(json.JSONDecoder):
    def __init__(self, **kwargs):
        super().__init__(object_hook=lambda pairs: json_util.object_hook(pairs, _RELAXED), **kwargs)


class BsonExtension(CreateExtension):
    def __init__(self, hints=None):
        self.name = 'bson'
        if hints is not None:
            self.hints = hints


class BSONField(models.JSONField):
    codec_options = CODEC_OPTIONS

    def __init__(self, *args, encoder=BSONEncoder, decoder=BSONDecoder, **kwargs):
        super().__init__(*args, encoder=encoder, decoder=decoder, **kwargs)

    def deconstruct(self):
        name, path, args, kwargs = super().deconstruct()
        for key, standard in ('encoder', BSONEncoder), ('decoder', BSONDecoder):
            if kwargs.get(key) is standard:
                del kwargs[key]
        return name, path, args, kwargs

    def db_type(self, connection):
        return 'bson'

    # An untyped literal, which the server takes for a bson beside a bson
    def get_db_prep_value(self, value, connection, prepared=False):
        return value if hasattr(value, 'as_sql') else to_text(value, self.codec_options)

    # Both drivers fetch bytea as bytes
    def select_format(self, compiler, sql, params):
        return f'({sql})::bytea', params

    def from_db_value(self, value, expression, connection):
        if isinstance(value, (bytes, memoryview)):
            return from_bytes(value, self.codec_options)
        return from_text(value, self.codec_options) if isinstance(value, str) else value

    # dumpdata and loaddata keep the types
    def value_to_string(self, obj):
        return json.loads(json_util.dumps(self.value_from_object(obj), json_options=_CANONICAL))

    def to_python(self, value):
        if isinstance(value, dict):
            value = {key: self.to_python(each) for key, each in value.items()}
            return json_util.object_hook(value, _CANONICAL) if any(key.startswith('$') for key in value) else value
        return [self.to_python(each) for each in value] if isinstance(value, list) else value


@BSONField.register_lookup
class Match(FieldGetDbPrepValueMixin, PostgresOperatorLookup):
    """data__match={"year": {"$gt": 1950}}: does the document meet a query of MongoDB?"""
    lookup_name = 'match'
    postgres_operator = '@~'
