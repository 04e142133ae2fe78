/*
 * match.c
 *	  bson_match and the operator @~: MongoDB's queries.
 */
#include "pgbson.h"

#include "mongo/query/match_fields.h"
#include "sql/site/compiled.h"

typedef struct MatchSite
{
	PgBsonCompiled compiled;
	PgBsonQuery *query;
	PgBsonQueryFields *fields;	/* the prepared query, or NULL */
	PgBsonReadHint hint;
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
	PgBsonReader reader;
	bool		matches;
	MatchSite  *site = PgBsonCompiledSite(fcinfo, sizeof(MatchSite), args, lengthof(args), compile_query);

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
