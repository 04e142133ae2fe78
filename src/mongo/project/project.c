/*
 * project.c
 *	  A document as a projection shows it.
 *
 * The tree of paths (project_tree.h) is followed while the document is passed
 * over once.  See src/mongo/db/exec/projection_executor_utils.cpp of MongoDB.
 */
#include "mongo/project/project_tree.h"

/* Whether arrays are on the way to a value in the document */
typedef enum Within
{
	WITHIN_DOCUMENT,
	WITHIN_ARRAY,
	WITHIN_NESTED_ARRAY			/* in an array within an array: paths lead through it, but $slice does not apply */
} Within;

static void project_document(PgBsonProjectRun *run, PgBsonProjectNode *node, PgBsonView doc, Within within);

/* Write a slice of an array: the elements between two positions */
static void
slice(PgBsonWriter *w, const PgBsonValue *array, int64 from, int64 to)
{
	Size		start = PgBsonWriterOpen(w);
	uint32		kept = 0;
	PgBsonIter	iter = PgBsonIterBegin(PgBsonValueView(array));

	for (int64 i = 0; i < to && PgBsonIterNext(&iter); i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (i < from)
			continue;
		PgBsonWriterElement(w, kept++, &iter.value);
	}
	PgBsonWriterClose(w, start);
}

/* Apply find()'s $slice: a negative limit, or number to skip, counts from the end */
static void
slice_array(PgBsonWriter *w, const PgBsonProjectNode *node, const PgBsonValue *array)
{
	int64		skip = node->skips ? node->skip : 0;
	int64		limit = node->limit;
	int64		count;

	if (skip < 0 || limit < 0)
	{
		count = PgBsonViewCount(PgBsonValueView(array));
		if (limit < 0)
		{
			skip = Max(0, count + limit);
			limit = count - skip;
		}
		else
			skip = Max(0, count + skip);
	}
	slice(w, array, skip, skip + limit);
}

/* The position of the element of this array that the query found */
static uint32
found_position(const PgBsonProjectRun *run)
{
	if (!run->has_position)
		PgBsonReportInvalid(errmsg("the positional \"$\" of a bson projection has no element"),
							errdetail("The query found no element of an array in the document."));
	return run->position;
}

/* Raise an error unless that is the position of an element */
static void
check_position(bool shown)
{
	if (!shown)
		PgBsonReportInvalid(errmsg("the positional \"$\" of a bson projection has no element"),
							errdetail("The element that the query found is not among those of the field."));
}

/* Write the one element that the query found, as an array */
static void
write_position(PgBsonProjectRun *run, const PgBsonValue *array)
{
	uint32		position = found_position(run);
	Size		before = run->w.len;

	slice(&run->w, array, position, (int64) position + 1);
	check_position(run->w.len > before + PGBSON_MIN_SIZE);
}

/* Project an array on the way of paths: its documents and, unless fields are included, other elements */
static void
project_array(PgBsonProjectRun *run, PgBsonProjectNode *node, const PgBsonValue *array, Within within)
{
	bool		one = node->positional && within == WITHIN_DOCUMENT;
	uint32		position = one ? found_position(run) : 0;
	Size		start = PgBsonWriterOpen(&run->w);
	uint32		shown = 0;		/* elements that the projection does not leave out */
	uint32		kept = 0;

	check_stack_depth();
	PgBsonForEach(iter, PgBsonValueView(array))
	{
		if (!PgBsonIsContainer(iter.value.type) && run->projection->includes && !node->computes)
			continue;
		if (one && shown++ != position)
			continue;
		PgBsonWriterIndex(&run->w, iter.value.type, kept++);
		if (iter.value.type == PGBSON_DOCUMENT)
			project_document(run, node, PgBsonValueView(&iter.value), Max(within, WITHIN_ARRAY));
		else if (iter.value.type == PGBSON_ARRAY)
			project_array(run, node, &iter.value, WITHIN_NESTED_ARRAY);
		else
			PgBsonWriterValue(&run->w, &iter.value);
	}
	if (one)
		check_position(kept > 0);
	PgBsonWriterClose(&run->w, start);
}

void
PgBsonProjectElemMatch(PgBsonProjectRun *run, const PgBsonProjectNode *node, const char *key, uint32 len,
					   const PgBsonValue *value)
{
	uint32		position;

	if (value->type != PGBSON_ARRAY || !PgBsonPositionFind(node->condition, &run->doc, &position))
		return;
	PgBsonWriterKey(&run->w, PGBSON_ARRAY, key, len);
	slice(&run->w, value, position, (int64) position + 1);
}

/* Write a field that the projection names */
static void
project_field(PgBsonProjectRun *run, PgBsonProjectNode *node, const PgBsonIter *field, Within within)
{
	PgBsonWriter *w = &run->w;
	bool		is_array = field->value.type == PGBSON_ARRAY;

	if (node->kind == PGBSON_PROJECT_EXCLUDE || node->kind == PGBSON_PROJECT_COMPUTE)
		return;
	if (node->kind == PGBSON_PROJECT_ELEM_MATCH)
	{
		/* if fields are included, calculated ones come after them, in the second pass */
		if (!node->computes)
			PgBsonProjectElemMatch(run, node, field->key, field->key_len, &field->value);
		return;
	}
	/* where the second pass replaces a scalar by a document, the document takes the scalar's place */
	if (node->kind == PGBSON_PROJECT_PATH && run->projection->includes && !node->computes &&
		!PgBsonIsContainer(field->value.type))
		return;
	PgBsonWriterKey(w, field->value.type, field->key, field->key_len);
	if (node->kind == PGBSON_PROJECT_PATH && is_array)
		project_array(run, node, &field->value, within);
	else if (node->kind == PGBSON_PROJECT_PATH && field->value.type == PGBSON_DOCUMENT)
		project_document(run, node, PgBsonValueView(&field->value), within);
	else if (node->kind == PGBSON_PROJECT_SLICE && is_array && within != WITHIN_NESTED_ARRAY)
		slice_array(w, node, &field->value);
	else if (node->kind == PGBSON_PROJECT_POSITIONAL && is_array && within == WITHIN_DOCUMENT)
		write_position(run, &field->value);
	else
		PgBsonWriterValue(w, &field->value);
}

/* Write what the projection shows of a document */
static void
project_document(PgBsonProjectRun *run, PgBsonProjectNode *node, PgBsonView doc, Within within)
{
	bool		includes = run->projection->includes;
	PgBsonKeySet *names = &node->names;
	PgBsonIter	iter = PgBsonIterBegin(doc);
	Size		start = PgBsonWriterOpen(&run->w);

	check_stack_depth();
	PgBsonKeySetUnmark(names);
	while ((names->unseen > node->nhidden || !includes) && PgBsonIterNext(&iter))
	{
		PgBsonKeyEntry *entry = PgBsonKeySetFind(names, iter.key, iter.key_len);

		CHECK_FOR_INTERRUPTS();
		if (entry != NULL)
		{
			PgBsonProjectNode *child = list_nth(node->children, entry - names->entries);

			project_field(run, child, &iter, within);
			if (!child->hidden)
				PgBsonKeySetMark(names, entry);
		}
		else if (!includes)
			PgBsonWriterBytes(&run->w, iter.element, iter.next - iter.element);
	}
	PgBsonWriterClose(&run->w, start);
}

/* Write the projected document, in both passes */
static void
write_projected(PgBsonProjectRun *run)
{
	const PgBsonProjection *projection = run->projection;
	PgBsonView	base = PgBsonValueView(&run->doc);

	if (projection->position != NULL)
		run->has_position = PgBsonPositionFind(projection->position, &run->doc, &run->position);
	PgBsonWriterInit(&run->w, projection->includes ? 256 : run->doc.len);
	if (!projection->adds)
	{
		project_document(run, projection->root, base, WITHIN_DOCUMENT);
		if (!projection->root->computes)
			return;
		base.data = run->w.data;
		base.len = run->w.len;
		PgBsonWriterInit(&run->w, base.len + 256);
	}
	PgBsonProjectCompute(run, base);
}

bool
PgBsonProjectionIncludes(const PgBsonProjection *projection)
{
	return projection->includes;
}

PgBsonValue
PgBsonProjectValue(const PgBsonProjection *projection, const PgBsonValue *doc, const PgBsonValue *variables)
{
	PgBsonProjectRun run = {projection, *doc, variables};

	write_projected(&run);
	return PgBsonWriterResult(&run.w, PGBSON_DOCUMENT);
}

PgBson *
PgBsonProject(const PgBsonProjection *projection, PgBsonView doc)
{
	PgBsonProjectRun run = {projection, PgBsonRootOf(doc)};

	if (run.doc.type != PGBSON_DOCUMENT)
		PgBsonReportInvalid(errmsg("a bson projection is for documents"),
							errdetail("The value is of type %s.", PgBsonTypeName(run.doc.type)));
	write_projected(&run);
	return PgBsonEncloseLookalike(PgBsonWriterFinish(&run.w));
}
