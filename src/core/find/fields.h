/*
 * fields.h
 *	  Finding several fields of a document in one walk.
 */
#ifndef PGBSON_FIELDS_H
#define PGBSON_FIELDS_H

#include "core/find/walk.h"
#include "core/stored/reader.h"

/* Fields that are looked for at once, at most */
#define PGBSON_MAX_FIELDS	8

typedef struct PgBsonFieldWalk
{
	const PgBsonFieldTarget *targets;	/* keys */
	uint32		left;			/* a bit for each that is still looked for */
	uint64		filter;			/* a bit for each kind of key, by its length and two bytes, that may be wanted; 0: not made yet */
	PgBsonView	doc;
	PgBsonReader *reader;		/* which has it open */
	const uint8 *avail;			/* the end of the bytes that are there from the next element on */
	const uint8 *p;				/* the next element */
	int			hit;			/* which field is, or may be, the one to stop at */
} PgBsonFieldWalk;

/* The bit of the filter for this key, which is not empty or has a byte before it */
static inline uint64
PgBsonFieldFilter(const uint8 *key, uint32 key_len)
{
	return UINT64CONST(1) << ((key_len * 11 + key[(int32) key_len - 1] + key[key_len / 2] * 5) & 63);
}

/* Look for those of the targets that "left" has a bit for in the reader's root, a document */
static inline void
PgBsonFieldWalkBegin(PgBsonFieldWalk *walk, const PgBsonFieldTarget *targets, uint32 left, PgBsonReader *reader)
{
	walk->targets = targets;
	walk->left = left;
	walk->filter = 0;
	walk->doc = PgBsonValueView(&reader->root);
	walk->reader = reader;
	walk->avail = reader->avail;
	walk->p = walk->doc.data + 4;
}

/*
 * The next of the fields that are left: which, and where its value is, which PgBsonFieldRead reads.  False at the
 * end of the document.
 */
extern bool PgBsonNextField(PgBsonFieldWalk *walk, int *which, PgBsonValue *value);

/* Read all of the value that PgBsonNextField found last */
extern void PgBsonFieldRead(PgBsonFieldWalk *walk, const PgBsonValue *value);

#endif							/* PGBSON_FIELDS_H */
