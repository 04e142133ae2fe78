/*
 * jsonpath.c
 *	  Evaluating a jsonpath: the walk along the path, filters, entry points.
 *
 * The path's steps form a chain, as the server's parser left them.  A step is
 * applied to one item at a time, and what it finds goes straight to the rest
 * of the chain, so no list of intermediate items is built.  The depth of this
 * recursion is the length of the path; the depth of the document is walked
 * with a stack of our own.
 *
 * In lax mode, the default, an array meeting a step that is not for arrays is
 * opened, and a scalar meeting one that is for arrays counts as an array of
 * one; what is missing is no error.
 */
#include "json/jsonpath_exec.h"

#include "lib/stringinfo.h"
#include "miscadmin.h"

/* After this many filters it pays to have a context that can be emptied */
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
		needed = appendStringInfoVA(&msg, fmt, args);
		va_end(args);
		if (needed == 0)
			break;
		enlargeStringInfo(&msg, needed);
	}
	ereport(ERROR, (errcode(sqlstate), errmsg_internal("%s", msg.data)));
}

PgBsonJpOutcome
PgBsonJpNext(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item,
			 PgBsonJpSequence *out)
{
	JsonPathItem next;

	if (jspGetNext(step, &next))
		return PgBsonJpWalk(st, &next, item, out, st->lax);
	return PgBsonJpEmit(item, out);
}

PgBsonJpOutcome
PgBsonJpNextMade(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item,
				 PgBsonJpSequence *out, void *memory)
{
	uint32		before = out != NULL ? out->count : 0;
	PgBsonJpOutcome outcome = PgBsonJpNext(st, step, item, out);

	if (out == NULL || out->count == before)
		pfree(memory);
	return outcome;
}

PgBsonJpOutcome
PgBsonJpOperand(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item,
				bool open, PgBsonJpSequence *out)
{
	PgBsonJpSequence found;
	PgBsonJpOutcome outcome;

	if (!open || !st->lax)
		return PgBsonJpWalk(st, step, item, out, st->lax);

	PgBsonJpSequenceInit(&found);
	outcome = PgBsonJpWalk(st, step, item, &found, true);
	if (outcome != PGBSON_JP_FAILED)
	{
		for (uint32 i = 0; i < found.count; i++)
		{
			if (PgBsonJpIsType(&found.items[i], PGBSON_ARRAY))
				PgBsonJpChildren(st, NULL, &found.items[i], out, false);
			else
				PgBsonJpEmit(&found.items[i], out);
		}
	}
	PgBsonJpSequenceFree(&found);
	return outcome;
}

/* A literal or a variable */
static PgBsonJpOutcome
walk_literal(PgBsonJpState *st, JsonPathItem *step, PgBsonJpSequence *out)
{
	const uint8 *saved_base = st->base;
	int64		saved_base_id = st->base_id;
	PgBsonJpOutcome outcome;
	PgBsonJpItem item;

	item = PgBsonJpLiteralItem(st, step);
	outcome = PgBsonJpNext(st, step, &item, out);
	st->base = saved_base;
	st->base_id = saved_base_id;
	return outcome;
}

/* $ */
static PgBsonJpOutcome
walk_root(PgBsonJpState *st, JsonPathItem *step, PgBsonJpSequence *out)
{
	const uint8 *saved_base = st->base;
	int64		saved_base_id = st->base_id;
	PgBsonJpOutcome outcome;

	st->base = st->root.u.value.data;
	st->base_id = 0;
	outcome = PgBsonJpNext(st, step, &st->root, out);
	st->base = saved_base;
	st->base_id = saved_base_id;
	return outcome;
}

/*
 * ? (predicate).  What evaluating it allocates goes when the outermost filter
 * is done with the item, so that many items need no more memory than one.
 */
static PgBsonJpOutcome
walk_filter(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item,
			PgBsonJpSequence *out)
{
	const PgBsonJpItem *saved_current = st->current;
	bool		outermost = !st->in_filter;
	MemoryContext saved_context = CurrentMemoryContext;
	PgBsonJpTruth truth;
	JsonPathItem predicate;

	jspGetArg(step, &predicate);
	st->current = item;
	st->in_filter = true;
	if (outermost && ++st->filters > FILTERS_BEFORE_SCRATCH)
	{
		if (st->scratch == NULL)
			st->scratch = AllocSetContextCreate(st->context, "bson jsonpath filter",
												ALLOCSET_DEFAULT_SIZES);
		MemoryContextSwitchTo(st->scratch);
	}
	truth = PgBsonJpPredicate(st, &predicate, item);
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

/* A predicate as a step: its truth is an item, null if unknown */
static PgBsonJpOutcome
walk_predicate(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item,
			   PgBsonJpSequence *out)
{
	PgBsonJpTruth truth = PgBsonJpPredicate(st, step, item);
	PgBsonJpItem answer;

	if (truth == PGBSON_JP_UNKNOWN)
		answer = PgBsonJpValueItem(PgBsonJpMakeNull());
	else
		answer = PgBsonJpValueItem(PgBsonJpMakeBool(truth == PGBSON_JP_TRUE));
	return PgBsonJpNext(st, step, &answer, out);
}

PgBsonJpOutcome
PgBsonJpWalk(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item,
			 PgBsonJpSequence *out, bool unwrap)
{
	check_stack_depth();
	CHECK_FOR_INTERRUPTS();

	switch (step->type)
	{
		case jpiNull:
		case jpiBool:
		case jpiNumeric:
		case jpiString:
		case jpiVariable:
			return walk_literal(st, step, out);

		case jpiAnd:
		case jpiOr:
		case jpiNot:
		case jpiIsUnknown:
		case jpiEqual:
		case jpiNotEqual:
		case jpiLess:
		case jpiGreater:
		case jpiLessOrEqual:
		case jpiGreaterOrEqual:
		case jpiExists:
		case jpiStartsWith:
		case jpiLikeRegex:
			return walk_predicate(st, step, item, out);

		case jpiAdd:
		case jpiSub:
		case jpiMul:
		case jpiDiv:
		case jpiMod:
			return PgBsonJpBinary(st, step, item, out);

		case jpiPlus:
		case jpiMinus:
			return PgBsonJpUnary(st, step, item, out);

		case jpiRoot:
			return walk_root(st, step, out);

		case jpiCurrent:
			return PgBsonJpNext(st, step, st->current, out);

		case jpiAnyArray:
			return PgBsonJpAnyArray(st, step, item, out);

		case jpiIndexArray:
			return PgBsonJpSubscripts(st, step, item, out);

		case jpiLast:
			return PgBsonJpLast(st, step, out);

		case jpiAny:
			return PgBsonJpAny(st, step, item, out);

		case jpiType:
		case jpiSize:
			return PgBsonJpMethod(st, step, item, out);

		default:
			break;
	}

	/* the others are not for arrays */
	if (unwrap && PgBsonJpIsType(item, PGBSON_ARRAY))
		return PgBsonJpChildren(st, step, item, out, false);

	switch (step->type)
	{
		case jpiKey:
			return PgBsonJpKey(st, step, item, out);

		case jpiAnyKey:
			return PgBsonJpAnyKey(st, step, item, out);

		case jpiFilter:
			return walk_filter(st, step, item, out);

		default:
			return PgBsonJpMethod(st, step, item, out);
	}
}

/* Evaluate the whole path into "out" */
static PgBsonJpOutcome
evaluate(PgBsonJpState *st, const PgBsonJpCall *call, PgBsonJpSequence *out)
{
	JsonPathItem start;

	memset(st, 0, sizeof(*st));
	st->call = call;
	st->root = PgBsonJpValueItem(call->target);
	st->current = &st->root;
	st->lax = (call->path->header & JSONPATH_LAX) != 0;
	st->ignore_structure = st->lax;
	st->raise = !call->silent;
	st->next_base_id = call->has_vars ? 2 : 1;
	st->context = CurrentMemoryContext;

	jspInit(&start, call->path);
	return PgBsonJpWalk(st, &start, &st->root, out, st->lax);
}

static void
finish(PgBsonJpState *st)
{
	if (st->scratch != NULL)
		MemoryContextDelete(st->scratch);
}

PgBsonJpOutcome
PgBsonJsonpathExists(const PgBsonJpCall *call)
{
	PgBsonJpState st;
	PgBsonJpOutcome outcome;

	if ((call->path->header & JSONPATH_LAX) != 0)
		outcome = evaluate(&st, call, NULL);
	else
	{
		PgBsonJpSequence found;

		/* strict: there must be no error anywhere, so look at everything */
		PgBsonJpSequenceInit(&found);
		outcome = evaluate(&st, call, &found);
		if (outcome != PGBSON_JP_FAILED)
			outcome = found.count > 0 ? PGBSON_JP_FOUND : PGBSON_JP_EMPTY;
		PgBsonJpSequenceFree(&found);
	}
	finish(&st);
	return outcome;
}

PgBsonJpResult
PgBsonJsonpathQuery(const PgBsonJpCall *call)
{
	PgBsonJpState st;
	PgBsonJpSequence found;
	PgBsonJpResult result;

	PgBsonJpSequenceInit(&found);
	result.outcome = evaluate(&st, call, &found);
	result.count = found.count;
	result.values = palloc_extended(Max(found.count, 1) * sizeof(PgBsonValue), MCXT_ALLOC_HUGE);
	for (uint32 i = 0; i < found.count; i++)
	{
		if (!PgBsonJpItemValue(&st, &found.items[i], &result.values[i]))
		{
			result.outcome = PGBSON_JP_FAILED;
			result.count = i;
			break;
		}
	}
	PgBsonJpSequenceFree(&found);
	finish(&st);
	return result;
}
