/*
 * rules.c
 *	  The rules, in the order in which they are applied.
 */
#include "pipeline/rules/rules.h"

int			PgBsonRulesOff = 0;

static const struct
{
	PgBsonRule *apply;
	bool		calls_new;		/* its statements call functions that version 1.0 lacks */
}			rules[] = {
	{PgBsonRuleJoin},
	{PgBsonRuleLookup, true},
	{PgBsonRuleTest},
	{PgBsonRuleInline},
	{PgBsonRuleFields},
	{PgBsonRuleReads},
	{PgBsonRuleCarry},
	{PgBsonRuleEnds},
	{PgBsonRuleNumber},
	{PgBsonRulePartial},
	{PgBsonRuleCompound},
	{PgBsonRuleIndex},
	{PgBsonRuleSure},
};

/* Apply the rules to the pipelines within a step */
static void
apply_within(ListCell *step, bool is_old)
{
	const PgBsonStage *node = lfirst(step);
	ListCell   *lc;

	if (node->kind == PGBSON_NODE_LOOKUP)
	{
		PgBsonLookup *lookup = PgBsonRuleCopy(step, sizeof(PgBsonLookup));

		lookup->other = PgBsonRulesApply(&lookup->other, is_old);
	}
	else if (node->kind == PGBSON_NODE_UNION)
	{
		PgBsonUnion *both = PgBsonRuleCopy(step, sizeof(PgBsonUnion));

		both->other = PgBsonRulesApply(&both->other, is_old);
	}
	else if (node->kind == PGBSON_NODE_FACET)
	{
		PgBsonFacet *facet = PgBsonRuleCopy(step, sizeof(PgBsonFacet));

		facet->branches = list_copy(facet->branches);
		foreach(lc, facet->branches)
		{
			PgBsonChain *branch = PgBsonRuleCopy(lc, sizeof(PgBsonChain));

			*branch = PgBsonRulesApply(branch, is_old);
		}
	}
}

PgBsonChain
PgBsonRulesApply(const PgBsonChain *chain, bool is_old)
{
	PgBsonChain result = {chain->source, list_copy(chain->steps)};
	ListCell   *lc;

	check_stack_depth();
	for (int i = 0; i < lengthof(rules); i++)
	{
		CHECK_FOR_INTERRUPTS();
		if ((PgBsonRulesOff & 1 << i) == 0 && !(is_old && rules[i].calls_new))
			rules[i].apply(&result);
	}
	foreach(lc, result.steps)
		apply_within(lc, is_old);
	return result;
}
