/*
 * contain.h
 *	  Containment, as jsonb has it.
 */
#ifndef PGBSON_CONTAIN_H
#define PGBSON_CONTAIN_H

#include "core/bytes/keyset.h"
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

/* A value in which parts are looked for, prepared once for all rows of a call site */
typedef struct PgBsonWhole
{
	PgBsonValue value;			/* not copied */
	PgBsonKeySet fields;		/* of a document */
} PgBsonWhole;

/*
 * Prepare a value.  The structure points into the value's bytes, which must live as long, and into itself, so it must not
 * be moved.  Its key set is palloc'd in the current memory context.
 */
extern void PgBsonWholeInit(PgBsonWhole *whole, const PgBsonValue *value);
extern bool PgBsonWholeContains(PgBsonWhole *whole, const PgBsonValue *part);

/* A part of at most this many fields is looked for field by field */
#define PGBSON_FEW_FIELDS	8

/* Of a part with more fields, so many of the first ones, if they are scalars, are looked for before the whole value is read */
#define PGBSON_FIRST_FIELDS	2

/* How many levels of nested documents with one field each are followed in a part */
#define PGBSON_PART_STEPS	8

/* One field of a part, which leads through documents of one field each to the value to look for */
typedef struct PgBsonPartField
{
	PgBsonStep	steps[PGBSON_PART_STEPS];
	int			nsteps;
	PgBsonValue value;
} PgBsonPartField;

/* A part that is looked for, prepared once for all rows of a call site */
typedef struct PgBsonPart
{
	PgBsonValue value;			/* not copied */
	bool		few_fields;		/* it is a document of a few fields */
	int			first;			/* how many of its fields are looked for one by one */
	PgBsonPartField fields[PGBSON_FEW_FIELDS];	/* those fields */
	Size		least;			/* bytes that a document with all of its fields has at least, or 0 */
} PgBsonPart;

/* Prepare a part.  The structure points into the value's bytes, which must live as long. */
extern void PgBsonPartInit(PgBsonPart *part, const PgBsonValue *value);

/* Calculate "least", too; this pays if many documents are searched */
extern void PgBsonPartMeasure(PgBsonPart *part);

/*
 * Does the reader's value contain the part?  No more of it is read than the answer needs.  "hints" are one for each of
 * the part's first fields, or NULL.
 */
extern bool PgBsonContainsPart(PgBsonReader *reader, const PgBsonPart *part, PgBsonFindHint *hints);

/* PgBsonContainsPart of a part that is not prepared */
extern bool PgBsonReaderContains(PgBsonReader *reader, const PgBsonValue *part);

#endif							/* PGBSON_CONTAIN_H */
