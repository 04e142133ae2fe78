/*
 * print.h
 *	  BSON to Extended JSON text, in its several spellings.
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
 * Append the value's text in the server's encoding.  The lossless style
 * returns false, with some text appended, if no Extended JSON reads back to
 * these bytes; the caller then uses PgBsonPrintHex.  The other styles always
 * succeed.  "indent" is 0 for one line, else the number of spaces per level,
 * as in jsonb_pretty; wrappers such as {"$oid": "..."} stay on one line.
 */
extern bool PgBsonPrint(StringInfo out, const PgBsonValue *value, PgBsonStyle style, int indent);

/* \x and the hex digits of these bytes */
extern void PgBsonPrintHex(StringInfo out, const uint8 *data, uint32 len);

/* PgBsonPrint for a style that always succeeds, returning palloc'd text */
extern text *PgBsonPrintText(const PgBsonValue *value, PgBsonStyle style, int indent);

/*
 * The value as type json.  Every conversion from bson to json uses this
 * function, so all give the same text.  PgBsonToJsonb in jsonb/to_jsonb.h
 * follows the same rule: values that have no JSON syntax become relaxed
 * Extended JSON, and all finite numbers, including decimals, are plain
 * numbers.
 */
extern text *PgBsonToJson(const PgBsonValue *value);

#endif							/* PGBSON_PRINT_H */
