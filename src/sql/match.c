/*
 * match.c
 *	  bson_match and the operator @~: MongoDB's queries.
 */
#include "pgbson.h"

#include "core/find/fetch.h"
#include "core/stored/sparse.h"
#include "mongo/query/match_fields.h"
#include "sql/site/compiled.h"

typedef struct MatchSite
{
	PgBsonCompiled compiled;
	PgBsonQuery *query;
	PgBsonQueryFields *fields;	/* the prepared query, or NULL */
	PgBsonFetchHint hint;
} MatchSite;

static void
compile_query(PgBsonCompiled *compiled)
{
	MatchSite  *site = (MatchSite *) compiled;
	PgBsonValue root = PgBsonRootOf(compiled->args[0]);

	site->query = PgBsonQueryParse(&root);
	PgBsonQueryRemember(site->query);
	site->fields = PgBsonQueryFieldsMake(site->query);
}

/* SQL: bson_match(doc bson, query bson) returns bool; @~ */
PG_FUNCTION_INFO_V1(pgbson_match);
Datum
pgbson_match(PG_FUNCTION_ARGS)
{
	static const int args[] = {1};
	Datum		doc = PG_GETARG_DATUM(0);
	PgBsonFieldsMatch match = {NULL};
	PgBsonValue root;
	MatchSite  *site = PgBsonCompiledSite(fcinfo, sizeof(MatchSite), args, lengthof(args), compile_query);

	if (site->fields != NULL)
	{
		if (PgBsonIsSparse((struct varlena *) DatumGetPointer(doc)) &&
			PgBsonFieldsMatchSparsely(site->fields, doc, &match.matches))
			PG_RETURN_BOOL(match.matches);
		match.fields = site->fields;
		(void) PgBsonFetchSearch(doc, PgBsonFieldsSearch, &match, &site->hint);
		PG_RETURN_BOOL(match.matches);
	}
	root = PgBsonRootOf(PgBsonFetchWhole(doc));
	PG_RETURN_BOOL(PgBsonQueryMatches(site->query, &root));
}
