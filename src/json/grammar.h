/*
 * grammar.h
 *	  Whether a text is JSON, and where it is not.
 */
#ifndef PGBSON_GRAMMAR_H
#define PGBSON_GRAMMAR_H

#include "pgbson.h"

/* A text being read */
typedef struct PgBsonJsonText
{
	const char *text;			/* UTF-8 */
	Size		len;
	struct Node *escontext;
} PgBsonJsonText;

/*
 * Checks that the server takes the text for JSON, and finds how deeply it
 * nests.  Error 22P02 if it is not JSON, 54001 if it nests more deeply than a
 * bson can; false after a soft error.
 */
extern bool PgBsonCheckGrammar(const PgBsonJsonText *t, int *max_depth);

/* Report 22P02: the text is not JSON here, or has something that bson cannot hold. Returns false. */
extern bool PgBsonReportSyntax(const PgBsonJsonText *t, const char *at, const char *detail);

/*
 * For ereport: the error context with the line and character of "at" (NULL
 * means the end), and the text up to there and one word more.
 */
extern int	PgBsonJsonContext(const PgBsonJsonText *t, const char *at);

#endif							/* PGBSON_GRAMMAR_H */
