/*
 * spell.c
 *	  The text of dates, UUIDs and bytes, without quotes.
 */
#include "json/print.h"

#include "core/bytes/value.h"
#include "utils/builtins.h"
#include "utils/datetime.h"

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
	int64		day = ms / PGBSON_MS_PER_DAY;
	int64		rest = ms % PGBSON_MS_PER_DAY;
	int			year;
	int			month;
	int			mday;
	uint32		of_day;
	bool		bc;

	if (rest < 0)
	{
		rest += PGBSON_MS_PER_DAY;
		day--;
	}
	of_day = (uint32) rest;
	j2date((int) day + UNIX_EPOCH_JDATE, &year, &month, &mday);
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
