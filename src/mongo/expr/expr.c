/*
 * expr.c
 *	  Evaluating an expression: the arguments of operators, paths, documents, arrays.
 *
 * The authority is MongoDB's ExpressionFieldPath, ExpressionObject and
 * ExpressionArray in src/mongo/db/pipeline/expression.cpp.
 */
#include "mongo/expr/expr.h"

PgBsonValue
PgBsonExprEvalSimple(PgBsonExprRun *run, const PgBsonExpr *e)
{
	const char *takes = e->op->takes;
	PgBsonValue args[PGBSON_EXPR_MAX_SIMPLE];
	bool		null = false;

	for (int i = 0; i < e->nargs; i++)
	{
		args[i] = PgBsonExprArg(run, e, i);
		null |= PgBsonIsNothing(&args[i]) && takes[i] >= 'a';
	}
	if (null)
		return PgBsonNull;
	for (int i = 0; i < e->nargs; i++)
	{
		if (takes[i] != 'v')
			PgBsonExprNeed(e, &args[i], takes[i] | 0x20);
	}
	return e->op->simple(e, args);
}

void
PgBsonExprCheckMemory(const PgBsonExprRun *run, const PgBsonExpr *e)
{
	const char *where = PgBsonExprName(e);

	PgBsonCheckMemory(run->context, where);
	/* constant parts are evaluated where the tree is */
	PgBsonCheckMemory(CurrentMemoryContext, where);
}

/* Nodes that are not operators */

PgBsonValue
PgBsonExprEvalConstant(PgBsonExprRun *run, const PgBsonExpr *e)
{
	return e->constant;
}

/* At the first evaluation of a constant part its value, allocated where the tree is, replaces the calculation */
PgBsonValue
PgBsonExprEvalOnce(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonExpr *node = (PgBsonExpr *) e;
	MemoryContext old = MemoryContextSwitchTo(GetMemoryChunkContext(node));

	node->constant = e->once(run, e);
	MemoryContextSwitchTo(old);
	node->eval = PgBsonExprEvalConstant;
	return node->constant;
}

static PgBsonValue path_of(const PgBsonValue *value, const PgBsonStep *names, int nnames);

/* From each document among the elements take what the path leads to; other elements give nothing */
static PgBsonValue
path_of_elements(const PgBsonValue *array, const PgBsonStep *names, int nnames)
{
	PgBsonWriter maker;

	PgBsonWriterBegin(&maker, 0);
	maker.made_by = "";
	PgBsonForEach(iter, PgBsonValueView(array))
	{
		PgBsonValue found;

		if (iter.value.type != PGBSON_DOCUMENT)
			continue;
		found = path_of(&iter.value, names, nnames);
		if (found.type != PGBSON_MISSING)
			PgBsonWriterPush(&maker, &found);
	}
	return PgBsonWriterEnd(&maker, PGBSON_ARRAY);
}

/*
 * The value at the path's names from number "name" on, below this value.  If an array is on the way
 * the result is an array with what its documents give.
 */
static PgBsonValue
path_of(const PgBsonValue *value, const PgBsonStep *names, int nnames)
{
	PgBsonValue at = *value;

	for (int i = 0; i < nnames; i++)
	{
		if (at.type == PGBSON_ARRAY)
		{
			check_stack_depth();
			return path_of_elements(&at, names + i, nnames - i);
		}
		if (at.type != PGBSON_DOCUMENT ||
			!PgBsonFindKey(PgBsonValueView(&at), names[i].key, names[i].key_len, &at))
			return PgBsonMissing;
	}
	return at;
}

/* Walk to the shared field of this number; what is found on the way there is noted, too */
static void
walk_to_shared(PgBsonExprRun *run, int number)
{
	PgBsonFieldWalk *walk = &run->walk;
	int			which;
	PgBsonValue value;

	if (run->looked == 0)
	{
		PgBsonReaderPlain(&run->reader, PgBsonCopyFresh(&run->slots[0]));
		PgBsonFieldWalkBegin(walk, run->fields, &run->reader);
	}
	while ((walk->left >> number & 1) != 0 && PgBsonNextField(walk, &which, &value))
	{
		PgBsonCheckStepped(&value);
		run->shared[which] = PgBsonCopyFresh(&value);
	}
	run->looked = ~walk->left;
	if ((walk->left >> number & 1) == 0)
		return;
	for (uint32 left = walk->left; left != 0; left &= left - 1)
		run->shared[pg_rightmost_one_pos32(left)] = PgBsonMissing;
	run->looked = PG_UINT32_MAX;
}

/* Look for a shared field */
static pg_noinline void
find_shared(PgBsonExprRun *run, PgBsonRootField *field)
{
	PgBsonValue *found = &run->shared[field->number];

	if (run->fields != NULL)
	{
		walk_to_shared(run, field->number);
		return;
	}
	*found = PgBsonCopyFresh(&run->slots[0]);
	if (!PgBsonFindIn(NULL, found, &field->hint, &field->name, 1))
		*found = PgBsonMissing;
	run->looked |= (uint32) 1 << field->number;
}

PgBsonValue
PgBsonExprEvalPath(PgBsonExprRun *run, const PgBsonExpr *e)
{
	const PgBsonValue *start = &run->slots[e->slot];
	PgBsonRootField *field = e->field;
	const PgBsonStep *names = e->names;
	int			nnames = e->nnames;
	PgBsonValue from;
	PgBsonValue at;

	if (field != NULL && field->shared && start->type == PGBSON_DOCUMENT)
	{
		if ((run->looked >> field->number & 1) == 0)
			find_shared(run, field);
		start = &run->shared[field->number];
		names++;
		nnames--;
	}
	from = PgBsonCopyFresh(start);
	if (nnames == 0 || from.type == PGBSON_MISSING)
		return from;
	at = from;
	if (PgBsonFindIn(NULL, &at, e->hint, names, nnames))
		return PgBsonCopyFresh(&at);
	return at.type == PGBSON_ARRAY ? path_of(&from, names, nnames) : PgBsonMissing;
}

PgBsonValue
PgBsonExprEvalContainer(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonWriter maker;

	check_stack_depth();
	PgBsonExprBegin(&maker, 0, e);
	for (int i = 0; i < e->nargs; i++)
	{
		PgBsonValue value = PgBsonExprArg(run, e, i);

		CHECK_FOR_INTERRUPTS();
		if (e->names == NULL)
			PgBsonWriterPush(&maker, &value);
		else
			PgBsonWriterField(&maker, e->names[i].key, e->names[i].key_len, &value);
	}
	return PgBsonWriterEnd(&maker, e->names == NULL ? PGBSON_ARRAY : PGBSON_DOCUMENT);
}

/* Is this variable in the list of those that have no value? */
static bool
has_no_value(const PgBsonValue *variables, const PgBsonKeyRef *name)
{
	PgBsonValue list;

	if (!PgBsonFindField(variables, PGBSON_NO_VALUE, &list) || list.type != PGBSON_ARRAY)
		return false;
	PgBsonForEach(iter, PgBsonValueView(&list))
	{
		if (iter.value.type == PGBSON_STRING &&
			PgBsonSameKey(PgBsonStringBytes(&iter.value), PgBsonStringLength(&iter.value), name->key, name->len))
			return true;
	}
	return false;
}

/* The value of a variable that the caller gives; 22023 if the caller gave none of this name */
static PgBsonValue
given_variable(const PgBsonValue *variables, const PgBsonKeyRef *name)
{
	PgBsonValue value;

	if (variables != NULL)
	{
		if (has_no_value(variables, name))
			return PgBsonMissing;
		if (PgBsonFindKey(PgBsonValueView(variables), name->key, name->len, &value))
			return value;
	}
	PgBsonReportInvalid(errmsg("undefined variable in a bson expression: \"%.*s\"",
								(int) name->len, name->key));
}

/* So many slots are on the stack */
#define FEW_SLOTS	16

/* Begin an evaluation, with "few" for the slots if there are few */
static pg_attribute_always_inline void
begin_run(PgBsonExprRun *run, PgBsonValue *few, const PgBsonExpression *expression, const PgBsonValue *doc,
		  const PgBsonValue *variables, const PgBsonValue *values)
{
	run->context = CurrentMemoryContext;
	run->slots = expression->nslots <= FEW_SLOTS ? few : palloc(expression->nslots * sizeof(PgBsonValue));
	run->slots[0] = PgBsonCopyFresh(doc);
	run->looked = 0;
	run->fields = expression->fields;
	for (int i = 0; i < expression->ndefined; i++)
		run->slots[i + 1] = values[i];
	for (int i = 0; i < expression->nvariables; i++)
		run->slots[expression->variable_slots[i]] = given_variable(variables, &expression->variables[i]);
}

PgBsonValue
PgBsonExpressionEvaluate(const PgBsonExpression *expression, const PgBsonValue *doc,
						 const PgBsonValue *variables, const PgBsonValue *values)
{
	PgBsonExprRun run;
	PgBsonValue few[FEW_SLOTS];

	begin_run(&run, few, expression, doc, variables, values);
	return expression->root->eval(&run, expression->root);
}

void
PgBsonExpressionEvaluateFields(const PgBsonExpression *expression, const PgBsonValue *doc, const PgBsonValue *variables,
							   PgBsonValue *values)
{
	PgBsonExprRun run;
	PgBsonValue few[FEW_SLOTS];

	begin_run(&run, few, expression, doc, variables, NULL);
	for (int i = 0; i < expression->root->nargs; i++)
	{
		values[i] = PgBsonExprArg(&run, expression->root, i);
		PgBsonCheckDepth(&values[i], 1);
	}
}
