/*
 * construct.c
 *	  Making bson from SQL values: to_bson, rows, arrays, objects from lists.
 */
#include "pgbson.h"

#include "catalog/pg_type.h"
#include "core/build.h"
#include "core/keys.h"
#include "core/recode.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "sql/datum.h"
#include "utils/array.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(pgbson_to_bson);
PG_FUNCTION_INFO_V1(pgbson_build_object);
PG_FUNCTION_INFO_V1(pgbson_build_object_noargs);
PG_FUNCTION_INFO_V1(pgbson_build_array);
PG_FUNCTION_INFO_V1(pgbson_build_array_noargs);
PG_FUNCTION_INFO_V1(pgbson_object);
PG_FUNCTION_INFO_V1(pgbson_object_two_arg);

/*
 * SQL: to_bson(anyelement), row_to_bson(record[, bool]) and
 * array_to_bson(anyarray[, bool]), all returning bson.  The bool asks for
 * line feeds in json's functions of these names; it has no meaning here.
 */
Datum
pgbson_to_bson(PG_FUNCTION_ARGS)
{
	PgBsonCallSite *site = PgBsonCallSiteOf(fcinfo->flinfo);
	PgBsonTypeInfo *type = PgBsonCallSiteType(site, 0, get_fn_expr_argtype(fcinfo->flinfo, 0));
	PgBsonBuilder *b = PgBsonCallSiteBuilder(site);

	PgBsonBuilderDatum(b, type, PG_GETARG_DATUM(0), false);
	PG_RETURN_PGBSON_P(PgBsonBuilderCopy(b));
}

/* The arguments of a function whose parameter is VARIADIC "any" */
typedef struct Arguments
{
	int			count;
	Datum	   *values;
	bool	   *nulls;
	Oid		   *types;
	bool		is_array;		/* they were given as one array, so all have the same type */
	PgBsonCallSite *site;
} Arguments;

/* False for VARIADIC NULL */
static bool
get_arguments(FunctionCallInfo fcinfo, Arguments *args)
{
	args->count = extract_variadic_args(fcinfo, 0, true, &args->values,
										&args->types, &args->nulls);
	args->is_array = get_fn_expr_variadic(fcinfo->flinfo);
	args->site = PgBsonCallSiteOf(fcinfo->flinfo);
	return args->count >= 0;
}

static PgBsonTypeInfo *
argument_type(Arguments *args, int i)
{
	return PgBsonCallSiteType(args->site, args->is_array ? 0 : i, args->types[i]);
}

/* The keys of an object to be made, and for each key the index of the value that counts */
typedef struct ObjectKeys
{
	int			count;
	PgBsonKeyRef *keys;
	uint32	   *last;			/* as of PgBsonFindRepeatedKeys */
} ObjectKeys;

static ObjectKeys
make_object_keys(int count)
{
	ObjectKeys	keys;

	keys.count = count;
	keys.keys = palloc(sizeof(PgBsonKeyRef) * (count + 1));
	keys.last = palloc(sizeof(uint32) * (count + 1));
	return keys;
}

/* SQL: bson_build_object(VARIADIC "any") returns bson */
Datum
pgbson_build_object(PG_FUNCTION_ARGS)
{
	Arguments	args;
	ObjectKeys	keys;
	PgBsonBuilder *b;

	if (!get_arguments(fcinfo, &args))
		PG_RETURN_NULL();
	if (args.count % 2 != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument list must have even number of elements"),
				 errhint("The arguments of %s must consist of alternating keys and values.",
						 "bson_build_object()")));

	keys = make_object_keys(args.count / 2);
	for (int i = 0; i < keys.count; i++)
	{
		if (args.nulls[i * 2])
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("argument %d: key must not be null", i * 2 + 1)));
		keys.keys[i].key = PgBsonKeyOfDatum(argument_type(&args, i * 2), args.values[i * 2],
											&keys.keys[i].len);
	}
	PgBsonFindRepeatedKeys(keys.keys, keys.count, keys.last);

	b = PgBsonCallSiteBuilder(args.site);
	PgBsonBuilderOpenDocument(b);
	for (int i = 0; i < keys.count; i++)
	{
		int			value = keys.last[i] * 2 + 1;

		if (keys.last[i] == PGBSON_KEY_REPEATED)
			continue;
		CHECK_FOR_INTERRUPTS();
		PgBsonBuilderKey(b, keys.keys[i].key, keys.keys[i].len);
		PgBsonBuilderDatum(b, argument_type(&args, value), args.values[value], args.nulls[value]);
	}
	PgBsonBuilderClose(b);
	PG_RETURN_PGBSON_P(PgBsonBuilderCopy(b));
}

/* SQL: bson_build_object() returns bson */
Datum
pgbson_build_object_noargs(PG_FUNCTION_ARGS)
{
	PgBsonBuilder *b = PgBsonBuilderBegin();

	PgBsonBuilderOpenDocument(b);
	PgBsonBuilderClose(b);
	PG_RETURN_PGBSON_P(PgBsonBuilderFinish(b));
}

/* SQL: bson_build_array(VARIADIC "any") returns bson */
Datum
pgbson_build_array(PG_FUNCTION_ARGS)
{
	Arguments	args;
	PgBsonBuilder *b;

	if (!get_arguments(fcinfo, &args))
		PG_RETURN_NULL();

	b = PgBsonCallSiteBuilder(args.site);
	PgBsonBuilderOpenArray(b);
	for (int i = 0; i < args.count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		PgBsonBuilderDatum(b, argument_type(&args, i), args.values[i], args.nulls[i]);
	}
	PgBsonBuilderClose(b);
	PG_RETURN_PGBSON_P(PgBsonBuilderCopy(b));
}

/* SQL: bson_build_array() returns bson */
Datum
pgbson_build_array_noargs(PG_FUNCTION_ARGS)
{
	PgBsonBuilder *b = PgBsonBuilderBegin();

	PgBsonBuilderOpenArray(b);
	PgBsonBuilderClose(b);
	PG_RETURN_PGBSON_P(PgBsonBuilderFinish(b));
}

/* The elements of a text[], every stride-th beginning with "first" */
typedef struct TextColumn
{
	Datum	   *values;
	bool	   *nulls;
	int			first;
	int			stride;
} TextColumn;

static const char *
column_text(const TextColumn *column, int i, uint32 *len)
{
	text	   *s = DatumGetTextPP(column->values[column->first + i * column->stride]);

	*len = VARSIZE_ANY_EXHDR(s);
	return PgBsonFromServerText(VARDATA_ANY(s), len);
}

static bool
column_null(const TextColumn *column, int i)
{
	return column->nulls[column->first + i * column->stride];
}

/* An object of strings and nulls */
static PgBson *
object_of_text(FmgrInfo *flinfo, int count, const TextColumn *names, const TextColumn *values)
{
	ObjectKeys	keys = make_object_keys(count);
	PgBsonBuilder *b;

	for (int i = 0; i < count; i++)
	{
		if (column_null(names, i))
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("null value not allowed for object key")));
		keys.keys[i].key = column_text(names, i, &keys.keys[i].len);
	}
	PgBsonFindRepeatedKeys(keys.keys, count, keys.last);

	b = PgBsonCallSiteBuilder(PgBsonCallSiteOf(flinfo));
	PgBsonBuilderOpenDocument(b);
	for (int i = 0; i < count; i++)
	{
		uint32		len;
		const char *s;

		if (keys.last[i] == PGBSON_KEY_REPEATED)
			continue;
		CHECK_FOR_INTERRUPTS();
		PgBsonBuilderKey(b, keys.keys[i].key, keys.keys[i].len);
		if (column_null(values, keys.last[i]))
			PgBsonBuilderNull(b);
		else
		{
			s = column_text(values, keys.last[i], &len);
			PgBsonBuilderString(b, s, len);
		}
	}
	PgBsonBuilderClose(b);
	return PgBsonBuilderCopy(b);
}

/* SQL: bson_object(text[]) returns bson */
Datum
pgbson_object(PG_FUNCTION_ARGS)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(0);
	TextColumn	names = {NULL, NULL, 0, 2};
	TextColumn	values;
	int			count;

	if (ARR_NDIM(array) > 2)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("wrong number of array subscripts")));
	if (ARR_NDIM(array) == 2 && ARR_DIMS(array)[1] != 2)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("array must have two columns")));
	if (ARR_NDIM(array) == 1 && ARR_DIMS(array)[0] % 2 != 0)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("array must have even number of elements")));

	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT,
					  &names.values, &names.nulls, &count);
	values = names;
	values.first = 1;
	PG_RETURN_PGBSON_P(object_of_text(fcinfo->flinfo, count / 2, &names, &values));
}

/* SQL: bson_object(text[], text[]) returns bson */
Datum
pgbson_object_two_arg(PG_FUNCTION_ARGS)
{
	ArrayType  *name_array = PG_GETARG_ARRAYTYPE_P(0);
	ArrayType  *value_array = PG_GETARG_ARRAYTYPE_P(1);
	TextColumn	names = {NULL, NULL, 0, 1};
	TextColumn	values = {NULL, NULL, 0, 1};
	int			name_count;
	int			value_count;

	if (ARR_NDIM(name_array) > 1 || ARR_NDIM(name_array) != ARR_NDIM(value_array))
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("wrong number of array subscripts")));

	deconstruct_array(name_array, TEXTOID, -1, false, TYPALIGN_INT,
					  &names.values, &names.nulls, &name_count);
	deconstruct_array(value_array, TEXTOID, -1, false, TYPALIGN_INT,
					  &values.values, &values.nulls, &value_count);
	if (name_count != value_count)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("mismatched array dimensions")));
	PG_RETURN_PGBSON_P(object_of_text(fcinfo->flinfo, name_count, &names, &values));
}
