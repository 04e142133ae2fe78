/*
 * transcode.h
 *	  JSON and Extended JSON text to bson.
 */
#ifndef PGBSON_TRANSCODE_H
#define PGBSON_TRANSCODE_H

#include "json/json_number.h"

/* bson.json_parser: how JSON text is read */
typedef enum PgBsonJsonParser
{
	PGBSON_PARSER_AUTO,			/* by the transcoder, which may decline */
	PGBSON_PARSER_JSON_C		/* always by json-c */
} PgBsonJsonParser;

extern int	PgBsonJsonParserSetting;

/*
 * The datum that json/parse.c would make of this text, palloc'd; or NULL, if the text is not JSON or has anything that
 * the transcoder declines.  "utf8" is valid UTF-8, and need not be NUL-terminated.  Raises no errors about the text.
 */
extern PgBson *PgBsonTranscode(const char *utf8, Size len, PgBsonNumbers numbers);

/*
 * Text in the server's encoding ("len" bytes, need not be NUL-terminated) to a palloc'd datum; NULL after a soft error.
 * 22P02 with detail and position for what is not JSON or a malformed wrapper, 22003 for a number that no BSON type can
 * hold, 54001 for depth.  "numbers" is PGBSON_NUMBERS_EXACT, unless a caller was asked for another rule.
 */
extern PgBson *PgBsonFromJson(const char *text, Size len, PgBsonNumbers numbers, struct Node *escontext);

#endif							/* PGBSON_TRANSCODE_H */
