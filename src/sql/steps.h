/*
 * steps.h
 *	  Function arguments as path steps.
 */
#ifndef PGBSON_STEPS_H
#define PGBSON_STEPS_H

#include "core/keyset.h"
#include "core/path.h"
#include "utils/array.h"

/* The steps some arguments stand for */
typedef struct PgBsonSteps
{
	int			count;
	bool		has_null;		/* a NULL among them: there is nothing at such a path */
	PgBsonStep *steps;
} PgBsonSteps;

/* One text key; its bytes live as long as the argument */
extern PgBsonStep PgBsonStepFromText(const text *key, PgBsonStepKind kind);
extern PgBsonStep PgBsonStepFromIndex(int32 index);

/*
 * A text[] path; palloc'd.  The step of a NULL has no key.  Raises 2202E for an
 * array of more than one dimension.
 */
extern PgBsonSteps PgBsonStepsFromArray(ArrayType *path);

/* The elements of a text[], of any dimensions, as a set of keys; NULLs are left out */
extern void PgBsonKeysFromArray(ArrayType *array, PgBsonKeySet *keys);

/* Raise 2202E for an array of more than one dimension */
extern void PgBsonCheckOneDimension(ArrayType *array);

/*
 * The arguments from "first" on, each a text key, an int4 index or a text[]
 * path; palloc'd.  "copy": the keys too, so that they outlive the arguments.
 */
extern PgBsonSteps PgBsonStepsFromArgs(FunctionCallInfo fcinfo, int first, bool copy);

/* Do these arguments stay the same for the life of the call site? */
extern bool PgBsonStepsAreStable(FunctionCallInfo fcinfo, int first);

#endif							/* PGBSON_STEPS_H */
