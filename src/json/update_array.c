/*
 * update_array.c
 *	  The update operators of arrays: $push, $addToSet, $pull, $pullAll, $pop.
 *
 * Each builds the array anew, and puts it where the old one was.
 */
#include "json/update_op.h"

#include "core/build.h"
#include "core/compare.h"
#include "core/number.h"
#include "json/match.h"
#include "miscadmin.h"

/* The array at the path; false, and an empty one, if nothing is there */
static bool
find_array(const PgBsonUpdating *u, PgBsonView *array)
{
	static const uint8 empty[PGBSON_MIN_SIZE] = {PGBSON_MIN_SIZE, 0, 0, 0, 0};
	PgBsonValue value;

	array->data = empty;
	array->len = sizeof(empty);
	if (!PgBsonUpdateFind(u, u->npath, &value))
		return false;
	if (value.type != PGBSON_ARRAY)
		PgBsonUpdateWrongTarget(u, value.type, "An array");
	*array = PgBsonValueView(&value);
	return true;
}

/* Put the array that was built */
static void
put_built(PgBsonUpdating *u, PgBsonBuilder *b)
{
	PgBson	   *built = PgBsonBuilderFinish(b);
	PgBsonValue value = PgBsonRoot(built);

	PgBsonUpdatePut(u, &value);
	pfree(built);
}

/* The modifiers of $push and $addToSet */
typedef struct Each
{
	PgBsonView	values;			/* of $each; data NULL: the operand is the value */
	bool		has_position;
	int64		position;
	bool		has_slice;
	int64		slice;
} Each;

static void
parse_each(PgBsonUpdating *u, const PgBsonValue *operand, bool modifiers, Each *each)
{
	PgBsonValue values;
	PgBsonIter	iter;

	memset(each, 0, sizeof(*each));
	if (operand->type != PGBSON_DOCUMENT ||
		!PgBsonFindKey(PgBsonValueView(operand), "$each", 5, &values))
		return;
	if (values.type != PGBSON_ARRAY)
		PgBsonUpdateWrongOperand(u, "An array for $each");
	each->values = PgBsonValueView(&values);

	PgBsonIterInit(&iter, PgBsonValueView(operand));
	while (PgBsonIterNext(&iter))
	{
		if (PgBsonIterIs(&iter, "$each"))
			continue;
		if (modifiers && PgBsonIterIs(&iter, "$position") &&
			PgBsonNumberToInt64(&iter.value, &each->position))
			each->has_position = true;
		else if (modifiers && PgBsonIterIs(&iter, "$slice") &&
				 PgBsonNumberToInt64(&iter.value, &each->slice))
			each->has_slice = true;
		else
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("invalid modifier of \"%s\" in a bson update: \"%s\"",
							u->operator, iter.key),
					 modifiers ? errdetail("$each goes with $position and $slice, which are integers.") : 0));
	}
}

/* Elements of the array while it is built, of which $slice keeps some */
typedef struct Sliced
{
	PgBsonBuilder *b;
	int64		skip;			/* elements yet to be left out */
	int64		keep;			/* elements yet to be kept */
} Sliced;

static void
append_sliced(Sliced *s, const PgBsonValue *value)
{
	if (s->skip > 0)
		s->skip--;
	else if (s->keep > 0)
	{
		PgBsonBuilderValue(s->b, value);
		s->keep--;
	}
}

static void
append_all(Sliced *s, PgBsonView array)
{
	PgBsonIter	iter;

	PgBsonIterInit(&iter, array);
	while (PgBsonIterNext(&iter))
		append_sliced(s, &iter.value);
}

static void
append_new(Sliced *s, const Each *each, const PgBsonValue *operand)
{
	if (each->values.data != NULL)
		append_all(s, each->values);
	else
		append_sliced(s, operand);
}

void
PgBsonApplyPush(PgBsonUpdating *u, const PgBsonValue *operand)
{
	PgBsonView	array;
	PgBsonIter	iter;
	Each		each;
	Sliced		s;
	int64		before;			/* old elements before the new ones */
	int64		count;
	int64		total;

	find_array(u, &array);
	parse_each(u, operand, true, &each);
	count = PgBsonViewCount(array);
	total = count + (each.values.data != NULL ? PgBsonViewCount(each.values) : 1);
	before = !each.has_position ? count
		: each.position < 0 ? Max(count + each.position, 0)
		: Min(each.position, count);

	s.skip = each.has_slice && each.slice < 0 ? Max(total + each.slice, 0) : 0;
	s.keep = each.has_slice && each.slice >= 0 ? each.slice : total;
	s.b = PgBsonBuilderBegin();
	PgBsonBuilderOpenArray(s.b);
	PgBsonIterInit(&iter, array);
	for (int64 i = 0; i < before && PgBsonIterNext(&iter); i++)
		append_sliced(&s, &iter.value);
	append_new(&s, &each, operand);
	while (PgBsonIterNext(&iter))
		append_sliced(&s, &iter.value);
	PgBsonBuilderClose(s.b);
	put_built(u, s.b);
}

/* The values of an array, sorted, for a search */
static PgBsonValue *
sorted_values(PgBsonView array, int *count)
{
	PgBsonValue *values = palloc_extended(sizeof(PgBsonValue) * ((Size) PgBsonViewCount(array) + 1),
										  MCXT_ALLOC_HUGE);
	PgBsonIter	iter;

	*count = 0;
	PgBsonIterInit(&iter, array);
	while (PgBsonIterNext(&iter))
		values[(*count)++] = iter.value;
	qsort(values, *count, sizeof(PgBsonValue), PgBsonCompareSorted);
	return values;
}

/* A value of a list, and where in the list it is */
typedef struct Ranked
{
	PgBsonValue value;
	int			place;
} Ranked;

static int
compare_ranked(const void *a, const void *b)
{
	const Ranked *x = (const Ranked *) a;
	const Ranked *y = (const Ranked *) b;
	int			cmp = PgBsonCompare(&x->value, &y->value);

	return cmp != 0 ? cmp : x->place < y->place ? -1 : x->place > y->place;
}

/* Append the values not among the old ones, in their order, equal ones once; says whether there were any */
static bool
append_unlike(Sliced *s, PgBsonView values, const PgBsonValue *old, int nold)
{
	uint32		count = PgBsonViewCount(values);
	Ranked	   *ranked = palloc_extended(sizeof(Ranked) * ((Size) count + 1), MCXT_ALLOC_HUGE);
	bool	   *is_new = palloc0((Size) count + 1);
	bool		any = false;
	PgBsonIter	iter;
	int			n = 0;

	PgBsonIterInit(&iter, values);
	while (PgBsonIterNext(&iter))
	{
		ranked[n].value = iter.value;
		ranked[n].place = n;
		n++;
	}
	qsort(ranked, n, sizeof(Ranked), compare_ranked);
	for (int i = 0; i < n; i++)
	{
		if ((i == 0 || PgBsonCompare(&ranked[i - 1].value, &ranked[i].value) != 0) &&
			!PgBsonIsAmong(old, nold, &ranked[i].value))
			is_new[ranked[i].place] = true;
	}

	PgBsonIterInit(&iter, values);
	for (int i = 0; PgBsonIterNext(&iter); i++)
	{
		if (!is_new[i])
			continue;
		append_sliced(s, &iter.value);
		any = true;
	}
	return any;
}

void
PgBsonApplyAddToSet(PgBsonUpdating *u, const PgBsonValue *operand)
{
	PgBsonView	array;
	Each		each;
	Sliced		s = {NULL, 0, PG_INT64_MAX};
	bool		there = find_array(u, &array);
	bool		any;
	PgBsonValue *old;
	int			nold;

	parse_each(u, operand, false, &each);
	old = sorted_values(array, &nold);
	s.b = PgBsonBuilderBegin();
	PgBsonBuilderOpenArray(s.b);
	append_all(&s, array);
	if (each.values.data != NULL)
		any = append_unlike(&s, each.values, old, nold);
	else if ((any = !PgBsonIsAmong(old, nold, operand)))
		append_sliced(&s, operand);
	PgBsonBuilderClose(s.b);
	if (any || !there)
		put_built(u, s.b);
	else
		pfree(PgBsonBuilderFinish(s.b));
}

/* Put the array without the elements for which "drop" says so */
typedef bool (*Drop) (const PgBsonValue *element, void *arg);

static void
put_without(PgBsonUpdating *u, Drop drop, void *arg)
{
	PgBsonView	array;
	PgBsonBuilder *b;
	PgBsonIter	iter;

	if (!find_array(u, &array))
		return;
	b = PgBsonBuilderBegin();
	PgBsonBuilderOpenArray(b);
	PgBsonIterInit(&iter, array);
	while (PgBsonIterNext(&iter))
	{
		CHECK_FOR_INTERRUPTS();
		if (!drop(&iter.value, arg))
			PgBsonBuilderValue(b, &iter.value);
	}
	PgBsonBuilderClose(b);
	put_built(u, b);
}

static bool
meets_query(const PgBsonValue *element, void *arg)
{
	return PgBsonQueryMatches((PgBsonQuery *) arg, element);
}

void
PgBsonApplyPull(PgBsonUpdating *u, const PgBsonValue *operand)
{
	put_without(u, meets_query, PgBsonQueryParseElement(operand));
}

/* Values sorted for a search */
typedef struct Sorted
{
	PgBsonValue *values;
	int			count;
} Sorted;

static bool
is_sorted_in(const PgBsonValue *element, void *arg)
{
	Sorted	   *sorted = (Sorted *) arg;

	return PgBsonIsAmong(sorted->values, sorted->count, element);
}

void
PgBsonApplyPullAll(PgBsonUpdating *u, const PgBsonValue *operand)
{
	Sorted		sorted;

	if (operand->type != PGBSON_ARRAY)
		PgBsonUpdateWrongOperand(u, "An array");
	sorted.values = sorted_values(PgBsonValueView(operand), &sorted.count);
	put_without(u, is_sorted_in, &sorted);
}

/* How many elements are yet to pass before one is dropped */
static bool
is_counted_out(const PgBsonValue *element, void *arg)
{
	return (*(int64 *) arg)-- == 0;
}

void
PgBsonApplyPop(PgBsonUpdating *u, const PgBsonValue *operand)
{
	PgBsonView	array;
	int64		end;
	int64		position;

	if (!PgBsonNumberToInt64(operand, &end) || (end != 1 && end != -1))
		PgBsonUpdateWrongOperand(u, "1 for the last element, -1 for the first,");
	if (!find_array(u, &array))
		return;
	position = end == 1 ? (int64) PgBsonViewCount(array) - 1 : 0;
	if (position >= 0)
		put_without(u, is_counted_out, &position);
}
