/*
 * project_compute.c
 *	  What a projection calculates, put into a document.
 *
 * A path leads through arrays into each of their documents, and the same value is put into all of
 * them.  A value on the way that is neither a document nor an array is replaced by a document; so
 * are elements of arrays.  The authority is MongoDB's src/mongo/db/exec/projection_node.cpp
 * (ProjectionNode::applyExpressions).
 */
#include "mongo/project/project_tree.h"

static void compute_document(PgBsonProjectRun *run, const PgBsonProjectNode *node, PgBsonView base, int depth);

/* The value of an expression, which is evaluated once for all places that get it */
static const PgBsonValue *
evaluate_computed(PgBsonProjectRun *run, const PgBsonProjectNode *node)
{
	PgBsonValue *value = &run->computed[node->number];

	if (!run->is_computed[node->number])
	{
		*value = PgBsonExpressionEvaluate(node->expression, &run->doc, run->variables, NULL);
		run->is_computed[node->number] = true;
	}
	return value;
}

/* Write a calculated field, unless its value is missing */
static void
write_computed(PgBsonProjectRun *run, const PgBsonProjectNode *node, const char *key, uint32 len, int depth)
{
	const PgBsonValue *value = evaluate_computed(run, node);

	if (value->type == PGBSON_MISSING)
		return;
	PgBsonCheckDepth(value, depth);
	/* it may be put into each element of an array */
	run->written += value->len;
	if (run->written > PgBsonMostBytes())
		PgBsonReportMadeTooLarge("");
	PgBsonWriterField(&run->w, key, len, value);
}

/* A value on the way becomes a document unless it is an array; "depth" containers are around it */
static PgBsonType
type_on_way(const PgBsonValue *value, int depth)
{
	if (depth >= PGBSON_MAX_DEPTH)
		PgBsonReportTooDeep();
	return value != NULL && value->type == PGBSON_ARRAY ? PGBSON_ARRAY : PGBSON_DOCUMENT;
}

/* Write a value on the way, with what is put below it; NULL and scalars count as an empty document */
static void
compute_value(PgBsonProjectRun *run, const PgBsonProjectNode *node, const PgBsonValue *value, int depth)
{
	Size		start;
	uint32		count = 0;

	check_stack_depth();
	if (value == NULL || value->type != PGBSON_ARRAY)
	{
		compute_document(run, node, value == NULL || value->type != PGBSON_DOCUMENT ? PgBsonEmpty
						 : PgBsonValueView(value), depth);
		return;
	}
	start = PgBsonWriterOpen(&run->w);
	PgBsonForEach(iter, PgBsonValueView(value))
	{
		PgBsonWriterIndex(&run->w, type_on_way(&iter.value, depth + 1), count++);
		compute_value(run, node, &iter.value, depth + 1);
	}
	PgBsonWriterClose(&run->w, start);
}

/* Write a field that the projection names; "value" is the document's value for it, NULL if there is none */
static void
compute_field(PgBsonProjectRun *run, const PgBsonProjectNode *node, const char *key, uint32 len,
			  const PgBsonValue *value, int depth)
{
	PgBsonValue whole;

	if (node->kind == PGBSON_PROJECT_COMPUTE)
		write_computed(run, node, key, len, depth);
	else if (node->kind == PGBSON_PROJECT_ELEM_MATCH)
	{
		/* the first pass left this field out */
		if (PgBsonFindKey(PgBsonValueView(&run->doc), key, len, &whole))
			PgBsonProjectElemMatch(run, node, key, len, &whole);
	}
	else
	{
		PgBsonWriterKey(&run->w, type_on_way(value, depth), key, len);
		compute_value(run, node, value, depth + 1);
	}
}

/* Write the document's fields in their places, then new ones; "depth" counts this document, too */
static void
compute_document(PgBsonProjectRun *run, const PgBsonProjectNode *node, PgBsonView base, int depth)
{
	PgBsonKeySet *names = unconstify(PgBsonKeySet *, &node->names);
	Size		start = PgBsonWriterOpen(&run->w);

	check_stack_depth();
	/* a node does not occur below itself, so the marks on its names serve one document at a time */
	PgBsonKeySetUnmark(names);
	PgBsonForEach(iter, base)
	{
		PgBsonKeyEntry *entry = PgBsonKeySetFind(names, iter.key, iter.key_len);
		PgBsonProjectNode *child = entry == NULL ? NULL : list_nth(node->children, entry - names->entries);

		if (child == NULL || PgBsonKeySetSeen(names, entry) || !child->computes)
			PgBsonWriterBytes(&run->w, iter.element, iter.next - iter.element);
		else
			compute_field(run, child, iter.key, iter.key_len, &iter.value, depth);
		if (child != NULL)
			PgBsonKeySetMark(names, entry);
	}
	for (int i = 0; i < names->count; i++)
	{
		const PgBsonProjectNode *child = list_nth(node->children, i);

		CHECK_FOR_INTERRUPTS();
		if (!PgBsonKeySetSeen(names, &names->entries[i]) && child->computes)
			compute_field(run, child, names->entries[i].key, names->entries[i].key_len, NULL, depth);
	}
	PgBsonWriterClose(&run->w, start);
}

void
PgBsonProjectCompute(PgBsonProjectRun *run, PgBsonView base)
{
	int			count = Max(run->projection->nexpressions, 1);

	run->computed = palloc_extended(count * sizeof(PgBsonValue), MCXT_ALLOC_HUGE);
	run->is_computed = palloc_extended(count * sizeof(bool), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	compute_document(run, run->projection->root, base, 1);
}
