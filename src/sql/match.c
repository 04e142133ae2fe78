/*
 * match.c
 *	  bson_match and the operator @~: MongoDB's queries.
 */
#include "pgbson.h"

#include "core/build.h"
#include "core/fetch.h"
#include "core/path_args.h"
#include "mongo/match_fields.h"
#include "sql/site.h"

/* What a call site remembers: the last query that it prepared */
typedef struct MatchSite
{
	MemoryContext context;		/* of all the following */
	PgBson	   *bytes;			/* the query, detoasted; NULL if there is none yet */
	PgBsonQuery *query;
	PgBsonQueryFields *fields;	/* the prepared query, or NULL */
	bool		constant;		/* the query is a constant of the call site */
	PgBsonFetchHint hint;
} MatchSite;

static MatchSite *
match_site(FmgrInfo *flinfo)
{
	MatchSite  *site = PgBsonSite(flinfo, sizeof(MatchSite));

	if (site->context == NULL)
	{
		site->context = AllocSetContextCreate(flinfo->fn_mcxt, "bson query", ALLOCSET_SMALL_SIZES);
		site->constant = PgBsonArgIsConst(flinfo, 1);
	}
	return site;
}

/* Prepare the query, unless it is the one of the last call */
static void
ready_query(MatchSite *site, const PgBson *bytes)
{
	PgBsonView	view = PgBsonViewOf(bytes);
	PgBsonValue root;
	MemoryContext old;
	PgBson	   *copy;

	if (site->bytes != NULL && VARSIZE(site->bytes) - VARHDRSZ == view.len &&
		memcmp(VARDATA(site->bytes), view.data, view.len) == 0)
		return;

	site->bytes = NULL;
	MemoryContextReset(site->context);
	old = MemoryContextSwitchTo(site->context);
	copy = PgBsonFromBytes(view.data, view.len);
	root = PgBsonRoot(copy);
	site->query = PgBsonQueryParse(&root);
	site->fields = PgBsonQueryFieldsMake(site->query);
	MemoryContextSwitchTo(old);
	/* remember its bytes only after all has succeeded */
	site->bytes = copy;
}

/* SQL: bson_match(doc bson, query bson) returns bool; @~ */
PG_FUNCTION_INFO_V1(pgbson_match);
Datum
pgbson_match(PG_FUNCTION_ARGS)
{
	Datum		doc = PG_GETARG_DATUM(0);
	PgBsonFieldsMatch match = {NULL};
	PgBsonValue root;
	PgBsonQuery *query;
	MatchSite  *site;

	/* called by C code without a call site */
	if (fcinfo->flinfo == NULL)
	{
		root = PgBsonRoot(PG_GETARG_PGBSON_PP(1));
		query = PgBsonQueryParse(&root);
		root = PgBsonRootOf(PgBsonFetchWhole(doc));
		PG_RETURN_BOOL(PgBsonQueryMatches(query, &root));
	}

	site = match_site(fcinfo->flinfo);
	if (!site->constant || site->bytes == NULL)
		ready_query(site, PG_GETARG_PGBSON_PP(1));
	if (site->fields != NULL)
	{
		match.fields = site->fields;
		(void) PgBsonFetchSearch(doc, PgBsonFieldsSearch, &match, &site->hint);
		PG_RETURN_BOOL(match.matches);
	}
	root = PgBsonRootOf(PgBsonFetchWhole(doc));
	PG_RETURN_BOOL(PgBsonQueryMatches(site->query, &root));
}
