/*
 * window_functions.c
 *	  Window functions of MongoDB's pipelines that SQL lacks.
 */
#include "pgbson.h"

#include <math.h>

#include "core/bytes/recode.h"
#include "core/bytes/value.h"
#include "core/number/number.h"
#include "core/order/compare.h"
#include "core/write/from_value.h"
#include "fmgr.h"
#include "mongo/expr/expr.h"
#include "mongo/stage/granularity.h"
#include "utils/builtins.h"
#include "windowapi.h"

/* A value that came from a row, as null if it is NULL, in memory of its own, which *copy is */
static PgBsonValue
value_of(Datum datum, bool isnull, PgBson **copy)
{
	*copy = NULL;
	if (isnull)
		return PgBsonExprNull();
	*copy = DatumGetPgBsonPCopy(datum);
	return PgBsonRoot(*copy);
}

/* bson_bucket_auto */

typedef struct Buckets
{
	int64		end;			/* the row behind the current one */
	int32		made;
	const PgBsonSeries *series;
	PgBson	   *bucket;			/* {min, max} */
	PgBson	   *max;			/* of it */
} Buckets;

typedef struct BucketsCall
{
	WindowObject winobj;
	Buckets    *buckets;
	int64		rows;
	int64		current;
} BucketsCall;

/* The value of a row, counted from the partition's first one */
static PgBsonValue
value_at(const BucketsCall *call, int64 row, PgBson **copy)
{
	int64		distance = row - call->current;
	bool		isnull;
	bool		isout;
	Datum		datum;

	if (distance > PG_INT32_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many rows for a bucket of bson values")));
	datum = WinGetFuncArgInPartition(call->winobj, 0, (int) distance, WINDOW_SEEK_CURRENT, false, &isnull, &isout);
	return value_of(datum, isnull || isout, copy);
}

/* With a granularity there may be numbers only: as the rows are in order, the first and the last one tell */
static void
check_granular(const PgBsonValue *value)
{
	if (!PgBsonIsNumber(value->type))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("bson values in buckets with a granularity must be numbers"),
				 errdetail("One is of type %s.", PgBsonExprTypeName(value))));
	if (!(PgBsonDoubleOf(value) >= 0))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("bson numbers in buckets with a granularity must not be negative or NaN")));
}

static void
begin_buckets(const BucketsCall *call)
{
	bool		isnull;
	Datum		granularity = WinGetFuncArgCurrent(call->winobj, 2, &isnull);
	PgBson	   *copy;
	PgBsonValue value;
	text	   *name;

	if (isnull)
		return;
	name = DatumGetTextPP(granularity);
	call->buckets->series = PgBsonSeriesNamed(VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name));
	if (call->buckets->series == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unknown granularity of bson buckets: \"%s\"", text_to_cstring(name))));
	value = value_at(call, 0, &copy);
	check_granular(&value);
	value = value_at(call, call->rows - 1, &copy);
	check_granular(&value);
}

/* The first row from "row" on that is greater than "max", and not less than "bound" if that is given */
static int64
rows_upto(const BucketsCall *call, int64 row, const PgBsonValue *max, const PgBsonValue *bound)
{
	for (; row < call->rows; row++)
	{
		PgBson	   *copy;
		PgBsonValue value = value_at(call, row, &copy);
		bool		within = PgBsonCompare(&value, max) <= 0 || (bound != NULL && PgBsonCompare(&value, bound) < 0);

		CHECK_FOR_INTERRUPTS();
		if (copy != NULL)
			pfree(copy);
		if (!within)
			break;
	}
	return row;
}

/* The next bucket begins at the current row; values that are equal stay together */
static void
next_bucket(const BucketsCall *call, int32 count)
{
	Buckets    *buckets = call->buckets;
	int64		size = Max((int64) round((double) call->rows / count), 1);
	int64		last = buckets->made == count - 1 ? call->rows - 1 : Min(call->current + size, call->rows) - 1;
	PgBson	   *copy;
	PgBsonValue min = value_at(call, call->current, &copy);
	PgBsonValue max = value_at(call, last, &copy);
	PgBsonValue next = {PGBSON_MISSING, 0, NULL};
	PgBsonValue bound;
	PgBsonExprMaker maker;
	MemoryContext old;

	if (buckets->series == NULL)
		buckets->end = rows_upto(call, last + 1, &max, NULL);
	else
	{
		min = buckets->max != NULL ? PgBsonRoot(buckets->max) : PgBsonSeriesBelow(buckets->series, &min);
		bound = PgBsonSeriesAbove(buckets->series, &max);
		buckets->end = rows_upto(call, last + 1, &max, &bound);
		max = bound;
	}
	if (buckets->end < call->rows)
		next = value_at(call, buckets->end, &copy);
	if (next.type != PGBSON_MISSING && buckets->series == NULL)
		max = next;
	else if (next.type != PGBSON_MISSING && PgBsonDoubleOf(&max) == 0)
		max = PgBsonSeriesBelow(buckets->series, &next);

	PgBsonExprOpen(&maker, 0);
	PgBsonExprField(&maker, "min", 3, &min);
	PgBsonExprField(&maker, "max", 3, &max);
	min = PgBsonExprClose(&maker, PGBSON_DOCUMENT);
	old = MemoryContextSwitchTo(GetMemoryChunkContext(buckets));
	if (buckets->bucket != NULL)
		pfree(buckets->bucket);
	if (buckets->max != NULL)
		pfree(buckets->max);
	buckets->bucket = PgBsonFromValue(&min);
	buckets->max = PgBsonFromValue(&max);
	MemoryContextSwitchTo(old);
	buckets->made++;
}

/* SQL: bson_bucket_auto(value bson, buckets integer, granularity text DEFAULT NULL) returns bson */
PG_FUNCTION_INFO_V1(pgbson_bucket_auto);
Datum
pgbson_bucket_auto(PG_FUNCTION_ARGS)
{
	BucketsCall call;
	bool		isnull;
	int32		count;

	call.winobj = PG_WINDOW_OBJECT();
	call.buckets = WinGetPartitionLocalMemory(call.winobj, sizeof(Buckets));
	call.current = WinGetCurrentPosition(call.winobj);
	call.rows = WinGetPartitionRowCount(call.winobj);
	count = DatumGetInt32(WinGetFuncArgCurrent(call.winobj, 1, &isnull));
	if (isnull || count <= 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("number of bson buckets must be positive")));
	if (call.current == 0)
		begin_buckets(&call);
	if (call.current >= call.buckets->end)
		next_bucket(&call, count);
	WinSetMarkPosition(call.winobj, call.current);
	PG_RETURN_PGBSON_P(call.buckets->bucket);
}
