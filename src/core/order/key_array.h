/*
 * key_array.h
 *	  The keys of a text[] in a value: which it has, or whether it has them.
 */
#ifndef PGBSON_KEY_ARRAY_H
#define PGBSON_KEY_ARRAY_H

#include "core/bytes/keyset.h"
#include "core/find/path_args.h"

/*
 * Add the elements of a text[], of any number of dimensions, to a set of keys; NULLs are left out.  The keys point into
 * the array, or are palloc'd if they had to be converted to UTF-8.  If "value" is given, keys that it does not have may
 * be left out, too; NULL adds all of them.
 */
extern void PgBsonKeysFromArray(ArrayType *array, const PgBsonValue *value, PgBsonKeySet *keys);

/* Does the value have all elements of a text[] as keys, or any of them (PgBsonHasKeys)? */
extern bool PgBsonHasKeysOfArray(const PgBsonValue *value, ArrayType *array, bool all);

#endif							/* PGBSON_KEY_ARRAY_H */
