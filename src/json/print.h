/*
 * print.h
 *	  BSON to text: Extended JSON in its several spellings, and the text of ->> and similar operators.
 */
#ifndef PGBSON_PRINT_H
#define PGBSON_PRINT_H

#include "core/bytes/view.h"

typedef enum PgBsonStyle
{
	PGBSON_LOSSLESS,			/* shortest spelling that reads back to the identical bytes (bson_out) */
	PGBSON_READABLE,			/* that spelling, even where it does not read back to the same bytes */
	PGBSON_RELAXED,				/* Extended JSON v2, relaxed: integers and doubles plain, whatever their width */
	PGBSON_JSON,				/* relaxed, with finite decimals plain, too, as in jsonb */
	PGBSON_CANONICAL			/* Extended JSON v2, canonical */
} PgBsonStyle;

/*
 * Append the value's text in the server's encoding.  The lossless style returns false, with some text appended, if no
 * Extended JSON reads back to these bytes; the caller then uses PgBsonPrintHex.  The other styles always succeed.
 * "indent" is 0 for one line, else the number of spaces per level, as in jsonb_pretty; wrappers such as {"$oid": "..."}
 * stay on one line.
 */
extern bool PgBsonPrint(StringInfo out, const PgBsonValue *value, PgBsonStyle style, int indent);

/* \x and the hex digits of these bytes */
extern void PgBsonPrintHex(StringInfo out, const uint8 *data, uint32 len);

/* PgBsonPrint for a style that always succeeds, returning palloc'd text */
extern text *PgBsonPrintText(const PgBsonValue *value, PgBsonStyle style, int indent);

/*
 * The value as type json.  Every conversion from bson to json uses this function, so all give the same text.
 * PgBsonToJsonb in jsonb/to_jsonb.h follows the same rule: values that have no JSON syntax become relaxed Extended
 * JSON, and all finite numbers, including decimals, are plain numbers.
 */
extern text *PgBsonToJson(const PgBsonValue *value);

/* --- text.c --- */

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
 * ISO 8601 in UTC, 2022-03-03T12:13:14.789Z; the fraction only if there is one.  A year before 1 is spelled with " BC"
 * at the end, as timestamptz's input requires.  The date must be one that timestamptz can hold.
 */
extern int	PgBsonSpellDate(int64 ms, char *text);

/* Two lower-case digits for each byte */
extern int	PgBsonSpellHex(const uint8 *data, uint32 len, char *text);

/* 8-4-4-4-12, of 16 bytes */
extern int	PgBsonSpellUuid(const uint8 *data, char *text);

#endif							/* PGBSON_PRINT_H */
