/*
 * push.c
 *	  bson_accumulate: the arrays that $push, $facet and other accumulators and stages make, which have a greatest size.
 *
 * The state is that of bson_agg (sql/make/aggregate.c), whose other functions serve this aggregate, too.
 */
#include "door.h"

#include "core/bytes/names.h"
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

/* The state of the transition, which is created at the first row */
static PgBsonElements *
accumulation(FunctionCallInfo fcinfo, const text *name)
{
	MemoryContext context = PgBsonStateContext(fcinfo);
	PgBsonElements *state;

	if (!PG_ARGISNULL(0))
		return PgBsonStateArgument(fcinfo, 0, PGBSON_ELEMENTS_MAGIC);
	state = PgBsonElementsBegin(context);
	if (PgBsonNameAmong(WHOLE, VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name)) >= 0)
		state->w.made_by = MemoryContextStrdup(context, text_to_cstring(name));
	return state;
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
	if (PgBsonIsNumber(reader.root.type) || PgBsonNameAmong(OF_NUMBERS, VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name)) < 0)
	{
		/* two levels: the array, and the envelope around it */
		PgBsonCheckDepth(&reader.root, 2);
		before = state->w.capacity;
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
	PgBson	   *array;

	if (PG_ARGISNULL(0))
		PG_RETURN_PGBSON_P(PgBsonEmptyOf(PGBSON_ARRAY));
	PgBsonLocateCall(fcinfo);
	array = PgBsonElementsToArray(PgBsonStateArgument(fcinfo, 0, PGBSON_ELEMENTS_MAGIC));
	PgBsonCheckCall(fcinfo, VARSIZE(array), "");
	PG_RETURN_PGBSON_P(array);
}

/* SQL: bson_unmatched(document bson) returns bson: the error of $merge with whenNotMatched "fail" */
PGBSON_FUNCTION(pgbson_unmatched)
{
	PgBsonReport(ERRCODE_NO_DATA_FOUND, errmsg("stage \"$merge\" of a bson pipeline found no document to merge with"),
				 errdetail("\"whenNotMatched\" is \"fail\"."));
}
