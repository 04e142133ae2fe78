/*
 * literal.c
 *	  The literals of a jsonpath, for code that reads a path without running it.
 */
#include "jsonpath/jsonpath.h"

#include "catalog/pg_type.h"
#include "core/bytes/recode.h"
#include "core/bytes/value.h"
#include "jsonpath/exec.h"
#include "utils/timestamp.h"

const char *
PgBsonJsonpathString(JsonPathItem *item, uint32 *len)
{
	int32		server_len;
	char	   *s = jspGetString(item, &server_len);

	*len = server_len;
	return PgBsonFromServerText(s, len);
}

/* "...".datetime() with a time zone in the string is compared with BSON dates; *form is the date */
static bool
datetime_form(JsonPathItem *item, JsonPathItem *method, PgBsonValue *form)
{
	PgBsonJpDatetime dt;
	int64		ms;

	if (item->type != jpiString || method->type != jpiDatetime ||
		method->content.arg != 0 || jspHasNext(method) ||
		!PgBsonJpParseDatetime(pstrdup(jspGetString(item, NULL)), &dt) ||
		dt.type != TIMESTAMPTZOID ||
		!PgBsonTimestampToDate(DatumGetTimestampTz(dt.datum), &ms))
		return false;
	*form = PgBsonMakeDate(ms);
	return true;
}

int
PgBsonJsonpathLiteralForms(JsonPathItem *item, PgBsonValue forms[2], bool *exact)
{
	JsonPathItem next;
	const char *s;
	uint32		len;

	*exact = true;
	if (jspGetNext(item, &next))
	{
		*exact = false;			/* the date is rounded */
		return datetime_form(item, &next, &forms[0]) ? 1 : 0;
	}
	switch (item->type)
	{
		case jpiNull:
			forms[0] = forms[1] = PgBsonNull;
			forms[1].type = PGBSON_UNDEFINED;
			return 2;
		case jpiBool:
			forms[0] = PgBsonMakeBool(jspGetBool(item));
			return 1;
		case jpiString:
			s = PgBsonJsonpathString(item, &len);
			forms[0] = PgBsonMakeString(s, len);
			return 1;
		case jpiNumeric:
			return PgBsonJpNumberForm(jspGetNumeric(item), &forms[0]) ? 1 : 0;
		default:
			return 0;
	}
}
