/*
 * expr_date_text.c
 *	  Expressions: dates as text, by a format or as ISO 8601 has them.
 *
 * The authority is MongoDB's src/mongo/db/query/datetime/date_time_support.cpp,
 * and for reading the library timelib, which it calls.
 */
#include "mongo/expr/expr_date.h"

#include "lib/stringinfo.h"

PgBsonValue
PgBsonExprSpellDate(int64 ms)
{
	PgBsonDateParts p;
	char		text[64];
	int			len;

	PgBsonDateTakeApart(ms, NULL, &p);
	if (p.of[PGBSON_YEAR] < 0 || p.of[PGBSON_YEAR] > 9999)
		return PgBsonMissing;
	len = snprintf(text, sizeof(text), "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", (int) p.of[PGBSON_YEAR],
				   (int) p.of[PGBSON_MONTH], (int) p.of[PGBSON_DAY], (int) p.of[PGBSON_HOUR],
				   (int) p.of[PGBSON_MINUTE], (int) p.of[PGBSON_SECOND], (int) p.of[PGBSON_MILLISECOND]);
	return PgBsonMakeString(text, len);
}

PgBsonValue
PgBsonExprSpellTimestamp(uint32 seconds, uint32 increment)
{
	PgBsonDateParts p;
	char		text[64];
	int			len;

	PgBsonDateTakeApart((int64) seconds * 1000, NULL, &p);
	len = snprintf(text, sizeof(text), "%.3s %2d %02d:%02d:%02d:%u", PgBsonMonthNames[p.of[PGBSON_MONTH] - 1],
				   (int) p.of[PGBSON_DAY], (int) p.of[PGBSON_HOUR], (int) p.of[PGBSON_MINUTE],
				   (int) p.of[PGBSON_SECOND], increment);
	return PgBsonMakeString(text, len);
}

/* The letters of formats that stand for numbers */
typedef struct Letter
{
	char		letter;
	PgBsonDatePart part;
	int			width;			/* the number of digits written, and the most that are read */
	int			least;			/* the fewest digits read; 0: the letter cannot be read */
} Letter;

static const Letter letters[] = {
	{'Y', PGBSON_YEAR, 4, 1},
	{'m', PGBSON_MONTH, 2, 1},
	{'d', PGBSON_DAY, 2, 1},
	{'H', PGBSON_HOUR, 2, 1},
	{'M', PGBSON_MINUTE, 2, 2},
	{'S', PGBSON_SECOND, 2, 2},
	{'L', PGBSON_MILLISECOND, 3, 1},
	{'j', PGBSON_DAY_OF_YEAR, 3, 1},
	{'G', PGBSON_ISO_WEEK_YEAR, 4, 1},
	{'V', PGBSON_ISO_WEEK, 2, 1},
	{'u', PGBSON_ISO_DAY_OF_WEEK, 1, 1},
	{'w', PGBSON_DAY_OF_WEEK, 1, 0},
	{'U', PGBSON_WEEK, 2, 0}
};

/* NULL: the letter does not stand for a number */
static const Letter *
find_letter(char c)
{
	for (int i = 0; i < lengthof(letters); i++)
	{
		if (letters[i].letter == c)
			return &letters[i];
	}
	return NULL;
}

/* Write what a letter of a format stands for; false if there is no such letter */
static bool
append_part(const PgBsonExpr *e, StringInfo out, char c, const PgBsonDateParts *p)
{
	const char *month = PgBsonMonthNames[p->of[PGBSON_MONTH] - 1];
	int			east = abs(p->offset);
	const Letter *letter = find_letter(c);

	if (letter != NULL)
	{
		int64		n = p->of[letter->part];

		if (letter->width == 4 && (n < 0 || n > 9999))
			PgBsonExprWrongValue(e, gettext_noop("The year is not from 0 to 9999."));
		appendStringInfo(out, "%0*d", letter->width, (int) n);
		return true;
	}
	switch (c)
	{
		case '%':
			appendStringInfoChar(out, '%');
			return true;
		case 'b':
			appendBinaryStringInfo(out, month, 3);
			return true;
		case 'B':
			appendStringInfoString(out, month);
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
		format = PgBsonMissing;
	else if (PgBsonIsNothing(&format))
		return PgBsonNull;
	if (!PgBsonExprZoneArg(run, e, 2, &zone))
		return PgBsonNull;
	if (format.type != PGBSON_MISSING)
		f = PgBsonExprToString(e, &format, &len);
	else
	{
		f = e->args[2] == NULL || (zone.tz == NULL && zone.offset == 0) ? "%Y-%m-%dT%H:%M:%S.%LZ"
			: "%Y-%m-%dT%H:%M:%S.%L";
		len = strlen(f);
	}
	if (PgBsonIsNothing(&date))
		return e->args[3] != NULL ? PgBsonExprArg(run, e, 3) : PgBsonNull;
	PgBsonDateTakeApart(PgBsonExprToDate(e, &date), &zone, &parts);
	PgBsonDateCountDays(&parts);
	initStringInfo(&out);
	for (uint32 i = 0; i < len; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (f[i] != '%')
			appendStringInfoChar(&out, f[i]);
		else if (++i == len || !append_part(e, &out, f[i], &parts))
			PgBsonExprWrongValue(e, gettext_noop("The format has an unknown letter after a percent sign."));
	}
	return PgBsonMakeString(out.data, out.len);
}

/* Reading */

/* The parts of a date that were read.  A part that is not given is -1, or for a time 0. */
typedef struct FormatReading
{
	int64		of[PGBSON_DATE_NPARTS];
	bool		has_zone;
	PgBsonZone	zone;
} FormatReading;

static const FormatReading nothing_given = {{-1, -1, -1, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1}};

/* The date that the parts which were read make; false if one is out of range */
static bool
finish_format(const FormatReading *r, const PgBsonZone *zone, int64 *ms)
{
	int64		year = r->of[PGBSON_YEAR];
	int64		month = r->of[PGBSON_MONTH];
	int64		day = r->of[PGBSON_DAY];
	int64		days;

	if (r->of[PGBSON_MINUTE] > 59 || r->of[PGBSON_SECOND] > 59)
		return false;
	if (r->of[PGBSON_ISO_WEEK_YEAR] >= 0)
	{
		if (r->of[PGBSON_ISO_WEEK] < 1 || r->of[PGBSON_ISO_WEEK] > 53 ||
			r->of[PGBSON_ISO_DAY_OF_WEEK] < 1 || r->of[PGBSON_ISO_DAY_OF_WEEK] > 7)
			return false;
		days = PgBsonDaysOfWeek(r->of[PGBSON_ISO_WEEK_YEAR], r->of[PGBSON_ISO_WEEK], r->of[PGBSON_ISO_DAY_OF_WEEK]);
	}
	else if (r->of[PGBSON_DAY_OF_YEAR] >= 0)
	{
		if (r->of[PGBSON_DAY_OF_YEAR] < 1 || r->of[PGBSON_DAY_OF_YEAR] > 366)
			return false;
		days = PgBsonDaysOf(year, 1, r->of[PGBSON_DAY_OF_YEAR]);
	}
	else
	{
		days = PgBsonDaysOf(year, month, day);
		if (month < 1 || month > 12 || day < 1 || days >= PgBsonDaysOf(year, month + 1, 1))
			return false;
	}
	*ms = PgBsonDayToDate(days, r->of, r->has_zone ? &r->zone : zone);
	return true;
}

/* Read a number of "least" to "most" digits */
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

/* Read an offset or the abbreviation of a zone, with blanks before it, in parentheses or not */
static bool
read_zone(const char **p, const char *end, FormatReading *r)
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

/* Read a month's name: all letters that follow */
static bool
read_month(const char **p, const char *end, int64 *month)
{
	const char *begin = *p;

	while (*p < end && (**p | 0x20) >= 'a' && (**p | 0x20) <= 'z')
		(*p)++;
	*month = PgBsonReadMonth(begin, *p - begin);
	return *month > 0;
}

/* Read what a letter of a format stands for */
static bool
read_format_part(const char **p, const char *end, char c, FormatReading *r)
{
	const Letter *letter = find_letter(c);
	const char *begin = *p;
	int64		minutes;

	if (letter != NULL)
	{
		/* a day of the year needs the year, which must come before it */
		if ((c == 'j' && r->of[PGBSON_YEAR] < 0) ||
			!read_digits(p, end, letter->least, letter->width, &r->of[letter->part]))
			return false;
		/* a fraction of a second */
		for (int digits = *p - begin; c == 'L' && digits < 3; digits++)
			r->of[PGBSON_MILLISECOND] *= 10;
		return true;
	}
	switch (c)
	{
		case 'b':
		case 'B':
			return read_month(p, end, &r->of[PGBSON_MONTH]);
		case 'z':
			return read_zone(p, end, r);
		case 'Z':
			if (*p == end || (**p != '-' && **p != '+'))
				return false;
			(*p)++;
			if (!read_digits(p, end, 1, 4, &minutes))
				return false;
			r->has_zone = true;
			r->zone.tz = NULL;
			r->zone.offset = (*begin == '-' ? -minutes : minutes) * 60;
			return true;
		case '%':
			return *p < end && *(*p)++ == '%';
		default:
			return false;
	}
}

/*
 * Do the parts that the format gave make a whole date?  A time that is missing, or a part of it, is
 * 0.  Week and day of an ISO year may be missing and are then the first; they do not go together
 * with parts of another kind of date.
 */
static bool
complete_reading(FormatReading *r)
{
	int64	   *of = r->of;

	if (of[PGBSON_HOUR] > 23)
		return false;
	if (of[PGBSON_ISO_WEEK_YEAR] >= 0)
	{
		if (of[PGBSON_ISO_WEEK] < 0)
			of[PGBSON_ISO_WEEK] = 1;
		if (of[PGBSON_ISO_DAY_OF_WEEK] < 0)
			of[PGBSON_ISO_DAY_OF_WEEK] = 1;
		return of[PGBSON_YEAR] < 0 && of[PGBSON_MONTH] < 0 && of[PGBSON_DAY] < 0 && of[PGBSON_DAY_OF_YEAR] < 0;
	}
	return of[PGBSON_ISO_WEEK] < 0 && of[PGBSON_ISO_DAY_OF_WEEK] < 0 && of[PGBSON_YEAR] >= 0 &&
		(of[PGBSON_DAY_OF_YEAR] >= 0 || (of[PGBSON_MONTH] >= 0 && of[PGBSON_DAY] >= 0));
}

/* Read a date by the format; false if the text does not fit */
static bool
read_by_format(const char *s, uint32 len, const char *f, uint32 format_len, const PgBsonZone *zone, int64 *ms)
{
	const char *end = s + len;
	FormatReading r = nothing_given;

	for (uint32 i = 0; i < format_len; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (f[i] == '%' && i + 1 < format_len)
		{
			if (!read_format_part(&s, end, f[++i], &r))
				return false;
		}
		else if (s == end || *s++ != f[i])
			return false;
	}
	if (r.has_zone && zone != NULL && (zone->tz != NULL || zone->offset != 0))
		return false;
	return s == end && complete_reading(&r) && finish_format(&r, zone, ms);
}

/* Check that the format only has letters that can be read */
static void
check_format(const PgBsonExpr *e, const char *f, uint32 len)
{
	for (uint32 i = 0; i < len; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (f[i] == '%' && (++i == len || f[i] == '\0' || strchr("%bBdGHjLmMSuVYzZ", f[i]) == NULL))
			PgBsonExprWrongValue(e, gettext_noop("The format has an unknown letter after a percent sign."));
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

	/* a wrong format or zone is an error whatever the text is, and onError does not apply to it */
	if (e->args[1] != NULL && !PgBsonIsNothing(&format))
	{
		f = PgBsonExprToString(e, &format, &format_len);
		check_format(e, f, format_len);
	}
	has_zone = PgBsonExprZoneArg(run, e, 2, &zone);
	given = e->args[2] == NULL ? NULL : &zone;
	if (PgBsonIsNothing(&text))
		return e->args[4] != NULL ? PgBsonExprArg(run, e, 4) : PgBsonNull;
	if (text.type == PGBSON_STRING && (!has_zone || (e->args[1] != NULL && f == NULL)))
		return PgBsonNull;
	if (text.type == PGBSON_STRING)
	{
		s = PgBsonValueString(&text, &len);
		if (f != NULL ? read_by_format(s, len, f, format_len, given, &ms) :
			PgBsonExprReadDate(s, len, given, &ms))
			return PgBsonMakeDate(ms);
	}
	if (e->args[3] != NULL)
		return PgBsonExprArg(run, e, 3);
	if (text.type != PGBSON_STRING)
		PgBsonExprWrongType(e, &text, gettext_noop("A string is expected."));
	PgBsonExprWrongValue(e, gettext_noop("The string is not a date in the given format or, if none is given, in ISO 8601."));
}

const PgBsonExprOp PgBsonExprDateText[] = {
	{"$dateToString", 0, 0, eval_to_string, 0, "date! format timezone onNull"},
	{"$dateFromString", 0, 0, eval_from_string, 0, "dateString! format timezone onError onNull"},
	{NULL}
};
