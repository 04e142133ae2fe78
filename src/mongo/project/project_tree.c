/*
 * project_tree.c
 *	  Making the tree of a projection's paths.
 *
 * The authority is MongoDB's src/mongo/db/query/projection_parser.cpp.
 */
#include "mongo/project/project_tree.h"

#include "core/bytes/memory.h"
#include "core/bytes/recode.h"
#include "core/find/path.h"
#include "miscadmin.h"

/* The most names in a path, as in MongoDB's aggregation */
#define MAX_NAMES	200

void
PgBsonProjectWrong(const PgBsonIter *field, const char *detail)
{
	PgBsonReportInvalid(errmsg("invalid field in a bson projection: \"%.200s\"", PgBsonNameInMessage(field->key, field->key_len)),
						errdetail_internal("%s", _(detail)));
}

PgBsonProjectNode *
PgBsonProjectNodeNew(PgBsonProjectKind kind)
{
	PgBsonProjectNode *node = palloc0(sizeof(PgBsonProjectNode));

	node->kind = kind;
	if (kind == PGBSON_PROJECT_PATH)
		PgBsonKeySetInit(&node->names);
	return node;
}

PgBsonProjectNode **
PgBsonProjectChild(PgBsonProjectNode *node, const char *name, uint32 len)
{
	bool		found;
	PgBsonKeyEntry *entry = PgBsonKeySetEnter(&node->names, name, len, &found);
	int			i = entry - node->names.entries;

	if (i >= node->room)
	{
		node->room = Max(node->room * 2, 4);
		node->children = PgBsonResize(node->children, node->room * sizeof(PgBsonProjectNode *));
	}
	if (!found)
		node->children[i] = NULL;
	return &node->children[i];
}

/* Check that a name in a path can be the name of a field */
static void
check_name(const PgBsonIter *field, const PgBsonStep *name)
{
	if (name->key_len == 0)
		PgBsonProjectWrong(field, gettext_noop("A name in a path must not be empty."));
	if (memchr(name->key, '\0', name->key_len) != NULL)
		PgBsonProjectWrong(field, gettext_noop("A name in a path must not have a zero byte."));
	if (name->key[0] == '$' && !PgBsonKeyIsReference(name->key, name->key_len))
		PgBsonProjectWrong(field, gettext_noop("A name in a path must not begin with \"$\", which can be its last part alone."));
}

/* The child of a PATH node where the path goes on; made if there is none */
static PgBsonProjectNode *
child_path(PgBsonProjectNode *parent, const PgBsonIter *field, const PgBsonStep *name)
{
	PgBsonProjectNode **child;

	check_name(field, name);
	child = PgBsonProjectChild(parent, name->key, name->key_len);
	if (*child == NULL)
		*child = PgBsonProjectNodeNew(PGBSON_PROJECT_PATH);
	if ((*child)->kind != PGBSON_PROJECT_PATH)
		PgBsonProjectWrong(field, gettext_noop("Another field of the projection is at the beginning of this path."));
	return *child;
}

static PgBsonStep *
split_path(const PgBsonIter *field, uint32 len, int *nsteps)
{
	PgBsonStep *steps = PgBsonSplitDotted(field->key, len, nsteps);

	if (*nsteps > MAX_NAMES)
		PgBsonProjectWrong(field, gettext_noop("The path has too many names."));
	return steps;
}

void
PgBsonProjectAdd(PgBsonProjectNode *parent, const PgBsonIter *field, uint32 len, PgBsonProjectNode *node)
{
	int			nsteps;
	PgBsonStep *steps = split_path(field, len, &nsteps);
	PgBsonProjectNode **child;

	for (int i = 0; i < nsteps; i++)
	{
		if (node->kind == PGBSON_PROJECT_POSITIONAL)
			parent->positional = true;
		if (i < nsteps - 1)
			parent = child_path(parent, field, &steps[i]);
	}
	check_name(field, &steps[nsteps - 1]);
	child = PgBsonProjectChild(parent, steps[nsteps - 1].key, steps[nsteps - 1].key_len);
	if (*child != NULL)
		PgBsonProjectWrong(field, gettext_noop("Another field of the projection is at this path, or below it."));
	*child = node;
}

PgBsonProjectNode *
PgBsonProjectPath(PgBsonProjectNode *parent, const PgBsonIter *field)
{
	int			nsteps;
	PgBsonStep *steps = split_path(field, field->key_len, &nsteps);

	for (int i = 0; i < nsteps; i++)
		parent = child_path(parent, field, &steps[i]);
	return parent;
}

void
PgBsonProjectAddExpression(PgBsonProjection *projection, PgBsonProjectNode *parent,
						   const PgBsonIter *field, const PgBsonValue *operand, bool with_now)
{
	PgBsonProjectNode *node = PgBsonProjectNodeNew(PGBSON_PROJECT_COMPUTE);

	if (projection->open)
	{
		node->expression = PgBsonExpressionParse(operand);
		projection->expressions = lappend(projection->expressions, node->expression);
	}
	else
		node->expression = PgBsonExpressionParseClosed(operand, with_now ? &projection->uses_now : NULL);
	node->number = projection->nexpressions++;
	PgBsonProjectAdd(parent, field, field->key_len, node);
}

bool
PgBsonProjectSumUp(PgBsonProjectNode *node, bool includes)
{
	check_stack_depth();
	/* in fields that are left out nothing is calculated, and $elemMatch is done by the first pass */
	node->computes = node->kind == PGBSON_PROJECT_COMPUTE ||
		(node->kind == PGBSON_PROJECT_ELEM_MATCH && includes);
	if (node->kind != PGBSON_PROJECT_PATH)
		return node->computes;
	for (int i = 0; i < node->names.count; i++)
	{
		if (PgBsonProjectSumUp(node->children[i], includes))
			node->computes = true;
	}
	return node->computes;
}
