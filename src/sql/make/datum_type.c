/*
 * datum_type.c
 *	  How SQL types convert to bson: looked up once per call site.
 */
#include "sql/make/datum_type.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "core/bytes/keys.h"
#include "sql/site/kept.h"
#include "sql/site/type.h"
#include "parser/parse_coerce.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

/*
 * The type bson, looked up in the schema of the function being called;
 * InvalidOid if the type was moved to another schema
 */
static Oid
bson_type(PgBsonCallSite *site)
{
	if (!site->looked_up)
	{
		Oid			namespace = get_func_namespace(site->function);
		Oid			typid = GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid,
											CStringGetDatum("bson"),
											ObjectIdGetDatum(namespace));

		if (OidIsValid(typid) && PgBsonIsBsonType(typid))
			site->bson = typid;
		site->looked_up = true;
	}
	return site->bson;
}

/* A cast function from the type to the target */
static bool
find_cast(PgBsonTypeInfo *type, Oid target)
{
	Oid			function;

	if (!OidIsValid(target) ||
		find_coercion_pathway(target, type->base, COERCION_EXPLICIT,
							  &function) != COERCION_PATH_FUNC ||
		!OidIsValid(function))
		return false;
	fmgr_info_cxt(function, &type->function, type->context);
	return true;
}

void
PgBsonTypeInfoOutput(PgBsonTypeInfo *type, FmgrInfo *flinfo)
{
	Oid			output;
	bool		is_varlena;

	getTypeOutputInfo(type->base, &output, &is_varlena);
	fmgr_info_cxt(output, flinfo, type->context);
}

/* A type that is neither built in, nor an array or a row type */
static PgBsonCategory
categorize_extension_type(PgBsonTypeInfo *type)
{
	if (PgBsonIsBsonType(type->base))
		return PGBSON_CATEGORY_BSON;
	if (find_cast(type, bson_type(type->site)))
		return PGBSON_CATEGORY_CAST_TO_BSON;
	if (find_cast(type, JSONOID))
		return PGBSON_CATEGORY_CAST_TO_JSON;
	return PGBSON_CATEGORY_OUTPUT;
}

static const struct
{
	Oid			typid;
	PgBsonCategory category;
}			built_in[] = {
	{BOOLOID, PGBSON_CATEGORY_BOOL},
	{INT2OID, PGBSON_CATEGORY_INT2},
	{INT4OID, PGBSON_CATEGORY_INT4},
	{INT8OID, PGBSON_CATEGORY_INT8},
	{OIDOID, PGBSON_CATEGORY_OID},
	{FLOAT4OID, PGBSON_CATEGORY_FLOAT4},
	{FLOAT8OID, PGBSON_CATEGORY_FLOAT8},
	{NUMERICOID, PGBSON_CATEGORY_NUMERIC},
	{TEXTOID, PGBSON_CATEGORY_TEXT},
	{VARCHAROID, PGBSON_CATEGORY_TEXT},
	{BPCHAROID, PGBSON_CATEGORY_TEXT},
	{DATEOID, PGBSON_CATEGORY_DATE},
	{TIMESTAMPOID, PGBSON_CATEGORY_TIMESTAMP},
	{TIMESTAMPTZOID, PGBSON_CATEGORY_TIMESTAMPTZ},
	{UUIDOID, PGBSON_CATEGORY_UUID},
	{BYTEAOID, PGBSON_CATEGORY_BYTEA},
	{JSONOID, PGBSON_CATEGORY_JSON},
	{JSONBOID, PGBSON_CATEGORY_JSONB},
	{ANYARRAYOID, PGBSON_CATEGORY_ARRAY},	/* columns of pg_statistic */
	{ANYCOMPATIBLEARRAYOID, PGBSON_CATEGORY_ARRAY},
	{RECORDARRAYOID, PGBSON_CATEGORY_ARRAY},
};

static PgBsonCategory
categorize(PgBsonTypeInfo *type)
{
	for (int i = 0; i < lengthof(built_in); i++)
	{
		if (type->base == built_in[i].typid)
			return built_in[i].category;
	}
	if (OidIsValid(get_element_type(type->base)))
		return PGBSON_CATEGORY_ARRAY;
	if (type_is_rowtype(type->base))
		return PGBSON_CATEGORY_ROW;
	if (type->base >= FirstNormalObjectId)
		return categorize_extension_type(type);
	return PGBSON_CATEGORY_OUTPUT;
}

PgBsonTypeInfo *
PgBsonTypeInfoOf(PgBsonCallSite *site, MemoryContext context, Oid typid)
{
	PgBsonTypeInfo *type = MemoryContextAllocZero(context, sizeof(PgBsonTypeInfo));

	type->site = site;
	type->context = context;
	type->typid = typid;
	type->base = getBaseType(typid);
	type->category = categorize(type);
	if (type->category == PGBSON_CATEGORY_OUTPUT)
		PgBsonTypeInfoOutput(type, &type->function);
	return type;
}

PgBsonCallSite *
PgBsonCallSiteOf(FmgrInfo *flinfo)
{
	PgBsonCallSite *site = PgBsonSite(flinfo, sizeof(PgBsonCallSite));

	if (site->context == NULL)
	{
		site->context = flinfo->fn_mcxt;
		site->function = flinfo->fn_oid;
	}
	return site;
}

PgBsonTypeInfo *
PgBsonCallSiteType(PgBsonCallSite *site, int argno, Oid typid)
{
	if (!OidIsValid(typid))
		PgBsonReportInvalid(errmsg("could not determine input data type"));

	if (argno >= site->ntypes)
	{
		int			ntypes = Max(argno + 1, site->ntypes * 2);
		Size		size = sizeof(PgBsonTypeInfo *) * ntypes;

		if (site->types == NULL)
			site->types = MemoryContextAlloc(site->context, size);
		else
			site->types = repalloc(site->types, size);
		memset(site->types + site->ntypes, 0,
			   sizeof(PgBsonTypeInfo *) * (ntypes - site->ntypes));
		site->ntypes = ntypes;
	}
	if (site->types[argno] == NULL || site->types[argno]->typid != typid)
		site->types[argno] = PgBsonTypeInfoOf(site, site->context, typid);
	return site->types[argno];
}

void *
PgBsonCallSiteKept(PgBsonCallSite *site, Size size)
{
	if (site->kept == NULL)
		site->kept = MemoryContextAllocZero(site->context, size);
	return site->kept;
}

MemoryContext
PgBsonCallSiteMemory(PgBsonCallSite *site)
{
	return site->context;
}

/* Memory beyond this is not kept for the next value, in bytes */
#define KEEP_WRITTEN (1024 * 1024)

PgBsonWriter *
PgBsonCallSiteWriter(PgBsonCallSite *site)
{
	PgBsonWriter *w = &site->writer;
	MemoryContext old;

	if (w->data != NULL && w->capacity <= KEEP_WRITTEN)
	{
		PgBsonWriterReset(w);
		return w;
	}
	if (w->data != NULL)
		pfree(w->data - VARHDRSZ);
	w->data = NULL;
	old = MemoryContextSwitchTo(site->context);
	PgBsonWriterInit(w, 0);
	MemoryContextSwitchTo(old);
	return w;
}

/* An anonymous row may have two columns of the same name.  As in an object, the value of the last one counts. */
static void
find_repeated_columns(PgBsonRowInfo *row, TupleDesc tupdesc)
{
	PgBsonKeyRef *names = palloc(sizeof(PgBsonKeyRef) * (tupdesc->natts + 1));
	uint32	   *last = MemoryContextAlloc(row->context, sizeof(uint32) * (tupdesc->natts + 1));

	for (int i = 0; i < tupdesc->natts; i++)
	{
		names[i].key = NameStr(TupleDescAttr(tupdesc, i)->attname);
		names[i].len = strlen(names[i].key);
	}
	if (PgBsonFindRepeatedKeys(names, tupdesc->natts, last) >= 0)
		row->last = last;
	else
		pfree(last);
	pfree(names);
}

/*
 * How the columns of this row type convert.  A named type can be altered
 * during the life of a call site (within one transaction of PL/pgSQL); its
 * identifier changes then.
 */
PgBsonRowInfo *
PgBsonRowInfoOf(PgBsonTypeInfo *type, TupleDesc tupdesc)
{
	PgBsonRowInfo *row = type->row;
	uint64		identifier = assign_record_type_identifier(tupdesc->tdtypeid, tupdesc->tdtypmod);

	if (row == NULL)
	{
		row = type->row = MemoryContextAllocZero(type->context, sizeof(PgBsonRowInfo));
		row->context = AllocSetContextCreate(type->context, "bson row type",
											 ALLOCSET_SMALL_SIZES);
	}
	else if (row->identifier == identifier)
		return row;

	MemoryContextReset(row->context);
	row->identifier = 0;		/* so that it is invalid if an error occurs below */
	row->last = NULL;
	row->columns = MemoryContextAllocZero(row->context,
										  sizeof(PgBsonTypeInfo *) * (tupdesc->natts + 1));
	if (tupdesc->tdtypeid == RECORDOID)
		find_repeated_columns(row, tupdesc);
	row->identifier = identifier;
	return row;
}
