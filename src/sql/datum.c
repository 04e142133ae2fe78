/*
 * datum.c
 *	  Any SQL value as bson.
 */
#include "sql/datum.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "common/shortest_dec.h"
#include "core/keys.h"
#include "core/number.h"
#include "core/value.h"
#include "json/jsonb.h"
#include "json/parse.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "parser/parse_coerce.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"
#include "utils/uuid.h"

typedef enum Category
{
	CATEGORY_BOOL,
	CATEGORY_INT2,
	CATEGORY_INT4,
	CATEGORY_INT8,
	CATEGORY_OID,
	CATEGORY_FLOAT4,
	CATEGORY_FLOAT8,
	CATEGORY_NUMERIC,
	CATEGORY_TEXT,				/* a varlena that holds its text: text, varchar, char(n) */
	CATEGORY_DATE,
	CATEGORY_TIMESTAMP,
	CATEGORY_TIMESTAMPTZ,
	CATEGORY_UUID,
	CATEGORY_BYTEA,
	CATEGORY_OUTPUT,			/* the output function's text */
	/* from here on: not scalar, so no key */
	CATEGORY_JSON,
	CATEGORY_JSONB,
	CATEGORY_BSON,
	CATEGORY_CAST_TO_JSON,
	CATEGORY_CAST_TO_BSON,
	CATEGORY_ARRAY,
	CATEGORY_ROW
} Category;

/* The columns of the row type seen last */
typedef struct RowInfo
{
	MemoryContext context;		/* of what follows; reset when another row type comes */
	uint64		identifier;		/* of the row type's definition */
	PgBsonTypeInfo **columns;	/* NULL until needed */
	uint32	   *last;			/* PgBsonFindRepeatedKeys of the names; NULL if they differ */
} RowInfo;

struct PgBsonTypeInfo
{
	PgBsonCallSite *site;
	MemoryContext context;
	Oid			typid;			/* as asked for */
	Oid			base;			/* that, domains looked through */
	Category	category;
	FmgrInfo	function;		/* of category OUTPUT, the output function; of the CASTs, the cast */
	FmgrInfo	output;			/* for keys; fn_oid invalid until needed */
	/* category ARRAY: the elements seen last */
	PgBsonTypeInfo *element;
	int16		typlen;
	bool		typbyval;
	char		typalign;
	/* category ROW */
	RowInfo    *row;
};

struct PgBsonCallSite
{
	MemoryContext context;
	Oid			function;		/* whose site it is */
	Oid			bson;			/* the type, if looked_up; may be invalid */
	bool		looked_up;
	int			ntypes;
	PgBsonTypeInfo **types;		/* by argument; NULL until needed */
	PgBsonBuilder *builder;
};

static void write_datum(PgBsonBuilder *b, PgBsonTypeInfo *type, Datum value);

const char *
PgBsonToUtf8(const char *s, uint32 len, uint32 *result_len)
{
	char	   *result = pg_server_to_any(s, len, PG_UTF8);

	*result_len = result == s ? len : strlen(result);
	return result;
}

/* Told by its output function, as the type may be in any schema and any extension can have a bson type */
bool
PgBsonIsBsonType(Oid typid)
{
	extern Datum pgbson_out(PG_FUNCTION_ARGS);
	Oid			output;
	bool		is_varlena;
	FmgrInfo	flinfo;

	if (typid < FirstNormalObjectId)
		return false;
	getTypeOutputInfo(typid, &output, &is_varlena);
	fmgr_info(output, &flinfo);
	return flinfo.fn_addr == pgbson_out;
}

/* The type, which stands in the schema of the function being called; InvalidOid if somebody moved it */
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

static void
look_up_output(PgBsonTypeInfo *type, FmgrInfo *flinfo)
{
	Oid			output;
	bool		is_varlena;

	getTypeOutputInfo(type->base, &output, &is_varlena);
	fmgr_info_cxt(output, flinfo, type->context);
}

/* A type that is neither built in, nor an array or a row type */
static Category
categorize_extension_type(PgBsonTypeInfo *type)
{
	if (PgBsonIsBsonType(type->base))
		return CATEGORY_BSON;
	if (find_cast(type, bson_type(type->site)))
		return CATEGORY_CAST_TO_BSON;
	if (find_cast(type, JSONOID))
		return CATEGORY_CAST_TO_JSON;
	return CATEGORY_OUTPUT;
}

static Category
categorize(PgBsonTypeInfo *type)
{
	switch (type->base)
	{
		case BOOLOID:
			return CATEGORY_BOOL;
		case INT2OID:
			return CATEGORY_INT2;
		case INT4OID:
			return CATEGORY_INT4;
		case INT8OID:
			return CATEGORY_INT8;
		case OIDOID:
			return CATEGORY_OID;
		case FLOAT4OID:
			return CATEGORY_FLOAT4;
		case FLOAT8OID:
			return CATEGORY_FLOAT8;
		case NUMERICOID:
			return CATEGORY_NUMERIC;
		case TEXTOID:
		case VARCHAROID:
		case BPCHAROID:
			return CATEGORY_TEXT;
		case DATEOID:
			return CATEGORY_DATE;
		case TIMESTAMPOID:
			return CATEGORY_TIMESTAMP;
		case TIMESTAMPTZOID:
			return CATEGORY_TIMESTAMPTZ;
		case UUIDOID:
			return CATEGORY_UUID;
		case BYTEAOID:
			return CATEGORY_BYTEA;
		case JSONOID:
			return CATEGORY_JSON;
		case JSONBOID:
			return CATEGORY_JSONB;
		case ANYARRAYOID:		/* columns of pg_statistic */
		case ANYCOMPATIBLEARRAYOID:
		case RECORDARRAYOID:
			return CATEGORY_ARRAY;
		default:
			break;
	}
	if (OidIsValid(get_element_type(type->base)))
		return CATEGORY_ARRAY;
	if (type_is_rowtype(type->base))
		return CATEGORY_ROW;
	if (type->base >= FirstNormalObjectId)
		return categorize_extension_type(type);
	return CATEGORY_OUTPUT;
}

static PgBsonTypeInfo *
make_type_info(PgBsonCallSite *site, MemoryContext context, Oid typid)
{
	PgBsonTypeInfo *type = MemoryContextAllocZero(context, sizeof(PgBsonTypeInfo));

	type->site = site;
	type->context = context;
	type->typid = typid;
	type->base = getBaseType(typid);
	type->category = categorize(type);
	if (type->category == CATEGORY_OUTPUT)
		look_up_output(type, &type->function);
	return type;
}

PgBsonCallSite *
PgBsonCallSiteOf(FmgrInfo *flinfo)
{
	PgBsonCallSite *site = flinfo->fn_extra;

	if (site == NULL)
	{
		site = MemoryContextAllocZero(flinfo->fn_mcxt, sizeof(PgBsonCallSite));
		site->context = flinfo->fn_mcxt;
		site->function = flinfo->fn_oid;
		flinfo->fn_extra = site;
	}
	return site;
}

PgBsonTypeInfo *
PgBsonCallSiteType(PgBsonCallSite *site, int argno, Oid typid)
{
	if (!OidIsValid(typid))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("could not determine input data type")));

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
		site->types[argno] = make_type_info(site, site->context, typid);
	return site->types[argno];
}

PgBsonBuilder *
PgBsonCallSiteBuilder(PgBsonCallSite *site)
{
	if (site->builder == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(site->context);

		site->builder = PgBsonBuilderBegin();
		MemoryContextSwitchTo(old);
	}
	else
		PgBsonBuilderReset(site->builder);
	return site->builder;
}

/* Text in the server's encoding as a string */
static void
write_string(PgBsonBuilder *b, const char *s, uint32 len)
{
	uint32		utf8_len;
	const char *utf8 = PgBsonToUtf8(s, len, &utf8_len);

	PgBsonBuilderString(b, utf8, utf8_len);
	if (utf8 != s)
		pfree(unconstify(char *, utf8));
}

static void
write_output(PgBsonBuilder *b, FmgrInfo *function, Datum value)
{
	char	   *text = OutputFunctionCall(function, value);

	write_string(b, text, strlen(text));
	pfree(text);
}

/* The double with the shortest decimal spelling of the float: 1.1 for 1.1, not 1.10000002384185791 */
static double
widen(float4 value)
{
	char		text[FLOAT_SHORTEST_DECIMAL_LEN];

	if (isnan(value) || isinf(value))
		return value;
	float_to_shortest_decimal_buf(value, text);
	return strtod(text, NULL);
}

static void
write_numeric(PgBsonBuilder *b, Numeric value)
{
	uint8		decimal[PGBSON_DECIMAL128_SIZE];

	if (!PgBsonDecimalFromNumeric(value, decimal))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("numeric value is out of range for type bson"),
				 errdetail("A bson decimal128 holds 34 significant digits."),
				 errhint("Round the value, or cast it to double precision or text.")));
	PgBsonBuilderDecimal128(b, decimal);
}

static void
report_infinity(const char *typename)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
			 errmsg("cannot convert infinite %s to bson", typename),
			 errdetail("A bson date is a number of milliseconds."),
			 errhint("Replace infinities, for example with NULLIF, or cast them to text.")));
}

static void
write_timestamp(PgBsonBuilder *b, Timestamp value, const char *typename)
{
	int64		ms;

	if (TIMESTAMP_NOT_FINITE(value) || !PgBsonTimestampToDate(value, &ms))
		report_infinity(typename);
	PgBsonBuilderDate(b, ms);
}

static void
write_date(PgBsonBuilder *b, DateADT value)
{
	if (DATE_NOT_FINITE(value))
		report_infinity("date");
	PgBsonBuilderDate(b, ((int64) value + POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) *
					  (USECS_PER_DAY / 1000));
}

/* A datum that is bson already; "value" may be toasted */
static void
write_bson(PgBsonBuilder *b, Datum value)
{
	PgBson	   *bson = DatumGetPgBsonPP(value);
	PgBsonValue root = PgBsonRoot(bson);

	PgBsonBuilderValue(b, &root);
	if ((Pointer) bson != DatumGetPointer(value))
		pfree(bson);
}

/* A bson made here */
static void
write_own(PgBsonBuilder *b, PgBson *bson)
{
	write_bson(b, PointerGetDatum(bson));
	pfree(bson);
}

static void
write_json(PgBsonBuilder *b, Datum value)
{
	text	   *json = DatumGetTextPP(value);

	write_own(b, PgBsonFromJson(VARDATA_ANY(json), VARSIZE_ANY_EXHDR(json), NULL));
	if ((Pointer) json != DatumGetPointer(value))
		pfree(json);
}

static void
write_jsonb(PgBsonBuilder *b, Datum value)
{
	Jsonb	   *jsonb = DatumGetJsonbP(value);

	write_own(b, PgBsonFromJsonb(jsonb));
	if ((Pointer) jsonb != DatumGetPointer(value))
		pfree(jsonb);
}

/* What the type's cast function makes of it; NULL is null */
static void
write_cast(PgBsonBuilder *b, PgBsonTypeInfo *type, Datum value)
{
	LOCAL_FCINFO(fcinfo, 3);
	Datum		result;

	/* some cast functions also want a typmod, and whether the cast is explicit */
	InitFunctionCallInfoData(*fcinfo, &type->function, type->function.fn_nargs,
							 InvalidOid, NULL, NULL);
	fcinfo->args[0].value = value;
	fcinfo->args[0].isnull = false;
	fcinfo->args[1].value = Int32GetDatum(-1);
	fcinfo->args[1].isnull = false;
	fcinfo->args[2].value = BoolGetDatum(true);
	fcinfo->args[2].isnull = false;
	result = FunctionCallInvoke(fcinfo);

	if (fcinfo->isnull)
		PgBsonBuilderNull(b);
	else if (type->category == CATEGORY_CAST_TO_JSON)
		write_json(b, result);
	else
		write_bson(b, result);
}

/* One dimension of an array; *next is its first element, and will be the first after it */
static void
write_dimension(PgBsonBuilder *b, PgBsonTypeInfo *element, int ndim, const int *dims,
				const Datum *values, const bool *nulls, int *next)
{
	PgBsonBuilderOpenArray(b);
	for (int i = 0; i < dims[0]; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (ndim > 1)
			write_dimension(b, element, ndim - 1, dims + 1, values, nulls, next);
		else
		{
			PgBsonBuilderDatum(b, element, values[*next], nulls[*next]);
			(*next)++;
		}
	}
	PgBsonBuilderClose(b);
}

static void
write_array(PgBsonBuilder *b, PgBsonTypeInfo *type, Datum value)
{
	ArrayType  *array = DatumGetArrayTypeP(value);
	Oid			element = ARR_ELEMTYPE(array);
	Datum	   *values;
	bool	   *nulls;
	int			count;
	int			next = 0;

	if (ARR_NDIM(array) == 0)
	{
		PgBsonBuilderOpenArray(b);
		PgBsonBuilderClose(b);
		return;
	}

	if (type->element == NULL || type->element->typid != element)
	{
		type->element = make_type_info(type->site, type->context, element);
		get_typlenbyvalalign(element, &type->typlen, &type->typbyval, &type->typalign);
	}
	deconstruct_array(array, element, type->typlen, type->typbyval, type->typalign,
					  &values, &nulls, &count);
	write_dimension(b, type->element, ARR_NDIM(array), ARR_DIMS(array),
					values, nulls, &next);
	pfree(values);
	pfree(nulls);
	if ((Pointer) array != DatumGetPointer(value))
		pfree(array);
}

/*
 * The columns of an anonymous row may have one name twice.  As in an object
 * the last one's value counts then.
 */
static void
find_repeated_columns(RowInfo *row, TupleDesc tupdesc)
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
 * How the columns of this row type convert.  A named type can be altered while
 * a call site lives (in one transaction of PL/pgSQL); its identifier tells.
 */
static RowInfo *
row_info(PgBsonTypeInfo *type, TupleDesc tupdesc)
{
	RowInfo    *row = type->row;
	uint64		identifier = assign_record_type_identifier(tupdesc->tdtypeid, tupdesc->tdtypmod);

	if (row == NULL)
	{
		row = type->row = MemoryContextAllocZero(type->context, sizeof(RowInfo));
		row->context = AllocSetContextCreate(type->context, "bson row type",
											 ALLOCSET_SMALL_SIZES);
	}
	else if (row->identifier == identifier)
		return row;

	MemoryContextReset(row->context);
	row->identifier = 0;		/* should an error end this early */
	row->last = NULL;
	row->columns = MemoryContextAllocZero(row->context,
										  sizeof(PgBsonTypeInfo *) * (tupdesc->natts + 1));
	if (tupdesc->tdtypeid == RECORDOID)
		find_repeated_columns(row, tupdesc);
	row->identifier = identifier;
	return row;
}

static void
write_column(PgBsonBuilder *b, PgBsonTypeInfo *type, RowInfo *row, TupleDesc tupdesc,
			 int i, Datum value, bool isnull)
{
	if (isnull)
	{
		PgBsonBuilderNull(b);
		return;
	}
	if (row->columns[i] == NULL)
		row->columns[i] = make_type_info(type->site, row->context,
										 TupleDescAttr(tupdesc, i)->atttypid);
	write_datum(b, row->columns[i], value);
}

static void
write_row(PgBsonBuilder *b, PgBsonTypeInfo *type, Datum value)
{
	HeapTupleHeader header = DatumGetHeapTupleHeader(value);
	TupleDesc	tupdesc = lookup_rowtype_tupdesc(HeapTupleHeaderGetTypeId(header),
												 HeapTupleHeaderGetTypMod(header));
	RowInfo    *row = row_info(type, tupdesc);
	HeapTupleData tuple;
	Datum	   *values = palloc(sizeof(Datum) * (tupdesc->natts + 1));
	bool	   *nulls = palloc(sizeof(bool) * (tupdesc->natts + 1));

	tuple.t_len = HeapTupleHeaderGetDatumLength(header);
	ItemPointerSetInvalid(&tuple.t_self);
	tuple.t_tableOid = InvalidOid;
	tuple.t_data = header;
	heap_deform_tuple(&tuple, tupdesc, values, nulls);

	PgBsonBuilderOpenDocument(b);
	for (int i = 0; i < tupdesc->natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(tupdesc, i);
		const char *name = NameStr(att->attname);
		int			from = i;
		uint32		len;

		if (att->attisdropped)
			continue;
		if (row->last != NULL)
		{
			if (row->last[i] == PGBSON_KEY_REPEATED)
				continue;
			from = row->last[i];
		}
		name = PgBsonToUtf8(name, strlen(name), &len);
		PgBsonBuilderKey(b, name, len);
		write_column(b, type, row, tupdesc, from, values[from], nulls[from]);
	}
	PgBsonBuilderClose(b);

	pfree(values);
	pfree(nulls);
	ReleaseTupleDesc(tupdesc);
	if ((Pointer) header != DatumGetPointer(value))
		pfree(header);
}

/* A value that is not NULL */
static void
write_datum(PgBsonBuilder *b, PgBsonTypeInfo *type, Datum value)
{
	check_stack_depth();

	switch (type->category)
	{
		case CATEGORY_BOOL:
			PgBsonBuilderBool(b, DatumGetBool(value));
			break;
		case CATEGORY_INT2:
			PgBsonBuilderInt32(b, DatumGetInt16(value));
			break;
		case CATEGORY_INT4:
			PgBsonBuilderInt32(b, DatumGetInt32(value));
			break;
		case CATEGORY_INT8:
			PgBsonBuilderInt64(b, DatumGetInt64(value));
			break;
		case CATEGORY_OID:
			PgBsonBuilderInt64(b, (int64) DatumGetObjectId(value));
			break;
		case CATEGORY_FLOAT4:
			PgBsonBuilderDouble(b, widen(DatumGetFloat4(value)));
			break;
		case CATEGORY_FLOAT8:
			PgBsonBuilderDouble(b, DatumGetFloat8(value));
			break;
		case CATEGORY_NUMERIC:
			write_numeric(b, DatumGetNumeric(value));
			break;
		case CATEGORY_TEXT:
			{
				text	   *s = DatumGetTextPP(value);

				write_string(b, VARDATA_ANY(s), VARSIZE_ANY_EXHDR(s));
				if ((Pointer) s != DatumGetPointer(value))
					pfree(s);
				break;
			}
		case CATEGORY_DATE:
			write_date(b, DatumGetDateADT(value));
			break;
		case CATEGORY_TIMESTAMP:
			write_timestamp(b, DatumGetTimestamp(value), "timestamp");
			break;
		case CATEGORY_TIMESTAMPTZ:
			write_timestamp(b, DatumGetTimestampTz(value), "timestamp with time zone");
			break;
		case CATEGORY_UUID:
			PgBsonBuilderBinary(b, 0x04, DatumGetUUIDP(value)->data, UUID_LEN);
			break;
		case CATEGORY_BYTEA:
			{
				bytea	   *s = DatumGetByteaPP(value);

				PgBsonBuilderBinary(b, 0x00, (uint8 *) VARDATA_ANY(s), VARSIZE_ANY_EXHDR(s));
				if ((Pointer) s != DatumGetPointer(value))
					pfree(s);
				break;
			}
		case CATEGORY_JSON:
			write_json(b, value);
			break;
		case CATEGORY_JSONB:
			write_jsonb(b, value);
			break;
		case CATEGORY_BSON:
			write_bson(b, value);
			break;
		case CATEGORY_CAST_TO_JSON:
		case CATEGORY_CAST_TO_BSON:
			write_cast(b, type, value);
			break;
		case CATEGORY_ARRAY:
			write_array(b, type, value);
			break;
		case CATEGORY_ROW:
			write_row(b, type, value);
			break;
		case CATEGORY_OUTPUT:
			write_output(b, &type->function, value);
			break;
	}
}

void
PgBsonBuilderDatum(PgBsonBuilder *b, PgBsonTypeInfo *type, Datum value, bool isnull)
{
	if (isnull)
		PgBsonBuilderNull(b);
	else
		write_datum(b, type, value);
}

/* The text a key has: what jsonb_build_object makes of it */
static char *
key_text(PgBsonTypeInfo *type, Datum value)
{
	switch (type->category)
	{
		case CATEGORY_BOOL:
			return pstrdup(DatumGetBool(value) ? "true" : "false");
		case CATEGORY_DATE:
		case CATEGORY_TIMESTAMP:
		case CATEGORY_TIMESTAMPTZ:
			return JsonEncodeDateTime(NULL, value, type->base, NULL);
		default:
			if (!OidIsValid(type->output.fn_oid))
				look_up_output(type, &type->output);
			return OutputFunctionCall(&type->output, value);
	}
}

const char *
PgBsonKeyOfDatum(PgBsonTypeInfo *type, Datum value, uint32 *len)
{
	char	   *text;

	if (type->category >= CATEGORY_JSON)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("key value must be scalar, not array, composite, json, or bson")));
	text = key_text(type, value);
	return PgBsonToUtf8(text, strlen(text), len);
}
