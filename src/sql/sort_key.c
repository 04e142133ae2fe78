/*
 * sort_key.c
 *	  bson_sort_key: MongoDB's sort.
 */
#include "pgbson.h"

#include "core/find/fetch.h"
#include "mongo/sort/sort_key.h"
#include "sql/site/compiled.h"

typedef struct SortSite
{
	PgBsonCompiled compiled;
	PgBsonSortOrder *order;
	PgBsonFetchHint hint;
} SortSite;

static void
compile_sort(PgBsonCompiled *compiled)
{
	SortSite   *site = (SortSite *) compiled;
	PgBsonValue root = PgBsonRootOf(compiled->args[0]);

	/* what is remembered lives in this context, which is emptied for another sort */
	memset(&site->hint, 0, sizeof(site->hint));
	site->hint.shapes.context = CurrentMemoryContext;
	site->order = PgBsonSortParse(&root);
	PgBsonSortPrepare(site->order);
}

/* The key of a document by one path, or NULL if an array is on the way */
static PgBson *
key_by_path(Datum doc, SortSite *site)
{
	const PgBsonSortPath *path = &site->order->paths[0];
	PgBsonValue value;

	if (PgBsonFetchPath(doc, path->path, path->npath, &site->hint, &value))
		return PgBsonSortKeyOfField(site->order, &value);
	return value.type == PGBSON_ARRAY ? NULL : PgBsonSortKeyOfField(site->order, NULL);
}

/* The same by several */
static PgBson *
key_by_paths(Datum doc, SortSite *site)
{
	PgBsonSortLookup lookup;

	lookup.order = site->order;
	(void) PgBsonFetchSearch(doc, PgBsonSortSearch, &lookup, &site->hint);
	return lookup.has_array ? NULL : PgBsonSortKeyOfLookup(&lookup);
}

/* SQL: bson_sort_key(doc bson, sort bson) returns bson */
PG_FUNCTION_INFO_V1(pgbson_sort_key);
Datum
pgbson_sort_key(PG_FUNCTION_ARGS)
{
	static const int args[] = {1};
	Datum		doc = PG_GETARG_DATUM(0);
	SortSite   *site = PgBsonCompiledSite(fcinfo, sizeof(SortSite), args, lengthof(args), compile_sort);
	PgBson	   *key = site->order->npaths == 1 ? key_by_path(doc, site) : key_by_paths(doc, site);
	PgBsonValue root;

	if (key == NULL)
	{
		root = PgBsonRootOf(PgBsonFetchWhole(doc));
		key = PgBsonSortKey(site->order, &root);
	}
	PG_RETURN_POINTER(key);
}
