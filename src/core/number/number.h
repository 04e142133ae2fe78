/*
 * number.h
 *	  The four BSON number types: what they are worth, comparison, hash, conversion to C types.
 *
 * Numbers of all types compare by what they are worth.  An integer and a
 * decimal are worth their values, and so is a double that is a whole number of
 * int64's range.  Any other double is worth its shortest decimal spelling, the
 * one that we print, so that 19.99 equals 19.99 whatever wrote it.  NaN sorts
 * first and equals itself, then come the infinities, -0 equals 0, 1.1 equals
 * 1.10.
 *
 * This is a total order that leaves the order of doubles as it is: a spelling
 * lies inside the interval of numbers that round to its double, these intervals
 * do not overlap, and a whole number lies inside that of its own double, too.
 * So what doubles are worth sorts as the doubles do.  And comparisons by worth are
 * transitive, as worths are rational numbers.  Where an integer meets a double, no spelling is needed: a fraction's
 * spelling lies between the same two integers as the double, and a double beyond
 * int64's range is spelled beyond it.
 *
 * This differs from MongoDB's order in one place: where a double meets a decimal,
 * MongoDB compares the double's binary value.
 *
 * Nothing here is palloc'd, and no errors are raised.
 */
#ifndef PGBSON_NUMBER_H
#define PGBSON_NUMBER_H

#include "core/bytes/view.h"

#define PGBSON_DECIMAL128_SIZE	16	/* bytes */

/* A double holds every integer from minus 2^53 to this */
#define PGBSON_EXACT_DOUBLE		INT64CONST(9007199254740992)

struct PgBsonDecimal;

/* What a number is worth (core/number/decimal.h) */
extern void PgBsonNumberWorth(const PgBsonValue *number, struct PgBsonDecimal *worth);

/* Is the number neither NaN nor infinite? */
extern bool PgBsonNumberIsFinite(const PgBsonValue *number);

/* <0, 0, >0; both must be numbers */
extern int	PgBsonNumberCompare(const PgBsonValue *a, const PgBsonValue *b);

/* Bits that, as unsigned integers, sort as PgBsonNumberCompare does: those of the nearest double; NaN has the least */
extern uint64 PgBsonNumberSortBits(const PgBsonValue *value);

/* Equal numbers hash equal, whatever their types */
extern uint64 PgBsonNumberHash(const PgBsonValue *value, uint64 seed);

/* The value if it is exactly an integer of that width; false if it is not, or no number */
extern bool PgBsonNumberToInt32(const PgBsonValue *value, int32 *result);
extern bool PgBsonNumberToInt64(const PgBsonValue *value, int64 *result);

/* The value without its fraction; false if it is NaN or 64 bits cannot hold it */
extern bool PgBsonNumberTruncate(const PgBsonValue *value, int64 *result);

/* The nearest double.  *exact, if "exact" is not NULL, says whether it is worth the same. */
extern double PgBsonNumberToDouble(const PgBsonValue *value, bool *exact);

static inline double
PgBsonDoubleOf(const PgBsonValue *number)
{
	/* the most common ones first */
	if (number->type == PGBSON_DOUBLE)
		return PgBsonReadDouble(number->data);
	if (number->type == PGBSON_INT32)
		return PgBsonReadI32(number->data);
	return PgBsonNumberToDouble(number, NULL);
}

/* The value of an int32 or int64 */
static inline int64
PgBsonIntegerOf(const PgBsonValue *number)
{
	return number->type == PGBSON_INT32 ? PgBsonReadI32(number->data) : PgBsonReadI64(number->data);
}

#endif							/* PGBSON_NUMBER_H */
