/*
 * construct.c
 *	  Making bson from SQL values: to_bson, rows, arrays, objects from lists.
 */
#include "door.h"

#include "catalog/pg_type.h"
#include "core/bytes/keys.h"
#include "core/bytes/recode.h"
#include "core/write/from_value.h"
#include "core/write/write.h"
#include "funcapi.h"
#include "sql/make/datum.h"
#include "sql/site/kept.h"
#include "utils/array.h"
#include "utils/datum.h"

/* The result of a function: what was written */
static Datum
written(const PgBsonWriter *w)
{
	PgBsonValue root = PgBsonWriterRoot(w);

	PG_RETURN_PGBSON_P(PgBsonFromValue(&root));
}

/*
 * SQL: to_bson(anyelement), row_to_bson(record[, bool]) and
 * array_to_bson(anyarray[, bool]), all returning bson.  The bool asks for
 * line feeds in json's functions of these names; it has no meaning here.
 */
PGBSON_FUNCTION(pgbson_to_bson)
{
	PgBsonCallSite *site = PgBsonCallSiteOf(fcinfo->flinfo);
	PgBsonTypeInfo *type = PgBsonCallSiteType(site, 0, get_fn_expr_argtype(fcinfo->flinfo, 0));
	PgBsonWriter *w = PgBsonCallSiteWriter(site);

	PgBsonWriterDatum(w, type, PG_GETARG_DATUM(0), false);
	return written(w);
}

/* The keys of an object to be made, and for each key the index of the value that counts */
typedef struct ObjectKeys
{
	int			count;
	PgBsonKeyRef *keys;			/* NULL: not known yet */
	uint32	   *last;			/* as of PgBsonFindRepeatedKeys */
} ObjectKeys;

/* What a call site knows of its arguments, unless they are given as one array: it is the same at each call */
typedef struct Known
{
	int			count;			/* 0 before the first call, and if it cannot be known */
	Oid		   *types;
	Datum	   *literals;		/* the literals of unknown type, as text; 0 for other arguments */
	ObjectKeys	keys;			/* if they are all constants */
} Known;

/* The arguments of a function whose parameter is VARIADIC "any" */
typedef struct Arguments
{
	int			count;
	Datum	   *values;
	bool	   *nulls;
	Oid		   *types;
	bool		is_array;		/* they were given as one array, so all have the same type */
	PgBsonCallSite *site;
	Known	   *known;
} Arguments;

/* Remember the types of the arguments, and the literals among them, so that the server need not look at them again */
static void
get_to_know(FunctionCallInfo fcinfo, const Arguments *args)
{
	MemoryContext old = MemoryContextSwitchTo(PgBsonCallSiteMemory(args->site));
	Oid		   *types = palloc(sizeof(Oid) * args->count);
	Datum	   *literals = palloc0(sizeof(Datum) * args->count);

	for (int i = 0; i < args->count; i++)
	{
		types[i] = args->types[i];
		if (get_fn_expr_argtype(fcinfo->flinfo, i) != UNKNOWNOID || args->nulls[i])
			continue;
		if (!PgBsonArgIsConst(fcinfo, i))
		{
			MemoryContextSwitchTo(old);
			return;
		}
		literals[i] = datumCopy(args->values[i], false, -1);
	}
	MemoryContextSwitchTo(old);
	args->known->types = types;
	args->known->literals = literals;
	args->known->count = args->count;
}

/* False for VARIADIC NULL */
static bool
get_arguments(FunctionCallInfo fcinfo, Arguments *args)
{
	Known	   *known;

	args->site = PgBsonCallSiteOf(fcinfo->flinfo);
	args->known = known = PgBsonCallSiteKept(args->site, sizeof(Known));
	if (known->count == 0)
	{
		args->count = extract_variadic_args(fcinfo, 0, true, &args->values,
											&args->types, &args->nulls);
		args->is_array = get_fn_expr_variadic(fcinfo->flinfo);
		if (!args->is_array)
			get_to_know(fcinfo, args);
		return args->count >= 0;
	}

	args->count = known->count;
	args->types = known->types;
	args->is_array = false;
	args->values = palloc(sizeof(Datum) * args->count);
	args->nulls = palloc(sizeof(bool) * args->count);
	for (int i = 0; i < args->count; i++)
	{
		args->values[i] = known->literals[i] != 0 ? known->literals[i] : PG_GETARG_DATUM(i);
		args->nulls[i] = PG_ARGISNULL(i);
	}
	return true;
}

static PgBsonTypeInfo *
argument_type(Arguments *args, int i)
{
	return PgBsonCallSiteType(args->site, args->is_array ? 0 : i, args->types[i]);
}

static ObjectKeys
make_object_keys(int count)
{
	ObjectKeys	keys;

	keys.count = count;
	keys.keys = palloc(sizeof(PgBsonKeyRef) * (count + 1));
	keys.last = palloc(sizeof(uint32) * (count + 1));
	return keys;
}

/* The keys among the arguments of bson_build_object */
static ObjectKeys
argument_keys(Arguments *args)
{
	ObjectKeys	keys = make_object_keys(args->count / 2);

	for (int i = 0; i < keys.count; i++)
	{
		if (args->nulls[i * 2])
			PgBsonReportInvalid(errmsg("argument %d: key must not be null", i * 2 + 1));
		keys.keys[i].key = PgBsonKeyOfDatum(argument_type(args, i * 2), args->values[i * 2],
											&keys.keys[i].len);
	}
	PgBsonFindRepeatedKeys(keys.keys, keys.count, keys.last);
	return keys;
}

/* The keys among the arguments; those that are literals are made once and kept at the call site */
static ObjectKeys
object_keys(Arguments *args)
{
	Known	   *known = args->known;
	MemoryContext old;

	if (known->keys.keys != NULL)
		return known->keys;
	for (int i = 0; i < args->count; i += 2)
	{
		if (known->count == 0 || known->literals[i] == 0)
			return argument_keys(args);
	}
	/* their bytes are in the literals, which are kept, not in the arguments of the first call */
	for (int i = 0; i < args->count; i += 2)
		args->values[i] = known->literals[i];
	old = MemoryContextSwitchTo(PgBsonCallSiteMemory(args->site));
	known->keys = argument_keys(args);
	MemoryContextSwitchTo(old);
	return known->keys;
}

/* SQL: bson_build_object(VARIADIC "any") returns bson */
PGBSON_FUNCTION(pgbson_build_object)
{
	Arguments	args;
	ObjectKeys	keys;
	PgBsonWriter *w;
	Size		start;

	if (!get_arguments(fcinfo, &args))
		PG_RETURN_NULL();
	if (args.count % 2 != 0)
		PgBsonReportInvalid(errmsg("argument list must have even number of elements"),
							errhint("The arguments of %s must consist of alternating keys and values.",
									"bson_build_object()"));

	keys = object_keys(&args);
	w = PgBsonCallSiteWriter(args.site);
	start = PgBsonWriterOpenValue(w, PGBSON_DOCUMENT);
	for (int i = 0; i < keys.count; i++)
	{
		int			value = keys.last[i] * 2 + 1;

		if (keys.last[i] == PGBSON_KEY_REPEATED)
			continue;
		CHECK_FOR_INTERRUPTS();
		PgBsonWriterKey(w, PGBSON_EOD, keys.keys[i].key, keys.keys[i].len);
		PgBsonWriterDatum(w, argument_type(&args, value), args.values[value], args.nulls[value]);
	}
	PgBsonWriterClose(w, start);
	return written(w);
}

/* SQL: bson_build_array(VARIADIC "any") returns bson */
PGBSON_FUNCTION(pgbson_build_array)
{
	Arguments	args;
	PgBsonWriter *w;
	Size		start;

	if (!get_arguments(fcinfo, &args))
		PG_RETURN_NULL();

	w = PgBsonCallSiteWriter(args.site);
	start = PgBsonWriterOpenValue(w, PGBSON_ARRAY);
	for (int i = 0; i < args.count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		PgBsonWriterIndex(w, PGBSON_EOD, i);
		PgBsonWriterDatum(w, argument_type(&args, i), args.values[i], args.nulls[i]);
	}
	PgBsonWriterClose(w, start);
	return written(w);
}

/* SQL: bson_build_object() and bson_build_array() return bson */
PGBSON_DOOR(pgbson_build_object_noargs, PointerGetDatum(PgBsonEmptyOf(PGBSON_DOCUMENT)));
PGBSON_DOOR(pgbson_build_array_noargs, PointerGetDatum(PgBsonEmptyOf(PGBSON_ARRAY)));

/* Elements of a text[]: every one, or every second one */
typedef struct TextColumn
{
	Datum	   *values;
	bool	   *nulls;
	int			stride;
} TextColumn;

/* The bytes of a field with a string, without the string: type, key with zero byte, length, the string's zero byte */
#define ELEMENT_SIZE(key_len)	((key_len) + 7)

/* NULL for a null */
static const text *
column_text(const TextColumn *column, int i)
{
	return column->nulls[i * column->stride] ? NULL : DatumGetTextPP(column->values[i * column->stride]);
}

/* An object of strings and nulls.  No envelope is such an object, so it needs none. */
static PgBson *
object_of_text(int count, const TextColumn *names, const TextColumn *values)
{
	ObjectKeys	keys = make_object_keys(count);
	Size		size = PGBSON_MIN_SIZE; /* enough, unless strings become longer in UTF-8 */
	PgBsonWriter w;
	Size		start;

	for (int i = 0; i < count; i++)
	{
		const text *name = column_text(names, i);
		const text *value = column_text(values, i);

		if (name == NULL)
			PgBsonReport(ERRCODE_NULL_VALUE_NOT_ALLOWED, errmsg("null value not allowed for object key"));
		keys.keys[i].key = PgBsonFromText(name, &keys.keys[i].len);
		size += ELEMENT_SIZE(keys.keys[i].len);
		if (value != NULL)
			size += VARSIZE_ANY_EXHDR(value);
	}
	PgBsonFindRepeatedKeys(keys.keys, count, keys.last);

	PgBsonWriterInit(&w, size);
	start = PgBsonWriterOpen(&w);
	for (int i = 0; i < count; i++)
	{
		const text *value;
		uint32		len;
		const char *s;

		if (keys.last[i] == PGBSON_KEY_REPEATED)
			continue;
		CHECK_FOR_INTERRUPTS();
		value = column_text(values, keys.last[i]);
		if (value == NULL)
		{
			PgBsonWriterKey(&w, PGBSON_NULL, keys.keys[i].key, keys.keys[i].len);
			continue;
		}
		s = PgBsonFromText(value, &len);
		PgBsonWriterKey(&w, PGBSON_STRING, keys.keys[i].key, keys.keys[i].len);
		PgBsonWriterString(&w, s, len);
	}
	PgBsonWriterClose(&w, start);
	return PgBsonWriterFinish(&w);
}

/* SQL: bson_object(text[]) returns bson */
PGBSON_FUNCTION(pgbson_object)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(0);
	TextColumn	names = {NULL, NULL, 2};
	TextColumn	values;
	int			count;

	if (ARR_NDIM(array) > 2)
		PgBsonReport(ERRCODE_ARRAY_SUBSCRIPT_ERROR, errmsg("wrong number of array subscripts"));
	if (ARR_NDIM(array) == 2 && ARR_DIMS(array)[1] != 2)
		PgBsonReport(ERRCODE_ARRAY_SUBSCRIPT_ERROR, errmsg("array must have two columns"));
	if (ARR_NDIM(array) == 1 && ARR_DIMS(array)[0] % 2 != 0)
		PgBsonReport(ERRCODE_ARRAY_SUBSCRIPT_ERROR, errmsg("array must have even number of elements"));

	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT,
					  &names.values, &names.nulls, &count);
	values = (TextColumn) {names.values + 1, names.nulls + 1, 2};
	PG_RETURN_PGBSON_P(object_of_text(count / 2, &names, &values));
}

/* SQL: bson_object(text[], text[]) returns bson */
PGBSON_FUNCTION(pgbson_object_two_arg)
{
	ArrayType  *name_array = PG_GETARG_ARRAYTYPE_P(0);
	ArrayType  *value_array = PG_GETARG_ARRAYTYPE_P(1);
	TextColumn	names = {NULL, NULL, 1};
	TextColumn	values = {NULL, NULL, 1};
	int			name_count;
	int			value_count;

	if (ARR_NDIM(name_array) > 1 || ARR_NDIM(name_array) != ARR_NDIM(value_array))
		PgBsonReport(ERRCODE_ARRAY_SUBSCRIPT_ERROR, errmsg("wrong number of array subscripts"));

	deconstruct_array(name_array, TEXTOID, -1, false, TYPALIGN_INT,
					  &names.values, &names.nulls, &name_count);
	deconstruct_array(value_array, TEXTOID, -1, false, TYPALIGN_INT,
					  &values.values, &values.nulls, &value_count);
	if (name_count != value_count)
		PgBsonReport(ERRCODE_ARRAY_SUBSCRIPT_ERROR, errmsg("mismatched array dimensions"));
	PG_RETURN_PGBSON_P(object_of_text(name_count, &names, &values));
}
