/*
 * project.c
 *	  A projection made ready, and a document as it shows it.
 *
 * The paths of a projection make a tree, which is followed while the document
 * is passed over once.  See src/mongo/db/query/projection_parser.cpp and
 * src/mongo/db/exec/projection_executor_utils.cpp of MongoDB.
 */
#include "mongo/project.h"

#include "core/build.h"
#include "core/keyset.h"
#include "core/number.h"
#include "core/path.h"
#include "core/recode.h"
#include "core/value.h"
#include "core/write.h"
#include "miscadmin.h"
#include "mongo/match.h"
#include "mongo/position.h"

/* As many names as in any path of MongoDB's aggregation */
#define MAX_NAMES	200

typedef enum ProjectNodeKind
{
	NODE_PATH,					/* there is more below */
	NODE_INCLUDE,
	NODE_EXCLUDE,
	NODE_SLICE,
	NODE_ELEM_MATCH,
	NODE_POSITIONAL
} ProjectNodeKind;

typedef struct ProjectNode
{
	ProjectNodeKind	kind;
	PgBsonKeySet names;			/* of PATH */
	struct ProjectNode **children;		/* of each name */
	int			room;
	bool		positional;		/* of PATH: NODE_POSITIONAL is somewhere below */
	bool		skips;			/* of SLICE: the next is given */
	int32		skip;
	int32		limit;
	const char *name;			/* of ELEM_MATCH */
	uint32		name_len;
	PgBsonPosition *condition;	/* of ELEM_MATCH */
} ProjectNode;

struct PgBsonProjection
{
	bool		includes;		/* what is not mentioned is left out */
	ProjectNode	   *root;
	int			ncomputed;		/* to be added to a document of included fields */
	ProjectNode	  **computed;
	PgBsonPosition *position;	/* of the query, if there is a positional "$" */
};

/* ---- parsing ---- */

typedef struct Parser
{
	PgBsonProjection *projection;
	const PgBsonValue *query;
	bool		has_type;		/* includes is known */
	bool		has_slice;
	bool		has_elem_match;
	bool		has_positional;
	bool		id_specified;
	bool		id_included;
} Parser;

static void parse_field(Parser *p, ProjectNode *parent, const PgBsonIter *field, bool at_root);

/* Raise 22023 for a field: "detail" is a whole sentence */
pg_noreturn static void
wrong_field(const PgBsonIter *field, const char *detail)
{
	uint32		len = field->key_len;
	const char *name = PgBsonTryServerText(field->key, &len);

	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid field in a bson projection: \"%.*s\"",
					name == NULL ? 1 : (int) Min(len, 200), name == NULL ? "?" : name),
			 errdetail_internal("%s", _(detail))));
}

/* Expressions are not offered here yet: this is the place to make a node of one */
pg_noreturn static void
refuse_expression(const PgBsonIter *field)
{
	uint32		len = field->key_len;
	const char *name = PgBsonTryServerText(field->key, &len);

	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("expressions in a bson projection are not supported"),
			 errdetail("The field \"%.*s\" has one.",
					   name == NULL ? 1 : (int) Min(len, 200), name == NULL ? "?" : name)));
}

static ProjectNode *
new_node(ProjectNodeKind kind)
{
	ProjectNode	   *node = palloc0(sizeof(ProjectNode));

	node->kind = kind;
	if (kind == NODE_PATH)
		PgBsonKeySetInit(&node->names);
	return node;
}

static ProjectNode **
child_of(ProjectNode *node, const char *name, uint32 len)
{
	bool		found;
	PgBsonKeyEntry *entry = PgBsonKeySetEnter(&node->names, name, len, &found);
	int			i = entry - node->names.entries;

	if (i >= node->room)
	{
		node->room = Max(node->room * 2, 4);
		if (node->children == NULL)
			node->children = palloc(node->room * sizeof(ProjectNode *));
		else
			node->children = repalloc_huge(node->children, node->room * sizeof(ProjectNode *));
	}
	if (!found)
		node->children[i] = NULL;
	return &node->children[i];
}

/* A name of a path that can name a field */
static void
check_name(const PgBsonIter *field, const PgBsonStep *name)
{
	if (name->key_len == 0)
		wrong_field(field, gettext_noop("A name in a path must not be empty."));
	if (name->key[0] == '$' && !PgBsonKeyIs(name->key, name->key_len, "$id") &&
		!PgBsonKeyIs(name->key, name->key_len, "$ref") &&
		!PgBsonKeyIs(name->key, name->key_len, "$db"))
		wrong_field(field, gettext_noop("A name in a path must not begin with \"$\", which can be its last part alone."));
}

/* Put a node where the field's path leads, of so many bytes */
static void
add_node(ProjectNode *parent, const PgBsonIter *field, uint32 len, ProjectNode *node)
{
	int			nsteps;
	PgBsonStep *steps = PgBsonSplitDotted(field->key, len, &nsteps);

	if (nsteps > MAX_NAMES)
		wrong_field(field, gettext_noop("The path has too many names."));
	for (int i = 0; i < nsteps; i++)
	{
		ProjectNode	  **child;

		check_name(field, &steps[i]);
		if (node->kind == NODE_POSITIONAL)
			parent->positional = true;
		child = child_of(parent, steps[i].key, steps[i].key_len);
		if (i == nsteps - 1)
		{
			if (*child != NULL)
				wrong_field(field, gettext_noop("Another field of the projection is at this path, or below it."));
			*child = node;
			return;
		}
		if (*child == NULL)
			*child = new_node(NODE_PATH);
		if ((*child)->kind != NODE_PATH)
			wrong_field(field, gettext_noop("Another field of the projection is at the beginning of this path."));
		parent = *child;
	}
}

static void
set_type(Parser *p, const PgBsonIter *field, bool includes)
{
	if (p->has_type && p->projection->includes != includes)
	{
		if (includes)
			wrong_field(field, gettext_noop("It is to be included, in a projection that leaves fields out."));
		wrong_field(field, gettext_noop("It is to be left out, in a projection that includes fields."));
	}
	p->has_type = true;
	p->projection->includes = includes;
}

/* Does a query ask something of a path that begins with this name? */
static bool
query_has_path(const PgBsonQuery *query, const PgBsonStep *first)
{
	check_stack_depth();
	if (query->kind != PGBSON_QUERY_AND && query->kind != PGBSON_QUERY_OR &&
		query->kind != PGBSON_QUERY_NOT)
		return query->npath > 0 && query->path[0].key_len == first->key_len &&
			memcmp(query->path[0].key, first->key, first->key_len) == 0;
	for (int i = 0; i < query->nchildren; i++)
	{
		if (query_has_path(query->children[i], first))
			return true;
	}
	return false;
}

static void
parse_positional(Parser *p, ProjectNode *parent, const PgBsonIter *field, bool at_root)
{
	int			nsteps;
	PgBsonStep *steps = PgBsonSplitDotted(field->key, field->key_len, &nsteps);
	const PgBsonQuery *query;

	if (p->has_positional)
		wrong_field(field, gettext_noop("Only one field of a projection may have the positional \"$\"."));
	if (p->has_elem_match)
		wrong_field(field, gettext_noop("The positional \"$\" cannot be used together with $elemMatch."));
	if (!at_root)
		wrong_field(field, gettext_noop("The positional \"$\" is for a path that is written as one name."));
	if (p->query == NULL)
		wrong_field(field, gettext_noop("The positional \"$\" needs the query, as the third argument of bson_project."));
	query = PgBsonQueryParse(p->query);
	if (PgBsonQueryHasExpression(query))
		wrong_field(field, gettext_noop("The positional \"$\" cannot be used together with $expr in the query."));
	if (!query_has_path(query, &steps[0]))
		wrong_field(field, gettext_noop("The query has no condition on this field."));
	add_node(parent, field, field->key_len - 2, new_node(NODE_POSITIONAL));
	p->projection->position = PgBsonPositionParse(p->query);
	p->has_positional = true;
	set_type(p, field, true);
}

static bool
is_positional(const PgBsonIter *field)
{
	return (field->key_len >= 2 && memcmp(field->key + field->key_len - 2, ".$", 2) == 0) ||
		PgBsonIterIs(field, "$");
}

/* true, false, a number: include or leave out */
static void
parse_flag(Parser *p, ProjectNode *parent, const PgBsonIter *field, bool at_root)
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
	if (includes && is_positional(field) && field->key_len > 2)
	{
		parse_positional(p, parent, field, at_root);
		return;
	}
	add_node(parent, field, field->key_len, new_node(includes ? NODE_INCLUDE : NODE_EXCLUDE));
	if (!is_id)
		set_type(p, field, includes);
	else if (includes)
		p->id_included = true;
}

/* A number as an int, the nearest there is */
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

static void
parse_slice(Parser *p, ProjectNode *parent, const PgBsonIter *field, const PgBsonValue *operand)
{
	ProjectNode	   *node = new_node(NODE_SLICE);
	PgBsonValue parts[3];
	PgBsonIter	iter;
	int			nparts = 0;

	if (PgBsonIsNumber(operand->type))
		node->limit = number_to_int(operand);
	else
	{
		if (operand->type != PGBSON_ARRAY)
			wrong_field(field, gettext_noop("The operand of $slice is a number or an array of two numbers."));
		PgBsonIterInit(&iter, PgBsonValueView(operand));
		while (nparts < 3 && PgBsonIterNext(&iter))
			parts[nparts++] = iter.value;
		/* the operator of expressions has an array first */
		if (nparts >= 2 && !PgBsonIsNumber(parts[0].type))
			refuse_expression(field);
		if (nparts != 2 || !PgBsonIsNumber(parts[1].type))
			wrong_field(field, gettext_noop("The operand of $slice is a number or an array of two numbers."));
		node->skips = true;
		node->skip = number_to_int(&parts[0]);
		node->limit = number_to_int(&parts[1]);
		if (node->limit <= 0)
			wrong_field(field, gettext_noop("The second number of $slice must be positive."));
	}
	add_node(parent, field, field->key_len, node);
	p->has_slice = true;
}

static void
parse_elem_match(Parser *p, ProjectNode *parent, const PgBsonIter *field, bool at_root,
				 const PgBsonIter *operator)
{
	PgBsonProjection *projection = p->projection;
	ProjectNode	   *node = new_node(NODE_ELEM_MATCH);
	PgBsonBuilder *b;
	PgBsonValue query;

	if (operator->value.type != PGBSON_DOCUMENT)
		wrong_field(field, gettext_noop("The operand of $elemMatch is a document."));
	if (p->has_positional)
		wrong_field(field, gettext_noop("The positional \"$\" cannot be used together with $elemMatch."));
	if (!at_root || memchr(field->key, '.', field->key_len) != NULL)
		wrong_field(field, gettext_noop("$elemMatch is for a field of the document itself."));
	add_node(parent, field, field->key_len, node);
	node->name = field->key;
	node->name_len = field->key_len;

	b = PgBsonBuilderBegin();
	PgBsonBuilderOpenDocument(b);
	PgBsonBuilderKey(b, field->key, field->key_len);
	PgBsonBuilderValue(b, &field->value);
	PgBsonBuilderClose(b);
	query = PgBsonRoot(PgBsonBuilderFinish(b));
	node->condition = PgBsonPositionParse(&query);

	if (projection->computed == NULL)
		projection->computed = palloc(sizeof(ProjectNode *));
	else
		projection->computed = repalloc(projection->computed,
										(projection->ncomputed + 1) * sizeof(ProjectNode *));
	projection->computed[projection->ncomputed++] = node;
	p->has_elem_match = true;
}

/* A document: an operator, or the fields below */
static void
parse_document(Parser *p, ProjectNode *parent, const PgBsonIter *field, bool at_root)
{
	ProjectNode	   *node;
	PgBsonIter	iter;
	PgBsonIter	second;

	check_stack_depth();
	if (is_positional(field))
		wrong_field(field, gettext_noop("The positional \"$\" is for fields that are included."));
	PgBsonIterInit(&iter, PgBsonValueView(&field->value));
	if (!PgBsonIterNext(&iter))
		wrong_field(field, gettext_noop("Its value is an empty document."));
	second = iter;
	if (iter.key_len > 0 && iter.key[0] == '$' && !PgBsonIterNext(&second))
	{
		if (PgBsonIterIs(&iter, "$slice"))
			parse_slice(p, parent, field, &iter.value);
		else if (PgBsonIterIs(&iter, "$elemMatch"))
			parse_elem_match(p, parent, field, at_root, &iter);
		else
			refuse_expression(field);
		return;
	}
	node = new_node(NODE_PATH);
	add_node(parent, field, field->key_len, node);
	do
	{
		CHECK_FOR_INTERRUPTS();
		parse_field(p, node, &iter, false);
	} while (PgBsonIterNext(&iter));
}

static void
parse_field(Parser *p, ProjectNode *parent, const PgBsonIter *field, bool at_root)
{
	if (field->value.type == PGBSON_DOCUMENT)
		parse_document(p, parent, field, at_root);
	else if (field->value.type == PGBSON_BOOL || PgBsonIsNumber(field->value.type))
		parse_flag(p, parent, field, at_root);
	else if (is_positional(field))
		wrong_field(field, gettext_noop("The positional \"$\" is for fields that are included."));
	else
		refuse_expression(field);
}

/* What a projection does that names no field but _id to include or leave out */
static bool
default_includes(const Parser *p)
{
	if (p->has_slice)
		return p->id_included;
	return p->has_elem_match || p->id_included;
}

/* _id is included unless something else is said of it */
static void
settle_id(const Parser *p)
{
	ProjectNode	   *root = p->projection->root;
	ProjectNode	  **id;

	if (!p->projection->includes && p->id_included)
	{
		/* as for any field that is not mentioned */
		id = child_of(root, "_id", 3);
		(*id)->kind = NODE_INCLUDE;
	}
	if (p->projection->includes && !p->id_specified)
	{
		id = child_of(root, "_id", 3);
		*id = new_node(NODE_INCLUDE);
	}
}

PgBsonProjection *
PgBsonProjectionParse(const PgBsonValue *projection, const PgBsonValue *query)
{
	Parser		p = {0};
	PgBsonIter	iter;

	if (projection->type != PGBSON_DOCUMENT)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a bson projection must be a document"),
				 errdetail("It is of type %s.", PgBsonTypeName(projection->type))));
	p.query = query;
	p.projection = palloc0(sizeof(PgBsonProjection));
	p.projection->root = new_node(NODE_PATH);
	PgBsonIterInit(&iter, PgBsonValueView(projection));
	while (PgBsonIterNext(&iter))
	{
		CHECK_FOR_INTERRUPTS();
		if (PgBsonIterIs(&iter, "_id") || (iter.key_len > 4 && memcmp(iter.key, "_id.", 4) == 0))
			p.id_specified = true;
		parse_field(&p, p.projection->root, &iter, true);
	}
	if (!p.has_type)
		p.projection->includes = default_includes(&p);
	settle_id(&p);
	return p.projection;
}

/* ---- showing ---- */

typedef struct Run
{
	const PgBsonProjection *projection;
	PgBsonValue doc;
	bool		has_position;
	uint32		position;
	PgBsonWriter w;
} Run;

/* Where in the document's arrays something is */
typedef enum Within
{
	WITHIN_DOCUMENT,
	WITHIN_ARRAY,
	WITHIN_NESTED_ARRAY			/* an array that is an element: paths lead through it, $slice does not */
} Within;

static void project_document(Run *run, ProjectNode *node, PgBsonView doc, Within within);

/* Elements from one position to another */
static void
write_slice(PgBsonWriter *w, const PgBsonValue *array, int64 from, int64 to)
{
	PgBsonIter	iter;
	Size		start = PgBsonWriterOpen(w);
	uint32		kept = 0;

	PgBsonIterInit(&iter, PgBsonValueView(array));
	for (int64 i = 0; i < to && PgBsonIterNext(&iter); i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (i < from)
			continue;
		PgBsonWriterIndex(w, iter.value.type, kept++);
		PgBsonWriterValue(w, &iter.value);
	}
	PgBsonWriterClose(w, start);
}

static void
slice_array(PgBsonWriter *w, const ProjectNode *node, const PgBsonValue *array)
{
	int64		skip = node->skips ? node->skip : 0;
	int64		limit = node->limit;
	int64		count;

	if (skip < 0 || limit < 0)
	{
		count = PgBsonViewCount(PgBsonValueView(array));
		if (limit < 0)
		{
			skip = Max(0, count + limit);
			limit = count - skip;
		}
		else
			skip = Max(0, count + skip);
	}
	write_slice(w, array, skip, skip + limit);
}

/* The position that the query found, for an array */
static uint32
found_position(const Run *run)
{
	if (!run->has_position)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the positional \"$\" of a bson projection has no element"),
				 errdetail("The query found no element of an array in the document.")));
	return run->position;
}

/* It must be one of the elements that are shown */
static void
check_position(bool shown)
{
	if (!shown)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the positional \"$\" of a bson projection has no element"),
				 errdetail("The element that the query found is not among those of the field.")));
}

static void
write_position(Run *run, const PgBsonValue *array)
{
	uint32		position = found_position(run);
	Size		before = run->w.len;

	write_slice(&run->w, array, position, (int64) position + 1);
	check_position(run->w.len > before + PGBSON_MIN_SIZE);
}

/* An array on the way of paths: its documents, and in a projection that leaves out all else */
static void
project_array(Run *run, ProjectNode *node, const PgBsonValue *array, Within within)
{
	bool		one = node->positional && within == WITHIN_DOCUMENT;
	uint32		position = one ? found_position(run) : 0;
	Size		start = PgBsonWriterOpen(&run->w);
	uint32		shown = 0;		/* elements that the projection leaves */
	uint32		kept = 0;
	PgBsonIter	iter;

	check_stack_depth();
	PgBsonIterInit(&iter, PgBsonValueView(array));
	while (PgBsonIterNext(&iter))
	{
		CHECK_FOR_INTERRUPTS();
		if (!PgBsonIsContainer(iter.value.type) && run->projection->includes)
			continue;
		if (one && shown++ != position)
			continue;
		PgBsonWriterIndex(&run->w, iter.value.type, kept++);
		if (iter.value.type == PGBSON_DOCUMENT)
			project_document(run, node, PgBsonValueView(&iter.value), Max(within, WITHIN_ARRAY));
		else if (iter.value.type == PGBSON_ARRAY)
			project_array(run, node, &iter.value, WITHIN_NESTED_ARRAY);
		else
			PgBsonWriterValue(&run->w, &iter.value);
	}
	if (one)
		check_position(kept > 0);
	PgBsonWriterClose(&run->w, start);
}

/* The element of a field that $elemMatch finds, as an array of one */
static void
write_elem_match(Run *run, const ProjectNode *node, const PgBsonValue *value)
{
	uint32		position;

	if (value->type != PGBSON_ARRAY || !PgBsonPositionFind(node->condition, &run->doc, &position))
		return;
	PgBsonWriterKey(&run->w, PGBSON_ARRAY, node->name, node->name_len);
	write_slice(&run->w, value, position, (int64) position + 1);
}

/* A field that the projection names */
static void
project_field(Run *run, ProjectNode *node, const PgBsonIter *field, Within within)
{
	PgBsonWriter *w = &run->w;
	bool		is_array = field->value.type == PGBSON_ARRAY;

	if (node->kind == NODE_EXCLUDE)
		return;
	if (node->kind == NODE_ELEM_MATCH)
	{
		/* in a projection that includes fields they come behind the others */
		if (!run->projection->includes)
			write_elem_match(run, node, &field->value);
		return;
	}
	if (node->kind == NODE_PATH && run->projection->includes &&
		!PgBsonIsContainer(field->value.type))
		return;
	PgBsonWriterKey(w, field->value.type, field->key, field->key_len);
	if (node->kind == NODE_PATH && is_array)
		project_array(run, node, &field->value, within);
	else if (node->kind == NODE_PATH && field->value.type == PGBSON_DOCUMENT)
		project_document(run, node, PgBsonValueView(&field->value), within);
	else if (node->kind == NODE_SLICE && is_array && within != WITHIN_NESTED_ARRAY)
		slice_array(w, node, &field->value);
	else if (node->kind == NODE_POSITIONAL && is_array && within == WITHIN_DOCUMENT)
		write_position(run, &field->value);
	else
		PgBsonWriterValue(w, &field->value);
}

/* The fields of a document */
static void
project_fields(Run *run, ProjectNode *node, PgBsonView doc, Within within)
{
	bool		includes = run->projection->includes;
	int			left = node->names.count;
	PgBsonIter	iter;

	PgBsonIterInit(&iter, doc);
	while ((left > 0 || !includes) && PgBsonIterNext(&iter))
	{
		PgBsonKeyEntry *entry = PgBsonKeySetFind(&node->names, iter.key, iter.key_len);

		CHECK_FOR_INTERRUPTS();
		if (entry != NULL)
		{
			project_field(run, node->children[entry - node->names.entries], &iter, within);
			left--;
		}
		else if (!includes)
			PgBsonWriterBytes(&run->w, iter.element, iter.next - iter.element);
	}
}

static void
project_document(Run *run, ProjectNode *node, PgBsonView doc, Within within)
{
	Size		start = PgBsonWriterOpen(&run->w);

	check_stack_depth();
	project_fields(run, node, doc, within);
	PgBsonWriterClose(&run->w, start);
}

PgBson *
PgBsonProject(const PgBsonProjection *projection, PgBsonView doc)
{
	Run			run = {projection, PgBsonRootOf(doc)};
	Size		start;

	if (run.doc.type != PGBSON_DOCUMENT)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a bson projection is for documents"),
				 errdetail("The value is of type %s.", PgBsonTypeName(run.doc.type))));
	if (projection->position != NULL)
		run.has_position = PgBsonPositionFind(projection->position, &run.doc, &run.position);

	PgBsonWriterInit(&run.w, projection->includes ? 256 : run.doc.len);
	start = PgBsonWriterOpen(&run.w);
	project_fields(&run, projection->root, PgBsonValueView(&run.doc), WITHIN_DOCUMENT);
	for (int i = 0; i < projection->ncomputed && projection->includes; i++)
	{
		const ProjectNode *node = projection->computed[i];
		PgBsonValue value;

		if (PgBsonFindKey(PgBsonValueView(&run.doc), node->name, node->name_len, &value))
			write_elem_match(&run, node, &value);
	}
	PgBsonWriterClose(&run.w, start);
	return PgBsonEncloseLookalike(PgBsonWriterFinish(&run.w));
}
