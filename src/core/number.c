/*
 * number.c
 *	  The four BSON number types: exact comparison, hash, conversion.
 *
 * Pairs of one machine type, and int with double, compare in a few
 * instructions.  A decimal128 is c * 10^e with c < 10^34, so against an integer
 * or another decimal it needs 128-bit integers, and against a double (m * 2^k)
 * a little fixed-size long arithmetic.  Numbers whose sizes differ by a few
 * bits are told apart by an estimate first, which bounds that arithmetic.
 * Nothing is rounded and nothing allocated.  The limbs are 32 bits wide so
 * that machines without 128-bit integers run the same code.
 */
#include "core/number.h"

#include "core/libbson.h"
#include <math.h>

#include "common/hashfn.h"
#include "common/int.h"
#include "common/shortest_dec.h"
#include "utils/builtins.h"

#define DECIMAL_DIGITS		34
#define DECIMAL_MIN_EXP		(-6176)
#define DECIMAL_MAX_EXP		6111
#define DECIMAL_BIAS		6176
#define DECIMAL_LIMBS		4
#define LOG2_10				3.321928094887362

/* 10^34 - 1, the largest significand */
#define DECIMAL_MAX_HI		UINT64CONST(0x0001ED09BEAD87C0)
#define DECIMAL_MAX_LO		UINT64CONST(0x378D8E63FFFFFFFF)

/* NaN and infinity as decimals, their high halves */
#define DECIMAL_HI_NAN		UINT64CONST(0x7C00000000000000)
#define DECIMAL_HI_INF		UINT64CONST(0x7800000000000000)
#define DECIMAL_HI_SIGN		UINT64CONST(0x8000000000000000)

/* the powers of two at the ends of int64 and of the integers a double holds */
#define TWO_63				9223372036854775808.0
#define TWO_53				INT64CONST(9007199254740992)

/* enough for any operand of compare_decimal_double, see there */
#define LONG_LIMBS			48

typedef enum NumberKind
{
	/* in their order */
	NUMBER_NAN,
	NUMBER_NEG_INF,
	NUMBER_FINITE,
	NUMBER_POS_INF
} NumberKind;

/* A decimal128 taken apart: (-1)^negative * w * 10^exponent */
typedef struct Decimal
{
	NumberKind	kind;
	bool		negative;
	int			exponent;
	uint32		w[DECIMAL_LIMBS];	/* least significant first */
} Decimal;

/* The digits of a decimal text, leading zeroes gone: digits * 10^exponent */
typedef struct DecimalText
{
	bool		negative;
	bool		excess;			/* some nonzero digit did not fit "digits" */
	int			ndigits;
	int			exponent;		/* far out of range if the text's is */
	char		digits[DECIMAL_DIGITS];
} DecimalText;

static const uint32 pow5[] = {
	1, 5, 25, 125, 625, 3125, 15625, 78125, 390625, 1953125, 9765625,
	48828125, 244140625, 1220703125
};

static const uint32 pow10[] = {
	1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000
};

/* Numbers of limbs, least significant first */

/* w = w * m + carry; returns what does not fit */
static inline uint32
limbs_multiply_add(uint32 *w, int n, uint32 m, uint64 carry)
{
	for (int i = 0; i < n; i++)
	{
		carry += (uint64) w[i] * m;
		w[i] = (uint32) carry;
		carry >>= 32;
	}
	return (uint32) carry;
}

static inline uint32
limbs_multiply(uint32 *w, int n, uint32 m)
{
	return limbs_multiply_add(w, n, m, 0);
}

/* w /= d; returns the remainder */
static inline uint32
limbs_divide(uint32 *w, int n, uint32 d)
{
	uint64		rest = 0;

	for (int i = n - 1; i >= 0; i--)
	{
		rest = (rest << 32) | w[i];
		w[i] = (uint32) (rest / d);
		rest %= d;
	}
	return (uint32) rest;
}

static inline int
limbs_compare(const uint32 *a, const uint32 *b, int n)
{
	for (int i = n - 1; i >= 0; i--)
	{
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	}
	return 0;
}

/* Number of bits up to the highest one set */
static int
limbs_bits(const uint32 *w, int n)
{
	for (int i = n - 1; i >= 0; i--)
	{
		int			bits = 0;

		if (w[i] == 0)
			continue;
		for (uint32 top = w[i]; top != 0; top >>= 1)
			bits++;
		return i * 32 + bits;
	}
	return 0;
}

static inline bool
limbs_is_zero(const uint32 *w, int n)
{
	return limbs_bits(w, n) == 0;
}

/* w *= base^exponent, base being that of the table; false if it does not fit */
static bool
limbs_scale(uint32 *w, int n, const uint32 *powers, int npowers, int exponent)
{
	while (exponent > 0)
	{
		int			step = Min(exponent, npowers - 1);

		if (limbs_multiply(w, n, powers[step]) != 0)
			return false;
		exponent -= step;
	}
	return true;
}

/* w /= base^exponent; false, with w undefined, if there is a remainder */
static bool
limbs_divide_exactly(uint32 *w, int n, const uint32 *powers, int npowers, int exponent)
{
	while (exponent > 0)
	{
		int			step = Min(exponent, npowers - 1);

		if (limbs_divide(w, n, powers[step]) != 0)
			return false;
		exponent -= step;
	}
	return true;
}

#define SCALE_10(w, n, e)	limbs_scale(w, n, pow10, lengthof(pow10), e)
#define SCALE_5(w, n, e)	limbs_scale(w, n, pow5, lengthof(pow5), e)
#define DIVIDE_10(w, n, e)	limbs_divide_exactly(w, n, pow10, lengthof(pow10), e)
#define DIVIDE_5(w, n, e)	limbs_divide_exactly(w, n, pow5, lengthof(pow5), e)

/* w <<= bits */
static void
limbs_shift_left(uint32 *w, int n, int bits)
{
	int			limbs = bits / 32;

	Assert(limbs_bits(w, n) + bits <= n * 32);
	if (limbs > 0)
	{
		memmove(w + limbs, w, (n - limbs) * sizeof(uint32));
		memset(w, 0, limbs * sizeof(uint32));
	}
	limbs_multiply(w, n, (uint32) 1 << (bits % 32));
}

/* The low two limbs */
static inline uint64
limbs_low64(const uint32 *w)
{
	return (uint64) w[1] << 32 | w[0];
}

static inline void
limbs_set64(uint32 *w, uint64 v)
{
	w[0] = (uint32) v;
	w[1] = (uint32) (v >> 32);
}

/* Decimals */

/*
 * Take 16 bytes apart.  A significand above 10^34 - 1 is not canonical and
 * means zero (IEEE 754-2008, 3.5.2); the encodings that begin with the bits 11
 * can only hold such ones.
 */
static void
decimal_decode(const uint8 *bytes, Decimal *d)
{
	uint64		lo = PgBsonReadU64(bytes);
	uint64		hi = PgBsonReadU64(bytes + 8);
	uint64		significand = hi & UINT64CONST(0x0001FFFFFFFFFFFF);

	d->negative = (hi & DECIMAL_HI_SIGN) != 0;
	d->kind = NUMBER_FINITE;
	d->exponent = 0;

	if ((hi & DECIMAL_HI_NAN) == DECIMAL_HI_NAN)
		d->kind = NUMBER_NAN;
	else if ((hi & DECIMAL_HI_INF) == DECIMAL_HI_INF)
		d->kind = d->negative ? NUMBER_NEG_INF : NUMBER_POS_INF;
	else if ((hi >> 61 & 3) == 3)
		d->exponent = (int) (hi >> 47 & 0x3FFF) - DECIMAL_BIAS;
	else
	{
		d->exponent = (int) (hi >> 49 & 0x3FFF) - DECIMAL_BIAS;
		if (significand < DECIMAL_MAX_HI ||
			(significand == DECIMAL_MAX_HI && lo <= DECIMAL_MAX_LO))
		{
			limbs_set64(d->w, lo);
			limbs_set64(d->w + 2, significand);
			return;
		}
	}
	memset(d->w, 0, sizeof(d->w));
}

/* Put together: the exponent in range, the significand canonical */
static void
decimal_encode(const Decimal *d, uint8 *bytes)
{
	uint64		hi = limbs_low64(d->w + 2);

	Assert(d->exponent >= DECIMAL_MIN_EXP && d->exponent <= DECIMAL_MAX_EXP);
	if (d->kind == NUMBER_NAN)
		hi = DECIMAL_HI_NAN;
	else if (d->kind != NUMBER_FINITE)
		hi = DECIMAL_HI_INF;
	else
		hi |= (uint64) (d->exponent + DECIMAL_BIAS) << 49;
	if (d->negative)
		hi |= DECIMAL_HI_SIGN;
	PgBsonWriteU64(bytes, limbs_low64(d->w));
	PgBsonWriteU64(bytes + 8, hi);
}

static void
decimal_from_int64(int64 i, Decimal *d)
{
	d->kind = NUMBER_FINITE;
	d->negative = i < 0;
	d->exponent = 0;
	limbs_set64(d->w, i < 0 ? -(uint64) i : (uint64) i);
	limbs_set64(d->w + 2, 0);
}

/* Is this finite decimal an int64? */
static bool
decimal_to_int64(const Decimal *d, int64 *result)
{
	uint32		w[DECIMAL_LIMBS];
	uint64		magnitude;

	memcpy(w, d->w, sizeof(w));
	if (!limbs_is_zero(w, DECIMAL_LIMBS))
	{
		if (d->exponent < -DECIMAL_DIGITS || d->exponent > 18)
			return false;
		if (d->exponent < 0 && !DIVIDE_10(w, DECIMAL_LIMBS, -d->exponent))
			return false;
		if (d->exponent > 0 && !SCALE_10(w, DECIMAL_LIMBS, d->exponent))
			return false;
	}
	if (w[2] != 0 || w[3] != 0)
		return false;

	magnitude = limbs_low64(w);
	if (magnitude > (uint64) PG_INT64_MAX + (d->negative ? 1 : 0))
		return false;
	/* negated as unsigned, as INT64_MIN has no positive */
	*result = (int64) (d->negative ? -magnitude : magnitude);
	return true;
}

/*
 * Is this finite decimal the very value of a double?
 *
 * c * 10^e is m * 2^k with m odd only if, for e < 0, 5^-e divides c, which for
 * c < 10^34 ends at 5^48; and for e > 0, c's odd part times 5^e is m.  Such a k
 * is far from a double's limits, so that m < 2^53 is all there is to check.
 */
static bool
decimal_to_exact_double(const Decimal *d, double *result)
{
	uint32		w[DECIMAL_LIMBS];
	int			k = d->exponent;
	uint64		m;

	if (limbs_is_zero(d->w, DECIMAL_LIMBS))
	{
		*result = d->negative ? -0.0 : 0.0;
		return true;
	}
	if (d->exponent < -48 || d->exponent > 22)
		return false;

	memcpy(w, d->w, sizeof(w));
	if (d->exponent < 0 && !DIVIDE_5(w, DECIMAL_LIMBS, -d->exponent))
		return false;
	for (; w[0] == 0; k += 32)
	{
		memmove(w, w + 1, (DECIMAL_LIMBS - 1) * sizeof(uint32));
		w[DECIMAL_LIMBS - 1] = 0;
	}
	for (; (w[0] & 1) == 0; k++)
		limbs_divide(w, DECIMAL_LIMBS, 2);
	if (d->exponent > 0 && !SCALE_5(w, DECIMAL_LIMBS, d->exponent))
		return false;
	if (w[2] != 0 || w[3] != 0)
		return false;

	m = limbs_low64(w);
	if (m >= TWO_53)
		return false;
	*result = ldexp(d->negative ? -(double) m : (double) m, k);
	return true;
}

/* Drop the trailing zeroes of a finite decimal's significand */
static void
decimal_normalize(Decimal *d)
{
	uint32		w[DECIMAL_LIMBS];

	if (limbs_is_zero(d->w, DECIMAL_LIMBS))
	{
		d->exponent = 0;
		return;
	}
	for (;;)
	{
		memcpy(w, d->w, sizeof(w));
		if (limbs_divide(w, DECIMAL_LIMBS, 10) != 0)
			return;
		memcpy(d->w, w, sizeof(w));
		d->exponent++;
	}
}

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
	if (i >= -TWO_53 && i <= TWO_53)
		return compare_double((double) i, d);
	if (isnan(d) || d < -TWO_63)
		return 1;
	if (d >= TWO_63)
		return -1;
	/* such an i can only meet a d without fraction, as |d| >= 2^53 then */
	return compare_int64(i, (int64) d);
}

/* -1, 0, 1 of a finite decimal */
static inline int
decimal_sign(const Decimal *d)
{
	if (limbs_is_zero(d->w, DECIMAL_LIMBS))
		return 0;
	return d->negative ? -1 : 1;
}

/* Magnitudes of two finite, nonzero decimals */
static int
compare_decimal_magnitude(const Decimal *a, const Decimal *b)
{
	uint32		w[DECIMAL_LIMBS];
	double		a_log2;
	double		b_log2;

	if (a->exponent == b->exponent)
		return limbs_compare(a->w, b->w, DECIMAL_LIMBS);
	if (a->exponent < b->exponent)
		return -compare_decimal_magnitude(b, a);

	/* a number of n bits lies between 2^(n-1) and 2^n, so two are far enough */
	a_log2 = limbs_bits(a->w, DECIMAL_LIMBS) + a->exponent * LOG2_10;
	b_log2 = limbs_bits(b->w, DECIMAL_LIMBS) + b->exponent * LOG2_10;
	if (a_log2 > b_log2 + 2)
		return 1;
	if (a_log2 < b_log2 - 2)
		return -1;

	/* hence a's significand, brought to b's exponent, has some 116 bits at most */
	memcpy(w, a->w, sizeof(w));
	if (!SCALE_10(w, DECIMAL_LIMBS, a->exponent - b->exponent))
		return 1;
	return limbs_compare(w, b->w, DECIMAL_LIMBS);
}

static int
compare_decimal(const Decimal *a, const Decimal *b)
{
	int			a_sign;
	int			b_sign;

	if (a->kind != NUMBER_FINITE || b->kind != NUMBER_FINITE)
		return (int) a->kind - (int) b->kind;

	a_sign = decimal_sign(a);
	b_sign = decimal_sign(b);
	if (a_sign != b_sign)
		return a_sign - b_sign;
	if (a_sign == 0)
		return 0;
	return a_sign * compare_decimal_magnitude(a, b);
}

/*
 * Magnitudes of a finite decimal c * 10^e and a finite double m * 2^k, neither
 * zero.
 *
 * With both sides multiplied by 5^-e (or c by 5^e), only powers of two are
 * left, and one side is shifted.  As the two numbers are of one size, the larger
 * operand is either a double times 2^53 (1,078 bits), or c * 5^-e shifted to the
 * smallest double: 113 + 2.33 * 358 bits.  Both fit LONG_LIMBS.
 */
static int
compare_decimal_double_magnitude(const Decimal *a, double b)
{
	uint32		x[LONG_LIMBS] = {0};
	uint32		y[LONG_LIMBS] = {0};
	int			k;
	int			shift;
	double		a_log2;

	limbs_set64(y, (uint64) ldexp(frexp(fabs(b), &k), 53));
	a_log2 = limbs_bits(a->w, DECIMAL_LIMBS) + a->exponent * LOG2_10;
	if (a_log2 > k + 2)
		return 1;
	if (a_log2 < k - 2)
		return -1;
	k -= 53;

	memcpy(x, a->w, sizeof(a->w));
	if (!SCALE_5(a->exponent >= 0 ? x : y, LONG_LIMBS, abs(a->exponent)))
		elog(ERROR, "number too long to compare");

	shift = k - a->exponent;
	if (shift > 0)
		limbs_shift_left(y, LONG_LIMBS, shift);
	else
		limbs_shift_left(x, LONG_LIMBS, -shift);
	return limbs_compare(x, y, LONG_LIMBS);
}

static int
compare_decimal_double(const Decimal *a, double b)
{
	double		exact;
	int			a_sign;
	int			b_sign;
	NumberKind	b_kind = NUMBER_FINITE;

	if (isnan(b))
		b_kind = NUMBER_NAN;
	else if (isinf(b))
		b_kind = b < 0 ? NUMBER_NEG_INF : NUMBER_POS_INF;
	if (a->kind != NUMBER_FINITE || b_kind != NUMBER_FINITE)
		return (int) a->kind - (int) b_kind;

	a_sign = decimal_sign(a);
	b_sign = b < 0 ? -1 : b > 0;
	if (a_sign != b_sign)
		return a_sign - b_sign;
	if (a_sign == 0)
		return 0;
	if (decimal_to_exact_double(a, &exact))
		return compare_double(exact, b);
	return a_sign * compare_decimal_double_magnitude(a, b);
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
	Decimal		x;
	Decimal		y;

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

	decimal_decode(a->data, &x);
	if (b_double)
		return compare_decimal_double(&x, PgBsonReadDouble(b->data));
	if (b_decimal)
		decimal_decode(b->data, &y);
	else
		decimal_from_int64(integer_of(b), &y);
	return compare_decimal(&x, &y);
}

/* Hash */

static inline uint64
hash_eight_bytes(uint64 v, uint64 seed)
{
	return hash_bytes_extended((const unsigned char *) &v, sizeof(v), seed);
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
	Decimal		d;
	int64		i;
	double		exact;

	if (value->type == PGBSON_DOUBLE)
		return hash_double(PgBsonReadDouble(value->data), seed);
	if (value->type != PGBSON_DECIMAL128)
		return hash_eight_bytes((uint64) integer_of(value), seed);

	decimal_decode(value->data, &d);
	if (d.kind == NUMBER_NAN)
		return hash_double(NAN, seed);
	if (d.kind != NUMBER_FINITE)
		return hash_double(d.negative ? -INFINITY : INFINITY, seed);
	if (decimal_to_int64(&d, &i))
		return hash_eight_bytes((uint64) i, seed);
	if (decimal_to_exact_double(&d, &exact))
		return hash_double(exact, seed);

	decimal_normalize(&d);
	seed = hash_eight_bytes((uint64) d.exponent << 1 | (d.negative ? 1 : 0), seed);
	return hash_bytes_extended((const unsigned char *) d.w, sizeof(d.w), seed);
}

/* Conversion */

bool
PgBsonNumberToInt64(const PgBsonValue *value, int64 *result)
{
	Decimal		d;

	switch (value->type)
	{
		case PGBSON_INT32:
		case PGBSON_INT64:
			*result = integer_of(value);
			return true;
		case PGBSON_DOUBLE:
			return double_to_int64(PgBsonReadDouble(value->data), result);
		case PGBSON_DECIMAL128:
			decimal_decode(value->data, &d);
			return d.kind == NUMBER_FINITE && decimal_to_int64(&d, result);
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

double
PgBsonNumberToDouble(const PgBsonValue *value, bool *exact)
{
	Decimal		d;
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

	decimal_decode(value->data, &d);
	if (d.kind == NUMBER_NAN)
		return NAN;
	if (d.kind != NUMBER_FINITE)
		return d.negative ? -INFINITY : INFINITY;
	if (decimal_to_exact_double(&d, &result))
		return result;
	*exact = false;
	PgBsonDecimalToText(value->data, text);
	return strtod(text, NULL);
}

static Numeric
numeric_from_text(const char *text)
{
	return DatumGetNumeric(DirectFunctionCall3(numeric_in, CStringGetDatum(text),
											   ObjectIdGetDatum(InvalidOid),
											   Int32GetDatum(-1)));
}

/* digits * 10^exponent, with -exponent decimals; false if it needs the long way */
static bool
numeric_from_digits(bool negative, uint64 digits, int exponent, Numeric *result)
{
	if (digits > PG_INT64_MAX || exponent > 0 || exponent < -DECIMAL_DIGITS)
		return false;
	*result = int64_div_fast_to_numeric(negative ? -(int64) digits : (int64) digits,
										-exponent);
	return true;
}

/*
 * Take a decimal number apart: sign, digits, point, digits, exponent.  False if
 * it is not spelled so.  Digits beyond the 34th are dropped into the exponent
 * and, unless zero, noted as excess.
 */
static bool
scan_decimal(const char *text, uint32 len, DecimalText *d)
{
	const char *p = text;
	const char *end = text + len;
	bool		point = false;
	bool		any = false;
	int			exponent = 0;

	d->negative = false;
	d->excess = false;
	d->ndigits = 0;

	if (p < end && (*p == '-' || *p == '+'))
		d->negative = *p++ == '-';
	for (; p < end; p++)
	{
		if (*p == '.' && !point)
		{
			point = true;
			continue;
		}
		if (*p < '0' || *p > '9')
			break;
		any = true;
		if (d->ndigits == DECIMAL_DIGITS)
		{
			d->excess |= *p != '0';
			exponent++;
		}
		else if (d->ndigits > 0 || *p != '0')
			d->digits[d->ndigits++] = *p;
		if (point)
			exponent--;
	}
	if (!any)
		return false;

	if (p < end && (*p == 'e' || *p == 'E'))
	{
		bool		negative = false;
		int64		e = 0;

		p++;
		if (p < end && (*p == '-' || *p == '+'))
			negative = *p++ == '-';
		if (p == end)
			return false;
		for (; p < end && *p >= '0' && *p <= '9'; p++)
		{
			/* out of any range, and kept from wrapping */
			if (e < PG_INT32_MAX)
				e = e * 10 + (*p - '0');
		}
		e = exponent + (negative ? -e : e);
		exponent = (int) Max(Min(e, PG_INT32_MAX / 2), PG_INT32_MIN / 2);
	}
	d->exponent = exponent;
	return p == end;
}

static uint64
digits_to_uint64(const char *digits, int n)
{
	uint64		v = 0;

	Assert(n <= 19);
	for (int i = 0; i < n; i++)
		v = v * 10 + (digits[i] - '0');
	return v;
}

static void
drop_trailing_zeroes(DecimalText *d)
{
	while (d->ndigits > 0 && d->digits[d->ndigits - 1] == '0')
	{
		d->ndigits--;
		d->exponent++;
	}
}

Numeric
PgBsonNumberToNumeric(const PgBsonValue *value)
{
	char		text[PGBSON_DECIMAL128_TEXT];
	Numeric		result;
	Decimal		d;
	DecimalText digits;

	if (value->type == PGBSON_DECIMAL128)
	{
		decimal_decode(value->data, &d);
		if (d.kind == NUMBER_FINITE && d.w[2] == 0 && d.w[3] == 0 &&
			numeric_from_digits(d.negative, limbs_low64(d.w), d.exponent, &result))
			return result;
		PgBsonDecimalToText(value->data, text);
		return numeric_from_text(text);
	}
	if (value->type == PGBSON_DOUBLE)
	{
		double		v = PgBsonReadDouble(value->data);
		int64		i;
		int			len;

		/* up to 2^53 an integer is its own shortest spelling, but for the .0 */
		if (double_to_int64(v, &i) && i >= -TWO_53 && i <= TWO_53)
			return int64_to_numeric(i);

		/* infinity and NaN do not scan */
		len = PgBsonDoubleToText(v, text);
		if (scan_decimal(text, len, &digits) &&
			numeric_from_digits(digits.negative,
								digits_to_uint64(digits.digits, digits.ndigits),
								digits.exponent, &result))
			return result;
		return numeric_from_text(text);
	}
	return int64_to_numeric(integer_of(value));
}

/* Infinity, Inf or NaN, of any case and sign */
static bool
special_from_text(const char *text, uint32 len, Decimal *d)
{
	d->negative = false;
	if (len > 0 && (*text == '-' || *text == '+'))
	{
		d->negative = *text == '-';
		text++;
		len--;
	}
	if ((len == 8 && pg_strncasecmp(text, "infinity", 8) == 0) ||
		(len == 3 && pg_strncasecmp(text, "inf", 3) == 0))
		d->kind = d->negative ? NUMBER_NEG_INF : NUMBER_POS_INF;
	else if (len == 3 && pg_strncasecmp(text, "nan", 3) == 0)
	{
		/* its sign means nothing, and the text of a NaN never shows one */
		d->kind = NUMBER_NAN;
		d->negative = false;
	}
	else
		return false;
	d->exponent = 0;
	memset(d->w, 0, sizeof(d->w));
	return true;
}

bool
PgBsonDecimalFromText(const char *text, uint32 len, uint8 *result)
{
	DecimalText t;
	Decimal		d;

	if (!scan_decimal(text, len, &t))
	{
		if (!special_from_text(text, len, &d))
			return false;
		decimal_encode(&d, result);
		return true;
	}
	if (t.excess)
		return false;

	/* bring the exponent into range as far as zeroes allow; of zero only the sign matters */
	if (t.ndigits == 0)
		t.exponent = Max(Min(t.exponent, DECIMAL_MAX_EXP), DECIMAL_MIN_EXP);
	while (t.exponent > DECIMAL_MAX_EXP && t.ndigits < DECIMAL_DIGITS)
	{
		t.digits[t.ndigits++] = '0';
		t.exponent--;
	}
	while (t.exponent < DECIMAL_MIN_EXP && t.digits[t.ndigits - 1] == '0')
	{
		t.ndigits--;
		t.exponent++;
	}
	if (t.exponent > DECIMAL_MAX_EXP || t.exponent < DECIMAL_MIN_EXP)
		return false;

	d.kind = NUMBER_FINITE;
	d.negative = t.negative;
	d.exponent = t.exponent;
	memset(d.w, 0, sizeof(d.w));
	for (int i = 0; i < t.ndigits; i++)
		limbs_multiply_add(d.w, DECIMAL_LIMBS, 10, t.digits[i] - '0');
	decimal_encode(&d, result);
	return true;
}

bool
PgBsonDecimalFromNumeric(Numeric num, uint8 *result)
{
	char	   *text = DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(num)));
	bool		ok = PgBsonDecimalFromText(text, strlen(text), result);

	pfree(text);
	return ok;
}

bool
PgBsonDecimalIsPlain(const uint8 *decimal)
{
	uint8		again[PGBSON_DECIMAL128_SIZE];
	Decimal		d;

	decimal_decode(decimal, &d);
	decimal_encode(&d, again);
	return memcmp(decimal, again, sizeof(again)) == 0 &&
		!(d.kind == NUMBER_NAN && d.negative);
}

/*
 * The specification's spelling of digits * 10^exponent: scientific where the
 * exponent is positive, or the number has more than five zeroes behind its point.
 */
static int
spell_decimal(bool negative, uint64 significand, int exponent, char *text)
{
	char		digits[24];		/* of a uint64, and to spare */
	int			n = pg_ulltoa_n(significand, digits);
	int			scientific = exponent + n - 1;
	int			before;
	char	   *p = text;

	if (negative)
		*p++ = '-';
	if (exponent > 0 || scientific < -6)
	{
		*p++ = digits[0];
		if (n > 1)
		{
			*p++ = '.';
			memcpy(p, digits + 1, n - 1);
			p += n - 1;
		}
		*p++ = 'E';
		*p++ = scientific < 0 ? '-' : '+';
		p += pg_ultoa_n(abs(scientific), p);
	}
	else
	{
		before = n + exponent;	/* digits before the point */
		if (before > 0)
		{
			memcpy(p, digits, before);
			p += before;
		}
		else
			*p++ = '0';
		if (exponent < 0)
		{
			*p++ = '.';
			for (int i = before; i < 0; i++)
				*p++ = '0';
			memcpy(p, digits + Max(before, 0), n - Max(before, 0));
			p += n - Max(before, 0);
		}
	}
	*p = '\0';
	return p - text;
}

int
PgBsonDecimalToText(const uint8 *decimal, char *text)
{
	bson_decimal128_t d;
	Decimal		parts;

	/* the usual number has no more digits than fit 64 bits */
	decimal_decode(decimal, &parts);
	if (parts.kind == NUMBER_FINITE && parts.w[2] == 0 && parts.w[3] == 0)
		return spell_decimal(parts.negative, limbs_low64(parts.w), parts.exponent, text);

	StaticAssertStmt(PGBSON_DECIMAL128_TEXT >= BSON_DECIMAL128_STRING,
					 "text buffer too small for a decimal128");
	d.low = PgBsonReadU64(decimal);
	d.high = PgBsonReadU64(decimal + 8);
	bson_decimal128_to_string(&d, text);
	return strlen(text);
}

int
PgBsonDoubleToText(double d, char *text)
{
	int			len = double_to_shortest_decimal_buf(d, text);

	/* a point, an exponent, or the n of Infinity and NaN */
	if (strpbrk(text, ".enN") == NULL)
	{
		text[len++] = '.';
		text[len++] = '0';
		text[len] = '\0';
	}
	return len;
}

/*
 * A double's shortest spelling has 17 digits at most.  Up to 15 digits, and away
 * from the subnormals, no two decimals share a double, so the text's must be
 * the shortest; and where digits and power of ten are both exact, one division
 * or multiplication is the nearest double.  One exception: the server does not
 * spell a double by a decimal half-way to its neighbour, though it would read
 * back.  With so few digits those are integers beyond 2^53.
 */
bool
PgBsonTextIsDouble(const char *text, uint32 len, double *result)
{
	static const double exact_pow10[] = {
		1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
		1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22
	};
	DecimalText t;
	DecimalText shortest;
	double		d;
	char		buf[64];

	if (!scan_decimal(text, len, &t) || t.excess)
		return false;
	drop_trailing_zeroes(&t);
	if (t.ndigits == 0)
	{
		*result = t.negative ? -0.0 : 0.0;
		return true;
	}
	if (t.ndigits > 17)
		return false;

#if FLT_EVAL_METHOD == 0
	if (t.ndigits <= 15 && t.exponent >= -22 && t.exponent <= 22)
	{
		d = (double) digits_to_uint64(t.digits, t.ndigits);
		if (t.exponent < 0)
			d /= exact_pow10[-t.exponent];
		else
			d *= exact_pow10[t.exponent];
		if (t.exponent <= 0 || d < TWO_53)
		{
			*result = t.negative ? -d : d;
			return true;
		}
	}
#endif

	snprintf(buf, sizeof(buf), "%s%.*se%d", t.negative ? "-" : "",
			 t.ndigits, t.digits, t.exponent);
	d = strtod(buf, NULL);
	/* neither infinity nor a number that vanished */
	if (isinf(d) || d == 0)
		return false;
	len = PgBsonDoubleToText(d, buf);
	if (!scan_decimal(buf, len, &shortest))
		return false;
	drop_trailing_zeroes(&shortest);
	if (shortest.ndigits != t.ndigits || shortest.exponent != t.exponent ||
		memcmp(shortest.digits, t.digits, t.ndigits) != 0)
		return false;
	*result = d;
	return true;
}
