/*
 * access.c
 *	  The jsonpath steps that find members, elements and descendants of a value.
 */
#include "jsonpath/exec.h"

#include "core/bytes/skip.h"

/* How many levels .** can descend before the array of its positions (see take_descendants) must grow */
#define ANY_INITIAL_LEVELS	16

/* Elements between two looks at whether the query was cancelled */
#define INTERRUPT_EVERY		0x100000

/*
 * Is the step one for members of documents?  On a scalar such a step finds nothing, which strict
 * mode reports as an error.
 */
static inline bool
is_for_documents(const JsonPathItem *step)
{
	return step != NULL && (step->type == jpiKey || step->type == jpiAnyKey);
}

/* Append each child of the container to "out" */
static PgBsonJpOutcome
append_children(const PgBsonValue *container, PgBsonJpSequence *out)
{
	PgBsonJpOutcome result = PGBSON_JP_EMPTY;

	PgBsonForEach(iter, PgBsonValueView(container))
	{
		PgBsonJpSequenceAddValue(out, &iter.value);
		result = PGBSON_JP_FOUND;
	}
	return result;
}

PgBsonJpOutcome
PgBsonJpChildren(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item,
				 PgBsonJpSequence *out, bool unwrap)
{
	PgBsonJpOutcome result = PGBSON_JP_EMPTY;
	bool		documents = st->ignore_structure && is_for_documents(step);

	if (step == NULL && out != NULL)
		return append_children(&item->u.value, out);
	PgBsonForEach(iter, PgBsonValueView(&item->u.value))
	{
		PgBsonJpItem child;
		PgBsonJpOutcome outcome;

		if (documents && !PgBsonIsContainer(iter.value.type))
			continue;
		child = PgBsonJpValueItem(iter.value);
		if (step != NULL)
			outcome = PgBsonJpRun(st, step, &child, out, unwrap);
		else
			outcome = PgBsonJpEmit(&child, out);
		if (PgBsonJpSettled(outcome, out))
			return outcome;
		if (outcome == PGBSON_JP_FOUND)
			result = outcome;
	}
	return result;
}

/* The member of a document that a key step names */
static bool
find_member(PgBsonJpState *st, JsonPathItem *step, const PgBsonValue *document, PgBsonValue *value)
{
	uint32		len;
	const char *key = PgBsonJsonpathString(step, &len);
	PgBsonStep	field = {PGBSON_STEP_KEY, 0, key, len};
	PgBsonFindHint *hint = st->memory->lasting ? &PgBsonJpLiteralAt(st, step->content.value.data)->hint : NULL;

	*value = *document;
	return PgBsonFindIn(NULL, value, hint, &field, 1);
}

/* .key */
PgBsonJpOutcome
PgBsonJpKey(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item, PgBsonJpSequence *out)
{
	PgBsonValue value;

	if (!PgBsonJpIsType(item, PGBSON_DOCUMENT))
		return PgBsonJpMismatch(st, ERRCODE_SQL_JSON_MEMBER_NOT_FOUND,
								"jsonpath member accessor can only be applied to an object");

	if (find_member(st, step, &item->u.value, &value))
		return PgBsonJpNextValue(st, step, value, out);
	return PgBsonJpMismatch(st, ERRCODE_SQL_JSON_MEMBER_NOT_FOUND,
							"JSON object does not contain key \"%s\"",
							pnstrdup(jspGetString(step, NULL), step->content.value.datalen));
}

/* .* */
PgBsonJpOutcome
PgBsonJpAnyKey(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item, PgBsonJpSequence *out)
{
	JsonPathItem next;
	bool		has_next = jspGetNext(step, &next);

	if (PgBsonJpIsType(item, PGBSON_DOCUMENT))
		return PgBsonJpChildren(st, has_next ? &next : NULL, item, out, st->lax);
	return PgBsonJpMismatch(st, ERRCODE_SQL_JSON_OBJECT_NOT_FOUND,
							"jsonpath wildcard member accessor can only be applied to an object");
}

/* [*] */
PgBsonJpOutcome
PgBsonJpAnyArray(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item, PgBsonJpSequence *out)
{
	JsonPathItem next;
	bool		has_next = jspGetNext(step, &next);

	if (PgBsonJpIsType(item, PGBSON_ARRAY))
		return PgBsonJpChildren(st, has_next ? &next : NULL, item, out, st->lax);
	if (st->lax)
		return PgBsonJpNext(st, step, item, out);
	return PgBsonJpMismatch(st, ERRCODE_SQL_JSON_ARRAY_NOT_FOUND,
							"jsonpath wildcard array accessor can only be applied to an array");
}

/* Take a value that .** found to the next step, if there is one; structural errors of that step are ignored */
static PgBsonJpOutcome
next_ignoring_structure(PgBsonJpState *st, JsonPathItem *next, const PgBsonValue *value, PgBsonJpSequence *out)
{
	PgBsonJpItem item = PgBsonJpValueItem(*value);
	bool		saved = st->ignore_structure;
	PgBsonJpOutcome outcome;

	if (next == NULL)
		return PgBsonJpEmit(&item, out);
	st->ignore_structure = true;
	outcome = PgBsonJpRun(st, next, &item, out, st->lax);
	st->ignore_structure = saved;
	return outcome;
}

/* Take the descendants of a container for PgBsonJpAny, to the step "next" or, if that is NULL, into the result */
static PgBsonJpOutcome
take_descendants(PgBsonJpState *st, JsonPathItem *step, JsonPathItem *next, const PgBsonValue *container,
				 PgBsonJpSequence *out)
{
	uint32		first = step->content.anybounds.first;
	uint32		last = step->content.anybounds.last;
	bool		leaves = first == PG_UINT32_MAX && last == PG_UINT32_MAX;
	bool		documents = is_for_documents(next);
	PgBsonJpOutcome result = PGBSON_JP_EMPTY;
	uint32		room = ANY_INITIAL_LEVELS;
	PgBsonIter *levels = palloc(room * sizeof(PgBsonIter));
	uint32		level = 1;

	PgBsonIterInit(&levels[0], PgBsonValueView(container));
	while (level > 0)
	{
		PgBsonIter *iter = &levels[level - 1];
		bool		inner;

		CHECK_FOR_INTERRUPTS();
		if (!PgBsonIterNext(iter))
		{
			level--;
			continue;
		}
		inner = PgBsonIsContainer(iter->value.type);
		if (documents && !inner)
			continue;
		if (level >= first || (leaves && !inner))
		{
			PgBsonJpOutcome outcome = next_ignoring_structure(st, next, &iter->value, out);

			if (PgBsonJpSettled(outcome, out))
			{
				result = outcome;
				break;
			}
			if (outcome == PGBSON_JP_FOUND)
				result = outcome;
		}
		if (level < last && inner)
		{
			PgBsonView	view = PgBsonValueView(&iter->value);

			if (level == room)
			{
				room *= 2;
				levels = repalloc(levels, room * sizeof(PgBsonIter));
			}
			PgBsonIterInit(&levels[level], view);
			level++;
		}
	}
	pfree(levels);
	return result;
}

/*
 * Take the item and its descendants for .**, in document order, from level "first" to "last"; if
 * both are PG_UINT32_MAX, only those that are no containers ("leaves").
 */
PgBsonJpOutcome
PgBsonJpAny(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item, PgBsonJpSequence *out)
{
	PgBsonJpOutcome own = PGBSON_JP_EMPTY;
	PgBsonJpOutcome below = PGBSON_JP_EMPTY;
	JsonPathItem next;
	bool		has_next = jspGetNext(step, &next);

	if (step->content.anybounds.first == 0)
	{
		bool		saved = st->ignore_structure;

		st->ignore_structure = true;
		own = PgBsonJpNext(st, step, item, out);
		st->ignore_structure = saved;
		if (own == PGBSON_JP_FOUND && out == NULL)
			return own;
	}
	if (item->kind != PGBSON_JP_VALUE || !PgBsonIsContainer(item->u.value.type))
		return own;

	/*
	 * as in jsonb, an error suppressed while the container itself was taken is forgotten when the
	 * step goes on to the container's children, even if there are none
	 */
	if (step->content.anybounds.last > 0)
		below = take_descendants(st, step, has_next ? &next : NULL, &item->u.value, out);
	return below != PGBSON_JP_EMPTY || own == PGBSON_JP_FAILED ? below : own;
}

/* Evaluate one bound of a subscript */
static PgBsonJpOutcome
subscript_bound(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item, int32 *index)
{
	PgBsonJpSequence found;
	PgBsonJpOutcome outcome;

	if (step->type == jpiNumeric && !jspHasNext(step))
	{
		PgBsonJpItem literal = PgBsonJpLiteralItem(st, step);

		if (PgBsonJpToIndex(st, &literal, index))
			return PGBSON_JP_FOUND;
	}
	PgBsonJpSequenceInit(&found);
	outcome = PgBsonJpRun(st, step, item, &found, st->lax);
	if (outcome != PGBSON_JP_FAILED)
	{
		if (found.count != 1 || !PgBsonJpIsNumber(&found.items[0]))
			outcome = PgBsonJpFail(st, ERRCODE_INVALID_SQL_JSON_SUBSCRIPT,
								   "jsonpath array subscript is not a single numeric value");
		else if (!PgBsonJpToIndex(st, &found.items[0], index))
			outcome = PgBsonJpFail(st, ERRCODE_INVALID_SQL_JSON_SUBSCRIPT,
								   "jsonpath array subscript is out of integer range");
	}
	PgBsonJpSequenceFree(&found);
	return outcome;
}

/*
 * Have the iterator begin at this position of the array, or at its end if the array is shorter;
 * start from the mark if that is not behind the position
 */
static void
begin_at(PgBsonIter *iter, PgBsonView array, uint32 position, PgBsonJpMark *mark)
{
	uint32		at = 0;
	uint32		passed;

	PgBsonIterInit(iter, array);
	if (mark->element != NULL && mark->position <= position)
	{
		at = mark->position;
		iter->next = mark->element;
	}
	iter->next = PgBsonSkipElements(iter->next, iter->end, at, position - at, &passed);
	for (at += passed; at < position && PgBsonIterNext(iter); at++)
	{
		if (at % INTERRUPT_EVERY == 0)
			CHECK_FOR_INTERRUPTS();
	}
	if (iter->next < iter->end)
	{
		mark->position = at;
		mark->element = iter->next;
	}
}

/* The elements from "from" to "to" of an array, or the item itself if it is not an array */
static PgBsonJpOutcome
take_range(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item,
		   int32 from, int32 to, PgBsonJpMark *mark, PgBsonJpSequence *out)
{
	PgBsonJpOutcome result = PGBSON_JP_EMPTY;
	PgBsonIter	iter;

	if (!PgBsonJpIsType(item, PGBSON_ARRAY))
	{
		if (from <= 0 && to >= 0)
			return PgBsonJpNext(st, step, item, out);
		return PGBSON_JP_EMPTY;
	}

	from = Max(from, 0);
	if (from > to)
		return result;
	begin_at(&iter, PgBsonValueView(&item->u.value), from, mark);
	for (int64 i = from; i <= to && PgBsonIterNext(&iter); i++)
	{
		PgBsonJpOutcome outcome;

		CHECK_FOR_INTERRUPTS();
		outcome = PgBsonJpNextValue(st, step, iter.value, out);
		if (PgBsonJpSettled(outcome, out))
			return outcome;
		if (outcome == PGBSON_JP_FOUND)
			result = outcome;
	}
	return result;
}

/* One subscript, "from" or "from to to" */
static PgBsonJpOutcome
take_subscript(PgBsonJpState *st, JsonPathItem *step, int nth,
			   const PgBsonJpItem *item, PgBsonJpMark *mark, PgBsonJpSequence *out)
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

	/* only strict mode needs the size, which a pass over the array finds; a value that is no array has size 1 */
	if (!st->ignore_structure &&
		(from < 0 || from > to || to >= (PgBsonJpIsType(item, PGBSON_ARRAY)
										 ? (int64) PgBsonViewCount(PgBsonValueView(&item->u.value)) : 1)))
		return PgBsonJpFail(st, ERRCODE_INVALID_SQL_JSON_SUBSCRIPT,
							"jsonpath array subscript is out of bounds");
	return take_range(st, step, item, from, to, mark, out);
}

/* [subscript, ...] */
PgBsonJpOutcome
PgBsonJpSubscripts(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item, PgBsonJpSequence *out)
{
	PgBsonJpMark *saved = st->mark;
	PgBsonJpOutcome result = PGBSON_JP_EMPTY;
	PgBsonJpMark mark = {item};

	if (!PgBsonJpIsType(item, PGBSON_ARRAY) && !st->lax)
		return PgBsonJpMismatch(st, ERRCODE_SQL_JSON_ARRAY_NOT_FOUND,
								"jsonpath array accessor can only be applied to an array");

	st->mark = &mark;
	for (int i = 0; i < step->content.array.nelems; i++)
	{
		PgBsonJpOutcome outcome = take_subscript(st, step, i, item, &mark, out);

		if (outcome != PGBSON_JP_EMPTY)
			result = outcome;
		if (PgBsonJpSettled(outcome, out))
			break;
	}
	st->mark = saved;
	return result;
}

/* last */
PgBsonJpOutcome
PgBsonJpLast(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item, PgBsonJpSequence *out)
{
	PgBsonJpMark *mark = st->mark;
	int64		last = 0;
	uint32		rest;

	if (mark == NULL)
		elog(ERROR, "jsonpath LAST outside of an array subscript");
	/* leave the mark there, as that element is mostly taken next */
	if (PgBsonJpIsType(mark->array, PGBSON_ARRAY))
		last = PgBsonElementFromEnd(PgBsonValueView(&mark->array->u.value), 1, &mark->element, &mark->position, &rest) ?
			(int64) mark->position + rest : -1;
	return PgBsonJpNextValue(st, step, PgBsonMakeInteger(last), out);
}
