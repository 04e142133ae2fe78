/*
 * contain.h
 *	  Containment and existence, as jsonb has them.
 */
#ifndef PGBSON_CONTAIN_H
#define PGBSON_CONTAIN_H

#include "core/bytes/keyset.h"
#include "core/find/fields.h"
#include "core/find/path.h"

/*
 * Does "value" contain "part"?
 *
 * A document contains another if it has each of its fields with a value that
 * contains that field's, in any order.  An array contains another if each of
 * the other's elements is in it: a scalar as an equal one, a document or array
 * as one that contains it; how often and in what order does not matter.
 * Scalars contain what is equal to them (core/order/compare.h).  At the root, and
 * only there, an array also contains a bare scalar that is one of its
 * elements.  Of duplicate keys the first counts, on both sides, so every value
 * contains itself.
 */
extern bool PgBsonContains(const PgBsonValue *value, const PgBsonValue *part);

/* What it is looked for in, made ready: so that a call site does it once for all rows */
typedef struct PgBsonWhole
{
	PgBsonValue value;			/* not copied */
	PgBsonKeySet fields;		/* of a document */
} PgBsonWhole;

/* It points into the value's bytes and into itself, and so must not be moved */
extern void PgBsonWholeInit(PgBsonWhole *whole, const PgBsonValue *value);
extern bool PgBsonWholeContains(PgBsonWhole *whole, const PgBsonValue *part);

/* A part of at most this many fields is looked for field by field */
#define PGBSON_FEW_FIELDS	8

/* Of more fields this many at the front, if they are scalars, are looked for before all of a value is read */
#define PGBSON_FIRST_FIELDS	2

/* In a part, documents of one field are looked into as deep as this */
#define PGBSON_PART_STEPS	8

/* One field of a part, which leads through documents of one field each to the value to look for */
typedef struct PgBsonPartField
{
	PgBsonStep	steps[PGBSON_PART_STEPS];
	int			nsteps;
	PgBsonValue value;
} PgBsonPartField;

/* What is looked for, made ready: so that a call site does it once for all rows */
typedef struct PgBsonPart
{
	PgBsonValue value;			/* not copied */
	bool		few_fields;		/* it is a document of a few fields */
	int			first;			/* how many of its fields are looked for one by one ... */
	PgBsonPartField fields[PGBSON_FEW_FIELDS];	/* ... and which */
	Size		least;			/* bytes that a document with all of its fields has at least, or 0 */
} PgBsonPart;

/* It points into the value's bytes */
extern void PgBsonPartInit(PgBsonPart *part, const PgBsonValue *value);

/* Find out, too, which documents are too small: it pays where many are asked */
extern void PgBsonPartMeasure(PgBsonPart *part);

/*
 * Does the value that the reader has open contain the part?  No more of it is read than the answer
 * needs.  "hints" are one for each of the part's first fields, or NULL.
 */
extern bool PgBsonContainsPart(PgBsonReader *reader, const PgBsonPart *part, PgBsonFindHint *hints);

/* The same of a part that is looked for once */
extern bool PgBsonReaderContains(PgBsonReader *reader, const PgBsonValue *part);

/*
 * Is this string a key of the document that the reader has open, an element of the array, or the scalar
 * itself?  A symbol counts as a string, as it does for equality.  The reader's root is not its root afterwards.
 */
extern bool PgBsonHasKey(PgBsonReader *reader, const PgBsonStep *key, PgBsonFindHint *hint);

/* The same of a value for a set of keys: all of them, or any.  Marks the keys of the set. */
extern bool PgBsonHasKeys(const PgBsonValue *value, PgBsonKeySet *keys, bool all);

/* Keys that are looked for, made ready: so that a call site does it once for all rows */
typedef struct PgBsonWantedKeys
{
	PgBsonKeySet keys;			/* which the caller fills */
	PgBsonFieldTarget targets[PGBSON_MAX_FIELDS];	/* the same, if they are few */
} PgBsonWantedKeys;

/* Make ready what is in the set */
extern void PgBsonWantedKeysInit(PgBsonWantedKeys *wanted);

/* PgBsonHasKeys of them and the value that the reader has open, of which no more is read than the answer needs */
extern bool PgBsonReaderHasKeys(PgBsonReader *reader, PgBsonWantedKeys *wanted, bool all);

/* Is the value a string (or symbol)?  Then *s and *len are its bytes. */
static inline bool
PgBsonValueIsString(const PgBsonValue *value, const char **s, uint32 *len)
{
	if (value->type != PGBSON_STRING && value->type != PGBSON_SYMBOL)
		return false;
	*s = PgBsonValueString(value, len);
	return true;
}

#endif							/* PGBSON_CONTAIN_H */
