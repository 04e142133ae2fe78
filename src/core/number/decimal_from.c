/*
 * decimal_from.c
 *	  decimal128 from numbers that it may not hold exactly.
 */
#include "core/number/decimal_from.h"

#include <math.h>

#include "core/number/decimal_digits.h"
#include "core/number/number_text.h"

void
PgBsonDecimalFromNumericRounded(Numeric number, uint8 *result)
{
	const char *text = PgBsonNumericText(number);
	PgBsonDigits d = {PGBSON_NUMBER_FINITE, false, 0, 0};
	uint8		digits[PGBSON_DECIMAL_DIGITS + 2];
	bool		after_point = false;
	bool		more = false;
	int			zeroes = 0;

	if (numeric_is_nan(number))
	{
		PgBsonDecimalPutSpecial(PGBSON_DECIMAL_HI_NAN, result);
		return;
	}
	if (numeric_is_inf(number))
	{
		PgBsonDecimalPutInfinity(*text == '-', result);
		return;
	}
	for (const char *p = text; *p != '\0'; p++)
	{
		if (*p == '-')
			d.negative = true;
		else if (*p == '.')
			after_point = true;
		else
		{
			d.exponent -= after_point;
			if (d.count == lengthof(digits))
			{
				more |= *p != '0';
				d.exponent++;
			}
			else if (d.count > 0 || *p != '0')
				digits[d.count++] = *p - '0';
		}
	}
	for (int i = 0; i < d.count; i++)
		d.digit[i] = digits[d.count - 1 - i];
	if (more && d.digit[0] % 5 == 0)
		d.digit[0]++;
	while (!more && zeroes < d.count && d.digit[zeroes] == 0 && d.exponent + zeroes < 0)
		zeroes++;
	PgBsonDigitsRoundHalf(&d, zeroes);
	if (d.count == 0)
		d.exponent = 0;
	PgBsonDigitsPut(&d, result);
}

/* A double that is not finite; false: it is */
static bool
put_special(double d, uint8 *result)
{
	if (isnan(d))
		PgBsonDecimalPutSpecial(PGBSON_DECIMAL_HI_NAN, result);
	else if (isinf(d))
		PgBsonDecimalPutInfinity(d < 0, result);
	return !isfinite(d);
}

void
PgBsonDecimalFromDouble(double d, uint8 *result)
{
	char		text[64];

	if (put_special(d, result))
		return;
	/* as a numeric its shortest spelling would come */
	snprintf(text, sizeof(text), "%.33e", d);
	PgBsonDecimalFromNumericRounded(PgBsonNumericFromText(text), result);
}

/* 15 digits, of which those at the end stay although they are zero */
static void
double_to_decimal(double d, uint8 *result)
{
	char		text[32];
	char		digits[16];
	PgBsonDecimal decimal;
	int			ndigits = 0;

	if (put_special(d, result))
		return;
	/* d.dddddddddddddde-xxx */
	snprintf(text, sizeof(text), "%.14e", fabs(d));
	for (const char *p = text; *p != 'e'; p++)
	{
		if (*p != '.')
			digits[ndigits++] = *p;
	}
	if (d == 0)
		PgBsonDecimalFromDigits(signbit(d), digits, 1, 0, &decimal);
	else
		PgBsonDecimalFromDigits(d < 0, digits, ndigits, atoi(strchr(text, 'e') + 1) - 14, &decimal);
	PgBsonDecimalEncode(&decimal, result);
}

void
PgBsonNumberToDecimal(const PgBsonValue *number, uint8 *result)
{
	PgBsonDecimal decimal;

	switch (number->type)
	{
		case PGBSON_DECIMAL128:
			memcpy(result, number->data, PGBSON_DECIMAL128_SIZE);
			break;
		case PGBSON_DOUBLE:
			double_to_decimal(PgBsonReadDouble(number->data), result);
			break;
		default:
			PgBsonDecimalFromInt64(PgBsonIntegerOf(number), &decimal);
			PgBsonDecimalEncode(&decimal, result);
			break;
	}
}
