/*
 * accumulate.c
 *	  bson_first, bson_last, bson_min, bson_max, bson_top and bson_bottom: accumulators of MongoDB's $group.
 *
 * The state of the first four is a bson, NULL before the first row that counts.
 */
#include "door.h"

#include "core/bytes/sort.h"
#include "core/number/number.h"
#include "core/order/compare.h"
#include "core/write/elements.h"
#include "core/write/from_value.h"
#include "sql/make/aggregate.h"

/* An argument; NULL is the value null */
static Datum
value_or_null(FunctionCallInfo fcinfo, int argno)
{
	if (!PG_ARGISNULL(argno))
		return PG_GETARG_DATUM(argno);
	return PointerGetDatum(PgBsonFromValue(&PgBsonNull));
}

/* SQL: bson_first_transfn(bson, bson) returns bson */
PGBSON_DOOR(pgbson_first_transfn, PG_ARGISNULL(0) ? value_or_null(fcinfo, 1) : PG_GETARG_DATUM(0));

/* SQL: bson_first_combine(bson, bson) returns bson */
PGBSON_DOOR(pgbson_first_combine, PG_GETARG_DATUM(0));

/* SQL: bson_last_transfn(bson, bson), bson_last_combine(bson, bson) returns bson */
PGBSON_DOOR(pgbson_last_transfn, value_or_null(fcinfo, 1));

/* Does an argument count?  Not if it is NULL, or null. */
static bool
counts(FunctionCallInfo fcinfo, int argno, PgBsonValue *value)
{
	if (PG_ARGISNULL(argno))
		return false;
	*value = PgBsonRoot(PG_GETARG_PGBSON_PP(argno));
	return !PgBsonIsNullish(value->type);
}

/* The lesser argument if "sign" is 1, the greater one if it is -1; of equal ones the first */
static Datum
extreme(FunctionCallInfo fcinfo, int sign)
{
	PgBsonValue a;
	PgBsonValue b;
	bool		has_a = counts(fcinfo, 0, &a);
	bool		has_b = counts(fcinfo, 1, &b);

	if (!has_a && !has_b)
		PG_RETURN_NULL();
	if (!has_b || (has_a && PgBsonCompare(&a, &b) * sign <= 0))
		return PG_GETARG_DATUM(0);
	return PG_GETARG_DATUM(1);
}

/* SQL: bson_min_transfn(bson, bson) and bson_max_transfn(bson, bson) return bson */
PGBSON_DOOR(pgbson_min_transfn, extreme(fcinfo, 1));
PGBSON_DOOR(pgbson_max_transfn, extreme(fcinfo, -1));

/*
 * bson_top and bson_bottom: the values of the n rows with the least or the greatest keys.
 *
 * Once there are n rows, they are a heap, at whose root is the row that a better one replaces: of those with
 * the worst key, in bson_bottom the first that came, in bson_top the last.  See accumulator_multi.cpp of
 * MongoDB, whose results are the same also where keys are equal.
 */
#define RANKING_MAGIC	UINT64CONST(0x62736f6e0a1d0c40)

typedef struct KeptRow
{
	PgBsonValue key;			/* within "stored" */
	PgBson	   *stored;
	PgBson	   *value;
	int64		place;			/* when it came */
} KeptRow;

typedef struct Ranking
{
	uint64		magic;
	PgBsonComparator compare;	/* by which the worst row is the least */
	int64		n;				/* the most rows to be kept */
	int64		seen;
	int64		count;
	int64		room;
	KeptRow	   *rows;
} Ranking;

static int
compare_ascending(const void *a, const void *b)
{
	const KeptRow *left = a;
	const KeptRow *right = b;
	int			cmp = PgBsonCompare(&left->key, &right->key);

	return cmp != 0 ? cmp : left->place < right->place ? -1 : 1;
}

static int
compare_descending(const void *a, const void *b)
{
	return compare_ascending(b, a);
}

/* The state of the transition, which is created at the first row */
static Ranking *
ranking_state(FunctionCallInfo fcinfo, PgBsonComparator compare)
{
	MemoryContext context = PgBsonStateContext(fcinfo);
	PgBsonValue n = PG_ARGISNULL(3) ? PgBsonNull : PgBsonRoot(PG_GETARG_PGBSON_PP(3));
	Ranking    *state;

	if (!PG_ARGISNULL(0))
		return PgBsonStateArgument(fcinfo, 0, RANKING_MAGIC);
	state = MemoryContextAllocZero(context, sizeof(Ranking));
	if (!PgBsonIsNumber(n.type) || !PgBsonNumberToInt64(&n, &state->n) || state->n <= 0)
		PgBsonReportInvalid(errmsg("number of bson values to keep must be a positive integer"));
	state->magic = RANKING_MAGIC;
	state->compare = compare;
	state->room = Min(state->n, 4);
	state->rows = MemoryContextAlloc(context, state->room * sizeof(KeptRow));
	return state;
}

/* Replace the root by another row, which goes down to its place */
static void
replace_root(Ranking *state, const KeptRow *row)
{
	KeptRow	   *rows = state->rows;
	int64		i = 0;
	int64		child;

	pfree(rows[0].stored);
	pfree(rows[0].value);
	while ((child = 2 * i + 1) < state->count)
	{
		if (child + 1 < state->count && state->compare(&rows[child + 1], &rows[child]) < 0)
			child++;
		if (state->compare(row, &rows[child]) < 0)
			break;
		rows[i] = rows[child];
		i = child;
	}
	rows[i] = *row;
}

/* If "later" is false, a row does not replace one with an equal key: it is compared as if it came first */
static Datum
rank(FunctionCallInfo fcinfo, PgBsonComparator compare, bool later)
{
	Ranking    *state = ranking_state(fcinfo, compare);
	PgBson	   *key = DatumGetPgBsonPP(value_or_null(fcinfo, 2));
	KeptRow		row = {PgBsonRoot(key), NULL, NULL, later ? state->seen : -1};
	MemoryContext old;

	if (state->count == state->n && compare(&state->rows[0], &row) >= 0)
		PG_RETURN_POINTER(state);
	old = MemoryContextSwitchTo(PgBsonStateContext(fcinfo));
	key = DatumGetPgBsonPCopy(PointerGetDatum(key));
	row = (KeptRow) {PgBsonRoot(key), key, DatumGetPgBsonPCopy(value_or_null(fcinfo, 1)), state->seen++};
	MemoryContextSwitchTo(old);
	if (state->count == state->n)
	{
		replace_root(state, &row);
		PG_RETURN_POINTER(state);
	}
	if (state->count == state->room)
	{
		state->room = Min(state->n, state->room * 2);
		state->rows = repalloc_huge(state->rows, state->room * sizeof(KeptRow));
	}
	state->rows[state->count++] = row;
	/* what is sorted is a heap, too */
	if (state->count == state->n)
		PgBsonSort(state->rows, state->count, sizeof(KeptRow), compare);
	PG_RETURN_POINTER(state);
}

/* SQL: bson_top_transfn(internal, value bson, key bson, n bson) returns internal */
PGBSON_DOOR(pgbson_top_transfn, rank(fcinfo, compare_descending, true));

/* SQL: bson_bottom_transfn(internal, value bson, key bson, n bson, later boolean) returns internal */
PGBSON_DOOR(pgbson_bottom_transfn, rank(fcinfo, compare_ascending, !PG_ARGISNULL(4) && PG_GETARG_BOOL(4)));

/* SQL: bson_top_finalfn(internal) returns bson, an array in ascending order of the keys; NULL if there was no row */
PG_FUNCTION_INFO_V1(pgbson_top_finalfn);
Datum
pgbson_top_finalfn(PG_FUNCTION_ARGS)
{
	PgBsonElements *list = PgBsonElementsBegin(CurrentMemoryContext);
	Ranking    *state;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	state = PgBsonStateArgument(fcinfo, 0, RANKING_MAGIC);
	PgBsonSort(state->rows, state->count, sizeof(KeptRow), state->compare);
	for (int64 i = 0; i < state->count; i++)
	{
		PgBsonValue value = PgBsonRoot(state->rows[state->compare == compare_ascending ? i : state->count - 1 - i].value);

		PgBsonCheckDepth(&value, 2);
		PgBsonElementsAppend(list, "", 0, &value);
	}
	PG_RETURN_PGBSON_P(PgBsonElementsToArray(list));
}
