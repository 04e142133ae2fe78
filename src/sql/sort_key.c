/*
 * sort_key.c
 *	  bson_sort_key: MongoDB's sort.
 */
#include "pgbson.h"

#include "core/fetch.h"
#include "mongo/sort_key.h"
#include "sql/compiled.h"

typedef struct SortSite
{
	PgBsonCompiled compiled;
	PgBsonSortOrder *order;
	PgBsonStep	field;			/* of a sort by one field */
	PgBsonFetchHint hint;
} SortSite;

static void
compile_sort(PgBsonCompiled *compiled)
{
	SortSite   *site = (SortSite *) compiled;
	PgBsonValue root = PgBsonRootOf(compiled->args[0]);

	site->order = PgBsonSortParse(&root);
	if (PgBsonSortsByField(site->order))
	{
		site->field = site->order->paths[0].path[0];
		site->field.kind = PGBSON_STEP_KEY;
	}
}

/* SQL: bson_sort_key(doc bson, sort bson) returns bson */
PG_FUNCTION_INFO_V1(pgbson_sort_key);
Datum
pgbson_sort_key(PG_FUNCTION_ARGS)
{
	static const int args[] = {1};
	Datum		doc = PG_GETARG_DATUM(0);
	SortSite   *site = PgBsonCompiledSite(fcinfo, sizeof(SortSite), args, lengthof(args), compile_sort);
	PgBsonValue value;

	if (PgBsonSortsByField(site->order))
	{
		bool		found = PgBsonFetchPath(doc, &site->field, 1, &site->hint, &value);

		PG_RETURN_POINTER(PgBsonSortKeyOfField(site->order, found ? &value : NULL));
	}
	value = PgBsonRootOf(PgBsonFetchWhole(doc));
	PG_RETURN_POINTER(PgBsonSortKey(site->order, &value));
}
