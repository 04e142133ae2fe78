/*
 * expr_logic.c
 *	  Expressions: comparisons, conditions, $let, $literal.
 *
 * The authority is MongoDB's src/mongo/db/exec/expression/evaluate_logical.cpp.
 */
#include "mongo/expr/expr.h"

/* The results of a comparison that each operator takes as true */
enum
{
	LESS = 1, EQUAL = 2, GREATER = 4
};

/* The two arguments; a missing value sorts before everything but MinKey */
static inline int
compare_two(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonValue a = PgBsonExprArg(run, e, 0);
	PgBsonValue b = PgBsonExprArg(run, e, 1);

	if (likely(a.type == PGBSON_INT32 && b.type == PGBSON_INT32))
	{
		int32		x = PgBsonReadI32(a.data);
		int32		y = PgBsonReadI32(b.data);

		return (x > y) - (x < y);
	}
	return PgBsonExprCompare(&a, &b);
}

/* $eq and the like */
static inline bool
comparison_holds(PgBsonExprRun *run, const PgBsonExpr *e)
{
	int			cmp = compare_two(run, e);

	return (e->op->code & (cmp < 0 ? LESS : cmp == 0 ? EQUAL : GREATER)) != 0;
}

static PgBsonValue
eval_compare(PgBsonExprRun *run, const PgBsonExpr *e)
{
	return PgBsonMakeBool(comparison_holds(run, e));
}

static PgBsonValue
eval_cmp(PgBsonExprRun *run, const PgBsonExpr *e)
{
	int			cmp = compare_two(run, e);

	return PgBsonMakeInt32((cmp > 0) - (cmp < 0));
}

/* Is the argument true?  The condition is mostly a comparison, of which no value is made. */
static inline bool
test_arg(PgBsonExprRun *run, const PgBsonExpr *e, int i)
{
	PgBsonValue value;

	if (likely(e->args[i]->eval == eval_compare))
		return comparison_holds(run, e->args[i]);
	value = PgBsonExprArg(run, e, i);
	return PgBsonExprIsTrue(&value);
}

/* $and and $or: arguments are evaluated until one decides */
static PgBsonValue
eval_and_or(PgBsonExprRun *run, const PgBsonExpr *e)
{
	bool		any = e->op->code != 0;

	check_stack_depth();
	for (int i = 0; i < e->nargs; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (test_arg(run, e, i) == any)
			return PgBsonMakeBool(any);
	}
	return PgBsonMakeBool(!any);
}

static PgBsonValue
eval_not(PgBsonExprRun *run, const PgBsonExpr *e)
{
	return PgBsonMakeBool(!test_arg(run, e, 0));
}

/* $cond: the operand is [if, then, else], or a document with these names */
static void
parse_cond(PgBsonExprParser *parser, PgBsonExpr *e, const PgBsonValue *operand)
{
	if (operand->type == PGBSON_DOCUMENT)
	{
		/* a document as the operand can only be the named arguments */
		PgBsonExprParseNamed(parser, e, operand);
		return;
	}
	if (operand->type != PGBSON_ARRAY || PgBsonViewCount(PgBsonValueView(operand)) != 3)
		PgBsonExprBadOperand(e, gettext_noop("Exactly three arguments are expected."));
	e->args = palloc(3 * sizeof(PgBsonExpr *));
	PgBsonForEach(iter, PgBsonValueView(operand))
		e->args[e->nargs++] = PgBsonExprParseOperand(parser, &iter.value);
}

static PgBsonValue
eval_cond(PgBsonExprRun *run, const PgBsonExpr *e)
{
	check_stack_depth();
	return PgBsonExprArg(run, e, test_arg(run, e, 0) ? 1 : 2);
}

/* $ifNull: the first argument that is neither null nor missing, else the last one */
static PgBsonValue
eval_if_null(PgBsonExprRun *run, const PgBsonExpr *e)
{
	PgBsonValue value = PgBsonExprArg(run, e, 0);

	check_stack_depth();
	for (int i = 1; i < e->nargs && PgBsonIsNothing(&value); i++)
	{
		CHECK_FOR_INTERRUPTS();
		value = PgBsonExprArg(run, e, i);
	}
	return value;
}

/* One branch of $switch */
static void
parse_branch(PgBsonExprParser *parser, PgBsonExpr *e, const PgBsonValue *branch)
{
	PgBsonValue named[2];

	PgBsonExprReadNamed(e, branch, "case! then!", named);
	for (int i = 0; i < lengthof(named); i++)
		e->args[e->nargs++] = PgBsonExprParseOperand(parser, &named[i]);
}

/* Parse $switch: the arguments are "case" and "then" of each branch and, at the end, any default */
static void
parse_switch(PgBsonExprParser *parser, PgBsonExpr *e, const PgBsonValue *operand)
{
	PgBsonValue named[2];		/* branches, default */
	PgBsonView	branches;

	PgBsonExprReadNamed(e, operand, "branches default", named);
	if (PgBsonHasDuplicateKeys(PgBsonValueView(operand)))
		PgBsonExprBadOperand(e, gettext_noop("\"branches\" or \"default\" occurs twice."));
	if (named[0].type != PGBSON_MISSING && named[0].type != PGBSON_ARRAY)
		PgBsonExprBadOperand(e, gettext_noop("\"branches\" must be an array."));
	if (named[0].type == PGBSON_MISSING || named[0].len == PGBSON_MIN_SIZE)
		PgBsonExprBadOperand(e, gettext_noop("At least one branch is expected."));
	branches = PgBsonValueView(&named[0]);
	e->args = palloc_extended((2 * (Size) PgBsonViewCount(branches) + 1) * sizeof(PgBsonExpr *), MCXT_ALLOC_HUGE);
	PgBsonForEach(iter, branches)
		parse_branch(parser, e, &iter.value);
	if (named[1].type != PGBSON_MISSING)
		e->args[e->nargs++] = PgBsonExprParseOperand(parser, &named[1]);
}

/* $switch: "then" of the first branch whose case is true; 22023 if there is none and no default */
static PgBsonValue
eval_switch(PgBsonExprRun *run, const PgBsonExpr *e)
{
	check_stack_depth();
	for (int i = 0; i + 1 < e->nargs; i += 2)
	{
		CHECK_FOR_INTERRUPTS();
		if (test_arg(run, e, i))
			return PgBsonExprArg(run, e, i + 1);
	}
	if (e->nargs % 2 == 0)
		PgBsonExprWrongValue(e, gettext_noop("No branch has a case that is true, and there is no default."));
	return PgBsonExprArg(run, e, e->nargs - 1);
}

static void
parse_literal(PgBsonExprParser *parser, PgBsonExpr *e, const PgBsonValue *operand)
{
	e->constant = *operand;
}

/* Parse $let: the arguments are the variables' values, whose slots begin at e->slot, and then "in" */
static void
parse_let(PgBsonExprParser *parser, PgBsonExpr *e, const PgBsonValue *operand)
{
	PgBsonValue named[2];		/* vars, in */
	PgBsonView	vars;
	int			scope = parser->nscope;

	PgBsonExprReadNamed(e, operand, "vars! in!", named);
	if (named[0].type != PGBSON_DOCUMENT)
		PgBsonExprBadOperand(e, gettext_noop("\"vars\" must be a document."));
	vars = PgBsonValueView(&named[0]);
	e->args = palloc_extended((PgBsonViewCount(vars) + (Size) 1) * sizeof(PgBsonExpr *), MCXT_ALLOC_HUGE);
	/* the variables are not visible in their own values */
	PgBsonForEach(iter, vars)
	{
		PgBsonExprCheckVariable(e, iter.key, iter.key_len);
		e->args[e->nargs++] = PgBsonExprParseOperand(parser, &iter.value);
	}
	e->slot = parser->expression->nslots;
	PgBsonForEach(iter, vars)
		(void) PgBsonExprDefine(parser, iter.key, iter.key_len);
	e->args[e->nargs++] = PgBsonExprParseOperand(parser, &named[1]);
	parser->nscope = scope;
}

/* $let: set the variables, then evaluate "in" */
static PgBsonValue
eval_let(PgBsonExprRun *run, const PgBsonExpr *e)
{
	check_stack_depth();
	for (int i = 0; i < e->nargs - 1; i++)
		run->slots[e->slot + i] = PgBsonExprArg(run, e, i);
	return PgBsonExprArg(run, e, e->nargs - 1);
}

static PgBsonValue
eval_is_number(const PgBsonExpr *e, const PgBsonValue *args)
{
	return PgBsonMakeBool(PgBsonIsNumber(args[0].type));
}

static PgBsonValue
type_of(const PgBsonExpr *e, const PgBsonValue *args)
{
	const char *name = PgBsonExprTypeName(&args[0]);

	return PgBsonMakeString(name, strlen(name));
}

const PgBsonExprOp PgBsonExprLogic[] = {
	{"$eq", 2, 2, eval_compare, EQUAL},
	{"$ne", 2, 2, eval_compare, LESS | GREATER},
	{"$gt", 2, 2, eval_compare, GREATER},
	{"$gte", 2, 2, eval_compare, GREATER | EQUAL},
	{"$lt", 2, 2, eval_compare, LESS},
	{"$lte", 2, 2, eval_compare, LESS | EQUAL},
	{"$cmp", 2, 2, eval_cmp},
	{"$and", 0, -1, eval_and_or, 0},
	{"$or", 0, -1, eval_and_or, 1},
	{"$not", 1, 1, eval_not},
	{"$cond", 3, 3, eval_cond, 0, "if! then! else!", parse_cond},
	{"$ifNull", 2, -1, eval_if_null},
	{"$switch", 0, -1, eval_switch, 0, NULL, parse_switch},
	{"$literal", 1, 1, PgBsonExprEvalConstant, 0, NULL, parse_literal},
	{"$const", 1, 1, PgBsonExprEvalConstant, 0, NULL, parse_literal},
	{"$let", 0, -1, eval_let, 0, NULL, parse_let},
	PGBSON_EXPR_SIMPLE("$isNumber", "V", eval_is_number, 0),
	PGBSON_EXPR_SIMPLE("$type", "V", type_of, 0),
	{NULL}
};
