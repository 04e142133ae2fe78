/*
 * path_args.h
 *	  text[] as path steps and keys.
 */
#ifndef PGBSON_PATH_ARGS_H
#define PGBSON_PATH_ARGS_H

#include "core/find/path.h"
#include "utils/array.h"

/* The steps of a path that a function has as arguments */
typedef struct PgBsonSteps
{
	int			count;
	bool		has_null;		/* one of them is NULL, so that the path leads to nothing */
	PgBsonStep *steps;
} PgBsonSteps;

/*
 * The steps of a text[] path, palloc'd; their keys are as PgBsonStepFromText's.
 * The step of a NULL has no key.  Raises 2202E for an array of more than one
 * dimension.
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

#endif							/* PGBSON_PATH_ARGS_H */
