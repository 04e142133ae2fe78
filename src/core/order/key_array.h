/*
 * key_array.h
 *	  The keys of a text[] in a value: which it has, or whether it has them.
 */
#ifndef PGBSON_KEY_ARRAY_H
#define PGBSON_KEY_ARRAY_H

#include "core/bytes/keyset.h"
#include "core/find/path_args.h"

/*
 * The elements of a text[], of any dimensions, as a set of keys; NULLs are left out.
 * With "of" (or NULL), only those are needed that are keys of this value, or strings in
 * it: the others may be left out too.
 */
extern void PgBsonKeysFromArray(ArrayType *array, const PgBsonValue *of, PgBsonKeySet *keys);

/* Does the value have all, or any, of them?  It is asked in their order, until that is known. */
extern bool PgBsonHasKeysOfArray(const PgBsonValue *value, ArrayType *array, bool all);

#endif							/* PGBSON_KEY_ARRAY_H */
