/*
 * fixed.c
 *	  Arithmetic of jsonpath on numbers of few digits: an int64 and a number of decimals.
 *
 * Most numbers with a fraction are prices and measures, doubles whose shortest
 * spelling has few digits.  Their sums, differences, products, quotients and remainders are as exact
 * here as numeric has them, with as many decimals as numeric shows, without converting each operand
 * and each result by way of text.  Numbers that do not fit are left to numeric (arithmetic.c).
 */
#include "jsonpath/exec.h"

#include <math.h>

#include "core/number/decimal.h"
#include "core/number/number_text.h"

/* 10^n fits an int64 */
#define MOST_SCALE		18

/* A number written in the path: its text is looked at once, and the result remembered */
static bool
literal_fixed(PgBsonJpState *st, Numeric num, PgBsonJpNumeral *result)
{
	PgBsonJpLiteral *literal = PgBsonJpLiteralAt(st, num);

	if (!literal->fixed_tried)
	{
		char	   *text = PgBsonNumericText(num);
		char	   *point = strchr(text, '.');
		int			decimals = point == NULL ? 0 : strlen(point + 1);

		if (point != NULL)
			memmove(point, point + 1, decimals + 1);
		literal->is_fixed = decimals <= MOST_SCALE && PgBsonTextIsInt64(text, strlen(text), &literal->fixed);
		literal->scale = literal->is_fixed ? decimals : 0;
		literal->fixed_tried = true;
		pfree(text);
	}
	result->fixed = literal->fixed;
	result->scale = literal->scale;
	return literal->is_fixed;
}

/* The number of an item as a fixed numeral that is computed; false if it is none */
static bool
fixed_of(PgBsonJpState *st, const PgBsonJpItem *item, PgBsonJpNumeral *result)
{
	const PgBsonJpNumeral *numeral = &item->u.numeral;
	int			decimals = 0;
	bool		ok = true;

	*result = (PgBsonJpNumeral) {.width = PGBSON_JP_INTEGER, .computed = true};
	if (item->kind == PGBSON_JP_NUMERAL)
	{
		result->width = numeral->width;
		if (numeral->literal)
			return literal_fixed(st, numeral->num, result);
		result->fixed = numeral->fixed;
		result->scale = numeral->scale;
		return numeral->num == NULL;
	}
	if (PgBsonJpIsType(item, PGBSON_DOUBLE))
	{
		result->width = PGBSON_JP_DOUBLE;
		ok = PgBsonDoubleIsShort(PgBsonReadDouble(item->u.value.data), &result->fixed, &decimals);
	}
	else if (PgBsonJpIsType(item, PGBSON_INT32) || PgBsonJpIsType(item, PGBSON_INT64))
		result->fixed = PgBsonIntegerOf(&item->u.value);
	else
		return false;
	result->scale = decimals;
	return ok;
}

/* Give two numbers the same decimals; false if the digits do not fit */
static bool
align_decimals(PgBsonJpNumeral *a, PgBsonJpNumeral *b)
{
	int			scale = Max(a->scale, b->scale);
	bool		fits = PgBsonUnitsScale(&a->fixed, scale - a->scale) && PgBsonUnitsScale(&b->fixed, scale - b->scale);

	a->scale = b->scale = scale;
	return fits;
}

/*
 * The first digit to the base 10000 and the power of that base it stands for, of a number that is not zero; false if
 * the digits do not fit
 */
static bool
first_digit(const PgBsonJpNumeral *fixed, int64 *digit, int *power)
{
	*digit = fixed->fixed;
	*power = -((fixed->scale + 3) / 4);
	if (!PgBsonUnitsScale(digit, 3 - (fixed->scale + 3) % 4))
		return false;
	for (; *digit <= -10000 || *digit >= 10000; *digit /= 10000)
		(*power)++;
	*digit = llabs(*digit);
	return true;
}

/*
 * The quotient, which has the decimals of "a" then, rounded half away from zero: as many as numeric gives it, from an
 * estimate of its size
 */
static bool
divide_fixed(PgBsonJpNumeral *a, const PgBsonJpNumeral *b, int64 *result)
{
	int64		rest;
	int64		a_first;
	int64		b_first;
	int			a_power;
	int			b_power;
	int			places = b->scale - a->scale;

	/* a divisor with a sign is rare */
	if (a->fixed == 0 || b->fixed <= 0 || !first_digit(a, &a_first, &a_power) || !first_digit(b, &b_first, &b_power))
		return false;
	a->scale = Max(NUMERIC_MIN_SIG_DIGITS - 4 * (a_power - b_power - (a_first <= b_first)), Max(a->scale, b->scale));
	*result = a->fixed / b->fixed;
	rest = a->fixed % b->fixed;
	for (int step, left = places + a->scale; left > 0; left -= step)
	{
		step = Min(left, 9);
		if (!PgBsonUnitsScale(result, step) || !PgBsonUnitsScale(&rest, step) ||
			pg_add_s64_overflow(*result, rest / b->fixed, result))
			return false;
		rest %= b->fixed;
	}
	if (llabs(rest) >= b->fixed - llabs(rest))
		*result += a->fixed < 0 ? -1 : 1;
	return true;
}

bool
PgBsonJpFixedBinary(PgBsonJpState *st, JsonPathItemType op, const PgBsonJpItem *left,
					const PgBsonJpItem *right, PgBsonJpItem *result)
{
	PgBsonJpNumeral a;
	PgBsonJpNumeral b;
	int64		made = 0;
	bool		fits;

	if (!fixed_of(st, left, &a) || !fixed_of(st, right, &b))
		return false;
	a.width = Max(a.width, b.width);
	if (op == jpiDiv)
		fits = divide_fixed(&a, &b, &made);
	else if (op == jpiMul)
	{
		a.scale += b.scale;
		fits = a.scale <= MOST_SCALE && !pg_mul_s64_overflow(a.fixed, b.fixed, &made);
	}
	else if (!align_decimals(&a, &b))
		fits = false;
	else if (op == jpiMod)
	{
		/* digits % -1 would overflow for the least int64 */
		fits = b.fixed != 0 && b.fixed != -1;
		made = fits ? a.fixed % b.fixed : 0;
	}
	else
		fits = !(op == jpiAdd ? pg_add_s64_overflow(a.fixed, b.fixed, &made)
				 : pg_sub_s64_overflow(a.fixed, b.fixed, &made));
	if (!fits)
		return false;
	a.fixed = made;
	/* the result of integers is an integer, and made as a BSON value right away */
	if (a.width == PGBSON_JP_INTEGER && a.scale == 0)
		*result = PgBsonJpValueItem(PgBsonMakeInteger(made));
	else
		*result = (PgBsonJpItem) {PGBSON_JP_NUMERAL, .u.numeral = a};
	return true;
}

bool
PgBsonJpFixedUnary(PgBsonJpState *st, JsonPathItemType op, const PgBsonJpItem *item, PgBsonJpItem *result)
{
	PgBsonJpNumeral fixed = {.width = PGBSON_JP_DOUBLE, .computed = true};
	double		d;

	if (op == jpiFloor || op == jpiCeiling)
	{
		/* floor and ceiling of a double do not need its decimal digits */
		if (!PgBsonJpIsType(item, PGBSON_DOUBLE))
			return false;
		d = PgBsonReadDouble(item->u.value.data);
		d = op == jpiFloor ? floor(d) : ceil(d);
		if (!(fabs(d) < PGBSON_EXACT_DOUBLE))
			return false;
		fixed.fixed = (int64) d;
	}
	else if (!fixed_of(st, item, &fixed) ||
			 ((op == jpiMinus || fixed.fixed < 0) && pg_sub_s64_overflow(0, fixed.fixed, &fixed.fixed)))
		return false;
	*result = (PgBsonJpItem) {PGBSON_JP_NUMERAL, .u.numeral = fixed};
	return true;
}

bool
PgBsonJpFixedCompare(PgBsonJpState *st, const PgBsonJpItem *a, const PgBsonJpItem *b, int *result)
{
	PgBsonJpNumeral x;
	PgBsonJpNumeral y;

	if (!fixed_of(st, a, &x) || !fixed_of(st, b, &y) || !align_decimals(&x, &y))
		return false;
	*result = (x.fixed > y.fixed) - (x.fixed < y.fixed);
	return true;
}
