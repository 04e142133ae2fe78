/*
 * pipeline_sql.c
 *	  The results of pipelines of MongoDB's aggregation.
 */
#include "door.h"

#include "core/number/number.h"
#include "executor/tstoreReceiver.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "sql/mongo/statement.h"
#include "sql/site/type.h"

/*
 * SQL: bson_aggregate(relation regclass, pipeline bson, column_name name DEFAULT NULL) returns setof bson
 *
 * The rows go from the executor into the result, which is on disk beyond work_mem.
 */
PG_FUNCTION_INFO_V1(pgbson_aggregate);
Datum
pgbson_aggregate(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	DestReceiver *dest;
	PgBsonTarget target;
	PgBsonRun	run;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	if (PG_ARGISNULL(1))
		return (Datum) 0;
	target = PgBsonTargetOf(fcinfo, 2);
	run.pipeline = PgBsonRoot(PG_GETARG_PGBSON_PP(1));
	run.text = PgBsonTranslatePipeline(&target, &run.pipeline, &run.spans);

	dest = CreateDestReceiver(DestTuplestore);
	SetTuplestoreDestReceiverParams(dest, rsinfo->setResult, rsinfo->econtext->ecxt_per_query_memory, false, NULL, NULL);
	PgBsonRunBegin(&run, PgBsonStatementAnalyze(fcinfo->flinfo->fn_oid, run.text), CURSOR_OPT_PARALLEL_OK, dest);
	PgBsonRunRows(&run, 0);
	PgBsonRunEnd(&run);
	dest->rDestroy(dest);
	return (Datum) 0;
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
