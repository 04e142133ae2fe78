/*
 * expr_date.c
 *	  Expressions: the calendar, time zones, and the parts of dates.
 */
#include "mongo/expr/expr_date.h"

#include "common/int.h"
#include "core/number/number.h"
#include "core/write/objectid.h"

#define MS_PER_DAY		INT64CONST(86400000)

enum
{
	YEAR, MONTH, DAY_OF_MONTH, DAY_OF_WEEK, DAY_OF_YEAR, HOUR, MINUTE, SECOND, MILLISECOND,
	WEEK, ISO_WEEK, ISO_WEEK_YEAR, ISO_DAY_OF_WEEK
};

/* Rounded down */
static int64
divide_down(int64 a, int64 b)
{
	return a / b - (a % b < 0);
}

/* The calendar, by eras of 400 years that begin with March */

int64
PgBsonDaysOf(int64 year, int64 month, int64 day)
{
	int64		era;
	int64		of_era;
	int64		of_year;

	year += divide_down(month - 1, 12);
	month -= divide_down(month - 1, 12) * 12;
	if (month <= 2)
		year--;
	era = divide_down(year, 400);
	of_era = year - era * 400;
	of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5;
	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468 + day - 1;
}

static void
civil_of(int64 days, PgBsonDateParts *parts)
{
	int64		era;
	int64		of_era;
	int64		year;
	int64		of_year;
	int64		month;

	days += 719468;
	era = divide_down(days, 146097);
	of_era = days - era * 146097;
	year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	of_year = of_era - (365 * year + year / 4 - year / 100);
	month = (5 * of_year + 2) / 153;
	parts->day = of_year - (153 * month + 2) / 5 + 1;
	parts->month = month < 10 ? month + 3 : month - 9;
	parts->year = year + era * 400 + (parts->month <= 2);
}

/* Time zones */

/* +hh, +hhmm, +hh:mm */
static bool
read_offset(const char *s, uint32 len, int *offset)
{
	char		digits[4] = {'0', '0', '0', '0'};
	int			n = 0;

	if (len < 3 || (s[0] != '+' && s[0] != '-'))
		return false;
	for (uint32 i = 1; i < len; i++)
	{
		if (s[i] == ':' && i == 3 && len == 6)
			continue;
		if (s[i] < '0' || s[i] > '9' || n == 4)
			return false;
		digits[n++] = s[i];
	}
	if (n != 2 && n != 4)
		return false;
	*offset = ((digits[0] - '0') * 10 + digits[1] - '0') * 3600 +
		((digits[2] - '0') * 10 + digits[3] - '0') * 60;
	if (s[0] == '-')
		*offset = -*offset;
	return true;
}

/* The zones of the database with digits and without a slash */
static bool
has_digits(const char *name)
{
	static const char *const names[] = {"EST5EDT", "CST6CDT", "MST7MDT", "PST8PDT", "GMT0", "GMT+0", "GMT-0"};

	for (int i = 0; i < lengthof(names); i++)
	{
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return false;
}

bool
PgBsonFindZone(const char *name, uint32 len, PgBsonZone *zone)
{
	char		copy[TZ_STRLEN_MAX + 1];
	bool		digits = false;

	zone->tz = NULL;
	zone->offset = 0;
	if (read_offset(name, len, &zone->offset))
		return true;
	if (len == 0 || len > TZ_STRLEN_MAX)
		return false;
	memcpy(copy, name, len);
	copy[len] = '\0';
	if (strcmp(copy, "UTC") == 0 || strcmp(copy, "GMT") == 0)
		return true;
	for (uint32 i = 0; i < len; i++)
	{
		char		c = copy[i];

		digits |= c >= '0' && c <= '9';
		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
			  c == '/' || c == '_' || c == '-' || c == '+'))
			return false;
	}
	/* not a rule such as EST5, which the server takes */
	if (digits && strchr(copy, '/') == NULL && !has_digits(copy))
		return false;
	/* which takes names in any case */
	zone->tz = pg_tzset(copy);
	return zone->tz != NULL && strcmp(pg_get_timezone_name(zone->tz), copy) == 0;
}

static int
offset_at(int64 seconds, const PgBsonZone *zone)
{
	pg_time_t	t = seconds;
	struct pg_tm *tm;

	if (zone == NULL)
		return 0;
	if (zone->tz == NULL)
		return zone->offset;
	tm = pg_localtime(&t, zone->tz);
	return tm == NULL ? 0 : tm->tm_gmtoff;
}

pg_noreturn static void
report_out_of_range(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
			 errmsg("bson date is out of range")));
}

/*
 * A time that is there twice, when clocks go back, is the second, in winter
 * time, as timelib has it, the date library of MongoDB's server; one that is
 * not there, when they go forward, is as much later.
 */
int64
PgBsonLocalToDate(int64 local, const PgBsonZone *zone)
{
	int64		seconds = divide_down(local, 1000);
	int64		date;
	int			before;
	int			after;

	if (zone == NULL)
		return local;
	if (zone->tz == NULL)
	{
		if (pg_sub_s64_overflow(local, (int64) zone->offset * 1000, &date))
			report_out_of_range();
		return date;
	}
	if (local > PG_INT64_MAX - 2 * MS_PER_DAY || local < PG_INT64_MIN + 2 * MS_PER_DAY)
		report_out_of_range();
	before = offset_at(seconds - 86400, zone);
	after = offset_at(seconds + 86400, zone);
	if (before != after && offset_at(seconds - after, zone) == after)
		return local - (int64) after * 1000;
	return local - (int64) before * 1000;
}

/* The week's number of a year whose weeks begin with this one's Monday, ISO 8601 */
static void
iso_week_of(int64 days, PgBsonDateParts *parts)
{
	/* the week belongs to the year of its Thursday */
	int64		thursday = days - (parts->weekday + 6) % 7 + 3;
	PgBsonDateParts of;

	civil_of(thursday, &of);
	parts->iso_year = of.year;
	parts->iso_week = (thursday - PgBsonDaysOf(of.year, 1, 1)) / 7 + 1;
}

void
PgBsonDateTakeApart(int64 ms, const PgBsonZone *zone, PgBsonDateParts *parts)
{
	int64		days = divide_down(ms, MS_PER_DAY);
	int64		of_day = ms - days * MS_PER_DAY;

	parts->offset = offset_at(divide_down(ms, 1000), zone);
	/* the offset is added to the rest, as the sum may be too large */
	of_day += (int64) parts->offset * 1000;
	days += divide_down(of_day, MS_PER_DAY);
	of_day -= divide_down(of_day, MS_PER_DAY) * MS_PER_DAY;

	civil_of(days, parts);
	parts->hour = of_day / 3600000;
	parts->minute = of_day / 60000 % 60;
	parts->second = of_day / 1000 % 60;
	parts->millisecond = of_day % 1000;
	parts->weekday = (int) ((days + 4) - divide_down(days + 4, 7) * 7);
	parts->yearday = (int) (days - PgBsonDaysOf(parts->year, 1, 1)) + 1;
	iso_week_of(days, parts);
}

/* Arguments */

bool
PgBsonExprZoneArg(PgBsonExprRun *run, const PgBsonExpr *e, int i, PgBsonZone *zone)
{
	PgBsonValue value;
	const char *name;
	uint32		len;

	zone->tz = NULL;
	zone->offset = 0;
	if (i >= e->nargs || e->args[i] == NULL)
		return true;
	value = PgBsonExprArg(run, e, i);
	if (PgBsonIsNothing(&value))
		return false;
	name = PgBsonExprToString(e, &value, &len);
	if (!PgBsonFindZone(name, len, zone))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unknown time zone in bson operator \"%s\": \"%.*s\"", e->op->name, (int) len, name)));
	return true;
}

/* The server takes the seconds of an ObjectId for a signed number */
int64
PgBsonExprObjectIdDate(const PgBsonValue *value)
{
	return (int64) (int32) (uint32) PgBsonObjectIdSeconds(value->data) * 1000;
}

int64
PgBsonExprToDate(const PgBsonExpr *e, const PgBsonValue *value)
{
	switch (value->type)
	{
		case PGBSON_DATE:
			return PgBsonReadI64(value->data);
		case PGBSON_TIMESTAMP:
			return (int64) PgBsonReadU32(value->data + 4) * 1000;
		case PGBSON_OBJECTID:
			return PgBsonExprObjectIdDate(value);
		default:
			PgBsonExprWrongType(e, value, gettext_noop("A date, a timestamp or an ObjectId is expected."));
	}
}

/* A date, or an array of one, or a document with "date" and "timezone" */
static void
parse_date(PgBsonExprParser *parser, PgBsonExpr *e, const PgBsonValue *operand)
{
	PgBsonIter	iter;

	if (operand->type == PGBSON_DOCUMENT)
	{
		PgBsonIterInit(&iter, PgBsonValueView(operand));
		if (!PgBsonIterNext(&iter) || iter.key[0] != '$')
		{
			PgBsonExprParseNamed(parser, e, operand);
			return;
		}
	}
	e->args = palloc(sizeof(PgBsonExpr *));
	e->nargs = 1;
	if (operand->type != PGBSON_ARRAY)
	{
		e->args[0] = PgBsonExprParseOperand(parser, operand);
		return;
	}
	if (PgBsonViewCount(PgBsonValueView(operand)) != 1)
		PgBsonExprBadOperand(e, gettext_noop("A date is expected, or a document with \"date\" and \"timezone\"."));
	PgBsonIterInit(&iter, PgBsonValueView(operand));
	(void) PgBsonIterNext(&iter);
	e->args[0] = PgBsonExprParseOperand(parser, &iter.value);
}

static PgBsonValue
eval_part(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonValue value = PgBsonExprArg(run, e, 0);
	PgBsonDateParts parts;
	PgBsonZone	zone;

	if (PgBsonIsNothing(&value) || !PgBsonExprZoneArg(run, e, 1, &zone))
		return PgBsonExprNull();
	PgBsonDateTakeApart(PgBsonExprToDate(e, &value), &zone, &parts);
	switch (e->op->code)
	{
		case YEAR:
			return PgBsonExprInteger(parts.year);
		case MONTH:
			return PgBsonExprInt32(parts.month);
		case DAY_OF_MONTH:
			return PgBsonExprInt32(parts.day);
		case DAY_OF_WEEK:
			return PgBsonExprInt32(parts.weekday + 1);
		case DAY_OF_YEAR:
			return PgBsonExprInt32(parts.yearday);
		case HOUR:
			return PgBsonExprInt32(parts.hour);
		case MINUTE:
			return PgBsonExprInt32(parts.minute);
		case SECOND:
			return PgBsonExprInt32(parts.second);
		case MILLISECOND:
			return PgBsonExprInt32(parts.millisecond);
		case WEEK:
			/* before the first Sunday: 0 */
			return PgBsonExprInt32((parts.yearday - 1 + 7 - parts.weekday) / 7);
		case ISO_WEEK:
			return PgBsonExprInt32(parts.iso_week);
		case ISO_WEEK_YEAR:
			return PgBsonExprInt64(parts.iso_year);
		default:
			return PgBsonExprInt32(parts.weekday == 0 ? 7 : parts.weekday);
	}
}

static void
put_part(PgBsonExprMaker *maker, const char *name, int64 n)
{
	PgBsonValue value = PgBsonExprInteger(n);

	PgBsonExprField(maker, name, strlen(name), &value);
}

/* The arguments: date, timezone, iso8601 */
static PgBsonValue
eval_to_parts(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonValue value = PgBsonExprArg(run, e, 0);
	PgBsonValue iso = PgBsonExprArg(run, e, 2);
	PgBsonDateParts parts;
	PgBsonZone	zone;
	PgBsonExprMaker maker;

	if (PgBsonIsNothing(&value) || !PgBsonExprZoneArg(run, e, 1, &zone))
		return PgBsonExprNull();
	if (e->args[2] != NULL && PgBsonIsNothing(&iso))
		return PgBsonExprNull();
	if (e->args[2] != NULL && iso.type != PGBSON_BOOL)
		PgBsonExprWrongType(e, &iso, gettext_noop("\"iso8601\" must be true or false."));
	PgBsonDateTakeApart(PgBsonExprToDate(e, &value), &zone, &parts);
	PgBsonExprOpen(&maker, 0);
	if (PgBsonExprIsTrue(&iso))
	{
		put_part(&maker, "isoWeekYear", parts.iso_year);
		put_part(&maker, "isoWeek", parts.iso_week);
		put_part(&maker, "isoDayOfWeek", parts.weekday == 0 ? 7 : parts.weekday);
	}
	else
	{
		put_part(&maker, "year", parts.year);
		put_part(&maker, "month", parts.month);
		put_part(&maker, "day", parts.day);
	}
	put_part(&maker, "hour", parts.hour);
	put_part(&maker, "minute", parts.minute);
	put_part(&maker, "second", parts.second);
	put_part(&maker, "millisecond", parts.millisecond);
	return PgBsonExprClose(&maker, PGBSON_DOCUMENT);
}

/* $dateFromParts: its arguments, in this order */
enum
{
	FROM_YEAR, FROM_ISO_YEAR, FROM_MONTH, FROM_ISO_WEEK, FROM_DAY, FROM_ISO_DAY, FROM_HOUR, FROM_MINUTE, FROM_SECOND,
	FROM_MILLISECOND, FROM_ZONE
};

static void
parse_from_parts(PgBsonExprParser *parser, PgBsonExpr *e, const PgBsonValue *operand)
{
	PgBsonExprParseNamed(parser, e, operand);
	if ((e->args[FROM_YEAR] == NULL) == (e->args[FROM_ISO_YEAR] == NULL))
		PgBsonExprBadOperand(e, gettext_noop("Either \"year\" or \"isoWeekYear\" is needed."));
	if (e->args[FROM_YEAR] != NULL ? e->args[FROM_ISO_WEEK] != NULL || e->args[FROM_ISO_DAY] != NULL :
		e->args[FROM_MONTH] != NULL || e->args[FROM_DAY] != NULL)
		PgBsonExprBadOperand(e, gettext_noop("Parts of ISO 8601's weeks do not go with others."));
}

/* A part: false: null */
static bool
part_arg(PgBsonExprRun *run, const PgBsonExpr *e, int i, int64 otherwise, int64 least, int64 most, int64 *part)
{
	PgBsonValue value;

	*part = otherwise;
	if (e->args[i] == NULL)
		return true;
	value = PgBsonExprArg(run, e, i);
	if (PgBsonIsNothing(&value))
		return false;
	*part = PgBsonExprToInt64(e, &value);
	if (*part < least || *part > most)
		PgBsonExprWrongValue(e, i <= FROM_ISO_YEAR ? gettext_noop("A year must be from 1 to 9999.") :
							 gettext_noop("A part is out of its range: from -32768 to 32767."));
	return true;
}

static PgBsonValue
eval_from_parts(PgBsonExprRun *run, const PgBsonExpr *e)
{
	bool		iso = e->args[FROM_ISO_YEAR] != NULL;
	int64		year;
	int64		month;
	int64		day;
	int64		hour;
	int64		minute;
	int64		second;
	int64		millisecond;
	int64		days;
	PgBsonZone	zone;

	if (!part_arg(run, e, iso ? FROM_ISO_YEAR : FROM_YEAR, 1970, 1, 9999, &year) ||
		!part_arg(run, e, iso ? FROM_ISO_WEEK : FROM_MONTH, 1, PG_INT16_MIN, PG_INT16_MAX, &month) ||
		!part_arg(run, e, iso ? FROM_ISO_DAY : FROM_DAY, 1, PG_INT16_MIN, PG_INT16_MAX, &day) ||
		!part_arg(run, e, FROM_HOUR, 0, PG_INT16_MIN, PG_INT16_MAX, &hour) ||
		!part_arg(run, e, FROM_MINUTE, 0, PG_INT16_MIN, PG_INT16_MAX, &minute) ||
		!part_arg(run, e, FROM_SECOND, 0, PG_INT64_MIN / 1000000, PG_INT64_MAX / 1000000, &second) ||
		!part_arg(run, e, FROM_MILLISECOND, 0, PG_INT64_MIN / 1000, PG_INT64_MAX / 1000, &millisecond) ||
		!PgBsonExprZoneArg(run, e, FROM_ZONE, &zone))
		return PgBsonExprNull();
	if (iso)
	{
		/* week 1 has January 4 in it */
		int64		fourth = PgBsonDaysOf(year, 1, 4);
		int64		weekday = (fourth + 4) - divide_down(fourth + 4, 7) * 7;

		days = fourth - (weekday + 6) % 7 + (month - 1) * 7 + day - 1;
	}
	else
		days = PgBsonDaysOf(year, month, day);
	return PgBsonExprDateOf(PgBsonLocalToDate(days * MS_PER_DAY + hour * 3600000 + minute * 60000 +
											  second * 1000 + millisecond, &zone));
}

/* $tsSecond and $tsIncrement */
static PgBsonValue
eval_timestamp(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonValue value = PgBsonExprArg(run, e, 0);

	if (PgBsonIsNothing(&value))
		return PgBsonExprNull();
	if (value.type != PGBSON_TIMESTAMP)
		PgBsonExprWrongType(e, &value, gettext_noop("A timestamp is expected."));
	return PgBsonExprInt64(PgBsonReadU32(value.data + (e->op->code == 0 ? 4 : 0)));
}

#define PART(name, code)	{name, 1, 1, eval_part, code, "date! timezone", parse_date}

static const PgBsonExprOp ops[] = {
	PART("$year", YEAR),
	PART("$month", MONTH),
	PART("$dayOfMonth", DAY_OF_MONTH),
	PART("$dayOfWeek", DAY_OF_WEEK),
	PART("$dayOfYear", DAY_OF_YEAR),
	PART("$hour", HOUR),
	PART("$minute", MINUTE),
	PART("$second", SECOND),
	PART("$millisecond", MILLISECOND),
	PART("$week", WEEK),
	PART("$isoWeek", ISO_WEEK),
	PART("$isoWeekYear", ISO_WEEK_YEAR),
	PART("$isoDayOfWeek", ISO_DAY_OF_WEEK),
	{"$dateToParts", 0, 0, eval_to_parts, 0, "date! timezone iso8601"},
	{"$dateFromParts", 0, 0, eval_from_parts, 0,
		"year isoWeekYear month isoWeek day isoDayOfWeek hour minute second millisecond timezone", parse_from_parts},
	{"$tsSecond", 1, 1, eval_timestamp, 0},
	{"$tsIncrement", 1, 1, eval_timestamp, 1}
};

const PgBsonExprTable PgBsonExprDate = {ops, lengthof(ops)};
