/*
 * expr_date.h
 *	  Dates of expressions: the calendar, time zones, spelling.
 *
 * The calendar is the Gregorian one, also for dates before it was introduced.  Time zones are
 * PostgreSQL's; an offset such as +05:30 is one, too.  The authority is MongoDB's
 * src/mongo/db/query/datetime/date_time_support.cpp.
 */
#ifndef PGBSON_EXPR_DATE_H
#define PGBSON_EXPR_DATE_H

#include "core/bytes/value.h"
#include "mongo/expr/expr.h"
#include "pgtime.h"

typedef struct PgBsonZone
{
	pg_tz	   *tz;				/* NULL: a fixed offset */
	int			offset;			/* seconds east of Greenwich */
} PgBsonZone;

/* The parts of a date.  $dateToParts and $dateFromParts rely on the order of the first ten. */
typedef enum PgBsonDatePart
{
	PGBSON_YEAR,
	PGBSON_MONTH,				/* from 1 */
	PGBSON_DAY,					/* of the month, from 1 */
	PGBSON_HOUR,
	PGBSON_MINUTE,
	PGBSON_SECOND,
	PGBSON_MILLISECOND,
	PGBSON_ISO_WEEK_YEAR,		/* this and the next two as in ISO 8601 */
	PGBSON_ISO_WEEK,			/* from 1 */
	PGBSON_ISO_DAY_OF_WEEK,		/* 1: Monday */
	PGBSON_DAY_OF_WEEK,			/* 1: Sunday */
	PGBSON_DAY_OF_YEAR,			/* from 1 */
	PGBSON_WEEK,				/* weeks begin with Sunday; the days before the first Sunday are week 0 */
	PGBSON_DATE_NPARTS
} PgBsonDatePart;

/* A date in a time zone */
typedef struct PgBsonDateParts
{
	int64		of[PGBSON_DATE_NPARTS];
	int			offset;			/* seconds east of Greenwich */
	int64		days;			/* since 1970-01-01 */
} PgBsonDateParts;

/* a / b, rounded down */
static inline int64
PgBsonDivideDown(int64 a, int64 b)
{
	return a / b - (a % b < 0);
}

/* The day of the week, 0 for Sunday, of a number of days since 1970-01-01, which was a Thursday */
static inline int
PgBsonWeekday(int64 days)
{
	return (int) (days + 4 - PgBsonDivideDown(days + 4, 7) * 7);
}

/* English names, from January */
extern const char *const PgBsonMonthNames[];

/* A unit of time */
typedef struct PgBsonUnit
{
	const char *name;
	int			months;			/* 0: of a fixed length */
	int64		ms;
} PgBsonUnit;

/* The unit of this name, from "year" to "millisecond"; NULL if there is none */
extern const PgBsonUnit *PgBsonUnitNamed(const char *s, uint32 len);

/*
 * The date that is "amount" units later; days and longer units are counted in the zone's calendar (NULL: UTC).  If the
 * resulting month has no such day, its last day is meant.  Raises 22008 if the result is not a valid date.
 */
extern int64 PgBsonDateAddUnits(int64 ms, const PgBsonUnit *unit, int64 amount, const PgBsonZone *zone);

/* The number of days since 1970-01-01; month and day may be outside their ranges */
extern int64 PgBsonDaysOf(int64 year, int64 month, int64 day);

/* The number of days since 1970-01-01 of a day given by year, week and day of the week as ISO 8601 counts them */
extern int64 PgBsonDaysOfWeek(int64 year, int64 week, int64 day);

/* The parts of a date in a zone, up to the milliseconds; a NULL zone is UTC.  CountDays adds the other parts. */
extern void PgBsonDateTakeApart(int64 ms, const PgBsonZone *zone, PgBsonDateParts *parts);
extern void PgBsonDateCountDays(PgBsonDateParts *parts);

/* The zone's offset at this time in seconds east of Greenwich; a NULL zone is UTC */
extern int	PgBsonZoneOffset(int64 seconds, const PgBsonZone *zone);

/* The date of a local time in the zone, in milliseconds since 1970; 22008 if it is out of range */
extern int64 PgBsonLocalToDate(int64 local, const PgBsonZone *zone);

/* The same for a local day and a time of day, whose parts are PGBSON_HOUR to PGBSON_MILLISECOND */
extern int64 PgBsonDayToDate(int64 days, const int64 parts[], const PgBsonZone *zone);

/* The date as 2024-01-02T03:04:05.678Z; a missing value if the year does not have four digits */
extern PgBsonValue PgBsonExprSpellDate(int64 ms);

/* The timestamp as Jan  2 03:04:05:1, as MongoDB spells it: without the year, and with the increment */
extern PgBsonValue PgBsonExprSpellTimestamp(uint32 seconds, uint32 increment);

/* Read a date as people write it.  "zone" is for a text that names none; NULL is UTC. */
extern bool PgBsonExprReadDate(const char *s, uint32 len, const PgBsonZone *zone, int64 *ms);

/* Find a zone by an offset or an abbreviation, not by a name of the database, which may have summer time */
extern bool PgBsonReadZone(const char *s, uint32 len, PgBsonZone *zone);

/* A month's number by its name, three letters of it, "sept" or a Roman number in any case; 0: none */
extern int	PgBsonReadMonth(const char *s, uint32 len);

/* The argument that is a time zone, UTC if it was not given; false if it is null */
extern bool PgBsonExprZoneArg(PgBsonExprRun *run, const PgBsonExpr *e, int i, PgBsonZone *zone);

/* The date in an ObjectId */
extern int64 PgBsonExprObjectIdDate(const PgBsonValue *value);

/* The date of a value: a date, or a timestamp or ObjectId, which contain one */
extern int64 PgBsonExprToDate(const PgBsonExpr *e, const PgBsonValue *value);

#endif							/* PGBSON_EXPR_DATE_H */
