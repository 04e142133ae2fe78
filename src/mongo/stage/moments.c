/*
 * moments.c
 *	  Arithmetic of window functions.
 */
#include "mongo/stage/moments.h"

#include <math.h>

#include "core/number/decimal.h"
#include "utils/float.h"

void
PgBsonHold(PgBsonHeldNumber *held, const PgBsonValue *value)
{
	Assert(value->len <= sizeof(held->bytes));
	held->type = value->type;
	held->len = value->len;
	memcpy(held->bytes, value->data, value->len);
}

static bool
is_nan(const PgBsonValue *value)
{
	return PgBsonIsNumber(value->type) && isnan(PgBsonDoubleOf(value));
}

/* Add the area below the line from the last point to this one; a point with a NaN has none */
static void
add_area(PgBsonMoments *state, const PgBsonValue *x, const PgBsonValue *y)
{
	PgBsonValue x0 = PgBsonHeldValue(&state->last.x);
	PgBsonValue y0 = PgBsonHeldValue(&state->last.y);
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

void
PgBsonIntegralAdd(PgBsonMoments *state, const PgBsonValue *x, const PgBsonValue *y, const PgBsonUnit *unit)
{
	PgBsonRangeCheck(x, unit);
	PgBsonRangeCheck(y, NULL);
	state->unit = unit == NULL ? 0 : unit->ms;
	if (state->count++ > 0)
		add_area(state, x, y);
	state->nans += is_nan(x) || is_nan(y);
	PgBsonHold(&state->last.x, x);
	PgBsonHold(&state->last.y, y);
}

PgBsonValue
PgBsonIntegralResult(const PgBsonMoments *state)
{
	uint8		room[PGBSON_DECIMAL128_SIZE];
	PgBsonValue result = PgBsonSumTotal(&state->sum, room);
	PgBsonValue unit = PgBsonMakeInt64(state->unit);

	if (state->nans > 0)
		return PgBsonMakeDouble(get_float8_nan());
	return state->unit > 0 ? PgBsonExprDivide(&result, &unit) : PgBsonMakeBytes(result.type, result.data, result.len);
}

/* What a pair with an infinity or NaN adds to the sum of products, as in MongoDB: an infinity or NaN */
static PgBsonValue
infinite_product(const PgBsonValue *x, const PgBsonValue *y)
{
	double		a = PgBsonNumberIsFinite(x) ? 0 : PgBsonDoubleOf(x);
	double		b = PgBsonNumberIsFinite(y) ? 0 : PgBsonDoubleOf(y);
	PgBsonValue value = PgBsonMakeDouble(a + b);

	return x->type != PGBSON_DECIMAL128 && y->type != PGBSON_DECIMAL128 ? value : PgBsonExprDecimal(&value);
}

void
PgBsonCovarianceAdd(PgBsonMoments *state, const PgBsonValue *x, const PgBsonValue *y)
{
	uint8		room[PGBSON_DECIMAL128_SIZE];
	PgBsonValue mean;
	PgBsonValue product;

	if (!PgBsonIsNumber(x->type) || !PgBsonIsNumber(y->type))
		return;
	if (!PgBsonNumberIsFinite(x) || !PgBsonNumberIsFinite(y))
	{
		product = infinite_product(x, y);
		PgBsonSumAdd(&state->sum, &product);
		return;
	}
	/* the product has the mean of x without this pair, and the mean of y with it (Welford's method) */
	product = PgBsonNull;
	if (state->count++ > 0)
	{
		mean = PgBsonSumMean(&state->x, room);
		product = PgBsonExprSubtract(x, &mean);
	}
	PgBsonSumAdd(&state->x, x);
	PgBsonSumAdd(&state->y, y);
	if (product.type != PGBSON_NULL)
	{
		mean = PgBsonSumMean(&state->y, room);
		mean = PgBsonExprSubtract(y, &mean);
		product = PgBsonExprMultiply(&product, &mean);
		PgBsonSumAdd(&state->sum, &product);
	}
}

PgBsonValue
PgBsonCovarianceResult(const PgBsonMoments *state, int less)
{
	uint8		room[PGBSON_DECIMAL128_SIZE];
	PgBsonValue result;
	PgBsonValue divisor;

	if (state->count - less <= 0)
		return PgBsonMissing;
	result = state->count == 1 ? PgBsonZero : PgBsonSumTotal(&state->sum, room);
	divisor = PgBsonMakeDouble((double) (state->count - less));
	return PgBsonExprDivide(&result, &divisor);
}

void
PgBsonMoveAverage(PgBsonMovingAverage *average, const PgBsonValue *value, const uint8 *alpha)
{
	PgBsonValue weight = {PGBSON_DECIMAL128, PGBSON_DECIMAL128_SIZE, alpha};
	uint8		x[PGBSON_DECIMAL128_SIZE];

	average->decimal |= value->type == PGBSON_DECIMAL128;
	PgBsonNumberToDecimal(value, x);
	if (average->begun)
	{
		PgBsonDecimalMultiply(x, alpha, x);
		weight = PgBsonExprSubtract(&PgBsonOne, &weight);
		PgBsonDecimalMultiply(average->mean, weight.data, average->mean);
		PgBsonDecimalAdd(x, average->mean, x);
	}
	memcpy(average->mean, x, sizeof(x));
	average->begun = true;
}

/* y1 + (x - x1) * (y2 - y1) / (x2 - x1) */
PgBsonValue
PgBsonInterpolate(const PgBsonPoint *before, const PgBsonPoint *behind, const PgBsonValue *x)
{
	PgBsonValue x1 = PgBsonHeldValue(&before->x);
	PgBsonValue y1 = PgBsonHeldValue(&before->y);
	PgBsonValue x2 = PgBsonHeldValue(&behind->x);
	PgBsonValue y2 = PgBsonHeldValue(&behind->y);

	x2 = PgBsonExprSubtract(&x2, &x1);
	y2 = PgBsonExprSubtract(&y2, &y1);
	y2 = PgBsonExprDivide(&y2, &x2);
	x1 = PgBsonExprSubtract(x, &x1);
	y2 = PgBsonExprMultiply(&x1, &y2);
	return PgBsonExprAdd(&y1, &y2);
}
