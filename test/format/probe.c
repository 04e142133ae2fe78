/*
 * probe.c
 *	  What run.py needs and SQL has not: calls that may fail, and the keys of the GIN classes.
 *
 * This is compiled and loaded by run.py only.  It shares no code with the extension, and calls it as the server does.
 */
#include "postgres.h"

#include "access/gin.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "nodes/makefuncs.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
/* before PostgreSQL 16, what it has is in postgres.h */
#if __has_include("varatt.h")
#include "varatt.h"
#endif

PG_MODULE_MAGIC;

/* --- calls --- */

typedef struct Call
{
	Oid			function;
	FmgrInfo	info;
	FmgrInfo	out;
	bool		is_cstring;
} Call;

/* An expression of a type, which is not taken for a constant */
static Node *
argument(Oid type)
{
	CaseTestExpr *expr = makeNode(CaseTestExpr);

	expr->typeId = type;
	expr->typeMod = -1;
	return (Node *) expr;
}

static Call *
call_of(FunctionCallInfo fcinfo, Oid function)
{
	Call	   *call = fcinfo->flinfo->fn_extra;
	MemoryContext old;
	List	   *args = NIL;
	Oid			type = get_func_rettype(function);
	Oid			out;
	bool		is_varlena;

	if (call != NULL && call->function == function)
		return call;
	old = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
	call = palloc0(sizeof(Call));
	call->function = function;
	for (int i = 1; i < PG_NARGS(); i++)
		args = lappend(args, argument(get_fn_expr_argtype(fcinfo->flinfo, i)));
	fmgr_info(function, &call->info);
	fmgr_info_set_expr((Node *) makeFuncExpr(function, type, args, InvalidOid, DEFAULT_COLLATION_OID, COERCE_EXPLICIT_CALL), &call->info);
	call->is_cstring = type == CSTRINGOID;
	getTypeOutputInfo(type, &out, &is_varlena);
	fmgr_info(out, &call->out);
	fcinfo->flinfo->fn_extra = call;
	MemoryContextSwitchTo(old);
	return call;
}

PG_FUNCTION_INFO_V1(probe);

/* SQL: probe(function regprocedure, VARIADIC "any") returns text: its result, or E and the code of its error */
Datum
probe(PG_FUNCTION_ARGS)
{
	Call	   *call;
	char	   *result;
	MemoryContext old = CurrentMemoryContext;
	LOCAL_FCINFO(inner, FUNC_MAX_ARGS);

	for (int i = 0; i < PG_NARGS(); i++)
	{
		if (PG_ARGISNULL(i))
			PG_RETURN_NULL();
	}
	call = call_of(fcinfo, PG_GETARG_OID(0));
	InitFunctionCallInfoData(*inner, &call->info, PG_NARGS() - 1, DEFAULT_COLLATION_OID, NULL, NULL);
	for (int i = 1; i < PG_NARGS(); i++)
	{
		inner->args[i - 1].value = PG_GETARG_DATUM(i);
		inner->args[i - 1].isnull = false;
	}
	PG_TRY();
	{
		Datum		value = FunctionCallInvoke(inner);

		result = inner->isnull ? "NULL" : call->is_cstring ? DatumGetCString(value) : OutputFunctionCall(&call->out, value);
	}
	PG_CATCH();
	{
		ErrorData  *error;

		MemoryContextSwitchTo(old);
		error = CopyErrorData();
		FlushErrorState();
		result = psprintf("E%s", unpack_sql_state(error->sqlerrcode));
		/* what the function remembered may be incomplete */
		fcinfo->flinfo->fn_extra = NULL;
	}
	PG_END_TRY();
	PG_RETURN_TEXT_P(cstring_to_text(result));
}

/* --- GIN --- */

typedef struct Class
{
	const char *suffix;
	bool		by_bytes;		/* the keys are bytea, not int8 */
} Class;

static const Class classes[] = {{"", true}, {"_path", false}, {"_range", true}};

typedef struct Keys
{
	bool		known;
	int32		n;
	Datum	   *keys;
} Keys;

static PGFunction
symbol(const char *name, const char *suffix)
{
	return (PGFunction) load_external_function("$libdir/bson", psprintf("%s%s", name, suffix), true, NULL);
}

/* Call a function of the extension as the server's GIN does; never cached, so a FmgrInfo on the stack will do */
#define CALL(result, function, ...) \
	do { \
		Datum		values[] = {__VA_ARGS__}; \
		FmgrInfo	info = {0}; \
		LOCAL_FCINFO(call, 8); \
		info.fn_addr = (function); \
		info.fn_nargs = lengthof(values); \
		info.fn_mcxt = CurrentMemoryContext; \
		InitFunctionCallInfoData(*call, &info, lengthof(values), DEFAULT_COLLATION_OID, NULL, NULL); \
		for (int arg = 0; arg < (int) lengthof(values); arg++) \
		{ \
			call->args[arg].value = values[arg]; \
			call->args[arg].isnull = false; \
		} \
		(result) = FunctionCallInvoke(call); \
	} while (0)

static Keys
keys_of(const Class *class, Datum value)
{
	static PGFunction functions[lengthof(classes)];
	PGFunction *function = &functions[class - classes];
	Keys		keys = {true};
	bool	   *nulls = NULL;
	Datum		result;

	if (*function == NULL)
		*function = symbol("pgbson_gin_extract_value", class->suffix);
	CALL(result, *function, value, PointerGetDatum(&keys.n), PointerGetDatum(&nulls));
	keys.keys = (Datum *) DatumGetPointer(result);
	return keys;
}

static int
compare_keys(const Class *class, Datum a, Datum b)
{
	int			cmp;

	if (!class->by_bytes)
		return (DatumGetInt64(a) > DatumGetInt64(b)) - (DatumGetInt64(a) < DatumGetInt64(b));
	cmp = memcmp(VARDATA_ANY(DatumGetPointer(a)), VARDATA_ANY(DatumGetPointer(b)),
				 Min(VARSIZE_ANY_EXHDR(DatumGetPointer(a)), VARSIZE_ANY_EXHDR(DatumGetPointer(b))));
	return cmp != 0 ? cmp : (int) VARSIZE_ANY_EXHDR(DatumGetPointer(a)) - (int) VARSIZE_ANY_EXHDR(DatumGetPointer(b));
}

/* A key in hexadecimal digits */
static void
append_key(StringInfo s, const Class *class, Datum key)
{
	if (!class->by_bytes)
		appendStringInfo(s, "%016llx", (unsigned long long) DatumGetInt64(key));
	else
	{
		for (uint32 i = 0; i < VARSIZE_ANY_EXHDR(DatumGetPointer(key)); i++)
		{
			uint8		byte = VARDATA_ANY(DatumGetPointer(key))[i];

			appendStringInfoChar(s, "0123456789abcdef"[byte >> 4]);
			appendStringInfoChar(s, "0123456789abcdef"[byte & 15]);
		}
	}
}

PG_FUNCTION_INFO_V1(probe_keys);

/* SQL: probe_keys(class int, bson) returns text: the keys that a class makes of a value */
Datum
probe_keys(PG_FUNCTION_ARGS)
{
	const Class *class = &classes[PG_GETARG_INT32(0)];
	Keys		keys = keys_of(class, PG_GETARG_DATUM(1));
	StringInfoData s;

	initStringInfo(&s);
	for (int i = 0; i < keys.n; i++)
	{
		if (i > 0)
			appendStringInfoChar(&s, compare_keys(class, keys.keys[i - 1], keys.keys[i]) < 0 ? ' ' : '!');
		append_key(&s, class, keys.keys[i]);
	}
	PG_RETURN_TEXT_P(cstring_to_text(s.data));
}

/* All values, which are read once in a session, and their keys, as far as they were needed */
static Datum *all_values;
static int	count_values;
static Keys *all_keys[lengthof(classes)];

static void
read_values(void)
{
	MemoryContext kept = AllocSetContextCreate(TopMemoryContext, "probe", ALLOCSET_DEFAULT_SIZES);

	SPI_connect();
	if (SPI_execute("SELECT id, v FROM population ORDER BY id", true, 0) != SPI_OK_SELECT)
		elog(ERROR, "there is no population");
	count_values = SPI_processed;
	all_values = MemoryContextAlloc(kept, count_values * sizeof(Datum));
	for (int i = 0; i < (int) lengthof(classes); i++)
		all_keys[i] = MemoryContextAllocZero(kept, count_values * sizeof(Keys));
	for (int i = 0; i < count_values; i++)
	{
		bool		isnull;
		Datum		value = SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 2, &isnull);
		MemoryContext old = MemoryContextSwitchTo(kept);

		all_values[i] = PointerGetDatum(PG_DETOAST_DATUM_COPY(value));
		MemoryContextSwitchTo(old);
	}
	SPI_finish();
}

static const Keys *
keys_of_number(const Class *class, int i)
{
	Keys	   *keys = &all_keys[class - classes][i];

	if (!keys->known)
	{
		MemoryContext old = MemoryContextSwitchTo(GetMemoryChunkContext(all_values));

		*keys = keys_of(class, all_values[i]);
		MemoryContextSwitchTo(old);
	}
	return keys;
}

typedef struct Asked
{
	const Class *class;
	StrategyNumber strategy;
	Datum		query;
	int32		n;
	Datum	   *keys;
	bool	   *partial;
	Pointer    *extra;
	int32		mode;
} Asked;

static Asked
query_of(const Class *class, Datum argument, StrategyNumber strategy)
{
	static PGFunction functions[lengthof(classes)];
	PGFunction *function = &functions[class - classes];
	Asked		query = {class, strategy, argument, .mode = GIN_SEARCH_MODE_DEFAULT};
	bool	   *nulls = NULL;
	Datum		result;

	if (*function == NULL)
		*function = symbol("pgbson_gin_extract_query", class->suffix);
	CALL(result, *function, argument, PointerGetDatum(&query.n), UInt16GetDatum(strategy), PointerGetDatum(&query.partial), PointerGetDatum(&query.extra), PointerGetDatum(&nulls), PointerGetDatum(&query.mode));
	query.keys = (Datum *) DatumGetPointer(result);
	return query;
}

/* Does the row have the key, or one in the range that begins with it? */
static bool
has_key(const Asked *query, int i, const Keys *row)
{
	static PGFunction partial;

	if (partial == NULL)
		partial = symbol("pgbson_gin_compare_partial", "");
	for (int k = 0; k < row->n; k++)
	{
		int			cmp = compare_keys(query->class, row->keys[k], query->keys[i]);
		Datum		result;

		if (cmp == 0 && (query->partial == NULL || !query->partial[i]))
			return true;
		if (cmp < 0 || query->partial == NULL || !query->partial[i])
			continue;
		CALL(result, partial, query->keys[i], row->keys[k], UInt16GetDatum(query->strategy), PointerGetDatum(query->extra[i]));
		if (DatumGetInt32(result) == 0)
			return true;
		if (DatumGetInt32(result) > 0)
			return false;
	}
	return false;
}

/* What the index says of a row: 0 no, 1 yes, ? perhaps */
static char
verdict(const Asked *query, const Keys *row)
{
	static PGFunction consistent;
	GinTernaryValue *check;
	Datum		result;
	bool	   *nulls;

	if (query->n == 0 && query->mode == GIN_SEARCH_MODE_DEFAULT)
		return '0';
	if (consistent == NULL)
		consistent = symbol("pgbson_gin_triconsistent", "");
	check = palloc0(query->n + 1);
	nulls = palloc0(query->n + 1);
	for (int i = 0; i < query->n; i++)
		check[i] = has_key(query, i, row) ? GIN_TRUE : GIN_FALSE;
	CALL(result, consistent, PointerGetDatum(check), UInt16GetDatum(query->strategy), query->query, Int32GetDatum(query->n), PointerGetDatum(query->extra), PointerGetDatum(query->keys), PointerGetDatum(nulls));
	pfree(check);
	pfree(nulls);
	return DatumGetGinTernaryValue(result) == GIN_TRUE ? '1' : DatumGetGinTernaryValue(result) == GIN_FALSE ? '0' : '?';
}

PG_FUNCTION_INFO_V1(probe_query);

/*
 * SQL: probe_query(operator regprocedure, strategy int, argument "any", numbers int[], exists boolean) returns text: for
 * each of these values, what the operator says, and what each class says; X where they contradict each other
 */
Datum
probe_query(PG_FUNCTION_ARGS)
{
	StrategyNumber strategy = PG_GETARG_INT32(1);
	Datum		argument = PointerGetDatum(PG_DETOAST_DATUM(PG_GETARG_DATUM(2)));
	bool		only_ops = PG_GETARG_BOOL(4);
	int			nclasses = only_ops ? 1 : lengthof(classes);
	Asked		queries[lengthof(classes)];
	Datum	   *numbers;
	int			n;
	FmgrInfo	direct;
	StringInfoData s;

	if (all_values == NULL)
		read_values();
	fmgr_info(PG_GETARG_OID(0), &direct);
	for (int i = 0; i < nclasses; i++)
		queries[i] = query_of(&classes[i], argument, strategy);
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(3), INT4OID, 4, true, TYPALIGN_INT, &numbers, NULL, &n);
	initStringInfo(&s);
	for (int i = 0; i < n; i++)
	{
		int			number = DatumGetInt32(numbers[i]);
		LOCAL_FCINFO(call, 2);
		bool		is;

		InitFunctionCallInfoData(*call, &direct, 2, DEFAULT_COLLATION_OID, NULL, NULL);
		call->args[0].value = all_values[number];
		call->args[1].value = argument;
		call->args[0].isnull = call->args[1].isnull = false;
		is = DatumGetBool(FunctionCallInvoke(call)) && !call->isnull;
		appendStringInfoChar(&s, is ? 't' : 'f');
		for (int k = 0; k < nclasses; k++)
		{
			char		says = verdict(&queries[k], keys_of_number(&classes[k], number));

			appendStringInfoChar(&s, says);
			if (says == (is ? '0' : '1'))
				appendStringInfoChar(&s, 'X');
		}
	}
	PG_RETURN_TEXT_P(cstring_to_text(s.data));
}
