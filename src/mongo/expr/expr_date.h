/*
 * expr_date.h
 *	  Dates of expressions: the calendar, time zones, spelling.
 *
 * The calendar is the Gregorian one, also before its time.  Time zones are the
 * server's; an offset such as +05:30 is one, too.
 */
#ifndef PGBSON_EXPR_DATE_H
#define PGBSON_EXPR_DATE_H

#include "mongo/expr/expr.h"
#include "pgtime.h"

typedef struct PgBsonZone
{
	pg_tz	   *tz;				/* NULL: a fixed offset */
	int			offset;			/* seconds east of Greenwich */
} PgBsonZone;

/* The parts of a date; $dateToParts and $dateFromParts rely on the order of the first ten */
typedef enum PgBsonDatePart
{
	PGBSON_YEAR,
	PGBSON_MONTH,				/* from 1 */
	PGBSON_DAY,					/* of the month, from 1 */
	PGBSON_HOUR,
	PGBSON_MINUTE,
	PGBSON_SECOND,
	PGBSON_MILLISECOND,
	PGBSON_ISO_WEEK_YEAR,		/* of ISO 8601, as the next two */
	PGBSON_ISO_WEEK,			/* from 1 */
	PGBSON_ISO_DAY_OF_WEEK,		/* 1: Monday */
	PGBSON_DAY_OF_WEEK,			/* 1: Sunday */
	PGBSON_DAY_OF_YEAR,			/* from 1 */
	PGBSON_WEEK,				/* that begin with Sunday; 0 before the first */
	PGBSON_DATE_NPARTS
} PgBsonDatePart;

/* A date in a time zone */
typedef struct PgBsonDateParts
{
	int64		of[PGBSON_DATE_NPARTS];
	int			offset;			/* seconds east of Greenwich */
} PgBsonDateParts;

#define PGBSON_MS_PER_DAY	INT64CONST(86400000)

/* a / b, rounded down */
static inline int64
PgBsonDivideDown(int64 a, int64 b)
{
	return a / b - (a % b < 0);
}

/* The day of the week, 0 for Sunday; "days" are those since 1970-01-01, a Thursday */
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

/* From "year" to "millisecond"; NULL if there is none of this name */
extern const PgBsonUnit *PgBsonUnitNamed(const char *s, uint32 len);

/* The date that is "amount" units later, in UTC; a month later is not beyond that month's end.  Raises 22008 beyond all dates. */
extern int64 PgBsonDateAddUnits(int64 ms, const PgBsonUnit *unit, int64 amount);

/* Days since 1970-01-01; months and days may be beyond their ranges */
extern int64 PgBsonDaysOf(int64 year, int64 month, int64 day);

/* The same by year, week and day of the week of ISO 8601 */
extern int64 PgBsonDaysOfWeek(int64 year, int64 week, int64 day);

/* The parts of a date in a zone, NULL for UTC */
extern void PgBsonDateTakeApart(int64 ms, const PgBsonZone *zone, PgBsonDateParts *parts);

/* The other way: the date of a local time in milliseconds since 1970 there; 22008 if it is out of range */
extern int64 PgBsonLocalToDate(int64 local, const PgBsonZone *zone);

/* The same of a day and its time, the parts from PGBSON_HOUR to PGBSON_MILLISECOND */
extern int64 PgBsonDayToDate(int64 days, const int64 parts[], const PgBsonZone *zone);

/* 2024-01-02T03:04:05.678Z; missing if the year has not four digits */
extern PgBsonValue PgBsonExprSpellDate(int64 ms);

/* Jan  2 03:04:05:1, as MongoDB spells a timestamp: without a year, with the increment */
extern PgBsonValue PgBsonExprSpellTimestamp(uint32 seconds, uint32 increment);

/* The other way, as people write it; "zone" is that of a text that names none, NULL: UTC */
extern bool PgBsonExprReadDate(const char *s, uint32 len, const PgBsonZone *zone, int64 *ms);

/* A zone in such a text: an offset, or the abbreviation of one; not a name of the database, which may have summer time */
extern bool PgBsonReadZone(const char *s, uint32 len, PgBsonZone *zone);

/* A month by its name, the first three letters of it, "sept" or a roman number, in any case; 0: none */
extern int	PgBsonReadMonth(const char *s, uint32 len);

/* The argument that is a time zone; false: null.  UTC where it was not given. */
extern bool PgBsonExprZoneArg(PgBsonExprRun *run, const PgBsonExpr *e, int i, PgBsonZone *zone);

/* The date in an ObjectId */
extern int64 PgBsonExprObjectIdDate(const PgBsonValue *value);

/* A date, or what holds one: a timestamp, an ObjectId */
extern int64 PgBsonExprToDate(const PgBsonExpr *e, const PgBsonValue *value);

#endif							/* PGBSON_EXPR_DATE_H */
