/*
 * sort_key_write.c
 *	  The key of a sort, from the values that count: sort_key_write.h has its form.
 *
 * The form is our own; MongoDB stores no such keys.
 */
#include "mongo/sort/sort_key_write.h"

#include <math.h>

#include "core/bytes/value.h"
#include "core/number/decimal.h"
#include "core/number/number.h"
#include "core/order/compare.h"
#include "core/write/from_value.h"
#include "core/write/write.h"
#include "miscadmin.h"

/* Writing keys: an array, and the number of elements so far */
typedef struct KeyArray
{
	PgBsonWriter *w;
	uint32		count;
} KeyArray;

/* Begin the next element of the key; returns room for its value */
static uint8 *
put(KeyArray *a, PgBsonType type, Size len)
{
	PgBsonWriterIndex(a->w, type, a->count++);
	return PgBsonWriterRoom(a->w, len);
}

static void
put_int32(KeyArray *a, int32 v)
{
	PgBsonWriteU32(put(a, PGBSON_INT32, 4), (uint32) v);
}

static void
put_int64(KeyArray *a, int64 v)
{
	PgBsonWriteU64(put(a, PGBSON_INT64, 8), (uint64) v);
}

static void
put_double(KeyArray *a, double v)
{
	PgBsonWriteDouble(put(a, PGBSON_DOUBLE, 8), v);
}

/*
 * Bytes as a string of valid UTF-8 that sorts against them.  A byte of ASCII is
 * a smaller character the larger it is, the zero byte being U+0080; one above
 * ASCII, which sorts behind, is U+0000 and such a character; and the end, from
 * which on a longer string sorts behind, is U+0081.
 */
static void
put_inverted(KeyArray *a, const char *bytes, uint32 len)
{
	Size		size = 2;
	uint8	   *p;

	for (uint32 i = 0; i < len; i++)
		size += (uint8) bytes[i] == 0 || (uint8) bytes[i] >= 0x80 ? 2 : 1;
	if (size > PGBSON_MAX_SIZE)
		PgBsonReportTooLarge();
	p = put(a, PGBSON_STRING, 4 + size + 1);
	PgBsonWriteU32(p, size + 1);
	p += 4;
	for (uint32 i = 0; i < len; i++)
	{
		uint8		byte = bytes[i];

		if (byte == 0)
		{
			*p++ = 0xC2;
			*p++ = 0x80;
		}
		else if (byte < 0x80)
			*p++ = 0x80 - byte;
		else
		{
			*p++ = 0;
			*p++ = 0xFF - byte;
		}
	}
	*p++ = 0xC2;
	*p++ = 0x81;
	*p = '\0';
}

/* For types that are compared as bits or as integers: inverting the bits inverts the order */
static void
put_inverted_bits(KeyArray *a, PgBsonType type, const uint8 *data, uint32 len)
{
	uint8	   *p = put(a, type, len);

	for (uint32 i = 0; i < len; i++)
		p[i] = ~data[i];
}

/* A value that begins with its length, which counts first */
static void
put_inverted_binary(KeyArray *a, const PgBsonValue *value)
{
	uint32		len = value->len - 4;
	uint8	   *p;

	put_int64(a, -(int64) value->len);
	p = put(a, PGBSON_BINARY, (Size) len + 5);
	PgBsonWriteU32(p, len);
	p[4] = 0;
	for (uint32 i = 0; i < len; i++)
		p[5 + i] = ~value->data[4 + i];
}

/* A number worth as much, with the other sign */
static void
put_negated(KeyArray *a, const PgBsonValue *value)
{
	double		d = value->type == PGBSON_DOUBLE ? PgBsonReadDouble(value->data) : 0;
	PgBsonDecimal worth;
	int64		n;

	if (value->type == PGBSON_DOUBLE && !isnan(d) && fabs(d) != -(double) PG_INT64_MIN)
	{
		put_double(a, -d);
		return;
	}
	if (value->type != PGBSON_DECIMAL128 && PgBsonNumberToInt64(value, &n) && n != PG_INT64_MIN)
	{
		if (n > PG_INT32_MIN && n <= PG_INT32_MAX)
			put_int32(a, (int32) -n);
		else
			put_int64(a, -n);
		return;
	}

	/* NaN; a decimal; or 2^63 or -2^63, only one of which is an int64 */
	PgBsonNumberWorth(value, &worth);
	if (worth.kind == PGBSON_NUMBER_NAN)
	{
		put_inverted(a, "", 0);
		return;
	}
	worth.negative = !worth.negative;
	if (worth.kind != PGBSON_NUMBER_FINITE)
		worth.kind = worth.negative ? PGBSON_NUMBER_NEG_INF : PGBSON_NUMBER_POS_INF;
	PgBsonDecimalEncode(&worth, put(a, PGBSON_DECIMAL128, PGBSON_DECIMAL128_SIZE));
}

static void put_descending(KeyArray *a, const PgBsonValue *value);

/* The rank of the value's type, negated */
static void
put_rank(KeyArray *a, const PgBsonValue *value)
{
	put_int32(a, -PgBsonTypeRank(value->type));
}

/* Each element by its rank, its name if those count, and its value; then the end */
static void
put_container(KeyArray *a, PgBsonView view, bool names)
{
	check_stack_depth();
	PgBsonForEach(iter, view)
	{
		put_rank(a, &iter.value);
		if (names)
			put_inverted(a, iter.key, iter.key_len);
		put_descending(a, &iter.value);
	}
	put_int32(a, 1);
}

/* What sorts against a value of a rank that was put before */
static void
put_descending(KeyArray *a, const PgBsonValue *value)
{
	const char *string;
	uint32		len;

	switch (value->type)
	{
		case PGBSON_DOUBLE:
		case PGBSON_INT32:
		case PGBSON_INT64:
		case PGBSON_DECIMAL128:
			put_negated(a, value);
			break;
		case PGBSON_STRING:
		case PGBSON_SYMBOL:
		case PGBSON_CODE:
			string = PgBsonValueString(value, &len);
			put_inverted(a, string, len);
			break;
		case PGBSON_CODE_W_SCOPE:
			string = PgBsonValueScopedCode(value, &len);
			put_inverted(a, string, len);
			put_container(a, PgBsonValueScope(value), true);
			break;
		case PGBSON_DOCUMENT:
		case PGBSON_ARRAY:
			put_container(a, PgBsonValueView(value), value->type == PGBSON_DOCUMENT);
			break;
		case PGBSON_BINARY:
		case PGBSON_DBPOINTER:
			put_inverted_binary(a, value);
			break;
		case PGBSON_BOOL:
			*put(a, PGBSON_BOOL, 1) = value->data[0] == 0;
			break;
		case PGBSON_OBJECTID:
		case PGBSON_DATE:
		case PGBSON_TIMESTAMP:
			put_inverted_bits(a, value->type, value->data, value->len);
			break;
		case PGBSON_REGEX:
			string = (const char *) value->data;
			put_inverted(a, string, strlen(string));
			string += strlen(string) + 1;
			put_inverted(a, string, strlen(string));
			break;
		default:
			break;
	}
}

PgBson *
PgBsonSortKeyWrite(const PgBsonSortOrder *order, const PgBsonValue *values)
{
	PgBsonWriter w;
	uint32		count = 0;
	Size		envelope;
	Size		outer;

	if (order->npaths == 1 && !order->paths[0].descending)
		return PgBsonFromValue(&values[0]);

	PgBsonWriterInit(&w, 64);
	envelope = PgBsonWriterOpenEnvelope(&w, PGBSON_ARRAY);
	outer = PgBsonWriterOpen(&w);
	for (int i = 0; i < order->npaths; i++)
	{
		KeyArray	inner = {&w, 0};
		Size		start;

		if (!order->paths[i].descending)
		{
			PgBsonWriterElement(&w, count++, &values[i]);
			continue;
		}
		PgBsonWriterIndex(&w, PGBSON_ARRAY, count++);
		start = PgBsonWriterOpen(&w);
		put_rank(&inner, &values[i]);
		put_descending(&inner, &values[i]);
		PgBsonWriterClose(&w, start);
	}
	PgBsonWriterClose(&w, outer);
	PgBsonWriterClose(&w, envelope);
	return PgBsonWriterFinish(&w);
}
