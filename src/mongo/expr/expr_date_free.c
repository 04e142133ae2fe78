/*
 * expr_date_free.c
 *	  Expressions: dates as people write them.
 *
 * The authority is the library timelib 2022.10 as MongoDB's server calls it in
 * src/mongo/db/query/datetime/date_time_support.cpp (fromString), which makes timelib ignore names
 * of zones.  A text is a row of items: a date, a time, a zone, a day of the week.  At each place
 * the longest item that fits is taken; if several have that length, the first in the table.  Dates
 * relative to another ("+1 day") are recognized only to be refused; otherwise they might be read as
 * something else.
 */
#include "mongo/expr/expr_date.h"

#include "common/int.h"
#include "core/bytes/digits.h"
#include "mongo/common/regex.h"

/* Beyond this number of days before or after 1970, 64 bits cannot hold the milliseconds */
#define MOST_DAYS	INT64CONST(106751991167)

/* What was read of a date */
typedef struct Reading
{
	bool		has_date;
	bool		has_time;
	bool		has_zone;
	bool		has_year;
	int64		year;
	int			month;			/* -1: none was read */
	int			day;			/* the same */
	int			hour;
	int			minute;
	int			second;
	int			millisecond;
	int			days;			/* to be added to the date, for a week of the year */
	int			weekday;		/* the date is moved on to this day; 0: Sunday; -1: no day of the week was read */
	PgBsonZone	zone;
} Reading;

/* Parts of regular expressions for the forms.  Each matches the longest text that it can. */
#define ANY_MONTH	"(1[0-2]|0?[0-9])"
#define MONTH		"(0[0-9]|1[0-2])"
#define ANY_DAY		"(3[01]|[0-2]?[0-9])(?:st|nd|rd|th)?"
#define DAY			"(0[0-9]|[1-2][0-9]|3[01])"
#define SHORT_NAME	"(?i:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)"
#define LONG_NAME	"(?i:january|february|march|april|june|july|august|september|october|november|december)"
#define NAME		"(" LONG_NAME "|" SHORT_NAME "|VIII|VII|VI|IV|V|IX|XII|XI|X|III|II|I)"
#define ANY_HOUR	"(2[0-4]|[01]?[0-9])"
#define HOUR		"([01][0-9]|2[0-4])"
#define HOUR_OF_12	"(1[0-2]|0?[1-9])"
#define ANY_MINUTE	"([0-5]?[0-9])"
#define MINUTE		"([0-5][0-9])"
#define ANY_SECOND	"(60|[0-5]?[0-9])"
#define SECOND		"([0-5][0-9]|60)"
#define HALF		"([AaPp])\\.?[Mm]\\.?(?:[\\0\\t ]|\\z)"
#define BLANKS		"(?:[ \\t]+|\\x{a0}+|\\x{202f}+)"
#define OFFSET		"(?:GMT)?[+-](?:[01][0-9]|2[0-4]):?[0-5][0-9]:?(?:[0-5][0-9]|60)|(?:GMT)?[+-](?:2[0-4]|[01]?[0-9])(?::?[0-5]?[0-9])?"
#define BETWEEN		"[ .\\t-]*"
#define BEHIND_DAY	"(?:[,.stndrh\\t ]+|\\0|\\z)"
#define WEEKDAY		"(?i:sun(?:days?)?|mon(?:days?)?|tue(?:sdays?)?|wed(?:nesdays?)?|thu(?:rsdays?)?|fri(?:days?)?|sat(?:urdays?)?)"
#define UNIT		"(?i:(?:msec|millisecond|\\x{b5}sec|microsecond|usec|sec|second|min|minute|hour|day|fortnight|forthnight|month|year)s?|ms|\\x{b5}s|weeks?|weekdays?|" WEEKDAY ")"
#define ORDINAL		"(?i:first|second|third|fourth|fifth|sixth|seventh|eighth?|ninth|tenth|eleventh|twelfth|next|last|previous|this)"

/*
 * The forms of an item, and what the groups of each form are: Y year, y year (two digits are one
 * from 1970 to 2069), m month, b its name, d day, o day of the year, W week of the year and its day
 * w; h hour, k that of twelve, i minute, s second, f fraction; z and Z zone, a day of the week.
 * Letters for the whole form: N noon, M midnight, q a year without a date, t a time or a year, !
 * refused.
 */
static const struct
{
	const char *pattern;
	const char *parts;
}			forms[] = {
	{"(?i:yesterday|now|tomorrow|ago|@-?[0-9]+(?:\\.[0-9]{0,6})?|(?:first day|last day|back|front) of)", "!"},
	{"(?i:noon)", "N"},
	{"(?i:midnight|today)", "M"},
	{HOUR_OF_12 "(?:[:.]" ANY_MINUTE "[:.]" SECOND ")" BLANKS "?" HALF, "kisp"},
	{HOUR_OF_12 "(?:[:.]" MINUTE ")?" BLANKS "?" HALF, "kip"},
	{HOUR_OF_12 ":" MINUTE ":" SECOND "[:.]([0-9]+)" HALF, "kisfp"},
	{"[tT]" ANY_HOUR, "h"},
	{"[tT]?" ANY_HOUR "[:.]" ANY_MINUTE "(?:[:.]" ANY_SECOND "(?:\\.([0-9]+))?)?", "hisf"},
	{"[tT]?(?:[01][0-9]|2[0-4])[0-5][0-9]", "t"},
	{"[tT]?" HOUR MINUTE SECOND, "his"},
	{ANY_MONTH "/" ANY_DAY "(?:/([0-9]{1,4}))?", "mdy"},
	{"([+-]?[0-9]{4})-" MONTH "-" DAY, "Ymd"},
	{"([0-9]{4})/" MONTH "/" DAY "/?", "Ymd"},
	{"([0-9]{4})/" ANY_MONTH "/" ANY_DAY, "Ymd"},
	{"([+-][0-9]{5,19})-" MONTH "-" DAY, "Ymd"},
	{"([0-9]{4})-" ANY_MONTH, "Ym"},
	{"([0-9]{1,4})-" ANY_MONTH "-" ANY_DAY, "ymd"},
	{ANY_DAY BETWEEN NAME BETWEEN "([0-9]{1,4})", "dby"},
	{ANY_DAY "[.\\t-]" ANY_MONTH "[.-]([0-9]{4})", "dmY"},
	{ANY_DAY "[.\\t]" ANY_MONTH "\\.([0-9]{2})", "dmy"},
	{NAME BETWEEN "([0-9]{4})", "bY"},
	{"([0-9]{4})" BETWEEN NAME, "Yb"},
	{NAME BETWEEN ANY_DAY "[,.stndrh\\t ]+([0-9]{1,4})", "bdy"},
	{NAME BETWEEN ANY_DAY BEHIND_DAY, "bd"},
	{ANY_DAY BETWEEN NAME, "db"},
	{"([0-9]{4})" MONTH DAY, "Ymd"},
	{"([0-9]{4})" MONTH DAY "T" ANY_HOUR ":" MINUTE ":" SECOND, "Ymdhis"},
	{"([0-9]{4})" MONTH DAY "[tT]" ANY_HOUR MINUTE SECOND, "Ymdhis"},
	{"([0-9]{4})-" MONTH "-" DAY "T" HOUR ":" MINUTE ":" SECOND "\\.([0-9]+)(" OFFSET ")?", "Ymdhisfz"},
	{"([0-9]{4})-" ANY_MONTH "-" ANY_DAY "T" ANY_HOUR ":" ANY_MINUTE ":" ANY_SECOND, "Ymdhis"},
	{"([0-9]{4}):" MONTH ":" DAY " " HOUR ":" MINUTE ":" SECOND, "Ymdhis"},
	{"([0-9]{4})[.-]?(00[1-9]|0[1-9][0-9]|[1-2][0-9]{2}|3[0-5][0-9]|36[0-6])", "Yo"},
	{"([0-9]{4})-?W(0[1-9]|[1-4][0-9]|5[0-3])(?:-?([0-7]))?", "YWw"},
	{"(" SHORT_NAME ")-" DAY "-([0-9]{1,4})", "bdy"},
	{"([0-9]{1,4})-(" SHORT_NAME ")-" DAY, "ybd"},
	{ANY_DAY "/(" SHORT_NAME ")/([0-9]{4}):" HOUR ":" MINUTE ":" SECOND BLANKS "(" OFFSET ")", "dbYhisz"},
	{"[0-9]{4}", "q"},
	{"(" WEEKDAY ")", "a"},
	{ORDINAL BLANKS UNIT "(?:" BLANKS "(?i:of))?", "!"},
	{"(" LONG_NAME "|" SHORT_NAME ")", "b"},
	{"(" OFFSET "|[A-Z][a-z]+(?:[_/-][A-Za-z]+)+|\\(?[A-Za-z]{1,6}\\)?)", "Z"},
	{NAME BETWEEN ANY_DAY BEHIND_DAY HOUR_OF_12 "[:.]" MINUTE "(?:[:.]" SECOND ")?" BLANKS "?" HALF, "bdkisp"},
	{NAME BETWEEN ANY_DAY BEHIND_DAY "[tT]?" ANY_HOUR "[:.]" ANY_MINUTE "(?::" ANY_SECOND ")?", "bdhis"},
	{NAME BETWEEN ANY_DAY BEHIND_DAY "[tT]?" ANY_HOUR ":" ANY_MINUTE ":" SECOND BLANKS "?(" OFFSET "|[A-Z][a-z]+(?:[_/-][A-Za-z]+)+|\\(?[A-Za-z]{1,6}\\)?)", "bdhisz"},
	{"[+-]*[ \\t]*[0-9]{1,13}" BLANKS "?" UNIT, "!"},
};

/* The most groups of a form, counting the whole match */
#define MOST_GROUPS	9

/* The compiled expression of a form, made at its first use, which lasts as long as the backend */
static PgBsonRegex *
form_ready(int i)
{
	static PgBsonRegex *ready[lengthof(forms)];
	static MemoryContext context = NULL;
	MemoryContext old;
	char		anchored[1024];
	int			len;

	if (ready[i] == NULL)
	{
		if (context == NULL)
			context = AllocSetContextCreate(TopMemoryContext, "bson forms of dates", ALLOCSET_SMALL_SIZES);
		old = MemoryContextSwitchTo(context);
		len = snprintf(anchored, sizeof(anchored), "^(?:%s)", forms[i].pattern);
		Assert(len < sizeof(anchored));
		ready[i] = PgBsonRegexMake(anchored, len, "", 0);
		Assert(PgBsonRegexGroups(ready[i]) <= MOST_GROUPS);
		MemoryContextSwitchTo(old);
	}
	return ready[i];
}

/* Find the item at this place; returns the number of its form and sets its groups, or returns -1 */
static int
find_form(const char *s, uint32 len, int64 *groups)
{
	int64		of_form[MOST_GROUPS * 2];
	int			found = -1;

	for (int i = 0; i < lengthof(forms); i++)
	{
		if (PgBsonRegexFind(form_ready(i), s, len, 0, of_form) &&
			(found < 0 || of_form[1] > groups[1]))
		{
			found = i;
			memcpy(groups, of_form, sizeof(of_form));
		}
	}
	return found;
}

int
PgBsonReadMonth(const char *s, uint32 len)
{
	const char *const *names = PgBsonMonthNames;
	static const char *const roman[] = {"i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii"};

	for (int i = 0; i < 12; i++)
	{
		if (((len == 3 || len == strlen(names[i]) || (len == 4 && i == 8)) && pg_strncasecmp(s, names[i], len) == 0) ||
			(len == strlen(roman[i]) && pg_strncasecmp(s, roman[i], len) == 0))
			return i + 1;
	}
	return 0;
}

/* Take a day of the week by its first three letters, which must name one */
static int
weekday_of(const char *s)
{
	static const char names[] = "sunmontuewedthufrisat";
	int			day = 0;

	while (day < 6 && pg_strncasecmp(s, names + day * 3, 3) != 0)
		day++;
	return day;
}

static int64
number_in_date(const char *s, const char *end)
{
	int64		n = 0;
	const char *p = *s == '+' || *s == '-' ? s + 1 : s;

	/* years of nine digits or more are outside the range of dates */
	for (; p < end; p++)
		n = Min(n * 10 + (*p - '0'), INT64CONST(999999999));
	return *s == '-' ? -n : n;
}

/* The first day of a week of the year, in days from January 1; week 1 is the one with the first Thursday */
static int
week_begin(int64 year, int week)
{
	int			weekday = PgBsonWeekday(PgBsonDaysOf(year, 1, 1));

	return (weekday > 4 ? 7 - weekday : -weekday) + (week - 1) * 7;
}

/* Reset the time to midnight */
static void
clear_time(Reading *r)
{
	r->has_time = false;
	r->hour = r->minute = r->second = r->millisecond = 0;
}

/* Note that a date, or a time, begins; false if the text already has one */
static bool
begin_item(Reading *r, const char *parts)
{
	if (strpbrk(parts, "mbdoW") != NULL)
	{
		if (r->has_date)
			return false;
		r->has_date = true;
	}
	if (strpbrk(parts, "hkN") != NULL)
	{
		if (r->has_time && *parts != 'N')
			return false;
		clear_time(r);
		r->has_time = true;
	}
	return true;
}

/* Take a zone, with or without parentheses; false if there is none of this name */
static bool
read_zone_group(Reading *r, const char *s, const char *end)
{
	while (s < end && *s == '(')
		s++;
	while (s < end && end[-1] == ')')
		end--;
	return PgBsonReadZone(s, end - s, &r->zone);
}

/* A group of a date */
static void
read_date_part(Reading *r, char part, const char *s, const char *end)
{
	int64		n = number_in_date(s, end);

	switch (part)
	{
		case 'y':
			if (n < 100 && end - s < 4)
				n += n < 70 ? 2000 : 1900;
			pg_fallthrough;
		case 'Y':
			r->year = n;
			r->has_year = true;
			break;
		case 'b':
			r->month = PgBsonReadMonth(s, end - s);
			break;
		case 'm':
			r->month = n;
			break;
		case 'd':
			r->day = n;
			break;
		case 'o':
			/* timelib takes this as the day of January, so no larger number is valid */
			r->day = n;
			r->month = 1;
			break;
		case 'W':
			r->month = r->day = 1;
			r->days = week_begin(r->year, n) + 1;
			break;
		case 'w':
			r->days += n - 1;
			break;
	}
}

/* Take a group of a time or a date; false for an unknown zone, or a second zone */
static bool
read_part(Reading *r, char part, const char *s, const char *end)
{
	switch (part)
	{
		case 'h':
		case 'k':
			r->hour = number_in_date(s, end);
			return true;
		case 'i':
			r->minute = number_in_date(s, end);
			return true;
		case 's':
			r->second = number_in_date(s, end);
			return true;
		case 'f':
			r->millisecond = number_in_date(s, Min(end, s + 3));
			for (int digits = end - s; digits < 3; digits++)
				r->millisecond *= 10;
			return true;
		case 'p':
			r->hour = r->hour % 12 + ((*s | 0x20) == 'p' ? 12 : 0);
			return true;
		case 'Z':
			if (r->has_zone)
				return false;
			pg_fallthrough;
		case 'z':
			r->has_zone = true;
			return read_zone_group(r, s, end);
		case 'a':
			r->weekday = weekday_of(s);
			clear_time(r);
			return true;
		default:
			read_date_part(r, part, s, end);
			return true;
	}
}

/* Take an item of this form; false if it is not valid */
static bool
read_item(Reading *r, int form, const char *s, const int64 *groups)
{
	const char *parts = forms[form].parts;

	if (*parts == '!' || !begin_item(r, parts))
		return false;
	if (*parts == 'N')
		r->hour = 12;
	else if (*parts == 'M')
		clear_time(r);
	else if (*parts == 'q' || *parts == 't')
	{
		/* four digits are a time if they can be one and none was read; MongoDB subtracts ten seconds from it */
		if (groups[1] != 4 || r->has_year || (*parts == 't' && !r->has_time))
			return false;
		r->year = number_in_date(s, s + 4);
		r->has_year = true;
	}
	else
	{
		for (int i = 0; parts[i] != '\0'; i++)
		{
			if (groups[i * 2 + 2] >= 0 && !read_part(r, parts[i], s + groups[i * 2 + 2], s + groups[i * 2 + 3]))
				return false;
		}
		/* a month and a year without a day mean the first of the month */
		if (r->has_year && r->day < 0 && strpbrk(parts, "mb") != NULL && strchr(parts, 'Y') != NULL)
			r->day = 1;
	}
	return true;
}

/* Pass over what may be between items: the white space that timelib knows, and separators */
static uint32
skip_blanks(const char *s, uint32 len)
{
	uint32		n = 0;

	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		if (n < len && (s[n] == '\0' || strchr(" \t\n.,", s[n]) != NULL))
			n++;
		else if (len - n >= 2 && memcmp(s + n, "\xC2\xA0", 2) == 0)
			n += 2;
		else if (len - n >= 3 && memcmp(s + n, "\xE2\x80\xAF", 3) == 0)
			n += 3;
		else
			return n;
	}
}

/* The date that all items together give */
static bool
finish_reading(const Reading *r, const PgBsonZone *zone, int64 *ms)
{
	int64		days;
	int64		local;
	int			ahead;

	if (!r->has_year || r->hour > 23 || r->second > 59 || r->month < 1 || r->month > 12 || r->day < 1)
		return false;
	days = PgBsonDaysOf(r->year, r->month, r->day);
	if (days >= PgBsonDaysOf(r->year, r->month + 1, 1))
		return false;
	if (r->weekday >= 0)
	{
		ahead = r->weekday - PgBsonWeekday(days);
		days += ahead < 0 ? ahead + 7 : ahead;
	}
	days += r->days;
	if (days < -MOST_DAYS || days > MOST_DAYS ||
		pg_add_s64_overflow(days * PGBSON_MS_PER_DAY,
							r->hour * 3600000 + r->minute * 60000 + r->second * 1000 + r->millisecond, &local))
		return false;
	*ms = PgBsonLocalToDate(local, r->has_zone ? &r->zone : zone);
	return true;
}

/*
 * Does the text have a character that no date has?  Outside ASCII these are all but blanks (and the
 * letter of microseconds, which are refused later).  This is checked first because PCRE2, ignoring
 * case, matches s with U+017F and k with U+212A.
 */
static bool
has_other_letters(const char *s, uint32 len)
{
	for (uint32 i = 0; i < len; i++)
	{
		uint32		n = IS_HIGHBIT_SET(s[i]) ? skip_blanks(s + i, len - i) : 1;

		if (n == 0)
			return true;
		i += n - 1;
	}
	return false;
}

/* Read the text item by item; false if a part of it is no item, or conflicts with those before */
static bool
read_items(Reading *r, const char *s, uint32 len)
{
	int64		groups[MOST_GROUPS * 2];

	if (has_other_letters(s, len))
		return false;
	while (len > 0 && isspace((unsigned char) *s))
		s++, len--;
	while (len > 0 && isspace((unsigned char) s[len - 1]))
		len--;
	for (;;)
	{
		uint32		n = skip_blanks(s, len);
		int			form;

		s += n;
		len -= n;
		if (len == 0)
			return true;
		form = find_form(s, len, groups);
		if (form < 0 || !read_item(r, form, s, groups))
			return false;
		s += groups[1];
		len -= groups[1];
	}
}

bool
PgBsonExprReadDate(const char *s, uint32 len, const PgBsonZone *zone, int64 *ms)
{
	Reading		r = {.month = -1, .day = -1, .weekday = -1};
	PgBsonIso	iso;
	/* these are the most frequent spellings, and read in a tenth of the time */
	bool		is_iso = PgBsonReadIso(s, len, &iso) && iso.us % 1000 == 0;

	if (is_iso)
	{
		r.has_zone = iso.has_offset;
		r.zone.offset = iso.offset * SECS_PER_MINUTE;
	}
	else if (!read_items(&r, s, len))
		return false;
	/* a zone in the text and a zone as argument exclude each other */
	if (r.has_zone && zone != NULL && (zone->tz != NULL || zone->offset != 0))
		return false;
	if (!is_iso)
		return finish_reading(&r, zone, ms);
	*ms = PgBsonLocalToDate(iso.day * PGBSON_MS_PER_DAY + iso.us / 1000, r.has_zone ? &r.zone : zone);
	return true;
}
