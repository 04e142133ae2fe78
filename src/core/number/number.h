/*
 * number.h
 *	  The four BSON number types: exact comparison, hash, conversion to C types.
 *
 * int32, int64, double and decimal128 compare by exact value; nothing is ever
 * rounded on the way.  NaN sorts first and equals itself, -0 equals 0, 1.1
 * equals 1.10.
 */
#ifndef PGBSON_NUMBER_H
#define PGBSON_NUMBER_H

#include "core/bytes/view.h"

#define PGBSON_DECIMAL128_SIZE	16	/* bytes */

/* A double holds every integer from minus 2^53 to this */
#define PGBSON_EXACT_DOUBLE		INT64CONST(9007199254740992)

/* <0, 0, >0; both must be numbers */
extern int	PgBsonNumberCompare(const PgBsonValue *a, const PgBsonValue *b);

/* Equal numbers hash equal, whatever their types */
extern uint64 PgBsonNumberHash(const PgBsonValue *value, uint64 seed);

/* The value if it is exactly an integer of that width; false otherwise (also for what is no number) */
extern bool PgBsonNumberToInt32(const PgBsonValue *value, int32 *result);
extern bool PgBsonNumberToInt64(const PgBsonValue *value, int64 *result);

/* The same of the value without its fraction; false for NaN and what 64 bits do not hold */
extern bool PgBsonNumberTruncate(const PgBsonValue *value, int64 *result);

/* The nearest double; *exact says whether it is the very value */
extern double PgBsonNumberToDouble(const PgBsonValue *value, bool *exact);

static inline double
PgBsonDoubleOf(const PgBsonValue *number)
{
	bool		exact;

	return PgBsonNumberToDouble(number, &exact);
}

/* The value of an int32 or int64 */
static inline int64
PgBsonIntegerOf(const PgBsonValue *number)
{
	return number->type == PGBSON_INT32 ? PgBsonReadI32(number->data) : PgBsonReadI64(number->data);
}

#endif							/* PGBSON_NUMBER_H */
