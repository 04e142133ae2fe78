/*
 * value.c
 *	  Scalar values as native SQL values.
 */
#include "core/bytes/value.h"

#include "common/int.h"

#define EPOCH_MSECS		(PGBSON_EPOCH_DAYS * PGBSON_MS_PER_DAY)

const char *
PgBsonTypeName(PgBsonType type)
{
	static const char *const names[256] = {
		[PGBSON_DOUBLE] = "double",
		[PGBSON_STRING] = "string",
		[PGBSON_DOCUMENT] = "object",
		[PGBSON_ARRAY] = "array",
		[PGBSON_BINARY] = "binData",
		[PGBSON_UNDEFINED] = "undefined",
		[PGBSON_OBJECTID] = "objectId",
		[PGBSON_BOOL] = "bool",
		[PGBSON_DATE] = "date",
		[PGBSON_NULL] = "null",
		[PGBSON_REGEX] = "regex",
		[PGBSON_DBPOINTER] = "dbPointer",
		[PGBSON_CODE] = "javascript",
		[PGBSON_SYMBOL] = "symbol",
		[PGBSON_CODE_W_SCOPE] = "javascriptWithScope",
		[PGBSON_INT32] = "int",
		[PGBSON_TIMESTAMP] = "timestamp",
		[PGBSON_INT64] = "long",
		[PGBSON_DECIMAL128] = "decimal",
		[PGBSON_MINKEY] = "minKey",
		[PGBSON_MAXKEY] = "maxKey",
	};

	if (names[(uint8) type] == NULL)
		elog(ERROR, "unknown bson type: %d", (int) type);
	return names[(uint8) type];
}

PgBsonType
PgBsonTypeOfName(const char *name, uint32 len)
{
	for (int type = 1; type < 256; type++)
	{
		if (PgBsonSizeClass[type] != PGBSON_SIZE_UNKNOWN && PgBsonKeyIs(name, len, PgBsonTypeName(type)))
			return type;
	}
	return PGBSON_EOD;
}

bool
PgBsonTypeSetAddName(PgBsonTypeSet *set, const char *name, uint32 len)
{
	PgBsonType	type = PgBsonTypeOfName(name, len);

	if (PgBsonKeyIs(name, len, "number"))
	{
		PgBsonTypeSetAdd(set, PGBSON_INT32);
		PgBsonTypeSetAdd(set, PGBSON_INT64);
		PgBsonTypeSetAdd(set, PGBSON_DOUBLE);
		PgBsonTypeSetAdd(set, PGBSON_DECIMAL128);
		return true;
	}
	if (type != PGBSON_EOD)
		PgBsonTypeSetAdd(set, type);
	return type != PGBSON_EOD;
}

bool
PgBsonDateToTimestamp(int64 ms, TimestampTz *result)
{
	int64		usecs;

	/* subtract first, because the last timestamps overflow when counted from 1970 */
	if (pg_sub_s64_overflow(ms, EPOCH_MSECS, &ms) ||
		pg_mul_s64_overflow(ms, 1000, &usecs) ||
		!IS_VALID_TIMESTAMP(usecs))
		return false;
	*result = usecs;
	return true;
}

bool
PgBsonDateToDay(int64 ms, int32 *result)
{
	int64		day = ms / PGBSON_MS_PER_DAY - (ms % PGBSON_MS_PER_DAY < 0 ? 1 : 0) - PGBSON_EPOCH_DAYS;

	if (!IS_VALID_DATE(day))
		return false;
	*result = day;
	return true;
}

void
PgBsonReportDateRange(int64 ms, const char *type)
{
	PgBsonReport(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE, errmsg("bson date is out of range for type %s", type),
				 errdetail("It is %lld milliseconds from 1970-01-01 UTC.", (long long) ms));
}

int64
PgBsonTimestampFloor(TimestampTz ts, int64 *us)
{
	/* split first, for the same reason */
	int64		ms = ts / 1000;

	*us = ts % 1000;
	if (*us < 0)
	{
		*us += 1000;
		ms--;
	}
	return ms + EPOCH_MSECS;
}

bool
PgBsonTimestampToDate(TimestampTz ts, int64 *ms)
{
	int64		us;

	if (TIMESTAMP_NOT_FINITE(ts))
		return false;
	*ms = PgBsonTimestampFloor(ts, &us);
	/* a half goes up from 1970 on, down before */
	if (us > 500 || (us == 500 && *ms >= 0))
		(*ms)++;
	return true;
}
