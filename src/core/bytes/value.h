/*
 * value.h
 *	  A scalar value as a native SQL value.
 *
 * The getters return false where the value is not exactly of the wanted kind;
 * they never raise, so functions over them are safe in an index.
 */
#ifndef PGBSON_VALUE_H
#define PGBSON_VALUE_H

#include "core/bytes/view.h"
#include "datatype/timestamp.h"

#define PGBSON_MS_PER_DAY		INT64CONST(86400000)

/* Days from the Unix epoch to PostgreSQL's */
#define PGBSON_EPOCH_DAYS		(POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE)

/* MongoDB's alias of a type: "int", "long", "object", ...; static storage */
extern const char *PgBsonTypeName(PgBsonType type);

/* The type of this alias; PGBSON_EOD: there is none */
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

/* Add the type of this alias, of "number" all four; false: there is none */
extern bool PgBsonTypeSetAddName(PgBsonTypeSet *set, const char *name, uint32 len);

/* milliseconds since 1970 to microseconds since 2000; false if out of timestamptz's range */
extern bool PgBsonDateToTimestamp(int64 ms, TimestampTz *result);

/* The day in UTC, from 2000-01-01; false if out of date's range, which is wider */
extern bool PgBsonDateToDay(int64 ms, int32 *result);

/* Raise 22008: neither of them can hold this date */
pg_noreturn extern void PgBsonReportDateRange(int64 ms, const char *type);

/* A timestamp in milliseconds since 1970, rounded, a half away from 1970; false for infinities */
extern bool PgBsonTimestampToDate(TimestampTz ts, int64 *ms);

/* The whole milliseconds since 1970, rounded down, of a finite timestamp; *us is set to the microseconds that are left */
extern int64 PgBsonTimestampFloor(TimestampTz ts, int64 *us);

#endif							/* PGBSON_VALUE_H */
