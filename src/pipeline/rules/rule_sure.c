/*
 * rule_sure.c
 *	  Conditions and orders of fields that never meet an array, as a CHECK of the table says.
 *
 * The index on such a field decides them alone, so that a find by the _id is one scan of it.
 */
#include "pipeline/rules/rules.h"

#include "mongo/query/match.h"

bool
PgBsonMatchesMissing(const PgBsonValue *query)
{
	static const uint8 no_fields[5] = {5};
	const PgBsonValue empty = {PGBSON_DOCUMENT, sizeof(no_fields), no_fields};

	return PgBsonQueryMatches(PgBsonQueryParse(query), &empty);
}

static List *
decide(const List *conditions)
{
	List	   *result = NIL;
	ListCell   *lc;

	check_stack_depth();
	foreach(lc, conditions)
	{
		PgBsonCondition *condition = palloc_object(PgBsonCondition);

		*condition = *(const PgBsonCondition *) lfirst(lc);
		if (condition->kind == PGBSON_CONDITION_INDEXED)
		{
			if (condition->field->scalar && (condition->field->present || !PgBsonMatchesMissing(&condition->value)))
				condition->array = NULL;
			/* the other field is the _id, which all documents have */
			condition->only_arrays = condition->array != NULL && condition->array != condition->field;
		}
		else
			condition->parts = decide(condition->parts);
		result = lappend(result, condition);
	}
	return result;
}

static void
sort_surely(PgBsonSortStep *step)
{
	ListCell   *lc;

	foreach(lc, step->fields)
	{
		const PgBsonIndexed *field = lfirst(lc);

		if (field->scalar && field->present)
			step->sure = lappend(step->sure, lfirst(lc));
	}
}

void
PgBsonRuleSure(PgBsonChain *chain)
{
	ListCell   *lc;

	foreach(lc, chain->steps)
	{
		const PgBsonStage *node = lfirst(lc);
		const PgBsonSource *source = node->kind == PGBSON_NODE_GRAPH ? ((const PgBsonGraph *) node)->source : chain->source;

		if (!source->rooted)
			continue;
		if (node->kind == PGBSON_NODE_FILTER)
		{
			PgBsonFilter *filter = PgBsonRuleCopy(lc, sizeof(PgBsonFilter));

			filter->conditions = decide(filter->conditions);
		}
		else if (node->kind == PGBSON_NODE_GRAPH)
		{
			PgBsonGraph *graph = PgBsonRuleCopy(lc, sizeof(PgBsonGraph));

			graph->conditions = decide(graph->conditions);
		}
		else if (node->kind == PGBSON_NODE_SORT)
			sort_surely(PgBsonRuleCopy(lc, sizeof(PgBsonSortStep)));
	}
}
