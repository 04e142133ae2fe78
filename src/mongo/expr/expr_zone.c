/*
 * expr_zone.c
 *	  Expressions: time zones, by names of the database, offsets and abbreviations.
 *
 * The authority is MongoDB's src/mongo/db/query/datetime/date_time_support.cpp (TimeZoneDatabase),
 * and for zones in texts the library timelib 2022.10 that it calls.
 */
#include "mongo/expr/expr_date.h"

#include "common/int.h"

/* Zones in texts */

/* Offsets in minutes; of zones with one abbreviation the one that timelib finds first */
static const struct
{
	const char *name;
	int			minutes;
}			abbreviations[] = {
	{"ACDT", 630}, {"ACST", 570}, {"ADDT", -120}, {"ADT", -180}, {"AEDT", 660}, {"AEST", 600}, {"AHDT", -540},
	{"AHST", -600}, {"AKDT", -480}, {"AKST", -540}, {"APT", -180}, {"AST", -240}, {"AWDT", 540}, {"AWST", 480},
	{"AWT", -180}, {"BDST", 120}, {"BDT", -600}, {"BST", 60}, {"CAST", 570}, {"CAT", 120}, {"CDDT", -240},
	{"CDT", -300}, {"CEMT", 180}, {"CEST", 120}, {"CET", 60}, {"CHST", 600}, {"CPT", -300}, {"CST", -360},
	{"CWT", -300}, {"EAT", 180}, {"EDDT", -180}, {"EDT", -240}, {"EEST", 180}, {"EET", 120}, {"EPT", -240},
	{"EST", -300}, {"EWT", -240}, {"GDT", 660}, {"GMT", 0}, {"GST", 600}, {"HDT", -570}, {"HKST", 540},
	{"HKT", 480}, {"HPT", -570}, {"HST", -600}, {"HWT", -570}, {"IDDT", 240}, {"IDT", 180}, {"IST", 120},
	{"JDT", 600}, {"JST", 540}, {"KDT", 600}, {"KST", 510}, {"MDDT", -300}, {"MDT", -360}, {"MEST", 120},
	{"MET", 60}, {"MPT", -360}, {"MSD", 240}, {"MSK", 180}, {"MST", -420}, {"MWT", -360}, {"NDDT", -90},
	{"NPT", -150}, {"NST", -210}, {"NWT", -150}, {"NZDT", 780}, {"NZMT", 690}, {"NZST", 720}, {"PDDT", -360},
	{"PDT", -420}, {"PKST", 360}, {"PKT", 300}, {"PPMT", -289}, {"PPT", -420}, {"PST", -480}, {"PWT", -420},
	{"QMT", -314}, {"SAST", 120}, {"SDMT", -280}, {"SST", -660}, {"UCT", 0}, {"UTC", 0}, {"WAST", 120},
	{"WAT", 60}, {"WEMT", 120}, {"WEST", 60}, {"WET", 0}, {"WIB", 420}, {"WIT", 540}, {"WITA", 480},
	{"WMT", 84}, {"YDDT", -420}, {"YDT", -480}, {"YPT", -480}, {"YST", -540}, {"YWT", -480}
};

/* Read an offset without its sign, hours, minutes and seconds with or without colons; returns seconds */
static bool
read_zone_offset(const char *s, uint32 len, int *offset)
{
	int			n[3] = {0, 0, 0};
	int			colons = 0;

	for (uint32 i = 0; i < len && len <= 8; i++)
	{
		if (s[i] == ':' && i > 0 && colons < 2)
			colons++;
		else if (s[i] >= '0' && s[i] <= '9')
			n[colons] = n[colons] * 10 + (s[i] - '0');
		else
			return false;
	}
	if (colons == 0 && (len == 3 || len == 4))
	{
		n[1] = n[0] % 100;
		n[0] /= 100;
	}
	else if (colons == 0 && len == 6)
	{
		n[2] = n[0] % 100;
		n[1] = n[0] / 100 % 100;
		n[0] /= 10000;
	}
	else if (!(colons == 0 && (len == 1 || len == 2)) && !(colons == 1 && len >= 3 && len <= 5) &&
			 !(colons == 2 && len == 8))
		return false;
	*offset = n[0] * 3600 + n[1] * 60 + n[2];
	return true;
}

bool
PgBsonReadZone(const char *s, uint32 len, PgBsonZone *zone)
{
	static const char letters[] = "YXWVUTSRQPONZABCDEFGHIKLM";
	const char *letter;

	zone->tz = NULL;
	if (len > 3 && memcmp(s, "GMT", 3) == 0 && (s[3] == '+' || s[3] == '-'))
	{
		s += 3;
		len -= 3;
	}
	if (len > 0 && (*s == '+' || *s == '-'))
	{
		if (!read_zone_offset(s + 1, len - 1, &zone->offset))
			return false;
		if (*s == '-')
			zone->offset = -zone->offset;
		return true;
	}
	/* military time */
	letter = len == 1 ? strchr(letters, pg_toupper((unsigned char) *s)) : NULL;
	if (letter != NULL && *letter != '\0')
	{
		zone->offset = (letter - letters - 12) * 3600;
		return true;
	}
	for (int i = 0; i < lengthof(abbreviations); i++)
	{
		if (len == strlen(abbreviations[i].name) && pg_strncasecmp(s, abbreviations[i].name, len) == 0)
		{
			zone->offset = abbreviations[i].minutes * 60;
			return true;
		}
	}
	return false;
}

/* Zones as arguments */

/* +hh, +hhmm, +hh:mm */
static bool
is_offset(const char *s, uint32 len)
{
	return memchr(s, ':', len) == NULL ? len == 3 || len == 5 : len == 6 && s[3] == ':';
}

/* Names of zones in the database that have digits and no slash */
#define ZONES_WITH_DIGITS	"EST5EDT CST6CDT MST7MDT PST8PDT GMT0 GMT+0 GMT-0"

/* Find a zone by its name or offset; false if there is none */
static bool
find_zone(const char *name, uint32 len, PgBsonZone *zone)
{
	char		copy[TZ_STRLEN_MAX + 1];
	bool		digits = false;

	zone->tz = NULL;
	zone->offset = 0;
	if (len > 0 && (name[0] == '+' || name[0] == '-'))
		return is_offset(name, len) && PgBsonReadZone(name, len, zone);
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
	/* the server also takes rules such as EST5, MongoDB does not */
	if (digits && strchr(copy, '/') == NULL && PgBsonNameAmong(ZONES_WITH_DIGITS, name, len) < 0)
		return false;
	/* the server takes names in any case */
	zone->tz = pg_tzset(copy);
	return zone->tz != NULL && strcmp(pg_get_timezone_name(zone->tz), copy) == 0;
}

int
PgBsonZoneOffset(int64 seconds, const PgBsonZone *zone)
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

/*
 * The UTC time of a local time.  When clocks go back, a local time occurs twice, and the second one
 * (winter time) is meant, as in timelib, the date library of MongoDB's server.  When they go
 * forward, a local time is skipped, and the one that is as much later is meant.
 */
int64
PgBsonLocalToDate(int64 local, const PgBsonZone *zone)
{
	int64		seconds = PgBsonDivideDown(local, 1000);
	int64		date;
	int			before;
	int			after;

	if (zone == NULL)
		return local;
	if (zone->tz == NULL)
	{
		if (pg_sub_s64_overflow(local, (int64) zone->offset * 1000, &date))
			PgBsonReportDateOutOfRange();
		return date;
	}
	if (local > PG_INT64_MAX - 2 * PGBSON_MS_PER_DAY || local < PG_INT64_MIN + 2 * PGBSON_MS_PER_DAY)
		PgBsonReportDateOutOfRange();
	before = PgBsonZoneOffset(seconds - 86400, zone);
	after = PgBsonZoneOffset(seconds + 86400, zone);
	if (before != after && PgBsonZoneOffset(seconds - after, zone) == after)
		return local - (int64) after * 1000;
	return local - (int64) before * 1000;
}

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
	if (!PgBsonExprTake(run, e, i, 's', &value))
		return false;
	name = PgBsonValueString(&value, &len);
	if (!find_zone(name, len, zone))
		PgBsonReportInvalid(errmsg("unknown time zone in bson operator \"%s\": \"%.*s\"", e->op->name, (int) len,
								   name));
	return true;
}
