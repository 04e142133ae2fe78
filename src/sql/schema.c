/*
 * schema.c
 *	  bson_schema_errors: where a document does not meet a schema.
 */
#include "pgbson.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "core/build.h"
#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "mongo/schema.h"
#include "utils/array.h"
#include "utils/builtins.h"

#define NCOLUMNS	3			/* path, keyword, expected */

/* The faults, as rows */
typedef struct Faults
{
	TupleDesc	desc;
	HeapTuple  *rows;
	uint64		count;
	uint64		room;
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
		{
			char	   *key = pnstrdup(path[i].key, path[i].key_len);

			names[i] = CStringGetTextDatum(pg_any_to_server(key, path[i].key_len, PG_UTF8));
		}
	}
	return PointerGetDatum(construct_array(names, npath, TEXTOID, -1, false, TYPALIGN_INT));
}

static void
add_fault(const PgBsonStep *path, int npath, const char *keyword, const PgBsonValue *operand,
		  void *arg)
{
	Faults	   *faults = arg;
	bool		nulls[NCOLUMNS] = {false, false, false};
	Datum		values[NCOLUMNS];

	values[0] = path_datum(path, npath);
	values[1] = CStringGetTextDatum(keyword);
	values[2] = PointerGetDatum(PgBsonFromValue(operand));
	if (faults->count == faults->room)
	{
		faults->room = Max(faults->room * 2, 16);
		if (faults->rows == NULL)
			faults->rows = palloc(faults->room * sizeof(HeapTuple));
		else
			faults->rows = repalloc_huge(faults->rows, faults->room * sizeof(HeapTuple));
	}
	faults->rows[faults->count++] = heap_form_tuple(faults->desc, values, nulls);
}

static Faults *
find_faults(FunctionCallInfo fcinfo)
{
	Faults	   *faults = palloc0(sizeof(Faults));
	PgBsonValue value = PgBsonRoot(PG_GETARG_PGBSON_PP(0));
	PgBsonValue schema = PgBsonRoot(PG_GETARG_PGBSON_PP(1));

	if (get_call_result_type(fcinfo, NULL, &faults->desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	faults->desc = BlessTupleDesc(faults->desc);
	PgBsonSchemaReport(PgBsonSchemaParse(&schema), &value, add_fault, faults);
	return faults;
}

/* SQL: bson_schema_errors(data bson, schema bson) returns table (path text[], keyword text, expected bson) */
PG_FUNCTION_INFO_V1(pgbson_schema_errors);
Datum
pgbson_schema_errors(PG_FUNCTION_ARGS)
{
	FuncCallContext *call;
	Faults	   *faults;
	Datum		row;

	if (SRF_IS_FIRSTCALL())
	{
		MemoryContext old;

		call = SRF_FIRSTCALL_INIT();
		old = MemoryContextSwitchTo(call->multi_call_memory_ctx);
		call->user_fctx = find_faults(fcinfo);
		MemoryContextSwitchTo(old);
	}
	call = SRF_PERCALL_SETUP();
	faults = call->user_fctx;
	if (call->call_cntr >= faults->count)
		SRF_RETURN_DONE(call);
	/* the macro counts before it looks at its second argument */
	row = HeapTupleGetDatum(faults->rows[call->call_cntr]);
	SRF_RETURN_NEXT(call, row);
}
