/*
 * spell.c
 *	  The text of scalars that JSON has no word for, without quotes.
 */
#include "json/spell.h"

#include "utils/builtins.h"

#define MS_PER_DAY	INT64CONST(86400000)

/*
 * Year, month and day of a day counted from 1970-01-01, proleptic Gregorian;
 * the year is astronomical (0 is 1 BC).  Years are counted from March, so
 * that the leap day is a year's last; 146097 days are 400 years.
 */
static void
civil_date(int64 day, int64 *year, uint32 *month, uint32 *mday)
{
	int64		era;
	uint32		day_of_era;
	uint32		year_of_era;
	uint32		day_of_year;
	uint32		march_month;

	day += 719468;				/* from 0000-03-01 */
	era = (day >= 0 ? day : day - 146096) / 146097;
	day_of_era = (uint32) (day - era * 146097);
	year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 -
				   day_of_era / 146096) / 365;
	day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
	/* months from March have 31, 30, 31, 30, 31 days, again and again: 153 in five */
	march_month = (5 * day_of_year + 2) / 153;
	*mday = day_of_year - (153 * march_month + 2) / 5 + 1;
	*month = march_month < 10 ? march_month + 3 : march_month - 9;
	*year = era * 400 + year_of_era + (*month <= 2 ? 1 : 0);
}

static inline char *
put_digits2(char *p, uint32 v)
{
	p[0] = '0' + v / 10;
	p[1] = '0' + v % 10;
	return p + 2;
}

int
PgBsonSpellDate(int64 ms, char *text)
{
	char	   *p = text;
	int64		day = ms / MS_PER_DAY;
	int64		rest = ms % MS_PER_DAY;
	int64		year;
	uint32		month;
	uint32		mday;
	uint32		of_day;
	bool		bc;

	if (rest < 0)
	{
		rest += MS_PER_DAY;
		day--;
	}
	of_day = (uint32) rest;
	civil_date(day, &year, &month, &mday);
	bc = year < 1;

	p = pg_ultostr_zeropad(p, (uint32) (bc ? 1 - year : year), 4);
	*p++ = '-';
	p = put_digits2(p, month);
	*p++ = '-';
	p = put_digits2(p, mday);
	*p++ = 'T';
	p = put_digits2(p, of_day / 3600000);
	*p++ = ':';
	p = put_digits2(p, of_day / 60000 % 60);
	*p++ = ':';
	p = put_digits2(p, of_day / 1000 % 60);
	if (of_day % 1000 != 0)
	{
		*p++ = '.';
		*p++ = '0' + of_day / 100 % 10;
		p = put_digits2(p, of_day % 100);
	}
	*p++ = 'Z';
	if (bc)
	{
		memcpy(p, " BC", 3);
		p += 3;
	}
	return p - text;
}

int
PgBsonSpellHex(const uint8 *data, uint32 len, char *text)
{
	return (int) hex_encode((const char *) data, len, text);
}

int
PgBsonSpellUuid(const uint8 *data, char *text)
{
	static const int group[] = {4, 2, 2, 2, 6};
	char	   *p = text;

	for (int i = 0; i < lengthof(group); i++)
	{
		if (i > 0)
			*p++ = '-';
		p += PgBsonSpellHex(data, group[i], p);
		data += group[i];
	}
	return p - text;
}
