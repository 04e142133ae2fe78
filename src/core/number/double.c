/*
 * double.c
 *	  Finding the double whose shortest spelling a decimal is, without strtod.
 *
 * Text of numbers is mostly doubles that another program printed by their
 * shortest spelling, with sixteen or seventeen digits.  strtod and printing the
 * double again, to see whether the digits are the same, take ten times as long
 * as all else that parsing does with a number.
 *
 * The way to the double is Eisel's and Lemire's (arXiv 2101.11408): the digits,
 * an integer, are multiplied by 64 bits of a power of ten.  Of the product's 64
 * leading bits the first 53 are the double, and the others, cut off, tell how
 * far the decimal is from it.  That distance also tells whether the spelling is
 * the shortest: there is no shorter one if the two neighbours that end in a
 * zero are beyond half the distance of two doubles, and none nearer among those
 * of this length if it is less than half its last place.
 *
 * As the power's other bits are missing, the product is too small by up to one
 * unit of its leading bits.  A decimal that is nearer than that to one of the
 * borders is left to strtod, and so are subnormal numbers and powers of two, below which
 * doubles are nearer.
 */
#include "core/number/number_text.h"

#include <math.h>

#ifdef HAVE_INT128

/* The exponents of decimals of at most seventeen digits whose doubles are normal */
#define MIN_EXPONENT	(-324)
#define MAX_EXPONENT	308

#define MAX_DIGITS		UINT64CONST(99999999999999999)

/* The bits beyond the leading 64 that distances are compared with */
#define EXTRA_BITS		8

/* Half a unit is added to the product, which may then be wrong by as much; and ten times a digit's value by a little */
#define HALF_UNIT		(1 << (EXTRA_BITS - 1))
#define UNCERTAIN		(HALF_UNIT + 16)

/* A power of ten: mantissa * 2^exponent, the mantissa with its highest bit set */
typedef struct Power
{
	uint64		mantissa;
	int			exponent;
} Power;

/* They are constant, and are made when they are first needed */
static Power powers[MAX_EXPONENT - MIN_EXPONENT + 1];
static bool powers_made = false;

static void
make_power(int exponent10, uint128 mantissa, int exponent2)
{
	powers[exponent10 - MIN_EXPONENT].mantissa = (uint64) (mantissa >> 64);
	powers[exponent10 - MIN_EXPONENT].exponent = exponent2 + 64;
}

/*
 * Each power is made from the one before, with 128 bits, the highest of which is set.  The lowest bits
 * are wrong by one for each step, so the 64 bits that are kept are wrong by one at most.
 */
static void
make_powers(void)
{
	const uint128 top = (uint128) 1 << 127;
	uint128		mantissa = top;
	int			exponent = -127;

	for (int i = 0; i <= MAX_EXPONENT; i++)
	{
		make_power(i, mantissa, exponent);
		/* times 10, which is 2^4 * 5/8 */
		mantissa = mantissa / 8 * 5;
		exponent += 4;
		while (mantissa < top)
		{
			mantissa <<= 1;
			exponent--;
		}
	}

	mantissa = top;
	exponent = -127;
	for (int i = -1; i >= MIN_EXPONENT; i--)
	{
		/* divided by 5 and by 2; the quotient has its highest bit two or three places further down */
		mantissa = mantissa / 5;
		exponent--;
		while (mantissa < top)
		{
			mantissa <<= 1;
			exponent--;
		}
		make_power(i, mantissa, exponent);
	}
	powers_made = true;
}

bool
PgBsonShortestDouble(uint64 digits, int exponent, double *result)
{
	const Power *power;
	int			shift;
	uint128		product;
	uint64		leading;		/* bits of the product */
	int			cut;			/* how many of these are beyond the double's */
	uint64		bits;
	int			biased;
	int64		half;			/* in units of the leading bits, with EXTRA_BITS, as the next two */
	int64		distance;
	int64		place;
	int			last = digits % 10;

	if (last == 0 || digits > MAX_DIGITS || exponent < MIN_EXPONENT || exponent > MAX_EXPONENT)
		return false;
	if (unlikely(!powers_made))
		make_powers();
	power = &powers[exponent - MIN_EXPONENT];

	shift = 63 - pg_leftmost_one_pos64(digits);
	product = (uint128) (digits << shift) * power->mantissa;
	leading = (uint64) (product >> 64);
	cut = 10 + (int) (leading >> 63);
	bits = (leading >> cut) + ((leading >> (cut - 1)) & 1);
	half = INT64CONST(1) << (cut - 1 + EXTRA_BITS);
	distance = (int64) ((leading - (bits << cut)) << EXTRA_BITS) +
		(int64) ((uint64) product >> (64 - EXTRA_BITS)) + HALF_UNIT;

	/* the value of the last digit; if the digits are few it is far greater than "half", and need not be exact */
	place = power->mantissa >> (64 - EXTRA_BITS - Min(shift, 24));
	if ((distance < 0 ? -distance : distance) > Min(half, place / 2) - UNCERTAIN ||
		last * place - distance < half + UNCERTAIN ||
		(10 - last) * place + distance < half + UNCERTAIN ||
		(bits & ((UINT64CONST(1) << 52) - 1)) == 0)
		return false;

	biased = cut + 64 - shift + power->exponent + 52 + 1023;
	if (biased < 1 || biased > 2046)
		return false;
	/* the mantissa has its leading bit here, which adds one to the exponent */
	bits += (uint64) (biased - 1) << 52;
	memcpy(result, &bits, sizeof(bits));
	return true;
}

#else

bool
PgBsonShortestDouble(uint64 digits, int exponent, double *result)
{
	return false;
}

#endif

/* Few doubles have more decimals, and trying more would take time where a double is not short at all */
#define MOST_DECIMALS	6

bool
PgBsonDoubleIsShort(double d, int64 *digits, int *decimals)
{
#ifdef PGBSON_DOUBLES_ROUND_ONCE
	for (int n = 0; n <= MOST_DECIMALS; n++)
	{
		double		scaled = d * PgBsonPowersOfTen[n];

		/* written so that it holds for NaN, too */
		if (!(fabs(scaled) < PGBSON_SAFE_DIGITS))
			return false;
		*digits = (int64) (scaled + (scaled < 0 ? -0.5 : 0.5));
		if ((double) *digits / PgBsonPowersOfTen[n] == d)
		{
			*decimals = n;
			return true;
		}
	}
#endif
	return false;
}
