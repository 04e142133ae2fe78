/*
 * steps.c
 *	  Function arguments as path steps.
 */
#include "sql/steps.h"

#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"

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

PgBsonSteps
PgBsonStepsFromArray(ArrayType *path)
{
	PgBsonSteps result = {0, false, NULL};
	Datum	   *elems;
	bool	   *nulls;

	if (ARR_NDIM(path) > 1)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("wrong number of array subscripts"),
				 errdetail("A path is an array of one dimension.")));

	deconstruct_array(path, TEXTOID, -1, false, TYPALIGN_INT,
					  &elems, &nulls, &result.count);
	result.steps = palloc_array(PgBsonStep, Max(result.count, 1));
	for (int i = 0; i < result.count; i++)
	{
		if (nulls[i])
			result.has_null = true;
		else
			result.steps[i] = PgBsonStepFromText((text *) DatumGetPointer(elems[i]),
												 PGBSON_STEP_PATH);
	}
	return result;
}
