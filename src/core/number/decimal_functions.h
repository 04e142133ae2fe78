/*
 * decimal_functions.h
 *	  Roots, powers and logarithms of decimal128.
 *
 * The server's numeric calculates them with more digits than the result has, from
 * operands for which it is fast, and the result is rounded to 34 digits.  A result
 * that is not exact has all 34.  The operands must be finite.
 */
#ifndef PGBSON_DECIMAL_FUNCTIONS_H
#define PGBSON_DECIMAL_FUNCTIONS_H

#include "core/bytes/view.h"

/* Operands and results are the 16 bytes of a decimal128; "result" may be one of the operands */

/* The square root of a number that is not negative; of -0 it is -0 */
extern void PgBsonDecimalSqrt(const uint8 *a, uint8 *result);

/* e to the power of the number; zero or an infinity if that is out of range */
extern void PgBsonDecimalExp(const uint8 *a, uint8 *result);

/* The logarithm of a positive number, natural or to the base 10 */
extern void PgBsonDecimalLn(const uint8 *a, uint8 *result);
extern void PgBsonDecimalLog10(const uint8 *a, uint8 *result);

/* "base" to the power of "exponent"; the base must not be zero.  NaN if the result is not a real number. */
extern void PgBsonDecimalPower(const uint8 *base, const uint8 *exponent, uint8 *result);

/*
 * The number with trailing zeroes added, up to 34 digits, as far as its exponent allows; a zero gets
 * the least exponent, and no sign
 */
extern void PgBsonDecimalPad(const uint8 *a, uint8 *result);

#endif							/* PGBSON_DECIMAL_FUNCTIONS_H */
