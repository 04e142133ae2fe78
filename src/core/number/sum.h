/*
 * sum.h
 *	  The sum and the mean of many numbers, as MongoDB's $sum and $avg have them.
 *
 * The result has the widest type that was added, int32, int64, double,
 * decimal128; a sum of integers that its type does not hold has the next one.
 * Integers are added exactly, in 128 bits, so neither their order nor sums of
 * parts that are joined change the result.  Doubles are added with what
 * rounding loses, decimals with 34 digits.
 *
 * Beside decimals, the sum of the doubles counts by its shortest spelling, as a
 * double does in comparisons (number.h): by the decimal with the fewest digits
 * that they can stand for, each within half the distance to its neighbours.  So
 * the sum of five doubles 19.99 and a decimal 20 is 119.95, where MongoDB adds
 * binary values.
 * Authority: MongoDB 8.0, src/mongo/db/pipeline/accumulator_sum.cpp and
 * accumulator_avg.cpp.
 */
#ifndef PGBSON_SUM_H
#define PGBSON_SUM_H

#include "core/number/number.h"

/* Plain data: it can be copied, and sent to another process of the same server */
typedef struct PgBsonSum
{
	int64		integers[2];	/* how many int32 and int64 ... */
	uint64		low;			/* ... and their sum, two's complement of 128 bits */
	int64		high;
	int64		n_doubles;
	double		doubles;
	double		lost;			/* by rounding, to be added to it */
	double		open;			/* how far the doubles can be from what they stand for */
	int64		n_decimals;
	uint8		decimals[PGBSON_DECIMAL128_SIZE];
	int64		units;			/* decimals of few digits, which are added as integers: units / 10^places */
	int32		places;
} PgBsonSum;

/* Nothing added yet */
extern void PgBsonSumInit(PgBsonSum *sum);

/* Add a value; what is no number is passed over */
extern void PgBsonSumAdd(PgBsonSum *sum, const PgBsonValue *value);

/* Take away a value that was added; false where the sum of the others is not known then */
extern bool PgBsonSumRemove(PgBsonSum *sum, const PgBsonValue *value);

/* Add all that was added to the other */
extern void PgBsonSumJoin(PgBsonSum *sum, const PgBsonSum *other);

/* How many numbers were added */
extern int64 PgBsonSumCount(const PgBsonSum *sum);

/* The result, whose bytes are in "room": PGBSON_DECIMAL128_SIZE of them.  A sum of nothing is 0; for a mean, something must have been added. */
extern PgBsonValue PgBsonSumTotal(const PgBsonSum *sum, uint8 *room);
extern PgBsonValue PgBsonSumMean(const PgBsonSum *sum, uint8 *room);

#endif							/* PGBSON_SUM_H */
