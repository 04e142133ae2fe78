/*
 * number_text.h
 *	  The four BSON number types as decimal text and as numeric, both ways.
 */
#ifndef PGBSON_NUMBER_TEXT_H
#define PGBSON_NUMBER_TEXT_H

#include <float.h>

#include "core/number/number.h"
#include "utils/numeric.h"

#define PGBSON_DECIMAL128_TEXT	43	/* the room for the longest text, with its zero byte */

/*
 * The number as a numeric, palloc'd, exactly; a double is what its shortest spelling says, as it is for
 * the cast of float8 to numeric.  Infinity and NaN stay what they are.
 */
extern Numeric PgBsonNumberToNumeric(const PgBsonValue *value);

/* The numeric that a text spells, palloc'd; other texts raise an error */
extern Numeric PgBsonNumericFromText(const char *text);

/* A numeric's text, palloc'd: digits, perhaps with a sign, a point and digits after it; or NaN, Infinity, -Infinity */
extern char *PgBsonNumericText(Numeric num);

/* Is the text digits, perhaps with a minus before them, whose number int64 holds? */
extern bool PgBsonTextIsInt64(const char *text, uint32 len, int64 *result);

/*
 * Is the text digits, perhaps with a sign, a point and an exponent, and at least one digit before that?
 * *zero says whether the number is zero.
 */
extern bool PgBsonTextIsDecimal(const char *text, uint32 len, bool *zero);

/* A decimal's text to 16 bytes; false if no decimal128 holds the number exactly, or the text is none */
extern bool PgBsonDecimalFromText(const char *text, uint32 len, uint8 *result);

/* A numeric to 16 bytes, keeping its scale if possible; false if no decimal128 holds it exactly */
extern bool PgBsonDecimalFromNumeric(Numeric num, uint8 *result);

/* The text of a decimal, as its specification spells it, in PGBSON_DECIMAL128_TEXT bytes; returns its length */
extern int	PgBsonDecimalToText(const uint8 *decimal, char *text);

/*
 * Does that text read back to the same bytes?  It does not for a NaN with a sign or a payload, and for
 * encodings that are not canonical.
 */
extern bool PgBsonDecimalIsPlain(const uint8 *decimal);

/*
 * The shortest spelling that reads back as the same double and differs from an integer's: 15.0, 1e+300,
 * -0.0, Infinity, -Infinity, NaN.  "text" has at least 32 bytes; returns the length.
 */
extern int	PgBsonDoubleToText(double d, char *text);

/* Is the number of this JSON text exactly the shortest spelling of the nearest double?  Then *result is that double. */
extern bool PgBsonTextIsDouble(const char *text, uint32 len, double *result);

/* --- double.c: finding the double whose shortest spelling a decimal is, without strtod --- */

/* The powers of ten that a double holds exactly, from 10^0 on */
#define PGBSON_EXACT_POWERS		23
extern const double PgBsonPowersOfTen[PGBSON_EXACT_POWERS];

/*
 * Is the quotient of two doubles rounded once?  The x87 keeps more bits of it, and rounds it again when it is stored.
 */
#if FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 1
#define PGBSON_DOUBLES_ROUND_ONCE
#endif

/*
 * If digits * 10^exponent is the shortest spelling of the double nearest to it, set *result to that
 * double.  False if it is not, or if that cannot be told quickly; PgBsonTextIsDouble can always tell.
 */
extern bool PgBsonShortestDouble(uint64 digits, int exponent, double *result);

/* The largest number of 15 digits: two decimals with so few digits never have the same nearest double */
#define PGBSON_SAFE_DIGITS		INT64CONST(999999999999999)

/* The shortest spelling of a double as digits / 10^decimals; false if it has many digits or decimals */
extern bool PgBsonDoubleIsShort(double d, int64 *digits, int *decimals);

#endif							/* PGBSON_NUMBER_TEXT_H */
