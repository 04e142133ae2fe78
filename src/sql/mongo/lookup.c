/*
 * lookup.c
 *	  The stages $unwind, $lookup and $graphLookup as functions: values at dotted paths, and queries for these.
 *
 * The statements that pipelines are translated to (bson_pipeline_sql) call them.
 */
#include "door.h"

#include "catalog/pg_type.h"
#include "core/bytes/recode.h"
#include "core/order/compare.h"
#include "executor/executor.h"
#include "mongo/stage/nested.h"
#include "sql/convert/store.h"
#include "sql/site/kept.h"
#include "utils/array.h"

/* Split a text, a dotted path, into names, which point to the bytes of PgBsonFromText; "what" names the text in errors */
static PgBsonNames
path_names(const text *s, const char *what)
{
	uint32		len;
	const char *path = PgBsonFromText(s, &len);

	return PgBsonNestedSplit(path, len, what);
}

static void
keep_put(FunctionCallInfo fcinfo, void *site)
{
	PgBsonNames *path = palloc_object(PgBsonNames);

	*path = path_names(PG_GETARG_TEXT_P_COPY(1), "an argument");
	((PgBsonKept *) site)->thing = path;
}

/* SQL: bson_put(doc bson, path text, value bson) returns bson */
PGBSON_FUNCTION(pgbson_put)
{
	PgBsonReader reader;
	const PgBsonKept *kept;
	PgBsonValue value;
	PgBsonValue result;
	PgBson	   *made;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	PgBsonOpenDocument(&reader, PG_GETARG_DATUM(0));
	kept = PgBsonKeptSite(fcinfo, sizeof(PgBsonKept), 1, 1, keep_put);
	value = PgBsonArgument(fcinfo, 2, PgBsonMissing);
	result = PgBsonNestedPut(&reader.root, kept->thing, &value);
	made = PgBsonFromValue(&result);
	PgBsonClose(&reader);
	PgBsonCheckCall(fcinfo, result.len, "");
	PG_RETURN_PGBSON_P(made);
}

/* What a set-returning function returns for a document */
typedef enum RowKind
{
	UNWOUND,					/* the documents of $unwind */
	UNWOUND_VALUES,				/* only the values that $unwind puts into these documents */
	UNWOUND_PLACES,				/* only the places of these values */
	LOOKUP_VALUES,				/* the values that $lookup searches the other table for */
	LOOKUP_ALONE				/* the same, if no other set is in the SELECT list */
} RowKind;

/*
 * What the call site of such a function remembers.  It lasts for all documents, unlike the state of the server's SRF
 * macros, which is made anew for each: most documents have few rows, so that would take longer than the rows.
 */
typedef struct RowsSite
{
	PgBsonKept	kept;			/* the parsed stage; the first member */
	PgBsonFetchHint hint;		/* for the path */
	MemoryContext context;		/* for the rows of one document */
	bool		watched;		/* forget_rows() is registered as a callback */
	bool		begun;			/* a document was begun, and its last row was not returned yet */
	PgBsonUnwinding rows;
} RowsSite;

/* The value at the path of a document that is all there; of type PGBSON_MISSING if there is none */
static PgBsonValue
value_at_stage_path(const PgBsonReader *reader, RowsSite *site)
{
	const PgBsonUnwind *unwind = site->kept.thing;
	PgBsonValue value = reader->root;

	return PgBsonFindIn(NULL, &value, &site->hint.find, unwind->path.names, unwind->path.count)
		? PgBsonCopyFresh(&value) : PgBsonMissing;
}

/* Callback when the calling query ends or rescans: it does not ask for the remaining rows of the document */
static void
forget_rows(Datum site)
{
	((RowsSite *) DatumGetPointer(site))->watched = false;
	((RowsSite *) DatumGetPointer(site))->begun = false;
}

PGBSON_KEEPER(keep_unwind, PgBsonUnwindParse(&value))

static void
keep_lookup(FunctionCallInfo fcinfo, void *site)
{
	PgBsonUnwind *unwind = palloc0_object(PgBsonUnwind);

	unwind->path = path_names(PG_GETARG_TEXT_P_COPY(1), "\"localField\"");
	unwind->preserves = true;
	((PgBsonKept *) site)->thing = unwind;
}

/* What $lookup searches for, if it is one value that lies at the path; else NULL.  Mostly it does. */
static PgBson *
lookup_plain(FunctionCallInfo fcinfo, RowsSite *site)
{
	const PgBsonUnwind *unwind = site->kept.thing;
	PgBsonValue value;

	return PgBsonFetchPath(PG_GETARG_DATUM(0), unwind->path.names, unwind->path.count, &site->hint, &value) &&
		value.type != PGBSON_ARRAY ? PgBsonFromValue(&value) : NULL;
}

/*
 * The values that $lookup searches for, without duplicates: one value as it is, several as an array.  Without
 * duplicates a join by these values finds each document once.
 */
static PgBsonValue
lookup_values(const PgBsonReader *reader, RowsSite *site)
{
	const PgBsonUnwind *unwind = site->kept.thing;
	PgBsonValue *values;
	int			count;

	values = PgBsonLookupValues(&reader->root, &unwind->path, &count);
	if (count == 1 && values[0].type != PGBSON_ARRAY)
		return values[0];
	count = PgBsonSortDistinct(values, count);
	return PgBsonMakeArray(values, count);
}

/* Make the memory for the rows of a document current, empty; returns the one that was */
static MemoryContext
enter_rows(FunctionCallInfo fcinfo, RowsSite *site)
{
	if (site->context == NULL)
		site->context = AllocSetContextCreate(fcinfo->flinfo->fn_mcxt, "bson rows", ALLOCSET_SMALL_SIZES);
	MemoryContextReset(site->context);
	return MemoryContextSwitchTo(site->context);
}

/* Begin the rows of the values that $lookup searches for; if there is one, it is returned and there are no more */
static PgBson *
begin_lookup_rows(FunctionCallInfo fcinfo, RowsSite *site)
{
	PgBson	   *only = lookup_plain(fcinfo, site);
	PgBsonReader reader;
	PgBsonValue found;

	site->rows.done = true;
	if (only != NULL)
		return only;
	PgBsonOpenDocument(&reader, PG_GETARG_DATUM(0));
	found = lookup_values(&reader, site);
	if (found.type != PGBSON_ARRAY)
		only = PgBsonFromValue(&found);
	else
	{
		MemoryContext old = enter_rows(fcinfo, site);

		found = PgBsonMakeBytes(found.type, found.data, found.len);
		PgBsonUnwindBegin(&site->rows, site->kept.thing, &reader.root, &found);
		site->rows.values = true;
		MemoryContextSwitchTo(old);
	}
	PgBsonClose(&reader);
	return only;
}

static void
begin_stage_rows(FunctionCallInfo fcinfo, RowsSite *site, RowKind kind)
{
	const PgBsonUnwind *unwind = site->kept.thing;
	MemoryContext old = enter_rows(fcinfo, site);
	PgBsonReader reader;
	PgBsonValue found;

	/* documents are made of the argument: the server keeps its datum until the last row, but not a detoasted copy */
	PgBsonOpenDocument(&reader, kind == UNWOUND ? PointerGetDatum(PG_GETARG_PGBSON_PP(0)) : PG_GETARG_DATUM(0));
	found = value_at_stage_path(&reader, site);
	/* values are read after the document is closed */
	if (reader.source != NULL)
		found = PgBsonMakeBytes(found.type, found.data, found.len);
	PgBsonUnwindBegin(&site->rows, unwind, &reader.root, &found);
	site->rows.values = kind != UNWOUND;
	PgBsonClose(&reader);
	if ((kind == UNWOUND_VALUES || kind == UNWOUND_PLACES) && (unwind->preserves || unwind->with_index))
		PgBsonReportInvalid(errmsg("options of stage \"$unwind\" of a bson pipeline are for documents"));
	MemoryContextSwitchTo(old);
}

static Datum
next_row(FunctionCallInfo fcinfo, RowKind kind)
{
	ReturnSetInfo *rsinfo = PgBsonReturnRows(fcinfo);
	RowsSite   *site = PgBsonKeptSite(fcinfo, sizeof(RowsSite), 1, 1, kind >= LOOKUP_VALUES ? keep_lookup
									  : keep_unwind);
	PgBson	   *only = NULL;
	PgBsonValue result;

	if (!site->begun && kind >= LOOKUP_VALUES)
		only = begin_lookup_rows(fcinfo, site);
	else if (!site->begun)
		begin_stage_rows(fcinfo, site, kind);
	if (only != NULL && kind == LOOKUP_ALONE)
	{
		rsinfo->isDone = ExprSingleResult;
		PG_RETURN_PGBSON_P(only);
	}
	if (!site->watched)
		RegisterExprContextCallback(rsinfo->econtext, forget_rows, PointerGetDatum(site));
	site->watched = true;
	site->begun = only != NULL || PgBsonUnwindNext(&site->rows, &result);
	rsinfo->isDone = site->begun ? ExprMultipleResult : ExprEndResult;
	if (!site->begun)
		PG_RETURN_NULL();
	if (only != NULL)
		PG_RETURN_PGBSON_P(only);
	if (kind == UNWOUND_PLACES)
		result = site->rows.found.type == PGBSON_ARRAY ? PgBsonMakeInt64(site->rows.index - 1) : PgBsonNull;
	return PointerGetDatum(PgBsonFromValue(&result));
}

/* SQL: bson_unwind(doc bson, unwind bson), bson_unwind_values and bson_unwind_places, of the same, return setof bson */
PGBSON_DOOR(pgbson_unwind, next_row(fcinfo, UNWOUND));
PGBSON_DOOR(pgbson_unwind_values, next_row(fcinfo, UNWOUND_VALUES));
PGBSON_DOOR(pgbson_unwind_places, next_row(fcinfo, UNWOUND_PLACES));

/* SQL: bson_lookup_each(doc bson, local_field text) returns setof bson: the elements of bson_lookup_values */
PGBSON_DOOR(pgbson_lookup_each, next_row(fcinfo, LOOKUP_VALUES));

/*
 * SQL: bson_lookup_alone(doc bson, local_field text) returns setof bson: the same, but a row that is the only one is
 * returned as no set, so the server does not ask for more.  Beside other sets of a SELECT list it would be repeated.
 */
PGBSON_DOOR(pgbson_lookup_alone, next_row(fcinfo, LOOKUP_ALONE));

/* SQL: bson_lookup_value(doc bson, local_field text) returns bson: the only one of bson_lookup_values, or NULL */
PGBSON_FUNCTION(pgbson_lookup_value)
{
	RowsSite   *site = PgBsonKeptSite(fcinfo, sizeof(RowsSite), 1, 1, keep_lookup);
	PgBson	   *made = lookup_plain(fcinfo, site);
	PgBsonReader reader;
	PgBsonValue value;

	if (made != NULL)
		PG_RETURN_PGBSON_P(made);
	PgBsonOpenDocument(&reader, PG_GETARG_DATUM(0));
	value = lookup_values(&reader, site);
	if (value.type != PGBSON_ARRAY)
		made = PgBsonFromValue(&value);
	PgBsonClose(&reader);
	if (made == NULL)
		PG_RETURN_NULL();
	PG_RETURN_PGBSON_P(made);
}

/* SQL: bson_lookup_values(doc bson, local_field text) returns bson[] */
PGBSON_FUNCTION(pgbson_lookup_values)
{
	PgBsonReader reader;
	PgBsonNames local;
	int			count;
	PgBsonValue *values;
	Datum	   *datums;
	Oid			type = get_fn_expr_argtype(fcinfo->flinfo, 0);

	PgBsonOpenDocument(&reader, PG_GETARG_DATUM(0));
	local = path_names(PG_GETARG_TEXT_PP(1), "\"localField\"");
	values = PgBsonLookupValues(&reader.root, &local, &count);
	count = PgBsonSortDistinct(values, count);
	datums = palloc_extended(count * sizeof(Datum), MCXT_ALLOC_HUGE);
	for (int i = 0; i < count; i++)
		datums[i] = PointerGetDatum(PgBsonFromValue(&values[i]));
	PgBsonClose(&reader);
	PG_RETURN_ARRAYTYPE_P(construct_array(datums, count, type, -1, false, TYPALIGN_INT));
}

/* SQL: bson_graph_query(docs bson[], connect_from text, connect_to text) returns bson; NULL if there are no values */
PGBSON_FUNCTION(pgbson_graph_query)
{
	ArrayType  *docs = PG_GETARG_ARRAYTYPE_P(0);
	PgBsonNames from = path_names(PG_GETARG_TEXT_PP(1), "\"connectFromField\"");
	uint32		len;
	const char *to = PgBsonFromText(PG_GETARG_TEXT_PP(2), &len);
	PgBsonWriter values;
	PgBsonValue query;
	Datum	   *datums;
	bool	   *nulls;
	int			count;

	(void) PgBsonNestedSplit(to, len, "\"connectToField\"");
	PgBsonWriterBegin(&values, 0);
	deconstruct_array(docs, ARR_ELEMTYPE(docs), -1, false, TYPALIGN_INT, &datums, &nulls, &count);
	for (int i = 0; i < count; i++)
	{
		PgBsonReader reader;

		CHECK_FOR_INTERRUPTS();
		if (nulls[i])
			continue;
		PgBsonOpenDocument(&reader, datums[i]);
		PgBsonGraphAddValues(&values, &reader.root, &from);
		PgBsonClose(&reader);
	}
	if (values.count == 0)
		PG_RETURN_NULL();
	query = PgBsonGraphQuery(&values, to, len);
	PG_RETURN_PGBSON_P(PgBsonFromValue(&query));
}

/* SQL: bson_equality_query(value bson, field text) returns bson */
PGBSON_FUNCTION(pgbson_equality_query)
{
	PgBsonValue value = PgBsonArgument(fcinfo, 0, PgBsonMissing);
	PgBsonValue query;
	const char *field;
	uint32		len;

	if (PG_ARGISNULL(1))
		PG_RETURN_NULL();
	field = PgBsonFromText(PG_GETARG_TEXT_PP(1), &len);
	query = PgBsonLookupEquality(&value, field, len);
	PG_RETURN_PGBSON_P(PgBsonFromValue(&query));
}

/* SQL: bson_lookup_query(doc bson, local_field text, foreign_field text) returns bson */
PGBSON_FUNCTION(pgbson_lookup_query)
{
	PgBsonReader reader;
	PgBsonNames local;
	uint32		len;
	const char *foreign;
	int			count;
	PgBsonValue *values;
	PgBsonValue query;
	PgBson	   *made;

	PgBsonOpenDocument(&reader, PG_GETARG_DATUM(0));
	local = path_names(PG_GETARG_TEXT_PP(1), "\"localField\"");
	foreign = PgBsonFromText(PG_GETARG_TEXT_PP(2), &len);
	values = PgBsonLookupValues(&reader.root, &local, &count);
	(void) PgBsonNestedSplit(foreign, len, "\"foreignField\"");
	query = PgBsonLookupQuery(values, count, foreign, len);
	made = PgBsonFromValue(&query);
	PgBsonClose(&reader);
	PG_RETURN_PGBSON_P(made);
}
