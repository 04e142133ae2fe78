/*
 * collation.c
 *	  MongoDB's collations as those of PostgreSQL that ICU provides.
 */
#include "mongo/common/collation.h"

#include "core/bytes/recode.h"
#include "core/number/number.h"
#include "core/write/from_value.h"
#include "core/write/write.h"
#include "lib/stringinfo.h"
#include "mongo/common/options.h"

/* A value of an option, and of the keyword in the tag; "" leaves the keyword out, as it is ICU's default */
typedef struct CollationChoice
{
	const char *value;
	const char *type;
} CollationChoice;

/* Options, in the order of their keywords in a tag; those without choices are booleans */
static const struct
{
	const char *option;
	const char *keyword;
	CollationChoice choices[4];
}			attributes[] = {
	{"alternate", "ka", {{"non-ignorable", ""}, {"shifted", "-shifted"}}},
	{"backwards", "kb"},
	{"caseLevel", "kc"},
	{"caseFirst", "kf", {{"off", ""}, {"upper", "-upper"}, {"lower", "-lower"}}},
	{"normalization", "kk"},
	{"numericOrdering", "kn"},
	{"strength", "ks"},
	{"maxVariable", "kv", {{"punct", ""}, {"space", "-space"}}},
};

/* The values of @collation= that have other names in a tag */
static const CollationChoice old_names[] = {
	{"dictionary", "dict"}, {"gb2312han", "gb2312"}, {"phonebook", "phonebk"}, {"traditional", "trad"},
};

pg_noreturn static void
collation_wrong(const char *detail)
{
	PgBsonReportInvalid(errmsg("invalid specification of a collation"), errdetail("%s", _(detail)));
}

/* Is it a word of a locale: letters and digits? */
static bool
is_subtag(const char *s, Size len)
{
	for (Size i = 0; i < len; i++)
	{
		if (!((s[i] >= 'a' && s[i] <= 'z') || (s[i] >= 'A' && s[i] <= 'Z') || (s[i] >= '0' && s[i] <= '9')))
			return false;
	}
	return len >= 2 && len <= 11;
}

/* Append the locale's words, en_US; returns the keyword "co" of one such as de@collation=phonebook, or "" */
static const char *
append_locale(StringInfo tag, const PgBsonValue *locale)
{
	static const char variant[] = "@collation=";
	uint32		len;
	const char *s;
	char	   *rest;
	char	   *at;
	char	   *word;

	if (locale->type != PGBSON_STRING)
		collation_wrong(gettext_noop("The \"locale\" must be a string."));
	s = PgBsonValueString(locale, &len);
	if (len == 0 || len > 64 || memchr(s, '\0', len) != NULL)
		collation_wrong(gettext_noop("The \"locale\" is not known."));
	rest = pnstrdup(s, len);
	at = strstr(rest, variant);
	if (at != NULL)
		*at = '\0';
	while ((word = strsep(&rest, "_-")) != NULL)
	{
		if (!is_subtag(word, strlen(word)))
			collation_wrong(gettext_noop("The \"locale\" is not known."));
		appendStringInfo(tag, "%s%s", tag->len == 0 ? "" : "-", word);
	}
	if (at == NULL)
		return "";
	at += strlen(variant);
	if (!is_subtag(at, strlen(at)))
		collation_wrong(gettext_noop("The \"locale\" is not known."));
	for (int i = 0; i < lengthof(old_names); i++)
	{
		if (strcmp(at, old_names[i].value) == 0)
			return psprintf("-co-%s", old_names[i].type);
	}
	return psprintf("-co-%s", at);
}

/* The keyword of an option that was given, or an empty string */
static const char *
keyword_of(int i, const PgBsonValue *value)
{
	const char *option = attributes[i].option;
	int64		level;

	if (value->type == PGBSON_EOD)
		return "";
	if (strcmp(option, "strength") == 0)
	{
		if (!PgBsonIsNumber(value->type) || !PgBsonNumberToInt64(value, &level) || level < 1 || level > 5)
			collation_wrong(gettext_noop("The \"strength\" must be a number from 1 to 5."));
		return level == 3 ? "" : level == 5 ? "-ks-identic" : psprintf("-ks-level%d", (int) level);
	}
	if (attributes[i].choices[0].value == NULL)
	{
		if (value->type != PGBSON_BOOL)
			collation_wrong(gettext_noop("An option that must be a boolean is of another type."));
		return value->data[0] ? psprintf("-%s", attributes[i].keyword) : "";
	}
	for (const CollationChoice *choice = attributes[i].choices; choice->value != NULL; choice++)
	{
		if (PgBsonOptionIs(value, choice->value))
			return *choice->type == '\0' ? "" : psprintf("-%s%s", attributes[i].keyword, choice->type);
	}
	PgBsonReportInvalid(errmsg("invalid specification of a collation"),
						errdetail("The option \"%s\" has no such value.", option));
}

/* As in "attributes"; a version of ICU is not looked at */
static const char names[] =
	"alternate backwards caseLevel caseFirst normalization numericOrdering strength maxVariable locale version";

/* The values of the options, which are PGBSON_EOD where they are not given */
static void
collation_options(const PgBsonValue *spec, PgBsonValue values[lengthof(attributes) + 2])
{
	PgBsonIter	unknown;

	if (spec->type != PGBSON_DOCUMENT)
		collation_wrong(gettext_noop("It must be a document."));
	if (!PgBsonOptionsRead(spec, names, values, &unknown))
		PgBsonReportInvalid(errmsg("invalid specification of a collation"),
							errdetail("There is no option \"%s\".", PgBsonNameInMessage(unknown.key, unknown.key_len)));
	if (values[lengthof(attributes)].type == PGBSON_EOD)
		collation_wrong(gettext_noop("It needs a \"locale\"."));
}

PgBsonValue
PgBsonCollationListed(const PgBsonValue *spec)
{
	static const char *const order[] = {"caseLevel", "caseFirst", "strength", "numericOrdering", "alternate", "maxVariable",
	"normalization", "backwards"};
	PgBsonValue values[lengthof(attributes) + 2];
	PgBsonWriter maker;

	collation_options(spec, values);
	if (PgBsonOptionIs(&values[lengthof(attributes)], "simple"))
		return (PgBsonValue) {PGBSON_EOD};
	PgBsonWriterBegin(&maker, 256);
	PgBsonWriterField(&maker, "locale", 6, &values[lengthof(attributes)]);
	for (int i = 0; i < lengthof(order); i++)
	{
		int			at = PgBsonNameAmong(names, order[i], strlen(order[i]));
		const char *first = attributes[at].choices[0].value;

		if (values[at].type == PGBSON_EOD)
			values[at] = first != NULL ? PgBsonMakeString(first, strlen(first)) :
				strcmp(order[i], "strength") == 0 ? PgBsonMakeInt32(3) : PgBsonMakeBool(false);
		PgBsonWriterField(&maker, order[i], strlen(order[i]), &values[at]);
	}
	if (values[lengthof(attributes) + 1].type == PGBSON_EOD)
		values[lengthof(attributes) + 1] = PgBsonMakeString("57.1", 4);
	PgBsonWriterField(&maker, "version", 7, &values[lengthof(attributes) + 1]);
	return PgBsonWriterEnd(&maker, PGBSON_DOCUMENT);
}

char *
PgBsonCollationTag(const PgBsonValue *spec)
{
	PgBsonValue values[lengthof(attributes) + 2];
	StringInfoData tag;
	StringInfoData keywords;

	collation_options(spec, values);
	if (PgBsonOptionIs(&values[lengthof(attributes)], "simple"))
	{
		if (PgBsonViewCount(PgBsonValueView(spec)) > 1)
			collation_wrong(gettext_noop("The locale \"simple\" has no other options."));
		return NULL;
	}
	initStringInfo(&tag);
	initStringInfo(&keywords);
	appendStringInfoString(&keywords, append_locale(&tag, &values[lengthof(attributes)]));
	for (int i = 0; i < lengthof(attributes); i++)
		appendStringInfoString(&keywords, keyword_of(i, &values[i]));
	/* a name of ours, as the server has collations of its own for locales alone */
	appendStringInfo(&tag, "-u%s", keywords.len == 0 ? "-ks-level3" : keywords.data);
	if (tag.len >= NAMEDATALEN)
		collation_wrong(gettext_noop("The \"locale\" is not known."));
	return tag.data;
}
