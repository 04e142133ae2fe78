/*
 * project.c
 *	  bson_project: MongoDB's projections.
 */
#include "pgbson.h"

#include "core/stored/reader.h"
#include "mongo/project/project.h"
#include "sql/site/compiled.h"

typedef struct ProjectSite
{
	PgBsonCompiled compiled;
	PgBsonProjection *projection;
} ProjectSite;

static void
compile_projection(PgBsonCompiled *compiled)
{
	ProjectSite *site = (ProjectSite *) compiled;
	bool		with_query = compiled->args[1].data != NULL;
	PgBsonValue root = PgBsonRootOf(compiled->args[0]);
	PgBsonValue query;

	if (with_query)
		query = PgBsonRootOf(compiled->args[1]);
	site->projection = PgBsonProjectionParse(&root, with_query ? &query : NULL);
}

/* SQL: bson_project(doc bson, projection bson [, query bson]) returns bson */
PG_FUNCTION_INFO_V1(pgbson_project);
Datum
pgbson_project(PG_FUNCTION_ARGS)
{
	static const int args[] = {1, 2};
	const ProjectSite *site;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	site = PgBsonCompiledSite(fcinfo, sizeof(ProjectSite), args, lengthof(args), compile_projection);
	PG_RETURN_PGBSON_P(PgBsonProject(site->projection, PgBsonReadWhole(PG_GETARG_DATUM(0))));
}
