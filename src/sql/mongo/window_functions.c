/*
 * window_functions.c
 *	  Window functions of MongoDB's pipelines that SQL lacks.
 */
#include "door.h"

#include <math.h>

#include "core/number/decimal.h"
#include "core/order/compare.h"
#include "mongo/stage/moments.h"
#include "sql/mongo/collated.h"
#include "utils/builtins.h"
#include "windowapi.h"

/* The value of a row's datum, copied, as it is valid only until another row is fetched; BSON null for SQL NULL */
static PgBsonValue
value_of_datum(Datum datum, bool isnull)
{
	return isnull ? PgBsonNull : PgBsonRoot(DatumGetPgBsonPCopy(datum));
}

/* Argument "argno" in the row "distance" rows after this one; *isout if the partition ends before it */
static Datum
value_ahead(WindowObject winobj, int argno, int64 distance, bool *isnull, bool *isout)
{
	if (distance > PG_INT32_MAX)
		PgBsonReportLimit(errmsg("too many rows between two bson values in a window"));
	return WinGetFuncArgInPartition(winobj, argno, (int) distance, WINDOW_SEEK_CURRENT, false, isnull, isout);
}

/* bson_bucket_auto */

typedef struct Buckets
{
	int64		end;			/* the number of the row after the last one of the current bucket */
	int32		made;			/* how many buckets were made so far */
	const PgBsonSeries *series; /* the granularity; NULL if none was given */
	PgBson	   *bucket;			/* the current bucket, {min, max} */
	PgBson	   *max;			/* its upper bound, which a granularity makes the lower bound of the next */
} Buckets;

typedef struct BucketsCall
{
	WindowObject winobj;
	Buckets    *buckets;		/* kept for the whole partition */
	int64		rows;			/* of the partition */
	int64		current;		/* the number of the current row, from 0 */
} BucketsCall;

/* Argument 0 in the row of this number, counted from 0 at the beginning of the partition */
static PgBsonValue
value_at(const BucketsCall *call, int64 row)
{
	bool		isnull;
	bool		isout;
	Datum		datum = value_ahead(call->winobj, 0, row - call->current, &isnull, &isout);

	return value_of_datum(datum, isnull || isout);
}

/* Raise 22023 if there is a granularity, and the value is not a number that is at least 0 */
static void
check_granular(const BucketsCall *call, const PgBsonValue *value)
{
	if (call->buckets->series == NULL)
		return;
	if (!PgBsonIsNumber(value->type))
		PgBsonReportInvalid(errmsg("bson values in buckets with a granularity must be numbers"),
							errdetail("One is of type %s.", PgBsonExprTypeName(value)));
	if (PgBsonNumberCompare(value, &PgBsonZero) < 0)	/* so is NaN */
		PgBsonReportInvalid(errmsg("bson numbers in buckets with a granularity must not be negative or NaN"));
}

static void
begin_buckets(const BucketsCall *call)
{
	bool		isnull;
	Datum		granularity = WinGetFuncArgCurrent(call->winobj, 2, &isnull);
	text	   *name;

	if (isnull)
		return;
	name = DatumGetTextPP(granularity);
	call->buckets->series = PgBsonSeriesNamed(VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name));
	if (call->buckets->series == NULL)
		PgBsonReportInvalid(errmsg("unknown granularity of bson buckets: \"%s\"", text_to_cstring(name)));
}

/* The first row, from number "row" on, whose value is greater than "max" and at least "bound", unless that is NULL */
static int64
rows_upto(const BucketsCall *call, int64 row, const PgBsonValue *max, const PgBsonValue *bound)
{
	MemoryContext scratch = PgBsonExprScratch();
	MemoryContext old = MemoryContextSwitchTo(scratch);

	for (; row < call->rows; row++)
	{
		PgBsonValue value = value_at(call, row);

		CHECK_FOR_INTERRUPTS();
		if (PgBsonCompare(&value, max) > 0 && (bound == NULL || PgBsonCompare(&value, bound) >= 0))
			break;
		PgBsonExprScratchTrim(scratch);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(scratch);
	return row;
}

/* Make the bucket that begins at the current row, one of "count".  Rows with equal values are in the same bucket. */
static void
next_bucket(const BucketsCall *call, int32 count)
{
	Buckets    *buckets = call->buckets;
	int64		size = Max((int64) round((double) call->rows / count), 1);
	int64		last = buckets->made == count - 1 ? call->rows - 1 : Min(call->current + size, call->rows) - 1;
	PgBsonValue min = value_at(call, call->current);
	PgBsonValue max = value_at(call, last);
	PgBsonValue next = PgBsonMissing;
	PgBsonValue bound;
	MemoryContext old;

	check_granular(call, &min);
	check_granular(call, &max);
	if (buckets->series == NULL)
		buckets->end = rows_upto(call, last + 1, &max, NULL);
	else
	{
		min = buckets->max != NULL ? PgBsonRoot(buckets->max) : PgBsonSeriesNext(buckets->series, &min, -1);
		bound = PgBsonSeriesNext(buckets->series, &max, 1);
		buckets->end = rows_upto(call, last + 1, &max, &bound);
		max = bound;
	}
	if (buckets->end < call->rows)
	{
		next = value_at(call, buckets->end);
		check_granular(call, &next);
	}
	if (next.type != PGBSON_MISSING && buckets->series == NULL)
		max = next;
	else if (next.type != PGBSON_MISSING && PgBsonNumberCompare(&max, &PgBsonZero) == 0)
		max = PgBsonSeriesNext(buckets->series, &next, -1);

	min = PgBsonMakeDocument("min", &min, "max", &max, NULL);
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

static Datum
bucket_auto(PG_FUNCTION_ARGS)
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
		PgBsonReportInvalid(errmsg("number of bson buckets must be positive"));
	if (call.current == 0)
		begin_buckets(&call);
	if (call.current >= call.buckets->end)
		next_bucket(&call, count);
	WinSetMarkPosition(call.winobj, call.current);
	PG_RETURN_PGBSON_P(call.buckets->bucket);
}

/* SQL: bson_bucket_auto(value bson, buckets integer, granularity text DEFAULT NULL) returns bson */
PGBSON_DOOR(pgbson_bucket_auto, PgBsonCallCollated(fcinfo, bucket_auto));

/* bson_derivative */

/* Argument "argno" in the first or the last row of the frame, as "seek" says; false if the frame has no rows */
static bool
value_at_end(WindowObject winobj, int argno, int seek, PgBsonValue *value)
{
	bool		isnull;
	bool		isout;
	Datum		datum = WinGetFuncArgInFrame(winobj, argno, 0, seek, false, &isnull, &isout);

	*value = value_of_datum(datum, isnull || isout);
	return !isout;
}

/* The argument that names a unit of time, which must have a fixed length */
static const PgBsonUnit *
fixed_unit(WindowObject winobj, int argno)
{
	bool		isnull;
	Datum		datum = WinGetFuncArgCurrent(winobj, argno, &isnull);

	return isnull ? NULL : PgBsonFixedUnit(VARDATA_ANY(DatumGetTextPP(datum)),
										   VARSIZE_ANY_EXHDR(DatumGetTextPP(datum)));
}

/* SQL: bson_derivative(x bson, y bson, unit text DEFAULT NULL) returns bson; NULL where the frame has no two places */
PGBSON_FUNCTION(pgbson_derivative)
{
	WindowObject winobj = PG_WINDOW_OBJECT();
	const PgBsonUnit *unit = fixed_unit(winobj, 2);
	PgBsonValue x[2];
	PgBsonValue y[2];
	PgBsonValue result;

	for (int i = 0; i < 2; i++)
	{
		int			seek = i == 0 ? WINDOW_SEEK_HEAD : WINDOW_SEEK_TAIL;

		if (!value_at_end(winobj, 0, seek, &x[i]) || !value_at_end(winobj, 1, seek, &y[i]))
			PG_RETURN_NULL();
		PgBsonRangeCheck(&x[i], unit);
		PgBsonRangeCheck(&y[i], NULL);
	}
	x[0] = PgBsonExprSubtract(&x[1], &x[0]);
	y[0] = PgBsonExprSubtract(&y[1], &y[0]);
	result = PgBsonExprDivide(&y[0], &x[0]);
	if (result.type == PGBSON_NULL)
		PG_RETURN_NULL();
	if (unit != NULL)
	{
		x[0] = PgBsonMakeInt64(unit->ms);
		result = PgBsonExprMultiply(&result, &x[0]);
	}
	PG_RETURN_PGBSON_P(PgBsonFromValue(&result));
}

/* bson_exp_moving_avg */

/* The argument "alpha", the weight of the current row's value, as a decimal128 */
static void
alpha_argument(WindowObject winobj, int argno, uint8 *alpha)
{
	bool		isnull;
	Datum		datum = WinGetFuncArgCurrent(winobj, argno, &isnull);
	PgBsonValue value = value_of_datum(datum, isnull);

	if (!PgBsonIsNumber(value.type) || PgBsonNumberCompare(&value, &PgBsonZero) <= 0 ||
		PgBsonNumberCompare(&value, &PgBsonOne) > 0)
		PgBsonReportInvalid(errmsg("weight of a moving average of bson numbers must be greater than 0 and at most 1"));
	PgBsonNumberToDecimal(&value, alpha);
}

/* SQL: bson_exp_moving_avg(value bson, alpha bson) returns bson; NULL where there was no number yet */
PGBSON_FUNCTION(pgbson_exp_moving_avg)
{
	WindowObject winobj = PG_WINDOW_OBJECT();
	PgBsonMovingAverage *average = WinGetPartitionLocalMemory(winobj, sizeof(PgBsonMovingAverage));
	uint8		alpha[PGBSON_DECIMAL128_SIZE];
	bool		isnull;
	Datum		datum = WinGetFuncArgCurrent(winobj, 0, &isnull);
	PgBsonValue value = value_of_datum(datum, isnull);

	alpha_argument(winobj, 1, alpha);
	if (PgBsonIsNumber(value.type))
		PgBsonMoveAverage(average, &value, alpha);
	if (!average->begun)
		PG_RETURN_NULL();
	value = PgBsonMakeDecimal(average->mean);
	if (!average->decimal)
		value = PgBsonMakeDouble(PgBsonDoubleOf(&value));
	PG_RETURN_PGBSON_P(PgBsonFromValue(&value));
}

/* bson_linear_fill */

typedef struct LinearFill
{
	PgBsonHeldNumber last;			/* x of the preceding row */
	PgBsonPoint before;			/* the nearest preceding row with a value */
	PgBsonPoint behind;			/* the nearest following row with a value; its number is "next" */
	int64		next;			/* up to date only if it is after the current row */
} LinearFill;

/* The arguments x and y in the row "distance" rows after the current one; false if the partition ends before it */
static bool
read_point(WindowObject winobj, int64 distance, PgBsonValue *x, PgBsonValue *y)
{
	bool		isnull;
	bool		isout;
	Datum		datum = value_ahead(winobj, 0, distance, &isnull, &isout);

	if (isout)
		return false;
	*x = value_of_datum(datum, isnull);
	datum = value_ahead(winobj, 1, distance, &isnull, &isout);
	*y = value_of_datum(datum, isnull);
	if (!PgBsonIsNothing(y))
		PgBsonRangeCheck(y, NULL);
	return true;
}

/* Raise 22023 unless x is of the kind of the preceding row's x, a number or a date, and differs from it; then keep x */
static void
check_place(LinearFill *fill, const PgBsonValue *x)
{
	PgBsonValue last = PgBsonHeldValue(&fill->last);

	PgBsonRangeCheck(x, x->type == PGBSON_DATE ? PgBsonRangeUnit("day", 3) : NULL);
	if (last.type != PGBSON_MISSING && (last.type == PGBSON_DATE) != (x->type == PGBSON_DATE))
		PgBsonReportInvalid(errmsg("bson values can be interpolated between numbers or between dates, not between a number and a date"));
	if (last.type != PGBSON_MISSING && PgBsonCompare(&last, x) == 0)
		PgBsonReportInvalid(errmsg("bson values cannot be interpolated if two rows have the same position"));
	PgBsonHold(&fill->last, x);
}

/* Set "behind" and "next" to the first row after the current one that has a value */
static void
find_next(WindowObject winobj, LinearFill *fill, int64 current)
{
	MemoryContext scratch = PgBsonExprScratch();
	MemoryContext old = MemoryContextSwitchTo(scratch);
	PgBsonValue x;
	PgBsonValue y;

	fill->behind.x.type = PGBSON_MISSING;
	for (fill->next = current + 1; read_point(winobj, fill->next - current, &x, &y); fill->next++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!PgBsonIsNothing(&y) && !PgBsonIsNothing(&x))
		{
			PgBsonRangeCheck(&x, fill->last.type == PGBSON_DATE ? PgBsonRangeUnit("day", 3) : NULL);
			PgBsonHold(&fill->behind.x, &x);
			PgBsonHold(&fill->behind.y, &y);
			break;
		}
		PgBsonExprScratchTrim(scratch);
	}
	if (fill->behind.x.type == PGBSON_MISSING)
		fill->next = PG_INT64_MAX;
	MemoryContextSwitchTo(old);
	MemoryContextDelete(scratch);
}

/* SQL: bson_linear_fill(x bson, y bson) returns bson; NULL where there is no value before, or none behind */
PGBSON_FUNCTION(pgbson_linear_fill)
{
	WindowObject winobj = PG_WINDOW_OBJECT();
	LinearFill *fill = WinGetPartitionLocalMemory(winobj, sizeof(LinearFill));
	int64		current = WinGetCurrentPosition(winobj);
	PgBsonValue x;
	PgBsonValue y;

	if (!read_point(winobj, 0, &x, &y))
		PG_RETURN_NULL();
	WinSetMarkPosition(winobj, current);
	check_place(fill, &x);
	if (!PgBsonIsNothing(&y))
	{
		PgBsonHold(&fill->before.x, &x);
		PgBsonHold(&fill->before.y, &y);
		PG_RETURN_PGBSON_P(PgBsonFromValue(&y));
	}
	if (fill->before.x.type == PGBSON_MISSING)
		PG_RETURN_NULL();
	if (fill->next <= current)
		find_next(winobj, fill, current);
	if (fill->behind.x.type == PGBSON_MISSING)
		PG_RETURN_NULL();
	y = PgBsonInterpolate(&fill->before, &fill->behind, &x);
	PG_RETURN_PGBSON_P(PgBsonFromValue(&y));
}
