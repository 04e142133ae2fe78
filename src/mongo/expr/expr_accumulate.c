/*
 * expr_accumulate.c
 *	  Expressions: the greatest, the least, sums, means and deviations of several values.
 *
 * The values are the arguments, or the elements of a single one that is an array.
 */
#include "mongo/expr/expr.h"

#include <math.h>

#include "common/int.h"
#include "core/number/decimal_from.h"
#include "core/number/decimal_math.h"
#include "core/order/compare.h"
#include "miscadmin.h"

/* A sum in the making, by type; that of doubles keeps what rounding loses */
typedef struct Sum
{
	PgBsonType	widest;
	int64		integers;
	double		doubles;
	double		lost;
	uint8		decimals[PGBSON_DECIMAL128_SIZE];
	int64		count;
	bool		of_doubles;		/* integers are added as doubles, as $avg does */
} Sum;

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

static void
add_double(Sum *sum, double d)
{
	double		total = sum->doubles + d;

	if (isfinite(total))
		sum->lost += fabs(sum->doubles) >= fabs(d) ? (sum->doubles - total) + d : (d - total) + sum->doubles;
	sum->doubles = total;
}

static void
add_number(Sum *sum, const PgBsonValue *number)
{
	int64		n;
	int64		total;

	sum->count++;
	if (number->type == PGBSON_DECIMAL128)
	{
		PgBsonDecimalAdd(sum->decimals, number->data, sum->decimals);
		sum->widest = PGBSON_DECIMAL128;
		return;
	}
	if (number->type == PGBSON_DOUBLE)
	{
		add_double(sum, PgBsonReadDouble(number->data));
		if (sum->widest != PGBSON_DECIMAL128)
			sum->widest = PGBSON_DOUBLE;
		return;
	}
	if (sum->of_doubles)
	{
		add_double(sum, (double) PgBsonIntegerOf(number));
		return;
	}
	n = PgBsonIntegerOf(number);
	if (number->type == PGBSON_INT64 && sum->widest == PGBSON_INT32)
		sum->widest = PGBSON_INT64;
	if (pg_add_s64_overflow(sum->integers, n, &total))
	{
		add_double(sum, (double) sum->integers);
		add_double(sum, (double) n);
		sum->integers = 0;
		if (sum->widest != PGBSON_DECIMAL128)
			sum->widest = PGBSON_DOUBLE;
	}
	else
		sum->integers = total;
}

static Sum
sum_of(PgBsonExprRun *run, const PgBsonExpr *e, bool of_doubles)
{
	static const uint8 zero[4] = {0, 0, 0, 0};
	const PgBsonValue nothing = {PGBSON_INT32, 4, zero};
	Sum			sum = {PGBSON_INT32};
	int			count;
	PgBsonValue *values = values_of(run, e, &count);

	sum.of_doubles = of_doubles;
	PgBsonNumberToDecimal(&nothing, sum.decimals);
	for (int i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (PgBsonIsNumber(values[i].type))
			add_number(&sum, &values[i]);
	}
	return sum;
}

static double
double_total(const Sum *sum)
{
	return sum->doubles + (isfinite(sum->doubles) ? sum->lost : 0) + (double) sum->integers;
}

/* All of it as a decimal, in place */
static void
decimal_total(Sum *sum)
{
	uint8		decimal[PGBSON_DECIMAL128_SIZE];
	PgBsonValue part = PgBsonExprInt64(sum->integers);

	PgBsonNumberToDecimal(&part, decimal);
	PgBsonDecimalAdd(sum->decimals, decimal, sum->decimals);
	if (sum->doubles == 0 && sum->lost == 0)
		return;
	PgBsonDecimalFromDouble(sum->doubles, decimal);
	PgBsonDecimalAdd(sum->decimals, decimal, sum->decimals);
	if (!isfinite(sum->doubles) || sum->lost == 0)
		return;
	PgBsonDecimalFromDouble(sum->lost, decimal);
	PgBsonDecimalAdd(sum->decimals, decimal, sum->decimals);
}

static PgBsonValue
eval_sum(PgBsonExprRun *run, const PgBsonExpr *e)
{
	Sum			sum = sum_of(run, e, false);

	switch (sum.widest)
	{
		case PGBSON_INT32:
			return PgBsonExprInteger(sum.integers);
		case PGBSON_INT64:
			return PgBsonExprInt64(sum.integers);
		case PGBSON_DOUBLE:
			return PgBsonExprDouble(double_total(&sum));
		default:
			decimal_total(&sum);
			return PgBsonExprDecimal(sum.decimals);
	}
}

static PgBsonValue
eval_avg(PgBsonExprRun *run, const PgBsonExpr *e)
{
	Sum			sum = sum_of(run, e, true);
	uint8		count[PGBSON_DECIMAL128_SIZE];
	PgBsonValue n;

	if (sum.count == 0)
		return PgBsonExprNull();
	if (sum.widest != PGBSON_DECIMAL128)
		return PgBsonExprDouble(double_total(&sum) / (double) sum.count);
	decimal_total(&sum);
	n = PgBsonExprInt64(sum.count);
	PgBsonNumberToDecimal(&n, count);
	PgBsonDecimalDivide(sum.decimals, count, sum.decimals);
	return PgBsonExprDecimal(sum.decimals);
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

static const PgBsonExprOp ops[] = {
	{"$max", 0, -1, eval_extreme, 1},
	{"$min", 0, -1, eval_extreme, -1},
	{"$sum", 0, -1, eval_sum},
	{"$avg", 0, -1, eval_avg},
	{"$stdDevPop", 0, -1, eval_deviation, 0},
	{"$stdDevSamp", 0, -1, eval_deviation, 1},
	{"$maxN", 0, 0, eval_extremes, 1, "n! input!"},
	{"$minN", 0, 0, eval_extremes, -1, "n! input!"}
};

const PgBsonExprTable PgBsonExprAccumulate = {ops, lengthof(ops)};
