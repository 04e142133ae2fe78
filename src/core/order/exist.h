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
 * Is this string a key of the reader's document, an element of its array, or its scalar?  A symbol counts as a string,
 * as it does for equality.  The call overwrites reader->root.
 */
extern bool PgBsonHasKey(PgBsonReader *reader, const PgBsonStep *key, PgBsonFindHint *hint);

/* Does a value that is all there have all keys of a set, or any of them, as PgBsonHasKey?  Marks the keys that were found. */
extern bool PgBsonHasKeys(const PgBsonValue *value, PgBsonKeySet *keys, bool all);

/* Keys that are looked for, prepared once for all rows of a call site */
typedef struct PgBsonWantedKeys
{
	PgBsonKeySet keys;			/* which the caller fills */
	PgBsonFieldTarget targets[PGBSON_MAX_FIELDS];	/* the same keys, if there are at most so many */
} PgBsonWantedKeys;

/* Prepare the keys that the caller has put into the set */
extern void PgBsonWantedKeysInit(PgBsonWantedKeys *wanted);

/* PgBsonHasKeys of the reader's value, of which no more is read than the answer needs */
extern bool PgBsonReaderHasKeys(PgBsonReader *reader, PgBsonWantedKeys *wanted, bool all);

#endif							/* PGBSON_EXIST_H */
