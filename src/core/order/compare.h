/*
 * compare.h
 *	  MongoDB's total order over values.
 */
#ifndef PGBSON_COMPARE_H
#define PGBSON_COMPARE_H

#include "core/stored/reader.h"

/* Ranks of types in the order; no type has the largest */
#define PGBSON_NO_RANK	0xFF

/* Of each type, by its byte */
extern const uint8 PgBsonRanks[256];

/* For bytes that validation would have refused */
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

/* <0, 0, >0 */
extern int	PgBsonCompare(const PgBsonValue *a, const PgBsonValue *b);

/* The same of the roots that two readers have open; as mostly one of the first fields tells, no more is read at first */
extern int	PgBsonCompareRead(PgBsonReader *a, PgBsonReader *b);

/* The same of two PgBsonValues, for PgBsonSort and bsearch */
extern int	PgBsonCompareSorted(const void *a, const void *b);

/* Sort them so; equal ones stay in their order */
extern void PgBsonSortValues(PgBsonValue *values, Size n);

/* Is an equal value among these, which PgBsonCompareSorted has sorted? */
extern bool PgBsonIsAmong(const PgBsonValue *sorted, int count, const PgBsonValue *value);

/* Equal by PgBsonCompare; cheaper */
extern bool PgBsonEqual(const PgBsonValue *a, const PgBsonValue *b);

#endif							/* PGBSON_COMPARE_H */
