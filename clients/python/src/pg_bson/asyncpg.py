"""asyncpg: values are parameters and results in binary format, where the statement says that they are bson."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _TYPE_QUERY, CODEC_OPTIONS, _type_row, from_bytes, to_bytes

if TYPE_CHECKING:
    from . import Options


async def register(connection: Any, codec_options: Options = CODEC_OPTIONS) -> None:
    _, _, schema = _type_row(await connection.fetchrow(_TYPE_QUERY))
    await connection.set_type_codec('bson', schema=schema, format='binary',
                                    encoder=lambda value: to_bytes(value, codec_options),
                                    decoder=lambda data: from_bytes(data, codec_options))
