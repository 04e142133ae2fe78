/*
 * aggregate.c
 *	  bson_agg, bson_object_agg and their variants.
 *
 * All share one state, a list of elements (core/elements.h), whose bytes join
 * by being put one after another: so partial results combine by memcpy, and
 * travel between processes as they are.  Final functions only read the state,
 * as a window's frame goes on growing after them.
 */
#include "pgbson.h"

#include "core/build.h"
#include "core/elements.h"
#include "sql/datum.h"

PG_FUNCTION_INFO_V1(pgbson_agg_transfn);
PG_FUNCTION_INFO_V1(pgbson_agg_strict_transfn);
PG_FUNCTION_INFO_V1(pgbson_agg_finalfn);
PG_FUNCTION_INFO_V1(pgbson_object_agg_transfn);
PG_FUNCTION_INFO_V1(pgbson_object_agg_strict_transfn);
PG_FUNCTION_INFO_V1(pgbson_object_agg_unique_strict_transfn);
PG_FUNCTION_INFO_V1(pgbson_object_agg_finalfn);
PG_FUNCTION_INFO_V1(pgbson_object_agg_unique_finalfn);
PG_FUNCTION_INFO_V1(pgbson_agg_combine);
PG_FUNCTION_INFO_V1(pgbson_agg_serial);
PG_FUNCTION_INFO_V1(pgbson_agg_deserial);

/* The transition's state, begun if this is the first row */
static PgBsonElements *
agg_state(FunctionCallInfo fcinfo)
{
	MemoryContext context;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "bson aggregate function called in non-aggregate context");
	if (PG_ARGISNULL(0))
		return PgBsonElementsBegin(context);
	return (PgBsonElements *) PG_GETARG_POINTER(0);
}

static PgBsonTypeInfo *
argument_type(FunctionCallInfo fcinfo, int argno)
{
	return PgBsonCallSiteType(PgBsonCallSiteOf(fcinfo->flinfo), argno,
							  get_fn_expr_argtype(fcinfo->flinfo, argno));
}

/* Append an argument as the value of this key, inside so many levels of nesting */
static void
append_argument(FunctionCallInfo fcinfo, PgBsonElements *state, int argno,
				const char *key, uint32 key_len, int levels)
{
	PgBsonTypeInfo *type = argument_type(fcinfo, argno);
	PgBsonBuilder *b = PgBsonCallSiteBuilder(PgBsonCallSiteOf(fcinfo->flinfo));
	PgBsonValue value;

	PgBsonBuilderDatum(b, type, PG_GETARG_DATUM(argno), PG_ARGISNULL(argno));
	value = PgBsonBuilderRoot(b);
	PgBsonCheckDepth(&value, levels);
	PgBsonElementsAppend(state, key, key_len, &value);
}

static Datum
agg_transition(FunctionCallInfo fcinfo, bool skip_nulls)
{
	PgBsonElements *state = agg_state(fcinfo);

	/* the array, and the wrapper around it */
	if (!(skip_nulls && PG_ARGISNULL(1)))
		append_argument(fcinfo, state, 1, "", 0, 2);
	PG_RETURN_POINTER(state);
}

/* SQL: bson_agg_transfn(internal, anyelement) returns internal */
Datum
pgbson_agg_transfn(PG_FUNCTION_ARGS)
{
	return agg_transition(fcinfo, false);
}

/* SQL: bson_agg_strict_transfn(internal, anyelement) returns internal */
Datum
pgbson_agg_strict_transfn(PG_FUNCTION_ARGS)
{
	return agg_transition(fcinfo, true);
}

/* SQL: bson_agg_finalfn(internal) returns bson; NULL if there was no row */
Datum
pgbson_agg_finalfn(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PG_RETURN_PGBSON_P(PgBsonElementsToArray((PgBsonElements *) PG_GETARG_POINTER(0)));
}

/* Nulls can be skipped; where keys must be unique, those of nulls too, and so are kept */
static Datum
object_agg_transition(FunctionCallInfo fcinfo, bool skip_nulls, bool unique)
{
	PgBsonElements *state = agg_state(fcinfo);
	const char *key;
	uint32		key_len;

	if (PG_ARGISNULL(1))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("field name must not be null")));
	if (skip_nulls && !unique && PG_ARGISNULL(2))
		PG_RETURN_POINTER(state);

	key = PgBsonKeyOfDatum(argument_type(fcinfo, 1), PG_GETARG_DATUM(1), &key_len);
	if (skip_nulls && PG_ARGISNULL(2))
		PgBsonElementsAppend(state, key, key_len, NULL);
	else
		append_argument(fcinfo, state, 2, key, key_len, 1);
	PG_RETURN_POINTER(state);
}

/* SQL: bson_object_agg_transfn(internal, "any", "any") returns internal */
Datum
pgbson_object_agg_transfn(PG_FUNCTION_ARGS)
{
	return object_agg_transition(fcinfo, false, false);
}

/* SQL: bson_object_agg_strict_transfn(internal, "any", "any") returns internal */
Datum
pgbson_object_agg_strict_transfn(PG_FUNCTION_ARGS)
{
	return object_agg_transition(fcinfo, true, false);
}

/* SQL: bson_object_agg_unique_strict_transfn(internal, "any", "any") returns internal */
Datum
pgbson_object_agg_unique_strict_transfn(PG_FUNCTION_ARGS)
{
	return object_agg_transition(fcinfo, true, true);
}

static Datum
object_agg_final(FunctionCallInfo fcinfo, bool unique)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PG_RETURN_PGBSON_P(PgBsonElementsToDocument((PgBsonElements *) PG_GETARG_POINTER(0), unique));
}

/* SQL: bson_object_agg_finalfn(internal) returns bson; NULL if there was no row */
Datum
pgbson_object_agg_finalfn(PG_FUNCTION_ARGS)
{
	return object_agg_final(fcinfo, false);
}

/* SQL: bson_object_agg_unique_finalfn(internal) returns bson; NULL if there was no row */
Datum
pgbson_object_agg_unique_finalfn(PG_FUNCTION_ARGS)
{
	return object_agg_final(fcinfo, true);
}

/* SQL: bson_agg_combine(internal, internal) returns internal */
Datum
pgbson_agg_combine(PG_FUNCTION_ARGS)
{
	PgBsonElements *state;

	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_POINTER(PG_GETARG_POINTER(0));
	}
	state = agg_state(fcinfo);
	PgBsonElementsJoin(state, (PgBsonElements *) PG_GETARG_POINTER(1));
	PG_RETURN_POINTER(state);
}

/* What a partial result begins with, on its way to another process; the elements' bytes follow */
typedef struct PartialHeader
{
	uint32		count;
	uint32		has_bare;
} PartialHeader;

/* SQL: bson_agg_serial(internal) returns bytea */
Datum
pgbson_agg_serial(PG_FUNCTION_ARGS)
{
	PgBsonElements *state = (PgBsonElements *) PG_GETARG_POINTER(0);
	PartialHeader header = {state->count, state->has_bare};
	Size		size = VARHDRSZ + sizeof(header) + (Size) state->len;
	bytea	   *result;

	if (size > MaxAllocSize)
		PgBsonReportTooLarge();
	result = (bytea *) palloc(size);
	SET_VARSIZE(result, size);
	memcpy(VARDATA(result), &header, sizeof(header));
	memcpy(VARDATA(result) + sizeof(header), state->data, state->len);
	PG_RETURN_BYTEA_P(result);
}

/* SQL: bson_agg_deserial(bytea, internal) returns internal; only read, so the bytes stay where they are */
Datum
pgbson_agg_deserial(PG_FUNCTION_ARGS)
{
	bytea	   *bytes = PG_GETARG_BYTEA_PP(0);
	PgBsonElements *state = (PgBsonElements *) palloc(sizeof(PgBsonElements));
	PartialHeader header;

	memcpy(&header, VARDATA_ANY(bytes), sizeof(header));
	state->data = (uint8 *) VARDATA_ANY(bytes) + sizeof(header);
	state->len = state->size = VARSIZE_ANY_EXHDR(bytes) - sizeof(header);
	state->count = header.count;
	state->has_bare = header.has_bare;
	PG_RETURN_POINTER(state);
}
