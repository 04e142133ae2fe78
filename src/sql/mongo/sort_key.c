/*
 * sort_key.c
 *	  bson_sort_key: MongoDB's sort.
 */
#include "door.h"

#include "mongo/sort/sort_key.h"
#include "sql/site/kept.h"

typedef struct SortSite
{
	PgBsonKept	kept;			/* the first member */
	PgBsonSortOrder *order;
	PgBsonReadHint hint;
} SortSite;

static void
keep_sort(FunctionCallInfo fcinfo, void *sort_site)
{
	SortSite   *site = sort_site;
	PgBsonValue root = PgBsonKeptValue(fcinfo, site, 1);

	site->order = PgBsonSortParse(&root);
	PgBsonSortPrepare(site->order);
}

/* SQL: bson_sort_key(doc bson, sort bson) returns bson */
PG_FUNCTION_INFO_V1(pgbson_sort_key);
Datum
pgbson_sort_key(PG_FUNCTION_ARGS)
{
	SortSite   *site = PgBsonKeptSite(fcinfo, sizeof(SortSite), 1, 1, keep_sort);
	PgBsonReader reader;
	PgBson	   *key;

	PgBsonOpen(&reader, PG_GETARG_DATUM(0), &site->hint);
	key = PgBsonSortKeyRead(site->order, &reader);
	PgBsonClose(&reader);
	PG_RETURN_POINTER(key);
}
