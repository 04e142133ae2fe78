/*
 * parse.c
 *	  JSON text to bson (scaffolding: libbson's reader, until the real one lands).
 */
#include "json/parse.h"
#include "core/build.h"
#include <bson/bson.h>

PgBson *
PgBsonFromJson(const char *text, Size len, struct Node *escontext)
{
	bson_error_t error;
	bson_t	   *b = bson_new_from_json((const uint8_t *) text, len, &error);
	PgBson	   *result;

	if (b == NULL)
		ereturn(escontext, NULL, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
								  errmsg("invalid input syntax for type %s", "bson"),
								  errdetail("%s", error.message)));
	result = PgBsonFromBytes(bson_get_data(b), b->len);
	bson_destroy(b);
	return result;
}
