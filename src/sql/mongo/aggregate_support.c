/*
 * aggregate_support.c
 *	  What the planner knows of bson_aggregate with a constant pipeline: how many documents it returns and, since
 *	  PostgreSQL 19, the query that it stands for.
 */
#include "pgbson.h"

#include "catalog/pg_proc.h"
#include "core/number/number.h"
#include "core/stored/detoast.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "sql/attempt.h"
#include "sql/mongo/statement.h"
#include "sql/site/type.h"
#include "utils/lsyscache.h"

/* The most rows that a $limit alone makes the planner expect: many write a large one for none, and for a cost so high the server compiles */
#define MOST_ROWS	100000

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
		return Min(rows == 0 ? MOST_ROWS : rows, count);
	return rows;
}

#ifdef PGBSON_INLINES_IN_FROM

/*
 * Would planning or beginning the query raise an error that the function raises only if it is called?
 *
 * Constant documents of $documents are evaluated by the planner.
 */
static bool
raises_early(Node *node, void *context)
{
	RangeTblEntry *rte = (RangeTblEntry *) node;
	Query	   *query = (Query *) node;

	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
		return rte->rtekind == RTE_FUNCTION && !contain_var_clause((Node *) rte->functions) &&
			!contain_mutable_functions((Node *) rte->functions);
	if (IsA(node, Query))
		return !ExecCheckPermissions(query->rtable, query->rteperminfos, false) ||
			query_tree_walker(query, raises_early, context, QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, raises_early, context);
}

/* A call, and its query; NULL if the function must run it */
typedef struct Inlining
{
	FunctionCallInfo fcinfo;
	Query	   *query;
} Inlining;

static void
make_query(void *arg)
{
	Inlining   *inlining = arg;
	PgBsonRun	run = {0};
	Query	   *query;

	if (!PgBsonRunPrepare(inlining->fcinfo, &run, &query))
		return;
	query = PgBsonStatementRewrite(query);
	/* unless the column is of a domain, or the query is volatile or parallel unsafe */
	if (exprType((Node *) linitial_node(TargetEntry, query->targetList)->expr) == get_func_rettype(inlining->fcinfo->flinfo->fn_oid) &&
		!contain_volatile_functions((Node *) query) && max_parallel_hazard(query) != PROPARALLEL_UNSAFE &&
		!raises_early((Node *) query, NULL))
		inlining->query = query;
}

/* Does an error come again if the function is called?  Not that of a cancel; and a stack that is too deep would be filled once more at each level. */
static bool
is_for_the_function(const ErrorData *error)
{
	return error->sqlerrcode != ERRCODE_QUERY_CANCELED && error->sqlerrcode != ERRCODE_STATEMENT_TOO_COMPLEX;
}

/*
 * The query for a call in FROM whose arguments are constants and name a relation.  An error does not matter here: the
 * function raises it if it is called.
 */
static Query *
inline_in_from(const SupportRequestInlineInFrom *request)
{
	FuncExpr   *call = (FuncExpr *) request->rtfunc->funcexpr;
	LOCAL_FCINFO(fcinfo, 3);
	FmgrInfo	function;
	Inlining	inlining = {fcinfo};

	fmgr_info(call->funcid, &function);
	/* somebody else's function, or one that was altered to run by other rules? */
	if (function.fn_addr != pgbson_aggregate || function.fn_strict || list_length(call->args) != 3)
		return NULL;
	InitFunctionCallInfoData(*fcinfo, &function, 3, InvalidOid, NULL, NULL);
	for (int i = 0; i < 3; i++)
	{
		Const	   *arg = list_nth(call->args, i);

		if (!IsA(arg, Const) || (arg->constisnull && i == 0))
			return NULL;
		fcinfo->args[i] = (NullableDatum) {arg->constvalue, arg->constisnull};
	}
	(void) PgBsonAttempt(make_query, &inlining, is_for_the_function);
	/* the query was checked for this role, which may execute the function and read what the query reads */
	request->root->glob->dependsOnRole |= inlining.query != NULL;
	return inlining.query;
}
#endif

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

#ifdef PGBSON_INLINES_IN_FROM
	if (IsA(request, SupportRequestInlineInFrom))
		PG_RETURN_POINTER(inline_in_from((SupportRequestInlineInFrom *) request));
#endif
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
