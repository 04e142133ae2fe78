/*
 * range.c
 *	  Ranges of values: buckets, series of numbers and dates, and the frames of windows.
 */
#include "door.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "core/number/decimal.h"
#include "core/order/compare.h"
#include "funcapi.h"
#include "mongo/stage/nested.h"
#include "sql/site/kept.h"
#include "utils/array.h"
#include "utils/timestamp.h"

/* An argument that names a unit of time; NULL if there is none */
static const PgBsonUnit *
unit_argument(FunctionCallInfo fcinfo, int argno)
{
	text	   *name;

	if (PG_ARGISNULL(argno))
		return NULL;
	name = PG_GETARG_TEXT_PP(argno);
	return PgBsonRangeUnit(VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name));
}

/* SQL: bson_range_value(value bson, unit text DEFAULT NULL) returns bson */
PGBSON_FUNCTION(pgbson_range_value)
{
	PgBsonValue value;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	value = PgBsonRoot(PG_GETARG_PGBSON_PP(0));
	PgBsonRangeCheck(&value, unit_argument(fcinfo, 1));
	return PG_GETARG_DATUM(0);
}

/* SQL: bson_key_value(value bson, required bool DEFAULT false) returns bson */
PGBSON_FUNCTION(pgbson_key_value)
{
	PgBsonValue value = PgBsonArgument(fcinfo, 0, PgBsonMissing);
	bool		required = !PG_ARGISNULL(1) && PG_GETARG_BOOL(1);

	if (value.type == PGBSON_ARRAY || (required && PgBsonIsNothing(&value)))
		PgBsonReportInvalid(errmsg("value by which bson documents are grouped or joined must not be of type %s",
								   PG_ARGISNULL(0) ? "missing" : PgBsonTypeName(value.type)));
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	return PG_GETARG_DATUM(0);
}

/* An array of bson as values; NULL if there is none */
static PgBsonValue *
values_argument(FunctionCallInfo fcinfo, int argno, int *count)
{
	ArrayType  *array;
	PgBsonValue *values;
	Datum	   *datums;
	bool	   *nulls;
	int			n = 0;

	*count = 0;
	if (PG_ARGISNULL(argno))
		return NULL;
	array = PG_GETARG_ARRAYTYPE_P_COPY(argno);
	deconstruct_array(array, ARR_ELEMTYPE(array), -1, false, TYPALIGN_INT, &datums, &nulls, count);
	values = palloc_array(PgBsonValue, *count);
	for (int i = 0; i < *count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!nulls[i])
			values[n++] = PgBsonRoot(DatumGetPgBsonPP(datums[i]));
	}
	*count = n;
	return values;
}

/* The boundaries of buckets, in ascending order; "doubles" is not NULL if all are doubles or int32, but not NaN */
typedef struct Boundaries
{
	PgBsonKept	kept;
	PgBsonGetSite names;
	int			count;
	PgBsonValue *values;
	double	   *doubles;
} Boundaries;

static inline bool
is_double(const PgBsonValue *value)
{
	return value->type == PGBSON_DOUBLE || value->type == PGBSON_INT32;
}

static void
keep_boundaries(FunctionCallInfo fcinfo, void *site)
{
	Boundaries *all = site;

	all->values = values_argument(fcinfo, PG_NARGS() == 2 ? 1 : 0, &all->count);
	all->doubles = palloc_array(double, all->count);
	for (int i = 0; i < all->count && all->doubles != NULL; i++)
	{
		if (!is_double(&all->values[i]) || isnan(all->doubles[i] = PgBsonDoubleOf(&all->values[i])))
			all->doubles = NULL;
	}
}

/* SQL: bson_bucket(value bson, boundaries bson[]), bson_bucket(boundaries bson[], bson, VARIADIC text[]): integer */
PGBSON_FUNCTION(pgbson_bucket)
{
	Boundaries *all = PgBsonKeptSite(fcinfo, sizeof(Boundaries), PG_NARGS() == 2 ? 1 : 0, 1, keep_boundaries);
	PgBsonReader reader = {.root = PgBsonNull};
	bool		by_double;
	double		d = 0;
	int			low = 0;
	int			count = all->count;

	if (all->values == NULL)
		PG_RETURN_NULL();
	if (PG_NARGS() > 2)
		reader.root = PgBsonFindNames(fcinfo, &all->names);
	else if (!PG_ARGISNULL(0))
		PgBsonOpenComputed(&reader, PG_GETARG_DATUM(0));
	by_double = all->doubles != NULL && is_double(&reader.root);
	if (by_double)
		d = PgBsonDoubleOf(&reader.root);
	while (count > 0)
	{
		int			half = count / 2;
		bool		above = by_double ? d >= all->doubles[low + half] :
			PgBsonCompare(&reader.root, &all->values[low + half]) >= 0;

		low += above ? half + 1 : 0;
		count = above ? count - half - 1 : half;
	}
	PgBsonDrop(&reader);
	PG_RETURN_INT32(low < all->count ? low : 0);
}

/* SQL: bson_series(first bson, last bson, step bson[, unit text[, known bson[]]]) returns setof bson */
PGBSON_FUNCTION(pgbson_series)
{
	FuncCallContext *funcctx;
	PgBsonEqualSteps *steps;
	PgBsonValue value;
	MemoryContext old;

	if (SRF_IS_FIRSTCALL())
	{
		funcctx = SRF_FIRSTCALL_INIT();
		if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2))
			SRF_RETURN_DONE(funcctx);
		old = MemoryContextSwitchTo(funcctx->multi_call_memory_ctx);
		steps = palloc0_object(PgBsonEqualSteps);
		steps->next = PgBsonRoot(PG_GETARG_PGBSON_P_COPY(0));
		steps->last = PgBsonRoot(PG_GETARG_PGBSON_P_COPY(1));
		steps->step = PgBsonRoot(PG_GETARG_PGBSON_P_COPY(2));
		steps->unit = unit_argument(fcinfo, 3);
		steps->known = values_argument(fcinfo, 4, &steps->nknown);
		PgBsonStepsBegin(steps);
		funcctx->user_fctx = steps;
		MemoryContextSwitchTo(old);
	}

	funcctx = SRF_PERCALL_SETUP();
	steps = (PgBsonEqualSteps *) funcctx->user_fctx;
	if (!PgBsonStepsNext(steps, &value))
		SRF_RETURN_DONE(funcctx);
	SRF_RETURN_NEXT(funcctx, PointerGetDatum(PgBsonFromValue(&value)));
}

/* In a window, RANGE BETWEEN n PRECEDING AND n FOLLOWING: is a value within an offset of the current row's? */

pg_noreturn static void
report_negative_offset(void)
{
	PgBsonReport(ERRCODE_INVALID_PRECEDING_OR_FOLLOWING_SIZE,
				 errmsg("invalid preceding or following size in a window of bson values"),
				 errdetail("The offset must be a number or an interval, and must not be negative."));
}

static Datum
compare_to_end(FunctionCallInfo fcinfo, const PgBsonValue *value, const PgBsonValue *end)
{
	int			order = PgBsonCompare(value, end);

	return BoolGetDatum(PG_GETARG_BOOL(4) ? order <= 0 : order >= 0);
}

/* SQL: in_range(value bson, base bson, offset bson, sub boolean, less boolean) returns boolean: of numbers */
PGBSON_FUNCTION(pgbson_in_range_number)
{
	PgBsonValue value = PgBsonRoot(PG_GETARG_PGBSON_PP(0));
	PgBsonValue base = PgBsonRoot(PG_GETARG_PGBSON_PP(1));
	PgBsonValue offset = PgBsonRoot(PG_GETARG_PGBSON_PP(2));
	uint8		end[PGBSON_DECIMAL128_SIZE];
	uint8		distance[PGBSON_DECIMAL128_SIZE];

	if (!PgBsonIsNumber(offset.type) || !(PgBsonDoubleOf(&offset) >= 0))
		report_negative_offset();
	PgBsonRangeCheck(&base, NULL);
	PgBsonNumberToDecimal(&base, end);
	PgBsonNumberToDecimal(&offset, distance);
	if (PG_GETARG_BOOL(3))
		distance[PGBSON_DECIMAL128_SIZE - 1] ^= 0x80;
	PgBsonDecimalAdd(end, distance, end);
	return compare_to_end(fcinfo, &value, &(PgBsonValue) {PGBSON_DECIMAL128, sizeof(end), end});
}

/* SQL: in_range(value bson, base bson, offset interval, sub boolean, less boolean) returns boolean: of dates */
PGBSON_FUNCTION(pgbson_in_range_date)
{
	PgBsonValue value = PgBsonRoot(PG_GETARG_PGBSON_PP(0));
	PgBsonValue base = PgBsonRoot(PG_GETARG_PGBSON_PP(1));
	const Interval *offset = PG_GETARG_INTERVAL_P(2);
	int			sign = PG_GETARG_BOOL(3) ? -1 : 1;
	int64		end;
	uint8		room[8];

	if (offset->month < 0 || offset->day < 0 || offset->time < 0)
		report_negative_offset();
	PgBsonRangeCheck(&base, PgBsonRangeUnit("day", 3));
	end = PgBsonDateAddUnits(PgBsonReadI64(base.data), PgBsonRangeUnit("month", 5), sign * (int64) offset->month, NULL);
	end = PgBsonDateAddUnits(end, PgBsonRangeUnit("day", 3), sign * (int64) offset->day, NULL);
	end = PgBsonDateAddUnits(end, PgBsonRangeUnit("millisecond", 11), sign * (offset->time / 1000), NULL);
	PgBsonWriteU64(room, (uint64) end);
	return compare_to_end(fcinfo, &value, &(PgBsonValue) {PGBSON_DATE, sizeof(room), room});
}
