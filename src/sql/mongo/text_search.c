/*
 * text_search.c
 *	  MongoDB's text search: what a text index is on, and what its statements call.
 */
#include "door.h"

#include "sql/site/kept.h"
#include "text/search.h"

typedef struct TextSite
{
	PgBsonKept	kept;			/* the first member */
	PgBsonTextSpec *spec;
	PgBsonTextSearch *search;
} TextSite;

static void
keep_text(FunctionCallInfo fcinfo, void *text_site)
{
	TextSite   *site = text_site;
	PgBsonValue spec = PgBsonKeptValue(fcinfo, site, 1);
	PgBsonValue search = PgBsonKeptValue(fcinfo, site, 2);

	site->spec = PgBsonTextSpecParse(&spec);
	if (search.type != PGBSON_EOD)
		site->search = PgBsonTextSearchParse(site->spec, &search);
}

/* The parsed arguments from the second on; *document is set to the first, whole */
static const TextSite *
text_site(FunctionCallInfo fcinfo, PgBsonValue *document)
{
	TextSite   *site = PgBsonKeptSite(fcinfo, sizeof(TextSite), 1, 2, keep_text);

	*document = PgBsonRoot(PG_GETARG_PGBSON_PP(0));
	return site;
}

/* SQL: bson_tsvector(document bson, spec bson) returns tsvector */
PGBSON_FUNCTION(pgbson_tsvector)
{
	PgBsonValue document;
	const TextSite *site = text_site(fcinfo, &document);

	PG_RETURN_TSVECTOR(PgBsonTextVector(site->spec, &document));
}

/* SQL: bson_tsquery(spec bson, search bson) returns tsquery */
PGBSON_FUNCTION(pgbson_tsquery)
{
	PgBsonValue spec = PgBsonRoot(PG_GETARG_PGBSON_PP(0));
	PgBsonValue search = PgBsonRoot(PG_GETARG_PGBSON_PP(1));

	PG_RETURN_TSQUERY(PgBsonTextQuery(PgBsonTextSearchParse(PgBsonTextSpecParse(&spec), &search), false));
}

/* SQL: bson_text_matches(document bson, spec bson, search bson) returns boolean */
PGBSON_FUNCTION(pgbson_text_matches)
{
	PgBsonValue document;
	const TextSite *site = text_site(fcinfo, &document);

	PG_RETURN_BOOL(PgBsonTextMatches(site->spec, site->search, &document));
}

/* SQL: bson_text_score(document bson, spec bson, search bson) returns double precision */
PGBSON_FUNCTION(pgbson_text_score)
{
	PgBsonValue document;
	const TextSite *site = text_site(fcinfo, &document);

	PG_RETURN_FLOAT8(PgBsonTextScore(site->spec, site->search, &document));
}
