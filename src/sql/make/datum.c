/*
 * datum.c
 *	  Any SQL value as bson. datum_type.c looks up how its type converts.
 */
#include "sql/make/datum_type.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "common/shortest_dec.h"
#include "core/bytes/keys.h"
#include "core/bytes/recode.h"
#include "core/bytes/value.h"
#include "core/number/number_text.h"
#include "core/stored/detoast.h"
#include "json/transcode.h"
#include "jsonb/to_jsonb.h"
#include "utils/array.h"
#include "utils/date.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"
#include "utils/uuid.h"

static void write_datum(PgBsonWriter *w, PgBsonTypeInfo *type, Datum value);

/* Free what a datum was detoasted to, if it was toasted */
static void
free_copy(void *detoasted, Datum value)
{
	if (detoasted != DatumGetPointer(value))
		pfree(detoasted);
}

/* Text in the server's encoding as a string */
static void
write_string(PgBsonWriter *w, const char *s, uint32 len)
{
	const char *utf8 = PgBsonFromServerText(s, &len);

	PgBsonWriterString(w, utf8, len);
	if (utf8 != s)
		pfree(unconstify(char *, utf8));
}

static void
write_output(PgBsonWriter *w, FmgrInfo *function, Datum value)
{
	char	   *text = OutputFunctionCall(function, value);

	write_string(w, text, strlen(text));
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
write_numeric(PgBsonWriter *w, Numeric value)
{
	uint8		decimal[PGBSON_DECIMAL128_SIZE];

	if (!PgBsonDecimalFromNumeric(value, decimal))
		PgBsonReportOutOfRange(errmsg("numeric value is out of range for type bson"),
							   errdetail("A bson decimal128 holds 34 significant digits."),
							   errhint("Round the value, or cast it to double precision or text."));
	PgBsonWriterTyped(w, PGBSON_DECIMAL128, decimal, sizeof(decimal));
}

pg_noreturn static void
report_infinity(const char *typename)
{
	PgBsonReport(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE, errmsg("cannot convert infinite %s to bson", typename),
				 errdetail("A bson date is a number of milliseconds."),
				 errhint("Replace infinities, for example with NULLIF, or cast them to text."));
}

static void
write_timestamp(PgBsonWriter *w, Timestamp value, const char *typename)
{
	int64		ms;

	if (TIMESTAMP_NOT_FINITE(value) || !PgBsonTimestampToDate(value, &ms))
		report_infinity(typename);
	PgBsonWriterDate(w, ms);
}

static void
write_date(PgBsonWriter *w, DateADT value)
{
	if (DATE_NOT_FINITE(value))
		report_infinity("date");
	PgBsonWriterDate(w, ((int64) value + POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) *
					  (USECS_PER_DAY / 1000));
}

/* A datum that is bson already; "value" may be toasted */
static void
write_bson(PgBsonWriter *w, Datum value)
{
	PgBson	   *bson = DatumGetPgBsonPP(value);
	PgBsonValue root = PgBsonRoot(bson);

	PgBsonWriterPut(w, &root);
	free_copy(bson, value);
}

/* A bson made here */
static void
write_own(PgBsonWriter *w, PgBson *bson)
{
	write_bson(w, PointerGetDatum(bson));
	pfree(bson);
}

static void
write_json(PgBsonWriter *w, Datum value)
{
	text	   *json = DatumGetTextPP(value);

	write_own(w, PgBsonFromJson(VARDATA_ANY(json), VARSIZE_ANY_EXHDR(json), PGBSON_NUMBERS_EXACT, NULL));
	free_copy(json, value);
}

static void
write_jsonb(PgBsonWriter *w, Datum value)
{
	Jsonb	   *jsonb = DatumGetJsonbP(value);

	write_own(w, PgBsonFromJsonb(jsonb));
	free_copy(jsonb, value);
}

/* The result of the type's cast function; NULL becomes null */
static void
write_cast(PgBsonWriter *w, PgBsonTypeInfo *type, Datum value)
{
	LOCAL_FCINFO(fcinfo, 3);
	Datum		result;

	/* some cast functions also take a typmod, and a flag for explicit casts */
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
		PgBsonWriterNull(w);
	else if (type->category == PGBSON_CATEGORY_CAST_TO_JSON)
		write_json(w, result);
	else
		write_bson(w, result);
}

/* One dimension of an array; *next is its first element, and is set to the first after it */
static void
write_dimension(PgBsonWriter *w, PgBsonTypeInfo *element, int ndim, const int *dims,
				const Datum *values, const bool *nulls, int *next)
{
	Size		start = PgBsonWriterOpenValue(w, PGBSON_ARRAY);

	for (int i = 0; i < dims[0]; i++)
	{
		CHECK_FOR_INTERRUPTS();
		PgBsonWriterIndex(w, PGBSON_EOD, i);
		if (ndim > 1)
			write_dimension(w, element, ndim - 1, dims + 1, values, nulls, next);
		else
		{
			PgBsonWriterDatum(w, element, values[*next], nulls[*next]);
			(*next)++;
		}
	}
	PgBsonWriterClose(w, start);
}

static void
write_array(PgBsonWriter *w, PgBsonTypeInfo *type, Datum value)
{
	ArrayType  *array = DatumGetArrayTypeP(value);
	Oid			element = ARR_ELEMTYPE(array);
	Datum	   *values;
	bool	   *nulls;
	int			count;
	int			next = 0;

	if (ARR_NDIM(array) == 0)
	{
		PgBsonWriterClose(w, PgBsonWriterOpenValue(w, PGBSON_ARRAY));
		return;
	}

	if (type->element == NULL || type->element->typid != element)
	{
		type->element = PgBsonTypeInfoOf(type->site, type->context, element);
		get_typlenbyvalalign(element, &type->typlen, &type->typbyval, &type->typalign);
	}
	deconstruct_array(array, element, type->typlen, type->typbyval, type->typalign,
					  &values, &nulls, &count);
	write_dimension(w, type->element, ARR_NDIM(array), ARR_DIMS(array),
					values, nulls, &next);
	pfree(values);
	pfree(nulls);
	free_copy(array, value);
}

static void
write_column(PgBsonWriter *w, PgBsonTypeInfo *type, PgBsonRowInfo *row, TupleDesc tupdesc,
			 int i, Datum value, bool isnull)
{
	if (isnull)
	{
		PgBsonWriterNull(w);
		return;
	}
	if (row->columns[i] == NULL)
		row->columns[i] = PgBsonTypeInfoOf(type->site, row->context,
										 TupleDescAttr(tupdesc, i)->atttypid);
	write_datum(w, row->columns[i], value);
}

static void
write_row(PgBsonWriter *w, PgBsonTypeInfo *type, Datum value)
{
	HeapTupleHeader header = DatumGetHeapTupleHeader(value);
	TupleDesc	tupdesc = lookup_rowtype_tupdesc(HeapTupleHeaderGetTypeId(header),
												 HeapTupleHeaderGetTypMod(header));
	PgBsonRowInfo *row = PgBsonRowInfoOf(type, tupdesc);
	HeapTupleData tuple;
	Datum	   *values = palloc(sizeof(Datum) * (tupdesc->natts + 1));
	bool	   *nulls = palloc(sizeof(bool) * (tupdesc->natts + 1));
	Size		start;

	tuple.t_len = HeapTupleHeaderGetDatumLength(header);
	ItemPointerSetInvalid(&tuple.t_self);
	tuple.t_tableOid = InvalidOid;
	tuple.t_data = header;
	heap_deform_tuple(&tuple, tupdesc, values, nulls);

	start = PgBsonWriterOpenValue(w, PGBSON_DOCUMENT);
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
		len = strlen(name);
		name = PgBsonFromServerText(name, &len);
		PgBsonWriterKey(w, PGBSON_EOD, name, len);
		write_column(w, type, row, tupdesc, from, values[from], nulls[from]);
	}
	PgBsonWriterClose(w, start);

	pfree(values);
	pfree(nulls);
	ReleaseTupleDesc(tupdesc);
	free_copy(header, value);
}

/* A value that is not NULL */
static void
write_datum(PgBsonWriter *w, PgBsonTypeInfo *type, Datum value)
{
	check_stack_depth();

	switch (type->category)
	{
		case PGBSON_CATEGORY_BOOL:
			PgBsonWriterBool(w, DatumGetBool(value));
			break;
		case PGBSON_CATEGORY_INT2:
			PgBsonWriterInt32(w, DatumGetInt16(value));
			break;
		case PGBSON_CATEGORY_INT4:
			PgBsonWriterInt32(w, DatumGetInt32(value));
			break;
		case PGBSON_CATEGORY_INT8:
			PgBsonWriterInt64(w, DatumGetInt64(value));
			break;
		case PGBSON_CATEGORY_OID:
			PgBsonWriterInt64(w, (int64) DatumGetObjectId(value));
			break;
		case PGBSON_CATEGORY_FLOAT4:
			PgBsonWriterDouble(w, widen(DatumGetFloat4(value)));
			break;
		case PGBSON_CATEGORY_FLOAT8:
			PgBsonWriterDouble(w, DatumGetFloat8(value));
			break;
		case PGBSON_CATEGORY_NUMERIC:
			write_numeric(w, DatumGetNumeric(value));
			break;
		case PGBSON_CATEGORY_TEXT:
			{
				text	   *s = DatumGetTextPP(value);

				write_string(w, VARDATA_ANY(s), VARSIZE_ANY_EXHDR(s));
				free_copy(s, value);
				break;
			}
		case PGBSON_CATEGORY_DATE:
			write_date(w, DatumGetDateADT(value));
			break;
		case PGBSON_CATEGORY_TIMESTAMP:
			write_timestamp(w, DatumGetTimestamp(value), "timestamp");
			break;
		case PGBSON_CATEGORY_TIMESTAMPTZ:
			write_timestamp(w, DatumGetTimestampTz(value), "timestamp with time zone");
			break;
		case PGBSON_CATEGORY_UUID:
			PgBsonWriterBinary(w, PGBSON_UUID_SUBTYPE, DatumGetUUIDP(value)->data, UUID_LEN);
			break;
		case PGBSON_CATEGORY_BYTEA:
			{
				bytea	   *s = DatumGetByteaPP(value);

				PgBsonWriterBinary(w, 0x00, (uint8 *) VARDATA_ANY(s), VARSIZE_ANY_EXHDR(s));
				free_copy(s, value);
				break;
			}
		case PGBSON_CATEGORY_JSON:
			write_json(w, value);
			break;
		case PGBSON_CATEGORY_JSONB:
			write_jsonb(w, value);
			break;
		case PGBSON_CATEGORY_BSON:
			write_bson(w, value);
			break;
		case PGBSON_CATEGORY_CAST_TO_JSON:
		case PGBSON_CATEGORY_CAST_TO_BSON:
			write_cast(w, type, value);
			break;
		case PGBSON_CATEGORY_ARRAY:
			write_array(w, type, value);
			break;
		case PGBSON_CATEGORY_ROW:
			write_row(w, type, value);
			break;
		case PGBSON_CATEGORY_OUTPUT:
			write_output(w, &type->function, value);
			break;
	}
}

void
PgBsonWriterDatum(PgBsonWriter *w, PgBsonTypeInfo *type, Datum value, bool isnull)
{
	if (isnull)
		PgBsonWriterNull(w);
	else
		write_datum(w, type, value);
}

/* The text of a key, the same as in jsonb_build_object */
static char *
key_text(PgBsonTypeInfo *type, Datum value)
{
	switch (type->category)
	{
		case PGBSON_CATEGORY_BOOL:
			return pstrdup(DatumGetBool(value) ? "true" : "false");
		case PGBSON_CATEGORY_DATE:
		case PGBSON_CATEGORY_TIMESTAMP:
		case PGBSON_CATEGORY_TIMESTAMPTZ:
			return JsonEncodeDateTime(NULL, value, type->base, NULL);
		default:
			if (!OidIsValid(type->output.fn_oid))
				PgBsonTypeInfoOutput(type, &type->output);
			return OutputFunctionCall(&type->output, value);
	}
}

const char *
PgBsonKeyOfDatum(PgBsonTypeInfo *type, Datum value, uint32 *len)
{
	char	   *text;

	if (type->category == PGBSON_CATEGORY_TEXT)
		return PgBsonFromText(PG_DETOAST_DATUM_PACKED(value), len);
	if (type->category >= PGBSON_CATEGORY_JSON)
		PgBsonReportInvalid(errmsg("key value must be scalar, not array, composite, json, or bson"));
	text = key_text(type, value);
	*len = strlen(text);
	return PgBsonFromServerText(text, len);
}
