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

/* The elements of a text[] that are not NULL, where they lie: deconstruct_array would take memory for each of many */
typedef struct ArrayKeys
{
	int			n;				/* elements, NULLs among them */
	int			i;				/* the next one ... */
	const char *p;				/* ... and its bytes */
	const uint8 *nulls;
	bool		utf8;			/* they are UTF-8, as keys are */
} ArrayKeys;

static ArrayKeys
keys_of_array(ArrayType *array)
{
	ArrayKeys	keys;

	keys.n = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	keys.i = 0;
	keys.p = ARR_DATA_PTR(array);
	keys.nulls = ARR_NULLBITMAP(array);
	keys.utf8 = GetDatabaseEncoding() == PG_UTF8;
	return keys;
}

static pg_attribute_always_inline bool
next_key(ArrayKeys *keys, const char **key, uint32 *len)
{
	const char *p = keys->p;

	while (keys->i < keys->n)
	{
		int			i = keys->i++;

		CHECK_FOR_INTERRUPTS();
		if (keys->nulls != NULL && (keys->nulls[i / 8] & (1 << i % 8)) == 0)
			continue;
		*key = VARDATA_ANY(p);
		*len = VARSIZE_ANY_EXHDR(p);
		if (!keys->utf8)
		{
			PgBsonStep	step = PgBsonStepFromText((const text *) p, PGBSON_STEP_KEY);

			*key = step.key;
			*len = step.key_len;
		}
		p = att_addlength_pointer(p, -1, p);
		keys->p = (const char *) att_align_nominal(p, TYPALIGN_INT);
		return true;
	}
	return false;
}

/*
 * The keys of a value with few, in which many are looked up; it takes a fraction of making
 * a set of the many.  Most that are not there differ in what tells "bits".
 */
typedef struct FewKeys
{
	uint64		bits;
	PgBsonKeySet set;
} FewKeys;

static inline uint64
key_bit(const char *key, uint32 len)
{
	uint32		sum = len;

	if (len > 0)
		sum += (uint8) key[0] * 5 + (uint8) key[len - 1] * 11;
	return UINT64CONST(1) << (sum & 63);
}

/* False if they are not few beside n; else the set is to be freed */
static bool
few_keys_of(const PgBsonValue *value, int n, FewKeys *few)
{
	if (n <= PGBSON_KEYSET_SMALL || !has_at_most(value, n / 4))
		return false;
	PgBsonKeySetInit(&few->set);
	add_keys_of(value, &few->set);
	few->bits = 0;
	for (int i = 0; i < few->set.count; i++)
		few->bits |= key_bit(few->set.entries[i].key, few->set.entries[i].key_len);
	return true;
}

static inline bool
among_few(FewKeys *few, const char *key, uint32 len)
{
	return (few->bits & key_bit(key, len)) != 0 && PgBsonKeySetFind(&few->set, key, len) != NULL;
}

void
PgBsonKeysFromArray(ArrayType *array, const PgBsonValue *of, PgBsonKeySet *keys)
{
	ArrayKeys	all = keys_of_array(array);
	FewKeys		few;
	const char *key;
	uint32		len;

	PgBsonKeySetInit(keys);
	if (of != NULL && few_keys_of(of, all.n, &few))
	{
		while (next_key(&all, &key, &len))
		{
			if (among_few(&few, key, len))
				PgBsonKeySetAdd(keys, key, len, NULL);
		}
		PgBsonKeySetFree(&few.set);
		return;
	}
	while (next_key(&all, &key, &len))
		PgBsonKeySetAdd(keys, key, len, NULL);
}

/* Of more keys than this, a few are looked up first, and then each time so many times as many: often the first decide */
#define KEYS_AT_ONCE	64
#define TIMES_AS_MANY	32

bool
PgBsonHasKeysOfArray(const PgBsonValue *value, ArrayType *array, bool all)
{
	ArrayKeys	keys = keys_of_array(array);
	int			most = keys.n <= KEYS_AT_ONCE ? KEYS_AT_ONCE : PGBSON_KEYSET_SMALL;
	bool		result = all;
	FewKeys		few;
	const char *key;
	uint32		len;

	if (few_keys_of(value, keys.n, &few))
	{
		while (result == all && next_key(&keys, &key, &len))
			result = among_few(&few, key, len);
		PgBsonKeySetFree(&few.set);
		return result;
	}
	while (result == all && keys.i < keys.n)
	{
		PgBsonKeySet some;

		PgBsonKeySetInit(&some);
		while (some.count < most && next_key(&keys, &key, &len))
			PgBsonKeySetAdd(&some, key, len, NULL);
		result = PgBsonHasKeys(value, &some, all);
		PgBsonKeySetFree(&some);
		most = most < keys.n / TIMES_AS_MANY ? most * TIMES_AS_MANY : keys.n;
	}
	return result;
}

PgBsonSteps
PgBsonStepsFromArray(ArrayType *path)
{
	ArrayKeys	keys = keys_of_array(path);
	PgBsonSteps result = {keys.n, false, palloc_array(PgBsonStep, Max(keys.n, 1))};
	PgBsonStep	step = {PGBSON_STEP_PATH, 0, NULL, 0};

	PgBsonCheckOneDimension(path);
	for (int i = 0; keys.nulls != NULL && i < keys.n; i++)
		result.steps[i] = step;
	result.has_null = keys.nulls != NULL && array_contains_nulls(path);
	while (next_key(&keys, &step.key, &step.key_len))
		result.steps[keys.i - 1] = step;
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

	/* varchar as text */
	if (arg != NULL && IsA(arg, RelabelType))
		arg = (Node *) ((RelabelType *) arg)->arg;
	return arg != NULL && IsA(arg, Param);
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
	PgBsonSteps *paths = NULL;	/* of the arguments that are text[] */
	Oid			types[FUNC_MAX_ARGS];
	int			count = 0;

	for (int i = first; i < PG_NARGS(); i++)
	{
		types[i] = get_fn_expr_argtype(fcinfo->flinfo, i);
		if (types[i] != TEXTARRAYOID)
		{
			count++;
			continue;
		}
		if (paths == NULL)
			paths = palloc_array(PgBsonSteps, PG_NARGS());
		paths[i] = PgBsonStepsFromArray(PG_GETARG_ARRAYTYPE_P(i));
		count += paths[i].count;
	}

	result.steps = palloc_array(PgBsonStep, Max(count, 1));
	for (int i = first; i < PG_NARGS(); i++)
	{
		Oid			type = types[i];

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
	if (paths != NULL)
		pfree(paths);
	return result;
}
