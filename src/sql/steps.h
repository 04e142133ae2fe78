/*
 * steps.h
 *	  Function arguments as path steps.
 */
#ifndef PGBSON_STEPS_H
#define PGBSON_STEPS_H

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

/* A text[] path; palloc'd.  Raises 2202E for an array of more than one dimension. */
extern PgBsonSteps PgBsonStepsFromArray(ArrayType *path);

/*
 * The arguments from "first" on, each a text key, an int4 index or a text[]
 * path; palloc'd.  "copy": the keys too, so that they outlive the arguments.
 */
extern PgBsonSteps PgBsonStepsFromArgs(FunctionCallInfo fcinfo, int first, bool copy);

/* Do these arguments stay the same for the life of the call site? */
extern bool PgBsonStepsAreStable(FunctionCallInfo fcinfo, int first);

#endif							/* PGBSON_STEPS_H */
