/*
 * rule_join.c
 *	  $lookup and $unwind of what it found.
 *
 * They become one step, whose documents are those of a join.  A join may change the order of the documents, so it is
 * for documents whose order is not defined.
 */
#include "pipeline/rules/rules.h"

/* Does the step unwind the field that the $lookup makes, without an index? */
static bool
unwinds_found(const PgBsonStage *node, const PgBsonLookup *lookup)
{
	const PgBsonUnwind *unwind;
	const PgBsonStep *first;
	const PgBsonStep *last;
	uint32		len;
	const char *as = PgBsonValueString(&lookup->as, &len);

	if (node->kind != PGBSON_NODE_UNWIND)
		return false;
	unwind = ((const PgBsonUnwindStep *) node)->unwind;
	if (unwind->with_index)
		return false;
	/* the names point into one string, one after the other, so they can be compared at once */
	first = &unwind->path.names[0];
	last = &unwind->path.names[unwind->path.count - 1];
	return last->key + last->key_len - first->key == len && memcmp(first->key, as, len) == 0;
}

void
PgBsonRuleJoin(PgBsonChain *chain)
{
	for (int i = 0; i + 1 < list_length(chain->steps); i++)
	{
		const PgBsonLookup *lookup = list_nth(chain->steps, i);
		const PgBsonStage *before = i > 0 ? list_nth(chain->steps, i - 1) : NULL;
		const PgBsonUnwindStep *unwind = list_nth(chain->steps, i + 1);
		PgBsonLookup *join;

		if (lookup->node.kind != PGBSON_NODE_LOOKUP || !unwinds_found(&unwind->node, lookup) ||
			PgBsonChainIsOrdered(chain, i) || PgBsonChainIsOrdered(&lookup->other, list_length(lookup->other.steps)))
			continue;
		/* a SELECT with LIMIT cannot have the join, too; variables of "let" end it */
		if (before != NULL && before->kind == PGBSON_NODE_CUT && lookup->let.type == PGBSON_MISSING)
			continue;
		join = PgBsonRuleCopy(list_nth_cell(chain->steps, i), sizeof(PgBsonLookup));
		join->unwind = unwind->unwind;
		join->node.stage = unwind->node.stage;
		chain->steps = list_delete_nth_cell(chain->steps, i + 1);
	}
}
