/*
 * rule_number.c
 *	  Conditions on the number that $rank, $denseRank or $documentNumber gave each document.
 *
 * They compare it as an SQL integer: so the server stops to count at an upper bound.
 */
#include "pipeline/rules/rules.h"

#include "core/number/number.h"

/* The comparisons of a query of this field; NIL for another query */
static List *
comparisons(const PgBsonValue *query, const PgBsonIter *number)
{
	List	   *conditions = NIL;
	PgBsonIter	field;
	PgBsonValue operators;

	if (!PgBsonOnlyField(query, &field) ||
		!PgBsonSameKey(field.key, field.key_len, number->key, number->key_len))
		return NIL;
	operators = PgBsonIsInteger(field.value.type) ? PgBsonMakeDocument("$eq", &field.value, NULL) : field.value;
	if (operators.type != PGBSON_DOCUMENT)
		return NIL;
	PgBsonForEach(iter, PgBsonValueView(&operators))
	{
		PgBsonCondition *condition = PgBsonConditionNew(PGBSON_CONDITION_COMPARE, &iter.value, NIL);

		condition->operator = PgBsonComparisonSign(&iter);
		if (condition->operator == NULL || !PgBsonIsInteger(iter.value.type))
			return NIL;
		conditions = lappend(conditions, condition);
	}
	return conditions;
}

void
PgBsonRuleNumber(PgBsonChain *chain, int step)
{
	PgBsonFilter *filter = list_nth(chain->steps, step);
	const PgBsonStage *before = NULL;
	PgBsonIter	number;

	/* the last step before that is no filter */
	for (int i = step - 1; i >= 0 && (before == NULL || before->kind == PGBSON_NODE_FILTER); i--)
		before = list_nth(chain->steps, i);
	if (before != NULL && before->kind == PGBSON_NODE_WINDOW &&
		PgBsonOnlyField(&((const PgBsonWindow *) before)->output, &number) && PgBsonWindowCounts(&number.value))
		filter->numbers = comparisons(&filter->node.operand, &number);
}
