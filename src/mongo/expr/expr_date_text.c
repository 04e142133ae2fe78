/*
 * expr_date_text.c
 *	  Expressions: dates as text, by a format or as ISO 8601 has them.
 *
 * The authority is MongoDB's src/mongo/db/query/datetime/date_time_support.cpp,
 * and for reading the library timelib, which it calls.
 */
#include "mongo/expr/expr_date.h"

#include "lib/stringinfo.h"
#include "miscadmin.h"

static const char *const month_names[] = {
	"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"
};

bool
PgBsonExprSpellDate(int64 ms, PgBsonValue *result)
{
	PgBsonDateParts p;
	char		text[64];
	int			len;

	PgBsonDateTakeApart(ms, NULL, &p);
	if (p.year < 0 || p.year > 9999)
		return false;
	len = snprintf(text, sizeof(text), "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", (int) p.year, p.month, p.day,
				   p.hour, p.minute, p.second, p.millisecond);
	*result = PgBsonExprText(text, len);
	return true;
}

PgBsonValue
PgBsonExprSpellTimestamp(uint32 seconds, uint32 increment)
{
	PgBsonDateParts p;
	char		text[64];
	int			len;

	PgBsonDateTakeApart((int64) seconds * 1000, NULL, &p);
	len = snprintf(text, sizeof(text), "%.3s %2d %02d:%02d:%02d:%u", month_names[p.month - 1], p.day,
				   p.hour, p.minute, p.second, increment);
	return PgBsonExprText(text, len);
}

/* One letter of a format; false: there is none of it */
static bool
append_part(const PgBsonExpr *e, StringInfo out, char letter, const PgBsonDateParts *p)
{
	int			east = p->offset < 0 ? -p->offset : p->offset;

	switch (letter)
	{
		case '%':
			appendStringInfoChar(out, '%');
			return true;
		case 'Y':
		case 'G':
			{
				int64		year = letter == 'Y' ? p->year : p->iso_year;

				if (year < 0 || year > 9999)
					PgBsonExprWrongValue(e, gettext_noop("The year is not from 0 to 9999."));
				appendStringInfo(out, "%04d", (int) year);
				return true;
			}
		case 'm':
			appendStringInfo(out, "%02d", p->month);
			return true;
		case 'd':
			appendStringInfo(out, "%02d", p->day);
			return true;
		case 'H':
			appendStringInfo(out, "%02d", p->hour);
			return true;
		case 'M':
			appendStringInfo(out, "%02d", p->minute);
			return true;
		case 'S':
			appendStringInfo(out, "%02d", p->second);
			return true;
		case 'L':
			appendStringInfo(out, "%03d", p->millisecond);
			return true;
		case 'j':
			appendStringInfo(out, "%03d", p->yearday);
			return true;
		case 'w':
			appendStringInfo(out, "%d", p->weekday + 1);
			return true;
		case 'u':
			appendStringInfo(out, "%d", p->weekday == 0 ? 7 : p->weekday);
			return true;
		case 'U':
			appendStringInfo(out, "%02d", (p->yearday - 1 + 7 - p->weekday) / 7);
			return true;
		case 'V':
			appendStringInfo(out, "%02d", p->iso_week);
			return true;
		case 'b':
			appendBinaryStringInfo(out, month_names[p->month - 1], 3);
			return true;
		case 'B':
			appendStringInfoString(out, month_names[p->month - 1]);
			return true;
		case 'z':
			appendStringInfo(out, "%c%02d%02d", p->offset < 0 ? '-' : '+', east / 3600, east / 60 % 60);
			return true;
		case 'Z':
			appendStringInfo(out, "%s%d", p->offset < 0 ? "-" : "", east / 60);
			return true;
		default:
			return false;
	}
}

/* $dateToString: the arguments are date, format, timezone, onNull */
static PgBsonValue
eval_to_string(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonValue date = PgBsonExprArg(run, e, 0);
	PgBsonValue format = PgBsonExprArg(run, e, 1);
	PgBsonZone	zone;
	PgBsonDateParts parts;
	StringInfoData out;
	const char *f;
	uint32		len;

	if (e->args[1] == NULL)
		format = PgBsonExprMissing();
	else if (PgBsonIsNothing(&format))
		return PgBsonExprNull();
	if (!PgBsonExprZoneArg(run, e, 2, &zone))
		return PgBsonExprNull();
	if (format.type != PGBSON_MISSING)
		f = PgBsonExprToString(e, &format, &len);
	else
	{
		f = e->args[2] == NULL || (zone.tz == NULL && zone.offset == 0) ? "%Y-%m-%dT%H:%M:%S.%LZ" : "%Y-%m-%dT%H:%M:%S.%L";
		len = strlen(f);
	}
	if (PgBsonIsNothing(&date))
		return e->args[3] != NULL ? PgBsonExprArg(run, e, 3) : PgBsonExprNull();
	PgBsonDateTakeApart(PgBsonExprToDate(e, &date), &zone, &parts);
	initStringInfo(&out);
	for (uint32 i = 0; i < len; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (f[i] != '%')
			appendStringInfoChar(&out, f[i]);
		else if (++i == len || !append_part(e, &out, f[i], &parts))
			PgBsonExprWrongValue(e, gettext_noop("The format has a letter after a percent sign that is none of a date."));
	}
	return PgBsonExprText(out.data, out.len);
}

/* Reading */

/* What was read of a date */
typedef struct Reading
{
	int64		year;
	int64		month;
	int64		day;
	int64		hour;
	int64		minute;
	int64		second;
	int64		millisecond;
	int64		yearday;		/* -1: not given */
	int64		iso_year;		/* -1: not given */
	int64		iso_week;
	int64		iso_day;
	bool		has_zone;
	PgBsonZone	zone;
} Reading;

static const Reading nothing_given = {-1, -1, -1, 0, 0, 0, 0, -1, -1, -1, -1};

static int
days_in_month(int64 year, int64 month)
{
	return PgBsonDaysOf(year, month + 1, 1) - PgBsonDaysOf(year, month, 1);
}

/* The date, if the parts are in range */
static bool
finish_reading(const Reading *r, const PgBsonZone *zone, int64 *ms)
{
	int64		days;

	if (r->hour > 24 || r->minute > 59 || r->second > 59 || (r->hour == 24 && (r->minute | r->second) != 0))
		return false;
	if (r->iso_year >= 0)
	{
		int64		fourth = PgBsonDaysOf(r->iso_year, 1, 4);

		if (r->iso_week < 1 || r->iso_week > 53 || r->iso_day < 1 || r->iso_day > 7)
			return false;
		days = fourth - ((fourth + 3) % 7 + 7) % 7 + (r->iso_week - 1) * 7 + r->iso_day - 1;
	}
	else if (r->yearday >= 0)
	{
		if (r->yearday < 1 || r->yearday > 366)
			return false;
		days = PgBsonDaysOf(r->year, 1, r->yearday);
	}
	else
	{
		if (r->month < 1 || r->month > 12 || r->day < 1 || r->day > days_in_month(r->year, r->month))
			return false;
		days = PgBsonDaysOf(r->year, r->month, r->day);
	}
	*ms = PgBsonLocalToDate(days * INT64CONST(86400000) + r->hour * 3600000 + r->minute * 60000 +
							r->second * 1000 + r->millisecond, r->has_zone ? &r->zone : zone);
	return true;
}

/* From "least" to "most" digits */
static bool
read_digits(const char **p, const char *end, int least, int most, int64 *n)
{
	int			count = 0;

	*n = 0;
	while (*p < end && count < most && **p >= '0' && **p <= '9')
	{
		*n = *n * 10 + (**p - '0');
		(*p)++;
		count++;
	}
	return count >= least;
}

/* A fraction of a second of up to three digits, in milliseconds */
static bool
read_fraction(const char **p, const char *end, int64 *ms)
{
	const char *begin = *p;

	if (!read_digits(p, end, 1, 3, ms))
		return false;
	for (int digits = *p - begin; digits < 3; digits++)
		*ms *= 10;
	return true;
}

/* An offset, or the name of one, with the blanks before it and in parentheses or not */
static bool
read_zone(const char **p, const char *end, Reading *r)
{
	const char *begin;
	bool		read;

	while (*p < end && (**p == ' ' || **p == '\t' || **p == '('))
		(*p)++;
	begin = *p;
	r->has_zone = true;
	while (*p < end && (((**p | 0x20) >= 'a' && (**p | 0x20) <= 'z') || (**p >= '0' && **p <= '9') ||
						**p == '+' || **p == '-' || **p == ':' || **p == '/' || **p == '_'))
		(*p)++;
	read = PgBsonReadZone(begin, *p - begin, &r->zone);
	while (*p < end && **p == ')')
		(*p)++;
	return read;
}

/* A month by its name, which is all letters that there are */
static bool
read_month(const char **p, const char *end, int64 *month)
{
	const char *begin = *p;

	while (*p < end && (**p | 0x20) >= 'a' && (**p | 0x20) <= 'z')
		(*p)++;
	*month = PgBsonReadMonth(begin, *p - begin);
	return *month > 0;
}

/* One letter of a format */
static bool
read_part(const char **p, const char *end, char letter, Reading *r)
{
	switch (letter)
	{
		case 'Y':
			return read_digits(p, end, 1, 4, &r->year);
		case 'm':
			return read_digits(p, end, 1, 2, &r->month);
		case 'd':
			return read_digits(p, end, 1, 2, &r->day);
		case 'H':
			return read_digits(p, end, 1, 2, &r->hour);
		case 'M':
			return read_digits(p, end, 2, 2, &r->minute);
		case 'S':
			return read_digits(p, end, 2, 2, &r->second);
		case 'L':
			return read_fraction(p, end, &r->millisecond);
		case 'j':
			/* it counts in a year that was read before it */
			return r->year >= 0 && read_digits(p, end, 1, 3, &r->yearday);
		case 'G':
			return read_digits(p, end, 1, 4, &r->iso_year);
		case 'V':
			return read_digits(p, end, 1, 2, &r->iso_week);
		case 'u':
			return read_digits(p, end, 1, 1, &r->iso_day);
		case 'b':
		case 'B':
			return read_month(p, end, &r->month);
		case 'z':
			return read_zone(p, end, r);
		case 'Z':
			{
				bool		minus = *p < end && **p == '-';
				int64		minutes;

				if (*p == end || (**p != '-' && **p != '+'))
					return false;
				(*p)++;
				if (!read_digits(p, end, 1, 4, &minutes))
					return false;
				r->has_zone = true;
				r->zone.tz = NULL;
				r->zone.offset = (minus ? -minutes : minutes) * 60;
				return true;
			}
		case '%':
			return *p < end && *(*p)++ == '%';
		default:
			return false;
	}
}

/*
 * Is what was given by a format a whole date?  The time is midnight, or what is
 * missing of it 0.  The first week and day of an ISO year may be left out; its
 * parts go with no other part of a date.
 */
static bool
complete_reading(Reading *r)
{
	if (r->hour > 23)
		return false;
	if (r->iso_year >= 0)
	{
		if (r->iso_week < 0)
			r->iso_week = 1;
		if (r->iso_day < 0)
			r->iso_day = 1;
		return r->year < 0 && r->month < 0 && r->day < 0 && r->yearday < 0;
	}
	return r->iso_week < 0 && r->iso_day < 0 && r->year >= 0 &&
		(r->yearday >= 0 || (r->month >= 0 && r->day >= 0));
}

static bool
read_by_format(const char *s, uint32 len, const char *f, uint32 format_len, const PgBsonZone *zone, int64 *ms)
{
	const char *end = s + len;
	Reading		r = nothing_given;

	for (uint32 i = 0; i < format_len; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (f[i] == '%' && i + 1 < format_len)
		{
			if (!read_part(&s, end, f[++i], &r))
				return false;
		}
		else if (s == end || *s++ != f[i])
			return false;
	}
	if (r.has_zone && zone != NULL && (zone->tz != NULL || zone->offset != 0))
		return false;
	return s == end && complete_reading(&r) && finish_reading(&r, zone, ms);
}

/* Only letters that can be read */
static void
check_format(const PgBsonExpr *e, const char *f, uint32 len)
{
	for (uint32 i = 0; i < len; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (f[i] == '%' && (++i == len || f[i] == '\0' || strchr("%bBdGHjLmMSuVYzZ", f[i]) == NULL))
			PgBsonExprWrongValue(e, gettext_noop("The format has a letter after a percent sign that is none of a date."));
	}
}

/* $dateFromString: the arguments are dateString, format, timezone, onError, onNull */
static PgBsonValue
eval_from_string(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonValue text = PgBsonExprArg(run, e, 0);
	PgBsonValue format = PgBsonExprArg(run, e, 1);
	const PgBsonZone *given;
	PgBsonZone	zone;
	const char *s;
	const char *f = NULL;
	uint32		len;
	uint32		format_len = 0;
	int64		ms;
	bool		has_zone;

	/* what is wrong with the format or the zone is an error whatever the text is, and not for onError */
	if (e->args[1] != NULL && !PgBsonIsNothing(&format))
	{
		f = PgBsonExprToString(e, &format, &format_len);
		check_format(e, f, format_len);
	}
	has_zone = PgBsonExprZoneArg(run, e, 2, &zone);
	given = e->args[2] == NULL ? NULL : &zone;
	if (PgBsonIsNothing(&text))
		return e->args[4] != NULL ? PgBsonExprArg(run, e, 4) : PgBsonExprNull();
	if (text.type == PGBSON_STRING && (!has_zone || (e->args[1] != NULL && f == NULL)))
		return PgBsonExprNull();
	if (text.type == PGBSON_STRING)
	{
		s = PgBsonValueString(&text, &len);
		if (f != NULL ? read_by_format(s, len, f, format_len, given, &ms) :
			PgBsonExprReadDate(s, len, given, &ms))
			return PgBsonExprDateOf(ms);
	}
	if (e->args[3] != NULL)
		return PgBsonExprArg(run, e, 3);
	if (text.type != PGBSON_STRING)
		PgBsonExprWrongType(e, &text, gettext_noop("A string is expected."));
	PgBsonExprWrongValue(e, gettext_noop("The string is no date of the format, or of ISO 8601 where none is given."));
}

static const PgBsonExprOp ops[] = {
	{"$dateToString", 0, 0, eval_to_string, 0, "date! format timezone onNull"},
	{"$dateFromString", 0, 0, eval_from_string, 0, "dateString! format timezone onError onNull"}
};

const PgBsonExprTable PgBsonExprDateText = {ops, lengthof(ops)};
