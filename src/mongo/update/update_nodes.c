/*
 * update_nodes.c
 *	  The nodes of an update's tree that apply to one value together.
 *
 * The authority is MongoDB's src/mongo/db/update/update_node.cpp
 * (createUpdateNodeByMerging).
 */
#include "mongo/update/update_tree.h"

#include "core/bytes/sort.h"

const PgBsonUpdateOp *
PgBsonUpdateSomeOp(const PgBsonUpdateNode *node)
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

PgBsonUpdateNodeKind
PgBsonUpdateKindOf(const PgBsonUpdateNodes *nodes)
{
	for (int i = 1; i < nodes->count; i++)
	{
		if (nodes->list[i]->kind != nodes->list[0]->kind ||
			nodes->list[i]->kind == PGBSON_UPDATE_LEAF)
		{
			const PgBsonUpdateOp *op = PgBsonUpdateSomeOp(nodes->list[i]);

			PgBsonReportInvalid(errmsg("a bson update changes a value twice"),
								errdetail("Two paths lead to it, \"%s\" among them.",
										  PgBsonNameInMessage(op->path, op->path_len)));
		}
	}
	return nodes->list[0]->kind;
}

void
PgBsonUpdateGather(const PgBsonUpdateRun *run, const PgBsonUpdateNodes *nodes, PgBsonUpdateChildren *c)
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

void
PgBsonUpdateReleaseChildren(PgBsonUpdateChildren *c)
{
	if (c->owned)
		pfree(unconstify(PgBsonUpdateChild *, c->list));
	if (c->met != c->few)
		pfree(c->met);
}

int
PgBsonUpdateFindChild(const PgBsonUpdateChildren *c, const char *key, uint32 key_len)
{
	int			low = 0;
	int			high = c->count;

	if (c->count <= 4)
	{
		for (int i = 0; i < c->count; i++)
		{
			if (PgBsonSameKey(c->list[i].key, c->list[i].key_len, key, key_len))
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

void
PgBsonUpdateGroupOf(const PgBsonUpdateChildren *c, int first, PgBsonUpdateGroup *g)
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

void
PgBsonUpdateReleaseGroup(PgBsonUpdateGroup *g)
{
	if (g->nodes.list != (PgBsonUpdateNode *const *) g->few)
		pfree((void *) g->nodes.list);
}

bool
PgBsonUpdateRenames(const PgBsonUpdateRun *run, const PgBsonUpdateNode *node)
{
	check_stack_depth();
	if (!node->renames)
		return false;
	if (node->kind == PGBSON_UPDATE_LEAF)
		return run->renamed[node->op->rename].type != PGBSON_EOD;
	for (int i = 0; i < node->nchildren; i++)
	{
		if (PgBsonUpdateRenames(run, node->children[i].node))
			return true;
	}
	return false;
}

bool
PgBsonUpdateNodesCreate(const PgBsonUpdateRun *run, const PgBsonUpdateNodes *nodes)
{
	for (int i = 0; i < nodes->count; i++)
	{
		if (nodes->list[i]->creates || PgBsonUpdateRenames(run, nodes->list[i]))
			return true;
	}
	return false;
}

void
PgBsonUpdateCheckBlocked(const PgBsonUpdateRun *run, const PgBsonUpdateNodes *nodes, const PgBsonValue *blocking)
{
	for (int i = 0; i < nodes->count; i++)
	{
		const PgBsonUpdateNode *node = nodes->list[i];

		if (node->creates || node->strict || PgBsonUpdateRenames(run, node))
			PgBsonUpdateWrongPlace(PgBsonUpdateSomeOp(node), blocking->type,
									blocking->type == PGBSON_ARRAY
									? gettext_noop("The path leads into an array, where it needs a position.")
									: gettext_noop("The path leads into a value that is neither a document nor an array."));
	}
}
