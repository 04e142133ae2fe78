/*
 * cast.c
 *	  Casts between bson and json, jsonb; and from a bson scalar to SQL's types.
 *
 * A scalar can be cast to the SQL types of its own kind, as in jsonb: a
 * boolean to bool, a number to any number, a date to dates and times, a binary
 * UUID to uuid.  Null and undefined are SQL NULL; anything else is an error.
 *
 * Each cast has a walk. planner/chain.c replaces a cast of an accessor's result by it:
 * it makes the same conversion, but the value need not become a bson first.
 */
#include "door.h"

#include <math.h>

#include "core/bytes/value.h"
#include "core/number/number_text.h"
#include "json/print.h"
#include "jsonb/to_jsonb.h"
#include "sql/get.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

/* SQL: bson(jsonb) returns bson */
PGBSON_DOOR(pgbson_from_jsonb, PointerGetDatum(PgBsonFromJsonb(PG_GETARG_JSONB_P(0))));

pg_noreturn static void
cannot_cast(const PgBsonValue *value, const char *type)
{
	PgBsonReportInvalid(errmsg("cannot cast bson %s to type %s", PgBsonTypeName(value->type), type));
}

/* A number of any kind */
static void
need_number(const PgBsonValue *value, const char *type)
{
	if (!PgBsonIsNumber(value->type))
		cannot_cast(value, type);
}

pg_noreturn static void
number_out_of_range(const PgBsonValue *value, const char *type)
{
	PgBsonReportOutOfRange(errmsg("bson value \"%s\" is out of range for type %s",
								  text_to_cstring(PgBsonValueToText(value)), type));
}

/*
 * A number as an integer between "min" and "max".  A fraction is rounded half
 * away from zero, as the casts of jsonb and numeric round it.
 */
static int64
integer_between(const PgBsonValue *value, int64 min, int64 max, const char *type)
{
	int64		result;

	need_number(value, type);
	if (!PgBsonNumberToInt64(value, &result))
	{
		Datum		num = NumericGetDatum(PgBsonNumberToNumeric(value));
		char	   *text;

		num = DirectFunctionCall2(numeric_round, num, Int32GetDatum(0));
		text = PgBsonNumericText(DatumGetNumeric(num));
		/* NaN and Infinity have no digits */
		if (!PgBsonTextIsInt64(text, strlen(text), &result))
			number_out_of_range(value, type);
	}
	if (result < min || result > max)
		number_out_of_range(value, type);
	return result;
}

/* The nearest double; a finite number is never rounded to infinity, nor a number other than zero to zero */
static double
nearest_double_of_value(const PgBsonValue *value, const char *type)
{
	bool		exact;
	double		result;

	need_number(value, type);
	result = PgBsonNumberToDouble(value, &exact);
	if (!exact && (isinf(result) || result == 0.0))
		number_out_of_range(value, type);
	return result;
}

/* The argument, a date in milliseconds */
static int64
date_of(const PgBsonValue *value, const char *type)
{
	if (value->type != PGBSON_DATE)
		cannot_cast(value, type);
	return PgBsonReadI64(value->data);
}

static Timestamp
timestamp_of(const PgBsonValue *value, const char *type)
{
	int64		ms = date_of(value, type);
	TimestampTz result;

	if (!PgBsonDateToTimestamp(ms, &result))
		PgBsonReportDateRange(ms, type);
	return result;
}

/* A value as a Datum.  Raises an error if the value is not of the type's kind, or does not fit. */
typedef Datum (*Convert) (const PgBsonValue *value);

static Datum
json_datum(const PgBsonValue *value)
{
	return PointerGetDatum(PgBsonToJson(value));
}

static Datum
jsonb_datum(const PgBsonValue *value)
{
	return PointerGetDatum(PgBsonToJsonb(value));
}

/* The worker of all casts. Null becomes SQL NULL, except that json and jsonb have their own null. */
static inline Datum
cast_value(FunctionCallInfo fcinfo, const PgBsonValue *value, Convert convert)
{
	if (PgBsonIsNullish(value->type) && convert != json_datum && convert != jsonb_datum)
		PG_RETURN_NULL();
	return convert(value);
}

/* A cast converts the argument */
static inline Datum
cast_root(FunctionCallInfo fcinfo, Convert convert)
{
	PgBsonReader reader;
	Datum		result;

	(void) PgBsonOpenWhole(&reader, PG_GETARG_DATUM(0));
	result = cast_value(fcinfo, &reader.root, convert);
	PgBsonClose(&reader);
	return result;
}

/* A walk converts the value that the accessors find in the argument */
static inline Datum
cast_found(FunctionCallInfo fcinfo, Convert convert)
{
	PgBsonValue value;

	if (!PgBsonFindWalk(fcinfo, &value))
		PG_RETURN_NULL();
	return cast_value(fcinfo, &value, convert);
}

static Datum
bool_datum(const PgBsonValue *value)
{
	if (value->type != PGBSON_BOOL)
		cannot_cast(value, "boolean");
	return BoolGetDatum(value->data[0] != 0);
}

static Datum
int2_datum(const PgBsonValue *value)
{
	return Int16GetDatum(integer_between(value, PG_INT16_MIN, PG_INT16_MAX, "smallint"));
}

static Datum
int4_datum(const PgBsonValue *value)
{
	return Int32GetDatum(integer_between(value, PG_INT32_MIN, PG_INT32_MAX, "integer"));
}

static Datum
int8_datum(const PgBsonValue *value)
{
	return Int64GetDatum(integer_between(value, PG_INT64_MIN, PG_INT64_MAX, "bigint"));
}

static Datum
float4_datum(const PgBsonValue *value)
{
	double		d = nearest_double_of_value(value, "real");
	float4		result = (float4) d;

	if ((isinf(result) && !isinf(d)) || (result == 0.0f && d != 0.0))
		number_out_of_range(value, "real");
	return Float4GetDatum(result);
}

static Datum
float8_datum(const PgBsonValue *value)
{
	return Float8GetDatum(nearest_double_of_value(value, "double precision"));
}

static Datum
numeric_datum(const PgBsonValue *value)
{
	need_number(value, "numeric");
	return NumericGetDatum(PgBsonNumberToNumeric(value));
}

static Datum
timestamptz_datum(const PgBsonValue *value)
{
	return TimestampTzGetDatum(timestamp_of(value, "timestamp with time zone"));
}

/* in UTC */
static Datum
timestamp_datum(const PgBsonValue *value)
{
	return TimestampGetDatum(timestamp_of(value, "timestamp without time zone"));
}

/* in UTC; the type has a wider range than timestamptz */
static Datum
date_datum(const PgBsonValue *value)
{
	int64		ms = date_of(value, "date");
	int32		day;

	if (!PgBsonDateToDay(ms, &day))
		PgBsonReportDateRange(ms, "date");
	return DateADTGetDatum(day);
}

static Datum
uuid_datum(const PgBsonValue *value)
{
	const uint8 *bytes;
	uint8		subtype;
	uint32		len;

	if (value->type != PGBSON_BINARY)
		cannot_cast(value, "uuid");
	bytes = PgBsonValueUuid(value);
	if (bytes == NULL)
	{
		PgBsonValueBinary(value, &subtype, &len);
		PgBsonReportInvalid(errmsg("cannot cast bson %s to type %s", PgBsonTypeName(value->type), "uuid"),
							errdetail("A UUID is a binary value of subtype 4 and %d bytes; this one has subtype %d and %u bytes.",
									  UUID_LEN, subtype, len));
	}
	return PointerGetDatum(memcpy(palloc(sizeof(pg_uuid_t)), bytes, UUID_LEN));
}

/*
 * The doors.  CAST defines two functions for SQL, the cast and its walk:
 *
 *		bson_to_TYPE(bson) returns TYPE
 *		bson_walk_to_TYPE(bson, VARIADIC "any") returns TYPE
 */
#define CAST(type, convert) \
	PGBSON_DOOR(pgbson_to_##type, cast_root(fcinfo, convert)); \
	PGBSON_DOOR(pgbson_walk_to_##type, cast_found(fcinfo, convert))

CAST(json, json_datum);
CAST(jsonb, jsonb_datum);
CAST(bool, bool_datum);
CAST(int2, int2_datum);
CAST(int4, int4_datum);
CAST(int8, int8_datum);
CAST(float4, float4_datum);
CAST(float8, float8_datum);
CAST(numeric, numeric_datum);
CAST(timestamptz, timestamptz_datum);
CAST(timestamp, timestamp_datum);
CAST(date, date_datum);
CAST(uuid, uuid_datum);
