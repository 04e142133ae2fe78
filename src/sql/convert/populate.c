/*
 * populate.c
 *	  bson values as SQL values of given types: rows, arrays, domains, scalars.
 *
 * native.c converts scalars that are of the same kind as the type.
 */
#include "sql/convert/populate.h"

#include "catalog/pg_type.h"
#include "core/write/from_value.h"
#include "sql/site/type.h"
#include "funcapi.h"
#include "json/text.h"
#include "miscadmin.h"
#include "sql/convert/columns.h"
#include "sql/convert/native.h"
#include "sql/convert/populate_array.h"
#include "sql/make/datum.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

typedef enum Kind
{
	KIND_SCALAR,
	KIND_BSON,					/* a scalar of our own */
	KIND_ARRAY,
	KIND_ROW,
	KIND_DOMAIN,
	KIND_ROW_DOMAIN				/* a domain over a row type */
} Kind;

struct PgBsonTarget
{
	MemoryContext context;
	Oid			typid;
	int32		typmod;
	Kind		kind;
	FmgrInfo	input;			/* fn_oid invalid until needed */
	Oid			ioparam;
	Oid			base;			/* for rows, the row type itself */
	int32		base_typmod;
	PgBsonTarget *element;		/* for arrays, the elements; for domains, the base type */
	void	   *domain_info;
	PgBsonColumns *columns;		/* of a row; NULL until needed */
};

PgBsonTarget *
PgBsonTargetOf(MemoryContext context, Oid typid, int32 typmod)
{
	PgBsonTarget *target = MemoryContextAllocZero(context, sizeof(PgBsonTarget));
	Oid			element;

	target->context = context;
	target->typid = target->base = typid;
	target->typmod = target->base_typmod = typmod;

	if (get_typtype(typid) == TYPTYPE_DOMAIN)
	{
		/* go to the base type directly, because domain_check checks all domains on the way */
		target->base = getBaseTypeAndTypmod(typid, &target->base_typmod);
		if (type_is_rowtype(target->base))
			target->kind = KIND_ROW_DOMAIN;
		else
		{
			target->kind = KIND_DOMAIN;
			target->element = PgBsonTargetOf(context, target->base, target->base_typmod);
		}
	}
	else if (type_is_rowtype(typid))
		target->kind = KIND_ROW;
	else if (OidIsValid(element = get_element_type(typid)))
	{
		/* the typmod of an array is that of its elements */
		target->kind = KIND_ARRAY;
		target->element = PgBsonTargetOf(context, element, typmod);
	}
	else
		target->kind = PgBsonIsBsonType(typid) ? KIND_BSON : KIND_SCALAR;
	return target;
}

static bool
is_row(const PgBsonTarget *target)
{
	return target->kind == KIND_ROW || target->kind == KIND_ROW_DOMAIN;
}

void
PgBsonTargetSetRowType(PgBsonTarget *target, Oid typid, int32 typmod)
{
	target->base = typid;
	target->base_typmod = typmod;
}

static PgBsonColumns *
columns_of(PgBsonTarget *target)
{
	return PgBsonColumnsOf(target->context, &target->columns, target->base, target->base_typmod);
}

TupleDesc
PgBsonTargetColumns(PgBsonTarget *target)
{
	return columns_of(target)->tupdesc;
}

/*
 * The type's input function.  A value that is not a string is passed as its
 * text; NULL is handled elsewhere.
 */
static Datum
through_input(PgBsonTarget *target, char *text)
{
	if (!OidIsValid(target->input.fn_oid))
	{
		Oid			input;

		getTypeInputInfo(target->typid, &input, &target->ioparam);
		fmgr_info_cxt(input, &target->input, target->context);
	}
	return InputFunctionCall(&target->input, text, target->ioparam, target->typmod);
}

static Datum
to_scalar(PgBsonTarget *target, const PgBsonValue *value)
{
	Datum		result;
	text	   *t;
	char	   *s;

	if (target->kind == KIND_BSON)
		return PointerGetDatum(PgBsonFromValue(value));
	if (target->kind == KIND_SCALAR && PgBsonToNative(target->typid, target->typmod, value, &result))
		return result;

	t = PgBsonValueToText(value);
	s = text_to_cstring(t);
	pfree(t);
	result = through_input(target, s);
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

/* The columns of a row that is made */
typedef struct Filled
{
	PgBsonValue *found;			/* what the document has of them */
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

/* Make the columns of the values that were found */
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
		if (column->target == NULL)
			column->target = PgBsonTargetOf(row->context, att->atttypid, att->atttypmod);
		values[i] = PgBsonToDatum(column->target, NameStr(att->attname),
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
check_row(PgBsonTarget *target, HeapTupleHeader row)
{
	if (target->kind == KIND_ROW_DOMAIN)
		domain_check(HeapTupleHeaderGetDatum(row), false, target->typid,
					 &target->domain_info, target->context);
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
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 type == PGBSON_ARRAY
			 ? errmsg("cannot call %s on an array", "populate_composite")
			 : errmsg("cannot call %s on a scalar", "populate_composite")));
}

HeapTupleHeader
PgBsonToRow(PgBsonTarget *target, const PgBsonValue *value, HeapTupleHeader base)
{
	PgBsonView	doc = PgBsonValueView(value);
	PgBsonColumns *row;
	PgBsonReader reader;
	Filled		columns;

	if (value->type != PGBSON_DOCUMENT)
		report_no_document(value->type);
	row = columns_of(target);
	if (is_base(doc, base))
		return check_row(target, base);
	columns = filled_room(row);
	PgBsonReaderPlain(&reader, *value);
	PgBsonColumnsFind(row, &reader, columns.found);
	return check_row(target, make_row(&columns, row, base));
}

void
PgBsonStoreRow(Tuplestorestate *store, PgBsonTarget *target, const PgBsonValue *value, HeapTupleHeader base)
{
	PgBsonView	doc = PgBsonValueView(value);
	HeapTupleData tuple;

	if (value->type == PGBSON_DOCUMENT && target->kind == KIND_ROW && !is_base(doc, base))
	{
		PgBsonColumns *row = columns_of(target);
		Filled		columns = filled_room(row);
		PgBsonReader reader;

		PgBsonReaderPlain(&reader, *value);
		PgBsonColumnsFind(row, &reader, columns.found);
		fill_columns(&columns, row, base);
		tuplestore_putvalues(store, row->tupdesc, columns.values, columns.nulls);
		return;
	}
	tuple.t_data = PgBsonToRow(target, value, base);
	tuple.t_len = HeapTupleHeaderGetDatumLength(tuple.t_data);
	ItemPointerSetInvalid(&tuple.t_self);
	tuple.t_tableOid = InvalidOid;
	tuplestore_puttuple(store, &tuple);
}

/* Copy the values that were found to memory of their own: what converts them may fetch other values */
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
PgBsonDatumToRow(PgBsonTarget *target, Datum datum, PgBsonReadHint *hint, HeapTupleHeader base)
{
	PgBsonColumns *row = columns_of(target);
	Filled		columns = filled_room(row);
	PgBsonReader reader;

	PgBsonOpen(&reader, datum, hint);
	if (reader.root.type != PGBSON_DOCUMENT)
		report_no_document(reader.root.type);
	if (is_base(PgBsonValueView(&reader.root), base))
	{
		PgBsonClose(&reader);
		return check_row(target, base);
	}
	PgBsonColumnsFind(row, &reader, columns.found);
	if (reader.source != NULL)
		copy_values(row, columns.found);
	PgBsonClose(&reader);
	return check_row(target, make_row(&columns, row, base));
}

static Datum
to_domain(PgBsonTarget *target, const char *colname, const PgBsonValue *value, bool *isnull)
{
	Datum		result = (Datum) 0;

	if (!*isnull)
		result = PgBsonToDatum(target->element, colname, value, (Datum) 0, isnull);
	domain_check(result, *isnull, target->typid, &target->domain_info, target->context);
	return result;
}

Datum
PgBsonToDatum(PgBsonTarget *target, const char *colname, const PgBsonValue *value,
			  Datum base, bool *isnull)
{
	check_stack_depth();

	*isnull = value == NULL || PgBsonIsNullish(value->type);
	if (target->kind == KIND_DOMAIN)
		return to_domain(target, colname, value, isnull);
	if (*isnull)
	{
		if (target->kind == KIND_ROW_DOMAIN)
			domain_check((Datum) 0, true, target->typid, &target->domain_info, target->context);
		return (Datum) 0;
	}

	/* a string may be the SQL text of an array or a row */
	if (value->type == PGBSON_STRING || value->type == PGBSON_SYMBOL)
		return to_scalar(target, value);
	if (target->kind == KIND_ARRAY)
		return PgBsonToArray(target->element, target->element->typid, colname, value);
	if (is_row(target))
		return HeapTupleHeaderGetDatum(PgBsonToRow(target, value,
												   DatumGetPointer(base) ? DatumGetHeapTupleHeader(base) : NULL));
	return to_scalar(target, value);
}
