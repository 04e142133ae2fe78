/*
 * make.c
 *	  Values of numbers, strings and the like; ObjectIds.
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
		PgBsonReportLimit(errmsg("bson value of an expression is too large"));
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
