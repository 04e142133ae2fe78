/*
 * expr_accumulate.c
 *	  Expressions: the greatest, the least, sums, means, deviations and percentiles of several values.
 *
 * The values are the arguments, or the elements of a single one that is an array.
 * Percentiles are of numbers as doubles.  The server calls its method
 * "approximate", but for an expression it takes the value of the exact rank.
 *
 * The authority is MongoDB's src/mongo/db/pipeline/accumulator_sum.cpp and its
 * neighbours, as ExpressionFromAccumulator calls them, and
 * percentile_algo_discrete.cpp.
 */
#include "mongo/expr/expr.h"

#include <math.h>

#include "core/bytes/sort.h"
#include "core/number/sum.h"
#include "core/order/compare.h"
#include "mongo/common/options.h"

/* The values: the elements, if there is one argument and it is an array; else all arguments */
static PgBsonValue *
values_of(PgBsonExprRun *run, const PgBsonExpr *e, int *count)
{
	PgBsonValue *values;

	check_stack_depth();
	values = palloc_extended(Max(e->nargs, 1) * sizeof(PgBsonValue), MCXT_ALLOC_HUGE);
	for (int i = 0; i < e->nargs; i++)
		values[i] = PgBsonExprArg(run, e, i);
	if (e->nargs == 1 && values[0].type == PGBSON_ARRAY)
		return PgBsonValuesOf(&values[0], count);
	*count = e->nargs;
	return values;
}

/* $max and $min; op->code is 1 or -1.  Null and missing values do not count; null if there are no others. */
static PgBsonValue
eval_extreme(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonValue best = PgBsonNull;
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

/* The sum of the numbers; "doubles": integers are added as doubles, as $avg does in expressions */
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
		return PgBsonNull;
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
	return n <= 0 ? PgBsonNull : PgBsonMakeDouble(sqrt(squares / (double) n));
}

/* $maxN and $minN: the arguments are n and input; null and missing values do not count */
static PgBsonValue
eval_extremes(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonValue n = PgBsonExprArg(run, e, 0);
	PgBsonValue array = PgBsonExprArg(run, e, 1);
	int64		wanted = PgBsonExprToInt64(e, &n);
	PgBsonValue *values;
	PgBsonWriter maker;
	int			count;
	int			kept = 0;

	if (wanted <= 0)
		PgBsonExprWrongValue(e, gettext_noop("\"n\" must be positive."));
	PgBsonExprNeed(e, &array, 'a');
	values = PgBsonValuesOf(&array, &count);
	for (int i = 0; i < count; i++)
	{
		if (!PgBsonIsNothing(&values[i]))
			values[kept++] = values[i];
	}
	PgBsonSortValues(values, kept);
	PgBsonWriterBegin(&maker, 0);
	for (int i = 0; i < kept && i < wanted; i++)
		PgBsonWriterPush(&maker, &values[e->op->code > 0 ? kept - 1 - i : i]);
	return PgBsonWriterEnd(&maker, PGBSON_ARRAY);
}

/* --- $median and $percentile --- */

/* The numbers of the arguments */
enum
{
	INPUT, METHOD, P
};

static void
check_fractions(const PgBsonExpr *e, const PgBsonValue *p)
{
	bool		valid = p->type == PGBSON_ARRAY && p->len > PGBSON_MIN_SIZE;

	if (valid)
	{
		PgBsonForEach(iter, PgBsonValueView(p))
			valid &= PgBsonIsNumber(iter.value.type) && !(PgBsonDoubleOf(&iter.value) < 0) &&
				!(PgBsonDoubleOf(&iter.value) > 1);
	}
	if (!valid)
		PgBsonExprBadOperand(e, gettext_noop("\"p\" must be an array of numbers from 0 to 1."));
}

/* Does the expression read the document? */
static bool
reads_root(const PgBsonExpr *e)
{
	check_stack_depth();
	if (e->eval == PgBsonExprEvalPath && e->slot == 0)
		return true;
	for (int i = 0; i < e->nargs; i++)
	{
		if (e->args[i] != NULL && reads_root(e->args[i]))
			return true;
	}
	return false;
}

/* "p" is checked when the expression is parsed, or if it has variables, when it is evaluated */
static void
parse_quantile(PgBsonExprParser *parser, PgBsonExpr *e, const PgBsonValue *operand)
{
	PgBsonValue method;
	PgBsonValue p;

	PgBsonExprParseNamed(parser, e, operand);
	/* "method" is a string in the operator's document, not an expression */
	if (!PgBsonFindField(operand, "method", &method) || !PgBsonOptionIs(&method, "approximate"))
		PgBsonExprBadOperand(e, gettext_noop("\"method\" must be \"approximate\"."));
	if (e->nargs <= P)
		return;
	if (reads_root(e->args[P]))
		PgBsonExprBadOperand(e, gettext_noop("\"p\" must be constant."));
	if (!PgBsonExprIsConstant(e->args[P]))
		return;
	/* a constant expression needs no variables */
	p = PgBsonExprArg(NULL, e, P);
	check_fractions(e, &p);
}

static int
compare_doubles(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return (x > y) - (x < y);
}

/* The numbers of the input, without NaN, sorted */
static double *
samples_of(const PgBsonValue *input, int *count)
{
	double	   *samples;
	PgBsonValue *elements;
	int			n;

	*count = 0;
	if (PgBsonIsNumber(input->type))
	{
		samples = palloc(sizeof(double));
		samples[(*count)++] = PgBsonDoubleOf(input);
		return samples;
	}
	if (input->type != PGBSON_ARRAY)
		return NULL;
	elements = PgBsonValuesOf(input, &n);
	samples = palloc_extended(Max(n, 1) * sizeof(double), MCXT_ALLOC_HUGE);
	for (int i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (PgBsonIsNumber(elements[i].type) && !isnan(PgBsonDoubleOf(&elements[i])))
			samples[(*count)++] = PgBsonDoubleOf(&elements[i]);
	}
	pfree(elements);
	PgBsonSort(samples, *count, sizeof(double), compare_doubles);
	return samples;
}

/* The number at the rank for the fraction p; null if there are no numbers */
static PgBsonValue
quantile(const double *samples, int count, double p)
{
	double		rank = ceil(p * count) - 1;

	if (count == 0)
		return PgBsonNull;
	if (!(p < 1))
		return PgBsonMakeDouble(samples[count - 1]);
	return PgBsonMakeDouble(samples[rank < 0 ? 0 : (int) Min(rank, count - 1)]);
}

static PgBsonValue
eval_quantile(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonValue input = PgBsonExprArg(run, e, INPUT);
	PgBsonValue p;
	PgBsonWriter maker;
	int			count;
	double	   *samples = samples_of(&input, &count);

	if (e->nargs <= P)
		return quantile(samples, count, 0.5);
	p = PgBsonExprArg(run, e, P);
	if (!PgBsonExprIsConstant(e->args[P]))
		check_fractions(e, &p);
	PgBsonWriterBegin(&maker, 0);
	PgBsonForEach(iter, PgBsonValueView(&p))
	{
		PgBsonValue value = quantile(samples, count, PgBsonDoubleOf(&iter.value));

		PgBsonWriterPush(&maker, &value);
	}
	return PgBsonWriterEnd(&maker, PGBSON_ARRAY);
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
	{"$median", 0, 0, eval_quantile, 0, "input! method!", parse_quantile},
	{"$percentile", 0, 0, eval_quantile, 0, "input! method! p!", parse_quantile},
	{NULL}
};
