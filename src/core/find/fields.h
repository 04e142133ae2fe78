/*
 * fields.h
 *	  Finding several fields of a document in one walk.
 */
#ifndef PGBSON_FIELDS_H
#define PGBSON_FIELDS_H

#include "core/find/walk.h"
#include "core/stored/reader.h"

/* How many fields can be looked for in one walk */
#define PGBSON_MAX_FIELDS	8

typedef struct PgBsonFieldWalk
{
	const PgBsonFieldTarget *targets;	/* keys */
	uint32		left;			/* a bit for each that is still looked for */
	uint64		filter;			/* bits of the wanted keys, see PgBsonFieldFilter; 0: not made yet */
	PgBsonView	doc;
	PgBsonReader *reader;		/* of the document */
	PgBsonGuess *guess;
	const uint8 *avail;			/* the end of the bytes that can be read without a gap from the next element on */
	const uint8 *p;				/* the next element */
	int			hit;			/* number of the field that was found last */
} PgBsonFieldWalk;

/* The bit for a key, made of its length and two of its bytes.  The byte before an empty key is read. */
static inline uint64
PgBsonFieldFilter(const uint8 *key, uint32 key_len)
{
	return UINT64CONST(1) << ((key_len * 11 + key[(int32) key_len - 1] + key[key_len / 2] * 5) & 63);
}

/*
 * Begin to look for the targets that have a bit in "left" in the reader's root, a document.  "guess" is what is
 * remembered of the document before.  Allocates nothing.
 */
static inline void
PgBsonFieldWalkBegin(PgBsonFieldWalk *walk, const PgBsonFieldTarget *targets, uint32 left, PgBsonReader *reader,
					 PgBsonGuess *guess)
{
	PgBsonGuessBegin(guess);
	walk->guess = guess;
	walk->targets = targets;
	walk->left = left;
	walk->filter = 0;
	walk->doc = PgBsonValueView(&reader->root);
	walk->reader = reader;
	walk->avail = reader->avail;
	walk->p = walk->doc.data + 4;
}

/*
 * Find the next of the fields that are left: *which is its number, and *value its value, whose bytes may not all be
 * there (PgBsonFieldRead).  False at the end of the document.  Of duplicate keys the first is found.
 */
extern bool PgBsonNextField(PgBsonFieldWalk *walk, int *which, PgBsonValue *value);

/* Make sure that all bytes of the value that PgBsonNextField found last are there */
extern void PgBsonFieldRead(PgBsonFieldWalk *walk, const PgBsonValue *value);

#endif							/* PGBSON_FIELDS_H */
