/*
 * find.c
 *	  bson_match (the operator @~), bson_project and bson_sort_key: the parts of MongoDB's find().
 */
#include "door.h"

#include "mongo/project/project.h"
#include "mongo/query/match.h"
#include "mongo/sort/sort_key.h"
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
PGBSON_FUNCTION(pgbson_match)
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

static void
keep_projection(FunctionCallInfo fcinfo, void *site)
{
	PgBsonValue root = PgBsonKeptValue(fcinfo, site, 1);
	PgBsonValue query = PgBsonKeptValue(fcinfo, site, 2);

	((PgBsonKept *) site)->thing = PgBsonProjectionParse(&root, query.type != PGBSON_EOD ? &query : NULL);
}

/* SQL: bson_project(doc bson, projection bson [, query bson]) returns bson */
PGBSON_FUNCTION(pgbson_project)
{
	const PgBsonKept *kept;
	PgBsonReader reader;
	PgBson	   *result;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	kept = PgBsonKeptSite(fcinfo, sizeof(PgBsonKept), 1, 2, keep_projection);
	result = PgBsonProject(kept->thing, PgBsonOpenWhole(&reader, PG_GETARG_DATUM(0)));
	PgBsonClose(&reader);
	PG_RETURN_PGBSON_P(result);
}

typedef struct SortSite
{
	PgBsonKept	kept;			/* the first member */
	PgBsonSortOrder *order;
	PgBsonReadHint hint;
} SortSite;

static void
keep_order(FunctionCallInfo fcinfo, SortSite *site, bool reversed)
{
	PgBsonValue root = PgBsonKeptValue(fcinfo, site, 1);

	site->order = PgBsonSortParse(&root);
	site->order->reversed = reversed;
	PgBsonSortPrepare(site->order);
}

static void
keep_sort(FunctionCallInfo fcinfo, void *sort_site)
{
	keep_order(fcinfo, sort_site, false);
}

static void
keep_reversed_sort(FunctionCallInfo fcinfo, void *sort_site)
{
	keep_order(fcinfo, sort_site, true);
}

static Datum
make_sort_key(FunctionCallInfo fcinfo, PgBsonKeeper keep)
{
	SortSite   *site = PgBsonKeptSite(fcinfo, sizeof(SortSite), 1, 1, keep);
	PgBsonReader reader;
	PgBson	   *key;

	PgBsonOpen(&reader, PG_GETARG_DATUM(0), &site->hint);
	key = PgBsonSortKeyRead(site->order, &reader);
	PgBsonClose(&reader);
	PG_RETURN_POINTER(key);
}

/* SQL: bson_sort_key(doc bson, sort bson) and bson_sort_key_desc(doc bson, sort bson) return bson */
PGBSON_DOOR(pgbson_sort_key, make_sort_key(fcinfo, keep_sort));
PGBSON_DOOR(pgbson_sort_key_desc, make_sort_key(fcinfo, keep_reversed_sort));
