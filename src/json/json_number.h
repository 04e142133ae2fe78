/*
 * json_number.h
 *	  Which BSON number a number of JSON is.
 *
 * This file owns the rule for JSON text, for jsonb, and for numbers written in
 * a jsonpath:
 *
 *		an integer			int32 if that holds it, else int64 if that does
 *		-0					the double, as integers have no negative zero
 *		with a fraction		the nearest double, if its shortest spelling is the
 *		or an exponent		very decimal value
 *		else				decimal128, if its 34 digits hold it exactly
 *		else				an error, 22003: nothing is rounded
 *
 * and MongoDB's rule, for those who ask for it: what is no int32 or int64 is the
 * nearest double; beyond the range of doubles it is the same error.
 *
 * json/transcode.c reads the commonest spellings itself while it scans, and
 * calls this file for the rest; the fuzz target "json" compares the two.
 */
#ifndef PGBSON_JSON_NUMBER_H
#define PGBSON_JSON_NUMBER_H

#include "core/number/number.h"

/* The largest size of a number, in bytes */
#define PGBSON_NUMBER_BYTES		PGBSON_DECIMAL128_SIZE

/* Which rule */
typedef enum PgBsonNumbers
{
	PGBSON_NUMBERS_EXACT,
	PGBSON_NUMBERS_MONGODB
} PgBsonNumbers;

/*
 * The type of the number that this text spells, and its bytes, *size of them;
 * PGBSON_EOD if it is out of range.  The text is a number in the syntax of
 * JSON or numeric.
 */
extern PgBsonType PgBsonJsonNumber(const char *text, uint32 len, PgBsonNumbers numbers,
								   uint8 *bytes, uint32 *size);

/* Is this number written without a fraction and an exponent? */
extern bool PgBsonJsonNumberIsInteger(const char *text, uint32 len);

/* For ereport: the SQLSTATE, message and detail for a number that is out of range by this rule */
extern int	PgBsonJsonNumberError(const char *text, uint32 len, PgBsonNumbers numbers);

#endif							/* PGBSON_JSON_NUMBER_H */
