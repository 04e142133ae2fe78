/*
 * parse.h
 *	  JSON and Extended JSON text to bson.
 */
#ifndef PGBSON_PARSE_H
#define PGBSON_PARSE_H

#include "pgbson.h"

/*
 * Text in the server's encoding ("len" bytes, need not be NUL-terminated) to a
 * palloc'd datum; NULL after a soft error.  22P02 with detail and position for
 * what is not JSON or a malformed wrapper, 22003 for a number nothing can
 * hold, 54001 for depth.
 */
extern PgBson *PgBsonFromJson(const char *text, Size len, struct Node *escontext);

#endif							/* PGBSON_PARSE_H */
