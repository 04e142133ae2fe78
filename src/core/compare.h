/*
 * compare.h
 *	  MongoDB's total order over values, and the hash that agrees with it.
 */
#ifndef PGBSON_COMPARE_H
#define PGBSON_COMPARE_H

#include "core/view.h"

/* Rank of a type in the order: equal for types that compare with one another */
extern int	PgBsonTypeRank(PgBsonType type);

/* <0, 0, >0 */
extern int	PgBsonCompare(const PgBsonValue *a, const PgBsonValue *b);

/* The same of two PgBsonValues, for qsort and bsearch */
extern int	PgBsonCompareSorted(const void *a, const void *b);

/* Is an equal value among these, which PgBsonCompareSorted has sorted? */
extern bool PgBsonIsAmong(const PgBsonValue *sorted, int count, const PgBsonValue *value);

/* Equal by PgBsonCompare; cheaper */
extern bool PgBsonEqual(const PgBsonValue *a, const PgBsonValue *b);

/* A number that never sorts against PgBsonCompare: less means less, equal says nothing */
extern uint64 PgBsonSortPrefix(const PgBsonValue *value);

/* Equal values have equal hashes */
extern uint64 PgBsonHash(const PgBsonValue *value, uint64 seed);

#endif							/* PGBSON_COMPARE_H */
