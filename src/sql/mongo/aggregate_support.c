/*
 * aggregate_support.c
 *	  What the planner knows of bson_aggregate with a constant pipeline: how many documents a call returns, and in FROM
 *	  the query that computes them, which takes the place of the call.  And the support function of bson_lookup_alone,
 *	  which must be the only set of a SELECT list.
 */
#include "door.h"

#include "access/xact.h"
#include "catalog/pg_proc.h"
#include "commands/extension.h"
#include "core/number/number.h"
#include "core/stored/detoast.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/planmain.h"
#include "sql/attempt.h"
#include "sql/mongo/statement.h"
#include "sql/site/type.h"
#include "utils/acl.h"
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
		return !PGBSON_MAY_READ(query) ||
			query_tree_walker(query, raises_early, context, QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, raises_early, context);
}

/* A call of bson_aggregate, and the query to replace it; NULL if the call must stay */
typedef struct Inlining
{
	PlannerInfo *root;
	FuncExpr   *call;
	FmgrInfo	function;
	Query	   *query;
} Inlining;

static void
make_query(void *arg)
{
	Inlining   *inlining = arg;
	FuncExpr   *call = (FuncExpr *) eval_const_expressions(inlining->root, (Node *) inlining->call);
	LOCAL_FCINFO(fcinfo, 3);
	PgBsonRun	run = {0};
	Query	   *query;

	if (!IsA(call, FuncExpr) || list_length(call->args) != 3)
		return;
	InitFunctionCallInfoData(*fcinfo, &inlining->function, 3, InvalidOid, NULL, NULL);
	for (int i = 0; i < 3; i++)
	{
		Const	   *value = list_nth(call->args, i);

		if (!IsA(value, Const) || (value->constisnull && i == 0))
			return;
		fcinfo->args[i] = (NullableDatum) {value->constvalue, value->constisnull};
	}
	if (!PgBsonRunPrepare(fcinfo, &run, &query))
		return;
	query = PgBsonStatementRewrite(query);
	/*
	 * The call stays if the column has a domain's type, or if the query is volatile or parallel unsafe.  And if a table
	 * has row security, because a plan that is kept would not notice that the setting row_security changes.
	 */
	if (exprType((Node *) linitial_node(TargetEntry, query->targetList)->expr) ==
		get_func_rettype(call->funcid) && !query->hasRowSecurity &&
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
inline_in_from(PlannerInfo *root, FuncExpr *call)
{
	Inlining	inlining = {root, call};

	fmgr_info(call->funcid, &inlining.function);
	/* another function may name this one as its support function, and bson_aggregate may have been altered */
	if (inlining.function.fn_addr != pgbson_aggregate || inlining.function.fn_strict)
		return NULL;
	/* Citus refuses some subqueries that it runs as queries of their own */
	if (OidIsValid(get_extension_oid("citus", true)))
		return NULL;
	(void) PgBsonAttempt(make_query, &inlining, is_raised_by_call);
	/* it was checked for this role that it may execute the functions and read the tables, so the plan is only for it */
	root->glob->dependsOnRole |= inlining.query != NULL;
	return inlining.query;
}

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
	{
		SupportRequestInlineInFrom *from = (SupportRequestInlineInFrom *) request;

		PG_RETURN_POINTER(inline_in_from(from->root, (FuncExpr *) from->rtfunc->funcexpr));
	}
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

#ifndef PGBSON_INLINES_IN_FROM

/* The query for this range table entry, if it is a call of bson_aggregate alone that this role may make; else NULL */
static Query *
inline_entry(PlannerInfo *root, const RangeTblEntry *rte)
{
	FuncExpr   *call;
	FmgrInfo	support;
	Query	   *query;

	if (rte->rtekind != RTE_FUNCTION || rte->funcordinality || list_length(rte->functions) != 1)
		return NULL;
	call = (FuncExpr *) linitial_node(RangeTblFunction, rte->functions)->funcexpr;
	if (!IsA(call, FuncExpr) || !OidIsValid(get_func_support(call->funcid)))
		return NULL;
	fmgr_info(get_func_support(call->funcid), &support);
	/* before 17 a parallel query has no subtransactions, which an attempt needs */
	if (support.fn_addr != pgbson_aggregate_support || IsInParallelMode() ||
		!PGBSON_MAY_EXECUTE(call->funcid, GetUserId()))
		return NULL;
	query = inline_in_from(root, call);
	if (query != NULL)
		record_plan_function_dependency(root, call->funcid);
	return query;
}

/* Put queries in the place of calls, in the places where those of the server's SQL functions may be put */
static bool
inline_calls(Node *node, void *root)
{
	Query	   *query = (Query *) node;
	ListCell   *lc;

	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, inline_calls, root);
	check_stack_depth();		/* a view may read itself by a pipeline */
	foreach(lc, query->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);
		Query	   *inlined = inline_entry(root, rte);

		if (inlined == NULL)
			continue;
		rte->rtekind = RTE_SUBQUERY;
		rte->subquery = inlined;
		rte->functions = NIL;
	}
	if (query->hasSubLinks)
		return query_tree_walker(query, inline_calls, root, QTW_IGNORE_JOINALIASES);
	/* there are no queries in its expressions */
	return inline_calls((Node *) query->cteList, root) ||
		range_table_walker(query->rtable, inline_calls, root, QTW_IGNORE_JOINALIASES);
}

void
PgBsonInlineCalls(Query *query, PlannerInfo *root)
{
	(void) inline_calls((Node *) query, root);
}
#endif

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
