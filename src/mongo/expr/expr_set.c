/*
 * expr_set.c
 *	  Expressions: arrays as sets, by sorting; true elements.
 *
 * The authority is MongoDB's src/mongo/db/exec/expression/evaluate_array.cpp.
 */
#include "mongo/expr/expr.h"

#include "core/order/compare.h"

enum
{
	ALL, ANY
};

/* The elements sorted, without duplicates; the order of an array does not matter to sets */
static PgBsonValue *
sorted_elements(const PgBsonValue *array, int *count)
{
	PgBsonValue *elements = PgBsonValuesOf(array, count);

	*count = PgBsonSortDistinct(elements, *count);
	return elements;
}

static PgBsonValue
eval_union(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonValue all = PgBsonExprConcatArrays(run, e);
	PgBsonValue *elements;
	int			count;

	if (PgBsonIsNothing(&all))
		return all;
	elements = sorted_elements(&all, &count);
	return PgBsonMakeArray(elements, count);
}

/* $setIntersection: the values are sorted; null if an argument is null or missing */
static PgBsonValue
eval_intersection(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonValue *common = NULL;
	int			count = 0;

	check_stack_depth();
	for (int i = 0; i < e->nargs; i++)
	{
		PgBsonValue array;
		PgBsonValue *other;
		int			n;
		int			kept = 0;

		if (!PgBsonExprTake(run, e, i, 'a', &array))
			return PgBsonNull;
		other = sorted_elements(&array, &n);
		if (i == 0)
		{
			common = other;
			count = n;
			continue;
		}
		for (int j = 0; j < count; j++)
		{
			CHECK_FOR_INTERRUPTS();
			if (PgBsonIsAmong(other, n, &common[j]))
				common[kept++] = common[j];
		}
		count = kept;
	}
	return PgBsonMakeArray(common, count);
}

/* $setDifference: the elements of the first array that the second lacks, in order, each once */
static PgBsonValue
difference(const PgBsonExpr *e, const PgBsonValue *args)
{
	int			nwithout;
	int			ndistinct;
	PgBsonValue *without = sorted_elements(&args[1], &nwithout);
	PgBsonValue *distinct = sorted_elements(&args[0], &ndistinct);
	bool	   *seen = palloc0(Max(ndistinct, 1));
	PgBsonWriter maker;

	PgBsonWriterBegin(&maker, 0);
	PgBsonForEach(iter, PgBsonValueView(&args[0]))
	{
		PgBsonValue *at = bsearch(&iter.value, distinct, ndistinct, sizeof(PgBsonValue), PgBsonCompareSorted);

		if (seen[at - distinct] || PgBsonIsAmong(without, nwithout, &iter.value))
			continue;
		seen[at - distinct] = true;
		PgBsonWriterPush(&maker, &iter.value);
	}
	return PgBsonWriterEnd(&maker, PGBSON_ARRAY);
}

/* $setEquals: do all arrays have the same elements, however often? */
static PgBsonValue
eval_equals(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonValue *first = NULL;
	int			count = 0;
	bool		equal = true;

	for (int i = 0; i < e->nargs; i++)
	{
		PgBsonValue array = PgBsonExprArg(run, e, i);
		PgBsonValue *other;
		int			n;

		PgBsonExprNeed(e, &array, 'a');
		other = sorted_elements(&array, &n);
		if (i == 0)
		{
			first = other;
			count = n;
			continue;
		}
		equal = equal && n == count;
		for (int j = 0; j < n && equal; j++)
			equal = PgBsonEqual(&first[j], &other[j]);
	}
	return PgBsonMakeBool(equal);
}

static PgBsonValue
is_subset(const PgBsonExpr *e, const PgBsonValue *args)
{
	int			count;
	PgBsonValue *all = sorted_elements(&args[1], &count);

	PgBsonForEach(iter, PgBsonValueView(&args[0]))
	{
		if (!PgBsonIsAmong(all, count, &iter.value))
			return PgBsonMakeBool(false);
	}
	return PgBsonMakeBool(true);
}

/* $allElementsTrue, $anyElementTrue */
static PgBsonValue
elements_true(const PgBsonExpr *e, const PgBsonValue *args)
{
	bool		any = e->op->code == ANY;

	PgBsonForEach(iter, PgBsonValueView(&args[0]))
	{
		if (PgBsonExprIsTrue(&iter.value) == any)
			return PgBsonMakeBool(any);
	}
	return PgBsonMakeBool(!any);
}

const PgBsonExprOp PgBsonExprSet[] = {
	{"$setUnion", 0, -1, eval_union},
	{"$setIntersection", 0, -1, eval_intersection},
	PGBSON_EXPR_SIMPLE("$setDifference", "aa", difference, 0),
	{"$setEquals", 2, -1, eval_equals},
	PGBSON_EXPR_SIMPLE("$setIsSubset", "AA", is_subset, 0),
	PGBSON_EXPR_SIMPLE("$allElementsTrue", "A", elements_true, ALL),
	PGBSON_EXPR_SIMPLE("$anyElementTrue", "A", elements_true, ANY),
	{NULL}
};
