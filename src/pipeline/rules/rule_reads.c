/*
 * rule_reads.c
 *	  Fields that no later step reads are left out.
 */
#include "pipeline/rules/rules.h"

#include "mongo/expr/expr.h"

/*
 * Smaller documents are copied, or sorted with what a window reads, in less time than it takes to leave out fields; or
 * sorted without what a window reads, which is in columns
 */
#define WIDE			500
#define WIDE_DIVIDED	150

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

/* Have the partition, and what functions read, be columns; false if one reads several expressions, or the sort's */
static bool
divide_window(PgBsonWindow *window)
{
	PgBsonValue constant;

	if (window->partition.type != PGBSON_MISSING)
		window->carried = PgBsonAppendValue(window->carried, &window->partition);
	PgBsonForEach(iter, PgBsonValueView(&window->output))
	{
		PgBsonForEach(part, PgBsonValueView(&iter.value))
		{
			PgBsonValue range;

			if (PgBsonIterIs(&part, "window"))
			{
				if (part.value.type != PGBSON_DOCUMENT || PgBsonFindField(&part.value, "range", &range))
					return false;
			}
			else if (PgBsonNameAmong("$sum $avg $min $max $push $addToSet $first $last $stdDevPop $stdDevSamp $count $rank $denseRank $documentNumber",
									 part.key, part.key_len) < 0)
				return false;
			else if (!PgBsonOperandConstant(&part.value, &constant))
				window->carried = PgBsonAppendValue(window->carried, &part.value);
		}
	}
	return true;
}

/* Is it a $project of simple names, with all that the window makes?  Then the window can do what it does. */
static bool
only_keeps(const PgBsonStage *step, const PgBsonWindow *window)
{
	PgBsonValue value;

	if (strcmp(step->name, "$project") != 0 || step->kind != PGBSON_NODE_COMPUTE)
		return false;
	PgBsonForEach(iter, PgBsonValueView(&step->operand))
	{
		if (memchr(iter.key, '.', iter.key_len) != NULL ||
			!(PgBsonIsNumber(iter.value.type) || iter.value.type == PGBSON_BOOL) ||
			(!PgBsonExprIsTrue(&iter.value) && !PgBsonIterIs(&iter, "_id")))
			return false;
	}
	PgBsonForEach(made, PgBsonValueView(&window->output))
	{
		if (!PgBsonFindKey(PgBsonValueView(&step->operand), made.key, made.key_len, &value) ||
			!PgBsonExprIsTrue(&value))
			return false;
	}
	return true;
}

/* A window: only the fields that are read later are sorted, and before it, perhaps, what it reads */
static void
narrow_window(PgBsonChain *chain, int step, bool wide)
{
	PgBsonWindow *window = list_nth(chain->steps, step);
	int			next = step + 1;
	PgBsonReads reads = {NIL};

	PgBsonReadsKeys(&reads, &window->output);
	window->divided = (window->order != NULL || window->partition.type != PGBSON_MISSING) && divide_window(window);
	if (!window->divided)
	{
		window->carried = NIL;
		if (!wide)
			return;
		PgBsonReadsExpression(&reads, &window->partition);
		PgBsonReadsExpression(&reads, &window->output);
		if (window->order != NULL)
			PgBsonReadsKeys(&reads, &window->sort);
	}
	window->kept = kept_of(&reads, chain->steps, next);
	if (window->divided && window->kept.type != PGBSON_MISSING && next < list_length(chain->steps) &&
		only_keeps(list_nth(chain->steps, next), window))
	{
		const PgBsonStage *project = list_nth(chain->steps, next);

		window->kept = project->operand;
		window->node.stage = project->stage;
		chain->steps = list_delete_nth_cell(chain->steps, next);
	}
}

/* $facet: the documents are kept while each branch reads them, and so only the fields that one reads */
static void
narrow_facet(PgBsonChain *chain, int step)
{
	const PgBsonFacet *facet = list_nth(chain->steps, step);
	PgBsonProjectStep *project = palloc0_object(PgBsonProjectStep);
	PgBsonReads reads = {NIL};

	foreach_ptr(const PgBsonChain, branch, facet->branches)
		PgBsonReadsSteps(&reads, branch->steps, 0);
	project->node = (PgBsonStage) {PGBSON_NODE_PROJECT, sizeof(*project), "$facet",
		PgBsonReadsProjection(&reads, PgBsonEmpty), facet->node.stage};
	if (project->node.operand.type != PGBSON_MISSING)
		chain->steps = list_insert_nth(chain->steps, step, project);
}

void
PgBsonRuleReads(PgBsonChain *chain, int step)
{
	PgBsonStage *node = list_nth(chain->steps, step);
	int32		width = PgBsonChainReadsSource(chain, step) ? chain->source->width : 0;
	PgBsonReads reads = {NIL};

	if (node->kind == PGBSON_NODE_COMPUTE && PgBsonNameAmong("$set $addFields", node->name, strlen(node->name)) >= 0)
		narrow_compute((PgBsonCompute *) node, chain->steps, step + 1);
	else if (node->kind == PGBSON_NODE_UNWIND && width >= WIDE &&
			 (!PgBsonUnwindDivides(node) || ((const PgBsonUnwindStep *) node)->unwind->with_index))
	{
		PgBsonReadsExpression(&reads, &node->operand);
		((PgBsonUnwindStep *) node)->kept = kept_of(&reads, chain->steps, step + 1);
	}
	else if (node->kind == PGBSON_NODE_WINDOW && width >= WIDE_DIVIDED)
		narrow_window(chain, step, width >= WIDE);
	else if (node->kind == PGBSON_NODE_FACET && width >= WIDE &&
			 list_length(((const PgBsonFacet *) node)->branches) > 1)
		narrow_facet(chain, step);
}
