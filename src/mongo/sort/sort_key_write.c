/*
 * sort_key_write.c
 *	  The key of a sort, from the values that count.
 *
 * If the sort has one path, ascending, the key is the value itself; otherwise
 * it is an array to which each path adds an element.  An ascending path adds
 * its value.  A descending path adds an array that sorts in the opposite order
 * of the value.  It has the rank of the value's type, negated, and then
 *
 *		number		the number, negated; for NaN, the least of all, an empty string, which sorts after numbers
 *		string		inverted bytes, see put_inverted
 *		binary		the length, negated, and inverted bytes; a DBPointer likewise
 *		fixed size	inverted bits, of the same type
 *		document	for each field its rank, its inverted name and what is said here of its value; at the end 1,
 *					which is greater than any negated rank
 *		array		the same without names
 *
 * The form is our own, MongoDB stores no such keys; the authority for the order
 * is its src/mongo/db/exec/sort_key_comparator.cpp.
 */
#include "mongo/sort/sort_key.h"

#include <math.h>

#include "core/number/decimal.h"
#include "core/order/compare.h"
#include "core/write/from_value.h"
#include "core/write/write.h"

/* The key being written: an array, and the number of its elements so far */
typedef struct KeyArray
{
	PgBsonWriter *w;
	uint32		count;
} KeyArray;

/* Begin the next element of the key; returns room for the bytes of its value */
static uint8 *
put_key_element(KeyArray *a, PgBsonType type, Size len)
{
	PgBsonWriterIndex(a->w, type, a->count++);
	return PgBsonWriterRoom(a->w, len);
}

static void
put_int32_key(KeyArray *a, int32 v)
{
	PgBsonWriteU32(put_key_element(a, PGBSON_INT32, 4), (uint32) v);
}

static void
put_int64_key(KeyArray *a, int64 v)
{
	PgBsonWriteU64(put_key_element(a, PGBSON_INT64, 8), (uint64) v);
}

/*
 * Write bytes as a string of valid UTF-8 that sorts in the opposite order.  An ASCII byte becomes
 * 0x80 minus the byte, so a larger byte is a smaller character; the zero byte becomes U+0080.
 * Other bytes must sort before ASCII then: each becomes U+0000 and 0xFF minus the byte.  The end
 * becomes U+0081, which is greater than all of these, so a longer string sorts before its
 * beginning.
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
	p = put_key_element(a, PGBSON_STRING, 4 + size + 1);
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

/* For types that compare as bits or integers, inverting all bits inverts the order */
static void
put_inverted_bits(KeyArray *a, PgBsonType type, const uint8 *data, uint32 len)
{
	uint8	   *p = put_key_element(a, type, len);

	for (uint32 i = 0; i < len; i++)
		p[i] = ~data[i];
}

/* Write a value that begins with its length, which is compared first */
static void
put_inverted_binary(KeyArray *a, const PgBsonValue *value)
{
	uint32		len = value->len - 4;
	uint8	   *p;

	put_int64_key(a, -(int64) value->len);
	p = put_key_element(a, PGBSON_BINARY, (Size) len + 5);
	PgBsonWriteU32(p, len);
	p[4] = 0;
	for (uint32 i = 0; i < len; i++)
		p[5 + i] = ~value->data[4 + i];
}

/* Write the number with the opposite sign */
static void
put_negated(KeyArray *a, const PgBsonValue *value)
{
	double		d = value->type == PGBSON_DOUBLE ? PgBsonReadDouble(value->data) : 0;
	PgBsonDecimal worth;
	int64		n;

	if (value->type == PGBSON_DOUBLE && !isnan(d) && fabs(d) != -(double) PG_INT64_MIN)
	{
		PgBsonWriteDouble(put_key_element(a, PGBSON_DOUBLE, 8), -d);
		return;
	}
	if (value->type != PGBSON_DECIMAL128 && PgBsonNumberToInt64(value, &n) && n != PG_INT64_MIN)
	{
		if (n > PG_INT32_MIN && n <= PG_INT32_MAX)
			put_int32_key(a, (int32) -n);
		else
			put_int64_key(a, -n);
		return;
	}

	/* the number is NaN, a decimal, or 2^63 or -2^63, of which only one is an int64 */
	PgBsonNumberWorth(value, &worth);
	if (worth.kind == PGBSON_NUMBER_NAN)
	{
		put_inverted(a, "", 0);
		return;
	}
	worth.negative = !worth.negative;
	if (worth.kind != PGBSON_NUMBER_FINITE)
		worth.kind = worth.negative ? PGBSON_NUMBER_NEG_INF : PGBSON_NUMBER_POS_INF;
	PgBsonDecimalEncode(&worth, put_key_element(a, PGBSON_DECIMAL128, PGBSON_DECIMAL128_SIZE));
}

static void put_descending(KeyArray *a, const PgBsonValue *value);

/* Write the rank of the value's type, negated */
static void
put_rank(KeyArray *a, const PgBsonValue *value)
{
	put_int32_key(a, -PgBsonTypeRank(value->type));
}

/* Write a container's elements, each as its rank, its name (in documents) and its value, and then the end */
static void
put_container_key(KeyArray *a, PgBsonView view, bool names)
{
	check_stack_depth();
	PgBsonForEach(iter, view)
	{
		put_rank(a, &iter.value);
		if (names)
			put_inverted(a, iter.key, iter.key_len);
		put_descending(a, &iter.value);
	}
	put_int32_key(a, 1);
}

/* Write the part of a value that follows its rank, so that it sorts in the opposite order */
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
			put_container_key(a, PgBsonValueScope(value), true);
			break;
		case PGBSON_DOCUMENT:
		case PGBSON_ARRAY:
			put_container_key(a, PgBsonValueView(value), value->type == PGBSON_DOCUMENT);
			break;
		case PGBSON_BINARY:
		case PGBSON_DBPOINTER:
			put_inverted_binary(a, value);
			break;
		case PGBSON_BOOL:
			*put_key_element(a, PGBSON_BOOL, 1) = value->data[0] == 0;
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

/*
 * A value of the type bson_collated: a document of the values, each under the key that says its
 * direction, as inverted bytes of a string would not be in the opposite order of a collation
 */
static PgBson *
collated_key(const PgBsonSortOrder *order, const PgBsonValue *values)
{
	PgBsonWriter w;

	PgBsonWriterInit(&w, 64);
	(void) PgBsonWriterOpen(&w);
	for (int i = 0; i < order->npaths; i++)
		PgBsonWriterField(&w, order->paths[i].descending ? PGBSON_COLLATED_DOWN : PGBSON_COLLATED_UP, 1, &values[i]);
	PgBsonWriterClose(&w, 0);
	return PgBsonWriterFinish(&w);
}

PgBson *
PgBsonSortKeyWrite(const PgBsonSortOrder *order, const PgBsonValue *values)
{
	PgBsonWriter w;
	uint32		count = 0;
	Size		envelope;
	Size		outer;

	if (OidIsValid(PgBsonCollation))
		return collated_key(order, values);
	if (order->npaths == 1 && order->paths[0].descending == order->reversed)
		return PgBsonFromValue(&values[0]);

	PgBsonWriterInit(&w, 64);
	envelope = PgBsonWriterOpenEnvelope(&w, PGBSON_ARRAY);
	outer = PgBsonWriterOpen(&w);
	for (int i = 0; i < order->npaths; i++)
	{
		KeyArray	inner = {&w, 0};
		Size		start;

		if (order->paths[i].descending == order->reversed)
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
