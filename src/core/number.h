/*
 * number.h
 *	  The four BSON number types: exact comparison, hash, conversion.
 *
 * int32, int64, double and decimal128 compare by exact value; nothing is ever
 * rounded on the way.  NaN sorts first and equals itself, -0 equals 0, 1.1
 * equals 1.10.
 */
#ifndef PGBSON_NUMBER_H
#define PGBSON_NUMBER_H

#include <float.h>

#include "core/view.h"
#include "utils/numeric.h"

#define PGBSON_DECIMAL128_SIZE	16	/* bytes */
#define PGBSON_DECIMAL128_TEXT	43	/* longest text, with its NUL */

/* A double holds every integer from minus 2^53 to this */
#define PGBSON_EXACT_DOUBLE		INT64CONST(9007199254740992)

/* The powers of ten that a double holds: 1e0 and on */
#define PGBSON_EXACT_POWERS		23
extern const double PgBsonPowersOfTen[PGBSON_EXACT_POWERS];

/* Is the quotient of two doubles rounded once?  The x87 has it with more bits, and rounds it again when it is stored. */
#if FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 1
#define PGBSON_DOUBLES_ROUND_ONCE
#endif

/* <0, 0, >0; both must be numbers */
extern int	PgBsonNumberCompare(const PgBsonValue *a, const PgBsonValue *b);

/* Equal numbers hash equal, whatever their types */
extern uint64 PgBsonNumberHash(const PgBsonValue *value, uint64 seed);

/* The value if it is exactly an integer of that width; false otherwise (also for what is no number) */
extern bool PgBsonNumberToInt32(const PgBsonValue *value, int32 *result);
extern bool PgBsonNumberToInt64(const PgBsonValue *value, int64 *result);

/* The nearest double; *exact says whether it is the very value */
extern double PgBsonNumberToDouble(const PgBsonValue *value, bool *exact);

/*
 * As numeric, exactly (a double: its shortest round-trip decimal, as
 * float8 to numeric text would print it).  Infinity and NaN become numeric's.
 */
extern Numeric PgBsonNumberToNumeric(const PgBsonValue *value);

/* Decimal text to 16 bytes; false unless 34 digits and the exponent range hold it exactly */
extern bool PgBsonDecimalFromText(const char *text, uint32 len, uint8 *result);

/* numeric to 16 bytes, keeping its scale where it fits; false if it cannot be held exactly */
extern bool PgBsonDecimalFromNumeric(Numeric num, uint8 *result);

/* 16 bytes to text (at least PGBSON_DECIMAL128_TEXT bytes), spec spelling; returns its length */
extern int	PgBsonDecimalToText(const uint8 *decimal, char *text);

/* Does that text read back to the same bytes?  Not of a NaN with a sign or payload, nor of digits out of range. */
extern bool PgBsonDecimalIsPlain(const uint8 *decimal);

/*
 * Shortest spelling that reads back as the same double and is told from an
 * integer: 15.0, 1e+300, -0.0, Infinity, -Infinity, NaN.  "text" holds at least
 * 32 bytes; returns its length.
 */
extern int	PgBsonDoubleToText(double d, char *text);

/* Is the shortest spelling of the nearest double the very decimal value of this JSON number? */
extern bool PgBsonTextIsDouble(const char *text, uint32 len, double *result);

/*
 * The same of digits * 10^exponent, for the usual number, fast: true only if so.
 * False may also mean that it is hard to tell, then ask the other.
 */
extern bool PgBsonShortestDouble(uint64 digits, int exponent, double *result);

#endif							/* PGBSON_NUMBER_H */
