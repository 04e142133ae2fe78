/*
 * compat.h
 *	  Differences between PostgreSQL 15 to 19.
 *
 * No other file tests PG_VERSION_NUM; libraries/libbson.h serves the same purpose
 * for libbson.  Each entry says until which version it is needed.
 */
#ifndef PGBSON_COMPAT_H
#define PGBSON_COMPAT_H

#include "postgres.h"

#include "common/jsonapi.h"
#include "fmgr.h"
#include "mb/pg_wchar.h"

/*
 * until 15 is dropped: the Makefile hides all symbols that are not declared
 * PGDLLEXPORT.  On most systems that macro has an effect since 16 only;
 * before, the functions that SQL calls were not declared with it
 */
#if PG_VERSION_NUM < 160000 && !defined(WIN32)
#undef PGDLLEXPORT
#define PGDLLEXPORT __attribute__((visibility("default")))
#undef PG_FUNCTION_INFO_V1
#define PG_FUNCTION_INFO_V1(funcname) \
	extern PGDLLEXPORT Datum funcname(PG_FUNCTION_ARGS); \
	extern PGDLLEXPORT const Pg_finfo_record *CppConcat(pg_finfo_, funcname) (void); \
	const Pg_finfo_record *CppConcat(pg_finfo_, funcname) (void) \
	{ \
		static const Pg_finfo_record finfo = {1}; \
\
		return &finfo; \
	} \
	extern PGDLLEXPORT Datum funcname(PG_FUNCTION_ARGS)
#endif

/* until 15 is dropped: the macros for varlenas have their own header since 16 */
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

/* until 15 is dropped: soft errors came with 16.  Before, "escontext" is always NULL and every error is raised. */
#if PG_VERSION_NUM >= 160000
#include "nodes/miscnodes.h"
#else
#define ereturn_domain(context, dummy_value, domain, ...) \
	do { \
		(void) (context); \
		ereport_domain(ERROR, domain, __VA_ARGS__); \
		return dummy_value; \
	} while (0)
#define ereturn(context, dummy_value, ...) \
	ereturn_domain(context, dummy_value, TEXTDOMAIN, __VA_ARGS__)
#define SOFT_ERROR_OCCURRED(context) ((void) (context), false)
#endif

/* The error context of a call, which collects soft errors; or NULL */
#if PG_VERSION_NUM >= 160000
#define PG_ESCONTEXT()	(fcinfo->context)
#else
#define PG_ESCONTEXT()	((Node *) NULL)
#endif

/*
 * until 15 is dropped: callbacks of the JSON parser return a result since 16;
 * before, a callback that fails raises an error
 */
#if PG_VERSION_NUM >= 160000
#define PGBSON_JSON_CALLBACK	static JsonParseErrorType
#define PGBSON_JSON_CONTINUE	return JSON_SUCCESS
#define PGBSON_JSON_STOP		return JSON_SEM_ACTION_FAILED
#else
#define PGBSON_JSON_CALLBACK	static void
#define PGBSON_JSON_CONTINUE	return
#define PGBSON_JSON_STOP		return
#endif

/* until 16 is dropped: since 17 the caller provides the memory of a lexer */
static inline JsonLexContext *
PgBsonMakeJsonLexer(const char *utf8, Size len)
{
#if PG_VERSION_NUM >= 170000
	return makeJsonLexContextCstringLen(NULL, utf8, len, PG_UTF8, false);
#else
	return makeJsonLexContextCstringLen(unconstify(char *, utf8), len, PG_UTF8, false);
#endif
}

static inline void
PgBsonFreeJsonLexer(JsonLexContext *lexer)
{
#if PG_VERSION_NUM >= 170000
	freeJsonLexContext(lexer);
#else
	pfree(lexer);
#endif
}

/* until 15 is dropped: a place for a soft error of a server function, for which a bool served before */
#if PG_VERSION_NUM >= 160000
typedef ErrorSaveContext PgBsonSoftError;
#define PGBSON_SOFT_ERROR_INIT		{T_ErrorSaveContext}
#define PGBSON_SOFT_ERROR(s)		((Node *) (s))
#define PGBSON_SOFT_ERROR_RAISED(s)	((s)->error_occurred)
#define PGBSON_FLOAT8IN(s, soft) \
	float8in_internal(s, NULL, "double precision", s, PGBSON_SOFT_ERROR(soft))
#else
typedef bool PgBsonSoftError;
#define PGBSON_SOFT_ERROR_INIT		false
#define PGBSON_SOFT_ERROR(s)		(s)
#define PGBSON_SOFT_ERROR_RAISED(s)	(*(s))
#define PGBSON_FLOAT8IN(s, soft) \
	float8in_internal_opt_error(s, NULL, "double precision", s, PGBSON_SOFT_ERROR(soft))
#endif

/*
 * until 18 is dropped: the functions of numeric that can fail softly take an
 * error context since 19, and took a bool before
 */
#if PG_VERSION_NUM >= 190000
typedef ErrorSaveContext PgBsonNumericError;
#define PGBSON_NUMERIC_ERROR_INIT		{T_ErrorSaveContext}
#define PGBSON_NUMERIC_ERROR(e)			((Node *) (e))
#define PGBSON_NUMERIC_ERROR_RAISED(e)	((e)->error_occurred)
#define PGBSON_NUMERIC(function)		numeric_##function##_safe
#else
typedef bool PgBsonNumericError;
#define PGBSON_NUMERIC_ERROR_INIT		false
#define PGBSON_NUMERIC_ERROR(e)			(e)
#define PGBSON_NUMERIC_ERROR_RAISED(e)	(*(e))
#define PGBSON_NUMERIC(function)		numeric_##function##_opt_error
#endif

/* until 15 is dropped: jsonpath's regular expression flags as flags of regcomp */
#if PG_VERSION_NUM >= 160000
#define PGBSON_REGEX_FLAGS(xflags, result)	((void) jspConvertRegexFlags(xflags, result, NULL))
#else
#define PGBSON_REGEX_FLAGS(xflags, result)	(*(result) = jspConvertRegexFlags(xflags))
#endif

/* until 16 is dropped: the formats of .datetime() of this layout and a zone; 17 has names of zones, and more methods */
#if PG_VERSION_NUM >= 170000
#define PGBSON_DATETIME_ZONES(layout)	layout "TZ"
#define PGBSON_JSONPATH_CONVERSIONS
#else
#define PGBSON_DATETIME_ZONES(layout)	layout "TZH:TZM", layout "TZH"
#endif

/* until 18 is dropped: 19 has item methods for strings */
#if PG_VERSION_NUM >= 190000
#define PGBSON_JSONPATH_STRINGS
#endif

/* until 17 is dropped: since 18 the magic block has the module's name and version */
#if PG_VERSION_NUM >= 180000
#define PGBSON_MODULE_MAGIC(modname, modversion) \
	PG_MODULE_MAGIC_EXT(.name = modname, .version = modversion)
#else
#define PGBSON_MODULE_MAGIC(modname, modversion) \
	PG_MODULE_MAGIC
#endif

/* until 15 is dropped: since 16 one function checks the rights on objects of all kinds */
#if PG_VERSION_NUM >= 160000
#define PGBSON_MAY_EXECUTE(function, role)	(object_aclcheck(ProcedureRelationId, function, role, ACL_EXECUTE) == ACLCHECK_OK)
#else
#define PGBSON_MAY_EXECUTE(function, role)	(pg_proc_aclcheck(function, role, ACL_EXECUTE) == ACLCHECK_OK)
#endif

/* until 16 is dropped: 17 has loops over lists that declare what they read */
#if PG_VERSION_NUM < 170000
#define PGBSON_FOREACH(type, var, list, first) \
	for (ForEachState var##__state = {(list), 0}, *var##__once = &var##__state; var##__once != NULL; \
		 var##__once = NULL) \
		for (type var; var##__state.i < list_length(var##__state.l) && \
			 (var = first(list_nth_cell(var##__state.l, var##__state.i)), true); var##__state.i++)
#define foreach_ptr(type, var, list)	PGBSON_FOREACH(type *, var, list, lfirst)
#define foreach_int(var, list)			PGBSON_FOREACH(int, var, list, lfirst_int)
#define foreach_oid(var, list)			PGBSON_FOREACH(Oid, var, list, lfirst_oid)
#endif

/* until 15 is dropped: earlier minor releases lack this function */
#ifndef palloc_object
#define palloc_object(type) ((type *) palloc(sizeof(type)))
#define palloc0_object(type) ((type *) palloc0(sizeof(type)))
#endif
#ifndef palloc_array
#define palloc_array(type, count) ((type *) palloc(sizeof(type) * (Size) (count)))
#define palloc0_array(type, count) ((type *) palloc0(sizeof(type) * (Size) (count)))
#endif

/* until 16 is dropped: before 17 ANALYZE found a column's statistics target in pg_attribute */
#if PG_VERSION_NUM >= 170000
#define PGBSON_STATISTICS_TARGET(stats)	((stats)->attstattarget)
#else
#define PGBSON_STATISTICS_TARGET(stats)	((stats)->attr->attstattarget)
#endif

/* until 16 is dropped: a snapshot could become too old until 17 */
#if PG_VERSION_NUM >= 170000
#define PGBSON_SNAPSHOTS_EXPIRE		false
#else
#define PGBSON_SNAPSHOTS_EXPIRE		(old_snapshot_threshold >= 0)
#endif

/* until 16 is dropped: the number that this transaction has in this backend moved in 17 */
#if PG_VERSION_NUM >= 170000
#define PGBSON_LOCAL_TRANSACTION	(MyProc->vxid.lxid)
#else
#define PGBSON_LOCAL_TRANSACTION	(MyProc->lxid)
#endif

/* until 17 is dropped: the snapshot that sees chunks of TOAST tables, for which the caller had to have room */
#if PG_VERSION_NUM >= 180000
#define PGBSON_TOAST_SNAPSHOT(room)		((void) (room), get_toast_snapshot())
#else
#define PGBSON_TOAST_SNAPSHOT(room)		(init_toast_snapshot(room), (room))
#endif

/* until 17 is dropped: since 18 the cost delays of ANALYZE and of VACUUM are distinguished */
#if PG_VERSION_NUM >= 180000
#define PGBSON_ANALYZE_DELAY()	vacuum_delay_point(true)
#else
#define PGBSON_ANALYZE_DELAY()	vacuum_delay_point()
#endif

/* until 17 is dropped: 18 has pg_noreturn, which stands before the declaration */
#if PG_VERSION_NUM < 180000
#define pg_noreturn pg_attribute_noreturn()
#endif

/* until 18 is dropped: since 19 the planner is told for which EXPLAIN it plans */
#if PG_VERSION_NUM >= 190000
#define PGBSON_PLANNER_PARAMETERS	Query *query, const char *text, int options, ParamListInfo params, ExplainState *explain
#define PGBSON_PLANNER_ARGUMENTS	query, text, options, params, explain
#else
#define PGBSON_PLANNER_PARAMETERS	Query *query, const char *text, int options, ParamListInfo params
#define PGBSON_PLANNER_ARGUMENTS	query, text, options, params
#endif

/* until 18 is dropped: planning by way of the function that all statements take */
#if PG_VERSION_NUM >= 190000
#define PGBSON_PLAN_QUERY(query, text, options)	pg_plan_query(query, text, options, NULL, NULL)
#else
#define PGBSON_PLAN_QUERY(query, text, options)	pg_plan_query(query, text, options, NULL)
#endif

/* until 15 is dropped: may this role read the tables of a query?  Since 16 rights are no longer in the range table. */
#if PG_VERSION_NUM >= 160000
#define PGBSON_MAY_READ(query)	ExecCheckPermissions((query)->rtable, (query)->rteperminfos, false)
#else
#define PGBSON_MAY_READ(query)	ExecCheckRTPerms((query)->rtable, false)
#endif

/*
 * until 18 is dropped: since 19 a support function can put a query in the place of a call in FROM; before, a hook of
 * the planner does
 */
#if PG_VERSION_NUM >= 190000
#define PGBSON_INLINES_IN_FROM
#endif

/* until 17 is dropped: rows of a query, of which all (0) can be asked for once; before 18 this had to be promised */
#if PG_VERSION_NUM >= 180000
#define PGBSON_EXECUTOR_RUN(query, count)	ExecutorRun(query, ForwardScanDirection, count)
#else
#define PGBSON_EXECUTOR_RUN(query, count)	ExecutorRun(query, ForwardScanDirection, count, (count) == 0)
#endif

/* until 16 is dropped: the row of a change that is decoded, or NULL; 17 has it without a buffer around it */
#if PG_VERSION_NUM >= 170000
#define PGBSON_CHANGE_TUPLE(row)	(row)
#else
#define PGBSON_CHANGE_TUPLE(row)	((row) != NULL ? &(row)->tuple : NULL)
#endif

/* until 18 is dropped: when a transaction that is decoded was committed; 19 has the union of times without a name */
#if PG_VERSION_NUM >= 190000
#define PGBSON_COMMIT_TIME(txn)	((txn)->commit_time)
#else
#define PGBSON_COMMIT_TIME(txn)	((txn)->xact_time.commit_time)
#endif

/* until 18 is dropped: 19 has a macro for this; before, a comment was enough */
#ifndef pg_fallthrough
#if defined(__GNUC__) && __GNUC__ >= 7 || defined(__clang__)
#define pg_fallthrough __attribute__((fallthrough))
#else
#define pg_fallthrough ((void) 0)
#endif
#endif

#endif							/* PGBSON_COMPAT_H */
