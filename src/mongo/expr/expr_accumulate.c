/*
 * expr_accumulate.c
 *	  Expressions: the greatest, the least, sums, means and deviations of several values.
 *
 * The values are the arguments, or the elements of a single one that is an array.
 *
 * The authority is MongoDB's src/mongo/db/pipeline/accumulator_sum.cpp and its
 * neighbours, as ExpressionFromAccumulator calls them.
 */
#include "mongo/expr/expr.h"

#include <math.h>

#include "core/number/sum.h"
#include "core/order/compare.h"
#include "miscadmin.h"

/* The values of one argument that is an array, or of all of them */
static PgBsonValue *
values_of(PgBsonExprRun *run, const PgBsonExpr *e, int *count)
{
	PgBsonValue *values;

	check_stack_depth();
	if (e->nargs == 1)
	{
		PgBsonValue value = PgBsonExprArg(run, e, 0);

		if (value.type == PGBSON_ARRAY)
			return PgBsonExprElements(&value, count);
		values = palloc(sizeof(PgBsonValue));
		values[0] = value;
		*count = 1;
		return values;
	}
	values = palloc_extended(Max(e->nargs, 1) * sizeof(PgBsonValue), MCXT_ALLOC_HUGE);
	for (int i = 0; i < e->nargs; i++)
		values[i] = PgBsonExprArg(run, e, i);
	*count = e->nargs;
	return values;
}

/* $max and $min, op->code being 1 and -1: null and missing values do not count; null if there are no others */
static PgBsonValue
eval_extreme(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonValue best = PgBsonExprNull();
	int			count;
	PgBsonValue *values = values_of(run, e, &count);

	for (int i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (PgBsonIsNothing(&values[i]))
			continue;
		if (best.type == PGBSON_NULL || PgBsonCompare(&values[i], &best) * e->op->code > 0)
			best = values[i];
	}
	return best;
}

/* "doubles": integers are added as doubles, as the server's $avg does in an expression, though not in $group */
static PgBsonSum
sum_of(PgBsonExprRun *run, const PgBsonExpr *e, bool doubles)
{
	PgBsonSum	sum;
	int			count;
	PgBsonValue *values = values_of(run, e, &count);

	PgBsonSumInit(&sum);
	for (int i = 0; i < count; i++)
	{
		PgBsonValue value = values[i];
		uint8		room[sizeof(double)];

		CHECK_FOR_INTERRUPTS();
		if (doubles && PgBsonIsInteger(value.type))
		{
			PgBsonWriteDouble(room, (double) PgBsonIntegerOf(&value));
			value = (PgBsonValue) {PGBSON_DOUBLE, sizeof(room), room};
		}
		PgBsonSumAdd(&sum, &value);
	}
	return sum;
}

static PgBsonValue
eval_sum(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonSum	sum = sum_of(run, e, false);

	return PgBsonSumTotal(&sum, palloc(PGBSON_DECIMAL128_SIZE));
}

static PgBsonValue
eval_avg(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonSum	sum = sum_of(run, e, true);

	if (PgBsonSumCount(&sum) == 0)
		return PgBsonExprNull();
	return PgBsonSumMean(&sum, palloc(PGBSON_DECIMAL128_SIZE));
}

/* $stdDevPop and $stdDevSamp, by Welford's method in doubles */
static PgBsonValue
eval_deviation(PgBsonExprRun *run, const PgBsonExpr *e)
{
	int			count;
	PgBsonValue *values = values_of(run, e, &count);
	int64		n = 0;
	double		mean = 0;
	double		squares = 0;

	for (int i = 0; i < count; i++)
	{
		bool		exact;
		double		x;
		double		delta;

		CHECK_FOR_INTERRUPTS();
		if (!PgBsonIsNumber(values[i].type))
			continue;
		x = PgBsonNumberToDouble(&values[i], &exact);
		delta = x - mean;
		n++;
		if (delta != 0)
		{
			mean += delta / (double) n;
			squares += delta * (x - mean);
		}
	}
	n -= e->op->code;
	return n <= 0 ? PgBsonExprNull() : PgBsonExprDouble(sqrt(squares / (double) n));
}

/* $maxN and $minN: the arguments are n and input; null and what is missing do not count */
static PgBsonValue
eval_extremes(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonValue n = PgBsonExprArg(run, e, 0);
	PgBsonValue array = PgBsonExprArg(run, e, 1);
	int64		wanted = PgBsonExprToInt64(e, &n);
	PgBsonValue *values;
	PgBsonExprMaker maker;
	int			count;
	int			kept = 0;

	if (wanted <= 0)
		PgBsonExprWrongValue(e, gettext_noop("\"n\" must be positive."));
	PgBsonExprNeedArray(e, &array);
	values = PgBsonExprElements(&array, &count);
	for (int i = 0; i < count; i++)
	{
		if (!PgBsonIsNothing(&values[i]))
			values[kept++] = values[i];
	}
	PgBsonSortValues(values, kept);
	PgBsonExprOpen(&maker, 0);
	for (int i = 0; i < kept && i < wanted; i++)
		PgBsonExprPush(&maker, &values[e->op->code > 0 ? kept - 1 - i : i]);
	return PgBsonExprClose(&maker, PGBSON_ARRAY);
}

const PgBsonExprOp PgBsonExprAccumulate[] = {
	{"$max", 0, -1, eval_extreme, 1},
	{"$min", 0, -1, eval_extreme, -1},
	{"$sum", 0, -1, eval_sum},
	{"$avg", 0, -1, eval_avg},
	{"$stdDevPop", 0, -1, eval_deviation, 0},
	{"$stdDevSamp", 0, -1, eval_deviation, 1},
	{"$maxN", 0, 0, eval_extremes, 1, "n! input!"},
	{"$minN", 0, 0, eval_extremes, -1, "n! input!"},
	{NULL}
};
