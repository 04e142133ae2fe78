/*
 * predicate.c
 *	  The boolean part of jsonpath: true, false and unknown.
 *
 * A predicate is true if some pair of items of its operands satisfies it.  An
 * error inside it makes it unknown.  Lax mode stops at the first pair that
 * satisfies it; strict mode looks at all pairs, because an error in any of
 * them makes the predicate unknown.
 */
#include "jsonpath/exec.h"

#include "catalog/pg_collation.h"
#include "core/bytes/recode.h"
#include "core/order/compare.h"
#include "regex/regex.h"
#include "utils/builtins.h"

/* Kinds of items. Two items of the same kind can be compared, except containers. */
typedef enum Kind
{
	KIND_OTHER,					/* BSON types that are not below; both items must be of the same type */
	KIND_NULL,
	KIND_BOOL,
	KIND_NUMBER,
	KIND_STRING,
	KIND_DATETIME,
	KIND_CONTAINER
} Kind;

static Kind
kind_of_item(const PgBsonJpItem *item)
{
	static const uint8 kinds[PGBSON_MINKEY + 1] = {
		[PGBSON_NULL] = KIND_NULL, [PGBSON_UNDEFINED] = KIND_NULL, [PGBSON_BOOL] = KIND_BOOL,
		[PGBSON_INT32] = KIND_NUMBER, [PGBSON_INT64] = KIND_NUMBER, [PGBSON_DOUBLE] = KIND_NUMBER,
		[PGBSON_DECIMAL128] = KIND_NUMBER,
		[PGBSON_STRING] = KIND_STRING, [PGBSON_SYMBOL] = KIND_STRING, [PGBSON_DATE] = KIND_DATETIME,
		[PGBSON_DOCUMENT] = KIND_CONTAINER, [PGBSON_ARRAY] = KIND_CONTAINER
	};

	if (item->kind != PGBSON_JP_VALUE)
		return item->kind == PGBSON_JP_NUMERAL ? KIND_NUMBER : KIND_DATETIME;
	return kinds[item->u.value.type];
}

static inline PgBsonJpTruth
truth_of(bool b)
{
	return b ? PGBSON_JP_TRUE : PGBSON_JP_FALSE;
}

static PgBsonJpTruth
compare_satisfies(JsonPathItemType op, int cmp)
{
	/* the results of a comparison that each operator takes: 1 less, 2 equal, 4 greater */
	static const uint8 takes[] = {
		[jpiEqual] = 2, [jpiNotEqual] = 5, [jpiLess] = 1, [jpiGreater] = 4, [jpiLessOrEqual] = 3,
		[jpiGreaterOrEqual] = 6
	};

	if (op >= lengthof(takes) || takes[op] == 0)
		elog(ERROR, "unexpected jsonpath comparison: %d", (int) op);
	return truth_of((takes[op] & (cmp < 0 ? 1 : cmp == 0 ? 2 : 4)) != 0);
}

/* a op b */
static PgBsonJpTruth
compare_items(PgBsonJpState *st, JsonPathItemType op,
			  const PgBsonJpItem *a, const PgBsonJpItem *b)
{
	Kind		kind = kind_of_item(a);
	int			cmp = 0;

	if (kind != kind_of_item(b))
	{
		/* null can be compared with an item of any kind, and is unequal to all but null */
		if (kind == KIND_NULL || kind_of_item(b) == KIND_NULL)
			return truth_of(op == jpiNotEqual);
		return PGBSON_JP_UNKNOWN;
	}

	switch (kind)
	{
		case KIND_NULL:
			break;
		case KIND_NUMBER:
			cmp = PgBsonJpCompareNumbers(st, a, b);
			break;
		case KIND_DATETIME:
			if (!PgBsonJpCompareDatetimes(st, a, b, &cmp))
				return PGBSON_JP_UNKNOWN;
			break;
		case KIND_CONTAINER:
			return PGBSON_JP_UNKNOWN;
		case KIND_OTHER:
			if (a->u.value.type != b->u.value.type)
				return PGBSON_JP_UNKNOWN;
			cmp = PgBsonCompare(&a->u.value, &b->u.value);
			break;
		case KIND_BOOL:
		case KIND_STRING:
			cmp = PgBsonCompare(&a->u.value, &b->u.value);
			break;
	}
	return compare_satisfies(op, cmp);
}

/* Does the string "whole" start with "initial"? */
static PgBsonJpTruth
starts_with(const PgBsonJpItem *whole, const PgBsonJpItem *initial)
{
	uint32		whole_len;
	uint32		initial_len;
	const char *w;
	const char *i;

	if (!PgBsonJpIsString(whole) || !PgBsonJpIsString(initial))
		return PGBSON_JP_UNKNOWN;
	w = PgBsonValueString(&whole->u.value, &whole_len);
	i = PgBsonValueString(&initial->u.value, &initial_len);
	return truth_of(whole_len >= initial_len && memcmp(w, i, initial_len) == 0);
}

/* Evaluate item like_regex pattern; the server itself keeps compiled patterns */
static PgBsonJpTruth
like_regex(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item)
{
	PgBsonJpLiteral *literal;
	uint32		len;
	const char *utf8;
	const char *s;
	bool		matches;

	if (!PgBsonJpIsString(item))
		return PGBSON_JP_UNKNOWN;

	literal = PgBsonJpLiteralAt(st, step->content.like_regex.pattern);
	if (literal->regex == NULL)
	{
		MemoryContext saved = MemoryContextSwitchTo(st->memory->context);

		PGBSON_REGEX_FLAGS(step->content.like_regex.flags, &literal->regex_flags);
		literal->regex = cstring_to_text_with_len(step->content.like_regex.pattern,
												  step->content.like_regex.patternlen);
		MemoryContextSwitchTo(saved);
	}

	s = utf8 = PgBsonValueString(&item->u.value, &len);
	/* the server's matcher stops at U+0000, so the result is unknown */
	if (memchr(utf8, '\0', len) != NULL)
		return PGBSON_JP_UNKNOWN;
	if (PgBsonServerRecodes())
		s = PgBsonToServerText(utf8, &len);
	matches = RE_compile_and_execute(literal->regex, unconstify(char *, s), len,
									 literal->regex_flags, DEFAULT_COLLATION_OID, 0, NULL);
	if (s != utf8)
		pfree(unconstify(char *, s));
	return truth_of(matches);
}

PgBsonJpTruth
PgBsonJpPairSatisfies(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *a, const PgBsonJpItem *b)
{
	switch (step->type)
	{
		case jpiStartsWith:
			return starts_with(a, b);
		case jpiLikeRegex:
			return like_regex(st, step, a);
		default:
			return compare_items(st, step->type, a, b);
	}
}

/* Does some pair of items, one from each sequence, satisfy the predicate?  "right" is NULL for like_regex */
static PgBsonJpTruth
some_pair_satisfies(PgBsonJpState *st, JsonPathItem *step,
					const PgBsonJpSequence *left, const PgBsonJpSequence *right)
{
	uint32		nright = right != NULL ? right->count : 1;
	bool		holds = false;
	bool		unknown = false;

	for (uint32 i = 0; i < left->count; i++)
	{
		for (uint32 j = 0; j < nright; j++)
		{
			CHECK_FOR_INTERRUPTS();
			switch (PgBsonJpPairSatisfies(st, step, &left->items[i],
										  right != NULL ? &right->items[j] : NULL))
			{
				case PGBSON_JP_TRUE:
					if (st->lax)
						return PGBSON_JP_TRUE;
					holds = true;
					break;
				case PGBSON_JP_UNKNOWN:
					if (!st->lax)
						return PGBSON_JP_UNKNOWN;
					unknown = true;
					break;
				case PGBSON_JP_FALSE:
					break;
			}
		}
	}
	if (holds)
		return PGBSON_JP_TRUE;
	return unknown ? PGBSON_JP_UNKNOWN : PGBSON_JP_FALSE;
}

/* Evaluate an operand with errors suppressed */
static PgBsonJpOutcome
quiet_operand(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item,
			  bool open, PgBsonJpSequence *out)
{
	bool		saved = st->raise;
	PgBsonJpOutcome outcome;

	st->raise = false;
	outcome = PgBsonJpOperand(st, step, item, open, out);
	st->raise = saved;
	return outcome;
}

/* Evaluate a comparison, starts with or like_regex */
static PgBsonJpTruth
pairwise(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item)
{
	PgBsonJpSequence left;
	PgBsonJpSequence right;
	bool		unary = step->type == jpiLikeRegex;
	JsonPathItem left_step;
	JsonPathItem right_step;
	PgBsonJpTruth truth = PGBSON_JP_UNKNOWN;

	if (unary)
		jspInitByBuffer(&left_step, step->base, step->content.like_regex.expr);
	else
	{
		jspGetLeftArg(step, &left_step);
		jspGetRightArg(step, &right_step);
	}

	PgBsonJpSequenceInit(&left);
	PgBsonJpSequenceInit(&right);
	if (quiet_operand(st, &left_step, item, true, &left) != PGBSON_JP_FAILED)
	{
		if (unary)
			truth = some_pair_satisfies(st, step, &left, NULL);
		/* an array on the right side of starts with is not unwrapped */
		else if (quiet_operand(st, &right_step, item, step->type != jpiStartsWith, &right) != PGBSON_JP_FAILED)
			truth = some_pair_satisfies(st, step, &left, &right);
	}
	PgBsonJpSequenceFree(&left);
	PgBsonJpSequenceFree(&right);
	return truth;
}

/* exists (path) */
static PgBsonJpTruth
exists(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item)
{
	JsonPathItem path;
	PgBsonJpSequence found;
	PgBsonJpOutcome outcome;

	jspGetArg(step, &path);
	if (st->lax)
		outcome = quiet_operand(st, &path, item, false, NULL);
	else
	{
		PgBsonJpSequenceInit(&found);
		outcome = quiet_operand(st, &path, item, false, &found);
		if (outcome != PGBSON_JP_FAILED)
			outcome = found.count > 0 ? PGBSON_JP_FOUND : PGBSON_JP_EMPTY;
		PgBsonJpSequenceFree(&found);
	}
	if (outcome == PGBSON_JP_FAILED)
		return PGBSON_JP_UNKNOWN;
	return truth_of(outcome == PGBSON_JP_FOUND);
}

/*
 * Evaluate && or ||.  As in SQL an unknown first operand does not decide the result, so the second
 * one is evaluated, too.
 */
static PgBsonJpTruth
connective_predicate(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item, PgBsonJpTruth decisive)
{
	JsonPathItem side;
	PgBsonJpTruth left;

	jspGetLeftArg(step, &side);
	left = PgBsonJpPredicate(st, &side, item);
	if (left == decisive)
		return decisive;
	jspGetRightArg(step, &side);
	return PgBsonJpConnect(left, PgBsonJpPredicate(st, &side, item), decisive);
}

PgBsonJpTruth
PgBsonJpPredicate(PgBsonJpState *st, JsonPathItem *step, const PgBsonJpItem *item)
{
	JsonPathItem arg;

	check_stack_depth();

	switch (step->type)
	{
		case jpiAnd:
			return connective_predicate(st, step, item, PGBSON_JP_FALSE);

		case jpiOr:
			return connective_predicate(st, step, item, PGBSON_JP_TRUE);

		case jpiNot:
			jspGetArg(step, &arg);
			return PgBsonJpNot(PgBsonJpPredicate(st, &arg, item));

		case jpiIsUnknown:
			jspGetArg(step, &arg);
			return PgBsonJpIsUnknown(PgBsonJpPredicate(st, &arg, item));

		case jpiEqual:
		case jpiNotEqual:
		case jpiLess:
		case jpiGreater:
		case jpiLessOrEqual:
		case jpiGreaterOrEqual:
		case jpiStartsWith:
		case jpiLikeRegex:
			return pairwise(st, step, item);

		case jpiExists:
			return exists(st, step, item);

		default:
			elog(ERROR, "unexpected jsonpath predicate: %d", (int) step->type);
	}
	return PGBSON_JP_UNKNOWN;	/* keep compiler quiet */
}
