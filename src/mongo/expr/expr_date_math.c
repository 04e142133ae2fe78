/*
 * expr_date_math.c
 *	  Expressions: dates plus and minus units of time, the units between two, and rounding down.
 *
 * The authority is MongoDB's src/mongo/db/query/datetime/date_time_support.cpp
 * (dateAdd, dateDiff, truncateDate).
 */
#include "mongo/expr/expr_date.h"

#include "common/int.h"

static const PgBsonUnit units[] = {
	{"year", 12, 0}, {"quarter", 3, 0}, {"month", 1, 0}, {"week", 0, 7 * PGBSON_MS_PER_DAY},
	{"day", 0, PGBSON_MS_PER_DAY},
	{"hour", 0, 3600000}, {"minute", 0, 60000}, {"second", 0, 1000}, {"millisecond", 0, 1}
};

const PgBsonUnit *
PgBsonUnitNamed(const char *s, uint32 len)
{
	return PgBsonRowNamed(units, s, len);
}

/* The unit that an argument names; NULL if it is null or missing, which makes the result null */
static const PgBsonUnit *
unit_arg(PgBsonExprRun *run, const PgBsonExpr *e, int i)
{
	PgBsonValue value;
	const PgBsonUnit *unit;
	const char *s;
	uint32		len;

	if (!PgBsonExprTake(run, e, i, 's', &value))
		return NULL;
	s = PgBsonValueString(&value, &len);
	unit = PgBsonUnitNamed(s, len);
	if (unit != NULL)
		return unit;
	PgBsonExprWrongValue(e, gettext_noop("A unit is year, quarter, month, week, day, hour, minute, second or millisecond."));
}

/* The local time of a date, in milliseconds as if it were UTC */
static int64
local_of(int64 ms, const PgBsonZone *zone, PgBsonDateParts *parts)
{
	int64		local;

	PgBsonDateTakeApart(ms, zone, parts);
	/* an offset is at most 99 hours and 99 minutes */
	if (pg_add_s64_overflow(ms, (int64) parts->offset * 1000, &local))
		PgBsonReportDateOutOfRange();
	return local;
}

/* Raise an error if adding the zone's offset would overflow */
static void
check_date(int64 ms)
{
	if (ms > PG_INT64_MAX - 4 * PGBSON_MS_PER_DAY || ms < PG_INT64_MIN + 4 * PGBSON_MS_PER_DAY)
		PgBsonReportDateOutOfRange();
}

int64
PgBsonDateAddUnits(int64 ms, const PgBsonUnit *unit, int64 amount, const PgBsonZone *zone)
{
	PgBsonDateParts parts;
	int64		local;
	int64		days;
	int64		n;

	if (unit->months == 0 && unit->ms < PGBSON_MS_PER_DAY)
	{
		if (pg_mul_s64_overflow(amount, unit->ms, &n) || pg_add_s64_overflow(ms, n, &n))
			PgBsonReportDateOutOfRange();
		return n;
	}
	if (amount > INT64CONST(100000000000) || amount < -INT64CONST(100000000000))
		PgBsonReportDateOutOfRange();
	check_date(ms);
	local = local_of(ms, zone, &parts);
	days = amount * (unit->ms / PGBSON_MS_PER_DAY);
	if (unit->months > 0)
	{
		int64		month = parts.of[PGBSON_MONTH] + amount * unit->months;
		int64		last = PgBsonDaysOf(parts.of[PGBSON_YEAR], month + 1, 1) -
			PgBsonDaysOf(parts.of[PGBSON_YEAR], month, 1);

		/* if the month is too short for the day, take its last day */
		days = PgBsonDaysOf(parts.of[PGBSON_YEAR], month, Min(parts.of[PGBSON_DAY], last)) - parts.days;
	}
	if (pg_mul_s64_overflow(days, PGBSON_MS_PER_DAY, &n) || pg_add_s64_overflow(local, n, &local))
		PgBsonReportDateOutOfRange();
	return PgBsonLocalToDate(local, zone);
}

/* $dateAdd and $dateSubtract: the arguments are startDate, unit, amount, timezone */
static PgBsonValue
eval_add(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonValue date = PgBsonExprArg(run, e, 0);
	const PgBsonUnit *unit = unit_arg(run, e, 1);
	PgBsonValue amount = PgBsonExprArg(run, e, 2);
	PgBsonZone	zone;
	int64		start;
	int64		n;

	if (PgBsonIsNothing(&date) || unit == NULL || PgBsonIsNothing(&amount) ||
		!PgBsonExprZoneArg(run, e, 3, &zone))
		return PgBsonNull;
	start = PgBsonExprToDate(e, &date);
	n = PgBsonExprToInt64(e, &amount);
	if (e->op->code < 0)
	{
		if (n == PG_INT64_MIN)
			PgBsonReportDateOutOfRange();
		n = -n;
	}
	return PgBsonMakeDate(PgBsonDateAddUnits(start, unit, n, &zone));
}

/* The day that weeks begin with: 0 for Sunday; -1 if the argument is null */
static int
week_start(PgBsonExprRun *run, const PgBsonExpr *e, int i)
{
	static const char *const days[] = {"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"};
	PgBsonValue value;
	const char *s;
	uint32		len;

	if (e->args[i] == NULL)
		return 0;
	if (!PgBsonExprTake(run, e, i, 's', &value))
		return -1;
	s = PgBsonValueString(&value, &len);
	for (int d = 0; d < lengthof(days); d++)
	{
		Size		n = strlen(days[d]);

		if ((len == n || len == 3) && pg_strncasecmp(s, days[d], len) == 0)
			return d;
	}
	PgBsonExprWrongValue(e, gettext_noop("\"startOfWeek\" must be the name of a day."));
}

/* How many boundaries of a unit, of days or longer, lie between two local times */
static int64
units_between(int64 from, const PgBsonDateParts *a, int64 to, const PgBsonDateParts *b, const PgBsonUnit *unit,
			  int week_starts)
{
	if (unit->months > 0)
		return PgBsonDivideDown(b->of[PGBSON_YEAR] * 12 + b->of[PGBSON_MONTH] - 1, unit->months) -
			PgBsonDivideDown(a->of[PGBSON_YEAR] * 12 + a->of[PGBSON_MONTH] - 1, unit->months);
	if (unit->ms == 7 * PGBSON_MS_PER_DAY)
		/* 1970-01-01 is a Thursday */
		return PgBsonDivideDown(b->days + 4 - week_starts, 7) - PgBsonDivideDown(a->days + 4 - week_starts, 7);
	return PgBsonDivideDown(to, unit->ms) - PgBsonDivideDown(from, unit->ms);
}

/* $dateDiff: the arguments are startDate, endDate, unit, timezone, startOfWeek */
static PgBsonValue
eval_diff(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonValue first = PgBsonExprArg(run, e, 0);
	PgBsonValue second = PgBsonExprArg(run, e, 1);
	const PgBsonUnit *unit;
	PgBsonZone	zone;
	PgBsonDateParts a;
	PgBsonDateParts b;
	int64		from;
	int64		to;
	int			start;

	/* a null date gives null even if the unit is wrong */
	if (PgBsonIsNothing(&first) || PgBsonIsNothing(&second))
		return PgBsonNull;
	unit = unit_arg(run, e, 2);
	if (unit == NULL || !PgBsonExprZoneArg(run, e, 3, &zone))
		return PgBsonNull;
	/* startOfWeek counts only if the unit is a week */
	start = unit->ms == 7 * PGBSON_MS_PER_DAY ? week_start(run, e, 4) : 0;
	if (start < 0)
		return PgBsonNull;
	from = PgBsonExprToDate(e, &first);
	to = PgBsonExprToDate(e, &second);
	check_date(from);
	check_date(to);
	from = local_of(from, &zone, &a);
	to = local_of(to, &zone, &b);
	/* hours that the clocks skip or repeat count by the time that passes */
	if (unit->months == 0 && unit->ms < PGBSON_MS_PER_DAY)
		to -= ((int64) b.offset - a.offset) * 1000;
	return PgBsonMakeInt64(units_between(from, &a, to, &b, unit, start));
}

/* The beginning of the date's bin of "size" units of fixed length; a bin begins at the reference */
static int64
truncate_time(int64 ms, int64 reference, const PgBsonUnit *unit, int64 size)
{
	int64		bin;
	int64		distance;
	int64		result;

	if (pg_mul_s64_overflow(size, unit->ms, &bin) || pg_sub_s64_overflow(ms, reference, &distance))
		PgBsonReportDateOutOfRange();
	distance %= bin;
	if (distance < 0)
		distance += bin;
	if (pg_sub_s64_overflow(ms, distance, &result))
		PgBsonReportDateOutOfRange();
	return result;
}

/* The beginning of the date's bin of units of the zone's calendar, counted from this day, months from January 2000 */
static int64
truncate_calendar(int64 ms, int64 first_day, const PgBsonUnit *unit, int64 size, const PgBsonZone *zone)
{
	int64		days = unit->ms / PGBSON_MS_PER_DAY;
	PgBsonDateParts parts;
	int64		distance;
	int64		remainder;
	int64		local;

	check_date(ms);
	(void) local_of(ms, zone, &parts);
	distance = unit->months > 0 ? PgBsonDivideDown((parts.of[PGBSON_YEAR] - 2000) * 12 + parts.of[PGBSON_MONTH] - 1,
												   unit->months) :
		PgBsonDivideDown(parts.days - first_day, days);
	remainder = distance % size;
	distance -= remainder < 0 ? remainder + size : remainder;
	days = unit->months > 0 ? PgBsonDaysOf(2000, 1 + distance * unit->months, 1) : first_day + distance * days;
	if (pg_mul_s64_overflow(days, PGBSON_MS_PER_DAY, &local))
		PgBsonReportDateOutOfRange();
	return PgBsonLocalToDate(local, zone);
}

/* $dateTrunc: the arguments are date, unit, binSize, timezone, startOfWeek */
static PgBsonValue
eval_trunc(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonValue date = PgBsonExprArg(run, e, 0);
	PgBsonValue bin = PgBsonExprArg(run, e, 2);
	const PgBsonUnit *unit;
	int64		size = 1;
	int			week_starts = 0;
	PgBsonZone	zone;
	int64		first_day = 10957;	/* 2000-01-01, a Saturday */
	int64		midnight = first_day * PGBSON_MS_PER_DAY;
	int64		ms;

	if (PgBsonIsNothing(&date) || (e->args[2] != NULL && PgBsonIsNothing(&bin)))
		return PgBsonNull;
	if (e->args[2] != NULL)
		size = PgBsonExprToInt64(e, &bin);
	if (size <= 0)
		PgBsonExprWrongValue(e, gettext_noop("\"binSize\" must be positive."));
	unit = unit_arg(run, e, 1);
	if (unit == NULL)
		return PgBsonNull;
	if (unit->ms == 7 * PGBSON_MS_PER_DAY)
		week_starts = week_start(run, e, 4);
	if (week_starts < 0 || !PgBsonExprZoneArg(run, e, 3, &zone))
		return PgBsonNull;
	ms = PgBsonExprToDate(e, &date);
	if (unit->months == 0 && unit->ms < PGBSON_MS_PER_DAY)
	{
		midnight -= (int64) PgBsonZoneOffset(midnight / 1000, &zone) * 1000;
		return PgBsonMakeDate(truncate_time(ms, midnight, unit, size));
	}
	if (unit->ms == 7 * PGBSON_MS_PER_DAY)
		first_day += (week_starts + 1) % 7;
	if (size > INT64CONST(100000000000))
		PgBsonExprWrongValue(e, gettext_noop("\"binSize\" must be at most 100000000000 for days and longer units."));
	return PgBsonMakeDate(truncate_calendar(ms, first_day, unit, size, &zone));
}

const PgBsonExprOp PgBsonExprDateMath[] = {
	{"$dateAdd", 0, 0, eval_add, 1, "startDate! unit! amount! timezone"},
	{"$dateSubtract", 0, 0, eval_add, -1, "startDate! unit! amount! timezone"},
	{"$dateDiff", 0, 0, eval_diff, 0, "startDate! endDate! unit! timezone startOfWeek"},
	{"$dateTrunc", 0, 0, eval_trunc, 0, "date! unit! binSize timezone startOfWeek"},
	{NULL}
};
