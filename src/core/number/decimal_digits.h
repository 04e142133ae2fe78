/*
 * decimal_digits.h
 *	  decimal128 as an array of decimal digits: taken apart, rounded, put together.
 *
 * Only the files decimal*.c of core/number include this.  An array has room for the
 * exact result of an operation, which is then rounded once.
 */
#ifndef PGBSON_DECIMAL_DIGITS_H
#define PGBSON_DECIMAL_DIGITS_H

#include "core/number/decimal.h"

/* If the exponents of two summands differ by more than this, the smaller one matters only for rounding */
#define PGBSON_DIGITS_SHIFT	(2 * PGBSON_DECIMAL_DIGITS + 4)
#define PGBSON_DIGITS_ROOM	(PGBSON_DECIMAL_DIGITS + PGBSON_DIGITS_SHIFT + 2)

/* (-1)^negative * digits * 10^exponent; the least significant digit comes first, and the last is not zero */
typedef struct PgBsonDigits
{
	PgBsonNumberKind kind;		/* of the decimal that was taken apart; only finite numbers are put together again */
	bool		negative;
	int			exponent;
	int			count;			/* 0: the number is zero */
	uint8		digit[PGBSON_DIGITS_ROOM];
} PgBsonDigits;

/* Take 16 bytes apart; infinities and NaN have no digits */
extern void PgBsonDigitsOf(const uint8 *bytes, PgBsonDigits *d);

/* Multiply the digits by 10^places and leave the exponent as it is; the caller sees to it that there is room */
extern void PgBsonDigitsShift(PgBsonDigits *d, int places);

/* Remove the lowest "places" digits, none if that is not positive, and round */
extern void PgBsonDigitsRound(PgBsonDigits *d, int places, PgBsonRounding rounding);

/* Round to what a decimal128 can hold, half to even, and write its 16 bytes: those of infinity if it is too large */
extern void PgBsonDigitsPut(PgBsonDigits *d, uint8 *result);

/* Write the 16 bytes of a NaN or an infinity: those with this high half (core/number/decimal.h) */
extern void PgBsonDecimalPutSpecial(uint64 hi, uint8 *result);
extern void PgBsonDecimalPutInfinity(bool negative, uint8 *result);

#endif							/* PGBSON_DECIMAL_DIGITS_H */
