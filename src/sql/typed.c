/*
 * typed.c
 *	  Typed getters: a value at a path as a native SQL value.
 *
 * The result is SQL NULL if the value is not of the right kind or cannot be
 * converted exactly.  The functions raise no errors and are immutable, so they
 * can be used in indexes and generated columns.
 *
 * The second family takes a dotted path and has the function names of the
 * pgbson extension, so that its users can migrate.
 */
#include "pgbson.h"

#include "core/bytes/recode.h"
#include "core/bytes/value.h"
#include "core/find/fetch.h"
#include "core/number/number.h"
#include "core/number/number_text.h"
#include "json/text.h"
#include "jsonb/to_jsonb.h"
#include "sql/get.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

static bool
as_int8(const PgBsonValue *value, Datum *result)
{
	int64		n;

	if (!PgBsonNumberToInt64(value, &n))
		return false;
	*result = Int64GetDatum(n);
	return true;
}

static bool
as_float8(const PgBsonValue *value, Datum *result)
{
	bool		exact;
	double		d;

	if (!PgBsonIsNumber(value->type))
		return false;
	d = PgBsonNumberToDouble(value, &exact);
	*result = Float8GetDatum(d);
	return exact;
}

static bool
as_numeric(const PgBsonValue *value, Datum *result)
{
	if (!PgBsonIsNumber(value->type))
		return false;
	*result = NumericGetDatum(PgBsonNumberToNumeric(value));
	return true;
}

/* A string; NULL also if no text of this server can hold it */
static bool
as_string(const PgBsonValue *value, Datum *result)
{
	uint32		len;
	const char *s;

	if (value->type != PGBSON_STRING)
		return false;
	s = PgBsonValueString(value, &len);
	s = PgBsonTryServerText(s, &len);
	if (s == NULL)
		return false;
	*result = PointerGetDatum(cstring_to_text_with_len(s, len));
	return true;
}

static bool
as_timestamptz(const PgBsonValue *value, Datum *result)
{
	TimestampTz ts;

	if (value->type != PGBSON_DATE ||
		!PgBsonDateToTimestamp(PgBsonReadI64(value->data), &ts))
		return false;
	*result = TimestampTzGetDatum(ts);
	return true;
}

static bool
as_uuid(const PgBsonValue *value, Datum *result)
{
	const uint8 *bytes;

	if (value->type != PGBSON_BINARY || (bytes = PgBsonValueUuid(value)) == NULL)
		return false;
	*result = PointerGetDatum(memcpy(palloc(UUID_LEN), bytes, UUID_LEN));
	return true;
}

static bool
as_bytea(const PgBsonValue *value, Datum *result)
{
	const uint8 *bytes;
	uint8		subtype;
	uint32		len;

	if (value->type != PGBSON_BINARY)
		return false;
	bytes = PgBsonValueBinary(value, &subtype, &len);
	*result = PointerGetDatum(cstring_to_text_with_len((const char *) bytes, len));
	return true;
}

static bool
as_objectid(const PgBsonValue *value, Datum *result)
{
	if (value->type != PGBSON_OBJECTID)
		return false;
	*result = PointerGetDatum(PgBsonValueToText(value));
	return true;
}

static bool
as_jsonb_array(const PgBsonValue *value, Datum *result)
{
	if (value->type != PGBSON_ARRAY)
		return false;
	*result = PointerGetDatum(PgBsonToJsonb(value));
	return true;
}

/*
 * A dotted path: it is first tried as one literal key, so that a key with dots
 * can be found, then step by step; digits index arrays.
 */
static Datum
get_dotted(FunctionCallInfo fcinfo, PgBsonSink sink)
{
	PgBsonStep	whole = PgBsonStepFromText(PG_GETARG_TEXT_PP(1), PGBSON_STEP_PATH);
	int			nsteps;
	PgBsonStep *steps = PgBsonSplitDotted(whole.key, whole.key_len, &nsteps);
	PgBsonValue ignored;

	/* without a dot the two are the same, so one search is enough */
	if (nsteps > 1 && PgBsonFetchPath(PG_GETARG_DATUM(0), &whole, 1, NULL, &ignored))
		return PgBsonGet(fcinfo, &whole, 1, sink);
	return PgBsonGet(fcinfo, steps, nsteps, sink);
}

/* SQL: bson_get_bool(bson, VARIADIC text[]) returns bool */
PG_FUNCTION_INFO_V1(pgbson_get_bool);
Datum
pgbson_get_bool(PG_FUNCTION_ARGS)
{
	return PgBsonGetPath(fcinfo, PgBsonAsBool);
}

/* SQL: bson_get_int4(bson, VARIADIC text[]) returns int4 */
PG_FUNCTION_INFO_V1(pgbson_get_int4);
Datum
pgbson_get_int4(PG_FUNCTION_ARGS)
{
	return PgBsonGetPath(fcinfo, PgBsonAsInt4);
}

/* SQL: bson_get_int8(bson, VARIADIC text[]) returns int8 */
PG_FUNCTION_INFO_V1(pgbson_get_int8);
Datum
pgbson_get_int8(PG_FUNCTION_ARGS)
{
	return PgBsonGetPath(fcinfo, as_int8);
}

/* SQL: bson_get_float8(bson, VARIADIC text[]) returns float8 */
PG_FUNCTION_INFO_V1(pgbson_get_float8);
Datum
pgbson_get_float8(PG_FUNCTION_ARGS)
{
	return PgBsonGetPath(fcinfo, as_float8);
}

/* SQL: bson_get_numeric(bson, VARIADIC text[]) returns numeric */
PG_FUNCTION_INFO_V1(pgbson_get_numeric);
Datum
pgbson_get_numeric(PG_FUNCTION_ARGS)
{
	return PgBsonGetPath(fcinfo, as_numeric);
}

/* SQL: bson_get_text(bson, VARIADIC text[]) returns text */
PG_FUNCTION_INFO_V1(pgbson_get_text);
Datum
pgbson_get_text(PG_FUNCTION_ARGS)
{
	return PgBsonGetPath(fcinfo, as_string);
}

/* SQL: bson_get_timestamptz(bson, VARIADIC text[]) returns timestamptz */
PG_FUNCTION_INFO_V1(pgbson_get_timestamptz);
Datum
pgbson_get_timestamptz(PG_FUNCTION_ARGS)
{
	return PgBsonGetPath(fcinfo, as_timestamptz);
}

/* SQL: bson_get_uuid(bson, VARIADIC text[]) returns uuid */
PG_FUNCTION_INFO_V1(pgbson_get_uuid);
Datum
pgbson_get_uuid(PG_FUNCTION_ARGS)
{
	return PgBsonGetPath(fcinfo, as_uuid);
}

/* SQL: bson_get_bytea(bson, VARIADIC text[]) returns bytea */
PG_FUNCTION_INFO_V1(pgbson_get_bytea);
Datum
pgbson_get_bytea(PG_FUNCTION_ARGS)
{
	return PgBsonGetPath(fcinfo, as_bytea);
}

/* SQL: bson_get_objectid(bson, VARIADIC text[]) returns text */
PG_FUNCTION_INFO_V1(pgbson_get_objectid);
Datum
pgbson_get_objectid(PG_FUNCTION_ARGS)
{
	return PgBsonGetPath(fcinfo, as_objectid);
}

/* SQL: bson_get_bson(bson, VARIADIC text[]) returns bson */
PG_FUNCTION_INFO_V1(pgbson_get_bson);
Datum
pgbson_get_bson(PG_FUNCTION_ARGS)
{
	return PgBsonGetPath(fcinfo, PgBsonAsBson);
}

/* SQL: bson_get_string(bson, text) returns text */
PG_FUNCTION_INFO_V1(pgbson_get_string_dotted);
Datum
pgbson_get_string_dotted(PG_FUNCTION_ARGS)
{
	return get_dotted(fcinfo, as_string);
}

/* SQL: bson_get_datetime(bson, text) returns timestamp */
PG_FUNCTION_INFO_V1(pgbson_get_datetime_dotted);
Datum
pgbson_get_datetime_dotted(PG_FUNCTION_ARGS)
{
	return get_dotted(fcinfo, as_timestamptz);
}

/* SQL: bson_get_decimal128(bson, text) returns numeric */
PG_FUNCTION_INFO_V1(pgbson_get_decimal128_dotted);
Datum
pgbson_get_decimal128_dotted(PG_FUNCTION_ARGS)
{
	return get_dotted(fcinfo, as_numeric);
}

/* SQL: bson_get_int32(bson, text) returns int4 */
PG_FUNCTION_INFO_V1(pgbson_get_int32_dotted);
Datum
pgbson_get_int32_dotted(PG_FUNCTION_ARGS)
{
	return get_dotted(fcinfo, PgBsonAsInt4);
}

/* SQL: bson_get_int64(bson, text) returns int8 */
PG_FUNCTION_INFO_V1(pgbson_get_int64_dotted);
Datum
pgbson_get_int64_dotted(PG_FUNCTION_ARGS)
{
	return get_dotted(fcinfo, as_int8);
}

/* SQL: bson_get_double(bson, text) returns float8 */
PG_FUNCTION_INFO_V1(pgbson_get_double_dotted);
Datum
pgbson_get_double_dotted(PG_FUNCTION_ARGS)
{
	return get_dotted(fcinfo, as_float8);
}

/* SQL: bson_get_binary(bson, text) returns bytea */
PG_FUNCTION_INFO_V1(pgbson_get_binary_dotted);
Datum
pgbson_get_binary_dotted(PG_FUNCTION_ARGS)
{
	return get_dotted(fcinfo, as_bytea);
}

/* SQL: bson_get_boolean(bson, text) returns bool */
PG_FUNCTION_INFO_V1(pgbson_get_boolean_dotted);
Datum
pgbson_get_boolean_dotted(PG_FUNCTION_ARGS)
{
	return get_dotted(fcinfo, PgBsonAsBool);
}

/* SQL: bson_get_bson(bson, text) returns bson */
PG_FUNCTION_INFO_V1(pgbson_get_bson_dotted);
Datum
pgbson_get_bson_dotted(PG_FUNCTION_ARGS)
{
	return get_dotted(fcinfo, PgBsonAsBson);
}

/* SQL: bson_get_jsonb_array(bson, text) returns jsonb */
PG_FUNCTION_INFO_V1(pgbson_get_jsonb_array_dotted);
Datum
pgbson_get_jsonb_array_dotted(PG_FUNCTION_ARGS)
{
	return get_dotted(fcinfo, as_jsonb_array);
}

/* SQL: bson_as_text(bson, text) returns text */
PG_FUNCTION_INFO_V1(pgbson_as_text_dotted);
Datum
pgbson_as_text_dotted(PG_FUNCTION_ARGS)
{
	return get_dotted(fcinfo, PgBsonAsText);
}
