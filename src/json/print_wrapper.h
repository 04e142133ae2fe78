/*
 * print_wrapper.h
 *	  The text of the rarer types that have a wrapper in Extended JSON.
 *
 * Each function prints one value, in at most PGBSON_PRINT_ROOM bytes less a key
 * and some punctuation, or leaves as many.  False if the style is strict and no
 * text reads back to the value.
 */
#ifndef PGBSON_PRINT_WRAPPER_H
#define PGBSON_PRINT_WRAPPER_H

#include "json/printer.h"
#include "json/spell.h"

static inline void
PgBsonPrintObjectId(PgBsonPrinter *pr, const uint8 *oid)
{
	PGBSON_PUT(pr, PGBSON_OPEN(PGBSON_DOLLAR_OID) "\"");
	pr->p += PgBsonSpellHex(oid, 12, pr->p);
	PGBSON_PUT(pr, "\"}");
}

/* The bytes of the value */
extern bool PgBsonPrintDecimal(PgBsonPrinter *pr, const uint8 *data);
extern void PgBsonPrintTimestamp(PgBsonPrinter *pr, const uint8 *data);

extern void PgBsonPrintBinary(PgBsonPrinter *pr, const PgBsonValue *value);
extern bool PgBsonPrintRegex(PgBsonPrinter *pr, const PgBsonValue *value);
extern void PgBsonPrintDBPointer(PgBsonPrinter *pr, const PgBsonValue *value);

/* A wrapper with this key that holds the value's string: a symbol, or code */
extern void PgBsonPrintWrapped(PgBsonPrinter *pr, const char *key, const PgBsonValue *value);

#endif							/* PGBSON_PRINT_WRAPPER_H */
