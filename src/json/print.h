/*
 * print.h
 *	  BSON to text: Extended JSON in its several spellings, and plain text.
 */
#ifndef PGBSON_PRINT_H
#define PGBSON_PRINT_H

#include "core/view.h"
#include "lib/stringinfo.h"

typedef enum PgBsonStyle
{
	PGBSON_LOSSLESS,			/* shortest spelling that reads back to the identical bytes (bson_out) */
	PGBSON_READABLE,			/* that spelling, even where it does not read back */
	PGBSON_RELAXED,				/* Extended JSON v2, relaxed: integers and doubles plain, whatever their width */
	PGBSON_JSON,				/* relaxed, and finite decimals plain too: as jsonb has them */
	PGBSON_CANONICAL			/* Extended JSON v2, canonical */
} PgBsonStyle;

/*
 * Append the value's text in the server's encoding.  Lossless returns false,
 * with some text appended, if no Extended JSON reads back to these bytes; the
 * caller then prints PgBsonPrintHex.  The other styles always succeed.
 * "indent": 0 for one line, else spaces per level as jsonb_pretty; wrappers
 * such as {"$oid": "..."} stay on one line.
 */
extern bool PgBsonPrint(StringInfo out, const PgBsonValue *value, PgBsonStyle style, int indent);

/* \x and the hex digits of these bytes */
extern void PgBsonPrintHex(StringInfo out, const uint8 *data, uint32 len);

/* PgBsonPrint, of a style that always succeeds, as palloc'd text */
extern text *PgBsonPrintText(const PgBsonValue *value, PgBsonStyle style, int indent);

/* The text of ->>: palloc'd text in the server's encoding, NULL for null and undefined */
extern text *PgBsonValueToText(const PgBsonValue *value);

#endif							/* PGBSON_PRINT_H */
