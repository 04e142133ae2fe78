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
	static const char *const signs[] = {"$eq", "=", "$gt", ">", "$gte", ">=", "$lt", "<", "$lte", "<="};
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
		int			i = 0;

		while (i < lengthof(signs) && !PgBsonIterIs(&iter, signs[i]))
			i += 2;
		if (i == lengthof(signs) || !PgBsonIsInteger(iter.value.type))
			return NIL;
		condition->operator = signs[i + 1];
		conditions = lappend(conditions, condition);
	}
	return conditions;
}

void
PgBsonRuleNumber(PgBsonChain *chain)
{
	PgBsonIter	number = {NULL};
	ListCell   *lc;

	foreach(lc, chain->steps)
	{
		const PgBsonStage *node = lfirst(lc);

		if (node->kind == PGBSON_NODE_WINDOW)
		{
			if (!PgBsonOnlyField(&((const PgBsonWindow *) node)->output, &number) || !PgBsonWindowCounts(&number.value))
				number.key = NULL;
		}
		else if (node->kind != PGBSON_NODE_FILTER)
			number.key = NULL;
		else if (number.key != NULL)
			((PgBsonFilter *) PgBsonRuleCopy(lc, sizeof(PgBsonFilter)))->numbers = comparisons(&node->operand, &number);
	}
}
