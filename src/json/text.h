/*
 * text.h
 *	  A value as plain text, for ->> and similar operators.
 */
#ifndef PGBSON_TEXT_H
#define PGBSON_TEXT_H

#include "core/bytes/view.h"

/* The text of ->>: palloc'd text in the server's encoding, NULL for null and undefined */
extern text *PgBsonValueToText(const PgBsonValue *value);

/*
 * The same of a scalar, without a header or a copy where that is possible: "buf" has
 * room for PGBSON_SPELL_SIZE.  NULL for null and undefined, and for what has to be printed.
 */
extern const char *PgBsonValueSpelling(const PgBsonValue *value, char *buf, uint32 *len);

/*
 * spell.c: the text of dates, UUIDs and bytes, without quotes.  Each function writes into a buffer, without a
 * terminator, and returns the length.
 */

/* enough bytes for any of these */
#define PGBSON_SPELL_SIZE	48

/* Milliseconds of the first and last date that Extended JSON spells in ISO 8601: years 1970 to 9999 */
#define PGBSON_ISO_DATE_MIN	INT64CONST(0)
#define PGBSON_ISO_DATE_MAX	INT64CONST(253402300799999)

static inline bool
PgBsonDateHasIso(int64 ms)
{
	return ms >= PGBSON_ISO_DATE_MIN && ms <= PGBSON_ISO_DATE_MAX;
}

/*
 * ISO 8601 in UTC, 2022-03-03T12:13:14.789Z; the fraction only if there is
 * one.  A year before 1 is spelled with " BC" at the end, as timestamptz's
 * input requires.  The date must be one that timestamptz can hold.
 */
extern int	PgBsonSpellDate(int64 ms, char *text);

/* Two lower-case digits for each byte */
extern int	PgBsonSpellHex(const uint8 *data, uint32 len, char *text);

/* 8-4-4-4-12, of 16 bytes */
extern int	PgBsonSpellUuid(const uint8 *data, char *text);

#endif							/* PGBSON_TEXT_H */
