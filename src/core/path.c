/*
 * path.c
 *	  Finding a value by key, index or path.
 *
 * A step of a text[] path selects a field of a document, or, in an array, the
 * element its digits name; nothing else is special: dots and dollars in keys
 * mean nothing.
 */
#include "core/path.h"

#include "common/string.h"

bool
PgBsonFindKey(PgBsonView doc, const char *key, uint32 key_len, PgBsonValue *result)
{
	PgBsonIter	iter;

	PgBsonIterInit(&iter, doc);
	while (PgBsonIterNext(&iter))
	{
		if (iter.key_len == key_len && memcmp(iter.key, key, key_len) == 0)
		{
			*result = iter.value;
			return true;
		}
	}
	return false;
}

bool
PgBsonFindIndex(PgBsonView array, int32 index, PgBsonValue *result)
{
	PgBsonIter	iter;
	uint32		n = index;

	if (index < 0)
	{
		uint32		count = PgBsonViewCount(array);

		/* widened, as INT_MIN has no negative */
		if (-(int64) index > (int64) count)
			return false;
		n = count + index;
	}

	PgBsonIterInit(&iter, array);
	while (PgBsonIterNext(&iter))
	{
		if (n-- == 0)
		{
			*result = iter.value;
			return true;
		}
	}
	return false;
}

bool
PgBsonStepAsIndex(const char *key, uint32 key_len, int32 *index)
{
	char		buf[32];
	char	   *end;

	/* no int needs so many characters, save one padded with blanks or zeroes */
	if (key_len == 0 || key_len >= sizeof(buf))
		return false;
	memcpy(buf, key, key_len);
	buf[key_len] = '\0';

	errno = 0;
	*index = strtoint(buf, &end, 10);
	return end != buf && *end == '\0' && errno == 0;
}

bool
PgBsonFind(PgBsonValue from, const PgBsonStep *steps, int nsteps, PgBsonValue *result)
{
	for (int i = 0; i < nsteps; i++)
	{
		const PgBsonStep *step = &steps[i];
		PgBsonView	view = PgBsonValueView(&from);
		int32		index = step->index;

		if (from.type == PGBSON_DOCUMENT && step->kind != PGBSON_STEP_INDEX)
		{
			if (!PgBsonFindKey(view, step->key, step->key_len, &from))
				return false;
		}
		else if (from.type == PGBSON_ARRAY && step->kind != PGBSON_STEP_KEY)
		{
			if (step->kind == PGBSON_STEP_PATH &&
				!PgBsonStepAsIndex(step->key, step->key_len, &index))
				return false;
			if (!PgBsonFindIndex(view, index, &from))
				return false;
		}
		else
			return false;
	}
	*result = from;
	return true;
}
