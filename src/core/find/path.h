/*
 * path.h
 *	  Finding a value by key, index or path.
 */
#ifndef PGBSON_PATH_H
#define PGBSON_PATH_H

#include "core/bytes/view.h"
#include "core/find/shape.h"
#include "core/stored/reader.h"

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

/* Of duplicate keys the first counts, everywhere; what is found points into the bytes searched. */

/*
 * Follow the steps from *at, which becomes what is found, all of which is there, or else the value in which a step found
 * nothing.  "reader" has *at open, and of what is stepped over reads no more than it must; NULL: all of *at is
 * there.  "shapes" is what the call site, whose steps are always the same, remembers; it may be NULL.
 */
extern bool PgBsonFindIn(PgBsonReader *reader, PgBsonValue *at, PgBsonShapes *shapes,
						 const PgBsonStep *steps, int nsteps);

/* The same in a value that is all there; *result is set only if there is something */
extern bool PgBsonFind(PgBsonValue from, const PgBsonStep *steps, int nsteps,
					   PgBsonValue *result);

/* First field of this name in a document */
extern bool PgBsonFindKey(PgBsonView doc, const char *key, uint32 key_len, PgBsonValue *result);

/* Element of an array by position, negative from the end */
extern bool PgBsonFindIndex(PgBsonView array, int32 index, PgBsonValue *result);

/*
 * What a call site learned.  Zero-initialised; kept in fn_extra.  Where its steps are
 * always the same, shapes.context is set, and what documents look like is kept there.
 */
typedef struct PgBsonFetchHint
{
	PgBsonReadHint read;
	PgBsonShapes shapes;
} PgBsonFetchHint;

/*
 * Follow the steps in a datum, which may be toasted: PgBsonFindIn in its root.  *result points into memory that
 * lives until the next datum is opened, or as long as this one.  "hint" may be NULL.
 */
extern bool PgBsonFetchPath(Datum datum, const PgBsonStep *steps, int nsteps,
							PgBsonFetchHint *hint, PgBsonValue *result);

/* A path element as an array index, as jsonb reads it; false if it is not an integer */
extern bool PgBsonStepAsIndex(const char *key, uint32 key_len, int32 *index);

#endif							/* PGBSON_PATH_H */
