/*
 * unwind.c
 *	  A document for each element of an array.
 *
 * See src/mongo/db/pipeline/document_source_unwind.cpp of MongoDB.
 */
#include "mongo/stage/unwind.h"

#include "mongo/common/options.h"
#include "mongo/expr/expr.h"

pg_noreturn static void
wrong_operand(const char *detail)
{
	PgBsonReportInvalid(errmsg("invalid operand of stage \"$unwind\" of a bson pipeline"),
						errdetail_internal("%s", _(detail)));
}

static void
parse_path(PgBsonUnwind *unwind, const PgBsonValue *value)
{
	uint32		len;
	const char *path;

	if (value->type != PGBSON_STRING)
		wrong_operand(gettext_noop("The path must be a string."));
	path = PgBsonValueString(value, &len);
	if (len == 0 || path[0] != '$')
		wrong_operand(gettext_noop("The path must begin with a dollar sign."));
	unwind->path = PgBsonNestedSplit(path + 1, len - 1, "\"path\" of stage \"$unwind\"");
}

PgBsonUnwind *
PgBsonUnwindParse(const PgBsonValue *operand)
{
	PgBsonUnwind *unwind = palloc0_object(PgBsonUnwind);
	PgBsonValue options[3] = {*operand};	/* path, preserveNullAndEmptyArrays, includeArrayIndex */
	PgBsonIter	unknown;
	uint32		len;
	const char *index;

	if (operand->type == PGBSON_DOCUMENT &&
		!PgBsonOptionsRead(operand, "path preserveNullAndEmptyArrays includeArrayIndex", options, &unknown))
		wrong_operand(gettext_noop("The fields are \"path\", \"preserveNullAndEmptyArrays\" and \"includeArrayIndex\"."));
	if (options[0].type == PGBSON_MISSING)
		wrong_operand(gettext_noop("It needs the field \"path\"."));
	parse_path(unwind, &options[0]);
	if (options[1].type != PGBSON_MISSING && options[1].type != PGBSON_BOOL)
		wrong_operand(gettext_noop("\"preserveNullAndEmptyArrays\" must be a boolean."));
	unwind->preserves = options[1].type == PGBSON_BOOL && options[1].data[0] != 0;
	unwind->with_index = options[2].type != PGBSON_MISSING;
	if (unwind->with_index)
	{
		if (options[2].type != PGBSON_STRING)
			wrong_operand(gettext_noop("\"includeArrayIndex\" must be a string."));
		index = PgBsonValueString(&options[2], &len);
		unwind->index = PgBsonNestedSplit(index, len, "\"includeArrayIndex\" of stage \"$unwind\"");
	}
	return unwind;
}

void
PgBsonUnwindBegin(PgBsonUnwinding *state, const PgBsonUnwind *unwind, const PgBsonValue *doc, const PgBsonValue *found)
{
	state->unwind = unwind;
	state->doc = *doc;
	state->found = *found;
	state->index = 0;
	state->done = false;
	if (state->found.type == PGBSON_ARRAY)
		PgBsonIterInit(&state->iter, PgBsonValueView(&state->found));
}

void
PgBsonUnwindKeep(PgBsonUnwinding *state)
{
	uint8	   *copy = palloc_extended(state->found.len + 1, MCXT_ALLOC_HUGE);

	if (state->found.len > 0)	/* a missing value has no bytes */
		memcpy(copy, state->found.data, state->found.len);
	state->found.data = copy;
	if (state->found.type == PGBSON_ARRAY)
		PgBsonIterInit(&state->iter, PgBsonValueView(&state->found));
}

static PgBsonValue
with_index(const PgBsonUnwinding *state, const PgBsonValue *doc, const PgBsonValue *index)
{
	if (!state->unwind->with_index)
		return *doc;
	return PgBsonNestedPut(doc, &state->unwind->index, index);
}

/* The one document for a value that is not an array, or is an empty one; false if the stage returns none */
static bool
only_document(PgBsonUnwinding *state, PgBsonValue *result)
{
	bool		is_array = state->found.type == PGBSON_ARRAY;

	state->done = true;
	if (!state->unwind->preserves && (is_array || PgBsonIsNothing(&state->found)))
		return false;
	*result = state->values ? state->found : state->doc;
	if (is_array)
		*result = PgBsonNestedPut(result, &state->unwind->path, &PgBsonMissing);
	*result = with_index(state, result, &PgBsonNull);
	return true;
}

bool
PgBsonUnwindNext(PgBsonUnwinding *state, PgBsonValue *result)
{
	PgBsonValue index;

	if (state->done)
		return false;
	if (state->found.type != PGBSON_ARRAY)
		return only_document(state, result);
	if (!PgBsonIterNext(&state->iter))
	{
		if (state->index == 0)
			return only_document(state, result);
		state->done = true;
		return false;
	}
	if (state->values)
	{
		state->index++;
		*result = state->iter.value;
		return true;
	}
	*result = PgBsonNestedPut(&state->doc, &state->unwind->path, &state->iter.value);
	index = PgBsonMakeInt64(state->index++);
	*result = with_index(state, result, &index);
	return true;
}
