/*
 * sort_key.c
 *	  bson_sort_key: MongoDB's sort.
 */
#include "pgbson.h"

#include "mongo/sort/sort_key.h"
#include "sql/site/compiled.h"

typedef struct SortSite
{
	PgBsonCompiled compiled;
	PgBsonSortOrder *order;
	PgBsonReadHint hint;
} SortSite;

static void
compile_sort(PgBsonCompiled *compiled)
{
	SortSite   *site = (SortSite *) compiled;
	PgBsonValue root = PgBsonRootOf(compiled->args[0]);

	site->order = PgBsonSortParse(&root);
	PgBsonSortPrepare(site->order);
}

/* SQL: bson_sort_key(doc bson, sort bson) returns bson */
PG_FUNCTION_INFO_V1(pgbson_sort_key);
Datum
pgbson_sort_key(PG_FUNCTION_ARGS)
{
	static const int args[] = {1};
	SortSite   *site = PgBsonCompiledSite(fcinfo, sizeof(SortSite), args, lengthof(args), compile_sort);
	PgBsonReader reader;
	PgBson	   *key;

	PgBsonOpen(&reader, PG_GETARG_DATUM(0), &site->hint);
	key = PgBsonSortKeyRead(site->order, &reader);
	PgBsonClose(&reader);
	PG_RETURN_POINTER(key);
}
