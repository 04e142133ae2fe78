/*
 * jsonpath.c
 *	  jsonpath over bson: @?, @@ and the bson_path functions.
 *
 * Each has two variants.  The plain one is immutable.  The one that ends in
 * _tz may use the session's time zone to compare datetimes that have a time
 * zone with datetimes that have none.
 */
#include "pgbson.h"

#include "core/build.h"
#include "core/elements.h"
#include "core/path_args.h"
#include "funcapi.h"
#include "jsonpath/jsonpath.h"
#include "sql/site.h"

PG_FUNCTION_INFO_V1(pgbson_path_exists);
PG_FUNCTION_INFO_V1(pgbson_path_exists_tz);
PG_FUNCTION_INFO_V1(pgbson_path_exists_opr);
PG_FUNCTION_INFO_V1(pgbson_path_match);
PG_FUNCTION_INFO_V1(pgbson_path_match_tz);
PG_FUNCTION_INFO_V1(pgbson_path_match_opr);
PG_FUNCTION_INFO_V1(pgbson_path_query);
PG_FUNCTION_INFO_V1(pgbson_path_query_tz);
PG_FUNCTION_INFO_V1(pgbson_path_query_array);
PG_FUNCTION_INFO_V1(pgbson_path_query_array_tz);
PG_FUNCTION_INFO_V1(pgbson_path_query_first);
PG_FUNCTION_INFO_V1(pgbson_path_query_first_tz);

/* What this call site remembers; NULL if its path is not always the same */
static PgBsonJpSite *
site_of(FunctionCallInfo fcinfo)
{
	PgBsonJpSite **site;

	if (likely(fcinfo->flinfo != NULL && fcinfo->flinfo->fn_extra != NULL))
		return *(PgBsonJpSite **) fcinfo->flinfo->fn_extra;
	if (fcinfo->flinfo == NULL || !PgBsonArgIsConst(fcinfo->flinfo, 1))
		return NULL;
	site = PgBsonSite(fcinfo->flinfo, sizeof(PgBsonJpSite *));
	*site = PgBsonJpSiteMake(PG_GETARG_JSONPATH_P(1), fcinfo->flinfo->fn_mcxt);
	return *site;
}

/*
 * Set up the evaluation from the arguments: (bson, jsonpath) of an operator,
 * which suppresses errors, or (bson, jsonpath, vars, silent).  "rows": for a function
 * that returns rows, whose arguments may be freed before it is done.
 */
static void
set_up(PgBsonJpCall *call, FunctionCallInfo fcinfo, bool use_tz, bool rows)
{
	PgBsonValue vars;

	/* where rows are returned, the server keeps something else at the call site */
	call->site = rows ? PgBsonJpSiteBorrow(PG_GETARG_JSONPATH_P(1)) : site_of(fcinfo);
	if (call->site == NULL)
		call->path = PG_GETARG_JSONPATH_P(1);
	call->use_tz = use_tz;
	call->silent = true;
	call->has_vars = PG_NARGS() == 4;
	PgBsonJpAim(call, PG_GETARG_DATUM(0));
	if (rows && call->target.len > 0)
		call->target.data = memcpy(palloc(call->target.len), call->target.data, call->target.len);
	if (!call->has_vars)
		return;

	call->silent = PG_GETARG_BOOL(3);
	vars = PgBsonRoot(rows ? PG_GETARG_PGBSON_P_COPY(2) :
					  PG_GETARG_PGBSON_PP(2));
	if (vars.type != PGBSON_DOCUMENT)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"vars\" argument is not an object"),
				 errdetail("Jsonpath parameters should be encoded as key-value pairs of \"vars\" object.")));
	call->vars = PgBsonValueView(&vars);
}

static Datum
path_exists(FunctionCallInfo fcinfo, bool use_tz)
{
	PgBsonJpCall call;
	PgBsonJpOutcome outcome;

	set_up(&call, fcinfo, use_tz, false);
	outcome = PgBsonJsonpathExists(&call);
	if (outcome == PGBSON_JP_FAILED)
		PG_RETURN_NULL();
	PG_RETURN_BOOL(outcome == PGBSON_JP_FOUND);
}

/* SQL: bson_path_exists(target bson, path jsonpath, vars bson, silent bool) returns bool */
Datum
pgbson_path_exists(PG_FUNCTION_ARGS)
{
	return path_exists(fcinfo, false);
}

Datum
pgbson_path_exists_tz(PG_FUNCTION_ARGS)
{
	return path_exists(fcinfo, true);
}

/* SQL: bson @? jsonpath */
Datum
pgbson_path_exists_opr(PG_FUNCTION_ARGS)
{
	return path_exists(fcinfo, false);
}

static Datum
path_match(FunctionCallInfo fcinfo, bool use_tz)
{
	PgBsonJpCall call;
	PgBsonValue value;

	set_up(&call, fcinfo, use_tz, false);
	if (PgBsonJsonpathSingle(&call, &value))
	{
		if (value.type == PGBSON_BOOL)
			PG_RETURN_BOOL(value.data[0] != 0);
		if (PgBsonIsNullish(value.type))
			PG_RETURN_NULL();
	}
	if (!call.silent)
		ereport(ERROR,
				(errcode(ERRCODE_SINGLETON_SQL_JSON_ITEM_REQUIRED),
				 errmsg("single boolean result is expected")));
	PG_RETURN_NULL();
}

/* SQL: bson_path_match(target bson, path jsonpath, vars bson, silent bool) returns bool */
Datum
pgbson_path_match(PG_FUNCTION_ARGS)
{
	return path_match(fcinfo, false);
}

Datum
pgbson_path_match_tz(PG_FUNCTION_ARGS)
{
	return path_match(fcinfo, true);
}

/* SQL: bson @@ jsonpath */
Datum
pgbson_path_match_opr(PG_FUNCTION_ARGS)
{
	return path_match(fcinfo, false);
}

/* Copy what may be a call site's; what is in the target stays */
static void
keep_values(PgBsonJpResult *result, const PgBsonValue *target)
{
	for (uint32 i = 0; i < result->count; i++)
	{
		PgBsonValue *value = &result->values[i];

		if (value->len > 0 && !(value->data >= target->data && value->data < target->data + target->len))
			value->data = memcpy(palloc(value->len), value->data, value->len);
	}
}

/* All items are evaluated at the first call, because errors must come before rows, and are returned one by one */
static Datum
path_query(FunctionCallInfo fcinfo, bool use_tz)
{
	FuncCallContext *funcctx;
	PgBsonJpResult *result;
	PgBson	   *item;

	if (SRF_IS_FIRSTCALL())
	{
		MemoryContext saved;
		PgBsonJpCall call;

		funcctx = SRF_FIRSTCALL_INIT();
		saved = MemoryContextSwitchTo(funcctx->multi_call_memory_ctx);
		set_up(&call, fcinfo, use_tz, true);
		result = palloc(sizeof(PgBsonJpResult));
		*result = PgBsonJsonpathQuery(&call);
		if (call.site != NULL)
		{
			keep_values(result, &call.target);
			PgBsonJpSiteReturn(call.site);
		}
		funcctx->user_fctx = result;
		MemoryContextSwitchTo(saved);
	}

	funcctx = SRF_PERCALL_SETUP();
	result = funcctx->user_fctx;
	if (funcctx->call_cntr >= result->count)
		SRF_RETURN_DONE(funcctx);
	/* not inside the macro, because that counts the call before it evaluates its argument */
	item = PgBsonFromValue(&result->values[funcctx->call_cntr]);
	SRF_RETURN_NEXT(funcctx, PointerGetDatum(item));
}

/* SQL: bson_path_query(target bson, path jsonpath, vars bson, silent bool) returns setof bson */
Datum
pgbson_path_query(PG_FUNCTION_ARGS)
{
	return path_query(fcinfo, false);
}

Datum
pgbson_path_query_tz(PG_FUNCTION_ARGS)
{
	return path_query(fcinfo, true);
}

static Datum
path_query_array(FunctionCallInfo fcinfo, bool use_tz)
{
	PgBsonJpCall call;
	PgBsonJpResult result;

	set_up(&call, fcinfo, use_tz, false);
	result = PgBsonJsonpathQuery(&call);
	PG_RETURN_PGBSON_P(PgBsonArrayOf(result.values, result.count));
}

/* SQL: bson_path_query_array(target bson, path jsonpath, vars bson, silent bool) returns bson */
Datum
pgbson_path_query_array(PG_FUNCTION_ARGS)
{
	return path_query_array(fcinfo, false);
}

Datum
pgbson_path_query_array_tz(PG_FUNCTION_ARGS)
{
	return path_query_array(fcinfo, true);
}

static Datum
path_query_first(FunctionCallInfo fcinfo, bool use_tz)
{
	PgBsonJpCall call;
	PgBsonJpResult result;

	set_up(&call, fcinfo, use_tz, false);
	result = PgBsonJsonpathQuery(&call);
	if (result.count == 0)
		PG_RETURN_NULL();
	PG_RETURN_PGBSON_P(PgBsonFromValue(&result.values[0]));
}

/* SQL: bson_path_query_first(target bson, path jsonpath, vars bson, silent bool) returns bson */
Datum
pgbson_path_query_first(PG_FUNCTION_ARGS)
{
	return path_query_first(fcinfo, false);
}

Datum
pgbson_path_query_first_tz(PG_FUNCTION_ARGS)
{
	return path_query_first(fcinfo, true);
}
