/*
 * rules.c
 *	  The rules, in the order in which they are applied.
 */
#include "pipeline/rules/rules.h"

int			PgBsonRulesOff = 0;

#define ON(kind)		(1 << PGBSON_NODE_##kind)

static const struct
{
	PgBsonRule *apply;
	int			kinds;			/* of the steps that it is for */
	bool		calls_new;		/* its statements call functions that version 1.0 lacks */
}			rules[] = {
	{PgBsonRuleJoin, ON(LOOKUP)},
	{PgBsonRuleLookup, ON(LOOKUP), true},
	{PgBsonRuleTest, ON(FILTER)},
	{PgBsonRuleInline, ON(GROUP)},
	{PgBsonRuleFields, ON(GROUP)},
	{PgBsonRuleReads, ON(COMPUTE) | ON(UNWIND) | ON(WINDOW) | ON(FACET)},
	{PgBsonRuleCarry, ON(GROUP) | ON(COUNT)},
	{PgBsonRuleEnds, ON(GROUP)},
	{PgBsonRuleNumber, ON(FILTER)},
	{PgBsonRulePartial, ON(FILTER)},
	{PgBsonRuleCompound, ON(FILTER)},
	{PgBsonRuleIndex, ON(FILTER) | ON(GRAPH) | ON(SORT)},
	{PgBsonRuleSure, ON(FILTER) | ON(GRAPH) | ON(SORT)},
};

/* Apply the rules to the pipelines within a step */
static void
apply_within(PgBsonStage *node, bool is_old)
{
	if (node->kind == PGBSON_NODE_LOOKUP)
	{
		PgBsonLookup *lookup = (PgBsonLookup *) node;

		lookup->other = *PgBsonRulesApply(&lookup->other, is_old);
	}
	else if (node->kind == PGBSON_NODE_UNION)
	{
		PgBsonUnion *both = (PgBsonUnion *) node;

		both->other = *PgBsonRulesApply(&both->other, is_old);
	}
	else if (node->kind == PGBSON_NODE_FACET)
	{
		PgBsonFacet *facet = (PgBsonFacet *) node;
		List	   *branches = NIL;

		foreach_ptr(const PgBsonChain, branch, facet->branches)
			branches = lappend(branches, PgBsonRulesApply(branch, is_old));
		facet->branches = branches;
	}
}

PgBsonChain *
PgBsonRulesApply(const PgBsonChain *chain, bool is_old)
{
	PgBsonChain *result = palloc0_object(PgBsonChain);

	check_stack_depth();
	result->source = chain->source;
	foreach_ptr(const PgBsonStage, node, chain->steps)
		result->steps = lappend(result->steps, memcpy(palloc(node->size), node, node->size));
	for (int i = 0; i < lengthof(rules); i++)
	{
		CHECK_FOR_INTERRUPTS();
		if ((PgBsonRulesOff & 1 << i) != 0 || (is_old && rules[i].calls_new))
			continue;
		for (int step = list_length(result->steps) - 1; step >= 0; step--)
		{
			if ((rules[i].kinds & 1 << ((const PgBsonStage *) list_nth(result->steps, step))->kind) != 0)
				rules[i].apply(result, step);
		}
	}
	foreach_ptr(PgBsonStage, node, result->steps)
		apply_within(node, is_old);
	return result;
}
