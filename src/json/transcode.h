/*
 * transcode.h
 *	  A short cut from JSON text to bson, around json-c.
 */
#ifndef PGBSON_TRANSCODE_H
#define PGBSON_TRANSCODE_H

#include "json/json_number.h"
#include "pgbson.h"

/* bson.json_parser: how JSON text is read */
typedef enum PgBsonJsonParser
{
	PGBSON_PARSER_AUTO,			/* by the transcoder, which may decline */
	PGBSON_PARSER_JSON_C		/* always by json-c */
} PgBsonJsonParser;

extern int	PgBsonJsonParserSetting;

/*
 * The datum that json/parse.c would make of this text, palloc'd; or NULL, if
 * the text is not JSON or has anything that the transcoder declines.  "utf8"
 * is valid UTF-8, and need not be NUL-terminated.  Raises no errors about the
 * text.
 */
extern PgBson *PgBsonTranscode(const char *utf8, Size len, PgBsonNumbers numbers);

#endif							/* PGBSON_TRANSCODE_H */
