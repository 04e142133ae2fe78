/*
 * native.c
 *	  bson scalars as values of the SQL types of their kind.
 */
#include "sql/convert/populate.h"

#include "catalog/pg_type.h"
#include "core/bytes/value.h"
#include "core/number/number_text.h"
#include "json/print.h"
#include "jsonb/to_jsonb.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

/* A date as a timestamp of either kind: their numbers are the same, as a timestamp is taken as UTC */
static bool
date_to_timestamp(PGFunction scale, int32 typmod, int64 ms, Datum *result)
{
	TimestampTz ts;

	if (!PgBsonDateToTimestamp(ms, &ts))
		return false;
	*result = TimestampTzGetDatum(ts);
	if (typmod >= 0)
		*result = DirectFunctionCall2Coll(scale, InvalidOid, *result, Int32GetDatum(typmod));
	return true;
}

/*
 * Returns false if the target is not a date type.  A date that does not fit is
 * an error here: its text would not fit either.
 */
static bool
date_to_datum(Oid typid, int32 typmod, int64 ms, Datum *result)
{
	int32		day = 0;
	bool		fits;

	switch (typid)
	{
		case TIMESTAMPTZOID:
			fits = date_to_timestamp(timestamptz_scale, typmod, ms, result);
			break;
		case TIMESTAMPOID:
			fits = date_to_timestamp(timestamp_scale, typmod, ms, result);
			break;
		case DATEOID:
			fits = PgBsonDateToDay(ms, &day);
			*result = DateADTGetDatum(day);
			break;
		default:
			return false;
	}
	if (!fits)
		PgBsonReportDateRange(ms, format_type_be(typid));
	return true;
}

static bool
number_to_datum(Oid typid, int32 typmod, const PgBsonValue *value, Datum *result)
{
	int64		i;
	double		d;
	bool		exact;

	switch (typid)
	{
		case INT2OID:
			if (!PgBsonNumberToInt64(value, &i) || i < PG_INT16_MIN || i > PG_INT16_MAX)
				return false;
			*result = Int16GetDatum(i);
			return true;
		case INT4OID:
			if (!PgBsonNumberToInt64(value, &i) || i < PG_INT32_MIN || i > PG_INT32_MAX)
				return false;
			*result = Int32GetDatum(i);
			return true;
		case INT8OID:
			if (!PgBsonNumberToInt64(value, &i))
				return false;
			*result = Int64GetDatum(i);
			return true;
		case FLOAT4OID:
			/* a number that is not exactly a float goes by its text, because narrowing a double could round twice */
			d = PgBsonNumberToDouble(value, &exact);
			if (!exact || (double) (float) d != d)
				return false;
			*result = Float4GetDatum((float) d);
			return true;
		case FLOAT8OID:
			d = PgBsonNumberToDouble(value, &exact);
			if (!exact)
				return false;
			*result = Float8GetDatum(d);
			return true;
		case NUMERICOID:
			*result = NumericGetDatum(PgBsonNumberToNumeric(value));
			if (typmod >= 0)
				*result = DirectFunctionCall2(numeric, *result, Int32GetDatum(typmod));
			return true;
		default:
			return false;
	}
}

static bool
binary_to_datum(Oid typid, const PgBsonValue *value, Datum *result)
{
	uint8		subtype;
	uint32		len;
	const uint8 *data = PgBsonValueBinary(value, &subtype, &len);

	if (typid == BYTEAOID)
	{
		*result = PointerGetDatum(cstring_to_text_with_len((const char *) data, len));
		return true;
	}
	if (typid == UUIDOID && PgBsonValueUuid(value) != NULL)
	{
		pg_uuid_t  *uuid = palloc(sizeof(pg_uuid_t));

		memcpy(uuid->data, data, UUID_LEN);
		*result = UUIDPGetDatum(uuid);
		return true;
	}
	return false;
}

bool
PgBsonToNative(Oid typid, int32 typmod, const PgBsonValue *value, Datum *result)
{
	switch (typid)
	{
		case TEXTOID:
			*result = PointerGetDatum(PgBsonValueToText(value));
			return true;
		case VARCHAROID:
			if (typmod >= 0)
				return false;
			*result = PointerGetDatum(PgBsonValueToText(value));
			return true;
		case JSONOID:
			*result = PointerGetDatum(PgBsonToJson(value));
			return true;
		case JSONBOID:
			*result = JsonbPGetDatum(PgBsonToJsonb(value));
			return true;
		default:
			break;
	}

	if (PgBsonIsNumber(value->type))
		return number_to_datum(typid, typmod, value, result);
	if (value->type == PGBSON_DATE)
		return date_to_datum(typid, typmod, PgBsonReadI64(value->data), result);
	if (value->type == PGBSON_BINARY)
		return binary_to_datum(typid, value, result);
	if (value->type == PGBSON_BOOL && typid == BOOLOID)
	{
		*result = BoolGetDatum(value->data[0] != 0);
		return true;
	}
	return false;
}
