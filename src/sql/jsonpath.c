/*
 * jsonpath.c
 *	  jsonpath over bson: @?, @@ and the bson_path functions.
 *
 * Each has two variants.  The plain one is immutable.  The one that ends in
 * _tz may use the session's time zone to compare datetimes that have a time
 * zone with datetimes that have none.
 */
#include "door.h"

#include "core/write/elements.h"
#include "core/write/from_value.h"
#include "funcapi.h"
#include "jsonpath/jsonpath.h"
#include "miscadmin.h"
#include "sql/convert/row.h"
#include "sql/convert/store.h"
#include "sql/site/kept.h"
#include "sql/site/site.h"


typedef struct PathSite
{
	PgBsonKept	kept;			/* the first member */
	PgBsonJpSite *site;
} PathSite;

static void
keep_site(FunctionCallInfo fcinfo, void *site)
{
	((PathSite *) site)->site = PgBsonJpSiteMake(PG_GETARG_JSONPATH_P(1), CurrentMemoryContext);
}

/* What this call site remembers of its path; NULL if the path changes too often */
static PgBsonJpSite *
site_of(FunctionCallInfo fcinfo)
{
	PathSite   *site = PgBsonSite(fcinfo->flinfo, sizeof(PathSite));

	return PgBsonKeep(site, fcinfo, 1, 1, keep_site) ? site->site : NULL;
}

/*
 * Set up the evaluation from the arguments: (bson, jsonpath) of an operator,
 * which suppresses errors, or (bson, jsonpath, vars, silent).
 */
static void
set_up(PgBsonJpCall *call, FunctionCallInfo fcinfo, PgBsonJpSite *site, bool use_tz)
{
	PgBsonValue vars;

	call->site = site;
	if (call->site == NULL)
		call->path = PG_GETARG_JSONPATH_P(1);
	call->use_tz = use_tz;
	call->silent = true;
	call->has_vars = PG_NARGS() == 4;
	PgBsonJpAim(call, PG_GETARG_DATUM(0));
	if (!call->has_vars)
		return;

	call->silent = PG_GETARG_BOOL(3);
	vars = PgBsonRoot(PG_GETARG_PGBSON_PP(2));
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

	set_up(&call, fcinfo, site_of(fcinfo), use_tz);
	outcome = PgBsonJsonpathExists(&call);
	PgBsonClose(&call.reader);
	if (outcome == PGBSON_JP_FAILED)
		PG_RETURN_NULL();
	PG_RETURN_BOOL(outcome == PGBSON_JP_FOUND);
}

/* SQL: bson_path_exists(target bson, path jsonpath, vars bson, silent bool) returns bool; bson @? jsonpath */
PGBSON_DOOR(pgbson_path_exists, path_exists(fcinfo, false));
PGBSON_DOOR(pgbson_path_exists_tz, path_exists(fcinfo, true));
PGBSON_DOOR(pgbson_path_exists_opr, path_exists(fcinfo, false));

static Datum
path_match(FunctionCallInfo fcinfo, bool use_tz)
{
	PgBsonJpCall call;
	PgBsonValue value;
	bool		single;

	set_up(&call, fcinfo, site_of(fcinfo), use_tz);
	single = PgBsonJsonpathSingle(&call, &value);
	PgBsonClose(&call.reader);
	if (single)
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

/* SQL: bson_path_match(target bson, path jsonpath, vars bson, silent bool) returns bool; bson @@ jsonpath */
PGBSON_DOOR(pgbson_path_match, path_match(fcinfo, false));
PGBSON_DOOR(pgbson_path_match_tz, path_match(fcinfo, true));
PGBSON_DOOR(pgbson_path_match_opr, path_match(fcinfo, false));

/* A copy in this memory context, with a copy of the target, where what is in the target points to */
static PgBsonJpResult *
copy_result(const PgBsonJpResult *result, const PgBsonValue *target)
{
	PgBsonJpResult *copy = palloc(sizeof(PgBsonJpResult));
	Size		size = result->count * sizeof(PgBsonValue);
	const uint8 *bytes = target->data;

	*copy = *result;
	copy->values = memcpy(palloc_extended(Max(size, 1), MCXT_ALLOC_HUGE), result->values, size);
	if (size > 0 && target->len > 0)
		bytes = memcpy(palloc(target->len), target->data, target->len);
	for (uint32 i = 0; i < copy->count; i++)
	{
		PgBsonValue *value = &copy->values[i];

		if (value->data >= target->data && value->data < target->data + target->len)
			value->data = bytes + (value->data - target->data);
		else if (value->len > 0)
			value->data = memcpy(palloc(value->len), value->data, value->len);
	}
	return copy;
}

/*
 * Rows one by one.  All items are evaluated at the first call, because errors must come before rows, and
 * are kept from call to call, with what they point to: the arguments may be freed.
 */
static Datum
next_item(FunctionCallInfo fcinfo, bool use_tz)
{
	FuncCallContext *funcctx;
	PgBsonJpResult *result;
	PgBson	   *item;

	if (SRF_IS_FIRSTCALL())
	{
		MemoryContext saved;
		PgBsonJpCall call;
		PgBsonJpResult found;

		/* the server keeps its own at the call site */
		set_up(&call, fcinfo, PgBsonJpSiteBorrow(PG_GETARG_JSONPATH_P(1)), use_tz);
		found = PgBsonJsonpathQuery(&call);
		PgBsonClose(&call.reader);
		funcctx = SRF_FIRSTCALL_INIT();
		saved = MemoryContextSwitchTo(funcctx->multi_call_memory_ctx);
		funcctx->user_fctx = copy_result(&found, &call.target);
		MemoryContextSwitchTo(saved);
		if (call.site != NULL)
			PgBsonJpSiteReturn(call.site);
	}

	funcctx = SRF_PERCALL_SETUP();
	result = funcctx->user_fctx;
	if (funcctx->call_cntr >= result->count)
		SRF_RETURN_DONE(funcctx);
	/* not inside the macro, because that counts the call before it evaluates its argument */
	item = PgBsonFromValue(&result->values[funcctx->call_cntr]);
	SRF_RETURN_NEXT(funcctx, PointerGetDatum(item));
}

/* All rows at once, in a tuplestore */
static Datum
store_items(FunctionCallInfo fcinfo, bool use_tz)
{
	ReturnSetInfo *rsinfo = PgBsonReturnStore(fcinfo);
	Tuplestorestate *store;
	PgBsonJpCall call;
	PgBsonJpResult found;
	PgBsonRow	row;

	set_up(&call, fcinfo, site_of(fcinfo), use_tz);
	found = PgBsonJsonpathQuery(&call);
	PgBsonClose(&call.reader);
	PgBsonRowInit(&row, 1);
	store = found.count > 0 ? PgBsonStoreMake(rsinfo, rsinfo->expectedDesc) : NULL;
	for (uint32 i = 0; i < found.count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		PgBsonRowBegin(&row);
		if (PgBsonRowBson(&row, &found.values[i]))
			PgBsonRowStore(&row, store);
		else
		{
			Datum		value = PointerGetDatum(PgBsonFromValue(&found.values[i]));
			bool		isnull = false;

			tuplestore_putvalues(store, rsinfo->expectedDesc, &value, &isnull);
			pfree(DatumGetPointer(value));
		}
	}
	return (Datum) 0;
}

static Datum
path_query(FunctionCallInfo fcinfo, bool use_tz)
{
	return PgBsonStoreWanted(fcinfo, 1) ? store_items(fcinfo, use_tz) : next_item(fcinfo, use_tz);
}

/* SQL: bson_path_query(target bson, path jsonpath, vars bson, silent bool) returns setof bson */
PGBSON_DOOR(pgbson_path_query, path_query(fcinfo, false));
PGBSON_DOOR(pgbson_path_query_tz, path_query(fcinfo, true));

static Datum
path_query_array(FunctionCallInfo fcinfo, bool use_tz)
{
	PgBsonJpCall call;
	PgBsonJpResult result;

	set_up(&call, fcinfo, site_of(fcinfo), use_tz);
	result = PgBsonJsonpathQuery(&call);
	PgBsonClose(&call.reader);
	PG_RETURN_PGBSON_P(PgBsonArrayOf(result.values, result.count));
}

/* SQL: bson_path_query_array(target bson, path jsonpath, vars bson, silent bool) returns bson */
PGBSON_DOOR(pgbson_path_query_array, path_query_array(fcinfo, false));
PGBSON_DOOR(pgbson_path_query_array_tz, path_query_array(fcinfo, true));

static Datum
path_query_first(FunctionCallInfo fcinfo, bool use_tz)
{
	PgBsonJpCall call;
	PgBsonJpResult result;

	set_up(&call, fcinfo, site_of(fcinfo), use_tz);
	result = PgBsonJsonpathQuery(&call);
	PgBsonClose(&call.reader);
	if (result.count == 0)
		PG_RETURN_NULL();
	PG_RETURN_PGBSON_P(PgBsonFromValue(&result.values[0]));
}

/* SQL: bson_path_query_first(target bson, path jsonpath, vars bson, silent bool) returns bson */
PGBSON_DOOR(pgbson_path_query_first, path_query_first(fcinfo, false));
PGBSON_DOOR(pgbson_path_query_first_tz, path_query_first(fcinfo, true));
