/*
 * options.c
 *	  Documents of named options, as operators, stages and accumulators take them.
 *
 * MongoDB's server reads most of them by parsers that are generated from .idl files; others
 * by hand, as in src/mongo/db/pipeline/expression.cpp.
 */
#include "mongo/common/options.h"

#include "core/bytes/recode.h"

int
PgBsonOptionsCount(const char *names)
{
	int			count = 1;

	for (const char *p = names; *p != '\0'; p++)
		count += *p == ' ';
	return count;
}

bool
PgBsonOptionsRead(const PgBsonValue *doc, const char *names, PgBsonValue *values, PgBsonIter *unknown)
{
	bool		all_known = true;

	memset(values, 0, PgBsonOptionsCount(names) * sizeof(PgBsonValue));
	PgBsonForEach(iter, PgBsonValueView(doc))
	{
		int			position = PgBsonNameAmong(names, iter.key, iter.key_len);

		if (position >= 0)
			values[position] = iter.value;
		else if (all_known)
		{
			*unknown = iter;
			all_known = false;
		}
	}
	return all_known;
}

/* What messages call it: a stage, or a function of $setWindowFields that has options of its own */
static const char *
kind_of_option(const char *name)
{
	return PgBsonNameAmong("$derivative $expMovingAvg $integral $shift", name, strlen(name)) < 0 ? _("stage")
		: _("window function");
}

void
PgBsonStageWrong(const char *stage, const char *detail)
{
	PgBsonReportInvalid(errmsg("invalid operand of %s \"%s\" of a bson pipeline", kind_of_option(stage), stage),
						errdetail_internal("%s", _(detail)));
}

/* Raise 22023 unless the option has the type that the letter stands for */
static void
check_option_type(const char *stage, const char *name, char letter, const PgBsonValue *value)
{
	static const struct
	{
		char		letter;
		PgBsonType	type;
		const char *detail;
	}			types[] = {
		{'s', PGBSON_STRING, gettext_noop("\"%s\" must be a string.")},
		{'d', PGBSON_DOCUMENT, gettext_noop("\"%s\" must be a document.")},
		{'a', PGBSON_ARRAY, gettext_noop("\"%s\" must be an array.")},
		{'b', PGBSON_BOOL, gettext_noop("\"%s\" must be a boolean.")}
	};

	for (int i = 0; i < lengthof(types); i++)
	{
		if (types[i].letter == letter && types[i].type != value->type)
			PgBsonReportInvalid(errmsg("invalid operand of %s \"%s\" of a bson pipeline", kind_of_option(stage), stage),
								errdetail(types[i].detail, name));
	}
}

void
PgBsonStageOptions(const char *stage, const PgBsonValue *operand, const char *names,...)
{
	PgBsonValue values[PGBSON_MAX_OPTIONS];
	PgBsonIter	unknown;
	va_list		places;

	if (operand->type != PGBSON_DOCUMENT)
		PgBsonStageWrong(stage, gettext_noop("A document is expected."));
	if (!PgBsonOptionsRead(operand, names, values, &unknown))
		PgBsonReportInvalid(errmsg("%s \"%s\" of a bson pipeline has no option \"%s\"", kind_of_option(stage), stage,
								   PgBsonNameInMessage(unknown.key, unknown.key_len)));
	va_start(places, names);
	for (PgBsonValue *value = values; *names != '\0'; value++)
	{
		Size		width = strcspn(names, " ");
		char	   *name = pnstrdup(names, strcspn(names, " !?:"));

		if (value->type == PGBSON_NULL && memchr(names, '?', width) != NULL)
			value->type = PGBSON_EOD;
		if (value->type == PGBSON_EOD && names[width - 1] == '!')
			PgBsonReportInvalid(errmsg("%s \"%s\" of a bson pipeline needs the option \"%s\"", kind_of_option(stage),
									   stage, name));
		if (value->type != PGBSON_EOD && names[strlen(name)] == ':')
			check_option_type(stage, name, names[strlen(name) + 1], value);
		*va_arg(places, PgBsonValue *) = *value;
		names += width;
		names += strspn(names, " ");
	}
	va_end(places);
}

bool
PgBsonOptionIs(const PgBsonValue *value, const char *string)
{
	return value->type == PGBSON_STRING &&
		PgBsonKeyIs(PgBsonStringBytes(value), PgBsonStringLength(value), string);
}

char *
PgBsonOptionsLacking(const char *names, const PgBsonValue *values)
{
	for (int i = 0; *names != '\0'; i++)
	{
		Size		width = strcspn(names, " ");

		if (names[width - 1] == '!' && values[i].type == PGBSON_EOD)
			return pnstrdup(names, width - 1);
		names += width;
		names += strspn(names, " ");
	}
	return NULL;
}
