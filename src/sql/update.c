/*
 * update.c
 *	  bson_update, bson_apply and bson_upsert: MongoDB's updates.
 */
#include "pgbson.h"

#include "access/xact.h"
#include "core/build.h"
#include "core/fetch.h"
#include "core/value.h"
#include "mongo/position.h"
#include "mongo/update.h"
#include "utils/timestamp.h"

/* The arguments of an update, besides the document */
typedef enum UpdatePart
{
	UPDATE_PART_UPDATE,
	UPDATE_PART_QUERY,
	UPDATE_PART_FILTERS,
	UPDATE_NPARTS
} UpdatePart;

/* What a call site remembers: the last update that it prepared */
typedef struct UpdateSite
{
	MemoryContext context;		/* of all the following */
	bool		ready;
	PgBsonView	parts[UPDATE_NPARTS];	/* data is NULL if not given */
	PgBsonUpdate *update;
	PgBsonPosition *position;	/* of an update with "$" and a query */
} UpdateSite;

static UpdateSite *
update_site(FmgrInfo *flinfo)
{
	UpdateSite *site = (UpdateSite *) flinfo->fn_extra;

	if (site == NULL)
	{
		site = MemoryContextAllocZero(flinfo->fn_mcxt, sizeof(UpdateSite));
		site->context = AllocSetContextCreate(flinfo->fn_mcxt, "bson update", ALLOCSET_SMALL_SIZES);
		flinfo->fn_extra = site;
	}
	return site;
}

static bool
same_parts(const PgBsonView *a, const PgBsonView *b)
{
	for (int i = 0; i < UPDATE_NPARTS; i++)
	{
		if ((a[i].data == NULL) != (b[i].data == NULL))
			return false;
		if (a[i].data != NULL &&
			(a[i].len != b[i].len || memcmp(a[i].data, b[i].data, a[i].len) != 0))
			return false;
	}
	return true;
}

/* Prepare the parts, in the current memory context */
static void
make_ready(UpdateSite *site, const PgBsonView *parts, bool insert)
{
	PgBsonValue update = PgBsonRootOf(parts[UPDATE_PART_UPDATE]);
	PgBsonValue filters;
	PgBsonValue query;

	if (parts[UPDATE_PART_FILTERS].data != NULL)
		filters = PgBsonRootOf(parts[UPDATE_PART_FILTERS]);
	site->update = PgBsonUpdateParse(&update, parts[UPDATE_PART_FILTERS].data != NULL ? &filters : NULL,
									 insert);
	site->position = NULL;
	if (parts[UPDATE_PART_QUERY].data != NULL && PgBsonUpdateIsPositional(site->update) && !insert)
	{
		query = PgBsonRootOf(parts[UPDATE_PART_QUERY]);
		site->position = PgBsonPositionParse(&query);
	}
}

/* Prepare the update, unless it is the one of the last call; "args" is the argument number of each part, or -1 */
static const UpdateSite *
ready_update(FunctionCallInfo fcinfo, const int *args, bool insert)
{
	UpdateSite *site = update_site(fcinfo->flinfo);
	PgBsonView	parts[UPDATE_NPARTS];
	MemoryContext old;

	for (int i = 0; i < UPDATE_NPARTS; i++)
	{
		bool		given = args[i] >= 0 && args[i] < PG_NARGS() && !PG_ARGISNULL(args[i]);

		memset(&parts[i], 0, sizeof(PgBsonView));
		if (given)
			parts[i] = PgBsonViewOf(PG_GETARG_PGBSON_PP(args[i]));
	}
	if (site->ready && same_parts(site->parts, parts))
		return site;

	site->ready = false;
	MemoryContextReset(site->context);
	old = MemoryContextSwitchTo(site->context);
	for (int i = 0; i < UPDATE_NPARTS; i++)
	{
		site->parts[i] = parts[i];
		if (parts[i].data != NULL)
			site->parts[i] = PgBsonViewOf(PgBsonFromBytes(parts[i].data, parts[i].len));
	}
	make_ready(site, site->parts, insert);
	MemoryContextSwitchTo(old);
	/* remember it only after all has succeeded */
	site->ready = true;
	return site;
}

/* Apply the update of a site to the document; NULL if that changes nothing */
static PgBson *
apply_update(const UpdateSite *site, Datum datum, PgBsonUpdateInput *input)
{
	PgBsonView	doc = PgBsonFetchWhole(datum);
	PgBsonValue root = PgBsonRootOf(doc);

	if (site->position != NULL)
		input->has_position = PgBsonPositionFind(site->position, &root, &input->position);
	return PgBsonUpdateApply(site->update, doc, input);
}

/* The transaction's time is always finite */
static void
take_transaction_time(PgBsonUpdateInput *input)
{
	input->has_now = PgBsonTimestampToDate(GetCurrentTransactionStartTimestamp(), &input->now);
}

/* Of a function (doc, update, query, array_filters) */
static Datum
update_document(FunctionCallInfo fcinfo, PgBsonUpdateInput *input)
{
	static const int args[UPDATE_NPARTS] = {1, 2, 3};
	PgBson	   *result;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	result = apply_update(ready_update(fcinfo, args, false), PG_GETARG_DATUM(0), input);

	/* nothing changed: return the argument's datum, which is still toasted */
	if (result == NULL)
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	PG_RETURN_PGBSON_P(result);
}

/* SQL: bson_update(doc bson, update bson [, query bson, array_filters bson]) returns bson */
PG_FUNCTION_INFO_V1(pgbson_update);
Datum
pgbson_update(PG_FUNCTION_ARGS)
{
	PgBsonUpdateInput input = {0};

	take_transaction_time(&input);
	return update_document(fcinfo, &input);
}

/* SQL: bson_apply(doc bson, update bson, query bson, array_filters bson, at timestamptz) returns bson */
PG_FUNCTION_INFO_V1(pgbson_apply);
Datum
pgbson_apply(PG_FUNCTION_ARGS)
{
	PgBsonUpdateInput input = {0};

	if (!PG_ARGISNULL(4))
	{
		input.has_now = PgBsonTimestampToDate(PG_GETARG_TIMESTAMPTZ(4), &input.now);
		if (!input.has_now)
			ereport(ERROR,
					(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
					 errmsg("the time of a bson update must be finite")));
	}
	return update_document(fcinfo, &input);
}

/* SQL: bson_upsert(query bson, update bson, array_filters bson) returns bson */
PG_FUNCTION_INFO_V1(pgbson_upsert);
Datum
pgbson_upsert(PG_FUNCTION_ARGS)
{
	static const int args[UPDATE_NPARTS] = {1, -1, 2};
	PgBsonUpdateInput input = {0};
	const UpdateSite *site;
	PgBsonValue query;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	take_transaction_time(&input);
	site = ready_update(fcinfo, args, true);
	query = PgBsonRoot(PG_GETARG_PGBSON_PP(0));
	PG_RETURN_PGBSON_P(PgBsonUpsert(site->update, &query, &input));
}
