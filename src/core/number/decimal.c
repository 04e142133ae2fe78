/*
 * decimal.c
 *	  Exact arithmetic with decimal128.
 *
 * A decimal128 is c * 10^e with c < 10^34, so it needs 128-bit integers.
 * Numbers whose sizes differ by a few bits are told apart by an estimate
 * first.  Nothing is rounded and nothing allocated.
 */
#include "core/number/decimal.h"

#include <math.h>

#define LOG2_10				3.321928094887362

static const uint32 pow10[] = {
	1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000
};

/* --- significands: limbs, least significant first --- */

/* w = w * m + carry; returns what does not fit */
static inline uint32
limbs_multiply_add(uint32 *w, uint32 m, uint64 carry)
{
	for (int i = 0; i < PGBSON_DECIMAL_LIMBS; i++)
	{
		carry += (uint64) w[i] * m;
		w[i] = (uint32) carry;
		carry >>= 32;
	}
	return (uint32) carry;
}

static inline int
limbs_compare(const uint32 *a, const uint32 *b)
{
	for (int i = PGBSON_DECIMAL_LIMBS - 1; i >= 0; i--)
	{
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	}
	return 0;
}

/* How many bits the significand has, without leading zeroes */
static int
limbs_bits(const uint32 *w)
{
	for (int i = PGBSON_DECIMAL_LIMBS - 1; i >= 0; i--)
	{
		if (w[i] != 0)
			return i * 32 + pg_leftmost_one_pos32(w[i]) + 1;
	}
	return 0;
}

/* w *= 10^exponent; false if it does not fit */
static bool
limbs_scale(uint32 *w, int exponent)
{
	for (int step; exponent > 0; exponent -= step)
	{
		step = Min(exponent, lengthof(pow10) - 1);
		if (limbs_multiply_add(w, pow10[step], 0) != 0)
			return false;
	}
	return true;
}

/* w /= 10^exponent; false, with w undefined, if there is a remainder */
static bool
limbs_divide_exactly(uint32 *w, int exponent)
{
	for (int step; exponent > 0; exponent -= step)
	{
		step = Min(exponent, lengthof(pow10) - 1);
		if (PgBsonLimbsDivide(w, pow10[step]) != 0)
			return false;
	}
	return true;
}

/* --- decimals --- */

void
PgBsonDecimalEncode(const PgBsonDecimal *d, uint8 *bytes)
{
	uint64		hi = PgBsonLimbsLow64(d->w + 2);

	Assert(d->exponent >= PGBSON_DECIMAL_MIN_EXP && d->exponent <= PGBSON_DECIMAL_MAX_EXP);
	if (d->kind == PGBSON_NUMBER_NAN)
		hi = PGBSON_DECIMAL_HI_NAN;
	else if (d->kind != PGBSON_NUMBER_FINITE)
		hi = PGBSON_DECIMAL_HI_INF;
	else
		hi |= (uint64) (d->exponent + PGBSON_DECIMAL_BIAS) << 49;
	if (d->negative)
		hi |= PGBSON_DECIMAL_HI_SIGN;
	PgBsonWriteU64(bytes, PgBsonLimbsLow64(d->w));
	PgBsonWriteU64(bytes + 8, hi);
}

void
PgBsonDecimalFromDigits(bool negative, const char *digits, int ndigits,
						int exponent, PgBsonDecimal *d)
{
	d->kind = PGBSON_NUMBER_FINITE;
	d->negative = negative;
	d->exponent = exponent;
	memset(d->w, 0, sizeof(d->w));
	for (int i = 0; i < ndigits; i++)
		limbs_multiply_add(d->w, 10, digits[i] - '0');
}

void
PgBsonDecimalFromInt64(int64 i, PgBsonDecimal *d)
{
	d->kind = PGBSON_NUMBER_FINITE;
	d->negative = i < 0;
	d->exponent = 0;
	PgBsonLimbsSet64(d->w, i < 0 ? -(uint64) i : (uint64) i);
	PgBsonLimbsSet64(d->w + 2, 0);
}

bool
PgBsonDecimalToInt64(const PgBsonDecimal *d, int64 *result)
{
	uint32		w[PGBSON_DECIMAL_LIMBS];
	uint64		magnitude;

	memcpy(w, d->w, sizeof(w));
	if (!PgBsonDecimalIsZero(d))
	{
		if (d->exponent < -PGBSON_DECIMAL_DIGITS || d->exponent > 18)
			return false;
		if (d->exponent < 0 && !limbs_divide_exactly(w, -d->exponent))
			return false;
		if (d->exponent > 0 && !limbs_scale(w, d->exponent))
			return false;
	}
	if (w[2] != 0 || w[3] != 0)
		return false;

	magnitude = PgBsonLimbsLow64(w);
	if (magnitude > (uint64) PG_INT64_MAX + (d->negative ? 1 : 0))
		return false;
	/* negate it unsigned, as INT64_MIN has no positive counterpart */
	*result = (int64) (d->negative ? -magnitude : magnitude);
	return true;
}

void
PgBsonDecimalNormalize(PgBsonDecimal *d)
{
	uint32		w[PGBSON_DECIMAL_LIMBS];

	if (PgBsonDecimalIsZero(d))
	{
		d->exponent = 0;
		return;
	}
	for (;;)
	{
		memcpy(w, d->w, sizeof(w));
		if (PgBsonLimbsDivide(w, 10) != 0)
			return;
		memcpy(d->w, w, sizeof(w));
		d->exponent++;
	}
}

/* The sign of a finite decimal: -1, 0 or 1 */
static inline int
decimal_sign(const PgBsonDecimal *d)
{
	return PgBsonDecimalIsZero(d) ? 0 : d->negative ? -1 : 1;
}

/* Compare the magnitudes of two finite decimals that are not zero */
static int
compare_decimal_magnitude(const PgBsonDecimal *a, const PgBsonDecimal *b)
{
	uint32		w[PGBSON_DECIMAL_LIMBS];
	double		a_log2;
	double		b_log2;

	if (a->exponent == b->exponent)
		return limbs_compare(a->w, b->w);
	if (a->exponent < b->exponent)
		return -compare_decimal_magnitude(b, a);

	/* n bits are a number from 2^(n-1) to 2^n, so logarithms that differ by more than 2 decide */
	a_log2 = limbs_bits(a->w) + a->exponent * LOG2_10;
	b_log2 = limbs_bits(b->w) + b->exponent * LOG2_10;
	if (a_log2 > b_log2 + 2)
		return 1;
	if (a_log2 < b_log2 - 2)
		return -1;

	/* otherwise a's significand, scaled to b's exponent, has 116 bits or so at most */
	memcpy(w, a->w, sizeof(w));
	if (!limbs_scale(w, a->exponent - b->exponent))
		return 1;
	return limbs_compare(w, b->w);
}

int
PgBsonDecimalCompare(const PgBsonDecimal *a, const PgBsonDecimal *b)
{
	int			a_sign;
	int			b_sign;

	if (a->kind != PGBSON_NUMBER_FINITE || b->kind != PGBSON_NUMBER_FINITE)
		return (int) a->kind - (int) b->kind;

	a_sign = decimal_sign(a);
	b_sign = decimal_sign(b);
	if (a_sign != b_sign)
		return a_sign - b_sign;
	if (a_sign == 0)
		return 0;
	return a_sign * compare_decimal_magnitude(a, b);
}
