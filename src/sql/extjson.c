/*
 * extjson.c
 *	  A value as text for people and for other systems.
 */
#include "door.h"

#include "json/print.h"
#include "json/transcode.h"
#include "utils/builtins.h"

/* as jsonb_pretty */
#define PRETTY_INDENT	4

static text *
print_argument(FunctionCallInfo fcinfo, PgBsonStyle style, int indent)
{
	PgBsonReader reader;
	text	   *result;

	(void) PgBsonOpenWhole(&reader, PG_GETARG_DATUM(0));
	result = PgBsonPrintText(&reader.root, style, indent);
	PgBsonClose(&reader);
	return result;
}

/* SQL: bson_pretty(bson) returns text */
PG_FUNCTION_INFO_V1(pgbson_pretty);
Datum
pgbson_pretty(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(print_argument(fcinfo, PGBSON_READABLE, PRETTY_INDENT));
}

/* The style of this name: canonical or relaxed */
static PgBsonStyle
style_of_name(const char *name)
{
	if (strcmp(name, "canonical") == 0)
		return PGBSON_CANONICAL;
	if (strcmp(name, "relaxed") == 0)
		return PGBSON_RELAXED;
	PgBsonReportInvalid(errmsg("unknown Extended JSON format \"%s\" for type bson", name),
						errhint("The formats are \"canonical\" and \"relaxed\"."));
}

/* SQL: bson_to_extjson(bson, text) returns text */
PG_FUNCTION_INFO_V1(pgbson_to_extjson);
Datum
pgbson_to_extjson(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(print_argument(fcinfo, style_of_name(text_to_cstring(PG_GETARG_TEXT_PP(1))), 0));
}

/* The rule of this name: exact or mongodb */
static PgBsonNumbers
numbers_of_name(const char *name)
{
	if (strcmp(name, "exact") == 0)
		return PGBSON_NUMBERS_EXACT;
	if (strcmp(name, "mongodb") == 0)
		return PGBSON_NUMBERS_MONGODB;
	PgBsonReportInvalid(errmsg("unknown rule \"%s\" for numbers of type bson", name),
						errhint("The rules are \"exact\" and \"mongodb\"."));
}

static Datum
from_extjson(FunctionCallInfo fcinfo, PgBsonNumbers numbers)
{
	text	   *json = PG_GETARG_TEXT_PP(0);

	PG_RETURN_PGBSON_P(PgBsonFromJson(VARDATA_ANY(json), VARSIZE_ANY_EXHDR(json), numbers, NULL));
}

/* SQL: bson_from_extjson(text [, numbers text]) returns bson */
PGBSON_DOOR(pgbson_from_extjson, from_extjson(fcinfo, PGBSON_NUMBERS_EXACT));
PGBSON_DOOR(pgbson_from_extjson_numbers, from_extjson(fcinfo, numbers_of_name(text_to_cstring(PG_GETARG_TEXT_PP(1)))));
