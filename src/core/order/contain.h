/*
 * contain.h
 *	  Containment and existence, as jsonb has them.
 */
#ifndef PGBSON_CONTAIN_H
#define PGBSON_CONTAIN_H

#include "core/bytes/keyset.h"
#include "core/find/fetch.h"

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

/* So many fields are looked up one by one */
#define PGBSON_FEW_FIELDS	8

/* Of more, so many at the front are looked up before the whole is read, if they are scalars */
#define PGBSON_FIRST_FIELDS	2

/* What is looked for, made ready: so that a call site does it once for all rows */
typedef struct PgBsonPart
{
	PgBsonValue value;			/* not copied */
	bool		few_fields;		/* it is a document of a few fields */
	int			first;			/* so many of its fields are looked up one by one, and here they are */
	PgBsonKeySet fields;
	Size		least;			/* bytes that a document with all of its fields has at least, or 0 */
} PgBsonPart;

/* It points into the value's bytes and into itself, and so must not be moved */
extern void PgBsonPartInit(PgBsonPart *part, const PgBsonValue *value);

/* Find out, too, which documents are too small: it pays where many are asked */
extern void PgBsonPartMeasure(PgBsonPart *part);

/*
 * The same for a datum that may be toasted; reads no more of it than it needs to.
 * "hints" are one for each of the part's first fields, or NULL.
 */
extern bool PgBsonDatumContains(Datum datum, const PgBsonPart *part, PgBsonFetchHint *hints);

/*
 * Is this string a key of the document, an element of the array, or the scalar
 * itself?  A symbol counts as a string, as it does for equality.
 */
extern bool PgBsonDatumHasKey(Datum datum, const PgBsonStep *key, PgBsonFetchHint *hint);

/* The same for a set of keys: all of them, or any.  Marks the keys of the set. */
extern bool PgBsonHasKeys(const PgBsonValue *value, PgBsonKeySet *keys, bool all);

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
