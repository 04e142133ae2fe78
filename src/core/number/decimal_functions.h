/*
 * decimal_functions.h
 *	  Roots, powers and logarithms of decimal128.
 *
 * They are calculated by the server's numeric with more digits than a result
 * has, in the range where it is quick, and rounded to 34 digits.  A result that
 * is not exact has all 34.  The operands are finite.
 */
#ifndef PGBSON_DECIMAL_FUNCTIONS_H
#define PGBSON_DECIMAL_FUNCTIONS_H

#include "core/bytes/view.h"

/* 16 bytes each; "result" may be one of the operands */

/* Of what is not negative; that of -0 is -0 */
extern void PgBsonDecimalSqrt(const uint8 *a, uint8 *result);

/* Zero or an infinity beyond the range */
extern void PgBsonDecimalExp(const uint8 *a, uint8 *result);

/* Of what is positive */
extern void PgBsonDecimalLn(const uint8 *a, uint8 *result);
extern void PgBsonDecimalLog10(const uint8 *a, uint8 *result);

/* The base is not zero; NaN where there is no real number */
extern void PgBsonDecimalPower(const uint8 *base, const uint8 *exponent, uint8 *result);

/* With as many of 34 digits as the number's range allows; a zero has the least exponent, and no sign */
extern void PgBsonDecimalPad(const uint8 *a, uint8 *result);

#endif							/* PGBSON_DECIMAL_FUNCTIONS_H */
