/*
 * pending.c
 *	  Weak stand-ins for what other files will define; removed when they do.
 */
#include "core/number.h"
#include "core/value.h"
#include "json/print.h"

#include <bson/bson.h>

#include "common/shortest_dec.h"

extern bool PgBsonExtJsonClaims(PgBsonView doc);

__attribute__((weak)) bool
PgBsonExtJsonClaims(PgBsonView doc)
{
	return true;
}

__attribute__((weak)) int
PgBsonDoubleToText(double d, char *text)
{
	int			len = double_to_shortest_decimal_buf(d, text);

	if (strspn(text, "-0123456789") == (size_t) len)
	{
		strcpy(text + len, ".0");
		len += 2;
	}
	return len;
}

__attribute__((weak)) int
PgBsonDecimalToText(const uint8 *decimal, char *text)
{
	bson_decimal128_t d;

	d.low = PgBsonReadU64(decimal);
	d.high = PgBsonReadU64(decimal + 8);
	bson_decimal128_to_string(&d, text);
	return strlen(text);
}

__attribute__((weak)) bool
PgBsonDecimalFromText(const char *text, uint32 len, uint8 *result)
{
	bson_decimal128_t d;

	if (!bson_decimal128_from_string_w_len(text, len, &d))
		return false;
	PgBsonWriteU64(result, d.low);
	PgBsonWriteU64(result + 8, d.high);
	return true;
}

__attribute__((weak)) bool
PgBsonDateToTimestamp(int64 ms, TimestampTz *result)
{
	*result = (ms - INT64CONST(946684800000)) * 1000;
	return ms > INT64CONST(-210866803200000) && ms < INT64CONST(9224318016000000);
}
