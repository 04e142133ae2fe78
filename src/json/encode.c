/*
 * encode.c
 *	  The strings within Extended JSON wrappers, as the bytes they stand for.
 */
#include "json/encode.h"

#include <math.h>

#include "common/base64.h"
#include "core/bytes/hex.h"
#include "core/number/number.h"
#include "core/number/number_text.h"
#include "utils/datetime.h"
#include "utils/float.h"

static bool
decimal_digits(const char *s, int n, int *result)
{
	*result = 0;
	for (int i = 0; i < n; i++)
	{
		if (s[i] < '0' || s[i] > '9')
			return false;
		*result = *result * 10 + (s[i] - '0');
	}
	return true;
}

uint32
PgBsonEncodeObjectId(const char *str, uint32 len, uint8 *bytes)
{
	return len == 24 && PgBsonDecodeHex(str, 12, bytes) ? 12 : 0;
}

uint32
PgBsonEncodeUuid(const char *str, uint32 len, uint8 *bytes)
{
	char		digits[32];

	if (len == 32)
		memcpy(digits, str, 32);
	else if (len == 36 && str[8] == '-' && str[13] == '-' && str[18] == '-' && str[23] == '-')
	{
		memcpy(digits, str, 8);
		memcpy(digits + 8, str + 9, 4);
		memcpy(digits + 12, str + 14, 4);
		memcpy(digits + 16, str + 19, 4);
		memcpy(digits + 20, str + 24, 12);
	}
	else
		return 0;
	PgBsonWriteU32(bytes, PGBSON_UUID_SIZE);
	bytes[4] = PGBSON_UUID_SUBTYPE;
	return PgBsonDecodeHex(digits, PGBSON_UUID_SIZE, bytes + 5) ? 5 + PGBSON_UUID_SIZE : 0;
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

/* Digits with an optional sign, point and exponent; at least one digit before the exponent */
static bool
is_decimal_number(const char *s)
{
	int			digits = 0;

	if (*s == '-' || *s == '+')
		s++;
	for (; *s >= '0' && *s <= '9'; s++)
		digits++;
	if (*s == '.')
	{
		for (s++; *s >= '0' && *s <= '9'; s++)
			digits++;
	}
	if (digits == 0)
		return false;
	if (*s == 'e' || *s == 'E')
	{
		s++;
		if (*s == '-' || *s == '+')
			s++;
		if (*s < '0' || *s > '9')
			return false;
		while (*s >= '0' && *s <= '9')
			s++;
	}
	return *s == '\0';
}

/*
 * The nearest double.  $numberDouble asks for a double, so digits may be
 * rounded here, but a finite number must not become infinity, nor a number
 * other than zero become zero.
 */
static bool
parse_double(const char *s, double *result)
{
	if (strcmp(s, "NaN") == 0)
		*result = get_float8_nan();
	else if (strcmp(s, "Infinity") == 0)
		*result = get_float8_infinity();
	else if (strcmp(s, "-Infinity") == 0)
		*result = -get_float8_infinity();
	else if (is_decimal_number(s))
	{
		bool		zero = strchr("eE", s[strcspn(s, "123456789eE")]) != NULL;

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
	uint64		bits;
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
	memcpy(&bits, &v, sizeof(bits));
	PgBsonWriteU64(bytes, bits);
	return ok ? 8 : 0;
}

uint32
PgBsonEncodeDecimal(const char *str, uint32 len, uint8 *bytes)
{
	return PgBsonDecimalFromText(str, len, bytes) ? PGBSON_DECIMAL128_SIZE : 0;
}

/* Days from 1970-01-01 to a date of the Gregorian calendar; false if there is no such date */
static bool
date_to_days(int year, int month, int day, int *days)
{
	if (month < 1 || month > MONTHS_PER_YEAR || day < 1 || day > day_tab[isleap(year)][month - 1])
		return false;
	*days = date2j(year, month, day) - UNIX_EPOCH_JDATE;
	return true;
}

/* The fraction of a second, in milliseconds. Nothing is rounded, so all digits after the third must be zeros */
static bool
parse_fraction(const char **s, int *ms)
{
	int			place = 100;

	*ms = 0;
	if (**s != '.')
		return true;
	(*s)++;
	if (**s < '0' || **s > '9')
		return false;
	for (; **s >= '0' && **s <= '9'; (*s)++)
	{
		if (place == 0 && **s != '0')
			return false;
		*ms += place * (**s - '0');
		place /= 10;
	}
	return true;
}

/* The offset, Z, +hh, +hhmm or +hh:mm, which must end the string; in minutes */
static bool
parse_offset(const char *s, int *minutes)
{
	int			sign = *s == '-' ? -1 : 1;
	int			hour;
	int			minute = 0;

	*minutes = 0;
	if (strcmp(s, "Z") == 0)
		return true;
	if (*s != '+' && *s != '-')
		return false;
	s++;
	if (strlen(s) < 2 || !decimal_digits(s, 2, &hour))
		return false;
	s += 2;
	if (*s == ':')
		s++;
	else if (*s == '\0')
		s = "00";
	if (strlen(s) != 2 || !decimal_digits(s, 2, &minute) || hour > 23 || minute > 59)
		return false;
	*minutes = sign * (hour * 60 + minute);
	return true;
}

/*
 * yyyy-mm-ddThh:mm[:ss[.fff]] with an offset, which is required because the
 * instant is unknown without it; or yyyy-mm-dd, which means midnight UTC, as
 * in JavaScript.
 */
static bool
parse_iso_date(const char *s, int64 *result)
{
	int			year;
	int			month;
	int			day;
	int			days;
	int			hour = 0;
	int			minute = 0;
	int			second = 0;
	int			ms = 0;
	int			offset = 0;

	if (strlen(s) < 10 || s[4] != '-' || s[7] != '-' ||
		!decimal_digits(s, 4, &year) || !decimal_digits(s + 5, 2, &month) ||
		!decimal_digits(s + 8, 2, &day) || !date_to_days(year, month, day, &days))
		return false;
	s += 10;
	if (*s != '\0')
	{
		if (strlen(s) < 6 || s[0] != 'T' || s[3] != ':' ||
			!decimal_digits(s + 1, 2, &hour) || !decimal_digits(s + 4, 2, &minute))
			return false;
		s += 6;
		if (*s == ':')
		{
			if (strlen(s) < 3 || !decimal_digits(s + 1, 2, &second))
				return false;
			s += 3;
			if (!parse_fraction(&s, &ms))
				return false;
		}
		if (hour > 23 || minute > 59 || second > 59 || !parse_offset(s, &offset))
			return false;
	}
	*result = (((int64) days * 24 + hour) * 60 + minute - offset) * 60000 + second * 1000 + ms;
	return true;
}

uint32
PgBsonEncodeDate(const char *str, uint32 len, uint8 *bytes)
{
	char		buf[64];
	int64		ms;

	if (len >= sizeof(buf) || memchr(str, 0, len) != NULL)
		return 0;
	memcpy(buf, str, len);
	buf[len] = '\0';
	if (!parse_iso_date(buf, &ms))
		return 0;
	PgBsonWriteU64(bytes, (uint64) ms);
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
	/* the server's decoder accepts leftover bits in the last group, which then is not what it would be spelled as */
	if (len > 0 && (pg_b64_encode((const void *) (result + (len / 4 - 1) * 3), n - (len / 4 - 1) * 3, last, sizeof(last)) != 4 ||
					memcmp(last, s + len - 4, 4) != 0))
		return NULL;
	*result_len = n;
	return result;
}
