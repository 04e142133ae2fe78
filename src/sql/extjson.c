/*
 * extjson.c
 *	  A value as text for people and for other systems, and such texts as values.
 */
#include "door.h"

#include "json/print.h"
#include "json/transcode.h"
#include "utils/builtins.h"

/* as jsonb_pretty */
#define PRETTY_INDENT	4

static Datum
print_argument(FunctionCallInfo fcinfo, PgBsonStyle style, int indent)
{
	PgBsonReader reader;
	text	   *result;

	(void) PgBsonOpenWhole(&reader, PG_GETARG_DATUM(0));
	result = PgBsonPrintText(&reader.root, style, indent);
	PgBsonClose(&reader);
	PG_RETURN_TEXT_P(result);
}

/* SQL: bson_pretty(bson) returns text */
PGBSON_DOOR(pgbson_pretty, print_argument(fcinfo, PGBSON_READABLE, PRETTY_INDENT));

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
PGBSON_DOOR(pgbson_to_extjson, print_argument(fcinfo, style_of_name(text_to_cstring(PG_GETARG_TEXT_PP(1))), 0));

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

/* The value of a text, or of a json, which is stored like a text */
static Datum
from_extjson(FunctionCallInfo fcinfo, PgBsonNumbers numbers)
{
	text	   *json = PG_GETARG_TEXT_PP(0);

	PG_RETURN_PGBSON_P(PgBsonFromJson(VARDATA_ANY(json), VARSIZE_ANY_EXHDR(json), numbers, NULL));
}

/* SQL: bson(json) returns bson */
PGBSON_DOOR(pgbson_from_json, from_extjson(fcinfo, PGBSON_NUMBERS_EXACT));

/* SQL: bson_from_extjson(text [, numbers text]) returns bson */
PGBSON_DOOR(pgbson_from_extjson, from_extjson(fcinfo, PGBSON_NUMBERS_EXACT));
PGBSON_DOOR(pgbson_from_extjson_numbers, from_extjson(fcinfo, numbers_of_name(text_to_cstring(PG_GETARG_TEXT_PP(1)))));
