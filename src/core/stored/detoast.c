/*
 * detoast.c
 *	  A bson datum as plain bytes.
 */
#include "core/stored/detoast.h"

#include "core/stored/stream.h"

struct varlena *
PgBsonDetoast(struct varlena *value)
{
	PgBsonStream stream;

	if (!VARATT_IS_COMPRESSED(value) && !VARATT_IS_EXTERNAL_ONDISK(value))
		return detoast_attr(value);
	PgBsonStreamBegin(&stream, value);
	(void) PgBsonStreamFront(&stream, PG_UINT32_MAX);
	return stream.bytes;
}

struct varlena *
PgBsonDetoastCopy(struct varlena *value)
{
	struct varlena *plain = PgBsonDetoastPacked(value);

	return plain == value ? pg_detoast_datum_copy(value) : plain;
}

Size
PgBsonPayloadSize(Datum datum)
{
	return toast_raw_datum_size(datum) - VARHDRSZ;
}
