/*
 * decimal_digits.h
 *	  decimal128 as an array of decimal digits: taken apart, rounded, put together.
 *
 * For the files decimal*.c of core/number alone.  An array has room for the exact
 * result of an operation, which is rounded once.
 */
#ifndef PGBSON_DECIMAL_DIGITS_H
#define PGBSON_DECIMAL_DIGITS_H

#include "core/number/decimal.h"
#include "core/number/decimal_math.h"

/* Beyond this distance of two exponents the smaller summand only decides a rounding */
#define PGBSON_DIGITS_SHIFT	(2 * PGBSON_DECIMAL_DIGITS + 4)
#define PGBSON_DIGITS_ROOM	(PGBSON_DECIMAL_DIGITS + PGBSON_DIGITS_SHIFT + 2)

/* (-1)^negative * digits * 10^exponent; the digits with the least significant first, no zeroes above */
typedef struct PgBsonDigits
{
	PgBsonNumberKind kind;		/* of what was taken apart; only finite numbers are put together */
	bool		negative;
	int			exponent;
	int			count;			/* 0: the number is zero */
	uint8		digit[PGBSON_DIGITS_ROOM];
} PgBsonDigits;

/* Take 16 bytes apart; infinities and NaN have no digits */
extern void PgBsonDigitsOf(const uint8 *bytes, PgBsonDigits *d);

/* Multiply by a power of ten, the exponent staying; the digits must have room */
extern void PgBsonDigitsShift(PgBsonDigits *d, int places);

/* Leave out the lowest "places" digits, none if that is negative, and round; RoundHalf rounds half to even */
extern void PgBsonDigitsRound(PgBsonDigits *d, int places, PgBsonRounding rounding);
extern void PgBsonDigitsRoundHalf(PgBsonDigits *d, int places);

/* Round to what a decimal128 holds, an infinity if it is too large, and put 16 bytes together */
extern void PgBsonDigitsPut(PgBsonDigits *d, uint8 *result);

/* Write 16 bytes whose high half says that they are a NaN or an infinity (core/number/decimal.h); or an infinity */
extern void PgBsonDecimalPutSpecial(uint64 hi, uint8 *result);
extern void PgBsonDecimalPutInfinity(bool negative, uint8 *result);

#endif							/* PGBSON_DECIMAL_DIGITS_H */
