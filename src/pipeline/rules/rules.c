/*
 * rules.c
 *	  The rules, in the order in which they are applied.
 */
#include "pipeline/rules/rules.h"

int			PgBsonRulesOff = 0;

static PgBsonRule *const rules[] = {
	PgBsonRuleJoin,
	PgBsonRuleReads,
	PgBsonRuleCarry,
	PgBsonRuleEnds,
	PgBsonRuleNumber,
	PgBsonRuleCompound,
	PgBsonRuleIndex,
	PgBsonRuleSure,
};

void *
PgBsonRuleCopy(ListCell *step, Size size)
{
	void	   *copy = palloc(size);

	memcpy(copy, lfirst(step), size);
	lfirst(step) = copy;
	return copy;
}

bool
PgBsonUnwindDivides(const PgBsonStage *node)
{
	const PgBsonUnwind *unwind = ((const PgBsonUnwindStep *) node)->unwind;

	return unwind->path.count == 1 && !unwind->preserves && !unwind->with_index;
}

/* Apply the rules to the pipelines within a step */
static void
apply_within(ListCell *step)
{
	const PgBsonStage *node = lfirst(step);
	ListCell   *lc;

	if (node->kind == PGBSON_NODE_LOOKUP)
	{
		PgBsonLookup *lookup = PgBsonRuleCopy(step, sizeof(PgBsonLookup));

		lookup->other = PgBsonRulesApply(&lookup->other);
	}
	else if (node->kind == PGBSON_NODE_UNION)
	{
		PgBsonUnion *both = PgBsonRuleCopy(step, sizeof(PgBsonUnion));

		both->other = PgBsonRulesApply(&both->other);
	}
	else if (node->kind == PGBSON_NODE_FACET)
	{
		PgBsonFacet *facet = PgBsonRuleCopy(step, sizeof(PgBsonFacet));

		facet->branches = list_copy(facet->branches);
		foreach(lc, facet->branches)
		{
			PgBsonChain *branch = PgBsonRuleCopy(lc, sizeof(PgBsonChain));

			*branch = PgBsonRulesApply(branch);
		}
	}
}

PgBsonChain
PgBsonRulesApply(const PgBsonChain *chain)
{
	PgBsonChain result = {chain->source, list_copy(chain->steps)};
	ListCell   *lc;

	check_stack_depth();
	for (int i = 0; i < lengthof(rules); i++)
	{
		CHECK_FOR_INTERRUPTS();
		if ((PgBsonRulesOff & 1 << i) == 0)
			rules[i] (&result);
	}
	foreach(lc, result.steps)
		apply_within(lc);
	return result;
}
