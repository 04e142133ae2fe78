/*
 * decimal_functions.c
 *	  Roots, powers and logarithms of decimal128.
 *
 * numeric is slow with numbers of thousands of digits, so it is given the significand
 * alone, and the power of ten is applied to the result: ln(w * 10^e) = ln(w) + e *
 * ln(10), and so on.
 */

#include <math.h>

#include "core/number/decimal.h"
#include "core/number/number_text.h"
#include "utils/builtins.h"

/* Digits after the point: of intermediate results, and of those that may be as small as 10^-34 */
#define SCALE			60
#define SMALL_SCALE		90

/* ln(10), and more than the logarithm of the largest decimal */
#define LN_10_TEXT		"2.302585092994045684017991454684364207601101488628772976033327900967572609677352480235997205089598298341968"
#define MAX_LN			14400.0

static Datum
numeric_from_int(int64 n)
{
	return DirectFunctionCall1(int8_numeric, Int64GetDatum(n));
}

static Datum
round_numeric(Datum numeric, int scale)
{
	return DirectFunctionCall2(numeric_round, numeric, Int32GetDatum(scale));
}

static double
double_of_numeric(Datum numeric)
{
	return DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, numeric));
}

/* A finite decimal as a numeric, rounded to "scale" digits after the point */
static Datum
numeric_of(const PgBsonDecimal *d, int scale)
{
	uint8		bytes[PGBSON_DECIMAL128_SIZE];
	PgBsonValue value = {PGBSON_DECIMAL128, sizeof(bytes), bytes};

	PgBsonDecimalEncode(d, bytes);
	return round_numeric(NumericGetDatum(PgBsonNumberToNumeric(&value)), scale);
}

/* The significand as a numeric, with "times_ten" multiplied by ten */
static Datum
significand_of(const PgBsonDecimal *d, bool times_ten, int scale)
{
	PgBsonDecimal w = *d;
	Datum		numeric;

	w.exponent = 0;
	w.negative = false;
	numeric = numeric_of(&w, scale);
	return times_ten ? DirectFunctionCall2(numeric_mul, numeric, numeric_from_int(10)) : numeric;
}

/* Is a normalized decimal 1? */
static bool
is_one(const PgBsonDecimal *d)
{
	return d->exponent == 0 && d->w[0] == 1 && PgBsonDecimalIsShort(d) && d->w[1] == 0;
}

static void
power_of_ten(int exponent, uint8 *result)
{
	PgBsonDecimal d;

	PgBsonDecimalFromDigits(false, "1", 1, exponent, &d);
	PgBsonDecimalEncode(&d, result);
}

/* Multiply by 10^exponent in two steps, as a single factor may be out of range; only the second step can round */
static void
scale_by_ten(uint8 *decimal, int exponent)
{
	uint8		power[PGBSON_DECIMAL128_SIZE];

	power_of_ten(exponent / 2, power);
	PgBsonDecimalMultiply(decimal, power, decimal);
	power_of_ten(exponent - exponent / 2, power);
	PgBsonDecimalMultiply(decimal, power, decimal);
}

void
PgBsonDecimalPad(const uint8 *a, uint8 *result)
{
	static const uint8 least_zero[PGBSON_DECIMAL128_SIZE] = {0};

	PgBsonDecimalAdd(a, least_zero, result);
}

void
PgBsonDecimalSqrt(const uint8 *a, uint8 *result)
{
	PgBsonDecimal d;
	bool		odd;
	int			half;

	PgBsonDecimalDecode(a, &d);
	odd = d.exponent % 2 != 0;
	half = (d.exponent - (d.exponent < 0 && odd)) / 2;
	if (PgBsonDecimalIsZero(&d))
	{
		d.exponent = half;
		PgBsonDecimalEncode(&d, result);
		return;
	}
	PgBsonDecimalFromNumericRounded(DatumGetNumeric(DirectFunctionCall1(numeric_sqrt, significand_of(&d, odd, SCALE))),
									result);
	scale_by_ten(result, half);
}

/* Is the number so near to 1 that the logarithms of its significand and of its power of ten nearly cancel out? */
static bool
is_near_one(const PgBsonDecimal *d)
{
	double		w = double_of_numeric(significand_of(d, false, 0));

	return fabs(log10(w) + d->exponent) < 1;
}

/* The natural logarithm of a positive decimal's magnitude, to more than 40 significant digits */
static Datum
ln_of(const PgBsonDecimal *a)
{
	PgBsonDecimal d = *a;

	PgBsonDecimalNormalize(&d);
	d.negative = false;
	if (is_near_one(&d))
		return DirectFunctionCall1(numeric_ln, numeric_of(&d, SMALL_SCALE));
	return DirectFunctionCall2(numeric_add,
							   DirectFunctionCall1(numeric_ln, significand_of(&d, false, SCALE)),
							   DirectFunctionCall2(numeric_mul, numeric_from_int(d.exponent),
												   NumericGetDatum(PgBsonNumericFromText(LN_10_TEXT))));
}

void
PgBsonDecimalLn(const uint8 *a, uint8 *result)
{
	PgBsonDecimal d;

	PgBsonDecimalDecode(a, &d);
	PgBsonDecimalFromNumericRounded(DatumGetNumeric(ln_of(&d)), result);
}

void
PgBsonDecimalLog10(const uint8 *a, uint8 *result)
{
	PgBsonDecimal d;
	uint8		whole[PGBSON_DECIMAL128_SIZE];
	PgBsonValue x = {PGBSON_DECIMAL128, PGBSON_DECIMAL128_SIZE, result};
	PgBsonValue y = {PGBSON_DECIMAL128, sizeof(whole), whole};
	Datum		ten = numeric_from_int(10);
	Datum		log;

	PgBsonDecimalDecode(a, &d);
	PgBsonDecimalNormalize(&d);
	if (is_near_one(&d))
		log = DirectFunctionCall2(numeric_log, ten, numeric_of(&d, SMALL_SCALE));
	else
		log = DirectFunctionCall2(numeric_add, DirectFunctionCall2(numeric_log, ten, significand_of(&d, false, SCALE)),
								  numeric_from_int(d.exponent));
	PgBsonDecimalFromNumericRounded(DatumGetNumeric(log), result);
	/* a result that is a whole number has no zeroes after the point */
	PgBsonDecimalQuantize(result, 0, PGBSON_ROUND_HALF_EVEN, whole);
	if (PgBsonNumberCompare(&x, &y) == 0)
		memcpy(result, whole, sizeof(whole));
}

/* e to the power of a numeric between -MAX_LN and MAX_LN */
static void
exp_of(Datum numeric, uint8 *result)
{
	int			places = (int) rint(double_of_numeric(numeric) / M_LN10);
	Datum		rest = DirectFunctionCall2(numeric_sub, numeric,
										   DirectFunctionCall2(numeric_mul, numeric_from_int(places),
															   NumericGetDatum(PgBsonNumericFromText(LN_10_TEXT))));

	PgBsonDecimalFromNumericRounded(DatumGetNumeric(DirectFunctionCall1(numeric_exp, round_numeric(rest, SCALE))),
									result);
	scale_by_ten(result, places);
}

/* Set the result to zero or infinity if a number with this logarithm is out of range; false if it is not */
static bool
out_of_range(double ln, uint8 *result)
{
	uint8		large[PGBSON_DECIMAL128_SIZE];

	if (ln > -MAX_LN && ln < MAX_LN)
		return false;
	power_of_ten(ln > 0 ? 4000 : -4000, large);
	PgBsonDecimalMultiply(large, large, result);
	return true;
}

void
PgBsonDecimalExp(const uint8 *a, uint8 *result)
{
	PgBsonDecimal d;
	PgBsonValue value = {PGBSON_DECIMAL128, PGBSON_DECIMAL128_SIZE, a};
	bool		exact;

	PgBsonDecimalDecode(a, &d);
	if (out_of_range(PgBsonNumberToDouble(&value, &exact), result))
		return;
	if (PgBsonDecimalIsZero(&d))
	{
		power_of_ten(0, result);
		return;
	}
	exp_of(numeric_of(&d, SCALE), result);
	PgBsonDecimalDecode(result, &d);
	PgBsonDecimalNormalize(&d);
	if (is_one(&d))
		power_of_ten(0, result);
	else
		PgBsonDecimalPad(result, result);
}

/* Is the exponent a whole number?  *odd says whether it is an odd one. */
static bool
is_whole(const PgBsonDecimal *exponent, bool *odd)
{
	PgBsonDecimal d = *exponent;

	PgBsonDecimalNormalize(&d);
	*odd = d.exponent == 0 && (d.w[0] & 1) != 0;
	return d.exponent >= 0 || PgBsonDecimalIsZero(&d);
}

void
PgBsonDecimalPower(const uint8 *base, const uint8 *exponent, uint8 *result)
{
	PgBsonDecimal x;
	PgBsonDecimal y;
	PgBsonValue value = {PGBSON_DECIMAL128, PGBSON_DECIMAL128_SIZE, exponent};
	bool		exact;
	bool		odd;
	bool		negative;
	double		times = PgBsonNumberToDouble(&value, &exact);
	Datum		ln;

	PgBsonDecimalDecode(base, &x);
	PgBsonDecimalDecode(exponent, &y);
	negative = x.negative;
	if (!is_whole(&y, &odd) && negative)
	{
		PgBsonDecimalFromNumericRounded(PgBsonNumericFromText("NaN"), result);
		return;
	}
	PgBsonDecimalNormalize(&x);
	x.negative = false;
	if (is_one(&x) || PgBsonDecimalIsZero(&y))
		power_of_ten(0, result);
	else
	{
		ln = ln_of(&x);
		if (!out_of_range(double_of_numeric(ln) * times, result))
			exp_of(DirectFunctionCall2(numeric_mul, ln, numeric_of(&y, SMALL_SCALE)), result);
	}
	/* MongoDB's server makes the largest decimal an infinity, as its library returns it when the result is too large */
	PgBsonDecimalDecode(result, &y);
	if (y.exponent == PGBSON_DECIMAL_MAX_EXP && PgBsonLimbsLow64(y.w) == PGBSON_DECIMAL_MAX_LO &&
		PgBsonLimbsLow64(y.w + 2) == PGBSON_DECIMAL_MAX_HI)
		(void) out_of_range(MAX_LN, result);
	if (negative && odd)
		result[15] |= 0x80;
	PgBsonDecimalPad(result, result);
}
