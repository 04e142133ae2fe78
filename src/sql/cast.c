/*
 * cast.c
 *	  Casts between bson and json, jsonb; and from a bson scalar to SQL's types.
 *
 * A scalar casts to the SQL types of its own kind, as jsonb's do: a boolean to
 * bool, a number to any number, a date to date and time, a binary UUID to
 * uuid.  Null and undefined are SQL NULL; anything else is an error.
 *
 * Beside each cast is its walk, which plan.c puts in the place of the cast of
 * what accessors found: the same conversion of a value not made a bson first.
 */
#include "pgbson.h"

#include <math.h>

#include "core/number.h"
#include "core/value.h"
#include "json/jsonb.h"
#include "json/parse.h"
#include "json/print.h"
#include "sql/get.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

PG_FUNCTION_INFO_V1(pgbson_to_json);
PG_FUNCTION_INFO_V1(pgbson_walk_to_json);
PG_FUNCTION_INFO_V1(pgbson_to_jsonb);
PG_FUNCTION_INFO_V1(pgbson_walk_to_jsonb);
PG_FUNCTION_INFO_V1(pgbson_from_json);
PG_FUNCTION_INFO_V1(pgbson_from_jsonb);
PG_FUNCTION_INFO_V1(pgbson_to_bool);
PG_FUNCTION_INFO_V1(pgbson_walk_to_bool);
PG_FUNCTION_INFO_V1(pgbson_to_int2);
PG_FUNCTION_INFO_V1(pgbson_walk_to_int2);
PG_FUNCTION_INFO_V1(pgbson_to_int4);
PG_FUNCTION_INFO_V1(pgbson_walk_to_int4);
PG_FUNCTION_INFO_V1(pgbson_to_int8);
PG_FUNCTION_INFO_V1(pgbson_walk_to_int8);
PG_FUNCTION_INFO_V1(pgbson_to_float4);
PG_FUNCTION_INFO_V1(pgbson_walk_to_float4);
PG_FUNCTION_INFO_V1(pgbson_to_float8);
PG_FUNCTION_INFO_V1(pgbson_walk_to_float8);
PG_FUNCTION_INFO_V1(pgbson_to_numeric);
PG_FUNCTION_INFO_V1(pgbson_walk_to_numeric);
PG_FUNCTION_INFO_V1(pgbson_to_timestamptz);
PG_FUNCTION_INFO_V1(pgbson_walk_to_timestamptz);
PG_FUNCTION_INFO_V1(pgbson_to_timestamp);
PG_FUNCTION_INFO_V1(pgbson_walk_to_timestamp);
PG_FUNCTION_INFO_V1(pgbson_to_date);
PG_FUNCTION_INFO_V1(pgbson_walk_to_date);
PG_FUNCTION_INFO_V1(pgbson_to_uuid);
PG_FUNCTION_INFO_V1(pgbson_walk_to_uuid);

/* SQL: bson_to_json(bson) returns json */
Datum
pgbson_to_json(PG_FUNCTION_ARGS)
{
	PgBsonValue root = PgBsonRoot(PG_GETARG_PGBSON_PP(0));

	PG_RETURN_TEXT_P(PgBsonPrintText(&root, PGBSON_JSON, 0));
}

/* SQL: bson_walk_to_json(bson, VARIADIC "any") returns json */
Datum
pgbson_walk_to_json(PG_FUNCTION_ARGS)
{
	PgBsonValue value;

	if (!PgBsonFindWalk(fcinfo, &value))
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(PgBsonPrintText(&value, PGBSON_JSON, 0));
}

/* SQL: bson_to_jsonb(bson) returns jsonb */
Datum
pgbson_to_jsonb(PG_FUNCTION_ARGS)
{
	PgBsonValue root = PgBsonRoot(PG_GETARG_PGBSON_PP(0));

	PG_RETURN_POINTER(PgBsonToJsonb(&root));
}

/* SQL: bson_walk_to_jsonb(bson, VARIADIC "any") returns jsonb */
Datum
pgbson_walk_to_jsonb(PG_FUNCTION_ARGS)
{
	PgBsonValue value;

	if (!PgBsonFindWalk(fcinfo, &value))
		PG_RETURN_NULL();
	PG_RETURN_POINTER(PgBsonToJsonb(&value));
}

/* SQL: bson(json) returns bson */
Datum
pgbson_from_json(PG_FUNCTION_ARGS)
{
	text	   *json = PG_GETARG_TEXT_PP(0);

	PG_RETURN_PGBSON_P(PgBsonFromJson(VARDATA_ANY(json), VARSIZE_ANY_EXHDR(json), NULL));
}

/* SQL: bson(jsonb) returns bson */
Datum
pgbson_from_jsonb(PG_FUNCTION_ARGS)
{
	PG_RETURN_PGBSON_P(PgBsonFromJsonb(PG_GETARG_JSONB_P(0)));
}

pg_noreturn static void
cannot_cast(const PgBsonValue *value, const char *type)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("cannot cast bson %s to type %s", PgBsonTypeName(value->type), type)));
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
	ereport(ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 errmsg("bson value \"%s\" is out of range for type %s",
					text_to_cstring(PgBsonValueToText(value)), type)));
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
		char	   *end;

		num = DirectFunctionCall2(numeric_round, num, Int32GetDatum(0));
		text = DatumGetCString(DirectFunctionCall1(numeric_out, num));
		errno = 0;
		result = strtoi64(text, &end, 10);
		/* NaN and Infinity are no digits */
		if (errno != 0 || end == text || *end != '\0')
			number_out_of_range(value, type);
	}
	if (result < min || result > max)
		number_out_of_range(value, type);
	return result;
}

/* The nearest double; a finite number is never rounded to infinity, nor another to zero */
static double
nearest_double(const PgBsonValue *value, const char *type)
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

/* Raises an error about a value that is not of the type's kind, or does not fit */
typedef Datum (*Convert) (const PgBsonValue *value);

/* The worker of all casts to scalars, null being SQL NULL */
static inline Datum
cast_value(FunctionCallInfo fcinfo, const PgBsonValue *value, Convert convert)
{
	if (PgBsonIsNullish(value->type))
		PG_RETURN_NULL();
	return convert(value);
}

static inline Datum
cast_scalar(FunctionCallInfo fcinfo, Convert convert)
{
	PgBsonValue root = PgBsonRoot(PG_GETARG_PGBSON_PP(0));

	return cast_value(fcinfo, &root, convert);
}

static inline Datum
walk_scalar(FunctionCallInfo fcinfo, Convert convert)
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
	double		d = nearest_double(value, "real");
	float4		result = (float4) d;

	if ((isinf(result) && !isinf(d)) || (result == 0.0f && d != 0.0))
		number_out_of_range(value, "real");
	return Float4GetDatum(result);
}

static Datum
float8_datum(const PgBsonValue *value)
{
	return Float8GetDatum(nearest_double(value, "double precision"));
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

/* in UTC; the type reaches further than timestamptz */
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
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("cannot cast bson %s to type %s", PgBsonTypeName(value->type), "uuid"),
				 errdetail("A UUID is a binary value of subtype 4 and %d bytes; this one has subtype %d and %u bytes.",
						   UUID_LEN, subtype, len)));
	}
	return PointerGetDatum(memcpy(palloc(sizeof(pg_uuid_t)), bytes, UUID_LEN));
}

/* SQL: bson_to_bool(bson) returns bool */
Datum
pgbson_to_bool(PG_FUNCTION_ARGS)
{
	return cast_scalar(fcinfo, bool_datum);
}

/* SQL: bson_walk_to_bool(bson, VARIADIC "any") returns bool */
Datum
pgbson_walk_to_bool(PG_FUNCTION_ARGS)
{
	return walk_scalar(fcinfo, bool_datum);
}

/* SQL: bson_to_int2(bson) returns int2 */
Datum
pgbson_to_int2(PG_FUNCTION_ARGS)
{
	return cast_scalar(fcinfo, int2_datum);
}

/* SQL: bson_walk_to_int2(bson, VARIADIC "any") returns int2 */
Datum
pgbson_walk_to_int2(PG_FUNCTION_ARGS)
{
	return walk_scalar(fcinfo, int2_datum);
}

/* SQL: bson_to_int4(bson) returns int4 */
Datum
pgbson_to_int4(PG_FUNCTION_ARGS)
{
	return cast_scalar(fcinfo, int4_datum);
}

/* SQL: bson_walk_to_int4(bson, VARIADIC "any") returns int4 */
Datum
pgbson_walk_to_int4(PG_FUNCTION_ARGS)
{
	return walk_scalar(fcinfo, int4_datum);
}

/* SQL: bson_to_int8(bson) returns int8 */
Datum
pgbson_to_int8(PG_FUNCTION_ARGS)
{
	return cast_scalar(fcinfo, int8_datum);
}

/* SQL: bson_walk_to_int8(bson, VARIADIC "any") returns int8 */
Datum
pgbson_walk_to_int8(PG_FUNCTION_ARGS)
{
	return walk_scalar(fcinfo, int8_datum);
}

/* SQL: bson_to_float4(bson) returns float4 */
Datum
pgbson_to_float4(PG_FUNCTION_ARGS)
{
	return cast_scalar(fcinfo, float4_datum);
}

/* SQL: bson_walk_to_float4(bson, VARIADIC "any") returns float4 */
Datum
pgbson_walk_to_float4(PG_FUNCTION_ARGS)
{
	return walk_scalar(fcinfo, float4_datum);
}

/* SQL: bson_to_float8(bson) returns float8 */
Datum
pgbson_to_float8(PG_FUNCTION_ARGS)
{
	return cast_scalar(fcinfo, float8_datum);
}

/* SQL: bson_walk_to_float8(bson, VARIADIC "any") returns float8 */
Datum
pgbson_walk_to_float8(PG_FUNCTION_ARGS)
{
	return walk_scalar(fcinfo, float8_datum);
}

/* SQL: bson_to_numeric(bson) returns numeric */
Datum
pgbson_to_numeric(PG_FUNCTION_ARGS)
{
	return cast_scalar(fcinfo, numeric_datum);
}

/* SQL: bson_walk_to_numeric(bson, VARIADIC "any") returns numeric */
Datum
pgbson_walk_to_numeric(PG_FUNCTION_ARGS)
{
	return walk_scalar(fcinfo, numeric_datum);
}

/* SQL: bson_to_timestamptz(bson) returns timestamptz */
Datum
pgbson_to_timestamptz(PG_FUNCTION_ARGS)
{
	return cast_scalar(fcinfo, timestamptz_datum);
}

/* SQL: bson_walk_to_timestamptz(bson, VARIADIC "any") returns timestamptz */
Datum
pgbson_walk_to_timestamptz(PG_FUNCTION_ARGS)
{
	return walk_scalar(fcinfo, timestamptz_datum);
}

/* SQL: bson_to_timestamp(bson) returns timestamp */
Datum
pgbson_to_timestamp(PG_FUNCTION_ARGS)
{
	return cast_scalar(fcinfo, timestamp_datum);
}

/* SQL: bson_walk_to_timestamp(bson, VARIADIC "any") returns timestamp */
Datum
pgbson_walk_to_timestamp(PG_FUNCTION_ARGS)
{
	return walk_scalar(fcinfo, timestamp_datum);
}

/* SQL: bson_to_date(bson) returns date */
Datum
pgbson_to_date(PG_FUNCTION_ARGS)
{
	return cast_scalar(fcinfo, date_datum);
}

/* SQL: bson_walk_to_date(bson, VARIADIC "any") returns date */
Datum
pgbson_walk_to_date(PG_FUNCTION_ARGS)
{
	return walk_scalar(fcinfo, date_datum);
}

/* SQL: bson_to_uuid(bson) returns uuid */
Datum
pgbson_to_uuid(PG_FUNCTION_ARGS)
{
	return cast_scalar(fcinfo, uuid_datum);
}

/* SQL: bson_walk_to_uuid(bson, VARIADIC "any") returns uuid */
Datum
pgbson_walk_to_uuid(PG_FUNCTION_ARGS)
{
	return walk_scalar(fcinfo, uuid_datum);
}
