/*
 * project_tree.c
 *	  Making the tree of a projection's paths.
 *
 * The authority is MongoDB's src/mongo/db/query/projection_parser.cpp.
 */
#include "mongo/project/project_tree.h"

#include "core/bytes/recode.h"
#include "mongo/common/match_path.h"

void
PgBsonProjectWrong(const PgBsonIter *field, const char *detail)
{
	PgBsonReportInvalid(errmsg("invalid field in a bson projection: \"%.200s\"",
							   PgBsonNameInMessage(field->key, field->key_len)),
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

ListCell *
PgBsonProjectChild(PgBsonProjectNode *node, const char *name, uint32 len)
{
	bool		found;
	PgBsonKeyEntry *entry = PgBsonKeySetEnter(&node->names, name, len, &found);

	/* names are numbered as they come */
	if (!found)
		node->children = lappend(node->children, NULL);
	return list_nth_cell(node->children, entry - node->names.entries);
}

/* The child of a PATH node where the path goes on; made if there is none */
static PgBsonProjectNode *
child_path(PgBsonProjectNode *parent, const PgBsonIter *field, const PgBsonStep *name)
{
	ListCell   *place = PgBsonProjectChild(parent, name->key, name->key_len);
	PgBsonProjectNode *child;

	if (lfirst(place) == NULL)
		lfirst(place) = PgBsonProjectNodeNew(PGBSON_PROJECT_PATH);
	child = lfirst(place);
	if (child->kind != PGBSON_PROJECT_PATH)
		PgBsonProjectWrong(field, gettext_noop("Another field of the projection is at the beginning of this path."));
	return child;
}

static PgBsonStep *
split_field_path(const PgBsonIter *field, uint32 len, int *nsteps)
{
	PgBsonStep *steps = PgBsonSplitDotted(field->key, len, nsteps);
	const char *problem = PgBsonPathProblem(steps, *nsteps);

	if (problem != NULL)
		PgBsonProjectWrong(field, problem);
	return steps;
}

void
PgBsonProjectAdd(PgBsonProjectNode *parent, const PgBsonIter *field, uint32 len, PgBsonProjectNode *node)
{
	int			nsteps;
	PgBsonStep *steps = split_field_path(field, len, &nsteps);
	ListCell   *place;

	for (int i = 0; i < nsteps; i++)
	{
		if (node->kind == PGBSON_PROJECT_POSITIONAL)
			parent->positional = true;
		if (i < nsteps - 1)
			parent = child_path(parent, field, &steps[i]);
	}
	place = PgBsonProjectChild(parent, steps[nsteps - 1].key, steps[nsteps - 1].key_len);
	if (lfirst(place) != NULL)
		PgBsonProjectWrong(field, gettext_noop("Another field of the projection is at this path, or below it."));
	lfirst(place) = node;
}

PgBsonProjectNode *
PgBsonProjectPath(PgBsonProjectNode *parent, const PgBsonIter *field)
{
	int			nsteps;
	PgBsonStep *steps = split_field_path(field, field->key_len, &nsteps);

	for (int i = 0; i < nsteps; i++)
		parent = child_path(parent, field, &steps[i]);
	return parent;
}

void
PgBsonProjectAddExpression(PgBsonProjection *projection, PgBsonProjectNode *parent,
						   const PgBsonIter *field)
{
	PgBsonProjectNode *node = PgBsonProjectNodeNew(PGBSON_PROJECT_COMPUTE);

	node->expression = PgBsonExpressionParseFor(&field->value, projection->use);
	node->number = projection->nexpressions++;
	PgBsonProjectAdd(parent, field, field->key_len, node);
}

bool
PgBsonProjectSumUp(PgBsonProjectNode *node, bool includes)
{
	check_stack_depth();
	/* if the projection excludes fields, it has no expressions, and $elemMatch is applied by the first pass */
	node->computes = node->kind == PGBSON_PROJECT_COMPUTE ||
		(node->kind == PGBSON_PROJECT_ELEM_MATCH && includes);
	node->hidden = node->kind == PGBSON_PROJECT_EXCLUDE || node->computes;
	foreach_ptr(PgBsonProjectNode, child, node->children)
	{
		node->computes |= PgBsonProjectSumUp(child, includes);
		node->nhidden += child->hidden;
	}
	return node->computes;
}
