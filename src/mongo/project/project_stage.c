/*
 * project_stage.c
 *	  The stages $addFields and $unset of a pipeline as trees of paths.
 *
 * $project is in project_parse.c, which reads it like the projection of find().  See
 * src/mongo/db/exec/add_fields_projection_executor.cpp of MongoDB.
 */
#include "mongo/project/project_tree.h"

#include "core/bytes/value.h"
#include "miscadmin.h"

static void add_fields(PgBsonProjection *projection, PgBsonProjectNode *parent, const PgBsonValue *doc, bool at_root);

/* Is it {operator: operand}?  A document with an operator has no other field. */
static bool
is_expression(const PgBsonIter *field)
{
	bool		has_operator = false;
	int			count = 0;

	PgBsonForEach(iter, PgBsonValueView(&field->value))
	{
		count++;
		has_operator |= iter.key_len > 0 && iter.key[0] == '$';
	}
	if (has_operator && count > 1)
		PgBsonProjectWrong(field, gettext_noop("A document with an operator must have no other field."));
	return has_operator;
}

/* A field: an expression, or a document of the fields below */
static void
add_field(PgBsonProjection *projection, PgBsonProjectNode *parent, const PgBsonIter *field, bool at_root)
{
	if (!at_root && memchr(field->key, '.', field->key_len) != NULL)
		PgBsonProjectWrong(field, gettext_noop("A name within a document must not have a dot."));
	if (field->value.type != PGBSON_DOCUMENT || is_expression(field) ||
		PgBsonViewCount(PgBsonValueView(&field->value)) == 0)
		PgBsonProjectAddExpression(projection, parent, field, &field->value, true);
	else
		add_fields(projection, PgBsonProjectPath(parent, field), &field->value, false);
}

/* The fields of $addFields, or of a document in it */
static void
add_fields(PgBsonProjection *projection, PgBsonProjectNode *parent, const PgBsonValue *doc, bool at_root)
{
	check_stack_depth();
	PgBsonForEach(iter, PgBsonValueView(doc))
	{
		add_field(projection, parent, &iter, at_root);
	}
}

PgBsonProjection *
PgBsonProjectionParseAdd(const PgBsonValue *fields, bool open)
{
	PgBsonProjection *projection = palloc0_object(PgBsonProjection);

	projection->open = open;
	projection->adds = true;
	projection->root = PgBsonProjectNodeNew(PGBSON_PROJECT_PATH);
	add_fields(projection, projection->root, fields, true);
	(void) PgBsonProjectSumUp(projection->root, false);
	return projection;
}

/* A path to leave out, given as a string */
static void
leave_out(PgBsonProjection *projection, const PgBsonValue *path)
{
	PgBsonIter	field = {0};

	field.key = PgBsonValueString(path, &field.key_len);
	field.value = *path;
	PgBsonProjectAdd(projection->root, &field, field.key_len, PgBsonProjectNodeNew(PGBSON_PROJECT_EXCLUDE));
}

PgBsonProjection *
PgBsonProjectionParseUnset(const PgBsonValue *paths)
{
	PgBsonProjection *projection = palloc0_object(PgBsonProjection);

	projection->root = PgBsonProjectNodeNew(PGBSON_PROJECT_PATH);
	if (paths->type == PGBSON_STRING)
	{
		leave_out(projection, paths);
		return projection;
	}
	PgBsonForEach(iter, PgBsonValueView(paths))
	{
		leave_out(projection, &iter.value);
	}
	return projection;
}

bool
PgBsonProjectionUsesNow(const PgBsonProjection *projection)
{
	return projection->uses_now;
}

List *
PgBsonProjectionExpressions(const PgBsonProjection *projection)
{
	return projection->expressions;
}
