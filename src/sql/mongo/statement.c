/*
 * statement.c
 *	  Statements that stand for what MongoDB does.
 */
#include "sql/mongo/statement.h"

#include "access/parallel.h"
#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "executor/executor.h"
#include "mb/pg_wchar.h"
#include "nodes/nodeFuncs.h"
#include "parser/analyze.h"
#include "tcop/tcopprot.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/resowner.h"
#include "utils/snapmgr.h"

/* How often a statement is analyzed if functions that fit its calls come and go meanwhile */
#define ATTEMPTS	5

/* So much of a statement is shown with an error, in bytes */
#define SHOWN		400

PgBsonTarget
PgBsonTargetOf(FunctionCallInfo fcinfo, int column_arg)
{
	PgBsonTarget target = {0};
	Oid		   *types;
	int			ntypes;

	if (fcinfo->flinfo == NULL)
		elog(ERROR, "a bson pipeline cannot be translated without a call site");
	/* all functions of the extension are in the schema of this one */
	target.schema = get_namespace_name(get_func_namespace(fcinfo->flinfo->fn_oid));
	/* the second argument is a bson */
	(void) get_func_signature(fcinfo->flinfo->fn_oid, &types, &ntypes);
	target.type = types[1];
	target.relation = PG_ARGISNULL(0) ? InvalidOid : PG_GETARG_OID(0);
	target.column = PG_ARGISNULL(column_arg) ? NULL : pstrdup(NameStr(*PG_GETARG_NAME(column_arg)));
	return target;
}

/* The context of an error: a statement that the user has not written */
static void
show_statement(void *text)
{
	int			len = strlen(text);
	int			shown = pg_mbcliplen(text, len, SHOWN);

	/* a position in it is none in the user's own statement */
	if (geterrposition() > 0)
		errposition(0);
	errcontext("statement of a bson pipeline: %.*s%s", shown, (char *) text, shown < len ? " ..." : "");
}

static void
push_context(ErrorContextCallback *callback, const char *text)
{
	callback->callback = show_statement;
	callback->arg = unconstify(char *, text);
	callback->previous = error_context_stack;
	error_context_stack = callback;
}

static void
pop_context(const ErrorContextCallback *callback)
{
	error_context_stack = callback->previous;
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

static Query *
analyze(Oid extension, const char *text)
{
	Allowed		allowed = {extension};
	ErrorContextCallback callback;
	Query	   *query;

	push_context(&callback, text);
	query = parse_analyze_fixedparams(linitial_node(RawStmt, pg_parse_query(text)), text, NULL, 0, NULL);
	pop_context(&callback);
	(void) refuse_foreign_calls((Node *) query, &allowed);
	return query;
}

/*
 * Analyze in a subtransaction.  Returns NULL after an internal error: "cache lookup failed" is what the server says if a
 * function that fits a call is dropped while it chooses among them.
 */
static Query *
try_to_analyze(Oid extension, const char *text)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	Query	   *volatile query = NULL;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		query = analyze(extension, text);
		ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		ErrorData  *error;

		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
		if (error->sqlerrcode != ERRCODE_INTERNAL_ERROR)
			ReThrowError(error);
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	return query;
}

Query *
PgBsonStatementAnalyze(Oid function, const char *text)
{
	Oid			extension = getExtensionOfObject(ProcedureRelationId, function);
	Query	   *query;

	/* a parallel query has no subtransactions */
	if (IsInParallelMode())
		return analyze(extension, text);
	for (int attempt = 0; attempt < ATTEMPTS; attempt++)
	{
		query = try_to_analyze(extension, text);
		if (query != NULL)
			return query;
		AcceptInvalidationMessages();
	}
	return analyze(extension, text);
}

void
PgBsonRunBegin(PgBsonRun *run, Query *query, const char *text, int options, DestReceiver *dest)
{
	ErrorContextCallback callback;
	List	   *queries;
	PlannedStmt *plan;

	push_context(&callback, text);
	queries = pg_rewrite_query(query);
	if (list_length(queries) != 1 || linitial_node(Query, queries)->commandType != CMD_SELECT)
		elog(ERROR, "the statement of a bson pipeline is not a SELECT");
	plan = PGBSON_PLAN_QUERY(linitial_node(Query, queries), text, options);
	run->text = text;
	run->query = CreateQueryDesc(plan, text, GetActiveSnapshot(), InvalidSnapshot, dest, NULL, NULL, 0);
	/* there are no triggers to run, and another statement may begin before this one ends */
	ExecutorStart(run->query, EXEC_FLAG_SKIP_TRIGGERS);
	pop_context(&callback);
}

void
PgBsonRunRows(PgBsonRun *run, uint64 count)
{
	ErrorContextCallback callback;

	push_context(&callback, run->text);
	PushActiveSnapshot(run->query->snapshot);
	PGBSON_EXECUTOR_RUN(run->query, count);
	PopActiveSnapshot();
	pop_context(&callback);
}

void
PgBsonRunEnd(PgBsonRun *run)
{
	ExecutorFinish(run->query);
	ExecutorEnd(run->query);
	FreeQueryDesc(run->query);
}
