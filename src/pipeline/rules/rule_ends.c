/*
 * rule_ends.c
 *	  $group that wants no more of an order than its first and last documents.
 *
 * Then no sort is needed: the value with the least or greatest sort key is found without it.  Other accumulators see
 * equal documents in the order of a sort, and the first and last must be the first and last of these.
 */
#include "pipeline/rules/rules.h"

void
PgBsonRuleEnds(PgBsonChain *chain)
{
	ListCell   *lc;

	foreach(lc, chain->steps)
	{
		const PgBsonStage *node = lfirst(lc);
		bool		only_ends = true;

		if (node->kind != PGBSON_NODE_GROUP)
			continue;
		PgBsonForEach(iter, PgBsonValueView(&((const PgBsonGroup *) node)->fields))
		{
			PgBsonIter	accumulator;

			if (!PgBsonIterIs(&iter, "_id") && PgBsonFirst(&iter.value, &accumulator))
				only_ends &= PgBsonIterIs(&accumulator, "$first") || PgBsonIterIs(&accumulator, "$last") ||
					!PgBsonAccumulatorIsOrdered(accumulator.key, accumulator.key_len);
		}
		if (only_ends)
			((PgBsonGroup *) PgBsonRuleCopy(lc, sizeof(PgBsonGroup)))->only_ends = true;
	}
}
