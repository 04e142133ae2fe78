/*
 * sum.c
 *	  The sum and the mean of many numbers, as MongoDB's $sum and $avg have them.
 */
#include "core/number/sum.h"

#include <math.h>

#include "core/number/decimal.h"

#define TWO_TO_32	INT64CONST(4294967296)

/* The decimal n / 10^places */
static void
units_to_decimal(int64 n, int places, uint8 *decimal)
{
	PgBsonDecimal units;

	PgBsonDecimalFromInt64(n, &units);
	units.exponent = -places;
	PgBsonDecimalEncode(&units, decimal);
}

void
PgBsonSumInit(PgBsonSum *sum)
{
	memset(sum, 0, sizeof(*sum));
	units_to_decimal(0, 0, sum->decimals);
}

static void
add_integer(PgBsonSum *sum, int64 n)
{
	uint64		low = sum->low + (uint64) n;

	sum->high += (n < 0 ? -1 : 0) + (low < sum->low);
	sum->low = low;
}

static void
add_double(PgBsonSum *sum, double d)
{
	double		total = sum->doubles + d;

	if (isfinite(total))
		sum->lost += fabs(sum->doubles) >= fabs(d) ? (sum->doubles - total) + d : (d - total) + sum->doubles;
	sum->doubles = total;
}

/* How far the decimal that a double stands for can be from it: 0 for a whole number of 64 bits */
static double
openness(double d)
{
	uint64		bits;

	if (fabs(d) < 9223372036854775807.0 && d == (double) (int64) d)
		return 0;
	/* the largest power of two that is not greater */
	memcpy(&bits, &d, sizeof(bits));
	bits &= UINT64CONST(0x7FF0000000000000);
	memcpy(&d, &bits, sizeof(d));
	return d / 9007199254740992.0;
}

static void
add_decimal(PgBsonSum *sum, const uint8 *bytes)
{
	PgBsonDecimal d;
	uint8		before[PGBSON_DECIMAL128_SIZE];
	int64		n = sum->units;
	int64		units;
	int64		m;
	int			places;

	PgBsonDecimalDecode(bytes, &d);
	places = Max(sum->places, -d.exponent);
	if (!PgBsonDecimalUnits(&d, &units) || d.exponent > 0)
	{
		PgBsonDecimalAdd(sum->decimals, bytes, sum->decimals);
		return;
	}
	m = units;
	if (!PgBsonUnitsScale(&n, places - sum->places) || !PgBsonUnitsScale(&m, places + d.exponent) ||
		pg_add_s64_overflow(n, m, &n))
	{
		units_to_decimal(sum->units, sum->places, before);
		PgBsonDecimalAdd(sum->decimals, before, sum->decimals);
		n = units;
		places = -d.exponent;
	}
	sum->units = n;
	sum->places = places;
}

void
PgBsonSumAdd(PgBsonSum *sum, const PgBsonValue *value)
{
	switch (value->type)
	{
		case PGBSON_INT32:
		case PGBSON_INT64:
			sum->integers[value->type == PGBSON_INT64]++;
			add_integer(sum, PgBsonIntegerOf(value));
			break;
		case PGBSON_DOUBLE:
			sum->n_doubles++;
			add_double(sum, PgBsonReadDouble(value->data));
			sum->open += openness(PgBsonReadDouble(value->data));
			break;
		case PGBSON_DECIMAL128:
			sum->n_decimals++;
			add_decimal(sum, value->data);
			break;
		default:
			break;
	}
}

bool
PgBsonSumRemove(PgBsonSum *sum, const PgBsonValue *value)
{
	int64		n;

	if (value->type == PGBSON_DOUBLE || value->type == PGBSON_DECIMAL128)
		return false;
	if (value->type != PGBSON_INT32 && value->type != PGBSON_INT64)
		return true;
	n = PgBsonIntegerOf(value);
	sum->integers[value->type == PGBSON_INT64]--;
	sum->high -= (n < 0 ? -1 : 0) + (sum->low < (uint64) n);
	sum->low -= (uint64) n;
	return true;
}

void
PgBsonSumJoin(PgBsonSum *sum, const PgBsonSum *other)
{
	uint64		low = sum->low + other->low;
	uint8		decimal[PGBSON_DECIMAL128_SIZE];

	sum->integers[0] += other->integers[0];
	sum->integers[1] += other->integers[1];
	sum->high += other->high + (low < sum->low);
	sum->low = low;
	sum->n_doubles += other->n_doubles;
	if (other->n_doubles > 0)
	{
		add_double(sum, other->doubles);
		if (isfinite(other->doubles))
			sum->lost += other->lost;
	}
	sum->open += other->open;
	sum->n_decimals += other->n_decimals;
	PgBsonDecimalAdd(sum->decimals, other->decimals, sum->decimals);
	units_to_decimal(other->units, other->places, decimal);
	add_decimal(sum, decimal);
}

int64
PgBsonSumCount(const PgBsonSum *sum)
{
	return sum->integers[0] + sum->integers[1] + sum->n_doubles + sum->n_decimals;
}

/* The sum of the integers, if 64 bits hold it */
static bool
integers_fit(const PgBsonSum *sum, int64 *n)
{
	*n = (int64) sum->low;
	return sum->high == (*n < 0 ? -1 : 0);
}

/* The sum of the integers and doubles, as a double */
static double
double_total(const PgBsonSum *sum)
{
	double		total = sum->doubles + (isfinite(sum->doubles) ? sum->lost : 0);
	int64		n;

	if (integers_fit(sum, &n))
		return total + (double) n;
	return total + (double) sum->high * TWO_TO_32 * TWO_TO_32 + (double) sum->low;
}

/* The doubles' sum as it is added to decimals, see sum.h */
static void
doubles_to_decimal(const PgBsonSum *sum, uint8 *decimal)
{
	uint8		rounded[PGBSON_DECIMAL128_SIZE];
	uint8		distance[PGBSON_DECIMAL128_SIZE];
	uint8		shortest[PGBSON_DECIMAL128_SIZE];
	PgBsonDecimal d;
	const PgBsonValue distance_value = {PGBSON_DECIMAL128, PGBSON_DECIMAL128_SIZE, distance};

	PgBsonDecimalFromDouble(sum->doubles, decimal);
	if (!isfinite(sum->doubles) || (sum->n_doubles == 1 && sum->open == 0))
		return;
	if (sum->n_doubles == 1)
	{
		PgBsonWriteDouble(rounded, sum->doubles);
		PgBsonNumberWorth(&(PgBsonValue) {PGBSON_DOUBLE, sizeof(double), rounded}, &d);
		PgBsonDecimalEncode(&d, decimal);
		return;
	}
	PgBsonDecimalFromDouble(sum->lost, distance);
	PgBsonDecimalAdd(decimal, distance, decimal);
	if (sum->open == 0)
		return;
	/* round to fewer and fewer digits, as long as the number stays within this distance */
	memcpy(shortest, decimal, sizeof(shortest));
	for (int exponent = (int) floor(log10(sum->open));; exponent++)
	{
		PgBsonDecimalQuantize(decimal, exponent, PGBSON_ROUND_HALF_EVEN, rounded);
		memcpy(distance, rounded, sizeof(distance));
		distance[PGBSON_DECIMAL128_SIZE - 1] ^= 0x80;
		PgBsonDecimalAdd(decimal, distance, distance);
		if (!(fabs(PgBsonNumberToDouble(&distance_value, NULL)) <= sum->open))
			break;
		memcpy(shortest, rounded, sizeof(shortest));
		PgBsonDecimalDecode(rounded, &d);
		if (PgBsonDecimalIsZero(&d))
		{
			units_to_decimal(0, 0, shortest);
			break;
		}
	}
	memcpy(decimal, shortest, sizeof(shortest));
}

static void
decimal_total(const PgBsonSum *sum, uint8 *total)
{
	uint8		decimal[PGBSON_DECIMAL128_SIZE];
	uint8		shift[PGBSON_DECIMAL128_SIZE];
	int64		n;

	if (integers_fit(sum, &n))
		units_to_decimal(n, 0, decimal);
	else
	{
		/* 32 bits of the sum at a time */
		units_to_decimal(TWO_TO_32, 0, shift);
		units_to_decimal(sum->high, 0, decimal);
		for (int bits = 32; bits >= 0; bits -= 32)
		{
			uint8		digit[PGBSON_DECIMAL128_SIZE];

			PgBsonDecimalMultiply(decimal, shift, decimal);
			units_to_decimal((int64) (sum->low >> bits & PG_UINT32_MAX), 0, digit);
			PgBsonDecimalAdd(decimal, digit, decimal);
		}
	}
	PgBsonDecimalAdd(sum->decimals, decimal, total);
	units_to_decimal(sum->units, sum->places, decimal);
	PgBsonDecimalAdd(total, decimal, total);
	if (sum->n_doubles > 0)
	{
		doubles_to_decimal(sum, decimal);
		PgBsonDecimalAdd(total, decimal, total);
	}
}

static PgBsonValue
double_value(double d, uint8 *room)
{
	PgBsonValue value = {PGBSON_DOUBLE, sizeof(d), room};

	PgBsonWriteDouble(room, d);
	return value;
}

PgBsonValue
PgBsonSumTotal(const PgBsonSum *sum, uint8 *room)
{
	PgBsonValue value = {PGBSON_DECIMAL128, PGBSON_DECIMAL128_SIZE, room};
	int64		n;

	if (sum->n_decimals > 0)
		decimal_total(sum, room);
	else if (sum->n_doubles > 0 || !integers_fit(sum, &n))
		return double_value(double_total(sum), room);
	else if (sum->integers[1] > 0 || n < PG_INT32_MIN || n > PG_INT32_MAX)
	{
		value.type = PGBSON_INT64;
		value.len = 8;
		PgBsonWriteU64(room, (uint64) n);
	}
	else
	{
		value.type = PGBSON_INT32;
		value.len = 4;
		PgBsonWriteU32(room, (uint32) n);
	}
	return value;
}

PgBsonValue
PgBsonSumMean(const PgBsonSum *sum, uint8 *room)
{
	PgBsonValue value = {PGBSON_DECIMAL128, PGBSON_DECIMAL128_SIZE, room};
	int64		count = PgBsonSumCount(sum);
	uint8		divisor[PGBSON_DECIMAL128_SIZE];

	Assert(count > 0);
	if (sum->n_decimals == 0)
		return double_value(double_total(sum) / (double) count, room);
	decimal_total(sum, room);
	units_to_decimal(count, 0, divisor);
	PgBsonDecimalDivide(room, divisor, room);
	return value;
}
