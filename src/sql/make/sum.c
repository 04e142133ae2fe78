/*
 * sum.c
 *	  The aggregates sum and avg of numbers in documents: MongoDB's $sum and $avg.
 *
 * Values that are not numbers are ignored, as in MongoDB.  Without any number the
 * result is NULL, as SQL has it.
 */
#include "door.h"

#include "nodes/primnodes.h"

#include "core/number/sum.h"
#include "core/write/from_value.h"
#include "sql/make/aggregate.h"
#include "sql/site/kept.h"

#define SUM_MAGIC	UINT64CONST(0x6273756d0a1d0c3e)

typedef struct SumState
{
	uint64		magic;
	bool		of_values;		/* there are no names in the calls, whatever the aggregate has */
	PgBsonSum	sum;
} SumState;

static SumState *
sum_argument(FunctionCallInfo fcinfo, int argno)
{
	return PgBsonStateArgument(fcinfo, argno, SUM_MAGIC);
}

/* The state of the transition, which is created at the first row */
static SumState *
sum_state(FunctionCallInfo fcinfo)
{
	const Aggref *call;
	SumState   *state;

	if (!PG_ARGISNULL(0))
		return sum_argument(fcinfo, 0);
	state = MemoryContextAllocZero(PgBsonStateContext(fcinfo), sizeof(SumState));
	state->magic = SUM_MAGIC;
	/* Citus adds up what sum(document, names) gave on the shards by the same aggregate, with one argument */
	call = AggGetAggref(fcinfo);
	state->of_values = PG_NARGS() <= 2 || (call != NULL && list_length(call->args) < PG_NARGS() - 1);
	PgBsonSumInit(&state->sum);
	return state;
}

/* The argument's value, or the one in it at the names in the next one; if there is none null, which adds nothing */
static inline PgBsonValue
added(FunctionCallInfo fcinfo, const SumState *state, PgBsonReader *reader)
{
	if (!state->of_values)
		return PgBsonFindNames(fcinfo, NULL);
	if (PG_ARGISNULL(1))
		return PgBsonNull;
	PgBsonOpenComputed(reader, PG_GETARG_DATUM(1));
	return PgBsonCopyFresh(&reader->root);
}

/* Add a value to the sum, or remove it: NULL if the server has to add up the window again */
static inline Datum
transition(FunctionCallInfo fcinfo, bool remove)
{
	SumState   *state = sum_state(fcinfo);
	PgBsonReader reader = {.source = NULL};
	PgBsonValue value = added(fcinfo, state, &reader);
	bool		known = true;

	if (remove)
		known = PgBsonSumRemove(&state->sum, &value);
	else
		PgBsonSumAdd(&state->sum, &value);
	PgBsonDrop(&reader);
	if (!known)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(state);
}

Datum
PgBsonSumTransition(FunctionCallInfo fcinfo, const PgBsonValue *value)
{
	SumState   *state = sum_state(fcinfo);

	PgBsonSumAdd(&state->sum, value);
	PG_RETURN_POINTER(state);
}

/* SQL: bson_sum_transfn and bson_sum_invfn (internal, bson[, names text[]]) return internal */
PGBSON_DOOR(pgbson_sum_transfn, transition(fcinfo, false));
PGBSON_DOOR(pgbson_sum_invfn, transition(fcinfo, true));

/* SQL: bson_sum_combine(internal, internal) returns internal */
PGBSON_FUNCTION(pgbson_sum_combine)
{
	SumState   *state = sum_state(fcinfo);

	if (!PG_ARGISNULL(1))
		PgBsonSumJoin(&state->sum, &sum_argument(fcinfo, 1)->sum);
	PG_RETURN_POINTER(state);
}

/* SQL: bson_sum_serial(internal) returns bytea */
PGBSON_FUNCTION(pgbson_sum_serial)
{
	bytea	   *result = (bytea *) palloc(VARHDRSZ + sizeof(SumState));

	SET_VARSIZE(result, VARHDRSZ + sizeof(SumState));
	memcpy(VARDATA(result), sum_argument(fcinfo, 0), sizeof(SumState));
	PG_RETURN_BYTEA_P(result);
}

/* SQL: bson_sum_deserial(bytea, internal) returns internal */
PGBSON_FUNCTION(pgbson_sum_deserial)
{
	bytea	   *bytes = PG_GETARG_BYTEA_PP(0);
	SumState   *state = palloc0_object(SumState);

	if (VARSIZE_ANY_EXHDR(bytes) == sizeof(SumState))
		memcpy(state, VARDATA_ANY(bytes), sizeof(SumState));
	if (state->magic != SUM_MAGIC)
		elog(ERROR, "not a state of a sum of bson values");
	PG_RETURN_POINTER(state);
}

static Datum
sum_final(FunctionCallInfo fcinfo, PgBsonValue (*result) (const PgBsonSum *sum, uint8 *room))
{
	uint8		room[PGBSON_DECIMAL128_SIZE];
	PgBsonValue value;
	SumState   *state;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	state = sum_argument(fcinfo, 0);
	if (PgBsonSumCount(&state->sum) == 0)
		PG_RETURN_NULL();
	value = result(&state->sum, room);
	PG_RETURN_PGBSON_P(PgBsonFromValue(&value));
}

/* SQL: bson_sum_finalfn(internal) and bson_avg_finalfn(internal) return bson */
PGBSON_DOOR(pgbson_sum_finalfn, sum_final(fcinfo, PgBsonSumTotal));
PGBSON_DOOR(pgbson_avg_finalfn, sum_final(fcinfo, PgBsonSumMean));
