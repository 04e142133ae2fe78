/*
 * project.c
 *	  bson_project: MongoDB's projections.
 */
#include "door.h"

#include "mongo/project/project.h"
#include "sql/site/kept.h"

static void
keep_projection(FunctionCallInfo fcinfo, void *site)
{
	PgBsonValue root = PgBsonKeptValue(fcinfo, site, 1);
	PgBsonValue query = PgBsonKeptValue(fcinfo, site, 2);

	((PgBsonKept *) site)->thing = PgBsonProjectionParse(&root, query.type != PGBSON_EOD ? &query : NULL);
}

/* SQL: bson_project(doc bson, projection bson [, query bson]) returns bson */
PG_FUNCTION_INFO_V1(pgbson_project);
Datum
pgbson_project(PG_FUNCTION_ARGS)
{
	const PgBsonKept *kept;
	PgBsonReader reader;
	PgBson	   *result;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	kept = PgBsonKeptSite(fcinfo, sizeof(PgBsonKept), 1, 2, keep_projection);
	result = PgBsonProject(kept->thing, PgBsonOpenWhole(&reader, PG_GETARG_DATUM(0)));
	PgBsonClose(&reader);
	PG_RETURN_PGBSON_P(result);
}
