/*
 * expr_array.c
 *	  Expressions: arrays as wholes.
 *
 * The authority is MongoDB's src/mongo/db/exec/expression/evaluate_array.cpp.
 */
#include "mongo/expr/expr.h"

#include "core/order/compare.h"

static PgBsonValue
is_array(const PgBsonExpr *e, const PgBsonValue *args)
{
	return PgBsonMakeBool(args[0].type == PGBSON_ARRAY);
}

static PgBsonValue
size_of(const PgBsonExpr *e, const PgBsonValue *args)
{
	return PgBsonMakeInt32(PgBsonViewCount(PgBsonValueView(&args[0])));
}

/* The element at an index, which counts from the end if it is negative; a missing value if there is none */
static PgBsonValue
element_at_index(const PgBsonValue *array, int32 index)
{
	PgBsonValue value;

	return PgBsonFindIndex(PgBsonValueView(array), index, &value) ? value : PgBsonMissing;
}

static PgBsonValue
elem_at(const PgBsonExpr *e, const PgBsonValue *args)
{
	return element_at_index(&args[0], PgBsonExprToInt32(e, &args[1]));
}

/* $first and $last */
static PgBsonValue
first_or_last(const PgBsonExpr *e, const PgBsonValue *args)
{
	return element_at_index(&args[0], e->op->code);
}

/* At most "count" elements of the array, from number "from" on */
static PgBsonValue
slice_of(const PgBsonValue *array, int64 from, int64 count)
{
	PgBsonWriter maker;
	PgBsonIter	iter = PgBsonIterBegin(PgBsonValueView(array));

	PgBsonWriterBegin(&maker, 0);
	for (int64 i = 0; i < from + count && PgBsonIterNext(&iter); i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (i >= from)
			PgBsonWriterPush(&maker, &iter.value);
	}
	return PgBsonWriterEnd(&maker, PGBSON_ARRAY);
}

/* $slice of an array: the first n elements (of a negative n the last), or n elements from a position on */
static PgBsonValue
eval_slice(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonValue array = PgBsonExprArg(run, e, 0);
	PgBsonValue second = PgBsonExprArg(run, e, 1);
	PgBsonValue third;
	int64		size;
	int64		from;
	int64		count;

	if (PgBsonIsNothing(&array) || PgBsonIsNothing(&second))
		return PgBsonNull;
	PgBsonExprNeed(e, &array, 'a');
	count = PgBsonExprToInt32(e, &second);
	size = PgBsonViewCount(PgBsonValueView(&array));
	if (e->nargs == 2)
	{
		/* from the end if negative */
		from = count < 0 ? Max(size + count, 0) : 0;
		count = count < 0 ? -count : count;
	}
	else
	{
		from = count < 0 ? Max(size + count, 0) : count;
		third = PgBsonExprArg(run, e, 2);
		if (PgBsonIsNothing(&third))
			return PgBsonNull;
		count = PgBsonExprToInt32(e, &third);
		if (count <= 0)
			PgBsonExprWrongValue(e, gettext_noop("The number of elements must be positive."));
	}
	return slice_of(&array, from, count);
}

/* $firstN and $lastN: the arguments are n and input */
static PgBsonValue
eval_first_n(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonValue n = PgBsonExprArg(run, e, 0);
	PgBsonValue array = PgBsonExprArg(run, e, 1);
	int64		count = PgBsonExprToInt64(e, &n);
	int64		from = 0;

	if (count <= 0)
		PgBsonExprWrongValue(e, gettext_noop("\"n\" must be positive."));
	PgBsonExprNeed(e, &array, 'a');
	count = Min(count, PG_INT32_MAX);
	if (e->op->code != 0)
		from = Max((int64) PgBsonViewCount(PgBsonValueView(&array)) - count, 0);
	return slice_of(&array, from, count);
}

PgBsonValue
PgBsonExprConcatArrays(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonWriter maker;

	check_stack_depth();
	PgBsonExprBegin(&maker, 0, e);
	for (int i = 0; i < e->nargs; i++)
	{
		PgBsonValue array;

		if (!PgBsonExprTake(run, e, i, 'a', &array))
			return PgBsonNull;
		PgBsonForEach(iter, PgBsonValueView(&array))
			PgBsonWriterPush(&maker, &iter.value);
	}
	return PgBsonWriterEnd(&maker, PGBSON_ARRAY);
}

/* $in: a missing value is in no array */
static PgBsonValue
eval_is_in(const PgBsonExpr *e, const PgBsonValue *args)
{
	PgBsonForEach(iter, PgBsonValueView(&args[1]))
	{
		if (args[0].type != PGBSON_MISSING && PgBsonEqual(&iter.value, &args[0]))
			return PgBsonMakeBool(true);
	}
	return PgBsonMakeBool(false);
}

/* $indexOfArray: where the first equal element is, between two positions; -1 if there is none */
static PgBsonValue
eval_index_of_array(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonValue array;
	PgBsonValue value;
	int32		from;
	int32		to;
	PgBsonIter	iter;

	if (!PgBsonExprTake(run, e, 0, 'a', &array))
		return PgBsonNull;
	value = PgBsonExprArg(run, e, 1);
	from = PgBsonExprBound(run, e, 2, 0);
	to = PgBsonExprBound(run, e, 3, PG_INT32_MAX);
	PgBsonIterInit(&iter, PgBsonValueView(&array));
	for (int32 i = 0; i < to && PgBsonIterNext(&iter); i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (i >= from && value.type != PGBSON_MISSING && PgBsonEqual(&iter.value, &value))
			return PgBsonMakeInt32(i);
	}
	return PgBsonMakeInt32(-1);
}

/* $range: ints from the first argument up or down to the second, which is not included */
static PgBsonValue
eval_range(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonValue first = PgBsonExprArg(run, e, 0);
	PgBsonValue last = PgBsonExprArg(run, e, 1);
	PgBsonValue by;
	int64		from = PgBsonExprToInt32(e, &first);
	int64		to = PgBsonExprToInt32(e, &last);
	int64		step = 1;
	PgBsonWriter maker;

	if (e->nargs > 2)
	{
		by = PgBsonExprArg(run, e, 2);
		step = PgBsonExprToInt32(e, &by);
		if (step == 0)
			PgBsonExprWrongValue(e, gettext_noop("The step must not be zero."));
	}
	/* MongoDB counts 16 bytes at least for each element */
	if ((to - from) / step > 0 && (to - from) / step * 16 >= PgBsonMostBytes())
		PgBsonReportMadeTooLarge(e->op->name);
	PgBsonWriterBegin(&maker, 0);
	for (; step > 0 ? from < to : from > to; from += step)
	{
		uint8		bytes[4];

		CHECK_FOR_INTERRUPTS();
		PgBsonWriteU32(bytes, (uint32) from);
		PgBsonWriterPush(&maker, &(PgBsonValue) {PGBSON_INT32, sizeof(bytes), bytes});
	}
	return PgBsonWriterEnd(&maker, PGBSON_ARRAY);
}

static PgBsonValue
reverse(const PgBsonExpr *e, const PgBsonValue *args)
{
	int			count;
	PgBsonValue *elements = PgBsonValuesOf(&args[0], &count);
	PgBsonWriter maker;

	PgBsonWriterBegin(&maker, args[0].len);
	while (--count >= 0)
		PgBsonWriterPush(&maker, &elements[count]);
	return PgBsonWriterEnd(&maker, PGBSON_ARRAY);
}

/* $zip: the arguments are inputs, useLongestLength, defaults; the first and the last are written as arrays */
static void
parse_zip(PgBsonExprParser *parser, PgBsonExpr *e, const PgBsonValue *operand)
{
	PgBsonValue inputs = PgBsonMissing;
	PgBsonValue value;

	PgBsonExprParseNamed(parser, e, operand);
	(void) PgBsonFindField(operand, "inputs", &inputs);
	if (inputs.type != PGBSON_ARRAY || PgBsonIsEmpty(&inputs))
		PgBsonExprBadOperand(e, gettext_noop("\"inputs\" must be an array of at least one expression."));
	if (e->args[1] != NULL && PgBsonFindField(operand, "useLongestLength", &value) && value.type != PGBSON_BOOL)
		PgBsonExprBadOperand(e, gettext_noop("\"useLongestLength\" must be true or false."));
	if (e->args[2] == NULL)
		return;
	if (e->args[1] == NULL || !PgBsonExprIsTrue(&e->args[1]->constant))
		PgBsonExprBadOperand(e, gettext_noop("\"defaults\" goes with \"useLongestLength\"."));
	if (PgBsonFindField(operand, "defaults", &value) &&
		(value.type != PGBSON_ARRAY ||
		 PgBsonViewCount(PgBsonValueView(&value)) != PgBsonViewCount(PgBsonValueView(&inputs))))
		PgBsonExprBadOperand(e, gettext_noop("\"defaults\" must be an array of as many expressions as \"inputs\"."));
}

/* $zip: row number i consists of the elements number i of all inputs; null if an input is null or missing */
static PgBsonValue
eval_zip(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonValue inputs = PgBsonExprArg(run, e, 0);
	PgBsonValue longest = PgBsonExprArg(run, e, 1);
	PgBsonValue defaults = PgBsonExprArg(run, e, 2);
	PgBsonValue *arrays;
	PgBsonValue *fill = NULL;
	PgBsonValue **elements;		/* of each input */
	int		   *counts;
	PgBsonWriter rows;
	int			count;
	int			nrows = 0;

	arrays = PgBsonValuesOf(&inputs, &count);
	if (defaults.type != PGBSON_MISSING)
		fill = PgBsonValuesOf(&defaults, &count);
	elements = palloc_extended(count * sizeof(PgBsonValue *), MCXT_ALLOC_HUGE);
	counts = palloc_extended(count * sizeof(int), MCXT_ALLOC_HUGE);
	for (int i = 0; i < count; i++)
	{
		if (PgBsonIsNothing(&arrays[i]))
			return PgBsonNull;
		PgBsonExprNeed(e, &arrays[i], 'a');
		elements[i] = PgBsonValuesOf(&arrays[i], &counts[i]);
		nrows = i == 0 ? counts[0] : PgBsonExprIsTrue(&longest) ? Max(nrows, counts[i]) : Min(nrows, counts[i]);
	}

	PgBsonExprBegin(&rows, 0, e);
	for (int n = 0; n < nrows; n++)
	{
		PgBsonWriter row;
		PgBsonValue made;

		PgBsonExprBegin(&row, 0, e);
		for (int i = 0; i < count; i++)
		{
			CHECK_FOR_INTERRUPTS();
			PgBsonWriterPush(&row, n < counts[i] ? &elements[i][n] : fill != NULL ? &fill[i] : &PgBsonNull);
		}
		made = PgBsonWriterEnd(&row, PGBSON_ARRAY);
		PgBsonWriterPush(&rows, &made);
	}
	return PgBsonWriterEnd(&rows, PGBSON_ARRAY);
}

const PgBsonExprOp PgBsonExprArray[] = {
	PGBSON_EXPR_SIMPLE("$isArray", "V", is_array, 0),
	PGBSON_EXPR_SIMPLE("$size", "A", size_of, 0),
	PGBSON_EXPR_SIMPLE("$arrayElemAt", "av", elem_at, 0),
	PGBSON_EXPR_SIMPLE("$first", "a", first_or_last, 0),
	PGBSON_EXPR_SIMPLE("$last", "a", first_or_last, -1),
	{"$slice", 2, 3, eval_slice},
	{"$firstN", 2, 2, eval_first_n, 0, "n! input!"},
	{"$lastN", 2, 2, eval_first_n, 1, "n! input!"},
	{"$concatArrays", 0, -1, PgBsonExprConcatArrays},
	PGBSON_EXPR_SIMPLE("$in", "VA", eval_is_in, 0),
	{"$indexOfArray", 2, 4, eval_index_of_array},
	{"$range", 2, 3, eval_range},
	PGBSON_EXPR_SIMPLE("$reverseArray", "a", reverse, 0),
	{"$zip", 1, 3, eval_zip, 0, "inputs! useLongestLength defaults", parse_zip},
	{NULL}
};
