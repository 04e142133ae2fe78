/*
 * expr_quantile.c
 *	  Expressions: $median and $percentile.
 *
 * The values are numbers, as doubles.  The server calls its method
 * "approximate", but for an expression it takes the value of the exact rank.
 *
 * The authority is MongoDB's src/mongo/db/pipeline/percentile_algo_discrete.cpp.
 */
#include "mongo/expr/expr.h"

#include <math.h>

#include "core/bytes/sort.h"
#include "core/bytes/value.h"
#include "core/find/path.h"
#include "core/number/number.h"
#include "miscadmin.h"

/* The arguments, in this order */
enum
{
	INPUT, METHOD, P
};

/* The method is a string in the operator's document, not an expression */
static void
check_method(const PgBsonExpr *e, const PgBsonValue *operand)
{
	PgBsonValue method;
	const char *s;
	uint32		len;

	if (PgBsonFindKey(PgBsonValueView(operand), "method", strlen("method"), &method) &&
		method.type == PGBSON_STRING)
	{
		s = PgBsonValueString(&method, &len);
		if (PgBsonKeyIs(s, len, "approximate"))
			return;
	}
	PgBsonExprBadOperand(e, gettext_noop("\"method\" must be \"approximate\"."));
}

/* "p", if the operator has it, must be known now */
static void
parse_quantile(PgBsonExprParser *parser, PgBsonExpr *e, const PgBsonValue *operand)
{
	PgBsonValue p;
	bool		any = false;

	PgBsonExprParseNamed(parser, e, operand);
	check_method(e, operand);
	if (e->nargs <= P)
		return;
	if (!PgBsonExprIsConstant(e->args[P]))
		PgBsonExprBadOperand(e, gettext_noop("\"p\" must be constant."));
	/* what is constant needs no variables */
	p = PgBsonExprArg(NULL, e, P);
	if (p.type == PGBSON_ARRAY)
	{
		PgBsonForEach(iter, PgBsonValueView(&p))
		{
			any = true;
			if (!PgBsonIsNumber(iter.value.type) || PgBsonDoubleOf(&iter.value) < 0 || PgBsonDoubleOf(&iter.value) > 1)
				PgBsonExprBadOperand(e, gettext_noop("\"p\" must be an array of numbers from 0 to 1."));
		}
	}
	if (!any)
		PgBsonExprBadOperand(e, gettext_noop("\"p\" must be an array of numbers from 0 to 1."));
}

static int
compare_doubles(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return (x > y) - (x < y);
}

/* The numbers of the input but NaN, sorted */
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
	elements = PgBsonExprElements(input, &n);
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

/* The sample whose rank is p of all; null where there are no samples */
static PgBsonValue
quantile(const double *samples, int count, double p)
{
	double		rank = ceil(p * count) - 1;

	if (count == 0)
		return PgBsonExprNull();
	if (!(p < 1))
		return PgBsonExprDouble(samples[count - 1]);
	return PgBsonExprDouble(samples[rank < 0 ? 0 : (int) Min(rank, count - 1)]);
}

static PgBsonValue
eval_quantile(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonValue input = PgBsonExprArg(run, e, INPUT);
	PgBsonValue p;
	PgBsonExprMaker maker;
	int			count;
	double	   *samples = samples_of(&input, &count);

	if (e->nargs <= P)
		return quantile(samples, count, 0.5);
	p = PgBsonExprArg(run, e, P);
	PgBsonExprOpen(&maker, 0);
	PgBsonForEach(iter, PgBsonValueView(&p))
	{
		PgBsonValue value = quantile(samples, count, PgBsonDoubleOf(&iter.value));

		PgBsonExprPush(&maker, &value);
	}
	return PgBsonExprClose(&maker, PGBSON_ARRAY);
}

const PgBsonExprOp PgBsonExprQuantile[] = {
	{"$median", 0, 0, eval_quantile, 0, "input! method!", parse_quantile},
	{"$percentile", 0, 0, eval_quantile, 0, "input! method! p!", parse_quantile},
	{NULL}
};
