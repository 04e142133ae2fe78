/*
 * tsearch.c
 *	  Full text search: the words of a bson value, and headlines in its strings.
 */
#include "door.h"

#include "core/bytes/recode.h"
#include "core/write/modify.h"
#include "json/print.h"
#include "tsearch/ts_cache.h"
#include "tsearch/ts_utils.h"
#include "utils/builtins.h"

/* The kinds of values that are searched for words */
#define WORDS_OF_STRINGS	0x01
#define WORDS_OF_NUMBERS	0x02
#define WORDS_OF_BOOLEANS	0x04
#define WORDS_OF_KEYS		0x08
#define WORDS_OF_ALL		0x0F

/* The state of making a tsvector */
typedef struct Words
{
	Oid			config;
	int			what;			/* WORDS_OF_... */
	ParsedText	parsed;
} Words;

/* The words of a text in the server's encoding */
static void
add_words(Words *words, const char *s, uint32 len)
{
	ParsedText *parsed = &words->parsed;
	int			before = parsed->curwords;

	/* an initial estimate of the number of words; parsetext makes more room */
	if (parsed->words == NULL)
	{
		parsed->lenwords = 64;
		parsed->words = (ParsedWord *) palloc(sizeof(ParsedWord) * parsed->lenwords);
	}
	parsetext(words->config, parsed, unconstify(char *, s), (int32) len);

	/* a gap, so that no phrase extends from one value into the next */
	if (parsed->curwords > before)
		parsed->pos++;
}

static void
add_utf8(Words *words, const char *s, uint32 len)
{
	const char *t = PgBsonToServerText(s, &len);

	add_words(words, t, len);
}

static int
kind_of_words(PgBsonType type)
{
	if (type == PGBSON_STRING || type == PGBSON_SYMBOL)
		return WORDS_OF_STRINGS;
	if (PgBsonIsNumber(type))
		return WORDS_OF_NUMBERS;
	return type == PGBSON_BOOL ? WORDS_OF_BOOLEANS : 0;
}

static void
add_scalar(Words *words, const PgBsonValue *value)
{
	text	   *t;

	if ((words->what & kind_of_words(value->type)) == 0)
		return;
	if (kind_of_words(value->type) == WORDS_OF_STRINGS)
	{
		add_utf8(words, PgBsonStringBytes(value), PgBsonStringLength(value));
		return;
	}
	t = PgBsonValueToText(value);
	add_words(words, VARDATA_ANY(t), VARSIZE_ANY_EXHDR(t));
	pfree(t);
}

/* All words within a value, in its order */
static void
add_value_words(Words *words, const PgBsonValue *value)
{
	if (!PgBsonIsContainer(value->type))
	{
		add_scalar(words, value);
		return;
	}

	check_stack_depth();
	PgBsonForEach(iter, PgBsonValueView(value))
	{
		if (value->type == PGBSON_DOCUMENT && (words->what & WORDS_OF_KEYS) != 0)
			add_utf8(words, iter.key, iter.key_len);
		add_value_words(words, &iter.value);
	}
}

static Datum
to_tsvector_worker(Oid config, Datum bson, int what)
{
	PgBsonValue root = PgBsonRoot(DatumGetPgBsonPP(bson));
	Words		words = {config, what};

	add_value_words(&words, &root);
	PG_RETURN_TSVECTOR(make_tsvector(&words.parsed));
}

/* SQL: to_tsvector([regconfig, ] bson) returns tsvector */
PGBSON_DOOR(pgbson_to_tsvector_byid, to_tsvector_worker(PG_GETARG_OID(0), PG_GETARG_DATUM(1), WORDS_OF_STRINGS));
PGBSON_DOOR(pgbson_to_tsvector, to_tsvector_worker(getTSCurrentConfig(true), PG_GETARG_DATUM(0), WORDS_OF_STRINGS));

static int
filter_flag(const PgBsonValue *value)
{
	static const struct
	{
		const char *name;
		int			flag;
	}			flags[] = {
		{"all", WORDS_OF_ALL}, {"key", WORDS_OF_KEYS}, {"string", WORDS_OF_STRINGS},
		{"numeric", WORDS_OF_NUMBERS}, {"boolean", WORDS_OF_BOOLEANS}
	};
	const char *s;
	uint32		len;

	if (value->type != PGBSON_STRING)
		PgBsonReportInvalid(errmsg("flag array element is not a string"),
							errhint("Possible values are \"string\", \"numeric\", \"boolean\", \"key\", and \"all\"."));
	s = PgBsonValueString(value, &len);
	for (int i = 0; i < lengthof(flags); i++)
	{
		if (strlen(flags[i].name) == len && pg_strncasecmp(flags[i].name, s, len) == 0)
			return flags[i].flag;
	}
	PgBsonReportInvalid(errmsg("wrong flag in flag array: \"%s\"", pnstrdup(PgBsonToServerText(s, &len), len)),
						errhint("Possible values are \"string\", \"numeric\", \"boolean\", \"key\", and \"all\"."));
	return 0;					/* not reached */
}

/* The filter of bson_to_tsvector: a flag, or an array of flags */
static int
filter_flags(PgBson *filter)
{
	PgBsonValue root = PgBsonRoot(filter);
	int			what = 0;

	if (root.type == PGBSON_DOCUMENT)
		PgBsonReportInvalid(errmsg("wrong flag type, only arrays and scalars are allowed"));
	if (root.type != PGBSON_ARRAY)
		return filter_flag(&root);

	PgBsonForEach(iter, PgBsonValueView(&root))
		what |= filter_flag(&iter.value);
	return what;
}

/* SQL: bson_to_tsvector([regconfig, ] bson, filter bson) returns tsvector */
PGBSON_DOOR(pgbson_filter_to_tsvector_byid,
			to_tsvector_worker(PG_GETARG_OID(0), PG_GETARG_DATUM(1), filter_flags(PG_GETARG_PGBSON_PP(2))));
PGBSON_DOOR(pgbson_filter_to_tsvector,
			to_tsvector_worker(getTSCurrentConfig(true), PG_GETARG_DATUM(0), filter_flags(PG_GETARG_PGBSON_PP(1))));

/* The other arguments of ts_headline */
typedef struct Headline
{
	Oid			config;
	Datum		query;
	Datum		options;		/* a text, or 0 for the defaults */
} Headline;

/* A PgBsonStringMap */
static const char *
headline_of(const PgBsonValue *string, uint32 *len, void *arg)
{
	Headline   *h = (Headline *) arg;
	const char *s = PgBsonValueString(string, len);
	text	   *t;
	Datum		result;

	s = PgBsonToServerText(s, len);
	t = cstring_to_text_with_len(s, *len);
	result = h->options == 0 ?
		DirectFunctionCall3(ts_headline_byid, ObjectIdGetDatum(h->config),
							PointerGetDatum(t), h->query) :
		DirectFunctionCall4(ts_headline_byid_opt, ObjectIdGetDatum(h->config),
							PointerGetDatum(t), h->query, h->options);
	return PgBsonFromText(DatumGetTextPP(result), len);
}

static Datum
headline_worker(FunctionCallInfo fcinfo, Oid config, int first)
{
	Headline	h = {config, PG_GETARG_DATUM(first + 1)};
	PgBsonView	doc = PgBsonViewOf(PG_GETARG_PGBSON_PP(first));
	PgBson	   *changed;

	if (PG_NARGS() > first + 2)
		h.options = PG_GETARG_DATUM(first + 2);
	changed = PgBsonMapStrings(doc, headline_of, &h);
	return changed != NULL ? PointerGetDatum(changed) : PG_GETARG_DATUM(first);
}

/* SQL: ts_headline([regconfig, ] bson, tsquery [, options text]) returns bson */
PGBSON_DOOR(pgbson_ts_headline_byid, headline_worker(fcinfo, PG_GETARG_OID(0), 1));
PGBSON_DOOR(pgbson_ts_headline, headline_worker(fcinfo, getTSCurrentConfig(true), 0));
