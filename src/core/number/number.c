/*
 * number.c
 *	  The four BSON number types: what they are worth, comparison, hash, conversion to C types.
 *
 * Pairs of one machine type, and int with double, compare in a few
 * instructions; decimals do so in decimal.c.  Text is in number_text.c.
 */
#include "core/number/number.h"
#include "core/number/number_text.h"

#include <math.h>

#include "common/hashfn.h"
#include "common/shortest_dec.h"
#include "core/number/decimal.h"

/* 2^63, the first number beyond int64 */
#define TWO_63				9223372036854775808.0

/* --- comparison --- */

static inline int
compare_int64(int64 a, int64 b)
{
	return a < b ? -1 : a > b;
}

/* Compare two doubles: NaN comes first and equals itself */
static inline int
compare_double(double a, double b)
{
	if (a < b)
		return -1;
	if (a > b)
		return 1;
	if (a == b)
		return 0;
	return (isnan(a) ? 0 : 1) - (isnan(b) ? 0 : 1);
}

static inline int
compare_int64_double(int64 i, double d)
{
	if (i >= -PGBSON_EXACT_DOUBLE && i <= PGBSON_EXACT_DOUBLE)
		return compare_double((double) i, d);
	if (isnan(d) || d < -TWO_63)
		return 1;
	if (d >= TWO_63)
		return -1;
	/* here |i| > 2^53, so a d with a fraction is far from i, and the fraction does not matter */
	return compare_int64(i, (int64) d);
}

/* Is the double a whole number in the range of int64?  (-0.0 is 0.) */
static inline bool
double_to_int64(double d, int64 *result)
{
	if (!(d >= -TWO_63 && d < TWO_63))
		return false;
	*result = (int64) d;
	return (double) *result == d;
}

static void
worth_of_double(double d, PgBsonDecimal *worth)
{
	uint8		bytes[PGBSON_DECIMAL128_SIZE];
	char		text[DOUBLE_SHORTEST_DECIMAL_LEN];
	int64		digits;
	int			decimals;

	if (double_to_int64(d, &digits))
		PgBsonDecimalFromInt64(digits, worth);
	else if (PgBsonDoubleIsShort(d, &digits, &decimals))
	{
		PgBsonDecimalFromInt64(digits, worth);
		worth->exponent = -decimals;
	}
	else
	{
		/* seventeen digits at most, and no exponent beyond those of a decimal128 */
		PgBsonDecimalFromText(text, double_to_shortest_decimal_buf(d, text), bytes);
		PgBsonDecimalDecode(bytes, worth);
	}
}

void
PgBsonNumberWorth(const PgBsonValue *number, PgBsonDecimal *worth)
{
	if (number->type == PGBSON_DECIMAL128)
		PgBsonDecimalDecode(number->data, worth);
	else if (number->type == PGBSON_DOUBLE)
		worth_of_double(PgBsonReadDouble(number->data), worth);
	else
		PgBsonDecimalFromInt64(PgBsonIntegerOf(number), worth);
}

/*
 * The nearest double of a finite decimal that is neither long nor extreme: one operation on doubles
 * gives it, which rounds once.  False for other decimals.
 */
static inline bool
quick_double(const PgBsonDecimal *d, double *result)
{
#ifdef PGBSON_DOUBLES_ROUND_ONCE
	uint64		digits = PgBsonLimbsLow64(d->w);

	if (PgBsonDecimalIsShort(d) && digits <= (uint64) PGBSON_EXACT_DOUBLE && abs(d->exponent) < PGBSON_EXACT_POWERS)
	{
		*result = d->exponent < 0 ? (double) digits / PgBsonPowersOfTen[-d->exponent]
			: (double) digits * PgBsonPowersOfTen[d->exponent];
		if (d->negative)
			*result = -*result;
		return true;
	}
#endif
	return false;
}

/*
 * Mostly the double nearest to the decimal decides.  If it is another double, the two numbers lie in
 * the intervals of different doubles, which do not overlap (see number.h).  If it is the same double,
 * and the decimal has at most fifteen digits, the decimal is its shortest spelling, as two decimals
 * with so few digits never have the same nearest double; and below 2^53 a double is worth its shortest
 * spelling.
 */
static int
compare_double_decimal(double d, const PgBsonDecimal *decimal)
{
	PgBsonDecimal worth;
	double		nearest;

	if (quick_double(decimal, &nearest))
	{
		if (d < nearest)
			return -1;
		if (d > nearest)
			return 1;
		if (PgBsonLimbsLow64(decimal->w) <= PGBSON_SAFE_DIGITS && fabs(d) < PGBSON_EXACT_DOUBLE)
			return 0;
	}
	worth_of_double(d, &worth);
	return PgBsonDecimalCompare(&worth, decimal);
}

/* Compare two numbers, of which at least one is a decimal */
static int
compare_decimals(const PgBsonValue *a, const PgBsonValue *b)
{
	PgBsonDecimal x;
	PgBsonDecimal y;
	double		d;
	bool		exact;

	if (a->type != PGBSON_DECIMAL128)
		return -compare_decimals(b, a);
	PgBsonDecimalDecode(a->data, &x);
	if (b->type != PGBSON_DECIMAL128)
	{
		/* mostly the other number is worth what some double is worth */
		d = PgBsonNumberToDouble(b, &exact);
		if (exact)
			return -compare_double_decimal(d, &x);
	}
	PgBsonNumberWorth(b, &y);
	return PgBsonDecimalCompare(&x, &y);
}

bool
PgBsonNumberIsFinite(const PgBsonValue *number)
{
	PgBsonDecimal worth;

	PgBsonNumberWorth(number, &worth);
	return worth.kind == PGBSON_NUMBER_FINITE;
}

int
PgBsonNumberCompare(const PgBsonValue *a, const PgBsonValue *b)
{
	bool		a_double = a->type == PGBSON_DOUBLE;
	bool		b_double = b->type == PGBSON_DOUBLE;

	if (unlikely(a->type == PGBSON_DECIMAL128 || b->type == PGBSON_DECIMAL128))
		return compare_decimals(a, b);
	if (a_double && b_double)
		return compare_double(PgBsonReadDouble(a->data), PgBsonReadDouble(b->data));
	if (a_double)
		return -compare_int64_double(PgBsonIntegerOf(b), PgBsonReadDouble(a->data));
	if (b_double)
		return compare_int64_double(PgBsonIntegerOf(a), PgBsonReadDouble(b->data));
	return compare_int64(PgBsonIntegerOf(a), PgBsonIntegerOf(b));
}

uint64
PgBsonNumberSortBits(const PgBsonValue *value)
{
	double		d = PgBsonDoubleOf(value);
	uint64		bits;

	if (isnan(d))
		return 0;
	/* makes -0 a 0 */
	d += 0.0;
	memcpy(&bits, &d, sizeof(bits));
	return bits ^ ((bits >> 63) ? ~UINT64CONST(0) : UINT64CONST(1) << 63);
}

/* --- hash --- */

static inline uint64
hash_eight_bytes(uint64 v, uint64 seed)
{
	return hash_bytes_extended((const unsigned char *) &v, sizeof(v), seed);
}

/* A double by its value: as int64 if it is one, all NaNs alike */
static uint64
hash_double(double d, uint64 seed)
{
	int64		i;
	uint64		bits;

	if (double_to_int64(d, &i))
		return hash_eight_bytes((uint64) i, seed);
	if (isnan(d))
		bits = UINT64CONST(0x7FF8000000000000);
	else
		memcpy(&bits, &d, sizeof(bits));
	/* another seed, because some subnormal doubles have the bits of small integers */
	return hash_eight_bytes(bits, ~seed);
}

/* The double nearest to a finite decimal: infinity or zero if it is beyond the range of doubles */
static double
nearest_double(const PgBsonDecimal *d)
{
	uint8		bytes[PGBSON_DECIMAL128_SIZE];
	char		text[PGBSON_DECIMAL128_TEXT];
	double		result;

	if (quick_double(d, &result))
		return result;
	if (PgBsonDecimalIsShort(d) && PgBsonShortestDouble(PgBsonLimbsLow64(d->w), d->exponent, &result))
		return d->negative ? -result : result;
	PgBsonDecimalEncode(d, bytes);
	PgBsonDecimalToText(bytes, text);
	return strtod(text, NULL);
}

/* The largest significand of a shortest spelling: 17 nines */
#define MOST_DOUBLE_DIGITS		UINT64CONST(99999999999999999)

/*
 * Numbers of different types can be equal, so each is hashed as the simplest type that can have its
 * value: int64, else the nearest double if the number has no more digits than the shortest spelling of
 * a double, else a normalized decimal.
 */
uint64
PgBsonNumberHash(const PgBsonValue *value, uint64 seed)
{
	PgBsonDecimal d;
	int64		i;
	double		nearest;

	if (value->type == PGBSON_DOUBLE)
		return hash_double(PgBsonReadDouble(value->data), seed);
	if (value->type != PGBSON_DECIMAL128)
		return hash_eight_bytes((uint64) PgBsonIntegerOf(value), seed);

	PgBsonDecimalDecode(value->data, &d);
	if (d.kind == PGBSON_NUMBER_NAN)
		return hash_double(NAN, seed);
	if (d.kind != PGBSON_NUMBER_FINITE)
		return hash_double(d.negative ? -INFINITY : INFINITY, seed);
	if (PgBsonDecimalToInt64(&d, &i))
		return hash_eight_bytes((uint64) i, seed);

	/* normalizing can make the exponent larger than any decimal or double has */
	PgBsonDecimalNormalize(&d);
	if (PgBsonDecimalIsShort(&d) && PgBsonLimbsLow64(d.w) <= MOST_DOUBLE_DIGITS && d.exponent <= PGBSON_DECIMAL_MAX_EXP)
	{
		nearest = nearest_double(&d);
		if (isfinite(nearest) && nearest != 0)
			return hash_double(nearest, seed);
	}
	seed = hash_eight_bytes((uint64) d.exponent << 1 | (d.negative ? 1 : 0), seed);
	return hash_bytes_extended((const unsigned char *) d.w, sizeof(d.w), seed);
}

/* --- conversion --- */

bool
PgBsonNumberToInt64(const PgBsonValue *value, int64 *result)
{
	PgBsonDecimal d;

	switch (value->type)
	{
		case PGBSON_INT32:
		case PGBSON_INT64:
			*result = PgBsonIntegerOf(value);
			return true;
		case PGBSON_DOUBLE:
			return double_to_int64(PgBsonReadDouble(value->data), result);
		case PGBSON_DECIMAL128:
			PgBsonDecimalDecode(value->data, &d);
			return d.kind == PGBSON_NUMBER_FINITE && PgBsonDecimalToInt64(&d, result);
		default:
			return false;
	}
}

bool
PgBsonNumberToInt32(const PgBsonValue *value, int32 *result)
{
	int64		i;

	if (!PgBsonNumberToInt64(value, &i) || i < PG_INT32_MIN || i > PG_INT32_MAX)
		return false;
	*result = (int32) i;
	return true;
}

bool
PgBsonNumberTruncate(const PgBsonValue *value, int64 *result)
{
	PgBsonDecimal d;
	double		n;

	if (value->type == PGBSON_DOUBLE)
	{
		n = PgBsonReadDouble(value->data);
		if (!(n >= -TWO_63 && n < TWO_63))
			return false;
		*result = (int64) n;
		return true;
	}
	if (value->type != PGBSON_DECIMAL128)
		return PgBsonNumberToInt64(value, result);
	PgBsonDecimalDecode(value->data, &d);
	if (d.kind != PGBSON_NUMBER_FINITE)
		return false;
	/* remove digits of the fraction */
	for (; d.exponent < 0 && !PgBsonDecimalIsZero(&d); d.exponent++)
		(void) PgBsonLimbsDivide(d.w, 10);
	return PgBsonDecimalToInt64(&d, result);
}

double
PgBsonNumberToDouble(const PgBsonValue *value, bool *exact)
{
	PgBsonDecimal d;
	PgBsonDecimal worth;
	int64		i;
	int64		back;
	double		result;

	if (exact != NULL)
		*exact = true;
	if (value->type == PGBSON_DOUBLE)
		return PgBsonReadDouble(value->data);
	if (value->type != PGBSON_DECIMAL128)
	{
		i = PgBsonIntegerOf(value);
		result = (double) i;
		if (exact != NULL)
			*exact = double_to_int64(result, &back) && back == i;
		return result;
	}

	PgBsonDecimalDecode(value->data, &d);
	if (d.kind == PGBSON_NUMBER_NAN)
		return NAN;
	if (d.kind != PGBSON_NUMBER_FINITE)
		return d.negative ? -INFINITY : INFINITY;
	result = nearest_double(&d);
	if (exact != NULL && isfinite(result))
	{
		worth_of_double(result, &worth);
		*exact = PgBsonDecimalCompare(&d, &worth) == 0;
	}
	else if (exact != NULL)
		*exact = false;
	return result;
}
