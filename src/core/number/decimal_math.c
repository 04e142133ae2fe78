/*
 * decimal_math.c
 *	  decimal128 with rounding: the four operations as IEEE 754 has them.
 *
 * A finite decimal becomes an array of decimal digits with an exponent
 * (core/number/decimal_digits.h); the exact result is rounded once.
 */
#include "core/number/decimal_digits.h"

/* Write NaN: with the sign of the first operand that is NaN, or else positive */
static void
put_nan(const PgBsonDigits *x, const PgBsonDigits *y, uint8 *result)
{
	const PgBsonDigits *nan = x->kind == PGBSON_NUMBER_NAN ? x : y;

	PgBsonDecimalPutSpecial(PGBSON_DECIMAL_HI_NAN |
							(nan->kind == PGBSON_NUMBER_NAN && nan->negative ? PGBSON_DECIMAL_HI_SIGN : 0), result);
}

static bool
is_infinite(const PgBsonDigits *d)
{
	return d->kind == PGBSON_NUMBER_NEG_INF || d->kind == PGBSON_NUMBER_POS_INF;
}

static bool
is_zero(const PgBsonDigits *d)
{
	return d->kind == PGBSON_NUMBER_FINITE && d->count == 0;
}

static int
compare_digits(const PgBsonDigits *a, const PgBsonDigits *b)
{
	if (a->count != b->count)
		return a->count < b->count ? -1 : 1;
	for (int i = a->count - 1; i >= 0; i--)
	{
		if (a->digit[i] != b->digit[i])
			return a->digit[i] < b->digit[i] ? -1 : 1;
	}
	return 0;
}

/* a = a + b or, with "subtract", a - b, where a must not be less than b */
static void
add_digits(PgBsonDigits *a, const PgBsonDigits *b, bool subtract)
{
	int			carry = 0;

	for (int i = 0; i < b->count || carry != 0; i++)
	{
		int			digit;

		if (i == a->count)
			a->digit[a->count++] = 0;
		digit = a->digit[i] + carry;
		if (i < b->count)
			digit += subtract ? -b->digit[i] : b->digit[i];
		carry = digit < 0 ? -1 : digit >= 10 ? 1 : 0;
		a->digit[i] = (uint8) (digit - carry * 10);
	}
	while (a->count > 0 && a->digit[a->count - 1] == 0)
		a->count--;
}

static void
add_finite(PgBsonDigits *a, PgBsonDigits *b, uint8 *result)
{
	int			gap;

	if (a->exponent < b->exponent)
	{
		add_finite(b, a, result);
		return;
	}
	gap = a->exponent - b->exponent;
	/*
	 * zero needs no shift; and if b is so much smaller than a, any digit that is not zero stands for
	 * all of its digits
	 */
	if (a->count > 0 && gap > PGBSON_DIGITS_SHIFT)
	{
		gap = PGBSON_DIGITS_SHIFT;
		if (b->count > 0)
		{
			b->count = 1;
			b->digit[0] = 1;
		}
		b->exponent = a->exponent - gap;
	}
	PgBsonDigitsShift(a, gap);
	a->exponent = b->exponent;

	if (a->negative == b->negative)
		add_digits(a, b, false);
	else
	{
		int			cmp = compare_digits(a, b);

		if (cmp < 0)
		{
			PgBsonDigits *swap = a;

			a = b;
			b = swap;
		}
		add_digits(a, b, true);
		if (cmp == 0)
			a->negative = false;
	}
	PgBsonDigitsPut(a, result);
}

void
PgBsonDecimalAdd(const uint8 *a, const uint8 *b, uint8 *result)
{
	PgBsonDigits x;
	PgBsonDigits y;
	PgBsonDecimal d;
	PgBsonDecimal e;
	int64		n;
	int64		m;
	int			exponent;

	PgBsonDecimalDecode(a, &d);
	PgBsonDecimalDecode(b, &e);
	exponent = Min(d.exponent, e.exponent);
	/* most are so short that 64 bits hold the sum, which need not be rounded; a zero can have a sign */
	if (PgBsonDecimalUnits(&d, &n) && PgBsonDecimalUnits(&e, &m) && PgBsonUnitsScale(&n, d.exponent - exponent) &&
		PgBsonUnitsScale(&m, e.exponent - exponent) && !pg_add_s64_overflow(n, m, &n) && n != 0)
	{
		PgBsonDecimalFromInt64(n, &d);
		d.exponent = exponent;
		PgBsonDecimalEncode(&d, result);
		return;
	}
	PgBsonDigitsOf(a, &x);
	PgBsonDigitsOf(b, &y);
	if (x.kind == PGBSON_NUMBER_NAN || y.kind == PGBSON_NUMBER_NAN ||
		(x.kind != PGBSON_NUMBER_FINITE && y.kind != PGBSON_NUMBER_FINITE && x.kind != y.kind))
		put_nan(&x, &y, result);
	else if (x.kind != PGBSON_NUMBER_FINITE)
		PgBsonDecimalPutInfinity(x.negative, result);
	else if (y.kind != PGBSON_NUMBER_FINITE)
		PgBsonDecimalPutInfinity(y.negative, result);
	else
		add_finite(&x, &y, result);
}

static void
multiply_finite(const PgBsonDigits *a, const PgBsonDigits *b, uint8 *result)
{
	PgBsonDigits product;
	uint32		sums[2 * PGBSON_DECIMAL_DIGITS] = {0};
	uint32		carry = 0;

	product.negative = a->negative != b->negative;
	product.exponent = a->exponent + b->exponent;
	product.count = a->count == 0 || b->count == 0 ? 0 : a->count + b->count;
	for (int i = 0; i < a->count; i++)
	{
		for (int j = 0; j < b->count; j++)
			sums[i + j] += a->digit[i] * b->digit[j];
	}
	for (int i = 0; i < product.count; i++)
	{
		carry += sums[i];
		product.digit[i] = carry % 10;
		carry /= 10;
	}
	while (product.count > 0 && product.digit[product.count - 1] == 0)
		product.count--;
	PgBsonDigitsPut(&product, result);
}

void
PgBsonDecimalMultiply(const uint8 *a, const uint8 *b, uint8 *result)
{
	PgBsonDigits x;
	PgBsonDigits y;

	PgBsonDigitsOf(a, &x);
	PgBsonDigitsOf(b, &y);
	if (x.kind == PGBSON_NUMBER_NAN || y.kind == PGBSON_NUMBER_NAN ||
		(is_infinite(&x) && is_zero(&y)) || (is_zero(&x) && is_infinite(&y)))
		put_nan(&x, &y, result);
	else if (x.kind != PGBSON_NUMBER_FINITE || y.kind != PGBSON_NUMBER_FINITE)
		PgBsonDecimalPutInfinity(x.negative != y.negative, result);
	else
		multiply_finite(&x, &y, result);
}

/*
 * A step of a long division: multiply the rest by ten, add the next digit of the dividend, and subtract
 * the divisor as often as possible.  Returns how often that was, a digit of the quotient.
 */
static int
divide_step(PgBsonDigits *rest, const PgBsonDigits *divisor, int next)
{
	int			quotient = 0;

	memmove(rest->digit + 1, rest->digit, rest->count);
	rest->digit[0] = next;
	if (rest->count > 0 || next != 0)
		rest->count++;
	for (; compare_digits(rest, divisor) >= 0; quotient++)
		add_digits(rest, divisor, true);
	return quotient;
}

static void
divide_finite(PgBsonDigits *a, const PgBsonDigits *b, uint8 *result)
{
	int			preferred = a->exponent - b->exponent;
	int			places = Max(b->count + PGBSON_DECIMAL_DIGITS + 2 - a->count, 0);
	PgBsonDigits quotient;
	PgBsonDigits rest;

	rest.count = 0;
	quotient.negative = a->negative != b->negative;
	quotient.exponent = preferred;
	quotient.count = 0;
	if (a->count > 0)
	{
		PgBsonDigitsShift(a, places);
		quotient.exponent = preferred - places;
		quotient.count = a->count;
		for (int i = a->count - 1; i >= 0; i--)
			quotient.digit[i] = divide_step(&rest, b, a->digit[i]);
		while (quotient.count > 0 && quotient.digit[quotient.count - 1] == 0)
			quotient.count--;
		if (rest.count > 0)
		{
			/* the quotient has more digits; mark it, so that it is not taken for one half-way between two decimals */
			if (quotient.digit[0] % 5 == 0)
				quotient.digit[0]++;
		}
		else
		{
			for (places = 0; quotient.exponent + places < preferred && quotient.digit[places] == 0;)
				places++;
			PgBsonDigitsRound(&quotient, places, PGBSON_ROUND_HALF_EVEN);
		}
	}
	PgBsonDigitsPut(&quotient, result);
}

void
PgBsonDecimalDivide(const uint8 *a, const uint8 *b, uint8 *result)
{
	PgBsonDigits x;
	PgBsonDigits y;

	PgBsonDigitsOf(a, &x);
	PgBsonDigitsOf(b, &y);
	if (x.kind == PGBSON_NUMBER_NAN || y.kind == PGBSON_NUMBER_NAN ||
		(is_infinite(&x) && is_infinite(&y)) || (is_zero(&x) && is_zero(&y)))
		put_nan(&x, &y, result);
	else if (is_infinite(&x) || is_zero(&y))
		PgBsonDecimalPutInfinity(x.negative != y.negative, result);
	else if (is_infinite(&y))
	{
		x.count = 0;
		x.negative = x.negative != y.negative;
		x.exponent = PGBSON_DECIMAL_MIN_EXP;
		PgBsonDigitsPut(&x, result);
	}
	else
		divide_finite(&x, &y, result);
}

static void
remainder_finite(PgBsonDigits *a, PgBsonDigits *b, uint8 *result)
{
	PgBsonDigits rest;
	int			zeroes = Max(a->exponent - b->exponent, 0);

	if (b->exponent > a->exponent)
	{
		if (b->count + (b->exponent - a->exponent) > a->count)
		{
			PgBsonDigitsPut(a, result);
			return;
		}
		PgBsonDigitsShift(b, b->exponent - a->exponent);
		b->exponent = a->exponent;
	}
	rest.count = 0;
	for (int i = a->count - 1; i >= 0; i--)
		(void) divide_step(&rest, b, a->digit[i]);
	for (int i = 0; i < zeroes && rest.count > 0; i++)
		(void) divide_step(&rest, b, 0);
	rest.negative = a->negative;
	rest.exponent = b->exponent;
	PgBsonDigitsPut(&rest, result);
}

void
PgBsonDecimalRemainder(const uint8 *a, const uint8 *b, uint8 *result)
{
	PgBsonDigits x;
	PgBsonDigits y;

	PgBsonDigitsOf(a, &x);
	PgBsonDigitsOf(b, &y);
	if (x.kind != PGBSON_NUMBER_FINITE || y.kind == PGBSON_NUMBER_NAN || is_zero(&y))
		put_nan(&x, &y, result);
	else if (y.kind != PGBSON_NUMBER_FINITE)
		memcpy(result, a, PGBSON_DECIMAL128_SIZE);
	else
		remainder_finite(&x, &y, result);
}

void
PgBsonDecimalQuantize(const uint8 *a, int exponent, PgBsonRounding rounding, uint8 *result)
{
	PgBsonDigits d;

	PgBsonDigitsOf(a, &d);
	if (d.kind != PGBSON_NUMBER_FINITE)
	{
		put_nan(&d, &d, result);
		return;
	}
	if (d.count == 0)
		d.exponent = exponent;
	else if (d.exponent < exponent)
		PgBsonDigitsRound(&d, exponent - d.exponent, rounding);
	else if (d.exponent - exponent <= PGBSON_DECIMAL_DIGITS - d.count)
	{
		PgBsonDigitsShift(&d, d.exponent - exponent);
		d.exponent = exponent;
	}
	if (d.exponent != exponent || d.count > PGBSON_DECIMAL_DIGITS)
		PgBsonDecimalPutSpecial(PGBSON_DECIMAL_HI_NAN, result);
	else
		PgBsonDigitsPut(&d, result);
}
