/*
 * path.h
 *	  Finding a value by key, index or path.
 */
#ifndef PGBSON_PATH_H
#define PGBSON_PATH_H

#include "core/find/walk.h"
#include "core/stored/reader.h"
#include "utils/array.h"

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

/* The step of one text key.  Its bytes are those of the argument, or palloc'd if they had to be converted to UTF-8. */
extern PgBsonStep PgBsonStepFromText(const text *key, PgBsonStepKind kind);
extern PgBsonStep PgBsonStepFromIndex(int32 index);

/*
 * Split a path as MongoDB writes it at its dots.  The steps are of kind PATH, and palloc'd; their keys point into
 * "path" and live as long as that.
 */
extern PgBsonStep *PgBsonSplitDotted(const char *path, uint32 len, int *nsteps);

/*
 * What a search remembers from one document to the next, where the steps are always the same.  Zero-initialised.
 * It only makes the search faster.
 */
typedef struct PgBsonFindHint
{
	uint8		absences;		/* documents in a row, up to a few, that did not have the key ... */
	uint8		absent_step;	/* ... of this step */
	PgBsonGuess guess;
} PgBsonFindHint;

/*
 * Follow the steps from *at, which becomes the value found, or else the value in which a step found nothing.  Of
 * duplicate keys the first counts.  "reader" has *at open, and reads what it must; all of what is found is there then.
 * NULL: all of *at is there.  "hint" may be NULL.  The value points into the bytes that were searched.
 */
extern bool PgBsonFindIn(PgBsonReader *reader, PgBsonValue *at, PgBsonFindHint *hint,
						 const PgBsonStep *steps, int nsteps);

/* The same in a value that is all there; *result is set only if there is something */
extern bool PgBsonFind(PgBsonValue from, const PgBsonStep *steps, int nsteps,
					   PgBsonValue *result);

/* First field of this name in a document */
extern bool PgBsonFindKey(PgBsonView doc, const char *key, uint32 key_len, PgBsonValue *result);

/* The same in a value, which need not be a document */
static inline bool
PgBsonFindField(const PgBsonValue *value, const char *name, PgBsonValue *result)
{
	return value->type == PGBSON_DOCUMENT && PgBsonFindKey(PgBsonValueView(value), name, strlen(name), result);
}

/* Element of an array by position, negative from the end */
extern bool PgBsonFindIndex(PgBsonView array, int32 index, PgBsonValue *result);

/* What a call site remembers, whose steps are always the same.  Zero-initialised. */
typedef struct PgBsonFetchHint
{
	PgBsonReadHint read;
	PgBsonFindHint find;
} PgBsonFetchHint;

/*
 * Follow the steps in a datum, which may be toasted.  *result points into the datum if that is plain; else into memory
 * that lives until the next toasted datum is opened, or the current memory context is reset (core/stored/reader.h).
 * "hint" may be NULL.
 */
extern bool PgBsonFetchPath(Datum datum, const PgBsonStep *steps, int nsteps,
							PgBsonFetchHint *hint, PgBsonValue *result);

/* A path element as an array index, as jsonb reads it; false if it is not an integer */
extern bool PgBsonStepAsIndex(const char *key, uint32 key_len, int32 *index);

/* --- path_args.c --- */

/* The steps of a path that a function has as arguments */
typedef struct PgBsonSteps
{
	int			count;
	bool		has_null;		/* one of them is NULL, so that the path leads to nothing */
	PgBsonStep *steps;
} PgBsonSteps;

/*
 * The steps of a text[] path, palloc'd; their keys are as PgBsonStepFromText's.  The step of a NULL has no key.
 * Raises 2202E for an array of more than one dimension.
 */
extern PgBsonSteps PgBsonStepsFromArray(ArrayType *path);

/* A pass over the elements of a text[] that are not NULL; deconstruct_array would take memory for each of them */
typedef struct PgBsonArrayKeys
{
	int			n;				/* elements, NULLs among them */
	int			i;				/* the next one ... */
	const char *p;				/* ... and its bytes */
	const uint8 *nulls;
	bool		utf8;			/* they are UTF-8, as keys are */
} PgBsonArrayKeys;

extern PgBsonArrayKeys PgBsonKeysOf(ArrayType *array);

/* The next element that is not NULL; false if there is none */
extern bool PgBsonNextKey(PgBsonArrayKeys *keys, const char **key, uint32 *len);

/* Raise 2202E for an array of more than one dimension */
extern void PgBsonCheckOneDimension(ArrayType *array);

#endif							/* PGBSON_PATH_H */
