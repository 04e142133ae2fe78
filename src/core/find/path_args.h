/*
 * path_args.h
 *	  Text and text[] as path steps and keys.
 */
#ifndef PGBSON_PATH_ARGS_H
#define PGBSON_PATH_ARGS_H

#include "core/find/path.h"
#include "utils/array.h"

/* The steps that arguments of a function make */
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

/* The elements of a text[] that are not NULL, where they lie: deconstruct_array would take memory for each of many */
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
