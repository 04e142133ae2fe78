/*
 * accumulate.c
 *	  bson_first, bson_last, bson_min, bson_max, bson_top and bson_bottom: accumulators of MongoDB's $group.
 *
 * The state of the first four is a bson, NULL before the first row that counts.
 */
#include "door.h"

#include "core/number/number.h"
#include "core/order/compare.h"
#include "core/order/ranking.h"
#include "core/write/elements.h"
#include "core/write/from_value.h"
#include "sql/make/aggregate.h"

/* An argument that will be kept; NULL is the value null */
static Datum
value_or_null(FunctionCallInfo fcinfo, int argno)
{
	if (PG_ARGISNULL(argno))
		return PointerGetDatum(PgBsonFromValue(&PgBsonNull));
	PgBsonCheckCall(fcinfo, VARSIZE_ANY(PG_GETARG_POINTER(argno)), "");
	return PG_GETARG_DATUM(argno);
}

/* SQL: bson_first_transfn(bson, bson) returns bson */
PGBSON_DOOR(pgbson_first_transfn, PG_ARGISNULL(0) ? value_or_null(fcinfo, 1) : PG_GETARG_DATUM(0));

/* SQL: bson_first_combine(bson, bson) returns bson */
PGBSON_DOOR(pgbson_first_combine, PG_GETARG_DATUM(0));

/* SQL: bson_last_transfn(bson, bson), bson_last_combine(bson, bson) returns bson */
PGBSON_DOOR(pgbson_last_transfn, value_or_null(fcinfo, 1));

/* Does an argument count?  Not if it is NULL, or null. */
static bool
counts(FunctionCallInfo fcinfo, int argno, PgBsonValue *value)
{
	if (PG_ARGISNULL(argno))
		return false;
	*value = PgBsonRoot(PG_GETARG_PGBSON_PP(argno));
	return !PgBsonIsNullish(value->type);
}

/* The lesser argument if "sign" is 1, the greater one if it is -1; of equal ones the first */
static Datum
extreme(FunctionCallInfo fcinfo, int sign)
{
	PgBsonValue a;
	PgBsonValue b;
	bool		has_a = counts(fcinfo, 0, &a);
	bool		has_b = counts(fcinfo, 1, &b);

	if (!has_a && !has_b)
		PG_RETURN_NULL();
	if (!has_b || (has_a && PgBsonCompare(&a, &b) * sign <= 0))
		return PG_GETARG_DATUM(0);
	return value_or_null(fcinfo, 1);
}

/* SQL: bson_min_transfn(bson, bson) and bson_max_transfn(bson, bson) return bson */
PGBSON_DOOR(pgbson_min_transfn, extreme(fcinfo, 1));
PGBSON_DOOR(pgbson_max_transfn, extreme(fcinfo, -1));

#define RANKING_MAGIC	UINT64CONST(0x62736f6e0a1d0c40)

/* The state of bson_top and bson_bottom, which is created at the first row */
static PgBsonRanking *
ranking_state(FunctionCallInfo fcinfo, bool greatest)
{
	MemoryContext context = PgBsonStateContext(fcinfo);
	PgBsonValue value = PgBsonArgument(fcinfo, 3, PgBsonNull);
	PgBsonRanking *state;
	int64		n;

	if (!PG_ARGISNULL(0))
		return PgBsonStateArgument(fcinfo, 0, RANKING_MAGIC);
	if (!PgBsonIsNumber(value.type) || !PgBsonNumberToInt64(&value, &n) || n <= 0)
		PgBsonReportInvalid(errmsg("number of bson values to keep must be a positive integer"));
	state = PgBsonRankingBegin(context, n, greatest);
	state->magic = RANKING_MAGIC;
	return state;
}

static Datum
rank(FunctionCallInfo fcinfo, bool greatest, bool later)
{
	PgBsonRanking *state = ranking_state(fcinfo, greatest);

	PgBsonRankingAdd(state, DatumGetPgBsonPP(value_or_null(fcinfo, 2)), value_or_null(fcinfo, 1), later);
	PG_RETURN_POINTER(state);
}

/* SQL: bson_top_transfn(internal, value bson, key bson, n bson) returns internal */
PGBSON_DOOR(pgbson_top_transfn, rank(fcinfo, false, true));

/* SQL: bson_bottom_transfn(internal, value bson, key bson, n bson, later boolean) returns internal */
PGBSON_DOOR(pgbson_bottom_transfn, rank(fcinfo, true, !PG_ARGISNULL(4) && PG_GETARG_BOOL(4)));

/* SQL: bson_top_finalfn(internal) returns bson, an array in ascending order of the keys; NULL if there was no row */
PGBSON_FUNCTION(pgbson_top_finalfn)
{
	PgBsonRanking *state;
	PgBsonValue *values;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	state = PgBsonStateArgument(fcinfo, 0, RANKING_MAGIC);
	PgBsonRankingSort(state);
	values = MemoryContextAllocHuge(CurrentMemoryContext, state->count * sizeof(PgBsonValue));
	for (int64 i = 0; i < state->count; i++)
		values[i] = PgBsonRoot(state->rows[state->greatest ? i : state->count - 1 - i].value);
	PG_RETURN_PGBSON_P(PgBsonArrayOf(values, state->count));
}
