/*
 * encode.c
 *	  The strings within Extended JSON wrappers, as the bytes they stand for.
 */
#include "json/extjson.h"

#include <math.h>

#include "common/base64.h"
#include "core/bytes/digits.h"
#include "core/number/number_text.h"
#include "datatype/timestamp.h"
#include "utils/float.h"

uint32
PgBsonEncodeObjectId(const char *str, uint32 len, uint8 *bytes)
{
	return len == 24 && PgBsonDecodeHex(str, 12, bytes) ? 12 : 0;
}

uint32
PgBsonEncodeUuid(const char *str, uint32 len, uint8 *bytes)
{
	bool		ok = len == 32 ? PgBsonDecodeHex(str, PGBSON_UUID_SIZE, bytes + 5)
		: PgBsonDecodeUuid(str, len, bytes + 5);

	PgBsonWriteU32(bytes, PGBSON_UUID_SIZE);
	bytes[4] = PGBSON_UUID_SUBTYPE;
	return ok ? 5 + PGBSON_UUID_SIZE : 0;
}

uint32
PgBsonEncodeInt32(const char *str, uint32 len, uint8 *bytes)
{
	int64		v;

	if (!PgBsonTextIsInt64(str, len, &v) || v < PG_INT32_MIN || v > PG_INT32_MAX)
		return 0;
	PgBsonWriteU32(bytes, (uint32) v);
	return 4;
}

uint32
PgBsonEncodeInt64(const char *str, uint32 len, uint8 *bytes)
{
	int64		v;

	if (!PgBsonTextIsInt64(str, len, &v))
		return 0;
	PgBsonWriteU64(bytes, (uint64) v);
	return 8;
}

/*
 * The nearest double.  $numberDouble asks for a double, so digits may be
 * rounded here, but a finite number must not become infinity, nor a number
 * other than zero become zero.
 */
static bool
parse_double(const char *s, double *result)
{
	bool		zero;

	if (strcmp(s, "NaN") == 0)
		*result = get_float8_nan();
	else if (strcmp(s, "Infinity") == 0)
		*result = get_float8_infinity();
	else if (strcmp(s, "-Infinity") == 0)
		*result = -get_float8_infinity();
	else if (PgBsonTextIsDecimal(s, strlen(s), &zero))
	{
		*result = strtod(s, NULL);
		return !isinf(*result) && (zero || *result != 0);
	}
	else
		return false;
	return true;
}

uint32
PgBsonEncodeDouble(const char *str, uint32 len, uint8 *bytes)
{
	char		buf[64];
	char	   *s = buf;
	double		v = 0;
	bool		ok;

	if (memchr(str, 0, len) != NULL)
		return 0;
	if (len < sizeof(buf))
	{
		memcpy(buf, str, len);
		buf[len] = '\0';
	}
	else
		s = pnstrdup(str, len);
	ok = parse_double(s, &v);
	if (s != buf)
		pfree(s);
	PgBsonWriteDouble(bytes, v);
	return ok ? 8 : 0;
}

uint32
PgBsonEncodeDecimal(const char *str, uint32 len, uint8 *bytes)
{
	return PgBsonDecimalFromText(str, len, bytes) ? PGBSON_DECIMAL128_SIZE : 0;
}

uint32
PgBsonEncodeDate(const char *str, uint32 len, uint8 *bytes)
{
	PgBsonIso	iso;
	int64		us;

	/* nothing is rounded; without an offset the instant is unknown; a day alone is midnight UTC, as in JavaScript */
	if (!PgBsonReadIso(str, len, &iso) || iso.separator != (iso.has_offset ? 'T' : 0) || iso.us % 1000 != 0)
		return 0;
	us = iso.day * USECS_PER_DAY + iso.us - iso.offset * USECS_PER_MINUTE;
	PgBsonWriteU64(bytes, (uint64) (us / 1000));
	return 8;
}

uint8 *
PgBsonDecodeBase64(const char *s, uint32 len, uint32 *result_len)
{
	char		last[5];
	uint8	   *result;
	int			n;

	if (len % 4 != 0)
		return NULL;
	result = palloc(len / 4 * 3 + 1);
	/* void *: the server's prototypes differ in signedness */
	n = pg_b64_decode(s, len, (void *) result, len / 4 * 3);
	if (n < 0)
		return NULL;
	/* the server's decoder accepts leftover bits in the last group; encoding that again shows whether there were any */
	if (len > 0 && (pg_b64_encode((const void *) (result + (len / 4 - 1) * 3), n - (len / 4 - 1) * 3, last,
								  sizeof(last)) != 4 ||
					memcmp(last, s + len - 4, 4) != 0))
		return NULL;
	*result_len = n;
	return result;
}
