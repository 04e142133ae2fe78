/*
 * rule_sure.c
 *	  Conditions and orders of fields that never meet an array, as a CHECK of the table says.
 *
 * The index on such a field decides them alone, so that a find by the _id is one scan of it.
 */
#include "pipeline/rules/rules.h"

static List *
decide(const PgBsonSource *source, const List *conditions)
{
	List	   *result = NIL;

	check_stack_depth();
	foreach_ptr(const PgBsonCondition, given, conditions)
	{
		PgBsonCondition *condition = palloc_object(PgBsonCondition);

		*condition = *given;
		if (condition->kind == PGBSON_CONDITION_INDEXED && source->rooted)
		{
			if (condition->field->scalar && (condition->field->present || !PgBsonMatchesMissing(&condition->value)))
				condition->array = NULL;
			/* the other field is the _id, which all documents have */
			condition->only_arrays = condition->array != NULL && condition->array != condition->field;
		}
		else
			condition->parts = decide(source, condition->parts);
		result = lappend(result, condition);
	}
	return result;
}

static void
sort_surely(const PgBsonSource *source, PgBsonSortStep *step)
{
	foreach_ptr(PgBsonIndexed, field, source->rooted ? step->index.fields : NIL)
	{
		if (field->scalar && field->present)
			step->index.sure = lappend(step->index.sure, field);
	}
}

void
PgBsonRuleSure(PgBsonChain *chain)
{
	PgBsonRuleServed(chain, decide, sort_surely);
}
