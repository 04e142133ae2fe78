/*
 * number.c
 *	  The four BSON number types: exact comparison, hash, conversion to C types.
 *
 * Pairs of one machine type, and int with double, compare in a few
 * instructions; decimals do so in decimal.c.  Text is in number_text.c.
 */
#include "core/number/number.h"
#include "core/number/number_text.h"

#include <math.h>

#include "core/bytes/hash_bytes.h"
#include "core/number/decimal.h"

/* the power of two at the end of int64 */
#define TWO_63				9223372036854775808.0

/* Comparison */

static inline int
compare_int64(int64 a, int64 b)
{
	return a < b ? -1 : a > b;
}

/* NaN first, equal to itself */
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
	/* such an i can only meet a d without fraction, as |d| >= 2^53 then */
	return compare_int64(i, (int64) d);
}

/* An int32 or int64 value's int64 */
static inline int64
integer_of(const PgBsonValue *value)
{
	if (value->type == PGBSON_INT32)
		return PgBsonReadI32(value->data);
	return PgBsonReadI64(value->data);
}

int
PgBsonNumberCompare(const PgBsonValue *a, const PgBsonValue *b)
{
	bool		a_decimal = a->type == PGBSON_DECIMAL128;
	bool		b_decimal = b->type == PGBSON_DECIMAL128;
	bool		a_double = a->type == PGBSON_DOUBLE;
	bool		b_double = b->type == PGBSON_DOUBLE;
	PgBsonDecimal x;
	PgBsonDecimal y;

	if (likely(!a_decimal && !b_decimal))
	{
		if (a_double && b_double)
			return compare_double(PgBsonReadDouble(a->data), PgBsonReadDouble(b->data));
		if (a_double)
			return -compare_int64_double(integer_of(b), PgBsonReadDouble(a->data));
		if (b_double)
			return compare_int64_double(integer_of(a), PgBsonReadDouble(b->data));
		return compare_int64(integer_of(a), integer_of(b));
	}

	if (!a_decimal)
		return -PgBsonNumberCompare(b, a);

	PgBsonDecimalDecode(a->data, &x);
	if (b_double)
		return PgBsonDecimalCompareDouble(&x, PgBsonReadDouble(b->data));
	if (b_decimal)
		PgBsonDecimalDecode(b->data, &y);
	else
		PgBsonDecimalFromInt64(integer_of(b), &y);
	return PgBsonDecimalCompare(&x, &y);
}

/* Hash */

static inline uint64
hash_eight_bytes(uint64 v, uint64 seed)
{
	return PgBsonHashBytes((const uint8 *) &v, sizeof(v), seed);
}

/* Is the double an int64?  (-0.0 is 0.) */
static inline bool
double_to_int64(double d, int64 *result)
{
	if (!(d >= -TWO_63 && d < TWO_63))
		return false;
	*result = (int64) d;
	return (double) *result == d;
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
	/* another seed, as the bits of some subnormals are those of small integers */
	return hash_eight_bytes(bits, ~seed);
}

/*
 * The same number can come as any type, so each value hashes as the simplest
 * type that holds it: int64, else double, else a normalized decimal.
 */
uint64
PgBsonNumberHash(const PgBsonValue *value, uint64 seed)
{
	PgBsonDecimal d;
	int64		i;
	double		exact;

	if (value->type == PGBSON_DOUBLE)
		return hash_double(PgBsonReadDouble(value->data), seed);
	if (value->type != PGBSON_DECIMAL128)
		return hash_eight_bytes((uint64) integer_of(value), seed);

	PgBsonDecimalDecode(value->data, &d);
	if (d.kind == PGBSON_NUMBER_NAN)
		return hash_double(NAN, seed);
	if (d.kind != PGBSON_NUMBER_FINITE)
		return hash_double(d.negative ? -INFINITY : INFINITY, seed);
	if (PgBsonDecimalToInt64(&d, &i))
		return hash_eight_bytes((uint64) i, seed);
	if (PgBsonDecimalToExactDouble(&d, &exact))
		return hash_double(exact, seed);

	PgBsonDecimalNormalize(&d);
	seed = hash_eight_bytes((uint64) d.exponent << 1 | (d.negative ? 1 : 0), seed);
	return PgBsonHashBytes((const uint8 *) d.w, sizeof(d.w), seed);
}

/* Conversion */

bool
PgBsonNumberToInt64(const PgBsonValue *value, int64 *result)
{
	PgBsonDecimal d;

	switch (value->type)
	{
		case PGBSON_INT32:
		case PGBSON_INT64:
			*result = integer_of(value);
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

/* Cut digits off the significand until the exponent is 0 */
static void
truncate_decimal(PgBsonDecimal *d)
{
	for (; d->exponent < 0; d->exponent++)
	{
		uint64		remainder = 0;
		bool		zero = true;

		for (int i = PGBSON_DECIMAL_LIMBS - 1; i >= 0; i--)
		{
			uint64		v = remainder << 32 | d->w[i];

			d->w[i] = (uint32) (v / 10);
			remainder = v % 10;
			zero &= d->w[i] == 0;
		}
		if (zero)
		{
			d->exponent = 0;
			return;
		}
	}
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
	truncate_decimal(&d);
	return PgBsonDecimalToInt64(&d, result);
}

double
PgBsonNumberToDouble(const PgBsonValue *value, bool *exact)
{
	PgBsonDecimal d;
	int64		i;
	int64		back;
	double		result;
	char		text[PGBSON_DECIMAL128_TEXT];

	*exact = true;
	if (value->type == PGBSON_DOUBLE)
		return PgBsonReadDouble(value->data);
	if (value->type != PGBSON_DECIMAL128)
	{
		i = integer_of(value);
		result = (double) i;
		*exact = double_to_int64(result, &back) && back == i;
		return result;
	}

	PgBsonDecimalDecode(value->data, &d);
	if (d.kind == PGBSON_NUMBER_NAN)
		return NAN;
	if (d.kind != PGBSON_NUMBER_FINITE)
		return d.negative ? -INFINITY : INFINITY;
	if (PgBsonDecimalToExactDouble(&d, &result))
		return result;
	*exact = false;
	PgBsonDecimalToText(value->data, text);
	return strtod(text, NULL);
}
