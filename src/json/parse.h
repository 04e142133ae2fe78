/*
 * parse.h
 *	  JSON and Extended JSON text to bson.
 */
#ifndef PGBSON_PARSE_H
#define PGBSON_PARSE_H

#include "json/json_number.h"
#include "pgbson.h"

/*
 * Text in the server's encoding ("len" bytes, need not be NUL-terminated) to a
 * palloc'd datum; NULL after a soft error. 22P02 with detail and position for
 * what is not JSON or a malformed wrapper, 22003 for a number that no BSON
 * type can hold, 54001 for depth.  "numbers" is PGBSON_NUMBERS_EXACT, unless a
 * caller was asked for another rule.
 */
extern PgBson *PgBsonFromJson(const char *text, Size len, PgBsonNumbers numbers, struct Node *escontext);

#endif							/* PGBSON_PARSE_H */
