/*
 * number_text.h
 *	  The four BSON number types as decimal text and as numeric, both ways.
 */
#ifndef PGBSON_NUMBER_TEXT_H
#define PGBSON_NUMBER_TEXT_H

#include "core/number/number.h"
#include "utils/numeric.h"

#define PGBSON_DECIMAL128_TEXT	43	/* longest text, with its NUL */

/*
 * As numeric, palloc'd, exactly (a double: its shortest round-trip decimal, as
 * float8 to numeric text would print it).  Infinity and NaN become numeric's.
 */
extern Numeric PgBsonNumberToNumeric(const PgBsonValue *value);

/* The numeric of a text that is one, palloc'd */
extern Numeric PgBsonNumericFromText(const char *text);

/* A numeric's text, palloc'd: digits, with a point and digits behind it or an integer; NaN, Infinity */
extern char *PgBsonNumericText(Numeric num);

/* Is the text an optional minus and digits, no more, and does int64 hold them? */
extern bool PgBsonTextIsInt64(const char *text, uint32 len, int64 *result);

/* Is the text digits with an optional sign, point and exponent, at least one digit before the exponent; and is it worth zero? */
extern bool PgBsonTextIsDecimal(const char *text, uint32 len, bool *zero);

/* Decimal text to 16 bytes; false unless 34 digits and the exponent range hold it exactly */
extern bool PgBsonDecimalFromText(const char *text, uint32 len, uint8 *result);

/* numeric to 16 bytes, keeping its scale where it fits; false if it cannot be held exactly */
extern bool PgBsonDecimalFromNumeric(Numeric num, uint8 *result);

/* 16 bytes to text (at least PGBSON_DECIMAL128_TEXT bytes), spec spelling; returns its length */
extern int	PgBsonDecimalToText(const uint8 *decimal, char *text);

/* Does that text read back to the same bytes?  Not if the decimal is a NaN with a sign or payload, or not canonical. */
extern bool PgBsonDecimalIsPlain(const uint8 *decimal);

/*
 * Shortest spelling that reads back as the same double and is told from an
 * integer: 15.0, 1e+300, -0.0, Infinity, -Infinity, NaN.  "text" holds at least
 * 32 bytes; returns its length.
 */
extern int	PgBsonDoubleToText(double d, char *text);

/* Is the shortest spelling of the nearest double the very decimal value of this JSON number? */
extern bool PgBsonTextIsDouble(const char *text, uint32 len, double *result);

#endif							/* PGBSON_NUMBER_TEXT_H */
