/*
 * unwind.h
 *	  $unwind of MongoDB's pipelines: a document for each element of an array.
 */
#ifndef PGBSON_UNWIND_H
#define PGBSON_UNWIND_H

#include "mongo/stage/nested.h"

typedef struct PgBsonUnwind
{
	PgBsonNames path;
	bool		preserves;		/* documents without an element stay */
	bool		with_index;
	PgBsonNames index;
} PgBsonUnwind;

/* Make the stage's operand ready, "$path" or a document; it points into the bytes given.  Raises 22023. */
extern PgBsonUnwind *PgBsonUnwindParse(const PgBsonValue *operand);

/* A document under way */
typedef struct PgBsonUnwinding
{
	const PgBsonUnwind *unwind;
	PgBsonValue doc;
	PgBsonValue found;			/* at the path */
	PgBsonIter	iter;			/* over its elements, if it is an array */
	int64		index;
	bool		values;			/* values instead of documents, of a stage that neither preserves nor counts */
	bool		done;
} PgBsonUnwinding;

extern void PgBsonUnwindBegin(PgBsonUnwinding *state, const PgBsonUnwind *unwind, const PgBsonValue *doc);

/* For values alone: keep what is at the path, and no more of the document */
extern void PgBsonUnwindKeep(PgBsonUnwinding *state);

/* The next document, which may be the given one; false behind the last */
extern bool PgBsonUnwindNext(PgBsonUnwinding *state, PgBsonValue *result);

#endif							/* PGBSON_UNWIND_H */
