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

/* A date in a time zone */
typedef struct PgBsonDateParts
{
	int64		year;
	int			month;			/* from 1 */
	int			day;			/* of the month, from 1 */
	int			hour;
	int			minute;
	int			second;
	int			millisecond;
	int			weekday;		/* 0: Sunday */
	int			yearday;		/* from 1 */
	int64		iso_year;
	int			iso_week;		/* from 1 */
	int			offset;			/* seconds east of Greenwich */
} PgBsonDateParts;

/* A zone by its name, or as an offset; false if there is none */
extern bool PgBsonFindZone(const char *name, uint32 len, PgBsonZone *zone);

/* Days since 1970-01-01; months and days may be beyond their ranges */
extern int64 PgBsonDaysOf(int64 year, int64 month, int64 day);

/* Take apart, and the other way: milliseconds since 1970 of a local time, also in milliseconds since 1970 there */
extern void PgBsonDateTakeApart(int64 ms, const PgBsonZone *zone, PgBsonDateParts *parts);
extern int64 PgBsonLocalToDate(int64 local, const PgBsonZone *zone);

/* 2024-01-02T03:04:05.678Z; false if the year has not four digits */
extern bool PgBsonExprSpellDate(int64 ms, PgBsonValue *result);

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
