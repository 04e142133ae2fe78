/*
 * number_text.c
 *	  Numbers as decimal text and as numeric, both ways.
 */
#include "core/number/number_text.h"

#include <math.h>

#include "core/number/decimal.h"

#include "common/shortest_dec.h"
#include "utils/builtins.h"

/* The digits of a decimal text without leading zeroes: digits * 10^exponent */
typedef struct DecimalText
{
	bool		negative;
	bool		excess;			/* a digit that is not zero did not fit into "digits" */
	int			ndigits;
	int			exponent;		/* out of range if the exponent of the text is */
	uint64		value;			/* the digits as a number, if they are no more than UINT64_DIGITS */
	char		digits[PGBSON_DECIMAL_DIGITS];
} DecimalText;

/* Every number of this many decimal digits fits 64 bits */
#define UINT64_DIGITS	19

Numeric
PgBsonNumericFromText(const char *text)
{
	return DatumGetNumeric(DirectFunctionCall3(numeric_in, CStringGetDatum(text),
											   ObjectIdGetDatum(InvalidOid),
											   Int32GetDatum(-1)));
}

/* The numeric digits * 10^exponent; false if it cannot be made from an int64 */
static bool
numeric_from_digits(bool negative, uint64 digits, int exponent, Numeric *result)
{
	if (digits > PG_INT64_MAX || exponent > 0 || exponent < -PGBSON_DECIMAL_DIGITS)
		return false;
	*result = int64_div_fast_to_numeric(negative ? -(int64) digits : (int64) digits,
										-exponent);
	return true;
}

/*
 * Append a run of digits, without leading zeroes, and return what follows it.  Digits beyond the 34th
 * are counted in the exponent.
 */
static inline const char *
scan_digits(const char *p, const char *end, DecimalText *d)
{
	int			n = d->ndigits;
	uint64		value = d->value;

	if (n == 0)
	{
		while (p < end && *p == '0')
			p++;
	}
	for (; p < end && *p >= '0' && *p <= '9' && n < PGBSON_DECIMAL_DIGITS; p++)
	{
		d->digits[n++] = *p;
		value = value * 10 + (*p - '0');
	}
	d->ndigits = n;
	d->value = value;
	for (; p < end && *p >= '0' && *p <= '9'; p++)
	{
		d->excess |= *p != '0';
		d->exponent++;
	}
	return p;
}

/*
 * Take a decimal number apart: sign, digits, point, digits, exponent.  False if the text is none.
 * Digits beyond the 34th only count in the exponent; "excess" says whether one of them is not zero.
 */
static bool
scan_decimal(const char *text, uint32 len, DecimalText *d)
{
	const char *p = text;
	const char *end = text + len;
	const char *begin;
	int			ndigits;		/* with leading zeroes */

	d->negative = false;
	d->excess = false;
	d->ndigits = 0;
	d->exponent = 0;
	d->value = 0;

	if (p < end && (*p == '-' || *p == '+'))
		d->negative = *p++ == '-';
	begin = p;
	p = scan_digits(p, end, d);
	ndigits = p - begin;
	if (p < end && *p == '.')
	{
		begin = ++p;
		p = scan_digits(p, end, d);
		ndigits += p - begin;
		d->exponent -= p - begin;
	}
	if (ndigits == 0)
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
			/* far beyond any exponent, so that it cannot wrap */
			if (e < PG_INT32_MAX)
				e = e * 10 + (*p - '0');
		}
		e = d->exponent + (negative ? -e : e);
		d->exponent = (int) Max(Min(e, PG_INT32_MAX / 2), PG_INT32_MIN / 2);
	}
	return p == end;
}

static void
drop_trailing_zeroes(DecimalText *d)
{
	bool		excess = d->ndigits > UINT64_DIGITS;

	while (d->ndigits > 0 && d->digits[d->ndigits - 1] == '0')
	{
		d->ndigits--;
		d->exponent++;
		d->value /= 10;
	}
	if (excess && d->ndigits <= UINT64_DIGITS)
	{
		d->value = 0;
		for (int i = 0; i < d->ndigits; i++)
			d->value = d->value * 10 + (d->digits[i] - '0');
	}
}

Numeric
PgBsonNumberToNumeric(const PgBsonValue *value)
{
	char		text[PGBSON_DECIMAL128_TEXT];
	Numeric		result;
	PgBsonDecimal d;
	int64		i;
	DecimalText digits;

	if (value->type == PGBSON_DECIMAL128)
	{
		PgBsonDecimalDecode(value->data, &d);
		if (PgBsonDecimalIsShort(&d) &&
			numeric_from_digits(d.negative, PgBsonLimbsLow64(d.w), d.exponent, &result))
			return result;
		PgBsonDecimalToText(value->data, text);
		return PgBsonNumericFromText(text);
	}
	if (value->type == PGBSON_DOUBLE)
	{
		double		v = PgBsonReadDouble(value->data);
		int			len;
		int			decimals;

		if (PgBsonDoubleIsShort(v, &i, &decimals))
			return int64_div_fast_to_numeric(i, decimals);

		/* scan_decimal does not know infinity and NaN */
		len = double_to_shortest_decimal_buf(v, text);
		if (scan_decimal(text, len, &digits) &&
			numeric_from_digits(digits.negative, digits.value, digits.exponent, &result))
			return result;
		return PgBsonNumericFromText(text);
	}
	PgBsonNumberToInt64(value, &i);
	return int64_to_numeric(i);
}

char *
PgBsonNumericText(Numeric num)
{
	return DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(num)));
}

bool
PgBsonTextIsInt64(const char *text, uint32 len, int64 *result)
{
	bool		negative = len > 0 && *text == '-';
	const char *p = text + negative;
	const char *end = text + len;
	uint64		v = 0;

	if (p == end)
		return false;
	for (; p < end; p++)
	{
		if (*p < '0' || *p > '9' || v > (uint64) PG_INT64_MAX / 10)
			return false;
		/* this cannot overflow: 10 * (MAX / 10) + 9 fits 64 bits without a sign */
		v = v * 10 + (*p - '0');
	}
	if (v > (uint64) PG_INT64_MAX + negative)
		return false;
	*result = negative ? (int64) (0 - v) : (int64) v;
	return true;
}

/* Infinity, Inf or NaN in upper or lower case, perhaps with a sign */
static bool
special_from_text(const char *text, uint32 len, PgBsonDecimal *d)
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
		d->kind = d->negative ? PGBSON_NUMBER_NEG_INF : PGBSON_NUMBER_POS_INF;
	else if (len == 3 && pg_strncasecmp(text, "nan", 3) == 0)
	{
		/* the sign of a NaN has no meaning, and its text shows none */
		d->kind = PGBSON_NUMBER_NAN;
		d->negative = false;
	}
	else
		return false;
	d->exponent = 0;
	memset(d->w, 0, sizeof(d->w));
	return true;
}

bool
PgBsonTextIsDecimal(const char *text, uint32 len, bool *zero)
{
	DecimalText t;

	if (!scan_decimal(text, len, &t))
		return false;
	*zero = t.ndigits == 0;
	return true;
}

bool
PgBsonDecimalFromText(const char *text, uint32 len, uint8 *result)
{
	DecimalText t;
	PgBsonDecimal d;

	if (!scan_decimal(text, len, &t))
	{
		if (!special_from_text(text, len, &d))
			return false;
		PgBsonDecimalEncode(&d, result);
		return true;
	}
	if (t.excess)
		return false;

	/* bring the exponent into range by adding or removing zeroes; a zero only keeps its sign */
	if (t.ndigits == 0)
		t.exponent = Max(Min(t.exponent, PGBSON_DECIMAL_MAX_EXP), PGBSON_DECIMAL_MIN_EXP);
	while (t.exponent > PGBSON_DECIMAL_MAX_EXP && t.ndigits < PGBSON_DECIMAL_DIGITS)
	{
		t.digits[t.ndigits++] = '0';
		t.exponent--;
	}
	while (t.exponent < PGBSON_DECIMAL_MIN_EXP && t.digits[t.ndigits - 1] == '0')
	{
		t.ndigits--;
		t.exponent++;
	}
	if (t.exponent > PGBSON_DECIMAL_MAX_EXP || t.exponent < PGBSON_DECIMAL_MIN_EXP)
		return false;

	PgBsonDecimalFromDigits(t.negative, t.digits, t.ndigits, t.exponent, &d);
	PgBsonDecimalEncode(&d, result);
	return true;
}

bool
PgBsonDecimalFromNumeric(Numeric num, uint8 *result)
{
	char	   *text = PgBsonNumericText(num);
	bool		ok = PgBsonDecimalFromText(text, strlen(text), result);

	pfree(text);
	return ok;
}

bool
PgBsonDecimalIsPlain(const uint8 *decimal)
{
	uint8		again[PGBSON_DECIMAL128_SIZE];
	PgBsonDecimal d;

	PgBsonDecimalDecode(decimal, &d);
	PgBsonDecimalEncode(&d, again);
	return memcmp(decimal, again, sizeof(again)) == 0 &&
		!(d.kind == PGBSON_NUMBER_NAN && d.negative);
}

/*
 * The spelling of a decimal of "n" digits by decimal128's specification: scientific if the exponent is
 * positive, or if more than five zeroes would follow the point.
 */
static int
spell_decimal(bool negative, const char *digits, int n, int exponent, char *text)
{
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
	PgBsonDecimal d;
	char		digits[40];		/* 20 and 18, at most */
	int			n;

	PgBsonDecimalDecode(decimal, &d);
	if (d.kind != PGBSON_NUMBER_FINITE)
		return strlen(strcpy(text, d.kind == PGBSON_NUMBER_NAN ? "NaN" : d.negative ? "-Infinity" : "Infinity"));
	if (PgBsonDecimalIsShort(&d))
		n = pg_ulltoa_n(PgBsonLimbsLow64(d.w), digits);
	else
	{
		uint32		low = PgBsonLimbsDivide(d.w, 1000000000);
		uint32		middle = PgBsonLimbsDivide(d.w, 1000000000);

		n = pg_ulltoa_n(PgBsonLimbsLow64(d.w), digits);
		n = pg_ultostr_zeropad(pg_ultostr_zeropad(digits + n, middle, 9), low, 9) - digits;
	}
	return spell_decimal(d.negative, digits, n, d.exponent, text);
}

#ifdef PGBSON_DOUBLES_ROUND_ONCE
/*
 * The text of a double with at most nine decimals that is neither large nor tiny; 0 for other doubles.
 * The quotient is rounded once, so if it is this double, the number is a decimal of at most 15 digits
 * that reads back as the double.  No other decimal with so few digits does, so none is shorter.
 */
static int
few_decimals_to_text(double d, char *text)
{
	double		magnitude = fabs(d);
	char	   *p = text;
	uint64		number;
	uint32		fraction;

	if (!(magnitude >= 0.001 && magnitude < 1e6))
		return 0;
	number = (uint64) (magnitude * 1e9 + 0.5);
	if ((double) number / 1e9 != magnitude)
		return 0;

	if (d < 0)
		*p++ = '-';
	p += pg_ulltoa_n(number / 1000000000, p);
	*p++ = '.';
	fraction = number % 1000000000;
	do
	{
		*p++ = '0' + fraction / 100000000;
		fraction = fraction % 100000000 * 10;
	} while (fraction != 0);
	*p = '\0';
	return p - text;
}
#endif

int
PgBsonDoubleToText(double d, char *text)
{
	int			len;

#ifdef PGBSON_DOUBLES_ROUND_ONCE
	len = few_decimals_to_text(d, text);
	if (len > 0)
		return len;
#endif
	len = double_to_shortest_decimal_buf(d, text);
	/* only the spelling of a whole number has neither point nor exponent; "n" is in Infinity and NaN */
	if (d == rint(d) && strpbrk(text, ".en") == NULL)
	{
		text[len++] = '.';
		text[len++] = '0';
		text[len] = '\0';
	}
	return len;
}

const double PgBsonPowersOfTen[PGBSON_EXACT_POWERS] = {
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22
};

/*
 * The shortest spelling of a double has at most 17 digits.  With at most 15, and for doubles that are
 * not subnormal, two decimals never have the same nearest double, so the text is the shortest spelling;
 * and if both the digits and the power of ten are exact doubles, one division or multiplication gives
 * the nearest double.  There is one exception: the server does not spell a double by a decimal half-way
 * to the next double, even if that reads back.  With so few digits only whole numbers beyond 2^53 are
 * half-way.
 */
bool
PgBsonTextIsDouble(const char *text, uint32 len, double *result)
{
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

#ifdef PGBSON_DOUBLES_ROUND_ONCE
	if (t.ndigits <= 15 && t.exponent >= -22 && t.exponent <= 22)
	{
		d = (double) t.value;
		if (t.exponent < 0)
			d /= PgBsonPowersOfTen[-t.exponent];
		else
			d *= PgBsonPowersOfTen[t.exponent];
		if (t.exponent <= 0 || d < PGBSON_EXACT_DOUBLE)
		{
			*result = t.negative ? -d : d;
			return true;
		}
	}
#endif

	if (PgBsonShortestDouble(t.value, t.exponent, &d))
	{
		*result = t.negative ? -d : d;
		return true;
	}

	snprintf(buf, sizeof(buf), "%s%.*se%d", t.negative ? "-" : "",
			 t.ndigits, t.digits, t.exponent);
	d = strtod(buf, NULL);
	/* infinity and 0, for what is too large or too small, have other digits */
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
