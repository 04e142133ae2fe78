/*
 * text.c
 *	  A value as plain text, for ->> and similar operators.
 */

#include "core/bytes/recode.h"
#include "core/bytes/value.h"
#include "core/number/number_text.h"
#include "json/print.h"
#include "utils/builtins.h"

static text *
binary_to_text(const PgBsonValue *value)
{
	uint8		subtype;
	uint32		len;
	const uint8 *data = PgBsonValueBinary(value, &subtype, &len);
	char		uuid[PGBSON_SPELL_SIZE];
	StringInfoData out;

	if (PgBsonValueUuid(value) != NULL)
		return cstring_to_text_with_len(uuid, PgBsonSpellUuid(data, uuid));
	initStringInfo(&out);
	PgBsonPrintHex(&out, data, len);
	return cstring_to_text_with_len(out.data, out.len);
}

pg_attribute_always_inline const char *
PgBsonValueSpelling(const PgBsonValue *value, char *buf, uint32 *len)
{
	const char *s;
	int64		ms;
	TimestampTz ts;

	switch (value->type)
	{
		case PGBSON_STRING:
		case PGBSON_SYMBOL:
		case PGBSON_CODE:
			s = PgBsonValueString(value, len);
			return PgBsonToServerText(s, len);
		case PGBSON_BOOL:
			s = value->data[0] ? "true" : "false";
			*len = strlen(s);
			return s;
		case PGBSON_INT32:
			*len = pg_ltoa(PgBsonReadI32(value->data), buf);
			return buf;
		case PGBSON_INT64:
			*len = pg_lltoa(PgBsonReadI64(value->data), buf);
			return buf;
		case PGBSON_DOUBLE:
			*len = PgBsonDoubleToText(PgBsonReadDouble(value->data), buf);
			return buf;
		case PGBSON_DECIMAL128:
			*len = PgBsonDecimalToText(value->data, buf);
			return buf;
		case PGBSON_DATE:
			/* as timestamptz's input reads it, or its milliseconds if it is beyond that type's range */
			ms = PgBsonReadI64(value->data);
			*len = PgBsonDateToTimestamp(ms, &ts) ? PgBsonSpellDate(ms, buf) : pg_lltoa(ms, buf);
			return buf;
		case PGBSON_OBJECTID:
			*len = PgBsonSpellHex(value->data, value->len, buf);
			return buf;
		default:
			return NULL;
	}
}

/* What has no short spelling */
static pg_noinline text *
printed_text(const PgBsonValue *value)
{
	if (PgBsonIsNullish(value->type))
		return NULL;
	if (value->type == PGBSON_BINARY)
		return binary_to_text(value);
	return PgBsonPrintText(value, PGBSON_READABLE, 0);
}

static pg_noinline text *
spelled_text(const PgBsonValue *value)
{
	char		buf[PGBSON_SPELL_SIZE];
	uint32		len;
	const char *s = PgBsonValueSpelling(value, buf, &len);

	return s != NULL ? cstring_to_text_with_len(s, len) : printed_text(value);
}

text *
PgBsonValueToText(const PgBsonValue *value)
{
	/* the most common, without the memory that others need */
	if (value->type == PGBSON_STRING)
	{
		return PgBsonToText(PgBsonStringBytes(value), PgBsonStringLength(value));
	}
	return spelled_text(value);
}
