"""asyncpg: values are parameters and results in binary format, where the statement says that they are bson."""
from . import _TYPE_QUERY, CODEC_OPTIONS, _type_row, from_bytes, to_bytes


async def register(connection, codec_options=CODEC_OPTIONS):
    _, _, schema = _type_row(await connection.fetchrow(_TYPE_QUERY))
    await connection.set_type_codec('bson', schema=schema, format='binary',
                                    encoder=lambda value: to_bytes(value, codec_options),
                                    decoder=lambda data: from_bytes(data, codec_options))
