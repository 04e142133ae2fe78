"""SQLAlchemy: the type BSON, whose values travel as BSON bytes with psycopg, psycopg2, asyncpg and pg8000.

The drivers need no registration.  Importing this module lets the dialect of
PostgreSQL, and so Alembic's autogenerate, know columns of the type.
"""
from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Union, cast

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.dialects.postgresql.base import ischema_names
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql import operators

from . import CODEC_OPTIONS, DOCUMENTS, Bson, from_bytes, text_reader, to_bytes

if TYPE_CHECKING:
    from . import Options

_COMPARISONS = {operators.eq, operators.ne, operators.lt, operators.le, operators.gt, operators.ge,
                operators.in_op, operators.not_in_op, operators.between_op, operators.not_between_op,
                operators.is_distinct_from, operators.is_not_distinct_from}

Element = sa.ColumnElement[Any]
Keys = Union[Iterable[str], sa.ClauseElement]
Text = Union[str, sa.ClauseElement]


def _texts(values: Keys) -> Element:
    """A text[] of strings, or of what SQL gives, such as postgresql.array([...])."""
    if isinstance(values, sa.ClauseElement):
        return sa.cast(values, postgresql.ARRAY(sa.Text))
    return sa.literal(list(values), postgresql.ARRAY(sa.Text))


def _text(value: Text) -> Element:
    return cast(Element, value) if isinstance(value, sa.ClauseElement) else sa.literal(value, sa.Text)


def _path(keys: Iterable[str | int]) -> list[Element]:
    return [sa.literal(str(key), sa.Text) for key in keys]


def _jsonpath(path: Text) -> Element:
    return sa.cast(_text(path), postgresql.JSONPATH)


class _Get(sa.BinaryExpression[Any]):
    """-> and #>, or, where it is a column that is written, a subscript."""
    inherit_cache = True


@compiles(_Get)
def _compile_get(element: _Get, compiler: Any, **kw: Any) -> str:
    # which is compiled with nothing else
    if kw.keys() != {'include_table'}:
        return cast(str, compiler.visit_binary(element, **kw))
    keys = element.right.value if element.right.type._type_affinity is sa.ARRAY else None
    subscripts = [element.right] if keys is None else [sa.literal(each, sa.Text) for each in keys]
    left = element.left.element if isinstance(element.left, sa.sql.elements.Grouping) else element.left
    return str(compiler.process(left, **kw)) + ''.join(f'[{compiler.process(each, **kw)}]' for each in subscripts)


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

    def _bytes(self, value: Any) -> bytes:
        return to_bytes(None if value is sa.JSON.NULL else value, self.codec_options)

    def bind_processor(self, dialect: sa.Dialect) -> Callable[[Any], bytes | None]:
        return lambda value: None if value is None else self._bytes(value)

    # Without a backslash, which literals are not agreed about
    def literal_processor(self, dialect: sa.Dialect) -> Callable[[Any], str]:
        return lambda value: f"decode('{self._bytes(value).hex()}', 'hex')"

    def result_processor(self, dialect: sa.Dialect, coltype: object) -> Callable[[Any], Any]:
        read = text_reader(self.codec_options)

        def process(value: Any) -> Any:
            if isinstance(value, (bytes, memoryview, bytearray)):
                return from_bytes(value, self.codec_options)
            return read(value) if isinstance(value, str) else value
        return process

    def coerce_compared_value(self, op: Any, value: Any) -> sa.types.TypeEngine[Any]:
        """Beside = and its like a value is a bson; a str beside an operator of .op() is a text."""
        if op in _COMPARISONS or op is operators.concat_op or isinstance(value, (Mapping, *DOCUMENTS, Bson)) or value is sa.JSON.NULL:
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
            return self._op(one, sa.literal(key, sa.Integer) if isinstance(key, int) else _text(key), result)

        def __getitem__(self, key: str | int | tuple[str | int, ...] | sa.ClauseElement) -> Element:
            """-> of a key or an index, #> of a tuple of them."""
            made = cast(Any, self._get(key, '->', '#>', self.type))
            return _Get(made.left, made.right, made.operator, type_=made.type)

        def text(self, key: str | int | tuple[str | int, ...] | sa.ClauseElement) -> Element:
            """->> of a key or an index, #>> of a tuple of them."""
            return self._get(key, '->>', '#>>', sa.Text())

        @property
        def astext(self) -> Element:
            """data['a'].astext is data ->> 'a'; of a document itself #>> '{}' gives the text."""
            expr = self.expr
            if isinstance(expr, _Get):
                return cast(BSON.Comparator, cast(Any, expr.left).comparator)._op(cast(Any, expr.operator).opstring + '>', expr.right, sa.Text())
            return self._op('#>>', _texts([]), sa.Text())

        def __add__(self, other: Any) -> Element:
            return self.concat(other)

        def concat(self, other: Any) -> Element:
            """||, also by +."""
            return self._op('||', self._value(other), self.type)

        def delete_path(self, path: Keys) -> Element:
            return self._op('#-', _texts(path), self.type)

        def as_json(self) -> Element:
            return self.expr

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

        def has_key(self, key: Text) -> Element:
            return self._test('?', _text(key))

        def has_any(self, keys: Keys) -> Element:
            return self._test('?|', _texts(keys))

        def has_all(self, keys: Keys) -> Element:
            return self._test('?&', _texts(keys))

        def path_exists(self, path: Text) -> Element:
            return self._test('@?', _jsonpath(path))

        def path_match(self, path: Text) -> Element:
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


_TOKEN = re.compile(r'[{}]|"((?:[^"\\]|\\.)*)"|[^{},"]+', re.DOTALL)


def _elements(text: str) -> list[Any]:
    """What an array's text holds, as nested lists of strings."""
    stack: list[list[Any]] = [[]]
    for token in _TOKEN.finditer(text[text.index('{'):]):       # behind bounds such as [0:1]=
        if token[0] == '{':
            stack.append([])
        elif token[0] == '}':
            last = stack.pop()
            stack[-1].append(last)
        else:
            stack[-1].append(re.sub(r'\\(.)', r'\1', token[1], flags=re.DOTALL) if token[1] is not None else None if token[0] == 'NULL' else token[0])
    return cast('list[Any]', stack[0][0])


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

    # A driver that was not told of the type gives an array in another query, as of from_statement(), as one string
    def result_processor(self, dialect: sa.Dialect, coltype: object) -> Callable[[Any], Any]:
        process = super().result_processor(dialect, coltype) or (lambda value: value)
        return lambda value: process(_elements(value) if isinstance(value, str) else value)

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
