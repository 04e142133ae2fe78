/*
 * aggregate_support.c
 *	  The planner's support function of bson_aggregate, for constant pipelines: it estimates how many documents a call
 *	  returns and, since PostgreSQL 19, gives the planner the query that computes them.  And that of bson_lookup_alone,
 *	  which must be the only set of a SELECT list.
 */
#include "door.h"

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

/*
 * The most rows that are estimated because of a $limit alone.  Many users write a very large $limit where they want no
 * limit, and the cost of so many rows would make the server use JIT compilation.
 */
#define MOST_ROWS	100000

/* Estimate from its operand how many documents a stage returns if it reads "rows" of them; 0 means not known */
static double
rows_after(const PgBsonIter *stage, double rows)
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
 * Could the query raise an error when it is planned or started, where the function would raise it only if it is called?
 * Without the right to read a table it could; and with calls in FROM that have no variables, because the planner
 * evaluates them (those of $documents, for example).
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

/* A call of bson_aggregate, and the query to replace it; NULL if the call must stay */
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
	/*
	 * The call stays if the column has a domain's type, or if the query is volatile or parallel unsafe.  And if a table
	 * has row security, because a plan that is kept would not notice that the setting row_security changes.
	 */
	if (exprType((Node *) linitial_node(TargetEntry, query->targetList)->expr) ==
		get_func_rettype(inlining->fcinfo->flinfo->fn_oid) && !query->hasRowSecurity &&
		!contain_volatile_functions((Node *) query) && max_parallel_hazard(query) != PROPARALLEL_UNSAFE &&
		!raises_early((Node *) query, NULL))
		inlining->query = query;
}

/*
 * Can an error of making the query be ignored, because a call of the function would raise it, too?  A cancellation is
 * not raised again.  An error about stack depth must not be ignored: pipelines can be nested, and each level would
 * fill the stack once more.
 */
static bool
is_raised_by_call(const ErrorData *error)
{
	return error->sqlerrcode != ERRCODE_QUERY_CANCELED && error->sqlerrcode != ERRCODE_STATEMENT_TOO_COMPLEX;
}

/*
 * The query for a call in FROM whose arguments are constants and name a relation; NULL if there is none, or if making
 * it raised an error, which the function raises again if it is called
 */
static Query *
inline_in_from(const SupportRequestInlineInFrom *request)
{
	FuncExpr   *call = (FuncExpr *) request->rtfunc->funcexpr;
	LOCAL_FCINFO(fcinfo, 3);
	FmgrInfo	function;
	Inlining	inlining = {fcinfo};

	fmgr_info(call->funcid, &function);
	/* another function may name this one as its support function, and bson_aggregate may have been altered */
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
	(void) PgBsonAttempt(make_query, &inlining, is_raised_by_call);
	/* it was checked for this role that it may execute the functions and read the tables, so the plan is only for it */
	request->root->glob->dependsOnRole |= inlining.query != NULL;
	return inlining.query;
}
#endif

/*
 * SQL: bson_aggregate_support(internal) returns internal
 *
 * Rows are estimated from the operands of the stages alone.  The planner's own estimate of the translated statement
 * would be better, but translating and planning takes longer than many pipelines run.
 */
PGBSON_FUNCTION(pgbson_aggregate_support)
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
	if (!IsA(pipeline, Const) || ((Const *) pipeline)->constisnull ||
		!PgBsonIsBsonOrDomain(((Const *) pipeline)->consttype))
		PG_RETURN_POINTER(NULL);
	stages = PgBsonRoot(DatumGetPgBsonPP(((Const *) pipeline)->constvalue));
	if (stages.type != PGBSON_ARRAY)
		PG_RETURN_POINTER(NULL);
	PgBsonForEach(stage, PgBsonValueView(&stages))
	{
		PgBsonIter	name;

		if (stage.value.type == PGBSON_DOCUMENT && PgBsonFirst(&stage.value, &name))
			rows = rows_after(&name, rows);
	}
	if (rows == 0)
		PG_RETURN_POINTER(NULL);
	request->rows = rows;
	PG_RETURN_POINTER(request);
}

/* Count the functions and operators that return sets; "sets" is an int */
static bool
count_sets(Node *node, void *sets)
{
	if (node == NULL || IsA(node, Query))
		return false;
	*(int *) sets += (IsA(node, FuncExpr) && ((FuncExpr *) node)->funcretset) ||
		(IsA(node, OpExpr) && ((OpExpr *) node)->opretset);
	return expression_tree_walker(node, count_sets, sets);
}

/* SQL: bson_lookup_alone_support(internal) returns internal; error 0A000 if a SELECT list has another set */
PGBSON_FUNCTION(pgbson_lookup_alone_support)
{
	const SupportRequestSimplify *request = (const SupportRequestSimplify *) PG_GETARG_POINTER(0);
	int			sets = 0;

	if (IsA(request, SupportRequestSimplify) && request->root != NULL)
		(void) count_sets((Node *) request->root->parse->targetList, &sets);
	if (sets > 1)
		PgBsonReportUnsupported(errmsg("bson_lookup_alone cannot be beside another function that returns a set"),
								errhint("Use bson_lookup_each."));
	PG_RETURN_POINTER(NULL);
}
