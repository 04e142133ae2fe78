/*
 * iso.c
 *	  Dates and times as ISO 8601 spells them.
 */
#include "json/iso.h"

#include "utils/datetime.h"

/* The number of exactly n digits at *s, which are passed over; false if others are among them */
static bool
digits(const char **s, int n, int *result)
{
	*result = 0;
	for (; n > 0; n--, (*s)++)
	{
		if (**s < '0' || **s > '9')
			return false;
		*result = *result * 10 + (**s - '0');
	}
	return true;
}

/* Read the character "c" and n digits after it; false if they are not there */
static bool
digits_after(const char **s, char c, int n, int *result)
{
	if (**s != c)
		return false;
	(*s)++;
	return digits(s, n, result);
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
	if (!digits(s, 2, &hour) || hour > 23)
		return false;
	if (**s == ':')
	{
		if (!digits_after(s, ':', 2, &minute))
			return false;
	}
	else if (**s != '\0' && !digits(s, 2, &minute))
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

	if (!digits(s, 2, &hour) || !digits_after(s, ':', 2, &minute))
		return false;
	if (**s == ':' && (!digits_after(s, ':', 2, &second) || (**s == '.' && !read_fraction(s, &us))))
		return false;
	iso->us = ((hour * 60 + minute) * 60 + second) * USECS_PER_SEC + us;
	return hour <= 23 && minute <= 59 && second <= 59;
}

bool
PgBsonReadIso(const char *str, uint32 len, PgBsonIso *iso)
{
	char		buf[64];
	const char *s = buf;
	int			year;
	int			month;
	int			day;

	if (len < 10 || len >= sizeof(buf))
		return false;
	memcpy(buf, str, len);
	buf[len] = '\0';
	memset(iso, 0, sizeof(*iso));
	if (!digits(&s, 4, &year) || !digits_after(&s, '-', 2, &month) || !digits_after(&s, '-', 2, &day) ||
		month < 1 || month > MONTHS_PER_YEAR || day < 1 || day > day_tab[isleap(year)][month - 1])
		return false;
	iso->day = date2j(year, month, day) - UNIX_EPOCH_JDATE;
	if (*s == 'T' || *s == ' ')
	{
		iso->separator = *s++;
		if (!read_time(&s, iso))
			return false;
		iso->has_offset = *s != '\0';
		if (iso->has_offset && !read_offset(&s, &iso->offset))
			return false;
	}
	/* a zero byte is no end */
	return s == buf + len;
}
