/*
 * update_apply.c
 *	  A document changed by the tree of an update.
 *
 * The document is passed over once.  Each container that the tree leads into is
 * read once; the bytes of what does not change are copied as they are, in one
 * piece (PgBsonEdit, core/write/write.h).  Fields that are new follow those that
 * were there, in the order of the tree.
 *
 * The authority is MongoDB's src/mongo/db/update/update_object_node.cpp,
 * update_array_node.cpp and modifier_node.cpp.
 */

#include "core/bytes/sort.h"
#include "mongo/update/update_tree.h"

static void apply_value(PgBsonUpdateRun *run, const PgBsonUpdateNodes *nodes, const PgBsonIter *at,
						bool in_array, int depth);
static void create_value(PgBsonUpdateRun *run, PgBsonWriter *w, const PgBsonUpdateNodes *nodes,
						 const PgBsonUpdateChild *child, int64 index, int depth);

/* --- new values --- */

/* Write the type and key of a new value: its position in an array or, if negative, the child's name */
static void
begin_element(PgBsonWriter *w, PgBsonType type, const PgBsonUpdateChild *child, int64 index)
{
	if (index >= 0)
		PgBsonWriterIndex(w, type, (uint32) index);
	else
		PgBsonWriterKey(w, type, child->key, child->key_len);
}

static void
release_built(PgBsonUpdateRun *run)
{
	if (run->built.data != NULL)
		pfree(PgBsonWriterFinish(&run->built));
}

/* Write what an operator makes if there is no value; $unset and the like write nothing */
static void
create_leaf(PgBsonUpdateRun *run, PgBsonWriter *w, const PgBsonUpdateOp *op,
			const PgBsonUpdateChild *child, int64 index, int depth)
{
	PgBsonValue new;

	if (!op->operator->change(run, op, NULL, &new) || new.type == PGBSON_EOD)
		return;
	PgBsonCheckDepth(&new, depth);
	begin_element(w, new.type, child, index);
	PgBsonWriterValue(w, &new);
	release_built(run);
}

/* Write the new fields where the edit inserts them, at "end"; NULL: where the writer stands */
static void
create_fields(PgBsonUpdateRun *run, PgBsonWriter *w, const uint8 *end, const PgBsonUpdateChildren *c, int depth)
{
	for (int i = 0; i < c->count;)
	{
		PgBsonUpdateGroup g;

		CHECK_FOR_INTERRUPTS();
		PgBsonUpdateGroupOf(c, i, &g);
		if (!c->met[i] && PgBsonUpdateNodesCreate(run, &g.nodes))
			create_value(run, end != NULL ? PgBsonEditKeep(&run->edit, end) : w,
						 &g.nodes, &c->list[i], -1, depth);
		i = g.end;
		PgBsonUpdateReleaseGroup(&g);
	}
}

/* Write what the child adds, by its name or at "index" of an array, inside of "depth" containers */
static void
create_value(PgBsonUpdateRun *run, PgBsonWriter *w, const PgBsonUpdateNodes *nodes,
			 const PgBsonUpdateChild *child, int64 index, int depth)
{
	PgBsonUpdateNodeKind kind = PgBsonUpdateKindOf(nodes);
	PgBsonUpdateChildren c;
	Size		start;

	check_stack_depth();
	if (kind == PGBSON_UPDATE_LEAF)
	{
		create_leaf(run, w, nodes->list[0]->op, child, index, depth);
		return;
	}
	if (kind == PGBSON_UPDATE_ELEMENTS)
	{
		const PgBsonUpdateOp *op = PgBsonUpdateSomeOp(nodes->list[0]);

		PgBsonReportInvalid(errmsg("a bson update finds no array for \"%s\"",
								   PgBsonNameInMessage(op->path, op->path_len)),
							errdetail("The array before \"$[]\" must be in the document."));
	}
	if (depth >= PGBSON_MAX_DEPTH)
		PgBsonReportTooDeep();
	begin_element(w, PGBSON_DOCUMENT, child, index);
	start = PgBsonWriterOpen(w);
	PgBsonUpdateGather(run, nodes, &c);
	create_fields(run, w, NULL, &c, depth + 1);
	PgBsonUpdateReleaseChildren(&c);
	PgBsonWriterClose(w, start);
}

/* --- values that are there --- */

/* Apply the operator of a leaf to the element "at" */
static void
change_element(PgBsonUpdateRun *run, const PgBsonUpdateOp *op, const PgBsonIter *at,
			   bool in_array, int depth)
{
	PgBsonValue new;
	PgBsonWriter *w;

	if (!op->operator->change(run, op, &at->value, &new))
		return;
	/* an element that is removed becomes null, so that the elements after it keep their positions */
	if (new.type == PGBSON_EOD && in_array)
		new = PgBsonNull;
	if (new.type == PGBSON_EOD)
	{
		PgBsonEditKeep(&run->edit, at->element);
		PgBsonEditSkip(&run->edit, at->next);
	}
	else if (!PgBsonSameBytes(&new, &at->value))
	{
		PgBsonCheckDepth(&new, depth);
		w = PgBsonEditKeep(&run->edit, at->element);
		PgBsonWriterField(w, at->key, at->key_len, &new);
		PgBsonEditSkip(&run->edit, at->next);
	}
	release_built(run);
}

/* Has the edit changed anything after this place of the document? */
static bool
has_changed(const PgBsonUpdateRun *run, const uint8 *place)
{
	return run->edit.resume > place;
}

/* Raise an error if the _id was changed */
static void
check_same_id(const PgBsonUpdateRun *run, const PgBsonIter *at, const PgBsonUpdateNodes *nodes)
{
	const PgBsonUpdateOp *op;

	/* $rename to a field of this path is refused even if it brings an equal value (modifier_node.cpp) */
	if (!has_changed(run, at->element) && !PgBsonUpdateRenames(run, nodes->list[0]))
		return;
	op = PgBsonUpdateSomeOp(nodes->list[0]);
	PgBsonReportInvalid(errmsg("a bson update cannot change \"_id\""),
						errdetail("\"%s\" of \"%s\" would change it.",
								   op->operator->name, PgBsonNameInMessage(op->path, op->path_len)));
}

/* Apply the children to a document's fields, by name */
static void
apply_fields(PgBsonUpdateRun *run, const PgBsonUpdateNodes *nodes, const PgBsonValue *document, int depth)
{
	PgBsonUpdateChildren c;
	PgBsonIter	iter = PgBsonIterBegin(PgBsonValueView(document));
	int			left;
	bool		creates = PgBsonUpdateNodesCreate(run, nodes);

	PgBsonUpdateGather(run, nodes, &c);
	left = c.count;
	while (left > 0 && PgBsonIterNext(&iter))
	{
		int			first = PgBsonUpdateFindChild(&c, iter.key, iter.key_len);
		PgBsonUpdateGroup g;

		CHECK_FOR_INTERRUPTS();
		/* of several fields with one name the first one counts */
		if (first < 0 || c.met[first])
			continue;
		PgBsonUpdateGroupOf(&c, first, &g);
		for (int i = first; i < g.end; i++)
			c.met[i] = true;
		left -= g.nodes.count;
		apply_value(run, &g.nodes, &iter, false, depth);
		if (depth == 1 && PgBsonIterIs(&iter, "_id"))
			check_same_id(run, &iter, &g.nodes);
		PgBsonUpdateReleaseGroup(&g);
	}
	if (left > 0 && creates)
		create_fields(run, NULL, PgBsonElementsEnd(document), &c, depth);
	PgBsonUpdateReleaseChildren(&c);
}

/* A child that applies to an element of an array, with the position */
typedef struct ElementChild
{
	uint32		index;
	int			child;
} ElementChild;

static int
compare_places(const void *a, const void *b)
{
	const ElementChild *x = (const ElementChild *) a;
	const ElementChild *y = (const ElementChild *) b;

	return x->index != y->index ? (x->index < y->index ? -1 : 1) : x->child - y->child;
}

/* The positions that the children's names are; another name cannot be followed into an array */
static ElementChild *
find_positions(const PgBsonUpdateRun *run, const PgBsonUpdateChildren *c, const PgBsonValue *array, int *count)
{
	ElementChild *places = palloc_array(ElementChild, c->count);

	*count = 0;
	for (int i = 0; i < c->count; i++)
	{
		const PgBsonUpdateChild *child = &c->list[i];
		PgBsonUpdateNodes nodes = {&child->node, 1};

		if (PgBsonUpdateRenames(run, child->node))
		{
			const PgBsonUpdateOp *op = PgBsonUpdateSomeOp(child->node);

			PgBsonUpdateWrongPlace(op, array->type, gettext_noop("\"$rename\" puts no value into an array."));
		}
		if (!PgBsonKeyAsPosition(child->key, child->key_len, &places[*count].index))
		{
			PgBsonUpdateCheckBlocked(run, &nodes, array);
			continue;
		}
		places[(*count)++].child = i;
	}
	PgBsonSort(places, *count, sizeof(ElementChild), compare_places);
	return places;
}

/* Collect the nodes for one position; *next becomes the first child after them */
static void
nodes_of_place(const PgBsonUpdateChildren *c, const ElementChild *places, int count, int *next,
			   PgBsonUpdateNodes *nodes)
{
	uint32		index = places[*next].index;
	PgBsonUpdateNode **list = palloc_array(PgBsonUpdateNode *, count - *next);

	nodes->count = 0;
	nodes->list = list;
	for (; *next < count && places[*next].index == index; (*next)++)
		list[nodes->count++] = c->list[places[*next].child].node;
}

/* Append elements behind the end of the array, after nulls for positions that no node sets */
static void
append_elements(PgBsonUpdateRun *run, const PgBsonUpdateChildren *c, const PgBsonValue *array,
				const ElementChild *places, int nplaces, int next, uint32 size, int depth)
{
	while (next < nplaces)
	{
		uint32		index = places[next].index;
		PgBsonUpdateNodes nodes;
		PgBsonWriter *w;

		CHECK_FOR_INTERRUPTS();
		nodes_of_place(c, places, nplaces, &next, &nodes);
		if (PgBsonUpdateNodesCreate(run, &nodes))
		{
			const PgBsonUpdateOp *op = PgBsonUpdateSomeOp(nodes.list[0]);

			if (index - size > PGBSON_UPDATE_MAX_PADDING)
				PgBsonReportInvalid(errmsg("invalid path in a bson update: \"%s\"",
										   PgBsonNameInMessage(op->path, op->path_len)),
									errdetail("A position in an array must be at most %d after its end.",
											   PGBSON_UPDATE_MAX_PADDING));
			w = PgBsonEditKeep(&run->edit, PgBsonElementsEnd(array));
			for (; size < index; size++)
				PgBsonWriterIndex(w, PGBSON_NULL, size);
			create_value(run, w, &nodes, NULL, index, depth);
			size = index + 1;
		}
		pfree((void *) nodes.list);
	}
}

/* Apply the children to elements of an array, by position */
static void
apply_positions(PgBsonUpdateRun *run, const PgBsonUpdateNodes *nodes, const PgBsonValue *array, int depth)
{
	PgBsonUpdateChildren c;
	ElementChild *places;
	int			nplaces;
	int			next = 0;
	uint32		i = 0;
	PgBsonIter	iter = PgBsonIterBegin(PgBsonValueView(array));

	PgBsonUpdateGather(run, nodes, &c);
	places = find_positions(run, &c, array, &nplaces);
	for (; next < nplaces && PgBsonIterNext(&iter); i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (places[next].index == i)
		{
			PgBsonUpdateNodes one;

			nodes_of_place(&c, places, nplaces, &next, &one);
			apply_value(run, &one, &iter, true, depth);
			pfree((void *) one.list);
		}
	}
	append_elements(run, &c, array, places, nplaces, next, i, depth);
	pfree(places);
	PgBsonUpdateReleaseChildren(&c);
}

/* Does the element satisfy the child's filter? */
static bool
meets_filter(const PgBsonUpdateChild *child, const PgBsonValue *element)
{
	PgBsonValue document;
	bool		meets;

	if (child->node->filter == NULL)
		return true;
	document = PgBsonMakePair(child->key, child->key_len, element);
	meets = PgBsonQueryMatches(child->node->filter, &document);
	pfree(unconstify(uint8 *, document.data));
	return meets;
}

/* Apply $[] and $[name] to elements of an array */
static void
apply_elements(PgBsonUpdateRun *run, const PgBsonUpdateNodes *nodes, const PgBsonValue *array, int depth)
{
	PgBsonUpdateNode **met;
	int			nchildren = 0;

	if (array->type != PGBSON_ARRAY)
		PgBsonUpdateWrongPlace(PgBsonUpdateSomeOp(nodes->list[0]), array->type,
								gettext_noop("An array is expected before \"$[]\"."));
	for (int i = 0; i < nodes->count; i++)
		nchildren += nodes->list[i]->nchildren;
	met = palloc_array(PgBsonUpdateNode *, nchildren);
	PgBsonForEach(iter, PgBsonValueView(array))
	{
		PgBsonUpdateNodes here = {met, 0};

		for (int i = 0; i < nodes->count; i++)
		{
			for (int j = 0; j < nodes->list[i]->nchildren; j++)
			{
				const PgBsonUpdateChild *child = &nodes->list[i]->children[j];

				if (meets_filter(child, &iter.value))
					met[here.count++] = child->node;
			}
		}
		if (here.count > 0)
			apply_value(run, &here, &iter, true, depth);
	}
	pfree(met);
}

/* Apply the nodes to the value of the element "at"; "depth" containers are around it */
static void
apply_value(PgBsonUpdateRun *run, const PgBsonUpdateNodes *nodes, const PgBsonIter *at, bool in_array, int depth)
{
	PgBsonUpdateNodeKind kind = PgBsonUpdateKindOf(nodes);
	Size		position;

	check_stack_depth();
	if (kind == PGBSON_UPDATE_LEAF)
	{
		change_element(run, nodes->list[0]->op, at, in_array, depth);
		return;
	}
	if (kind == PGBSON_UPDATE_FIELDS && !PgBsonIsContainer(at->value.type))
	{
		PgBsonUpdateCheckBlocked(run, nodes, &at->value);
		return;
	}

	position = PgBsonEditPosition(&run->edit, at->value.data);
	if (kind == PGBSON_UPDATE_ELEMENTS)
		apply_elements(run, nodes, &at->value, depth + 1);
	else if (at->value.type == PGBSON_ARRAY)
		apply_positions(run, nodes, &at->value, depth + 1);
	else
		apply_fields(run, nodes, &at->value, depth + 1);
	if (has_changed(run, at->value.data))
		PgBsonEditSetLength(&run->edit, position, at->value.data + at->value.len);
}

/* --- all of it --- */

PgBson *
PgBsonUpdateApplyTree(PgBsonUpdateRun *run, PgBsonView doc)
{
	PgBsonUpdateNode *tree = run->update->root;
	PgBsonValue root = {PGBSON_DOCUMENT, doc.len, doc.data};
	PgBsonUpdateNodes nodes = {&tree, 1};

	if (run->update->nrenames > 0)
		PgBsonUpdateFindSources(run, &root);
	PgBsonEditBegin(&run->edit, doc, 64);
	apply_fields(run, &nodes, &root, 1);
	if (has_changed(run, doc.data))
		PgBsonEditSetLength(&run->edit, 0, doc.data + doc.len);
	return PgBsonEditFinish(&run->edit);
}
