/*
 * condition.c
 *	  Predicates that a call site tests often, made ready.
 *
 * Most predicates compare a member of $ or @ with a literal or a variable: $.a.b > 5, @.c == $x.  A call
 * site whose path stays the same makes a tree of such a predicate.  It holds the steps to the member and
 * the literal's value, so that they are taken from the path once, and a hint for each comparison
 * (core/find/path.h).  Anything else is left to predicate.c; so is a row that has an array on
 * the way to the member, because the array would be unwrapped.
 *
 * Of a toasted document no more is read than leads to these members, as by the
 * operator ->, unless such a row is left to predicate.c.
 */
#include "jsonpath/exec.h"

/* A predicate about one member of $ or @: a comparison, starts with, like_regex or exists */
typedef struct Test
{
	bool		from_current;	/* the member is one of @; otherwise of $ */
	bool		exists;			/* it only has to exist */
	int			nsteps;
	PgBsonStep *steps;
	PgBsonFindHint hint;
	bool		with_variable;	/* the member is compared with "variable"; otherwise with "literal" */
	JsonPathItem variable;
	PgBsonJpItem literal;
} Test;

struct PgBsonJpCondition
{
	JsonPathItem item;
	PgBsonJpCondition *side;	/* for && and ||, the first operand; for ! and "is unknown", the only one */
	PgBsonJpCondition *next;	/* the next operand of the && or || that this is an operand of */
	Test	   *test;			/* of any other predicate; NULL: predicate.c evaluates it */
};

/*
 * The deepest nesting of &&, ||, ! and "is unknown" that is made ready.  Deeper predicates are left to
 * predicate.c, which takes less stack for each level: a path that it can evaluate must not fail here.
 */
#define MOST_LEVELS		100

static PgBsonJpCondition *condition_of(JsonPathItem *item, MemoryContext context, int level);
static PgBsonJpTruth holds(PgBsonJpState *st, PgBsonJpCondition *condition, const PgBsonJpItem *item);

/* Take the names of $.a.b or @.a.b into the test; false if the operand is something else */
static bool
make_member(Test *test, JsonPathItem *operand)
{
	JsonPathItem at = *operand;
	JsonPathItem next;
	int			n = 0;

	if (at.type != jpiRoot && at.type != jpiCurrent)
		return false;
	test->from_current = at.type == jpiCurrent;
	for (; jspGetNext(&at, &next); at = next)
	{
		CHECK_FOR_INTERRUPTS();
		if (next.type != jpiKey)
			return false;
		n++;
	}
	test->steps = palloc0((Size) Max(n, 1) * sizeof(PgBsonStep));
	for (at = *operand; jspGetNext(&at, &next); at = next)
	{
		PgBsonStep *step = &test->steps[test->nsteps++];

		step->kind = PGBSON_STEP_KEY;
		step->key = PgBsonJsonpathString(&next, &step->key_len);
	}
	return true;
}

static bool
make_literal(Test *test, JsonPathItem *operand)
{
	PgBsonValue forms[2] = {0};
	bool		exact;
	int			n = PgBsonJpIsLiteral(operand) ? PgBsonJsonpathLiteralForms(operand, forms, &exact) : 0;

	test->variable = *operand;
	test->with_variable = operand->type == jpiVariable && !jspHasNext(operand);
	test->literal = PgBsonJpValueItem(forms[0]);
	return n > 0 || test->with_variable;
}

/* Make the test, if the predicate is one that a Test can hold; else return false */
static bool
make_test(Test *test, JsonPathItem *item)
{
	JsonPathItem left;
	JsonPathItem right;

	switch (item->type)
	{
		case jpiExists:
			test->exists = true;
			jspGetArg(item, &left);
			return make_member(test, &left);
		case jpiLikeRegex:
			jspInitByBuffer(&left, item->base, item->content.like_regex.expr);
			return make_member(test, &left);
		default:
			jspGetLeftArg(item, &left);
			jspGetRightArg(item, &right);
			return make_member(test, &left) && make_literal(test, &right);
	}
}

/*
 * Make the operands of a && b && c, which the parser made into (a && b) && c, one list: evaluating
 * a list takes no stack, however long it is
 */
static void
make_chain(PgBsonJpCondition *condition, MemoryContext context, int level)
{
	JsonPathItem at = condition->item;
	JsonPathItem side;
	PgBsonJpCondition *made;

	do
	{
		CHECK_FOR_INTERRUPTS();
		jspGetRightArg(&at, &side);
		made = condition_of(&side, context, level);
		made->next = condition->side;
		condition->side = made;
		jspGetLeftArg(&at, &side);
		at = side;
	} while (at.type == condition->item.type);
	made = condition_of(&at, context, level);
	made->next = condition->side;
	condition->side = made;
}

static PgBsonJpCondition *
condition_of(JsonPathItem *item, MemoryContext context, int level)
{
	PgBsonJpCondition *condition = palloc0(sizeof(PgBsonJpCondition));
	JsonPathItem side;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	condition->item = *item;
	if (level >= MOST_LEVELS)
		return condition;
	switch (item->type)
	{
		case jpiAnd:
		case jpiOr:
			make_chain(condition, context, level + 1);
			break;
		case jpiNot:
		case jpiIsUnknown:
			jspGetArg(item, &side);
			condition->side = condition_of(&side, context, level + 1);
			break;
		default:
			condition->test = palloc0(sizeof(Test));
			if (!make_test(condition->test, item))
			{
				pfree(condition->test);
				condition->test = NULL;
			}
			break;
	}
	return condition;
}

/*
 * Find the member.  Returns PGBSON_JP_FAILED if there is an array on the way to it, or if the
 * member is an array that would be unwrapped.
 */
static inline PgBsonJpOutcome
find_tested_member(PgBsonJpState *st, Test *test, PgBsonJpItem *found)
{
	const PgBsonJpItem *from = test->from_current ? st->current : &st->root;
	bool		partial = st->partial && from == &st->root;
	bool		there;

	if (test->nsteps == 0)
	{
		if (partial)
			PgBsonJpReadRoot(st);
		*found = *from;
	}
	else if (from->kind != PGBSON_JP_VALUE)
		return PGBSON_JP_EMPTY;
	else
	{
		found->kind = PGBSON_JP_VALUE;
		found->u.value = from->u.value;
		there = PgBsonFindIn(partial ? &st->call->reader : NULL, &found->u.value, &test->hint,
							 test->steps, test->nsteps);
		if (there && test->exists)
			return PGBSON_JP_FOUND;
		if (!there && found->u.value.type != PGBSON_ARRAY)
			return PGBSON_JP_EMPTY;
	}
	return PgBsonJpIsType(found, PGBSON_ARRAY) ? PGBSON_JP_FAILED : PGBSON_JP_FOUND;
}

/* && and || */
static inline PgBsonJpTruth
prepared_connective(PgBsonJpState *st, PgBsonJpCondition *condition, const PgBsonJpItem *item, PgBsonJpTruth decisive)
{
	PgBsonJpCondition *side = condition->side;
	PgBsonJpTruth truth = holds(st, side, item);

	while (truth != decisive && (side = side->next) != NULL)
	{
		CHECK_FOR_INTERRUPTS();
		truth = PgBsonJpConnect(truth, holds(st, side, item), decisive);
	}
	return truth;
}

static inline PgBsonJpTruth
test_holds(PgBsonJpState *st, PgBsonJpCondition *condition, const PgBsonJpItem *item)
{
	PgBsonJpOutcome outcome = PGBSON_JP_FAILED;
	Test	   *test = condition->test;
	PgBsonJpItem found;
	PgBsonJpItem variable;

	if (test != NULL)
		outcome = find_tested_member(st, test, &found);
	/* a variable that the caller did not give is an error, also where the member is missing */
	if (outcome != PGBSON_JP_FAILED && test->with_variable)
	{
		variable = PgBsonJpLiteralItem(st, &test->variable);
		/* the variable is an array and would be unwrapped, which a test does not do */
		if (PgBsonJpIsType(&variable, PGBSON_ARRAY))
			outcome = PGBSON_JP_FAILED;
	}
	if (outcome == PGBSON_JP_FAILED)
		return PgBsonJpPredicate(st, &condition->item, item);
	if (outcome == PGBSON_JP_EMPTY)
		return PGBSON_JP_FALSE;
	if (test->exists)
		return PGBSON_JP_TRUE;
	if (test->with_variable)
		return PgBsonJpPairSatisfies(st, &condition->item, &found, &variable);
	return PgBsonJpPairSatisfies(st, &condition->item, &found, &test->literal);
}

static PgBsonJpTruth
holds(PgBsonJpState *st, PgBsonJpCondition *condition, const PgBsonJpItem *item)
{
	if (condition->side == NULL)
		return test_holds(st, condition, item);

	check_stack_depth();
	switch (condition->item.type)
	{
		case jpiAnd:
			return prepared_connective(st, condition, item, PGBSON_JP_FALSE);
		case jpiOr:
			return prepared_connective(st, condition, item, PGBSON_JP_TRUE);
		case jpiNot:
			return PgBsonJpNot(holds(st, condition->side, item));
		default:
			return PgBsonJpIsUnknown(holds(st, condition->side, item));
	}
}

PgBsonJpTruth
PgBsonJpTest(PgBsonJpState *st, char *base, int32 position, const PgBsonJpItem *item)
{
	PgBsonJpMemory *memory = st->memory;
	PgBsonJpLiteral *remembered = NULL;
	JsonPathItem predicate;
	MemoryContext saved;

	if (memory->lasting && st->lax)
	{
		/* both share one table by address, but a literal and a predicate never begin at the same one */
		remembered = PgBsonJpLiteralAt(st, base + position);
		if (likely(remembered->condition != NULL))
			return holds(st, remembered->condition, item);
	}
	jspInitByBuffer(&predicate, base, position);
	if (remembered == NULL || !remembered->tested)
	{
		if (remembered != NULL)
			remembered->tested = true;
		return PgBsonJpPredicate(st, &predicate, item);
	}
	saved = MemoryContextSwitchTo(memory->context);
	remembered->condition = condition_of(&predicate, memory->context, 0);
	MemoryContextSwitchTo(saved);
	return holds(st, remembered->condition, item);
}
