/*
 * analyze_walk.h
 *	  What ANALYZE of a bson column keeps while it looks into documents: the
 *	  places where values are, and how many rows have each value there; and
 *	  what is made of that.
 */
#ifndef PGBSON_ANALYZE_WALK_H
#define PGBSON_ANALYZE_WALK_H

#include "planner/statistics.h"

typedef struct PgBsonPlace PgBsonPlace;

/*
 * Counts the documents that have a place or a value.  Of a large array only one element in n is examined; a document in
 * which the place or value was first met in such an array counts n times in "part_weight".
 */
typedef struct PgBsonMet
{
	int			last;			/* the number of the last document that has it, from 1 on */
	int			rows;			/* documents with it */
	int			part_rows;		/* of these rows, those that met it first in part of an array */
	double		part_weight;	/* how many documents "part_rows" stand for */
} PgBsonMet;

/* A distinct scalar value at a place */
typedef struct PgBsonSeen
{
	struct PgBsonSeen *next;	/* at the same place */
	PgBsonPlace *place;
	PgBsonValue value;			/* points behind this struct, to a copy of at most PGBSON_FRONT_BYTES */
	PgBsonMet	met;
	float4		frequency;		/* the fraction of rows, set when the value is chosen to be kept */
	float4		surplus;		/* in how many documents more or fewer than expected the value is */
} PgBsonSeen;

/*
 * A place where values are: a path, and how it leads through arrays.  Documents resemble one
 * another, so each place remembers which name followed it the last time.  If the same name follows
 * again, which is mostly so, comparing the two names finds its place, without the hash table.
 */
struct PgBsonPlace
{
	uint64		names;			/* the hash of the path's names */
	PgBsonGinVia via;
	const char *name;			/* the last name; NULL: this is the root, or elements of an array */
	uint32		name_len;
	PgBsonPlace *next_place;	/* the list of all places, in the order of their making: parents come first */
	PgBsonPlace *parent;		/* the place of the document with this field, or of the array with these elements */
	PgBsonPlace *elements;		/* the place of this array's elements; NULL: none was met yet */
	PgBsonPlace *first;			/* if this is a document: the place of its first name */
	PgBsonPlace *next;			/* the place of the name that followed this one */
	uint32		document;		/* the last document, a root or a nested one, in which the name was met */
	PgBsonMet	met;
	double		rows;			/* an estimate of how many of the documents examined have it */
	double		part_rows;		/* of these, the documents that have it only in parts of arrays */

	/* the distinct scalar values met here; each is counted once for a document */
	PgBsonSeen *values;			/* the distinct ones */
	int			distinct;
	int			repeated;		/* how many of the values more than one document has */
	int			pairs;			/* the number of pairs of a document and a value that it has */
	double		weight;			/* an estimate of "pairs" with the elements that were not examined */
	/* the values that are to be kept */
	int			nlisted;
	int			listed;			/* pairs */
	double		listed_weight;
};

typedef struct PgBsonCollection
{
	MemoryContext context;		/* of all below */
	PgBsonArena arena;			/* of places, values and names */
	struct pgbson_met_hash *table;	/* the hash table of places, and of values at places */
	uint64		factor;			/* a factor of the table's hash function, odd and random */
	PgBsonPlace *root;
	PgBsonPlace *last_place;
	int			nplaces;
	int			places_before;	/* the current document */
	int			rows;			/* documents examined */
	int			containers;		/* of "rows": those whose value is a document or an array */
	uint32		documents;		/* the number of documents met so far, nested ones included */
	int64		values;			/* the number of values met so far, scalars and containers */
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

/*
 * Estimate how many of the documents examined have a place or a value that was met, if at most
 * "parts" of them have it only in parts of arrays
 */
static inline double
PgBsonExpectedRows(const PgBsonMet *met, double parts)
{
	return met->rows - met->part_rows + Min(met->part_weight, Max(parts, met->part_rows));
}

extern void PgBsonCollectionBegin(PgBsonCollection *c);

/* Examine one document */
extern void PgBsonWalkDocument(PgBsonCollection *c, const PgBsonValue *root);

/* --- analyze_choose.c --- */

/* The statistics, of at most "wanted" fields and values: a palloc'd bytea */
extern bytea *PgBsonMakeStatistics(PgBsonCollection *c, int wanted);

/* --- analyze_range.c --- */

/* Make the histograms, and their bounds, palloc'd */
extern PgBsonHistogram *PgBsonMakeHistograms(PgBsonCollection *c, int most_bounds, uint32 *count,
											 uint64 **bounds, uint32 *nbounds);

#endif							/* PGBSON_ANALYZE_WALK_H */
