/*
 * statement.c
 *	  The SQL statements that pipelines are translated to: analysis, checks, error contexts, execution.
 */
#include "sql/mongo/statement.h"

#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "commands/extension.h"
#include "core/stored/detoast.h"
#include "executor/executor.h"
#include "jit/jit.h"
#include "nodes/nodeFuncs.h"
#include "parser/analyze.h"
#include "pipeline/deparse/sql_text.h"
#include "sql/attempt.h"
#include "sql/site/kept.h"
#include "tcop/tcopprot.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

/* How often the analysis of a statement is tried again if it fails because a function was dropped meanwhile */
#define ATTEMPTS	50

/* The most bytes of a statement that the context of an error shows */
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
	target.is_old = !SearchSysCacheExists3(PROCNAMEARGSNSP, CStringGetDatum("bson_unmatched"),
										   PointerGetDatum(buildoidvector(&target.type, 1)),
										   ObjectIdGetDatum(get_func_namespace(fcinfo->flinfo->fn_oid)));
	target.column = PG_ARGISNULL(column_arg) ? NULL : pstrdup(NameStr(*PG_GETARG_NAME(column_arg)));
	if (PG_NARGS() > column_arg + 1 && !PG_ARGISNULL(column_arg + 1))
		target.let = PgBsonRoot(PG_GETARG_PGBSON_P_COPY(column_arg + 1));
	if (PG_NARGS() > column_arg + 2 && !PG_ARGISNULL(column_arg + 2))
		target.collation = PgBsonRoot(PG_GETARG_PGBSON_P_COPY(column_arg + 2));
	return target;
}

/* The indentation, in spaces, of the line that contains "at"; *line is set to the beginning of this line */
static int
indent_of(const char *text, const char *at, const char **line)
{
	while (at > text && at[-1] != '\n')
		at--;
	*line = at;
	return strspn(at, " ");
}

/*
 * The number of the CTE that contains this location of a statement's text: 1 for s1 and so on, 0 for the main
 * SELECT.  A CTE begins with a line "WITH s1 AS (" or "), s1 AS (", and its other lines are indented; no line begins
 * within a constant, as constants have no newlines (pipeline/deparse/sql_text.h).
 */
static int
level_at(const char *text, int location)
{
	const char *line;
	int			indent = indent_of(text, text + location, &line);
	int			number;

	while (line > text)
	{
		int			outer = indent_of(text, line - 1, &line);

		if (outer >= indent)
			continue;
		indent = outer;
		if (sscanf(line + outer, "WITH s%d AS", &number) == 1 || sscanf(line + outer, "), s%d AS", &number) == 1)
			return number;
	}
	return 0;
}

/* The name of a stage by its number */
static const char *
name_of_stage(const PgBsonValue *pipeline, int number)
{
	PgBsonIter	stage;

	PgBsonForEach(iter, PgBsonValueView(pipeline))
	{
		if (--number == 0 && PgBsonFirst(&iter.value, &stage))
			return pnstrdup(stage.key, stage.key_len);
	}
	return "?";
}

/* Add to an error's context which stages the CTE of this number (see level_at) was made of */
static void
show_stages(const PgBsonRun *run, int level)
{
	for (int i = 0; i < list_length(run->spans); i += 3)
	{
		int			first = list_nth_int(run->spans, i + 1);
		int			last = list_nth_int(run->spans, i + 2);

		if (list_nth_int(run->spans, i) != level)
			continue;
		if (first == last)
			errcontext("stage %d of a bson pipeline, \"%s\"", first, name_of_stage(&run->pipeline, first));
		else
			errcontext("stages %d to %d of a bson pipeline, \"%s\" to \"%s\"", first, last,
					   name_of_stage(&run->pipeline, first), name_of_stage(&run->pipeline, last));
		return;
	}
}

/* Error context callback: the user did not write the statement, so show the stage and the part that failed */
static void
show_statement(void *arg)
{
	const PgBsonRun *run = arg;
	const char *at = run->text;
	bool		known = PgBsonCallLocation >= 0 && PgBsonCallLocation < strlen(at) && InterruptHoldoffCount == 0;
	int			len;
	int			shown;

	/* the error's position is one in our text; clients would show it in the user's statement */
	if (geterrposition() > 0)
		errposition(0);
	/* an error of a parallel worker is reported while interrupts are held off, and is not about our last call */
	if (known)
	{
		at += PgBsonCallLocation;
		show_stages(run, level_at(run->text, PgBsonCallLocation));
	}
	len = strlen(at);
	shown = pg_mbcliplen(at, len, SHOWN);
	errcontext("statement of a bson pipeline: %s%.*s%s", known ? "... " : "", shown, at, shown < len ? " ..." : "");
}

/* What push_context changes and pop_context restores */
typedef struct StatementFrame
{
	ErrorContextCallback callback;
	int			location;
} StatementFrame;

/* Have errors report the statement (show_statement), until pop_context */
static void
push_context(StatementFrame *frame, PgBsonRun *run)
{
	frame->callback.callback = show_statement;
	frame->callback.arg = run;
	frame->callback.previous = error_context_stack;
	error_context_stack = &frame->callback;
	frame->location = PgBsonCallLocation;
	PgBsonCallLocation = -1;
}

static void
pop_context(const StatementFrame *frame)
{
	error_context_stack = frame->callback.previous;
	PgBsonCallLocation = frame->location;
}

/*
 * A cache of the functions that were found to belong to own_extension, as the server has none.  It is emptied when any
 * function is created, changed or dropped.  ALTER EXTENSION ... DROP FUNCTION does not empty it, so such a function is
 * still accepted until then; that is harmless, because the function is the one that the extension had.
 */
static Oid	own_extension;
static List *own_functions;

static void
forget_functions(Datum arg, int cache, uint32 hash)
{
	list_free(own_functions);
	own_functions = NIL;
}

/* Does the function belong to the server, to own_extension, or to PostGIS, which decides conditions on geometry? */
static bool
is_own(Oid function)
{
	MemoryContext old;
	Oid			extension;

	if (get_func_namespace(function) == PG_CATALOG_NAMESPACE || list_member_oid(own_functions, function))
		return true;
	extension = getExtensionOfObject(ProcedureRelationId, function);
	if (extension != own_extension && (!OidIsValid(extension) || extension != get_extension_oid("postgis", true)))
		return false;
	old = MemoryContextSwitchTo(TopMemoryContext);
	own_functions = lappend_oid(own_functions, function);
	MemoryContextSwitchTo(old);
	return true;
}

/* Set own_extension to the extension that this function belongs to */
static void
set_own_extension(Oid function)
{
	static bool is_registered;
	Oid			extension;

	if (!is_registered)
		CacheRegisterSyscacheCallback(PROCOID, forget_functions, (Datum) 0);
	is_registered = true;
	if (list_member_oid(own_functions, function))
		return;
	extension = getExtensionOfObject(ProcedureRelationId, function);
	if (extension != own_extension)
		forget_functions((Datum) 0, 0, 0);
	own_extension = extension;
	(void) is_own(function);
}

/* Raise an error for a function that belongs neither to the server nor to this extension */
static bool
refuse_foreign(Oid function, void *context)
{
	if (!is_own(function))
		PgBsonReport(ERRCODE_AMBIGUOUS_FUNCTION,
					 errmsg("function %s would be called instead of one of the extension bson", format_procedure(function)),
					 errhint("Drop it, and let nobody whom you do not trust create objects in the schema of the extension."));
	return false;
}

static bool
refuse_foreign_calls(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, refuse_foreign_calls, context, 0);
	(void) check_functions_in_node(node, refuse_foreign, context);
	return expression_tree_walker(node, refuse_foreign_calls, context);
}

/* A statement that is being analyzed on behalf of a function */
typedef struct Analysis
{
	Oid			function;
	const char *text;
	int			nparameters;
	Oid		   *types;			/* of the parameters $1, $2, ... */
	Query	   *query;			/* the result */
} Analysis;

static void
analyze(void *arg)
{
	Analysis   *analysis = arg;
	PgBsonRun	run = {analysis->text};
	StatementFrame frame;

	push_context(&frame, &run);
	analysis->query = parse_analyze_fixedparams(linitial_node(RawStmt, pg_parse_query(run.text)), run.text,
												analysis->types, analysis->nparameters, NULL);
	pop_context(&frame);
	set_own_extension(analysis->function);
	(void) refuse_foreign_calls((Node *) analysis->query, NULL);
}

/* Is this "cache lookup failed"?  The server raises it if a function that could fit is dropped during the analysis. */
static bool
is_internal_error(const ErrorData *error)
{
	return error->sqlerrcode == ERRCODE_INTERNAL_ERROR;
}

/*
 * Analyze a statement on behalf of a function of the extension.  Error 42725 if it calls a function that belongs
 * neither to the server nor to the extension.
 */
static Query *
analyze_for(Analysis *analysis)
{
	/* a parallel query has no subtransactions */
	for (int attempt = 0; attempt < ATTEMPTS && !IsInParallelMode(); attempt++)
	{
		if (PgBsonAttempt(analyze, analysis, is_internal_error))
			return analysis->query;
		AcceptInvalidationMessages();
	}
	analyze(analysis);
	return analysis->query;
}

/* Does the error say that a name was not found, or is ambiguous? */
static bool
is_name_error(const ErrorData *error)
{
	return ERRCODE_TO_CATEGORY(error->sqlerrcode) == ERRCODE_TO_CATEGORY(ERRCODE_SYNTAX_ERROR);
}

void
PgBsonStatementCheck(Oid function, const char *text, int nparameters, Oid type)
{
	Analysis	analysis = {function, text, nparameters, palloc_array(Oid, nparameters)};

	for (int i = 0; i < nparameters; i++)
		analysis.types[i] = type;
	(void) analyze_for(&analysis);
}

const char *
PgBsonStatementShort(Oid function, const char *text)
{
	Analysis	analysis = {function, text};
	Query	   *query;
	List	   *path = fetch_search_path(true);
	List	   *schemas = NIL;

	query = analyze_for(&analysis);
	/* a parallel query has no subtransactions */
	if (!list_member_oid(path, get_func_namespace(function)) || IsInParallelMode())
		return text;
	foreach_oid(schema, path)
	{
		const char *name = get_namespace_name(schema);

		if (name != NULL)
			schemas = lappend(schemas, PgBsonSqlIdentifier(name));
	}
	analysis.text = PgBsonSqlShort(text, schemas);
	return PgBsonAttempt(analyze, &analysis, is_name_error) && equal(query, analysis.query) ? analysis.text : text;
}

bool
PgBsonRunPrepare(FunctionCallInfo fcinfo, PgBsonRun *run, Query **query)
{
	PgBsonTarget target;
	Analysis	analysis = {fcinfo->flinfo->fn_oid};

	if (PG_ARGISNULL(1))
		return false;
	target = PgBsonTargetOf(fcinfo, 2);
	run->pipeline = PgBsonRoot(PG_GETARG_PGBSON_P_COPY(1));
	run->text = PgBsonTranslatePipeline(&target, &run->pipeline, &run->spans);
	analysis.text = run->text;
	*query = analyze_for(&analysis);
	return true;
}

Query *
PgBsonStatementRewrite(Query *query)
{
	List	   *queries = pg_rewrite_query(query);

	if (list_length(queries) != 1 || linitial_node(Query, queries)->commandType != CMD_SELECT)
		elog(ERROR, "the statement of a bson pipeline is not a SELECT");
	return linitial_node(Query, queries);
}

void
PgBsonRunBegin(PgBsonRun *run, Query *query, int options, DestReceiver *dest)
{
	StatementFrame frame;
	PlannedStmt *plan;

	push_context(&frame, run);
	plan = PGBSON_PLAN_QUERY(PgBsonStatementRewrite(query), run->text, options);
	/* no JIT: functions of the extension do nearly all of the work, and compilation cannot be cancelled */
	plan->jitFlags = PGJIT_NONE;
	run->query = CreateQueryDesc(plan, run->text, GetActiveSnapshot(), InvalidSnapshot, dest, NULL, NULL, 0);
	/* a SELECT has no triggers; their queue could not be nested as these statements are, which overlap */
	ExecutorStart(run->query, EXEC_FLAG_SKIP_TRIGGERS);
	pop_context(&frame);
}

void
PgBsonRunRows(PgBsonRun *run, uint64 count)
{
	StatementFrame frame;

	push_context(&frame, run);
	PushActiveSnapshot(run->query->snapshot);
	PGBSON_EXECUTOR_RUN(run->query, count);
	PopActiveSnapshot();
	pop_context(&frame);
}

void
PgBsonRunEnd(PgBsonRun *run)
{
	ExecutorFinish(run->query);
	ExecutorEnd(run->query);
	FreeQueryDesc(run->query);
}
