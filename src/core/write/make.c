/*
 * make.c
 *	  Making single values: of numbers, strings and the like, of other values; ObjectIds.
 */
#include "core/write/from_value.h"

#include "core/number/number.h"
#include "core/write/write.h"
#include "libraries/libbson.h"

/* Memory for the bytes of a new value, which the caller fills in */
static uint8 *
new_value(PgBsonValue *value, PgBsonType type, Size len)
{
	uint8	   *data;

	if (len > PGBSON_MAX_SIZE)
		PgBsonReportLimit(errmsg("bson value is too large"));
	data = palloc(Max(len, 1));
	*value = (PgBsonValue) {type, (uint32) len, data};
	return data;
}

PgBsonValue
PgBsonMakeBool(bool b)
{
	static const uint8 bytes[2] = {0, 1};

	return (PgBsonValue) {PGBSON_BOOL, 1, bytes + (b ? 1 : 0)};
}

PgBsonValue
PgBsonMakeInt32(int32 n)
{
	PgBsonValue value;

	PgBsonWriteU32(new_value(&value, PGBSON_INT32, 4), (uint32) n);
	return value;
}

PgBsonValue
PgBsonMakeInt64(int64 n)
{
	PgBsonValue value;

	PgBsonWriteU64(new_value(&value, PGBSON_INT64, 8), (uint64) n);
	return value;
}

PgBsonValue
PgBsonMakeInteger(int64 n)
{
	return n >= PG_INT32_MIN && n <= PG_INT32_MAX ? PgBsonMakeInt32((int32) n) : PgBsonMakeInt64(n);
}

PgBsonValue
PgBsonMakeDouble(double d)
{
	PgBsonValue value;

	PgBsonWriteDouble(new_value(&value, PGBSON_DOUBLE, 8), d);
	return value;
}

PgBsonValue
PgBsonMakeDecimal(const uint8 *bytes)
{
	return PgBsonMakeBytes(PGBSON_DECIMAL128, bytes, PGBSON_DECIMAL128_SIZE);
}

PgBsonValue
PgBsonMakeDate(int64 ms)
{
	PgBsonValue value = PgBsonMakeInt64(ms);

	value.type = PGBSON_DATE;
	return value;
}

PgBsonValue
PgBsonMakeString(const char *s, Size len)
{
	PgBsonValue value;

	PgBsonPutString(new_value(&value, PGBSON_STRING, len + PGBSON_STRING_EXTRA), s, (uint32) len);
	return value;
}

PgBsonValue
PgBsonMakeBytes(PgBsonType type, const uint8 *bytes, Size len)
{
	PgBsonValue value;
	uint8	   *copy = new_value(&value, type, len);

	if (len > 0)
		memcpy(copy, bytes, len);
	return value;
}

PgBsonValue
PgBsonMakeArray(const PgBsonValue *elements, int count)
{
	PgBsonWriter w;

	PgBsonWriterBegin(&w, 0);
	for (int i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		PgBsonWriterPush(&w, &elements[i]);
	}
	return PgBsonWriterEnd(&w, PGBSON_ARRAY);
}

PgBsonValue
PgBsonMakeDocument(const char *key,...)
{
	PgBsonWriter w;
	va_list		args;

	PgBsonWriterBegin(&w, 0);
	va_start(args, key);
	for (; key != NULL; key = va_arg(args, const char *))
		PgBsonWriterField(&w, key, strlen(key), va_arg(args, const PgBsonValue *));
	va_end(args);
	return PgBsonWriterEnd(&w, PGBSON_DOCUMENT);
}

PgBsonValue
PgBsonMakePair(const char *key, uint32 key_len, const PgBsonValue *value)
{
	Size		len = (Size) value->len + key_len + 7;
	PgBsonValue document;
	uint8	   *bytes = new_value(&document, PGBSON_DOCUMENT, len);

	PgBsonWriteU32(bytes, (uint32) len);
	bytes[4] = value->type;
	memcpy(bytes + 5, key, key_len);
	bytes[5 + key_len] = 0;
	if (value->len > 0)
		memcpy(bytes + 6 + key_len, value->data, value->len);
	bytes[len - 1] = 0;
	return document;
}

PgBsonValue *
PgBsonValuesOf(const PgBsonValue *array, int *count)
{
	Size		room = array->len / 7 + 1;
	PgBsonValue *elements;
	int			n = 0;

	/* an array of few bytes has few elements, a long one may have few that are large: make room for some first */
	room = Min(room, 64);
	elements = palloc(room * sizeof(PgBsonValue));
	PgBsonForEach(iter, PgBsonValueView(array))
	{
		if (n == room)
		{
			room *= 2;
			elements = repalloc_huge(elements, room * sizeof(PgBsonValue));
		}
		elements[n++] = iter.value;
	}
	*count = n;
	return elements;
}

void
PgBsonObjectIdMake(uint8 *oid)
{
	bson_oid_t	id;

	/* libbson's own context: random per process, noticing a fork */
	LIBBSON->bson_oid_init(&id, NULL);
	memcpy(oid, id.bytes, PGBSON_OBJECTID_SIZE);
}

int64
PgBsonObjectIdSeconds(const uint8 *oid)
{
	/* unsigned and big-endian, unlike the rest of BSON */
	return ((int64) oid[0] << 24) | (oid[1] << 16) | (oid[2] << 8) | oid[3];
}
