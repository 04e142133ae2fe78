/*
 * modify.c
 *	  bson_set and related functions, || - #-, bson_strip_nulls.
 *
 * If nothing changes, the result is the argument's own datum and not a
 * detoasted copy.  An UPDATE then finds the same TOAST pointer in the old and
 * the new row, and writes no TOAST data.
 */
#include "door.h"

#include "core/order/contain.h"
#include "core/write/modify.h"

#include "sql/site/kept.h"
#include "utils/builtins.h"

/* Close the first argument, and return the changed document or, if nothing changed, the argument itself */
static Datum
changed_or_first(FunctionCallInfo fcinfo, PgBsonReader *first, PgBson *changed)
{
	PgBsonClose(first);
	return changed != NULL ? PointerGetDatum(changed) : PG_GETARG_DATUM(0);
}

/* What a call site remembers, the path if it is kept */
typedef struct PathSite
{
	PgBsonKept	kept;			/* the first member */
	PgBsonSteps path;
} PathSite;

static void
keep_path(FunctionCallInfo fcinfo, void *site)
{
	((PathSite *) site)->path = PgBsonStepsFromArray(PG_GETARG_ARRAYTYPE_P_COPY(1));
}

/* The path in argument 1 */
static PgBsonSteps
path_argument(FunctionCallInfo fcinfo)
{
	PathSite   *site = PgBsonSite(fcinfo->flinfo, sizeof(PathSite));

	if (PgBsonKeep(site, fcinfo, 1, 1, keep_path))
		return site->path;
	return PgBsonStepsFromArray(PG_GETARG_ARRAYTYPE_P(1));
}

/* Change the value that the path in argument 1 leads to in argument 0 */
static Datum
change_path(FunctionCallInfo fcinfo, PgBsonChange change, const PgBsonValue *value)
{
	PgBsonReader reader;
	PgBsonView	doc = PgBsonOpenWhole(&reader, PG_GETARG_DATUM(0));
	PgBsonSteps path = path_argument(fcinfo);

	return changed_or_first(fcinfo, &reader, PgBsonChangePath(doc, path.steps, path.count, change, value));
}

/* The one change if argument 3 is true, else the other; NULL if another argument than the new value is NULL */
static Datum
change_either(FunctionCallInfo fcinfo, PgBsonChange if_true, PgBsonChange if_false)
{
	PgBsonValue value;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(3))
		PG_RETURN_NULL();
	value = PgBsonArgument(fcinfo, 2, PgBsonNull);
	return change_path(fcinfo, PG_GETARG_BOOL(3) ? if_true : if_false, &value);
}

/*
 * SQL: bson_set(target bson, path text[], new_value bson, create_if_missing bool) returns bson
 *
 * The function is not strict: if the new value is an SQL NULL, it sets BSON
 * null, whereas jsonb_set would return NULL.  If another argument is NULL, the
 * result is NULL.
 */
PGBSON_DOOR(pgbson_set, change_either(fcinfo, PGBSON_SET, PGBSON_REPLACE));

/* SQL: bson_insert(target bson, path text[], new_value bson, insert_after bool) returns bson */
PGBSON_DOOR(pgbson_insert, change_either(fcinfo, PGBSON_INSERT_AFTER, PGBSON_INSERT_BEFORE));

/* SQL: bson_set_lax(target bson, path text[], new_value bson, create_if_missing bool, null_value_treatment text) */
PGBSON_FUNCTION(pgbson_set_lax)
{
	const char *treatment = "";

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(3))
		PG_RETURN_NULL();
	if (!PG_ARGISNULL(4))
	{
		if (!PG_ARGISNULL(2))
			return pgbson_set(fcinfo);
		treatment = text_to_cstring(PG_GETARG_TEXT_PP(4));
	}

	if (strcmp(treatment, "use_json_null") == 0)
		return pgbson_set(fcinfo);
	if (strcmp(treatment, "delete_key") == 0)
		return change_path(fcinfo, PGBSON_DELETE, NULL);
	if (strcmp(treatment, "return_target") == 0)
		return PG_GETARG_DATUM(0);
	if (strcmp(treatment, "raise_exception") == 0)
		PgBsonReport(ERRCODE_NULL_VALUE_NOT_ALLOWED, errmsg("bson value must not be null"),
					 errdetail("The new value is NULL and null_value_treatment is \"raise_exception\"."),
					 errhint("Pass a new value that is not NULL, or another null_value_treatment."));
	PgBsonReportInvalid(errmsg("null_value_treatment must be \"delete_key\", \"return_target\", \"use_json_null\", or \"raise_exception\""));
	PG_RETURN_NULL();			/* not reached */
}

/* SQL: bson_delete_path(bson, text[]) returns bson; #- */
PGBSON_DOOR(pgbson_delete_path, change_path(fcinfo, PGBSON_DELETE, NULL));

/* SQL: bson_delete(bson, text) returns bson; - */
PGBSON_FUNCTION(pgbson_delete)
{
	PgBsonReader reader;
	PgBsonView	doc = PgBsonOpenWhole(&reader, PG_GETARG_DATUM(0));
	PgBsonKeySet keys;
	PgBsonStep	key = PgBsonStepFromText(PG_GETARG_TEXT_PP(1), PGBSON_STEP_KEY);

	PgBsonKeySetInit(&keys);
	PgBsonKeySetAdd(&keys, key.key, key.key_len, NULL);
	return changed_or_first(fcinfo, &reader, PgBsonDeleteKeys(doc, &keys));
}

/* What a call site remembers, the keys if they are kept */
typedef struct KeysSite
{
	PgBsonKept	kept;			/* the first member */
	PgBsonKeySet keys;
} KeysSite;

/* Make the set of the keys in an array, which it points into; if an object is given, only of those that it has */
static void
add_keys(ArrayType *array, const PgBsonValue *object, PgBsonKeySet *keys)
{
	PgBsonCheckOneDimension(array);
	PgBsonKeysFromArray(array, object, keys);
}

static void
keep_deleted_keys(FunctionCallInfo fcinfo, void *site)
{
	add_keys(PG_GETARG_ARRAYTYPE_P_COPY(1), NULL, &((KeysSite *) site)->keys);
}

/* SQL: bson_delete(bson, VARIADIC text[]) returns bson; - */
PGBSON_FUNCTION(pgbson_delete_array)
{
	PgBsonReader reader;
	PgBsonView	doc = PgBsonOpenWhole(&reader, PG_GETARG_DATUM(0));
	KeysSite   *site = PgBsonSite(fcinfo->flinfo, sizeof(KeysSite));
	PgBsonKeySet room;

	if (PgBsonKeep(site, fcinfo, 1, 1, keep_deleted_keys))
		return changed_or_first(fcinfo, &reader, PgBsonDeleteKeys(doc, &site->keys));
	add_keys(PG_GETARG_ARRAYTYPE_P(1), &reader.root, &room);
	return changed_or_first(fcinfo, &reader, PgBsonDeleteKeys(doc, &room));
}

/* SQL: bson_delete(bson, int) returns bson; - */
PGBSON_FUNCTION(pgbson_delete_idx)
{
	PgBsonReader reader;
	PgBsonView	doc = PgBsonOpenWhole(&reader, PG_GETARG_DATUM(0));

	return changed_or_first(fcinfo, &reader, PgBsonDeleteIndex(doc, PG_GETARG_INT32(1)));
}

/* The two arguments merged or, by ||, concatenated; if the result is equal to one of them, that argument itself */
static Datum
joined(FunctionCallInfo fcinfo, PgBsonMerging how)
{
	PgBsonReader first;
	PgBsonReader second;
	PgBsonView	left = PgBsonOpenWhole(&first, PG_GETARG_DATUM(0));
	PgBsonView	right = PgBsonOpenWhole(&second, PG_GETARG_DATUM(1));
	bool		is_right;
	PgBson	   *result = how == PGBSON_MERGE_ROOT ? PgBsonConcat(left, right, &is_right)
		: PgBsonMerge(left, right, how, &is_right);

	PgBsonClose(&second);
	PgBsonClose(&first);
	return result != NULL ? PointerGetDatum(result) : PG_GETARG_DATUM(is_right ? 1 : 0);
}

/* SQL: bson_concat(bson, bson) returns bson; || */
PGBSON_DOOR(pgbson_concat, joined(fcinfo, PGBSON_MERGE_ROOT));

/* SQL: bson_merge(a bson, b bson, remove_nulls bool) returns bson */
PGBSON_DOOR(pgbson_merge, joined(fcinfo, PG_GETARG_BOOL(2) ? PGBSON_MERGE_REMOVE : PGBSON_MERGE_ALL));

/* SQL: bson_strip_nulls(target bson, strip_in_arrays bool) returns bson */
PGBSON_FUNCTION(pgbson_strip_nulls)
{
	PgBsonReader reader;
	PgBsonView	doc = PgBsonOpenWhole(&reader, PG_GETARG_DATUM(0));

	return changed_or_first(fcinfo, &reader, PgBsonStripNulls(doc, PG_GETARG_BOOL(1)));
}
