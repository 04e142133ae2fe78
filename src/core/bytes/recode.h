/*
 * recode.h
 *	  Strings of BSON, which are UTF-8, as text in the server's encoding, and back.
 */
#ifndef PGBSON_RECODE_H
#define PGBSON_RECODE_H

#include "postgres.h"

#include "mb/pg_wchar.h"

/* Does the server's encoding differ from UTF-8?  SQL_ASCII takes all bytes as they are. */
static inline bool
PgBsonServerRecodes(void)
{
	int			encoding = GetDatabaseEncoding();

	return encoding != PG_UTF8 && encoding != PG_SQL_ASCII;
}

/* The most bytes that PgBsonRecode converts, and the room that its result needs */
#define PGBSON_RECODE_RUN	256
#define PGBSON_RECODE_ROOM	(PGBSON_RECODE_RUN * MAX_CONVERSION_GROWTH + 1)

/*
 * Convert whole characters (len <= PGBSON_RECODE_RUN, no U+0000) into the server's encoding.  Returns
 * the length of "result", or -1 if that encoding does not have them, or would not convert back to the
 * same bytes.
 */
extern int	PgBsonRecode(const char *s, int len, char *result);

/*
 * A string as text in the server's encoding: the given bytes or, if they had to be converted, palloc'd
 * bytes with a terminator; *len is updated.  Raises 22P05 if there is U+0000 or a character that the
 * encoding does not have.
 */
extern const char *PgBsonToServerText(const char *s, uint32 *len);

/* A string as a text datum in the server's encoding, always palloc'd; the errors are those of PgBsonToServerText */
extern text *PgBsonToText(const char *s, uint32 len);

/* PgBsonToServerText that returns NULL instead of an error */
extern const char *PgBsonTryServerText(const char *s, uint32 *len);

/*
 * The name of a field for a message: in the server's encoding, palloc'd, shortened if it is long; "?"
 * if it cannot be converted
 */
extern const char *PgBsonNameInMessage(const char *name, uint32 len);

/*
 * Text in the server's encoding as UTF-8: the given bytes or, if they had to be converted, palloc'd
 * ones; *len is updated.  The text of a SQL_ASCII server must be UTF-8 already.
 */
extern const char *PgBsonFromServerText(const char *s, uint32 *len);

/* The same for a text datum that is not compressed: UTF-8 of *len bytes, without a terminator */
extern const char *PgBsonFromText(const text *t, uint32 *len);

#endif							/* PGBSON_RECODE_H */
