/*
 * project.c
 *	  bson_project: MongoDB's projections.
 */
#include "pgbson.h"

#include "core/build.h"
#include "core/fetch.h"
#include "core/path_args.h"
#include "mongo/project.h"
#include "sql/site.h"

/* What a call site remembers: the projection it made ready last */
typedef struct ProjectSite
{
	MemoryContext context;		/* of all this */
	PgBson	   *projection;		/* plain; NULL: none yet */
	PgBson	   *query;			/* the same; NULL: not given */
	PgBsonProjection *ready;
	bool		constant;		/* they are constants of the call site */
} ProjectSite;

static bool
same_bytes(const PgBson *kept, PgBsonView given)
{
	return VARSIZE(kept) - VARHDRSZ == given.len &&
		memcmp(VARDATA(kept), given.data, given.len) == 0;
}

static PgBson *
keep_argument(FunctionCallInfo fcinfo, int n)
{
	PgBsonView	view = PgBsonViewOf(PG_GETARG_PGBSON_PP(n));

	return PgBsonFromBytes(view.data, view.len);
}

/* The projection, made ready unless it is the one of the last call; the third argument may be none */
static const PgBsonProjection *
ready_projection(FunctionCallInfo fcinfo, bool with_query)
{
	ProjectSite *site = PgBsonSite(fcinfo->flinfo, sizeof(ProjectSite));
	PgBson	   *projection;
	PgBsonValue root;
	PgBsonValue query;
	MemoryContext old;

	if (site->context == NULL)
	{
		site->context = AllocSetContextCreate(fcinfo->flinfo->fn_mcxt, "bson projection", ALLOCSET_SMALL_SIZES);
		site->constant = PgBsonArgIsConst(fcinfo->flinfo, 1) &&
			(PG_NARGS() < 3 || PgBsonArgIsConst(fcinfo->flinfo, 2));
	}
	if (site->projection != NULL &&
		(site->constant ||
		 (same_bytes(site->projection, PgBsonViewOf(PG_GETARG_PGBSON_PP(1))) &&
		  with_query == (site->query != NULL) &&
		  (!with_query || same_bytes(site->query, PgBsonViewOf(PG_GETARG_PGBSON_PP(2)))))))
		return site->ready;

	site->projection = NULL;
	site->query = NULL;
	MemoryContextReset(site->context);
	old = MemoryContextSwitchTo(site->context);
	projection = keep_argument(fcinfo, 1);
	root = PgBsonRoot(projection);
	if (with_query)
	{
		site->query = keep_argument(fcinfo, 2);
		query = PgBsonRoot(site->query);
	}
	site->ready = PgBsonProjectionParse(&root, with_query ? &query : NULL);
	MemoryContextSwitchTo(old);
	/* known by its bytes only when all went well */
	site->projection = projection;
	return site->ready;
}

/* SQL: bson_project(doc bson, projection bson [, query bson]) returns bson */
PG_FUNCTION_INFO_V1(pgbson_project);
Datum
pgbson_project(PG_FUNCTION_ARGS)
{
	const PgBsonProjection *projection;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	projection = ready_projection(fcinfo, PG_NARGS() > 2 && !PG_ARGISNULL(2));
	PG_RETURN_PGBSON_P(PgBsonProject(projection, PgBsonFetchWhole(PG_GETARG_DATUM(0))));
}
