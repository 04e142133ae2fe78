/*
 * recode.c
 *	  Strings of BSON, which are UTF-8, as text in the server's encoding, and back.
 */
#include "core/bytes/recode.h"

#include "catalog/namespace.h"
#include "core/bytes/view.h"
#include "utils/builtins.h"

/*
 * Convert from one encoding to another, into "to", with a zero byte at the end; false if some of the
 * text could not be converted
 */
static bool
convert_encoding(int from_encoding, int to_encoding, const char *from, int len,
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
	if (!convert_encoding(PG_UTF8, encoding, s, len, result, PGBSON_RECODE_ROOM))
		return -1;
	result_len = strlen(result);

	/* some encodings map several characters to one */
	if (!convert_encoding(encoding, PG_UTF8, result, result_len, back, sizeof(back)) ||
		strlen(back) != len || memcmp(back, s, len) != 0)
		return -1;
	return result_len;
}

static inline void
refuse_zero(const char *s, uint32 len)
{
	if (memchr(s, 0, len) != NULL)
		PgBsonReport(ERRCODE_UNTRANSLATABLE_CHARACTER, errmsg("unsupported character in bson string"),
					 errdetail("\\u0000 cannot be converted to text."));
}

const char *
PgBsonToServerText(const char *s, uint32 *len)
{
	const char *result;

	refuse_zero(s, *len);
	if (!PgBsonServerRecodes() || *len == 0)
		return s;
	result = (const char *) pg_do_encoding_conversion((unsigned char *) unconstify(char *, s),
													  *len, PG_UTF8, GetDatabaseEncoding());
	if (result != s)
		*len = strlen(result);
	return result;
}

static pg_noinline text *
recoded_text(const char *s, uint32 len)
{
	s = PgBsonToServerText(s, &len);
	return cstring_to_text_with_len(s, len);
}

text *
PgBsonToText(const char *s, uint32 len)
{
	if (PgBsonServerRecodes())
		return recoded_text(s, len);
	refuse_zero(s, len);
	return cstring_to_text_with_len(s, len);
}

const char *
PgBsonTryServerText(const char *s, uint32 *len)
{
	int			encoding = GetDatabaseEncoding();
	StringInfoData converted;
	uint32		done = 0;
	Oid			proc;

	if (memchr(s, 0, *len) != NULL)
		return NULL;
	if (!PgBsonServerRecodes() || *len == 0)
		return s;
	proc = FindDefaultConversionProc(PG_UTF8, encoding);
	if (!OidIsValid(proc))
		return NULL;

	/* convert piece by piece; a character that does not fit into a piece begins the next one */
	initStringInfo(&converted);
	while (done < *len)
	{
		int			n;

		CHECK_FOR_INTERRUPTS();
		enlargeStringInfo(&converted, PGBSON_RECODE_ROOM);
		n = pg_do_encoding_conversion_buf(proc, PG_UTF8, encoding,
										  (unsigned char *) unconstify(char *, s) + done,
										  Min(*len - done, PGBSON_RECODE_RUN),
										  (unsigned char *) converted.data + converted.len,
										  PGBSON_RECODE_ROOM, true);
		if (n == 0)
		{
			pfree(converted.data);
			return NULL;
		}
		done += n;
		converted.len += strlen(converted.data + converted.len);
	}
	*len = converted.len;
	return converted.data;
}

const char *
PgBsonNameInMessage(const char *name, uint32 len)
{
	const uint32 longest = 200;
	bool		cut = len > longest;
	const char *text;

	if (cut)
	{
		/* do not cut within a character */
		for (len = longest; len > 0 && ((uint8) name[len] & 0xC0) == 0x80;)
			len--;
	}
	text = PgBsonTryServerText(name, &len);
	return text == NULL ? "?" : psprintf(cut ? "%.*s..." : "%.*s", (int) len, text);
}

const char *
PgBsonFromServerText(const char *s, uint32 *len)
{
	const char *result = pg_server_to_any(s, *len, PG_UTF8);

	if (result != s)
		*len = strlen(result);
	return result;
}

const char *
PgBsonFromText(const text *t, uint32 *len)
{
	*len = VARSIZE_ANY_EXHDR(t);
	return PgBsonFromServerText(VARDATA_ANY(t), len);
}
