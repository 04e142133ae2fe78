/*
 * compare.h
 *	  MongoDB's total order over values, and a hash and an encoding that agree with it.
 *
 * Nothing is palloc'd that is not freed again.  A damaged value raises XX001, and
 * one that is nested too deeply for the stack 54001.
 */
#ifndef PGBSON_COMPARE_H
#define PGBSON_COMPARE_H

#include "core/stored/reader.h"

/* In PgBsonRanks: the byte is no type */
#define PGBSON_NO_RANK	0xFF

/* The rank of each type, by its type byte */
extern const uint8 PgBsonRanks[256];

/*
 * Raise an internal error: the byte is no type.  Whoever reads a value checks its type first, so this is not reached.
 */
pg_noreturn extern void PgBsonReportUnknownType(PgBsonType type);

/* Rank of a type: equal for types that compare with one another */
static inline int
PgBsonTypeRank(PgBsonType type)
{
	uint8		rank = PgBsonRanks[(uint8) type];

	if (unlikely(rank == PGBSON_NO_RANK))
		PgBsonReportUnknownType(type);
	return rank;
}

/*
 * The collation by which strings are compared and hashed; InvalidOid, which it is nearly always: by their bytes.  Only
 * PgBsonCollatedCall (sql/mongo/collated.c) sets it, for the time of one call, also if that raises an error.
 */
extern Oid	PgBsonCollation;

/* The keys of the values in a document of the type bson_collated: in ascending order, or in descending order */
#define PGBSON_COLLATED_UP		"+"
#define PGBSON_COLLATED_DOWN	"-"

/* --- compare_collated.c: two strings, and the hash of one, by that collation, in UTF-8 --- */

extern int	PgBsonCompareCollated(const char *a, uint32 a_len, const char *b, uint32 b_len);
extern uint64 PgBsonHashCollated(const char *string, uint32 len, uint64 seed);

/* Returns <0, 0 or >0; allocates nothing, unless there is a collation */
extern int	PgBsonCompare(const PgBsonValue *a, const PgBsonValue *b);

/* PgBsonCompare of the roots of two readers, which are read further only if the bytes read so far do not decide */
extern int	PgBsonCompareRead(PgBsonReader *a, PgBsonReader *b);

/* PgBsonCompare of two PgBsonValues, as PgBsonSort and bsearch call it */
extern int	PgBsonCompareSorted(const void *a, const void *b);

/* Sort an array of values by PgBsonCompare; equal values keep their order */
extern void PgBsonSortValues(PgBsonValue *values, Size n);

/* The same, and of equal values only the first is kept; returns how many are left */
extern int	PgBsonSortDistinct(PgBsonValue *values, int n);

/* The equal value in this array, which is sorted by PgBsonCompare; NULL if there is none */
extern const PgBsonValue *PgBsonFindAmong(const PgBsonValue *sorted, int count, const PgBsonValue *value);

static inline bool
PgBsonIsAmong(const PgBsonValue *sorted, int count, const PgBsonValue *value)
{
	return PgBsonFindAmong(sorted, count, value) != NULL;
}

/* Would PgBsonCompare return 0?  This is faster than calling it. */
extern bool PgBsonEqual(const PgBsonValue *a, const PgBsonValue *b);

/* --- hash.c --- */

/* A hash of a value.  Equal values (PgBsonEqual) have equal hashes with the same seed.  Allocates nothing. */
extern uint64 PgBsonHash(const PgBsonValue *value, uint64 seed);

/* --- sortable.c: the first bytes of an encoding of scalars that sorts in this order --- */

/*
 * Write the first bytes of the encoding of a scalar, at most "room" of them, and return how many.  Of two scalars of
 * one rank, the one whose bytes are less (memcmp) is less; if the bytes are equal, the scalars may differ.  *whole is
 * false if "room" bytes were too few for a string or binary.  Numbers are encoded as their nearest double.
 */
extern uint32 PgBsonSortableBytes(const PgBsonValue *value, uint8 *bytes, uint32 room, bool *whole);

/* --- prefix.c: abbreviated keys of sorts, the first 64 bits of an encoding that sorts in this order --- */

/*
 * The way from the root of a value to the first scalar in it: the rank of each value on the way, and the key of each
 * value below the root.  The documents of a sort mostly have the same spine.  A spine of zeroes has no levels.
 */
#define PGBSON_SPINE_LEVELS	8
#define PGBSON_SPINE_KEYS	128

typedef struct PgBsonSpine
{
	int			levels;
	int			ranks[PGBSON_SPINE_LEVELS];
	uint32		key_lens[PGBSON_SPINE_LEVELS];
	char		keys[PGBSON_SPINE_KEYS];	/* one after the other */
} PgBsonSpine;

/* Set the spine to that of a value, as far as there is room for it */
extern void PgBsonSpineInit(PgBsonSpine *spine, const PgBsonValue *value);

/*
 * The abbreviated key of a value.  Of two keys that were made with the same spine, the lesser one belongs to the value
 * that PgBsonCompare puts first; equal keys tell nothing.  Values that have the spine themselves are told apart best.
 */
extern uint64 PgBsonSortPrefix(const PgBsonSpine *spine, const PgBsonValue *value);

/*
 * Read as much of a reader's value as PgBsonSpineInit and PgBsonSortPrefix look at: up to its first scalar.  Of a
 * root that is one, PgBsonOpenFront has read enough.
 */
extern void PgBsonReachSpine(PgBsonReader *reader);

#endif							/* PGBSON_COMPARE_H */
