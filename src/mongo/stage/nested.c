/*
 * nested.c
 *	  Reading and writing at dotted paths, for stages of pipelines.
 *
 * See MutableDocument::getNestedField in src/mongo/db/exec/document_value/document.cpp
 * and visitAllValuesAtPath in src/mongo/db/pipeline/document_path_support.cpp of
 * MongoDB.
 */
#include "mongo/stage/nested.h"

#include "core/bytes/recode.h"
#include "core/find/path.h"
#include "core/write/write.h"

/* The most names in a path, as in MongoDB's aggregation */
#define MAX_NAMES	200

static const PgBsonValue nothing = {PGBSON_EOD, 0, NULL};

pg_noreturn static void
wrong_path(const char *path, uint32 len, const char *what, const char *detail)
{
	PgBsonReportInvalid(errmsg("invalid path in %s of a bson pipeline: \"%.200s\"", what, PgBsonNameInMessage(path, len)),
						errdetail_internal("%s", _(detail)));
}

PgBsonNames
PgBsonNestedSplit(const char *path, uint32 len, const char *what)
{
	PgBsonNames result = {1, NULL};

	if (len > 0 && memchr(path, '\0', len) != NULL)
		wrong_path(path, len, what, gettext_noop("It must not contain U+0000."));
	for (uint32 i = 0; i < len; i++)
		result.count += path[i] == '.';
	if (result.count > MAX_NAMES)
		wrong_path(path, len, what, gettext_noop("It has too many names."));
	result.names = PgBsonSplitDotted(path, len, &result.count);
	for (int i = 0; i < result.count; i++)
	{
		PgBsonStep *name = &result.names[i];

		name->kind = PGBSON_STEP_KEY;
		if (name->key_len == 0)
			wrong_path(path, len, what, gettext_noop("A name in it must not be empty."));
		if (name->key[0] == '$' && !PgBsonKeyIsReference(name->key, name->key_len))
			wrong_path(path, len, what, gettext_noop("A name in it must not begin with a dollar sign."));
	}
	return result;
}

PgBsonValue
PgBsonNestedGet(const PgBsonValue *doc, const PgBsonNames *path)
{
	PgBsonValue value;

	return PgBsonFind(*doc, path->names, path->count, &value) ? value : nothing;
}

/* Write the document with the value at the path; a "doc" of another type counts as an empty document */
static void
put_at(PgBsonWriter *w, const PgBsonValue *doc, const PgBsonStep *names, int nnames, const PgBsonValue *value)
{
	Size		start = PgBsonWriterOpen(w);
	PgBsonIter	iter;
	const PgBsonValue *there = &nothing;
	const uint8 *rest = NULL;

	check_stack_depth();
	if (doc->type == PGBSON_DOCUMENT)
	{
		rest = doc->data + 4;
		PgBsonIterInit(&iter, PgBsonValueView(doc));
		while (PgBsonIterNext(&iter))
		{
			CHECK_FOR_INTERRUPTS();
			if (iter.key_len != names[0].key_len || memcmp(iter.key, names[0].key, iter.key_len) != 0)
				continue;
			there = &iter.value;
			break;
		}
		PgBsonWriterBytes(w, rest, (there == &nothing ? PgBsonElementsEnd(doc) : iter.element) - rest);
		rest = there == &nothing ? NULL : iter.next;
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
	PgBsonValue there = PgBsonNestedGet(doc, path);
	PgBsonWriter w;

	if (value->type != PGBSON_EOD)
		PgBsonCheckDepth(value, path->count);
	/*
	 * the old value may be most of the document and the new one small, so room is reserved only for
	 * the rest
	 */
	PgBsonWriterInit(&w, (Size) doc->len - there.len + value->len + 64);
	put_at(&w, doc, path->names, path->count, value);
	return PgBsonWriterResult(&w, PGBSON_DOCUMENT);
}

typedef struct Visit
{
	void		(*found) (void *arg, const PgBsonValue *value);
	void	   *arg;
} Visit;

/* The element at the position that the name is, a number without leading zeroes; false if there is none */
static bool
enter_position(const PgBsonStep *name, PgBsonValue *at)
{
	uint32		position;

	if ((name->key_len > 1 && name->key[0] == '0') || !PgBsonKeyAsPosition(name->key, name->key_len, &position))
		return false;
	if (position > PG_INT32_MAX || !PgBsonFindIndex(PgBsonValueView(at), position, at))
		*at = nothing;
	return true;
}

/* Visit what the last name leads to: the elements of an array, or the value */
static void
visit_last(const Visit *visit, const PgBsonValue *value)
{
	if (value->type == PGBSON_ARRAY)
	{
		PgBsonForEach(iter, PgBsonValueView(value))
			visit->found(visit->arg, &iter.value);
	}
	else if (value->type != PGBSON_EOD)
		visit->found(visit->arg, value);
}

/* Follow the path's names from a document on */
static void
visit_from(const Visit *visit, const PgBsonValue *doc, const PgBsonStep *names, int nnames)
{
	PgBsonValue at;

	check_stack_depth();
	/* in the root document the first name is always a field, also if it is a number */
	if (!PgBsonFindKey(PgBsonValueView(doc), names[0].key, names[0].key_len, &at))
		return;
	names++;
	nnames--;
	while (nnames > 0 && at.type == PGBSON_ARRAY && enter_position(names, &at))
	{
		names++;
		nnames--;
	}
	if (nnames == 0)
		visit_last(visit, &at);
	else if (at.type == PGBSON_DOCUMENT)
		visit_from(visit, &at, names, nnames);
	else if (at.type == PGBSON_ARRAY)
	{
		PgBsonForEach(iter, PgBsonValueView(&at))
		{
			if (iter.value.type == PGBSON_DOCUMENT)
				visit_from(visit, &iter.value, names, nnames);
		}
	}
}

void
PgBsonNestedVisit(const PgBsonValue *doc, const PgBsonNames *path,
				  void (*found) (void *arg, const PgBsonValue *value), void *arg)
{
	Visit		visit = {found, arg};

	if (doc->type == PGBSON_DOCUMENT)
		visit_from(&visit, doc, path->names, path->count);
}
