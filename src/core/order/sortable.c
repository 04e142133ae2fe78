/*
 * sortable.c
 *	  The first bytes of an encoding of scalars that sorts as compare.c orders.
 *
 *		numbers		the nearest double, its bits made to sort
 *		strings		their bytes
 *		binary		the length, which is compared first, and the bytes
 *		dates ...	the bytes, most significant first
 *
 * Abbreviated keys of sorts (prefix.c) and keys of GIN ranges (index/gin_range.c)
 * begin with this encoding.
 */
#include "core/order/compare.h"

#include "core/number/number.h"

static uint32
cut_sortable(const void *from, uint32 len, uint8 *bytes, uint32 room, bool *whole)
{
	*whole = len <= room;
	memcpy(bytes, from, Min(len, room));
	return Min(len, room);
}

static uint32
cut_uint64(uint64 v, uint8 *bytes, uint32 room, bool *whole)
{
	v = pg_hton64(v);
	return cut_sortable(&v, sizeof(v), bytes, room, whole);
}

uint32
PgBsonSortableBytes(const PgBsonValue *value, uint8 *bytes, uint32 room, bool *whole)
{
	const char *string;
	uint32		len;
	uint32		n;

	*whole = true;
	switch (value->type)
	{
		case PGBSON_DOUBLE:
		case PGBSON_INT32:
		case PGBSON_INT64:
		case PGBSON_DECIMAL128:
			return cut_uint64(PgBsonNumberSortBits(value), bytes, room, whole);
		case PGBSON_STRING:
		case PGBSON_SYMBOL:
		case PGBSON_CODE:
			string = PgBsonValueString(value, &len);
			return cut_sortable(string, len, bytes, room, whole);
		case PGBSON_CODE_W_SCOPE:
			string = PgBsonValueScopedCode(value, &len);
			return cut_sortable(string, len, bytes, room, whole);
		case PGBSON_DATE:
			return cut_uint64(PgBsonReadU64(value->data) ^ UINT64CONST(1) << 63, bytes, room, whole);
		case PGBSON_TIMESTAMP:
			return cut_uint64(PgBsonReadU64(value->data), bytes, room, whole);
		case PGBSON_BINARY:
		case PGBSON_DBPOINTER:
			len = pg_hton32(value->len);
			n = cut_sortable(&len, sizeof(len), bytes, room, whole);
			return n + cut_sortable(value->data + 4, value->len - 4, bytes + n, room - n, whole);
		case PGBSON_OBJECTID:
		case PGBSON_BOOL:
		case PGBSON_REGEX:
			return cut_sortable(value->data, value->len, bytes, room, whole);
		default:
			return 0;
	}
}
