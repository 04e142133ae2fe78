/*
 * decimal_from.h
 *	  decimal128 from numbers that it may not hold exactly, rounded half to even.
 *
 * "result" gets the 16 bytes of a decimal128: those of infinity for a number that is
 * too large.  No errors are raised.
 */
#ifndef PGBSON_DECIMAL_FROM_H
#define PGBSON_DECIMAL_FROM_H

#include "core/bytes/view.h"
#include "utils/numeric.h"

/* A numeric rounded to 34 digits, without trailing zeroes in its fraction */
extern void PgBsonDecimalFromNumericRounded(Numeric number, uint8 *result);

/* The exact value of a double, rounded to 34 digits */
extern void PgBsonDecimalFromDouble(double d, uint8 *result);

/* An integer exactly; a double rounded to 15 significant digits, as MongoDB does before it calculates */
extern void PgBsonNumberToDecimal(const PgBsonValue *number, uint8 *result);

#endif							/* PGBSON_DECIMAL_FROM_H */
