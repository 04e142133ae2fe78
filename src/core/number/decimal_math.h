/*
 * decimal_math.h
 *	  decimal128 with rounding: the four operations as IEEE 754 has them.
 *
 * Results have at most 34 digits, rounded half to even, and the exponent that
 * the standard prefers; a result that is too large is an infinity.  If an operand is
 * NaN, so is the result, with its sign.  Nothing is palloc'd, and no errors are raised.
 */
#ifndef PGBSON_DECIMAL_MATH_H
#define PGBSON_DECIMAL_MATH_H

#include "core/number/number.h"

typedef enum PgBsonRounding
{
	PGBSON_ROUND_HALF_EVEN,
	PGBSON_ROUND_DOWN,			/* toward zero */
	PGBSON_ROUND_CEILING,
	PGBSON_ROUND_FLOOR
} PgBsonRounding;

/* Operands and results are the 16 bytes of a decimal128; "result" may be one of the operands */
extern void PgBsonDecimalAdd(const uint8 *a, const uint8 *b, uint8 *result);
extern void PgBsonDecimalMultiply(const uint8 *a, const uint8 *b, uint8 *result);
extern void PgBsonDecimalDivide(const uint8 *a, const uint8 *b, uint8 *result);
/* a - b * (a / b without its fraction), which has the sign of a */
extern void PgBsonDecimalRemainder(const uint8 *a, const uint8 *b, uint8 *result);
/* The number rounded to a multiple of 10^exponent; NaN if that would need more than 34 digits */
extern void PgBsonDecimalQuantize(const uint8 *a, int exponent, PgBsonRounding rounding, uint8 *result);

#endif							/* PGBSON_DECIMAL_MATH_H */
