/*
 * value.h
 *	  A scalar value as a native SQL value.
 *
 * Functions that return bool return false where there is no such value, and raise no
 * errors, so they can be used in index expressions.
 */
#ifndef PGBSON_VALUE_H
#define PGBSON_VALUE_H

#include "core/bytes/view.h"
#include "datatype/timestamp.h"

#define PGBSON_MS_PER_DAY		INT64CONST(86400000)

/* Days from the Unix epoch to PostgreSQL's */
#define PGBSON_EPOCH_DAYS		(POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE)

/* MongoDB's name of a type: "int", "long", "object" and so on; a constant */
extern const char *PgBsonTypeName(PgBsonType type);

/* The type of this name; PGBSON_EOD if there is none */
extern PgBsonType PgBsonTypeOfName(const char *name, uint32 len);

/* A set of types */
typedef struct PgBsonTypeSet
{
	uint32		bits[8];		/* one for each type byte */
} PgBsonTypeSet;

static inline bool
PgBsonTypeSetHas(const PgBsonTypeSet *set, PgBsonType type)
{
	return ((set->bits[type / 32] >> (type % 32)) & 1) != 0;
}

static inline void
PgBsonTypeSetAdd(PgBsonTypeSet *set, PgBsonType type)
{
	set->bits[type / 32] |= (uint32) 1 << (type % 32);
}

/* Add the type of this name, or all four for "number"; false if there is none */
extern bool PgBsonTypeSetAddName(PgBsonTypeSet *set, const char *name, uint32 len);

/* A date, in milliseconds since 1970, as microseconds since 2000; false if it is out of the range of timestamptz */
extern bool PgBsonDateToTimestamp(int64 ms, TimestampTz *result);

/* The day of a date in UTC, counted from 2000-01-01; false if it is out of the range of type date, which is wider */
extern bool PgBsonDateToDay(int64 ms, int32 *result);

/* Raise 22008: the SQL type cannot hold this date */
pg_noreturn extern void PgBsonReportDateRange(int64 ms, const char *type);

/* A timestamp as a date, rounded to milliseconds, a half away from 1970; false for infinities */
extern bool PgBsonTimestampToDate(TimestampTz ts, int64 *ms);

/* The whole milliseconds since 1970, rounded down, of a finite timestamp; *us becomes the microseconds that are left */
extern int64 PgBsonTimestampFloor(TimestampTz ts, int64 *us);

#endif							/* PGBSON_VALUE_H */
