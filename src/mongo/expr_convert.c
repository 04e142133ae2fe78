/*
 * expr_convert.c
 *	  Expressions: conversions between types.
 */
#include "mongo/expr.h"

#include <math.h>

#include "common/base64.h"
#include "common/int.h"
#include "core/compare.h"
#include "core/decimal.h"
#include "core/decimal_math.h"
#include "core/number_text.h"
#include "core/objectid.h"
#include "core/value.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "mongo/expr_date.h"
#include "utils/builtins.h"

/* What a conversion is to give */
typedef struct Target
{
	PgBsonType	type;
	uint8		subtype;		/* of binary values */
	const char *format;			/* NULL: none was given */
	uint32		format_len;
	bool		big_endian;		/* numbers in binary values */
} Target;

/* Spelling */

/*
 * The fewest digits that read back.  No point without a fraction; an exponent
 * below -4 and from 16 on.
 */
static PgBsonValue
spell_double(double d)
{
	char		text[64];
	char		shorter[64];
	char	   *e;
	int			len;

	if (!isfinite(d))
		return isnan(d) ? PgBsonExprText("NaN", 3) : d < 0 ? PgBsonExprText("-Infinity", 9) : PgBsonExprText("Infinity", 8);
	len = PgBsonDoubleToText(d, text);
	if (len > 2 && strcmp(text + len - 2, ".0") == 0)
		text[len -= 2] = '\0';
	/* PostgreSQL does not spell a double by a decimal half-way to its neighbour, MongoDB does */
	for (int digits = 15; digits <= 16 && len >= 16; digits++)
	{
		snprintf(shorter, sizeof(shorter), "%.*g", digits, d);
		if (strlen(shorter) < len && strtod(shorter, NULL) == d)
		{
			len = snprintf(text, sizeof(text), "%s", shorter);
			break;
		}
	}
	/* PostgreSQL's exponents begin at 15 */
	e = strstr(text, "e+15");
	if (e != NULL && e[4] == '\0')
	{
		char	   *digits = text[0] == '-' ? text + 1 : text;
		int			count = e - digits - 1;

		/* 1.25e+15: the point goes behind the 16th digit */
		if (count > 0)
			memmove(digits + 1, digits + 2, count - 1);
		count = Max(count, 1);
		len = digits - text + snprintf(shorter, sizeof(shorter), "%.*s%.*s%s%.*s", Min(count, 16), digits,
									   16 - Min(count, 16), "000000000000000", count > 16 ? "." : "",
									   Max(count - 16, 0), digits + 16);
		strcpy(digits, shorter);
	}
	return PgBsonExprText(text, len);
}

/* False: the type has no spelling */
static bool
spell(const PgBsonValue *value, PgBsonValue *result)
{
	char		text[PGBSON_DECIMAL128_TEXT + 64];
	const char *s;
	uint32		len;

	switch (value->type)
	{
		case PGBSON_STRING:
			*result = *value;
			return true;
		case PGBSON_CODE:
		case PGBSON_SYMBOL:
			s = PgBsonValueString(value, &len);
			*result = PgBsonExprText(s, len);
			return true;
		case PGBSON_INT32:
			len = snprintf(text, sizeof(text), "%d", PgBsonReadI32(value->data));
			break;
		case PGBSON_INT64:
			len = snprintf(text, sizeof(text), INT64_FORMAT, PgBsonReadI64(value->data));
			break;
		case PGBSON_DOUBLE:
			*result = spell_double(PgBsonReadDouble(value->data));
			return true;
		case PGBSON_DECIMAL128:
			len = PgBsonDecimalToText(value->data, text);
			break;
		case PGBSON_DATE:
			return PgBsonExprSpellDate(PgBsonReadI64(value->data), result);
		default:
			return false;
	}
	*result = PgBsonExprText(text, len);
	return true;
}

/* As the string operators take a double: six digits */
static PgBsonValue
spell_short(double d)
{
	char		text[64];

	if (!isfinite(d))
		return isnan(d) ? PgBsonExprText("nan", 3) : d < 0 ? PgBsonExprText("-inf", 4) : PgBsonExprText("inf", 3);
	return PgBsonExprText(text, snprintf(text, sizeof(text), "%g", d));
}

PgBsonValue
PgBsonExprSpell(const PgBsonExpr *e, const PgBsonValue *value)
{
	PgBsonValue result;

	if (value->type == PGBSON_DOUBLE)
		return spell_short(PgBsonReadDouble(value->data));
	if (value->type == PGBSON_TIMESTAMP)
		return PgBsonExprSpellTimestamp(PgBsonReadU32(value->data + 4), PgBsonReadU32(value->data));
	if (!spell(value, &result))
	{
		if (value->type == PGBSON_DATE)
			PgBsonExprWrongValue(e, gettext_noop("The year is not from 0 to 9999."));
		PgBsonExprWrongType(e, value, gettext_noop("A string, a number, a date or a timestamp is expected."));
	}
	return result;
}

/* Numbers */

static PgBsonValue
new_number(PgBsonType type, int64 n)
{
	uint8		decimal[PGBSON_DECIMAL128_SIZE];
	uint8		bytes[8];
	const PgBsonValue integer = {PGBSON_INT64, 8, bytes};

	switch (type)
	{
		case PGBSON_INT32:
			return PgBsonExprInt32((int32) n);
		case PGBSON_INT64:
			return PgBsonExprInt64(n);
		case PGBSON_DOUBLE:
			return PgBsonExprDouble((double) n);
		default:
			PgBsonWriteU64(bytes, (uint64) n);
			PgBsonNumberToDecimal(&integer, decimal);
			return PgBsonExprDecimal(decimal);
	}
}

static bool
number_to_number(const PgBsonValue *value, PgBsonType type, PgBsonValue *result)
{
	uint8		decimal[PGBSON_DECIMAL128_SIZE];
	bool		exact;
	double		d;
	int64		n;

	if (value->type == type)
	{
		*result = *value;
		return true;
	}
	switch (type)
	{
		case PGBSON_DOUBLE:
			d = PgBsonNumberToDouble(value, &exact);
			if (isinf(d) && value->type == PGBSON_DECIMAL128)
			{
				PgBsonDecimal parts;

				PgBsonDecimalDecode(value->data, &parts);
				if (parts.kind == PGBSON_NUMBER_FINITE)
					return false;
			}
			*result = PgBsonExprDouble(d);
			return true;
		case PGBSON_DECIMAL128:
			PgBsonNumberToDecimal(value, decimal);
			*result = PgBsonExprDecimal(decimal);
			return true;
		default:
			if (!PgBsonNumberTruncate(value, &n) ||
				(type == PGBSON_INT32 && (n < PG_INT32_MIN || n > PG_INT32_MAX)))
				return false;
			*result = new_number(type, n);
			return true;
	}
}

/* An integer: a sign and digits, however many zeroes are before them */
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
		/* negative, as there is one more of them */
		if (digit < 0 || digit > 9 || pg_mul_s64_overflow(*n, 10, n) || pg_sub_s64_overflow(*n, digit, n))
			return false;
	}
	return minus || !pg_sub_s64_overflow(0, *n, n);
}

/* What strtod takes, but no space and no hexadecimal digits without a sign before them */
static bool
string_to_double(const char *text, PgBsonValue *result)
{
	char	   *end;
	double		d;

	if (strncmp(text, "0x", 2) == 0 || strchr(text, '(') != NULL)
		return false;
	errno = 0;
	d = strtod(text, &end);
	if (*end != '\0' || end == text || errno == ERANGE)
		return false;
	*result = PgBsonExprDouble(d);
	return true;
}

/* Decimal digits, with a sign, a point, an exponent; or infinity or NaN */
static bool
string_to_decimal(const char *text, PgBsonValue *result)
{
	uint32		len = strlen(text);
	uint8		decimal[PGBSON_DECIMAL128_SIZE];
	PgBsonDecimal parts;
	Datum		numeric;
	char	   *end;

	if (strpbrk(text, "xX(") != NULL)
		return false;
	if (PgBsonDecimalFromText(text, len, decimal))
	{
		PgBsonDecimalDecode(decimal, &parts);
		if (parts.kind == PGBSON_NUMBER_NAN && text[0] == '-')
			decimal[PGBSON_DECIMAL128_SIZE - 1] |= 0x80;
		*result = PgBsonExprDecimal(decimal);
		return true;
	}
	(void) strtod(text, &end);
	if (*end != '\0' || end == text || strspn(text, "0123456789+-.") != len)
		return false;
	numeric = DirectFunctionCall3(numeric_in, CStringGetDatum(text), ObjectIdGetDatum(InvalidOid),
								  Int32GetDatum(-1));
	PgBsonDecimalFromNumericRounded(DatumGetNumeric(numeric), decimal);
	*result = PgBsonExprDecimal(decimal);
	return true;
}

static bool
string_to_number(const char *s, uint32 len, PgBsonType type, PgBsonValue *result)
{
	char		some[512];
	char	   *text = some;
	uint32		sign = len > 0 && (s[0] == '-' || s[0] == '+') ? 1 : 0;
	uint32		zeroes = 0;
	int64		n;

	if (type == PGBSON_INT32 || type == PGBSON_INT64)
	{
		if (!string_to_integer(s, len, &n) || (type == PGBSON_INT32 && (n < PG_INT32_MIN || n > PG_INT32_MAX)))
			return false;
		*result = new_number(type, n);
		return true;
	}
	/* zeroes before another digit say nothing */
	while (sign + zeroes + 1 < len && s[sign + zeroes] == '0' && isdigit((unsigned char) s[sign + zeroes + 1]))
	{
		if (++zeroes % 0x400000 == 0)
			CHECK_FOR_INTERRUPTS();
	}
	len -= zeroes;
	if (len == 0 || (type == PGBSON_DECIMAL128 && len >= sizeof(some)))
		return false;
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
			return false;
	}
	return type == PGBSON_DOUBLE ? string_to_double(text, result) : string_to_decimal(text, result);
}

/* Text and bytes */

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

static bool
read_hex(const char *s, uint32 len, uint8 *bytes)
{
	for (uint32 i = 0; i + 1 < len; i += 2)
	{
		int			high = hex_digit(s[i]);
		int			low = hex_digit(s[i + 1]);

		if (high < 0 || low < 0)
			return false;
		bytes[i / 2] = high << 4 | low;
	}
	return len % 2 == 0;
}

static const char small_digits[] = "0123456789abcdef";
static const char capital_digits[] = "0123456789ABCDEF";

static void
write_hex(const uint8 *bytes, uint32 len, const char *digits, char *s)
{
	for (uint32 i = 0; i < len; i++)
	{
		s[2 * i] = digits[bytes[i] >> 4];
		s[2 * i + 1] = digits[bytes[i] & 15];
	}
}

static bool
format_is(const Target *target, const char *name)
{
	return target->format != NULL && PgBsonKeyIs(target->format, target->format_len, name);
}

static PgBsonValue
new_binary(uint8 subtype, const uint8 *bytes, uint32 len)
{
	uint8	   *data = palloc(len + 5);
	PgBsonValue value = {PGBSON_BINARY, len + 5, data};

	PgBsonWriteU32(data, len);
	data[4] = subtype;
	if (len > 0)
		memcpy(data + 5, bytes, len);
	return value;
}

/* 8-4-4-4-12 hexadecimal digits */
static bool
read_uuid(const char *s, uint32 len, uint8 *bytes)
{
	char		digits[32];
	uint32		n = 0;

	if (len != 36)
		return false;
	for (uint32 i = 0; i < len; i++)
	{
		if (i == 8 || i == 13 || i == 18 || i == 23)
		{
			if (s[i] != '-')
				return false;
		}
		else
			digits[n++] = s[i];
	}
	return read_hex(digits, 32, bytes);
}

static bool
string_to_binary(const char *s, uint32 len, const Target *target, PgBsonValue *result)
{
	bool		url = format_is(target, "base64url");
	uint8	   *bytes = palloc(len + 16);
	int			n;

	if (target->subtype == PGBSON_UUID_SUBTYPE && !format_is(target, "uuid"))
		return false;
	if (format_is(target, "uuid"))
	{
		if (target->subtype != PGBSON_UUID_SUBTYPE || !read_uuid(s, len, bytes))
			return false;
		*result = new_binary(target->subtype, bytes, PGBSON_UUID_SIZE);
		return true;
	}
	if (format_is(target, "utf8"))
	{
		*result = new_binary(target->subtype, (const uint8 *) s, len);
		return true;
	}
	if (format_is(target, "hex"))
	{
		if (!read_hex(s, len, bytes))
			return false;
		*result = new_binary(target->subtype, bytes, len / 2);
		return true;
	}
	if (url || format_is(target, "base64"))
	{
		char	   *copy = palloc(len + 4);
		uint32		copied = len;

		for (uint32 i = 0; i < len; i++)
		{
			copy[i] = s[i];
			if (url && (s[i] == '-' || s[i] == '_'))
				copy[i] = s[i] == '-' ? '+' : '/';
			else if (isspace((unsigned char) s[i]) || (url && (s[i] == '+' || s[i] == '/')))
				return false;
		}
		while (url && copied % 4 != 0)
			copy[copied++] = '=';
		n = pg_b64_decode((const void *) copy, copied, (void *) bytes, len + 16);
		if (n < 0 || copied % 4 != 0)
			return false;
		*result = new_binary(target->subtype, bytes, n);
		return true;
	}
	return false;
}

/* The bytes of a binary value as MongoDB counts them: of subtype 2 with the inner length */
static const uint8 *
all_bytes(const PgBsonValue *value, uint32 *len)
{
	*len = value->len - 5;
	return value->data + 5;
}

static bool
is_utf8(const char *s, uint32 len)
{
	const char *end = s + len;

	/* the server's check ends at U+0000, which is taken here */
	while (s < end)
	{
		const char *nul = memchr(s, '\0', end - s);
		int			piece = (nul == NULL ? end : nul) - s;

		CHECK_FOR_INTERRUPTS();
		if (!pg_verify_mbstr(PG_UTF8, s, piece, true))
			return false;
		s += piece + 1;
	}
	return true;
}

static bool
binary_to_string(const PgBsonValue *value, const Target *target, PgBsonValue *result)
{
	uint32		len;
	const uint8 *bytes = all_bytes(value, &len);
	bool		is_uuid = PgBsonValueUuid(value) != NULL;
	bool		url = format_is(target, "base64url");
	char	   *s;
	int			n;

	if (format_is(target, "uuid") || (format_is(target, "auto") && is_uuid))
	{
		char		digits[2 * PGBSON_UUID_SIZE];
		char		text[37];

		if (!is_uuid)
			return false;
		write_hex(bytes, len, small_digits, digits);
		n = snprintf(text, sizeof(text), "%.8s-%.4s-%.4s-%.4s-%.12s", digits, digits + 8, digits + 12,
					 digits + 16, digits + 20);
		*result = PgBsonExprText(text, n);
		return true;
	}
	if (format_is(target, "utf8"))
	{
		if (!is_utf8((const char *) bytes, len))
			return false;
		*result = PgBsonExprText((const char *) bytes, len);
		return true;
	}
	if (len > MaxAllocSize / 4)
		return false;
	s = palloc(2 * len + 16);
	if (format_is(target, "hex"))
	{
		write_hex(bytes, len, capital_digits, s);
		*result = PgBsonExprText(s, 2 * len);
		return true;
	}
	n = pg_b64_encode((const void *) bytes, len, (void *) s, 2 * len + 16);
	for (int i = 0; i < n && url; i++)
		s[i] = s[i] == '+' ? '-' : s[i] == '/' ? '_' : s[i];
	while (url && n > 0 && s[n - 1] == '=')
		n--;
	*result = PgBsonExprText(s, n);
	return true;
}

/* Numbers in binary values: as many bytes as the number has, at either end the most significant */

static uint64
read_bytes(const uint8 *bytes, uint32 len, bool big_endian)
{
	uint64		n = 0;

	for (uint32 i = 0; i < len; i++)
		n = n << 8 | bytes[big_endian ? i : len - 1 - i];
	return n;
}

static bool
binary_to_number(const PgBsonValue *value, const Target *target, PgBsonValue *result)
{
	uint32		len;
	const uint8 *bytes = all_bytes(value, &len);
	uint64		bits;
	uint32		low;
	float		f;

	if (len != 1 && len != 2 && len != 4 && len != 8)
		return false;
	bits = read_bytes(bytes, len, target->big_endian);
	if (target->type == PGBSON_DOUBLE && len == 4)
	{
		low = (uint32) bits;
		memcpy(&f, &low, sizeof(f));
		*result = PgBsonExprDouble(f);
		return true;
	}
	if (target->type == PGBSON_DOUBLE && len == 8)
	{
		double		d;

		memcpy(&d, &bits, sizeof(d));
		*result = PgBsonExprDouble(d);
		return true;
	}
	if ((target->type != PGBSON_INT32 || len == 8) && target->type != PGBSON_INT64)
		return false;
	*result = new_number(target->type, len == 1 ? (int8) bits : len == 2 ? (int16) bits :
						 len == 4 ? (int32) bits : (int64) bits);
	return true;
}

static PgBsonValue
number_to_binary(const PgBsonValue *value, const Target *target)
{
	uint8		bytes[8];

	/* a value has them from the least significant on */
	for (uint32 i = 0; i < value->len; i++)
		bytes[i] = value->data[target->big_endian ? value->len - 1 - i : i];
	return new_binary(target->subtype, bytes, value->len);
}

/* To each type */

static bool
string_from(const PgBsonValue *value, const Target *target, PgBsonValue *result)
{
	char		digits[2 * PGBSON_OBJECTID_SIZE];

	switch (value->type)
	{
		case PGBSON_BOOL:
			*result = value->data[0] ? PgBsonExprText("true", 4) : PgBsonExprText("false", 5);
			return true;
		case PGBSON_OBJECTID:
			write_hex(value->data, PGBSON_OBJECTID_SIZE, small_digits, digits);
			*result = PgBsonExprText(digits, sizeof(digits));
			return true;
		case PGBSON_BINARY:
			return binary_to_string(value, target, result);
		case PGBSON_CODE:
		case PGBSON_SYMBOL:
			return false;
		default:
			return spell(value, result);
	}
}

static bool
date_from(const PgBsonValue *value, PgBsonValue *result)
{
	const char *s;
	uint32		len;
	int64		ms;

	switch (value->type)
	{
		case PGBSON_DATE:
			*result = *value;
			return true;
		case PGBSON_TIMESTAMP:
			ms = (int64) PgBsonReadU32(value->data + 4) * 1000;
			break;
		case PGBSON_OBJECTID:
			ms = PgBsonExprObjectIdDate(value);
			break;
		case PGBSON_INT64:
		case PGBSON_DOUBLE:
		case PGBSON_DECIMAL128:
			if (!PgBsonNumberTruncate(value, &ms))
				return false;
			break;
		case PGBSON_STRING:
			s = PgBsonValueString(value, &len);
			if (!PgBsonExprReadDate(s, len, NULL, &ms))
				return false;
			break;
		default:
			return false;
	}
	*result = PgBsonExprDateOf(ms);
	return true;
}

static bool
number_from(const PgBsonValue *value, const Target *target, PgBsonValue *result)
{
	PgBsonType	type = target->type;
	const char *s;
	uint32		len;

	if (PgBsonIsNumber(value->type))
		return number_to_number(value, type, result);
	switch (value->type)
	{
		case PGBSON_BOOL:
			*result = new_number(type, value->data[0]);
			return true;
		case PGBSON_DATE:
			if (type == PGBSON_INT32)
				return false;
			*result = new_number(type, PgBsonReadI64(value->data));
			return true;
		case PGBSON_STRING:
			s = PgBsonValueString(value, &len);
			return string_to_number(s, len, type, result);
		case PGBSON_BINARY:
			return binary_to_number(value, target, result);
		default:
			return false;
	}
}

static bool
objectid_from(const PgBsonValue *value, PgBsonValue *result)
{
	const char *s;
	uint32		len;
	uint8		oid[PGBSON_OBJECTID_SIZE];

	if (value->type == PGBSON_OBJECTID)
	{
		*result = *value;
		return true;
	}
	if (value->type != PGBSON_STRING)
		return false;
	s = PgBsonValueString(value, &len);
	if (len != 2 * PGBSON_OBJECTID_SIZE || !read_hex(s, len, oid))
		return false;
	*result = PgBsonExprBytes(PGBSON_OBJECTID, oid, sizeof(oid));
	return true;
}

static bool
binary_from(const PgBsonValue *value, const Target *target, PgBsonValue *result)
{
	const char *s;
	uint32		len;

	if (value->type == PGBSON_STRING)
	{
		s = PgBsonValueString(value, &len);
		return string_to_binary(s, len, target, result);
	}
	if (PgBsonIsNumber(value->type) && value->type != PGBSON_DECIMAL128)
	{
		*result = number_to_binary(value, target);
		return true;
	}
	if (value->type != PGBSON_BINARY || value->data[4] != target->subtype)
		return false;
	*result = *value;
	return true;
}

static bool
convert(const PgBsonValue *value, const Target *target, PgBsonValue *result)
{
	switch (target->type)
	{
		case PGBSON_INT32:
		case PGBSON_INT64:
		case PGBSON_DOUBLE:
		case PGBSON_DECIMAL128:
			return number_from(value, target, result);
		case PGBSON_STRING:
			return string_from(value, target, result);
		case PGBSON_BOOL:
			*result = PgBsonExprBool(PgBsonExprIsTrue(value));
			return true;
		case PGBSON_DATE:
			return date_from(value, result);
		case PGBSON_OBJECTID:
			return objectid_from(value, result);
		case PGBSON_BINARY:
			return binary_from(value, target, result);
		default:
			return false;
	}
}

pg_noreturn static void
report_failure(const PgBsonExpr *e, const PgBsonValue *value, PgBsonType type)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("cannot convert bson %s to %s in operator \"%s\"", PgBsonExprTypeName(value),
					PgBsonTypeName(type), e->op->name),
			 errdetail("The types have no conversion, or this value has none.")));
}

/* $toInt and the like */
static PgBsonValue
eval_to(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonValue value = PgBsonExprArg(run, e, 0);
	Target		target = {e->op->code};
	PgBsonValue result;

	if (target.type == PGBSON_STRING)
	{
		target.format = "auto";
		target.format_len = 4;
	}
	if (target.type == PGBSON_BINARY)
	{
		target.subtype = PGBSON_UUID_SUBTYPE;
		target.format = "uuid";
		target.format_len = 4;
	}
	if (PgBsonIsNothing(&value))
		return PgBsonExprNull();
	if (!convert(&value, &target, &result))
		report_failure(e, &value, target.type);
	return result;
}

/* A type by its name or number; false: there is none of this name */
static bool
find_type(const PgBsonExpr *e, const PgBsonValue *value, PgBsonType *type)
{
	static const PgBsonType types[] = {
		PGBSON_DOUBLE, PGBSON_STRING, PGBSON_DOCUMENT, PGBSON_ARRAY, PGBSON_BINARY, PGBSON_UNDEFINED, PGBSON_OBJECTID,
		PGBSON_BOOL, PGBSON_DATE, PGBSON_NULL, PGBSON_REGEX, PGBSON_DBPOINTER, PGBSON_CODE, PGBSON_SYMBOL,
		PGBSON_CODE_W_SCOPE, PGBSON_INT32, PGBSON_TIMESTAMP, PGBSON_INT64, PGBSON_DECIMAL128, PGBSON_MAXKEY, PGBSON_MINKEY
	};
	const char *s;
	uint32		len = 0;
	int32		n = 0;

	if (value->type == PGBSON_STRING)
		s = PgBsonValueString(value, &len);
	else
	{
		s = NULL;
		n = PgBsonExprToInt32(e, value);
	}
	for (int i = 0; i < lengthof(types); i++)
	{
		*type = types[i];
		if (s != NULL ? PgBsonKeyIs(s, len, PgBsonTypeName(types[i])) :
			n == (types[i] == PGBSON_MINKEY ? -1 : (int32) types[i]))
			return true;
	}
	return false;
}

/* The argument "to": a type, or a document with it and the subtype of a binary value, which may be missing */
static PgBsonValue
read_target(const PgBsonExpr *e, const PgBsonValue *to, Target *target)
{
	PgBsonValue type = *to;
	PgBsonValue subtype = PgBsonExprMissing();
	PgBsonIter	iter;

	if (to->type == PGBSON_DOCUMENT)
	{
		type = PgBsonExprMissing();
		PgBsonIterInit(&iter, PgBsonValueView(to));
		while (PgBsonIterNext(&iter))
		{
			if (PgBsonIterIs(&iter, "type"))
				type = iter.value;
			else if (PgBsonIterIs(&iter, "subtype"))
				subtype = iter.value;
		}
	}
	if (!find_type(e, &type, &target->type))
		PgBsonExprWrongValue(e, gettext_noop("\"to\" must name a type."));
	return subtype;
}

static void
read_format(const PgBsonExpr *e, const PgBsonValue *format, Target *target)
{
	static const char *const formats[] = {"base64", "base64url", "utf8", "hex", "uuid", "auto"};

	target->format = PgBsonExprToString(e, format, &target->format_len);
	for (int i = 0; i < lengthof(formats); i++)
	{
		if (format_is(target, formats[i]))
			return;
	}
	PgBsonExprWrongValue(e, gettext_noop("\"format\" must be base64, base64url, utf8, hex, uuid or auto."));
}

static void
read_byte_order(const PgBsonExpr *e, const PgBsonValue *order, Target *target)
{
	uint32		len;
	const char *s = PgBsonExprToString(e, order, &len);

	target->big_endian = PgBsonKeyIs(s, len, "big");
	if (!target->big_endian && !PgBsonKeyIs(s, len, "little"))
		PgBsonExprWrongValue(e, gettext_noop("\"byteOrder\" must be big or little."));
}

/* What must be given for this conversion; onError is not for what is missing or wrong here */
static void
check_target(const PgBsonExpr *e, const PgBsonValue *value, const PgBsonValue *subtype, Target *target)
{
	int32		n;

	if (target->format == NULL &&
		((value->type == PGBSON_BINARY && target->type == PGBSON_STRING) ||
		 (value->type == PGBSON_STRING && target->type == PGBSON_BINARY)))
		PgBsonExprWrongValue(e, gettext_noop("A conversion between a string and binary data needs \"format\"."));
	if (target->type != PGBSON_BINARY || subtype->type == PGBSON_MISSING || value->type == PGBSON_DECIMAL128 ||
		(value->type != PGBSON_STRING && value->type != PGBSON_BINARY && !PgBsonIsNumber(value->type)))
		return;
	n = PgBsonExprToInt32(e, subtype);
	if (n < 0 || (n > 9 && n < 128) || n > 255)
		PgBsonExprWrongValue(e, gettext_noop("A subtype must be from 0 to 9 or from 128 to 255."));
	target->subtype = n;
}

/* The arguments: input, to, onError, onNull, format, byteOrder */
static PgBsonValue
eval_convert(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonValue value = PgBsonExprArg(run, e, 0);
	PgBsonValue to = PgBsonExprArg(run, e, 1);
	PgBsonValue format = PgBsonExprArg(run, e, 4);
	PgBsonValue order = PgBsonExprArg(run, e, 5);
	PgBsonValue subtype = PgBsonExprMissing();
	Target		target = {0};
	PgBsonValue result;

	check_stack_depth();
	if (!PgBsonIsNothing(&to))
		subtype = read_target(e, &to, &target);
	if (PgBsonIsNothing(&value))
		return e->args[3] != NULL ? PgBsonExprArg(run, e, 3) : PgBsonExprNull();
	if (PgBsonIsNothing(&to))
		return PgBsonExprNull();
	if (!PgBsonIsNothing(&format))
		read_format(e, &format, &target);
	if (!PgBsonIsNothing(&order))
		read_byte_order(e, &order, &target);
	check_target(e, &value, &subtype, &target);
	if (convert(&value, &target, &result))
		return result;
	if (e->args[2] == NULL)
		report_failure(e, &value, target.type);
	return PgBsonExprArg(run, e, 2);
}

static const PgBsonExprOp ops[] = {
	{"$convert", 0, 0, eval_convert, 0, "input! to! onError onNull format byteOrder"},
	{"$toInt", 1, 1, eval_to, PGBSON_INT32},
	{"$toLong", 1, 1, eval_to, PGBSON_INT64},
	{"$toDouble", 1, 1, eval_to, PGBSON_DOUBLE},
	{"$toDecimal", 1, 1, eval_to, PGBSON_DECIMAL128},
	{"$toString", 1, 1, eval_to, PGBSON_STRING},
	{"$toBool", 1, 1, eval_to, PGBSON_BOOL},
	{"$toDate", 1, 1, eval_to, PGBSON_DATE},
	{"$toObjectId", 1, 1, eval_to, PGBSON_OBJECTID},
	{"$toUUID", 1, 1, eval_to, PGBSON_BINARY}
};

const PgBsonExprTable PgBsonExprConvert = {ops, lengthof(ops)};
