/*
 * unwind.c
 *	  A document for each element of an array.
 *
 * See src/mongo/db/pipeline/document_source_unwind.cpp of MongoDB.
 */
#include "mongo/stage/nested.h"

#include "mongo/common/options.h"

PgBsonUnwind *
PgBsonUnwindParse(const PgBsonValue *operand)
{
	PgBsonUnwind *unwind = palloc0_object(PgBsonUnwind);
	PgBsonValue path = *operand;
	PgBsonValue preserves = PgBsonMissing;
	PgBsonValue index = PgBsonMissing;
	uint32		len;
	const char *s;

	if (operand->type == PGBSON_DOCUMENT)
		PgBsonStageOptions("$unwind", operand, "path:s! preserveNullAndEmptyArrays:b includeArrayIndex:s", &path,
						   &preserves, &index);
	if (path.type != PGBSON_STRING)
		PgBsonStageWrong("$unwind", gettext_noop("A path, or a document with the field \"path\", is expected."));
	s = PgBsonValueString(&path, &len);
	if (len == 0 || s[0] != '$')
		PgBsonStageWrong("$unwind", gettext_noop("The path must begin with a dollar sign."));
	unwind->path = PgBsonNestedSplit(s + 1, len - 1, "\"path\" of stage \"$unwind\"");
	unwind->preserves = preserves.type == PGBSON_BOOL && preserves.data[0] != 0;
	unwind->with_index = index.type != PGBSON_MISSING;
	if (unwind->with_index)
	{
		s = PgBsonValueString(&index, &len);
		unwind->index = PgBsonNestedSplit(s, len, "\"includeArrayIndex\" of stage \"$unwind\"");
	}
	return unwind;
}

void
PgBsonUnwindBegin(PgBsonUnwinding *state, const PgBsonUnwind *unwind, const PgBsonValue *doc, const PgBsonValue *found)
{
	state->unwind = unwind;
	state->doc = PgBsonCopyFresh(doc);
	state->found = PgBsonCopyFresh(found);
	state->index = 0;
	state->done = false;
	if (state->found.type == PGBSON_ARRAY)
		PgBsonIterInit(&state->iter, PgBsonValueView(&state->found));
}

static PgBsonValue
with_index(const PgBsonUnwinding *state, const PgBsonValue *doc, const PgBsonValue *index)
{
	return state->unwind->with_index ? PgBsonNestedPut(doc, &state->unwind->index, index) : *doc;
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
