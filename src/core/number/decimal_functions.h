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

/* The square root of a number that is not negative; of -0 it is -0 */
extern void PgBsonDecimalSqrt(const uint8 *a, uint8 *result);

/* e to the power of the number; zero or an infinity if that is out of range */
extern void PgBsonDecimalExp(const uint8 *a, uint8 *result);

/* The natural and the decimal logarithm of a positive number */
extern void PgBsonDecimalLn(const uint8 *a, uint8 *result);
extern void PgBsonDecimalLog10(const uint8 *a, uint8 *result);

/* A power, whose base must not be zero; NaN if it is not a real number */
extern void PgBsonDecimalPower(const uint8 *base, const uint8 *exponent, uint8 *result);

/* The number with zeroes added at its end, up to 34 digits, if its exponent allows; a zero gets the least exponent, and no sign */
extern void PgBsonDecimalPad(const uint8 *a, uint8 *result);

#endif							/* PGBSON_DECIMAL_FUNCTIONS_H */
