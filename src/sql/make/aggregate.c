/*
 * aggregate.c
 *	  bson_agg, bson_object_agg and their variants.
 *
 * All share one kind of state, a list of elements (core/write/elements.h). The bytes
 * of two lists can be concatenated, so partial results are combined by memcpy,
 * and are sent between processes without conversion.  Final functions only
 * read the state, because the frame of a window may grow further after they
 * are called.
 */
#include "sql/make/aggregate.h"

#include "core/bytes/recode.h"
#include "core/write/elements.h"
#include "core/write/from_value.h"
#include "door.h"
#include "jsonb/to_jsonb.h"
#include "sql/make/datum.h"

/* The argument is checked, because a user may have defined an aggregate with our functions and others */
void *
PgBsonStateArgument(FunctionCallInfo fcinfo, int argno, uint64 magic)
{
	void	   *state = PG_GETARG_POINTER(argno);

	if (state == NULL || *(const uint64 *) state != magic)
		elog(ERROR, "not a state of this bson aggregate");
	return state;
}

MemoryContext
PgBsonStateContext(FunctionCallInfo fcinfo)
{
	MemoryContext context;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "bson aggregate function called in non-aggregate context");
	return context;
}

static PgBsonElements *
list_argument(FunctionCallInfo fcinfo, int argno)
{
	return PgBsonStateArgument(fcinfo, argno, PGBSON_ELEMENTS_MAGIC);
}

/* The state of the transition, which is created at the first row */
static PgBsonElements *
agg_state(FunctionCallInfo fcinfo)
{
	MemoryContext context = PgBsonStateContext(fcinfo);

	return PG_ARGISNULL(0) ? PgBsonElementsBegin(context) : list_argument(fcinfo, 0);
}

static PgBsonTypeInfo *
aggregated_type(FunctionCallInfo fcinfo, int argno)
{
	return PgBsonCallSiteType(PgBsonCallSiteOf(fcinfo->flinfo), argno,
							  get_fn_expr_argtype(fcinfo->flinfo, argno));
}

/*
 * The type of the values.  If it is declared, nothing is looked up at the call site, so these functions can be
 * called without one, as Citus does when each shard aggregates its own rows.
 */
typedef enum ValueType
{
	ANY_TYPE,
	BSON_TYPE,
	JSONB_TYPE					/* without it, a call with jsonb would be ambiguous */
} ValueType;

/* Append an argument as the value of this key, inside this many levels of nesting; NULL is null */
static void
append_argument(FunctionCallInfo fcinfo, PgBsonElements *state, ValueType type, int argno,
				const char *key, uint32 key_len, int levels)
{
	PgBsonValue value = PgBsonNull;
	PgBsonReader reader = {.source = NULL};

	if (type == ANY_TYPE)
	{
		PgBsonTypeInfo *info = aggregated_type(fcinfo, argno);
		PgBsonWriter *w = PgBsonCallSiteWriter(PgBsonCallSiteOf(fcinfo->flinfo));

		PgBsonWriterDatum(w, info, PG_GETARG_DATUM(argno), PG_ARGISNULL(argno));
		value = PgBsonWriterRoot(w);
	}
	else if (!PG_ARGISNULL(argno) && type == JSONB_TYPE)
		value = PgBsonRoot(PgBsonFromJsonb(PG_GETARG_JSONB_P(argno)));
	else if (!PG_ARGISNULL(argno))
	{
		(void) PgBsonOpenWhole(&reader, PG_GETARG_DATUM(argno));
		value = reader.root;
	}
	PgBsonCheckDepth(&value, levels);
	PgBsonElementsAppend(state, key, key_len, &value);
	PgBsonDrop(&reader);
}

static inline Datum
agg_transition(FunctionCallInfo fcinfo, ValueType type, bool skip_nulls)
{
	PgBsonElements *state = agg_state(fcinfo);

	/* two levels: the array, and the envelope around it */
	if (!(skip_nulls && PG_ARGISNULL(1)))
		append_argument(fcinfo, state, type, 1, "", 0, 2);
	PG_RETURN_POINTER(state);
}

/* SQL: bson_agg_transfn(internal, anyelement) and bson_agg_strict_transfn(internal, anyelement) return internal */
PGBSON_DOOR(pgbson_agg_transfn, agg_transition(fcinfo, ANY_TYPE, false));
PGBSON_DOOR(pgbson_agg_strict_transfn, agg_transition(fcinfo, ANY_TYPE, true));

/* SQL: the same of (internal, bson) and of (internal, jsonb) */
PGBSON_DOOR(pgbson_agg_bson_transfn, agg_transition(fcinfo, BSON_TYPE, false));
PGBSON_DOOR(pgbson_agg_strict_bson_transfn, agg_transition(fcinfo, BSON_TYPE, true));
PGBSON_DOOR(pgbson_agg_jsonb_transfn, agg_transition(fcinfo, JSONB_TYPE, false));
PGBSON_DOOR(pgbson_agg_strict_jsonb_transfn, agg_transition(fcinfo, JSONB_TYPE, true));

/* SQL: bson_agg_finalfn(internal) returns bson; NULL if there was no row */
PGBSON_FUNCTION(pgbson_agg_finalfn)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PG_RETURN_PGBSON_P(PgBsonElementsToArray(list_argument(fcinfo, 0)));
}

/* Argument 1 as a key; of a declared type it is text */
static const char *
key_argument(FunctionCallInfo fcinfo, ValueType type, uint32 *len)
{
	if (type == ANY_TYPE)
		return PgBsonKeyOfDatum(aggregated_type(fcinfo, 1), PG_GETARG_DATUM(1), len);
	return PgBsonFromText(PG_GETARG_TEXT_PP(1), len);
}

/* Nulls can be skipped; but if keys must be unique, the keys of nulls are kept, because they must be unique, too */
static inline Datum
object_agg_transition(FunctionCallInfo fcinfo, ValueType type, bool skip_nulls, bool unique)
{
	PgBsonElements *state = agg_state(fcinfo);
	const char *key;
	uint32		key_len;

	if (PG_ARGISNULL(1))
		PgBsonReportInvalid(errmsg("field name must not be null"));
	if (skip_nulls && !unique && PG_ARGISNULL(2))
		PG_RETURN_POINTER(state);

	key = key_argument(fcinfo, type, &key_len);
	if (skip_nulls && PG_ARGISNULL(2))
		PgBsonElementsAppend(state, key, key_len, NULL);
	else
		append_argument(fcinfo, state, type, 2, key, key_len, 1);
	PG_RETURN_POINTER(state);
}

/* SQL: bson_object_agg_transfn(internal, "any", "any") returns internal, and so on */
PGBSON_DOOR(pgbson_object_agg_transfn, object_agg_transition(fcinfo, ANY_TYPE, false, false));
PGBSON_DOOR(pgbson_object_agg_strict_transfn, object_agg_transition(fcinfo, ANY_TYPE, true, false));
PGBSON_DOOR(pgbson_object_agg_unique_strict_transfn, object_agg_transition(fcinfo, ANY_TYPE, true, true));

/* SQL: the same of (internal, text, bson) */
PGBSON_DOOR(pgbson_object_agg_bson_transfn, object_agg_transition(fcinfo, BSON_TYPE, false, false));
PGBSON_DOOR(pgbson_object_agg_strict_bson_transfn, object_agg_transition(fcinfo, BSON_TYPE, true, false));
PGBSON_DOOR(pgbson_object_agg_unique_strict_bson_transfn, object_agg_transition(fcinfo, BSON_TYPE, true, true));

static Datum
object_agg_final(FunctionCallInfo fcinfo, bool unique)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PG_RETURN_PGBSON_P(PgBsonElementsToDocument(list_argument(fcinfo, 0), unique));
}

/* SQL: bson_object_agg_finalfn and bson_object_agg_unique_finalfn (internal) return bson; NULL if there was no row */
PGBSON_DOOR(pgbson_object_agg_finalfn, object_agg_final(fcinfo, false));
PGBSON_DOOR(pgbson_object_agg_unique_finalfn, object_agg_final(fcinfo, true));

/* SQL: bson_agg_combine(internal, internal) returns internal */
PGBSON_FUNCTION(pgbson_agg_combine)
{
	PgBsonElements *state;

	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_POINTER(list_argument(fcinfo, 0));
	}
	state = agg_state(fcinfo);
	PgBsonElementsJoin(state, list_argument(fcinfo, 1));
	PG_RETURN_POINTER(state);
}

/* The header of a partial result that is sent to another process; the elements' bytes follow */
typedef struct PartialHeader
{
	uint64		magic;			/* as in the state */
	uint32		count;
	bool		has_bare;
	bool		is_set;
} PartialHeader;

/* SQL: bson_agg_serial(internal) returns bytea */
PGBSON_FUNCTION(pgbson_agg_serial)
{
	PgBsonElements *state = list_argument(fcinfo, 0);
	PartialHeader header = {PGBSON_ELEMENTS_MAGIC, state->w.count, state->has_bare, state->is_set};
	Size		size = VARHDRSZ + sizeof(header) + (Size) state->w.len;
	bytea	   *result;

	if (size > MaxAllocSize)
		PgBsonReportTooLarge();
	result = (bytea *) palloc(size);
	SET_VARSIZE(result, size);
	memcpy(VARDATA(result), &header, sizeof(header));
	memcpy(VARDATA(result) + sizeof(header), state->w.data, state->w.len);
	PG_RETURN_BYTEA_P(result);
}

/* SQL: bson_agg_deserial(bytea, internal) returns internal; the result is only read, so the bytes are not copied */
PGBSON_FUNCTION(pgbson_agg_deserial)
{
	bytea	   *bytes = PG_GETARG_BYTEA_PP(0);
	PgBsonElements *state = (PgBsonElements *) palloc(sizeof(PgBsonElements));
	PartialHeader header = {0};

	memcpy(&header, VARDATA_ANY(bytes), Min(VARSIZE_ANY_EXHDR(bytes), sizeof(header)));
	if (header.magic != PGBSON_ELEMENTS_MAGIC || VARSIZE_ANY_EXHDR(bytes) < sizeof(header))
		elog(ERROR, "not a state of a bson aggregate");
	state->magic = PGBSON_ELEMENTS_MAGIC;
	state->w.data = (uint8 *) VARDATA_ANY(bytes) + sizeof(header);
	state->w.len = state->w.capacity = VARSIZE_ANY_EXHDR(bytes) - sizeof(header);
	state->w.count = header.count;
	state->has_bare = header.has_bare;
	state->is_set = header.is_set;
	PG_RETURN_POINTER(state);
}
