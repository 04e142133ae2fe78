/*
 * check.c
 *	  What the CHECKs of a table say of the fields of all documents.
 *
 * CHECK (bson_typeof(data -> 'a') <> 'array') says that the field is no array, and with IS TRUE that all documents have
 * it; so does CHECK (data -> 'a' IS NOT NULL).
 */
#include "pipeline/parse/stage.h"

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

typedef struct Checks
{
	Oid			type;			/* of bson */
	Oid			schema;			/* of its functions */
	AttrNumber	column;
	List	   *fields;			/* PgBsonIndexed *, one for each fact */
} Checks;

/* Note that a field is there, or is no array, if the expression is one */
static void
note_field(Checks *checks, Node *expression, bool scalar, bool present)
{
	PgBsonIndexed *field = palloc0_object(PgBsonIndexed);

	if (!PgBsonParseField(checks->type, expression, checks->column, field) || field->path.len == 0)
		return;
	field->scalar = scalar;
	field->present = present;
	checks->fields = lappend(checks->fields, field);
}

/* bson_typeof(expression) <> 'array' */
static void
read_type(Checks *checks, const OpExpr *unequal, bool present)
{
	FuncExpr   *call = linitial(unequal->args);
	Const	   *name = llast(unequal->args);

	if (get_opcode(unequal->opno) != F_TEXTNE || !IsA(call, FuncExpr) || !IsA(name, Const) || name->constisnull ||
		list_length(call->args) != 1 || get_func_namespace(call->funcid) != checks->schema ||
		strcmp(get_func_name(call->funcid), "bson_typeof") != 0 || strcmp(TextDatumGetCString(name->constvalue), "array") != 0)
		return;
	note_field(checks, linitial(call->args), true, present);
}

/* A condition that is true of all documents or, unless "present", NULL */
static void
read_condition(Checks *checks, Node *condition, bool present)
{
	check_stack_depth();
	if (is_andclause(condition))
	{
		foreach_ptr(Node, part, ((BoolExpr *) condition)->args)
			read_condition(checks, part, present);
	}
	else if (IsA(condition, BooleanTest) && ((BooleanTest *) condition)->booltesttype == IS_TRUE)
		read_condition(checks, (Node *) ((BooleanTest *) condition)->arg, true);
	else if (IsA(condition, NullTest) && ((NullTest *) condition)->nulltesttype == IS_NOT_NULL)
		note_field(checks, (Node *) ((NullTest *) condition)->arg, false, true);
	else if (IsA(condition, OpExpr))
		read_type(checks, (OpExpr *) condition, present);
}

/* Does a fact say this of the field that has the first bytes of a path as its path? */
static bool
is_said(const List *facts, const char *path, uint32 len, bool scalar)
{
	foreach_ptr(const PgBsonIndexed, fact, facts)
	{
		if ((scalar ? fact->scalar : fact->present) && PgBsonKeyIs(fact->path.key, fact->path.len, pnstrdup(path, len)))
			return true;
	}
	return false;
}

void
PgBsonParseChecks(PgBsonSource *source, Oid type, Relation rel, List *fields)
{
	const TupleConstr *constraints = RelationGetDescr(rel)->constr;
	Checks		checks = {type};
	Oid			input;

	getTypeInputInfo(type, &input, &checks.schema);
	checks.schema = get_func_namespace(input);
	checks.column = get_attnum(RelationGetRelid(rel), source->column);
	for (int i = 0; constraints != NULL && i < constraints->num_check; i++)
	{
		const ConstrCheck *check = &constraints->check[i];

		if (check->ccvalid && !check->ccnoinherit)
			read_condition(&checks, stringToNode(check->ccbin), false);
	}
	/* -> finds a field in a document only */
	foreach_ptr(const PgBsonIndexed, fact, checks.fields)
		source->rooted |= fact->present;
	foreach_ptr(PgBsonIndexed, field, fields)
	{
		const char *path = field->path.key;

		field->present = is_said(checks.fields, path, field->path.len, false);
		field->scalar = true;
		for (uint32 len = 1; field->scalar && len <= field->path.len; len++)
		{
			if (len == field->path.len || path[len] == '.')
				field->scalar = is_said(checks.fields, path, len, true);
		}
	}
}
