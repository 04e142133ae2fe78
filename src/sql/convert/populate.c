/*
 * populate.c
 *	  bson values as SQL values of given types: rows, arrays, domains, scalars.
 *
 * native.c converts scalars that are of the same kind as the type.
 */
#include "sql/convert/populate.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "core/write/from_value.h"
#include "funcapi.h"
#include "json/print.h"
#include "sql/site/type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

typedef enum ColumnKind
{
	KIND_SCALAR,
	KIND_BSON,					/* a scalar of our own */
	KIND_ARRAY,
	KIND_ROW,
	KIND_DOMAIN,
	KIND_ROW_DOMAIN				/* a domain over a row type */
} ColumnKind;

struct PgBsonSqlType
{
	MemoryContext context;
	Oid			typid;
	int32		typmod;
	ColumnKind	kind;
	FmgrInfo	input;			/* fn_oid invalid until needed */
	Oid			ioparam;
	Oid			base;			/* for rows, the row type itself */
	int32		base_typmod;
	PgBsonSqlType *element;		/* for arrays, the elements; for domains, the base type */
	void	   *domain_info;
	PgBsonColumns *columns;		/* of a row; NULL until needed */
};

PgBsonSqlType *
PgBsonSqlTypeOf(MemoryContext context, Oid typid, int32 typmod)
{
	PgBsonSqlType *type = MemoryContextAllocZero(context, sizeof(PgBsonSqlType));
	Oid			element;

	type->context = context;
	type->typid = type->base = typid;
	type->typmod = type->base_typmod = typmod;

	if (get_typtype(typid) == TYPTYPE_DOMAIN)
	{
		/* go to the base type directly, because domain_check checks all domains on the way */
		type->base = getBaseTypeAndTypmod(typid, &type->base_typmod);
		if (type_is_rowtype(type->base))
			type->kind = KIND_ROW_DOMAIN;
		else
		{
			type->kind = KIND_DOMAIN;
			type->element = PgBsonSqlTypeOf(context, type->base, type->base_typmod);
		}
	}
	else if (type_is_rowtype(typid))
		type->kind = KIND_ROW;
	else if (OidIsValid(element = get_element_type(typid)))
	{
		/* the typmod of an array is that of its elements */
		type->kind = KIND_ARRAY;
		type->element = PgBsonSqlTypeOf(context, element, typmod);
	}
	else
		type->kind = PgBsonIsBsonType(typid) ? KIND_BSON : KIND_SCALAR;
	return type;
}

void
PgBsonSqlTypeSetRow(PgBsonSqlType *type, Oid typid, int32 typmod)
{
	type->base = typid;
	type->base_typmod = typmod;
}

static PgBsonColumns *
columns_of(PgBsonSqlType *type)
{
	return PgBsonColumnsOf(type->context, &type->columns, type->base, type->base_typmod);
}

TupleDesc
PgBsonSqlTypeColumns(PgBsonSqlType *type)
{
	return columns_of(type)->tupdesc;
}

/* The type's input function.  A value that is not a string is passed as its text; NULL is handled elsewhere. */
static Datum
through_input(PgBsonSqlType *type, char *text)
{
	if (!OidIsValid(type->input.fn_oid))
	{
		Oid			input;

		getTypeInputInfo(type->typid, &input, &type->ioparam);
		fmgr_info_cxt(input, &type->input, type->context);
	}
	return InputFunctionCall(&type->input, text, type->ioparam, type->typmod);
}

static Datum
to_scalar(PgBsonSqlType *type, const PgBsonValue *value)
{
	Datum		result;
	text	   *t;
	char	   *s;

	if (type->kind == KIND_BSON)
		return PointerGetDatum(PgBsonFromValue(value));
	if (type->kind == KIND_SCALAR && PgBsonToNative(type->typid, type->typmod, value, &result))
		return result;

	t = PgBsonValueToText(value);
	s = text_to_cstring(t);
	pfree(t);
	result = through_input(type, s);
	pfree(s);
	return result;
}

/* The base row's columns, or NULLs */
static void
base_columns(TupleDesc tupdesc, HeapTupleHeader base, Datum *values, bool *nulls)
{
	HeapTupleData tuple;

	if (base == NULL)
	{
		memset(values, 0, sizeof(Datum) * tupdesc->natts);
		memset(nulls, true, sizeof(bool) * tupdesc->natts);
		return;
	}
	tuple.t_len = HeapTupleHeaderGetDatumLength(base);
	ItemPointerSetInvalid(&tuple.t_self);
	tuple.t_tableOid = InvalidOid;
	tuple.t_data = base;
	heap_deform_tuple(&tuple, tupdesc, values, nulls);
}

/* A row being made */
typedef struct Filled
{
	PgBsonValue *found;			/* the document's values for the columns */
	Datum	   *values;
	bool	   *nulls;
} Filled;

static Filled
filled_room(const PgBsonColumns *row)
{
	int			natts = row->tupdesc->natts;
	Filled		columns;

	columns.found = palloc((sizeof(PgBsonValue) + sizeof(Datum) + sizeof(bool)) * (natts + 1));
	columns.values = (Datum *) (columns.found + natts);
	columns.nulls = (bool *) (columns.values + natts);
	return columns;
}

/* Fill the columns from the values that were found */
static void
fill_columns(Filled *columns, PgBsonColumns *row, HeapTupleHeader base)
{
	TupleDesc	tupdesc = row->tupdesc;
	PgBsonValue *found = columns->found;
	Datum	   *values = columns->values;
	bool	   *nulls = columns->nulls;

	base_columns(tupdesc, base, values, nulls);

	for (int i = 0; i < tupdesc->natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(tupdesc, i);
		PgBsonColumn *column = &row->columns[i];
		bool		missing = found[i].type == PGBSON_EOD;

		if (att->attisdropped)
		{
			nulls[i] = true;
			continue;
		}
		/* values of the base row are assumed to be valid */
		if (base && missing)
			continue;
		if (column->type == NULL)
			column->type = PgBsonSqlTypeOf(row->context, att->atttypid, att->atttypmod);
		values[i] = PgBsonToDatum(column->type, NameStr(att->attname),
								  missing ? NULL : &found[i],
								  nulls[i] ? (Datum) 0 : values[i], &nulls[i]);
	}
}

static HeapTupleHeader
make_row(Filled *columns, PgBsonColumns *row, HeapTupleHeader base)
{
	HeapTuple	tuple;

	fill_columns(columns, row, base);
	tuple = heap_form_tuple(row->tupdesc, columns->values, columns->nulls);
	pfree(columns->found);
	return tuple->t_data;
}

static HeapTupleHeader
check_row(PgBsonSqlType *type, HeapTupleHeader row)
{
	if (type->kind == KIND_ROW_DOMAIN)
		domain_check(HeapTupleHeaderGetDatum(row), false, type->typid,
					 &type->domain_info, type->context);
	return row;
}

/* Is the base row the result? Without one, domains have to be checked for NULL even for an empty document */
static inline bool
is_base(PgBsonView doc, HeapTupleHeader base)
{
	return base != NULL && doc.len == PGBSON_MIN_SIZE;
}

static void
report_no_document(PgBsonType type)
{
	PgBsonReportInvalid(type == PGBSON_ARRAY
						? errmsg("cannot call %s on an array", "populate_composite")
						: errmsg("cannot call %s on a scalar", "populate_composite"));
}

HeapTupleHeader
PgBsonToRow(PgBsonSqlType *type, const PgBsonValue *value, HeapTupleHeader base)
{
	PgBsonView	doc = PgBsonValueView(value);
	PgBsonColumns *row;
	PgBsonReader reader;
	Filled		columns;

	if (value->type != PGBSON_DOCUMENT)
		report_no_document(value->type);
	row = columns_of(type);
	if (is_base(doc, base))
		return check_row(type, base);
	columns = filled_room(row);
	PgBsonReaderPlain(&reader, *value);
	PgBsonColumnsFind(row, &reader, columns.found);
	return check_row(type, make_row(&columns, row, base));
}

void
PgBsonStoreRow(Tuplestorestate *store, PgBsonSqlType *type, const PgBsonValue *value, HeapTupleHeader base)
{
	PgBsonView	doc = PgBsonValueView(value);
	HeapTupleData tuple;

	if (value->type == PGBSON_DOCUMENT && type->kind == KIND_ROW && !is_base(doc, base))
	{
		PgBsonColumns *row = columns_of(type);
		Filled		columns = filled_room(row);
		PgBsonReader reader;

		PgBsonReaderPlain(&reader, *value);
		PgBsonColumnsFind(row, &reader, columns.found);
		fill_columns(&columns, row, base);
		tuplestore_putvalues(store, row->tupdesc, columns.values, columns.nulls);
		return;
	}
	tuple.t_data = PgBsonToRow(type, value, base);
	tuple.t_len = HeapTupleHeaderGetDatumLength(tuple.t_data);
	ItemPointerSetInvalid(&tuple.t_self);
	tuple.t_tableOid = InvalidOid;
	tuplestore_puttuple(store, &tuple);
}

/* Copy the values that were found: the functions that convert them may fetch other values, which reuses the memory */
static void
copy_values(const PgBsonColumns *row, PgBsonValue *found)
{
	Size		size = 0;
	uint8	   *to;

	for (int i = 0; i < row->tupdesc->natts; i++)
		size += found[i].len;
	to = palloc_extended(size + 1, MCXT_ALLOC_HUGE);
	for (int i = 0; i < row->tupdesc->natts; i++)
	{
		if (found[i].type == PGBSON_EOD)
			continue;
		found[i].data = memcpy(to, found[i].data, found[i].len);
		to += found[i].len;
	}
}

HeapTupleHeader
PgBsonDatumToRow(PgBsonSqlType *type, Datum datum, PgBsonReadHint *hint, HeapTupleHeader base)
{
	PgBsonColumns *row = columns_of(type);
	Filled		columns = filled_room(row);
	PgBsonReader reader;

	PgBsonOpen(&reader, datum, hint);
	if (reader.root.type != PGBSON_DOCUMENT)
		report_no_document(reader.root.type);
	if (is_base(PgBsonValueView(&reader.root), base))
	{
		PgBsonClose(&reader);
		return check_row(type, base);
	}
	PgBsonColumnsFind(row, &reader, columns.found);
	if (reader.source != NULL)
		copy_values(row, columns.found);
	PgBsonClose(&reader);
	return check_row(type, make_row(&columns, row, base));
}

static Datum
to_domain(PgBsonSqlType *type, const char *colname, const PgBsonValue *value, bool *isnull)
{
	Datum		result = (Datum) 0;

	if (!*isnull)
		result = PgBsonToDatum(type->element, colname, value, (Datum) 0, isnull);
	domain_check(result, *isnull, type->typid, &type->domain_info, type->context);
	return result;
}

Datum
PgBsonToDatum(PgBsonSqlType *type, const char *colname, const PgBsonValue *value,
			  Datum base, bool *isnull)
{
	check_stack_depth();

	*isnull = value == NULL || PgBsonIsNullish(value->type);
	if (type->kind == KIND_DOMAIN)
		return to_domain(type, colname, value, isnull);
	if (*isnull)
	{
		if (type->kind == KIND_ROW_DOMAIN)
			domain_check((Datum) 0, true, type->typid, &type->domain_info, type->context);
		return (Datum) 0;
	}

	/* a string may be the SQL text of an array or a row */
	if (value->type == PGBSON_STRING || value->type == PGBSON_SYMBOL)
		return to_scalar(type, value);
	if (type->kind == KIND_ARRAY)
		return PgBsonToArray(type->element, type->element->typid, colname, value);
	if (type->kind == KIND_ROW || type->kind == KIND_ROW_DOMAIN)
		return HeapTupleHeaderGetDatum(PgBsonToRow(type, value,
												   DatumGetPointer(base) ? DatumGetHeapTupleHeader(base) : NULL));
	return to_scalar(type, value);
}
