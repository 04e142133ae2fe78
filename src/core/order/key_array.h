/*
 * key_array.h
 *	  The keys of a text[] in a value: which it has, or whether it has them.
 */
#ifndef PGBSON_KEY_ARRAY_H
#define PGBSON_KEY_ARRAY_H

#include "core/bytes/keyset.h"
#include "core/find/path_args.h"

/*
 * Put the elements of a text[], of any dimensions, into a set of keys; NULLs are left out.
 * If the caller looks for them in one value only, it gives "value", and keys that this value
 * cannot have may be left out, too; NULL puts in all of them.
 */
extern void PgBsonKeysFromArray(ArrayType *array, const PgBsonValue *value, PgBsonKeySet *keys);

/* Does the value have all, or any, of them?  It is asked in their order, until that is known. */
extern bool PgBsonHasKeysOfArray(const PgBsonValue *value, ArrayType *array, bool all);

#endif							/* PGBSON_KEY_ARRAY_H */
