/*
 * moments.c
 *	  Aggregates over pairs of numbers: MongoDB's $integral, $covariancePop and $covarianceSamp.
 *
 * See src/mongo/db/pipeline/window_function/window_function_integral.cpp and
 * window_function_covariance.cpp of MongoDB.
 */
#include "door.h"

#include <math.h>

#include "core/number/decimal.h"
#include "core/number/sum.h"
#include "mongo/stage/nested.h"
#include "sql/make/aggregate.h"
#include "utils/float.h"

#define MOMENTS_MAGIC	UINT64CONST(0x62736f6e0a1d0c3f)

typedef struct Moments
{
	uint64		magic;
	int64		count;			/* for a covariance, of pairs without infinity and NaN; for an integral, of points */
	PgBsonSum	x;
	PgBsonSum	y;
	PgBsonSum	sum;			/* for a covariance, of the products; for an integral, of the areas */
	/* the rest is for integrals */
	int64		nans;			/* the number of points with a NaN */
	int64		unit;			/* the unit of x in milliseconds, if x is a date; 0 if x is a number */
	PgBsonType	types[2];		/* the last point, x and y: types, lengths and bytes */
	uint32		lens[2];
	uint8		last[2][PGBSON_DECIMAL128_SIZE];
} Moments;

static Moments *
moments_argument(FunctionCallInfo fcinfo)
{
	return PG_ARGISNULL(0) ? NULL : PgBsonStateArgument(fcinfo, 0, MOMENTS_MAGIC);
}

/* The state of the transition, which is created at the first row */
static Moments *
moments_state(FunctionCallInfo fcinfo)
{
	MemoryContext context = PgBsonStateContext(fcinfo);
	Moments    *state = moments_argument(fcinfo);

	if (state != NULL)
		return state;
	state = MemoryContextAllocZero(context, sizeof(Moments));
	state->magic = MOMENTS_MAGIC;
	PgBsonSumInit(&state->x);
	PgBsonSumInit(&state->y);
	PgBsonSumInit(&state->sum);
	return state;
}

/* A bson argument; BSON null if it is NULL */
static PgBsonValue
value_or_null_argument(FunctionCallInfo fcinfo, int argno)
{
	return PG_ARGISNULL(argno) ? PgBsonNull : PgBsonRoot(PG_GETARG_PGBSON_PP(argno));
}

static bool
is_nan(const PgBsonValue *value)
{
	return PgBsonIsNumber(value->type) && isnan(PgBsonDoubleOf(value));
}

/* Add the area below the line from the last point to this one; a point with a NaN has none */
static void
add_area(Moments *state, const PgBsonValue *x, const PgBsonValue *y)
{
	PgBsonValue x0 = {state->types[0], state->lens[0], state->last[0]};
	PgBsonValue y0 = {state->types[1], state->lens[1], state->last[1]};
	PgBsonValue two = PgBsonMakeDouble(2);
	PgBsonValue area;

	if (is_nan(&x0) || is_nan(&y0) || is_nan(x) || is_nan(y))
		return;
	x0 = PgBsonExprSubtract(x, &x0);
	y0 = PgBsonExprAdd(y, &y0);
	area = PgBsonExprMultiply(&y0, &x0);
	area = PgBsonExprDivide(&area, &two);
	PgBsonSumAdd(&state->sum, &area);
}

/* SQL: bson_integral_transfn(internal, x bson, y bson, unit text) returns internal */
PG_FUNCTION_INFO_V1(pgbson_integral_transfn);
Datum
pgbson_integral_transfn(PG_FUNCTION_ARGS)
{
	Moments    *state = moments_state(fcinfo);
	PgBsonValue point[2] = {value_or_null_argument(fcinfo, 1), value_or_null_argument(fcinfo, 2)};
	const PgBsonUnit *unit = NULL;

	if (!PG_ARGISNULL(3))
		unit = PgBsonFixedUnit(VARDATA_ANY(PG_GETARG_TEXT_PP(3)), VARSIZE_ANY_EXHDR(PG_GETARG_TEXT_PP(3)));
	PgBsonRangeCheck(&point[0], unit);
	PgBsonRangeCheck(&point[1], NULL);
	state->unit = unit == NULL ? 0 : unit->ms;
	if (state->count++ > 0)
		add_area(state, &point[0], &point[1]);
	state->nans += is_nan(&point[0]) || is_nan(&point[1]);
	for (int i = 0; i < 2; i++)
	{
		state->types[i] = point[i].type;
		state->lens[i] = point[i].len;
		memcpy(state->last[i], point[i].data, point[i].len);
	}
	PG_RETURN_POINTER(state);
}

/* SQL: bson_integral_finalfn(internal) returns bson */
PG_FUNCTION_INFO_V1(pgbson_integral_finalfn);
Datum
pgbson_integral_finalfn(PG_FUNCTION_ARGS)
{
	Moments    *state = moments_argument(fcinfo);
	uint8		room[PGBSON_DECIMAL128_SIZE];
	PgBsonValue result;
	PgBsonValue unit;

	if (state == NULL)
		PG_RETURN_NULL();
	result = state->nans > 0 ? PgBsonMakeDouble(get_float8_nan()) : PgBsonSumTotal(&state->sum, room);
	if (state->unit > 0 && state->nans == 0)
	{
		unit = PgBsonMakeInt64(state->unit);
		result = PgBsonExprDivide(&result, &unit);
	}
	PG_RETURN_PGBSON_P(PgBsonFromValue(&result));
}

/* What a pair with an infinity or NaN adds to the sum of products, as in MongoDB: an infinity or NaN */
static PgBsonValue
infinite_product(const PgBsonValue *x, const PgBsonValue *y)
{
	double		a = PgBsonNumberIsFinite(x) ? 0 : PgBsonDoubleOf(x);
	double		b = PgBsonNumberIsFinite(y) ? 0 : PgBsonDoubleOf(y);
	uint8		decimal[PGBSON_DECIMAL128_SIZE];
	PgBsonValue value = PgBsonMakeDouble(a + b);

	if (x->type != PGBSON_DECIMAL128 && y->type != PGBSON_DECIMAL128)
		return value;
	PgBsonNumberToDecimal(&value, decimal);
	return PgBsonMakeDecimal(decimal);
}

/* SQL: bson_covar_transfn(internal, x bson, y bson) returns internal */
PG_FUNCTION_INFO_V1(pgbson_covar_transfn);
Datum
pgbson_covar_transfn(PG_FUNCTION_ARGS)
{
	Moments    *state = moments_state(fcinfo);
	PgBsonValue x = value_or_null_argument(fcinfo, 1);
	PgBsonValue y = value_or_null_argument(fcinfo, 2);
	uint8		room[PGBSON_DECIMAL128_SIZE];
	PgBsonValue mean;
	PgBsonValue product;

	if (!PgBsonIsNumber(x.type) || !PgBsonIsNumber(y.type))
		PG_RETURN_POINTER(state);
	if (!PgBsonNumberIsFinite(&x) || !PgBsonNumberIsFinite(&y))
	{
		product = infinite_product(&x, &y);
		PgBsonSumAdd(&state->sum, &product);
		PG_RETURN_POINTER(state);
	}
	/* the product has the mean of x without this pair, and the mean of y with it (Welford's method) */
	product = PgBsonNull;
	if (state->count++ > 0)
	{
		mean = PgBsonSumMean(&state->x, room);
		product = PgBsonExprSubtract(&x, &mean);
	}
	PgBsonSumAdd(&state->x, &x);
	PgBsonSumAdd(&state->y, &y);
	if (product.type != PGBSON_NULL)
	{
		mean = PgBsonSumMean(&state->y, room);
		y = PgBsonExprSubtract(&y, &mean);
		product = PgBsonExprMultiply(&product, &y);
		PgBsonSumAdd(&state->sum, &product);
	}
	PG_RETURN_POINTER(state);
}

/* The final function: the sum of the products divided by the number of pairs less "less", 0 or, for a sample, 1 */
static Datum
covariance(FunctionCallInfo fcinfo, int less)
{
	Moments    *state = moments_argument(fcinfo);
	uint8		room[PGBSON_DECIMAL128_SIZE];
	PgBsonValue result;
	PgBsonValue divisor;

	if (state == NULL || state->count - less <= 0)
		PG_RETURN_NULL();
	result = PgBsonSumTotal(&state->sum, room);
	divisor = PgBsonMakeDouble((double) (state->count - less));
	if (state->count == 1)
		result = PgBsonMakeInt32(0);
	result = PgBsonExprDivide(&result, &divisor);
	PG_RETURN_PGBSON_P(PgBsonFromValue(&result));
}

/* SQL: bson_covar_pop_finalfn(internal) returns bson */
PGBSON_DOOR(pgbson_covar_pop_finalfn, covariance(fcinfo, 0));

/* SQL: bson_covar_samp_finalfn(internal) returns bson */
PGBSON_DOOR(pgbson_covar_samp_finalfn, covariance(fcinfo, 1));
