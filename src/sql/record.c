/*
 * record.c
 *	  Documents as rows, arrays of documents as sets of rows.
 *
 * bson_populate_record(set) takes the row type from its first argument, and
 * bson_to_record(set) from the query; otherwise they are the same.
 */
#include "door.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "sql/attempt.h"
#include "sql/convert/populate.h"
#include "sql/convert/store.h"
#include "sql/site/kept.h"
#include "utils/lsyscache.h"

/* What a call site remembers */
typedef struct Site
{
	Oid			argtype;		/* of the first argument, if that is a row */
	PgBsonSqlType *type;
	PgBsonReadHint hint;
} Site;

/* The row type that the calling query expects */
static void
row_type_from_query(FunctionCallInfo fcinfo, const char *funcname, PgBsonSqlType *type)
{
	TupleDesc	tupdesc;

	if (get_call_result_type(fcinfo, NULL, &tupdesc) != TYPEFUNC_COMPOSITE)
		PgBsonReportUnsupported(errmsg("could not determine row type for result of %s", funcname),
								errhint("Provide a non-null record argument, "
										"or call the function in the FROM clause "
										"using a column definition list."));
	BlessTupleDesc(tupdesc);
	PgBsonSqlTypeSetRow(type, tupdesc->tdtypeid, tupdesc->tdtypmod);
}

static void
fill_site(FunctionCallInfo fcinfo, Site *site, const char *funcname, bool has_base)
{
	MemoryContext context = fcinfo->flinfo->fn_mcxt;
	PgBsonSqlType *type;

	if (has_base)
	{
		site->argtype = get_fn_expr_argtype(fcinfo->flinfo, 0);
		if (!OidIsValid(site->argtype) || !type_is_rowtype(getBaseType(site->argtype)))
			PgBsonReport(ERRCODE_DATATYPE_MISMATCH, errmsg("first argument of %s must be a row type", funcname));
		type = PgBsonSqlTypeOf(context, site->argtype, -1);
	}
	else
	{
		type = PgBsonSqlTypeOf(context, RECORDOID, -1);
		row_type_from_query(fcinfo, funcname, type);
	}
	/* set only after all has succeeded */
	site->type = type;
}

/* The row type of this call; *base is the given row, or NULL */
static PgBsonSqlType *
get_type(FunctionCallInfo fcinfo, const char *funcname, bool has_base, HeapTupleHeader *base)
{
	Site	   *site = PgBsonSite(fcinfo->flinfo, sizeof(Site));

	if (site->type == NULL)
		fill_site(fcinfo, site, funcname, has_base);

	*base = NULL;
	if (has_base && !PG_ARGISNULL(0))
		*base = PG_GETARG_HEAPTUPLEHEADER(0);
	if (has_base && site->argtype == RECORDOID)
	{
		/* the row says which record type it is; without a row, the query does */
		if (*base)
			PgBsonSqlTypeSetRow(site->type, HeapTupleHeaderGetTypeId(*base),
								   HeapTupleHeaderGetTypMod(*base));
		else
			row_type_from_query(fcinfo, funcname, site->type);
	}
	return site->type;
}

static Datum
one_record(FunctionCallInfo fcinfo, const char *funcname, bool has_base)
{
	int			argno = has_base ? 1 : 0;
	HeapTupleHeader base;
	PgBsonSqlType *type = get_type(fcinfo, funcname, has_base, &base);
	Site	   *site = fcinfo->flinfo->fn_extra;

	if (PG_ARGISNULL(argno))
	{
		if (base)
			PG_RETURN_POINTER(base);
		PG_RETURN_NULL();
	}
	PG_RETURN_DATUM(HeapTupleHeaderGetDatum(PgBsonDatumToRow(type, PG_GETARG_DATUM(argno), &site->hint, base)));
}

/* SQL: bson_populate_record(base anyelement, bson) returns anyelement */
PGBSON_DOOR(pgbson_populate_record, one_record(fcinfo, "bson_populate_record", true));

/* The arguments of PgBsonToRow */
typedef struct RowAttempt
{
	PgBsonSqlType *type;
	PgBsonValue root;
	HeapTupleHeader base;
} RowAttempt;

static void
make_record_row(void *arg)
{
	RowAttempt *row = arg;

	(void) PgBsonToRow(row->type, &row->root, row->base);
}

/* Does this error say that data does not fit a type? All others have other causes */
static bool
is_about_data(const ErrorData *error)
{
	int			category = ERRCODE_TO_CATEGORY(error->sqlerrcode);

	/* the last one includes: no such enum value, no such table of a regclass, ... */
	return category == ERRCODE_DATA_EXCEPTION ||
		category == ERRCODE_INTEGRITY_CONSTRAINT_VIOLATION ||
		category == ERRCODE_SYNTAX_ERROR_OR_ACCESS_RULE_VIOLATION;
}

/*
 * SQL: bson_populate_record_valid(base anyelement, bson) returns bool
 *
 * Input functions of any type may be called.  Before 16 they cannot report
 * soft errors, and since 16 they need not.
 */
PGBSON_FUNCTION(pgbson_populate_record_valid)
{
	RowAttempt	row;

	row.type = get_type(fcinfo, "bson_populate_record_valid", true, &row.base);
	if (PG_ARGISNULL(1))
	{
		if (row.base)
			PG_RETURN_BOOL(true);
		PG_RETURN_NULL();
	}
	row.root = PgBsonRoot(PG_GETARG_PGBSON_PP(1));
	PG_RETURN_BOOL(PgBsonAttempt(make_record_row, &row, is_about_data));
}

/* SQL: bson_to_record(bson) returns record */
PGBSON_DOOR(pgbson_to_record, one_record(fcinfo, "bson_to_record", false));

/* Put a row for each of the array's documents into the store */
static void
store_rows(Tuplestorestate *store, PgBsonSqlType *type, PgBsonView array,
		   HeapTupleHeader base, const char *funcname)
{
	MemoryContext per_row = AllocSetContextCreate(CurrentMemoryContext, "bson recordset row",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(per_row);

	PgBsonForEach(iter, array)
	{
		if (iter.value.type != PGBSON_DOCUMENT)
			PgBsonReportInvalid(errmsg("argument of %s must be an array of objects", funcname));
		PgBsonStoreRow(store, type, &iter.value, base);
		MemoryContextReset(per_row);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(per_row);
}

static Datum
set_of_records(FunctionCallInfo fcinfo, const char *funcname, bool has_base)
{
	int			argno = has_base ? 1 : 0;
	ReturnSetInfo *rsinfo = PgBsonReturnStore(fcinfo);
	HeapTupleHeader base;
	PgBsonSqlType *type = get_type(fcinfo, funcname, has_base, &base);
	PgBsonValue root;

	if (PG_ARGISNULL(argno))
		PG_RETURN_NULL();
	root = PgBsonRoot(PG_GETARG_PGBSON_PP(argno));
	if (root.type != PGBSON_ARRAY)
		PgBsonReportInvalid(errmsg("cannot call %s on a non-array", funcname));

	store_rows(PgBsonStoreMake(rsinfo, PgBsonSqlTypeColumns(type)), type, PgBsonValueView(&root), base, funcname);
	PG_RETURN_NULL();
}

/* SQL: bson_populate_recordset(base anyelement, bson), returning its type; bson_to_recordset(bson), setof record */
PGBSON_DOOR(pgbson_populate_recordset, set_of_records(fcinfo, "bson_populate_recordset", true));
PGBSON_DOOR(pgbson_to_recordset, set_of_records(fcinfo, "bson_to_recordset", false));
