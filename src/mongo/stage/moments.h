/*
 * moments.h
 *	  Arithmetic of window functions: integrals, covariances, moving averages, interpolation.
 *
 * See window_function_integral.cpp, window_function_covariance.cpp and window_function_exec_linear_fill.cpp of
 * MongoDB's src/mongo/db/pipeline/window_function.
 */
#ifndef PGBSON_MOMENTS_H
#define PGBSON_MOMENTS_H

#include "core/number/sum.h"
#include "mongo/stage/nested.h"

/* A copy of a number or a date, which lasts from row to row */
typedef struct PgBsonHeldNumber
{
	PgBsonType	type;			/* PGBSON_MISSING, which is 0, before the first value */
	uint32		len;
	uint8		bytes[PGBSON_DECIMAL128_SIZE];
} PgBsonHeldNumber;

extern void PgBsonHold(PgBsonHeldNumber *held, const PgBsonValue *value);

static inline PgBsonValue
PgBsonHeldValue(const PgBsonHeldNumber *held)
{
	return (PgBsonValue) {held->type, held->len, held->bytes};
}

typedef struct PgBsonPoint
{
	PgBsonHeldNumber x;
	PgBsonHeldNumber y;
} PgBsonPoint;

/* The state of an aggregate over pairs of numbers; zeroes, and the sums initialized, at first */
typedef struct PgBsonMoments
{
	uint64		magic;			/* for the aggregate's functions */
	int64		count;			/* for a covariance, of pairs without infinity and NaN; for an integral, of points */
	PgBsonSum	x;
	PgBsonSum	y;
	PgBsonSum	sum;			/* for a covariance, of the products; for an integral, of the areas */
	/* the rest is for integrals */
	int64		nans;			/* the number of points with a NaN */
	int64		unit;			/* the unit of x in milliseconds, if x is a date; 0 if x is a number */
	PgBsonPoint last;
} PgBsonMoments;

/* $integral: add a point, with the unit of x if that is a date; 22023 for values of other types.  And the result. */
extern void PgBsonIntegralAdd(PgBsonMoments *state, const PgBsonValue *x, const PgBsonValue *y, const PgBsonUnit *unit);
extern PgBsonValue PgBsonIntegralResult(const PgBsonMoments *state);

/*
 * $covariancePop and $covarianceSamp: add a pair, which does not count unless both are numbers.  And the sum of the
 * products divided by the number of pairs less "less", 0 or, for a sample, 1; a missing value if there are too few.
 */
extern void PgBsonCovarianceAdd(PgBsonMoments *state, const PgBsonValue *x, const PgBsonValue *y);
extern PgBsonValue PgBsonCovarianceResult(const PgBsonMoments *state, int less);

/* $expMovingAvg; zeroes at first */
typedef struct PgBsonMovingAverage
{
	bool		begun;
	bool		decimal;		/* a value was a decimal, so this result and all later ones are decimals */
	uint8		mean[PGBSON_DECIMAL128_SIZE];
} PgBsonMovingAverage;

/* mean = value * alpha + mean * (1 - alpha); alpha is a decimal128 */
extern void PgBsonMoveAverage(PgBsonMovingAverage *average, const PgBsonValue *value, const uint8 *alpha);

/* $linearFill: y at "x" on the line through two points */
extern PgBsonValue PgBsonInterpolate(const PgBsonPoint *before, const PgBsonPoint *behind, const PgBsonValue *x);

#endif							/* PGBSON_MOMENTS_H */
