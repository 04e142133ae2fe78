/*
 * double.h
 *	  Finding the double whose shortest spelling a decimal is, without strtod.
 */
#ifndef PGBSON_DOUBLE_H
#define PGBSON_DOUBLE_H

#include <float.h>

#include "core/bytes/view.h"

/* The powers of ten that a double holds exactly, from 10^0 on */
#define PGBSON_EXACT_POWERS		23
extern const double PgBsonPowersOfTen[PGBSON_EXACT_POWERS];

/*
 * Is the quotient of two doubles rounded once?  The x87 keeps more bits of it, and rounds it again when
 * it is stored.
 */
#if FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 1
#define PGBSON_DOUBLES_ROUND_ONCE
#endif

/*
 * If digits * 10^exponent is the shortest spelling of the double nearest to it, set *result to that
 * double.  False if it is not, or if that cannot be told quickly; PgBsonTextIsDouble can always tell.
 */
extern bool PgBsonShortestDouble(uint64 digits, int exponent, double *result);

/* The largest number of 15 digits: two decimals with so few digits never have the same nearest double */
#define PGBSON_SAFE_DIGITS		INT64CONST(999999999999999)

/* The shortest spelling of a double as digits / 10^decimals; false if it has many digits or decimals */
extern bool PgBsonDoubleIsShort(double d, int64 *digits, int *decimals);

#endif							/* PGBSON_DOUBLE_H */
