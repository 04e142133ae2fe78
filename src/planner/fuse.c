/*
 * fuse.c
 *	  Casts of the text of accessors, made one call.
 *
 * For (d ->> 'price')::numeric the server makes a number a text, which the input function
 * of numeric reads again.  The cast is the server's own and has no support function, so
 * each such cast in a finished plan is replaced by a call of bson_walk_as with the result
 * type of the cast.  By then the planner has chosen: indexes, statistics and estimates
 * are those of the cast.
 *
 * This is done only in expressions that are evaluated for each row of a scan, a join or
 * an aggregate.  Others, such as the condition of an index, stay as they are and have the
 * same results.
 *
 * chain.c marks the plans to be changed and makes them depend on bson_walk_as.  The mark
 * is in the plan itself, because a plan may be kept, and other plans may be made while
 * it is being made.
 *
 * The hook also has narrow.c go through each plan.
 */
#include "pgbson.h"

#include "access/xact.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/planner.h"
#include "planner/chain.h"
#include "utils/plancache.h"

bool		PgBsonFuseCasts = true;

static planner_hook_type next_planner;
static ExecutorStart_hook_type next_start;

/* Does the expression contain a cast of the text of an accessor? */
static bool
has_cast(Node *node, void *context)
{
	List	   *args;

	/* mostly it is a column or a constant */
	if (node == NULL || IsA(node, Var) || IsA(node, Const))
		return false;
	if (IsA(node, CoerceViaIO) && OidIsValid(PgBsonTextCastOf((Node *) ((CoerceViaIO *) node)->arg, &args)))
		return true;
	return expression_tree_walker(node, has_cast, context);
}

static Node *
fuse_casts(Node *node, void *context)
{
	CoerceViaIO *cast = (CoerceViaIO *) node;
	FuncExpr   *call;
	List	   *args;
	Oid			function;

	if (node == NULL)
		return NULL;
	if (!IsA(node, CoerceViaIO) || !OidIsValid(function = PgBsonTextCastOf((Node *) cast->arg, &args)))
		return expression_tree_mutator(node, fuse_casts, context);
	call = makeFuncExpr(function, cast->resulttype, (List *) fuse_casts((Node *) args, context),
						cast->resultcollid, InvalidOid, COERCE_EXPLICIT_CALL);
	/* EXPLAIN shows this node as the cast; it takes no time at execution */
	return (Node *) makeRelabelType((Expr *) call, cast->resulttype, -1, cast->resultcollid, COERCE_EXPLICIT_CAST);
}

static void
fuse_list(List **expressions)
{
	if (has_cast((Node *) *expressions, NULL))
		*expressions = (List *) fuse_casts((Node *) *expressions, NULL);
}

/* A change of one node of a plan */
typedef void (*Change) (Plan *plan, PlannedStmt *statement);

static void
fuse_node(Plan *plan, PlannedStmt *statement)
{
	fuse_list(&plan->targetlist);
	fuse_list(&plan->qual);
	switch (nodeTag(plan))
	{
		case T_HashJoin:
			fuse_list(&((HashJoin *) plan)->hashclauses);
			fuse_list(&((HashJoin *) plan)->hashkeys);
			pg_fallthrough;
		case T_NestLoop:
		case T_MergeJoin:
			fuse_list(&((Join *) plan)->joinqual);
			break;
		case T_Hash:
			fuse_list(&((Hash *) plan)->hashkeys);
			break;
		default:
			break;
	}
}

static void change_plan(Plan *plan, PlannedStmt *statement, Change change);

static void
change_plans(List *plans, PlannedStmt *statement, Change change)
{
	ListCell   *lc;

	foreach(lc, plans)
		change_plan((Plan *) lfirst(lc), statement, change);
}

/* Change all nodes of a plan */
static void
change_plan(Plan *plan, PlannedStmt *statement, Change change)
{
	/* only the extensions of such nodes know what they made of their expressions */
	if (plan == NULL || IsA(plan, CustomScan) || IsA(plan, ForeignScan))
		return;
	check_stack_depth();
	change(plan, statement);
	if (IsA(plan, Append))
		change_plans(((Append *) plan)->appendplans, statement, change);
	else if (IsA(plan, MergeAppend))
		change_plans(((MergeAppend *) plan)->mergeplans, statement, change);
	else if (IsA(plan, SubqueryScan))
		change_plan(((SubqueryScan *) plan)->subplan, statement, change);
	change_plan(plan->lefttree, statement, change);
	change_plan(plan->righttree, statement, change);
}

static void
change_statement(PlannedStmt *statement, Change change)
{
	change_plan(statement->planTree, statement, change);
	change_plans(statement->subplans, statement, change);
}

static void
fuse(PlannedStmt *statement)
{
	statement->invalItems = list_delete_first(statement->invalItems);	/* the mark */
	if (PgBsonFuseCasts)
		change_statement(statement, fuse_node);
}

static PlannedStmt *
plan_and_fuse(PGBSON_PLANNER_PARAMETERS)
{
	PlannedStmt *result = next_planner(PGBSON_PLANNER_ARGUMENTS);

	if (PgBsonIsMarked(result->invalItems))
		fuse(result);
	change_statement(result, PgBsonNarrow);
	return result;
}

/*
 * If a plan was made before the hook was installed, change it now.  It may be kept, so a copy is
 * changed and executed.
 */
static void
fuse_and_start(QueryDesc *query, int flags)
{
	if (PgBsonIsMarked(query->plannedstmt->invalItems))
	{
		MemoryContext before = MemoryContextSwitchTo(GetMemoryChunkContext(query));

		query->plannedstmt = copyObject(query->plannedstmt);
		fuse(query->plannedstmt);
		MemoryContextSwitchTo(before);
	}
	next_start(query, flags);
}

/*
 * At the end of the transaction that installed the hooks, have all kept plans made anew.  Not earlier,
 * because one of them may just be in the making.
 */
static void
replan(XactEvent event, void *arg)
{
	static bool done = false;

	if (!done)
		ResetPlanCache();
	done = true;
}

void
PgBsonInstallFuse(void)
{
	next_planner = planner_hook != NULL ? planner_hook : standard_planner;
	planner_hook = plan_and_fuse;
	next_start = ExecutorStart_hook != NULL ? ExecutorStart_hook : standard_ExecutorStart;
	ExecutorStart_hook = fuse_and_start;
	if (IsTransactionState())
		RegisterXactCallback(replan, NULL);
}
