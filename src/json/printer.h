/*
 * printer.h
 *	  Where JSON text is printed: a growing buffer, and strings in it.  For the files json/print*.c alone.
 *
 * Every element first reserves PGBSON_PRINT_ROOM bytes, enough for the
 * punctuation and any value of bounded size.  Strings, keys and binary data
 * reserve their own space and leave as many bytes after it.  So the code in
 * between need not check for the buffer's end.
 */
#ifndef PGBSON_PRINTER_H
#define PGBSON_PRINTER_H

#include "core/bytes/keys.h"
#include "json/extjson.h"
#include "json/print.h"

/*
 * What an element may write without reserving more: its share of punctuation,
 * a key shorter than sixteen bytes, and the longest value of bounded size (a
 * decimal128 in its wrapper, some 70 bytes).
 */
#define PGBSON_PRINT_ROOM	256

typedef struct PgBsonPrinter
{
	char	   *p;				/* next byte to write */
	char	   *end;			/* end of the buffer, before its NUL */
	StringInfo	out;			/* out->len is stale while printing */
	const uint8 *start;			/* the bytes, for offsets in errors */
	const uint8 *limit;			/* their end; no bytes beyond it may be read */
	PgBsonStyle style;
	bool		strict;			/* stop at a value that would not read back to the same bytes */
	bool		recode;			/* the server's encoding is not UTF-8 */
	int			indent;			/* spaces a level, or 0 */
	PgBsonSignatures keys;		/* if strict */
} PgBsonPrinter;

/* Append a literal */
#define PGBSON_PUT(pr, literal) \
	(memcpy((pr)->p, literal, sizeof(literal) - 1), (pr)->p += sizeof(literal) - 1)

/* The beginning of a wrapper with this key */
#define PGBSON_OPEN(key)	"{\"" key "\": "

/* Tell the StringInfo how much was written */
extern void PgBsonPrinterSync(PgBsonPrinter *pr);

/* Make room; error 54000 if that is too much for a StringInfo */
extern void PgBsonPrinterGrow(PgBsonPrinter *pr, Size room);

static inline void
PgBsonPrinterReserve(PgBsonPrinter *pr, Size room)
{
	if (unlikely((Size) (pr->end - pr->p) < room))
		PgBsonPrinterGrow(pr, room);
}

/* A JSON string, of UTF-8 in the value's bytes.  Leaves PGBSON_PRINT_ROOM bytes. */
extern void PgBsonPrinterString(PgBsonPrinter *pr, const char *s, uint32 len);

/*
 * print_wrapper.c: each function prints one value, in at most PGBSON_PRINT_ROOM bytes less a key and some
 * punctuation, or leaves as many.  False if the style is strict and no text reads back to the value.
 */

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

#endif							/* PGBSON_PRINTER_H */
