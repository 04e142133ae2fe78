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
 * Raise an internal error: the byte is no type.  Whoever reads a value checks its type first, so this
 * is not reached.
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

/* Returns <0, 0 or >0; allocates nothing */
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
 * Write the first bytes of the encoding of a scalar, at most "room" of them, and return how many.  Of
 * two scalars of one rank, the one whose bytes are less (memcmp) is less; if the bytes are equal, the
 * scalars may differ.  *whole is false if "room" bytes were too few for a string or binary.  Numbers
 * are encoded as their nearest double.
 */
extern uint32 PgBsonSortableBytes(const PgBsonValue *value, uint8 *bytes, uint32 room, bool *whole);

#endif							/* PGBSON_COMPARE_H */
