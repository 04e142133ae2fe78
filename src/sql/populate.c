/*
 * populate.c
 *	  bson values as SQL values of given types: rows, arrays, domains, scalars.
 *
 * native.c converts scalars that are of the same kind as the type.
 */
#include "sql/populate.h"

#include "catalog/pg_type.h"
#include "core/build.h"
#include "core/keyset.h"
#include "core/recode.h"
#include "core/shape.h"
#include "core/type.h"
#include "funcapi.h"
#include "json/text.h"
#include "miscadmin.h"
#include "sql/datum.h"
#include "sql/native.h"
#include "utils/array.h"
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

/* A column, and the name that is searched for */
typedef struct Column
{
	const char *name;			/* UTF-8 */
	uint32		name_len;
	int			same_as;		/* an earlier column of the same name, or -1 */
	PgBsonTarget *target;		/* NULL until needed */
} Column;

/* What is known about a row type while its definition stays the same */
typedef struct Row
{
	MemoryContext context;		/* of the following */
	uint64		identifier;		/* of the definition */
	TupleDesc	tupdesc;
	Column	   *columns;
	uint32		wanted;			/* the number of columns to find: those neither dropped nor same_as another */
	PgBsonKeySet names;			/* the names of these columns */
	int		   *by_name;		/* the column of each entry of that set */
	bool		called;			/* nothing is remembered of documents for a site that is called once */
	PgBsonShape shape;			/* what they look like; its fields are entries of names */
} Row;

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
	Row		   *row;			/* NULL until needed */
};

static Datum to_datum(PgBsonTarget *target, const char *colname, const PgBsonValue *value,
					  Datum base, bool *isnull);

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

/* Make the set of the columns' names, without dropped columns */
static void
name_columns(Row *row)
{
	int			natts = row->tupdesc->natts;

	PgBsonKeySetInit(&row->names);
	row->by_name = palloc(sizeof(int) * (natts + 1));
	row->columns = palloc0(sizeof(Column) * (natts + 1));
	row->wanted = 0;
	row->called = false;
	memset(&row->shape, 0, sizeof(row->shape));

	for (int i = 0; i < natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(row->tupdesc, i);
		Column	   *column = &row->columns[i];
		const char *name = NameStr(att->attname);
		PgBsonKeyEntry *entry;
		bool		found;

		column->same_as = -1;
		if (att->attisdropped)
			continue;
		column->name_len = strlen(name);
		column->name = PgBsonFromServerText(name, &column->name_len);
		entry = PgBsonKeySetEnter(&row->names, column->name, column->name_len, &found);
		/* an anonymous row may have two columns of the same name */
		if (found)
			column->same_as = row->by_name[entry - row->names.entries];
		else
			row->by_name[row->wanted++] = i;
	}
}

/* The row type's current columns: a named type may be altered during the life of a call site */
static Row *
row_of(PgBsonTarget *target)
{
	Row		   *row = target->row;
	uint64		identifier = assign_record_type_identifier(target->base, target->base_typmod);
	MemoryContext old;

	if (row == NULL)
	{
		row = target->row = MemoryContextAllocZero(target->context, sizeof(Row));
		row->context = AllocSetContextCreate(target->context, "bson row target",
											 ALLOCSET_SMALL_SIZES);
	}
	else if (row->identifier == identifier)
		return row;

	row->identifier = 0;		/* so that it is invalid if an error occurs below */
	MemoryContextReset(row->context);
	old = MemoryContextSwitchTo(row->context);
	row->tupdesc = lookup_rowtype_tupdesc_copy(target->base, target->base_typmod);
	name_columns(row);
	MemoryContextSwitchTo(old);
	row->identifier = identifier;
	return row;
}

TupleDesc
PgBsonTargetColumns(PgBsonTarget *target)
{
	return row_of(target)->tupdesc;
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

/* An array being made */
typedef struct Filling
{
	PgBsonTarget *element;
	const char *colname;		/* for errors; may be NULL */
	ArrayBuildState *values;
	int			ndims;			/* 0: not known yet */
	int			dims[MAXDIM];	/* -1: not known yet */
	int			position[MAXDIM];	/* of the element being looked at */
} Filling;

/* Report that there is no array where one is expected, at nesting depth "level" */
static void
report_expected_array(const Filling *filling, int level)
{
	StringInfoData where;

	initStringInfo(&where);
	for (int i = 0; i < level; i++)
		appendStringInfo(&where, "[%d]", filling->position[i]);

	ereport(ERROR,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
			 errmsg("expected bson array"),
			 level == 0 ?
			 (filling->colname ? errhint("See the value of key \"%s\".", filling->colname) : 0) :
			 filling->colname ?
			 errhint("See the array element %s of key \"%s\".", where.data, filling->colname) :
			 errhint("See the array element %s.", where.data)));
}

static void
set_dimensions(Filling *filling, int ndims)
{
	filling->ndims = ndims;
	for (int i = 0; i < ndims; i++)
		filling->dims[i] = -1;
}

static void
fill_element(Filling *filling, const PgBsonValue *value)
{
	bool		isnull;
	Datum		datum = to_datum(filling->element, NULL, value, (Datum) 0, &isnull);

	filling->values = accumArrayResult(filling->values, datum, isnull,
									   filling->element->typid, CurrentMemoryContext);
}

/* The array at "level" (0: the outermost) */
static void
fill_array(Filling *filling, const PgBsonValue *value, int level)
{
	PgBsonIter	iter;
	bool		more;
	int			count = 0;

	check_stack_depth();
	if (value->type != PGBSON_ARRAY)
		report_expected_array(filling, level);
	if (level >= MAXDIM)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("number of array dimensions exceeds the maximum allowed (%d)", MAXDIM)));

	PgBsonIterInit(&iter, PgBsonValueView(value));
	more = PgBsonIterNext(&iter);

	/* an array whose first element is not an array is the innermost */
	if (filling->ndims == 0 && !(more && iter.value.type == PGBSON_ARRAY))
		set_dimensions(filling, level + 1);

	for (; more; more = PgBsonIterNext(&iter))
	{
		CHECK_FOR_INTERRUPTS();
		filling->position[level] = count++;
		if (level + 1 == filling->ndims)
			fill_element(filling, &iter.value);
		else
			fill_array(filling, &iter.value, level + 1);
	}

	if (filling->dims[level] < 0)
		filling->dims[level] = count;
	else if (filling->dims[level] != count)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("malformed bson array"),
				 errdetail("Multidimensional arrays must have sub-arrays with matching dimensions.")));
}

static Datum
to_array(PgBsonTarget *target, const char *colname, const PgBsonValue *value)
{
	Filling		filling;
	int			lower[MAXDIM];

	filling.element = target->element;
	filling.colname = colname;
	filling.values = initArrayResult(target->element->typid, CurrentMemoryContext, true);
	filling.ndims = 0;
	fill_array(&filling, value, 0);
	for (int i = 0; i < filling.ndims; i++)
		lower[i] = 1;
	return makeMdArrayResult(filling.values, filling.ndims, filling.dims, lower,
							 CurrentMemoryContext, true);
}

/*
 * Does the column have the current element's name? Dropped columns, and those
 * with the name of an earlier one, do not count.
 */
static inline bool
is_column(const Column *column, const PgBsonIter *iter)
{
	return column->name_len == iter->key_len && column->name != NULL &&
		column->same_as < 0 && memcmp(column->name, iter->key, iter->key_len) == 0;
}

/* The column with the current element's name, or -1 */
static int
find_column(Row *row, const PgBsonIter *iter)
{
	PgBsonKeyEntry *entry = PgBsonKeySetFind(&row->names, iter->key, iter->key_len);

	return entry == NULL ? -1 : row->by_name[entry - row->names.entries];
}

/* The entry of a name as the field of a shape */
static int
entry_of(const char *key, uint32 key_len, void *arg)
{
	PgBsonKeySet *names = arg;
	PgBsonKeyEntry *entry = PgBsonKeySetFind(names, key, key_len);

	return entry == NULL ? -1 : entry - names->entries;
}

/*
 * Find values of columns as far as the document looks like one before, and move the iterator behind
 * what was passed over.  Returns how many columns are still missing; *told is whether the shape
 * told everything.
 */
static uint32
match_shape(Row *row, PgBsonView doc, const uint8 *avail, PgBsonIter *iter, PgBsonValue *values, bool *told)
{
	PgBsonShapeAnswer answer = PGBSON_SHAPE_DIFFERS;
	uint32		missing = row->wanted;
	uint64		left = PG_UINT64_MAX;
	uint32		at = 0;
	PgBsonValue value;
	int			entry;

	while (missing > 0 &&
		   (answer = PgBsonShapeNext(&row->shape, doc, avail, left, &at, &iter->next, &entry, &value)) == PGBSON_SHAPE_HIT)
	{
		/* its end is looked at below */
		if (iter->next > avail)
			break;
		if (PgBsonValueSize(value.type, value.data, value.len) != value.len)
			PgBsonReportDamaged(value.data - doc.data);
		values[row->by_name[entry]] = value;
		left &= ~(UINT64CONST(1) << entry);
		missing--;
	}
	*told = missing == 0 || answer == PGBSON_SHAPE_ABSENT;
	return missing;
}

/* Are the bytes of the next element, if there is one, before "avail"? */
static bool
is_next_within(const PgBsonIter *iter, const uint8 *avail)
{
	const uint8 *p = iter->next;
	uint32		key_len;

	if (avail >= iter->end)
		return true;
	if (p >= avail || (key_len = PgBsonKeyLength(p + 1, avail)) == PGBSON_BAD_SIZE)
		return false;
	p += key_len + 2;
	return PgBsonValueSize(iter->next[0], p, avail - p) != PGBSON_BAD_SIZE;
}

/*
 * Find for each column the document's value of that name (the first of
 * duplicates); the others keep type PGBSON_EOD.  Documents often have their
 * fields in the order of the columns, so the next column is tried first.  Of the document
 * the bytes before "avail" may be read; false if more of them are needed.  *upto is how far it looked.
 */
static bool
match_columns(Row *row, PgBsonView doc, const uint8 *avail, PgBsonValue *values, const uint8 **upto)
{
	int			natts = row->tupdesc->natts;
	PgBsonIter	iter;
	int			next = 0;
	uint32		missing = row->wanted;
	bool		shaped = row->wanted <= PGBSON_SHAPE_FIELDS;
	bool		told = false;

	memset(values, 0, sizeof(PgBsonValue) * natts);
	PgBsonIterInit(&iter, doc);
	if (shaped && row->shape.count > 0)
		missing = match_shape(row, doc, avail, &iter, values, &told);
	while (!told && missing > 0)
	{
		int			i;

		CHECK_FOR_INTERRUPTS();
		if (!is_next_within(&iter, avail))
		{
			*upto = avail + 1;
			return false;
		}
		if (!PgBsonIterNext(&iter))
			break;
		if (next >= natts || !is_column(&row->columns[next], &iter))
			next = find_column(row, &iter);
		if (next < 0)
		{
			next = natts;
			continue;
		}
		i = next++;
		if (values[i].type == PGBSON_EOD)
		{
			values[i] = iter.value;
			missing--;
		}
	}
	*upto = iter.next;

	if (told)
		PgBsonShapeServes(&row->shape);
	else if (shaped && row->called &&
			 PgBsonShapeDiffers(&row->shape, row->context, doc, avail, NULL))
		PgBsonShapeNote(&row->shape, doc, entry_of, &row->names);
	row->called = true;

	for (int i = 0; i < natts; i++)
	{
		if (row->columns[i].same_as >= 0)
			values[i] = values[row->columns[i].same_as];
	}
	return true;
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

/* Room for the values of the columns */
static PgBsonValue *
new_values(const Row *row)
{
	return palloc(sizeof(PgBsonValue) * (row->tupdesc->natts + 1));
}

/* Make a row of the values that were found, which are freed */
static HeapTupleHeader
make_row(PgBsonTarget *target, Row *row, PgBsonValue *found, HeapTupleHeader base)
{
	TupleDesc	tupdesc = row->tupdesc;
	Datum	   *values = palloc(sizeof(Datum) * (tupdesc->natts + 1));
	bool	   *nulls = palloc(sizeof(bool) * (tupdesc->natts + 1));
	HeapTuple	tuple;

	base_columns(tupdesc, base, values, nulls);

	for (int i = 0; i < tupdesc->natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(tupdesc, i);
		Column	   *column = &row->columns[i];
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
		values[i] = to_datum(column->target, NameStr(att->attname),
							 missing ? NULL : &found[i],
							 nulls[i] ? (Datum) 0 : values[i], &nulls[i]);
	}
	tuple = heap_form_tuple(tupdesc, values, nulls);
	pfree(found);
	pfree(values);
	pfree(nulls);
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
	Row		   *row;
	PgBsonValue *found;
	const uint8 *upto;

	if (value->type != PGBSON_DOCUMENT)
		report_no_document(value->type);
	row = row_of(target);
	if (is_base(doc, base))
		return check_row(target, base);
	found = new_values(row);
	(void) match_columns(row, doc, doc.data + doc.len, found, &upto);
	return check_row(target, make_row(target, row, found, base));
}

typedef struct ColumnSearch
{
	Row		   *row;
	PgBsonValue *found;
	PgBsonValue root;
} ColumnSearch;

static PgBsonFound
search_columns(PgBsonValue root, const uint8 *avail, void *arg, const uint8 **upto)
{
	ColumnSearch *search = arg;

	search->root = root;
	*upto = root.data;
	if (root.type != PGBSON_DOCUMENT)
		return PGBSON_ABSENT;
	return match_columns(search->row, PgBsonValueView(&root), avail, search->found, upto) ? PGBSON_FOUND : PGBSON_MORE;
}

/* Copy the values that were found to memory of their own: what converts them may fetch other values */
static void
copy_values(const Row *row, PgBsonValue *found)
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
PgBsonDatumToRow(PgBsonTarget *target, Datum datum, PgBsonFetchHint *hint, HeapTupleHeader base)
{
	ColumnSearch search;

	search.row = row_of(target);
	search.found = new_values(search.row);
	(void) PgBsonFetchSearch(datum, search_columns, &search, hint);
	if (search.root.type != PGBSON_DOCUMENT)
		report_no_document(search.root.type);
	if (is_base(PgBsonValueView(&search.root), base))
		return check_row(target, base);
	if (PgBsonIsToasted((struct varlena *) DatumGetPointer(datum)))
		copy_values(search.row, search.found);
	return check_row(target, make_row(target, search.row, search.found, base));
}

static Datum
to_domain(PgBsonTarget *target, const char *colname, const PgBsonValue *value, bool *isnull)
{
	Datum		result = (Datum) 0;

	if (!*isnull)
		result = to_datum(target->element, colname, value, (Datum) 0, isnull);
	domain_check(result, *isnull, target->typid, &target->domain_info, target->context);
	return result;
}

/* Convert a value (NULL if there is none) to the target's type; "base" is the row that it replaces, if any */
static Datum
to_datum(PgBsonTarget *target, const char *colname, const PgBsonValue *value,
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
		return to_array(target, colname, value);
	if (is_row(target))
		return HeapTupleHeaderGetDatum(PgBsonToRow(target, value,
												   DatumGetPointer(base) ? DatumGetHeapTupleHeader(base) : NULL));
	return to_scalar(target, value);
}
