/*
 * pipeline_sql.c
 *	  Pipelines of MongoDB's aggregation as statements, and their results.
 */
#include "door.h"

#include "catalog/dependency.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "core/number/number.h"
#include "executor/spi.h"
#include "executor/tstoreReceiver.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "parser/analyze.h"
#include "pipeline/translate.h"
#include "sql/site/type.h"
#include "tcop/tcopprot.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"

/* Where the function's statement is to be run; all functions of the extension are in the schema of this one */
static PgBsonTarget
target_of(FunctionCallInfo fcinfo, int column_arg)
{
	PgBsonTarget target = {0};
	Oid		   *types;
	int			ntypes;

	if (fcinfo->flinfo == NULL)
		elog(ERROR, "a bson pipeline cannot be translated without a call site");
	target.schema = get_namespace_name(get_func_namespace(fcinfo->flinfo->fn_oid));
	/* the second argument is a bson */
	(void) get_func_signature(fcinfo->flinfo->fn_oid, &types, &ntypes);
	target.type = types[1];
	target.relation = PG_ARGISNULL(0) ? InvalidOid : PG_GETARG_OID(0);
	target.column = PG_ARGISNULL(column_arg) ? NULL : pstrdup(NameStr(*PG_GETARG_NAME(column_arg)));
	return target;
}

/* An argument's value; NULL if it is not given */
static const PgBsonValue *
value_argument(FunctionCallInfo fcinfo, int argno, PgBsonValue *room)
{
	if (PG_ARGISNULL(argno))
		return NULL;
	*room = PgBsonRoot(PG_GETARG_PGBSON_PP(argno));
	return room;
}

/* Functions that were found to be allowed in a statement */
typedef struct Allowed
{
	Oid			extension;
	List	   *functions;
} Allowed;

/* Raise an error for a function that belongs neither to the server nor to this extension */
static bool
refuse_foreign(Oid function, void *context)
{
	Allowed    *allowed = context;

	if (get_func_namespace(function) == PG_CATALOG_NAMESPACE || list_member_oid(allowed->functions, function))
		return false;
	if (getExtensionOfObject(ProcedureRelationId, function) != allowed->extension)
		ereport(ERROR,
				(errcode(ERRCODE_AMBIGUOUS_FUNCTION),
				 errmsg("function %s would be called instead of one of the extension bson", format_procedure(function)),
				 errhint("Drop it, and let nobody whom you do not trust create objects in the schema of the extension.")));
	allowed->functions = lappend_oid(allowed->functions, function);
	return false;
}

static bool
refuse_foreign_calls(Node *node, Allowed *allowed)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, refuse_foreign_calls, allowed, 0);
	(void) check_functions_in_node(node, refuse_foreign, allowed);
	return expression_tree_walker(node, refuse_foreign_calls, allowed);
}

/*
 * The statement, if it calls nothing that others have put into the extension's schema.  The names in it have
 * schemas, but a function or operator of other types there could fit better than ours: bson -> bson, for a text
 * in quotes, or bson_build_object(text, bson).
 */
static char *
checked(FunctionCallInfo fcinfo, char *statement)
{
	Allowed		allowed = {getExtensionOfObject(ProcedureRelationId, fcinfo->flinfo->fn_oid)};
	RawStmt    *raw = linitial_node(RawStmt, pg_parse_query(statement));

	(void) refuse_foreign_calls((Node *) parse_analyze_fixedparams(raw, statement, NULL, 0, NULL), &allowed);
	return statement;
}

/* SQL: bson_pipeline_sql(relation regclass, pipeline bson, column_name name DEFAULT NULL) returns text */
PG_FUNCTION_INFO_V1(pgbson_pipeline_sql);
Datum
pgbson_pipeline_sql(PG_FUNCTION_ARGS)
{
	PgBsonTarget target;
	PgBsonValue pipeline;

	if (PG_ARGISNULL(1))
		PG_RETURN_NULL();
	target = target_of(fcinfo, 2);
	pipeline = PgBsonRoot(PG_GETARG_PGBSON_PP(1));
	PG_RETURN_TEXT_P(cstring_to_text(checked(fcinfo, PgBsonTranslatePipeline(&target, &pipeline))));
}

/* A number of documents, 0 if it is not given */
static int64
count_argument(FunctionCallInfo fcinfo, int argno, const char *name)
{
	int64		count = PG_ARGISNULL(argno) ? 0 : PG_GETARG_INT64(argno);

	if (count < 0)
		PgBsonReportInvalid(errmsg("\"%s\" of a find must not be negative", name));
	return count;
}

/* SQL: bson_find_sql(relation, filter, projection, sort bson, skip, limit bigint, column_name name) returns text */
PG_FUNCTION_INFO_V1(pgbson_find_sql);
Datum
pgbson_find_sql(PG_FUNCTION_ARGS)
{
	PgBsonTarget target;
	PgBsonValue filter;
	PgBsonValue projection;
	PgBsonValue sort;
	char	   *statement;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	target = target_of(fcinfo, 6);
	statement = PgBsonTranslateFind(&target, value_argument(fcinfo, 1, &filter), value_argument(fcinfo, 2, &projection),
									value_argument(fcinfo, 3, &sort), count_argument(fcinfo, 4, "skip"),
									count_argument(fcinfo, 5, "limit"));
	PG_RETURN_TEXT_P(cstring_to_text(checked(fcinfo, statement)));
}

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
	SPIExecuteOptions options = {0};
	PgBsonTarget target;
	PgBsonValue pipeline;
	char	   *statement;
	int			code;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	if (PG_ARGISNULL(1))
		return (Datum) 0;
	target = target_of(fcinfo, 2);
	pipeline = PgBsonRoot(PG_GETARG_PGBSON_PP(1));
	statement = checked(fcinfo, PgBsonTranslatePipeline(&target, &pipeline));

	options.read_only = true;
	options.dest = CreateDestReceiver(DestTuplestore);
	SetTuplestoreDestReceiverParams(options.dest, rsinfo->setResult, rsinfo->econtext->ecxt_per_query_memory, false,
									NULL, NULL);
	SPI_connect();
	code = SPI_execute_extended(statement, &options);
	if (code != SPI_OK_SELECT)
		elog(ERROR, "the statement of a bson pipeline failed: %s", SPI_result_code_string(code));
	SPI_finish();
	options.dest->rDestroy(options.dest);
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
