/*
 * decimal_digits.c
 *	  decimal128 as an array of decimal digits: taken apart, rounded, put together.
 */
#include "core/number/decimal_digits.h"

void
PgBsonDigitsOf(const uint8 *bytes, PgBsonDigits *d)
{
	PgBsonDecimal decimal;

	PgBsonDecimalDecode(bytes, &decimal);
	d->kind = decimal.kind;
	d->negative = decimal.negative;
	d->exponent = decimal.exponent;
	d->count = 0;
	while (!PgBsonDecimalIsZero(&decimal))
		d->digit[d->count++] = (uint8) PgBsonLimbsDivide(decimal.w, 10);
}

void
PgBsonDigitsShift(PgBsonDigits *d, int places)
{
	if (d->count == 0)
		return;
	memmove(d->digit + places, d->digit, d->count);
	memset(d->digit, 0, places);
	d->count += places;
}

/* Does rounding off the lowest digits increase the rest by one? */
static bool
rounds_up(const PgBsonDigits *d, int places, PgBsonRounding rounding)
{
	bool		half_even = rounding == PGBSON_ROUND_HALF_EVEN;
	bool		more = false;	/* is there a digit other than zero below the highest one that is dropped? */

	for (int i = 0; i < Min(half_even ? places - 1 : places, d->count) && !more; i++)
		more = d->digit[i] != 0;
	if (!half_even)
		return more && rounding != PGBSON_ROUND_DOWN && d->negative == (rounding == PGBSON_ROUND_FLOOR);
	if (places > d->count || d->digit[places - 1] < 5)
		return false;
	return more || d->digit[places - 1] > 5 || (places < d->count && (d->digit[places] & 1) != 0);
}

void
PgBsonDigitsRound(PgBsonDigits *d, int places, PgBsonRounding rounding)
{
	bool		up;

	if (places <= 0)
		return;
	up = rounds_up(d, places, rounding);
	d->exponent += places;
	d->count = Max(d->count - places, 0);
	/* there may be fewer digits than places */
	if (d->count > 0)
		memmove(d->digit, d->digit + places, d->count);
	for (int i = 0; up; i++)
	{
		if (i == d->count)
			d->digit[d->count++] = 0;
		up = ++d->digit[i] == 10;
		if (up)
			d->digit[i] = 0;
	}
}

void
PgBsonDecimalPutSpecial(uint64 hi, uint8 *result)
{
	PgBsonWriteU64(result, 0);
	PgBsonWriteU64(result + 8, hi);
}

void
PgBsonDecimalPutInfinity(bool negative, uint8 *result)
{
	PgBsonDecimalPutSpecial(PGBSON_DECIMAL_HI_INF | (negative ? PGBSON_DECIMAL_HI_SIGN : 0), result);
}

void
PgBsonDigitsPut(PgBsonDigits *d, uint8 *result)
{
	PgBsonDecimal decimal;
	char		text[PGBSON_DECIMAL_DIGITS];

	PgBsonDigitsRound(d, Max(d->count - PGBSON_DECIMAL_DIGITS, PGBSON_DECIMAL_MIN_EXP - d->exponent),
					  PGBSON_ROUND_HALF_EVEN);
	/* 99...9 may have become 100...0 */
	PgBsonDigitsRound(d, d->count - PGBSON_DECIMAL_DIGITS, PGBSON_ROUND_HALF_EVEN);
	if (d->count == 0)
		d->exponent = Max(Min(d->exponent, PGBSON_DECIMAL_MAX_EXP), PGBSON_DECIMAL_MIN_EXP);
	else if (d->exponent > PGBSON_DECIMAL_MAX_EXP)
	{
		int			places = d->exponent - PGBSON_DECIMAL_MAX_EXP;

		if (places > PGBSON_DECIMAL_DIGITS - d->count)
		{
			PgBsonDecimalPutInfinity(d->negative, result);
			return;
		}
		PgBsonDigitsShift(d, places);
		d->exponent -= places;
	}

	for (int i = 0; i < d->count; i++)
		text[i] = '0' + d->digit[d->count - 1 - i];
	PgBsonDecimalFromDigits(d->negative, text, d->count, d->exponent, &decimal);
	PgBsonDecimalEncode(&decimal, result);
}
