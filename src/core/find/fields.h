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

/* The fields that a call site looks for, and what it remembers of the document before; begins as zeroes */
typedef struct PgBsonFields
{
	uint32		count;
	uint64		filter;			/* a bit for each, by its key's first and last byte */
	PgBsonFieldTarget targets[PGBSON_MAX_FIELDS];
	PgBsonGuess guess;
} PgBsonFields;

/* Look for another field; there must be room for it */
extern void PgBsonFieldsAdd(PgBsonFields *fields, const char *key, uint32 key_len);

/* The number of the field of this key, or -1; with Enter it is looked for from now on, if there is room for it */
extern int	PgBsonFieldsFind(const PgBsonFields *fields, const char *key, uint32 key_len);
extern int	PgBsonFieldsEnter(PgBsonFields *fields, const char *key, uint32 key_len);

typedef struct PgBsonFieldWalk
{
	PgBsonFields *fields;
	uint32		left;			/* a bit for each that is still looked for */
	int			hit;			/* number of the field that was found last */
	PgBsonReader *reader;		/* of the document */
	PgBsonWalkState state;
} PgBsonFieldWalk;

/* Begin to look for the fields in the reader's root, a document.  Allocates nothing. */
static inline void
PgBsonFieldWalkBegin(PgBsonFieldWalk *walk, PgBsonFields *fields, PgBsonReader *reader)
{
	PgBsonGuessBegin(&fields->guess);
	walk->fields = fields;
	walk->left = ((uint32) 1 << fields->count) - 1;
	walk->reader = reader;
	walk->state = PgBsonWalkBegin(PgBsonValueView(&reader->root), reader->avail, &fields->guess, walk);
}

/*
 * Find the next of the fields that are left: *which is its number, and *value its value, whose bytes may not all be
 * there (PgBsonFieldRead).  False at the end of the document.  Of duplicate keys the first is found.
 */
extern bool PgBsonNextField(PgBsonFieldWalk *walk, int *which, PgBsonValue *value);

/* Make sure that all bytes of the value that PgBsonNextField found last are there */
extern void PgBsonFieldRead(PgBsonFieldWalk *walk, const PgBsonValue *value);

#endif							/* PGBSON_FIELDS_H */
