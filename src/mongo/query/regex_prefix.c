/*
 * regex_prefix.c
 *	  The strings that an anchored regular expression can match: those that begin with its first characters.
 *
 * MongoDB's simpleRegex (src/mongo/db/query/index_bounds_builder.cpp) does the same.  What it says is never too
 * narrow: an expression with an alternative, or with an option by which ^ or a character could mean more, has no
 * prefix.
 */
#include "mongo/query/match.h"

#include "core/write/from_value.h"
#include "mb/pg_wchar.h"

/* Begin the last character of these bytes of UTF-8 */
static uint32
last_character(const char *s, uint32 len)
{
	do
		len--;
	while (len > 0 && ((uint8) s[len] & 0xC0) == 0x80);
	return len;
}

bool
PgBsonRegexPrefix(const PgBsonValue *regex, PgBsonValue *prefix)
{
	const char *pattern = (const char *) regex->data;
	const char *options = pattern + strlen(pattern) + 1;
	char	   *literal = palloc(strlen(pattern) + 1);
	uint32		len = 0;
	const char *s;

	/* s, by which a dot is any character, and u change nothing here */
	if (pattern[0] != '^' || strchr(pattern, '|') != NULL || options[strspn(options, "su")] != '\0')
		return false;
	for (s = pattern + 1; *s != '\0' && strchr("^$.[()*+?{", *s) == NULL; s++)
	{
		/* before punctuation a backslash says that it is a character like others */
		if (*s == '\\' && (!ispunct((unsigned char) *++s) || IS_HIGHBIT_SET(*s)))
			break;
		literal[len++] = *s;
	}
	/* the last one need not be there */
	if (len > 0 && *s != '\0' && strchr("*?{", *s) != NULL)
		len = last_character(literal, len);
	*prefix = PgBsonMakeString(literal, len);
	return len > 0;
}

bool
PgBsonPrefixEnd(const PgBsonValue *prefix, PgBsonValue *end)
{
	uint32		len;
	const char *s = PgBsonValueString(prefix, &len);
	char	   *next = palloc(len + MAX_MULTIBYTE_CHAR_LEN);

	while (len > 0)
	{
		uint32		start = last_character(s, len);
		pg_wchar	character = utf8_to_unicode((const unsigned char *) s + start);

		if (character < 0x10FFFF)
		{
			memcpy(next, s, start);
			/* what lies between these is no character */
			unicode_to_utf8(character == 0xD7FF ? 0xE000 : character + 1, (unsigned char *) next + start);
			*end = PgBsonMakeString(next, start + pg_utf_mblen((unsigned char *) next + start));
			return true;
		}
		len = start;
	}
	return false;
}
