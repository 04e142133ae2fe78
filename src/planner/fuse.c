/*
 * fuse.c
 *	  Casts and comparisons of the text of accessors, made one call.
 *
 * For (d ->> 'price')::numeric the server makes a number a text, which the input function
 * of numeric reads again, and for d ->> 'state' = 'new' and IN ('new', 'paid') a copy of the string.  The cast and
 * the operator are the server's own and have no support function, so each in a finished plan
 * is replaced by a call of bson_walk_as with the result type of the cast, or bson_walk_equals.
 * By then the planner has chosen: indexes, statistics and estimates are those of what was written.
 *
 * This is done only in expressions that are evaluated for each row of a scan, a join or
 * an aggregate.  Others, such as the condition of an index, stay as they are and have the
 * same results.
 *
 * chain.c marks the plans to be changed and makes them depend on these functions.  The mark
 * is in the plan itself, because a plan may be kept, and other plans may be made while
 * it is being made.  Plans without a mark are not looked into.
 *
 * narrow.c changes plans in the same pass.
 */
#include "pgbson.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "jit/jit.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/planner.h"
#include "planner/chain.h"
#include "utils/array.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"

bool		PgBsonFuseCasts = true;

static PgBsonQueryChanger change_query;
static planner_hook_type next_planner;
static ExecutorStart_hook_type next_start;

/* Can a text be compared with this: a constant or a statement's parameter? */
static bool
is_operand(const Node *node)
{
	return IsA(node, Const) ? !((const Const *) node)->constisnull :
		IsA(node, Param) && ((const Param *) node)->paramkind == PARAM_EXTERN;
}

/* Is this a constant list, not empty and without nulls? */
static bool
is_list(const Node *node)
{
	ArrayType  *array = IsA(node, Const) && is_operand(node) ? DatumGetArrayTypeP(((const Const *) node)->constvalue)
		: NULL;

	return array != NULL && ARR_NDIM(array) == 1 && !array_contains_nulls(array);
}

static Node *fuse_calls(Node *node, void *context);

/* The call for a comparison of a text by this function, if it compares bytes and the text is an accessor's; or NULL */
static Node *
fuse_comparison(Node *text, Node *other, Oid function, Oid collation)
{
	List	   *args;
	Oid			walk;
	Expr	   *call;

	if ((function != F_TEXTEQ && function != F_TEXTNE) || !OidIsValid(collation) ||
		!get_collation_isdeterministic(collation) || !PgBsonIsPublic(function) ||
		!OidIsValid(walk = PgBsonTextCallOf(text, BOOLOID, &args)))
		return NULL;
	call = (Expr *) makeFuncExpr(walk, BOOLOID, lappend((List *) fuse_calls((Node *) args, NULL), other), InvalidOid,
								 InvalidOid,
								 COERCE_EXPLICIT_CALL);
	return (Node *) (function == F_TEXTEQ ? call : makeBoolExpr(NOT_EXPR, list_make1(call), -1));
}

static Node *
fuse_calls(Node *node, void *context)
{
	CoerceViaIO *cast = (CoerceViaIO *) node;
	OpExpr	   *op = (OpExpr *) node;
	ScalarArrayOpExpr *in = (ScalarArrayOpExpr *) node;
	Node	   *fused = NULL;
	FuncExpr   *call;
	List	   *args;
	Oid			function;

	/* mostly it is a column or a constant */
	if (node == NULL || IsA(node, Var) || IsA(node, Const))
		return node;
	if (IsA(node, CoerceViaIO) && OidIsValid(function = PgBsonTextCallOf((Node *) cast->arg, InvalidOid, &args)))
	{
		call = makeFuncExpr(function, cast->resulttype, (List *) fuse_calls((Node *) args, context),
							cast->resultcollid, InvalidOid, COERCE_EXPLICIT_CALL);
		/* EXPLAIN shows this node as the cast; it takes no time at execution */
		return (Node *) makeRelabelType((Expr *) call, cast->resulttype, -1, cast->resultcollid, COERCE_EXPLICIT_CAST);
	}
	if (IsA(node, OpExpr) && list_length(op->args) == 2)
	{
		if (is_operand(lsecond(op->args)))
			fused = fuse_comparison(linitial(op->args), lsecond(op->args), op->opfuncid, op->inputcollid);
		else if (is_operand(linitial(op->args)))
			fused = fuse_comparison(lsecond(op->args), linitial(op->args), op->opfuncid, op->inputcollid);
	}
	/* = ANY and <> ALL; the server hashes long lists */
	else if (IsA(node, ScalarArrayOpExpr) && in->useOr == (in->opfuncid == F_TEXTEQ) && !OidIsValid(in->hashfuncid) &&
			 is_list(lsecond(in->args)))
		fused = fuse_comparison(linitial(in->args), lsecond(in->args), in->opfuncid, in->inputcollid);
	return fused != NULL ? fused : expression_tree_mutator(node, fuse_calls, context);
}

static void
fuse_list(List **expressions)
{
	*expressions = (List *) fuse_calls((Node *) *expressions, NULL);
}

static void
fuse_node(Plan *plan)
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

static void change_plan(Plan *plan, PlannedStmt *statement, uint32 marks);

static void
change_plans(List *plans, PlannedStmt *statement, uint32 marks)
{
	foreach_ptr(Plan, plan, plans)
		change_plan(plan, statement, marks);
}

/* Change all nodes of a plan */
static void
change_plan(Plan *plan, PlannedStmt *statement, uint32 marks)
{
	/* only the extensions of such nodes know what they made of their expressions */
	if (plan == NULL || IsA(plan, CustomScan) || IsA(plan, ForeignScan))
		return;
	check_stack_depth();
	if (marks & PGBSON_MARK_TEXT)
		fuse_node(plan);
	if (marks & PGBSON_MARK_QUERY)
		PgBsonNarrow(plan, statement);
	if (IsA(plan, Append))
		change_plans(((Append *) plan)->appendplans, statement, marks);
	else if (IsA(plan, MergeAppend))
		change_plans(((MergeAppend *) plan)->mergeplans, statement, marks);
	else if (IsA(plan, SubqueryScan))
		change_plan(((SubqueryScan *) plan)->subplan, statement, marks);
	change_plan(plan->lefttree, statement, marks);
	change_plan(plan->righttree, statement, marks);
}

static void
change_statement(PlannedStmt *statement)
{
	uint32		marks = PgBsonMarksOf(statement->invalItems);

	if (marks == 0)
		return;
	statement->invalItems = list_delete_first(statement->invalItems);	/* the mark */
	if (!PgBsonFuseCasts)
		marks &= ~PGBSON_MARK_TEXT;
	if (!PgBsonNarrowScans)
		marks &= ~PGBSON_MARK_QUERY;
	if (marks == 0)
		return;
	change_plan(statement->planTree, statement, marks);
	change_plans(statement->subplans, statement, marks);
}

static PlannedStmt *
plan_and_change(PGBSON_PLANNER_PARAMETERS)
{
	PlannerGlobal glob = {.type = T_PlannerGlobal, .boundParams = params};
	PlannerInfo root = {.type = T_PlannerInfo, .parse = query, .glob = &glob, .planner_cxt = CurrentMemoryContext};
	PlannedStmt *result;

	if (change_query != NULL)
		change_query(query, &root);
	result = next_planner(PGBSON_PLANNER_ARGUMENTS);
	change_statement(result);
	/* a query in the place of a call, which is why the role matters, is not compiled either (PgBsonRunBegin) */
	if (glob.dependsOnRole)
		result->jitFlags = PGJIT_NONE;
	/* not before, because a plan that depends on the role by row security is not narrowed */
	result->dependsOnRole |= glob.dependsOnRole;
	if (PgBsonMarksOf(glob.invalItems) != 0)
		glob.invalItems = list_delete_first(glob.invalItems);
	result->invalItems = list_concat(result->invalItems, glob.invalItems);
	return result;
}

/*
 * If a plan was made before the hook was installed, change it now.  It may be kept, so a copy is
 * changed and executed.
 */
static void
change_and_start(QueryDesc *query, int flags)
{
	if (PgBsonMarksOf(query->plannedstmt->invalItems) != 0)
	{
		MemoryContext before = MemoryContextSwitchTo(GetMemoryChunkContext(query));

		query->plannedstmt = copyObject(query->plannedstmt);
		change_statement(query->plannedstmt);
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
PgBsonInstallFuse(PgBsonQueryChanger changer)
{
	change_query = changer;
	next_planner = planner_hook != NULL ? planner_hook : standard_planner;
	planner_hook = plan_and_change;
	next_start = ExecutorStart_hook != NULL ? ExecutorStart_hook : standard_ExecutorStart;
	ExecutorStart_hook = change_and_start;
	if (IsTransactionState())
		RegisterXactCallback(replan, NULL);
}
