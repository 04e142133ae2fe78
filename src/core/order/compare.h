/*
 * compare.h
 *	  MongoDB's total order over values.
 */
#ifndef PGBSON_COMPARE_H
#define PGBSON_COMPARE_H

#include "core/stored/reader.h"

/* Ranks of types in the order; no type has the largest */
#define PGBSON_NO_RANK	0xFF

/* The rank of each type, by its type byte */
extern const uint8 PgBsonRanks[256];

/* Raise XX001: the byte is no type, so the stored value is damaged */
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

/* PgBsonCompare of the roots of two readers.  Reads more of them only when the bytes that are there do not decide. */
extern int	PgBsonCompareRead(PgBsonReader *a, PgBsonReader *b);

/* PgBsonCompare of two PgBsonValues, as PgBsonSort and bsearch call it */
extern int	PgBsonCompareSorted(const void *a, const void *b);

/* Sort an array of values by PgBsonCompare; equal values keep their order */
extern void PgBsonSortValues(PgBsonValue *values, Size n);

/* The same, and of equal values only the first is kept; returns how many are left */
extern int	PgBsonSortDistinct(PgBsonValue *values, int n);

/* Is an equal value in this array, which is sorted by PgBsonCompare? */
extern bool PgBsonIsAmong(const PgBsonValue *sorted, int count, const PgBsonValue *value);

/* Does PgBsonCompare return 0?  Faster than to compare. */
extern bool PgBsonEqual(const PgBsonValue *a, const PgBsonValue *b);

#endif							/* PGBSON_COMPARE_H */
