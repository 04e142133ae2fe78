/*
 * update_array.c
 *	  The update operators of arrays: $push, $addToSet, $pull, $pullAll, $pop.
 *
 * Each makes the array anew, in the run's writer, unless nothing changes.
 *
 * The authority is MongoDB's src/mongo/db/update/push_node.cpp, addtoset_node.cpp,
 * pull_node.cpp, pullall_node.cpp and pop_node.cpp.
 */
#include "mongo/update/update_tree.h"

#include "core/bytes/sort.h"
#include "core/number/number.h"
#include "core/order/compare.h"
#include "mongo/common/options.h"
#include "mongo/sort/sort_key.h"

static void
push_element(PgBsonWriter *m, const PgBsonValue *value)
{
	CHECK_FOR_INTERRUPTS();
	PgBsonWriterElement(m, m->count++, value);
}

/* Make this array the new value; its memory is freed with the run */
static void
end_new_array(PgBsonWriter *m, PgBsonUpdateRun *run, PgBsonValue *new)
{
	*new = PgBsonWriterEnd(m, PGBSON_ARRAY);
	run->built = *m;
}

/* Raise 22023 unless the value is an array */
static void
check_array(const PgBsonUpdateOp *op, const PgBsonValue *old)
{
	if (old->type != PGBSON_ARRAY)
		PgBsonUpdateWrongPlace(op, old->type, gettext_noop("An array is expected there."));
}

/* Read the operand: one value to add or, with $each, an array of them */
static void
list_operands(PgBsonUpdateOp *op, const PgBsonValue *each)
{
	if (each == NULL)
	{
		op->values = &op->operand;
		op->nvalues = 1;
		return;
	}
	if (each->type != PGBSON_ARRAY)
		PgBsonUpdateWrongOperand(op, gettext_noop("An array is expected for \"$each\"."));
	op->values = PgBsonValuesOf(each, &op->nvalues);
}

/* --- $push --- */

/* 1 or -1 */
static bool
sort_direction(const PgBsonValue *value, bool *descending)
{
	int64		direction;

	if (!PgBsonNumberToInt64(value, &direction) || (direction != 1 && direction != -1))
		return false;
	*descending = direction < 0;
	return true;
}

/* Read $sort of $push: 1 or -1 to sort by whole elements, or a document of fields */
static void
prepare_sort(PgBsonUpdateOp *op, const PgBsonValue *sort)
{
	int			count = sort->type == PGBSON_DOCUMENT ? PgBsonViewCount(PgBsonValueView(sort)) : 1;

	op->sort = palloc0_array(PgBsonKeyRef, count + 1);
	op->descending = palloc_array(bool, count + 1);
	if (sort->type != PGBSON_DOCUMENT)
	{
		op->nsort = 1;
		if (!sort_direction(sort, &op->descending[0]))
			PgBsonUpdateWrongOperand(op, gettext_noop("1, -1 or a document of fields with 1 or -1 is expected for \"$sort\"."));
		return;
	}
	PgBsonForEach(iter, PgBsonValueView(sort))
	{
		op->sort[op->nsort] = (PgBsonKeyRef) {iter.key, iter.key_len};
		if (!sort_direction(&iter.value, &op->descending[op->nsort++]))
			PgBsonUpdateWrongOperand(op, gettext_noop("1 or -1 is expected for each field of \"$sort\"."));
		if (iter.key_len == 0 || iter.key[0] == '.' || iter.key[iter.key_len - 1] == '.' ||
			strstr(iter.key, "..") != NULL)
			PgBsonUpdateWrongOperand(op, gettext_noop("A path in \"$sort\" must not have an empty name."));
	}
	if (op->nsort == 0)
		PgBsonUpdateWrongOperand(op, gettext_noop("At least one field is expected for \"$sort\"."));
}

void
PgBsonPreparePush(PgBsonUpdateOp *op)
{
	PgBsonValue clauses[4] = {{PGBSON_EOD}};	/* $each, $position, $slice, $sort */
	PgBsonIter	unknown;
	bool		all_known = true;

	if (op->operand.type == PGBSON_DOCUMENT)
		all_known = PgBsonOptionsRead(&op->operand, "$each $position $slice $sort", clauses, &unknown);
	if (clauses[0].type == PGBSON_EOD)
	{
		list_operands(op, NULL);
		return;
	}
	list_operands(op, &clauses[0]);
	if (!all_known)
		PgBsonUpdateWrongOperand(op, gettext_noop("\"$each\" can be combined only with \"$position\", \"$slice\" and \"$sort\"."));
	if (PgBsonHasDuplicateKeys(PgBsonValueView(&op->operand)))
		PgBsonUpdateWrongOperand(op, gettext_noop("A modifier is given twice."));
	op->has_position = clauses[1].type != PGBSON_EOD;
	if (op->has_position && !PgBsonNumberToInt64(&clauses[1], &op->position))
		PgBsonUpdateWrongOperand(op, gettext_noop("An integer is expected for \"$position\"."));
	op->has_slice = clauses[2].type != PGBSON_EOD;
	if (op->has_slice && !PgBsonNumberToInt64(&clauses[2], &op->slice))
		PgBsonUpdateWrongOperand(op, gettext_noop("An integer is expected for \"$slice\"."));
	if (clauses[3].type != PGBSON_EOD)
		prepare_sort(op, &clauses[3]);
}

/* The value of an element at a path, or null; a field whose name has the dots takes precedence */
static PgBsonValue
element_sort_key(const PgBsonValue *element, int i, const void *arg)
{
	const PgBsonUpdateOp *op = arg;
	const char *path = op->sort[i].key;
	uint32		len = op->sort[i].len;
	PgBsonValue from = *element;
	PgBsonValue value;
	const char *dot;

	if (path == NULL)
		return *element;
	if (element->type != PGBSON_DOCUMENT)
		return PgBsonNull;
	while (!PgBsonFindKey(PgBsonValueView(&from), path, len, &value))
	{
		dot = memchr(path, '.', len);
		if (dot == NULL || !PgBsonFindKey(PgBsonValueView(&from), path, dot - path, &value) ||
			!PgBsonIsContainer(value.type))
			return PgBsonNull;
		from = value;
		len -= dot + 1 - path;
		path = dot + 1;
	}
	return value;
}

/* Mark the value as present, if it is one of the operator's; false if it is not, or was marked before */
static bool
mark_present(const PgBsonUpdateOp *op, const PgBsonValue *value, bool *present)
{
	PgBsonValue *found = bsearch(value, op->sorted, op->nsorted, sizeof(PgBsonValue), PgBsonCompareSorted);

	CHECK_FOR_INTERRUPTS();
	if (found == NULL || present[found - op->sorted])
		return false;
	present[found - op->sorted] = true;
	return true;
}

/* Append the values; those of $addToSet that are not yet marked, which are then */
static void
append_values(PgBsonUpdateRun *run, const PgBsonUpdateOp *op, PgBsonView array, bool *present, PgBsonValue *new)
{
	PgBsonWriter m;

	PgBsonWriterBegin(&m, (Size) array.len + op->operand.len + 64);
	m.count = PgBsonViewCount(array);
	PgBsonWriterBytes(&m, array.data + 4, array.len - 5);
	for (int i = 0; i < op->nvalues; i++)
	{
		if (present == NULL || mark_present(op, &op->values[i], present))
			push_element(&m, &op->values[i]);
	}
	end_new_array(&m, run, new);
}

bool
PgBsonChangePush(PgBsonUpdateRun *run, const PgBsonUpdateOp *op, const PgBsonValue *old, PgBsonValue *new)
{
	PgBsonView	array = PgBsonEmpty;
	PgBsonValue *values;
	int			count = 0;
	int64		at;				/* where the new ones go */
	int64		first = 0;		/* the beginning of the part that $slice keeps */
	int64		end;
	PgBsonWriter m;

	if (old != NULL)
	{
		check_array(op, old);
		array = PgBsonValueView(old);
	}
	if (!op->has_position && !op->has_slice && op->nsort == 0)
	{
		if (old != NULL && op->nvalues == 0)
			return false;
		append_values(run, op, array, NULL, new);
		return true;
	}

	values = palloc_extended(sizeof(PgBsonValue) * ((Size) PgBsonViewCount(array) + op->nvalues + 1), MCXT_ALLOC_HUGE);
	PgBsonForEach(iter, array)
		values[count++] = iter.value;
	at = !op->has_position ? count
		: op->position >= 0 ? Min(op->position, count)
		: op->position < -count ? 0 : count + op->position;
	if (op->nvalues > 0)
	{
		memmove(values + at + op->nvalues, values + at, (count - at) * sizeof(PgBsonValue));
		memcpy(values + at, op->values, op->nvalues * sizeof(PgBsonValue));
		count += op->nvalues;
	}
	if (op->nsort > 0)
		PgBsonSortByKeys(values, count, op->nsort, op->descending, element_sort_key, op);
	end = count;
	if (op->has_slice && op->slice >= 0)
		end = Min(op->slice, count);
	else if (op->has_slice && op->slice > -count)
		first = count + op->slice;

	PgBsonWriterBegin(&m, (Size) array.len + op->operand.len + 64);
	for (int64 i = first; i < end; i++)
		push_element(&m, &values[i]);
	end_new_array(&m, run, new);
	pfree(values);
	return true;
}

/* --- $addToSet --- */

void
PgBsonPrepareAddToSet(PgBsonUpdateOp *op)
{
	PgBsonIter	iter;

	if (op->operand.type == PGBSON_DOCUMENT && PgBsonFirst(&op->operand, &iter) && PgBsonIterIs(&iter, "$each"))
	{
		list_operands(op, &iter.value);
		if (PgBsonIterNext(&iter))
			PgBsonUpdateWrongOperand(op, gettext_noop("\"$each\" must be the only field."));
	}
	else
		list_operands(op, NULL);

	op->sorted = palloc_extended(sizeof(PgBsonValue) * ((Size) op->nvalues + 1), MCXT_ALLOC_HUGE);
	memcpy(op->sorted, op->values, sizeof(PgBsonValue) * op->nvalues);
	op->nsorted = PgBsonSortDistinct(op->sorted, op->nvalues);
}

bool
PgBsonChangeAddToSet(PgBsonUpdateRun *run, const PgBsonUpdateOp *op, const PgBsonValue *old, PgBsonValue *new)
{
	bool	   *present = palloc0((Size) op->nsorted + 1);
	int			missing = op->nsorted;
	PgBsonIter	iter;

	if (old != NULL)
	{
		check_array(op, old);
		PgBsonIterInit(&iter, PgBsonValueView(old));
		while (missing > 0 && PgBsonIterNext(&iter))
			missing -= mark_present(op, &iter.value, present);
	}
	if (old == NULL || missing > 0)
		append_values(run, op, old != NULL ? PgBsonValueView(old) : PgBsonEmpty, missing < op->nvalues ? present
					  : NULL, new);
	pfree(present);
	return old == NULL || missing > 0;
}

/* --- $pull, $pullAll, $pop --- */

/* Is the condition of $pull about the element itself, not the fields of elements that are documents? */
static bool
is_about_element(const PgBsonValue *condition)
{
	PgBsonIter	iter;

	return condition->type == PGBSON_REGEX || (PgBsonFirst(condition, &iter) && PgBsonQueryIsOperator(&iter));
}

/* A condition about the element itself becomes a query about a field "", which will hold the element */
void
PgBsonPreparePull(PgBsonUpdateOp *op)
{
	PgBsonValue condition = op->operand;

	if (condition.type != PGBSON_DOCUMENT && condition.type != PGBSON_REGEX)
	{
		list_operands(op, NULL);
		return;
	}
	op->wrapped = is_about_element(&condition);
	if (op->wrapped)
		condition = PgBsonMakePair("", 0, &condition);
	op->query = PgBsonQueryParse(&condition);
	if (PgBsonQueryHas(op->query, PGBSON_QUERY_EXPR) || PgBsonQueryHas(op->query, PGBSON_QUERY_SCHEMA))
		PgBsonUpdateWrongOperand(op, gettext_noop("$expr and $jsonSchema are not for elements of an array."));
}

static bool
is_pulled(const PgBsonUpdateOp *op, const PgBsonValue *element)
{
	PgBsonValue document;
	bool		pulled;

	if (op->query == NULL)
		return PgBsonIsAmong(op->values, op->nvalues, element);
	if (!op->wrapped)
		return element->type == PGBSON_DOCUMENT && PgBsonQueryMatches(op->query, element);
	document = PgBsonMakePair("", 0, element);
	pulled = PgBsonQueryMatches(op->query, &document);
	pfree(unconstify(uint8 *, document.data));
	return pulled;
}

/* Remove the elements that the condition, or the list, is about; of $pop, whose code is 1, the first or the last */
bool
PgBsonChangePull(PgBsonUpdateRun *run, const PgBsonUpdateOp *op, const PgBsonValue *old, PgBsonValue *new)
{
	PgBsonWriter m;
	bool		pops = op->operator->code != 0;
	uint32		popped = 1;		/* which element goes, counted from 1 */
	uint32		position = 0;

	m.data = NULL;
	if (old == NULL)
		return false;
	check_array(op, old);
	if (pops && !op->flag)
		popped = PgBsonViewCount(PgBsonValueView(old));
	PgBsonForEach(iter, PgBsonValueView(old))
	{
		position++;
		if (pops ? position == popped : is_pulled(op, &iter.value))
		{
			if (m.data != NULL)
				continue;
			/* the first element to be removed: copy all elements before it as they are */
			PgBsonWriterBegin(&m, old->len);
			m.count = position - 1;
			PgBsonWriterBytes(&m, old->data + 4, iter.element - old->data - 4);
		}
		else if (m.data != NULL)
			push_element(&m, &iter.value);
	}
	if (m.data != NULL)
		end_new_array(&m, run, new);
	return m.data != NULL;
}

void
PgBsonPreparePullAll(PgBsonUpdateOp *op)
{
	if (op->operand.type != PGBSON_ARRAY)
		PgBsonUpdateWrongOperand(op, gettext_noop("An array is expected."));
	op->values = PgBsonValuesOf(&op->operand, &op->nvalues);
	PgBsonSort(op->values, op->nvalues, sizeof(PgBsonValue), PgBsonCompareSorted);
}

void
PgBsonPreparePop(PgBsonUpdateOp *op)
{
	if (!sort_direction(&op->operand, &op->flag))
		PgBsonUpdateWrongOperand(op, gettext_noop("1 for the last element or -1 for the first is expected."));
}
