/*
 * convert.c
 *	  The item methods that came with PostgreSQL 17: bigint(), boolean(), date(),
 *	  decimal(), integer(), number(), string(), time(), time_tz(), timestamp(),
 *	  timestamp_tz().
 *
 * integer() makes an int32, bigint() an int64, decimal() a decimal128;
 * number() leaves a number as it is.  A BSON date is converted as a timestamp
 * with time zone.
 */
#include "jsonpath/exec.h"

#ifdef PGBSON_JSONPATH_CONVERSIONS

#include "catalog/pg_type.h"
#include "core/number/number_text.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/timestamp.h"

/*
 * How a value of one datetime type becomes another.  "names" are the types as an error message calls them if the
 * conversion depends on the session's time zone; NULL if it does not.
 */
typedef struct Conversion
{
	Oid			from;
	Oid			to;
	PGFunction	function;
	const char *names[2];
} Conversion;

/* timestamptz to timetz uses the session's time zone; jsonb fails to check for this */
static const Conversion conversions[] = {
	{TIMESTAMPOID, DATEOID, timestamp_date},
	{TIMESTAMPTZOID, DATEOID, timestamptz_date, {"timestamptz", "date"}},
	{TIMETZOID, TIMEOID, timetz_time, {"timetz", "time"}},
	{TIMESTAMPOID, TIMEOID, timestamp_time},
	{TIMESTAMPTZOID, TIMEOID, timestamptz_time, {"timestamptz", "time"}},
	{TIMEOID, TIMETZOID, time_timetz, {"time", "timetz"}},
	{TIMESTAMPTZOID, TIMETZOID, timestamptz_timetz, {"timestamptz", "timetz"}},
	{DATEOID, TIMESTAMPOID, date_timestamp},
	{TIMESTAMPTZOID, TIMESTAMPOID, timestamptz_timestamp, {"timestamptz", "timestamp"}},
	{DATEOID, TIMESTAMPTZOID, date_timestamptz, {"date", "timestamptz"}},
	{TIMESTAMPOID, TIMESTAMPTZOID, timestamp_timestamptz, {"timestamp", "timestamptz"}}
};

/* The types that methods convert to */
static const Oid method_types[] = {
	[jpiDate] = DATEOID, [jpiTime] = TIMEOID, [jpiTimeTz] = TIMETZOID, [jpiTimestamp] = TIMESTAMPOID,
	[jpiTimestampTz] = TIMESTAMPTZOID
};

/* Convert the value to type "to" in place; false if there is no such conversion */
static bool
convert_datetime(PgBsonJpState *st, PgBsonJpDatetime *dt, Oid to)
{
	if (dt->type == to)
		return true;
	for (int i = 0; i < lengthof(conversions); i++)
	{
		const Conversion *c = &conversions[i];

		if (c->from != dt->type || c->to != to)
			continue;
		if (c->names[0] != NULL)
			PgBsonJpRequireTz(st, c->names[0], c->names[1]);
		dt->datum = DirectFunctionCall1(c->function, dt->datum);
		dt->type = to;
		dt->has_tz = false;
		return true;
	}
	return false;
}

/* Round to the precision of time(p) and similar methods; false if the result is out of range */
static bool
round_datetime(PgBsonJpDatetime *dt, int32 precision)
{
	PgBsonSoftError soft = PGBSON_SOFT_ERROR_INIT;
	bool		with_zone = dt->type == TIMETZOID || dt->type == TIMESTAMPTZOID;
	Timestamp	ts;
	TimeTzADT  *timetz;
	TimeADT		time;

	switch (dt->type)
	{
		case TIMEOID:
			time = DatumGetTimeADT(dt->datum);
			AdjustTimeForTypmod(&time, anytime_typmod_check(with_zone, precision));
			dt->datum = TimeADTGetDatum(time);
			break;
		case TIMETZOID:
			timetz = DatumGetTimeTzADTP(dt->datum);
			AdjustTimeForTypmod(&timetz->time, anytime_typmod_check(with_zone, precision));
			break;
		default:
			ts = DatumGetTimestamp(dt->datum);
			AdjustTimestampForTypmod(&ts, anytimestamp_typmod_check(with_zone, precision),
									 PGBSON_SOFT_ERROR(&soft));
			dt->datum = TimestampGetDatum(ts);
			break;
	}
	return !PGBSON_SOFT_ERROR_RAISED(&soft);
}

/* An integer argument of a method; false if it is beyond int32 */
static bool
integer_argument(JsonPathItem *arg, int32 *result)
{
	PgBsonNumericError error = PGBSON_NUMERIC_ERROR_INIT;

	if (arg->type != jpiNumeric)
		elog(ERROR, "unexpected argument of a jsonpath item method: %d", (int) arg->type);
	*result = PGBSON_NUMERIC(int4) (jspGetNumeric(arg), PGBSON_NUMERIC_ERROR(&error));
	return !PGBSON_NUMERIC_ERROR_RAISED(&error);
}

/* .date(), .time(), .time_tz(), .timestamp(), .timestamp_tz() */
PgBsonJpOutcome
PgBsonJpToDatetime(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item, PgBsonJpSequence *out)
{
	bool		has_precision = step->type != jpiDate && step->content.arg;
	PgBsonJpItem result;
	JsonPathItem arg;
	int32		precision = -1;
	char	   *s = NULL;

	/* a BSON date is a timestamp with time zone already, so it stays as it is */
	if (PgBsonJpIsType(item, PGBSON_DATE) && step->type == jpiTimestampTz && !has_precision)
		return PgBsonJpNext(st, step, item, out);
	if (!PgBsonJpIsString(item) && !PgBsonJpIsType(item, PGBSON_DATE))
		return PgBsonJpFailAt(st, step, ERRCODE_INVALID_ARGUMENT_FOR_SQL_JSON_DATETIME_FUNCTION,
							"jsonpath item method .%s() can only be applied to a string");
	if (has_precision)
	{
		jspGetArg(step, &arg);
		if (!integer_argument(&arg, &precision))
			return PgBsonJpFailAt(st, step, ERRCODE_INVALID_ARGUMENT_FOR_SQL_JSON_DATETIME_FUNCTION,
								"time precision of jsonpath item method .%s() is out of range for type integer");
	}

	result.kind = PGBSON_JP_DATETIME;
	if (PgBsonJpIsType(item, PGBSON_DATE))
		PgBsonJpAsDatetime(item, &result.u.datetime);
	else
		s = PgBsonJpServerString(item);
	if ((PgBsonJpIsString(item) &&
		 (s == NULL || !PgBsonJpParseDatetime(s, &result.u.datetime))) ||
		!convert_datetime(st, &result.u.datetime, method_types[step->type]))
		return PgBsonJpFail(st, ERRCODE_INVALID_ARGUMENT_FOR_SQL_JSON_DATETIME_FUNCTION,
							"%s format is not recognized: \"%s\"",
							jspOperationName(step->type), s != NULL ? s : "");
	if (precision != -1 && !round_datetime(&result.u.datetime, precision))
		return PgBsonJpFailAt(st, step, ERRCODE_INVALID_ARGUMENT_FOR_SQL_JSON_DATETIME_FUNCTION,
							"time precision of jsonpath item method .%s() is invalid");
	return PgBsonJpNext(st, step, &result, out);
}

/* Report that a text does not spell a value of the type */
static PgBsonJpOutcome
wrong_argument(PgBsonJpState *st, JsonPathItem *step, const char *text, const char *type)
{
	return PgBsonJpFail(st, ERRCODE_NON_NUMERIC_SQL_JSON_ITEM,
						"argument \"%s\" of jsonpath item method .%s() is invalid for type %s",
						text != NULL ? text : "", jspOperationName(step->type), type);
}

/* Convert a string by an input function; false if the function refuses it */
static bool
input(PGFunction function, char *text, int32 typmod, Datum *result)
{
	ErrorSaveContext soft = {T_ErrorSaveContext};

	return text != NULL &&
		DirectInputFunctionCallSafe(function, text, InvalidOid, typmod, (Node *) &soft, result);
}

/* .bigint(), .integer(): numbers are rounded, as casts do */
PgBsonJpOutcome
PgBsonJpToInteger(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item, PgBsonJpSequence *out)
{
	bool		big = step->type == jpiBigint;
	char	   *text = NULL;
	bool		failed = false;
	int64		i = 0;

	if (PgBsonJpIsNumber(item))
	{
		PgBsonNumericError error = PGBSON_NUMERIC_ERROR_INIT;
		PgBsonJpWidth width;
		Numeric		num = PgBsonJpItemNumeric(item, &width);

		i = big ? PGBSON_NUMERIC(int8) (num, PGBSON_NUMERIC_ERROR(&error)) :
			PGBSON_NUMERIC(int4) (num, PGBSON_NUMERIC_ERROR(&error));
		failed = PGBSON_NUMERIC_ERROR_RAISED(&error);
	}
	else if (PgBsonJpIsString(item))
	{
		Datum		datum = (Datum) 0;

		text = PgBsonJpServerString(item);
		failed = !input(big ? int8in : int4in, text, -1, &datum);
		if (!failed)
			i = big ? DatumGetInt64(datum) : DatumGetInt32(datum);
	}
	else
		return PgBsonJpFailAt(st, step, ERRCODE_NON_NUMERIC_SQL_JSON_ITEM,
						  "jsonpath item method .%s() can only be applied to a string or numeric value");
	if (failed)
		return wrong_argument(st, step, text != NULL ? text : PgBsonJpScalarText(st, item),
							  big ? "bigint" : "integer");
	return PgBsonJpNextValue(st, step, big ? PgBsonMakeInt64(i) : PgBsonMakeInteger(i), out);
}

/* .boolean() */
PgBsonJpOutcome
PgBsonJpToBoolean(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item, PgBsonJpSequence *out)
{
	char	   *text;
	Datum		datum = (Datum) 0;
	bool		ok;
	bool		b = false;

	if (PgBsonJpIsType(item, PGBSON_BOOL))
		return PgBsonJpNext(st, step, item, out);
	if (!PgBsonJpIsNumber(item) && !PgBsonJpIsString(item))
		return PgBsonJpFailAt(st, step, ERRCODE_NON_NUMERIC_SQL_JSON_ITEM,
						  "jsonpath item method .%s() can only be applied to a boolean, string, or numeric value");

	if (PgBsonJpIsNumber(item))
	{
		PgBsonJpWidth width;

		/* of the numbers, only integers convert to a boolean */
		text = PgBsonNumericText(PgBsonJpItemNumeric(item, &width));
		ok = input(int4in, text, -1, &datum);
		b = ok && DatumGetInt32(datum) != 0;
	}
	else
	{
		text = PgBsonJpServerString(item);
		ok = text != NULL && parse_bool(text, &b);
	}
	if (!ok)
		return wrong_argument(st, step, text, "boolean");
	return PgBsonJpNextValue(st, step, PgBsonMakeBool(b), out);
}

/* The typmod of .decimal(precision, scale), or -1 for .decimal(); false after a suppressed error */
static bool
decimal_typmod(PgBsonJpState *st, JsonPathItem *step, int32 *typmod)
{
	static const char *const messages[] = {
		gettext_noop("precision of jsonpath item method .%s() is out of range for type integer"),
		gettext_noop("scale of jsonpath item method .%s() is out of range for type integer")
	};
	int32		numbers[2] = {0, 0};
	Datum		texts[2];
	JsonPathItem arg;

	*typmod = -1;
	if (step->type != jpiDecimal || !step->content.args.left)
		return true;
	for (int i = 0; i < 2; i++)
	{
		if (i == 0)
			jspGetLeftArg(step, &arg);
		else if (step->content.args.right)
			jspGetRightArg(step, &arg);
		else
			break;
		if (!integer_argument(&arg, &numbers[i]))
		{
			PgBsonJpFailAt(st, step, ERRCODE_NON_NUMERIC_SQL_JSON_ITEM, messages[i]);
			return false;
		}
	}
	/* numeric would raise an error for these, which could not be suppressed */
	if (!st->raise &&
		(numbers[0] < 1 || numbers[0] > NUMERIC_MAX_PRECISION ||
		 numbers[1] < NUMERIC_MIN_SCALE || numbers[1] > NUMERIC_MAX_SCALE))
		return false;
	for (int i = 0; i < 2; i++)
		texts[i] = CStringGetDatum(psprintf("%d", numbers[i]));
	*typmod = DatumGetInt32(DirectFunctionCall1(numerictypmodin,
												PointerGetDatum(construct_array_builtin(texts, 2, CSTRINGOID))));
	return true;
}

/* .number(), .decimal() */
PgBsonJpOutcome
PgBsonJpToNumber(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item, PgBsonJpSequence *out)
{
	PgBsonJpItem result;
	PgBsonJpWidth width = PGBSON_JP_INTEGER;
	Datum		num = (Datum) 0;
	char	   *text;
	int32		typmod;

	if (PgBsonJpIsNumber(item))
	{
		num = NumericGetDatum(PgBsonJpItemNumeric(item, &width));
		text = PgBsonNumericText(DatumGetNumeric(num));
	}
	else if (PgBsonJpIsString(item))
	{
		text = PgBsonJpServerString(item);
		if (!input(numeric_in, text, -1, &num))
			return wrong_argument(st, step, text, "numeric");
	}
	else
		return PgBsonJpFailAt(st, step, ERRCODE_NON_NUMERIC_SQL_JSON_ITEM,
						  "jsonpath item method .%s() can only be applied to a string or numeric value");

	if (numeric_is_nan(DatumGetNumeric(num)) || numeric_is_inf(DatumGetNumeric(num)))
		return PgBsonJpFailAt(st, step, ERRCODE_NON_NUMERIC_SQL_JSON_ITEM,
							"NaN or Infinity is not allowed for jsonpath item method .%s()");
	if (!decimal_typmod(st, step, &typmod))
		return PGBSON_JP_FAILED;
	/* a decimal128 stays unchanged */
	if (typmod == -1 &&
		(PgBsonJpIsType(item, PGBSON_DECIMAL128) ||
		 (step->type == jpiNumber && PgBsonJpIsNumber(item))))
		return PgBsonJpNext(st, step, item, out);
	if (typmod != -1 && !input(numeric_in, text, typmod, &num))
		return wrong_argument(st, step, text, "numeric");

	result.kind = PGBSON_JP_NUMERAL;
	if (step->type == jpiDecimal)
		width = PGBSON_JP_DECIMAL;
	result.u.numeral = (PgBsonJpNumeral) {.num = DatumGetNumeric(num), .width = width};
	return PgBsonJpNext(st, step, &result, out);
}

/* .string(): the text of ->> */
PgBsonJpOutcome
PgBsonJpToString(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item, PgBsonJpSequence *out)
{
	char	   *text;
	char	   *utf8;

	if (PgBsonJpIsString(item))
		return PgBsonJpNext(st, step, item, out);
	text = PgBsonJpScalarText(st, item);
	if (text == NULL)
		return PgBsonJpFailAt(st, step, ERRCODE_NON_NUMERIC_SQL_JSON_ITEM,
						  "jsonpath item method .%s() can only be applied to a boolean, string, numeric, or datetime value");
	utf8 = pg_server_to_any(text, strlen(text), PG_UTF8);
	return PgBsonJpNextValue(st, step, PgBsonMakeString(utf8, strlen(utf8)), out);
}

#endif							/* PGBSON_JSONPATH_CONVERSIONS */
