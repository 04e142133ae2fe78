/*
 * path_args.h
 *	  Function arguments as path steps.
 */
#ifndef PGBSON_PATH_ARGS_H
#define PGBSON_PATH_ARGS_H

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

/*
 * The elements of a text[], of any dimensions, as a set of keys; NULLs are left out.
 * With "of" (or NULL), only those are needed that are keys of this value, or strings in
 * it: the others may be left out too.
 */
extern void PgBsonKeysFromArray(ArrayType *array, const PgBsonValue *of, PgBsonKeySet *keys);

/* Does the value have all, or any, of them?  It is asked in their order, until that is known. */
extern bool PgBsonHasKeysOfArray(const PgBsonValue *value, ArrayType *array, bool all);

/* Raise 2202E for an array of more than one dimension */
extern void PgBsonCheckOneDimension(ArrayType *array);

/*
 * The arguments from "first" on, each a text key, an int4 index or a text[]
 * path; palloc'd.  "copy": the keys too, so that they outlive the arguments.
 */
extern PgBsonSteps PgBsonStepsFromArgs(FunctionCallInfo fcinfo, int first, bool copy);

/*
 * Is the argument a constant of this call site, so that what follows from it can
 * be kept in fn_extra?  Not so a Param, which the server's get_fn_expr_arg_stable
 * takes for stable too: PL/pgSQL keeps a simple expression's call sites from one
 * evaluation to the next, with other values in its variables.  Nor the elements
 * of = ANY (array).
 */
extern bool PgBsonArgIsConst(const FmgrInfo *flinfo, int argno);

/* Is it a parameter, which mostly has the same value at each call? */
extern bool PgBsonArgIsParam(const FmgrInfo *flinfo, int argno);

#endif							/* PGBSON_PATH_ARGS_H */
