/*
 * expr_convert_number.c
 *	  Expressions: conversions of numbers, and to and from text.
 *
 * The authority is MongoDB's src/mongo/db/exec/expression/evaluate_convert.cpp, and
 * for numbers in texts src/mongo/base/parse_number.cpp.
 */
#include "mongo/expr/expr_convert.h"

#include <math.h>

#include "core/number/decimal.h"
#include "core/number/number_text.h"
#include "mongo/expr/expr_date.h"
#include "utils/builtins.h"

/* Spelling */

/*
 * Spell a double with the fewest digits that read back as the same double, without a point if there
 * is no fraction, and with an exponent below -4 and from 16 on
 */
static PgBsonValue
spell_double(double d)
{
	char		text[64];
	char		shorter[64];
	char	   *e;
	int			len;

	if (!isfinite(d))
		return isnan(d) ? PgBsonMakeString("NaN", 3) : d < 0 ? PgBsonMakeString("-Infinity", 9)
			: PgBsonMakeString("Infinity", 8);
	len = PgBsonDoubleToText(d, text);
	if (len > 2 && strcmp(text + len - 2, ".0") == 0)
		text[len -= 2] = '\0';
	/* PostgreSQL does not choose a decimal that is half-way to the neighbouring double, MongoDB does */
	for (int digits = 15; digits <= 16 && len >= 16; digits++)
	{
		snprintf(shorter, sizeof(shorter), "%.*g", digits, d);
		if (strlen(shorter) < len && strtod(shorter, NULL) == d)
		{
			len = snprintf(text, sizeof(text), "%s", shorter);
			break;
		}
	}
	/* PostgreSQL spells exponents from 15 on, so 15 must become plain digits */
	e = strstr(text, "e+15");
	if (e != NULL && e[4] == '\0')
		len = snprintf(text, sizeof(text), "%.*f", d == rint(d) ? 0 : 1, d);
	return PgBsonMakeString(text, len);
}

PgBsonValue
PgBsonConvertSpell(const PgBsonValue *value)
{
	char		text[PGBSON_DECIMAL128_TEXT + 64];
	const char *s;
	uint32		len;

	switch (value->type)
	{
		case PGBSON_STRING:
			return *value;
		case PGBSON_CODE:
		case PGBSON_SYMBOL:
			s = PgBsonValueString(value, &len);
			return PgBsonMakeString(s, len);
		case PGBSON_INT32:
			len = snprintf(text, sizeof(text), "%d", PgBsonReadI32(value->data));
			break;
		case PGBSON_INT64:
			len = snprintf(text, sizeof(text), INT64_FORMAT, PgBsonReadI64(value->data));
			break;
		case PGBSON_DOUBLE:
			return spell_double(PgBsonReadDouble(value->data));
		case PGBSON_DECIMAL128:
			len = PgBsonDecimalToText(value->data, text);
			break;
		case PGBSON_DATE:
			return PgBsonExprSpellDate(PgBsonReadI64(value->data));
		default:
			return PgBsonMissing;
	}
	return PgBsonMakeString(text, len);
}

/* Spell a double as string operators do: six significant digits */
static PgBsonValue
spell_short(double d)
{
	char		text[64];

	if (!isfinite(d))
		return isnan(d) ? PgBsonMakeString("nan", 3) : d < 0 ? PgBsonMakeString("-inf", 4) : PgBsonMakeString("inf", 3);
	return PgBsonMakeString(text, snprintf(text, sizeof(text), "%g", d));
}

PgBsonValue
PgBsonExprSpell(const PgBsonExpr *e, const PgBsonValue *value)
{
	PgBsonValue result;

	if (value->type == PGBSON_DOUBLE)
		return spell_short(PgBsonReadDouble(value->data));
	if (value->type == PGBSON_TIMESTAMP)
		return PgBsonExprSpellTimestamp(PgBsonReadU32(value->data + 4), PgBsonReadU32(value->data));
	result = PgBsonConvertSpell(value);
	if (result.type == PGBSON_MISSING && value->type == PGBSON_DATE)
		PgBsonExprWrongValue(e, gettext_noop("The year is not from 0 to 9999."));
	if (result.type == PGBSON_MISSING)
		PgBsonExprWrongType(e, value, gettext_noop("A string, a number, a date or a timestamp is expected."));
	return result;
}

/* Numbers */

PgBsonValue
PgBsonConvertInteger(PgBsonType type, int64 n)
{
	PgBsonValue integer = PgBsonMakeInt64(n);

	switch (type)
	{
		case PGBSON_INT32:
			return n < PG_INT32_MIN || n > PG_INT32_MAX ? PgBsonMissing : PgBsonMakeInt32((int32) n);
		case PGBSON_INT64:
			return integer;
		case PGBSON_DOUBLE:
			return PgBsonMakeDouble((double) n);
		default:
			return PgBsonExprDecimal(&integer);
	}
}

PgBsonValue
PgBsonConvertNumber(const PgBsonValue *value, PgBsonType type)
{
	bool		exact;
	double		d;
	int64		n;

	if (value->type == type)
		return *value;
	switch (type)
	{
		case PGBSON_DOUBLE:
			d = PgBsonNumberToDouble(value, &exact);
			if (isinf(d) && value->type == PGBSON_DECIMAL128)
			{
				PgBsonDecimal parts;

				PgBsonDecimalDecode(value->data, &parts);
				if (parts.kind == PGBSON_NUMBER_FINITE)
					return PgBsonMissing;
			}
			return PgBsonMakeDouble(d);
		case PGBSON_DECIMAL128:
			return PgBsonExprDecimal(value);
		default:
			return PgBsonNumberTruncate(value, &n) ? PgBsonConvertInteger(type, n) : PgBsonMissing;
	}
}

/* Read an integer: a sign and digits, with any number of leading zeroes */
static bool
string_to_integer(const char *s, uint32 len, int64 *n)
{
	uint32		i = 0;
	bool		minus = len > 0 && s[0] == '-';

	*n = 0;
	if (len > 0 && (s[0] == '-' || s[0] == '+'))
		i++;
	if (i == len)
		return false;
	for (; i < len; i++)
	{
		int			digit = s[i] - '0';

		if (i % 0x400000 == 0)
			CHECK_FOR_INTERRUPTS();
		/* there is one more negative integer than positive ones */
		if (digit < 0 || digit > 9 || pg_mul_s64_overflow(*n, 10, n) || pg_sub_s64_overflow(*n, digit, n))
			return false;
	}
	return minus || !pg_sub_s64_overflow(0, *n, n);
}

/* Read a double as strtod does, but without leading space, and hexadecimal digits only after a sign */
static PgBsonValue
string_to_double(const char *text)
{
	char	   *end;
	double		d;

	if (strncmp(text, "0x", 2) == 0 || strchr(text, '(') != NULL)
		return PgBsonMissing;
	errno = 0;
	d = strtod(text, &end);
	if (*end != '\0' || end == text || errno == ERANGE)
		return PgBsonMissing;
	return PgBsonMakeDouble(d);
}

/* Read a decimal: digits with a sign, a point, an exponent; or infinity or NaN */
static PgBsonValue
string_to_decimal(const char *text)
{
	uint32		len = strlen(text);
	uint8		decimal[PGBSON_DECIMAL128_SIZE];
	PgBsonDecimal parts;
	Datum		numeric;
	char	   *end;

	if (strpbrk(text, "xX(") != NULL)
		return PgBsonMissing;
	if (PgBsonDecimalFromText(text, len, decimal))
	{
		PgBsonDecimalDecode(decimal, &parts);
		if (parts.kind == PGBSON_NUMBER_NAN && text[0] == '-')
			decimal[PGBSON_DECIMAL128_SIZE - 1] |= 0x80;
		return PgBsonMakeDecimal(decimal);
	}
	(void) strtod(text, &end);
	if (*end != '\0' || end == text || strspn(text, "0123456789+-.") != len)
		return PgBsonMissing;
	numeric = DirectFunctionCall3(numeric_in, CStringGetDatum(text), ObjectIdGetDatum(InvalidOid),
								  Int32GetDatum(-1));
	PgBsonDecimalFromNumericRounded(DatumGetNumeric(numeric), decimal);
	return PgBsonMakeDecimal(decimal);
}

PgBsonValue
PgBsonConvertStringToNumber(const char *s, uint32 len, PgBsonType type)
{
	char		some[512];
	char	   *text = some;
	uint32		sign = len > 0 && (s[0] == '-' || s[0] == '+') ? 1 : 0;
	uint32		zeroes = 0;
	int64		n;

	if (type == PGBSON_INT32 || type == PGBSON_INT64)
		return string_to_integer(s, len, &n) ? PgBsonConvertInteger(type, n) : PgBsonMissing;
	/* leading zeroes do not count as digits */
	while (sign + zeroes + 1 < len && s[sign + zeroes] == '0' && isdigit((unsigned char) s[sign + zeroes + 1]))
	{
		if (++zeroes % 0x400000 == 0)
			CHECK_FOR_INTERRUPTS();
	}
	len -= zeroes;
	if (len == 0 || (type == PGBSON_DECIMAL128 && len >= sizeof(some)))
		return PgBsonMissing;
	if (len >= sizeof(some))
		text = palloc_extended(len + 1, MCXT_ALLOC_HUGE);
	memcpy(text, s, sign);
	memcpy(text + sign, s + sign + zeroes, len - sign);
	text[len] = '\0';
	for (uint32 i = 0; i < len; i++)
	{
		if (i % 0x400000 == 0)
			CHECK_FOR_INTERRUPTS();
		if (isspace((unsigned char) text[i]) || text[i] == '\0')
			return PgBsonMissing;
	}
	return type == PGBSON_DOUBLE ? string_to_double(text) : string_to_decimal(text);
}
