/*
 * hex.c
 *	  Bytes from hexadecimal digits.
 */
#include "core/bytes/hex.h"

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
	return len == 36 && s[8] == '-' && s[13] == '-' && s[18] == '-' && s[23] == '-' &&
		PgBsonDecodeHex(s, 4, result) && PgBsonDecodeHex(s + 9, 2, result + 4) && PgBsonDecodeHex(s + 14, 2, result + 6) &&
		PgBsonDecodeHex(s + 19, 2, result + 8) && PgBsonDecodeHex(s + 24, 6, result + 10);
}
