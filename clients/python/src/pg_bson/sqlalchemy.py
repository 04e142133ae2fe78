"""SQLAlchemy: the type BSON, whose values travel as BSON bytes with psycopg, psycopg2 and asyncpg.

The drivers need no registration.  Importing this module lets the dialect of
PostgreSQL, and so Alembic's autogenerate, know columns of the type.
"""
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.dialects.postgresql.base import ischema_names
from sqlalchemy.sql import operators

from . import CODEC_OPTIONS, Bson, from_bytes, from_text, to_bytes

_COMPARISONS = {operators.eq, operators.ne, operators.lt, operators.le, operators.gt, operators.ge,
                operators.in_op, operators.not_in_op, operators.between_op, operators.not_between_op,
                operators.is_distinct_from, operators.is_not_distinct_from}


def _texts(values):
    return sa.literal(list(values), postgresql.ARRAY(sa.Text))


def _path(keys):
    return [sa.literal(str(key), sa.Text) for key in keys]


class _Name(sa.types.UserDefinedType):
    """The type's name in a cast."""
    cache_ok = True

    def get_col_spec(self, **kw):
        return 'bson'


class BSON(sa.types.UserDefinedType):
    """A bson column.  A subclass with other codec_options reads and writes by these."""
    cache_ok = True
    codec_options = CODEC_OPTIONS

    def get_col_spec(self, **kw):
        return 'bson'

    @property
    def python_type(self):
        return dict

    # As bytea, which every driver sends and fetches
    def bind_expression(self, bindvalue):
        return sa.cast(sa.cast(bindvalue, sa.LargeBinary), _Name)

    def column_expression(self, column):
        return sa.type_coerce(sa.cast(column, sa.LargeBinary), self)

    def bind_processor(self, dialect):
        return lambda value: None if value is None else to_bytes(value, self.codec_options)

    def result_processor(self, dialect, coltype):
        def process(value):
            if isinstance(value, (bytes, memoryview, bytearray)):
                return from_bytes(value, self.codec_options)
            return from_text(value, self.codec_options) if isinstance(value, str) else value
        return process

    def coerce_compared_value(self, op, value):
        """Beside = and its like a value is a bson; a str beside an operator of .op() is a text."""
        if op in _COMPARISONS or isinstance(value, (dict, Bson)):
            return self
        return sa.types.TypeEngine.coerce_compared_value(self, op, value)

    class Comparator(sa.types.UserDefinedType.Comparator):
        def _get(self, key, one, many, result):
            if isinstance(key, (tuple, list)):
                return self.op(many, precedence=15, return_type=result)(_texts(map(str, key)))
            kind = sa.Integer if isinstance(key, int) else sa.Text
            return self.op(one, precedence=15, return_type=result)(sa.literal(key, kind))

        def __getitem__(self, key):
            """-> of a key or an index, #> of a tuple of them."""
            return self._get(key, '->', '#>', self.type)

        def text(self, key):
            """->> of a key or an index, #>> of a tuple of them."""
            return self._get(key, '->>', '#>>', sa.Text())

        @property
        def astext(self):
            """The value itself as ->> gives it: data['a'].astext."""
            return self.op('#>>', precedence=15, return_type=sa.Text())(_texts([]))

        def _test(self, operator, other):
            return self.op(operator, is_comparison=True, return_type=sa.Boolean())(other)

        def _value(self, value):
            return value if isinstance(value, sa.ClauseElement) else sa.literal(Bson(value), self.type)

        def contains(self, other, **kw):
            return self._test('@>', self._value(other))

        def contained_by(self, other):
            return self._test('<@', self._value(other))

        def match_query(self, query):
            """@~: does the document meet a query of MongoDB?"""
            return self._test('@~', self._value(query))

        def has_key(self, key):
            return self._test('?', sa.literal(key, sa.Text))

        def has_any(self, keys):
            return self._test('?|', _texts(keys))

        def has_all(self, keys):
            return self._test('?&', _texts(keys))

        def path_exists(self, path):
            return self._test('@?', sa.cast(sa.literal(path, sa.Text), postgresql.JSONPATH))

        def path_match(self, path):
            return self._test('@@', sa.cast(sa.literal(path, sa.Text), postgresql.JSONPATH))

        # The getters give NULL where the value has another type
        def _getter(self, name, keys, result):
            return getattr(sa.func, name)(self.expr, *_path(keys), type_=result)

        def get_bool(self, *keys):
            return self._getter('bson_get_bool', keys, sa.Boolean())

        def get_int(self, *keys):
            return self._getter('bson_get_int8', keys, sa.BigInteger())

        def get_float(self, *keys):
            return self._getter('bson_get_float8', keys, sa.Float())

        def get_numeric(self, *keys):
            return self._getter('bson_get_numeric', keys, sa.Numeric())

        def get_text(self, *keys):
            return self._getter('bson_get_text', keys, sa.Text())

        def get_datetime(self, *keys):
            return self._getter('bson_get_timestamptz', keys, sa.DateTime(timezone=True))

        def get_uuid(self, *keys):
            return self._getter('bson_get_uuid', keys, sa.Uuid())

        def get_objectid(self, *keys):
            return self._getter('bson_get_objectid', keys, sa.Text())

    comparator_factory = Comparator


ischema_names['bson'] = BSON


def render_item(kind, item, autogen_context):
    """For context.configure(render_item=...) in Alembic's env.py: migrations import what they name."""
    if kind == 'type' and isinstance(item, BSON):
        module = type(item).__module__
        autogen_context.imports.add(f'import {module}')
        return f'{module}.{type(item).__name__}()'
    return False
