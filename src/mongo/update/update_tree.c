/*
 * update_tree.c
 *	  An update document as a tree of paths.
 *
 * The paths of all operators are sorted, so that the tree grows at its right
 * edge and two paths that conflict are neighbours.
 *
 * The authority is MongoDB's src/mongo/db/update/update_driver.cpp and
 * update_object_node.cpp.
 */
#include "mongo/update/update_tree.h"

#include "core/bytes/memory.h"
#include "core/bytes/sort.h"

/* A path of the update that is not in the tree yet */
typedef struct TreeEntry
{
	PgBsonStep *steps;
	int			nsteps;
	PgBsonUpdateOp *op;
} TreeEntry;

typedef struct Parsing
{
	PgBsonUpdate *update;
	TreeEntry  *entries;
	Size		nentries;
	const PgBsonUpdateFilters *filters;
} Parsing;

void
PgBsonUpdateWrongPath(const PgBsonUpdateOp *op, const char *detail)
{
	PgBsonReportInvalid(errmsg("invalid path in a bson update: \"%s\"", PgBsonNameInMessage(op->path, op->path_len)),
						errdetail_internal("%s", _(detail)));
}

/* --- names --- */

static bool
begins_with_digit(const char *key, uint32 len)
{
	return len > 0 && key[0] >= '0' && key[0] <= '9' && (key[0] != '0' || len == 1);
}

int
PgBsonUpdateCompareKeys(const char *a, uint32 a_len, const char *b, uint32 b_len)
{
	int			cmp;

	if (begins_with_digit(a, a_len) && begins_with_digit(b, b_len) && a_len != b_len)
		return a_len < b_len ? -1 : 1;
	cmp = memcmp(a, b, Min(a_len, b_len));
	return cmp != 0 ? cmp : a_len < b_len ? -1 : a_len > b_len;
}

static bool
is_positional_name(const PgBsonStep *step)
{
	return step->key_len == 1 && step->key[0] == '$';
}

/* $[] or $[name] */
static bool
is_filter(const PgBsonStep *step)
{
	return step->key_len >= 3 && step->key[0] == '$' && step->key[1] == '[' &&
		step->key[step->key_len - 1] == ']';
}

/* Sort paths name by name; a path comes before those that begin with it */
static int
compare_entries(const void *a, const void *b)
{
	const TreeEntry *x = (const TreeEntry *) a;
	const TreeEntry *y = (const TreeEntry *) b;

	for (int i = 0; i < Min(x->nsteps, y->nsteps); i++)
	{
		int			cmp = PgBsonUpdateCompareKeys(x->steps[i].key, x->steps[i].key_len,
												  y->steps[i].key, y->steps[i].key_len);

		if (cmp != 0)
			return cmp;
	}
	return x->nsteps < y->nsteps ? -1 : x->nsteps > y->nsteps;
}

/* --- the list of paths --- */

/* Raise 22023 for a path that MongoDB refuses */
static void
check_steps(Parsing *p, const TreeEntry *e)
{
	bool		positional = false;

	for (int i = 0; i < e->nsteps; i++)
	{
		const PgBsonStep *step = &e->steps[i];

		if (step->key_len == 0)
			PgBsonUpdateWrongPath(e->op, gettext_noop("A name in a path must not be empty."));
		if (!is_positional_name(step) && !is_filter(step))
			continue;
		if (i == 0)
			PgBsonUpdateWrongPath(e->op, gettext_noop("A path must begin with a name."));
		if (e->op->operator == &PgBsonUpdateRename || e->op->operator == &PgBsonUpdateRenamed)
			PgBsonUpdateWrongPath(e->op, gettext_noop("\"$rename\" takes paths of names only."));
		if (!is_positional_name(step))
			continue;
		if (positional)
			PgBsonUpdateWrongPath(e->op, gettext_noop("\"$\" must not occur twice in a path."));
		positional = true;
		p->update->positional = true;
	}
	/* an upsert's document may have such fields; $rename checks this when it has found a value */
	if (e->steps[0].key[0] == '$' && !p->update->insert && PgBsonUpdateCreates(e->op->operator, false) &&
		e->op->operator != &PgBsonUpdateRename)
		PgBsonUpdateWrongPath(e->op, gettext_noop("The name of a field of the document itself does not begin with a dollar."));
}

/* Split and check the path of an operator, and add it to the list */
static void
add_entry(Parsing *p, PgBsonUpdateOp *op)
{
	TreeEntry  *e;
	int			dots = 0;

	for (uint32 i = 0; i < op->path_len && dots < PGBSON_MAX_DEPTH; i++)
		dots += op->path[i] == '.';
	if (dots >= PGBSON_MAX_DEPTH)
		PgBsonReportTooDeep();

	p->entries = PgBsonRoomForOne(p->entries, p->nentries, sizeof(TreeEntry));
	e = &p->entries[p->nentries++];
	e->op = op;
	e->steps = PgBsonSplitDotted(op->path, op->path_len, &e->nsteps);
	check_steps(p, e);
}

/* Add a $rename as two operators: one at its source, and one at the path that is its operand */
static void
add_rename(Parsing *p, PgBsonUpdateOp *source)
{
	PgBsonUpdateOp *op = palloc0_object(PgBsonUpdateOp);

	source->operator = &PgBsonUpdateRenamed;
	source->rename = p->update->nrenames++;
	add_entry(p, source);

	*op = *source;
	op->operator = &PgBsonUpdateRename;
	if (source->operand.type != PGBSON_STRING)
		PgBsonUpdateWrongOperand(source, gettext_noop("A string, the new path, is expected."));
	op->path = PgBsonValueString(&source->operand, &op->path_len);
	if (memchr(op->path, 0, op->path_len) != NULL)
		PgBsonUpdateWrongOperand(source, gettext_noop("A path must not contain U+0000."));
	add_entry(p, op);
}

/* Collect the paths of all operators, and check their operands */
static void
collect_entries(Parsing *p, PgBsonView update)
{
	PgBsonForEach(iter, update)
	{
		const PgBsonUpdateOperator *operator = PgBsonUpdateFindOperator(&iter);

		if (iter.value.type != PGBSON_DOCUMENT)
			PgBsonReportInvalid(errmsg("invalid operand of \"%s\" in a bson update", iter.key),
								errdetail("A document of paths and operands is expected."));
		PgBsonForEach(path, PgBsonValueView(&iter.value))
		{
			PgBsonUpdateOp *op = palloc0_object(PgBsonUpdateOp);

			op->operator = operator;
			op->path = path.key;
			op->path_len = path.key_len;
			op->operand = path.value;
			if (operator == &PgBsonUpdateRename)
			{
				add_rename(p, op);
				continue;
			}
			add_entry(p, op);
			if (operator->prepare != NULL)
				operator->prepare(op);
		}
	}
}

/* --- the tree --- */

pg_noreturn static void
report_conflict(const PgBsonUpdateOp *op)
{
	PgBsonReportInvalid(errmsg("a bson update changes \"%s\" twice", PgBsonNameInMessage(op->path, op->path_len)),
						errdetail("Its operators, or for an upsert the conditions of its query, must not touch the same path, or one inside the other."));
}

static PgBsonUpdateNode *
new_node(PgBsonUpdateNodeKind kind)
{
	PgBsonUpdateNode *node = palloc0_object(PgBsonUpdateNode);

	node->kind = kind;
	return node;
}

/* Find the child of this name, which can only be the last one, as paths are sorted */
static PgBsonUpdateNode *
last_child(const PgBsonUpdateNode *node, const PgBsonStep *step)
{
	const PgBsonUpdateChild *last;

	if (node->kind == PGBSON_UPDATE_FIELDS && is_positional_name(step))
		return node->positional;
	if (node->nchildren == 0)
		return NULL;
	last = &node->children[node->nchildren - 1];
	return PgBsonSameKey(last->key, last->key_len, step->key, step->key_len) ? last->node : NULL;
}

/* Append a child; its name sorts after those of the other children */
static void
add_child(PgBsonUpdateNode *node, const PgBsonStep *step, PgBsonUpdateNode *child)
{
	PgBsonUpdateChild *place;

	if (node->kind == PGBSON_UPDATE_FIELDS && is_positional_name(step))
	{
		node->positional = child;
		return;
	}
	node->children = PgBsonRoomForOne(node->children, node->nchildren, sizeof(PgBsonUpdateChild));
	place = &node->children[node->nchildren++];
	place->key = step->key;
	place->key_len = step->key_len;
	place->node = child;
}

/* Add a path to the tree; 22023 if the path conflicts with another one */
static void
add_path(Parsing *p, const TreeEntry *e)
{
	PgBsonUpdateNode *node = p->update->root;

	for (int i = 0; i < e->nsteps; i++)
	{
		bool		last = i == e->nsteps - 1;
		PgBsonUpdateNodeKind kind = last ? PGBSON_UPDATE_LEAF
			: is_filter(&e->steps[i + 1]) ? PGBSON_UPDATE_ELEMENTS : PGBSON_UPDATE_FIELDS;
		PgBsonStep	step = e->steps[i];
		const PgBsonQuery *filter = NULL;
		PgBsonUpdateNode *child;

		if (node->kind == PGBSON_UPDATE_ELEMENTS)
		{
			step.key += 2;
			step.key_len -= 3;
			if (step.key_len > 0)
				filter = PgBsonUpdateFindFilter(p->filters, e->op, step.key, step.key_len);
		}
		child = last_child(node, &step);
		if (child != NULL && (last || child->kind != kind))
			report_conflict(e->op);
		if (child == NULL)
		{
			child = new_node(kind);
			child->filter = filter;
			add_child(node, &step, child);
		}
		node = child;
	}
	node->op = e->op;
}

/* Set the flags of each node, which say what operators are at it or below it */
static void
set_flags(PgBsonUpdateNode *node, bool insert)
{
	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	if (node->kind == PGBSON_UPDATE_LEAF)
	{
		const PgBsonUpdateOperator *operator = node->op->operator;

		node->creates = PgBsonUpdateCreates(operator, insert);
		node->strict = operator->strict;
		node->renames = operator == &PgBsonUpdateRename;
		node->sources = operator == &PgBsonUpdateRenamed;
		return;
	}
	node->creates = node->kind == PGBSON_UPDATE_ELEMENTS;
	for (int i = node->positional != NULL ? -1 : 0; i < node->nchildren; i++)
	{
		PgBsonUpdateNode *child = i < 0 ? node->positional : node->children[i].node;

		set_flags(child, insert);
		node->creates |= child->creates;
		node->strict |= child->strict;
		node->renames |= child->renames;
		node->sources |= child->sources;
	}
}

void
PgBsonUpdateParseTree(PgBsonUpdate *update, const PgBsonValue *operators, const PgBsonUpdateFilters *filters)
{
	Parsing		p = {update, .filters = filters};

	collect_entries(&p, PgBsonValueView(operators));
	PgBsonSort(p.entries, p.nentries, sizeof(TreeEntry), compare_entries);
	update->root = new_node(PGBSON_UPDATE_FIELDS);
	for (Size i = 0; i < p.nentries; i++)
	{
		CHECK_FOR_INTERRUPTS();
		add_path(&p, &p.entries[i]);
	}
	set_flags(update->root, update->insert);
}
