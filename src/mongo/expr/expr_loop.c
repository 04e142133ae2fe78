/*
 * expr_loop.c
 *	  Expressions: an expression for each element of an array; sorting.
 *
 * Memory that the expression takes for the elements is freed before it gets large, so that a loop
 * takes little more memory than its result.
 *
 * The authority is MongoDB's src/mongo/db/exec/expression/evaluate_map_reduce.cpp,
 * and for $sortArray evaluate_array.cpp.
 */
#include "mongo/expr/expr.h"

#include "core/number/number.h"
#include "mongo/sort/sort_key.h"

/* When the elements' expressions have taken more memory than this, in bytes, it is freed */
#define SCRATCH_SIZE	(256 * 1024)

enum
{
	MAP, FILTER
};

MemoryContext
PgBsonExprScratch(void)
{
	return AllocSetContextCreate(CurrentMemoryContext, "bson expression's loop", ALLOCSET_SMALL_SIZES);
}

void
PgBsonExprScratchTrim(MemoryContext scratch)
{
	if (MemoryContextMemAllocated(scratch, true) > SCRATCH_SIZE)
		MemoryContextReset(scratch);
}

/* Parse $map and $filter: the arguments are input, body, in which "as" is the element, and limit */
static void
parse_each(PgBsonExprParser *parser, PgBsonExpr *e, const PgBsonValue *operand)
{
	bool		filters = e->op->code == FILTER;
	PgBsonValue named[4];		/* input, as, the body, limit */
	const char *name = "this";
	uint32		len = 4;
	int			scope = parser->nscope;

	PgBsonExprReadNamed(e, operand, filters ? "input! as cond! limit" : "input! as in!", named);
	e->nargs = filters && named[3].type != PGBSON_MISSING ? 3 : 2;
	e->args = palloc(3 * sizeof(PgBsonExpr *));
	e->args[0] = PgBsonExprParseOperand(parser, &named[0]);
	if (e->nargs == 3)
		e->args[2] = PgBsonExprParseOperand(parser, &named[3]);
	if (named[1].type != PGBSON_MISSING)
	{
		name = PgBsonExprToString(e, &named[1], &len);
		PgBsonExprCheckVariable(e, name, len);
	}
	e->slot = PgBsonExprDefine(parser, name, len);
	e->args[1] = PgBsonExprParseOperand(parser, &named[2]);
	parser->nscope = scope;
}

/* $map and $filter: null if the input is null or missing */
static PgBsonValue
eval_each(PgBsonExprRun *run, const PgBsonExpr *e)
{
	bool		filters = e->op->code == FILTER;
	PgBsonValue array = PgBsonExprArg(run, e, 0);
	PgBsonValue limit = PgBsonExprArg(run, e, 2);
	int32		left = PG_INT32_MAX;
	MemoryContext scratch;
	MemoryContext old;
	PgBsonWriter maker;

	check_stack_depth();
	if (PgBsonIsNothing(&array))
		return PgBsonNull;
	PgBsonExprNeed(e, &array, 'a');
	if (!PgBsonIsNothing(&limit))
	{
		left = PgBsonExprToInt32(e, &limit);
		if (left <= 0)
			PgBsonExprWrongValue(e, gettext_noop("\"limit\" must be positive."));
	}
	PgBsonExprBegin(&maker, filters ? 0 : array.len, e);
	scratch = PgBsonExprScratch();
	old = MemoryContextSwitchTo(scratch);
	PgBsonForEach(iter, PgBsonValueView(&array))
	{
		PgBsonValue value;

		if (left == 0)
			break;
		run->slots[e->slot] = iter.value;
		value = PgBsonExprArg(run, e, 1);
		if (!filters || PgBsonExprIsTrue(&value))
		{
			PgBsonWriterPush(&maker, filters ? &iter.value : &value);
			left--;
		}
		PgBsonExprScratchTrim(scratch);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(scratch);
	return PgBsonWriterEnd(&maker, PGBSON_ARRAY);
}

/* Parse $reduce: the arguments are input, initialValue and in, which has the variables this and value */
static void
parse_reduce(PgBsonExprParser *parser, PgBsonExpr *e, const PgBsonValue *operand)
{
	PgBsonValue named[3];
	int			scope = parser->nscope;

	PgBsonExprReadNamed(e, operand, "input! initialValue! in!", named);
	e->args = palloc(sizeof(PgBsonExpr *) * lengthof(named));
	for (int i = 0; i < lengthof(named); i++)
	{
		if (i == 2)
		{
			e->slot = PgBsonExprDefine(parser, "this", 4);
			(void) PgBsonExprDefine(parser, "value", 5);
		}
		e->args[e->nargs++] = PgBsonExprParseOperand(parser, &named[i]);
	}
	parser->nscope = scope;
}

/* $reduce: null if the input is null or missing, the initial value if it is empty */
static PgBsonValue
eval_reduce(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonValue array;
	PgBsonValue value;
	MemoryContext scratch;
	MemoryContext old;
	uint8	   *kept = NULL;
	uint8		number[8];

	check_stack_depth();
	if (!PgBsonExprTake(run, e, 0, 'a', &array))
		return PgBsonNull;
	value = PgBsonExprArg(run, e, 1);
	scratch = PgBsonExprScratch();
	PgBsonForEach(iter, PgBsonValueView(&array))
	{
		run->slots[e->slot] = iter.value;
		run->slots[e->slot + 1] = value;
		old = MemoryContextSwitchTo(scratch);
		value = PgBsonExprArg(run, e, 2);
		MemoryContextSwitchTo(old);
		/* the node that calculated it may be evaluated for the next element before the value is read */
		if (value.len > 0 && value.len <= sizeof(number))
			value.data = memmove(number, value.data, value.len);
		else if (value.len > PgBsonMostBytes())
			PgBsonReportMadeTooLarge(e->op->name);
		/* when much memory was taken, copy the value and free the rest */
		if (MemoryContextMemAllocated(scratch, true) > SCRATCH_SIZE + 4 * (Size) value.len)
		{
			uint8	   *previous = kept;

			value = PgBsonMakeBytes(value.type, value.data, value.len);
			kept = (uint8 *) value.data;
			if (previous != NULL)
				pfree(previous);
			MemoryContextReset(scratch);
		}
	}
	value = PgBsonMakeBytes(value.type, value.data, value.len);
	MemoryContextDelete(scratch);
	return value;
}

/* The order of $sortArray, which is e->extra */
typedef struct ArrayOrder
{
	bool		descending[PGBSON_SORT_MAX_PATHS];
	PgBsonSortOrder *fields;	/* NULL: sort by the elements themselves */
} ArrayOrder;

/* Parse $sortArray; the only argument of the node is the input */
static void
parse_sort_array(PgBsonExprParser *parser, PgBsonExpr *e, const PgBsonValue *operand)
{
	ArrayOrder *order = palloc0(sizeof(ArrayOrder));
	PgBsonValue named[2];
	PgBsonValue by;
	int64		direction;

	PgBsonExprReadNamed(e, operand, "input! sortBy!", named);
	by = named[1];
	PgBsonExprParseSingle(parser, e, &named[0]);
	e->extra = order;
	if (by.type == PGBSON_DOCUMENT)
	{
		if (by.len == PGBSON_MIN_SIZE)
			PgBsonExprBadOperand(e, gettext_noop("\"sortBy\" must not be empty."));
		order->fields = PgBsonSortParse(&by);
		for (int i = 0; i < order->fields->npaths; i++)
			order->descending[i] = order->fields->paths[i].descending;
		return;
	}
	if (!PgBsonNumberToInt64(&by, &direction) || (direction != 1 && direction != -1))
		PgBsonExprBadOperand(e, gettext_noop("\"sortBy\" must be 1, -1 or a document of fields with 1 or -1."));
	order->descending[0] = direction < 0;
}

/* The value of an element that the order's key number i compares; a missing field is null */
static PgBsonValue
key_of_element(const PgBsonValue *element, int i, const void *arg)
{
	const ArrayOrder *order = arg;
	PgBsonValue key;

	if (order->fields == NULL)
		return *element;
	return PgBsonFind(*element, order->fields->paths[i].path, order->fields->paths[i].npath, &key) ? key : PgBsonNull;
}

static PgBsonValue
sort_array(const PgBsonExpr *e, const PgBsonValue *args)
{
	const ArrayOrder *order = e->extra;
	int			count;
	PgBsonValue *elements = PgBsonValuesOf(&args[0], &count);

	PgBsonSortByKeys(elements, count, order->fields == NULL ? 1 : order->fields->npaths, order->descending,
					 key_of_element, order);
	return PgBsonMakeArray(elements, count);
}

const PgBsonExprOp PgBsonExprLoop[] = {
	{"$map", 0, 0, eval_each, MAP, NULL, parse_each},
	{"$filter", 0, 0, eval_each, FILTER, NULL, parse_each},
	{"$reduce", 0, 0, eval_reduce, 0, NULL, parse_reduce},
	{"$sortArray", 0, 0, PgBsonExprEvalSimple, 0, NULL, parse_sort_array, NULL, "a", sort_array},
	{NULL}
};
