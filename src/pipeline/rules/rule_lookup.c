/*
 * rule_lookup.c
 *	  $lookup as a join.
 *
 * A join may change the order of the documents, so it is for those whose order is not defined.
 */
#include "pipeline/rules/rules.h"

#include "mongo/common/options.h"

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

/* They become one step, whose documents are those of a join */
void
PgBsonRuleJoin(PgBsonChain *chain, int step)
{
	PgBsonLookup *lookup = list_nth(chain->steps, step);
	const PgBsonStage *before = step > 0 ? list_nth(chain->steps, step - 1) : NULL;
	const PgBsonUnwindStep *unwind = step + 1 < list_length(chain->steps) ? list_nth(chain->steps, step + 1) : NULL;

	if (unwind == NULL || !unwinds_found(&unwind->node, lookup) || PgBsonChainIsOrdered(chain, step) ||
		PgBsonChainIsOrdered(&lookup->other, list_length(lookup->other.steps)))
		return;
	/* a SELECT with LIMIT cannot have the join, too; variables of "let" end it */
	if (before != NULL && before->kind == PGBSON_NODE_CUT && lookup->let.type == PGBSON_MISSING)
		return;
	lookup->unwind = unwind->unwind;
	lookup->node.stage = unwind->node.stage;
	chain->steps = list_delete_nth_cell(chain->steps, step + 1);
}

#define MANY	100				/* documents, for which a join pays */

/* Are there only a few documents before the step, as a limit or a value of the _id says? */
static bool
are_few(const PgBsonChain *chain, int step)
{
	PgBsonValue id;

	for (int i = 0; i < step; i++)
	{
		const PgBsonStage *before = list_nth(chain->steps, i);
		const PgBsonCut *cut = (const PgBsonCut *) before;

		if (before->kind == PGBSON_NODE_CUT && cut->limit >= 0 && cut->limit < MANY)
			return true;
		if (before->kind == PGBSON_NODE_FILTER && PgBsonFindField(&before->operand, "_id", &id) &&
			id.type != PGBSON_DOCUMENT)
			return true;
	}
	return false;
}

/* Is it {$set: {as: {$first: "$as"}}}, or the same with $arrayElemAt? */
static bool
takes_first(const PgBsonStage *step, const PgBsonValue *as)
{
	PgBsonIter	field;
	PgBsonIter	operator;
	PgBsonValue operand;
	PgBsonValue *items;
	uint32		len;
	const char *name = PgBsonValueString(as, &len);
	int			count;

	if (step->kind != PGBSON_NODE_COMPUTE || PgBsonNameAmong("$set $addFields", step->name, strlen(step->name)) < 0 ||
		!PgBsonOnlyField(&step->operand, &field) || !PgBsonSameKey(field.key, field.key_len, name, len) ||
		!PgBsonOnlyField(&field.value, &operator))
		return false;
	operand = operator.value;
	if (PgBsonIterIs(&operator, "$arrayElemAt") && operand.type == PGBSON_ARRAY)
	{
		items = PgBsonValuesOf(&operand, &count);
		if (count != 2 || !PgBsonSameBytes(&items[1], &PgBsonZero))
			return false;
		operand = items[0];
	}
	else if (!PgBsonIterIs(&operator, "$first"))
		return false;
	return PgBsonOptionIs(&operand, psprintf("$%s", pnstrdup(name, len)));
}

/* Is it a $lookup by a unique _id, of many documents in any order? */
static bool
can_join(const PgBsonChain *chain, int step)
{
	const PgBsonLookup *lookup = list_nth(chain->steps, step);
	const PgBsonSource *source;
	uint32		len;
	const char *as;

	if (lookup->unwind != NULL || lookup->piped || !PgBsonOptionIs(&lookup->foreign, "_id"))
		return false;
	source = lookup->other.source;
	as = PgBsonValueString(&lookup->as, &len);
	return source->unique_id && !source->collated && !source->inherited && memchr(as, '.', len) == NULL &&
		!PgBsonChainIsOrdered(chain, step) && !are_few(chain, step);
}

/*
 * The join need not search the other table once for each document.  If $set then takes the first document found, that
 * belongs to the step: the field is a document and no array.  To plan a join takes longer than the subqueries of a few
 * documents take to run, so it is for others.
 */
void
PgBsonRuleLookup(PgBsonChain *chain, int step)
{
	PgBsonLookup *lookup = list_nth(chain->steps, step);
	const PgBsonStage *next = step + 1 < list_length(chain->steps) ? list_nth(chain->steps, step + 1) : NULL;

	lookup->by_id = can_join(chain, step);
	if (lookup->by_id && next != NULL && takes_first(next, &lookup->as))
	{
		lookup->first = true;
		lookup->node.stage = next->stage;
		chain->steps = list_delete_nth_cell(chain->steps, step + 1);
	}
}
