/*
 * contain.c
 *	  @> <@ ? ?| ?& and their functions.
 */
#include "core/contain.h"

#include "core/fetch.h"
#include "sql/steps.h"

PG_FUNCTION_INFO_V1(pgbson_contains);
PG_FUNCTION_INFO_V1(pgbson_contained);
PG_FUNCTION_INFO_V1(pgbson_exists);
PG_FUNCTION_INFO_V1(pgbson_exists_any);
PG_FUNCTION_INFO_V1(pgbson_exists_all);

static bool
arg_contains_arg(FunctionCallInfo fcinfo, int whole, int part)
{
	PgBson	   *b = PG_GETARG_PGBSON_PP(part);
	PgBsonValue wanted = PgBsonRoot(b);
	PgBsonValue value = PgBsonRootOf(PgBsonFetchWhole(PG_GETARG_DATUM(whole)));
	bool		result = PgBsonContains(&value, &wanted);

	PG_FREE_IF_COPY(b, part);
	return result;
}

/* SQL: bson_contains(bson, bson) returns bool; @> */
Datum
pgbson_contains(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(arg_contains_arg(fcinfo, 0, 1));
}

/* SQL: bson_contained(bson, bson) returns bool; <@ */
Datum
pgbson_contained(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(arg_contains_arg(fcinfo, 1, 0));
}

/* SQL: bson_exists(bson, text) returns bool; ? */
Datum
pgbson_exists(PG_FUNCTION_ARGS)
{
	PgBsonValue root = PgBsonRootOf(PgBsonFetchWhole(PG_GETARG_DATUM(0)));
	PgBsonStep	key = PgBsonStepFromText(PG_GETARG_TEXT_PP(1), PGBSON_STEP_KEY);

	PG_RETURN_BOOL(PgBsonHasKey(&root, key.key, key.key_len));
}

static bool
has_keys(FunctionCallInfo fcinfo, bool all)
{
	PgBsonValue root = PgBsonRootOf(PgBsonFetchWhole(PG_GETARG_DATUM(0)));
	PgBsonKeySet keys;

	PgBsonKeysFromArray(PG_GETARG_ARRAYTYPE_P(1), &keys);
	return PgBsonHasKeys(&root, &keys, all);
}

/* SQL: bson_exists_any(bson, text[]) returns bool; ?| */
Datum
pgbson_exists_any(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(has_keys(fcinfo, false));
}

/* SQL: bson_exists_all(bson, text[]) returns bool; ?& */
Datum
pgbson_exists_all(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(has_keys(fcinfo, true));
}
