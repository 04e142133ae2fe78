/*
 * update_rename.c
 *	  The update operator $rename.
 *
 * In the tree it is two operators: one removes the value at the source, the other
 * sets it at the destination.  The values are looked up before
 * anything changes.
 *
 * The authority is MongoDB's src/mongo/db/update/rename_node.cpp.
 */
#include "mongo/update/update_tree.h"

/* Check the destination of a $rename */
static bool
change_rename(PgBsonUpdateRun *run, const PgBsonUpdateOp *op, const PgBsonValue *old, PgBsonValue *new)
{
	*new = run->renamed[op->rename];
	if (new->type == PGBSON_EOD)
		return false;
	/* a bad path does not matter while there is nothing to rename */
	if (op->path_len > 0 && op->path[0] == '$' && !run->update->insert)
		PgBsonUpdateWrongPath(op, gettext_noop("The name of a field of the document itself does not begin with a dollar."));
	return true;
}

/* The source of a $rename */
static bool
change_renamed(PgBsonUpdateRun *run, const PgBsonUpdateOp *op, const PgBsonValue *old, PgBsonValue *new)
{
	new->type = PGBSON_EOD;
	return old != NULL && run->renamed[op->rename].type != PGBSON_EOD;
}

const PgBsonUpdateOperator PgBsonUpdateRename = {"$rename", false, false, NULL, change_rename};
const PgBsonUpdateOperator PgBsonUpdateRenamed = {"$rename", false, false, NULL, change_renamed};

pg_noreturn static void
refuse_source(const PgBsonUpdateNode *node, const PgBsonValue *value)
{
	PgBsonUpdateWrongPlace(PgBsonUpdateSomeOp(node), value->type,
							gettext_noop("\"$rename\" takes a value from documents only."));
}

static void find_sources_at(PgBsonUpdateRun *run, const PgBsonUpdateNode *node,
							const PgBsonValue *value, bool in_array);

/* Find the value that a $rename takes.  A path that leads to a value through an array is an error. */
static void
find_sources_below(PgBsonUpdateRun *run, const PgBsonUpdateNode *node, const PgBsonValue *value,
				   bool in_array)
{
	PgBsonUpdateNodes nodes = {(PgBsonUpdateNode *const *) &node, 1};
	PgBsonUpdateChildren c;
	PgBsonIter	iter = PgBsonIterBegin(PgBsonValueView(value));
	uint32		index = 0;

	PgBsonUpdateGather(run, &nodes, &c);
	for (; PgBsonIterNext(&iter); index++)
	{
		char		key[12];
		int			child;

		CHECK_FOR_INTERRUPTS();
		if (value->type == PGBSON_ARRAY)
			child = PgBsonUpdateFindChild(&c, key, snprintf(key, sizeof(key), "%u", index));
		else
			child = PgBsonUpdateFindChild(&c, iter.key, iter.key_len);
		if (child >= 0 && !c.met[child] && c.list[child].node->sources)
		{
			c.met[child] = true;
			find_sources_at(run, c.list[child].node, &iter.value, in_array || value->type == PGBSON_ARRAY);
		}
	}
	for (int i = 0; value->type == PGBSON_ARRAY && i < c.count; i++)
	{
		if (c.list[i].node->sources && !PgBsonKeyAsPosition(c.list[i].key, c.list[i].key_len, &index))
			refuse_source(c.list[i].node, value);
	}
	PgBsonUpdateReleaseChildren(&c);
}

/* Look up the value if the node is the source of a $rename; otherwise look for sources below the node */
static void
find_sources_at(PgBsonUpdateRun *run, const PgBsonUpdateNode *node, const PgBsonValue *value,
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

void
PgBsonUpdateFindSources(PgBsonUpdateRun *run, const PgBsonValue *root)
{
	run->renamed = palloc0_array(PgBsonValue, run->update->nrenames);
	if (run->update->root->sources)
		find_sources_at(run, run->update->root, root, false);
}
