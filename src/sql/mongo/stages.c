/*
 * stages.c
 *	  MongoDB's aggregation expressions, and the stages of its pipelines as functions of a document.
 *
 * The stages are what statements that stand for pipelines (bson_pipeline_sql) call.
 */
#include "door.h"

#include "catalog/pg_type.h"
#include "core/bytes/recode.h"
#include "core/bytes/value.h"
#include "core/order/compare.h"
#include "core/write/from_value.h"
#include "funcapi.h"
#include "mongo/stage/lookup.h"
#include "mongo/stage/redact.h"
#include "mongo/stage/unwind.h"
#include "mongo/update/pipeline.h"
#include "sql/site/kept.h"
#include "utils/array.h"

/* Open an argument that must be a document, and is reader->root then; error 22023 if it is not */
static void
open_document(PgBsonReader *reader, Datum datum)
{
	(void) PgBsonOpenWhole(reader, datum);
	if (reader->root.type != PGBSON_DOCUMENT)
		PgBsonReportInvalid(errmsg("a bson pipeline is for documents"),
							errdetail("The value is of type %s.", PgBsonTypeName(reader->root.type)));
}

/* The argument with the variables; NULL if it is not given */
static const PgBsonValue *
variables_argument(FunctionCallInfo fcinfo, int argno, PgBsonValue *room)
{
	if (PG_ARGISNULL(argno))
		return NULL;
	*room = PgBsonRoot(PG_GETARG_PGBSON_PP(argno));
	if (room->type != PGBSON_DOCUMENT)
		PgBsonReportInvalid(errmsg("variables of a bson expression must be a document"),
							errdetail("They are of type %s.", PgBsonTypeName(room->type)));
	return room;
}

typedef PgBsonValue (*StageFunction) (const void *made, const PgBsonValue *doc, const PgBsonValue *variables);

/*
 * The worker of functions whose arguments are a document (with "any_value" any value), an expression or
 * stages, which are kept prepared, and variables or NULL
 */
static Datum
apply(FunctionCallInfo fcinfo, bool any_value, PgBsonKeeper keep, StageFunction function)
{
	const PgBsonKept *kept;
	PgBsonReader reader;
	PgBsonValue room;
	PgBsonValue result;
	PgBson	   *made = NULL;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	kept = PgBsonKeptSite(fcinfo, sizeof(PgBsonKept), 1, 1, keep);
	if (any_value)
		(void) PgBsonOpenWhole(&reader, PG_GETARG_DATUM(0));
	else
		open_document(&reader, PG_GETARG_DATUM(0));
	result = function(kept->thing, &reader.root, variables_argument(fcinfo, 2, &room));
	if (result.type != PGBSON_MISSING)
		made = PgBsonFromValue(&result);
	PgBsonClose(&reader);
	if (made == NULL)
		PG_RETURN_NULL();
	PG_RETURN_PGBSON_P(made);
}

PGBSON_KEEPER(keep_expression, PgBsonExpressionParse(&value, NULL))

static PgBsonValue
evaluate(const void *made, const PgBsonValue *doc, const PgBsonValue *variables)
{
	PgBsonValue result = PgBsonExpressionEvaluate(made, doc, variables, NULL);

	if (result.type != PGBSON_MISSING)
		PgBsonCheckDepth(&result, 1);
	return result;
}

/* SQL: bson_eval(doc bson, expression bson, variables bson DEFAULT NULL) returns bson; NULL where there is no value */
PGBSON_DOOR(pgbson_eval, apply(fcinfo, true, keep_expression, evaluate));

static void
keep_stages(FunctionCallInfo fcinfo, void *site)
{
	PgBsonValue stages = PgBsonKeptValue(fcinfo, site, 1);

	if (stages.type != PGBSON_ARRAY)
		PgBsonReportInvalid(errmsg("a bson pipeline must be an array of stages"),
							errdetail("It is of type %s.", PgBsonTypeName(stages.type)));
	((PgBsonKept *) site)->thing = PgBsonPipelineParse(&stages, true);
}

static PgBsonValue
transform(const void *made, const PgBsonValue *doc, const PgBsonValue *variables)
{
	return PgBsonPipelineApply(made, doc, variables);
}

/* SQL: bson_transform(doc bson, stages bson, variables bson DEFAULT NULL) returns bson */
PGBSON_DOOR(pgbson_transform, apply(fcinfo, false, keep_stages, transform));

PGBSON_KEEPER(keep_let, PgBsonLetParse(&value))

static PgBsonValue
let_variables(const void *made, const PgBsonValue *doc, const PgBsonValue *variables)
{
	return PgBsonLetEvaluate(made, doc, variables);
}

/* SQL: bson_let(doc bson, variables bson, known bson DEFAULT NULL) returns bson */
PGBSON_DOOR(pgbson_let, apply(fcinfo, false, keep_let, let_variables));

PGBSON_KEEPER(keep_redact, PgBsonRedactParse(&value))

static PgBsonValue
redact(const void *made, const PgBsonValue *doc, const PgBsonValue *variables)
{
	return PgBsonRedact(made, doc, variables);
}

/* SQL: bson_redact(doc bson, expression bson, variables bson DEFAULT NULL) returns bson; NULL where nothing is left */
PGBSON_DOOR(pgbson_redact, apply(fcinfo, false, keep_redact, redact));

/* A text argument in UTF-8, in memory of this call */
static const char *
text_argument(FunctionCallInfo fcinfo, int argno, uint32 *len)
{
	text	   *s = PG_GETARG_TEXT_PP(argno);

	*len = VARSIZE_ANY_EXHDR(s);
	return PgBsonFromServerText(VARDATA_ANY(s), len);
}

/* A text argument as the names of a path, which point into memory of this call */
static PgBsonNames
path_argument(FunctionCallInfo fcinfo, int argno, const char *what)
{
	uint32		len;
	const char *path = text_argument(fcinfo, argno, &len);

	return PgBsonNestedSplit(path, len, what);
}

/* SQL: bson_put(doc bson, path text, value bson) returns bson */
PG_FUNCTION_INFO_V1(pgbson_put);
Datum
pgbson_put(PG_FUNCTION_ARGS)
{
	PgBsonReader reader;
	PgBsonNames path;
	PgBsonValue value;
	PgBsonValue result;
	PgBson	   *made;

	open_document(&reader, PG_GETARG_DATUM(0));
	path = path_argument(fcinfo, 1, "an argument");
	value = PgBsonRoot(PG_GETARG_PGBSON_PP(2));
	result = PgBsonNestedPut(&reader.root, &path, &value);
	made = PgBsonFromValue(&result);
	PgBsonClose(&reader);
	PG_RETURN_PGBSON_P(made);
}

/* The rows of $unwind: documents or, with "values", just the values that are put into them */
static Datum
unwind(FunctionCallInfo fcinfo, bool values)
{
	FuncCallContext *funcctx;
	PgBsonUnwinding *state;
	PgBsonValue result;

	if (SRF_IS_FIRSTCALL())
	{
		MemoryContext old;
		PgBsonReader reader;
		PgBsonValue operand;

		funcctx = SRF_FIRSTCALL_INIT();
		old = MemoryContextSwitchTo(funcctx->multi_call_memory_ctx);
		state = palloc0_object(PgBsonUnwinding);
		open_document(&reader, values ? PG_GETARG_DATUM(0) : PointerGetDatum(PG_GETARG_PGBSON_P_COPY(0)));
		operand = PgBsonRoot(PG_GETARG_PGBSON_P_COPY(1));
		PgBsonUnwindBegin(state, PgBsonUnwindParse(&operand), &reader.root);
		state->values = values;
		/* the argument may be freed before the last value is returned */
		if (values)
			PgBsonUnwindKeep(state);
		PgBsonClose(&reader);
		if (values && (state->unwind->preserves || state->unwind->with_index))
			PgBsonReportInvalid(errmsg("options of stage \"$unwind\" of a bson pipeline are for documents"));
		funcctx->user_fctx = state;
		MemoryContextSwitchTo(old);
	}

	funcctx = SRF_PERCALL_SETUP();
	state = (PgBsonUnwinding *) funcctx->user_fctx;
	if (!PgBsonUnwindNext(state, &result))
		SRF_RETURN_DONE(funcctx);
	SRF_RETURN_NEXT(funcctx, PointerGetDatum(PgBsonFromValue(&result)));
}

/* SQL: bson_unwind(doc bson, unwind bson) and bson_unwind_values(doc bson, unwind bson) return setof bson */
PGBSON_DOOR(pgbson_unwind, unwind(fcinfo, false));
PGBSON_DOOR(pgbson_unwind_values, unwind(fcinfo, true));

/* SQL: bson_lookup_values(doc bson, local_field text) returns bson[] */
PG_FUNCTION_INFO_V1(pgbson_lookup_values);
Datum
pgbson_lookup_values(PG_FUNCTION_ARGS)
{
	PgBsonReader reader;
	PgBsonNames local;
	int			count;
	PgBsonValue *values;
	Datum	   *datums;
	Oid			type = get_fn_expr_argtype(fcinfo->flinfo, 0);

	open_document(&reader, PG_GETARG_DATUM(0));
	local = path_argument(fcinfo, 1, "\"localField\"");
	values = PgBsonLookupValues(&reader.root, &local, &count);
	/* so that a join by the values finds each document once */
	count = PgBsonSortDistinct(values, count);
	datums = palloc_extended(count * sizeof(Datum), MCXT_ALLOC_HUGE);
	for (int i = 0; i < count; i++)
		datums[i] = PointerGetDatum(PgBsonFromValue(&values[i]));
	PgBsonClose(&reader);
	PG_RETURN_ARRAYTYPE_P(construct_array(datums, count, type, -1, false, TYPALIGN_INT));
}

/* SQL: bson_graph_query(docs bson[], connect_from text, connect_to text) returns bson; NULL where there are no values */
PG_FUNCTION_INFO_V1(pgbson_graph_query);
Datum
pgbson_graph_query(PG_FUNCTION_ARGS)
{
	ArrayType  *docs = PG_GETARG_ARRAYTYPE_P(0);
	PgBsonNames from = path_argument(fcinfo, 1, "\"connectFromField\"");
	uint32		len;
	const char *to = text_argument(fcinfo, 2, &len);
	PgBsonGraphQuery *query = PgBsonGraphQueryBegin(to, len);
	PgBsonValue result;
	Datum	   *datums;
	bool	   *nulls;
	int			count;

	(void) PgBsonNestedSplit(to, len, "\"connectToField\"");
	deconstruct_array(docs, ARR_ELEMTYPE(docs), -1, false, TYPALIGN_INT, &datums, &nulls, &count);
	for (int i = 0; i < count; i++)
	{
		PgBsonReader reader;

		CHECK_FOR_INTERRUPTS();
		if (nulls[i])
			continue;
		open_document(&reader, datums[i]);
		PgBsonGraphQueryAdd(query, &reader.root, &from);
		PgBsonClose(&reader);
	}
	if (!PgBsonGraphQueryEnd(query, &result))
		PG_RETURN_NULL();
	PG_RETURN_PGBSON_P(PgBsonFromValue(&result));
}

/* SQL: bson_equality_query(value bson, field text) returns bson */
PG_FUNCTION_INFO_V1(pgbson_equality_query);
Datum
pgbson_equality_query(PG_FUNCTION_ARGS)
{
	PgBsonValue value = {PGBSON_EOD, 0, NULL};
	PgBsonValue query;
	const char *field;
	uint32		len;

	if (PG_ARGISNULL(1))
		PG_RETURN_NULL();
	if (!PG_ARGISNULL(0))
		value = PgBsonRoot(PG_GETARG_PGBSON_PP(0));
	field = text_argument(fcinfo, 1, &len);
	query = PgBsonLookupEquality(&value, field, len);
	PG_RETURN_PGBSON_P(PgBsonFromValue(&query));
}

/* SQL: bson_lookup_query(doc bson, local_field text, foreign_field text) returns bson */
PG_FUNCTION_INFO_V1(pgbson_lookup_query);
Datum
pgbson_lookup_query(PG_FUNCTION_ARGS)
{
	PgBsonReader reader;
	PgBsonNames local;
	uint32		len;
	const char *foreign;
	int			count;
	PgBsonValue *values;
	PgBsonValue query;
	PgBson	   *made;

	open_document(&reader, PG_GETARG_DATUM(0));
	local = path_argument(fcinfo, 1, "\"localField\"");
	foreign = text_argument(fcinfo, 2, &len);
	values = PgBsonLookupValues(&reader.root, &local, &count);
	(void) PgBsonNestedSplit(foreign, len, "\"foreignField\"");
	query = PgBsonLookupQuery(values, count, foreign, len);
	made = PgBsonFromValue(&query);
	PgBsonClose(&reader);
	PG_RETURN_PGBSON_P(made);
}
