/*
 * project_parse.c
 *	  Parsing a projection into a tree of nodes.
 *
 * There are four kinds: that of find(); the pipeline stage $project, which has
 * expressions in place of find()'s $slice, $elemMatch and "$"; and the stages
 * $addFields and $unset.  The authority is MongoDB's
 * src/mongo/db/query/projection_parser.cpp and
 * src/mongo/db/exec/add_fields_projection_executor.cpp.
 */
#include "mongo/project/project_tree.h"

#include "core/bytes/names.h"
#include "core/number/number.h"
#include "core/write/from_value.h"
#include "mongo/common/match_path.h"

typedef struct Parser
{
	PgBsonProjection *projection;
	const PgBsonValue *query;
	bool		of_stage;		/* of a stage $project, with expressions instead of find()'s $slice, $elemMatch, "$" */
	bool		has_type;		/* it is known whether the projection includes or excludes fields */
	bool		has_slice;
	bool		has_elem_match;
	bool		has_positional;
	bool		id_specified;
	bool		id_included;
} Parser;

static void parse_projected_field(Parser *p, PgBsonProjectNode *parent, const PgBsonIter *field, bool at_root);

/* Note that the projection includes fields, or leaves fields out; 22023 if it already does the opposite */
static void
set_type(Parser *p, const PgBsonIter *field, bool includes)
{
	if (p->has_type && p->projection->includes != includes)
	{
		if (includes)
			PgBsonProjectWrong(field, gettext_noop("It is to be included, in a projection that leaves fields out."));
		PgBsonProjectWrong(field, gettext_noop("It is to be left out, in a projection that includes fields."));
	}
	p->has_type = true;
	p->projection->includes = includes;
}

/* A field with an expression belongs to a projection that includes fields */
static void
parse_expression(Parser *p, PgBsonProjectNode *parent, const PgBsonIter *field)
{
	if (p->has_type && !p->projection->includes)
		PgBsonProjectWrong(field, gettext_noop("It has an expression, in a projection that leaves fields out."));
	p->has_type = true;
	p->projection->includes = true;
	PgBsonProjectAddExpression(p->projection, parent, field);
}

/* $expr and $jsonSchema do not find an element, so projection_parser.cpp does not allow them in $elemMatch */
static void
refuse_special(const PgBsonIter *field, const PgBsonValue *query)
{
	PgBsonValue known = PgBsonQueryKnown(query);
	const PgBsonQuery *parsed = PgBsonQueryParse(&known);

	if (PgBsonQueryHas(parsed, PGBSON_QUERY_EXPR) || PgBsonQueryHas(parsed, PGBSON_QUERY_SCHEMA))
		PgBsonProjectWrong(field, gettext_noop("An element cannot be found by $expr or $jsonSchema."));
}

static void
parse_positional(Parser *p, PgBsonProjectNode *parent, const PgBsonIter *field, bool at_root)
{
	if (p->has_positional)
		PgBsonProjectWrong(field, gettext_noop("Only one field of a projection may have the positional \"$\"."));
	if (p->has_elem_match)
		PgBsonProjectWrong(field, gettext_noop("The positional \"$\" cannot be used together with $elemMatch."));
	if (!at_root)
		PgBsonProjectWrong(field, gettext_noop("The positional \"$\" is for a path that is written as one name."));
	if (p->query == NULL)
		PgBsonProjectWrong(field, gettext_noop("The positional \"$\" needs the query, as the third argument of bson_project."));
	refuse_special(field, p->query);
	PgBsonProjectAdd(parent, field, field->key_len - 2, PgBsonProjectNodeNew(PGBSON_PROJECT_POSITIONAL));
	p->projection->position = PgBsonPositionParse(p->query);
	p->has_positional = true;
	set_type(p, field, true);
}

/* Does the path end in the positional operator "$"? */
static bool
is_positional(const PgBsonIter *field)
{
	return (field->key_len >= 2 && memcmp(field->key + field->key_len - 2, ".$", 2) == 0) ||
		PgBsonIterIs(field, "$");
}

/* true, false or a number: include the field, or leave it out */
static void
parse_flag(Parser *p, PgBsonProjectNode *parent, const PgBsonIter *field, bool at_root)
{
	bool		is_id = at_root && PgBsonIterIs(field, "_id");
	bool		includes;

	if (field->value.type == PGBSON_BOOL)
		includes = field->value.data[0] != 0;
	else
	{
		bool		exact;

		includes = PgBsonNumberToDouble(&field->value, &exact) != 0 || !exact;
	}
	if (includes && !p->of_stage && is_positional(field) && field->key_len > 2)
	{
		parse_positional(p, parent, field, at_root);
		return;
	}
	PgBsonProjectAdd(parent, field, field->key_len,
					 PgBsonProjectNodeNew(includes ? PGBSON_PROJECT_INCLUDE : PGBSON_PROJECT_EXCLUDE));
	if (!is_id)
		set_type(p, field, includes);
	else if (includes)
		p->id_included = true;
}

/* The int nearest to a number */
static int32
number_to_int(const PgBsonValue *value)
{
	int64		n;
	double		d;
	bool		exact;

	if (PgBsonNumberTruncate(value, &n))
		return Min(Max(n, PG_INT32_MIN), PG_INT32_MAX);
	d = PgBsonNumberToDouble(value, &exact);
	return d > 0 ? PG_INT32_MAX : d < 0 ? PG_INT32_MIN : 0;
}

/* {field: {"$slice": n}} or [skip, n]; with other arguments it is the expression operator $slice */
static void
parse_slice(Parser *p, PgBsonProjectNode *parent, const PgBsonIter *field, const PgBsonValue *operand)
{
	PgBsonProjectNode *node = PgBsonProjectNodeNew(PGBSON_PROJECT_SLICE);
	PgBsonValue *parts;
	int			nparts;

	if (PgBsonIsNumber(operand->type))
		node->limit = number_to_int(operand);
	else
	{
		if (operand->type != PGBSON_ARRAY)
			PgBsonProjectWrong(field, gettext_noop("The operand of $slice must be a number or an array of two numbers."));
		parts = PgBsonValuesOf(operand, &nparts);
		/* the operator of expressions has an array first, and gives null if an argument is null */
		if (nparts >= 2 && (!PgBsonIsNumber(parts[0].type) || parts[1].type == PGBSON_NULL))
		{
			parse_expression(p, parent, field);
			return;
		}
		if (nparts != 2 || !PgBsonIsNumber(parts[1].type))
			PgBsonProjectWrong(field, gettext_noop("The operand of $slice must be a number or an array of two numbers."));
		node->skips = true;
		node->skip = number_to_int(&parts[0]);
		node->limit = number_to_int(&parts[1]);
		if (node->limit <= 0)
			PgBsonProjectWrong(field, gettext_noop("The second number of $slice must be positive."));
	}
	PgBsonProjectAdd(parent, field, field->key_len, node);
	p->has_slice = true;
}

static void
parse_projected_elem_match(Parser *p, PgBsonProjectNode *parent, const PgBsonIter *field, bool at_root,
				 const PgBsonIter *operator)
{
	PgBsonProjectNode *node = PgBsonProjectNodeNew(PGBSON_PROJECT_ELEM_MATCH);
	PgBsonValue query;

	if (operator->value.type != PGBSON_DOCUMENT)
		PgBsonProjectWrong(field, gettext_noop("The operand of $elemMatch must be a document."));
	if (p->has_positional)
		PgBsonProjectWrong(field, gettext_noop("The positional \"$\" cannot be used together with $elemMatch."));
	if (!at_root || memchr(field->key, '.', field->key_len) != NULL)
		PgBsonProjectWrong(field, gettext_noop("$elemMatch is for a field of the document itself."));
	PgBsonProjectAdd(parent, field, field->key_len, node);

	query = PgBsonMakePair(field->key, field->key_len, &field->value);
	refuse_special(field, &query);
	node->condition = PgBsonPositionParse(&query);
	p->has_elem_match = true;
}

/* A field whose value is a document: an operator, or the fields below this one */
static void
parse_projected_document(Parser *p, PgBsonProjectNode *parent, const PgBsonIter *field, bool at_root)
{
	PgBsonProjectNode *node;
	PgBsonIter	operator;

	check_stack_depth();
	if (is_positional(field))
		PgBsonProjectWrong(field, gettext_noop("The positional \"$\" is for fields that are included."));
	if (PgBsonIsEmpty(&field->value))
		PgBsonProjectWrong(field, gettext_noop("Its value is an empty document."));
	if (PgBsonOnlyField(&field->value, &operator) && operator.key[0] == '$' &&
		!PgBsonKeyIsReference(operator.key, operator.key_len))
	{
		if (PgBsonIterIs(&operator, "$slice") && !p->of_stage)
			parse_slice(p, parent, field, &operator.value);
		else if (PgBsonIterIs(&operator, "$elemMatch") && !p->of_stage)
			parse_projected_elem_match(p, parent, field, at_root, &operator);
		else
			parse_expression(p, parent, field);
		return;
	}
	/* a path with dots may have made this node before */
	node = PgBsonProjectPath(parent, field);
	PgBsonForEach(iter, PgBsonValueView(&field->value))
		parse_projected_field(p, node, &iter, false);
}

/* One field of the projection, or of a document within it */
static void
parse_projected_field(Parser *p, PgBsonProjectNode *parent, const PgBsonIter *field, bool at_root)
{
	if (field->value.type == PGBSON_DOCUMENT)
		parse_projected_document(p, parent, field, at_root);
	else if (field->value.type == PGBSON_BOOL || PgBsonIsNumber(field->value.type))
		parse_flag(p, parent, field, at_root);
	else if (is_positional(field))
		PgBsonProjectWrong(field, gettext_noop("The positional \"$\" is for fields that are included."));
	else
		parse_expression(p, parent, field);
}

/* Include _id, which a projection does unless it says otherwise */
static void
include_id(const Parser *p)
{
	PgBsonProjectNode *root = p->projection->root;

	if (!p->projection->includes && p->id_included)
		((PgBsonProjectNode *) lfirst(PgBsonProjectChild(root, "_id", 3)))->kind = PGBSON_PROJECT_INCLUDE;
	if (p->projection->includes && !p->id_specified)
		lfirst(PgBsonProjectChild(root, "_id", 3)) = PgBsonProjectNodeNew(PGBSON_PROJECT_INCLUDE);
}

/* A projection without fields; "use" is NULL for that of find(), and for $unset */
static PgBsonProjection *
new_projection(PgBsonExprUse *use)
{
	PgBsonProjection *projection = palloc0_object(PgBsonProjection);

	projection->use = use;
	projection->root = PgBsonProjectNodeNew(PGBSON_PROJECT_PATH);
	return projection;
}

static PgBsonProjection *
parse_projection(Parser *p, const PgBsonValue *spec, PgBsonExprUse *use)
{
	PgBsonProjection *projection = new_projection(use);

	p->projection = projection;
	PgBsonForEach(iter, PgBsonValueView(spec))
	{
		if (PgBsonIterIs(&iter, "_id") || (iter.key_len > 4 && memcmp(iter.key, "_id.", 4) == 0))
			p->id_specified = true;
		parse_projected_field(p, projection->root, &iter, true);
	}
	/* no field but _id is named */
	if (!p->has_type)
		projection->includes = p->id_included || (p->has_elem_match && !p->has_slice);
	include_id(p);
	(void) PgBsonProjectSumUp(projection->root, projection->includes);
	return projection;
}

PgBsonProjection *
PgBsonProjectionParse(const PgBsonValue *projection, const PgBsonValue *query)
{
	Parser		p = {0};

	if (projection->type != PGBSON_DOCUMENT)
		PgBsonReportInvalid(errmsg("a bson projection must be a document"),
							errdetail("It is of type %s.", PgBsonTypeName(projection->type)));
	p.query = query;
	return parse_projection(&p, projection, NULL);
}

PgBsonProjection *
PgBsonProjectionParseStage(const PgBsonValue *projection, PgBsonExprUse *use)
{
	Parser		p = {.of_stage = true};

	return parse_projection(&p, projection, use);
}

/* --- $addFields and $unset --- */

/* Is this {operator: operand}?  A document with an operator has no other fields. */
static bool
is_expression(const PgBsonIter *field)
{
	bool		has_operator = false;
	int			count = 0;

	PgBsonForEach(iter, PgBsonValueView(&field->value))
	{
		count++;
		has_operator |= iter.key[0] == '$';
	}
	if (has_operator && count > 1)
		PgBsonProjectWrong(field, gettext_noop("A document with an operator must have no other field."));
	return has_operator;
}

/* Add the fields of $addFields, or of a document within it: expressions, and documents of the fields below */
static void
add_fields(PgBsonProjection *projection, PgBsonProjectNode *parent, const PgBsonValue *doc, bool at_root)
{
	check_stack_depth();
	PgBsonForEach(iter, PgBsonValueView(doc))
	{
		if (!at_root && memchr(iter.key, '.', iter.key_len) != NULL)
			PgBsonProjectWrong(&iter, gettext_noop("A name within a document must not have a dot."));
		if (iter.value.type != PGBSON_DOCUMENT || is_expression(&iter) || iter.value.len == PGBSON_MIN_SIZE)
			PgBsonProjectAddExpression(projection, parent, &iter);
		else
			add_fields(projection, PgBsonProjectPath(parent, &iter), &iter.value, false);
	}
}

PgBsonProjection *
PgBsonProjectionParseAdd(const PgBsonValue *fields, PgBsonExprUse *use)
{
	PgBsonProjection *projection = new_projection(use);

	projection->adds = true;
	add_fields(projection, projection->root, fields, true);
	(void) PgBsonProjectSumUp(projection->root, false);
	return projection;
}

PgBsonProjection *
PgBsonProjectionParseUnset(const PgBsonValue *paths)
{
	PgBsonProjection *projection = new_projection(NULL);

	PgBsonForEach(iter, PgBsonValueView(paths))
	{
		PgBsonIter	field = iter;

		field.key = PgBsonValueString(&iter.value, &field.key_len);
		PgBsonProjectAdd(projection->root, &field, field.key_len, PgBsonProjectNodeNew(PGBSON_PROJECT_EXCLUDE));
	}
	return projection;
}
