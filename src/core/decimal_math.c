/*
 * decimal_math.c
 *	  decimal128 with rounding: the four operations as IEEE 754 has them.
 *
 * A finite decimal becomes an array of decimal digits with an exponent; the
 * exact result, which never has more than MAX_DIGITS, is rounded once.
 */
#include "core/decimal_math.h"

#include <math.h>

#include "core/decimal.h"
#include "utils/builtins.h"

/* Beyond this distance of two exponents the smaller summand only decides a rounding */
#define MAX_SHIFT	(2 * PGBSON_DECIMAL_DIGITS + 4)
#define MAX_DIGITS	(PGBSON_DECIMAL_DIGITS + MAX_SHIFT + 2)

/* (-1)^negative * digits * 10^exponent; the digits with the least significant first, no zeroes above */
typedef struct Digits
{
	bool		negative;
	int			exponent;
	int			count;			/* 0: the number is zero */
	uint8		digit[MAX_DIGITS];
} Digits;

static void
take_apart(const PgBsonDecimal *decimal, Digits *d)
{
	uint32		w[PGBSON_DECIMAL_LIMBS];

	d->negative = decimal->negative;
	d->exponent = decimal->exponent;
	d->count = 0;
	memcpy(w, decimal->w, sizeof(w));
	while ((w[0] | w[1] | w[2] | w[3]) != 0)
	{
		uint64		rest = 0;

		for (int i = PGBSON_DECIMAL_LIMBS - 1; i >= 0; i--)
		{
			rest = rest << 32 | w[i];
			w[i] = (uint32) (rest / 10);
			rest %= 10;
		}
		d->digit[d->count++] = (uint8) rest;
	}
}

/* Multiply by a power of ten; the digits must have room */
static void
shift_up(Digits *d, int places)
{
	if (d->count == 0)
		return;
	memmove(d->digit + places, d->digit, d->count);
	memset(d->digit, 0, places);
	d->count += places;
}

/* Is the number without its lowest digits to be made larger by one? */
static bool
rounds_up(const Digits *d, int places, PgBsonRounding rounding)
{
	bool		up = false;

	if (rounding != PGBSON_ROUND_HALF_EVEN)
	{
		if (rounding == PGBSON_ROUND_DOWN || d->negative != (rounding == PGBSON_ROUND_FLOOR))
			return false;
		return d->count > 0;
	}
	if (places > d->count || d->digit[places - 1] < 5)
		return false;
	up = d->digit[places - 1] > 5 || (places < d->count && (d->digit[places] & 1) != 0);
	for (int i = 0; i < places - 1 && !up; i++)
		up = d->digit[i] != 0;
	return up;
}

/* Leave out the lowest digits */
static void
round_by(Digits *d, int places, PgBsonRounding rounding)
{
	bool		up = false;

	if (places <= 0)
		return;
	if (rounding == PGBSON_ROUND_CEILING || rounding == PGBSON_ROUND_FLOOR)
	{
		/* only if something is left out */
		for (int i = 0; i < Min(places, d->count) && !up; i++)
			up = d->digit[i] != 0;
		up = up && rounds_up(d, places, rounding);
	}
	else
		up = rounds_up(d, places, rounding);
	d->exponent += places;
	d->count = Max(d->count - places, 0);
	/* places may be far behind the digits */
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

static void
round_off(Digits *d, int places)
{
	round_by(d, places, PGBSON_ROUND_HALF_EVEN);
}

static void
put_special(uint64 hi, uint8 *result)
{
	PgBsonWriteU64(result, 0);
	PgBsonWriteU64(result + 8, hi);
}

static void
put_infinity(bool negative, uint8 *result)
{
	put_special(PGBSON_DECIMAL_HI_INF | (negative ? PGBSON_DECIMAL_HI_SIGN : 0), result);
}

/* NaN: that of the first operand that is one, else a new one; its sign stays */
static void
put_nan(const PgBsonDecimal *x, const PgBsonDecimal *y, uint8 *result)
{
	const PgBsonDecimal *nan = x->kind == PGBSON_NUMBER_NAN ? x : y;

	put_special(PGBSON_DECIMAL_HI_NAN |
				(nan->kind == PGBSON_NUMBER_NAN && nan->negative ? PGBSON_DECIMAL_HI_SIGN : 0), result);
}

/* Round to what a decimal128 holds, and put it together */
static void
put_together(Digits *d, uint8 *result)
{
	PgBsonDecimal decimal;
	char		text[PGBSON_DECIMAL_DIGITS];

	round_off(d, Max(d->count - PGBSON_DECIMAL_DIGITS, PGBSON_DECIMAL_MIN_EXP - d->exponent));
	/* 99...9 may have become 100...0 */
	round_off(d, d->count - PGBSON_DECIMAL_DIGITS);
	if (d->count == 0)
		d->exponent = Max(Min(d->exponent, PGBSON_DECIMAL_MAX_EXP), PGBSON_DECIMAL_MIN_EXP);
	else if (d->exponent > PGBSON_DECIMAL_MAX_EXP)
	{
		int			places = d->exponent - PGBSON_DECIMAL_MAX_EXP;

		if (places > PGBSON_DECIMAL_DIGITS - d->count)
		{
			put_infinity(d->negative, result);
			return;
		}
		shift_up(d, places);
		d->exponent -= places;
	}

	for (int i = 0; i < d->count; i++)
		text[i] = '0' + d->digit[d->count - 1 - i];
	PgBsonDecimalFromDigits(d->negative, text, d->count, d->exponent, &decimal);
	PgBsonDecimalEncode(&decimal, result);
}

static int
compare_digits(const Digits *a, const Digits *b)
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

/* a = a + b, or for different signs a - b where a is not the smaller one */
static void
add_digits(Digits *a, const Digits *b, bool subtract)
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
add_finite(Digits *a, Digits *b, uint8 *result)
{
	int			gap;

	if (a->exponent < b->exponent)
	{
		Digits	   *swap = a;

		a = b;
		b = swap;
	}
	gap = a->exponent - b->exponent;
	/* a zero has no digits to move, and what is far below another number none that count */
	if (a->count > 0 && gap > MAX_SHIFT)
	{
		gap = MAX_SHIFT;
		if (b->count > 0)
		{
			b->count = 1;
			b->digit[0] = 1;
		}
		b->exponent = a->exponent - gap;
	}
	shift_up(a, gap);
	a->exponent = b->exponent;

	if (a->negative == b->negative)
		add_digits(a, b, false);
	else
	{
		int			cmp = compare_digits(a, b);

		if (cmp < 0)
		{
			Digits	   *swap = a;

			a = b;
			b = swap;
		}
		add_digits(a, b, true);
		if (cmp == 0)
			a->negative = false;
	}
	put_together(a, result);
}

void
PgBsonDecimalAdd(const uint8 *a, const uint8 *b, uint8 *result)
{
	PgBsonDecimal x;
	PgBsonDecimal y;
	Digits		dx;
	Digits		dy;

	PgBsonDecimalDecode(a, &x);
	PgBsonDecimalDecode(b, &y);
	if (x.kind == PGBSON_NUMBER_NAN || y.kind == PGBSON_NUMBER_NAN ||
		(x.kind != PGBSON_NUMBER_FINITE && y.kind != PGBSON_NUMBER_FINITE && x.kind != y.kind))
		put_nan(&x, &y, result);
	else if (x.kind != PGBSON_NUMBER_FINITE)
		put_infinity(x.negative, result);
	else if (y.kind != PGBSON_NUMBER_FINITE)
		put_infinity(y.negative, result);
	else
	{
		take_apart(&x, &dx);
		take_apart(&y, &dy);
		add_finite(&dx, &dy, result);
	}
}

static void
multiply_finite(const Digits *a, const Digits *b, uint8 *result)
{
	Digits		product;
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
	put_together(&product, result);
}

void
PgBsonDecimalMultiply(const uint8 *a, const uint8 *b, uint8 *result)
{
	PgBsonDecimal x;
	PgBsonDecimal y;
	Digits		dx;
	Digits		dy;

	PgBsonDecimalDecode(a, &x);
	PgBsonDecimalDecode(b, &y);
	take_apart(&x, &dx);
	take_apart(&y, &dy);
	if (x.kind == PGBSON_NUMBER_NAN || y.kind == PGBSON_NUMBER_NAN ||
		(x.kind != PGBSON_NUMBER_FINITE && y.kind == PGBSON_NUMBER_FINITE && dy.count == 0) ||
		(y.kind != PGBSON_NUMBER_FINITE && x.kind == PGBSON_NUMBER_FINITE && dx.count == 0))
		put_nan(&x, &y, result);
	else if (x.kind != PGBSON_NUMBER_FINITE || y.kind != PGBSON_NUMBER_FINITE)
		put_infinity(x.negative != y.negative, result);
	else
		multiply_finite(&dx, &dy, result);
}

/* What is left in a long division */
typedef struct Rest
{
	const Digits *divisor;
	int			count;
	uint8		digit[PGBSON_DECIMAL_DIGITS * 2 + 2];	/* the least significant first */
} Rest;

/* The rest times ten plus the next digit, divided: the quotient's digit */
static int
divide_step(Rest *rest, int next)
{
	const Digits *by = rest->divisor;
	int			quotient = 0;

	memmove(rest->digit + 1, rest->digit, rest->count);
	rest->digit[0] = next;
	rest->count++;
	for (;;)
	{
		int			borrow = 0;

		while (rest->count > 0 && rest->digit[rest->count - 1] == 0)
			rest->count--;
		if (rest->count != by->count)
		{
			if (rest->count < by->count)
				return quotient;
		}
		else
		{
			int			i = by->count - 1;

			while (i >= 0 && rest->digit[i] == by->digit[i])
				i--;
			if (i >= 0 && rest->digit[i] < by->digit[i])
				return quotient;
		}
		for (int i = 0; i < rest->count; i++)
		{
			int			digit = rest->digit[i] - borrow - (i < by->count ? by->digit[i] : 0);

			borrow = digit < 0;
			rest->digit[i] = digit + (borrow ? 10 : 0);
		}
		quotient++;
	}
}

static void
divide_finite(Digits *a, const Digits *b, uint8 *result)
{
	int			preferred = a->exponent - b->exponent;
	int			places = Max(b->count + PGBSON_DECIMAL_DIGITS + 2 - a->count, 0);
	Digits		quotient;
	Rest		rest = {b};

	quotient.negative = a->negative != b->negative;
	quotient.exponent = preferred;
	quotient.count = 0;
	if (a->count > 0)
	{
		shift_up(a, places);
		quotient.exponent = preferred - places;
		quotient.count = a->count;
		for (int i = a->count - 1; i >= 0; i--)
			quotient.digit[i] = divide_step(&rest, a->digit[i]);
		while (quotient.count > 0 && quotient.digit[quotient.count - 1] == 0)
			quotient.count--;
		if (rest.count > 0)
		{
			/* there is more behind it, which decides how to round a half */
			if (quotient.digit[0] % 5 == 0)
				quotient.digit[0]++;
		}
		else
		{
			for (places = 0; quotient.exponent + places < preferred && quotient.digit[places] == 0;)
				places++;
			round_off(&quotient, places);
		}
	}
	put_together(&quotient, result);
}

void
PgBsonDecimalDivide(const uint8 *a, const uint8 *b, uint8 *result)
{
	PgBsonDecimal x;
	PgBsonDecimal y;
	Digits		dx;
	Digits		dy;

	PgBsonDecimalDecode(a, &x);
	PgBsonDecimalDecode(b, &y);
	if (x.kind == PGBSON_NUMBER_NAN || y.kind == PGBSON_NUMBER_NAN ||
		(x.kind != PGBSON_NUMBER_FINITE && y.kind != PGBSON_NUMBER_FINITE))
	{
		put_nan(&x, &y, result);
		return;
	}
	if (x.kind != PGBSON_NUMBER_FINITE)
	{
		put_infinity(x.negative != y.negative, result);
		return;
	}
	if (y.kind != PGBSON_NUMBER_FINITE)
	{
		dx.count = 0;
		dx.negative = x.negative != y.negative;
		dx.exponent = PGBSON_DECIMAL_MIN_EXP;
		put_together(&dx, result);
		return;
	}
	take_apart(&x, &dx);
	take_apart(&y, &dy);
	if (dy.count > 0)
		divide_finite(&dx, &dy, result);
	else if (dx.count > 0)
		put_infinity(x.negative != y.negative, result);
	else
		put_nan(&x, &y, result);
}

/* a minus b times the integer part of a/b */
static void
remainder_finite(const Digits *a, Digits *b, uint8 *result)
{
	Rest		rest = {b};
	Digits		remainder;
	int			zeroes = Max(a->exponent - b->exponent, 0);

	if (b->exponent > a->exponent)
	{
		if (b->count + (b->exponent - a->exponent) > a->count)
		{
			remainder = *a;
			put_together(&remainder, result);
			return;
		}
		shift_up(b, b->exponent - a->exponent);
		b->exponent = a->exponent;
	}
	for (int i = a->count - 1; i >= 0; i--)
		(void) divide_step(&rest, a->digit[i]);
	for (int i = 0; i < zeroes && rest.count > 0; i++)
		(void) divide_step(&rest, 0);
	remainder.negative = a->negative;
	remainder.exponent = b->exponent;
	remainder.count = rest.count;
	memcpy(remainder.digit, rest.digit, rest.count);
	put_together(&remainder, result);
}

void
PgBsonDecimalRemainder(const uint8 *a, const uint8 *b, uint8 *result)
{
	PgBsonDecimal x;
	PgBsonDecimal y;
	Digits		dx;
	Digits		dy;

	PgBsonDecimalDecode(a, &x);
	PgBsonDecimalDecode(b, &y);
	take_apart(&x, &dx);
	take_apart(&y, &dy);
	if (x.kind != PGBSON_NUMBER_FINITE || y.kind == PGBSON_NUMBER_NAN ||
		(y.kind == PGBSON_NUMBER_FINITE && dy.count == 0))
		put_nan(&x, &y, result);
	else if (y.kind != PGBSON_NUMBER_FINITE)
		memcpy(result, a, PGBSON_DECIMAL128_SIZE);
	else
		remainder_finite(&dx, &dy, result);
}

void
PgBsonDecimalQuantize(const uint8 *a, int exponent, PgBsonRounding rounding, uint8 *result)
{
	PgBsonDecimal x;
	Digits		d;

	PgBsonDecimalDecode(a, &x);
	if (x.kind != PGBSON_NUMBER_FINITE)
	{
		put_nan(&x, &x, result);
		return;
	}
	take_apart(&x, &d);
	if (d.count == 0)
		d.exponent = exponent;
	else if (d.exponent < exponent)
		round_by(&d, exponent - d.exponent, rounding);
	else if (d.exponent - exponent <= PGBSON_DECIMAL_DIGITS - d.count)
	{
		shift_up(&d, d.exponent - exponent);
		d.exponent = exponent;
	}
	if (d.exponent != exponent || d.count > PGBSON_DECIMAL_DIGITS)
		put_special(PGBSON_DECIMAL_HI_NAN, result);
	else
		put_together(&d, result);
}

void
PgBsonDecimalFromNumericRounded(Numeric number, uint8 *result)
{
	const char *text = DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(number)));
	Digits		d = {false, 0, 0};
	uint8		digits[PGBSON_DECIMAL_DIGITS + 2];
	bool		after_point = false;
	bool		more = false;
	int			zeroes = 0;

	if (numeric_is_nan(number))
	{
		put_special(PGBSON_DECIMAL_HI_NAN, result);
		return;
	}
	if (numeric_is_inf(number))
	{
		put_infinity(*text == '-', result);
		return;
	}
	for (const char *p = text; *p != '\0'; p++)
	{
		if (*p == '-')
			d.negative = true;
		else if (*p == '.')
			after_point = true;
		else
		{
			d.exponent -= after_point;
			if (d.count == lengthof(digits))
			{
				more |= *p != '0';
				d.exponent++;
			}
			else if (d.count > 0 || *p != '0')
				digits[d.count++] = *p - '0';
		}
	}
	for (int i = 0; i < d.count; i++)
		d.digit[i] = digits[d.count - 1 - i];
	if (more && d.digit[0] % 5 == 0)
		d.digit[0]++;
	while (!more && zeroes < d.count && d.digit[zeroes] == 0 && d.exponent + zeroes < 0)
		zeroes++;
	round_off(&d, zeroes);
	if (d.count == 0)
		d.exponent = 0;
	put_together(&d, result);
}

void
PgBsonDecimalFromDouble(double d, uint8 *result)
{
	char		text[64];

	/* as a numeric its shortest spelling would come */
	snprintf(text, sizeof(text), "%.33e", d);
	if (isfinite(d))
		PgBsonDecimalFromNumericRounded(DatumGetNumeric(DirectFunctionCall3(numeric_in, CStringGetDatum(text),
																			ObjectIdGetDatum(InvalidOid),
																			Int32GetDatum(-1))), result);
	else if (isnan(d))
		put_special(PGBSON_DECIMAL_HI_NAN, result);
	else
		put_infinity(d < 0, result);
}

/* 15 digits, of which those at the end stay although they are zero */
static void
double_to_decimal(double d, uint8 *result)
{
	char		text[32];
	char		digits[16];
	PgBsonDecimal decimal;

	if (isnan(d))
		put_special(PGBSON_DECIMAL_HI_NAN, result);
	else if (isinf(d))
		put_infinity(d < 0, result);
	else
	{
		int			ndigits = 0;
		int			exponent;

		/* d.dddddddddddddde-xxx */
		snprintf(text, sizeof(text), "%.14e", fabs(d));
		exponent = atoi(strchr(text, 'e') + 1);
		for (const char *p = text; *p != 'e'; p++)
		{
			if (*p != '.')
				digits[ndigits++] = *p;
		}
		if (d == 0)
			PgBsonDecimalFromDigits(signbit(d), digits, 1, 0, &decimal);
		else
			PgBsonDecimalFromDigits(d < 0, digits, ndigits, exponent - 14, &decimal);
		PgBsonDecimalEncode(&decimal, result);
	}
}

void
PgBsonNumberToDecimal(const PgBsonValue *number, uint8 *result)
{
	PgBsonDecimal decimal;

	switch (number->type)
	{
		case PGBSON_DECIMAL128:
			memcpy(result, number->data, PGBSON_DECIMAL128_SIZE);
			break;
		case PGBSON_DOUBLE:
			double_to_decimal(PgBsonReadDouble(number->data), result);
			break;
		default:
			PgBsonDecimalFromInt64(number->type == PGBSON_INT32 ? PgBsonReadI32(number->data) :
								   PgBsonReadI64(number->data), &decimal);
			PgBsonDecimalEncode(&decimal, result);
			break;
	}
}
