/*
 * delta.c
 *	  bson_diff and bson_patch: what changes one document into another.
 */
#include "pgbson.h"

#include "mongo/delta/diff.h"
#include "mongo/delta/patch.h"

/* SQL: bson_diff(a bson, b bson) returns bson */
PG_FUNCTION_INFO_V1(pgbson_diff);
Datum
pgbson_diff(PG_FUNCTION_ARGS)
{
	PgBson	   *from = PG_GETARG_PGBSON_PP(0);
	PgBson	   *to = PG_GETARG_PGBSON_PP(1);
	PgBson	   *delta = PgBsonDiff(PgBsonViewOf(from), PgBsonViewOf(to));

	if (delta == NULL)
		PG_RETURN_DATUM(PG_GETARG_DATUM(1));
	PG_RETURN_PGBSON_P(delta);
}

/* SQL: bson_patch(a bson, delta bson) returns bson */
PG_FUNCTION_INFO_V1(pgbson_patch);
Datum
pgbson_patch(PG_FUNCTION_ARGS)
{
	PgBson	   *doc = PG_GETARG_PGBSON_PP(0);
	PgBson	   *delta = PG_GETARG_PGBSON_PP(1);
	PgBson	   *result = PgBsonPatch(PgBsonViewOf(doc), PgBsonViewOf(delta));

	if (result == NULL)
		PG_RETURN_DATUM(PG_GETARG_DATUM(1));
	PG_RETURN_PGBSON_P(result);
}
