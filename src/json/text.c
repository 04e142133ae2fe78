/*
 * text.c
 *	  A value as plain text, for ->> and similar operators.
 */
#include "json/text.h"

#include "core/number_text.h"
#include "core/recode.h"
#include "core/value.h"
#include "json/print.h"
#include "json/spell.h"
#include "utils/builtins.h"

text *
PgBsonTextIn(const char *s, uint32 len, void *space, Size room)
{
	if (len + VARHDRSZ > room)
		return cstring_to_text_with_len(s, len);
	SET_VARSIZE(space, len + VARHDRSZ);
	memcpy(VARDATA(space), s, len);
	return space;
}

/* A date as timestamptz's input reads it, or its milliseconds if it is beyond that type's range */
static int
spell_any_date(int64 ms, char *text)
{
	TimestampTz ts;

	if (PgBsonDateToTimestamp(ms, &ts))
		return PgBsonSpellDate(ms, text);
	return pg_lltoa(ms, text);
}

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

text *
PgBsonValueToTextIn(const PgBsonValue *value, void *space, Size room)
{
	char		buf[PGBSON_SPELL_SIZE];
	const char *s = buf;
	uint32		len;

	switch (value->type)
	{
		case PGBSON_NULL:
		case PGBSON_UNDEFINED:
			return NULL;
		case PGBSON_STRING:
		case PGBSON_SYMBOL:
		case PGBSON_CODE:
			s = PgBsonValueString(value, &len);
			s = PgBsonToServerText(s, &len);
			break;
		case PGBSON_BOOL:
			s = value->data[0] ? "true" : "false";
			len = strlen(s);
			break;
		case PGBSON_INT32:
			len = pg_ltoa(PgBsonReadI32(value->data), buf);
			break;
		case PGBSON_INT64:
			len = pg_lltoa(PgBsonReadI64(value->data), buf);
			break;
		case PGBSON_DOUBLE:
			len = PgBsonDoubleToText(PgBsonReadDouble(value->data), buf);
			break;
		case PGBSON_DECIMAL128:
			len = PgBsonDecimalToText(value->data, buf);
			break;
		case PGBSON_DATE:
			len = spell_any_date(PgBsonReadI64(value->data), buf);
			break;
		case PGBSON_OBJECTID:
			len = PgBsonSpellHex(value->data, value->len, buf);
			break;
		case PGBSON_BINARY:
			return binary_to_text(value);
		default:
			return PgBsonPrintText(value, PGBSON_READABLE, 0);
	}
	return PgBsonTextIn(s, len, space, room);
}

text *
PgBsonValueToText(const PgBsonValue *value)
{
	/* the most common, without the memory that others need */
	if (value->type == PGBSON_STRING)
	{
		uint32		len;
		const char *s = PgBsonValueString(value, &len);

		s = PgBsonToServerText(s, &len);
		return cstring_to_text_with_len(s, len);
	}
	return PgBsonValueToTextIn(value, NULL, 0);
}
