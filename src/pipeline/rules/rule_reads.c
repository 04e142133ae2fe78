/*
 * rule_reads.c
 *	  Fields that no later step reads are left out.
 */
#include "pipeline/rules/rules.h"

#define WIDE	500				/* smaller documents are sorted or copied in less time than it takes to leave out fields */

/* $set before steps that do not read whole documents: $project copies only what they read */
static void
narrow_compute(PgBsonCompute *compute, const List *steps, int next)
{
	const PgBsonValue *operand = &compute->node.operand;
	PgBsonReads reads = {NIL};
	PgBsonValue fields;

	PgBsonReadsSteps(&reads, steps, next);
	PgBsonForEach(iter, PgBsonValueView(operand))
	{
		reads.all |= reads.shown || PgBsonIterIs(&iter, "_id") || memchr(iter.key, '.', iter.key_len) != NULL ||
			!PgBsonOperandComputes(&iter.value);
		reads.names = list_delete_ptr(reads.names, PgBsonFindNamed(reads.names, iter.key, iter.key_len));
	}
	fields = PgBsonReadsProjection(&reads, PgBsonValueView(operand));
	if (fields.type != PGBSON_MISSING)
		compute->stage = PgBsonMakeDocument("$project", &fields, NULL);
}

/* A projection to what this step and those from "next" on read; missing if that is perhaps all */
static PgBsonValue
kept_of(PgBsonReads *reads, const List *steps, int next)
{
	PgBsonReadsSteps(reads, steps, next);
	return PgBsonReadsProjection(reads, PgBsonEmpty);
}

void
PgBsonRuleReads(PgBsonChain *chain)
{
	ListCell   *lc;

	foreach(lc, chain->steps)
	{
		const PgBsonStage *node = lfirst(lc);
		int			next = foreach_current_index(lc) + 1;
		bool		wide = chain->source->width >= WIDE && PgBsonChainReadsSource(chain, next - 1);
		PgBsonReads reads = {NIL};

		if (node->kind == PGBSON_NODE_COMPUTE && PgBsonNameAmong("$set $addFields", node->name, strlen(node->name)) >= 0)
			narrow_compute(PgBsonRuleCopy(lc, sizeof(PgBsonCompute)), chain->steps, next);
		else if (node->kind == PGBSON_NODE_UNWIND && wide && (!PgBsonUnwindDivides(node) || ((const PgBsonUnwindStep *) node)->unwind->with_index))
		{
			PgBsonUnwindStep *unwind = PgBsonRuleCopy(lc, sizeof(PgBsonUnwindStep));

			PgBsonReadsExpression(&reads, &node->operand);
			unwind->kept = kept_of(&reads, chain->steps, next);
		}
		else if (node->kind == PGBSON_NODE_WINDOW && wide)
		{
			PgBsonWindow *window = PgBsonRuleCopy(lc, sizeof(PgBsonWindow));

			PgBsonReadsExpression(&reads, &window->partition);
			PgBsonReadsKeys(&reads, &window->output);
			PgBsonReadsExpression(&reads, &window->output);
			if (window->order != NULL)
				PgBsonReadsKeys(&reads, &window->sort);
			window->kept = kept_of(&reads, chain->steps, next);
		}
	}
}
