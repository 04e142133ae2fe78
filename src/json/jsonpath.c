/*
 * jsonpath.c
 *	  Evaluating a jsonpath: the steps that find items.
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

#include "core/path.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"

/* After this many filters it pays to have a context that can be emptied */
#define FILTERS_BEFORE_SCRATCH	32

/* Levels of a document walked by .** before the stack grows */
#define ANY_INITIAL_LEVELS	16

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

/* The item left the last step */
static PgBsonJpOutcome
emit(const PgBsonJpItem *item, PgBsonJpSequence *out)
{
	if (out != NULL)
		PgBsonJpSequenceAdd(out, item);
	return PGBSON_JP_FOUND;
}

PgBsonJpOutcome
PgBsonJpNext(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item,
			 PgBsonJpSequence *out)
{
	JsonPathItem next;

	if (jspGetNext(step, &next))
		return PgBsonJpWalk(st, &next, item, out, st->lax);
	return emit(item, out);
}

/* The same with structural errors ignored, as .** has it */
static PgBsonJpOutcome
next_ignoring_structure(PgBsonJpState *st, JsonPathItem *step,
						const PgBsonJpItem *item, PgBsonJpSequence *out)
{
	bool		saved = st->ignore_structure;
	PgBsonJpOutcome outcome;

	st->ignore_structure = true;
	outcome = PgBsonJpNext(st, step, item, out);
	st->ignore_structure = saved;
	return outcome;
}

static inline bool
is_container(const PgBsonJpItem *item)
{
	return item->kind == PGBSON_JP_VALUE && PgBsonIsContainer(item->u.value.type);
}

/*
 * Each child of a container through "step" (NULL: out).  For .*, [*] and the
 * opening of arrays.
 */
static PgBsonJpOutcome
walk_children(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item,
			  PgBsonJpSequence *out, bool unwrap)
{
	PgBsonJpOutcome result = PGBSON_JP_EMPTY;
	PgBsonIter	iter;

	PgBsonIterInit(&iter, PgBsonValueView(&item->u.value));
	while (PgBsonIterNext(&iter))
	{
		PgBsonJpItem child = PgBsonJpValueItem(iter.value);
		PgBsonJpOutcome outcome;

		CHECK_FOR_INTERRUPTS();
		if (step != NULL)
			outcome = PgBsonJpWalk(st, step, &child, out, unwrap);
		else
			outcome = emit(&child, out);
		if (PgBsonJpSettled(outcome, out))
			return outcome;
		if (outcome == PGBSON_JP_FOUND)
			result = outcome;
	}
	return result;
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
				walk_children(st, NULL, &found.items[i], out, false);
			else
				emit(&found.items[i], out);
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

/* .key */
static PgBsonJpOutcome
walk_key(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item,
		 PgBsonJpSequence *out)
{
	PgBsonValue value;
	const char *key;
	uint32		len;

	if (!PgBsonJpIsType(item, PGBSON_DOCUMENT))
	{
		if (st->ignore_structure)
			return PGBSON_JP_EMPTY;
		return PgBsonJpFail(st, ERRCODE_SQL_JSON_MEMBER_NOT_FOUND,
							"jsonpath member accessor can only be applied to an object");
	}

	key = PgBsonJpStepString(step, &len);
	if (PgBsonFindKey(PgBsonValueView(&item->u.value), key, len, &value))
	{
		PgBsonJpItem member = PgBsonJpValueItem(value);

		return PgBsonJpNext(st, step, &member, out);
	}
	if (st->ignore_structure)
		return PGBSON_JP_EMPTY;
	return PgBsonJpFail(st, ERRCODE_SQL_JSON_MEMBER_NOT_FOUND,
						"JSON object does not contain key \"%s\"",
						pnstrdup(jspGetString(step, NULL), step->content.value.datalen));
}

/* .* */
static PgBsonJpOutcome
walk_any_key(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item,
			 PgBsonJpSequence *out)
{
	JsonPathItem next;
	bool		has_next = jspGetNext(step, &next);

	if (PgBsonJpIsType(item, PGBSON_DOCUMENT))
		return walk_children(st, has_next ? &next : NULL, item, out, st->lax);
	if (st->ignore_structure)
		return PGBSON_JP_EMPTY;
	return PgBsonJpFail(st, ERRCODE_SQL_JSON_OBJECT_NOT_FOUND,
						"jsonpath wildcard member accessor can only be applied to an object");
}

/* [*] */
static PgBsonJpOutcome
walk_any_array(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item,
			   PgBsonJpSequence *out)
{
	JsonPathItem next;
	bool		has_next = jspGetNext(step, &next);

	if (PgBsonJpIsType(item, PGBSON_ARRAY))
		return walk_children(st, has_next ? &next : NULL, item, out, st->lax);
	if (st->lax)
		return PgBsonJpNext(st, step, item, out);
	if (st->ignore_structure)
		return PGBSON_JP_EMPTY;
	return PgBsonJpFail(st, ERRCODE_SQL_JSON_ARRAY_NOT_FOUND,
						"jsonpath wildcard array accessor can only be applied to an array");
}

/*
 * .**: the item and its descendants, in document order, from level "first" to
 * "last"; both PG_UINT32_MAX means the leaves.
 */
static PgBsonJpOutcome
walk_any(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item,
		 PgBsonJpSequence *out)
{
	uint32		first = step->content.anybounds.first;
	uint32		last = step->content.anybounds.last;
	bool		leaves = first == PG_UINT32_MAX && last == PG_UINT32_MAX;
	PgBsonJpOutcome result = PGBSON_JP_EMPTY;
	PgBsonIter *levels;
	uint32		room = ANY_INITIAL_LEVELS;
	uint32		level = 1;

	if (first == 0)
	{
		result = next_ignoring_structure(st, step, item, out);
		if (result == PGBSON_JP_FOUND && out == NULL)
			return result;
	}
	if (last == 0 || !is_container(item))
		return result;

	levels = palloc(room * sizeof(PgBsonIter));
	PgBsonIterInit(&levels[0], PgBsonValueView(&item->u.value));
	while (level > 0)
	{
		PgBsonIter *iter = &levels[level - 1];
		PgBsonJpItem child;

		CHECK_FOR_INTERRUPTS();
		if (!PgBsonIterNext(iter))
		{
			level--;
			continue;
		}
		child = PgBsonJpValueItem(iter->value);
		if (level >= first || (leaves && !is_container(&child)))
		{
			PgBsonJpOutcome outcome = next_ignoring_structure(st, step, &child, out);

			if (PgBsonJpSettled(outcome, out))
			{
				result = outcome;
				break;
			}
			if (outcome == PGBSON_JP_FOUND)
				result = outcome;
		}
		if (level < last && is_container(&child))
		{
			if (level == room)
			{
				room *= 2;
				levels = repalloc(levels, room * sizeof(PgBsonIter));
			}
			PgBsonIterInit(&levels[level], PgBsonValueView(&child.u.value));
			level++;
		}
	}
	pfree(levels);
	return result;
}

/* One bound of a subscript */
static PgBsonJpOutcome
subscript_bound(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item, int32 *index)
{
	PgBsonJpSequence found;
	PgBsonJpOutcome outcome;

	PgBsonJpSequenceInit(&found);
	outcome = PgBsonJpWalk(st, step, item, &found, st->lax);
	if (outcome != PGBSON_JP_FAILED)
	{
		if (found.count != 1 || !PgBsonJpIsNumber(&found.items[0]))
			outcome = PgBsonJpFail(st, ERRCODE_INVALID_SQL_JSON_SUBSCRIPT,
								   "jsonpath array subscript is not a single numeric value");
		else if (!PgBsonJpToIndex(&found.items[0], index))
			outcome = PgBsonJpFail(st, ERRCODE_INVALID_SQL_JSON_SUBSCRIPT,
								   "jsonpath array subscript is out of integer range");
	}
	PgBsonJpSequenceFree(&found);
	return outcome;
}

/* The elements from "from" to "to" of an array, or the item itself if it is none */
static PgBsonJpOutcome
walk_range(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item,
		   int32 from, int32 to, PgBsonJpSequence *out)
{
	PgBsonJpOutcome result = PGBSON_JP_EMPTY;
	PgBsonIter	iter;

	if (!PgBsonJpIsType(item, PGBSON_ARRAY))
	{
		if (from <= 0 && to >= 0)
			return PgBsonJpNext(st, step, item, out);
		return PGBSON_JP_EMPTY;
	}

	PgBsonIterInit(&iter, PgBsonValueView(&item->u.value));
	for (int32 i = 0; i <= to && PgBsonIterNext(&iter); i++)
	{
		PgBsonJpItem element;
		PgBsonJpOutcome outcome;

		if (i < from)
			continue;
		CHECK_FOR_INTERRUPTS();
		element = PgBsonJpValueItem(iter.value);
		outcome = PgBsonJpNext(st, step, &element, out);
		if (PgBsonJpSettled(outcome, out))
			return outcome;
		if (outcome == PGBSON_JP_FOUND)
			result = outcome;
	}
	return result;
}

/* The number of elements; 1 for what is no array */
static int64
array_size(const PgBsonJpItem *item)
{
	if (!PgBsonJpIsType(item, PGBSON_ARRAY))
		return 1;
	return PgBsonViewCount(PgBsonValueView(&item->u.value));
}

/* One subscript, "from" or "from to to" */
static PgBsonJpOutcome
walk_subscript(PgBsonJpState *st, JsonPathItem *step, int nth,
			   const PgBsonJpItem *item, PgBsonJpSequence *out)
{
	JsonPathItem from_step;
	JsonPathItem to_step;
	int32		from;
	int32		to;
	bool		range = jspGetArraySubscript(step, &from_step, &to_step, nth);

	if (subscript_bound(st, &from_step, item, &from) == PGBSON_JP_FAILED)
		return PGBSON_JP_FAILED;
	to = from;
	if (range && subscript_bound(st, &to_step, item, &to) == PGBSON_JP_FAILED)
		return PGBSON_JP_FAILED;

	/* only strict mode needs to know the size, which takes a walk */
	if (!st->ignore_structure && (from < 0 || from > to || to >= array_size(item)))
		return PgBsonJpFail(st, ERRCODE_INVALID_SQL_JSON_SUBSCRIPT,
							"jsonpath array subscript is out of bounds");
	return walk_range(st, step, item, from, to, out);
}

/* [subscript, ...] */
static PgBsonJpOutcome
walk_subscripts(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item,
				PgBsonJpSequence *out)
{
	const PgBsonJpItem *saved = st->array;
	PgBsonJpOutcome result = PGBSON_JP_EMPTY;

	if (!PgBsonJpIsType(item, PGBSON_ARRAY) && !st->lax)
	{
		if (st->ignore_structure)
			return PGBSON_JP_EMPTY;
		return PgBsonJpFail(st, ERRCODE_SQL_JSON_ARRAY_NOT_FOUND,
							"jsonpath array accessor can only be applied to an array");
	}

	st->array = item;
	for (int i = 0; i < step->content.array.nelems; i++)
	{
		PgBsonJpOutcome outcome = walk_subscript(st, step, i, item, out);

		if (outcome != PGBSON_JP_EMPTY)
			result = outcome;
		if (PgBsonJpSettled(outcome, out))
			break;
	}
	st->array = saved;
	return result;
}

/* last */
static PgBsonJpOutcome
walk_last(PgBsonJpState *st, JsonPathItem *step, PgBsonJpSequence *out)
{
	PgBsonJpItem last;

	if (st->array == NULL)
		elog(ERROR, "jsonpath LAST outside of an array subscript");
	last = PgBsonJpValueItem(PgBsonJpMakeInteger(array_size(st->array) - 1));
	return PgBsonJpNext(st, step, &last, out);
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
			return walk_any_array(st, step, item, out);

		case jpiIndexArray:
			return walk_subscripts(st, step, item, out);

		case jpiLast:
			return walk_last(st, step, out);

		case jpiAny:
			return walk_any(st, step, item, out);

		case jpiType:
		case jpiSize:
			return PgBsonJpMethod(st, step, item, out);

		default:
			break;
	}

	/* the others are not for arrays */
	if (unwrap && PgBsonJpIsType(item, PGBSON_ARRAY))
		return walk_children(st, step, item, out, false);

	switch (step->type)
	{
		case jpiKey:
			return walk_key(st, step, item, out);

		case jpiAnyKey:
			return walk_any_key(st, step, item, out);

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
