/*
 * datetime.c
 *	  Datetimes in jsonpath: .datetime(), comparison, text.
 *
 * A BSON date is a timestamp with time zone.  The session's time zone is used
 * only if the caller allows it (the _tz functions do), because the other
 * functions are immutable.
 */
#include "jsonpath/exec.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "core/bytes/value.h"
#include "utils/builtins.h"
#include "utils/datetime.h"
#include "utils/formatting.h"
#include "utils/json.h"
#include "utils/timestamp.h"

/* Formats with a time: each first with every way to write a zone, then without a zone */
#define FORMATS(layout)		PGBSON_DATETIME_ZONES(layout), layout

/* The formats of .datetime() without a template: ISO 8601, with a blank or T between date and time */
static const char *const formats[] = {
	"yyyy-mm-dd",
	FORMATS("HH24:MI:SS.US"),
	FORMATS("HH24:MI:SS"),
	FORMATS("yyyy-mm-dd HH24:MI:SS.US"),
	FORMATS("yyyy-mm-dd HH24:MI:SS"),
	FORMATS("yyyy-mm-dd\"T\"HH24:MI:SS.US"),
	FORMATS("yyyy-mm-dd\"T\"HH24:MI:SS")
};

/* Compare a time with a timetz, as a time in the session's zone */
static Datum
time_cmp_timetz(FunctionCallInfo fcinfo)
{
	Datum		timetz = DirectFunctionCall1(time_timetz, PG_GETARG_DATUM(0));

	return DirectFunctionCall2(timetz_cmp, timetz, PG_GETARG_DATUM(1));
}

/*
 * The pairs of types whose values can be compared.  "names" are the types as an error message calls
 * them if the comparison depends on the session's time zone; NULL if it does not.
 */
static const struct
{
	Oid			a;
	Oid			b;
	PGFunction	compare;
	const char *names[2];
}			comparisons[] = {
	{DATEOID, DATEOID, date_cmp},
	{DATEOID, TIMESTAMPOID, date_cmp_timestamp},
	{DATEOID, TIMESTAMPTZOID, date_cmp_timestamptz, {"date", "timestamptz"}},
	{TIMESTAMPOID, TIMESTAMPOID, timestamp_cmp},
	{TIMESTAMPOID, TIMESTAMPTZOID, timestamp_cmp_timestamptz, {"timestamp", "timestamptz"}},
	{TIMESTAMPTZOID, TIMESTAMPTZOID, timestamp_cmp},
	{TIMEOID, TIMEOID, time_cmp},
	{TIMEOID, TIMETZOID, time_cmp_timetz, {"time", "timetz"}},
	{TIMETZOID, TIMETZOID, timetz_cmp}
};

bool
PgBsonJpAsDatetime(const PgBsonJpItem *item, PgBsonJpDatetime *dt)
{
	TimestampTz ts;
	int64		ms;

	if (item->kind == PGBSON_JP_DATETIME)
	{
		*dt = item->u.datetime;
		return true;
	}
	if (!PgBsonJpIsType(item, PGBSON_DATE))
		return false;

	ms = PgBsonReadI64(item->u.value.data);
	if (!PgBsonDateToTimestamp(ms, &ts))
	{
		/* a BSON date outside the range of timestamptz counts as later, or earlier, than all timestamps in it */
		if (ms > 0)
			TIMESTAMP_NOEND(ts);
		else
			TIMESTAMP_NOBEGIN(ts);
	}
	dt->datum = TimestampTzGetDatum(ts);
	dt->type = TIMESTAMPTZOID;
	dt->has_tz = true;
	dt->tz = 0;
	return true;
}

void
PgBsonJpRequireTz(PgBsonJpState *st, const char *from, const char *to)
{
	if (!st->call->use_tz)
		PgBsonReportUnsupported(errmsg("cannot convert value from %s to %s without time zone usage", from, to),
								errhint("Use *_tz() function for time zone support."));
}

bool
PgBsonJpCompareDatetimes(PgBsonJpState *st, const PgBsonJpItem *a, const PgBsonJpItem *b, int *cmp)
{
	PgBsonJpDatetime x = {0};
	PgBsonJpDatetime y = {0};

	/* two BSON dates are compared as such, because some are outside timestamptz's range */
	if (a->kind == PGBSON_JP_VALUE && b->kind == PGBSON_JP_VALUE)
	{
		int64		ms = PgBsonReadI64(a->u.value.data);
		int64		other = PgBsonReadI64(b->u.value.data);

		*cmp = (ms > other) - (ms < other);
		return true;
	}

	PgBsonJpAsDatetime(a, &x);
	PgBsonJpAsDatetime(b, &y);
	for (int i = 0; i < lengthof(comparisons); i++)
	{
		bool		as_is = comparisons[i].a == x.type && comparisons[i].b == y.type;

		if (!as_is && (comparisons[i].a != y.type || comparisons[i].b != x.type))
			continue;
		if (comparisons[i].names[0] != NULL)
			PgBsonJpRequireTz(st, comparisons[i].names[0], comparisons[i].names[1]);
		*cmp = DatumGetInt32(DirectFunctionCall2(comparisons[i].compare, as_is ? x.datum : y.datum,
												 as_is ? y.datum : x.datum));
		if (!as_is)
			*cmp = -*cmp;
		return true;
	}
	return false;
}

char *
PgBsonJpDatetimeText(const PgBsonJpDatetime *dt)
{
	return JsonEncodeDateTime(NULL, dt->datum, dt->type, dt->has_tz ? &dt->tz : NULL);
}

/*
 * Replace a final Z, with which MongoDB and JavaScript write UTC, by an offset that every version
 * of the server can read
 */
static char *
expand_zulu(char *s)
{
	Size		len = strlen(s);

	if (len > 1 && s[len - 1] == 'Z' && isdigit((unsigned char) s[len - 2]))
		return psprintf("%.*s+00", (int) (len - 1), s);
	return s;
}

/* Read text by a format; false if it does not fit, or with "raise" an error */
static bool
parse_by_format(text *input, text *format, bool raise, PgBsonJpDatetime *dt)
{
	PgBsonSoftError soft = PGBSON_SOFT_ERROR_INIT;
	int32		typmod;

	dt->tz = 0;
	dt->has_tz = true;
	dt->datum = parse_datetime(input, format, DEFAULT_COLLATION_OID, true, &dt->type, &typmod, &dt->tz,
							   raise ? NULL : PGBSON_SOFT_ERROR(&soft));
	return !PGBSON_SOFT_ERROR_RAISED(&soft);
}

bool
PgBsonJpParseDatetime(char *s, PgBsonJpDatetime *dt)
{
	text	   *input = cstring_to_text(expand_zulu(s));

	for (int i = 0; i < lengthof(formats); i++)
	{
		if (parse_by_format(input, cstring_to_text(formats[i]), false, dt))
			return true;
	}
	return false;
}

/* Read text by the template of .datetime(template) */
static bool
parse_by_template(PgBsonJpState *st, JsonPathItem *step, char *s, PgBsonJpDatetime *dt)
{
	JsonPathItem arg;
	char	   *template;
	int32		len;

	jspGetArg(step, &arg);
	if (arg.type != jpiString)
		elog(ERROR, "unexpected argument of jsonpath .datetime(): %d", (int) arg.type);
	template = jspGetString(&arg, &len);
	return parse_by_format(cstring_to_text(s), cstring_to_text_with_len(template, len), st->raise, dt);
}

/* .datetime() */
PgBsonJpOutcome
PgBsonJpDatetimeMethod(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item, PgBsonJpSequence *out)
{
	PgBsonJpItem result;
	char	   *s;

	/* a BSON date is a datetime already; passing it on lets a path written for strings work on dates, too */
	if (PgBsonJpIsType(item, PGBSON_DATE))
		return PgBsonJpNext(st, step, item, out);
	if (!PgBsonJpIsString(item))
		return PgBsonJpFailAt(st, step, ERRCODE_INVALID_ARGUMENT_FOR_SQL_JSON_DATETIME_FUNCTION,
							"jsonpath item method .%s() can only be applied to a string");

	result.kind = PGBSON_JP_DATETIME;
	s = PgBsonJpServerString(item);
	if (s != NULL && step->content.arg)
	{
		if (!parse_by_template(st, step, s, &result.u.datetime))
			return PGBSON_JP_FAILED;
	}
	else if (s == NULL || !PgBsonJpParseDatetime(s, &result.u.datetime))
	{
		if (st->raise)
			PgBsonReport(ERRCODE_INVALID_ARGUMENT_FOR_SQL_JSON_DATETIME_FUNCTION,
						 errmsg("datetime format is not recognized: \"%s\"", s != NULL ? s : ""),
						 errhint("Use a datetime template argument to specify the input data format."));
		return PGBSON_JP_FAILED;
	}
	return PgBsonJpNext(st, step, &result, out);
}
