/*
 * transcode.h
 *	  A short cut from JSON text to bson, around json-c.
 */
#ifndef PGBSON_TRANSCODE_H
#define PGBSON_TRANSCODE_H

#include "pgbson.h"

/* bson.json_parser: which way JSON text takes */
typedef enum PgBsonJsonParser
{
	PGBSON_PARSER_AUTO,			/* the short cut, where it can be taken */
	PGBSON_PARSER_JSON_C		/* json-c, always */
} PgBsonJsonParser;

extern int	PgBsonJsonParserSetting;

/*
 * The datum that json/parse.c would make of this text, palloc'd; or NULL, if
 * the text is not JSON, or has anything that asks for a closer look.  "utf8"
 * is valid UTF-8, and need not be NUL-terminated.  Raises no error of its own.
 */
extern PgBson *PgBsonTranscode(const char *utf8, Size len);

#endif							/* PGBSON_TRANSCODE_H */
