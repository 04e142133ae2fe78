"""pg8000, which knows text only: parameters are hexadecimal bytes, results Extended JSON."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pg8000.converters import make_params

from . import _TYPE_QUERY, CODEC_OPTIONS, DOCUMENTS, Bson, _type_row, text_reader, to_text

if TYPE_CHECKING:
    from . import Options

_TEXT_ARRAY = 1009


def register(connection: Any, codec_options: Options = CODEC_OPTIONS) -> None:
    """Of pg8000.dbapi, pg8000.native and pg8000.legacy."""
    run = getattr(connection, 'run', None)
    if run is None:
        cursor = connection.cursor()
        cursor.execute(_TYPE_QUERY)
        row = cursor.fetchone()
    else:
        row = next(iter(run(_TYPE_QUERY)), None)
    oid, array_oid, _ = _type_row(row)
    texts, list_out = connection.pg_types[_TEXT_ARRAY], connection.py_types[list]

    load = text_reader(codec_options)

    def load_list(items: list[Any]) -> list[Any]:
        return [load_list(each) if isinstance(each, list) else None if each is None else load(each) for each in items]

    def dump(value: Any) -> str:
        return to_text(value, codec_options)

    def dump_list(items: list[Any]) -> Any:
        return list_out(_texts(items, dump))

    connection.register_in_adapter(oid, load)
    connection.register_in_adapter(array_oid, lambda text: load_list(texts(text)))
    for kind in *DOCUMENTS, Bson:
        connection.register_out_adapter(kind, dump)
    connection.register_out_adapter(list, dump_list)
    execute = connection.execute_unnamed

    def convert_first(statement: str, vals: Any = (), **options: Any) -> Any:
        # pg8000 converts in the midst of a statement: an error there leaves it with an answer that the next statement takes for its own
        return execute(statement, vals=make_params(connection.py_types, vals), **options)

    connection.execute_unnamed = convert_first


def _texts(items: list[Any], dump: Any) -> list[Any]:
    return [_texts(each, dump) if isinstance(each, list) else dump(each) if isinstance(each, (*DOCUMENTS, Bson)) else each for each in items]
