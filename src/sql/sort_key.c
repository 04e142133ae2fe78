/*
 * sort_key.c
 *	  bson_sort_key: MongoDB's sort.
 */
#include "pgbson.h"

#include "core/build.h"
#include "core/fetch.h"
#include "mongo/sort_key.h"

/* What a call site remembers: the last sort that it prepared */
typedef struct SortSite
{
	MemoryContext context;		/* of all the following */
	PgBson	   *bytes;			/* the sort, detoasted; NULL if there is none yet */
	PgBsonSortOrder *order;
	PgBsonStep	field;			/* of a sort by one field */
	PgBsonFetchHint hint;
} SortSite;

static SortSite *
sort_site(FmgrInfo *flinfo)
{
	MemoryContext outer = flinfo != NULL ? flinfo->fn_mcxt : CurrentMemoryContext;
	SortSite   *site = flinfo != NULL ? (SortSite *) flinfo->fn_extra : NULL;

	if (site == NULL)
	{
		site = MemoryContextAllocZero(outer, sizeof(SortSite));
		site->context = AllocSetContextCreate(outer, "bson sort", ALLOCSET_SMALL_SIZES);
		if (flinfo != NULL)
			flinfo->fn_extra = site;
	}
	return site;
}

/* Prepare the sort, unless it is the one of the last call */
static void
ready_sort(SortSite *site, const PgBson *bytes)
{
	PgBsonView	view = PgBsonViewOf(bytes);
	MemoryContext old;
	PgBsonValue root;
	PgBson	   *copy;

	if (site->bytes != NULL && VARSIZE(site->bytes) - VARHDRSZ == view.len &&
		memcmp(VARDATA(site->bytes), view.data, view.len) == 0)
		return;

	site->bytes = NULL;
	MemoryContextReset(site->context);
	old = MemoryContextSwitchTo(site->context);
	copy = PgBsonFromBytes(view.data, view.len);
	root = PgBsonRoot(copy);
	site->order = PgBsonSortParse(&root);
	if (PgBsonSortsByField(site->order))
	{
		site->field = site->order->paths[0].path[0];
		site->field.kind = PGBSON_STEP_KEY;
	}
	MemoryContextSwitchTo(old);
	/* remember its bytes only after all has succeeded */
	site->bytes = copy;
}

/* SQL: bson_sort_key(doc bson, sort bson) returns bson */
PG_FUNCTION_INFO_V1(pgbson_sort_key);
Datum
pgbson_sort_key(PG_FUNCTION_ARGS)
{
	Datum		doc = PG_GETARG_DATUM(0);
	SortSite   *site = sort_site(fcinfo->flinfo);
	PgBsonValue value;

	ready_sort(site, PG_GETARG_PGBSON_PP(1));
	if (PgBsonSortsByField(site->order))
	{
		bool		found = PgBsonFetchPath(doc, &site->field, 1, &site->hint, &value);

		PG_RETURN_POINTER(PgBsonSortKeyOfField(site->order, found ? &value : NULL));
	}
	value = PgBsonRootOf(PgBsonFetchWhole(doc));
	PG_RETURN_POINTER(PgBsonSortKey(site->order, &value));
}
