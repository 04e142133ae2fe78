/*
 * path.h
 *	  Finding a value by key, index or path.
 */
#ifndef PGBSON_PATH_H
#define PGBSON_PATH_H

#include "core/view.h"

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
 * Follow the steps from "from"; false if there is nothing there.  Of duplicate
 * keys the first counts.  *result points into from's bytes.
 */
extern bool PgBsonFind(PgBsonValue from, const PgBsonStep *steps, int nsteps,
					   PgBsonValue *result);

/* First field of this name in a document */
extern bool PgBsonFindKey(PgBsonView doc, const char *key, uint32 key_len, PgBsonValue *result);

/* Element of an array by position, negative from the end */
extern bool PgBsonFindIndex(PgBsonView array, int32 index, PgBsonValue *result);

/* A path element as an array index, as jsonb reads it; false if it is not an integer */
extern bool PgBsonStepAsIndex(const char *key, uint32 key_len, int32 *index);

#endif							/* PGBSON_PATH_H */
