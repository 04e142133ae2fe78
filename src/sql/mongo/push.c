/*
 * push.c
 *	  bson_accumulate: the arrays that $push, $facet and other accumulators and stages make, which have a greatest size.
 *
 * That of $addToSet has each value once, in ascending order.
 *
 * The state is that of bson_agg (sql/make/aggregate.c), whose other functions serve this aggregate, too.
 */
#include "door.h"

#include "core/bytes/names.h"
#include "core/order/compare.h"
#include "core/write/elements.h"
#include "core/write/from_value.h"
#include "sql/make/aggregate.h"
#include "sql/site/kept.h"
#include "utils/builtins.h"

/* These count only numbers, which are many and small */
#define OF_NUMBERS	"$median $percentile $stdDevPop $stdDevSamp"

/*
 * Of these the array is the result, or most of it, and has a greatest size; from other arrays a smaller result is
 * computed
 */
#define WHOLE		"$push $addToSet $mergeObjects $facet $lookup $graphLookup"

/* A set of so many bytes may have values twice */
#define SMALL_SET	1024

/* The state of the transition, which is created at the first row */
static PgBsonElements *
accumulation(FunctionCallInfo fcinfo, const text *name)
{
	MemoryContext context = PgBsonStateContext(fcinfo);
	PgBsonElements *state;

	if (!PG_ARGISNULL(0))
		return PgBsonStateArgument(fcinfo, 0, PGBSON_ELEMENTS_MAGIC);
	state = PgBsonElementsBegin(context);
	state->is_set = PgBsonNameAmong("$addToSet", VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name)) >= 0;
	if (PgBsonNameAmong(WHOLE, VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name)) >= 0)
		state->w.made_by = MemoryContextStrdup(context, text_to_cstring(name));
	return state;
}

/* The values of a set, each once, in order; palloc'd */
static PgBsonValue *
distinct_values(const PgBsonElements *set, int *count)
{
	PgBsonValue all = PgBsonRoot(PgBsonElementsToArray(set));
	PgBsonValue *values = PgBsonValuesOf(&all, count);

	*count = PgBsonSortDistinct(values, *count);
	return values;
}

/* Before a set grows by a value, leave out those that it has twice; true if it has this one, too */
static bool
has_already(PgBsonElements *set, const PgBsonValue *value)
{
	Size		bytes = (Size) value->len + 2;
	PgBsonValue *values;
	int			count;

	if (set->w.len < SMALL_SET || set->w.capacity - set->w.len >= bytes)
		return false;
	values = distinct_values(set, &count);
	set->w.len = set->w.count = 0;
	for (int i = 0; i < count; i++)
		PgBsonElementsAppend(set, "", 0, &values[i]);
	if (PgBsonIsAmong(values, count, value))
		return true;
	/* where few were left out, this would be soon again */
	if (set->w.len > set->w.capacity / 2)
		PgBsonWriterGrow(&set->w, bytes);
	return false;
}

/* SQL: bson_accumulate_transfn(internal, value bson, accumulator text) returns internal; NULL values do not count */
PGBSON_FUNCTION(pgbson_accumulate_transfn)
{
	const text *name = PG_ARGISNULL(2) ? NULL : PG_GETARG_TEXT_PP(2);
	PgBsonElements *state;
	PgBsonReader reader;
	Size		before;

	if (name == NULL)
		PgBsonReportInvalid(errmsg("name of an accumulator must not be null"));
	/* what is too large names the stage */
	PgBsonLocateCall(fcinfo);
	state = accumulation(fcinfo, name);
	if (PG_ARGISNULL(1))
		PG_RETURN_POINTER(state);
	(void) PgBsonOpenWhole(&reader, PG_GETARG_DATUM(1));
	before = state->w.capacity;
	if (state->is_set ? !has_already(state, &reader.root) : PgBsonIsNumber(reader.root.type) ||
		PgBsonNameAmong(OF_NUMBERS, VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name)) < 0)
	{
		/* two levels: the array, and the envelope around it */
		PgBsonCheckDepth(&reader.root, 2);
		PgBsonElementsAppend(state, "", 0, &reader.root);
		if (state->w.capacity != before)
			PgBsonCheckCall(fcinfo, state->w.capacity, state->w.made_by == NULL ? "" : state->w.made_by);
	}
	PgBsonDrop(&reader);
	PG_RETURN_POINTER(state);
}

/* SQL: bson_accumulate_finalfn(internal) returns bson; an empty array if there was no row */
PGBSON_FUNCTION(pgbson_accumulate_finalfn)
{
	PgBsonElements *state;
	PgBson	   *array;
	PgBsonValue *values;
	int			count;

	if (PG_ARGISNULL(0))
		PG_RETURN_PGBSON_P(PgBsonEmptyOf(PGBSON_ARRAY));
	PgBsonLocateCall(fcinfo);
	state = PgBsonStateArgument(fcinfo, 0, PGBSON_ELEMENTS_MAGIC);
	if (state->is_set)
	{
		values = distinct_values(state, &count);
		array = PgBsonArrayOf(values, count);
	}
	else
		array = PgBsonElementsToArray(state);
	PgBsonCheckCall(fcinfo, VARSIZE(array), "");
	PG_RETURN_PGBSON_P(array);
}

/* SQL: bson_unmatched(document bson) returns bson: the error of $merge with whenNotMatched "fail" */
PGBSON_FUNCTION(pgbson_unmatched)
{
	PgBsonReport(ERRCODE_NO_DATA_FOUND, errmsg("stage \"$merge\" of a bson pipeline found no document to merge with"),
				 errdetail("\"whenNotMatched\" is \"fail\"."));
}
