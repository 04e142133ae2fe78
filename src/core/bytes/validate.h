/*
 * validate.h
 *	  Checking BSON from outside; all other code relies on it.
 */
#ifndef PGBSON_VALIDATE_H
#define PGBSON_VALIDATE_H

#include "pgbson.h"

/* What is wrong with some bytes, and where */
typedef struct PgBsonFault
{
	const char *reason;			/* a sentence without its full stop, to be translated; static storage */
	Size		offset;			/* bytes from the start */
	bool		too_deep;		/* valid so far, but nested beyond PGBSON_MAX_DEPTH */
} PgBsonFault;

/*
 * Are these bytes one valid BSON document?  Lengths, types, terminators,
 * UTF-8, boolean bytes, binary subtype 2's inner length, depth.  Fills *fault
 * and returns false if not.  Iterative, never raises (save for an interrupt).
 */
extern bool PgBsonCheck(const uint8 *data, Size len, PgBsonFault *fault);

/*
 * PgBsonCheck that raises an error: 22P03 with reason and offset, or 54001 for depth.
 * Returns false after a soft error.
 */
extern bool PgBsonValidate(const uint8 *data, Size len, struct Node *escontext);

#endif							/* PGBSON_VALIDATE_H */
