/*
 * validate.h
 *	  Checking BSON from outside; all other code relies on it.
 */
#ifndef PGBSON_VALIDATE_H
#define PGBSON_VALIDATE_H

#include "pgbson.h"

/* What is wrong with bytes that are not BSON, and where */
typedef struct PgBsonFault
{
	const char *reason;			/* a sentence without its full stop, to be translated; static storage */
	Size		offset;			/* bytes from the start */
	bool		too_deep;		/* valid so far, but nested beyond PGBSON_MAX_DEPTH */
} PgBsonFault;

/*
 * Are these bytes one valid BSON document?  Checks lengths, types, terminators, UTF-8, booleans, the
 * inner length of binary subtype 2, and depth.  If not, fills *fault and returns false.  It does not
 * recurse, allocates nothing and raises no errors.
 */
extern bool PgBsonCheck(const uint8 *data, Size len, PgBsonFault *fault);

/*
 * PgBsonCheck that raises an error: 22P03 with reason and offset, or 54001 for depth.
 * Returns false after a soft error.
 */
extern bool PgBsonValidate(const uint8 *data, Size len, struct Node *escontext);

#endif							/* PGBSON_VALIDATE_H */
