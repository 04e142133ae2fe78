/*
 * granularity.h
 *	  Series of preferred numbers, to which the boundaries of $bucketAuto are rounded.
 */
#ifndef PGBSON_GRANULARITY_H
#define PGBSON_GRANULARITY_H

#include "core/bytes/view.h"

typedef struct PgBsonSeries PgBsonSeries;

/* R5 to R80, E6 to E192, 1-2-5 and POWERSOF2; NULL if there is none of this name */
extern const PgBsonSeries *PgBsonSeriesNamed(const char *name, uint32 len);

/*
 * The least number of the series that is greater than a number, or the greatest
 * that is less, palloc'd: a decimal where that is one.  0 stays 0.  The number is
 * not negative, nor NaN.
 */
extern PgBsonValue PgBsonSeriesAbove(const PgBsonSeries *series, const PgBsonValue *number);
extern PgBsonValue PgBsonSeriesBelow(const PgBsonSeries *series, const PgBsonValue *number);

#endif							/* PGBSON_GRANULARITY_H */
