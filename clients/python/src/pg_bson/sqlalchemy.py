"""SQLAlchemy: the type BSON, whose values travel as BSON bytes with psycopg, psycopg2, asyncpg and pg8000.

The drivers need no registration.  Importing this module lets the dialect of
PostgreSQL, and so Alembic's autogenerate, know columns of the type.
"""
from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, cast

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.dialects.postgresql.base import ischema_names
from sqlalchemy.sql import operators

from . import CODEC_OPTIONS, Bson, from_bytes, from_text, to_bytes

if TYPE_CHECKING:
    from . import Options

_COMPARISONS = {operators.eq, operators.ne, operators.lt, operators.le, operators.gt, operators.ge,
                operators.in_op, operators.not_in_op, operators.between_op, operators.not_between_op,
                operators.is_distinct_from, operators.is_not_distinct_from}

Element = sa.ColumnElement[Any]


def _texts(values: Iterable[str]) -> Element:
    return sa.literal(list(values), postgresql.ARRAY(sa.Text))


def _path(keys: Iterable[str | int]) -> list[Element]:
    return [sa.literal(str(key), sa.Text) for key in keys]


def _jsonpath(path: str) -> Element:
    return sa.cast(sa.literal(path, sa.Text), postgresql.JSONPATH)


class _Name(sa.types.UserDefinedType[Any]):
    """The type's name in a cast."""
    cache_ok = True

    def get_col_spec(self, **kw: Any) -> str:
        return 'bson'


class BSON(sa.types.UserDefinedType[Any]):
    """A bson column.  A subclass with other codec_options reads and writes by these."""
    cache_ok = True
    codec_options: Options = CODEC_OPTIONS

    def get_col_spec(self, **kw: Any) -> str:
        return 'bson'

    @property
    def python_type(self) -> type[Any]:
        return dict

    # As bytea, which every driver sends and fetches
    def bind_expression(self, bindvalue: Element) -> Element:
        return sa.cast(sa.cast(bindvalue, sa.LargeBinary), _Name)

    def column_expression(self, column: Element) -> Element:
        return sa.type_coerce(sa.cast(column, sa.LargeBinary), self)

    def bind_processor(self, dialect: sa.Dialect) -> Callable[[Any], bytes | None]:
        return lambda value: None if value is None else to_bytes(value, self.codec_options)

    # Without a backslash, which literals are not agreed about
    def literal_processor(self, dialect: sa.Dialect) -> Callable[[Any], str]:
        return lambda value: f"decode('{to_bytes(value, self.codec_options).hex()}', 'hex')"

    def result_processor(self, dialect: sa.Dialect, coltype: object) -> Callable[[Any], Any]:
        def process(value: Any) -> Any:
            if isinstance(value, (bytes, memoryview, bytearray)):
                return from_bytes(value, self.codec_options)
            return from_text(value, self.codec_options) if isinstance(value, str) else value
        return process

    def coerce_compared_value(self, op: Any, value: Any) -> sa.types.TypeEngine[Any]:
        """Beside = and its like a value is a bson; a str beside an operator of .op() is a text."""
        if op in _COMPARISONS or isinstance(value, (dict, Bson)):
            return self
        return sa.types.TypeEngine.coerce_compared_value(self, op, value)

    class Comparator(sa.types.UserDefinedType.Comparator[Any]):
        def _op(self, operator: str, other: Element, result: sa.types.TypeEngine[Any]) -> Element:
            # operators of one precedence, which are evaluated from the left, so that the right side needs parentheses
            applied = self.op(operator, precedence=15, return_type=result, is_comparison=isinstance(result, sa.Boolean))(other)
            return cast(Element, applied)

        def _get(self, key: Any, one: str, many: str, result: sa.types.TypeEngine[Any]) -> Element:
            if isinstance(key, (tuple, list)):
                return self._op(many, _texts(map(str, key)), result)
            return self._op(one, sa.literal(key, sa.Integer if isinstance(key, int) else sa.Text), result)

        def __getitem__(self, key: str | int | tuple[str | int, ...]) -> Element:
            """-> of a key or an index, #> of a tuple of them."""
            return self._get(key, '->', '#>', self.type)

        def text(self, key: str | int | tuple[str | int, ...]) -> Element:
            """->> of a key or an index, #>> of a tuple of them."""
            return self._get(key, '->>', '#>>', sa.Text())

        @property
        def astext(self) -> Element:
            """The value itself as ->> gives it: data['a'].astext."""
            return self._op('#>>', _texts([]), sa.Text())

        # The value itself by a cast, which is an error where it is of another type: data['a'].as_integer()
        def as_string(self) -> Element:
            return self.astext

        def as_integer(self) -> Element:
            return sa.cast(self.expr, sa.BigInteger)

        def as_float(self) -> Element:
            return sa.cast(self.expr, sa.Double)

        def as_numeric(self, precision: int, scale: int, asdecimal: bool = True) -> Element:
            return sa.cast(self.expr, sa.Numeric(precision, scale, asdecimal=asdecimal))  # type: ignore[call-overload]

        def as_boolean(self) -> Element:
            return sa.cast(self.expr, sa.Boolean)

        def _test(self, operator: str, other: Element) -> Element:
            return self._op(operator, other, sa.Boolean())

        def _value(self, value: Any) -> Element:
            return cast(Element, value if isinstance(value, sa.ClauseElement) else sa.literal(Bson(value), self.type))

        def contains(self, other: Any, **kw: Any) -> Element:
            return self._test('@>', self._value(other))

        def contained_by(self, other: Any) -> Element:
            return self._test('<@', self._value(other))

        def match_query(self, query: Any) -> Element:
            """@~: does the document meet a query of MongoDB?"""
            return self._test('@~', self._value(query))

        def has_key(self, key: str) -> Element:
            return self._test('?', sa.literal(key, sa.Text))

        def has_any(self, keys: Iterable[str]) -> Element:
            return self._test('?|', _texts(keys))

        def has_all(self, keys: Iterable[str]) -> Element:
            return self._test('?&', _texts(keys))

        def path_exists(self, path: str) -> Element:
            return self._test('@?', _jsonpath(path))

        def path_match(self, path: str) -> Element:
            return self._test('@@', _jsonpath(path))

        # The getters give NULL where the value has another type
        def _getter(self, name: str, keys: tuple[str | int, ...], result: sa.types.TypeEngine[Any]) -> Element:
            return cast(Element, getattr(sa.func, name)(self.expr, *_path(keys), type_=result))

        def get_bool(self, *keys: str | int) -> Element:
            return self._getter('bson_get_bool', keys, sa.Boolean())

        def get_int(self, *keys: str | int) -> Element:
            return self._getter('bson_get_int8', keys, sa.BigInteger())

        def get_float(self, *keys: str | int) -> Element:
            return self._getter('bson_get_float8', keys, sa.Float())

        def get_numeric(self, *keys: str | int) -> Element:
            return self._getter('bson_get_numeric', keys, sa.Numeric())

        def get_text(self, *keys: str | int) -> Element:
            return self._getter('bson_get_text', keys, sa.Text())

        def get_datetime(self, *keys: str | int) -> Element:
            return self._getter('bson_get_timestamptz', keys, sa.DateTime(timezone=True))

        def get_uuid(self, *keys: str | int) -> Element:
            return self._getter('bson_get_uuid', keys, sa.Uuid())

        def get_objectid(self, *keys: str | int) -> Element:
            return self._getter('bson_get_objectid', keys, sa.Text())

    comparator_factory = Comparator


class _Sent(sa.types.UserDefinedType[Any]):
    """An element of an array that is sent, as bytea."""
    cache_ok = True

    def __init__(self, item: BSON) -> None:
        self.item = item

    def get_col_spec(self, **kw: Any) -> str:
        return 'bytea'

    def bind_processor(self, dialect: sa.Dialect) -> Callable[[Any], bytes | None]:
        return self.item.bind_processor(dialect)


class ARRAY(sa.types.TypeDecorator[Any]):
    """ARRAY(BSON), also as type_ of array_agg(): SQLAlchemy's own ARRAY would not fetch bytes."""
    impl = postgresql.ARRAY
    cache_ok = True

    def __init__(self, item_type: type[BSON] | BSON = BSON, dimensions: int | None = None) -> None:
        self.item_type: BSON = item_type() if isinstance(item_type, type) else item_type
        super().__init__(self.item_type, dimensions=dimensions)
        self.bytes_type: postgresql.ARRAY[Any] = postgresql.ARRAY(sa.LargeBinary, dimensions=dimensions)
        self.name_type: postgresql.ARRAY[Any] = postgresql.ARRAY(_Name, dimensions=dimensions)
        self.sent_type: postgresql.ARRAY[Any] = postgresql.ARRAY(_Sent(self.item_type), dimensions=dimensions)

    def bind_expression(self, bindvalue: Element) -> Element:
        return sa.cast(sa.cast(sa.type_coerce(bindvalue, self.sent_type), self.bytes_type), self.name_type)

    def column_expression(self, column: Element) -> Element:
        return sa.type_coerce(sa.cast(column, self.bytes_type), self)

    def coerce_compared_value(self, op: Any, value: Any) -> Any:
        return self if isinstance(value, (list, tuple)) else self.impl_instance.coerce_compared_value(op, value)


ischema_names['bson'] = BSON


def render_item(kind: str, item: Any, autogen_context: Any) -> str | bool:
    """For context.configure(render_item=...) in Alembic's env.py: migrations import what they name."""
    if kind == 'type' and isinstance(item, (BSON, ARRAY)):
        module = type(item).__module__
        autogen_context.imports.add(f'import {module}')
        inner = render_item(kind, item.item_type, autogen_context) if isinstance(item, ARRAY) else ''
        return f'{module}.{type(item).__name__}({inner})'
    return False
