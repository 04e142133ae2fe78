/*
 * schema.c
 *	  bson_schema_errors: where a document does not meet a schema.
 */
#include "door.h"

#include "catalog/pg_type.h"
#include "core/bytes/recode.h"
#include "mongo/query/schema.h"
#include "sql/convert/store.h"
#include "sql/site/kept.h"
#include "utils/array.h"
#include "utils/builtins.h"

#define NCOLUMNS	3			/* path, keyword, expected */

/* The rows, one for each fault; the store is made with the first row */
typedef struct Faults
{
	ReturnSetInfo *rsinfo;
	Tuplestorestate *store;
	MemoryContext row;			/* of one row */
} Faults;

static Datum
path_datum(const PgBsonStep *path, int npath)
{
	Datum	   *names = palloc(Max(npath, 1) * sizeof(Datum));

	for (int i = 0; i < npath; i++)
	{
		if (path[i].kind == PGBSON_STEP_INDEX)
			names[i] = CStringGetTextDatum(psprintf("%d", path[i].index));
		else
			names[i] = PointerGetDatum(PgBsonToText(path[i].key, path[i].key_len));
	}
	return PointerGetDatum(construct_array(names, npath, TEXTOID, -1, false, TYPALIGN_INT));
}

static void
add_fault(const PgBsonStep *path, int npath, const char *keyword, const PgBsonValue *operand,
		  void *arg)
{
	bool		nulls[NCOLUMNS] = {false, false, false};
	Faults	   *faults = arg;
	MemoryContext old;
	Datum		values[NCOLUMNS];

	if (faults->store == NULL)
	{
		faults->store = PgBsonStoreMake(faults->rsinfo, faults->rsinfo->expectedDesc);
		faults->row = AllocSetContextCreate(CurrentMemoryContext, "bson schema fault", ALLOCSET_SMALL_SIZES);
	}
	old = MemoryContextSwitchTo(faults->row);
	values[0] = path_datum(path, npath);
	values[1] = CStringGetTextDatum(keyword);
	values[2] = PointerGetDatum(PgBsonFromValue(operand));
	tuplestore_putvalues(faults->store, faults->rsinfo->expectedDesc, values, nulls);
	MemoryContextSwitchTo(old);
	MemoryContextReset(faults->row);
}

PGBSON_KEEPER(keep_schema, PgBsonSchemaParse(&value))

/* SQL: bson_schema_errors(data bson, schema bson) returns table (path text[], keyword text, expected bson) */
PGBSON_FUNCTION(pgbson_schema_errors)
{
	Faults		faults = {PgBsonReturnStore(fcinfo)};
	const PgBsonKept *kept = PgBsonKeptSite(fcinfo, sizeof(PgBsonKept), 1, 1, keep_schema);
	PgBsonValue value = PgBsonRoot(PG_GETARG_PGBSON_PP(0));

	PgBsonSchemaReport(kept->thing, &value, add_fault, &faults);
	if (faults.row != NULL)
		MemoryContextDelete(faults.row);
	PG_RETURN_NULL();
}
