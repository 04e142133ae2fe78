/*
 * pipeline_sql.c
 *	  bson_aggregate: running a pipeline of MongoDB, translated to SQL.
 */
#include "door.h"

#include "executor/executor.h"
#include "executor/tstoreReceiver.h"
#include "funcapi.h"
#include "sql/mongo/statement.h"
#include "utils/datum.h"

/* Put all rows into a tuplestore, which spills to disk beyond work_mem; the plan may be parallel */
static void
fill_pipeline_store(FunctionCallInfo fcinfo)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	DestReceiver *dest;
	PgBsonRun	run;
	Query	   *query;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	if (!PgBsonRunPrepare(fcinfo, &run, &query))
		return;
	dest = CreateDestReceiver(DestTuplestore);
	SetTuplestoreDestReceiverParams(dest, rsinfo->setResult, rsinfo->econtext->ecxt_per_query_memory, false, NULL,
									NULL);
	PgBsonRunBegin(&run, query, CURSOR_OPT_PARALLEL_OK, dest);
	PgBsonRunRows(&run, 0);
	PgBsonRunEnd(&run);
	dest->rDestroy(dest);
}

/* A statement that is run for one row at each call of the function, and the receiver of that row */
typedef struct AggregateRows
{
	DestReceiver receiver;
	PgBsonRun	run;
	MemoryContext context;		/* where the row is copied to: that of the call */
	bool		received;
	bool		isnull;
	Datum		value;
} AggregateRows;

static bool
receive(TupleTableSlot *slot, DestReceiver *self)
{
	AggregateRows *rows = (AggregateRows *) self;
	MemoryContext before = MemoryContextSwitchTo(rows->context);

	rows->value = slot_getattr(slot, 1, &rows->isnull);
	if (!rows->isnull)
		rows->value = datumCopy(rows->value, false, -1);
	rows->received = true;
	MemoryContextSwitchTo(before);
	return true;
}

static void
begin_to_receive(DestReceiver *self, int operation, TupleDesc type)
{
}

static void
end_receiving(DestReceiver *self)
{
}

/* Callback when the calling query ends or rescans, possibly before all rows were read: end the statement */
static void
end_rows(Datum rows)
{
	PgBsonRunEnd(&((AggregateRows *) DatumGetPointer(rows))->run);
}

static AggregateRows *
begin_pipeline_rows(FunctionCallInfo fcinfo)
{
	AggregateRows *rows = palloc0_object(AggregateRows);
	Query	   *query;

	rows->receiver = (DestReceiver) {receive, begin_to_receive, end_receiving, end_receiving, DestNone};
	if (!PgBsonRunPrepare(fcinfo, &rows->run, &query))
		return NULL;
	PgBsonRunBegin(&rows->run, query, 0, &rows->receiver);
	RegisterExprContextCallback(((ReturnSetInfo *) fcinfo->resultinfo)->econtext, end_rows, PointerGetDatum(rows));
	return rows;
}

/*
 * SQL: bson_aggregate(relation regclass, pipeline bson, column_name name DEFAULT NULL) returns setof bson
 *
 * For a call in FROM the server prefers all rows in a tuplestore.  In a SELECT list it calls the function once for each
 * row, so that a LIMIT of the calling query saves work.  Then the plan is not parallel, because a parallel plan cannot
 * be suspended between rows.
 */
PGBSON_FUNCTION(pgbson_aggregate)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	FuncCallContext *context;
	AggregateRows *rows;

	if (rsinfo == NULL || !IsA(rsinfo, ReturnSetInfo) || !(rsinfo->allowedModes & SFRM_ValuePerCall) ||
		(rsinfo->allowedModes & SFRM_Materialize_Preferred))
	{
		fill_pipeline_store(fcinfo);
		return (Datum) 0;
	}
	if (SRF_IS_FIRSTCALL())
	{
		MemoryContext before;

		context = SRF_FIRSTCALL_INIT();
		before = MemoryContextSwitchTo(context->multi_call_memory_ctx);
		context->user_fctx = begin_pipeline_rows(fcinfo);
		MemoryContextSwitchTo(before);
	}
	context = SRF_PERCALL_SETUP();
	rows = context->user_fctx;
	if (rows != NULL)
	{
		rows->context = CurrentMemoryContext;
		rows->received = false;
		PgBsonRunRows(&rows->run, 1);
		if (rows->received && rows->isnull)
			SRF_RETURN_NEXT_NULL(context);
		if (rows->received)
			SRF_RETURN_NEXT(context, rows->value);
		UnregisterExprContextCallback(rsinfo->econtext, end_rows, PointerGetDatum(rows));
		end_rows(PointerGetDatum(rows));
	}
	SRF_RETURN_DONE(context);
}
