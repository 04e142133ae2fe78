/*
 * sum.h
 *	  The sum and the mean of many numbers, as MongoDB's $sum and $avg have them.
 *
 * The result has the widest type that was added, int32, int64, double,
 * decimal128; a sum of integers that its type does not hold has the next one.
 * Integers are added exactly, in 128 bits, so neither their order nor sums of
 * parts that are joined change the result.  Of doubles
 * the rounding errors are added up, too; decimals are added with 34 digits.
 *
 * If there are decimals, too, the doubles are added to them by their shortest
 * spelling, as doubles compare with decimals (number.h): as the decimal with the
 * fewest digits that can be their sum, if each double stands for some decimal
 * within half the distance to the next double.  So
 * the sum of five doubles 19.99 and a decimal 20 is 119.95, where MongoDB adds
 * binary values.
 * Authority: MongoDB 8.0, src/mongo/db/pipeline/accumulator_sum.cpp and
 * accumulator_avg.cpp.
 */
#ifndef PGBSON_SUM_H
#define PGBSON_SUM_H

#include "core/number/number.h"

/* Without pointers, so it can be copied, and sent to another process of the same server */
typedef struct PgBsonSum
{
	int64		integers[2];	/* how many int32 and how many int64 were added */
	uint64		low;			/* the low half of their sum, a two's complement of 128 bits */
	int64		high;
	int64		n_doubles;
	double		doubles;
	double		lost;			/* the sum of the rounding errors of "doubles" */
	double		open;			/* how far what the doubles stand for, added up, can be from "doubles" */
	int64		n_decimals;
	uint8		decimals[PGBSON_DECIMAL128_SIZE];
	int64		units;			/* the sum of decimals of few digits, which are added as integers: units / 10^places */
	int32		places;
} PgBsonSum;

/* Begin a sum */
extern void PgBsonSumInit(PgBsonSum *sum);

/* Add a value; it is ignored if it is no number */
extern void PgBsonSumAdd(PgBsonSum *sum, const PgBsonValue *value);

/* Subtract a value that was added before; false if that is not possible exactly, as for doubles and decimals */
extern bool PgBsonSumRemove(PgBsonSum *sum, const PgBsonValue *value);

/* Add everything that was added to the other sum */
extern void PgBsonSumJoin(PgBsonSum *sum, const PgBsonSum *other);

/* How many numbers were added */
extern int64 PgBsonSumCount(const PgBsonSum *sum);

/*
 * The result; its bytes are in "room", which has PGBSON_DECIMAL128_SIZE.  A sum of no numbers is 0; a
 * mean needs at least one.
 */
extern PgBsonValue PgBsonSumTotal(const PgBsonSum *sum, uint8 *room);
extern PgBsonValue PgBsonSumMean(const PgBsonSum *sum, uint8 *room);

#endif							/* PGBSON_SUM_H */
