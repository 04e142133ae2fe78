/*
 * exist.h
 *	  Existence of keys, as jsonb has it.
 */
#ifndef PGBSON_EXIST_H
#define PGBSON_EXIST_H

#include "core/bytes/keyset.h"
#include "core/find/fields.h"
#include "core/find/path.h"

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

#endif							/* PGBSON_EXIST_H */
