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

/* A fault; its row is made when it is asked for, as operands can be large */
typedef struct Fault
{
	Datum		path;
	const char *keyword;
	PgBsonValue operand;		/* in the schema */
} Fault;

typedef struct Faults
{
	TupleDesc	desc;
	Fault	   *faults;
	uint64		count;
	uint64		room;
} Faults;

static Datum
path_datum(const PgBsonStep *path, int npath)
{
	Datum	   *names = palloc(Max(npath, 1) * sizeof(Datum));
	ArrayType  *array;

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
	array = construct_array(names, npath, TEXTOID, -1, false, TYPALIGN_INT);
	for (int i = 0; i < npath; i++)
		pfree(DatumGetPointer(names[i]));
	pfree(names);
	return PointerGetDatum(array);
}

static void
add_fault(const PgBsonStep *path, int npath, const char *keyword, const PgBsonValue *operand,
		  void *arg)
{
	Faults	   *faults = arg;
	Fault	   *fault;

	if (faults->count == faults->room)
	{
		faults->room = Max(faults->room * 2, 16);
		if (faults->faults == NULL)
			faults->faults = palloc(faults->room * sizeof(Fault));
		else
			faults->faults = repalloc_huge(faults->faults, faults->room * sizeof(Fault));
	}
	fault = &faults->faults[faults->count++];
	fault->path = path_datum(path, npath);
	fault->keyword = keyword;
	fault->operand = *operand;
}

static Datum
fault_row(TupleDesc desc, const Fault *fault)
{
	bool		nulls[NCOLUMNS] = {false, false, false};
	Datum		values[NCOLUMNS];

	values[0] = fault->path;
	values[1] = CStringGetTextDatum(fault->keyword);
	values[2] = PointerGetDatum(PgBsonFromValue(&fault->operand));
	return HeapTupleGetDatum(heap_form_tuple(desc, values, nulls));
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
	row = fault_row(faults->desc, &faults->faults[call->call_cntr]);
	SRF_RETURN_NEXT(call, row);
}
