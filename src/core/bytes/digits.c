/*
 * digits.c
 *	  What texts of digits spell: bytes, UUIDs, dates and times.
 */
#include "core/bytes/digits.h"

#include "utils/datetime.h"

/* --- hexadecimal digits --- */

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

bool
PgBsonDecodeHex(const char *s, int nbytes, uint8 *result)
{
	for (int i = 0; i < nbytes; i++)
	{
		int			high = hex_digit(s[2 * i]);
		int			low = hex_digit(s[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		result[i] = high << 4 | low;
	}
	return true;
}

bool
PgBsonDecodeUuid(const char *s, uint32 len, uint8 *result)
{
	char		digits[32];

	if (len != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-')
		return false;
	memcpy(digits, s, 8);
	memcpy(digits + 8, s + 9, 4);
	memcpy(digits + 12, s + 14, 4);
	memcpy(digits + 16, s + 19, 4);
	memcpy(digits + 20, s + 24, 12);
	return PgBsonDecodeHex(digits, 16, result);
}

/* --- dates and times as ISO 8601 spells them --- */

/* The number that two digits at *s make, which are passed over; false if others are there */
static inline bool
digits(const char **s, int *result)
{
	uint32		tens = (uint8) (*s)[0] - '0';
	uint32		ones = tens <= 9 ? (uint8) (*s)[1] - '0' : 0;

	*s += 2;
	*result = tens * 10 + ones;
	return tens <= 9 && ones <= 9;
}

/* Read the character "c" and two digits after it; false if they are not there */
static inline bool
digits_after(const char **s, char c, int *result)
{
	if (**s != c)
		return false;
	(*s)++;
	return digits(s, result);
}

/* The fraction of a second; all digits after the sixth must be zeros */
static bool
read_fraction(const char **s, int *us)
{
	int			place = USECS_PER_SEC / 10;

	*us = 0;
	(*s)++;
	if (**s < '0' || **s > '9')
		return false;
	for (; **s >= '0' && **s <= '9'; (*s)++)
	{
		if (place == 0 && **s != '0')
			return false;
		*us += place * (**s - '0');
		place /= 10;
	}
	return true;
}

static bool
read_offset(const char **s, int *minutes)
{
	int			sign = **s == '-' ? -1 : 1;
	int			hour;
	int			minute = 0;

	if (**s == 'Z')
	{
		(*s)++;
		*minutes = 0;
		return true;
	}
	if (**s != '+' && **s != '-')
		return false;
	(*s)++;
	if (!digits(s, &hour) || hour > 23)
		return false;
	if (**s == ':')
	{
		if (!digits_after(s, ':', &minute))
			return false;
	}
	else if (**s != '\0' && !digits(s, &minute))
		return false;
	*minutes = sign * (hour * 60 + minute);
	return minute <= 59;
}

static bool
read_time(const char **s, PgBsonIso *iso)
{
	int			hour;
	int			minute;
	int			second = 0;
	int			us = 0;

	if (!digits(s, &hour) || !digits_after(s, ':', &minute))
		return false;
	if (**s == ':' && (!digits_after(s, ':', &second) || (**s == '.' && !read_fraction(s, &us))))
		return false;
	iso->us = ((hour * 60 + minute) * 60 + second) * USECS_PER_SEC + us;
	return hour <= 23 && minute <= 59 && second <= 59;
}

bool
PgBsonReadIso(const char *str, uint32 len, PgBsonIso *iso)
{
	char		buf[64];
	const char *s = str;
	int			century;
	int			year;
	int			month;
	int			day;

	if (len < 10 || len >= sizeof(buf))
		return false;
	memset(iso, 0, sizeof(*iso));
	if (!digits(&s, &century) || !digits(&s, &year) || !digits_after(&s, '-', &month) || !digits_after(&s, '-', &day))
		return false;
	year += century * 100;
	if (month < 1 || month > MONTHS_PER_YEAR || day < 1 || day > day_tab[isleap(year)][month - 1])
		return false;
	iso->day = date2j(year, month, day) - UNIX_EPOCH_JDATE;
	if (len == 10)
		return true;
	len -= 10;
	s = memcpy(buf, s, len);
	buf[len] = '\0';
	if (*s == 'T' || *s == ' ')
	{
		iso->separator = *s++;
		if (!read_time(&s, iso))
			return false;
		iso->has_offset = *s != '\0';
		if (iso->has_offset && !read_offset(&s, &iso->offset))
			return false;
	}
	/* all of the text was read; a zero byte in it does not end it */
	return s == buf + len;
}
