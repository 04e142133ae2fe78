/*
 * decimal.h
 *	  decimal128 taken apart, and calculating with it.
 *
 * No errors are raised, and up to PgBsonDecimalCompare nothing is palloc'd or rounded.  The limbs of a significand are
 * 32 bits wide, so that machines without 128-bit integers run the same code.
 */
#ifndef PGBSON_DECIMAL_H
#define PGBSON_DECIMAL_H

#include "core/number/number.h"

#include "common/int.h"
#include "utils/numeric.h"

#define PGBSON_DECIMAL_DIGITS		34
#define PGBSON_DECIMAL_MIN_EXP		(-6176)
#define PGBSON_DECIMAL_MAX_EXP		6111
#define PGBSON_DECIMAL_BIAS		6176
#define PGBSON_DECIMAL_LIMBS		4

/* 10^34 - 1, the largest significand */
#define PGBSON_DECIMAL_MAX_HI		UINT64CONST(0x0001ED09BEAD87C0)
#define PGBSON_DECIMAL_MAX_LO		UINT64CONST(0x378D8E63FFFFFFFF)

/* NaN and infinity as decimals, their high halves */
#define PGBSON_DECIMAL_HI_NAN		UINT64CONST(0x7C00000000000000)
#define PGBSON_DECIMAL_HI_INF		UINT64CONST(0x7800000000000000)
#define PGBSON_DECIMAL_HI_SIGN		UINT64CONST(0x8000000000000000)

/* What kind of number it is; the kinds sort in this order */
typedef enum PgBsonNumberKind
{
	PGBSON_NUMBER_NAN,
	PGBSON_NUMBER_NEG_INF,
	PGBSON_NUMBER_FINITE,
	PGBSON_NUMBER_POS_INF
} PgBsonNumberKind;

/* A decimal128 taken apart: (-1)^negative * w * 10^exponent */
typedef struct PgBsonDecimal
{
	PgBsonNumberKind kind;
	bool		negative;
	int			exponent;
	uint32		w[PGBSON_DECIMAL_LIMBS];	/* least significant first */
} PgBsonDecimal;

/* The low two limbs, least significant first */
static inline uint64
PgBsonLimbsLow64(const uint32 *w)
{
	return (uint64) w[1] << 32 | w[0];
}

static inline void
PgBsonLimbsSet64(uint32 *w, uint64 v)
{
	w[0] = (uint32) v;
	w[1] = (uint32) (v >> 32);
}

/* w /= d; returns the remainder */
static inline uint32
PgBsonLimbsDivide(uint32 *w, uint32 d)
{
	uint64		rest = 0;

	for (int i = PGBSON_DECIMAL_LIMBS - 1; i >= 0; i--)
	{
		rest = rest << 32 | w[i];
		w[i] = (uint32) (rest / d);
		rest %= d;
	}
	return (uint32) rest;
}

/* Is a finite decimal zero? */
static inline bool
PgBsonDecimalIsZero(const PgBsonDecimal *d)
{
	return (d->w[0] | d->w[1] | d->w[2] | d->w[3]) == 0;
}

/*
 * Take 16 bytes apart.  A significand above 10^34 - 1 is not canonical and
 * means zero (IEEE 754-2008, 3.5.2); the encodings that begin with the bits 11
 * can only hold such ones.
 */
static inline void
PgBsonDecimalDecode(const uint8 *bytes, PgBsonDecimal *d)
{
	uint64		lo = PgBsonReadU64(bytes);
	uint64		hi = PgBsonReadU64(bytes + 8);
	uint64		significand = hi & UINT64CONST(0x0001FFFFFFFFFFFF);

	d->negative = (hi & PGBSON_DECIMAL_HI_SIGN) != 0;
	d->kind = PGBSON_NUMBER_FINITE;
	d->exponent = 0;

	if ((hi & PGBSON_DECIMAL_HI_NAN) == PGBSON_DECIMAL_HI_NAN)
		d->kind = PGBSON_NUMBER_NAN;
	else if ((hi & PGBSON_DECIMAL_HI_INF) == PGBSON_DECIMAL_HI_INF)
		d->kind = d->negative ? PGBSON_NUMBER_NEG_INF : PGBSON_NUMBER_POS_INF;
	else if ((hi >> 61 & 3) == 3)
		d->exponent = (int) (hi >> 47 & 0x3FFF) - PGBSON_DECIMAL_BIAS;
	else
	{
		d->exponent = (int) (hi >> 49 & 0x3FFF) - PGBSON_DECIMAL_BIAS;
		if (significand < PGBSON_DECIMAL_MAX_HI ||
			(significand == PGBSON_DECIMAL_MAX_HI && lo <= PGBSON_DECIMAL_MAX_LO))
		{
			PgBsonLimbsSet64(d->w, lo);
			PgBsonLimbsSet64(d->w + 2, significand);
			return;
		}
	}
	memset(d->w, 0, sizeof(d->w));
}

/* Does the significand fit 64 bits?  Mostly it does. */
static inline bool
PgBsonDecimalIsShort(const PgBsonDecimal *d)
{
	return d->kind == PGBSON_NUMBER_FINITE && d->w[2] == 0 && d->w[3] == 0;
}

/* The significand with its sign, if 64 bits hold it */
static inline bool
PgBsonDecimalUnits(const PgBsonDecimal *d, int64 *units)
{
	if (!PgBsonDecimalIsShort(d) || d->w[1] > PG_INT32_MAX)
		return false;
	*units = (int64) PgBsonLimbsLow64(d->w);
	if (d->negative)
		*units = -*units;
	return true;
}

/* The integer times 10^power, if 64 bits hold it */
static inline bool
PgBsonUnitsScale(int64 *n, int power)
{
	for (; power > 0 && *n != 0; power--)
	{
		if (pg_mul_s64_overflow(*n, 10, n))
			return false;
	}
	return true;
}

/* Encode a decimal, whose exponent and significand must be in range, in 16 bytes */
extern void PgBsonDecimalEncode(const PgBsonDecimal *d, uint8 *bytes);

/* Make a finite decimal of a sign, at most PGBSON_DECIMAL_DIGITS digits and an exponent; or of an integer */
extern void PgBsonDecimalFromDigits(bool negative, const char *digits, int ndigits,
									int exponent, PgBsonDecimal *d);
extern void PgBsonDecimalFromInt64(int64 i, PgBsonDecimal *d);

/* Is this finite decimal an int64? */
extern bool PgBsonDecimalToInt64(const PgBsonDecimal *d, int64 *result);

/* Remove the trailing zeroes of a finite decimal's significand, raising the exponent */
extern void PgBsonDecimalNormalize(PgBsonDecimal *d);

/* <0, 0, >0, by exact value */
extern int	PgBsonDecimalCompare(const PgBsonDecimal *a, const PgBsonDecimal *b);

/*
 * --- decimal_math.c: calculating ---
 *
 * Operands and results are the 16 bytes of a decimal128; "result" may be one of the operands.  Results have at most
 * 34 digits, rounded half to even; a result that is too large is an infinity.  If an operand is NaN, so is the result,
 * with its sign.
 */

typedef enum PgBsonRounding
{
	PGBSON_ROUND_HALF_EVEN,
	PGBSON_ROUND_DOWN,			/* toward zero */
	PGBSON_ROUND_CEILING,
	PGBSON_ROUND_FLOOR
} PgBsonRounding;

/* The four operations as IEEE 754 has them: a result has the exponent that the standard prefers */
extern void PgBsonDecimalAdd(const uint8 *a, const uint8 *b, uint8 *result);
extern void PgBsonDecimalMultiply(const uint8 *a, const uint8 *b, uint8 *result);
extern void PgBsonDecimalDivide(const uint8 *a, const uint8 *b, uint8 *result);
/* a - b * (a / b without its fraction), which has the sign of a */
extern void PgBsonDecimalRemainder(const uint8 *a, const uint8 *b, uint8 *result);
/* The number rounded to a multiple of 10^exponent; NaN if that would need more than 34 digits */
extern void PgBsonDecimalQuantize(const uint8 *a, int exponent, PgBsonRounding rounding, uint8 *result);

/*
 * decimal_functions.c: roots, powers and logarithms of finite numbers.  The server's numeric calculates them with more
 * digits than the result has, from operands for which it is fast; what it needs is palloc'd in the current memory
 * context, and stays there.  A result that is not exact has all 34 digits.
 */

/* The square root of a number that is not negative; of -0 it is -0 */
extern void PgBsonDecimalSqrt(const uint8 *a, uint8 *result);

/* e to the power of the number; zero or an infinity if that is out of range */
extern void PgBsonDecimalExp(const uint8 *a, uint8 *result);

/* The logarithm of a positive number, natural or to the base 10 */
extern void PgBsonDecimalLn(const uint8 *a, uint8 *result);
extern void PgBsonDecimalLog10(const uint8 *a, uint8 *result);

/* "base" to the power of "exponent"; the base must not be zero.  NaN if the result is not a real number. */
extern void PgBsonDecimalPower(const uint8 *base, const uint8 *exponent, uint8 *result);

/*
 * The number with trailing zeroes added, up to 34 digits, as far as its exponent allows; a zero gets
 * the least exponent, and no sign
 */
extern void PgBsonDecimalPad(const uint8 *a, uint8 *result);

/* decimal_from.c: decimals of numbers that they may not hold exactly */

/* A numeric rounded to 34 digits, without trailing zeroes in its fraction */
extern void PgBsonDecimalFromNumericRounded(Numeric number, uint8 *result);

/* The exact value of a double, rounded to 34 digits */
extern void PgBsonDecimalFromDouble(double d, uint8 *result);

/* An integer exactly; a double rounded to 15 significant digits, as MongoDB does before it calculates */
extern void PgBsonNumberToDecimal(const PgBsonValue *number, uint8 *result);

#endif							/* PGBSON_DECIMAL_H */
