/*
 * path.h
 *	  Finding a value by key, index or path.
 */
#ifndef PGBSON_PATH_H
#define PGBSON_PATH_H

#include "core/bytes/view.h"
#include "core/find/shape.h"
#include "core/stored/sparse.h"

typedef enum PgBsonStepKind
{
	PGBSON_STEP_KEY,			/* a field of a document; nothing in an array */
	PGBSON_STEP_INDEX,			/* an element of an array, negative from the end; nothing in a document */
	PGBSON_STEP_PATH			/* an element of a text[] path: a field, or in an array its digits as an index */
} PgBsonStepKind;

typedef struct PgBsonStep
{
	PgBsonStepKind kind;
	int32		index;			/* of STEP_INDEX */
	const char *key;			/* of the others; UTF-8, need not be NUL-terminated */
	uint32		key_len;		/* bytes */
} PgBsonStep;

/*
 * The steps, of kind PATH, between the dots of a path as MongoDB writes it;
 * palloc'd, the keys pointing into the text.
 */
extern PgBsonStep *PgBsonSplitDotted(const char *path, uint32 len, int *nsteps);

/* Of duplicate keys the first counts, everywhere; *result points into the bytes searched. */

/* Follow the steps from "from"; false if there is nothing there */
extern bool PgBsonFind(PgBsonValue from, const PgBsonStep *steps, int nsteps,
					   PgBsonValue *result);

/* First field of this name in a document */
extern bool PgBsonFindKey(PgBsonView doc, const char *key, uint32 key_len, PgBsonValue *result);

/* Element of an array by position, negative from the end */
extern bool PgBsonFindIndex(PgBsonView array, int32 index, PgBsonValue *result);

/* A path element as an array index, as jsonb reads it; false if it is not an integer */
extern bool PgBsonStepAsIndex(const char *key, uint32 key_len, int32 *index);

typedef enum PgBsonFound
{
	PGBSON_ABSENT,
	PGBSON_FOUND,
	PGBSON_MORE					/* the bytes so far do not tell */
} PgBsonFound;

/*
 * PgBsonFind where only the bytes before "avail" may be read, the rest of a
 * toasted value not having been fetched.  With PGBSON_MORE, *need is how far
 * the bytes must reach at least for the search to get on; else how far it looked,
 * which with PGBSON_ABSENT may be beyond them.  With that, *result is the value in
 * which a step found nothing.  "shapes" is what the
 * call site, whose steps are always the same, remembers; it may be NULL.
 */
extern PgBsonFound PgBsonFindWithin(PgBsonValue from, const uint8 *avail, PgBsonShapes *shapes,
									const PgBsonStep *steps, int nsteps,
									PgBsonValue *result, const uint8 **need);

/*
 * The same in a value that is all there: *at, which becomes what was found, or that
 * in which a step found nothing
 */
extern bool PgBsonFindPlain(PgBsonValue *at, PgBsonShapes *shapes, const PgBsonStep *steps, int nsteps);

/*
 * PgBsonFind with such a source: what lies between the headers on the way is not
 * asked for; the value that is found is.  Up to "avail" the bytes are there.
 * As with PgBsonFindWithin, *result is the value in which a step found nothing.
 */
extern bool PgBsonFindFrom(PgBsonSource *source, PgBsonValue from, const uint8 *avail, PgBsonShapes *shapes,
						   const PgBsonStep *steps, int nsteps, PgBsonValue *result);

#endif							/* PGBSON_PATH_H */
