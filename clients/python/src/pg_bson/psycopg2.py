"""psycopg 2, which knows text only: parameters are hexadecimal bytes, results Extended JSON.

dict is registered for the connection's whole process, as psycopg2 has no other way.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psycopg2.extensions as ext

from . import _TYPE_QUERY, CODEC_OPTIONS, DOCUMENTS, Bson, _type_row, text_reader, to_text

if TYPE_CHECKING:
    from . import Options


def register(connection: ext.connection, codec_options: Options = CODEC_OPTIONS) -> None:
    with connection.cursor(cursor_factory=ext.cursor) as cursor:
        cursor.execute(_TYPE_QUERY)
        oid, array_oid, schema = _type_row(cursor.fetchone())

    read = text_reader(codec_options)

    def load(text: str | bytes | None, cursor: ext.cursor) -> Any:
        return None if text is None else read(text if isinstance(text, str) else text.decode())

    scalar = ext.new_type((oid,), 'BSON', load)
    ext.register_type(scalar, connection)
    ext.register_type(ext.new_array_type((array_oid,), 'BSON[]', scalar), connection)
    name = '"{}".bson'.format(schema.replace('"', '""'))

    def adapt(value: Any) -> ext.AsIs:
        # E'' means the same whatever standard_conforming_strings says
        literal = to_text(value, codec_options).replace('\\', '\\\\')
        return ext.AsIs(f"E'{literal}'::{name}")

    for kind in *DOCUMENTS, Bson:
        ext.register_adapter(kind, adapt)
