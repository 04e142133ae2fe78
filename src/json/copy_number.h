/*
 * copy_number.h
 *	  Numbers of JSON text, read and written as BSON at once.
 *
 * Inline, for the transcoder alone.  The functions return the place after the
 * number, and move *out behind the bytes that they write; NULL to decline.
 */
#ifndef PGBSON_COPY_NUMBER_H
#define PGBSON_COPY_NUMBER_H

#include "core/number/number_text.h"
#include "json/json_number.h"

static inline bool
PgBsonIsDigit(uint8 c)
{
	return c >= '0' && c <= '9';
}

/*
 * The value of eight digits, the first of them in the lowest byte: combine
 * pairs of digits, then pairs of pairs, and so on
 */
static inline uint32
PgBsonValueOfDigits(uint64 digits)
{
	digits = (digits * 10 + (digits >> 8)) & UINT64CONST(0x00FF00FF00FF00FF);
	digits = (digits * 100 + (digits >> 16)) & UINT64CONST(0x0000FFFF0000FFFF);
	return (uint32) (digits * 10000 + (digits >> 32));
}

/*
 * Append digits to a number; returns the place after them.  The number is useless if there are too many digits.  They
 * are read eight at a time, including the last ones, because a loop that runs once for each digit is mispredicted every
 * time.
 */
static inline const uint8 *
PgBsonReadDigits(const uint8 *s, const uint8 *end, uint64 *number)
{
	static const uint32 pow10[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
	uint64		v = *number;

	while (end - s >= 8)
	{
		uint64		digits = PgBsonReadU64(s) ^ UINT64CONST(0x3030303030303030);
		/* the highest bit of each byte above 9, and perhaps of some bytes after the first of these */
		uint64		others = ((digits + UINT64CONST(0x7676767676767676)) | digits) & UINT64CONST(0x8080808080808080);
		int			n;

		if (others != 0)
		{
			n = pg_rightmost_one_pos64(others) / 8;
			digits = digits << (8 * (7 - n)) << 8;
			*number = v * pow10[n] + PgBsonValueOfDigits(digits);
			return s + n;
		}
		v = v * 100000000 + PgBsonValueOfDigits(digits);
		s += 8;
	}
	while (s < end && PgBsonIsDigit(*s))
		v = v * 10 + (*s++ - '0');
	*number = v;
	return s;
}

static inline void
PgBsonPutDouble(uint8 **out, double d)
{
	PgBsonWriteDouble(*out, d);
	*out += 8;
}

/* The number from "token" to "s" by the rule of json/json_number.h */
static inline const uint8 *
PgBsonCopyByRule(const uint8 *token, const uint8 *s, PgBsonNumbers numbers, uint8 *type, uint8 **out)
{
	uint32		size;

	*type = PgBsonJsonNumber((const char *) token, s - token, numbers, *out, &size);
	if (*type == PGBSON_EOD)
		return NULL;
	*out += size;
	return s;
}

/*
 * A number with a fraction or an exponent: its integer digits were read, and "s" points after them.  "mantissa" is
 * their value, unless there are too many of them.
 */
static inline const uint8 *
PgBsonCopyDouble(const uint8 *token, const uint8 *s, const uint8 *end, uint64 mantissa,
				 PgBsonNumbers numbers, uint8 *type, uint8 **out)
{
	bool		negative = *token == '-';
	bool		below_one = token[negative] == '0';
	int			digits = below_one ? 0 : s - token - negative;	/* of the mantissa */
	int			exponent = 0;
	double		d;

	if (*s == '.')
	{
		const uint8 *fraction = ++s;
		const uint8 *last;
		uint64		whole = mantissa;

		if (below_one)
		{
			while (s < end && *s == '0')
				s++;
		}
		digits -= s - fraction;
		s = last = PgBsonReadDigits(s, end, &mantissa);
		if (s == fraction)
			return NULL;
		/* quotients of numeric end in many zeroes */
		if (digits + (s - fraction) > DBL_DIG && s[-1] == '0')
		{
			while (last[-1] == '0')
				last--;
			mantissa = whole;
			(void) PgBsonReadDigits(fraction, last, &mantissa);
		}
		exponent = fraction - last;
		digits -= exponent;
	}
	if (s < end && (*s == 'e' || *s == 'E'))
	{
		bool		below = false;
		uint64		given = 0;
		const uint8 *first;

		s++;
		if (s < end && (*s == '+' || *s == '-'))
			below = *s++ == '-';
		first = s;
		s = PgBsonReadDigits(s, end, &given);
		if (s == first)
			return NULL;
		if (s - first > 4)
			digits = PG_INT16_MAX;	/* only with a very long fraction is this in range; the slow way decides */
		else
			exponent += below ? -(int) given : (int) given;
	}

	/* any number of this many digits fits the mantissa */
	if (digits <= 19)
	{
#ifdef PGBSON_DOUBLES_ROUND_ONCE
		/*
		 * With fifteen digits both operands are exact, so the quotient is the
		 * nearest double; and a double always gives back fifteen digits.
		 */
		if (mantissa < UINT64CONST(1000000000000000) && exponent <= 0 && exponent > -PGBSON_EXACT_POWERS)
		{
			d = (double) mantissa / PgBsonPowersOfTen[-exponent];
			PgBsonPutDouble(out, negative ? -d : d);
			return s;
		}
#endif
		/* the text that other programs print of a double, with sixteen digits or more */
		if (PgBsonShortestDouble(mantissa, exponent, &d))
		{
			PgBsonPutDouble(out, negative ? -d : d);
			return s;
		}
	}
	return PgBsonCopyByRule(token, s, numbers, type, out);
}

/* A number; NULL to decline */
static inline const uint8 *
PgBsonCopyNumber(const uint8 *s, const uint8 *end, PgBsonNumbers numbers, uint8 *type, uint8 **out)
{
	const uint8 *token = s;
	const uint8 *digits;
	bool		negative = *s == '-';
	uint64		v = 0;
	int			n;

	if (negative)
		s++;
	digits = s;
	s = PgBsonReadDigits(s, end, &v);
	n = s - digits;
	if (n == 0 || (*digits == '0' && n > 1))
		return NULL;

	if (s < end && (*s == '.' || *s == 'e' || *s == 'E'))
	{
		*type = PGBSON_DOUBLE;
		return PgBsonCopyDouble(token, s, end, v, numbers, type, out);
	}
	/* nineteen digits do not overflow; more never fit */
	if (n > 19 || v > (uint64) PG_INT64_MAX + negative)
		return PgBsonCopyByRule(token, s, numbers, type, out);
	if (negative && v == 0)
	{
		/* a zero with a sign is not an integer */
		*type = PGBSON_DOUBLE;
		PgBsonPutDouble(out, -0.0);
		return s;
	}
	if (v <= (uint64) PG_INT32_MAX + negative)
	{
		*type = PGBSON_INT32;
		PgBsonWriteU32(*out, negative ? 0 - (uint32) v : (uint32) v);
		*out += 4;
	}
	else
	{
		*type = PGBSON_INT64;
		PgBsonWriteU64(*out, negative ? 0 - v : v);
		*out += 8;
	}
	return s;
}

#endif							/* PGBSON_COPY_NUMBER_H */
