/*
 * nested.c
 *	  Reading and writing at dotted paths, for stages of pipelines.
 *
 * See MutableDocument::getNestedField in src/mongo/db/exec/document_value/document.cpp
 * and visitAllValuesAtPath in src/mongo/db/pipeline/document_path_support.cpp of
 * MongoDB.
 */
#include "mongo/stage/nested.h"

#include "core/bytes/memory.h"
#include "core/bytes/recode.h"
#include "mongo/common/match_path.h"

PgBsonNames
PgBsonNestedSplit(const char *path, uint32 len, const char *what)
{
	PgBsonNames result;
	const char *problem;

	result.names = PgBsonSplitDotted(path, len, &result.count);
	problem = PgBsonPathProblem(result.names, result.count);
	if (problem != NULL)
		PgBsonReportInvalid(errmsg("invalid path in %s of a bson pipeline: \"%.200s\"", what,
								   PgBsonNameInMessage(path, len)),
							errdetail_internal("%s", _(problem)));
	for (int i = 0; i < result.count; i++)
		result.names[i].kind = PGBSON_STEP_KEY;
	return result;
}

PgBsonValue
PgBsonNestedGet(const PgBsonValue *doc, const PgBsonNames *path)
{
	PgBsonValue value;

	return PgBsonFind(*doc, path->names, path->count, &value) ? value : PgBsonMissing;
}

/* Write the document with the value at the path; a "doc" of another type counts as an empty document */
static void
put_at(PgBsonWriter *w, const PgBsonValue *doc, const PgBsonStep *names, int nnames, const PgBsonValue *value)
{
	Size		start = PgBsonWriterOpen(w);
	PgBsonIter	iter;
	const PgBsonValue *there = &PgBsonMissing;
	const uint8 *rest = NULL;

	check_stack_depth();
	if (doc->type == PGBSON_DOCUMENT)
	{
		rest = doc->data + 4;
		PgBsonIterInit(&iter, PgBsonValueView(doc));
		while (PgBsonIterNext(&iter))
		{
			CHECK_FOR_INTERRUPTS();
			if (!PgBsonSameKey(iter.key, iter.key_len, names[0].key, names[0].key_len))
				continue;
			there = &iter.value;
			break;
		}
		PgBsonWriterBytes(w, rest, (there == &PgBsonMissing ? PgBsonElementsEnd(doc) : iter.element) - rest);
		rest = there == &PgBsonMissing ? NULL : iter.next;
	}
	if (nnames > 1)
	{
		PgBsonWriterKey(w, PGBSON_DOCUMENT, names[0].key, names[0].key_len);
		put_at(w, there, names + 1, nnames - 1, value);
	}
	else if (value->type != PGBSON_EOD)
		PgBsonWriterField(w, names[0].key, names[0].key_len, value);
	if (rest != NULL)
		PgBsonWriterBytes(w, rest, PgBsonElementsEnd(doc) - rest);
	PgBsonWriterClose(w, start);
}

PgBsonValue
PgBsonNestedPut(const PgBsonValue *doc, const PgBsonNames *path, const PgBsonValue *value)
{
	PgBsonValue there = PgBsonMissing;
	PgBsonWriter w;

	if (value->type != PGBSON_EOD)
		PgBsonCheckDepth(value, path->count);
	/* no room is reserved for the old value, which may be most of a large document */
	if (doc->len > 1024)
		there = PgBsonNestedGet(doc, path);
	PgBsonWriterInit(&w, (Size) doc->len - there.len + value->len + 64);
	put_at(&w, doc, path->names, path->count, value);
	return PgBsonWriterResult(&w, PGBSON_DOCUMENT);
}

static void
append_nested(PgBsonValue **values, int *count, const PgBsonValue *value)
{
	*values = PgBsonRoomForOne(*values, *count, sizeof(PgBsonValue));
	(*values)[(*count)++] = *value;
}

/* The element at the position that the name is, a number without leading zeroes; false if there is none */
static bool
enter_position(const PgBsonStep *name, PgBsonValue *at)
{
	uint32		position;

	if ((name->key_len > 1 && name->key[0] == '0') || !PgBsonKeyAsPosition(name->key, name->key_len, &position))
		return false;
	if (position > PG_INT32_MAX || !PgBsonFindIndex(PgBsonValueView(at), position, at))
		*at = PgBsonMissing;
	return true;
}

void
PgBsonNestedCollect(const PgBsonValue *doc, const PgBsonNames *path, PgBsonValue **values, int *count)
{
	PgBsonNames rest = {path->count - 1, path->names + 1};
	PgBsonValue at;

	check_stack_depth();
	/* in the root document the first name is always a field, also if it is a number */
	if (doc->type != PGBSON_DOCUMENT || !PgBsonFindKey(PgBsonValueView(doc), path->names[0].key,
													   path->names[0].key_len, &at))
		return;
	for (; rest.count > 0 && at.type == PGBSON_ARRAY && enter_position(rest.names, &at); rest.count--)
		rest.names++;
	if (at.type == PGBSON_ARRAY)
	{
		PgBsonForEach(iter, PgBsonValueView(&at))
		{
			if (rest.count > 0)
				PgBsonNestedCollect(&iter.value, &rest, values, count);
			else
				append_nested(values, count, &iter.value);
		}
	}
	else if (rest.count > 0)
		PgBsonNestedCollect(&at, &rest, values, count);
	else if (at.type != PGBSON_EOD)
		append_nested(values, count, &at);
}

void
PgBsonOpenDocument(PgBsonReader *reader, Datum datum)
{
	(void) PgBsonOpenWhole(reader, datum);
	if (reader->root.type != PGBSON_DOCUMENT)
		PgBsonReportInvalid(errmsg("a bson pipeline is for documents"),
							errdetail("The value is of type %s.", PgBsonTypeName(reader->root.type)));
}
