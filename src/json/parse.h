/*
 * parse.h
 *	  JSON text to bson with json-c: any text, and all errors.
 */
#ifndef PGBSON_PARSE_H
#define PGBSON_PARSE_H

#include "json/json_number.h"

/* PgBsonFromJson (json/transcode.h) of any text; its results and errors are what the transcoder must agree with */
extern PgBson *PgBsonParseJson(const char *text, Size len, PgBsonNumbers numbers, struct Node *escontext);

#endif							/* PGBSON_PARSE_H */
