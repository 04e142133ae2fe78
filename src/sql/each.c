/*
 * each.c
 *	  Set-returning functions over the elements of one value.
 *
 * In a SELECT list, rows are made one by one when the caller asks for them.  The iterator
 * is the whole state, so a LIMIT ends the work.  In FROM, where the server would put
 * them into a tuplestore, they are put there at once.
 */
#include "pgbson.h"

#include "access/htup_details.h"
#include "core/build.h"
#include "core/value.h"
#include "core/view.h"
#include "funcapi.h"
#include "json/text.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "sql/store.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/* The contents of a row */
typedef enum Columns
{
	KEY_ONLY,
	VALUE_ONLY,
	KEY_AND_VALUE
} Columns;

/* The state that is kept between calls */
typedef struct Cursor
{
	PgBsonIter	iter;
	PgBson	   *doc;			/* a detoasted copy that lives as long as the call */
} Cursor;

static void
wrong_container(const char *function, PgBsonType type, PgBsonType wanted)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("cannot call %s on a bson value of type %s",
					function, PgBsonTypeName(type)),
			 wanted == PGBSON_ARRAY ?
			 errdetail("The function takes an array.") :
			 errdetail("The function takes a document.")));
}

/* Memory for one row after the other, of a size that most have; without it, they are palloc'd */
typedef struct Space
{
	uint64		key[8];
	uint64		value[64];
} Space;

static Datum
key_datum(const PgBsonIter *iter, Space *space)
{
	char	   *key = pg_any_to_server(iter->key, iter->key_len, PG_UTF8);
	uint32		len = key == iter->key ? iter->key_len : strlen(key);

	if (space == NULL)
		return PointerGetDatum(cstring_to_text_with_len(key, len));
	return PointerGetDatum(PgBsonTextIn(key, len, space->key, sizeof(space->key)));
}

static Datum
value_datum(const PgBsonValue *value, bool as_text, Space *space, bool *isnull)
{
	void	   *at = space != NULL ? space->value : NULL;
	Size		room = space != NULL ? sizeof(space->value) : 0;
	text	   *t;

	*isnull = false;
	if (!as_text)
		return PointerGetDatum(PgBsonFromValueIn(value, at, room));
	t = PgBsonValueToTextIn(value, at, room);
	*isnull = t == NULL;
	return PointerGetDatum(t);
}

static void
element_row(const PgBsonIter *iter, Columns columns, bool as_text, Space *space, Datum values[2], bool nulls[2])
{
	int			n = 0;

	nulls[0] = nulls[1] = false;
	if (columns != VALUE_ONLY)
		values[n++] = key_datum(iter, space);
	if (columns != KEY_ONLY)
		values[n] = value_datum(&iter->value, as_text, space, &nulls[n]);
}

/* Put all rows into a tuplestore */
static void
fill_store(FunctionCallInfo fcinfo, PgBsonType container, const char *function,
		   Columns columns, bool as_text)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Tuplestorestate *store;
	MemoryContext old;
	MemoryContext row;
	Space		space;
	PgBsonValue root;
	PgBsonIter	iter;

	root = PgBsonRoot(PG_GETARG_PGBSON_ROW(0));
	if (root.type != container)
		wrong_container(function, root.type, container);

	store = PgBsonStoreMake(PgBsonReturnStore(fcinfo), rsinfo->expectedDesc);
	row = AllocSetContextCreate(CurrentMemoryContext, "bson element", ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(row);
	PgBsonIterInit(&iter, PgBsonValueView(&root));
	while (PgBsonIterNext(&iter))
	{
		Datum		values[2];
		bool		nulls[2];

		CHECK_FOR_INTERRUPTS();
		element_row(&iter, columns, as_text, &space, values, nulls);
		tuplestore_putvalues(store, rsinfo->expectedDesc, values, nulls);
		MemoryContextReset(row);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(row);
}

/* The shared worker: all rows at once, or one per call */
static Datum
next_element(FunctionCallInfo fcinfo, PgBsonType container, const char *function,
			 Columns columns, bool as_text)
{
	FuncCallContext *funcctx;
	Cursor	   *cursor;
	Datum		values[2];
	bool		nulls[2];

	if (PgBsonStoreWanted(fcinfo, columns == KEY_AND_VALUE ? 2 : 1))
	{
		fill_store(fcinfo, container, function, columns, as_text);
		return (Datum) 0;
	}
	if (SRF_IS_FIRSTCALL())
	{
		MemoryContext old;
		PgBsonValue root;

		funcctx = SRF_FIRSTCALL_INIT();
		old = MemoryContextSwitchTo(funcctx->multi_call_memory_ctx);

		cursor = palloc_object(Cursor);
		cursor->doc = PG_GETARG_PGBSON_P_COPY(0);
		root = PgBsonRoot(cursor->doc);
		if (root.type != container)
			wrong_container(function, root.type, container);
		PgBsonIterInit(&cursor->iter, PgBsonValueView(&root));
		funcctx->user_fctx = cursor;
		if (columns == KEY_AND_VALUE &&
			get_call_result_type(fcinfo, NULL, &funcctx->tuple_desc) != TYPEFUNC_COMPOSITE)
			elog(ERROR, "return type must be a row type");
		if (funcctx->tuple_desc)
			funcctx->tuple_desc = BlessTupleDesc(funcctx->tuple_desc);
		MemoryContextSwitchTo(old);
	}

	funcctx = SRF_PERCALL_SETUP();
	cursor = (Cursor *) funcctx->user_fctx;
	if (!PgBsonIterNext(&cursor->iter))
		SRF_RETURN_DONE(funcctx);

	element_row(&cursor->iter, columns, as_text, NULL, values, nulls);
	if (columns == KEY_AND_VALUE)
		SRF_RETURN_NEXT(funcctx,
						HeapTupleGetDatum(heap_form_tuple(funcctx->tuple_desc, values, nulls)));
	if (nulls[0])
		SRF_RETURN_NEXT_NULL(funcctx);
	SRF_RETURN_NEXT(funcctx, values[0]);
}

/* SQL: bson_each(bson, OUT key text, OUT value bson) returns setof record */
PG_FUNCTION_INFO_V1(pgbson_each);
Datum
pgbson_each(PG_FUNCTION_ARGS)
{
	return next_element(fcinfo, PGBSON_DOCUMENT, "bson_each", KEY_AND_VALUE, false);
}

/* SQL: bson_each_text(bson, OUT key text, OUT value text) returns setof record */
PG_FUNCTION_INFO_V1(pgbson_each_text);
Datum
pgbson_each_text(PG_FUNCTION_ARGS)
{
	return next_element(fcinfo, PGBSON_DOCUMENT, "bson_each_text", KEY_AND_VALUE, true);
}

/* SQL: bson_object_keys(bson) returns setof text */
PG_FUNCTION_INFO_V1(pgbson_object_keys);
Datum
pgbson_object_keys(PG_FUNCTION_ARGS)
{
	return next_element(fcinfo, PGBSON_DOCUMENT, "bson_object_keys", KEY_ONLY, false);
}

/* SQL: bson_array_elements(bson, OUT value bson) returns setof bson */
PG_FUNCTION_INFO_V1(pgbson_array_elements);
Datum
pgbson_array_elements(PG_FUNCTION_ARGS)
{
	return next_element(fcinfo, PGBSON_ARRAY, "bson_array_elements", VALUE_ONLY, false);
}

/* SQL: bson_array_elements_text(bson, OUT value text) returns setof text */
PG_FUNCTION_INFO_V1(pgbson_array_elements_text);
Datum
pgbson_array_elements_text(PG_FUNCTION_ARGS)
{
	return next_element(fcinfo, PGBSON_ARRAY, "bson_array_elements_text", VALUE_ONLY, true);
}
