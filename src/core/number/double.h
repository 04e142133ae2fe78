/*
 * double.h
 *	  The double that a decimal is the shortest spelling of, without strtod.
 */
#ifndef PGBSON_DOUBLE_H
#define PGBSON_DOUBLE_H

#include <float.h>

#include "core/bytes/view.h"

/* The powers of ten that a double holds: 1e0 and on */
#define PGBSON_EXACT_POWERS		23
extern const double PgBsonPowersOfTen[PGBSON_EXACT_POWERS];

/* Is the quotient of two doubles rounded once?  The x87 has it with more bits, and rounds it again when it is stored. */
#if FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 1
#define PGBSON_DOUBLES_ROUND_ONCE
#endif

/*
 * Is the shortest spelling of the nearest double digits * 10^exponent?  For the
 * usual number, fast: true only if so.
 * False may also mean that it is hard to tell, then ask
 * PgBsonTextIsDouble.
 */
extern bool PgBsonShortestDouble(uint64 digits, int exponent, double *result);

/* Up to this number, with any exponent, two decimals never denote the same double: 15 digits */
#define PGBSON_SAFE_DIGITS		INT64CONST(999999999999999)

/* The other way: the shortest spelling of a double, digits / 10^decimals, if it has few of both; else false */
extern bool PgBsonDoubleIsShort(double d, int64 *digits, int *decimals);

#endif							/* PGBSON_DOUBLE_H */
