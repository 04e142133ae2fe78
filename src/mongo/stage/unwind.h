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

/* Parse the stage's operand, "$path" or a document, palloc'd; the result points into its bytes.  Raises 22023. */
extern PgBsonUnwind *PgBsonUnwindParse(const PgBsonValue *operand);

/* The state while the documents for one document are returned */
typedef struct PgBsonUnwinding
{
	const PgBsonUnwind *unwind;
	PgBsonValue doc;
	PgBsonValue found;			/* the value at the path */
	PgBsonIter	iter;			/* over the elements, if the value is an array */
	int64		index;
	bool		values;			/* return values instead of documents; only if the stage neither preserves nor counts */
	bool		done;
} PgBsonUnwinding;

/* Begin with a document; "found" is its value at the path.  The state points into both. */
extern void PgBsonUnwindBegin(PgBsonUnwinding *state, const PgBsonUnwind *unwind, const PgBsonValue *doc, const PgBsonValue *found);

/* The next document, which may be the given one; false after the last one */
extern bool PgBsonUnwindNext(PgBsonUnwinding *state, PgBsonValue *result);

#endif							/* PGBSON_UNWIND_H */
