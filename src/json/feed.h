/*
 * feed.h
 *	  JSON text to json-c's tree.
 *
 * The text is passed over token by token and handed to json-c's incremental
 * parser.  What the server's parser lets pass without de-escaping is refused
 * (surrogates), and so is what BSON has no room for (U+0000 in keys).  The few
 * numbers that json-c cannot hold are replaced on the way by a spelling that
 * it can.
 */
#ifndef PGBSON_FEED_H
#define PGBSON_FEED_H

#include "json/grammar.h"
#include "json/json_number.h"

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

#endif							/* PGBSON_FEED_H */
