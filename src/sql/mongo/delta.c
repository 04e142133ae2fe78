/*
 * delta.c
 *	  bson_diff and bson_patch: what changes one document into another.
 */
#include "door.h"

#include "mongo/delta/diff.h"

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
