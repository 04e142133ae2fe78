/*
 * pipeline_sql.c
 *	  The results of pipelines of MongoDB's aggregation.
 */
#include "door.h"

#include "core/number/number.h"
#include "executor/executor.h"
#include "executor/tstoreReceiver.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "sql/mongo/statement.h"
#include "sql/site/type.h"
#include "utils/datum.h"

/* Translate and analyze, in the current memory context; false if there is no pipeline */
static bool
prepare(FunctionCallInfo fcinfo, PgBsonRun *run, Query **query)
{
	PgBsonTarget target;

	if (PG_ARGISNULL(1))
		return false;
	target = PgBsonTargetOf(fcinfo, 2);
	run->pipeline = PgBsonRoot(PG_GETARG_PGBSON_P_COPY(1));
	run->text = PgBsonTranslatePipeline(&target, &run->pipeline, &run->spans);
	*query = PgBsonStatementAnalyze(fcinfo->flinfo->fn_oid, run->text);
	return true;
}

/* All rows at once, which are on disk beyond work_mem; workers may take part */
static void
run_at_once(FunctionCallInfo fcinfo)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	DestReceiver *dest;
	PgBsonRun	run;
	Query	   *query;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	if (!prepare(fcinfo, &run, &query))
		return;
	dest = CreateDestReceiver(DestTuplestore);
	SetTuplestoreDestReceiverParams(dest, rsinfo->setResult, rsinfo->econtext->ecxt_per_query_memory, false, NULL, NULL);
	PgBsonRunBegin(&run, query, CURSOR_OPT_PARALLEL_OK, dest);
	PgBsonRunRows(&run, 0);
	PgBsonRunEnd(&run);
	dest->rDestroy(dest);
}

/* A statement that gives a row at each call */
typedef struct AggregateRows
{
	DestReceiver receiver;
	PgBsonRun	run;
	MemoryContext context;		/* of the call, for the row */
	bool		received;
	bool		isnull;
	Datum		value;
} AggregateRows;

static bool
receive(TupleTableSlot *slot, DestReceiver *self)
{
	AggregateRows   *rows = (AggregateRows *) self;
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

/* The query around ends, perhaps before all rows were asked for */
static void
end_rows(Datum rows)
{
	PgBsonRunEnd(&((AggregateRows *) DatumGetPointer(rows))->run);
}

static AggregateRows *
begin_rows(FunctionCallInfo fcinfo)
{
	AggregateRows   *rows = palloc0_object(AggregateRows);
	Query	   *query;

	rows->receiver = (DestReceiver) {receive, begin_to_receive, end_receiving, end_receiving, DestNone};
	if (!prepare(fcinfo, &rows->run, &query))
		return NULL;
	PgBsonRunBegin(&rows->run, query, 0, &rows->receiver);
	RegisterExprContextCallback(((ReturnSetInfo *) fcinfo->resultinfo)->econtext, end_rows, PointerGetDatum(rows));
	return rows;
}

/*
 * SQL: bson_aggregate(relation regclass, pipeline bson, column_name name DEFAULT NULL) returns setof bson
 *
 * In FROM the server wants all rows at once.  In a list of results it asks for one after the other, so that a LIMIT
 * around it ends the work; then there are no workers, because they cannot wait.
 */
PG_FUNCTION_INFO_V1(pgbson_aggregate);
Datum
pgbson_aggregate(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	FuncCallContext *context;
	AggregateRows   *rows;

	if (rsinfo == NULL || !IsA(rsinfo, ReturnSetInfo) || !(rsinfo->allowedModes & SFRM_ValuePerCall) ||
		(rsinfo->allowedModes & SFRM_Materialize_Preferred))
	{
		run_at_once(fcinfo);
		return (Datum) 0;
	}
	if (SRF_IS_FIRSTCALL())
	{
		MemoryContext before;

		context = SRF_FIRSTCALL_INIT();
		before = MemoryContextSwitchTo(context->multi_call_memory_ctx);
		context->user_fctx = begin_rows(fcinfo);
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

/* How many documents a stage returns if it reads "rows" of them, as far as its operand says; 0 means not known */
static double
rows_behind(const PgBsonIter *stage, double rows)
{
	PgBsonIter	option = *stage;
	int64		count;

	if (PgBsonIterIs(stage, "$count") || PgBsonIterIs(stage, "$facet"))
		return 1;
	if (PgBsonIterIs(stage, "$unwind") || PgBsonIterIs(stage, "$unionWith") || PgBsonIterIs(stage, "$densify"))
		return 0;
	if (PgBsonIterIs(stage, "$group") && stage->value.type == PGBSON_DOCUMENT)
	{
		PgBsonForEach(field, PgBsonValueView(&stage->value))
		{
			if (PgBsonIterIs(&field, "_id") && field.value.type == PGBSON_NULL)
				return 1;
		}
		return rows;
	}
	if (PgBsonIterIs(stage, "$sample") && stage->value.type == PGBSON_DOCUMENT)
	{
		if (!PgBsonFirst(&stage->value, &option))
			return rows;
	}
	else if (!PgBsonIterIs(stage, "$limit"))
		return rows;
	if (PgBsonIsNumber(option.value.type) && PgBsonNumberToInt64(&option.value, &count) && count > 0)
		return rows == 0 ? count : Min(rows, count);
	return rows;
}

/*
 * SQL: bson_aggregate_support(internal) returns internal
 *
 * Estimates rows only from the operands of the stages.  To ask the planner about the whole statement would mean to
 * translate and plan it once more, which takes longer than many pipelines.
 */
PG_FUNCTION_INFO_V1(pgbson_aggregate_support);
Datum
pgbson_aggregate_support(PG_FUNCTION_ARGS)
{
	SupportRequestRows *request = (SupportRequestRows *) PG_GETARG_POINTER(0);
	Node	   *pipeline;
	PgBsonValue stages;
	double		rows = 0;

	/* a function of another extension may name this as its support function */
	if (!IsA(request, SupportRequestRows) || !is_funcclause(request->node) ||
		list_length(((FuncExpr *) request->node)->args) < 2)
		PG_RETURN_POINTER(NULL);
	pipeline = lsecond(((FuncExpr *) request->node)->args);
	if (request->root != NULL)
		pipeline = estimate_expression_value(request->root, pipeline);
	if (!IsA(pipeline, Const) || ((Const *) pipeline)->constisnull || !PgBsonIsBsonOrDomain(((Const *) pipeline)->consttype))
		PG_RETURN_POINTER(NULL);
	stages = PgBsonRoot(DatumGetPgBsonPP(((Const *) pipeline)->constvalue));
	if (stages.type != PGBSON_ARRAY)
		PG_RETURN_POINTER(NULL);
	PgBsonForEach(stage, PgBsonValueView(&stages))
	{
		PgBsonIter	name;

		if (stage.value.type == PGBSON_DOCUMENT && PgBsonFirst(&stage.value, &name))
			rows = rows_behind(&name, rows);
	}
	if (rows == 0)
		PG_RETURN_POINTER(NULL);
	request->rows = rows;
	PG_RETURN_POINTER(request);
}
