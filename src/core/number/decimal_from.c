/*
 * decimal_from.c
 *	  decimal128 from numbers that it may not hold exactly.
 */
#include "core/number/decimal_digits.h"
#include "core/number/number_text.h"

/* The number of a text, rounded to 34 digits, without trailing zeroes in its fraction */
static void
round_text(const char *text, uint8 *result)
{
	PgBsonDigits d = {PGBSON_NUMBER_FINITE, *text == '-', 0, 0};
	const char *p = text + d.negative;
	uint8		digits[PGBSON_DECIMAL_DIGITS + 2];
	bool		after_point = false;
	bool		more = false;
	int			zeroes = 0;

	/* infinities and NaN have no digits */
	if (!isdigit((unsigned char) *p))
	{
		(void) PgBsonDecimalFromText(text, strlen(text), result);
		return;
	}
	for (; *p != '\0' && *p != 'e'; p++)
	{
		if (*p == '.')
		{
			after_point = true;
			continue;
		}
		d.exponent -= after_point;
		if (d.count == lengthof(digits))
		{
			more |= *p != '0';
			d.exponent++;
		}
		else if (d.count > 0 || *p != '0')
			digits[d.count++] = *p - '0';
	}
	if (*p == 'e')
		d.exponent += atoi(p + 1);
	for (int i = 0; i < d.count; i++)
		d.digit[i] = digits[d.count - 1 - i];
	if (more && d.digit[0] % 5 == 0)
		d.digit[0]++;
	while (!more && zeroes < d.count && d.digit[zeroes] == 0 && d.exponent + zeroes < 0)
		zeroes++;
	PgBsonDigitsRound(&d, zeroes, PGBSON_ROUND_HALF_EVEN);
	if (d.count == 0)
		d.exponent = 0;
	PgBsonDigitsPut(&d, result);
}

void
PgBsonDecimalFromNumericRounded(Numeric number, uint8 *result)
{
	round_text(PgBsonNumericText(number), result);
}

void
PgBsonDecimalFromDouble(double d, uint8 *result)
{
	char		text[64];

	/* -0 becomes 0 */
	snprintf(text, sizeof(text), "%.33e", d + 0.0);
	round_text(text, result);
}

void
PgBsonNumberToDecimal(const PgBsonValue *number, uint8 *result)
{
	PgBsonDecimal decimal;
	char		text[32];
	double		d;

	switch (number->type)
	{
		case PGBSON_DECIMAL128:
			memcpy(result, number->data, PGBSON_DECIMAL128_SIZE);
			break;
		case PGBSON_DOUBLE:
			/* 15 digits, also if those at the end are zero; but a zero has one */
			d = PgBsonReadDouble(number->data);
			snprintf(text, sizeof(text), "%.*e", d == 0 ? 0 : 14, d);
			(void) PgBsonDecimalFromText(text, strlen(text), result);
			break;
		default:
			PgBsonDecimalFromInt64(PgBsonIntegerOf(number), &decimal);
			PgBsonDecimalEncode(&decimal, result);
			break;
	}
}
