/*
 * path_args.c
 *	  Function arguments as path steps.
 */
#include "core/path_args.h"

#include "access/tupmacs.h"
#include "catalog/pg_type.h"
#include "core/contain.h"
#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/primnodes.h"

PgBsonStep
PgBsonStepFromText(const text *key, PgBsonStepKind kind)
{
	PgBsonStep	step;
	int			len = VARSIZE_ANY_EXHDR(key);

	/* keys are UTF-8 whatever the database's encoding; converts only if it must */
	step.kind = kind;
	step.index = 0;
	step.key = pg_server_to_any(VARDATA_ANY(key), len, PG_UTF8);
	step.key_len = step.key == VARDATA_ANY(key) ? len : strlen(step.key);
	return step;
}

PgBsonStep
PgBsonStepFromIndex(int32 index)
{
	PgBsonStep	step = {PGBSON_STEP_INDEX, index, NULL, 0};

	return step;
}

void
PgBsonCheckOneDimension(ArrayType *array)
{
	if (ARR_NDIM(array) > 1)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("wrong number of array subscripts"),
				 errdetail("A path or list of keys is an array of one dimension.")));
}

/* Are there so few elements in the value? */
static bool
has_at_most(const PgBsonValue *value, int n)
{
	PgBsonIter	iter;

	if (!PgBsonIsContainer(value->type))
		return true;
	PgBsonIterInit(&iter, PgBsonValueView(value));
	while (PgBsonIterNext(&iter))
	{
		CHECK_FOR_INTERRUPTS();
		if (n-- == 0)
			return false;
	}
	return true;
}

/* The keys of a document, strings in an array, or the string that the value is */
static void
add_keys_of(const PgBsonValue *value, PgBsonKeySet *keys)
{
	PgBsonIter	iter;
	const char *s;
	uint32		len;

	if (value->type == PGBSON_DOCUMENT)
		PgBsonKeySetAddFields(keys, PgBsonValueView(value));
	else if (value->type == PGBSON_ARRAY)
	{
		PgBsonIterInit(&iter, PgBsonValueView(value));
		while (PgBsonIterNext(&iter))
		{
			if (PgBsonValueIsString(&iter.value, &s, &len))
				PgBsonKeySetAdd(keys, s, len, NULL);
		}
	}
	else if (PgBsonValueIsString(value, &s, &len))
		PgBsonKeySetAdd(keys, s, len, NULL);
}

bool
PgBsonKeysFromArray(ArrayType *array, const PgBsonValue *of, PgBsonKeySet *keys)
{
	int			n = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	const bits8 *nulls = ARR_NULLBITMAP(array);
	char	   *p = ARR_DATA_PTR(array);
	PgBsonKeySet there;
	bool		complete = true;

	/* to look up many keys in a set of few takes a fraction of making a set of the many */
	if (of != NULL && (n <= PGBSON_KEYSET_SMALL || !has_at_most(of, n / 4)))
		of = NULL;
	PgBsonKeySetInit(&there);
	if (of != NULL)
		add_keys_of(of, &there);

	PgBsonKeySetInit(keys);
	for (int i = 0; i < n; i++)
	{
		PgBsonStep	step;

		CHECK_FOR_INTERRUPTS();
		if (nulls != NULL && (nulls[i / 8] & (1 << i % 8)) == 0)
			continue;
		/* where they lie: deconstruct_array would take memory for each of many */
		step = PgBsonStepFromText((text *) p, PGBSON_STEP_KEY);
		p = att_addlength_pointer(p, -1, p);
		p = (char *) att_align_nominal(p, TYPALIGN_INT);
		if (of == NULL || PgBsonKeySetFind(&there, step.key, step.key_len) != NULL)
			PgBsonKeySetAdd(keys, step.key, step.key_len, NULL);
		else
			complete = false;
	}
	PgBsonKeySetFree(&there);
	return complete;
}

PgBsonSteps
PgBsonStepsFromArray(ArrayType *path)
{
	PgBsonSteps result = {0, false, NULL};
	Datum	   *elems;
	bool	   *nulls;

	PgBsonCheckOneDimension(path);
	deconstruct_array(path, TEXTOID, -1, false, TYPALIGN_INT,
					  &elems, &nulls, &result.count);
	result.steps = palloc0_array(PgBsonStep, Max(result.count, 1));
	for (int i = 0; i < result.count; i++)
	{
		result.steps[i].kind = PGBSON_STEP_PATH;
		if (nulls[i])
			result.has_null = true;
		else
			result.steps[i] = PgBsonStepFromText((text *) DatumGetPointer(elems[i]),
												 PGBSON_STEP_PATH);
	}
	return result;
}

/* The expression of an argument; NULL if it is not known */
static Node *
arg_node(const FmgrInfo *flinfo, int argno)
{
	Node	   *call = flinfo == NULL ? NULL : flinfo->fn_expr;
	List	   *args;

	if (call == NULL)
		return NULL;
	if (IsA(call, FuncExpr))
		args = ((FuncExpr *) call)->args;
	else if (IsA(call, OpExpr))
		args = ((OpExpr *) call)->args;
	else
		return NULL;
	return argno < list_length(args) ? list_nth(args, argno) : NULL;
}

bool
PgBsonArgIsConst(const FmgrInfo *flinfo, int argno)
{
	Node	   *arg = arg_node(flinfo, argno);

	return arg != NULL && IsA(arg, Const);
}

bool
PgBsonArgIsParam(const FmgrInfo *flinfo, int argno)
{
	Node	   *arg = arg_node(flinfo, argno);

	return arg != NULL && IsA(arg, Param);
}

bool
PgBsonArgsAreConst(FunctionCallInfo fcinfo, int first)
{
	for (int i = first; i < PG_NARGS(); i++)
	{
		if (!PgBsonArgIsConst(fcinfo->flinfo, i))
			return false;
	}
	return true;
}

static void
add_step(PgBsonSteps *steps, PgBsonStep step, bool copy)
{
	if (copy && step.key != NULL)
		step.key = pnstrdup(step.key, step.key_len);
	steps->steps[steps->count++] = step;
}

PgBsonSteps
PgBsonStepsFromArgs(FunctionCallInfo fcinfo, int first, bool copy)
{
	PgBsonSteps result = {0, false, NULL};
	PgBsonSteps *paths = palloc0_array(PgBsonSteps, PG_NARGS());
	int			count = 0;

	for (int i = first; i < PG_NARGS(); i++)
	{
		if (get_fn_expr_argtype(fcinfo->flinfo, i) == TEXTARRAYOID)
			paths[i] = PgBsonStepsFromArray(PG_GETARG_ARRAYTYPE_P(i));
		else
			paths[i].count = 1;
		count += paths[i].count;
	}

	result.steps = palloc_array(PgBsonStep, Max(count, 1));
	for (int i = first; i < PG_NARGS(); i++)
	{
		Oid			type = get_fn_expr_argtype(fcinfo->flinfo, i);

		if (type == INT4OID)
			add_step(&result, PgBsonStepFromIndex(PG_GETARG_INT32(i)), false);
		else if (type == TEXTOID)
			add_step(&result, PgBsonStepFromText(PG_GETARG_TEXT_PP(i), PGBSON_STEP_KEY), copy);
		else if (type == TEXTARRAYOID && paths[i].has_null)
			result.has_null = true;
		else if (type == TEXTARRAYOID)
		{
			for (int j = 0; j < paths[i].count; j++)
				add_step(&result, paths[i].steps[j], copy);
		}
		else
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("a step into a bson value must be of type text, integer or text[]")));
	}
	pfree(paths);
	return result;
}
