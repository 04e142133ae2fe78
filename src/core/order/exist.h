/*
 * exist.h
 *	  Existence of keys, as jsonb has it, and of elements.
 *
 * Nothing is palloc'd, except by a function that says so.
 */
#ifndef PGBSON_EXIST_H
#define PGBSON_EXIST_H

#include "core/bytes/keyset.h"
#include "core/find/fields.h"
#include "core/find/path.h"
#include "core/find/path_args.h"

/*
 * Is the reader's root a document with this key, an array with this string as an element, or the string
 * itself?  A symbol counts as a string, as in comparisons.  The call overwrites reader->root.
 */
extern bool PgBsonHasKey(PgBsonReader *reader, const PgBsonStep *key, PgBsonFindHint *hint);

/*
 * Does the value, all of whose bytes are at hand, have all keys of a set or, if not "all", any of them,
 * in the sense of PgBsonHasKey?  Marks the keys that it finds.
 */
extern bool PgBsonHasKeys(const PgBsonValue *value, PgBsonKeySet *keys, bool all);

/* Keys to search for, prepared once for all rows of a call site */
typedef struct PgBsonWantedKeys
{
	PgBsonKeySet keys;			/* which the caller fills */
	PgBsonFields fields;		/* the same keys, if they are few */
} PgBsonWantedKeys;

/* Prepare the keys that the caller has put into the set */
extern void PgBsonWantedKeysInit(PgBsonWantedKeys *wanted);

/* PgBsonHasKeys for a reader's value, which is read only as far as the answer needs */
extern bool PgBsonReaderHasKeys(PgBsonReader *reader, PgBsonWantedKeys *wanted, bool all);

/* --- member.c: is a scalar one of the elements of an array? --- */

/*
 * Is a value that is equal to the scalar (core/order/compare.h) an element of the array?  "scalar" is
 * no document or array.
 */
extern bool PgBsonArrayHas(PgBsonView array, const PgBsonValue *scalar);

/* Is a string or symbol of these bytes an element of the array? */
extern bool PgBsonArrayHasText(PgBsonView array, const char *s, uint32 len);

/* --- key_array.c: the elements of a text[] as keys --- */

/*
 * Make a set of the elements of a text[], of any number of dimensions; NULLs are left out.  The keys
 * point into the array, or are palloc'd if they had to be converted to UTF-8.  If "value" is not NULL,
 * keys that it does not have may be left out, too.
 */
extern void PgBsonKeysFromArray(ArrayType *array, const PgBsonValue *value, PgBsonKeySet *keys);

/* Does the value have all elements of a text[] as keys or, if not "all", any of them (PgBsonHasKeys)? */
extern bool PgBsonHasKeysOfArray(const PgBsonValue *value, ArrayType *array, bool all);

#endif							/* PGBSON_EXIST_H */
