/*
 * each.c
 *	  Set-returning functions over the elements of one value.
 *
 * In a SELECT list, rows are made one by one when the caller asks for them.  The iterator
 * is the whole state, so a LIMIT ends the work.  In FROM, where the server would put
 * them into a tuplestore, they are put there at once.
 */
#include "door.h"

#include "core/bytes/recode.h"
#include "core/bytes/value.h"
#include "funcapi.h"
#include "json/print.h"
#include "sql/convert/store.h"

/* The contents of a row */
typedef enum Columns
{
	KEY_ONLY,
	VALUE_ONLY,
	KEY_AND_VALUE
} Columns;

static void
wrong_container(const char *function, PgBsonType type, PgBsonType wanted)
{
	PgBsonReportInvalid(errmsg("cannot call %s on a bson value of type %s",
							   function, PgBsonTypeName(type)),
						wanted == PGBSON_ARRAY ?
						errdetail("The function takes an array.") :
						errdetail("The function takes a document."));
}

/* The row of an element */
static void
element_row(const PgBsonIter *iter, Columns columns, bool as_text, Datum values[2], bool nulls[2])
{
	int			n = 0;

	nulls[0] = nulls[1] = false;
	if (columns != VALUE_ONLY)
		values[n++] = PointerGetDatum(PgBsonToText(iter->key, iter->key_len));
	if (columns == KEY_ONLY)
		return;
	if (!as_text)
		values[n] = PointerGetDatum(PgBsonFromValue(&iter->value));
	else
	{
		values[n] = PointerGetDatum(PgBsonValueToText(&iter->value));
		nulls[n] = DatumGetPointer(values[n]) == NULL;
	}
}

static bool
form_text(PgBsonRow *row, const PgBsonValue *value)
{
	char		buf[PGBSON_SPELL_SIZE];
	uint32		len;
	const char *s;

	if (PgBsonIsNullish(value->type))
	{
		PgBsonRowNull(row);
		return true;
	}
	s = PgBsonValueSpelling(value, buf, &len);
	return s != NULL && PgBsonRowBytes(row, s, len);
}

/* The row of an element, formed without allocating memory; false if it is too long for that */
static inline bool
form_row(PgBsonRow *row, const PgBsonIter *iter, Columns columns, bool as_text)
{
	PgBsonRowBegin(row);
	if (columns != VALUE_ONLY && !PgBsonRowBytes(row, iter->key, iter->key_len))
		return false;
	if (columns == KEY_ONLY)
		return true;
	return as_text ? form_text(row, &iter->value) : PgBsonRowBson(row, &iter->value);
}

/* Put all rows into a tuplestore */
static void
fill_store(FunctionCallInfo fcinfo, PgBsonType container, const char *function,
		   Columns columns, bool as_text)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	/* without allocation, unless text (as keys are) has to be converted to the server's encoding */
	bool		formable = (columns == VALUE_ONLY && !as_text) || !PgBsonServerRecodes();
	Tuplestorestate *store;
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext row = NULL;
	PgBsonRow	formed;
	PgBsonReader reader;
	Datum		values[2];
	bool		nulls[2];

	(void) PgBsonOpenWhole(&reader, PG_GETARG_DATUM(0));
	if (reader.root.type != container)
		wrong_container(function, reader.root.type, container);

	store = PgBsonStoreMake(PgBsonReturnStore(fcinfo), rsinfo->expectedDesc);
	PgBsonRowInit(&formed, rsinfo->expectedDesc->natts);
	PgBsonForEach(iter, PgBsonValueView(&reader.root))
	{
		if (formable && form_row(&formed, &iter, columns, as_text))
		{
			PgBsonRowStore(&formed, store);
			continue;
		}
		if (row == NULL)
			row = AllocSetContextCreate(caller, "bson element", ALLOCSET_DEFAULT_SIZES);
		MemoryContextSwitchTo(row);
		element_row(&iter, columns, as_text, values, nulls);
		tuplestore_putvalues(store, rsinfo->expectedDesc, values, nulls);
		MemoryContextSwitchTo(caller);
		MemoryContextReset(row);
	}
	if (row != NULL)
		MemoryContextDelete(row);
	PgBsonClose(&reader);
}

/* Keep an iterator for the calls that follow */
static void
begin_rows(FunctionCallInfo fcinfo, PgBsonType container, const char *function, Columns columns)
{
	FuncCallContext *funcctx = SRF_FIRSTCALL_INIT();
	MemoryContext old = MemoryContextSwitchTo(funcctx->multi_call_memory_ctx);
	/* the server keeps the argument until the last row; a copy that is made to detoast it is in this context */
	PgBsonValue root = PgBsonRoot(PG_GETARG_PGBSON_PP(0));
	PgBsonIter *iter = palloc_object(PgBsonIter);

	if (root.type != container)
		wrong_container(function, root.type, container);
	PgBsonIterInit(iter, PgBsonValueView(&root));
	funcctx->user_fctx = iter;
	if (columns == KEY_AND_VALUE &&
		get_call_result_type(fcinfo, NULL, &funcctx->tuple_desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	if (funcctx->tuple_desc)
		funcctx->tuple_desc = BlessTupleDesc(funcctx->tuple_desc);
	MemoryContextSwitchTo(old);
}

/* The shared worker: all rows at once, or one per call */
static Datum
next_element(FunctionCallInfo fcinfo, PgBsonType container, const char *function,
			 Columns columns, bool as_text)
{
	FuncCallContext *funcctx;
	PgBsonIter *iter;
	Datum		values[2];
	bool		nulls[2];

	if (SRF_IS_FIRSTCALL())
	{
		if (PgBsonStoreWanted(fcinfo, columns == KEY_AND_VALUE ? 2 : 1))
		{
			fill_store(fcinfo, container, function, columns, as_text);
			return (Datum) 0;
		}
		begin_rows(fcinfo, container, function, columns);
	}

	funcctx = SRF_PERCALL_SETUP();
	iter = (PgBsonIter *) funcctx->user_fctx;
	if (!PgBsonIterNext(iter))
		SRF_RETURN_DONE(funcctx);

	element_row(iter, columns, as_text, values, nulls);
	if (columns == KEY_AND_VALUE)
		SRF_RETURN_NEXT(funcctx,
						HeapTupleGetDatum(heap_form_tuple(funcctx->tuple_desc, values, nulls)));
	if (nulls[0])
		SRF_RETURN_NEXT_NULL(funcctx);
	SRF_RETURN_NEXT(funcctx, values[0]);
}

/*
 * SQL:
 *		bson_each(bson, OUT key text, OUT value bson) returns setof record
 *		bson_each_text(bson, OUT key text, OUT value text) returns setof record
 *		bson_object_keys(bson) returns setof text
 *		bson_array_elements(bson, OUT value bson) returns setof bson
 *		bson_array_elements_text(bson, OUT value text) returns setof text
 */
PGBSON_DOOR(pgbson_each, next_element(fcinfo, PGBSON_DOCUMENT, "bson_each", KEY_AND_VALUE, false));
PGBSON_DOOR(pgbson_each_text, next_element(fcinfo, PGBSON_DOCUMENT, "bson_each_text", KEY_AND_VALUE, true));
PGBSON_DOOR(pgbson_object_keys, next_element(fcinfo, PGBSON_DOCUMENT, "bson_object_keys", KEY_ONLY, false));
PGBSON_DOOR(pgbson_array_elements, next_element(fcinfo, PGBSON_ARRAY, "bson_array_elements", VALUE_ONLY, false));
PGBSON_DOOR(pgbson_array_elements_text, next_element(fcinfo, PGBSON_ARRAY, "bson_array_elements_text", VALUE_ONLY,
													 true));
