/*
 * unwind.h
 *	  $unwind of MongoDB's pipelines: a document for each element of an array.
 *
 * The authority is MongoDB's src/mongo/db/pipeline/document_source_unwind.cpp.
 */
#ifndef PGBSON_UNWIND_H
#define PGBSON_UNWIND_H

#include "mongo/stage/nested.h"

typedef struct PgBsonUnwind
{
	PgBsonNames path;
	bool		preserves;		/* documents without an element are kept */
	bool		with_index;
	PgBsonNames index;
} PgBsonUnwind;

/* Make the stage's operand, "$path" or a document, ready; it points into the bytes given.  Raises 22023. */
extern PgBsonUnwind *PgBsonUnwindParse(const PgBsonValue *operand);

/* A document under way */
typedef struct PgBsonUnwinding
{
	const PgBsonUnwind *unwind;
	PgBsonValue doc;
	PgBsonValue found;			/* at the path */
	PgBsonIter	iter;			/* over the elements, if the value is an array */
	int64		index;
	bool		values;			/* return values instead of documents; only if the stage neither preserves nor counts */
	bool		done;
} PgBsonUnwinding;

/* "found" is the value at the path */
extern void PgBsonUnwindBegin(PgBsonUnwinding *state, const PgBsonUnwind *unwind, const PgBsonValue *doc, const PgBsonValue *found);

/* To be called for a stage whose values alone are wanted: keep only the value at the path */
extern void PgBsonUnwindKeep(PgBsonUnwinding *state);

/* The next document, which may be the given one; false after the last one */
extern bool PgBsonUnwindNext(PgBsonUnwinding *state, PgBsonValue *result);

#endif							/* PGBSON_UNWIND_H */
