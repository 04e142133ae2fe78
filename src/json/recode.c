/*
 * recode.c
 *	  BSON's UTF-8 as text of a server whose encoding is another.
 */
#include "json/recode.h"

#include "catalog/namespace.h"
#include "core/view.h"

/* One direction; true if all of it converted, with a terminator in "to" */
static bool
convert(int from_encoding, int to_encoding, const char *from, int len,
		char *to, int room)
{
	Oid			proc = FindDefaultConversionProc(from_encoding, to_encoding);

	if (!OidIsValid(proc))
		return false;
	return pg_do_encoding_conversion_buf(proc, from_encoding, to_encoding,
										 (unsigned char *) unconstify(char *, from), len,
										 (unsigned char *) to, room, true) == len;
}

int
PgBsonRecode(const char *s, int len, char *result)
{
	int			encoding = GetDatabaseEncoding();
	char		back[PGBSON_RECODE_ROOM * MAX_CONVERSION_GROWTH];
	int			result_len;

	Assert(len <= PGBSON_RECODE_RUN);
	if (!convert(PG_UTF8, encoding, s, len, result, PGBSON_RECODE_ROOM))
		return -1;
	result_len = strlen(result);

	/* some encodings map several characters to one */
	if (!convert(encoding, PG_UTF8, result, result_len, back, sizeof(back)) ||
		strlen(back) != len || memcmp(back, s, len) != 0)
		return -1;
	return result_len;
}

/* Is U+0000 among these bytes?  Most strings are too short to be worth memchr's set-up. */
static inline bool
holds_zero(const char *s, uint32 len)
{
	if (len > 64)
		return memchr(s, 0, len) != NULL;
	return PgBsonKeyLength((const uint8 *) s, (const uint8 *) s + len) != PGBSON_BAD_SIZE;
}

const char *
PgBsonToServerText(const char *s, uint32 *len)
{
	const char *result;

	if (holds_zero(s, *len))
		ereport(ERROR,
				(errcode(ERRCODE_UNTRANSLATABLE_CHARACTER),
				 errmsg("unsupported character in bson string"),
				 errdetail("\\u0000 cannot be converted to text.")));
	if (!PgBsonServerRecodes() || *len == 0)
		return s;
	result = (const char *) pg_do_encoding_conversion((unsigned char *) unconstify(char *, s),
													  *len, PG_UTF8, GetDatabaseEncoding());
	if (result != s)
		*len = strlen(result);
	return result;
}

const char *
PgBsonFromServerText(const char *s, uint32 *len)
{
	const char *result = pg_server_to_any(s, *len, PG_UTF8);

	if (result != s)
		*len = strlen(result);
	return result;
}
