/*
 * update_apply.c
 *	  A document changed by the tree of an update.
 *
 * One walk over the document.  Each container that the tree leads into is
 * read once; the bytes of what does not change are copied as they are, in one
 * piece (PgBsonEdit, core/write.h).  Fields that are new follow those that
 * were there, in the order of the tree.
 *
 * Array filters and "$" can lead to one value by several nodes.  They are
 * then applied together, as the node that MongoDB merges them to.
 */
#include "mongo/update_tree.h"

#include "core/build.h"
#include "core/compare.h"
#include "core/sort.h"
#include "core/value.h"
#include "miscadmin.h"

/* Several nodes that apply to one value; of one, mostly */
typedef struct Nodes
{
	PgBsonUpdateNode *const *list;
	int			count;
} Nodes;

/* The children of all of them, sorted by name; equal names are neighbours if there are several nodes */
typedef struct Children
{
	const PgBsonUpdateChild *list;
	int			count;
	bool		owned;			/* the list was made for this */
	bool	   *met;			/* of each: its value was there */
	bool		few[64];		/* what "met" is of most */
} Children;

/* The nodes of the children first..end-1, which have one name */
typedef struct Group
{
	int			first;
	int			end;
	Nodes		nodes;
	PgBsonUpdateNode *few[8];
} Group;

static void apply_value(PgBsonUpdateRun *run, const Nodes *nodes, const PgBsonIter *at,
						bool in_array, int depth);
static void create_value(PgBsonUpdateRun *run, PgBsonWriter *w, const Nodes *nodes,
						 const PgBsonUpdateChild *child, int64 index, int depth);

/* --- nodes and children --- */

static const PgBsonUpdateOp *
some_op(const PgBsonUpdateNode *node)
{
	while (node->kind != PGBSON_UPDATE_LEAF)
		node = node->positional != NULL ? node->positional : node->children[0].node;
	return node->op;
}

static int
compare_children(const void *a, const void *b)
{
	const PgBsonUpdateChild *x = (const PgBsonUpdateChild *) a;
	const PgBsonUpdateChild *y = (const PgBsonUpdateChild *) b;

	return PgBsonUpdateCompareKeys(x->key, x->key_len, y->key, y->key_len);
}

/* The kind of nodes that are applied together */
static PgBsonUpdateNodeKind
kind_of(const Nodes *nodes)
{
	for (int i = 1; i < nodes->count; i++)
	{
		if (nodes->list[i]->kind != nodes->list[0]->kind ||
			nodes->list[i]->kind == PGBSON_UPDATE_LEAF)
		{
			const PgBsonUpdateOp *op = some_op(nodes->list[i]);

			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("a bson update changes a value twice"),
					 errdetail("Two paths lead to it, \"%s\" among them.", PgBsonUpdateName(op->path, op->path_len))));
		}
	}
	return nodes->list[0]->kind;
}

static void
gather_children(const PgBsonUpdateRun *run, const Nodes *nodes, Children *c)
{
	PgBsonUpdateChild *list;

	c->owned = nodes->count > 1 || nodes->list[0]->positional != NULL;
	c->list = nodes->list[0]->children;
	c->count = 0;
	for (int i = 0; i < nodes->count; i++)
		c->count += nodes->list[i]->nchildren + (nodes->list[i]->positional != NULL ? 1 : 0);
	if (c->owned)
	{
		c->list = list = palloc_array(PgBsonUpdateChild, c->count);
		for (int i = 0; i < nodes->count; i++)
		{
			const PgBsonUpdateNode *node = nodes->list[i];

			if (node->nchildren > 0)
				memcpy(list, node->children, sizeof(PgBsonUpdateChild) * node->nchildren);
			list += node->nchildren;
			if (node->positional != NULL)
			{
				list->key = run->position;
				list->key_len = run->position_len;
				list->node = node->positional;
				list++;
			}
		}
		PgBsonSort(unconstify(PgBsonUpdateChild *, c->list), c->count, sizeof(PgBsonUpdateChild),
				   compare_children);
	}
	c->met = c->few;
	if (c->count > lengthof(c->few))
		c->met = palloc_array(bool, c->count);
	memset(c->met, 0, c->count);
}

static void
release_children(Children *c)
{
	if (c->owned)
		pfree(unconstify(PgBsonUpdateChild *, c->list));
	if (c->met != c->few)
		pfree(c->met);
}

/* The first child of this name, or -1 */
static int
find_child(const Children *c, const char *key, uint32 key_len)
{
	int			low = 0;
	int			high = c->count;

	if (c->count <= 4)
	{
		for (int i = 0; i < c->count; i++)
		{
			if (c->list[i].key_len == key_len && memcmp(c->list[i].key, key, key_len) == 0)
				return i;
		}
		return -1;
	}
	while (low < high)
	{
		int			middle = low + (high - low) / 2;

		if (PgBsonUpdateCompareKeys(c->list[middle].key, c->list[middle].key_len, key, key_len) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < c->count && c->list[low].key_len == key_len &&
		memcmp(c->list[low].key, key, key_len) == 0)
		return low;
	return -1;
}

/* The children that have one name, from the first of them on */
static void
group_children(const Children *c, int first, Group *g)
{
	PgBsonUpdateNode **list = g->few;

	g->first = first;
	g->end = first + 1;
	while (c->owned && g->end < c->count && compare_children(&c->list[first], &c->list[g->end]) == 0)
		g->end++;
	if (g->end - first > lengthof(g->few))
		list = palloc_array(PgBsonUpdateNode *, g->end - first);
	for (int i = first; i < g->end; i++)
		list[i - first] = c->list[i].node;
	g->nodes.list = list;
	g->nodes.count = g->end - first;
}

static void
release_group(Group *g)
{
	if (g->nodes.list != (PgBsonUpdateNode *const *) g->few)
		pfree((void *) g->nodes.list);
}

/* Does a $rename below put a value somewhere? */
static bool
node_renames(const PgBsonUpdateRun *run, const PgBsonUpdateNode *node)
{
	check_stack_depth();
	if (!node->renames)
		return false;
	if (node->kind == PGBSON_UPDATE_LEAF)
		return run->renamed[node->op->rename].type != PGBSON_EOD;
	for (int i = 0; i < node->nchildren; i++)
	{
		if (node_renames(run, node->children[i].node))
			return true;
	}
	return false;
}

/* Does something below make what is missing? */
static bool
nodes_create(const PgBsonUpdateRun *run, const Nodes *nodes)
{
	for (int i = 0; i < nodes->count; i++)
	{
		if (nodes->list[i]->creates || node_renames(run, nodes->list[i]))
			return true;
	}
	return false;
}

/* The way is barred by a scalar, or by an array that has no names */
static void
check_barred(const PgBsonUpdateRun *run, const Nodes *nodes, const PgBsonValue *bar)
{
	for (int i = 0; i < nodes->count; i++)
	{
		const PgBsonUpdateNode *node = nodes->list[i];

		if (node->creates || node->strict || node_renames(run, node))
			PgBsonUpdateWrongTarget(some_op(node), bar->type,
									bar->type == PGBSON_ARRAY
									? gettext_noop("The path leads into an array, where it needs a position.")
									: gettext_noop("The path leads into a value that is neither a document nor an array."));
	}
}

/* --- new values --- */

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

/* The fields that are not there yet; "end" is where the edit puts them, NULL: where the writer stands */
static void
create_fields(PgBsonUpdateRun *run, PgBsonWriter *w, const uint8 *end, const Children *c, int depth)
{
	for (int i = 0; i < c->count;)
	{
		Group		g;

		CHECK_FOR_INTERRUPTS();
		group_children(c, i, &g);
		if (!c->met[i] && nodes_create(run, &g.nodes))
			create_value(run, end != NULL ? PgBsonEditKeep(&run->edit, end) : w,
						 &g.nodes, &c->list[i], -1, depth);
		i = g.end;
		release_group(&g);
	}
}

/* What is missing at the child's name, or in an array at "index", within "depth" levels */
static void
create_value(PgBsonUpdateRun *run, PgBsonWriter *w, const Nodes *nodes,
			 const PgBsonUpdateChild *child, int64 index, int depth)
{
	PgBsonUpdateNodeKind kind = kind_of(nodes);
	Children	c;
	Size		start;

	check_stack_depth();
	if (kind == PGBSON_UPDATE_LEAF)
	{
		create_leaf(run, w, nodes->list[0]->op, child, index, depth);
		return;
	}
	if (kind == PGBSON_UPDATE_ELEMENTS)
	{
		const PgBsonUpdateOp *op = some_op(nodes->list[0]);

		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a bson update finds no array for \"%s\"", PgBsonUpdateName(op->path, op->path_len)),
				 errdetail("The array before \"$[]\" must be in the document.")));
	}
	if (depth >= PGBSON_MAX_DEPTH)
		PgBsonReportTooDeep();
	begin_element(w, PGBSON_DOCUMENT, child, index);
	start = PgBsonWriterOpen(w);
	gather_children(run, nodes, &c);
	create_fields(run, w, NULL, &c, depth + 1);
	release_children(&c);
	PgBsonWriterClose(w, start);
}

/* --- values that are there --- */

/* A leaf, on the element "at" */
static void
change_element(PgBsonUpdateRun *run, const PgBsonUpdateOp *op, const PgBsonIter *at,
			   bool in_array, int depth)
{
	static const PgBsonValue null_value = {PGBSON_NULL, 0, (const uint8 *) ""};
	PgBsonValue new;
	PgBsonWriter *w;

	if (!op->operator->change(run, op, &at->value, &new))
		return;
	/* an element that goes becomes null, so that its fellows keep their positions */
	if (new.type == PGBSON_EOD && in_array)
		new = null_value;
	if (new.type == PGBSON_EOD)
	{
		PgBsonEditKeep(&run->edit, at->element);
		PgBsonEditSkip(&run->edit, at->next);
	}
	else if (!PgBsonSameBytes(&new, &at->value))
	{
		PgBsonCheckDepth(&new, depth);
		w = PgBsonEditKeep(&run->edit, at->element);
		PgBsonWriterKey(w, new.type, at->key, at->key_len);
		PgBsonWriterValue(w, &new);
		PgBsonEditSkip(&run->edit, at->next);
	}
	release_built(run);
}

/* Has something changed since the walk stood before this place? */
static bool
has_changed(const PgBsonUpdateRun *run, const uint8 *place)
{
	return run->edit.resume > place;
}

/* The _id stays what it was */
static void
check_id(const PgBsonUpdateRun *run, const PgBsonIter *at, const Nodes *nodes)
{
	const PgBsonUpdateOp *op;

	/* $rename is refused there even if it brings an equal value */
	if (!has_changed(run, at->element) && !node_renames(run, nodes->list[0]))
		return;
	op = some_op(nodes->list[0]);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("a bson update cannot change \"_id\""),
			 errdetail("\"%s\" of \"%s\" would change it.",
					   op->operator->name, PgBsonUpdateName(op->path, op->path_len))));
}

/* A document's fields by name */
static void
apply_fields(PgBsonUpdateRun *run, const Nodes *nodes, const PgBsonValue *document, int depth)
{
	Children	c;
	PgBsonIter	iter;
	int			left;
	bool		creates = nodes_create(run, nodes);

	gather_children(run, nodes, &c);
	left = c.count;
	PgBsonIterInit(&iter, PgBsonValueView(document));
	while (left > 0 && PgBsonIterNext(&iter))
	{
		int			first = find_child(&c, iter.key, iter.key_len);
		Group		g;

		CHECK_FOR_INTERRUPTS();
		/* of fields of one name the first is the one */
		if (first < 0 || c.met[first])
			continue;
		group_children(&c, first, &g);
		for (int i = first; i < g.end; i++)
			c.met[i] = true;
		left -= g.nodes.count;
		apply_value(run, &g.nodes, &iter, false, depth);
		if (depth == 1 && PgBsonIterIs(&iter, "_id"))
			check_id(run, &iter, &g.nodes);
		release_group(&g);
	}
	if (left > 0 && creates)
		create_fields(run, NULL, PgBsonElementsEnd(document), &c, depth);
	release_children(&c);
}

/* A child of an array, by position */
typedef struct Place
{
	uint32		index;
	int			child;
} Place;

static int
compare_places(const void *a, const void *b)
{
	const Place *x = (const Place *) a;
	const Place *y = (const Place *) b;

	return x->index != y->index ? (x->index < y->index ? -1 : 1) : x->child - y->child;
}

/* The positions that the children name; a name that is none bars the way */
static Place *
find_places(const PgBsonUpdateRun *run, const Children *c, const PgBsonValue *array, int *count)
{
	Place	   *places = palloc_array(Place, c->count);

	*count = 0;
	for (int i = 0; i < c->count; i++)
	{
		const PgBsonUpdateChild *child = &c->list[i];
		Nodes		nodes = {&child->node, 1};

		if (node_renames(run, child->node))
		{
			const PgBsonUpdateOp *op = some_op(child->node);

			PgBsonUpdateWrongTarget(op, array->type, gettext_noop("\"$rename\" puts no value into an array."));
		}
		if (!PgBsonUpdateKeyAsIndex(child->key, child->key_len, &places[*count].index))
		{
			check_barred(run, &nodes, array);
			continue;
		}
		places[(*count)++].child = i;
	}
	PgBsonSort(places, *count, sizeof(Place), compare_places);
	return places;
}

/* The nodes for one position; *next is the first place after it */
static void
nodes_of_place(const Children *c, const Place *places, int count, int *next, Nodes *nodes)
{
	uint32		index = places[*next].index;
	PgBsonUpdateNode **list = palloc_array(PgBsonUpdateNode *, count - *next);

	nodes->count = 0;
	nodes->list = list;
	for (; *next < count && places[*next].index == index; (*next)++)
		list[nodes->count++] = c->list[places[*next].child].node;
}

/* Elements behind the end of the array, with nulls before them */
static void
append_elements(PgBsonUpdateRun *run, const Children *c, const PgBsonValue *array,
				const Place *places, int nplaces, int next, uint32 size, int depth)
{
	while (next < nplaces)
	{
		uint32		index = places[next].index;
		Nodes		nodes;
		PgBsonWriter *w;

		CHECK_FOR_INTERRUPTS();
		nodes_of_place(c, places, nplaces, &next, &nodes);
		if (nodes_create(run, &nodes))
		{
			const PgBsonUpdateOp *op = some_op(nodes.list[0]);

			if (index - size > PGBSON_UPDATE_MAX_PADDING)
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("invalid path in a bson update: \"%s\"", PgBsonUpdateName(op->path, op->path_len)),
						 errdetail("A position in an array is at most %d behind its end.",
								   PGBSON_UPDATE_MAX_PADDING)));
			w = PgBsonEditKeep(&run->edit, PgBsonElementsEnd(array));
			for (; size < index; size++)
				PgBsonWriterIndex(w, PGBSON_NULL, size);
			create_value(run, w, &nodes, NULL, index, depth);
			size = index + 1;
		}
		pfree((void *) nodes.list);
	}
}

/* An array's elements by position */
static void
apply_positions(PgBsonUpdateRun *run, const Nodes *nodes, const PgBsonValue *array, int depth)
{
	Children	c;
	Place	   *places;
	int			nplaces;
	int			next = 0;
	uint32		i = 0;
	PgBsonIter	iter;

	gather_children(run, nodes, &c);
	places = find_places(run, &c, array, &nplaces);
	PgBsonIterInit(&iter, PgBsonValueView(array));
	for (; next < nplaces && PgBsonIterNext(&iter); i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (places[next].index == i)
		{
			Nodes		one;

			nodes_of_place(&c, places, nplaces, &next, &one);
			apply_value(run, &one, &iter, true, depth);
			pfree((void *) one.list);
		}
	}
	append_elements(run, &c, array, places, nplaces, next, i, depth);
	pfree(places);
	release_children(&c);
}

/* Does the element meet the filter? */
static bool
meets_filter(const PgBsonUpdateChild *child, const PgBsonValue *element)
{
	PgBsonValue document;
	bool		meets;

	if (child->node->filter == NULL)
		return true;
	document = PgBsonUpdateWrap(child->key, child->key_len, element);
	meets = PgBsonQueryMatches(child->node->filter, &document);
	pfree(unconstify(uint8 *, document.data));
	return meets;
}

/* An array's elements by $[] and $[name] */
static void
apply_elements(PgBsonUpdateRun *run, const Nodes *nodes, const PgBsonValue *array, int depth)
{
	PgBsonUpdateNode **met;
	int			nchildren = 0;
	PgBsonIter	iter;

	if (array->type != PGBSON_ARRAY)
		PgBsonUpdateWrongTarget(some_op(nodes->list[0]), array->type,
								gettext_noop("An array is expected before \"$[]\"."));
	for (int i = 0; i < nodes->count; i++)
		nchildren += nodes->list[i]->nchildren;
	met = palloc_array(PgBsonUpdateNode *, nchildren);
	PgBsonIterInit(&iter, PgBsonValueView(array));
	while (PgBsonIterNext(&iter))
	{
		Nodes		here = {met, 0};

		CHECK_FOR_INTERRUPTS();
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

/* The nodes, on the value of the element "at", which lies within "depth" levels */
static void
apply_value(PgBsonUpdateRun *run, const Nodes *nodes, const PgBsonIter *at, bool in_array, int depth)
{
	PgBsonUpdateNodeKind kind = kind_of(nodes);
	Size		position;

	check_stack_depth();
	if (kind == PGBSON_UPDATE_LEAF)
	{
		change_element(run, nodes->list[0]->op, at, in_array, depth);
		return;
	}
	if (kind == PGBSON_UPDATE_FIELDS && !PgBsonIsContainer(at->value.type))
	{
		check_barred(run, nodes, &at->value);
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

/* --- $rename --- */

pg_noreturn static void
refuse_source(const PgBsonUpdateNode *node, const PgBsonValue *value)
{
	PgBsonUpdateWrongTarget(some_op(node), value->type,
							gettext_noop("\"$rename\" takes a value from documents only."));
}

static void find_sources(PgBsonUpdateRun *run, const PgBsonUpdateNode *node,
						 const PgBsonValue *value, bool in_array);

/* Where a $rename takes its value: in a document; a path through an array is an error if it leads somewhere */
static void
find_sources_below(PgBsonUpdateRun *run, const PgBsonUpdateNode *node, const PgBsonValue *value,
				   bool in_array)
{
	Nodes		nodes = {(PgBsonUpdateNode *const *) &node, 1};
	Children	c;
	PgBsonIter	iter;
	uint32		index = 0;

	gather_children(run, &nodes, &c);
	PgBsonIterInit(&iter, PgBsonValueView(value));
	for (; PgBsonIterNext(&iter); index++)
	{
		char		key[12];
		int			child;

		CHECK_FOR_INTERRUPTS();
		if (value->type == PGBSON_ARRAY)
			child = find_child(&c, key, snprintf(key, sizeof(key), "%u", index));
		else
			child = find_child(&c, iter.key, iter.key_len);
		if (child >= 0 && !c.met[child] && c.list[child].node->sources)
		{
			c.met[child] = true;
			find_sources(run, c.list[child].node, &iter.value, in_array || value->type == PGBSON_ARRAY);
		}
	}
	for (int i = 0; value->type == PGBSON_ARRAY && i < c.count; i++)
	{
		if (c.list[i].node->sources && !PgBsonUpdateKeyAsIndex(c.list[i].key, c.list[i].key_len, &index))
			refuse_source(c.list[i].node, value);
	}
	release_children(&c);
}

static void
find_sources(PgBsonUpdateRun *run, const PgBsonUpdateNode *node, const PgBsonValue *value,
			 bool in_array)
{
	check_stack_depth();
	if (node->kind == PGBSON_UPDATE_LEAF)
	{
		if (in_array)
			refuse_source(node, value);
		run->renamed[node->op->rename] = *value;
	}
	else if (PgBsonIsContainer(value->type) && node->kind == PGBSON_UPDATE_FIELDS)
		find_sources_below(run, node, value, in_array);
	else
		refuse_source(node, value);
}

/* --- all of it --- */

PgBson *
PgBsonUpdateApplyTree(PgBsonUpdateRun *run, PgBsonView doc)
{
	PgBsonUpdateNode *tree = run->update->root;
	PgBsonValue root = {PGBSON_DOCUMENT, doc.len, doc.data};
	Nodes		nodes = {&tree, 1};

	if (run->update->nrenames > 0)
	{
		run->renamed = palloc0_array(PgBsonValue, run->update->nrenames);
		if (tree->sources)
			find_sources(run, tree, &root, false);
	}
	PgBsonEditBegin(&run->edit, doc, 64);
	apply_fields(run, &nodes, &root, 1);
	if (has_changed(run, doc.data))
		PgBsonEditSetLength(&run->edit, 0, doc.data + doc.len);
	return PgBsonEditFinish(&run->edit);
}
