/*
 * contain.h
 *	  Containment, and existence of keys, as jsonb has them.
 */
#ifndef PGBSON_CONTAIN_H
#define PGBSON_CONTAIN_H

#include "core/bytes/keyset.h"
#include "core/find/fields.h"
#include "core/find/path.h"

/*
 * Does "value" contain "part"?
 *
 * A document contains another one if for each field of the other it has a field of that name whose
 * value contains the other field's value.  An array contains another one if for each element of the
 * other it has one that is equal or, if the element is a document or an array, that contains it.
 * Neither order nor repetition matters.  A scalar contains equal scalars (core/order/compare.h).  At
 * the root, and only there, an array also contains a scalar that is one of its elements.  Of several
 * fields with one name only the first counts, on both sides, so every value contains itself.
 */
extern bool PgBsonContains(const PgBsonValue *value, const PgBsonValue *part);

/* The left side of @>, prepared once where it is the same for all rows of a call site */
typedef struct PgBsonWhole
{
	PgBsonValue value;			/* not copied */
	PgBsonKeySet fields;		/* of a document */
} PgBsonWhole;

/*
 * Prepare a value.  The structure points into the value's bytes, which must live as long, and into
 * itself, so it must not be moved.  Its key set is palloc'd in the current memory context, and freed
 * with that.
 */
extern void PgBsonWholeInit(PgBsonWhole *whole, const PgBsonValue *value);
extern bool PgBsonWholeContains(PgBsonWhole *whole, const PgBsonValue *part);

/* A part, the right side of @>, is searched for field by field if it has at most this many fields */
#define PGBSON_FEW_FIELDS	8

/*
 * If it has more, up to this many of its first fields, as far as they are scalars, are searched for
 * before the whole value is read
 */
#define PGBSON_FIRST_FIELDS	2

/* The most steps of a PgBsonPartField */
#define PGBSON_PART_STEPS	8

/* A field of a part.  Where its value is a document of one field, the steps lead on to the value of that one. */
typedef struct PgBsonPartField
{
	PgBsonStep	steps[PGBSON_PART_STEPS];
	int			nsteps;
	PgBsonValue value;
} PgBsonPartField;

/* A part, prepared once for all rows of a call site */
typedef struct PgBsonPart
{
	PgBsonValue value;			/* not copied */
	bool		few_fields;		/* it is a document of a few fields */
	int			first;			/* how many of its fields are searched for one by one */
	PgBsonPartField fields[PGBSON_FEW_FIELDS];	/* those fields */
	Size		least;			/* the least size of a document with all of its fields; 0 if it was not calculated */
} PgBsonPart;

/* Prepare a part.  The structure points into the value's bytes, which must live as long. */
extern void PgBsonPartInit(PgBsonPart *part, const PgBsonValue *value);

/* Calculate "least", too; this pays if many documents are searched */
extern void PgBsonPartMeasure(PgBsonPart *part);

/*
 * Does the reader's value contain the part?  It is read only as far as the answer needs.  "hints" has
 * one hint for each of the part's fields, or is NULL.
 */
extern bool PgBsonContainsPart(PgBsonReader *reader, const PgBsonPart *part, PgBsonFindHint *hints);

/* PgBsonContainsPart of a part that is not prepared */
extern bool PgBsonReaderContains(PgBsonReader *reader, const PgBsonValue *part);

/* --- exist.c: existence of keys; nothing is palloc'd, except by a function that says so --- */

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

#endif							/* PGBSON_CONTAIN_H */
