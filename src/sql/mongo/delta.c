/*
 * delta.c
 *	  bson_diff and bson_patch: what changes one document into another.
 */
#include "door.h"

#include "mongo/delta/diff.h"

/* The function's result for the two arguments; if it has none of its own, the second argument */
static Datum
made_or_second(FunctionCallInfo fcinfo, PgBson *(*function) (PgBsonView first, PgBsonView second))
{
	PgBson	   *made = function(PgBsonViewOf(PG_GETARG_PGBSON_PP(0)), PgBsonViewOf(PG_GETARG_PGBSON_PP(1)));

	return made != NULL ? PointerGetDatum(made) : PG_GETARG_DATUM(1);
}

/* SQL: bson_diff(a bson, b bson) and bson_patch(a bson, delta bson) return bson */
PGBSON_DOOR(pgbson_diff, made_or_second(fcinfo, PgBsonDiff));
PGBSON_DOOR(pgbson_patch, made_or_second(fcinfo, PgBsonPatch));
