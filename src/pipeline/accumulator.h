/*
 * accumulator.h
 *	  Accumulators of $group as aggregates.
 */
#ifndef PGBSON_ACCUMULATOR_H
#define PGBSON_ACCUMULATOR_H

#include "pipeline/select.h"

/* Does the accumulator in {accumulator: operand} depend on the order of documents?  Raises 22023 for an unknown one. */
extern bool PgBsonAccumulatorIsOrdered(const PgBsonIter *accumulator);

/*
 * The accumulator in SQL.  The document of the SELECT must be a column.  "key" is the _id of the group, from
 * which "n" may be computed; if it is NULL, "n" must be a constant.  "over" is the window, " OVER (...)", or
 * NULL; "moves" tells that its beginning moves.
 */
extern const char *PgBsonAccumulatorSql(PgBsonSelect *select, const PgBsonIter *accumulator, const char *key,
										const char *over, bool moves);

#endif							/* PGBSON_ACCUMULATOR_H */
