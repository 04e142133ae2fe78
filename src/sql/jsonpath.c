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
#include "jsonpath/jsonpath.h"
#include "sql/convert/store.h"
#include "sql/site/kept.h"

/* What a call site remembers */
typedef struct JsonpathSite
{
	PgBsonKept	kept;			/* its thing is a PgBsonJpSite */
	PgBsonReadHint hint;
} JsonpathSite;

static void
keep_site(FunctionCallInfo fcinfo, void *site)
{
	((PgBsonKept *) site)->thing = PgBsonJpSiteMake(PG_GETARG_JSONPATH_P(1), CurrentMemoryContext);
}

/*
 * Set up the evaluation from the arguments: (bson, jsonpath) of an operator,
 * which suppresses errors, or (bson, jsonpath, vars, silent).
 */
static void
set_up(PgBsonJpCall *call, FunctionCallInfo fcinfo, bool use_tz)
{
	JsonpathSite *site = PgBsonSite(fcinfo->flinfo, sizeof(JsonpathSite));
	PgBsonValue vars;

	/* a path that changes too often has no PgBsonJpSite */
	call->site = PgBsonKeep(site, fcinfo, 1, 1, keep_site) ? site->kept.thing : NULL;
	if (call->site == NULL)
		call->path = PG_GETARG_JSONPATH_P(1);
	call->use_tz = use_tz;
	call->silent = true;
	call->has_vars = PG_NARGS() == 4;
	PgBsonJpAim(call, PG_GETARG_DATUM(0), site == NULL ? NULL : &site->hint);
	if (!call->has_vars)
		return;

	call->silent = PG_GETARG_BOOL(3);
	vars = PgBsonRoot(PG_GETARG_PGBSON_PP(2));
	if (vars.type != PGBSON_DOCUMENT)
		PgBsonReportInvalid(errmsg("\"vars\" argument is not an object"),
							errdetail("Jsonpath parameters should be encoded as key-value pairs of \"vars\" object."));
	call->vars = PgBsonValueView(&vars);
}

static Datum
path_exists(FunctionCallInfo fcinfo, bool use_tz)
{
	PgBsonJpCall call;
	PgBsonJpOutcome outcome;

	set_up(&call, fcinfo, use_tz);
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

	set_up(&call, fcinfo, use_tz);
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
		PgBsonReport(ERRCODE_SINGLETON_SQL_JSON_ITEM_REQUIRED, errmsg("single boolean result is expected"));
	PG_RETURN_NULL();
}

/* SQL: bson_path_match(target bson, path jsonpath, vars bson, silent bool) returns bool; bson @@ jsonpath */
PGBSON_DOOR(pgbson_path_match, path_match(fcinfo, false));
PGBSON_DOOR(pgbson_path_match_tz, path_match(fcinfo, true));
PGBSON_DOOR(pgbson_path_match_opr, path_match(fcinfo, false));

/* All items of an evaluation, which live until the next datum is opened */
static PgBsonJpResult
items_of(PgBsonJpCall *call, FunctionCallInfo fcinfo, bool use_tz)
{
	PgBsonJpResult found;

	set_up(call, fcinfo, use_tz);
	found = PgBsonJsonpathQuery(call);
	PgBsonClose(&call->reader);
	return found;
}

/* All rows at once, in a tuplestore, because errors must come before rows */
static Datum
path_query(FunctionCallInfo fcinfo, bool use_tz)
{
	ReturnSetInfo *rsinfo = PgBsonReturnStore(fcinfo);
	Tuplestorestate *store;
	PgBsonJpCall call;
	PgBsonJpResult found = items_of(&call, fcinfo, use_tz);
	PgBsonRow	row;

	if (found.count == 0)
		PG_RETURN_NULL();
	store = PgBsonStoreMake(rsinfo, rsinfo->expectedDesc);
	PgBsonRowInit(&row, 1);
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
	PG_RETURN_NULL();
}

/* SQL: bson_path_query(target bson, path jsonpath, vars bson, silent bool) returns setof bson */
PGBSON_DOOR(pgbson_path_query, path_query(fcinfo, false));
PGBSON_DOOR(pgbson_path_query_tz, path_query(fcinfo, true));

static Datum
path_query_array(FunctionCallInfo fcinfo, bool use_tz)
{
	PgBsonJpCall call;
	PgBsonJpResult result = items_of(&call, fcinfo, use_tz);

	PG_RETURN_PGBSON_P(PgBsonArrayOf(result.values, result.count));
}

/* SQL: bson_path_query_array(target bson, path jsonpath, vars bson, silent bool) returns bson */
PGBSON_DOOR(pgbson_path_query_array, path_query_array(fcinfo, false));
PGBSON_DOOR(pgbson_path_query_array_tz, path_query_array(fcinfo, true));

static Datum
path_query_first(FunctionCallInfo fcinfo, bool use_tz)
{
	PgBsonJpCall call;
	PgBsonJpResult result = items_of(&call, fcinfo, use_tz);

	if (result.count == 0)
		PG_RETURN_NULL();
	PG_RETURN_PGBSON_P(PgBsonFromValue(&result.values[0]));
}

/* SQL: bson_path_query_first(target bson, path jsonpath, vars bson, silent bool) returns bson */
PGBSON_DOOR(pgbson_path_query_first, path_query_first(fcinfo, false));
PGBSON_DOOR(pgbson_path_query_first_tz, path_query_first(fcinfo, true));
