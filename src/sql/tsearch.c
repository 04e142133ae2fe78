/*
 * tsearch.c
 *	  Full text search: the words of a bson value's strings.
 */
#include "pgbson.h"

#include "core/view.h"
#include "json/recode.h"
#include "miscadmin.h"
#include "tsearch/ts_cache.h"
#include "tsearch/ts_utils.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(pgbson_to_tsvector);
PG_FUNCTION_INFO_V1(pgbson_to_tsvector_byid);

static void
add_words(Oid config, ParsedText *words, const PgBsonValue *value)
{
	int			before = words->curwords;
	uint32		len;
	const char *s = PgBsonValueString(value, &len);

	s = PgBsonToServerText(s, &len);

	/* room for a first guess at the number of words; parsetext makes more */
	if (words->words == NULL)
	{
		words->lenwords = 64;
		words->words = (ParsedWord *) palloc(sizeof(ParsedWord) * words->lenwords);
	}
	parsetext(config, words, unconstify(char *, s), (int32) len);

	/* a gap, so that no phrase reaches from one string into the next */
	if (words->curwords > before)
		words->pos++;
}

/* All strings within a value, in their order; keys are none */
static void
add_strings(Oid config, ParsedText *words, const PgBsonValue *value)
{
	PgBsonIter	iter;

	if (value->type == PGBSON_STRING || value->type == PGBSON_SYMBOL)
		add_words(config, words, value);
	if (!PgBsonIsContainer(value->type))
		return;

	check_stack_depth();
	PgBsonIterInit(&iter, PgBsonValueView(value));
	while (PgBsonIterNext(&iter))
	{
		CHECK_FOR_INTERRUPTS();
		add_strings(config, words, &iter.value);
	}
}

static TSVector
to_tsvector_worker(Oid config, PgBson *bson)
{
	PgBsonValue root = PgBsonRoot(bson);
	ParsedText	words;

	memset(&words, 0, sizeof(words));
	add_strings(config, &words, &root);
	return make_tsvector(&words);
}

/* SQL: to_tsvector(regconfig, bson) returns tsvector */
Datum
pgbson_to_tsvector_byid(PG_FUNCTION_ARGS)
{
	PG_RETURN_TSVECTOR(to_tsvector_worker(PG_GETARG_OID(0), PG_GETARG_PGBSON_PP(1)));
}

/* SQL: to_tsvector(bson) returns tsvector */
Datum
pgbson_to_tsvector(PG_FUNCTION_ARGS)
{
	PG_RETURN_TSVECTOR(to_tsvector_worker(getTSCurrentConfig(true), PG_GETARG_PGBSON_PP(0)));
}
