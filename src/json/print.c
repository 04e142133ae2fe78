/*
 * print.c
 *	  bson to text (scaffolding, until the real one lands).
 */
#include "json/print.h"
#include "core/build.h"
#include <bson/bson.h>
#include "utils/builtins.h"

bool
PgBsonPrint(StringInfo out, const PgBsonValue *value, PgBsonStyle style, int indent)
{
	PgBson	   *doc = PgBsonFromValue(value);
	bson_t		b;
	char	   *s;

	if (!bson_init_static(&b, (uint8_t *) VARDATA(doc), VARSIZE(doc) - VARHDRSZ))
		return false;
	s = bson_as_relaxed_extended_json(&b, NULL);
	if (s == NULL)
		return false;
	appendStringInfoString(out, s);
	bson_free(s);
	return true;
}

void
PgBsonPrintHex(StringInfo out, const uint8 *data, uint32 len)
{
	appendStringInfoString(out, "\\x");
	enlargeStringInfo(out, len * 2);
	out->len += hex_encode((const char *) data, len, out->data + out->len);
	out->data[out->len] = '\0';
}

text *
PgBsonValueToText(const PgBsonValue *value)
{
	StringInfoData out;

	initStringInfo(&out);
	PgBsonPrint(&out, value, PGBSON_RELAXED, 0);
	return cstring_to_text_with_len(out.data, out.len);
}
