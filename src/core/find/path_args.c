/*
 * path_args.c
 *	  text[] as path steps and keys.
 */
#include "core/find/path.h"

#include "access/tupmacs.h"

void
PgBsonCheckOneDimension(ArrayType *array)
{
	if (ARR_NDIM(array) > 1)
		PgBsonReport(ERRCODE_ARRAY_SUBSCRIPT_ERROR, errmsg("wrong number of array subscripts"),
					 errdetail("A path or list of keys must be an array of one dimension."));
}

PgBsonArrayKeys
PgBsonKeysOf(ArrayType *array)
{
	PgBsonArrayKeys keys;

	keys.n = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	keys.i = 0;
	keys.p = ARR_DATA_PTR(array);
	keys.nulls = ARR_NULLBITMAP(array);
	keys.utf8 = GetDatabaseEncoding() == PG_UTF8;
	return keys;
}

bool
PgBsonNextKey(PgBsonArrayKeys *keys, const char **key, uint32 *len)
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

PgBsonSteps
PgBsonStepsFromArray(ArrayType *path)
{
	PgBsonArrayKeys keys = PgBsonKeysOf(path);
	PgBsonSteps result = {keys.n, false, palloc_array(PgBsonStep, Max(keys.n, 1))};
	PgBsonStep	step = {PGBSON_STEP_PATH, 0, NULL, 0};

	PgBsonCheckOneDimension(path);
	for (int i = 0; keys.nulls != NULL && i < keys.n; i++)
		result.steps[i] = step;
	result.has_null = keys.nulls != NULL && array_contains_nulls(path);
	while (PgBsonNextKey(&keys, &step.key, &step.key_len))
		result.steps[keys.i - 1] = step;
	return result;
}
