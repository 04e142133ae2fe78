/*
 * moments.c
 *	  Aggregates over pairs of numbers: MongoDB's $integral, $covariancePop and $covarianceSamp.
 */
#include "door.h"

#include "mongo/stage/moments.h"
#include "sql/make/aggregate.h"

#define MOMENTS_MAGIC	UINT64CONST(0x62736f6e0a1d0c3f)

static PgBsonMoments *
moments_argument(FunctionCallInfo fcinfo)
{
	return PG_ARGISNULL(0) ? NULL : PgBsonStateArgument(fcinfo, 0, MOMENTS_MAGIC);
}

/* The state of the transition, which is created at the first row */
static PgBsonMoments *
moments_state(FunctionCallInfo fcinfo)
{
	MemoryContext context = PgBsonStateContext(fcinfo);
	PgBsonMoments *state = moments_argument(fcinfo);

	if (state != NULL)
		return state;
	state = MemoryContextAllocZero(context, sizeof(PgBsonMoments));
	state->magic = MOMENTS_MAGIC;
	PgBsonSumInit(&state->x);
	PgBsonSumInit(&state->y);
	PgBsonSumInit(&state->sum);
	return state;
}

/* SQL: bson_integral_transfn(internal, x bson, y bson, unit text) returns internal */
PGBSON_FUNCTION(pgbson_integral_transfn)
{
	PgBsonMoments *state = moments_state(fcinfo);
	PgBsonValue x = PgBsonArgument(fcinfo, 1, PgBsonNull);
	PgBsonValue y = PgBsonArgument(fcinfo, 2, PgBsonNull);
	const PgBsonUnit *unit = NULL;

	if (!PG_ARGISNULL(3))
		unit = PgBsonFixedUnit(VARDATA_ANY(PG_GETARG_TEXT_PP(3)), VARSIZE_ANY_EXHDR(PG_GETARG_TEXT_PP(3)));
	PgBsonIntegralAdd(state, &x, &y, unit);
	PG_RETURN_POINTER(state);
}

/* SQL: bson_integral_finalfn(internal) returns bson */
PGBSON_FUNCTION(pgbson_integral_finalfn)
{
	PgBsonMoments *state = moments_argument(fcinfo);
	PgBsonValue result;

	if (state == NULL)
		PG_RETURN_NULL();
	result = PgBsonIntegralResult(state);
	PG_RETURN_PGBSON_P(PgBsonFromValue(&result));
}

/* SQL: bson_covar_transfn(internal, x bson, y bson) returns internal */
PGBSON_FUNCTION(pgbson_covar_transfn)
{
	PgBsonMoments *state = moments_state(fcinfo);
	PgBsonValue x = PgBsonArgument(fcinfo, 1, PgBsonNull);
	PgBsonValue y = PgBsonArgument(fcinfo, 2, PgBsonNull);

	PgBsonCovarianceAdd(state, &x, &y);
	PG_RETURN_POINTER(state);
}

static Datum
covariance(FunctionCallInfo fcinfo, int less)
{
	PgBsonMoments *state = moments_argument(fcinfo);
	PgBsonValue result = state == NULL ? PgBsonMissing : PgBsonCovarianceResult(state, less);

	if (result.type == PGBSON_MISSING)
		PG_RETURN_NULL();
	PG_RETURN_PGBSON_P(PgBsonFromValue(&result));
}

/* SQL: bson_covar_pop_finalfn(internal) returns bson */
PGBSON_DOOR(pgbson_covar_pop_finalfn, covariance(fcinfo, 0));

/* SQL: bson_covar_samp_finalfn(internal) returns bson */
PGBSON_DOOR(pgbson_covar_samp_finalfn, covariance(fcinfo, 1));
