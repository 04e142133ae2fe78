/*
 * detoast.c
 *	  Values that are compressed, or stored out of line, as plain bytes.
 */
#include "core/stored/detoast.h"

#include "access/detoast.h"
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
