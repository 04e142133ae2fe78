/*
 * exec.c
 *	  Evaluating a jsonpath: applying the steps of the path, and filters.
 *
 * The server's parser made a chain of the path's steps.  A step is applied to
 * one item at a time, and the items that it finds go straight to the rest of
 * the chain, so no list of intermediate items is built.  The depth of this
 * recursion is the length of the path; the depth of the document is handled
 * with a stack of our own.
 */
#include "jsonpath/exec.h"

/* From this number of filters on, evaluations get a memory context for what filters allocate */
#define FILTERS_BEFORE_SCRATCH	32

PgBsonJpOutcome
PgBsonJpFail(PgBsonJpState *st, int sqlstate, const char *fmt,...)
{
	StringInfoData msg;

	if (!st->raise)
		return PGBSON_JP_FAILED;

	initStringInfo(&msg);
	for (;;)
	{
		va_list		args;
		int			needed;

		va_start(args, fmt);
		needed = appendStringInfoVA(&msg, _(fmt), args);
		va_end(args);
		if (needed == 0)
			break;
		enlargeStringInfo(&msg, needed);
	}
	ereport(ERROR, (errcode(sqlstate), errmsg_internal("%s", msg.data)));
}

PgBsonJpOutcome
PgBsonJpFailAt(PgBsonJpState *st, JsonPathItem *step, int sqlstate, const char *fmt)
{
	return PgBsonJpFail(st, sqlstate, fmt, jspOperationName(step->type));
}

PgBsonJpOutcome
PgBsonJpNext(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item, PgBsonJpSequence *out)
{
	JsonPathItem next;

	if (jspGetNext(step, &next))
		return PgBsonJpRun(st, &next, item, out, st->lax);
	return PgBsonJpEmit(item, out);
}

PgBsonJpOutcome
PgBsonJpNextMade(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item,
				 PgBsonJpSequence *out, void *memory)
{
	uint32		before = out != NULL ? out->count : 0;
	PgBsonJpOutcome outcome = PgBsonJpNext(st, step, item, out);

	if (memory != NULL && (out == NULL || out->count == before))
		pfree(memory);
	return outcome;
}

PgBsonJpOutcome
PgBsonJpOperand(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item,
				bool open, PgBsonJpSequence *out)
{
	PgBsonJpSequence found;
	PgBsonJpOutcome outcome;
	uint32		n = 0;

	if (PgBsonJpIsLiteral(step))
	{
		PgBsonJpItem literal = PgBsonJpLiteralItem(st, step);

		return PgBsonJpEmit(&literal, out);
	}

	outcome = PgBsonJpRun(st, step, item, out, st->lax);
	if (!open || !st->lax || outcome == PGBSON_JP_FAILED)
		return outcome;

	/* mostly there are no arrays, and nothing has to be unwrapped */
	while (n < out->count && !PgBsonJpIsType(&out->items[n], PGBSON_ARRAY))
		n++;
	if (n == out->count)
		return outcome;

	PgBsonJpSequenceInit(&found);
	for (uint32 i = n; i < out->count; i++)
		PgBsonJpSequenceAdd(&found, &out->items[i]);
	out->count = n;
	for (uint32 i = 0; i < found.count; i++)
	{
		if (PgBsonJpIsType(&found.items[i], PGBSON_ARRAY))
			PgBsonJpChildren(st, NULL, &found.items[i], out, false);
		else
			PgBsonJpEmit(&found.items[i], out);
	}
	PgBsonJpSequenceFree(&found);
	return outcome;
}

/* PgBsonJpNext for $ or a variable: .keyvalue() counts the offsets of its ids from this item */
static PgBsonJpOutcome
next_from_base(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item, const uint8 *base, int64 base_id,
			   PgBsonJpSequence *out)
{
	const uint8 *saved_base = st->base;
	int64		saved_base_id = st->base_id;
	PgBsonJpOutcome outcome;

	st->base = base;
	st->base_id = base_id;
	outcome = PgBsonJpNext(st, step, item, out);
	st->base = saved_base;
	st->base_id = saved_base_id;
	return outcome;
}

/* A literal or a variable */
static PgBsonJpOutcome
take_literal(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item, PgBsonJpSequence *out)
{
	PgBsonJpItem literal = PgBsonJpLiteralItem(st, step);

	if (step->type == jpiVariable)
		return next_from_base(st, step, &literal, st->call->vars.data, 1, out);
	return PgBsonJpNext(st, step, &literal, out);
}

/* $ */
static PgBsonJpOutcome
take_root(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item, PgBsonJpSequence *out)
{
	PgBsonJpReadRoot(st);
	return next_from_base(st, step, &st->root, st->root.u.value.data, 0, out);
}

/* @ */
static PgBsonJpOutcome
take_current(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item, PgBsonJpSequence *out)
{
	if (st->current == &st->root)
		PgBsonJpReadRoot(st);
	return PgBsonJpNext(st, step, st->current, out);
}

/*
 * ? (predicate).  The memory that its evaluation allocates is freed when the outermost filter is done with the item, so
 * many items need no more memory than one.
 */
static PgBsonJpOutcome
take_filter(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item, PgBsonJpSequence *out)
{
	const PgBsonJpItem *saved_current = st->current;
	bool		outermost = !st->in_filter;
	MemoryContext saved_context = CurrentMemoryContext;
	PgBsonJpTruth truth;

	st->current = item;
	st->in_filter = true;
	if (outermost && ++st->filters > FILTERS_BEFORE_SCRATCH)
	{
		if (st->scratch == NULL)
			st->scratch = AllocSetContextCreate(st->context, "bson jsonpath filter",
												ALLOCSET_DEFAULT_SIZES);
		MemoryContextSwitchTo(st->scratch);
	}
	truth = PgBsonJpTest(st, step->base, step->content.arg, item);
	MemoryContextSwitchTo(saved_context);
	if (outermost)
	{
		if (st->scratch != NULL)
			MemoryContextReset(st->scratch);
		st->in_filter = false;
	}
	st->current = saved_current;

	if (truth != PGBSON_JP_TRUE)
		return PGBSON_JP_EMPTY;
	return PgBsonJpNext(st, step, item, out);
}

/* Take a predicate as a step: its truth becomes an item */
static PgBsonJpOutcome
take_predicate(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item, PgBsonJpSequence *out)
{
	return PgBsonJpNextValue(st, step, PgBsonJpTruthValue(PgBsonJpPredicate(st, step, item)), out);
}

/* The steps and methods of a path; those that are not for arrays are applied to their elements in lax mode */
static const struct
{
	PgBsonJpStep *take;
	bool		unwraps;
}			steps[] = {
	[jpiAnd] = {take_predicate},
	[jpiOr] = {take_predicate},
	[jpiNot] = {take_predicate},
	[jpiIsUnknown] = {take_predicate},
	[jpiEqual] = {take_predicate},
	[jpiNotEqual] = {take_predicate},
	[jpiLess] = {take_predicate},
	[jpiGreater] = {take_predicate},
	[jpiLessOrEqual] = {take_predicate},
	[jpiGreaterOrEqual] = {take_predicate},
	[jpiExists] = {take_predicate},
	[jpiStartsWith] = {take_predicate},
	[jpiLikeRegex] = {take_predicate},
	[jpiNull] = {take_literal},
	[jpiBool] = {take_literal},
	[jpiNumeric] = {take_literal},
	[jpiString] = {take_literal},
	[jpiVariable] = {take_literal},
	[jpiAdd] = {PgBsonJpBinary},
	[jpiSub] = {PgBsonJpBinary},
	[jpiMul] = {PgBsonJpBinary},
	[jpiDiv] = {PgBsonJpBinary},
	[jpiMod] = {PgBsonJpBinary},
	[jpiPlus] = {PgBsonJpUnary},
	[jpiMinus] = {PgBsonJpUnary},
	[jpiRoot] = {take_root},
	[jpiCurrent] = {take_current},
	[jpiAnyArray] = {PgBsonJpAnyArray},
	[jpiIndexArray] = {PgBsonJpSubscripts},
	[jpiLast] = {PgBsonJpLast},
	[jpiAny] = {PgBsonJpAny},
	[jpiType] = {PgBsonJpType},
	[jpiSize] = {PgBsonJpSize},
	[jpiKey] = {PgBsonJpKey, true},
	[jpiAnyKey] = {PgBsonJpAnyKey, true},
	[jpiFilter] = {take_filter, true},
	[jpiAbs] = {PgBsonJpRounding, true},
	[jpiFloor] = {PgBsonJpRounding, true},
	[jpiCeiling] = {PgBsonJpRounding, true},
	[jpiDouble] = {PgBsonJpDouble, true},
	[jpiDatetime] = {PgBsonJpDatetimeMethod, true},
	[jpiKeyValue] = {PgBsonJpKeyvalue, true},
#ifdef PGBSON_JSONPATH_CONVERSIONS
	[jpiBigint] = {PgBsonJpToInteger, true},
	[jpiInteger] = {PgBsonJpToInteger, true},
	[jpiBoolean] = {PgBsonJpToBoolean, true},
	[jpiNumber] = {PgBsonJpToNumber, true},
	[jpiDecimal] = {PgBsonJpToNumber, true},
	[jpiStringFunc] = {PgBsonJpToString, true},
	[jpiDate] = {PgBsonJpToDatetime, true},
	[jpiTime] = {PgBsonJpToDatetime, true},
	[jpiTimeTz] = {PgBsonJpToDatetime, true},
	[jpiTimestamp] = {PgBsonJpToDatetime, true},
	[jpiTimestampTz] = {PgBsonJpToDatetime, true},
#endif
#ifdef PGBSON_JSONPATH_STRINGS
	[jpiStrLower] = {PgBsonJpStringMethod, true},
	[jpiStrUpper] = {PgBsonJpStringMethod, true},
	[jpiStrInitcap] = {PgBsonJpStringMethod, true},
	[jpiStrLtrim] = {PgBsonJpStringMethod, true},
	[jpiStrRtrim] = {PgBsonJpStringMethod, true},
	[jpiStrBtrim] = {PgBsonJpStringMethod, true},
	[jpiStrReplace] = {PgBsonJpStringMethod, true},
	[jpiStrSplitPart] = {PgBsonJpStringMethod, true},
#endif
};

bool
PgBsonJpIsPredicate(const JsonPathItem *step)
{
	return step->type < lengthof(steps) && steps[step->type].take == take_predicate;
}

PgBsonJpOutcome
PgBsonJpRun(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item,
			 PgBsonJpSequence *out, bool unwrap)
{
	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	if (step->type >= lengthof(steps) || steps[step->type].take == NULL)
		PgBsonReportUnsupported(errmsg("jsonpath item method .%s() is not supported for type bson",
									   jspOperationName(step->type)));
	if (unwrap && steps[step->type].unwraps && PgBsonJpIsType(item, PGBSON_ARRAY))
		return PgBsonJpChildren(st, step, item, out, false);
	return steps[step->type].take(st, step, item, out);
}
