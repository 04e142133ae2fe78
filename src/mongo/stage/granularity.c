/*
 * granularity.c
 *	  Series of preferred numbers.
 *
 * The series are those of ISO 3 and IEC 60063, as MongoDB has them: R40 without
 * 335, and of R80 every other number.  See
 * src/mongo/db/pipeline/granularity_rounder_*.cpp of MongoDB.
 */
#include "mongo/stage/nested.h"

#include <math.h>

#include "core/bytes/names.h"
#include "core/number/decimal.h"

/* A series: its numbers between one power of ten and the next */
struct PgBsonSeries
{
	const char *name;
	int			count;			/* 0: powers of two */
	const int16 *numbers;		/* NULL: equal steps on a logarithmic scale */
	int			step;			/* every step-th number of "numbers" belongs to the series */
	int			divisor;		/* the series' numbers are those of "numbers" divided by this */
};

static const int16 r20[] = {100, 112, 125, 140, 160, 180, 200, 224, 250, 280, 315, 355, 400, 450, 500, 560, 630, 710,
							800, 900};
static const int16 r40[] = {
	100, 106, 112, 118, 125, 132, 140, 150, 160, 170, 180, 190, 200, 212, 224, 236, 250, 265, 280, 300,
	315, 355, 375, 400, 425, 450, 475, 500, 530, 560, 600, 630, 670, 710, 750, 800, 850, 900, 950
};
static const int16 r80[] = {
	103, 109, 115, 122, 128, 136, 145, 155, 165, 175, 185, 195, 206, 218, 230, 243, 258, 272, 290, 307,
	325, 345, 365, 387, 412, 437, 462, 487, 515, 545, 575, 615, 650, 690, 730, 775, 825, 875, 925, 975
};
static const int16 e24[] = {
	10, 11, 12, 13, 15, 16, 18, 20, 22, 24, 27, 30, 33, 36, 39, 43, 47, 51, 56, 62, 68, 75, 82, 91
};
static const int16 one_two_five[] = {10, 20, 50};

static const PgBsonSeries series_known[] = {
	{"R5", 5, r20, 4, 10}, {"R10", 10, r20, 2, 1}, {"R20", 20, r20, 1, 1}, {"R40", 39, r40, 1, 1},
	{"R80", 40, r80, 1, 1},
	{"1-2-5", 3, one_two_five, 1, 1}, {"E6", 6, e24, 4, 1}, {"E12", 12, e24, 2, 1}, {"E24", 24, e24, 1, 1},
	{"E48", 48}, {"E96", 96}, {"E192", 192}, {"POWERSOF2", 0}
};

const PgBsonSeries *
PgBsonSeriesNamed(const char *name, uint32 len)
{
	return PgBsonRowNamed(series_known, name, len);
}

/* Number i of a series */
static int
series_member(const PgBsonSeries *series, int i)
{
	int			n;

	if (series->numbers != NULL)
		return series->numbers[i * series->step] / series->divisor;
	n = (int) rint(100 * pow(10, (double) i / series->count));
	/* the standard rounds this number up */
	return n == 919 ? 920 : n;
}

/* A power of ten that a series is multiplied by */
typedef struct Scale
{
	const PgBsonSeries *series;
	bool		decimal;
	double		factor;
	PgBsonValue decimal_factor; /* if "decimal" */
} Scale;

static PgBsonValue
scaled(const Scale *scale, int i)
{
	PgBsonValue number = PgBsonMakeDouble(series_member(scale->series, i));

	if (!scale->decimal)
		return PgBsonMakeDouble(PgBsonDoubleOf(&number) * scale->factor);
	return PgBsonExprDecimals(PgBsonDecimalMultiply, &number, &scale->decimal_factor);
}

/* Multiply or divide by ten */
static void
rescale(Scale *scale, bool larger)
{
	PgBsonValue ten = PgBsonMakeInt32(10);

	scale->factor = larger ? scale->factor * 10 : scale->factor / 10;
	scale->decimal_factor = PgBsonExprDecimals(larger ? PgBsonDecimalMultiply : PgBsonDecimalDivide,
											   &scale->decimal_factor, &ten);
}

/*
 * Round to the next number of the series, upwards if "sign" is 1, downwards if it is -1.  The
 * series' numbers are tried from "first" to "last", which go in that direction.  The number to
 * round is positive and finite, so the loops end: the scaled number passes it at the latest when it becomes 0 or an
 * infinity.  A factor that has become 0 stays 0, so the last number before that is returned.
 */
static PgBsonValue
round_to_series(const PgBsonSeries *series, const PgBsonValue *number, int sign)
{
	Scale		scale = {series, number->type == PGBSON_DECIMAL128, 1, PgBsonMakeInt32(1)};
	int			first = sign > 0 ? 0 : series->count - 1;
	int			last = series->count - 1 - first;
	PgBsonValue candidate;

	for (;;)
	{
		candidate = scaled(&scale, last);
		if (PgBsonNumberCompare(number, &candidate) * sign < 0)
			break;
		rescale(&scale, sign > 0);
	}
	for (;;)
	{
		PgBsonValue before = scaled(&scale, first);

		if (PgBsonNumberCompare(number, &before) * sign >= 0)
			break;
		rescale(&scale, sign < 0);
		candidate = scaled(&scale, last);
		/* the number lies between two powers of ten, or between 0 and the least number of its type */
		if (PgBsonNumberCompare(number, &candidate) * sign >= 0 || PgBsonNumberCompare(&before, &candidate) == 0)
			return before;
	}
	for (int i = first; i != last; i += sign)
	{
		candidate = scaled(&scale, i);
		if (PgBsonNumberCompare(number, &candidate) * sign < 0)
			return candidate;
	}
	return scaled(&scale, last);
}

static PgBsonValue
power_of_two(int exponent, bool decimal)
{
	PgBsonValue base = PgBsonMakeInt32(2);
	PgBsonValue power = PgBsonMakeInt32(exponent);

	if (!decimal)
		return exponent >= 0 && exponent < 63 ? PgBsonMakeInteger(INT64CONST(1) << exponent) :
			PgBsonMakeDouble(ldexp(1, exponent));
	return PgBsonExprDecimals(PgBsonDecimalPower, &base, &power);
}

static PgBsonValue
round_to_power(const PgBsonValue *number, int sign)
{
	double		log;

	if (number->type == PGBSON_INT32 || number->type == PGBSON_INT64)
	{
		uint64		n = (uint64) PgBsonIntegerOf(number);
		int			exponent = pg_leftmost_one_pos64(n);

		return power_of_two(sign > 0 ? exponent + 1 : (n & (n - 1)) == 0 ? exponent - 1 : exponent, false);
	}
	log = log2(PgBsonDoubleOf(number));
	if (isinf(log))
		PgBsonReportOutOfRange(errmsg("bson number has no power of two next to it in the range of doubles"));
	return power_of_two((int) (sign > 0 ? floor(log) + 1 : ceil(log) - 1), number->type == PGBSON_DECIMAL128);
}

PgBsonValue
PgBsonSeriesNext(const PgBsonSeries *series, const PgBsonValue *number, int sign)
{
	if (PgBsonNumberCompare(number, &PgBsonZero) == 0)
		return *number;
	if (series->count == 0)
		return round_to_power(number, sign);
	/* infinity is greater than all numbers of a series; the caller has refused NaN */
	return PgBsonNumberIsFinite(number) ? round_to_series(series, number, sign) : *number;
}
