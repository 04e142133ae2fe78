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
#include "door.h"

#include "catalog/pg_type.h"
#include "core/bytes/recode.h"
#include "core/bytes/value.h"
#include "json/print.h"
#include "jsonb/to_jsonb.h"
#include "sql/convert/populate.h"
#include "sql/get.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

/* A value of the type's own kind that it holds exactly */
#define NATIVE(type, oid) \
static bool \
as_##type(const PgBsonValue *value, Datum *result) \
{ \
	return PgBsonToNative(oid, -1, value, result); \
}

NATIVE(int8, INT8OID)
NATIVE(float8, FLOAT8OID)
NATIVE(numeric, NUMERICOID)
NATIVE(uuid, UUIDOID)
NATIVE(bytea, BYTEAOID)

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

/* SQL: bson_get_TYPE(bson, VARIADIC text[]) returns TYPE, but bson_get_objectid, which returns text */
PGBSON_DOOR(pgbson_get_bool, PgBsonGetPath(fcinfo, PgBsonAsBool));
PGBSON_DOOR(pgbson_get_int4, PgBsonGetPath(fcinfo, PgBsonAsInt4));
PGBSON_DOOR(pgbson_get_int8, PgBsonGetPath(fcinfo, as_int8));
PGBSON_DOOR(pgbson_get_float8, PgBsonGetPath(fcinfo, as_float8));
PGBSON_DOOR(pgbson_get_numeric, PgBsonGetPath(fcinfo, as_numeric));
PGBSON_DOOR(pgbson_get_text, PgBsonGetPath(fcinfo, as_string));
PGBSON_DOOR(pgbson_get_timestamptz, PgBsonGetPath(fcinfo, as_timestamptz));
PGBSON_DOOR(pgbson_get_uuid, PgBsonGetPath(fcinfo, as_uuid));
PGBSON_DOOR(pgbson_get_bytea, PgBsonGetPath(fcinfo, as_bytea));
PGBSON_DOOR(pgbson_get_objectid, PgBsonGetPath(fcinfo, as_objectid));
PGBSON_DOOR(pgbson_get_bson, PgBsonGetPath(fcinfo, PgBsonAsBson));

/*
 * SQL: bson_get_string(bson, text) and the like.  They return text, timestamp, numeric, int4, int8, float8, bytea,
 * bool, bson, jsonb and text.
 */
PGBSON_DOOR(pgbson_get_string_dotted, get_dotted(fcinfo, as_string));
PGBSON_DOOR(pgbson_get_datetime_dotted, get_dotted(fcinfo, as_timestamptz));
PGBSON_DOOR(pgbson_get_decimal128_dotted, get_dotted(fcinfo, as_numeric));
PGBSON_DOOR(pgbson_get_int32_dotted, get_dotted(fcinfo, PgBsonAsInt4));
PGBSON_DOOR(pgbson_get_int64_dotted, get_dotted(fcinfo, as_int8));
PGBSON_DOOR(pgbson_get_double_dotted, get_dotted(fcinfo, as_float8));
PGBSON_DOOR(pgbson_get_binary_dotted, get_dotted(fcinfo, as_bytea));
PGBSON_DOOR(pgbson_get_boolean_dotted, get_dotted(fcinfo, PgBsonAsBool));
PGBSON_DOOR(pgbson_get_bson_dotted, get_dotted(fcinfo, PgBsonAsBson));
PGBSON_DOOR(pgbson_get_jsonb_array_dotted, get_dotted(fcinfo, as_jsonb_array));
PGBSON_DOOR(pgbson_as_text_dotted, get_dotted(fcinfo, PgBsonAsText));
