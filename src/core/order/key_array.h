/*
 * key_array.h
 *	  The elements of a text[] as keys: a set of them, and whether a value has them.
 */
#ifndef PGBSON_KEY_ARRAY_H
#define PGBSON_KEY_ARRAY_H

#include "core/bytes/keyset.h"
#include "core/find/path_args.h"

/*
 * Make a set of the elements of a text[], of any number of dimensions; NULLs are left out.  The keys
 * point into the array, or are palloc'd if they had to be converted to UTF-8.  If "value" is not NULL,
 * keys that it does not have may be left out, too.
 */
extern void PgBsonKeysFromArray(ArrayType *array, const PgBsonValue *value, PgBsonKeySet *keys);

/* Does the value have all elements of a text[] as keys or, if not "all", any of them (PgBsonHasKeys)? */
extern bool PgBsonHasKeysOfArray(const PgBsonValue *value, ArrayType *array, bool all);

#endif							/* PGBSON_KEY_ARRAY_H */
