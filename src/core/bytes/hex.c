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
