/*
 * access.c
 *	  The jsonpath steps that find members, elements and descendants of a value.
 */
#include "jsonpath/exec.h"

#include "core/path.h"
#include "jsonpath/literal.h"
#include "miscadmin.h"

/* The number of levels that .** can descend before its stack grows */
#define ANY_INITIAL_LEVELS	16

static inline bool
is_container(const PgBsonJpItem *item)
{
	return item->kind == PGBSON_JP_VALUE && PgBsonIsContainer(item->u.value.type);
}

PgBsonJpOutcome
PgBsonJpChildren(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item,
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

/* .key */
PgBsonJpOutcome
PgBsonJpKey(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item,
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

	key = PgBsonJsonpathString(step, &len);
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
PgBsonJpOutcome
PgBsonJpAnyKey(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item,
			   PgBsonJpSequence *out)
{
	JsonPathItem next;
	bool		has_next = jspGetNext(step, &next);

	if (PgBsonJpIsType(item, PGBSON_DOCUMENT))
		return PgBsonJpChildren(st, has_next ? &next : NULL, item, out, st->lax);
	if (st->ignore_structure)
		return PGBSON_JP_EMPTY;
	return PgBsonJpFail(st, ERRCODE_SQL_JSON_OBJECT_NOT_FOUND,
						"jsonpath wildcard member accessor can only be applied to an object");
}

/* [*] */
PgBsonJpOutcome
PgBsonJpAnyArray(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item,
				 PgBsonJpSequence *out)
{
	JsonPathItem next;
	bool		has_next = jspGetNext(step, &next);

	if (PgBsonJpIsType(item, PGBSON_ARRAY))
		return PgBsonJpChildren(st, has_next ? &next : NULL, item, out, st->lax);
	if (st->lax)
		return PgBsonJpNext(st, step, item, out);
	if (st->ignore_structure)
		return PGBSON_JP_EMPTY;
	return PgBsonJpFail(st, ERRCODE_SQL_JSON_ARRAY_NOT_FOUND,
						"jsonpath wildcard array accessor can only be applied to an array");
}

/* Take the item to the next step, ignoring structural errors, as .** does */
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

/*
 * .**: the item and its descendants, in document order, from level "first" to
 * "last"; both are PG_UINT32_MAX for the leaves.
 */
PgBsonJpOutcome
PgBsonJpAny(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item,
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

	/* as in jsonb, a suppressed error of a container is discarded when its children are visited */
	if (result == PGBSON_JP_FAILED)
		result = PGBSON_JP_EMPTY;

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
	outcome = PgBsonJpRun(st, step, item, &found, st->lax);
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

/* The elements from "from" to "to" of an array, or the item itself if it is not an array */
static PgBsonJpOutcome
take_range(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item,
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

/* The number of elements; 1 for a value that is not an array */
static int64
array_size(const PgBsonJpItem *item)
{
	if (!PgBsonJpIsType(item, PGBSON_ARRAY))
		return 1;
	return PgBsonViewCount(PgBsonValueView(&item->u.value));
}

/* One subscript, "from" or "from to to" */
static PgBsonJpOutcome
take_subscript(PgBsonJpState *st, JsonPathItem *step, int nth,
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

	/* only strict mode needs the size, because finding it takes a pass over the array */
	if (!st->ignore_structure && (from < 0 || from > to || to >= array_size(item)))
		return PgBsonJpFail(st, ERRCODE_INVALID_SQL_JSON_SUBSCRIPT,
							"jsonpath array subscript is out of bounds");
	return take_range(st, step, item, from, to, out);
}

/* [subscript, ...] */
PgBsonJpOutcome
PgBsonJpSubscripts(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item,
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
		PgBsonJpOutcome outcome = take_subscript(st, step, i, item, out);

		if (outcome != PGBSON_JP_EMPTY)
			result = outcome;
		if (PgBsonJpSettled(outcome, out))
			break;
	}
	st->array = saved;
	return result;
}

/* last */
PgBsonJpOutcome
PgBsonJpLast(PgBsonJpState *st, JsonPathItem *step, PgBsonJpSequence *out)
{
	PgBsonJpItem last;

	if (st->array == NULL)
		elog(ERROR, "jsonpath LAST outside of an array subscript");
	last = PgBsonJpValueItem(PgBsonJpMakeInteger(array_size(st->array) - 1));
	return PgBsonJpNext(st, step, &last, out);
}
