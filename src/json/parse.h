/*
 * parse.h
 *	  JSON text to bson with json-c: any text, and all errors.
 *
 * PgBsonParseJson is for json/transcode.c; the rest is shared by the stages of parse.c, which describes them.
 */
#ifndef PGBSON_PARSE_H
#define PGBSON_PARSE_H

#include "json/json_number.h"

/* PgBsonFromJson (json/transcode.h) of any text; its results and errors are what the transcoder must agree with */
extern PgBson *PgBsonParseJson(const char *text, Size len, PgBsonNumbers numbers, struct Node *escontext);

/* --- grammar.c: whether a text is JSON, and where it is not --- */

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

/* --- feed.c: JSON text to json-c's tree --- */

/* Must not be in the frame of a function that has PG_TRY, as a longjmp could lose changes to it */
typedef struct PgBsonFeed
{
	PgBsonJsonText in;			/* which the server's grammar has passed */
	PgBsonNumbers numbers;
	const char *next;			/* json-c has not got the text from here on yet */

	struct json_tokener *tokener;
	struct json_object *tree;	/* NULL can also be the tree of the text "null" */
	bool		fed;			/* the tree is complete */
} PgBsonFeed;

/* Make json-c's parser; "max_depth" is the deepest nesting in the text.  The rest is set by the caller. */
extern void PgBsonFeedBegin(PgBsonFeed *f, int max_depth);

/* Make the tree; false after a soft error */
extern bool PgBsonFeedText(PgBsonFeed *f);

/* Free all that json-c allocated, wherever it stands.  Recurses as deeply as the tree nests. */
extern void PgBsonFeedRelease(PgBsonFeed *f);

/* --- tree.c: json-c's tree to bson --- */

/*
 * Pass over the tree once, into a builder.  Returns a palloc'd datum; NULL
 * after a soft error, which is about a wrapper of Extended JSON.
 */
extern PgBson *PgBsonFromTree(struct json_object *tree, struct Node *escontext);

#endif							/* PGBSON_PARSE_H */
