/*
 * expr_date.c
 *	  Expressions: the calendar, and the parts of dates.
 *
 * The authority is MongoDB's src/mongo/db/query/datetime/date_time_support.cpp, and
 * src/mongo/db/exec/expression/evaluate_date.cpp.
 */
#include "mongo/expr/expr_date.h"

const char *const PgBsonMonthNames[] = {
	"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
	"December"
};

/* The calendar is counted in eras of 400 years that begin with March, so that leap days come last */

int64
PgBsonDaysOf(int64 year, int64 month, int64 day)
{
	int64		era;
	int64		of_era;
	int64		of_year;

	year += PgBsonDivideDown(month - 1, 12);
	month -= PgBsonDivideDown(month - 1, 12) * 12;
	if (month <= 2)
		year--;
	era = PgBsonDivideDown(year, 400);
	of_era = year - era * 400;
	of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5;
	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468 + day - 1;
}

/* Set year, month and day from the number of days since 1970 */
static void
civil_of(int64 days, PgBsonDateParts *parts)
{
	int64		era;
	int64		of_era;
	int64		year;
	int64		of_year;
	int64		month;

	days += 719468;
	era = PgBsonDivideDown(days, 146097);
	of_era = days - era * 146097;
	year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	of_year = of_era - (365 * year + year / 4 - year / 100);
	month = (5 * of_year + 2) / 153;
	parts->of[PGBSON_DAY] = of_year - (153 * month + 2) / 5 + 1;
	parts->of[PGBSON_MONTH] = month < 10 ? month + 3 : month - 9;
	parts->of[PGBSON_YEAR] = year + era * 400 + (parts->of[PGBSON_MONTH] <= 2);
}

int64
PgBsonDaysOfWeek(int64 year, int64 week, int64 day)
{
	/* week 1 is the week with January 4 */
	int64		fourth = PgBsonDaysOf(year, 1, 4);

	return fourth - (PgBsonWeekday(fourth) + 6) % 7 + (week - 1) * 7 + day - 1;
}

int64
PgBsonDayToDate(int64 days, const int64 parts[], const PgBsonZone *zone)
{
	return PgBsonLocalToDate(days * PGBSON_MS_PER_DAY + parts[PGBSON_HOUR] * 3600000 + parts[PGBSON_MINUTE] * 60000 +
							 parts[PGBSON_SECOND] * 1000 + parts[PGBSON_MILLISECOND], zone);
}

void
PgBsonDateTakeApart(int64 ms, const PgBsonZone *zone, PgBsonDateParts *parts)
{
	int64		days = PgBsonDivideDown(ms, PGBSON_MS_PER_DAY);
	/* not ms less the days, as those of the first date begin before it */
	int64		of_day = (ms % PGBSON_MS_PER_DAY + PGBSON_MS_PER_DAY) % PGBSON_MS_PER_DAY;
	int64	   *of = parts->of;

	parts->offset = PgBsonZoneOffset(PgBsonDivideDown(ms, 1000), zone);
	/* the offset is added to the time of day only, because adding it to the date may overflow */
	of_day += (int64) parts->offset * 1000;
	days += PgBsonDivideDown(of_day, PGBSON_MS_PER_DAY);
	of_day -= PgBsonDivideDown(of_day, PGBSON_MS_PER_DAY) * PGBSON_MS_PER_DAY;

	parts->days = days;
	civil_of(days, parts);
	of[PGBSON_HOUR] = of_day / 3600000;
	of[PGBSON_MINUTE] = of_day / 60000 % 60;
	of[PGBSON_SECOND] = of_day / 1000 % 60;
	of[PGBSON_MILLISECOND] = of_day % 1000;
}

void
PgBsonDateCountDays(PgBsonDateParts *parts)
{
	int64		days = parts->days;
	int			weekday = PgBsonWeekday(days);
	int64	   *of = parts->of;
	PgBsonDateParts thursday;

	of[PGBSON_DAY_OF_WEEK] = weekday + 1;
	of[PGBSON_DAY_OF_YEAR] = days - PgBsonDaysOf(of[PGBSON_YEAR], 1, 1) + 1;
	of[PGBSON_WEEK] = (of[PGBSON_DAY_OF_YEAR] - 1 + 7 - weekday) / 7;

	/* a week of ISO 8601 belongs to the year that its Thursday is in */
	of[PGBSON_ISO_DAY_OF_WEEK] = weekday == 0 ? 7 : weekday;
	days += 4 - of[PGBSON_ISO_DAY_OF_WEEK];
	civil_of(days, &thursday);
	of[PGBSON_ISO_WEEK_YEAR] = thursday.of[PGBSON_YEAR];
	of[PGBSON_ISO_WEEK] = (days - PgBsonDaysOf(thursday.of[PGBSON_YEAR], 1, 1)) / 7 + 1;
}

/* Arguments */

/* MongoDB reads the seconds of an ObjectId as a signed number */
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

/* The argument of $year and the like: a date, an array of one, or {date: ..., timezone: ...} */
static void
parse_date(PgBsonExprParser *parser, PgBsonExpr *e, const PgBsonValue *operand)
{
	PgBsonIter	only;

	if (PgBsonExprIsNamed(operand))
		PgBsonExprParseNamed(parser, e, operand);
	else if (operand->type != PGBSON_ARRAY)
		PgBsonExprParseSingle(parser, e, operand);
	else
	{
		if (PgBsonViewCount(PgBsonValueView(operand)) != 1)
			PgBsonExprBadOperand(e, gettext_noop("A date is expected, or a document with \"date\" and \"timezone\"."));
		(void) PgBsonFirst(operand, &only);
		PgBsonExprParseSingle(parser, e, &only.value);
	}
}

/* $year and the like; op->code is the part.  Null if the date or the zone is null or missing. */
static PgBsonValue
eval_part(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonValue value = PgBsonExprArg(run, e, 0);
	PgBsonDateParts parts;
	PgBsonZone	zone;

	if (PgBsonIsNothing(&value) || !PgBsonExprZoneArg(run, e, 1, &zone))
		return PgBsonNull;
	PgBsonDateTakeApart(PgBsonExprToDate(e, &value), &zone, &parts);
	if (e->op->code > PGBSON_MILLISECOND)
		PgBsonDateCountDays(&parts);
	if (e->op->code == PGBSON_ISO_WEEK_YEAR)
		return PgBsonMakeInt64(parts.of[PGBSON_ISO_WEEK_YEAR]);
	return PgBsonMakeInteger(parts.of[e->op->code]);
}

/* The parts that a date can be made of: as names of arguments and fields, and as numbers of the arguments */
#define PART_NAMES	"year month day hour minute second millisecond isoWeekYear isoWeek isoDayOfWeek timezone"
#define ZONE		(PGBSON_ISO_DAY_OF_WEEK + 1)

static const struct
{
	const char *name;
	int64		otherwise;		/* if it is not given */
	int64		least;
	int64		most;
}			part_kinds[] = {
	{"year", 0, 1, 9999},
	{"month", 1, PG_INT16_MIN, PG_INT16_MAX},
	{"day", 1, PG_INT16_MIN, PG_INT16_MAX},
	{"hour", 0, PG_INT16_MIN, PG_INT16_MAX},
	{"minute", 0, PG_INT16_MIN, PG_INT16_MAX},
	{"second", 0, PG_INT64_MIN / 1000000, PG_INT64_MAX / 1000000},
	{"millisecond", 0, PG_INT64_MIN / 1000, PG_INT64_MAX / 1000},
	{"isoWeekYear", 0, 1, 9999},
	{"isoWeek", 1, PG_INT16_MIN, PG_INT16_MAX},
	{"isoDayOfWeek", 1, PG_INT16_MIN, PG_INT16_MAX}
};

/* $dateToParts: the arguments are date, timezone, iso8601 */
static PgBsonValue
eval_to_parts(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonValue value = PgBsonExprArg(run, e, 0);
	PgBsonValue iso = PgBsonExprArg(run, e, 2);
	PgBsonDateParts parts;
	PgBsonZone	zone;
	PgBsonWriter maker;

	if (PgBsonIsNothing(&value) || !PgBsonExprZoneArg(run, e, 1, &zone))
		return PgBsonNull;
	if (e->args[2] != NULL && PgBsonIsNothing(&iso))
		return PgBsonNull;
	if (e->args[2] != NULL && iso.type != PGBSON_BOOL)
		PgBsonExprWrongType(e, &iso, gettext_noop("\"iso8601\" must be true or false."));
	PgBsonDateTakeApart(PgBsonExprToDate(e, &value), &zone, &parts);
	PgBsonDateCountDays(&parts);
	PgBsonWriterBegin(&maker, 0);
	for (int i = PGBSON_YEAR; i <= PGBSON_MILLISECOND; i++)
	{
		int			part = i <= PGBSON_DAY && PgBsonExprIsTrue(&iso) ? i + PGBSON_ISO_WEEK_YEAR : i;
		PgBsonValue n = PgBsonMakeInteger(parts.of[part]);

		PgBsonWriterField(&maker, part_kinds[part].name, strlen(part_kinds[part].name), &n);
	}
	return PgBsonWriterEnd(&maker, PGBSON_DOCUMENT);
}

/* $dateFromParts: the arguments are PART_NAMES */
static void
parse_from_parts(PgBsonExprParser *parser, PgBsonExpr *e, const PgBsonValue *operand)
{
	PgBsonExprParseNamed(parser, e, operand);
	if ((e->args[PGBSON_YEAR] == NULL) == (e->args[PGBSON_ISO_WEEK_YEAR] == NULL))
		PgBsonExprBadOperand(e, gettext_noop("Either \"year\" or \"isoWeekYear\" is needed."));
	if (e->args[PGBSON_YEAR] != NULL ? e->args[PGBSON_ISO_WEEK] != NULL || e->args[PGBSON_ISO_DAY_OF_WEEK] != NULL :
		e->args[PGBSON_MONTH] != NULL || e->args[PGBSON_DAY] != NULL)
		PgBsonExprBadOperand(e, gettext_noop("Parts of ISO 8601's weeks cannot be combined with other parts."));
}

/* The value of a part; false if it is null */
static bool
part_arg(PgBsonExprRun *run, const PgBsonExpr *e, int part, int64 *n)
{
	PgBsonValue value;

	*n = part_kinds[part].otherwise;
	if (e->args[part] == NULL)
		return true;
	value = PgBsonExprArg(run, e, part);
	if (PgBsonIsNothing(&value))
		return false;
	*n = PgBsonExprToInt64(e, &value);
	if (*n < part_kinds[part].least || *n > part_kinds[part].most)
		PgBsonExprWrongValue(e, part == PGBSON_YEAR || part == PGBSON_ISO_WEEK_YEAR ?
							 gettext_noop("A year must be from 1 to 9999.") :
							 gettext_noop("A part is out of its range: from -32768 to 32767."));
	return true;
}

static PgBsonValue
eval_from_parts(PgBsonExprRun *run, const PgBsonExpr *e)
{
	bool		iso = e->args[PGBSON_ISO_WEEK_YEAR] != NULL;
	int64		parts[PGBSON_MILLISECOND + 1];
	int64		days;
	PgBsonZone	zone;

	for (int i = PGBSON_YEAR; i <= PGBSON_MILLISECOND; i++)
	{
		if (!part_arg(run, e, iso && i <= PGBSON_DAY ? i + PGBSON_ISO_WEEK_YEAR : i, &parts[i]))
			return PgBsonNull;
	}
	if (!PgBsonExprZoneArg(run, e, ZONE, &zone))
		return PgBsonNull;
	days = iso ? PgBsonDaysOfWeek(parts[0], parts[1], parts[2]) : PgBsonDaysOf(parts[0], parts[1], parts[2]);
	return PgBsonMakeDate(PgBsonDayToDate(days, parts, &zone));
}

/* $tsSecond and $tsIncrement: four bytes of the timestamp, from number "code" on */
static PgBsonValue
timestamp_part(const PgBsonExpr *e, const PgBsonValue *args)
{
	return PgBsonMakeInt64(PgBsonReadU32(args[0].data + e->op->code));
}

#define PART(name, code)	{name, 1, 1, eval_part, code, "date! timezone", parse_date}

const PgBsonExprOp PgBsonExprDate[] = {
	PART("$year", PGBSON_YEAR),
	PART("$month", PGBSON_MONTH),
	PART("$dayOfMonth", PGBSON_DAY),
	PART("$dayOfWeek", PGBSON_DAY_OF_WEEK),
	PART("$dayOfYear", PGBSON_DAY_OF_YEAR),
	PART("$hour", PGBSON_HOUR),
	PART("$minute", PGBSON_MINUTE),
	PART("$second", PGBSON_SECOND),
	PART("$millisecond", PGBSON_MILLISECOND),
	PART("$week", PGBSON_WEEK),
	PART("$isoWeek", PGBSON_ISO_WEEK),
	PART("$isoWeekYear", PGBSON_ISO_WEEK_YEAR),
	PART("$isoDayOfWeek", PGBSON_ISO_DAY_OF_WEEK),
	{"$dateToParts", 0, 0, eval_to_parts, 0, "date! timezone iso8601"},
	{"$dateFromParts", 0, 0, eval_from_parts, 0, PART_NAMES, parse_from_parts},
	PGBSON_EXPR_SIMPLE("$tsSecond", "t", timestamp_part, 4),
	PGBSON_EXPR_SIMPLE("$tsIncrement", "t", timestamp_part, 0),
	{NULL}
};
