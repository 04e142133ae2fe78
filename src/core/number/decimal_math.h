/*
 * decimal_math.h
 *	  Calculating with decimal128: the four operations, functions, and decimals of other numbers.
 *
 * Operands and results are the 16 bytes of a decimal128; "result" may be one of the operands.  Results have at most
 * 34 digits, rounded half to even; a result that is too large is an infinity.  If an operand is NaN, so is the result,
 * with its sign.  No errors are raised.
 */
#ifndef PGBSON_DECIMAL_MATH_H
#define PGBSON_DECIMAL_MATH_H

#include "core/number/number.h"
#include "utils/numeric.h"

typedef enum PgBsonRounding
{
	PGBSON_ROUND_HALF_EVEN,
	PGBSON_ROUND_DOWN,			/* toward zero */
	PGBSON_ROUND_CEILING,
	PGBSON_ROUND_FLOOR
} PgBsonRounding;

/* The four operations as IEEE 754 has them: a result has the exponent that the standard prefers */
extern void PgBsonDecimalAdd(const uint8 *a, const uint8 *b, uint8 *result);
extern void PgBsonDecimalMultiply(const uint8 *a, const uint8 *b, uint8 *result);
extern void PgBsonDecimalDivide(const uint8 *a, const uint8 *b, uint8 *result);
/* a - b * (a / b without its fraction), which has the sign of a */
extern void PgBsonDecimalRemainder(const uint8 *a, const uint8 *b, uint8 *result);
/* The number rounded to a multiple of 10^exponent; NaN if that would need more than 34 digits */
extern void PgBsonDecimalQuantize(const uint8 *a, int exponent, PgBsonRounding rounding, uint8 *result);

/*
 * decimal_functions.c: roots, powers and logarithms of finite numbers.  The server's numeric calculates them with more
 * digits than the result has, from operands for which it is fast; what it needs is palloc'd in the current memory
 * context, and stays there.  A result that is not exact has all 34 digits.
 */

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

/* decimal_from.c: decimals of numbers that they may not hold exactly */

/* A numeric rounded to 34 digits, without trailing zeroes in its fraction */
extern void PgBsonDecimalFromNumericRounded(Numeric number, uint8 *result);

/* The exact value of a double, rounded to 34 digits */
extern void PgBsonDecimalFromDouble(double d, uint8 *result);

/* An integer exactly; a double rounded to 15 significant digits, as MongoDB does before it calculates */
extern void PgBsonNumberToDecimal(const PgBsonValue *number, uint8 *result);

#endif							/* PGBSON_DECIMAL_MATH_H */
