/*
 * match.c
 *	  bson_match and the operator @~: MongoDB's queries.
 */
#include "pgbson.h"

#include "core/build.h"
#include "core/fetch.h"
#include "json/match.h"

/* What a call site remembers: the query it made ready last */
typedef struct MatchSite
{
	MemoryContext context;		/* of all this */
	PgBson	   *bytes;			/* the query, plain; NULL: none yet */
	PgBsonQuery *query;
} MatchSite;

static MatchSite *
match_site(FmgrInfo *flinfo)
{
	MatchSite  *site = (MatchSite *) flinfo->fn_extra;

	if (site == NULL)
	{
		site = MemoryContextAllocZero(flinfo->fn_mcxt, sizeof(MatchSite));
		site->context = AllocSetContextCreate(flinfo->fn_mcxt, "bson query", ALLOCSET_SMALL_SIZES);
		flinfo->fn_extra = site;
	}
	return site;
}

/* The query, made ready unless it is the one of the last call */
static const PgBsonQuery *
ready_query(FmgrInfo *flinfo, const PgBson *bytes)
{
	PgBsonView	view = PgBsonViewOf(bytes);
	PgBsonValue root = PgBsonRootOf(view);
	MatchSite  *site;
	MemoryContext old;
	PgBson	   *copy;

	if (flinfo == NULL)
		return PgBsonQueryParse(&root);

	site = match_site(flinfo);
	if (site->bytes != NULL && VARSIZE(site->bytes) - VARHDRSZ == view.len &&
		memcmp(VARDATA(site->bytes), view.data, view.len) == 0)
		return site->query;

	site->bytes = NULL;
	MemoryContextReset(site->context);
	old = MemoryContextSwitchTo(site->context);
	copy = PgBsonFromBytes(view.data, view.len);
	root = PgBsonRoot(copy);
	site->query = PgBsonQueryParse(&root);
	MemoryContextSwitchTo(old);
	/* known by its bytes only when all went well */
	site->bytes = copy;
	return site->query;
}

/* SQL: bson_match(doc bson, query bson) returns bool; @~ */
PG_FUNCTION_INFO_V1(pgbson_match);
Datum
pgbson_match(PG_FUNCTION_ARGS)
{
	const PgBsonQuery *query = ready_query(fcinfo->flinfo, PG_GETARG_PGBSON_PP(1));
	PgBsonValue root = PgBsonRootOf(PgBsonFetchWhole(PG_GETARG_DATUM(0)));

	PG_RETURN_BOOL(PgBsonQueryMatches(query, &root));
}
