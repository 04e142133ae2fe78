/*
 * json_number.c
 *	  Which BSON number a number of JSON is.
 */
#include "json/json_number.h"

#include <math.h>

#include "core/number/number_text.h"
#include "json/extjson.h"

bool
PgBsonJsonNumberIsInteger(const char *text, uint32 len)
{
	for (uint32 i = 0; i < len; i++)
	{
		if (text[i] == '.' || text[i] == 'e' || text[i] == 'E')
			return false;
	}
	return true;
}

/* The double nearest to a number's text; false if that is beyond all of them */
static bool
nearest_double_of_text(const char *text, uint32 len, double *d)
{
	char	   *copy;

	if (PgBsonTextIsDouble(text, len, d))
		return true;
	copy = pnstrdup(text, len);
	*d = strtod(copy, NULL);
	pfree(copy);
	return !isinf(*d);
}

PgBsonType
PgBsonJsonNumber(const char *text, uint32 len, PgBsonNumbers numbers, uint8 *bytes, uint32 *size)
{
	int64		i;
	double		d;

	if (PgBsonTextIsInt64(text, len, &i))
	{
		if (i == 0 && *text == '-')
		{
			PgBsonWriteDouble(bytes, -0.0);
			*size = 8;
			return PGBSON_DOUBLE;
		}
		if (i >= PG_INT32_MIN && i <= PG_INT32_MAX)
		{
			PgBsonWriteU32(bytes, (uint32) i);
			*size = 4;
			return PGBSON_INT32;
		}
		PgBsonWriteU64(bytes, (uint64) i);
		*size = 8;
		return PGBSON_INT64;
	}
	if (numbers == PGBSON_NUMBERS_MONGODB ? nearest_double_of_text(text, len, &d) :
		!PgBsonJsonNumberIsInteger(text, len) && PgBsonTextIsDouble(text, len, &d))
	{
		PgBsonWriteDouble(bytes, d);
		*size = 8;
		return PGBSON_DOUBLE;
	}
	if (numbers == PGBSON_NUMBERS_EXACT && PgBsonDecimalFromText(text, len, bytes))
	{
		*size = PGBSON_DECIMAL128_SIZE;
		return PGBSON_DECIMAL128;
	}
	return PGBSON_EOD;
}

int
PgBsonJsonNumberError(const char *text, uint32 len, PgBsonNumbers numbers)
{
	errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE);
	errmsg("number \"%s\" is out of range for type %s", PgBsonExcerpt(text, len), "bson");
	if (numbers == PGBSON_NUMBERS_MONGODB)
		errdetail("By MongoDB's rule a number that is no 64-bit integer is a double, and this one is beyond a double's range.");
	else
		errdetail("Beyond a 64-bit integer or a double it must be exactly a decimal128, which has 34 digits.");
	return 0;
}
