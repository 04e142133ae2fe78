/*
 * expr_loop.c
 *	  Expressions: an expression for each element of an array; sorting.
 *
 * What an element's expression made is released before it grows large, so that
 * a loop takes the memory of its result.
 */
#include "mongo/expr/expr.h"

#include "core/bytes/sort.h"
#include "core/find/path.h"
#include "core/number/number.h"
#include "core/order/compare.h"
#include "miscadmin.h"
#include "mongo/sort/sort_key.h"

/* The memory of the elements' expressions is reset beyond this, in bytes */
#define SCRATCH_SIZE	(256 * 1024)

static MemoryContext
scratch_begin(void)
{
	return AllocSetContextCreate(CurrentMemoryContext, "bson expression's loop", ALLOCSET_SMALL_SIZES);
}

static void
scratch_trim(MemoryContext scratch)
{
	if (MemoryContextMemAllocated(scratch, true) > SCRATCH_SIZE)
		MemoryContextReset(scratch);
}

/* The named arguments of $map and $filter, "as" being the name of a variable for "in", or "cond" */
static void
parse_each(PgBsonExprParser *parser, PgBsonExpr *e, const PgBsonValue *operand)
{
	const char *body = e->op->code == 0 ? "in" : "cond";
	PgBsonValue input;
	PgBsonValue in;
	PgBsonValue limit;
	PgBsonValue as;
	const char *name = "this";
	uint32		len = 4;
	int			scope = PgBsonExprScope(parser);

	if (operand->type != PGBSON_DOCUMENT)
		PgBsonExprBadOperand(e, gettext_noop("A document of named arguments is expected."));
	input = in = limit = as = PgBsonExprMissing();
	PgBsonForEach(iter, PgBsonValueView(operand))
	{
		if (PgBsonIterIs(&iter, "input"))
			input = iter.value;
		else if (PgBsonIterIs(&iter, body))
			in = iter.value;
		else if (PgBsonIterIs(&iter, "as"))
			as = iter.value;
		else if (e->op->code != 0 && PgBsonIterIs(&iter, "limit"))
			limit = iter.value;
		else
			PgBsonExprBadOperand(e, e->op->code == 0 ?
								 gettext_noop("The arguments are \"input\", \"as\" and \"in\".") :
								 gettext_noop("The arguments are \"input\", \"as\", \"cond\" and \"limit\"."));
	}
	if (input.type == PGBSON_MISSING || in.type == PGBSON_MISSING)
		PgBsonExprBadOperand(e, e->op->code == 0 ?
							 gettext_noop("The arguments \"input\" and \"in\" are needed.") :
							 gettext_noop("The arguments \"input\" and \"cond\" are needed."));
	e->nargs = limit.type == PGBSON_MISSING ? 2 : 3;
	e->args = palloc(3 * sizeof(PgBsonExpr *));
	e->args[0] = PgBsonExprParseOperand(parser, &input);
	if (e->nargs == 3)
		e->args[2] = PgBsonExprParseOperand(parser, &limit);
	if (as.type != PGBSON_MISSING)
	{
		name = PgBsonExprToString(e, &as, &len);
		PgBsonExprCheckVariable(e, name, len);
	}
	e->slot = PgBsonExprDefine(parser, name, len);
	e->args[1] = PgBsonExprParseOperand(parser, &in);
	PgBsonExprEndScope(parser, scope);
}

static PgBsonValue
eval_map(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonValue array = PgBsonExprArg(run, e, 0);
	MemoryContext scratch;
	MemoryContext old;
	PgBsonExprMaker maker;

	check_stack_depth();
	if (PgBsonIsNothing(&array))
		return PgBsonExprNull();
	PgBsonExprNeedArray(e, &array);
	PgBsonExprOpen(&maker, array.len);
	scratch = scratch_begin();
	old = MemoryContextSwitchTo(scratch);
	PgBsonForEach(iter, PgBsonValueView(&array))
	{
		PgBsonValue value;

		run->slots[e->slot] = iter.value;
		value = PgBsonExprArg(run, e, 1);
		PgBsonExprPush(&maker, &value);
		scratch_trim(scratch);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(scratch);
	return PgBsonExprClose(&maker, PGBSON_ARRAY);
}

static PgBsonValue
eval_filter(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonValue array = PgBsonExprArg(run, e, 0);
	PgBsonValue limit = PgBsonExprArg(run, e, 2);
	int32		left = PG_INT32_MAX;
	MemoryContext scratch;
	MemoryContext old;
	PgBsonExprMaker maker;
	PgBsonIter	iter;

	check_stack_depth();
	if (PgBsonIsNothing(&array))
		return PgBsonExprNull();
	PgBsonExprNeedArray(e, &array);
	if (!PgBsonIsNothing(&limit))
	{
		left = PgBsonExprToInt32(e, &limit);
		if (left <= 0)
			PgBsonExprWrongValue(e, gettext_noop("\"limit\" must be positive."));
	}
	PgBsonExprOpen(&maker, 0);
	scratch = scratch_begin();
	old = MemoryContextSwitchTo(scratch);
	PgBsonIterInit(&iter, PgBsonValueView(&array));
	while (left > 0 && PgBsonIterNext(&iter))
	{
		PgBsonValue value;

		CHECK_FOR_INTERRUPTS();
		run->slots[e->slot] = iter.value;
		value = PgBsonExprArg(run, e, 1);
		if (PgBsonExprIsTrue(&value))
		{
			PgBsonExprPush(&maker, &iter.value);
			left--;
		}
		scratch_trim(scratch);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(scratch);
	return PgBsonExprClose(&maker, PGBSON_ARRAY);
}

/* $reduce: the variables are "this" and "value", in this order */
static void
parse_reduce(PgBsonExprParser *parser, PgBsonExpr *e, const PgBsonValue *operand)
{
	PgBsonValue parts[3];
	static const char *const names[] = {"input", "initialValue", "in"};
	int			scope = PgBsonExprScope(parser);

	if (operand->type != PGBSON_DOCUMENT)
		PgBsonExprBadOperand(e, gettext_noop("A document of named arguments is expected."));
	for (int i = 0; i < lengthof(parts); i++)
		parts[i] = PgBsonExprMissing();
	PgBsonForEach(iter, PgBsonValueView(operand))
	{
		int			i = 0;

		while (i < lengthof(names) && !PgBsonIterIs(&iter, names[i]))
			i++;
		if (i == lengthof(names))
			PgBsonExprBadOperand(e, gettext_noop("The arguments are \"input\", \"initialValue\" and \"in\"."));
		parts[i] = iter.value;
	}
	e->nargs = lengthof(parts);
	e->args = palloc(sizeof(PgBsonExpr *) * lengthof(parts));
	for (int i = 0; i < lengthof(parts); i++)
	{
		if (parts[i].type == PGBSON_MISSING)
			PgBsonExprBadOperand(e, gettext_noop("The arguments \"input\", \"initialValue\" and \"in\" are needed."));
		if (i == 2)
		{
			e->slot = PgBsonExprDefine(parser, "this", 4);
			(void) PgBsonExprDefine(parser, "value", 5);
		}
		e->args[i] = PgBsonExprParseOperand(parser, &parts[i]);
	}
	PgBsonExprEndScope(parser, scope);
}

static PgBsonValue
copy_value(const PgBsonValue *value)
{
	return value->data == NULL ? *value : PgBsonExprBytes(value->type, value->data, value->len);
}

static PgBsonValue
eval_reduce(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonValue array = PgBsonExprArg(run, e, 0);
	PgBsonValue value;
	MemoryContext scratch;
	MemoryContext old;
	uint8	   *kept = NULL;

	check_stack_depth();
	if (PgBsonIsNothing(&array))
		return PgBsonExprNull();
	PgBsonExprNeedArray(e, &array);
	value = PgBsonExprArg(run, e, 1);
	scratch = scratch_begin();
	PgBsonForEach(iter, PgBsonValueView(&array))
	{
		run->slots[e->slot] = iter.value;
		run->slots[e->slot + 1] = value;
		old = MemoryContextSwitchTo(scratch);
		value = PgBsonExprArg(run, e, 2);
		MemoryContextSwitchTo(old);
		if (value.len > PGBSON_EXPR_MAX_VALUE)
			PgBsonExprTooLarge(e);
		/* keep the value alone, when enough was made to pay for its copy */
		if (MemoryContextMemAllocated(scratch, true) > SCRATCH_SIZE + 4 * (Size) value.len)
		{
			uint8	   *previous = kept;

			value = copy_value(&value);
			kept = (uint8 *) value.data;
			if (previous != NULL)
				pfree(previous);
			MemoryContextReset(scratch);
		}
	}
	value = copy_value(&value);
	MemoryContextDelete(scratch);
	return value;
}

/* $sortArray: the argument is the input; the order is in e->extra, NULL for one of whole elements */
typedef struct ArrayOrder
{
	bool		descending;
	PgBsonSortOrder *fields;	/* or NULL: by the elements */
} ArrayOrder;

static void
parse_sort_array(PgBsonExprParser *parser, PgBsonExpr *e, const PgBsonValue *operand)
{
	ArrayOrder *order = palloc0(sizeof(ArrayOrder));
	PgBsonValue by = PgBsonExprMissing();
	int64		direction;

	if (operand->type != PGBSON_DOCUMENT)
		PgBsonExprBadOperand(e, gettext_noop("A document of named arguments is expected."));
	e->args = palloc0(sizeof(PgBsonExpr *));
	e->extra = order;
	PgBsonForEach(iter, PgBsonValueView(operand))
	{
		if (PgBsonIterIs(&iter, "input"))
		{
			e->args[0] = PgBsonExprParseOperand(parser, &iter.value);
			e->nargs = 1;
		}
		else if (PgBsonIterIs(&iter, "sortBy"))
			by = iter.value;
		else
			PgBsonExprBadOperand(e, gettext_noop("The arguments are \"input\" and \"sortBy\"."));
	}
	if (e->nargs == 0 || by.type == PGBSON_MISSING)
		PgBsonExprBadOperand(e, gettext_noop("The arguments \"input\" and \"sortBy\" are needed."));
	if (by.type == PGBSON_DOCUMENT)
	{
		if (by.len == PGBSON_MIN_SIZE)
			PgBsonExprBadOperand(e, gettext_noop("\"sortBy\" must not be empty."));
		order->fields = PgBsonSortParse(&by);
		return;
	}
	if (!PgBsonNumberToInt64(&by, &direction) || (direction != 1 && direction != -1))
		PgBsonExprBadOperand(e, gettext_noop("\"sortBy\" must be 1, -1 or a document of fields with 1 or -1."));
	order->descending = direction < 0;
}

/* An element, and its order */
typedef struct Sorted
{
	PgBsonValue value;
	const ArrayOrder *order;
} Sorted;

static int
compare_sorted(const void *a, const void *b)
{
	const Sorted *x = a;
	const Sorted *y = b;
	const PgBsonSortOrder *fields = x->order->fields;
	int			cmp = 0;

	if (fields == NULL)
	{
		cmp = PgBsonCompare(&x->value, &y->value);
		return x->order->descending ? -cmp : cmp;
	}
	for (int i = 0; i < fields->npaths && cmp == 0; i++)
	{
		const PgBsonSortPath *path = &fields->paths[i];
		PgBsonValue v;
		PgBsonValue w;

		if (!PgBsonFind(x->value, path->path, path->npath, &v))
			v = PgBsonExprNull();
		if (!PgBsonFind(y->value, path->path, path->npath, &w))
			w = PgBsonExprNull();
		cmp = PgBsonCompare(&v, &w);
		if (path->descending)
			cmp = -cmp;
	}
	return cmp;
}

static PgBsonValue
sort_array(const PgBsonExpr *e, const PgBsonValue *args)
{
	const ArrayOrder *order = e->extra;
	PgBsonValue *elements;
	Sorted	   *sorted;
	PgBsonExprMaker maker;
	int			count;

	elements = PgBsonExprElements(&args[0], &count);
	sorted = palloc_extended(Max(count, 1) * sizeof(Sorted), MCXT_ALLOC_HUGE);
	for (int i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		sorted[i].value = elements[i];
		sorted[i].order = order;
	}
	PgBsonSort(sorted, count, sizeof(Sorted), compare_sorted);
	PgBsonExprOpen(&maker, args[0].len);
	for (int i = 0; i < count; i++)
		PgBsonExprPush(&maker, &sorted[i].value);
	return PgBsonExprClose(&maker, PGBSON_ARRAY);
}

static const PgBsonExprOp ops[] = {
	{"$map", 0, 0, eval_map, 0, NULL, parse_each},
	{"$filter", 0, 0, eval_filter, 1, NULL, parse_each},
	{"$reduce", 0, 0, eval_reduce, 0, NULL, parse_reduce},
	{"$sortArray", 0, 0, PgBsonExprEvalSimple, 0, NULL, parse_sort_array, NULL, "a", sort_array}
};

const PgBsonExprTable PgBsonExprLoop = {ops, lengthof(ops)};
