/*
 * fixed.c
 *	  Arithmetic of jsonpath on numbers of few digits: an int64 and a number of decimals.
 *
 * Most numbers with a fraction are prices and measures, doubles whose shortest
 * spelling has few digits.  Their sums, differences, products and remainders are as exact
 * here as numeric has them, with as many decimals as numeric shows, without converting each operand
 * and each result by way of text.  Numbers that do not fit are left to numeric (arithmetic.c).
 */
#include "jsonpath/exec.h"

#include <math.h>

#include "core/number/decimal.h"
#include "core/number/number_text.h"

/* 10^n fits an int64 */
#define MOST_SCALE		18

typedef struct Fixed
{
	int64		digits;
	int			scale;
	PgBsonJpWidth width;
} Fixed;

/* A number written in the path: its text is looked at once, and the result remembered */
static bool
literal_fixed(PgBsonJpState *st, Numeric num, Fixed *fixed)
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
	fixed->digits = literal->fixed;
	fixed->scale = literal->scale;
	return literal->is_fixed;
}

static bool
fixed_of(PgBsonJpState *st, const PgBsonJpItem *item, Fixed *fixed)
{
	const PgBsonJpNumeral *numeral = &item->u.numeral;

	if (item->kind == PGBSON_JP_NUMERAL)
	{
		fixed->width = numeral->width;
		if (numeral->literal)
			return literal_fixed(st, numeral->num, fixed);
		fixed->digits = numeral->fixed;
		fixed->scale = numeral->scale;
		return numeral->num == NULL;
	}
	if (item->kind != PGBSON_JP_VALUE)
		return false;
	fixed->scale = 0;
	fixed->width = PGBSON_JP_INTEGER;
	switch (item->u.value.type)
	{
		case PGBSON_INT32:
			fixed->digits = PgBsonReadI32(item->u.value.data);
			return true;
		case PGBSON_INT64:
			fixed->digits = PgBsonReadI64(item->u.value.data);
			return true;
		case PGBSON_DOUBLE:
			fixed->width = PGBSON_JP_DOUBLE;
			return PgBsonDoubleIsShort(PgBsonReadDouble(item->u.value.data), &fixed->digits, &fixed->scale);
		default:
			return false;
	}
}

static void
fixed_item(const Fixed *fixed, PgBsonJpItem *item)
{
	item->kind = PGBSON_JP_NUMERAL;
	item->u.numeral = (PgBsonJpNumeral) {NULL, fixed->digits, fixed->width, fixed->scale, false, true};
}

bool
PgBsonJpFixedBinary(PgBsonJpState *st, JsonPathItemType op, const PgBsonJpItem *left,
					const PgBsonJpItem *right, PgBsonJpItem *result)
{
	Fixed		a;
	Fixed		b;
	Fixed		made;
	bool		fits;

	if (op == jpiDiv || !fixed_of(st, left, &a) || !fixed_of(st, right, &b))
		return false;
	made.width = Max(a.width, b.width);
	if (op == jpiMul)
	{
		made.scale = a.scale + b.scale;
		fits = made.scale <= MOST_SCALE && !pg_mul_s64_overflow(a.digits, b.digits, &made.digits);
	}
	else
	{
		made.scale = Max(a.scale, b.scale);
		fits = PgBsonUnitsScale(&a.digits, made.scale - a.scale) && PgBsonUnitsScale(&b.digits, made.scale - b.scale);
		if (op == jpiMod)
		{
			/* digits % -1 would overflow for the least int64 */
			fits = fits && b.digits != 0 && b.digits != -1;
			made.digits = fits ? a.digits % b.digits : 0;
		}
		else
			fits = fits && !(op == jpiAdd ? pg_add_s64_overflow(a.digits, b.digits, &made.digits) :
							 pg_sub_s64_overflow(a.digits, b.digits, &made.digits));
	}
	if (!fits)
		return false;
	/* the result of integers is an integer, and made as a BSON value right away */
	if (made.width == PGBSON_JP_INTEGER && made.scale == 0)
		*result = PgBsonJpValueItem(PgBsonMakeInteger(made.digits));
	else
		fixed_item(&made, result);
	return true;
}

bool
PgBsonJpFixedUnary(PgBsonJpState *st, JsonPathItemType op, const PgBsonJpItem *item, PgBsonJpItem *result)
{
	Fixed		fixed;
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
		fixed.digits = (int64) d;
		fixed.scale = 0;
		fixed.width = PGBSON_JP_DOUBLE;
	}
	else if (!fixed_of(st, item, &fixed) ||
			 ((op == jpiMinus || fixed.digits < 0) && pg_sub_s64_overflow(0, fixed.digits, &fixed.digits)))
		return false;
	fixed_item(&fixed, result);
	return true;
}

bool
PgBsonJpFixedCompare(PgBsonJpState *st, const PgBsonJpItem *a, const PgBsonJpItem *b, int *result)
{
	Fixed		x;
	Fixed		y;
	int			scale;

	if (!fixed_of(st, a, &x) || !fixed_of(st, b, &y))
		return false;
	scale = Max(x.scale, y.scale);
	if (!PgBsonUnitsScale(&x.digits, scale - x.scale) || !PgBsonUnitsScale(&y.digits, scale - y.scale))
		return false;
	*result = (x.digits > y.digits) - (x.digits < y.digits);
	return true;
}

bool
PgBsonJpFixedIsDouble(const PgBsonJpNumeral *numeral, double *d)
{
#ifdef PGBSON_DOUBLES_ROUND_ONCE
	if (numeral->num == NULL && numeral->fixed >= -PGBSON_SAFE_DIGITS && numeral->fixed <= PGBSON_SAFE_DIGITS &&
		numeral->scale < PGBSON_EXACT_POWERS)
	{
		*d = (double) numeral->fixed / PgBsonPowersOfTen[numeral->scale];
		return true;
	}
#endif
	return false;
}
