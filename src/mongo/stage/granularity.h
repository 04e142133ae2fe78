/*
 * granularity.h
 *	  Series of preferred numbers, to which the boundaries of $bucketAuto are rounded, as in
 *	  src/mongo/db/pipeline/granularity_rounder_*.cpp of MongoDB.
 */
#ifndef PGBSON_GRANULARITY_H
#define PGBSON_GRANULARITY_H

#include "core/bytes/view.h"

typedef struct PgBsonSeries PgBsonSeries;

/* The series of this name: R5 to R80, E6 to E192, 1-2-5 and POWERSOF2; NULL for another name */
extern const PgBsonSeries *PgBsonSeriesNamed(const char *name, uint32 len);

/*
 * If "sign" is 1, the least number of the series greater than this one; if it is -1, the greatest less than it;
 * palloc'd.  A decimal gives a decimal; 0 stays 0.  The number must be neither negative nor NaN.
 */
extern PgBsonValue PgBsonSeriesNext(const PgBsonSeries *series, const PgBsonValue *number, int sign);

#endif							/* PGBSON_GRANULARITY_H */
