/*
 * match.c
 *	  bson_match and the operator @~: MongoDB's queries.
 */
#include "door.h"

#include "mongo/query/match.h"
#include "sql/site/kept.h"

typedef struct MatchSite
{
	PgBsonKept	kept;			/* the first member */
	PgBsonQuery *query;
	PgBsonQueryFields *fields;	/* the prepared query, or NULL */
	PgBsonReadHint hint;
} MatchSite;

static void
keep_query(FunctionCallInfo fcinfo, void *match_site)
{
	MatchSite  *site = match_site;
	PgBsonValue root = PgBsonKeptValue(fcinfo, site, 1);

	site->query = PgBsonQueryParse(&root);
	site->fields = PgBsonQueryFieldsMake(site->query);
}

/* SQL: bson_match(doc bson, query bson) returns bool; @~ */
PG_FUNCTION_INFO_V1(pgbson_match);
Datum
pgbson_match(PG_FUNCTION_ARGS)
{
	PgBsonReader reader;
	bool		matches;
	MatchSite  *site = PgBsonKeptSite(fcinfo, sizeof(MatchSite), 1, 1, keep_query);

	PgBsonOpen(&reader, PG_GETARG_DATUM(0), &site->hint);
	if (site->fields != NULL)
		matches = PgBsonFieldsMatch(site->fields, &reader);
	else
	{
		PgBsonReachValue(&reader, &reader.root);
		matches = PgBsonQueryMatches(site->query, &reader.root);
	}
	PgBsonClose(&reader);
	PG_RETURN_BOOL(matches);
}
