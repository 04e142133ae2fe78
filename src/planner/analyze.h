/*
 * analyze.h
 *	  What ANALYZE of a bson column keeps while it looks into documents: the
 *	  places where values are, and how many rows have each value there.
 */
#ifndef PGBSON_ANALYZE_H
#define PGBSON_ANALYZE_H

#include "planner/statistics.h"

typedef struct PgBsonPlace PgBsonPlace;

/*
 * In how many documents something was met.  Of a large array only one element
 * in n is examined.  A document in which something was first met in such an
 * array stands for n.
 */
typedef struct PgBsonMet
{
	int			last;			/* the last document, numbered from 1 on */
	int			rows;			/* documents with it */
	int			part_rows;		/* of these, the ones where it was first met in part of an array */
	double		part_weight;	/* what these stand for */
} PgBsonMet;

/* A distinct scalar value at a place */
typedef struct PgBsonSeen
{
	struct PgBsonSeen *next;	/* at the same place */
	PgBsonPlace *place;
	PgBsonValue value;			/* its bytes are a copy of at most PGBSON_FRONT_BYTES, behind this struct */
	PgBsonMet	met;
	float4		frequency;		/* the fraction of rows, once it is chosen to be kept */
	float4		surplus;		/* by how many documents an estimate would be wrong without it */
} PgBsonSeen;

/*
 * A place where values are: a path, and how it leads through arrays.  Documents
 * resemble one another, so a place remembers which name came next the last time;
 * mostly it comes again, and comparing the two names is all it takes to find its place.
 */
struct PgBsonPlace
{
	uint64		names;			/* the hash of the path's names */
	PgBsonGinVia via;
	const char *name;			/* the last name; NULL: this is the root, or elements of an array */
	uint32		name_len;
	PgBsonPlace *next_place;	/* in the order in which they were made: parents come first */
	PgBsonPlace *parent;		/* the document with the field, or the array with the elements */
	PgBsonPlace *elements;		/* the place of an array's elements; NULL: not met yet */
	PgBsonPlace *first;			/* of a document: the place of its first name */
	PgBsonPlace *next;			/* the place of the name that came after this one */
	uint32		document;		/* the last document, the root or one within it, that had the name */
	PgBsonMet	met;
	double		rows;			/* how many documents are to be expected to have it, of those examined */
	double		part_rows;		/* of these, the ones that have it in parts of arrays */

	/* its scalar values, each counted once for a document */
	PgBsonSeen *values;			/* the distinct ones */
	int			distinct;
	int			repeated;		/* of these, the ones that more than one document has */
	int			pairs;			/* of a document and a value in it */
	double		weight;			/* how many there are to be expected, with those in elements that were not examined */
	/* of these, the values that are kept */
	int			nlisted;
	int			listed;			/* pairs */
	double		listed_weight;
};

typedef struct PgBsonCollection
{
	MemoryContext context;		/* of all below */
	struct pgbson_met_hash *table;	/* places, and values at places, by their hashes */
	uint64		factor;			/* of the table's hash function, odd, random */
	PgBsonPlace *root;
	PgBsonPlace *last_place;
	int			nplaces;
	int			places_before;	/* the current document */
	int			rows;			/* documents examined */
	int			containers;		/* of these, the ones that are documents and arrays, not scalars */
	uint32		documents;		/* the number of documents so far, with those within others */
	int64		values;			/* the number of values so far, scalars or not */
	uint64		random;			/* state of PgBsonNextRandom */
	double		nonnull_rows;	/* of the table */
} PgBsonCollection;

/* A random number below "n" */
static inline uint32
PgBsonNextRandom(uint64 *state, uint32 n)
{
	*state = *state * UINT64CONST(6364136223846793005) + UINT64CONST(1442695040888963407);
	return (uint32) ((*state >> 32) * n >> 32);
}

/* --- analyze_walk.c: through documents --- */

extern void PgBsonCollectionBegin(PgBsonCollection *c);

/* Examine one document */
extern void PgBsonWalkDocument(PgBsonCollection *c, const PgBsonValue *root);

/* --- analyze_choose.c: what is kept of it --- */

/* How many of the documents examined are to be expected to have what was met, if at most "parts" of them have it in parts of arrays */
static inline double
PgBsonExpectedRows(const PgBsonMet *met, double parts)
{
	return met->rows - met->part_rows + Min(met->part_weight, Max(parts, met->part_rows));
}

/* The statistics, of at most "wanted" fields and values: a palloc'd bytea */
extern bytea *PgBsonMakeStatistics(PgBsonCollection *c, int wanted);

/* --- analyze_range.c: histograms --- */

/* Make the histograms, and their bounds, palloc'd */
extern PgBsonHistogram *PgBsonMakeHistograms(PgBsonCollection *c, int most_bounds, uint32 *count,
											 uint64 **bounds, uint32 *nbounds);

#endif							/* PGBSON_ANALYZE_H */
