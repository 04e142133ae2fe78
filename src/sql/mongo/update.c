/*
 * update.c
 *	  bson_update, bson_apply, bson_upsert and bson_with_id, MongoDB's updates and inserts;
 *	  bson_diff, bson_patch and bson_update_description, what changes a document.
 */
#include "door.h"

#include "access/xact.h"
#include "mongo/delta/diff.h"
#include "mongo/query/match.h"
#include "mongo/update/update.h"
#include "sql/site/kept.h"
#include "utils/timestamp.h"

typedef struct UpdateSite
{
	PgBsonKept	kept;			/* the first member */
	PgBsonUpdate *update;
	PgBsonPosition *position;	/* finds the element that "$" stands for; NULL without "$" or a query */
} UpdateSite;

/* Prepare the update, argument 1, with its array filters */
static void
keep_parts(FunctionCallInfo fcinfo, UpdateSite *site, int filters_arg, bool insert)
{
	PgBsonValue update = PgBsonKeptValue(fcinfo, site, 1);
	PgBsonValue filters = PgBsonKeptValue(fcinfo, site, filters_arg);

	site->update = PgBsonUpdateParse(&update, filters.type != PGBSON_EOD ? &filters : NULL, insert);
}

/* A PgBsonKeeper for a function (doc, update, query, array_filters) */
static void
keep_update(FunctionCallInfo fcinfo, void *update_site)
{
	UpdateSite *site = update_site;
	PgBsonValue query = PgBsonKeptValue(fcinfo, site, 2);

	keep_parts(fcinfo, site, 3, false);
	site->position = NULL;
	if (query.type != PGBSON_EOD && PgBsonUpdateIsPositional(site->update))
		site->position = PgBsonPositionParse(&query);
}

/* A PgBsonKeeper for a function (query, update, array_filters) */
static void
keep_upsert(FunctionCallInfo fcinfo, void *site)
{
	keep_parts(fcinfo, site, 2, true);
}

/* The worker of functions (doc, update, query, array_filters).  The update is checked even if there is no document. */
static Datum
update_document(FunctionCallInfo fcinfo, PgBsonUpdateInput *input)
{
	const UpdateSite *site;
	PgBsonReader reader;
	PgBsonView	doc;
	PgBson	   *result;

	if (PG_ARGISNULL(1))
		PG_RETURN_NULL();
	site = PgBsonKeptSite(fcinfo, sizeof(UpdateSite), 1, 3, keep_update);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	doc = PgBsonOpenWhole(&reader, PG_GETARG_DATUM(0));
	if (site->position != NULL)
		input->has_position = PgBsonPositionFind(site->position, &reader.root, &input->position);
	result = PgBsonUpdateApply(site->update, doc, input);
	PgBsonClose(&reader);

	/* nothing changed: return the argument's datum, which is still toasted */
	if (result == NULL)
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	PG_RETURN_PGBSON_P(result);
}

/* SQL: bson_update(doc bson, update bson [, query bson, array_filters bson]) returns bson */
PGBSON_FUNCTION(pgbson_update)
{
	PgBsonUpdateInput input = {true, GetCurrentTransactionStartTimestamp()};

	return update_document(fcinfo, &input);
}

/* SQL: bson_apply(doc bson, update bson, query bson, array_filters bson, at timestamptz) returns bson */
PGBSON_FUNCTION(pgbson_apply)
{
	PgBsonUpdateInput input = {0};

	if (!PG_ARGISNULL(4))
	{
		input.has_now = true;
		input.now = PG_GETARG_TIMESTAMPTZ(4);
		if (TIMESTAMP_NOT_FINITE(input.now))
			PgBsonReport(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE, errmsg("the time of a bson update must be finite"));
	}
	return update_document(fcinfo, &input);
}

/* SQL: bson_upsert(query bson, update bson, array_filters bson) returns bson */
PGBSON_FUNCTION(pgbson_upsert)
{
	PgBsonUpdateInput input = {true, GetCurrentTransactionStartTimestamp()};
	const UpdateSite *site;
	PgBsonValue query;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	site = PgBsonKeptSite(fcinfo, sizeof(UpdateSite), 1, 2, keep_upsert);
	query = PgBsonRoot(PG_GETARG_PGBSON_PP(0));
	PG_RETURN_PGBSON_P(PgBsonUpsert(site->update, &query, &input));
}

/* SQL: bson_with_id(document bson) returns bson */
PG_FUNCTION_INFO_V1(pgbson_with_id);
Datum
pgbson_with_id(PG_FUNCTION_ARGS)
{
	PgBson	   *doc = PG_GETARG_PGBSON_PP(0);
	PgBsonValue root = PgBsonRoot(doc);

	if (root.type != PGBSON_DOCUMENT)
		PgBsonReportInvalid(errmsg("a bson value of type %s cannot have an \"_id\"", PgBsonTypeName(root.type)));
	PG_RETURN_PGBSON_P(PgBsonWithId(doc));
}

/* Call the function with the two arguments; if it returns NULL, the result is the second argument itself */
static Datum
result_or_second(FunctionCallInfo fcinfo, PgBson *(*function) (PgBsonView first, PgBsonView second))
{
	PgBson	   *made = function(PgBsonViewOf(PG_GETARG_PGBSON_PP(0)), PgBsonViewOf(PG_GETARG_PGBSON_PP(1)));

	return made != NULL ? PointerGetDatum(made) : PG_GETARG_DATUM(1);
}

/* SQL: bson_diff(a bson, b bson) and bson_patch(a bson, delta bson) return bson */
PGBSON_DOOR(pgbson_diff, result_or_second(fcinfo, PgBsonDiff));
PGBSON_DOOR(pgbson_patch, result_or_second(fcinfo, PgBsonPatch));

/* SQL: bson_update_description(before bson, after bson) returns bson */
PGBSON_FUNCTION(pgbson_update_description)
{
	PgBson	   *made = PgBsonDescribeUpdate(PgBsonViewOf(PG_GETARG_PGBSON_PP(0)), PgBsonViewOf(PG_GETARG_PGBSON_PP(1)));

	if (made == NULL)
		PG_RETURN_NULL();
	PG_RETURN_PGBSON_P(made);
}
